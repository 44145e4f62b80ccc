/*
 * What is read of a unit is sound: each of its members, one more or one less
 * than it is, breaks the rule that is said here, or none; so is what events are
 * of. sound.h says how that is asked.
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

#define ROW(member_, by_, said_) \
    { offsetof(FlashUnit, member_), sizeof(((FlashUnit *)0)->member_), by_, \
      said_ }

static void expect_rows(const Row *rows, size_t count)
{
    FlashUnit *unit = &ssd->media.flash.units[0];

    for (size_t i = 0; i < count; i++) {
        void *at = (uint8_t *)unit + rows[i].offset;
        uint64_t value = 0;

        memcpy(&value, at, rows[i].bytes);
        set_bytes(at, rows[i].bytes, value + (uint64_t)(int64_t)rows[i].by);
        refused(rows[i].said);
    }
    end();
}

static void test_running(void)
{
    static const Row rows[] = {
        ROW(steps_waiting, 1,
            "drive: steps under way 0: 1, must be 0"),
        ROW(steps_waiting, -1,
            "drive: steps under way 0: 4294967295, must be 0"),
        ROW(running_idx, 1,
            "drive: operation 1 cannot be at unit 0 in place 6: it is of "
            "another, or in place 3"),
        ROW(running_idx, -1,
            "drive: operation 0 of kind 2 cannot be in place 1 (1, 1), with "
            "bytes 0 to 4096"),
        ROW(suspended_idx, 1,
            "drive: operation 0 cannot be at unit 0 in place 7: it is of "
            "another, or in place 6"),
        ROW(suspended_idx, -1,
            "flash: suspended_idx of unit_rows[0] is 4294967294, must be at "
            "most 3, or none"),
        ROW(reads_served, 1, NULL),
        ROW(reads_served, -1, NULL),
        ROW(reread_bytes, 1, NULL),
        ROW(reread_bytes, -1, NULL),
        ROW(drawn, 1, NULL),
        ROW(drawn, -1,
            "drive: unit 0 runs what can be suspended, in a way that cannot "
            "be"),
        ROW(run_from_at_ns, 1, NULL),
        ROW(run_from_at_ns, -1, NULL),
        ROW(run_until_at_ns, 1, NULL),
        ROW(run_until_at_ns, -1, NULL),
        ROW(point_at_ns, 1, NULL),
        ROW(point_at_ns, -1, NULL),
        ROW(suspending, 1,
            "drive: unit 0 stops: 1, and has 0 events for that"),
        ROW(left_ns, 1, NULL),
        ROW(left_ns, -1,
            "flash: left_ns of unit_rows[0] is 18446744073709551615, must "
            "be at most 2305843009213693952"),
        ROW(busy_since_at_ns, 1, NULL),
        ROW(busy_since_at_ns, -1, NULL),
        ROW(loaded, 1,
            "drive: unit 0 has 3 programs in registers and 2 on their way, "
            "must have 2 and 2"),
        ROW(loaded, -1,
            "drive: unit 0 has 1 programs in registers and 2 on their way, "
            "must have 2 and 2"),
        ROW(programs_issued, 1,
            "drive: unit 0 has 2 programs in registers and 3 on their way, "
            "must have 2 and 2"),
        ROW(programs_issued, -1,
            "drive: unit 0 has 2 programs in registers and 1 on their way, "
            "must have 2 and 2"),
        ROW(programs_arrived, 1,
            "drive: unit 0 has 2 programs in registers and 1 on their way, "
            "must have 2 and 2"),
        ROW(programs_arrived, -1,
            "drive: unit 0 has 2 programs in registers and 3 on their way, "
            "must have 2 and 2"),
    };

    begin("channels=1 program-registers=2 reads-first=2 program-suspend=on "
          "suspend-ns=1000 suspend-segment-ns=100000 zones=4");
    drive_write(drive, 0, 0, 4);
    run_to(230000);
    expect_rows(rows, G_N_ELEMENTS(rows));
}

static void test_suspended(void)
{
    static const Row rows[] = {
        ROW(steps_waiting, 1,
            "drive: steps under way 0: 1, must be 0"),
        ROW(steps_waiting, -1,
            "drive: steps under way 0: 4294967295, must be 0"),
        ROW(running_idx, 1,
            "flash: running_idx of unit_rows[0] is 6, must be at most 5, or "
            "none"),
        ROW(running_idx, -1,
            "drive: operation 4 of kind 0 cannot be in place 6 (0, 0), with "
            "bytes 0 to 4096"),
        ROW(suspended_idx, 1,
            "drive: operation 2 cannot be at unit 0 in place 7: it is of "
            "another, or in place 4"),
        ROW(suspended_idx, -1,
            "drive: operation 0 cannot be at unit 0 in place 7: it is of "
            "another, or in place 3"),
        ROW(reads_served, 1, NULL),
        ROW(reads_served, -1, NULL),
        ROW(reread_bytes, 1, NULL),
        ROW(reread_bytes, -1, NULL),
        ROW(drawn, 1, NULL),
        ROW(drawn, -1, NULL),
        ROW(run_from_at_ns, 1, NULL),
        ROW(run_from_at_ns, -1, NULL),
        ROW(run_until_at_ns, 1, NULL),
        ROW(run_until_at_ns, -1, NULL),
        ROW(point_at_ns, 1, NULL),
        ROW(point_at_ns, -1, NULL),
        ROW(left_ns, 1, NULL),
        ROW(left_ns, -1, NULL),
        ROW(busy_since_at_ns, 1, NULL),
        ROW(busy_since_at_ns, -1, NULL),
        ROW(loaded, 1,
            "drive: unit 0 has 3 programs in registers and 2 on their way, "
            "must have 2 and 2"),
        ROW(loaded, -1,
            "drive: unit 0 has 1 programs in registers and 2 on their way, "
            "must have 2 and 2"),
        ROW(programs_issued, 1,
            "drive: unit 0 has 2 programs in registers and 3 on their way, "
            "must have 2 and 2"),
        ROW(programs_issued, -1,
            "drive: unit 0 has 2 programs in registers and 1 on their way, "
            "must have 2 and 2"),
        ROW(programs_arrived, 1,
            "drive: unit 0 has 2 programs in registers and 1 on their way, "
            "must have 2 and 2"),
        ROW(programs_arrived, -1,
            "drive: unit 0 has 2 programs in registers and 3 on their way, "
            "must have 2 and 2"),
    };

    begin("channels=1 program-registers=2 reads-first=2 program-suspend=on "
          "suspend-ns=1000 suspend-segment-ns=100000 zones=4");
    drive_fill(drive, 0, 2);
    drive_write(drive, LATER, 2, 4);
    drive_read(drive, LATER + 100000, 0, 1);
    drive_read(drive, LATER + 100000, 0, 1);
    run_to(LATER + 190000);
    expect_rows(rows, G_N_ELEMENTS(rows));
}

static void test_reading(void)
{
    static const Row rows[] = {
        ROW(steps_waiting, 1,
            "drive: steps under way 0: 1, must be 0"),
        ROW(steps_waiting, -1,
            "drive: steps under way 0: 4294967295, must be 0"),
        ROW(running_idx, 1,
            "drive: operation 2 cannot be at unit 0 in place 6: it is of "
            "another, or in place 3"),
        ROW(running_idx, -1,
            "drive: operation 0 cannot be at unit 0 in place 6: it is of "
            "another, or in place 2"),
        ROW(suspended_idx, 1,
            "drive: operation 0 cannot be at unit 0 in place 7: it is of "
            "another, or in place 2"),
        ROW(suspended_idx, -1,
            "flash: suspended_idx of unit_rows[0] is 4294967294, must be at "
            "most 2, or none"),
        ROW(reads_served, 1, NULL),
        ROW(reads_served, -1, NULL),
        ROW(reread_bytes, 1, NULL),
        ROW(reread_bytes, -1, NULL),
        ROW(drawn, 1, NULL),
        ROW(drawn, -1,
            "flash: drawn of unit_rows[0] is 4294967295, must be at most 64"),
        ROW(run_from_at_ns, 1, NULL),
        ROW(run_from_at_ns, -1, NULL),
        ROW(run_until_at_ns, 1, NULL),
        ROW(run_until_at_ns, -1, NULL),
        ROW(point_at_ns, 1, NULL),
        ROW(point_at_ns, -1,
            "flash: point_at_ns of unit_rows[0] is 18446744073709551615, "
            "must be at most 2305843009213693952"),
        ROW(suspending, 1, NULL),
        ROW(left_ns, 1, NULL),
        ROW(left_ns, -1,
            "flash: left_ns of unit_rows[0] is 18446744073709551615, must "
            "be at most 2305843009213693952"),
        ROW(busy_since_at_ns, 1, NULL),
        ROW(busy_since_at_ns, -1, NULL),
        ROW(loaded, 1,
            "drive: unit 0 has 2 programs in registers and 0 on their way, "
            "must have 1 and 0"),
        ROW(loaded, -1,
            "drive: unit 0 has 0 programs in registers and 0 on their way, "
            "must have 1 and 0"),
        ROW(programs_issued, 1,
            "drive: unit 0 has 1 programs in registers and 1 on their way, "
            "must have 1 and 0"),
        ROW(programs_issued, -1,
            "drive: unit 0 has 1 programs in registers and 4294967295 on "
            "their way, must have 1 and 0"),
        ROW(programs_arrived, 1,
            "drive: unit 0 has 1 programs in registers and 4294967295 on "
            "their way, must have 1 and 0"),
        ROW(programs_arrived, -1,
            "drive: unit 0 has 1 programs in registers and 1 on their way, "
            "must have 1 and 0"),
    };

    begin("channels=1 reads-first=2 zones=4");
    drive_fill(drive, 0, 2);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER, 0, 1);
    drive_write(drive, LATER, 2, 1);
    run_to(LATER + 30000);
    expect_rows(rows, G_N_ELEMENTS(rows));
}

static void test_erasing(void)
{
    static const Row rows[] = {
        ROW(steps_waiting, 1,
            "drive: steps under way 0: 1, must be 0"),
        ROW(steps_waiting, -1,
            "drive: steps under way 0: 4294967295, must be 0"),
        ROW(running_idx, 1,
            "drive: operation 2 cannot be at unit 0 in place 6: it is of "
            "another, or in place 4"),
        ROW(running_idx, -1,
            "drive: operation 0 cannot be at unit 0 in place 6: it is of "
            "another, or in place 3"),
        ROW(suspended_idx, 1,
            "drive: operation 0 cannot be at unit 0 in place 7: it is of "
            "another, or in place 3"),
        ROW(suspended_idx, -1,
            "flash: suspended_idx of unit_rows[0] is 4294967294, must be at "
            "most 2, or none"),
        ROW(reads_served, 1, NULL),
        ROW(reads_served, -1, NULL),
        ROW(reread_bytes, 1, NULL),
        ROW(reread_bytes, -1, NULL),
        ROW(drawn, 1, NULL),
        ROW(drawn, -1,
            "flash: drawn of unit_rows[0] is 4294967295, must be at most 64"),
        ROW(run_from_at_ns, 1, NULL),
        ROW(run_from_at_ns, -1, NULL),
        ROW(run_until_at_ns, 1, NULL),
        ROW(run_until_at_ns, -1, NULL),
        ROW(point_at_ns, 1, NULL),
        ROW(point_at_ns, -1,
            "flash: point_at_ns of unit_rows[0] is 18446744073709551615, "
            "must be at most 2305843009213693952"),
        ROW(suspending, 1, NULL),
        ROW(left_ns, 1, NULL),
        ROW(left_ns, -1,
            "flash: left_ns of unit_rows[0] is 18446744073709551615, must "
            "be at most 2305843009213693952"),
        ROW(busy_since_at_ns, 1, NULL),
        ROW(busy_since_at_ns, -1, NULL),
        ROW(loaded, 1,
            "drive: unit 0 has 2 programs in registers and 1 on their way, "
            "must have 1 and 1"),
        ROW(loaded, -1,
            "drive: unit 0 has 0 programs in registers and 1 on their way, "
            "must have 1 and 1"),
        ROW(programs_issued, 1,
            "drive: unit 0 has 1 programs in registers and 2 on their way, "
            "must have 1 and 1"),
        ROW(programs_issued, -1,
            "drive: unit 0 has 1 programs in registers and 0 on their way, "
            "must have 1 and 1"),
        ROW(programs_arrived, 1,
            "drive: unit 0 has 1 programs in registers and 0 on their way, "
            "must have 1 and 1"),
        ROW(programs_arrived, -1,
            "drive: unit 0 has 1 programs in registers and 2 on their way, "
            "must have 1 and 1"),
    };

    begin("channels=1 zones=4 program-registers=1");
    drive_fill(drive, 0, 2);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    drive_write(drive, LATER + 1, drive_zone_lba(drive, 1), 2);
    run_to(LATER + 100000);
    expect_rows(rows, G_N_ELEMENTS(rows));
}

/* A read that nothing can suspend has the event of its end. */
static void test_endless(void)
{
    uint32_t running_idx;

    begin("channels=1 zones=4");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    run_to(LATER + 30000);
    running_idx = ssd->media.flash.units[0].running_idx;
    SET(ssd->media.flash.tokens[running_idx].has_event, false);
    SET(ssd->events.lanes[FLASH_LANE_READS].count, 0);
    refused("drive: what unit 0 runs never ends");
    end();
}

