/*
 * The zone state machine and the time of every command against a dumb second
 * drive: all short sequences, and long random ones near the limits.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>

#include "pair.h"

/* --- all short sequences ----------------------------------------------- */

/*
 * An alphabet: two characters a word, an action and a zone. w and p write and
 * append one block at the write pointer, f writes the zone full, y copies one
 * block from the start of zone 0; o c F r open, close, finish, reset; e sets
 * an extension, x takes the zone offline, R and O make it fail to read-only
 * or offline; z opens with a ZRWA, Z sets an extension with one, v writes one
 * block behind the write pointer, g commits one block. Zone * is Select All.
 * "t." lets all jobs end: between other words no time passes. FEMU_DEPTH=n
 * makes sequences n words longer, for those who have the time.
 */
typedef struct Alphabet {
    const char *name;
    const char *words;
    const char *drive;
    unsigned length;
} Alphabet;

#define MAX_LENGTH 8
#define TINY "zone-capacity=8K channels=1 cmd-slots=8 "
#define TWO_ZONES "w0 f0 o0 c0 F0 r0 w1 f1 o1 F1 r1 o* c* F* r* t."

static const Alphabet alphabets[] = {
    { "one-zone", "w0 p0 f0 o0 c0 F0 r0 o* c* F* r* t.", TINY "zones=1", 4 },
    { "two-zones-1-1", TWO_ZONES,
      TINY "zones=2 max-open=1 max-active=1", 4 },
    { "two-zones-1-2", TWO_ZONES,
      TINY "zones=2 max-open=1 max-active=2", 4 },
    { "three-zones-2-2", "w0 o0 c0 F0 r0 w1 o1 r1 w2 o2 r2 o* r* t.",
      TINY "zones=3 max-open=2 max-active=2 mgmt-parallel-zones=2", 4 },
    { "three-zones-1-3", "w0 o0 c0 F0 r0 w1 c1 r1 w2 f2 o2 o* t.",
      TINY "zones=3 max-open=1 max-active=3", 4 },
    { "longer-1-1", "w0 o0 F0 r0 w1 r1 t.",
      TINY "zones=2 max-open=1 max-active=1", 5 },
    { "longer-1-2", "w0 o0 c0 r0 w1 o1 t.",
      TINY "zones=2 max-open=1 max-active=2", 5 },
    { "copies", "w0 y0 f0 F0 r0 w1 y1 F1 r1 r* t.", TINY "zones=2", 4 },
    { "failing", "w0 y1 o0 F0 r0 e0 x0 R0 O0 R1 w1 x* r* t.",
      TINY "zones=2 max-open=1 max-active=1", 4 },
    { "extensions", "e0 o0 w0 F0 r0 e1 o1 w1 r1 c* t.",
      TINY "zones=2 max-open=1 max-active=1", 4 },
    { "zrwa", "z0 w0 v0 g0 o0 c0 F0 r0 Z1 v1 g1 r1 t.",
      TINY "zones=2 max-open=1 max-active=2 zrwa-size=4K max-zrwa=1", 4 },
    { "zrwa-all", "z0 v0 g0 c* o* F* r* z1 v1 R1 t.",
      TINY "zones=2 max-open=1 max-active=2 zrwa-size=8K", 4 },
    { "longer-select-all", "w0 F0 r0 w1 F1 F* r* t.",
      TINY "zones=2", 5 },
};

static const SsdRange first_block = { 0, 1 };

