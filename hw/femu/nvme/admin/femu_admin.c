/*
 * Admin commands: dispatch, and the commands about queues, and Abort.
 *
 * Knows nothing of zones, data or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "admin_internal.h"
#include "../completion/completion.h"
#include "../event/event.h"
#include "../host/host.h"
#include "../irq/irq.h"
#include "../queue/queue.h"
#include "../request/request.h"

/* CC.IOSQES and CC.IOCQES as log2 of an entry's bytes. */
#define SQE_SHIFT 6
#define CQE_SHIFT 4

/*
 * Check what both Create I/O Queue commands have: a queue of `size_0based` + 1
 * entries, physically contiguous (CAP.CQR), aligned to a memory page. A wrong
 * entry size in CC is an invalid queue size, too (NVMe base 2.0, 5.4 and 5.5).
 */
static uint16_t queue_check(const FemuZns *n, uint64_t base,
                            uint16_t size_0based, bool contiguous,
                            bool entry_size_right)
{
    if (!size_0based || size_0based >= FEMU_MAX_QUEUE_ENTRIES ||
        !entry_size_right) {
        return NVME_MAX_QSIZE_EXCEEDED;
    }
    if (!contiguous) {
        return NVME_INVALID_FIELD;
    }
    if (base & (n->page_bytes - 1)) {
        return NVME_INVALID_PRP_OFFSET;
    }
    return NVME_SUCCESS;
}

static uint16_t admin_create_cq(FemuZns *n, const NvmeCmd *cmd)
{
    const NvmeCreateCq *create = (const NvmeCreateCq *)cmd;
    uint16_t id = le16_to_cpu(create->cqid);
    uint16_t qsize = le16_to_cpu(create->qsize);
    uint16_t flags = le16_to_cpu(create->cq_flags);
    uint16_t vector = le16_to_cpu(create->irq_vector);
    uint64_t base = le64_to_cpu(create->prp1);
    uint16_t status;

    if (id > n->max_queue_pairs || n->cq[id]) { /* 0 is there */
        return NVME_INVALID_QID;
    }
    status = queue_check(n, base, qsize, NVME_CQ_FLAGS_PC(flags),
                         NVME_CC_IOCQES(n->cc) == CQE_SHIFT);
    if (status) {
        return status;
    }
    if (!femu_irq_vector_valid(n, vector)) {
        return NVME_INVALID_IRQ_VECTOR;
    }
    femu_cq_create(n, id, base, qsize + 1, vector, NVME_CQ_FLAGS_IEN(flags));
    return NVME_SUCCESS;
}

static uint16_t admin_create_sq(FemuZns *n, const NvmeCmd *cmd)
{
    const NvmeCreateSq *create = (const NvmeCreateSq *)cmd;
    uint16_t id = le16_to_cpu(create->sqid);
    uint16_t cq_id = le16_to_cpu(create->cqid);
    uint16_t qsize = le16_to_cpu(create->qsize);
    uint16_t flags = le16_to_cpu(create->sq_flags);
    uint64_t base = le64_to_cpu(create->prp1);
    uint16_t status;

    if (!cq_id || cq_id > n->max_queue_pairs || !n->cq[cq_id]) {
        return NVME_INVALID_CQID;
    }
    if (id > n->max_queue_pairs || n->sq[id]) { /* likewise */
        return NVME_INVALID_QID;
    }
    status = queue_check(n, base, qsize, NVME_SQ_FLAGS_PC(flags),
                         NVME_CC_IOSQES(n->cc) == SQE_SHIFT);
    if (status) {
        return status;
    }
    femu_sq_create(n, id, base, qsize + 1, cq_id);
    return NVME_SUCCESS;
}

static uint16_t admin_delete_sq(FemuZns *n, const NvmeCmd *cmd)
{
    uint16_t id = le16_to_cpu(((const NvmeDeleteQ *)cmd)->qid);

    if (!id || id > n->max_queue_pairs || !n->sq[id]) {
        return NVME_INVALID_QID;
    }
    femu_sq_delete(n, id);
    return NVME_SUCCESS;
}

static uint16_t admin_delete_cq(FemuZns *n, const NvmeCmd *cmd)
{
    uint16_t id = le16_to_cpu(((const NvmeDeleteQ *)cmd)->qid);

    if (!id || id > n->max_queue_pairs || !n->cq[id]) {
        return NVME_INVALID_QID;
    }
    if (n->cq[id]->sq_count) {
        return NVME_INVALID_QUEUE_DEL;
    }
    femu_cq_delete(n, id);
    femu_irq_update_pin(n);
    return NVME_SUCCESS;
}

