/*
 * What the files of this room need of each other; nobody is above them.
 *
 * Knows nothing of commands, zones or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_PCI_PCI_INTERNAL_H
#define FEMU_NVME_PCI_PCI_INTERNAL_H

#include "../state/femu.h"

/* femu_prop.c: a parameter that is one of several words, or a number. */
extern const PropertyInfo femu_prop_word;
extern const PropertyInfo femu_prop_u32;
extern const PropertyInfo femu_prop_u64;

/* femu_regs.c: BAR 0. */
void femu_regs_init(FemuZns *n);

/* femu_serial.c: the serial number, which no other drive has. */
bool femu_serial_init(FemuZns *n, Error **errp);

#endif
