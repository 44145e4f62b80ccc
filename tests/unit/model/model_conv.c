/*
 * The dumb drive's conventional namespace: what may be asked of it, reads,
 * writes into the log, and its cleaning, a row after another.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

#include <string.h>

/* --- what may be asked --------------------------------------------------- */

static bool is_out(const Rules *r, uint64_t slba, uint64_t nlb)
{
    return slba > r->zone_nlb || nlb > r->zone_nlb - slba;
}

static SsdStatus judge_copy(const Rules *r, const SsdCmd *cmd)
{
    uint64_t nlb = 0;

    for (uint32_t i = 0; i < cmd->range_count; i++) {
        nlb += cmd->ranges[i].nlb;
    }
    if (cmd->range_count > 128 || nlb > r->mdts_nlb) {
        return SSD_COMMAND_SIZE_LIMIT_EXCEEDED;
    }
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        if (cmd->ranges[i].nlb == 0) {
            return SSD_INVALID_FIELD;
        }
        if (is_out(r, cmd->ranges[i].slba, cmd->ranges[i].nlb)) {
            return SSD_LBA_OUT_OF_RANGE;
        }
    }
    if (cmd->range_count == 0) {
        return SSD_INVALID_FIELD;
    }
    return is_out(r, cmd->slba, nlb) ? SSD_LBA_OUT_OF_RANGE : SSD_SUCCESS;
}

static SsdStatus judge_deallocate(const Rules *r, const SsdCmd *cmd)
{
    if (cmd->range_count < 1 || cmd->range_count > 256) {
        return SSD_INVALID_FIELD;
    }
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        if (is_out(r, cmd->ranges[i].slba, cmd->ranges[i].nlb)) {
            return SSD_LBA_OUT_OF_RANGE;
        }
    }
    return SSD_SUCCESS;
}

SsdStatus model_conv_judge(const Rules *r, const SsdCmd *cmd)
{
    uint64_t most = r->mdts_nlb;

    switch (cmd->op) {
    case SSD_OP_FLUSH:
    case SSD_OP_IDENTIFY:
    case SSD_OP_LOG:
    case SSD_OP_FEATURE:
    case SSD_OP_SHUTDOWN:
        return SSD_SUCCESS;
    case SSD_OP_COPY:
        return judge_copy(r, cmd);
    case SSD_OP_DEALLOCATE:
        return judge_deallocate(r, cmd);
    case SSD_OP_WRITE_ZEROES:
        most = r->wzsl_nlb;
        break;
    case SSD_OP_READ:
    case SSD_OP_WRITE:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        break;
    default:
        return SSD_INVALID_OPCODE;
    }
    if (cmd->nlb == 0 || cmd->nlb > most) {
        return SSD_INVALID_FIELD;
    }
    return is_out(r, cmd->slba, cmd->nlb) ? SSD_LBA_OUT_OF_RANGE
                                          : SSD_SUCCESS;
}

Rules *model_conv_rules(const Model *m, uint32_t lba_bytes)
{
    Rules *r = g_new0(Rules, 1);

    *r = (Rules) {
        .first_zone_idx = m->log.idx,
        .lba_bytes = lba_bytes,
        .zone_nlb = m->p.conventional_bytes / lba_bytes,
        .capacity_nlb = m->p.conventional_bytes / lba_bytes,
        .mdts_nlb = m->p.mdts_bytes / lba_bytes,
        .wzsl_nlb = m->p.wzsl_bytes / lba_bytes,
    };
    return r;
}

/* --- places and pages ---------------------------------------------------- */

static uint64_t page_places(const Model *m)
{
    return m->p.page_bytes / GRANULE;
}

static uint64_t page_of(const Model *m, uint64_t place)
{
    return place % m->log.line_places / page_places(m);
}

/* Its first byte in the bytes of its line. */
static uint64_t byte_of(const Model *m, uint64_t place)
{
    return place % m->log.line_places * GRANULE;
}

/* A step on the page of a place: for a command, or else for cleaning. */
static Step step_on(Model *m, Cmd *cmd, uint64_t place)
{
    uint64_t line = place / m->log.line_places;

    if (cmd) {
        cmd->parts++;
    } else {
        m->log.pending++;
    }
    return (Step) {
        .cmd = cmd, .cleans = cmd == NULL, .zone_idx = m->log.idx,
        .superblock = m->backing->len + line, .page = page_of(m, place),
        .life = m->log.line[line].life,
    };
}

/* --- reads --------------------------------------------------------------- */

/* Bytes from `at` on of `bytes` that lie there, in one sense. */
static void sense(Model *m, Cmd *cmd, uint64_t place, uint64_t at,
                  uint64_t bytes)
{
    Step step = step_on(m, cmd, place);

    step.bytes = cmd ? bytes : 0;
    model_sense(m, step, at, at + bytes);
}

