/*
 * RARE: a function that few commands come to, or those of one kind only. It
 * stays out of those that call it, which all commands pass; so these have fewer
 * registers to save, and room to become parts of each other.
 *
 * Knows nothing of what is rare.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_RARE_H
#define FEMU_RARE_H

#define RARE __attribute__((noinline))

#endif
