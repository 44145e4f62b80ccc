/*
 * A state: a drive that goes on in another QEMU, after an end of each kind.
 *
 * Knows nothing of the form of its files.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include <sys/resource.h>
#include "femu-zns-commands.h"

#define CC_READY 0x00460061u    /* 16 and 64 byte entries, all sets, enable */
#define CC_SHN_NORMAL (1u << 14)
#define EXT_BYTES 64

/* i440fx: a drive can be plugged and unplugged without a guest's help. */
#define HOTPLUG_MACHINE "-machine pc,pit=off "

static const char *const names[] = { "history", "data", "kept" };

static char *folder_new(void)
{
    char *folder = g_dir_make_tmp("femu-state-XXXXXX", NULL);

    g_assert_nonnull(folder);
    return folder;
}

static char *file_of(const char *folder, const char *name)
{
    return g_build_filename(folder, name, NULL);
}

static void folder_delete(char *folder)
{
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *path = file_of(folder, names[i]);

        g_unlink(path);
    }
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    g_free(folder);
}

static FemuDrive *boot(const FemuConfig *config, const char *folder)
{
    g_autofree char *extra = g_strdup_printf("state=%s", folder);

    return femu_boot(config, extra);
}

static FemuConfig conventional_config(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.conventional_bytes = SSD_MIB;
    config.ssd.zone_ext_bytes = EXT_BYTES;
    return config;
}

/*
 * The folder as it is now. QEMU does nothing while it waits for us, so this is
 * what a kill at this instant would leave.
 */
static char *folder_copy(const char *folder)
{
    char *copy = folder_new();

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *from = file_of(folder, names[i]);
        g_autofree char *to = file_of(copy, names[i]);
        g_autofree char *bytes = NULL;
        gsize count;

        g_assert_true(g_file_get_contents(from, &bytes, &count, NULL));
        g_assert_true(g_file_set_contents(to, bytes, count, NULL));
    }
    return copy;
}

static void shut_down(FemuDrive *drive)
{
    femu_set_reg(drive, NVME_REG_CC, CC_READY | CC_SHN_NORMAL);
    while (NVME_CSTS_SHST(femu_reg(drive, NVME_REG_CSTS)) != 2) {
        femu_step_next(drive->host);
    }
}

static NvmeSmartLog smart(FemuDrive *drive)
{
    NvmeSmartLog log;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    return log;
}

static void assert_power(FemuDrive *drive, uint64_t cycles, uint64_t unsafe)
{
    NvmeSmartLog log = smart(drive);

    g_assert_cmpuint(le64_to_cpu(log.power_cycles[0]), ==, cycles);
    g_assert_cmpuint(le64_to_cpu(log.unsafe_shutdowns[0]), ==, unsafe);
}

static void write_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                          unsigned seed)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);

    g_assert_cmphex(femu_write(drive, slba, nlb, data), ==, NVME_SUCCESS);
}

static void assert_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                           unsigned seed)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);

    femu_assert_data(drive, slba, nlb, data);
}

/* Zones in every state that a command can make, and a conventional one. */
static void use(FemuDrive *drive)
{
    uint64_t zone_nlb = femu_zone_nlb(&drive->config);

    write_pattern(drive, 0, 20, 1);
    write_pattern(drive, zone_nlb, 8, 2);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, zone_nlb,
                                   false), ==, NVME_SUCCESS);
    write_pattern(drive, zone_nlb, 3, 3);
    write_pattern(drive, 2 * zone_nlb, 5, 4);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH,
                                   2 * zone_nlb, false), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   3 * zone_nlb, false), ==, NVME_SUCCESS);
    drive->nsid = 2;
    write_pattern(drive, 3, 20, 5);
    write_pattern(drive, 8, 4, 6);
    drive->nsid = 1;
}

static void assert_used(FemuDrive *drive)
{
    uint64_t zone_nlb = femu_zone_nlb(&drive->config);

    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 20);
    assert_pattern(drive, 0, 20, 1);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_CLOSED, 3);
    assert_pattern(drive, zone_nlb, 3, 3);
    femu_assert_data(drive, zone_nlb + 3, 5, NULL);
    femu_assert_zone(drive, 2, NVME_ZONE_STATE_FULL, 0);
    assert_pattern(drive, 2 * zone_nlb, 5, 4);
    femu_assert_data(drive, 2 * zone_nlb + 5, 5, NULL);
    femu_assert_zone(drive, 3, NVME_ZONE_STATE_EMPTY, 0);
    drive->nsid = 2;
    femu_assert_data(drive, 0, 3, NULL);
    assert_pattern(drive, 3, 5, 5);
    assert_pattern(drive, 8, 4, 6);
    assert_pattern(drive, 12, 11, 5);
    femu_assert_data(drive, 23, 9, NULL);
    drive->nsid = 1;
}

