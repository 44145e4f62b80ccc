/*
 * Namespaces that have changed: the Changed Namespace List and its event (NVMe
 * base 2.0, 5.16.1.5 and figure 152).
 *
 * Knows nothing of why they change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "event_internal.h"

/* What Identify says of this namespace, or that it is attached, has changed. */
void femu_ns_changed(FemuZns *n, FemuNs *ns)
{
    ns->changed = true;
    femu_notice_ns_changed(n, ns);
}

/*
 * Fill a zeroed log page: the namespaces that have changed since it was last
 * read. There are never more than it can hold.
 */
void femu_ns_change_log(const FemuZns *n, uint8_t *buf)
{
    for (uint32_t i = 0; i < n->ns_count; i++) {
        if (n->ns[i].changed) {
            stl_le_p(buf, n->ns[i].nsid);
            buf += sizeof(uint32_t);
        }
    }
}

/* The host has read the list, without Retain Asynchronous Event. */
void femu_ns_change_clear(FemuZns *n)
{
    for (uint32_t i = 0; i < n->ns_count; i++) {
        n->ns[i].changed = false;
    }
}
