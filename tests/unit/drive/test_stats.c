/*
 * Statistics: counts, exact busy times, buckets and percentiles; and that
 * looking at them or resetting them changes nothing else.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "support/drive.h"
#include "ssd_histogram.h"
#include "support/json_value.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define ERASE UINT64_C(3500000)

static char *stats(Drive *d)
{
    char *json = ssd_stats_json(d->ssd, d->now_ns, NULL);

    json_check(json);
    return json;
}

static void expect_number(const char *json, const char *path, uint64_t want)
{
    uint64_t got = json_u64(json, path);

    if (got != want) {
        g_error("%s is %" G_GUINT64_FORMAT ", must be %" G_GUINT64_FORMAT
                " in %s", path, got, want, json);
    }
}

/* Numbers of the drive as it is now: "path=value path=value ...". */
static void expect_stats(Drive *d, const char *numbers)
{
    char *json = stats(d);
    char **list = g_strsplit(numbers, " ", -1);

    for (char **number = list; *number; number++) {
        char *equals = strchr(*number, '=');

        *equals = '\0';
        expect_number(json, *number,
                      g_ascii_strtoull(equals + 1, NULL, 10));
    }
    g_strfreev(list);
    g_free(json);
}

static void test_fresh(void)
{
    Drive *d = drive_new("channels=4 ways=2 dies=3 planes=2");
    char *json = stats(d);

    g_assert_cmpuint(json_length(json, "ops"), ==, 0);
    g_assert_cmpuint(json_length(json, "channels"), ==, 4);
    g_assert_cmpuint(json_length(json, "units"), ==, 48);
    expect_stats(d, "version=1 since_ns=0 now_ns=0 flash.senses=0 "
                 "flash.programs=0 flash.erases=0 geometry.channels=4 "
                 "geometry.ways=2 geometry.dies=3 geometry.planes=2 "
                 "units.47=0 channels.3=0");
    g_free(json);
    drive_free(d);
}

static void test_counts(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t i;

    for (i = 0; i < 5; i++) {
        drive_append(d, d->now_ns, 0, 2);
    }
    drive_write(d, d->now_ns, drive_zone_lba(d, 1), 3);
    drive_drain(d);
    for (i = 0; i < 4; i++) {
        drive_read(d, d->now_ns, i, 3);
    }
    drive_flush(d, d->now_ns);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, 2);
    drive_all_zones(d, d->now_ns, SSD_OP_ZONE_CLOSE);
    drive_drain(d);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 1);
    drive_drain(d);
    drive_all_zones(d, d->now_ns, SSD_OP_ZONE_RESET);
    drive_drain(d);
    expect_stats(d, "ops.append.count=5 ops.append.bytes=40960 "
                 "ops.append.errors=0 ops.write.count=1 "
                 "ops.write.bytes=12288 ops.read.count=4 "
                 "ops.read.bytes=49152 ops.flush.count=1 ops.flush.bytes=0 "
                 "ops.open.count=1 ops.close.count=1 ops.finish.count=1 "
                 "ops.finish.bytes=0 ops.reset.count=1 ops.reset.bytes=0");
    /* 4 x 3 pages sensed; 10 + 3 written, 13 filled; 3 and 4 blocks erased */
    expect_stats(d, "flash.senses=12 flash.programs=26 flash.erases=7");
    g_assert_cmpuint(ssd_stats_page_bytes(d->ssd), ==, d->params.page_bytes);
    g_assert_cmpuint(ssd_stats_padded_bytes(d->ssd), ==,
                     UINT64_C(13) * d->params.page_bytes);
    ssd_stats_reset(d->ssd, d->now_ns);
    g_assert_cmpuint(ssd_stats_padded_bytes(d->ssd), ==, 0);
    drive_free(d);
}

/* A finish fills a page from where its data end. */
static void test_padded_part(void)
{
    static const char *const words[] = {
        "page-size=16K zone-size=64K",
        "page-size=16K zone-size=64K program-registers=1 write-buffer=192K "
        "zone-buffer=96K max-open=2 max-active=2",
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        Drive *d = drive_new(words[i]);

        drive_write(d, 0, 0, 1);
        drive_drain(d);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 0);
        drive_drain(d);
        g_assert_cmpuint(ssd_stats_padded_bytes(d->ssd), ==, 60 * 1024);
        drive_free(d);
    }
}

