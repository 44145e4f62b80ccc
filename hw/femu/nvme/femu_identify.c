/*
 * Identify: what the controller and its namespace say of themselves.
 *
 * Every name that must be unique comes from a hash of the serial number.
 *
 * Knows nothing of how commands are carried out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "femu.h"

#define MDTS_UNIT_SHIFT 12              /* CAP.MPSMIN: 4 KiB */
#define UNLIMITED 0xffffffffu
#define CTRATT_HOST_ID_128_BITS (1u << 0)
#define CNTRLTYPE_IO 1
#define WARNING_KELVIN 343
#define CRITICAL_KELVIN 358
#define POWER_CENTIWATT 2500
#define LBA_FORMATS 1
#define DLFEAT_READS_ZEROES 1
#define IOCS_NVM_AND_ZONED ((1u << NVME_CSI_NVM) | (1u << NVME_CSI_ZONED))

/* Locally administered, in transmission order. */
static const uint8_t oui[3] = { 0x52, 0x54, 0x00 };

/* A zoned namespace is there only for a host that set CC.CSS to all sets. */
bool femu_ns_active(const FemuZns *n)
{
    return NVME_CC_CSS(n->cc) == NVME_CC_CSS_ALL;
}

uint64_t femu_ns_size_lba(const FemuZns *n)
{
    return n->params.zones *
           (n->params.zone_size_bytes / n->params.lba_bytes);
}

static uint64_t ns_capacity_nlb(const FemuZns *n)
{
    return n->params.zones *
           (n->params.zone_capacity_bytes / n->params.lba_bytes);
}

void femu_identity_init(FemuZns *n)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize bytes = sizeof(n->identity);

    g_checksum_update(sum, (const guchar *)"femu-zns:", -1);
    g_checksum_update(sum, (const guchar *)n->serial, -1);
    g_checksum_get_digest(sum, n->identity, &bytes);
    assert(bytes == sizeof(n->identity));
}

/* The OUI followed by five bytes of the hash, in transmission order. */
static void identity_eui64(const FemuZns *n, uint8_t eui[8])
{
    memcpy(eui, oui, sizeof(oui));
    memcpy(eui + sizeof(oui), n->identity, 5);
}

/* NVMe base 2.0, 4.5.1: 8 bytes of extension, the OUI, 5 more. */
static void identity_nguid(const FemuZns *n, uint8_t nguid[16])
{
    memcpy(nguid, n->identity + 8, 8);
    memcpy(nguid + 8, oui, sizeof(oui));
    memcpy(nguid + 11, n->identity, 5);
}

/* A UUID of version 8 (RFC 9562: made as its maker likes) from the hash. */
static void identity_uuid(const FemuZns *n, uint8_t uuid[16])
{
    memcpy(uuid, n->identity + 16, 16);
    uuid[6] = 0x80 | (uuid[6] & 0x0f);
    uuid[8] = 0x80 | (uuid[8] & 0x3f);
}

/* The UUID form of a qualified name (NVMe base 2.0, 4.5). */
static void identity_nqn(const FemuZns *n, char *nqn, size_t nqn_bytes)
{
    uint8_t u[16];

    identity_uuid(n, u);
    snprintf(nqn, nqn_bytes, "nqn.2014-08.org.nvmexpress:uuid:"
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
             "%02x%02x%02x%02x%02x%02x",
             u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9],
             u[10], u[11], u[12], u[13], u[14], u[15]);
}

/* A power of two, above 4 KiB: there is no limit of 2^0 units; 0 is "none". */
static uint8_t transfer_exponent(uint64_t bytes)
{
    return ctz64(bytes) - MDTS_UNIT_SHIFT;
}

static void ctrl_names(const FemuZns *n, NvmeIdCtrl *id)
{
    const uint8_t *config = n->parent_obj.config;

    id->vid = cpu_to_le16(pci_get_word(config + PCI_VENDOR_ID));
    id->ssvid = cpu_to_le16(pci_get_word(config + PCI_SUBSYSTEM_VENDOR_ID));
    strpadcpy((char *)id->sn, sizeof(id->sn), n->serial, ' ');
    strpadcpy((char *)id->mn, sizeof(id->mn), "femu-zns", ' ');
    strpadcpy((char *)id->fr, sizeof(id->fr), "1", ' ');
    for (int i = 0; i < 3; i++) {
        id->ieee[i] = oui[2 - i];
    }
    identity_nqn(n, (char *)id->subnqn, sizeof(id->subnqn));
}

