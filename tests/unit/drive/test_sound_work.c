/*
 * What is read of work under way is sound: a job or a command that waits where
 * its kind cannot, room that is given back by nobody. sound.h says how that is
 * asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

#define FILLED "write-buffer=72K zone-buffer=36K max-active=1 max-open=1 " \
               "program-registers=1 "

/* --- Jobs ----------------------------------------------------------------- */

/* A reset that enters has not begun, though an event may be of its job. */
static void test_early(void)
{
    JobQueue *queue;

    begin("fe-reset-ns=1000000");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    queue = &ssd->zns.jobs.zones[0];
    g_assert_cmpuint(queue->head_idx, ==, 0);
    let_in();
    event_heap_push(&ssd->events, 2 * LATER, event_name(EVENT_JOB, 0));
    SET(ssd->zns.jobs.at[0].waits, true);
    SET(ssd->zns.jobs.at[0].may_start, true);
    SET(queue->head_runs, true);
    refused("drive: job 0 runs before its turn");
    drive_free(drive);
}

/* Work of the controller's own in a zone's queue is an excursion: a finish. */
static void test_nobodys(void)
{
    Job *job;
    Command *command;

    begin("excursion-ns=40000000");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    job = &ssd->zns.jobs.at[0];
    g_assert_cmpint(job->op, ==, SSD_OP_ZONE_RESET);
    command = &ssd->commands.at[job->command_idx];
    let_in();
    SET(command->parts_left, 0);
    SET(command->first_job_idx, SSD_NONE);
    event_heap_push(&ssd->events, 2 * LATER,
                    event_name(EVENT_LEAVING, job->command_idx));
    SET(job->command_idx, SSD_NONE);
    refused("drive: job 0 of operation 12 is of no command, must be of "
            "operation 11");
    drive_free(drive);
}

/* --- Commands ------------------------------------------------------------- */

/* A reset that drains waits for programs, and for no more than units have. */
static void test_drains(void)
{
    Programs *programs;

    begin("reset-drains=on reset-lock-ns=1000000");
    drive_fill(drive, 0, 2);
    drive_write(drive, LATER, drive_zone_lba(drive, 1), 2);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    programs = &ssd->media.programs;
    g_assert_cmpint(ssd->reset.phase, ==, RESET_DRAINS);
    g_assert_cmpuint(programs->drain_left, ==, 2);
    g_assert_cmpuint(programs->drain_of_unit[0], ==, 1);
    SET(programs->drain_left, 1);
    refused("drive: a reset waits for 1 programs, those of units are 2");
    SET(programs->drain_left, 1);
    SET(programs->drain_of_unit[0], 0);
    let_in();
    SET(programs->drain_of_unit[0], 2);
    SET(programs->drain_left, 3);
    refused("drive: a reset waits for 2 programs of unit 0, which has 1");
    SET(programs->drain_left, 0);
    SET(programs->drain_of_unit[0], 0);
    SET(programs->drain_of_unit[1], 0);
    refused("drive: a reset waits for 0 programs");
    SET(ssd->reset.phase, RESET_UNMAPPED);
    refused("drive: no reset waits for 2 programs");
    end();
}

/* A finish writes nothing. */
static void test_finish(void)
{
    uint32_t command_idx;

    begin("");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    command_idx = ssd->zns.jobs.at[0].command_idx;
    SET(ssd->commands.at[command_idx].writes, true);
    SET(ssd->commands.at[command_idx].next_write_idx, SSD_NONE);
    SET(ssd->zns.writes[0].head_idx, command_idx);
    SET(ssd->zns.writes[0].tail_idx, command_idx);
    refused("drive: no host could ask for what command 0, of operation 11, "
            "has to do");
    end();
}

/* A flush of a ZRWA waits behind a copy that reads: it goes on as it is. */
static void test_flush(void)
{
    const WriteQueue *queue;

    begin(ZRWA "max-active=4 max-zrwa=4");
    drive_fill(drive, 1, 4);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(drive, LATER, 0, 2);
    drive_drain(drive);
    drive_copy(drive, 2 * LATER, 2, drive_zone_lba(drive, 1), 1);
    drive_io(drive, 2 * LATER, SSD_OP_ZONE_FLUSH_ZRWA, 2, 0);
    run_to(2 * LATER + 1);
    queue = &ssd->zns.writes[0];
    g_assert_cmpuint(queue->head_idx, !=, queue->tail_idx);
    g_assert_cmpint(ssd->commands.at[queue->tail_idx].done.op, ==,
                    SSD_OP_ZONE_FLUSH_ZRWA);
    let_in();
    end();
}

/* --- The buffer ----------------------------------------------------------- */

/* Neither a write of a ZRWA nor a read waits for room, in any slot. */
static void test_no_room(void)
{
    Command *second;

    begin(FILLED "fixed-read-ns=1000000 zrwa-size=64K "
          "zrwa-flush-granularity=4K");
    drive_read(drive, 0, drive_zone_lba(drive, 3), 1);
    drive_write(drive, 0, 0, 10);
    run_to(10);
    g_assert_cmpuint(ssd->buffer.turns.lines[0].first_waiter_idx, ==, 1);
    let_in();
    second = &ssd->commands.at[1];
    SET(second->write.in_zrwa, true);
    refused("drive: command 1 waits for room, and needs none");
    SET(second->done.op, SSD_OP_READ);
    refused("drive: command 1 waits for room, and needs none");
    end();
}

