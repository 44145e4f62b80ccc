/*
 * The parameter table at run time: defaults, setting one by name, what 0 stands
 * for, and the documentation.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only holds numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params.h"

#include <inttypes.h>
#include <string.h>

#include "params_rules.h"
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

/* --- One value ----------------------------------------------------------- */

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

/* Store `value`, which must fit the row's type. */
static void params_put(SsdParams *params, const SsdParamInfo *info,
                       uint64_t value)
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

/* --- Setting one by name, within its range -------------------------------- */

bool params_error(GError **error, const char *name, uint64_t value,
                  const char *format, ...)
{
    g_autofree char *text = NULL;
    g_autofree char *reason = NULL;
    bool is_size = false;
    va_list args;

    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        if (g_str_equal(params_table[i].name, name)) {
            text = ssd_param_row_text(&params_table[i], value);
            is_size = params_table[i].type == SSD_PARAM_TYPE_SIZE;
        }
    }
    g_assert(text != NULL);
    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    if (!is_size || g_ascii_isdigit(text[strlen(text) - 1])) {
        g_set_error(error, SSD_PARAMS_ERROR, 0, "%s=%s: %s", name, text,
                    reason);
    } else {
        g_set_error(error, SSD_PARAMS_ERROR, 0, "%s=%s (%" PRIu64 "): %s",
                    name, text, value, reason);
    }
    return false;
}

static bool check_range(const SsdParamInfo *info, uint64_t value,
                        GError **error)
{
    g_autofree char *min = ssd_param_row_text(info, info->min);
    g_autofree char *max = ssd_param_row_text(info, info->max);

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
    return params_error(error, info->name, value,
                        "out of range, must be %s to %s %s", min, max,
                        info->unit);
}

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
    if (!check_range(info, value, error)) {
        return false;
    }
    params_put(params, info, value);
    return true;
}

