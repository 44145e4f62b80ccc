/*
 * A state: a drive that goes on in another QEMU, after an end of each kind.
 *
 * Knows nothing of the form of its files.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-folder.h"

#define CC_READY 0x00460061u    /* 16 and 64 byte entries, all sets, enable */
#define CC_SHN_NORMAL (1u << 14)
#define EXT_BYTES 64

/* i440fx: a drive can be plugged and unplugged without a guest's help. */
#define HOTPLUG_MACHINE "-machine pc,pit=off "

static FemuConfig conventional_config(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.conventional_bytes = SSD_MIB;
    config.ssd.zone_ext_bytes = EXT_BYTES;
    return config;
}

static void shut_down(FemuDrive *drive)
{
    femu_set_reg(drive, NVME_REG_CC, CC_READY | CC_SHN_NORMAL);
    while (NVME_CSTS_SHST(femu_reg(drive, NVME_REG_CSTS)) != 2) {
        femu_step_next(drive->host);
    }
}

/* Zones in every state that a command can make, and a conventional one. */
static void use(FemuDrive *drive)
{
    uint64_t zone_nlb = femu_zone_nlb(&drive->config);

    femu_write_pattern(drive, 0, 20, 1);
    femu_write_pattern(drive, zone_nlb, 8, 2);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, zone_nlb,
                                   false), ==, NVME_SUCCESS);
    femu_write_pattern(drive, zone_nlb, 3, 3);
    femu_write_pattern(drive, 2 * zone_nlb, 5, 4);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH,
                                   2 * zone_nlb, false), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   3 * zone_nlb, false), ==, NVME_SUCCESS);
    drive->nsid = 2;
    femu_write_pattern(drive, 3, 20, 5);
    femu_write_pattern(drive, 8, 4, 6);
    drive->nsid = 1;
}

static void assert_used(FemuDrive *drive)
{
    uint64_t zone_nlb = femu_zone_nlb(&drive->config);

    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 20);
    femu_assert_pattern(drive, 0, 20, 1);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_CLOSED, 3);
    femu_assert_pattern(drive, zone_nlb, 3, 3);
    femu_assert_data(drive, zone_nlb + 3, 5, NULL);
    femu_assert_zone(drive, 2, NVME_ZONE_STATE_FULL, 0);
    femu_assert_pattern(drive, 2 * zone_nlb, 5, 4);
    femu_assert_data(drive, 2 * zone_nlb + 5, 5, NULL);
    femu_assert_zone(drive, 3, NVME_ZONE_STATE_EMPTY, 0);
    drive->nsid = 2;
    femu_assert_data(drive, 0, 3, NULL);
    femu_assert_pattern(drive, 3, 5, 5);
    femu_assert_pattern(drive, 8, 4, 6);
    femu_assert_pattern(drive, 12, 11, 5);
    femu_assert_data(drive, 23, 9, NULL);
    drive->nsid = 1;
}

/* Ended in every way: by quit, by a shutdown, by a kill. */
static void test_lasts(void)
{
    FemuConfig config = conventional_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);
    char *killed;

    femu_assert_power(drive, 1, 0);
    use(drive);
    killed = femu_folder_copy(folder);
    femu_shutdown(drive);

    femu_ask_sim("state", killed, "power        1 cycles, 0 unsafe shutdowns, "
                 "then not shut down");
    drive = femu_folder_boot(&config, killed);
    femu_assert_power(drive, 2, 1);
    assert_used(drive);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);

    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 2, 1);
    assert_used(drive);
    femu_write_pattern(drive, 20, 4, 7);
    shut_down(drive);
    femu_shutdown(drive);

    femu_ask_sim("state", folder, "zones      5 empty, 0 open, 2 closed, "
                 "1 full");
    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 3, 1);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 24);
    femu_assert_pattern(drive, 0, 20, 1);
    femu_assert_pattern(drive, 20, 4, 7);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
    femu_folder_delete(folder);
    femu_folder_delete(killed);
}

