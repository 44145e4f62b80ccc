/*
 * Every design of finish, reset, mapping and erase x one zone or Select All x
 * planes, dies and ways x empty, opened, partial, full and finished zones, to
 * the nanosecond; and the same again polled never, and at random instants.
 *
 * What is expected comes from formulas (design_ref.h) where one thing is done at
 * a time, and from the dumb drive (model.h) where they mix.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "design_ref.h"
#include "support/drive.h"
#include "model/model.h"

#define BUSY UINT64_C(9000011)      /* that host I/O is inside */
#define LATER UINT64_C(1000000007)

/* What the zones hold. */
enum { EMPTY, OPENED, ONE_PAGE, HALF, FULL, FINISHED };

/* Ways, dies, planes; planes as one; zones on one channel of the two. */
static const char *const geometries[][2] = {
    {"1-1-1", ""},
    {"4-1-1", "ways=4"},
    {"1-4-1", "dies=4"},
    {"4-4-1", "ways=4 dies=4"},
    {"1-1-2", "planes=2"},
    {"4-1-2", "ways=4 planes=2"},
    {"1-4-2", "dies=4 planes=2"},
    {"4-4-2", "ways=4 dies=4 planes=2"},
    {"1-1-2-as-one", "planes=2 multi-plane=on"},
    {"4-4-2-as-one", "ways=4 dies=4 planes=2 multi-plane=on"},
    {"1-channel", "zone-channels=1"},
    {"1-channel-4-4-2", "zone-channels=1 ways=4 dies=4 planes=2"},
};

/*
 * Of four big geometries each takes every fourth of the words, and another one
 * than the others. Return: whether it is the n-th.
 */
static bool takes(const char *const *geometry, unsigned n)
{
    static const char big[] = "ways=4 dies=4";
    unsigned others = 0;

    for (unsigned i = 0; geometries[i] != geometry; i++) {
        others += strstr(geometries[i][1], big) != NULL;
    }
    /* 16 words in a row differ in two things only: begin with another one. */
    return !strstr(geometry[1], big) || (n + n / 16) % 4 == others;
}

/* Pages of a chunk. */
static const unsigned chunks[] = { 1, 3, 64, 1000 };

static const char *const finishes[] = {
    "",
    "finish-pause-ns=300007",
    "finish-busy-pause-ns=700001",
    "finish-pause-ns=300007 finish-busy-pause-ns=2000003",
    "finish-stall-ns=1000003",
    "finish-stall-ns=80000003",
    "finish-stall-ns=2000003 finish-pause-ns=300007",
};

static const char *const erasures[] = {
    "erase-at=reset", "erase-at=background", "erase-at=idle",
    "erase-at=zone-write", "erase-at=block-write",
};
static const char *const preemptions[] = {
    "erase-preemptive=off", "erase-preemptive=on",
    "erase-preemptive=on erase-stall-ns=1000003",
    "erase-preemptive=on erase-stall-ns=80000003",
};
static const char *const mappings[] = {
    "mapping=direct",
    "mapping=lazy",
    "mapping=lazy superblock-order=lifo",
    "mapping=lazy superblock-order=least-worn",
    "mapping=lazy spare-superblocks=1 superblock-order=lifo",
    "mapping=remap",
    "mapping=remap spare-superblocks=1",
    "mapping=remap spare-superblocks=1 superblock-order=least-worn",
};

/* --- what comes ---------------------------------------------------------- */

/* A command, when it is sent, and when it must be done. */
typedef struct Sent {
    uint64_t at_ns;
    uint64_t due_ns;
    SsdCmd cmd;
} Sent;

typedef struct Case {
    SsdParams p;
    Ref ref;
    GArray *sent;       /* Sent */
    GArray *erases;     /* uint32_t, per block, in the end */
    uint64_t now_ns;
    uint64_t written[REF_ZONES];    /* pages; what a reset finds */
    uint64_t written_lba[REF_ZONES];
} Case;

