/*
 * Fills zones before a run, with commands like any others.
 *
 * Knows nothing of what runs afterwards.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "internal.h"

static bool submit(Engine *engine, const SsdCmd *cmd, uint32_t zone_idx,
                   GError **error)
{
    if (!ssd_has_room(engine->ssd)) {
        sim_drive_wait(engine->drive);
    }
    if (!sim_drive_submit(engine->drive, cmd, 0, error)) {
        g_prefix_error(error, "filling zone %" PRIu32 ": ", zone_idx);
        return false;
    }
    return true;
}

/* Write a zone up to the job's prefill, then finish it if the job asks. */
static bool fill_zone(Engine *engine, const PlanJob *job, uint32_t zone_idx,
                      GError **error)
{
    uint64_t at_bytes = engine_written_bytes(engine, job->nsid, zone_idx);
    SsdCmd cmd = {.op = SSD_OP_WRITE, .nsid = job->nsid};

    while (at_bytes < job->prefill_bytes) {
        uint64_t bytes = MIN(engine->params->mdts_bytes,
                             job->prefill_bytes - at_bytes);

        cmd.slba = engine_zone_lba(engine, zone_idx) +
                   at_bytes / engine->params->lba_bytes;
        cmd.nlb = (uint32_t)(bytes / engine->params->lba_bytes);
        if (!submit(engine, &cmd, zone_idx, error)) {
            return false;
        }
        at_bytes += bytes;
    }
    if (job->prefill_finished &&
        ssd_zone(engine->ssd, job->nsid, zone_idx).state != SSD_ZONE_FULL) {
        cmd = (SsdCmd) {.op = SSD_OP_ZONE_FINISH, .nsid = job->nsid,
                        .slba = engine_zone_lba(engine, zone_idx)};
        return submit(engine, &cmd, zone_idx, error);
    }
    return true;
}

/* Prefill a worker's part of the conventional namespace, from its start on. */
static bool fill_flat(Engine *engine, const PlanJob *job, unsigned worker,
                      GError **error)
{
    const SsdParams *params = engine->params;
    uint64_t all_bytes = plan_flat_bytes(job, params, worker);
    uint64_t end_bytes = job->prefill_ppm
                         ? all_bytes * job->prefill_ppm / 1000000 /
                           params->lba_bytes * params->lba_bytes
                         : MIN(job->prefill_bytes, all_bytes);
    SsdCmd cmd = {.op = SSD_OP_WRITE, .nsid = job->nsid};

    for (uint64_t at = 0; at < end_bytes;
         at += cmd.nlb * (uint64_t)params->lba_bytes) {
        cmd.slba = (plan_flat_first(job, worker) + at) / params->lba_bytes;
        cmd.nlb = (uint32_t)(MIN(params->mdts_bytes, end_bytes - at) /
                             params->lba_bytes);
        if (!submit(engine, &cmd, 0, error)) {
            return false;
        }
    }
    return true;
}

static bool fill_job(Engine *engine, const PlanJob *job, GError **error)
{
    for (unsigned worker = 0; worker < job->workers; worker++) {
        uint32_t count = MIN(plan_worker_zones(job, engine->params, worker),
                             job->prefill_zones);

        for (uint32_t i = 0; i < count; i++) {
            if (!fill_zone(engine, job, plan_worker_zone(job, worker, i),
                           error)) {
                return false;
            }
        }
    }
    return true;
}

static bool fill_flat_job(Engine *engine, const PlanJob *job, GError **error)
{
    for (unsigned worker = 0; worker < job->workers; worker++) {
        if (!fill_flat(engine, job, worker, error)) {
            return false;
        }
    }
    return true;
}

bool prefill_run(Engine *engine, GError **error)
{
    for (unsigned i = 0; i < engine->plan->jobs->len; i++) {
        const PlanJob *job = plan_job(engine->plan, i);

        if (plan_is_flat(job, engine->params)
            ? !fill_flat_job(engine, job, error)
            : (job->prefill_bytes > 0 || job->prefill_finished) &&
              !fill_job(engine, job, error)) {
            return false;
        }
    }
    while (ssd_inflight(engine->ssd) > 0) {
        sim_drive_wait(engine->drive);
    }
    return true;
}
