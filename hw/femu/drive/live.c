/*
 * What the drive does at this instant, as JSON: a letter for each zone, unit
 * and channel, so that it is short enough to be asked for all the time.
 *
 * Knows nothing of what was before.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../ssd_live.h"

#include <inttypes.h>

#include "drive.h"

#define IDLE '.'

static char zone_letter(SsdZoneState state)
{
    switch (state) {
    case SSD_ZONE_EMPTY:
        return IDLE;
    case SSD_ZONE_IMPLICITLY_OPEN:
        return 'o';
    case SSD_ZONE_EXPLICITLY_OPEN:
        return 'O';
    case SSD_ZONE_CLOSED:
        return 'c';
    case SSD_ZONE_READ_ONLY:
        return 'r';
    case SSD_ZONE_FULL:
        return 'f';
    case SSD_ZONE_OFFLINE:
        return 'x';
    }
    g_assert_not_reached();
}

static bool has_wp(SsdZoneState state)
{
    return state == SSD_ZONE_IMPLICITLY_OPEN ||
           state == SSD_ZONE_EXPLICITLY_OPEN || state == SSD_ZONE_CLOSED;
}

/* Of zones that have one: [zone, blocks from its start]. */
static void append_wps(const ZoneTable *zones, GString *json)
{
    const char *comma = "";

    g_string_append(json, "\",\"wp\":[");
    for (uint32_t i = 0; i < zones->count; i++) {
        if (has_wp(zones->zones[i].state)) {
            g_string_append_printf(json, "%s[%" PRIu32 ",%" PRIu64 "]", comma,
                                   i, (uint64_t)zones->zones[i].wp_nlb);
            comma = ",";
        }
    }
    g_string_append(json, "]}");
}

static void append_namespaces(const Ssd *ssd, GString *json)
{
    const char *comma = "";

    g_string_append(json, ",\"namespaces\":[");
    for (uint32_t nsid = 1; nsid <= ssd->ns.count; nsid++) {
        const SsdNs *ns = &ssd->ns.at[nsid - 1];

        if (ns->kind != SSD_NS_ZONED) {
            continue;
        }
        g_string_append_printf(json, "%s{\"nsid\":%" PRIu32 ",\"capacity_nlb\":"
                               "%" PRIu64 ",\"open\":%" PRIu32 ",\"active\":%"
                               PRIu32 ",\"zones\":\"", comma, nsid,
                               (uint64_t)ns->zones.capacity_nlb,
                               ns->zones.open_count, ns->zones.active_count);
        for (uint32_t i = 0; i < ns->zones.count; i++) {
            g_string_append_c(json, zone_letter(ns->zones.zones[i].state));
        }
        append_wps(&ns->zones, json);
        comma = ",";
    }
    g_string_append_c(json, ']');
}

/* r, p, e, s: the first letter of what the array does, read to step. */
static void append_units(const Ssd *ssd, GString *json)
{
    const Flash *flash = &ssd->media.flash;

    g_string_append_printf(json, ",\"units_per_channel\":%" PRIu32
                           ",\"units\":\"", flash->config.units_per_channel);
    for (uint32_t i = 0; i < ssd->media.unit_count; i++) {
        uint32_t token_idx = flash->units[i].running_idx;

        g_string_append_c(json, token_idx == FLASH_NONE ? IDLE :
                          *flash_kind_name(flash->tokens[token_idx].op.kind));
    }
    g_string_append(json, "\",\"channels\":\"");
    for (uint32_t i = 0; i < flash->config.channels; i++) {
        g_string_append_c(json, flash->channels[i].clock.busy_until_at_ns >
                                ssd->run_at_ns ? 't' : IDLE);
    }
    g_string_append_printf(json, "\",\"senses\":%" PRIu64 ",\"programs\":%"
                           PRIu64 ",\"erases\":%" PRIu64,
                           flash->counters.senses, flash->counters.programs,
                           flash->counters.erased_blocks);
}

static uint32_t front_length(const FrontEnd *front)
{
    uint32_t length = 0;

    for (uint32_t i = front->head_idx; i != FRONT_END_NONE;
         i = front->work[i].next_idx) {
        length++;
    }
    return length;
}

static void append_way(const Ssd *ssd, GString *json)
{
    const Entry *entry = &ssd->entry;
    const WriteBuffer *buffer = &ssd->buffer;

    g_string_append_printf(json, ",\"inside\":%u,\"slots\":%" PRIu32
                           ",\"front\":%" PRIu32 ",\"front_held\":%s,"
                           "\"reads_inside\":%" PRIu32 ",\"read_slots\":%"
                           PRIu32, ssd_inflight(ssd), ssd->params.cmd_slots,
                           front_length(&entry->front),
                           buffer->holds_up ? "true" : "false",
                           entry->read_slots.inside_count,
                           ssd->params.read_slots);
    g_string_append_printf(json, ",\"buffer_bytes\":%" PRIu64
                           ",\"buffer_used_bytes\":%" PRIu64
                           ",\"buffer_waiting\":%" PRIu32, buffer->size_bytes,
                           buffer->used_bytes, buffer->waiting_count);
    g_string_append_printf(json, ",\"link_in\":%s,\"link_out\":%s",
                           ssd->link.in.busy_until_at_ns > ssd->run_at_ns
                           ? "true" : "false",
                           ssd->link.out.busy_until_at_ns > ssd->run_at_ns
                           ? "true" : "false");
}

/* Since the last reset of the statistics: count, bytes, sum of latencies. */
static void append_ops(const Ssd *ssd, GString *json)
{
    const char *comma = "";

    g_string_append_printf(json, ",\"since_ns\":%" PRIu64 ",\"ops\":{",
                           ssd->stats.since_at_ns);
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        const OpStats *stats = &ssd->stats.ops[op];

        if (stats->latency_ns.count != 0) {
            g_string_append_printf(json, "%s\"%s\":[%" PRIu64 ",%" PRIu64 ",%"
                                   PRIu64 "]", comma, ssd_op_name(op),
                                   stats->latency_ns.count, stats->bytes,
                                   (uint64_t)stats->latency_ns.sum);
            comma = ",";
        }
    }
    g_string_append_c(json, '}');
}

char *ssd_live_json(const Ssd *ssd)
{
    GString *json = g_string_new(NULL);

    if (ssd) {
        g_string_append_printf(json, "\"now_ns\":%" PRIu64, ssd->run_at_ns);
        append_way(ssd, json);
        append_units(ssd, json);
        append_namespaces(ssd, json);
        append_ops(ssd, json);
    }
    g_string_prepend_c(json, '{');
    g_string_append_c(json, '}');
    return g_string_free(json, FALSE);
}
