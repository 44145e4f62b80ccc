/*
 * Gives the commands of a trace to a new drive and compares what becomes of
 * them with the trace.
 *
 * Knows nothing of files, or of what it is done for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/drive.h"
#include "player.h"

/*
 * A command that has not yet completed both in the trace and in the drive
 * here. Once both completions are known they are compared, and it is freed.
 */
struct Pending {
    uint64_t seq;
    SsdCmd cmd;
    uint64_t at_ns;
    bool here_done;  /* `here` holds the completion of the drive here */
    bool trace_done; /* `there` holds the completion in the trace */
    bool unequal;    /* already counted as different: no comparison */
    SsdDone here;
    SsdTraceRecord there;
};


static void free_all_tags(Player *player)
{
    player->free_count = ssd_params(player->ssd)->cmd_slots;
    for (uint32_t i = 0; i < player->free_count; i++) {
        player->free_tags[i] = player->free_count - 1 - i;
    }
}

void player_init(Player *player, const SsdParams *params)
{
    memset(player, 0, sizeof(*player));
    player->ssd = ssd_new(params);
    player->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                            g_free);
    player->by_tag = g_new0(Pending *, params->cmd_slots);
    player->free_tags = g_new0(uint32_t, params->cmd_slots);
    free_all_tags(player);
}

void player_clear(Player *player)
{
    ssd_free(player->ssd);
    g_hash_table_unref(player->pending);
    g_free(player->by_tag);
    g_free(player->free_tags);
}

G_GNUC_PRINTF(3, 4)
static void differ(Player *player, const Pending *p, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    if (player->different_count++ >= PLAYER_MAX_SHOWN) {
        return;
    }
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    printf("command %" PRIu64 " (%s%s, namespace %" PRIu32 ", LBA %" PRIu64
           ", %" PRIu32 " blocks, submitted at %" PRIu64 " ns): %s\n", p->seq,
           ssd_op_name(p->cmd.op), p->cmd.select_all ? " all" : "",
           p->cmd.nsid, p->cmd.slba, p->cmd.nlb, p->at_ns, text);
}

static void compare(Player *player, const Pending *p)
{
    const SsdDone *here = &p->here;
    const SsdTraceRecord *there = &p->there;

    player->completed_count++;
    if (here->due_at_ns != there->at_ns) {
        differ(player, p, "due at %" PRIu64 " ns in the trace, at %" PRIu64
               " ns here", there->at_ns, here->due_at_ns);
    } else if (here->status != there->status) {
        differ(player, p, "status 0x%03x (%s) in the trace, 0x%03x (%s) here",
               there->status, sim_status_text(there->status), here->status,
               sim_status_text(here->status));
    } else if (here->result != there->result) {
        differ(player, p, "result %" PRIu64 " in the trace, %" PRIu64 " here",
               there->result, here->result);
    } else if (here->ahead_bytes != there->ahead_bytes) {
        differ(player, p, "%" PRIu64 " bytes read ahead in the trace, %" PRIu64
               " here", there->ahead_bytes, here->ahead_bytes);
    }
}

/* Compare and free the command if both its completions are known. */
static void settle(Player *player, Pending *p)
{
    if (p->here_done && p->trace_done) {
        if (!p->unequal) {
            compare(player, p);
        }
        g_hash_table_remove(player->pending, &p->seq);
    }
}

void player_run(Player *player, uint64_t now_ns)
{
    SsdDone done;

    player->now_ns = now_ns;
    while (ssd_poll(player->ssd, now_ns, &done, 1) > 0) {
        Pending *p = player->by_tag[done.tag];

        player->free_tags[player->free_count++] = done.tag;
        p->here = done;
        p->here_done = true;
        settle(player, p);
    }
}

G_GNUC_PRINTF(2, 3)
static bool damaged(GError **error, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "the trace makes no sense: %s",
                text);
    return false;
}

static bool player_submit(Player *player, const SsdTraceRecord *record,
                          GError **error)
{
    uint32_t tag;
    SsdAccept accept;
    Pending *p;

    player_run(player, record->at_ns);
    if (!ssd_has_room(player->ssd)) {
        return damaged(error, "command %" PRIu64 " is submitted while "
                       "cmd-slots=%" PRIu32 " commands are inside",
                       record->seq, ssd_params(player->ssd)->cmd_slots);
    }
    tag = player->free_tags[player->free_count - 1];
    accept = ssd_submit(player->ssd, record->at_ns, &record->cmd, tag);
    player->submitted_count++;

    p = g_new0(Pending, 1);
    p->seq = record->seq;
    p->cmd = record->cmd;
    p->at_ns = record->at_ns;
    if (accept.status != record->status) {
        differ(player, p, "status 0x%03x (%s) at once in the trace, 0x%03x "
               "(%s) here", record->status, sim_status_text(record->status),
               accept.status, sim_status_text(accept.status));
        p->unequal = true;
    }
    p->here_done = accept.status != SSD_SUCCESS;
    p->trace_done = record->status != SSD_SUCCESS;
    if (!p->here_done) {
        player->by_tag[tag] = p;
        player->free_count--;
    }
    if (p->here_done && p->trace_done) {
        g_free(p);
        return true;
    }
    g_hash_table_insert(player->pending, &p->seq, p);
    return true;
}

/* Return: the command that a C (completed) or X (discarded) record is about. */
static Pending *find_open(Player *player, const SsdTraceRecord *record,
                          GError **error)
{
    Pending *p = g_hash_table_lookup(player->pending, &record->seq);

    if (!p || p->trace_done) {
        damaged(error, "command %" PRIu64 " completes or is discarded, but "
                "was rejected or is already done with", record->seq);
        return NULL;
    }
    return p;
}

