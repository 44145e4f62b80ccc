/*
 * What is read is sound: a count that is of nothing, or something that is not
 * counted, breaks the rule that is said here, and so does the first or the last
 * of many of a kind. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

/* --- Commands and jobs -------------------------------------------------- */

/* A command that waits for nothing leaves. */
static void test_leaves(void)
{
    EventLane *lane;

    begin("fixed-read-ns=1000000");
    drive_fill(drive, 0, 2);
    drive_read(drive, LATER, 0, 1);
    run_to(LATER + 100000);
    drive_read(drive, LATER + 100000, 1, 1);
    lane = &ssd->events.lanes[LANE_READS_LEAVE];
    g_assert_cmpuint(lane->count, ==, 1);
    SET(lane->count, 0);
    refused("drive: command 0 waits for 0 things, is to write 0, is in the "
            "queue 0, and leaves 0 times");
    end();
}

/* The second job is as sound as the first. */
static void test_last_job(void)
{
    Jobs *jobs;

    begin("zones=4 max-active=4 reset-base-ns=200000");
    for (uint32_t z = 0; z < 2; z++) {
        drive_fill(drive, z, 2);
    }
    for (uint32_t z = 0; z < 2; z++) {
        drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, z);
    }
    run_to(LATER + 1000);
    jobs = &ssd->zns.jobs;
    SET(jobs->at[1].waits, true);
    refused("drive: wake-ups of job 1: 0, must be 1");
    SET(jobs->at[1].command_idx, jobs->at[0].command_idx);
    refused("drive: job 1 is in the list of command 1");
    end();
}

/* All jobs of a Select All that run are counted, the first of the pool, too. */
static void test_select_all(void)
{
    Jobs *jobs;

    begin("zones=4 mgmt-parallel-zones=2");
    drive_fill(drive, 0, 1);
    drive_fill(drive, 1, 1);
    drive_all_zones(drive, LATER, SSD_OP_ZONE_FINISH);
    run_to(LATER + 1000);
    jobs = &ssd->zns.jobs;
    g_assert_cmpuint(jobs->at[0].command_idx, ==, jobs->select_all_head_idx);
    g_assert_true(jobs->at[0].may_start);
    g_assert_cmpuint(jobs->select_all_running, ==, 2);
    let_in();
    end();
}

/* --- Units and streams -------------------------------------------------- */

/* A unit that is idle has no steps to do. */
static void test_idle(void)
{
    begin_locked();
    g_assert_cmpuint(ssd->media.flash.units[1].running_idx, ==, FLASH_NONE);
    SET(ssd->media.flash.units[1].steps_waiting, 1);
    refused("drive: unit 1 is idle, and has something to do");
    end();
}

/* Nor does it leave what it has suspended. */
static void test_left_suspended(void)
{
    FlashUnit *unit;

    begin("channels=1 reads-first=1 program-suspend=on");
    drive_write(drive, LATER, 0, 1);
    run_to(LATER + 100000);
    unit = &ssd->media.flash.units[0];
    g_assert_cmpuint(unit->running_idx, !=, FLASH_NONE);
    SET(ssd->media.flash.tokens[unit->running_idx].has_event, false);
    SET(ssd->events.lanes[FLASH_LANE_PROGRAMS].count, 0);
    SET(unit->suspended_idx, unit->running_idx);
    SET(unit->running_idx, FLASH_NONE);
    refused("drive: unit 0 is idle, and has something to do");
    end();
}

/* A stream is within its zone, and what is read of it before its next byte. */
static void test_stream(void)
{
    AheadStream *stream;

    begin("read-ahead=16K read-ahead-streams=2 zones=4");
    drive_fill(drive, 0, 16);
    drive_expect(drive, drive_read(drive, LATER, 0, 1), LATER + 85000);
    drive_read(drive, LATER + 1000000, 1, 1);
    stream = &ssd->prefetch.ahead.streams[0];
    g_assert_cmpuint(stream->next_bytes, ==, 8192);
    SET(stream->inside_bytes, 8193);
    refused("read-ahead: stream 0 is at byte 8192 and line 5 of a zone of "
            "65536 bytes, 8193 of which are being read");
    SET(stream->next_bytes, 65537);
    refused("read-ahead: stream 0 is at byte 65537 and line 5 of a zone of "
            "65536 bytes, 4096 of which are being read");
    end();
}

