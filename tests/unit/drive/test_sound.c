/*
 * A drive that is read is sound as a whole: its commands, its jobs, and what
 * these wait for. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

/* --- Commands ------------------------------------------------------------- */

/* More are inside than there are slots, with those that wait to be polled. */
static void test_slots(void)
{
    begin("cmd-slots=2");
    drive_fill(drive, 0, 2);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER + 100000, 1, 1);
    g_assert_cmpuint(ssd->ready_count, ==, 1);
    ssd->ready[1] = ssd->ready[0];
    SET(ssd->ready_count, 2);
    refused("drive: 3 commands are inside, there are 2 slots");
    end();
}

/* A command has its latency once. */
static void test_leaves_twice(void)
{
    EventLane *lane;

    begin("fixed-read-ns=1000000");
    drive_fill(drive, 0, 2);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER, 1, 1);
    run_to(LATER + 100000);
    lane = &ssd->events.lanes[LANE_READS_LEAVE];
    g_assert_cmpuint(lane->count, ==, 2);
    SET(lane->events[lane->head + 1].payload,
        lane->events[lane->head].payload);
    refused("drive: command 0 waits for 0 things, is to write 0, is in the "
            "queue 0, and leaves 2 times");
    /* There is no third. */
    lane->events[lane->head + 2] = lane->events[lane->head + 1];
    lane->events[lane->head + 2].key += (EventKey)1 << 64;
    SET(lane->events[lane->head + 2].payload, event_name(EVENT_LEAVING, 2));
    SET(lane->count, 3);
    refused("drive: command 2 leaves, and is not inside");
    end();
}

/* A command has no more operations than its largest one can have. */
static void test_operation_count(void)
{
    uint64_t most;

    begin("cmd-slots=512 mdts=8K");
    drive_fill(drive, 0, 1);
    most = zns_command_bound(&drive->params);
    g_assert_cmpuint(most, <, 511);
    for (unsigned i = 0; i <= most; i++) {
        drive_read(drive, LATER, 0, 1);
    }
    for (unsigned i = 0; i <= most; i++) {
        ssd->media.flash.tokens[i].op.owner = owner_of(OWNER_COMMAND, 0);
    }
    refused("drive: command 0 has 17 operations");
    drive_free(drive);
}

/* The front end is held up for somebody who waits for room. */
static void test_held(void)
{
    begin("write-buffer=72K zone-buffer=36K max-active=1 max-open=1 "
          "program-registers=1 fe-read-ns=1000");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    SET(ssd->events.lanes[LANE_FRONT].count, 0);
    SET(ssd->buffer.holds_up, true);
    refused("drive: the buffer holds up nobody");
    end();
}

/* Nothing is told to a job that has ended. */
static void test_free_job(void)
{
    EventLane *lane;

    begin("fixed-read-ns=1000000");
    drive_fill(drive, 0, 2);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    drive_drain(drive);
    drive_read(drive, 2 * LATER, 0, 1);
    run_to(2 * LATER + 100000);
    lane = &ssd->events.lanes[LANE_READS_LEAVE];
    g_assert_cmpuint(lane->count, ==, 1);
    SET(lane->events[lane->head].payload, event_name(EVENT_JOB, 0));
    refused("drive: what waits for job 0: 1, must be 0");
    end();
}

