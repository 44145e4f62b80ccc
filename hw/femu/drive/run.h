/*
 * Time, for the files of drive/ that are the waist.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_RUN_H
#define FEMU_RUN_H

#include "drive.h"

/* Run the drive up to and including now_ns. */
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
/* The command's work begins: its hand-off. Effects are still to be drained. */
void ssd_begin(Ssd *ssd, uint64_t now_ns, uint32_t command_idx);
/* Act upon all effects, and on the effects of that. */
void ssd_drain_effects(Ssd *ssd, uint64_t now_ns);
static inline void ssd_drain(Ssd *ssd, uint64_t now_ns)
{
    if (effects_wait(&ssd->effects)) {
        ssd_drain_effects(ssd, now_ns);
    }
}

#endif
