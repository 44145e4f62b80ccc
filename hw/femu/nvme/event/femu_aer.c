/*
 * Asynchronous events and Asynchronous Event Request commands (NVMe base 2.0,
 * 5.2).
 *
 * After an event has been reported, the next one of its type is not reported
 * before the host has read the log page that the first one named. An event for
 * which there is no outstanding request waits for one; it is dropped if its log
 * page is read before.
 *
 * Knows nothing of why events happen, but for the drive's temperature.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "event_internal.h"
#include "../completion/completion.h"
#include "../../trace.h"

/* Complete outstanding requests, oldest first, with the events that wait. */
static void aer_report(FemuZns *n)
{
    for (unsigned type = 0; type < FEMU_EVENT_TYPES && n->aer_count; type++) {
        FemuEvent *event = &n->event[type];
        uint64_t result;

        if (!event->waiting) {
            continue;
        }
        event->waiting = false;
        event->masked = true;
        result = type | event->info << 8 | (uint32_t)event->log_page << 16 |
                 (uint64_t)event->parameter << 32;
        n->aer_count--;
        trace_femu_event(type, event->info, event->log_page);
        femu_cq_post(n, n->sq[0], n->aer_cid[0], NVME_SUCCESS, result);
        memmove(n->aer_cid, n->aer_cid + 1,
                n->aer_count * sizeof(n->aer_cid[0]));
    }
}

/*
 * An event has happened that the host has not disabled. It is dropped if one of
 * its type waits, or has been reported and its log page not been read since. (Of
 * a controller that has been shut down or has failed no event is posted: see
 * femu_cq_post(); the reset that is due then drops it.)
 */
void femu_aer_event(FemuZns *n, uint8_t type, uint8_t info, uint8_t log_page,
                    uint32_t parameter)
{
    FemuEvent *event = &n->event[type];

    assert(type < FEMU_EVENT_TYPES);
    if (event->waiting || event->masked) {
        return;
    }
    *event = (FemuEvent) {
        .waiting = true,
        .info = info,
        .log_page = log_page,
        .parameter = parameter,
    };
    aer_report(n);
}

/* Asynchronous Event Request: outstanding until an event, abort or reset. */
uint16_t femu_aer_request(FemuZns *n, const NvmeCmd *cmd)
{
    if (n->aer_count == FEMU_MAX_AERS) {
        return NVME_AER_LIMIT_EXCEEDED;
    }
    n->aer_cid[n->aer_count++] = le16_to_cpu(cmd->cid);
    aer_report(n);
    return NVME_NO_COMPLETE;
}

/*
 * Complete the request with this command identifier, if there is one, as
 * aborted. Return: was there one?
 */
bool femu_aer_abort(FemuZns *n, uint16_t cid)
{
    for (uint32_t i = 0; i < n->aer_count; i++) {
        if (n->aer_cid[i] == cid) {
            n->aer_count--;
            memmove(n->aer_cid + i, n->aer_cid + i + 1,
                    (n->aer_count - i) * sizeof(n->aer_cid[0]));
            femu_cq_post(n, n->sq[0], cid, NVME_CMD_ABORT_REQ, 0);
            return true;
        }
    }
    return false;
}

/*
 * The host has read a log page, without Retain Asynchronous Event: events that
 * named this page are over. If an event's parameter is a namespace, it named
 * the page of that namespace.
 */
void femu_aer_log_read(FemuZns *n, uint8_t log_page, uint32_t nsid)
{
    for (unsigned type = 0; type < FEMU_EVENT_TYPES; type++) {
        FemuEvent *event = &n->event[type];

        if (event->log_page == log_page &&
            (event->parameter == 0 || event->parameter == nsid)) {
            event->waiting = false;
            event->masked = false;
        }
    }
}

/* Does the host want the event? Errors it cannot disable. */
static bool event_wanted(const FemuZns *n, unsigned type,
                         const FemuEvent *event)
{
    uint32_t wanted = n->features.async_events;

    switch (type) {
    case NVME_AER_TYPE_SMART:
        return wanted & NVME_SMART_TEMPERATURE;
    case NVME_AER_TYPE_NOTICE:
        return wanted & (event->log_page == NVME_LOG_CHANGED_NSLIST
                         ? NVME_OAES_NS_ATTR : FEMU_ASYNC_ZONE_CHANGED);
    default:
        return true;
    }
}

/*
 * The host has chosen which events it wants: another one that still waits for a
 * request is not sent (NVMe base 2.0, 5.27.1.8).
 */
void femu_aer_choose(FemuZns *n)
{
    for (unsigned type = 0; type < FEMU_EVENT_TYPES; type++) {
        FemuEvent *event = &n->event[type];

        event->waiting = event->waiting && event_wanted(n, type, event);
    }
}

bool femu_temperature_warning(const FemuZns *n)
{
    const uint32_t *kelvin = n->features.temperature_kelvin;

    return FEMU_TEMPERATURE_KELVIN >= kelvin[NVME_TEMP_THSEL_OVER] ||
           FEMU_TEMPERATURE_KELVIN <= kelvin[NVME_TEMP_THSEL_UNDER];
}

/*
 * A temperature threshold, or which events the host has enabled, has changed.
 * The event happens when the warning becomes both true and enabled, once, not
 * again while it stays so.
 */
void femu_aer_check_temperature(FemuZns *n)
{
    bool warning = femu_temperature_warning(n) &&
                   (n->features.async_events & NVME_SMART_TEMPERATURE);

    if (warning && !n->temperature_warned) {
        femu_aer_event(n, NVME_AER_TYPE_SMART, NVME_AER_INFO_SMART_TEMP_THRESH,
                       NVME_LOG_SMART_INFO, 0);
    }
    n->temperature_warned = warning;
}

/*
 * A controller reset: outstanding requests and events are dropped. (With the
 * features' defaults there is no warning, which the first change of one of them
 * notes: so it comes again.)
 */
void femu_aer_reset(FemuZns *n)
{
    n->aer_count = 0;
    memset(n->event, 0, sizeof(n->event));
}
