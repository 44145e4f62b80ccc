/*
 * The state of the drive: its rooms, one after another, between a head that
 * says of which drive it is and a digest of all.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <string.h>

#include "../base/state.h"
#include "../params_text.h"
#include "load.h"

/* The first bytes; then the version, as any number. */
static const char magic[] = "femu-zns drive\n";

#define VERSION 1
#define DIGEST_BYTES 32 /* SHA-256, of all bytes before it: the last ones */
#define PARAMS_BYTES_MOST (64 * SSD_KIB)

static const StateRow stats_rows[] = {
    STATE_ELSE(Stats, ops, "op_rows"),
    STATE_TIME(Stats, since_at_ns),
    STATE_NUMBER(Stats, flash.senses),
    STATE_NUMBER(Stats, flash.programs),
    STATE_NUMBER(Stats, flash.erased_blocks),
    STATE_NUMBER(Stats, flash.suspensions),
    STATE_NUMBER(Stats, flash.padded_bytes),
    STATE_NUMBER(Stats, conv.host_bytes),
    STATE_NUMBER(Stats, conv.moved_bytes),
    STATE_NUMBER(Stats, conv.programs),
    STATE_NUMBER(Stats, conv.erased_blocks),
    STATE_NUMBER(Stats, ahead.fetched_lines),
    STATE_NUMBER(Stats, ahead.hit_bytes),
    STATE_NUMBER(Stats, ahead.waited_bytes),
};

static const StateRow op_rows[] = {
    STATE_NUMBER(OpStats, latency_ns.count),
    STATE_NUMBER(OpStats, latency_ns.sum),
    STATE_NUMBER(OpStats, latency_ns.min),
    STATE_NUMBER(OpStats, latency_ns.max),
    STATE_ELSE(SsdHistogram, buckets, "an array of each operation"),
    STATE_NUMBER(OpStats, rejected),
    STATE_NUMBER(OpStats, bytes),
};

static const StateRow ssd_rows[] = {
    STATE_ELSE(Ssd, params, "as text, in the head"),
    STATE_TIME(Ssd, run_at_ns),
    STATE_ELSE(Ssd, events, "event_heap_state()"),
    STATE_ELSE(Ssd, effects, "with the commands"),
    STATE_ELSE(Ssd, commands, "commands_state()"),
    STATE_ELSE(Ssd, media, "media_state()"),
    STATE_ELSE(Ssd, link, "link_state()"),
    STATE_ELSE(Ssd, prefetch, "prefetch_state()"),
    STATE_ELSE(Ssd, buffer, "wbuf_state()"),
    STATE_ELSE(Ssd, reset, "reset_state()"),
    STATE_ELSE(Ssd, ns, "namespaces_state()"),
    STATE_ELSE(Ssd, zns, "zns_state()"),
    STATE_ELSE(Ssd, conv, "conv_state()"),
    STATE_ELSE(Ssd, entry, "entry_state()"),
    STATE_ELSE(Ssd, ready, "commands_done_state(), from the first on"),
    STATE_LEFT(Ssd, ready_head, "the ring may as well begin at 0"),
    STATE_ELSE(Ssd, ready_count, "before the completions"),
    STATE_ELSE(Ssd, stats, "stats_rows"),
};

/* The drive's own: time, completions that wait, statistics */

static void visit_ready(Ssd *ssd, State *state)
{
    uint64_t count = ssd->ready_count;
    g_autofree uint32_t *chosen = NULL;

    state_number(state, "completions", &count, ssd->params.cmd_slots);
    chosen = g_new(uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = ready_idx(ssd, i);
    }
    commands_done_state(ssd->ready, state, count, chosen);
    ssd->ready_count = count;
}

static void check_histograms(const Ssd *ssd, State *state)
{
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        const SsdHistogram *histogram = &ssd->stats.ops[op].latency_ns;

        if (!ssd_histogram_fits(histogram)) {
            state_fail(state, "the buckets of %s do not hold %" PRIu64
                       " values", ssd_op_name(op), histogram->count);
        }
    }
}

static void visit_stats(Ssd *ssd, State *state)
{
    Stats *stats = &ssd->stats;

    STATE_STRUCT(state, stats_rows, stats);
    STATE_TABLE(state, op_rows, stats->ops, SSD_OP_COUNT, NULL);
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        STATE_ARRAY(SsdHistogram, buckets, state, &stats->ops[op].latency_ns,
                    SSD_HISTOGRAM_BUCKETS);
    }
    STATE_ARRAY(Stats, channel_busy_ns, state, stats, ssd->params.channels);
    STATE_ARRAY(Stats, unit_busy_ns, state, stats, ssd->media.unit_count);
    if (state_was_read(state)) {
        check_histograms(ssd, state);
    }
}

