/*
 * Fetching commands from the submission queues, and having them executed.
 *
 * Knows nothing of what the commands mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "fetch_internal.h"
#include "../admin/admin.h"
#include "../completion/completion.h"
#include "../host/host.h"
#include "../io/io.h"
#include "../qemu/versions.h"
#include "../../trace.h"

/*
 * May the next command of this queue be fetched? Not while completions are
 * parked for its completion queue: so the number of parked completions is
 * bounded by the commands inside the core and a few that need no slot there.
 * And an I/O command, or an admin command that takes time, only if the core has
 * room for it.
 */
static bool sq_ready(const FemuZns *n, const FemuSq *sq)
{
    return sq->head != sq->tail && QSIMPLEQ_EMPTY(&sq->cq->parked) &&
           (ssd_has_room(n->ssd) || (sq->id == 0 && !sq->awaits_slot));
}

/* The admin queue's commands may change what QEMU's lock protects. */
static bool sq_fetchable(const FemuZns *n, const FemuSq *sq)
{
    return sq_ready(n, sq) && !(sq->id == 0 && n->entry.alone);
}

/* Is there an admin command that an entry with QEMU's lock would fetch? */
bool femu_admin_waits(const FemuZns *n)
{
    return n->sq[0] && sq_ready(n, n->sq[0]) && femu_can_fetch(n);
}

/* Round robin: the next queue after the one served last, or NULL. */
static FemuSq *sq_next_fetchable(FemuZns *n)
{
    for (uint32_t i = 1; i <= FEMU_MAX_QUEUES; i++) {
        uint32_t idx = (n->last_sq_idx + i) % FEMU_MAX_QUEUES;

        if (n->sq[idx] && sq_fetchable(n, n->sq[idx])) {
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
 * Fetch and execute one command. An admin command that needs a slot while none
 * is free stays in the queue, which then awaits a slot. (The queue of an I/O
 * command is not fetchable then.) Executing a command may delete queues, but
 * never `sq` itself: only commands of the admin queue delete queues, and they
 * cannot delete that one.
 */
static void sq_fetch_one(FemuZns *n, FemuSq *sq)
{
    NvmeCmd cmd;
    uint64_t result = 0;
    uint16_t status;

    n->last_sq_idx = sq->id;
    n->entry.work_bytes += FEMU_COMMAND_WORK_BYTES;
    if (!femu_dma_read(n, sq->base + sq->head * sizeof(cmd), &cmd,
                       sizeof(cmd))) {
        femu_ctrl_fatal(n, "a submission queue entry cannot be read");
        return;
    }
    sq->awaits_slot = !ssd_has_room(n->ssd) &&
                      femu_admin_needs_slot(n, &cmd);
    if (sq->awaits_slot) {
        return;
    }
    sq->head = (sq->head + 1) % sq->size;
    n->error_lba = 0;
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

/* Has this entry done as much as it may? See FEMU_ENTRY_WORK_BYTES. */
static bool entry_is_long(const FemuZns *n)
{
    return n->entry.work_bytes >= (icount_enabled() ? FEMU_ICOUNT_WORK_BYTES
                                                    : FEMU_ENTRY_WORK_BYTES);
}

/*
 * Fetch and execute commands, one per queue in turn, while that is possible and
 * the entry has not become long: then fetching goes on a nanosecond later. So
 * it ends, too, if the guest goes on moving shadow doorbells for ever.
 */
void femu_queues_fetch(FemuZns *n)
{
    n->fetch_unfinished = false;
    while (femu_can_fetch(n)) {
        FemuSq *sq = sq_next_fetchable(n);

        if (!sq) {
            if (!femu_shadows_sync(n)) {
                return;
            }
            continue;
        }
        if (entry_is_long(n)) {
            n->fetch_unfinished = true;
            return;
        }
        sq_fetch_one(n, sq);
    }
}
