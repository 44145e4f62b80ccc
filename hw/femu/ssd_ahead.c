/*
 * Reads of the host and what has been fetched before them: the drive's side of
 * ahead.h. What is fetched is sensed whole and crosses its channel as reads do.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "ssd_internal.h"

void ssd_ahead_init(Ssd *ssd)
{
    const SsdParams *p = &ssd->params;
    AheadConfig config = {
        .streams = p->read_ahead_streams,
        .depth_lines = p->read_ahead_bytes / ssd->sense_bytes,
        .line_bytes = ssd->sense_bytes,
        .after = p->read_ahead_after,
        .waiters = bound_ahead_waiters(p),
    };

    ahead_init(&ssd->ahead, &config);
}

void ssd_ahead_destroy(Ssd *ssd)
{
    ahead_destroy(&ssd->ahead);
}

/* A read of a part of a granule counts as one until it is done. */
static bool is_part(const Ssd *ssd, const Command *command)
{
    return ssd->params.read_ahead_parts &&
           command->done.op == SSD_OP_READ && !command->is_conventional &&
           command->bytes < SSD_GRANULE_BYTES;
}

/* Return: the stream of a read of the host; of others, none. */
uint32_t ssd_ahead_begin(Ssd *ssd, uint32_t command_idx, const Span *span)
{
    const Command *command = &ssd->commands[command_idx];
    bool lost;

    if (!ahead_is_on(&ssd->ahead) || command->done.op != SSD_OP_READ) {
        return AHEAD_NONE;
    }
    ssd->parts_inside += is_part(ssd, command);
    lost = is_part(ssd, command) &&
           ssd->parts_inside > ssd->params.read_ahead_parts;
    return ahead_read(&ssd->ahead, span->zone_idx, span->begin_bytes,
                      span->end_bytes, lost);
}

/* A command is done. */
void ssd_ahead_left(Ssd *ssd, uint32_t command_idx)
{
    if (ahead_is_on(&ssd->ahead)) {
        ssd->parts_inside -= is_part(ssd, &ssd->commands[command_idx]);
    }
}

/* A piece of that read. Return: has it been fetched, or is it being? */
bool ssd_ahead_serves(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                      uint32_t stream_idx, uint64_t at_bytes, uint32_t bytes)
{
    Command *command = &ssd->commands[command_idx];

    switch (ahead_take(&ssd->ahead, stream_idx, at_bytes, command_idx,
                       bytes)) {
    case AHEAD_MISS:
        return false;
    case AHEAD_HIT:
        ssd_link_out(ssd, now_ns, command_idx, bytes);
        break;
    case AHEAD_WAITS:
        command->parts_left++;
        break;
    }
    command->done.ahead_bytes += bytes;
    return true;
}

/* Fetch as much as there is room for, and data in the flash. */
static void fetch(Ssd *ssd, uint64_t now_ns, uint32_t stream_idx)
{
    uint32_t zone_idx = ssd->ahead.streams[stream_idx].zone_idx;
    uint64_t begin_bytes;

    while (ahead_next(&ssd->ahead, stream_idx, &begin_bytes) &&
           begin_bytes < ssd->params.zone_capacity_bytes) {
        FlashOp *op = flash_next_op(&ssd->flash);

        if (!ssd_place_read(ssd, zone_idx, begin_bytes,
                            begin_bytes + ssd->sense_bytes, op)) {
            break;
        }
        op->owner = OWNER_AHEAD;
        op->epoch = ahead_fetch(&ssd->ahead, stream_idx);
        flash_issue_next(&ssd->flash, now_ns);
    }
}

/* All of its pieces are on their way: fetch what comes after them. */
void ssd_ahead_go_on(Ssd *ssd, uint64_t now_ns, uint32_t stream_idx)
{
    if (stream_idx != AHEAD_NONE) {
        ahead_pass(&ssd->ahead, stream_idx);
        fetch(ssd, now_ns, stream_idx);
    }
}

void ssd_ahead_fetched(Ssd *ssd, uint64_t now_ns, uint32_t fetch_idx)
{
    AheadWaiter waiter;

    while (ahead_next_waiter(&ssd->ahead, fetch_idx, &waiter)) {
        ssd_link_out(ssd, now_ns, waiter.command_idx, waiter.bytes);
        ssd_command_part_ended(ssd, waiter.command_idx, now_ns);
    }
    ssd_ahead_go_on(ssd, now_ns, ahead_fetched(&ssd->ahead, fetch_idx));
}

/* The zone has lost its data. */
void ssd_ahead_forget(Ssd *ssd, uint32_t zone_idx)
{
    if (ahead_is_on(&ssd->ahead)) {
        ahead_forget(&ssd->ahead, zone_idx);
    }
}

/* Append the member "read_ahead", if there is any. */
void ssd_ahead_json(const Ssd *ssd, GString *json)
{
    const AheadCounters *now = &ssd->ahead.counters;
    const AheadCounters *then = &ssd->stats.ahead;

    if (!ahead_is_on(&ssd->ahead)) {
        return;
    }
    g_string_append_printf(json,
                           "\"read_ahead\":{\"fetched_bytes\":%" PRIu64
                           ",\"hit_bytes\":%" PRIu64
                           ",\"waited_bytes\":%" PRIu64 "},",
                           (now->fetched_lines - then->fetched_lines) *
                           ssd->sense_bytes,
                           now->hit_bytes - then->hit_bytes,
                           now->waited_bytes - then->waited_bytes);
}
