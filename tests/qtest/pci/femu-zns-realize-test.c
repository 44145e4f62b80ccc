/*
 * Starting a drive: configurations that must be refused, with a message that
 * names property, value and what would be right; configuration files; memory;
 * plugging and unplugging.
 *
 * Knows nothing of what a started drive does, beyond that it works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"

/* i440fx: a drive can be plugged and unplugged without a guest's help. */
#define HOTPLUG_MACHINE "-machine pc,pit=off "
#define HOTPLUG_SLOT 5u

#define MAX_PARTS 4

/* Members of device_add's arguments, and what its error must contain. */
typedef struct BadConfig {
    const char *members;
    const char *parts[MAX_PARTS];
} BadConfig;

static QDict *device_add(QTestState *qts, const char *members)
{
    qtest_qmp_send_raw(qts, "{'execute': 'device_add', 'arguments': {"
                       "'driver': 'femu-zns', 'id': 'hot', 'addr': '%02x.0'"
                       "%s%s}}\n", HOTPLUG_SLOT, *members ? ", " : "",
                       members);
    return qtest_qmp_receive(qts);
}

static void assert_refused(QTestState *qts, const BadConfig *bad)
{
    QDict *reply = device_add(qts, bad->members);
    QDict *error = qdict_get_qdict(reply, "error");
    const char *text;

    g_test_message("%s", bad->members);
    g_assert_nonnull(error);
    text = qdict_get_str(error, "desc");
    g_test_message("  %s", text);
    for (unsigned i = 0; i < MAX_PARTS && bad->parts[i]; i++) {
        g_assert_nonnull(strstr(text, bad->parts[i]));
    }
    qobject_unref(reply);
}

/* What is below its write pointer is there, what is above reads zeroes. */
static void assert_part_written(FemuDrive *drive)
{
    uint32_t block_bytes = drive->config.ssd.lba_bytes;
    g_autofree uint8_t *data = femu_pattern(drive, 0, 4, 1);

    memset(data + block_bytes, 0, 3 * block_bytes);
    g_assert_cmphex(femu_write(drive, 0, 1, data), ==, NVME_SUCCESS);
    femu_assert_data(drive, 0, 4, data);
}

/*
 * A good drive can be had in the same place; it is new. `more` are further
 * members, after a comma.
 */
static void assert_good(FemuHost *host, const char *more)
{
    FemuConfig config = femu_small_config();
    g_autofree char *members = g_strconcat(
        "'zones': 8, 'zone-size': 1048576, 'zone-capacity': 786432,"
        "'pages-per-block': 4", more, NULL);
    QDict *reply = device_add(host->qts, members);
    FemuDrive *drive;

    g_assert_true(qdict_haskey(reply, "return"));
    qobject_unref(reply);
    drive = femu_drive_open(host, HOTPLUG_SLOT, &config);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_data(drive, 0, 4, NULL);
    assert_part_written(drive);
    femu_assert_works(drive, 7);
    femu_drive_close(drive);
}

/* `objects` are further arguments; refuses every row, then works. */
static void check_refused(const char *objects, const BadConfig *rows,
                          unsigned count)
{
    g_autofree char *args = g_strconcat(HOTPLUG_MACHINE, objects, NULL);
    FemuHost *host = femu_host_start(args);

    for (unsigned i = 0; i < count; i++) {
        assert_refused(host->qts, &rows[i]);
    }
    assert_good(host, "");
    femu_host_stop(host);
}

