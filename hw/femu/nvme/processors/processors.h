/*
 * The guest's processors under -icount: a clock that is exact, however many
 * there are. Knows nothing of the drive.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PROCESSORS_H
#define FEMU_PROCESSORS_H

/*
 * Makes virtual time, which counts instructions, exact. Called again, it does
 * nothing.
 */
void femu_icount_init(void);

/* femu_turns.c: of several processors. */

/* Takes over QEMU's thread of all processors. */
void femu_turns_init(void);

#endif
