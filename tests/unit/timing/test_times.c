/*
 * Exact times as formulas over the parameters: read, write, append, queueing,
 * the page-assembly register, flush.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)

static void test_write(void)
{
    Drive *d = drive_new("");
    uint32_t tag = drive_write(d, 1000, 0, 1);

    /* Without a link its data are where they leave for the unit. */
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, 1000 + XFER);
    drive_expect(d, tag, 1000 + XFER + PROG);
    drive_expect_idle(d);
    drive_free(d);
}

static void test_append(void)
{
    Drive *d = drive_new("");
    uint32_t a = drive_append(d, 5, 1, 1);
    uint32_t b;
    SsdDone done = drive_expect(d, a, 5 + XFER + PROG);

    g_assert_cmpuint(done.result, ==, drive_zone_lba(d, 1));
    g_assert_cmpint(done.op, ==, SSD_OP_APPEND);
    g_assert_cmpuint(done.submitted_at_ns, ==, 5);

    /* The second one lies on the other channel, not at the zone's head. */
    a = drive_append(d, 1000000, 1, 1);
    b = drive_append(d, 1000000, 1, 1);
    done = drive_expect_next(d, a, 1000000 + XFER + PROG);
    g_assert_cmpuint(done.result, ==, drive_zone_lba(d, 1) + 1);
    done = drive_expect(d, b, 1000000 + XFER + PROG);
    g_assert_cmpuint(done.result, ==, drive_zone_lba(d, 1) + 2);
    drive_free(d);
}

static void test_read(void)
{
    Drive *d = drive_new("");
    uint32_t tag;

    drive_fill(d, 0, 2);
    tag = drive_read(d, 2000000, 1, 1);
    drive_expect(d, tag, 2000000 + READ + XFER);
    drive_expect_idle(d);
    drive_free(d);
}

/* Nothing is sensed for data that no program has left behind. */
static void test_read_unprogrammed(void)
{
    Drive *d = drive_new("zone-capacity=32K");
    uint32_t tag, write;

    drive_fill(d, 0, 3);
    tag = drive_read(d, 3000000, 3, 1);         /* at the write pointer */
    drive_expect(d, tag, 3000000);
    tag = drive_read(d, 3000000, 15, 1);        /* beyond the capacity */
    drive_expect(d, tag, 3000000);
    tag = drive_read(d, 3000000, 16, 16);       /* an empty zone */
    drive_expect(d, tag, 3000000);
    tag = drive_read(d, 3000000, 2, 14);        /* one page of 14 */
    drive_expect(d, tag, 3000000 + READ + XFER);

    /* A page is read from its buffer until its program has ended. */
    write = drive_write(d, 4000000, 3, 1);
    tag = drive_read(d, 4000000 + XFER + PROG - 1, 3, 1);
    drive_expect(d, tag, 4000000 + XFER + PROG - 1);
    drive_expect(d, write, 4000000 + XFER + PROG);
    tag = drive_read(d, 4000000 + XFER + PROG, 3, 1);
    drive_expect(d, tag, 4000000 + XFER + PROG + READ + XFER);
    drive_free(d);
}

/* Pages of a command go to their units at once; channels carry in turn. */
static void test_multi_page(void)
{
    Drive *d = drive_new("channels=2 ways=2");
    uint32_t tag;

    /* 4 pages, 4 units: two transfers per channel. */
    tag = drive_write(d, 0, 0, 4);
    drive_expect(d, tag, 2 * XFER + PROG);
    /* 6 pages: the third on a channel waits for its way, PROG > XFER. */
    tag = drive_write(d, 1000000, 4, 6);
    drive_expect(d, tag, 1000000 + XFER + 2 * PROG);
    /* 4 pages read: sensed together, two transfers per channel. */
    tag = drive_read(d, 4000000, 0, 4);
    drive_expect(d, tag, 4000000 + READ + 2 * XFER);
    /* 8 pages read: two senses per unit, channels have time in between. */
    tag = drive_read(d, 5000000, 0, 8);
    drive_expect(d, tag, 5000000 + 2 * READ + 2 * XFER);
    drive_free(d);
}

