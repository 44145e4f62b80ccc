/*
 * When the next step of a job may be taken: a finish works in chunks, an
 * erase perhaps block by block, and between two steps a job may pause, or let
 * host I/O go first.
 *
 * A job that waits has one wake-up pending. While host I/O is inside, the
 * earliest instant at which it can have been gone for `idle-ns` is `idle-ns`
 * from now; so a job that looks again then goes on at the exact instant.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

bool ssd_is_host_io(SsdOp op)
{
    switch (op) {
    case SSD_OP_READ:
    case SSD_OP_WRITE:
    case SSD_OP_APPEND:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
    case SSD_OP_COPY:
        return true;
    default:
        return false;
    }
}

static void wake_at(Ssd *ssd, uint64_t at_ns, uint32_t job_idx)
{
    ssd->jobs[job_idx].waits = true;
    /* At one instant what ends comes before what begins. */
    event_heap_push_late(&ssd->events, at_ns,
                         ssd->first_wake_payload + job_idx);
}

/* For how long a step of the job lets host I/O go first. */
static uint64_t stall_limit_ns(const Ssd *ssd, const Job *job)
{
    if (job->op == SSD_OP_ZONE_FINISH) {
        return ssd->params.finish_stall_ns;
    }
    if (job->in_background && ssd->params.erase_at == SSD_ERASE_AT_IDLE) {
        return UINT64_MAX;
    }
    return ssd->params.erase_preemptive ? ssd->params.erase_stall_ns : 0;
}

/* The earliest instant at which host I/O may have been gone long enough. */
static uint64_t idle_from_at_ns(const Ssd *ssd, uint64_t now_ns)
{
    uint64_t last_at_ns = ssd->host_io_count ? now_ns
                                             : ssd->host_io_left_at_ns;

    if (ssd->host_io_count == 0 && !ssd->host_io_seen) {
        return now_ns;
    }
    return last_at_ns + ssd->params.idle_ns;
}

bool ssd_job_stalls(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    Job *job = &ssd->jobs[job_idx];
    uint64_t limit_ns = stall_limit_ns(ssd, job);
    uint64_t idle_at_ns;

    if (limit_ns == 0) {
        return false;
    }
    if (!job->stalls) {
        job->stalls = true;
        job->stall_until_at_ns = limit_ns > UINT64_MAX - now_ns
                                 ? UINT64_MAX : now_ns + limit_ns;
    }
    idle_at_ns = idle_from_at_ns(ssd, now_ns);
    if (idle_at_ns <= now_ns || job->stall_until_at_ns <= now_ns) {
        job->stalls = false;
        return false;
    }
    wake_at(ssd, MIN(idle_at_ns, job->stall_until_at_ns), job_idx);
    return true;
}

bool ssd_job_pauses(Ssd *ssd, uint64_t now_ns, uint32_t job_idx)
{
    const SsdParams *p = &ssd->params;
    uint64_t pause_ns;

    if (ssd->jobs[job_idx].op != SSD_OP_ZONE_FINISH) {
        return false;
    }
    pause_ns = ssd->host_io_count && p->finish_busy_pause_ns
               ? p->finish_busy_pause_ns : p->finish_pause_ns;
    if (pause_ns == 0) {
        return false;
    }
    wake_at(ssd, now_ns + pause_ns, job_idx);
    return true;
}
