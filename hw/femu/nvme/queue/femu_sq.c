/*
 * Submission queues: creation and deletion; deletion of all queues.
 *
 * Knows nothing of the commands in the queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "queue.h"
#include "../completion/completion.h"
#include "../host/host.h"
#include "../irq/irq.h"
#include "../request/request.h"
#include "../../trace.h"

/*
 * Create a submission queue of `size` entries at `base`. The caller has checked
 * all arguments, that there is no queue of this identifier, and that there is
 * its completion queue.
 */
void femu_sq_create(FemuZns *n, uint16_t id, uint64_t base, uint32_t size,
                    uint16_t cq_id)
{
    FemuSq *sq = &n->sq_memory[id];

    *sq = (FemuSq) {
        .id = id,
        .base = base,
        .size = size,
        .cq = n->cq[cq_id],
    };
    sq->cq->sq_count++;
    n->sq[id] = sq;
    femu_dbbuf_init(n, 2 * id, 0);
    trace_femu_create_sq(id, base, size, cq_id);
}

/*
 * Delete a queue that exists. Its commands that are still inside the core, or
 * whose completion is parked, get no completion (NVMe base 2.0, 5.6: a
 * controller may, but need not, post Command Aborted due to SQ Deletion).
 */
void femu_sq_delete(FemuZns *n, uint16_t id)
{
    FemuSq *sq = n->sq[id];

    femu_req_discard(n, sq);
    femu_cq_drop_parked(sq->cq, sq);
    sq->cq->sq_count--;
    n->sq[id] = NULL;
}

/* Delete all queues, submission queues first: they use completion queues. */
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
    femu_irq_update_pin(n);
}
