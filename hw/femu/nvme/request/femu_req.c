/*
 * The commands that are inside the core: from acceptance to completion.
 *
 * Knows nothing of opcodes, host memory or data.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "request_internal.h"
#include "../record/record.h"
#include "../completion/completion.h"
#include "../ns/ns.h"
#include "../../trace.h"

#define DELIVER_BATCH 32

/* The core's statuses are NVMe's. */
QEMU_BUILD_BUG_ON((int)SSD_SUCCESS != NVME_SUCCESS);
QEMU_BUILD_BUG_ON((int)SSD_INVALID_FIELD != NVME_INVALID_FIELD);
QEMU_BUILD_BUG_ON((int)SSD_INVALID_NAMESPACE_OR_FORMAT != NVME_INVALID_NSID);
QEMU_BUILD_BUG_ON((int)SSD_LBA_OUT_OF_RANGE != NVME_LBA_RANGE);
QEMU_BUILD_BUG_ON((int)SSD_COMMAND_SIZE_LIMIT_EXCEEDED !=
                  NVME_CMD_SIZE_LIMIT);
QEMU_BUILD_BUG_ON((int)SSD_INVALID_ZONE_OPERATION != NVME_INVALID_ZONE_OP);
QEMU_BUILD_BUG_ON((int)SSD_ZRWA_UNAVAILABLE != NVME_NOZRWA);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_BOUNDARY_ERROR != NVME_ZONE_BOUNDARY_ERROR);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_IS_FULL != NVME_ZONE_FULL);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_IS_READ_ONLY != NVME_ZONE_READ_ONLY);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_IS_OFFLINE != NVME_ZONE_OFFLINE);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_INVALID_WRITE != NVME_ZONE_INVALID_WRITE);
QEMU_BUILD_BUG_ON((int)SSD_TOO_MANY_ACTIVE_ZONES != NVME_ZONE_TOO_MANY_ACTIVE);
QEMU_BUILD_BUG_ON((int)SSD_TOO_MANY_OPEN_ZONES != NVME_ZONE_TOO_MANY_OPEN);
QEMU_BUILD_BUG_ON((int)SSD_INVALID_ZONE_STATE_TRANSITION !=
                  NVME_ZONE_INVAL_TRANSITION);

/* ... and its zone states are those of the zone descriptor. */
QEMU_BUILD_BUG_ON((int)SSD_ZONE_EMPTY != NVME_ZONE_STATE_EMPTY);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_IMPLICITLY_OPEN !=
                  NVME_ZONE_STATE_IMPLICITLY_OPEN);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_EXPLICITLY_OPEN !=
                  NVME_ZONE_STATE_EXPLICITLY_OPEN);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_CLOSED != NVME_ZONE_STATE_CLOSED);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_READ_ONLY != NVME_ZONE_STATE_READ_ONLY);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_FULL != NVME_ZONE_STATE_FULL);
QEMU_BUILD_BUG_ON((int)SSD_ZONE_OFFLINE != NVME_ZONE_STATE_OFFLINE);

/* All slots are free. */
static void slots_init(FemuZns *n)
{
    uint32_t slots = n->params.cmd_slots;

    n->req = g_new0(FemuReq, slots);
    n->free_req = g_new(uint32_t, slots);
    n->free_req_count = slots;
    for (uint32_t i = 0; i < slots; i++) {
        n->free_req[i] = slots - 1 - i;
    }
}

void femu_req_init(FemuZns *n)
{
    slots_init(n);
    n->untold_due_ns = g_array_new(FALSE, FALSE, sizeof(int64_t));
    QSIMPLEQ_INIT(&n->flushes);
}

/* The core has been replaced by one with no command inside: all slots free. */
void femu_req_forget_all(FemuZns *n)
{
    g_free(n->req);
    g_free(n->free_req);
    slots_init(n);
}

void femu_req_exit(FemuZns *n)
{
    femu_flushes_discard(n, NULL);
    g_free(n->req);
    g_free(n->free_req);
    g_clear_pointer(&n->untold_due_ns, g_array_unref);
}

/*
 * The zone that a command addresses; FEMU_ZONES_ALL with Select All, and for a
 * command that is not of one zoned namespace.
 */