/* femu-sim does this with it, and says that it is good. */
static void ask_sim(const char *command, const char *path, const char *good)
{
    const char *sim = g_getenv("FEMU_SIM");
    const char *argv[] = { sim, command, path, NULL };
    g_autofree char *out = NULL, *err = NULL;
    int status;

    if (!sim) {
        g_test_skip("FEMU_SIM does not name a femu-sim");
        return;
    }
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, &out,
                               &err, &status, NULL));
    g_test_message("femu-sim says: %s%s", out, err);
    g_assert_cmpint(status, ==, 0);
    g_assert_nonnull(strstr(out, good));
}

/* Ended in every way: by quit, by a shutdown, by a kill. */
static void test_lasts(void)
{
    FemuConfig config = conventional_config();
    char *folder = folder_new();
    FemuDrive *drive = boot(&config, folder);
    char *killed;

    assert_power(drive, 1, 0);
    use(drive);
    killed = folder_copy(folder);
    femu_shutdown(drive);

    ask_sim("state", killed, "power        1 cycles, 0 unsafe shutdowns, then "
            "not shut down");
    drive = boot(&config, killed);
    assert_power(drive, 2, 1);
    assert_used(drive);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);

    drive = boot(&config, folder);
    assert_power(drive, 2, 1);
    assert_used(drive);
    write_pattern(drive, 20, 4, 7);
    shut_down(drive);
    femu_shutdown(drive);

    ask_sim("state", folder, "zones      5 empty, 0 open, 2 closed, 1 full");
    drive = boot(&config, folder);
    assert_power(drive, 3, 1);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 24);
    assert_pattern(drive, 0, 20, 1);
    assert_pattern(drive, 20, 4, 7);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
    folder_delete(folder);
    folder_delete(killed);
}

/* What is counted goes on being counted; the error log is there. */
static void test_counters(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot(&config, folder);
    NvmeErrorLog first, again;
    uint64_t writes;

    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, 9, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    writes = le64_to_cpu(smart(drive).host_write_commands[0]);
    g_assert_cmpuint(writes, ==, 1);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &first,
                                 sizeof(first)), ==, NVME_SUCCESS);
    femu_shutdown(drive);
    drive = boot(&config, folder);
    g_assert_cmpuint(le64_to_cpu(smart(drive).host_write_commands[0]), ==, 1);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &again,
                                 sizeof(again)), ==, NVME_SUCCESS);
    g_assert_cmpmem(&first, sizeof(first), &again, sizeof(again));
    g_assert_cmpuint(le64_to_cpu(again.error_count), ==, 1);
    femu_shutdown(drive);
    folder_delete(folder);
}

/* A descriptor extension, a format of another size, a zone that has failed. */
static void test_rest(void)
{
    FemuConfig config = conventional_config();
    char *folder = folder_new();
    FemuDrive *drive = boot(&config, folder);
    uint64_t zone_nlb = femu_zone_nlb(&config);
    NvmeCmd set = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT, zone_nlb, false);
    g_autofree uint8_t *ext = femu_pattern(drive, 7, 1, 8);
    QDict *stats;
    uint64_t erases;

    qtest_memwrite(drive->host->qts, drive->buf, ext, EXT_BYTES);
    femu_set_prps(drive, &set, drive->buf, EXT_BYTES);
    g_assert_cmphex(femu_exec(&drive->io, &set).status, ==, NVME_SUCCESS);
    qobject_unref(qtest_qmp(drive->host->qts, "{'execute': 'qom-set', "
                            "'arguments': {'path': "
                            "'/machine/peripheral/zns4', 'property': "
                            "'zone-fail', 'value': '2 read-only'}}"));
    femu_fill(drive, 4, zone_nlb / 2);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 4 * zone_nlb,
                                   false), ==, NVME_SUCCESS);
    stats = femu_stats(drive);
    erases = femu_stat(stats, "wear/erases");
    qobject_unref(stats);
    g_assert_cmpuint(erases, >, 0);
    femu_shutdown(drive);

    drive = boot(&config, folder);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_CLOSED, 0);
    g_assert_cmphex(femu_zone(drive, 1).za, ==, NVME_ZA_ZD_EXT_VALID);
    g_assert_cmphex(femu_zone(drive, 2).zs >> 4, ==,
                    NVME_ZONE_STATE_READ_ONLY);
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "wear/erases"), ==, erases);
    qobject_unref(stats);
    femu_shutdown(drive);
    folder_delete(folder);
}