/* All rooms, the lower ones first, as far as what is read is right. */

static void set_counts(const Ssd *ssd, State *state)
{
    const AheadConfig *ahead = &ssd->prefetch.ahead.config;

    state_count(state, STATE_OF_COMMANDS, ssd->params.cmd_slots);
    state_count(state, STATE_OF_JOBS, ssd->zns.jobs.capacity);
    state_count(state, STATE_OF_ZONES, ssd->params.zones);
    state_count(state, STATE_OF_BUFFERED,
                ssd->params.zones + wbuf_has_log(&ssd->buffer));
    state_count(state, STATE_OF_STREAMS, ahead->streams);
    state_count(state, STATE_OF_STRANDS,
                wbuf_strand_count(&ssd->buffer));
    state_count(state, STATE_OF_FETCHES,
                (uint64_t)ahead->streams * ahead->depth_lines);
}

/* Sizes of blocks, powers of two, that a format can give: a bit for each. */
static uint32_t lba_sizes(const Ssd *ssd)
{
    SsdParams params = ssd->params;
    uint32_t sizes = 0;

    for (uint32_t bytes = SSD_LBA_BYTES_MIN; bytes <= SSD_GRANULE_BYTES;
         bytes *= 2) {
        params.lba_bytes = bytes;
        sizes |= ssd_params_check(&params, NULL) ? bytes : 0;
    }
    return sizes;
}

static void visit_rooms(Ssd *ssd, State *state, LoadCheck *check)
{
    uint32_t lines = ssd->conv.ftl.line_count;

    event_heap_state(&ssd->events, state);
    media_state(&ssd->media, state, lines * ssd->media.unit_count,
                lines ? ssd->media.rows_per_block : 0);
    check->used = commands_state(&ssd->commands, state, ssd->params.cmd_slots);
    link_state(&ssd->link, state);
    if (state_is_good(state)) {
        prefetch_state(&ssd->prefetch, state);
        wbuf_state(&ssd->buffer, state, check->waits_for_room);
        reset_state(&ssd->reset, state, check->is_reset);
        namespaces_state(&ssd->ns, &ssd->params, state, lba_sizes(ssd));
    }
    if (state_is_good(state)) {
        zns_state(&ssd->zns, state, check->used);
        conv_state(&ssd->conv, state);
        entry_state(&ssd->entry, state, check->enters,
                    check->waits_for_slot);
    }
    state_room(state, "drive");
    STATE_STRUCT(state, ssd_rows, ssd);
    visit_ready(ssd, state);
    visit_stats(ssd, state);
    state_room_end(state);
}

static void visit(Ssd *ssd, State *state)
{
    LoadCheck check;

    load_check_begin(&check, ssd);
    set_counts(ssd, state);
    visit_rooms(ssd, state, &check);
    if (state_was_read(state)) {
        load_check(&check, state);
    }
    load_check_end(&check);
}

/* The head: parameters as text, one "key=value" a line */

static char *params_text(const SsdParams *params)
{
    GString *text = g_string_new(NULL);
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        g_autofree char *value =
            ssd_param_row_text(&rows[i], ssd_params_get(params, &rows[i]));

        g_string_append_printf(text, "%s=%s\n", rows[i].name, value);
    }
    return g_string_free(text, FALSE);
}

/* A parameter that the state does not name has its default: it was not yet. */
static void read_params(State *state, const char *text, SsdParams *params)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);

    ssd_params_defaults(params);
    for (unsigned i = 0; lines[i]; i++) {
        g_autoptr(GError) error = NULL;
        char *value = strchr(lines[i], '=');

        if (*lines[i] == '\0') { /* behind the last */
            continue;
        }
        if (value == NULL) {
            state_fail(state, "'%s' is no parameter with a value", lines[i]);
            return;
        }
        *value++ = '\0';
        if (!ssd_params_set(params, lines[i], value, &error)) {
            state_fail(state, "%s", error->message);
        }
    }
}

static void visit_params(State *state, SsdParams *params)
{
    g_autofree char *text = state_is_reading(state) ? NULL
                                                    : params_text(params);

    state_text(state, "the parameters", &text, PARAMS_BYTES_MOST);
    if (state_was_read(state)) {
        read_params(state, text, params);
    }
}

