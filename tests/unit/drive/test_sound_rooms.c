/*
 * Each room of a drive that is read is sound. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <sys/resource.h>

#include "sound.h"

#ifdef __SANITIZE_ADDRESS__
#define SANITISED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITISED 1
#endif
#endif
#ifndef SANITISED
#define SANITISED 0
#endif
static const bool is_sanitised = SANITISED;

/* --- Reads ahead ---------------------------------------------------------- */

/* The second read makes a stream; the third waits for two of its lines. */
static void begin_ahead(void)
{
    begin("read-ahead=16K read-ahead-streams=2 mdts=8K cmd-slots=4");
    drive_fill(drive, 0, 16);
    drive_expect(drive, drive_read(drive, LATER, 0, 1), LATER + 85000);
    drive_expect(drive, drive_read(drive, LATER + 1000000, 1, 1),
                 LATER + 1085000);
    drive_expect(drive, drive_read(drive, LATER + 1085001, 2, 1),
                 LATER + 1085001);
    drive_read(drive, LATER + 1085002, 3, 2);
}

/* A fetch of stream 0 that is under way. */
static uint32_t any_fetch(const Ahead *ahead)
{
    uint64_t line = ahead->streams[0].end_line - 1;
    uint32_t fetch_idx = ahead->lines[line % ahead->config.depth_lines];

    g_assert_cmpuint(fetch_idx, !=, AHEAD_NONE);
    return fetch_idx;
}

static void test_lines(void)
{
    Ahead *ahead;
    AheadStream *idle;
    uint32_t fetch_idx, place;

    begin_ahead();
    ahead = &ssd->prefetch.ahead;
    fetch_idx = any_fetch(ahead);
    place = ahead->fetches[fetch_idx].place;
    SET(ahead->fetches[fetch_idx].stream_idx, 1);
    refused("read-ahead: line 6 of stream 0 is fetched by 0, which is "
            "another's");
    SET(ahead->fetches[fetch_idx].place, place ^ 1);
    refused("read-ahead: line 6 of stream 0 is fetched by 0, which is "
            "another's");
    SET(ahead->lines[place], AHEAD_NONE);
    refused("read-ahead: 1 fetches are of lines that no ring has");
    idle = &ahead->streams[1];
    SET(idle->end_line, 1);
    refused("read-ahead: stream 1 is of no zone, and goes on");
    /* The last line that can be ahead is the ring's, behind the zone's last. */
    SET(idle->first_line, 16 + 1 + 4);
    SET(idle->end_line, 16 + 1 + 4);
    let_in();
    SET(idle->first_line, 16 + 1 + 5);
    SET(idle->end_line, 16 + 1 + 5);
    refused("read-ahead: stream 1 is at byte 0 and line 22 of a zone of "
            "65536 bytes, 0 of which are being read");
    end();
}

/* A ring's line names a fetch that is free, whose next one is the place. */
static void test_free_fetch(void)
{
    Ahead *ahead;
    uint32_t free_idx;

    begin_ahead();
    drive_drain(drive);
    run_to(2 * LATER);
    ahead = &ssd->prefetch.ahead;
    free_idx = ahead->free_fetch_idx;
    SET(ahead->lines[ahead->fetches[free_idx].place], free_idx);
    refused("read-ahead: line 6 of stream 0 is fetched by 1, which is "
            "another's");
    end();
}

/* All that a table has room for may have been in use, and be free. */
static void test_fresh(void)
{
    Ahead *ahead;

    begin("read-ahead=16K");
    ahead = &ssd->prefetch.ahead;
    SET(ahead->fresh_fetch_idx, 4);
    SET(ahead->free_fetch_idx, 0);
    for (uint32_t i = 0; i < 4; i++) {
        SET(ahead->fetches[i].place, i + 1 < 4 ? i + 1 : AHEAD_NONE);
    }
    let_in();
    end();
}

/* A read waits for as many lines as it has parts. */
static void test_pieces(void)
{
    Ahead *ahead;
    AheadWaiter *waiter;

    begin_ahead();
    ahead = &ssd->prefetch.ahead;
    waiter = &ahead->waiters[any_fetch(ahead)];
    g_assert_cmpuint(ahead->line_pages, ==, 1);
    g_assert_cmpuint(waiter->command_idx, ==, AHEAD_NONE);
    SET(waiter->command_idx, 0);
    SET(waiter->bytes, 4096);
    refused("drive: command 0 waits for 2 things, must wait for 3");
    SET(waiter->command_idx, 1);
    SET(waiter->bytes, 4096);
    refused("drive: a line is of command 1, which is not inside");
    SET(waiter->command_idx, 4);
    refused("read-ahead: command_idx of waiter_rows[0] is 4, must be at most 3, "
            "or none");
    end();
}

