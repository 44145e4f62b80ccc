/*
 * A drive with a thread of its own (iothread=): no completion is early, none is
 * lost, whoever looks at doorbells; and a machine that resets, stops, moves or
 * unplugs the drive meanwhile waits for nobody.
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
#include "hw/pci/pci_regs.h"
#include "qobject/qdict.h"
#include "qobject/qlist.h"

#define HOTPLUG_MACHINE "-machine pc,pit=off "
#define HOTPLUG_SLOT 5u
#define ODD_ENTRIES 6u
#define FOR_EVER "3600000000000"        /* of polling: longer than any test */
#define SHORT "1000000"
#define LAPS 5u                         /* around the queues */
#define ROUNDS 20u
#define WAIT_US 50
#define CC_SHN_NORMAL (1u << 14)
#define ASLEEP 5u                       /* looks in a row */

/* A host that has shadow doorbells: see the specification, 5.8. */
typedef struct Guest {
    FemuDrive *drive;
    uint64_t shadow;
    uint64_t event;
    unsigned rung;                      /* writes of registers */
} Guest;

static unsigned tail_of(unsigned id)
{
    return 2 * id;
}

static unsigned head_of(unsigned id)
{
    return 2 * id + 1;
}

static uint32_t event_idx(Guest *g, unsigned doorbell)
{
    return qtest_readl(g->drive->host->qts, g->event + 4 * doorbell);
}

/* Half a queue of FEMU_ENTRIES away: where EventIdx is while the thread looks. */
static uint32_t away_from(uint32_t value)
{
    return (value + FEMU_ENTRIES / 2) % FEMU_ENTRIES;
}

/* The shadow, and the register if EventIdx asks for it, in 16 bits. */
static void ring(Guest *g, unsigned doorbell, uint16_t value)
{
    QTestState *qts = g->drive->host->qts;
    uint16_t old = qtest_readl(qts, g->shadow + 4 * doorbell), event;

    qtest_writel(qts, g->shadow + 4 * doorbell, value);
    event = event_idx(g, doorbell);
    if ((uint16_t)(value - event - 1) < (uint16_t)(value - old)) {
        femu_set_reg(g->drive, FEMU_DOORBELLS + 4 * doorbell, value);
        g->rung++;
    }
}

/* A new controller gets shadow doorbells, and queues with MSI-X. */
static void configure(Guest *g)
{
    FemuDrive *drive = g->drive;
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_DBBUF_CONFIG,
        .dptr.prp1 = cpu_to_le64(g->shadow),
        .dptr.prp2 = cpu_to_le64(g->event),
    };

    g_assert_cmphex(femu_exec(&drive->admin, &cmd).status, ==, NVME_SUCCESS);
    femu_cq_create(drive, &drive->io_cq, 1, FEMU_ENTRIES, 1);
    femu_sq_create(drive, &drive->io, 1, FEMU_ENTRIES, &drive->io_cq);
}

/* QEMU's arguments: an IOThread, and a drive of it. */
static char *thread_args(const char *poll_max_ns, unsigned slot,
                         const char *extra)
{
    FemuConfig small = femu_small_config();
    g_autofree char *device = femu_device_args(&small, slot, extra);

    return g_strdup_printf("-object iothread,id=io0,poll-max-ns=%s %s",
                           poll_max_ns, device);
}

static FemuDrive *boot(const char *poll_max_ns, const char *extra)
{
    FemuConfig small = femu_small_config();
    g_autofree char *args = thread_args(poll_max_ns, FEMU_SLOT, extra);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &small);

    femu_enable(drive);
    if (g_str_equal(poll_max_ns, FOR_EVER)) {
        femu_await_thread(drive);
    }
    return drive;
}

static Guest start_with(const char *poll_max_ns, const char *extra)
{
    g_autofree char *all = g_strconcat("iothread=io0,dbbuf=on", extra, NULL);
    Guest g = { .drive = boot(poll_max_ns, all) };

    g.shadow = femu_alloc(g.drive->host, FEMU_PAGE_BYTES);
    g.event = femu_alloc(g.drive->host, FEMU_PAGE_BYTES);
    femu_msix_enable(g.drive);
    femu_msix_vector(g.drive, 1, femu_alloc(g.drive->host, FEMU_PAGE_BYTES),
                     1);
    configure(&g);
    return g;
}