/* Of what QEMU has open, by /proc: what descriptor 0 is. */
static char *stdin_of(FemuHost *host)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/fd/0",
                                            (int)qtest_pid(host->qts));
    char *target = g_file_read_link(path, NULL);

    g_assert_nonnull(target);
    return target;
}

/*
 * A drive whose parameters are refused has opened nothing of its state, and
 * closes nothing of QEMU's.
 */
static void test_refused_parameters(void)
{
    g_autofree char *folder = folder_new();
    FemuHost *host = femu_host_start(HOTPLUG_MACHINE);
    g_autofree char *before = stdin_of(host);
    g_autofree char *after = NULL;
    QDict *reply = qtest_qmp(host->qts, "{'execute': 'device_add',"
                             "'arguments': {'driver': 'femu-zns',"
                             "'zones': 0, 'state': %s}}", folder);

    g_assert_true(qdict_haskey(reply, "error"));
    qobject_unref(reply);
    after = stdin_of(host);
    g_assert_cmpstr(before, ==, after);
    femu_host_stop(host);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* Unplugged, a drive gives its folder back; plugged in again, it goes on. */
static void test_unplugged(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    g_autofree char *extra = g_strdup_printf("state=%s", folder);
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, extra);
    g_autofree char *args = g_strconcat(HOTPLUG_MACHINE, device, NULL);
    FemuHost *host = femu_host_start(args);
    FemuDrive *drive = femu_drive_open(host, FEMU_SLOT, &config);

    femu_enable(drive);
    femu_io_queues_create(drive);
    write_pattern(drive, 0, 4, 1);
    femu_drive_close(drive);
    qpci_unplug_acpi_device_test(host->qts, "zns4", FEMU_SLOT);

    drive = boot(&config, folder);
    assert_power(drive, 2, 1);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 4);
    assert_pattern(drive, 0, 4, 1);
    femu_shutdown(drive);
    femu_host_stop(host);
    folder_delete(folder);
}

static uint64_t core_time_ns(FemuDrive *drive)
{
    QDict *stats = femu_stats(drive);
    uint64_t now_ns = qdict_get_int(stats, "now_ns");

    qobject_unref(stats);
    return now_ns;
}

/* Its time goes on where it was, whenever it is plugged in. */
static void test_plugged_in_later(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot(&config, folder);
    FemuHost *host;
    uint64_t then_ns;

    write_pattern(drive, 0, 4, 1);
    then_ns = core_time_ns(drive);
    g_assert_cmpuint(then_ns, ==, drive->host->now_ns);
    femu_shutdown(drive);

    host = femu_host_start(HOTPLUG_MACHINE);
    femu_step(host, 12345678);
    qtest_qmp_assert_success(host->qts, "{'execute': 'device_add',"
                             "'arguments': {'driver': 'femu-zns',"
                             "'addr': '04.0', 'serial': 'qtest-4',"
                             "'state': %s, 'zones': %" PRIu64 ","
                             "'zone-size': %" PRIu64 ","
                             "'zone-capacity': %" PRIu64 ","
                             "'max-open': %" PRIu64 ","
                             "'max-active': %" PRIu64 ","
                             "'pages-per-block': %" PRIu64 "}}", folder,
                             (uint64_t)config.ssd.zones,
                             config.ssd.zone_size_bytes,
                             config.ssd.zone_capacity_bytes,
                             (uint64_t)config.ssd.max_open,
                             (uint64_t)config.ssd.max_active,
                             (uint64_t)config.ssd.pages_per_block);
    drive = femu_drive_open(host, FEMU_SLOT, &config);
    femu_enable(drive);
    g_assert_cmpuint(core_time_ns(drive), ==, then_ns);
    femu_step(host, 1000);
    g_assert_cmpuint(core_time_ns(drive), ==, then_ns + 1000);
    femu_shutdown(drive);
    folder_delete(folder);
}

