/*
 * What is read of queues and lists is sound: an operation, a line or a command
 * that is in one twice, out of order, or not the first of its kind breaks the
 * rule that is said here. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"
#include "ssd_why.h"

/* Operations of a unit */

/* A read that runs waits in a queue instead, and nothing runs. */
static void expect_idle(const char *words, size_t queue_offset)
{
    Flash *flash;
    FlashUnit *unit;
    FlashQueue *queue;

    begin(words);
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    run_to(LATER + 30000);
    flash = &ssd->media.flash;
    unit = &flash->units[0];
    queue = (FlashQueue *)((char *)unit + queue_offset);
    SET(queue->head_idx, unit->running_idx);
    SET(flash->tokens[unit->running_idx].has_event, false);
    SET(ssd->events.lanes[FLASH_LANE_READS].count, 0);
    SET(unit->running_idx, FLASH_NONE);
    refused("drive: unit 0 is idle, and has something to do");
    end();
}

static void test_idle(void)
{
    expect_idle("channels=1 zones=4", offsetof(FlashUnit, work));
    expect_idle("channels=1 zones=4 reads-first=2",
                offsetof(FlashUnit, reads));
}

/* Of two erases the first waits for fewer programs. */
static void test_erases(void)
{
    Flash *flash;
    FlashToken *first, *second;

    begin("channels=1 zones=4");
    drive_fill(drive, 0, 2);
    drive_fill(drive, 1, 2);
    drive_write(drive, LATER, drive_zone_lba(drive, 2), 3);
    drive_zone_op(drive, LATER + 1, SSD_OP_ZONE_RESET, 0);
    drive_write(drive, LATER + 2, drive_zone_lba(drive, 3), 1);
    drive_zone_op(drive, LATER + 3, SSD_OP_ZONE_RESET, 1);
    flash = &ssd->media.flash;
    first = &flash->tokens[flash->units[0].erases.head_idx];
    second = &flash->tokens[first->next_idx];
    SET(second->programs_before, first->programs_before);
    let_in();
    SET(second->programs_before, first->programs_before - 1);
    refused("drive: erase 5 waits for 2 programs, 4 are on their way");
    SET(second->programs_before, first->programs_before + 2);
    refused("drive: erase 5 waits for 5 programs, 4 are on their way");
    SET(first->programs_before, flash->units[0].programs_arrived);
    refused("drive: erase 3 waits for 0 programs, 4 are on their way");
    end();
}

/* A line stands aside for room of its zone's, not of the buffer's. */
static void test_aside(void)
{
    Turns *turns;

    begin("write-buffer=64K zone-buffer=24K max-active=4 program-registers=1 "
          "buffer-portion=4K take-turns=on");
    for (uint32_t zone_idx = 0; zone_idx < 3; zone_idx++) {
        drive_write(drive, 0, drive_zone_lba(drive, zone_idx), 6);
    }
    run_to(1);
    turns = &ssd->buffer.turns;
    let_in();
    SET(turns->lines[2].is_aside, true);
    SET(turns->groups[0].first_line_idx, TURNS_NONE);
    SET(turns->first_group_idx, TURNS_NONE);
    refused("drive: line 2 stands aside, and has room");
    end();
}

/* What is suspended was at the unit, and is of a kind that can be. */
static void test_suspended(void)
{
    Flash *flash;
    FlashToken *token;

    begin("channels=1 reads-first=2 program-suspend=on suspend-ns=1000 "
          "zones=4");
    drive_fill(drive, 0, 1);
    drive_write(drive, LATER, 1, 1);
    drive_read(drive, LATER + 100000, 0, 1);
    run_to(LATER + 150000);
    flash = &ssd->media.flash;
    token = &flash->tokens[flash->units[0].suspended_idx];
    SET(token->at_unit, false);
    refused("drive: operation 0 of kind 2 cannot be in place 7 (0, 1), with "
            "bytes 0 to 4096");
    SET(token->op.kind, FLASH_READ);
    refused("drive: operation 0 of kind 0 cannot be in place 7 (1, 1), with "
            "bytes 0 to 4096");
    end();
}

/* The ring of free lines */

static void test_ring(void)
{
    Ftl *ftl;

    begin(CONV);
    ftl = &ssd->conv.ftl;
    SET(ftl->free_ring[1], ftl->free_ring[0]);
    refused("conventional: line 0 is in the ring of free ones twice");
    end();
}

/* The write buffer's pages */

