/*
 * The traps around the drive's one timer: host addresses that point back at
 * the drive, idle drives, full completion queues, instants that never come.
 *
 * Knows nothing of how long commands take, beyond one page's write.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define HOUR_NS (UINT64_C(3600) * 1000 * 1000 * 1000)

static uint64_t doorbell_addr(const FemuDrive *drive)
{
    return drive->bar.addr + FEMU_DOORBELLS;
}

static void assert_admin_silent(FemuDrive *drive)
{
    FemuCqe cqe;

    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
}

static void reenable(FemuDrive *drive)
{
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
}

/*
 * A completion queue on our own doorbells. If its entry got there, the zero in
 * its first word would announce a whole round of admin commands. It cannot be
 * written, which is fatal (CSTS.CFS); a reset brings the drive back.
 */
static void test_cq_at_own_bar(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                              drive->buf);
    FemuCq cq;
    FemuSq sq;

    g_assert_cmphex(femu_cq_create_at(drive, &cq, 2, 16, doorbell_addr(drive),
                                      -1), ==, NVME_SUCCESS);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    g_assert_cmpuint(drive->admin.tail, !=, 0);
    femu_submit(&sq, &cmd);
    femu_step(drive->host, femu_page_write_ns(drive) - 1);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_step(drive->host, 1);
    assert_admin_silent(drive);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_READY | NVME_CSTS_FAILED);
    reenable(drive);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN,
                     femu_page_nlb(drive));
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/*
 * A data buffer on our own doorbells, for a command that is executed from the
 * timer, because it had to wait for a slot: it fails and changes nothing.
 */
static void check_data_at_own_bar(uint8_t opcode, uint32_t cmd_slots)
{
    FemuConfig config = femu_small_config();
    NvmeCmd cmd;
    FemuDrive *drive;
    uint32_t page_nlb;
    uint64_t start_ns;

    config.ssd.cmd_slots = cmd_slots;
    drive = femu_boot(&config, NULL);
    page_nlb = femu_page_nlb(drive);
    cmd = femu_cmd_rw(drive, opcode, 0, 1, doorbell_addr(drive));
    start_ns = drive->host->now_ns;
    if (cmd_slots == 1) {
        femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 1),
                       page_nlb);
        start_ns += femu_page_write_ns(drive);
    }
    g_assert_cmpuint(drive->admin.tail, !=, 0);
    femu_submit(&drive->io, &cmd);
    if (cmd_slots == 1) {
        femu_expect_at(&drive->io_cq, start_ns);
    }
    g_assert_cmphex(femu_expect_at(&drive->io_cq, start_ns).status, ==,
                    NVME_DATA_TRAS_ERROR);
    assert_admin_silent(drive);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_works(drive, 2);
    femu_shutdown(drive);
}

static void test_read_to_own_bar(void)
{
    check_data_at_own_bar(NVME_CMD_READ, 1024);
}

static void test_read_to_own_bar_from_timer(void)
{
    check_data_at_own_bar(NVME_CMD_READ, 1);
}

static void test_write_from_own_bar(void)
{
    check_data_at_own_bar(NVME_CMD_WRITE, 1024);
}

static void test_write_from_own_bar_from_timer(void)
{
    check_data_at_own_bar(NVME_CMD_WRITE, 1);
}

/* A PRP list on our own doorbells. */
static void test_prp_list_at_own_bar(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                              drive->buf);

    cmd.dptr.prp2 = cpu_to_le64(doorbell_addr(drive));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                    NVME_DATA_TRAS_ERROR);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_works(drive, 2);
    femu_shutdown(drive);
}

/* An interrupt that would announce a command which the host has not. */
static void test_msix_at_own_bar(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                              drive->buf);
    NvmeCmd unannounced = femu_cmd_rw(drive, NVME_CMD_WRITE,
                                      femu_zone_lba(drive, 1),
                                      femu_page_nlb(drive), drive->buf);
    FemuCq cq;
    FemuSq sq;
    FemuCqe cqe;

    femu_msix_enable(drive);
    femu_msix_vector(drive, 1, doorbell_addr(drive) + 2 * 4, 1);
    femu_cq_create(drive, &cq, 2, 16, 1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    femu_place(&drive->io, &unannounced);
    femu_submit(&sq, &cmd);
    femu_expect_ok(&cq, drive->host->now_ns + femu_page_write_ns(drive), 1, 0);
    femu_step(drive->host, HOUR_NS);
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    /* once announced, it runs */
    femu_ring(&drive->io);
    femu_expect_ok(&drive->io_cq,
                   drive->host->now_ns + femu_page_write_ns(drive), 1, 0);
    femu_shutdown(drive);
}

