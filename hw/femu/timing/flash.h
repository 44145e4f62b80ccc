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
    uint64_t program_data_ns; /* more, for a program with data of the host */
    uint32_t program_spread_permille;
    uint32_t stripe_cells; /* cells that follow each other make a stripe, */
    uint32_t stripe_spread_permille; /* of which each row has its own time */
    uint64_t erase_ns; /* of one block */
    uint64_t step_ns;

    /* Transfers of a page over the channel */
    uint64_t read_transfer_ns;
    uint64_t program_transfer_ns;

    uint32_t program_registers; /* programs loaded per unit; 0: no limit */
    uint64_t issue_ns; /* of a program, by the controller, one at a time */
    uint32_t unit_planes; /* that a unit senses at once */
    uint64_t register_read_ns; /* of what its registers hold; 0: it senses */
    bool cache_read; /* a unit goes on while its last read is transferred */
    uint32_t reads_first; /* before other work goes on; 0: by arrival */
    bool program_suspend;
    bool erase_suspend;
    uint64_t suspend_ns; /* from the suspend point until reads can go */
    uint64_t resume_ns;  /* array time that a suspension adds */
    uint64_t segment_ns; /* between suspend points */
    uint64_t segment_spread_ns; /* a segment is at most so much off that */
} FlashConfig;

/* An operation under way. */
typedef struct FlashToken {
    FlashOp op;
    uint32_t next_idx; /* in a queue, or in the free list */
    uint32_t programs_before; /* of an erase that waits: see FlashUnit */
    bool at_unit;      /* its event ends array work, not a transfer */
    bool is_issued;    /* a program's, by the controller */
    bool from_registers; /* of a read: nothing was sensed */
    bool has_event;    /* never more than one; see unit_run() */
} FlashToken;

typedef struct FlashQueue {
    uint32_t head_idx; /* token */
    uint32_t tail_idx;
} FlashQueue;

/*
 * Array clock of one unit. It is idle when nothing runs; while a read that it
 * holds is transferred, that read runs.
 */
typedef struct FlashUnit {
    uint32_t steps_waiting; /* they go before all else */
    FlashQueue reads; /* only if reads go first */
    FlashQueue work;  /* all else, in order of arrival */
    uint32_t running_idx;   /* FLASH_NONE when idle */
    uint32_t suspended_idx; /* a program or erase, while reads go */
    uint32_t reads_served;  /* since other work last ran */
    uint32_t first_draw; /* of the lengths of this stretch's segments */
    uint32_t drawn;      /* how many of them */
    uint64_t run_from_at_ns; /* the stretch that runs now */
    uint64_t run_until_at_ns;
    uint64_t point_at_ns; /* next suspend point of what runs */
    bool suspending;      /* it stops, or has stopped, at that point */
    uint64_t left_ns;     /* array time that the suspended one needs */
    uint64_t busy_since_at_ns;
    uint64_t retired_ns; /* busy time before that */
    uint32_t channel_idx;

    FlashQueue loads; /* programs that wait for a register */
    uint32_t loaded;  /* programs that have one */

    /*
     * Programs and erases run in the order of their issue. Programs arrive in
     * it, as registers and channels are given in order; an erase waits here
     * until all that were issued before it have arrived. Both counts go round.
     */
    FlashQueue erases;
    uint32_t programs_issued;
    uint32_t programs_arrived;
} FlashUnit;

/* What the register of a plane holds; nothing: page 0. */
typedef struct FlashSensed {
    uint32_t cells_idx;
    uint32_t row;
    uint32_t page; /* of the row, + 1 */
} FlashSensed;

typedef struct FlashCounters {
    uint64_t senses;
    uint64_t programs;
    uint64_t erased_blocks;
    uint64_t suspensions;
    uint64_t padded_bytes; /* whoever issues fills of pages counts these */
} FlashCounters;

typedef struct Flash {
    FlashConfig config;
    Divisor page_divisor; /* by config.page_bytes */
    EventHeap *events; /* payload: token index, or op_capacity + unit index */
    FlashToken *tokens;
    uint32_t free_idx; /* returned tokens */
    uint32_t fresh_idx; /* tokens from here on were never used */
    LocalClock issue; /* the controller's, of programs */
    LocalClock *channels;
    FlashUnit *units;
    FlashSensed *sensed; /* [unit * unit_planes + plane]; if they are read */
    bool locked; /* programs wait before their registers */
    FlashCounters counters; /* array operations that have ended */
    BusyLog busy;
} Flash;

/* The flash's events have the payloads below this; it has so many at most. */
static inline uint32_t flash_event_count(const FlashConfig *config)
{
    return config->op_capacity + config->channels * config->units_per_channel;
}

/* `events` is for more than flash_event_count() events, and outlives it. */
void flash_init(Flash *flash, const FlashConfig *config, EventHeap *events);
void flash_destroy(Flash *flash);

/* Log what channels and units do in `busy`, up to `size` entries at a time. */
void flash_log_busy(Flash *flash, uint32_t size);

/*
 * The operation to be issued next, to be written where it stays: a copy of what
 * has just been written in other parts makes the processor wait until all of
 * that is in its cache. Nothing has happened until it is issued. Needs fewer
 * than op_capacity under way.
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

/* Would a program that is issued now have a register at once? */
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
 * add up.
 */
static inline uint64_t flash_transfer_ns(const Flash *flash, uint64_t page_ns,
                                         uint32_t begin_bytes,
                                         uint32_t end_bytes)
{
    return divide(end_bytes * page_ns, &flash->page_divisor) -
           divide(begin_bytes * page_ns, &flash->page_divisor);
}

/* No program takes less array time than this. */
uint64_t flash_least_program_ns(const FlashConfig *config);

#endif