static void test_pages(void)
{
    Stream *stream;

    begin(BUFFER "channels=1 zone-buffer=36K");
    for (uint32_t z = 0; z < 2; z++) {
        drive_write(drive, 0, drive_zone_lba(drive, z), 4);
    }
    run_to(100000);
    stream = &ssd->buffer.streams[1];
    g_assert_cmpuint(stream->formed_bytes, >, 0);
    SET(stream->held_bytes, stream->formed_bytes - 4096);
    refused("buffer: zone 1 has 16384 bytes in complete pages, of 12288 that "
            "it holds, of 16384 that it uses, of at most 36864");
    SET(stream->used_bytes, stream->used_bytes + 4096);
    refused("drive: bytes in the buffer of zone 1: 20480, must be 16384");
    end();
}

/* An erase that is suspended gives nothing back: it may end when it will. */
static void test_release(void)
{
    uint64_t gone_at_ns;
    FlashUnit *unit;

    begin("channels=1 zones=4 write-buffer=64K program-registers=1 "
          "max-active=1 max-open=1 buffer-release-ns=200000 reads-first=1 "
          "erase-suspend=on suspend-ns=1000");
    drive_fill(drive, 0, 16);
    drive_fill(drive, 1, 16);
    drive_write(drive, LATER, drive_zone_lba(drive, 2), 1);
    drive_zone_op(drive, LATER + 1, SSD_OP_ZONE_RESET, 0);
    drive_read(drive, LATER + 800000, drive_zone_lba(drive, 1), 1);
    run_to(LATER + 810000);
    unit = &ssd->media.flash.units[0];
    g_assert_cmpuint(unit->suspended_idx, !=, FLASH_NONE);
    g_assert_cmpuint(ssd->buffer.units[0].unreleased_bytes, ==, 4096);
    gone_at_ns = ssd->buffer.units[0].programmed_at_ns + 200000;
    SET(unit->left_ns, gone_at_ns - ssd->run_at_ns);
    let_in();
    end();
}

/* Pages */

/* A zone of 16 pages has four rows of units; one of five has two. */
static void test_rows(void)
{
    begin("channels=4 zones=4");
    drive_fill(drive, 0, 16);
    g_assert_cmpuint(ssd->media.programmed_rows[0], ==, 4);
    SET(ssd->media.programmed_rows[0], 5);
    refused("media: programmed_rows of programmed_rows[0] is 5, must be at "
            "most 4");
    end();

    begin("channels=4 zones=4 zone-capacity=20K");
    drive_fill(drive, 0, 5);
    g_assert_cmpuint(ssd->media.programmed_rows[0], ==, 2);
    SET(ssd->media.programmed_rows[0], 3);
    refused("media: programmed_rows of programmed_rows[0] is 3, must be at "
            "most 2");
    end();
}

/* Programs of the second epoch: the first one's are as they are. */
static void test_epochs(void)
{
    begin("channels=1 zones=4");
    SET(ssd->media.programs.pending[1], 1);
    refused("drive: programs of epoch 1: 1, must be 0");
    drive_free(drive);
    begin("channels=1 zones=4");
    SET(ssd->media.programs.of_unit[0], 1);
    refused("drive: programs of unit 0: 1, must be 0");
    end();
}

/* A log of what was busy goes on with what it holds, from the oldest on. */
static void test_busy_log(void)
{
    for (uint32_t size = 1; size < 4; size++) {
        SsdBusy kept[4], read[4];
        GByteArray *bytes;
        Ssd *loaded;

        begin("channels=1 zones=4");
        ssd_busy_log_start(ssd, size);
        drive_fill(drive, 0, 2);
        bytes = ssd_save(ssd);
        loaded = ssd_load(&drive->params, bytes->data, bytes->len, NULL);
        g_assert_cmpuint(ssd_busy_log_take(ssd, kept, 4), ==, size);
        g_assert_cmpuint(ssd_busy_log_take(loaded, read, 4), ==, size);
        for (uint32_t i = 0; i < size; i++) {
            g_assert_cmpuint(read[i].begin_at_ns, ==, kept[i].begin_at_ns);
            g_assert_cmpuint(read[i].end_at_ns, ==, kept[i].end_at_ns);
            g_assert_cmpuint(read[i].is_channel, ==, kept[i].is_channel);
            g_assert_cmpstr(read[i].what, ==, kept[i].what);
        }
        g_byte_array_unref(bytes);
        ssd_free(loaded);
        end();
    }
}