static void test_ranges(void)
{
    SsdRange ranges[SSD_COPY_RANGES_MAX];
    SsdCmd copy = {
        .op = SSD_OP_COPY, .nsid = 1, .slba = 256, .ranges = ranges,
        .range_count = SSD_COPY_RANGES_MAX,
    };
    Command *command;

    begin("lba-size=512 mdts=64K zones=4");
    drive_write(drive, 0, 0, 128);
    drive_drain(drive);
    for (unsigned i = 0; i < SSD_COPY_RANGES_MAX; i++) {
        ranges[i] = (SsdRange) { .slba = 0, .nlb = 1 };
    }
    copy.slba = drive_zone_lba(drive, 1);
    g_assert_cmpint(ssd_submit(ssd, LATER, &copy, 9).status, ==, SSD_SUCCESS);
    let_in();
    for (command = ssd->commands.at; command->done.tag != 9; command++) {
    }
    commands_ranges(&ssd->commands, command - ssd->commands.at)
        [SSD_COPY_RANGES_MAX] = (Span) { 0 };
    SET(command->range_count, SSD_COPY_RANGES_MAX + 1);
    refused("drive: no host could ask for what command 0, of operation 7, "
            "has to do");
    end();

    begin("fe-reset-ns=1000000");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    command = &ssd->commands.at[ssd->entry.front.head_idx];
    commands_ranges(&ssd->commands, command - ssd->commands.at)[0] =
        (Span) { 0 };
    SET(command->range_count, 1);
    refused("drive: no host could ask for what command 0, of operation 12, "
            "has to do");
    end();
}

/* The log takes no appends, and no zone management. */
static void test_operations(void)
{
    Command *command;

    begin_conv("fe-read-ns=1000000");
    drive_write(drive, 0, 0, 1);
    drive_drain(drive);
    drive_read(drive, LATER, 0, 1);
    command = &ssd->commands.at[ssd->entry.front.head_idx];
    SET(command->done.op, SSD_OP_ZONE_OPEN);
    refused("drive: no host could ask for what command 0, of operation 9, "
            "has to do");
    SET(command->done.op, SSD_OP_ZONE_FINISH);
    refused("drive: no host could ask for what command 0, of operation 11, "
            "has to do");
    SET(command->done.op, SSD_OP_APPEND);
    refused("drive: no host could ask for what command 0, of operation 2, "
            "has to do");
    SET(command->done.op, SSD_OP_COMPARE);
    let_in();
    end();
}

/* More reads are inside than there are slots, one of which was a write. */
static void test_read_slots(void)
{
    Command *command;

    begin("read-slots=2");
    drive_fill(drive, 0, 4);
    drive_write(drive, LATER, 4, 1);
    command = ssd->commands.at;
    while (command->done.op != SSD_OP_WRITE || command->parts_left == 0) {
        command++;
    }
    drive_read(drive, LATER + 1, 0, 1);
    drive_read(drive, LATER + 1, 1, 1);
    SET(command->done.op, SSD_OP_READ);
    command->target = (Span) { 0, 0, 4096 };
    refused("drive: 3 reads are inside, there are 2 slots");
    end();
}

/* --- Jobs ----------------------------------------------------------------- */

/* Two finishes of the controller have a reset between them. */
static void test_own_finishes(void)
{
    Jobs *jobs;
    JobQueue *queue;
    Job *reset;

    begin("");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    jobs = &ssd->zns.jobs;
    queue = &jobs->zones[0];
    reset = &jobs->at[queue->tail_idx];
    g_assert_cmpint(reset->op, ==, SSD_OP_ZONE_RESET);
    SET(jobs->at[queue->head_idx].command_idx, SSD_NONE);
    SET(reset->command_idx, SSD_NONE);
    SET(reset->op, SSD_OP_ZONE_FINISH);
    SET(queue->resets_waiting, 0);
    refused("drive: zone 0 is finished by the controller more often than it "
            "is reset");
    end();
}

