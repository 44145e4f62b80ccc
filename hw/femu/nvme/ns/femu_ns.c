/*
 * Namespaces: making them, finding them, and their properties.
 *
 * Knows nothing of commands, queues or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/bitmap.h"
#include "ns_internal.h"
#include "../../params_text.h"
#include "../record/record.h"

/*
 * The identifiers (EUI64 and so on) of namespace 1 are derived from the serial
 * number alone, those of any other from the serial number, a character that no
 * serial number contains, and the NSID: so all of them differ.
 */
static void ns_identity_init(const FemuZns *n, FemuNs *ns)
{
    g_autofree char *name = ns->nsid == 1
        ? g_strdup(n->serial)
        : g_strdup_printf("%s\n%" PRIu32, n->serial, ns->nsid);

    femu_identity_hash(name, ns->identity);
}

static void ns_init_zoned(FemuZns *n, FemuNs *ns, const SsdNsInfo *info)
{
    ns->csi = NVME_CSI_ZONED;
    ns->zones = info->zones;
    ns->zone_size_bytes = n->params.zone_size_bytes;
    ns->zone_capacity_bytes = n->params.zone_capacity_bytes;
    ns->size_bytes = ns->zones * ns->zone_size_bytes;
    ns->capacity_bytes = ns->zones * ns->zone_capacity_bytes;
    ns->zone_ext = femu_kept_extensions(n) + info->first_zone_idx *
                                             (size_t)n->params.zone_ext_bytes;
    ns->changed_zones = bitmap_new(ns->zones);
    femu_store_init(&ns->store, &n->memory,
                    info->first_zone_idx * ns->zone_capacity_bytes, ns->zones,
                    ns->zone_size_bytes, ns->zone_capacity_bytes);
}

/*
 * Its data come after those of all zoned namespaces in the memory. csi is 0,
 * NVME_CSI_NVM.
 */
static void ns_init_conventional(FemuZns *n, FemuNs *ns)
{
    ns->size_bytes = ns->capacity_bytes = n->params.conventional_bytes;
    femu_store_init_flat(&ns->store, &n->memory,
                         n->params.zones * n->params.zone_capacity_bytes,
                         ns->size_bytes);
}

static void ns_init(FemuZns *n, FemuNs *ns)
{
    uint32_t nsid = ns - n->ns + 1;
    SsdNsInfo info = ssd_ns_info(n->ssd, nsid);

    ns->nsid = nsid;
    ns->attached = true;
    ns->lba_bytes = info.lba_bytes;
    ns->smart = &n->kept->smart[nsid - 1];
    if (info.kind == SSD_NS_ZONED) {
        ns_init_zoned(n, ns, &info);
    } else {
        ns_init_conventional(n, ns);
    }
    ns_identity_init(n, ns);
}

/* Make all namespaces. Needs the core and femu_memory_init(). */
void femu_ns_init(FemuZns *n)
{
    n->ns_count = ssd_ns_count(n->ssd);
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
        g_free(ns->changed_zones);
    }
    g_free(n->ns);
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
 * The number at *at, which ends at the first `end`, as a parameter's is read:
 * 010 is refused, not taken for 8. *at is moved to that `end`.
 * Return: false if there is no such number.
 */
bool femu_number_from_text(const char **at, char end, uint64_t *value)
{
    const char *stop = strchr(*at, end);
    g_autofree char *text = stop ? g_strndup(*at, stop - *at) : NULL;

    if (!text || ssd_param_parse(SSD_PARAM_TYPE_U64, text, value)) {
        return false;
    }
    *at = stop;
    return true;
}

/*
 * The namespace at the start of a property's value, such as 2 in
 * "2:17 offline"; namespace 1 if the value does not begin with a number and a
 * colon. *rest is what follows it.
 * Return: NULL with *errp if there is no such namespace.
 */
FemuNs *femu_ns_from_text(const FemuZns *n, const char *name,
                          const char *value, const char **rest, Error **errp)
{
    const char *colon = value;
    uint64_t nsid;
    FemuNs *ns;

    *rest = value;
    if (!n->ssd) {
        error_setg(errp, "%s: the drive is not realized yet", name);
        return NULL;
    }
    if (!femu_number_from_text(&colon, ':', &nsid)) {
        return femu_ns(n, 1);
    }
    *rest = colon + 1;
    ns = femu_ns(n, MIN(nsid, UINT32_MAX));
    if (!ns) {
        error_setg(errp, "%s=%s: there is no namespace %" PRIu64 "; the last "
                   "is %" PRIu32, name, value, nsid, n->ns_count);
    }
    return ns;
}

/*
 * Has the host enabled the I/O command set by CC.CSS? The Zoned Namespace
 * Command Set is only enabled together with all others (110b).
 */
bool femu_set_enabled(const FemuZns *n, uint8_t csi)
{
    return NVME_CC_CSS(n->cc) == NVME_CC_CSS_ALL || csi == NVME_CSI_NVM;
}

/* Has it enabled the namespace's? */
bool femu_ns_set_enabled(const FemuZns *n, const FemuNs *ns)
{
    return femu_set_enabled(n, ns->csi);
}

/* Is the namespace attached, and its I/O command set enabled? */
bool femu_ns_active(const FemuZns *n, const FemuNs *ns)
{
    return ns->attached && femu_ns_set_enabled(n, ns);
}

/*
 * Find the namespace of a command that needs an active one, in *ns (NVMe base
 * 2.0, 3.2.1.5). Return: status.
 */
uint16_t femu_ns_find_active(const FemuZns *n, uint32_t nsid, FemuNs **ns)
{
    *ns = femu_ns(n, nsid);
    if (!*ns) {
        return NVME_INVALID_NSID;
    }
    return femu_ns_active(n, *ns) ? NVME_SUCCESS : NVME_INVALID_FIELD;
}

bool femu_ns_zoned(const FemuNs *ns)
{
    return ns->csi == NVME_CSI_ZONED;
}

uint64_t femu_ns_zone_nlb(const FemuNs *ns)
{
    return ns->zone_size_bytes / ns->lba_bytes;
}

uint64_t femu_ns_size_lba(const FemuNs *ns)
{
    return ns->size_bytes / ns->lba_bytes;
}

uint64_t femu_ns_capacity_nlb(const FemuNs *ns)
{
    return ns->capacity_bytes / ns->lba_bytes;
}

/* Drop all data of the namespace: they read as zeroes from now on. */
void femu_ns_forget(FemuNs *ns)
{
    if (!femu_ns_zoned(ns)) {
        femu_store_deallocate(&ns->store, 0, ns->size_bytes);
    }
    for (uint32_t i = 0; i < ns->zones; i++) {
        femu_zone_forget(ns, i);
    }
}

/* A zone of the namespace, counted from its first. */
SsdZone femu_ns_zone(const FemuZns *n, const FemuNs *ns, uint32_t zone_idx)
{
    return ssd_zone(n->ssd, ns->nsid, zone_idx);
}

/* The most blocks that one Copy command may copy (MCL). */
uint32_t femu_copy_max_nlb(const FemuZns *n, const FemuNs *ns)
{
    return n->params.mdts_bytes / ns->lba_bytes;
}

/* The most blocks of one of its source ranges (MSSRL, a 16-bit field). */
uint32_t femu_copy_range_max_nlb(const FemuZns *n, const FemuNs *ns)
{
    return MIN(femu_copy_max_nlb(n, ns), UINT16_MAX);
}
