/*
 * Bad blocks: a namespace's blocks that cannot be read, or not be written.
 *
 * A read of a bad block takes its time and then fails, without data; a write
 * to one fails at once and changes nothing.
 *
 * Knows nothing of who makes blocks bad.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/range.h"
#include "ns.h"

#define NONE UINT64_MAX

/* The lowest of these blocks that is bad, or NONE. */
static uint64_t bad_first(const FemuBadBlocks *bad, uint64_t slba, uint64_t nlb)
{
    uint64_t first = NONE;

    for (uint32_t i = 0; i < bad->count; i++) {
        if (ranges_overlap(slba, nlb, bad->range[i].slba,
                           bad->range[i].nlb)) {
            first = MIN(first, MAX(slba, bad->range[i].slba));
        }
    }
    return first;
}

/* A media error at this block, unless it is NONE. Return: the status. */
static uint16_t media_error(FemuZns *n, FemuNs *ns, uint64_t lba,
                            uint16_t status)
{
    if (lba == NONE) {
        return NVME_SUCCESS;
    }
    n->error_lba = lba;
    ns->smart->media_errors++;
    return status;
}

/*
 * Return: the status of a read of these blocks, which are in the namespace, by
 * the command that is being executed.
 */
uint16_t femu_inject_read(FemuZns *n, FemuNs *ns, uint64_t slba, uint64_t nlb)
{
    return media_error(n, ns, bad_first(&ns->bad_reads, slba, nlb),
                       NVME_UNRECOVERED_READ);
}

/*
 * Return: the status of a write that has not been submitted to the core; of a
 * copy, `nlb` is what it writes. A write that the core will refuse is a success
 * here: its status is the core's.
 */
uint16_t femu_inject_write(FemuZns *n, FemuNs *ns, const SsdCmd *cmd)
{
    SsdAccept accept;

    if (!ns->bad_writes.count) {
        return NVME_SUCCESS;
    }
    accept = ssd_ask(n->ssd, n->now_ns, cmd);
    if (accept.status != SSD_SUCCESS) {
        return NVME_SUCCESS;
    }
    return media_error(n, ns,
                       bad_first(&ns->bad_writes, accept.lba, cmd->nlb),
                       NVME_WRITE_FAULT);
}

/* Are these at least one block, all in the namespace? */
bool femu_inject_fits(const FemuNs *ns, uint64_t slba, uint64_t nlb)
{
    uint64_t size_lba = femu_ns_size_lba(ns);

    return nlb >= 1 && nlb <= size_lba - MIN(slba, size_lba);
}

/* Make all blocks of the namespace good again. */
void femu_inject_clear(FemuNs *ns)
{
    ns->bad_reads.count = 0;
    ns->bad_writes.count = 0;
}
