/*
 * The power goes, and comes back: when a user has asked for it, and what of the
 * drive is there then. What the controller is then, is for others to say.
 *
 * Knows nothing of queues, registers or guests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "request_internal.h"
#include "../ns/ns.h"
#include "../record/record.h"

/* What there was before this QEMU counts for instants alone. */
void femu_power_init(FemuZns *n)
{
    n->programs_before = ssd_programs(n->ssd);
    if (n->cut_at_ns <= n->now_ns) {
        n->cut_at_ns = 0;
    }
}

/* Does the power go at this instant? Each reason counts once. */
bool femu_power_cut_due(FemuZns *n)
{
    if (n->cut_at_ns && n->now_ns >= n->cut_at_ns) {
        n->cut_at_ns = 0;
        n->cut_noted = true;
    }
    if (n->cut_at_program &&
        ssd_programs(n->ssd) - n->programs_before >= n->cut_at_program) {
        n->cut_at_program = 0;
        n->cut_noted = true;
    }
    return n->cut_noted;
}

/* When to look again, in core time; UINT64_MAX: whenever there is a reason. */
uint64_t femu_power_next_at_ns(const FemuZns *n)
{
    uint64_t next_at_ns = n->cut_at_ns ? n->cut_at_ns : UINT64_MAX;

    return n->cut_at_program ? MIN(next_at_ns, ssd_next_step_at_ns(n->ssd))
                             : next_at_ns;
}

/* Has the drive had the time that a start takes? */
bool femu_power_is_back(const FemuZns *n)
{
    return n->base_ns + n->clock_ns / n->dilation >= ssd_now_ns(n->ssd);
}

/* The core, and data, as they are when the power is back. */
void femu_power_core_cut(FemuZns *n, uint64_t seed)
{
    Ssd *next = ssd_power_cut(n->ssd, n->now_ns, seed);

    femu_trace_power_cut(n, seed);
    ssd_free(n->ssd);
    n->ssd = next;
    for (uint32_t i = 0; i < n->ns_count; i++) {
        femu_zones_power_cut(n, &n->ns[i]);
    }
    n->shutdown = FEMU_SHUTDOWN_IDLE;
    n->programs_before = 0;
    n->now_ns = ssd_now_ns(next);
}

/* Commands that are inside get no answer: the trace knows of them no more. */
static void discard_inside(FemuZns *n)
{
    femu_req_discard(n, NULL);
    for (uint32_t tag = 0; tag < n->params.cmd_slots; tag++) {
        if (n->req[tag].format_ns) {
            femu_trace_discard(n, n->req[tag].trace_seq);
        }
    }
}

/* The power goes now; what is due has been delivered. */
void femu_power_cut(FemuZns *n)
{
    n->cut_noted = false;
    discard_inside(n);
    femu_power_core_cut(n, n->cut_seed);
    femu_req_forget_all(n);
    femu_history_flush(n);
    femu_kept_begin(n);
}
