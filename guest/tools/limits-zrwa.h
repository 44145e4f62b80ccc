// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The part of "limits" that is about Zone Random Write Areas.
 *
 * Knows nothing of other limits.
 */
#ifndef LIMITS_ZRWA_H
#define LIMITS_ZRWA_H

#include "limits.h"

void limits_zrwa(Drive *drive);

#endif
