/*
 * A drive that moves into another QEMU, at each of many instants of a scene:
 * what its host sees from then on is what it would have seen otherwise. And
 * what cannot move is refused, with a message that says why.
 *
 * Random guests that move are in whole/femu-zns-corpus-test.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"

#define PATH "/machine/peripheral/zns4"
#define IRQ_DATA 0x1000u
#define NEVER UINT_MAX
#define LARGE_EXT_BYTES 16320
#define FUA (1u << 30)

/* A host that tells what it sees; at point number `move_at` it moves. */
typedef struct Player {
    FemuDrive *drive;
    GString *text;
    unsigned points;
    unsigned move_at;
    uint64_t mailbox;           /* what vectors 0 to 3 send goes there */
} Player;

typedef struct Scene {
    const char *name;
    const char *set;            /* properties on top of femu_small_config() */
    const char *objects;        /* further arguments of QEMU, or NULL */
    void (*play)(Player *p);
} Scene;

#define SAY(player, ...) g_string_append_printf((player)->text, __VA_ARGS__)

/* --- What the host does, and sees ----------------------------------------- */

static void qom_set(Player *p, const char *property, const char *value)
{
    qtest_qmp_assert_success(p->drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path': " "'" PATH "'"
                             ", 'property': %s, 'value': %s}}", property,
                             value);
}

static void say_qom(Player *p, const char *property)
{
    QDict *reply = qtest_qmp(p->drive->host->qts, "{'execute': 'qom-get',"
                             " 'arguments': {'path': " "'" PATH "'"
                             ", 'property': %s}}", property);

    SAY(p, "%s: %s\n", property, qdict_get_str(reply, "return"));
    qobject_unref(reply);
}

static void reap(Player *p, FemuCq *cq)
{
    FemuCqe cqe;

    while (femu_reap(cq, &cqe)) {
        SAY(p, "%" PRIu64 " ns: queue %u head %u cid %u: %x %" PRIx64 "\n",
            p->drive->host->now_ns, cqe.sq_id, cqe.sq_head, cqe.cid,
            cqe.status, cqe.result);
    }
}

static void say_irqs(Player *p)
{
    QTestState *qts = p->drive->host->qts;

    for (unsigned i = 0; p->mailbox && i < 4; i++) {
        SAY(p, "vector %u: %x\n", i, qtest_readl(qts, p->mailbox + 4 * i));
        qtest_writel(qts, p->mailbox + 4 * i, 0);
    }
    SAY(p, "csts %x, pci status %x\n", femu_reg(p->drive, NVME_REG_CSTS),
        qpci_config_readw(p->drive->pci, PCI_STATUS));
}

/* An instant: the drive may move at it. */
static void point(Player *p)
{
    if (p->points++ == p->move_at) {
        femu_host_move(p->drive->host);
    }
    say_irqs(p);
}

static void step(Player *p, uint64_t ns)
{
    femu_step(p->drive->host, ns);
    point(p);
}

static void say_data(Player *p, uint64_t slba, uint32_t nlb)
{
    size_t bytes = nlb * (size_t)p->drive->config.ssd.lba_bytes;
    g_autofree uint8_t *data = g_malloc0(bytes);
    uint16_t status = femu_read(p->drive, slba, nlb, data);
    g_autofree char *sum = g_compute_checksum_for_data(G_CHECKSUM_MD5, data,
                                                       bytes);

    SAY(p, "%" PRIu64 " ns: data at %" PRIu64 ": %x %s\n",
        p->drive->host->now_ns, slba, status, sum);
}

static void write_pattern(Player *p, uint64_t slba, uint32_t nlb)
{
    g_autofree uint8_t *data = femu_pattern(p->drive, slba, nlb, 1);

    g_assert_cmphex(femu_write(p->drive, slba, nlb, data), ==, NVME_SUCCESS);
}

static NvmeCmd admin_cmd(uint8_t opcode, uint32_t nsid, uint32_t cdw10,
                         uint32_t cdw11)
{
    return (NvmeCmd) {
        .opcode = opcode,
        .nsid = cpu_to_le32(nsid),
        .cdw10 = cpu_to_le32(cdw10),
        .cdw11 = cpu_to_le32(cdw11),
    };
}