/* What was inside when it was killed is legal; what was told of is there. */
static void test_killed_inside(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot(&config, folder);
    uint64_t zone_nlb = femu_zone_nlb(&config);
    char *killed;

    write_pattern(drive, 0, 8, 1);
    write_pattern(drive, zone_nlb, 8, 2);
    femu_submit_rw(drive, NVME_CMD_WRITE, 8, 8);
    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, zone_nlb, false);
    killed = folder_copy(folder);
    femu_shutdown(drive);
    folder_delete(folder);

    drive = boot(&config, killed);
    assert_pattern(drive, 0, 8, 1);
    assert_pattern(drive, zone_nlb, 8, 2);
    g_assert_cmpuint(le64_to_cpu(femu_zone(drive, 0).wp) % 8, ==, 0);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
    folder_delete(killed);
}

/* A reset that had been accepted has been: there are no data any more. */
static void test_reset_inside(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot(&config, folder);

    write_pattern(drive, 0, 8, 1);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    femu_step(drive->host, 1000);
    femu_shutdown(drive);
    drive = boot(&config, folder);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_data(drive, 0, 8, NULL);
    write_pattern(drive, 0, 2, 2);
    femu_assert_data(drive, 2, 6, NULL);
    femu_shutdown(drive);
    folder_delete(folder);
}

/* --- A host without room ---------------------------------------------------- */

/*
 * From now on QEMU can write `more` bytes to the history, and then none, as if
 * the disk were full. It ignores SIGXFSZ, as its parent does.
 */
static void limit_history(FemuHost *host, const char *folder, uint64_t more)
{
    g_autofree char *history = file_of(folder, "history");
    struct rlimit limit;
    GStatBuf st;

    g_assert_cmpint(g_stat(history, &st), ==, 0);
    limit.rlim_cur = limit.rlim_max = st.st_size + more;
    g_assert_cmpint(prlimit(qtest_pid(host->qts), RLIMIT_FSIZE, &limit, NULL),
                    ==, 0);
}

static FemuDrive *boot_full(const FemuConfig *config, const char *folder,
                            const char *more_args)
{
    g_autofree char *extra = g_strdup_printf("state=%s", folder);
    g_autofree char *device = femu_device_args(config, FEMU_SLOT, extra);
    g_autofree char *args = g_strconcat(more_args, device, NULL);
    FemuDrive *drive;

    signal(SIGXFSZ, SIG_IGN);
    drive = femu_drive_open(femu_host_start(args), FEMU_SLOT, config);
    femu_enable(drive);
    femu_io_queues_create(drive);
    write_pattern(drive, 0, 4, 1);
    limit_history(drive->host, folder, 10);
    return drive;
}

static void assert_goes_on(const FemuConfig *config, char *folder)
{
    FemuDrive *drive = boot(config, folder);

    assert_power(drive, 2, 1);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 4);
    assert_pattern(drive, 0, 4, 1);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
    folder_delete(folder);
}

/* What cannot be recorded is not told, and nothing is after it. */
static void test_full_disk(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot_full(&config, folder, "-no-shutdown ");
    FemuHost *host = drive->host;
    FemuCqe cqe;

    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, 0, false);
    femu_step(host, UINT64_C(1000000000));
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    g_assert_true(femu_reg(drive, NVME_REG_CSTS) & NVME_CSTS_FAILED);
    femu_set_reg(drive, NVME_REG_CC, 0);
    femu_set_reg(drive, NVME_REG_CC, CC_READY);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_FAILED);
    femu_drive_close(drive);
    qtest_set_expected_status(host->qts, 1);
    femu_host_stop(host);
    assert_goes_on(&config, folder);
}

/* A shutdown that is not recorded has not been. */
static void test_full_disk_shutdown(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot_full(&config, folder, "-no-shutdown ");
    FemuHost *host = drive->host;

    femu_set_reg(drive, NVME_REG_CC, CC_READY | CC_SHN_NORMAL);
    femu_step(host, UINT64_C(1000000000));
    g_assert_cmpuint(NVME_CSTS_SHST(femu_reg(drive, NVME_REG_CSTS)), !=, 2);
    g_assert_true(femu_reg(drive, NVME_REG_CSTS) & NVME_CSTS_FAILED);
    femu_drive_close(drive);
    qtest_set_expected_status(host->qts, 1);
    femu_host_stop(host);
    assert_goes_on(&config, folder);
}

