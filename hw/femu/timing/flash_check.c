/*
 * A flash array that has been read: is each operation in its place, and is it
 * waited for by the events that must be pending?
 *
 * Knows nothing of zones, commands or NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/state.h"
#include "flash_internal.h"

/* Where an operation is. */
typedef enum Place {
    PLACE_FREE,
    PLACE_MOVES, /* it is issued, or crosses its channel, or waits for that */
    PLACE_READS,
    PLACE_WORK,
    PLACE_LOADS,
    PLACE_ERASES,
    PLACE_RUNS,
    PLACE_SUSPENDED,
} Place;

typedef struct Check {
    const Flash *flash;
    State *state;
    const FlashEvents *events;
    uint8_t *places; /* [token] */
    bool *in_line;   /* [token] it waits for its channel */
} Check;

static const FlashToken *token_at(const Check *check, uint32_t token_idx)
{
    return &check->flash->tokens[token_idx];
}

/* The operation is of this unit, and nowhere else. */
static void put(Check *check, uint32_t token_idx, uint32_t unit_idx,
                Place place)
{
    if (check->places[token_idx] != PLACE_MOVES ||
        token_at(check, token_idx)->op.unit_idx != unit_idx) {
        state_fail(check->state, "operation %u cannot be at unit %u in place "
                   "%u: it is of another, or in place %u", token_idx,
                   unit_idx, place, check->places[token_idx]);
    }
    check->places[token_idx] = place;
}

static void put_queue(Check *check, const FlashQueue *queue, uint32_t unit_idx,
                      Place place)
{
    for (uint32_t i = queue->head_idx; i != FLASH_NONE;
         i = token_at(check, i)->next_idx) {
        put(check, i, unit_idx, place);
    }
}

static void find_places(Check *check)
{
    const Flash *flash = check->flash;

    for (uint32_t i = 0; i < flash->fresh_idx; i++) {
        check->places[i] = PLACE_MOVES;
    }
    for (uint32_t i = flash->free_idx; i != FLASH_NONE;
         i = token_at(check, i)->next_idx) {
        check->places[i] = PLACE_FREE;
    }
    for (uint32_t i = 0; i < flash_unit_count(flash); i++) {
        const FlashUnit *unit = &flash->units[i];

        put_queue(check, &unit->reads, i, PLACE_READS);
        put_queue(check, &unit->work, i, PLACE_WORK);
        put_queue(check, &unit->loads, i, PLACE_LOADS);
        put_queue(check, &unit->erases, i, PLACE_ERASES);
        if (unit->running_idx != FLASH_NONE) {
            put(check, unit->running_idx, i, PLACE_RUNS);
        }
        if (unit->suspended_idx != FLASH_NONE) {
            put(check, unit->suspended_idx, i, PLACE_SUSPENDED);
        }
    }
}

/* What dies have sensed stands in no line. */
static bool stands_in_line(const Check *check, uint32_t token_idx,
                           uint32_t channel_idx)
{
    const FlashToken *token = token_at(check, token_idx);

    return (check->places[token_idx] == PLACE_MOVES ||
            check->places[token_idx] == PLACE_RUNS) && !token->at_unit &&
           flash_is_at_channel(token) &&
           (token->op.kind != FLASH_READ || flash_is_command(token)) &&
           check->flash->units[token->op.unit_idx].channel_idx == channel_idx;
}

/* A read whose command waits may be what its unit waits for. */
static void find_line(Check *check, uint32_t channel_idx)
{
    const FlashQueue *line = &check->flash->channels[channel_idx].line;

    for (uint32_t i = line->head_idx; i != FLASH_NONE;
         i = token_at(check, i)->next_idx) {
        if (!stands_in_line(check, i, channel_idx)) {
            state_fail(check->state, "operation %u cannot wait for channel "
                       "%u in place %u", i, channel_idx, check->places[i]);
        }
        check->in_line[i] = true;
    }
}

/* The end of what has been booked on a channel, and only that, moves a line. */
static void check_channels(Check *check)
{
    const Flash *flash = check->flash;
    g_autofree uint32_t *crossing = g_new0(uint32_t, flash->config.channels);

    for (uint32_t i = 0; i < flash->fresh_idx; i++) {
        const FlashToken *token = token_at(check, i);

        if ((check->places[i] == PLACE_MOVES ||
             check->places[i] == PLACE_RUNS) && !token->at_unit &&
            !check->in_line[i] && flash_is_at_channel(token)) {
            crossing[flash->units[token->op.unit_idx].channel_idx] +=
                flash->config.sense_command_ns != 0;
        }
    }
    for (uint32_t i = 0; i < flash->config.channels; i++) {
        const FlashChannel *channel = &flash->channels[i];

        if (channel->crossing != crossing[i] ||
            (crossing[i] == 0 && !queue_is_empty(&channel->line))) {
            state_fail(check->state, "channel %u has %u operations that cross "
                       "it, must have %u, or lets others wait for nothing",
                       i, channel->crossing, crossing[i]);
        }
    }
}

/* Operations */