/* Vectors 0 to 3 go to the mailbox; queue 2 has vector 1. */
static void use_msix(Player *p, FemuCq *cq, FemuSq *sq, unsigned entries)
{
    p->mailbox = femu_alloc(p->drive->host, FEMU_PAGE_BYTES);
    femu_msix_enable(p->drive);
    for (unsigned i = 0; i < 4; i++) {
        femu_msix_vector(p->drive, i, p->mailbox + 4 * i, IRQ_DATA + i);
    }
    femu_cq_create(p->drive, cq, 2, entries, 1);
    femu_sq_create(p->drive, sq, 2, 16, cq);
}

static void submit_writes(Player *p, FemuSq *sq, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        NvmeCmd cmd = femu_cmd_rw(p->drive, NVME_CMD_WRITE,
                                  femu_zone_lba(p->drive, i % 3) +
                                  i / 3 * 4, 4, p->drive->buf);

        femu_place(sq, &cmd);
    }
    femu_ring(sq);
}

/* --- Scenes --------------------------------------------------------------- */

/* Writes, reads, a finish and a reset inside; more than there are slots. */
static void play_inside(Player *p)
{
    FemuDrive *drive = p->drive;

    write_pattern(p, 0, 8);
    femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, false);
    submit_writes(p, &drive->io, 12);
    point(p);
    femu_submit_rw(drive, NVME_CMD_READ, 0, 4);
    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, femu_zone_lba(drive, 1),
                     false);
    point(p);
    for (unsigned i = 0; i < 6; i++) {
        step(p, 333333);
        reap(p, &drive->io_cq);
    }
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, true);
    step(p, 1000);
    step(p, UINT64_C(3000000000));
    reap(p, &drive->io_cq);
    say_data(p, 0, 16);
    say_data(p, femu_zone_lba(drive, 2), 16);
}

/* A reset that has not ended when the power goes may not have been. */
static void play_aside(Player *p)
{
    FemuDrive *drive = p->drive;

    for (unsigned i = 0; i < 3; i++) {
        write_pattern(p, femu_zone_lba(drive, i), 32);
    }
    for (unsigned i = 0; i < 3; i++) {
        femu_submit_zone(drive, NVME_ZONE_ACTION_RESET,
                         femu_zone_lba(drive, i), false);
    }
    step(p, 1000);
    qom_set(p, "power-cut", "7");
    point(p);
    femu_enable(drive);
    femu_io_queues_create(drive);
    point(p);
    for (unsigned i = 0; i < 3; i++) {
        say_data(p, femu_zone_lba(drive, i), 32);
    }
}

/* Requests for events, events that wait, and what a log page is due for. */
static void play_events(Player *p)
{
    FemuDrive *drive = p->drive;
    NvmeCmd request = admin_cmd(NVME_ADM_CMD_ASYNC_EV_REQ, 0, 0, 0);

    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                     1u << 27 | NVME_SMART_TEMPERATURE);
    femu_submit(&drive->admin, &request);
    point(p);
    qom_set(p, "zone-fail", "3 read-only");
    reap(p, &drive->admin_cq);
    point(p);
    qom_set(p, "zone-fail", "4 offline");
    femu_set_reg(drive, FEMU_DOORBELLS + 8 * 40, 1);
    point(p);
    femu_submit(&drive->admin, &request);
    femu_submit(&drive->admin, &request);
    reap(p, &drive->admin_cq);
    point(p);
    SAY(p, "log: %x\n", femu_get_log(drive, 0xbf, 2, 0, NULL, 4096));
    point(p);
    qom_set(p, "zone-fail", "5 offline");
    reap(p, &drive->admin_cq);
    say_qom(p, "zone-states");
}

/* An interrupt that is held back, in time and in number. */
static void play_held(Player *p)
{
    FemuCq cq;
    FemuSq sq;

    use_msix(p, &cq, &sq, 16);
    femu_set_feature(p->drive, NVME_INTERRUPT_COALESCING, 50 << 8 | 2);
    submit_writes(p, &sq, 2);
    for (unsigned i = 0; i < 5; i++) {
        step(p, 1400000);
    }
    submit_writes(p, &sq, 9);
    for (unsigned i = 0; i < 5; i++) {
        step(p, 700000);
    }
    reap(p, &cq);
}

