/*
 * What a drive does at this instant, as JSON text: for who watches it. To look
 * changes nothing and does not even run the drive: it tells of the latest
 * instant that the drive has been told.
 *
 * Knows nothing of who watches, or of how it is drawn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_LIVE_H
#define FEMU_SSD_LIVE_H

#include "ssd.h"

/* docs/guest.md describes the members. `ssd` may be NULL: "{}". Caller frees. */
char *ssd_live_json(const Ssd *ssd);

#endif
