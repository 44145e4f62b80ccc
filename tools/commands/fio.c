/*
 * femu-sim fio: workloads of several jobs, from job files or from the command
 * line in fio's own words.
 *
 * Knows nothing of how the jobs run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common/files.h"
#include "engine/engine.h"
#include "plan/jobfile.h"
#include "output/log.h"
#include "output/output.h"
#include "common/value.h"
#include "output/wear.h"
#include "ssd_file.h"

/* More would hardly fit into a guest either. */
#define MAX_DRIVES 64
#define AS_NAMED INT_MIN /* --drives is not given */

/* The drives that jobs may name, by the numbers that they have there. */
typedef struct Drives {
    unsigned count;
    SsdParams *params; /* resolved */
    SimDrive **sims;   /* [count]; NULL those that there are not yet */
} Drives;

typedef struct FioOptions {
    SimDriveOptions drive;
    int drives; /* or AS_NAMED: as many as --config has */
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
    "Run jobs on new drives (one, unless more are asked for), written as fio writes them: in job files, or as\n"
    "  femu-sim fio --name=w --rw=write --bs=16k --size=3z --name=r ...\n"
    "Options before the first --name, or file, hold for all jobs; of several\n"
    "files one runs after the other. Places and lengths are whole zones: 3z is\n"
    "three. All times are of the drive's own clock;\n"
    "the same jobs give the same nanoseconds on every machine.";

static GOptionContext *fio_context(FioOptions *o)
{
    GOptionContext *context =
        g_option_context_new("[FILE...] [--JOB-OPTION...]");
    g_autofree char *jobs = option_help();
    const GOptionEntry entries[] = {
        {"drives", 0, 0, G_OPTION_ARG_INT, &o->drives,
         "So many drives, which jobs name by drive=N; --config=a.cfg,b.cfg: one "
         "of each", "N"},
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

static Plan *read_plan(int argc, char **argv, const Drives *drives,
                       GError **error)
{
    g_autoptr(Plan) plan = plan_new();
    JobReader reader;
    bool read = true;

    job_reader_init(&reader, plan, drives->params, drives->count);
    for (int i = 1; i < argc && read; i++) {
        read = read_argument(&reader, argv[i], error);
    }
    read = read && job_reader_end(&reader, error) &&
           plan_check(plan, drives->params, error);
    job_reader_clear(&reader);
    return read ? g_steal_pointer(&plan) : NULL;
}

/* --- The run ------------------------------------------------------------- */

static bool check_options(const FioOptions *o, GError **error)
{
    static const char *const formats[] = {"normal", "json", "csv", NULL};

    if (o->states && o->states[0] == '\0') {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--states=: must be a folder");
        return false;
    }
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

/* The statistics of the first drive, or ("[..]") of all of several. */
static char *stats_json(const Drives *drives)
{
    GString *json = g_string_new(drives->count > 1 ? "[" : "");

    for (unsigned i = 0; i < drives->count; i++) {
        g_autofree char *one =
            ssd_stats_json(sim_drive_ssd(drives->sims[i]),
                           sim_drive_now_ns(drives->sims[i]), NULL);

        g_string_append(json, i > 0 ? "," : "");
        g_string_append(json, one);
    }
    return g_string_free(g_string_append(json, drives->count > 1 ? "]" : ""),
                         FALSE);
}

static void write_results(const FioOptions *o, FILE *out, const Plan *plan,
                          const Result *result, const Drives *drives)
{
    if (o->format && g_str_equal(o->format, "json")) {
        g_autofree char *stats = stats_json(drives);

        output_json(out, plan, result, drives->count, stats);
    } else if (o->format && g_str_equal(o->format, "csv")) {
        output_csv(out, plan, result);
    } else {
        output_table(out, plan, result);
    }
}

static bool write_output(const FioOptions *o, const Plan *plan,
                         const Result *result, const Drives *drives,
                         GError **error)
{
    const char *wrong = NULL;
    FILE *out;
    bool written;

    if (!o->output) {
        write_results(o, stdout, plan, result, drives);
        return true;
    }
    out = ssd_file_create(o->output, &wrong);
    written = out;
    if (out) {
        write_results(o, out, plan, result, drives);
        written = !ferror(out);
        written = fclose(out) == 0 && written;
    }
    if (!written) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s",
                    o->output, wrong ? wrong : g_strerror(errno));
    }
    return written;
}

/* Each drive by itself; loaded from `states`, if that is a folder. */
static bool fill_drives(const Plan *plan, const Drives *drives,
                        const char *states, GError **error)
{
    for (unsigned i = 0; i < drives->count; i++) {
        if (!(states ? engine_filled(plan, i, drives->sims[i], states, error)
                     : engine_fill(plan, i, drives->sims[i], error))) {
            return false;
        }
    }
    return true;
}

/* A job that is all ramp has no row in any result: that must be said. */
static bool check_measured(const Plan *plan, const Result *result,
                           GError **error)
{
    for (unsigned i = 0; i < result->job_count; i++) {
        const PlanJob *job = plan_job(plan, i);

        if (job->ramp_ns > 0 &&
            result->jobs[i].end_at_ns < result->jobs[i].measure_at_ns) {
            g_set_error(error, SIM_ERROR_DOMAIN, 0, "job '%s' ended %" PRIu64
                        " ns before its ramp_time was over, so nothing of it "
                        "was measured; give it more to do, or less ramp_time",
                        job->name, result->jobs[i].measure_at_ns -
                        result->jobs[i].end_at_ns);
            return false;
        }
    }
    return true;
}

static bool run_logged(const FioOptions *o, const Plan *plan,
                       const Drives *drives, GError **error)
{
    g_autoptr(Result) result = result_new(plan->jobs->len);
    SimDrive *first = drives->sims[0];
    SimLogOptions options;
    SimLog *log;
    bool ran;

    if (!log_options(o, &options, error)) {
        return false;
    }
    log = sim_log_open(&options, plan, &drives->params[0], result, error);
    if (!log) {
        return false;
    }
    if (o->ops_log || o->interval_log || o->perfetto) {
        result->logger = sim_log_entry;
        result->logger_context = log;
    }
    if (o->perfetto) {
        sim_drive_watch_busy(first, sim_log_busy, log);
    }
    ran = (o->states || fill_drives(plan, drives, NULL, error)) &&
          engine_run(plan, drives->sims, drives->count, result, error);
    if (o->perfetto) {
        sim_drive_end_busy(first);
    }
    ran = sim_log_close(log, ran ? error : NULL) && ran;
    return ran && write_output(o, plan, result, drives, error) &&
           (!o->wear ||
            sim_wear_write(sim_drive_ssd(first), o->wear, error)) &&
           check_measured(plan, result, error);
}

/* --- The drives ------------------------------------------------------------ */

/* What shows one drive shows none of several. */
static bool check_single(const FioOptions *o, unsigned count, GError **error)
{
    const char *option = o->live ? "live" : o->perfetto ? "perfetto"
                         : o->wear ? "wear" : NULL;

    if (option && count > 1) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--%s: shows one drive, and "
                    "there are %u", option, count);
    }
    return !option || count == 1;
}

