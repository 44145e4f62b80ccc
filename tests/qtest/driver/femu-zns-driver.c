/*
 * The controller and its queues as a host sees them: registers, doorbells,
 * MSI-X, submission and completion entries, PRP lists, admin commands.
 *
 * Knows nothing of zones or of how long anything should take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-driver.h"
#include "hw/pci/pci_regs.h"

/* Enable, 4 KiB pages, 64 and 16 byte entries. */
#define CC_READY (1u | 6u << 16 | 4u << 20)
#define CC_EN 1u

/* Registers */

uint32_t femu_reg(FemuDrive *drive, uint32_t offset)
{
    return qpci_io_readl(drive->pci, drive->bar, offset);
}

uint64_t femu_reg64(FemuDrive *drive, uint32_t offset)
{
    return qpci_io_readq(drive->pci, drive->bar, offset);
}

void femu_set_reg(FemuDrive *drive, uint32_t offset, uint32_t value)
{
    qpci_io_writel(drive->pci, drive->bar, offset, value);
}

/* Doorbells alternate: SQ 0 tail, CQ 0 head, SQ 1 tail (NVMe over PCIe 3.1) */
static void ring_doorbell(FemuDrive *drive, unsigned idx, uint16_t value)
{
    femu_set_reg(drive, FEMU_DOORBELLS + 4 * idx, value);
}

void femu_msix_enable(FemuDrive *drive)
{
    uint8_t cap = qpci_find_capability(drive->pci, PCI_CAP_ID_MSIX, 0);
    uint32_t table;
    unsigned bir;

    g_assert_cmphex(cap, !=, 0);
    table = qpci_config_readl(drive->pci, cap + PCI_MSIX_TABLE);
    bir = table & PCI_MSIX_TABLE_BIR;
    drive->msix_off = table & PCI_MSIX_TABLE_OFFSET;
    /* mapping BAR 0 a second time would move it */
    drive->msix_bar = bir ? qpci_iomap(drive->pci, bir, NULL) : drive->bar;
    qpci_config_writew(drive->pci, cap + PCI_MSIX_FLAGS,
                       PCI_MSIX_FLAGS_ENABLE);
}

void femu_msix_vector(FemuDrive *drive, unsigned vector, uint64_t addr,
                      uint32_t data)
{
    uint64_t entry = drive->msix_off + vector * PCI_MSIX_ENTRY_SIZE;

    qpci_io_writel(drive->pci, drive->msix_bar,
                   entry + PCI_MSIX_ENTRY_LOWER_ADDR, addr);
    qpci_io_writel(drive->pci, drive->msix_bar,
                   entry + PCI_MSIX_ENTRY_UPPER_ADDR, addr >> 32);
    qpci_io_writel(drive->pci, drive->msix_bar,
                   entry + PCI_MSIX_ENTRY_DATA, data);
    qpci_io_writel(drive->pci, drive->msix_bar,
                   entry + PCI_MSIX_ENTRY_VECTOR_CTRL, 0);
}

/* The controller */

static uint64_t page_bytes(const FemuDrive *drive)
{
    return (uint64_t)FEMU_PAGE_BYTES << drive->mps;
}

uint64_t femu_alloc_pages(FemuDrive *drive, size_t bytes)
{
    uint64_t more = page_bytes(drive) - FEMU_PAGE_BYTES;

    return QEMU_ALIGN_UP(femu_alloc(drive->host, bytes + more),
                         page_bytes(drive));
}

FemuDrive *femu_drive_open(FemuHost *host, unsigned slot,
                           const FemuConfig *config)
{
    FemuDrive *drive = g_new0(FemuDrive, 1);

    drive->host = host;
    drive->config = *config;
    drive->pci = qpci_device_find(host->bus, QPCI_DEVFN(slot, 0));
    g_assert_nonnull(drive->pci);
    drive->bar = qpci_iomap(drive->pci, 0, &drive->bar_bytes);
    qpci_device_enable(drive->pci);
    drive->buf = femu_alloc(host, FEMU_BUF_BYTES);
    drive->css = NVME_CC_CSS_ALL;
    drive->nsid = FEMU_NSID;
    return drive;
}

