/*
 * Statistics: what a drive says of its own work, as JSON.
 *
 * Knows nothing of QEMU, queues or host memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "run.h"

void ssd_stats_init(Ssd *ssd)
{
    ssd->stats.channel_busy_ns = g_new0(uint64_t, ssd->params.channels);
    ssd->stats.unit_busy_ns = g_new0(uint64_t, ssd->media.unit_count);
}

void ssd_stats_destroy(Ssd *ssd)
{
    g_free(ssd->stats.channel_busy_ns);
    g_free(ssd->stats.unit_busy_ns);
}

void ssd_stats_reset(Ssd *ssd, uint64_t now_ns)
{
    const Flash *flash = &ssd->media.flash;
    Stats *stats = &ssd->stats;

    ssd_run(ssd, now_ns);
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        ssd_histogram_clear(&stats->ops[op].latency_ns);
        stats->ops[op].rejected = 0;
        stats->ops[op].bytes = 0;
    }
    stats->since_at_ns = now_ns;
    stats->flash = ssd->media.flash.counters;
    stats->conv = ssd->conv.counters;
    stats->ahead = ssd->prefetch.ahead.counters;
    for (uint32_t i = 0; i < ssd->params.channels; i++) {
        stats->channel_busy_ns[i] = flash_channel_busy_ns(flash, i, now_ns);
    }
    for (uint32_t i = 0; i < ssd->media.unit_count; i++) {
        stats->unit_busy_ns[i] = flash_unit_busy_ns(flash, i, now_ns);
    }
}

void ssd_busy_log_start(Ssd *ssd, uint32_t capacity)
{
    flash_log_busy(&ssd->media.flash, capacity);
}

unsigned ssd_busy_log_take(Ssd *ssd, SsdBusy *busy, unsigned max)
{
    unsigned count = 0;
    BusyEntry entry;

    while (count < max && busy_log_take(&ssd->media.flash.busy, &entry)) {
        busy[count++] = (SsdBusy) {
            .begin_at_ns = entry.begin_at_ns,
            .end_at_ns = entry.end_at_ns,
            .is_channel = entry.is_channel,
            .resource_idx = entry.resource_idx,
            .what = flash_kind_name(entry.kind),
        };
    }
    return count;
}

static void append_ops(const Ssd *ssd, GString *json)
{
    const char *comma = "";

    g_string_append(json, "\"ops\":{");
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        const OpStats *stats = &ssd->stats.ops[op];

        if (stats->latency_ns.count == 0 && stats->rejected == 0) {
            continue;
        }
        g_string_append_printf(json,
                               "%s\"%s\":{\"errors\":%" PRIu64
                               ",\"bytes\":%" PRIu64 ",",
                               comma, ssd_op_name(op), stats->rejected,
                               stats->bytes);
        ssd_histogram_json(&stats->latency_ns, "_ns", json);
        g_string_append_c(json, '}');
        comma = ",";
    }
    g_string_append(json, "},");
}

static void append_flash(const Ssd *ssd, GString *json)
{
    const FlashCounters *now = &ssd->media.flash.counters;
    const FlashCounters *then = &ssd->stats.flash;

    g_string_append_printf(json,
                           "\"flash\":{\"senses\":%" PRIu64
                           ",\"programs\":%" PRIu64 ",\"erases\":%" PRIu64
                           "},",
                           now->senses - then->senses,
                           now->programs - then->programs,
                           now->erased_blocks - then->erased_blocks);
}

uint64_t ssd_stats_padded_bytes(const Ssd *ssd)
{
    return ssd->media.flash.counters.padded_bytes -
           ssd->stats.flash.padded_bytes;
}

uint32_t ssd_stats_page_bytes(const Ssd *ssd)
{
    return ssd->media.page_bytes;
}

/* Write amplification: (host_bytes + moved_bytes) / host_bytes. */
static void append_conventional(const Ssd *ssd, GString *json)
{
    const ConvCounters *now = &ssd->conv.counters;
    const ConvCounters *then = &ssd->stats.conv;

    if (ssd->params.conventional_bytes == 0) {
        return;
    }
    g_string_append_printf(json,
                           "\"conventional\":{\"host_bytes\":%" PRIu64
                           ",\"moved_bytes\":%" PRIu64
                           ",\"programs\":%" PRIu64
                           ",\"erases\":%" PRIu64 "},",
                           now->host_bytes - then->host_bytes,
                           now->moved_bytes - then->moved_bytes,
                           now->programs - then->programs,
                           now->erased_blocks - then->erased_blocks);
}

static void append_read_ahead(const Ssd *ssd, GString *json)
{
    const AheadCounters *now = &ssd->prefetch.ahead.counters;
    const AheadCounters *then = &ssd->stats.ahead;

    if (!ahead_is_on(&ssd->prefetch.ahead)) {
        return;
    }
    g_string_append_printf(json,
                           "\"read_ahead\":{\"fetched_bytes\":%" PRIu64
                           ",\"hit_bytes\":%" PRIu64
                           ",\"waited_bytes\":%" PRIu64 "},",
                           (now->fetched_lines - then->fetched_lines) *
                           ssd->media.sense_bytes,
                           now->hit_bytes - then->hit_bytes,
                           now->waited_bytes - then->waited_bytes);
}

static void append_busy(const Ssd *ssd, uint64_t now_ns, GString *json)
{
    const Flash *flash = &ssd->media.flash;

    g_string_append(json, "\"channels\":[");
    for (uint32_t i = 0; i < ssd->params.channels; i++) {
        g_string_append_printf(json, "%s%" PRIu64, i ? "," : "",
                               flash_channel_busy_ns(flash, i, now_ns) -
                               ssd->stats.channel_busy_ns[i]);
    }
    g_string_append(json, "],\"units\":[");
    for (uint32_t i = 0; i < ssd->media.unit_count; i++) {
        g_string_append_printf(json, "%s%" PRIu64, i ? "," : "",
                               flash_unit_busy_ns(flash, i, now_ns) -
                               ssd->stats.unit_busy_ns[i]);
    }
    g_string_append(json, "],");
}

static void append_geometry(const Ssd *ssd, GString *json)
{
    const SsdParams *p = &ssd->params;

    g_string_append_printf(json,
                           "\"geometry\":{\"channels\":%u,\"ways\":%u,"
                           "\"dies\":%u,\"planes\":%u}",
                           p->channels, p->ways, p->dies,
                           p->multi_plane ? 1 : p->planes);
}

char *ssd_stats_json(Ssd *ssd, uint64_t now_ns, const char *extra)
{
    GString *json = g_string_new(NULL);

    ssd_run(ssd, now_ns);
    g_string_append_printf(json,
                           "{\"version\":1,\"since_ns\":%" PRIu64
                           ",\"now_ns\":%" PRIu64 ",",
                           ssd->stats.since_at_ns, now_ns);
    append_ops(ssd, json);
    append_flash(ssd, json);
    append_conventional(ssd, json);
    append_read_ahead(ssd, json);
    append_busy(ssd, now_ns, json);
    append_geometry(ssd, json);
    g_string_append_c(json, ',');
    ssd_wear_json(ssd, json);
    if (extra != NULL) {
        g_string_append_printf(json, ",%s", extra);
    }
    g_string_append(json, "}\n");
    return g_string_free(json, FALSE);
}