static bool player_done(Player *player, const SsdTraceRecord *record,
                        GError **error)
{
    Pending *p = find_open(player, record, error);

    if (!p) {
        return false;
    }
    p->there = *record;
    p->trace_done = true;
    settle(player, p);
    return true;
}

static bool player_discard(Player *player, const SsdTraceRecord *record,
                           GError **error)
{
    Pending *p = find_open(player, record, error);

    if (!p) {
        return false;
    }
    p->unequal = true; /* a discard has no completion time to compare */
    p->trace_done = true;
    settle(player, p);
    return true;
}

static int compare_seq(const void *a, const void *b)
{
    const Pending *first = a, *second = b;

    return (first->seq > second->seq) - (first->seq < second->seq);
}

/*
 * A command that never completed in the trace, but has completed here. The two
 * differ if it was due here before end_at_ns, where the trace ends.
 */
static void judge_leftover(Player *player, const Pending *p, uint64_t end_at_ns)
{
    if (!p->unequal && p->here.due_at_ns < end_at_ns) {
        differ(player, p, "never completed in the trace, due at %" PRIu64
               " ns here", p->here.due_at_ns);
    }
}

void player_end(Player *player, uint64_t end_at_ns)
{
    g_autoptr(GList) left = NULL;

    while (ssd_inflight(player->ssd) > 0) {
        player_run(player, MAX(player->now_ns, ssd_next_at_ns(player->ssd)));
    }
    left = g_list_sort(g_hash_table_get_values(player->pending), compare_seq);
    for (const GList *item = left; item; item = item->next) {
        judge_leftover(player, item->data, end_at_ns);
    }
}

static bool player_zone_fail(Player *player, const SsdTraceRecord *record,
                             GError **error)
{
    player_run(player, record->at_ns);
    return ssd_zone_fail(player->ssd, record->at_ns, record->nsid,
                         record->zone_idx, record->state) ||
           damaged(error, "zone %" PRIu32 " fails at %" PRIu64 " ns, but was "
                   "as bad already", record->zone_idx, record->at_ns);
}

/* Return: how many commands are inside the namespaces to be formatted. */
static unsigned formatted_inflight(const Player *player, uint32_t nsid)
{
    return nsid == SSD_NSID_ALL ? ssd_inflight(player->ssd)
                                : ssd_ns_inflight(player->ssd, nsid);
}

static bool player_format(Player *player, const SsdTraceRecord *record,
                          GError **error)
{
    g_autoptr(GError) wrong = NULL;

    player_run(player, record->at_ns);
    if (formatted_inflight(player, record->nsid) > 0) {
        return damaged(error, "the drive is formatted at %" PRIu64 " ns with "
                       "%u commands inside", record->at_ns,
                       formatted_inflight(player, record->nsid));
    }
    return ssd_format(player->ssd, record->at_ns, record->nsid,
                      record->lba_bytes, &wrong) ||
           damaged(error, "the drive is formatted at %" PRIu64 " ns: %s",
                   record->at_ns, wrong->message);
}

/*
 * At a power cut: compare and forget the commands inside the drive. None of
 * them completes any more.
 */
static bool forget_inside(Player *player, uint64_t at_ns, GError **error)
{
    g_autoptr(GList) left = g_list_sort(
        g_hash_table_get_values(player->pending), compare_seq);

    for (const GList *item = left; item; item = item->next) {
        Pending *p = item->data;

        if (!p->trace_done && !p->here_done) {
            return damaged(error, "the power goes at %" PRIu64 " ns, and "
                           "command %" PRIu64 " is neither done nor discarded",
                           at_ns, p->seq);
        }
        if (!p->here_done && !p->unequal) {
            differ(player, p, "done at %" PRIu64 " ns in the trace, lost with "
                   "the power at %" PRIu64 " ns here", p->there.at_ns, at_ns);
        } else if (p->here_done) {
            judge_leftover(player, p, at_ns + 1);
        }
        g_hash_table_remove(player->pending, &p->seq);
    }
    return true;
}

static bool player_power_cut(Player *player, const SsdTraceRecord *record,
                             GError **error)
{
    Ssd *next;

    player_run(player, record->at_ns);
    if (!forget_inside(player, record->at_ns, error)) {
        return false;
    }
    next = ssd_power_cut(player->ssd, record->at_ns, record->seed);
    ssd_free(player->ssd);
    player->ssd = next;
    player->now_ns = ssd_now_ns(next);
    free_all_tags(player);
    return true;
}

bool player_record(Player *player, const SsdTraceRecord *record,
                   GError **error)
{
    switch (record->kind) {
    case SSD_TRACE_SUBMIT:
        return player_submit(player, record, error);
    case SSD_TRACE_DONE:
        return player_done(player, record, error);
    case SSD_TRACE_DISCARD:
        return player_discard(player, record, error);
    case SSD_TRACE_ZONE_FAIL:
        return player_zone_fail(player, record, error);
    case SSD_TRACE_FORMAT:
        return player_format(player, record, error);
    case SSD_TRACE_POWER_CUT:
        return player_power_cut(player, record, error);
    case SSD_TRACE_END:
        player_run(player, MAX(player->now_ns, record->at_ns));
        return true;
    }
    g_assert_not_reached();
}

unsigned player_open_count(const Player *player)
{
    GHashTableIter iter;
    gpointer pending;
    unsigned count = 0;

    g_hash_table_iter_init(&iter, player->pending);
    while (g_hash_table_iter_next(&iter, NULL, &pending)) {
        count += !((Pending *)pending)->trace_done;
    }
    return count;
}
