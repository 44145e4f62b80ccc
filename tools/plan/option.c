/*
 * The table of options, and the rules by which several of them make a job.
 *
 * Knows nothing of files and of command lines.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "option.h"

#include <inttypes.h>
#include <string.h>

#include "common/error.h"
#include "common/value.h"

typedef enum OptionKind {
    OPTION_COUNT,   /* whole number, at least 1, into uint64_t */
    OPTION_COUNT32, /* whole number, at least 1, into unsigned */
    OPTION_NUMBER,  /* whole number into uint64_t */
    OPTION_PERCENT, /* 0 to 100 into unsigned */
    OPTION_BYTES,
    OPTION_SECONDS, /* a time; a bare number is seconds */
    OPTION_MICROS,  /* a time; a bare number is microseconds */
    OPTION_RATE,    /* a number per second, stored in thousandths */
    OPTION_BOOL,
    OPTION_TEXT,
    OPTION_CALL,    /* parsed by the row's own `setter` */
    OPTION_IGNORED, /* about host software, which is not simulated */
} OptionKind;

typedef const char *OptionSetter(JobSpec *spec, Plan *plan,
                                 const char *value);

typedef struct OptionRow {
    const char *name;
    OptionKind kind;
    bool of_plan; /* offset_bytes is within Plan, not within JobSpec */
    size_t offset_bytes;
    OptionSetter *setter;
    const char *help;
} OptionRow;

/* --- Options with rules of their own ------------------------------------- */

static const char *set_prefill(JobSpec *spec, Plan *plan G_GNUC_UNUSED,
                               const char *value)
{
    const SsdParams *params = spec->params;

    spec->by_zone = true;
    if (strchr(value, '%')) {
        sim_value_percent(value, 1000000, 1, &spec->job.prefill_ppm);
        return sim_value_percent(value, params->zone_capacity_bytes,
                                 params->lba_bytes, &spec->job.prefill_bytes);
    }
    spec->job.prefill_ppm = 0;
    return sim_value_bytes(value, params->zone_capacity_bytes,
                           &spec->job.prefill_bytes);
}

static const char *set_mix_write(JobSpec *spec, Plan *plan G_GNUC_UNUSED,
                                 const char *value)
{
    uint64_t percent;
    const char *wrong = sim_value_count(value, &percent);

    if (wrong || percent > 100) {
        return "must be 0 to 100";
    }
    spec->mix_read_pct = (unsigned)(100 - percent);
    return NULL;
}

static const char *set_process(JobSpec *spec, Plan *plan G_GNUC_UNUSED,
                               const char *value)
{
    spec->poisson = g_str_equal(value, "poisson");
    return spec->poisson || g_str_equal(value, "linear")
           ? NULL : "must be linear or poisson";
}

static const char *set_zone_mode(JobSpec *spec G_GNUC_UNUSED,
                                 Plan *plan G_GNUC_UNUSED, const char *value)
{
    return g_str_equal(value, "zbd") ? NULL : "must be zbd: the drive is zoned";
}

static const char *set_zone_size(JobSpec *spec, Plan *plan G_GNUC_UNUSED,
                                 const char *value)
{
    uint64_t bytes;
    const char *wrong = sim_value_bytes(value, spec->params->zone_size_bytes,
                                        &bytes);

    return wrong ? wrong : bytes == spec->params->zone_size_bytes
           ? NULL : "is not the drive's zone-size";
}

/* Zones that were counted before must not become others. */
static const char *set_drive(JobSpec *spec, Plan *plan G_GNUC_UNUSED,
                             const char *value)
{
    const SsdParams *params;
    guint64 drive;

    if (!g_ascii_string_to_unsigned(value, 10, 0, spec->drive_count - 1,
                                    &drive, NULL)) {
        return "there is no such drive; the first is 0, and --config and "
               "--drives say how many there are";
    }
    params = &spec->drives[drive];
    if (spec->by_zone &&
        (params->zone_size_bytes != spec->params->zone_size_bytes ||
         params->zone_capacity_bytes != spec->params->zone_capacity_bytes)) {
        return "its zones have another size than those that the options before "
               "it count: it must come before them";
    }
    spec->params = params;
    spec->job.drive = (unsigned)drive;
    return NULL;
}

