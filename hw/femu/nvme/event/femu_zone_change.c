/*
 * Zones whose descriptor has changed though no host command asked for it: the
 * Changed Zone List log page and its event (ZNS 1.1, 4.1.1 and 5.1).
 *
 * Knows nothing of why zones change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "qemu/bswap.h"
#include "event_internal.h"
#include "../ns/ns.h"
#include "../record/record.h"

/* The log page: a count, and from byte 8 on the first LBAs of the zones. */
#define LIST_MAX 511
#define LIST_OVERFLOW 0xffff
#define LIST_FIRST_BYTES 8

/* The descriptor of this zone has changed. */
void femu_zone_changed(FemuZns *n, FemuNs *ns, uint32_t zone_idx)
{
    set_bit(zone_idx, ns->changed_zones);
    femu_notice_zone_changed(n, ns);
}

/* Ask the core which zones it has changed by itself up to now. */
void femu_zone_change_poll(FemuZns *n)
{
    uint32_t nsid, zone_idx;

    while (ssd_poll_zone(n->ssd, n->now_ns, &nsid, &zone_idx)) {
        femu_record_own_change(n);
        femu_zone_changed(n, femu_ns(n, nsid), zone_idx);
    }
}

/*
 * Fill a zeroed log page: the first LBAs of the zones that have changed since
 * it was last read. If they are more than it can hold, none is listed, and the
 * count says so.
 */
void femu_zone_change_log(const FemuNs *ns, uint8_t *buf)
{
    uint64_t zone_nlb = femu_ns_zone_nlb(ns);
    long count = bitmap_count_one(ns->changed_zones, ns->zones);
    unsigned long zone_idx;
    uint8_t *at = buf + LIST_FIRST_BYTES;

    if (count > LIST_MAX) {
        stw_le_p(buf, LIST_OVERFLOW);
        return;
    }
    stw_le_p(buf, count);
    for (zone_idx = find_first_bit(ns->changed_zones, ns->zones);
         zone_idx < ns->zones;
         zone_idx = find_next_bit(ns->changed_zones, ns->zones,
                                  zone_idx + 1)) {
        stq_le_p(at, zone_idx * zone_nlb);
        at += sizeof(uint64_t);
    }
}

/* The host has read the list, without Retain Asynchronous Event. */
void femu_zone_change_clear(FemuNs *ns)
{
    bitmap_zero(ns->changed_zones, ns->zones);
}

/* A power cut: the lists are not kept (ZNS 1.1, 4.1.4.1). */
void femu_zone_change_power_cut(FemuZns *n)
{
    for (uint32_t i = 0; i < n->ns_count; i++) {
        if (femu_ns_zoned(&n->ns[i])) {
            femu_zone_change_clear(&n->ns[i]);
        }
    }
}
