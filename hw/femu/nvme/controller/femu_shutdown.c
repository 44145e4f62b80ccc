/*
 * Shutdown (NVMe base 2.0, 3.6): the host says by CC.SHN that it will do no
 * more, the controller by CSTS.SHST that the drive has come to rest. From the
 * request on no command is fetched; commands inside may still be completed until
 * the end, and after it nothing is, up to a reset of the controller.
 *
 * An abrupt shutdown (CC.SHN = 10b) is a normal one: nothing here is volatile
 * that could be given up to be faster.
 *
 * Knows nothing of what the drive does about it, or of how long that takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "controller_internal.h"
#include "../record/record.h"
#include "../request/request.h"

static void set_status(FemuZns *n, uint32_t status)
{
    n->csts = (n->csts & ~(CSTS_SHST_MASK << CSTS_SHST_SHIFT)) | status;
}

/* It is for once: a second one, before a reset, has nothing left to do. */
void femu_shutdown_begin(FemuZns *n)
{
    if (n->shutdown == FEMU_SHUTDOWN_IDLE) {
        n->shutdown = FEMU_SHUTDOWN_WAITING;
        set_status(n, NVME_CSTS_SHST_PROGRESS);
    }
}

/*
 * Take the steps that have become possible. The host may take back its memory
 * when it reads that the shutdown is complete: what is inside ends untold.
 */
void femu_shutdown_run(FemuZns *n)
{
    if (n->shutdown == FEMU_SHUTDOWN_WAITING && ssd_has_room(n->ssd)) {
        femu_req_submit_shutdown(n);
    }
    if (n->shutdown == FEMU_SHUTDOWN_DONE &&
        !(n->csts & NVME_CSTS_SHST_COMPLETE)) {
        femu_req_discard(n, NULL);
        femu_history_flush(n);
        set_status(n, NVME_CSTS_SHST_COMPLETE);
        n->kept->shut_down = 1;
    }
}

/* What is inside goes on, but nobody waits for it any more. */
void femu_shutdown_ctrl_reset(FemuZns *n)
{
    femu_req_discard(n, NULL);
    n->shutdown = FEMU_SHUTDOWN_IDLE;
}
