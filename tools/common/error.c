/*
 * The domain of femu-sim's errors.
 *
 * Knows nothing of what can go wrong.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "error.h"

G_DEFINE_QUARK(femu-sim-error, sim_error)