/* --- Operations of the flash ---------------------------------------------- */

/* A read alone crosses its channel, and its unit waits for that. */
static void test_moving_read(void)
{
    FlashUnit *unit;
    FlashToken *token;

    begin("cache-read=off");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    run_to(LATER + 60001);
    unit = &ssd->media.flash.units[0];
    token = &ssd->media.flash.tokens[unit->running_idx];
    g_assert_false(token->at_unit);
    SET(unit->running_idx, FLASH_NONE);
    refused("drive: operation 0 of kind 0 cannot be in place 1 (0, 0), with "
            "bytes 0 to 4096");
    end();
}

/* An erase that waits for programs is in the queue of those. */
static void test_moving_erase(void)
{
    FlashUnit *unit;

    begin("");
    drive_fill(drive, 0, 2);
    drive_write(drive, LATER, 2, 2);
    drive_zone_op(drive, LATER + 1, SSD_OP_ZONE_RESET, 0);
    unit = &ssd->media.flash.units[0];
    g_assert_cmpuint(unit->erases.head_idx, !=, FLASH_NONE);
    SET(unit->erases.head_idx, FLASH_NONE);
    SET(unit->erases.tail_idx, FLASH_NONE);
    refused("drive: operation 2 of kind 4 cannot be in place 1 (0, 0), with "
            "bytes 0 to 0");
    end();
}

/* Two reads of a unit: one waits where reads wait. */
static void test_read_queues(void)
{
    FlashUnit *unit;

    begin("reads-first=0");
    drive_fill(drive, 0, 4);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER, 2, 1);
    unit = &ssd->media.flash.units[0];
    SET(unit->reads.head_idx, unit->work.head_idx);
    SET(unit->reads.tail_idx, unit->work.tail_idx);
    SET(unit->work.head_idx, FLASH_NONE);
    SET(unit->work.tail_idx, FLASH_NONE);
    refused("drive: operation 2 of kind 0 cannot be in place 2 (1, 0), with "
            "bytes 0 to 4096");
    end();

    begin("reads-first=2");
    drive_fill(drive, 0, 4);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER, 2, 1);
    unit = &ssd->media.flash.units[0];
    SET(unit->work.head_idx, unit->reads.head_idx);
    SET(unit->work.tail_idx, unit->reads.tail_idx);
    SET(unit->reads.head_idx, FLASH_NONE);
    SET(unit->reads.tail_idx, FLASH_NONE);
    refused("drive: operation 2 of kind 0 cannot be in place 3 (1, 0), with "
            "bytes 0 to 4096");
    end();
}

/* What a read transfers is of one page that is sensed; or it is nothing. */
static void test_read_bytes(void)
{
    Flash *flash;
    FlashOp *op;

    begin("program-pages=2");
    drive_fill(drive, 0, 4);
    drive_read(drive, LATER, 0, 1);
    flash = &ssd->media.flash;
    op = &flash->tokens[flash->units[0].running_idx].op;
    g_assert_cmpint(op->kind, ==, FLASH_READ);
    SET(op->begin_bytes, 4095);
    SET(op->end_bytes, 4097);
    refused("drive: operation 1 of kind 0 cannot be in place 6 (1, 1), with "
            "bytes 4095 to 4097");
    SET(op->begin_bytes, 4096);
    SET(op->end_bytes, 8192);
    let_in();
    SET(op->begin_bytes, 4096);
    SET(op->end_bytes, 4096);
    let_in();
    SET(op->begin_bytes, 4096);
    SET(op->end_bytes, 8193);
    refused("drive: operation 1 of kind 0 cannot be in place 6 (1, 1), with "
            "bytes 4096 to 8193");
    end();
}

/* What is read ahead is read. */
static void test_ahead_op(void)
{
    Flash *flash;
    FlashOp *op;

    begin_ahead();
    flash = &ssd->media.flash;
    op = &flash->tokens[flash->units[0].running_idx].op;
    g_assert_cmpint(owner_kind(op->owner), ==, OWNER_AHEAD);
    SET(op->kind, FLASH_ERASE);
    refused("drive: operation 3 of kind 4 and place 0 has an owner of kind 5");
    end();
}