/* Peers: "errors printed but realize succeeds". */
static void test_refused_ranges(void)
{
    static const BadConfig rows[] = {
        { "'zones': 0", { "zones=0", "1 to 1048576" } },
        { "'zones': 1048577", { "zones=1048577", "1 to 1048576" } },
        { "'zones': 4294967296", { "zones" } },
        { "'zones': -1", { "zones" } },
        { "'zone-size': 4096", { "zone-size=4K", "64K to 1T" } },
        { "'channels': 0", { "channels=0", "1 to 64" } },
        { "'channels': 65", { "channels=65", "1 to 64" } },
        { "'ways': 17", { "ways=17", "1 to 16" } },
        { "'planes': 9", { "planes=9", "1 to 8" } },
        { "'pages-per-block': 0", { "pages-per-block=0", "1 to 65536" } },
        { "'program-ns': 1000000001",
          { "program-ns=1000000001", "0 to 1000000000" } },
        { "'cmd-slots': 0", { "cmd-slots=0", "1 to 8192" } },
        { "'mdts': 4096", { "mdts=4K", "8K" } },
        { "'time-dilation': 0", { "time-dilation=0", "1 to 1000000" } },
        { "'time-dilation': 1000001",
          { "time-dilation=1000001", "1 to 1000000" } },
        { "'max-queue-pairs': 0", { "max-queue-pairs=0", "1 to 64" } },
        { "'max-queue-pairs': 65", { "max-queue-pairs=65", "1 to 64" } },
        { "'zd-extension-size': 100",
          { "zd-extension-size=100", "multiple of 64 up to 16320" } },
        { "'zd-extension-size': 16384",
          { "zd-extension-size=16384", "0 to 16320" } },
        { "'mdts': 8192, 'zd-extension-size': 8256",
          { "zd-extension-size=8256", "multiple of 64 up to 8192" } },
    };

    check_refused("", rows, ARRAY_SIZE(rows));
}

/* Numbers are what the simulator takes them for, on all ways to the drive. */
static void test_refused_numbers(void)
{
    static const BadConfig rows[] = {
        { "'channels': '010'",
          { "channels=010: '010' has a leading 0, which QEMU would read as "
            "octal; leave it out" } },
        { "'program-ns': '-1'", { "program-ns=-1: '-1' is not a whole" } },
        { "'channels': '4 '", { "channels=4 : '4 ' is not a whole" } },
        { "'channels': '0x100000004'", { "'0x100000004' is too large" } },
        { "'time-dilation': '010'", { "time-dilation=010: '010' has a" } },
        { "'power-cut-at-ns': '010'", { "power-cut-at-ns=010: '010' has a" } },
        { "'power-cut-seed': '-1'", { "power-cut-seed=-1: '-1' is not a" } },
    };

    check_refused("", rows, ARRAY_SIZE(rows));
}

/* Peers: "non-power-of-2 zone size accepted silently". */
static void test_refused_rules(void)
{
    static const BadConfig rows[] = {
        { "'zone-size': 1577058304", { "zone-size=", "power of two" } },
        { "'zone-capacity': 134217728",
          { "zone-capacity=128M", "zone-size=64M" } },
        { "'zone-capacity': 100000",
          { "zone-capacity=100000", "page-size=16K" } },
        { "'lba-size': 1024", { "lba-size=1024", "512 or 4096" } },
        { "'max-open': 5, 'max-active': 4",
          { "max-open=5", "max-active=4" } },
        { "'zone-channels': 3", { "zone-channels=3", "channels=4" } },
        { "'page-size': 5000", { "page-size=5000", "4K" } },
        { "'read-granule': 5000", { "read-granule=5000", "page-size=16K" } },
        { "'finish-chunk': 5000", { "finish-chunk=5000", "16K" } },
        { "'mdts': 12288", { "mdts=12K", "power of two" } },
        { "'zasl': 1048576", { "zasl=1M", "mdts=512K" } },
        { "'zasl': 4096", { "zasl=4K", "8K" } },
        { "'zrwa-size': 5000",
          { "zrwa-size=5000", "zrwa-flush-granularity=16K" } },
    };

    check_refused("", rows, ARRAY_SIZE(rows));
}

