/*
 * The conventional namespace: reads, the log and its cleaning, writes.
 *
 * Knows nothing of zones but how many places on the flash they take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "conv.h"

#include "../base/round.h"

/* Construction */

static void init_map(Conv *conv)
{
    const SsdParams *p = conv->params;
    uint32_t planes = p->multi_plane ? 1 : p->planes;
    MapLevel levels[MAP_LEVELS] = {
        [MAP_CHANNEL] = { p->channels, p->channels },
        [MAP_WAY] = { p->ways, p->ways },
        [MAP_DIE] = { p->dies, p->dies },
        [MAP_PLANE] = { planes, planes },
    };

    map_init(&conv->map, levels, map_order(p->stripe_order));
}

/*
 * Cleaning: a row of the victim is read, or written, or its blocks are erased.
 * What commands do is among those of zns/.
 */
void conv_bounds(const SsdParams *p, Bounds *bounds)
{
    bounds_add(bounds, "cleaning", p->conventional_bytes
               ? (uint64_t)p->program_pages * ssd_params_unit_count(p) + 2 : 0,
               0);
}

void conv_init(Conv *conv, const SsdParams *params, Commands *commands,
               Media *media, Link *link, WriteBuffer *buffer)
{
    uint32_t granules = params->conventional_bytes / SSD_GRANULE_BYTES;
    uint32_t lines = ssd_params_conventional_lines(params);

    *conv = (Conv) {
        .params = params,
        .commands = commands,
        .media = media,
        .link = link,
        .buffer = buffer,
        .first_write_idx = SSD_NONE,
        .victim = FTL_NONE,
    };
    if (granules == 0) {
        return;
    }
    init_map(conv);
    conv->page_places = media->page_bytes / SSD_GRANULE_BYTES;
    conv->line_pages = conv->map.zone_units * media->rows_per_block;
    ftl_init(&conv->ftl, granules, conv->line_pages * conv->page_places,
             lines);
    conv->newest_id = g_new0(uint32_t, granules);
    conv->programmed_rows =
        g_new0(uint32_t, (size_t)lines * conv->map.zone_units);
    conv->programmed_pages = g_new0(uint32_t, lines);
    conv->life = g_new0(uint32_t, lines);
    media->log = (LogPlaces) {
        .unit_idx = map_zone_units(&conv->map, 0),
        .units = conv->map.zone_units,
        .line_pages = conv->line_pages,
        .life = conv->life,
    };
}