/* An owner is one of seven kinds, and only its own numbers. */
static void test_owner(void)
{
    Flash *flash;
    FlashOp *op;

    begin("");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    flash = &ssd->media.flash;
    op = &flash->tokens[flash->units[0].running_idx].op;
    SET(op->owner.word, owner_of(OWNER_CLEANING + 1, 0).word);
    refused("flash: op.owner of token_rows[0] is 1879048192, must be at "
            "most 4294967295");
    SET(op->owner.word, owner_of(OWNER_CLEANING, 0).word);
    refused("drive: command 0 waits for 1 things, must wait for 0");
    end();
}

/* Suspend points of a program lie behind its begin, and not behind its end. */
static void test_points(void)
{
    FlashUnit *unit;

    begin("reads-first=1 program-suspend=on suspend-segment-ns=100000 "
          "suspend-ns=1000");
    drive_fill(drive, 0, 2);
    drive_write(drive, LATER, 2, 1);
    run_to(LATER + 50000);
    unit = &ssd->media.flash.units[0];
    g_assert_cmpuint(unit->running_idx, !=, FLASH_NONE);
    SET(unit->point_at_ns, unit->run_from_at_ns + 1);
    let_in();
    SET(unit->point_at_ns, unit->run_from_at_ns);
    refused("drive: unit 0 runs what can be suspended, in a way that cannot "
            "be");
    drive_read(drive, LATER + 50000, 0, 1);
    g_assert_true(unit->suspending);
    SET(unit->point_at_ns, unit->run_until_at_ns);
    let_in();
    SET(unit->point_at_ns, unit->run_until_at_ns + 1);
    refused("drive: unit 0 runs what can be suspended, in a way that cannot "
            "be");
    end();
}

static void test_tokens(void)
{
    Flash *flash;
    uint32_t most;

    begin("cmd-slots=1");
    flash = &ssd->media.flash;
    most = flash->config.op_capacity;
    flash->fresh_idx = most;
    flash->free_idx = 0;
    for (uint32_t i = 0; i < most; i++) {
        flash->tokens[i].next_idx = i + 1 < most ? i + 1 : FLASH_NONE;
    }
    end();
}

/* A log of what was busy that is larger than memory. */
static void test_no_memory(void)
{
    struct rlimit was, less;

    if (is_sanitised) {
        g_test_skip("the sanitiser needs all addresses");
        return;
    }
    begin("");
    g_assert_cmpint(getrlimit(RLIMIT_AS, &was), ==, 0);
    less = was;
    less.rlim_cur = 1 << 29;
    SET(ssd->media.flash.busy.size, FLASH_BUSY_MOST);
    g_assert_cmpint(setrlimit(RLIMIT_AS, &less), ==, 0);
    refused("flash: no memory for a log of 67108864 entries");
    g_assert_cmpint(setrlimit(RLIMIT_AS, &was), ==, 0);
    end();
}

/* --- The conventional namespace ------------------------------------------- */

static void test_granules(void)
{
    Ftl *ftl;

    begin_conv("");
    drive_write(drive, 0, 0, 3);
    drive_drain(drive);
    ftl = &ssd->conv.ftl;
    SET(ftl->place_of[0], ftl->line_places * ftl->line_count + 1);
    refused("conventional: granule 0 is at place 32 of 32, which does not "
            "hold it");
    SET(ftl->place_of[3], 3 + 1);
    SET(ftl->holds[3], 3);
    refused("conventional: granule 3 is at place 3 of 32, which does not "
            "hold it");
    SET(ftl->open_line, 1);
    refused("conventional: 1 lines are open; 1 is, with 3 places written of "
            "8");
    SET(ftl->open_used, ftl->line_places);
    refused("conventional: 1 lines are open; 0 is, with 8 places written of "
            "8");
    end();
}

/* A number of a write is never 0: that one says that nothing is written. */
static void test_write_ids(void)
{
    begin_conv("link-in-ns=1000000");
    ssd->conv.last_id = UINT32_MAX;
    drive_write(drive, 0, 0, 1);
    g_assert_cmpuint(ssd->conv.last_id, ==, 1);
    g_assert_cmpuint(ssd->conv.newest_id[0], ==, 1);
    ssd->conv.last_id = UINT32_MAX - 1;
    drive_write(drive, 0, 1, 1);
    g_assert_cmpuint(ssd->conv.last_id, ==, UINT32_MAX);
    end();
}