/* Only a read is of a row of reads. */
static void test_row(void)
{
    Command *command;

    begin("read-ahead=16K zones=4");
    drive_write(drive, 0, 0, 1);
    command = &ssd->commands.at[0];
    g_assert_cmpint(command->done.op, ==, SSD_OP_WRITE);
    SET(command->ahead_stream_idx, 0);
    SET(command->ahead_row, 1);
    refused("drive: command 0 is of no row of reads");
    drive_drain(drive);
    command = &ssd->commands.at[ssd->commands.free_idx];
    drive_read(drive, LATER, 0, 1);
    let_in();
    SET(command->ahead_stream_idx, AHEAD_NONE);
    refused("drive: command 0 is of no row of reads");
    end();
}

/* Only a read of less than 4 KiB keeps slots of others, and no more than are. */
static void test_kept_slots(void)
{
    Command *command;

    begin("zones=4 lba-size=512 read-slots=3 fe-read-ns=100");
    drive_fill(drive, 0, 2);
    command = &ssd->commands.at[ssd->commands.free_idx];
    drive_read(drive, LATER, 0, 7);
    let_in();
    SET(command->kept_slots, 2);
    let_in();
    SET(command->kept_slots, 3);
    refused("drive: 4 reads are inside, there are 3 slots");
    SET(command->kept_slots, 2);
    SET(command->target.end_bytes, 4096);
    refused("drive: command 0 keeps 2 slots of other reads");
    end();
}

/* The first fetch and the last have an operation only if they are in use. */
static void test_fetches(void)
{
    const Ahead *ahead;
    FlashOp *op;

    begin("read-ahead=16K read-ahead-streams=2 zones=4 channels=1");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    ahead = &ssd->prefetch.ahead;
    g_assert_cmpuint(ahead->fresh_fetch_idx, ==, 0);
    op = &ssd->media.flash.tokens[ssd->media.flash.units[0].running_idx].op;
    SET(op->owner.word, owner_of(OWNER_AHEAD, 0).word);
    refused("drive: operations of fetch 0: 1, must be 0");
    SET(op->owner.word, owner_of(OWNER_AHEAD, 7).word);
    refused("drive: operations of fetch 7: 1, must be 0");
    end();
}

/* Who cleans, or nobody, is one. */
static void test_owner_idx(void)
{
    FlashOp *op;

    begin("channels=1");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    op = &ssd->media.flash.tokens[ssd->media.flash.units[0].running_idx].op;
    SET(op->owner.word, owner_of(OWNER_CLEANING, 1).word);
    refused("flash: op.owner of token_rows[0] is 1610612737, must be at most "
            "4294967295");
    SET(op->owner.word, owner_of(OWNER_NONE, 1).word);
    refused("flash: op.owner of token_rows[0] is 1, must be at most "
            "4294967295");
    end();
}

/* What crosses the link has an event. */
static void test_link(void)
{
    begin("link-in-ns=256000000 write-buffer=64K program-registers=1 "
          "max-active=1 max-open=1");
    drive_write(drive, 0, 0, 1);
    run_to(10);
    g_assert_cmpuint(ssd->link.count, ==, 1);
    g_assert_cmpuint(ssd->events.lanes[LANE_LINK].count, ==, 1);
    SET(ssd->events.lanes[LANE_LINK].count, 0);
    refused("drive: events of the link 0: 0, must be 1");
    end();
}

/* A portion that is not the last is of a command that is inside. */
static void test_portion(void)
{
    uint32_t *command_idx;

    begin("link-in-ns=256000000 write-buffer=64K program-registers=1 "
          "buffer-portion=4K max-active=1 max-open=1");
    drive_write(drive, 0, 0, 2);
    run_to(10);
    g_assert_false(link_portion(&ssd->link, 0)->is_last);
    command_idx = (uint32_t *)&link_portion(&ssd->link, 0)->command_idx;
    SET(*command_idx, 1);
    refused("drive: portion 0 of 4096 bytes is not the last");
    end();
}

/* Values of the first operation are counted, and those of the last. */
static void test_histograms(void)
{
    begin("");
    SET(ssd->stats.ops[0].latency_ns.count, 1);
    refused("drive: the buckets of read do not hold 1 values");
    SET(ssd->stats.ops[SSD_OP_COUNT - 1].latency_ns.count, 1);
    refused("drive: the buckets of shutdown do not hold 1 values");
    end();
}

