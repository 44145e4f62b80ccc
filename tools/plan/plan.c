/*
 * Plans: defaults and the checks of a plan against a drive.
 *
 * Knows nothing of how a plan is written down, and of how it runs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "plan.h"

#include <inttypes.h>
#include <string.h>

#include "common/error.h"

/* Operations that all workers together may have under way. */
#define MAX_SLOTS (1u << 24)

static const char *const op_names[PLAN_OP_COUNT] = {
    [PLAN_READ] = "read",
    [PLAN_WRITE] = "write",
    [PLAN_APPEND] = "append",
    [PLAN_FINISH] = "finish",
    [PLAN_RESET] = "reset",
    [PLAN_OPEN] = "open",
    [PLAN_CLOSE] = "close",
    [PLAN_REPORT] = "report",
    [PLAN_SOFTFINISH] = "softfinish",
};

const char *plan_op_name(PlanOp op)
{
    return op_names[op];
}

Plan *plan_new(void)
{
    Plan *plan = g_new0(Plan, 1);

    plan->jobs =
        g_ptr_array_new_with_free_func((GDestroyNotify)plan_job_free);
    plan->host_seed = 1;
    plan->policy.merge_bytes = 128 * SSD_KIB;
    /* The ConfZNS++ paper's choice for the ZN540 (section 5.1). */
    plan->policy.epoch_ns = 64000000;
    plan->policy.write_tokens = 20000;
    plan->policy.max_holds = 3;
    plan->policy.min_concurrency = 3;
    return plan;
}

PlanJob *plan_job_new(const char *name)
{
    PlanJob *job = g_new0(PlanJob, 1);

    job->name = g_strdup(name);
    job->block_bytes = 4096;
    job->depth = 1;
    job->workers = 1;
    job->nsid = 1;
    job->zone_count = UINT32_MAX;
    job->zone_stride = 1;
    job->flat_bytes = UINT64_MAX;
    job->prefill_zones = UINT32_MAX;
    job->zone_bytes = UINT64_MAX;
    job->lanes = 1;
    job->think_count = 1;
    job->runtime_ns = UINT64_MAX;
    job->passes = 1;
    job->max_count = UINT64_MAX;
    job->max_bytes = UINT64_MAX;
    job->seed = 1;
    return job;
}

PlanJob *plan_job_copy(const PlanJob *job, const char *name)
{
    PlanJob *copy = g_memdup2(job, sizeof(*job));

    copy->name = g_strdup(name);
    copy->iolog = g_strdup(job->iolog);
    return copy;
}

void plan_job_free(PlanJob *job)
{
    g_free(job->name);
    g_free(job->iolog);
    g_free(job);
}

void plan_free(Plan *plan)
{
    g_ptr_array_unref(plan->jobs);
    g_free(plan);
}

uint32_t plan_worker_zones(const PlanJob *job, const SsdParams *params,
                           unsigned worker_idx)
{
    uint64_t first = job->zone_first +
                     (uint64_t)worker_idx * job->zone_offset;

    if (first >= plan_ns_zones(params)) {
        return 0;
    }
    return (uint32_t)MIN((uint64_t)job->zone_count,
                         (plan_ns_zones(params) - first - 1) /
                         job->zone_stride + 1);
}

uint64_t plan_flat_bytes(const PlanJob *job, const SsdParams *params,
                         unsigned worker_idx)
{
    uint64_t first_bytes = plan_flat_first(job, worker_idx);

    if (first_bytes >= params->conventional_bytes) {
        return 0;
    }
    return MIN(job->flat_bytes, params->conventional_bytes - first_bytes);
}

/* In the conventional namespace the part is what whole blocks cover. */
uint64_t plan_worker_max_bytes(const PlanJob *job, const SsdParams *params,
                               unsigned worker_idx)
{
    uint64_t bytes;

    if (job->part_loops == 0) {
        return job->max_bytes;
    }
    if (plan_is_flat(job, params)) {
        bytes = plan_flat_bytes(job, params, worker_idx);
        bytes -= bytes % job->block_bytes;
    } else {
        bytes = plan_worker_zones(job, params, worker_idx) *
                params->zone_size_bytes;
    }
    return (uint64_t)MIN((unsigned __int128)bytes * job->part_loops,
                         UINT64_MAX);
}

