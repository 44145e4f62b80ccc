/*
 * What a drive's thread does without QEMU's big lock, what it leaves to an entry
 * with it, and what it never reaches: memory that is not RAM.
 *
 * The thread comes when the host lets it, so what it does is waited for, without
 * a limit of our own.
 *
 * Knows nothing of zones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "qobject/qdict.h"

#define POLLS "-object iothread,id=io0,poll-max-ns=3600000000000 "
#define ROUNDS 50u
#define BATCH 8u
#define WAIT_US 50
#define APIC_ADDR 0xfee00000u           /* registers of the machine's */
#define NO_IRQ (-1)

static void count_anew(FemuDrive *drive)
{
    qtest_qmp_assert_success(drive->host->qts,
        "{'execute': 'qom-set', 'arguments': {'path':"
        "'/machine/peripheral/zns4', 'property': 'stats-reset',"
        "'value': true}}");
}

/* Commands that are inside the core. */
static uint64_t inside(FemuDrive *drive)
{
    QDict *live = femu_property(drive, "live");
    uint64_t count = qdict_get_int(live, "inside");

    qobject_unref(live);
    return count;
}

/* A drive whose thread polls, and goes on to. */
static FemuDrive *boot(const char *extra, bool msix, int vector)
{
    FemuConfig small = femu_small_config();
    g_autofree char *all = g_strconcat("iothread=io0", extra, NULL);
    g_autofree char *device = femu_device_args(&small, FEMU_SLOT, all);
    g_autofree char *args = g_strconcat(POLLS, device, NULL);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &small);

    femu_enable(drive);
    femu_await_thread(drive);
    if (msix) {
        femu_msix_enable(drive);
    }
    femu_cq_create(drive, &drive->io_cq, 1, FEMU_ENTRIES, vector);
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
    return drive;
}

/* The next completion, which comes without a step of the clock. */
static FemuCqe await(FemuCq *cq)
{
    FemuCqe cqe;

    while (!femu_reap(cq, &cqe)) {
        g_usleep(WAIT_US);
    }
    return cqe;
}

static void flush(FemuDrive *drive)
{
    NvmeCmd cmd = femu_cmd_flush();

    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
}

/* Commands that nobody is told of: the lock is never taken. */
static void test_no_lock(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);

    flush(drive);
    count_anew(drive);
    for (unsigned i = 0; i < ROUNDS; i++) {
        flush(drive);
    }
    g_assert_cmpuint(femu_thread_count(drive, "entries"), >=, ROUNDS);
    g_assert_cmpuint(femu_thread_count(drive, "big_lock"), ==, 0);
    femu_shutdown(drive);
}

/* The message of a batch needs the lock, once. */
static void test_one_for_a_batch(void)
{
    FemuDrive *drive = boot("", true, 1);
    QTestState *qts = drive->host->qts;
    uint64_t word_addr = femu_alloc(drive->host, FEMU_PAGE_BYTES);

    femu_msix_vector(drive, 1, word_addr, 1);
    count_anew(drive);
    for (unsigned i = 0; i < ROUNDS; i++) {
        NvmeCmd cmd = femu_cmd_flush();

        qtest_writel(qts, word_addr, 0);
        for (unsigned j = 0; j < BATCH; j++) {
            femu_place(&drive->io, &cmd);
        }
        femu_ring(&drive->io);
        while (!qtest_readl(qts, word_addr)) {
            g_usleep(WAIT_US);
        }
        for (unsigned j = 0; j < BATCH; j++) {
            await(&drive->io_cq);
        }
    }
    g_assert_cmpuint(femu_thread_count(drive, "big_lock"), ==, ROUNDS);
    femu_shutdown(drive);
}

/*
 * A message that would turn the controller off, by its own register: the drive
 * takes no access to its registers from inside an entry, and this is one.
 */
static void test_message_to_itself(void)
{
    FemuDrive *drive = boot("", true, 1);

    femu_msix_vector(drive, 1, drive->bar.addr + NVME_REG_CC, 0);
    count_anew(drive);
    for (unsigned i = 0; i < ROUNDS || !femu_thread_count(drive, "big_lock");
         i++) {
        flush(drive);
    }
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS) & NVME_CSTS_READY, !=, 0);
    femu_shutdown(drive);
}