static void test_refused_names(void)
{
    static const BadConfig rows[] = {
        { "'zonez': 8", { "zonez" } },
        { "'serial': ''", { "serial", "quoted" } },
        { "'serial': '', 'zones': 0", { "zones=0" } },
        { "'serial': 'twenty-one characters'", { "serial=", "20" } },
        { "'serial': 'a\\tb'", { "serial", "0x09" } },
        { "'trace': '/nonexistent/folder/file'",
          { "trace=/nonexistent/folder/file", "No such file" } },
        { "'trace': ''", { "trace= is empty: no command would be recorded; "
          "name a file, or leave it out" } },
        { "'journal': ''", { "journal= is empty: no data would be recorded; "
          "name a file, or leave it out" } },
        { "'memdev': 'nobody'", { "'nobody' not found" } },
        { "'write-cache': 'sometimes'",
          { "write-cache=sometimes: 'sometimes' ", "; must be one of " } },
        { "'write-cache': 5", { "Invalid parameter type" } },
        /* What is for drives that run. */
        { "'zone-fail': '2:1 offline'",
          { "zone-fail: the drive is not realized yet" } },
        { "'inject-read-error': '1 1'",
          { "inject-read-error: the drive is not realized yet" } },
        { "'inject-write-error': '1 1'",
          { "inject-write-error: the drive is not realized yet" } },
        { "'power-cut': 'x'", { "power-cut: the drive is not realized yet" } },
        { "'stats-reset': true",
          { "stats-reset: the drive is not realized yet" } },
        /* 256 TiB of data: no process has so much room. */
        { "'zones': 256, 'zone-size': 1099511627776, 'page-size': 65536,"
          "'pages-per-block': 65536",
          { "cannot reserve 281474976710656 bytes of address space" } },
    };

    check_refused("", rows, ARRAY_SIZE(rows));
}

/* A new file in the folder for temporary ones, of that size. */
static char *temp_file(uint64_t bytes)
{
    char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(ftruncate(fd, bytes), ==, 0);
    close(fd);
    return path;
}

/* A backend that cannot hold the data: 64 zones of 64 MiB by default. */
static void test_refused_memdev(void)
{
    static const BadConfig rows[] = {
        { "'memdev': 'small'", { "memdev=small", "4293918720",
                                 "4294967296" } },
        { "'memdev': 'rom', 'zones': 2", { "memdev=rom", "read-only" } },
        { "'memdev': 'used', 'zones': 2", { "memdev=used", "in use" } },
        { "'state-sync': true", { "state-sync=on", "there is no state=" } },
    };
    FemuConfig config = femu_small_config();
    g_autofree char *path = temp_file(128 * SSD_MIB);
    g_autofree char *large = temp_file(4095 * SSD_MIB);
    g_autofree char *user = femu_device_args(&config, 9, "memdev=used");
    g_autofree char *objects = g_strdup_printf(
        "-object memory-backend-file,id=small,size=4095M,mem-path=%s,share=on "
        "-object memory-backend-ram,id=used,size=128M "
        "-object memory-backend-file,id=rom,size=128M,mem-path=%s,"
        "readonly=on,rom=on %s", large, path, user);
    check_refused(objects, rows, ARRAY_SIZE(rows));
    g_unlink(path);
    g_unlink(large);
}

static QDict *add(FemuHost *host, const char *members)
{
    QDict *reply = device_add(host->qts, members);

    g_test_message("%s", members);
    g_assert_true(qdict_haskey(reply, "return"));
    qobject_unref(reply);
    reply = qtest_qmp(host->qts, "{'execute': 'qom-get', 'arguments': {"
                      "'path': '/machine/peripheral/hot',"
                      "'property': 'write-cache'}}");
    return reply;
}

/* A backend that was refused is nobody's. */
static void test_given_back(void)
{
    static const BadConfig small = {
        "'memdev': 'small'", { "memdev=small", "134217728" }
    };
    FemuHost *host = femu_host_start(
        HOTPLUG_MACHINE "-object memory-backend-ram,id=small,size=128M");

    assert_refused(host->qts, &small);
    qobject_unref(add(host, "'memdev': 'small', 'zones': 2"));
    femu_host_stop(host);
}

