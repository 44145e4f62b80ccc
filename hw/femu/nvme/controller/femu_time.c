/*
 * Time goes on: all that can be done now, and when to look again.
 *
 * Knows nothing of what the commands do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "controller_internal.h"
#include "../admin/admin.h"
#include "../completion/completion.h"
#include "../event/event.h"
#include "../fetch/fetch.h"
#include "../irq/irq.h"
#include "../request/request.h"
#include "../../trace.h"

/*
 * Arm the timer for the next instant of the core or of a held interrupt, or
 * stop it: an idle core says UINT64_MAX, which as a signed deadline would lie in
 * the past for ever.
 */
static void time_arm(FemuZns *n)
{
    uint64_t next_at_ns = MIN(ssd_next_at_ns(n->ssd),
                              femu_power_next_at_ns(n));
    int64_t deadline_ns = n->fetch_unfinished ? n->clock_ns + 1
                                              : femu_irq_next_at_ns(n);

    if (n->enable_waits) {
        next_at_ns = MIN(next_at_ns, ssd_now_ns(n->ssd));
    }
    if (next_at_ns == UINT64_MAX && deadline_ns == INT64_MAX) {
        timer_del(n->timer);
        return;
    }
    if (next_at_ns != UINT64_MAX) {
        deadline_ns = MIN(deadline_ns, femu_time_of(n, next_at_ns));
    }
    if (!timer_pending(n->timer) ||
        timer_expire_time_ns(n->timer) != deadline_ns) {
        trace_femu_timer_arm(n->clock_ns, deadline_ns);
        timer_mod_ns(n->timer, deadline_ns);
    }
}

/*
 * Do all that can be done now: deliver what is due, fetch what there is room
 * for, until neither leads to anything at this instant. Ends: every round
 * fetches at least one of finitely many queued commands, because after a
 * delivery the core's next instant is later than now.
 */
void femu_time_run(FemuZns *n)
{
    femu_ctrl_run(n);
    femu_cqs_unpark(n);
    do {
        femu_req_deliver_due(n);
        if (femu_power_cut_due(n)) {
            break;
        }
        femu_zone_change_poll(n);
        femu_format_run(n);
        femu_shutdown_run(n);
        femu_queues_fetch(n);
    } while (ssd_next_at_ns(n->ssd) <= n->now_ns || femu_power_cut_due(n));
    if (n->cut_noted) {
        femu_power_cut(n);
        femu_format_power_cut(n);
        n->entry.reset_noted = true;
        return;
    }
    femu_irq_run(n, false);
    time_arm(n);
}
