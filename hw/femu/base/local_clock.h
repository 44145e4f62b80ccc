/*
 * A local clock: a resource that serves in the order in which it is asked,
 * kept as the instant until which it is busy (ConfZNS, Algorithm 1).
 *
 * Knows nothing of what the resource is.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_LOCAL_CLOCK_H
#define FEMU_LOCAL_CLOCK_H

#include <stdint.h>

typedef struct LocalClock {
    uint64_t busy_until_at_ns;
    uint64_t booked_ns; /* sum of all service times ever booked */
} LocalClock;

/*
 * Book `service_ns` at `now_ns`: idle, it starts now; busy, when free.
 * Return: the instant at which the service ends.
 */
static inline uint64_t local_clock_book(LocalClock *clock, uint64_t now_ns,
                                        uint64_t service_ns)
{
    uint64_t start_at_ns = clock->busy_until_at_ns > now_ns
                           ? clock->busy_until_at_ns : now_ns;

    clock->busy_until_at_ns = start_at_ns + service_ns;
    clock->booked_ns += service_ns;
    return clock->busy_until_at_ns;
}

/*
 * Time for which the resource has been busy up to `now_ns`; needs bookings that
 * were made when they were asked for. What is booked past now is one unbroken
 * stretch then, for they leave no gap while busy.
 */
static inline uint64_t local_clock_busy_ns(const LocalClock *clock,
                                           uint64_t now_ns)
{
    uint64_t ahead_ns = clock->busy_until_at_ns > now_ns
                        ? clock->busy_until_at_ns - now_ns : 0;

    return clock->booked_ns - ahead_ns;
}

#endif
