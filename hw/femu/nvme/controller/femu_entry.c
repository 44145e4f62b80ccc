/*
 * The one way into the device: register writes, the timer, configuration
 * space, reset, what a user asks for. At the end of an entry all is done that
 * has become due or possible by it.
 *
 * Knows nothing of what is done inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "controller_internal.h"
#include "../request/request.h"

/*
 * A guest chooses where data, completions and interrupt messages go. Aimed at
 * what controls the drive itself they come back while the entry is at work:
 *  - as an access to BAR 0, which is refused: the memory core guards a device
 *    that serves one against another, and an entry from elsewhere engages that
 *    guard, too;
 *  - as a write to configuration space, ours or that of a port above us, which
 *    can switch off what the entry is about to use, reset us (FLR, bus reset)
 *    or unplug us.
 *
 * Invariant: nothing that an entry works on goes away before its end. A reset
 * is noted, and takes effect at the end. Queues, core and buffers are part of
 * the object, which an entry keeps alive, and are freed with it, not when it is
 * unplugged. What PCI takes from us at once, configuration space above all, is
 * only touched behind femu_entry_open() or femu_can_master(). So from the
 * moment of such a reset nothing is fetched, posted or signalled any more.
 *
 * A read of a register is no entry: it changes nothing and ends before anything
 * else can begin.
 */

/*
 * Begin an entry; each has its end. Only a write to configuration space and a
 * reset can begin one inside another, which then ends with that one.
 */
void femu_entry_begin(FemuZns *n)
{
    MemReentrancyGuard *guard = &DEVICE(n)->mem_reentrancy_guard;

    if (n->entry.depth++ > 0) {
        return;
    }
    object_ref(OBJECT(n));
    n->entry.io_was_engaged = guard->engaged_in_io;
    guard->engaged_in_io = true;
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
 * What an entry leaves to be done. Ends: a controller that has been reset does
 * nothing that could reset it again.
 */
static void entry_finish(FemuZns *n)
{
    do {
        if (n->entry.reset_noted) {
            n->entry.reset_noted = false;
            femu_ctrl_hard_reset(n);
        }
        femu_time_run(n);
    } while (n->plugged && n->entry.reset_noted);
}

void femu_entry_end(FemuZns *n)
{
    if (n->entry.depth == 1 && n->plugged) {
        entry_finish(n);
    }
    if (--n->entry.depth > 0) {
        return;
    }
    DEVICE(n)->mem_reentrancy_guard.engaged_in_io = n->entry.io_was_engaged;
    object_unref(OBJECT(n));
}
