/*
 * Inside the dumb drive: what the files model*.c share.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_MODEL_INTERNAL_H
#define FEMU_TEST_MODEL_INTERNAL_H

#include "model.h"

/* Bytes [at, end) of a zone, counted over all namespaces. */
typedef struct Piece {
    uint32_t zone_idx;
    uint64_t at;
    uint64_t end;
} Piece;

/*
 * A command inside: `parts` pages, jobs or waits are left; then, in its turn,
 * what it writes. A Select All that finishes or resets has `jobs`, of which
 * `admitted` may work, `ended` have.
 */
typedef struct Cmd {
    SsdDone done;
    unsigned parts;
    uint64_t flush_seq;
    bool writes;            /* not done yet: */
    Piece write;
    Piece commit;           /* whose pages are programmed after it, ... */
    uint64_t there;         /* ... below this byte without a transfer */
    bool zrwa;
    GPtrArray *jobs;
    unsigned admitted;
    unsigned ended;
    bool host_io;
} Cmd;

/* The media work of a finish (`fill`) or reset on one zone. */
typedef struct Job {
    RulesJob rules;
    Rules *of;              /* the namespace of the zone */
    uint32_t zone_idx;      /* counted over all namespaces */
    Cmd *cmd;
    bool fill;
    bool admitted;
    bool running;
    unsigned pending;
    uint32_t life;
    uint64_t next_page;
    uint64_t there;         /* of the zone: what needs no transfer */
    uint64_t used_pages;
    int superblock;         /* that it erases, or -1 */
    bool background;        /* erases, for no command and no zone */
    bool waits;             /* for STEP_WAKE */
    bool stalls;            /* lets host I/O go first, ... */
    uint64_t stalls_from_ns;    /* ... since then */
} Job;

/*
 * What backs a zone: the same number of blocks on each unit of a group.
 * Superblock s lies where zone s would.
 */
typedef enum Pool {
    POOL_FREE,
    POOL_ERASING,
    POOL_DIRTY,
    POOL_MAPPED,
} Pool;

typedef struct Backing {
    Pool pool;
    uint64_t since_seq;     /* in this pool */
    uint8_t *dirty;         /* [unit of the group * blocks + block] */
    uint32_t *erases_of;    /* likewise */
    uint64_t erases;        /* of all its blocks */
    Job *eraser;
} Backing;

typedef enum StepKind {
    STEP_PART_DONE,     /* a sub-page piece has been transferred */
    STEP_PROGRAM_JOIN,  /* a page has been transferred */
    STEP_PROGRAM_END,
    STEP_SENSE_END,
    STEP_ERASE_END,
    STEP_SUSPEND,       /* a unit's array is free for reads */
    STEP_WAKE,          /* a job goes on, after all else at this time */
} StepKind;

typedef struct Step {
    StepKind kind;
    uint64_t at_ns;
    uint64_t seq;
    Cmd *cmd;
    Job *job;
    uint32_t zone_idx;
    uint32_t life;
    uint64_t page;
    uint64_t transfer_ns;
    uint64_t program_seq;
    uint32_t unit;          /* at whose array it is, or that holds its data */
    uint32_t channel;       /* of a program that waits for a register */
    bool data;              /* of a program: the host's */
    bool holds_unit;        /* a transfer that the array waits for */
    uint64_t visit;         /* to an array */
    bool pending;           /* the step of its end, which moves, is known */
} Step;

/* A flash unit: the steps that wait for it; their at_ns is a duration yet. */
typedef struct Unit {
    GQueue reads;       /* Step; if they go first */
    GQueue works;       /* Step */
    GQueue loads;       /* Step: programs that wait for a register */
    unsigned loaded;    /* registers that are taken */
    unsigned reads_served;  /* in a row */
    bool busy;
    Step running;
    uint64_t until_ns;
    bool suspending;    /* at point_ns, ... */
    uint64_t point_ns;
    bool suspended;     /* since then: ... */
    Step rest;          /* ... this is still to be done, ... */
    uint64_t rest_ns;   /* ... for so long */
} Unit;

