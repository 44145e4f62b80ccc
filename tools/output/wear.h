/*
 * A picture of how often each block has been erased.
 *
 * Knows nothing of why blocks are erased.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SIM_WEAR_H
#define SIM_WEAR_H

#include <glib.h>
#include <stdbool.h>

#include "ssd.h"

/* Draw the wear of a drive as SVG. Return: false with *error. */
bool sim_wear_write(const Ssd *ssd, const char *path, GError **error);

#endif
