/*
 * What a user on the host sees and sets while the drive runs: QOM properties.
 *
 * Knows nothing of commands or queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_USER_USER_H
#define FEMU_NVME_USER_USER_H

#include "../state/femu.h"

void femu_inject_class_init(ObjectClass *oc);
void femu_zone_state_class_init(ObjectClass *oc);
void femu_power_class_init(ObjectClass *oc);
void femu_stats_class_init(ObjectClass *oc);

#endif