static void test_queue_on_unit(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t a, b, c;

    /* Writes: program after program. */
    a = drive_write(d, 0, 0, 1);
    b = drive_write(d, 0, 1, 1);
    c = drive_write(d, 10000, 2, 1);
    drive_expect(d, a, XFER + PROG);
    drive_expect(d, b, XFER + 2 * PROG);
    drive_expect(d, c, XFER + 3 * PROG);

    /* Reads: sense after sense; transfers overlap the next sense. */
    a = drive_read(d, 9000000, 0, 1);
    b = drive_read(d, 9000000, 1, 1);
    c = drive_read(d, 9000001, 2, 1);
    drive_expect(d, a, 9000000 + READ + XFER);
    drive_expect(d, b, 9000000 + 2 * READ + XFER);
    drive_expect(d, c, 9000000 + 3 * READ + XFER);
    drive_free(d);
}

static void test_queue_on_channel(void)
{
    Drive *d = drive_new("channels=1 ways=4 zone-ways=1");
    uint32_t tag[4];

    for (unsigned z = 0; z < 4; z++) {
        tag[z] = drive_write(d, 0, drive_zone_lba(d, z), 1);
    }
    for (unsigned z = 0; z < 4; z++) {
        drive_expect(d, tag[z], (z + 1) * XFER + PROG);
    }
    /* Four senses end together; the channel takes them in order. */
    for (unsigned z = 0; z < 4; z++) {
        tag[z] = drive_read(d, 5000000, drive_zone_lba(d, z), 1);
    }
    for (unsigned z = 0; z < 4; z++) {
        drive_expect(d, tag[z], 5000000 + READ + (z + 1) * XFER);
    }
    drive_free(d);
}

/* A die is one FIFO: a sense waits for the program that came before it. */
static void test_read_behind_write(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t write, read;

    drive_fill(d, 0, 1);
    write = drive_write(d, 1000000, 1, 1);
    read = drive_read(d, 1000000 + XFER, 0, 1);
    drive_expect(d, write, 1000000 + XFER + PROG);
    drive_expect(d, read, 1000000 + XFER + PROG + READ + XFER);

    /* One that arrives during the transfer is sensed before the program. */
    write = drive_write(d, 3000000, 2, 1);
    read = drive_read(d, 3000000 + XFER - 1, 0, 1);
    drive_expect(d, read, 3000000 + XFER - 1 + READ + XFER);
    drive_expect(d, write, 3000000 + XFER - 1 + READ + PROG);
    drive_free(d);
}

/*
 * A read asks for the channel when its sense ends: a write that comes during
 * the sense has the channel first, and one that comes later waits.
 */
static void test_read_channel_at_sense_end(void)
{
    Drive *d = drive_new("channels=1 ways=2 zone-ways=1");
    uint32_t read, write;

    drive_fill(d, 0, 1);
    read = drive_read(d, 1000000, 0, 1);
    write = drive_write(d, 1000000 + READ - 1, drive_zone_lba(d, 1), 1);
    drive_expect(d, read, 1000000 + READ - 1 + 2 * XFER);
    drive_expect(d, write, 1000000 + READ - 1 + XFER + PROG);

    read = drive_read(d, 3000000, 0, 1);
    write = drive_write(d, 3000000 + READ, drive_zone_lba(d, 1) + 1, 1);
    drive_expect(d, read, 3000000 + READ + XFER);
    drive_expect(d, write, 3000000 + READ + 2 * XFER + PROG);

    /* Two writes booked before the sense ends both go first. */
    read = drive_read(d, 5000000, 0, 1);
    drive_write(d, 5000000 + 50000, drive_zone_lba(d, 1) + 2, 2);
    drive_expect(d, read, 5000000 + 50000 + 2 * XFER + XFER);
    drive_free(d);
}

/* Sub-page writes gather in the page register; the last one pays. */
static void test_page_assembly(void)
{
    Drive *d = drive_new("channels=1 page-size=16K lba-size=4096");
    uint32_t tag;

    for (unsigned i = 0; i < 3; i++) {
        tag = drive_write(d, i * 1000000, i, 1);
        drive_expect(d, tag, i * 1000000 + XFER / 4);
    }
    tag = drive_read(d, 3000000, 0, 3);         /* still in the register */
    drive_expect(d, tag, 3000000);
    tag = drive_write(d, 3000000, 3, 1);
    drive_expect(d, tag, 3000000 + XFER / 4 + PROG);

    /* 3 + 2: the piece that ends page 1, then one that starts page 2. */
    tag = drive_write(d, 4000000, 4, 3);
    drive_expect(d, tag, 4000000 + XFER * 3 / 4);
    tag = drive_write(d, 5000000, 7, 2);
    drive_expect(d, tag, 5000000 + XFER / 4 + PROG);

    /* A read over both kinds senses the two programmed pages only. */
    tag = drive_read(d, 6000000, 0, 9);
    drive_expect(d, tag, 6000000 + 2 * READ + XFER);
    drive_free(d);
}

