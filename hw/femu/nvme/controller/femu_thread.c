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
#include "../irq/irq.h"
#include "../kvm/kvm.h"
#include "../processors/processors.h"

/*
 * Who owns what: all of the drive is owned by whoever holds the drive's lock, in
 * this thread as elsewhere, and an entry is an entry, whoever makes it. Without
 * that lock the thread looks at what is in FemuThread, each member of which says
 * how it may be touched, and at shadow doorbells in the guest's RAM.
 *
 * While the thread polls, it enters the drive alone: without QEMU's big lock
 * (BQL), which all others have when they take the drive's. So resets,
 * configuration space, the monitor and unplugging wait for an entry of the
 * thread's at most, and never for the BQL. What cannot be done without the BQL
 * is left, and done behind that with both: interrupts that are no irqfd's, the
 * admin queue, a reset; and the thread begins to poll, and rests, with both.
 *
 * But for an entry nobody who holds the BQL may wait for this thread, which may
 * wait for the BQL between two of them. Hence:
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
    } while (!found && get_clock() < until_ns);
    return found;
}

/*
 * Poll no longer; needs both locks. The host writes registers again: this entry
 * sets EventIdx, and then looks at the shadow doorbells once more. The main loop
 * calls this, too, while the thread looks without a lock, so what is the
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
    femu_entry_begin(n);
    femu_entry_end(n);
    object_unref(OBJECT(n));
}

/* Begin to poll; needs both locks. The drive is not freed while we poll. */
static void wake(FemuThread *thread)
{
    if (!thread->polls) {
        qatomic_set(&thread->polls, true);
        thread->round.entered_ns = 0;
        femu_spin_begin();
        object_ref(OBJECT(thread->drive));
    }
}

/* An entry, alone or not, as was seen to be needed at SEEN_NS. */
static void enter(FemuThread *thread, int64_t seen_ns, bool alone)
{
    FemuZns *n = thread->drive;

    qatomic_set(&thread->news, false);
    n->thread_counts.entries++;
    n->entry.by_poller = true;
    n->entry.alone = alone;
    femu_rounds_enter(thread, seen_ns);
    femu_entry_begin(n);
    femu_entry_end(n);
    femu_rounds_left(thread);
    n->entry.alone = false;
    n->entry.by_poller = false;
    note_shadows(thread, n);
    thread->poll_until_ns = get_clock() + thread->ctx->poll_max_ns;
}

/* With both locks: whatever there is to do. */
static void enter_with_bql(FemuThread *thread, int64_t seen_ns)
{
    bql_lock();
    qemu_rec_mutex_lock(&thread->lock);
    if (thread->drive && thread->drive->plugged && thread->runs) {
        thread->drive->thread_counts.bql++;
        wake(thread);
        enter(thread, seen_ns, false);
        femu_rounds_told(thread);
    } else {
        rest(thread);
    }
    qemu_rec_mutex_unlock(&thread->lock);
    bql_unlock();
}

/*
 * The interrupts that an entry without the BQL has left; none, if the drive has
 * been unplugged since. If we have rested since, they have been sent.
 */
static void tell_with_bql(FemuThread *thread)
{
    bql_lock();
    qemu_rec_mutex_lock(&thread->lock);
    if (thread->polls) {
        thread->drive->thread_counts.bql++;
        femu_entry_tell(thread->drive);
        femu_rounds_told(thread);
    }
    qemu_rec_mutex_unlock(&thread->lock);
    bql_unlock();
}

/*
 * May the drive be entered without the BQL? An interrupt other than MSI-X is sent
 * where it comes about. Only while we poll is there a drive for certain, in a
 * machine that runs.
 */
static bool may_enter_alone(const FemuThread *thread)
{
    FemuZns *n = thread->drive;

    return thread->polls && n->plugged && n->ram_only && femu_irq_is_msix(n);
}

/* Is there something to be done with the BQL, but for interrupts? */
static bool needs_bql(const FemuZns *n)
{
    return n->entry.reset_noted || femu_admin_waits(n);
}

/* There is something to do: without the BQL what can be done so. */
static void work(FemuThread *thread)
{
    int64_t seen_ns = get_clock();
    bool more = true, tells = false;

    qemu_rec_mutex_lock(&thread->lock);
    if (may_enter_alone(thread)) {
        enter(thread, seen_ns, true);
        more = needs_bql(thread->drive);
        tells = femu_irq_waits(thread->drive);
        if (!tells) {
            femu_rounds_told(thread);
        }
    }
    qemu_rec_mutex_unlock(&thread->lock);
    if (more) {
        enter_with_bql(thread, seen_ns);
    } else if (tells) {
        tell_with_bql(thread);
    }
}

