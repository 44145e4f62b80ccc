/*
 * The drive's own thread, an IOThread of QEMU's (iothread=): in real time it
 * enters the drive when something is due, and fetches what the host has written
 * to shadow doorbells, while the guest's processors go on.
 *
 * Knows nothing of what is done in an entry.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "system/runstate.h"
#include "controller_internal.h"
#include "../fetch/fetch.h"
#include "../processors/processors.h"

/*
 * Who owns what: all of the drive is owned by whoever holds QEMU's big lock
 * (BQL), in this thread as elsewhere, and an entry is an entry, whoever makes
 * it. Without the lock the thread looks at what is in FemuThread, each member
 * of which says how it may be touched, and at shadow doorbells in the guest's
 * RAM. So resets, configuration space, the monitor and unplugging need not ask
 * it for anything.
 *
 * Nobody who holds the BQL may wait for this thread, as it waits for the BQL.
 * Hence:
 *  - it has no timer, as QEMU waits for callbacks of timers when it stops the
 *    machine's clock, and under qtest for timers that have expired;
 *  - it takes the lock in a bottom half, where it is in no RCU read section,
 *    whose end others may wait for;
 *  - when the drive goes, what is left of this is freed by bottom halves, first
 *    in the thread and then in the main loop, and nobody waits for these.
 * A block device in the same IOThread would break that: the main loop waits for
 * its requests.
 *
 * An AioContext spins for handlers that it can poll, not for an instant. So
 * while there is something to do the bottom half is scheduled again and again,
 * and stops poll-max-ns, a property of the IOThread, after the last that there
 * was. While it rests, the drive is as one without a thread.
 */

/* How long one call of the bottom half looks, before others have their turn. */
#define LOOK_NS 5000

/* Without the lock: has a shadow doorbell changed since the last entry? */
static bool shadows_moved(FemuThread *thread)
{
    AddressSpace *as;

    RCU_READ_LOCK_GUARD();
    as = qatomic_rcu_read(&thread->host_memory);
    for (unsigned i = 0; i < thread->shadow_count; i++) {
        if (femu_shadow_moved(as, &thread->shadow[i])) {
            return true;
        }
    }
    return false;
}

/*
 * Note the shadow doorbells of the queues from which all has been fetched: the
 * thread looks at these. Of others, commands wait for something else.
 */
static void note_shadows(FemuThread *thread, FemuZns *n)
{
    thread->shadow_count = 0;
    if (!n->dbbuf.enabled || !femu_can_fetch(n)) {
        return;
    }
    for (unsigned id = 1; id < FEMU_MAX_QUEUES; id++) {
        const FemuSq *sq = n->sq[id];

        if (sq && sq->head == sq->tail) {
            thread->shadow[thread->shadow_count++] = (FemuShadow) {
                .addr = n->dbbuf.shadow_addr + 2 * id * sizeof(uint32_t),
                .value = sq->tail,
                .size = sq->size,
            };
        }
    }
}

/*
 * Is there something to do, as far as can be seen without the lock? One that has
 * rested and is called does an entry first.
 */
static bool has_work(FemuThread *thread)
{
    return qatomic_read(&thread->runs) &&
           (!qatomic_read(&thread->polls) || qatomic_read(&thread->news) ||
            qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) >=
            qatomic_read_i64(&thread->at_ns) || shadows_moved(thread));
}

/* The same, looking for a while. */
static bool look(FemuThread *thread)
{
    int64_t until_ns = get_clock() + LOOK_NS;
    bool found;

    do {
        cpu_relax();
        femu_rounds_look(thread);
        found = has_work(thread);
    } while (!found && get_clock() < until_ns && qatomic_read(&thread->runs));
    return found;
}

/*
 * Poll no longer; needs the lock. The host writes registers again: this entry
 * sets EventIdx, and then looks at the shadow doorbells once more. The main loop
 * calls this, too, while the thread looks without the lock, so what is the
 * thread's alone is left as it is.
 */
