/*
 * The dumb drive's way in and out: front end, read slots, host link, and the
 * latency that occupies nothing.
 *
 * Knows nothing of the drive's inside; of its random numbers, the function that
 * makes them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"
#include "base/draw.h"

/* --- what a command costs ------------------------------------------------ */

/* The first of these that a write is of says what it costs. */
typedef enum Size {
    SIZE_PART,      /* of 4 KiB, if that has costs of its own */
    SIZE_LBA512,    /* small, in blocks of 512 bytes; likewise */
    SIZE_SMALL,
    SIZE_LARGE,
} Size;

static Size size_of(const SsdParams *p, uint64_t bytes, uint32_t lba_bytes)
{
    if (p->fe_part_ns && bytes < 4096) {
        return SIZE_PART;
    }
    if (p->fe_lba512_ns && bytes < p->fe_small_bytes && lba_bytes == 512) {
        return SIZE_LBA512;
    }
    return bytes < p->fe_small_bytes ? SIZE_SMALL : SIZE_LARGE;
}

/* A number for the next write to the zone, counted over all its lives. */
static uint64_t draw_next(const Model *m, DrawKind kind, uint32_t zone_idx)
{
    return draw_bits(m->p.seed, kind,
                     zone_idx == m->log.idx ? UINT32_MAX : zone_idx,
                     m->writes_ever[zone_idx]);
}

/* A pause of its own kind: does it come, and how long is it? */
static uint64_t pause_ns(const Model *m, uint32_t zone_idx, uint32_t permille,
                         uint64_t mean_ns)
{
    if (draw_below(draw_next(m, DRAW_PAUSES, zone_idx), 1000) >= permille) {
        return 0;
    }
    return draw_exponential(draw_next(m, DRAW_PAUSE, zone_idx), mean_ns);
}

/* Parts of this length that fit in front of it into its 4 KiB. */
static uint64_t count_parts_before(const Rules *rules, const SsdCmd *what,
                                   uint64_t bytes)
{
    uint64_t lba = what->slba, count = 0;

    if (what->op == SSD_OP_APPEND && rules->zone_count) {
        lba += rules->zone[what->slba / rules->zone_nlb].written_nlb;
    }
    for (uint64_t at = lba * rules->lba_bytes;
         bytes != 0 && at / 4096 * 4096 + bytes <= at; at -= bytes) {
        count++;
    }
    return count;
}

static void cost_of_write(const Model *m, Cmd *cmd, uint32_t zone_idx,
                          bool append, uint64_t parts_before, Size size)
{
    const SsdParams *p = &m->p;
    uint64_t fixed_ns = append ? p->fixed_append_ns : p->fixed_write_ns;
    uint64_t work_ns, after_permille = p->fe_after_permille;

    switch (size) {
    case SIZE_PART:
        work_ns = p->fe_part_ns + parts_before * p->fe_part_merge_ns +
                  pause_ns(m, zone_idx, p->fe_part_pause_permille,
                           p->fe_part_pause_ns);
        after_permille = 1000;
        break;
    case SIZE_LBA512:
        work_ns = p->fe_lba512_ns +
                  pause_ns(m, zone_idx, p->fe_lba512_pause_permille,
                           p->fe_lba512_pause_ns);
        fixed_ns += p->fixed_lba512_ns;
        break;
    case SIZE_SMALL:
        work_ns = append && p->fe_small_append_ns != 0
                  ? p->fe_small_append_ns : p->fe_small_write_ns;
        fixed_ns += p->fixed_small_ns;
        break;
    default:
        work_ns = append && p->fe_append_ns != 0 ? p->fe_append_ns
                                                 : p->fe_write_ns;
        break;
    }
    if (size == SIZE_SMALL || size == SIZE_LARGE) {
        cmd->again_ns = append ? p->fe_append_arrived_ns
                               : p->fe_write_arrived_ns;
    }
    cmd->after_ns = work_ns * after_permille / 1000;
    cmd->before_ns = work_ns - cmd->after_ns;
    cmd->fixed_ns = fixed_ns;
    if (p->fe_after_random && size != SIZE_PART) {
        cmd->after_ns = draw_exponential(draw_next(m, DRAW_FRONT_AFTER,
                                                   zone_idx), cmd->after_ns);
    }
}

