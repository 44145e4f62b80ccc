/*
 * The scheduler of a unit of the flash: what its array does next, and when a
 * program or erase is suspended for reads.
 *
 * A program or erase that can be suspended runs in segments. It has no event
 * for each: the suspend points are worked out when a read waits. Then it stops
 * at the next one, reads go after the suspend latency, at most `reads_first` of
 * them that sense, and it runs on for one segment at least, longer by the
 * resume cost, and by a rest if they were so many. While it is being resumed it
 * stands still: a read that comes then and is one of these goes at once.
 *
 * Knows nothing of zones, commands or NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "flash_internal.h"

#include <glib.h>
#include <string.h>

#include "../base/draw.h"

void flash_unit_init(FlashUnit *unit, uint32_t channel_idx)
{
    *unit = (FlashUnit) {
        .channel_idx = channel_idx,
        .running_idx = FLASH_NONE,
        .suspended_idx = FLASH_NONE,
    };
    queue_init(&unit->reads);
    queue_init(&unit->work);
    queue_init(&unit->erases);
    queue_init(&unit->loads);
}

/* Which pages are slow is a property of where they lie. */
static uint64_t read_time_ns(const Flash *flash, const FlashOp *op)
{
    const FlashConfig *config = &flash->config;
    uint64_t page, bits;

    if (!config->slow_page_permille) {
        return config->read_ns;
    }
    page = (uint64_t)op->row * config->program_pages +
           divide(op->begin_bytes, &flash->page_divisor);
    bits = draw_bits(config->seed, DRAW_PAGE_TYPE, op->cells_idx, page);
    return draw_below(bits, 1000) < config->slow_page_permille
           ? config->read_slow_ns : config->read_ns;
}

/*
 * Each plane has a register, which keeps the page that a read has sensed last.
 * What a read needs in them: its page, in each plane that has a part of it.
 */
typedef struct SensedPlanes {
    FlashSensed page;
    FlashSensed *held; /* the register of the first of these planes */
    uint32_t count;
} SensedPlanes;

static SensedPlanes planes_of(const Flash *flash, FlashSensed *registers,
                              const FlashOp *op)
{
    uint64_t begin_bytes = remainder_of(op->begin_bytes, &flash->page_divisor);
    uint64_t last_bytes = begin_bytes + op->end_bytes - op->begin_bytes - 1;
    uint32_t first = divide(begin_bytes, &flash->plane_divisor);

    return (SensedPlanes) {
        .page = {
            .cells_idx = op->cells_idx,
            .row = op->row,
            .page = divide(op->begin_bytes, &flash->page_divisor) + 1,
        },
        .held = &registers[op->unit_idx * flash->config.unit_planes + first],
        .count = divide(last_bytes, &flash->plane_divisor) - first + 1,
    };
}

/* `registers`: flash->sensed, or flash->asked; NULL: none is used. */
static bool is_in_registers(const Flash *flash, FlashSensed *registers,
                            const FlashOp *op)
{
    SensedPlanes planes;

    if (!registers) {
        return false;
    }
    planes = planes_of(flash, registers, op);
    for (uint32_t i = 0; i < planes.count; i++) {
        if (planes.held[i].page != planes.page.page ||
            planes.held[i].row != planes.page.row ||
            planes.held[i].cells_idx != planes.page.cells_idx) {
            return false;
        }
    }
    return true;
}

static void keep_in_registers(const Flash *flash, FlashSensed *registers,
                              const FlashOp *op)
{
    SensedPlanes planes = planes_of(flash, registers, op);

    for (uint32_t i = 0; i < planes.count; i++) {
        planes.held[i] = planes.page;
    }
}

bool flash_unit_asked(Flash *flash, const FlashOp *op)
{
    bool is_held = is_in_registers(flash, flash->asked, op);

    if (flash->asked) {
        keep_in_registers(flash, flash->asked, op);
    }
    return is_held;
}