static SsdCmd word_cmd(const Pair *pair, const char *word)
{
    const Rules *rules = model_rules(pair->model, 1);
    SsdCmd cmd = { .nsid = 1, .nlb = 1 };
    uint64_t written_nlb = 0;

    if (word[1] == '*') {
        cmd.select_all = true;
    } else {
        cmd.slba = (word[1] - '0') * rules->zone_nlb;
        written_nlb = rules->zone[word[1] - '0'].written_nlb;
    }
    switch (word[0]) {
    case 'w':
        cmd.op = SSD_OP_WRITE;
        cmd.slba += written_nlb;
        break;
    case 'f':
        cmd.op = SSD_OP_WRITE;
        cmd.slba += written_nlb;
        cmd.nlb = MAX(1, rules->capacity_nlb - written_nlb);
        break;
    case 'p':
        cmd.op = SSD_OP_APPEND;
        break;
    case 'y':
        cmd.op = SSD_OP_COPY;
        cmd.slba += written_nlb;
        cmd.ranges = &first_block;
        cmd.range_count = 1;
        break;
    case 'e':
        cmd.op = SSD_OP_ZONE_SET_EXTENSION;
        break;
    case 'z':
        cmd.op = SSD_OP_ZONE_OPEN_ZRWA;
        break;
    case 'Z':
        cmd.op = SSD_OP_ZONE_SET_EXTENSION_ZRWA;
        break;
    case 'v':
        cmd.op = SSD_OP_WRITE;
        cmd.slba += written_nlb + 1;
        break;
    case 'g':
        cmd.op = SSD_OP_ZONE_FLUSH_ZRWA;
        cmd.slba += written_nlb;
        break;
    case 'x':
        cmd.op = SSD_OP_ZONE_OFFLINE;
        break;
    case 'o':
        cmd.op = SSD_OP_ZONE_OPEN;
        break;
    case 'c':
        cmd.op = SSD_OP_ZONE_CLOSE;
        break;
    case 'F':
        cmd.op = SSD_OP_ZONE_FINISH;
        break;
    case 'r':
        cmd.op = SSD_OP_ZONE_RESET;
        break;
    default:
        g_assert_not_reached();
    }
    return cmd;
}

/*
 * One sequence; its shorter beginnings have been compared before. Return: the
 * index of the first word that was rejected, or of the last.
 */
static unsigned run_sequence(const SsdParams *params, char **words,
                             const unsigned *letters, unsigned length)
{
    Pair *pair = pair_new(params);
    unsigned i;

    for (i = 0; i < length; i++) {
        const char *word = words[letters[i]];

        if (word[0] == 't') {
            pair_drain(pair);
        } else if (word[0] == 'R' || word[0] == 'O') {
            pair_zone_fail(pair, 1, word[1] - '0', word[0] == 'R' ?
                           SSD_ZONE_READ_ONLY : SSD_ZONE_OFFLINE);
        } else {
            SsdCmd cmd = word_cmd(pair, word);

            if (pair_submit(pair, &cmd) != SSD_SUCCESS) {
                break;
            }
        }
    }
    pair_advance(pair, pair->now_ns);
    pair_compare(pair);
    pair_free(pair);
    return MIN(i, length - 1);
}

/*
 * All sequences up to a length, except that nothing follows a rejected word:
 * as it changes nothing (see test_rejects.c), shorter ones have that tested.
 */
static void test_exhaustive(gconstpointer data)
{
    const Alphabet *alphabet = data;
    char **words = g_strsplit(alphabet->words, " ", -1);
    SsdParams params = drive_params(alphabet->drive);
    const char *depth = g_getenv("FEMU_DEPTH");
    unsigned longest = alphabet->length + (depth ? atoi(depth) : 0);
    unsigned count = g_strv_length(words);
    uint64_t sequences = 0;

    g_assert_cmpuint(longest, <=, MAX_LENGTH);
    for (unsigned length = 1; length <= longest; length++) {
        unsigned letters[MAX_LENGTH] = { 0 };
        int i = 0;

        while (i >= 0) {
            i = run_sequence(&params, words, letters, length);
            sequences++;
            while (i >= 0 && ++letters[i] == count) {
                i--;
            }
            for (unsigned k = i + 1; i >= 0 && k < length; k++) {
                letters[k] = 0;
            }
        }
    }
    g_test_message("%" G_GUINT64_FORMAT " sequences", sequences);
    g_strfreev(words);
}

/* --- long random sequences ---------------------------------------------- */

