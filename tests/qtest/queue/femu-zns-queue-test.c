/*
 * Queues: creation and deletion, sharing, wrapping, interrupts; and abort, the
 * admin command that is about queued ones.
 *
 * Knows nothing of zones, or of time beyond one page's write.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"

#define IRQ_DATA 0xfe31u
#define MAX_QUEUE_PAIRS 64      /* the default */

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

/* A drive that is mapped, not enabled. */
static FemuDrive *boot_disabled(const char *extra)
{
    FemuConfig config = femu_small_config();

    return femu_boot_disabled(&config, extra);
}

/* Queue creation and deletion */

static uint16_t create_cq(FemuDrive *drive, uint16_t id, uint32_t entries,
                          uint64_t addr, int vector)
{
    FemuCq cq;

    return femu_cq_create_at(drive, &cq, id, entries, addr, vector);
}

static void test_create_cq_refused(void)
{
    FemuDrive *drive = boot();
    uint64_t addr = femu_alloc(drive->host, 64 * 1024);
    uint32_t mqes = NVME_CAP_MQES(femu_reg64(drive, NVME_REG_CAP));

    g_assert_cmphex(create_cq(drive, 0, 16, addr, -1), ==, NVME_INVALID_QID);
    g_assert_cmphex(create_cq(drive, 1, 16, addr, -1), ==, NVME_INVALID_QID);
    g_assert_cmphex(create_cq(drive, 65, 16, addr, -1), ==, NVME_INVALID_QID);
    g_assert_cmphex(create_cq(drive, 0xffff, 16, addr, -1), ==,
                    NVME_INVALID_QID);
    g_assert_cmphex(create_cq(drive, 2, 1, addr, -1), ==,
                    NVME_MAX_QSIZE_EXCEEDED);
    g_assert_cmphex(create_cq(drive, 2, mqes + 2, addr, -1), ==,
                    NVME_MAX_QSIZE_EXCEEDED);
    for (unsigned offset = 1; offset < FEMU_PAGE_BYTES; offset *= 2) {
        g_assert_cmphex(create_cq(drive, 2, 16, addr + offset, -1), ==,
                        NVME_INVALID_PRP_OFFSET);
    }
    /* CAP.CQR: physically contiguous only */
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_CREATE_CQ, 0, 15 << 16 | 2,
                               0, addr).status, ==, NVME_INVALID_FIELD);
    femu_msix_enable(drive);
    g_assert_cmphex(create_cq(drive, 2, 16, addr, 65), ==,
                    NVME_INVALID_IRQ_VECTOR);
    g_assert_cmphex(create_cq(drive, 2, 16, addr, 64), ==, NVME_SUCCESS);
    g_assert_cmphex(create_cq(drive, 64, mqes + 1, addr, 0), ==,
                    NVME_SUCCESS);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

static uint16_t create_sq(FemuDrive *drive, uint16_t id, uint32_t entries,
                          uint64_t addr, uint16_t cq_id)
{
    FemuCq cq = { .id = cq_id };
    FemuSq sq;

    return femu_sq_create_at(drive, &sq, id, entries, addr, &cq);
}

/* Peers: "SQ/CQ ids confused". */
static void test_create_sq_refused(void)
{
    FemuDrive *drive = boot();
    uint64_t addr = femu_alloc(drive->host, 256 * 1024);
    uint32_t mqes = NVME_CAP_MQES(femu_reg64(drive, NVME_REG_CAP));

    g_assert_cmphex(create_sq(drive, 0, 16, addr, 1), ==, NVME_INVALID_QID);
    g_assert_cmphex(create_sq(drive, 1, 16, addr, 1), ==, NVME_INVALID_QID);
    g_assert_cmphex(create_sq(drive, 65, 16, addr, 1), ==, NVME_INVALID_QID);
    g_assert_cmphex(create_sq(drive, 2, 16, addr, 0), ==, NVME_INVALID_CQID);
    g_assert_cmphex(create_sq(drive, 2, 16, addr, 2), ==, NVME_INVALID_CQID);
    g_assert_cmphex(create_sq(drive, 2, 16, addr, 0xffff), ==,
                    NVME_INVALID_CQID);
    g_assert_cmphex(create_sq(drive, 2, 1, addr, 1), ==,
                    NVME_MAX_QSIZE_EXCEEDED);
    g_assert_cmphex(create_sq(drive, 2, mqes + 2, addr, 1), ==,
                    NVME_MAX_QSIZE_EXCEEDED);
    g_assert_cmphex(create_sq(drive, 2, 16, addr + 64, 1), ==,
                    NVME_INVALID_PRP_OFFSET);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_CREATE_SQ, 0, 15 << 16 | 2,
                               1 << 16, addr).status, ==, NVME_INVALID_FIELD);
    g_assert_cmphex(create_sq(drive, 64, mqes + 1, addr, 1), ==,
                    NVME_SUCCESS);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