/*
 * Completions for a full queue wait in the device, one leaves per head
 * doorbell; meanwhile the timer rests (an hour passes at once) and another
 * queue is served on time.
 */
static void test_full_cq(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuCq cq;
    FemuSq sq;
    FemuCqe cqe;

    femu_cq_create(drive, &cq, 2, 2, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 0; i < 4; i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, i * page_nlb,
                                  page_nlb, drive->buf);

        femu_submit(&sq, &cmd);
    }
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_true(femu_take(&cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, 0);
    g_assert_false(femu_peek(&cq, &cqe));
    femu_step(drive->host, HOUR_NS);
    g_assert_false(femu_peek(&cq, &cqe));
    femu_assert_works(drive, 1);
    for (unsigned i = 1; i < 4; i++) {
        femu_ring_cq(&cq);
        g_assert_true(femu_take(&cq, &cqe));
        g_assert_cmpuint(cqe.cid, ==, i);
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        g_assert_false(femu_peek(&cq, &cqe));
    }
    femu_ring_cq(&cq);
    g_assert_false(femu_peek(&cq, &cqe));
    femu_shutdown(drive);
}

/* The same for a command that fails at once, and for several rounds. */
static void test_full_cq_of_errors(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd cmd = { .opcode = 0xff, .nsid = cpu_to_le32(FEMU_NSID) };
    FemuCq cq;
    FemuSq sq;
    FemuCqe cqe;

    femu_cq_create(drive, &cq, 2, 3, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 0; i < 15; i++) {
        femu_place(&sq, &cmd);
    }
    femu_ring(&sq);
    for (unsigned i = 0; i < 15; i++) {
        g_assert_true(femu_reap(&cq, &cqe));
        g_assert_cmpuint(cqe.cid, ==, i);
        g_assert_cmphex(cqe.status, ==, NVME_INVALID_OPCODE);
    }
    g_assert_false(femu_peek(&cq, &cqe));
    femu_shutdown(drive);
}

/* Deleting a queue, or a reset, forgets what is parked. */
static void test_full_cq_deleted(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t page_nlb = femu_page_nlb(drive);
    FemuCq cq;
    FemuSq sq;
    FemuCqe cqe;

    femu_cq_create(drive, &cq, 2, 2, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 0; i < 3; i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, i * page_nlb,
                                  page_nlb, drive->buf);

        femu_submit(&sq, &cmd);
    }
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 2), ==,
                    NVME_SUCCESS);
    g_assert_true(femu_reap(&cq, &cqe));
    g_assert_false(femu_peek(&cq, &cqe));
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, 2), ==,
                    NVME_SUCCESS);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/* Pages that are written at once, each from a queue of its own. */
static void submit_page(FemuDrive *drive, FemuSq *sq, unsigned page)
{
    uint32_t page_nlb = femu_page_nlb(drive);
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, page * page_nlb,
                              page_nlb, drive->buf);

    femu_submit(sq, &cmd);
}

/* Of two queues that share a full one, the one that stays keeps what waits. */
static void test_full_cq_shared(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    FemuCq cq;
    FemuSq sq[2];
    FemuCqe cqe;

    femu_cq_create(drive, &cq, 2, 2, -1);
    for (unsigned i = 0; i < 2; i++) {
        femu_sq_create(drive, &sq[i], 2 + i, 16, &cq);
        sq[i].next_cid = 10 * i;
    }
    for (unsigned i = 0; i < 4; i++) {
        submit_page(drive, &sq[i % 2], i);
    }
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 2), ==,
                    NVME_SUCCESS);
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned cids[] = { 0, 10, 11 };

        g_assert_true(femu_reap(&cq, &cqe));
        g_assert_cmpuint(cqe.cid, ==, cids[i]);
    }
    g_assert_false(femu_peek(&cq, &cqe));
    femu_shutdown(drive);
}

/*
 * After a completion that cannot be written nothing is told any more: not by
 * its own interrupt, not by a completion of the same instant in another queue.
 */
