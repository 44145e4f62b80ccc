/*
 * The zone rules of ZNS 1.1 as the drive has them, written to be read: every
 * command works on a copy of all zones, which replaces them if it succeeds.
 *
 * Knows nothing of time, and nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model.h"

#include <string.h>

Rules *rules_new(const SsdParams *p, uint32_t nsid, uint32_t lba_bytes)
{
    uint32_t zone_count = p->zones / p->namespaces;
    Rules *r = g_malloc0(sizeof(*r) + zone_count * sizeof(r->zone[0]));

    *r = (Rules) {
        .first_zone_idx = (nsid - 1) * zone_count,
        .zone_count = zone_count,
        .lba_bytes = lba_bytes,
        .zone_nlb = p->zone_size_bytes / lba_bytes,
        .capacity_nlb = p->zone_capacity_bytes / lba_bytes,
        .mdts_nlb = p->mdts_bytes / lba_bytes,
        .zasl_nlb = p->zasl_bytes / lba_bytes,
        .wzsl_nlb = p->wzsl_bytes / lba_bytes,
        .max_open = p->max_open ? p->max_open : UINT32_MAX,
        .max_active = p->max_active ? p->max_active : UINT32_MAX,
        .zrwa_nlb = p->zrwa_bytes / lba_bytes,
        .granule_nlb = p->zrwa_granule_bytes / lba_bytes,
        .max_zrwa = p->max_zrwa,
    };
    for (uint32_t z = 0; z < zone_count; z++) {
        r->zone[z].state = SSD_ZONE_EMPTY;
    }
    return r;
}

void rules_format(Rules *r, const SsdParams *p, uint32_t nsid,
                  uint32_t lba_bytes)
{
    g_autofree Rules *fresh = rules_new(p, nsid, lba_bytes);

    for (uint32_t z = 0; z < r->zone_count; z++) {
        if (r->zone[z].state == SSD_ZONE_READ_ONLY ||
            r->zone[z].state == SSD_ZONE_OFFLINE) {
            fresh->zone[z].state = SSD_ZONE_OFFLINE;
        }
    }
    /* The job of an excursion may still be under way, and has its number. */
    fresh->seq = r->seq;
    memcpy(r, fresh, sizeof(*r) + r->zone_count * sizeof(r->zone[0]));
}

uint32_t rules_open_count(const Rules *r)
{
    uint32_t count = 0;

    for (uint32_t z = 0; z < r->zone_count; z++) {
        count += r->zone[z].holds_open;
    }
    return count;
}

uint32_t rules_active_count(const Rules *r)
{
    uint32_t count = 0;

    for (uint32_t z = 0; z < r->zone_count; z++) {
        count += r->zone[z].holds_active;
    }
    return count;
}

static bool is_open(const RulesZone *zone)
{
    return zone->state == SSD_ZONE_IMPLICITLY_OPEN ||
           zone->state == SSD_ZONE_EXPLICITLY_OPEN;
}

static bool is_active(const RulesZone *zone)
{
    return is_open(zone) || zone->state == SSD_ZONE_CLOSED;
}

static RulesZone *oldest_implicitly_open(Rules *r)
{
    RulesZone *oldest = NULL;

    for (uint32_t z = 0; z < r->zone_count; z++) {
        RulesZone *zone = &r->zone[z];

        if (zone->state == SSD_ZONE_IMPLICITLY_OPEN &&
            (!oldest || zone->opened_seq < oldest->opened_seq)) {
            oldest = zone;
        }
    }
    return oldest;
}

/* Empty or Closed to one of the opened states (ZNS 1.1 section 2.1.1.4). */
static SsdStatus open_zone(Rules *r, RulesZone *zone, SsdZoneState state)
{
    if (!zone->holds_active && rules_active_count(r) >= r->max_active) {
        return SSD_TOO_MANY_ACTIVE_ZONES;
    }
    if (!zone->holds_open && rules_open_count(r) >= r->max_open) {
        RulesZone *victim = oldest_implicitly_open(r);

        if (!victim) {
            return SSD_TOO_MANY_OPEN_ZONES;
        }
        victim->state = SSD_ZONE_CLOSED;
        victim->holds_open = false;
    }
    zone->state = state;
    zone->holds_active = true;
    zone->holds_open = true;
    zone->opened_seq = ++r->seq;
    zone->owner = 0;
    return SSD_SUCCESS;
}