/* More erases in the background than may run: a finish's job is one, too. */
static void test_background(void)
{
    Jobs *jobs;
    JobQueue *queue;

    begin("mapping=remap spare-superblocks=2 erase-at=background zones=6 "
          "mgmt-parallel-zones=1");
    drive_fill(drive, 0, 16);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    drive_write(drive, LATER, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    jobs = &ssd->zns.jobs;
    queue = &jobs->zones[0];
    g_assert_cmpuint(ssd->zns.erases.running, ==, 1);
    g_assert_cmpuint(queue->head_idx, ==, queue->tail_idx);
    /* It is nobody's then, although its command asks for a finish. */
    SET(jobs->at[queue->head_idx].in_background, true);
    SET(jobs->at[queue->head_idx].superblock_idx, 1);
    SET(queue->head_runs, false);
    SET(queue->head_idx, SSD_NONE);
    SET(queue->tail_idx, SSD_NONE);
    refused("drive: job 0 is of command 1, which is another");
    SET(jobs->at[queue->head_idx].op, SSD_OP_ZONE_RESET);
    SET(jobs->at[queue->head_idx].in_background, true);
    SET(jobs->at[queue->head_idx].superblock_idx, 1);
    SET(jobs->at[queue->head_idx].command_idx, SSD_NONE);
    SET(queue->head_runs, false);
    SET(queue->head_idx, SSD_NONE);
    SET(queue->tail_idx, SSD_NONE);
    refused("drive: 1035 jobs are free, 0 of them reserved, and 2 of 1 run "
            "in the background");
    end();
}

/* A job more than can be: a reset of the last zone, behind its last one. */
static void add_job(Jobs *jobs)
{
    JobQueue *queue = &jobs->zones[3];
    uint32_t job_idx = jobs->fresh_idx;

    g_assert_cmpuint(jobs->free_idx, ==, SSD_NONE);
    jobs->at[job_idx] = jobs->at[queue->tail_idx];
    ssd->media.works[job_idx] = ssd->media.works[queue->tail_idx];
    SET(jobs->at[queue->tail_idx].next_of_zone_idx, job_idx);
    SET(queue->tail_idx, job_idx);
    SET(queue->resets_waiting, queue->resets_waiting + 1);
    SET(jobs->fresh_idx, job_idx + 1);
}

/*
 * Commands have all jobs that they may have, while two erases run in the
 * background: the controller keeps those of its own.
 */
static void test_pool(void)
{
    Jobs *jobs;

    begin("zones=4 cmd-slots=16 mgmt-parallel-zones=2 max-active=4 max-open=4 "
          "excursion-ns=100000000000 mapping=remap spare-superblocks=4 "
          "erase-at=background");
    jobs = &ssd->zns.jobs;
    for (uint32_t i = 0; i < 4; i++) {
        drive_fill(drive, i, 1);
    }
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 1);
    drive_write(drive, LATER, 0, 1);
    drive_write(drive, LATER, drive_zone_lba(drive, 1), 1);
    run_to(LATER + 1500000);
    drive->now_ns++;
    drive_all_zones(drive, drive->now_ns, SSD_OP_ZONE_FINISH);
    drive_all_zones(drive, drive->now_ns, SSD_OP_ZONE_RESET);
    for (uint32_t i = 0; i < 8; i++) {
        drive_zone_op(drive, drive->now_ns, SSD_OP_ZONE_FINISH, i % 4);
        if (i % 4 == 3) {
            drive_all_zones(drive, drive->now_ns, SSD_OP_ZONE_RESET);
        }
    }
    let_in();
    add_job(jobs);
    refused("drive: 29 jobs are free, 30 of them reserved, and 2 of 2 run "
            "in the background");
    end();
}

static void test_fresh_jobs(void)
{
    Jobs *jobs;

    begin("zones=2 cmd-slots=1");
    jobs = &ssd->zns.jobs;
    jobs->fresh_idx = jobs->capacity;
    jobs->free_idx = 0;
    for (uint32_t i = 0; i < jobs->capacity; i++) {
        jobs->at[i].next_of_command_idx =
            i + 1 < jobs->capacity ? i + 1 : SSD_NONE;
    }
    let_in();
    end();
}

