/*
 * All parameters together: their check, and their documentation.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only compares numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params_rules.h"
#include "params_table.h"
#include "params_text.h"

bool ssd_params_check(const SsdParams *params, GError **error)
{
    unsigned count, rule_count;
    const SsdParamInfo *table = ssd_params_table(&count);
    const SsdParamRule *rules;

    for (unsigned i = 0; i < count; i++) {
        uint64_t value = ssd_params_get(params, &table[i]);

        if (!params_check_range(&table[i], value, error)) {
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
    unsigned count, rule_count;
    const SsdParamInfo *table = ssd_params_table(&count);
    const SsdParamRule *rules;

    for (unsigned i = 0; i < count; i++) {
        markdown_row(out, &table[i]);
    }
    g_string_append(out, "\n## Rules between parameters\n\n");
    rules = params_rules(&rule_count);
    for (unsigned i = 0; i < rule_count; i++) {
        g_string_append_printf(out, "- %s\n", rules[i].text);
    }
    g_string_append(out, markdown_resolved);
    return g_string_free(out, FALSE);
}