static const char *set_submit_mode(JobSpec *spec, Plan *plan G_GNUC_UNUSED,
                                   const char *value)
{
    spec->job.settles = g_str_equal(value, "inline");
    return spec->job.settles || g_str_equal(value, "offload")
           ? NULL : "must be inline or offload";
}

static const char *set_scheduler(JobSpec *spec G_GNUC_UNUSED, Plan *plan,
                                 const char *value)
{
    if (g_str_equal(value, "none")) {
        plan->policy.kind = PLAN_POLICY_NONE;
    } else if (g_str_equal(value, "mq-deadline")) {
        plan->policy.kind = PLAN_POLICY_MQ_DEADLINE;
    } else if (g_str_equal(value, "zinc")) {
        plan->policy.kind = PLAN_POLICY_ZINC;
    } else {
        return "must be none, mq-deadline or zinc";
    }
    return NULL;
}

/* --- The table ----------------------------------------------------------- */

#define OF_JOB(field) false, offsetof(JobSpec, job.field), NULL
#define OF_SPEC(field) false, offsetof(JobSpec, field), NULL
#define OF_PLAN(field) true, offsetof(Plan, field), NULL
#define BY(function) false, 0, function
#define IGNORED(name) {name, OPTION_IGNORED, false, 0, NULL, NULL}