/* Commands */

/* Jobs of the second command: the first one's are in order. */
static void test_command_jobs(void)
{
    begin("zones=4 max-active=4 reset-base-ns=200000");
    for (uint32_t z = 0; z < 2; z++) {
        drive_fill(drive, z, 2);
    }
    for (uint32_t z = 0; z < 2; z++) {
        drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, z);
    }
    run_to(LATER + 1000);
    SET(ssd->commands.at[1].select_all, true);
    refused("drive: job 1 is in the list of command 1");
    end();
}

/* A superblock is erased by a reset that runs, and is of it. */
static void test_eraser(void)
{
    begin("zones=4 max-active=4");
    drive_fill(drive, 1, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 1);
    run_to(LATER + 1000);
    for (uint32_t job_idx = 0; job_idx < 3; job_idx++) {
        g_autofree char *wanted =
            g_strdup_printf("drive: superblock 1 is erased by job %u, which "
                            "is another", job_idx);

        if (job_idx < ssd->zns.jobs.fresh_idx) {
            SET(ssd->zns.jobs.at[job_idx].superblock_idx, 1);
        }
        SET(ssd->media.eraser_of[1], job_idx);
        refused(wanted);
    }
    end();
}

/* A job that is free is in the queue of no zone: nothing would end it. */
static void test_free_job(void)
{
    JobQueue *queue;

    begin("zones=4");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    drive_drain(drive);
    queue = &ssd->zns.jobs.zones[0];
    g_assert_cmpuint(ssd->zns.jobs.free_idx, ==, 0);
    SET(queue->head_idx, 0);
    SET(queue->tail_idx, 0);
    SET(ssd->zns.jobs.at[0].next_of_zone_idx, SSD_NONE);
    refused("drive: job 0 is in the queue of zone 0");
    end();
}

/*
 * Zones that take turns hold up nobody, but a state may say so: then it is for
 * who is the first to wait for room, whose line is that of zone 1.
 */
static void test_held_in_turns(void)
{
    g_autoptr(GArray) causes = NULL;
    const SsdCause *cause;
    uint32_t write, read;

    begin("write-buffer=72K zone-buffer=36K max-active=2 max-open=2 "
          "program-registers=1 fe-read-ns=1000 take-turns=on");
    write = drive_write(drive, 0, drive_zone_lba(drive, 1), 12);
    read = drive_read(drive, 1, 0, 1);
    run_to(10);
    SET(ssd->buffer.holds_up, true);
    SET(ssd->events.lanes[LANE_FRONT].count, 0);
    causes = ssd_why(ssd, read);
    cause = &g_array_index(causes, SsdCause, 0);
    g_assert_cmpuint(causes->len, ==, 1);
    g_assert_cmpint(cause->place, ==, SSD_PLACE_FRONT_HELD);
    g_assert_cmpint(cause->who.kind, ==, SSD_WHO_COMMAND);
    g_assert_cmpuint(cause->who.tag, ==, write);
    let_in();
    end();
}

/* A command is of a namespace that there is. */
static void test_namespace(void)
{
    uint32_t *nsid;

    begin("channels=1 namespaces=2 zones=4");
    drive_write(drive, 0, 0, 1);
    run_to(100);
    nsid = &ssd->commands.at[0].done.nsid;
    SET(*nsid, 0);
    refused("drive: a command of namespace 0, there are 2");
    SET(*nsid, 3);
    refused("drive: a command of namespace 3, there are 2");
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-queues/idle", test_idle);
    g_test_add_func("/sound-queues/erases", test_erases);
    g_test_add_func("/sound-queues/aside", test_aside);
    g_test_add_func("/sound-queues/suspended", test_suspended);
    g_test_add_func("/sound-queues/ring", test_ring);
    g_test_add_func("/sound-queues/pages", test_pages);
    g_test_add_func("/sound-queues/release", test_release);
    g_test_add_func("/sound-queues/rows", test_rows);
    g_test_add_func("/sound-queues/epochs", test_epochs);
    g_test_add_func("/sound-queues/busy-log", test_busy_log);
    g_test_add_func("/sound-queues/command-jobs", test_command_jobs);
    g_test_add_func("/sound-queues/eraser", test_eraser);
    g_test_add_func("/sound-queues/free-job", test_free_job);
    g_test_add_func("/sound-queues/held-in-turns", test_held_in_turns);
    g_test_add_func("/sound-queues/namespace", test_namespace);
    return g_test_run();
}