static bool is_on_flash(const Model *m, int64_t place)
{
    return place >= 0 &&
           model_log_line(m, place)->programmed[page_of(m, place)];
}

/*
 * From byte `at` on: how much of it is sensed at once, at which place? With -1
 * as that, how much of the first granule needs no sense?
 */
static uint64_t stretch(const Model *m, uint64_t at, uint64_t end,
                        int64_t *place)
{
    uint64_t to = MIN(end, at - at % GRANULE + GRANULE);
    int64_t next;

    *place = model_log_find(m, at / GRANULE);
    if (!is_on_flash(m, *place)) {
        *place = -1;
        return to - at;
    }
    next = *place + 1;
    while (to < end && byte_of(m, next) % m->sense_bytes != 0 &&
           model_log_find(m, to / GRANULE) == next) {
        to = MIN(end, to + GRANULE);
        next++;
    }
    return to - at;
}

static void start_read(Model *m, Cmd *cmd, uint64_t at, uint64_t end)
{
    while (at < end) {
        int64_t place;
        uint64_t bytes = stretch(m, at, end, &place);

        if (place < 0) {
            model_link_out(m, cmd, bytes);
        } else {
            sense(m, cmd, place, byte_of(m, place) + at % GRANULE, bytes);
        }
        at += bytes;
    }
}

/* --- the log's end ------------------------------------------------------- */

/* Granules that have come to lie side by side at the end of one page. */
typedef struct Run {
    Cmd *cmd;           /* NULL: of cleaning */
    uint64_t place;
    uint64_t count;
} Run;

static void run_out(Model *m, Run *run)
{
    uint64_t at = byte_of(m, run->place) % m->p.page_bytes;
    uint64_t to = at + run->count * GRANULE;
    Step step;

    if (run->count == 0) {
        return;
    }
    step = step_on(m, run->cmd, run->place);
    if (to == m->p.page_bytes && run->cmd) {
        step.program_seq = ++m->seq;
        model_host_program_begins(m, step.program_seq, m->log.idx, step.page);
    }
    model_put_log(m, step, at, to);
    run->count = 0;
}

/* The next place is the granule's; what it is one of goes when a page ends. */
static void put(Model *m, Run *run, uint64_t granule)
{
    uint64_t place = model_log_put(m, granule);
    bool ends_page = (place + 1) % page_places(m) == 0;

    if (run->cmd) {
        m->log.host_bytes += GRANULE;
    } else {
        m->log.moved_bytes += GRANULE;
    }
    if (m->log.buffered) {
        m->log.pending += ends_page && !run->cmd;
        model_buffer_log(m, place, ends_page, run->cmd == NULL);
        return;
    }
    if (run->count++ == 0) {
        run->place = place;
    }
    if (ends_page) {
        run_out(m, run);
    }
}

/* What a later command has replaced or forgotten takes a place in vain. */
static void put_for_host(Model *m, Run *run, uint64_t granule)
{
    put(m, run, granule);
    if (m->log.newest[granule] == run->cmd->seq) {
        m->log.newest[granule] = 0;
    } else {
        model_log_drop(m, granule);
    }
}

/* --- cleaning ------------------------------------------------------------ */

static uint64_t row_places(const Model *m)
{
    return m->unit_count * page_places(m);
}

static uint64_t victim_place(const Model *m, uint64_t i)
{
    return m->log.victim * m->log.line_places + i;
}

/* Of what is sensed at once: from the first that is valid to the last. */
static bool read_stretch(Model *m, uint64_t first)
{
    uint64_t count = m->sense_bytes / GRANULE;
    uint64_t from = first, to = first + count;

    while (from < to && *model_log_holds(m, from) < 0) {
        from++;
    }
    while (to > from && *model_log_holds(m, to - 1) < 0) {
        to--;
    }
    if (from < to) {
        sense(m, NULL, from, byte_of(m, from), (to - from) * GRANULE);
    }
    return from < to;
}

/* Return: false if nothing of the row is valid. */
static bool read_row(Model *m, uint64_t row)
{
    uint64_t step = m->sense_bytes / GRANULE;
    bool reads = false;

    for (uint64_t i = 0; i < row_places(m); i += step) {
        reads |= read_stretch(m, victim_place(m, row * row_places(m) + i));
    }
    return reads;
}

static void write_row(Model *m, uint64_t row)
{
    Run run = { 0 };

    for (uint64_t i = 0; i < row_places(m); i++) {
        int64_t granule = *model_log_holds(
            m, victim_place(m, row * row_places(m) + i));

        if (granule >= 0) {
            put(m, &run, granule);
        }
    }
    run_out(m, &run);
}

