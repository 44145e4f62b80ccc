/*
 * The drive and the dumb model side by side: see pair.h.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "pair.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Commands that a failure shows; FEMU_HISTORY changes it. */
#define HISTORY 24

Pair *pair_new(const SsdParams *params)
{
    const char *history = g_getenv("FEMU_HISTORY");
    Pair *pair = g_new0(Pair, 1);

    pair->history_length = history ? atoi(history) : HISTORY;
    pair->params = *params;
    pair->ssd = ssd_new(&pair->params);
    pair->model = model_new(&pair->params);
    pair->done_ssd = g_array_new(FALSE, FALSE, sizeof(SsdDone));
    pair->done_model = g_array_new(FALSE, FALSE, sizeof(SsdDone));
    pair->events = g_array_new(FALSE, FALSE, sizeof(PairEvent));
    return pair;
}

/* What makes the drive another than the default one. */
static void append_params(const Pair *pair, GString *text)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);
    SsdParams defaults;

    ssd_params_defaults(&defaults);
    g_string_append(text, "\nof the drive");
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = ssd_params_get(&pair->params, &table[i]);

        if (value != ssd_params_get(&defaults, &table[i])) {
            g_string_append_printf(text, " %s=%" PRIu64, table[i].name, value);
        }
    }
}

static void G_GNUC_PRINTF(2, 3) fail(const Pair *pair, const char *format, ...)
{
    GString *text = g_string_new("");
    va_list args;

    va_start(args, format);
    g_string_append_vprintf(text, format, args);
    va_end(args);
    append_params(pair, text);
    g_string_append_printf(text, "\nat %" PRIu64 " ns; the last commands:",
                           pair->now_ns);
    for (GList *l = pair->history.head; l; l = l->next) {
        g_string_append_printf(text, "\n  %s", (char *)l->data);
    }
    g_error("%s", text->str);
}

void pair_fail(const Pair *pair, const char *what)
{
    fail(pair, "%s", what);
}

static void remember(Pair *pair, const SsdCmd *cmd, SsdStatus status)
{
    char *text = drive_cmd_text(cmd);

    g_queue_push_tail(&pair->history, g_strdup_printf(
        "%" PRIu64 " ns: tag %" PRIu32 " %s -> %03x", pair->now_ns,
        pair->next_tag, text, status));
    g_free(text);
    if (pair->history.length > pair->history_length) {
        g_free(g_queue_pop_head(&pair->history));
    }
}

/* A command, or what else is done, is the next one's tag. */
static PairEvent *note(Pair *pair, PairEvent event)
{
    event.at_ns = pair->now_ns;
    g_array_append_val(pair->events, event);
    g_assert_cmpuint(pair->events->len, ==, ++pair->next_tag);
    return &g_array_index(pair->events, PairEvent, pair->next_tag - 1);
}

static void note_command(Pair *pair, const SsdCmd *cmd, SsdStatus status)
{
    PairEvent *event = note(pair, (PairEvent) {
        .cmd = *cmd, .status = status,
        .lba_bytes = cmd->nsid - 1 < model_ns_count(pair->model)
                     ? model_rules(pair->model, cmd->nsid)->lba_bytes : 0,
    });

    for (uint32_t i = 0; i < MIN(cmd->range_count, COPY_RANGES); i++) {
        event->ranges[i] = cmd->ranges[i];
    }
}

bool pair_has_room(const Pair *pair)
{
    return ssd_has_room(pair->ssd);
}

SsdStatus pair_submit(Pair *pair, const SsdCmd *cmd)
{
    SsdAccept want = model_submit(pair->model, pair->now_ns, cmd,
                                  pair->next_tag);
    SsdAccept got = ssd_submit(pair->ssd, pair->now_ns, cmd, pair->next_tag);
    bool has_lba = cmd->op < SSD_OP_ZONE_OPEN && cmd->op != SSD_OP_FLUSH;

    remember(pair, cmd, want.status);
    if (got.status != want.status) {
        fail(pair, "tag %" PRIu32 ": status %03x, must be %03x",
             pair->next_tag, got.status, want.status);
    }
    if (!want.status && has_lba && got.lba != want.lba) {
        fail(pair, "tag %" PRIu32 ": LBA %" PRIu64 ", must be %" PRIu64,
             pair->next_tag, got.lba, want.lba);
    }
    note_command(pair, cmd, want.status);
    if (want.status) {
        pair->rejected_count++;
    } else {
        pair->accepted_count++;
    }
    return want.status;
}

