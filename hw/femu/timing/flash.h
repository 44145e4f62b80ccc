/*
 * The flash array in time: channels as local clocks, units (the planes or the
 * dies) as small schedulers, operations as tokens that move from one to the
 * other.
 *
 * Knows nothing of zones, commands or NVMe. Calls go down, values come back:
 * what an event has ended is returned by flash_event().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FLASH_H
#define FEMU_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/divisor.h"
#include "busy_log.h"
#include "../base/event_heap.h"
#include "flash_op.h"
#include "../base/local_clock.h"

#define FLASH_NONE UINT32_MAX

/* The most entries of the log of what was busy. */
#define FLASH_BUSY_MOST (UINT32_C(1) << 26)

/* Lanes of events: what takes equally long mostly ends in order. */
enum {
    FLASH_LANE_TRANSFERS,
    FLASH_LANE_READS,
    FLASH_LANE_SLOW_READS,
    FLASH_LANE_PROGRAMS,
    FLASH_LANES,
};

typedef struct FlashConfig {
    uint32_t channels;
    uint32_t units_per_channel;
    uint32_t op_capacity; /* operations that may be under way at once */
    uint64_t seed;

    /* A page is what a unit senses at once; programs may hold several. */
    uint32_t page_bytes;
    uint32_t program_pages;
    uint64_t read_ns;
    uint64_t read_slow_ns; /* of slow pages */
    uint32_t slow_page_permille;
    uint64_t program_ns;
    uint64_t program_data_ns; /* added if it has data of the host */
    uint32_t own_after; /* host programs on each unit; 0: none of its own */
    uint64_t own_ns;
    uint32_t program_spread_permille;
    uint32_t stripe_cells; /* so many cells_idx in a row are a stripe */
    uint32_t stripe_spread_permille; /* of each row of a stripe */
    uint64_t erase_ns; /* of one block */
    uint64_t step_ns;

    uint64_t sense_command_ns; /* on the channel, before a sense */

    /* Transfers of a page over the channel */
    uint64_t read_transfer_ns;
    uint64_t program_transfer_ns;

    uint32_t program_registers; /* programs loaded per unit; 0: no limit */
    uint64_t issue_ns; /* the controller issues programs, one at a time */
    uint32_t unit_planes; /* planes that a unit senses at once */
    uint64_t register_read_ns; /* of a page in a register; 0: sense it again */
    bool cache_read; /* a unit works on while a read is transferred */
    uint32_t reads_first; /* senses in a row before other work; 0: by arrival */
    bool program_suspend;
    bool erase_suspend;
    uint64_t suspend_ns; /* from the suspend point until reads can go */
    uint64_t resume_ns;  /* array time that each suspension adds */
    uint64_t segment_ns; /* from one suspend point to the next, plus or */
    uint64_t segment_spread_ns; /* minus a draw of at most this */
    uint64_t rest_ns; /* without a suspend point, after reads_first senses */
} FlashConfig;

/* An operation under way. */
typedef struct FlashToken {
    _Alignas(16) FlashOp op; /* so that the size is 64: its place is a shift */
    uint32_t next_idx; /* in a queue, or in the free list */
    uint32_t programs_before; /* of an erase that waits: see FlashUnit */
    bool at_unit;      /* its event is the end of array work */
    bool is_issued; /* a program: by the controller; a read: to its unit */
    bool from_registers; /* a read: the page was in a register, or, before it
                          * is issued, will be for one before it */
    bool has_event;    /* one event is pending; see unit_run() */
} FlashToken;

typedef struct FlashQueue {
    uint32_t head_idx; /* token */
    uint32_t tail_idx;
} FlashQueue;

/*
 * The scheduler of one unit: what its array does, and what waits for it.
 * Without cache_read a read occupies the unit until its data are transferred.
 */