/* A free line fewer, and the log cannot be cleaned. */
static void test_places(void)
{
    Ftl *ftl;

    begin_conv("");
    ftl = &ssd->conv.ftl;
    SET(ftl->free_count, ftl->free_count - 1);
    refused("conventional: 4 lines are free, 3 in the ring");
    close_free_lines();
    refused("drive: 0 places are free, 8 are needed");
    end();
}

/* Writes of zones are not in the log's queue. */
static void test_foreign_write(void)
{
    WriteQueue *queue;

    begin_conv("");
    drive->nsid = 1;
    drive_fill(drive, 0, 2);
    drive_copy(drive, LATER, 2, 0, 1);
    queue = &ssd->zns.writes[0];
    g_assert_cmpuint(queue->head_idx, !=, SSD_NONE);
    SET(ssd->conv.first_write_idx, queue->head_idx);
    SET(ssd->conv.last_write_idx, queue->head_idx);
    SET(queue->head_idx, SSD_NONE);
    SET(queue->tail_idx, SSD_NONE);
    refused("conventional: command 0 does not write here");
    drive_drain(drive);
    drive->nsid = 2;
    drive_write(drive, 2 * LATER, 0, 1);
    drive_drain(drive);
    drive_copy(drive, 3 * LATER, 2, 0, 1);
    g_assert_cmpuint(ssd->conv.first_write_idx, !=, SSD_NONE);
    SET(ssd->commands.at[ssd->conv.first_write_idx].write.data.zone_idx, 0);
    SET(queue->head_idx, ssd->conv.first_write_idx);
    SET(queue->tail_idx, ssd->conv.first_write_idx);
    SET(ssd->conv.first_write_idx, SSD_NONE);
    SET(ssd->conv.last_write_idx, SSD_NONE);
    refused("zones: command 0 does not write zone 0");
    end();
}

static void test_victim(void)
{
    Conv *conv;

    begin_conv("");
    conv = &ssd->conv;
    run_to_cleaning();
    SET(conv->programmed_pages[0], 7);
    refused("drive: pages of the victim 0: 7, must be 8");
    SET(conv->ops_left, 0);
    refused("conventional: line 0 is cleaned at row 0 of 4, stage 0, with 7 "
            "places and 0 operations left");
    SET(conv->row, conv->media->rows_per_block);
    refused("conventional: line 0 is cleaned at row 4 of 4, stage 0, with 7 "
            "places and 1 operations left");
    SET(conv->stage, CLEAN_ERASE);
    refused("conventional: line 0 is cleaned at row 0 of 4, stage 2, with 7 "
            "places and 1 operations left");
    for (uint32_t g = 0, left = 1; g < conv->ftl.granule_count; g++) {
        uint32_t place = ftl_place(&conv->ftl, g);

        if (place != FTL_NONE &&
            place / conv->ftl.line_places == conv->victim && left-- != 1) {
            SET(conv->ftl.place_of[g], 0);
        }
    }
    SET(conv->stage, CLEAN_ERASE);
    refused("conventional: line 0 is cleaned at row 0 of 4, stage 2, with 1 "
            "places and 1 operations left");
    SET(conv->row, 1);
    refused("drive: place 1 has been moved, and holds something");
    g_assert_false(ftl_is_valid(&conv->ftl, 0));
    for (uint32_t place = 1; place < conv->ftl.line_places; place++) {
        if (ftl_is_valid(&conv->ftl, place)) {
            SET(conv->ftl.place_of[conv->ftl.holds[place]], 0);
        }
    }
    SET(conv->row, 1);
    SET(conv->ftl.place_of[conv->ftl.holds[0]], 1);
    refused("drive: place 0 has been moved, and holds something");
    end();
}

/* --- Zones, their blocks, the buffer -------------------------------------- */