/* The files that --config names: one, or several with commas between them. */
static char **config_paths(const char *config)
{
    if (!config || !*config || g_file_test(config, G_FILE_TEST_EXISTS)) {
        return g_strdupv((char *[]) {(char *)(config ? config : ""), NULL});
    }
    return g_strsplit(config, ",", 0);
}

static bool count_drives(const FioOptions *o, unsigned named, Drives *drives,
                         GError **error)
{
    int count = o->drives == AS_NAMED ? (int)named : o->drives;

    if (count < 1 || count > MAX_DRIVES) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--drives=%d: must be 1 to %d",
                    count, MAX_DRIVES);
        return false;
    }
    drives->count = (unsigned)count;
    if (named != 1 && named != drives->count) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--drives=%u: --config=%s names "
                    "%u; one for all of them, or one for each, is expected",
                    drives->count, o->drive.config, named);
        return false;
    }
    return true;
}

static bool read_drives(const FioOptions *o, Drives *drives, GError **error)
{
    g_auto(GStrv) paths = config_paths(o->drive.config);
    unsigned named = g_strv_length(paths);

    if (!count_drives(o, named, drives, error) ||
        !check_single(o, drives->count, error)) {
        return false;
    }
    drives->params = g_new(SsdParams, drives->count);
    drives->sims = g_new0(SimDrive *, drives->count);
    for (unsigned i = 0; i < drives->count; i++) {
        SimDriveOptions one = o->drive;

        one.config = o->drive.config ? paths[named > 1 ? i : 0] : NULL;
        if (!sim_drive_params(&one, &drives->params[i], error)) {
            return false;
        }
        ssd_params_resolve(&drives->params[i]);
    }
    return true;
}