static void expect_event(uint32_t *payload, EventRoom room, uint32_t end,
                         const char *what)
{
    g_autofree char *wanted =
        g_strdup_printf("drive: an event of %s %u, there are %u", what, end,
                        end);

    SET(*payload, event_name(room, end));
    refused(wanted);
    if (end > 0) {
        g_autofree char *text = NULL;

        SET(*payload, event_name(room, end - 1));
        text = said();
        g_assert_false(text && g_str_has_prefix(text, "drive: an event"));
        put_back();
    }
}

/* An event is of something that there is, and has not passed. */
static void test_events(void)
{
    Event *event;
    uint64_t *at_ns;

    begin("channels=1 zones=4");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, drive->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_drain(drive);
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    run_to(LATER + 30000);
    event = &ssd->events.lanes[FLASH_LANE_READS]
             .events[ssd->events.lanes[FLASH_LANE_READS].head];
    expect_event(&event->payload, EVENT_FLASH, ssd->media.flash.fresh_idx,
                 "operation");
    SET(event->payload,
        event_name(EVENT_FLASH, ssd->media.flash.config.op_capacity + 2));
    refused("drive: an event of own program of unit 1, there are 1");
    SET(event->payload,
        event_name(EVENT_FLASH, ssd->media.flash.config.op_capacity + 1));
    refused("drive: operation 0 in place 6 has 0 events, must have 1");
    SET(event->payload,
        event_name(EVENT_FLASH, ssd->media.flash.config.op_capacity));
    refused("drive: operation 0 in place 6 has 0 events, must have 1");
    expect_event(&event->payload, EVENT_LEAVING, drive->params.cmd_slots,
                 "command");
    expect_event(&event->payload, EVENT_BUFFER, 1, "the buffer's unit");
    expect_event(&event->payload, EVENT_JOB, ssd->zns.jobs.fresh_idx, "job");
    expect_event(&event->payload, EVENT_FRONT, 1, "the front end");
    expect_event(&event->payload, EVENT_LINK, 1, "the link");
    expect_event(&event->payload, EVENT_RESET, 1, "resets");
    expect_event(&event->payload, EVENT_STEP, 1, "steps");
    SET(event->payload, UINT32_MAX);
    refused("drive: an event of nobody 4294967295, there are 0");

    at_ns = (uint64_t *)&event->key + 1;
    SET(*at_ns, LATER + 30000 - 1);
    refused("drive: an event at 1000029999 ns, it is 1000030000 ns");
    SET(*at_ns, LATER + 30000);
    let_in();
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-units/running", test_running);
    g_test_add_func("/sound-units/suspended", test_suspended);
    g_test_add_func("/sound-units/reading", test_reading);
    g_test_add_func("/sound-units/erasing", test_erasing);
    g_test_add_func("/sound-units/events", test_events);
    g_test_add_func("/sound-units/endless", test_endless);
    return g_test_run();
}