/* A zone that is open or closed is not written to its end. */
static void test_zone(void)
{
    ZoneEntry *zone;

    begin("max-active=4");
    drive_fill(drive, 0, 1);
    zone = &ssd->ns.at[0].zones.zones[0];
    SET(zone->wp_nlb, 15);
    SET(zone->end_nlb, 15);
    let_in();
    SET(zone->wp_nlb, 16);
    SET(zone->end_nlb, 16);
    refused("namespaces: zone 0 cannot be in state 2, with write pointer "
            "16, written up to 16 of 16; open 1, active 1, with a ZRWA 0, "
            "in the list of those opened implicitly 1");
    SET(zone->holds_active, false);
    refused("namespaces: zone 0 cannot be in state 2, with write pointer 1, "
            "written up to 1 of 16; open 1, active 0, with a ZRWA 0, in the "
            "list of those opened implicitly 1");
    end();

    begin_zrwa("max-active=4 max-open=4 max-zrwa=1");
    drive_write(drive, LATER, drive_zone_lba(drive, 1), 1);
    SET(ssd->ns.at[0].zones.zones[1].has_zrwa, true);
    refused("namespaces: 2 zones are open, 2 active, 2 with a ZRWA; at most "
            "4, 4 and 1 may be");
    end();
}

/* A write of a ZRWA does not wait for room; no command waits twice. */
static void test_room(void)
{
    uint32_t waiter_idx;
    WriteBuffer *buffer;
    TurnLine *line;

    begin("write-buffer=72K zone-buffer=36K max-open=1 max-active=1 "
          "program-registers=1 fe-read-ns=1000 " ZRWA);
    drive_write(drive, 0, 0, 9);
    drive_write(drive, 0, 9, 1);
    run_to(10);
    buffer = &ssd->buffer;
    g_assert_cmpuint(buffer->waiting_count, >, 0);
    line = buffer->turns.lines;
    while (line->first_waiter_idx == TURNS_NONE) {
        line++;
    }
    waiter_idx = line->first_waiter_idx;
    SET(ssd->commands.at[waiter_idx].write.in_zrwa, true);
    refused("drive: command 0 waits for room, and needs none");
    SET(ssd->commands.at[waiter_idx].writes, true);
    SET(ssd->zns.writes[0].head_idx, waiter_idx);
    SET(ssd->zns.writes[0].tail_idx, waiter_idx);
    refused("drive: command 0 waits for room, and needs none");
    drive_read(drive, 20, 16 * 3, 1);
    g_assert_cmpuint(ssd->entry.front.head_idx, !=, SSD_NONE);
    SET(buffer->turns.next_waiter_idx[line->last_waiter_idx],
        ssd->entry.front.head_idx);
    SET(line->last_waiter_idx, ssd->entry.front.head_idx);
    SET(buffer->turns.next_waiter_idx[ssd->entry.front.head_idx], TURNS_NONE);
    refused("drive: command 1 waits in two places");
    SET(buffer->holds_up, true);
    refused("drive: events of the front end 0: 1, must be 0");
    run_to(2000);
    SET(buffer->holds_up, true);
    refused("drive: the buffer holds up nobody");
    end();
}

/* What a program leaves is free again before the next one of its unit ends. */
static void test_release(void)
{
    WriteBuffer *buffer;
    FlashUnit *unit;
    UnitQueue *queue;
    uint64_t gone_at_ns;

    begin("write-buffer=72K zone-buffer=36K max-active=1 max-open=1 "
          "program-registers=2 buffer-release-ns=200000 reads-first=1 "
          "program-suspend=on suspend-ns=1000");
    drive_write(drive, 0, 0, 4);
    run_to(25000 + 700000);
    let_in();
    buffer = &ssd->buffer;
    unit = &ssd->media.flash.units[0];
    queue = &buffer->units[0];
    g_assert_cmpuint(queue->unreleased_bytes, ==, 4096);
    g_assert_cmpuint(unit->running_idx, !=, FLASH_NONE);
    gone_at_ns = queue->programmed_at_ns + 200000;
    SET(unit->run_until_at_ns, gone_at_ns + 1);
    let_in();
    SET(unit->run_until_at_ns, gone_at_ns);
    refused("drive: unit 0 gives back room too late");
    SET(queue->unreleased_bytes, 8192);
    refused("buffer: unit 0 has 8192 bytes of a page of 4096");
    drive_read(drive, drive->now_ns + 50000, 0, 1);
    run_to(drive->now_ns + 2000);
    g_assert_cmpuint(unit->suspended_idx, !=, FLASH_NONE);
    SET(unit->left_ns, gone_at_ns - ssd->run_at_ns + 1);
    let_in();
    SET(unit->left_ns, gone_at_ns - ssd->run_at_ns);
    refused("drive: unit 0 gives back room too late");
    end();
}

