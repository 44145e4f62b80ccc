/*
 * Reads, writes, appends and flushes as flash operations.
 *
 * A started page of a zone sits in the zone's page-assembly register: its bytes
 * have crossed the channel, its program waits for the byte that completes it.
 * The register is power-loss protected, so a write that does not complete a
 * page is done when its transfer is.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

/* A stretch of a zone's bytes, cut at page ends. */
typedef struct Piece {
    uint64_t page;
    uint32_t begin_bytes;
    uint32_t end_bytes;
} Piece;

/*
 * Cut the first piece off a span, which must not be empty. Pieces end where
 * stretches of so many bytes as `cut` do, which divide a page.
 */
static Piece take_piece(const Ssd *ssd, Span *span, const Divisor *cut)
{
    uint64_t page = divide(span->begin_bytes, &ssd->page_divisor);
    uint64_t base_bytes = page * ssd->page_bytes;
    uint32_t begin_bytes = span->begin_bytes - base_bytes;
    uint64_t cut_at_bytes = (divide(begin_bytes, cut) + 1) * cut->by;
    Piece piece = {
        .page = page,
        .begin_bytes = begin_bytes,
        .end_bytes = MIN(span->end_bytes - base_bytes, cut_at_bytes),
    };

    span->begin_bytes = base_bytes + piece.end_bytes;
    return piece;
}

uint32_t ssd_page_unit(const Ssd *ssd, uint32_t zone_idx, uint64_t page)
{
    return map_zone_units(&ssd->map, zone_idx)[page_position(ssd, zone_idx,
                                                             page)];
}

/*
 * Where a page lies: fills in the operation's unit, place and cells. The zone
 * must be backed by a superblock if anything will be done there.
 */
static void place_page(const Ssd *ssd, uint32_t zone_idx, uint64_t page,
                       FlashOp *op)
{
    uint32_t unit_in_zone = page_position(ssd, zone_idx, page);
    uint32_t units = ssd->map.zone_units;

    op->unit_idx = map_zone_units(&ssd->map, zone_idx)[unit_in_zone];
    op->place_idx = zone_idx * units + unit_in_zone;
    op->cells_idx = ssd->superblocks.of_zone[zone_idx] * units + unit_in_zone;
    op->row = divide(page, &ssd->map.units_divisor);
}

static bool is_programmed(const Ssd *ssd, const FlashOp *op)
{
    return op->row < ssd->programmed_rows[op->place_idx];
}

/* The flash's next operation is a part of the command. */
static void issue_next(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    ssd->commands[command_idx].parts_left++;
    flash_issue_next(&ssd->flash, now_ns);
}

/* Reads cross the channel in whole granules: an ECC codeword has no half. */
static void widen_to_granules(const Ssd *ssd, Piece *piece)
{
    const Divisor *granule = &ssd->granule_divisor;

    piece->begin_bytes -= remainder_of(piece->begin_bytes, granule);
    piece->end_bytes = divide(piece->end_bytes + granule->by - 1, granule) *
                       granule->by;
}

static bool place_piece(const Ssd *ssd, uint32_t zone_idx, Piece *piece,
                        FlashOp *op)
{
    place_page(ssd, zone_idx, piece->page, op);
    if (!is_programmed(ssd, op)) {
        return false;
    }
    widen_to_granules(ssd, piece);
    op->begin_bytes = piece->begin_bytes;
    op->end_bytes = piece->end_bytes;
    return true;
}

bool ssd_place_read(const Ssd *ssd, uint32_t zone_idx, uint64_t begin_bytes,
                    uint64_t end_bytes, FlashOp *op)
{
    Span span = { zone_idx, begin_bytes, end_bytes };
    Piece piece = take_piece(ssd, &span, &ssd->sense_divisor);

    *op = (FlashOp) { .kind = FLASH_READ };
    return place_piece(ssd, zone_idx, &piece, op);
}