/* What takes no time is done at once, and is no event. */
static void test_at_once(void)
{
    begin("");
    drive_zone_op(drive, 0, SSD_OP_ZONE_OPEN, 0);
    g_assert_cmpuint(ssd->ready_count, ==, 1);
    g_assert_cmpuint(ssd->events.lanes[LANE_LEAVE].count, ==, 0);
    drive_drain(drive);
    end();
}

/* The first parameter is the same, too. */
static void test_params(void)
{
    uint64_t zones;

    begin("zones=4");
    zones = drive->params.zones;
    drive->params.zones = 8;
    refused("the state: it is of a drive with zones=4, this one has zones=8");
    drive->params.zones = zones;
    end();
}

/* --- The write buffer --------------------------------------------------- */

/* Who gives back room has something to give back, and an event for it. */
static void test_releases(void)
{
    UnitQueue *queue;

    begin("write-buffer=72K zone-buffer=36K max-active=1 max-open=1 "
          "program-registers=2 buffer-release-ns=200000");
    drive_write(drive, 0, 0, 1);
    run_to(25000 + 700000);
    queue = &ssd->buffer.units[0];
    g_assert_cmpuint(queue->unreleased_bytes, ==, 4096);
    SET(queue->unreleased_bytes, 0);
    SET(ssd->buffer.streams[0].used_bytes, 0);
    refused("drive: releases of unit 0: 1, must be 0");
    drive_drain(drive);
    drive_write(drive, LATER, 1, 1);
    run_to(LATER + 25000 + 700000);
    queue = &ssd->buffer.units[1];
    g_assert_cmpuint(queue->unreleased_bytes, ==, 4096);
    SET(queue->unreleased_bytes, 0);
    SET(ssd->buffer.streams[0].used_bytes, 0);
    refused("drive: releases of unit 1: 1, must be 0");
    end();
}

/* Who fills a zone is a finish of that zone. */
static void test_fill_of_zone(void)
{
    begin("write-buffer=72K zone-buffer=36K max-active=1 max-open=1 "
          "program-registers=1");
    drive_fill(drive, 0, 2);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    run_to(LATER + 1000);
    g_assert_cmpuint(ssd->buffer.streams[0].fill_job_idx, ==, 0);
    SET(ssd->buffer.streams[1].fill_job_idx, 0);
    refused("drive: zone 1 is filled by job 0, which is another");
    end();
}

/* A program of the buffer is of its zone. */
static void test_program_of_zone(void)
{
    Flash *flash;

    begin("write-buffer=64K program-registers=1 max-active=1 max-open=1");
    drive_write(drive, 0, 0, 1);
    run_to(100000);
    flash = &ssd->media.flash;
    SET(flash->tokens[flash->units[0].running_idx].op.owner.word,
        owner_of(OWNER_BUFFER, 1).word);
    refused("drive: operation 0 of kind 2 and place 0 has an owner of kind 3");
    end();
}

/* A page is of a zone: one that is of none. */
static void test_lost_page(void)
{
    Strand *strand;

    begin("channels=1 program-registers=1 write-buffer=72K zone-buffer=36K "
          "max-active=1 max-open=1");
    drive_write(drive, 0, 0, 2);
    run_to(100);
    strand = &ssd->buffer.strands[0];
    g_assert_cmpuint(strand->first_page_idx, !=, SSD_NONE);
    g_assert_cmpuint(strand->first_page_idx, ==, strand->last_page_idx);
    SET(strand->first_page_idx, SSD_NONE);
    SET(strand->last_page_idx, SSD_NONE);
    refused("buffer: 1 pages are of no zone");
    end();
}

/* Only who asks for a flush has asked for one. */
static void test_asked(void)
{
    begin("write-cache=volatile");
    drive_write(drive, 0, 0, 1);
    drive_io(drive, 0, SSD_OP_IDENTIFY, 0, 0);
    g_assert_cmpuint(ssd->zns.cache.asked_number, ==, 0);
    drive_flush(drive, 0);
    g_assert_cmpuint(ssd->zns.cache.asked_number, ==, 3);
    drive_io(drive, 0, SSD_OP_SHUTDOWN, 0, 0);
    g_assert_cmpuint(ssd->zns.cache.asked_number, ==, 4);
    end();
}

