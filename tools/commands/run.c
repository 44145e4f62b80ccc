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

#include "commands.h"
#include "common/files.h"
#include "engine/engine.h"

#define DEFAULT_COUNT 1000
#define NS_PER_S UINT64_C(1000000000)

/* The options as the user wrote them. */
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
    char *live;
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
        {"live", 0, 0, G_OPTION_ARG_FILENAME, &o->live,
         "Write what the drive does meanwhile, as JSON; scripts/live shows it",
         "FILE"},
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
    g_free(o->live);
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

/* The operations that --op accepts. */
typedef struct RunKind {
    const char *name;
    PlanOp op;
    bool random;
    bool per_zone; /* one sender for each of --zones zones, not one for all */
} RunKind;

static const RunKind kinds[] = {
    {"write", PLAN_WRITE, false, true},
    {"append", PLAN_APPEND, false, true},
    {"read", PLAN_READ, false, true},
    {"randread", PLAN_READ, true, false},
    {"finish", PLAN_FINISH, false, false},
    {"reset", PLAN_RESET, false, false},
};

static const RunKind *find_kind(const char *name, GError **error)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_str_equal(kinds[i].name, name)) {
            return &kinds[i];
        }
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "--op=%s: must be write, append, "
                "read, randread, finish or reset", name);
    return NULL;
}

static bool limit_options(const RunOptions *o, PlanJob *job, unsigned zones,
                          GError **error)
{
    bool mgmt = !plan_op_transfers(job->op);
    uint64_t count = o->size || o->time ? UINT64_MAX : DEFAULT_COUNT;

    if (mgmt && (o->count || o->size)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: --op=%s takes each of "
                    "--zones zones once; leave it out",
                    o->count ? "--count" : "--size", o->op);
        return false;
    }
    job->limits_shared = true;
    job->passes = mgmt ? 1 : UINT64_MAX;
    return number_option("--count", SSD_PARAM_TYPE_U64, o->count, 1,
                         UINT64_MAX, mgmt ? zones : count, &job->max_count,
                         error) &&
           number_option("--size", SSD_PARAM_TYPE_SIZE, o->size, 1, UINT64_MAX,
                         UINT64_MAX, &job->max_bytes, error) &&
           number_option("--time-ns", SSD_PARAM_TYPE_U64, o->time, 1,
                         UINT64_MAX, UINT64_MAX, &job->runtime_ns, error);
}

/*
 * Divide the zones among the senders. With one sender per zone, a writer that
 * has filled its zone goes on --zones zones further, and a reader stays in its
 * zone. A single sender has all zones.
 */
static void set_zones(const RunKind *kind, PlanJob *job, uint32_t zones)
{
    job->prefill_zones = kind->per_zone ? 1 : zones;
    job->workers = kind->per_zone ? zones : 1;
    job->zone_offset = 1;
    if (!kind->per_zone) {
        job->zone_count = zones;
    } else if (kind->op == PLAN_READ) {
        job->zone_count = 1;
    } else {
        job->zone_stride = zones;
    }
}

/* Checks of this command only: do so many commands fit in the drive? */
static bool check_inside(const PlanJob *job, uint32_t zones,
                         const SsdParams *params, GError **error)
{
    uint64_t inside = (uint64_t)job->depth * job->workers;
    bool part_filled = job->prefill_bytes > 0 &&
                       job->prefill_bytes < params->zone_capacity_bytes;

    if (inside > params->cmd_slots) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--qd=%u: %" PRIu64
                    " commands at once, but cmd-slots=%" PRIu32, job->depth,
                    inside, params->cmd_slots);
        return false;
    }
    if (job->op == PLAN_READ && job->block_bytes > job->prefill_bytes) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--bs=%" PRIu64 ": a zone "
                    "holds only --fill=%" PRIu64 " bytes to read",
                    job->block_bytes, job->prefill_bytes);
        return false;
    }
    if (params->max_active > 0 && zones > params->max_active &&
        (part_filled || job->op == PLAN_WRITE || job->op == PLAN_APPEND)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--zones=%" PRIu32 ": this "
                    "load keeps that many zones active, but max-active=%"
                    PRIu32, zones, params->max_active);
        return false;
    }
    return true;
}

