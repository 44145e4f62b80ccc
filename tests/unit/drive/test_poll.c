/*
 * Polling is unobservable: how often, when and in what portions the drive is
 * polled changes no status, no completion, no order and no statistics. And
 * ssd_next_at_ns() never sleeps through a completion.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model/pair.h"

/*
 * A command and when it comes: the same for every way of polling. The medium
 * of its zone may fail just before.
 */
typedef struct Arrival {
    uint64_t at_ns;
    SsdCmd cmd;         /* its ranges are those below */
    SsdRange ranges[COPY_RANGES];
    bool zone_fails;
    uint32_t nsid;
    uint32_t zone_idx;
} Arrival;

typedef enum PollMode {
    POLL_WHEN_NEEDED,   /* at ssd_next_at_ns() only */
    POLL_AT_RANDOM,     /* at random instants, in random portions */
    POLL_BEFORE_SUBMIT,
    POLL_AT_END,
    POLL_EVERY_EVENT,   /* one ns before and at every completion */
    POLL_AND_LOOK,      /* at random, reading statistics in between */
    POLL_MODES,
} PollMode;

/* All that can be observed of a run. */
typedef struct Outcome {
    GArray *accepts;    /* SsdAccept, per arrival */
    GArray *dones;      /* SsdDone, in the order in which they left */
    char *stats;
} Outcome;

typedef struct Run {
    Ssd *ssd;
    Outcome out;
    uint64_t now_ns;
    GArray *promises;   /* Promise */
    bool watched;       /* zones change of themselves */
} Run;

/* What ssd_next_at_ns() said: no command of then is due before. */
typedef struct Promise {
    uint32_t tags;      /* commands submitted until then */
    uint64_t at_ns;
    uint64_t next_at_ns;
} Promise;

#define COMMANDS 3000

/* FEMU_EVERY=n: an n-th of them, for builds in which they are dear. */
static uint32_t command_count(void)
{
    const char *every = g_getenv("FEMU_EVERY");

    return COMMANDS / (every ? MAX(atoi(every), 1) : 1);
}

/* A command to the conventional namespace, which takes nearly all. */
static SsdCmd conventional_cmd(const SsdParams *p, Rng *rng,
                               SsdRange ranges[COPY_RANGES])
{
    static const SsdOp ops[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE_ZEROES,
        SSD_OP_READ, SSD_OP_READ, SSD_OP_COMPARE, SSD_OP_FLUSH, SSD_OP_COPY,
        SSD_OP_DEALLOCATE,
    };
    uint64_t size_nlb = p->conventional_bytes / p->lba_bytes;
    SsdCmd cmd = {
        .op = ops[rng_below(rng, G_N_ELEMENTS(ops))],
        .nsid = p->namespaces + 1,
        .nlb = 1 + rng_below(rng, 12),
        .range_count = 1 + rng_below(rng, COPY_RANGES),
    };

    cmd.slba = rng_below(rng, size_nlb - 16 * COPY_RANGES);
    for (uint32_t i = 0; i < cmd.range_count; i++) {
        ranges[i].slba = rng_below(rng, size_nlb - 16);
        ranges[i].nlb = 1 + rng_below(rng, 3);
    }
    return cmd;
}

