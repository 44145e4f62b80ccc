/*
 * The parameter table at run time: rows, one value of a row, defaults, and the
 * words for a value that is wrong.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only holds numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params_table.h"

#include <inttypes.h>
#include <string.h>

#include "params_text.h"

G_DEFINE_QUARK(ssd-params-error, ssd_params_error)

static const SsdParamInfo params_table[] = {
#define SSD_PARAM_ROW(type_, field_, name_, default_, min_, max_, unit_,      \
                      help_)                                                  \
    {                                                                         \
        .name = name_,                                                        \
        .unit = unit_,                                                        \
        .help = help_,                                                        \
        .type = SSD_PARAM_TYPE_##type_,                                       \
        .offset_bytes = offsetof(SsdParams, field_),                          \
        .default_value = default_,                                            \
        .min = min_,                                                          \
        .max = max_,                                                          \
    },
    SSD_PARAMS(SSD_PARAM_ROW)
#undef SSD_PARAM_ROW
};

const SsdParamInfo *ssd_params_table(unsigned *count)
{
    *count = G_N_ELEMENTS(params_table);
    return params_table;
}

uint64_t ssd_params_get(const SsdParams *params, const SsdParamInfo *info)
{
    const char *field = (const char *)params + info->offset_bytes;

    switch (info->type) {
    case SSD_PARAM_TYPE_U32:
    case SSD_PARAM_TYPE_ENUM:
        return *(const uint32_t *)field;
    case SSD_PARAM_TYPE_U64:
    case SSD_PARAM_TYPE_SIZE:
        return *(const uint64_t *)field;
    case SSD_PARAM_TYPE_BOOL:
        return *(const bool *)field;
    }
    g_assert_not_reached();
}

void params_put(SsdParams *params, const SsdParamInfo *info, uint64_t value)
{
    char *field = (char *)params + info->offset_bytes;

    switch (info->type) {
    case SSD_PARAM_TYPE_U32:
    case SSD_PARAM_TYPE_ENUM:
        *(uint32_t *)field = value;
        return;
    case SSD_PARAM_TYPE_U64:
    case SSD_PARAM_TYPE_SIZE:
        *(uint64_t *)field = value;
        return;
    case SSD_PARAM_TYPE_BOOL:
        *(bool *)field = value;
        return;
    }
    g_assert_not_reached();
}

void ssd_params_defaults(SsdParams *params)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        params_put(params, &params_table[i], params_table[i].default_value);
    }
}

bool params_error(GError **error, const char *name, uint64_t value,
                  const char *format, ...)
{
    g_autofree char *text = NULL;
    g_autofree char *reason = NULL;
    const SsdParamInfo *info = NULL;
    va_list args;

    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        if (g_str_equal(params_table[i].name, name)) {
            info = &params_table[i];
        }
    }
    g_assert(info != NULL);
    text = ssd_param_row_text(info, value);
    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    if (info->type != SSD_PARAM_TYPE_SIZE ||
        g_ascii_isdigit(text[strlen(text) - 1])) {
        g_set_error(error, SSD_PARAMS_ERROR, 0, "%s=%s: %s", name, text,
                    reason);
    } else {
        g_set_error(error, SSD_PARAMS_ERROR, 0, "%s=%s (%" PRIu64 "): %s",
                    name, text, value, reason);
    }
    return false;
}

bool params_check_range(const SsdParamInfo *info, uint64_t value,
                        GError **error)
{
    g_autofree char *min = NULL;
    g_autofree char *max = NULL;

    if (info->type == SSD_PARAM_TYPE_BOOL ||
        (value >= info->min && value <= info->max)) {
        return true;
    }
    if (info->type == SSD_PARAM_TYPE_ENUM) {
        g_set_error(error, SSD_PARAMS_ERROR, 0,
                    "%s=%" PRIu64 ": must be one of %s", info->name, value,
                    info->unit);
        return false;
    }
    min = ssd_param_row_text(info, info->min);
    max = ssd_param_row_text(info, info->max);
    return params_error(error, info->name, value,
                        "out of range, must be %s to %s %s", min, max,
                        info->unit);
}