static void add_opening(const SsdParams *p, Cmd *cmd, const SsdCmd *what,
                        const Rules *rules)
{
    uint64_t z = what->slba / rules->zone_nlb;

    if (rules->zone[z].state == SSD_ZONE_EMPTY) {
        cmd->before_ns += p->fe_first_write_ns;
    } else if (rules->zone[z].state == SSD_ZONE_CLOSED) {
        cmd->before_ns += p->fe_closed_write_ns;
    }
}

/* Is it one of those that are numbered? */
static bool is_numbered(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES ||
           op == SSD_OP_COPY || op == SSD_OP_APPEND;
}

void model_front_count(Model *m, const SsdCmd *what, const Rules *rules)
{
    if (is_numbered(what->op)) {
        m->writes_ever[rules->first_zone_idx + what->slba /
                       rules->zone_nlb]++;
    }
}

void model_front_cost(Model *m, Cmd *cmd, const SsdCmd *what,
                      const Rules *rules, uint64_t nlb)
{
    const SsdParams *p = &m->p;
    uint64_t table_idx = what->slba / rules->zone_nlb;

    switch (what->op) {
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        cmd->before_ns = rules->lba_bytes == 512 && p->fe_lba512_read_ns
                         ? p->fe_lba512_read_ns : p->fe_read_ns;
        cmd->fixed_ns = p->fixed_read_ns + nlb * rules->lba_bytes *
                        p->fixed_read_size_ns / SSD_MIB;
        break;
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_COPY:
    case SSD_OP_APPEND:
        if (rules->first_zone_idx == m->log.idx) {
            table_idx = 0;
        } else if (table_idx >= rules->zone_count) {
            break;
        }
        cost_of_write(m, cmd, rules->first_zone_idx + table_idx,
                      what->op == SSD_OP_APPEND,
                      count_parts_before(rules, what, nlb * rules->lba_bytes),
                      size_of(p, nlb * rules->lba_bytes, rules->lba_bytes));
        if (rules->first_zone_idx != m->log.idx) {
            add_opening(p, cmd, what, rules);
        }
        if ((what->op == SSD_OP_WRITE || what->op == SSD_OP_APPEND) &&
            nlb * rules->lba_bytes > 8192) {
            cmd->fixed_ns += p->fixed_list_ns;
        }
        break;
    case SSD_OP_FLUSH:
    case SSD_OP_SHUTDOWN:
        break;
    case SSD_OP_ZONE_CLOSE:
        cmd->before_ns = p->fe_close_ns;
        break;
    case SSD_OP_ZONE_FINISH:
        cmd->before_ns = p->fe_finish_ns;
        break;
    case SSD_OP_ZONE_RESET:
        cmd->before_ns = p->fe_reset_ns;
        break;
    case SSD_OP_ZONE_REPORT:
        cmd->before_ns = p->fe_report_ns + what->nlb * p->fe_report_zone_ns;
        cmd->passes = !p->fe_report_ns && !p->fe_report_zone_ns;
        break;
    case SSD_OP_IDENTIFY:
        cmd->before_ns = p->fe_identify_ns;
        cmd->passes = !p->fe_identify_ns;
        break;
    case SSD_OP_LOG:
        cmd->before_ns = p->fe_log_ns;
        cmd->passes = !p->fe_log_ns;
        break;
    case SSD_OP_FEATURE:
        cmd->before_ns = p->fe_feature_ns;
        cmd->passes = !p->fe_feature_ns;
        break;
    default:
        cmd->before_ns = p->fe_open_ns;
        break;
    }
}

/* --- the front end ------------------------------------------------------- */

static void take_in_first(Model *m)
{
    Cmd *cmd = g_queue_peek_head(&m->front);

    if (cmd) {
        m->front_due_ns = MAX(MAX(m->now_ns, m->front_free_ns),
                              m->again_free_ns) + cmd->before_ns;
        model_add_step(m, (Step) {
            .kind = STEP_HAND_OFF, .cmd = cmd, .at_ns = m->front_due_ns,
        });
    }
}

static void enter(Model *m, Cmd *cmd)
{
    cmd->entered = true;
    g_queue_push_tail(&m->front, cmd);
    if (m->front.length == 1) {
        take_in_first(m);
    }
}

static bool is_part_read(const Cmd *cmd)
{
    return cmd->takes_slot && cmd->bytes < 4096 && !cmd->conventional;
}

static uint32_t zone_of_read(const Cmd *cmd)
{
    return g_array_index(cmd->reads, Piece, 0).zone_idx;
}