typedef struct FlashUnit {
    uint32_t steps_waiting; /* FLASH_STEPs; these go before all else */
    FlashQueue reads; /* with reads_first: the reads */
    FlashQueue work;  /* all other operations, in order of arrival */
    uint32_t running_idx;   /* FLASH_NONE when idle */
    uint32_t suspended_idx; /* program or erase that is suspended for reads */
    uint64_t row_from_at_ns; /* when the first of these began: */
    uint32_t reads_served;  /* reads in a row that sensed, with those that come
                             * while other work is being resumed */
    uint64_t reread_bytes;  /* and what others read out of the registers */
    uint32_t first_draw; /* first draw of this stretch's segment lengths */
    uint32_t drawn;      /* how many lengths have been drawn */
    uint64_t run_from_at_ns; /* the present stretch: from ... until */
    uint64_t run_until_at_ns;
    uint64_t point_at_ns; /* next suspend point of what runs */
    bool suspending;      /* it will stop, or has stopped, at point_at_ns */
    uint64_t left_ns;     /* array time that suspended_idx still needs */
    uint64_t busy_since_at_ns;
    uint64_t retired_ns; /* busy time before busy_since_at_ns */
    uint32_t channel_idx;

    FlashQueue loads; /* programs that wait for a register */
    uint32_t loaded;  /* programs that have one */
    bool programs_own; /* a program of the drive's own is under way */

    /*
     * Programs and erases run in the order of their issue. Programs come to the
     * array in this order, for registers and channels are given in order. An
     * erase needs neither, so it waits here until all programs that were issued
     * before it have arrived. Both counts may wrap around.
     */
    FlashQueue erases;
    uint32_t programs_issued;
    uint32_t programs_arrived;
} FlashUnit;

/*
 * Who asks goes when all have gone who asked before. But a command of a sense
 * lets data that were sensed go before it, and others wait behind it.
 */
typedef struct FlashChannel {
    LocalClock clock;
    uint32_t crossing; /* what has been booked, and goes on; 0 without commands,
                        * as none ever stands in line then */
    FlashQueue line;   /* commands, and what asked behind one but no such data */
} FlashChannel;

/* Which page the register of a plane holds; `page` is 0 if none. */
typedef struct FlashSensed {
    uint32_t cells_idx;
    uint32_t row;
    uint32_t page; /* number within the row, plus 1 */
} FlashSensed;

typedef struct FlashCounters {
    uint64_t senses;
    uint64_t programs;
    uint64_t erased_blocks;
    uint64_t suspensions;
    uint64_t padded_bytes; /* counted by those who issue such programs */
} FlashCounters;

typedef struct Flash {
    FlashConfig config;
    Divisor page_divisor; /* by config.page_bytes */
    Divisor plane_divisor; /* by what a plane has of it; with registers */
    EventHeap *events; /* payload: token index, or op_capacity + unit index, or
                        * flash_own_event() + unit index */
    FlashToken *tokens;
    uint32_t free_idx; /* list of tokens that were given back */
    uint32_t fresh_idx; /* tokens from here on were never used */
    LocalClock issue; /* of the controller, which issues programs */
    FlashChannel *channels;
    FlashUnit *units;
    FlashSensed *sensed; /* [unit * unit_planes + plane]; NULL: not used */
    FlashSensed *asked; /* likewise, once the reads issued so far are served */
    bool locked; /* no program gets a register */

    /*
     * With own_after: when so many programs with data of the host as that times
     * the units have begun, none begins until all have ended (units gather);
     * then each unit has one of the drive's own.
     */
    uint64_t begun;       /* programs of the host since the last own ones */
    uint32_t programming; /* units with a program, or with the drive's own */
    FlashCounters counters; /* array operations that have ended */
    BusyLog busy;
} Flash;

/* Is what crosses the channel next, or crosses it, the command of a sense? */
static inline bool flash_is_command(const FlashToken *token)
{
    return token->op.kind == FLASH_READ && !token->is_issued;
}

/* Of what is not at its unit: is it at its channel, or in its line? */
static inline bool flash_is_at_channel(const FlashToken *token)
{
    return token->op.kind == FLASH_READ || token->op.kind == FLASH_LOAD ||
           (flash_programs(token->op.kind) && token->is_issued);
}

/* Does the controller issue it still? Then it is not at its channel. */
static inline bool flash_is_issuing(const FlashToken *token)
{
    return flash_programs(token->op.kind) && !token->is_issued;
}

/* The first of the events that end the drive's own programs, one a unit. */
static inline uint32_t flash_own_event(const FlashConfig *config)
{
    return config->op_capacity + config->channels * config->units_per_channel;
}

