/*
 * Notices: events that tell the host to read a log page about a namespace.
 *
 * All notices are events of one type, so only one is reported at a time (see
 * femu_aer.c). The others are remembered here, so that none is lost.
 *
 * Knows nothing of why anything has changed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "event_internal.h"
#include "../ns/ns.h"

#define ZONE_DESCRIPTOR_CHANGED 0xef    /* ZNS 1.1, figure 47 */

/*
 * Offer all notices that are due to femu_aer.c, which takes one if no other
 * notice is waiting or reported. They stay due until their log page is read.
 */
static void notice_report(FemuZns *n)
{
    uint32_t wanted = n->features.async_events;

    for (uint32_t i = 0; i < n->ns_count; i++) {
        const FemuNs *ns = &n->ns[i];

        if (ns->notice_changed && (wanted & NVME_OAES_NS_ATTR)) {
            femu_aer_event(n, NVME_AER_TYPE_NOTICE,
                           NVME_AER_INFO_NOTICE_NS_ATTR_CHANGED,
                           NVME_LOG_CHANGED_NSLIST, 0);
        }
        if (ns->notice_zones && (wanted & FEMU_ASYNC_ZONE_CHANGED)) {
            femu_aer_event(n, NVME_AER_TYPE_NOTICE, ZONE_DESCRIPTOR_CHANGED,
                           FEMU_LOG_CHANGED_ZONES, ns->nsid);
        }
    }
}

/* The namespace has been added to the Changed Namespace List. */
void femu_notice_ns_changed(FemuZns *n, FemuNs *ns)
{
    if (n->features.async_events & NVME_OAES_NS_ATTR) {
        ns->notice_changed = true;
        notice_report(n);
    }
}

/* A zone has been added to the namespace's Changed Zone List. */
void femu_notice_zone_changed(FemuZns *n, FemuNs *ns)
{
    if ((n->features.async_events & FEMU_ASYNC_ZONE_CHANGED) &&
        femu_ns_active(n, ns)) {
        ns->notice_zones = true;
        notice_report(n);
    }
}

/*
 * The host has read a log page, without Retain Asynchronous Event. `nsid` tells
 * whose page, if namespaces have one each.
 */
void femu_notice_log_read(FemuZns *n, uint8_t log_page, uint32_t nsid)
{
    for (uint32_t i = 0; i < n->ns_count; i++) {
        FemuNs *ns = &n->ns[i];

        if (log_page == NVME_LOG_CHANGED_NSLIST) {
            ns->notice_changed = false;
        } else if (log_page == FEMU_LOG_CHANGED_ZONES && ns->nsid == nsid) {
            ns->notice_zones = false;
        }
    }
    femu_aer_log_read(n, log_page, nsid);
    notice_report(n);
}

/* The host has chosen which events it wants. A notice that is due stays due. */
void femu_notice_choose(FemuZns *n)
{
    femu_aer_choose(n);
    notice_report(n);
}

/* A controller reset: notices are dropped, but the log pages stay. */
void femu_notice_reset(FemuZns *n)
{
    for (uint32_t i = 0; i < n->ns_count; i++) {
        n->ns[i].notice_changed = false;
        n->ns[i].notice_zones = false;
    }
}
