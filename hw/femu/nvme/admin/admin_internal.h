/*
 * Admin commands that have files of their own, and their parts. They return
 * what femu_admin_execute() does.
 *
 * Knows nothing of how they are told apart.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_ADMIN_ADMIN_INTERNAL_H
#define FEMU_NVME_ADMIN_ADMIN_INTERNAL_H

#include "admin.h"

uint16_t femu_identify(FemuZns *n, const NvmeCmd *cmd);
uint16_t femu_identify_ns(FemuZns *n, const NvmeIdentify *cmd, void *buf);
uint16_t femu_get_log(FemuZns *n, const NvmeCmd *cmd);
uint16_t femu_get_features(FemuZns *n, const NvmeCmd *cmd, uint64_t *result);
uint16_t femu_set_features(FemuZns *n, const NvmeCmd *cmd, uint64_t *result);
uint16_t femu_format(FemuZns *n, const NvmeCmd *cmd);
uint16_t femu_ns_attachment(FemuZns *n, const NvmeCmd *cmd);

/* femu_feature.c, femu_feature_data.c */
uint32_t femu_feature_effects(const FemuZns *n, uint8_t fid);
bool femu_feature_has_data(uint8_t fid);
uint16_t femu_feature_data_get(FemuZns *n, const NvmeCmd *cmd, uint8_t fid,
                               const FemuFeatures *values);
uint16_t femu_feature_data_set(FemuZns *n, const NvmeCmd *cmd, uint8_t fid);

#endif