/* Its events are numbers below this; so many may be pending at most. */
static inline uint32_t flash_event_count(const FlashConfig *config)
{
    return flash_own_event(config) +
           config->channels * config->units_per_channel;
}

/* `events` is for more than flash_event_count() events, and outlives it. */
void flash_init(Flash *flash, const FlashConfig *config, EventHeap *events);
void flash_destroy(Flash *flash);

/* In words: read, load, program, pad, erase, step. */
const char *flash_kind_name(FlashKind kind);

/* Log what channels and units do in `busy`, up to `size` entries at a time. */
void flash_log_busy(Flash *flash, uint32_t size);

/*
 * The place of the operation that is issued next; write it there, then call
 * flash_issue_next(). This saves a copy, which is slow: the processor cannot
 * load words that it has just stored in smaller parts without waiting. Needs
 * fewer than op_capacity operations under way.
 */
FlashOp *flash_next_op(Flash *flash);

/*
 * Start the next operation at `now_ns`, the time of the event that is being
 * handled or a later one before the next.
 */
void flash_issue_next(Flash *flash, uint64_t now_ns);

/* The same with a copy of `op`. */
void flash_issue(Flash *flash, uint64_t now_ns, const FlashOp *op);

/*
 * One more short operation of the management on a unit, before all else there.
 * However many wait, at most one is under way; the end of each is returned by
 * flash_event(), and only its kind and its unit mean something.
 */
void flash_step(Flash *flash, uint64_t now_ns, uint32_t unit_idx);

/*
 * Handle an event of the flash at its time.
 * Return: true with the operation in *ended if one has ended.
 */
bool flash_event(Flash *flash, uint64_t now_ns, uint32_t payload,
                 FlashOp *ended);

/* Would a program that is issued now get a register at once? */
static inline bool flash_takes_program(const Flash *flash, uint32_t unit_idx)
{
    const FlashUnit *unit = &flash->units[unit_idx];

    return !flash->locked && unit->loads.head_idx == FLASH_NONE &&
           (flash->config.program_registers == 0 ||
            unit->loaded < flash->config.program_registers);
}

static inline bool flash_has_no_program(const Flash *flash, uint32_t unit_idx)
{
    return flash->units[unit_idx].loaded == 0;
}

/* From now on no program is given a register; those that have one go on. */
void flash_lock_programs(Flash *flash);
/* Return: was it locked? */
bool flash_unlock_programs(Flash *flash, uint64_t now_ns);

/* Busy time from the start up to `now_ns`, which must be run up to. */
uint64_t flash_channel_busy_ns(const Flash *flash, uint32_t channel_idx,
                               uint64_t now_ns);
uint64_t flash_unit_busy_ns(const Flash *flash, uint32_t unit_idx,
                            uint64_t now_ns);

/*
 * Time of bytes [begin, end) on the channel, where a page takes page_ns; parts
 * add up. What is as long as a page takes page_ns wherever it begins.
 */
static inline uint64_t flash_transfer_ns(const Flash *flash, uint64_t page_ns,
                                         uint32_t begin_bytes,
                                         uint32_t end_bytes)
{
    if (end_bytes - begin_bytes == flash->config.page_bytes) {
        return page_ns;
    }
    return divide(end_bytes * page_ns, &flash->page_divisor) -
           divide(begin_bytes * page_ns, &flash->page_divisor);
}

/*
 * How long the visit to its channel takes that the operation makes next, or is
 * at: of a read, that of its command or of its data.
 */
uint64_t flash_channel_ns(const Flash *flash, const FlashToken *token);

/* No program takes less array time than this. */
uint64_t flash_least_program_ns(const FlashConfig *config);

/* flash_state.c: as bytes; see base/state.h. */
typedef struct State State;
void flash_state(Flash *flash, State *state);

/* The flash's events that are pending, counted. */
typedef struct FlashEvents {
    uint32_t *of_tokens; /* [token], those below fresh_idx */
    uint32_t *of_units;  /* [unit] */
    uint32_t *of_owns;   /* [unit] */
} FlashEvents;

/*
 * flash_check.c: of a flash that has been read, is each operation in its place?
 * Return: [token], is it in use? Free it.
 */
bool *flash_check(const Flash *flash, State *state, const FlashEvents *events);

#endif