/* Finish and reset leave the opened and closed states, holding on. */
static void leave(Rules *r, uint32_t zone_idx, SsdZoneState state,
                  RulesEffect *effect)
{
    RulesZone *zone = &r->zone[zone_idx];
    RulesJob job = {
        .zone_idx = zone_idx,
        .id = ++r->seq,
        .state_before = zone->state,
        .written_before_nlb = zone->written_nlb,
        .end_before_nlb = zone->end_nlb,
    };

    if (is_active(zone)) {
        zone->owner = job.id;
    }
    zone->state = state;
    zone->extension &= state == SSD_ZONE_FULL;
    zone->zrwa = false;
    zone->written_nlb = state == SSD_ZONE_FULL ? r->capacity_nlb : 0;
    zone->end_nlb = state == SSD_ZONE_FULL ? zone->end_nlb : 0;
    effect->job = g_renew(RulesJob, effect->job, effect->job_count + 1);
    effect->job[effect->job_count++] = job;
}

RulesEffect rules_excursion(Rules *r, uint32_t zone_idx)
{
    RulesEffect effect = { 0 };

    g_assert_true(is_active(&r->zone[zone_idx]));
    leave(r, zone_idx, SSD_ZONE_FULL, &effect);
    return effect;
}

void rules_job_done(Rules *r, const RulesJob *job)
{
    RulesZone *zone = &r->zone[job->zone_idx];

    if (zone->owner == job->id) {
        zone->owner = 0;
        zone->holds_open = false;
        zone->holds_active = false;
    }
}

bool rules_zone_fail(Rules *r, uint32_t zone_idx, SsdZoneState state)
{
    RulesZone *zone = &r->zone[zone_idx];

    if (zone->state == SSD_ZONE_OFFLINE || zone->state == state) {
        return false;
    }
    zone->state = state;
    zone->extension &= state == SSD_ZONE_READ_ONLY;
    zone->zrwa = false;
    zone->owner = 0;
    zone->holds_open = false;
    zone->holds_active = false;
    return true;
}

/* The write pointer moves on; at the capacity the zone is full. */
static void advance(Rules *r, RulesZone *zone, uint64_t nlb)
{
    zone->written_nlb += nlb;
    if (zone->written_nlb == r->capacity_nlb) {
        zone->state = SSD_ZONE_FULL;
        zone->zrwa = false;
        zone->holds_open = false;
        zone->holds_active = false;
    }
}

/* [at, end) goes into the ZRWA, which moves on by granules to have room. */
static void put_in_zrwa(Rules *r, RulesZone *zone, uint64_t end,
                        RulesEffect *effect)
{
    effect->zrwa = true;
    effect->commit_from_nlb = zone->written_nlb;
    zone->end_nlb = MAX(zone->end_nlb, end);
    effect->there_nlb = zone->end_nlb;
    while (end > zone->written_nlb + r->zrwa_nlb) {
        advance(r, zone, r->granule_nlb);
    }
    effect->commit_to_nlb = zone->written_nlb;
}

static SsdStatus put_data(Rules *r, const SsdCmd *cmd, RulesEffect *effect,
                          uint64_t nlb)
{
    bool append = cmd->op == SSD_OP_APPEND;
    uint64_t zone_lba = cmd->slba / r->zone_nlb * r->zone_nlb;
    RulesZone *zone = &r->zone[cmd->slba / r->zone_nlb];
    uint64_t wp_lba = zone_lba + zone->written_nlb;
    uint64_t slba = append ? wp_lba : cmd->slba;
    SsdStatus status;

    if (append && cmd->slba != zone_lba) {
        return SSD_INVALID_FIELD;
    }
    if (append && zone->zrwa) {
        return SSD_INVALID_ZONE_OPERATION;
    }
    if (zone->state == SSD_ZONE_FULL) {
        return SSD_ZONE_IS_FULL;
    }
    if (zone->state == SSD_ZONE_READ_ONLY) {
        return SSD_ZONE_IS_READ_ONLY;
    }
    if (zone->state == SSD_ZONE_OFFLINE) {
        return SSD_ZONE_IS_OFFLINE;
    }
    if (slba + nlb > zone_lba + r->capacity_nlb) {
        return SSD_ZONE_BOUNDARY_ERROR;
    }
    if (zone->zrwa ? slba < wp_lba || slba + nlb > wp_lba + 2 * r->zrwa_nlb
                   : slba != wp_lba) {
        return SSD_ZONE_INVALID_WRITE;
    }
    if (!is_open(zone)) {
        status = open_zone(r, zone, SSD_ZONE_IMPLICITLY_OPEN);
        if (status) {
            return status;
        }
    }
    effect->lba = slba;
    if (zone->zrwa) {
        put_in_zrwa(r, zone, slba + nlb - zone_lba, effect);
    } else {
        zone->end_nlb += nlb;
        advance(r, zone, nlb);
    }
    return SSD_SUCCESS;
}