/* It keeps its slot as long as a part before it in its zone is inside. */
static bool keeps_slot(const Model *m, const PartRead *part)
{
    for (guint i = 0; i < m->cmds->len; i++) {
        const Cmd *cmd = g_ptr_array_index(m->cmds, i);

        if (is_part_read(cmd) && cmd->entered && cmd->seq < part->seq &&
            zone_of_read(cmd) == part->zone_idx) {
            return true;
        }
    }
    return false;
}

void model_front_ends(Model *m, const Cmd *cmd)
{
    if (is_part_read(cmd)) {
        PartRead *part = g_new(PartRead, 1);

        *part = (PartRead) {
            .seq = cmd->seq,
            .nsid = cmd->done.nsid,
            .zone_idx = zone_of_read(cmd),
        };
        g_queue_push_tail(&m->kept, part);
    }
}

/* Of a namespace, or with 0 of all: those of reads inside, and what is kept */
static unsigned slots_of(const Model *m, uint32_t nsid)
{
    unsigned count = 0;

    for (guint i = 0; i < m->cmds->len; i++) {
        const Cmd *cmd = g_ptr_array_index(m->cmds, i);

        count += cmd->takes_slot && cmd->entered &&
                 (nsid == 0 || cmd->done.nsid == nsid);
    }
    for (GList *at = m->kept.head; at; at = at->next) {
        const PartRead *part = at->data;

        count += (nsid == 0 || part->nsid == nsid) && keeps_slot(m, part);
    }
    return count;
}

static unsigned slots_taken(const Model *m)
{
    return slots_of(m, 0);
}

/* May it come in beside the others of more than two pages? */
static bool has_list(const Model *m, const Cmd *cmd)
{
    unsigned count = 0;

    for (guint i = 0; i < m->cmds->len; i++) {
        const Cmd *other = g_ptr_array_index(m->cmds, i);

        count += other->takes_slot && other->entered && other->bytes > 8192;
    }
    return m->p.read_lists == 0 || cmd->bytes <= 8192 ||
           count < m->p.read_lists;
}

/* Each namespace has one of its own; may this one have one more? */
static bool has_slot(const Model *m, uint32_t nsid, const Cmd *cmd)
{
    unsigned kept = 0;

    for (uint32_t other = 1; other <= m->ns_count; other++) {
        kept += other != nsid && slots_of(m, other) == 0;
    }
    return slots_of(m, nsid) == 0 ||
           (slots_taken(m) + kept < m->p.read_slots && has_list(m, cmd));
}

/* The read that is next to have a slot, or NULL. */
static const Cmd *next_slotless(const Model *m)
{
    int group = model_turns_group(&m->read_turns);

    return group < 0 ? m->slotless.head ? m->slotless.head->data : NULL
                     : g_queue_peek_head(
                           &model_turns_line(&m->read_turns, group)->waiting);
}

static void enter_in_turn(Model *m)
{
    int group;

    for (uint32_t i = 0; i < m->ns_count; i++) {
        if (slots_of(m, i + 1) == 0 &&
            model_turns_group_waits(&m->read_turns, i)) {
            enter(m, model_turns_step(&m->read_turns, i, true));
        }
    }
    while ((group = model_turns_group(&m->read_turns)) >= 0 &&
           has_slot(m, group + 1, next_slotless(m))) {
        enter(m, model_turns_step(&m->read_turns, group, true));
    }
}

/*
 * Writes that wait for room have slots, too, where writes can hold up others;
 * one read is always inside.
 */
static bool one_has_slot(Model *m, const Cmd *cmd)
{
    return slots_taken(m) == 0 ||
           (slots_taken(m) + model_buffer_waiters(m) < m->p.read_slots &&
            has_list(m, cmd));
}

void model_front_enter(Model *m, Cmd *cmd)
{
    if (cmd->passes) {
        model_begin(m, cmd);
    } else if (m->p.take_turns && cmd->takes_slot &&
               (model_turns_group_waits(&m->read_turns, cmd->done.nsid - 1) ||
                !has_slot(m, cmd->done.nsid, cmd))) {
        model_turns_wait(&m->read_turns,
                         g_array_index(cmd->reads, Piece, 0).zone_idx, cmd);
    } else if (!m->p.take_turns && cmd->takes_slot &&
               (m->slotless.length || !one_has_slot(m, cmd))) {
        g_queue_push_tail(&m->slotless, cmd);
    } else {
        enter(m, cmd);
    }
}

