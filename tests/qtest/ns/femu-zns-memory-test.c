/*
 * The host's memory that holds the data: no more of it than there are data, and
 * what a reset drops goes back.
 *
 * Knows nothing of where in it which data are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"

/* A line of /proc/PID/status, in KiB. */
static uint64_t process_kib(pid_t pid, const char *name)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)pid);
    g_autofree char *text = NULL;
    char *line;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    line = strstr(text, name);
    g_assert_nonnull(line);
    return g_ascii_strtoull(line + strlen(name), NULL, 10);
}

/*
 * Peers: "full device memory pinned at start". 1 TiB of data; a write at its
 * end, and what QEMU holds stays below 256 MiB, locks nothing.
 */
static void test_sparse(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    pid_t pid;

    config.ssd.zones = 1024;
    config.ssd.zone_size_bytes = SSD_GIB;
    config.ssd.zone_capacity_bytes = SSD_GIB;
    drive = femu_boot(&config, NULL);
    femu_assert_works(drive, 1023);
    pid = qtest_pid(drive->host->qts);
    g_assert_cmpuint(process_kib(pid, "VmSize:"), >, SSD_TIB / SSD_KIB);
    g_assert_cmpuint(process_kib(pid, "VmRSS:"), <, 256 * 1024);
    g_assert_cmpuint(process_kib(pid, "VmLck:"), ==, 0);
    femu_shutdown(drive);
}

/*
 * Resident KiB of the one mapping of a process that has `size_kib`. The drive's
 * `own` is sparse, and not in the host's core dumps.
 */
static uint64_t mapping_kib(pid_t pid, uint64_t size_kib, bool own)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/smaps", (int)pid);
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    uint64_t value, resident_kib = 0;
    unsigned found = 0;
    bool here = false;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (sscanf(*line, "Size: %" SCNu64 " kB", &value) == 1) {
            here = value == size_kib;
            found += here;
        } else if (here && sscanf(*line, "Rss: %" SCNu64, &value) == 1) {
            resident_kib = value;
        } else if (here && g_str_has_prefix(*line, "VmFlags:")) {
            g_assert_true(!own || strstr(*line, " nr"));
            g_assert_true(!own || strstr(*line, " dd"));
            here = false;
        }
    }
    g_assert_cmpuint(found, ==, 1);
    return resident_kib;
}

/*
 * A reset gives the data's memory back. A huge page of the host may straddle
 * the zone's end; all else is exact.
 */
static void check_frees(const char *object, const char *memdev)
{
    FemuConfig config = femu_small_config();
    uint64_t zone_kib = 16 * 1024, huge_page_kib = 2048;
    uint64_t all_kib = 9 * zone_kib;    /* not as much as the guest's memory */
    g_autofree char *device = NULL, *args = NULL;
    FemuDrive *drive;
    pid_t pid;

    config.ssd.zones = 9;
    config.ssd.zone_size_bytes = zone_kib * SSD_KIB;
    config.ssd.zone_capacity_bytes = zone_kib * SSD_KIB;
    device = femu_device_args(&config, FEMU_SLOT, memdev);
    args = g_strconcat(object, device, NULL);
    drive = femu_drive_open(femu_host_start(args), FEMU_SLOT, &config);
    femu_enable(drive);
    femu_io_queues_create(drive);
    pid = qtest_pid(drive->host->qts);
    g_assert_cmpuint(mapping_kib(pid, all_kib, !memdev), ==, 0);
    femu_fill(drive, 0, femu_cap_nlb(&config));
    g_assert_cmpuint(mapping_kib(pid, all_kib, !memdev), >=, zone_kib);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, false),
                    ==, NVME_SUCCESS);
    g_assert_cmpuint(mapping_kib(pid, all_kib, !memdev), <, huge_page_kib);
    /* and so does an offline zone */
    femu_fill(drive, 2, femu_cap_nlb(&config));
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path':"
                             " '/machine/peripheral/zns4', 'property':"
                             " 'zone-fail', 'value': '2 read-only'}}");
    g_assert_cmpuint(mapping_kib(pid, all_kib, !memdev), >=, zone_kib);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OFFLINE,
                                   femu_zone_lba(drive, 2), false), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(mapping_kib(pid, all_kib, !memdev), <, 2 * huge_page_kib);
    femu_shutdown(drive);
}

static void test_reset_frees(void)
{
    check_frees("", NULL);
}

/* ... to QEMU's memory backend. (With reserve=off QEMU itself leaks.) */
static void test_reset_frees_memdev(void)
{
    check_frees("-object memory-backend-ram,id=data,size=144M ",
                "memdev=data");
}

/* ... and to the file system: a hole, as large as the zone. */
static void test_reset_frees_file(void)
{
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-memory-XXXXXX", &path, NULL);
    FemuConfig config = femu_small_config();
    uint64_t zone_bytes = config.ssd.zone_capacity_bytes;
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT,
                                               "memdev=data");
    g_autofree char *args = g_strdup_printf(
        "-object memory-backend-file,id=data,share=on,mem-path=%s,size=%" PRIu64
        " %s", path, config.ssd.zones * zone_bytes, device);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &config);

    femu_enable(drive);
    femu_io_queues_create(drive);
    for (uint32_t i = 0; i < 3; i++) {
        femu_fill(drive, i, femu_cap_nlb(&config));
    }
    g_assert_cmpint(lseek(fd, 0, SEEK_HOLE), >=, 3 * zone_bytes);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET,
                                   femu_zone_lba(drive, 1), false), ==,
                    NVME_SUCCESS);
    g_assert_cmpint(lseek(fd, 0, SEEK_HOLE), ==, zone_bytes);
    g_assert_cmpint(lseek(fd, zone_bytes, SEEK_DATA), ==, 2 * zone_bytes);
    femu_shutdown(drive);
    close(fd);
    g_unlink(path);
}