/* What is counted goes on being counted; the error log is there. */
static void test_counters(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);
    NvmeErrorLog first, again;
    uint64_t writes;

    femu_step_to(drive->host, UINT64_C(7200000000000));
    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, 9, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    writes = le64_to_cpu(femu_smart(drive).host_write_commands[0]);
    g_assert_cmpuint(writes, ==, 1);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &first,
                                 sizeof(first)), ==, NVME_SUCCESS);
    femu_shutdown(drive);
    drive = femu_folder_boot(&config, folder);
    g_assert_cmpuint(le64_to_cpu(femu_smart(drive).host_write_commands[0]), ==,
                     1);
    g_assert_cmpuint(le64_to_cpu(femu_smart(drive).power_on_hours[0]), ==, 2);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, &again,
                                 sizeof(again)), ==, NVME_SUCCESS);
    g_assert_cmpmem(&first, sizeof(first), &again, sizeof(again));
    g_assert_cmpuint(le64_to_cpu(again.error_count), ==, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* A descriptor extension, a zone that has failed, wear. */
static void test_rest(void)
{
    FemuConfig config = conventional_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);
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

    drive = femu_folder_boot(&config, folder);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_CLOSED, 0);
    g_assert_cmphex(femu_zone(drive, 1).za, ==, NVME_ZA_ZD_EXT_VALID);
    g_assert_cmphex(femu_zone(drive, 2).zs >> 4, ==,
                    NVME_ZONE_STATE_READ_ONLY);
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "wear/erases"), ==, erases);
    qobject_unref(stats);
    femu_shutdown(drive);
    femu_folder_delete(folder);
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
    g_autofree char *folder = femu_folder_new();
    FemuHost *host = femu_host_start(HOTPLUG_MACHINE);
    g_autofree char *before = stdin_of(host);
    g_autofree char *after = NULL;
    QDict *reply = qtest_qmp(host->qts, "{'execute': 'device_add',"
                             "'arguments': {'driver': 'femu-zns',"
                             "'zones': 0, 'state': %s}}", folder);

    g_assert_true(qdict_haskey(reply, "error"));
    qobject_unref(reply);
    /* nor has one without a state, that has got further */
    reply = qtest_qmp(host->qts, "{'execute': 'device_add', 'arguments':"
                      "{'driver': 'femu-zns', 'trace': %s}}", folder);
    g_assert_true(qdict_haskey(reply, "error"));
    qobject_unref(reply);
    after = stdin_of(host);
    g_assert_cmpstr(before, ==, after);
    femu_host_stop(host);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

static uint64_t core_time_ns(FemuDrive *drive)
{
    QDict *stats = femu_stats(drive);
    uint64_t now_ns = qdict_get_int(stats, "now_ns");

    qobject_unref(stats);
    return now_ns;
}

/* One that was just begun is whole on the disk. */
static void test_killed_at_once(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *extra = g_strdup_printf("state=%s", folder);
    FemuDrive *drive;
    char *killed;

    config.ssd.reset_recommended_ns = 5;        /* the last parameter */
    drive = femu_boot_disabled(&config, extra);
    killed = femu_folder_copy(folder);
    femu_shutdown(drive);
    femu_folder_delete(folder);
    drive = femu_folder_boot(&config, killed);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
    femu_folder_delete(killed);
}

/* Shut down, it is in order; but not if it was on again since, if only that. */
static void test_not_enabled(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *extra = g_strdup_printf("state=%s", folder);
    FemuDrive *drive = femu_folder_boot(&config, folder);

    shut_down(drive);
    femu_shutdown(drive);
    femu_shutdown(femu_boot_disabled(&config, extra));
    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 3, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* ... nor if it was enabled again. */
static void test_enabled_again(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    shut_down(drive);
    femu_disable(drive);
    femu_enable(drive);
    femu_shutdown(drive);
    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 2, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

static void cut(FemuDrive *drive)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'power-cut', 'value': '1'}}");
    femu_enable(drive);
    femu_io_queues_create(drive);
}

