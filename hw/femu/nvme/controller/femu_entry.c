/*
 * Entries: a call into the device on which the controller acts (a register
 * write, the timer, a write to configuration space, a reset, a power cut or
 * zone failure that a user causes) runs between femu_entry_begin() and
 * femu_entry_end(). At the end of an entry all is done that has become due or
 * possible.
 *
 * Knows nothing of what is done inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "controller_internal.h"
#include "../kvm/kvm.h"
#include "../request/request.h"

/*
 * A guest chooses the addresses to which data, completions and interrupt
 * messages are written. If they are addresses that control the drive itself,
 * the write comes back to the device while the entry is running:
 *  - as an access to BAR 0, which is refused: QEMU's memory core lets no MMIO
 *    access to a device happen inside another one (mem_reentrancy_guard), and
 *    entries of other kinds engage that guard, too;
 *  - as a write to configuration space, the drive's or that of a port above it,
 *    which can disable what the entry is about to use (bus mastering, MSI), or
 *    reset (FLR, bus reset) or unplug the drive.
 *
 * Invariant: nothing that an entry works on is freed before its end. A reset is
 * only noted, and takes effect at the end. Queues, core and buffers are part of
 * the object, to which an entry holds a reference, and are freed when it is
 * finalized, not when it is unplugged. What PCI takes away at once when the
 * drive is unplugged, such as configuration space, is only used after a check
 * of femu_entry_open() or femu_can_master(). So from the moment at which a
 * reset is noted nothing is fetched, posted or signalled.
 *
 * A register read is no entry: it changes nothing, and calls nothing that could
 * lead to an entry.
 *
 * The drive's thread enters it alone, without QEMU's big lock. It then reaches
 * RAM only, and sends no interrupt that is a write to memory, so that nothing
 * comes back; QEMU's guard is left to those who have the lock. What needs the
 * lock, such as a reset, stays noted for an entry with it (femu_thread.c).
 */

/*
 * Begin an entry, which femu_entry_end() ends. Only a write to configuration
 * space or a reset can begin one inside another. What the inner one makes due
 * or possible is then done at the end of the outer one.
 */
void femu_entry_begin(FemuZns *n)
{
    femu_lock(n);
    n->entry.has_inner = n->entry.depth++ > 0;
    if (n->entry.has_inner) {
        return;
    }
    object_ref(OBJECT(n));
    if (!n->entry.alone) {
        DEVICE(n)->mem_reentrancy_guard.engaged_in_io = true;
    }
    n->entry.work_bytes = 0;
    femu_time_enter(n);
}

/* Reset the controller, now or at the end of the entry that runs. */
void femu_entry_reset(FemuZns *n)
{
    femu_entry_begin(n);
    n->entry.reset_noted = true;
    femu_entry_end(n);
}

/*
 * Reset the controller if that has been noted, and do all that has become due
 * or possible. The loop ends: a controller that has been reset does nothing
 * that could reset it again.
 */
static void entry_finish(FemuZns *n)
{
    while (n->plugged) {
        bool resets = n->entry.reset_noted;

        if (resets && n->entry.alone) {
            return;
        }
        n->entry.reset_noted = false;
        if (resets) {
            femu_ctrl_hard_reset(n);
        }
        femu_time_run(n);
        if (!n->entry.reset_noted) {
            return;
        }
    }
}

/*
 * The lock goes last: it outlives the drive, which may go with this reference.
 */
static void entry_close(FemuZns *n)
{
    QemuRecMutex *lock = n->lock;

    if (--n->entry.depth == 0) {
        if (!n->entry.alone) {
            /* as QEMU itself does at the end of an access */
            DEVICE(n)->mem_reentrancy_guard.engaged_in_io = false;
        }
        object_unref(OBJECT(n));
    }
    if (lock) {
        qemu_rec_mutex_unlock(lock);
    }
}

/* The thread is told of the doorbells of the queues that there are now. */
static void watch_doorbells(FemuZns *n)
{
    if (n->thread && !n->entry.alone) {
        femu_ioeventfd_sync(n, &n->thread->rung, n->thread->watched);
    }
}

void femu_entry_end(FemuZns *n)
{
    if (n->entry.depth == 1) {
        entry_finish(n);
        watch_doorbells(n);
    }
    entry_close(n);
}

/*
 * An entry with QEMU's lock that sends the interrupts which one without has
 * left, and does nothing else: unless one of them, a write to memory, has led to
 * another entry inside.
 */
void femu_entry_tell(FemuZns *n)
{
    femu_entry_begin(n);
    femu_time_tell(n);
    if (n->entry.has_inner) {
        femu_entry_end(n);
    } else {
        entry_close(n);
    }
}

/*
 * As femu_entry_end(), but if the drive's thread polls, it does what there is
 * to do, a reset that has been noted included, and the caller, a guest's
 * processor, does not wait for that.
 */
void femu_entry_leave(FemuZns *n)
{
    FemuThread *thread = n->thread;

    if (thread && thread->polls) {
        qatomic_set(&thread->news, true);
        entry_close(n);
    } else {
        femu_entry_end(n);
    }
}
