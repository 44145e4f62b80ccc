/*
 * What a command costs the host: counted in steps, not in time. The core is
 * compiled so that each of its basic blocks counts one; the same work is done
 * on a small drive and on one that has hundreds or thousands of times as many
 * zones, blocks, segments or commands inside. What is logarithmic takes hardly
 * more; a loop over all of them shows at once.
 *
 * docs/design.md, "Bounds", lists the loops that are meant to be there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "ssd_why.h"
#include "support/drive.h"

#define ASKED_PAGES 4

static uint64_t steps;

/* Called by the core at each of its basic blocks. */
void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    steps++;
}

/* Commands one after another, each when the one before is done. */
static void write_one(Drive *d, uint32_t zone_idx, uint32_t page)
{
    drive_write(d, d->now_ns, drive_zone_lba(d, zone_idx) + page, 1);
    drive_drain(d);
}

static void reset_one(Drive *d, uint32_t zone_idx)
{
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, zone_idx);
    drive_drain(d);
}

/* --- Work: `n` is what the big drive has more of. Return: units of it. ---- */

/* A page is written and reset, so that superblocks go round. */
static uint64_t rewrite_one_page(Drive *d, G_GNUC_UNUSED uint64_t n)
{
    for (unsigned i = 0; i < 300; i++) {
        write_one(d, 0, 0);
        reset_one(d, 0);
        d->now_ns += 10000000;
    }
    return 300;
}

/* Zones all over the drive are opened, written, finished and reset. */
static uint64_t rewrite_scattered(Drive *d, uint64_t n)
{
    for (unsigned i = 0; i < 100; i++) {
        uint32_t zone_idx = i * UINT64_C(2654435761) % n;

        write_one(d, zone_idx, 0);
        drive_read(d, d->now_ns, drive_zone_lba(d, zone_idx), 1);
        drive_drain(d);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_CLOSE, zone_idx);
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, zone_idx);
        drive_drain(d);
        reset_one(d, zone_idx);
    }
    return 100;
}

/* A read comes late in an erase that has passed n suspend points. */
static uint64_t read_in_erase(Drive *d, uint64_t n)
{
    write_one(d, 0, 0);
    write_one(d, 1, 0);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
    drive_read(d, d->now_ns + 900000000, drive_zone_lba(d, 1), 1);
    drive_drain(d);
    g_assert_cmpuint(d->params.suspend_segment_ns * n, ==,
                     d->params.erase_ns);
    return 1;
}

/* A conventional namespace of n granules is full and overwritten. */
static uint64_t overwrite(Drive *d, uint64_t n)
{
    uint64_t before;

    d->nsid = 2;
    for (uint64_t at = 0; at < n; at += 128) {
        drive_write(d, d->now_ns, at, 128);
        drive_drain(d);
    }
    before = steps;
    for (uint64_t i = 0; i < 500; i++) {
        drive_write(d, d->now_ns, i % n, 1);
        drive_drain(d);
    }
    steps -= before;
    return 500;
}

/* n reads of one page wait for one another. */
static uint64_t read_at_once(Drive *d, uint64_t n)
{
    write_one(d, 0, 0);
    for (uint64_t i = 0; i < n; i++) {
        drive_read(d, d->now_ns, 0, 1);
    }
    drive_drain(d);
    return n;
}

/* n zones are finished side by side. */
static uint64_t finish_at_once(Drive *d, uint64_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, i);
    }
    drive_drain(d);
    return n;
}

/* n zones are left open until the controller finishes them. */
static uint64_t excurse_at_once(Drive *d, uint64_t n)
{
    uint32_t nsid, zone_idx;

    for (uint32_t i = 0; i < n; i++) {
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, i);
        drive_drain(d);
    }
    while (ssd_next_at_ns(d->ssd) != UINT64_MAX) {
        d->now_ns = ssd_next_at_ns(d->ssd);
        while (ssd_poll_zone(d->ssd, d->now_ns, &nsid, &zone_idx)) {
            ;
        }
    }
    /* What the excursions fill takes its time, which nobody waits for. */
    d->now_ns += UINT64_C(1000000000000);
    ssd_poll(d->ssd, d->now_ns, NULL, 0);
    return n;
}

/*
 * While a reset drains the pages of zone 1, n zones have one each, which must
 * let them go first.
 */
static uint64_t write_while_draining(Drive *d, uint64_t n)
{
    uint32_t pages = 200;

    write_one(d, 0, 0);
    for (uint32_t i = 0; i < pages; i++) {
        drive_write(d, d->now_ns, drive_zone_lba(d, 1) + i, 1);
    }
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_RESET, 0);
    for (uint32_t i = 2; i < n; i++) {
        drive_write(d, d->now_ns, drive_zone_lba(d, i), 1);
    }
    drive_drain(d);
    return pages + n;
}

/* Select All of each kind on n zones that are closed. */
static uint64_t select_all(Drive *d, uint64_t n)
{
    static const SsdOp ops[] = {
        SSD_OP_ZONE_OPEN, SSD_OP_ZONE_CLOSE, SSD_OP_ZONE_FINISH,
        SSD_OP_ZONE_RESET,
    };

    for (uint32_t i = 0; i < n; i++) {
        write_one(d, i, 0);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++) {
        drive_all_zones(d, d->now_ns, ops[i]);
        drive_drain(d);
    }
    return n;
}

