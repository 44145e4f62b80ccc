/*
 * A drive that is saved and loaded goes on as one that never was: random
 * commands meet both, and at random instants the one is replaced by what its
 * bytes make. Every completion, zone and count must agree, and in the end all
 * that either knows: the bytes of the one are those of the other.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "support/any_params.h"
#include "config_file.h"
#include "model/soup_whole.h"
#include "support/twins.h"
#include "seal.h"

static unsigned drives;
static TwinsCount sum;

/* --- Which drives --------------------------------------------------------- */

static const AnyLimits limits = {
    .zone_programs = 64, .reset_steps = 64, .zones = 300, .spares = 1000,
    .conventional_bytes = SSD_MIB, .least_idle_ns = 100000,
};

static void say(void)
{
    g_test_message("%u drives, %u instants, %" G_GUINT64_FORMAT " commands, %"
                   G_GUINT64_FORMAT " bytes a state", drives, sum.instants,
                   sum.accepted, sum.saved_bytes / MAX(sum.instants, 1));
    drives = 0;
    sum = (TwinsCount) { 0 };
}

static void end(Twins *t)
{
    twins_end(t);
    drives++;
    sum.instants += t->count.instants;
    sum.accepted += t->count.accepted;
    sum.saved_bytes += t->count.saved_bytes;
}

static void test_any(void)
{
    uint64_t seed = drive_seed();
    unsigned count = drive_count("FEMU_DRIVES", 30);

    for (unsigned i = 0; i < count; i++) {
        SsdParams params = any_params(1000 * seed + i);
        Twins t;

        any_params_cut(&params, &limits);
        twins_begin(&t, &params, seed + i);
        twins_run(&t, 300);
        end(&t);
    }
    say();
}

static void test_soup(void)
{
    Rng rng = { drive_seed() };
    unsigned count = drive_count("FEMU_DRIVES", 30);

    for (unsigned i = 0; i < count; i++) {
        SsdParams params = soup_params(&rng);
        Twins t;

        if (!ssd_params_check(&params, NULL)) {
            continue;
        }
        ssd_params_resolve(&params);
        twins_begin(&t, &params, rng_next(&rng));
        twins_run(&t, 400);
        end(&t);
    }
    say();
}

/* Front ends, buffers and resets that are in each other's way; power cuts. */
static void run_whole(void (*change)(Rng *, SsdParams *))
{
    Rng rng = { drive_seed() };
    unsigned count = drive_count("FEMU_DRIVES", 40);

    for (unsigned i = 0; i < count; i++) {
        SsdParams params = soup_whole_params(&rng);
        GError *error = NULL;
        Twins t;

        change(&rng, &params);
        ssd_params_check(&params, &error);
        g_assert_no_error(error);
        ssd_params_resolve(&params);
        twins_begin(&t, &params, rng_next(&rng));
        t.cuts = rng_chance(&rng, 50);
        twins_run(&t, 400);
        end(&t);
    }
    say();
}

static void test_whole(void)
{
    run_whole(soup_widen);
}

static void test_conventional(void)
{
    run_whole(soup_add_conventional);
}

/* One program, which a finish has at a time, is 32 MiB: more than 16M. */
static void test_large_program(void)
{
    SsdParams params = drive_params("page-size=256K program-pages=16 planes=8 "
                                    "multi-plane=on pages-per-block=16 "
                                    "zone-size=128M zone-capacity=64M zones=2");
    Twins t;

    twins_begin(&t, &params, drive_seed());
    twins_run(&t, 300);
    end(&t);
    say();
}

static const char *const configs[] = {
    "tiny", "bae-small", "bae-large", "confzns-zssd1", "confzns-zssd2",
    "confznspp", "ezns", "zn540", "zn540-small",
};

static SsdParams config_params(const char *name)
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

static void test_config(gconstpointer data)
{
    SsdParams params = config_params(data);
    Twins t;

    twins_begin(&t, &params, drive_seed());
    t.every = 40;
    twins_run(&t, 1500);
    end(&t);
    say();
}

/* --- Bytes that are not what was saved ------------------------------------ */


static GByteArray *copy_of(const GByteArray *bytes)
{
    GByteArray *copy = g_byte_array_new();

    return g_byte_array_append(copy, bytes->data, bytes->len);
}

/* A small drive with much under way. */
static GByteArray *busy_state(SsdParams *params, uint64_t seed)
{
    Rng rng = { seed };
    GByteArray *bytes;
    Twins t;

    do {
        *params = soup_params(&rng);
    } while (!ssd_params_check(params, NULL));
    ssd_params_resolve(params);
    twins_begin(&t, params, seed);
    t.every = 1000;
    twins_run(&t, 100 + rng_below(&rng, 100));
    bytes = twins_bytes(&t);
    ssd_free(t.kept);
    ssd_free(t.saved);
    return bytes;
}

