/*
 * The files of a state: who may read them, what in them is data for the next
 * QEMU, and that an unplugged drive lets go of them.
 *
 * Knows nothing of the history.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"
#include "femu-zns-folder.h"
#include "qobject/qdict.h"

/* i440fx: a drive can be plugged and unplugged without a guest's help. */
#define HOTPLUG_MACHINE "-machine pc,pit=off "

static FemuConfig conventional_config(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.conventional_bytes = SSD_MIB;
    return config;
}

static void deallocate(FemuDrive *drive, const uint64_t *slba, unsigned count)
{
    NvmeCmd cmd = {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(count - 1),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
    };

    for (unsigned i = 0; i < count; i++) {
        qtest_writel(drive->host->qts, drive->buf + 16 * i + 4, 1);
        qtest_writeq(drive->host->qts, drive->buf + 16 * i + 8, slba[i]);
    }
    femu_set_prps(drive, &cmd, drive->buf, 16 * count);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
}

/* How many bytes of the file 'data' are no hole. */
static uint64_t stored_bytes(const char *folder)
{
    g_autofree char *path = femu_folder_file(folder, "data");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t at = 0, end;
    uint64_t count = 0;

    while ((at = lseek(fd, at, SEEK_DATA)) != -1) {
        end = lseek(fd, at, SEEK_HOLE);
        count += end - at;
        at = end;
    }
    close(fd);
    return count;
}

/* Other bytes for a block of the conventional namespace, with no checksum. */
static void put_junk(const FemuConfig *config, const char *folder,
                     uint64_t lba)
{
    g_autofree char *data = femu_folder_file(folder, "data");
    g_autofree char *sums = femu_folder_file(folder, "sums");
    uint64_t at = config->ssd.zones * config->ssd.zone_capacity_bytes +
                  lba * config->ssd.lba_bytes;
    g_autofree uint8_t *junk = g_malloc(config->ssd.lba_bytes);
    int fd = open(data, O_WRONLY | O_CLOEXEC);

    memset(junk, 0xa5, config->ssd.lba_bytes);
    g_assert_cmpint(pwrite(fd, junk, config->ssd.lba_bytes, at), ==,
                    config->ssd.lba_bytes);
    close(fd);
    g_unlink(sums);
}

/* Copy two ranges of two blocks to where they lie side by side. */
static void copy_two(FemuDrive *drive, uint64_t one_lba, uint64_t other_lba,
                     uint64_t to_lba)
{
    NvmeCopySourceRangeFormat0_2 range[] = {
        { .slba = cpu_to_le64(one_lba), .nlb = cpu_to_le16(1) },
        { .slba = cpu_to_le64(other_lba), .nlb = cpu_to_le16(1) },
    };
    NvmeCmd cmd = {
        .opcode = NVME_CMD_COPY,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(to_lba),
        .cdw12 = cpu_to_le32(ARRAY_SIZE(range) - 1),
    };

    qtest_bufwrite(drive->host->qts, drive->buf, range, sizeof(range));
    femu_set_prps(drive, &cmd, drive->buf, sizeof(range));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
}

/*
 * What was deallocated, and only that, takes no room any more, and is no data
 * for the next QEMU, whatever the file holds in its place.
 */
