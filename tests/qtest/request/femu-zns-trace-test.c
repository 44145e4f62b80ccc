/*
 * The trace file: every line of a small run, and a large random run that
 * femu-sim (named by FEMU_SIM in the environment) repeats without difference.
 *
 * Knows nothing of how femu-sim compares.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-folder.h"

#define STEPS 1500
#define MAX_INSIDE 48u          /* below FEMU_ENTRIES */

static char *temp_path(void)
{
    char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-trace-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return path;
}

static FemuDrive *boot(const FemuConfig *config, const char *path)
{
    g_autofree char *extra = g_strdup_printf("trace=%s", path);

    return femu_boot(config, extra);
}

/* The lines of a trace without its parameters; the file is removed. */
static GPtrArray *take_lines(const char *path)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *text = NULL;
    g_auto(GStrv) all = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_true(g_str_has_suffix(text, "\n"));
    all = g_strsplit(text, "\n", -1);
    for (char **line = all; **line; line++) {
        if (!g_str_has_prefix(*line, "P,")) {
            g_ptr_array_add(lines, g_strdup(*line));
        }
    }
    g_unlink(path);
    return lines;
}

static void assert_lines(const char *path, const char *const *expected,
                         unsigned count)
{
    g_autoptr(GPtrArray) lines = take_lines(path);

    for (unsigned i = 0; i < MIN(lines->len, count); i++) {
        g_assert_cmpstr(lines->pdata[i], ==, expected[i]);
    }
    g_assert_cmpuint(lines->len, ==, count);
}

/*
 * One of each kind of record, with 25 us transfers and 700 us programs. It
 * ends when the drive was last entered from outside.
 */
static void test_records(void)
{
    static const char *const expected[] = {
        "# femu-zns trace 2",
        "S,0,1000,write,1,0,4,0,0",
        "S,1,1000,write,1,9,1,0,444",             /* 1bch: invalid write */
        "S,2,1000,append,1,256,8,0,0",
        "C,0,726000,0,0",
        /* its first page waits for the write's transfer and program */
        "C,2,1426000,0,256",
        "S,3,1426000,read,1,1,1,0,0",
        "C,3,1511000,0,0",
        "S,4,1511000,flush,1,0,0,0,0",
        "C,4,1511000,0,0",
        "S,5,1511000,reset,1,0,0,1,0",
        "C,5,8511000,0,0",
        "E,8511000",
    };
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_path();
    FemuDrive *drive = boot(&config, path);
    NvmeCmd flush = femu_cmd_flush();
    uint64_t lba;

    femu_step_to(drive->host, 1000);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);
    femu_submit_rw(drive, NVME_CMD_WRITE, 9, 1);
    femu_expect_now(&drive->io_cq);
    femu_submit_rw(drive, NVME_CMD_ZONE_APPEND, 256, 8);
    femu_expect_at(&drive->io_cq, 726000);
    lba = femu_expect_at(&drive->io_cq, 1426000).result;
    g_assert_cmpuint(lba, ==, 256);
    g_assert_cmphex(femu_read(drive, 1, 1, NULL), ==, NVME_SUCCESS);
    femu_exec(&drive->io, &flush);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, true),
                    ==, NVME_SUCCESS);
    femu_step(drive->host, 1000);
    femu_shutdown(drive);
    assert_lines(path, expected, ARRAY_SIZE(expected));
}

/* Every record names its namespace; a flush of all is of 4294967295. */
static void test_records_namespaces(void)
{
    static const char *const expected[] = {
        "# femu-zns trace 2",
        "S,0,0,write,2,0,4,0,0",
        "C,0,725000,0,0",
        "S,1,725000,flush,2,0,0,0,0",
        "C,1,725000,0,0",
        "S,2,725000,flush,4294967295,0,0,0,0",
        "C,2,725000,0,0",
        "F,725000,2,1,15",
        "E,725000",
    };
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_path();
    NvmeCmd flush = femu_cmd_flush();
    FemuDrive *drive;

    config.ssd.namespaces = 2;
    drive = boot(&config, path);
    drive->nsid = 2;
    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    flush.nsid = cpu_to_le32(2);
    femu_exec(&drive->io, &flush);
    flush.nsid = cpu_to_le32(NVME_NSID_BROADCAST);
    femu_exec(&drive->io, &flush);
    qobject_unref(qtest_qmp(drive->host->qts, "{'execute': 'qom-set', "
                            "'arguments': {'path': "
                            "'/machine/peripheral/zns4', 'property': "
                            "'zone-fail', 'value': '2:1 offline'}}"));
    femu_shutdown(drive);
    assert_lines(path, expected, ARRAY_SIZE(expected));
}