/* Fields that stay 0 say "not supported", "not reported" or "one". */
static uint16_t identify_ctrl(FemuZns *n, void *buf)
{
    NvmeIdCtrl *id = buf;

    ctrl_names(n, id);
    id->mdts = transfer_exponent(n->params.mdts_bytes);
    id->ver = cpu_to_le32(FEMU_NVME_VERSION);
    id->ctratt = cpu_to_le32(CTRATT_HOST_ID_128_BITS);
    id->oaes = cpu_to_le32(FEMU_ASYNC_ZONE_CHANGED);
    id->cntrltype = CNTRLTYPE_IO;
    id->acl = 3;
    id->aerl = FEMU_MAX_AERS - 1;
    id->frmw = (1 << 1) | NVME_FRMW_SLOT1_RO;
    id->lpa = NVME_LPA_NS_SMART | NVME_LPA_CSE | NVME_LPA_EXTENDED;
    id->elpe = FEMU_ERROR_LOG_ENTRIES - 1;
    id->wctemp = cpu_to_le16(WARNING_KELVIN);
    id->cctemp = cpu_to_le16(CRITICAL_KELVIN);
    id->sqes = 0x66;
    id->cqes = 0x44;
    id->nn = cpu_to_le32(FEMU_NSID);
    id->oncs = cpu_to_le16(NVME_ONCS_COMPARE | NVME_ONCS_DSM |
                           NVME_ONCS_WRITE_ZEROES | NVME_ONCS_FEATURES |
                           NVME_ONCS_TIMESTAMP | NVME_ONCS_VERIFY |
                           NVME_ONCS_COPY);
    id->ocfs = cpu_to_le16(NVME_OCFS_COPY_FORMAT_0);
    id->vwc = NVME_VWC_NSID_BROADCAST_SUPPORT;
    id->sgls = cpu_to_le32(NVME_CTRL_SGLS_SUPPORT_NO_ALIGN |
                           NVME_CTRL_SGLS_MPTR_CONTIGUOUS);
    id->psd[0].mp = cpu_to_le16(POWER_CENTIWATT);
    return NVME_SUCCESS;
}

