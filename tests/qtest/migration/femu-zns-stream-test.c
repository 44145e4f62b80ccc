/*
 * The stream of a drive that moves: what is damaged, of another drive or of
 * another version is refused with a message that says so, and no stream makes
 * QEMU do what it should not. How large a stream is.
 *
 * Knows of a stream that it has a core, a device, a trace and data, in this
 * order, each with a CRC-32.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include <sys/wait.h>
#include "qemu/bswap.h"
#include "femu-zns-commands.h"

#define CORE_MAGIC "femu-zns drive\n"
#define CHANGES 24          /* of single bytes, under a CRC-32 that fits */
#define LONG_COMMANDS 3000
#define HUGE_LENGTH UINT64_C(0x4000000000000000)

/* A saved machine: its bytes, and where parts of the drive begin. */
typedef struct Stream {
    uint8_t *bytes;
    size_t size;
    size_t core;
    size_t core_bytes;
    size_t device;
    size_t device_bytes;
    size_t trace;           /* its first piece; 0: there is none */
    size_t data;
} Stream;

/* --- A machine that has been saved ---------------------------------------- */

static char *file_new(void)
{
    char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-stream-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return path;
}

/* A drive with data, and commands inside. */
static void use(FemuDrive *drive)
{
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    NvmeCmd request = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };

    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    femu_submit(&drive->admin, &request);
    femu_submit_rw(drive, NVME_CMD_READ, 0, 8);
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 1), 8);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    femu_step(drive->host, 1000);
}

static size_t find(const Stream *s, const char *text, size_t bytes)
{
    const uint8_t *found = memmem(s->bytes, s->size, text, bytes);

    g_assert_nonnull(found);
    return found - s->bytes;
}

/* Each part is a length in 8 bytes, the bytes, and a CRC-32 in 4. */
static void find_parts(Stream *s)
{
    size_t at;

    s->core = find(s, CORE_MAGIC, strlen(CORE_MAGIC));
    s->core_bytes = ldq_be_p(s->bytes + s->core - 8);
    s->device = s->core + s->core_bytes + 4 + 8;
    s->device_bytes = ldq_be_p(s->bytes + s->device - 8);
    at = s->device + s->device_bytes + 4;
    if (s->bytes[at++]) {
        s->trace = at;
        while (ldl_be_p(s->bytes + at)) {
            at += 4 + ldl_be_p(s->bytes + at);
        }
        at += 8;
    }
    s->data = at;
}

static Stream save_drive(FemuDrive *drive)
{
    g_autofree char *path = file_new();
    unsigned files = femu_open_files(drive->host->qts);
    Stream s = { 0 };

    femu_host_save(drive->host, path);
    g_assert_cmpuint(femu_open_files(drive->host->qts), ==, files);
    femu_shutdown(drive);
    g_assert_true(g_file_get_contents(path, (char **)&s.bytes, &s.size, NULL));
    g_unlink(path);
    find_parts(&s);
    return s;
}

static Stream save(const char *extra)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, extra);

    use(drive);
    return save_drive(drive);
}

static char *write_stream(const Stream *s, size_t size)
{
    char *path = file_new();

    g_assert_true(g_file_set_contents(path, (char *)s->bytes, size, NULL));
    return path;
}

/* --- What is refused ------------------------------------------------------ */

/* QEMU says this of the stream's first bytes, and ends. */
static void assert_refused(const Stream *s, size_t size, const char *extra,
                           const char *message)
{
    FemuConfig config = femu_small_config();
    g_autofree char *path = write_stream(s, size);
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, extra);
    g_autofree char *bios = femu_bios_create();
    g_autofree char *args = femu_machine_args(bios, device);
    g_autofree char *line = g_strdup_printf(
        "timeout 120 %s -accel qtest -display none %s -incoming file:%s",
        g_getenv("QTEST_QEMU_BINARY"), args, path);
    g_autofree char *err = NULL;
    g_auto(GStrv) words = NULL;
    int status;

    g_assert_true(g_shell_parse_argv(line, NULL, &words, NULL));
    g_assert_true(g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH, NULL,
                               NULL, NULL, &err, &status, NULL));
    g_unlink(bios);
    g_unlink(path);
    g_test_message("%s: %s", message, err);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 1);
    g_assert_nonnull(strstr(err, message));
}

/* One byte is otherwise. */
static void assert_flip(const Stream *s, size_t at, const char *message)
{
    s->bytes[at] ^= 0x10;
    assert_refused(s, s->size, NULL, message);
    s->bytes[at] ^= 0x10;
}