/* A message that waits until its vector is not masked any more. */
static void play_masked(Player *p)
{
    uint64_t control = PCI_MSIX_ENTRY_SIZE + PCI_MSIX_ENTRY_VECTOR_CTRL;
    FemuCq cq;
    FemuSq sq;

    use_msix(p, &cq, &sq, 16);
    qpci_io_writel(p->drive->pci, p->drive->msix_bar,
                   p->drive->msix_off + control, 1);
    submit_writes(p, &sq, 1);
    step(p, 2000000);
    qpci_io_writel(p->drive->pci, p->drive->msix_bar,
                   p->drive->msix_off + control, 0);
    point(p);
    reap(p, &cq);
}

/* The pin is high until its entries are taken; INTMS keeps it low. */
static void play_pin(Player *p)
{
    FemuDrive *drive = p->drive;
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 16, 0);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    submit_writes(p, &sq, 2);
    step(p, 2000000);
    femu_set_reg(drive, NVME_REG_INTMS, 1);
    point(p);
    femu_set_reg(drive, NVME_REG_INTMC, 1);
    point(p);
    reap(p, &cq);
    point(p);
}

/* Completions for which the queue has no room, or the drive not the bus. */
static void play_parked(Player *p)
{
    FemuDrive *drive = p->drive;
    uint16_t command = qpci_config_readw(drive->pci, PCI_COMMAND);
    FemuCq cq;
    FemuSq sq;

    use_msix(p, &cq, &sq, 3);
    submit_writes(p, &sq, 6);
    step(p, UINT64_C(30000000));
    qpci_config_writew(drive->pci, PCI_COMMAND,
                       command & ~PCI_COMMAND_MASTER);
    point(p);
    qpci_config_writew(drive->pci, PCI_COMMAND, command);
    point(p);
    for (unsigned i = 0; i < 4; i++) {
        reap(p, &cq);
        point(p);
    }
}

/* A format of two namespaces, with commands inside before it. */
static void play_format(Player *p)
{
    FemuDrive *drive = p->drive;
    NvmeCmd format = admin_cmd(NVME_ADM_CMD_FORMAT_NVM, NVME_NSID_BROADCAST,
                               0, 0);

    submit_writes(p, &drive->io, 6);
    femu_submit(&drive->admin, &format);
    point(p);
    for (unsigned i = 0; i < 5; i++) {
        step(p, 2500000);
        reap(p, &drive->io_cq);
        reap(p, &drive->admin_cq);
        femu_submit_rw(drive, NVME_CMD_READ, 0, 1);
    }
    step(p, UINT64_C(1000000000));
    reap(p, &drive->io_cq);
    reap(p, &drive->admin_cq);
    drive->config.ssd.lba_bytes = 512;
    write_pattern(p, 0, 8);
    say_data(p, 0, 8);
}

/* A shutdown under way, complete, and the controller enabled again. */
static void play_shutdown(Player *p)
{
    FemuDrive *drive = p->drive;

    submit_writes(p, &drive->io, 6);
    femu_set_reg(drive, NVME_REG_CC, femu_reg(drive, NVME_REG_CC) | 1 << 14);
    point(p);
    step(p, 100000);
    step(p, UINT64_C(1000000000));
    reap(p, &drive->io_cq);
    femu_disable(drive);
    point(p);
    femu_enable(drive);
    femu_io_queues_create(drive);
    say_data(p, 0, 16);
    say_qom(p, "zone-states");
}

/* The power goes by each of the properties, once each, moved or not. */
static void play_cuts(Player *p)
{
    FemuDrive *drive = p->drive;
    unsigned cuts = 0;

    for (unsigned i = 0; i < 6; i++) {
        submit_writes(p, &drive->io, 6);
        step(p, 900000);
        femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, true);
        step(p, 900000);
        femu_step(drive->host, 50000000);
        reap(p, &drive->io_cq);
        if (!NVME_CC_EN(femu_reg(drive, NVME_REG_CC))) {
            SAY(p, "the power was off\n");
            cuts++;
            point(p);
            femu_enable(drive);
            femu_io_queues_create(drive);
        }
    }
    g_assert_cmpuint(cuts, ==, 3);
}

/* The controller is enabled while the power is coming back. */
static void play_back(Player *p)
{
    FemuDrive *drive = p->drive;
    uint32_t cc = femu_reg(drive, NVME_REG_CC);
    uint32_t aqa = femu_reg(drive, NVME_REG_AQA);
    uint64_t asq = femu_reg64(drive, NVME_REG_ASQ);
    uint64_t acq = femu_reg64(drive, NVME_REG_ACQ);

    submit_writes(p, &drive->io, 6);
    qom_set(p, "power-cut", "3");
    femu_set_reg(drive, NVME_REG_AQA, aqa);
    femu_set_reg(drive, NVME_REG_ASQ, asq);
    femu_set_reg(drive, NVME_REG_ACQ, acq);
    femu_set_reg(drive, NVME_REG_CC, cc);
    for (unsigned i = 0; i < 4; i++) {
        step(p, 1000000);
    }
}

