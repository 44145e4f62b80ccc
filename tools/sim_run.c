/*
 * femu-sim run: options of a closed-loop workload, and its report as a table,
 * as CSV or as JSON.
 *
 * Knows nothing of how the workload is sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"
#include "sim_load.h"

#define DEFAULT_COUNT 1000
#define NS_PER_S UINT64_C(1000000000)

/* The options as they were written. */
typedef struct RunOptions {
    SimDriveOptions drive;
    char *op;
    char *block;
    char *qd;
    char *zones;
    char *nsid;
    char *fill;
    char *count;
    char *size;
    char *time;
    char *seed;
    char *trace;
    gboolean json;
    gboolean csv;
} RunOptions;

static const char summary[] =
    "Send a workload, closed loop, to a new drive and print what each\n"
    "operation took. Every sender keeps --qd commands inside. Operations:\n"
    "  write, append  one sender per zone; on to the next zone when full\n"
    "  read           one sender per zone, in order, over what --fill wrote\n"
    "  randread       one sender, over --zones zones\n"
    "  finish, reset  one sender, each of --zones zones once\n"
    "All times are nanoseconds of the drive's own clock; the same command\n"
    "gives the same numbers on every machine.";

static GOptionContext *run_context(RunOptions *o)
{
    GOptionContext *context = g_option_context_new(NULL);
    const GOptionEntry entries[] = {
        {"op", 'o', 0, G_OPTION_ARG_STRING, &o->op,
         "write, append, read, randread, finish or reset (write)", "OP"},
        {"bs", 'b', 0, G_OPTION_ARG_STRING, &o->block,
         "Bytes of a read or write (4K)", "SIZE"},
        {"qd", 'q', 0, G_OPTION_ARG_STRING, &o->qd,
         "Commands that a sender keeps inside the drive (1)", "N"},
        {"zones", 'z', 0, G_OPTION_ARG_STRING, &o->zones,
         "Zones that are used at a time (1)", "N"},
        {"nsid", 0, 0, G_OPTION_ARG_STRING, &o->nsid,
         "Namespace that is used (1)", "N"},
        {"fill", 'f', 0, G_OPTION_ARG_STRING, &o->fill,
         "Write this much to each zone first, not measured (read and reset: "
         "all; else 0)", "SIZE"},
        {"count", 'n', 0, G_OPTION_ARG_STRING, &o->count,
         "Stop after N commands (1000, unless --size or --time-ns)", "N"},
        {"size", 0, 0, G_OPTION_ARG_STRING, &o->size,
         "Stop after SIZE bytes", "SIZE"},
        {"time-ns", 't', 0, G_OPTION_ARG_STRING, &o->time,
         "Stop sending after N ns of the drive's time", "N"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &o->seed,
         "Seed of randread (1)", "N"},
        {"trace", 0, 0, G_OPTION_ARG_FILENAME, &o->trace,
         "Record all commands and completions, for femu-sim replay", "FILE"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &o->json,
         "Print the drive's statistics as JSON", NULL},
        {"csv", 0, 0, G_OPTION_ARG_NONE, &o->csv, "Print a CSV table", NULL},
        {0},
    };

    g_option_context_set_summary(context, summary);
    sim_add_drive_options(context, &o->drive);
    g_option_context_add_main_entries(context, entries, NULL);
    return context;
}

static void run_options_clear(RunOptions *o)
{
    sim_drive_options_clear(&o->drive);
    g_free(o->op);
    g_free(o->block);
    g_free(o->qd);
    g_free(o->zones);
    g_free(o->nsid);
    g_free(o->fill);
    g_free(o->count);
    g_free(o->size);
    g_free(o->time);
    g_free(o->seed);
    g_free(o->trace);
}

/* --- From options to a workload ------------------------------------------ */