static void test_deallocated(void)
{
    static const uint64_t lost[] = { 1, 2, 3 }, again[] = { 4, 5 };
    FemuConfig config = conventional_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);
    g_autofree uint8_t *data = femu_pattern(drive, 8, 4, 1);

    drive->nsid = 2;
    femu_write_pattern(drive, 0, 16, 1);
    g_assert_cmpuint(stored_bytes(folder), ==, 16 * config.ssd.lba_bytes);
    deallocate(drive, lost, 3);
    g_assert_cmpuint(stored_bytes(folder), ==, 13 * config.ssd.lba_bytes);
    deallocate(drive, again, 2);
    g_assert_cmpuint(stored_bytes(folder), ==, 11 * config.ssd.lba_bytes);
    femu_write_pattern(drive, 5, 1, 2);
    deallocate(drive, again, 1);
    g_assert_cmphex(femu_copy(drive, 8, 4, 20), ==, NVME_SUCCESS);
    copy_two(drive, 8, 10, 26);
    femu_shutdown(drive);
    for (unsigned i = 0; i < ARRAY_SIZE(lost); i++) {
        put_junk(&config, folder, lost[i]);
    }
    put_junk(&config, folder, 24);      /* behind the copy */
    drive = femu_folder_boot(&config, folder);
    drive->nsid = 2;
    femu_assert_pattern(drive, 0, 1, 1);
    femu_assert_data(drive, 1, 4, NULL);
    femu_assert_pattern(drive, 5, 1, 2);
    for (uint64_t lba = 6; lba < 16; lba++) {
        femu_assert_pattern(drive, lba, 1, 1);
    }
    femu_assert_data(drive, 20, 4, data);
    femu_assert_data(drive, 24, 1, NULL);
    femu_assert_data(drive, 26, 4, data);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* Nor is what was formatted. */
static void test_formatted(void)
{
    FemuConfig config = conventional_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    drive->nsid = 2;
    femu_write_pattern(drive, 0, 4, 1);
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM, 2, 1, 0,
                               0).status, ==, NVME_SUCCESS);
    femu_shutdown(drive);
    put_junk(&config, folder, 1);
    drive = femu_folder_boot(&config, folder);
    drive->nsid = 2;
    femu_assert_data(drive, 0, 4, NULL);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/*
 * Blocks of another size than the configuration's: what has been written of them
 * since is there, and nothing else, in zones and without.
 */
static void test_another_size(void)
{
    static const uint64_t lost[] = { 3, 4 };
    FemuConfig config = conventional_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    g_assert_cmpuint(config.ssd.lba_bytes, !=, 512);
    drive->config.ssd.lba_bytes = 512;
    for (drive->nsid = 1; drive->nsid <= 2; drive->nsid++) {
        g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM,
                                   drive->nsid, 0, 0, 0).status, ==,
                        NVME_SUCCESS);
        femu_write_pattern(drive, 0, 16, 1);
    }
    drive->nsid = 2;
    deallocate(drive, lost, ARRAY_SIZE(lost));
    femu_shutdown(drive);

    drive = femu_folder_boot(&config, folder);
    drive->config.ssd.lba_bytes = 512;
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 16);
    femu_assert_pattern(drive, 0, 16, 1);
    femu_assert_data(drive, 16, 4, NULL);
    drive->nsid = 2;
    femu_assert_pattern(drive, 0, 3, 1);
    femu_assert_data(drive, 3, 2, NULL);
    femu_assert_pattern(drive, 5, 11, 1);
    femu_assert_data(drive, 16, 4, NULL);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* What a reset drops that ends while a drive begins again takes no room. */
static void test_reset(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive;

    config.ssd.cmd_slots = 1;   /* it begins again when the reset is done */
    drive = femu_folder_boot(&config, folder);
    femu_write_pattern(drive, 0, 8, 1);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    femu_shutdown(drive);
    g_assert_cmpuint(stored_bytes(folder), ==, 8 * config.ssd.lba_bytes);
    femu_shutdown(femu_folder_boot(&config, folder));
    g_assert_cmpuint(stored_bytes(folder), ==, 0);
    femu_folder_delete(folder);
}

/* Nor do zones that go offline, all at once. */
static void test_offline(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    femu_write_pattern(drive, 0, 8, 1);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {'path':"
                             "'/machine/peripheral/zns4',"
                             "'property': 'zone-fail',"
                             "'value': '0 read-only'}}");
    g_assert_cmpuint(stored_bytes(folder), ==, 8 * config.ssd.lba_bytes);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OFFLINE, 0, true),
                    ==, NVME_SUCCESS);
    g_assert_cmpuint(stored_bytes(folder), ==, 0);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* Its files may be read and written by whom the umask lets; so may itself. */