uint32_t femu_req_zone_idx(const FemuZns *n, const SsdCmd *cmd)
{
    const FemuNs *ns = femu_ns(n, cmd->nsid);

    return cmd->select_all || !ns || !femu_ns_zoned(ns)
           ? FEMU_ZONES_ALL
           : cmd->slba * ns->lba_bytes / ns->zone_size_bytes;
}

/* The core has accepted a command of a queue: count it for cut_at_command. */
static void note_accepted(FemuZns *n)
{
    n->accepted_count++;
    n->cut_noted |= n->accepted_count == n->cut_at_command;
}

/*
 * Submit a command to the core. Needs ssd_has_room(). If the core accepts it,
 * *lba is the first LBA of its data (which the core chooses for an append), and
 * *req the request, which completes later.
 * Return: status; if that is not success, nothing has changed.
 */
uint16_t femu_req_submit(FemuZns *n, FemuSq *sq, uint16_t cid,
                         const SsdCmd *cmd, uint64_t *lba, FemuReq **req)
{
    uint32_t tag = n->free_req[n->free_req_count - 1];
    SsdAccept accept = ssd_submit(n->ssd, n->now_ns, cmd, tag);
    uint64_t seq = femu_trace_submit(n, cmd, accept.status);

    trace_femu_submit(sq->id, cid, ssd_op_name(cmd->op), cmd->slba, cmd->nlb,
                      n->now_ns, accept.status);
    if (accept.status != SSD_SUCCESS) {
        return accept.status;
    }
    n->free_req_count--;
    n->req[tag] = (FemuReq) {
        .sq = sq,
        .busy = true,
        .cid = cid,
        .trace_seq = seq,
        .zone_idx = femu_req_zone_idx(n, cmd),
    };
    note_accepted(n);
    *lba = accept.lba;
    *req = &n->req[tag];
    return NVME_SUCCESS;
}

/*
 * Submit to the core a command that the drive gives itself, which the core
 * accepts, as `req`. Needs ssd_has_room(). Return: its tag.
 */
static uint32_t submit_own(FemuZns *n, const SsdCmd *cmd, FemuReq req)
{
    uint32_t tag = n->free_req[--n->free_req_count];
    SsdAccept accept = ssd_submit(n->ssd, n->now_ns, cmd, tag);

    assert(accept.status == SSD_SUCCESS);
    req.busy = true;
    req.trace_seq = femu_trace_submit(n, cmd, accept.status);
    n->req[tag] = req;
    return tag;
}

/* Submit the flush behind which a command is completed. Needs room. */
static void submit_flush(FemuZns *n, const FemuFlush *flush)
{
    const SsdCmd cmd = { .op = SSD_OP_FLUSH, .nsid = SSD_NSID_ALL };

    submit_own(n, &cmd, (FemuReq) {
        .sq = flush->sq,
        .cid = flush->cid,
        .result = flush->result,
    });
}

/* Submit the flushes for which there is room. */
void femu_req_flush(FemuZns *n)
{
    while (!QSIMPLEQ_EMPTY(&n->flushes) && ssd_has_room(n->ssd)) {
        FemuFlush *flush = QSIMPLEQ_FIRST(&n->flushes);

        QSIMPLEQ_REMOVE_HEAD(&n->flushes, next);
        submit_flush(n, flush);
        g_free(flush);
    }
}

/*
 * A command has been executed outside the core, its data transferred. If
 * commands like this take time, submit it to the core as `asked`, to complete
 * with `result` when the core says; this needs ssd_has_room().
 * Return: NVME_NO_COMPLETE if so, success if it takes no time.
 */
uint16_t femu_req_answered(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd,
                           const SsdCmd *asked, uint64_t result)
{
    uint16_t status;
    uint64_t lba;
    FemuReq *req;

    if (!ssd_is_timed(n->ssd, asked->op)) {
        return NVME_SUCCESS;
    }
    status = femu_req_submit(n, sq, le16_to_cpu(cmd->cid), asked, &lba, &req);
    assert(status == NVME_SUCCESS);
    req->result = result;
    return NVME_NO_COMPLETE;
}

/*
 * Submit to the core the reset of all zones of a namespace that is being
 * formatted; their data are put aside, as by any reset. Needs ssd_has_room().
 */