static void test_delete(void)
{
    FemuDrive *drive = boot();
    const uint8_t del_sq = NVME_ADM_CMD_DELETE_SQ;
    const uint8_t del_cq = NVME_ADM_CMD_DELETE_CQ;
    static const uint16_t ids[] = { 0, 2, 65, 0xffff };

    for (unsigned i = 0; i < ARRAY_SIZE(ids); i++) {
        g_assert_cmphex(femu_queue_delete(drive, del_sq, ids[i]), ==,
                        NVME_INVALID_QID);
        g_assert_cmphex(femu_queue_delete(drive, del_cq, ids[i]), ==,
                        NVME_INVALID_QID);
    }
    g_assert_cmphex(femu_queue_delete(drive, del_cq, 1), ==,
                    NVME_INVALID_QUEUE_DEL);
    g_assert_cmphex(femu_queue_delete(drive, del_sq, 1), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_queue_delete(drive, del_sq, 1), ==,
                    NVME_INVALID_QID);
    g_assert_cmphex(femu_queue_delete(drive, del_cq, 1), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_queue_delete(drive, del_cq, 1), ==,
                    NVME_INVALID_QID);
    femu_io_queues_create(drive);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* A queue deleted with a command inside, and made anew before it ends. */
static void test_delete_in_flight(void)
{
    FemuDrive *drive = boot();
    uint64_t start_ns = drive->host->now_ns;
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuCq cq;
    FemuSq sq;
    NvmeCmd cmd;
    uint16_t cid;

    femu_cq_create(drive, &cq, 2, 16, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, page_nlb);
    cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, page_nlb, page_nlb, drive->buf);
    femu_submit(&sq, &cmd);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 1), ==,
                    NVME_SUCCESS);
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
    femu_step(drive->host, 1000);
    drive->io.next_cid = 77;
    cid = femu_submit_rw(drive, NVME_CMD_WRITE, 2 * page_nlb, page_nlb);
    /* the first write's completion, due before, does not come */
    femu_expect_ok(&drive->io_cq,
                   start_ns + 1000 + femu_page_write_ns(drive), 1, cid);
    /* that of the other queue has come */
    g_assert_cmphex(femu_expect_now(&cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A command that waits for a slot when its queue is deleted is never run. */
static void test_delete_with_waiting(void)
{
    FemuConfig config = femu_small_config();
    uint32_t page_nlb;
    FemuDrive *drive;

    config.ssd.cmd_slots = 1;
    drive = femu_boot(&config, NULL);
    page_nlb = femu_page_nlb(drive);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, page_nlb);
    femu_submit_rw(drive, NVME_CMD_WRITE, page_nlb, page_nlb);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 1), ==,
                    NVME_SUCCESS);
    femu_step(drive->host, 2 * femu_page_write_ns(drive));
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, page_nlb);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/* The errors that the drive has logged. */
static uint64_t error_count(FemuDrive *drive)
{
    NvmeSmartLog log;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    return le64_to_cpu(log.number_of_error_log_entries[0]);
}

/*
 * Heads that a completion queue of 5 entries can have, from each place in it:
 * those up to its tail, as far as entries were posted.
 */