/* May an operation of this kind, which is in use, be there? */
static bool fits(const Flash *flash, const FlashToken *token, Place place)
{
    FlashKind kind = token->op.kind;

    if (kind == FLASH_READ && !token->is_issued) {
        return flash->config.sense_command_ns != 0 &&
               (place == (flash->config.reads_first ? PLACE_READS : PLACE_WORK)
                ? token->at_unit
                : !token->at_unit && (place == PLACE_MOVES ||
                                      place == PLACE_RUNS));
    }
    switch (place) {
    case PLACE_MOVES:
        return !token->at_unit && kind != FLASH_ERASE && kind != FLASH_STEP &&
               (kind != FLASH_READ || flash->config.cache_read);
    case PLACE_READS:
        return token->at_unit && kind == FLASH_READ &&
               flash->config.reads_first != 0;
    case PLACE_WORK:
        return token->at_unit && kind != FLASH_LOAD && kind != FLASH_STEP &&
               (kind != FLASH_READ || flash->config.reads_first == 0);
    case PLACE_LOADS:
        return !token->at_unit && flash_programs(kind);
    case PLACE_ERASES:
        return !token->at_unit && kind == FLASH_ERASE;
    case PLACE_RUNS:
        return kind != FLASH_LOAD &&
               (token->at_unit ||
                (kind == FLASH_READ && !flash->config.cache_read));
    case PLACE_SUSPENDED:
        return token->at_unit && flash_can_suspend(&flash->config, kind);
    case PLACE_FREE:
        break;
    }
    g_assert_not_reached();
}

static uint32_t events_due(const Check *check, uint32_t token_idx)
{
    const FlashToken *token = token_at(check, token_idx);

    if (check->in_line[token_idx]) {
        return 0;
    }
    switch (check->places[token_idx]) {
    case PLACE_MOVES:
    case PLACE_RUNS:
    case PLACE_SUSPENDED:
        return token->at_unit ? token->has_event : 1;
    default:
        return 0;
    }
}

/* What is transferred is of one page; a read, of what is sensed at once. */
static bool has_bytes(const Flash *flash, const FlashOp *op)
{
    uint32_t page_bytes = flash->config.page_bytes;

    return op->begin_bytes <= op->end_bytes &&
           op->end_bytes <= page_bytes * flash->config.program_pages &&
           (op->kind != FLASH_READ || op->begin_bytes == op->end_bytes ||
            op->begin_bytes / page_bytes == (op->end_bytes - 1) / page_bytes);
}

static void check_token(const Check *check, uint32_t token_idx)
{
    const FlashToken *token = token_at(check, token_idx);
    Place place = check->places[token_idx];

    if (place != PLACE_FREE &&
        (!fits(check->flash, token, place) ||
         !has_bytes(check->flash, &token->op) ||
         (token->has_event && place < PLACE_RUNS))) {
        state_fail(check->state, "operation %u of kind %u cannot be in place "
                   "%u (%u, %u), with bytes %u to %u", token_idx,
                   token->op.kind, place, token->at_unit, token->has_event,
                   token->op.begin_bytes, token->op.end_bytes);
    }
    if (check->events->of_tokens[token_idx] != events_due(check, token_idx)) {
        state_fail(check->state, "operation %u in place %u has %u events, must "
                   "have %u", token_idx, place,
                   check->events->of_tokens[token_idx],
                   events_due(check, token_idx));
    }
}

/* Units */

/* Does what runs have suspend points, and has it not been told to stop yet? */
static void check_stretch(const Check *check, uint32_t unit_idx)
{
    const Flash *flash = check->flash;
    const FlashUnit *unit = &flash->units[unit_idx];
    bool can_stop = unit->running_idx != FLASH_NONE &&
                    flash_can_suspend(&flash->config,
                                      token_at(check, unit->running_idx)
                                      ->op.kind);
    bool stops = can_stop && unit->suspending;

    if (check->events->of_units[unit_idx] != stops) {
        state_fail(check->state, "unit %u stops: %d, and has %u events for "
                   "that", unit_idx, stops,
                   check->events->of_units[unit_idx]);
    }
    if (can_stop && (unit->suspended_idx != FLASH_NONE ||
                     (!stops && !token_at(check, unit->running_idx)
                                ->has_event) ||
                     (flash->config.segment_ns != 0 &&
                      (unit->drawn == 0 ||
                       unit->point_at_ns <= unit->run_from_at_ns)) ||
                     (stops && unit->point_at_ns > unit->run_until_at_ns))) {
        state_fail(check->state, "unit %u runs what can be suspended, in a "
                   "way that cannot be", unit_idx);
    }
    if (!can_stop && unit->running_idx != FLASH_NONE &&
        token_at(check, unit->running_idx)->at_unit &&
        !token_at(check, unit->running_idx)->has_event) {
        state_fail(check->state, "what unit %u runs never ends", unit_idx);
    }
}

/* Does all that waits stand behind a program that may not begin? */
static bool is_held(const Check *check, const FlashUnit *unit)
{
    return queue_is_empty(&unit->work) ||
           (flash_programs(token_at(check, unit->work.head_idx)->op.kind) &&
            !flash_can_program(check->flash, unit));
}