/* Without a buffer no program is of one, of whatever zone. */
static void test_no_buffer(void)
{
    for (uint32_t z = 0; z < 4; z += 3) {
        g_autofree char *wanted =
            g_strdup_printf("drive: programs of the buffer, of zone %u: 1, "
                            "must be 0", z);
        Flash *flash;

        begin("zones=4");
        drive_write(drive, 0, drive_zone_lba(drive, z), 2);
        run_to(30000);
        flash = &ssd->media.flash;
        SET(flash->tokens[flash->units[0].running_idx].op.owner.word,
            owner_of(OWNER_BUFFER, z).word);
        SET(ssd->commands.at[0].parts_left, 1);
        refused(wanted);
        end();
    }
}

/* The first line stands aside without need, as any other may. */
static void test_aside(void)
{
    Turns *turns;

    begin("write-buffer=64K zone-buffer=24K max-active=4 program-registers=1 "
          "buffer-portion=4K take-turns=on");
    for (uint32_t i = 0; i < 3; i++) {
        drive_write(drive, 0, drive_zone_lba(drive, 2 - i), 6);
    }
    run_to(1);
    turns = &ssd->buffer.turns;
    let_in();
    SET(turns->lines[0].is_aside, true);
    SET(turns->groups[0].first_line_idx, TURNS_NONE);
    SET(turns->first_group_idx, TURNS_NONE);
    refused("drive: line 0 stands aside, and has room");
    end();
}

/* The first line has no turn without waiters, as no other has. */
static void test_first_line(void)
{
    Turns *turns;

    begin("take-turns=on read-slots=2");
    turns = &ssd->entry.read_slots.turns;
    SET(turns->groups[0].first_line_idx, 0);
    SET(turns->groups[0].last_line_idx, 0);
    SET(turns->lines[0].next_line_idx, TURNS_NONE);
    refused("entry: line 0 has a turn: 1, must be 0");
    end();
}

/* As many seats as zones: nobody waits, and no state says who has one. */
static void test_no_seats(void)
{
    begin("zones=4 program-registers=1 write-buffer=96K page-size=16K "
          "channels=1 max-active=4 take-turns=on");
    g_assert_null(ssd->zns.seats.zones);
    end();
    begin("zones=4 program-registers=1 write-buffer=80K page-size=16K "
          "channels=1 max-active=3 take-turns=on");
    g_assert_nonnull(ssd->zns.seats.zones);
    end();
}

/* --- Zones and their superblocks ----------------------------------------- */

/* A size of blocks is one that the drive can be formatted with. */
static void test_blocks(void)
{
    begin("");
    SET(ssd->ns.at[0].lba_bytes, 512 + 4096);
    refused("namespaces: a namespace cannot have blocks of 4608 bytes");
    SET(ssd->ns.at[0].lba_bytes, 1024);
    refused("namespaces: a namespace cannot have blocks of 1024 bytes");
    end();
}

/* A zone that is watched is in the list of its phase: the first, the last. */
static void test_watched(void)
{
    Watch *watch;

    begin("excursion-ns=40000000");
    drive_fill(drive, 0, 1);
    watch = &ssd->zns.watch;
    g_assert_cmpuint(watch->lists[WATCH_ACTIVE].oldest_idx, ==, 0);
    SET(watch->lists[WATCH_ACTIVE].oldest_idx, SSD_NONE);
    SET(watch->lists[WATCH_ACTIVE].newest_idx, SSD_NONE);
    refused("watch: zone 0 is in list 0, must be in 1");
    drive_write(drive, LATER, drive_zone_lba(drive, 3), 1);
    run_to(LATER + 1000000);
    g_assert_cmpuint(watch->lists[WATCH_ACTIVE].newest_idx, ==, 3);
    SET(watch->lists[WATCH_ACTIVE].oldest_idx, SSD_NONE);
    SET(watch->lists[WATCH_ACTIVE].newest_idx, SSD_NONE);
    refused("watch: zone 3 is in list 0, must be in 1");
    end();
}

