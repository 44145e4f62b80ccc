/*
 * From the doorbell to the completion of reads, writes, appends and flushes,
 * in exact nanoseconds: nothing one nanosecond early, everything on time.
 *
 * Knows nothing of zone management (femu-zns-mgmt-test.c) or statistics.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define START_NS 1000003u   /* tests do not start at 0, nor at a round time */

static FemuDrive *boot(const FemuConfig *config)
{
    FemuDrive *drive = femu_boot(config, NULL);

    femu_step_to(drive->host, START_NS);
    return drive;
}

static void expect_one(FemuDrive *drive, uint64_t at_ns, uint16_t cid)
{
    femu_expect_ok(&drive->io_cq, at_ns, 1, cid);
}

/*
 * When the program of row `row` of an idle channel ends, if the rows up to it
 * are written at 0: transfers follow each other, a program waits for its
 * transfer and for the program before it (ConfZNS, Algorithm 1).
 */
static uint64_t program_end_ns(const SsdParams *p, uint64_t row)
{
    uint64_t end_ns = 0;

    for (uint64_t i = 0; i <= row; i++) {
        end_ns = MAX((i + 1) * p->page_transfer_ns, end_ns) + p->program_ns;
    }
    return end_ns;
}

/* The same of reads: senses follow each other, each then takes the channel. */
static uint64_t read_end_ns(const SsdParams *p, uint64_t row)
{
    uint64_t end_ns = 0;

    for (uint64_t i = 0; i <= row; i++) {
        end_ns = MAX((i + 1) * p->read_ns, end_ns) + p->page_transfer_ns;
    }
    return end_ns;
}

/* Transfer of bytes [from, to) of a page: parts add up to the whole, exactly */
static uint64_t part_ns(const SsdParams *p, uint64_t from, uint64_t to)
{
    return to * p->page_transfer_ns / p->page_bytes -
           from * p->page_transfer_ns / p->page_bytes;
}

/* Configurations in which the channel or the flash is the slower one. */
static const struct {
    const char *name;
    uint64_t transfer_ns, read_ns, program_ns;
} speeds[] = {
    { "confznspp", 25000, 60000, 700000 },
    { "slow-channel", 900000, 60000, 700000 },
    { "odd", 25001, 24989, 25013 },
    { "free-transfer", 0, 60000, 700000 },
};

static FemuConfig speed_config(size_t idx)
{
    FemuConfig config = femu_small_config();

    config.ssd.page_transfer_ns = speeds[idx].transfer_ns;
    config.ssd.read_ns = speeds[idx].read_ns;
    config.ssd.program_ns = speeds[idx].program_ns;
    return config;
}

static void test_write_16k(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = boot(&config);
    uint16_t cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0,
                                  femu_page_nlb(drive));

    expect_one(drive, START_NS + 25000 + 700000, cid);
    femu_shutdown(drive);
}

/* One command of 1 to 9 pages: it ends with its last page. */
static void test_write_pages(gconstpointer data)
{
    FemuConfig config = speed_config(GPOINTER_TO_SIZE(data));
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = boot(&config);
    uint32_t page_nlb = femu_page_nlb(drive);

    for (unsigned pages = 1; pages <= 9; pages++) {
        uint64_t start_ns = drive->host->now_ns;
        uint16_t cid = femu_submit_rw(drive, NVME_CMD_WRITE, 0,
                                      pages * page_nlb);

        expect_one(drive, start_ns +
                   program_end_ns(p, (pages - 1) / p->channels), cid);
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0,
                                       false), ==, NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

static void test_read_pages(gconstpointer data)
{
    FemuConfig config = speed_config(GPOINTER_TO_SIZE(data));
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = boot(&config);
    uint32_t page_nlb = femu_page_nlb(drive);

    femu_fill(drive, 0, 9 * page_nlb);
    for (unsigned pages = 1; pages <= 9; pages++) {
        uint64_t start_ns = drive->host->now_ns;
        uint16_t cid = femu_submit_rw(drive, NVME_CMD_READ, 0,
                                      pages * page_nlb);

        expect_one(drive, start_ns +
                   read_end_ns(p, (pages - 1) / p->channels), cid);
    }
    femu_shutdown(drive);
}

/* Single-page commands at once: as many as there are channels end together. */
static void check_depth(FemuDrive *drive, uint8_t opcode, unsigned depth)
{
    const SsdParams *p = &drive->config.ssd;
    uint32_t page_nlb = femu_page_nlb(drive);
    uint64_t start_ns = drive->host->now_ns;
    uint16_t cid = drive->io.next_cid;

    for (unsigned i = 0; i < depth; i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, opcode, i * page_nlb, page_nlb,
                                  drive->buf);

        femu_place(&drive->io, &cmd);
    }
    femu_ring(&drive->io);
    for (unsigned done = 0; done < depth; done += p->channels) {
        uint64_t row = done / p->channels;
        uint64_t end_ns = opcode == NVME_CMD_READ ? read_end_ns(p, row)
                                                  : program_end_ns(p, row);

        femu_expect_ok(&drive->io_cq, start_ns + end_ns,
                       MIN(depth - done, p->channels), cid + done);
    }
}

