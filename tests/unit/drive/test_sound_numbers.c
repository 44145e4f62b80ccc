/*
 * What is read is sound: each number of an object, one more or one less than it
 * is, breaks the rule that is said here, or none; of numbers that break none
 * either way there are no rows. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

/* `said`: NULL: it is let in. */
typedef struct Row {
    size_t offset;
    size_t bytes;
    int by;
    const char *said;
} Row;

#define ROW(struct_, member_, by_, said_) \
    { offsetof(struct_, member_), sizeof(((struct_ *)0)->member_), by_, said_ }

static void expect_rows(void *object, const Row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *at = (uint8_t *)object + rows[i].offset;
        uint64_t value = 0;

        memcpy(&value, at, rows[i].bytes);
        set_bytes(at, rows[i].bytes, value + (uint64_t)(int64_t)rows[i].by);
        refused(rows[i].said);
    }
}

static void test_finish(void)
{
    static const Row job_rows[] = {
        ROW(Job, command_idx, 1,
            "drive: job 0 is of command 1, which is another"),
        ROW(Job, command_idx, -1,
            "drive: 1032 jobs are free, 4294967295 of them reserved, and 0 "
            "of 1 run in the background"),
        ROW(Job, waits_for_writes, 1,
            "drive: zone 0 runs a job that may not"),
        ROW(Job, used_pages, 1, NULL),
        ROW(Job, used_pages, -1,
            "zones: job 0 is at page 2, its chunk ends at 2, "
            "18446744073709551615 were used; a zone has 16"),
        ROW(Job, host_bytes, 1, NULL),
        ROW(Job, host_bytes, -1,
            "zones: host_bytes of job_rows[0] is 18446744073709551615, must "
            "be at most 2305843009213693952"),
        ROW(Job, after_fill, 1, NULL),
        ROW(Job, superblock_idx, 1, NULL),
        ROW(Job, superblock_idx, -1,
            "zones: superblock_idx of job_rows[0] is 4294967294, must be at "
            "most 3, or none"),
        ROW(Job, may_start, -1,
            "drive: zone 0 runs a job that may not"),
        ROW(Job, in_background, 1,
            "drive: job 0 is in the queue of zone 0"),
        ROW(Job, waits, 1,
            "drive: wake-ups of job 0: 0, must be 1"),
        ROW(Job, stalls, 1, NULL),
    };
    static const Row job_work_rows[] = {
        ROW(JobWork, zone_idx, 1,
            "drive: job 0 is in the queue of zone 0"),
        ROW(JobWork, zone_idx, -1,
            "zones: zone_idx of work_rows[0] is 4294967295, must be at most "
            "3"),
        ROW(JobWork, ops_left, 1,
            "drive: operations of job 0: 2, must be 1"),
        ROW(JobWork, ops_left, -1,
            "drive: operations of job 0: 0, must be 1"),
    };
    static const Row job_queue_rows[] = {
        ROW(JobQueue, head_idx, 1,
            "drive: zone 0 runs a job that may not"),
        ROW(JobQueue, head_idx, -1,
            "drive: zone 0 runs a job that may not"),
        ROW(JobQueue, head_runs, -1,
            "drive: job 0 runs: 0, and has something to do: 1"),
        ROW(JobQueue, resets_entering, 1,
            "drive: resets that enter, of zone 0: 1, must be 0"),
        ROW(JobQueue, resets_entering, -1,
            "drive: resets that enter, of zone 0: 4294967295, must be 0"),
        ROW(JobQueue, resets_waiting, 1,
            "drive: resets that wait, of zone 0: 1, must be 0"),
        ROW(JobQueue, resets_waiting, -1,
            "drive: resets that wait, of zone 0: 4294967295, must be 0"),
    };
    static const Row jobs_rows[] = {
        ROW(Jobs, fresh_idx, -1,
            "drive: zone 0 runs a job that may not"),
        ROW(Jobs, newest_fill_idx, 1,
            "drive: running finishes 0: 0, must be 1"),
        ROW(Jobs, newest_fill_idx, -1,
            "drive: running finishes 0: 0, must be 1"),
        ROW(Jobs, select_all_running, 1,
            "drive: running jobs of a Select All 0: 1, must be 0"),
        ROW(Jobs, select_all_running, -1,
            "zones: select_all_running of jobs_rows[0] is 4294967295, must "
            "be at most 2147483647"),
    };

    begin("zones=4");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    drive_write(drive, LATER, drive_zone_lba(drive, 1), 3);
    run_to(LATER + 1000);
    expect_rows(&ssd->zns.jobs.at[0], job_rows, G_N_ELEMENTS(job_rows));
    expect_rows(&ssd->media.works[0], job_work_rows,
                G_N_ELEMENTS(job_work_rows));
    expect_rows(&ssd->zns.jobs.zones[0], job_queue_rows,
                G_N_ELEMENTS(job_queue_rows));
    expect_rows(&ssd->zns.jobs, jobs_rows, G_N_ELEMENTS(jobs_rows));
    end();
}