/* What a finish or a reset can have found. */
static void test_was(void)
{
    Jobs *jobs;
    Job *job;

    begin(ZRWA "max-active=4 max-zrwa=4");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    jobs = &ssd->zns.jobs;
    job = &jobs->at[jobs->zones[0].head_idx];
    SET(job->was.has_zrwa, true);
    let_in();
    SET(job->was.wp_nlb, 0);
    refused("zones: job 0 began with a zone in state 2, with write pointer "
            "0, written up to 1");
    SET(job->was.wp_nlb, 0);
    SET(job->was.end_nlb, 0);
    SET(job->was.state, SSD_ZONE_EMPTY);
    let_in();
    SET(job->was.wp_nlb, 0);
    SET(job->was.end_nlb, 0);
    SET(job->was.state, SSD_ZONE_EMPTY);
    SET(job->was.has_zrwa, true);
    refused("zones: job 0 began with a zone in state 1, with write pointer "
            "0, written up to 0");
    SET(job->was.wp_nlb, 16);
    SET(job->was.end_nlb, 16);
    SET(job->was.state, SSD_ZONE_FULL);
    let_in();
    SET(job->was.wp_nlb, 16);
    SET(job->was.end_nlb, 16);
    SET(job->was.state, SSD_ZONE_FULL);
    SET(job->was.has_zrwa, true);
    refused("zones: job 0 began with a zone in state e, with write pointer "
            "16, written up to 16");
    SET(job->was.state, 0);
    refused("zones: job 0 began with a zone in state 0, with write pointer "
            "1, written up to 1");
    SET(job->was.state, SSD_ZONE_CLOSED);
    let_in();
    SET(job->was.state, SSD_ZONE_READ_ONLY);
    refused("zones: job 0 began with a zone in state d, with write pointer "
            "1, written up to 1");
    end();
}

/* A finish of all zones runs, a reset of all enters, and waits behind it. */
static void test_select_alls(void)
{
    Jobs *jobs;
    Command *commands;
    uint32_t first_idx, next_idx;

    begin("zones=6 mgmt-parallel-zones=2 fe-reset-ns=1000");
    for (unsigned i = 0; i < 6; i++) {
        drive_fill(drive, i, 1);
    }
    drive_all_zones(drive, LATER, SSD_OP_ZONE_FINISH);
    drive_all_zones(drive, LATER + 1, SSD_OP_ZONE_RESET);
    jobs = &ssd->zns.jobs;
    commands = ssd->commands.at;
    first_idx = jobs->select_all_head_idx;
    next_idx = ssd->entry.front.head_idx;
    g_assert_cmpuint(first_idx, !=, SSD_NONE);
    g_assert_cmpuint(next_idx, !=, SSD_NONE);
    SET(commands[first_idx].select_all, false);
    refused("drive: command 0 is no Select All with jobs");
    SET(commands[first_idx].next_select_all_idx, next_idx);
    SET(commands[next_idx].next_select_all_idx, SSD_NONE);
    SET(jobs->select_all_tail_idx, next_idx);
    refused("drive: command 1 is no Select All with jobs");
    run_to(LATER + 2000);
    g_assert_cmpuint(jobs->select_all_tail_idx, ==, next_idx);
    SET(commands[next_idx].first_job_idx, SSD_NONE);
    refused("drive: command 1 is no Select All with jobs");
    SET(jobs->select_all_head_idx, next_idx);
    SET(jobs->select_all_running, 0);
    refused("drive: a Select All runs no job");
    end();
}

/* --- Flushes, resets and events ------------------------------------------- */

/* What is awaited has not ended. */
static void test_epochs(void)
{
    Programs *programs;
    Flash *flash;

    begin("");
    drive_write(drive, 0, 0, 2);
    drive_flush(drive, 1);
    drive_write(drive, 2, 2, 2);
    drive_flush(drive, 3);
    programs = &ssd->media.programs;
    flash = &ssd->media.flash;
    g_assert_cmpuint(programs->pending[0], ==, 2);
    g_assert_cmpuint(programs->pending[1], ==, 2);
    SET(programs->pending[0], 0);
    SET(programs->pending[1], 4);
    for (uint32_t i = 0; i < flash->fresh_idx; i++) {
        if (flash->tokens[i].op.epoch == 0) {
            SET(flash->tokens[i].op.epoch, 1);
        }
    }
    refused("drive: epoch 0 has ended, and is awaited");
    end();
}

