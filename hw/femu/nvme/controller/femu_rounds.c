/*
 * Where the time goes of a host that gives one command at a time to a drive
 * with a thread: rounds, each from a doorbell to the next.
 *
 * Knows nothing of what is done in an entry.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "controller_internal.h"

/*
 * A round begins when the thread sees the doorbell of a command that comes
 * while none is inside, and goes on
 *  - when the thread has the lock,
 *  - at the end of the entry that has posted the completion,
 *  - when the thread sees that the host has taken that (it writes the shadow of
 *    a completion queue's doorbell), and
 *  - when the next round begins.
 * All by the host's clock. Rounds in which the host was not seen to take the
 * completion, or had several commands inside, are not counted, nor those before
 * whose end the thread has rested.
 */

static void note_heads(FemuThread *thread, const FemuZns *n)
{
    thread->round.head_count = 0;
    for (unsigned id = 1; n->dbbuf.enabled && id < FEMU_MAX_QUEUES; id++) {
        const FemuCq *cq = n->cq[id];

        if (cq) {
            thread->round.head[thread->round.head_count++] = (FemuShadow) {
                .addr = n->dbbuf.shadow_addr + (2 * id + 1) * sizeof(uint32_t),
                .value = cq->head,
                .size = cq->size,
            };
        }
    }
}

/* Without the lock: has the host taken the completion? */
void femu_rounds_look(FemuThread *thread)
{
    FemuRound *round = &thread->round;
    bool taken = false;
    AddressSpace *as;

    if (!round->told_ns || round->taken_ns) {
        return;
    }
    RCU_READ_LOCK_GUARD();
    as = qatomic_rcu_read(&thread->host_memory);
    for (unsigned i = 0; i < round->head_count; i++) {
        taken |= femu_shadow_moved(as, &round->head[i]);
    }
    if (taken) {
        round->taken_ns = get_clock();
    }
}

/* An entry of the thread begins, which has seen that it should at SEEN_NS. */
void femu_rounds_enter(FemuThread *thread, int64_t seen_ns)
{
    thread->round.was_inside = ssd_inflight(thread->drive->ssd) > 0;
    thread->round.next_seen_ns = seen_ns;
    thread->round.next_entered_ns = get_clock();
}

static void count(FemuRounds *rounds, const FemuRound *round)
{
    rounds->count++;
    rounds->lock_ns += round->entered_ns - round->seen_ns;
    rounds->drive_ns += round->told_ns - round->entered_ns;
    rounds->take_ns += round->taken_ns - round->told_ns;
    rounds->ring_ns += round->next_seen_ns - round->taken_ns;
}

/* It has ended; its interrupts may still have to be sent. */
void femu_rounds_left(FemuThread *thread)
{
    thread->round.inside = ssd_inflight(thread->drive->ssd);
}

/* They have been. Others may have entered the drive since. */
void femu_rounds_told(FemuThread *thread)
{
    FemuZns *n = thread->drive;
    FemuRound *round = &thread->round;
    unsigned inside = round->inside;

    if (inside > 1) {
        round->entered_ns = 0;
    } else if (inside > 0 && !round->was_inside) {
        if (round->entered_ns && round->taken_ns) {
            count(&n->rounds, round);
        }
        round->seen_ns = round->next_seen_ns;
        round->entered_ns = round->next_entered_ns;
        round->told_ns = round->taken_ns = 0;
        note_heads(thread, n);
    } else if (inside == 0 && round->was_inside) {
        if (round->told_ns) {   /* another has entered, and fetched this one */
            round->entered_ns = 0;
        }
        round->told_ns = get_clock();
    }
}