static uint64_t page_nlb(const Case *c)
{
    return c->p.zone_capacity_bytes / c->p.lba_bytes / c->ref.pages;
}

static uint64_t zone_lba(const Case *c, uint32_t z)
{
    return z * (c->p.zone_size_bytes / c->p.lba_bytes);
}

static void send(Case *c, SsdCmd cmd, uint64_t due_ns)
{
    Sent sent = { .at_ns = c->now_ns, .due_ns = due_ns, .cmd = cmd };

    sent.cmd.nsid = 1;
    g_array_append_val(c->sent, sent);
}

/* The next commands come a while after all is over. */
static void settle(Case *c, uint64_t end_ns)
{
    c->now_ns = MAX(c->now_ns, end_ns) + LATER;
    c->ref.busy_until_ns = 0;
}

/* Host I/O that occupies nothing but is inside for BUSY: above all data. */
static void be_busy(Case *c)
{
    c->ref.busy_until_ns = c->now_ns + BUSY;
    send(c, (SsdCmd) {
        .op = SSD_OP_READ, .nlb = 1,
        .slba = zone_lba(c, 1) - 1,
    }, c->now_ns + BUSY);
}

static uint64_t write(Case *c, uint32_t z, uint64_t end)
{
    uint64_t due_ns = ref_program(&c->ref, c->now_ns, z, c->written[z], end);

    send(c, (SsdCmd) {
        .op = SSD_OP_WRITE,
        .slba = zone_lba(c, z) + c->written[z] * page_nlb(c),
        .nlb = (end - c->written[z]) * page_nlb(c),
    }, due_ns);
    c->written[z] = end;
    return due_ns;
}

static SsdCmd zone_cmd(const Case *c, SsdOp op, uint32_t z)
{
    return (SsdCmd) { .op = op, .slba = zone_lba(c, z) };
}

static void finish_one(Case *c, uint32_t z)
{
    uint64_t due_ns = ref_finish(&c->ref, c->now_ns, z, c->written[z]);

    send(c, zone_cmd(c, SSD_OP_ZONE_FINISH, z), due_ns);
    c->written[z] = c->ref.pages;
    settle(c, due_ns);
}

/* The same for the next zones, all with one command. */
static void finish_all(Case *c)
{
    uint64_t due_ns = c->now_ns;

    for (uint32_t z = OPENED; z <= HALF; z++) {
        due_ns = ref_finish(&c->ref, due_ns, z, c->written[z]);
        c->written[z] = c->ref.pages;
    }
    send(c, (SsdCmd) { .op = SSD_OP_ZONE_FINISH, .select_all = true }, due_ns);
    settle(c, due_ns);
}

/* Return: when all that the reset leaves in the background is over. */
static uint64_t reset_one(Case *c, uint32_t z)
{
    uint64_t background_ns = 0, due_ns = c->now_ns;

    if (z != EMPTY) {
        due_ns = ref_reset(&c->ref, c->now_ns, z, c->written[z], &background_ns);
    }
    send(c, zone_cmd(c, SSD_OP_ZONE_RESET, z), due_ns);
    c->written[z] = 0;
    c->now_ns = due_ns;
    return MAX(due_ns, background_ns);
}

static uint64_t reset_all(Case *c)
{
    uint64_t background_ns = 0, due_ns = c->now_ns;

    for (uint32_t z = OPENED; z < REF_ZONES; z++) {
        due_ns = ref_reset(&c->ref, due_ns, z, c->written[z], &background_ns);
        c->written[z] = 0;
    }
    send(c, (SsdCmd) { .op = SSD_OP_ZONE_RESET, .select_all = true }, due_ns);
    return MAX(due_ns, background_ns);
}