/* Make a schedule whose commands mostly succeed, with the model's help. */
static GArray *schedule_new(const SsdParams *p, Rng *rng)
{
    GArray *schedule = g_array_new(FALSE, TRUE, sizeof(Arrival));
    Model *model = model_new(p);
    Arrival a = { 0 };

    for (uint32_t i = 0; i < command_count(); i++) {
        uint32_t nsid = 1 + rng_below(rng, p->namespaces);
        const Rules *rules = model_rules(model, nsid);
        uint32_t z = rng_below(rng, rules->zone_count);

        if (!rng_chance(rng, 30)) {
            a.at_ns += rng_below(rng, rng_chance(rng, 50) ? 100000 :
                                 4000000);
        }
        a.cmd = (SsdCmd) {
            .op = rng_chance(rng, 70) ? SSD_OP_READ + rng_below(rng, 3) :
                  rng_below(rng, SSD_OP_COUNT),
            .nsid = nsid,
            .slba = z * rules->zone_nlb,
            .nlb = 1 + rng_below(rng, rng_chance(rng, 50) ? 4 : 64),
            .select_all = rng_chance(rng, 10),
        };
        if (p->conventional_bytes && rng_chance(rng, 60)) {
            a.cmd = conventional_cmd(p, rng, a.ranges);
            a.zone_fails = false;
            g_array_append_val(schedule, a);
            continue;
        }
        model_run(model, a.at_ns);
        /* Rarely, and only late, for no command repairs a zone. */
        a.nsid = nsid;
        a.zone_idx = z;
        a.zone_fails = i > command_count() * 3 / 4 && rng_chance(rng, 1);
        if (a.zone_fails) {
            model_zone_fail(model, a.at_ns, nsid, z, SSD_ZONE_READ_ONLY);
        }
        if (a.cmd.op == SSD_OP_COPY || rng_chance(rng, 15)) {
            random_copy(rules, rng, a.ranges, &a.cmd);
        } else if (a.cmd.op == SSD_OP_WRITE ||
                   a.cmd.op == SSD_OP_WRITE_ZEROES) {
            a.cmd.slba += rules->zone[z].written_nlb;
        } else if (a.cmd.op == SSD_OP_READ) {
            a.cmd.slba += rng_below(rng, rules->zone[z].written_nlb + 1);
        }
        if (rules->zone[z].zrwa && rng_chance(rng, 30)) {
            a.cmd.op = rng_chance(rng, 60) ? SSD_OP_WRITE :
                                             SSD_OP_ZONE_FLUSH_ZRWA;
            a.cmd.range_count = 0;
            a.cmd.slba = z * rules->zone_nlb + rules->zone[z].written_nlb +
                         rng_below(rng, 2 * rules->zrwa_nlb);
        }
        if (rules->zone[z].state == SSD_ZONE_EMPTY && rules->zrwa_nlb &&
            rng_chance(rng, 40)) {
            a.cmd.op = SSD_OP_ZONE_OPEN_ZRWA;
            a.cmd.range_count = 0;
            a.cmd.slba = z * rules->zone_nlb;
        }
        if (rules->zone[z].state == SSD_ZONE_FULL && rng_chance(rng, 40)) {
            a.cmd.op = SSD_OP_ZONE_RESET;
            a.cmd.range_count = 0;
            a.cmd.slba = z * rules->zone_nlb;
        }
        model_submit(model, a.at_ns, &a.cmd, i);
        g_array_append_val(schedule, a);
    }
    model_free(model);
    return schedule;
}

static void poll(Run *run, uint64_t now_ns, unsigned max)
{
    SsdDone done[8];
    unsigned count = ssd_poll(run->ssd, now_ns, done, MIN(max, 8));

    g_assert_cmpuint(count, <=, MIN(max, 8));
    g_assert_cmpuint(now_ns, >=, run->now_ns);
    run->now_ns = now_ns;
    for (unsigned i = 0; i < count; i++) {
        g_assert_cmpuint(done[i].due_at_ns, <=, now_ns);
        g_array_append_val(run->out.dones, done[i]);
    }
    if (count < MIN(max, 8)) {
        Promise promise = {
            .tags = run->out.accepts->len,
            .at_ns = now_ns,
            .next_at_ns = ssd_next_at_ns(run->ssd),
        };

        /* All that is due has left, so what comes next lies ahead. */
        g_assert_cmpuint(promise.next_at_ns, >, now_ns);
        if (ssd_inflight(run->ssd) == 0) {
            g_assert_true(run->watched || promise.next_at_ns == UINT64_MAX);
        } else {
            g_assert_cmpuint(promise.next_at_ns, <, UINT64_MAX);
        }
        g_array_append_val(run->promises, promise);
    }
}

static void poll_all(Run *run, uint64_t now_ns)
{
    guint before;

    do {
        before = run->out.dones->len;
        poll(run, now_ns, 3);
    } while (run->out.dones->len == before + 3);
}

