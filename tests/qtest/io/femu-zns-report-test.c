/*
 * Zone reports: which zones, how many, in how much of the host's buffer.
 *
 * Knows nothing of how zones come into their states.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "femu-zns-commands.h"

#define POISON 0xa5
#define MARGIN_BYTES 256u
#define HEADER_BYTES sizeof(NvmeZoneReportHeader)
#define ZONE_BYTES sizeof(NvmeZoneDescr)

typedef struct Report {
    uint64_t nr_zones;
    const NvmeZoneDescr *zone;
    uint8_t *raw;
} Report;

/*
 * A report into a buffer that starts `offset` bytes into a page. Asserts that
 * nothing was written before or beyond it.
 */
static Report report_at(FemuDrive *drive, uint64_t slba, uint8_t filter,
                        bool partial, uint32_t bytes, unsigned offset)
{
    QTestState *qts = drive->host->qts;
    uint64_t addr = drive->buf + FEMU_PAGE_BYTES + offset;
    NvmeCmd cmd = femu_cmd_report(drive, slba, filter, partial, addr, bytes);
    uint8_t *raw = g_malloc(bytes + 2 * MARGIN_BYTES);

    qtest_memset(qts, addr - MARGIN_BYTES, POISON, bytes + 2 * MARGIN_BYTES);
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    qtest_bufread(qts, addr - MARGIN_BYTES, raw, bytes + 2 * MARGIN_BYTES);
    for (unsigned i = 0; i < MARGIN_BYTES; i++) {
        g_assert_cmphex(raw[i], ==, POISON);
        g_assert_cmphex(raw[MARGIN_BYTES + bytes + i], ==, POISON);
    }
    return (Report) {
        .nr_zones = ldq_le_p(raw + MARGIN_BYTES),
        .zone = (NvmeZoneDescr *)(raw + MARGIN_BYTES + HEADER_BYTES),
        .raw = raw,
    };
}

static Report report(FemuDrive *drive, uint64_t slba, uint8_t filter,
                     bool partial, uint32_t bytes)
{
    return report_at(drive, slba, filter, partial, bytes, 0);
}

static void assert_descriptor(FemuDrive *drive, const NvmeZoneDescr *zone,
                              uint32_t zone_idx)
{
    static const uint8_t zeroes[32];

    /* peers: "first 32 zones conventional" */
    g_assert_cmphex(zone->zt, ==, NVME_ZONE_TYPE_SEQ_WRITE);
    g_assert_cmphex(zone->zs & 0xf, ==, 0);
    g_assert_cmphex(zone->za, ==, 0);
    g_assert_cmpuint(le64_to_cpu(zone->zslba), ==,
                     femu_zone_lba(drive, zone_idx));
    g_assert_cmpuint(le64_to_cpu(zone->zcap), ==,
                     femu_cap_nlb(&drive->config));
    g_assert_cmpmem(zone->rsvd3, 5, zeroes, 5);
    g_assert_cmpmem(zone->rsvd32, 32, zeroes, 32);
}

static FemuDrive *boot(uint32_t zones)
{
    FemuConfig config = femu_small_config();

    config.ssd.zones = zones;
    return femu_boot(&config, NULL);
}

/*
 * The number of zones counts all that match, or with the partial bit those
 * whose descriptors fit (ZNS 1.1, figure 45). Buffers of every awkward size.
 */
static void test_buffer_sizes(void)
{
    static const uint32_t sizes[] = {
        64, 68, 124, 128, 132, 188, 192, 64 + 7 * 64, 64 + 8 * 64 - 4,
        64 + 8 * 64, 64 + 8 * 64 + 4, 4092, 4096, 4100, 16384,
    };
    static const unsigned offsets[] = { 0, 4, 4092 };
    FemuDrive *drive = boot(8);

    for (unsigned i = 0; i < ARRAY_SIZE(sizes) * 2; i++) {
        uint32_t bytes = sizes[i / 2];
        uint64_t fit = MIN(8, (bytes - HEADER_BYTES) / ZONE_BYTES);
        Report r = report_at(drive, 0, NVME_ZONE_REPORT_ALL, i % 2, bytes,
                             offsets[i % ARRAY_SIZE(offsets)]);

        g_assert_cmpuint(r.nr_zones, ==, i % 2 ? fit : 8);
        for (uint64_t j = 0; j < fit; j++) {
            assert_descriptor(drive, &r.zone[j], j);
        }
        g_free(r.raw);
    }
    g_free(report_at(drive, 0, NVME_ZONE_REPORT_ALL, true,
                     drive->config.ssd.mdts_bytes, 0).raw);
    femu_shutdown(drive);
}

/* From the zone that holds the given LBA on. */
static void test_start(void)
{
    FemuDrive *drive = boot(8);
    static const uint64_t inside[] = { 0, 1, 191, 192, 255 };

    for (uint32_t i = 0; i < 8; i++) {
        for (unsigned j = 0; j < ARRAY_SIZE(inside); j++) {
            Report r = report(drive, femu_zone_lba(drive, i) + inside[j],
                              NVME_ZONE_REPORT_ALL, false, 4096);

            g_assert_cmpuint(r.nr_zones, ==, 8 - i);
            assert_descriptor(drive, &r.zone[0], i);
            assert_descriptor(drive, &r.zone[8 - i - 1], 7);
            g_free(r.raw);
        }
    }
    femu_shutdown(drive);
}

