/*
 * The flash array in time: channels as local clocks, units (planes) as small
 * schedulers, operations as tokens that move from one to the other.
 *
 * Knows nothing of zones, commands or NVMe. Calls go down, values come back:
 * what has ended is returned by flash_step(), in order of time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FLASH_H
#define FEMU_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#include "event_heap.h"
#include "flash_op.h"
#include "local_clock.h"

#define FLASH_NONE UINT32_MAX

typedef struct FlashConfig {
    uint32_t channels;
    uint32_t units_per_channel;
    uint32_t page_bytes;
    uint64_t read_ns;          /* sense of one page */
    uint64_t program_ns;       /* program of one page */
    uint64_t erase_ns;         /* erase of one block */
    uint64_t page_transfer_ns; /* a whole page over the channel */
    uint32_t op_capacity;      /* operations that may be under way at once */
} FlashConfig;

/* An operation under way. */
typedef struct FlashToken {
    FlashOp op;
    uint32_t next_idx; /* in a unit's queue, or in the free list */
    bool at_unit;      /* it runs on its unit: its event ends the array work */
} FlashToken;

/* Array clock of one plane: serves operations in order of arrival. */
typedef struct FlashUnit {
    uint32_t head_idx; /* waiting operations, first come first served */
    uint32_t tail_idx;
    uint32_t running_idx; /* FLASH_NONE when idle */
    uint64_t run_until_at_ns;
    uint64_t run_ns;     /* array time of the running operation */
    uint64_t retired_ns; /* array time of all ended operations */
} FlashUnit;

typedef struct FlashCounters {
    uint64_t senses;
    uint64_t programs;
    uint64_t erased_blocks;
} FlashCounters;

typedef struct Flash {
    FlashConfig config;
    EventHeap events; /* payload: token index */
    FlashToken *tokens;
    uint32_t free_idx; /* returned tokens */
    uint32_t fresh_idx; /* tokens from here on were never used */
    LocalClock *channels;
    FlashUnit *units;
    FlashCounters counters; /* array operations that have ended */
} Flash;

void flash_init(Flash *flash, const FlashConfig *config);
void flash_destroy(Flash *flash);

/*
 * Start `op` at `now_ns`, which must not be before any instant that
 * flash_step() has returned. Needs fewer than op_capacity under way.
 */
void flash_issue(Flash *flash, uint64_t now_ns, const FlashOp *op);

/* Instant of the next internal event, UINT64_MAX when nothing is under way. */
static inline uint64_t flash_next_at_ns(const Flash *flash)
{
    return event_heap_next_at_ns(&flash->events);
}

/*
 * Run events up to and including `until_ns` until one operation ends.
 * Return: true with the operation and its end in *ended and *at_ns; false when
 * no operation ends by then.
 */
bool flash_step(Flash *flash, uint64_t until_ns, FlashOp *ended,
                uint64_t *at_ns);

/* Busy time from the start up to `now_ns`, which must be run up to. */
uint64_t flash_channel_busy_ns(const Flash *flash, uint32_t channel_idx,
                               uint64_t now_ns);
uint64_t flash_unit_busy_ns(const Flash *flash, uint32_t unit_idx,
                            uint64_t now_ns);

/* Time of bytes [begin, end) of a page on the channel; parts add up. */
uint64_t flash_transfer_ns(const FlashConfig *config, uint32_t begin_bytes,
                           uint32_t end_bytes);

#endif
