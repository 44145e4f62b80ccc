/*
 * Fills the zones of a drive before a run, with commands like any others; or
 * says which these would be.
 *
 * Knows nothing of what runs afterwards.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "internal.h"

/* A filling under way; or the text of one, which is not done. */
typedef struct Filling {
    Engine engine; /* its plan and `at` alone */
    EngineDrive at; /* the drive that is filled */
    unsigned drive_idx;
    GString *text; /* NULL: it is done */
    bool has_finished; /* a zone, perhaps not to its end yet */
    uint64_t bytes; /* of the text: what it writes, padding included */
} Filling;

static bool submit(Filling *filling, const SsdCmd *cmd, uint32_t zone_idx,
                   GError **error)
{
    SimDrive *drive = filling->at.drive;

    if (!ssd_has_room(filling->at.ssd)) {
        sim_drive_wait(drive);
    }
    if (!sim_drive_submit(drive, cmd, 0, error)) {
        g_prefix_error(error, "filling zone %" PRIu32 ": ", zone_idx);
        return false;
    }
    return true;
}

static bool is_at(uint32_t count, uint32_t limit)
{
    return limit != 0 && count >= limit;
}

/* A zone holds its resources until its finish is done: wait for one. */
static void await_finishes(Filling *filling, uint32_t nsid)
{
    const SsdParams *params = filling->at.params;
    const Ssd *ssd = filling->at.ssd;

    while (filling->has_finished && ssd_inflight(ssd) > 0 &&
           (is_at(ssd_open_count(ssd, nsid), params->max_open) ||
            is_at(ssd_active_count(ssd, nsid), params->max_active))) {
        sim_drive_wait(filling->at.drive);
    }
}

/* Write a zone up to the job's prefill, then finish it if the job asks. */
static bool fill_zone(Filling *filling, const PlanJob *job, uint32_t zone_idx,
                      GError **error)
{
    const Engine *engine = &filling->engine;
    const SsdParams *params = engine->at->params;
    uint64_t at_bytes = engine_written_bytes(engine, job->nsid, zone_idx);
    uint64_t zone_lba = engine_zone_lba(engine, zone_idx);
    SsdCmd cmd = {.op = SSD_OP_WRITE, .nsid = job->nsid};

    if (filling->text) {
        g_string_append_printf(filling->text, "zone %" PRIu32 " %" PRIu32
                               " %" PRIu64 " %d\n", job->nsid, zone_idx,
                               job->prefill_bytes, job->prefill_finished);
        filling->bytes += job->prefill_finished ? params->zone_capacity_bytes
                                                : job->prefill_bytes;
        return true;
    }
    await_finishes(filling, job->nsid);
    while (at_bytes < job->prefill_bytes) {
        uint64_t bytes = MIN(params->mdts_bytes,
                             job->prefill_bytes - at_bytes);

        cmd.slba = zone_lba + at_bytes / params->lba_bytes;
        cmd.nlb = (uint32_t)(bytes / params->lba_bytes);
        if (!submit(filling, &cmd, zone_idx, error)) {
            return false;
        }
        at_bytes += bytes;
    }
    if (job->prefill_finished &&
        ssd_zone(engine->at->ssd, job->nsid, zone_idx).state != SSD_ZONE_FULL) {
        cmd = (SsdCmd) {.op = SSD_OP_ZONE_FINISH, .nsid = job->nsid,
                        .slba = zone_lba};
        filling->has_finished = true;
        return submit(filling, &cmd, zone_idx, error);
    }
    return true;
}

/* Prefill a worker's part of the conventional namespace, from its start on. */
static bool fill_flat(Filling *filling, const PlanJob *job, unsigned worker,
                      GError **error)
{
    const SsdParams *params = filling->at.params;
    uint64_t all_bytes = plan_flat_bytes(job, params, worker);
    uint64_t end_bytes = job->prefill_ppm
                         ? all_bytes * job->prefill_ppm / 1000000 /
                           params->lba_bytes * params->lba_bytes
                         : MIN(job->prefill_bytes, all_bytes);
    SsdCmd cmd = {.op = SSD_OP_WRITE, .nsid = job->nsid};

    if (filling->text) {
        g_string_append_printf(filling->text, "flat %" PRIu64 " %" PRIu64 "\n",
                               plan_flat_first(job, worker), end_bytes);
        filling->bytes += end_bytes;
        return true;
    }
    for (uint64_t at = 0; at < end_bytes;
         at += cmd.nlb * (uint64_t)params->lba_bytes) {
        cmd.slba = (plan_flat_first(job, worker) + at) / params->lba_bytes;
        cmd.nlb = (uint32_t)(MIN(params->mdts_bytes, end_bytes - at) /
                             params->lba_bytes);
        if (!submit(filling, &cmd, 0, error)) {
            return false;
        }
    }
    return true;
}

static bool fill_job(Filling *filling, const PlanJob *job, GError **error)
{
    for (unsigned worker = 0; worker < job->workers; worker++) {
        uint32_t count = MIN(plan_worker_zones(job, filling->at.params, worker),
                             job->prefill_zones);

        for (uint32_t i = 0; i < count; i++) {
            if (!fill_zone(filling, job, plan_worker_zone(job, worker, i),
                           error)) {
                return false;
            }
        }
    }
    return true;
}

static bool fill_flat_job(Filling *filling, const PlanJob *job, GError **error)
{
    for (unsigned worker = 0; worker < job->workers; worker++) {
        if (!fill_flat(filling, job, worker, error)) {
            return false;
        }
    }
    return true;
}

static bool fill(Filling *filling, GError **error)
{
    for (unsigned i = 0; i < filling->engine.plan->jobs->len; i++) {
        const PlanJob *job = plan_job(filling->engine.plan, i);

        if (job->drive != filling->drive_idx) {
            continue;
        }
        if (plan_is_flat(job, filling->at.params)
            ? !fill_flat_job(filling, job, error)
            : (job->prefill_bytes > 0 || job->prefill_finished) &&
              !fill_job(filling, job, error)) {
            return false;
        }
    }
    return true;
}

static void filling_init(Filling *filling, const Plan *plan,
                         unsigned drive_idx, SimDrive *drive, GString *text)
{
    Ssd *ssd = sim_drive_ssd(drive);

    *filling = (Filling) {
        .engine = {.plan = plan, .at = &filling->at},
        .at = {.params = ssd_params(ssd), .drive = drive, .ssd = ssd},
        .drive_idx = drive_idx,
        .text = text,
    };
}

bool engine_fill(const Plan *plan, unsigned drive_idx, SimDrive *drive,
                 GError **error)
{
    Filling filling;

    filling_init(&filling, plan, drive_idx, drive, NULL);
    if (!fill(&filling, error)) {
        return false;
    }
    while (ssd_inflight(sim_drive_ssd(drive)) > 0) {
        sim_drive_wait(drive);
    }
    return true;
}

char *engine_filling(const Plan *plan, unsigned drive_idx, SimDrive *drive,
                     uint64_t *bytes)
{
    Filling filling;
    bool told;

    filling_init(&filling, plan, drive_idx, drive, g_string_new(NULL));
    told = fill(&filling, NULL);
    g_assert(told);
    *bytes = filling.bytes;
    return g_string_free(filling.text, FALSE);
}