/* QEMU ends of itself, and says by its status that something is wrong. */
static void test_full_disk_ends(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot_full(&config, folder, "");
    FemuHost *host = drive->host;

    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    qtest_set_expected_status(host->qts, 1);
    qtest_wait_qemu(host->qts);
    femu_drive_close(drive);
    femu_host_stop(host);
    assert_goes_on(&config, folder);
}

/* Data of many parts, and zeroes behind them. */
static void test_parts(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot(&config, folder);
    NvmeCmd zeroes = femu_cmd_rw(drive, NVME_CMD_WRITE_ZEROES, 41, 50, 0);

    write_pattern(drive, 0, 41, 1);
    femu_submit(&drive->io, &zeroes);
    femu_step(drive->host, UINT64_C(1000000000));
    femu_expect_now(&drive->io_cq);
    femu_shutdown(drive);

    drive = boot(&config, folder);
    assert_pattern(drive, 0, 41, 1);
    femu_assert_data(drive, 41, 50, NULL);
    femu_shutdown(drive);
    folder_delete(folder);
}

/* Data that cannot be written end QEMU, once and for all. */
static void test_full_data(void)
{
    static const char name[] = "FEMU_STATE_FOLDER";
    const struct rlimit limit = { SSD_MIB, SSD_MIB };
    FemuConfig config = femu_small_config();
    char *folder;
    FemuDrive *drive;

    if (!g_test_subprocess()) {
        folder = folder_new();
        g_setenv(name, folder, TRUE);
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_failed();
        g_test_trap_assert_stderr("*femu-zns: data cannot be written: File "
                                  "too large*exit status 1 (expected 0)*");
        folder_delete(folder);
        return;
    }
    signal(SIGXFSZ, SIG_IGN);
    drive = boot(&config, g_getenv(name));
    write_pattern(drive, 0, 4, 1);
    g_assert_cmpint(prlimit(qtest_pid(drive->host->qts), RLIMIT_FSIZE, &limit,
                            NULL), ==, 0);
    write_pattern(drive, 2 * femu_zone_nlb(&config), 4, 1);
    exit(0);
}

/* --- Refused ---------------------------------------------------------------- */

typedef struct Refusal {
    const char *file;       /* of the state, that is changed: */
    const char *cut_from;   /* its end from here on, ... */
    const char *put;        /* ... and what comes there */
    const char *extra;
    const char *message;
} Refusal;

/* QEMU says this of the state, and does not start the drive. */
static void assert_refused(const FemuConfig *config, const char *folder,
                           const char *extra, const char *message)
{
    g_autofree char *more = g_strdup_printf("state=%s%s", folder, extra);
    g_autofree char *device = femu_device_args(config, FEMU_SLOT, more);
    g_autofree char *bios = femu_bios_create();
    g_autofree char *args = femu_machine_args(bios, device);
    g_auto(GStrv) words = NULL;
    g_autofree char *line = g_strdup_printf("%s -accel qtest -display none %s",
                                            g_getenv("QTEST_QEMU_BINARY"),
                                            args);
    g_autofree char *err = NULL;
    int status;

    g_assert_true(g_shell_parse_argv(line, NULL, &words, NULL));
    g_assert_true(g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL,
                               NULL, NULL, &err, &status, NULL));
    g_unlink(bios);
    g_test_message("%s", err);
    g_assert_cmpint(status, !=, 0);
    g_assert_nonnull(strstr(err, message));
}

static void change_file(const char *path, const Refusal *row)
{
    g_autofree char *bytes = NULL;
    g_autofree char *changed = NULL;
    gsize count, at = 0, put = strlen(row->put);
    char *found;

    g_assert_true(g_file_get_contents(path, &bytes, &count, NULL));
    if (*row->cut_from) {
        found = memmem(bytes, count, row->cut_from, strlen(row->cut_from));
        g_assert_nonnull(found);
        at = found - bytes;
    }
    changed = g_memdup2(bytes, at + put + 1);
    memcpy(changed + at, row->put, put);
    g_assert_true(g_file_set_contents(path, changed, at + put, NULL));
}

