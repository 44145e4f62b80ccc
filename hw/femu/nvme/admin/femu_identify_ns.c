/*
 * Identify: the data structures of namespaces, and lists of namespaces.
 *
 * Knows nothing of the controller, or of how commands are carried out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "admin_internal.h"
#include "../ns/ns.h"

#define ZOC_EXCURSIONS (1 << 1)          /* ZNS 1.1, figure 48 */
#define UNLIMITED 0xffffffffu
#define DLFEAT_READS_ZEROES 1
#define NSFEAT_OPTPERF (1u << 4)

/* Fill `buf`, which is zeroed, with a data structure of the namespace. */
typedef uint16_t IdentifyNsFill(FemuZns *n, const FemuNs *ns, void *buf);

/*
 * What all namespaces have in common: of the fields that belong to it (NVM
 * command set 1.0, figure 97, Reported) those of formats are not 0.
 */
static void identify_common(NvmeIdNs *id)
{
    id->nlbaf = FEMU_LBA_FORMATS - 1;
    for (unsigned i = 0; i < FEMU_LBA_FORMATS; i++) {
        id->lbaf[i].ds = ctz32(femu_format_lba_bytes(i));
    }
}

/* The largest power of two that divides `bytes`. */
static uint64_t power_of_two_in(uint64_t bytes)
{
    return bytes & -bytes;
}

/*
 * The smallest efficient write, aligned to its own size, for NPWG and NPWA. In
 * a zoned namespace, the largest power of two that divides what one program
 * writes (Linux makes io_min of it, which has to be a power of two). In a
 * conventional namespace a granule: if only a part of one is written, the rest
 * must be read.
 */
static uint64_t preferred_write_bytes(const SsdParams *p, const FemuNs *ns)
{
    return femu_ns_zoned(ns)
           ? MIN(power_of_two_in(ssd_params_program_bytes(p)), p->mdts_bytes)
           : SSD_GRANULE_BYTES;
}

/* One program on each of the units that data are striped over. */
static uint64_t stripe_bytes(const SsdParams *p, const FemuNs *ns)
{
    uint64_t units = femu_ns_zoned(ns)
        ? (uint64_t)p->zone_channels * p->zone_ways * p->zone_dies *
          p->zone_planes
        : (uint64_t)p->channels * p->ways * p->dies * p->planes;

    return units * p->program_pages * p->page_bytes;
}

static uint16_t nlb_0_based(uint64_t bytes, const FemuNs *ns)
{
    return cpu_to_le16(bytes / ns->lba_bytes - 1);
}

/*
 * NVM command set 1.0, 4.1.5.1: NPWG, NPWA and NOWS, not above MDTS. NPDG and
 * NPDA: deallocation drops whole granules; in a zone it has no effect.
 */
static void identify_preferred(const SsdParams *p, const FemuNs *ns,
                               NvmeIdNs *id)
{
    uint64_t write_bytes = preferred_write_bytes(p, ns);

    id->nsfeat = NSFEAT_OPTPERF;
    id->npwg = id->npwa = nlb_0_based(write_bytes, ns);
    id->nows = nlb_0_based(MIN(stripe_bytes(p, ns), p->mdts_bytes), ns);
    if (!femu_ns_zoned(ns)) {
        id->npdg = id->npda = nlb_0_based(SSD_GRANULE_BYTES, ns);
    }
}

static uint16_t identify_ns(FemuZns *n, const FemuNs *ns, void *buf)
{
    NvmeIdNs *id = buf;

    identify_common(id);
    id->nsze = cpu_to_le64(femu_ns_size_lba(ns));
    id->ncap = cpu_to_le64(femu_ns_capacity_nlb(ns));
    id->nuse = id->ncap;
    id->flbas = femu_format_current(ns);
    id->dlfeat = DLFEAT_READS_ZEROES;
    stq_le_p(id->nvmcap, femu_ns_capacity_nlb(ns) * ns->lba_bytes);
    identify_preferred(&n->params, ns, id);
    femu_identity_nguid(ns->identity, id->nguid);
    femu_identity_eui64(ns->identity, (uint8_t *)&id->eui64);
    id->msrc = SSD_COPY_RANGES_MAX - 1;
    id->mssrl = cpu_to_le16(femu_copy_range_max_nlb(n, ns));
    id->mcl = cpu_to_le32(femu_copy_max_nlb(n, ns));
    return NVME_SUCCESS;
}

/* Add a descriptor; returns where the next one goes. */
static uint8_t *add_descriptor(uint8_t *at, uint8_t type, uint8_t bytes,
                               const void *value)
{
    NvmeIdNsDescr head = { .nidt = type, .nidl = bytes };

    memcpy(at, &head, sizeof(head));
    memcpy(at + sizeof(head), value, bytes);
    return at + sizeof(head) + bytes;
}

