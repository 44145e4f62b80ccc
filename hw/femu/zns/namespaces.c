/*
 * Namespaces as they begin, and as a format leaves them.
 *
 * Knows nothing of time, flash or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "namespaces.h"

static uint32_t no_limit_if_zero(uint32_t limit)
{
    return limit ? limit : UINT32_MAX;
}

/* The sizes of the ZRWA, in the namespace's present blocks. */
static void set_zrwa(const SsdParams *p, SsdNs *ns)
{
    zone_table_set_zrwa(&ns->zones, p->zrwa_bytes / ns->lba_bytes,
                        p->zrwa_granule_bytes / ns->lba_bytes, p->max_zrwa);
}

static void set_lba_bytes(const SsdParams *p, SsdNs *ns, uint32_t lba_bytes)
{
    uint64_t bytes = ns->kind == SSD_NS_CONVENTIONAL
                     ? p->conventional_bytes
                     : p->zones / p->namespaces * p->zone_size_bytes;

    ns->lba_bytes = lba_bytes;
    ns->size_nlb = bytes / lba_bytes;
}

void namespaces_init(Namespaces *namespaces, const SsdParams *p)
{
    namespaces->count = p->namespaces + (p->conventional_bytes != 0);
    namespaces->ns_zones = p->zones / p->namespaces;
    namespaces->ns_zones_divisor = divisor_of(namespaces->ns_zones);
    namespaces->at = g_new0(SsdNs, namespaces->count);
    for (uint32_t i = 0; i < namespaces->count; i++) {
        SsdNs *ns = &namespaces->at[i];

        ns->kind = i < p->namespaces ? SSD_NS_ZONED : SSD_NS_CONVENTIONAL;
        set_lba_bytes(p, ns, p->lba_bytes);
        if (ns->kind == SSD_NS_CONVENTIONAL) {
            continue;
        }
        ns->first_zone_idx = i * namespaces->ns_zones;
        zone_table_init(&ns->zones, namespaces->ns_zones,
                        p->zone_size_bytes / p->lba_bytes,
                        p->zone_capacity_bytes / p->lba_bytes,
                        no_limit_if_zero(p->max_open),
                        no_limit_if_zero(p->max_active));
        set_zrwa(p, ns);
    }
}

void namespaces_destroy(Namespaces *namespaces)
{
    for (uint32_t i = 0; i < namespaces->count; i++) {
        zone_table_destroy(&namespaces->at[i].zones);
    }
    g_free(namespaces->at);
}

void namespaces_format(SsdNs *ns, const SsdParams *p, uint32_t lba_bytes)
{
    set_lba_bytes(p, ns, lba_bytes);
    if (ns->kind == SSD_NS_ZONED) {
        zone_table_format(&ns->zones, p->zone_size_bytes / lba_bytes,
                          p->zone_capacity_bytes / lba_bytes);
        set_zrwa(p, ns);
    }
}
