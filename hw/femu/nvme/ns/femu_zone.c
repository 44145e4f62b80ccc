/*
 * What a zone has beside its state: data, a descriptor extension.
 *
 * Knows nothing of commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
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
    return test_bit(zone_idx, ns->zone_ext_valid)
           ? ns->zone_ext + zone_idx * (size_t)n->params.zone_ext_bytes
           : NULL;
}

/* Drop the data and the descriptor extension of a zone. */
void femu_zone_forget(FemuNs *ns, uint32_t zone_idx)
{
    if (ns->store.written_bytes[zone_idx]) {
        femu_store_reset(&ns->store, zone_idx);
    }
    clear_bit(zone_idx, ns->zone_ext_valid);
}
