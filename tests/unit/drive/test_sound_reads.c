/*
 * What is read of a unit is sound: reads whose command has not crossed their
 * channel yet, what runs and stops, and who owns an operation. sound.h says how
 * that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

#define COMMANDED "channels=1 zones=4 sense-command-ns=50000 "

static Flash *flash;
static FlashUnit *unit;

/* A read's command crosses, while its unit does nothing. */
static void begin_crossing(void)
{
    begin(COMMANDED);
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    run_to(LATER + 1000);
    flash = &ssd->media.flash;
    unit = &flash->units[0];
    g_assert_cmpuint(unit->running_idx, ==, FLASH_NONE);
    g_assert_false(flash->tokens[0].is_issued);
}

/* What crosses is not at its unit, nor in a queue of it. */
static void test_crosses(void)
{
    begin_crossing();
    let_in();
    SET(flash->tokens[0].at_unit, true);
    refused("drive: operation 0 of kind 0 cannot be in place 1 (1, 0), with "
            "bytes 0 to 4096");
    SET(unit->loads.head_idx, 0);
    SET(unit->loads.tail_idx, 0);
    SET(flash->tokens[0].next_idx, FLASH_NONE);
    refused("drive: operation 0 of kind 0 cannot be in place 4 (0, 0), with "
            "bytes 0 to 4096");
    SET(unit->work.head_idx, 0);
    SET(unit->work.tail_idx, 0);
    SET(flash->tokens[0].next_idx, FLASH_NONE);
    refused("drive: operation 0 of kind 0 cannot be in place 3 (0, 0), with "
            "bytes 0 to 4096");
    end();
}

/* A command waits for its channel, behind one that crosses. */
static void test_in_line(void)
{
    FlashChannel *channel;

    begin(COMMANDED "ways=2 ");
    drive_fill(drive, 0, 2);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER, 1, 1);
    run_to(LATER + 1000);
    flash = &ssd->media.flash;
    channel = &flash->channels[0];
    g_assert_cmpuint(channel->line.head_idx, ==, 0);
    let_in();
    SET(channel->crossing, 2);
    refused("drive: channel 0 has 2 operations that cross it, must have 1, or "
            "lets others wait for nothing");
    SET(flash->tokens[0].is_issued, true);
    refused("drive: operation 0 cannot wait for channel 0 in place 1");
    end();
}

/* A read that waits at its unit for what runs, and then for its command. */
static void test_waits(void)
{
    begin(COMMANDED);
    drive_fill(drive, 0, 1);
    drive_write(drive, LATER, 1, 1);
    run_to(LATER + 30000);
    drive_read(drive, LATER + 30000, 0, 1);
    flash = &ssd->media.flash;
    unit = &flash->units[0];
    g_assert_cmpuint(unit->work.head_idx, !=, FLASH_NONE);
    let_in();
    SET(flash->tokens[unit->work.head_idx].at_unit, false);
    refused("drive: operation 1 of kind 0 cannot be in place 3 (0, 0), with "
            "bytes 0 to 4096");
    run_to(LATER + 25000 + 700000 + 1000);
    g_assert_cmpuint(unit->running_idx, !=, FLASH_NONE);
    let_in();
    end();
}

#define SUSPENDED "channels=1 zones=4 program-registers=2 reads-first=2 " \
                  "program-suspend=on suspend-ns=1000 " \
                  "suspend-segment-ns=100000 "

/* What can stop and runs is the only one that has begun. */
static void test_two_programs(void)
{
    uint32_t next_idx;

    begin(SUSPENDED);
    drive_write(drive, 0, 0, 2);
    run_to(200000);
    flash = &ssd->media.flash;
    unit = &flash->units[0];
    next_idx = unit->work.head_idx;
    g_assert_cmpuint(next_idx, !=, FLASH_NONE);
    let_in();
    SET(unit->suspended_idx, next_idx);
    SET(unit->work.head_idx, FLASH_NONE);
    SET(unit->work.tail_idx, FLASH_NONE);
    refused("drive: unit 0 runs what can be suspended, in a way that cannot "
            "be");
    end();
}

