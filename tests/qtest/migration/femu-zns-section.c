/*
 * Sections: the machine that is saved, what is found in it, what is loaded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "qemu/bswap.h"
#include "femu-zns-section.h"

#define NAME "/femu-zns"
#define CORE_MAGIC "femu-zns drive\n"
#define SNAPSHOT "kept"
#define CLUSTER_BYTES (64 * SSD_KIB) /* all of a section is in one */

void section_append(GByteArray *bytes, uint8_t value)
{
    g_byte_array_append(bytes, &value, 1);
}

static void append_be32(GByteArray *bytes, uint32_t value)
{
    value = cpu_to_be32(value);
    g_byte_array_append(bytes, (uint8_t *)&value, sizeof(value));
}

static void append_be64(GByteArray *bytes, uint64_t value)
{
    value = cpu_to_be64(value);
    g_byte_array_append(bytes, (uint8_t *)&value, sizeof(value));
}

uint32_t section_crc(const uint8_t *bytes, size_t count)
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

static const uint8_t *find(const uint8_t *bytes, size_t size, const char *text)
{
    const uint8_t *found = memmem(bytes, size, text, strlen(text));

    g_assert_nonnull(found);
    return found;
}

/*
 * Save the machine: the sections of its devices, each with its number in front
 * of its name and behind 7Eh at its end, then a 0.
 */
Section section_save(Bench *b)
{
    g_autofree uint8_t *bytes = NULL;
    const uint8_t *name, *start, *end;
    Section s = { g_byte_array_new() };
    uint8_t foot[5];
    gsize size;

    qtest_qmp_assert_success(b->drive->host->qts,
                             "{'execute': 'xen-save-devices-state',"
                             " 'arguments': {'filename': %s, 'live': false}}",
                             b->saved);
    g_assert_true(g_file_get_contents(b->saved, (char **)&bytes, &size,
                                      NULL));
    name = find(bytes, size, NAME);
    for (start = name; name - start != start[-1] - (int)strlen(NAME);
         start--) {
        g_assert_true(start > bytes + 6);
    }
    start -= 6;
    foot[0] = 0x7e;
    memcpy(foot + 1, start + 1, 4);
    end = memmem(name, bytes + size - name, foot, sizeof(foot));
    g_assert_nonnull(end);
    g_byte_array_append(s.bytes, start, end + sizeof(foot) - start);
    section_append(s.bytes, 0);
    name = find(s.bytes->data, s.bytes->len, CORE_MAGIC);
    s.core_at = name - s.bytes->data;
    s.core_count = ldq_be_p(name - 8);
    name += s.core_count + 4;
    s.count = ldq_be_p(name);
    s.at = name + 8 - s.bytes->data;
    return s;
}

/* The section with another byte of the core, behind which is its SHA-256. */
GByteArray *section_with_core(const Section *s, guint at, uint8_t value)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize sum_bytes = g_checksum_type_get_length(G_CHECKSUM_SHA256);
    guint count = s->core_count - sum_bytes;
    GByteArray *made = g_byte_array_new();
    uint8_t *core;

    g_assert_cmpuint(at, <, count);
    g_byte_array_append(made, s->bytes->data, s->bytes->len);
    core = made->data + s->core_at;
    core[at] = value;
    g_checksum_update(sum, core, count);
    g_checksum_get_digest(sum, core + count, &sum_bytes);
    stl_be_p(core + s->core_count, section_crc(core, s->core_count));
    return made;
}

/* The section with another part. */
GByteArray *section_with_part(const Section *s, const GByteArray *part)
{
    GByteArray *made = g_byte_array_new();
    guint rest = s->at + s->count + 4;

    g_byte_array_append(made, s->bytes->data, s->at - 8);
    append_be64(made, part->len);
    g_byte_array_append(made, part->data, part->len);
    append_be32(made, section_crc(part->data, part->len));
    g_byte_array_append(made, s->bytes->data + rest, s->bytes->len - rest);
    return made;
}

/* Load a stream. Return: what the device says; "" if it is let in. */
char *section_load(Bench *b, const GByteArray *bytes)
{
    g_autofree char *text = NULL;
    const char *line;

    g_assert_cmpint(pwrite(b->fd, bytes->data, bytes->len, b->at), ==,
                    bytes->len);
    text = qtest_hmp(b->drive->host->qts, "loadvm " SNAPSHOT);
    line = strstr(text, "femu-zns: ");
    g_assert_true(line || *text == 0);
    return line ? g_strndup(line, strcspn(line, "\r\n")) : g_strdup("");
}

static void wait_for_job(QTestState *qts)
{
    for (bool done = false; !done; ) {
        QDict *event = qtest_qmp_eventwait_ref(qts, "JOB_STATUS_CHANGE");

        done = strcmp(qdict_get_str(qdict_get_qdict(event, "data"), "status"),
                      "concluded") == 0;
        qobject_unref(event);
    }
}