/* Sleep as QEMU does: each wake-up sees what is due at that very time. */
static void poll_when_needed(Run *run, uint64_t until_ns)
{
    while (ssd_next_at_ns(run->ssd) <= until_ns) {
        uint64_t next_at_ns = MAX(ssd_next_at_ns(run->ssd), run->now_ns);
        guint i = run->out.dones->len;

        poll_all(run, next_at_ns);
        for (; i < run->out.dones->len; i++) {
            g_assert_cmpuint(g_array_index(run->out.dones, SsdDone,
                                           i).due_at_ns, ==, next_at_ns);
        }
    }
}

static void poll_at_random(Run *run, Rng *rng, uint64_t until_ns, bool look)
{
    for (unsigned n = rng_below(rng, 6); n; n--) {
        uint64_t at_ns = run->now_ns +
                         rng_below(rng, until_ns - run->now_ns + 1);

        if (look && rng_chance(rng, 30)) {
            g_free(ssd_stats_json(run->ssd, at_ns, NULL));
            run->now_ns = at_ns;
        } else {
            poll(run, at_ns, rng_below(rng, 5));
        }
    }
}

/* `dues` are the times of the completions, known from another run. */
static void poll_every_event(Run *run, const GArray *dues, uint64_t until_ns)
{
    for (guint i = 0; i < dues->len; i++) {
        uint64_t due_ns = g_array_index(dues, SsdDone, i).due_at_ns;

        if (due_ns > run->now_ns && due_ns <= until_ns) {
            poll(run, due_ns - 1, 8);
            poll_all(run, due_ns);
        }
    }
}

static void poll_until(Run *run, PollMode mode, Rng *rng, uint64_t until_ns,
                       const GArray *dues)
{
    switch (mode) {
    case POLL_WHEN_NEEDED:
        poll_when_needed(run, until_ns);
        break;
    case POLL_AT_RANDOM:
    case POLL_AND_LOOK:
        poll_at_random(run, rng, until_ns, mode == POLL_AND_LOOK);
        break;
    case POLL_BEFORE_SUBMIT:
        poll_all(run, until_ns);
        break;
    case POLL_EVERY_EVENT:
        poll_every_event(run, dues, until_ns);
        break;
    case POLL_AT_END:
    case POLL_MODES:
        break;
    }
}

/*
 * A reset discards what waits to be written: those commands end with it, that
 * is when the front end, which takes `within_ns` at most, has handed it off.
 */
static bool ended_by_reset(const GArray *schedule, const SsdDone *done,
                           uint64_t within_ns)
{
    for (guint i = done->tag; i < schedule->len; i++) {
        const Arrival *a = &g_array_index(schedule, Arrival, i);

        if (a->at_ns <= done->due_at_ns &&
            a->at_ns + within_ns >= done->due_at_ns &&
            a->cmd.op == SSD_OP_ZONE_RESET) {
            return true;
        }
    }
    return false;
}

/*
 * A command that comes later and senses a page may suspend the program whose
 * end a reset's step waits for, and so hurry the reset and what waits for it.
 */
static bool hurried(const SsdParams *p, const GArray *schedule,
                    const SsdDone *done, uint64_t said_at_ns)
{
    bool may_suspend = p->program_suspend || p->erase_suspend;

    for (guint i = done->tag; i < schedule->len; i++) {
        const Arrival *a = &g_array_index(schedule, Arrival, i);

        if (p->reset_steps && may_suspend &&
            a->at_ns >= said_at_ns && a->at_ns < done->due_at_ns) {
            return true;
        }
    }
    return false;
}

/*
 * No completion came earlier than ssd_next_at_ns() had said. Promises and
 * completions are both in order of time, so one walk sees all of them.
 */