/* The first superblock and the last are somewhere: in a pool, or a zone's. */
static void test_superblocks(void)
{
    SuperblockPool *pool;
    SuperblockTable *table;
    uint32_t last_idx;

    begin("mapping=remap spare-superblocks=2 zones=4");
    table = &ssd->media.superblocks;
    pool = &table->pools[SUPERBLOCK_FREE];
    last_idx = pool->tail_idx;
    g_assert_cmpuint(last_idx, ==, table->count - 1);
    SET(pool->tail_idx, last_idx - 1);
    SET(table->superblocks[last_idx - 1].next_idx, SUPERBLOCK_NONE);
    refused("superblocks: superblock 5 is nowhere");
    SET(table->of_zone[0], SUPERBLOCK_NONE);
    refused("superblocks: superblock 0 is nowhere");
    end();
}

/* --- Finishes and resets ------------------------------------------------- */

/* A finish that waits for its turn does not run. */
static void test_fills(void)
{
    Jobs *jobs;

    begin("fe-finish-ns=10000");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    run_to(LATER + 100);
    jobs = &ssd->zns.jobs;
    g_assert_cmpuint(jobs->newest_fill_idx, ==, SSD_NONE);
    SET(jobs->newest_fill_idx, jobs->zones[0].head_idx);
    SET(jobs->at[jobs->zones[0].head_idx].older_fill_idx, SSD_NONE);
    SET(jobs->at[jobs->zones[0].head_idx].newer_fill_idx, SSD_NONE);
    refused("drive: job 0 is no running finish");
    end();
}

/* Where nothing limits it, no step waits for host I/O, and none is noted. */
static void test_no_stall(void)
{
    begin("");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    run_to(LATER + 1000);
    g_assert_cmpuint(ssd->zns.jobs.at[0].stall_until_at_ns, ==, 0);
    end();
}

/* A reset that is managed has an event for its phase. */
static void test_phase(void)
{
    begin_locked();
    run_to(LATER + 900000);
    g_assert_cmpuint(ssd->reset.steps_begun, ==, ssd->reset.steps);
    g_assert_cmpuint(ssd->events.count, ==, 1);
    SET(ssd->events.count, 0);
    refused("drive: events of resets 0: 0, must be 1");
    end();
}

/* A zone's first write has as many erases as it waits for. */
static void test_first_erases(void)
{
    begin("");
    SET(ssd->media.first_erases[0], 1);
    refused("drive: first erases of zone 0: 1, must be 0");
    SET(ssd->media.first_erases[3], 1);
    refused("drive: first erases of zone 3: 1, must be 0");
    end();
}

/* A write that waits is one that is to write. */
static void test_writes(void)
{
    begin("");
    drive_fill(drive, 0, 1);
    drive_copy(drive, LATER, drive_zone_lba(drive, 1), 0, 1);
    g_assert_cmpuint(ssd->zns.writes[1].head_idx, ==, 0);
    SET(ssd->commands.at[0].writes, false);
    refused("zones: command 0 does not write zone 1");
    end();
}

/* What was empty was written nowhere. */
static void test_was_empty(void)
{
    Job *job;

    begin("");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    job = &ssd->zns.jobs.at[0];
    SET(job->was.state, SSD_ZONE_EMPTY);
    SET(job->was.wp_nlb, 0);
    g_assert_cmpuint(job->was.end_nlb, ==, 1);
    refused("zones: job 0 began with a zone in state 1, with write pointer 0, "
            "written up to 1");
    end();
}

/* A zone of the second namespace does not wait for a seat of the first. */
static void test_seats_of_second(void)
{
    SeatLine *lines;

    begin("channels=1 program-registers=1 zones=8 page-size=16K namespaces=2 "
          "write-buffer=64K max-active=1 take-turns=on");
    drive->nsid = 2;
    for (uint32_t i = 0; i < 4; i++) {
        drive_write(drive, 0, drive_zone_lba(drive, i), 3);
        drive_write(drive, 0, drive_zone_lba(drive, i) + 3, 13);
    }
    run_to(100);
    lines = ssd->zns.seats.lines;
    g_assert_cmpuint(lines[1].first_zone_idx, ==, 6);
    swap(&lines[0].first_zone_idx, &lines[1].first_zone_idx);
    swap(&lines[0].last_zone_idx, &lines[1].last_zone_idx);
    refused("zones: zone 6 waits for another namespace's seat");
    end();
}

/* --- Programs that are awaited ------------------------------------------- */