typedef struct Soup {
    const char *name;
    const char *drive;
    unsigned commands;
} Soup;

/* Odd durations, so that few things happen at the same time by accident. */
#define ODD "read-ns=60013 program-ns=700027 erase-ns=3500017 " \
            "page-transfer-ns=25031 cmd-slots=64 "

static const Soup soups[] = {
    { "one-unit", ODD "zones=4 zone-capacity=32K channels=1 max-open=2 "
      "max-active=3 lba-size=512 mdts=32K", 60000 },
    { "sub-page", ODD "zones=6 zone-capacity=48K page-size=16K channels=2 "
      "max-open=2 max-active=4 lba-size=512 read-granule=4K "
      "mgmt-parallel-zones=2 pages-per-block=1", 60000 },
    { "su-zones", ODD "zones=12 zone-capacity=48K channels=4 ways=2 "
      "zone-channels=1 zone-ways=1 max-open=3 max-active=5 "
      "mgmt-parallel-zones=3 finish-chunk=8K", 60000 },
    { "mu-zones", ODD "zones=8 channels=4 dies=2 planes=2 zone-channels=2 "
      "zone-planes=1 max-open=1 max-active=1 finish-chunk=16K zasl=16K",
      60000 },
    { "page-of-48k", ODD "zones=5 zone-size=128K page-size=48K "
      "zone-capacity=96K max-open=0 max-active=2 lba-size=512 mdts=128K "
      "pages-per-block=1 finish-chunk=96K", 60000 },
    { "even-times", "zones=5 zone-capacity=32K channels=2 max-open=2 "
      "max-active=2 cmd-slots=64 mgmt-parallel-zones=2", 60000 },
    { "free-times", "zones=5 zone-capacity=32K channels=2 max-open=2 "
      "max-active=3 cmd-slots=64 read-ns=0 program-ns=0 erase-ns=0 "
      "page-transfer-ns=0", 30000 },
    { "one-zone", ODD "zones=1 zone-capacity=8K channels=1 cmd-slots=3 "
      "lba-size=512 max-open=1 max-active=1", 30000 },
    { "zrwa", "zones=6 zone-capacity=48K zrwa-size=16K max-zrwa=3 "
      "max-open=3 max-active=4", 30000 },
    { "zrwa-granules", "zones=4 page-size=16K zone-size=256K lba-size=512 "
      "zrwa-size=48K zrwa-flush-granularity=4K max-zrwa=2 max-open=2 "
      "max-active=3 finish-chunk=32K", 30000 },
    { "designs/stalls", ODD "zones=6 zone-capacity=48K channels=2 "
      "zone-channels=1 pages-per-block=2 finish-chunk=8K "
      "finish-pause-ns=300007 finish-busy-pause-ns=900001 "
      "finish-stall-ns=2000003 erase-preemptive=on erase-stall-ns=1000003 "
      "idle-ns=50021 mgmt-parallel-zones=2", 30000 },
    { "designs/background", ODD "zones=6 zone-capacity=48K channels=2 "
      "pages-per-block=2 erase-at=background mapping=lazy "
      "mgmt-parallel-zones=2", 30000 },
    { "designs/background-preemptive", ODD "zones=6 zone-capacity=48K "
      "channels=2 pages-per-block=2 erase-at=background mapping=remap "
      "spare-superblocks=1 superblock-order=lifo erase-preemptive=on "
      "erase-stall-ns=4000003 mgmt-parallel-zones=3", 30000 },
    { "designs/idle", ODD "zones=6 zone-capacity=48K channels=2 "
      "pages-per-block=2 erase-at=idle mapping=lazy spare-superblocks=2 "
      "superblock-order=least-worn idle-ns=50021", 30000 },
    { "designs/zone-write", ODD "zones=6 zone-capacity=48K channels=2 "
      "planes=2 pages-per-block=2 erase-at=zone-write mapping=lazy "
      "full-erase=on", 30000 },
    { "designs/block-write", ODD "zones=6 zone-capacity=48K channels=2 "
      "pages-per-block=2 erase-at=block-write mapping=remap "
      "superblock-order=least-worn finish-chunk=16K", 30000 },
    { "designs/even", "zones=6 zone-capacity=48K channels=2 planes=2 "
      "multi-plane=on zone-stagger=1 pages-per-block=2 erase-preemptive=on "
      "cmd-slots=64 mapping=lazy mgmt-parallel-zones=2 "
      "finish-busy-pause-ns=700000 finish-stall-ns=725000 "
      "erase-stall-ns=3500000", 30000 },
    { "array/registers", ODD "zones=6 zone-capacity=48K channels=2 dies=2 "
      "program-registers=1 program-transfer-ns=9001 program-data-ns=5003 "
      "page-size=8K", 30000 },
    { "array/reads-first", ODD "zones=6 zone-capacity=48K channels=2 "
      "reads-first=2 cache-read=off program-registers=2 page-transfer-ns=90031 "
      "pages-per-block=2", 30000 },
    { "array/suspend", ODD "zones=6 zone-capacity=48K channels=2 "
      "reads-first=2 program-suspend=on erase-suspend=on suspend-ns=20013 "
      "resume-ns=3001 suspend-segment-ns=50021 pages-per-block=2", 30000 },
    { "array/suspend-at-once", ODD "zones=6 zone-capacity=48K channels=1 "
      "reads-first=1 erase-suspend=on program-suspend=on suspend-ns=900013 "
      "cache-read=off program-registers=1 erase-at=block-write "
      "mapping=lazy", 30000 },
    { "zrwa-copies", "zones=3 channels=1 zrwa-size=32K mdts=16K "
      "zrwa-flush-granularity=8K cmd-slots=40", 30000 },
};