static void check_promises(const Run *run, const GArray *schedule)
{
    uint64_t within_ns = ssd_params(run->ssd)->fe_reset_ns ? 1000000 : 0;
    guint first = 0;

    for (guint i = 0; i < run->promises->len; i++) {
        const Promise *said = &g_array_index(run->promises, Promise, i);

        while (first < run->out.dones->len &&
               g_array_index(run->out.dones, SsdDone, first).due_at_ns <=
               said->at_ns) {
            first++;
        }
        for (guint k = first; k < run->out.dones->len; k++) {
            const SsdDone *done = &g_array_index(run->out.dones, SsdDone, k);

            if (done->due_at_ns >= said->next_at_ns) {
                break;
            }
            g_assert_true(done->tag >= said->tags ||
                          ended_by_reset(schedule, done, within_ns) ||
                          hurried(ssd_params(run->ssd), schedule, done,
                                  said->at_ns));
        }
    }
}

static Outcome run_schedule(const SsdParams *p, const GArray *schedule,
                            PollMode mode, Rng rng, uint64_t end_ns,
                            const GArray *dues)
{
    Run run = {
        .ssd = ssd_new(p),
        .out.accepts = g_array_new(FALSE, TRUE, sizeof(SsdAccept)),
        .out.dones = g_array_new(FALSE, TRUE, sizeof(SsdDone)),
        .promises = g_array_new(FALSE, TRUE, sizeof(Promise)),
        .watched = p->excursion_ns || p->finish_recommended_ns ||
                   p->reset_recommended_ns,
    };

    for (guint i = 0; i < schedule->len; i++) {
        const Arrival *a = &g_array_index(schedule, Arrival, i);
        SsdCmd cmd = a->cmd;
        SsdAccept accept;

        cmd.ranges = a->ranges;
        poll_until(&run, mode, &rng, a->at_ns, dues);
        g_assert_true(ssd_has_room(run.ssd));
        if (a->zone_fails) {
            ssd_zone_fail(run.ssd, a->at_ns, a->nsid, a->zone_idx,
                          SSD_ZONE_READ_ONLY);
        }
        accept = ssd_submit(run.ssd, a->at_ns, &cmd, i);
        run.now_ns = a->at_ns;
        if (accept.status) {
            accept.lba = 0;
        }
        g_array_append_val(run.out.accepts, accept);
    }
    if (mode == POLL_WHEN_NEEDED) {
        poll_when_needed(&run, end_ns - 1);
    }
    poll_all(&run, end_ns);
    g_assert_cmpuint(ssd_inflight(run.ssd), ==, 0);
    run.out.stats = ssd_stats_json(run.ssd, end_ns, NULL);
    check_promises(&run, schedule);
    g_array_free(run.promises, TRUE);
    ssd_free(run.ssd);
    return run.out;
}

static void outcome_free(Outcome *out)
{
    g_array_free(out->accepts, TRUE);
    g_array_free(out->dones, TRUE);
    g_free(out->stats);
}

static void expect_same(const Outcome *a, const Outcome *b)
{
    g_assert_cmpuint(a->accepts->len, ==, b->accepts->len);
    for (guint i = 0; i < a->accepts->len; i++) {
        const SsdAccept *x = &g_array_index(a->accepts, SsdAccept, i);
        const SsdAccept *y = &g_array_index(b->accepts, SsdAccept, i);

        g_assert_cmphex(x->status, ==, y->status);
        g_assert_cmpuint(x->lba, ==, y->lba);
    }
    g_assert_cmpuint(a->dones->len, ==, b->dones->len);
    for (guint i = 0; i < a->dones->len; i++) {
        const SsdDone *x = &g_array_index(a->dones, SsdDone, i);
        const SsdDone *y = &g_array_index(b->dones, SsdDone, i);

        g_assert_cmpuint(x->tag, ==, y->tag);
        g_assert_cmpuint(x->nsid, ==, y->nsid);
        g_assert_cmphex(x->status, ==, y->status);
        g_assert_cmpint(x->op, ==, y->op);
        g_assert_cmpuint(x->result, ==, y->result);
        g_assert_cmpuint(x->submitted_at_ns, ==, y->submitted_at_ns);
        g_assert_cmpuint(x->due_at_ns, ==, y->due_at_ns);
    }
    g_assert_cmpstr(a->stats, ==, b->stats);
}