void ssd_start_read(Ssd *ssd, uint64_t now_ns, uint32_t command_idx, Span span)
{
    uint32_t stream_idx = ssd_ahead_begin(ssd, command_idx, &span);

    span.end_bytes = MIN(span.end_bytes, ssd->params.zone_capacity_bytes);
    while (span.begin_bytes < span.end_bytes) {
        uint64_t begin_bytes = span.begin_bytes;
        Piece piece = take_piece(ssd, &span, &ssd->sense_divisor);
        uint32_t bytes = piece.end_bytes - piece.begin_bytes;
        FlashOp *op;

        if (stream_idx != AHEAD_NONE &&
            ssd_ahead_serves(ssd, now_ns, command_idx, stream_idx, begin_bytes,
                             bytes)) {
            continue;
        }
        op = flash_next_op(&ssd->flash);
        *op = (FlashOp) {
            .kind = FLASH_READ,
            .host_bytes = bytes,
            .owner = owner_of_command(command_idx),
        };
        if (place_piece(ssd, span.zone_idx, &piece, op)) {
            issue_next(ssd, now_ns, command_idx);
        } else {
            ssd_link_out(ssd, now_ns, command_idx, bytes);
        }
    }
    ssd_ahead_go_on(ssd, now_ns, stream_idx);
}

/* Transfer a piece of a page and, if `program`, program the page. */
static void issue_piece(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                        uint32_t zone_idx, const Piece *piece, bool program)
{
    uint32_t owner = owner_of_command(command_idx);
    FlashOp *op;

    if (program) {
        ssd_erase_before_program(ssd, now_ns, zone_idx, piece->page, owner);
        ssd->flush.pending[ssd->flush.current]++;
    }
    op = flash_next_op(&ssd->flash);
    *op = (FlashOp) {
        .kind = program ? FLASH_PROGRAM : FLASH_LOAD,
        .begin_bytes = piece->begin_bytes,
        .end_bytes = piece->end_bytes,
        .owner = owner,
        .life = ssd->life[zone_idx],
        .epoch = ssd->flush.current,
    };
    place_page(ssd, zone_idx, piece->page, op);
    issue_next(ssd, now_ns, command_idx);
}

/* Bytes of a page that lie below byte `end_bytes` of its zone. */
static uint32_t page_bytes_below(const Ssd *ssd, uint64_t page,
                                 uint64_t end_bytes)
{
    uint64_t page_bytes = ssd->page_bytes;

    return MIN(end_bytes - MIN(page * page_bytes, end_bytes), page_bytes);
}

/*
 * Program what the write pointer of a ZRWA has passed. What was never written
 * is transferred now, unless later blocks have been: then the buffer has it.
 */
static void issue_commit(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                         const ZoneWrite *write)
{
    uint64_t page = write->wp_from_bytes / ssd->page_bytes;
    uint64_t end_page = write->wp_to_bytes / ssd->page_bytes;

    for (; page < end_page; page++) {
        Piece piece = {
            .page = page,
            .begin_bytes = page_bytes_below(ssd, page, write->end_bytes),
            .end_bytes = ssd->page_bytes,
        };

        issue_piece(ssd, now_ns, command_idx, write->data.zone_idx, &piece,
                    true);
    }
}

static void issue_write(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                        const ZoneWrite *write)
{
    Span span = write->data;

    while (span.begin_bytes < span.end_bytes) {
        Piece piece = take_piece(ssd, &span, &ssd->page_divisor);
        bool completes_page = piece.end_bytes == ssd->page_bytes;

        issue_piece(ssd, now_ns, command_idx, span.zone_idx, &piece,
                    completes_page && !write->in_zrwa);
    }
    if (write->in_zrwa) {
        issue_commit(ssd, now_ns, command_idx, write);
    }
    ssd->zone_writes[span.zone_idx].issued_bytes = write->wp_to_bytes;
}

