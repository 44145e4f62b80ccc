/*
 * What this program is: its bytes, but for the name of the sources that it is
 * made of. Each commit gives these another name, also one of a text alone; what
 * the program does is not another thing then, so what is kept by the hash of
 * the program (filled drives, a sweep's results) lasts.
 *
 * Knows nothing of what is kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_PROGRAM_H
#define FEMU_SIM_PROGRAM_H

#include <stddef.h>

/*
 * By the mark, who reads the program's file finds the name, and as this always
 * has the same size nothing else moves (scripts/femu/common/digest.py does so).
 */
#define SIM_SOURCES_MARK "sources of femu-sim: "
enum { SIM_SOURCES_BYTES = 128 };

/* Which sources this is made of: the mark, and what scripts/version says. */
extern const char sim_sources[SIM_SOURCES_BYTES];

/*
 * Return: this program without the name of its sources, *bytes of it; NULL if
 * it cannot be read.
 */
char *sim_program(size_t *bytes);

#endif
