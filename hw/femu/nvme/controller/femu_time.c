/*
 * Doing all that can be done at the present instant, and setting the timer for
 * the next one at which there is something to do.
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

/*
 * Set the alarm to the next instant at which the core has something to do, a
 * power cut is due or an interrupt must not be held back any longer; stop it if
 * there is none. (UINT64_MAX, which an idle core returns, must not become a
 * signed deadline: it would lie in the past.)
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
    if (next_at_ns != UINT64_MAX) {
        deadline_ns = MIN(deadline_ns, femu_time_of(n, next_at_ns));
    }
    femu_alarm_set(n, deadline_ns);
}

/*
 * Send the interrupts that are due. In an entry without QEMU's lock that is not
 * always possible: then this has to be done once more, with the lock.
 */
void femu_time_tell(FemuZns *n)
{
    femu_irq_run(n, false);
    if (!femu_irq_waits(n)) {
        femu_req_told(n);
    }
    time_arm(n);
}

/*
 * Do all that can be done now: complete the commands that are done, fetch those
 * for which there is room, and again, until nothing more is due at this
 * instant. The loop ends: femu_req_deliver_due() leaves nothing due in the
 * core, so there is another round only if commands have been submitted to it
 * since, of which queues, formats and a shutdown have finitely many.
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
        femu_req_flush(n); /* of what is done: before new commands, and ... */
        femu_queues_fetch(n);
        femu_req_flush(n); /* ... of those that have been executed at once */
    } while (ssd_next_at_ns(n->ssd) <= n->now_ns);
    if (n->cut_noted) { /* then all this is done again, after the reset */
        femu_power_cut(n);
        femu_format_power_cut(n);
        femu_zone_change_power_cut(n);
        n->entry.reset_noted = true;
    }
    femu_time_tell(n);
}
