/*
 * Writes what lasts of a drive whose power has been cut: the folder of a state,
 * from which the device goes on (its state=).
 *
 * Knows nothing of when the power is cut.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_CUT_STATE_H
#define FEMU_SIM_CUT_STATE_H

#include "cut_walk.h"

/* Where it comes from, and where it goes. */
typedef struct CutState {
    const char *trace;   /* that has been walked */
    const char *journal; /* of the same run */
    const char *folder;  /* is made */
} CutState;

/*
 * Write the state of the walk's drive when it has lost its power at this point
 * with this seed; `up_at_ns` is when it has it back.
 * Return: false with *error if a file cannot be written, or the journal read.
 */
bool cut_state_write(const CutState *state, const CutWalk *walk,
                     uint64_t seed, uint64_t up_at_ns, GError **error);

#endif
