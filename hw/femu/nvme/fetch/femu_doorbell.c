/*
 * Doorbells, in registers and in host memory.
 *
 * Knows nothing of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "fetch_internal.h"
#include "../completion/completion.h"
#include "../event/event.h"
#include "../host/host.h"
#include "../irq/irq.h"
#include "../../trace.h"

/*
 * A write to the doorbell of a queue that does not exist, or of a value that
 * the queue cannot have, changes no queue: it is logged in the error log and
 * reported by an asynchronous event (NVMe base 2.0, figure 143).
 */
static void doorbell_invalid(FemuZns *n, const char *kind, uint32_t id,
                             uint32_t value, bool queue_exists)
{
    trace_femu_doorbell_invalid(kind, id, value);
    qemu_log_mask(LOG_GUEST_ERROR,
                  "femu-zns: invalid %s doorbell of queue %" PRIu32
                  ": value %" PRIu32 "\n", kind, id, value);
    femu_log_doorbell_error(n, queue_exists ? NVME_INVALID_FIELD
                                            : NVME_INVALID_QID);
    femu_aer_event(n, NVME_AER_TYPE_ERROR,
                   queue_exists ? NVME_AER_INFO_ERR_INVALID_DB_VALUE
                                : NVME_AER_INFO_ERR_INVALID_DB_REGISTER,
                   NVME_LOG_ERROR_INFO, 0);
}

void femu_sq_doorbell(FemuZns *n, uint32_t id, uint32_t tail)
{
    FemuSq *sq = id < FEMU_MAX_QUEUES ? n->sq[id] : NULL;

    if (sq && (id > 0 || tail < sq->size)) {
        tail = femu_dbbuf_rung(n, 2 * id, sq->tail, tail);
    }
    if (!sq || tail >= sq->size) {
        doorbell_invalid(n, "submission tail", id, tail, sq);
        return;
    }
    trace_femu_sq_doorbell(id, tail, n->clock_ns);
    sq->tail = tail;
}

void femu_cq_doorbell(FemuZns *n, uint32_t id, uint32_t head)
{
    FemuCq *cq = id < FEMU_MAX_QUEUES ? n->cq[id] : NULL;

    if (cq && (id > 0 || femu_cq_head_valid(cq, head))) {
        head = femu_dbbuf_rung(n, 2 * id + 1, cq->head, head);
    }
    if (!cq || !femu_cq_head_valid(cq, head)) {
        doorbell_invalid(n, "completion head", id, head, cq);
        return;
    }
    femu_cq_set_head(n, cq, head);
}

/*
 * EventIdx of an I/O queue's doorbell. If somebody looks at the shadow behind
 * this entry, the host need not write the register. It compares the change that
 * it makes with an EventIdx that may be older than what has been seen, or newer
 * by this very change; so EventIdx is half a queue away, where no change that is
 * smaller can pass it. Of a completion queue nobody needs to know the head at
 * once, unless completions are parked, or without MSI-X, as it may lower the pin.
 * (The admin queue's doorbells are registers: see femu_dbbuf_rung().)
 */
static uint32_t tail_event_idx(const FemuZns *n, const FemuSq *sq)
{
    return n->entry.by_poller && sq->id > 0
           ? (sq->tail + sq->size / 2) % sq->size : sq->tail;
}

static uint32_t head_event_idx(FemuZns *n, const FemuCq *cq)
{
    return n->entry.by_poller && cq->id > 0 &&
           QSIMPLEQ_EMPTY(&cq->parked) && femu_irq_is_msix(n)
           ? (cq->head + cq->size / 2) % cq->size : cq->head;
}

/*
 * Update each queue's head or tail from its shadow doorbell, and set EventIdx,
 * so that the host writes the register at the next change (see femu_dbbuf.c). A
 * value that the queue cannot have is ignored.
 * Return: has any head or tail changed?
 */
bool femu_shadows_sync(FemuZns *n)
{
    bool news = false;

    for (unsigned id = 0; n->dbbuf.enabled && id < FEMU_MAX_QUEUES; id++) {
        FemuCq *cq = n->cq[id];
        FemuSq *sq = n->sq[id];
        uint32_t value;

        if (cq) {
            value = femu_dbbuf_sync(n, 2 * id + 1, cq->head,
                                    head_event_idx(n, cq));
            if (value != cq->head && femu_cq_head_valid(cq, value)) {
                femu_cq_set_head(n, cq, value);
                news = true;
            }
        }
        if (sq && sq->head == sq->tail) {
            value = femu_dbbuf_sync(n, 2 * id, sq->tail,
                                    tail_event_idx(n, sq));
            if (value != sq->tail && value < sq->size) {
                sq->tail = value;
                news = true;
            }
        }
    }
    return news;
}
