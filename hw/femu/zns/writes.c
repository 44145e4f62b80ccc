/*
 * Writes of zones: the order in which they are issued, and what they are on the
 * flash.
 *
 * The writes of a zone are issued in the order of their LBAs, as the flash
 * demands: pages of a block are programmed one after another, and a page when
 * its last byte is there. Commits of a ZRWA are among them.
 *
 * A started page of a zone sits in the zone's page-assembly register: its bytes
 * have crossed the channel, its program waits for the byte that completes it.
 * The register is power-loss protected, so a write that does not complete a
 * page is done when its transfer is.
 *
 * Knows nothing of the front end, or of what jobs do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "../media/pieces.h"
#include "zns_internal.h"

void zns_writes_init(Zns *zns)
{
    zns->writes = g_new0(WriteQueue, zns->params->zones);
    for (uint32_t i = 0; i < zns->params->zones; i++) {
        zns->writes[i].head_idx = SSD_NONE;
    }
}

void zns_writes_destroy(Zns *zns)
{
    g_free(zns->writes);
}

/* Operations */

/* Transfer a piece of a page and, if `program`, program the page. */
static void issue_piece(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                        uint32_t zone_idx, const Piece *piece, bool program)
{
    Media *media = zns->media;
    Owner owner = owner_of(OWNER_COMMAND, command_idx);
    FlashOp *op;

    if (program) {
        media_erase_before_program(media, now_ns, zone_idx, piece->page,
                                   owner);
    }
    op = flash_next_op(&media->flash);
    *op = (FlashOp) {
        .kind = program ? FLASH_PROGRAM : FLASH_LOAD,
        .begin_bytes = piece->begin_bytes,
        .end_bytes = piece->end_bytes,
        .owner = owner,
        .life = media->life[zone_idx],
    };
    media_place_page(media, zone_idx, piece->page, op);
    if (program) {
        op->epoch = programs_count(&media->programs, op->unit_idx);
    }
    media_issue_for_command(media, now_ns, command_idx);
}

/*
 * Program what the write pointer of a ZRWA has passed. What was never written
 * is transferred now, unless later blocks have been: then the buffer has it.
 */
RARE
static void issue_commit(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                         const ZoneWrite *write)
{
    uint64_t page = write->wp_from_bytes / zns->media->page_bytes;
    uint64_t end_page = write->wp_to_bytes / zns->media->page_bytes;

    for (; page < end_page; page++) {
        Piece piece = {
            .page = page,
            .begin_bytes = media_page_bytes_below(zns->media, page,
                                                  write->end_bytes),
            .end_bytes = zns->media->page_bytes,
        };

        issue_piece(zns, now_ns, command_idx, write->data.zone_idx, &piece,
                    true);
    }
}

static void issue_write(Zns *zns, uint64_t now_ns, uint32_t command_idx,
                        const ZoneWrite *write)
{
    Span span = write->data;

    while (span.begin_bytes < span.end_bytes) {
        Piece piece = take_piece(zns->media, &span, &zns->media->page_divisor);
        bool completes_page = piece.end_bytes == zns->media->page_bytes;

        issue_piece(zns, now_ns, command_idx, span.zone_idx, &piece,
                    completes_page && !write->in_zrwa);
    }
    if (write->in_zrwa) {
        issue_commit(zns, now_ns, command_idx, write);
    }
    zns->media->issued_bytes[span.zone_idx] = write->wp_to_bytes;
}

/* The queue of a zone */

/* A ZRWA is a buffer of its own. */
static bool goes_to_buffer(const Zns *zns, const ZoneWrite *write)
{
    return wbuf_is_on(zns->buffer) && !write->in_zrwa;
}

void zns_write_entered(Zns *zns, uint32_t zone_idx)
{
    zns->writes[zone_idx].entered_count++;
}

void zns_write_handed_off(Zns *zns, uint32_t zone_idx)
{
    zns->writes[zone_idx].handed_off_count++;
}

/*
 * Not complete pages that come in at once: they leave no part of one. Where they
 * do not begin with a page, the zone has a part and thus a seat.
 */
static bool needs_seat(const Zns *zns, const ZoneWrite *write)
{
    const Span *data = &write->data;

    return goes_to_buffer(zns, write) &&
           (data->end_bytes - data->begin_bytes >
            zns->params->buffer_portion_bytes ||
            remainder_of(data->end_bytes, &zns->media->page_divisor) != 0);
}

void zns_queue_write(Zns *zns, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &zns->commands->at[command_idx];
    const ZoneWrite *write = &command->write;
    WriteQueue *queue = &zns->writes[write->data.zone_idx];
    uint64_t host_bytes = queue->host_bytes + write->data.end_bytes -
                          write->data.begin_bytes;

    queue->host_bytes = MIN(host_bytes, zns->params->zone_capacity_bytes);
    command->writes = true;
    command->life = zns->media->life[write->data.zone_idx];
    command->next_write_idx = SSD_NONE;
    if (queue->head_idx == SSD_NONE) {
        queue->head_idx = command_idx;
    } else {
        zns->commands->at[queue->tail_idx].next_write_idx = command_idx;
    }
    queue->tail_idx = command_idx;
    prefetch_beside_write(zns->prefetch, now_ns);
    if (needs_seat(zns, write)) {
        seats_ask(zns, write->data.zone_idx);
    }
    zns->queued_count++;
}

/* Let the first waiting write go. Return: its command. */
static uint32_t leave_queue(Zns *zns, WriteQueue *queue)
{
    uint32_t command_idx = queue->head_idx;

    queue->head_idx = zns->commands->at[command_idx].next_write_idx;
    zns->commands->at[command_idx].writes = false;
    zns->queued_count--;
    return command_idx;
}