/* The greatest and the least that is allowed; a word is read back. */
static void test_bounds(void)
{
    static const char *const members[] = {
        "'zones': 2, 'time-dilation': 1000000, 'write-cache': 'protected'",
        "'zones': 2, 'max-queue-pairs': 64, 'write-cache': 'protected'",
        "'zones': 2, 'max-queue-pairs': 1, 'write-cache': 'volatile'",
    };
    FemuHost *host = femu_host_start(HOTPLUG_MACHINE);

    for (unsigned i = 0; i < ARRAY_SIZE(members); i++) {
        QDict *reply = add(host, members[i]);

        g_assert_nonnull(strstr(members[i], qdict_get_str(reply, "return")));
        qobject_unref(reply);
        qpci_unplug_acpi_device_test(host->qts, "hot", HOTPLUG_SLOT);
    }
    femu_host_stop(host);
}

/* Of a drive with a long path and no name, the path's end. */
static void test_serial_of_path(void)
{
    static const struct {
        const char *args;
        const char *serial;
    } rows[] = {
        { "-device femu-zns,zones=2,addr=5.0", "0000:00:05.0" },
        { "-device pcie-root-port,id=b1,chassis=1,addr=10.0 "
          "-device femu-zns,zones=2,bus=b1", "0000:00:10.0:00.0" },
        { "-device pcie-root-port,id=b1,chassis=1,addr=10.0 "
          "-device pcie-root-port,id=b2,chassis=2,bus=b1 "
          "-device femu-zns,zones=2,bus=b2", "00:00:10.0:00.0:00.0" },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        FemuHost *host = femu_host_start(rows[i].args);
        QDict *reply = qtest_qmp(host->qts, "{'execute': 'qom-get',"
                                 "'arguments': {'path': "
                                 "'/machine/peripheral-anon/device[0]',"
                                 "'property': 'serial'}}");

        g_assert_cmpstr(qdict_get_str(reply, "return"), ==, rows[i].serial);
        qobject_unref(reply);
        femu_host_stop(host);
    }
}

/*
 * Start QEMU as a user does, with devices the last of which there is not, so
 * that it ends. Return: what it said. Caller frees.
 */
static char *command_line_says(const char *devices)
{
    g_autofree char *bios = femu_bios_create();
    g_autofree char *all = g_strdup_printf(
        "-accel qtest -display none %s -device no-such-device", devices);
    g_autofree char *args = femu_machine_args(bios, all);
    g_autofree char *line = g_strdup_printf(
        "%s %s", g_getenv("QTEST_QEMU_BINARY"), args);
    char *err = NULL;
    int wait_status;

    g_assert_true(g_spawn_command_line_sync(line, NULL, &err, &wait_status,
                                            NULL));
    g_unlink(bios);
    g_assert_true(WIFEXITED(wait_status));
    g_assert_cmpint(WEXITSTATUS(wait_status), ==, 1);
    g_test_message("%s", err);
    return err;
}

/* QEMU ends with status 1 and the message. */
static void test_refused_command_line(void)
{
    g_autofree char *err = command_line_says("-device femu-zns,zones=0");

    g_assert_nonnull(strstr(err, "zones=0"));
    g_assert_nonnull(strstr(err, "1 to 1048576"));
    g_assert_null(strstr(err, "no-such-device"));
}

/*
 * A backend whose bytes outlive QEMU while the drive does not: a shared file,
 * and nothing else, brings a warning that names it and what is lost.
 */