/* Write a zone anew, a page first, then across a block's end; or finish it. */
static void use_again(Case *c, uint32_t z)
{
    uint64_t due_ns;

    if (z == ONE_PAGE || z == FINISHED) {
        finish_one(c, z);
        return;
    }
    due_ns = write(c, z, 1);
    settle(c, due_ns);
    due_ns = write(c, z, REF_PAGES_PER_BLOCK * c->ref.units + 1);
    settle(c, due_ns);
    due_ns = write(c, z, c->ref.pages);
    settle(c, due_ns);
}

static Case *case_new(const char *words, unsigned chunk)
{
    Case *c = g_new0(Case, 1);
    g_autofree char *base = g_strdup_printf(
        "zones=%d zone-size=2M mdts=2M cmd-slots=512 pages-per-block=%d "
        "read-ns=60013 program-ns=700027 erase-ns=3500017 "
        "page-transfer-ns=25031 idle-ns=100003 fixed-read-ns=9000011 %s",
        REF_ZONES, REF_PAGES_PER_BLOCK, words);
    SsdParams p = drive_params(base);
    uint32_t planes = p.multi_plane ? p.planes : 1;
    uint32_t units = p.zone_channels * p.ways * p.dies * p.planes / planes;
    uint64_t program_bytes = (uint64_t)p.page_bytes * planes;
    /* Five rows but for a page: the last block is not used to its end. */
    g_autofree char *all = g_strdup_printf(
        "%s zone-capacity=%" G_GUINT64_FORMAT " finish-chunk=%" G_GUINT64_FORMAT,
        base, (5 * units - 1) * program_bytes, chunk * program_bytes);

    c->p = drive_params(all);
    ref_init(&c->ref, &c->p);
    c->sent = g_array_new(FALSE, FALSE, sizeof(Sent));
    c->erases = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    c->now_ns = 1;
    return c;
}

/* What the zones hold before. */
static void prepare(Case *c)
{
    send(c, zone_cmd(c, SSD_OP_ZONE_OPEN, OPENED), c->now_ns);
    settle(c, c->now_ns);
    for (uint32_t z = ONE_PAGE; z <= FINISHED; z++) {
        uint64_t pages = z == HALF ? c->ref.pages / 2 :
                         z == FULL ? c->ref.pages : 1;

        settle(c, write(c, z, pages));
    }
    finish_one(c, FINISHED);
}

typedef enum PollMode {
    POLL_EXACTLY,   /* one nanosecond before each completion, and at it */
    POLL_NEVER,     /* but at the end */
    POLL_AT_RANDOM,
    POLL_MODES,
} PollMode;

typedef struct Run {
    const Case *c;
    const char *words;
    Ssd *ssd;
    guint sent;
    guint done;
    uint64_t now_ns;    /* that the drive has been told */
    uint64_t seen_ns;   /* what was due by then has come */
} Run;

static void poll(Run *run, uint64_t now_ns)
{
    SsdDone done;

    run->now_ns = now_ns;
    while (ssd_poll(run->ssd, now_ns, &done, 1)) {
        const Sent *sent = &g_array_index(run->c->sent, Sent, done.tag);

        if (done.status || done.due_at_ns != sent->due_ns ||
            done.due_at_ns > now_ns) {
            g_error("%s\ncommand %u, %s%s of zone %u at %" G_GUINT64_FORMAT
                    " took %" G_GUINT64_FORMAT " ns, must take %"
                    G_GUINT64_FORMAT, run->words, done.tag,
                    ssd_op_name(sent->cmd.op),
                    sent->cmd.select_all ? " all" : "",
                    (unsigned)(sent->cmd.slba / zone_lba(run->c, 1)),
                    sent->at_ns, done.due_at_ns - sent->at_ns,
                    sent->due_ns - sent->at_ns);
        }
        run->done++;
    }
}

/*
 * The earliest completion that has not come, if it comes before `until_ns`: at
 * that instant, the next command may end others.
 */
static uint64_t next_due_ns(const Run *run, uint64_t until_ns)
{
    uint64_t due_ns = UINT64_MAX;

    for (guint i = 0; i < run->sent; i++) {
        const Sent *sent = &g_array_index(run->c->sent, Sent, i);

        if (sent->due_ns > run->seen_ns && sent->due_ns < until_ns) {
            due_ns = MIN(due_ns, sent->due_ns);
        }
    }
    return due_ns;
}

