/*
 * Logs of I/O from elsewhere: fio's iolog (versions 2 and 3) and the text that
 * blkparse prints.
 *
 * Knows nothing of drives and of when the operations are sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_IOLOG_H
#define FEMU_SIM_IOLOG_H

#include "plan.h"

typedef struct SimIolog SimIolog;

typedef struct IologEntry {
    PlanOp op;
    uint64_t at_bytes; /* in the namespace */
    uint64_t bytes;    /* of management at most a zone, and without meaning */
    bool of_all_zones; /* management: whatever the place */
    uint64_t at_ns;    /* after the start; UINT64_MAX: when its turn comes */
} IologEntry;

/* Where operations can be. */
typedef struct IologPlaces {
    uint32_t lba_bytes;
    uint64_t zone_bytes;
    uint32_t zones; /* 0: a namespace without */
} IologPlaces;

/* Return: NULL and *error when there is no such file, or one of a version of
 * fio's iolog that is not known. */
SimIolog *sim_iolog_open(const char *path, GError **error);

/* Say on standard error what of the log, as far as it has been read, concerned
 * the drive, but cannot be sent to it. */
void sim_iolog_tell_passed(const SimIolog *iolog);

void sim_iolog_close(SimIolog *iolog);

/*
 * The next operation that concerns the drive's data. Its place and length
 * must be multiples of a block; of management its place is that of a zone, and
 * an append is in one.
 * Return: false at the end, and with *error naming file and line when a line
 * is not understood, is of another device than those before it or cannot be of
 * such places, or the file when it has no such operation at all.
 */
bool sim_iolog_next(SimIolog *iolog, const IologPlaces *places,
                    IologEntry *entry, GError **error);

#endif