/* Assert that a filter selects exactly the zones in the bit mask. */
static void check_filter(FemuDrive *drive, uint8_t filter, uint32_t zones)
{
    for (unsigned partial = 0; partial < 2; partial++) {
        Report r = report(drive, 0, filter, partial, 4096);
        uint64_t count = 0;

        for (uint32_t i = 0; i < 8; i++) {
            if (zones & (1u << i)) {
                assert_descriptor(drive, &r.zone[count++], i);
            }
        }
        g_assert_cmpuint(r.nr_zones, ==, count);
        g_free(r.raw);
        /* room for none: still all of them, unless partial */
        r = report(drive, 0, filter, partial, HEADER_BYTES);
        g_assert_cmpuint(r.nr_zones, ==, partial ? 0 : count);
        g_free(r.raw);
    }
}

static void test_filters(void)
{
    FemuDrive *drive = boot(8);

    femu_fill(drive, 1, 1);                                 /* implicit */
    femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                   femu_zone_lba(drive, 3), false);         /* explicit */
    femu_fill(drive, 4, 1);
    femu_zone_send(drive, NVME_ZONE_ACTION_CLOSE,
                   femu_zone_lba(drive, 4), false);         /* closed */
    femu_zone_send(drive, NVME_ZONE_ACTION_FINISH,
                   femu_zone_lba(drive, 5), false);         /* full */
    femu_fill(drive, 6, femu_cap_nlb(&drive->config));      /* full */
    check_filter(drive, NVME_ZONE_REPORT_ALL, 0xff);
    check_filter(drive, NVME_ZONE_REPORT_EMPTY, 0x85);
    check_filter(drive, NVME_ZONE_REPORT_IMPLICITLY_OPEN, 0x02);
    check_filter(drive, NVME_ZONE_REPORT_EXPLICITLY_OPEN, 0x08);
    check_filter(drive, NVME_ZONE_REPORT_CLOSED, 0x10);
    check_filter(drive, NVME_ZONE_REPORT_FULL, 0x60);
    check_filter(drive, NVME_ZONE_REPORT_READ_ONLY, 0);
    check_filter(drive, NVME_ZONE_REPORT_OFFLINE, 0);
    femu_shutdown(drive);
}

/*
 * Peers: "report zones over-reads when capacity is no multiple of the zone
 * size": the last report of a walk with a buffer for three zones.
 */
static void test_walk(void)
{
    FemuDrive *drive = boot(37);
    uint32_t zone_idx = 0;

    while (zone_idx < 37) {
        Report r = report(drive, femu_zone_lba(drive, zone_idx),
                          NVME_ZONE_REPORT_ALL, true,
                          HEADER_BYTES + 3 * ZONE_BYTES);

        g_assert_cmpuint(r.nr_zones, ==, MIN(3, 37 - zone_idx));
        for (uint64_t i = 0; i < r.nr_zones; i++) {
            assert_descriptor(drive, &r.zone[i], zone_idx++);
        }
        g_free(r.raw);
    }
    femu_shutdown(drive);
}

/* 4001 zones fill 63 pages. */
static void test_many_zones(void)
{
    FemuDrive *drive = boot(4001);
    uint32_t bytes = HEADER_BYTES + 4001 * ZONE_BYTES;
    Report r = report_at(drive, 0, NVME_ZONE_REPORT_ALL, true, bytes, 512);

    g_assert_cmpuint(r.nr_zones, ==, 4001);
    for (uint32_t i = 0; i < 4001; i++) {
        assert_descriptor(drive, &r.zone[i], i);
    }
    g_free(r.raw);
    femu_shutdown(drive);
}

static void check_refused(FemuDrive *drive, uint32_t cdw12, uint32_t cdw13)
{
    NvmeCmd cmd = femu_cmd_report(drive, 0, NVME_ZONE_REPORT_ALL, false,
                                  drive->buf, 4096);
    uint8_t found[4096], poison[4096];

    memset(poison, POISON, sizeof(poison));
    qtest_bufwrite(drive->host->qts, drive->buf, poison, sizeof(poison));
    cmd.cdw12 = cpu_to_le32(cdw12);
    cmd.cdw13 = cpu_to_le32(cdw13);
    femu_submit(&drive->io, &cmd);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==,
                    NVME_INVALID_FIELD);
    qtest_bufread(drive->host->qts, drive->buf, found, sizeof(found));
    g_assert_cmpmem(found, sizeof(found), poison, sizeof(poison));
}

/* Extended reports (no descriptor extensions here), reserved values, sizes. */
static void test_refused(void)
{
    FemuDrive *drive = boot(8);
    uint32_t mdts_dwords = drive->config.ssd.mdts_bytes / 4;

    check_refused(drive, 1023, NVME_ZONE_REPORT_EXTENDED);
    check_refused(drive, 1023, 2);
    check_refused(drive, 1023, 0xff);
    check_refused(drive, 1023, 8u << 8);
    check_refused(drive, 1023, 0xffu << 8);
    check_refused(drive, HEADER_BYTES / 4 - 2, 0);
    check_refused(drive, 0, 0);
    check_refused(drive, mdts_dwords, 0);
    check_refused(drive, UINT32_MAX, 0);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/peers/report-partial-bit", test_buffer_sizes);
    qtest_add_func("femu-zns/report/start", test_start);
    qtest_add_func("femu-zns/report/filters", test_filters);
    qtest_add_func("femu-zns/peers/report-over-reads", test_walk);
    qtest_add_func("femu-zns/report/many-zones", test_many_zones);
    qtest_add_func("femu-zns/report/refused", test_refused);
    return g_test_run();
}
