/*
 * The device's only timer. When it expires, that is an entry (femu_entry.c).
 *
 * Knows nothing of what is due.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "controller_internal.h"
#include "../processors/processors.h"
#include "../qemu/versions.h"
#include "../request/request.h"

/*
 * All drives, in the order of realize. QEMU calls timers that expire at the
 * same instant in the order in which they were set, which a drive that has been
 * loaded does not remember; with this list they go in an order that it has.
 */
static GPtrArray *drives;

/*
 * References to the drives whose timers expire at this instant, or are not set,
 * as that is not any more which has expired.
 */
static GPtrArray *expired_now(void)
{
    int64_t now_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    GPtrArray *expired = g_ptr_array_new_with_free_func(object_unref);

    for (guint i = 0; i < drives->len; i++) {
        FemuZns *other = drives->pdata[i];

        if (timer_expired(other->timer, now_ns)) {
            g_ptr_array_add(expired, object_ref(OBJECT(other)));
        }
    }
    return expired;
}

static void time_expired(void *opaque)
{
    g_autoptr(GPtrArray) expired = expired_now();

    for (guint i = 0; i < expired->len; i++) {
        FemuZns *n = expired->pdata[i];

        femu_entry_begin(n);
        femu_entry_end(n);
    }
}

/* Return: false with *errp; femu_time_exit() undoes what has been done. */
bool femu_time_init(FemuZns *n, Error **errp)
{
    femu_icount_prepare();
    if (n->iothread && !femu_thread_init(n, errp)) {
        return false;
    }
    n->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, time_expired, n);
    if (!drives) {
        drives = g_ptr_array_new();
    }
    g_ptr_array_add(drives, n);
    femu_time_enter(n);
    return true;
}

/* There may be no timer: femu_time_init() was not called. */
void femu_time_exit(FemuZns *n)
{
    if (n->timer) {
        g_ptr_array_remove(drives, n);
        timer_free(n->timer);
    }
    femu_thread_exit(n);
}

/*
 * When the timer expires; INT64_MAX: it does not. Whoever saves the drive has
 * stopped the machine, so its thread rests.
 */
int64_t femu_timer_at_ns(const FemuZns *n)
{
    return femu_alarm_at_ns(n);
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
    femu_alarm_set(n, at_ns);
}
