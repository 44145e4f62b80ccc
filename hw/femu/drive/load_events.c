/*
 * Events and operations of a drive that has been read, counted by who waits for
 * them.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "load.h"

/* Events */

static void count_one(LoadCheck *check, uint32_t *counts, uint32_t idx,
                      uint32_t end, const char *what)
{
    if (idx >= end) {
        state_fail(check->state, "an event of %s %u, there are %u", what, idx,
                   end);
    } else {
        counts[idx]++;
    }
}

static void count_flash_event(LoadCheck *check, uint32_t idx)
{
    const Flash *flash = &check->ssd->media.flash;

    if (idx < flash->config.op_capacity) {
        count_one(check, check->events.flash.of_tokens, idx, flash->fresh_idx,
                  "operation");
    } else if (idx >= flash_own_event(&flash->config)) {
        count_one(check, check->events.flash.of_owns,
                  idx - flash_own_event(&flash->config),
                  check->ssd->media.unit_count, "own program of unit");
    } else {
        count_one(check, check->events.flash.of_units,
                  idx - flash->config.op_capacity,
                  check->ssd->media.unit_count, "unit");
    }
}

static void count_event(LoadCheck *check, uint32_t name)
{
    const Ssd *ssd = check->ssd;
    LoadEvents *events = &check->events;
    uint32_t idx = event_idx(name), only = 0;

    switch (event_room(name)) {
    case EVENT_FLASH:
        count_flash_event(check, idx);
        break;
    case EVENT_LEAVING:
        count_one(check, events->leaving, idx, ssd->params.cmd_slots,
                  "command");
        break;
    case EVENT_BUFFER:
        count_one(check, events->buffer, idx, ssd->media.unit_count,
                  "the buffer's unit");
        break;
    case EVENT_JOB:
        count_one(check, events->jobs, idx, ssd->zns.jobs.fresh_idx, "job");
        break;
    case EVENT_FRONT:
        count_one(check, &events->front, idx, 1, "the front end");
        break;
    case EVENT_LINK:
        count_one(check, &events->link, idx, 1, "the link");
        break;
    case EVENT_RESET:
        count_one(check, &events->reset, idx, 1, "resets");
        break;
    case EVENT_STEP:
        count_one(check, &events->step, idx, 1, "steps");
        break;
    default:
        count_one(check, &only, name, 0, "nobody");
        break;
    }
}

void load_count_events(LoadCheck *check)
{
    const Ssd *ssd = check->ssd;
    FlashEvents *flash = &check->events.flash;

    flash->of_tokens = g_new0(uint32_t, ssd->media.flash.fresh_idx);
    flash->of_units = g_new0(uint32_t, ssd->media.unit_count);
    flash->of_owns = g_new0(uint32_t, ssd->media.unit_count);
    for (uint32_t i = 0; i < event_heap_count(&ssd->events); i++) {
        Event event = event_heap_at(&ssd->events, i);
        uint64_t at_ns = event.key >> 64;

        if (at_ns < ssd->run_at_ns) {
            state_fail(check->state, "an event at %" PRIu64 " ns, it is %"
                       PRIu64 " ns", at_ns, ssd->run_at_ns);
        }
        count_event(check, event.payload);
    }
}

/* Operations */

static uint32_t *count_of_owner(LoadCheck *check, Owner owner)
{
    LoadOps *ops = &check->ops;

    switch (owner_kind(owner)) {
    case OWNER_COMMAND:
        return &ops->commands[owner_idx(owner)];
    case OWNER_JOB:
        return &ops->jobs[owner_idx(owner)];
    case OWNER_BUFFER:
        return &ops->buffer[owner_idx(owner)];
    case OWNER_FIRST_WRITE:
        return &ops->first_writes[owner_idx(owner)];
    case OWNER_AHEAD:
        return &ops->fetches[owner_idx(owner)];
    case OWNER_CLEANING:
        return &ops->cleaning;
    case OWNER_NONE:
        break;
    }
    return NULL;
}