static void poll_until(Run *run, PollMode mode, Rng *rng, uint64_t until_ns)
{
    switch (mode) {
    case POLL_EXACTLY:
        while (next_due_ns(run, until_ns) < UINT64_MAX) {
            uint64_t due_ns = next_due_ns(run, until_ns);
            guint done = run->done;

            if (due_ns > run->now_ns) {
                poll(run, due_ns - 1);
            }
            g_assert_cmpuint(run->done, ==, done);
            g_assert_cmpuint(ssd_next_at_ns(run->ssd), <=, due_ns);
            poll(run, due_ns);
            g_assert_cmpuint(run->done, >, done);
            run->seen_ns = due_ns;
        }
        break;
    case POLL_AT_RANDOM:
        for (unsigned i = rng_below(rng, 8); i; i--) {
            uint64_t room_ns = until_ns - run->now_ns;

            poll(run, run->now_ns + rng_below(rng, rng_chance(rng, 50)
                                                   ? room_ns + 1
                                                   : room_ns / 50 + 1));
        }
        break;
    default:
        break;
    }
}

/* Return: the statistics at the end. */
static char *run_case(const Case *c, const char *words, PollMode mode,
                      Rng *rng)
{
    Run run = { .c = c, .words = words, .ssd = ssd_new(&c->p) };
    char *stats;

    for (guint i = 0; i < c->sent->len; i++) {
        const Sent *sent = &g_array_index(c->sent, Sent, i);
        SsdAccept accept;

        poll_until(&run, mode, rng, sent->at_ns);
        accept = ssd_submit(run.ssd, sent->at_ns, &sent->cmd, i);
        g_assert_cmphex(accept.status, ==, SSD_SUCCESS);
        run.now_ns = sent->at_ns;
        run.seen_ns = sent->at_ns - 1;
        run.sent++;
    }
    poll_until(&run, mode, rng, c->now_ns);
    poll(&run, c->now_ns);
    g_assert_cmpuint(run.done, ==, c->sent->len);
    stats = ssd_stats_json(run.ssd, c->now_ns, NULL);
    g_assert_cmpuint(ssd_block_count(run.ssd), ==, c->erases->len);
    for (guint i = 0; i < c->erases->len; i++) {
        g_assert_cmpuint(ssd_block(run.ssd, i).erase_count, ==,
                         g_array_index(c->erases, uint32_t, i));
    }
    ssd_free(run.ssd);
    return stats;
}

/* The wear that the formulas give. */
static void expect_wear(Case *c)
{
    for (uint32_t s = 0; s < c->ref.superblocks; s++) {
        for (uint32_t u = 0; u < c->ref.units; u++) {
            g_array_append_vals(c->erases, c->ref.superblock[s].erases[u],
                                c->ref.blocks);
        }
    }
}

static unsigned checked;

/* In each way of polling; frees the case. */
static void check(Case *c, const char *words, Rng *rng)
{
    g_autofree char *first = run_case(c, words, POLL_EXACTLY, rng);

    for (PollMode mode = POLL_NEVER; mode < POLL_MODES; mode++) {
        g_autofree char *stats = run_case(c, words, mode, rng);

        g_assert_cmpstr(stats, ==, first);
    }
    checked += c->sent->len;
    g_array_free(c->sent, TRUE);
    g_array_free(c->erases, TRUE);
    g_free(c);
}

/* --- the tables ---------------------------------------------------------- */

/* FEMU_EVERY=n: one of n cases, for builds in which a drive is dear. */
static bool is_taken(void)
{
    static unsigned number;
    const char *every = g_getenv("FEMU_EVERY");

    return number++ % (every ? MAX(atoi(every), 1) : 1) == 0;
}

