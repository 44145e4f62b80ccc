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
#include <glib/gstdio.h>
#include <sys/resource.h>
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"
#include "qobject/qdict.h"

#define POLLS "-object iothread,id=io0,poll-max-ns=3600000000000 "
#define ROUNDS 50u
#define BATCH 8u
#define WAIT_US 50
#define APIC_ADDR 0xfee00000u           /* registers of the machine's */
#define IOAPIC_ADDR 0xfec00000u
#define ECAM_ADDR UINT64_C(0xb0000000)
#define MCH_PCIEXBAR 0x60
#define ROM_ADDR 0xffff0000u            /* the BIOS's */
#define CUT_AT_NS UINT64_C(1000000000)
#define PLUG "{'execute': 'device_add', 'arguments': {" \
    "'driver': 'femu-zns', 'id': 'zns4', 'addr': '04.0'," \
    "'iothread': 'io0', 'zones': 8, 'zone-size': 1048576," \
    "'zone-capacity': 786432, 'pages-per-block': 4}}"
#define NO_IRQ (-1)
#define SQ1_TAIL 2u                     /* its doorbell */

static void count_anew(FemuDrive *drive)
{
    qtest_qmp_assert_success(drive->host->qts,
        "{'execute': 'qom-set', 'arguments': {'path':"
        "'/machine/peripheral/zns4', 'property': 'stats-reset',"
        "'value': true}}");
}

static void await_entries(FemuDrive *drive, uint64_t count)
{
    while (femu_thread_count(drive, "entries") < count) {
        g_usleep(WAIT_US);
    }
}

/* Commands that are inside the core. */
static uint64_t inside(FemuDrive *drive)
{
    QDict *live = femu_property(drive, "live");
    uint64_t count = qdict_get_int(live, "inside");

    qobject_unref(live);
    return count;
}

/*
 * A drive whose thread polls, and goes on to; `before` and `behind` are QEMU's
 * arguments around it.
 */
static FemuDrive *boot_among(const char *before, const char *extra,
                             const char *behind, bool msix, int vector)
{
    FemuConfig small = femu_small_config();
    g_autofree char *all = g_strconcat("iothread=io0", extra, NULL);
    g_autofree char *device = femu_device_args(&small, FEMU_SLOT, all);
    g_autofree char *args = g_strconcat(POLLS, before, device, behind, NULL);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &small);

    femu_await_thread(drive);
    femu_enable(drive);
    if (msix) {
        femu_msix_enable(drive);
    }
    femu_cq_create(drive, &drive->io_cq, 1, FEMU_ENTRIES, vector);
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
    return drive;
}

static FemuDrive *boot(const char *extra, bool msix, int vector)
{
    return boot_among("", extra, "", msix, vector);
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

/* Have a command done that takes no virtual time. */
static uint16_t status_of(FemuDrive *drive, const NvmeCmd *cmd)
{
    femu_submit(&drive->io, cmd);
    return await(&drive->io_cq).status;
}

/* One that takes its time: it is inside. */
static void begin(FemuDrive *drive, const NvmeCmd *cmd)
{
    femu_submit(&drive->io, cmd);
    while (!inside(drive)) {
        g_usleep(WAIT_US);
    }
}

static void flush(FemuDrive *drive)
{
    NvmeCmd cmd = femu_cmd_flush();

    g_assert_cmphex(status_of(drive, &cmd), ==, NVME_SUCCESS);
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

/* Behind this the thread polls, and has done what doorbells have left to it. */
static void begin_again(FemuDrive *drive)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'stop'}");
    count_anew(drive);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'cont'}");
    await_entries(drive, 1);
}

/*
 * What takes no time is done by the entry that fetches it: one for each ring,
 * and nothing is left for another at the same instant. Nobody looks into it.
 */
