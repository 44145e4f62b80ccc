/*
 * What the files of this room need of each other.
 *
 * Knows nothing of why anything changes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_EVENT_EVENT_INTERNAL_H
#define FEMU_NVME_EVENT_EVENT_INTERNAL_H

#include "event.h"

/* femu_aer.c */
void femu_aer_log_read(FemuZns *n, uint8_t log_page, uint32_t nsid);
void femu_aer_choose(FemuZns *n);

/* femu_notice.c */
void femu_notice_ns_changed(FemuZns *n, FemuNs *ns);
void femu_notice_zone_changed(FemuZns *n, FemuNs *ns);

#endif
