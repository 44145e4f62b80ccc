/*
 * A power cut: of a drive, another one is made, which is what comes back.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "run.h"

Ssd *ssd_power_cut(Ssd *ssd, uint64_t now_ns, uint64_t seed)
{
    Ssd *next;

    ssd_run(ssd, now_ns);
    next = ssd_new(&ssd->params);
    next->run_at_ns = now_ns + ssd->params.power_up_ns;
    for (uint32_t i = 0; i < ssd->ns.count; i++) {
        namespaces_format(&next->ns.at[i], &ssd->params,
                          ssd->ns.at[i].lba_bytes);
    }
    media_power_cut(&next->media, &ssd->media);
    zns_power_cut(&next->zns, &ssd->zns, next->run_at_ns, seed);
    conv_power_cut(&next->conv, &ssd->conv);
    ssd_wear_kept(next);
    if (ssd->media.flash.busy.size != 0) {
        ssd_busy_log_start(next, ssd->media.flash.busy.size);
    }
    ssd_stats_reset(next, next->run_at_ns);
    return next;
}

uint64_t ssd_programs(const Ssd *ssd)
{
    return ssd->media.flash.counters.programs;
}

uint64_t ssd_next_step_at_ns(const Ssd *ssd)
{
    return MIN(event_heap_next_at_ns(&ssd->events),
               ssd->zns.watch.next_at_ns);
}
