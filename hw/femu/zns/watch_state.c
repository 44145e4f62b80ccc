/*
 * The state of the watch: since when zones have been active or full.
 *
 * Knows nothing of flash, jobs or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "watch.h"

static const StateRow zone_rows[] = {
    STATE_LEFT(WatchedZone, phase, "of the list in which it is"),
    STATE_TIME(WatchedZone, since_at_ns),
    STATE_BOOL(WatchedZone, recommended),
    STATE_BOOL(WatchedZone, finished),
    STATE_LEFT(WatchedZone, told_of, "it is in `changed`"),
    STATE_IN_LISTS(WatchedZone, older_idx),
    STATE_IN_LISTS(WatchedZone, newer_idx),
};

static const StateRow list_rows[] = {
    STATE_IN_LISTS(WatchList, oldest_idx),
    STATE_IN_LISTS(WatchList, newest_idx),
    STATE_INDEX_OR_NONE(WatchList, quiet_idx, STATE_OF_ZONES),
};

static const StateRow watch_rows[] = {
    STATE_LEFT(Watch, params, "another room"),
    STATE_LEFT(Watch, ns, "another room"),
    STATE_ELSE(Watch, zones, "zone_rows"),
    STATE_ELSE(Watch, lists, "list_rows"),
    STATE_LEFT(Watch, next_at_ns, "of the lists"),
    STATE_LEFT(Watch, attributed, "of the zones"),
    STATE_ELSE(Watch, changed, "changed_rows"),
    STATE_AT_MOST(Watch, changed_count, INT32_MAX),
};

static const StateRow changed_rows[] = {
    {
        .name = "changed",
        .size = sizeof(uint32_t),
        .kind = STATE_IS_INDEX,
        .of = STATE_OF_ZONES,
        .most = UINT64_MAX,
    },
};

/* Reading: members that are not stored, as they follow from others */

static void take_phases(Watch *watch, WatchPhase phase)
{
    for (uint32_t i = watch->lists[phase].oldest_idx; i != SSD_NONE;
         i = watch->zones[i].newer_idx) {
        watch->zones[i].phase = phase;
    }
}

static void check_phases(const Watch *watch, State *state)
{
    for (uint32_t i = 0; i < watch->params->zones; i++) {
        if (watch->zones[i].phase != watch_phase_of(watch, i)) {
            state_fail(state, "zone %u is in list %u, must be in %u", i,
                       watch->zones[i].phase, watch_phase_of(watch, i));
        }
    }
    for (WatchPhase phase = WATCH_ACTIVE; phase < WATCH_PHASES; phase++) {
        uint32_t quiet_idx = watch->lists[phase].quiet_idx;

        if (quiet_idx != SSD_NONE && watch->zones[quiet_idx].phase != phase) {
            state_fail(state, "zone %u is not in list %u", quiet_idx, phase);
        }
    }
}

static void take_changed(Watch *watch, State *state)
{
    for (uint32_t i = 0; i < watch->changed_count; i++) {
        WatchedZone *zone = &watch->zones[watch->changed[i]];

        if (zone->told_of) {
            state_fail(state, "zone %u has changed twice", watch->changed[i]);
        }
        zone->told_of = true;
    }
}

/* Writing and reading */

static void visit_lists(Watch *watch, State *state)
{
    StateLinks links = STATE_LINKS(WatchedZone, newer_idx, "zones",
                                   watch->zones, watch->params->zones);

    links.prev_offset = offsetof(WatchedZone, older_idx);
    state_links_begin(&links);
    state_lists(state, &links, &(StateHeads) {
        &watch->lists[WATCH_ACTIVE], sizeof(WatchList),
        offsetof(WatchList, oldest_idx), offsetof(WatchList, newest_idx),
        WATCH_PHASES - WATCH_ACTIVE,
    });
    state_links_end(&links);
}

void watch_visit(Watch *watch, State *state)
{
    state_room(state, "watch");
    STATE_STRUCT(state, watch_rows, watch);
    if (state_was_read(state) &&
        watch->changed_count > (watch->zones ? watch->params->zones : 0)) {
        state_fail(state, "%u zones have changed", watch->changed_count);
    }
    if (watch->zones != NULL) {
        STATE_TABLE(state, zone_rows, watch->zones, watch->params->zones,
                    NULL);
        STATE_TABLE(state, list_rows, &watch->lists[WATCH_ACTIVE],
                    WATCH_PHASES - WATCH_ACTIVE, NULL);
        visit_lists(watch, state);
        STATE_TABLE(state, changed_rows, watch->changed, watch->changed_count,
                    NULL);
        if (state_was_read(state)) {
            take_phases(watch, WATCH_ACTIVE);
            take_phases(watch, WATCH_FULL);
            check_phases(watch, state);
            take_changed(watch, state);
            watch_find_next(watch);
            for (uint32_t i = 0; i < watch->params->zones; i++) {
                watch_note(watch, i);
            }
        }
    }
    state_room_end(state);
}