static void test_refused(void)
{
    static const Refusal rows[] = {
        { "history", "", "hello\n", "", "not a trace" },
        { "history", "", "", "", "not a trace" },
        { "history", "P,zones", "P,zones,twelve\n", "", "twelve" },
        { "history", "P,seed", "", "", "is of a drive with" },
        { "history", "S,0", "S,0,1\nS,1\n", "", "has 9 fields" },
        { "history", "S,0", "S,0,0,write,1,0,4,0,444\n", "",
          "has status 0x1bc there, 0x0 here" },
        { "history", "S,0", "S,0,0,write,1,0,4,0,0\nC,0,7,0,0\n", "",
          "is not done at 7 ns here" },
        { "history", "S,0", "S,0,0,write,1,0,4,0,0\nX,0\nX,0\n", "",
          "done with twice" },
        { "history", "S,0", "F,0,1,1,13\nF,0,1,1,13\n", "", "fails twice" },
        { "history", "S,0", "N,0,1,77\n", "", "cannot be formatted to 77" },
        { "data", "", "short", "", "has 5 bytes; this drive's has" },
        { "kept", "", "short", "", "has 5 bytes; this drive's has" },
        { NULL, NULL, NULL, ",program-ns=1234", "program-ns=" },
    };
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    FemuDrive *drive = boot(&config, folder);

    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    femu_shutdown(drive);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        const Refusal *row = &rows[i];
        char *copy = folder_copy(folder);

        if (row->file) {
            g_autofree char *path = file_of(copy, row->file);

            change_file(path, row);
        }
        assert_refused(&config, copy, row->extra, row->message);
        folder_delete(copy);
    }
    drive = boot(&config, folder);
    assert_power(drive, 2, 1);
    femu_shutdown(drive);
    folder_delete(folder);
}

static void test_refused_folders(void)
{
    FemuConfig config = femu_small_config();
    char *folder = folder_new();
    g_autofree char *other = file_of(folder, "other");
    FemuDrive *drive;

    g_assert_true(g_file_set_contents(other, "1", 1, NULL));
    assert_refused(&config, folder, "", "it is not the state of a drive");
    assert_refused(&config, other, "", "cannot be created");
    g_unlink(other);
    drive = boot(&config, folder);
    assert_refused(&config, folder, "", "another drive is using it");
    femu_shutdown(drive);
    assert_refused(&config, folder, ",memdev=m", "m");
    folder_delete(folder);
}

/* --- Traces ----------------------------------------------------------------- */

/* Both are traces of all that has happened, whichever QEMU it was in. */
static void test_traces(void)
{
    FemuConfig config = conventional_config();
    char *folder = folder_new();
    g_autofree char *history = file_of(folder, "history");
    g_autofree char *trace = file_of(folder, "trace");
    g_autofree char *extra = g_strdup_printf("state=%s,trace=%s", folder,
                                             trace);
    g_autofree char *lasting = NULL, *traced = NULL;
    FemuDrive *drive = boot(&config, folder);

    use(drive);
    femu_submit_rw(drive, NVME_CMD_WRITE, 20, 8);
    femu_shutdown(drive);
    drive = femu_boot(&config, extra);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 28);
    femu_submit_rw(drive, NVME_CMD_WRITE, 28, 8);
    femu_shutdown(drive);
    ask_sim("replay", history, " 0 differences");
    g_assert_true(g_file_get_contents(history, &lasting, NULL, NULL));
    g_assert_true(g_file_get_contents(trace, &traced, NULL, NULL));
    g_assert_cmpstr(lasting, ==, traced);
    g_unlink(trace);
    folder_delete(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/state/" name, test)
    ADD("lasts", test_lasts);
    ADD("counters", test_counters);
    ADD("rest", test_rest);
    ADD("killed-inside", test_killed_inside);
    ADD("reset-inside", test_reset_inside);
    ADD("full-disk", test_full_disk);
    ADD("full-disk-ends", test_full_disk_ends);
    ADD("full-disk-shutdown", test_full_disk_shutdown);
    ADD("refused", test_refused);
    ADD("refused-folders", test_refused_folders);
    ADD("refused-parameters", test_refused_parameters);
    ADD("unplugged", test_unplugged);
    ADD("plugged-in-later", test_plugged_in_later);
    ADD("parts", test_parts);
    ADD("full-data", test_full_data);
    ADD("traces", test_traces);
#undef ADD
    return g_test_run();
}