static const OptionRow rows[] = {
    {"rw", OPTION_TEXT, OF_SPEC(rw), "read, write, randread, randwrite, rw, "
     "randrw, append, randappend, finish, softfinish, reset (or trim), open, "
     "close, report (of each zone, and of those behind it as far as bs has "
     "room)"},
    {"readwrite", OPTION_TEXT, OF_SPEC(rw), NULL},
    {"bs", OPTION_BYTES, OF_JOB(block_bytes), "bytes of a read, write or "
     "report (4k); of a softfinish, its chunk"},
    {"blocksize", OPTION_BYTES, OF_JOB(block_bytes), NULL},
    {"iodepth", OPTION_COUNT32, OF_JOB(depth), "operations that a worker keeps "
     "under way (1)"},
    {"numjobs", OPTION_COUNT32, OF_JOB(workers), "workers of the job (1)"},
    {"drive", OPTION_CALL, BY(set_drive), "of several drives, the job's: 0 is the "
     "first (0); before options that count in zones, if drives differ"},
    {"nsid", OPTION_COUNT32, OF_JOB(nsid), "namespace (1); behind the zoned "
     "ones the conventional one, where places are bytes"},
    {"offset", OPTION_BYTES, OF_SPEC(offset_bytes), "where the first worker's "
     "zones start, such as 24z (0)"},
    {"offset_increment", OPTION_BYTES, OF_SPEC(offset_increment_bytes),
     "how much further on the next worker's start, such as 3z (0)"},
    {"size", OPTION_BYTES, OF_SPEC(size_bytes), "zones of a worker, such as 3z "
     "(to the drive's end); random reads also stop after as many bytes"},
    {"io_size", OPTION_BYTES, OF_JOB(max_bytes), "a worker stops after so many "
     "bytes, however many passes that takes"},
    {"number_ios", OPTION_COUNT, OF_JOB(max_count), "a worker stops after so "
     "many operations that end behind the ramp"},
    {"loops", OPTION_COUNT, OF_SPEC(loops), "passes over the zones (1)"},
    {"runtime", OPTION_SECONDS, OF_JOB(runtime_ns), "a worker stops sending "
     "after that time behind the ramp"},
    {"time_based", OPTION_BOOL, OF_SPEC(time_based), "pass after pass until "
     "runtime is over"},
    {"ramp_time", OPTION_SECONDS, OF_JOB(ramp_ns), "not measured"},
    {"startdelay", OPTION_SECONDS, OF_JOB(start_delay_ns), "before the job "
     "starts"},
    {"start_spread", OPTION_SECONDS, OF_JOB(start_spread_ns), "drawn for every "
     "worker, which starts up to this much later (0)"},
    {"stonewall", OPTION_BOOL, OF_JOB(stonewall), "starts when all earlier "
     "jobs have ended"},
    {"wait_for_previous", OPTION_BOOL, OF_JOB(stonewall), NULL},
    {"exitall", OPTION_BOOL, OF_JOB(ends_all), "when the job ends, every other "
     "stops sending, up to the next stonewall"},
    {"rwmixread", OPTION_PERCENT, OF_SPEC(mix_read_pct), "reads of rw and "
     "randrw, in percent (50)"},
    {"rwmixwrite", OPTION_CALL, BY(set_mix_write), NULL},
    {"zone_append", OPTION_BOOL, OF_SPEC(appends), "writes, also those of a "
     "mix, are appends"},
    {"rate", OPTION_BYTES, OF_JOB(rate_bytes_per_s), "most bytes per second of "
     "a worker, in a mix of its reads and of its writes each; a finish counts "
     "a zone's capacity, a reset its size"},
    {"rate_iops", OPTION_RATE, OF_JOB(rate_milliops_per_s), "most operations "
     "per second of a worker, in a mix of its reads and of its writes each"},
    {"rate_percent", OPTION_COUNT, OF_SPEC(rate_percent), "the rate as a part "
     "of the reference"},
    {"rate_reference", OPTION_BYTES, OF_SPEC(rate_reference_bytes_per_s),
     "bytes per second that are 100 percent"},
    {"rate_iops_reference", OPTION_RATE,
     OF_SPEC(rate_reference_milliops_per_s),
     "operations per second that are 100 percent"},
    {"rate_burst", OPTION_NUMBER, OF_JOB(rate_burst), "operations that the "
     "rate lets pass at first, beyond what it is (0)"},
    {"io_submit_mode", OPTION_CALL, BY(set_submit_mode), "inline: a worker that "
     "its rate holds back sends nothing until all that it has under way is "
     "done, as fio does unless told otherwise; or offload (offload)"},
    {"flow", OPTION_COUNT, OF_JOB(flow), "a worker's share of what the workers "
     "of all jobs with a flow send: who has sent more waits, and lets all that "
     "it has under way end first"},
    {"flow_sleep", OPTION_MICROS, OF_JOB(flow_sleep_ns), "who waits so sleeps "
     "for this before it looks again (it goes on as soon as it may)"},
    {"rate_process", OPTION_CALL, BY(set_process), "linear or poisson: gaps of "
     "an open loop (linear)"},
    {"open_loop", OPTION_BOOL, OF_SPEC(open_loop), "operations arrive at "
     "rate_iops whether or not a slot is free, and wait for one"},
    {"thinktime", OPTION_MICROS, OF_JOB(think_ns), "pause of a worker after "
     "thinktime_blocks operations, once these have ended"},
    {"thinktime_blocks", OPTION_COUNT, OF_JOB(think_count), "(1)"},
    {"randseed", OPTION_NUMBER, OF_JOB(seed), "of everything that is drawn "
     "(1)"},
    {"max_open_zones", OPTION_COUNT, OF_SPEC(write_zones), "zones that random "
     "writes go to at a time (1)"},
    {"job_max_open_zones", OPTION_COUNT, OF_SPEC(write_zones), NULL},
    {"zone_bytes", OPTION_BYTES, OF_JOB(zone_bytes), "written to a zone before "
     "the next is taken (all)"},
    {"prefill", OPTION_CALL, BY(set_prefill), "written to every zone of the "
     "job beforehand, such as 50% or 1z"},
    {"prefill_finish", OPTION_BOOL, OF_JOB(prefill_finished), "and then "
     "finished"},
    {"prewrite", OPTION_BYTES, OF_JOB(prewrite_bytes), "written to an empty "
     "zone before its finish or softfinish"},
    {"pause", OPTION_MICROS, OF_JOB(pause_ns), "of a softfinish, between two "
     "writes"},
    {"read_iolog", OPTION_TEXT, OF_JOB(iolog), "the operations are those of an "
     "iolog of fio, or of blkparse's text"},
    {"zonemode", OPTION_CALL, BY(set_zone_mode), "zbd"},
    {"zonesize", OPTION_CALL, BY(set_zone_size), NULL},
    {"ioscheduler", OPTION_CALL, BY(set_scheduler), "of the host: none, "
     "mq-deadline or zinc (none)"},
    {"merge_bytes", OPTION_BYTES, OF_PLAN(policy.merge_bytes), "largest write "
     "that the host's scheduler makes of waiting ones (128k)"},
    {"host_scheduler", OPTION_MICROS, OF_PLAN(policy.send_ns), "of every "
     "command that the host's scheduler sends, such as 1.9us (0)"},
    {"zinc_epoch", OPTION_MICROS, OF_PLAN(policy.epoch_ns), "(64ms)"},
    {"zinc_tokens", OPTION_COUNT, OF_PLAN(policy.write_tokens), "(20000)"},
    {"zinc_holds", OPTION_COUNT32, OF_PLAN(policy.max_holds), "(3)"},
    {"zinc_concurrency", OPTION_COUNT32, OF_PLAN(policy.min_concurrency),
     "(3)"},
    {"host_overhead", OPTION_MICROS, OF_JOB(host.overhead_ns), "of every "
     "command in the host, such as 8us (0)"},
    {"host_cpu", OPTION_MICROS, OF_JOB(host.cpu_ns), "of host_overhead: a "
     "worker's processor, which has one command at a time (0)"},
    {"host_batch", OPTION_BOOL, OF_JOB(host.batches), "1: the drive is "
     "told of what a worker sends when it can send no more, as by SPDK's fio "
     "plugin (0)"},
    {"host_spread", OPTION_MICROS, OF_JOB(host.spread_ns), "drawn for every "
     "command, up to this much more or less (0)"},
    {"host_stall", OPTION_MICROS, OF_JOB(host.stall_ns), "some commands take "
     "up to this much longer, as when the host does something else (0)"},
    {"host_stall_per_million", OPTION_NUMBER, OF_JOB(host.stall_per_million),
     "how many of them (0)"},
    {"host_timer_slack", OPTION_MICROS, OF_JOB(host.timer_slack_ns),
     "flow_sleep takes up to this much longer, as sleeps do: 50us is Linux's "
     "(0)"},
    {"host_between", OPTION_MICROS, OF_JOB(host.between_ns), "from the end of "
     "an operation to when the next may take its place; in no latency (0)"},
    {"host_seed", OPTION_NUMBER, OF_PLAN(host_seed), "of what is drawn (1)"},
    IGNORED("filename"), IGNORED("ioengine"), IGNORED("direct"),
    IGNORED("thread"), IGNORED("group_reporting"), IGNORED("norandommap"),
    IGNORED("randrepeat"), IGNORED("cmd_type"), IGNORED("buffered"),
    IGNORED("allow_mounted_write"), IGNORED("description"),
    IGNORED("cpus_allowed"), IGNORED("hipri"), IGNORED("registerfiles"),
    IGNORED("fixedbufs"), IGNORED("sqthread_poll"), IGNORED("invalidate"),
    IGNORED("percentile_list"), IGNORED("uncached"), IGNORED("nonvectored"),
};

