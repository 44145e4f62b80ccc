/*
 * How much one entry does: beyond a bound, what a guest asks for behind one
 * doorbell waits for another entry, a nanosecond later.
 *
 * Knows nothing of how long that takes on the host.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define COMMANDS 20u
#define READ_BYTES (512 * 1024u)
#define ZONES_MAX (1u << 20)
#define REPORT_ATTRIBUTES 9     /* ZRASF, ZNS 1.1, figure 34 */

/* What hw/femu/nvme/state/femu.h says that parts of an entry count. */
#define STATS_BYTES (256 * 1024u)
#define ZONE_BYTES 1024u
#define GRANULE_BYTES 16u

/* Commands that an entry executes if each counts `bytes`. */
static unsigned per_entry(uint64_t bytes)
{
    return DIV_ROUND_UP(FEMU_ENTRY_WORK_BYTES, bytes);
}

static unsigned completions(FemuCq *cq)
{
    FemuCqe cqe;
    unsigned count = 0;

    for (; femu_take(cq, &cqe); count++) {
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    }
    return count;
}

/* A guest page that the read has filled is no longer zero. */
static unsigned filled(FemuDrive *drive, const uint64_t *addrs)
{
    unsigned count = 0;

    for (unsigned i = 0; i < COMMANDS; i++) {
        count += qtest_readq(drive->host->qts, addrs[i]) != 0;
    }
    return count;
}

/* A read's data is in host memory when the command has been executed. */
static void test_data(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t nlb = READ_BYTES / config.ssd.lba_bytes;
    g_autofree uint8_t *data = femu_pattern(drive, 0, nlb, 1);
    uint64_t addrs[COMMANDS];

    g_assert_cmpuint(per_entry(FEMU_COMMAND_WORK_BYTES + READ_BYTES), ==, 8);
    g_assert_cmphex(femu_write(drive, 0, nlb, data), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < COMMANDS; i++) {
        NvmeCmd read;

        addrs[i] = femu_alloc(drive->host, READ_BYTES);
        read = femu_cmd_rw(drive, NVME_CMD_READ, 0, nlb, addrs[i]);
        femu_place(&drive->io, &read);
    }
    femu_ring(&drive->io);
    g_assert_cmpuint(filled(drive, addrs), ==, 8);
    femu_step(drive->host, 1);
    g_assert_cmpuint(filled(drive, addrs), ==, 16);
    femu_step(drive->host, 1);
    g_assert_cmpuint(filled(drive, addrs), ==, COMMANDS);
    femu_shutdown(drive);
}

/* Two queues go on taking turns where they were. */
static void test_turns(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t nlb = READ_BYTES / config.ssd.lba_bytes;
    g_autofree uint8_t *data = femu_pattern(drive, 0, nlb, 1);
    uint64_t addrs[COMMANDS];
    FemuCq cq;
    FemuSq other;

    g_assert_cmphex(femu_write(drive, 0, nlb, data), ==, NVME_SUCCESS);
    femu_cq_create(drive, &cq, 2, 16, -1);
    femu_sq_create(drive, &other, 2, 16, &cq);
    for (unsigned i = 0; i < COMMANDS; i++) {
        FemuSq *sq = i % 10 == 9 ? &other : &drive->io;
        NvmeCmd read;

        addrs[i] = femu_alloc(drive->host, READ_BYTES);
        read = femu_cmd_rw(drive, NVME_CMD_READ, 0, nlb, addrs[i]);
        femu_place(sq, &read);
    }
    femu_ring(&drive->io);
    femu_ring(&other);
    /* The other queue's doorbell is an entry, too: 1, 2 in turn, then 1. */
    g_assert_cmpuint(filled(drive, addrs), ==, 16);
    g_assert_cmpuint(qtest_readq(drive->host->qts, addrs[9]), !=, 0);
    g_assert_cmpuint(qtest_readq(drive->host->qts, addrs[19]), !=, 0);
    g_assert_cmpuint(qtest_readq(drive->host->qts, addrs[14]), !=, 0);
    g_assert_cmpuint(qtest_readq(drive->host->qts, addrs[15]), ==, 0);
    femu_shutdown(drive);
}

