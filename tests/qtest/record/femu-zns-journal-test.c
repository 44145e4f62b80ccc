/*
 * Trace and journal of a drive: of any instant of them femu-sim (named by
 * FEMU_SIM in the environment) makes the state with which the drive goes on as
 * it did when its power was cut there.
 *
 * Knows nothing of how femu-sim does it, or of what a cut leaves.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"
#include "qemu/bswap.h"
#include "qobject/qdict.h"

#define PATH "/machine/peripheral/zns4"
#define EXT_BYTES 64
#define ROUNDS 10
#define LEAST_COMMANDS 6
#define MOST_NLB 24
#define SHOWN_NLB 64            /* of each zone, and of the conventional one */
#define CONVENTIONAL_NSID 2

static FemuConfig config_of(bool is_volatile)
{
    FemuConfig config = femu_small_config();

    config.ssd.conventional_bytes = SSD_MIB;
    config.ssd.zone_ext_bytes = EXT_BYTES;
    config.ssd.fe_reset_ns = 1000000;
    config.ssd.write_cache = is_volatile ? SSD_WRITE_CACHE_VOLATILE
                                         : SSD_WRITE_CACHE_PROTECTED;
    return config;
}

/* Commands, drawn by a number that no command changes. */

static void begin_write(FemuDrive *drive, GRand *rand, uint8_t opcode,
                        uint64_t slba, uint32_t nlb)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb,
                                            g_rand_int(rand));

    qtest_memwrite(drive->host->qts, drive->buf, data,
                   (size_t)nlb * drive->config.ssd.lba_bytes);
    femu_submit_rw(drive, opcode, slba, nlb);
}

static void set_extension(FemuDrive *drive, GRand *rand, uint64_t slba)
{
    NvmeCmd set = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT, slba, false);
    g_autofree uint8_t *ext = femu_pattern(drive, slba, 1, g_rand_int(rand));

    qtest_memwrite(drive->host->qts, drive->buf, ext, EXT_BYTES);
    femu_set_prps(drive, &set, drive->buf, EXT_BYTES);
    femu_submit(&drive->io, &set);
}

/* A write that is always accepted: the cut behind it is that of its command. */
static void begin_conventional(FemuDrive *drive, GRand *rand, uint32_t nlb)
{
    drive->nsid = CONVENTIONAL_NSID;
    begin_write(drive, rand, NVME_CMD_WRITE,
                g_rand_int_range(rand, 0, SHOWN_NLB - MOST_NLB), nlb);
    drive->nsid = FEMU_NSID;
}

/* A command to a zone: any, whether its state allows it or not. */
static void begin_any(FemuDrive *drive, GRand *rand)
{
    uint32_t zone_idx = g_rand_int_range(rand, 0, 4);
    uint64_t slba = femu_zone_lba(drive, zone_idx);
    int what = g_rand_int_range(rand, 0, 20);
    uint32_t nlb = g_rand_int_range(rand, 1, MOST_NLB);
    NvmeCmd flush = femu_cmd_flush();

    if (what < 10) {
        begin_write(drive, rand, NVME_CMD_ZONE_APPEND, slba, nlb);
    } else if (what < 13) {
        femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, slba, what == 10);
    } else if (what < 14) {
        femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, slba, false);
    } else if (what < 16) {
        set_extension(drive, rand, slba);
    } else if (what < 18) {
        femu_submit(&drive->io, &flush);
    } else {
        begin_conventional(drive, rand, nlb);
    }
}

/* Take what is done, for `ns`. */
static void let_run(FemuDrive *drive, uint64_t ns)
{
    FemuCqe cqe;

    femu_step(drive->host, ns);
    while (femu_take(&drive->io_cq, &cqe)) {
        ;
    }
}

static void cut(FemuDrive *drive, unsigned seed)
{
    g_autofree char *text = g_strdup_printf("%u", seed);

    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {'path': %s,"
                             "'property': 'power-cut', 'value': %s}}", PATH,
                             text);
}

/* What is there: zones, extensions, data, what the host has asked for. */

static void add_data(FemuDrive *drive, GByteArray *found, uint64_t slba)
{
    g_autofree uint8_t *data = g_malloc(SHOWN_NLB *
                                        drive->config.ssd.lba_bytes);

    g_assert_cmphex(femu_read(drive, slba, SHOWN_NLB, data), ==, NVME_SUCCESS);
    g_byte_array_append(found, data, SHOWN_NLB * drive->config.ssd.lba_bytes);
}