static void test_heads(void)
{
    FemuDrive *drive = boot();
    NvmeCmd flush = femu_cmd_flush();
    uint64_t errors = error_count(drive);
    FemuCq cq;
    FemuSq sq;
    FemuCqe cqe;

    femu_cq_create(drive, &cq, 2, 5, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned start = 0; start < 10; start++) {
        for (unsigned i = 0; i < 2; i++) {
            femu_submit(&sq, &flush);
        }
        for (unsigned ahead = 3; ahead < 5; ahead++) {
            femu_set_reg(drive, FEMU_DOORBELLS + 4 * 5, (start + ahead) % 5);
            g_assert_cmpuint(error_count(drive), ==, ++errors);
        }
        for (unsigned head = 5; head < 12; head++) {
            femu_set_reg(drive, FEMU_DOORBELLS + 4 * 5, head);
            g_assert_cmpuint(error_count(drive), ==, ++errors);
        }
        femu_set_reg(drive, FEMU_DOORBELLS + 4 * 5, cq.head);
        g_assert_true(femu_reap(&cq, &cqe));
        g_assert_true(femu_reap(&cq, &cqe));
        g_assert_cmpuint(cq.head, ==, (start + 2) % 5);
        g_assert_cmpuint(error_count(drive), ==, errors);
        /* one more, so that the next round starts one further */
        for (unsigned i = 0; i < 4; i++) {
            g_assert_cmphex(femu_exec(&sq, &flush).status, ==, NVME_SUCCESS);
        }
    }
    femu_shutdown(drive);
}

/* Two submission queues, ids unlike their completion queue's, share it. */
static void test_shared_cq(void)
{
    FemuDrive *drive = boot();
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuCq cq;
    FemuSq sq[2];
    FemuCqe cqe;

    femu_cq_create(drive, &cq, 7, 16, -1);
    femu_sq_create(drive, &sq[0], 3, 8, &cq);
    femu_sq_create(drive, &sq[1], 5, 4, &cq);
    for (unsigned i = 0; i < 2; i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, i * page_nlb,
                                  page_nlb, drive->buf);

        sq[i].next_cid = 100 * (i + 1);
        femu_submit(&sq[i], &cmd);
    }
    for (unsigned i = 0; i < 2; i++) {
        cqe = femu_expect_at(&cq, femu_page_write_ns(drive));
        g_assert_cmpuint(cqe.sq_id, ==, sq[i].id);
        g_assert_cmpuint(cqe.cid, ==, 100 * (i + 1));
        g_assert_cmpuint(cqe.sq_head, ==, 1);
    }
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 3), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, 7), ==,
                    NVME_INVALID_QUEUE_DEL);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 5), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, 7), ==,
                    NVME_SUCCESS);
    femu_shutdown(drive);
}

