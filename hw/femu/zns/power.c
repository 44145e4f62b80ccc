/*
 * Power goes, and comes back: what becomes of each zone, and how a new drive's
 * rooms below have it then.
 *
 * Knows nothing of the front end, conventional namespaces, or completions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/draw.h"
#include "zns_internal.h"

/*
 * What the host has been told of stays: the buffer, the page-assembly registers
 * and ZRWAs are protected. (With a volatile cache only ZRWAs are: see below.) Of
 * what was under way chance decides:
 *
 *  - writes that were inside at the end of the zone's data are there up to some
 *    block, not below what has come into the buffer or is programmed;
 *  - a finish or reset that is the last of what was asked of the zone, and was
 *    inside, has been done or has not, unless its erases have begun;
 *  - all that came before something else that was asked of the zone is done.
 *
 * A zone that was open begins as after a shutdown: closed, or empty.
 *
 * With a volatile write cache, a zone's data end, whatever the host has been
 * told, where the first page comes that is not programmed, or where the last
 * flush has made them safe. A finish fills the zone, so it leaves all or is
 * undone; a reset can be undone only if all that it resets was programmed. What
 * a ZRWA is giving to the flash stays, also if that has filled the zone, which
 * so has no ZRWA any more.
 */

typedef struct PowerCut {
    Zns *to;         /* new */
    const Zns *from; /* as it was when power went */
    uint64_t seed;
    uint64_t begin_at_ns; /* of the new one */
    uint64_t *least_bytes; /* [zone]: where its told data end */
    bool *in_zrwa;         /* [zone]: what is inside comes of a ZRWA */
    uint32_t *entering_idx;      /* [zone]: of its writes one that is not ... */
    uint32_t *next_entering_idx; /* [slot]: ... handed off; and another */
} PowerCut;

/* What a zone will be, and which of its jobs has not been, or SSD_NONE. */
typedef struct Fate {
    ZoneKept kept;
    uint32_t undone_idx;
} Fate;

static const SsdNs *ns_of(const PowerCut *cut, uint32_t zone_idx)
{
    return ns_of_zone(cut->from->ns, zone_idx);
}

static const WriteQueue *writes_of(const PowerCut *cut, uint32_t zone_idx)
{
    return &cut->from->writes[zone_idx];
}

static bool has_failed(SsdZoneState state)
{
    return state == SSD_ZONE_READ_ONLY || state == SSD_ZONE_OFFLINE;
}

/* Writes that nobody has been told of, the last of each zone first */

/*
 * Could it be lost? If so, nothing that came later depends on it. Of a zone with
 * a ZRWA nothing is lost, see fate_of(), and no write into one fills a zone.
 */
static bool may_be_lost(const PowerCut *cut, const Command *command)
{
    return !command->is_conventional && commands_is_write(command->done.op) &&
           command->number >
           zns_managed_number(cut->from, command->write.data.zone_idx);
}

static gint by_end(gconstpointer a, gconstpointer b)
{
    const ZoneWrite *left = a, *right = b;

    return (left->wp_to_bytes < right->wp_to_bytes) -
           (left->wp_to_bytes > right->wp_to_bytes);
}

static GArray *writes_inside(const PowerCut *cut)
{
    const Commands *commands = cut->from->commands;
    uint32_t slots = cut->from->params->cmd_slots;
    g_autofree bool *inside = commands_inside(commands, slots);
    GArray *writes = g_array_new(FALSE, FALSE, sizeof(ZoneWrite));

    for (uint32_t i = 0; i < slots; i++) {
        if (inside[i] && may_be_lost(cut, &commands->at[i])) {
            g_array_append_val(writes, commands->at[i].write);
        }
    }
    g_array_sort(writes, by_end);
    return writes;
}

static void find_least(PowerCut *cut)
{
    g_autoptr(GArray) writes = writes_inside(cut);

    cut->least_bytes = g_new(uint64_t, cut->from->params->zones);
    for (uint32_t z = 0; z < cut->from->params->zones; z++) {
        cut->least_bytes[z] = zone_wp_bytes(cut->from->ns, z);
    }
    for (uint32_t i = 0; i < writes->len; i++) {
        const ZoneWrite *write = &g_array_index(writes, ZoneWrite, i);
        uint64_t *least_bytes = &cut->least_bytes[write->data.zone_idx];

        if (*least_bytes == write->wp_to_bytes) {
            *least_bytes = write->wp_from_bytes;
        }
    }
}

