/*
 * The conventional namespace: reads and writes anywhere, as flash operations
 * of the same units that the zones use.
 *
 * Its bytes are mapped in granules (zns/ftl.h) and written as a log: a line is
 * a block on every unit, its pages go round the units as a zone's would, and
 * the page being filled waits in the page-assembly register. When free lines
 * run low, a line is cleaned: row by row, what it still holds is read and
 * written to the log's end; then its blocks are erased. Writes that would leave
 * less than a line free wait for that.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_internal.h"

/* Construction */

void ssd_conv_init(Ssd *ssd)
{
    const SsdParams *p = &ssd->params;
    uint32_t planes = p->multi_plane ? 1 : p->planes;
    MapLevel levels[MAP_LEVELS] = {
        [MAP_CHANNEL] = { p->channels, p->channels },
        [MAP_WAY] = { p->ways, p->ways },
        [MAP_DIE] = { p->dies, p->dies },
        [MAP_PLANE] = { planes, planes },
    };
    uint32_t granules = p->conventional_bytes / SSD_GRANULE_BYTES;
    uint32_t lines = ssd_params_conventional_lines(p);
    Conv *conv = &ssd->conv;

    conv->writes.head_idx = SSD_NONE;
    conv->victim = FTL_NONE;
    if (granules == 0) {
        return;
    }
    map_init(&conv->map, levels, map_order(p->stripe_order));
    conv->page_places = ssd->page_bytes / SSD_GRANULE_BYTES;
    conv->line_pages = conv->map.zone_units * ssd->rows_per_block;
    ftl_init(&conv->ftl, granules, conv->line_pages * conv->page_places,
             lines);
    conv->newest_id = g_new0(uint32_t, granules);
    conv->programmed_rows =
        g_new0(uint32_t, (size_t)lines * conv->map.zone_units);
    conv->programmed_pages = g_new0(uint32_t, lines);
    conv->life = g_new0(uint32_t, lines);
}

void ssd_conv_destroy(Ssd *ssd)
{
    Conv *conv = &ssd->conv;

    if (ssd->params.conventional_bytes) {
        g_free(conv->life);
        g_free(conv->programmed_pages);
        g_free(conv->programmed_rows);
        g_free(conv->newest_id);
        ftl_destroy(&conv->ftl);
        map_destroy(&conv->map);
    }
}

/* Where a place lies */

/* Flash places of the zones come first, and so do their cells. */
static uint32_t first_place_idx(const Ssd *ssd)
{
    return ssd->params.zones * ssd->map.zone_units;
}

static uint32_t first_cells_idx(const Ssd *ssd)
{
    return ssd->superblocks.count * ssd->map.zone_units;
}

static FlashOp op_at(const Ssd *ssd, FlashKind kind, uint32_t place)
{
    const Conv *conv = &ssd->conv;
    uint32_t units = conv->map.zone_units;
    uint32_t line = place / conv->ftl.line_places;
    uint32_t page = place % conv->ftl.line_places / conv->page_places;

    return (FlashOp) {
        .kind = kind,
        .unit_idx = map_zone_units(&conv->map, 0)[page % units],
        .place_idx = first_place_idx(ssd) + line * units + page % units,
        .cells_idx = first_cells_idx(ssd) + line * units + page % units,
        .row = page / units,
        .life = conv->life[line],
    };
}

/* The first byte of a place in its page. */
static uint32_t page_offset_bytes(const Ssd *ssd, uint32_t place)
{
    return place % ssd->conv.page_places * SSD_GRANULE_BYTES;
}

/* Has the page of a place left the register for the array? */
static bool is_programmed(const Ssd *ssd, uint32_t place)
{
    FlashOp op = op_at(ssd, FLASH_READ, place);
    uint32_t idx = op.place_idx - first_place_idx(ssd);

    return op.row < ssd->conv.programmed_rows[idx];
}

/* Owners of operations */

static void issue_for_command(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                              FlashOp *op)
{
    op->owner = owner_of_command(command_idx);
    op->epoch = ssd->flush.current;
    ssd->flush.pending[op->epoch] += op->kind == FLASH_PROGRAM;
    ssd->commands[command_idx].parts_left++;
    flash_issue(&ssd->flash, now_ns, op);
}

