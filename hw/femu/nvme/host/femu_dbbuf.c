/*
 * Doorbell Buffer Config: doorbells in host memory (NVMe base 2.0, 5.8).
 *
 * The host puts a queue's tail or head into its shadow doorbell, and writes the
 * register as well if that value passes the queue's EventIdx. We keep EventIdx
 * at the value that we know of, so every news comes with a register write, at
 * whose instant we act; but for what the host adds before we have looked. That
 * is why the shadow is read after each change of EventIdx: whoever comes second
 * sees what the other has written.
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

/* A host whose memory is gone is told nothing. */
static void put(FemuZns *n, uint64_t buffer_addr, unsigned doorbell,
                uint32_t value)
{
    uint32_t raw = cpu_to_le32(value);

    femu_dma_write(n, buffer_addr + doorbell * SHADOW_BYTES, &raw,
                   sizeof(raw));
}

/* The queue of this doorbell has the value `known`: in both buffers. */
void femu_dbbuf_init(FemuZns *n, unsigned doorbell, uint32_t known)
{
    if (n->dbbuf.enabled) {
        put(n, n->dbbuf.shadow_addr, doorbell, known);
        put(n, n->dbbuf.event_addr, doorbell, known);
    }
}

/*
 * A doorbell register was written while we know of `known`. What counts is the
 * shadow, which may be younger. But drivers leave the shadows of the admin
 * queue alone: one that has not changed gets the value, which must be valid.
 * Return: the doorbell's value.
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
 * Ask the host to write the register when it passes `known`.
 * Return: the doorbell's value; `known` if there are no shadow doorbells.
 */
uint32_t femu_dbbuf_sync(FemuZns *n, unsigned doorbell, uint32_t known)
{
    uint32_t value = known;

    if (n->dbbuf.enabled) {
        put(n, n->dbbuf.event_addr, doorbell, known);
        smp_mb();
        shadow_read(n, doorbell, &value);
    }
    return value;
}

/*
 * Both buffers are a memory page, which has room for all doorbells. What can be
 * written can be read.
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

/* A controller reset: the host configures it anew. */
void femu_dbbuf_ctrl_reset(FemuZns *n)
{
    n->dbbuf.enabled = false;
}