static bool writes_zone(const Command *command)
{
    return !command->is_conventional &&
           (commands_is_write(command->done.op) ||
            command->done.op == SSD_OP_ZONE_FLUSH_ZRWA);
}

/*
 * Is it a write to a ZRWA, or a flush of one, of the zone's present life? It is
 * inside until all that it takes from there is programmed.
 */
static bool is_of_zrwa(const PowerCut *cut, const Command *command)
{
    return writes_zone(command) && command->write.in_zrwa &&
           command->number >
           cut->from->cache.zones[command->write.data.zone_idx].begun_number;
}

static void find_in_zrwa(PowerCut *cut)
{
    const Commands *commands = cut->from->commands;
    uint32_t slots = cut->from->params->cmd_slots;
    g_autofree bool *inside = commands_inside(commands, slots);

    cut->in_zrwa = g_new0(bool, cut->from->params->zones);
    for (uint32_t i = 0; wcache_is_volatile(cut->from) && i < slots; i++) {
        if (inside[i] && is_of_zrwa(cut, &commands->at[i])) {
            cut->in_zrwa[commands->at[i].write.data.zone_idx] = true;
        }
    }
}

static gint by_number(gconstpointer a, gconstpointer b, gpointer commands)
{
    uint64_t left = ((Commands *)commands)->at[*(uint32_t *)a].number;
    uint64_t right = ((Commands *)commands)->at[*(uint32_t *)b].number;

    return (left < right) - (left > right);
}

/* A zone's writes are handed off in order: the last so many are not. */
static void find_entering(PowerCut *cut)
{
    Commands *commands = cut->from->commands;
    uint32_t slots = cut->from->params->cmd_slots;
    uint32_t zones = cut->from->params->zones;
    g_autofree bool *inside = commands_inside(commands, slots);
    g_autofree uint32_t *left = g_new(uint32_t, zones);
    g_autoptr(GArray) last_first = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    cut->entering_idx = g_new(uint32_t, zones);
    cut->next_entering_idx = g_new(uint32_t, slots);
    for (uint32_t z = 0; z < zones; z++) {
        cut->entering_idx[z] = SSD_NONE;
        left[z] = writes_of(cut, z)->entered_count -
                  writes_of(cut, z)->handed_off_count;
    }
    for (uint32_t i = 0; i < slots; i++) {
        if (inside[i] && writes_zone(&commands->at[i])) {
            g_array_append_val(last_first, i);
        }
    }
    g_array_sort_with_data(last_first, by_number, commands);
    for (uint32_t i = 0; i < last_first->len; i++) {
        uint32_t command_idx = g_array_index(last_first, uint32_t, i);
        uint32_t zone_idx = commands->at[command_idx].write.data.zone_idx;

        if (left[zone_idx] != 0) {
            left[zone_idx]--;
            cut->next_entering_idx[command_idx] = cut->entering_idx[zone_idx];
            cut->entering_idx[zone_idx] = command_idx;
        }
    }
}

/* What lasts of a zone's data, beside what the host has been told of */

/* All pages before this byte are programmed. */
static uint64_t programmed_bytes(const Media *media, uint32_t zone_idx)
{
    uint32_t units = media->map.zone_units;
    uint64_t page = media->zone_pages;

    for (uint32_t u = 0; u < units; u++) {
        uint64_t rows = media->programmed_rows[zone_idx * units + u];

        page = MIN(page, rows * units +
                         media_page_at_position(media, zone_idx, u));
    }
    return page * media->page_bytes;
}

/* The pages and the buffer are of a life that a reset is about to end. */
static bool is_of_old_life(const PowerCut *cut, uint32_t zone_idx)
{
    return cut->from->jobs.zones[zone_idx].resets_entering > 0;
}

static uint64_t lasting_bytes(const PowerCut *cut, uint32_t zone_idx)
{
    uint64_t bytes = 0;

    if (!is_of_old_life(cut, zone_idx)) {
        bytes = programmed_bytes(cut->from->media, zone_idx);
    }
    if (wcache_is_volatile(cut->from)) {
        bytes = MAX(bytes, wcache_safe_bytes(cut->from, zone_idx));
    } else if (wbuf_is_on(cut->from->buffer) &&
               !is_of_old_life(cut, zone_idx)) {
        bytes = MAX(bytes, wbuf_end_bytes(cut->from->buffer, zone_idx));
    }
    return bytes;
}