void conv_destroy(Conv *conv)
{
    if (conv->params->conventional_bytes) {
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
static uint32_t first_place_idx(const Conv *conv)
{
    return media_place_count(conv->media);
}

static FlashOp op_at(const Conv *conv, FlashKind kind, uint32_t place)
{
    FlashOp op = { .kind = kind };

    media_place_log_page(conv->media, place / conv->ftl.line_places,
                         place / conv->page_places % conv->line_pages, &op);
    return op;
}

/* The first byte of a place in its page. */
static uint32_t page_offset_bytes(const Conv *conv, uint32_t place)
{
    return place % conv->page_places * SSD_GRANULE_BYTES;
}

/* Has the page of a place left the register for the array? */
static bool is_programmed(const Conv *conv, uint32_t place)
{
    FlashOp op = op_at(conv, FLASH_READ, place);
    uint32_t idx = op.place_idx - first_place_idx(conv);

    return op.row < conv->programmed_rows[idx];
}

/* Owners of operations */

static void issue_for_command(Conv *conv, uint64_t now_ns, uint32_t command_idx,
                              FlashOp *op)
{
    op->owner = owner_of(OWNER_COMMAND, command_idx);
    if (op->kind == FLASH_PROGRAM) {
        op->epoch = programs_count(&conv->media->programs, op->unit_idx);
    }
    commands_part_added(conv->commands, command_idx);
    flash_issue(&conv->media->flash, now_ns, op);
}

static void issue_for_cleaning(Conv *conv, uint64_t now_ns, FlashOp *op)
{
    op->owner = owner_of(OWNER_CLEANING, 0);
    conv->ops_left++;
    flash_issue(&conv->media->flash, now_ns, op);
}

static void issue(Conv *conv, uint64_t now_ns, uint32_t command_idx,
                  FlashOp *op)
{
    if (command_idx == SSD_NONE) {
        issue_for_cleaning(conv, now_ns, op);
    } else {
        issue_for_command(conv, now_ns, command_idx, op);
    }
}

/* `command_idx` is SSD_NONE for cleaning. */
static void issue_read(Conv *conv, uint64_t now_ns, uint32_t command_idx,
                       FlashOp *op)
{
    uint32_t granule_bytes = conv->params->read_granule_bytes;

    op->host_bytes = op->end_bytes - op->begin_bytes;
    op->begin_bytes -= op->begin_bytes % granule_bytes;
    op->end_bytes = round_up(op->end_bytes, granule_bytes);
    issue(conv, now_ns, command_idx, op);
}

/* Reads */

/*
 * The place from which a granule must be sensed; FTL_NONE if it holds nothing
 * or the controller still has it: in a write that waits, or in a register.
 */
static uint32_t place_to_sense(const Conv *conv, uint32_t granule)
{
    uint32_t place = ftl_place(&conv->ftl, granule);

    return place != FTL_NONE && is_programmed(conv, place) ? place : FTL_NONE;
}

/* Granules that lie side by side in what is sensed at once are one read. */
static void start_read(Conv *conv, uint64_t now_ns, uint32_t command_idx,
                       uint64_t begin_bytes, uint64_t end_bytes)
{
    uint32_t next_place = FTL_NONE; /* behind what `op` reads, if anything */
    FlashOp op;

    while (begin_bytes < end_bytes) {
        uint32_t granule = begin_bytes / SSD_GRANULE_BYTES;
        uint32_t skip_bytes = begin_bytes % SSD_GRANULE_BYTES;
        uint32_t bytes = MIN(end_bytes - begin_bytes,
                             SSD_GRANULE_BYTES - skip_bytes);
        uint32_t place = place_to_sense(conv, granule);
        uint32_t offset_bytes = page_offset_bytes(conv, place) + skip_bytes;

        begin_bytes += bytes;
        if (next_place != FTL_NONE &&
            (place != next_place ||
             offset_bytes % conv->media->sense_bytes == 0)) {
            issue_read(conv, now_ns, command_idx, &op);
            next_place = FTL_NONE;
        }
        if (place == FTL_NONE) {
            link_out(conv->link, now_ns, command_idx, bytes);
            continue;
        }
        if (next_place == FTL_NONE) {
            op = op_at(conv, FLASH_READ, place);
            op.begin_bytes = offset_bytes;
        }
        op.end_bytes = offset_bytes + bytes;
        next_place = place + 1;
    }
    if (next_place != FTL_NONE) {
        issue_read(conv, now_ns, command_idx, &op);
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
static void writer_issue(Conv *conv, uint64_t now_ns, Writer *writer)
{
    uint32_t begin_bytes = page_offset_bytes(conv, writer->first_place);
    uint32_t end_bytes = begin_bytes + writer->count * SSD_GRANULE_BYTES;
    FlashOp op;

    if (writer->count == 0) {
        return;
    }
    op = op_at(conv, end_bytes == conv->media->page_bytes ? FLASH_PROGRAM
                                                          : FLASH_LOAD,
               writer->first_place);
    op.begin_bytes = begin_bytes;
    op.end_bytes = end_bytes;
    writer->count = 0;
    issue(conv, now_ns, writer->command_idx, &op);
}

/* The place is filled, in the buffer; the end of a page has it programmed. */
static void buffer_put(Conv *conv, uint64_t now_ns, uint32_t place,
                       bool is_moved)
{
    wbuf_log_put(conv->buffer, SSD_GRANULE_BYTES, is_moved);
    if ((place + 1) % conv->page_places == 0) {
        conv->ops_left += is_moved;
        wbuf_log_page(conv->buffer, now_ns, place / conv->ftl.line_places,
                      is_moved);
    }
}

static void writer_put(Conv *conv, uint64_t now_ns, Writer *writer,
                       uint32_t granule)
{
    uint32_t place = ftl_put(&conv->ftl, granule);

    if (writer->command_idx == SSD_NONE) {
        conv->counters.moved_bytes += SSD_GRANULE_BYTES;
    } else {
        conv->counters.host_bytes += SSD_GRANULE_BYTES;
    }
    if (wbuf_has_log(conv->buffer)) {
        buffer_put(conv, now_ns, place, writer->command_idx == SSD_NONE);
        return;
    }
    if (writer->count++ == 0) {
        writer->first_place = place;
    }
    if ((place + 1) % conv->page_places == 0) {
        writer_issue(conv, now_ns, writer);
    }
}

/* Cleaning: reading and writing a row of the victim, row by row; erasing */

static bool row_is_used(const Conv *conv)
{
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
static void read_stretch(Conv *conv, uint64_t now_ns, uint32_t first_place)
{
    uint32_t count = conv->media->sense_bytes / SSD_GRANULE_BYTES;
    FlashOp op = op_at(conv, FLASH_READ, first_place);

    for (uint32_t place = first_place; place < first_place + count; place++) {
        uint32_t offset_bytes = page_offset_bytes(conv, place);

        if (!ftl_is_valid(&conv->ftl, place)) {
            continue;
        }
        if (op.end_bytes == 0) {
            op.begin_bytes = offset_bytes;
        }
        op.end_bytes = offset_bytes + SSD_GRANULE_BYTES;
    }
    if (op.end_bytes != 0) {
        issue_read(conv, now_ns, SSD_NONE, &op);
    }
}

/*
 * Read the next row that still holds something, as one that has been moved
 * does not. False: there is none.
 */
static bool read_row(Conv *conv, uint64_t now_ns)
{
    uint32_t row_places = conv->map.zone_units * conv->page_places;
    uint32_t sense_places = conv->media->sense_bytes / SSD_GRANULE_BYTES;
    uint32_t place;

    while (conv->row < conv->media->rows_per_block && !row_is_used(conv)) {
        conv->row++;
    }
    if (conv->row == conv->media->rows_per_block) {
        return false;
    }
    place = conv->victim * conv->ftl.line_places + conv->row * row_places;
    for (uint32_t i = 0; i < row_places; i += sense_places) {
        read_stretch(conv, now_ns, place + i);
    }
    return true;
}

/* What the host has not replaced meanwhile goes to the log's end. */
static void write_row(Conv *conv, uint64_t now_ns)
{
    uint32_t row_places = conv->map.zone_units * conv->page_places;
    uint32_t place = conv->victim * conv->ftl.line_places +
                     conv->row * row_places;
    Writer writer = { .command_idx = SSD_NONE };

    for (uint32_t i = 0; i < row_places; i++) {
        if (ftl_is_valid(&conv->ftl, place + i)) {
            writer_put(conv, now_ns, &writer, conv->ftl.holds[place + i]);
        }
    }
    writer_issue(conv, now_ns, &writer);
    if (wbuf_has_log(conv->buffer)) {
        wbuf_log_moved(conv->buffer, now_ns);
    }
}

static void erase_victim(Conv *conv, uint64_t now_ns)
{
    uint32_t units = conv->map.zone_units;

    conv->life[conv->victim]++;
    conv->programmed_pages[conv->victim] = 0;
    for (uint32_t u = 0; u < units; u++) {
        FlashOp op = op_at(conv, FLASH_ERASE, conv->victim *
                           conv->ftl.line_places + u * conv->page_places);

        op.block_count = 1;
        conv->programmed_rows[conv->victim * units + u] = 0;
        issue_for_cleaning(conv, now_ns, &op);
    }
}

/* Go on with the victim, of which no operation is under way. */
static void clean_on(Conv *conv, uint64_t now_ns)
{
    if (conv->stage == CLEAN_READ) {
        conv->stage = CLEAN_WRITE;
        write_row(conv, now_ns);
        if (conv->ops_left != 0) {
            return;
        }
    }
    /* A row of which nothing is left to write leads to the next at once. */
    if (read_row(conv, now_ns)) {
        conv->stage = CLEAN_READ;
    } else {
        conv->stage = CLEAN_ERASE;
        erase_victim(conv, now_ns);
    }
}

static void clean_begin(Conv *conv, uint64_t now_ns)
{
    if (conv->victim != FTL_NONE) {
        return;
    }
    conv->victim = ftl_take_victim(&conv->ftl);
    if (conv->victim != FTL_NONE) {
        conv->stage = CLEAN_WRITE;
        conv->row = 0;
        clean_on(conv, now_ns);
    }
}

void conv_cleaning_op_ended(Conv *conv, uint64_t now_ns)
{
    uint32_t line = conv->victim;

    /* Counted when it has ended, as all operations of the flash are. */
    conv->counters.erased_blocks += conv->stage == CLEAN_ERASE;
    if (--conv->ops_left != 0) {
        return;
    }
    if (conv->stage != CLEAN_ERASE) {
        clean_on(conv, now_ns);
        return;
    }
    conv->victim = FTL_NONE;
    ftl_free_line(&conv->ftl, line);
    conv_issue_writes(conv, now_ns);
}

/* Writes */

/*
 * Places that may be promised beside those that are: what is left then is what
 * ftl_host_may_place() leaves.
 */
static uint64_t places_to_promise(const Conv *conv)
{
    uint64_t kept = conv->ftl.line_places + conv->promised;

    return ftl_free_places(&conv->ftl) -
           MIN(ftl_free_places(&conv->ftl), kept);
}

/* What a later command has replaced meanwhile is of no use at once. */
static void put_for_host(Conv *conv, uint64_t now_ns, Writer *writer,
                         uint32_t granule)
{
    const Command *command = &conv->commands->at[writer->command_idx];

    writer_put(conv, now_ns, writer, granule);
    if (conv->newest_id[granule] == command->write_id) {
        conv->newest_id[granule] = 0;
    } else {
        ftl_drop(&conv->ftl, granule);
    }
}

/*
 * Issue of a write what there is room for. What a later command has replaced or
 * deallocated meanwhile is written as well, and is of no use at once: there is
 * no buffer that could absorb it. False: the write has to wait.
 */
static bool issue_write(Conv *conv, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &conv->commands->at[command_idx];
    Span *span = &command->write.data;
    Writer writer = { .command_idx = command_idx };

    command->is_writing = true;
    while (span->begin_bytes < span->end_bytes) {
        uint32_t granule = span->begin_bytes / SSD_GRANULE_BYTES;

        if (!ftl_host_may_place(&conv->ftl)) {
            break;
        }
        put_for_host(conv, now_ns, &writer, granule);
        span->begin_bytes = (granule + UINT64_C(1)) * SSD_GRANULE_BYTES;
    }
    writer_issue(conv, now_ns, &writer);
    return span->begin_bytes >= span->end_bytes;
}

/*
 * Through the buffer: the write is promised as many places as the log has, comes
 * in, and if that was not all of it, waits for more then. False: it has to wait.
 */
static bool send_write(Conv *conv, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &conv->commands->at[command_idx];
    ZoneWrite *write = &command->write;
    uint64_t left = (write->end_bytes - write->data.end_bytes) /
                    SSD_GRANULE_BYTES;
    uint64_t places = MIN(left, places_to_promise(conv));

    if (places != 0) {
        command->is_promised = true;
        conv->promised += places;
        write->data.end_bytes += places * SSD_GRANULE_BYTES;
        commands_part_added(conv->commands, command_idx);
        wbuf_write(conv->buffer, now_ns, command_idx);
    }
    return places == left;
}

void conv_write_arrived(Conv *conv, uint64_t now_ns,
                        const LinkPortion *portion)
{
    ZoneWrite *write = &conv->commands->at[portion->command_idx].write;
    Writer writer = { .command_idx = portion->command_idx };

    for (uint32_t i = 0; i < portion->bytes / SSD_GRANULE_BYTES; i++) {
        conv->promised--;
        put_for_host(conv, now_ns, &writer,
                     write->wp_from_bytes / SSD_GRANULE_BYTES);
        write->wp_from_bytes += SSD_GRANULE_BYTES;
    }
}

/* May the first write that waits begin, or has it? Its sources must be read. */
static bool first_may_go(const Conv *conv)
{
    const Command *command;

    if (conv->first_write_idx == SSD_NONE) {
        return false;
    }
    command = &conv->commands->at[conv->first_write_idx];
    return command->is_writing || command->parts_left == 0;
}

void conv_issue_writes(Conv *conv, uint64_t now_ns)
{
    bool moves = first_may_go(conv);

    while (first_may_go(conv)) {
        uint32_t command_idx = conv->first_write_idx;
        Command *command = &conv->commands->at[command_idx];

        if (!(wbuf_has_log(conv->buffer) ? send_write : issue_write)(
                conv, now_ns, command_idx)) {
            break;
        }
        conv->first_write_idx = command->next_write_idx;
        command->writes = false;
    }
    /* One line for cleaning, and one for the host to go on meanwhile. */
    if (moves && ftl_free_places(&conv->ftl) <
                 UINT64_C(2) * conv->ftl.line_places + conv->promised) {
        clean_begin(conv, now_ns);
    }
}

void conv_page_programmed(Conv *conv, uint64_t now_ns, const FlashOp *op)
{
    uint32_t idx = op->place_idx - first_place_idx(conv);
    uint32_t line = idx / conv->map.zone_units;

    conv->counters.programs++;
    conv->programmed_rows[idx]++;
    if (++conv->programmed_pages[line] == conv->line_pages) {
        ftl_line_ready(&conv->ftl, line);
        conv_issue_writes(conv, now_ns);
    }
}

/* A granule of which a part is written is read first, unless it is at hand. */
static void read_part(Conv *conv, uint64_t now_ns, uint32_t command_idx,
                      uint64_t at_bytes)
{
    uint64_t begin_bytes = at_bytes - at_bytes % SSD_GRANULE_BYTES;

    start_read(conv, now_ns, command_idx, begin_bytes,
               begin_bytes + SSD_GRANULE_BYTES);
}

/*
 * Through the buffer go whole granules. Of these so many have arrived as lie
 * before wp_from_bytes, are let in as lie before data.begin_bytes, and are
 * promised a place as lie before data.end_bytes.
 */
static ZoneWrite span_to_write(const Conv *conv, uint64_t begin_bytes,
                               uint64_t end_bytes)
{
    uint64_t from_bytes = begin_bytes - begin_bytes % SSD_GRANULE_BYTES;

    if (!wbuf_has_log(conv->buffer)) {
        return (ZoneWrite) {
            .data = { SSD_NONE, begin_bytes, end_bytes },
        };
    }
    return (ZoneWrite) {
        .data = { conv->params->zones, from_bytes, from_bytes },
        .wp_from_bytes = from_bytes,
        .end_bytes = round_up(end_bytes, SSD_GRANULE_BYTES),
    };
}

static void start_write(Conv *conv, uint64_t now_ns, uint32_t command_idx,
                        uint64_t begin_bytes, uint64_t end_bytes)
{
    Command *command = &conv->commands->at[command_idx];
    bool begins_inside = begin_bytes % SSD_GRANULE_BYTES != 0;
    bool ends_inside = end_bytes % SSD_GRANULE_BYTES != 0;
    bool in_one = begin_bytes / SSD_GRANULE_BYTES ==
                  end_bytes / SSD_GRANULE_BYTES;

    if (begins_inside) {
        read_part(conv, now_ns, command_idx, begin_bytes);
    }
    if (ends_inside && !(begins_inside && in_one)) {
        read_part(conv, now_ns, command_idx, end_bytes);
    }
    /* 0 stands for none; old ones are gone long before the numbers return. */
    conv->last_id += conv->last_id == UINT32_MAX ? 2 : 1;
    command->write_id = conv->last_id;
    for (uint64_t granule = begin_bytes / SSD_GRANULE_BYTES;
         granule * SSD_GRANULE_BYTES < end_bytes; granule++) {
        ftl_drop(&conv->ftl, granule);
        conv->newest_id[granule] = command->write_id;
    }
    command->write = span_to_write(conv, begin_bytes, end_bytes);
    command->writes = true;
    command->next_write_idx = SSD_NONE;
    if (conv->first_write_idx == SSD_NONE) {
        conv->first_write_idx = command_idx;
    } else {
        conv->commands->at[conv->last_write_idx].next_write_idx = command_idx;
    }
    conv->last_write_idx = command_idx;
}

/*
 * The whole granules of the command's ranges, first and end, in order. Return:
 * how many there are.
 */
static uint32_t whole_granules(const Conv *conv, uint32_t command_idx,
                               Span *whole)
{
    const Span *ranges = commands_ranges(conv->commands, command_idx);
    uint32_t count = 0;

    for (uint32_t i = 0; i < conv->commands->at[command_idx].range_count; i++) {
        uint64_t first = div_round_up(ranges[i].begin_bytes, SSD_GRANULE_BYTES);
        uint32_t at = count++;

        for (; at > 0 && whole[at - 1].begin_bytes > first; at--) {
            whole[at] = whole[at - 1];
        }
        whole[at] = (Span) {
            .begin_bytes = first,
            .end_bytes = ranges[i].end_bytes / SSD_GRANULE_BYTES,
        };
    }
    return count;
}

/*
 * Only whole granules become free; the rest of a range keeps its place. However
 * many ranges name a granule, it is looked at once.
 */
static void deallocate(Conv *conv, uint32_t command_idx)
{
    Span whole[SSD_DEALLOCATE_RANGES_MAX];
    uint32_t count = whole_granules(conv, command_idx, whole);
    uint64_t granule = 0;

    for (uint32_t i = 0; i < count; i++) {
        granule = MAX(granule, whole[i].begin_bytes);
        for (; granule < whole[i].end_bytes; granule++) {
            ftl_drop(&conv->ftl, granule);
            conv->newest_id[granule] = 0;
        }
    }
}

static void read_sources(Conv *conv, uint64_t now_ns, uint32_t command_idx)
{
    const Span *ranges = commands_ranges(conv->commands, command_idx);

    for (uint32_t i = 0; i < conv->commands->at[command_idx].range_count; i++) {
        start_read(conv, now_ns, command_idx, ranges[i].begin_bytes,
                   ranges[i].end_bytes);
    }
}

void conv_start(Conv *conv, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &conv->commands->at[command_idx];
    const Span *target = &command->target;

    switch (command->done.op) {
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_COPY:
        read_sources(conv, now_ns, command_idx); /* of a copy */
        start_write(conv, now_ns, command_idx, target->begin_bytes,
                    target->end_bytes);
        break;
    case SSD_OP_DEALLOCATE:
        deallocate(conv, command_idx);
        break;
    default:
        start_read(conv, now_ns, command_idx, target->begin_bytes,
                   target->end_bytes);
        break;
    }
}

void conv_format(Conv *conv)
{
    g_assert(conv->first_write_idx == SSD_NONE);
    ftl_drop_all(&conv->ftl);
}