static void test_queue_depth(gconstpointer data)
{
    static const unsigned depths[] = { 1, 2, 3, 4, 8, 16, 32, 48 };
    FemuConfig config = speed_config(GPOINTER_TO_SIZE(data));
    FemuDrive *drive = boot(&config);

    for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
        check_depth(drive, NVME_CMD_WRITE, depths[i]);
        check_depth(drive, NVME_CMD_READ, depths[i]);
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0,
                                       false), ==, NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

/*
 * Commands of two queues, zones 0 and 1, at one instant. When both zones lie
 * on all channels the second one's program waits; when each has its own
 * channels neither notices the other.
 */
static void check_two_queues(uint32_t zone_channels)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    bool shared = zone_channels == p->channels;
    FemuDrive *drive;
    FemuCq cq;
    FemuSq sq;
    NvmeCmd cmd;
    FemuCqe cqe;

    config.ssd.zone_channels = zone_channels;
    drive = boot(&config);
    femu_cq_create(drive, &cq, 2, 16, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 1),
                      femu_page_nlb(drive), drive->buf);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive));
    femu_submit(&sq, &cmd);
    if (shared) {
        expect_one(drive, START_NS + program_end_ns(p, 0), 0);
        cqe = femu_expect_at(&cq, START_NS + program_end_ns(p, 1));
    } else {
        cqe = femu_expect_at(&cq, START_NS + program_end_ns(p, 0));
        expect_one(drive, START_NS + program_end_ns(p, 0), 0);
    }
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmpuint(cqe.sq_id, ==, 2);
    femu_shutdown(drive);
}

static void test_two_queues_shared(void)
{
    check_two_queues(4);
}

static void test_two_queues_apart(void)
{
    check_two_queues(2);
}

/* A second command some time after the first: the channel and unit are busy. */
static void test_staggered(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;
    uint32_t page_nlb;

    config.ssd.channels = 1;
    drive = boot(&config);
    page_nlb = femu_page_nlb(drive);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, page_nlb);
    femu_step(drive->host, 1);
    femu_submit_rw(drive, NVME_CMD_WRITE, page_nlb, page_nlb);
    femu_step(drive->host, p->page_transfer_ns + p->program_ns - 2);
    femu_submit_rw(drive, NVME_CMD_WRITE, 2 * page_nlb, page_nlb);
    expect_one(drive, START_NS + p->page_transfer_ns + p->program_ns, 0);
    expect_one(drive, START_NS + p->page_transfer_ns + 2 * p->program_ns, 1);
    expect_one(drive, START_NS + p->page_transfer_ns + 3 * p->program_ns, 2);
    femu_shutdown(drive);
}

/* Peers: "sub-page writes cost a whole page each". */
static void test_sub_page_writes(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;
    uint32_t page_nlb, lba;

    config.ssd.page_transfer_ns = 25003;    /* no multiple of the parts */
    drive = boot(&config);
    page_nlb = femu_page_nlb(drive);
    for (lba = 0; lba < page_nlb; lba++) {
        femu_submit_rw(drive, NVME_CMD_WRITE, lba, 1);
    }
    for (lba = 0; lba < page_nlb - 1; lba++) {
        expect_one(drive, START_NS + part_ns(p, 0, (lba + 1) * p->lba_bytes),
                   lba);
    }
    expect_one(drive, START_NS + p->page_transfer_ns + p->program_ns, lba);
    femu_shutdown(drive);
}

/* From the middle of one page to the middle of the next. */
static void test_write_across_pages(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    uint64_t half_ns, start_ns;
    FemuDrive *drive = boot(&config);
    uint32_t page_nlb = femu_page_nlb(drive);

    half_ns = part_ns(p, p->page_bytes / 2, p->page_bytes);
    femu_fill(drive, 0, page_nlb / 2);
    start_ns = drive->host->now_ns;
    femu_submit_rw(drive, NVME_CMD_WRITE, page_nlb / 2, page_nlb);
    expect_one(drive, start_ns + half_ns + p->program_ns, 1);
    femu_shutdown(drive);
}