static void issue_for_cleaning(Ssd *ssd, uint64_t now_ns, FlashOp *op)
{
    op->owner = owner_of_cleaning(ssd);
    ssd->conv.ops_left++;
    flash_issue(&ssd->flash, now_ns, op);
}

static void issue(Ssd *ssd, uint64_t now_ns, uint32_t command_idx, FlashOp *op)
{
    if (command_idx == SSD_NONE) {
        issue_for_cleaning(ssd, now_ns, op);
    } else {
        issue_for_command(ssd, now_ns, command_idx, op);
    }
}

/* `command_idx` is SSD_NONE for cleaning. */
static void issue_read(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                       FlashOp *op)
{
    uint32_t granule_bytes = ssd->params.read_granule_bytes;

    op->host_bytes = op->end_bytes - op->begin_bytes;
    op->begin_bytes -= op->begin_bytes % granule_bytes;
    op->end_bytes = (op->end_bytes + granule_bytes - 1) / granule_bytes *
                    granule_bytes;
    issue(ssd, now_ns, command_idx, op);
}

/* Reads */

/*
 * The place from which a granule must be sensed; FTL_NONE if it holds nothing
 * or the controller still has it: in a write that waits, or in a register.
 */
static uint32_t place_to_sense(const Ssd *ssd, uint32_t granule)
{
    uint32_t place = ftl_place(&ssd->conv.ftl, granule);

    return place != FTL_NONE && ssd->conv.newest_id[granule] == 0 &&
           is_programmed(ssd, place) ? place : FTL_NONE;
}

/* Granules that lie side by side in what is sensed at once are one read. */
static void start_read(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                       uint64_t begin_bytes, uint64_t end_bytes)
{
    uint32_t next_place = FTL_NONE; /* behind what `op` reads, if anything */
    FlashOp op;

    while (begin_bytes < end_bytes) {
        uint32_t granule = begin_bytes / SSD_GRANULE_BYTES;
        uint32_t skip_bytes = begin_bytes % SSD_GRANULE_BYTES;
        uint32_t bytes = MIN(end_bytes - begin_bytes,
                             SSD_GRANULE_BYTES - skip_bytes);
        uint32_t place = place_to_sense(ssd, granule);
        uint32_t offset_bytes = page_offset_bytes(ssd, place) + skip_bytes;

        begin_bytes += bytes;
        if (next_place != FTL_NONE &&
            (place != next_place || offset_bytes % ssd->sense_bytes == 0)) {
            issue_read(ssd, now_ns, command_idx, &op);
            next_place = FTL_NONE;
        }
        if (place == FTL_NONE) {
            ssd_link_out(ssd, now_ns, command_idx, bytes);
            continue;
        }
        if (next_place == FTL_NONE) {
            op = op_at(ssd, FLASH_READ, place);
            op.begin_bytes = offset_bytes;
        }
        op.end_bytes = offset_bytes + bytes;
        next_place = place + 1;
    }
    if (next_place != FTL_NONE) {
        issue_read(ssd, now_ns, command_idx, &op);
    }
}

/* The log */

/* Places taken one after another, of which a page's piece is not issued yet. */
typedef struct Writer {
    uint32_t command_idx; /* SSD_NONE: cleaning */
    uint32_t first_place;
    uint32_t count;
} Writer;

/* Transfer what has gathered; the end of a page programs it. */
static void writer_issue(Ssd *ssd, uint64_t now_ns, Writer *writer)
{
    uint32_t begin_bytes = page_offset_bytes(ssd, writer->first_place);
    uint32_t end_bytes = begin_bytes + writer->count * SSD_GRANULE_BYTES;
    FlashOp op;

    if (writer->count == 0) {
        return;
    }
    op = op_at(ssd, end_bytes == ssd->page_bytes ? FLASH_PROGRAM : FLASH_LOAD,
               writer->first_place);
    op.begin_bytes = begin_bytes;
    op.end_bytes = end_bytes;
    writer->count = 0;
    issue(ssd, now_ns, writer->command_idx, &op);
}