static void test_one_entry(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);
    NvmeCmd read = femu_cmd_rw(drive, NVME_CMD_READ, 0, 96, drive->buf);

    begin_again(drive);
    for (unsigned i = 0; i < ROUNDS; i++) {
        FemuCqe cqe;

        count_anew(drive);
        for (unsigned j = 0; j < BATCH; j++) {
            femu_place(&drive->io, &read);
        }
        femu_ring(&drive->io);
        g_assert_cmpuint(inside(drive), ==, 0);
        for (unsigned j = 0; j < BATCH; j++) {
            while (!femu_take(&drive->io_cq, &cqe)) {
                g_usleep(WAIT_US);
            }
        }
        g_assert_cmpuint(femu_thread_count(drive, "entries"), ==, 1);
        femu_ring_cq(&drive->io_cq);
        await_entries(drive, 2);
    }
    femu_shutdown(drive);
}

/*
 * Lateness is until the host is told, by a message or by the entry alone: here,
 * of a clock that jumps while the thread polls. (A timer would have its instant.)
 */
static void test_lateness(void)
{
    for (unsigned i = 0; i < 2; i++) {
        FemuDrive *drive = boot("", true, i ? 1 : NO_IRQ);
        uint64_t word_addr = femu_alloc(drive->host, FEMU_PAGE_BYTES);
        NvmeCmd write = femu_cmd_rw(drive, NVME_CMD_WRITE, 0,
                                    femu_page_nlb(drive), drive->buf);
        QDict *stats, *late;

        femu_msix_vector(drive, 1, word_addr, 1);
        begin(drive, &write);
        femu_step(drive->host, femu_page_write_ns(drive) + 5);
        while (i && !qtest_readl(drive->host->qts, word_addr)) {
            g_usleep(WAIT_US);      /* who acknowledges first gets none */
        }
        await(&drive->io_cq);
        if (!i) {
            flush(drive);           /* told by its entry, and not late */
        }
        stats = femu_property(drive, "stats");
        late = qdict_get_qdict(stats, "lateness");
        g_assert_cmpint(qdict_get_int(late, "count"), ==, 2 - i);
        g_assert_cmpint(qdict_get_int(late, "max_ns"), ==, 5);
        qobject_unref(stats);
        femu_shutdown(drive);
    }
}

/* Each entry has the lock. */
static void expect_both(FemuDrive *drive)
{
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
}

/* A pin is set where it changes. */
static void test_pin(void)
{
    FemuDrive *drive = boot("", false, 0);

    expect_both(drive);
    femu_shutdown(drive);
}

/*
 * An IOMMU reports faults by an interrupt of its own, whether it is there before
 * the drive or comes behind it. All memory is reached then.
 */
static void test_iommu(void)
{
    static const char *const before[] = { "-device intel-iommu ", "" };
    static const char *const behind[] = { "", " -device intel-iommu" };

    if (!qtest_has_device("intel-iommu")) {
        g_test_skip("this QEMU has no IOMMU");
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(before); i++) {
        FemuDrive *drive = boot_among(before[i], "", behind[i], true, NO_IRQ);
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, IOAPIC_ADDR);

        expect_both(drive);
        g_assert_cmphex(status_of(drive, &cmd), ==, NVME_SUCCESS);
        femu_shutdown(drive);
    }
}

static void set(FemuDrive *drive, const char *name, const char *value)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': %s, 'value': %s}}", name, value);
}

/* What the monitor has asked or changed, the drive is let go of. */
static void test_monitor(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);

    set(drive, "inject-read-error", "0 1");
    flush(drive);
    set(drive, "inject-write-error", "0 1");
    flush(drive);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'inject-clear', 'value': true}}");
    flush(drive);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-get',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'zone-states'}}");
    flush(drive);
    femu_shutdown(drive);
}

static char *trace_path(void)
{
    char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-trace-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return path;
}

/* QEMU ends while the thread enters the drive: the trace is whole. */
static void test_trace(void)
{
    g_autofree char *path = trace_path(), *text = NULL;
    g_autofree char *extra = g_strconcat(",trace=", path, NULL);
    FemuDrive *drive = boot(extra, true, NO_IRQ);
    gsize bytes;

    flush(drive);
    femu_shutdown(drive);
    g_assert_true(g_file_get_contents(path, &text, &bytes, NULL));
    g_assert_cmpuint(bytes, >, 0);
    g_unlink(path);
}