#define STRANDS "write-buffer=72K zone-buffer=36K max-active=1 max-open=1 " \
                "program-registers=1 page-turns=on "

/* Pages wait at their own units, and are the last ones of each strand. */
static void test_strands(void)
{
    begin(STRANDS);
    drive_write(drive, 0, 0, 9);
    run_to(100);
    g_assert_cmpuint(ssd->buffer.streams[0].formed_bytes, >, 4 * 4096);
    end();
}

/*
 * Unit 1 has a page of zone 0 when zone 1 begins: its first page goes to unit
 * 0, the second waits, and so does the third, which begins the next stripe.
 */
static void test_next_stripe(void)
{
    begin("channels=2 program-registers=1 zones=2 write-buffer=64K "
          "page-turns=on");
    drive_write(drive, 0, 0, 1);
    drive_write(drive, 500000, 1, 1);
    drive_write(drive, 800000, drive_zone_lba(drive, 1), 4);
    run_to(800001);
    g_assert_cmpuint(ssd->buffer.streams[1].formed_bytes, ==, 3 * 4096);
    g_assert_cmpuint(ssd->buffer.streams[1].stripe_left, ==, 1);
    end();
}

/* A finish fills no page behind its zone's end, and has one to fill. */
static void test_fill(void)
{
    Stream *stream;
    JobWork *work;

    begin(STRANDS);
    drive_fill(drive, 0, 2);
    drive_write(drive, LATER, 2, 2);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    run_to(LATER + 1000);
    stream = &ssd->buffer.streams[0];
    g_assert_cmpuint(stream->fill_job_idx, !=, SSD_NONE);
    work = &ssd->media.works[stream->fill_job_idx];
    SET(stream->fill_from_page, 15);
    SET(work->next_page, 16 - stream->fill_left);
    SET(work->chunk_end_page, 16);
    refused("drive: zone 0 is to fill page 16, its stripe ends at 16");
    SET(work->next_page, work->chunk_end_page);
    refused("drive: job 0 has nothing to fill");
    end();
}

/* All zones together have no more in the buffer than it has room for. */
static void test_buffer_bytes(void)
{
    begin("write-buffer=72K zone-buffer=36K max-open=1 max-active=1 "
          "program-registers=1");
    for (uint32_t i = 0; i < 3; i++) {
        SET(ssd->buffer.streams[i].used_bytes, 36 * 1024);
    }
    refused("buffer: zones use 110592 bytes of 73728");
    end();
}

/* A zone waits for a seat of its namespace; a part of a page has one. */
static void test_seats(void)
{
    Seats *seats;

    begin("channels=1 program-registers=1 zones=8 page-size=16K namespaces=2 "
          "write-buffer=64K max-active=1 take-turns=on");
    seats = &ssd->zns.seats;
    for (uint32_t i = 0; i < 4; i++) {
        drive_write(drive, 0, drive_zone_lba(drive, i), 3);
        drive_write(drive, 0, drive_zone_lba(drive, i) + 3, 13);
    }
    run_to(100);
    g_assert_cmpuint(seats->zones[1].state, ==, SEAT_TAKEN);
    g_assert_cmpuint(seats->lines[0].first_zone_idx, ==, 2);
    swap(&seats->lines[0].first_zone_idx, &seats->lines[1].first_zone_idx);
    swap(&seats->lines[0].last_zone_idx, &seats->lines[1].last_zone_idx);
    refused("zones: zone 2 waits for another namespace's seat");
    while (!wbuf_has_part(&ssd->buffer, 1)) {
        run_to(ssd_next_at_ns(ssd));
    }
    SET(seats->zones[1].state, SEAT_NONE);
    refused("zones: zone 1 has a part of a page in the buffer, and no seat");
    end();
}

/* --- Lines that take turns ------------------------------------------------ */