/* TP 4076b: commit the ZRWA up to and including one of its blocks. */
static SsdStatus flush_zrwa(Rules *r, uint64_t last_lba, RulesEffect *effect)
{
    RulesZone *zone = &r->zone[last_lba / r->zone_nlb];
    uint64_t to = last_lba % r->zone_nlb + 1;

    if (r->zrwa_nlb == 0) {
        return SSD_INVALID_FIELD;
    }
    if (!zone->zrwa || to <= zone->written_nlb || to > r->capacity_nlb ||
        to > zone->written_nlb + r->zrwa_nlb) {
        return SSD_INVALID_ZONE_OPERATION;
    }
    if (to % r->granule_nlb) {
        return SSD_INVALID_FIELD;
    }
    if (!is_open(zone)) {
        SsdStatus status = open_zone(r, zone, SSD_ZONE_IMPLICITLY_OPEN);

        if (status) {
            return status;
        }
    }
    effect->zrwa = true;
    effect->commit_from_nlb = zone->written_nlb;
    effect->commit_to_nlb = to;
    effect->there_nlb = zone->end_nlb;
    zone->end_nlb = MAX(zone->end_nlb, to);
    advance(r, zone, to - zone->written_nlb);
    return SSD_SUCCESS;
}

static SsdStatus get_data(const Rules *r, uint64_t slba, uint64_t nlb)
{
    if (r->zone[slba / r->zone_nlb].state == SSD_ZONE_OFFLINE) {
        return SSD_ZONE_IS_OFFLINE;
    }
    if (slba % r->zone_nlb + nlb > r->zone_nlb) {
        return SSD_ZONE_BOUNDARY_ERROR;
    }
    return SSD_SUCCESS;
}

static bool is_outside(const Rules *r, uint64_t slba, uint64_t nlb)
{
    uint64_t end_lba = r->zone_count * r->zone_nlb;

    return slba >= end_lba || nlb > end_lba - slba;
}

/* NVM command set 1.0 section 3.2.2: sizes, then sources, then destination. */
static SsdStatus copy_data(Rules *r, const SsdCmd *cmd, RulesEffect *effect)
{
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        effect->nlb += cmd->ranges[i].nlb;
    }
    if (cmd->range_count > SSD_COPY_RANGES_MAX || effect->nlb > r->mdts_nlb) {
        return SSD_COMMAND_SIZE_LIMIT_EXCEEDED;
    }
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        SsdRange from = cmd->ranges[i];
        SsdStatus status;

        if (from.nlb == 0) {
            return SSD_INVALID_FIELD;
        }
        if (is_outside(r, from.slba, from.nlb)) {
            return SSD_LBA_OUT_OF_RANGE;
        }
        status = get_data(r, from.slba, from.nlb);
        if (status) {
            return status;
        }
    }
    if (cmd->range_count == 0) {
        return SSD_INVALID_FIELD;
    }
    if (is_outside(r, cmd->slba, effect->nlb)) {
        return SSD_LBA_OUT_OF_RANGE;
    }
    return put_data(r, cmd, effect, effect->nlb);
}

/* Whom no limit stops but an active resource: Empty to Closed. */
static SsdStatus set_extension(Rules *r, RulesZone *zone)
{
    if (zone->state != SSD_ZONE_EMPTY) {
        return SSD_INVALID_ZONE_STATE_TRANSITION;
    }
    if (!zone->holds_active && rules_active_count(r) >= r->max_active) {
        return SSD_TOO_MANY_ACTIVE_ZONES;
    }
    zone->state = SSD_ZONE_CLOSED;
    zone->extension = true;
    zone->holds_active = true;
    zone->holds_open = false;
    zone->owner = 0;
    return SSD_SUCCESS;
}

static SsdStatus zone_action(Rules *r, SsdOp op, uint32_t zone_idx,
                             RulesEffect *effect);

/* The same with a ZRWA, which only an empty zone can get. */
static SsdStatus action_with_zrwa(Rules *r, SsdOp op, uint32_t zone_idx)
{
    RulesZone *zone = &r->zone[zone_idx];
    bool was_empty = zone->state == SSD_ZONE_EMPTY;
    uint32_t count = 0;
    SsdStatus status;

    if (r->zrwa_nlb == 0) {
        return SSD_INVALID_FIELD;
    }
    for (uint32_t z = 0; z < r->zone_count; z++) {
        count += r->zone[z].zrwa;
    }
    if (is_active(zone) && op == SSD_OP_ZONE_OPEN) {
        return SSD_INVALID_ZONE_OPERATION;
    }
    status = zone_action(r, op, zone_idx, NULL);
    if (status) {
        return status;
    }
    g_assert_true(was_empty);
    zone->zrwa = true;
    return count < r->max_zrwa ? SSD_SUCCESS : SSD_ZRWA_UNAVAILABLE;
}