static Guest start(const char *poll_max_ns)
{
    return start_with(poll_max_ns, "");
}

/* The next completion, which comes without a step of the clock. */
static FemuCqe await(FemuCq *cq)
{
    FemuCqe cqe;

    while (!femu_take(cq, &cqe)) {
        g_usleep(WAIT_US);
    }
    return cqe;
}

static void await_event_idx(Guest *g, unsigned doorbell, uint32_t value)
{
    while (event_idx(g, doorbell) != value) {
        g_usleep(WAIT_US);
    }
}

/*
 * All that the queue holds is fetched. Whether the thread still looks, or has
 * rested by then, is the host's to decide.
 */
static void await_fetched(Guest *g, unsigned doorbell, uint32_t tail)
{
    uint32_t found;

    while (found = event_idx(g, doorbell),
           found != tail && found != away_from(tail)) {
        g_usleep(WAIT_US);
    }
}

static void expect_ok(FemuDrive *drive, uint16_t cid)
{
    FemuCqe cqe = await(&drive->io_cq);

    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmpuint(cqe.cid, ==, cid);
}

/*
 * The read of what was never written takes no time: when it is done, all before
 * it has been fetched, and all that is due has been posted.
 */
static void fence(FemuDrive *drive)
{
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_READ, femu_zone_lba(drive, 7), 1,
                              drive->buf);

    expect_ok(drive, femu_submit(&drive->io, &cmd));
    femu_ring_cq(&drive->io_cq);
}

/* By the timer of the thread, and by its polling: at its instant, not before. */
static void test_not_early(void)
{
    static const char *const poll_max_ns[] = { "0", "1000000", FOR_EVER };

    for (unsigned i = 0; i < ARRAY_SIZE(poll_max_ns); i++) {
        FemuDrive *drive = boot(poll_max_ns[i], "iothread=io0");

        femu_io_queues_create(drive);
        for (uint32_t zone = 0; zone < 3; zone++) {
            uint64_t due_ns = drive->host->now_ns + femu_page_write_ns(drive);
            uint16_t cid = drive->io.next_cid;
            FemuCqe cqe;

            femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, zone),
                           femu_page_nlb(drive));
            fence(drive);
            femu_step_to(drive->host, due_ns - 1);
            fence(drive);
            g_assert_false(femu_peek(&drive->io_cq, &cqe));
            femu_step_to(drive->host, due_ns);
            cqe = await(&drive->io_cq);
            g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
            g_assert_cmpuint(cqe.cid, ==, cid);
        }
        femu_shutdown(drive);
    }
}

/* While the thread polls, a driver writes no register but the first. */
static void test_no_registers(void)
{
    Guest g = start(FOR_EVER);
    FemuDrive *drive = g.drive;
    NvmeCmd flush = femu_cmd_flush();

    for (unsigned i = 0; i < LAPS * FEMU_ENTRIES; i++) {
        uint16_t cid = femu_place(&drive->io, &flush);

        ring(&g, tail_of(1), drive->io.tail);
        expect_ok(drive, cid);
        ring(&g, head_of(1), drive->io_cq.head);
        await_event_idx(&g, tail_of(1), away_from(drive->io.tail));
    }
    /* A tail, and a head unless the thread came first. */
    g_assert_cmpuint(g.rung, >=, 1);
    g_assert_cmpuint(g.rung, <=, 2);
    /* The admin queue's doorbells are asked for: who rings, writes registers. */
    g_assert_cmpuint(event_idx(&g, tail_of(0)), ==, drive->admin.tail);
    g_assert_cmpuint(event_idx(&g, head_of(0)), ==, drive->admin_cq.head);
    femu_shutdown(drive);
}

/*
 * While a completion is parked the head is asked for: with room for one in the
 * queue, each of three comes when the one before it has been taken.
 */
