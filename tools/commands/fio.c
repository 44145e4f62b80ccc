/*
 * femu-sim fio: workloads of several jobs, from job files or from the command
 * line in fio's own words.
 *
 * Knows nothing of how the jobs run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "engine/engine.h"
#include "plan/jobfile.h"
#include "output/log.h"
#include "output/output.h"
#include "common/value.h"
#include "output/wear.h"

typedef struct FioOptions {
    SimDriveOptions drive;
    char *format;
    char *output;
    char *trace;
    char *states;
    char *live;
    char *ops_log;
    char *interval_log;
    char *interval;
    char *perfetto;
    char *wear;
} FioOptions;

static const char summary[] =
    "Run jobs on a new drive, written as fio writes them: in job files, or as\n"
    "  femu-sim fio --name=w --rw=write --bs=16k --size=3z --name=r ...\n"
    "Options before the first --name hold for all jobs. Places and lengths\n"
    "are whole zones: 3z is three. All times are of the drive's own clock;\n"
    "the same jobs give the same nanoseconds on every machine.";

static GOptionContext *fio_context(FioOptions *o)
{
    GOptionContext *context =
        g_option_context_new("[FILE...] [--JOB-OPTION...]");
    g_autofree char *jobs = option_help();
    const GOptionEntry entries[] = {
        {"output-format", 0, 0, G_OPTION_ARG_STRING, &o->format,
         "normal, json (fio's, and the drive's statistics) or csv (normal)",
         "FORM"},
        {"output", 0, 0, G_OPTION_ARG_FILENAME, &o->output,
         "Write the results there, not to standard output", "FILE"},
        {"trace", 0, 0, G_OPTION_ARG_FILENAME, &o->trace,
         "Record all commands and completions, for femu-sim replay", "FILE"},
        {"states", 0, 0, G_OPTION_ARG_FILENAME, &o->states,
         "Keep the drive there as prefill leaves it, and load it when it is "
         "there: the same results, sooner", "FOLDER"},
        {"live", 0, 0, G_OPTION_ARG_FILENAME, &o->live,
         "Write what the drive does meanwhile, as JSON; scripts/live shows it",
         "FILE"},
        {"log", 0, 0, G_OPTION_ARG_FILENAME, &o->ops_log,
         "Write every operation, as CSV", "FILE"},
        {"interval-log", 0, 0, G_OPTION_ARG_FILENAME, &o->interval_log,
         "Write what every interval saw, as CSV", "FILE"},
        {"interval", 0, 0, G_OPTION_ARG_STRING, &o->interval,
         "Length of an interval (1s)", "TIME"},
        {"perfetto", 0, 0, G_OPTION_ARG_FILENAME, &o->perfetto,
         "Write a trace of every operation, channel and flash unit, for Perfetto "
         "or chrome://tracing", "FILE"},
        {"wear", 0, 0, G_OPTION_ARG_FILENAME, &o->wear,
         "Draw how often each block was erased, as SVG", "FILE"},
        {0},
    };

    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, jobs);
    g_option_context_set_ignore_unknown_options(context, TRUE);
    sim_add_drive_options(context, &o->drive);
    g_option_context_add_main_entries(context, entries, NULL);
    return context;
}

static void fio_options_clear(FioOptions *o)
{
    sim_drive_options_clear(&o->drive);
    g_free(o->format);
    g_free(o->output);
    g_free(o->trace);
    g_free(o->states);
    g_free(o->live);
    g_free(o->ops_log);
    g_free(o->interval_log);
    g_free(o->interval);
    g_free(o->perfetto);
    g_free(o->wear);
}

/* --- The plan ------------------------------------------------------------ */

/* An argument that GOption does not parse: a job option or a job file. */
static bool read_argument(JobReader *reader, const char *argument,
                          GError **error)
{
    g_autofree char *name = NULL;
    const char *equals;

    if (!g_str_has_prefix(argument, "--")) {
        if (argument[0] == '-') {
            g_set_error(error, SIM_ERROR_DOMAIN, 0, "there is no option '%s'; "
                        "see femu-sim help fio", argument);
            return false;
        }
        return job_reader_section(reader, NULL, error) &&
               job_reader_file(reader, argument, error);
    }
    equals = strchr(argument, '=');
    name = equals ? g_strndup(argument + 2, (gsize)(equals - argument - 2))
                  : g_strdup(argument + 2);
    if (g_str_equal(name, "name") && equals) {
        return job_reader_section(reader, equals + 1, error);
    }
    return job_reader_option(reader, name, equals ? equals + 1 : NULL, error);
}

static Plan *read_plan(int argc, char **argv, const SsdParams *params,
                       GError **error)
{
    g_autoptr(Plan) plan = plan_new();
    JobReader reader;
    bool read = true;

    job_reader_init(&reader, plan, params);
    for (int i = 1; i < argc && read; i++) {
        read = read_argument(&reader, argv[i], error);
    }
    read = read && job_reader_end(&reader, error) &&
           plan_check(plan, params, error);
    job_reader_clear(&reader);
    return read ? g_steal_pointer(&plan) : NULL;
}