static void test_modes(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    mode_t mask = umask(027);
    GStatBuf made;

    g_assert_cmpint(g_rmdir(folder), ==, 0);

    femu_shutdown(femu_folder_boot(&config, folder));
    umask(mask);
    g_assert_cmpint(g_stat(folder, &made), ==, 0);
    g_assert_cmphex(made.st_mode, ==, S_IFDIR | 0750);
    for (unsigned i = 0; i < FEMU_FOLDER_FILES; i++) {
        g_autofree char *path = femu_folder_file(folder, femu_folder_name(i));
        GStatBuf info;

        g_assert_cmpint(g_stat(path, &info), ==, 0);
        g_assert_cmphex(info.st_mode, ==, S_IFREG | 0640);
    }
    femu_folder_delete(folder);
}

/* Has the process a file of the folder open, or mapped? */
static bool holds(pid_t pid, const char *folder)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/maps", (int)pid);
    g_autofree char *open_path = g_strdup_printf("/proc/%d/fd", (int)pid);
    g_autofree char *text = NULL;
    GDir *dir = g_dir_open(open_path, 0, NULL);
    bool found;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    found = strstr(text, folder);
    for (const char *name; (name = g_dir_read_name(dir)); ) {
        g_autofree char *link = g_build_filename(open_path, name, NULL);
        g_autofree char *file = g_file_read_link(link, NULL);

        found |= file && strstr(file, folder);
    }
    g_dir_close(dir);
    return found;
}

/*
 * Unplugged, a drive gives its folder back, and the machine can move again;
 * plugged in again, it goes on.
 */
static void test_unplugged(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *extra = g_strdup_printf("state=%s,state-sync=on",
                                             folder);
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, extra);
    g_autofree char *args = g_strconcat(HOTPLUG_MACHINE, device, NULL);
    FemuHost *host = femu_host_start(args);
    FemuDrive *drive = femu_drive_open(host, FEMU_SLOT, &config);
    QDict *migration;

    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_write_pattern(drive, 0, 4, 1);
    femu_drive_close(drive);
    g_assert_true(holds(qtest_pid(host->qts), folder));
    qpci_unplug_acpi_device_test(host->qts, "zns4", FEMU_SLOT);
    g_assert_false(holds(qtest_pid(host->qts), folder));
    migration = qtest_qmp_assert_success_ref(host->qts,
                                             "{'execute': 'query-migrate'}");
    g_assert_false(qdict_haskey(migration, "blocked-reasons"));
    qobject_unref(migration);

    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 2, 1);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 4);
    femu_assert_pattern(drive, 0, 4, 1);
    femu_shutdown(drive);
    femu_host_stop(host);
    femu_folder_delete(folder);
}

/* A trace or a journal must not take the place of one of them, new or old. */
static void test_trace_in_place(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *link = g_strconcat(folder, ".trace", NULL);
    g_autofree char *linked = g_strconcat(",trace=", link, NULL);
    g_autofree char *data = femu_folder_file(folder, "data");
    FemuDrive *drive;

    for (unsigned made = 0; made < 2; made++) {
        /* One more: what the history is called until it is whole. */
        for (unsigned i = 0; i <= FEMU_FOLDER_FILES; i++) {
            g_autofree char *extra = g_strdup_printf(
                ",trace=%s/./%s", folder, i == FEMU_FOLDER_FILES
                ? "history.new" : femu_folder_name(i));

            femu_folder_refused(&config, folder, extra, "is a file of a "
                                "drive's state");
        }
        drive = femu_folder_boot(&config, folder);
        femu_assert_power(drive, 1 + made, made);
        if (!made) {
            femu_write_pattern(drive, 0, 4, 1);
        }
        femu_assert_pattern(drive, 0, 4, 1);
        femu_shutdown(drive);
    }
    g_assert_cmpint(symlink(data, link), ==, 0);
    femu_folder_refused(&config, folder, linked, "is a file of a drive's "
                        "state");
    drive = femu_folder_boot(&config, folder);
    femu_assert_pattern(drive, 0, 4, 1);
    femu_shutdown(drive);
    g_unlink(link);
    femu_folder_delete(folder);
}