/* Configuration space in memory. Return: where that of the drive is. */
static uint64_t map_config(FemuDrive *drive)
{
    QPCIDevice *mch = qpci_device_find(drive->host->bus, 0);

    qpci_config_writel(mch, MCH_PCIEXBAR, ECAM_ADDR | 1);
    qpci_config_writel(mch, MCH_PCIEXBAR + 4, 0);
    g_free(mch);
    return ECAM_ADDR + (FEMU_SLOT << 15);
}

/*
 * A message that resets the drive, by its configuration space, while a write is
 * inside: that is discarded at once, before somebody else enters the drive.
 */
static void test_message_resets(void)
{
    g_autofree char *path = trace_path(), *text = NULL;
    g_autofree char *extra = g_strconcat(",trace=", path, NULL);
    FemuDrive *drive = boot(extra, true, 1);
    NvmeCmd write = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                                drive->buf);
    uint8_t cap = qpci_find_capability(drive->pci, PCI_CAP_ID_EXP, 0);
    char *discarded, *failed;

    femu_msix_vector(drive, 1, map_config(drive) + cap + PCI_EXP_DEVCTL,
                     PCI_EXP_DEVCTL_BCR_FLR);
    begin(drive, &write);
    count_anew(drive);
    femu_submit_rw(drive, NVME_CMD_READ, femu_zone_lba(drive, 7), 1);
    while (!femu_thread_count(drive, "big_lock")) {
        g_usleep(WAIT_US);
    }
    set(drive, "zone-fail", "1:7 offline");
    femu_shutdown(drive);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    discarded = strstr(text, "\nX,0\n");
    failed = strstr(text, "\nF,");
    g_assert_nonnull(discarded);
    g_assert_nonnull(failed);
    g_assert_true(discarded < failed);
    g_unlink(path);
}

/* A power cut that is due in an entry without the lock is a reset with it. */
static void test_cut(void)
{
    g_autofree char *extra = g_strdup_printf(",power-cut-at-ns=%" PRIu64,
                                             CUT_AT_NS);
    FemuDrive *drive = boot(extra, true, NO_IRQ);

    flush(drive);
    count_anew(drive);
    femu_step_to(drive->host, CUT_AT_NS);
    while (femu_reg(drive, NVME_REG_CSTS) & NVME_CSTS_READY) {
        g_usleep(WAIT_US);
    }
    g_assert_cmpuint(femu_thread_count(drive, "big_lock"), ==, 1);
    femu_shutdown(drive);
}

/* The first number that no open file of QEMU's has. */
static rlim_t first_free(QTestState *qts)
{
    for (rlim_t number = 0; ; number++) {
        g_autofree char *path = g_strdup_printf(
            "/proc/%d/fd/%d", (int)qtest_pid(qts), (int)number);

        if (!g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
            return number;
        }
    }
}

/* QEMU's open files have numbers below this from now on. Return: before. */
static rlim_t limit_files(QTestState *qts, rlim_t count)
{
    struct rlimit limit;
    rlim_t before;

    g_assert_cmpint(prlimit(qtest_pid(qts), RLIMIT_NOFILE, NULL, &limit), ==,
                    0);
    before = limit.rlim_cur;
    limit.rlim_cur = count;
    g_assert_cmpint(prlimit(qtest_pid(qts), RLIMIT_NOFILE, &limit, NULL), ==,
                    0);
    return before;
}

/*
 * A drive that is plugged into a machine that runs; but not while QEMU can open
 * no file. Its thread polls when there is a write to be waited for.
 */