void ssd_issue_buffered(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                        uint32_t page, uint32_t epoch)
{
    uint64_t *issued_bytes = &ssd->zone_writes[zone_idx].issued_bytes;
    FlashOp op = {
        .kind = FLASH_PROGRAM,
        .end_bytes = ssd->page_bytes,
        .owner = OWNER_BUFFER,
        .life = ssd->life[zone_idx],
        .epoch = epoch,
    };

    ssd_erase_before_program(ssd, now_ns, zone_idx, page, OWNER_FIRST_WRITE);
    place_page(ssd, zone_idx, page, &op);
    /* A finish that goes on behind the page has been counted already. */
    *issued_bytes = MAX(*issued_bytes,
                        (page + UINT64_C(1)) * ssd->page_bytes);
    flash_issue(&ssd->flash, now_ns, &op);
}

/*
 * The writes of a zone are issued in the order of their LBAs, as the flash
 * demands: pages of a block are programmed one after another, and a page when
 * its last byte is there. Commits of a ZRWA are among them.
 */

void ssd_queue_write(Ssd *ssd, uint32_t command_idx)
{
    Command *command = &ssd->commands[command_idx];
    const ZoneWrite *write = &command->write;
    WriteQueue *queue = &ssd->zone_writes[write->data.zone_idx];
    uint64_t host_bytes = queue->host_bytes + write->data.end_bytes -
                          write->data.begin_bytes;

    queue->host_bytes = MIN(host_bytes, ssd->params.zone_capacity_bytes);
    command->writes = true;
    command->life = ssd->life[write->data.zone_idx];
    command->next_idx = SSD_NONE;
    if (queue->head_idx == SSD_NONE) {
        queue->head_idx = command_idx;
    } else {
        ssd->commands[queue->tail_idx].next_idx = command_idx;
    }
    queue->tail_idx = command_idx;
}

/* Let the first waiting write go. Return: its command. */
static uint32_t leave_queue(Ssd *ssd, WriteQueue *queue)
{
    uint32_t command_idx = queue->head_idx;

    queue->head_idx = ssd->commands[command_idx].next_idx;
    ssd->commands[command_idx].writes = false;
    return command_idx;
}

static bool is_ready(const Ssd *ssd, uint32_t command_idx)
{
    return ssd->commands[command_idx].parts_left == 0;
}

/* A ZRWA is a buffer of its own. */
static bool goes_to_buffer(const Ssd *ssd, const ZoneWrite *write)
{
    return ssd_has_buffer(ssd) && !write->in_zrwa;
}

/* Its data have to come in first, if that takes time or room. */
static void start_write(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &ssd->commands[command_idx];
    const Span *data = &command->write.data;

    bool to_buffer = goes_to_buffer(ssd, &command->write);

    if (!to_buffer && ssd->params.link_in_ns == 0) {
        issue_write(ssd, now_ns, command_idx, &command->write);
        return;
    }
    command->parts_left++;
    ssd->zone_writes[data->zone_idx].coming_count++;
    if (to_buffer) {
        ssd_buffer_write(ssd, now_ns, command_idx);
    } else {
        ssd_link_in(ssd, now_ns, command_idx,
                    data->end_bytes - data->begin_bytes, true);
    }
}

bool ssd_zone_is_written(const Ssd *ssd, uint32_t zone_idx)
{
    const WriteQueue *queue = &ssd->zone_writes[zone_idx];

    return queue->head_idx == SSD_NONE && queue->coming_count == 0;
}

void ssd_issue_writes(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    WriteQueue *queue = &ssd->zone_writes[zone_idx];

    /* Pages of the new life come after the erase of the old one's blocks. */
    if (ssd_reset_waits(ssd, zone_idx)) {
        return;
    }
    while (queue->head_idx != SSD_NONE && is_ready(ssd, queue->head_idx)) {
        uint32_t command_idx = leave_queue(ssd, queue);

        /* A commit within a page leaves nothing to do: it has ended. */
        ssd->commands[command_idx].parts_left++;
        start_write(ssd, now_ns, command_idx);
        ssd_command_part_ended(ssd, command_idx, now_ns);
    }
    if (ssd_zone_is_written(ssd, zone_idx)) {
        ssd_zone_written(ssd, now_ns, zone_idx);
    }
}