/* Programs of before are not counted by the QEMU that is to cut the power. */
static void test_cut_at_program(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *extra = g_strdup_printf(
        "state=%s,power-cut-at-program=2", folder);
    FemuDrive *drive;
    uint32_t page_nlb;

    config.ssd.max_open = config.ssd.max_active = 0;
    drive = femu_folder_boot(&config, folder);
    page_nlb = femu_page_nlb(drive);
    femu_fill(drive, 0, 3 * page_nlb);
    femu_shutdown(drive);
    for (unsigned i = 0; i < 2; i++) {
        drive = femu_boot(&config, extra);
        if (i == 1) {               /* another cut: they count from there */
            cut(drive);
        }
        femu_fill(drive, 1 + 3 * i, page_nlb);
        g_assert_true(NVME_CC_EN(femu_reg(drive, NVME_REG_CC)));
        femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 2 + 3 * i),
                       page_nlb);
        femu_step(drive->host, femu_page_write_ns(drive));
        g_assert_false(NVME_CC_EN(femu_reg(drive, NVME_REG_CC)));
        femu_enable(drive);
        femu_io_queues_create(drive);
        femu_fill(drive, 3 + 3 * i, 3 * page_nlb);
        g_assert_true(NVME_CC_EN(femu_reg(drive, NVME_REG_CC)));
        femu_shutdown(drive);
    }
    femu_folder_delete(folder);
}

/* A power cut at an instant that is over when QEMU starts never comes. */
static void test_cut_over(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);
    uint64_t at_ns;

    femu_write_pattern(drive, 0, 4, 1);
    for (unsigned i = 1; i <= 2; i++) {
        g_autofree char *extra = NULL;

        at_ns = i == 1 ? core_time_ns(drive) : 1000;
        extra = g_strdup_printf("state=%s,power-cut-at-ns=%" PRIu64, folder,
                                at_ns);
        femu_shutdown(drive);
        drive = femu_boot(&config, extra);
        femu_write_pattern(drive, 4 * i, 4, 1);
        femu_assert_power(drive, i + 1, i);
    }
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* The history has a power cut at once, also of a drive with nothing inside. */
static void test_cut_when_idle(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *history = femu_folder_file(folder, "history");
    FemuDrive *drive = femu_folder_boot(&config, folder);
    g_autofree char *text = NULL;

    femu_write_pattern(drive, 0, 4, 1);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'power-cut', 'value': '1'}}");
    g_assert_true(g_file_get_contents(history, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, "\nO,"));
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/*
 * A format is inside, with two resets, when the power goes: the history knows,
 * and the drive goes on when its power would have been back.
 */
static void test_cut_in_format(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new(), *killed;
    NvmeCmd format = {
        .opcode = NVME_ADM_CMD_FORMAT_NVM,
        .nsid = cpu_to_le32(NVME_NSID_BROADCAST),
    };
    FemuDrive *drive;
    uint64_t cut_ns;

    config.ssd.namespaces = 2;
    config.ssd.power_up_ns = 3000000;
    drive = femu_folder_boot(&config, folder);
    for (drive->nsid = 2; drive->nsid > 0; drive->nsid--) {
        femu_write_pattern(drive, 0, 4, 1);
    }
    femu_submit(&drive->admin, &format);
    femu_step(drive->host, 1000);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': 'power-cut', 'value': '1'}}");
    cut_ns = drive->host->now_ns;
    killed = femu_folder_copy(folder);
    femu_shutdown(drive);
    femu_folder_delete(folder);
    drive = femu_folder_boot(&config, killed);
    g_assert_cmpuint(core_time_ns(drive), ==, cut_ns + config.ssd.power_up_ns);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
    femu_folder_delete(killed);
}

