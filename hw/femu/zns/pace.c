/*
 * When the next step of a job may be taken: a finish works in chunks, an
 * erase perhaps block by block, and between two steps a job may pause, or let
 * host I/O go first.
 *
 * A job that waits has one wake-up pending. While host I/O is inside, the
 * earliest instant at which it can have been gone for `idle-ns` is `idle-ns`
 * from now; so a job that looks again then goes on at the exact instant.
 *
 * Knows nothing of what a step does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "zns_internal.h"

static void wake_at(Zns *zns, uint64_t at_ns, uint32_t job_idx)
{
    job_at(zns, job_idx)->waits = true;
    /* Late: at one instant, operations end before the job goes on. */
    event_heap_push_late(zns->events, at_ns, event_name(EVENT_JOB, job_idx));
}

/* The longest time for which a step of the job waits for host I/O. */
static uint64_t stall_limit_ns(const Zns *zns, uint32_t job_idx)
{
    return job_at(zns, job_idx)->op == SSD_OP_ZONE_FINISH
           ? zns->params->finish_stall_ns
           : erase_stall_limit_ns(zns);
}

/* The earliest instant at which host I/O may have been gone long enough. */
static uint64_t idle_from_at_ns(const Zns *zns, uint64_t now_ns)
{
    const Commands *commands = zns->commands;
    uint64_t last_at_ns = commands->host_io_count
                          ? now_ns : commands->host_io_left_at_ns;

    if (commands->host_io_count == 0 && !commands->host_io_seen) {
        return now_ns;
    }
    return last_at_ns + zns->params->idle_ns;
}

bool job_stalls(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    Job *job = job_at(zns, job_idx);
    uint64_t limit_ns = stall_limit_ns(zns, job_idx);
    uint64_t idle_at_ns;

    if (limit_ns == 0) {
        return false;
    }
    if (!job->stalls) {
        job->stalls = true;
        job->stall_until_at_ns = now_ns + MIN(limit_ns, UINT64_MAX - now_ns);
    }
    idle_at_ns = idle_from_at_ns(zns, now_ns);
    if (idle_at_ns <= now_ns || job->stall_until_at_ns <= now_ns) {
        job->stalls = false;
        return false;
    }
    wake_at(zns, MIN(idle_at_ns, job->stall_until_at_ns), job_idx);
    return true;
}

bool job_pauses(Zns *zns, uint64_t now_ns, uint32_t job_idx)
{
    const SsdParams *p = zns->params;
    uint64_t pause_ns;

    if (job_at(zns, job_idx)->op != SSD_OP_ZONE_FINISH) {
        return false;
    }
    pause_ns = zns->commands->host_io_count && p->finish_busy_pause_ns
               ? p->finish_busy_pause_ns : p->finish_pause_ns;
    if (pause_ns == 0) {
        return false;
    }
    wake_at(zns, now_ns + pause_ns, job_idx);
    return true;
}