static void test_warned_memdev(void)
{
    static const char *const words[] = {
        "warning: memdev=data:", "zone states", "write pointers",
        "conventional namespace's mapping", "share=off",
    };
    g_autofree char *path = temp_file(128 * SSD_MIB);
    const struct {
        const char *object;
        const char *mem_path;
        bool warned;
    } rows[] = {
        { "memory-backend-file,share=on", path, true },
        { "memory-backend-file,share=off", path, false },
        { "memory-backend-file,share=on", g_get_tmp_dir(), false },
        { "memory-backend-memfd,share=on", NULL, false },
        { "memory-backend-ram", NULL, false },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        g_autofree char *args = g_strdup_printf(
            "-object %s,id=data,size=128M%s%s "
            "-device femu-zns,zones=2,memdev=data", rows[i].object,
            rows[i].mem_path ? ",mem-path=" : "", rows[i].mem_path ?: "");
        g_autofree char *err = command_line_says(args);

        g_assert_nonnull(strstr(err, "no-such-device"));
        for (unsigned j = 0; j < ARRAY_SIZE(words); j++) {
            g_assert_cmpint(strstr(err, words[j]) != NULL, ==,
                            rows[i].warned);
        }
    }
    g_unlink(path);
}

/*
 * Names follow from the serial number, given or taken from the identifier, so a
 * second drive cannot have that of the first.
 */
static void test_refused_serial(void)
{
    static const BadConfig rows[] = {
        { "'serial': 'same'", { "serial=same", "'hot'", "'first'",
                                "another serial=" } },
        { "'serial': 'a-very-long-identifi'", { "'hot'",
                                                "'a-very-long-identifier'" } },
        { "'serial': '0000:00:07.0'", { "'hot'", "/machine/" } },
    };

    check_refused("-device femu-zns,id=first,addr=9.0,zones=2,serial=same "
                  "-device femu-zns,id=a-very-long-identifier,addr=8.0,zones=2 "
                  "-device femu-zns,addr=7.0,zones=2", rows,
                  ARRAY_SIZE(rows));
}

/* Every parameter's default makes a drive that works. */
static void test_defaults(void)
{
    FemuConfig config = {
#define DEFAULT(type, field, name, value, ...) .ssd.field = (value),
        SSD_PARAMS(DEFAULT)
#undef DEFAULT
        .time_dilation = 1,
    };
    FemuHost *host = femu_host_start("-device femu-zns,addr=04.0");
    FemuDrive *drive = femu_drive_open(host, FEMU_SLOT, &config);
    NvmeIdNs id;

    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_works(drive, config.ssd.zones - 1);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, 0, 1, &id), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(id.nsze), ==,
                     64 * femu_zone_nlb(&config));
    femu_shutdown(drive);
}

/* Configuration files */

/* A drive from configs/`name`, with -set `set` if not NULL. */
static FemuDrive *boot_file(const char *name, const char *set)
{
    g_autofree char *args = g_strdup_printf(
        "-readconfig %s/configs/%s -set device.zns0.addr=04.0 %s%s",
        g_getenv("FEMU_TOP"), name, set ? "-set device.zns0." : "",
        set ?: "");
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                       &config);

    femu_enable(drive);
    femu_io_queues_create(drive);
    return drive;
}

static bool have_configs(void)
{
    if (!g_getenv("FEMU_TOP")) {
        g_test_skip("FEMU_TOP does not name the folder that has configs/");
        return false;
    }
    return true;
}

/* One 16 KiB write: 25 us on the channel and 700 us of programming. */
static void test_config_confznspp(void)
{
    FemuDrive *drive;
    QDict *stats;

    if (!have_configs()) {
        return;
    }
    drive = boot_file("confznspp.cfg", NULL);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);
    femu_expect_ok(&drive->io_cq, 25000 + 700000, 1, 0);
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "config/zones"), ==, 48);
    g_assert_cmpuint(femu_stat(stats, "config/zone-size"), ==, 2 * SSD_GIB);
    g_assert_cmpuint(femu_stat(stats, "config/zone-capacity"), ==,
                     1056 * SSD_MIB);
    qobject_unref(stats);
    femu_shutdown(drive);
}