void femu_req_submit_format(FemuZns *n, FemuNs *ns, const SsdCmd *cmd)
{
    uint32_t tag = submit_own(n, cmd, (FemuReq) {
        .format_ns = ns,
        .zone_idx = FEMU_ZONES_ALL,
    });

    if (femu_history_flush(n)) {
        femu_zones_managed(n, ns, cmd, tag);
    }
}

/*
 * Submit to the core the shutdown of the drive. Needs ssd_has_room(), and that
 * no other shutdown is inside.
 */
void femu_req_submit_shutdown(FemuZns *n)
{
    const SsdCmd cmd = { .op = SSD_OP_SHUTDOWN, .nsid = SSD_NSID_ALL };

    submit_own(n, &cmd, (FemuReq) { .shuts_down = true });
    n->shutdown = FEMU_SHUTDOWN_INSIDE;
}

/*
 * Completions of this queue's commands will not be posted. With sq NULL, this
 * is so for all queues, and the end of a shutdown is not waited for either. The
 * core goes on with the commands, whose effects have been there since they were
 * accepted.
 */
void femu_req_discard(FemuZns *n, const FemuSq *sq)
{
    femu_flushes_discard(n, sq);
    for (uint32_t tag = 0; tag < n->params.cmd_slots; tag++) {
        FemuReq *req = &n->req[tag];

        if (req->sq && (!sq || req->sq == sq)) {
            req->sq = NULL;
            femu_trace_discard(n, req->trace_seq);
        }
        if (req->shuts_down && !sq) {
            req->shuts_down = false;
            femu_trace_discard(n, req->trace_seq);
        }
    }
}

/* Free the slot of a command that is done. A reset drops what it put aside. */
void femu_req_free(FemuZns *n, const SsdDone *done)
{
    FemuReq *req = &n->req[done->tag];

    if (done->op == SSD_OP_ZONE_RESET) {
        femu_zones_reset_done(femu_ns(n, done->nsid), req->zone_idx,
                              done->tag);
    }
    *req = (FemuReq) { 0 };
    n->free_req[n->free_req_count++] = done->tag;
}

/*
 * The host has been told of what this entry has posted: with a thread, that is
 * what lateness is until, and it includes waiting for QEMU's lock.
 */
void femu_req_told(FemuZns *n)
{
    for (guint i = 0; i < n->untold_due_ns->len; i++) {
        ssd_histogram_add(&n->lateness_ns,
                          qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) -
                          g_array_index(n->untold_due_ns, int64_t, i));
    }
    g_array_set_size(n->untold_due_ns, 0);
}

static void note_due(FemuZns *n, int64_t due_ns)
{
    if (!n->thread) {
        ssd_histogram_add(&n->lateness_ns, n->clock_ns - due_ns);
        return;
    }
    g_array_append_val(n->untold_due_ns, due_ns);
}

/* The core is done with a command: complete it, and free its slot. */
static void req_done(FemuZns *n, const SsdDone *done)
{
    FemuReq *req = &n->req[done->tag];
    uint16_t status = req->status ? req->status : done->status;
    uint64_t result = req->result ? req->result : done->result;

    assert(req->busy);
    if (req->sq) {
        note_due(n, femu_time_of(n, done->due_at_ns));
        femu_trace_done(n, req->trace_seq, done);
        if (req->then_flush && status == NVME_SUCCESS) {
            femu_flush_first(n, req->sq, req->cid, result);
        } else {
            femu_cq_post(n, req->sq, req->cid, status, result);
        }
    } else if (req->format_ns) {
        femu_trace_done(n, req->trace_seq, done);
        femu_format_reset_done(req->format_ns);
    } else if (req->shuts_down) {
        femu_trace_done(n, req->trace_seq, done);
        n->shutdown = FEMU_SHUTDOWN_DONE;
    }
    femu_req_free(n, done);
}

/* Take out of the core all commands that are done by now, and complete them. */
void femu_req_deliver_due(FemuZns *n)
{
    SsdDone done[DELIVER_BATCH];
    unsigned count;

    do {
        count = ssd_poll(n->ssd, n->now_ns, done, DELIVER_BATCH);
        for (unsigned i = 0; i < count; i++) {
            req_done(n, &done[i]);
        }
    } while (count == DELIVER_BATCH);
}