static bool is_ready(const Zns *zns, uint32_t command_idx)
{
    return zns->commands->at[command_idx].parts_left == 0;
}

/* It is ready, and has a place to go to. */
static bool may_start(const Zns *zns, uint32_t command_idx)
{
    const ZoneWrite *write = &zns->commands->at[command_idx].write;

    return is_ready(zns, command_idx) &&
           (seats_has_one(zns, write->data.zone_idx) ||
            !needs_seat(zns, write));
}

/* Its data have to come in first, if that takes time or room. */
static void start_write(Zns *zns, uint64_t now_ns, uint32_t command_idx)
{
    const ZoneWrite *write = &zns->commands->at[command_idx].write;
    bool to_buffer = goes_to_buffer(zns, write);

    if (!to_buffer && zns->params->link_in_ns == 0) {
        issue_write(zns, now_ns, command_idx, write);
        return;
    }
    commands_part_added(zns->commands, command_idx);
    zns->writes[write->data.zone_idx].coming_count++;
    if (to_buffer) {
        wbuf_write(zns->buffer, now_ns, command_idx);
    } else {
        link_in(zns->link, now_ns, command_idx,
                write->data.end_bytes - write->data.begin_bytes, true);
    }
}

void zns_issue_writes(Zns *zns, uint64_t now_ns, uint32_t zone_idx)
{
    WriteQueue *queue = &zns->writes[zone_idx];

    /* Pages of the new life come after the erase of the old one's blocks. */
    if (jobs_reset_waits(zns, zone_idx)) {
        return;
    }
    while (queue->head_idx != SSD_NONE && may_start(zns, queue->head_idx)) {
        uint32_t command_idx = leave_queue(zns, queue);

        /* A commit within a page leaves nothing to do: it has ended. */
        commands_part_added(zns->commands, command_idx);
        start_write(zns, now_ns, command_idx);
        commands_part_ended(zns->commands, command_idx);
    }
    if (zns_zone_is_written(zns, zone_idx)) {
        jobs_zone_written(zns, zone_idx);
    }
}

void zns_write_arrived(Zns *zns, uint64_t now_ns, const LinkPortion *portion)
{
    uint32_t command_idx = portion->command_idx;
    const Command *command = &zns->commands->at[command_idx];
    uint32_t zone_idx = command->write.data.zone_idx;
    bool is_alive = command->life == zns->media->life[zone_idx];

    if (goes_to_buffer(zns, &command->write)) {
        wbuf_arrived(zns->buffer, now_ns, zone_idx, portion->bytes,
                     is_alive);
    } else if (is_alive) {
        issue_write(zns, now_ns, command_idx, &command->write);
    }
}

static bool has_failed(const Zns *zns, uint32_t zone_idx)
{
    SsdZoneState state = zone_entry(zns->ns, zone_idx)->state;

    return state == SSD_ZONE_READ_ONLY || state == SSD_ZONE_OFFLINE;
}

/*
 * No write of the zone is left: it gives up its seat, unless it has a part of a
 * page for more to come. A zone that failed before its reset was handed off has
 * one that is never completed.
 */
static void zone_rests(Zns *zns, uint64_t now_ns, uint32_t zone_idx)
{
    if (has_failed(zns, zone_idx)) {
        wbuf_abandon(zns->buffer, now_ns, zone_idx);
    }
    if (!wbuf_has_part(zns->buffer, zone_idx)) {
        seats_give_up(zns, zone_idx);
    }
}

void zns_zone_failed(Zns *zns, uint64_t now_ns, uint32_t zone_idx)
{
    watch_zone(&zns->watch, now_ns, zone_idx);
    if (wbuf_is_on(zns->buffer)) {
        wbuf_abandon(zns->buffer, now_ns, zone_idx);
        if (zns_zone_is_written(zns, zone_idx)) {
            zone_rests(zns, now_ns, zone_idx);
        }
    }
}

void zns_write_came(Zns *zns, uint64_t now_ns, uint32_t zone_idx,
                    uint32_t life)
{
    zns->writes[zone_idx].coming_count -= life == zns->media->life[zone_idx];
    if (zns_zone_is_written(zns, zone_idx)) {
        if (wbuf_is_on(zns->buffer)) {
            zone_rests(zns, now_ns, zone_idx);
        }
        jobs_zone_written(zns, zone_idx);
    }
}

/* A reset ends the life of a zone */

void zns_drop_writes(Zns *zns, uint32_t zone_idx)
{
    WriteQueue *queue = &zns->writes[zone_idx];

    while (queue->head_idx != SSD_NONE) {
        uint32_t command_idx = leave_queue(zns, queue);

        if (is_ready(zns, command_idx)) {
            commands_part_added(zns->commands, command_idx);
            commands_part_ended(zns->commands, command_idx);
        }
    }
}

void zns_forget_pages(Zns *zns, uint64_t now_ns, uint32_t zone_idx)
{
    media_forget_pages(zns->media, zone_idx);
    if (prefetch_is_on(zns->prefetch)) {
        prefetch_forget(zns->prefetch, zone_idx);
    }
    zns->writes[zone_idx].coming_count = 0;
    zns->writes[zone_idx].host_bytes = 0;
    if (wbuf_is_on(zns->buffer)) {
        wbuf_forget(zns->buffer, now_ns, zone_idx);
        seats_give_up(zns, zone_idx);
    }
}