/* -set after -readconfig changes what the file says. */
static void test_config_set(void)
{
    FemuDrive *drive;

    if (!have_configs()) {
        return;
    }
    drive = boot_file("confznspp.cfg", "program-ns=123456");
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);
    femu_expect_ok(&drive->io_cq, 25000 + 123456, 1, 0);
    femu_shutdown(drive);
}

static void test_config_zn540(void)
{
    FemuDrive *drive;
    QDict *stats;

    if (!have_configs()) {
        return;
    }
    drive = boot_file("zn540.cfg", NULL);
    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    stats = femu_stats(drive);
    g_assert_cmpuint(femu_stat(stats, "config/zones"), ==, 904);
    g_assert_cmpuint(femu_stat(stats, "config/zone-size"), ==, 2 * SSD_GIB);
    g_assert_cmpuint(femu_stat(stats, "config/zone-capacity"), ==,
                     1077 * SSD_MIB);
    g_assert_cmpuint(femu_stat(stats, "config/max-open"), ==, 14);
    g_assert_cmpuint(femu_stat(stats, "config/max-active"), ==, 14);
    qobject_unref(stats);
    femu_shutdown(drive);
}

static void test_config_tiny(void)
{
    FemuDrive *drive;

    if (!have_configs()) {
        return;
    }
    drive = boot_file("tiny.cfg", NULL);
    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* Unplugging */

static bool is_mapped(FemuHost *host, const char *path)
{
    g_autofree char *maps = g_strdup_printf("/proc/%d/maps",
                                            (int)qtest_pid(host->qts));
    g_autofree char *text = NULL;

    g_assert_true(g_file_get_contents(maps, &text, NULL, NULL));
    return strstr(text, path);
}

/*
 * A drive goes with a write inside it: its trace is complete (up to when the
 * drive was last entered from outside), its memory backend is free. Another one
 * in its place, over the old data, is empty. Behind both, the backend can go.
 */
static void test_unplug(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *trace = temp_file(0);
    g_autofree char *journal = temp_file(0);
    g_autofree char *data = temp_file(8 * SSD_MIB);
    g_autofree char *extra = g_strdup_printf("memdev=data,trace=%s,journal=%s",
                                             trace, journal);
    g_autofree char *device = femu_device_args(&config, HOTPLUG_SLOT, extra);
    g_autofree char *args = g_strdup_printf(
        HOTPLUG_MACHINE "-object memory-backend-file,id=data,size=8M,"
        "mem-path=%s,share=on %s", data, device);
    g_autofree char *text = NULL;
    FemuHost *host = femu_host_start(args);
    FemuDrive *drive = femu_drive_open(host, HOTPLUG_SLOT, &config);

    femu_enable(drive);
    femu_io_queues_create(drive);
    qobject_unref(femu_stats(drive));   /* it keeps what it has told */
    femu_step(host, 1000);
    qtest_memset(host->qts, drive->buf, 0x5a, FEMU_BUF_BYTES);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);
    femu_step(host, 1000);
    femu_drive_close(drive);
    qpci_unplug_acpi_device_test(host->qts, "zns5", HOTPLUG_SLOT);
    g_assert_true(g_file_get_contents(trace, &text, NULL, NULL));
    g_assert_true(g_str_has_suffix(text, "\nS,0,1000,write,1,0,4,0,0\nX,0\n"
                                   "E,1000\n"));
    assert_good(host, ", 'memdev': 'data'");
    qpci_unplug_acpi_device_test(host->qts, "hot", HOTPLUG_SLOT);
    g_assert_true(is_mapped(host, data));
    qtest_qmp_assert_success(host->qts, "{'execute': 'object-del',"
                             "'arguments': {'id': 'data'}}");
    while (is_mapped(host, data)) {     /* QEMU frees it later (RCU) */
        g_usleep(1000);
    }
    femu_host_stop(host);
    g_unlink(trace);
    g_unlink(journal);
    g_unlink(data);
}