/* May an owner have operations of this kind? */
static bool owns(Owner owner, FlashKind kind)
{
    switch (owner_kind(owner)) {
    case OWNER_COMMAND:
        return kind != FLASH_PAD && kind != FLASH_STEP;
    case OWNER_JOB:
        return flash_programs(kind) || kind == FLASH_ERASE;
    case OWNER_BUFFER:
        return kind == FLASH_PROGRAM;
    case OWNER_FIRST_WRITE:
        return kind == FLASH_ERASE;
    case OWNER_AHEAD:
        return kind == FLASH_READ;
    case OWNER_CLEANING:
        return kind != FLASH_PAD && kind != FLASH_STEP;
    case OWNER_NONE:
        return kind == FLASH_ERASE || kind == FLASH_STEP;
    }
    g_assert_not_reached();
}

static void count_program(LoadCheck *check, const FlashOp *op)
{
    const Ssd *ssd = check->ssd;

    bool moves = owner_kind(op->owner) == OWNER_CLEANING &&
                 wbuf_has_log(&ssd->buffer);

    if (owner_kind(op->owner) == OWNER_COMMAND ||
        owner_kind(op->owner) == OWNER_BUFFER || moves) {
        check->ops.epochs[op->epoch]++;
        check->ops.programs[op->unit_idx]++;
    }
    if (moves) {
        check->ops.buffer[ssd->params.zones]++;
    }
    if (conv_has_place(&ssd->conv, op->place_idx)) {
        uint32_t idx = op->place_idx - media_place_count(&ssd->media);

        check->ops.line_programs[idx / ssd->conv.map.zone_units]++;
    }
}

/* May this owner have the operation in the log? Programs may be the buffer's. */
static bool owns_of_log(const LoadCheck *check, const FlashOp *op)
{
    bool is_buffered = wbuf_has_log(&check->ssd->buffer);

    switch (owner_kind(op->owner)) {
    case OWNER_COMMAND:
        return !is_buffered || op->kind == FLASH_READ;
    case OWNER_BUFFER:
        return owner_idx(op->owner) == check->ssd->params.zones;
    case OWNER_CLEANING:
        return !is_buffered || op->kind != FLASH_LOAD;
    default:
        return false;
    }
}

static void count_op(LoadCheck *check, uint32_t token_idx)
{
    const FlashOp *op = &check->ssd->media.flash.tokens[token_idx].op;
    uint32_t *count = count_of_owner(check, op->owner);
    bool is_log = conv_has_place(&check->ssd->conv, op->place_idx);

    if (!owns(op->owner, op->kind) ||
        (is_log && !owns_of_log(check, op)) ||
        (!is_log && owner_kind(op->owner) == OWNER_BUFFER &&
         media_zone_of_place(&check->ssd->media, op->place_idx) !=
         owner_idx(op->owner))) {
        state_fail(check->state, "operation %u of kind %u and place %u has an "
                   "owner of kind %u", token_idx, op->kind, op->place_idx,
                   owner_kind(op->owner));
    }
    if (count != NULL) {
        ++*count;
    }
    check->ops.steps += op->kind == FLASH_STEP;
    if (flash_programs(op->kind)) {
        count_program(check, op);
    }
}

/*
 * A fetch in use has one, and no other has any. Before all that follows: the
 * waiters of one that is not in use are no list.
 */
static void check_fetches(LoadCheck *check)
{
    const Ahead *ahead = &check->ssd->prefetch.ahead;
    uint64_t count = (uint64_t)ahead->config.streams *
                     ahead->config.depth_lines;
    g_autofree bool *free = g_new0(bool, count);

    for (uint32_t i = ahead->free_fetch_idx; i != AHEAD_NONE;
         i = ahead->fetches[i].place) {
        free[i] = true;
    }
    for (uint64_t i = 0; i < count; i++) {
        bool is_used = i < ahead->fresh_fetch_idx && !free[i];

        if (check->ops.fetches[i] != is_used) {
            state_fail(check->state, "operations of fetch %" PRIu64 ": %u, "
                       "must be %u", i, check->ops.fetches[i], is_used);
        }
    }
}

void load_count_ops(LoadCheck *check)
{
    const Flash *flash = &check->ssd->media.flash;
    g_autofree bool *used = flash_check(flash, check->state,
                                        &check->events.flash);

    for (uint32_t i = 0; i < flash->fresh_idx; i++) {
        if (used[i]) {
            count_op(check, i);
        }
    }
    check_fetches(check);
}