static void erase_victim(Model *m)
{
    LogLine *line = &m->log.line[m->log.victim];

    line->life++;
    memset(line->programmed, 0, m->log.line_pages);
    for (uint32_t u = 0; u < m->unit_count; u++) {
        Step step = step_on(m, NULL, victim_place(m, u * page_places(m)));

        step.kind = STEP_ERASE_END;
        step.unit = model_place(m, m->log.idx, u).unit;
        model_unit_erase(m, step.unit, m->p.erase_ns, step);
    }
}

/* Nothing of it is under way: a row has been read, or written, or none yet. */
static void clean_on(Model *m)
{
    Log *log = &m->log;

    if (log->reads) {
        log->reads = false;
        write_row(m, log->row);
        if (log->pending) {
            return;
        }
    }
    for (; log->row < m->p.pages_per_block; log->row++) {
        if (read_row(m, log->row)) {
            log->reads = true;
            return;
        }
    }
    log->erases = true;
    erase_victim(m);
}

static void clean_begin(Model *m)
{
    if (m->log.victim < 0) {
        m->log.victim = model_log_victim(m);
        m->log.row = 0;
        if (m->log.victim >= 0) {
            clean_on(m);
        }
    }
}

void model_conv_cleaned(Model *m)
{
    m->log.erase_count += m->log.erases;
    if (--m->log.pending) {
        return;
    }
    if (!m->log.erases) {
        clean_on(m);
        return;
    }
    model_log_erased(m, m->log.victim);
    m->log.erases = false;
    m->log.victim = -1;
    model_conv_go_on(m);
}

/* --- writes -------------------------------------------------------------- */

/* Places for the host: a line stays free, and so does what is promised. */
static uint64_t host_places(const Model *m)
{
    uint64_t kept = m->log.line_places + m->log.promised;
    uint64_t all = model_log_free_places(m);

    return all > kept ? all - kept : 0;
}

/* Return: has all of the write a place? */
static bool write_now(Model *m, Cmd *cmd)
{
    Run run = { .cmd = cmd };

    while (cmd->write.at < cmd->write.end && host_places(m) > 0) {
        put_for_host(m, &run, cmd->write.at / GRANULE);
        cmd->write.at += GRANULE;
    }
    run_out(m, &run);
    return cmd->write.at >= cmd->write.end;
}

/* The same through the buffer: all that has a promise comes in. */
static bool send(Model *m, Cmd *cmd)
{
    uint64_t left = (cmd->log_end - cmd->write.end) / GRANULE;
    uint64_t places = MIN(left, host_places(m));

    if (places > 0) {
        cmd->parts++;
        cmd->write.end += places * GRANULE;
        m->log.promised += places;
        model_buffer_write(m, cmd);
        model_buffer_take_in(m);
    }
    return places == left;
}

/* A write begins when all that it reads is there; then only places count. */
static bool may_go(const Cmd *cmd, bool buffered)
{
    return cmd && (cmd->parts == 0 || (cmd->log_begun && !buffered));
}

void model_conv_go_on(Model *m)
{
    Log *log = &m->log;
    bool moves = may_go(g_queue_peek_head(&log->writes), log->buffered);

    while (may_go(g_queue_peek_head(&log->writes), log->buffered)) {
        Cmd *cmd = g_queue_peek_head(&log->writes);

        cmd->log_begun = true;
        if (!(log->buffered ? send(m, cmd) : write_now(m, cmd))) {
            break;
        }
        g_queue_pop_head(&log->writes);
        cmd->writes = false;
    }
    if (moves && model_log_free_places(m) <
                 2 * log->line_places + log->promised) {
        clean_begin(m);
    }
}

/* All of it is there: nothing is left to be let in, or promised. */
static bool is_there(const Model *m, const Cmd *cmd)
{
    return !m->log.buffered || cmd->log_at == cmd->log_end;
}

static void put_portion(Model *m, const Portion *portion)
{
    Cmd *cmd = portion->cmd;
    Run run = { .cmd = cmd };

    model_buffer_log_arrives(m, portion->bytes);
    for (uint64_t i = 0; i < portion->bytes / GRANULE; i++) {
        m->log.promised--;
        put_for_host(m, &run, cmd->log_at / GRANULE);
        cmd->log_at += GRANULE;
    }
    model_buffer_take_in(m);
}

void model_conv_arrived(Model *m, const Portion *portion)
{
    Cmd *cmd = portion->cmd;

    if (m->log.buffered) {
        put_portion(m, portion);
    }
    if (portion->last) {
        if (is_there(m, cmd)) {
            model_front_again(m, cmd);
        }
        model_part_done(m, cmd);
    }
}

