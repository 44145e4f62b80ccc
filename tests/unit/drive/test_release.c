/*
 * Who gives a zone's resources back, and what a finish waits for: jobs after
 * which the host goes on with the zone at once.
 *
 * Knows the drive's inside: counters that only years of use would bring there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "drive/drive.h"
#include "support/drive.h"

#define LATER UINT64_C(1000000000)

/* When the command ends; others may before it. */
static uint64_t due_at_ns(Drive *d, uint32_t tag)
{
    SsdDone done;

    for (;;) {
        if (ssd_poll(d->ssd, d->now_ns, &done, 1) == 0) {
            d->now_ns = ssd_next_at_ns(d->ssd);
        } else if (done.tag == tag) {
            return done.due_at_ns;
        }
    }
}

/* The zone has been reset, and is active again before its blocks are erased. */
static void write_while_reset(Drive *d)
{
    uint64_t at_ns = d->now_ns + LATER;

    drive_zone_op(d, at_ns, SSD_OP_ZONE_RESET, 0);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
    drive_write(d, at_ns, 0, 1);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 1);
    drive_drain(d);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 1);
    g_assert_cmpuint(ssd_open_count(d->ssd, 1), ==, 1);
}

/* The reset of a full zone has nothing to give back, nor has the next one. */
static void test_full(void)
{
    Drive *d = drive_new("");

    drive_fill(d, 0, 16);
    g_assert_cmpuint(d->ssd->zns.jobs.zones[0].releaser_idx, ==, SSD_NONE);
    write_while_reset(d);
    drive_free(d);
}

/* The finish did, and its number is that of the reset's job. */
static void test_finished(void)
{
    Drive *d = drive_new("");

    drive_fill(d, 0, 1);
    drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 1);
    drive_drain(d);
    g_assert_cmpuint(ssd_active_count(d->ssd, 1), ==, 0);
    g_assert_cmpuint(d->ssd->zns.jobs.zones[0].releaser_idx, ==, SSD_NONE);
    write_while_reset(d);
    drive_free(d);
}

/* After 2^31 writes of a zone its finish begins as it always did. */
static void test_many_writes(void)
{
    uint64_t took_ns[2];

    for (unsigned i = 0; i < 2; i++) {
        Drive *d = drive_new("");
        WriteQueue *queue = &d->ssd->zns.writes[0];

        drive_fill(d, 0, 1);
        queue->entered_count += i * ((UINT32_C(1) << 31) + 1);
        queue->handed_off_count += i * ((UINT32_C(1) << 31) + 1);
        drive_zone_op(d, LATER, SSD_OP_ZONE_FINISH, 0);
        took_ns[i] = drive_drain(d);
        drive_free(d);
    }
    g_assert_cmpuint(took_ns[1], ==, took_ns[0]);
}

/* A ZRWA's part of a page takes no room of the buffer, nor after a cut. */
static void test_zrwa(void)
{
    Drive *d = drive_new("page-size=16K zone-size=128K write-buffer=96K "
                         "zone-buffer=48K max-active=1 max-open=1 "
                         "program-registers=1 zrwa-size=32K "
                         "zrwa-flush-granularity=4K max-zrwa=1");
    Ssd *next;

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(d, 0, 0, 5);
    drive_io(d, 0, SSD_OP_ZONE_FLUSH_ZRWA, 4, 0);
    drive_drain(d);
    next = ssd_power_cut(d->ssd, d->now_ns, 1);
    g_assert_cmpint(ssd_zone(next, 1, 0).state, ==, SSD_ZONE_CLOSED);
    g_assert_cmpuint(ssd_zone(next, 1, 0).wp_lba, ==, 5);
    g_assert_true(ssd_zone(next, 1, 0).has_zrwa);
    g_assert_cmpuint(next->buffer.used_bytes, ==, 0);
    ssd_free(next);
    drive_free(d);
}

/* The controller's own finish waits for a flush that enters, as for a write. */
static void test_flush_enters(void)
{
    Drive *d = drive_new("excursion-ns=40000000 zrwa-size=16K "
                         "zrwa-flush-granularity=4K max-active=4 max-open=4 "
                         "max-zrwa=4 fe-read-ns=50000000");
    const JobQueue *queue = &d->ssd->zns.jobs.zones[0];

    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(d, 0, 0, 2);
    drive_read(d, 30000000, drive_zone_lba(d, 3), 1);
    drive_io(d, 31000000, SSD_OP_ZONE_FLUSH_ZRWA, 1, 0);
    d->now_ns = 41000000;
    ssd_poll(d->ssd, d->now_ns, NULL, 0);
    g_assert_cmpuint(queue->head_idx, !=, SSD_NONE);
    g_assert_true(d->ssd->zns.jobs.at[queue->head_idx].waits_for_writes);
    d->now_ns = 81000000;
    ssd_poll(d->ssd, d->now_ns, NULL, 0);
    g_assert_true(queue->head_runs);
    drive_drain(d);
    drive_free(d);
}