/* Blocks that a user has made bad, features, the list of namespaces. */
static void play_rest(Player *p)
{
    FemuDrive *drive = p->drive;
    uint32_t value;

    qom_set(p, "inject-read-error", "2 3");
    qom_set(p, "inject-write-error", "256 8");
    write_pattern(p, 0, 8);
    femu_set_feature(drive, NVME_ERROR_RECOVERY, 77);
    femu_set_feature(drive, NVME_POWER_MANAGEMENT, 0x40);
    qtest_writeq(drive->host->qts, drive->buf, UINT64_C(1767225600000));
    femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0, NVME_TIMESTAMP, 0,
               drive->buf);
    femu_get_log(drive, FEMU_LOG_STATS, 0, 0, NULL, 64);
    qtest_writel(drive->host->qts, drive->buf, 1);
    femu_admin(drive, NVME_ADM_CMD_NS_ATTACHMENT, 2, 1, 0, drive->buf);
    point(p);
    say_data(p, 0, 8);
    say_data(p, 4, 4);
    step(p, UINT64_C(5000000000));
    femu_admin(drive, NVME_ADM_CMD_GET_FEATURES, 0, NVME_TIMESTAMP, 0,
               drive->buf);
    SAY(p, "timestamp %" PRIx64 "\n",
        qtest_readq(drive->host->qts, drive->buf));
    femu_get_feature(drive, NVME_ERROR_RECOVERY, &value);
    SAY(p, "namespace 2: %x, recovery %" PRIu32 "\n",
        femu_identify(drive, 0, 0, 2, NULL), value);
    femu_get_feature(drive, NVME_POWER_MANAGEMENT, &value);
    SAY(p, "power %" PRIx32 "\n", value);
    SAY(p, "log: %x\n", femu_get_log(drive, FEMU_LOG_STATS, 0, 64, NULL,
                                     4096));
    SAY(p, "%08x\n", qtest_readl(drive->host->qts, drive->buf));
}

/* Flushes that wait for room, of several commands; some of two queues. */
static void play_flushes(Player *p)
{
    FemuDrive *drive = p->drive;
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 16, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 0; i < 8; i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE,
                                  femu_zone_lba(drive, i % 4) + i / 4 * 4, 4,
                                  drive->buf);

        cmd.cdw12 |= cpu_to_le32(FUA);
        femu_submit(i % 2 ? &sq : &drive->io, &cmd);
    }
    for (unsigned i = 0; i < 12; i++) {
        step(p, 250007);
        reap(p, &drive->io_cq);
        reap(p, &cq);
    }
    femu_step(drive->host, UINT64_C(1000000000));
    reap(p, &cq);
}

/* Stretches of a namespace without zones, the last of them at its end. */
static void play_flat(Player *p)
{
    uint32_t end = SSD_MIB / p->drive->config.ssd.lba_bytes;

    p->drive->nsid = 2;
    write_pattern(p, 3, 5);
    write_pattern(p, end / 2, 9);
    write_pattern(p, end - 7, 7);
    point(p);
    say_data(p, 0, end / 2);
    say_data(p, end / 2, end - end / 2);
    p->drive->nsid = 1;
}

/* A device's part of more than a piece of 64 KiB. */
static void play_large(Player *p)
{
    FemuDrive *drive = p->drive;
    NvmeCmd cmd = femu_cmd_report(drive, 0, 0, true, drive->buf, 256 * 1024);
    g_autofree uint8_t *report = g_malloc(256 * 1024);
    g_autofree char *sum = NULL;

    for (unsigned i = 0; i < 4; i++) {
        NvmeCmd set = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT,
                                    femu_zone_lba(drive, i), false);
        g_autofree uint8_t *ext = femu_pattern(drive, i, 4, 1);

        qtest_memwrite(drive->host->qts, drive->buf, ext, LARGE_EXT_BYTES);
        femu_set_prps(drive, &set, drive->buf, LARGE_EXT_BYTES);
        g_assert_cmphex(femu_exec(&drive->io, &set).status, ==, NVME_SUCCESS);
    }
    point(p);
    cmd.cdw13 = cpu_to_le32(NVME_ZONE_REPORT_EXTENDED);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, report, 256 * 1024);
    sum = g_compute_checksum_for_data(G_CHECKSUM_MD5, report, 256 * 1024);
    SAY(p, "%s\n", sum);
}

