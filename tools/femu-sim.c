/*
 * femu-sim: the drive without QEMU. This file finds the command that is asked
 * for; commands/commands.h lists them.
 *
 * Knows nothing of what the commands do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "common/program.h"

typedef struct SimCommand {
    const char *name;
    const char *summary;
    int (*main)(int argc, char **argv, GError **error);
} SimCommand;

static int help_command(int argc, char **argv, GError **error);
static int version_command(int argc, char **argv, GError **error);

static const SimCommand commands[] = {
    {"run", "send a closed-loop workload and print latencies",
     sim_run_command},
    {"fio", "run jobs, written as fio writes them", sim_fio_command},
    {"replay", "repeat a trace and compare every completion time",
     sim_replay_command},
    {"blame", "say why a command of a trace took so long", sim_blame_command},
    {"cut", "take the power of a drive within a trace", sim_cut_command},
    {"state", "check and print what a drive's state= folder holds",
     sim_state_command},
    {"soak", "hours of mixed load, failures and power cuts, verified",
     sim_soak_command},
    {"map", "print and draw which flash units each zone uses",
     sim_map_command},
    {"bench", "measure how fast the model is on this machine",
     sim_bench_command},
    {"params", "check and print a drive's parameters", sim_params_command},
    {"version", "print the version", version_command},
    {"help", "print this, or help on a command", help_command},
};

static const SimCommand *find_command(const char *name)
{
    if (g_str_equal(name, "--help") || g_str_equal(name, "-h")) {
        name = "help";
    } else if (g_str_equal(name, "--version")) {
        name = "version";
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (g_str_equal(commands[i].name, name)) {
            return &commands[i];
        }
    }
    return NULL;
}

static void set_unknown(GError **error, const char *name)
{
    g_set_error(error, SIM_ERROR_DOMAIN, 0,
                "there is no command '%s'; see femu-sim help", name);
}

static int version_command(int argc G_GNUC_UNUSED, char **argv G_GNUC_UNUSED,
                           GError **error G_GNUC_UNUSED)
{
    printf("femu-sim " FEMU_VERSION " (%s)\n",
           sim_sources + strlen(SIM_SOURCES_MARK));
    return SIM_OK;
}

static int start_command(const SimCommand *command, int argc, char **argv,
                         GError **error)
{
    g_autofree char *name = g_strdup_printf("femu-sim %s", command->name);

    g_set_prgname(name);
    return command->main(argc, argv, error);
}

static int help_command(int argc, char **argv, GError **error)
{
    char help[] = "--help";
    char *help_argv[] = {NULL, help, NULL};

    if (argc > 1) {
        const SimCommand *command = find_command(argv[1]);

        if (!command) {
            set_unknown(error, argv[1]);
            return SIM_ERROR;
        }
        if (command->main != help_command) {
            help_argv[0] = argv[1];
            return start_command(command, 2, help_argv, error);
        }
    }
    puts("Usage: femu-sim COMMAND [OPTION...]\n\n"
         "The drive of femu-zns without QEMU.\n");
    for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
        printf("  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    puts("\nfemu-sim COMMAND --help tells a command's options. Exit status: 0 "
         "done,\n1 a replay differs, or a soak finds something, 2 an error.");
    return SIM_OK;
}

/* GLib ends the program itself behind --help: all that ends it comes here. */
static void check_output(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "femu-sim: cannot write standard output\n");
        _exit(SIM_ERROR);
    }
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    const SimCommand *command;
    int status = SIM_ERROR;

    atexit(check_output);
    if (argc < 2) {
        g_set_error(&error, SIM_ERROR_DOMAIN, 0,
                    "a command is missing; see femu-sim help");
    } else if (!(command = find_command(argv[1]))) {
        set_unknown(&error, argv[1]);
    } else {
        status = start_command(command, argc - 1, argv + 1, &error);
    }
    if (error) {
        /* It may quote a damaged file. */
        g_autofree char *text = g_utf8_make_valid(error->message, -1);

        fflush(stdout);
        fprintf(stderr, "femu-sim: %s\n", text);
    }
    return status;
}