/* --- The run ------------------------------------------------------------- */

static bool check_options(const FioOptions *o, GError **error)
{
    static const char *const formats[] = {"normal", "json", "csv", NULL};

    if (o->states && (o->trace || o->perfetto)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--states=%s: not with --%s, "
                    "which begins where the zones are filled; leave it out",
                    o->states, o->trace ? "trace" : "perfetto");
        return false;
    }

    if (o->format && !g_strv_contains(formats, o->format)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--output-format=%s: must be "
                    "normal, json or csv", o->format);
        return false;
    }
    return true;
}

static bool log_options(const FioOptions *o, SimLogOptions *log,
                        GError **error)
{
    const char *wrong = NULL;

    *log = (SimLogOptions) {
        .ops_path = o->ops_log,
        .intervals_path = o->interval_log,
        .interval_ns = UINT64_C(1000000000),
        .perfetto_path = o->perfetto,
    };
    if (o->interval) {
        wrong = sim_value_ns(o->interval, UINT64_C(1000000000),
                             &log->interval_ns);
        wrong = !wrong && log->interval_ns == 0 ? "must be longer" : wrong;
    }
    if (wrong) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--interval=%s: %s",
                    o->interval, wrong);
    }
    return !wrong;
}

static void write_results(const FioOptions *o, FILE *out, const Plan *plan,
                          const Result *result, SimDrive *drive)
{
    if (o->format && g_str_equal(o->format, "json")) {
        g_autofree char *stats = ssd_stats_json(sim_drive_ssd(drive),
                                                sim_drive_now_ns(drive), NULL);

        output_json(out, plan, result, stats);
    } else if (o->format && g_str_equal(o->format, "csv")) {
        output_csv(out, plan, result);
    } else {
        output_table(out, plan, result);
    }
}

static bool write_output(const FioOptions *o, const Plan *plan,
                         const Result *result, SimDrive *drive,
                         GError **error)
{
    FILE *out;
    bool written;

    if (!o->output) {
        write_results(o, stdout, plan, result, drive);
        return true;
    }
    out = fopen(o->output, "w");
    written = out;
    if (out) {
        write_results(o, out, plan, result, drive);
        written = !ferror(out);
        written = fclose(out) == 0 && written;
    }
    if (!written) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s",
                    o->output, g_strerror(errno));
    }
    return written;
}

static bool run_logged(const FioOptions *o, const Plan *plan, SimDrive *drive,
                       GError **error)
{
    g_autoptr(Result) result = result_new(plan->jobs->len);
    SimLogOptions options;
    SimLog *log;
    bool ran;

    if (!log_options(o, &options, error)) {
        return false;
    }
    log = sim_log_open(&options, plan, ssd_params(sim_drive_ssd(drive)), result,
                       error);
    if (!log) {
        return false;
    }
    if (o->ops_log || o->interval_log || o->perfetto) {
        result->logger = sim_log_entry;
        result->logger_context = log;
    }
    if (o->perfetto) {
        sim_drive_watch_busy(drive, sim_log_busy, log);
    }
    ran = (o->states || engine_fill(plan, drive, error)) &&
          engine_run(plan, drive, result, error);
    ran = sim_log_close(log, ran ? error : NULL) && ran;
    return ran && write_output(o, plan, result, drive, error) &&
           (!o->wear ||
            sim_wear_write(sim_drive_ssd(drive), o->wear, error));
}

static bool run(const FioOptions *o, int argc, char **argv, GError **error)
{
    g_autoptr(Plan) plan = NULL;
    SsdParams params;
    SimDrive *drive;
    bool ran;

    if (!check_options(o, error) ||
        !sim_drive_params(&o->drive, &params, error)) {
        return false;
    }
    ssd_params_resolve(&params);
    plan = read_plan(argc, argv, &params, error);
    if (!plan) {
        return false;
    }
    drive = sim_drive_new(&params, o->trace, error);
    if (!drive) {
        return false;
    }
    ran = (!o->live || sim_drive_watch(drive, o->live, error)) &&
          (!o->states || engine_filled(plan, drive, o->states, error)) &&
          run_logged(o, plan, drive, error);
    return sim_drive_free(drive, ran ? error : NULL) && ran;
}

int sim_fio_command(int argc, char **argv, GError **error)
{
    FioOptions options = {0};
    g_autoptr(GOptionContext) context = fio_context(&options);
    bool ran = g_option_context_parse(context, &argc, &argv, error) &&
               run(&options, argc, argv, error);

    fio_options_clear(&options);
    return ran ? SIM_OK : SIM_ERROR;
}