static void expect_refused(const SsdParams *params, const uint8_t *data,
                           size_t size)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(ssd_load(params, data, size, &error));
    g_assert_nonnull(error);
    g_assert_cmpstr(error->message, !=, "");
}

/* Each bit of each byte, and each length. */
static void test_damaged(void)
{
    SsdParams params;
    GByteArray *bytes = busy_state(&params, drive_seed());

    for (guint i = 0; i < bytes->len; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes->data[i] ^= 1u << bit;
            expect_refused(&params, bytes->data, bytes->len);
            bytes->data[i] ^= 1u << bit;
        }
        expect_refused(&params, bytes->data, i);
    }
    g_test_message("%u bytes", bytes->len);
    g_byte_array_unref(bytes);
}

/* What was let in must do no harm, whatever it does. */
static void use(Ssd *ssd, const SsdParams *params, Rng *rng, uint64_t now_ns)
{
    g_autofree char *json = ssd_stats_json(ssd, now_ns, NULL);
    uint32_t nsid, zone_idx;
    SsdDone done[8];

    g_assert_cmpint(json[0], ==, '{');
    for (unsigned i = 0; i < 60; i++) {
        uint32_t of = 1 + rng_below(rng, params->namespaces);
        SsdNsInfo ns = ssd_ns_info(ssd, of);
        SsdZone zone = ssd_zone(ssd, of, rng_below(rng, ns.zones));
        SsdCmd cmd = {
            .op = rng_below(rng, SSD_OP_COPY), .nsid = of,
            .slba = zone.wp_lba, .nlb = 1 + rng_below(rng, 12),
        };

        if (rng_chance(rng, 20)) {
            cmd.op = rng_chance(rng, 50) ? SSD_OP_ZONE_RESET
                                         : SSD_OP_ZONE_FINISH;
        }
        if (cmd.op == SSD_OP_READ || cmd.op == SSD_OP_APPEND ||
            cmd.op >= SSD_OP_ZONE_OPEN) {
            cmd.slba = zone.start_lba;
        }
        if (ssd_has_room(ssd)) {
            ssd_submit(ssd, now_ns, &cmd, i);
        }
        for (unsigned polls = 0; polls < 20; polls++) {
            uint64_t next_at_ns = ssd_next_at_ns(ssd);

            if (next_at_ns < UINT64_MAX >> 2) {
                now_ns = MAX(now_ns, next_at_ns);
            }
            ssd_poll(ssd, now_ns, done, G_N_ELEMENTS(done));
        }
        ssd_poll_zone(ssd, now_ns, &nsid, &zone_idx);
    }
}

/* As any other, it can lose its power, and what comes back is a drive. */
static void cut(Ssd *ssd, const SsdParams *params, Rng *rng)
{
    Ssd *next = ssd_power_cut(ssd, ssd_now_ns(ssd), rng_next(rng));
    GByteArray *bytes = ssd_save(next);
    GError *error = NULL;

    ssd_free(ssd_load(params, bytes->data, bytes->len, &error));
    g_assert_no_error(error);
    use(next, params, rng, ssd_now_ns(next));
    g_byte_array_unref(bytes);
    ssd_free(next);
}

/* Where the text of the parameters ends. */
static guint head_bytes(const GByteArray *bytes)
{
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);
    const char *last = rows[count - 1].name;

    for (guint i = 0; i + strlen(last) < bytes->len; i++) {
        if (memcmp(bytes->data + i, last, strlen(last)) == 0) {
            const uint8_t *end = memchr(bytes->data + i, '\n',
                                        bytes->len - i);

            return end - bytes->data + 1;
        }
    }
    g_assert_not_reached();
}

/* Mostly a little more or less than it was. */
static void change(GByteArray *bytes, Rng *rng)
{
    guint head = head_bytes(bytes);
    uint8_t *at = bytes->data + head +
                  rng_below(rng, bytes->len - DIGEST_BYTES - head);

    *at += rng_chance(rng, 60) ? (const uint8_t[]) { 1, 2, 254, 255 }
                                 [rng_below(rng, 4)]
                               : 1 + rng_below(rng, 255);
}

/* One byte is another, and the digest fits: refused, or harmless. */
static void test_hostile(void)
{
    Rng rng = { drive_seed() };
    unsigned count = drive_count("FEMU_DRIVES", 30), refused = 0, let_in = 0;

    for (unsigned d = 0; d < count; d++) {
        SsdParams params;
        GByteArray *bytes = busy_state(&params, rng_next(&rng));

        for (unsigned i = 0; i < 300; i++) {
            GByteArray *changed = copy_of(bytes);
            Ssd *ssd;

            change(changed, &rng);
            seal(changed);
            ssd = ssd_load(&params, changed->data, changed->len, NULL);
            refused += ssd == NULL;
            let_in += ssd != NULL;
            if (ssd != NULL) {
                cut(ssd, &params, &rng);
                use(ssd, &params, &rng, ssd_now_ns(ssd));
            }
            ssd_free(ssd);
            g_byte_array_unref(changed);
        }
        g_byte_array_unref(bytes);
    }
    g_test_message("%u refused, %u let in", refused, let_in);
}

