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

/* Is one of these blocks bad? */
static bool bad_any(const FemuBadBlocks *bad, uint64_t slba, uint64_t nlb)
{
    for (uint32_t i = 0; i < bad->count; i++) {
        if (ranges_overlap(slba, nlb, bad->range[i].slba,
                           bad->range[i].nlb)) {
            return true;
        }
    }
    return false;
}

/* Return: the status of a read of these blocks, which are in the namespace. */
uint16_t femu_inject_read(FemuNs *ns, uint64_t slba, uint64_t nlb)
{
    if (!bad_any(&ns->bad_reads, slba, nlb)) {
        return NVME_SUCCESS;
    }
    ns->smart->media_errors++;
    return NVME_UNRECOVERED_READ;
}

static bool state_writable(SsdZoneState state)
{
    return state == SSD_ZONE_EMPTY || state == SSD_ZONE_CLOSED ||
           state == SSD_ZONE_IMPLICITLY_OPEN ||
           state == SSD_ZONE_EXPLICITLY_OPEN;
}

/*
 * May a write to the zone begin at this LBA? At the write pointer it may, and
 * in a zone with a ZRWA, in the ZRWA and the implicit commit range behind it.
 */
static bool lba_writable(const FemuZns *n, const FemuNs *ns,
                         const SsdZone *zone, uint64_t lba)
{
    uint64_t zrwa_nlb = n->params.zrwa_bytes / ns->lba_bytes;
    uint64_t ahead_nlb = lba - zone->wp_lba; /* huge if it is behind */

    return ahead_nlb == 0 || (zone->has_zrwa && ahead_nlb < 2 * zrwa_nlb);
}

/*
 * Find the first LBA that a write to a zone will write: for an append, the
 * write pointer. *at_lba is cmd->slba before.
 * Return: false if the zone cannot be written there; the core will refuse it.
 */
static bool find_in_zone(const FemuZns *n, const FemuNs *ns, const SsdCmd *cmd,
                         uint64_t *at_lba)
{
    SsdZone zone = femu_ns_zone(n, ns, cmd->slba / femu_ns_zone_nlb(ns));

    if (cmd->op == SSD_OP_APPEND && cmd->slba == zone.start_lba) {
        *at_lba = zone.wp_lba;
    }
    return state_writable(zone.state) && lba_writable(n, ns, &zone, *at_lba);
}

/*
 * Return: the status of a write that has not been submitted to the core. A
 * write that the core will refuse is a success here: its status is the core's.
 */
uint16_t femu_inject_write(FemuZns *n, FemuNs *ns, const SsdCmd *cmd)
{
    uint64_t at_lba = cmd->slba;

    if (!ns->bad_writes.count || !femu_inject_fits(ns, cmd->slba, cmd->nlb) ||
        (femu_ns_zoned(ns) && !find_in_zone(n, ns, cmd, &at_lba)) ||
        !bad_any(&ns->bad_writes, at_lba, cmd->nlb)) {
        return NVME_SUCCESS;
    }
    ns->smart->media_errors++;
    return NVME_WRITE_FAULT;
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
