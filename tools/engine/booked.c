/*
 * Work of channels that is booked waits here for its end.
 *
 * Knows nothing of who wants to see it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "booked.h"

void booked_init(Booked *booked, SimBusySink *sink, void *context)
{
    g_queue_init(&booked->entries);
    booked->sink = sink;
    booked->context = context;
}

void booked_clear(Booked *booked)
{
    g_queue_clear_full(&booked->entries, g_free);
}

/*
 * The first one that is not over holds the others back: they need no order, and
 * what is booked ahead is short.
 */
static void hand_on(Booked *booked, uint64_t now_ns)
{
    const SsdBusy *first;

    while ((first = g_queue_peek_head(&booked->entries)) &&
           first->end_at_ns <= now_ns) {
        g_autofree SsdBusy *busy = g_queue_pop_head(&booked->entries);

        booked->sink(booked->context, busy);
    }
}

void booked_take(Booked *booked, Ssd *ssd, uint64_t now_ns)
{
    SsdBusy busy;

    while (ssd_busy_log_take(ssd, &busy, 1) > 0) {
        g_queue_push_tail(&booked->entries, g_memdup2(&busy, sizeof(busy)));
    }
    hand_on(booked, now_ns);
}

void booked_cut(Booked *booked, uint64_t end_at_ns)
{
    SsdBusy *busy;

    while ((busy = g_queue_pop_head(&booked->entries))) {
        busy->end_at_ns = MIN(busy->end_at_ns, end_at_ns);
        if (busy->begin_at_ns < end_at_ns) {
            booked->sink(booked->context, busy);
        }
        g_free(busy);
    }
}
