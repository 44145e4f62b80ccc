/*
 * The zone state machine.
 *
 * Knows nothing of time, flash or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "zone.h"

#include <glib.h>

void zone_table_init(ZoneTable *table, uint32_t count, uint64_t size_nlb,
                     uint64_t capacity_nlb, uint32_t max_open,
                     uint32_t max_active)
{
    *table = (ZoneTable) {
        .zones = g_new0(ZoneEntry, count),
        .count = count,
        .size_nlb = size_nlb,
        .capacity_nlb = capacity_nlb,
        .max_open = max_open,
        .max_active = max_active,
        .oldest_idx = ZONE_NONE,
        .newest_idx = ZONE_NONE,
    };
    for (uint32_t i = 0; i < count; i++) {
        table->zones[i].state = SSD_ZONE_EMPTY;
    }
}

void zone_table_destroy(ZoneTable *table)
{
    g_free(table->zones);
    table->zones = NULL;
}

static bool is_open(const ZoneEntry *zone)
{
    return zone->state == SSD_ZONE_IMPLICITLY_OPEN ||
           zone->state == SSD_ZONE_EXPLICITLY_OPEN;
}

bool zone_is_active(const ZoneTable *table, uint32_t zone_idx)
{
    const ZoneEntry *zone = &table->zones[zone_idx];

    return is_open(zone) || zone->state == SSD_ZONE_CLOSED;
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

/* The only place where a zone's state changes. */
static void set_state(ZoneTable *table, uint32_t zone_idx, SsdZoneState state)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    if (zone->state == SSD_ZONE_IMPLICITLY_OPEN) {
        implicit_remove(table, zone_idx);
    }
    zone->state = state;
    if (state == SSD_ZONE_IMPLICITLY_OPEN) {
        implicit_push(table, zone_idx);
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

    if (!zone_is_active(table, zone_idx)) {
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

static SsdStatus check_writable(const ZoneEntry *zone)
{
    switch (zone->state) {
    case SSD_ZONE_FULL:
        return SSD_ZONE_IS_FULL;
    case SSD_ZONE_READ_ONLY:
        return SSD_ZONE_IS_READ_ONLY;
    case SSD_ZONE_OFFLINE:
        return SSD_ZONE_IS_OFFLINE;
    default:
        return SSD_SUCCESS;
    }
}

SsdStatus zone_check_write(const ZoneTable *table, uint32_t zone_idx,
                           uint64_t offset_nlb, uint64_t nlb)
{
    const ZoneEntry *zone = &table->zones[zone_idx];
    SsdStatus status = check_writable(zone);

    if (status != SSD_SUCCESS) {
        return status;
    }
    if (offset_nlb > table->capacity_nlb ||
        nlb > table->capacity_nlb - offset_nlb) {
        return SSD_ZONE_BOUNDARY_ERROR;
    }
    if (offset_nlb != zone->wp_nlb) {
        return SSD_ZONE_INVALID_WRITE;
    }
    return is_open(zone) ? SSD_SUCCESS : check_resources(table, zone);
}

void zone_commit_write(ZoneTable *table, uint32_t zone_idx, uint64_t nlb)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    if (!is_open(zone)) {
        take_resources(table, zone);
        set_state(table, zone_idx, SSD_ZONE_IMPLICITLY_OPEN);
    }
    zone->wp_nlb += nlb;
    if (zone->wp_nlb == table->capacity_nlb) {
        set_state(table, zone_idx, SSD_ZONE_FULL);
        zone_release(table, zone_idx);
    }
}

/* Zone Management Send */

static bool mgmt_is_legal(SsdZoneState state, SsdOp op)
{
    switch (state) {
    case SSD_ZONE_IMPLICITLY_OPEN:
    case SSD_ZONE_EXPLICITLY_OPEN:
    case SSD_ZONE_CLOSED:
        return op != SSD_OP_ZONE_OFFLINE &&
               op != SSD_OP_ZONE_SET_EXTENSION;
    case SSD_ZONE_EMPTY:
        return op != SSD_OP_ZONE_CLOSE && op != SSD_OP_ZONE_OFFLINE;
    case SSD_ZONE_FULL:
        return op == SSD_OP_ZONE_FINISH || op == SSD_OP_ZONE_RESET;
    case SSD_ZONE_READ_ONLY:
    case SSD_ZONE_OFFLINE:
        return op == SSD_OP_ZONE_OFFLINE;
    }
    return false;
}

SsdStatus zone_check_mgmt(const ZoneTable *table, uint32_t zone_idx, SsdOp op)
{
    const ZoneEntry *zone = &table->zones[zone_idx];

    if (!mgmt_is_legal(zone->state, op)) {
        return SSD_INVALID_ZONE_STATE_TRANSITION;
    }
    if (op == SSD_OP_ZONE_OPEN && !is_open(zone)) {
        return check_resources(table, zone);
    }
    if (op == SSD_OP_ZONE_SET_EXTENSION) {
        return check_active(table, zone);
    }
    return SSD_SUCCESS;
}

void zone_commit_mgmt(ZoneTable *table, uint32_t zone_idx, SsdOp op)
{
    ZoneEntry *zone = &table->zones[zone_idx];

    switch (op) {
    case SSD_OP_ZONE_OPEN:
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
        break;
    case SSD_OP_ZONE_OFFLINE:
        set_state(table, zone_idx, SSD_ZONE_OFFLINE);
        break;
    case SSD_OP_ZONE_SET_EXTENSION:
        take_active(table, zone);
        release_open(table, zone);
        set_state(table, zone_idx, SSD_ZONE_CLOSED);
        break;
    default:
        g_assert_not_reached();
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
    table->capacity_nlb = capacity_nlb;
    for (uint32_t i = 0; i < table->count; i++) {
        ZoneEntry *zone = &table->zones[i];
        bool failed = zone->state == SSD_ZONE_READ_ONLY ||
                      zone->state == SSD_ZONE_OFFLINE;

        set_state(table, i, failed ? SSD_ZONE_OFFLINE : SSD_ZONE_EMPTY);
        zone->wp_nlb = 0;
        zone_release(table, i);
    }
}

bool zone_select_all_applies(const ZoneTable *table, uint32_t zone_idx,
                             SsdOp op)
{
    const ZoneEntry *zone = &table->zones[zone_idx];
    bool closed = zone->state == SSD_ZONE_CLOSED;
    bool full = zone->state == SSD_ZONE_FULL;

    switch (op) {
    case SSD_OP_ZONE_OPEN:
        return closed;
    case SSD_OP_ZONE_CLOSE:
        return is_open(zone);
    case SSD_OP_ZONE_FINISH:
        return is_open(zone) || closed;
    case SSD_OP_ZONE_RESET:
        return is_open(zone) || closed || full;
    case SSD_OP_ZONE_OFFLINE:
        return zone->state == SSD_ZONE_READ_ONLY;
    default:
        return false;
    }
}

SsdStatus zone_check_select_all(const ZoneTable *table, SsdOp op)
{
    uint32_t needed = 0;

    if (op != SSD_OP_ZONE_OPEN) {
        return SSD_SUCCESS;
    }
    for (uint32_t i = 0; i < table->count; i++) {
        needed += zone_select_all_applies(table, i, op) &&
                  !table->zones[i].holds_open;
    }
    return needed > table->max_open - table->open_count
           ? SSD_TOO_MANY_OPEN_ZONES : SSD_SUCCESS;
}