/* Round and round small queues: tail, head and phase wrap. */
static void test_wrap(void)
{
    FemuDrive *drive = boot();
    NvmeCmd cmd = femu_cmd_flush();
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 3, -1);
    femu_sq_create(drive, &sq, 2, 2, &cq);
    for (unsigned i = 0; i < 20; i++) {
        g_assert_cmphex(femu_exec(&sq, &cmd).status, ==, NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

/* All 64 pairs at once. */
static void test_64_pairs(void)
{
    FemuDrive *drive = boot();
    NvmeCmd cmd = femu_cmd_flush();
    FemuCq cq[65];
    FemuSq sq[65];

    for (unsigned id = 2; id <= 64; id++) {
        femu_cq_create(drive, &cq[id], id, 4, -1);
        femu_sq_create(drive, &sq[id], id, 4, &cq[id]);
    }
    for (unsigned id = 2; id <= 64; id++) {
        g_assert_cmphex(femu_exec(&sq[id], &cmd).status, ==, NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

static void test_max_queue_pairs(void)
{
    FemuDrive *drive = boot_disabled("max-queue-pairs=2");
    FemuCq cq;
    uint32_t counts;

    femu_enable(drive);
    g_assert_cmphex(femu_get_feature(drive, NVME_NUMBER_OF_QUEUES, &counts),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(counts, ==, 0x00010001);
    femu_cq_create(drive, &cq, 2, 16, -1);
    g_assert_cmphex(create_cq(drive, 3, 16, cq.addr, -1), ==,
                    NVME_INVALID_QID);
    g_assert_cmpuint(qpci_msix_table_size(drive->pci), ==, 3);
    femu_shutdown(drive);
}

/* Interrupts */

/* A message for every completion, from its queue's vector, at its time. */
static void test_msix(void)
{
    FemuDrive *drive = boot();
    QTestState *qts = drive->host->qts;
    uint64_t mailbox = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                              drive->buf);
    FemuCq cq;
    FemuSq sq;

    femu_msix_enable(drive);
    femu_msix_vector(drive, 0, mailbox, IRQ_DATA);
    femu_msix_vector(drive, 5, mailbox + 8, IRQ_DATA + 5);
    femu_cq_create(drive, &cq, 2, 16, 5);
    g_assert_cmphex(qtest_readl(qts, mailbox), ==, IRQ_DATA);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    femu_submit(&sq, &cmd);
    femu_step(drive->host, femu_page_write_ns(drive) - 1);
    g_assert_cmphex(qtest_readl(qts, mailbox + 8), ==, 0);
    femu_step(drive->host, 1);
    g_assert_cmphex(qtest_readl(qts, mailbox + 8), ==, IRQ_DATA + 5);
    femu_expect_now(&cq);
    femu_shutdown(drive);
}

/* A queue without interrupts is silent. */
static void test_msix_not_enabled_for_queue(void)
{
    FemuDrive *drive = boot();
    uint64_t mailbox = femu_alloc(drive->host, FEMU_PAGE_BYTES);

    femu_msix_enable(drive);
    femu_msix_vector(drive, 0, mailbox, IRQ_DATA);
    femu_assert_works(drive, 0);
    g_assert_cmphex(qtest_readl(drive->host->qts, mailbox), ==, 0);
    femu_shutdown(drive);
}

/* MSI on, for `1 << log2_vectors` messages from `data` on to `addr`. */
static void msi_enable(FemuDrive *drive, unsigned log2_vectors, uint64_t addr,
                       uint16_t data)
{
    uint8_t cap = qpci_find_capability(drive->pci, PCI_CAP_ID_MSI, 0);

    g_assert_cmphex(cap, !=, 0);
    g_assert_cmphex(qpci_config_readw(drive->pci, cap + PCI_MSI_FLAGS) &
                    PCI_MSI_FLAGS_64BIT, !=, 0);
    qpci_config_writel(drive->pci, cap + PCI_MSI_ADDRESS_LO, addr);
    qpci_config_writel(drive->pci, cap + PCI_MSI_ADDRESS_HI, addr >> 32);
    qpci_config_writew(drive->pci, cap + PCI_MSI_DATA_64, data);
    qpci_config_writew(drive->pci, cap + PCI_MSI_FLAGS,
                       PCI_MSI_FLAGS_ENABLE | log2_vectors << 4);
}

/* The message that has arrived since the last look, or 0. */
static uint32_t take_message(FemuDrive *drive, uint64_t mailbox)
{
    uint32_t message = qtest_readl(drive->host->qts, mailbox);

    qtest_writel(drive->host->qts, mailbox, 0);
    return message;
}

/* A message per completion; while masked none, and one when unmasked. */
static void test_msi(void)
{
    FemuDrive *drive = boot();
    uint64_t mailbox = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuCq cq, none;
    FemuSq sq;

    msi_enable(drive, 2, mailbox, IRQ_DATA & ~3u);
    g_assert_cmphex(femu_cq_create_at(drive, &none, 3, 16, drive->buf, 4), ==,
                    NVME_INVALID_IRQ_VECTOR);
    femu_cq_create(drive, &cq, 2, 16, 3);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    g_assert_cmphex(take_message(drive, mailbox), ==, IRQ_DATA & ~3u);
    for (unsigned i = 0; i < 3; i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, i * page_nlb,
                                  page_nlb, drive->buf);
        bool masked = i == 1;

        femu_set_reg(drive, masked ? NVME_REG_INTMS : NVME_REG_INTMC, 1 << 3);
        g_assert_cmphex(take_message(drive, mailbox), ==,
                        i == 2 ? IRQ_DATA | 3 : 0);
        femu_submit(&sq, &cmd);
        femu_step(drive->host, femu_page_write_ns(drive) - 1);
        g_assert_cmphex(take_message(drive, mailbox), ==, 0);
        femu_step(drive->host, 1);
        g_assert_cmphex(take_message(drive, mailbox), ==,
                        masked ? 0 : IRQ_DATA | 3);
        if (!masked) {
            femu_expect_now(&cq);
        }
    }
    femu_expect_now(&cq);
    femu_shutdown(drive);
}

/* A pair of queues and a command that is done at once: an entry waits. */
static void post(FemuDrive *drive, FemuCq *cq, FemuSq *sq, uint16_t id,
                 int vector)
{
    NvmeCmd flush = femu_cmd_flush();
    FemuCqe cqe;

    if (id) {
        femu_cq_create(drive, cq, id, 16, vector);
        femu_sq_create(drive, sq, id, 16, cq);
    }
    femu_submit(sq, &flush);
    g_assert_true(femu_peek(cq, &cqe));
}

static void set_message_mode(FemuDrive *drive, uint8_t cap_id, bool on)
{
    uint8_t cap = qpci_find_capability(drive->pci, cap_id, 0);

    qpci_config_writew(drive->pci, cap + 2,
                       !on ? 0 : cap_id == PCI_CAP_ID_MSI
                                 ? PCI_MSI_FLAGS_ENABLE
                                 : PCI_MSIX_FLAGS_ENABLE);
}

/* One vector that is unmasked, the others and those without entries do not. */
static void test_msi_unmask(void)
{
    FemuDrive *drive = boot();
    uint64_t mailbox = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    const uint32_t data = IRQ_DATA & ~3u;
    FemuCq cq[2];
    FemuSq sq[2];

    msi_enable(drive, 2, mailbox, data);
    femu_set_reg(drive, NVME_REG_INTMS, 0x8000000f);
    post(drive, &cq[0], &sq[0], 2, 3);
    post(drive, &cq[1], &sq[1], 3, 1);
    g_assert_cmphex(take_message(drive, mailbox), ==, 0);
    femu_set_reg(drive, NVME_REG_INTMC, 0x80000004);    /* nothing waits */
    g_assert_cmphex(take_message(drive, mailbox), ==, 0);
    femu_set_reg(drive, NVME_REG_INTMS, 1 << 3);
    femu_expect_now(&cq[0]);
    femu_set_reg(drive, NVME_REG_INTMC, 1 << 3);        /* it has been read */
    g_assert_cmphex(take_message(drive, mailbox), ==, 0);
    femu_set_reg(drive, NVME_REG_INTMS, 1 << 3);
    femu_set_reg(drive, NVME_REG_INTMC, 1 << 1);
    g_assert_cmphex(take_message(drive, mailbox), ==, data | 1);
    g_assert_cmphex(femu_reg(drive, NVME_REG_INTMC), ==, 1 << 3 | 1);
    femu_set_reg(drive, NVME_REG_INTMC, 1 << 1);        /* it is not masked */
    g_assert_cmphex(take_message(drive, mailbox), ==, 0);
    femu_submit(&drive->admin, &(NvmeCmd) {
        .opcode = NVME_ADM_CMD_GET_FEATURES,
        .cdw10 = cpu_to_le32(NVME_ARBITRATION),
    });
    femu_set_reg(drive, NVME_REG_INTMC, 1);
    g_assert_cmphex(take_message(drive, mailbox), ==, data);
    femu_expect_now(&drive->admin_cq);
    /* with both enabled MSI-X is in force, which INTMS does not mask */
    femu_set_reg(drive, NVME_REG_INTMS, 1 << 1);
    set_message_mode(drive, PCI_CAP_ID_MSIX, true);
    femu_set_reg(drive, NVME_REG_INTMC, 1 << 1);
    g_assert_cmphex(take_message(drive, mailbox), ==, 0);
    femu_shutdown(drive);
}

/*
 * Unmasked while the drive may not master the bus: the message comes when it
 * may again, unless its entries have been read before.
 */
static void test_msi_unmask_waits(void)
{
    FemuDrive *drive = boot();
    uint64_t mailbox = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    const uint32_t data = IRQ_DATA & ~3u;
    FemuCq cq;
    FemuSq sq;

    msi_enable(drive, 2, mailbox, data);
    for (unsigned i = 0; i < 2; i++) {
        femu_set_reg(drive, NVME_REG_INTMS, 1 << 3);
        post(drive, &cq, &sq, i ? 0 : 2, 3);
        take_message(drive, mailbox);           /* of the admin queue */
        qpci_config_writew(drive->pci, PCI_COMMAND, PCI_COMMAND_MEMORY);
        femu_set_reg(drive, NVME_REG_INTMC, 1 << 3);
        if (i == 1) {
            femu_expect_now(&cq);
        }
        g_assert_cmphex(take_message(drive, mailbox), ==, 0);
        qpci_device_enable(drive->pci);
        g_assert_cmphex(take_message(drive, mailbox), ==, i ? 0 : data | 3);
        if (i == 0) {
            femu_expect_now(&cq);
        }
    }
    femu_shutdown(drive);
}

/* A vector that the mode in force does not have is silent. */
static void test_vector_gone(void)
{
    FemuDrive *drive = boot_disabled("max-queue-pairs=3");
    uint64_t mailbox = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    FemuCq cq[2];
    FemuSq sq[2];
    FemuCqe cqe;

    femu_enable(drive);
    msi_enable(drive, 3, mailbox, IRQ_DATA & ~7u);
    post(drive, &cq[0], &sq[0], 2, 4);
    g_assert_cmphex(take_message(drive, mailbox), ==, (IRQ_DATA & ~7u) | 4);
    post(drive, &cq[1], &sq[1], 3, 3);
    g_assert_cmphex(take_message(drive, mailbox), ==, (IRQ_DATA & ~7u) | 3);
    msi_enable(drive, 2, mailbox, IRQ_DATA & ~7u);      /* 4 vectors */
    post(drive, &cq[0], &sq[0], 0, 0);
    g_assert_cmphex(take_message(drive, mailbox), ==, 0);
    post(drive, &cq[1], &sq[1], 0, 0);
    g_assert_cmphex(take_message(drive, mailbox), ==, (IRQ_DATA & ~7u) | 3);
    set_message_mode(drive, PCI_CAP_ID_MSI, false);
    femu_msix_enable(drive);                            /* 4, too */
    femu_msix_vector(drive, 3, mailbox, IRQ_DATA);
    g_assert_cmpuint(qpci_msix_table_size(drive->pci), ==, 4);
    post(drive, &cq[0], &sq[0], 0, 0);
    g_assert_cmphex(take_message(drive, mailbox), ==, 0);
    post(drive, &cq[1], &sq[1], 0, 0);
    g_assert_cmphex(take_message(drive, mailbox), ==, IRQ_DATA);
    while (femu_reap(&cq[0], &cqe) || femu_reap(&cq[1], &cqe)) {
    }
    femu_shutdown(drive);
}

/* Does the drive drive its interrupt pin? */
static bool pin(FemuDrive *drive)
{
    return qpci_config_readw(drive->pci, PCI_STATUS) & PCI_STATUS_INTERRUPT;
}

/* Without MSI the pin is high while an entry waits, unless masked. */
static void test_pin(void)
{
    FemuDrive *drive = boot();
    uint64_t mailbox = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuCq cq;
    FemuSq sq;
    FemuCqe cqe;

    msi_enable(drive, 0, mailbox, IRQ_DATA);
    set_message_mode(drive, PCI_CAP_ID_MSI, false);
    femu_cq_create(drive, &cq, 2, 16, 0);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 0; i < 2; i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, i * page_nlb,
                                  page_nlb, drive->buf);

        femu_submit(&sq, &cmd);
    }
    femu_step(drive->host, femu_page_write_ns(drive) - 1);
    g_assert_false(pin(drive));
    femu_step(drive->host, 1);
    g_assert_true(pin(drive));
    femu_set_reg(drive, NVME_REG_INTMS, 1);
    g_assert_false(pin(drive));
    g_assert_cmphex(femu_reg(drive, NVME_REG_INTMS), ==, 1);
    femu_set_reg(drive, NVME_REG_INTMC, 1);
    g_assert_true(pin(drive));
    g_assert_true(femu_reap(&cq, &cqe));
    g_assert_true(pin(drive));
    g_assert_true(femu_reap(&cq, &cqe));
    g_assert_false(pin(drive));
    g_assert_cmphex(take_message(drive, mailbox), ==, 0);
    femu_shutdown(drive);
}

/* The pin is that of all queues, but of those without interrupts. */
static void test_pin_shared(void)
{
    FemuDrive *drive = boot();
    FemuCq cq[3];
    FemuSq sq[3];

    for (unsigned i = 0; i < 3; i++) {
        post(drive, &cq[i], &sq[i], 2 + i, i < 2 ? 0 : -1);
    }
    g_assert_true(pin(drive));
    femu_expect_now(&cq[0]);
    g_assert_true(pin(drive));
    femu_expect_now(&cq[1]);
    g_assert_false(pin(drive));
    post(drive, &cq[1], &sq[1], 0, 0);
    post(drive, &cq[0], &sq[0], 0, 0);
    femu_expect_now(&cq[1]);
    g_assert_true(pin(drive));
    femu_expect_now(&cq[0]);
    g_assert_false(pin(drive));
    femu_expect_now(&cq[2]);
    g_assert_false(pin(drive));
    /* the admin queue's, too */
    femu_submit(&drive->admin, &(NvmeCmd) {
        .opcode = NVME_ADM_CMD_GET_FEATURES,
        .cdw10 = cpu_to_le32(NVME_ARBITRATION),
    });
    g_assert_true(pin(drive));
    femu_expect_now(&drive->admin_cq);
    g_assert_false(pin(drive));
    femu_shutdown(drive);
}

/* It falls with its queue, and with the controller, whose masks go, too. */
static void test_pin_dropped(void)
{
    FemuDrive *drive = boot();
    FemuCq cq;
    FemuSq sq;

    post(drive, &cq, &sq, 2, 0);
    g_assert_true(pin(drive));
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 2), ==,
                    NVME_SUCCESS);
    g_assert_true(pin(drive));
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, 2), ==,
                    NVME_SUCCESS);
    g_assert_false(pin(drive));
    post(drive, &cq, &sq, 2, 0);
    femu_set_reg(drive, NVME_REG_INTMS, 0xa4);
    femu_submit(&drive->admin, &(NvmeCmd) {
        .opcode = NVME_ADM_CMD_GET_FEATURES,
        .cdw10 = cpu_to_le32(NVME_ARBITRATION),
    });
    g_assert_true(pin(drive));
    femu_disable(drive);
    g_assert_false(pin(drive));
    g_assert_cmphex(femu_reg(drive, NVME_REG_INTMS), ==, 0);
    femu_shutdown(drive);
}