/* Work that is no read uses the registers: what they held is lost. */
static void take_registers(Flash *flash, const FlashUnit *unit)
{
    uint32_t planes = flash->config.unit_planes;
    size_t first = (size_t)(unit - flash->units) * planes;

    if (flash->sensed) {
        memset(&flash->sensed[first], 0, planes * sizeof(*flash->sensed));
        memset(&flash->asked[first], 0, planes * sizeof(*flash->asked));
    }
}

static uint64_t spread_ns(uint64_t ns, uint64_t bits, uint32_t permille)
{
    return ns + draw_normal(bits, ns * permille / 1000);
}

/* Programs that do not all take the same time, but `ns` in the middle. */
RARE
static uint64_t spread_program_ns(const FlashConfig *config, const FlashOp *op,
                                  uint64_t ns)
{
    uint64_t row = (uint64_t)op->life << 32 | op->row;

    if (op->kind == FLASH_PROGRAM && config->stripe_spread_permille) {
        ns = spread_ns(ns, draw_bits(config->seed, DRAW_STRIPE_TIME,
                                     op->cells_idx / config->stripe_cells,
                                     row),
                       config->stripe_spread_permille);
    }
    if (config->program_spread_permille) {
        ns = spread_ns(ns, draw_bits(config->seed, DRAW_PROGRAM_TIME,
                                     op->cells_idx, row),
                       config->program_spread_permille);
    }
    return ns;
}

static uint64_t program_time_ns(const FlashConfig *config, const FlashOp *op)
{
    uint64_t ns = config->program_ns;

    if (op->kind == FLASH_PROGRAM) {
        ns += config->program_data_ns;
    }
    return config->stripe_spread_permille || config->program_spread_permille
           ? spread_program_ns(config, op, ns) : ns;
}

uint64_t flash_least_program_ns(const FlashConfig *config)
{
    /* A draw of 0: all four parts of draw_normal() are at their lowest. */
    return spread_ns(spread_ns(config->program_ns, 0,
                               config->stripe_spread_permille),
                     0, config->program_spread_permille);
}

static uint64_t array_time_ns(const Flash *flash, const FlashOp *op)
{
    const FlashConfig *config = &flash->config;

    switch (op->kind) {
    case FLASH_READ:
        return read_time_ns(flash, op);
    case FLASH_PROGRAM:
    case FLASH_PAD:
        return program_time_ns(config, op);
    case FLASH_ERASE:
        return op->block_count * config->erase_ns;
    case FLASH_STEP:
        return config->step_ns;
    case FLASH_LOAD:
        break;
    }
    g_assert_not_reached();
}

/* Segment `i` of the stretch that runs; a nanosecond at least. */
static uint64_t segment_ns(const Flash *flash, const FlashUnit *unit,
                           uint32_t i)
{
    const FlashConfig *config = &flash->config;
    uint64_t spread_ns = config->segment_spread_ns;
    uint64_t bits;

    if (!spread_ns) {
        return config->segment_ns;
    }
    bits = draw_bits(config->seed, DRAW_SEGMENT, unit - flash->units,
                     unit->first_draw + i % FLASH_ROUND_SEGMENTS);
    return MAX(config->segment_ns - spread_ns +
               draw_below(bits, 2 * spread_ns), 1);
}

/*
 * A stretch after reads that have taken all their turns begins with this: what
 * is left of the time from when the first of them began.
 */
static uint64_t rest_ns(const Flash *flash, const FlashUnit *unit)
{
    uint64_t until_ns = unit->row_from_at_ns + flash->config.rest_ns;

    return unit->reads_served >= flash->config.reads_first &&
           until_ns > unit->run_from_at_ns
           ? until_ns - unit->run_from_at_ns : 0;
}

/* The first suspend point of a stretch. */
static void begin_stretch(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    unit->suspending = false;
    unit->first_draw += unit->drawn;
    unit->drawn = 1;
    unit->point_at_ns = now_ns + rest_ns(flash, unit) +
                        segment_ns(flash, unit, 0);
}

/*
 * Find the first suspend point that is not before now. This is done at most
 * once in a stretch: either it is suspended there, or there is no point before
 * its end.
 */