static uint16_t identify_descriptors(FemuZns *n, const FemuNs *ns, void *buf)
{
    uint8_t eui[NVME_NIDL_EUI64], nguid[NVME_NIDL_NGUID];
    uint8_t uuid[NVME_NIDL_UUID];
    uint8_t *at = buf;

    femu_identity_eui64(ns->identity, eui);
    femu_identity_nguid(ns->identity, nguid);
    femu_identity_uuid(ns->identity, uuid);
    at = add_descriptor(at, NVME_NIDT_EUI64, sizeof(eui), eui);
    at = add_descriptor(at, NVME_NIDT_NGUID, sizeof(nguid), nguid);
    at = add_descriptor(at, NVME_NIDT_UUID, sizeof(uuid), uuid);
    add_descriptor(at, NVME_NIDT_CSI, sizeof(ns->csi), &ns->csi);
    return NVME_SUCCESS;
}

/* TP 4076b: sizes in blocks of the namespace's format; NUMZRWA is 0's based. */
static void identify_zrwa(const FemuZns *n, const FemuNs *ns,
                          NvmeIdNsZoned *id)
{
    if (!n->params.zrwa_bytes) {
        return;
    }
    id->ozcs = cpu_to_le16(NVME_ID_NS_ZONED_OZCS_ZRWASUP);
    id->numzrwa = cpu_to_le32(n->params.max_zrwa - 1);
    id->zrwafg = cpu_to_le16(n->params.zrwa_granule_bytes / ns->lba_bytes);
    id->zrwas = cpu_to_le16(n->params.zrwa_bytes / ns->lba_bytes);
    id->zrwacap = NVME_ID_NS_ZONED_ZRWACAP_EXPFLUSHSUP;
}

/*
 * Zone excursions, by which the controller finishes zones without a command:
 * ZOC bit 1, and in FRL the seconds from the recommendation to finish a zone
 * until the controller finishes it. The controller never resets a zone after a
 * recommendation to, so RRL is not reported.
 */
static void identify_excursions(const FemuZns *n, NvmeIdNsZoned *id)
{
    const SsdParams *p = &n->params;

    if (!p->excursion_ns) {
        return;
    }
    id->zoc = cpu_to_le16(ZOC_EXCURSIONS);
    if (p->finish_recommended_ns) {
        id->frl = cpu_to_le32((p->excursion_ns - p->finish_recommended_ns) /
                              NANOSECONDS_PER_SECOND);
    }
}

/*
 * MAR and MOR are 0's based. MOR is not above MAR, and equal to it if open
 * zones have no limit of their own.
 */
static uint16_t identify_ns_zoned(FemuZns *n, const FemuNs *ns, void *buf)
{
    NvmeIdNsZoned *id = buf;
    uint32_t mar = n->params.max_active ? n->params.max_active - 1 : UNLIMITED;
    uint32_t mor = n->params.max_open ? n->params.max_open - 1 : UNLIMITED;

    id->mar = cpu_to_le32(mar);
    id->mor = cpu_to_le32(MIN(mor, mar));
    identify_zrwa(n, ns, id);
    identify_excursions(n, id);
    for (unsigned i = 0; i < FEMU_LBA_FORMATS; i++) {
        id->lbafe[i].zsze = cpu_to_le64(ns->zone_size_bytes /
                                        femu_format_lba_bytes(i));
        id->lbafe[i].zdes = n->params.zone_ext_bytes / FEMU_ZONE_EXT_UNIT_BYTES;
    }
    return NVME_SUCCESS;
}

static uint16_t identify_ns_independent(FemuZns *n, const FemuNs *ns, void *buf)
{
    NvmeIdNsInd *id = buf;

    id->nstat = NVME_ID_NS_IND_NSTAT_NRDY;
    return NVME_SUCCESS;
}

/*
 * The NVM command set's namespace structure: all of its fields belong to
 * features that are not supported, and stay 0.
 */
static uint16_t identify_nothing(FemuZns *n, const FemuNs *ns, void *buf)
{
    return NVME_SUCCESS;
}

/*
 * A data structure of one namespace. With `allocated` the namespace need not be
 * active; else the structure is all zeroes if it is not (NVMe base 2.0,
 * 5.17.2.1).
 */
static uint16_t of_namespace(FemuZns *n, const NvmeIdentify *cmd, void *buf,
                             bool allocated, IdentifyNsFill *fill)
{
    const FemuNs *ns = femu_ns(n, le32_to_cpu(cmd->nsid));

    if (!ns) {
        return NVME_INVALID_NSID;
    }
    return allocated || femu_ns_active(n, ns) ? fill(n, ns, buf)
                                              : NVME_SUCCESS;
}