/* The text of the statistics counts as what it takes to make it. */
static void test_statistics(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd log = {
        .opcode = NVME_ADM_CMD_GET_LOG_PAGE,
        .nsid = cpu_to_le32(NVME_NSID_BROADCAST),
        .cdw10 = cpu_to_le32((FEMU_PAGE_BYTES / 4 - 1) << 16 | FEMU_LOG_STATS),
    };

    g_assert_cmpuint(per_entry(FEMU_COMMAND_WORK_BYTES + STATS_BYTES +
                               FEMU_PAGE_BYTES), ==, 16);
    femu_set_prps(drive, &log, drive->buf, FEMU_PAGE_BYTES);
    for (unsigned i = 0; i < COMMANDS; i++) {
        femu_place(&drive->admin, &log);
    }
    femu_ring(&drive->admin);
    g_assert_cmpuint(completions(&drive->admin_cq), ==, 16);
    femu_step(drive->host, 1);
    g_assert_cmpuint(completions(&drive->admin_cq), ==, COMMANDS - 16);
    femu_shutdown(drive);
}

#define REPORTS 63u     /* all that a queue of 64 entries takes */
#define REPORT_BYTES (128 * 1024u)

/* Reports behind one doorbell, of zones that are looked for. */
static void check_reports(FemuDrive *drive, uint64_t addr, uint8_t filter)
{
    unsigned most = per_entry(FEMU_COMMAND_WORK_BYTES + REPORT_BYTES);
    NvmeCmd cmd = femu_cmd_report(drive, 0, filter, false, addr,
                                  REPORT_BYTES);

    for (unsigned i = 0; i < REPORTS; i++) {
        femu_place(&drive->io, &cmd);
    }
    femu_ring(&drive->io);
    for (unsigned left = REPORTS; left > 0; left -= MIN(left, most)) {
        g_assert_cmpuint(completions(&drive->io_cq), ==, MIN(left, most));
        femu_step(drive->host, 1);
    }
    femu_ring_cq(&drive->io_cq);
}

/*
 * A report counts what it copies, whatever it looks for, as zones are found
 * without a look at all of them.
 */
static void test_reports(void)
{
    static const uint8_t filters[] = {
        NVME_ZONE_REPORT_ALL, NVME_ZONE_REPORT_EMPTY, NVME_ZONE_REPORT_FULL,
        REPORT_ATTRIBUTES,
    };
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t addr;

    config.ssd.zones = ZONES_MAX;
    drive = femu_boot(&config, NULL);
    addr = femu_alloc(drive->host, REPORT_BYTES);
    for (unsigned i = 0; i < ARRAY_SIZE(filters); i++) {
        check_reports(drive, addr, filters[i]);
    }
    femu_shutdown(drive);
}

/* Commands, and behind them a report, of which one can see when it comes. */
static void place_behind(FemuDrive *drive, const NvmeCmd *cmds, unsigned count)
{
    NvmeCmd report = femu_cmd_report(drive, 0, NVME_ZONE_REPORT_ALL, false,
                                     drive->buf, FEMU_PAGE_BYTES);

    qtest_writeq(drive->host->qts, drive->buf, 0);
    for (unsigned i = 0; i < count; i++) {
        femu_place(&drive->io, &cmds[i]);
    }
    femu_place(&drive->io, &report);
    femu_ring(&drive->io);
}

/*
 * A report waits behind so many commands, and behind one less it does not.
 * `cmds` are twice as many.
 */
static void check_last(FemuDrive *drive, const NvmeCmd *cmds, unsigned count)
{
    place_behind(drive, cmds, count);
    g_assert_cmpuint(qtest_readq(drive->host->qts, drive->buf), ==, 0);
    femu_step(drive->host, 1);
    g_assert_cmpuint(qtest_readq(drive->host->qts, drive->buf), ==,
                     drive->config.ssd.zones);
    place_behind(drive, cmds + count, count - 1);
    g_assert_cmpuint(qtest_readq(drive->host->qts, drive->buf), ==,
                     drive->config.ssd.zones);
}

/* Finish all zones but the first `spared`, and wait for that. */
static void finish_but(FemuDrive *drive, uint32_t spared)
{
    uint32_t zones = drive->config.ssd.zones;
    unsigned count;

    for (uint32_t z = spared; z < zones; z += count) {
        unsigned left;

        count = MIN(zones - z, 32);
        for (unsigned i = 0; i < count; i++) {
            NvmeCmd finish = femu_cmd_zone(NVME_ZONE_ACTION_FINISH,
                                           femu_zone_lba(drive, z + i), false);

            femu_place(&drive->io, &finish);
        }
        femu_ring(&drive->io);
        for (left = count; (left -= completions(&drive->io_cq)) > 0;) {
            femu_step_next(drive->host);
        }
        femu_ring_cq(&drive->io_cq);
    }
}