static void pass_points(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    uint32_t passed = unit->drawn;

    while (unit->point_at_ns < now_ns) {
        if (passed == FLASH_ROUND_SEGMENTS) {
            uint64_t round_ns = unit->point_at_ns - unit->run_from_at_ns -
                                rest_ns(flash, unit);

            unit->point_at_ns += (now_ns - unit->point_at_ns) / round_ns *
                                 round_ns;
            if (unit->point_at_ns == now_ns) {
                break;
            }
        }
        unit->point_at_ns += segment_ns(flash, unit, passed++);
    }
    unit->drawn = MIN(passed, FLASH_ROUND_SEGMENTS);
}

static void reads_over(FlashUnit *unit)
{
    unit->reads_served = 0;
    unit->reread_bytes = 0;
}

/* A read waits: what runs stops at its next suspend point, if it has one. */
static void plan_suspension(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    if (flash->config.segment_ns == 0) {
        unit->point_at_ns = MAX(unit->point_at_ns, now_ns);
    } else {
        pass_points(flash, now_ns, unit);
    }
    reads_over(unit);
    if (unit->point_at_ns < unit->run_until_at_ns) {
        unit->suspending = true;
        event_heap_push(flash->events,
                        unit->point_at_ns + flash->config.suspend_ns,
                        flash->config.op_capacity + (unit - flash->units));
    }
}

static void push_end(Flash *flash, const FlashUnit *unit, uint32_t token_idx,
                     uint64_t array_ns)
{
    unsigned lane_idx = FLASH_LANE_PROGRAMS;

    if (flash->tokens[token_idx].op.kind == FLASH_READ) {
        lane_idx = array_ns == flash->config.read_ns ? FLASH_LANE_READS
                                                     : FLASH_LANE_SLOW_READS;
    }
    event_heap_push_lane(flash->events, lane_idx, unit->run_until_at_ns,
                         token_idx);
}

/* What can be suspended begins to run, or runs on. */
RARE
static void run_in_segments(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    begin_stretch(flash, now_ns, unit);
    if (!queue_is_empty(&unit->reads)) {
        plan_suspension(flash, now_ns, unit);
    }
}

/*
 * Run an operation for `array_ns`. If it was suspended, the event of its former
 * end may still be pending. As an end only ever gets later, no second event is
 * created: when that one comes, it is put off to the new end.
 */
static void unit_run(Flash *flash, uint64_t now_ns, FlashUnit *unit,
                     uint32_t token_idx, uint64_t array_ns)
{
    FlashToken *token = &flash->tokens[token_idx];

    unit->running_idx = token_idx;
    unit->run_from_at_ns = now_ns;
    unit->run_until_at_ns = now_ns + array_ns;
    if (!token->has_event) {
        token->has_event = true;
        push_end(flash, unit, token_idx, array_ns);
    }
    if (flash_can_suspend(&flash->config, token->op.kind)) {
        run_in_segments(flash, now_ns, unit);
    }
}

/* A stretch of array work is over. */
static void note_busy(Flash *flash, const FlashUnit *unit, uint64_t end_at_ns)
{
    busy_log_add(&flash->busy, &(BusyEntry) {
        .begin_at_ns = unit->run_from_at_ns,
        .end_at_ns = end_at_ns,
        .resource_idx = unit - flash->units,
        .kind = flash->tokens[unit->running_idx].op.kind,
    });
}

static void start_token(Flash *flash, uint64_t now_ns, FlashUnit *unit,
                        uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    uint64_t register_ns = flash->config.register_read_ns;

    if (flash_programs(token->op.kind)) {
        flash_own_begun(flash, token->op.kind);
    }
    if (token->op.kind != FLASH_READ) {
        take_registers(flash, unit);
    } else if (register_ns != 0) {
        token->from_registers = is_in_registers(flash, flash->sensed,
                                                &token->op);
        keep_in_registers(flash, flash->sensed, &token->op);
    }
    if (token->op.kind == FLASH_READ && !token->is_issued &&
        !token->from_registers) {
        unit->running_idx = token_idx; /* which waits for the command */
        flash_channel_ask(flash, now_ns, token_idx);
        return;
    }
    token->is_issued = true;
    unit_run(flash, now_ns, unit, token_idx,
             token->from_registers ? register_ns
                                   : array_time_ns(flash, &token->op));
}