static void writer_put(Ssd *ssd, uint64_t now_ns, Writer *writer,
                       uint32_t granule)
{
    Conv *conv = &ssd->conv;
    uint32_t place = ftl_put(&conv->ftl, granule);

    if (writer->count++ == 0) {
        writer->first_place = place;
    }
    if (writer->command_idx == SSD_NONE) {
        conv->counters.moved_bytes += SSD_GRANULE_BYTES;
    } else {
        conv->counters.host_bytes += SSD_GRANULE_BYTES;
    }
    if ((place + 1) % conv->page_places == 0) {
        writer_issue(ssd, now_ns, writer);
    }
}

/* Cleaning: reading and writing a row of the victim, row by row; erasing */

static bool row_is_used(const Ssd *ssd)
{
    const Conv *conv = &ssd->conv;
    uint32_t row_places = conv->map.zone_units * conv->page_places;
    uint32_t place = conv->victim * conv->ftl.line_places +
                     conv->row * row_places;

    for (uint32_t i = 0; i < row_places; i++) {
        if (ftl_is_valid(&conv->ftl, place + i)) {
            return true;
        }
    }
    return false;
}

/* One read from the first valid place of what is sensed at once to the last. */
static void read_stretch(Ssd *ssd, uint64_t now_ns, uint32_t first_place)
{
    const Conv *conv = &ssd->conv;
    uint32_t count = ssd->sense_bytes / SSD_GRANULE_BYTES;
    FlashOp op = op_at(ssd, FLASH_READ, first_place);

    for (uint32_t place = first_place; place < first_place + count; place++) {
        uint32_t offset_bytes = page_offset_bytes(ssd, place);

        if (!ftl_is_valid(&conv->ftl, place)) {
            continue;
        }
        if (op.end_bytes == 0) {
            op.begin_bytes = offset_bytes;
        }
        op.end_bytes = offset_bytes + SSD_GRANULE_BYTES;
    }
    if (op.end_bytes != 0) {
        issue_read(ssd, now_ns, SSD_NONE, &op);
    }
}

/*
 * Read the next row that still holds something, as one that has been moved
 * does not. False: there is none.
 */
static bool read_row(Ssd *ssd, uint64_t now_ns)
{
    Conv *conv = &ssd->conv;
    uint32_t row_places = conv->map.zone_units * conv->page_places;
    uint32_t sense_places = ssd->sense_bytes / SSD_GRANULE_BYTES;
    uint32_t place;

    while (conv->row < ssd->rows_per_block && !row_is_used(ssd)) {
        conv->row++;
    }
    if (conv->row == ssd->rows_per_block) {
        return false;
    }
    place = conv->victim * conv->ftl.line_places + conv->row * row_places;
    for (uint32_t i = 0; i < row_places; i += sense_places) {
        read_stretch(ssd, now_ns, place + i);
    }
    return true;
}

/* What the host has not replaced meanwhile goes to the log's end. */
static void write_row(Ssd *ssd, uint64_t now_ns)
{
    Conv *conv = &ssd->conv;
    uint32_t row_places = conv->map.zone_units * conv->page_places;
    uint32_t place = conv->victim * conv->ftl.line_places +
                     conv->row * row_places;
    Writer writer = { .command_idx = SSD_NONE };

    for (uint32_t i = 0; i < row_places; i++) {
        if (ftl_is_valid(&conv->ftl, place + i)) {
            writer_put(ssd, now_ns, &writer, conv->ftl.holds[place + i]);
        }
    }
    writer_issue(ssd, now_ns, &writer);
}

static void erase_victim(Ssd *ssd, uint64_t now_ns)
{
    Conv *conv = &ssd->conv;
    uint32_t units = conv->map.zone_units;

    conv->life[conv->victim]++;
    conv->programmed_pages[conv->victim] = 0;
    for (uint32_t u = 0; u < units; u++) {
        FlashOp op = op_at(ssd, FLASH_ERASE, conv->victim *
                           conv->ftl.line_places + u * conv->page_places);

        op.block_count = 1;
        conv->programmed_rows[conv->victim * units + u] = 0;
        issue_for_cleaning(ssd, now_ns, &op);
    }
    conv->counters.erased_blocks += units;
}

