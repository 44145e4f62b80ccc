/*
 * Loading a drive: its data and its trace take the place of what is there, and
 * what is in the way of either is told.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "qemu/bswap.h"
#include "femu-zns-section.h"

/* --- Data ----------------------------------------------------------------- */

static void write_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                          unsigned seed)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);

    g_assert_cmphex(femu_write(drive, slba, nlb, data), ==, NVME_SUCCESS);
}

static void assert_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, 1);

    femu_assert_data(drive, slba, nlb, data);
}

/* What has been loaded, to a host that begins anew. */
static void go_on(Bench *b)
{
    qtest_qmp_assert_success(b->drive->host->qts, "{'execute': 'cont'}");
    femu_disable(b->drive);
    femu_enable(b->drive);
    femu_io_queues_create(b->drive);
}

#define LONG_NLB 41     /* data go in pieces of 16 blocks */

/* Zeroes, and what is no data, take the place of data that are there. */
static void test_data(void)
{
    Bench *b = bench_new(NO_TRACE);
    FemuDrive *drive = b->drive;
    uint64_t long_lba = femu_zone_lba(drive, 1);
    g_autofree uint8_t *zeroes = g_malloc0(64 * SSD_KIB);
    g_autofree char *text = NULL;
    Section s;

    g_assert_cmphex(femu_write(drive, 0, 16, zeroes), ==, NVME_SUCCESS);
    write_pattern(drive, long_lba, LONG_NLB, 1);
    drive->nsid = 3;
    write_pattern(drive, 3, 2, 1);
    write_pattern(drive, 20, 4, 1);
    /* the last block of a namespace is bad, which is no error */
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path':"
                             " '/machine/peripheral/zns4',"
                             " 'property': 'inject-read-error',"
                             " 'value': '1535 1'}}");
    s = section_save(b);
    write_pattern(drive, 0, 32, 2);
    drive->nsid = 1;
    femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, false);
    write_pattern(drive, 0, 20, 2);
    femu_zone_send(drive, NVME_ZONE_ACTION_RESET, long_lba, false);
    write_pattern(drive, long_lba, LONG_NLB, 2);
    bench_stop(b);
    text = section_load(b, s.bytes);
    g_assert_cmpstr(text, ==, "");
    go_on(b);
    g_assert_cmpuint(le64_to_cpu(femu_zone(drive, 0).wp), ==, 16);
    femu_assert_data(drive, 0, 20, NULL);
    assert_pattern(drive, long_lba, LONG_NLB);
    drive->nsid = 3;
    femu_assert_data(drive, 0, 3, NULL);
    assert_pattern(drive, 3, 2);
    femu_assert_data(drive, 5, 15, NULL);
    assert_pattern(drive, 20, 4);
    femu_assert_data(drive, 24, 8, NULL);
    g_byte_array_unref(s.bytes);
    bench_free(b);
}

/* --- Requests ------------------------------------------------------------- */

#define SHA_BYTES 32u

/* Is there a byte of the core that is `was`, and as `value` is refused so? */
static bool is_refused(Bench *b, const Section *s, uint8_t was, uint8_t value,
                       const char *message)
{
    for (guint at = 0; at < s->core_count - SHA_BYTES; at++) {
        if (s->bytes->data[s->core_at + at] == was) {
            g_autoptr(GByteArray) made = section_with_core(s, at, value);
            g_autofree char *text = section_load(b, made);

            if (strstr(text, message)) {
                return true;
            }
        }
    }
    return false;
}

/*
 * The commands inside the core are the device's requests, each once. Steps from
 * one number to the next are written twice as large: see base/state.h.
 */
static void test_requests(void)
{
    static const char *const other[] = {
        "the core has a command of request 0, which is none",
        "the core has a command of request 2, which is none",
        "the core has a command of request 4, which is none",
    };
    Bench *b = bench_new(NO_TRACE);
    FemuDrive *drive = b->drive;
    Section both, second;
    FemuCqe cqe;

    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 4);            /* request 0 */
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 1), 64);
    both = section_save(b);
    while (!femu_reap(&drive->io_cq, &cqe)) {
        femu_step_next(drive->host);
    }
    second = section_save(b);
    bench_stop(b);
    g_assert_true(is_refused(b, &both, 2, 0, other[0]));
    g_assert_true(is_refused(b, &both, 2, 4, other[1]));
    g_assert_true(is_refused(b, &both, 2, 8, other[2]));
    g_assert_true(is_refused(b, &second, 2, 4, other[1]));
    g_byte_array_unref(both.bytes);
    g_byte_array_unref(second.bytes);
    bench_free(b);
}

/* --- The trace ------------------------------------------------------------ */

/* Commands, so that there is something in the trace. */
static void bench_use(Bench *b)
{
    femu_submit_rw(b->drive, NVME_CMD_READ, 0, 4);
    femu_submit_zone(b->drive, NVME_ZONE_ACTION_OPEN, 0, false);
}