void ssd_write_arrived(Ssd *ssd, uint64_t now_ns, const LinkPortion *portion)
{
    uint32_t command_idx = portion->command_idx;
    Command *command = &ssd->commands[command_idx];
    uint32_t zone_idx = command->write.data.zone_idx;
    bool is_alive;

    if (command->is_conventional) {
        ssd_command_part_ended(ssd, command_idx, now_ns);
        return;
    }
    is_alive = command->life == ssd->life[zone_idx];
    if (goes_to_buffer(ssd, &command->write)) {
        ssd_buffer_arrived(ssd, now_ns, zone_idx, portion->bytes, is_alive);
    } else if (is_alive) {
        issue_write(ssd, now_ns, command_idx, &command->write);
    }
    if (portion->is_last) {
        ssd->zone_writes[zone_idx].coming_count -= is_alive;
        ssd_command_part_ended(ssd, command_idx, now_ns);
        if (ssd_zone_is_written(ssd, zone_idx)) {
            ssd_zone_written(ssd, now_ns, zone_idx);
        }
    }
}

void ssd_drop_writes(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx)
{
    WriteQueue *queue = &ssd->zone_writes[zone_idx];

    while (queue->head_idx != SSD_NONE) {
        uint32_t command_idx = leave_queue(ssd, queue);

        if (is_ready(ssd, command_idx)) {
            ssd->commands[command_idx].parts_left = 1;
            ssd_command_part_ended(ssd, command_idx, now_ns);
        }
    }
}

void ssd_issue_fill(Ssd *ssd, uint64_t now_ns, uint32_t zone_idx,
                    uint64_t page, uint64_t end_bytes, FlashOp *op)
{
    op->begin_bytes = page_bytes_below(ssd, page, end_bytes);
    op->kind = op->begin_bytes ? FLASH_PROGRAM : FLASH_PAD;
    op->end_bytes = ssd->page_bytes;
    ssd->flash.counters.padded_bytes += op->end_bytes - op->begin_bytes;
    ssd_erase_before_program(ssd, now_ns, zone_idx, page, op->owner);
    place_page(ssd, zone_idx, page, op);
    flash_issue(&ssd->flash, now_ns, op);
}

/* Flush: done when every host program before it has ended */

static uint32_t next_epoch(const FlushLog *flush, uint32_t epoch)
{
    return epoch + 1 < flush->size ? epoch + 1 : 0;
}

bool ssd_await_programs(Ssd *ssd, uint32_t owner)
{
    FlushLog *flush = &ssd->flush;

    if (flush->oldest == flush->current &&
        flush->pending[flush->current] == 0) {
        return false;
    }
    flush->owner[flush->current] = owner;
    /* Of an epoch that comes round no program is left. */
    flush->current = next_epoch(flush, flush->current);
    return true;
}

static void programs_ended(Ssd *ssd, uint32_t owner, uint64_t at_ns)
{
    if (owner < ssd->params.cmd_slots) {
        ssd_command_part_ended(ssd, owner, at_ns);
    } else {
        ssd_reset_drained(ssd, at_ns);
    }
}

void ssd_host_program_ended(Ssd *ssd, uint32_t epoch, uint64_t at_ns)
{
    FlushLog *flush = &ssd->flush;

    flush->pending[epoch]--;
    while (flush->oldest != flush->current &&
           flush->pending[flush->oldest] == 0) {
        uint32_t ended = flush->oldest;

        flush->oldest = next_epoch(flush, ended);
        programs_ended(ssd, flush->owner[ended], at_ns);
    }
}
