/*
 * Parameters for those who use them: setting one by name.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only holds numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params.h"

#include <string.h>

#include "params_table.h"
#include "params_text.h"

static bool set_row(SsdParams *params, const SsdParamInfo *info,
                    const char *text, GError **error)
{
    uint64_t value;
    const char *wrong = ssd_param_row_parse(info, text, &value);

    if (wrong) {
        g_autofree char *min = ssd_param_row_text(info, info->min);
        g_autofree char *max = ssd_param_row_text(info, info->max);

        if (info->type == SSD_PARAM_TYPE_BOOL) {
            g_set_error(error, SSD_PARAMS_ERROR, 0, "%s=%s: '%s' %s",
                        info->name, text, text, wrong);
        } else if (info->type == SSD_PARAM_TYPE_ENUM) {
            g_set_error(error, SSD_PARAMS_ERROR, 0,
                        "%s=%s: '%s' %s; must be one of %s", info->name, text,
                        text, wrong, info->unit);
        } else {
            g_set_error(error, SSD_PARAMS_ERROR, 0,
                        "%s=%s: '%s' %s; must be %s to %s %s", info->name,
                        text, text, wrong, min, max, info->unit);
        }
        return false;
    }
    if (!params_check_range(info, value, error)) {
        return false;
    }
    params_put(params, info, value);
    return true;
}

bool ssd_params_set(SsdParams *params, const char *name, const char *text,
                    GError **error)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);
    const char *nearest;

    for (unsigned i = 0; i < count; i++) {
        /* The first letters differ mostly; a state names all rows. */
        if (g_str_equal(table[i].name, name)) {
            return set_row(params, &table[i], text, error);
        }
    }
    nearest = ssd_params_nearest(name, NULL);
    if (nearest) {
        g_set_error(error, SSD_PARAMS_ERROR, 0,
                    "%s=%s: no parameter '%s'; did you mean '%s'?", name,
                    text, name, nearest);
    } else {
        g_set_error(error, SSD_PARAMS_ERROR, 0,
                    "%s=%s: no parameter '%s'; see docs/parameters.md", name,
                    text, name);
    }
    return false;
}