void flash_unit_commanded(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    FlashToken *token = &flash->tokens[unit->running_idx];

    token->at_unit = true;
    unit_run(flash, now_ns, unit, unit->running_idx,
             array_time_ns(flash, &token->op));
}

static void unit_start(Flash *flash, uint64_t now_ns, FlashUnit *unit,
                       FlashQueue *queue)
{
    start_token(flash, now_ns, unit, queue_pop(flash, queue));
}

/* Steps are alike, so those that wait are a number: make one an operation. */
RARE
static void start_step(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    uint32_t token_idx = flash_token_take(flash);

    unit->steps_waiting--;
    flash->tokens[token_idx] = (FlashToken) {
        .op = {
            .kind = FLASH_STEP,
            .unit_idx = unit - flash->units,
        },
        .at_unit = true,
    };
    start_token(flash, now_ns, unit, token_idx);
}

/*
 * Its own data are in other registers: what reads have sensed stays. Reads that
 * come while it is being resumed are of the same row.
 */
static void unit_resume(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    uint32_t token_idx = unit->suspended_idx;

    unit->suspended_idx = FLASH_NONE;
    unit_run(flash, now_ns, unit, token_idx, unit->left_ns);
}

/*
 * Does the read that waits first go before other work that waits? At most
 * `reads_first` in a row that sense, and what the registers hold as long as less
 * than that many pages' bytes were read out again. So what waits for reads waits
 * no longer than these take.
 */
static bool read_goes_first(const Flash *flash, const FlashUnit *unit)
{
    const FlashConfig *config = &flash->config;

    return is_in_registers(flash, flash->sensed,
                           &flash->tokens[unit->reads.head_idx].op)
           ? unit->reread_bytes < (uint64_t)config->reads_first *
                                  config->page_bytes
           : unit->reads_served < config->reads_first;
}

static void start_read(Flash *flash, uint64_t now_ns, FlashUnit *unit,
                       uint32_t token_idx)
{
    const FlashToken *token = &flash->tokens[token_idx];

    start_token(flash, now_ns, unit, token_idx);
    if (token->from_registers) {
        unit->reread_bytes += token->op.end_bytes - token->op.begin_bytes;
    } else {
        unit->row_from_at_ns = unit->reads_served == 0 ? now_ns
                                                       : unit->row_from_at_ns;
        unit->reads_served++;
    }
}

/* Something waits, and may begin. */
static bool has_work(const Flash *flash, const FlashUnit *unit)
{
    return !queue_is_empty(&unit->work) &&
           (!flash_programs(flash->tokens[unit->work.head_idx].op.kind) ||
            flash_can_program(flash, unit));
}

/* No read goes first. */
static void next_work(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    if (unit->suspended_idx != FLASH_NONE) {
        unit_resume(flash, now_ns, unit);
        return;
    }
    reads_over(unit);
    if (has_work(flash, unit)) {
        unit_start(flash, now_ns, unit, &unit->work);
    } else {
        unit->retired_ns += now_ns - unit->busy_since_at_ns;
    }
}

/* A read waits, and may be all that can begin. */
RARE
static void next_beside_reads(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    bool only_reads = unit->suspended_idx == FLASH_NONE &&
                      !has_work(flash, unit);

    if (only_reads || read_goes_first(flash, unit)) {
        start_read(flash, now_ns, unit, queue_pop(flash, &unit->reads));
    } else {
        next_work(flash, now_ns, unit);
    }
}

void flash_unit_next(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    unit->running_idx = FLASH_NONE;
    if (unit->steps_waiting != 0) {
        start_step(flash, now_ns, unit);
    } else if (!queue_is_empty(&unit->reads)) {
        next_beside_reads(flash, now_ns, unit);
    } else {
        next_work(flash, now_ns, unit);
    }
}