static const Scene scenes[] = {
    { "inside", "cmd-slots=5,write-buffer=512K,program-registers=1",
      NULL, play_inside },
    { "aside", "spare-superblocks=2,mapping=lazy", NULL, play_aside },
    { "events", "time-dilation=3", NULL, play_events },
    { "held", "time-dilation=2", NULL, play_held },
    { "masked", NULL, NULL, play_masked },
    { "pin", NULL, NULL, play_pin },
    { "parked", NULL, NULL, play_parked },
    { "format", "namespaces=2,conventional-size=1M", NULL, play_format },
    { "shutdown", "program-spread=5,seed=3", NULL, play_shutdown },
    { "cuts", "power-cut-at-ns=1200000,power-cut-at-command=9,"
      "power-cut-at-program=11,power-up-ns=3000000", NULL, play_cuts },
    { "back", "power-up-ns=3000000,power-cut-seed=9", NULL, play_back },
    { "rest", "namespaces=2,zd-extension-size=64", NULL, play_rest },
    { "flushes", "cmd-slots=5,write-cache=volatile,write-buffer=512K,"
      "program-registers=1", NULL, play_flushes },
    { "flat", "conventional-size=1M", NULL, play_flat },
    { "large", "zd-extension-size=16320", NULL, play_large },
    { "memdev", "memdev=data",
      "-object memory-backend-ram,id=data,size=32M", play_aside },
};

static char *file_new(const char *name)
{
    char *path = NULL;
    int fd = g_file_open_tmp(name, &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return path;
}

static FemuDrive *boot(const Scene *scene, const char *trace)
{
    FemuConfig config = femu_small_config();
    g_autofree char *extra = g_strdup_printf("trace=%s,%s%s", trace,
                                             "serial=moves,",
                                             scene->set ?: "seed=1");
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, extra);
    g_autofree char *args = g_strdup_printf("%s %s", scene->objects ?: "",
                                            device);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &config);

    femu_enable(drive);
    femu_io_queues_create(drive);
    return drive;
}

/* Return: all that the host sees, and the trace; *points is how many. */
static char *play(const Scene *scene, unsigned move_at, unsigned *points)
{
    g_autofree char *trace = file_new("femu-zns-moves-XXXXXX");
    g_autofree char *records = NULL;
    Player p = {
        .text = g_string_new(NULL),
        .drive = boot(scene, trace),
        .move_at = move_at,
    };

    scene->play(&p);
    femu_step(p.drive->host, UINT64_C(2000000000));
    reap(&p, &p.drive->io_cq);
    say_qom(&p, "stats");
    femu_shutdown(p.drive);
    g_assert_true(g_file_get_contents(trace, &records, NULL, NULL));
    SAY(&p, "%s", records);
    g_unlink(trace);
    *points = p.points;
    return g_string_free(p.text, FALSE);
}

static void test_scene(const void *data)
{
    const Scene *scene = data;
    unsigned points, other;
    g_autofree char *stays = play(scene, NEVER, &points);

    g_assert_cmpuint(points, >, 0);
    for (unsigned i = 0; i < points; i++) {
        g_autofree char *moves = play(scene, i, &other);

        g_assert_cmpstr(moves, ==, stays);
    }
}

/* --- Configurations ------------------------------------------------------- */

/* Where the first zones of namespace 1 begin, as the drive says. */
static void find_zones(FemuDrive *drive, uint64_t *start_lba, unsigned count)
{
    NvmeCmd cmd = femu_cmd_report(drive, 0, 0, true, drive->buf, 4096);

    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    for (unsigned i = 0; i < count; i++) {
        start_lba[i] = qtest_readq(drive->host->qts, drive->buf + 64 * (i + 1) +
                                   16);
    }
}

static void submit_at(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                      uint32_t nlb)
{
    NvmeCmd cmd = femu_cmd_rw(drive, opcode, slba, nlb, drive->buf);

    femu_submit(&drive->io, &cmd);
}