static void assert_says(Bench *b, const GByteArray *bytes, const char *message)
{
    g_autofree char *text = section_load(b, bytes);

    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, message));
}

/* A trace that begins with another letter, and fits its CRC-32. */
static GByteArray *with_other_trace(const Section *s)
{
    GByteArray *made = g_byte_array_new();
    uint8_t *at;
    uint32_t bytes;

    g_byte_array_append(made, s->bytes->data, s->bytes->len);
    at = made->data + s->at + s->count + 4 + 1;
    bytes = ldl_be_p(at);
    at[4]++;
    stl_be_p(at + 4 + bytes + 4, section_crc(at + 4, bytes));
    return made;
}

/* Whatever is in the way of the trace; then nothing. */
static void test_trace(void)
{
    Bench *b = bench_new(TRACE);
    g_autofree char *part = g_strconcat(b->trace, ".part", NULL);
    g_autoptr(GByteArray) other = NULL;
    g_autofree char *before = NULL, *after = NULL;
    unsigned files;
    Section s;

    bench_use(b);
    s = section_save(b);
    g_assert_true(g_file_get_contents(b->trace, &before, NULL, NULL));
    bench_use(b);
    bench_stop(b);
    g_assert_cmpint(g_mkdir(part, 0700), ==, 0);
    assert_says(b, s.bytes, "cannot create '");
    g_assert_cmpint(g_rmdir(part), ==, 0);
    g_assert_cmpint(mkfifo(part, 0600), ==, 0);
    assert_says(b, s.bytes, "it is a FIFO, with nobody at its other end");
    g_assert_cmpint(unlink(part), ==, 0);
    g_assert_cmpint(symlink("/dev/full", part), ==, 0);
    assert_says(b, s.bytes, "cannot write '");
    g_assert_cmpint(unlink(part), ==, -1);
    other = with_other_trace(&s);
    assert_says(b, other, "not a trace");
    g_unlink(b->trace);
    g_assert_cmpint(g_mkdir(b->trace, 0700), ==, 0);
    assert_says(b, s.bytes, "cannot rename '");
    g_assert_cmpint(g_rmdir(b->trace), ==, 0);
    g_assert_cmpint(mkfifo(b->trace, 0600), ==, 0);
    assert_says(b, s.bytes, "is a FIFO or a device");
    g_assert_cmpint(unlink(b->trace), ==, 0);
    g_assert_false(g_file_test(part, G_FILE_TEST_EXISTS));
    files = femu_open_files(b->drive->host->qts);
    assert_says(b, s.bytes, "");
    g_assert_cmpuint(femu_open_files(b->drive->host->qts), ==, files);
    g_assert_true(g_file_get_contents(b->trace, &after, NULL, NULL));
    g_assert_cmpstr(after, ==, before);
    g_byte_array_unref(s.bytes);
    bench_free(b);
}

/* A trace that cannot go along holds the drive back. */
static void test_trace_lost(void)
{
    Bench *b = bench_new(TRACE);
    g_autofree char *path = NULL, *text = NULL;

    bench_use(b);
    bench_stop(b);
    path = g_strdup_printf("femu-zns: trace=%s cannot be read, which it is to "
                           "go with the drive: No such file", b->trace);
    g_unlink(b->trace);
    text = qtest_hmp(b->drive->host->qts, "savevm lost");
    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, path));
    g_assert_nonnull(strstr(text, "Error: "));
    bench_free(b);
}

/* Nor is a FIFO read back, for whose end QEMU would wait. */
static void test_trace_fifo(void)
{
    Bench *b = bench_new(TRACE);
    g_autofree char *text = NULL;

    bench_use(b);
    bench_stop(b);
    g_unlink(b->trace);
    g_assert_cmpint(mkfifo(b->trace, 0600), ==, 0);
    text = qtest_hmp(b->drive->host->qts, "savevm fifo");
    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, " is a FIFO or a device: the trace of a drive "
                            "that moves into another QEMU"));
    g_assert_nonnull(strstr(text, "Error: "));
    bench_free(b);
}

/* The host's disk is full: so says whoever saves, not only QEMU's status. */
static void test_trace_full(void)
{
    Bench *b = bench_new(TRACE_ON_FULL_DISK);
    g_autofree char *text = NULL;

    bench_use(b);
    text = qtest_hmp(b->drive->host->qts, "savevm full");
    g_test_message("%s", text);
    g_assert_nonnull(strstr(text, "femu-zns: cannot write trace '"));
    g_assert_nonnull(strstr(text, "Error: "));
    qtest_set_expected_status(b->drive->host->qts, 1);
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/load/data", test_data);
    qtest_add_func("femu-zns/load/requests", test_requests);
    qtest_add_func("femu-zns/load/trace", test_trace);
    qtest_add_func("femu-zns/load/trace-lost", test_trace_lost);
    qtest_add_func("femu-zns/load/trace-fifo", test_trace_fifo);
    qtest_add_func("femu-zns/load/trace-full", test_trace_full);
    return g_test_run();
}