/* An image that holds snapshots of the machine; what is in it is not looked at.
 */
static void image_create(Bench *b)
{
    QTestState *qts = b->drive->host->qts;

    qtest_qmp_assert_success(qts, "{'execute': 'blockdev-add', 'arguments':"
                             " {'driver': 'file', 'node-name': 'file',"
                             " 'cache': {'no-flush': true},"
                             " 'filename': %s}}", b->image);
    qtest_qmp_assert_success(qts, "{'execute': 'blockdev-create', 'arguments':"
                             " {'job-id': 'create', 'options': {"
                             "'driver': 'qcow2', 'file': 'file',"
                             " 'size': 65536, 'cluster-size': %u}}}",
                             (unsigned)CLUSTER_BYTES);
    wait_for_job(qts);
    qtest_qmp_assert_success(qts, "{'execute': 'blockdev-add', 'arguments':"
                             " {'driver': 'qcow2', 'node-name': 'image',"
                             " 'file': 'file', 'cache': {'no-flush': true}}}");
}

/*
 * Where the snapshot's sections are: behind QEMU's word, its version, 7, and
 * the length and the name of the kind of machine.
 */
static off_t find_sections(int fd)
{
    uint8_t head[13];

    for (off_t at = 0; pread(fd, head, sizeof(head), at) == sizeof(head);
         at += CLUSTER_BYTES) {
        if (memcmp(head, "QEVM\0\0\0\3\7", 9) == 0) {
            return at + sizeof(head) + ldl_be_p(head + 9);
        }
    }
    g_assert_not_reached();
}

static char *file_new(void)
{
    char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-refuse-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return path;
}

static void add_option(const char *name, const char *option)
{
    const char *own = g_getenv(name);
    g_autofree char *options = g_strconcat(own ?: "", own ? ":" : "", option,
                                           NULL);

    g_setenv(name, options, TRUE);
}

/*
 * QEMU's own savevm and loadvm lose what loadvm.supp names: that, and nothing
 * else, may be lost. To see by whom, all of the stack has to be looked at.
 */
static void allow_leaks(void)
{
    g_autofree char *known = g_strdup_printf(
        "suppressions=%s/tests/qtest/migration/loadvm.supp:"
        "print_suppressions=0", g_getenv("FEMU_TOP"));

    add_option("LSAN_OPTIONS", known);
    add_option("ASAN_OPTIONS",
               "fast_unwind_on_malloc=0:malloc_context_size=12");
}

Bench *bench_new(BenchTrace trace)
{
    FemuConfig config = femu_small_config();
    Bench *b = g_new0(Bench, 1);
    g_autofree char *device = NULL;
    g_autofree char *args = NULL;
    g_autofree char *extra = NULL;

    b->saved = file_new();
    b->image = file_new();
    allow_leaks();
    b->trace = trace == NO_TRACE ? NULL : file_new();
    if (trace == TRACE_ON_FULL_DISK) {
        g_unlink(b->trace);
        g_assert_cmpint(symlink("/dev/full", b->trace), ==, 0);
    }
    config.ssd.zones = 12;
    config.ssd.namespaces = 2;
    config.ssd.cmd_slots = 4;
    device = femu_device_args(&config, FEMU_SLOT, "conventional-size=1M,"
                              "write-cache=volatile,power-up-ns=3000000,"
                              "zd-extension-size=64,serial=refuses");
    extra = b->trace ? g_strconcat(",trace=", b->trace, NULL) : NULL;
    args = g_strconcat("-machine suppress-vmdesc=on ", device, extra, NULL);
    b->drive = femu_drive_open(femu_host_start(args), FEMU_SLOT, &config);
    femu_msix_enable(b->drive);
    for (unsigned i = 0; i < 3; i++) {
        femu_msix_vector(b->drive, i, femu_alloc(b->drive->host, 4096), i);
    }
    femu_enable(b->drive);
    femu_io_queues_create(b->drive);
    image_create(b);
    return b;
}

void bench_stop(Bench *b)
{
    g_autofree char *text = NULL;

    qtest_qmp_assert_success(b->drive->host->qts, "{'execute': 'stop'}");
    text = qtest_hmp(b->drive->host->qts, "savevm " SNAPSHOT);
    g_assert_cmpstr(text, ==, "");
    b->fd = open(b->image, O_RDWR | O_CLOEXEC);
    g_assert_cmpint(b->fd, >=, 0);
    b->at = find_sections(b->fd);
}

void bench_free(Bench *b)
{
    femu_shutdown(b->drive);
    close(b->fd);
    g_unlink(b->saved);
    g_unlink(b->image);
    if (b->trace) {
        g_unlink(b->trace);
    }
    g_free(b->trace);
    g_free(b->saved);
    g_free(b->image);
    g_free(b);
}