void femu_enable(FemuDrive *drive)
{
    uint64_t asq = femu_alloc_pages(drive, FEMU_ENTRIES * sizeof(NvmeCmd));
    uint64_t acq = femu_alloc_pages(drive, FEMU_ENTRIES * sizeof(NvmeCqe));

    femu_set_reg(drive, NVME_REG_AQA,
                 (FEMU_ENTRIES - 1) << 16 | (FEMU_ENTRIES - 1));
    femu_set_reg(drive, NVME_REG_ASQ, asq);
    femu_set_reg(drive, NVME_REG_ASQ + 4, asq >> 32);
    femu_set_reg(drive, NVME_REG_ACQ, acq);
    femu_set_reg(drive, NVME_REG_ACQ + 4, acq >> 32);
    femu_set_reg(drive, NVME_REG_CC, CC_READY | drive->css << 4 | drive->mps << 7);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    drive->admin_cq = (FemuCq) {
        .drive = drive, .entries = FEMU_ENTRIES, .addr = acq, .phase = true,
    };
    drive->admin = (FemuSq) {
        .drive = drive, .cq = &drive->admin_cq, .entries = FEMU_ENTRIES,
        .addr = asq,
    };
}

void femu_disable(FemuDrive *drive)
{
    femu_set_reg(drive, NVME_REG_CC, CC_READY & ~CC_EN);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS) & NVME_CSTS_READY, ==, 0);
}

FemuDrive *femu_boot_disabled(const FemuConfig *config, const char *extra)
{
    g_autofree char *args = femu_device_args(config, FEMU_SLOT, extra);

    return femu_drive_open(femu_host_start(args), FEMU_SLOT, config);
}

FemuDrive *femu_boot(const FemuConfig *config, const char *extra)
{
    FemuDrive *drive = femu_boot_disabled(config, extra);

    femu_enable(drive);
    femu_io_queues_create(drive);
    return drive;
}

void femu_io_queues_create(FemuDrive *drive)
{
    femu_cq_create(drive, &drive->io_cq, 1, FEMU_ENTRIES, -1);
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
}

void femu_drive_close(FemuDrive *drive)
{
    g_free(drive->pci);
    g_free(drive);
}

void femu_shutdown(FemuDrive *drive)
{
    FemuHost *host = drive->host;

    femu_drive_close(drive);
    femu_host_stop(host);
}

/* Queues */

uint16_t femu_cq_create_at(FemuDrive *drive, FemuCq *cq, uint16_t id,
                           uint32_t entries, uint64_t addr, int vector)
{
    uint32_t flags = NVME_CQ_PC;

    if (vector >= 0) {
        flags |= NVME_CQ_IEN | (uint32_t)vector << 16;
    }
    *cq = (FemuCq) {
        .drive = drive, .id = id, .entries = entries, .addr = addr,
        .phase = true,
    };
    return femu_admin(drive, NVME_ADM_CMD_CREATE_CQ, 0,
                      (entries - 1) << 16 | id, flags, addr).status;
}

uint16_t femu_sq_create_at(FemuDrive *drive, FemuSq *sq, uint16_t id,
                           uint32_t entries, uint64_t addr, FemuCq *cq)
{
    *sq = (FemuSq) {
        .drive = drive, .cq = cq, .id = id, .entries = entries, .addr = addr,
    };
    return femu_admin(drive, NVME_ADM_CMD_CREATE_SQ, 0,
                      (entries - 1) << 16 | id,
                      (uint32_t)cq->id << 16 | NVME_SQ_PC, addr).status;
}

void femu_cq_create(FemuDrive *drive, FemuCq *cq, uint16_t id,
                    uint32_t entries, int vector)
{
    uint64_t addr = femu_alloc_pages(drive, entries * sizeof(NvmeCqe));

    g_assert_cmphex(femu_cq_create_at(drive, cq, id, entries, addr, vector),
                    ==, NVME_SUCCESS);
}

