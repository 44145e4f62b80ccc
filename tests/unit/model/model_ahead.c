/*
 * The dumb drive's read-ahead: rows of reads, and a list of what has been
 * fetched for each.
 *
 * Knows nothing of the drive's inside, and of zones only what the model hands
 * it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

typedef struct Waits {
    Cmd *cmd;
    uint64_t at;
    uint64_t bytes;
} Waits;

/* A stretch of a zone, as long as what is sensed at once. */
struct AheadLine {
    Row *row;       /* NULL: it has been given up */
    uint64_t at;    /* its first byte */
    bool there;
    GQueue waits;   /* Waits */
};

void model_ahead_init(Model *m)
{
    m->rows = g_new0(Row, m->p.read_ahead_streams);
}

static void give_up(Row *row)
{
    AheadLine *line;

    while ((line = g_queue_pop_head(&row->lines))) {
        line->row = NULL;
        if (line->there) {
            g_free(line);
        }
    }
}

void model_ahead_free(Model *m)
{
    for (uint32_t i = 0; i < m->p.read_ahead_streams; i++) {
        give_up(&m->rows[i]);
    }
    g_assert_cmpuint(m->fetching, ==, 0);
    g_free(m->rows);
}

/*
 * Reads of less than 4 KiB that have a row and are not done, and `now`, which
 * gets one: of zones, and of what the host wrote or still can.
 */
static unsigned parts_inside(const Model *m, const Cmd *now)
{
    unsigned count = 0;

    for (guint i = 0; i < m->cmds->len; i++) {
        const Cmd *cmd = g_ptr_array_index(m->cmds, i);

        count += (cmd->row || cmd == now) && cmd->bytes < 4096;
    }
    return count;
}

static bool continues(const Row *row, const Piece *piece)
{
    return row->reads_ever && row->zone_idx == piece->zone_idx &&
           row->next == piece->at;
}

static Row *row_for(Model *m, const Piece *piece)
{
    Row *oldest = &m->rows[0];

    for (uint32_t i = 0; i < m->p.read_ahead_streams; i++) {
        if (continues(&m->rows[i], piece)) {
            return &m->rows[i];
        }
    }
    for (uint32_t i = 1; i < m->p.read_ahead_streams; i++) {
        if (m->rows[i].seq < oldest->seq) {
            oldest = &m->rows[i];
        }
    }
    return oldest;
}

Row *model_ahead_read(Model *m, Cmd *cmd, const Piece *piece)
{
    bool lost = (cmd->bytes < 4096 && m->p.read_ahead_parts &&
                 parts_inside(m, cmd) > m->p.read_ahead_parts) ||
                (m->p.read_ahead_quiet_ns && m->wrote &&
                 m->now_ns - m->wrote_at_ns < m->p.read_ahead_quiet_ns);
    Row *row;

    if (!m->p.read_ahead_bytes || cmd->done.op != SSD_OP_READ) {
        return NULL;
    }
    row = row_for(m, piece);
    if (lost || !continues(row, piece)) {
        give_up(row);
        row->reads = 0;
        row->number = ++m->seq;
    }
    cmd->row = row;
    cmd->row_number = row->number;
    row->reads += !lost;
    row->reads_ever = true;
    row->zone_idx = piece->zone_idx;
    row->next = piece->end;
    row->seq = ++m->seq;
    return row;
}

/* Does another read wait for a page of these bytes? */
static bool is_waited_for(const Model *m, const AheadLine *line, uint64_t at,
                          uint64_t bytes)
{
    for (GList *i = line->waits.head; i; i = i->next) {
        const Waits *waits = i->data;

        if ((waits->at + waits->bytes - 1) / m->part_bytes >=
            at / m->part_bytes &&
            waits->at / m->part_bytes <= (at + bytes - 1) / m->part_bytes) {
            return true;
        }
    }
    return false;
}

bool model_ahead_serves(Model *m, Row *row, Cmd *cmd, uint64_t at,
                        uint64_t bytes)
{
    for (GList *i = row->lines.head; i; i = i->next) {
        AheadLine *line = i->data;
        Waits waits = { .cmd = cmd, .at = at, .bytes = bytes };

        if (at < line->at || at >= line->at + m->sense_bytes) {
            continue;
        }
        if (is_waited_for(m, line, at, bytes)) {
            return false;
        }
        cmd->done.ahead_bytes += bytes;
        if (line->there) {
            model_link_out(m, cmd, bytes);
        } else {
            cmd->parts++;
            g_queue_push_tail(&line->waits, g_memdup2(&waits, sizeof(waits)));
        }
        return true;
    }
    if (row->reads > m->p.read_ahead_after) {
        row->reads = 0; /* it outran its stream */
    }
    return false;
}

static void fetch(Model *m, Row *row, uint64_t at)
{
    AheadLine *line = g_new0(AheadLine, 1);

    line->row = row;
    line->at = at;
    g_queue_push_tail(&row->lines, line);
    m->fetching++;
    model_sense_line(m, line, row->zone_idx, at);
}

/* Bytes of the row's reads that have begun and are not done. */
static uint64_t outstanding(const Model *m, const Row *row)
{
    uint64_t bytes = 0;

    for (guint i = 0; i < m->cmds->len; i++) {
        const Cmd *cmd = g_ptr_array_index(m->cmds, i);

        if (cmd->row == row && cmd->row_number == row->number) {
            bytes += cmd->bytes;
        }
    }
    return bytes;
}

void model_ahead_go_on(Model *m, Row *row)
{
    uint64_t depth = m->p.read_ahead_bytes / m->sense_bytes;
    uint64_t here = row->next - row->next % m->sense_bytes;
    uint64_t window = row->next - outstanding(m, row);
    AheadLine *line;
    uint64_t at;

    window -= window % m->sense_bytes;
    while ((line = g_queue_peek_head(&row->lines)) && line->there &&
           line->at < window) {
        g_free(g_queue_pop_head(&row->lines));
    }
    line = g_queue_peek_tail(&row->lines);
    if (line && line->at + m->sense_bytes < here) {
        give_up(row);
        line = NULL;
    }
    at = line ? line->at + m->sense_bytes : here;
    while (row->reads >= m->p.read_ahead_after && row->lines.length < depth &&
           at < window + depth * m->sense_bytes &&
           m->fetching < m->p.read_ahead_streams * depth &&
           model_is_programmed(m, row->zone_idx, at)) {
        fetch(m, row, at);
        at += m->sense_bytes;
    }
}

/* It is there before those who waited go on, which may make it leave. */
void model_ahead_fetched(Model *m, AheadLine *line)
{
    GQueue all = line->waits;
    Row *row = line->row;
    Waits *waits;

    m->fetching--;
    line->there = true;
    g_queue_init(&line->waits);
    if (!row) {
        g_free(line);
    }
    while ((waits = g_queue_pop_head(&all))) {
        model_link_out(m, waits->cmd, waits->bytes);
        model_part_done(m, waits->cmd);
        g_free(waits);
    }
    if (row) {
        model_ahead_go_on(m, row);
    }
}

void model_ahead_forget(Model *m, uint32_t zone_idx)
{
    for (uint32_t i = 0; i < m->p.read_ahead_streams; i++) {
        if (m->rows[i].zone_idx == zone_idx) {
            give_up(&m->rows[i]);
            m->rows[i].reads_ever = false;
            m->rows[i].reads = 0; /* reads of it that are inside fetch none */
        }
    }
}
