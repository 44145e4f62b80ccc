/*
 * The device's only timer. When it expires, that is an entry (femu_entry.c).
 *
 * Knows nothing of what is due.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "system/accel-ops.h"
#include "system/cpu-timers.h"
#include "system/runstate.h"
#include "controller.h"
#include "../request/request.h"

/*
 * All drives, in the order of realize. QEMU calls timers that expire at the
 * same instant in the order in which they were set, which a drive that has been
 * loaded does not remember; with this list they go in an order that it has.
 */
static GPtrArray *drives;

/* References to n and to the drives whose timers expire at the same instant. */
static GPtrArray *expired_with(FemuZns *n)
{
    int64_t now_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    GPtrArray *expired = g_ptr_array_new_with_free_func(object_unref);

    for (guint i = 0; i < drives->len; i++) {
        FemuZns *other = drives->pdata[i];

        if (other == n || timer_expired(other->timer, now_ns)) {
            g_ptr_array_add(expired, object_ref(OBJECT(other)));
        }
    }
    return expired;
}

static void time_expired(void *opaque)
{
    g_autoptr(GPtrArray) expired = expired_with(opaque);

    for (guint i = 0; i < expired->len; i++) {
        FemuZns *n = expired->pdata[i];

        timer_del(n->timer);
        femu_entry_begin(n);
        femu_entry_end(n);
    }
}

/* Has virtual time been advanced by all instructions of the last slice? */
static bool vcpu_slice_is_counted(CPUState *cpu)
{
    return qatomic_read(&cpu->icount_budget) == 0;
}

/*
 * Work around a race in QEMU's icount mode, by which virtual time is not exact.
 * HLT marks a vCPU as halted while virtual time has not yet been advanced by
 * the instructions before it. If the main loop finds all vCPUs idle just then,
 * it warps virtual time from a stale value, and so too far: on a loaded
 * machine, one run in a few had one I/O that ended microseconds late. Before
 * QEMU takes a vCPU for idle, it also asks the accelerator's
 * cpu_thread_is_idle(). TCG has none, so this one is installed: a vCPU is not
 * idle before its slice has been counted. The vCPU's thread asks again after
 * its slice, so no wake-up is lost. There is one AccelOpsClass for TCG: a
 * second drive changes nothing more.
 */
static void time_wait_for_slices(void)
{
    if (icount_enabled()) {
        ACCEL_OPS_CLASS(object_class_by_name(ACCEL_OPS_NAME("tcg")))
            ->cpu_thread_is_idle = vcpu_slice_is_counted;
    }
}

/*
 * The machine has been stopped, so that it can be saved. Timers whose instant
 * has come, but which no vCPU has got round to, expire now: as they would
 * without the stop, before the next instruction. Saved as they are, some would
 * not be what they were: QEMU's HPET takes a comparator that lies behind its
 * counter for one that is 2^32 ticks ahead, and the guest loses its tick for
 * 43 s. At QEMU's end it does not matter, and is left alone.
 */
static void machine_stopped(void *opaque, bool running, RunState state)
{
    if (!running && state != RUN_STATE_SHUTDOWN) {
        qemu_clock_enable(QEMU_CLOCK_VIRTUAL, true);
        qemu_clock_run_timers(QEMU_CLOCK_VIRTUAL);
        qemu_clock_enable(QEMU_CLOCK_VIRTUAL, false);
    }
}

/* For all drives of a machine once; only under icount is time exact. */
static void time_stop_exactly(void)
{
    static bool done;

    if (icount_enabled() && !done) {
        qemu_add_vm_change_state_handler(machine_stopped, NULL);
        done = true;
    }
}

void femu_time_init(FemuZns *n)
{
    time_wait_for_slices();
    time_stop_exactly();
    n->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, time_expired, n);
    if (!drives) {
        drives = g_ptr_array_new();
    }
    g_ptr_array_add(drives, n);
    femu_time_enter(n);
}

/* There may be no timer: femu_time_init() was not called. */
void femu_time_exit(FemuZns *n)
{
    if (n->timer) {
        g_ptr_array_remove(drives, n);
        timer_free(n->timer);
        n->timer = NULL;
    }
}

/* When the timer expires; INT64_MAX: it does not. */
int64_t femu_timer_at_ns(const FemuZns *n)
{
    return timer_pending(n->timer) ? timer_expire_time_ns(n->timer)
                                   : INT64_MAX;
}

/*
 * The drive has been loaded: the timer expires then, or for a power cut that
 * only this QEMU has been asked for, if that comes before.
 */
void femu_timer_set(FemuZns *n, int64_t at_ns)
{
    uint64_t cut_at_ns = femu_power_next_at_ns(n);

    if (cut_at_ns != UINT64_MAX) {
        at_ns = MIN(at_ns, femu_time_of(n, cut_at_ns));
    }
    if (at_ns == INT64_MAX) {
        timer_del(n->timer);
    } else {
        timer_mod_ns(n->timer, at_ns);
    }
}