static void test_damaged(void)
{
    g_autofree char *trace = file_new();
    g_autofree char *extra = g_strdup_printf("trace=%s", trace);
    Stream s = save(extra);
    uint64_t core_bytes = ldq_be_p(s.bytes + s.core - 8);
    uint32_t piece_bytes;

    g_assert_cmpuint(s.trace, >, 0);
    g_assert_cmpuint(s.bytes[s.data], ==, 1);
    assert_flip(&s, s.core - 16, "the stream has no femu-zns here");
    assert_flip(&s, s.core + 40, "core: the CRC-32 is");
    assert_flip(&s, s.core + s.core_bytes, "core: the CRC-32 is");
    assert_flip(&s, s.device + 40, "device: the CRC-32 is");
    assert_flip(&s, s.trace + 40, "trace: the CRC-32 is");
    assert_flip(&s, s.data + 40, "data: the CRC-32 is");
    stq_be_p(s.bytes + s.core - 8, HUGE_LENGTH);
    assert_refused(&s, s.size, NULL, "core has 4611686018427387904 bytes, "
                   "of which there can be 2147483647");
    stq_be_p(s.bytes + s.core - 8, UINT64_C(1) + INT32_MAX);
    assert_refused(&s, s.size, NULL, "core has 2147483648 bytes, "
                   "of which there can be 2147483647");
    stq_be_p(s.bytes + s.core - 8, INT32_MAX);
    assert_refused(&s, s.size, NULL, "core: the stream ends in it");
    stq_be_p(s.bytes + s.core - 8, core_bytes);
    piece_bytes = ldl_be_p(s.bytes + s.trace);
    stl_be_p(s.bytes + s.trace, UINT32_MAX);
    assert_refused(&s, s.size, NULL, "trace: the stream ends in it");
    stl_be_p(s.bytes + s.trace, piece_bytes);
    assert_refused(&s, s.core + 40, NULL, "core: the stream ends in it");
    assert_refused(&s, s.device + 40, NULL, "device: the stream ends in it");
    assert_refused(&s, s.trace + 40, NULL, "trace: the stream ends in it");
    assert_refused(&s, s.data + 40, NULL, "data: the stream ends in them");
    g_unlink(trace);
    g_free(s.bytes);
}

/* Data that have no zones, and a trace of more than a piece of 64 KiB. */
static void test_long(void)
{
    g_autofree char *trace = file_new();
    g_autofree char *part = g_strconcat(trace, ".part", NULL);
    g_autofree char *extra = g_strdup_printf("conventional-size=1M,trace=%s",
                                             trace);
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, extra);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    Stream s;

    for (unsigned i = 0; i < LONG_COMMANDS; i++) {
        g_assert_cmphex(femu_write(drive, 7, 1, NULL), !=, NVME_SUCCESS);
    }
    drive->nsid = 2;
    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    s = save_drive(drive);
    g_assert_cmpuint(ldl_be_p(s.bytes + s.trace), ==, 64 * 1024);
    assert_refused(&s, s.data + 100, extra, "data: the stream ends in them");
    g_assert_cmpint(symlink("/dev/full", part), ==, 0);
    assert_refused(&s, s.size, extra, "cannot write '");
    g_assert_cmpint(unlink(part), ==, -1);
    g_unlink(trace);
    g_free(s.bytes);
}

/* It ends in a trace that has no room, either: of two faults the first is told. */
static void test_full_and_ends(void)
{
    g_autofree char *trace = file_new();
    g_autofree char *part = g_strconcat(trace, ".part", NULL);
    g_autofree char *extra = g_strdup_printf("trace=%s", trace);
    FemuConfig config = femu_small_config();
    Stream s = save_drive(femu_boot(&config, extra));
    uint32_t piece_bytes = ldl_be_p(s.bytes + s.trace);

    g_assert_cmpuint(piece_bytes, <, 4096);     /* is written when closed */
    g_assert_cmpint(symlink("/dev/full", part), ==, 0);
    assert_refused(&s, s.trace + 4 + piece_bytes, extra,
                   "trace: the CRC-32 is 00000000");
    g_assert_cmpint(unlink(part), ==, -1);
    g_unlink(trace);
    g_free(s.bytes);
}

/* It ends in data of the first namespace; there are none of the second. */
static void test_namespaces(void)
{
    static const char extra[] = "namespaces=2";
    Stream s = save(extra);

    assert_refused(&s, s.data + 40, extra, "data: the stream ends in them");
    g_free(s.bytes);
}

