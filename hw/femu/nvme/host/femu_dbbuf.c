/*
 * Doorbell Buffer Config: doorbells in host memory (NVMe base 2.0, 5.8).
 *
 * The host writes a queue's tail or head to its shadow doorbell, and writes the
 * doorbell register as well if that value passes the queue's EventIdx. The
 * controller keeps EventIdx at the last value that it has seen, so the next
 * change comes with a register write, and is acted upon at the instant of that
 * write. A host that changes the shadow doorbell just before EventIdx is
 * updated writes no register. So after each update of EventIdx the controller
 * reads the shadow doorbell again, behind a memory barrier: either the host
 * sees the new EventIdx, or the controller sees the new shadow doorbell.
 *
 * Knows nothing of what is in the queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/bswap.h"
#include "system/dma.h"
#include "host.h"

#define SHADOW_BYTES sizeof(uint32_t)

static bool shadow_read(FemuZns *n, unsigned doorbell, uint32_t *value)
{
    uint32_t raw;

    if (!femu_dma_read(n, n->dbbuf.shadow_addr + doorbell * SHADOW_BYTES,
                       &raw, sizeof(raw))) {
        return false;
    }
    *value = le32_to_cpu(raw);
    return true;
}

/* Write to one of the two buffers; if that fails, it is ignored. */
static void put(FemuZns *n, uint64_t buffer_addr, unsigned doorbell,
                uint32_t value)
{
    uint32_t raw = cpu_to_le32(value);

    femu_dma_write(n, buffer_addr + doorbell * SHADOW_BYTES, &raw,
                   sizeof(raw));
}

/* Set both buffers to `known`, the queue's present tail or head. */
void femu_dbbuf_init(FemuZns *n, unsigned doorbell, uint32_t known)
{
    if (n->dbbuf.enabled) {
        put(n, n->dbbuf.shadow_addr, doorbell, known);
        put(n, n->dbbuf.event_addr, doorbell, known);
    }
}

/*
 * A doorbell register was written; `known` is the queue's tail or head before
 * it. With shadow doorbells, the shadow counts, which may be more recent than
 * the register. But drivers do not use the shadow doorbells of the admin queue
 * (doorbells 0 and 1): if such a shadow has not changed, the register counts,
 * and the shadow is set to it. There, `value` must have been checked.
 * Return: the new tail or head.
 */
uint32_t femu_dbbuf_rung(FemuZns *n, unsigned doorbell, uint32_t known,
                         uint32_t value)
{
    uint32_t shadow;

    if (!n->dbbuf.enabled || !shadow_read(n, doorbell, &shadow)) {
        return value;
    }
    if (doorbell > 1 || shadow != known) {
        return shadow;
    }
    put(n, n->dbbuf.shadow_addr, doorbell, value);
    return value;
}

/*
 * Set EventIdx, of shadow doorbells that have been configured: if to `known`,
 * the tail or head that the controller has seen, the host writes the register
 * at the next change; if to a value that is far from it, it does not.
 * Return: the shadow doorbell; `known` if it cannot be read.
 */
uint32_t femu_dbbuf_sync(FemuZns *n, unsigned doorbell, uint32_t known,
                         uint32_t event_idx)
{
    uint32_t value = known;

    put(n, n->dbbuf.event_addr, doorbell, event_idx);
    smp_mb();
    shadow_read(n, doorbell, &value);
    return value;
}

/*
 * Each buffer is one memory page, which has room for all doorbells. That it can
 * be written is checked, which implies that it can be read.
 */
static bool page_usable(FemuZns *n, uint64_t addr)
{
    return !(addr & (n->page_bytes - 1)) &&
           femu_dma_valid(n, addr, n->page_bytes, DMA_DIRECTION_FROM_DEVICE);
}

/* PRP1: shadow doorbells, PRP2: EventIdx, in the order of the registers. */
uint16_t femu_dbbuf_config(FemuZns *n, const NvmeCmd *cmd)
{
    uint64_t shadow_addr = le64_to_cpu(cmd->dptr.prp1);
    uint64_t event_addr = le64_to_cpu(cmd->dptr.prp2);

    QEMU_BUILD_BUG_ON(FEMU_MAX_QUEUES * 2 * SHADOW_BYTES > 4096);
    if (!n->dbbuf_offered) {
        return NVME_INVALID_OPCODE;
    }
    if (!page_usable(n, shadow_addr) || !page_usable(n, event_addr) ||
        shadow_addr == event_addr) {
        return NVME_INVALID_FIELD;
    }
    n->dbbuf = (FemuDbbuf) {
        .enabled = true,
        .shadow_addr = shadow_addr,
        .event_addr = event_addr,
    };
    for (unsigned id = 0; id < FEMU_MAX_QUEUES; id++) {
        if (n->sq[id]) {
            femu_dbbuf_init(n, 2 * id, n->sq[id]->tail);
        }
        if (n->cq[id]) {
            femu_dbbuf_init(n, 2 * id + 1, n->cq[id]->head);
        }
    }
    return NVME_SUCCESS;
}

/* A controller reset: no shadow doorbells until the host configures them. */
void femu_dbbuf_ctrl_reset(FemuZns *n)
{
    n->dbbuf.enabled = false;
}
