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

/* A zone that a finish or reset could have found. */
static bool could_be(const ZoneTable *table, const ZoneKept *was)
{
    bool is_full = was->state == SSD_ZONE_FULL;
    bool is_empty = was->state == SSD_ZONE_EMPTY;

    return (is_full || was->wp_nlb <= was->end_nlb) &&
           was->end_nlb <= table->capacity_nlb &&
           (is_full || (was->state >= SSD_ZONE_EMPTY &&
                        was->state <= SSD_ZONE_CLOSED)) &&
           is_full == (was->wp_nlb == table->capacity_nlb) &&
           (!is_empty || was->end_nlb == 0) &&
           (was->has_zrwa ? !is_full && !is_empty && table->zrwa_nlb != 0
                          : is_full || was->wp_nlb == was->end_nlb);
}

/*
 * Only what a command found: nobody asks what the controller's own work began
 * with, and a format while it runs has made other blocks of it.
 */
static void check_was(const Zns *zns, State *state, uint32_t job_idx)
{
    const Job *job = job_at(zns, job_idx);
    const SsdNs *ns = ns_of_zone(zns->ns, job_zone_idx(zns, job_idx));

    if (job->command_idx != SSD_NONE && !could_be(&ns->zones, &job->was)) {
        state_fail(state, "job %u began with a zone in state %x, with write "
                   "pointer %" PRIu64 ", written up to %" PRIu64, job_idx,
                   job->was.state, job->was.wp_nlb, job->was.end_nlb);
    }
}

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
        check_was(zns, state, used[i]);
    }
}