/* Shares of a transfer are rounded down, and always add up to the whole. */
static void test_transfer_shares(void)
{
    Drive *d = drive_new("channels=1 page-size=4K lba-size=512 "
                         "page-transfer-ns=1003");
    uint64_t sum_ns = 0;

    for (unsigned i = 0; i < 8; i++) {
        uint64_t at_ns = i * 10000000;
        uint64_t part_ns = (i + 1) * 1003 / 8 - i * 1003 / 8;
        uint32_t tag = drive_write(d, at_ns, i, 1);

        drive_expect(d, tag, at_ns + part_ns + (i == 7 ? PROG : 0));
        sum_ns += part_ns;
    }
    g_assert_cmpuint(sum_ns, ==, 1003);
    drive_free(d);
}

/* Reads move whole granules: here 4 KiB of a 16 KiB page. */
static void test_read_granule(void)
{
    Drive *d = drive_new("channels=1 page-size=16K lba-size=512 "
                         "read-granule=4K page-transfer-ns=1003");
    uint64_t quarter[] = { 250, 251, 251, 251 };    /* floor differences */
    uint32_t tag;

    drive_fill(d, 0, 2);
    for (unsigned i = 0; i < 4; i++) {
        tag = drive_read(d, 5000000 + i * 100000, i * 8 + 3, 1);
        drive_expect(d, tag, 5000000 + i * 100000 + READ + quarter[i]);
    }
    tag = drive_read(d, 6000000, 7, 2);         /* two granules of a page */
    drive_expect(d, tag, 6000000 + READ + quarter[0] + quarter[1]);
    tag = drive_read(d, 7000000, 31, 2);        /* one each of two pages */
    drive_expect(d, tag, 7000000 + 2 * READ + quarter[0]);
    tag = drive_read(d, 8000000, 0, 32);
    drive_expect(d, tag, 8000000 + READ + 1003);
    drive_free(d);
}

static void test_read_whole_page(void)
{
    Drive *d = drive_new("channels=1 page-size=16K lba-size=512");
    uint32_t tag;

    drive_fill(d, 0, 1);
    tag = drive_read(d, 5000000, 9, 1);
    drive_expect(d, tag, 5000000 + READ + XFER);
    drive_free(d);
}

/* Write zeroes, verify and compare take the time of a write and of reads. */
static void test_like_write_and_read(void)
{
    Drive *d = drive_new("channels=1 page-size=16K read-granule=4K");
    uint32_t tag;

    tag = drive_io(d, 0, SSD_OP_WRITE_ZEROES, 0, 3);
    drive_expect(d, tag, XFER * 3 / 4);
    tag = drive_io(d, 1000000, SSD_OP_WRITE_ZEROES, 3, 1);
    drive_expect(d, tag, 1000000 + XFER / 4 + PROG);
    tag = drive_io(d, 2000000, SSD_OP_VERIFY, 1, 2);
    drive_expect(d, tag, 2000000 + READ + XFER / 2);
    tag = drive_io(d, 3000000, SSD_OP_COMPARE, 3, 1);
    drive_expect(d, tag, 3000000 + READ + XFER / 4);
    tag = drive_io(d, 4000000, SSD_OP_VERIFY, 4, 4);    /* not written */
    drive_expect(d, tag, 4000000);
    drive_expect_idle(d);
    drive_free(d);
}