/* --- Checks -------------------------------------------------------------- */

G_GNUC_PRINTF(3, 4)
static bool job_error(GError **error, const PlanJob *job, const char *format,
                      ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    if (job->name[0] == '\0') {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s", text);
    } else {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "job '%s': %s", job->name,
                    text);
    }
    return false;
}

/* Jobs of `femu-sim run` have no name; its messages write "--" options. */
static const char *dashes(const PlanJob *job)
{
    return job->name[0] == '\0' ? "--" : "";
}

static const char *fill_prefix(const PlanJob *job)
{
    return job->name[0] == '\0' ? "--" : "pre";
}

/* Check a job in the conventional namespace. */
static bool check_flat(const PlanJob *job, const SsdParams *params,
                       GError **error)
{
    uint64_t unit_bytes = params->lba_bytes;
    uint64_t bytes;

    if ((job->op != PLAN_READ && job->op != PLAN_WRITE) ||
        job->prefill_finished) {
        return job_error(error, job, "nsid=%" PRIu32 " is the conventional "
                         "namespace, which has no zones to %s", job->nsid,
                         job->prefill_finished ? "finish"
                                               : plan_op_name(job->op));
    }
    if (job->flat_first_bytes % unit_bytes != 0 ||
        job->flat_offset_bytes % unit_bytes != 0 ||
        (job->flat_bytes != UINT64_MAX && job->flat_bytes % unit_bytes != 0)) {
        return job_error(error, job, "offset, offset_increment and size must "
                         "be multiples of lba-size=%" PRIu32,
                         params->lba_bytes);
    }
    /* So the place where a worker begins, of MAX_SLOTS, fits into 64 bits. */
    if (MAX(job->flat_first_bytes, job->flat_offset_bytes) >
        params->conventional_bytes) {
        return job_error(error, job, "offset=%" PRIu64 ", offset_increment=%"
                         PRIu64 ": must be at most conventional-size=%" PRIu64,
                         job->flat_first_bytes, job->flat_offset_bytes,
                         params->conventional_bytes);
    }
    bytes = plan_flat_bytes(job, params, job->workers - 1);
    if (bytes < job->block_bytes ||
        (job->flat_bytes != UINT64_MAX && bytes < job->flat_bytes)) {
        return job_error(error, job, "worker %u's bytes begin at %" PRIu64
                         " and do not fit into conventional-size=%" PRIu64,
                         job->workers - 1,
                         plan_flat_first(job, job->workers - 1),
                         params->conventional_bytes);
    }
    return true;
}

static bool check_zones(const PlanJob *job, const SsdParams *params,
                        GError **error)
{
    uint32_t zones = plan_ns_zones(params);
    uint64_t last = job->zone_first +
                    (uint64_t)(job->workers - 1) * job->zone_offset;

    if (plan_is_flat(job, params)) {
        return check_flat(job, params, error);
    }
    if (job->nsid < 1 || job->nsid > params->namespaces) {
        return job_error(error, job, "nsid=%" PRIu32 ": must be 1 to "
                         "namespaces=%" PRIu32 "%s", job->nsid,
                         params->namespaces, params->conventional_bytes
                         ? ", or the one behind them" : "");
    }
    if (last >= zones) {
        return job_error(error, job, "worker %u starts at zone %" PRIu64
                         ", but the namespace has %" PRIu32 " zones",
                         job->workers - 1, last, zones);
    }
    if (job->zone_count == UINT32_MAX) {
        return true;
    }
    last += (uint64_t)(job->zone_count - 1) * job->zone_stride;
    if (last >= zones) {
        return job_error(error, job, "uses zones up to %" PRIu64 ", but the "
                         "namespace has %" PRIu32 " zones (counted from 0)",
                         last, zones);
    }
    return true;
}