/* Steps are of those that have begun, and one that is awaited is left. */
static void test_steps(void)
{
    ResetEngine *reset;

    begin_locked();
    reset = &ssd->reset;
    SET(ssd->zns.jobs.newest_fill_idx, ssd->zns.jobs.zones[0].head_idx);
    SET(ssd->zns.jobs.at[reset->first_job_idx].older_fill_idx, SSD_NONE);
    SET(ssd->zns.jobs.at[reset->first_job_idx].newer_fill_idx, SSD_NONE);
    refused("drive: job 0 is no running finish");
    SET(ssd->zns.jobs.at[reset->first_job_idx].in_background, true);
    SET(ssd->zns.jobs.at[reset->first_job_idx].command_idx, SSD_NONE);
    SET(ssd->zns.jobs.zones[0].head_runs, false);
    SET(ssd->zns.jobs.zones[0].head_idx, SSD_NONE);
    SET(ssd->zns.jobs.zones[0].tail_idx, SSD_NONE);
    refused("drive: job 0 is no reset to be managed");
    run_to(LATER + 1000);
    g_assert_cmpuint(reset->steps_ended, ==, 1);
    g_assert_cmpuint(ssd->events.count, ==, 2);
    SET(reset->phase, RESET_DRAINS);
    refused("drive: a reset waits for 0 programs");
    SET(reset->steps_begun, 9);
    refused("resets: 1 steps have ended, 9 begun, of 8, in 1000000 ns; "
            "there can be 8, in 1000000 ns");
    SET(ssd->events.count, 0);
    SET(ssd->media.flash.locked, false);
    SET(reset->phase, RESET_STEPS);
    SET(reset->steps, 1);
    refused("drive: a reset waits for steps that have ended");
    end();
}

/* Of events in one heap the first comes first. */
static void test_events(void)
{
    EventHeap *heap;

    begin_locked();
    heap = &ssd->events;
    g_assert_cmpuint(heap->count, ==, 2);
    heap->events[1].key = heap->events[0].key;
    let_in();
    heap->events[1].key--;
    refused("events: event 1 of the heap comes before its parent");
    drive_free(drive);
}

/* What a host asks for lies in a zone that there is. */
static void test_target(void)
{
    Command *command;

    begin("");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    command = &ssd->commands.at[0];
    SET(command->target.zone_idx, drive->params.zones);
    refused("drive: no host could ask for what command 0, of operation 0, "
            "has to do");
    SET(command->target.begin_bytes, 8192);
    refused("drive: no host could ask for what command 0, of operation 0, "
            "has to do");
    end();
}

/* A superblock is erased by who has it. */
static void test_eraser(void)
{
    begin("erase-at=background mapping=lazy spare-superblocks=2");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    run_to(LATER + 1000);
    g_assert_cmpuint(ssd->media.eraser_of[0], ==, 1);
    SET(ssd->media.eraser_of[1], 0);
    refused("drive: superblock 1 is erased by job 0, which is another");
    end();
}

/* A zone that has changed is told of once. */
static void test_changed(void)
{
    Watch *watch;

    begin("excursion-ns=40000000");
    watch = &ssd->zns.watch;
    drive_fill(drive, 0, 1);
    run_to(drive->now_ns + 50000000);
    g_assert_cmpuint(watch->changed_count, ==, 1);
    SET(watch->changed[1], watch->changed[0]);
    SET(watch->changed_count, 2);
    refused("watch: zone 0 has changed twice");
    end();
}

