/*
 * Power cuts: whether one that a user has asked for is due, and what becomes of
 * the core, the data and the commands inside.
 *
 * Knows nothing of queues, registers or guests, so not of the controller reset
 * that comes with a power cut.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "request_internal.h"
#include "../ns/ns.h"
#include "../record/record.h"

/* Programs that have ended in this QEMU, or since the last power cut. */
static uint64_t programs(const FemuZns *n)
{
    return ssd_programs(n->ssd) - n->programs_before;
}

/*
 * Commands and programs are counted from the start of this QEMU, but cut_at_ns
 * is in core time, which a state continues: if it is over, there is no cut.
 */
void femu_power_init(FemuZns *n)
{
    n->programs_before = ssd_programs(n->ssd);
    if (n->cut_at_ns <= n->now_ns) {
        n->cut_at_ns = 0;
    }
}

/*
 * The drive has been loaded, and its cuts are the properties of this QEMU: they
 * count as if it had always been here, so those that would be over are.
 */
void femu_power_go_on(FemuZns *n)
{
    if (n->cut_at_ns <= n->now_ns) {
        n->cut_at_ns = 0;
    }
    if (n->program_cut_over || n->cut_at_program <= programs(n)) {
        n->cut_at_program = 0;
    }
}

/* Is a power cut due at this instant? Each of the properties cuts it once. */
bool femu_power_cut_due(FemuZns *n)
{
    if (n->cut_at_ns && n->now_ns >= n->cut_at_ns) {
        n->cut_at_ns = 0;
        n->cut_noted = true;
    }
    if (n->cut_at_program && programs(n) >= n->cut_at_program) {
        n->cut_at_program = 0;
        n->program_cut_over = true;
        n->cut_noted = true;
    }
    return n->cut_noted;
}

/*
 * The core time by which femu_power_cut_due() must be asked again; UINT64_MAX
 * if no power cut can become due by the passing of time.
 */
uint64_t femu_power_next_at_ns(const FemuZns *n)
{
    uint64_t next_at_ns = n->cut_at_ns ? n->cut_at_ns : UINT64_MAX;

    return n->cut_at_program ? MIN(next_at_ns, ssd_next_step_at_ns(n->ssd))
                             : next_at_ns;
}

/* Have power-up-ns passed since the last power cut, if there was one? */
bool femu_power_is_back(const FemuZns *n)
{
    return n->base_ns + n->clock_ns / n->dilation >= ssd_now_ns(n->ssd);
}

/*
 * Replace the core by what a power cut makes of it, and drop the data that are
 * lost. Core time becomes the instant at which the drive is ready again.
 */
void femu_power_core_cut(FemuZns *n, uint64_t seed)
{
    Ssd *next = ssd_power_cut(n->ssd, n->now_ns, seed);

    femu_trace_power_cut(n, seed);
    ssd_free(n->ssd);
    n->ssd = next;
    for (uint32_t i = 0; i < n->ns_count; i++) {
        FemuNs *ns = &n->ns[i];
        uint32_t lba_bytes = ns->lba_bytes;

        femu_zones_power_cut(n, ns);
        if (ns->lba_bytes != lba_bytes) { /* it was being formatted */
            femu_inject_clear(ns);
        }
    }
    n->programs_before = 0;
    n->now_ns = ssd_now_ns(next);
}

/*
 * No command inside will be completed: the traces record all as discarded, the
 * zone resets of a format included, which belong to no queue.
 */
static void discard_inside(FemuZns *n)
{
    femu_req_discard(n, NULL);
    for (uint32_t tag = 0; tag < n->params.cmd_slots; tag++) {
        if (n->req[tag].format_ns) {
            femu_trace_discard(n, n->req[tag].trace_seq);
        }
    }
}

/* Cut the power now. The caller has posted all completions that are due. */
void femu_power_cut(FemuZns *n)
{
    n->cut_noted = false;
    discard_inside(n);
    femu_power_core_cut(n, n->cut_seed);
    femu_req_forget_all(n);
    femu_history_flush(n);
    femu_kept_begin(n);
}
