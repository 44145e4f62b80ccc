/*
 * What is read of a zone is sound: in a drive with a zone in each state, each
 * member that is another makes a zone that cannot be. sound.h says how that is
 * asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

#define CAPACITY 16

enum { EMPTY, OPENED, CLOSED, FULL, READ_ONLY, OFFLINE };

/* The zone, and no other, cannot be as it is; then it is as it was. */
static void cannot_be(uint32_t zone_idx)
{
    g_autofree char *begins =
        g_strdup_printf("namespaces: zone %u cannot be in state ", zone_idx);
    g_autofree char *text = said();

    g_assert_nonnull(text);
    g_assert_true(g_str_has_prefix(text, begins));
    put_back();
}

/* A zone in each state, none of them opened implicitly. Return: the zones. */
static ZoneEntry *begin_zones(void)
{
    begin("channels=1 zones=8 max-open=8 max-active=8");
    drive_zone_op(drive, 0, SSD_OP_ZONE_OPEN, OPENED);
    drive_fill(drive, CLOSED, 2);
    drive_zone_op(drive, drive->now_ns, SSD_OP_ZONE_CLOSE, CLOSED);
    drive_fill(drive, FULL, CAPACITY);
    ssd_zone_fail(ssd, drive->now_ns, 1, READ_ONLY, SSD_ZONE_READ_ONLY);
    ssd_zone_fail(ssd, drive->now_ns, 1, OFFLINE, SSD_ZONE_OFFLINE);
    drive_drain(drive);
    let_in();
    return ssd->ns.at[0].zones.zones;
}

static void test_states(void)
{
    ZoneEntry *zones = begin_zones();

    SET(zones[EMPTY].state, 5);
    cannot_be(EMPTY);
    SET(zones[OPENED].state, SSD_ZONE_IMPLICITLY_OPEN);
    cannot_be(OPENED);
    SET(zones[EMPTY].has_extension, true);
    cannot_be(EMPTY);
    SET(zones[OFFLINE].has_extension, true);
    cannot_be(OFFLINE);
    end();
}

static void test_pointers(void)
{
    ZoneEntry *zones = begin_zones();

    SET(zones[EMPTY].end_nlb, 1);
    cannot_be(EMPTY);
    SET(zones[CLOSED].end_nlb, 3);
    cannot_be(CLOSED);
    SET(zones[CLOSED].wp_nlb, CAPACITY);
    SET(zones[CLOSED].end_nlb, CAPACITY);
    cannot_be(CLOSED);
    SET(zones[EMPTY].wp_nlb, CAPACITY);
    cannot_be(EMPTY);
    SET(zones[CLOSED].end_nlb, 1);
    cannot_be(CLOSED);
    SET(zones[READ_ONLY].wp_nlb, 1);
    cannot_be(READ_ONLY);
    SET(zones[FULL].end_nlb, CAPACITY + 1);
    cannot_be(FULL);
    SET(zones[FULL].wp_nlb, CAPACITY - 1);
    cannot_be(FULL);
    end();
}

static void test_resources(void)
{
    ZoneEntry *zones = begin_zones();

    SET(zones[OPENED].holds_open, false);
    cannot_be(OPENED);
    SET(zones[FULL].holds_open, true);
    cannot_be(FULL);
    SET(zones[CLOSED].holds_open, true);
    cannot_be(CLOSED);
    SET(zones[CLOSED].holds_active, false);
    cannot_be(CLOSED);
    SET(zones[READ_ONLY].holds_active, true);
    cannot_be(READ_ONLY);
    SET(zones[OFFLINE].holds_active, true);
    cannot_be(OFFLINE);
    SET(zones[EMPTY].has_zrwa, true);
    cannot_be(EMPTY);
    SET(zones[CLOSED].has_zrwa, true);
    cannot_be(CLOSED);
    end();
}

/* The write pointer of a ZRWA stands between granules. */
static void test_zrwa(void)
{
    ZoneEntry *zones;

    begin("channels=1 page-size=8K zone-size=64K zrwa-size=16K");
    drive_zone_op(drive, 0, SSD_OP_ZONE_OPEN_ZRWA, OPENED);
    drive_write(drive, 0, CAPACITY * OPENED, 4);
    drive_drain(drive);
    let_in();
    zones = ssd->ns.at[0].zones.zones;
    SET(zones[OPENED].wp_nlb, 1);
    cannot_be(OPENED);
    end();
}

/* A job's zone as it was: pointers that no zone can have. */
static void test_was(void)
{
    static const struct {
        uint32_t wp_nlb, end_nlb;
        SsdZoneState state;
        bool has_zrwa;
    } bad[] = {
        { CAPACITY, CAPACITY, SSD_ZONE_IMPLICITLY_OPEN, false },
        { CAPACITY + 1, CAPACITY + 1, SSD_ZONE_IMPLICITLY_OPEN, false },
        { CAPACITY - 1, CAPACITY - 1, SSD_ZONE_FULL, false },
        { 1, CAPACITY + 1, SSD_ZONE_IMPLICITLY_OPEN, true },
        { 2, 1, SSD_ZONE_IMPLICITLY_OPEN, true },
        { 1, 2, SSD_ZONE_IMPLICITLY_OPEN, false },
    };
    Job *job;

    begin("channels=1 zrwa-size=16K max-active=4 max-zrwa=4");
    drive_fill(drive, 0, 1);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_FINISH, 0);
    let_in();
    job = &ssd->zns.jobs.at[ssd->zns.jobs.zones[0].head_idx];
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *wanted = g_strdup_printf(
            "zones: job 0 began with a zone in state %x, with write pointer "
            "%u, written up to %u", bad[i].state, bad[i].wp_nlb,
            bad[i].end_nlb);

        SET(job->was.wp_nlb, bad[i].wp_nlb);
        SET(job->was.end_nlb, bad[i].end_nlb);
        SET(job->was.state, bad[i].state);
        SET(job->was.has_zrwa, bad[i].has_zrwa);
        refused(wanted);
    }
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-zones/states", test_states);
    g_test_add_func("/sound-zones/pointers", test_pointers);
    g_test_add_func("/sound-zones/resources", test_resources);
    g_test_add_func("/sound-zones/zrwa", test_zrwa);
    g_test_add_func("/sound-zones/was", test_was);
    return g_test_run();
}
