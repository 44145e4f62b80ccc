/*
 * Writes and appends must end when Algorithm 1 of ConfZNS says: "Write Latency
 * Calculation", with a global clock and local clocks per channel and way.
 * Below it stands line by line, its four cases spelled out, as the oracle.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

#define MAX_CHANNELS 16
#define MAX_WAYS 64     /* "ways" of the algorithm: ways x dies x planes */

typedef struct Algorithm1 {
    /* input */
    uint64_t n_ch, n_way, n_die, n_plane;      /* of the drive */
    uint64_t z_ch, z_way, z_die, z_plane;      /* of a zone (N_zc) */
    uint64_t t_xfer, t_programming;
    /* data */
    uint64_t gclock;
    uint64_t lclock_ch[MAX_CHANNELS];
    uint64_t lclock_way[MAX_CHANNELS][MAX_WAYS];
} Algorithm1;

static Algorithm1 algorithm1_new(const SsdParams *p)
{
    Algorithm1 a = {
        .n_ch = p->channels, .n_way = p->ways,
        .n_die = p->dies, .n_plane = p->planes,
        .z_ch = p->zone_channels, .z_way = p->zone_ways,
        .z_die = p->zone_dies, .z_plane = p->zone_planes,
        .t_xfer = p->page_transfer_ns, .t_programming = p->program_ns,
    };

    g_assert_cmpuint(a.n_ch, <=, MAX_CHANNELS);
    g_assert_cmpuint(a.n_way * a.n_die * a.n_plane, <=, MAX_WAYS);
    return a;
}

/*
 * CalculatePPN and lines 6-8, for a page of a zone. Pages go round the zone's
 * channels first, then its ways; a die or plane is one more digit of "way".
 * Zones take the groups of units that the zone's share leaves, in turn.
 */
static void locate(const Algorithm1 *a, uint64_t zone, uint64_t lpn,
                   uint64_t *i, uint64_t *j)
{
    uint64_t q = lpn / a->z_ch;
    uint64_t way = q % a->z_way;
    uint64_t die = q / a->z_way % a->z_die;
    uint64_t plane = q / a->z_way / a->z_die % a->z_plane;
    uint64_t ch_groups = a->n_ch / a->z_ch;
    uint64_t way_groups = a->n_way / a->z_way;
    uint64_t die_groups = a->n_die / a->z_die;
    uint64_t plane_groups = a->n_plane / a->z_plane;

    *i = zone % ch_groups * a->z_ch + lpn % a->z_ch;
    way += zone / ch_groups % way_groups * a->z_way;
    die += zone / ch_groups / way_groups % die_groups * a->z_die;
    plane += zone / ch_groups / way_groups / die_groups % plane_groups *
             a->z_plane;
    *j = (way * a->n_die + die) * a->n_plane + plane;
}

/* Lines 9-27 for one page. Return: req.ctime */
static uint64_t algorithm1(Algorithm1 *a, uint64_t zone, uint64_t lpn)
{
    uint64_t i, j, *ch, *way;

    locate(a, zone, lpn, &i, &j);
    ch = &a->lclock_ch[i];
    way = &a->lclock_way[i][j];
    if (*ch <= a->gclock) {
        if (*way <= a->gclock) {
            /* both channel i and way j are idle */
            *ch = a->gclock + a->t_xfer;
            *way = *ch + a->t_programming;
        } else {
            /* channel i is idle, but way j is busy */
            *ch = a->gclock + a->t_xfer;
            *way = MAX(*ch, *way) + a->t_programming;
        }
    } else {
        if (*way <= a->gclock) {
            /* channel i is busy, and way j is idle */
            *ch = *ch + a->t_xfer;
            *way = *ch + a->t_programming;
        } else {
            /* both channel i and way j are busy */
            *ch = *ch + a->t_xfer;
            *way = MAX(*ch, *way) + a->t_programming;
        }
    }
    return *way;
}