static void test_plugged(void)
{
    FemuConfig small = femu_small_config();
    FemuHost *host = femu_host_start("-machine pc,pit=off");
    unsigned files = femu_open_files(host->qts);
    FemuDrive *drive;
    NvmeCmd write;
    QDict *reply;
    rlim_t some;

    qtest_qmp_assert_success(host->qts, "{'execute': 'object-add',"
        "'arguments': {'qom-type': 'iothread', 'id': 'io0',"
        "'poll-max-ns': 3600000000000}}");
    some = limit_files(host->qts, first_free(host->qts));
    reply = qtest_qmp(host->qts, PLUG);
    g_assert_cmpstr(qdict_get_str(qdict_get_qdict(reply, "error"), "desc"),
                    ==, "iothread: no event for its doorbells: "
                    "Too many open files");
    qobject_unref(reply);
    limit_files(host->qts, some);
    qtest_qmp_assert_success(host->qts, PLUG);
    drive = femu_drive_open(host, FEMU_SLOT, &small);
    femu_enable(drive);
    femu_msix_enable(drive);
    femu_cq_create(drive, &drive->io_cq, 1, FEMU_ENTRIES, NO_IRQ);
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
    write = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                        drive->buf);
    femu_submit(&drive->io, &write);
    await_entries(drive, 1);
    count_anew(drive);
    femu_step(host, femu_page_write_ns(drive));
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    flush(drive);
    g_assert_cmpuint(femu_thread_count(drive, "big_lock"), ==, 0);
    femu_drive_close(drive);
    qpci_unplug_acpi_device_test(host->qts, "zns4", FEMU_SLOT);
    qtest_qmp_assert_success(host->qts, "{'execute': 'object-del',"
                             "'arguments': {'id': 'io0'}}");
    while (femu_open_files(host->qts) != files) {
        g_usleep(WAIT_US);
    }
    femu_host_stop(host);
}

/* What cannot be fetched does not need the lock, until it can. */
static void test_no_bus(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);
    uint16_t command = qpci_config_readw(drive->pci, PCI_COMMAND);
    NvmeCmd identify = {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .cdw10 = cpu_to_le32(NVME_ID_CNS_CTRL),
        .dptr.prp1 = cpu_to_le64(drive->buf),
    };

    qpci_config_writew(drive->pci, PCI_COMMAND, command & ~PCI_COMMAND_MASTER);
    begin_again(drive);
    count_anew(drive);
    femu_submit(&drive->admin, &identify);
    for (unsigned i = 1; i <= 2; i++) {
        femu_ring(&drive->io);
        await_entries(drive, i);
    }
    g_assert_cmpuint(femu_thread_count(drive, "big_lock"), ==, 0);
    qpci_config_writew(drive->pci, PCI_COMMAND, command);
    g_assert_cmphex(await(&drive->admin_cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* While the controller is disabled there are no queues, and nothing to fetch. */
static void test_disabled(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);

    begin_again(drive);
    femu_disable(drive);
    count_anew(drive);
    for (unsigned i = 1; i <= 2; i++) {
        femu_ring(&drive->io);
        await_entries(drive, i);
    }
    g_assert_cmpuint(femu_thread_count(drive, "big_lock"), ==, 0);
    femu_enable(drive);
    femu_cq_create(drive, &drive->io_cq, 1, FEMU_ENTRIES, NO_IRQ);
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
    flush(drive);
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

    begin(drive, &write);
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

    /* without another queue, too */
    femu_disable(drive);
    femu_enable(drive);
    femu_submit(&drive->admin, &identify);
    femu_submit(&drive->admin, &identify);
    femu_step(drive->host, 5000);
    while (!femu_take(&drive->admin_cq, &cqe)) {    /* rings no doorbell */
        g_usleep(WAIT_US);
    }
    while (!inside(drive)) {
        g_usleep(WAIT_US);
    }
    femu_step(drive->host, 5000);
    g_assert_cmphex(await(&drive->admin_cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/*
 * Data in registers: an error, with the lock and without; the drive goes on. None
 * of a command's data are copied then.
 */
static void test_data_in_registers(void)
{
    static const uint8_t opcodes[] = { NVME_CMD_READ, NVME_CMD_WRITE };
    FemuDrive *drive = boot("", true, NO_IRQ);
    NvmeCmd half = femu_cmd_rw(drive, NVME_CMD_READ, 0, 2, drive->buf);

    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, opcodes[i], 0, 1, APIC_ADDR);

        g_assert_cmphex(status_of(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
    }
    half.dptr.prp2 = cpu_to_le64(APIC_ADDR);
    qtest_memset(drive->host->qts, drive->buf, 7, FEMU_PAGE_BYTES);
    g_assert_cmphex(status_of(drive, &half), ==, NVME_DATA_TRAS_ERROR);
    g_assert_cmpuint(qtest_readb(drive->host->qts, drive->buf), ==, 7);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_IDENTIFY, 0,
                               NVME_ID_CNS_CTRL, 0, APIC_ADDR).status, ==,
                    NVME_DATA_TRAS_ERROR);
    flush(drive);
    femu_shutdown(drive);
}

/* Data in ROM, which is read only. */
static void test_data_in_rom(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);
    NvmeCmd write = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                                ROM_ADDR);
    NvmeCmd read = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, ROM_ADDR);

    begin(drive, &write);
    femu_step(drive->host, femu_page_write_ns(drive));
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    g_assert_cmphex(status_of(drive, &read), ==, NVME_DATA_TRAS_ERROR);
    femu_shutdown(drive);
}