/* The lines of QEMU's list of devices, below the kind that each is of. */
static void test_kinds(void)
{
    static const char *const rows[][2] = {
        { "Storage devices:", "\nname \"femu-zns\", bus PCI, desc \"Zoned "
          "(ZNS) NVMe SSD with exact time\"" },
#ifndef QEMU_SANITIZE_ADDRESS /* that QEMU has nothing but the drive */
        { "Misc devices:", "\nname \"femu-insns\", bus ISA, desc \"A port by "
          "which a guest reads how many instructions it has executed\"" },
        { "Misc devices:", "\nname \"femu-stop\", bus ISA, desc \"A port by "
          "which a guest stops its machine\"" },
#endif
    };
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    g_autofree char *reply = qtest_hmp(drive->host->qts, "info qdm");
    g_auto(GStrv) lines = g_strsplit(reply, "\r", -1);
    g_autofree char *text = g_strjoinv("", lines);

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        char *kind = strstr(text, rows[i][0]), *end;

        g_assert_nonnull(kind);
        end = strstr(kind, "\n\n") ?: kind + strlen(kind);
        g_assert_nonnull(g_strstr_len(kind, end - kind, rows[i][1]));
    }
    femu_shutdown(drive);
}

/*
 * What QEMU's help says of properties: in the table's words, or ours; and a
 * default that is a word.
 */
static void test_descriptions(void)
{
    static const struct {
        const char *name, *description;
    } rows[] = {
#define ROW(type, field, name, value, min, max, unit, help) { name, help },
        SSD_PARAMS(ROW)
#undef ROW
        { "serial", "serial number, up to 20 characters; names are derived "
                    "from it" },
        { "trace", "file that records every command and completion" },
        { "state", "folder in which the drive lasts when QEMU ends; made if "
                   "need be" },
        { "state-sync", "wait for the host's disk before a command ends: "
                        "state= then outlasts a loss of the host's power" },
        { "journal", "file that records all bytes written, for femu-sim cut "
                     "--state" },
        { "memdev", "memory backend for the data; default: sparse anonymous "
                    "memory" },
        { "iothread", "a thread of the drive's own, in real time" },
        { "power-cut-at-ns", "the power goes at this instant of the drive; 0: "
                             "never" },
        { "power-cut-at-command", "the power goes when the drive has accepted "
                                  "so many commands; 0: never" },
        { "power-cut-at-program", "the power goes when so many programs of "
                                  "the flash have ended; 0: never" },
        { "power-cut-seed", "decides what becomes of what was inside when the "
                            "power goes" },
        { "time-dilation", "virtual nanoseconds per nanosecond of the drive" },
        { "max-queue-pairs", "I/O queue pairs that a host can create" },
        { "dbbuf", "offer Doorbell Buffer Config: doorbells in host memory" },
        { "stats", "statistics as JSON text" },
        { "live", "what the drive does now, as JSON" },
        { "stats-reset", "write true to reset statistics" },
        { "zone-states", "state of every zone, as JSON text" },
        { "zone-fail", "write \"12 read-only\" or \"12 offline\" to make "
                       "zone 12 fail" },
        { "inject-read-error", "write \"slba nlb\" to make these blocks "
                               "unreadable" },
        { "inject-write-error", "write \"slba nlb\" to make writes to these "
                                "blocks fail" },
        { "inject-clear", "write true to make all blocks good again" },
    };
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute':"
                             "'device-list-properties', 'arguments': "
                             "{'typename': 'femu-zns'}}");
    QListEntry *entry;
    unsigned found = 0;

    QLIST_FOREACH_ENTRY(qdict_get_qlist(reply, "return"), entry) {
        QDict *property = qobject_to(QDict, qlist_entry_obj(entry));

        for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
            if (g_str_equal(qdict_get_str(property, "name"), rows[i].name)) {
                g_assert_cmpstr(qdict_get_try_str(property, "description"),
                                ==, rows[i].description);
                if (g_str_equal(rows[i].name, "erase-at")) {
                    g_assert_cmpstr(qdict_get_try_str(property,
                                                      "default-value"),
                                    ==, "reset");
                }
                found++;
            }
        }
    }
    g_assert_cmpuint(found, ==, ARRAY_SIZE(rows));
    qobject_unref(reply);
    femu_shutdown(drive);
}