/*
 * A state without its history is not begun anew, which would take its data; one
 * that QEMU's end kept from having any is.
 */
static void test_no_history(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *history = femu_folder_file(folder, "history");
    g_autofree char *aside = g_strconcat(folder, ".history", NULL);
    g_autofree char *begun = femu_folder_file(folder, "history.new");
    FemuDrive *drive;

    g_assert_true(g_file_set_contents(begun, "#", -1, NULL));
    drive = femu_folder_boot(&config, folder);
    femu_write_pattern(drive, 0, 4, 1);
    femu_shutdown(drive);
    g_assert_cmpint(g_rename(history, aside), ==, 0);
    femu_folder_refused(&config, folder, "", "its file 'history' is gone, "
                        "without which its data are of no use; restore the "
                        "folder from a copy, or name a new one");
    g_assert_cmpint(g_rename(aside, history), ==, 0);
    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 2, 1);
    femu_assert_pattern(drive, 0, 4, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* A state that has no name is none: the user is told, not left without. */
static void test_no_name(void)
{
    FemuConfig config = femu_small_config();

    femu_folder_refused(&config, "", "", "state= is empty: the drive would "
                        "not last; name a folder, or leave it out");
}

/* Nobody is at a FIFO's other end: QEMU says so, and does not wait there. */
static void test_fifo(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *fifo = g_strconcat(folder, ".fifo", NULL);
    g_autofree char *trace = g_strconcat(",trace=", fifo, NULL);
    g_autofree char *history = femu_folder_file(folder, "history");
    g_autofree char *aside = g_strconcat(folder, ".history", NULL);
    g_autofree char *kept = femu_folder_file(folder, "kept");

    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    femu_folder_refused(&config, folder, trace, "it is a FIFO, with nobody at "
                        "its other end");
    g_assert_cmpint(g_unlink(kept), ==, 0);
    g_assert_cmpint(mkfifo(kept, 0600), ==, 0);
    femu_folder_refused(&config, folder, "", "/kept is no plain file; restore "
                        "the folder from a copy, or name a new one");
    g_assert_cmpint(g_unlink(kept), ==, 0);
    femu_shutdown(femu_folder_boot(&config, folder));
    g_assert_cmpint(g_rename(history, aside), ==, 0);
    g_assert_cmpint(mkfifo(history, 0600), ==, 0);
    femu_folder_refused(&config, folder, "", "/history is no plain file");
    g_assert_cmpint(g_unlink(history), ==, 0);
    g_assert_cmpint(g_mkdir(history, 0700), ==, 0);
    femu_folder_refused(&config, folder, "", "/history is no plain file");
    g_assert_cmpint(g_rmdir(history), ==, 0);
    g_assert_cmpint(g_rename(aside, history), ==, 0);
    femu_shutdown(femu_folder_boot(&config, folder));
    g_unlink(fifo);
    femu_folder_delete(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/files/" name, test)
    ADD("deallocated", test_deallocated);
    ADD("fifo", test_fifo);
    ADD("formatted", test_formatted);
    ADD("another-size", test_another_size);
    ADD("modes", test_modes);
    ADD("no-history", test_no_history);
    ADD("no-name", test_no_name);
    ADD("offline", test_offline);
    ADD("reset", test_reset);
    ADD("trace-in-place", test_trace_in_place);
    ADD("unplugged", test_unplugged);
#undef ADD
    return g_test_run();
}