void flash_unit_go_on(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    if (unit->running_idx == FLASH_NONE) {
        unit->busy_since_at_ns = now_ns;
        flash_unit_next(flash, now_ns, unit);
    }
}

/*
 * Is what runs still being resumed, after reads that have left a turn to the
 * one that waits? It is the only one: behind others, what runs has been told to
 * stop, or has no point left and the row is over. What begins anew has no reads
 * in a row before it.
 */
static bool is_resuming(const Flash *flash, uint64_t now_ns,
                        const FlashUnit *unit)
{
    return (unit->reads_served != 0 || unit->reread_bytes != 0) &&
           now_ns < unit->run_from_at_ns + flash->config.resume_ns &&
           read_goes_first(flash, unit);
}

/* What was done of the resumption is lost: left_ns is what it was. */
RARE
static void suspend_again(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    note_busy(flash, unit, now_ns);
    unit->suspending = true;
    unit->suspended_idx = unit->running_idx;
    flash_unit_next(flash, now_ns, unit);
}

static void read_waits(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    FlashKind kind = flash->tokens[unit->running_idx].op.kind;

    if (!flash_can_suspend(&flash->config, kind) || unit->suspending) {
        return;
    }
    if (is_resuming(flash, now_ns, unit)) {
        suspend_again(flash, now_ns, unit);
    } else {
        plan_suspension(flash, now_ns, unit);
    }
}

void flash_step(Flash *flash, uint64_t now_ns, uint32_t unit_idx)
{
    FlashUnit *unit = &flash->units[unit_idx];

    unit->steps_waiting++;
    if (unit->running_idx == FLASH_NONE) {
        unit->busy_since_at_ns = now_ns;
        flash_unit_next(flash, now_ns, unit);
    }
}

/*
 * For an idle unit nothing waits: the operation is all that it could choose. Its
 * reads in a row were over when it came to rest.
 */
static void begin_work(Flash *flash, uint64_t now_ns, FlashUnit *unit,
                       uint32_t token_idx, bool is_first)
{
    unit->busy_since_at_ns = now_ns;
    (is_first ? start_read : start_token)(flash, now_ns, unit, token_idx);
}

/* An idle unit may have programs that wait, and what is behind them. */
static bool can_begin(const Flash *flash, const FlashUnit *unit,
                      FlashKind kind, bool is_first)
{
    return unit->running_idx == FLASH_NONE &&
           (is_first || (queue_is_empty(&unit->work) &&
                         (!flash_programs(kind) ||
                          flash_can_program(flash, unit))));
}

void flash_unit_join(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    FlashUnit *unit = &flash->units[token->op.unit_idx];
    FlashKind kind = token->op.kind;
    bool is_first = kind == FLASH_READ && flash->config.reads_first;

    token->at_unit = true;
    if (can_begin(flash, unit, kind, is_first)) {
        begin_work(flash, now_ns, unit, token_idx, is_first);
        return;
    }
    queue_push(flash, is_first ? &unit->reads : &unit->work, token_idx);
    if (is_first) {
        read_waits(flash, now_ns, unit);
    }
}

void flash_unit_suspended(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    note_busy(flash, unit, unit->point_at_ns);
    flash->counters.suspensions++;
    unit->suspended_idx = unit->running_idx;
    unit->left_ns = unit->run_until_at_ns - unit->point_at_ns +
                    flash->config.resume_ns;
    flash_unit_next(flash, now_ns, unit);
}

bool flash_unit_run_ended(Flash *flash, uint64_t now_ns, uint32_t token_idx)
{
    FlashToken *token = &flash->tokens[token_idx];
    FlashUnit *unit = &flash->units[token->op.unit_idx];

    token->has_event = false;
    if (flash_can_suspend(&flash->config, token->op.kind)) {
        if (unit->suspending) { /* until it is resumed */
            return false;
        }
        if (unit->run_until_at_ns > now_ns) {
            token->has_event = true;
            event_heap_push(flash->events, unit->run_until_at_ns, token_idx);
            return false;
        }
    }
    note_busy(flash, unit, now_ns);
    return true;
}
