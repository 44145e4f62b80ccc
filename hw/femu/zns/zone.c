/*
 * The zone state machine.
 *
 * Knows nothing of time, flash or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "zone.h"

#include "../base/round.h"

#include <glib.h>

static const SsdZoneState states[] = {
    SSD_ZONE_EMPTY, SSD_ZONE_IMPLICITLY_OPEN, SSD_ZONE_EXPLICITLY_OPEN,
    SSD_ZONE_CLOSED, SSD_ZONE_READ_ONLY, SSD_ZONE_FULL, SSD_ZONE_OFFLINE,
};

void zone_table_init(ZoneTable *table, uint32_t count, uint64_t size_nlb,
                     uint64_t capacity_nlb, uint32_t max_open,
                     uint32_t max_active)
{
    *table = (ZoneTable) {
        .zones = g_new0(ZoneEntry, count),
        .count = count,
        .size_nlb = size_nlb,
        .size_divisor = divisor_of(size_nlb),
        .capacity_nlb = capacity_nlb,
        .max_open = max_open,
        .max_active = max_active,
        .oldest_idx = ZONE_NONE,
        .newest_idx = ZONE_NONE,
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(states); i++) {
        index_set_init(&table->by_state[states[i]], count);
    }
    for (uint32_t i = 0; i < count; i++) {
        table->zones[i].state = SSD_ZONE_EMPTY;
        index_set_put(&table->by_state[SSD_ZONE_EMPTY], i, true);
    }
}

void zone_table_set_zrwa(ZoneTable *table, uint64_t zrwa_nlb,
                         uint64_t granule_nlb, uint32_t max_zrwa)
{
    g_assert(table->zrwa_count == 0);
    table->zrwa_nlb = zrwa_nlb;
    table->zrwa_granule_nlb = granule_nlb;
    table->max_zrwa = max_zrwa;
}

void zone_table_destroy(ZoneTable *table)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(states); i++) {
        index_set_destroy(&table->by_state[states[i]]);
    }
    g_free(table->zones);
}

void zone_table_sort(ZoneTable *table)
{
    index_set_clear(&table->by_state[SSD_ZONE_EMPTY], table->count);
    for (uint32_t i = 0; i < table->count; i++) {
        index_set_put(&table->by_state[table->zones[i].state], i, true);
    }
}

uint32_t zone_next_in_state(const ZoneTable *table, uint32_t zone_idx,
                            SsdZoneState state)
{
    return index_set_next(&table->by_state[state], zone_idx, table->count);
}

uint32_t zone_count_in_state(const ZoneTable *table, uint32_t zone_idx,
                             SsdZoneState state)
{
    return index_set_count(&table->by_state[state], zone_idx, table->count);
}

static bool is_open(const ZoneEntry *zone)
{
    return zone->state == SSD_ZONE_IMPLICITLY_OPEN ||
           zone->state == SSD_ZONE_EXPLICITLY_OPEN;
}

static bool is_active(const ZoneEntry *zone)
{
    return is_open(zone) || zone->state == SSD_ZONE_CLOSED;
}

bool zone_is_active(const ZoneTable *table, uint32_t zone_idx)
{
    return is_active(&table->zones[zone_idx]);
}

/* The queue of implicitly opened zones */

static void implicit_push(ZoneTable *table, uint32_t zone_idx)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    zone->older_idx = table->newest_idx;
    zone->newer_idx = ZONE_NONE;
    if (table->newest_idx == ZONE_NONE) {
        table->oldest_idx = zone_idx;
    } else {
        table->zones[table->newest_idx].newer_idx = zone_idx;
    }
    table->newest_idx = zone_idx;
}

static void implicit_remove(ZoneTable *table, uint32_t zone_idx)
{
    const ZoneEntry *zone = &table->zones[zone_idx];

    if (zone->older_idx == ZONE_NONE) {
        table->oldest_idx = zone->newer_idx;
    } else {
        table->zones[zone->older_idx].newer_idx = zone->newer_idx;
    }
    if (zone->newer_idx == ZONE_NONE) {
        table->newest_idx = zone->older_idx;
    } else {
        table->zones[zone->newer_idx].older_idx = zone->older_idx;
    }
}

static void release_zrwa(ZoneTable *table, ZoneEntry *zone)
{
    table->zrwa_count -= zone->has_zrwa;
    zone->has_zrwa = false;
}

static void take_zrwa(ZoneTable *table, ZoneEntry *zone)
{
    zone->has_zrwa = true;
    table->zrwa_count++;
}