static void test_modes(gconstpointer data)
{
    Rng rng = { drive_seed() };
    SsdParams p = drive_params(data);
    GArray *schedule = schedule_new(&p, &rng);
    uint64_t end_ns = UINT64_C(1) << 62;
    Outcome first = run_schedule(&p, schedule, POLL_AT_END, rng, end_ns,
                                 NULL);

    g_assert_cmpuint(first.dones->len, >, command_count() / 4);
    for (PollMode mode = 0; mode < POLL_MODES; mode++) {
        Outcome out = run_schedule(&p, schedule, mode, rng, end_ns,
                                   first.dones);

        expect_same(&first, &out);
        outcome_free(&out);
    }
    g_test_message("%u completions, %u ways of polling", first.dones->len,
                   POLL_MODES);
    outcome_free(&first);
    g_array_free(schedule, TRUE);
}

/* Every drive here must hold all commands at once, for POLL_AT_END. */
#define ROOM "cmd-slots=8192 "

/* Every mechanism on. */
#define FULL ROOM "zones=6 channels=2 dies=2 planes=2 multi-plane=on " \
    "program-pages=2 cache-read=off program-registers=2 reads-first=2 " \
    "program-issue-ns=40003 " \
    "program-suspend=on erase-suspend=on suspend-ns=20013 resume-ns=3001 " \
    "suspend-segment-ns=50021 suspend-spread=500 program-spread=30 " \
    "stripe-spread=60 buffer-resume=1 " \
    "read-slow-ns=70003 slow-pages=300 program-data-ns=5003 " \
    "program-transfer-ns=9001 seed=5 fe-read-ns=2003 fe-write-ns=4001 " \
    "fe-append-ns=5003 fe-finish-ns=3001 fe-reset-ns=7001 fe-small=8K " \
    "fe-report-ns=4001 fe-report-zone-ns=13 fe-log-ns=9001 " \
    "fe-small-write-ns=6007 fe-after=300 fe-after-random=on " \
    "link-in-ns=400000 link-out-ns=300000 fixed-read-ns=5003 " \
    "fixed-append-ns=7001 write-buffer=256K zone-buffer=64K " \
    "buffer-release-ns=90001 " \
    "buffer-waiters=3 finish-fills-empty=off reset-drains=on " \
    "reset-drain-first=on " \
    "reset-lock-ns=900007 reset-steps=3 reset-step-ns=10007 " \
    "reset-base-ns=50021 reset-after-ns=20011 reset-part-ns=30011 " \
    "read-slots=4 " \
    "max-open=2 max-active=4 "

