/*
 * Submission queues: creation and deletion, and the end of all queues.
 *
 * Knows nothing of what is in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "queue.h"
#include "../completion/completion.h"
#include "../host/host.h"
#include "../request/request.h"
#include "../../trace.h"

/*
 * Create a submission queue of `size` entries at `base`. Everything has been
 * checked: there is no queue of this identifier, but its completion queue is
 * there.
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
 * Delete a queue that exists. Its commands that are still inside, or whose
 * completion waits for room, end without a completion (NVMe base 2.0, 5.6:
 * a controller may, but need not, post Command Aborted due to SQ Deletion).
 */
void femu_sq_delete(FemuZns *n, uint16_t id)
{
    FemuSq *sq = n->sq[id];

    femu_req_discard(n, sq);
    femu_cq_drop_parked(sq->cq, sq);
    sq->cq->sq_count--;
    n->sq[id] = NULL;
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
}