/*
 * The only place where a zone's state changes. Whatever takes a zone out of
 * open and closed takes its ZRWA, so that no way out can leak one.
 */
static void set_state(ZoneTable *table, uint32_t zone_idx, SsdZoneState state)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    if (zone->state == SSD_ZONE_IMPLICITLY_OPEN) {
        implicit_remove(table, zone_idx);
    }
    index_set_put(&table->by_state[zone->state], zone_idx, false);
    index_set_put(&table->by_state[state], zone_idx, true);
    zone->state = state;
    if (state == SSD_ZONE_IMPLICITLY_OPEN) {
        implicit_push(table, zone_idx);
    }
    if (!is_active(zone)) {
        release_zrwa(table, zone);
    }
    if (state == SSD_ZONE_EMPTY || state == SSD_ZONE_OFFLINE) {
        zone->has_extension = false;
    }
}

/* Resources */

static void release_open(ZoneTable *table, ZoneEntry *zone)
{
    table->open_count -= zone->holds_open;
    zone->holds_open = false;
}

static void release_active(ZoneTable *table, ZoneEntry *zone)
{
    table->active_count -= zone->holds_active;
    zone->holds_active = false;
}

static void take_active(ZoneTable *table, ZoneEntry *zone)
{
    table->active_count += !zone->holds_active;
    zone->holds_active = true;
}

static SsdStatus check_active(const ZoneTable *table, const ZoneEntry *zone)
{
    return !zone->holds_active && table->active_count >= table->max_active
           ? SSD_TOO_MANY_ACTIVE_ZONES : SSD_SUCCESS;
}

RARE
static SsdStatus check_resources(const ZoneTable *table, const ZoneEntry *zone)
{
    SsdStatus status = check_active(table, zone);

    if (status != SSD_SUCCESS) {
        return status;
    }
    if (!zone->holds_open && table->open_count >= table->max_open &&
        table->oldest_idx == ZONE_NONE) {
        return SSD_TOO_MANY_OPEN_ZONES;
    }
    return SSD_SUCCESS;
}

static void close_zone(ZoneTable *table, uint32_t zone_idx)
{
    release_open(table, &table->zones[zone_idx]);
    set_state(table, zone_idx, SSD_ZONE_CLOSED);
}

/* Take what an open zone holds; check_resources() has said that it can. */
RARE
static void take_resources(ZoneTable *table, ZoneEntry *zone)
{
    if (!zone->holds_open && table->open_count >= table->max_open) {
        close_zone(table, table->oldest_idx);
    }
    table->open_count += !zone->holds_open;
    zone->holds_open = true;
    take_active(table, zone);
}

void zone_release(ZoneTable *table, uint32_t zone_idx)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    if (!is_active(zone)) {
        release_open(table, zone);
        release_active(table, zone);
    }
}

/* Reads and writes */

SsdStatus zone_check_read(const ZoneTable *table, uint32_t zone_idx,
                          uint64_t offset_nlb, uint64_t nlb)
{
    if (table->zones[zone_idx].state == SSD_ZONE_OFFLINE) {
        return SSD_ZONE_IS_OFFLINE;
    }
    /* ZNS 1.1 figure 48: OZCS.RAZB is 0, reads stay within a zone. */
    if (nlb > table->size_nlb - offset_nlb) {
        return SSD_ZONE_BOUNDARY_ERROR;
    }
    return SSD_SUCCESS;
}

/* ZNS 1.1 section 3.3.3 */
SsdStatus zone_check_deallocate(const ZoneTable *table, uint64_t slba,
                                uint64_t nlb)
{
    uint32_t offline_idx;

    if (nlb == 0) {
        return SSD_SUCCESS;
    }
    offline_idx = zone_next_in_state(table, zone_of_lba(table, slba),
                                     SSD_ZONE_OFFLINE);
    return offline_idx <= zone_of_lba(table, slba + nlb - 1)
           ? SSD_ZONE_IS_OFFLINE : SSD_SUCCESS;
}

static SsdStatus check_writable(const ZoneEntry *zone)
{
    return zone->state == SSD_ZONE_FULL ? SSD_ZONE_IS_FULL :
           zone->state == SSD_ZONE_READ_ONLY ? SSD_ZONE_IS_READ_ONLY :
           zone->state == SSD_ZONE_OFFLINE ? SSD_ZONE_IS_OFFLINE :
           SSD_SUCCESS;
}