/* Reads of two namespaces wait for slots: each in its namespace's lines. */
static void test_groups(void)
{
    TurnGroup *groups;

    begin("namespaces=2 take-turns=on read-slots=2 zones=4");
    for (uint32_t i = 0; i < 2; i++) {
        drive->nsid = 1 + i;
        drive_fill(drive, 0, 4);
    }
    for (uint32_t i = 0; i < 4; i++) {
        drive->nsid = 1 + i / 2;
        drive_read(drive, LATER, i, 1);
    }
    groups = ssd->entry.read_slots.turns.groups;
    swap(&groups[0].first_line_idx, &groups[1].first_line_idx);
    swap(&groups[0].last_line_idx, &groups[1].last_line_idx);
    refused("entry: line 2 is in group 0");
    drive_drain(drive);
    end();
}

/* A line without waiters has no turn. */
static void test_idle_line(void)
{
    Turns *turns;

    begin("take-turns=on read-slots=2");
    turns = &ssd->entry.read_slots.turns;
    SET(turns->groups[0].first_line_idx, 1);
    SET(turns->groups[0].last_line_idx, 1);
    SET(turns->lines[1].next_line_idx, TURNS_NONE);
    refused("entry: line 1 has a turn: 1, must be 0");
    end();
}

/* What is safe is what it was: power cuts leave the same. */
static void test_cache(void)
{
    GByteArray *bytes, *loaded_bytes;
    Ssd *loaded, *cut, *loaded_cut;

    begin("write-cache=volatile write-buffer=96K zone-buffer=48K max-active=1 "
          "max-open=1 program-registers=1 page-size=16K");
    drive_write(drive, 0, 0, 7);
    drive_flush(drive, 1);
    drive_drain(drive);
    drive_write(drive, drive->now_ns, 7, 4);
    drive_drain(drive);
    bytes = ssd_save(ssd);
    loaded = ssd_load(&drive->params, bytes->data, bytes->len, NULL);
    g_byte_array_unref(bytes);
    for (uint64_t seed = 0; seed < 32; seed++) {
        cut = ssd_power_cut(ssd, drive->now_ns, seed);
        loaded_cut = ssd_power_cut(loaded, drive->now_ns, seed);
        bytes = ssd_save(cut);
        loaded_bytes = ssd_save(loaded_cut);
        g_assert_cmpmem(bytes->data, bytes->len, loaded_bytes->data,
                        loaded_bytes->len);
        g_byte_array_unref(bytes);
        g_byte_array_unref(loaded_bytes);
        ssd_free(cut);
        ssd_free(loaded_cut);
    }
    ssd_free(loaded);
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-rooms/lines", test_lines);
    g_test_add_func("/sound-rooms/free-fetch", test_free_fetch);
    g_test_add_func("/sound-rooms/fresh", test_fresh);
    g_test_add_func("/sound-rooms/pieces", test_pieces);
    g_test_add_func("/sound-rooms/moving-read", test_moving_read);
    g_test_add_func("/sound-rooms/moving-erase", test_moving_erase);
    g_test_add_func("/sound-rooms/read-queues", test_read_queues);
    g_test_add_func("/sound-rooms/read-bytes", test_read_bytes);
    g_test_add_func("/sound-rooms/ahead-op", test_ahead_op);
    g_test_add_func("/sound-rooms/owner", test_owner);
    g_test_add_func("/sound-rooms/points", test_points);
    g_test_add_func("/sound-rooms/tokens", test_tokens);
    g_test_add_func("/sound-rooms/no-memory", test_no_memory);
    g_test_add_func("/sound-rooms/granules", test_granules);
    g_test_add_func("/sound-rooms/write-ids", test_write_ids);
    g_test_add_func("/sound-rooms/places", test_places);
    g_test_add_func("/sound-rooms/foreign-write", test_foreign_write);
    g_test_add_func("/sound-rooms/victim", test_victim);
    g_test_add_func("/sound-rooms/zone", test_zone);
    g_test_add_func("/sound-rooms/room", test_room);
    g_test_add_func("/sound-rooms/release", test_release);
    g_test_add_func("/sound-rooms/cache", test_cache);
    g_test_add_func("/sound-rooms/strands", test_strands);
    g_test_add_func("/sound-rooms/next-stripe", test_next_stripe);
    g_test_add_func("/sound-rooms/fill", test_fill);
    g_test_add_func("/sound-rooms/buffer-bytes", test_buffer_bytes);
    g_test_add_func("/sound-rooms/seats", test_seats);
    g_test_add_func("/sound-rooms/groups", test_groups);
    g_test_add_func("/sound-rooms/idle-line", test_idle_line);
    return g_test_run();
}