static void test_fatal_is_last(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t mailbox = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    FemuCq cq[2];
    FemuSq sq[2];
    FemuCqe cqe;

    femu_msix_enable(drive);
    for (unsigned i = 0; i < 2; i++) {
        femu_msix_vector(drive, 1 + i, mailbox + 4 * i, 0x600d);
    }
    g_assert_cmphex(femu_cq_create_at(drive, &cq[0], 2, 16,
                                      doorbell_addr(drive), 1), ==,
                    NVME_SUCCESS);
    femu_cq_create(drive, &cq[1], 3, 16, 2);
    for (unsigned i = 0; i < 2; i++) {
        femu_sq_create(drive, &sq[i], 2 + i, 16, &cq[i]);
        submit_page(drive, &sq[i], i);
    }
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==,
                    NVME_CSTS_READY | NVME_CSTS_FAILED);
    g_assert_false(femu_peek(&cq[1], &cqe));
    femu_step(drive->host, HOUR_NS);
    g_assert_false(femu_peek(&cq[1], &cqe));
    g_assert_cmphex(qtest_readq(drive->host->qts, mailbox), ==, 0);
    reenable(drive);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/*
 * An idle drive has no deadline: with nothing else in the machine that has
 * one, qtest's clock_step has nowhere to go and answers FAIL. (A timer armed
 * for UINT64_MAX would be armed for -1, and fire for ever.) libqtest ends the
 * process on a FAIL, so that happens in a child, after a mark on its stderr.
 */
#define MARK "the step that fails"
#define MARK_AND_FAIL "*" MARK "*qtest_rsp_args*(\"FAIL\" == \"OK\")*"

static void idle_child(void (*busy)(FemuDrive *drive))
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);

    busy(drive);
    g_printerr(MARK "\n");
    qtest_clock_step_next(drive->host->qts);
}

static void check_idle(void (*busy)(FemuDrive *drive))
{
    if (g_test_subprocess()) {
        idle_child(busy);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr(MARK_AND_FAIL);
}

static void busy_not(FemuDrive *drive)
{
}

static void busy_with_everything(FemuDrive *drive)
{
    femu_fill(drive, 0, femu_cap_nlb(&drive->config) - 1);
    g_assert_cmphex(femu_read(drive, 0, 9, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH, 0, false),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                    ==, NVME_SUCCESS);
}

/* Media work goes on after a reset, but nobody waits for it. */
static void busy_at_reset(FemuDrive *drive)
{
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    femu_disable(drive);
    femu_step(drive->host, femu_page_write_ns(drive));
}

static void busy_with_full_cq(FemuDrive *drive)
{
    NvmeCmd cmd = femu_cmd_flush();
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 2, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 0; i < 3; i++) {
        femu_submit(&sq, &cmd);
    }
}

static void test_idle_after_boot(void)
{
    check_idle(busy_not);
}

static void test_idle_after_work(void)
{
    check_idle(busy_with_everything);
}

static void test_idle_after_reset(void)
{
    check_idle(busy_at_reset);
}

static void test_idle_with_full_cq(void)
{
    check_idle(busy_with_full_cq);
}