/* While a program stops the time of its end may pass: it has no event then. */
static void test_stops(void)
{
    begin("channels=1 zones=4 program-registers=2 reads-first=2 "
          "program-suspend=on suspend-ns=200000 suspend-segment-ns=100000");
    drive_fill(drive, 0, 1);
    drive_write(drive, LATER, 1, 1);
    run_to(LATER + 25000 + 550000);
    drive_read(drive, drive->now_ns, 0, 1);
    run_to(LATER + 25000 + 750000);
    flash = &ssd->media.flash;
    unit = &flash->units[0];
    g_assert_cmpuint(unit->running_idx, !=, FLASH_NONE);
    g_assert_true(unit->suspending);
    g_assert_false(flash->tokens[unit->running_idx].has_event);
    let_in();
    end();
}

/* An erase waits for programs that are on their way, for one at least. */
static void test_awaits(void)
{
    FlashToken *erase;

    begin("channels=1 zones=4");
    drive_fill(drive, 0, 2);
    drive_write(drive, LATER, drive_zone_lba(drive, 1), 3);
    drive_zone_op(drive, LATER + 1, SSD_OP_ZONE_RESET, 0);
    flash = &ssd->media.flash;
    unit = &flash->units[0];
    g_assert_cmpuint(unit->erases.head_idx, !=, FLASH_NONE);
    erase = &flash->tokens[unit->erases.head_idx];
    g_assert_false(erase->is_issued); /* nobody asks, but it is stored */
    SET(erase->programs_before, unit->programs_arrived + 1);
    let_in();
    SET(erase->programs_before, unit->programs_arrived);
    refused("drive: erase 3 waits for 0 programs, 3 are on their way");
    end();
}

/* --- Owners in the log ---------------------------------------------------- */

/* What the log's cleaning loads goes to the unit, unless it is buffered. */
static void test_cleaning(void)
{
    uint64_t at_ns;
    FlashOp *op = NULL;

    begin_conv("page-size=16K zone-size=128K");
    flash = &ssd->media.flash;
    run_to_cleaning();
    at_ns = drive->now_ns;
    while (op == NULL && ssd->conv.victim != FTL_NONE) {
        SsdDone done;

        at_ns = ssd_next_step_at_ns(ssd);
        ssd_poll(ssd, at_ns, &done, 1);
        for (uint32_t i = 0; i < flash->fresh_idx; i++) {
            if (flash->tokens[i].op.kind == FLASH_LOAD &&
                owner_kind(flash->tokens[i].op.owner) == OWNER_CLEANING) {
                op = &flash->tokens[i].op;
            }
        }
    }
    g_assert_nonnull(op);
    drive->now_ns = at_ns;
    let_in();
    end();
}

/* A page of the log that the buffer programs is the log's. */
static void test_buffered(void)
{
    FlashOp *op;

    begin("conventional-buffer=on program-registers=1 buffer-portion=4K "
          "max-open=1 max-active=1 conventional-size=64K cmd-slots=8 "
          "write-buffer=256K");
    drive->nsid = ssd_ns_count(ssd);
    drive_write(drive, 0, 0, 8);
    run_to(1000);
    flash = &ssd->media.flash;
    op = &flash->tokens[0].op;
    g_assert_cmpint(owner_kind(op->owner), ==, OWNER_BUFFER);
    g_assert_true(conv_has_place(&ssd->conv, op->place_idx));
    SET(op->owner.word, owner_of(OWNER_BUFFER, 0).word);
    refused("drive: operation 0 of kind 2 and place 8 has an owner of kind "
            "3");
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-reads/crosses", test_crosses);
    g_test_add_func("/sound-reads/in-line", test_in_line);
    g_test_add_func("/sound-reads/waits", test_waits);
    g_test_add_func("/sound-reads/two-programs", test_two_programs);
    g_test_add_func("/sound-reads/stops", test_stops);
    g_test_add_func("/sound-reads/awaits", test_awaits);
    g_test_add_func("/sound-reads/cleaning", test_cleaning);
    g_test_add_func("/sound-reads/buffered", test_buffered);
    return g_test_run();
}