static void test_resets(void)
{
    static const Row job_rows[] = {
        ROW(Job, command_idx, 1,
            "drive: job 0 is in the list of command 0"),
        ROW(Job, command_idx, -1,
            "drive: job 0 of operation 12 is of no command, must be of "
            "operation 11"),
        ROW(Job, waits_for_writes, 1,
            "drive: zone 0 runs a job that may not"),
        ROW(Job, after_fill, 1, NULL),
        ROW(Job, superblock_idx, 1,
            "drive: superblock 0 is erased by job 0, which is another"),
        ROW(Job, superblock_idx, -1,
            "drive: superblock 0 is erased by job 0, which is another"),
        ROW(Job, may_start, -1,
            "drive: zone 0 runs a job that may not"),
        ROW(Job, in_background, 1,
            "drive: job 0 is in the queue of zone 0"),
        ROW(Job, waits, 1,
            "drive: wake-ups of job 0: 0, must be 1"),
        ROW(Job, stalls, 1, NULL),
    };
    static const Row job_queue_rows[] = {
        ROW(JobQueue, head_idx, -1,
            "drive: zone 0 runs a job that may not"),
        ROW(JobQueue, head_runs, -1,
            "drive: job 0 runs: 0, and has something to do: 1"),
        ROW(JobQueue, resets_entering, 1,
            "drive: resets that enter, of zone 0: 1, must be 0"),
        ROW(JobQueue, resets_entering, -1,
            "drive: resets that enter, of zone 0: 4294967295, must be 0"),
        ROW(JobQueue, resets_waiting, 1,
            "drive: resets that wait, of zone 0: 1, must be 0"),
        ROW(JobQueue, resets_waiting, -1,
            "drive: resets that wait, of zone 0: 4294967295, must be 0"),
    };
    static const Row reset_engine_rows[] = {
        ROW(ResetEngine, first_job_idx, -1,
            "drive: resets that wait, of zone 0: 0, must be 1"),
        ROW(ResetEngine, lock_ns, 1,
            "resets: 0 steps have ended, 0 begun, of 0, in 1 ns; there can "
            "be 6, in 0 ns"),
        ROW(ResetEngine, lock_ns, -1,
            "resets: lock_ns of reset_rows[0] is 18446744073709551615, must "
            "be at most 2305843009213693952"),
        ROW(ResetEngine, steps, 1,
            "drive: events of steps 0: 0, must be 1"),
        ROW(ResetEngine, steps, -1,
            "resets: steps of reset_rows[0] is 18446744073709551615, must "
            "be at most 2305843009213693952"),
        ROW(ResetEngine, steps_begun, 1,
            "resets: 0 steps have ended, 1 begun, of 0, in 0 ns; there can "
            "be 6, in 0 ns"),
        ROW(ResetEngine, steps_begun, -1,
            "resets: steps_begun of reset_rows[0] is 18446744073709551615, "
            "must be at most 2305843009213693952"),
        ROW(ResetEngine, steps_ended, 1,
            "resets: 1 steps have ended, 0 begun, of 0, in 0 ns; there can "
            "be 6, in 0 ns"),
        ROW(ResetEngine, steps_ended, -1,
            "resets: steps_ended of reset_rows[0] is 18446744073709551615, "
            "must be at most 2305843009213693952"),
        ROW(ResetEngine, step_unit_idx, 1, NULL),
    };

    begin("zones=4 max-active=4 reset-base-ns=200000 reset-steps=3 "
          "reset-step-ns=50000");
    drive_fill(drive, 0, 2);
    drive_fill(drive, 1, 2);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 1);
    run_to(LATER + 230000);
    expect_rows(&ssd->zns.jobs.at[0], job_rows, G_N_ELEMENTS(job_rows));
    expect_rows(&ssd->zns.jobs.zones[0], job_queue_rows,
                G_N_ELEMENTS(job_queue_rows));
    expect_rows(&ssd->reset, reset_engine_rows,
                G_N_ELEMENTS(reset_engine_rows));
    end();
}

