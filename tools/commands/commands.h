/*
 * What the commands of femu-sim share: how they start, where a drive's
 * parameters come from, and how numbers on the command line are read.
 *
 * Knows nothing of what the commands do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_H
#define FEMU_SIM_H

#include "common/error.h"
#include "params.h"

/* Exit statuses of femu-sim. */
enum {
    SIM_OK = 0,
    SIM_DIFFERENT = 1, /* a replay that did not give the same */
    SIM_ERROR = 2,     /* could not do what was asked */
};

/*
 * The commands. `argv[0]` is the command's name. They print results on
 * standard output. Return: an exit status; SIM_ERROR always with *error.
 */
int sim_run_command(int argc, char **argv, GError **error);
int sim_fio_command(int argc, char **argv, GError **error);
int sim_replay_command(int argc, char **argv, GError **error);
int sim_blame_command(int argc, char **argv, GError **error);
int sim_cut_command(int argc, char **argv, GError **error);
int sim_state_command(int argc, char **argv, GError **error);
int sim_soak_command(int argc, char **argv, GError **error);
int sim_map_command(int argc, char **argv, GError **error);
int sim_bench_command(int argc, char **argv, GError **error);
int sim_params_command(int argc, char **argv, GError **error);

/*
 * Options --config, --device and --set, as GOption fills them in. `for_qemu`:
 * --set may also have a key of the device alone, which is checked.
 */
typedef struct SimDriveOptions {
    char *config;
    char *device;
    char **set;
    gboolean for_qemu;
} SimDriveOptions;

void sim_add_drive_options(GOptionContext *context, SimDriveOptions *options);
void sim_drive_options_clear(SimDriveOptions *options);

/*
 * Defaults, then the configuration file, then each --set; checked, not
 * resolved. Return: false and *error.
 */
bool sim_drive_params(const SimDriveOptions *options, SsdParams *params,
                      GError **error);

/*
 * Read the text of `option` as a number (a size, if `type` says so) from min
 * to max. Return: false and *error naming option, text and range.
 */
bool sim_parse_number(const char *option, SsdParamType type, const char *text,
                      uint64_t min, uint64_t max, uint64_t *value,
                      GError **error);

/*
 * Parse a command's options. What remains in argv[1..] must be one argument
 * called `argument`, or nothing if that is NULL.
 */
bool sim_parse_options(GOptionContext *context, int *argc, char ***argv,
                       const char *argument, GError **error);

#endif