static void rest(FemuThread *thread)
{
    FemuZns *n = thread->drive;

    if (!thread->polls) {
        return;
    }
    qatomic_set(&thread->polls, false);
    femu_spin_end();
    if (n) {
        femu_entry_begin(n);
        femu_entry_end(n);
        object_unref(OBJECT(n));
    }
}

/*
 * Enter the drive, as was seen to be needed at SEEN_NS; needs the lock. The
 * drive is not freed while we poll.
 */
static void enter(FemuThread *thread, int64_t seen_ns)
{
    FemuZns *n = thread->drive;

    qatomic_set(&thread->news, false);
    if (!n || !n->plugged || !thread->runs) {
        rest(thread);
        return;
    }
    if (!thread->polls) {
        qatomic_set(&thread->polls, true);
        thread->round.entered_ns = 0;
        femu_spin_begin();
        object_ref(OBJECT(n));
    }
    n->entry.by_poller = true;
    femu_rounds_enter(thread, seen_ns);
    femu_entry_begin(n);
    femu_entry_end(n);
    femu_rounds_left(thread);
    n->entry.by_poller = false;
    note_shadows(thread, n);
    thread->poll_until_ns = get_clock() + thread->ctx->poll_max_ns;
}

/* The thread's bottom half: one look, and what comes of it. */
static void serve(void *opaque)
{
    FemuThread *thread = opaque;
    int64_t seen_ns;

    if (thread->ctx->poll_max_ns && look(thread)) {
        seen_ns = get_clock();
        bql_lock();
        enter(thread, seen_ns);
        bql_unlock();
    } else if (qatomic_read(&thread->polls) &&
               get_clock() >= thread->poll_until_ns) {
        bql_lock();
        rest(thread);
        bql_unlock();
    }
    if (qatomic_read(&thread->polls)) {
        qemu_bh_schedule(thread->bh);
    }
}

/*
 * The machine starts or stops, its clock too. What has been saved meanwhile
 * needs no thread to go on: see rest().
 */
static void machine_changed(void *opaque, bool running, RunState state)
{
    FemuThread *thread = opaque;

    qatomic_set(&thread->runs, running);
    if (running) {
        qemu_bh_schedule(thread->bh);
    } else {
        rest(thread);
    }
}

/* The thread of `iothread=`. */
void femu_thread_init(FemuZns *n)
{
    FemuThread *thread = g_new0(FemuThread, 1);

    femu_spin_prepare();
    thread->drive = n;
    thread->iothread = n->iothread;
    object_ref(OBJECT(n->iothread));
    thread->ctx = iothread_get_aio_context(n->iothread);
    thread->bh = aio_bh_new(thread->ctx, serve, thread);
    thread->at_ns = INT64_MAX;
    thread->runs = runstate_is_running();
    thread->host_memory = pci_get_address_space(PCI_DEVICE(n));
    thread->vm_change = qemu_add_vm_change_state_handler(machine_changed,
                                                         thread);
    n->thread = thread;
}

/*
 * The drive's address space goes; the machine's does not. If the thread polls,
 * it shall rest.
 */
void femu_thread_unplug(FemuZns *n)
{
    if (n->thread) {
        qatomic_rcu_set(&n->thread->host_memory, &address_space_memory);
        qatomic_set(&n->thread->news, true);
    }
}

/* In the main loop: the IOThread may end, and is waited for, with this. */
static void thread_free(void *opaque)
{
    FemuThread *thread = opaque;

    object_unref(OBJECT(thread->iothread));
    g_free(thread);
}

/* In the thread, which has done with the bottom half. */
static void thread_end(void *opaque)
{
    FemuThread *thread = opaque;

    qemu_bh_delete(thread->bh);
    aio_bh_schedule_oneshot(qemu_get_aio_context(), thread_free, thread);
}

/* The drive is freed; there may be no thread. */
void femu_thread_exit(FemuZns *n)
{
    FemuThread *thread = n->thread;

    if (thread) {
        n->thread = NULL;
        thread->drive = NULL;
        qemu_del_vm_change_state_handler(thread->vm_change);
        aio_bh_schedule_oneshot(thread->ctx, thread_end, thread);
    }
}