/* A command of one zone counts that zone. */
static void test_one_zone(void)
{
    unsigned most = per_entry(FEMU_COMMAND_WORK_BYTES + ZONE_BYTES);
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd open = femu_cmd_zone(NVME_ZONE_ACTION_OPEN, 0, false);
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 2 * most, -1);
    femu_sq_create(drive, &sq, 2, 2 * most, &cq);
    for (unsigned i = 0; i < most + 1; i++) {
        femu_place(&sq, &open);
    }
    femu_ring(&sq);
    g_assert_cmpuint(completions(&cq), ==, most);
    femu_step(drive->host, 1);
    g_assert_cmpuint(completions(&cq), ==, 1);
    femu_shutdown(drive);
}

/* Select All counts each zone that it changes: so many are an entry's. */
static void test_select_all(void)
{
    FemuConfig config = femu_small_config();
    const NvmeCmd cmds[] = {
        femu_cmd_zone(NVME_ZONE_ACTION_RESET, 0, true),
    };
    FemuDrive *drive;

    config.ssd.zones = (FEMU_ENTRY_WORK_BYTES - FEMU_COMMAND_WORK_BYTES) /
                       ZONE_BYTES;
    config.ssd.max_open = config.ssd.max_active = 0;
    drive = femu_boot(&config, NULL);
    finish_but(drive, 0);
    check_last(drive, cmds, 1);
    femu_shutdown(drive);
    drive = femu_boot(&config, NULL);
    finish_but(drive, 1);
    place_behind(drive, cmds, 1);
    g_assert_cmpuint(qtest_readq(drive->host->qts, drive->buf), ==,
                     config.ssd.zones);
    femu_shutdown(drive);
}

/* Of the zones that it does not change it counts none, as it finds none. */
static void test_select_none(void)
{
    static const uint8_t actions[] = {
        NVME_ZONE_ACTION_CLOSE, NVME_ZONE_ACTION_FINISH,
        NVME_ZONE_ACTION_OPEN, NVME_ZONE_ACTION_RESET,
        NVME_ZONE_ACTION_OFFLINE,
    };
    FemuConfig config = femu_small_config();
    NvmeCmd cmds[12 * ARRAY_SIZE(actions)];
    FemuDrive *drive;

    config.ssd.zones = ZONES_MAX;
    drive = femu_boot(&config, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(cmds); i++) {
        cmds[i] = femu_cmd_zone(actions[i % ARRAY_SIZE(actions)], 0, true);
    }
    place_behind(drive, cmds, ARRAY_SIZE(cmds));
    g_assert_cmpuint(qtest_readq(drive->host->qts, drive->buf), ==,
                     ZONES_MAX);
    femu_shutdown(drive);
}

#define LARGE_COMMANDS 8u

/* Eight of 512 KiB are an entry's. */
static void check_large(NvmeCmd (*cmd_of)(FemuDrive *drive, uint32_t zone_idx))
{
    FemuConfig config = femu_small_config();
    NvmeCmd cmds[2 * LARGE_COMMANDS];
    FemuDrive *drive;

    config.ssd.zones = 2 * LARGE_COMMANDS + 1;
    config.ssd.max_open = config.ssd.max_active = 0;
    drive = femu_boot(&config, NULL);
    femu_fill(drive, 0, READ_BYTES / config.ssd.lba_bytes);
    for (uint32_t i = 0; i < ARRAY_SIZE(cmds); i++) {
        cmds[i] = cmd_of(drive, i + 1);
    }
    check_last(drive, cmds, LARGE_COMMANDS);
    femu_shutdown(drive);
}

static NvmeCmd write_of(FemuDrive *drive, uint32_t zone_idx)
{
    return femu_cmd_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, zone_idx),
                       READ_BYTES / drive->config.ssd.lba_bytes,
                       drive->buf);
}

static NvmeCmd zeroes_of(FemuDrive *drive, uint32_t zone_idx)
{
    return (NvmeCmd) {
        .opcode = NVME_CMD_WRITE_ZEROES,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(femu_zone_lba(drive, zone_idx)),
        .cdw12 = cpu_to_le32(READ_BYTES / drive->config.ssd.lba_bytes - 1),
    };
}

