/*
 * The errors of femu-sim: texts for who uses it, of one GLib domain.
 *
 * Knows nothing of what can go wrong.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_ERROR_H
#define FEMU_SIM_ERROR_H

#include <glib.h>

#define SIM_ERROR_DOMAIN sim_error_quark()
GQuark sim_error_quark(void);

#endif