static uint16_t identify_ns(FemuZns *n, void *buf)
{
    NvmeIdNs *id = buf;

    id->nsze = cpu_to_le64(femu_ns_size_lba(n));
    id->ncap = cpu_to_le64(ns_capacity_nlb(n));
    id->nuse = id->ncap;
    id->nlbaf = LBA_FORMATS - 1;
    id->dlfeat = DLFEAT_READS_ZEROES;
    stq_le_p(id->nvmcap, ns_capacity_nlb(n) * n->params.lba_bytes);
    id->mssrl = cpu_to_le16(femu_copy_range_max_nlb(n));
    id->mcl = cpu_to_le32(femu_copy_max_nlb(n));
    id->msrc = SSD_COPY_RANGES_MAX - 1;
    identity_nguid(n, id->nguid);
    identity_eui64(n, (uint8_t *)&id->eui64);
    id->lbaf[0].ds = ctz32(n->params.lba_bytes);
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

static uint16_t identify_descriptors(FemuZns *n, void *buf)
{
    uint8_t eui[NVME_NIDL_EUI64], nguid[NVME_NIDL_NGUID];
    uint8_t uuid[NVME_NIDL_UUID], csi = NVME_CSI_ZONED;
    uint8_t *at = buf;

    identity_eui64(n, eui);
    identity_nguid(n, nguid);
    identity_uuid(n, uuid);
    at = add_descriptor(at, NVME_NIDT_EUI64, sizeof(eui), eui);
    at = add_descriptor(at, NVME_NIDT_NGUID, sizeof(nguid), nguid);
    at = add_descriptor(at, NVME_NIDT_UUID, sizeof(uuid), uuid);
    add_descriptor(at, NVME_NIDT_CSI, sizeof(csi), &csi);
    return NVME_SUCCESS;
}

/* 0's based resources; without a limit of its own, MOR is MAR: not above. */
static uint16_t identify_ns_zoned(FemuZns *n, void *buf)
{
    NvmeIdNsZoned *id = buf;
    uint32_t mar = n->params.max_active ? n->params.max_active - 1 : UNLIMITED;
    uint32_t mor = n->params.max_open ? n->params.max_open - 1 : UNLIMITED;

    id->mar = cpu_to_le32(mar);
    id->mor = cpu_to_le32(MIN(mor, mar));
    for (int i = 0; i < LBA_FORMATS; i++) {
        id->lbafe[i].zsze = cpu_to_le64(n->params.zone_size_bytes /
                                        n->params.lba_bytes);
        id->lbafe[i].zdes = n->zone_ext_bytes / FEMU_ZONE_EXT_UNIT_BYTES;
    }
    return NVME_SUCCESS;
}

static uint16_t identify_ns_independent(FemuZns *n, void *buf)
{
    NvmeIdNsInd *id = buf;

    id->nstat = NVME_ID_NS_IND_NSTAT_NRDY;
    return NVME_SUCCESS;
}

static uint16_t identify_ctrl_zoned(FemuZns *n, void *buf)
{
    NvmeIdCtrlZoned *id = buf;

    id->zasl = transfer_exponent(n->params.zasl_bytes);
    return NVME_SUCCESS;
}

/* Verify and Write Zeroes as long as a transfer; no limits to DSM ranges. */
static uint16_t identify_ctrl_nvm(FemuZns *n, void *buf)
{
    NvmeIdCtrlNvm *id = buf;

    id->vsl = transfer_exponent(n->params.mdts_bytes);
    id->wzsl = transfer_exponent(n->params.mdts_bytes);
    return NVME_SUCCESS;
}

/* The NVM command set's namespace structure: all of it is of optional things */
static uint16_t identify_nothing(FemuZns *n, void *buf)
{
    return NVME_SUCCESS;
}

/*
 * A structure that describes the namespace: zeroes while it is inactive.
 * The broadcast identifier asks for what all namespaces have in common, which
 * only a controller with namespace management tells.
 */
static uint16_t of_namespace(FemuZns *n, const NvmeIdentify *cmd, void *buf,
                             uint16_t (*fill)(FemuZns *n, void *buf))
{
    if (le32_to_cpu(cmd->nsid) != FEMU_NSID) {
        return NVME_INVALID_NSID;
    }
    return femu_ns_active(n) ? fill(n, buf) : NVME_SUCCESS;
}

/* Identifiers above the given one, ascending, ended by 0. */
static uint16_t ns_list(FemuZns *n, const NvmeIdentify *cmd, void *buf,
                        bool listed)
{
    uint32_t nsid = le32_to_cpu(cmd->nsid);

    if (nsid >= NVME_NSID_BROADCAST - 1) {
        return NVME_INVALID_NSID;
    }
    if (listed && nsid < FEMU_NSID) {
        stl_le_p(buf, FEMU_NSID);
    }
    return NVME_SUCCESS;
}

static uint16_t ns_list_by_set(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    if (cmd->csi != NVME_CSI_NVM && cmd->csi != NVME_CSI_ZONED) {
        return NVME_INVALID_FIELD;
    }
    return ns_list(n, cmd, buf,
                   cmd->csi == NVME_CSI_ZONED && femu_ns_active(n));
}

static uint16_t ns_by_set(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    switch (cmd->csi) {
    case NVME_CSI_NVM:
        return of_namespace(n, cmd, buf, identify_nothing);
    case NVME_CSI_ZONED:
        return of_namespace(n, cmd, buf, identify_ns_zoned);
    default:
        return NVME_INVALID_FIELD;
    }
}

static uint16_t ctrl_by_set(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    switch (cmd->csi) {
    case NVME_CSI_NVM:
        return identify_ctrl_nvm(n, buf);
    case NVME_CSI_ZONED:
        return identify_ctrl_zoned(n, buf);
    default:
        return NVME_INVALID_FIELD;
    }
}

/* Controllers from CNTID on: their number, then identifiers; ours is 0. */
static uint16_t ctrl_list(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    stw_le_p(buf, le16_to_cpu(cmd->ctrlid) == 0);
    return NVME_SUCCESS;
}

/* One combination of command sets: both. */
static uint16_t command_sets(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    uint16_t cntid = le16_to_cpu(cmd->ctrlid);

    if (cntid != 0 && cntid != 0xffff) {
        return NVME_INVALID_FIELD;
    }
    stq_le_p(buf, IOCS_NVM_AND_ZONED);
    return NVME_SUCCESS;
}

static uint16_t identify_fill(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    switch (cmd->cns) {
    case NVME_ID_CNS_NS:
    case NVME_ID_CNS_NS_PRESENT:
        return of_namespace(n, cmd, buf, identify_ns);
    case NVME_ID_CNS_CTRL:
        return identify_ctrl(n, buf);
    case NVME_ID_CNS_NS_ACTIVE_LIST:
        return ns_list(n, cmd, buf, femu_ns_active(n));
    case NVME_ID_CNS_NS_PRESENT_LIST:
        return ns_list(n, cmd, buf, true);
    case NVME_ID_CNS_NS_DESCR_LIST:
        return of_namespace(n, cmd, buf, identify_descriptors);
    case NVME_ID_CNS_CS_NS:
    case NVME_ID_CNS_CS_NS_PRESENT:
        return ns_by_set(n, cmd, buf);
    case NVME_ID_CNS_CS_CTRL:
        return ctrl_by_set(n, cmd, buf);
    case NVME_ID_CNS_CS_NS_ACTIVE_LIST:
    case NVME_ID_CNS_CS_NS_PRESENT_LIST:
        return ns_list_by_set(n, cmd, buf);
    case NVME_ID_CNS_CS_IND_NS:
        return of_namespace(n, cmd, buf, identify_ns_independent);
    case NVME_ID_CNS_NS_ATTACHED_CTRL_LIST:
    case NVME_ID_CNS_CTRL_LIST:
        return ctrl_list(n, cmd, buf);
    case NVME_ID_CNS_IO_COMMAND_SET:
        return command_sets(n, cmd, buf);
    default:
        return NVME_INVALID_FIELD;
    }
}

uint16_t femu_identify(FemuZns *n, const NvmeCmd *cmd)
{
    uint16_t status;

    memset(n->bounce, 0, NVME_IDENTIFY_DATA_SIZE);
    status = identify_fill(n, (const NvmeIdentify *)cmd, n->bounce);
    if (status) {
        return status;
    }
    return femu_dma_reply(n, cmd, n->bounce, NVME_IDENTIFY_DATA_SIZE);
}
