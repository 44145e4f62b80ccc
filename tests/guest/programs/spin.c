// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures processors: spin WHAT THREADS COUNT. Thread I runs on processor I.
 *
 *   spin busy 4 1000000   each does that many instructions, from one start on,
 *                         five times; prints how many ns each took at best
 *   spin lock 4 1000      each takes a spinlock that often, and does 100
 *                         instructions under it; prints what it all took
 *   spin flag 4 1000      the first tells the second something through memory,
 *                         and back, that often, while the others compute;
 *                         prints the longest that nine in ten took to be seen
 *   spin wake 4 200       likewise, but the second sleeps until it is woken
 *
 * The time is the processors' counter, a tick of which is a nanosecond.
 * Knows nothing of the drive.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_THREADS 64
#define MOST_TALK 10000
#define UNDER_LOCK_INSNS 100
#define TRIES 5

static unsigned threads;
static uint64_t count;
static atomic_uint arrived, left, turn, spinlock;
static _Atomic uint64_t told_at;
static uint64_t took_ns[MOST_THREADS], longest_ns[MOST_THREADS];
static uint64_t seen_ns[2][MOST_TALK];
static int (*wait_for)(unsigned from);

static uint64_t now_ns(void)
{
    uint32_t low, high;

    __asm__ volatile ("lfence; rdtsc" : "=a" (low), "=d" (high));
    return (uint64_t)high << 32 | low;
}

/* Two instructions each. */
static void compute(uint64_t insns)
{
    uint64_t n = insns / 2;

    __asm__ volatile ("1: dec %0; jnz 1b" : "+r" (n) : : "cc");
}

static void pause_(void)
{
    __asm__ volatile ("pause" : : : "memory");
}

/* All threads go on together. */
static void meet(void)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < threads) {
        pause_();
    }
}

/* An interrupt of a timer may disturb one try, not all. */
static void busy(unsigned i)
{
    took_ns[i] = UINT64_MAX;
    for (unsigned n = 0; n < TRIES; n++) {
        uint64_t from_ns = now_ns(), ns;

        compute(count);
        ns = now_ns() - from_ns;
        took_ns[i] = ns < took_ns[i] ? ns : took_ns[i];
    }
}

static void lock(unsigned i)
{
    uint64_t from_ns = now_ns();

    for (uint64_t n = 0; n < count; n++) {
        while (atomic_exchange(&spinlock, 1)) {
            pause_();
        }
        compute(UNDER_LOCK_INSNS);
        atomic_store(&spinlock, 0);
    }
    took_ns[i] = now_ns() - from_ns;
}

static int wait_spinning(unsigned from)
{
    while (atomic_load(&turn) == from) {
    }
    return 0;
}

static int wait_sleeping(unsigned from)
{
    while (atomic_load(&turn) == from) {
        syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, from, NULL, NULL, 0);
    }
    return 0;
}

static void tell(unsigned what)
{
    atomic_store(&told_at, now_ns());
    atomic_store(&turn, what);
    if (wait_for == wait_sleeping) {
        syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static int by_ns(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return (a > b) - (a < b);
}

/* The turn is 2n for the first, 2n + 1 for the second. */
static void talk(unsigned i)
{
    if (i > 1) {
        while (!atomic_load(&left)) {
            compute(UNDER_LOCK_INSNS);
        }
        return;
    }
    for (uint64_t n = 0; n < count; n++) {
        if (i == 1) {
            wait_for(2 * n);
        }
        if (i == 1 || n > 0) {
            seen_ns[i][n] = now_ns() - atomic_load(&told_at);
            took_ns[i] += seen_ns[i][n];
        }
        compute(10000 + 37 * n);
        tell(2 * n + 1 + i);
        if (i == 0) {
            wait_for(2 * n + 1);
        }
    }
    atomic_store(&left, 1);
    qsort(seen_ns[i], count, sizeof(**seen_ns), by_ns);
    longest_ns[i] = seen_ns[i][count * 9 / 10];
}

static void flag(unsigned i)
{
    wait_for = wait_spinning;
    talk(i);
}

static void wake(unsigned i)
{
    wait_for = wait_sleeping;
    talk(i);
}

static const struct {
    const char *name;
    void (*run)(unsigned i);
} works[] = {{"busy", busy}, {"lock", lock}, {"flag", flag}, {"wake", wake}};

static void (*work)(unsigned i);

static void *thread(void *arg)
{
    unsigned i = (uintptr_t)arg;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(i, &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        fprintf(stderr, "spin: processor %u: %s\n", i, strerror(errno));
        exit(2);
    }
    meet();
    work(i);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[MOST_THREADS];

    threads = argc == 4 ? atoi(argv[2]) : 0;
    count = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    for (unsigned i = 0; argc > 1 && i < sizeof(works) / sizeof(*works); i++) {
        if (!strcmp(argv[1], works[i].name)) {
            work = works[i].run;
        }
    }
    if (!work || !count || !threads || threads > MOST_THREADS ||
        (work != busy && work != lock && count > MOST_TALK)) {
        fputs("spin: usage: spin busy|lock|flag|wake THREADS COUNT\n", stderr);
        return 2;
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_create(&ids[i], NULL, thread, (void *)(uintptr_t)i);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        printf("%u took_ns %llu longest_ns %llu\n", i,
               (unsigned long long)took_ns[i],
               (unsigned long long)longest_ns[i]);
    }
    return 0;
}