static bool job_options(const RunOptions *o, const SsdParams *params,
                        PlanJob *job, GError **error)
{
    const RunKind *kind = find_kind(o->op ? o->op : "write", error);
    uint64_t qd, zones, nsid, fill_bytes = 0;

    if (!kind) {
        return false;
    }
    job->op = kind->op;
    job->random = kind->random;
    if (kind->op == PLAN_READ || kind->op == PLAN_RESET) {
        fill_bytes = params->zone_capacity_bytes;
    }
    if (!number_option("--bs", SSD_PARAM_TYPE_SIZE, o->block, 512,
                       params->mdts_bytes, 4096, &job->block_bytes, error) ||
        !number_option("--qd", SSD_PARAM_TYPE_U32, o->qd, 1,
                       params->cmd_slots, 1, &qd, error) ||
        !number_option("--zones", SSD_PARAM_TYPE_U32, o->zones, 1,
                       params->zones, 1, &zones, error) ||
        !number_option("--nsid", SSD_PARAM_TYPE_U32, o->nsid, 1,
                       params->namespaces, 1, &nsid, error) ||
        !number_option("--fill", SSD_PARAM_TYPE_SIZE, o->fill, 0,
                       params->zone_capacity_bytes, fill_bytes,
                       &job->prefill_bytes, error) ||
        !number_option("--seed", SSD_PARAM_TYPE_U64, o->seed, 0, UINT64_MAX,
                       1, &job->seed, error)) {
        return false;
    }
    job->depth = (unsigned)qd;
    job->nsid = (uint32_t)nsid;
    set_zones(kind, job, (uint32_t)zones);
    return limit_options(o, job, (unsigned)zones, error) &&
           check_inside(job, (uint32_t)zones, params, error);
}

static Plan *run_plan(const RunOptions *o, const SsdParams *params,
                      GError **error)
{
    g_autoptr(Plan) plan = plan_new();
    PlanJob *job = plan_job_new("");

    g_ptr_array_add(plan->jobs, job);
    return job_options(o, params, job, error) &&
           plan_check(plan, params, error) ? g_steal_pointer(&plan) : NULL;
}

/* --- Reports ------------------------------------------------------------- */

/*
 * The operation's measured commands, or, for a writer's resets, those in
 * front of a rewrite. NULL: there were none.
 */
static const ResultOp *result_of(const Result *r, PlanOp op)
{
    const ResultJob *job = &r->jobs[0];

    return job->ops[op].latency ? &job->ops[op] :
           job->prepared[op].latency ? &job->prepared[op] : NULL;
}

static uint64_t elapsed_of(const Result *r)
{
    return r->end_at_ns - r->start_at_ns;
}

static const char *kind_name(const RunOptions *o)
{
    return o->op ? o->op : "write";
}