/* Go on with the victim, of which no operation is under way. */
static void clean_on(Ssd *ssd, uint64_t now_ns)
{
    Conv *conv = &ssd->conv;

    if (conv->stage == CLEAN_READ) {
        conv->stage = CLEAN_WRITE;
        write_row(ssd, now_ns);
        if (conv->ops_left > 0) {
            return;
        }
    }
    /* A row of which nothing is left to write leads to the next at once. */
    if (read_row(ssd, now_ns)) {
        conv->stage = CLEAN_READ;
    } else {
        conv->stage = CLEAN_ERASE;
        erase_victim(ssd, now_ns);
    }
}

static void clean_begin(Ssd *ssd, uint64_t now_ns)
{
    Conv *conv = &ssd->conv;

    if (conv->victim != FTL_NONE) {
        return;
    }
    conv->victim = ftl_take_victim(&conv->ftl);
    if (conv->victim != FTL_NONE) {
        conv->stage = CLEAN_WRITE;
        conv->row = 0;
        clean_on(ssd, now_ns);
    }
}

void ssd_conv_cleaning_op_ended(Ssd *ssd, uint64_t at_ns)
{
    Conv *conv = &ssd->conv;
    uint32_t line = conv->victim;

    if (--conv->ops_left > 0) {
        return;
    }
    if (conv->stage != CLEAN_ERASE) {
        clean_on(ssd, at_ns);
        return;
    }
    conv->victim = FTL_NONE;
    ftl_free_line(&conv->ftl, line);
    ssd_conv_issue_writes(ssd, at_ns);
}

/* Writes */

/*
 * Issue of a write what there is room for. What a later command has replaced or
 * deallocated meanwhile is written as well, and is of no use at once: there is
 * no buffer that could absorb it. False: the write has to wait.
 */
static bool issue_write(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Conv *conv = &ssd->conv;
    Command *command = &ssd->commands[command_idx];
    Span *span = &command->write.data;
    Writer writer = { .command_idx = command_idx };

    while (span->begin_bytes < span->end_bytes) {
        uint32_t granule = span->begin_bytes / SSD_GRANULE_BYTES;

        if (!ftl_host_may_place(&conv->ftl)) {
            break;
        }
        writer_put(ssd, now_ns, &writer, granule);
        if (conv->newest_id[granule] == command->write_id) {
            conv->newest_id[granule] = 0;
        } else {
            ftl_drop(&conv->ftl, granule);
        }
        span->begin_bytes = (granule + UINT64_C(1)) * SSD_GRANULE_BYTES;
    }
    writer_issue(ssd, now_ns, &writer);
    return span->begin_bytes >= span->end_bytes;
}

/* May the first write that waits begin, or has it? Its sources must be read. */
static bool first_may_go(const Ssd *ssd)
{
    const Command *command;

    if (ssd->conv.writes.head_idx == SSD_NONE) {
        return false;
    }
    command = &ssd->commands[ssd->conv.writes.head_idx];
    return command->is_writing || command->parts_left == 0;
}

void ssd_conv_issue_writes(Ssd *ssd, uint64_t now_ns)
{
    Conv *conv = &ssd->conv;
    bool moves = first_may_go(ssd);

    while (first_may_go(ssd)) {
        uint32_t command_idx = conv->writes.head_idx;
        Command *command = &ssd->commands[command_idx];

        command->is_writing = true;
        if (!issue_write(ssd, now_ns, command_idx)) {
            break;
        }
        conv->writes.head_idx = command->next_idx;
        command->writes = false;
    }
    /* One line for cleaning, and one for the host to go on meanwhile. */
    if (moves && ftl_free_places(&conv->ftl) <
                 UINT64_C(2) * conv->ftl.line_places) {
        clean_begin(ssd, now_ns);
    }
}

