/*
 * What channels and units did, held back until it is over: a channel's work is
 * logged when it is booked, and it may lie ahead of the clock.
 *
 * Knows nothing of who wants to see it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_BOOKED_H
#define FEMU_SIM_BOOKED_H

#include "ssd.h"

/* Called for what channels and units did. */
typedef void SimBusySink(void *context, const SsdBusy *busy);

/* Work in the order in which it was logged. */
typedef struct Booked {
    GQueue entries; /* of SsdBusy, allocated */
    SimBusySink *sink;
    void *context;
} Booked;

void booked_init(Booked *booked, SimBusySink *sink, void *context);
void booked_clear(Booked *booked);

/* The drive's clock is at now_ns: hand on what was over by then. */
void booked_take(Booked *booked, Ssd *ssd, uint64_t now_ns);

/* Nothing goes on behind end_at_ns: what began before then ends there. */
void booked_cut(Booked *booked, uint64_t end_at_ns);

#endif