/* A step of 0 is refused by qtest: the reason why femu_step() makes none. */
static void test_step_0(void)
{
    if (g_test_subprocess()) {
        FemuConfig config = femu_small_config();
        FemuDrive *drive = femu_boot(&config, NULL);

        g_printerr(MARK "\n");
        qtest_clock_step(drive->host->qts, 0);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr(MARK_AND_FAIL);
}

/* A command's due time is a deadline: a step to the next one arrives there. */
static void test_step_next(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t end_ns = drive->host->now_ns + femu_page_write_ns(drive);
    FemuCqe cqe;

    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    while (!femu_peek(&drive->io_cq, &cqe)) {
        femu_step_next(drive->host);
        g_assert_cmpuint(drive->host->now_ns, <=, end_ns);
    }
    g_assert_cmpuint(drive->host->now_ns, ==, end_ns);
    femu_shutdown(drive);
}

/* 146 years: half of what a signed 64-bit clock can tell. */
static void test_far_future(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);

    femu_assert_works(drive, 0);
    femu_step_to(drive->host, UINT64_C(1) << 62);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/* Two drives in one machine: each has its own time and its own timer. */
static void test_two_drives(void)
{
    FemuConfig config[2] = { femu_small_config(), femu_small_config() };
    g_autofree char *one = femu_device_args(&config[0], FEMU_SLOT, NULL);
    g_autofree char *two = NULL;
    g_autofree char *args = NULL;
    FemuDrive *drive[2];
    FemuHost *host;

    config[1].ssd.program_ns *= 3;
    two = femu_device_args(&config[1], FEMU_SLOT + 1, NULL);
    args = g_strdup_printf("%s %s", one, two);
    host = femu_host_start(args);
    for (unsigned i = 0; i < 2; i++) {
        drive[i] = femu_drive_open(host, FEMU_SLOT + i, &config[i]);
        femu_enable(drive[i]);
        femu_io_queues_create(drive[i]);
        femu_submit_rw(drive[i], NVME_CMD_WRITE, 0, femu_page_nlb(drive[i]));
    }
    for (unsigned i = 0; i < 2; i++) {
        femu_expect_ok(&drive[i]->io_cq, femu_page_write_ns(drive[i]), 1, 0);
    }
    femu_drive_close(drive[0]);
    femu_shutdown(drive[1]);
}

/* HPET 1.0a: registers, and the address and data of a message in one word. */
#define HPET UINT64_C(0xfed00000)
#define HPET_PERIOD (HPET + 4)
#define HPET_CFG (HPET + 0x10)
#define HPET_T0_CFG (HPET + 0x100)
#define HPET_T0_CMP (HPET + 0x108)
#define HPET_T0_ROUTE (HPET + 0x110)
#define HPET_T0_MESSAGES (1u << 14 | 1u << 2)
#define HPET_TICK_NS 10u

/*
 * Two timers of a machine that expire at the same instant go in the order in
 * which they were set. An entry in which nothing has changed does not move the
 * drive's behind another's.
 */
static void test_same_instant(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, NULL);
    g_autofree char *args = g_strconcat("-global hpet.msi=on ", device, NULL);
    FemuHost *host = femu_host_start(args);
    FemuDrive *drive = femu_drive_open(host, FEMU_SLOT, &config);
    uint64_t mailbox = femu_alloc(host, FEMU_PAGE_BYTES);
    uint64_t write_ns = femu_page_write_ns(drive);
    FemuCq cq;
    FemuSq sq;
    NvmeCmd cmd;

    if (qtest_readl(host->qts, HPET_PERIOD) != HPET_TICK_NS * 1000000) {
        g_test_skip("this QEMU has no HPET");
        femu_shutdown(drive);
        return;
    }
    g_assert_cmpuint(write_ns % HPET_TICK_NS, ==, 0);
    femu_enable(drive);
    femu_msix_enable(drive);
    femu_msix_vector(drive, 1, mailbox, 1);
    femu_cq_create(drive, &cq, 2, 16, 1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                      drive->buf);
    femu_submit(&sq, &cmd);
    qtest_writel(host->qts, HPET_CFG, 1);       /* it counts from here */
    femu_step(host, write_ns - 1);
    qtest_writeq(host->qts, HPET_T0_ROUTE, mailbox << 32 | 2);
    qtest_writeq(host->qts, HPET_T0_CMP, write_ns / HPET_TICK_NS);
    qtest_writel(host->qts, HPET_T0_CFG, HPET_T0_MESSAGES);
    femu_set_reg(drive, NVME_REG_INTMC, 1);     /* an entry */
    g_assert_cmpuint(qtest_readl(host->qts, mailbox), ==, 0);
    femu_step(host, 1);
    g_assert_true(femu_reap(&cq, &(FemuCqe) { 0 }));
    g_assert_cmpuint(qtest_readl(host->qts, mailbox), ==, 2);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/timer/cq-at-own-bar", test_cq_at_own_bar);
    qtest_add_func("femu-zns/timer/read-to-own-bar", test_read_to_own_bar);
    qtest_add_func("femu-zns/timer/read-to-own-bar-from-timer",
                   test_read_to_own_bar_from_timer);
    qtest_add_func("femu-zns/timer/write-from-own-bar",
                   test_write_from_own_bar);
    qtest_add_func("femu-zns/timer/write-from-own-bar-from-timer",
                   test_write_from_own_bar_from_timer);
    qtest_add_func("femu-zns/timer/prp-list-at-own-bar",
                   test_prp_list_at_own_bar);
    qtest_add_func("femu-zns/timer/msix-at-own-bar", test_msix_at_own_bar);
    qtest_add_func("femu-zns/timer/full-cq", test_full_cq);
    qtest_add_func("femu-zns/timer/full-cq-of-errors",
                   test_full_cq_of_errors);
    qtest_add_func("femu-zns/timer/full-cq-deleted", test_full_cq_deleted);
    qtest_add_func("femu-zns/timer/full-cq-shared", test_full_cq_shared);
    qtest_add_func("femu-zns/timer/fatal-is-last", test_fatal_is_last);
    qtest_add_func("femu-zns/timer/idle-after-boot", test_idle_after_boot);
    qtest_add_func("femu-zns/timer/idle-after-work", test_idle_after_work);
    qtest_add_func("femu-zns/timer/idle-after-reset", test_idle_after_reset);
    qtest_add_func("femu-zns/timer/idle-with-full-cq",
                   test_idle_with_full_cq);
    qtest_add_func("femu-zns/timer/step-0", test_step_0);
    qtest_add_func("femu-zns/timer/step-next", test_step_next);
    qtest_add_func("femu-zns/timer/far-future", test_far_future);
    qtest_add_func("femu-zns/timer/two-drives", test_two_drives);
    qtest_add_func("femu-zns/timer/same-instant", test_same_instant);
    return g_test_run();
}