/* A ring of epochs, one more than may be awaited, is used in turn. */
static void test_epochs(void)
{
    Programs *programs;

    begin("cmd-slots=2");
    programs = &ssd->media.programs;
    g_assert_cmpuint(programs->size, ==, 3);
    for (uint32_t i = 1; i < 6; i++) {
        drive_write(drive, drive->now_ns, i - 1, 1);
        drive_flush(drive, drive->now_ns);
        g_assert_cmpuint(programs->current, ==, i % 3);
        drive_drain(drive);
    }
    SET(programs->pending[0], 1);
    refused("drive: programs of epoch 0: 1, must be 0");
    end();
}

/* It is a flush that waits for an epoch. */
static void test_awaited(void)
{
    Programs *programs;

    begin("program-registers=1");
    drive_write(drive, LATER, 0, 2);
    drive_flush(drive, LATER + 1);
    run_to(LATER + 2);
    programs = &ssd->media.programs;
    g_assert_cmpuint(programs->flush_idx[programs->oldest], ==, 1);
    SET(programs->flush_idx[programs->oldest], 0);
    refused("drive: epoch 0 is awaited by command 0, which is no flush");
    end();
}

/* --- Lines of the conventional namespace --------------------------------- */

/* A line has the pages that its state says, and one that is ready has all. */
static void test_line_pages(void)
{
    Conv *conv;

    begin_conv("");
    conv = &ssd->conv;
    drive_write(drive, 0, 0, 12);
    drive_drain(drive);
    g_assert_cmpint(conv->ftl.lines[0].state, ==, FTL_LINE_CLOSED);
    g_assert_cmpint(conv->ftl.lines[1].state, ==, FTL_LINE_OPEN);
    g_assert_true(conv->ftl.lines[0].ready);
    SET(conv->ftl.lines[0].ready, false);
    refused("drive: ready is closed line 0: 0, must be 1");
    SET(conv->programmed_pages[0], 7);
    refused("drive: pages of closed line 0: 7, must be 8");
    SET(conv->programmed_pages[1], 3);
    refused("drive: pages of open line 1: 3, must be 4");
    SET(conv->programmed_pages[2], 1);
    refused("drive: pages of free line 2: 1, must be 0");
    end();
}

/* The longest write that begins within a granule is of one granule more. */
static void test_halves(void)
{
    const Command *command;

    begin("namespaces=1 conventional-size=64K conventional-buffer=on "
          "program-registers=1 buffer-portion=4K max-open=1 max-active=1 "
          "cmd-slots=8 write-buffer=16K lba-size=512 mdts=8K");
    drive->nsid = 2;
    drive_write(drive, 0, 0, 16);
    drive_write(drive, 0, 16, 16);
    drive_write(drive, 0, 39, 16);
    run_to(10);
    command = &ssd->commands.at[0];
    g_assert_true(command->is_promised);
    g_assert_cmpuint(command->write.data.begin_bytes, ==, 4 * 4096);
    g_assert_cmpuint(command->write.data.end_bytes, ==, 7 * 4096);
    let_in();
    end();
}

/* A line that is free is enough for what its cleaning needs. */
static void test_free_places(void)
{
    Ftl *ftl;

    begin_conv("");
    ftl = &ssd->conv.ftl;
    while (ftl->free_count > 1) {
        close_free_line();
    }
    let_in();
    end();
}

/* No finish fills the log. */
static void test_log_fill(void)
{
    begin("conventional-buffer=on program-registers=1 max-open=1 "
          "max-active=1 conventional-size=64K write-buffer=64K");
    SET(ssd->buffer.streams[ssd->params.zones].fill_job_idx, 0);
    refused("buffer: the log is a zone: job 0, abandoned 0");
    end();
}

/* A deallocation may have more ranges than a copy. */
static void test_many_ranges(void)
{
    SsdRange ranges[SSD_COPY_RANGES_MAX + 1];

    begin_conv("fe-read-ns=1000000");
    for (unsigned i = 0; i < G_N_ELEMENTS(ranges); i++) {
        ranges[i] = (SsdRange) { .slba = 0, .nlb = 1 };
    }
    drive_read(drive, 0, 0, 1);
    drive_deallocate(drive, 0, ranges, G_N_ELEMENTS(ranges));
    g_assert_cmpuint(ssd->commands.at[1].range_count, ==,
                     SSD_COPY_RANGES_MAX + 1);
    let_in();
    end();
}