void ssd_conv_page_programmed(Ssd *ssd, const FlashOp *op, uint64_t at_ns)
{
    Conv *conv = &ssd->conv;
    uint32_t idx = op->place_idx - first_place_idx(ssd);
    uint32_t line = idx / conv->map.zone_units;

    conv->counters.programs++;
    conv->programmed_rows[idx]++;
    if (++conv->programmed_pages[line] == conv->line_pages) {
        ftl_line_ready(&conv->ftl, line);
        ssd_conv_issue_writes(ssd, at_ns);
    }
}

bool ssd_conv_has_place(const Ssd *ssd, uint32_t place_idx)
{
    return place_idx >= first_place_idx(ssd);
}

/* A granule of which a part is written is read first, unless it is at hand. */
static void read_part(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                      uint64_t at_bytes)
{
    uint64_t begin_bytes = at_bytes - at_bytes % SSD_GRANULE_BYTES;

    start_read(ssd, now_ns, command_idx, begin_bytes,
               begin_bytes + SSD_GRANULE_BYTES);
}

static void start_write(Ssd *ssd, uint64_t now_ns, uint32_t command_idx,
                        uint64_t begin_bytes, uint64_t end_bytes)
{
    Conv *conv = &ssd->conv;
    Command *command = &ssd->commands[command_idx];
    bool begins_inside = begin_bytes % SSD_GRANULE_BYTES != 0;
    bool one_granule = begin_bytes / SSD_GRANULE_BYTES ==
                       (end_bytes - 1) / SSD_GRANULE_BYTES;

    if (begins_inside) {
        read_part(ssd, now_ns, command_idx, begin_bytes);
    }
    if (end_bytes % SSD_GRANULE_BYTES != 0 &&
        !(begins_inside && one_granule)) {
        read_part(ssd, now_ns, command_idx, end_bytes);
    }
    /* 0 stands for none; old ones are gone long before the numbers return. */
    conv->last_id += conv->last_id == UINT32_MAX ? 2 : 1;
    command->write_id = conv->last_id;
    for (uint64_t granule = begin_bytes / SSD_GRANULE_BYTES;
         granule * SSD_GRANULE_BYTES < end_bytes; granule++) {
        ftl_drop(&conv->ftl, granule);
        conv->newest_id[granule] = command->write_id;
    }
    command->write.data = (Span) { SSD_NONE, begin_bytes, end_bytes };
    command->writes = true;
    command->next_idx = SSD_NONE;
    if (conv->writes.head_idx == SSD_NONE) {
        conv->writes.head_idx = command_idx;
    } else {
        ssd->commands[conv->writes.tail_idx].next_idx = command_idx;
    }
    conv->writes.tail_idx = command_idx;
}

/* Only whole granules become free; the rest of a range keeps its place. */
static void deallocate(Ssd *ssd, uint64_t begin_bytes, uint64_t end_bytes)
{
    Conv *conv = &ssd->conv;
    uint64_t granule = (begin_bytes + SSD_GRANULE_BYTES - 1) /
                       SSD_GRANULE_BYTES;

    for (; (granule + 1) * SSD_GRANULE_BYTES <= end_bytes; granule++) {
        ftl_drop(&conv->ftl, granule);
        conv->newest_id[granule] = 0;
    }
}

void ssd_conv_start(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &ssd->commands[command_idx];
    const Span *target = &command->target;

    for (uint32_t i = 0; i < command->range_count; i++) {
        const Span *range = &ssd_ranges(ssd, command_idx)[i];

        if (command->done.op == SSD_OP_COPY) {
            start_read(ssd, now_ns, command_idx, range->begin_bytes,
                       range->end_bytes);
        } else {
            deallocate(ssd, range->begin_bytes, range->end_bytes);
        }
    }
    switch (command->done.op) {
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_COPY:
        start_write(ssd, now_ns, command_idx, target->begin_bytes,
                    target->end_bytes);
        break;
    case SSD_OP_DEALLOCATE:
        break;
    default:
        start_read(ssd, now_ns, command_idx, target->begin_bytes,
                   target->end_bytes);
        break;
    }
}

void ssd_conv_format(Ssd *ssd)
{
    g_assert(ssd->conv.writes.head_idx == SSD_NONE);
    ftl_drop_all(&ssd->conv.ftl);
}