static SsdStatus zone_action(Rules *r, SsdOp op, uint32_t zone_idx,
                             RulesEffect *effect)
{
    RulesZone *zone = &r->zone[zone_idx];

    if (op == SSD_OP_ZONE_OPEN_ZRWA) {
        return action_with_zrwa(r, SSD_OP_ZONE_OPEN, zone_idx);
    }
    if (op == SSD_OP_ZONE_SET_EXTENSION_ZRWA) {
        return action_with_zrwa(r, SSD_OP_ZONE_SET_EXTENSION, zone_idx);
    }
    if (op == SSD_OP_ZONE_OFFLINE) {
        if (zone->state != SSD_ZONE_READ_ONLY &&
            zone->state != SSD_ZONE_OFFLINE) {
            return SSD_INVALID_ZONE_STATE_TRANSITION;
        }
        zone->state = SSD_ZONE_OFFLINE;
        zone->extension = false;
        return SSD_SUCCESS;
    }
    if (zone->state == SSD_ZONE_READ_ONLY ||
        zone->state == SSD_ZONE_OFFLINE) {
        return SSD_INVALID_ZONE_STATE_TRANSITION;
    }
    switch (op) {
    case SSD_OP_ZONE_SET_EXTENSION:
        return set_extension(r, zone);
    case SSD_OP_ZONE_OPEN:
        if (zone->state == SSD_ZONE_FULL) {
            return SSD_INVALID_ZONE_STATE_TRANSITION;
        }
        if (is_open(zone)) {
            zone->state = SSD_ZONE_EXPLICITLY_OPEN;
            return SSD_SUCCESS;
        }
        return open_zone(r, zone, SSD_ZONE_EXPLICITLY_OPEN);
    case SSD_OP_ZONE_CLOSE:
        if (!is_active(zone)) {
            return SSD_INVALID_ZONE_STATE_TRANSITION;
        }
        zone->state = SSD_ZONE_CLOSED;
        zone->holds_open = false;
        return SSD_SUCCESS;
    case SSD_OP_ZONE_FINISH:
        if (zone->state != SSD_ZONE_FULL) {
            leave(r, zone_idx, SSD_ZONE_FULL, effect);
        }
        return SSD_SUCCESS;
    case SSD_OP_ZONE_RESET:
        if (zone->state != SSD_ZONE_EMPTY) {
            leave(r, zone_idx, SSD_ZONE_EMPTY, effect);
        }
        return SSD_SUCCESS;
    default:
        g_assert_not_reached();
    }
}

/* Does Select All touch this zone? (ZNS 1.1 section 3.4.3.1) */
static bool is_selected(const RulesZone *zone, SsdOp op)
{
    switch (op) {
    case SSD_OP_ZONE_OPEN:
        return zone->state == SSD_ZONE_CLOSED;
    case SSD_OP_ZONE_CLOSE:
        return is_open(zone);
    case SSD_OP_ZONE_FINISH:
        return is_active(zone);
    case SSD_OP_ZONE_OFFLINE:
        return zone->state == SSD_ZONE_READ_ONLY;
    default:
        return is_active(zone) || zone->state == SSD_ZONE_FULL;
    }
}

static SsdStatus all_zones(Rules *r, SsdOp op, RulesEffect *effect)
{
    uint32_t selected = 0;

    if (op >= SSD_OP_ZONE_SET_EXTENSION) {
        return SSD_INVALID_FIELD;
    }
    for (uint32_t z = 0; z < r->zone_count; z++) {
        selected += is_selected(&r->zone[z], op);
    }
    /* No zone is closed implicitly to make room: that one was open, too. */
    if (op == SSD_OP_ZONE_OPEN &&
        (uint64_t)rules_open_count(r) + selected > r->max_open) {
        return SSD_TOO_MANY_OPEN_ZONES;
    }
    for (uint32_t z = 0; z < r->zone_count; z++) {
        if (is_selected(&r->zone[z], op)) {
            SsdStatus status = zone_action(r, op, z, effect);

            g_assert_cmphex(status, ==, SSD_SUCCESS);
        }
    }
    return SSD_SUCCESS;
}

