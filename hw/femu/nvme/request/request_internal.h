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

/* femu_req.c */
void femu_req_forget_all(FemuZns *n);
uint32_t femu_req_zone_idx(const FemuZns *n, const SsdCmd *cmd);
void femu_req_free(FemuZns *n, const SsdDone *done);

/* femu_flush.c */
void femu_flushes_discard(FemuZns *n, const FemuSq *sq);

/* femu_power.c */
void femu_power_core_cut(FemuZns *n, uint64_t seed);
void femu_power_init(FemuZns *n);

/* femu_clock.c */
const char *femu_time_clock_name(void);
void femu_time_set(FemuZns *n, uint64_t now_ns);

#endif