char *option_help(void)
{
    GString *text = g_string_new("Options of a job (name=value):\n");

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].help) {
            g_string_append_printf(text, "  %-20s %s\n", rows[i].name,
                                   rows[i].help);
        }
    }
    g_string_append(text, "Taken and without effect here:");
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].kind == OPTION_IGNORED) {
            g_string_append_printf(text, " %s", rows[i].name);
        }
    }
    g_string_append(text, "\n");
    return g_string_free(text, FALSE);
}

/* --- Setting one option -------------------------------------------------- */

static const char *set_number(const OptionRow *row, void *field,
                              const char *value)
{
    uint64_t number;
    const char *wrong = sim_value_count(value, &number);

    if (wrong) {
        return wrong;
    }
    switch (row->kind) {
    case OPTION_COUNT32:
        if (number < 1 || number > 65536) {
            return "must be 1 to 65536";
        }
        *(unsigned *)field = (unsigned)number;
        return NULL;
    case OPTION_PERCENT:
        if (number > 100) {
            return "must be 0 to 100";
        }
        *(unsigned *)field = (unsigned)number;
        return NULL;
    case OPTION_COUNT:
        if (number < 1) {
            return "must be at least 1";
        }
        *(uint64_t *)field = number;
        return NULL;
    default:
        *(uint64_t *)field = number;
        return NULL;
    }
}