static void check_finish(const char *words, unsigned chunk, bool all,
                         bool busy, Rng *rng)
{
    Case *c = case_new(words, chunk);

    prepare(c);
    for (uint32_t z = all ? OPENED : EMPTY; z < REF_ZONES; z++) {
        if (busy) {
            be_busy(c);
        }
        if (all) {
            finish_all(c);
            break;
        }
        finish_one(c, z);
    }
    expect_wear(c);
    check(c, words, rng);
}

static void test_finish(gconstpointer data)
{
    Rng rng = { drive_seed() };

    checked = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(finishes); i++) {
        g_autofree char *words = g_strconcat(data, " ", finishes[i], NULL);

        for (unsigned k = 0; k < G_N_ELEMENTS(chunks); k++) {
            for (unsigned way = 0; way < 4; way++) {
                if (is_taken()) {
                    check_finish(words, chunks[k], way & 1, way & 2, &rng);
                }
            }
        }
    }
    g_test_message("%u commands, each polled in %u ways", checked,
                   POLL_MODES);
}

/* `at_once`: the zone is written again when its reset is done, not later. */
static void check_reset(const char *words, bool all, bool busy, bool at_once,
                        Rng *rng)
{
    Case *c = case_new(words, 3);

    prepare(c);
    for (uint32_t z = 0; z < REF_ZONES && !all; z++) {
        uint64_t end_ns;

        if (busy) {
            be_busy(c);
        }
        end_ns = reset_one(c, z);
        if (!at_once) {
            settle(c, end_ns);
        }
        use_again(c, z);
    }
    if (all) {
        if (busy) {
            be_busy(c);
        }
        settle(c, reset_all(c));
        for (uint32_t z = 0; z < REF_ZONES; z++) {
            use_again(c, z);
        }
    }
    expect_wear(c);
    check(c, words, rng);
}

/* A write that comes while blocks are erased one by one: /matrix/mixed. */
static bool goes_in_between(const char *words)
{
    return strstr(words, "idle") ||
           (strstr(words, "background") && strstr(words, "preemptive=on"));
}

static void check_resets(const char *words, Rng *rng)
{
    bool stalls = strstr(words, "stall") || strstr(words, "idle");

    for (unsigned way = 0; way < (stalls ? 4 : 2); way++) {
        check_reset(words, way & 1, way & 2, false, rng);
    }
    if (!goes_in_between(words)) {
        check_reset(words, false, false, true, rng);
    }
}

#define WORDS_COUNT (G_N_ELEMENTS(erasures) * G_N_ELEMENTS(preemptions) * \
                     G_N_ELEMENTS(mappings) * 2)

/* The n-th way to erase, to give way, to map, and how much to erase. */
static char *nth_words(const char *geometry, unsigned n)
{
    unsigned full = n % 2;
    unsigned mapping = n / 2 % G_N_ELEMENTS(mappings);
    unsigned rest = n / 2 / G_N_ELEMENTS(mappings);

    return g_strjoin(" ", geometry, erasures[rest / G_N_ELEMENTS(preemptions)],
                     preemptions[rest % G_N_ELEMENTS(preemptions)],
                     mappings[mapping], full ? "full-erase=on" : "", NULL);
}

static void test_reset(gconstpointer data)
{
    const char *const *geometry = data;
    Rng rng = { drive_seed() };

    checked = 0;
    for (unsigned n = 0; n < WORDS_COUNT; n++) {
        g_autofree char *words = nth_words(geometry[1], n);

        if (takes(geometry, n) && is_taken()) {
            check_resets(words, &rng);
        }
    }
    g_test_message("%u commands, each polled in %u ways", checked,
                   POLL_MODES);
}

/* --- everything at a time -------------------------------------------------- */