void pair_zone_fail(Pair *pair, uint32_t nsid, uint32_t zone_idx,
                    SsdZoneState state)
{
    bool want = model_zone_fail(pair->model, pair->now_ns, nsid, zone_idx,
                                state);
    bool got = ssd_zone_fail(pair->ssd, pair->now_ns, nsid, zone_idx, state);

    note(pair, (PairEvent) {
        .cmd.nsid = nsid, .cmd.slba = zone_idx, .fails_to = state,
    });
    if (got != want) {
        fail(pair, "zone %" PRIu32 " fails to state %x: %d, must be %d",
             zone_idx, state, got, want);
    }
}

/* Completions due at the same time may leave in either order: sort them. */
static gint by_due_and_tag(gconstpointer a, gconstpointer b)
{
    const SsdDone *x = a, *y = b;

    if (x->due_at_ns != y->due_at_ns) {
        return x->due_at_ns < y->due_at_ns ? -1 : 1;
    }
    return x->tag < y->tag ? -1 : x->tag > y->tag;
}

static void compare_done(Pair *pair)
{
    guint most = MAX(pair->done_ssd->len, pair->done_model->len);

    g_array_sort(pair->done_ssd, by_due_and_tag);
    g_array_sort(pair->done_model, by_due_and_tag);
    for (guint i = 0; i < most; i++) {
        const SsdDone *got = &g_array_index(pair->done_ssd, SsdDone, i);
        const SsdDone *want = &g_array_index(pair->done_model, SsdDone, i);

        if (i >= pair->done_ssd->len) {
            fail(pair, "tag %" PRIu32 " did not complete, must at %" PRIu64
                 " ns", want->tag, want->due_at_ns);
        }
        if (i >= pair->done_model->len) {
            fail(pair, "tag %" PRIu32 " completed at %" PRIu64
                 " ns, must not yet", got->tag, got->due_at_ns);
        }
        if (got->tag != want->tag || got->due_at_ns != want->due_at_ns) {
            fail(pair, "tag %" PRIu32 " completed at %" PRIu64 " ns, next is "
                 "tag %" PRIu32 " at %" PRIu64 " ns", got->tag,
                 got->due_at_ns, want->tag, want->due_at_ns);
        }
        if (got->status != SSD_SUCCESS || got->nsid != want->nsid ||
            got->op != want->op ||
            got->result != want->result ||
            got->ahead_bytes != want->ahead_bytes ||
            got->submitted_at_ns != want->submitted_at_ns) {
            fail(pair, "tag %" PRIu32 ": completion differs", got->tag);
        }
        g_array_index(pair->events, PairEvent, want->tag).due_at_ns =
            want->due_at_ns;
    }
    g_array_set_size(pair->done_ssd, 0);
    g_array_set_size(pair->done_model, 0);
}

void pair_advance(Pair *pair, uint64_t now_ns)
{
    uint64_t next_ns = ssd_next_at_ns(pair->ssd), last_ns = 0;
    SsdDone done;

    g_assert_cmpuint(now_ns, >=, pair->now_ns);
    pair->now_ns = now_ns;
    model_run(pair->model, now_ns);
    while (model_pop(pair->model, &done)) {
        g_array_append_val(pair->done_model, done);
    }
    while (ssd_poll(pair->ssd, now_ns, &done, 1)) {
        if (done.due_at_ns < last_ns || done.due_at_ns > now_ns) {
            fail(pair, "tag %" PRIu32 " out of order", done.tag);
        }
        if (done.due_at_ns < next_ns) {
            fail(pair, "tag %" PRIu32 " completed at %" PRIu64
                 " ns, the next was to be at %" PRIu64 " ns", done.tag,
                 done.due_at_ns, next_ns);
        }
        last_ns = done.due_at_ns;
        g_array_append_val(pair->done_ssd, done);
    }
    compare_done(pair);
    if (ssd_inflight(pair->ssd) != model_inflight(pair->model)) {
        fail(pair, "%u commands inside, must be %u",
             ssd_inflight(pair->ssd), model_inflight(pair->model));
    }
    if (ssd_next_at_ns(pair->ssd) <= now_ns) {
        fail(pair, "next at %" PRIu64 " ns is not later than now",
             ssd_next_at_ns(pair->ssd));
    }
}

