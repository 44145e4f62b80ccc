/*
 * Gives what a trace records to a drive.
 *
 * Knows nothing of what the drive makes of it, or of when the caller polls.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "feed.h"

#include <inttypes.h>

static bool play_submit(Feed *feed, const SsdTraceRecord *record,
                        GError **error)
{
    SsdAccept accept;

    if (!ssd_has_room(feed->ssd)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "the trace makes no sense: "
                    "command %" PRIu64 " comes when there is no room",
                    record->seq);
        return false;
    }
    accept = ssd_submit(feed->ssd, record->at_ns, &record->cmd,
                        (uint32_t)record->seq);
    feed->was_accepted = accept.status == SSD_SUCCESS;
    feed->lba = accept.lba;
    return true;
}

static bool play_format(Feed *feed, const SsdTraceRecord *record,
                        GError **error)
{
    unsigned inside = record->nsid == SSD_NSID_ALL
                      ? ssd_inflight(feed->ssd)
                      : ssd_ns_inflight(feed->ssd, record->nsid);

    if (inside > 0) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "the trace makes no sense: the "
                    "drive is formatted with %u commands inside", inside);
        return false;
    }
    return ssd_format(feed->ssd, record->at_ns, record->nsid,
                      record->lba_bytes, error);
}

static void play_power_cut(Feed *feed, const SsdTraceRecord *record)
{
    Ssd *next = ssd_power_cut(feed->ssd, record->at_ns, record->seed);

    ssd_free(feed->ssd);
    feed->ssd = next;
    feed->now_ns = ssd_now_ns(next);
}

bool feed_record(Feed *feed, const SsdTraceRecord *record, GError **error)
{
    feed->was_accepted = false;
    switch (record->kind) {
    case SSD_TRACE_SUBMIT:
        return play_submit(feed, record, error);
    case SSD_TRACE_ZONE_FAIL:
        ssd_zone_fail(feed->ssd, record->at_ns, record->nsid,
                      record->zone_idx, record->state);
        return true;
    case SSD_TRACE_FORMAT:
        return play_format(feed, record, error);
    case SSD_TRACE_POWER_CUT:
        play_power_cut(feed, record);
        return true;
    default:
        return true;
    }
}