void femu_sq_create(FemuDrive *drive, FemuSq *sq, uint16_t id,
                    uint32_t entries, FemuCq *cq)
{
    uint64_t addr = femu_alloc_pages(drive, entries * sizeof(NvmeCmd));

    g_assert_cmphex(femu_sq_create_at(drive, sq, id, entries, addr, cq),
                    ==, NVME_SUCCESS);
}

uint16_t femu_queue_delete(FemuDrive *drive, uint8_t opcode, uint16_t id)
{
    return femu_admin(drive, opcode, 0, id, 0, 0).status;
}

uint16_t femu_place(FemuSq *sq, const NvmeCmd *cmd)
{
    NvmeCmd sqe = *cmd;
    uint16_t cid = sq->next_cid++;

    sqe.cid = cpu_to_le16(cid);
    qtest_memwrite(sq->drive->host->qts,
                   sq->addr + sq->tail * sizeof(NvmeCmd), &sqe, sizeof(sqe));
    sq->tail = (sq->tail + 1) % sq->entries;
    return cid;
}

void femu_ring(FemuSq *sq)
{
    ring_doorbell(sq->drive, 2 * sq->id, sq->tail);
}

uint16_t femu_submit(FemuSq *sq, const NvmeCmd *cmd)
{
    uint16_t cid = femu_place(sq, cmd);

    femu_ring(sq);
    return cid;
}

bool femu_peek(const FemuCq *cq, FemuCqe *cqe)
{
    NvmeCqe raw;
    uint16_t status;

    qtest_memread(cq->drive->host->qts,
                  cq->addr + cq->head * sizeof(NvmeCqe), &raw, sizeof(raw));
    status = le16_to_cpu(raw.status);
    if ((status & 1) != cq->phase) {
        return false;
    }
    *cqe = (FemuCqe) {
        .result = (uint64_t)le32_to_cpu(raw.dw1) << 32 |
                  le32_to_cpu(raw.result),
        .sq_head = le16_to_cpu(raw.sq_head),
        .sq_id = le16_to_cpu(raw.sq_id),
        .cid = le16_to_cpu(raw.cid),
        .status = status >> 1 & 0x7ff,
        .dnr = status >> 15,
    };
    return true;
}

bool femu_take(FemuCq *cq, FemuCqe *cqe)
{
    if (!femu_peek(cq, cqe)) {
        return false;
    }
    cq->head = (cq->head + 1) % cq->entries;
    cq->phase ^= cq->head == 0;
    return true;
}

void femu_ring_cq(FemuCq *cq)
{
    ring_doorbell(cq->drive, 2 * cq->id + 1, cq->head);
}

bool femu_reap(FemuCq *cq, FemuCqe *cqe)
{
    if (!femu_take(cq, cqe)) {
        return false;
    }
    femu_ring_cq(cq);
    return true;
}

FemuCqe femu_expect_now(FemuCq *cq)
{
    FemuCqe cqe;

    g_assert_true(femu_reap(cq, &cqe));
    return cqe;
}

FemuCqe femu_expect_at(FemuCq *cq, uint64_t at_ns)
{
    FemuHost *host = cq->drive->host;
    FemuCqe cqe;

    if (at_ns > host->now_ns) {
        femu_step_to(host, at_ns - 1);
        g_assert_false(femu_peek(cq, &cqe));
        femu_step_to(host, at_ns);
    }
    return femu_expect_now(cq);
}

void femu_expect_ok(FemuCq *cq, uint64_t at_ns, unsigned count,
                    uint16_t first_cid)
{
    FemuCqe cqe = femu_expect_at(cq, at_ns);

    for (unsigned i = 0; i < count; i++) {
        if (i > 0) {
            cqe = femu_expect_now(cq);
        }
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        g_assert_cmpuint(cqe.cid, ==, (uint16_t)(first_cid + i));
    }
    g_assert_false(femu_peek(cq, &cqe));
}