/*
 * As of_namespace(); the broadcast identifier asks for what all namespaces
 * have in common.
 */
static uint16_t of_any(FemuZns *n, const NvmeIdentify *cmd, void *buf,
                       bool allocated)
{
    if (le32_to_cpu(cmd->nsid) == NVME_NSID_BROADCAST && !allocated) {
        identify_common(buf);
        return NVME_SUCCESS;
    }
    return of_namespace(n, cmd, buf, allocated, identify_ns);
}

/* Descriptors need an active namespace (NVMe base 2.0, 5.17.2.4). */
static uint16_t descriptors(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    FemuNs *ns;
    uint16_t status = femu_ns_find_active(n, le32_to_cpu(cmd->nsid), &ns);

    return status ? status : identify_descriptors(n, ns, buf);
}

/*
 * As of_namespace(), of the Zoned Namespace Command Set. What all namespaces
 * have in common is only for hosts that can make some (NVMe base 2.0, 5.17.2.5):
 * OACS has no Namespace Management.
 */
static uint16_t of_zoned(FemuZns *n, const NvmeIdentify *cmd, void *buf,
                         bool allocated)
{
    const FemuNs *ns = femu_ns(n, le32_to_cpu(cmd->nsid));

    if (ns && ns->csi != NVME_CSI_ZONED) {
        return NVME_INVALID_FIELD;
    }
    return of_namespace(n, cmd, buf, allocated, identify_ns_zoned);
}

static uint16_t of_namespace_by_set(FemuZns *n, const NvmeIdentify *cmd,
                                    void *buf, bool allocated)
{
    switch (cmd->csi) {
    case NVME_CSI_NVM:
        return of_namespace(n, cmd, buf, allocated, identify_nothing);
    case NVME_CSI_ZONED:
        return of_zoned(n, cmd, buf, allocated);
    default:
        return NVME_INVALID_FIELD;
    }
}

/* List the identifiers above the command's NSID, ascending, ended by 0. */
static uint16_t ns_list(FemuZns *n, const NvmeIdentify *cmd, uint8_t *buf,
                        bool allocated, bool by_set)
{
    uint32_t nsid = le32_to_cpu(cmd->nsid);

    if (nsid >= NVME_NSID_BROADCAST - 1) {
        return NVME_INVALID_NSID;
    }
    for (uint32_t i = nsid; i < n->ns_count; i++) {
        const FemuNs *ns = &n->ns[i];

        if ((allocated || femu_ns_active(n, ns)) &&
            (!by_set || ns->csi == cmd->csi)) {
            stl_le_p(buf, ns->nsid);
            buf += sizeof(uint32_t);
        }
    }
    return NVME_SUCCESS;
}

/*
 * As ns_list(), of a command set that there is, and, if the namespaces are to be
 * active, that the host has enabled (NVMe base 2.0, 5.17.2.7).
 */
static uint16_t ns_list_by_set(FemuZns *n, const NvmeIdentify *cmd, void *buf,
                               bool allocated)
{
    if ((cmd->csi != NVME_CSI_NVM && cmd->csi != NVME_CSI_ZONED) ||
        !(allocated || femu_set_enabled(n, cmd->csi))) {
        return NVME_INVALID_FIELD;
    }
    return ns_list(n, cmd, buf, allocated, true);
}

/* Fill `buf`, which is zeroed, with a structure or list about namespaces. */
uint16_t femu_identify_ns(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    switch (cmd->cns) {
    case NVME_ID_CNS_NS:
        return of_any(n, cmd, buf, false);
    case NVME_ID_CNS_NS_PRESENT:
        return of_any(n, cmd, buf, true);
    case NVME_ID_CNS_NS_ACTIVE_LIST:
        return ns_list(n, cmd, buf, false, false);
    case NVME_ID_CNS_NS_PRESENT_LIST:
        return ns_list(n, cmd, buf, true, false);
    case NVME_ID_CNS_NS_DESCR_LIST:
        return descriptors(n, cmd, buf);
    case NVME_ID_CNS_CS_NS:
        return of_namespace_by_set(n, cmd, buf, false);
    case NVME_ID_CNS_CS_NS_PRESENT:
        return of_namespace_by_set(n, cmd, buf, true);
    case NVME_ID_CNS_CS_NS_ACTIVE_LIST:
        return ns_list_by_set(n, cmd, buf, false);
    case NVME_ID_CNS_CS_NS_PRESENT_LIST:
        return ns_list_by_set(n, cmd, buf, true);
    case NVME_ID_CNS_CS_IND_NS:
        return of_namespace(n, cmd, buf, false, identify_ns_independent);
    default:
        return NVME_INVALID_FIELD;
    }
}