static void test_read_granule(gconstpointer data)
{
    uint64_t granule_bytes = GPOINTER_TO_SIZE(data);
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    uint32_t page_nlb, lba, nlb;
    FemuDrive *drive;

    config.ssd.page_transfer_ns = 25003;
    config.ssd.read_granule_bytes = granule_bytes;
    drive = boot(&config);
    page_nlb = femu_page_nlb(drive);
    femu_fill(drive, 0, page_nlb);
    for (lba = 0; lba < page_nlb; lba++) {
        for (nlb = 1; lba + nlb <= page_nlb; nlb++) {
            uint64_t unit_bytes = granule_bytes ?: p->page_bytes;
            uint64_t from = QEMU_ALIGN_DOWN(lba * p->lba_bytes, unit_bytes);
            uint64_t to = QEMU_ALIGN_UP((lba + nlb) * p->lba_bytes,
                                        unit_bytes);
            uint64_t start_ns = drive->host->now_ns;
            uint16_t cid = femu_submit_rw(drive, NVME_CMD_READ, lba, nlb);

            expect_one(drive, start_ns + p->read_ns + part_ns(p, from, to),
                       cid);
        }
    }
    femu_shutdown(drive);
}

/* Peers: "reads charged once per 4 KiB instead of once per page". */
static void test_read_once_per_page(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;
    uint64_t start_ns;

    config.ssd.channels = 1;
    drive = boot(&config);
    femu_fill(drive, 0, femu_page_nlb(drive));
    start_ns = drive->host->now_ns;
    femu_submit_rw(drive, NVME_CMD_READ, 0, femu_page_nlb(drive));
    expect_one(drive, start_ns + p->read_ns + p->page_transfer_ns, 1);
    femu_shutdown(drive);
}

/* Beyond what is programmed there is nothing to sense. */
static void test_read_unprogrammed(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = boot(&config);
    uint32_t page_nlb = femu_page_nlb(drive);

    femu_submit_rw(drive, NVME_CMD_READ, femu_zone_lba(drive, 5), page_nlb);
    expect_one(drive, START_NS, 0);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, page_nlb);
    femu_submit_rw(drive, NVME_CMD_READ, 0, page_nlb);
    expect_one(drive, START_NS, 2);
    femu_step_to(drive->host,
                 START_NS + p->page_transfer_ns + p->program_ns - 1);
    femu_submit_rw(drive, NVME_CMD_READ, 0, page_nlb);
    expect_one(drive, drive->host->now_ns, 3);
    expect_one(drive, START_NS + p->page_transfer_ns + p->program_ns, 1);
    femu_submit_rw(drive, NVME_CMD_READ, 0, page_nlb);
    expect_one(drive, START_NS + p->page_transfer_ns + p->program_ns +
               p->read_ns + p->page_transfer_ns, 4);
    femu_shutdown(drive);
}

/*
 * A read and a write of the same unit at one instant: the sense is at the unit
 * at once, the program only after its transfer, whoever was submitted first.
 */
static void check_read_and_write(bool read_first)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    uint16_t cid_read, cid_write;
    FemuDrive *drive;
    uint32_t page_nlb;
    uint64_t start_ns;

    config.ssd.channels = 1;
    drive = boot(&config);
    page_nlb = femu_page_nlb(drive);
    femu_fill(drive, 0, page_nlb);
    start_ns = drive->host->now_ns;
    cid_read = drive->io.next_cid + !read_first;
    cid_write = drive->io.next_cid + read_first;
    for (unsigned i = 0; i < 2; i++) {
        bool read = read_first == (i == 0);

        femu_submit_rw(drive, read ? NVME_CMD_READ : NVME_CMD_WRITE,
                       read ? 0 : page_nlb, page_nlb);
    }
    g_assert_cmpuint(p->page_transfer_ns, <, p->read_ns);
    expect_one(drive, start_ns + p->read_ns + p->page_transfer_ns, cid_read);
    expect_one(drive, start_ns + p->read_ns + p->program_ns, cid_write);
    femu_shutdown(drive);
}

static void test_read_then_write(void)
{
    check_read_and_write(true);
}

static void test_write_then_read(void)
{
    check_read_and_write(false);
}