/* No block is dirty that a superblock has not. */
static void test_dirt(void)
{
    SuperblockDirt *dirt;

    begin("");
    dirt = &ssd->media.superblocks.dirt[0];
    SET(dirt->begin, 99);
    refused("superblocks: superblock 0: blocks 99 to 0 of 2 are dirty");
    SET(dirt->end, 99);
    refused("superblocks: superblock 0: blocks 0 to 99 of 2 are dirty");
    end();
}

/* A finish that runs has pages of its zone, and is who may. */
static void test_running_finish(void)
{
    JobWork *work;
    Job *job;

    begin("zones=4");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    run_to(LATER + 1000);
    work = &ssd->media.works[0];
    job = &ssd->zns.jobs.at[0];
    SET(job->used_pages, 16);
    let_in();
    SET(job->used_pages, 17);
    refused("zones: job 0 is at page 2, its chunk ends at 2, 17 were used; a "
            "zone has 16");
    SET(job->host_bytes, 65536);
    let_in();
    SET(job->host_bytes, 65537);
    refused("zones: job 0 is at page 2, its chunk ends at 2, 0 were used; a "
            "zone has 16");
    SET(work->chunk_end_page, 17);
    refused("zones: job 0 is at page 2, its chunk ends at 17, 0 were used; a "
            "zone has 16");
    SET(work->next_page, 17);
    refused("zones: job 0 is at page 17, its chunk ends at 2, 0 were used; a "
            "zone has 16");
    SET(work->end_bytes, 65537);
    refused("zones: job 0 is at page 2, its chunk ends at 2, 0 were used; a "
            "zone has 16");
    SET(job->may_start, false);
    refused("drive: zone 0 runs a job that may not");
    SET(job->waits_for_writes, true);
    refused("drive: zone 0 runs a job that may not");
    SET(work->zone_idx, 1);
    refused("drive: job 0 is in the queue of zone 0");
    SET(job->op, SSD_OP_ZONE_RESET);
    refused("drive: job 0 is of command 0, which is another");
    SET(job->in_background, true);
    refused("drive: job 0 is in the queue of zone 0");
    SET(job->command_idx, 1);
    refused("drive: job 0 is of command 1, which is another");
    SET(ssd->zns.jobs.zones[0].head_runs, false);
    refused("drive: job 0 runs: 0, and has something to do: 1");
    SET(ssd->commands.at[0].select_all, true);
    refused("drive: job 0 is in the list of command 0");
    end();
}

/* A unit's queue and its strands agree, and no page is behind a zone. */
static void test_unit_queue(void)
{
    WriteBuffer *buffer;

    begin("write-buffer=72K zone-buffer=36K max-active=2 max-open=2 "
          "program-registers=1 channels=2 zones=4");
    buffer = &ssd->buffer;
    drive_write(drive, 0, 0, 4);
    drive_write(drive, 0, drive_zone_lba(drive, 1), 4);
    run_to(100);
    SET(buffer->units[0].old_from_idx, 2);
    refused("buffer: strand 2 does not wait at unit 0");
    SET(buffer->units[1].old_from_idx, buffer->units[0].first_strand_idx);
    refused("buffer: strand 0 does not wait at unit 1");
    SET(buffer->streams[2].next_page, 17);
    refused("buffer: zone 2 is to program page 17 of 16");
    end();
}