static void compare_zone(Pair *pair, uint32_t nsid, uint32_t z)
{
    const Rules *rules = model_rules(pair->model, nsid);
    const RulesZone *want = &rules->zone[z];
    SsdZone got = ssd_zone(pair->ssd, nsid, z);
    uint64_t start_lba = z * rules->zone_nlb;

    if (got.has_extension != want->extension) {
        fail(pair, "zone %" PRIu32 ": extension %d, must be %d", z,
             got.has_extension, want->extension);
    }
    if (got.has_zrwa != want->zrwa) {
        fail(pair, "zone %" PRIu32 " has a ZRWA: %d, must be %d", z,
             got.has_zrwa, want->zrwa);
    }
    if (got.finished_by_controller != want->finished ||
        got.finish_recommended != (want->phase == 1 && want->recommended) ||
        got.reset_recommended != (want->phase == 2 && want->recommended)) {
        fail(pair, "zone %" PRIu32 ": finished %d, recommended %d, must be %d "
             "and %d", z, got.finished_by_controller,
             got.finish_recommended + 2 * got.reset_recommended,
             want->finished, want->recommended);
    }
    if (got.state != want->state) {
        fail(pair, "zone %" PRIu32 ": state %x, must be %x", z, got.state,
             want->state);
    }
    if (got.start_lba != start_lba ||
        got.capacity_nlb != rules->capacity_nlb) {
        fail(pair, "zone %" PRIu32 ": start %" PRIu64 ", capacity %" PRIu64,
             z, got.start_lba, got.capacity_nlb);
    }
    if (want->state != SSD_ZONE_FULL &&
        got.wp_lba != start_lba + want->written_nlb) {
        fail(pair, "zone %" PRIu32 ": write pointer %" PRIu64 ", must be %"
             PRIu64, z, got.wp_lba, start_lba + want->written_nlb);
    }
}

static void compare_namespace(Pair *pair, uint32_t nsid)
{
    const Rules *rules = model_rules(pair->model, nsid);
    SsdNsInfo info = ssd_ns_info(pair->ssd, nsid);
    uint32_t open = ssd_open_count(pair->ssd, nsid);
    uint32_t active = ssd_active_count(pair->ssd, nsid);

    if (info.lba_bytes != rules->lba_bytes ||
        info.zone_size_nlb != rules->zone_nlb ||
        info.zone_capacity_nlb != rules->capacity_nlb ||
        info.zones != rules->zone_count ||
        info.first_zone_idx != (nsid - 1) * rules->zone_count ||
        info.size_nlb != rules->zone_count * rules->zone_nlb) {
        fail(pair, "namespace %" PRIu32 ": another shape", nsid);
    }
    for (uint32_t z = 0; z < rules->zone_count; z++) {
        compare_zone(pair, nsid, z);
    }
    if (open != rules_open_count(rules)) {
        fail(pair, "%" PRIu32 " zones of namespace %" PRIu32 " hold an open "
             "resource, must be %" PRIu32, open, nsid,
             rules_open_count(rules));
    }
    if (active != rules_active_count(rules)) {
        fail(pair, "%" PRIu32 " zones of namespace %" PRIu32 " hold an active "
             "resource, must be %" PRIu32, active, nsid,
             rules_active_count(rules));
    }
}

static void compare_conventional(Pair *pair)
{
    uint32_t nsid = model_ns_count(pair->model);
    const Rules *rules = model_rules(pair->model, nsid);
    SsdNsInfo info = ssd_ns_info(pair->ssd, nsid);

    if (info.lba_bytes != rules->lba_bytes ||
        info.size_nlb != rules->zone_nlb || info.zones != 0) {
        fail(pair, "namespace %" PRIu32 ": another shape", nsid);
    }
}

void pair_compare(Pair *pair)
{
    g_assert_cmpuint(ssd_ns_count(pair->ssd), ==,
                     model_ns_count(pair->model));
    for (uint32_t i = 1; i <= pair->params.namespaces; i++) {
        compare_namespace(pair, i);
    }
    if (pair->params.conventional_bytes) {
        compare_conventional(pair);
    }
}

void random_copy(const Rules *rules, Rng *rng, SsdRange ranges[COPY_RANGES],
                 SsdCmd *cmd)
{
    uint32_t zones = MIN(rules->zone_count, COPY_ZONES);
    uint32_t z = rng_below(rng, zones);
    uint64_t left_nlb = rules->capacity_nlb - rules->zone[z].written_nlb;

    cmd->op = SSD_OP_COPY;
    cmd->slba = z * rules->zone_nlb + rules->zone[z].written_nlb;
    cmd->nlb = 0;
    cmd->ranges = ranges;
    cmd->range_count = 1 + rng_below(rng, COPY_RANGES);
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        uint32_t from = rng_below(rng, zones);
        uint64_t most_nlb = 1 + left_nlb / cmd->range_count;

        ranges[i].slba = from * rules->zone_nlb +
                         rng_below(rng, rules->zone[from].written_nlb + 1);
        ranges[i].nlb = 1 + rng_below(rng, MIN(most_nlb, 12));
    }
}