static SsdCmd mixed_cmd(const Case *c, Rng *rng)
{
    static const SsdOp ops[] = {
        SSD_OP_APPEND, SSD_OP_APPEND, SSD_OP_APPEND, SSD_OP_APPEND,
        SSD_OP_READ, SSD_OP_READ, SSD_OP_READ, SSD_OP_ZONE_FINISH,
        SSD_OP_ZONE_RESET, SSD_OP_ZONE_RESET,
    };
    SsdCmd cmd = {
        .nsid = 1,
        .op = ops[rng_below(rng, G_N_ELEMENTS(ops))],
        .slba = zone_lba(c, rng_below(rng, REF_ZONES)),
        .nlb = page_nlb(c) * (1 + rng_below(rng, c->ref.units + 3)),
    };

    if (cmd.op == SSD_OP_READ) {
        cmd.slba += rng_below(rng, c->ref.pages) * page_nlb(c);
        cmd.nlb = page_nlb(c);
    } else if (cmd.op == SSD_OP_APPEND) {
        cmd.nlb = rng_chance(rng, 30) ? c->ref.pages * page_nlb(c) : cmd.nlb;
    } else {
        cmd.select_all = rng_chance(rng, 30);
    }
    return cmd;
}

/* What the dumb drive takes and how long it needs becomes what is expected. */
static void mix(Case *c, unsigned commands, Rng *rng)
{
    Model *model = model_new(&c->p);
    SsdDone done;

    for (unsigned i = 0; i < commands; i++) {
        SsdCmd cmd = mixed_cmd(c, rng);
        uint32_t tag = c->sent->len;

        c->now_ns += rng_chance(rng, 30) ? 0 :
                     rng_below(rng, rng_chance(rng, 50) ? REF_PROGRAM_NS
                                                        : 3 * REF_ERASE_NS);
        if (!model_submit(model, c->now_ns, &cmd, tag).status) {
            send(c, cmd, 0);
        }
    }
    settle(c, c->now_ns + 1000 * LATER);
    model_run(model, c->now_ns);
    while (model_pop(model, &done)) {
        g_array_index(c->sent, Sent, done.tag).due_ns = done.due_at_ns;
    }
    for (uint64_t i = 0; i < model_block_count(model); i++) {
        uint32_t erases = model_erase_count(model, i);

        g_array_append_val(c->erases, erases);
    }
    model_free(model);
}

static void check_mixed(const char *words, unsigned n, Rng *rng)
{
    static const char *const parallel[] = {
        "mgmt-parallel-zones=1", "mgmt-parallel-zones=2",
        "mgmt-parallel-zones=16",
    };
    g_autofree char *all = g_strjoin(
        " ", words, finishes[n % G_N_ELEMENTS(finishes)],
        parallel[n % G_N_ELEMENTS(parallel)], "fixed-read-ns=0", NULL);
    Case *c = case_new(all, chunks[n % G_N_ELEMENTS(chunks)]);

    mix(c, 60, rng);
    check(c, all, rng);
}

/* 7, 4 and 3 have no factor in common: every pair of words meets. */
static void test_mixed(gconstpointer data)
{
    const char *const *geometry = data;
    Rng rng = { drive_seed() };

    checked = 0;
    for (unsigned n = 0; n < WORDS_COUNT; n++) {
        g_autofree char *words = nth_words(geometry[1], n);

        if (takes(geometry, n) && is_taken()) {
            check_mixed(words, n, &rng);
        }
    }
    g_test_message("%u commands, each polled in %u ways", checked,
                   POLL_MODES);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(geometries); i++) {
        g_autofree char *finish_path =
            g_strconcat("/matrix/finish/", geometries[i][0], NULL);
        g_autofree char *reset_path =
            g_strconcat("/matrix/reset/", geometries[i][0], NULL);
        g_autofree char *mixed_path =
            g_strconcat("/matrix/mixed/", geometries[i][0], NULL);

        g_test_add_data_func(finish_path, geometries[i][1], test_finish);
        g_test_add_data_func(reset_path, geometries[i], test_reset);
        g_test_add_data_func(mixed_path, geometries[i], test_mixed);
    }
    return g_test_run();
}
