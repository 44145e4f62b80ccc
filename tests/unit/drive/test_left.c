/*
 * What a state leaves out, since it follows from the rest, is found anew as it
 * was: counts, sums, sets, ranks and first events of a loaded drive are those of
 * the drive that was saved. So each of them is at any instant what it is said
 * to be, too: the one drive has kept it up to date, the other has counted.
 *
 * Knows the drive's inside: the rows STATE_LEFT of all rooms.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "drive/drive.h"
#include "model/soup.h"
#include "support/twins.h"

/* Of two structs of one type, `a` and `b`. */
#define SAME(member_) g_assert_cmpuint(a->member_, ==, b->member_)

/* Base */

static void same_set(const IndexSet *a, const IndexSet *b, uint32_t bound)
{
    for (uint32_t i = 0; i < (bound + 63) / 64; i++) {
        SAME(words[i]);
    }
    for (uint32_t i = 0; i * INDEX_SET_RUN < bound; i++) {
        SAME(runs[i]);
    }
}

/* Where a member is in the heap may differ, but for the first. */
static void same_ranking(const Ranking *a, const Ranking *b, uint32_t members)
{
    SAME(count);
    g_assert_cmpuint(ranking_first(a), ==, ranking_first(b));
    for (uint32_t i = 0; i < members; i++) {
        g_assert_true((a->places[i] == 0) == (b->places[i] == 0));
        if (a->places[i] != 0) {
            SAME(keys[i].major);
            SAME(keys[i].minor);
        }
    }
}

static void same_key(EventKey a, EventKey b)
{
    g_assert_true(a == b);
}

static void same_events(const EventHeap *a, const EventHeap *b)
{
    same_key(*a->next, *b->next);
    for (unsigned i = 0; i < EVENT_GROUPS; i++) {
        same_key(*a->firsts[i], *b->firsts[i]);
    }
    for (unsigned i = 0; i < EVENT_SOURCES; i++) {
        same_key(a->heads[i], b->heads[i]);
    }
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        if (a->lanes[i].count > 0) {
            SAME(lanes[i].last_at_ns);
        }
    }
}

/* Flash and what lies on it */

static void same_media(const Media *a, const Media *b)
{
    const SuperblockTable *table = &a->superblocks;

    SAME(superblocks.wear.sum);
    for (uint64_t i = 0; i < table->wear.count; i++) {
        SAME(superblocks.wear.numbers[i]);
    }
    for (uint32_t i = 0; i < table->count; i++) {
        SAME(superblocks.superblocks[i].erase_count);
        SAME(superblocks.superblocks[i].dirty_count);
        SAME(superblocks.superblocks[i].state);
    }
    for (uint32_t i = 0; table->rankings && i < table->config.group_count;
         i++) {
        same_ranking(&table->rankings[i], &b->superblocks.rankings[i],
                     table->count / table->config.group_count);
    }
}

static void same_log(const Conv *a, const Conv *b)
{
    SAME(promised);
    SAME(ftl.ready.count);
    for (uint32_t i = 0; i < a->ftl.line_count; i++) {
        SAME(ftl.lines[i].valid);
    }
    if (a->ftl.line_count > 0) {
        same_ranking(&a->ftl.ready, &b->ftl.ready, a->ftl.line_count);
    }
}

/* The way in */

static void same_slots(const ReadSlots *a, const ReadSlots *b)
{
    SAME(inside_count);
    SAME(groups_without);
    for (uint32_t i = 0; a->inside_counts && i < a->lines.groups; i++) {
        SAME(inside_counts[i]);
    }
}

static void same_strands(const WriteBuffer *a, const WriteBuffer *b)
{
    uint32_t count = a->params->zones * a->zone_strands + a->log_strands;

    for (uint32_t i = 0; i < count; i++) {
        SAME(strands[i].is_waiting);
        if (a->strands[i].is_waiting) {
            SAME(strands[i].unit_idx);
        }
        for (uint32_t page = a->strands[i].first_page_idx;
             page != UINT32_MAX; page = a->pages[page].next_idx) {
            SAME(pages[page].page);
        }
    }
}

static void same_buffer(const WriteBuffer *a, const WriteBuffer *b)
{
    if (!wbuf_is_on(a)) {
        return;
    }
    SAME(used_bytes);
    SAME(writers);
    SAME(waiting_count);
    SAME(has_told);
    for (uint32_t i = 0; i < a->stream_count; i++) {
        SAME(streams[i].has_opened);
        SAME(streams[i].formed_bytes);
        SAME(streams[i].stripe_left);
        SAME(streams[i].stripe_end_page);
        SAME(streams[i].fill_left);
    }
    same_strands(a, b);
}

/* Zones */

