/*
 * The drive that is read from a stream, and how the device takes it over.
 *
 * Knows nothing of streams, or of what is right.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "migration_internal.h"
#include "../controller/controller.h"
#include "../ns/ns.h"
#include "../record/record.h"
#include "../request/request.h"

/* A drive like n, with this core, which is its from now on. */
FemuZns *femu_saved_new(const FemuZns *n, Ssd *ssd)
{
    FemuZns *saved = g_new0(FemuZns, 1);

    saved->params = n->params;
    saved->serial = n->serial;
    saved->dilation = n->dilation;
    saved->max_queue_pairs = n->max_queue_pairs;
    saved->dbbuf_offered = n->dbbuf_offered;
    saved->memory = n->memory;
    saved->lock_fd = -1;
    saved->trace_lock_fd = -1;
    saved->journal_lock_fd = -1;
    saved->ssd = ssd;
    femu_kept_init(saved, &error_abort);
    femu_ns_init(saved);
    femu_req_init(saved);
    return saved;
}

static void drop_parked(FemuCq *cq)
{
    while (!QSIMPLEQ_EMPTY(&cq->parked)) {
        FemuParked *parked = QSIMPLEQ_FIRST(&cq->parked);

        QSIMPLEQ_REMOVE_HEAD(&cq->parked, next);
        g_free(parked);
    }
}

void femu_saved_free(FemuZns *saved)
{
    for (unsigned i = 0; i < FEMU_MAX_QUEUES; i++) {
        if (saved->cq[i]) {
            drop_parked(saved->cq[i]);
        }
    }
    femu_req_exit(saved);
    femu_ns_exit(saved);
    ssd_free(saved->ssd);
    femu_kept_exit(saved);
    g_free(saved->stats_snapshot);
    g_free(saved);
}

#define SWAP(n, saved, member)                          \
    do {                                                \
        typeof((n)->member) was = (n)->member;          \
                                                        \
        (n)->member = (saved)->member;                  \
        (saved)->member = was;                          \
    } while (0)

/* Queues are in the object: pointers to them become those to its own. */
static void take_queues(FemuZns *n, FemuZns *saved)
{
    for (unsigned i = 0; i < FEMU_MAX_QUEUES; i++) {
        FemuCq *cq = &n->cq_memory[i];

        n->cq[i] = saved->cq[i] ? cq : NULL;
        if (n->cq[i]) {
            *cq = saved->cq_memory[i];
            QSIMPLEQ_INIT(&cq->parked);
            QSIMPLEQ_CONCAT(&cq->parked, &saved->cq_memory[i].parked);
        }
    }
    for (unsigned i = 0; i < FEMU_MAX_QUEUES; i++) {
        FemuSq *sq = &n->sq_memory[i];

        n->sq[i] = saved->sq[i] ? sq : NULL;
        if (n->sq[i]) {
            *sq = saved->sq_memory[i];
            sq->cq = &n->cq_memory[sq->cq->id];
        }
    }
}

/* ns, and with it FemuNs.smart and zone_ext, which lead into kept. */
static void take_inside(FemuZns *n, FemuZns *saved)
{
    FemuFlush *flush;

    SWAP(n, saved, ssd);
    SWAP(n, saved, ns);
    SWAP(n, saved, kept);
    SWAP(n, saved, req);
    SWAP(n, saved, free_req);
    n->free_req_count = saved->free_req_count;
    for (uint32_t i = 0; i < n->ns_count; i++) {
        n->ns[i].store.memory = &n->memory;
    }
    for (uint32_t tag = 0; tag < n->params.cmd_slots; tag++) {
        FemuReq *req = &n->req[tag];

        req->sq = req->sq ? &n->sq_memory[req->sq->id] : NULL;
    }
    QSIMPLEQ_CONCAT(&n->flushes, &saved->flushes);
    QSIMPLEQ_FOREACH(flush, &n->flushes, next) {
        flush->sq = &n->sq_memory[flush->sq->id];
    }
}

static void take_rest(FemuZns *n, FemuZns *saved)
{
    n->csts = saved->csts;
    n->dbbuf = saved->dbbuf;
    n->intms = saved->intms;
    n->aer_count = saved->aer_count;
    n->temperature_warned = saved->temperature_warned;
    n->stats_resets = saved->stats_resets;
    n->shutdown = saved->shutdown;
    n->accepted_count = saved->accepted_count;
    n->programs_before = saved->programs_before;
    n->program_cut_over = saved->program_cut_over;
    n->clock_ns = saved->clock_ns;
    n->now_ns = saved->now_ns;
    n->lateness_ns = saved->lateness_ns;
    n->features = saved->features;
    n->format = saved->format;
    n->last_sq_idx = saved->last_sq_idx;
    n->fetch_unfinished = saved->fetch_unfinished;
    n->cc = saved->cc;
    n->aqa = saved->aqa;
    n->asq = saved->asq;
    n->acq = saved->acq;
    n->page_bytes = saved->page_bytes;
    n->had_io_queues = saved->had_io_queues;
    n->enable_waits = saved->enable_waits;
    memcpy(n->aer_cid, saved->aer_cid, sizeof(n->aer_cid));
    memcpy(n->event, saved->event, sizeof(n->event));
    memcpy(n->held_irq, saved->held_irq, sizeof(n->held_irq));
    SWAP(n, saved, stats_snapshot);
    n->stats_snapshot_bytes = saved->stats_snapshot_bytes;
}

/*
 * The device becomes what was saved, at the instant at which it was. QEMU has
 * reset the machine before it loads one, so there are no queues. The timer
 * expires at the same virtual time. Power cuts are properties: those of this
 * QEMU count, as if the drive had been in it from the start, so what is over is
 * over.
 */
void femu_saved_take(FemuZns *n, FemuZns *saved, uint64_t timer_at_ns)
{
    take_queues(n, saved);
    take_inside(n, saved);
    take_rest(n, saved);
    femu_power_go_on(n);
    femu_timer_set(n, timer_at_ns);
}
