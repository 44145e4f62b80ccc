/*
 * The drive's own lock, of a drive that has a thread (iothread=).
 *
 * Knows nothing of who takes it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu.h"

/*
 * Who has it owns all of the drive. The guest's processors, the monitor and the
 * main loop have QEMU's big lock (BQL) when they take it; the drive's thread
 * takes it without ("alone"), and then may neither ask for the BQL nor call
 * what needs it. So the order is the BQL, then this, and whoever waits for this
 * waits for one entry. Without a thread the BQL is all that there is.
 *
 * It can be taken again by who has it: an entry may begin inside another.
 */
void femu_lock(FemuZns *n)
{
    if (n->lock) {
        qemu_rec_mutex_lock(n->lock);
    }
}

void femu_unlock(FemuZns *n)
{
    if (n->lock) {
        qemu_rec_mutex_unlock(n->lock);
    }
}