/* Can a write of [offset, end) go into the zone's ZRWA, or move it there? */
static bool is_in_zrwa(const ZoneTable *table, const ZoneEntry *zone,
                       uint64_t offset_nlb, uint64_t end_nlb)
{
    return offset_nlb >= zone->wp_nlb &&
           end_nlb <= zone->wp_nlb + 2 * table->zrwa_nlb;
}

SsdStatus zone_check_write(const ZoneTable *table, uint32_t zone_idx,
                           uint64_t offset_nlb, uint64_t nlb)
{
    const ZoneEntry *zone = &table->zones[zone_idx];
    SsdStatus status = check_writable(zone);

    if (status != SSD_SUCCESS) {
        return status;
    }
    if (offset_nlb + nlb > table->capacity_nlb) {
        return SSD_ZONE_BOUNDARY_ERROR;
    }
    if (zone->has_zrwa ? !is_in_zrwa(table, zone, offset_nlb, offset_nlb + nlb)
                       : offset_nlb != zone->wp_nlb) {
        return SSD_ZONE_INVALID_WRITE;
    }
    return is_open(zone) ? SSD_SUCCESS : check_resources(table, zone);
}

SsdStatus zone_check_append(const ZoneTable *table, uint32_t zone_idx,
                            uint64_t nlb)
{
    const ZoneEntry *zone = &table->zones[zone_idx];

    return zone->has_zrwa ? SSD_INVALID_ZONE_OPERATION
                          : zone_check_write(table, zone_idx, zone->wp_nlb,
                                             nlb);
}

static void open_implicitly(ZoneTable *table, uint32_t zone_idx)
{
    if (!is_open(&table->zones[zone_idx])) {
        take_resources(table, &table->zones[zone_idx]);
        set_state(table, zone_idx, SSD_ZONE_IMPLICITLY_OPEN);
    }
}

static void move_wp(ZoneTable *table, uint32_t zone_idx, uint64_t wp_nlb)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    zone->wp_nlb = wp_nlb;
    zone->end_nlb = MAX(zone->end_nlb, wp_nlb);
    if (wp_nlb == table->capacity_nlb) {
        set_state(table, zone_idx, SSD_ZONE_FULL);
        zone_release(table, zone_idx);
    }
}

/* Where the write pointer must be for a ZRWA to reach `end_nlb`. */
static uint64_t zrwa_wp_nlb(const ZoneTable *table, const ZoneEntry *zone,
                            uint64_t end_nlb)
{
    uint64_t reach_nlb = zone->wp_nlb + table->zrwa_nlb;

    if (end_nlb <= reach_nlb) {
        return zone->wp_nlb;
    }
    return zone->wp_nlb + round_up(end_nlb - reach_nlb,
                                   table->zrwa_granule_nlb);
}

void zone_commit_write(ZoneTable *table, uint32_t zone_idx,
                       uint64_t offset_nlb, uint64_t nlb)
{
    ZoneEntry *zone = &table->zones[zone_idx];
    uint64_t end_nlb = offset_nlb + nlb;

    open_implicitly(table, zone_idx);
    if (zone->has_zrwa) {
        zone->end_nlb = MAX(zone->end_nlb, end_nlb);
        end_nlb = zrwa_wp_nlb(table, zone, end_nlb);
    }
    move_wp(table, zone_idx, end_nlb);
}

/* Zone Random Write Area */

static SsdStatus check_zrwa(const ZoneTable *table)
{
    return table->zrwa_count >= table->max_zrwa ? SSD_ZRWA_UNAVAILABLE
                                                : SSD_SUCCESS;
}

SsdStatus zone_check_flush_zrwa(const ZoneTable *table, uint32_t zone_idx,
                                uint64_t last_nlb)
{
    const ZoneEntry *zone = &table->zones[zone_idx];
    uint64_t reach_nlb = MIN(zone->wp_nlb + table->zrwa_nlb,
                             table->capacity_nlb);

    if (table->zrwa_nlb == 0) {
        return SSD_INVALID_FIELD;
    }
    if (!zone->has_zrwa || last_nlb < zone->wp_nlb || last_nlb >= reach_nlb) {
        return SSD_INVALID_ZONE_OPERATION;
    }
    /* From the write pointer, which a ZRWA moves by whole granules from 0. */
    if ((last_nlb + 1) % table->zrwa_granule_nlb != 0) {
        return SSD_INVALID_FIELD;
    }
    return is_open(zone) ? SSD_SUCCESS : check_resources(table, zone);
}