/* A request of several pages is done when its last page is. */
static uint64_t request_ctime(Algorithm1 *a, uint64_t zone, uint64_t lpn,
                              uint32_t pages)
{
    uint64_t ctime = 0;

    for (uint32_t p = 0; p < pages; p++) {
        uint64_t page_ctime = algorithm1(a, zone, lpn + p);

        ctime = MAX(ctime, page_ctime);
    }
    return ctime;
}

typedef struct Stream {
    const char *name;
    const char *words;
    unsigned burst_percent;     /* requests that come with the one before */
    uint64_t gap_ns;            /* else after at most this */
} Stream;

typedef struct Run {
    Drive *d;
    Algorithm1 oracle;
    Rng rng;
    GArray *ctime_ns;           /* by tag - 1 */
    uint32_t *next_page;        /* per zone */
    uint64_t done_count;
} Run;

/* Collect what is due and compare it with the oracle. */
static void collect(Run *run, uint64_t now_ns)
{
    SsdDone done[16];
    unsigned count;

    do {
        count = ssd_poll(run->d->ssd, now_ns, done, G_N_ELEMENTS(done));
        for (unsigned i = 0; i < count; i++) {
            uint64_t want_ns = g_array_index(run->ctime_ns, uint64_t,
                                             done[i].tag - 1);

            if (done[i].due_at_ns != want_ns) {
                g_error("request %u, submitted at %" G_GUINT64_FORMAT
                        " ns, completed at %" G_GUINT64_FORMAT
                        " ns, Algorithm 1 says %" G_GUINT64_FORMAT " ns",
                        done[i].tag, done[i].submitted_at_ns,
                        done[i].due_at_ns, want_ns);
            }
            g_assert_cmpuint(done[i].due_at_ns, <=, now_ns);
            run->done_count++;
        }
    } while (count == G_N_ELEMENTS(done));
}

/* One request at now_ns on a zone with room. Return: false if all are full. */
static bool request(Run *run, uint64_t now_ns)
{
    Drive *d = run->d;
    uint32_t zone_pages = d->params.zone_capacity_bytes /
                          d->params.page_bytes;
    uint32_t most = d->params.mdts_bytes / d->params.page_bytes;
    uint32_t zone = rng_below(&run->rng, d->params.zones);
    uint32_t tries = 0, page, pages, tag;
    uint64_t ctime_ns;

    while (run->next_page[zone] == zone_pages) {
        zone = (zone + 1) % d->params.zones;
        if (++tries == d->params.zones) {
            return false;
        }
    }
    page = run->next_page[zone];
    pages = rng_chance(&run->rng, 50) ? 1 : 1 + rng_below(&run->rng, most);
    pages = MIN(pages, zone_pages - page);
    run->oracle.gclock = now_ns;
    ctime_ns = request_ctime(&run->oracle, zone, page, pages);
    if (rng_chance(&run->rng, 50)) {
        tag = drive_append(d, now_ns, zone, drive_pages_nlb(d, pages));
    } else {
        tag = drive_write(d, now_ns, drive_zone_lba(d, zone) +
                          drive_pages_nlb(d, page),
                          drive_pages_nlb(d, pages));
    }
    g_array_append_val(run->ctime_ns, ctime_ns);
    g_assert_cmpuint(tag, ==, run->ctime_ns->len);
    run->next_page[zone] += pages;
    return true;
}

static void test_stream(gconstpointer data)
{
    const Stream *stream = data;
    Run run = {
        .d = drive_new(stream->words),
        .rng = { drive_seed() },
        .ctime_ns = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
    };
    uint64_t now_ns = 0;

    run.oracle = algorithm1_new(&run.d->params);
    run.next_page = g_new0(uint32_t, run.d->params.zones);
    do {
        if (!rng_chance(&run.rng, stream->burst_percent)) {
            now_ns += rng_below(&run.rng, stream->gap_ns);
        }
        collect(&run, now_ns);
        while (!ssd_has_room(run.d->ssd)) {
            now_ns = MAX(now_ns, ssd_next_at_ns(run.d->ssd));
            collect(&run, now_ns);
        }
    } while (request(&run, now_ns));
    collect(&run, UINT64_MAX - 1);
    g_assert_cmpuint(run.done_count, ==, run.ctime_ns->len);
    g_assert_cmpuint(run.done_count, >=, 2000);
    g_test_message("%" G_GUINT64_FORMAT " requests", run.done_count);
    g_free(run.next_page);
    g_array_free(run.ctime_ns, TRUE);
    drive_free(run.d);
}