/* Peers: "append timed at the zone head", "returned the wrong LBA". */
static void test_append(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive = boot(&config);
    uint32_t page_nlb = femu_page_nlb(drive), i;
    uint64_t zslba = femu_zone_lba(drive, 3);

    for (i = 0; i < 2 * p->channels; i++) {
        femu_submit_rw(drive, NVME_CMD_ZONE_APPEND, zslba, page_nlb);
    }
    for (i = 0; i < 2 * p->channels; i++) {
        uint64_t row = i / p->channels;
        FemuCqe cqe = femu_expect_at(&drive->io_cq,
                                     START_NS + program_end_ns(p, row));

        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        g_assert_cmpuint(cqe.result, ==, zslba + i * page_nlb);
    }
    femu_shutdown(drive);
}

/* A flush waits for the programs that were issued before it, no longer. */
static void test_flush(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    NvmeCmd flush = femu_cmd_flush();
    FemuDrive *drive = boot(&config);
    uint32_t page_nlb = femu_page_nlb(drive);

    femu_submit(&drive->io, &flush);
    expect_one(drive, START_NS, 0);
    femu_submit_rw(drive, NVME_CMD_WRITE, 0, 5 * page_nlb);
    femu_submit(&drive->io, &flush);
    femu_submit_rw(drive, NVME_CMD_WRITE, 5 * page_nlb, 4 * page_nlb);
    femu_expect_ok(&drive->io_cq, START_NS + program_end_ns(p, 1), 2, 1);
    expect_one(drive, START_NS + program_end_ns(p, 2), 3);
    /* a started page is power-loss protected: nothing to wait for */
    femu_fill(drive, 1, 1);
    femu_submit(&drive->io, &flush);
    expect_one(drive, drive->host->now_ns, 5);
    femu_shutdown(drive);
}

/* Open and close take no time. */
static void test_open_close(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = boot(&config);

    femu_submit_zone(drive, NVME_ZONE_ACTION_OPEN, 0, false);
    expect_one(drive, START_NS, 0);
    femu_submit_zone(drive, NVME_ZONE_ACTION_CLOSE, 0, false);
    expect_one(drive, START_NS, 1);
    femu_shutdown(drive);
}

/* Ways, dies and planes have array clocks of their own, not channels. */
static void test_units_of_one_channel(void)
{
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;
    uint32_t page_nlb, i, units;

    config.ssd.channels = 1;
    config.ssd.ways = 2;
    config.ssd.dies = 2;
    config.ssd.planes = 2;
    units = 8;
    drive = boot(&config);
    page_nlb = femu_page_nlb(drive);
    for (i = 0; i <= units; i++) {
        femu_submit_rw(drive, NVME_CMD_WRITE, i * page_nlb, page_nlb);
    }
    for (i = 0; i < units; i++) {
        expect_one(drive, START_NS + (i + 1) * p->page_transfer_ns +
                   p->program_ns, i);
    }
    expect_one(drive, START_NS + p->page_transfer_ns + 2 * p->program_ns, i);
    femu_shutdown(drive);
}

/*
 * Beyond cmd-slots commands wait in their queue until a slot is free. The host
 * rings no doorbell meanwhile: the timer alone fetches them.
 */