/* --- A state that another machine may have written ------------------------ */

#define STORED \
    "zones=6 zone-capacity=48K channels=2 dies=2 max-open=3 max-active=4 " \
    "cmd-slots=64 fe-read-ns=2203 fe-write-ns=3373 fe-reset-ns=4001 " \
    "link-in-ns=49501600 link-out-ns=40386800 fixed-read-ns=6091 " \
    "write-buffer=64K zone-buffer=40K program-registers=2 read-ahead=16K " \
    "reset-drains=on reset-lock-ns=5000011 reset-base-ns=159013 " \
    "reset-steps=3 reset-step-ns=105019 read-slots=3 erase-at=background " \
    "mapping=lazy excursion-ns=90000000 conventional-size=256K"

/* All that a drive does from now on until it has come to rest, and knows. */
static char *story_of(Ssd *ssd)
{
    GString *text = g_string_new(NULL);
    g_autofree char *json = NULL;
    uint64_t now_ns = ssd_now_ns(ssd);
    SsdDone done;

    while (ssd_inflight(ssd) > 0) {
        now_ns = MAX(now_ns, ssd_next_at_ns(ssd));
        while (ssd_poll(ssd, now_ns, &done, 1)) {
            g_string_append_printf(text, "%u %s %" G_GUINT64_FORMAT " %"
                                   G_GUINT64_FORMAT "\n", done.tag,
                                   ssd_op_name(done.op), done.result,
                                   done.due_at_ns);
        }
    }
    json = ssd_stats_json(ssd, now_ns, NULL);
    g_string_append(text, json);
    return g_string_free(text, FALSE);
}

/* FEMU_STATE_OUT=folder writes both files anew. */
static void write_stored(const char *folder)
{
    g_autofree char *state = g_build_filename(folder, "busy.state", NULL);
    g_autofree char *story = g_build_filename(folder, "busy.txt", NULL);
    g_autofree char *text = NULL;
    SsdParams params = drive_params(STORED);
    GByteArray *bytes;
    Twins t;

    twins_begin(&t, &params, 1);
    twins_run(&t, 150);
    bytes = twins_bytes(&t);
    g_assert_true(g_file_set_contents(state, (const char *)bytes->data,
                                      bytes->len, NULL));
    text = story_of(t.kept);
    g_assert_true(g_file_set_contents(story, text, -1, NULL));
    g_byte_array_unref(bytes);
    ssd_free(t.kept);
    ssd_free(t.saved);
}

static void test_stored(void)
{
    g_autofree char *path = g_test_build_filename(
        G_TEST_DIST, "tests", "data", "state", "busy.state", NULL);
    g_autofree char *story = g_test_build_filename(
        G_TEST_DIST, "tests", "data", "state", "busy.txt", NULL);
    g_autofree char *bytes = NULL, *want = NULL, *got = NULL;
    GError *error = NULL;
    SsdParams params;
    gsize size;
    Ssd *ssd;

    if (g_getenv("FEMU_STATE_OUT")) {
        write_stored(g_getenv("FEMU_STATE_OUT"));
    }
    g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
    g_assert_true(g_file_get_contents(story, &want, NULL, NULL));
    ssd_load_params((const uint8_t *)bytes, size, &params, &error);
    g_assert_no_error(error);
    ssd = ssd_load(&params, (const uint8_t *)bytes, size, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(ssd_inflight(ssd), >, 0);
    got = story_of(ssd);
    g_assert_cmpstr(got, ==, want);
    ssd_free(ssd);
}

/* A terabyte of which nothing is used is a file of some kilobytes. */
static void test_size(void)
{
    SsdParams params = config_params("zn540");
    Ssd *ssd = ssd_new(&params);
    GByteArray *bytes = ssd_save(ssd);

    g_test_message("%u bytes", bytes->len);
    g_assert_cmpuint(bytes->len, <, 8192);
    g_byte_array_unref(bytes);
    ssd_free(ssd);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/save/any", test_any);
    g_test_add_func("/save/soup", test_soup);
    g_test_add_func("/save/whole", test_whole);
    g_test_add_func("/save/conventional", test_conventional);
    g_test_add_func("/save/large-program", test_large_program);
    g_test_add_func("/save/damaged", test_damaged);
    g_test_add_func("/save/hostile", test_hostile);
    g_test_add_func("/save/stored", test_stored);
    g_test_add_func("/save/size", test_size);
    for (unsigned i = 0; i < G_N_ELEMENTS(configs); i++) {
        g_autofree char *path = g_strconcat("/save/config/", configs[i], NULL);

        g_test_add_data_func(path, configs[i], test_config);
    }
    return g_test_run();
}
