/*
 * Which zones are in a state, or have an attribute: ssd_next_zone() and
 * ssd_count_zones(), ssd_next_attributed() and ssd_count_attributed() beside a
 * look at each zone, on drives with more zones than one run of an IndexSet has.
 *
 * Knows nothing of how zones come into their states.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

#define NSID 2
#define WORDS "namespaces=2 zone-size=64K page-size=4K channels=1 zones="

static const SsdZoneState states[] = {
    SSD_ZONE_EMPTY, SSD_ZONE_IMPLICITLY_OPEN, SSD_ZONE_EXPLICITLY_OPEN,
    SSD_ZONE_CLOSED, SSD_ZONE_READ_ONLY, SSD_ZONE_FULL, SSD_ZONE_OFFLINE,
};

static uint32_t zones_of(const Ssd *ssd)
{
    return ssd_ns_info(ssd, NSID).zones;
}

/* From the last zone down, so that next and count of each follow. */
static void check_state(const Ssd *ssd, SsdZoneState state)
{
    uint32_t zones = zones_of(ssd);
    uint32_t next = zones;
    uint32_t count = 0;

    g_assert_cmpuint(ssd_next_zone(ssd, NSID, zones, state), ==, zones);
    g_assert_cmpuint(ssd_count_zones(ssd, NSID, zones, state), ==, 0);
    for (uint32_t i = zones; i-- > 0;) {
        if (ssd_zone(ssd, NSID, i).state == state) {
            next = i;
            count++;
        }
        g_assert_cmpuint(ssd_next_zone(ssd, NSID, i, state), ==, next);
        g_assert_cmpuint(ssd_count_zones(ssd, NSID, i, state), ==, count);
    }
}

static bool has_attribute(const SsdZone *zone)
{
    return zone->finished_by_controller || zone->finish_recommended ||
           zone->reset_recommended;
}

/* Return: the zone with all attributes that a zone has. */
static SsdZone check_attributes(const Ssd *ssd)
{
    SsdZone any = { 0 };
    uint32_t zones = zones_of(ssd);
    uint32_t next = zones;
    uint32_t count = 0;

    g_assert_cmpuint(ssd_next_attributed(ssd, NSID, zones), ==, zones);
    g_assert_cmpuint(ssd_count_attributed(ssd, NSID, zones), ==, 0);
    for (uint32_t i = zones; i-- > 0;) {
        SsdZone zone = ssd_zone(ssd, NSID, i);

        any.finished_by_controller |= zone.finished_by_controller;
        any.finish_recommended |= zone.finish_recommended;
        any.reset_recommended |= zone.reset_recommended;
        if (has_attribute(&zone)) {
            next = i;
            count++;
        }
        g_assert_cmpuint(ssd_next_attributed(ssd, NSID, i), ==, next);
        g_assert_cmpuint(ssd_count_attributed(ssd, NSID, i), ==, count);
    }
    return any;
}

static void check(const Ssd *ssd)
{
    check_attributes(ssd);
    for (unsigned i = 0; i < G_N_ELEMENTS(states); i++) {
        check_state(ssd, states[i]);
    }
}

/* Something is done to a zone, or nothing if its state forbids that. */
static void change(Drive *d, uint32_t zone_idx, unsigned what)
{
    static const SsdOp ops[] = {
        SSD_OP_ZONE_OPEN, SSD_OP_ZONE_CLOSE, SSD_OP_ZONE_FINISH,
        SSD_OP_ZONE_RESET, SSD_OP_ZONE_OFFLINE, SSD_OP_WRITE,
    };

    if (what < G_N_ELEMENTS(ops)) {
        drive_try(d, d->now_ns, ops[what], drive_zone_lba(d, zone_idx), 1);
        drive_drain(d);
    } else {
        ssd_zone_fail(d->ssd, d->now_ns, NSID, zone_idx,
                      SSD_ZONE_READ_ONLY);
    }
}

static void check_loaded(const Drive *d)
{
    GByteArray *bytes = ssd_save(d->ssd);
    Ssd *loaded = ssd_load(&d->params, bytes->data, bytes->len, NULL);

    check(loaded);
    ssd_free(loaded);
    g_byte_array_unref(bytes);
}

static void check_cut(const Drive *d)
{
    Ssd *next = ssd_power_cut(d->ssd, d->now_ns, 1);

    check(next);
    ssd_free(next);
}

/* Zones here and there, one run's last and another's first among them. */
static void test_any(gconstpointer words)
{
    Drive *d = drive_new(words);
    Rng rng = { drive_seed() };
    uint32_t zones;

    d->nsid = NSID;
    zones = zones_of(d->ssd);
    check(d->ssd);
    for (unsigned i = 0; i < 400; i++) {
        uint32_t zone_idx = i % 4 ? rng_next(&rng) % zones
                                  : MIN(4095 + i / 4 % 2, zones - 1);

        change(d, zone_idx, rng_next(&rng) % 7);
    }
    check(d->ssd);
    check_loaded(d);
    check_cut(d);
    drive_all_zones(d, d->now_ns, SSD_OP_ZONE_RESET);
    drive_drain(d);
    check(d->ssd);
    drive_free(d);
}

/* Of some runs one has a zone in a state, and has one. */
static void test_one(void)
{
    Drive *d = drive_new(WORDS "40004");

    d->nsid = NSID;
    drive_write(d, 0, drive_zone_lba(d, 12000), 1);
    drive_write(d, 0, drive_zone_lba(d, 20001), 1);
    drive_drain(d);
    check_state(d->ssd, SSD_ZONE_IMPLICITLY_OPEN);
    drive_free(d);
}

/*
 * Zones of both namespaces are full, and long active: after a while each limit
 * is reached by some. Saved, loaded and cut, they are told of still.
 */
static void test_attributes(void)
{
    Drive *d = drive_new(WORDS "18000 finish-recommended-ns=2000000000 "
                         "reset-recommended-ns=3000000000 "
                         "excursion-ns=4000000000");
    uint32_t nsid, zone_idx;
    SsdZone any;

    check(d->ssd);
    for (uint32_t i = 0; i < 60; i++) {
        d->nsid = 1 + i % 2;
        drive_zone_op(d, d->now_ns,
                      i % 3 ? SSD_OP_ZONE_OPEN : SSD_OP_ZONE_FINISH,
                      i * 4001 % 9000);
        drive_drain(d);
        d->now_ns += 100000000;
        ssd_poll_zone(d->ssd, d->now_ns, &nsid, &zone_idx);
        check_attributes(d->ssd);
    }
    any = check_attributes(d->ssd);
    g_assert_true(any.finished_by_controller && any.finish_recommended &&
                  any.reset_recommended);
    check_loaded(d);
    check_cut(d);
    d->nsid = NSID;
    drive_all_zones(d, d->now_ns, SSD_OP_ZONE_RESET);
    drive_drain(d);
    any = check_attributes(d->ssd);
    g_assert_false(has_attribute(&any));
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/by-state/one", test_one);
    g_test_add_func("/by-state/attributes", test_attributes);
    g_test_add_data_func("/by-state/one-run", WORDS "14", test_any);
    g_test_add_data_func("/by-state/whole-runs", WORDS "16384", test_any);
    g_test_add_data_func("/by-state/runs-and-a-part", WORDS "20002", test_any);
    return g_test_run();
}