/* Select All of each kind, and a shutdown; one of n zones is not empty. */
static uint64_t select_scattered(Drive *d, uint64_t n)
{
    static const SsdOp ops[] = {
        SSD_OP_ZONE_OPEN, SSD_OP_ZONE_CLOSE, SSD_OP_SHUTDOWN,
        SSD_OP_ZONE_FINISH, SSD_OP_ZONE_RESET,
    };
    uint64_t before;

    for (uint64_t i = 1; i <= 256; i++) {
        write_one(d, i * n - 1, 0);
    }
    before = steps;
    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++) {
        drive_all_zones(d, d->now_ns, ops[i]);
        drive_drain(d);
    }
    steps -= before;
    return 256;
}

/* The statistics of a drive that has been worn here and there. */
static uint64_t read_statistics(Drive *d, G_GNUC_UNUSED uint64_t n)
{
    uint64_t before;

    rewrite_one_page(d, n);
    before = steps;
    g_free(ssd_stats_json(d->ssd, d->now_ns, NULL));
    steps -= before;
    return 1;
}

/* The last zone is open: a report begins there. */
static uint64_t find_zone(Drive *d, uint64_t n)
{
    uint64_t before;

    write_one(d, n - 1, 0);
    before = steps;
    g_assert_cmpuint(ssd_next_zone(d->ssd, 1, 0, SSD_ZONE_IMPLICITLY_OPEN),
                     ==, n - 1);
    g_assert_cmpuint(ssd_count_zones(d->ssd, 1, 0, SSD_ZONE_IMPLICITLY_OPEN),
                     ==, 1);
    steps -= before;
    return 1;
}

/* One of n zones is open, the last of them: a report has all of these. */
static uint64_t find_scattered(Drive *d, uint64_t n)
{
    uint64_t before;

    for (uint64_t i = 1; i <= 256; i++) {
        drive_zone_op(d, d->now_ns, SSD_OP_ZONE_OPEN, i * n - 1);
        drive_drain(d);
    }
    before = steps;
    for (uint64_t i = 1; i <= 256; i++) {
        g_assert_cmpuint(ssd_next_zone(d->ssd, 1, (i - 1) * n,
                                       SSD_ZONE_EXPLICITLY_OPEN),
                         ==, i * n - 1);
    }
    steps -= before;
    return 256;
}

/* The controller finishes the last zone, which a report finds. */
static uint64_t find_attributed(Drive *d, uint64_t n)
{
    uint64_t before;

    write_one(d, n - 1, 0);
    d->now_ns += 1000000;
    drive_drain(d);
    before = steps;
    g_assert_cmpuint(ssd_next_attributed(d->ssd, 1, 0), ==, n - 1);
    g_assert_cmpuint(ssd_count_attributed(d->ssd, 1, 0), ==, 1);
    steps -= before;
    return 1;
}

/*
 * The last of n commands of a few pages each is asked about at each step of all
 * of them: a step of others costs as much however many there are.
 */
static uint64_t ask_of_last(Drive *d, uint64_t n, SsdOp op)
{
    uint64_t asked = 0, before;
    SsdInquiry *inquiry;

    for (uint64_t i = 0; i < n; i++) {
        drive_write(d, d->now_ns, i * ASKED_PAGES, ASKED_PAGES);
    }
    if (op == SSD_OP_READ) {
        drive_drain(d);
        for (uint64_t i = 0; i < n; i++) {
            drive_read(d, d->now_ns, i * ASKED_PAGES, ASKED_PAGES);
        }
    }
    inquiry = ssd_inquiry_new(d->ssd, d->next_tag - 1);
    while (ssd_inflight(d->ssd) > 0) {
        SsdDone done;

        before = steps;
        g_array_unref(ssd_inquiry_look(inquiry));
        asked += steps - before;
        while (ssd_poll(d->ssd, ssd_next_step_at_ns(d->ssd), &done, 1) > 0) {
            ;
        }
    }
    ssd_inquiry_free(inquiry);
    d->now_ns = ssd_now_ns(d->ssd);
    steps = asked;
    return n;
}

static uint64_t ask_of_write(Drive *d, uint64_t n)
{
    return ask_of_last(d, n, SSD_OP_WRITE);
}

static uint64_t ask_of_read(Drive *d, uint64_t n)
{
    return ask_of_last(d, n, SSD_OP_READ);
}

/* --- Cases ---------------------------------------------------------------- */

#define SMALL_ZONES "zone-size=64K page-size=4K channels=1 pages-per-block=16 "

typedef struct Case {
    const char *name;
    uint64_t (*work)(Drive *d, uint64_t n);
    const char *words; /* with the number n for a %s */
    uint64_t few;
    uint64_t many;
    const char *few_words; /* if n is no value of a parameter */
    const char *many_words;
} Case;

