/*
 * A drive that moves into another QEMU: by migration, or by a snapshot.
 *
 * Knows nothing of what the drive does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_MIGRATION_MIGRATION_H
#define FEMU_NVME_MIGRATION_MIGRATION_H

#include "migration/vmstate.h"
#include "../state/femu.h"

extern const VMStateDescription femu_vmstate;

/* With a state (state=) a drive cannot move: say so to whoever asks. */
bool femu_migration_init(FemuZns *n, Error **errp);
void femu_migration_exit(FemuZns *n);

#endif
