/*
 * Where a drive's parameters come from on femu-sim's command line, and the
 * command that prints them.
 *
 * Knows nothing of what the parameters mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/config_file.h"
#include "params_text.h"

/* --- Options ------------------------------------------------------------- */

void sim_add_drive_options(GOptionContext *context, SimDriveOptions *options)
{
    const GOptionEntry entries[] = {
        {"config", 'c', 0, G_OPTION_ARG_FILENAME, &options->config,
         "Read the drive's parameters from FILE, as QEMU's -readconfig does",
         "FILE"},
        {"device", 0, 0, G_OPTION_ARG_STRING, &options->device,
         "Which drive of the file, if there are several", "ID"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options->set,
         "Set a parameter (docs/parameters.md); may be repeated",
         "NAME=VALUE"},
        {0},
    };

    g_option_context_add_main_entries(context, entries, NULL);
}

void sim_drive_options_clear(SimDriveOptions *options)
{
    g_free(options->config);
    g_free(options->device);
    g_strfreev(options->set);
}

bool sim_parse_options(GOptionContext *context, int *argc, char ***argv,
                       const char *argument, GError **error)
{
    int wanted = argument ? 1 : 0;

    if (!g_option_context_parse(context, argc, argv, error)) {
        return false;
    }
    if (*argc - 1 > wanted) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "unexpected argument '%s'",
                    (*argv)[wanted + 1]);
        return false;
    }
    if (*argc - 1 < wanted) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s is missing", argument);
        return false;
    }
    return true;
}

bool sim_parse_number(const char *option, SsdParamType type, const char *text,
                      uint64_t min, uint64_t max, uint64_t *value,
                      GError **error)
{
    const char *wrong = ssd_param_parse(type, text, value);
    g_autofree char *min_text = NULL;
    g_autofree char *max_text = NULL;

    if (!wrong && *value >= min && *value <= max) {
        return true;
    }
    min_text = ssd_param_value_text(type, min);
    max_text = ssd_param_value_text(type, max);
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s=%s: '%s' %s; must be %s to %s",
                option, text, text, wrong ? wrong : "is out of range",
                min_text, max_text);
    return false;
}

/* --- Parameters ---------------------------------------------------------- */

static bool apply_setting(SsdParams *params, const char *setting,
                          bool for_qemu, GError **error)
{
    const char *equals = strchr(setting, '=');
    g_autofree char *name = NULL;
    bool good;

    if (!equals) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0,
                    "--set %s: must be NAME=VALUE, such as channels=4",
                    setting);
        return false;
    }
    name = g_strndup(setting, (gsize)(equals - setting));
    good = for_qemu && config_file_is_device_key(name)
           ? config_file_check_device_key(name, equals + 1, error)
           : ssd_params_set(params, name, equals + 1, error);
    if (!good) {
        g_prefix_error(error, "--set ");
    }
    return good;
}

bool sim_drive_params(const SimDriveOptions *options, SsdParams *params,
                      GError **error)
{
    ssd_params_defaults(params);
    if (options->device && !options->config) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0,
                    "--device %s: chooses a drive of a file; give --config",
                    options->device);
        return false;
    }
    if (options->config && !config_file_read(options->config, options->device,
                                             params, error)) {
        return false;
    }
    for (char **setting = options->set; setting && *setting; setting++) {
        if (!apply_setting(params, *setting, options->for_qemu, error)) {
            return false;
        }
    }
    if (!ssd_params_check(params, error)) {
        if (options->config) {
            g_prefix_error(error, "%s: ", options->config);
        }
        return false;
    }
    return true;
}

/* --- femu-sim params ----------------------------------------------------- */

/* Print the section of a QEMU configuration file that makes this drive. */
static void print_section(const SsdParams *params)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    printf("[device \"zns0\"]\n  driver = \"femu-zns\"\n");
    for (unsigned i = 0; i < count; i++) {
        g_autofree char *value = ssd_param_row_text(
            &table[i], ssd_params_get(params, &table[i]));

        printf("  %s = \"%s\"\n", table[i].name, value);
    }
}

int sim_params_command(int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    SimDriveOptions drive = {0};
    gboolean markdown = FALSE, resolved = FALSE;
    const GOptionEntry entries[] = {
        {"markdown", 0, 0, G_OPTION_ARG_NONE, &markdown,
         "Print the table of all parameters, as in docs/parameters.md", NULL},
        {"resolved", 0, 0, G_OPTION_ARG_NONE, &resolved,
         "Replace \"0 means ...\" by what it means", NULL},
        {"for-qemu", 0, 0, G_OPTION_ARG_NONE, &drive.for_qemu,
         "Take what the device alone has (serial, ...) in --set, too", NULL},
        {0},
    };
    int status = SIM_ERROR;
    SsdParams params;

    g_option_context_set_summary(context, "Check a drive's parameters and "
                                 "print them as a configuration file.");
    sim_add_drive_options(context, &drive);
    g_option_context_add_main_entries(context, entries, NULL);
    if (sim_parse_options(context, &argc, &argv, NULL, error) &&
        sim_drive_params(&drive, &params, error)) {
        if (markdown) {
            g_autofree char *text = ssd_params_markdown();

            fputs(text, stdout);
        } else {
            if (resolved) {
                ssd_params_resolve(&params);
            }
            print_section(&params);
        }
        status = SIM_OK;
    }
    sim_drive_options_clear(&drive);
    return status;
}
