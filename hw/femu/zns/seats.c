/*
 * Seats: which zones may have a part of a page in the write buffer.
 *
 * A part of a page stays in the buffer until its zone has more; complete pages
 * leave it by themselves. So writes can only wait for each other for ever if
 * parts take all room. Beside a portion the buffer has room for so many parts as
 * there are seats, and a zone without a seat waits before it puts anything in.
 *
 * Knows nothing of what a part is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "zns_internal.h"

/*
 * A zone asks for a seat when a write of it is handed off, is served in the order
 * of asking, and has the seat until none of its writes is left and it holds no
 * part. Then somebody always goes on: a namespace has at least so many seats as
 * it can have active zones (a rule of the parameters). If all its seats are taken
 * and nobody who has one goes on, each of these zones holds a part and has no
 * write: it is active. So it was when the first that waits for a seat was
 * submitted, behind which it has not asked; but then this one was active beside
 * all of them, or became full at that moment, one more than can be.
 */

void seats_init(Zns *zns)
{
    Seats *seats = &zns->seats;
    uint64_t count;

    /* Without a buffer it is 0 less a portion, as a number more than all zones. */
    count = (zns->params->write_buffer_bytes -
             zns->params->buffer_portion_bytes) / zns->media->page_bytes;
    /* The conventional namespace has one part, always, and needs no seat. */
    count = (count - ssd_params_buffers_log(zns->params)) /
            zns->params->namespaces;
    if (count >= zns->ns->ns_zones) {
        return;
    }
    seats->count = count;
    seats->zones = g_new0(Seat, zns->params->zones);
    seats->lines = g_new(SeatLine, zns->params->namespaces);
    for (uint32_t i = 0; i < zns->params->namespaces; i++) {
        seats->lines[i] = (SeatLine) {
            .first_zone_idx = SSD_NONE,
            .last_zone_idx = SSD_NONE,
        };
    }
}

void seats_destroy(Zns *zns)
{
    g_free(zns->seats.lines);
    g_free(zns->seats.zones);
}

SeatLine *seats_line(Zns *zns, uint32_t zone_idx)
{
    return &zns->seats.lines[ns_of_zone(zns->ns, zone_idx) - zns->ns->at];
}

static void wait_in(Seats *seats, SeatLine *line, uint32_t zone_idx)
{
    seats->zones[zone_idx] = (Seat) {
        .state = SEAT_WAITED_FOR,
        .prev_zone_idx = line->last_zone_idx,
        .next_zone_idx = SSD_NONE,
    };
    if (line->last_zone_idx == SSD_NONE) {
        line->first_zone_idx = zone_idx;
    } else {
        seats->zones[line->last_zone_idx].next_zone_idx = zone_idx;
    }
    line->last_zone_idx = zone_idx;
}

static void leave(Seats *seats, SeatLine *line, uint32_t zone_idx)
{
    const Seat *seat = &seats->zones[zone_idx];

    if (seat->prev_zone_idx == SSD_NONE) {
        line->first_zone_idx = seat->next_zone_idx;
    } else {
        seats->zones[seat->prev_zone_idx].next_zone_idx = seat->next_zone_idx;
    }
    if (seat->next_zone_idx == SSD_NONE) {
        line->last_zone_idx = seat->prev_zone_idx;
    } else {
        seats->zones[seat->next_zone_idx].prev_zone_idx = seat->prev_zone_idx;
    }
}

/*
 * Writes that are let in in the order of their hand-offs need no seats as long as
 * none of them waits elsewhere: before the turn of one that fills its zone come
 * all writes of the zones that became full before it.
 */
static bool needs_none(const Zns *zns)
{
    return !zns->params->take_turns && !zns->params->buffer_turns &&
           zns->queued_count == 0;
}

void seats_ask(Zns *zns, uint32_t zone_idx)
{
    Seats *seats = &zns->seats;
    SeatLine *line;

    if (seats->zones == NULL || seats->zones[zone_idx].state != SEAT_NONE) {
        return;
    }
    line = seats_line(zns, zone_idx);
    if (line->taken_count < seats->count || needs_none(zns)) {
        line->taken_count++;
        seats->zones[zone_idx].state = SEAT_TAKEN;
    } else {
        wait_in(seats, line, zone_idx);
    }
}

/* A seat is free: for who has waited for it longest. */
static void pass_on(Zns *zns, SeatLine *line)
{
    uint32_t zone_idx = line->first_zone_idx;

    if (--line->taken_count >= zns->seats.count || zone_idx == SSD_NONE) {
        return;
    }
    line->taken_count++;
    leave(&zns->seats, line, zone_idx);
    zns->seats.zones[zone_idx].state = SEAT_TAKEN;
    jobs_zone_due(zns, zone_idx);
}

void seats_give_up(Zns *zns, uint32_t zone_idx)
{
    Seats *seats = &zns->seats;
    SeatState state;

    if (seats->zones == NULL || seats->zones[zone_idx].state == SEAT_NONE) {
        return;
    }
    state = seats->zones[zone_idx].state;
    seats->zones[zone_idx].state = SEAT_NONE;
    if (state == SEAT_WAITED_FOR) {
        leave(seats, seats_line(zns, zone_idx), zone_idx);
    } else {
        pass_on(zns, seats_line(zns, zone_idx));
    }
}

void seats_put(Zns *zns, uint32_t zone_idx)
{
    if (zns->seats.zones != NULL) {
        zns->seats.zones[zone_idx].state = SEAT_TAKEN;
        seats_line(zns, zone_idx)->taken_count++;
    }
}