static void compare_params(State *state, const SsdParams *saved,
                           const SsdParams *params)
{
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        uint64_t was = ssd_params_get(saved, &rows[i]);
        uint64_t is = ssd_params_get(params, &rows[i]);

        if (was != is) {
            g_autofree char *was_text = ssd_param_row_text(&rows[i], was);
            g_autofree char *is_text = ssd_param_row_text(&rows[i], is);

            state_fail(state, "it is of a drive with %s=%s, this one has "
                       "%s=%s", rows[i].name, was_text, rows[i].name, is_text);
        }
    }
}

/* The frame: magic, version, digest */

static void digest_of(const uint8_t *data, size_t size,
                      uint8_t digest[DIGEST_BYTES])
{
    g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize count = DIGEST_BYTES;

    g_checksum_update(checksum, data, size);
    g_checksum_get_digest(checksum, digest, &count);
}

static bool has_digest(const uint8_t *data, size_t size)
{
    uint8_t digest[DIGEST_BYTES];

    digest_of(data, size - DIGEST_BYTES, digest);
    return memcmp(digest, data + size - DIGEST_BYTES, DIGEST_BYTES) == 0;
}

static void fail(GError **error, const char *what)
{
    g_set_error(error, STATE_ERROR, 0, "the state %s", what);
}

/* Return: what follows the version, up to the digest; NULL: *error says why. */
static State *open_frame(const uint8_t *data, size_t size, GError **error)
{
    size_t magic_bytes = strlen(magic);
    uint64_t version;
    State *state;

    if (size < magic_bytes || memcmp(data, magic, magic_bytes) != 0) {
        fail(error, "is none of a femu-zns drive: it does not begin as one");
        return NULL;
    }
    if (size < magic_bytes + DIGEST_BYTES) {
        fail(error, "is cut short");
        return NULL;
    }
    state = state_reader(data + magic_bytes,
                         size - magic_bytes - DIGEST_BYTES);
    state_number(state, "version", &version, UINT64_MAX);
    if (version != VERSION) {
        state_fail(state, "has version %" PRIu64 ", this build reads version "
                   "%d", version, VERSION);
    } else if (!has_digest(data, size)) {
        state_fail(state, "is damaged or cut short: its digest is not that of "
                   "its bytes");
    }
    return state;
}

/* Both ways in: the parameters, and what else there is. */
static bool close_frame(State *state, GError **error)
{
    GError *found = state_take_error(state);

    state_free(state);
    if (found != NULL) {
        g_propagate_error(error, found);
    }
    return found == NULL;
}

GByteArray *ssd_save(const Ssd *ssd)
{
    State *state = state_writer();
    SsdParams params = ssd->params;
    uint64_t version = VERSION;
    uint8_t digest[DIGEST_BYTES];
    GByteArray *bytes;

    state_bytes(state, magic, strlen(magic));
    state_number(state, "version", &version, UINT64_MAX);
    visit_params(state, &params);
    /* Who writes changes nothing of what is written. */
    visit((Ssd *)ssd, state);
    bytes = state_free(state);
    digest_of(bytes->data, bytes->len, digest);
    g_byte_array_append(bytes, digest, sizeof(digest));
    return bytes;
}

bool ssd_load_params(const uint8_t *data, size_t size, SsdParams *params,
                     GError **error)
{
    State *state = open_frame(data, size, error);

    if (state == NULL) {
        return false;
    }
    visit_params(state, params);
    return close_frame(state, error) && ssd_params_check(params, error);
}

Ssd *ssd_load(const SsdParams *params, const uint8_t *data, size_t size,
              GError **error)
{
    State *state = open_frame(data, size, error);
    SsdParams saved, resolved = *params;
    Ssd *ssd = NULL;

    if (state == NULL) {
        return NULL;
    }
    ssd_params_resolve(&resolved);
    visit_params(state, &saved);
    if (state_is_good(state)) {
        compare_params(state, &saved, &resolved);
    }
    if (state_is_good(state)) {
        ssd = ssd_new(&resolved);
        visit(ssd, state);
    }
    if (state_left_bytes(state) != 0) {
        state_fail(state, "%zu bytes follow its end", state_left_bytes(state));
    }
    if (!close_frame(state, error)) {
        ssd_free(ssd);
        return NULL;
    }
    return ssd;
}

uint64_t ssd_now_ns(const Ssd *ssd)
{
    return ssd->run_at_ns;
}