/* Whoever is unplugged gives its serial number back, and closes no file. */
static void test_unplug_serial(void)
{
    FemuConfig config = femu_small_config();
    /* three namespaces, which go with it; no trace */
    g_autofree char *device = femu_device_args(
        &config, 9, "namespaces=2,conventional-size=1M");
    g_autofree char *args = g_strconcat(HOTPLUG_MACHINE, device, NULL);
    FemuHost *host = femu_host_start(args);
    static const BadConfig bad = {
        "'serial': 'qtest-9'", { "serial=qtest-9", "'zns9'" }
    };
    unsigned files = femu_open_files(host->qts);

    assert_refused(host->qts, &bad);
    qpci_unplug_acpi_device_test(host->qts, "zns9", 9);
    assert_good(host, ", 'serial': 'qtest-9'");
    g_assert_cmpuint(femu_open_files(host->qts), ==, files);
    femu_host_stop(host);
}

/* Time that counts instructions has no place for a thread, but for the drive. */
static void test_thread_refused(void)
{
    g_autofree char *bios = femu_bios_create();
    g_autofree char *args = femu_machine_args(
        bios, HOTPLUG_MACHINE
        "-accel tcg -icount shift=0 -S -object iothread,id=io0");
    QTestState *qts;
    QDict *reply;
    const char *text;

    if (!qtest_has_accel("tcg")) {
        g_test_skip("this QEMU has no TCG");
        g_unlink(bios);
        return;
    }
    qts = qtest_init(args);
    g_unlink(bios);
    reply = qtest_qmp(qts, "{'execute': 'device_add', 'arguments': {"
                      "'driver': 'femu-zns', 'id': 'hot', 'addr': '05.0',"
                      "'iothread': 'io0'}}");
    text = qdict_get_str(qdict_get_qdict(reply, "error"), "desc");
    g_assert_nonnull(strstr(text, "iothread=io0: with -icount"));
    qobject_unref(reply);
    qtest_qmp_assert_success(qts, "{'execute': 'device_add', 'arguments': {"
                             "'driver': 'femu-zns', 'id': 'hot',"
                             "'addr': '05.0'}}");
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/realize/" name, test)
    qtest_add_func("femu-zns/peers/errors-but-realized", test_refused_ranges);
    ADD("refused-numbers", test_refused_numbers);
    qtest_add_func("femu-zns/peers/zone-size-no-power-of-two",
                   test_refused_rules);
    ADD("refused/names", test_refused_names);
    ADD("refused/memdev", test_refused_memdev);
    ADD("refused/given-back", test_given_back);
    ADD("refused/command-line", test_refused_command_line);
    ADD("bounds", test_bounds);
    ADD("serial-of-path", test_serial_of_path);
    ADD("refused/serial", test_refused_serial);
    ADD("refused/thread", test_thread_refused);
    ADD("warned/memdev", test_warned_memdev);
    ADD("defaults", test_defaults);
    ADD("config/confznspp", test_config_confznspp);
    ADD("config/set", test_config_set);
    ADD("config/zn540", test_config_zn540);
    ADD("config/tiny", test_config_tiny);
    ADD("unplug", test_unplug);
    ADD("unplug-serial", test_unplug_serial);
    ADD("descriptions", test_descriptions);
    ADD("kinds", test_kinds);
#undef ADD
    return g_test_run();
}