/* A reset discards completions; times are core times. */
static void test_discard_and_dilation(void)
{
    static const char *const expected[] = {
        "# femu-zns trace 2",
        "S,0,333,write,1,0,4,0,0",
        "S,1,333,write,1,4,4,0,0",
        "X,0",
        "X,1",
        "E,666",
    };
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_path();
    FemuDrive *drive;

    config.time_dilation = 3;
    drive = boot(&config, path);
    femu_step_to(drive->host, 1000);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);
    femu_submit_rw(drive, NVME_CMD_WRITE, 4, 4);
    femu_step_to(drive->host, 2000);
    femu_disable(drive);
    femu_shutdown(drive);
    assert_lines(path, expected, ARRAY_SIZE(expected));
}

/* Every parameter is named once, with the value that is in force. */
static void test_parameters(void)
{
    static const char *const names[] = {
#define NAME(type, field, name, ...) name,
        SSD_PARAMS(NAME)
#undef NAME
    };
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_path();
    g_autofree char *text = NULL;

    femu_shutdown(boot(&config, path));
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_unlink(path);
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *start = g_strdup_printf("\nP,%s,", names[i]);
        char *found = strstr(text, start);

        g_assert_nonnull(found);
        g_assert_null(strstr(found + 1, start));
    }
    g_assert_nonnull(strstr(text, "\nP,zones,8\n"));
    g_assert_nonnull(strstr(text, "\nP,zone-capacity,786432\n"));
    g_assert_nonnull(strstr(text, "\nP,zone-channels,4\n"));
}

/* A random run */

static uint64_t random_below(uint64_t end)
{
    return g_test_rand_int_range(0, end);
}

/* Consume what is there; count it. */
static unsigned reap_all(FemuDrive *drive)
{
    FemuCqe cqe;
    unsigned count = 0;

    while (femu_reap(&drive->io_cq, &cqe)) {
        count++;
    }
    return count;
}

/* Where a write to the zone would have to go, or nearly. */
static uint64_t near_wp(FemuDrive *drive, uint32_t zone_idx, unsigned *inside)
{
    uint64_t addr = drive->buf + FEMU_BUF_BYTES - FEMU_PAGE_BYTES;
    NvmeCmd cmd = femu_cmd_report(drive, femu_zone_lba(drive, zone_idx),
                                  NVME_ZONE_REPORT_ALL, true, addr, 128);

    femu_submit(&drive->io, &cmd);
    *inside -= reap_all(drive) - 1;
    if (random_below(10) == 0) {
        return femu_zone_lba(drive, zone_idx) + random_below(200);
    }
    return qtest_readq(drive->host->qts, addr + 64 + 24);
}

static uint32_t random_zone(const FemuDrive *drive)
{
    return random_below(drive->config.ssd.zones /
                        drive->config.ssd.namespaces);
}

static void shut_down(FemuDrive *drive)
{
    femu_set_reg(drive, NVME_REG_CC, femu_reg(drive, NVME_REG_CC) |
                                     1u << CC_SHN_SHIFT);
    while (NVME_CSTS_SHST(femu_reg(drive, NVME_REG_CSTS)) != 2) {
        femu_step_next(drive->host);
    }
}