#define WORN SMALL_ZONES "mapping=lazy erase-at=background zones=%s "
#define ASKED "zones=1 zone-size=128M page-size=4K channels=4 dies=2 "
#define SUSPENDED "zones=2 zone-size=1M channels=1 pages-per-block=64 " \
    "erase-ns=1000000000 erase-suspend=on reads-first=1 "

static const Case cases[] = {
    {"zones/least-worn", rewrite_one_page, WORN "superblock-order=least-worn",
     1 << 8, 1 << 18, "256", "262144"},
    {"zones/fifo", rewrite_one_page, WORN "superblock-order=fifo",
     1 << 8, 1 << 18, "256", "262144"},
    {"zones/lifo", rewrite_one_page, WORN "superblock-order=lifo",
     1 << 8, 1 << 18, "256", "262144"},
    {"zones/spares", rewrite_one_page,
     SMALL_ZONES "mapping=remap superblock-order=least-worn "
     "spare-superblocks=%s", 1 << 8, 1 << 16, "256", "65536"},
    {"zones/scattered", rewrite_scattered,
     SMALL_ZONES "finish-recommended-ns=1000 reset-recommended-ns=1000 "
     "zones=%s", 1 << 8, 1 << 18, "256", "262144"},
    {"segments", read_in_erase, SUSPENDED "suspend-segment-ns=%s",
     100, 1000000000, "10000000", "1"},
    {"segments/spread", read_in_erase,
     SUSPENDED "suspend-spread=500 suspend-segment-ns=%s",
     1000, 100000000, "1000000", "10"},
    {"blocks/cleaning", overwrite,
     "zones=1 channels=1 pages-per-block=4 mdts=512K conventional-spare=0 "
     "conventional-size=%s",
     1 << 8, 1 << 16, "1M", "256M"},
    {"blocks/statistics", read_statistics, WORN "superblock-order=fifo",
     1 << 8, 1 << 18, "256", "262144"},
    {"commands/reads", read_at_once, "channels=1 cmd-slots=%s", 8, 8192, "8",
     "8192"},
    {"commands/why/writes", ask_of_write, ASKED "cmd-slots=%s", 64, 4096, "64",
     "4096"},
    {"commands/why/reads", ask_of_read, ASKED "cmd-slots=%s", 64, 4096, "64",
     "4096"},
    {"commands/finishes", finish_at_once,
     SMALL_ZONES "zones=8192 cmd-slots=%s", 64, 8192, "64", "8192"},
    {"commands/excursions", excurse_at_once,
     SMALL_ZONES "excursion-ns=1000000000 zones=%s", 64, 8192, "64", "8192"},
    {"commands/draining", write_while_draining,
     "zone-size=1M page-size=4K channels=1 cmd-slots=8192 write-buffer=64M "
     "program-registers=1 buffer-waiters=8192 reset-drains=on "
     "reset-drain-first=on reset-base-ns=1000 program-registers=1 zones=%s",
     32, 4096, "32", "4096"},
    {"zones/draining", rewrite_one_page,
     SMALL_ZONES "max-open=4 max-active=4 write-buffer=1M reset-drains=on "
     "reset-drain-first=on reset-base-ns=1000 program-registers=1 zones=%s",
     1 << 8, 1 << 18, "256", "262144"},
    {"zones/in-a-state", find_zone, SMALL_ZONES "zones=%s",
     1 << 12, 1 << 17, "4096", "131072"},
    {"zones/in-a-state/scattered", find_scattered,
     SMALL_ZONES "max-open=0 max-active=0 zones=%s", 16, 512, "262144",
     "262144"},
    {"zones/with-an-attribute", find_attributed,
     SMALL_ZONES "finish-recommended-ns=1000 zones=%s", 1 << 12, 1 << 17,
     "4096", "131072"},
    {"zones/select-all/scattered", select_scattered,
     SMALL_ZONES "zones=%s", 16, 4096, "4096", "1048576"},
    {"zones/select-all", select_all, SMALL_ZONES "zones=%s", 64, 16384, "64",
     "16384"},
};

static uint64_t measure(const Case *c, uint64_t n, const char *n_words)
{
    char **parts = g_strsplit(c->words, "%s", 2);
    g_autofree char *words = g_strconcat(parts[0], n_words, parts[1], NULL);
    Drive *d = drive_new(words);
    uint64_t count;

    g_strfreev(parts);
    steps = 0;
    count = c->work(d, n);
    drive_free(d);
    return steps / count;
}

static void test_case(gconstpointer data)
{
    const Case *c = data;
    uint64_t few = measure(c, c->few, c->few_words);
    uint64_t many = measure(c, c->many, c->many_words);

    g_test_message("%s: %" PRIu64 " steps with %" PRIu64 ", %" PRIu64
                   " with %" PRIu64, c->name, few, c->few, many, c->many);
    /* Twice, and what a few levels more of a heap or two take. */
    if (many > 2 * few + 300) {
        g_test_fail();
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strconcat("/effort/", cases[i].name, NULL);

        g_test_add_data_func(path, &cases[i], test_case);
    }
    return g_test_run();
}