static const char *const drives[][2] = {
    { "even", ROOM "zones=6 channels=2 zone-capacity=32K" },
    { "odd", ROOM "zones=6 channels=2 read-ns=60013 program-ns=700027 "
      "erase-ns=3500017 page-transfer-ns=25031 max-open=3 max-active=4" },
    { "sub-page", ROOM "zones=6 channels=2 ways=2 page-size=16K lba-size=512 "
      "read-granule=4K max-open=2 max-active=4 finish-chunk=32K" },
    { "su-zones", ROOM "zones=12 channels=4 zone-channels=1 "
      "mgmt-parallel-zones=3 finish-chunk=16K" },
    { "planes", ROOM "zones=8 channels=2 dies=2 planes=2 zone-dies=1 "
      "max-open=4 max-active=4" },
    { "namespaces", ROOM "zones=12 namespaces=3 channels=2 page-size=8K "
      "max-open=2 max-active=3 mgmt-parallel-zones=2" },
    { "array", ROOM "zones=6 channels=2 dies=2 planes=2 multi-plane=on "
      "program-pages=2 zone-dies=1 cache-read=off program-registers=2 "
      "reads-first=2 program-suspend=on erase-suspend=on suspend-ns=20013 "
      "resume-ns=3001 suspend-segment-ns=50021 suspend-spread=500 "
      "program-spread=30 read-slow-ns=70003 slow-pages=300 "
      "program-data-ns=5003 program-transfer-ns=9001 seed=5" },
    { "zrwa", ROOM "zones=6 channels=2 zrwa-size=16K max-open=4 "
      "max-active=5 finish-chunk=12K" },
    { "background", ROOM "zones=6 channels=2 erase-at=background "
      "erase-preemptive=on erase-stall-ns=2000000 finish-pause-ns=300000" },
    { "idle", ROOM "zones=6 channels=2 erase-at=idle mapping=remap "
      "spare-superblocks=1 finish-stall-ns=900000 idle-ns=50000" },
    { "lazy", ROOM "zones=12 channels=4 zone-channels=1 erase-at=zone-write "
      "mapping=lazy superblock-order=least-worn full-erase=on" },
    { "block-write", ROOM "zones=6 channels=2 erase-at=block-write "
      "mapping=lazy superblock-order=lifo finish-busy-pause-ns=700000" },
    { "preemptive", ROOM "zones=6 channels=2 erase-preemptive=on "
      "erase-stall-ns=5000000 mgmt-parallel-zones=3" },
    { "watched", ROOM "zones=6 channels=2 zrwa-size=16K excursion-ns=30000017 "
      "finish-recommended-ns=20000000 reset-recommended-ns=10000000 "
      "max-open=4 max-active=5 finish-chunk=16K" },
    { "conventional", ROOM "zones=6 conventional-size=512K channels=2" },
    { "conventional-small-blocks", ROOM "zones=6 conventional-size=512K "
      "channels=2 page-size=16K lba-size=512 read-granule=4K read-ns=60013 "
      "program-ns=700027 erase-ns=3500017 conventional-spare=0" },
    { "front", ROOM "zones=6 channels=2 fe-read-ns=2003 fe-write-ns=4001 "
      "fe-append-ns=5003 fe-reset-ns=7001 fe-small=8K fe-small-write-ns=6007 "
      "fe-first-write-ns=1009 fe-closed-write-ns=2003 fe-after=300 "
      "fe-after-random=on link-in-ns=400000 link-out-ns=300000 "
      "fixed-read-ns=5003 fixed-append-ns=7001 fixed-small-ns=801" },
    { "full", FULL "zone-capacity=48K" },
    { "full/watched", FULL "zrwa-size=16K excursion-ns=30000017" },
    { "full/erase", FULL "erase-at=zone-write mapping=lazy finish-chunk=16K "
      "finish-pause-ns=10007 mgmt-parallel-zones=3" },
    { "full/idle", FULL "erase-at=idle buffer-waiters=1 buffer-resume=0 "
      "zone-buffer=48K "
      "namespaces=3 zrwa-size=16K reset-drains=off "
      "reset-drain-first=off" },
    { "full/conventional", FULL "conventional-size=1M "
      "conventional-spare=0" },
    { "full/conventional-and-idle", FULL "conventional-size=4M lba-size=512 "
      "erase-at=idle idle-ns=50000 mapping=remap spare-superblocks=1 "
      "buffer-waiters=1 buffer-resume=0" },
    { "full/ahead", FULL "read-ahead=16K read-ahead-after=1 "
      "read-ahead-parts=2 register-read-ns=7001 sense-command-ns=5003 "
      "read-lists=3 read-ahead-streams=2" },
    { "full/turns", FULL "take-turns=on namespaces=2" },
    { "full/turns-and-conventional", FULL "take-turns=on namespaces=3 "
      "max-open=1 max-active=1 write-buffer=80K zone-buffer=48K "
      "conventional-size=1M" },
    { "conventional-and-designs", ROOM "zones=6 channels=2 namespaces=2 "
      "conventional-size=512K erase-at=background erase-preemptive=on "
      "erase-stall-ns=2000000 finish-busy-pause-ns=700000 "
      "excursion-ns=30000017" },
    { "free", ROOM "zones=4 read-ns=0 program-ns=0 erase-ns=0 "
      "page-transfer-ns=0" },
};