/* The oracle itself: the four cases with numbers worked out by hand. */
static void test_oracle(void)
{
    SsdParams p = drive_params("channels=1 ways=2 page-transfer-ns=10 "
                               "program-ns=100");
    Algorithm1 a = algorithm1_new(&p);

    /* idle, idle: 0 + 10 + 100 */
    g_assert_cmpuint(algorithm1(&a, 0, 0), ==, 110);
    /* channel busy until 10, way idle: 10 + 10 + 100 */
    g_assert_cmpuint(algorithm1(&a, 0, 1), ==, 120);
    /* channel busy until 20, way 0 busy until 110: max(30, 110) + 100 */
    g_assert_cmpuint(algorithm1(&a, 0, 2), ==, 210);
    /* at 50 the channel is idle, way 1 busy until 120: max(60, 120) + 100 */
    a.gclock = 50;
    g_assert_cmpuint(algorithm1(&a, 0, 3), ==, 220);
    /* at 205 channel idle, way 0 busy until 210, transfer outlasts it */
    a.gclock = 205;
    g_assert_cmpuint(algorithm1(&a, 0, 4), ==, 315);
}

#define COMMON "zones=64 zone-size=1M mdts=64K cmd-slots=256 "

static const Stream streams[] = {
    { "su-zone/mixed", COMMON "channels=4 ways=2 zone-channels=1 zone-ways=1",
      50, 400000 },
    { "su-zone/burst", COMMON "channels=4 ways=2 zone-channels=1 zone-ways=1",
      98, 3000000 },
    { "mu-zone/mixed", COMMON "channels=8 ways=2 zone-channels=4 zone-ways=1",
      50, 100000 },
    { "mu-zone/idle", COMMON "channels=8 ways=2 zone-channels=4 zone-ways=1",
      0, 2000000 },
    { "mu-zone/two-ways", COMMON "channels=8 ways=4 zone-channels=2 "
      "zone-ways=2", 80, 300000 },
    { "fu-zone/mixed", COMMON "channels=8 ways=2", 50, 200000 },
    { "fu-zone/burst", COMMON "channels=4", 99, 9000000 },
    { "one-unit", COMMON "channels=1", 50, 2000000 },
    { "dies-and-planes", COMMON "channels=2 ways=2 dies=2 planes=2",
      60, 300000 },
    { "part-of-dies-and-planes", COMMON "channels=4 ways=2 dies=2 planes=4 "
      "zone-channels=2 zone-ways=1 zone-dies=1 zone-planes=2", 60, 100000 },
    { "odd-numbers", COMMON "channels=3 ways=5 zone-channels=3 zone-ways=1 "
      "page-transfer-ns=25013 program-ns=700001", 60, 100000 },
    { "slow-channel", COMMON "channels=4 ways=4 page-transfer-ns=70001 "
      "program-ns=50000", 60, 100000 },
    { "free-channel", COMMON "channels=4 ways=2 page-transfer-ns=0",
      50, 300000 },
    { "free-program", COMMON "channels=4 ways=2 program-ns=0", 50, 30000 },
    { "page-of-48k", COMMON "zones=512 page-size=48K zone-capacity=1008K "
      "channels=8 ways=2 zone-channels=4 lba-size=512 mdts=512K "
      "page-transfer-ns=40960 program-ns=450000", 50, 200000 },
};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/algorithm1/oracle", test_oracle);
    for (unsigned i = 0; i < G_N_ELEMENTS(streams); i++) {
        char *path = g_strconcat("/algorithm1/", streams[i].name, NULL);

        g_test_add_data_func(path, &streams[i], test_stream);
        g_free(path);
    }
    return g_test_run();
}
