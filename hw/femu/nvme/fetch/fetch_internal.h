/*
 * What the files of this room need of each other.
 *
 * Knows nothing of what the commands mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_FETCH_FETCH_INTERNAL_H
#define FEMU_NVME_FETCH_FETCH_INTERNAL_H

#include "fetch.h"

/* femu_doorbell.c */
bool femu_shadows_sync(FemuZns *n);

#endif
