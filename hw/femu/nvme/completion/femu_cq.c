/*
 * Completion queues: creation, deletion, posting.
 *
 * Knows nothing of what the commands mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "completion.h"
#include "../host/host.h"
#include "../irq/irq.h"
#include "../record/record.h"
#include "../../trace.h"

/*
 * Create a completion queue of `size` entries at `base`. The caller has checked
 * all arguments, and that there is no queue of this identifier.
 */
void femu_cq_create(FemuZns *n, uint16_t id, uint64_t base, uint32_t size,
                    uint16_t vector, bool irq_enabled)
{
    FemuCq *cq = &n->cq_memory[id];

    *cq = (FemuCq) {
        .id = id,
        .base = base,
        .size = size,
        .vector = vector,
        .irq_enabled = irq_enabled,
        .phase = 1,
    };
    QSIMPLEQ_INIT(&cq->parked);
    n->cq[id] = cq;
    /* The admin queue is the first one behind each reset. */
    n->had_io_queues = id != 0;
    femu_dbbuf_init(n, 2 * id + 1, 0);
    trace_femu_create_cq(id, base, size, vector, irq_enabled);
}

/* Drop the parked completions of commands of `sq`. */
void femu_cq_drop_parked(FemuCq *cq, const FemuSq *sq)
{
    FemuParked *parked, *next;

    QSIMPLEQ_FOREACH_SAFE(parked, &cq->parked, next, next) {
        if (le16_to_cpu(parked->cqe.sq_id) == sq->id) {
            QSIMPLEQ_REMOVE(&cq->parked, parked, FemuParked, next);
            g_free(parked);
        }
    }
}

/*
 * Delete a queue that exists. No submission queue may use it; then it has no
 * parked completions either. The caller sets the pin, when all queues are gone
 * that are to go: one that PCI has reset is in the pin's mode.
 */
void femu_cq_delete(FemuZns *n, uint16_t id)
{
    FemuCq *cq = n->cq[id];

    assert(cq->sq_count == 0);
    assert(QSIMPLEQ_EMPTY(&cq->parked));
    n->cq[id] = NULL;
    femu_irq_forget(n, cq->vector);
}

static bool cq_full(const FemuCq *cq)
{
    return (cq->tail + 1) % cq->size == cq->head;
}

/*
 * Write one entry, whose phase bit is 0, to a queue that has room. The history
 * is flushed first: it must have every completion that the host can see.
 */
static void cq_write(FemuZns *n, FemuCq *cq, NvmeCqe *cqe)
{
    const FemuSq *sq = n->sq[le16_to_cpu(cqe->sq_id)];
    uint16_t status = le16_to_cpu(cqe->status);

    if (!femu_history_flush(n)) {
        return;
    }
    cqe->status = cpu_to_le16(status | cq->phase);
    cqe->sq_head = cpu_to_le16(sq->head);
    trace_femu_post(cq->id, sq->id, le16_to_cpu(cqe->cid), status >> 1,
                    n->clock_ns);
    if (!femu_dma_write(n, cq->base + cq->tail * sizeof(*cqe), cqe,
                        sizeof(*cqe))) {
        femu_ctrl_fatal(n, "a completion queue entry cannot be written");
        return;
    }
    cq->tail = (cq->tail + 1) % cq->size;
    cq->phase ^= cq->tail == 0;
    femu_irq_posted(n, cq);
}

/*
 * The Do Not Retry bit of this status: set unless the same command may succeed
 * if it is submitted again (NVMe base 2.0, figure 92).
 */
uint16_t femu_status_retry(uint16_t status)
{
    switch (status) {
    case NVME_SUCCESS:
    case NVME_CMD_ABORT_REQ:
    case NVME_FORMAT_IN_PROGRESS:
        return 0;
    default:
        return NVME_DNR;
    }
}

/*
 * Post a completion. If the queue is full, or the device may not access host
 * memory, it is parked until that has changed.
 */
void femu_cq_post(FemuZns *n, FemuSq *sq, uint16_t cid, uint16_t status,
                  uint64_t result)
{
    FemuCq *cq = sq->cq;
    FemuParked *parked;
    NvmeCqe cqe = {
        .result = cpu_to_le32(result),
        .dw1 = cpu_to_le32(result >> 32),
        .sq_id = cpu_to_le16(sq->id),
        .cid = cpu_to_le16(cid),
        .status = cpu_to_le16((status | femu_status_retry(status)) << 1),
    };

    if (!femu_ctrl_running(n)) {
        return;
    }
    if (!cq_full(cq) && femu_can_master(n)) {
        cq_write(n, cq, &cqe);
        return;
    }
    trace_femu_park(cq->id, sq->id, cid);
    parked = g_new0(FemuParked, 1);
    parked->cqe = cqe;
    QSIMPLEQ_INSERT_TAIL(&cq->parked, parked, next);
}

static void cq_unpark(FemuZns *n, FemuCq *cq)
{
    while (femu_can_serve(n) && !cq_full(cq) &&
           !QSIMPLEQ_EMPTY(&cq->parked)) {
        FemuParked *parked = QSIMPLEQ_FIRST(&cq->parked);

        QSIMPLEQ_REMOVE_HEAD(&cq->parked, next);
        cq_write(n, cq, &parked->cqe);
        g_free(parked);
    }
}

/* Post the parked completions for which that is possible now. */
void femu_cqs_unpark(FemuZns *n)
{
    for (unsigned id = 0; id < FEMU_MAX_QUEUES; id++) {
        if (n->cq[id]) {
            cq_unpark(n, n->cq[id]);
        }
    }
}

/* A new head lies between the old one and the tail, each included. */
bool femu_cq_head_valid(const FemuCq *cq, uint32_t head)
{
    uint32_t taken = (head + cq->size - cq->head) % cq->size;
    uint32_t posted = (cq->tail + cq->size - cq->head) % cq->size;

    return head < cq->size && taken <= posted;
}

void femu_cq_set_head(FemuZns *n, FemuCq *cq, uint32_t head)
{
    trace_femu_cq_doorbell(cq->id, head, n->clock_ns);
    femu_irq_acknowledged(n, cq, head);
    cq_unpark(n, cq);
    femu_irq_update_pin(n);
}
