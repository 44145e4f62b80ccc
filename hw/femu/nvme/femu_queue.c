/*
 * Submission and completion queues: creation, doorbells, fetching, posting.
 *
 * Knows nothing of what the commands mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "femu.h"
#include "../trace.h"

/*
 * Create a completion queue of `size` entries at `base`. Everything has been
 * checked: there is no queue of this identifier.
 */
void femu_cq_create(FemuZns *n, uint16_t id, uint64_t base, uint32_t size,
                    uint16_t vector, bool irq_enabled)
{
    FemuCq *cq = &n->cq_memory[id];

    *cq = (FemuCq) { 0 };
    cq->id = id;
    cq->base = base;
    cq->size = size;
    cq->vector = vector;
    cq->irq_enabled = irq_enabled;
    cq->phase = 1;
    QSIMPLEQ_INIT(&cq->parked);
    n->cq[id] = cq;
    femu_dbbuf_init(n, 2 * id + 1, 0);
    trace_femu_create_cq(id, base, size, vector, irq_enabled);
}

/* As femu_cq_create(); the completion queue is there. */
void femu_sq_create(FemuZns *n, uint16_t id, uint64_t base, uint32_t size,
                    uint16_t cq_id)
{
    FemuSq *sq = &n->sq_memory[id];

    *sq = (FemuSq) { 0 };
    sq->id = id;
    sq->base = base;
    sq->size = size;
    sq->cq = n->cq[cq_id];
    sq->cq->sq_count++;
    n->sq[id] = sq;
    femu_dbbuf_init(n, 2 * id, 0);
    trace_femu_create_sq(id, base, size, cq_id);
}

/* Forget completions that wait in the queue: of `sq`, or all for NULL. */
static void cq_drop_parked(FemuCq *cq, const FemuSq *sq)
{
    FemuParked *parked, *next;

    QSIMPLEQ_FOREACH_SAFE(parked, &cq->parked, next, next) {
        if (!sq || le16_to_cpu(parked->cqe.sq_id) == sq->id) {
            QSIMPLEQ_REMOVE(&cq->parked, parked, FemuParked, next);
            g_free(parked);
        }
    }
}

/*
 * Delete a queue that exists. Its commands that are still inside, or whose
 * completion waits for room, end without a completion (NVMe base 2.0, 5.6:
 * a controller may, but need not, post Command Aborted due to SQ Deletion).
 */
void femu_sq_delete(FemuZns *n, uint16_t id)
{
    FemuSq *sq = n->sq[id];

    femu_req_discard(n, sq);
    cq_drop_parked(sq->cq, sq);
    sq->cq->sq_count--;
    n->sq[id] = NULL;
}

/* Delete a queue that exists and that no submission queue uses. */
void femu_cq_delete(FemuZns *n, uint16_t id)
{
    FemuCq *cq = n->cq[id];

    assert(cq->sq_count == 0);
    cq_drop_parked(cq, NULL);
    n->cq[id] = NULL;
    femu_irq_forget(n, cq->vector);
    femu_irq_update_pin(n);
}

void femu_queues_delete(FemuZns *n)
{
    for (uint16_t id = 0; id < FEMU_MAX_QUEUES; id++) {
        if (n->sq[id]) {
            femu_sq_delete(n, id);
        }
    }
    for (uint16_t id = 0; id < FEMU_MAX_QUEUES; id++) {
        if (n->cq[id]) {
            femu_cq_delete(n, id);
        }
    }
    n->last_sq_idx = 0;
    n->fetch_unfinished = false;
}

/* May we work for the host: fetch commands and post completions? */
static bool can_serve(const FemuZns *n)
{
    return femu_ctrl_running(n) && femu_can_master(n);
}

static bool cq_full(const FemuCq *cq)
{
    return (cq->tail + 1) % cq->size == cq->head;
}

/* Write one entry to a queue that has room. */
static void cq_write(FemuZns *n, FemuCq *cq, NvmeCqe *cqe)
{
    const FemuSq *sq = n->sq[le16_to_cpu(cqe->sq_id)];
    uint16_t status = le16_to_cpu(cqe->status) & ~1;

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
 * Do Not Retry, but for errors that the same command would not meet again
 * (NVMe base 2.0, figure 92).
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
 * Post a completion, or park it until the host has made room for it or lets us
 * master the bus again.
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
    while (can_serve(n) && !cq_full(cq) &&
           !QSIMPLEQ_EMPTY(&cq->parked)) {
        FemuParked *parked = QSIMPLEQ_FIRST(&cq->parked);

        QSIMPLEQ_REMOVE_HEAD(&cq->parked, next);
        cq_write(n, cq, &parked->cqe);
        g_free(parked);
    }
}

/* Post what has been parked, if the host lets us by now. */
void femu_queues_unpark(FemuZns *n)
{
    for (unsigned id = 0; id < FEMU_MAX_QUEUES; id++) {
        if (n->cq[id]) {
            cq_unpark(n, n->cq[id]);
        }
    }
}

/*
 * A doorbell of a queue that does not exist, or a value that the queue cannot
 * have, is ignored but for the error that is logged and the event that says
 * so (NVMe base 2.0, figure 143).
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

/* A new head must lie between the old one and the tail: what was posted. */
static bool cq_head_valid(const FemuCq *cq, uint32_t head)
{
    uint32_t taken = (head + cq->size - cq->head) % cq->size;
    uint32_t posted = (cq->tail + cq->size - cq->head) % cq->size;

    return head < cq->size && taken <= posted;
}

static void cq_set_head(FemuZns *n, FemuCq *cq, uint32_t head)
{
    trace_femu_cq_doorbell(cq->id, head, n->clock_ns);
    femu_irq_acknowledged(n, cq, head);
    cq_unpark(n, cq);
    femu_irq_update_pin(n);
}