static void test_parked(void)
{
    Guest g = start(FOR_EVER);
    FemuDrive *drive = g.drive;
    NvmeCmd flush = femu_cmd_flush();
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 2, 1);
    femu_sq_create(drive, &sq, 2, FEMU_ENTRIES, &cq);
    for (unsigned i = 0; i < 3; i++) {
        femu_place(&sq, &flush);
    }
    ring(&g, tail_of(2), sq.tail);
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmphex(await(&cq).status, ==, NVME_SUCCESS);
        ring(&g, head_of(2), cq.head);
    }
    /* the thread looks at the second queue's shadow, too */
    await_event_idx(&g, tail_of(2), away_from(sq.tail));
    femu_place(&sq, &flush);
    ring(&g, tail_of(2), sq.tail);
    g_assert_cmphex(await(&cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

static NvmeCmd page_write(FemuDrive *drive, uint32_t zone_idx, unsigned page)
{
    uint32_t nlb = femu_page_nlb(drive);

    return femu_cmd_rw(drive, NVME_CMD_WRITE,
                       femu_zone_lba(drive, zone_idx) + page * nlb, nlb,
                       drive->buf);
}

/* Half a queue away is that of queues that are no power of two, too. */
static void test_odd_queues(void)
{
    Guest g = start(FOR_EVER);
    FemuDrive *drive = g.drive;
    NvmeCmd flush = femu_cmd_flush();
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, ODD_ENTRIES, 1);
    femu_sq_create(drive, &sq, 2, ODD_ENTRIES, &cq);
    for (unsigned i = 0; i < LAPS * ODD_ENTRIES; i++) {
        uint32_t head = cq.head;

        femu_place(&sq, &flush);
        ring(&g, tail_of(2), sq.tail);
        g_assert_cmphex(await(&cq).status, ==, NVME_SUCCESS);
        await_event_idx(&g, tail_of(2),
                        (sq.tail + ODD_ENTRIES / 2) % ODD_ENTRIES);
        await_event_idx(&g, head_of(2),
                        (head + ODD_ENTRIES / 2) % ODD_ENTRIES);
        ring(&g, head_of(2), cq.head);
    }
    femu_shutdown(drive);
}

/* The drive's thread sleeps: it does not poll. */
static void await_sleep(FemuDrive *drive)
{
    QTestState *qts = drive->host->qts;
    QDict *reply = qtest_qmp(qts, "{'execute': 'query-iothreads'}");
    const QListEntry *first = qlist_first(qdict_get_qlist(reply, "return"));
    QDict *thread = qobject_to(QDict, qlist_entry_obj(first));
    g_autofree char *path = g_strdup_printf(
        "/proc/%d/task/%d/stat", (int)qtest_pid(qts),
        (int)qdict_get_int(thread, "thread-id"));

    qobject_unref(reply);
    for (unsigned asleep = 0; asleep < ASLEEP; g_usleep(WAIT_US)) {
        g_autofree char *text = NULL;

        g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
        asleep = strstr(text, ") S ") ? asleep + 1 : 0;
    }
}

/*
 * Nothing that only looks like a doorbell keeps it awake, once it has woken for
 * a write, which ends sooner than it polls.
 */
static void test_sleeps(void)
{
    FemuDrive *drive = boot(SHORT, "iothread=io0");
    Guest g;

    g_assert_cmpuint(femu_page_write_ns(drive), <, atoi(SHORT));
    /* no shadow doorbells: words where they would be */
    femu_io_queues_create(drive);
    for (uint64_t addr = 0; addr < 64; addr += 4) {
        qtest_writel(drive->host->qts, addr, 7);
    }
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    fence(drive);
    femu_step(drive->host, femu_page_write_ns(drive));
    await(&drive->io_cq);
    await_sleep(drive);
    femu_shutdown(drive);

    /* values that the queue cannot have, and one behind a shutdown */
    g = start(SHORT);
    for (unsigned i = 0; i < 3; i++) {
        NvmeCmd write = page_write(g.drive, i, 0);

        femu_place(&g.drive->io, &write);
        ring(&g, tail_of(1), g.drive->io.tail);
        await_event_idx(&g, tail_of(1), away_from(g.drive->io.tail));
        if (i == 2) {
            femu_set_reg(g.drive, NVME_REG_CC,
                         femu_reg(g.drive, NVME_REG_CC) | CC_SHN_NORMAL);
        }
        qtest_writel(g.drive->host->qts, g.shadow + 4 * tail_of(1),
                     i < 2 ? FEMU_ENTRIES + i : g.drive->io.tail + 1);
        femu_step(g.drive->host, femu_page_write_ns(g.drive));
        await(&g.drive->io_cq);
        await_sleep(g.drive);
        qtest_writel(g.drive->host->qts, g.shadow + 4 * tail_of(1),
                     g.drive->io.tail);
    }
    femu_shutdown(g.drive);
}

static void place_open(Guest *g, uint32_t zone_idx)
{
    NvmeCmd cmd = femu_cmd_zone(NVME_ZONE_ACTION_OPEN,
                                femu_zone_lba(g->drive, zone_idx), false);

    femu_place(&g->drive->io, &cmd);
}

/*
 * Nor does a queue of which commands wait for room: two are inside, the drive
 * knows of two more, and there is a fifth, when the first is done.
 */
static void test_sleeps_waiting(void)
{
    Guest g = start_with(SHORT, ",cmd-slots=2,fe-report-ns=5000,"
                         "fe-open-ns=1000000000");
    FemuDrive *drive = g.drive;
    uint64_t tail_addr = g.shadow + 4 * tail_of(1);
    NvmeCmd report = femu_cmd_report(drive, 0, NVME_ZONE_REPORT_ALL, true,
                                     drive->buf, 4096);

    femu_place(&drive->io, &report);
    place_open(&g, 0);
    ring(&g, tail_of(1), drive->io.tail);
    await_fetched(&g, tail_of(1), drive->io.tail);
    place_open(&g, 1);
    place_open(&g, 2);
    qtest_writel(drive->host->qts, tail_addr, drive->io.tail);
    qpci_config_writew(drive->pci, PCI_COMMAND,
                       qpci_config_readw(drive->pci, PCI_COMMAND));
    place_open(&g, 3);
    qtest_writel(drive->host->qts, tail_addr, drive->io.tail);
    await_event_idx(&g, head_of(1), away_from(drive->io_cq.head)); /* awake */
    femu_step(drive->host, 5000);
    await(&drive->io_cq);
    await_sleep(drive);
    femu_shutdown(drive);
}

/* More are done in one entry than can be inside. */
static void test_at_once(void)
{
    Guest g = start_with(FOR_EVER, ",cmd-slots=2");
    FemuDrive *drive = g.drive;
    NvmeCmd read = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, drive->buf);
    QDict *stats;
    uint64_t told;

    for (unsigned i = 0; i < ROUNDS; i++) {
        femu_place(&drive->io, &read);
    }
    ring(&g, tail_of(1), drive->io.tail);
    for (unsigned i = 0; i < ROUNDS; i++) {
        g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    }
    do { /* the host may see a completion before its interrupt has been sent */
        stats = femu_stats(drive);
        told = femu_stat(stats, "lateness/count");
        qobject_unref(stats);
    } while (told < ROUNDS);
    g_assert_cmpuint(told, ==, ROUNDS);
    femu_shutdown(drive);
}

