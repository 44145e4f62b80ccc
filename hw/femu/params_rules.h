/*
 * Rules between parameters: what ssd_params_check() asks beside the ranges.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only compares numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PARAMS_RULES_H
#define FEMU_PARAMS_RULES_H

#include "params.h"

/* `text` is what the documentation says of the rule. */
typedef struct SsdParamRule {
    bool (*holds)(const SsdParams *params, GError **error);
    const char *text;
} SsdParamRule;

/* In the order in which they are checked; *count receives how many. */
const SsdParamRule *params_rules(unsigned *count);

#endif