/* A number from its option's text, or `fallback` when it was not given. */
static bool number_option(const char *option, SsdParamType type,
                          const char *text, uint64_t min, uint64_t max,
                          uint64_t fallback, uint64_t *value, GError **error)
{
    if (!text) {
        *value = fallback;
        return true;
    }
    return sim_parse_number(option, type, text, min, max, value, error);
}

static bool limit_options(const RunOptions *o, LoadSpec *spec, GError **error)
{
    bool mgmt = spec->kind == LOAD_FINISH || spec->kind == LOAD_RESET;
    uint64_t count = o->size || o->time ? UINT64_MAX : DEFAULT_COUNT;

    if (mgmt && (o->count || o->size)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: --op=%s takes each of "
                    "--zones zones once; leave it out",
                    o->count ? "--count" : "--size", o->op);
        return false;
    }
    return number_option("--count", SSD_PARAM_TYPE_U64, o->count, 1,
                         UINT64_MAX, mgmt ? spec->zones : count,
                         &spec->max_count, error) &&
           number_option("--size", SSD_PARAM_TYPE_SIZE, o->size, 1, UINT64_MAX,
                         UINT64_MAX, &spec->max_bytes, error) &&
           number_option("--time-ns", SSD_PARAM_TYPE_U64, o->time, 1,
                         UINT64_MAX, UINT64_MAX, &spec->max_time_ns, error);
}

static bool load_options(const RunOptions *o, const SsdParams *params,
                         LoadSpec *spec, GError **error)
{
    uint64_t qd, zones, nsid, fill_bytes = 0;

    spec->kind = o->op ? load_kind_from_name(o->op) : LOAD_WRITE;
    if (spec->kind == LOAD_KIND_COUNT) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--op=%s: must be write, "
                    "append, read, randread, finish or reset", o->op);
        return false;
    }
    if (spec->kind == LOAD_READ || spec->kind == LOAD_RANDREAD ||
        spec->kind == LOAD_RESET) {
        fill_bytes = params->zone_capacity_bytes;
    }
    if (!number_option("--bs", SSD_PARAM_TYPE_SIZE, o->block, 512,
                       params->mdts_bytes, 4096, &spec->block_bytes, error) ||
        !number_option("--qd", SSD_PARAM_TYPE_U32, o->qd, 1,
                       params->cmd_slots, 1, &qd, error) ||
        !number_option("--zones", SSD_PARAM_TYPE_U32, o->zones, 1,
                       params->zones, 1, &zones, error) ||
        !number_option("--nsid", SSD_PARAM_TYPE_U32, o->nsid, 1,
                       params->namespaces, 1, &nsid, error) ||
        !number_option("--fill", SSD_PARAM_TYPE_SIZE, o->fill, 0,
                       params->zone_capacity_bytes, fill_bytes,
                       &spec->fill_bytes, error) ||
        !number_option("--seed", SSD_PARAM_TYPE_U64, o->seed, 0, UINT64_MAX,
                       1, &spec->seed, error)) {
        return false;
    }
    spec->qd = (unsigned)qd;
    spec->zones = (unsigned)zones;
    spec->nsid = (uint32_t)nsid;
    return limit_options(o, spec, error) && load_check(spec, params, error);
}

/* --- Reports ------------------------------------------------------------- */

static uint64_t mean(const SsdHistogram *h)
{
    return h->sum / h->count;
}