/* Data in two memories; half of the data is RAM, which has its end behind it. */
static void test_data_at_an_end(void)
{
    FemuDrive *drive = boot_among(
        "-object memory-backend-ram,id=a,size=32M -numa node,memdev=a "
        "-object memory-backend-ram,id=b,size=32M -numa node,memdev=b ", "",
        "", true, NO_IRQ);
    uint64_t end_addr = 64 * 1024 * 1024;       /* of the host's RAM */
    uint64_t last_addr = end_addr - FEMU_PAGE_BYTES, other_addr = end_addr / 2;
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 2, last_addr);

    cmd.flags = NVME_PSDT_SGL_MPTR_CONTIGUOUS << 6;     /* one piece */
    cmd.dptr.sgl.len = cpu_to_le32(2 * drive->config.ssd.lba_bytes);
    qtest_writeb(drive->host->qts, last_addr, 7);
    g_assert_cmphex(status_of(drive, &cmd), ==, NVME_DATA_TRAS_ERROR);
    g_assert_cmphex(qtest_readb(drive->host->qts, last_addr), ==, 7);
    cmd = femu_cmd_rw(drive, NVME_CMD_COMPARE, 0, 2,
                      other_addr - FEMU_PAGE_BYTES);
    cmd.dptr.prp2 = cpu_to_le64(other_addr);
    qtest_writeb(drive->host->qts, other_addr, 7);      /* all else is 0 */
    g_assert_cmphex(status_of(drive, &cmd), ==, NVME_CMP_FAILURE);
    cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, last_addr);
    g_assert_cmphex(status_of(drive, &cmd), ==, NVME_SUCCESS);
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
    g_assert_cmphex(status_of(drive, &cmd), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/*
 * The machine stops while the thread rests: what the host has written to shadow
 * doorbells is read, though it has rung none. As often as one likes.
 */
static void test_stops_at_rest(void)
{
    FemuConfig small = femu_small_config();
    g_autofree char *device = femu_device_args(&small, FEMU_SLOT,
                                               "iothread=io0,dbbuf=on");
    g_autofree char *args = g_strconcat("-object iothread,id=io0,"
                                        "poll-max-ns=0 ", device, NULL);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &small);
    QTestState *qts = drive->host->qts;
    uint64_t shadow_addr = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    NvmeCmd flush = femu_cmd_flush(), config = {
        .opcode = NVME_ADM_CMD_DBBUF_CONFIG,
        .dptr.prp1 = cpu_to_le64(shadow_addr),
        .dptr.prp2 = cpu_to_le64(femu_alloc(drive->host, FEMU_PAGE_BYTES)),
    };

    femu_enable(drive);
    g_assert_cmphex(femu_exec(&drive->admin, &config).status, ==,
                    NVME_SUCCESS);
    femu_io_queues_create(drive);
    for (unsigned i = 0; i < ROUNDS; i++) {
        FemuCqe cqe;

        femu_place(&drive->io, &flush);
        qtest_writel(qts, shadow_addr + 4 * SQ1_TAIL, drive->io.tail);
        g_assert_false(femu_peek(&drive->io_cq, &cqe));
        qtest_qmp_assert_success(qts, "{'execute': 'stop'}");
        g_assert_true(femu_reap(&drive->io_cq, &cqe));
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        qtest_qmp_assert_success(qts, "{'execute': 'cont'}");
    }
    femu_shutdown(drive);
}