/* A pin is set where it changes: each entry has the lock. */
static void test_pin(void)
{
    FemuDrive *drive = boot("", false, 0);
    QDict *stats, *thread;

    flush(drive);
    count_anew(drive);
    for (unsigned i = 0; i < ROUNDS; i++) {
        flush(drive);
    }
    stats = femu_property(drive, "stats");
    thread = qdict_get_qdict(stats, "thread");
    g_assert_cmpuint(qdict_get_int(thread, "entries"), >=, ROUNDS);
    g_assert_cmpuint(qdict_get_int(thread, "big_lock"), ==,
                     qdict_get_int(thread, "entries"));
    qobject_unref(stats);
    femu_shutdown(drive);
}

/*
 * An admin command that waits for a slot is fetched when the thread has freed
 * one, with the lock, and nobody else enters the drive.
 */
static void test_admin_waits(void)
{
    FemuDrive *drive = boot(",cmd-slots=1,fe-identify-ns=5000", true, NO_IRQ);
    uint64_t write_ns = femu_page_write_ns(drive);
    NvmeCmd write = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                                drive->buf);
    NvmeCmd identify = {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .cdw10 = cpu_to_le32(NVME_ID_CNS_CTRL),
        .dptr.prp1 = cpu_to_le64(drive->buf),
    };
    FemuCqe cqe;

    femu_submit(&drive->io, &write);
    while (!inside(drive)) {
        g_usleep(WAIT_US);
    }
    femu_submit(&drive->admin, &identify);
    count_anew(drive);
    femu_step(drive->host, write_ns);
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    while (!femu_thread_count(drive, "big_lock")) {
        g_usleep(WAIT_US);
    }
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_step(drive->host, 5000);
    g_assert_cmphex(await(&drive->admin_cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* Data in registers: an error, with the lock and without; the drive goes on. */
static void test_data_in_registers(void)
{
    static const uint8_t opcodes[] = { NVME_CMD_READ, NVME_CMD_WRITE };
    FemuDrive *drive = boot("", true, NO_IRQ);

    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, opcodes[i], 0, 1, APIC_ADDR);

        femu_submit(&drive->io, &cmd);
        g_assert_cmphex(await(&drive->io_cq).status, ==,
                        NVME_DATA_TRAS_ERROR);
    }
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_IDENTIFY, 0,
                               NVME_ID_CNS_CTRL, 0, APIC_ADDR).status, ==,
                    NVME_DATA_TRAS_ERROR);
    flush(drive);
    femu_shutdown(drive);
}

/* Half of the data is RAM, which has its end behind it. */
static void test_data_at_an_end(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);
    uint64_t end_addr = 64 * 1024 * 1024;       /* of the host's RAM */
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 2,
                              end_addr - FEMU_PAGE_BYTES);

    cmd.dptr.prp2 = cpu_to_le64(end_addr);
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_DATA_TRAS_ERROR);
    cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, end_addr - FEMU_PAGE_BYTES);
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A queue in registers: a fatal error, until the controller is reset. */
static void test_queue_in_registers(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);
    NvmeCmd cmd = femu_cmd_flush();
    FemuSq sq;

    flush(drive);
    g_assert_cmphex(femu_sq_create_at(drive, &sq, 2, FEMU_ENTRIES, APIC_ADDR,
                                      &drive->io_cq), ==, NVME_SUCCESS);
    sq.tail = 1;
    femu_ring(&sq);
    while (!(femu_reg(drive, NVME_REG_CSTS) & NVME_CSTS_FAILED)) {
        g_usleep(WAIT_US);
    }
    femu_disable(drive);
    femu_enable(drive);
    femu_cq_create(drive, &drive->io_cq, 1, FEMU_ENTRIES, NO_IRQ);
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

#define ADD(name, function) qtest_add_func("femu-zns/alone/" name, function)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("no-lock", test_no_lock);
    ADD("one-for-a-batch", test_one_for_a_batch);
    ADD("message-to-itself", test_message_to_itself);
    ADD("pin", test_pin);
    ADD("admin-waits", test_admin_waits);
    ADD("data-in-registers", test_data_in_registers);
    ADD("data-at-an-end", test_data_at_an_end);
    ADD("queue-in-registers", test_queue_in_registers);
    return g_test_run();
}
