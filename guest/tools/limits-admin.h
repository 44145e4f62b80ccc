// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The part of "limits" that gives admin commands.
 *
 * Knows nothing of zones.
 */
#ifndef LIMITS_ADMIN_H
#define LIMITS_ADMIN_H

#include "limits.h"

void limits_admin(Drive *drive);

#endif