static uint64_t random_nlb(const Rules *rules, Rng *rng)
{
    switch (rng_below(rng, 12)) {
    case 0:
        return rules->mdts_nlb;
    case 1:
        return rules->zasl_nlb;
    case 2:
        return 1 + rng_below(rng, rules->capacity_nlb);
    case 3:
    case 4:
    case 5:
        return 1 + rng_below(rng, 16);
    default:
        return 1 + rng_below(rng, 3);
    }
}

static SsdOp random_op(Rng *rng)
{
    static const SsdOp ops[] = {
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_WRITE,
        SSD_OP_WRITE, SSD_OP_WRITE, SSD_OP_APPEND, SSD_OP_APPEND,
        SSD_OP_APPEND, SSD_OP_APPEND, SSD_OP_READ, SSD_OP_READ, SSD_OP_READ,
        SSD_OP_READ, SSD_OP_FLUSH, SSD_OP_ZONE_OPEN, SSD_OP_ZONE_OPEN,
        SSD_OP_ZONE_CLOSE, SSD_OP_ZONE_CLOSE, SSD_OP_ZONE_FINISH,
        SSD_OP_ZONE_RESET, SSD_OP_ZONE_RESET, SSD_OP_COPY, SSD_OP_COPY,
        SSD_OP_COPY, SSD_OP_WRITE_ZEROES, SSD_OP_VERIFY, SSD_OP_COMPARE,
        SSD_OP_ZONE_SET_EXTENSION, SSD_OP_ZONE_OFFLINE,
    };

    return ops[rng_below(rng, G_N_ELEMENTS(ops))];
}

/* The same for the sources of a copy. */
static void spoil_copy(const Rules *rules, Rng *rng, SsdCmd *cmd,
                       SsdRange *ranges)
{
    SsdRange *range = &ranges[rng_below(rng, cmd->range_count)];

    switch (rng_below(rng, 4)) {
    case 0:
        cmd->range_count = 0;
        break;
    case 1:
        range->nlb = rng_chance(rng, 50) ? 0 : UINT32_MAX;
        break;
    case 2:
        range->slba = rules->zone_count * rules->zone_nlb - 1;
        break;
    case 3:
        range->slba |= rules->zone_nlb - 1;
        break;
    }
}