static GByteArray *look(FemuDrive *drive)
{
    GByteArray *found = g_byte_array_new();
    NvmeSmartLog smart;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &smart,
                                 sizeof(smart)), ==, NVME_SUCCESS);
    g_byte_array_append(found, (uint8_t *)smart.host_write_commands,
                        sizeof(smart.host_write_commands));
    for (uint32_t i = 0; i < drive->config.ssd.zones; i++) {
        uint8_t report[sizeof(NvmeZoneReportHeader) + sizeof(NvmeZoneDescr) +
                       EXT_BYTES];
        NvmeCmd cmd = femu_cmd_report(drive, femu_zone_lba(drive, i), 0, true,
                                      drive->buf, sizeof(report));

        cmd.cdw13 |= cpu_to_le32(1);    /* the extended report */
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
        qtest_memread(drive->host->qts, drive->buf, report, sizeof(report));
        g_byte_array_append(found, report, sizeof(report));
        add_data(drive, found, femu_zone_lba(drive, i));
    }
    drive->nsid = CONVENTIONAL_NSID;
    add_data(drive, found, 0);
    drive->nsid = FEMU_NSID;
    return found;
}

/* A run that is cut now and then, and what is there behind each cut. */
static GPtrArray *run(const FemuConfig *config, const char *trace,
                      const char *journal, unsigned seed)
{
    g_autofree char *extra = g_strdup_printf("trace=%s,journal=%s", trace,
                                             journal);
    FemuDrive *drive = femu_boot(config, extra);
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    GPtrArray *found = g_ptr_array_new_with_free_func(
        (GDestroyNotify)g_byte_array_unref);

    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < LEAST_COMMANDS + round; i++) {
            begin_any(drive, rand);
            let_run(drive, g_rand_int_range(rand, 0, 2000000));
        }
        begin_any(drive, rand);
        begin_conventional(drive, rand, 1);
        cut(drive, round);
        femu_enable(drive);
        femu_io_queues_create(drive);
        g_ptr_array_add(found, look(drive));
    }
    femu_shutdown(drive);
    return found;
}

/* How many commands had been accepted when each cut came, by the trace. */
static GArray *commands_at_cuts(const char *trace)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    GArray *at = g_array_new(false, false, sizeof(uint64_t));
    uint64_t accepted = 0;

    g_assert_true(g_file_get_contents(trace, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        accepted += g_str_has_prefix(*line, "S,") &&
                    g_str_has_suffix(*line, ",0");
        if (g_str_has_prefix(*line, "O,")) {
            g_array_append_val(at, accepted);
        }
    }
    return at;
}

/* Run femu-sim cut. Return: its exit status; what it said is in *said. */
static int sim_cut(const char *trace, const char *journal, const char *folder,
                   uint64_t command, unsigned seed, char **said)
{
    g_autofree char *at = g_strdup_printf("--at-command=%" PRIu64, command);
    g_autofree char *seed_option = g_strdup_printf("--seed=%u", seed);
    const char *argv[] = { g_getenv("FEMU_SIM"), "cut", trace, at, seed_option,
                           "--journal", journal, "--state", folder, NULL };
    g_autofree char *out = NULL;
    int wait_status;

    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, &out,
                               said, &wait_status, NULL));
    g_assert_true(WIFEXITED(wait_status));
    return WEXITSTATUS(wait_status);
}

static void folder_delete(const char *folder)
{
    static const char *const names[] = { "history", "data", "kept",
                                         "sums" };

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);

        g_unlink(path);
    }
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* The drive that was cut there, in a QEMU of its own, is what was found. */
static void check_cut(const FemuConfig *config, const char *folder,
                      const GByteArray *wanted)
{
    g_autofree char *extra = g_strdup_printf("state=%s", folder);
    FemuDrive *drive = femu_boot(config, extra);
    g_autoptr(GByteArray) got = look(drive);

    g_assert_cmpmem(got->data, got->len, wanted->data, wanted->len);
    femu_shutdown(drive);
}

static void check_run(bool is_volatile, unsigned seed)
{
    FemuConfig config = config_of(is_volatile);
    g_autofree char *top = g_dir_make_tmp("femu-journal-XXXXXX", NULL);
    g_autofree char *trace = g_build_filename(top, "trace", NULL);
    g_autofree char *journal = g_build_filename(top, "journal", NULL);
    g_autofree char *folder = g_build_filename(top, "state", NULL);
    g_autoptr(GPtrArray) found = run(&config, trace, journal, seed);
    g_autoptr(GArray) at = commands_at_cuts(trace);

    g_assert_cmpuint(at->len, ==, ROUNDS);
    for (unsigned i = 0; i < ROUNDS; i++) {
        g_autofree char *said = NULL;

        g_test_message("seed %u, cut %u", seed, i);
        g_assert_cmpint(sim_cut(trace, journal, folder,
                                g_array_index(at, uint64_t, i), i, &said),
                        ==, 0);
        check_cut(&config, folder, found->pdata[i]);
        folder_delete(folder);
    }
    g_unlink(trace);
    g_unlink(journal);
    g_assert_cmpint(g_rmdir(top), ==, 0);
}

