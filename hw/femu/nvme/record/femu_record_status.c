/*
 * QEMU's exit status, if a trace or a journal could not be written: 1, so that
 * whoever started it need not read what it says. What the guest does is not
 * ended by that, as its drive is sound.
 *
 * Knows nothing of what is recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/notify.h"
#include "system/system.h"
#include "record.h"

/* Of all drives, also those that were unplugged; the status is QEMU's. */
static bool is_lost;

static void end_failed(void)
{
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

/*
 * The status is given to exit() before the notifiers run, in one of which a
 * drive closes its files. What is registered here is called once they are
 * through, and QEMU itself has registered nothing before them.
 */
static void at_exit(Notifier *notifier, void *data)
{
    if (is_lost) {
        atexit(end_failed);
    }
}

/*
 * To be called before a drive adds an exit notifier of its own: the one that is
 * added last runs first.
 */
void femu_record_status_init(void)
{
    static Notifier notifier = { .notify = at_exit };
    static bool is_added;

    if (!is_added) {
        is_added = true;
        qemu_add_exit_notifier(&notifier);
    }
}

/* A record of a drive is not whole. */
void femu_record_lost(void)
{
    is_lost = true;
}