FemuCqe femu_exec(FemuSq *sq, const NvmeCmd *cmd)
{
    uint16_t cid = femu_submit(sq, cmd);
    FemuCqe cqe;

    while (!femu_reap(sq->cq, &cqe)) {
        femu_step_next(sq->drive->host);
    }
    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmpuint(cqe.sq_id, ==, sq->id);
    g_assert_cmpuint(cqe.sq_head, ==, sq->tail);
    return cqe;
}

void femu_set_prps(FemuDrive *drive, NvmeCmd *cmd, uint64_t addr, size_t bytes)
{
    QTestState *qts = drive->host->qts;
    uint64_t step = page_bytes(drive), end = addr + bytes;
    uint64_t page = QEMU_ALIGN_DOWN(addr, step) + step;
    unsigned idx = 0, last = step / 8 - 1;
    uint64_t list;

    cmd->dptr.prp1 = cpu_to_le64(addr);
    if (end <= page) {
        return;
    }
    if (end <= page + step) {
        cmd->dptr.prp2 = cpu_to_le64(page);
        return;
    }
    list = femu_alloc_pages(drive, step);
    cmd->dptr.prp2 = cpu_to_le64(list);
    for (; page < end; page += step) {
        if (idx == last && page + step < end) {
            uint64_t next = femu_alloc_pages(drive, step);

            qtest_writeq(qts, list + 8 * idx, next);
            list = next;
            idx = 0;
        }
        qtest_writeq(qts, list + 8 * idx++, page);
    }
}

/* Admin commands */

static FemuCqe admin_exec(FemuDrive *drive, NvmeCmd *cmd, void *data,
                          size_t bytes)
{
    FemuCqe cqe;

    g_assert_cmpuint(bytes, <=, FEMU_BUF_BYTES);
    if (bytes > 0) {
        femu_set_prps(drive, cmd, drive->buf, bytes);
    }
    cqe = femu_exec(&drive->admin, cmd);
    if (data && cqe.status == NVME_SUCCESS) {
        qtest_bufread(drive->host->qts, drive->buf, data, bytes);
    }
    return cqe;
}

FemuCqe femu_admin(FemuDrive *drive, uint8_t opcode, uint32_t nsid,
                   uint32_t cdw10, uint32_t cdw11, uint64_t prp1)
{
    NvmeCmd cmd = {
        .opcode = opcode,
        .nsid = cpu_to_le32(nsid),
        .dptr.prp1 = cpu_to_le64(prp1),
        .cdw10 = cpu_to_le32(cdw10),
        .cdw11 = cpu_to_le32(cdw11),
    };

    return admin_exec(drive, &cmd, NULL, 0);
}

uint16_t femu_identify(FemuDrive *drive, uint8_t cns, uint8_t csi,
                       uint32_t nsid, void *data)
{
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .nsid = cpu_to_le32(nsid),
        .cdw10 = cpu_to_le32(cns),
        .cdw11 = cpu_to_le32((uint32_t)csi << 24),
    };

    return admin_exec(drive, &cmd, data, NVME_IDENTIFY_DATA_SIZE).status;
}

uint16_t femu_get_log(FemuDrive *drive, uint8_t lid, uint8_t csi,
                      uint64_t offset, void *data, size_t bytes)
{
    uint32_t numd = bytes / 4 - 1;
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_GET_LOG_PAGE,
        .nsid = cpu_to_le32(NVME_NSID_BROADCAST),
        .cdw10 = cpu_to_le32(numd << 16 | lid),
        .cdw11 = cpu_to_le32(numd >> 16),
        .cdw12 = cpu_to_le32(offset),
        .cdw13 = cpu_to_le32(offset >> 32),
        .cdw14 = cpu_to_le32((uint32_t)csi << 24),
    };

    return admin_exec(drive, &cmd, data, bytes).status;
}

uint16_t femu_get_feature(FemuDrive *drive, uint8_t fid, uint32_t *value)
{
    FemuCqe cqe = femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, 0, fid, 0,
                             drive->buf);

    *value = cqe.result;
    return cqe.status;
}

uint16_t femu_set_feature(FemuDrive *drive, uint8_t fid, uint32_t value)
{
    return femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0, fid, value,
                      drive->buf).status;
}
