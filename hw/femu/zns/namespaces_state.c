/*
 * The state of namespaces: their blocks, and their zones' states.
 *
 * Knows nothing of time, flash or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "namespaces.h"

static const StateRow zone_rows[] = {
    STATE_NUMBER(ZoneEntry, wp_nlb),
    STATE_NUMBER(ZoneEntry, end_nlb),
    STATE_AT_MOST(ZoneEntry, state, SSD_ZONE_OFFLINE),
    STATE_BOOL(ZoneEntry, has_zrwa),
    STATE_BOOL(ZoneEntry, has_extension),
    STATE_BOOL(ZoneEntry, holds_open),
    STATE_BOOL(ZoneEntry, holds_active),
    STATE_IN_LISTS(ZoneEntry, older_idx),
    STATE_IN_LISTS(ZoneEntry, newer_idx),
};

static const StateRow table_rows[] = {
    STATE_ELSE(ZoneTable, zones, "zone_rows"),
    STATE_LEFT(ZoneTable, count, "of the parameters"),
    STATE_LEFT(ZoneTable, size_nlb, "of the block's size"),
    STATE_LEFT(ZoneTable, size_divisor, "of size_nlb"),
    STATE_LEFT(ZoneTable, capacity_nlb, "of the block's size"),
    STATE_LEFT(ZoneTable, max_open, "of the parameters"),
    STATE_LEFT(ZoneTable, max_active, "of the parameters"),
    STATE_LEFT(ZoneTable, open_count, "zones that hold one"),
    STATE_LEFT(ZoneTable, active_count, "zones that hold one"),
    STATE_LEFT(ZoneTable, zrwa_nlb, "of the block's size"),
    STATE_LEFT(ZoneTable, zrwa_granule_nlb, "of the block's size"),
    STATE_LEFT(ZoneTable, max_zrwa, "of the parameters"),
    STATE_LEFT(ZoneTable, zrwa_count, "zones that have one"),
    STATE_IN_LISTS(ZoneTable, oldest_idx),
    STATE_IN_LISTS(ZoneTable, newest_idx),
    STATE_LEFT(ZoneTable, by_state, "of the zones' states"),
    STATE_LEFT(IndexSet, words, "as `by_state`, and Watch.attributed"),
    STATE_LEFT(IndexSet, runs, "as `by_state`, and Watch.attributed"),
};

static const StateRow ns_rows[] = {
    STATE_LEFT(SsdNs, kind, "of the parameters"),
    STATE_ELSE(SsdNs, lba_bytes, "before all else"),
    STATE_LEFT(SsdNs, size_nlb, "of the block's size"),
    STATE_LEFT(SsdNs, first_zone_idx, "of the parameters"),
    STATE_LEFT(SsdNs, inflight_count, "of the commands; drive/load.c"),
    STATE_LEFT(SsdNs, managed_number, "in each zone's; zns_state.c"),
    STATE_ELSE(SsdNs, zones, "zone_rows"),
};

static const StateRow namespaces_rows[] = {
    STATE_ELSE(Namespaces, at, "ns_rows"),
    STATE_LEFT(Namespaces, count, "of the parameters"),
    STATE_LEFT(Namespaces, ns_zones, "of the parameters"),
    STATE_LEFT(Namespaces, ns_zones_divisor, "of ns_zones"),
};

/* Reading: what must hold, and members that follow from others */

static bool is_state(SsdZoneState zone_state)
{
    return (zone_state >= SSD_ZONE_EMPTY && zone_state <= SSD_ZONE_CLOSED) ||
           zone_state >= SSD_ZONE_READ_ONLY;
}

static bool is_open(const ZoneEntry *zone)
{
    return zone->state == SSD_ZONE_IMPLICITLY_OPEN ||
           zone->state == SSD_ZONE_EXPLICITLY_OPEN;
}

