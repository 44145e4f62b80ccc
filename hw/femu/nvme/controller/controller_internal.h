/*
 * What the files of this room need of each other.
 *
 * Knows nothing of registers but CC.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_CONTROLLER_CONTROLLER_INTERNAL_H
#define FEMU_NVME_CONTROLLER_CONTROLLER_INTERNAL_H

#include "controller.h"

/* femu_ctrl.c */
void femu_ctrl_run(FemuZns *n);
void femu_ctrl_hard_reset(FemuZns *n);

/* femu_shutdown.c */
void femu_shutdown_begin(FemuZns *n);
void femu_shutdown_run(FemuZns *n);
void femu_shutdown_ctrl_reset(FemuZns *n);

/* femu_time.c: all that can be done now, and when to look again. */
void femu_time_run(FemuZns *n);

#endif
