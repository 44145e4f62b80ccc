/*
 * Namespaces: what there are, and what each of them is.
 *
 * Knows nothing of commands, queues or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "femu.h"

/*
 * The names of namespace 1 come from the serial alone, those of any other from
 * the serial, a character that no serial has, and the identifier.
 */
static void ns_identity_init(const FemuZns *n, FemuNs *ns)
{
    g_autofree char *name = ns->nsid == 1
        ? g_strdup(n->serial)
        : g_strdup_printf("%s\n%" PRIu32, n->serial, ns->nsid);

    femu_identity_hash(name, ns->identity);
}

static void ns_init(FemuZns *n, FemuNs *ns)
{
    const SsdParams *params = &n->params;

    ns->nsid = ns - n->ns + 1;
    ns->attached = true;
    ns->first_zone = 0;
    ns->zones = params->zones;
    ns->zone_size_bytes = params->zone_size_bytes;
    ns->zone_capacity_bytes = params->zone_capacity_bytes;
    ns->lba_bytes = params->lba_bytes;
    ns->zone_ext = g_malloc0_n(ns->zones, n->zone_ext_bytes);
    ns->zone_ext_valid = bitmap_new(ns->zones);
    ns->changed_zones = bitmap_new(ns->zones);
    femu_store_init(&ns->store, &n->memory, 0, ns->zones,
                    ns->zone_size_bytes, ns->zone_capacity_bytes);
    ns_identity_init(n, ns);
}

/* Needs the core and the memory. */
void femu_ns_init(FemuZns *n)
{
    n->ns_count = 1;
    n->ns = g_new0(FemuNs, n->ns_count);
    for (uint32_t i = 0; i < n->ns_count; i++) {
        ns_init(n, &n->ns[i]);
    }
}

void femu_ns_exit(FemuZns *n)
{
    for (uint32_t i = 0; i < n->ns_count; i++) {
        FemuNs *ns = &n->ns[i];

        femu_store_exit(&ns->store);
        g_free(ns->zone_ext);
        g_free(ns->zone_ext_valid);
        g_free(ns->changed_zones);
    }
    g_clear_pointer(&n->ns, g_free);
    n->ns_count = 0;
}

/*
 * The namespace of this identifier, active or not; NULL if there is none, as
 * for 0 and the broadcast identifier.
 */
FemuNs *femu_ns(const FemuZns *n, uint32_t nsid)
{
    return nsid >= 1 && nsid <= n->ns_count ? &n->ns[nsid - 1] : NULL;
}

/*
 * Can the host use it? It must be attached, and a zoned one is there only for
 * a host that set CC.CSS to all command sets.
 */
bool femu_ns_active(const FemuZns *n, const FemuNs *ns)
{
    return ns->attached && NVME_CC_CSS(n->cc) == NVME_CC_CSS_ALL;
}

uint64_t femu_ns_zone_nlb(const FemuNs *ns)
{
    return ns->zone_size_bytes / ns->lba_bytes;
}

uint64_t femu_ns_size_lba(const FemuNs *ns)
{
    return ns->zones * femu_ns_zone_nlb(ns);
}

uint64_t femu_ns_capacity_nlb(const FemuNs *ns)
{
    return ns->zones * (ns->zone_capacity_bytes / ns->lba_bytes);
}

/* A zone of the namespace, counted from its first. */
SsdZone femu_ns_zone(const FemuZns *n, const FemuNs *ns, uint32_t zone_idx)
{
    return ssd_zone(n->ssd, ns->nsid, zone_idx);
}