/* Gather what is due by now. Return: is there anything? */
static bool done_all(Pair *pair)
{
    unsigned before = model_inflight(pair->model);

    pair_advance(pair, pair->now_ns);
    return model_inflight(pair->model) < before;
}

void pair_drain(Pair *pair)
{
    while (model_inflight(pair->model) || ssd_inflight(pair->ssd)) {
        uint64_t next_ns = MIN(model_next_at_ns(pair->model),
                               ssd_next_at_ns(pair->ssd));

        if (next_ns == UINT64_MAX) {
            if (done_all(pair)) {
                continue;
            }
            fail(pair, "%u commands inside wait for nothing",
                 model_inflight(pair->model));
        }
        pair_advance(pair, MAX(pair->now_ns, next_ns));
    }
    if (ssd_next_at_ns(pair->ssd) != model_watch_next_ns(pair->model)) {
        fail(pair, "idle, but next at %" PRIu64 " ns, must be %" PRIu64,
             ssd_next_at_ns(pair->ssd), model_watch_next_ns(pair->model));
    }
}

/* At rest is more than drained: the flash may go on without a command. */
static void settle(Pair *pair)
{
    pair_drain(pair);
    while (!model_is_at_rest(pair->model)) {
        pair_advance(pair, model_next_at_ns(pair->model));
    }
}

void pair_cut(Pair *pair)
{
    Ssd *next;

    settle(pair);
    note(pair, (PairEvent) { .is_cut = true });
    next = ssd_power_cut(pair->ssd, pair->now_ns, 1);
    ssd_free(pair->ssd);
    pair->ssd = next;
    model_power_cut(pair->model);
    pair->now_ns = ssd_now_ns(next);
    pair_compare(pair);
}

void pair_format(Pair *pair, uint32_t nsid, uint32_t lba_bytes)
{
    GError *error = NULL;
    SsdCmd reset = {
        .op = SSD_OP_ZONE_RESET, .nsid = nsid, .select_all = true,
    };

    pair_drain(pair);
    /* An excursion may still fill: the reset waits for that. */
    if (pair->params.excursion_ns) {
        pair_submit(pair, &reset);
        pair_drain(pair);
    }
    ssd_format(pair->ssd, pair->now_ns, nsid, lba_bytes, &error);
    g_assert_no_error(error);
    model_format(pair->model, nsid, lba_bytes);
    note(pair, (PairEvent) {
        .cmd.nsid = nsid, .format_lba_bytes = lba_bytes,
    });
    pair_compare(pair);
}

/* Every block has been erased equally often. */
static void compare_wear(Pair *pair)
{
    g_assert_cmpuint(ssd_block_count(pair->ssd), ==,
                     model_block_count(pair->model));
    for (uint64_t i = 0; i < ssd_block_count(pair->ssd); i++) {
        uint32_t got = ssd_block(pair->ssd, i).erase_count;
        uint32_t want = model_erase_count(pair->model, i);

        if (got != want) {
            fail(pair, "block %" PRIu64 " has been erased %" PRIu32 " times, "
                 "must be %" PRIu32, i, got, want);
        }
    }
}

/*
 * What has been sensed, programmed and erased; and what the log has been given,
 * and has moved.
 */
static void compare_flash(Pair *pair)
{
    g_autofree char *got = ssd_stats_json(pair->ssd, pair->now_ns, NULL);
    g_autofree char *want = model_flash_stats(pair->model);
    g_autofree char *want_log = model_conv_stats(pair->model);

    if (!strstr(got, want)) {
        fail(pair, "statistics must have %s, have %.80s", want,
             strstr(got, "\"flash\""));
    }
    if (pair->params.conventional_bytes && !strstr(got, want_log)) {
        fail(pair, "statistics must have %s, are %s", want_log, got);
    }
}

void pair_free(Pair *pair)
{
    pair_drain(pair);
    pair_compare(pair);
    compare_wear(pair);
    pair_compare_stats(pair);
    settle(pair);
    compare_flash(pair);
    model_free(pair->model);
    ssd_free(pair->ssd);
    g_array_free(pair->done_ssd, TRUE);
    g_array_free(pair->done_model, TRUE);
    g_array_free(pair->events, TRUE);
    g_queue_clear_full(&pair->history, g_free);
    g_free(pair);
}
