/*
 * Jobs that have been read: is each in its place?
 *
 * Knows nothing of what a job does, or of time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "zns_internal.h"

static void check_job(const Zns *zns, State *state, uint32_t job_idx)
{
    const Job *job = job_at(zns, job_idx);
    const JobWork *work = &zns->media->works[job_idx];

    if (job->op != SSD_OP_ZONE_FINISH && job->op != SSD_OP_ZONE_RESET) {
        state_fail(state, "job %u is of operation %u", job_idx, job->op);
    }
    if (work->next_page > zns->media->zone_pages ||
        work->chunk_end_page > zns->media->zone_pages ||
        job->used_pages > zns->media->zone_pages ||
        work->end_bytes > zns->params->zone_capacity_bytes ||
        job->host_bytes > zns->params->zone_capacity_bytes) {
        state_fail(state, "job %u is at page %" PRIu64 ", its chunk ends at "
                   "%" PRIu64 ", %" PRIu64 " were used; a zone has %" PRIu64,
                   job_idx, work->next_page, work->chunk_end_page,
                   job->used_pages, zns->media->zone_pages);
    }
}

void jobs_check(const Zns *zns, State *state, const uint32_t *used,
                uint32_t used_count)
{
    for (uint32_t i = 0; i < used_count; i++) {
        check_job(zns, state, used[i]);
    }
}
