/*
 * What the unit tests share: see drive.h.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "drive.h"

#include <inttypes.h>
#include <string.h>

static const char base_words[] =
    "zones=4 zone-size=64K lba-size=4096 page-size=4K "
    "max-open=0 max-active=0 channels=2 ways=1 dies=1 planes=1 "
    "pages-per-block=4 read-ns=60000 program-ns=700000 erase-ns=3500000 "
    "page-transfer-ns=25000 mdts=64K";

static void set_words(SsdParams *params, const char *words)
{
    char **list = g_strsplit(words, " ", -1);

    for (char **word = list; *word; word++) {
        char *equals = strchr(*word, '=');
        GError *error = NULL;

        if (!**word) {
            continue;
        }
        g_assert_nonnull(equals);
        *equals = '\0';
        ssd_params_set(params, *word, equals + 1, &error);
        g_assert_no_error(error);
    }
    g_strfreev(list);
}

SsdParams drive_params(const char *words)
{
    SsdParams params;
    GError *error = NULL;

    ssd_params_defaults(&params);
    set_words(&params, base_words);
    set_words(&params, words);
    ssd_params_check(&params, &error);
    g_assert_no_error(error);
    ssd_params_resolve(&params);
    return params;
}

Drive *drive_new(const char *words)
{
    Drive *d = g_new0(Drive, 1);

    d->params = drive_params(words);
    d->ssd = ssd_new(&d->params);
    d->next_tag = 1;
    d->nsid = 1;
    g_assert_nonnull(d->ssd);
    return d;
}

void drive_free(Drive *d)
{
    ssd_free(d->ssd);
    g_free(d);
}

uint64_t drive_zone_lba(const Drive *d, uint32_t zone_idx)
{
    return zone_idx * (d->params.zone_size_bytes / d->params.lba_bytes);
}

uint32_t drive_pages_nlb(const Drive *d, uint32_t pages)
{
    return pages * (d->params.page_bytes / d->params.lba_bytes);
}

static SsdAccept submit(Drive *d, uint64_t at_ns, const SsdCmd *what)
{
    SsdCmd cmd = *what;

    cmd.nsid = d->nsid;
    g_assert_cmpuint(at_ns, >=, d->now_ns);
    g_assert_true(ssd_has_room(d->ssd));
    d->now_ns = at_ns;
    return ssd_submit(d->ssd, at_ns, &cmd, d->next_tag);
}

static uint32_t submit_ok(Drive *d, uint64_t at_ns, const SsdCmd *cmd)
{
    SsdAccept accept = submit(d, at_ns, cmd);

    g_assert_cmphex(accept.status, ==, SSD_SUCCESS);
    return d->next_tag++;
}

uint32_t drive_read(Drive *d, uint64_t at_ns, uint64_t slba, uint32_t nlb)
{
    return submit_ok(d, at_ns, &(SsdCmd) {
        .op = SSD_OP_READ, .slba = slba, .nlb = nlb });
}

uint32_t drive_write(Drive *d, uint64_t at_ns, uint64_t slba, uint32_t nlb)
{
    return submit_ok(d, at_ns, &(SsdCmd) {
        .op = SSD_OP_WRITE, .slba = slba, .nlb = nlb });
}

uint32_t drive_append(Drive *d, uint64_t at_ns, uint32_t zone_idx,
                      uint32_t nlb)
{
    return submit_ok(d, at_ns, &(SsdCmd) {
        .op = SSD_OP_APPEND, .slba = drive_zone_lba(d, zone_idx),
        .nlb = nlb });
}

uint32_t drive_io(Drive *d, uint64_t at_ns, SsdOp op, uint64_t slba,
                  uint32_t nlb)
{
    return submit_ok(d, at_ns, &(SsdCmd) {
        .op = op, .slba = slba, .nlb = nlb });
}

uint32_t drive_copy(Drive *d, uint64_t at_ns, uint64_t slba, uint64_t from_lba,
                    uint32_t nlb)
{
    return submit_ok(d, at_ns, &(SsdCmd) {
        .op = SSD_OP_COPY, .slba = slba,
        .ranges = &(SsdRange) { from_lba, nlb }, .range_count = 1 });
}

uint32_t drive_deallocate(Drive *d, uint64_t at_ns, const SsdRange *ranges,
                          uint32_t range_count)
{
    return submit_ok(d, at_ns, &(SsdCmd) {
        .op = SSD_OP_DEALLOCATE, .ranges = ranges,
        .range_count = range_count });
}

uint32_t drive_flush(Drive *d, uint64_t at_ns)
{
    return submit_ok(d, at_ns, &(SsdCmd) { .op = SSD_OP_FLUSH });
}

uint32_t drive_zone_op(Drive *d, uint64_t at_ns, SsdOp op, uint32_t zone_idx)
{
    return submit_ok(d, at_ns, &(SsdCmd) {
        .op = op, .slba = drive_zone_lba(d, zone_idx) });
}

uint32_t drive_all_zones(Drive *d, uint64_t at_ns, SsdOp op)
{
    return submit_ok(d, at_ns, &(SsdCmd) { .op = op, .select_all = true });
}

SsdAccept drive_try(Drive *d, uint64_t at_ns, SsdOp op, uint64_t slba,
                    uint32_t nlb)
{
    SsdCmd cmd = { .op = op, .slba = slba, .nlb = nlb };
    SsdAccept accept = submit(d, at_ns, &cmd);

    d->next_tag++;
    return accept;
}

SsdDone drive_expect_next(Drive *d, uint32_t tag, uint64_t due_at_ns)
{
    SsdDone done = { 0 };
    uint64_t next_at_ns = ssd_next_at_ns(d->ssd);

    g_assert_cmpuint(next_at_ns, <=, due_at_ns);
    if (due_at_ns > d->now_ns) {
        g_assert_cmpuint(ssd_poll(d->ssd, due_at_ns - 1, &done, 1), ==, 0);
        g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, due_at_ns);
        d->now_ns = due_at_ns;
    }
    g_assert_cmpuint(ssd_poll(d->ssd, d->now_ns, &done, 1), ==, 1);
    g_assert_cmpuint(done.tag, ==, tag);
    g_assert_cmpuint(done.due_at_ns, ==, due_at_ns);
    g_assert_cmphex(done.status, ==, SSD_SUCCESS);
    return done;
}

SsdDone drive_expect(Drive *d, uint32_t tag, uint64_t due_at_ns)
{
    SsdDone done = drive_expect_next(d, tag, due_at_ns);
    SsdDone other;

    g_assert_cmpuint(ssd_poll(d->ssd, d->now_ns, &other, 1), ==, 0);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), >, d->now_ns);
    return done;
}

void drive_expect_idle(Drive *d)
{
    g_assert_cmpuint(ssd_inflight(d->ssd), ==, 0);
    g_assert_cmpuint(ssd_next_at_ns(d->ssd), ==, UINT64_MAX);
    g_assert_true(ssd_has_room(d->ssd));
}

uint64_t drive_drain(Drive *d)
{
    uint64_t last_at_ns = d->now_ns;

    while (ssd_inflight(d->ssd)) {
        uint64_t next_at_ns = ssd_next_at_ns(d->ssd);
        SsdDone done;

        d->now_ns = MAX(d->now_ns, next_at_ns);
        while (ssd_poll(d->ssd, d->now_ns, &done, 1)) {
            last_at_ns = done.due_at_ns;
        }
    }
    return last_at_ns;
}

void drive_fill(Drive *d, uint32_t zone_idx, uint32_t pages)
{
    uint32_t most = d->params.mdts_bytes / d->params.page_bytes;

    for (uint32_t done = 0; done < pages;) {
        uint32_t now = MIN(most, pages - done);

        drive_write(d, d->now_ns, drive_zone_lba(d, zone_idx) +
                    drive_pages_nlb(d, done), drive_pages_nlb(d, now));
        drive_drain(d);
        done += now;
    }
}

char *drive_cmd_text(const SsdCmd *cmd)
{
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "%s%s nsid %" PRIu32 " slba %" PRIu64
                           " nlb %" PRIu32, ssd_op_name(cmd->op),
                           cmd->select_all ? " all" : "", cmd->nsid,
                           cmd->slba, cmd->nlb);
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        g_string_append_printf(text, " from %" PRIu64 " nlb %" PRIu32,
                               cmd->ranges[i].slba, cmd->ranges[i].nlb);
    }
    return g_string_free(text, FALSE);
}

uint64_t rng_next(Rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t rng_below(Rng *rng, uint64_t n)
{
    return rng_next(rng) % n;
}

bool rng_chance(Rng *rng, unsigned percent)
{
    return rng_below(rng, 100) < percent;
}

static unsigned number_from(const char *name, unsigned usual)
{
    const char *text = g_getenv(name);

    return text ? g_ascii_strtoull(text, NULL, 10) : usual;
}

unsigned drive_count(const char *name, unsigned usual)
{
    unsigned every = MAX(number_from("FEMU_EVERY", 1), 1);

    return number_from(name, MAX(usual / every, 1));
}

uint64_t drive_seed(void)
{
    const char *text = g_getenv("FEMU_SEED");
    uint64_t seed = text ? g_ascii_strtoull(text, NULL, 0) : 1;

    g_test_message("seed %" PRIu64 "; rerun: FEMU_SEED=%" PRIu64 " %s -p %s",
                   seed, seed, g_get_prgname(), g_test_get_path());
    return seed;
}

void drive_expect_stats(Drive *d, const char *words)
{
    g_autofree char *stats = ssd_stats_json(d->ssd, d->now_ns, NULL);

    if (strstr(stats, words) == NULL) {
        g_error("%s is not in %s", words, stats);
    }
}

uint64_t drive_completion_at_ns(Drive *d, uint32_t tag)
{
    SsdDone done = { 0 };

    do {
        d->now_ns = MAX(d->now_ns, ssd_next_at_ns(d->ssd));
    } while (!ssd_poll(d->ssd, d->now_ns, &done, 1) || done.tag != tag);
    return d->now_ns;
}