/* A zone report needs its header, which is 64 bytes, as is a descriptor. */
static bool check_report(const PlanJob *job, const SsdParams *params,
                         GError **error)
{
    if (job->block_bytes % 4 == 0 && job->block_bytes >= 64 &&
        job->block_bytes <= params->mdts_bytes) {
        return true;
    }
    return job_error(error, job, "%sbs=%" PRIu64 ": a report has a multiple of "
                     "4 bytes, 64 to mdts=%" PRIu64, dashes(job),
                     job->block_bytes, params->mdts_bytes);
}

static bool check_zone_bytes(const PlanJob *job, const SsdParams *params,
                             GError **error)
{
    if (job->zone_bytes != UINT64_MAX &&
        (job->zone_bytes == 0 || job->zone_bytes % params->lba_bytes != 0)) {
        return job_error(error, job, "zone_bytes=%" PRIu64 ": must be a "
                         "multiple of lba-size=%" PRIu32, job->zone_bytes,
                         params->lba_bytes);
    }
    return true;
}

static bool check_block(const PlanJob *job, const SsdParams *params,
                        GError **error)
{
    bool append = job->op == PLAN_APPEND;
    uint64_t max_bytes = append ? params->zasl_bytes : params->mdts_bytes;

    if (job->op == PLAN_REPORT) {
        return check_report(job, params, error);
    }
    if (!plan_op_transfers(job->op) && job->op != PLAN_SOFTFINISH) {
        return true;
    }
    if (job->block_bytes == 0 || job->block_bytes % params->lba_bytes != 0 ||
        job->block_bytes > max_bytes) {
        return job_error(error, job, "%sbs=%" PRIu64 ": must be a multiple of "
                         "lba-size=%" PRIu32 " up to %s=%" PRIu64,
                         dashes(job), job->block_bytes, params->lba_bytes,
                         append ? "zasl" : "mdts", max_bytes);
    }
    return true;
}

static bool check_fill(const PlanJob *job, const SsdParams *params,
                       GError **error)
{
    if (plan_is_flat(job, params) &&
        job->prefill_bytes % params->lba_bytes == 0) {
        return true;
    }
    if (job->prefill_bytes % params->lba_bytes != 0 ||
        job->prefill_bytes > params->zone_capacity_bytes) {
        return job_error(error, job, "%sfill=%" PRIu64 ": must be a multiple "
                         "of lba-size=%" PRIu32 " up to the zone's capacity "
                         "of %" PRIu64 " bytes", fill_prefix(job),
                         job->prefill_bytes, params->lba_bytes,
                         params->zone_capacity_bytes);
    }
    if (job->prewrite_bytes % params->lba_bytes != 0 ||
        job->prewrite_bytes > params->mdts_bytes) {
        return job_error(error, job, "prewrite=%" PRIu64 ": must be a "
                         "multiple of lba-size=%" PRIu32 " up to mdts=%"
                         PRIu64, job->prewrite_bytes, params->lba_bytes,
                         params->mdts_bytes);
    }
    if (job->op == PLAN_READ && job->prefill_bytes > 0 &&
        job->block_bytes > job->prefill_bytes) {
        return job_error(error, job, "%sbs=%" PRIu64 ": a zone holds only "
                         "%sfill=%" PRIu64 " bytes to read", dashes(job),
                         job->block_bytes, fill_prefix(job),
                         job->prefill_bytes);
    }
    return true;
}

/* Are there bytes that io_size and rate count? */
static bool has_bytes(PlanOp op)
{
    return op != PLAN_OPEN && op != PLAN_CLOSE && op != PLAN_REPORT;
}

