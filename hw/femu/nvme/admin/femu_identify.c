/*
 * Identify: the data structures of the controller, and lists of controllers.
 *
 * Knows nothing of namespaces, or of how commands are carried out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "qemu/cutils.h"
#include "admin_internal.h"
#include "../host/host.h"
#include "../ns/ns.h"
#include "../request/request.h"

#define MDTS_UNIT_SHIFT 12              /* CAP.MPSMIN: 4 KiB */
#define CTRATT_HOST_ID_128_BITS (1u << 0)
/* LIDs 00h, 12h and 13h, and scopes in 05h (NVMe base 2.0, figure 275). */
#define LPA_SUPPORTED_AND_EFFECTS (1u << 5)
#define CNTRLTYPE_IO 1
#define WARNING_KELVIN 343
#define CRITICAL_KELVIN 358
#define POWER_CENTIWATT 2500
#define IOCS_NVM_AND_ZONED ((1u << NVME_CSI_NVM) | (1u << NVME_CSI_ZONED))

/*
 * A size limit, which is a power of two, as exponent of 4 KiB units. It must be
 * above 4 KiB, as an exponent of 0 says that there is no limit.
 */
static uint8_t transfer_exponent(uint64_t bytes)
{
    return ctz64(bytes) - MDTS_UNIT_SHIFT;
}

static void ctrl_names(const FemuZns *n, NvmeIdCtrl *id)
{
    const uint8_t *config = n->parent_obj.config;

    id->vid = cpu_to_le16(pci_get_word(&config[PCI_VENDOR_ID]));
    id->ssvid = cpu_to_le16(pci_get_word(&config[PCI_SUBSYSTEM_VENDOR_ID]));
    strpadcpy((char *)id->sn, sizeof(id->sn), n->serial, ' ');
    strpadcpy((char *)id->mn, sizeof(id->mn), "femu-zns", ' ');
    strpadcpy((char *)id->fr, sizeof(id->fr), "1", ' ');
    femu_identity_ieee(id->ieee);
    femu_identity_nqn(n->identity, (char *)id->subnqn, sizeof(id->subnqn));
}

/* Fields that stay 0 say "not supported", "not reported" or "one". */
static uint16_t identify_ctrl(FemuZns *n, void *buf)
{
    NvmeIdCtrl *id = buf;

    ctrl_names(n, id);
    id->mdts = transfer_exponent(n->params.mdts_bytes);
    id->ver = cpu_to_le32(FEMU_NVME_VERSION);
    id->ctratt = cpu_to_le32(CTRATT_HOST_ID_128_BITS);
    id->oaes = cpu_to_le32(FEMU_ASYNC_EVENTS);
    id->cntrltype = CNTRLTYPE_IO;
    id->oacs = cpu_to_le16(NVME_OACS_FORMAT |
                           (n->dbbuf_offered ? NVME_OACS_DBCS : 0));
    id->acl = 3;
    id->aerl = FEMU_MAX_AERS - 1;
    id->frmw = (1 << 1) | NVME_FRMW_SLOT1_RO;
    id->lpa = NVME_LPA_NS_SMART | NVME_LPA_CSE | NVME_LPA_EXTENDED |
              LPA_SUPPORTED_AND_EFFECTS;
    id->elpe = FEMU_ERROR_LOG_ENTRIES - 1;
    id->wctemp = cpu_to_le16(WARNING_KELVIN);
    id->cctemp = cpu_to_le16(CRITICAL_KELVIN);
    stq_le_p(id->tnvmcap, ssd_data_bytes(&n->params));
    id->sqes = 0x66;
    id->cqes = 0x44;
    id->nn = cpu_to_le32(n->ns_count);
    id->oncs = cpu_to_le16(NVME_ONCS_COMPARE | NVME_ONCS_DSM |
                           NVME_ONCS_WRITE_ZEROES | NVME_ONCS_FEATURES |
                           NVME_ONCS_TIMESTAMP | NVME_ONCS_VERIFY |
                           NVME_ONCS_COPY);
    id->ocfs = cpu_to_le16(NVME_OCFS_COPY_FORMAT_0);
    id->vwc = NVME_VWC_NSID_BROADCAST_SUPPORT |
              (femu_cache_is_volatile(n) ? NVME_VWC_PRESENT : 0);
    id->sgls = cpu_to_le32(NVME_CTRL_SGLS_SUPPORT_NO_ALIGN |
                           NVME_CTRL_SGLS_MPTR_CONTIGUOUS);
    stl_le_p(id->rsvd540, n->ns_count);         /* MNAN */
    id->psd[0].mp = cpu_to_le16(POWER_CENTIWATT);
    return NVME_SUCCESS;
}

static uint16_t identify_ctrl_zoned(FemuZns *n, void *buf)
{
    NvmeIdCtrlZoned *id = buf;

    id->zasl = transfer_exponent(n->params.zasl_bytes);
    return NVME_SUCCESS;
}

/* Verify has the limit of transfers; Dataset Management has none (0). */
static uint16_t identify_ctrl_nvm(FemuZns *n, void *buf)
{
    NvmeIdCtrlNvm *id = buf;

    id->vsl = transfer_exponent(n->params.mdts_bytes);
    id->wzsl = transfer_exponent(n->params.wzsl_bytes);
    return NVME_SUCCESS;
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

/*
 * The list of controllers whose identifiers are CNTID or above: their number,
 * then their identifiers. The only controller has identifier 0.
 */
static uint16_t ctrl_list(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    stw_le_p(buf, le16_to_cpu(cmd->ctrlid) == 0);
    return NVME_SUCCESS;
}

/*
 * As ctrl_list(), but only controllers that the namespace is attached to. All
 * namespaces are an invalid field (NVMe base 2.0, 5.17.2.11).
 */
static uint16_t ctrl_list_of_ns(FemuZns *n, const NvmeIdentify *cmd, void *buf)
{
    uint32_t nsid = le32_to_cpu(cmd->nsid);
    const FemuNs *ns = femu_ns(n, nsid);

    if (!ns) {
        return nsid == NVME_NSID_BROADCAST ? NVME_INVALID_FIELD
                                           : NVME_INVALID_NSID;
    }
    return ns->attached ? ctrl_list(n, cmd, buf) : NVME_SUCCESS;
}

/* The only combination of I/O command sets: NVM and zoned namespaces. */
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
    case NVME_ID_CNS_CTRL:
        return identify_ctrl(n, buf);
    case NVME_ID_CNS_CS_CTRL:
        return ctrl_by_set(n, cmd, buf);
    case NVME_ID_CNS_NS_ATTACHED_CTRL_LIST:
        return ctrl_list_of_ns(n, cmd, buf);
    case NVME_ID_CNS_CTRL_LIST:
        return ctrl_list(n, cmd, buf);
    case NVME_ID_CNS_IO_COMMAND_SET:
        return command_sets(n, cmd, buf);
    default:
        return femu_identify_ns(n, cmd, buf);
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