/* t.csv for the first drive, t-zns1.csv for the second, as "make shell" has
 * them. */
static char *trace_path(const char *path, unsigned drive)
{
    const char *name = path ? strrchr(path, '/') : NULL;
    const char *end = path ? strrchr(name ? name : path, '.') : NULL;

    if (!path || drive == 0) {
        return g_strdup(path);
    }
    end = end ? end : path + strlen(path);
    return g_strdup_printf("%.*s-zns%u%s", (int)(end - path), path, drive, end);
}

static bool make_drives(const FioOptions *o, Drives *drives, GError **error)
{
    for (unsigned i = 0; i < drives->count; i++) {
        g_autofree char *trace = trace_path(o->trace, i);

        drives->sims[i] = sim_drive_new(&drives->params[i], trace, error);
        if (!drives->sims[i]) {
            return false;
        }
    }
    return !o->live || sim_drive_watch(drives->sims[0], o->live, error);
}

/* Return: false and *error, unless that is NULL, if a trace is not whole. */
static bool end_drives(Drives *drives, bool ran, GError **error)
{
    bool good = ran;

    for (unsigned i = 0; drives->sims && i < drives->count; i++) {
        if (drives->sims[i]) {
            good = sim_drive_free(drives->sims[i], good ? error : NULL) && good;
        }
    }
    g_free(drives->sims);
    g_free(drives->params);
    return good;
}

static void add_file(GArray *files, const char *option, const char *path,
                     bool is_read)
{
    SimFile file = {option, path, is_read};

    g_array_append_val(files, file);
}

/* Job files, configurations, iologs and all that is written. */
static bool files_apart(const FioOptions *o, const Plan *plan,
                        unsigned drive_count, char **argv, GError **error)
{
    g_autoptr(GArray) files = g_array_new(FALSE, FALSE, sizeof(SimFile));
    g_autoptr(GPtrArray) traces = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) configs = config_paths(o->drive.config);

    for (unsigned i = 0; o->drive.config && configs[i]; i++) {
        add_file(files, "--config", configs[i], true);
    }
    for (unsigned i = 1; argv[i]; i++) {
        if (argv[i][0] != '-') {
            add_file(files, "FILE", argv[i], true);
        }
    }
    for (unsigned i = 0; i < plan->jobs->len; i++) {
        const PlanJob *job = g_ptr_array_index(plan->jobs, i);

        add_file(files, "read_iolog", job->iolog, true);
    }
    add_file(files, "--output", o->output, false);
    add_file(files, "--live", o->live, false);
    add_file(files, "--log", o->ops_log, false);
    add_file(files, "--interval-log", o->interval_log, false);
    add_file(files, "--perfetto", o->perfetto, false);
    add_file(files, "--wear", o->wear, false);
    for (unsigned i = 0; i < drive_count; i++) {
        g_ptr_array_add(traces, trace_path(o->trace, i));
        add_file(files, "--trace", g_ptr_array_index(traces, i), false);
    }
    return sim_files_apart(&g_array_index(files, SimFile, 0), files->len,
                           error);
}

/* These are written when all is done, which may have taken hours. */
static bool results_have_place(const FioOptions *o, GError **error)
{
    return (!o->output || sim_file_has_place(o->output, error)) &&
           (!o->wear || sim_file_has_place(o->wear, error));
}

static bool run(const FioOptions *o, int argc, char **argv, GError **error)
{
    g_autoptr(Plan) plan = NULL;
    Drives drives = {0};
    bool ran = check_options(o, error) && read_drives(o, &drives, error);

    if (ran) {
        plan = read_plan(argc, argv, &drives, error);
    }
    ran = plan && files_apart(o, plan, drives.count, argv, error) &&
          results_have_place(o, error) &&
          make_drives(o, &drives, error) &&
          (!o->states || fill_drives(plan, &drives, o->states, error)) &&
          run_logged(o, plan, &drives, error);
    return end_drives(&drives, ran, error);
}

int sim_fio_command(int argc, char **argv, GError **error)
{
    FioOptions options = {.drives = AS_NAMED};
    g_autoptr(GOptionContext) context = fio_context(&options);
    bool ran = g_option_context_parse(context, &argc, &argv, error) &&
               run(&options, argc, argv, error);

    fio_options_clear(&options);
    return ran ? SIM_OK : SIM_ERROR;
}
