/*
 * The controller's CC register: enabling, controller reset, begin of shutdown.
 *
 * Knows nothing of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "controller_internal.h"
#include "../admin/admin.h"
#include "../completion/completion.h"
#include "../event/event.h"
#include "../fetch/fetch.h"
#include "../host/host.h"
#include "../irq/irq.h"
#include "../queue/queue.h"
#include "../request/request.h"
#include "../../trace.h"

#define PAGE_SHIFT_MIN 12

/* Fields of CC that a host may change while the controller is enabled. */
#define CC_CHANGEABLE                                                   \
    ((uint32_t)CC_EN_MASK << CC_EN_SHIFT |                              \
     (uint32_t)CC_SHN_MASK << CC_SHN_SHIFT |                            \
     (uint32_t)CC_IOSQES_MASK << CC_IOSQES_SHIFT |                      \
     (uint32_t)CC_IOCQES_MASK << CC_IOCQES_SHIFT)

/*
 * Controller Level Reset: all queues are deleted, their commands get no
 * completion, features have their defaults. The core is not reset: it goes on
 * with the commands inside.
 */
static void ctrl_reset(FemuZns *n)
{
    trace_femu_reset(n->clock_ns);
    femu_queues_delete(n);
    femu_features_reset(n);
    femu_aer_reset(n);
    femu_dbbuf_ctrl_reset(n);
    femu_format_ctrl_reset(n);
    femu_notice_reset(n);
    femu_shutdown_ctrl_reset(n);
    n->csts = 0;
    n->enable_waits = false;
    femu_irq_ctrl_reset(n);
}

/* Reset by PCI (bus reset, FLR): CC, AQA, ASQ and ACQ are reset as well. */
void femu_ctrl_hard_reset(FemuZns *n)
{
    ctrl_reset(n);
    n->cc = 0;
    n->aqa = 0;
    n->asq = 0;
    n->acq = 0;
}

/* Why the controller cannot be enabled now, as configured, or NULL. */
static const char *ctrl_config_error(const FemuZns *n)
{
    uint32_t css = NVME_CC_CSS(n->cc);
    uint64_t page_mask = (UINT64_C(1) << (PAGE_SHIFT_MIN +
                                          NVME_CC_MPS(n->cc))) - 1;

    if (n->history_lost) {
        return "the history cannot be written";
    }
    if (css != NVME_CC_CSS_NVM && css != NVME_CC_CSS_ALL) {
        return "CC.CSS is neither 000b nor 110b";
    }
    if (NVME_CC_MPS(n->cc) > FEMU_MPS_MAX) {
        return "CC.MPS is above CAP.MPSMAX";
    }
    if (NVME_CC_AMS(n->cc) != 0) {
        return "CC.AMS is not round robin";
    }
    if (!NVME_AQA_ASQS(n->aqa) || !NVME_AQA_ACQS(n->aqa)) {
        return "AQA gives a queue of one entry";
    }
    if ((n->asq & page_mask) || (n->acq & page_mask)) {
        return "ASQ or ACQ is not aligned to a memory page";
    }
    return NULL;
}

static void ctrl_enable(FemuZns *n)
{
    const char *error = ctrl_config_error(n);

    if (error) {
        femu_ctrl_fatal(n, error);
        return;
    }
    n->page_bytes = 1u << (PAGE_SHIFT_MIN + NVME_CC_MPS(n->cc));
    femu_cq_create(n, 0, n->acq, NVME_AQA_ACQS(n->aqa) + 1, 0, true);
    femu_sq_create(n, 0, n->asq, NVME_AQA_ASQS(n->aqa) + 1, 0);
    /* One that was asked for, and is not any more, while CC.EN was 0 is over. */
    if (!NVME_CC_SHN(n->cc)) {
        femu_shutdown_ctrl_reset(n);
    }
    n->csts = NVME_CSTS_READY;
    n->kept->shut_down = 0;
    trace_femu_enable(n->cc, n->aqa);
}

/*
 * Enable the controller if CC.EN asks for it and the drive is powered up. A
 * host may set CC.EN before power-up-ns have passed since a power cut.
 */
void femu_ctrl_run(FemuZns *n)
{
    if (n->enable_waits && femu_power_is_back(n)) {
        n->enable_waits = false;
        ctrl_enable(n);
    }
}

void femu_ctrl_set_cc(FemuZns *n, uint32_t value)
{
    uint32_t old = n->cc;

    if (NVME_CC_EN(old) && NVME_CC_EN(value)) {
        value = (old & ~CC_CHANGEABLE) | (value & CC_CHANGEABLE);
    }
    n->cc = value;
    if (!NVME_CC_EN(old) && NVME_CC_EN(value)) {
        n->enable_waits = true;
        femu_ctrl_run(n);
    } else if (NVME_CC_EN(old) && !NVME_CC_EN(value)) {
        ctrl_reset(n);
    }
    if (NVME_CC_SHN(value) && !NVME_CC_SHN(old)) {
        femu_shutdown_begin(n);
    }
}