static void print_table(const RunOptions *o, const LoadSpec *spec,
                        const LoadResult *r)
{
    uint64_t elapsed_ns = r->end_at_ns - r->start_at_ns;

    printf("%s, %s: bs %" PRIu64 ", qd %u, zones %u, fill %" PRIu64 ", seed %"
           PRIu64 "\n\n", o->drive.config ? o->drive.config : "defaults",
           load_kind_name(spec->kind), spec->block_bytes, spec->qd,
           spec->zones, spec->fill_bytes, spec->seed);
    printf("%-8s%10s%13s%13s%13s%13s%13s%13s\n", "", "count", "mean ns",
           "min ns", "p50 ns", "p95 ns", "p99 ns", "max ns");
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        const SsdHistogram *h = &r->latency_ns[op];

        if (h->count > 0) {
            printf("%-8s%10" PRIu64 "%13" PRIu64 "%13" PRIu64 "%13" PRIu64
                   "%13" PRIu64 "%13" PRIu64 "%13" PRIu64 "\n",
                   ssd_op_name(op), h->count, mean(h), h->min,
                   ssd_histogram_percentile(h, 50),
                   ssd_histogram_percentile(h, 95),
                   ssd_histogram_percentile(h, 99), h->max);
        }
    }
    printf("\n%" PRIu64 " ns", elapsed_ns);
    for (unsigned op = 0; op < SSD_OP_COUNT && elapsed_ns > 0; op++) {
        if (r->bytes[op] > 0) {
            printf(", %s %.1f MiB/s, %.1f IOPS", ssd_op_name(op),
                   (double)r->bytes[op] * NS_PER_S / SSD_MIB / elapsed_ns,
                   (double)r->latency_ns[op].count * NS_PER_S / elapsed_ns);
        }
    }
    printf("\n");
}

static void print_csv(const LoadResult *r)
{
    printf("op,count,bytes,elapsed_ns,mean_ns,min_ns,p50_ns,p95_ns,p99_ns,"
           "max_ns\n");
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        const SsdHistogram *h = &r->latency_ns[op];

        if (h->count > 0) {
            printf("%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%"
                   PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                   ssd_op_name(op), h->count, r->bytes[op],
                   r->end_at_ns - r->start_at_ns, mean(h), h->min,
                   ssd_histogram_percentile(h, 50),
                   ssd_histogram_percentile(h, 95),
                   ssd_histogram_percentile(h, 99), h->max);
        }
    }
}

static void print_json(const LoadSpec *spec, SimDrive *drive,
                       const LoadResult *r)
{
    g_autofree char *run = g_strdup_printf(
        "\"run\":{\"op\":\"%s\",\"bs\":%" PRIu64 ",\"qd\":%u,\"zones\":%u,"
        "\"fill\":%" PRIu64 ",\"seed\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64
        "}", load_kind_name(spec->kind), spec->block_bytes, spec->qd,
        spec->zones, spec->fill_bytes, spec->seed,
        r->end_at_ns - r->start_at_ns);
    g_autofree char *json = ssd_stats_json(sim_drive_ssd(drive),
                                           sim_drive_now_ns(drive), run);

    puts(json);
}

/* --- The command --------------------------------------------------------- */

static bool run(const RunOptions *o, GError **error)
{
    g_autofree LoadResult *result = g_new0(LoadResult, 1);
    LoadSpec spec = {0};
    SsdParams params;
    SimDrive *drive;
    bool ran;

    if (o->json && o->csv) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0,
                    "--json and --csv: choose one");
        return false;
    }
    if (!sim_drive_params(&o->drive, &params, error)) {
        return false;
    }
    ssd_params_resolve(&params);
    if (!load_options(o, &params, &spec, error)) {
        return false;
    }
    drive = sim_drive_new(&params, o->trace, error);
    if (!drive) {
        return false;
    }
    ran = load_run(&spec, drive, result, error);
    if (ran && o->json) {
        print_json(&spec, drive, result);
    } else if (ran && o->csv) {
        print_csv(result);
    } else if (ran) {
        print_table(o, &spec, result);
    }
    return sim_drive_free(drive, ran ? error : NULL) && ran;
}

int sim_run_command(int argc, char **argv, GError **error)
{
    RunOptions options = {0};
    g_autoptr(GOptionContext) context = run_context(&options);
    bool ran = sim_parse_options(context, &argc, &argv, NULL, error) &&
               run(&options, error);

    run_options_clear(&options);
    return ran ? SIM_OK : SIM_ERROR;
}
