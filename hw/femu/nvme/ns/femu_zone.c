/*
 * What a zone has beside its state: data, a descriptor extension.
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
    if (ns->store.written_bytes[zone_idx]) {
        femu_store_reset(&ns->store, zone_idx);
    }
}

/* Drop the data of the zones that a reset or offline has emptied. */
void femu_zones_forget_emptied(const FemuZns *n, FemuNs *ns, const SsdCmd *cmd)
{
    if (!cmd->select_all) {
        femu_zone_forget(ns, cmd->slba * ns->lba_bytes / ns->zone_size_bytes);
        return;
    }
    for (uint32_t i = 0; i < ns->zones; i++) {
        SsdZoneState state = ssd_zone(n->ssd, ns->nsid, i).state;

        if (state == SSD_ZONE_EMPTY || state == SSD_ZONE_OFFLINE) {
            femu_zone_forget(ns, i);
        }
    }
}