static const char *set_field(const OptionRow *row, JobSpec *spec, Plan *plan,
                             const char *value)
{
    void *field = (row->of_plan ? (char *)plan : (char *)spec) +
                  row->offset_bytes;

    if (row->kind == OPTION_BOOL) {
        return sim_value_bool(value, field);
    }
    if (row->kind == OPTION_IGNORED) {
        return NULL;
    }
    if (!value || value[0] == '\0') {
        return "needs a value";
    }
    spec->by_zone |= row->kind == OPTION_BYTES && strpbrk(value, "zZ");
    switch (row->kind) {
    case OPTION_BYTES:
        return sim_value_bytes(value, spec->params->zone_size_bytes, field);
    case OPTION_SECONDS:
        return sim_value_ns(value, UINT64_C(1000000000), field);
    case OPTION_MICROS:
        return sim_value_ns(value, 1000, field);
    case OPTION_RATE:
        return sim_value_thousandths(value, field);
    case OPTION_TEXT:
        g_free(*(char **)field);
        *(char **)field = g_strdup(value);
        return NULL;
    case OPTION_CALL:
        return row->setter(spec, plan, value);
    default:
        return set_number(row, field, value);
    }
}

bool option_set(JobSpec *spec, Plan *plan, const char *name,
                const char *value, GError **error)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        const char *wrong;

        if (!g_str_equal(rows[i].name, name)) {
            continue;
        }
        wrong = set_field(&rows[i], spec, plan, value);
        if (wrong) {
            g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s=%s: %s", name,
                        value ? value : "", wrong);
        }
        return !wrong;
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "there is no job option '%s'; "
                "see femu-sim help fio", name);
    return false;
}

bool option_is_of_job(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (g_str_equal(rows[i].name, name)) {
            return !rows[i].of_plan && rows[i].kind != OPTION_IGNORED &&
                   rows[i].setter != set_scheduler;
        }
    }
    return false;
}

/* --- From a spec to a job ------------------------------------------------ */

JobSpec *job_spec_new(const SsdParams *params, unsigned count)
{
    JobSpec *spec = g_new0(JobSpec, 1);
    PlanJob *job = plan_job_new("");

    spec->job = *job;
    spec->job.name = NULL;
    plan_job_free(job);
    spec->params = params;
    spec->drives = params;
    spec->drive_count = count;
    spec->loops = 1;
    spec->write_zones = 1;
    spec->mix_read_pct = 50;
    return spec;
}

JobSpec *job_spec_copy(const JobSpec *spec)
{
    JobSpec *copy = g_memdup2(spec, sizeof(*spec));

    copy->rw = g_strdup(spec->rw);
    copy->job.iolog = g_strdup(spec->job.iolog);
    return copy;
}

void job_spec_free(JobSpec *spec)
{
    g_free(spec->rw);
    g_free(spec->job.iolog);
    g_free(spec);
}