/* Do write pointer, resources, ZRWA and extension fit the zone's state? */
static bool is_sound(const ZoneTable *table, const ZoneEntry *zone,
                     bool in_list)
{
    bool is_active = is_open(zone) || zone->state == SSD_ZONE_CLOSED;
    bool failed = zone->state >= SSD_ZONE_READ_ONLY &&
                  zone->state != SSD_ZONE_FULL;

    return is_state(zone->state) &&
           (zone->wp_nlb <= zone->end_nlb ||
            zone->wp_nlb == table->capacity_nlb) &&
           zone->end_nlb <= table->capacity_nlb &&
           in_list == (zone->state == SSD_ZONE_IMPLICITLY_OPEN) &&
           (!is_open(zone) || zone->holds_open) &&
           (!zone->holds_open || zone->holds_active) &&
           (zone->state != SSD_ZONE_CLOSED || !zone->holds_open) &&
           (!is_active || (zone->holds_active &&
                           zone->wp_nlb < table->capacity_nlb)) &&
           (zone->state != SSD_ZONE_EMPTY ||
            (zone->wp_nlb == 0 && zone->end_nlb == 0)) &&
           (zone->state != SSD_ZONE_FULL ||
            zone->wp_nlb == table->capacity_nlb) &&
           (!failed || !zone->holds_active) &&
           (!zone->has_extension || (zone->state != SSD_ZONE_EMPTY &&
                                     zone->state != SSD_ZONE_OFFLINE)) &&
           (zone->has_zrwa ? is_active && table->zrwa_nlb != 0 &&
                             zone->wp_nlb % table->zrwa_granule_nlb == 0
                           : !is_active || zone->wp_nlb == zone->end_nlb);
}

static void count_zones(ZoneTable *table, State *state, const bool *in_list)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const ZoneEntry *zone = &table->zones[i];

        if (!is_sound(table, zone, in_list[i])) {
            state_fail(state, "zone %u cannot be in state %x, with write "
                       "pointer %" PRIu64 ", written up to %" PRIu64 " of %"
                       PRIu64 "; open %d, active %d, with a ZRWA %d, in the "
                       "list of those opened implicitly %d", i, zone->state,
                       zone->wp_nlb, zone->end_nlb, table->capacity_nlb,
                       zone->holds_open, zone->holds_active, zone->has_zrwa,
                       in_list[i]);
        }
        table->open_count += zone->holds_open;
        table->active_count += zone->holds_active;
        table->zrwa_count += zone->has_zrwa;
    }
    if (table->open_count > table->max_open ||
        table->active_count > table->max_active ||
        (table->zrwa_nlb && table->zrwa_count > table->max_zrwa)) {
        state_fail(state, "%u zones are open, %u active, %u with a ZRWA; at "
                   "most %u, %u and %u may be", table->open_count,
                   table->active_count, table->zrwa_count, table->max_open,
                   table->max_active, table->max_zrwa);
    }
    if (state_is_good(state)) {
        zone_table_sort(table);
    }
}

/* The namespace's size of blocks must be one that a format can set. */
static void take_blocks(SsdNs *ns, const SsdParams *params, State *state,
                        uint64_t lba_bytes, uint32_t lba_sizes)
{
    bool is_size = __builtin_popcountll(lba_bytes) == 1 &&
                   (lba_bytes & lba_sizes);

    if (!is_size) {
        state_fail(state, "a namespace cannot have blocks of %" PRIu64
                   " bytes", lba_bytes);
    } else {
        namespaces_format(ns, params, lba_bytes);
    }
}

/* Writing and reading */

static void visit_zones(ZoneTable *table, State *state)
{
    StateLinks links = STATE_LINKS(ZoneEntry, newer_idx, "zones opened",
                                   table->zones, table->count);

    STATE_STRUCT(state, table_rows, table);
    STATE_TABLE(state, zone_rows, table->zones, table->count, NULL);
    links.prev_offset = offsetof(ZoneEntry, older_idx);
    state_links_begin(&links);
    state_list(state, &links, &table->oldest_idx, &table->newest_idx);
    if (state_was_read(state)) {
        count_zones(table, state, links.linked);
    }
    state_links_end(&links);
}

static void visit_ns(SsdNs *ns, const SsdParams *params, State *state,
                     uint32_t lba_sizes)
{
    uint64_t lba_bytes = ns->lba_bytes;

    STATE_STRUCT(state, ns_rows, ns);
    state_number(state, "lba_bytes", &lba_bytes, UINT32_MAX);
    if (state_is_reading(state)) {
        take_blocks(ns, params, state, lba_bytes, lba_sizes);
    }
    if (ns->kind == SSD_NS_ZONED) {
        visit_zones(&ns->zones, state);
    }
}

void namespaces_state(Namespaces *namespaces, const SsdParams *params,
                      State *state, uint32_t lba_sizes)
{
    state_room(state, "namespaces");
    STATE_STRUCT(state, namespaces_rows, namespaces);
    for (uint32_t i = 0; i < namespaces->count; i++) {
        visit_ns(&namespaces->at[i], params, state, lba_sizes);
    }
    state_room_end(state);
}
