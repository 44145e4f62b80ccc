/*
 * What is read of commands and resets is sound: what they have to do, a host
 * could have asked for. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

/* A read has no ranges, and those of a copy are no more than mdts in all. */
static void test_ranges(void)
{
    Command *command;
    uint32_t idx;

    begin("channels=1 mdts=32K zasl=16K");
    drive_fill(drive, 0, 16);
    idx = ssd->commands.free_idx;
    command = &ssd->commands.at[idx];
    drive_read(drive, LATER, 0, 1);
    commands_ranges(&ssd->commands, idx)[0] = (Span) { 0 };
    let_in();
    SET(command->range_count, 1);
    refused("drive: no host could ask for what command 0, of operation 0, "
            "has to do");
    drive_drain(drive);
    idx = ssd->commands.free_idx;
    command = &ssd->commands.at[idx];
    drive_copy(drive, 2 * LATER, drive_zone_lba(drive, 1), 0, 8);
    let_in();
    SET(commands_ranges(&ssd->commands, idx)[0].end_bytes, 9 * 4096);
    refused("drive: no host could ask for what command 0, of operation 7, "
            "has to do");
    end();
}

/* A range ends where it begins, or behind that; a read of the log has none. */
static void test_ranges_of_log(void)
{
    SsdRange range = { .slba = 1, .nlb = 1 };
    Span *span;

    begin_conv("fe-read-ns=1000000");
    drive_read(drive, 0, 0, 1);
    drive_deallocate(drive, 0, &range, 1);
    span = commands_ranges(&ssd->commands, 1);
    g_assert_cmpuint(span->end_bytes, ==, 8192);
    SET(span->end_bytes, 4096);
    let_in();
    SET(span->end_bytes, 4095);
    refused("drive: no host could ask for what command 1, of operation 8, "
            "has to do");
    commands_ranges(&ssd->commands, 0)[0] = (Span) { 0 };
    SET(ssd->commands.at[0].range_count, 1);
    refused("drive: no host could ask for what command 0, of operation 0, "
            "has to do");
    end();
}

/* A write of a zone moves its write pointer by no more than mdts. */
static void test_moved(void)
{
    Command *command;

    begin("channels=1 mdts=32K");
    drive_fill(drive, 0, 12);
    command = &ssd->commands.at[ssd->commands.free_idx];
    drive_write(drive, LATER, 12, 1);
    SET(command->write.wp_from_bytes, 5 * 4096);
    let_in();
    SET(command->write.wp_from_bytes, 4 * 4096);
    refused("drive: no host could ask for what command 0, of operation 1, "
            "has to do");
    end();
}

/* Programs wait for a reset that is under way, not for one that was. */
static void test_locked(void)
{
    begin("reset-drains=on reset-lock-ns=1000000");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    drive_drain(drive);
    let_in();
    SET(ssd->reset.phase, RESET_UNMAPPED);
    let_in();
    SET(ssd->reset.phase, RESET_UNMAPPED);
    SET(ssd->media.flash.locked, true);
    refused("drive: programs wait for no reset");
    end();
}

/* Without a buffer no room of it becomes free, of no unit. */
static void test_no_buffer(void)
{
    for (uint32_t unit_idx = 0; unit_idx < 2; unit_idx++) {
        g_autofree char *wanted = g_strdup_printf(
            "drive: releases of unit %u: 1, must be 0", unit_idx);

        begin("");
        event_heap_push(&ssd->events, LATER,
                        event_name(EVENT_BUFFER, unit_idx));
        refused(wanted);
        drive_free(drive);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-commands/ranges", test_ranges);
    g_test_add_func("/sound-commands/ranges-of-log", test_ranges_of_log);
    g_test_add_func("/sound-commands/moved", test_moved);
    g_test_add_func("/sound-commands/locked", test_locked);
    g_test_add_func("/sound-commands/no-buffer", test_no_buffer);
    return g_test_run();
}