/* Its time goes on where it was, whenever it is plugged in. */
static void test_plugged_in_later(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuHost *host;
    FemuDrive *drive;
    uint64_t then_ns;

    config.time_dilation = 3;
    drive = femu_folder_boot(&config, folder);
    femu_write_pattern(drive, 0, 4, 1);
    then_ns = core_time_ns(drive);
    g_assert_cmpuint(then_ns, ==, drive->host->now_ns / 3);
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
                             "'time-dilation': 3,"
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
    femu_step(host, 3000);
    g_assert_cmpuint(core_time_ns(drive), ==, then_ns + 1000);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* What was inside when it was killed is legal; what was told of is there. */
static void test_killed_inside(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);
    uint64_t zone_nlb = femu_zone_nlb(&config);
    g_autofree char *history = NULL;
    g_autofree char *extra = NULL;
    g_autofree char *text = NULL;
    FemuCqe cqe;
    char *killed;

    femu_write_pattern(drive, 0, 8, 1);
    femu_write_pattern(drive, zone_nlb, 8, 2);
    femu_submit_rw(drive, NVME_CMD_WRITE, 8, 8);
    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, zone_nlb, false);
    femu_submit_rw(drive, NVME_CMD_WRITE, 2 * zone_nlb, 128);
    femu_submit_rw(drive, NVME_CMD_WRITE, 3 * zone_nlb, 128);
    while (!femu_reap(&drive->io_cq, &cqe)) {   /* the first write, alone */
        femu_step_next(drive->host);
    }
    killed = femu_folder_copy(folder);
    femu_shutdown(drive);
    femu_folder_delete(folder);

    extra = g_strdup_printf("state=%s", killed);
    drive = femu_boot_disabled(&config, extra);
    femu_step(drive->host, UINT64_C(1000000000));
    femu_shutdown(drive);
    drive = femu_folder_boot(&config, killed);
    femu_assert_pattern(drive, 0, 8, 1);
    femu_assert_pattern(drive, zone_nlb, 8, 2);
    g_assert_cmpuint(le64_to_cpu(femu_zone(drive, 0).wp) % 8, ==, 0);
    femu_step(drive->host, UINT64_C(1000000000));
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
    /*
     * The history says which will never be done: the shutdown, too, by which a
     * QEMU closes zones, and for which nobody waits.
     */
    history = femu_folder_file(killed, "history");
    g_assert_true(g_file_get_contents(history, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, "\nX,3\nX,4\nX,5\n"
                            "S,6,2175000,shutdown,4294967295,0,0,0,0\nX,6\n"
                            "S,7,45975000,shutdown,4294967295,0,0,0,0\nX,7\n"
                            "S,8,45975000,read,1,0,8,0,0\n"));
    femu_folder_delete(killed);
}

/* What is inside when a shutdown is complete will never be told of as done. */
static void test_shut_down_inside(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *history = femu_folder_file(folder, "history");
    g_autofree char *text = NULL;
    FemuDrive *drive = femu_folder_boot(&config, folder);

    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, 0, false);
    shut_down(drive);
    femu_step(drive->host, UINT64_C(1000000000));
    femu_shutdown(drive);
    g_assert_true(g_file_get_contents(history, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, "\nX,0\n"));
    g_assert_null(strstr(text, "\nC,0,"));
    femu_folder_delete(folder);
}

/* A reset that had been accepted has been: there are no data any more. */
static void test_reset_inside(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    femu_write_pattern(drive, 0, 8, 1);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    femu_step(drive->host, 1000);
    femu_shutdown(drive);
    drive = femu_folder_boot(&config, folder);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_data(drive, 0, 8, NULL);
    femu_write_pattern(drive, 0, 2, 2);
    femu_assert_data(drive, 2, 6, NULL);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* --- Traces --------------------------------------------------------------- */

/* Both are traces of all that has happened, whichever QEMU it was in. */
static void test_traces(void)
{
    FemuConfig config = conventional_config();
    char *folder = femu_folder_new();
    g_autofree char *history = femu_folder_file(folder, "history");
    g_autofree char *trace = femu_folder_file(folder, "trace");
    g_autofree char *extra = g_strdup_printf("state=%s,trace=%s", folder,
                                             trace);
    g_autofree char *lasting = NULL, *traced = NULL;
    FemuDrive *drive = femu_folder_boot(&config, folder);

    use(drive);
    femu_submit_rw(drive, NVME_CMD_WRITE, 20, 8);
    femu_shutdown(drive);
    drive = femu_boot(&config, extra);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 28);
    femu_submit_rw(drive, NVME_CMD_WRITE, 28, 8);
    femu_shutdown(drive);
    femu_ask_sim("replay", history, " 0 differences");
    g_assert_true(g_file_get_contents(history, &lasting, NULL, NULL));
    g_assert_true(g_file_get_contents(trace, &traced, NULL, NULL));
    g_assert_cmpstr(lasting, ==, traced);
    g_unlink(trace);
    femu_folder_delete(folder);
}