/* The values that rw= accepts. */
static const struct {
    const char *name;
    PlanOp op;
    bool random;
    bool mix;
} kinds[] = {
    {"read", PLAN_READ, false, false},
    {"write", PLAN_WRITE, false, false},
    {"randread", PLAN_READ, true, false},
    {"randwrite", PLAN_WRITE, true, false},
    {"rw", PLAN_WRITE, false, true},
    {"readwrite", PLAN_WRITE, false, true},
    {"randrw", PLAN_WRITE, true, true},
    {"append", PLAN_APPEND, false, false},
    {"randappend", PLAN_APPEND, true, false},
    {"finish", PLAN_FINISH, false, false},
    {"softfinish", PLAN_SOFTFINISH, false, false},
    {"reset", PLAN_RESET, false, false},
    {"trim", PLAN_RESET, false, false},
    {"open", PLAN_OPEN, false, false},
    {"close", PLAN_CLOSE, false, false},
    {"report", PLAN_REPORT, false, false},
};

static const char *finish_kind(const JobSpec *spec, PlanJob *job)
{
    const char *name = spec->rw ? spec->rw : "read";

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (g_str_equal(kinds[i].name, name)) {
            job->rw = kinds[i].name;
            job->op = kinds[i].op;
            if (spec->appends && job->op == PLAN_WRITE) {
                job->op = PLAN_APPEND;
            }
            job->random = kinds[i].random;
            job->read_pct = kinds[i].mix ? spec->mix_read_pct : 0;
            if (job->random && job->op != PLAN_READ) {
                job->lanes = (unsigned)MIN(spec->write_zones, 1u << 20);
            }
            return NULL;
        }
    }
    return "must be read, write, randread, randwrite, rw, randrw, append, "
           "randappend, finish, softfinish, reset, open, close or report";
}

/* An offset or a length that must be a whole number of zones. */
static bool whole_zones(const JobSpec *spec, const char *option,
                        uint64_t bytes, uint32_t *zones, GError **error)
{
    uint64_t count = bytes / spec->params->zone_size_bytes;

    if (bytes % spec->params->zone_size_bytes != 0 || count > UINT32_MAX) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s=%" PRIu64 ": must be whole "
                    "zones, a multiple of zone-size=%" PRIu64 ", such as 3z",
                    option, bytes, spec->params->zone_size_bytes);
        return false;
    }
    *zones = (uint32_t)count;
    return true;
}

static bool finish_places(const JobSpec *spec, PlanJob *job, GError **error)
{
    if (plan_is_flat(job, spec->params)) {
        job->flat_first_bytes = spec->offset_bytes;
        job->flat_offset_bytes = spec->offset_increment_bytes;
        job->flat_bytes = spec->size_bytes ? spec->size_bytes : UINT64_MAX;
        return true;
    }
    if (!whole_zones(spec, "offset", spec->offset_bytes, &job->zone_first,
                     error) ||
        !whole_zones(spec, "offset_increment", spec->offset_increment_bytes,
                     &job->zone_offset, error)) {
        return false;
    }
    return spec->size_bytes == 0 ||
           whole_zones(spec, "size", spec->size_bytes, &job->zone_count,
                       error);
}

/* Where there is a reference, the rate is its share, at least 1. */
static bool share_of(const JobSpec *spec, uint64_t reference, uint64_t *rate,
                     GError **error)
{
    unsigned __int128 share = (unsigned __int128)reference *
                              spec->rate_percent / 100;

    if (reference == 0) {
        return true;
    }
    if (*rate != 0) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "rate_percent=%" PRIu64 ": of "
                    "a reference for what has a rate already",
                    spec->rate_percent);
        return false;
    }
    if (share == 0 || share > UINT64_MAX) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "rate_percent=%" PRIu64 ": of "
                    "its reference a rate of %s", spec->rate_percent,
                    share == 0 ? "0, with which nothing is ever sent"
                               : "more than 2^64");
        return false;
    }
    *rate = (uint64_t)share;
    return true;
}