/* Without buffer-release-ns nothing is given back later. */
static void test_at_once(void)
{
    begin(FILLED);
    drive_write(drive, 0, 0, 1);
    run_to(10000);
    let_in();
    event_heap_push(&ssd->events, LATER, event_name(EVENT_BUFFER, 0));
    SET(ssd->buffer.units[0].unreleased_bytes, 4096);
    refused("drive: unit 0 gives back room too late");
    drive_free(drive);
}

/* With a nanosecond of it, something is; of a program that has ended. */
static void test_soon(void)
{
    begin(FILLED "buffer-release-ns=1");
    drive_write(drive, 0, 0, 1);
    run_to(25000 + 700000);
    g_assert_cmpuint(ssd->buffer.units[0].unreleased_bytes, ==, 4096);
    let_in();
    SET(ssd->buffer.units[0].programmed_at_ns, 25000 + 700000 + 1);
    refused("drive: unit 0 gives back room too late");
    end();
}

/* A finish waits while pages of the host are in front, each at its own unit. */
static void test_fill_waits(void)
{
    begin(FILLED "page-turns=on");
    drive_write(drive, 0, 0, 8);
    drive_zone_op(drive, 1, SSD_OP_ZONE_FINISH, 0);
    run_to(100);
    g_assert_cmpuint(ssd->buffer.streams[0].fill_job_idx, !=, SSD_NONE);
    g_assert_true(wbuf_fill_waits(&ssd->buffer, 0));
    let_in();
    SET(ssd->buffer.streams[0].fill_from_page, 3);
    let_in();
    end();
}

/* What a ZRWA has of the link is not the log's. */
static void test_beside_log(void)
{
    begin(ZRWA BUFFER "max-zrwa=4 conventional-size=64K conventional-buffer=on "
          "buffer-portion=4K link-in-ns=1000000");
    drive_zone_op(drive, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_write(drive, LATER, 0, 2);
    run_to(LATER + 1);
    g_assert_cmpuint(ssd->link.count, ==, 1);
    g_assert_true(wbuf_has_log(&ssd->buffer));
    let_in();
    end();
}

/* --- Resets --------------------------------------------------------------- */

#define STEPS "reset-lock-ns=1000000 reset-steps=4 reset-step-ns=1000 " \
              "program-registers=1"

/* When no reset is managed, that one's steps were all is no fault. */
static void test_no_reset(void)
{
    begin(STEPS);
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    drive_drain(drive);
    g_assert_cmpuint(ssd->reset.first_job_idx, ==, SSD_NONE);
    SET(ssd->reset.phase, RESET_STEPS);
    let_in();
    end();
}

/* A reset has so many steps on each unit at most. */
static void test_most_steps(void)
{
    begin(STEPS);
    SET(ssd->reset.steps, 8);
    SET(ssd->reset.steps_begun, 8);
    SET(ssd->reset.steps_ended, 8);
    let_in();
    SET(ssd->reset.steps, 9);
    SET(ssd->reset.steps_begun, 9);
    SET(ssd->reset.steps_ended, 9);
    refused("resets: 9 steps have ended, 9 begun, of 9, in 0 ns; there can be "
            "8, in 1000000 ns");
    end();
}

/* --- Lines, zones --------------------------------------------------------- */

/* Reads of the second namespace wait, and have a turn. */
static void test_group(void)
{
    Turns *turns;

    begin("namespaces=2 take-turns=on read-slots=2 zones=4");
    drive->nsid = 2;
    drive_fill(drive, 0, 4);
    for (uint32_t i = 0; i < 4; i++) {
        drive_read(drive, LATER, i, 1);
    }
    turns = &ssd->entry.read_slots.turns;
    g_assert_cmpuint(turns->first_group_idx, ==, 1);
    SET(turns->first_group_idx, TURNS_NONE);
    SET(turns->last_group_idx, TURNS_NONE);
    refused("entry: group 1 has a turn: 0, must be 1");
    end();
}

/* Who watches no zone has none that has changed. */
static void test_unwatched(void)
{
    begin("");
    SET(ssd->zns.watch.changed_count, 1);
    refused("watch: 1 zones have changed");
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-work/early", test_early);
    g_test_add_func("/sound-work/nobodys", test_nobodys);
    g_test_add_func("/sound-work/drains", test_drains);
    g_test_add_func("/sound-work/finish", test_finish);
    g_test_add_func("/sound-work/flush", test_flush);
    g_test_add_func("/sound-work/no-room", test_no_room);
    g_test_add_func("/sound-work/at-once", test_at_once);
    g_test_add_func("/sound-work/soon", test_soon);
    g_test_add_func("/sound-work/fill-waits", test_fill_waits);
    g_test_add_func("/sound-work/beside-log", test_beside_log);
    g_test_add_func("/sound-work/no-reset", test_no_reset);
    g_test_add_func("/sound-work/most-steps", test_most_steps);
    g_test_add_func("/sound-work/group", test_group);
    g_test_add_func("/sound-work/unwatched", test_unwatched);
    return g_test_run();
}