static bool has_sim(void)
{
    if (!g_getenv("FEMU_SIM")) {
        g_test_skip("FEMU_SIM does not name a femu-sim");
        return false;
    }
    return true;
}

static void test_protected(void)
{
    if (has_sim()) {
        check_run(false, 1);
        check_run(false, 2);
    }
}

static void test_volatile(void)
{
    if (has_sim()) {
        check_run(true, 3);
        check_run(true, 4);
    }
}

/* What the last command has counted is there, though none comes behind it. */
static void test_last(void)
{
    FemuConfig config = config_of(false);
    g_autofree char *top = g_dir_make_tmp("femu-journal-XXXXXX", NULL);
    g_autofree char *trace = g_build_filename(top, "trace", NULL);
    g_autofree char *journal = g_build_filename(top, "journal", NULL);
    g_autofree char *folder = g_build_filename(top, "state", NULL);
    g_autofree char *extra = g_strdup_printf("trace=%s,journal=%s", trace,
                                             journal);
    g_autofree char *said = NULL;
    NvmeSmartLog smart;
    FemuDrive *drive;

    if (!has_sim()) {
        return;
    }
    drive = femu_boot(&config, extra);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
    g_assert_cmpint(sim_cut(trace, journal, folder, 1, 1, &said), ==, 0);
    g_free(extra);
    extra = g_strdup_printf("state=%s", folder);
    drive = femu_boot(&config, extra);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &smart,
                                 sizeof(smart)), ==, NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(smart.host_write_commands[0]), ==, 1);
    femu_shutdown(drive);
    folder_delete(folder);
    g_unlink(trace);
    g_unlink(journal);
    g_assert_cmpint(g_rmdir(top), ==, 0);
}

/* A journal's entries: behind how many commands, where, how many bytes. */
static char *entries_of(const char *journal, const FemuConfig *config)
{
    uint64_t data_bytes = config->ssd.zones * config->ssd.zone_capacity_bytes +
                          config->ssd.conventional_bytes;
    GString *text = g_string_new(NULL);
    g_autofree char *bytes = NULL;
    const char *at, *end;
    gsize count;

    g_assert_true(g_file_get_contents(journal, &bytes, &count, NULL));
    end = bytes + count;
    g_assert_true(g_str_has_prefix(bytes, "# femu-zns journal 2\n"));
    for (at = strchr(bytes, '\n') + 1; at < end; ) {
        uint64_t behind = ldq_le_p(at), to = ldq_le_p(at + 8);
        uint64_t size = ldq_le_p(at + 16);

        at += 24 + (size >> 63 ? 0 : size);
        if (to == UINT64_MAX) {
            g_string_append_printf(text, "%" PRIu64 " end %" PRIu64 "\n",
                                   behind, size);
            continue;
        }
        g_string_append_printf(text, "%" PRIu64 " %s %" PRIu64 " %s%" PRIu64
                               "\n", behind, to < data_bytes ? "data" : "kept",
                               to - (to < data_bytes ? 0 : data_bytes),
                               size >> 63 ? "zeroes " : "",
                               size & INT64_MAX);
    }
    g_assert_true(at == end);
    return g_string_free(text, FALSE);
}