/* The fate of a zone */

/* One of the blocks from `least` to `most`; the ends are likelier. */
static uint64_t draw_end_nlb(const PowerCut *cut, uint32_t zone_idx,
                             uint64_t least_nlb, uint64_t most_nlb)
{
    uint64_t bits = draw_bits(cut->seed, DRAW_LOST, zone_idx, 0);

    switch (bits & 3) {
    case 0:
        return least_nlb;
    case 1:
        return most_nlb;
    default:
        return least_nlb + (bits >> 2) % (most_nlb - least_nlb + 1);
    }
}

/*
 * Of a volatile cache: full by a finish, which a zone without data may have
 * ended without a program, or by an excursion. What came to the zone later and
 * changed nothing (Close of all zones, a finish again, a shutdown) makes no
 * data of writes safe.
 */
static bool is_filled(const PowerCut *cut, uint32_t zone_idx)
{
    return zone_entry(cut->from->ns, zone_idx)->state == SSD_ZONE_FULL &&
           cut->from->cache.zones[zone_idx].is_filled;
}

/* How far the zone's data reach when the power is back. */
static uint64_t end_nlb(const PowerCut *cut, uint32_t zone_idx)
{
    uint32_t lba_bytes = ns_of(cut, zone_idx)->lba_bytes;
    uint64_t most_nlb = zone_entry(cut->from->ns, zone_idx)->wp_nlb;
    uint64_t least_bytes = lasting_bytes(cut, zone_idx);

    if (wcache_is_volatile(cut->from)) {
        return is_filled(cut, zone_idx) || cut->in_zrwa[zone_idx]
               ? most_nlb : MIN(least_bytes / lba_bytes, most_nlb);
    }
    least_bytes = MAX(cut->least_bytes[zone_idx], least_bytes);
    /* A portion may be a part of a block, which is lost without the rest. */
    return draw_end_nlb(cut, zone_idx, MIN(least_bytes / lba_bytes, most_nlb),
                        most_nlb);
}

static void begin_in_state(ZoneKept *kept, uint64_t capacity_nlb)
{
    if (has_failed(kept->state)) {
        return;
    }
    if (kept->wp_nlb == capacity_nlb) {
        g_assert(kept->state == SSD_ZONE_FULL);
    } else if (kept->end_nlb != 0 || kept->has_extension) {
        kept->state = SSD_ZONE_CLOSED;
    } else {
        kept->state = SSD_ZONE_EMPTY;
        kept->has_zrwa = false;
    }
}

/* Is all that the job resets programmed, and has not begun to go? */
static bool is_of_flash(const PowerCut *cut, uint32_t zone_idx, const Job *job)
{
    return cut->from->jobs.zones[zone_idx].resets_entering == 1 &&
           programmed_bytes(cut->from->media, zone_idx) >=
           job->was.end_nlb * ns_of(cut, zone_idx)->lba_bytes;
}

/*
 * A finish or reset that need not have been: the last that was asked of the
 * zone. A ZRWA that it took is with others; blocks that it erases are gone.
 */
static uint32_t job_in_doubt(const PowerCut *cut, uint32_t zone_idx)
{
    const JobQueue *queue = &cut->from->jobs.zones[zone_idx];
    uint64_t managed_number = zns_managed_number(cut->from, zone_idx);
    const ZoneEntry *zone = zone_entry(cut->from->ns, zone_idx);
    const Job *job;

    if (queue->head_idx == SSD_NONE || has_failed(zone->state)) {
        return SSD_NONE;
    }
    job = job_at(cut->from, queue->tail_idx);
    if (job->command_idx == SSD_NONE || job->was.has_zrwa ||
        job->superblock_idx != SUPERBLOCK_NONE ||
        cut->from->commands->at[job->command_idx].number !=
        managed_number ||
        writes_of(cut, zone_idx)->written_number > managed_number) {
        return SSD_NONE;
    }
    if (wcache_is_volatile(cut->from) && job->op == SSD_OP_ZONE_RESET &&
        !is_of_flash(cut, zone_idx, job)) {
        return SSD_NONE;
    }
    /* It holds its resources to the end; so what was active can be again. */
    return job->was.state == SSD_ZONE_EMPTY ||
           job->was.state == SSD_ZONE_FULL || zone->holds_active
           ? queue->tail_idx : SSD_NONE;
}