static void print_table(const RunOptions *o, const PlanJob *job,
                        const Result *r)
{
    uint64_t elapsed_ns = elapsed_of(r);

    printf("%s, %s: bs %" PRIu64 ", qd %u, zones %s, fill %" PRIu64 ", seed %"
           PRIu64 "\n\n", o->drive.config ? o->drive.config : "defaults",
           kind_name(o), job->block_bytes, job->depth,
           o->zones ? o->zones : "1", job->prefill_bytes, job->seed);
    printf("%-8s%10s%13s%13s%13s%13s%13s%13s\n", "", "count", "mean ns",
           "min ns", "p50 ns", "p95 ns", "p99 ns", "max ns");
    for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
        const ResultOp *sum = result_of(r, op);

        if (sum) {
            printf("%-8s%10" PRIu64 "%13" PRIu64 "%13" PRIu64 "%13" PRIu64
                   "%13" PRIu64 "%13" PRIu64 "%13" PRIu64 "\n",
                   plan_op_name(op), sum->latency->count,
                   sim_latency_mean(sum->latency), sum->latency->min_ns,
                   sim_latency_percentile(sum->latency, 500000),
                   sim_latency_percentile(sum->latency, 950000),
                   sim_latency_percentile(sum->latency, 990000),
                   sum->latency->max_ns);
        }
    }
    printf("\n%" PRIu64 " ns", elapsed_ns);
    for (unsigned op = 0; op < PLAN_OP_COUNT && elapsed_ns > 0; op++) {
        const ResultOp *sum = result_of(r, op);

        if (sum && plan_op_transfers(op)) {
            printf(", %s %.1f MiB/s, %.1f IOPS", plan_op_name(op),
                   (double)sum->bytes * NS_PER_S / SSD_MIB / elapsed_ns,
                   (double)sum->latency->count * NS_PER_S / elapsed_ns);
        }
    }
    printf("\n");
}

static void print_csv(const Result *r)
{
    printf("op,count,bytes,elapsed_ns,mean_ns,min_ns,p50_ns,p95_ns,p99_ns,"
           "max_ns\n");
    for (unsigned op = 0; op < PLAN_OP_COUNT; op++) {
        const ResultOp *sum = result_of(r, op);

        if (sum) {
            printf("%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%"
                   PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                   plan_op_name(op), sum->latency->count,
                   plan_op_transfers(op) ? sum->bytes : 0, elapsed_of(r),
                   sim_latency_mean(sum->latency), sum->latency->min_ns,
                   sim_latency_percentile(sum->latency, 500000),
                   sim_latency_percentile(sum->latency, 950000),
                   sim_latency_percentile(sum->latency, 990000),
                   sum->latency->max_ns);
        }
    }
}

static void print_json(const RunOptions *o, const PlanJob *job,
                       SimDrive *drive, const Result *r)
{
    g_autofree char *run = g_strdup_printf(
        "\"run\":{\"op\":\"%s\",\"bs\":%" PRIu64 ",\"qd\":%u,\"zones\":%s,"
        "\"fill\":%" PRIu64 ",\"seed\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64
        "}", kind_name(o), job->block_bytes, job->depth,
        o->zones ? o->zones : "1", job->prefill_bytes, job->seed,
        elapsed_of(r));
    g_autofree char *json = ssd_stats_json(sim_drive_ssd(drive),
                                           sim_drive_now_ns(drive), run);

    puts(json);
}

/* --- The command --------------------------------------------------------- */

static bool files_apart(const RunOptions *o, GError **error)
{
    const SimFile files[] = {
        {"--config", o->drive.config, true},
        {"--trace", o->trace, false},
        {"--live", o->live, false},
    };

    return sim_files_apart(files, G_N_ELEMENTS(files), error);
}

static bool run(const RunOptions *o, GError **error)
{
    g_autoptr(Plan) plan = NULL;
    g_autoptr(Result) result = result_new(1);
    SsdParams params;
    SimDrive *drive;
    bool ran;

    if (o->json && o->csv) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0,
                    "--json and --csv: choose one");
        return false;
    }
    if (!files_apart(o, error) ||
        !sim_drive_params(&o->drive, &params, error)) {
        return false;
    }
    ssd_params_resolve(&params);
    plan = run_plan(o, &params, error);
    if (!plan) {
        return false;
    }
    drive = sim_drive_new(&params, o->trace, error);
    if (!drive) {
        return false;
    }
    ran = (!o->live || sim_drive_watch(drive, o->live, error)) &&
          engine_fill(plan, 0, drive, error) &&
          engine_run(plan, &drive, 1, result, error);
    if (ran && o->json) {
        print_json(o, plan_job(plan, 0), drive, result);
    } else if (ran && o->csv) {
        print_csv(result);
    } else if (ran) {
        print_table(o, plan_job(plan, 0), result);
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