bool ssd_params_set(SsdParams *params, const char *name, const char *text,
                    GError **error)
{
    const char *nearest;

    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        if (g_str_equal(params_table[i].name, name)) {
            return set_row(params, &params_table[i], text, error);
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

/* --- Checking all ------------------------------------------------------- */

bool ssd_params_check(const SsdParams *params, GError **error)
{
    const SsdParamRule *rules;
    unsigned rule_count;

    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        const SsdParamInfo *info = &params_table[i];

        if (!check_range(info, ssd_params_get(params, info), error)) {
            return false;
        }
    }
    rules = params_rules(&rule_count);
    for (unsigned i = 0; i < rule_count; i++) {
        if (!rules[i].holds(params, error)) {
            return false;
        }
    }
    return true;
}

/* --- What 0 stands for --------------------------------------------------- */

/*
 * ZNS 1.1 section 2.1.1.4: an open zone holds an active resource too, so MOR
 * may not exceed MAR; Linux 6.12 refuses a drive that says otherwise, and "no
 * limit" would. A limit above a namespace's zones can never be reached.
 */
static void resolve_limits(SsdParams *p)
{
    uint32_t zones = p->zones / p->namespaces;

    p->max_open = MIN(p->max_open, zones);
    p->max_active = MIN(p->max_active, zones);
    if (p->max_open == 0) {
        p->max_open = p->max_active;
    }
    /* TP 4076b: only active zones have a ZRWA. */
    p->max_zrwa = MIN(p->max_zrwa, p->max_active ? p->max_active : zones);
    if (p->max_zrwa == 0) {
        p->max_zrwa = p->max_active ? p->max_active : zones;
    }
}

void ssd_params_resolve(SsdParams *p)
{
    resolve_limits(p);
    p->zone_capacity_bytes = p->zone_capacity_bytes ? p->zone_capacity_bytes :
                             p->zone_size_bytes;
    p->zone_channels = p->zone_channels ? p->zone_channels : p->channels;
    p->zone_ways = p->zone_ways ? p->zone_ways : p->ways;
    p->zone_dies = p->zone_dies ? p->zone_dies : p->dies;
    p->zone_planes = p->zone_planes ? p->zone_planes : p->planes;
    p->read_granule_bytes = p->read_granule_bytes ? p->read_granule_bytes :
                            p->page_bytes;
    p->program_transfer_ns = p->program_transfer_ns ? p->program_transfer_ns :
                             p->page_transfer_ns;
    p->buffer_resume_waiters = p->buffer_resume_waiters
                               ? p->buffer_resume_waiters
                               : p->buffer_waiters - 1;
    p->zone_buffer_bytes = p->zone_buffer_bytes ? p->zone_buffer_bytes :
                           p->write_buffer_bytes;
    /* With a write buffer 0 stays: all of a zone is beyond the row's range. */
    if (p->finish_chunk_bytes == 0 && p->write_buffer_bytes == 0) {
        p->finish_chunk_bytes = ssd_params_program_bytes(p);
    }
    p->zasl_bytes = p->zasl_bytes ? p->zasl_bytes : p->mdts_bytes;
    p->wzsl_bytes = p->wzsl_bytes ? p->wzsl_bytes : p->mdts_bytes;
    p->zrwa_granule_bytes = p->zrwa_granule_bytes ? p->zrwa_granule_bytes :
                            p->page_bytes;
}

/* --- Documentation ------------------------------------------------------- */

static const char markdown_head[] =
    "# Parameters of a drive\n"
    "\n"
    "Made by `femu-sim params --markdown` from the table in\n"
    "`hw/femu/params.h`; a test fails when this file is out of date.\n"
    "\n"
    "They are properties of the QEMU device `femu-zns`, keys of its section\n"
    "in a configuration file, and names for `femu-sim --set`:\n"
    "\n"
    "```\n"
    "qemu-system-x86_64 -readconfig configs/zn540.cfg "
    "-set device.zns0.channels=4 ...\n"
    "femu-sim run --config configs/zn540.cfg --set channels=4\n"
    "```\n"
    "\n"
    "Sizes take a binary suffix: `4096`, `16K`, `1.5G`. Times are whole\n"
    "nanoseconds.\n"
    "\n"
    "| name | default | range | unit | meaning |\n"
    "|---|---|---|---|---|\n";

static const char markdown_resolved[] =
    "\n"
    "## Limits of open and active zones\n"
    "\n"
    "Each namespace has limits of its own. One above `zones` / `namespaces`\n"
    "means all of its zones. `max-open=0` together with a `max-active` means\n"
    "as many as `max-active`, because an open zone is active. These are the\n"
    "numbers that a namespace reports as MOR and MAR.\n";

static void markdown_row(GString *out, const SsdParamInfo *info)
{
    g_autofree char *value = ssd_param_row_text(info, info->default_value);
    g_autofree char *min = ssd_param_row_text(info, info->min);
    g_autofree char *max = ssd_param_row_text(info, info->max);
    bool is_enum = info->type == SSD_PARAM_TYPE_ENUM;

    g_string_append_printf(out, "| `%s` | %s | ", info->name, value);
    if (info->type == SSD_PARAM_TYPE_BOOL) {
        g_string_append(out, "on, off");
    } else if (is_enum) {
        g_string_append(out, info->unit);
    } else {
        g_string_append_printf(out, "%s to %s", min, max);
    }
    g_string_append_printf(out, " | %s | %s |\n", is_enum ? "" : info->unit,
                           info->help);
}

char *ssd_params_markdown(void)
{
    GString *out = g_string_new(markdown_head);
    const SsdParamRule *rules;
    unsigned rule_count;

    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        markdown_row(out, &params_table[i]);
    }
    g_string_append(out, "\n## Rules between parameters\n\n");
    rules = params_rules(&rule_count);
    for (unsigned i = 0; i < rule_count; i++) {
        g_string_append_printf(out, "- %s\n", rules[i].text);
    }
    g_string_append(out, markdown_resolved);
    return g_string_free(out, FALSE);
}