/* --- Synchronised --------------------------------------------------------- */

/* Does QEMU write through to the disk what it gives this file? */
static bool writes_through(FemuDrive *drive, const char *folder,
                           const char *name)
{
    g_autofree char *path = femu_folder_file(folder, name);
    g_autofree char *fds = g_strdup_printf("/proc/%d/fd",
                                           (int)qtest_pid(drive->host->qts));
    GDir *dir = g_dir_open(fds, 0, NULL);
    unsigned count = 0, through = 0;
    const char *fd;

    g_assert_nonnull(dir);
    while ((fd = g_dir_read_name(dir))) {
        g_autofree char *link = g_build_filename(fds, fd, NULL);
        g_autofree char *info = g_strdup_printf("%sinfo/%s", fds, fd);
        g_autofree char *to = g_file_read_link(link, NULL);
        g_autofree char *text = NULL;

        if (to && g_str_equal(to, path)) {
            g_assert_true(g_file_get_contents(info, &text, NULL, NULL));
            text = g_strchomp(text);
            count++;
            through += (strtoul(strstr(text, "flags:") + 6, NULL, 8) &
                        O_DSYNC) != 0;
        }
    }
    g_dir_close(dir);
    g_assert_cmpuint(count, ==, 1);
    return through == 1;
}

/*
 * With state-sync what is told is on the disk; /sums/synchronised has the
 * history. Nothing else is different, and it may be another one each time.
 */
static void test_synchronised(void)
{
    FemuConfig config = conventional_config();
    char *folder = femu_folder_new(), *killed;
    g_autofree char *extra = g_strdup_printf("state=%s,state-sync=on", folder);
    FemuDrive *drive = femu_boot(&config, extra);

    g_assert_true(writes_through(drive, folder, "data"));
    g_assert_true(writes_through(drive, folder, "sums"));
    use(drive);
    killed = femu_folder_copy(folder);
    femu_shutdown(drive);
    femu_ask_sim("state", folder, "state: good");
    drive = femu_folder_boot(&config, folder);
    g_assert_false(writes_through(drive, folder, "data"));
    assert_used(drive);
    femu_shutdown(drive);
    drive = femu_boot(&config, extra);
    femu_assert_power(drive, 3, 2);
    assert_used(drive);
    femu_shutdown(drive);
    femu_ask_sim("state", killed, "power        1 cycles, 0 unsafe shutdowns, "
                 "then not shut down");
    drive = femu_folder_boot(&config, killed);
    assert_used(drive);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
    femu_folder_delete(killed);
    femu_folder_delete(folder);
}

/* --- Sizes ---------------------------------------------------------------- */

#define BIG_ZONES 904
#define BIG_BYTES (BIG_ZONES * 1077 * SSD_MIB)
#define BIG_ZONE_LBA (2 * SSD_GIB / 4096)
#define WRITTEN_NLB 32

/* Bytes of a file, and of these those that are no hole. */
static void get_sizes(const char *folder, const char *name, uint64_t *bytes,
                      uint64_t *stored_bytes)
{
    g_autofree char *path = femu_folder_file(folder, name);
    int fd = open(path, O_RDONLY);
    off_t at = 0, end;

    g_assert_cmpint(fd, !=, -1);
    *bytes = lseek(fd, 0, SEEK_END);
    *stored_bytes = 0;
    while ((at = lseek(fd, at, SEEK_DATA)) != -1) {
        end = lseek(fd, at, SEEK_HOLE);
        *stored_bytes += end - at;
        at = end;
    }
    close(fd);
}

