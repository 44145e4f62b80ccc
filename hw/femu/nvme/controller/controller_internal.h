/*
 * What the files of this room need of each other.
 *
 * Knows nothing of registers but CC.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_CONTROLLER_CONTROLLER_INTERNAL_H
#define FEMU_NVME_CONTROLLER_CONTROLLER_INTERNAL_H

#include "qemu/bitmap.h"
#include "qemu/event_notifier.h"
#include "controller.h"

/* A shadow doorbell in host memory, what of it is known, and what it is below.
 */
typedef struct FemuShadow {
    hwaddr addr;
    uint32_t value;
    uint32_t size;
} FemuShadow;

/* A round that runs: see femu_rounds.c. The thread's alone; by get_clock(). */
typedef struct FemuRound {
    int64_t seen_ns;
    int64_t entered_ns;         /* 0: it does not count */
    int64_t told_ns;            /* 0: not yet, as of the next */
    int64_t taken_ns;
    int64_t next_seen_ns;       /* of the entry that runs */
    int64_t next_entered_ns;
    bool was_inside;            /* a command, when that began */
    unsigned inside;            /* commands, when that ended */
    FemuShadow head[FEMU_MAX_QUEUES];
    unsigned head_count;
} FemuRound;

/* The drive's own thread: see femu_thread.c. */
typedef struct FemuThread {
    QemuRecMutex lock;          /* the drive's; it outlives that */
    FemuZns *drive;             /* with both locks; NULL: it is gone */
    IOThread *iothread;         /* these do not change */
    AioContext *ctx;
    QEMUBH *bh;
    VMChangeStateEntry *vm_change;
    AddressSpace *host_memory;  /* by RCU; the machine's: unplugged */
    int64_t at_ns;              /* atomic, written with the lock; if it polls */
    bool runs;                  /* written with both: the machine */
    bool polls;                 /* likewise: the bottom half runs for ever */
    bool news;                  /* atomic: what a doorbell has left to be done */
    EventNotifier rung;         /* doorbells that KVM passes on: ... */
    DECLARE_BITMAP(watched, 2 * FEMU_MAX_QUEUES);   /* these; with both */
    int64_t poll_until_ns;      /* the thread's alone; by get_clock() */
    FemuShadow shadow[FEMU_MAX_QUEUES];
    unsigned shadow_count;
    FemuRound round;
} FemuThread;

/* femu_ctrl.c */
void femu_ctrl_run(FemuZns *n);
void femu_ctrl_hard_reset(FemuZns *n);

/* femu_shutdown.c */
void femu_shutdown_begin(FemuZns *n);
void femu_shutdown_run(FemuZns *n);
void femu_shutdown_ctrl_reset(FemuZns *n);

/* femu_entry.c: interrupts that are left. */
void femu_entry_tell(FemuZns *n);

/* femu_time.c: all that can be done now, and when to look again. */
void femu_time_run(FemuZns *n);
void femu_time_tell(FemuZns *n);

/* femu_alarm.c: when the drive is entered next. */
int64_t femu_alarm_at_ns(const FemuZns *n);
void femu_alarm_set(FemuZns *n, int64_t at_ns);

/* femu_thread.c */
bool femu_thread_init(FemuZns *n, Error **errp);
void femu_thread_exit(FemuZns *n);

/* femu_shadow.c */
bool femu_shadow_moved(AddressSpace *as, const FemuShadow *shadow);

/* femu_rounds.c */
void femu_rounds_look(FemuThread *thread);
void femu_rounds_enter(FemuThread *thread, int64_t seen_ns);
void femu_rounds_left(FemuThread *thread);
void femu_rounds_told(FemuThread *thread);

#endif
