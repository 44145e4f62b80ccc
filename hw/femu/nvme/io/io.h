/*
 * I/O commands.
 *
 * Knows nothing of queues but that they have a number.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_IO_IO_H
#define FEMU_NVME_IO_IO_H

#include "../state/femu.h"

/*
 * Return: status without DNR, or NVME_NO_COMPLETE when the completion comes
 * later.
 */
uint16_t femu_io_execute(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd);

#endif
