/*
 * Events of the flash as who asks why needs them: when that of an operation
 * comes, and whom a channel, or the controller's issue of programs, serves.
 *
 * Both are clocks: what was booked first is served first, and has the earliest
 * event. So what a clock has booked is put in order once; an instant later the
 * same order holds, without those that are over, and what has been booked since
 * is behind it. It is read anew only when it has run out.
 *
 * Knows nothing of whose operations these are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "why.h"

/* What a clock has booked, in order. */
typedef struct Booked {
    GArray *events; /* of Event; the payload is the token */
    uint32_t first; /* those before it are over */
} Booked;

struct WhyClocks {
    uint32_t count;
    Booked *at; /* [channel], and the controller's issue behind them */
};

WhyClocks *why_clocks_new(const Ssd *ssd)
{
    WhyClocks *clocks = g_new(WhyClocks, 1);

    clocks->count = ssd->media.flash.config.channels + 1;
    clocks->at = g_new(Booked, clocks->count);
    for (uint32_t i = 0; i < clocks->count; i++) {
        clocks->at[i] = (Booked) {
            .events = g_array_new(FALSE, FALSE, sizeof(Event)),
        };
    }
    return clocks;
}

void why_clocks_free(WhyClocks *clocks)
{
    for (uint32_t i = 0; i < clocks->count; i++) {
        g_array_unref(clocks->at[i].events);
    }
    g_free(clocks->at);
    g_free(clocks);
}

/* Some events of the queue, side by side: a part of a lane, or the heap. */
typedef struct Stretch {
    const Event *events;
    uint32_t count;
} Stretch;

enum { STRETCHES = 2 * EVENT_LANES + 1 };

static void find_stretches(const EventHeap *heap, Stretch *stretches)
{
    for (unsigned i = 0; i < EVENT_LANES; i++) {
        const EventLane *lane = &heap->lanes[i];
        uint32_t head = lane->head % EVENT_LANE_SIZE;
        uint32_t behind = MIN(lane->count, EVENT_LANE_SIZE - head);

        stretches[2 * i] = (Stretch) { &lane->events[head], behind };
        stretches[2 * i + 1] = (Stretch) { lane->events,
                                           lane->count - behind };
    }
    stretches[STRETCHES - 1] = (Stretch) { heap->events, heap->count };
}

uint64_t why_event_at_ns(const Why *why, uint32_t payload)
{
    Stretch stretches[STRETCHES];

    find_stretches(&why->ssd->events, stretches);
    for (unsigned i = 0; i < STRETCHES; i++) {
        for (uint32_t j = 0; j < stretches[i].count; j++) {
            if (stretches[i].events[j].payload == payload) {
                return stretches[i].events[j].key >> 64;
            }
        }
    }
    return UINT64_MAX;
}

/* Names of the flash's events are the lowest, see event_name(). */
static bool is_of_token(const Flash *flash, const Event *event)
{
    return event->payload < flash->config.op_capacity;
}

uint64_t *why_token_events(const Why *why)
{
    const Flash *flash = &why->ssd->media.flash;
    uint64_t *at_ns = g_new(uint64_t, flash->fresh_idx);
    Stretch stretches[STRETCHES];

    for (uint32_t i = 0; i < flash->fresh_idx; i++) {
        at_ns[i] = UINT64_MAX;
    }
    find_stretches(&why->ssd->events, stretches);
    for (unsigned i = 0; i < STRETCHES; i++) {
        for (uint32_t j = 0; j < stretches[i].count; j++) {
            const Event *event = &stretches[i].events[j];

            if (is_of_token(flash, event)) {
                at_ns[event->payload] = event->key >> 64;
            }
        }
    }
    return at_ns;
}

/* Which clock an operation that is not at its unit is at. */
static uint32_t clock_of(const Flash *flash, const FlashToken *token)
{
    return flash_is_issuing(token)
           ? flash->config.channels
           : flash->units[token->op.unit_idx].channel_idx;
}

static int by_key(const void *a, const void *b)
{
    EventKey first = ((const Event *)a)->key, second = ((const Event *)b)->key;

    return (first > second) - (first < second);
}

static void read_events(WhyClocks *clocks, const Flash *flash,
                        const Stretch *stretch)
{
    for (uint32_t i = 0; i < stretch->count; i++) {
        const Event *event = &stretch->events[i];

        if (is_of_token(flash, event) &&
            !flash->tokens[event->payload].at_unit) {
            const FlashToken *token = &flash->tokens[event->payload];

            g_array_append_vals(clocks->at[clock_of(flash, token)].events,
                                event, 1);
        }
    }
}

static void read_clocks(WhyClocks *clocks, const Ssd *ssd)
{
    Stretch stretches[STRETCHES];

    for (uint32_t i = 0; i < clocks->count; i++) {
        clocks->at[i].first = 0;
        g_array_set_size(clocks->at[i].events, 0);
    }
    find_stretches(&ssd->events, stretches);
    for (unsigned i = 0; i < STRETCHES; i++) {
        read_events(clocks, &ssd->media.flash, &stretches[i]);
    }
    for (uint32_t i = 0; i < clocks->count; i++) {
        g_array_sort(clocks->at[i].events, by_key);
    }
}

/* An event is never taken back: it is over once its time is. */
static const Event *first_of(Booked *booked, uint64_t now_ns)
{
    while (booked->first < booked->events->len) {
        const Event *event = &g_array_index(booked->events, Event,
                                            booked->first);

        if (event->key >> 64 > now_ns) {
            return event;
        }
        booked->first++;
    }
    return NULL;
}

const FlashToken *why_served(Why *why, const FlashToken *waiting,
                             uint64_t *until_ns)
{
    const Flash *flash = &why->ssd->media.flash;
    Booked *booked = &why->clocks->at[clock_of(flash, waiting)];
    bool is_between = event_heap_next_at_ns(&why->ssd->events) <= why->now_ns;
    const Event *first = is_between ? NULL : first_of(booked, why->now_ns);

    /* Amid an instant nobody knows which of its events are over: read them. */
    if (!first) {
        read_clocks(why->clocks, why->ssd);
        first = &g_array_index(booked->events, Event, 0);
        g_assert(booked->events->len > 0);
    }
    *until_ns = first->key >> 64;
    return &flash->tokens[first->payload];
}