/* An idle unit has nothing to do. */
static void check_idle(const Check *check, uint32_t unit_idx)
{
    const FlashUnit *unit = &check->flash->units[unit_idx];

    if (unit->running_idx == FLASH_NONE &&
        (!queue_is_empty(&unit->reads) || !is_held(check, unit) ||
         unit->steps_waiting != 0 || unit->suspended_idx != FLASH_NONE)) {
        state_fail(check->state, "unit %u is idle, and has something to do",
                   unit_idx);
    }
}

/* Programs of a unit: those with a register, and those on their way to it. */
typedef struct Programs {
    uint32_t loaded;
    uint32_t coming;
} Programs;

static void check_order(const Check *check, uint32_t unit_idx,
                        const Programs *programs)
{
    const FlashUnit *unit = &check->flash->units[unit_idx];
    uint32_t before = 1;

    if (unit->loaded != programs->loaded ||
        unit->programs_issued - unit->programs_arrived != programs->coming) {
        state_fail(check->state, "unit %u has %u programs in registers and %u "
                   "on their way, must have %u and %u", unit_idx,
                   unit->loaded,
                   unit->programs_issued - unit->programs_arrived,
                   programs->loaded, programs->coming);
    }
    for (uint32_t i = unit->erases.head_idx; i != FLASH_NONE;
         i = token_at(check, i)->next_idx) {
        uint32_t awaited = token_at(check, i)->programs_before -
                           unit->programs_arrived;

        if (awaited < before || awaited > programs->coming) {
            state_fail(check->state, "erase %u waits for %u programs, %u are "
                       "on their way", i, awaited, programs->coming);
        }
        before = awaited;
    }
}

static void check_units(const Check *check)
{
    const Flash *flash = check->flash;
    g_autofree Programs *programs = g_new0(Programs, flash_unit_count(flash));

    for (uint32_t i = 0; i < flash->fresh_idx; i++) {
        const FlashToken *token = token_at(check, i);

        if (check->places[i] != PLACE_FREE && flash_programs(token->op.kind)) {
            programs[token->op.unit_idx].loaded +=
                check->places[i] != PLACE_LOADS;
            programs[token->op.unit_idx].coming += !token->at_unit;
        }
    }
    for (uint32_t i = 0; i < flash_unit_count(flash); i++) {
        check_stretch(check, i);
        check_idle(check, i);
        check_order(check, i, &programs[i]);
    }
}

/* Is it an operation, and a program? */
static bool is_program(const Check *check, uint32_t token_idx)
{
    return token_idx != FLASH_NONE &&
           flash_programs(token_at(check, token_idx)->op.kind);
}

/* Return: programs of the unit, of the host and of the drive's own. */
static uint32_t check_own_of_unit(const Check *check, uint32_t unit_idx)
{
    const FlashUnit *unit = &check->flash->units[unit_idx];
    uint32_t events = check->events->of_owns[unit_idx];
    uint32_t programs = is_program(check, unit->running_idx) +
                        is_program(check, unit->suspended_idx);

    if (events != unit->programs_own) {
        state_fail(check->state, "unit %u has %u events of the drive's own "
                   "program, must have %u", unit_idx, events,
                   unit->programs_own);
    } else if (unit->programs_own &&
               (check->flash->config.own_after == 0 || programs > 0)) {
        state_fail(check->state, "unit %u has a program of the drive's own, "
                   "with %u others", unit_idx, programs);
    }
    return programs + unit->programs_own;
}

static void check_own(const Check *check)
{
    const Flash *flash = check->flash;
    uint32_t count = 0;

    for (uint32_t i = 0; i < flash_unit_count(flash); i++) {
        count += check_own_of_unit(check, i);
    }
    if (flash->config.own_after == 0) {
        count = 0;
    }
    if (flash->programming != count ||
        flash->begun > (uint64_t)flash->config.own_after *
                       flash_unit_count(flash) ||
        (flash_gathers(flash) && count == 0)) {
        state_fail(check->state, "%u units program, must be %u; %" PRIu64
                   " programs since the drive's own", flash->programming,
                   count, flash->begun);
    }
}

bool *flash_check(const Flash *flash, State *state, const FlashEvents *events)
{
    Check check = {
        .flash = flash,
        .state = state,
        .events = events,
        .places = g_new0(uint8_t, flash->fresh_idx),
        .in_line = g_new0(bool, flash->fresh_idx),
    };
    bool *used = g_new0(bool, flash->fresh_idx);

    find_places(&check);
    for (uint32_t i = 0; i < flash->config.channels; i++) {
        find_line(&check, i);
    }
    if (state_is_good(state)) {
        for (uint32_t i = 0; i < flash->fresh_idx; i++) {
            check_token(&check, i);
            used[i] = check.places[i] != PLACE_FREE;
        }
        check_channels(&check);
        check_units(&check);
        check_own(&check);
    }
    g_free(check.in_line);
    g_free(check.places);
    return used;
}
