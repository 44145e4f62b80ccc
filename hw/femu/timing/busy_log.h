/*
 * A log of what channels and units did, from when to when, for those who want
 * to see it. Off unless started; then the oldest entries make room.
 *
 * Knows nothing of what the work is for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_BUSY_LOG_H
#define FEMU_BUSY_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "flash_op.h"

typedef struct BusyEntry {
    uint64_t begin_at_ns;
    uint64_t end_at_ns;
    uint32_t resource_idx; /* of a channel or a unit */
    FlashKind kind;
    bool is_channel;
} BusyEntry;

typedef struct BusyLog {
    BusyEntry *entries;
    uint32_t size; /* 0: off */
    uint32_t head; /* the oldest */
    uint32_t count;
} BusyLog;

/* Note work; a channel's may lie ahead, for it is booked. */
static inline void busy_log_add(BusyLog *log, const BusyEntry *entry)
{
    if (log->size == 0) {
        return;
    }
    if (log->count == log->size) {
        log->head = (log->head + 1) % log->size;
        log->count--;
    }
    log->entries[(log->head + log->count++) % log->size] = *entry;
}

/* Return: false when the log is empty. */
static inline bool busy_log_take(BusyLog *log, BusyEntry *entry)
{
    if (log->count == 0) {
        return false;
    }
    *entry = log->entries[log->head];
    log->head = (log->head + 1) % log->size;
    log->count--;
    return true;
}

#endif