void zone_commit_flush_zrwa(ZoneTable *table, uint32_t zone_idx,
                            uint64_t last_nlb)
{
    open_implicitly(table, zone_idx);
    move_wp(table, zone_idx, last_nlb + 1);
}

/* Zone Management Send */

static bool mgmt_is_legal(SsdZoneState state, SsdOp op)
{
    switch (state) {
    case SSD_ZONE_IMPLICITLY_OPEN:
    case SSD_ZONE_EXPLICITLY_OPEN:
    case SSD_ZONE_CLOSED:
        return op != SSD_OP_ZONE_OFFLINE &&
               op != SSD_OP_ZONE_SET_EXTENSION &&
               op != SSD_OP_ZONE_SET_EXTENSION_ZRWA;
    case SSD_ZONE_EMPTY:
        return op != SSD_OP_ZONE_CLOSE && op != SSD_OP_ZONE_OFFLINE;
    case SSD_ZONE_FULL:
        return op == SSD_OP_ZONE_FINISH || op == SSD_OP_ZONE_RESET;
    case SSD_ZONE_READ_ONLY:
    case SSD_ZONE_OFFLINE:
        return op == SSD_OP_ZONE_OFFLINE;
    }
    g_assert_not_reached();
}

static bool allocates_zrwa(SsdOp op)
{
    return op == SSD_OP_ZONE_OPEN_ZRWA ||
           op == SSD_OP_ZONE_SET_EXTENSION_ZRWA;
}

SsdStatus zone_check_mgmt(const ZoneTable *table, uint32_t zone_idx, SsdOp op)
{
    const ZoneEntry *zone = &table->zones[zone_idx];
    SsdStatus status = SSD_SUCCESS;

    if (allocates_zrwa(op) && table->zrwa_nlb == 0) {
        return SSD_INVALID_FIELD;
    }
    if (!mgmt_is_legal(zone->state, op)) {
        return SSD_INVALID_ZONE_STATE_TRANSITION;
    }
    if (allocates_zrwa(op) && zone->state != SSD_ZONE_EMPTY) {
        return SSD_INVALID_ZONE_OPERATION;
    }
    switch (op) {
    case SSD_OP_ZONE_OPEN:
    case SSD_OP_ZONE_OPEN_ZRWA:
        status = is_open(zone) ? SSD_SUCCESS : check_resources(table, zone);
        break;
    case SSD_OP_ZONE_SET_EXTENSION:
    case SSD_OP_ZONE_SET_EXTENSION_ZRWA:
        status = check_active(table, zone);
        break;
    default:
        break;
    }
    if (status == SSD_SUCCESS && allocates_zrwa(op)) {
        status = check_zrwa(table);
    }
    return status;
}

void zone_commit_mgmt(ZoneTable *table, uint32_t zone_idx, SsdOp op)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    switch (op) {
    case SSD_OP_ZONE_OPEN:
    case SSD_OP_ZONE_OPEN_ZRWA:
        if (!is_open(zone)) {
            take_resources(table, zone);
        }
        set_state(table, zone_idx, SSD_ZONE_EXPLICITLY_OPEN);
        break;
    case SSD_OP_ZONE_CLOSE:
        close_zone(table, zone_idx);
        break;
    case SSD_OP_ZONE_FINISH:
        set_state(table, zone_idx, SSD_ZONE_FULL);
        zone->wp_nlb = table->capacity_nlb;
        break;
    case SSD_OP_ZONE_RESET:
        set_state(table, zone_idx, SSD_ZONE_EMPTY);
        zone->wp_nlb = 0;
        zone->end_nlb = 0;
        break;
    case SSD_OP_ZONE_OFFLINE:
        set_state(table, zone_idx, SSD_ZONE_OFFLINE);
        break;
    case SSD_OP_ZONE_SET_EXTENSION:
    case SSD_OP_ZONE_SET_EXTENSION_ZRWA:
        take_active(table, zone);
        release_open(table, zone);
        set_state(table, zone_idx, SSD_ZONE_CLOSED);
        zone->has_extension = true;
        break;
    default:
        g_assert_not_reached();
    }
    if (allocates_zrwa(op)) {
        take_zrwa(table, zone);
    }
}

bool zone_commit_initial(ZoneTable *table, uint32_t zone_idx)
{
    ZoneEntry *zone = &table->zones[zone_idx];
    SsdZoneState old = zone->state;

    g_assert(is_active(zone));
    close_zone(table, zone_idx);
    if (zone->end_nlb == 0 && !zone->has_extension) {
        set_state(table, zone_idx, SSD_ZONE_EMPTY);
        zone_release(table, zone_idx);
    }
    return zone->state != old;
}