/*
 * CDW10: 15:0 submission queue, 31:16 command identifier. An outstanding
 * Asynchronous Event Request is aborted, and completed before this command. Any
 * other command that has been fetched has already taken effect and is not
 * aborted, so bit 0 of the result is 1 (NVMe base 2.0, 5.1). A host that does
 * not want to wait for it can reset the controller.
 */
static uint16_t admin_abort(FemuZns *n, const NvmeCmd *cmd, uint64_t *result)
{
    uint16_t sq_id = le32_to_cpu(cmd->cdw10);
    uint16_t cid = le32_to_cpu(cmd->cdw10) >> 16;

    *result = 1;
    if (sq_id > n->max_queue_pairs || !n->sq[sq_id]) {
        return NVME_INVALID_FIELD;
    }
    if (sq_id == 0 && femu_aer_abort(n, cid)) {
        *result = 0;
    }
    return NVME_SUCCESS;
}

static uint16_t admin_dispatch(FemuZns *n, const NvmeCmd *cmd,
                               uint64_t *result)
{
    switch (cmd->opcode) {
    case NVME_ADM_CMD_DELETE_SQ:
        return admin_delete_sq(n, cmd);
    case NVME_ADM_CMD_CREATE_SQ:
        return admin_create_sq(n, cmd);
    case NVME_ADM_CMD_GET_LOG_PAGE:
        return femu_get_log(n, cmd);
    case NVME_ADM_CMD_DELETE_CQ:
        return admin_delete_cq(n, cmd);
    case NVME_ADM_CMD_CREATE_CQ:
        return admin_create_cq(n, cmd);
    case NVME_ADM_CMD_IDENTIFY:
        return femu_identify(n, cmd);
    case NVME_ADM_CMD_ABORT:
        return admin_abort(n, cmd, result);
    case NVME_ADM_CMD_SET_FEATURES:
        return femu_set_features(n, cmd, result);
    case NVME_ADM_CMD_GET_FEATURES:
        return femu_get_features(n, cmd, result);
    case NVME_ADM_CMD_ASYNC_EV_REQ:
        return femu_aer_request(n, cmd);
    case NVME_ADM_CMD_DBBUF_CONFIG:
        return femu_dbbuf_config(n, cmd);
    case NVME_ADM_CMD_FORMAT_NVM:
        return femu_format(n, cmd);
    case NVME_ADM_CMD_NS_ATTACHMENT:
        return femu_ns_attachment(n, cmd);
    default:
        return NVME_INVALID_OPCODE;
    }
}

/*
 * The core's operation for an admin command that can take time, depending on
 * the parameters; SSD_OP_COUNT for all others.
 */
static SsdOp admin_op(const NvmeCmd *cmd)
{
    switch (cmd->opcode) {
    case NVME_ADM_CMD_IDENTIFY:
        return SSD_OP_IDENTIFY;
    case NVME_ADM_CMD_GET_LOG_PAGE:
        return SSD_OP_LOG;
    case NVME_ADM_CMD_SET_FEATURES:
    case NVME_ADM_CMD_GET_FEATURES:
        return SSD_OP_FEATURE;
    default:
        return SSD_OP_COUNT;
    }
}

/* Does it set a volatile write cache? To disable it flushes what that holds. */
static bool sets_cache(const FemuZns *n, const NvmeCmd *cmd)
{
    return cmd->opcode == NVME_ADM_CMD_SET_FEATURES &&
           NVME_GETSETFEAT_FID(le32_to_cpu(cmd->cdw10)) ==
           NVME_VOLATILE_WRITE_CACHE && femu_cache_is_volatile(n);
}

/* With a slot for its flush none is put aside: how many are is bounded. */
bool femu_admin_needs_slot(const FemuZns *n, const NvmeCmd *cmd)
{
    SsdOp op = admin_op(cmd);

    return (op != SSD_OP_COUNT && ssd_is_timed(n->ssd, op)) ||
           sets_cache(n, cmd);
}

/*
 * Execute an admin command. As with any command, its data is transferred and
 * its effect is there at once; if it takes time, only the completion comes
 * later.
 */
uint16_t femu_admin_execute(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd,
                            uint64_t *result)
{
    SsdCmd asked = { .op = admin_op(cmd), .nsid = SSD_NSID_ALL };
    uint16_t status = admin_dispatch(n, cmd, result);

    if (status == NVME_SUCCESS && sets_cache(n, cmd) &&
        femu_cache_writes_through(n, false)) {
        femu_flush_first(n, sq, le16_to_cpu(cmd->cid), *result);
        return NVME_NO_COMPLETE;
    }
    return status == NVME_SUCCESS && asked.op != SSD_OP_COUNT
           ? femu_req_answered(n, sq, cmd, &asked, *result) : status;
}