/* A poll that may return nothing still runs the drive, and loses nothing. */
static void test_poll_for_none(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t tag = drive_write(d, 0, 0, 1);

    g_assert_cmpuint(ssd_poll(d->ssd, 725000, NULL, 0), ==, 0);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), <=, 725000);
    g_assert_cmpuint(ssd_inflight(d->ssd), ==, 1);
    d->now_ns = 725000;
    drive_expect(d, tag, 725000);
    drive_expect_idle(d);
    drive_free(d);
}

/* A command is inside until it is returned, be it done before. */
static void test_inside(void)
{
    Drive *d = drive_new("channels=1");
    uint32_t write = drive_write(d, 0, 0, 1);
    uint32_t flush = drive_flush(d, 0);
    SsdInside inside[3];

    g_assert_cmpuint(ssd_inside(d->ssd, inside, 1), ==, 1);
    g_assert_cmpuint(ssd_poll(d->ssd, 0, NULL, 0), ==, 0);
    g_assert_cmpuint(ssd_inside(d->ssd, inside, 3), ==, 2);
    for (unsigned i = 0; i < 2; i++) {
        bool writes = inside[i].op == SSD_OP_WRITE;

        g_assert_cmpuint(inside[i].tag, ==, writes ? write : flush);
        g_assert_cmpuint(inside[i].nsid, ==, 1);
    }
    d->now_ns = 10000000;
    g_assert_cmpuint(ssd_poll(d->ssd, d->now_ns, NULL, 0), ==, 0);
    g_assert_cmpuint(ssd_inside(d->ssd, inside, 3), ==, 2);
    g_assert_cmpuint(ssd_inside(d->ssd, inside, 1), ==, 1);
    drive_free(d);
}

/* Nothing ever happens at the last instant that there is. */
static void test_end_of_time(void)
{
    Drive *d = drive_new("channels=1");

    g_assert_cmpuint(ssd_poll(d->ssd, UINT64_MAX, NULL, 0), ==, 0);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, UINT64_MAX);
    drive_free(d);
}

/* The order of completions due at one time is the order of submission here. */
static void test_order_of_ties(void)
{
    Drive *d = drive_new("channels=8 zone-channels=1 zones=8");
    uint32_t tag[8];

    for (unsigned z = 0; z < 8; z++) {
        tag[z] = drive_write(d, 0, drive_zone_lba(d, 7 - z), 1);
    }
    for (unsigned z = 0; z < 8; z++) {
        drive_expect_next(d, tag[z], 725000);
    }
    for (unsigned z = 0; z < 8; z++) {
        tag[z] = drive_zone_op(d, 800000, SSD_OP_ZONE_CLOSE, 7 - z);
    }
    for (unsigned z = 0; z < 8; z++) {
        drive_expect_next(d, tag[z], 800000);
    }
    drive_expect_idle(d);
    drive_free(d);
}

/*
 * A long finish must not be polled for every page: 49 s of it may wake the
 * host a few times, not 67,583 times (QEMU's timer is armed from this).
 */
static void expect_few_wake_ups(Drive *d, uint32_t tag)
{
    unsigned polls = 0;
    SsdDone done;

    while (ssd_next_at_ns(d->ssd) != UINT64_MAX) {
        d->now_ns = ssd_next_at_ns(d->ssd);
        if (ssd_poll(d->ssd, d->now_ns, &done, 1)) {
            g_assert_cmpuint(done.tag, ==, tag);
        }
        polls++;
    }
    drive_expect_idle(d);
    g_assert_cmpuint(polls, <=, 100);
}

/* The second finish waits for a write; what it has waited is forgotten. */
static void test_few_wake_ups(void)
{
    Drive *d = drive_new("zones=4 zone-size=2G zone-capacity=1056M channels=4 "
                         "page-size=16K pages-per-block=768");

    drive_fill(d, 0, 1);
    expect_few_wake_ups(d, drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 0));
    drive_write(d, d->now_ns, drive_zone_lba(d, 1), 4);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 1);
    drive_drain(d);
    drive_fill(d, 2, 1);
    expect_few_wake_ups(d, drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 2));
    drive_free(d);
}