/*
 * A message mode takes the pin down and gives it back with what has not been
 * read; queues keep their vectors, of which INTMS masks the first 32.
 */
static void test_pin_modes(void)
{
    FemuDrive *drive = boot();
    FemuCq cq[2];
    FemuSq sq[2];

    femu_msix_enable(drive);
    post(drive, &cq[0], &sq[0], 2, 32);
    post(drive, &cq[1], &sq[1], 3, 31);
    g_assert_false(pin(drive));
    set_message_mode(drive, PCI_CAP_ID_MSIX, false);
    g_assert_true(pin(drive));
    set_message_mode(drive, PCI_CAP_ID_MSI, true);
    g_assert_false(pin(drive));
    set_message_mode(drive, PCI_CAP_ID_MSI, false);
    femu_set_reg(drive, NVME_REG_INTMS, 0xffffffff);
    g_assert_true(pin(drive));
    femu_expect_now(&cq[0]);
    g_assert_false(pin(drive));
    femu_set_reg(drive, NVME_REG_INTMC, 1u << 31);
    g_assert_true(pin(drive));
    femu_shutdown(drive);
}

/* While a completion finds no place, nothing more of its queue takes effect. */
static void test_parked(void)
{
    FemuDrive *drive = boot();
    FemuCq cq;
    FemuSq sq;
    FemuCqe cqe;
    NvmeCmd flush = femu_cmd_flush();
    NvmeCmd write = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, 1, drive->buf);

    femu_cq_create(drive, &cq, 2, 2, -1);       /* it has place for one */
    femu_sq_create(drive, &sq, 2, 16, &cq);
    femu_submit(&sq, &flush);
    femu_submit(&sq, &flush);
    femu_submit(&sq, &write);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    g_assert_true(femu_take(&cq, &cqe));
    g_assert_cmphex(cqe.result, ==, 0);
    g_assert_false(femu_peek(&cq, &cqe));
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_ring_cq(&cq);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, 1);
    femu_step(drive->host, femu_page_write_ns(drive));
    femu_shutdown(drive);
}

