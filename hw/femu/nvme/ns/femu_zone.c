/*
 * What belongs to a zone besides its state: data, and a descriptor extension.
 *
 * Knows nothing of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "ns_internal.h"

/* The write pointer of a full, read-only or offline zone is not valid. */
bool femu_zone_has_wp(SsdZoneState state)
{
    return state != SSD_ZONE_FULL && state != SSD_ZONE_READ_ONLY &&
           state != SSD_ZONE_OFFLINE;
}

/* The extension of a zone's descriptor, or NULL if none is valid. */
const void *femu_zone_ext(const FemuZns *n, const FemuNs *ns,
                          uint32_t zone_idx)
{
    return ssd_zone(n->ssd, ns->nsid, zone_idx).has_extension
           ? ns->zone_ext + zone_idx * (size_t)n->params.zone_ext_bytes
           : NULL;
}

/* Drop the data of a zone. */
void femu_zone_forget(FemuNs *ns, uint32_t zone_idx)
{
    femu_store_reset(&ns->store, zone_idx);
}

/*
 * The zone has failed. What its reset has put aside is dropped, too: a power cut
 * cannot undo that reset any more.
 */
void femu_zone_failed(FemuNs *ns, uint32_t zone_idx, SsdZoneState state)
{
    if (state == SSD_ZONE_OFFLINE) {
        femu_zone_forget(ns, zone_idx);
    } else {
        femu_store_let_go(&ns->store, zone_idx);
    }
}

/* As femu_zones_managed(), of one of its zones. */
static void manage(const FemuZns *n, FemuNs *ns, const SsdCmd *cmd,
                   uint32_t tag, uint32_t zone_idx)
{
    SsdZoneState state = ssd_zone(n->ssd, ns->nsid, zone_idx).state;

    if (state == SSD_ZONE_OFFLINE) {
        femu_zone_forget(ns, zone_idx);
    } else if (cmd->op == SSD_OP_ZONE_RESET && state == SSD_ZONE_EMPTY) {
        femu_store_put_aside(&ns->store, zone_idx, tag);
    } else {
        femu_store_let_go(&ns->store, zone_idx);
    }
}

/*
 * The core has accepted a zone management command as request `tag`: data that
 * the command drops read as zeroes from now on. Those of a reset zone are put
 * aside, as the power may be cut before the reset is done.
 */
void femu_zones_managed(const FemuZns *n, FemuNs *ns, const SsdCmd *cmd,
                        uint32_t tag)
{
    const FemuStore *store = &ns->store;
    /* What has been written is dropped by a reset, or of a zone offline. */
    bool drops = cmd->op == SSD_OP_ZONE_RESET ||
                 cmd->op == SSD_OP_ZONE_OFFLINE;

    if (!cmd->select_all) {
        manage(n, ns, cmd, tag,
               cmd->slba * ns->lba_bytes / ns->zone_size_bytes);
        return;
    }
    for (uint32_t i = femu_store_next(store, 0, drops); i < ns->zones;
         i = femu_store_next(store, i + 1, drops)) {
        manage(n, ns, cmd, tag, i);
    }
}

/*
 * The reset of one zone, or of FEMU_ZONES_ALL, is done. A power cut cannot undo
 * it any more: the data that it has put aside are dropped.
 */
void femu_zones_reset_done(FemuNs *ns, uint32_t zone_idx, uint32_t tag)
{
    const FemuStore *store = &ns->store;
    bool all = zone_idx == FEMU_ZONES_ALL;
    uint32_t first = all ? 0 : zone_idx;
    uint32_t end = all ? ns->zones : zone_idx + 1;

    for (uint32_t i = femu_store_next(store, first, false); i < end;
         i = femu_store_next(store, i + 1, false)) {
        if (store->aside_tag[i] == tag) {
            femu_store_let_go(&ns->store, i);
        }
    }
}

/* The bytes of a zone that may be data, given its state in the core. */
static uint64_t left_bytes(const FemuNs *ns, const SsdZone *zone)
{
    switch (zone->state) {
    case SSD_ZONE_EMPTY:
    case SSD_ZONE_OFFLINE:
        return 0;
    case SSD_ZONE_CLOSED:
        /* With a ZRWA, there may be data beyond the write pointer. */
        return zone->has_zrwa ? ns->zone_capacity_bytes
                              : (zone->wp_lba - zone->start_lba) *
                                ns->lba_bytes;
    default:
        return ns->zone_capacity_bytes;
    }
}

/*
 * The power has been cut, and n->ssd is the drive as it is afterwards: bring
 * block size and data in line with it.
 */
void femu_zones_power_cut(const FemuZns *n, FemuNs *ns)
{
    ns->lba_bytes = ssd_ns_info(n->ssd, ns->nsid).lba_bytes;
    for (uint32_t i = 0; i < ns->zones; i++) {
        SsdZone zone = ssd_zone(n->ssd, ns->nsid, i);

        femu_store_cut(&ns->store, i, left_bytes(ns, &zone));
    }
}