/* Open with a ZRWA, write around in it, or commit some of it. */
static void submit_zrwa(FemuDrive *drive, unsigned *inside)
{
    uint32_t zone_idx = random_zone(drive);
    uint64_t lba = femu_zone_lba(drive, zone_idx);
    uint64_t what = random_below(3);
    NvmeCmd cmd = femu_cmd_zone(NVME_ZONE_ACTION_OPEN, lba, false);

    if (what > 0) {
        lba = near_wp(drive, zone_idx, inside);
    }
    if (what == 0) {
        cmd.cdw13 |= cpu_to_le32(1u << 9);      /* ZRWAA */
        femu_submit(&drive->io, &cmd);
    } else if (what == 1) {
        femu_submit_rw(drive, NVME_CMD_WRITE, lba + random_below(40),
                       1 + random_below(16));
    } else {
        femu_submit_zone(drive, NVME_ZONE_ACTION_ZRWA_FLUSH,
                         lba - 1 + 4 * random_below(6), false);
    }
}

static void submit_random(FemuDrive *drive, unsigned *inside)
{
    uint32_t zone_idx = random_zone(drive);
    uint64_t zslba = femu_zone_lba(drive, zone_idx);
    uint32_t nlb = random_below(4) ? 1 + random_below(16)
                                   : 1 + random_below(100);
    uint64_t what = random_below(100);

    if (drive->config.ssd.zrwa_bytes && what < 50) {
        submit_zrwa(drive, inside);
    } else if (what < 40) {
        femu_submit_rw(drive, NVME_CMD_WRITE,
                       near_wp(drive, zone_idx, inside), nlb);
    } else if (what < 55) {
        femu_submit_rw(drive, NVME_CMD_ZONE_APPEND, zslba, nlb);
    } else if (what < 80) {
        femu_submit_rw(drive, NVME_CMD_READ, zslba + random_below(200), nlb);
    } else if (what < 83) {
        NvmeCmd flush = femu_cmd_flush();

        femu_submit(&drive->io, &flush);
    } else {
        femu_submit_zone(drive, NVME_ZONE_ACTION_CLOSE + random_below(4),
                         zslba, random_below(8) == 0);
    }
    ++*inside;
}

static void run_random(FemuDrive *drive)
{
    unsigned inside = 0;

    for (unsigned i = 0; i < STEPS; i++) {
        drive->nsid = 1 + random_below(drive->config.ssd.namespaces);
        submit_random(drive, &inside);
        inside -= reap_all(drive);
        while (inside > MAX_INSIDE) {
            femu_step_next(drive->host);
            inside -= reap_all(drive);
        }
        if (random_below(3) == 0) {
            femu_step(drive->host, random_below(400000));
            inside -= reap_all(drive);
        }
        if (i == STEPS / 2 || i == STEPS / 4) {
            if (i == STEPS / 4) {
                shut_down(drive);
            }
            femu_disable(drive);
            femu_enable(drive);
            femu_io_queues_create(drive);
            inside = 0;
        }
    }
    while (inside > 0) {
        femu_step_next(drive->host);
        inside -= reap_all(drive);
    }
}

/*
 * Reads and writes, appends and management with errors among them, a shutdown
 * and a reset on the way. Another run of the same: --seed of the one printed at
 * the start.
 */
static void check_replay(FemuConfig *config)
{
    g_autofree char *path = temp_path();
    FemuDrive *drive = boot(config, path);

    run_random(drive);
    femu_shutdown(drive);
    femu_ask_sim("replay", path, " 0 differences");
    g_unlink(path);
}

static void test_replay(void)
{
    FemuConfig config = femu_small_config();

    check_replay(&config);
}

static void test_replay_namespaces(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.namespaces = 2;
    check_replay(&config);
}

static void deallocate(FemuDrive *drive, uint64_t slba, uint32_t nlb)
{
    NvmeDsmRange range = {
        .slba = cpu_to_le64(slba),
        .nlb = cpu_to_le32(nlb),
    };
    NvmeCmd cmd = {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
    };

    qtest_bufwrite(drive->host->qts, drive->buf, &range, sizeof(range));
    femu_set_prps(drive, &cmd, drive->buf, sizeof(range));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
}