static void test_cmd_slots(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint32_t page_nlb;
    FemuCqe cqe;

    config.ssd.cmd_slots = 2;
    drive = boot(&config);
    page_nlb = femu_page_nlb(drive);
    for (unsigned i = 0; i < 6; i++) {
        femu_submit_rw(drive, NVME_CMD_WRITE, i * page_nlb, page_nlb);
    }
    for (unsigned i = 0; i < 6; i++) {
        if (i % 2 == 0) {
            femu_step(drive->host, femu_page_write_ns(drive) - 1);
            g_assert_false(femu_peek(&drive->io_cq, &cqe));
            femu_step(drive->host, 1);
        }
        g_assert_true(femu_take(&drive->io_cq, &cqe));
        g_assert_cmpuint(cqe.cid, ==, i);
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

/*
 * Round robin: with one slot, two queues with three commands each take turns,
 * beginning after the one that was served last. All pages lie on one unit, so
 * that each command takes a page's whole time.
 */
static void test_arbitration(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    FemuCq cq;
    FemuSq sq;
    FemuCqe cqe;
    uint32_t page_nlb;
    uint64_t at_ns = START_NS;

    config.ssd.channels = 1;
    config.ssd.cmd_slots = 1;
    drive = boot(&config);
    page_nlb = femu_page_nlb(drive);
    femu_cq_create(drive, &cq, 2, 16, -1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 0; i < 3; i++) {
        NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE,
                                  femu_zone_lba(drive, 1) + i * page_nlb,
                                  page_nlb, drive->buf);

        femu_submit_rw(drive, NVME_CMD_WRITE, i * page_nlb, page_nlb);
        femu_place(&sq, &cmd);
    }
    femu_ring(&sq);
    for (unsigned i = 0; i < 3; i++) {
        at_ns += femu_page_write_ns(drive);
        expect_one(drive, at_ns, i);
        at_ns += femu_page_write_ns(drive);
        cqe = femu_expect_at(&cq, at_ns);
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        g_assert_cmpuint(cqe.cid, ==, i);
    }
    femu_shutdown(drive);
}

/*
 * With dilation k the drive lives at floor(t / k), and what is due there at d
 * is due in the guest at d * k.
 */
static void test_dilation(gconstpointer data)
{
    uint64_t k = GPOINTER_TO_SIZE(data);
    FemuConfig config = femu_small_config();
    const SsdParams *p = &config.ssd;
    FemuDrive *drive;
    uint64_t core_ns;
    uint32_t page_nlb;

    config.time_dilation = k;
    drive = boot(&config);
    page_nlb = femu_page_nlb(drive);
    for (unsigned i = 0; i < 3; i++) {
        /* at the first, the last and an inner nanosecond of a core tick */
        femu_step_to(drive->host,
                     QEMU_ALIGN_UP(drive->host->now_ns, k) + i * (k - 1) / 2);
        core_ns = drive->host->now_ns / k;
        femu_submit_rw(drive, NVME_CMD_WRITE, i * page_nlb, page_nlb);
        expect_one(drive,
                   (core_ns + p->page_transfer_ns + p->program_ns) * k, i);
    }
    femu_shutdown(drive);
}

static void add_speeds(const char *name, GTestDataFunc test)
{
    for (size_t i = 0; i < ARRAY_SIZE(speeds); i++) {
        g_autofree char *path = g_strdup_printf("femu-zns/timing/%s/%s", name,
                                                speeds[i].name);

        qtest_add_data_func(path, GSIZE_TO_POINTER(i), test);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/timing/write-16k", test_write_16k);
    add_speeds("write-pages", test_write_pages);
    add_speeds("read-pages", test_read_pages);
    add_speeds("queue-depth", test_queue_depth);
    qtest_add_func("femu-zns/timing/two-queues/shared",
                   test_two_queues_shared);
    qtest_add_func("femu-zns/timing/two-queues/apart", test_two_queues_apart);
    qtest_add_func("femu-zns/timing/staggered", test_staggered);
    qtest_add_func("femu-zns/peers/sub-page-writes-cost-a-page", test_sub_page_writes);
    qtest_add_func("femu-zns/timing/write-across-pages",
                   test_write_across_pages);
    qtest_add_data_func("femu-zns/timing/read-granule/page", NULL,
                        test_read_granule);
    qtest_add_data_func("femu-zns/timing/read-granule/4k",
                        GSIZE_TO_POINTER(4096), test_read_granule);
    qtest_add_data_func("femu-zns/timing/read-granule/8k",
                        GSIZE_TO_POINTER(8192), test_read_granule);
    qtest_add_func("femu-zns/peers/reads-charged-per-4k",
                   test_read_once_per_page);
    qtest_add_func("femu-zns/timing/read-unprogrammed",
                   test_read_unprogrammed);
    qtest_add_func("femu-zns/timing/read-then-write", test_read_then_write);
    qtest_add_func("femu-zns/timing/write-then-read", test_write_then_read);
    qtest_add_func("femu-zns/peers/append-timed-at-zone-head", test_append);
    qtest_add_func("femu-zns/timing/flush", test_flush);
    qtest_add_func("femu-zns/timing/open-close", test_open_close);
    qtest_add_func("femu-zns/timing/units-of-one-channel",
                   test_units_of_one_channel);
    qtest_add_func("femu-zns/timing/cmd-slots", test_cmd_slots);
    qtest_add_func("femu-zns/timing/arbitration", test_arbitration);
    qtest_add_data_func("femu-zns/timing/dilation/3", GSIZE_TO_POINTER(3),
                        test_dilation);
    qtest_add_data_func("femu-zns/timing/dilation/1000",
                        GSIZE_TO_POINTER(1000), test_dilation);
    return g_test_run();
}