static void assert_sizes(const char *folder, const char *name, uint64_t bytes,
                         uint64_t stored_bytes)
{
    uint64_t has_bytes, has_stored_bytes;

    get_sizes(folder, name, &has_bytes, &has_stored_bytes);
    g_assert_cmpuint(has_bytes, ==, bytes);
    g_assert_cmpuint(has_stored_bytes, ==, stored_bytes);
}

/*
 * All but the history, of a drive of which pages of data have been written; its
 * parameters and `count` commands of a line or two are at most so long.
 */
static void assert_big(const char *folder, unsigned count, uint64_t pages)
{
    uint64_t bytes, stored_bytes;

    assert_sizes(folder, "data", BIG_BYTES, pages * 4096);
    assert_sizes(folder, "sums", 4096 + BIG_BYTES / 4096 * 8,
                 4096 + (pages > 0 ? 4096 : 0));
    get_sizes(folder, "kept", &bytes, &stored_bytes);
    g_assert_cmpuint(bytes, ==, 64 + 64 * 64 + 2 * 40);
    get_sizes(folder, "history", &bytes, &stored_bytes);
    g_test_message("%u commands: a history of %" PRIu64 " bytes", count, bytes);
    g_assert_cmpuint(bytes, >, 0);
    g_assert_cmpuint(bytes, <=, 4096 + count * 75);
}

static FemuDrive *boot_big(const char *folder)
{
    FemuConfig config = femu_small_config();
    g_autofree char *args = g_strdup_printf(
        "-readconfig %s/configs/zn540.cfg -set device.zns0.addr=04.0 "
        "-set device.zns0.id=zns4 -set device.zns0.state=%s",
        g_getenv("FEMU_TOP"), folder);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &config);

    femu_enable(drive);
    femu_io_queues_create(drive);
    return drive;
}

/* What the state of a drive of 1 TB takes: empty, full, with some data. */
static void test_sizes(void)
{
    char *folder = femu_folder_new();
    FemuDrive *drive;

    if (!g_getenv("FEMU_TOP")) {
        g_test_skip("FEMU_TOP does not name the folder that has configs/");
        return;
    }
    femu_shutdown(boot_big(folder));
    assert_big(folder, 0, 0);
    drive = boot_big(folder);
    for (unsigned i = 0; i < BIG_ZONES; i++) {
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH,
                                       i * BIG_ZONE_LBA, false), ==,
                        NVME_SUCCESS);
    }
    femu_shutdown(drive);
    assert_big(folder, BIG_ZONES, 0);
    femu_ask_sim("state", folder, "0 closed, 904 full");
    drive = boot_big(folder);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, false), ==,
                    NVME_SUCCESS);
    femu_write_pattern(drive, 0, WRITTEN_NLB, 1);
    femu_shutdown(drive);
    assert_big(folder, BIG_ZONES + 2, WRITTEN_NLB);
    femu_folder_delete(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/state/" name, test)
    ADD("lasts", test_lasts);
    ADD("counters", test_counters);
    ADD("rest", test_rest);
    ADD("killed-inside", test_killed_inside);
    ADD("shut-down-inside", test_shut_down_inside);
    ADD("reset-inside", test_reset_inside);
    ADD("refused-parameters", test_refused_parameters);
    ADD("not-enabled", test_not_enabled);
    ADD("enabled-again", test_enabled_again);
    ADD("cut-at-program", test_cut_at_program);
    ADD("cut-over", test_cut_over);
    ADD("cut-in-format", test_cut_in_format);
    ADD("killed-at-once", test_killed_at_once);
    ADD("cut-when-idle", test_cut_when_idle);
    ADD("plugged-in-later", test_plugged_in_later);
    ADD("traces", test_traces);
    ADD("synchronised", test_synchronised);
    ADD("sizes", test_sizes);
#undef ADD
    return g_test_run();
}