/*
 * A finish waits with a part of a page for the end of a reset's lock; then a
 * write comes in that waits for that room.
 */
static void test_unlocked(void)
{
    Drive *d = drive_new("page-size=16K zone-size=128K write-buffer=64K "
                         "max-active=2 max-open=2 program-registers=1 "
                         "reset-lock-ns=1000000 reset-steps=1");
    uint64_t end_ns = LATER + 1000000;
    uint32_t tag;

    drive_fill(d, 3, 8);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 3);
    drive_write(d, LATER + 10, 0, 1);
    drive_zone_op(d, LATER + 20, SSD_OP_ZONE_FINISH, 0);
    drive_write(d, LATER + 30, drive_zone_lba(d, 1), 15);
    tag = drive_write(d, LATER + 40, drive_zone_lba(d, 1) + 15, 1);
    ssd_poll(d->ssd, end_ns - 1, NULL, 0);
    g_assert_true(d->ssd->media.flash.locked);
    g_assert_cmpuint(d->ssd->buffer.used_bytes, ==, 65536);
    d->now_ns = end_ns;
    g_assert_cmpuint(due_at_ns(d, tag), ==, end_ns);
    drive_drain(d);
    drive_free(d);
}

/*
 * With page-turns each unit gets a page when the lock ends; then all strands of
 * zone 0 go on with the next stripe.
 */
static void test_next_stripe(void)
{
    Drive *d = drive_new("write-buffer=72K max-active=2 max-open=2 "
                         "page-turns=on program-registers=1 erase-ns=0 "
                         "reset-lock-ns=1000000 reset-steps=1");
    uint64_t program_ns = 25000 + 700000;
    uint32_t tag;

    drive_fill(d, 3, 16);
    drive_zone_op(d, LATER, SSD_OP_ZONE_RESET, 3);
    drive_write(d, LATER + 10, 0, 4);
    tag = drive_flush(d, LATER + 20);
    g_assert_true(d->ssd->media.flash.locked);
    g_assert_cmpuint(due_at_ns(d, tag), ==, LATER + 1000000 + 2 * program_ns);
    drive_drain(d);
    drive_free(d);
}

/* All pages that the buffer has room for are free at first. */
static void test_free_pages(void)
{
    Drive *d = drive_new("write-buffer=72K max-active=2 max-open=2 "
                         "program-registers=1");
    const WriteBuffer *buffer = &d->ssd->buffer;
    uint32_t count = 0;

    for (uint32_t i = buffer->free_page_idx; i != SSD_NONE;
         i = buffer->pages[i].next_idx) {
        g_assert_cmpuint(i, <, buffer->page_count);
        count++;
    }
    g_assert_cmpuint(count, ==, buffer->page_count);
    g_assert_cmpuint(count, >, 72 / 4);
    drive_free(d);
}

typedef void (*Ends)(Drive *d);

static void zone_fails(Drive *d)
{
    g_assert_true(ssd_zone_fail(d->ssd, d->now_ns, 1, 0, SSD_ZONE_READ_ONLY));
}

static void is_formatted(Drive *d)
{
    g_assert_true(ssd_format(d->ssd, d->now_ns, 1, 4096, NULL));
}

/*
 * A zone has a part of a page in the buffer, the rest of which is of another
 * namespace, with a write that waits for room; behind the one after that the
 * front end is held up. When the part is gone, it goes on at once.
 */
static void test_part_gone(gconstpointer data)
{
    Drive *d = drive_new("namespaces=2 page-size=16K zone-size=128K "
                         "write-buffer=64K max-active=1 max-open=1 "
                         "program-registers=1 buffer-waiters=1 "
                         "fe-write-ns=1000 fe-read-ns=1000 link-in-ns=16000");
    uint32_t tag;

    drive_write(d, 0, 0, 1);
    drive_drain(d);
    d->nsid = 2;
    drive_write(d, 10000, 0, 15);
    drive_write(d, 10000, 15, 1);
    drive_write(d, 10000, 16, 1);
    tag = drive_read(d, 10000, drive_zone_lba(d, 1), 1);
    ssd_poll(d->ssd, 20000, NULL, 0);
    d->now_ns = 20000;
    g_assert_true(d->ssd->buffer.holds_up);
    ((Ends)data)(d);
    g_assert_cmpuint(due_at_ns(d, tag), ==, 20000 + 1000);
    drive_drain(d);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/release/full", test_full);
    g_test_add_func("/release/finished", test_finished);
    g_test_add_func("/release/many-writes", test_many_writes);
    g_test_add_func("/release/zrwa", test_zrwa);
    g_test_add_func("/release/flush-enters", test_flush_enters);
    g_test_add_func("/release/unlocked", test_unlocked);
    g_test_add_func("/release/next-stripe", test_next_stripe);
    g_test_add_func("/release/free-pages", test_free_pages);
    g_test_add_data_func("/release/part/fails", zone_fails, test_part_gone);
    g_test_add_data_func("/release/part/format", is_formatted,
                         test_part_gone);
    return g_test_run();
}