/*
 * While only a finish is inside, what is said is worked out from what is left
 * of it: never later than its end, at whichever of its steps one asks.
 */
static void expect_end_not_before(Drive *d, uint32_t tag)
{
    uint64_t said_ns[1000];
    unsigned count = 0;
    SsdDone done;

    do {
        g_assert_cmpuint(count, <, G_N_ELEMENTS(said_ns));
        said_ns[count++] = ssd_next_at_ns(d->ssd);
        d->now_ns = ssd_next_step_at_ns(d->ssd);
    } while (!ssd_poll(d->ssd, d->now_ns, &done, 1));
    g_assert_cmpuint(done.tag, ==, tag);
    for (unsigned i = 0; i < count; i++) {
        g_assert_cmpuint(said_ns[i], <=, done.due_at_ns);
    }
}

static const char *const finishes[] = {
    "channels=1",
    "channels=1 page-size=16K",
    "channels=1 page-size=16K zrwa-size=64K zrwa-flush-granularity=16K",
    "channels=2 page-size=8K zrwa-size=64K zrwa-flush-granularity=8K",
    "channels=2 page-size=8K finish-chunk=16K",
    "channels=1 page-size=16K program-registers=1 write-buffer=128K "
    "max-active=2",
    "channels=2 page-size=8K program-registers=1 write-buffer=128K "
    "max-active=2 page-turns=on",
    "channels=1 page-size=8K finish-pause-ns=1000000 "
    "finish-busy-pause-ns=900000",
};

/* Whatever has been written, as pages and parts of one. */
static void test_finish_not_before(gconstpointer words)
{
    for (uint32_t nlb = 1; nlb < 16; nlb++) {
        Drive *d = drive_new(words);

        if (d->params.zrwa_bytes) {
            drive_zone_op(d, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
        }
        drive_write(d, 0, 0, nlb);
        drive_drain(d);
        expect_end_not_before(d, drive_zone_op(d, d->now_ns,
                                               SSD_OP_ZONE_FINISH, 0));
        drive_free(d);
    }
}

/*
 * One page after another, each with all of its transfer: known, but for the
 * program of the page that is under way, and for pauses that may be shorter,
 * as host I/O may yet come.
 */
static void expect_known(const char *words, uint64_t least_pause_ns)
{
    Drive *d = drive_new(words);
    uint64_t transfer_ns = d->params.page_transfer_ns;

    drive_fill(d, 0, 1);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 0);
    ssd_poll(d->ssd, d->now_ns, NULL, 0);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, d->now_ns + transfer_ns +
                     14 * (transfer_ns + d->params.program_ns) +
                     13 * least_pause_ns);
    drive_free(d);
}

static void test_finish_known(void)
{
    expect_known("channels=1", 0);
    expect_known("channels=1 finish-pause-ns=1000000", 1000000);
    expect_known("channels=1 finish-pause-ns=1000000 "
                 "finish-busy-pause-ns=900000", 900000);
    expect_known("channels=1 finish-pause-ns=1000000 "
                 "finish-busy-pause-ns=1100000", 1000000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(drives); i++) {
        char *path = g_strconcat("/poll/modes/", drives[i][0], NULL);

        g_test_add_data_func(path, drives[i][1], test_modes);
        g_free(path);
    }
    g_test_add_func("/poll/none", test_poll_for_none);
    g_test_add_func("/poll/inside", test_inside);
    g_test_add_func("/poll/end-of-time", test_end_of_time);
    g_test_add_func("/poll/order-of-ties", test_order_of_ties);
    g_test_add_func("/poll/few-wake-ups", test_few_wake_ups);
    for (unsigned i = 0; i < G_N_ELEMENTS(finishes); i++) {
        g_autofree char *path = g_strdup_printf("/poll/finish/%u", i);

        g_test_add_data_func(path, finishes[i], test_finish_not_before);
    }
    g_test_add_func("/poll/finish-known", test_finish_known);
    return g_test_run();
}
