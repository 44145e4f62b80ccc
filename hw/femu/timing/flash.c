/*
 * The flash array in time.
 *
 * An operation is a token that visits its channel and its unit in the order
 * its kind demands; each visit ends with one event. Every decision is taken at
 * an event's own time, so how often the caller looks changes nothing.
 *
 * Knows nothing of zones, commands or NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "flash_internal.h"

#include <glib.h>

void flash_init(Flash *flash, const FlashConfig *config, EventHeap *events)
{
    uint32_t unit_count = config->channels * config->units_per_channel;

    *flash = (Flash) {
        .config = *config,
        .page_divisor = divisor_of(config->page_bytes),
        .events = events,
        .tokens = g_new(FlashToken, config->op_capacity),
        .free_idx = FLASH_NONE,
        .channels = g_new(FlashChannel, config->channels),
        .units = g_new(FlashUnit, unit_count),
    };
    if (config->register_read_ns != 0) {
        flash->plane_divisor = divisor_of(config->page_bytes /
                                          config->unit_planes);
        flash->sensed = g_new0(FlashSensed,
                               (size_t)unit_count * config->unit_planes);
        flash->asked = g_new0(FlashSensed,
                              (size_t)unit_count * config->unit_planes);
    }
    for (uint32_t i = 0; i < config->channels; i++) {
        flash->channels[i] = (FlashChannel) { .crossing = 0 };
        queue_init(&flash->channels[i].line);
    }
    for (uint32_t i = 0; i < unit_count; i++) {
        flash_unit_init(&flash->units[i], i / config->units_per_channel);
    }
}

void flash_log_busy(Flash *flash, uint32_t size)
{
    g_assert(flash->busy.size == 0 && size > 0 && size <= FLASH_BUSY_MOST);
    flash->busy.entries = g_new(BusyEntry, size);
    flash->busy.size = size;
}

void flash_destroy(Flash *flash)
{
    g_free(flash->busy.entries);
    g_free(flash->tokens);
    g_free(flash->channels);
    g_free(flash->asked);
    g_free(flash->sensed);
    g_free(flash->units);
}

/* A switch, so that the compiler warns of a kind without a name. */
const char *flash_kind_name(FlashKind kind)
{
    switch (kind) {
    case FLASH_READ:
        return "read";
    case FLASH_LOAD:
        return "load";
    case FLASH_PROGRAM:
        return "program";
    case FLASH_PAD:
        return "pad";
    case FLASH_ERASE:
        return "erase";
    case FLASH_STEP:
        return "step";
    }
    g_assert_not_reached();
}

/* Registers: a program's data wait for one before they cross the channel */

/* A program has a register: the controller issues it, then it transfers. */
static void program_issue(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    uint64_t issue_ns = flash->config.issue_ns;

    token->is_issued = issue_ns == 0;
    if (token->is_issued) {
        flash_channel_ask(flash, now_ns, token_idx);
    } else {
        event_heap_push(flash->events,
                        local_clock_book(&flash->issue, now_ns, issue_ns),
                        token_idx);
    }
}

static void register_ask(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    uint32_t unit_idx = flash->tokens[token_idx].op.unit_idx;
    FlashUnit *unit = &flash->units[unit_idx];

    if (flash_takes_program(flash, unit_idx)) {
        unit->loaded++;
        program_issue(flash, now_ns, token_idx);
    } else {
        queue_push(flash, &unit->loads, token_idx);
    }
}

/* Needs a free register and a program that waits. */
static void register_load_next(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    if (!queue_is_empty(&unit->loads) && !flash->locked) {
        unit->loaded++;
        program_issue(flash, now_ns, queue_pop(flash, &unit->loads));
    }
}

static void register_give(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    unit->loaded--;
    register_load_next(flash, now_ns, unit);
}

void flash_lock_programs(Flash *flash)
{
    flash->locked = true;
}

bool flash_unlock_programs(Flash *flash, uint64_t now_ns)
{
    uint32_t unit_count = flash->config.channels *
                          flash->config.units_per_channel;
    uint32_t most = flash->config.program_registers
                    ? flash->config.program_registers : UINT32_MAX;

    if (!flash->locked) {
        return false;
    }
    flash->locked = false;
    for (uint32_t i = 0; i < unit_count; i++) {
        FlashUnit *unit = &flash->units[i];

        while (!queue_is_empty(&unit->loads) && unit->loaded < most) {
            register_load_next(flash, now_ns, unit);
        }
    }
    return true;
}

/*
 * A read's command crosses the channel, and then the read is its unit's. If that
 * is at other work, the read waits there first, and the unit for the command.
 */

RARE
static void read_issue(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    const FlashUnit *unit = &flash->units[token->op.unit_idx];
    bool is_held = flash_unit_asked(flash, &token->op);

    token->is_issued = flash->config.sense_command_ns == 0;
    if (token->is_issued || !flash_only_reads(flash, unit)) {
        flash_unit_join(flash, now_ns, token_idx);
    } else {
        /* Without a command it stays behind those before it all the same. */
        token->from_registers = is_held;
        flash_channel_ask(flash, now_ns, token_idx);
    }
}

static void read_issued(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    FlashUnit *unit = &flash->units[token->op.unit_idx];

    token->is_issued = true;
    if (unit->running_idx == token_idx) {
        flash_unit_commanded(flash, now_ns, unit);
    } else {
        flash_unit_join(flash, now_ns, token_idx);
    }
}

/* The order of programs and erases on a unit */