/* One that jobs have in common may be for others of them. */
static bool check_reference(const JobSpec *spec, const JobSpec *common,
                            GError **error)
{
    bool bytes = spec->rate_reference_bytes_per_s !=
                 common->rate_reference_bytes_per_s;

    if (spec->rate_percent > 0 ||
        (!bytes && spec->rate_reference_milliops_per_s ==
                   common->rate_reference_milliops_per_s)) {
        return true;
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: holds nothing back without "
                "rate_percent", bytes ? "rate_reference"
                                      : "rate_iops_reference");
    return false;
}

static bool finish_rate(const JobSpec *spec, PlanJob *job, GError **error)
{
    if (spec->rate_percent > 0) {
        if (!spec->rate_reference_bytes_per_s &&
            !spec->rate_reference_milliops_per_s) {
            g_set_error(error, SIM_ERROR_DOMAIN, 0, "rate_percent=%" PRIu64
                        ": of what? give rate_reference or "
                        "rate_iops_reference", spec->rate_percent);
            return false;
        }
        if (!share_of(spec, spec->rate_reference_bytes_per_s,
                      &job->rate_bytes_per_s, error) ||
            !share_of(spec, spec->rate_reference_milliops_per_s,
                      &job->rate_milliops_per_s, error)) {
            return false;
        }
    }
    if (!spec->open_loop && spec->poisson &&
        (job->rate_bytes_per_s != 0 || job->rate_milliops_per_s != 0)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "rate_process=poisson: needs "
                    "open_loop=1 and rate_iops; else a rate is even");
        return false;
    }
    job->arrival = !spec->open_loop ? PLAN_CLOSED
                   : spec->poisson ? PLAN_EXPONENTIAL : PLAN_FIXED;
    return true;
}

/*
 * How much a job does: how many passes each worker makes over its zones. Random
 * reads, a mix without writes, whose passes would be counted, and jobs in the
 * conventional namespace make none; they stop after the same number of bytes
 * instead. A log has an end of its own.
 */
static void finish_amount(const JobSpec *spec, PlanJob *job)
{
    bool bounded, for_ever;

    /* As in fio, 0 is no limit. */
    job->runtime_ns = job->runtime_ns ? job->runtime_ns : UINT64_MAX;
    job->max_bytes = job->max_bytes ? job->max_bytes : UINT64_MAX;
    bounded = job->max_bytes != UINT64_MAX || job->max_count != UINT64_MAX ||
              job->iolog;
    /* Without a runtime time_based means nothing. */
    for_ever = spec->time_based && job->runtime_ns != UINT64_MAX;
    job->passes = for_ever || job->max_bytes != UINT64_MAX ? UINT64_MAX
                                                           : spec->loops;
    if (!bounded && !for_ever && (plan_is_flat(job, spec->params) ||
                                  job->read_pct == 100 ||
                                  (job->op == PLAN_READ && job->random))) {
        job->part_loops = spec->loops;
    }
}

/* A log has an end of its own, and no passes. */
static bool check_log(const JobSpec *spec, GError **error)
{
    if (!spec->job.iolog || (spec->loops == 1 && !spec->time_based)) {
        return true;
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "read_iolog knows no %s: a log is "
                "done once", spec->loops == 1 ? "time_based" : "loops");
    return false;
}

PlanJob *option_finish(const JobSpec *spec, const JobSpec *common,
                       const char *name, GError **error)
{
    PlanJob *job = plan_job_copy(&spec->job, name);
    const char *wrong = finish_kind(spec, job);

    if (wrong) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "rw=%s: %s", spec->rw, wrong);
    } else if (finish_places(spec, job, error) && check_log(spec, error) &&
               check_reference(spec, common, error) &&
               finish_rate(spec, job, error)) {
        finish_amount(spec, job);
        return job;
    }
    plan_job_free(job);
    return NULL;
}