/* How many pages of memory have been saved. */
static int64_t saved_pages(QTestState *qts)
{
    QDict *reply = qtest_qmp_assert_success_ref(
        qts, "{'execute': 'query-migrate'}");
    QDict *ram = qdict_get_qdict(reply, "ram");
    int64_t count = ram ? qdict_get_int(ram, "duplicate") +
                          qdict_get_int(ram, "normal") : 0;

    qobject_unref(reply);
    return count;
}

static void save_with(QTestState *qts, int64_t bytes_per_s)
{
    qtest_qmp_assert_success(qts, "{'execute': 'migrate-set-parameters',"
        "'arguments': {'max-bandwidth': %" PRId64 "}}", bytes_per_s);
}

/*
 * The machine moves while the drive works: what the thread writes to memory that
 * has been saved is saved again. That goes page by page, ten in a second, until
 * the thread has written.
 */
static void test_moves(void)
{
    FemuDrive *drive = boot("", true, NO_IRQ);
    QTestState *qts = drive->host->qts;
    NvmeCmd read = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, FEMU_PAGE_BYTES);
    g_autofree char *path = NULL, *uri = NULL;
    int fd = g_file_open_tmp("femu-zns-moved-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    uri = g_strdup_printf("file:%s", path);
    qtest_memset(qts, FEMU_PAGE_BYTES, 7, FEMU_PAGE_BYTES);
    save_with(qts, 10);
    qtest_qmp_assert_success(qts, "{'execute': 'migrate',"
                             "'arguments': {'uri': %s}}", uri);
    while (saved_pages(qts) < 4) {
        g_usleep(WAIT_US);
    }
    femu_submit(&drive->io, &read);     /* of what was never written: 0 */
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    g_assert_cmpuint(qtest_readb(qts, FEMU_PAGE_BYTES), ==, 0);
    save_with(qts, 1000000000);
    femu_host_load(drive->host, path);
    g_assert_cmpuint(qtest_readb(drive->host->qts, FEMU_PAGE_BYTES), ==, 0);
    g_unlink(path);
    femu_shutdown(drive);
}

#define ADD(name, function) qtest_add_func("femu-zns/alone/" name, function)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("no-lock", test_no_lock);
    ADD("one-for-a-batch", test_one_for_a_batch);
    ADD("message-to-itself", test_message_to_itself);
    ADD("message-resets", test_message_resets);
    ADD("one-entry", test_one_entry);
    ADD("lateness", test_lateness);
    ADD("pin", test_pin);
    ADD("iommu", test_iommu);
    ADD("monitor", test_monitor);
    ADD("trace", test_trace);
    ADD("cut", test_cut);
    ADD("plugged", test_plugged);
    ADD("no-bus", test_no_bus);
    ADD("disabled", test_disabled);
    ADD("stops-at-rest", test_stops_at_rest);
    ADD("moves", test_moves);
    ADD("admin-waits", test_admin_waits);
    ADD("data-in-registers", test_data_in_registers);
    ADD("data-in-rom", test_data_in_rom);
    ADD("data-at-an-end", test_data_at_an_end);
    ADD("queue-in-registers", test_queue_in_registers);
    return g_test_run();
}