RARE
static void erase_ask(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    FlashUnit *unit = &flash->units[token->op.unit_idx];

    if (unit->programs_arrived == unit->programs_issued) {
        flash_unit_join(flash, now_ns, token_idx);
    } else {
        token->programs_before = unit->programs_issued;
        queue_push(flash, &unit->erases, token_idx);
    }
}

static void program_arrived(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashUnit *unit = &flash->units[flash->tokens[token_idx].op.unit_idx];

    unit->programs_arrived++;
    flash_unit_join(flash, now_ns, token_idx);
    while (!queue_is_empty(&unit->erases) &&
           flash->tokens[unit->erases.head_idx].programs_before ==
           unit->programs_arrived) {
        flash_unit_join(flash, now_ns, queue_pop(flash, &unit->erases));
    }
}

FlashOp *flash_next_op(Flash *flash)
{
    return &flash->tokens[flash_token_next(flash)].op;
}

void flash_issue(Flash *flash, uint64_t now_ns, const FlashOp *op)
{
    *flash_next_op(flash) = *op;
    flash_issue_next(flash, now_ns);
}

void flash_issue_next(Flash *flash, uint64_t now_ns)
{
    uint32_t token_idx = flash_token_take(flash);
    FlashToken *token = &flash->tokens[token_idx];

    token->programs_before = 0;
    token->at_unit = false;
    token->is_issued = false;
    token->from_registers = false;
    token->has_event = false;
    switch (token->op.kind) {
    case FLASH_READ:
        read_issue(flash, now_ns, token_idx);
        break;
    case FLASH_ERASE:
        erase_ask(flash, now_ns, token_idx);
        break;
    case FLASH_LOAD:
        flash_channel_ask(flash, now_ns, token_idx);
        break;
    case FLASH_PROGRAM:
    case FLASH_PAD:
        flash->units[token->op.unit_idx].programs_issued++;
        register_ask(flash, now_ns, token_idx);
        break;
    case FLASH_STEP:
        g_assert_not_reached();
    }
}

/* Array work has ended. True if the operation has, too. */
static bool leave_unit(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    const FlashToken *token = &flash->tokens[token_idx];
    const FlashOp *op = &token->op;
    FlashUnit *unit = &flash->units[op->unit_idx];

    switch (op->kind) {
    case FLASH_STEP:
        break;
    case FLASH_READ:
        flash->counters.senses += !token->from_registers;
        flash_channel_ask(flash, now_ns, token_idx);
        if (!flash->config.cache_read) {
            return false; /* the unit holds the data until they are gone */
        }
        break;
    case FLASH_ERASE:
        flash->counters.erased_blocks += op->block_count;
        break;
    case FLASH_PROGRAM:
    case FLASH_PAD:
        flash->counters.programs++;
        flash_own_gather(flash, now_ns);
        register_give(flash, now_ns, unit);
        break;
    case FLASH_LOAD:
        g_assert_not_reached();
    }
    flash_unit_next(flash, now_ns, unit);
    return op->kind != FLASH_READ;
}

/* What crossed the channel has. True if the operation has ended with that. */
static bool leave_channel(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    const FlashOp *op = &token->op;

    if (flash_is_command(token)) {
        read_issued(flash, now_ns, token_idx);
        return false;
    }
    if (flash_programs(op->kind)) {
        program_arrived(flash, now_ns, token_idx);
        return false;
    }
    if (op->kind == FLASH_READ && !flash->config.cache_read) {
        flash_unit_next(flash, now_ns, &flash->units[op->unit_idx]);
    }
    return true;
}

static bool crossed(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    bool over = leave_channel(flash, now_ns, token_idx);

    if (flash->config.sense_command_ns != 0) {
        flash_channel_left(flash, now_ns, &flash->tokens[token_idx].op);
    }
    return over;
}

static void issued(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    flash->tokens[token_idx].is_issued = true;
    flash_channel_ask(flash, now_ns, token_idx);
}

/* An event of a unit, not of an operation. */
static void unit_event(Flash *flash, uint64_t now_ns, uint32_t payload)
{
    uint32_t own = flash_own_event(&flash->config);

    if (payload >= own) {
        FlashUnit *unit = &flash->units[payload - own];

        flash_own_ended(flash, now_ns, unit);
        flash_unit_go_on(flash, now_ns, unit);
    } else {
        flash_unit_suspended(flash, now_ns,
                             &flash->units[payload -
                                           flash->config.op_capacity]);
    }
}

bool flash_event(Flash *flash, uint64_t now_ns, uint32_t payload,
                 FlashOp *ended)
{
    FlashToken *token = &flash->tokens[payload];
    bool over = false;

    if (payload >= flash->config.op_capacity) {
        unit_event(flash, now_ns, payload);
    } else if (token->at_unit) {
        over = flash_unit_run_ended(flash, now_ns, payload) &&
               leave_unit(flash, now_ns, payload);
    } else if (flash_is_issuing(token)) {
        issued(flash, now_ns, payload);
    } else {
        over = crossed(flash, now_ns, payload);
    }
    if (over) {
        *ended = token->op;
        flash_token_give(flash, payload);
    }
    return over;
}

uint64_t flash_channel_busy_ns(const Flash *flash, uint32_t channel_idx,
                               uint64_t now_ns)
{
    return local_clock_busy_ns(&flash->channels[channel_idx].clock, now_ns);
}

uint64_t flash_unit_busy_ns(const Flash *flash, uint32_t unit_idx,
                            uint64_t now_ns)
{
    const FlashUnit *unit = &flash->units[unit_idx];
    bool is_busy = unit->running_idx != FLASH_NONE;

    return unit->retired_ns + (is_busy ? now_ns - unit->busy_since_at_ns : 0);
}
