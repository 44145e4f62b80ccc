/*
 * Doorbells that KVM passes on to the drive's thread as an event (ioeventfd), so
 * that the guest's processor does not leave the guest, nor takes QEMU's lock.
 *
 * Knows nothing of what the thread does with it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "system/kvm.h"
#include "qemu/bitmap.h"
#include "kvm.h"
#include "../qemu/versions.h"

#define DOORBELL_BYTES 4

/*
 * An event has no value. So it can stand for a doorbell only where the value is
 * in a shadow doorbell, which the admin queue's is not. Without KVM a store to a
 * register is a call of ours in any case, and the guest's processor is sooner
 * there than a thread that it wakes.
 */
static bool wanted(const FemuZns *n, unsigned doorbell)
{
    unsigned id = doorbell / 2;

    return n->plugged && n->dbbuf.enabled && id > 0 &&
           (doorbell % 2 ? (const void *)n->cq[id] : n->sq[id]);
}

/* Watch the doorbells of the queues that there are now, and no others. */
void femu_ioeventfd_sync(FemuZns *n, EventNotifier *rung,
                         unsigned long *watched)
{
    if (!kvm_enabled()) {
        return;
    }
    for (unsigned i = 0; i < 2 * FEMU_MAX_QUEUES; i++) {
        hwaddr offset = FEMU_DOORBELL_BASE + i * DOORBELL_BYTES;

        if (wanted(n, i) && !test_and_set_bit(i, watched)) {
            memory_region_add_eventfd(&n->mmio, offset, DOORBELL_BYTES, false,
                                      0, rung);
        } else if (!wanted(n, i) && test_and_clear_bit(i, watched)) {
            memory_region_del_eventfd(&n->mmio, offset, DOORBELL_BYTES, false,
                                      0, rung);
        }
    }
}