static void forget_kept(Model *m)
{
    GList *at = m->kept.head;

    while (at) {
        GList *next = at->next;

        if (!keeps_slot(m, at->data)) {
            g_free(at->data);
            g_queue_delete_link(&m->kept, at);
        }
        at = next;
    }
}

void model_front_left(Model *m)
{
    forget_kept(m);
    while (m->slotless.length &&
           one_has_slot(m, g_queue_peek_head(&m->slotless))) {
        enter(m, g_queue_pop_head(&m->slotless));
    }
    if (m->p.take_turns) {
        enter_in_turn(m);
    }
}

/* Goes on with the next, then the first one's work begins. */
static void let_first_go(Model *m)
{
    Cmd *cmd = g_queue_pop_head(&m->front);

    m->front_held = false;
    m->front_free_ns = m->now_ns + cmd->after_ns;
    take_in_first(m);
    model_begin(m, cmd);
}

static bool is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES ||
           op == SSD_OP_APPEND || op == SSD_OP_COPY;
}

/*
 * Behind all that is for others who have arrived, and what the front end is at;
 * if its first command is due it is at nothing.
 */
void model_front_again(Model *m, Cmd *cmd)
{
    const Cmd *first = g_queue_peek_head(&m->front);
    uint64_t free_ns = m->front_free_ns;

    if (first) {
        free_ns = m->front_due_ns > m->now_ns
                  ? m->front_due_ns + first->after_ns : m->now_ns;
    }
    if (cmd->again_ns) {
        m->again_free_ns = MAX(MAX(m->now_ns, free_ns), m->again_free_ns) +
                           cmd->again_ns;
        cmd->again_until_ns = m->again_free_ns;
    }
}

/* A write that finds so many that wait for room stays where it is. */
void model_hand_off(Model *m)
{
    const Cmd *cmd = g_queue_peek_head(&m->front);

    m->front_held = is_write(cmd->done.op) && m->p.write_buffer_bytes &&
                    model_buffer_waiters(m) >= m->p.buffer_waiters;
    if (!m->front_held) {
        let_first_go(m);
    }
}

void model_front_try(Model *m)
{
    if (m->front_held &&
        model_buffer_waiters(m) <= m->p.buffer_resume_waiters) {
        let_first_go(m);
    }
}

/* --- the host link ------------------------------------------------------- */

static uint64_t cross(const Model *m, uint64_t *busy_ns, uint64_t bytes,
                      uint64_t mib_ns)
{
    *busy_ns = MAX(*busy_ns, m->now_ns) + bytes * mib_ns / SSD_MIB;
    return *busy_ns;
}

/* The end of a crossing is known when the one before it is over. */
static void await_first(Model *m)
{
    const Portion *first = g_queue_peek_head(&m->link);

    if (first) {
        model_add_step(m, (Step) {
            .kind = STEP_ARRIVED, .at_ns = first->at_ns,
        });
    }
}

/* Who asks for data has to wait until those of reads have gone. */
static uint64_t asked(Model *m, uint64_t bytes)
{
    if (m->p.link_in_ns) {
        m->link_in_ns = MAX(m->link_in_ns, m->link_out_ns);
    }
    return cross(m, &m->link_in_ns, bytes, m->p.link_in_ns);
}

void model_link_in(Model *m, Cmd *cmd, uint64_t bytes, bool last)
{
    bool carries = cmd->done.op == SSD_OP_WRITE ||
                   cmd->done.op == SSD_OP_APPEND;
    Portion portion = { .cmd = cmd, .bytes = bytes, .last = last };

    if (cmd->conventional) {
        bytes = model_conv_carried(m, cmd, bytes);
    }
    portion.at_ns = carries ? asked(m, bytes)
                            : cross(m, &m->link_in_ns, 0, 0);
    g_queue_push_tail(&m->link, g_memdup2(&portion, sizeof(portion)));
    if (m->link.length == 1) {
        await_first(m);
    }
}

void model_link_arrived(Model *m)
{
    g_autofree Portion *first = g_queue_pop_head(&m->link);

    await_first(m);
    model_arrived(m, first);
}

void model_link_compare(Model *m, Cmd *cmd)
{
    if (m->p.link_in_ns) {
        cmd->link_until_ns = asked(m, cmd->bytes);
    }
}

void model_link_out(Model *m, Cmd *cmd, uint64_t bytes)
{
    if (cmd->done.op == SSD_OP_READ && m->p.link_out_ns) {
        cmd->link_until_ns = cross(m, &m->link_out_ns, bytes,
                                   m->p.link_out_ns);
    }
}