static Fate fate_of(const PowerCut *cut, uint32_t zone_idx)
{
    uint64_t capacity_nlb = ns_of(cut, zone_idx)->zones.capacity_nlb;
    uint32_t job_idx = job_in_doubt(cut, zone_idx);
    Fate fate = {
        .kept = zns_zone_kept(cut->from, zone_idx),
        .undone_idx = SSD_NONE,
    };

    if (job_idx != SSD_NONE &&
        draw_bits(cut->seed, DRAW_UNDONE, zone_idx, 0) & 1) {
        fate.kept = job_at(cut->from, job_idx)->was;
        fate.undone_idx = job_idx;
        if (wcache_is_volatile(cut->from) &&
            job_at(cut->from, job_idx)->op == SSD_OP_ZONE_FINISH) {
            fate.kept.wp_nlb = MIN(fate.kept.wp_nlb,
                                   lasting_bytes(cut, zone_idx) /
                                   ns_of(cut, zone_idx)->lba_bytes);
            fate.kept.end_nlb = fate.kept.wp_nlb;
        }
    } else if (!fate.kept.has_zrwa && !has_failed(fate.kept.state)) {
        fate.kept.wp_nlb = end_nlb(cut, zone_idx);
        /* Of a zone that is not full, what a finish had filled is data. */
        if (fate.kept.wp_nlb != capacity_nlb) {
            fate.kept.end_nlb = fate.kept.wp_nlb;
        }
    }
    begin_in_state(&fate.kept, capacity_nlb);
    return fate;
}

/* Pages */

/* Pages that a reset, the `i`-th of a zone's that are in doubt, has to erase. */
static uint64_t used_pages(const PowerCut *cut, uint32_t zone_idx,
                           uint32_t job_idx, bool is_handed_off)
{
    const Job *job = job_at(cut->from, job_idx);
    const Media *media = cut->from->media;

    if (is_handed_off) {
        return job->used_pages;
    }
    return job->after_fill ? media->zone_pages
                           : media->issued_bytes[zone_idx] / media->page_bytes;
}

/* The resets that still have to let the zone's blocks go, but for one. */
static void let_go(const PowerCut *cut, uint32_t zone_idx, uint32_t undone_idx)
{
    const JobQueue *queue = &cut->from->jobs.zones[zone_idx];
    uint32_t handed_off = queue->resets_waiting;
    uint64_t pages = 0;
    bool any = false;

    for (uint32_t i = queue->head_idx; i != SSD_NONE;
         i = job_at(cut->from, i)->next_of_zone_idx) {
        const Job *job = job_at(cut->from, i);

        if (job->op != SSD_OP_ZONE_RESET ||
            job->superblock_idx != SUPERBLOCK_NONE) {
            continue;
        }
        if (i != undone_idx) {
            pages = MAX(pages, used_pages(cut, zone_idx, i, handed_off > 0));
            any = true;
        }
        handed_off -= handed_off > 0;
    }
    if (any) {
        erase_let_go(cut->to, zone_idx, pages);
    }
}

/* A finish that is inside and has made the zone what it is left as, if any. */
static uint32_t finish_inside(const PowerCut *cut, uint32_t zone_idx,
                              const Fate *fate)
{
    uint32_t finish_idx = SSD_NONE;

    for (uint32_t i = cut->from->jobs.zones[zone_idx].head_idx;
         i != SSD_NONE && i != fate->undone_idx;
         i = job_at(cut->from, i)->next_of_zone_idx) {
        finish_idx = job_at(cut->from, i)->op == SSD_OP_ZONE_FINISH
                     ? i : SSD_NONE;
    }
    return finish_idx;
}

/* Resets that are not handed off, and have been. */
static uint32_t resets_to_come(const PowerCut *cut, uint32_t zone_idx,
                               const Fate *fate)
{
    uint32_t entering = cut->from->jobs.zones[zone_idx].resets_entering;

    return entering - (entering > 0 && fate->undone_idx != SSD_NONE &&
                       job_at(cut->from, fate->undone_idx)->op ==
                       SSD_OP_ZONE_RESET);
}

