/*
 * The drives of configs/ as they are, against the dumb second one: random
 * commands, to the nanosecond, and each run again polled in other ways.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "config_file.h"
#include "model/soup.h"

typedef struct Shipped {
    const char *name;
    unsigned commands;
} Shipped;

static const Shipped shipped[] = {
    { "tiny", 4000 },
    { "bae-small", 600 },
    { "bae-large", 600 },
    { "confzns-zssd1", 600 },
    { "confzns-zssd2", 600 },
    { "confznspp", 600 },
    { "ezns", 600 },
    { "zn540", 3000 },
};

static SsdParams shipped_params(const char *name)
{
    g_autofree char *file = g_strconcat("configs/", name, ".cfg", NULL);
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, file, NULL);
    GError *error = NULL;
    SsdParams params;

    ssd_params_defaults(&params);
    config_file_read(path, NULL, &params, &error);
    g_assert_no_error(error);
    ssd_params_check(&params, &error);
    g_assert_no_error(error);
    ssd_params_resolve(&params);
    return params;
}

static void end(Pair *pair, Rng *rng)
{
    for (PairPoll mode = 0; mode < PAIR_POLL_MODES; mode++) {
        pair_replay(pair, mode, rng);
    }
    g_test_message("%" G_GUINT64_FORMAT " accepted, %" G_GUINT64_FORMAT
                   " rejected, %" G_GUINT64_FORMAT " ns",
                   pair->accepted_count, pair->rejected_count, pair->now_ns);
    pair_free(pair);
}

/* Bursts, and pauses in which much or all of it ends. */
static uint64_t gap_ns(const SsdParams *p, Rng *rng)
{
    static const uint64_t programs[] = { 0, 0, 0, 0, 1, 2, 2, 60 };
    uint64_t most_ns = programs[rng_below(rng, G_N_ELEMENTS(programs))] *
                       p->program_ns;

    return rng_chance(rng, 30) ? rng_below(rng, 20000)
                               : rng_below(rng, most_ns + 1);
}

/* A finish of a zone of gibibytes is dear: one of many is enough. */
static SsdCmd command(const Pair *pair, Rng *rng, SsdRange *ranges)
{
    SsdCmd cmd;

    do {
        cmd = soup_cmd(pair, rng, ranges);
    } while (cmd.op == SSD_OP_ZONE_FINISH && !rng_chance(rng, 2));
    return cmd;
}

static void test_shipped(gconstpointer data)
{
    const Shipped *s = data;
    Rng rng = { drive_seed() };
    SsdParams params = shipped_params(s->name);
    Pair *pair = pair_new(&params);

    for (unsigned i = 0; i < s->commands; i++) {
        SsdRange ranges[COPY_RANGES];
        SsdCmd cmd;

        pair_advance(pair, pair->now_ns + gap_ns(&params, &rng));
        while (!pair_has_room(pair)) {
            pair_advance(pair, ssd_next_at_ns(pair->ssd));
        }
        cmd = command(pair, &rng, ranges);
        pair_submit(pair, &cmd);
    }
    end(pair, &rng);
}

static void zone_op(Pair *pair, SsdOp op, uint32_t zone_idx, uint32_t nlb)
{
    const Rules *rules = model_rules(pair->model, 1);

    g_assert_cmphex(pair_submit(pair, &(SsdCmd) {
        .op = op, .nsid = 1, .slba = zone_idx * rules->zone_nlb, .nlb = nlb,
    }), ==, SSD_SUCCESS);
}

/*
 * Zones that are written, finished and reset in a row: the reset finds a part of
 * a page in the buffer that the finish has not taken yet. The zones are smaller
 * than a ZN540's, for each finish fills one.
 */
static void test_write_finish_reset(void)
{
    Rng rng = { drive_seed() };
    SsdParams params = shipped_params("zn540");
    Pair *pair;

    params.zone_capacity_bytes = 96 * SSD_KIB * 100;
    pair = pair_new(&params);
    for (unsigned round = 0; round < 10; round++) {
        for (uint32_t z = 0; z < 10; z++) {
            zone_op(pair, SSD_OP_WRITE, z, 16);
            zone_op(pair, SSD_OP_ZONE_FINISH, z, 0);
            zone_op(pair, SSD_OP_ZONE_RESET, z, 0);
        }
        pair_drain(pair);
    }
    end(pair, &rng);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(shipped); i++) {
        g_autofree char *path = g_strconcat("/shipped/", shipped[i].name,
                                            NULL);

        g_test_add_data_func(path, &shipped[i], test_shipped);
    }
    g_test_add_func("/shipped/write-finish-reset", test_write_finish_reset);
    return g_test_run();
}
