/*
 * The drive behind ssd.h: its clock, commands that are inside, recording,
 * statistics.
 *
 * Knows nothing of opcodes, host memory or data.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_REQUEST_REQUEST_H
#define FEMU_NVME_REQUEST_REQUEST_H

#include "../state/femu.h"

/* femu_clock.c: when it is. */
void femu_time_enter(FemuZns *n);
int64_t femu_time_of(const FemuZns *n, uint64_t core_ns);

/* femu_req.c: commands inside the core. */
void femu_req_init(FemuZns *n);
void femu_req_exit(FemuZns *n);
uint16_t femu_req_submit(FemuZns *n, FemuSq *sq, uint16_t cid,
                         const SsdCmd *cmd, uint64_t *lba, FemuReq **req);
uint16_t femu_req_answered(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd,
                           const SsdCmd *asked, uint64_t result);
void femu_req_submit_shutdown(FemuZns *n);
void femu_req_submit_format(FemuZns *n, FemuNs *ns, const SsdCmd *cmd);
void femu_req_flush(FemuZns *n);
void femu_req_discard(FemuZns *n, const FemuSq *sq);
void femu_req_deliver_due(FemuZns *n);
void femu_req_told(FemuZns *n);

/* femu_flush.c: what is completed behind a flush. */
bool femu_cache_is_volatile(const FemuZns *n);
bool femu_cache_writes_through(const FemuZns *n, bool fua);
void femu_flush_first(FemuZns *n, FemuSq *sq, uint16_t cid, uint64_t result);

/* femu_power.c: the power goes, and comes back. */
void femu_power_cut(FemuZns *n);
bool femu_power_cut_due(FemuZns *n);
uint64_t femu_power_next_at_ns(const FemuZns *n);
void femu_power_go_on(FemuZns *n);
bool femu_power_is_back(const FemuZns *n);

/* femu_stats.c: statistics for log page, feature and QOM. */
char *femu_stats_json(FemuZns *n);
void femu_stats_reset(FemuZns *n);

/* femu_restore.c: the core as a state has it. */
bool femu_restore(FemuZns *n, Error **errp);

#endif