/* Each byte that was written is there, and a counter when it has changed. */
static void test_entries(void)
{
    FemuConfig config = config_of(false);
    g_autofree char *top = g_dir_make_tmp("femu-journal-XXXXXX", NULL);
    g_autofree char *trace = g_build_filename(top, "trace", NULL);
    g_autofree char *journal = g_build_filename(top, "journal", NULL);
    g_autofree char *extra = g_strdup_printf("trace=%s,journal=%s", trace,
                                             journal);
    FemuDrive *drive = femu_boot(&config, extra);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 4, 1);
    g_autofree char *text = NULL;

    g_assert_cmphex(femu_write(drive, 0, 4, data), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_read(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, 9, 1, NULL), ==, NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(femu_write(drive, 4, 1, NULL), ==, NVME_SUCCESS);
    femu_shutdown(drive);
    text = entries_of(journal, &config);
    g_assert_cmpstr(text, ==,
                    "0 kept 24 8\n"                 /* power cycles */
                    "1 data 0 16384\n"
                    "1 kept 4168 8\n1 kept 4184 8\n" /* writes, their bytes */
                    "2 kept 4160 8\n2 kept 4176 8\n" /* reads, their bytes */
                    "3 kept 48 8\n"                 /* errors, and one's log */
                    "3 kept 64 8\n3 kept 72 8\n3 kept 80 8\n3 kept 88 8\n"
                    "4 data 16384 4096\n"
                    "4 kept 4168 8\n4 kept 4184 8\n"
                    "4 end 0\n");
    g_unlink(trace);
    g_unlink(journal);
    g_assert_cmpint(g_rmdir(top), ==, 0);
}

static void assert_refused(const char *extra, const char *want)
{
    FemuConfig config = config_of(false);
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, extra);
    g_autofree char *bios = femu_bios_create();
    g_autofree char *args = femu_machine_args(bios, device);
    g_autofree char *line = g_strdup_printf("%s -accel qtest -display none %s",
                                            g_getenv("QTEST_QEMU_BINARY"),
                                            args);
    g_auto(GStrv) words = NULL;
    g_autofree char *said = NULL;
    int status;

    g_assert_true(g_shell_parse_argv(line, NULL, &words, NULL));
    g_assert_true(g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL,
                               NULL, NULL, &said, &status, NULL));
    g_unlink(bios);
    g_test_message("%s", said);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 1);
    g_assert_nonnull(strstr(said, want));
}

static void test_refused(void)
{
    g_autofree char *top = g_dir_make_tmp("femu-journal-XXXXXX", NULL);
    g_autofree char *no_trace = g_strdup_printf("journal=%s/journal", top);
    g_autofree char *with_state = g_strdup_printf(
        "journal=%s/journal,trace=%s/trace,state=%s/state", top, top, top);
    g_autofree char *nowhere = g_strdup_printf(
        "journal=%s/no/journal,trace=%s/trace", top, top);
    g_autofree char *one_file = g_strdup_printf(
        "trace=%s/trace,journal=%s/./trace", top, top);
    g_autofree char *two_drives = g_strdup_printf(
        "trace=%s/trace -device femu-zns,trace=%s/trace", top, top);

    assert_refused(no_trace, "needs trace= as well");
    assert_refused(with_state, "and state= exclude each other");
    assert_refused(nowhere, "cannot create journal");
    assert_refused(one_file, "/./trace: a drive of this machine writes its "
                   "trace or journal there");
    assert_refused(two_drives, "a drive of this machine writes its trace");
}

/* What a QEMU writes is no other's, until it has ended. */
static void test_another_qemu(void)
{
    FemuConfig config = config_of(false);
    g_autofree char *top = g_dir_make_tmp("femu-journal-XXXXXX", NULL);
    g_autofree char *extra = g_strdup_printf("trace=%s/t,journal=%s/j", top,
                                             top);
    g_autofree char *one_trace = g_strdup_printf("trace=%s/t", top);
    g_autofree char *one_journal = g_strdup_printf(
        "trace=%s/t2,journal=%s/j", top, top);
    FemuDrive *drive = femu_boot(&config, extra);

    assert_refused(one_trace, "/t: a drive of another QEMU writes its trace or "
                   "journal there; name another file");
    assert_refused(one_journal, "/j: a drive of another QEMU writes its trace");
    femu_shutdown(drive);
    drive = femu_boot(&config, extra);
    femu_shutdown(drive);
}

/* A journal that has no room: QEMU says so in the end, and by its status. */
static void test_disk_full(void)
{
    FemuConfig config = config_of(false);

    if (g_test_subprocess()) {
        FemuDrive *drive = femu_boot(&config,
                                     "trace=/dev/null,journal=/dev/full");

        femu_assert_works(drive, 0);
        qtest_set_expected_status(drive->host->qts, 1);
        femu_shutdown(drive);
        exit(0);
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    g_test_trap_assert_stderr("*femu-zns: cannot write journal '/dev/full': No "
                              "space left on device*");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/journal/" name, test)
    ADD("protected", test_protected);
    ADD("volatile", test_volatile);
    ADD("last", test_last);
    ADD("entries", test_entries);
    ADD("refused", test_refused);
    ADD("another-qemu", test_another_qemu);
    ADD("disk-full", test_disk_full);
#undef ADD
    return g_test_run();
}