/* Writes to three zones, a finish, a reset and reads; then moves in between. */
static char *play_config(const char *args, bool moves)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &config);
    Player p = {
        .text = g_string_new(NULL),
        .drive = drive,
        .move_at = moves ? 1 : NEVER,
    };
    uint64_t zone[3];

    femu_enable(drive);
    femu_io_queues_create(drive);
    find_zones(drive, zone, ARRAY_SIZE(zone));
    for (unsigned i = 0; i < 24; i++) {
        submit_at(drive, NVME_CMD_WRITE, zone[i % 3] + i / 3 * 8, 8);
    }
    step(&p, 7000);
    submit_at(drive, NVME_CMD_READ, zone[0], 8);
    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, zone[1], false);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, zone[2], false);
    step(&p, 50001);
    for (unsigned i = 0; i < 20; i++) {
        step(&p, 100003);
        reap(&p, &drive->io_cq);
        submit_at(drive, NVME_CMD_WRITE, zone[0] + (8 + i) * 8, 8);
        submit_at(drive, NVME_CMD_READ, zone[0] + i * 8, 8);
    }
    step(&p, UINT64_C(100000000000));
    reap(&p, &drive->io_cq);
    say_qom(&p, "stats");
    femu_shutdown(drive);
    return g_string_free(p.text, FALSE);
}

static void test_configs(void)
{
    g_autofree char *folder = NULL;
    GDir *dir;
    const char *name;
    unsigned count = 0;

    if (!g_getenv("FEMU_TOP")) {
        g_test_skip("FEMU_TOP does not name the folder that has configs/");
        return;
    }
    folder = g_build_filename(g_getenv("FEMU_TOP"), "configs", NULL);
    dir = g_dir_open(folder, 0, NULL);
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *args = g_strdup_printf(
            "-readconfig %s/%s -set device.zns0.addr=04.0 "
            "-set device.zns0.id=zns4", folder, name);
        g_autofree char *stays = play_config(args, false);
        g_autofree char *moves = play_config(args, true);

        g_test_message("%s", name);
        g_assert_cmpstr(moves, ==, stays);
        count++;
    }
    g_dir_close(dir);
    g_assert_cmpuint(count, >, 5);
}

/* --- Two drives ----------------------------------------------------------- */

static FemuDrive *open_other(FemuHost *host, unsigned slot, uint64_t mailbox,
                             FemuCq *cq, FemuSq *sq)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_drive_open(host, slot, &config);

    femu_enable(drive);
    femu_msix_enable(drive);
    femu_msix_vector(drive, 1, mailbox, slot);
    femu_cq_create(drive, cq, 2, 16, 1);
    femu_sq_create(drive, sq, 2, 16, cq);
    return drive;
}

/*
 * Return: which of two drives is the last to send a message, at an instant at
 * which both do. The second one has set its timer first.
 */
static uint32_t last_of_two(bool moves)
{
    FemuConfig config = femu_small_config();
    g_autofree char *one = femu_device_args(&config, 4, NULL);
    g_autofree char *two = femu_device_args(&config, 5, NULL);
    g_autofree char *args = g_strdup_printf("%s %s", one, two);
    FemuHost *host = femu_host_start(args);
    uint64_t mailbox = femu_alloc(host, FEMU_PAGE_BYTES);
    FemuCq cq[2];
    FemuSq sq[2];
    FemuDrive *drives[] = {
        open_other(host, 4, mailbox, &cq[0], &sq[0]),
        open_other(host, 5, mailbox, &cq[1], &sq[1]),
    };
    uint32_t last;

    for (int i = 1; i >= 0; i--) {
        NvmeCmd cmd = femu_cmd_rw(drives[i], NVME_CMD_WRITE, 0, 4,
                                  drives[i]->buf);

        femu_submit(&sq[i], &cmd);
    }
    if (moves) {
        femu_host_move(host);
    }
    femu_step(host, 2000000);
    last = qtest_readl(host->qts, mailbox);
    femu_drive_close(drives[0]);
    femu_drive_close(drives[1]);
    femu_host_stop(host);
    return last;
}

static void test_order(void)
{
    g_assert_cmpuint(last_of_two(false), ==, 5);
    g_assert_cmpuint(last_of_two(true), ==, 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/move/configs", test_configs);
    qtest_add_func("femu-zns/move/order", test_order);
    for (unsigned i = 0; i < ARRAY_SIZE(scenes); i++) {
        g_autofree char *path = g_strdup_printf("femu-zns/move/%s",
                                                scenes[i].name);

        qtest_add_data_func(path, &scenes[i], test_scene);
    }
    return g_test_run();
}