/* Without MSI-X a head is asked for: it may lower the pin. */
static void test_pin(void)
{
    Guest g = start(FOR_EVER);
    FemuDrive *drive = g.drive;
    NvmeCmd flush = femu_cmd_flush();
    uint16_t cid = femu_place(&drive->io, &flush);
    uint8_t at = qpci_find_capability(drive->pci, PCI_CAP_ID_MSIX, 0);

    qpci_config_writew(drive->pci, at + PCI_MSIX_FLAGS, 0);
    ring(&g, tail_of(1), drive->io.tail);
    expect_ok(drive, cid);
    ring(&g, head_of(1), drive->io_cq.head);
    await_event_idx(&g, tail_of(1), away_from(drive->io.tail));
    await_event_idx(&g, head_of(1), drive->io_cq.head);
    femu_shutdown(drive);
}

/* A thread that often rests, or never polls: nothing is overlooked. */
static void test_rests(void)
{
    static const char *const poll_max_ns[] = { "1000", "0" };

    for (unsigned i = 0; i < ARRAY_SIZE(poll_max_ns); i++) {
        Guest g = start(poll_max_ns[i]);
        FemuDrive *drive = g.drive;
        NvmeCmd flush = femu_cmd_flush();

        for (unsigned j = 0; j < LAPS * FEMU_ENTRIES; j++) {
            uint16_t cid = femu_place(&drive->io, &flush);

            ring(&g, tail_of(1), drive->io.tail);
            expect_ok(drive, cid);
            ring(&g, head_of(1), drive->io_cq.head);
        }
        await_event_idx(&g, tail_of(1), drive->io.tail);
        await_event_idx(&g, head_of(1), drive->io_cq.head);
        femu_shutdown(drive);
    }
}