ZoneKept zone_kept(const ZoneTable *table, uint32_t zone_idx)
{
    const ZoneEntry *zone = &table->zones[zone_idx];

    return (ZoneKept) {
        .wp_nlb = zone->wp_nlb,
        .end_nlb = zone->end_nlb,
        .state = zone->state,
        .has_zrwa = zone->has_zrwa,
        .has_extension = zone->has_extension,
    };
}

void zone_put(ZoneTable *table, uint32_t zone_idx, const ZoneKept *kept)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    g_assert(zone->state == SSD_ZONE_EMPTY && !zone->holds_active);
    zone->wp_nlb = kept->wp_nlb;
    zone->end_nlb = kept->end_nlb;
    set_state(table, zone_idx, kept->state);
    zone->has_extension = kept->has_extension;
    if (is_active(zone)) {
        g_assert(zone->state == SSD_ZONE_CLOSED);
        take_active(table, zone);
    }
    if (kept->has_zrwa) {
        take_zrwa(table, zone);
    }
}

bool zone_fail(ZoneTable *table, uint32_t zone_idx, SsdZoneState state)
{
    SsdZoneState old = table->zones[zone_idx].state;

    g_assert(state == SSD_ZONE_READ_ONLY || state == SSD_ZONE_OFFLINE);
    if (old == SSD_ZONE_OFFLINE || old == state) {
        return false;
    }
    set_state(table, zone_idx, state);
    zone_release(table, zone_idx);
    return true;
}

void zone_table_format(ZoneTable *table, uint64_t size_nlb,
                       uint64_t capacity_nlb)
{
    table->size_nlb = size_nlb;
    table->size_divisor = divisor_of(size_nlb);
    table->capacity_nlb = capacity_nlb;
    for (uint32_t i = 0; i < table->count; i++) {
        ZoneEntry *zone = &table->zones[i];
        bool failed = zone->state == SSD_ZONE_READ_ONLY ||
                      zone->state == SSD_ZONE_OFFLINE;

        set_state(table, i, failed ? SSD_ZONE_OFFLINE : SSD_ZONE_EMPTY);
        zone->wp_nlb = 0;
        zone->end_nlb = 0;
        zone_release(table, i);
    }
}

/* Does Select All of `op` work on zones in this state? ZNS 1.1, 3.4.3 */
static bool is_selected(SsdZoneState state, SsdOp op)
{
    bool opened = state == SSD_ZONE_IMPLICITLY_OPEN ||
                  state == SSD_ZONE_EXPLICITLY_OPEN;
    bool closed = state == SSD_ZONE_CLOSED;

    switch (op) {
    case SSD_OP_ZONE_OPEN:
        return closed;
    case SSD_OP_ZONE_CLOSE:
        return opened;
    case SSD_OP_ZONE_FINISH:
        return opened || closed;
    case SSD_OP_ZONE_RESET:
        return opened || closed || state == SSD_ZONE_FULL;
    case SSD_OP_ZONE_OFFLINE:
        return state == SSD_ZONE_READ_ONLY;
    default:
        return false;
    }
}

/* From the state that most zones are likely to be in: it ends other searches. */
uint32_t zone_next_selected(const ZoneTable *table, uint32_t zone_idx,
                            SsdOp op)
{
    uint32_t next_idx = table->count;

    for (unsigned i = G_N_ELEMENTS(states); i-- > 0;) {
        if (is_selected(states[i], op)) {
            next_idx = index_set_next(&table->by_state[states[i]], zone_idx,
                                      next_idx);
        }
    }
    return next_idx;
}

uint32_t zone_count_selected(const ZoneTable *table, SsdOp op)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(states); i++) {
        if (is_selected(states[i], op)) {
            sum += zone_count_in_state(table, 0, states[i]);
        }
    }
    return sum;
}

SsdStatus zone_check_select_all(const ZoneTable *table, SsdOp op)
{
    uint32_t needed = 0;

    if (op != SSD_OP_ZONE_OPEN) {
        return SSD_SUCCESS;
    }
    for (uint32_t i = zone_next_selected(table, 0, op); i < table->count;
         i = zone_next_selected(table, i + 1, op)) {
        needed += !table->zones[i].holds_open;
    }
    return needed > table->max_open - table->open_count
           ? SSD_TOO_MANY_OPEN_ZONES : SSD_SUCCESS;
}
