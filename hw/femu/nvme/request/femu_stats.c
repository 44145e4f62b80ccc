/*
 * Statistics as JSON text: the core's and the device's own.
 *
 * Knows nothing of how they are collected.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "request_internal.h"

/* Add all parameters; each "0 means ..." has been replaced by its meaning. */
static void add_config(FemuZns *n, GString *extra)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    g_string_append(extra, ",\"config\":{");
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = ssd_params_get(&n->params, &table[i]);

        g_string_append_printf(extra, "%s\"%s\":%" PRIu64, i ? "," : "",
                               table[i].name, value);
    }
    g_string_append_c(extra, '}');
}

/* Where the time goes of commands that come one at a time; sums. */
static void add_rounds(const FemuRounds *rounds, GString *extra)
{
    g_string_append_printf(extra, ",\"rounds\":{\"count\":%" PRIu64
                           ",\"lock_ns\":%" PRId64 ",\"drive_ns\":%" PRId64
                           ",\"take_ns\":%" PRId64 ",\"ring_ns\":%" PRId64
                           "}", rounds->count, rounds->lock_ns,
                           rounds->drive_ns, rounds->take_ns, rounds->ring_ns);
}

static void add_thread(const FemuThreadCounts *counts, GString *extra)
{
    g_string_append_printf(extra, ",\"thread\":{\"entries\":%" PRIu64
                           ",\"big_lock\":%" PRIu64 "}",
                           counts->entries, counts->bql);
}

/* The core's statistics and the device's own members. Caller frees. */
char *femu_stats_json(FemuZns *n)
{
    g_autoptr(GString) extra = g_string_new(NULL);

    g_string_append_printf(extra, "\"time_dilation\":%" PRIu32 ","
                           "\"lateness\":{\"clock\":\"%s\",",
                           n->dilation, femu_time_clock_name());
    ssd_histogram_json(&n->lateness_ns, "_ns", extra);
    g_string_append_printf(extra, "},\"programmed\":{\"page_bytes\":%" PRIu32
                           ",\"padded_bytes\":%" PRIu64 "}",
                           ssd_stats_page_bytes(n->ssd),
                           ssd_stats_padded_bytes(n->ssd));
    if (n->thread) {
        add_rounds(&n->rounds, extra);
        add_thread(&n->thread_counts, extra);
    }
    add_config(n, extra);
    return ssd_stats_json(n->ssd, n->now_ns, extra->str);
}

void femu_stats_reset(FemuZns *n)
{
    ssd_stats_reset(n->ssd, n->now_ns);
    ssd_histogram_clear(&n->lateness_ns);
    n->rounds = (FemuRounds) {};
    n->thread_counts = (FemuThreadCounts) {};
    n->stats_resets++;
}