/* Errors are counted by operation; a rejected command has no latency. */
static void test_errors(void)
{
    Drive *d = drive_new("zones=2 max-open=1 max-active=1");
    char *json;

    drive_try(d, 10, SSD_OP_WRITE, 1, 1);
    drive_try(d, 10, SSD_OP_WRITE, 0, 0);
    drive_try(d, 10, SSD_OP_READ, 32, 1);
    drive_try(d, 10, SSD_OP_ZONE_CLOSE, 0, 0);
    json = stats(d);
    g_assert_cmpuint(json_length(json, "ops"), ==, 3);
    g_assert_cmpuint(json_length(json, "ops.write.histogram"), ==, 0);
    g_free(json);
    expect_stats(d, "ops.write.errors=2 ops.write.count=0 ops.write.bytes=0 "
                 "ops.read.errors=1 ops.read.count=0 ops.close.errors=1 "
                 "flash.programs=0");
    drive_write(d, 10, 0, 1);
    drive_drain(d);
    expect_stats(d, "ops.write.errors=2 ops.write.count=1 "
                 "ops.write.bytes=4096");
    drive_free(d);
}

static void test_latency(void)
{
    Drive *d = drive_new("channels=1");

    drive_write(d, 1000, 0, 1);     /* XFER + PROG */
    drive_write(d, 1000, 1, 1);     /* XFER + 2 PROG */
    drive_write(d, 11000, 2, 1);    /* 10 us less than XFER + 3 PROG */
    drive_drain(d);
    expect_stats(d, "ops.write.min_ns=725000 ops.write.max_ns=2115000 "
                 "ops.write.sum_ns=4265000 ops.write.p50_ns=1409024 "
                 "ops.write.p99_ns=2097152");
    drive_free(d);
}

/* A command counts when it is due, whether it has been fetched or not. */
static void test_counted_when_due(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t tag = drive_write(d, 0, 0, 1);

    d->now_ns = XFER + PROG - 1;
    expect_stats(d, "flash.programs=0 now_ns=724999");
    d->now_ns = XFER + PROG;
    expect_stats(d, "flash.programs=1 ops.write.count=1 "
                 "ops.write.bytes=4096 now_ns=725000");
    drive_expect(d, tag, XFER + PROG);
    expect_stats(d, "ops.write.count=1");

    /* Count and bytes agree while a second one is under way. */
    drive_write(d, 1000000, 1, 1);
    drive_write(d, 1000000, 2, 3);
    d->now_ns = 1000000 + XFER + PROG;
    expect_stats(d, "ops.write.count=2 ops.write.bytes=8192");
    drive_drain(d);
    expect_stats(d, "ops.write.count=3 ops.write.bytes=20480");
    drive_free(d);
}

/* Busy time of each resource, also in the middle of its work. */
static void test_busy(void)
{
    Drive *d = drive_new("channels=2 ways=2");

    drive_fill(d, 0, 6);    /* units 0, 2, 1, 3 (channel x way), 0, 2 */
    expect_stats(d, "channels.0=75000 channels.1=75000 units.0=1400000 "
                 "units.1=700000 units.2=1400000 units.3=700000");
    drive_read(d, 10000000, 0, 1);
    d->now_ns = 10000000 + READ - 1;
    expect_stats(d, "units.0=1459999 channels.0=75000");
    d->now_ns = 10000000 + READ + 1;
    expect_stats(d, "units.0=1460000 channels.0=75001");
    drive_drain(d);
    expect_stats(d, "units.0=1460000 channels.0=100000 channels.1=75000");

    /* Booked ahead is not busy yet. */
    drive_write(d, 20000000, 6, 4);
    expect_stats(d, "channels.0=100000 channels.1=75000");
    d->now_ns = 20000000 + XFER + 7;
    expect_stats(d, "channels.0=125007 channels.1=100007 units.1=700007");
    drive_drain(d);
    expect_stats(d, "channels.0=150000 channels.1=125000");

    /* 10 pages on 4 units: 3, 3, 2, 2 rows of 4 a block: 4 blocks. */
    drive_zone_op(d, 30000000, SSD_OP_ZONE_RESET, 0);
    d->now_ns = 30000000 + 5;
    expect_stats(d, "units.1=1400005");
    drive_drain(d);
    expect_stats(d, "units.1=4900000 flash.erases=4 channels.0=150000");
    drive_free(d);
}

/*
 * Which unit each page of each zone lies on. A zone has neighbouring channels,
 * ways, dies and planes; pages, and zones, go round the channels first.
 */
