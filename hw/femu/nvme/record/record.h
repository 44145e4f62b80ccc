/*
 * What is recorded: a trace, for femu-sim, and with a state its history, which
 * is a trace as well; and what else lasts.
 *
 * Knows nothing of commands' meaning, or of when things are recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_RECORD_RECORD_H
#define FEMU_NVME_RECORD_RECORD_H

#include "../state/femu.h"

/* femu_record.c: trace and history. */
bool femu_trace_open(FemuZns *n, Error **errp);
void femu_record_close(FemuZns *n);
uint64_t femu_trace_submit(FemuZns *n, const SsdCmd *cmd, SsdStatus status);
void femu_trace_done(FemuZns *n, uint64_t seq, const SsdDone *done);
void femu_trace_discard(FemuZns *n, uint64_t seq);
void femu_trace_zone_fail(FemuZns *n, uint32_t nsid, uint32_t zone_idx,
                          SsdZoneState state);
void femu_trace_power_cut(FemuZns *n, uint64_t seed);
void femu_trace_format(FemuZns *n, uint32_t nsid, uint32_t lba_bytes);
void femu_record_own_change(FemuZns *n);
bool femu_history_flush(FemuZns *n);
bool femu_record_rename(const char *from, const char *to, GError **error);

/* femu_record_file.c: one file, one writer. */
bool femu_record_take(const FemuZns *n, const char *name, const char *path,
                      int *lock_fd, Error **errp);
bool femu_record_lock(const char *path, int *lock_fd);
void femu_record_release(int *lock_fd);

/* femu_record_status.c: QEMU's exit status, if a record is not whole. */
void femu_record_status_init(void);
void femu_record_lost(void);

/* femu_journal.c: all bytes that data and kept are given. */
bool femu_journal_open(FemuZns *n, Error **errp);
void femu_journal_submitted(FemuZns *n);
void femu_journal_kept_bytes(FemuZns *n, const void *at, uint64_t bytes);
void femu_journal_close(FemuZns *n);

/* femu_trace_move.c: a trace that goes on in another QEMU. */
bool femu_trace_can_move(const FemuZns *n, Error **errp);
bool femu_trace_flush(FemuZns *n, Error **errp);
bool femu_trace_go_on(FemuZns *n, const char *path, Error **errp);

/* femu_state_folder.c: the files of a state. */
#define FEMU_HISTORY "history"
#define FEMU_HISTORY_BEGUN "history.new" /* its name until it is whole */
bool femu_sums_begin(FemuZns *n, GError **error);
bool femu_sums_go_back(FemuZns *n, uint64_t bytes, GError **error);
void femu_sums_end(FemuZns *n);
bool femu_kept_init(FemuZns *n, Error **errp);
void femu_kept_begin(FemuZns *n);
void femu_kept_exit(FemuZns *n);
uint8_t *femu_kept_extensions(const FemuZns *n);
bool femu_kept_sync(FemuZns *n, GError **error);
bool femu_state_begun(FemuZns *n, GError **error);
bool femu_state_data(FemuZns *n, uint64_t bytes, int *fd, Error **errp);
bool femu_state_sums(FemuZns *n, int *fd, Error **errp);
char *femu_state_file(const FemuZns *n, const char *name);
bool femu_has_state(const FemuZns *n);
bool femu_state_is_new(const FemuZns *n);
bool femu_state_is_of_drive(const FemuZns *n, const SsdParams *params,
                            Error **errp);

#endif
