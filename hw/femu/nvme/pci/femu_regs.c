/*
 * BAR 0: the controller's registers and doorbells.
 *
 * Knows nothing of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "pci_internal.h"
#include "../controller/controller.h"
#include "../fetch/fetch.h"
#include "../irq/irq.h"

#define MMIO_BYTES 0x2000
#define IO_DOORBELLS (FEMU_DOORBELL_BASE + 8) /* behind the admin queue's two */
#define REG_CRTO 0x68                   /* NVMe base 2.0, 3.1.3.21 */

#define READY_TIMEOUT_500MS 30
#define AQA_FIELDS (AQA_ASQS_MASK << AQA_ASQS_SHIFT | \
                    AQA_ACQS_MASK << AQA_ACQS_SHIFT)
#define CAP_CRWMS_BIT 59                /* CRTO tells the time to ready */

/* AQA, ASQ and ACQ may only be written while CC.EN is 0. */
static bool admin_regs_writable(const FemuZns *n, hwaddr offset)
{
    if (NVME_CC_EN(n->cc)) {
        qemu_log_mask(LOG_GUEST_ERROR, "femu-zns: write to register 0x%"
                      HWADDR_PRIx " while CC.EN is set\n", offset);
        return false;
    }
    return true;
}

static void reg_write32(FemuZns *n, hwaddr offset, uint32_t value)
{
    switch (offset) {
    case NVME_REG_INTMS:
        femu_irq_mask(n, value);
        return;
    case NVME_REG_INTMC:
        femu_irq_unmask(n, value);
        return;
    case NVME_REG_CC:
        femu_ctrl_set_cc(n, value);
        return;
    case NVME_REG_AQA:
        if (admin_regs_writable(n, offset)) {
            n->aqa = value & AQA_FIELDS;
        }
        return;
    case NVME_REG_ASQ:
        if (admin_regs_writable(n, offset)) {
            n->asq = deposit64(n->asq, 0, 32, value);
        }
        return;
    case NVME_REG_ASQ + 4:
        if (admin_regs_writable(n, offset)) {
            n->asq = deposit64(n->asq, 32, 32, value);
        }
        return;
    case NVME_REG_ACQ:
        if (admin_regs_writable(n, offset)) {
            n->acq = deposit64(n->acq, 0, 32, value);
        }
        return;
    case NVME_REG_ACQ + 4:
        if (admin_regs_writable(n, offset)) {
            n->acq = deposit64(n->acq, 32, 32, value);
        }
        return;
    default:
        qemu_log_mask(LOG_GUEST_ERROR, "femu-zns: write of 0x%" PRIx32
                      " to read-only register 0x%" HWADDR_PRIx "\n",
                      value, offset);
    }
}

static uint32_t reg_read32(const FemuZns *n, hwaddr offset)
{
    switch (offset) {
    case NVME_REG_CAP:
        return n->cap;
    case NVME_REG_CAP + 4:
        return n->cap >> 32;
    case NVME_REG_VS:
        return FEMU_NVME_VERSION;
    case NVME_REG_INTMS:
    case NVME_REG_INTMC:
        return n->intms;
    case NVME_REG_CC:
        return n->cc;
    case NVME_REG_CSTS:
        return n->csts;
    case NVME_REG_AQA:
        return n->aqa;
    case NVME_REG_ASQ:
        return n->asq;
    case NVME_REG_ASQ + 4:
        return n->asq >> 32;
    case NVME_REG_ACQ:
        return n->acq;
    case NVME_REG_ACQ + 4:
        return n->acq >> 32;
    case REG_CRTO:
        return NVME_CAP_TO(n->cap);
    default:
        return 0;
    }
}

/* CAP.DSTRD is 0: tail and head doorbells alternate, 4 bytes each. */
static void doorbell_write(FemuZns *n, hwaddr offset, uint64_t value,
                           unsigned size)
{
    uint32_t idx = (offset - FEMU_DOORBELL_BASE) / 4;

    if (size != 4 || !femu_ctrl_running(n)) {
        qemu_log_mask(LOG_GUEST_ERROR, "femu-zns: doorbell 0x%" HWADDR_PRIx
                      " written %s\n", offset,
                      size != 4 ? "with 8 bytes" : "while not ready");
        return;
    }
    if (idx % 2) {
        femu_cq_doorbell(n, idx / 2, value);
    } else {
        femu_sq_doorbell(n, idx / 2, value);
    }
}

/*
 * A guest's write to a register or doorbell. Commands are fetched and executed
 * right here, at the instant of the doorbell's write, and not in a bottom half:
 * when that ran would depend on the machine that runs QEMU. (In real time the
 * drive may have a thread, which does so.)
 */
static void mmio_write(void *opaque, hwaddr offset, uint64_t value,
                       unsigned size)
{
    FemuZns *n = opaque;

    femu_entry_begin(n);
    if (offset >= IO_DOORBELLS) {
        doorbell_write(n, offset, value, size);
        femu_entry_leave(n);
        return;
    }
    if (offset >= FEMU_DOORBELL_BASE) {
        doorbell_write(n, offset, value, size);
    } else {
        reg_write32(n, offset, value);
        if (size == 8) {
            reg_write32(n, offset + 4, value >> 32);
        }
    }
    femu_entry_end(n);
}

/* Doorbells read as zero. */
static uint64_t mmio_read(void *opaque, hwaddr offset, unsigned size)
{
    FemuZns *n = opaque;
    uint64_t value;

    femu_lock(n);
    value = reg_read32(n, offset);
    if (size == 8) {
        value |= (uint64_t)reg_read32(n, offset + 4) << 32;
    }
    femu_unlock(n);
    return value;
}

static const MemoryRegionOps mmio_ops = {
    .read = mmio_read,
    .write = mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 8 },
    .impl = { .min_access_size = 4, .max_access_size = 8 },
};

/*
 * The time to ready, for CAP.TO and CRTO. power-up-ns are added, as a
 * controller that is enabled right after a power cut becomes ready only when
 * they are over.
 */
static uint64_t ready_timeout_500ms(const FemuZns *n)
{
    uint64_t power_up_ns = n->params.power_up_ns * n->dilation;

    return MIN(READY_TIMEOUT_500MS + DIV_ROUND_UP(power_up_ns, 500000000), 255);
}

/* Set CAP, and make the memory region of registers and doorbells. */
void femu_regs_init(FemuZns *n)
{
    n->cap = UINT64_C(1) << CAP_CRWMS_BIT;
    NVME_CAP_SET_MQES(n->cap, FEMU_MAX_QUEUE_ENTRIES - 1);
    NVME_CAP_SET_CQR(n->cap, 1);
    NVME_CAP_SET_TO(n->cap, ready_timeout_500ms(n));
    NVME_CAP_SET_CSS(n->cap, NVME_CAP_CSS_NCSS | NVME_CAP_CSS_IOCSS);
    NVME_CAP_SET_MPSMAX(n->cap, FEMU_MPS_MAX);
    memory_region_init_io(&n->mmio, OBJECT(n), &mmio_ops, n, "femu-zns",
                          MMIO_BYTES);
}