static void test_front_end(void)
{
    static const Row front_end_rows[] = {
        ROW(FrontEnd, head_idx, 1,
            "drive: command 1 waits for 1 things, must wait for 0"),
        ROW(FrontEnd, head_idx, -1,
            "drive: command 0 waits for 1 things, must wait for 2"),
    };
    static const Row link_rows[] = {
        ROW(Link, head, -1,
            "drive: bytes in the buffer of zone 0: 12288, must be 16384"),
        ROW(Link, count, -1,
            "drive: command 0 waits for 1 things, must wait for 0"),
    };
    static const Row command_2_rows[] = {
        ROW(Command, parts_left, 1,
            "drive: command 0 waits for 2 things, must wait for 1"),
        ROW(Command, parts_left, -1,
            "drive: command 0 waits for 0 things, must wait for 1"),
        ROW(Command, writes, 1,
            "drive: command 0 waits for 1 things, is to write 1, is in the "
            "queue 0, and leaves 0 times"),
        ROW(Command, is_writing, 1, NULL),
        ROW(Command, is_conventional, 1,
            "drive: no host could ask for what command 0, of operation 1, "
            "has to do"),
        ROW(Command, select_all, 1, NULL),
        ROW(Command, ahead_stream_idx, 1,
            "commands: ahead_stream_idx of commands[0] is 1, must be at "
            "most 0, or none"),
        ROW(Command, ahead_stream_idx, -1, NULL),
        ROW(Command, ahead_row, 1,
            "drive: command 0 is of no row of reads"),
        ROW(Command, ahead_row, -1,
            "drive: command 0 is of no row of reads"),
        ROW(Command, link_until_at_ns, 1, NULL),
        ROW(Command, link_until_at_ns, -1,
            "commands: link_until_at_ns of commands[0] is "
            "18446744073709551615, must be at most 2305843009213693952"),
    };
    static const Row command_3_rows[] = {
        ROW(Command, parts_left, 1,
            "drive: command 1 waits for 2 things, must wait for 1"),
        ROW(Command, parts_left, -1,
            "drive: command 1 waits for 0 things, must wait for 1"),
        ROW(Command, writes, 1,
            "drive: no host could ask for what command 1, of operation 0, "
            "has to do"),
        ROW(Command, is_writing, 1, NULL),
        ROW(Command, is_conventional, 1,
            "drive: no host could ask for what command 1, of operation 0, "
            "has to do"),
        ROW(Command, select_all, 1, NULL),
        ROW(Command, ahead_stream_idx, 1,
            "commands: ahead_stream_idx of commands[1] is 1, must be at "
            "most 0, or none"),
        ROW(Command, ahead_stream_idx, -1, NULL),
        ROW(Command, ahead_row, 1,
            "drive: command 1 is of no row of reads"),
        ROW(Command, ahead_row, -1,
            "drive: command 1 is of no row of reads"),
        ROW(Command, link_until_at_ns, 1, NULL),
        ROW(Command, link_until_at_ns, -1,
            "commands: link_until_at_ns of commands[1] is "
            "18446744073709551615, must be at most 2305843009213693952"),
    };

    begin("zones=4 fe-read-ns=5000 fe-write-ns=7000 "
          "link-in-ns=100000000 link-out-ns=90000000 write-buffer=128K "
          "program-registers=1");
    drive_fill(drive, 0, 4);
    drive_write(drive, LATER, 4, 3);
    drive_read(drive, LATER, 0, 2);
    drive_read(drive, LATER, 2, 2);
    run_to(LATER + 9000);
    expect_rows(&ssd->entry.front, front_end_rows,
                G_N_ELEMENTS(front_end_rows));
    expect_rows(&ssd->link, link_rows, G_N_ELEMENTS(link_rows));
    expect_rows(&ssd->commands.at[0], command_2_rows,
                G_N_ELEMENTS(command_2_rows));
    expect_rows(&ssd->commands.at[1], command_3_rows,
                G_N_ELEMENTS(command_3_rows));
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-numbers/finish", test_finish);
    g_test_add_func("/sound-numbers/resets", test_resets);
    g_test_add_func("/sound-numbers/front-end", test_front_end);
    return g_test_run();
}
