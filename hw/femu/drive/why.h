/*
 * Inside drive/: what why.c uses of why_flash.c. Nobody else includes this.
 *
 * Knows nothing of what was before or comes after.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_WHY_H
#define FEMU_WHY_H

#include "../ssd_why.h"
#include "drive.h"

/* Clocks of the flash, and what each has booked: see why_served(). */
typedef struct WhyClocks WhyClocks;

/* An operation that the command waits for, as it was when that was found. */
typedef struct WhyOp {
    uint32_t token_idx;
    uint64_t at_ns; /* its event; UINT64_MAX: it has none */
    FlashToken token;
} WhyOp;

typedef struct Why {
    const Ssd *ssd;
    uint64_t now_ns;
    uint32_t command_idx; /* the command that is asked about */
    bool *is_inside;      /* [slot] */
    bool *job_free;       /* [job]; NULL: nobody has asked yet */
    WhyClocks *clocks;
    GArray *ops;          /* of WhyOp: the operations among the causes */
    unsigned own_jobs;    /* that are in a queue */
    bool drains;          /* it is a reset that waits for units' programs */
    bool awaits;          /* it waits for programs of epochs ... */
    uint32_t until_epoch; /* ... from the oldest to this one */
    GArray *causes;       /* of SsdCause */
} Why;

/* why_clocks.c */
WhyClocks *why_clocks_new(const Ssd *ssd);
void why_clocks_free(WhyClocks *clocks);

/* When the event of that name comes, UINT64_MAX if there is none. */
uint64_t why_event_at_ns(const Why *why, uint32_t payload);
/* The same of all operations of the flash, [token]; free it. */
uint64_t *why_token_events(const Why *why);
/*
 * Whom the clock serves where this operation waits, its channel or the
 * controller's issue, and until when. What waits there waits for somebody.
 */
const FlashToken *why_served(Why *why, const FlashToken *waiting,
                             uint64_t *until_ns);

/* why.c */
/*
 * Look where the command with that tag is; command_idx is SSD_NONE if it is
 * not inside. `ssd`, `causes`, `ops` and `clocks` are the caller's, both arrays
 * empty, and command_idx where it may be, or SSD_NONE.
 */
void why_look(Why *why, uint32_t tag);

/* why_flash.c */
/* until_ns 0 means UINT64_MAX. */
void why_add(Why *why, const SsdCause *cause);
/* The operation is a cause; at_ns is that of its event, or UINT64_MAX. */
void why_add_op(Why *why, uint32_t token_idx, uint64_t at_ns);
/* A flush waits for epochs, a reset that drains for programs of units. */
void why_find_epoch(Why *why);

/* Who that is. */
SsdWho why_command(const Why *why, uint32_t command_idx);
SsdWho why_job(const Why *why, uint32_t job_idx);
SsdWho why_owner(const Why *why, const FlashOp *op);

/* Is it a job of the command? */
bool why_is_own_job(Why *why, uint32_t job_idx);
/* Does the command wait for a program of this epoch on the unit? */
bool why_awaits(const Why *why, uint32_t epoch, uint32_t unit_idx);

/* What the array of a unit does; NULL: nothing. */
const FlashToken *why_running(const Why *why, uint32_t unit_idx);
/* The part waits for what the unit does. */
void why_at_unit(Why *why, SsdPlace place, uint32_t unit_idx,
                 uint32_t part_id);

/* Add all operations of the flash that the command waits for. */
void why_find_ops(Why *why);

#endif