void femu_cq_doorbell(FemuZns *n, uint32_t id, uint32_t head)
{
    FemuCq *cq = id < FEMU_MAX_QUEUES ? n->cq[id] : NULL;

    if (cq && (id > 0 || cq_head_valid(cq, head))) {
        head = femu_dbbuf_rung(n, 2 * id + 1, cq->head, head);
    }
    if (!cq || !cq_head_valid(cq, head)) {
        doorbell_invalid(n, "completion head", id, head, cq);
        return;
    }
    cq_set_head(n, cq, head);
}

/*
 * Look at the shadow doorbells; what we know of has the host ring at the next
 * news. A value that a queue cannot have is left there.
 * Return: is there news?
 */
static bool shadows_sync(FemuZns *n)
{
    bool news = false;

    for (unsigned id = 0; n->dbbuf.enabled && id < FEMU_MAX_QUEUES; id++) {
        FemuCq *cq = n->cq[id];
        FemuSq *sq = n->sq[id];
        uint32_t value;

        if (cq) {
            value = femu_dbbuf_sync(n, 2 * id + 1, cq->head);
            if (value != cq->head && cq_head_valid(cq, value)) {
                cq_set_head(n, cq, value);
                news = true;
            }
        }
        if (sq && sq->head == sq->tail) {
            value = femu_dbbuf_sync(n, 2 * id, sq->tail);
            if (value != sq->tail && value < sq->size) {
                sq->tail = value;
                news = true;
            }
        }
    }
    return news;
}

/*
 * May the next command of this queue be fetched? Not while completions wait
 * for room in its completion queue, so that their number stays bounded by the
 * commands inside and one per queue; and an I/O command, or an admin command
 * that takes time, only if the core has room for it.
 */
static bool sq_fetchable(const FemuZns *n, const FemuSq *sq)
{
    return sq->head != sq->tail && QSIMPLEQ_EMPTY(&sq->cq->parked) &&
           (ssd_has_room(n->ssd) || (sq->id == 0 && !sq->awaits_slot));
}

/* Round robin: the next queue after the one served last, or NULL. */
static FemuSq *sq_next_fetchable(FemuZns *n)
{
    for (uint32_t i = 1; i <= FEMU_MAX_QUEUES; i++) {
        uint32_t idx = (n->last_sq_idx + i) % FEMU_MAX_QUEUES;

        if (n->sq[idx] && sq_fetchable(n, n->sq[idx])) {
            n->last_sq_idx = idx;
            return n->sq[idx];
        }
    }
    return NULL;
}

/*
 * Checks that all commands share: no fused operations; admin commands use
 * PRPs; I/O commands may use SGLs, but not one for metadata (NVMe over PCIe
 * transport 1.0, 2.2; NVMe base 2.0, 3.3.3.1).
 */
static uint16_t cmd_check(const FemuSq *sq, const NvmeCmd *cmd)
{
    uint8_t psdt = NVME_CMD_FLAGS_PSDT(cmd->flags);
    uint8_t psdt_max = sq->id == 0 ? NVME_PSDT_PRP
                                   : NVME_PSDT_SGL_MPTR_CONTIGUOUS;

    if (NVME_CMD_FLAGS_FUSE(cmd->flags) || psdt > psdt_max) {
        return NVME_INVALID_FIELD;
    }
    return NVME_SUCCESS;
}

/*
 * Fetch and execute one command, unless it is an admin command that needs a
 * slot and there is none: it stays where it is until there is one. The queue may
 * be gone afterwards, but only if the command came from another one, the admin
 * queue.
 */
static void sq_fetch_one(FemuZns *n, FemuSq *sq)
{
    NvmeCmd cmd;
    uint64_t result = 0;
    uint16_t status;

    if (!femu_dma_read(n, sq->base + sq->head * sizeof(cmd), &cmd,
                       sizeof(cmd))) {
        femu_ctrl_fatal(n, "a submission queue entry cannot be read");
        return;
    }
    sq->awaits_slot = sq->id == 0 && !ssd_has_room(n->ssd) &&
                      femu_admin_needs_slot(n, &cmd);
    if (sq->awaits_slot) {
        return;
    }
    sq->head = (sq->head + 1) % sq->size;
    trace_femu_fetch(sq->id, le16_to_cpu(cmd.cid), cmd.opcode, cmd.flags,
                     le32_to_cpu(cmd.nsid));
    status = cmd_check(sq, &cmd);
    if (!status) {
        status = sq->id == 0 ? femu_admin_execute(n, sq, &cmd, &result)
                             : femu_io_execute(n, sq, &cmd);
    }
    if (status == NVME_NO_COMPLETE) {
        return;
    }
    if (status) {
        femu_log_error(n, sq, &cmd, status);
    }
    femu_cq_post(n, sq, le16_to_cpu(cmd.cid), status, result);
}

/*
 * Fetch and execute commands, one per queue in turn, while that is possible:
 * but at one instant not more than all queues can hold. There can be more
 * only if a shadow doorbell moves while we look; the rest is for a nanosecond
 * later.
 */
void femu_queues_fetch(FemuZns *n)
{
    uint32_t left = FEMU_MAX_QUEUES * FEMU_MAX_QUEUE_ENTRIES;

    n->fetch_unfinished = false;
    while (can_serve(n)) {
        FemuSq *sq = sq_next_fetchable(n);

        if (!sq && !shadows_sync(n)) {
            return;
        }
        if (sq && left-- == 0) {
            n->fetch_unfinished = true;
            return;
        }
        if (sq) {
            sq_fetch_one(n, sq);
        }
    }
}