/* A random run on zones, then writes anywhere, with cleaning, and holes. */
static void test_replay_conventional(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_path();
    FemuDrive *drive;

    config.ssd.conventional_bytes = SSD_MIB;
    drive = boot(&config, path);
    run_random(drive);
    drive->nsid = 2;
    for (unsigned i = 0; i < STEPS / 8; i++) {
        uint64_t lba = random_below(256 - 40);

        if (random_below(8)) {
            g_assert_cmphex(femu_write(drive, lba, 1 + random_below(40), NULL),
                            ==, NVME_SUCCESS);
        } else {
            deallocate(drive, lba, 40);
        }
    }
    femu_shutdown(drive);
    femu_ask_sim("replay", path, " 0 differences");
    g_unlink(path);
}

/*
 * Some zones with a ZRWA, which a trace names only when it is allocated, and
 * excursions, which it does not name at all: they follow from the commands.
 */
static void test_replay_zrwa(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.zrwa_bytes = 64 * SSD_KIB;
    config.ssd.max_zrwa = 3;
    config.ssd.finish_recommended_ns = 5000000;
    config.ssd.excursion_ns = 20000000;
    check_replay(&config);
}

/* Odd times, shared channels, few slots, chunks, granules, dilation. */
static void test_replay_odd(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.channels = 2;
    config.ssd.ways = 2;
    config.ssd.dies = 2;
    config.ssd.zone_channels = 1;
    config.ssd.zone_dies = 1;
    config.ssd.page_transfer_ns = 24989;
    config.ssd.read_ns = 60013;
    config.ssd.program_ns = 700001;
    config.ssd.finish_chunk_bytes = 3 * config.ssd.page_bytes;
    config.ssd.read_granule_bytes = 4096;
    config.ssd.mgmt_parallel_zones = 3;
    config.ssd.cmd_slots = 7;
    config.time_dilation = 13;
    check_replay(&config);
}

/* A copy has R records for its ranges, a zone that fails an F record. */
static void test_replay_copy_and_failure(void)
{
    static const char *const expected[] = {
        "R,0,3", "R,4,1", "S,1,725000,copy,1,256,0,0,0", "F,725000,1,1,13",
        "S,2,725000,write,1,260,1,0,442",         /* 1bah: read-only */
    };
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_path();
    g_autoptr(GPtrArray) lines = NULL;
    FemuDrive *drive = boot(&config, path);
    NvmeCopySourceRangeFormat0_2 range[2] = {
        { .slba = 0, .nlb = cpu_to_le16(2) },
        { .slba = cpu_to_le64(4), .nlb = 0 },
    };
    NvmeCmd copy = {
        .opcode = NVME_CMD_COPY,
        .nsid = cpu_to_le32(FEMU_NSID),
        .dptr.prp1 = cpu_to_le64(drive->buf),
        .cdw10 = cpu_to_le32(256),
        .cdw12 = cpu_to_le32(1),
    };

    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    qtest_bufwrite(drive->host->qts, drive->buf, range, sizeof(range));
    femu_submit(&drive->io, &copy);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'zone-fail', 'value': '1 read-only'}}");
    femu_submit_rw(drive, NVME_CMD_WRITE, 260, 1);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==,
                    NVME_ZONE_READ_ONLY);
    while (reap_all(drive) == 0) {
        femu_step_next(drive->host);
    }
    femu_shutdown(drive);
    femu_ask_sim("replay", path, " 0 differences");
    lines = take_lines(path);
    for (unsigned i = 0; i < ARRAY_SIZE(expected); i++) {
        g_assert_cmpstr(lines->pdata[3 + i], ==, expected[i]);
    }
}

/* Records of a zone that fails, of a reset's discard, of a format: 8. */
static void make_odd_records(FemuDrive *drive)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'zone-fail', 'value': '7 offline'}}");
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_step(drive->host, 2 * femu_page_write_ns(drive));
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM, FEMU_NSID, 1, 0,
                               0).status, ==, NVME_SUCCESS);
    femu_assert_works(drive, 0);
}

