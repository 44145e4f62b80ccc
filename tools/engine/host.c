/*
 * The last step before the drive: a command is sent, or waits until the drive
 * has room. And what all parts of the engine share: queues of slots, errors,
 * and how much of a zone is written.
 *
 * Knows nothing of why commands are sent, and in which order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "common/error.h"
#include "internal.h"

/* --- Queues of slots ----------------------------------------------------- */

void slot_queue_init(SlotQueue *queue)
{
    queue->head_idx = queue->tail_idx = ENGINE_NONE;
}

void slot_queue_append(Engine *engine, SlotQueue *queue, uint32_t slot_idx)
{
    engine->slots[slot_idx].next_idx = ENGINE_NONE;
    if (queue->head_idx == ENGINE_NONE) {
        queue->head_idx = slot_idx;
    } else {
        engine->slots[queue->tail_idx].next_idx = slot_idx;
    }
    queue->tail_idx = slot_idx;
}

uint32_t slot_queue_take(Engine *engine, SlotQueue *queue)
{
    uint32_t slot_idx = queue->head_idx;

    queue->head_idx = engine->slots[slot_idx].next_idx;
    return slot_idx;
}

/* --- The drive ------------------------------------------------------------ */

void engine_fail(Engine *engine, const char *format, ...)
{
    va_list args;

    if (!engine->failure) {
        va_start(args, format);
        engine->failure = g_error_new_valist(SIM_ERROR_DOMAIN, 0, format,
                                             args);
        va_end(args);
    }
}

uint64_t engine_written_bytes(const Engine *engine, uint32_t nsid,
                              uint32_t zone_idx)
{
    SsdZone zone = ssd_zone(engine->at->ssd, nsid, zone_idx);

    if (zone.state == SSD_ZONE_FULL) {
        return engine->at->params->zone_capacity_bytes;
    }
    return (zone.wp_lba - zone.start_lba) * engine->at->params->lba_bytes;
}

/* The drive has room for the command of a slot. */
static void submit(Engine *engine, uint32_t slot_idx)
{
    SsdCmd cmd = engine->slots[slot_idx].cmd;
    uint32_t merged_idx = engine->slots[slot_idx].merged_idx;

    while (merged_idx != ENGINE_NONE) {
        cmd.nlb += engine->slots[merged_idx].cmd.nlb;
        merged_idx = engine->slots[merged_idx].merged_idx;
    }
    if (!engine->failure &&
        !sim_drive_submit(engine->at->drive, &cmd, slot_idx, &engine->failure)) {
        const Slot *slot = &engine->slots[slot_idx];
        const Worker *worker = &engine->workers[slot->worker_idx];

        g_prefix_error(&engine->failure, "job '%s', worker %u, zone %" PRIu32
                       ": ", worker->job->name, worker->worker_idx,
                       slot->zone_idx);
    }
}

void engine_dispatch(Engine *engine, uint32_t slot_idx)
{
    EngineDrive *at = engine->at;

    if (at->no_room.head_idx == ENGINE_NONE && ssd_has_room(at->ssd)) {
        submit(engine, slot_idx);
    } else {
        slot_queue_append(engine, &at->no_room, slot_idx);
    }
}

void engine_room_freed(Engine *engine)
{
    EngineDrive *at = engine->at;

    while (at->no_room.head_idx != ENGINE_NONE && ssd_has_room(at->ssd)) {
        submit(engine, slot_queue_take(engine, &at->no_room));
    }
}
