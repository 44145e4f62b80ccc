/*
 * Gives what a trace records to a drive.
 *
 * Knows nothing of what the drive makes of it, or of when the caller polls.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_FEED_H
#define FEMU_SIM_FEED_H

#include "common/error.h"
#include "ssd_trace.h"

/* A drive in which a command's tag is the low word of its number. */
typedef struct Feed {
    Ssd *ssd;
    uint64_t now_ns;
    bool was_accepted; /* the last command */
    uint64_t lba;      /* where its data are */
} Feed;

/*
 * The drive has been run to the record's instant. DONE and DISCARD records, and
 * the END, change nothing. A power cut makes another drive.
 * Return: false with *error if no drive can have recorded that.
 */
bool feed_record(Feed *feed, const SsdTraceRecord *record, GError **error);

#endif
