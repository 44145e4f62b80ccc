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

typedef struct Why {
    const Ssd *ssd;
    uint64_t now_ns;
    uint32_t command_idx; /* the command that is asked about */
    bool *is_inside;      /* [slot] */
    bool *job_free;       /* [job] */
    bool *token_free;     /* [token] */
    uint64_t *token_at_ns; /* [token]: its event; UINT64_MAX: it has none */
    /* Who is served now; FLASH_NONE: nobody. */
    uint32_t *on_channel; /* [channel]: the token that is transferred */
    uint32_t issued_idx;  /* the token that the controller issues */
    bool drains;          /* it is a reset that waits for units' programs */
    bool awaits;          /* it waits for programs of epochs ... */
    uint32_t until_epoch; /* ... from the oldest to this one */
    GArray *causes;       /* of SsdCause */
} Why;

/* why_flash.c */
/* until_ns 0 means UINT64_MAX. */
void why_add(Why *why, const SsdCause *cause);
void why_begin(Why *why);
void why_end(Why *why);

/* When the event of that name comes, UINT64_MAX if there is none. */
uint64_t why_event_at_ns(const Why *why, uint32_t payload);

/* Who that is. */
SsdWho why_command(const Why *why, uint32_t command_idx);
SsdWho why_job(const Why *why, uint32_t job_idx);
SsdWho why_owner(const Why *why, const FlashOp *op);

/* Is it a job of the command? */
bool why_is_own_job(const Why *why, uint32_t job_idx);
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