static bool check_pace(const PlanJob *job, GError **error)
{
    if (job->arrival != PLAN_CLOSED && job->rate_milliops_per_s == 0) {
        return job_error(error, job, "open_loop needs rate_iops: how many "
                         "operations arrive in a second");
    }
    if (job->arrival != PLAN_CLOSED &&
        (job->rate_bytes_per_s != 0 || job->think_ns != 0)) {
        return job_error(error, job, "open_loop knows no %s: operations arrive "
                         "at rate_iops", job->think_ns != 0 ? "thinktime"
                                                            : "rate of bytes");
    }
    if (job->rate_bytes_per_s != 0 && !has_bytes(job->op)) {
        return job_error(error, job, "rate is of bytes, which %s has none of; "
                         "give rate_iops", plan_op_name(job->op));
    }
    if (job->read_pct > 0 && job->op != PLAN_WRITE &&
        job->op != PLAN_APPEND) {
        return job_error(error, job, "rwmixread mixes reads with writes or "
                         "appends, not with %s", plan_op_name(job->op));
    }
    if (job->passes == UINT64_MAX && job->runtime_ns == UINT64_MAX &&
        job->max_count == UINT64_MAX &&
        (job->max_bytes == UINT64_MAX || !has_bytes(job->op))) {
        return job_error(error, job, "would never end: give runtime, "
                         "number_ios%s", has_bytes(job->op) ? " or io_size"
                                                            : "");
    }
    return true;
}

static bool check_part_of_overhead(const PlanJob *job, const char *name,
                                   uint64_t ns, GError **error)
{
    if (ns > job->host.overhead_ns) {
        return job_error(error, job, "%s=%" PRIu64 "ns: must be at most "
                         "host_overhead=%" PRIu64 "ns", name, ns,
                         job->host.overhead_ns);
    }
    return true;
}

static bool check_host(const PlanJob *job, GError **error)
{
    return check_part_of_overhead(job, "host_spread", job->host.spread_ns,
                                  error) &&
           check_part_of_overhead(job, "host_cpu", job->host.cpu_ns, error);
}

/* Names stand in CSV and JSON as they are. */
static bool check_name(const PlanJob *job, GError **error)
{
    for (const char *at = job->name; *at != '\0'; at++) {
        if (strchr("\"\\,", *at) || g_ascii_iscntrl(*at)) {
            g_autofree char *name = g_strescape(job->name, NULL);

            g_set_error(error, SIM_ERROR_DOMAIN, 0, "job '%s': a name must "
                        "have no comma, quote, backslash or control character",
                        name);
            return false;
        }
    }
    if (!g_utf8_validate(job->name, -1, NULL)) {
        g_autofree char *name = g_strescape(job->name, NULL);

        g_set_error(error, SIM_ERROR_DOMAIN, 0, "job '%s': a name must be "
                    "UTF-8, as JSON is", name);
        return false;
    }
    return true;
}

static bool check_slots(const Plan *plan, GError **error)
{
    uint64_t slots = 0;

    for (unsigned i = 0; i < plan->jobs->len; i++) {
        const PlanJob *job = plan_job(plan, i);

        slots += (uint64_t)job->workers * job->depth;
        if (slots > MAX_SLOTS) {
            return job_error(error, job, "numjobs=%u of iodepth=%u: with the "
                             "jobs before it more than %u operations at a "
                             "time", job->workers, job->depth, MAX_SLOTS);
        }
    }
    return true;
}

bool plan_check(const Plan *plan, const SsdParams *params, GError **error)
{
    if (!check_slots(plan, error)) {
        return false;
    }
    for (unsigned i = 0; i < plan->jobs->len; i++) {
        const PlanJob *job = plan_job(plan, i);
        const SsdParams *own = &params[job->drive];

        if (!check_name(job, error) || !check_zones(job, own, error) ||
            !check_block(job, own, error) ||
            !check_zone_bytes(job, own, error) ||
            !check_fill(job, own, error) || !check_pace(job, error) ||
            !check_host(job, error)) {
            return false;
        }
    }
    if (plan->jobs->len == 0) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "there is no job");
        return false;
    }
    return true;
}
