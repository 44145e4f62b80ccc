/*
 * When the drive has to be entered next, and who does it: the main loop, by the
 * timer, or while it polls the drive's own thread (iothread=).
 *
 * Knows nothing of what is due then.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "controller_internal.h"
#include "../../trace.h"

static bool thread_polls(const FemuZns *n)
{
    return n->thread && n->thread->polls;
}

/*
 * The instant of QEMU_CLOCK_VIRTUAL at which the timer expires; INT64_MAX: it
 * does not, as while the thread polls.
 */
int64_t femu_alarm_at_ns(const FemuZns *n)
{
    return timer_pending(n->timer) ? timer_expire_time_ns(n->timer)
                                   : INT64_MAX;
}

static void timer_set(FemuZns *n, int64_t at_ns)
{
    if (femu_alarm_at_ns(n) == at_ns) {
        return;
    }
    trace_femu_timer_arm(n->clock_ns, at_ns);
    if (at_ns == INT64_MAX) {
        timer_del(n->timer);
    } else {
        timer_mod_ns(n->timer, at_ns);
    }
}

/*
 * Have the drive entered at this instant, and at no other before. The main loop
 * would be late: a thread that rests begins to poll if that is soon.
 */
void femu_alarm_set(FemuZns *n, int64_t at_ns)
{
    FemuThread *thread = n->thread;

    if (!thread_polls(n)) {
        timer_set(n, at_ns);
        if (thread && at_ns - n->clock_ns < thread->ctx->poll_max_ns) {
            qemu_bh_schedule(thread->bh);
        }
        return;
    }
    qatomic_set_i64(&thread->at_ns, at_ns);
    if (timer_pending(n->timer)) {
        timer_del(n->timer);
    }
}