/* Flush waits for host programs issued before it, and for nothing else. */
static void test_flush(void)
{
    Drive *d = drive_new("channels=2 page-size=16K");
    uint32_t flush, a, b;

    flush = drive_flush(d, 7);
    drive_expect(d, flush, 7);

    a = drive_write(d, 1000, 0, 4);             /* page 0, channel 0 */
    b = drive_write(d, 2000, 4, 4);             /* page 1, channel 1 */
    flush = drive_flush(d, 3000);
    drive_write(d, 3000, 8, 4);                 /* page 2: after the flush */
    drive_expect(d, a, 1000 + XFER + PROG);
    drive_expect_next(d, b, 2000 + XFER + PROG);
    drive_expect(d, flush, 2000 + XFER + PROG);
    drive_drain(d);

    /* The page register is safe without a program. */
    a = drive_write(d, 9000000, 12, 1);
    flush = drive_flush(d, 9000001);
    drive_expect(d, flush, 9000001);
    drive_expect(d, a, 9000000 + XFER / 4);
    flush = drive_flush(d, 9500000);
    drive_expect(d, flush, 9500000);

    /* Two flushes behind one program end with it. */
    b = drive_write(d, 10000000, 13, 3);
    a = drive_flush(d, 10000001);
    flush = drive_flush(d, 10000002);
    drive_expect_next(d, b, 10000000 + XFER * 3 / 4 + PROG);
    drive_expect_next(d, a, 10000000 + XFER * 3 / 4 + PROG);
    drive_expect(d, flush, 10000000 + XFER * 3 / 4 + PROG);
    drive_expect_idle(d);
    drive_free(d);
}

/* A fill is no host program, an erase is none either. */
static void test_flush_ignores_jobs(void)
{
    Drive *d = drive_new("");
    uint32_t tag;

    drive_fill(d, 0, 1);
    drive_fill(d, 1, 1);
    drive_zone_op(d, 2000000, SSD_OP_ZONE_FINISH, 0);
    drive_zone_op(d, 2000000, SSD_OP_ZONE_RESET, 1);
    tag = drive_flush(d, 2000001);
    drive_expect(d, tag, 2000001);
    drive_free(d);
}

static void test_open_and_close(void)
{
    Drive *d = drive_new("");
    uint32_t tag;

    drive_write(d, 0, 0, 1);
    tag = drive_zone_op(d, 1, SSD_OP_ZONE_OPEN, 1);
    drive_expect(d, tag, 1);
    tag = drive_zone_op(d, 2, SSD_OP_ZONE_CLOSE, 1);
    drive_expect(d, tag, 2);
    tag = drive_all_zones(d, 3, SSD_OP_ZONE_CLOSE);
    drive_expect(d, tag, 3);
    tag = drive_all_zones(d, 4, SSD_OP_ZONE_OPEN);
    drive_expect(d, tag, 4);
    drive_free(d);
}

/* Close keeps the started page; the next write completes it. */
static void test_close_keeps_page(void)
{
    Drive *d = drive_new("channels=1 page-size=16K");
    uint32_t tag;

    tag = drive_write(d, 0, 0, 3);
    drive_expect(d, tag, XFER * 3 / 4);
    tag = drive_zone_op(d, 1000000, SSD_OP_ZONE_CLOSE, 0);
    drive_expect(d, tag, 1000000);
    tag = drive_write(d, 2000000, 3, 1);
    drive_expect(d, tag, 2000000 + XFER / 4 + PROG);
    drive_free(d);
}

/* Times beyond what 31 and 32 bits hold. */
static void test_long_times(void)
{
    Drive *d = drive_new("channels=1 program-ns=1000000000 "
                         "page-transfer-ns=900000000 read-ns=1000000000 "
                         "erase-ns=1000000000 pages-per-block=1");
    uint64_t giga = 1000000000, at_ns;
    uint32_t tag;

    tag = drive_write(d, 0, 0, 1);
    drive_expect(d, tag, 1900000000);
    tag = drive_write(d, 2 * giga, 1, 2);       /* 2.9 s: above 2^31 */
    drive_expect(d, tag, 4900000000);
    tag = drive_write(d, 10 * giga, 3, 5);      /* 5.9 s: above 2^32 */
    drive_expect(d, tag, 15900000000);
    at_ns = UINT64_C(1) << 40;
    tag = drive_read(d, at_ns, 0, 8);           /* 8.9 s */
    drive_expect(d, tag, at_ns + 8 * giga + 900000000);
    at_ns = UINT64_C(1) << 50;                  /* after 13 days */
    tag = drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, at_ns + 8 * giga);
    drive_free(d);
}