static bool op_reads(SsdOp op)
{
    return op == SSD_OP_READ || op == SSD_OP_VERIFY || op == SSD_OP_COMPARE;
}

/*
 * NVM command set 1.0 section 3.2.3, ZNS 1.1 section 3.3.3; zones keep their
 * blocks until reset.
 */
static SsdStatus deallocate(const Rules *r, const SsdCmd *cmd)
{
    uint64_t end_lba = r->zone_count * r->zone_nlb;

    if (cmd->range_count == 0 ||
        cmd->range_count > SSD_DEALLOCATE_RANGES_MAX) {
        return SSD_INVALID_FIELD;
    }
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        if (cmd->ranges[i].slba > end_lba ||
            cmd->ranges[i].nlb > end_lba - cmd->ranges[i].slba) {
            return SSD_LBA_OUT_OF_RANGE;
        }
        for (uint64_t b = 0; b < cmd->ranges[i].nlb; b++) {
            uint64_t lba = cmd->ranges[i].slba + b;

            if (r->zone[lba / r->zone_nlb].state == SSD_ZONE_OFFLINE) {
                return SSD_ZONE_IS_OFFLINE;
            }
        }
    }
    return SSD_SUCCESS;
}

/* ZNS 1.1 section 2.1.1.3: the state that a zone begins with. */
void rules_shutdown(Rules *r)
{
    for (uint32_t z = 0; z < r->zone_count; z++) {
        RulesZone *zone = &r->zone[z];

        if (!is_active(zone)) {
            continue;
        }
        zone->state = SSD_ZONE_CLOSED;
        zone->holds_open = false;
        if (!zone->extension && zone->end_nlb == 0) {
            zone->state = SSD_ZONE_EMPTY;
            zone->zrwa = false;
            zone->holds_active = false;
        }
    }
}

static SsdStatus apply(Rules *r, const SsdCmd *cmd, RulesEffect *effect)
{
    uint64_t end_lba = r->zone_count * r->zone_nlb;

    switch (cmd->op) {
    case SSD_OP_FLUSH:
    case SSD_OP_IDENTIFY:
    case SSD_OP_LOG:
    case SSD_OP_FEATURE:
    case SSD_OP_SHUTDOWN:
        return SSD_SUCCESS;
    case SSD_OP_ZONE_REPORT:
        if (cmd->slba >= end_lba) {
            return SSD_LBA_OUT_OF_RANGE;
        }
        return cmd->slba / r->zone_nlb + cmd->nlb > r->zone_count
               ? SSD_INVALID_FIELD : SSD_SUCCESS;
    case SSD_OP_COPY:
        return copy_data(r, cmd, effect);
    case SSD_OP_DEALLOCATE:
        effect->lba = cmd->slba;
        return deallocate(r, cmd);
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_APPEND:
        if (cmd->nlb == 0 || cmd->nlb > r->mdts_nlb ||
            (cmd->op == SSD_OP_APPEND && cmd->nlb > r->zasl_nlb) ||
            (cmd->op == SSD_OP_WRITE_ZEROES && cmd->nlb > r->wzsl_nlb)) {
            return SSD_INVALID_FIELD;
        }
        if (is_outside(r, cmd->slba,
                       cmd->op == SSD_OP_APPEND ? 1 : cmd->nlb)) {
            return SSD_LBA_OUT_OF_RANGE;
        }
        effect->lba = cmd->slba;
        return op_reads(cmd->op) ? get_data(r, cmd->slba, cmd->nlb) :
                                       put_data(r, cmd, effect, cmd->nlb);
    default:
        if (cmd->select_all) {
            return all_zones(r, cmd->op, effect);
        }
        if (cmd->slba >= end_lba) {
            return SSD_LBA_OUT_OF_RANGE;
        }
        if (cmd->op == SSD_OP_ZONE_FLUSH_ZRWA) {
            return flush_zrwa(r, cmd->slba, effect);
        }
        if (cmd->slba % r->zone_nlb) {
            return SSD_INVALID_FIELD;
        }
        return zone_action(r, cmd->op, cmd->slba / r->zone_nlb, effect);
    }
}

RulesEffect rules_apply(Rules *r, const SsdCmd *cmd)
{
    size_t bytes = sizeof(*r) + r->zone_count * sizeof(r->zone[0]);
    g_autofree Rules *copy = g_memdup2(r, bytes);
    RulesEffect effect = { 0 };

    effect.status = apply(copy, cmd, &effect);
    if (effect.status) {
        g_free(effect.job);
        effect.job = NULL;
        effect.job_count = 0;
    } else {
        memcpy(r, copy, bytes);
    }
    return effect;
}