/* Something wrong, or at least unusual, in one field. */
static void spoil(const Rules *rules, Rng *rng, SsdCmd *cmd, SsdRange *ranges)
{
    uint64_t end_lba = rules->zone_count * rules->zone_nlb;
    static const uint32_t odd_nlb[] = { 0, 0x10000, UINT32_MAX };

    if (cmd->op == SSD_OP_COPY && rng_chance(rng, 50)) {
        spoil_copy(rules, rng, cmd, ranges);
        return;
    }
    switch (rng_below(rng, 9)) {
    case 8:
        cmd->nsid = rng_chance(rng, 50) ? SSD_NSID_ALL :
                    rng_below(rng, MODEL_MAX_NAMESPACES + 2);
        break;
    case 0:
        cmd->nlb = odd_nlb[rng_below(rng, G_N_ELEMENTS(odd_nlb))];
        break;
    case 1:
        cmd->nlb = (rng_chance(rng, 50) ? rules->mdts_nlb :
                    rules->zasl_nlb) + 1;
        break;
    case 2:
        cmd->slba = end_lba + rng_below(rng, 2) * rules->zone_nlb;
        break;
    case 3:
        cmd->slba = UINT64_MAX - rng_below(rng, 3);
        break;
    case 4:
        cmd->slba += 1 + rng_below(rng, 2);
        break;
    case 5:
        cmd->slba -= MIN(cmd->slba, 1 + rng_below(rng, 2));
        break;
    case 6:
        cmd->slba = rng_below(rng, end_lba);
        break;
    case 7:
        cmd->slba = end_lba - 1 - rng_below(rng, 4);
        break;
    }
}

static bool is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES;
}

static bool is_read(SsdOp op)
{
    return op == SSD_OP_READ || op == SSD_OP_VERIFY || op == SSD_OP_COMPARE;
}

/* Make use of ZRWAs: ask for them, write anywhere in them, commit them. */
static void use_zrwa(const Rules *rules, Rng *rng, uint32_t z, SsdCmd *cmd)
{
    const RulesZone *zone = &rules->zone[z];
    uint64_t zone_lba = z * rules->zone_nlb;

    if (cmd->op == SSD_OP_ZONE_OPEN && rng_chance(rng, 70)) {
        cmd->op = SSD_OP_ZONE_OPEN_ZRWA;
    } else if (cmd->op == SSD_OP_ZONE_SET_EXTENSION && rng_chance(rng, 70)) {
        cmd->op = SSD_OP_ZONE_SET_EXTENSION_ZRWA;
    } else if (is_write(cmd->op) && zone->zrwa && rng_chance(rng, 70)) {
        cmd->slba += rng_below(rng, 2 * rules->zrwa_nlb);
    } else if (zone->zrwa && rng_chance(rng, 20)) {
        cmd->op = SSD_OP_ZONE_FLUSH_ZRWA;
        cmd->range_count = 0;
        cmd->slba = zone_lba + zone->written_nlb - 1 + rules->granule_nlb *
                    (1 + rng_below(rng, rules->zrwa_nlb /
                                        rules->granule_nlb));
    } else if (zone->zrwa && cmd->op == SSD_OP_APPEND) {
        cmd->op = SSD_OP_READ;
    }
}