static void test_mapping(void)
{
    Drive *d = drive_new("zones=16 channels=4 ways=6 dies=2 planes=4 "
                         "zone-channels=2 zone-ways=3 zone-dies=1 "
                         "zone-planes=2");
    uint64_t busy_ns[4 * 6 * 2 * 4] = { 0 };

    for (uint32_t z = 0; z < 16; z++) {
        for (uint32_t page = 0; page < 12; page++) {
            uint32_t channel = z % 2 * 2 + page % 2;
            uint32_t way = z / 2 % 2 * 3 + page / 2 % 3;
            uint32_t die = z / 4 % 2;
            uint32_t plane = z / 8 * 2 + page / 6;
            uint32_t unit = ((channel * 6 + way) * 2 + die) * 4 + plane;
            char *json, *path = g_strdup_printf("units.%u", unit);

            drive_write(d, d->now_ns, drive_zone_lba(d, z) + page, 1);
            drive_drain(d);
            busy_ns[unit] += PROG;
            json = stats(d);
            expect_number(json, path, busy_ns[unit]);
            g_free(path);
            g_free(json);
        }
    }
    drive_free(d);
}

/* Sub-page pieces load the channel with their share, and nothing else. */
static void test_busy_of_pieces(void)
{
    Drive *d = drive_new("channels=1 page-size=16K");

    drive_write(d, 0, 0, 1);
    drive_write(d, 0, 1, 2);
    drive_drain(d);
    expect_stats(d, "channels.0=18750 units.0=0 flash.programs=0");
    drive_free(d);
}