/* A batch in the queue while the controller is reset, again and again. */
static void test_reset(void)
{
    static const char *const poll_max_ns[] = { "0", "1000", FOR_EVER };

    for (unsigned i = 0; i < ARRAY_SIZE(poll_max_ns); i++) {
        Guest g = start(poll_max_ns[i]);
        FemuDrive *drive = g.drive;
        NvmeCmd flush = femu_cmd_flush();

        for (unsigned round = 0; round < ROUNDS; round++) {
            for (unsigned j = 0; j < FEMU_ENTRIES / 2; j++) {
                femu_place(&drive->io, &flush);
                ring(&g, tail_of(1), drive->io.tail);
            }
            femu_submit_rw(drive, NVME_CMD_READ, 0, 1);
            femu_disable(drive);
            femu_enable(drive);
            configure(&g);
        }
        femu_place(&drive->io, &flush);
        ring(&g, tail_of(1), drive->io.tail);
        g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
        femu_shutdown(drive);
    }
}

/*
 * The machine stops: from then on the host's next doorbell is a register's,
 * whoever goes on with the drive. It goes on, here and in another QEMU.
 */
static void test_stops(void)
{
    Guest g = start(FOR_EVER);
    FemuDrive *drive = g.drive;
    NvmeCmd flush = femu_cmd_flush();

    for (unsigned i = 0; i < 4; i++) {
        uint16_t cid = femu_place(&drive->io, &flush);

        ring(&g, tail_of(1), drive->io.tail);
        expect_ok(drive, cid);
        ring(&g, head_of(1), drive->io_cq.head);
        await_event_idx(&g, tail_of(1), away_from(drive->io.tail));
        if (i < 3) {
            qtest_qmp_assert_success(drive->host->qts, "{'execute': 'stop'}");
            g_assert_cmpuint(event_idx(&g, tail_of(1)), ==, drive->io.tail);
            g_assert_cmpuint(event_idx(&g, head_of(1)), ==,
                             drive->io_cq.head);
            qtest_qmp_assert_success(drive->host->qts, "{'execute': 'cont'}");
        } else {
            femu_host_move(drive->host);
        }
    }
    femu_place(&drive->io, &flush);
    ring(&g, tail_of(1), drive->io.tail);
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A write is inside when the machine moves: it is done at its instant. */
static void test_moves(void)
{
    FemuDrive *drive = boot(FOR_EVER, "iothread=io0");
    uint64_t due_ns;
    FemuCqe cqe;

    femu_io_queues_create(drive);
    due_ns = drive->host->now_ns + femu_page_write_ns(drive);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    fence(drive);
    femu_host_move(drive->host);
    femu_step_to(drive->host, due_ns - 1);
    fence(drive);
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    femu_step_to(drive->host, due_ns);
    g_assert_cmphex(await(&drive->io_cq).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* Unplugged with commands inside and in the queue, and plugged again. */
static void test_unplug(void)
{
    static const char *const poll_max_ns[] = { "0", FOR_EVER };

    for (unsigned i = 0; i < ARRAY_SIZE(poll_max_ns); i++) {
        FemuConfig small = femu_small_config();
        g_autofree char *device = thread_args(poll_max_ns[i], HOTPLUG_SLOT,
                                              "iothread=io0");
        g_autofree char *args = g_strconcat(HOTPLUG_MACHINE, device, NULL);
        FemuHost *host = femu_host_start(args);

        for (unsigned round = 0; round < 3; round++) {
            FemuDrive *drive = femu_drive_open(host, HOTPLUG_SLOT, &small);
            NvmeCmd flush = femu_cmd_flush();

            femu_enable(drive);
            femu_io_queues_create(drive);
            fence(drive);
            femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
            for (unsigned j = 0; j < FEMU_ENTRIES / 2; j++) {
                femu_submit(&drive->io, &flush);
            }
            femu_drive_close(drive);
            qpci_unplug_acpi_device_test(host->qts, round ? "hot" : "zns5",
                                         HOTPLUG_SLOT);
            qtest_qmp_assert_success(host->qts, "{'execute': 'device_add',"
                "'arguments': {'driver': 'femu-zns', 'id': 'hot',"
                "'addr': '05.0', 'iothread': 'io0', 'zones': 8,"
                "'zone-size': 1048576, 'zone-capacity': 786432,"
                "'pages-per-block': 4}}");
        }
        femu_host_stop(host);
    }
}

/*
 * The machine stops before the thread, which polls, has seen that its drive is
 * gone: it is the last who holds it. Nobody waits for an answer between the two
 * commands, so that the thread has hardly time to look. (A function other than
 * 0 that is alone goes at once, and one whose registers have never been mapped
 * is not held by QEMU's view of memory.)
 */
static void test_unplug_stop(void)
{
    FemuHost *host = femu_host_start(
        "-global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off "
        "-object iothread,id=io0,poll-max-ns=" FOR_EVER
        " -device pcie-root-port,id=rp0,chassis=1");
    FemuDrive drive = { .host = host };

    qtest_qmp_assert_success(host->qts, "{'execute': 'stop'}");
    for (unsigned round = 0; round < ROUNDS; round++) {
        qtest_qmp_assert_success(host->qts, "{'execute': 'device_add',"
            "'arguments': {'driver': 'femu-zns', 'id': 'zns4', 'bus': 'rp0',"
            "'addr': '0.1', 'iothread': 'io0', 'zones': 8}}");
        qtest_qmp_assert_success(host->qts, "{'execute': 'cont'}");
        femu_await_thread(&drive);
        qtest_qmp_send(host->qts, "{'execute': 'device_del',"
                       "'arguments': {'id': 'zns4'}}");
        qtest_qmp_send(host->qts, "{'execute': 'stop'}");
        for (unsigned i = 0; i < 2; i++) {
            qobject_unref(qtest_qmp_receive(host->qts));
        }
    }
    femu_host_stop(host);
}

/* Two drives of one IOThread both work. */
static void test_shared(void)
{
    FemuConfig small = femu_small_config();
    g_autofree char *one = thread_args(FOR_EVER, FEMU_SLOT, "iothread=io0");
    g_autofree char *other = femu_device_args(&small, FEMU_SLOT + 1,
                                              "iothread=io0");
    g_autofree char *args = g_strconcat(one, " ", other, NULL);
    FemuHost *host = femu_host_start(args);
    FemuDrive *drive[2];

    for (unsigned i = 0; i < 2; i++) {
        drive[i] = femu_drive_open(host, FEMU_SLOT + i, &small);
        femu_enable(drive[i]);
        femu_io_queues_create(drive[i]);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        fence(drive[round % 2]);
    }
    femu_drive_close(drive[0]);
    femu_shutdown(drive[1]);
}

#define ADD(name, function) qtest_add_func("femu-zns/thread/" name, function)

/* As many entries as are told of at once: the message waits for no time. */
static void test_coalesced(void)
{
    Guest g = start(FOR_EVER);
    uint64_t word_addr = femu_alloc(g.drive->host, 4);
    NvmeCmd flush = femu_cmd_flush();

    femu_msix_vector(g.drive, 1, word_addr, 7);
    g_assert_cmphex(femu_set_feature(g.drive, NVME_INTERRUPT_COALESCING,
                                     255 << 8 | 1), ==, NVME_SUCCESS);
    femu_place(&g.drive->io, &flush);
    femu_place(&g.drive->io, &flush);
    ring(&g, tail_of(1), 2);
    while (qtest_readl(g.drive->host->qts, word_addr) != 7) {
        g_usleep(WAIT_US);
    }
    femu_shutdown(g.drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("not-early", test_not_early);
    ADD("no-registers", test_no_registers);
    ADD("pin", test_pin);
    ADD("coalesced", test_coalesced);
    ADD("parked", test_parked);
    ADD("odd-queues", test_odd_queues);
    ADD("sleeps", test_sleeps);
    ADD("sleeps-waiting", test_sleeps_waiting);
    ADD("at-once", test_at_once);
    ADD("rests", test_rests);
    ADD("reset", test_reset);
    ADD("stops", test_stops);
    ADD("moves", test_moves);
    ADD("unplug", test_unplug);
    ADD("unplug-stop", test_unplug_stop);
    ADD("shared", test_shared);
    return g_test_run();
}