/* A unit has the programs that its registers and its channel have. */
static void test_programs(void)
{
    FlashUnit *unit;
    Flash *flash;

    begin("channels=1 ways=1 dies=1 program-registers=2 zones=4");
    flash = &ssd->media.flash;
    unit = &flash->units[0];
    drive_write(drive, 0, 0, 4);
    run_to(30000);
    SET(unit->loaded, unit->loaded + 1);
    refused("drive: unit 0 has 3 programs in registers and 3 on their way, "
            "must have 2 and 3");
    SET(unit->loaded, unit->loaded - 1);
    refused("drive: unit 0 has 1 programs in registers and 3 on their way, "
            "must have 2 and 3");
    SET(unit->programs_issued, unit->programs_issued + 1);
    refused("drive: unit 0 has 2 programs in registers and 4 on their way, "
            "must have 2 and 3");
    SET(unit->programs_arrived, unit->programs_arrived + 1);
    refused("drive: unit 0 has 2 programs in registers and 2 on their way, "
            "must have 2 and 3");
    SET(unit->running_idx, FLASH_NONE);
    refused("drive: operation 0 of kind 2 cannot be in place 1 (1, 1), with "
            "bytes 0 to 4096");
    SET(flash->locked, true);
    refused("drive: programs wait for no reset");
    SET(flash->tokens[unit->running_idx].has_event, false);
    refused("drive: operation 0 in place 6 has 1 events, must have 0");
    end();
}

/* What can be suspended has an end, if it is not told to stop. */
static void test_stretch(void)
{
    const FlashUnit *unit;

    begin("channels=1 program-registers=2 reads-first=2 program-suspend=on "
          "suspend-ns=1000 zones=4");
    unit = &ssd->media.flash.units[0];
    drive_write(drive, 0, 0, 4);
    run_to(230000);
    SET(ssd->media.flash.tokens[unit->running_idx].has_event, false);
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        EventLane *lane = &ssd->events.lanes[i];

        if (lane->count == 1 &&
            lane->events[lane->head].payload == unit->running_idx) {
            SET(lane->count, 0);
        }
    }
    refused("drive: unit 0 runs what can be suspended, in a way that cannot "
            "be");
    end();
}

/* What is erased in the background is a reset's. */
static void test_erases_behind(void)
{
    Job *job;

    begin("erase-at=background mapping=lazy spare-superblocks=2");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    run_to(LATER + 1000);
    job = &ssd->zns.jobs.at[1];
    SET(job->superblock_idx, SUPERBLOCK_NONE);
    refused("drive: job 1 has nothing to erase");
    SET(job->superblock_idx, 1);
    refused("drive: superblock 0 is erased by job 1, which is another");
    SET(job->in_background, false);
    refused("drive: is in a queue, job 1: 0, must be 1");
    SET(job->op, SSD_OP_ZONE_FINISH);
    refused("drive: job 1 of operation 11 is of no command, must be of "
            "operation 12");
    SET(ssd->media.superblocks.of_zone[1], 0);
    refused("superblocks: zone 1 has superblock 0, which is in use or in a "
            "pool");
    end();
}

/* A stream of reads has no more lines than a ring holds, and counts so far. */
static void test_stream(void)
{
    AheadStream *stream;

    begin("read-ahead=16K read-ahead-after=2 read-ahead-streams=2 zones=4");
    drive_fill(drive, 0, 16);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER, 1, 1);
    drive_read(drive, LATER, 2, 1);
    run_to(LATER + 1000);
    stream = &ssd->prefetch.ahead.streams[0];
    SET(stream->reads, 4);
    refused("read-ahead: stream 0 has 4 reads, at most 3 count");
    SET(stream->first_line, stream->end_line + 1);
    refused("read-ahead: stream 0 has the lines 5 to 4, a ring holds 4");
    SET(stream->end_line, stream->first_line + 5);
    refused("read-ahead: stream 0 has the lines 2 to 7, a ring holds 4");
    SET(stream->zone_idx, AHEAD_NONE);
    refused("read-ahead: stream 0 is of no zone, and goes on");
    end();
}