/* Durations of zero are allowed; nothing happens before its submission. */
static void test_zero_times(void)
{
    Drive *d = drive_new("program-ns=0 page-transfer-ns=0 read-ns=0 "
                         "erase-ns=0");
    uint32_t tag;

    tag = drive_write(d, 9, 0, 4);
    drive_expect(d, tag, 9);
    tag = drive_read(d, 9, 0, 4);
    drive_expect(d, tag, 9);
    tag = drive_zone_op(d, 9, SSD_OP_ZONE_FINISH, 0);
    drive_expect(d, tag, 9);
    tag = drive_zone_op(d, 9, SSD_OP_ZONE_RESET, 0);
    drive_expect(d, tag, 9);
    drive_expect_idle(d);
    drive_free(d);
}

/* Each zone has the units that the mapping gives it: SU zones, 4 x 2. */
static void test_su_zones_are_apart(void)
{
    Drive *d = drive_new("zones=16 channels=4 ways=2 zone-channels=1 "
                         "zone-ways=1");
    uint32_t tag[16];

    for (unsigned z = 0; z < 16; z++) {
        tag[z] = drive_write(d, 0, drive_zone_lba(d, z), 1);
    }
    /* Zones 0-3 first ways, 4-7 second ways; 8-15 share with 0-7. */
    for (unsigned z = 0; z < 8; z++) {
        drive_expect_next(d, tag[z], (z / 4 + 1) * XFER + PROG);
    }
    for (unsigned z = 8; z < 16; z++) {
        drive_expect_next(d, tag[z], (z / 4 - 1) * XFER + 2 * PROG);
    }
    drive_expect_idle(d);
    drive_free(d);
}

/* Time may stand still and may leap; the past is never asked for. */
static void test_idle_gap(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t tag = drive_write(d, 0, 0, 1);

    drive_expect(d, tag, XFER + PROG);
    tag = drive_write(d, UINT64_C(1) << 62, 1, 1);
    drive_expect(d, tag, (UINT64_C(1) << 62) + XFER + PROG);
    drive_free(d);
}

static void test_cmd_slots(void)
{
    Drive *d = drive_new("channels=1 cmd-slots=2");
    uint32_t a = drive_write(d, 0, 0, 1), b;
    SsdDone done;

    g_assert_true(ssd_has_room(d->ssd));
    b = drive_flush(d, 0);
    g_assert_false(ssd_has_room(d->ssd));
    g_assert_cmpuint(ssd_inflight(d->ssd), ==, 2);
    /* A completion that nobody has fetched still holds its slot. */
    g_assert_cmpuint(ssd_poll(d->ssd, XFER + PROG, &done, 1), ==, 1);
    g_assert_cmpuint(done.tag, ==, a);
    g_assert_true(ssd_has_room(d->ssd));
    g_assert_cmpuint(ssd_inflight(d->ssd), ==, 1);
    g_assert_cmpuint(ssd_poll(d->ssd, XFER + PROG, &done, 1), ==, 1);
    g_assert_cmpuint(done.tag, ==, b);
    drive_expect_idle(d);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/times/write", test_write);
    g_test_add_func("/times/append", test_append);
    g_test_add_func("/times/read", test_read);
    g_test_add_func("/times/read-unprogrammed", test_read_unprogrammed);
    g_test_add_func("/times/multi-page", test_multi_page);
    g_test_add_func("/times/queue-on-unit", test_queue_on_unit);
    g_test_add_func("/times/queue-on-channel", test_queue_on_channel);
    g_test_add_func("/times/read-behind-write", test_read_behind_write);
    g_test_add_func("/times/read-channel-at-sense-end",
                    test_read_channel_at_sense_end);
    g_test_add_func("/times/page-assembly", test_page_assembly);
    g_test_add_func("/times/transfer-shares", test_transfer_shares);
    g_test_add_func("/times/read-granule", test_read_granule);
    g_test_add_func("/times/read-whole-page", test_read_whole_page);
    g_test_add_func("/times/like-write-and-read", test_like_write_and_read);
    g_test_add_func("/times/flush", test_flush);
    g_test_add_func("/times/flush-ignores-jobs", test_flush_ignores_jobs);
    g_test_add_func("/times/open-and-close", test_open_and_close);
    g_test_add_func("/times/close-keeps-page", test_close_keeps_page);
    g_test_add_func("/times/long", test_long_times);
    g_test_add_func("/times/zero", test_zero_times);
    g_test_add_func("/times/su-zones-are-apart", test_su_zones_are_apart);
    g_test_add_func("/times/idle-gap", test_idle_gap);
    g_test_add_func("/times/cmd-slots", test_cmd_slots);
    return g_test_run();
}
