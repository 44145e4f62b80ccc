/*
 * The controller: its life, the one way into it, and all that an entry leaves
 * to be done.
 *
 * Knows nothing of registers but CC.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_CONTROLLER_CONTROLLER_H
#define FEMU_NVME_CONTROLLER_CONTROLLER_H

#include "../state/femu.h"

#define FEMU_MPS_MAX 4                  /* of CC.MPS: 64 KiB */

/* femu_ctrl.c: enable, reset, shutdown. */
void femu_ctrl_set_cc(FemuZns *n, uint32_t value);

/* femu_entry.c: the one way in. */
void femu_entry_begin(FemuZns *n);
void femu_entry_reset(FemuZns *n);
void femu_entry_end(FemuZns *n);
void femu_entry_leave(FemuZns *n);

/* femu_timer.c: the one timer. */
bool femu_time_init(FemuZns *n, Error **errp);
void femu_time_exit(FemuZns *n);
int64_t femu_timer_at_ns(const FemuZns *n);
void femu_timer_set(FemuZns *n, int64_t at_ns);

/* femu_thread.c: the thread of iothread=, if there is one. */
void femu_thread_unplug(FemuZns *n);

#endif