/* As many zones are open, active and with a ZRWA as may be. */
static void test_zone_limits(void)
{
    ZoneEntry *zones;

    begin("max-active=2 max-open=1");
    drive_fill(drive, 0, 1);
    drive_fill(drive, 1, 1);
    zones = ssd->ns.at[0].zones.zones;
    g_assert_cmpint(zones[0].state, ==, SSD_ZONE_CLOSED);
    SET(zones[0].state, SSD_ZONE_EXPLICITLY_OPEN);
    SET(zones[0].holds_open, true);
    refused("namespaces: 2 zones are open, 2 active, 0 with a ZRWA; at most "
            "1, 2 and 2 may be");
    SET(zones[2].state, SSD_ZONE_CLOSED);
    SET(zones[2].holds_active, true);
    refused("namespaces: 1 zones are open, 3 active, 0 with a ZRWA; at most "
            "1, 2 and 2 may be");
    end();
}

/* Superblocks that are free on one channel are not free on another. */
static void test_pools(void)
{
    SuperblockTable *table;
    SuperblockPool *pools;
    uint32_t free_idx, block;
    uint32_t other = SUPERBLOCK_POOLS + SUPERBLOCK_FREE;

    begin("zone-channels=1 mapping=remap spare-superblocks=2");
    pools = ssd->media.superblocks.pools;
    swap(&pools[SUPERBLOCK_FREE].head_idx, &pools[other].head_idx);
    swap(&pools[SUPERBLOCK_FREE].tail_idx, &pools[other].tail_idx);
    refused("superblocks: superblock 5 is in a pool of group 0");
    table = &ssd->media.superblocks;
    drive_fill(drive, 0, 1);
    drive_fill(drive, 1, 1);
    swap(&table->of_zone[0], &table->of_zone[1]);
    refused("superblocks: zone 0 has superblock 1, which is of another group");
    free_idx = pools[SUPERBLOCK_FREE].head_idx;
    block = free_idx * table->config.units * table->config.blocks;
    SET(table->is_dirty[block], true);
    SET(table->dirt[free_idx * table->config.units].begin, 0);
    SET(table->dirt[free_idx * table->config.units].end, 1);
    refused("superblocks: superblock 4 is free, and dirty");
    end();
}

/* What never changes its zone is not ranked, and no state says how. */
static void test_unranked(void)
{
    begin("superblock-order=least-worn");
    g_assert_null(ssd->media.superblocks.rankings);
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound/zone-limits", test_zone_limits);
    g_test_add_func("/sound/running-finish", test_running_finish);
    g_test_add_func("/sound/unit-queue", test_unit_queue);
    g_test_add_func("/sound/programs", test_programs);
    g_test_add_func("/sound/stretch", test_stretch);
    g_test_add_func("/sound/erases-behind", test_erases_behind);
    g_test_add_func("/sound/stream", test_stream);
    g_test_add_func("/sound/target", test_target);
    g_test_add_func("/sound/eraser", test_eraser);
    g_test_add_func("/sound/changed", test_changed);
    g_test_add_func("/sound/dirt", test_dirt);
    g_test_add_func("/sound/slots", test_slots);
    g_test_add_func("/sound/leaves-twice", test_leaves_twice);
    g_test_add_func("/sound/operation-count", test_operation_count);
    g_test_add_func("/sound/held", test_held);
    g_test_add_func("/sound/free-job", test_free_job);
    g_test_add_func("/sound/ranges", test_ranges);
    g_test_add_func("/sound/operations", test_operations);
    g_test_add_func("/sound/read-slots", test_read_slots);
    g_test_add_func("/sound/own-finishes", test_own_finishes);
    g_test_add_func("/sound/background", test_background);
    g_test_add_func("/sound/pool", test_pool);
    g_test_add_func("/sound/fresh-jobs", test_fresh_jobs);
    g_test_add_func("/sound/was", test_was);
    g_test_add_func("/sound/select-alls", test_select_alls);
    g_test_add_func("/sound/epochs", test_epochs);
    g_test_add_func("/sound/steps", test_steps);
    g_test_add_func("/sound/events", test_events);
    g_test_add_func("/sound/pools", test_pools);
    g_test_add_func("/sound/unranked", test_unranked);
    return g_test_run();
}
