/*
 * Shutdown (NVMe base 2.0, 3.6): the host requests it by CC.SHN, and CSTS.SHST
 * tells when it is complete. From the request on no command is fetched.
 * Commands inside may still complete until the shutdown is complete; then
 * nothing completes before the controller has been reset.
 *
 * An abrupt shutdown (CC.SHN = 10b) is carried out as a normal one: the drive
 * has no step that could be left out to be faster.
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

/* CC.SHN was set. Up to the next reset, only the first time has an effect. */
void femu_shutdown_begin(FemuZns *n)
{
    if (n->shutdown == FEMU_SHUTDOWN_IDLE) {
        n->shutdown = FEMU_SHUTDOWN_WAITING;
        set_status(n, NVME_CSTS_SHST_PROGRESS);
    }
}

/*
 * Take the steps of the shutdown that have become possible. When the host reads
 * that it is complete, the host may use the queues' memory for other things: so
 * commands that are still inside get no completion.
 */
void femu_shutdown_run(FemuZns *n)
{
    if (n->shutdown == FEMU_SHUTDOWN_WAITING && ssd_has_room(n->ssd)) {
        femu_req_submit_shutdown(n);
    }
    if (n->shutdown == FEMU_SHUTDOWN_DONE) { /* again, it changes nothing */
        femu_req_discard(n, NULL);
        if (!femu_history_flush(n)) {
            return;
        }
        set_status(n, NVME_CSTS_SHST_COMPLETE);
        n->kept->shut_down = 1;
    }
}

/*
 * A controller reset: commands inside, the shutdown among them, go on in the
 * core, but none will be completed.
 */
void femu_shutdown_ctrl_reset(FemuZns *n)
{
    femu_req_discard(n, NULL);
    n->shutdown = FEMU_SHUTDOWN_IDLE;
}
