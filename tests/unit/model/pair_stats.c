/*
 * Statistics of commands, added up from what was done to a pair: see pair.h.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "pair.h"
#include "support/json_value.h"

typedef struct OpSums {
    uint64_t count;
    uint64_t errors;
    uint64_t bytes;
    uint64_t sum_ns;
    uint64_t min_ns;
    uint64_t max_ns;
} OpSums;

static bool moves_data(SsdOp op)
{
    return op == SSD_OP_READ || op == SSD_OP_WRITE || op == SSD_OP_APPEND ||
           op == SSD_OP_WRITE_ZEROES || op == SSD_OP_COPY ||
           op == SSD_OP_VERIFY || op == SSD_OP_COMPARE;
}

static uint64_t bytes_of(const PairEvent *event)
{
    uint64_t nlb = event->cmd.nlb;

    if (!moves_data(event->cmd.op)) {
        return 0;
    }
    for (uint32_t i = 0;
         event->cmd.op == SSD_OP_COPY && i < event->cmd.range_count; i++) {
        nlb = (i ? nlb : 0) + event->ranges[i].nlb;
    }
    return nlb * event->lba_bytes;
}

static void add_up(OpSums *sums, const PairEvent *event)
{
    uint64_t latency_ns = event->due_at_ns - event->at_ns;

    if (event->status != SSD_SUCCESS) {
        sums->errors++;
        return;
    }
    sums->min_ns = sums->count ? MIN(sums->min_ns, latency_ns) : latency_ns;
    sums->max_ns = MAX(sums->max_ns, latency_ns);
    sums->sum_ns += latency_ns;
    sums->count++;
    sums->bytes += bytes_of(event);
}

static void compare_number(const Pair *pair, const char *text, SsdOp op,
                           const char *member, uint64_t want)
{
    g_autofree char *path = g_strdup_printf("ops.%s.%s", ssd_op_name(op),
                                            member);
    uint64_t got = json_u64(text, path);

    if (got != want) {
        g_autofree char *what = g_strdup_printf(
            "statistics: %s is %" G_GUINT64_FORMAT ", must be %"
            G_GUINT64_FORMAT, path, got, want);

        pair_fail(pair, what);
    }
}

static uint64_t histogram_count(const char *text, SsdOp op)
{
    g_autofree char *path = g_strdup_printf("ops.%s.histogram",
                                            ssd_op_name(op));
    uint64_t count = 0;

    for (unsigned i = 0; i < json_length(text, path); i++) {
        g_autofree char *bucket = g_strdup_printf("%s.%u.1", path, i);

        count += json_u64(text, bucket);
    }
    return count;
}

static void compare_op(const Pair *pair, const char *text, SsdOp op,
                       const OpSums *want)
{
    if (want->count + want->errors == 0) {
        return;
    }
    compare_number(pair, text, op, "count", want->count);
    compare_number(pair, text, op, "errors", want->errors);
    compare_number(pair, text, op, "bytes", want->bytes);
    compare_number(pair, text, op, "sum_ns", want->sum_ns);
    compare_number(pair, text, op, "min_ns", want->min_ns);
    compare_number(pair, text, op, "max_ns", want->max_ns);
    g_assert_cmpuint(histogram_count(text, op), ==, want->count);
}

/* They began anew when the power went last. */
void pair_compare_stats(const Pair *pair)
{
    g_autofree char *text = ssd_stats_json(pair->ssd, pair->now_ns, NULL);
    OpSums sums[SSD_OP_COUNT] = { 0 };
    unsigned ops = 0;

    for (guint i = 0; i < pair->events->len; i++) {
        const PairEvent *event = &g_array_index(pair->events, PairEvent, i);

        if (event->is_cut) {
            memset(sums, 0, sizeof(sums));
        } else if (!event->fails_to && !event->format_lba_bytes) {
            add_up(&sums[event->cmd.op], event);
        }
    }
    for (SsdOp op = 0; op < SSD_OP_COUNT; op++) {
        compare_op(pair, text, op, &sums[op]);
        ops += sums[op].count + sums[op].errors != 0;
    }
    g_assert_cmpuint(json_length(text, "ops"), ==, ops);
}
