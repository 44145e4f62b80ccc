/*
 * The zone state machine and the time of every command against a dumb second
 * drive: all short sequences, and long random ones near the limits.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdlib.h>

#include "model/soup.h"

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

static void test_random(gconstpointer data)
{
    const Soup *soup = data;
    Rng rng = { drive_seed() };
    SsdParams params = drive_params(soup->drive);
    Pair *pair = pair_new(&params);

    soup_run(pair, &rng, soup->commands);
    /* The mix must keep both kinds frequent to be worth its time. */
    g_assert_cmpuint(pair->accepted_count, >, soup->commands / 3);
    g_assert_cmpuint(pair->rejected_count, >, soup->commands / 20);
    soup_say(pair);
    pair_free(pair);
}

/* Drives that nobody would think of; zones fail, some drives are formatted. */
static void test_any_drive(void)
{
    Rng rng = { drive_seed() };
    uint64_t accepted = 0;

    for (unsigned i = 0; i < 100; i++) {
        SsdParams params = soup_params(&rng);
        Pair *pair = soup_pair(&params);

        soup_run(pair, &rng, 450);
        soup_with_failures(pair, &rng, 10, 50);
        soup_run(pair, &rng, 50);
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
    soup_add_tests("/zones/random", soups, G_N_ELEMENTS(soups), test_random);
    g_test_add_func("/zones/random/any-drive", test_any_drive);
    return g_test_run();
}
