/*
 * QOM properties by which a user of QEMU reads zone states, and makes zones
 * fail.
 *
 * Knows nothing of commands or queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "user.h"
#include "../controller/controller.h"
#include "../event/event.h"
#include "../ns/ns.h"
#include "../record/record.h"
#include "../request/request.h"

static const char *state_name(SsdZoneState state)
{
    switch (state) {
    case SSD_ZONE_EMPTY:
        return "empty";
    case SSD_ZONE_IMPLICITLY_OPEN:
        return "implicitly-open";
    case SSD_ZONE_EXPLICITLY_OPEN:
        return "explicitly-open";
    case SSD_ZONE_CLOSED:
        return "closed";
    case SSD_ZONE_READ_ONLY:
        return "read-only";
    case SSD_ZONE_FULL:
        return "full";
    case SSD_ZONE_OFFLINE:
        return "offline";
    }
    g_assert_not_reached();
}

static void add_zone(const FemuZns *n, const FemuNs *ns, uint32_t zone_idx,
                     GString *text)
{
    SsdZone zone = femu_ns_zone(n, ns, zone_idx);

    g_string_append_printf(text, "%s{\"nsid\":%" PRIu32 ","
                           "\"zone\":%" PRIu32 ",\"state\":\"%s\","
                           "\"start_lba\":%" PRIu64 ","
                           "\"capacity_nlb\":%" PRIu64,
                           text->len == 1 ? "" : ",", ns->nsid, zone_idx,
                           state_name(zone.state), zone.start_lba,
                           zone.capacity_nlb);
    if (femu_zone_has_wp(zone.state)) {
        g_string_append_printf(text, ",\"wp_lba\":%" PRIu64, zone.wp_lba);
    }
    if (zone.has_zrwa) {
        g_string_append(text, ",\"zrwa\":true");
    }
    g_string_append_c(text, '}');
}

/* All zones as a JSON array, in order. */
static char *get_zones(Object *obj, Error **errp)
{
    FemuZns *n = FEMU_ZNS(obj);
    GString *text = g_string_new("[");

    femu_lock(n);
    for (uint32_t nsid = 1; nsid <= n->ns_count; nsid++) {
        const FemuNs *ns = femu_ns(n, nsid);

        for (uint32_t i = 0; i < ns->zones; i++) {
            add_zone(n, ns, i, text);
        }
    }
    femu_unlock(n);
    g_string_append_c(text, ']');
    return g_string_free(text, false);
}

/* Parse `at`, "<zone> read-only" or "<zone> offline", the end of `value`. */
static bool parse_fail(const FemuNs *ns, const char *value, const char *at,
                       uint32_t *zone_idx, SsdZoneState *state, Error **errp)
{
    uint64_t idx;

    if (!femu_number_from_text(&at, ' ', &idx) ||
        (!g_str_equal(at, " read-only") && !g_str_equal(at, " offline"))) {
        error_setg(errp, "zone-fail=%s: must be the number of a zone and "
                   "\"read-only\" or \"offline\", such as \"12 offline\", or "
                   "\"2:12 offline\" in namespace 2; numbers have no 0 in "
                   "front", value);
        return false;
    }
    if (!femu_ns_zoned(ns)) {
        error_setg(errp, "zone-fail=%s: namespace %" PRIu32 " is conventional: "
                   "it has no zones", value, ns->nsid);
        return false;
    }
    if (idx >= ns->zones) {
        error_setg(errp, "zone-fail=%s: the zones of namespace %" PRIu32 " are "
                   "0 to %" PRIu32, value, ns->nsid, ns->zones - 1);
        return false;
    }
    *zone_idx = idx;
    *state = g_str_equal(at, " offline") ? SSD_ZONE_OFFLINE
                                         : SSD_ZONE_READ_ONLY;
    return true;
}

static void set_fail(Object *obj, const char *value, Error **errp)
{
    FemuZns *n = FEMU_ZNS(obj);
    const char *rest;
    FemuNs *ns = femu_ns_from_text(n, "zone-fail", value, &rest, errp);
    uint32_t zone_idx;
    SsdZoneState state;

    if (!ns || !parse_fail(ns, value, rest, &zone_idx, &state, errp)) {
        return;
    }
    femu_entry_begin(n);
    if (ssd_zone_fail(n->ssd, n->now_ns, ns->nsid, zone_idx, state)) {
        femu_trace_zone_fail(n, ns->nsid, zone_idx, state);
        if (femu_history_flush(n)) {
            femu_zone_failed(ns, zone_idx, state);
        }
        femu_zone_changed(n, ns, zone_idx);
    } else {
        error_setg(errp, "zone-fail=%s: the zone is %s already; it cannot "
                   "become any better", value,
                   state_name(femu_ns_zone(n, ns, zone_idx).state));
    }
    femu_entry_end(n);
}

void femu_zone_state_class_init(ObjectClass *oc)
{
    object_class_property_add_str(oc, "zone-states", get_zones,
                                  NULL);
    object_class_property_set_description(oc, "zone-states",
        "state of every zone, as JSON text");
    object_class_property_add_str(oc, "zone-fail", NULL, set_fail);
    object_class_property_set_description(oc, "zone-fail",
        "write \"12 read-only\" or \"12 offline\" to make zone 12 fail");
}