/* A page of the log has the places of the open line that are not programmed. */
static void test_log_part(void)
{
    begin("conventional-buffer=on program-registers=1 max-open=1 "
          "max-active=1 conventional-size=256K page-size=16K "
          "write-buffer=256K");
    drive->nsid = 2;
    drive_write(drive, 0, 0, 3);
    run_to(1000);
    g_assert_cmpuint(ssd->buffer.streams[ssd->params.zones].held_bytes, ==,
                     3 * 4096);
    SET(ssd->buffer.streams[ssd->params.zones].held_bytes, 2 * 4096);
    SET(ssd->buffer.streams[ssd->params.zones].used_bytes, 2 * 4096);
    refused("drive: bytes of a page of the log 0: 8192, must be 12288");
    end();
}

/* Of two reads with lists, one of which was a write, one is too many. */
static void test_read_lists(void)
{
    Command *command;

    begin("read-slots=4 read-lists=1");
    drive_fill(drive, 0, 4);
    drive_write(drive, LATER, 4, 3);
    command = ssd->commands.at;
    while (command->done.op != SSD_OP_WRITE || command->parts_left == 0) {
        command++;
    }
    drive_read(drive, LATER + 1, 0, 3);
    SET(command->done.op, SSD_OP_READ);
    command->target = (Span) { 0, 0, 3 * 4096 };
    refused("drive: 2 reads with lists are inside, there are 1 lists");
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-counts/leaves", test_leaves);
    g_test_add_func("/sound-counts/last-job", test_last_job);
    g_test_add_func("/sound-counts/select-all", test_select_all);
    g_test_add_func("/sound-counts/idle", test_idle);
    g_test_add_func("/sound-counts/left-suspended", test_left_suspended);
    g_test_add_func("/sound-counts/stream", test_stream);
    g_test_add_func("/sound-counts/row", test_row);
    g_test_add_func("/sound-counts/kept-slots", test_kept_slots);
    g_test_add_func("/sound-counts/fetches", test_fetches);
    g_test_add_func("/sound-counts/owner-idx", test_owner_idx);
    g_test_add_func("/sound-counts/link", test_link);
    g_test_add_func("/sound-counts/params", test_params);
    g_test_add_func("/sound-counts/portion", test_portion);
    g_test_add_func("/sound-counts/histograms", test_histograms);
    g_test_add_func("/sound-counts/at-once", test_at_once);
    g_test_add_func("/sound-counts/fill-of-zone", test_fill_of_zone);
    g_test_add_func("/sound-counts/program-of-zone", test_program_of_zone);
    g_test_add_func("/sound-counts/free-places", test_free_places);
    g_test_add_func("/sound-counts/lost-page", test_lost_page);
    g_test_add_func("/sound-counts/asked", test_asked);
    g_test_add_func("/sound-counts/releases", test_releases);
    g_test_add_func("/sound-counts/no-buffer", test_no_buffer);
    g_test_add_func("/sound-counts/aside", test_aside);
    g_test_add_func("/sound-counts/first-line", test_first_line);
    g_test_add_func("/sound-counts/no-seats", test_no_seats);
    g_test_add_func("/sound-counts/blocks", test_blocks);
    g_test_add_func("/sound-counts/watched", test_watched);
    g_test_add_func("/sound-counts/superblocks", test_superblocks);
    g_test_add_func("/sound-counts/fills", test_fills);
    g_test_add_func("/sound-counts/no-stall", test_no_stall);
    g_test_add_func("/sound-counts/phase", test_phase);
    g_test_add_func("/sound-counts/seats-of-second", test_seats_of_second);
    g_test_add_func("/sound-counts/epochs", test_epochs);
    g_test_add_func("/sound-counts/awaited", test_awaited);
    g_test_add_func("/sound-counts/line-pages", test_line_pages);
    g_test_add_func("/sound-counts/halves", test_halves);
    g_test_add_func("/sound-counts/log-part", test_log_part);
    g_test_add_func("/sound-counts/first-erases", test_first_erases);
    g_test_add_func("/sound-counts/writes", test_writes);
    g_test_add_func("/sound-counts/was-empty", test_was_empty);
    g_test_add_func("/sound-counts/log-fill", test_log_fill);
    g_test_add_func("/sound-counts/many-ranges", test_many_ranges);
    g_test_add_func("/sound-counts/read-lists", test_read_lists);
    return g_test_run();
}
