/*
 * What was done to a pair, once more on the drive alone, polled otherwise: see
 * pair.h.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pair.h"

typedef struct Replay {
    const Pair *pair;
    Ssd *ssd;
    uint64_t now_ns;
    GArray *due;        /* uint64_t: when commands must end, in order */
    guint done;
} Replay;

static const PairEvent *event(const Replay *r, guint i)
{
    return &g_array_index(r->pair->events, PairEvent, i);
}

static bool is_accepted(const PairEvent *e)
{
    return !e->status && !e->fails_to && !e->format_lba_bytes &&
           !e->is_cut;
}

static gint by_time(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void poll(Replay *r, uint64_t now_ns)
{
    SsdDone done;

    r->now_ns = now_ns;
    while (ssd_poll(r->ssd, now_ns, &done, 1)) {
        const PairEvent *e = event(r, done.tag);

        if (done.due_at_ns != e->due_at_ns || done.due_at_ns > now_ns) {
            g_error("tag %u, %s at %" G_GUINT64_FORMAT " ns, has ended at %"
                    G_GUINT64_FORMAT " ns, must at %" G_GUINT64_FORMAT " ns",
                    done.tag, ssd_op_name(e->cmd.op), e->at_ns,
                    done.due_at_ns, e->due_at_ns);
        }
        r->done++;
    }
}

/* What is due before `until_ns` comes at its time and not a nanosecond before. */
static void poll_exactly(Replay *r, uint64_t until_ns)
{
    while (r->done < r->due->len) {
        uint64_t due_ns = g_array_index(r->due, uint64_t, r->done);
        guint done = r->done;

        if (due_ns >= until_ns) {
            return;
        }
        if (due_ns > r->now_ns) {
            poll(r, due_ns - 1);
        }
        g_assert_cmpuint(r->done, ==, done);
        g_assert_cmpuint(ssd_next_at_ns(r->ssd), <=, due_ns);
        poll(r, due_ns);
        g_assert_cmpuint(r->done, >, done);
    }
}

static void poll_at_random(Replay *r, Rng *rng, uint64_t until_ns)
{
    for (unsigned i = rng_below(rng, 4); i; i--) {
        uint64_t room_ns = until_ns - r->now_ns;

        poll(r, r->now_ns + rng_below(rng, rng_chance(rng, 50)
                                           ? room_ns + 1
                                           : room_ns / 50 + 1));
    }
}

/* What it has not been asked for yet, completions too, is in the bytes. */
static void save_and_load(Replay *r)
{
    GByteArray *bytes = ssd_save(r->ssd);
    GError *error = NULL;
    Ssd *loaded = ssd_load(&r->pair->params, bytes->data, bytes->len, &error);

    g_assert_no_error(error);
    g_byte_array_unref(bytes);
    ssd_free(r->ssd);
    r->ssd = loaded;
}

static void poll_until(Replay *r, PairPoll mode, Rng *rng, uint64_t until_ns)
{
    if (mode == PAIR_POLL_EXACTLY) {
        poll_exactly(r, until_ns);
    } else if (mode != PAIR_POLL_NEVER) {
        poll_at_random(r, rng, until_ns);
    }
    if (mode == PAIR_POLL_SAVED && rng_chance(rng, 4)) {
        save_and_load(r);
    }
}

static void cut(Replay *r)
{
    Ssd *next = ssd_power_cut(r->ssd, r->now_ns, 1);

    ssd_free(r->ssd);
    r->ssd = next;
    r->now_ns = ssd_now_ns(next);
}

static void redo(Replay *r, guint i)
{
    const PairEvent *e = event(r, i);
    SsdCmd cmd = e->cmd;
    GError *error = NULL;

    if (e->is_cut) {
        poll(r, e->at_ns);
        cut(r);
        return;
    }
    if (e->format_lba_bytes) {
        poll(r, e->at_ns);
        ssd_format(r->ssd, e->at_ns, cmd.nsid, e->format_lba_bytes, &error);
        g_assert_no_error(error);
    } else if (e->fails_to) {
        ssd_zone_fail(r->ssd, e->at_ns, cmd.nsid, cmd.slba, e->fails_to);
    } else {
        if (!ssd_has_room(r->ssd)) {
            poll(r, e->at_ns);
        }
        cmd.ranges = e->ranges;
        g_assert_cmphex(ssd_submit(r->ssd, e->at_ns, &cmd, i).status, ==,
                        e->status);
    }
    r->now_ns = e->at_ns;
}

static char *stats(Ssd *ssd, uint64_t now_ns)
{
    return ssd_stats_json(ssd, now_ns, NULL);
}

void pair_replay(Pair *pair, PairPoll mode, Rng *rng)
{
    Replay r = {
        .pair = pair,
        .ssd = ssd_new(&pair->params),
        .due = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
    };
    g_autofree char *want = NULL, *got = NULL;

    pair_drain(pair);
    for (guint i = 0; i < pair->events->len; i++) {
        if (is_accepted(event(&r, i))) {
            g_array_append_val(r.due, event(&r, i)->due_at_ns);
        }
    }
    g_array_sort(r.due, by_time);
    for (guint i = 0; i < pair->events->len; i++) {
        poll_until(&r, mode, rng, event(&r, i)->at_ns);
        redo(&r, i);
    }
    poll_until(&r, mode, rng, pair->now_ns);
    poll(&r, pair->now_ns);
    g_assert_cmpuint(r.done, ==, r.due->len);
    want = stats(pair->ssd, pair->now_ns);
    got = stats(r.ssd, pair->now_ns);
    g_assert_cmpstr(got, ==, want);
    g_array_free(r.due, TRUE);
    ssd_free(r.ssd);
}