static SsdCmd random_cmd(const Pair *pair, Rng *rng, SsdRange *ranges)
{
    uint32_t nsid = 1 + rng_below(rng, pair->params.namespaces);
    const Rules *rules = model_rules(pair->model, nsid);
    uint32_t z = rng_below(rng, rules->zone_count);
    const RulesZone *zone = &rules->zone[z];
    uint64_t room_nlb = rules->capacity_nlb - zone->written_nlb;
    SsdCmd cmd = {
        .op = random_op(rng),
        .nsid = nsid,
        .nlb = random_nlb(rules, rng),
        .slba = z * rules->zone_nlb,
    };

    if (cmd.op == SSD_OP_COPY) {
        random_copy(rules, rng, ranges, &cmd);
    } else if (is_write(cmd.op)) {
        cmd.slba += zone->written_nlb;
    } else if (is_read(cmd.op)) {
        cmd.slba += rng_below(rng, rng_chance(rng, 70) ?
                              zone->written_nlb + 1 : rules->zone_nlb);
    }
    if ((is_write(cmd.op) || cmd.op == SSD_OP_APPEND) && room_nlb &&
        (cmd.nlb > room_nlb ? rng_chance(rng, 80) : rng_chance(rng, 5))) {
        cmd.nlb = MIN(room_nlb, rules->mdts_nlb);   /* to the brim */
    }
    if (rules->zrwa_nlb && rng_chance(rng, 95)) {
        use_zrwa(rules, rng, z, &cmd);
    }
    if (cmd.op >= SSD_OP_ZONE_OPEN && rng_chance(rng, 6)) {
        cmd.select_all = true;
    }
    if (rng_chance(rng, 8)) {
        spoil(rules, rng, &cmd, ranges);
    }
    return cmd;
}

static void fail_a_zone(Pair *pair, Rng *rng)
{
    const SsdParams *p = &pair->params;

    pair_zone_fail(pair, 1 + rng_below(rng, p->namespaces),
                   rng_below(rng, p->zones / p->namespaces),
                   rng_chance(rng, 70) ? SSD_ZONE_READ_ONLY :
                                         SSD_ZONE_OFFLINE);
}

/* Often no time at all, seldom enough for everything to end. */
static uint64_t random_gap_ns(const SsdParams *p, Rng *rng)
{
    unsigned kind = rng_below(rng, 100);

    if (kind < 40) {
        return 0;
    }
    if (kind < 60) {
        return rng_below(rng, p->page_transfer_ns + 2);
    }
    if (kind < 80) {
        return rng_below(rng, p->program_ns + 2);
    }
    if (kind < 97) {
        return rng_below(rng, p->erase_ns + 2);
    }
    return rng_below(rng, 20 * p->erase_ns + 2);
}

static void run_random(Pair *pair, Rng *rng, unsigned commands)
{
    for (unsigned i = 0; i < commands; i++) {
        uint64_t gap_ns = random_gap_ns(&pair->params, rng);
        SsdRange ranges[COPY_RANGES];
        SsdCmd cmd;

        for (unsigned polls = rng_below(rng, 3); polls; polls--) {
            uint64_t part_ns = rng_below(rng, gap_ns + 1);

            pair_advance(pair, pair->now_ns + part_ns);
            gap_ns -= part_ns;
            pair_compare(pair);
        }
        pair->now_ns += gap_ns;
        if (!pair_has_room(pair)) {
            pair_advance(pair, pair->now_ns);
        }
        while (!pair_has_room(pair)) {
            pair_advance(pair, ssd_next_at_ns(pair->ssd));
        }
        cmd = random_cmd(pair, rng, ranges);
        pair_submit(pair, &cmd);
    }
}

static void test_random(gconstpointer data)
{
    const Soup *soup = data;
    Rng rng = { drive_seed() };
    SsdParams params = drive_params(soup->drive);
    Pair *pair = pair_new(&params);

    run_random(pair, &rng, soup->commands);
    /* The mix must keep both kinds frequent to be worth its time. */
    g_assert_cmpuint(pair->accepted_count, >, soup->commands / 3);
    g_assert_cmpuint(pair->rejected_count, >, soup->commands / 20);
    g_test_message("%" G_GUINT64_FORMAT " accepted, %" G_GUINT64_FORMAT
                   " rejected", pair->accepted_count, pair->rejected_count);
    pair_free(pair);
}

/* One of `n` numbers. */
static uint64_t pick(Rng *rng, const uint64_t *from, unsigned n)
{
    return from[rng_below(rng, n)];
}

