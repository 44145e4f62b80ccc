/*
 * Data that a drive drops for another reason than a reset: a format, a zone
 * that fails. They are gone when what drops them lasts, and not before. And what
 * it does to zones of itself.
 *
 * Knows nothing of the form of a state's files.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-folder.h"

#define SEEDS 12
#define DATA_NLB 20
#define CONVENTIONAL_NSID 2
#define INSIDE_NS 1000000       /* what stays in the front end for that long */

static void qom_set(FemuDrive *drive, const char *property, const char *value)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': %s, 'value': %s}}", property, value);
}

/* To blocks of the size that the namespace has. */
static void submit_format(FemuDrive *drive, uint32_t nsid)
{
    NvmeCmd format = {
        .opcode = NVME_ADM_CMD_FORMAT_NVM,
        .nsid = cpu_to_le32(nsid),
        .cdw10 = cpu_to_le32(1),
    };

    femu_submit(&drive->admin, &format);
}

/* As a host that finds the controller without power, and starts it. */
static void start_again(FemuDrive *drive)
{
    femu_enable(drive);
    femu_io_queues_create(drive);
}

/* The QEMU of this folder is killed; another one goes on. */
static FemuDrive *kill_and_boot(FemuDrive *drive, char **folder)
{
    FemuConfig config = drive->config;
    char *killed = femu_folder_copy(*folder);

    femu_shutdown(drive);
    femu_folder_delete(*folder);
    *folder = killed;
    return femu_folder_boot(&config, killed);
}

/* A format whose resets wait for room has not been: zones have their data. */
static void test_format_waits(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive;

    config.ssd.cmd_slots = 1;
    drive = femu_folder_boot(&config, folder);
    femu_write_pattern(drive, 0, DATA_NLB, 1);
    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, femu_zone_lba(drive, 1),
                     false);
    submit_format(drive, FEMU_NSID);
    drive = kill_and_boot(drive, &folder);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, DATA_NLB);
    femu_assert_pattern(drive, 0, DATA_NLB, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* Likewise of a conventional namespace that has a command inside. */
static void test_format_conventional(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive;

    config.ssd.conventional_bytes = SSD_MIB;
    drive = femu_folder_boot(&config, folder);
    drive->nsid = CONVENTIONAL_NSID;
    femu_write_pattern(drive, 3, DATA_NLB, 1);
    femu_submit_rw(drive, NVME_CMD_READ, 3, 1);
    submit_format(drive, CONVENTIONAL_NSID);
    drive = kill_and_boot(drive, &folder);
    drive->nsid = CONVENTIONAL_NSID;
    femu_assert_pattern(drive, 3, DATA_NLB, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/*
 * The power goes in the resets of a format. A zone that has not been reset has
 * its data, now and in the next QEMU. Return: was that so?
 */
static bool cut_format(unsigned seed)
{
    FemuConfig config = femu_small_config();
    g_autofree char *text = g_strdup_printf("%u", seed);
    char *folder = femu_folder_new();
    FemuDrive *drive;
    bool is_left;

    config.ssd.fe_reset_ns = INSIDE_NS;
    drive = femu_folder_boot(&config, folder);
    femu_write_pattern(drive, 0, DATA_NLB, 1);
    submit_format(drive, FEMU_NSID);
    qom_set(drive, "power-cut", text);
    start_again(drive);
    is_left = femu_zone(drive, 0).zs >> 4 == NVME_ZONE_STATE_CLOSED;
    for (unsigned i = 0; i < 2; i++) {
        femu_assert_zone(drive, 0, is_left ? NVME_ZONE_STATE_CLOSED
                                           : NVME_ZONE_STATE_EMPTY,
                         is_left ? DATA_NLB : 0);
        if (is_left) {
            femu_assert_pattern(drive, 0, DATA_NLB, 1);
        } else {
            femu_assert_data(drive, 0, DATA_NLB, NULL);
        }
        drive = kill_and_boot(drive, &folder);
    }
    femu_shutdown(drive);
    femu_folder_delete(folder);
    return is_left;
}

static void test_format_cut(void)
{
    unsigned left = 0;

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        left += cut_format(seed);
    }
    g_assert_cmpuint(left, >, 0);
    g_assert_cmpuint(left, <, SEEDS);
}

/* A zone is offline, or has its data. */
static void test_offline(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    femu_write_pattern(drive, 0, DATA_NLB, 1);
    qom_set(drive, "zone-fail", "0 offline");
    drive = kill_and_boot(drive, &folder);
    g_assert_cmphex(femu_zone(drive, 0).zs >> 4, ==, NVME_ZONE_STATE_OFFLINE);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* What a zone had before its reset does not come back once it is read-only. */
static void test_read_only(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive;

    config.ssd.fe_reset_ns = INSIDE_NS;
    drive = femu_folder_boot(&config, folder);
    femu_write_pattern(drive, 0, DATA_NLB, 1);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    qom_set(drive, "zone-fail", "0 read-only");
    qom_set(drive, "power-cut", "1");
    start_again(drive);
    for (unsigned i = 0; i < 2; i++) {
        g_assert_cmphex(femu_zone(drive, 0).zs >> 4, ==,
                        NVME_ZONE_STATE_READ_ONLY);
        femu_assert_data(drive, 0, DATA_NLB, NULL);
        drive = kill_and_boot(drive, &folder);
    }
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/*
 * What the drive has done of itself lasts, though no record of a command is so
 * late: a host has seen it in a zone report, which takes no time.
 */
static void test_excursion(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new(), *killed;
    FemuDrive *drive;

    config.ssd.excursion_ns = 40000000;
    drive = femu_folder_boot(&config, folder);
    femu_write_pattern(drive, 0, DATA_NLB, 1);
    femu_step(drive->host, 2 * config.ssd.excursion_ns);
    for (unsigned i = 0; i < 3; i++) {
        NvmeZoneDescr zone = femu_zone(drive, 0);

        g_assert_cmphex(zone.zs >> 4, ==, NVME_ZONE_STATE_FULL);
        g_assert_cmphex(zone.za, ==, NVME_ZA_FINISHED_BY_CTLR);
        killed = femu_folder_copy(folder);
        femu_ask_sim("state", killed, "0 closed, 1 full");
        femu_folder_delete(killed);
        drive = kill_and_boot(drive, &folder);
    }
    femu_assert_pattern(drive, 0, DATA_NLB, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/forget/" name, test)
    ADD("format-waits", test_format_waits);
    ADD("format-conventional", test_format_conventional);
    ADD("format-cut", test_format_cut);
    ADD("offline", test_offline);
    ADD("read-only", test_read_only);
    ADD("excursion", test_excursion);
#undef ADD
    return g_test_run();
}