/* A copy of what zone 0 has; its one range is less than a page of data. */
static NvmeCmd copy_of(FemuDrive *drive, uint32_t zone_idx)
{
    uint64_t addr = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    NvmeCopySourceRangeFormat0_2 range = {
        .nlb = cpu_to_le16(READ_BYTES / drive->config.ssd.lba_bytes - 1),
    };
    NvmeCmd cmd = {
        .opcode = NVME_CMD_COPY,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(femu_zone_lba(drive, zone_idx)),
    };

    qtest_bufwrite(drive->host->qts, addr, &range, sizeof(range));
    femu_set_prps(drive, &cmd, addr, sizeof(range));
    return cmd;
}

static void test_writes(void)
{
    check_large(write_of);
}

static void test_zeroes(void)
{
    check_large(zeroes_of);
}

static void test_copies(void)
{
    check_large(copy_of);
}

/* So many commands that deallocate all of namespace 2, `count` times each. */
static void place_deallocations(FemuDrive *drive, unsigned commands,
                                unsigned count)
{
    NvmeDsmRange all[256] = {};
    uint64_t nlb = drive->config.ssd.conventional_bytes /
                   drive->config.ssd.lba_bytes;
    NvmeCmd cmd = {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(2),
        .cdw10 = cpu_to_le32(count - 1),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
    };

    for (unsigned i = 0; i < count; i++) {
        all[i].nlb = cpu_to_le32(nlb);
    }
    qtest_memwrite(drive->host->qts, drive->buf, all, sizeof(all));
    femu_set_prps(drive, &cmd, drive->buf, count * sizeof(all[0]));
    for (unsigned i = 0; i < commands; i++) {
        femu_place(&drive->io, &cmd);
    }
    femu_ring(&drive->io);
}

/* A deallocation counts the granules that it names, each once. */
static void test_deallocations(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    unsigned most;

    config.ssd.pages_per_block = 256;
    config.ssd.zone_size_bytes = config.ssd.zone_capacity_bytes = 16 * SSD_MIB;
    config.ssd.conventional_bytes = 64 * SSD_MIB;
    drive = femu_boot(&config, NULL);
    for (unsigned count = 1; count <= 256; count += 255) {
        most = per_entry(FEMU_COMMAND_WORK_BYTES +
                         config.ssd.conventional_bytes / SSD_GRANULE_BYTES *
                         GRANULE_BYTES + count * sizeof(NvmeDsmRange));
        g_assert_cmpuint(most, <, COMMANDS);
        place_deallocations(drive, COMMANDS, count);
        g_assert_cmpuint(completions(&drive->io_cq), ==, most);
        femu_step(drive->host, 1);
        g_assert_cmpuint(completions(&drive->io_cq), ==, COMMANDS - most);
        femu_ring_cq(&drive->io_cq);
    }
    femu_shutdown(drive);
}

/* What the host's processors have done for QEMU's first thread. */
static uint64_t work_ns(FemuDrive *drive)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/schedstat",
        (int)qtest_pid(drive->host->qts));
    g_autofree char *text = NULL;

    return g_file_get_contents(path, &text, NULL, NULL)
           ? g_ascii_strtoull(text, NULL, 10) : 0;
}

static uint64_t deallocation_ns(FemuDrive *drive, unsigned count)
{
    uint64_t before_ns = work_ns(drive);

    place_deallocations(drive, 1, count);
    g_assert_cmpuint(completions(&drive->io_cq), ==, 1);
    return work_ns(drive) - before_ns;
}

/*
 * All of a large namespace 256 times is not 256 times the work, which it was:
 * of 64 GiB, many seconds for each command.
 */
static void test_large_deallocations(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t once_ns;

    config.ssd.pages_per_block = 1024;
    config.ssd.zone_size_bytes = config.ssd.zone_capacity_bytes = 64 * SSD_MIB;
    config.ssd.conventional_bytes = 4 * SSD_GIB;
    drive = femu_boot(&config, NULL);
    deallocation_ns(drive, 1);      /* the host's memory is there from now on */
    once_ns = deallocation_ns(drive, 1);
    if (once_ns) {
        g_assert_cmpuint(deallocation_ns(drive, 256), <, 64 * once_ns);
    } else {
        g_test_skip("this host does not tell what a process has done");
    }
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/work/" name, test)
    ADD("data", test_data);
    ADD("turns", test_turns);
    ADD("statistics", test_statistics);
    ADD("reports", test_reports);
    ADD("one-zone", test_one_zone);
    ADD("select-all", test_select_all);
    ADD("select-none", test_select_none);
    ADD("writes", test_writes);
    ADD("zeroes", test_zeroes);
    ADD("copies", test_copies);
    ADD("deallocations", test_deallocations);
    ADD("deallocations/large", test_large_deallocations);
#undef ADD
    return g_test_run();
}