/* Command.number of the last reset that has been, if it is inside; else 0. */
static uint64_t reset_number(const PowerCut *cut, uint32_t zone_idx,
                             const Fate *fate)
{
    uint64_t number = 0;

    for (uint32_t i = cut->from->jobs.zones[zone_idx].head_idx;
         i != SSD_NONE && i != fate->undone_idx;
         i = job_at(cut->from, i)->next_of_zone_idx) {
        const Job *job = job_at(cut->from, i);

        if (job->op == SSD_OP_ZONE_RESET) { /* so it is of a command */
            number = cut->from->commands->at[job->command_idx].number;
        }
    }
    return number;
}

/*
 * What the host has written of a zone that loses nothing. The queue of its
 * writes knows it of those that are handed off, or a reset that has not been;
 * all others are inside.
 */
static uint64_t all_host_bytes(const PowerCut *cut, uint32_t zone_idx,
                               const Fate *fate)
{
    const JobQueue *queue = &cut->from->jobs.zones[zone_idx];
    const Commands *commands = cut->from->commands;
    uint64_t since_number = reset_number(cut, zone_idx, fate);
    uint64_t bytes = 0;

    if (fate->undone_idx != SSD_NONE && queue->resets_entering == 0) {
        return job_at(cut->from, fate->undone_idx)->host_bytes;
    }
    if (resets_to_come(cut, zone_idx, fate) == 0) {
        bytes = writes_of(cut, zone_idx)->host_bytes;
    }
    for (uint32_t i = cut->entering_idx[zone_idx]; i != SSD_NONE;
         i = cut->next_entering_idx[i]) {
        const Span *data = &commands->at[i].write.data;

        if (commands->at[i].number > since_number) {
            bytes += data->end_bytes - data->begin_bytes;
        }
    }
    return MIN(bytes, cut->from->params->zone_capacity_bytes);
}

/* What the host has written of it; only the end of data can be lost. */
static uint64_t host_bytes(const PowerCut *cut, uint32_t zone_idx,
                           const Fate *fate)
{
    return fate->kept.state == SSD_ZONE_FULL || fate->kept.has_zrwa
           ? all_host_bytes(cut, zone_idx, fate)
           : fate->kept.wp_nlb * ns_of(cut, zone_idx)->lba_bytes;
}

/*
 * Is any page on the flash, on its way, or was it until an undone reset dropped
 * it? A flush of a ZRWA in which nothing has been written has pages programmed.
 */
static bool has_pages(const PowerCut *cut, uint32_t zone_idx, const Fate *fate)
{
    const Job *undone = fate->undone_idx != SSD_NONE
                        ? job_at(cut->from, fate->undone_idx) : NULL;

    return cut->from->media->issued_bytes[zone_idx] != 0 ||
           (undone && (undone->used_pages != 0 || undone->after_fill));
}

/*
 * Was the zone finished when nothing had been written, and is left so? Where no
 * finish is inside, one is done, if any was, and all that came before it; what
 * is inside are flushes of a ZRWA, which have filled the zone.
 */
static bool is_blank(const PowerCut *cut, uint32_t zone_idx, const Fate *fate)
{
    uint32_t finish_idx = finish_inside(cut, zone_idx, fate);

    if (cut->from->params->finish_fills_empty ||
        fate->kept.state != SSD_ZONE_FULL) {
        return false;
    }
    if (finish_idx != SSD_NONE) {
        return job_at(cut->from, finish_idx)->was.end_nlb == 0;
    }
    return resets_to_come(cut, zone_idx, fate) == 0 &&
           cut->entering_idx[zone_idx] == SSD_NONE &&
           zns_zone_is_written(cut->from, zone_idx) &&
           all_host_bytes(cut, zone_idx, fate) == 0 &&
           !has_pages(cut, zone_idx, fate);
}

/* Bytes of the zone from its start on that are data, or what filled it. */
static uint64_t filled_bytes(const PowerCut *cut, uint32_t zone_idx,
                             const Fate *fate)
{
    return is_blank(cut, zone_idx, fate)
           ? 0 : fate->kept.wp_nlb * ns_of(cut, zone_idx)->lba_bytes;
}

