/*
 * The host link: a clock for each direction. What comes in is a ring of
 * portions, each of which has an instant at which it is there; what goes out
 * holds its command back until it has crossed.
 *
 * Requests for data and completions have a few bytes and take no time, but
 * nothing passes the data that are on their way to the host when they are sent
 * (PCI Express Base, "Transaction Ordering": no request passes a posted write).
 *
 * Knows nothing of zones, flash or the buffer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_LINK_H
#define FEMU_LINK_H

#include "../base/bounds.h"
#include "../base/local_clock.h"
#include "../inside/commands.h"
#include "../inside/events.h"
#include "../params.h"

/* Data of a write on their way to the drive. */
typedef struct LinkPortion {
    uint64_t begin_at_ns; /* when they begin to cross */
    uint64_t at_ns; /* when they are there */
    uint32_t command_idx;
    uint32_t bytes;
    bool is_last;
} LinkPortion;

typedef struct Link {
    uint64_t in_ns; /* for a MiB, as the next; 0: no time */
    uint64_t out_ns;
    LocalClock in;
    LocalClock out;
    Commands *commands;
    EventHeap *events;
    LinkPortion *portions;
    uint32_t capacity;
    uint32_t head;
    uint32_t count;
} Link;

/* What it can have under way, for the drive's tables. */
void link_bounds(Bounds *bounds);

void link_init(Link *link, const SsdParams *params, Commands *commands,
               EventHeap *events);
void link_destroy(Link *link);

/* Send `bytes` of a write to the drive; at EVENT_LINK they are there. */
void link_in(Link *link, uint64_t now_ns, uint32_t command_idx, uint32_t bytes,
             bool is_last);
/* The same; of the bytes so many are the host's, which take time. */
void link_in_part(Link *link, uint64_t now_ns, uint32_t command_idx,
                  uint32_t bytes, uint32_t host_bytes, bool is_last);
/* EVENT_LINK. Return: what is there. */
LinkPortion link_arrived(Link *link);

/* link_state.c: as bytes; see base/state.h. */
typedef struct State State;
void link_state(Link *link, State *state);
/* Portion `i` behind the first. */
const LinkPortion *link_portion(const Link *link, uint32_t i);

/* A compare's data come in beside what it reads. */
void link_compare(Link *link, uint64_t now_ns, uint32_t command_idx);

/* Send `bytes` of a read to the host. */
void link_out(Link *link, uint64_t now_ns, uint32_t command_idx,
              uint32_t bytes);

/*
 * Send a completion. A read's goes with its data, that of any other host I/O
 * behind what is on its way; management, which takes far longer, does not wait.
 * Return: is it there later, at one more EVENT_LEAVING?
 */
bool link_holds_completion(Link *link, uint64_t now_ns, uint32_t command_idx);
static inline bool link_completes_later(Link *link, uint64_t now_ns,
                                        uint32_t command_idx)
{
    return link->out.busy_until_at_ns > now_ns &&
           link_holds_completion(link, now_ns, command_idx);
}

#endif