static void same_namespace(const SsdNs *a, const SsdNs *b)
{
    SAME(size_nlb);
    SAME(inflight_count);
    if (a->kind != SSD_NS_ZONED) {
        return;
    }
    SAME(zones.size_nlb);
    SAME(zones.capacity_nlb);
    SAME(zones.open_count);
    SAME(zones.active_count);
    SAME(zones.zrwa_nlb);
    SAME(zones.zrwa_granule_nlb);
    SAME(zones.zrwa_count);
    for (unsigned i = 0; i < G_N_ELEMENTS(a->zones.by_state); i++) {
        if (a->zones.by_state[i].words) {
            same_set(&a->zones.by_state[i], &b->zones.by_state[i],
                     a->zones.count);
        }
    }
}

static void same_watch(const Watch *a, const Watch *b)
{
    SAME(next_at_ns);
    if (!a->zones) {
        return;
    }
    for (uint32_t i = 0; i < a->params->zones; i++) {
        SAME(zones[i].phase);
        SAME(zones[i].told_of);
    }
    same_set(&a->attributed, &b->attributed, a->params->zones);
}

static void same_zns(const Zns *a, const Zns *b)
{
    SAME(queued_count);
    SAME(jobs.free_count);
    SAME(jobs.own_reserve);
    SAME(jobs.running_fills);
    SAME(erases.running);
    for (uint32_t i = 0; a->seats.zones && i < a->params->namespaces; i++) {
        SAME(seats.lines[i].taken_count);
    }
    same_watch(&a->watch, &b->watch);
}

static void same(const Ssd *a, const Ssd *b)
{
    same_events(&a->events, &b->events);
    SAME(commands.count);
    SAME(commands.finish_count);
    SAME(commands.host_io_count);
    same_media(&a->media, &b->media);
    SAME(prefetch.ahead.fetching_count);
    same_buffer(&a->buffer, &b->buffer);
    for (uint32_t i = 0; i < a->ns.count; i++) {
        same_namespace(&a->ns.at[i], &b->ns.at[i]);
    }
    same_zns(&a->zns, &b->zns);
    same_log(&a->conv, &b->conv);
    SAME(entry.entering_finishes);
    same_slots(&a->entry.read_slots, &b->entry.read_slots);
}

/* Drives */

static void run(const SsdParams *params, uint64_t seed)
{
    Twins t;

    twins_begin(&t, params, seed);
    t.every = 4;
    t.compare = same;
    twins_run(&t, 300);
    twins_end(&t);
}

static void test_soup(void)
{
    Rng rng = { drive_seed() };
    unsigned left = drive_count("FEMU_DRIVES", 20);

    while (left > 0) {
        SsdParams params = soup_params(&rng);

        if (ssd_params_check(&params, NULL)) {
            ssd_params_resolve(&params);
            run(&params, rng_next(&rng));
            left--;
        }
    }
}

/* With all that a state counts anew. */
static void test_drive(gconstpointer words)
{
    SsdParams params = drive_params(words);
    uint64_t seed = drive_seed();
    unsigned count = drive_count("FEMU_DRIVES", 5);

    for (unsigned i = 0; i < count; i++) {
        run(&params, 100 * seed + i);
    }
}

#define BUFFERED "zones=8 channels=4 program-registers=1 write-buffer=128K " \
                 "zone-buffer=32K buffer-portion=4K max-open=4 max-active=4 "

static const struct { const char *name, *words; } named[] = {
    { "/left/watched",
      "zones=70 max-open=6 max-active=6 excursion-ns=90000000 "
      "finish-recommended-ns=20000000 reset-recommended-ns=30000000 "
      "namespaces=2" },
    { "/left/worn",
      "zones=8 spare-superblocks=2 mapping=lazy superblock-order=least-worn "
      "erase-at=background idle-ns=100000" },
    { "/left/slots",
      "zones=8 read-slots=3 namespaces=2 read-ahead=16K cmd-slots=32 "
      "fe-read-ns=2203 fe-write-ns=3373 fe-reset-ns=4001" },
    { "/left/zrwa", "zones=8 max-open=3 max-active=3 zrwa-size=16K "
                    "zrwa-flush-granularity=4K" },
    { "/left/buffered", BUFFERED "page-size=16K write-buffer=256K "
                        "zone-buffer=64K buffer-portion=16K" },
    { "/left/turns", BUFFERED "page-turns=on take-turns=on" },
    { "/left/drains", BUFFERED "reset-drains=on reset-lock-ns=500000" },
    { "/left/log", BUFFERED "conventional-size=128K conventional-buffer=on" },
    { "/left/conventional", "conventional-size=128K" },
};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/left/soup", test_soup);
    for (unsigned i = 0; i < G_N_ELEMENTS(named); i++) {
        g_test_add_data_func(named[i].name, named[i].words, test_drive);
    }
    return g_test_run();
}