#define PICK(rng, ...)                                                      \
    pick(rng, (const uint64_t[]) { __VA_ARGS__ },                           \
         sizeof((const uint64_t[]) { __VA_ARGS__ }) / sizeof(uint64_t))

/* A whole and a share of it. */
static uint32_t pick_share(Rng *rng, uint32_t *whole)
{
    uint32_t share = PICK(rng, 0, 1, 1, 2, 3);

    *whole = MAX(share, 1) * PICK(rng, 1, 1, 2, 3);
    return share;
}

/* How zones are finished, reset, mapped and erased. */
static void random_designs(Rng *rng, SsdParams *p)
{
    p->zone_stagger = PICK(rng, 0, 0, 1, 5);
    p->multi_plane = p->zone_planes != 1 && p->zrwa_bytes == 0 &&
                     p->zone_capacity_bytes %
                     (p->planes * p->page_bytes) == 0;
    if (p->multi_plane) {
        p->finish_chunk_bytes *= p->planes;
        p->zone_planes = 0;
    }
    p->stripe_order = rng_below(rng, 24);
    if (p->zrwa_bytes == 0 && rng_chance(rng, 40)) {
        uint64_t bytes = p->page_bytes * (p->multi_plane ? p->planes : 1);

        p->program_pages = PICK(rng, 2, 3);
        while (p->zone_capacity_bytes % (bytes * p->program_pages) != 0) {
            p->program_pages--;
        }
        p->finish_chunk_bytes *= p->program_pages;
        p->pages_per_block *= p->program_pages;
    }
    p->finish_pause_ns = PICK(rng, 0, 0, 700000, 1000003);
    p->finish_busy_pause_ns = PICK(rng, 0, 0, 700000, 2000003);
    p->finish_stall_ns = PICK(rng, 0, 0, 1, 725000, 90000001);
    p->erase_at = rng_below(rng, SSD_ERASE_AT_BLOCK_WRITE + 1);
    p->full_erase = rng_chance(rng, 30);
    p->erase_preemptive = rng_chance(rng, 50);
    p->erase_stall_ns = PICK(rng, 0, 0, 1, 3500000, 90000001);
    p->idle_ns = PICK(rng, 1000, 100000, 3000017);
    p->mapping = rng_below(rng, SSD_MAPPING_REMAP + 1);
    p->spare_superblocks = p->mapping == SSD_MAPPING_DIRECT
                           ? 0 : PICK(rng, 0, 0, 1, 3);
    p->superblock_order = rng_below(rng, 3);
}

/* What the flash does beside sensing, programming and erasing. */
static void random_array(Rng *rng, SsdParams *p)
{
    p->program_transfer_ns = PICK(rng, 0, 0, 1, 9001, 800011);
    p->program_data_ns = PICK(rng, 0, 0, 5003);
    p->cache_read = rng_chance(rng, 60);
    p->program_registers = PICK(rng, 0, 0, 1, 2, 3);
    p->reads_first = PICK(rng, 0, 1, 2, 5);
    p->program_suspend = p->reads_first && rng_chance(rng, 50);
    p->erase_suspend = p->reads_first && rng_chance(rng, 50);
    p->suspend_ns = PICK(rng, 0, 20013, 900017);
    p->resume_ns = PICK(rng, 0, 3001);
    p->suspend_segment_ns = PICK(rng, 0, 50021, 100003, 5000011);
}