static void exec_flushes(FemuDrive *drive, unsigned count)
{
    NvmeCmd flush = femu_cmd_flush();

    for (unsigned i = 0; i < count; i++) {
        g_assert_cmphex(femu_exec(&drive->io, &flush).status, ==,
                        NVME_SUCCESS);
    }
}

static char *file_text(const char *path)
{
    char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

/*
 * QEMU says when the trace ends for want of room, after 4096 records, of which
 * a command has two; and the drive goes on. QEMU's status is 1. By these words scripts/run knows
 * that a run has failed.
 */
static void test_disk_full(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_path();
    g_autofree char *before = NULL;
    g_autofree char *said = NULL;
    g_autofree char *after = NULL;
    const char *message;
    int ours = dup(STDERR_FILENO), qemus = open(path, O_WRONLY | O_APPEND);
    FemuDrive *drive;

    g_assert_cmpint(ours, >=, 0);
    g_assert_cmpint(dup2(qemus, STDERR_FILENO), >=, 0);
    drive = boot(&config, "/dev/full");
    g_assert_cmpint(dup2(ours, STDERR_FILENO), >=, 0);
    close(ours);
    close(qemus);
    make_odd_records(drive);
    exec_flushes(drive, (4096 - 8) / 2 - 1);
    before = file_text(path);
    g_assert_null(strstr(before, "femu-zns: "));
    exec_flushes(drive, 1);
    said = file_text(path);
    message = strstr(said, "femu-zns: cannot write trace '/dev/full': No space "
                           "left on device\n");
    g_assert_nonnull(message);
    g_assert_null(strstr(message + 1, "femu-zns: ")); /* it is said once */
    exec_flushes(drive, 2048);
    femu_assert_works(drive, 1);
    qtest_set_expected_status(drive->host->qts, 1);
    femu_shutdown(drive);
    after = file_text(path);
    g_assert_cmpstr(after, ==, said);
    g_unlink(path);
}

/* Records in a file; the last line is whole. */
static unsigned count_records(const char *path)
{
    g_autofree char *text = file_text(path);
    unsigned count = 0;

    for (const char *at = text; (at = strchr(at, '\n')) && at[1]; at++) {
        count += at[1] != 'P';
    }
    return count;
}

/*
 * The trace is written after 4096 records, and after 4096 more: a kill loses no
 * more, and time is not spent on it before.
 */
static void test_flushed(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_path();
    FemuDrive *drive = boot(&config, path);

    for (unsigned i = 1; i <= 3; i++) {
        exec_flushes(drive, 4096 / 2 - 1);
        g_assert_cmpuint(count_records(path), <, i * 4096 - 2);
        exec_flushes(drive, 1);
        g_assert_cmpuint(count_records(path), ==, i * 4096);
    }
    femu_shutdown(drive);
    g_unlink(path);
}

/* More records than a trace is flushed behind, of a drive that has none. */
static void test_none(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);

    for (unsigned i = 0; i < 4100; i++) {
        g_assert_cmphex(femu_write(drive, 9, 1, NULL), !=, NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/trace/records", test_records);
    qtest_add_func("femu-zns/trace/records-namespaces",
                   test_records_namespaces);
    qtest_add_func("femu-zns/trace/discard-and-dilation",
                   test_discard_and_dilation);
    qtest_add_func("femu-zns/trace/parameters", test_parameters);
    qtest_add_func("femu-zns/trace/disk-full", test_disk_full);
    qtest_add_func("femu-zns/trace/flushed", test_flushed);
    qtest_add_func("femu-zns/trace/none", test_none);
    qtest_add_func("femu-zns/trace/replay", test_replay);
    qtest_add_func("femu-zns/trace/replay-namespaces", test_replay_namespaces);
    qtest_add_func("femu-zns/trace/replay-conventional",
                   test_replay_conventional);
    qtest_add_func("femu-zns/trace/replay-zrwa", test_replay_zrwa);
    qtest_add_func("femu-zns/trace/replay-odd", test_replay_odd);
    qtest_add_func("femu-zns/trace/replay-copy-and-failure",
                   test_replay_copy_and_failure);
    return g_test_run();
}