struct Model {
    SsdParams p;
    Rules rules[MODEL_MAX_NAMESPACES];
    uint64_t now_ns;
    uint64_t seq;
    uint64_t zone_pages;
    uint64_t sense_bytes;   /* of a page, at a time */
    uint32_t zone_units;
    uint64_t *channel_ns;
    Unit *unit;
    uint8_t **programmed;   /* per zone, per page of its present life */
    uint32_t *life;         /* per zone: resets so far */
    GArray *steps;
    GArray *host_programs;  /* seq of those that have not ended */
    GPtrArray *flushes;
    GQueue *zone_writes;    /* per zone: Cmd that have not written yet */
    GQueue *zone_jobs;      /* per zone, in order of submission */
    GQueue select_all;      /* Cmd, in order of submission */
    GQueue look_at;         /* zones + 1 in which a job may be able to start */
    bool settling;
    uint32_t group_count;
    uint64_t blocks;        /* of a superblock on each unit */
    GArray *backing;        /* Backing */
    int *backing_of;        /* per zone, or -1 */
    GQueue to_erase;        /* in the background: superblock + 1 */
    unsigned erasing;       /* in the background */
    unsigned host_io;       /* commands inside that move data */
    bool host_io_seen;
    uint64_t host_io_left_ns;
    GQueue done;            /* SsdDone */
    unsigned inflight;
};

typedef struct Place {
    uint32_t channel;
    uint32_t unit;
} Place;

/* model.c: finish a zone of `rules` for no command. */
void model_excursion(Model *m, Rules *rules, uint32_t zone_idx);

/*
 * model_watch.c. Look after each change of rules; run at the time of the next
 * limit, when all steps up to then have been made.
 */
void model_watch_look(Model *m);
void model_watch_run(Model *m);

/* model.c: one of the job's operations has ended; it goes on. */
void model_job_advance(Model *m, Job *job);
void model_part_done(Model *m, Cmd *cmd);

/* model_flash.c */
Place model_place(const Model *m, uint32_t zone_idx, uint64_t page);
/* On which unit of its group a page of a zone lies, and which that is. */
uint64_t model_position(const Model *m, uint32_t zone_idx, uint64_t page);
Place model_place_at(const Model *m, uint32_t group, uint64_t position);
uint64_t model_book(Model *m, uint32_t channel, uint64_t take_ns);
void model_add_step(Model *m, Step step);

/* model_unit.c */
/* The array is free: what comes next? */
void model_unit_next(Model *m, uint32_t unit_idx);
/* Let `step` happen when its unit has worked on it for `take_ns`. */
void model_unit_join(Model *m, uint32_t unit_idx, uint64_t take_ns, Step step);
void model_unit_suspended(Model *m, uint32_t unit_idx);
/* Is this the end of what the array does, and has it not been put off? */
bool model_unit_ends(Model *m, const Step *step);
/*
 * Let a program's data cross the channel in `take_ns`, when there is a register
 * for them; at its end it gives that to the next.
 */
void model_unit_load(Model *m, Place where, uint64_t take_ns, Step step);
void model_unit_unload(Model *m, uint32_t unit_idx);
void model_put_pages(Model *m, Cmd *cmd);
void model_commit_pages(Model *m, Cmd *cmd);
void model_start_read(Model *m, Cmd *cmd, Piece piece);
void model_fill_chunk(Model *m, Job *job);

/* model_erase.c */
void model_erase_init(Model *m);
void model_erase_free(Model *m);
/* The zone's blocks are dirty: the job erases them, or nobody yet. */
void model_erase_begin(Model *m, Job *job);
bool model_erase_has_more(const Model *m, const Job *job);
void model_erase_step(Model *m, Job *job);
void model_erase_end(Model *m, Job *job);
void model_background_ended(Model *m);
/* See that a page's block is erased before; `cmd` or `job` programs it. */
void model_before_program(Model *m, uint32_t zone_idx, uint64_t page, Cmd *cmd,
                          Job *job);

#endif