/* What was fetched has taken effect: "not aborted", and it completes. */
static void test_abort(void)
{
    FemuDrive *drive = boot();
    uint16_t cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0,
                                  femu_page_nlb(drive));
    FemuCqe cqe = femu_admin(drive, NVME_ADM_CMD_ABORT, 0,
                             (uint32_t)cid << 16 | drive->io.id, 0, 0);
    FemuCq cq;
    FemuSq sq;

    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex(cqe.result & 1, ==, 1);
    femu_expect_ok(&drive->io_cq, femu_page_write_ns(drive), 1, cid);
    /* a command that is not there is not aborted either */
    cqe = femu_admin(drive, NVME_ADM_CMD_ABORT, 0, 999u << 16 | 1, 0, 0);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex(cqe.result & 1, ==, 1);
    /* ... nor one of the last queue that there can be */
    femu_cq_create(drive, &cq, MAX_QUEUE_PAIRS, 2, -1);
    femu_sq_create(drive, &sq, MAX_QUEUE_PAIRS, 2, &cq);
    cqe = femu_admin(drive, NVME_ADM_CMD_ABORT, 0, MAX_QUEUE_PAIRS, 0, 0);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmphex(cqe.result & 1, ==, 1);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/queue/" name, test)
    ADD("create-cq-refused", test_create_cq_refused);
    qtest_add_func("femu-zns/peers/queue-ids-confused", test_create_sq_refused);
    ADD("delete", test_delete);
    ADD("delete-in-flight", test_delete_in_flight);
    ADD("delete-with-waiting", test_delete_with_waiting);
    ADD("heads", test_heads);
    ADD("shared-cq", test_shared_cq);
    ADD("wrap", test_wrap);
    ADD("64-pairs", test_64_pairs);
    ADD("max-queue-pairs", test_max_queue_pairs);
    ADD("msix", test_msix);
    ADD("msix-not-enabled-for-queue", test_msix_not_enabled_for_queue);
    ADD("msi", test_msi);
    ADD("msi-unmask", test_msi_unmask);
    ADD("msi-unmask-waits", test_msi_unmask_waits);
    ADD("vector-gone", test_vector_gone);
    ADD("parked", test_parked);
    ADD("pin", test_pin);
    ADD("pin-shared", test_pin_shared);
    ADD("pin-dropped", test_pin_dropped);
    ADD("pin-modes", test_pin_modes);
    ADD("abort", test_abort);
#undef ADD
    return g_test_run();
}
