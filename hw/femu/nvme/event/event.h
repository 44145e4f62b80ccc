/*
 * Asynchronous events, and the lists of what has changed that they tell of.
 *
 * Knows nothing of why anything changes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_EVENT_EVENT_H
#define FEMU_NVME_EVENT_EVENT_H

#include "../state/femu.h"

/* femu_aer.c: asynchronous events. */
void femu_aer_event(FemuZns *n, uint8_t type, uint8_t info, uint8_t log_page,
                    uint32_t parameter);
bool femu_aer_abort(FemuZns *n, uint16_t cid);
uint16_t femu_aer_request(FemuZns *n, const NvmeCmd *cmd);
bool femu_temperature_warning(const FemuZns *n);
void femu_aer_check_temperature(FemuZns *n);
void femu_aer_reset(FemuZns *n);

/* femu_notice.c: events about namespaces, one at a time. */
void femu_notice_log_read(FemuZns *n, uint8_t log_page, uint32_t nsid);
void femu_notice_choose(FemuZns *n);
void femu_notice_reset(FemuZns *n);

/* femu_ns_change.c: namespaces that have changed. */
void femu_ns_changed(FemuZns *n, FemuNs *ns);
void femu_ns_change_log(const FemuZns *n, uint8_t *buf);
void femu_ns_change_clear(FemuZns *n);

/* femu_zone_change.c: zones that change of themselves. */
void femu_zone_changed(FemuZns *n, FemuNs *ns, uint32_t zone_idx);
void femu_zone_change_poll(FemuZns *n);
void femu_zone_change_log(const FemuNs *ns, uint8_t *buf);
void femu_zone_change_clear(FemuNs *ns);
void femu_zone_change_power_cut(FemuZns *n);

#endif
