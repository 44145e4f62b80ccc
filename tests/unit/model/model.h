/*
 * A dumb second drive: the zone rules and the timing of docs/model.md
 * written once more, with copies, lists and linear searches, so that it is
 * right at sight. The tests run it beside the real one.
 *
 * Knows nothing of the drive's inside: it shares only the types of ssd.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_MODEL_H
#define FEMU_TEST_MODEL_H

#include "ssd.h"

#define MODEL_MAX_NAMESPACES 4

/*
 * Zone of the rules. `written_nlb` counts from the zone's start. A zone that
 * finish or reset has left keeps what it holds until job `owner` is done.
 */
typedef struct RulesZone {
    SsdZoneState state;
    uint64_t written_nlb;
    uint64_t end_nlb;       /* behind the last block written, in a ZRWA too;
                               a finish does not write */
    bool zrwa;
    bool extension;
    bool holds_open;
    bool holds_active;
    uint64_t opened_seq;
    uint64_t owner;
    /* How long it has been active or full: model_watch.c. */
    unsigned phase;
    uint64_t since_ns;
    uint64_t since_seq;
    bool recommended;
    bool finished;
} RulesZone;

/* Of one namespace, whose zones are counted from 0. */
typedef struct Rules {
    uint32_t first_zone_idx;    /* of them, counted over all namespaces */
    uint32_t zone_count;
    uint32_t lba_bytes;
    uint64_t zone_nlb;
    uint64_t capacity_nlb;
    uint64_t mdts_nlb;
    uint64_t zasl_nlb;
    uint64_t wzsl_nlb;
    uint32_t max_open;
    uint32_t max_active;
    uint64_t zrwa_nlb;
    uint64_t granule_nlb;
    uint32_t max_zrwa;
    uint64_t seq;
    RulesZone zone[];
} Rules;

/* Media work that a finish or reset leaves to be done on one zone. */
typedef struct RulesJob {
    uint32_t zone_idx;
    uint64_t id;
    SsdZoneState state_before;
    uint64_t written_before_nlb;
    uint64_t end_before_nlb;
} RulesJob;

typedef struct RulesEffect {
    SsdStatus status;
    uint64_t lba;
    uint64_t nlb;       /* that a copy writes */
    bool zrwa;          /* it writes into one, or commits it: ... */
    uint64_t commit_from_nlb;
    uint64_t commit_to_nlb;
    uint64_t there_nlb; /* ... of which this much has been written */
    unsigned job_count;
    RulesJob *job;      /* the caller frees it */
} RulesEffect;

/* The rules of namespace `nsid`, whose zones are empty. Caller frees. */
Rules *rules_new(const SsdParams *resolved, uint32_t nsid,
                 uint32_t lba_bytes);
/* As new, but that failed zones are offline; in place, for jobs know it. */
void rules_format(Rules *r, const SsdParams *resolved, uint32_t nsid,
                  uint32_t lba_bytes);

/*
 * Judge and apply a command. On an error status nothing has changed, and there
 * are no jobs to free.
 */
void rules_shutdown(Rules *rules);
RulesEffect rules_apply(Rules *rules, const SsdCmd *cmd);

/* As ssd_zone_fail(). */
bool rules_zone_fail(Rules *rules, uint32_t zone_idx, SsdZoneState state);

/* The controller finishes a zone. */
RulesEffect rules_excursion(Rules *rules, uint32_t zone_idx);

/* A job's media work has ended: what its zone still holds is free. */
void rules_job_done(Rules *rules, const RulesJob *job);

uint32_t rules_open_count(const Rules *rules);
uint32_t rules_active_count(const Rules *rules);

typedef struct Model Model;

Model *model_new(const SsdParams *resolved);
void model_free(Model *m);

SsdAccept model_submit(Model *m, uint64_t now_ns, const SsdCmd *cmd,
                       uint32_t tag);

bool model_zone_fail(Model *m, uint64_t now_ns, uint32_t nsid,
                     uint32_t zone_idx, SsdZoneState state);

/* As ssd_format() of one namespace; no command may be inside. */
void model_format(Model *m, uint32_t nsid, uint32_t lba_bytes);

/*
 * As ssd_power_cut(), now; nothing may be under way, not even in the
 * background.
 */
void model_power_cut(Model *m);
bool model_is_at_rest(const Model *m);

/* Run up to and including now_ns; completions gather for model_pop(). */
void model_run(Model *m, uint64_t now_ns);
bool model_pop(Model *m, SsdDone *done);

/* Commands accepted and not popped; the next step's time or UINT64_MAX. */
unsigned model_inflight(const Model *m);
uint64_t model_next_at_ns(Model *m);
/* The next time at which a zone changes of itself, or UINT64_MAX. */
uint64_t model_watch_next_ns(Model *m);

/* Blocks as ssd_block() counts them: how often each has been erased. */
uint64_t model_block_count(const Model *m);
uint32_t model_erase_count(const Model *m, uint64_t block_idx);

/* Of the conventional namespace, the last, `zone_nlb` is all that it has. */
const Rules *model_rules(const Model *m, uint32_t nsid);
uint32_t model_ns_count(const Model *m);
/* As ssd_stats_json() has it of that namespace. */
char *model_conv_stats(const Model *m);
/* The same of all flash, when nothing is under way. */
char *model_flash_stats(const Model *m);

#endif