uint64_t model_conv_carried(const Model *m, const Cmd *cmd, uint64_t bytes)
{
    uint64_t to = cmd->write.at + cmd->let_in, at = to - bytes;

    return m->log.buffered ? MIN(to, cmd->target.end) -
                             MAX(at, cmd->target.at)
                           : bytes;
}

static void read_for_write(Model *m, Cmd *cmd)
{
    uint64_t first = cmd->target.at / GRANULE * GRANULE;
    uint64_t last = (cmd->target.end - 1) / GRANULE * GRANULE;
    bool whole = cmd->target.end % GRANULE == 0;

    if (cmd->target.at > first) {
        start_read(m, cmd, first, first + GRANULE);
    }
    if (!whole && !(last == first && cmd->target.at > first)) {
        start_read(m, cmd, last, last + GRANULE);
    }
}

static void queue_write(Model *m, Cmd *cmd)
{
    uint64_t first = cmd->target.at / GRANULE;
    uint64_t end = (cmd->target.end + GRANULE - 1) / GRANULE;

    read_for_write(m, cmd);
    for (uint64_t i = first; i < end; i++) {
        model_log_drop(m, i);
        m->log.newest[i] = cmd->seq;
    }
    cmd->write = (Piece) {
        .zone_idx = m->log.idx, .at = first * GRANULE,
        .end = (m->log.buffered ? first : end) * GRANULE,
    };
    cmd->log_at = first * GRANULE;
    cmd->log_end = end * GRANULE;
    cmd->writes = true;
    g_queue_push_tail(&m->log.writes, cmd);
    if (m->p.link_in_ns && !m->log.buffered) {
        cmd->parts++;
        model_link_in(m, cmd, cmd->bytes, true);
    }
}

static void deallocate(Model *m, const Piece *piece)
{
    uint64_t i = (piece->at + GRANULE - 1) / GRANULE;

    for (; (i + 1) * GRANULE <= piece->end; i++) {
        model_log_drop(m, i);
        m->log.newest[i] = 0;
    }
}

void model_conv_begin(Model *m, Cmd *cmd)
{
    for (guint i = 0; i < cmd->reads->len; i++) {
        const Piece *piece = &g_array_index(cmd->reads, Piece, i);

        if (cmd->done.op == SSD_OP_DEALLOCATE) {
            deallocate(m, piece);
        } else {
            start_read(m, cmd, piece->at, piece->end);
        }
    }
    if (cmd->target.end > cmd->target.at) {
        queue_write(m, cmd);
    }
}

/* A page of the log has been programmed. */
static void page_programmed(Model *m, const Step *step)
{
    LogLine *line = &m->log.line[step->superblock - m->backing->len];

    m->log.program_count++;
    line->programmed[step->page] = 1;
    for (uint64_t i = 0; i < m->log.line_pages; i++) {
        if (!line->programmed[i]) {
            return;
        }
    }
    model_conv_go_on(m);
}

/* What goes on in the log comes before who waits for programs. */
void model_conv_program_end(Model *m, const Step *step)
{
    page_programmed(m, step);
    if (step->buffered) {
        model_buffer_programmed(m, step);
    }
    if (step->program_seq) {
        model_host_program_ended(m, step->program_seq);
    }
    if (step->cleans) {
        model_conv_cleaned(m);
    }
    if (step->cmd) {
        model_part_done(m, step->cmd);
    }
    model_check_flushes(m);
}

void model_conv_plan(Cmd *cmd, const SsdCmd *what, const Rules *r)
{
    Piece piece = {
        .zone_idx = r->first_zone_idx, .at = what->slba * r->lba_bytes,
        .end = (what->slba + cmd->nlb) * r->lba_bytes,
    };

    cmd->conventional = true;
    if (what->op == SSD_OP_READ || what->op == SSD_OP_VERIFY ||
        what->op == SSD_OP_COMPARE) {
        g_array_append_val(cmd->reads, piece);
    } else if (cmd->host_io) {
        cmd->target = piece;
    }
    for (uint32_t i = 0; i < what->range_count &&
         (what->op == SSD_OP_COPY || what->op == SSD_OP_DEALLOCATE); i++) {
        const SsdRange *range = &what->ranges[i];

        piece.at = range->slba * r->lba_bytes;
        piece.end = (range->slba + range->nlb) * r->lba_bytes;
        g_array_append_val(cmd->reads, piece);
    }
}

char *model_conv_stats(const Model *m)
{
    return g_strdup_printf("\"conventional\":{\"host_bytes\":%" G_GUINT64_FORMAT
                           ",\"moved_bytes\":%" G_GUINT64_FORMAT
                           ",\"programs\":%" G_GUINT64_FORMAT
                           ",\"erases\":%" G_GUINT64_FORMAT "}",
                           m->log.host_bytes, m->log.moved_bytes,
                           m->log.program_count, m->log.erase_count);
}