static void test_other_drives(void)
{
    static const struct {
        const char *extra;
        const char *message;
    } rows[] = {
        { "zones=9", "it is of a drive with zones=8, this one has zones=9" },
        { "read-ns=1", "it is of a drive with read-ns=60000, this one has" },
        { "time-dilation=2", "with time-dilation=1, this one has "
          "time-dilation=2" },
        { "max-queue-pairs=3", "max-queue-pairs=64, this one has" },
        { "dbbuf=on", "dbbuf=0, this one has dbbuf=1" },
        { "serial=other", "serial=qtest-4, this one has serial=other" },
        { "trace=/dev/null", "the drive had none where it comes from" },
    };
    Stream s = save(NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_refused(&s, s.size, rows[i].extra, rows[i].message);
    }
    g_free(s.bytes);
}

/* The version is behind the name and the number of the section's device. */
static void test_version(void)
{
    static const char name[] = "/femu-zns";
    Stream s = save(NULL);
    size_t at = find(&s, name, strlen(name)) + strlen(name) + 4;

    g_assert_cmpuint(ldl_be_p(s.bytes + at), ==, 1);
    stl_be_p(s.bytes + at, 2);
    assert_refused(&s, s.size, NULL, "unsupported version 2");
    g_free(s.bytes);
}

static void folder_delete(const char *folder)
{
    static const char *const names[] = { "history", "data", "kept",
                                         "sums" };

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);

        g_unlink(path);
    }
    g_rmdir(folder);
}

/* A drive with these properties does not go. */
static void assert_stays(const char *extra, const char *message)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, extra);
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute': 'migrate',"
                             " 'arguments': {'uri': 'file:/dev/null'}}");
    QDict *error = qdict_get_qdict(reply, "error");

    g_assert_nonnull(error);
    g_assert_nonnull(strstr(qdict_get_str(error, "desc"), message));
    qobject_unref(reply);
    femu_shutdown(drive);
}

/* A drive with a state neither goes nor comes. */
static void test_state(void)
{
    const char *message = "a drive with a state cannot move into another QEMU";
    g_autofree char *folder = g_dir_make_tmp("femu-zns-stream-XXXXXX", NULL);
    g_autofree char *extra = g_strdup_printf("state=%s", folder);
    Stream s = save(NULL);

    assert_stays(extra, message);
    assert_refused(&s, s.size, extra, message);
    folder_delete(folder);
    g_free(s.bytes);
}

/* Nor does one with a journal. */
static void test_journal(void)
{
    g_autofree char *journal = file_new();
    g_autofree char *extra = g_strdup_printf("trace=/dev/null,journal=%s",
                                             journal);
    const char *message = "a drive with a journal cannot move into another "
                          "QEMU";
    Stream s = save(NULL);

    assert_stays(extra, message);
    assert_refused(&s, s.size, extra, message);
    g_unlink(journal);
    g_free(s.bytes);
}

/* --- What nobody has saved ------------------------------------------------ */

/* As zlib's crc32(). */
static uint32_t crc_of(const uint8_t *bytes, size_t count)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        }
    }
    return ~crc;
}

/* A number of the device's part, as base/state.h writes those that differ. */
static size_t put_step(uint8_t *bytes, uint64_t step)
{
    size_t count = 0;

    for (step <<= 1; step > 0x7f; step >>= 7) {
        bytes[count++] = (step & 0x7f) | 0x80;
    }
    bytes[count++] = step;
    return count;
}

static void assert_device_refused(Stream *s, const char *extra,
                                  const char *message)
{
    stl_be_p(s->bytes + s->device + s->device_bytes,
             crc_of(s->bytes + s->device, s->device_bytes));
    assert_refused(s, s->size, extra, message);
}

/* One of two buffers of shadow doorbells is amid a page: another number. */
static void assert_amid_page(Stream *s, uint64_t addr, const char *message)
{
    uint8_t was[10], other[10];
    size_t count = put_step(was, addr);
    uint8_t *at = memmem(s->bytes + s->device, s->device_bytes, was, count);

    g_assert_nonnull(at);
    g_assert_cmpuint(put_step(other, addr + 6), ==, count);
    memcpy(at, other, count);
    assert_device_refused(s, "dbbuf=on", message);
    memcpy(at, was, count);
}

/* The drive offers none: the number before the serial number's length is 0. */
static void assert_not_offered(Stream *s)
{
    static const char numbers[] = "\1\7qtest-4"; /* of the slot FEMU_SLOT */
    uint8_t *at = memmem(s->bytes + s->device, s->device_bytes, numbers,
                         strlen(numbers));

    g_assert_nonnull(at);
    *at = 0;
    assert_device_refused(s, NULL, "dbbuf.enabled is 1, must be 0 of a drive "
                          "with dbbuf=off");
    *at = 1;
}