/* 64 buckets per octave, exact below 64; only those that are not empty. */
static void test_histogram(void)
{
    static const struct {
        uint64_t value_ns, low_ns;
    } cases[] = {
        { 0, 0 }, { 1, 1 }, { 63, 63 }, { 64, 64 }, { 127, 127 },
        { 128, 128 }, { 129, 128 }, { 255, 254 }, { 256, 256 },
        { 259, 256 }, { 260, 260 }, { 1000, 1000 }, { 1001, 1000 },
        { 725000, 720896 }, { 999999999, 998244352 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *words = g_strdup_printf("channels=1 page-transfer-ns=0 "
                                      "program-ns=%" G_GUINT64_FORMAT,
                                      cases[i].value_ns);
        Drive *d = drive_new(words);
        char *json;

        drive_fill(d, 0, 1);
        json = stats(d);
        g_assert_cmpuint(json_length(json, "ops.write.histogram"), ==, 1);
        expect_number(json, "ops.write.histogram.0.0", cases[i].low_ns);
        expect_number(json, "ops.write.histogram.0.1", 1);
        /* Percentiles are kept between the exact least and greatest. */
        expect_number(json, "ops.write.p50_ns", cases[i].value_ns);
        expect_number(json, "ops.write.p99_ns", cases[i].value_ns);
        g_free(json);
        g_free(words);
        drive_free(d);
    }
}

/* Latencies above what 32 bits hold keep bucket, sum and maximum. */
static void test_large_latency(void)
{
    Drive *d = drive_new("channels=1 program-ns=1000000000 "
                         "page-transfer-ns=0");

    drive_write(d, 0, 0, 9);
    drive_write(d, 0, 9, 1);
    drive_drain(d);
    expect_stats(d, "ops.write.sum_ns=19000000000 "
                 "ops.write.min_ns=9000000000 ops.write.max_ns=10000000000 "
                 "ops.write.histogram.0.0=8992587776 "
                 "ops.write.histogram.1.0=9932111872 "
                 "ops.write.histogram.1.1=1");
    drive_free(d);
}

/*
 * Nearest rank: the smallest value that at least p of 100 do not exceed. Of n
 * flushes behind one program, the k-th waits k ns (times are exact below 64).
 */
static void expect_percentiles(uint32_t n, const char *numbers)
{
    Drive *d = drive_new("channels=1 page-transfer-ns=0 program-ns=1000");

    drive_write(d, 0, 0, 1);
    for (uint32_t k = n; k > 0; k--) {
        drive_flush(d, 1000 - k);
    }
    drive_drain(d);
    expect_stats(d, numbers);
    drive_free(d);
}

static void test_percentiles(void)
{
    expect_percentiles(1, "ops.flush.p50_ns=1 ops.flush.p95_ns=1 "
                       "ops.flush.p99_ns=1");
    expect_percentiles(2, "ops.flush.p50_ns=1 ops.flush.p95_ns=2");
    expect_percentiles(3, "ops.flush.p50_ns=2 ops.flush.p99_ns=3");
    expect_percentiles(20, "ops.flush.p50_ns=10 ops.flush.p95_ns=19 "
                       "ops.flush.p99_ns=20");
    expect_percentiles(60, "ops.flush.count=60 ops.flush.p50_ns=30 "
                       "ops.flush.p95_ns=57 ops.flush.p99_ns=60 "
                       "ops.flush.sum_ns=1830");
    /* From 128 on buckets are two wide: 95 of 200 is 190, bucket 190. */
    expect_percentiles(200, "ops.flush.p50_ns=100 ops.flush.p95_ns=190 "
                       "ops.flush.p99_ns=198 ops.flush.max_ns=200");
}

static void test_extra(void)
{
    Drive *d = drive_new("");
    char *json = ssd_stats_json(d->ssd, 0, "\"lateness\":{\"count\":3},"
                                "\"time_dilation\":5");

    json_check(json);
    expect_number(json, "lateness.count", 3);
    expect_number(json, "time_dilation", 5);
    g_free(json);
    drive_free(d);
}

/* A reset in the middle of work splits it at that very nanosecond. */
static void test_reset(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t tag;
    char *json;

    drive_fill(d, 0, 1);
    drive_try(d, 1000000, SSD_OP_WRITE, 0, 1);
    tag = drive_write(d, 1000000, 1, 1);
    d->now_ns = 1000000 + XFER + 100000;
    ssd_stats_reset(d->ssd, d->now_ns);
    json = stats(d);
    g_assert_cmpuint(json_length(json, "ops"), ==, 0);
    g_free(json);
    expect_stats(d, "since_ns=1125000 now_ns=1125000 channels.0=0 units.0=0 "
                 "flash.programs=0");
    drive_expect(d, tag, 1000000 + XFER + PROG);
    /* The command counts where it ends, with its whole latency. */
    expect_stats(d, "since_ns=1125000 now_ns=1725000 channels.0=0 "
                 "units.0=600000 flash.programs=1 ops.write.count=1 "
                 "ops.write.bytes=4096 ops.write.errors=0 "
                 "ops.write.min_ns=725000");
    drive_free(d);
}

/* Run one fixed load; look and reset meanwhile, or not. */
static GArray *run_load(bool look)
{
    Drive *d = drive_new("channels=2 max-open=2 max-active=2 "
                         "page-size=16K lba-size=512");
    Rng rng = { 7 };
    GArray *all = g_array_new(FALSE, TRUE, sizeof(SsdDone));
    SsdDone done;

    for (unsigned i = 0; i < 600; i++) {
        uint64_t at_ns = d->now_ns + rng_below(&rng, 400000);
        uint32_t z = rng_below(&rng, 4);

        drive_try(d, at_ns, rng_below(&rng, SSD_OP_ZONE_OPEN_ZRWA),
                  drive_zone_lba(d, z), 1 + rng_below(&rng, 40));
        if (look && i % 3 == 0) {
            g_free(ssd_stats_json(d->ssd, at_ns + 3, NULL));
        }
        if (look && i % 7 == 0) {
            ssd_stats_reset(d->ssd, at_ns + 3);
        }
        d->now_ns = at_ns + 3;
        while (ssd_poll(d->ssd, d->now_ns, &done, 1)) {
            g_array_append_val(all, done);
        }
    }
    while (ssd_poll(d->ssd, UINT64_MAX - 1, &done, 1)) {
        g_array_append_val(all, done);
    }
    drive_free(d);
    return all;
}

static void test_no_effect(void)
{
    GArray *blind = run_load(false);
    GArray *seen = run_load(true);

    g_assert_cmpuint(blind->len, ==, seen->len);
    g_assert_cmpuint(blind->len, >, 300);
    for (guint i = 0; i < blind->len; i++) {
        const SsdDone *a = &g_array_index(blind, SsdDone, i);
        const SsdDone *b = &g_array_index(seen, SsdDone, i);

        g_assert_cmpuint(a->tag, ==, b->tag);
        g_assert_cmpuint(a->due_at_ns, ==, b->due_at_ns);
        g_assert_cmpuint(a->result, ==, b->result);
    }
    g_array_free(blind, TRUE);
    g_array_free(seen, TRUE);
}

/* Names as in statistics and traces go both ways. */
static void test_names(void)
{
    for (int op = 0; op < SSD_OP_COUNT; op++) {
        g_assert_cmpint(ssd_op_from_name(ssd_op_name(op)), ==, op);
    }
    g_assert_cmpint(ssd_op_from_name("no such operation"), ==, SSD_OP_COUNT);
    g_assert_cmpint(ssd_op_from_name(""), ==, SSD_OP_COUNT);
    g_assert_cmpint(ssd_op_from_name("Read"), ==, SSD_OP_COUNT);
}

/* One from elsewhere: what is too much in one bucket is missing in another. */
static void test_fits(void)
{
    SsdHistogram histogram;

    ssd_histogram_clear(&histogram);
    ssd_histogram_add(&histogram, 1);
    ssd_histogram_add(&histogram, 5);
    g_assert_true(ssd_histogram_fits(&histogram));
    histogram.buckets[1] = 2;
    g_assert_false(ssd_histogram_fits(&histogram));
    histogram.buckets[1] = 0;
    g_assert_false(ssd_histogram_fits(&histogram));
    histogram.buckets[1] = 3;
    histogram.buckets[5] = UINT64_MAX;
    g_assert_false(ssd_histogram_fits(&histogram));
}

/* How much of the flash is used up is asked at an instant, polled or not. */
static void test_used_percent(void)
{
    Drive *d = drive_new("channels=1 zones=1 pe-cycles=1");
    const uint64_t at_ns = UINT64_C(100000000);
    const uint64_t end_at_ns = at_ns + 4 * UINT64_C(3500000);

    drive_fill(d, 0, 16);
    drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    g_assert_cmpuint(ssd_used_percent(d->ssd, end_at_ns - 1), ==, 0);
    g_assert_cmpuint(ssd_used_percent(d->ssd, end_at_ns), ==, 100);
    d->now_ns = end_at_ns;
    drive_drain(d);
    drive_free(d);
}

/* A loss of power takes none of it, and nothing is under way behind it. */
static void test_used_after_cut(void)
{
    Drive *d = drive_new("channels=1 zones=1 pe-cycles=1 "
                         "conventional-size=64K");
    uint64_t used, blocks = 4 + ssd_params_conventional_lines(&d->params);
    Ssd *next;

    drive_fill(d, 0, 16);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_drain(d);
    g_assert_cmpuint(ssd_used_percent(d->ssd, d->now_ns), ==,
                     100 * 4 / blocks);
    d->nsid = 2;
    for (unsigned i = 0; i < 40; i++) {
        drive_write(d, d->now_ns, 0, 16);
        drive_drain(d);
    }
    d->now_ns += UINT64_C(100000000);
    used = ssd_used_percent(d->ssd, d->now_ns);
    g_assert_cmpuint(used, >, 1000);
    next = ssd_power_cut(d->ssd, d->now_ns, 0);
    g_assert_cmpuint(ssd_used_percent(next, ssd_now_ns(next)), ==, used);
    ssd_free(next);
    drive_free(d);
}

/* Of 99 values the last is the 99th percentile: 98.01 of them are not enough. */
static void test_percentile_of_99(void)
{
    SsdHistogram histogram;

    ssd_histogram_clear(&histogram);
    for (unsigned i = 0; i < 98; i++) {
        ssd_histogram_add(&histogram, 1);
    }
    ssd_histogram_add(&histogram, 1000);
    g_assert_cmpuint(ssd_histogram_percentile(&histogram, 99), >, 1);
    g_assert_cmpuint(ssd_histogram_percentile(&histogram, 98), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stats/fresh", test_fresh);
    g_test_add_func("/stats/counts", test_counts);
    g_test_add_func("/stats/padded-part", test_padded_part);
    g_test_add_func("/stats/errors", test_errors);
    g_test_add_func("/stats/latency", test_latency);
    g_test_add_func("/stats/counted-when-due", test_counted_when_due);
    g_test_add_func("/stats/busy", test_busy);
    g_test_add_func("/stats/mapping", test_mapping);
    g_test_add_func("/stats/busy-of-pieces", test_busy_of_pieces);
    g_test_add_func("/stats/histogram", test_histogram);
    g_test_add_func("/stats/fits", test_fits);
    g_test_add_func("/stats/large-latency", test_large_latency);
    g_test_add_func("/stats/percentiles", test_percentiles);
    g_test_add_func("/stats/used-percent", test_used_percent);
    g_test_add_func("/stats/used-percent/cut", test_used_after_cut);
    g_test_add_func("/stats/percentile-of-99", test_percentile_of_99);
    g_test_add_func("/stats/extra", test_extra);
    g_test_add_func("/stats/reset", test_reset);
    g_test_add_func("/stats/no-effect", test_no_effect);
    g_test_add_func("/stats/names", test_names);
    return g_test_run();
}
