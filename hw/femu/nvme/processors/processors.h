/*
 * The guest's processors: under -icount a clock that is exact, however many
 * there are; in real time how they wait. Knows nothing of the drive.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PROCESSORS_H
#define FEMU_PROCESSORS_H

#include "system/tcg.h"
#include "../qemu/versions.h"

/*
 * Makes virtual time, which counts instructions, exact. Called again, it does
 * nothing.
 */
void femu_icount_init(void);

/* femu_turns.c: of several processors. */

/* Takes over QEMU's thread of all processors. */
void femu_turns_init(void);

/* femu_spin.c: of processors in real time. */

/* In the main loop, before one of the drives' threads begins to spin. */
void femu_spin_init(void);

/* One more of these spins (1), or one less (-1); needs the BQL. */
void femu_spin_change(int change);

/* The same for whoever may be in a QEMU without TCG, which has none of them. */
static inline void femu_icount_prepare(void)
{
    if (icount_enabled()) {
        femu_icount_init();
    }
}

static inline void femu_spin_prepare(void)
{
    if (tcg_enabled()) {
        femu_spin_init();
    }
}

static inline void femu_spin_begin(void)
{
    if (tcg_enabled()) {
        femu_spin_change(1);
    }
}

static inline void femu_spin_end(void)
{
    if (tcg_enabled()) {
        femu_spin_change(-1);
    }
}

#endif