static void test_shadow_doorbells(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, "dbbuf=on");
    uint64_t shadow = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    uint64_t event = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_DBBUF_CONFIG,
        .dptr.prp1 = cpu_to_le64(shadow),
        .dptr.prp2 = cpu_to_le64(event),
    };
    g_autofree char *of_shadow = g_strdup_printf(
        "dbbuf.shadow_addr is 0x%" PRIx64 ", must be a multiple of page_bytes, "
        "4096", shadow + 6);
    g_autofree char *of_event = g_strdup_printf(
        "dbbuf.event_addr is 0x%" PRIx64 ", must be a multiple of page_bytes, "
        "4096", event + 6);
    Stream s;

    g_assert_cmphex(femu_exec(&drive->admin, &cmd).status, ==, NVME_SUCCESS);
    s = save_drive(drive);
    assert_amid_page(&s, shadow, of_shadow);
    assert_amid_page(&s, event, of_event);
    assert_not_offered(&s);
    g_free(s.bytes);
}

static void load_or_refuse(const Stream *s)
{
    FemuConfig config = femu_small_config();
    g_autofree char *path = write_stream(s, s->size);
    g_autofree char *device = femu_device_args(&config, FEMU_SLOT, NULL);
    g_autofree char *args = g_strdup_printf("%s -incoming defer", device);
    g_autofree char *uri = g_strdup_printf("file:%s", path);
    FemuHost *host = femu_host_start(args);

    qtest_clock_set(host->qts, 100000000);
    qtest_qmp_assert_success(host->qts, "{'execute': 'migrate-incoming',"
                             " 'arguments': {'uri': %s,"
                             " 'exit-on-error': false}}", uri);
    for (bool done = false; !done; ) {
        QDict *reply = qtest_qmp_assert_success_ref(
            host->qts, "{ 'execute': 'query-migrate' }");
        const char *status = qdict_get_try_str(reply, "status");

        done = status && (strcmp(status, "failed") == 0 ||
                          strcmp(status, "completed") == 0);
        qobject_unref(reply);
    }
    qtest_clock_set(host->qts, UINT64_C(60000000000));
    femu_host_stop(host);
    g_unlink(path);
}

/* QEMU lives, whatever the device's part says. */
static void test_changed(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(
        g_test_rand_int_range(0, 1000000));
    Stream s = save(NULL);
    uint8_t *crc = s.bytes + s.device + s.device_bytes;

    for (unsigned i = 0; i < CHANGES; i++) {
        uint32_t at = g_rand_int_range(rand, 0, s.device_bytes);
        uint8_t was = s.bytes[s.device + at];

        s.bytes[s.device + at] = g_rand_int(rand);
        stl_be_p(crc, crc_of(s.bytes + s.device, s.device_bytes));
        g_test_message("byte %u of the device: %u, was %u", at,
                       s.bytes[s.device + at], was);
        load_or_refuse(&s);
        s.bytes[s.device + at] = was;
    }
    g_free(s.bytes);
}

/* Of a drive of 1 TB only what has been written is saved. */
static void test_sparse(void)
{
    FemuConfig config = femu_small_config();
    g_autofree char *path = file_new();
    g_autofree uint8_t *data = NULL;
    FemuDrive *drive;
    GStatBuf info;

    config.ssd.zones = 1024;
    config.ssd.zone_size_bytes = SSD_GIB;
    config.ssd.zone_capacity_bytes = SSD_GIB;
    config.ssd.pages_per_block = 1024;
    drive = femu_boot(&config, NULL);
    data = femu_pattern(drive, femu_zone_lba(drive, 1000), 64, 1);
    g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, 1000), 64, data),
                    ==, NVME_SUCCESS);
    femu_host_save(drive->host, path);
    g_assert_cmpint(g_stat(path, &info), ==, 0);
    g_test_message("1 TB with 256 KiB of data: %" PRIu64 " bytes",
                   (uint64_t)info.st_size);
    g_assert_cmpuint(info.st_size, <, 4 * SSD_MIB);
    femu_shutdown(drive);
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/stream/damaged", test_damaged);
    qtest_add_func("femu-zns/stream/long", test_long);
    qtest_add_func("femu-zns/stream/full-and-ends", test_full_and_ends);
    qtest_add_func("femu-zns/stream/namespaces", test_namespaces);
    qtest_add_func("femu-zns/stream/other-drives", test_other_drives);
    qtest_add_func("femu-zns/stream/version", test_version);
    qtest_add_func("femu-zns/stream/state", test_state);
    qtest_add_func("femu-zns/stream/journal", test_journal);
    qtest_add_func("femu-zns/stream/changed", test_changed);
    qtest_add_func("femu-zns/stream/shadow-doorbells", test_shadow_doorbells);
    qtest_add_func("femu-zns/stream/sparse", test_sparse);
    return g_test_run();
}