static SsdParams random_params(Rng *rng)
{
    SsdParams p = drive_params("");
    uint64_t pages;

    p.namespaces = PICK(rng, 1, 1, 2, MODEL_MAX_NAMESPACES);
    p.zones = p.namespaces *
              (1 + rng_below(rng, RULES_MAX_ZONES / p.namespaces));
    p.page_bytes = PICK(rng, 4, 8, 12, 16, 20, 48) * SSD_KIB;
    p.zone_size_bytes = PICK(rng, 64, 128, 256) * SSD_KIB;
    pages = p.zone_size_bytes / p.page_bytes;
    p.zone_capacity_bytes = (1 + rng_below(rng, pages)) * p.page_bytes;
    p.lba_bytes = PICK(rng, 512, 4096);
    p.max_active = PICK(rng, 0, 1, 2, 3, 5);
    p.max_open = p.max_active ? rng_below(rng, p.max_active + 1) : 0;
    p.zone_channels = pick_share(rng, &p.channels);
    p.zone_ways = pick_share(rng, &p.ways);
    p.zone_dies = pick_share(rng, &p.dies);
    p.zone_planes = PICK(rng, 0, 1, 2);
    p.planes = MAX(p.zone_planes, 1) * PICK(rng, 1, 2);
    p.pages_per_block = PICK(rng, 1, 1, 2, 3, 7);
    p.read_ns = PICK(rng, 0, 1, 60000, 60013);
    p.program_ns = PICK(rng, 0, 25000, 700000, 700027);
    p.erase_ns = PICK(rng, 0, 700000, 3500000, 3500017);
    p.page_transfer_ns = PICK(rng, 0, 3, 25000, 25031, 900001);
    p.program_transfer_ns = 0;
    p.read_granule_bytes = PICK(rng, 0, 512, 4096);
    p.finish_chunk_bytes = PICK(rng, 0, 1, 2, 3, 8) * p.page_bytes;
    p.mgmt_parallel_zones = PICK(rng, 1, 1, 2, 3, 20);
    p.cmd_slots = PICK(rng, 1, 2, 5, 40, 40);
    p.mdts_bytes = PICK(rng, 8, 16, 64, 512) * SSD_KIB;
    p.zasl_bytes = PICK(rng, 0, 8, 64) * SSD_KIB;
    p.zasl_bytes = MIN(p.zasl_bytes, p.mdts_bytes);
    p.zrwa_granule_bytes = p.page_bytes;
    p.zrwa_bytes = PICK(rng, 0, 0, 1, 2, 3, 9) * p.page_bytes;
    p.zrwa_bytes = MIN(p.zrwa_bytes, p.zone_capacity_bytes);
    p.max_zrwa = PICK(rng, 0, 1, 2);
    p.finish_recommended_ns = PICK(rng, 0, 0, 2000000, 5000011);
    p.excursion_ns = PICK(rng, 0, 0, 5000012, 40000000);
    p.reset_recommended_ns = PICK(rng, 0, 0, 7000000);
    random_designs(rng, &p);
    random_array(rng, &p);
    return p;
}

/* Drives that nobody would think of; zones fail, some drives are formatted. */
static void test_any_drive(void)
{
    Rng rng = { drive_seed() };
    uint64_t accepted = 0;

    for (unsigned i = 0; i < 100; i++) {
        SsdParams params = random_params(&rng);
        GError *error = NULL;
        Pair *pair;

        ssd_params_check(&params, &error);
        g_assert_no_error(error);
        ssd_params_resolve(&params);
        pair = pair_new(&params);
        run_random(pair, &rng, 500);
        for (unsigned k = 0; k < 10; k++) {
            fail_a_zone(pair, &rng);
            run_random(pair, &rng, 50);
            if (rng_chance(&rng, 20)) {
                pair_format(pair, 1 + rng_below(&rng, params.namespaces),
                            PICK(&rng, 512, 4096));
            }
        }
        accepted += pair->accepted_count;
        pair_free(pair);
    }
    g_assert_cmpuint(accepted, >, 20000);
    g_test_message("100 drives, %" G_GUINT64_FORMAT " accepted", accepted);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(alphabets); i++) {
        char *path = g_strconcat("/zones/exhaustive/", alphabets[i].name,
                                 NULL);

        g_test_add_data_func(path, &alphabets[i], test_exhaustive);
        g_free(path);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(soups); i++) {
        char *path = g_strconcat("/zones/random/", soups[i].name, NULL);

        g_test_add_data_func(path, &soups[i], test_random);
        g_free(path);
    }
    g_test_add_func("/zones/random/any-drive", test_any_drive);
    return g_test_run();
}