/* The thread's bottom half: one look, and what comes of it. */
static void serve(void *opaque)
{
    FemuThread *thread = opaque;

    if ((thread->ctx->poll_max_ns || qatomic_read(&thread->news)) &&
        look(thread)) {
        work(thread);
    } else if (qatomic_read(&thread->polls) &&
               get_clock() >= thread->poll_until_ns) {
        bql_lock();
        qemu_rec_mutex_lock(&thread->lock);
        rest(thread);
        qemu_rec_mutex_unlock(&thread->lock);
        bql_unlock();
    }
    if (qatomic_read(&thread->polls)) {
        qemu_bh_schedule(thread->bh);
    }
}

/* In the thread: KVM tells of doorbells. */
static void doorbell_rung(EventNotifier *event)
{
    FemuThread *thread = container_of(event, FemuThread, rung);

    event_notifier_test_and_clear(event);
    qatomic_set(&thread->news, true);
    qemu_bh_schedule(thread->bh);
}

/*
 * Is the guest's memory as it is, and no IOMMU between? One reports its faults by
 * an interrupt of its own, wherever they come about.
 */
static bool sees_plain_memory(FemuZns *n)
{
    return pci_device_iommu_address_space(PCI_DEVICE(n)) ==
           &address_space_memory;
}

/*
 * The machine starts or stops, its clock too. What has been saved meanwhile
 * needs no thread to go on: see rest(). A drive that has been unplugged is on
 * no bus any more, and the thread may be the last who holds it.
 */
static void machine_changed(void *opaque, bool running, RunState state)
{
    FemuThread *thread = opaque;
    FemuZns *n = thread->drive;

    object_ref(OBJECT(n));
    qemu_rec_mutex_lock(&thread->lock);
    qatomic_set(&thread->runs, running);
    if (!running) {
        rest(thread);
        /* what KVM has told the thread of is in shadow doorbells: it is read */
        femu_entry_begin(n);
        femu_entry_end(n);
    } else if (n->plugged) {
        n->ram_only = sees_plain_memory(n);
        qemu_bh_schedule(thread->bh);
    }
    qemu_rec_mutex_unlock(&thread->lock);
    object_unref(OBJECT(n));
}

/*
 * The thread of `iothread=`. Return: false with *errp: the host has no more file
 * descriptors; nothing has been done.
 */
bool femu_thread_init(FemuZns *n, Error **errp)
{
    FemuThread *thread = g_new0(FemuThread, 1);
    int status = event_notifier_init(&thread->rung, 0);

    if (status < 0) {
        error_setg_errno(errp, -status, "iothread: no event for its doorbells");
        g_free(thread);
        return false;
    }
    femu_spin_prepare();
    n->lock = &thread->lock;
    qemu_rec_mutex_init(n->lock);
    n->ram_only = sees_plain_memory(n);
    thread->drive = n;
    thread->iothread = n->iothread;
    object_ref(OBJECT(n->iothread));
    thread->ctx = iothread_get_aio_context(n->iothread);
    thread->bh = aio_bh_new(thread->ctx, serve, thread);
    aio_set_event_notifier(thread->ctx, &thread->rung, doorbell_rung, NULL,
                           NULL);
    thread->runs = runstate_is_running();
    thread->host_memory = pci_get_address_space(PCI_DEVICE(n));
    thread->vm_change = qemu_add_vm_change_state_handler(machine_changed,
                                                         thread);
    n->thread = thread;
    return true;
}

/*
 * It gets no doorbells any more. Its address space goes; the machine's does not.
 * If the thread polls, it shall rest.
 */
void femu_thread_unplug(FemuZns *n)
{
    if (n->thread) {
        femu_ioeventfd_sync(n, &n->thread->rung, n->thread->watched);
        qatomic_rcu_set(&n->thread->host_memory, &address_space_memory);
        qatomic_set(&n->thread->news, true);
    }
}

/* In the main loop: the IOThread may end, and is waited for, with this. */
static void thread_free(void *opaque)
{
    FemuThread *thread = opaque;

    object_unref(OBJECT(thread->iothread));
    qemu_rec_mutex_destroy(&thread->lock);
    event_notifier_cleanup(&thread->rung);
    g_free(thread);
}

/* In the thread, which has done with the bottom half. */
static void thread_end(void *opaque)
{
    FemuThread *thread = opaque;

    aio_set_event_notifier(thread->ctx, &thread->rung, NULL, NULL, NULL);
    qemu_bh_delete(thread->bh);
    aio_bh_schedule_oneshot(qemu_get_aio_context(), thread_free, thread);
}

/* The drive is freed; there may be no thread. */
void femu_thread_exit(FemuZns *n)
{
    FemuThread *thread = n->thread;

    if (thread) {
        thread->drive = NULL;
        qemu_del_vm_change_state_handler(thread->vm_change);
        aio_bh_schedule_oneshot(thread->ctx, thread_end, thread);
    }
}
