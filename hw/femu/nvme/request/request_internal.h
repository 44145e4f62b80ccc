/*
 * What the files of this room need of each other.
 *
 * Knows nothing of opcodes, host memory or data.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_REQUEST_REQUEST_INTERNAL_H
#define FEMU_NVME_REQUEST_REQUEST_INTERNAL_H

#include "request.h"

/* femu_clock.c */
const char *femu_time_clock_name(void);

/* femu_trace_file.c */
uint64_t femu_trace_submit(FemuZns *n, const SsdCmd *cmd, SsdStatus status);
void femu_trace_done(FemuZns *n, uint64_t seq, const SsdDone *done);
void femu_trace_discard(FemuZns *n, uint64_t seq);

#endif