/* ... but of a file that is mapped privately nothing: it is not the drive's. */
static void test_reset_keeps_file(void)
{
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-memory-XXXXXX", &path, NULL);
    FemuConfig config = femu_small_config();
    uint64_t bytes = config.ssd.zones * config.ssd.zone_capacity_bytes;
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT,
                                               "memdev=data");
    g_autofree char *args = g_strdup_printf(
        "-object memory-backend-file,id=data,share=off,mem-path=%s,"
        "size=%" PRIu64 " %s", path, bytes, device);
    g_autofree char *before = g_malloc(bytes);
    g_autofree char *after = NULL;
    gsize length;
    FemuDrive *drive;

    memset(before, 0xa5, bytes);
    g_assert_cmpint(write(fd, before, bytes), ==, bytes);
    drive = femu_drive_open(femu_host_start(args), FEMU_SLOT, &config);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_fill(drive, 1, femu_cap_nlb(&config));
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET,
                                   femu_zone_lba(drive, 1), false), ==,
                    NVME_SUCCESS);
    femu_shutdown(drive);
    g_assert_true(g_file_get_contents(path, &after, &length, NULL));
    g_assert_cmpmem(after, length, before, bytes);
    close(fd);
    g_unlink(path);
}

/* ... and, where the host's memory is shared, no other zone's. */
static void test_reset_spares(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT,
                                               "memdev=data");
    g_autofree char *args = g_strconcat(
        "-object memory-backend-ram,id=data,size=32M ", device, NULL);
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &config);
    uint64_t lba[4];
    uint8_t *data[4];

    femu_enable(drive);
    femu_io_queues_create(drive);
    for (unsigned i = 0; i < ARRAY_SIZE(lba); i++) {
        lba[i] = femu_zone_lba(drive, i);
        data[i] = femu_pattern(drive, lba[i], 8, i);
        g_assert_cmphex(femu_write(drive, lba[i], 8, data[i]), ==,
                        NVME_SUCCESS);
    }
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, lba[1],
                                   false), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < ARRAY_SIZE(lba); i++) {
        femu_assert_data(drive, lba[i], 8, i == 1 ? NULL : data[i]);
        g_free(data[i]);
    }
    femu_shutdown(drive);
}

/* device_add of a drive with this backend. Return: why not, or NULL. */
static char *why_not(FemuHost *host, const char *id, const char *memdev)
{
    QDict *reply = qtest_qmp(host->qts, "{'execute': 'device_add',"
        "'arguments': {'driver': 'femu-zns', 'id': %s, 'zones': 8,"
        "'zone-size': 1048576, 'zone-capacity': 786432,"
        "'pages-per-block': 4, 'memdev': %s}}", id, memdev);
    QDict *error = qdict_get_qdict(reply, "error");
    char *text = error ? g_strdup(qdict_get_str(error, "desc")) : NULL;

    qobject_unref(reply);
    return text;
}

/*
 * A file that several backends map, here or in another QEMU, is of one drive,
 * until that is unplugged: two would write over each other's data. It may be
 * mapped privately beside.
 */
static void test_file_taken(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-memory-XXXXXX", &path, NULL);
    g_autofree char *objects = g_strdup_printf("-machine pc,pit=off "
        "-object memory-backend-file,id=a,share=on,size=8M,mem-path=%s "
        "-object memory-backend-file,id=b,share=on,size=8M,mem-path=%s "
        "-object memory-backend-file,id=c,share=off,size=8M,mem-path=%s ",
        path, path, path);
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, "memdev=a");
    g_autofree char *args = g_strconcat(objects, device, NULL);
    FemuHost *host = femu_host_start(args), *other = femu_host_start(objects);
    g_autofree char *here = why_not(host, "here", "b");
    g_autofree char *there = why_not(other, "there", "a");
    char *text;

    g_assert_nonnull(here);
    g_assert_nonnull(strstr(here, "memdev=b: another drive"));
    g_assert_nonnull(there);
    g_assert_nonnull(strstr(there, "memdev=a: another drive"));
    g_assert_null(why_not(host, "private", "c"));
    qpci_unplug_acpi_device_test(host->qts, "zns4", FEMU_SLOT);
    while ((text = why_not(other, "there", "b"))) { /* it goes later (RCU) */
        g_free(text);
        g_usleep(1000);
    }
    femu_host_stop(host);
    femu_host_stop(other);
    close(fd);
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/memory/" name, test)
    qtest_add_func("femu-zns/peers/memory-pinned", test_sparse);
    ADD("reset-frees", test_reset_frees);
    ADD("reset-keeps-file", test_reset_keeps_file);
    ADD("reset-frees/memdev", test_reset_frees_memdev);
    ADD("reset-frees/file", test_reset_frees_file);
    ADD("reset-spares", test_reset_spares);
    ADD("file-taken", test_file_taken);
#undef ADD
    return g_test_run();
}
