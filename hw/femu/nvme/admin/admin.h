/*
 * Admin commands, and what two of them leave behind: features, a format that
 * lasts.
 *
 * Knows nothing of how commands are fetched.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_ADMIN_ADMIN_H
#define FEMU_NVME_ADMIN_ADMIN_H

#include "../state/femu.h"

/*
 * Return: status without DNR, or NVME_NO_COMPLETE when the completion comes
 * later.
 */
uint16_t femu_admin_execute(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd,
                            uint64_t *result);
bool femu_admin_needs_slot(const FemuZns *n, const NvmeCmd *cmd);

/* femu_feature.c */
void femu_features_reset(FemuZns *n);

/* femu_format.c: Format NVM while it lasts. */
void femu_format_run(FemuZns *n);
void femu_format_power_cut(FemuZns *n);
void femu_format_ctrl_reset(FemuZns *n);

#endif
