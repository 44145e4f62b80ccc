/*
 * What is read of programs of the drive's own must be sound: how many have
 * begun, are under way, and end. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params_bounds.h"
#include "sound.h"

#define OWNS "channels=2 zones=4 own-program-after=2 own-program-ns=100000 "
#define PAGE_NS 725000 /* base drive: a page crosses and is programmed */

/* Three of the four programs that all gather for have begun, two end later. */
static void test_begun(void)
{
    Flash *flash;

    begin(OWNS);
    drive_write(drive, 0, 0, 3);
    run_to(PAGE_NS + 1);
    flash = &ssd->media.flash;
    g_assert_cmpuint(flash->begun, ==, 3);
    g_assert_cmpuint(flash->programming, ==, 1);
    let_in();
    SET(flash->begun, 2);
    let_in();
    SET(flash->begun, 4);
    let_in();
    SET(flash->begun, 5);
    refused("drive: 1 units program, must be 1; 5 programs since the drive's "
            "own");
    SET(flash->programming, 2);
    refused("drive: 2 units program, must be 1; 3 programs since the drive's "
            "own");
    SET(flash->programming, 0);
    refused("drive: 0 units program, must be 1; 3 programs since the drive's "
            "own");
    SET(flash->units[0].programs_own, true);
    refused("drive: unit 0 has 0 events of the drive's own program, must have "
            "1");
    end();
}

/* Units that gather have a program under way, or they would for ever. */
static void test_gathering(void)
{
    Flash *flash;

    begin(OWNS);
    drive_write(drive, 0, 0, 2);
    drive_drain(drive);
    flash = &ssd->media.flash;
    g_assert_cmpuint(flash->programming, ==, 0);
    let_in();
    SET(flash->begun, 3);
    let_in();
    SET(flash->begun, 4);
    refused("drive: 0 units program, must be 0; 4 programs since the drive's "
            "own");
    end();
}

/* The drive's own are under way: on each unit one, with an event of its end. */
static void test_own(void)
{
    Flash *flash;
    uint32_t first;

    begin(OWNS);
    drive_write(drive, 0, 0, 4);
    run_to(2 * 700000 + 2 * 25000 + 1);
    flash = &ssd->media.flash;
    first = flash_own_event(&flash->config);
    g_assert_cmpuint(flash->programming, ==, 2);
    g_assert_cmpuint(ssd->events.count, ==, 2);
    let_in();
    SET(flash->programming, 1);
    refused("drive: 1 units program, must be 2; 0 programs since the drive's "
            "own");
    SET(flash->units[0].programs_own, false);
    refused("drive: unit 0 has 1 events of the drive's own program, must have "
            "0");
    SET(ssd->events.events[1].payload, event_name(EVENT_FLASH, first));
    refused("drive: unit 0 has 2 events of the drive's own program, must have "
            "1");
    SET(ssd->events.events[1].payload, event_name(EVENT_FLASH, first + 2));
    refused("drive: an event of own program of unit 2, there are 2");
    end();
}

/* Each operation may have an event, each unit a suspension and one of these. */
static void test_room(void)
{
    const FlashConfig *config;

    begin("channels=5 ways=3 zones=4");
    config = &ssd->media.flash.config;
    g_assert_cmpuint(flash_own_event(config), ==, config->op_capacity + 5 * 3);
    g_assert_cmpuint(ssd->events.capacity, ==,
                     config->op_capacity + 2 * 5 * 3 +
                     params_bounds(&ssd->params).events);
    end();
}

/* While a unit has one of the drive's own, nothing else programs there. */
static void test_beside(void)
{
    Flash *flash;

    begin(OWNS "program-issue-ns=30000");
    drive_write(drive, 0, 0, 5);
    run_to(2 * (30000 + 700000) + 25000 + 30000 + 100000 + 1);
    flash = &ssd->media.flash;
    g_assert_false(flash->units[0].programs_own);
    g_assert_true(flash->units[1].programs_own);
    g_assert_cmpuint(ssd->events.count, ==, 1);
    let_in();
    SET(flash->units[0].programs_own, true);
    SET(flash->units[1].programs_own, false);
    SET(ssd->events.events[0].payload,
        event_name(EVENT_FLASH, flash_own_event(&flash->config)));
    refused("drive: unit 0 has a program of the drive's own, with 1 others");
    end();
}

/*
 * An idle unit may have what waits for the drive's own to end: a program, and
 * what is behind it, but no other operation.
 */
static void test_held(void)
{
    Flash *flash;
    FlashUnit *unit;

    begin(OWNS "channels=1 ");
    drive_write(drive, 0, 0, 3);
    run_to(2 * 25000 + 2 * 700000 + 1);
    flash = &ssd->media.flash;
    unit = &flash->units[0];
    g_assert_true(unit->programs_own);
    g_assert_cmpuint(unit->running_idx, ==, FLASH_NONE);
    g_assert_cmpuint(unit->work.head_idx, !=, FLASH_NONE);
    let_in();
    SET(flash->tokens[unit->work.head_idx].op.kind, FLASH_READ);
    refused("drive: unit 0 is idle, and has something to do");
    SET(unit->programs_own, false);
    refused("drive: unit 0 is idle, and has something to do");
    end();
}

/* Who is suspended programs, too. */
static void test_suspended(void)
{
    begin("channels=1 zones=4 own-program-after=2 own-program-ns=100000 "
          "reads-first=1 program-suspend=on suspend-ns=1000 resume-ns=1000 ");
    drive_fill(drive, 0, 1);
    drive_write(drive, LATER, 1, 1);
    drive_read(drive, LATER + 100000, 0, 1);
    run_to(LATER + 110000);
    g_assert_cmpuint(ssd->media.flash.units[0].suspended_idx, !=, FLASH_NONE);
    g_assert_cmpuint(ssd->media.flash.programming, ==, 1);
    let_in();
    end();
}

/* A drive that has none of its own counts nothing. */
static void test_none(void)
{
    begin("channels=2 zones=4");
    drive_write(drive, 0, 0, 3);
    run_to(PAGE_NS + 1);
    let_in();
    SET(ssd->media.flash.programming, 1);
    refused("drive: 1 units program, must be 0; 0 programs since the drive's "
            "own");
    SET(ssd->media.flash.begun, 1);
    refused("drive: 0 units program, must be 0; 1 programs since the drive's "
            "own");
    run_out(drive);
    event_heap_push(&ssd->events, drive->now_ns + LATER + 1,
                    event_name(EVENT_FLASH,
                               flash_own_event(&ssd->media.flash.config)));
    SET(ssd->media.flash.units[0].programs_own, true);
    refused("drive: unit 0 has a program of the drive's own, with 0 others");
    drive_free(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-own/begun", test_begun);
    g_test_add_func("/sound-own/gathering", test_gathering);
    g_test_add_func("/sound-own/own", test_own);
    g_test_add_func("/sound-own/room", test_room);
    g_test_add_func("/sound-own/beside", test_beside);
    g_test_add_func("/sound-own/held", test_held);
    g_test_add_func("/sound-own/suspended", test_suspended);
    g_test_add_func("/sound-own/none", test_none);
    return g_test_run();
}
