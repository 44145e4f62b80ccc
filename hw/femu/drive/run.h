/*
 * What run.c has for those files of drive/ that implement ssd.h.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_RUN_H
#define FEMU_RUN_H

#include "drive.h"

/* Let all happen that is due up to and including now_ns. */
void ssd_run_due(Ssd *ssd, uint64_t now_ns);
static inline void ssd_run(Ssd *ssd, uint64_t now_ns)
{
    g_assert(now_ns >= ssd->run_at_ns);
    if (MIN(event_heap_next_at_ns(&ssd->events),
            ssd->zns.watch.next_at_ns) <= now_ns) {
        ssd_run_due(ssd, now_ns);
    }
    ssd->run_at_ns = now_ns;
}
/* Begin the command's work; the caller calls ssd_drain() afterwards. */
void ssd_begin(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);
/* Act upon all effects, and upon those that this creates. */
void ssd_drain_effects(Ssd *ssd, uint64_t now_ns);
static inline void ssd_drain(Ssd *ssd, uint64_t now_ns)
{
    if (effects_wait(&ssd->effects)) {
        ssd_drain_effects(ssd, now_ns);
    }
}

#endif