static void put_pages(const PowerCut *cut, uint32_t zone_idx, const Fate *fate)
{
    Zns *to = cut->to;
    uint32_t page_bytes = to->media->page_bytes;
    uint64_t bytes = filled_bytes(cut, zone_idx, fate);
    uint64_t part_bytes = bytes % page_bytes;

    media_put(to->media, zone_idx, bytes);
    to->writes[zone_idx].host_bytes = host_bytes(cut, zone_idx, fate);
    if (wbuf_is_on(to->buffer) && !fate->kept.has_zrwa) {
        wbuf_put(to->buffer, zone_idx, bytes / page_bytes, part_bytes);
        if (part_bytes != 0) {
            seats_put(to, zone_idx);
        }
    }
}

/*
 * Pages of a zone that has failed: what is programmed, and what was complete in
 * the buffer. What completes no page went when it failed.
 */
static void put_failed_pages(const PowerCut *cut, uint32_t zone_idx)
{
    uint64_t bytes = 0;

    if (wbuf_is_on(cut->from->buffer) && !is_of_old_life(cut, zone_idx)) {
        bytes = wbuf_end_bytes(cut->from->buffer, zone_idx);
    }
    media_put_failed(cut->to->media, cut->from->media, zone_idx,
                     bytes / cut->to->media->page_bytes);
}

/* Zones of the new drive */

static void put_zone(const PowerCut *cut, uint32_t zone_idx, const Fate *fate)
{
    Zns *to = cut->to;
    SsdNs *ns = ns_of_zone(to->ns, zone_idx);

    zone_put(&ns->zones, zone_idx - ns->first_zone_idx, &fate->kept);
    wcache_put(to, zone_idx, fate->kept.wp_nlb * ns->lba_bytes);
    to->media->life[zone_idx] =
        cut->from->media->life[zone_idx] +
        cut->from->jobs.zones[zone_idx].resets_entering;
    to->writes[zone_idx].submitted_count =
        writes_of(cut, zone_idx)->submitted_count;
    if (has_failed(fate->kept.state)) {
        put_failed_pages(cut, zone_idx);
    } else {
        let_go(cut, zone_idx, fate->undone_idx);
        put_pages(cut, zone_idx, fate);
    }
    watch_put(&to->watch, cut->begin_at_ns, zone_idx,
              fate->undone_idx == SSD_NONE
              ? watch_finished(&cut->from->watch, zone_idx)
              : watch_was_finished(&cut->from->watch, zone_idx));
}

/*
 * Does a full zone lose something? Then it needs a resource, which it has given
 * back: it is lost only if one is left.
 */
static bool loses_its_end(const PowerCut *cut, uint32_t zone_idx,
                          const Fate *fate)
{
    return zone_entry(cut->from->ns, zone_idx)->state == SSD_ZONE_FULL &&
           fate->undone_idx == SSD_NONE &&
           fate->kept.state == SSD_ZONE_CLOSED;
}

static void put_if_room(const PowerCut *cut, uint32_t zone_idx)
{
    const ZoneTable *table = &ns_of_zone(cut->to->ns, zone_idx)->zones;
    Fate fate = fate_of(cut, zone_idx);

    if (table->active_count >= table->max_active) {
        fate.kept = zns_zone_kept(cut->from, zone_idx);
    }
    put_zone(cut, zone_idx, &fate);
}

void zns_power_cut(Zns *to, const Zns *from, uint64_t begin_at_ns,
                   uint64_t seed)
{
    PowerCut cut = {
        .to = to, .from = from, .seed = seed, .begin_at_ns = begin_at_ns,
    };
    g_autoptr(GArray) later = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    find_least(&cut);
    find_in_zrwa(&cut);
    find_entering(&cut);
    for (uint32_t z = 0; z < from->params->zones; z++) {
        Fate fate = fate_of(&cut, z);

        if (loses_its_end(&cut, z, &fate)) {
            g_array_append_val(later, z);
        } else {
            put_zone(&cut, z, &fate);
        }
    }
    for (uint32_t i = 0; i < later->len; i++) {
        put_if_room(&cut, g_array_index(later, uint32_t, i));
    }
    erase_settle(to);
    g_free(cut.least_bytes);
    g_free(cut.in_zrwa);
    g_free(cut.entering_idx);
    g_free(cut.next_entering_idx);
}
