/*
 * Programs of host data under way. A flush, and a reset that drains, waits for
 * all that were issued before it; so they are counted by epochs: such a command
 * ends an epoch, and is done when no program of it or of an older one is left.
 *
 * Knows nothing of where pages lie.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PROGRAMS_H
#define FEMU_PROGRAMS_H

#include "../inside/commands.h"

typedef struct Programs {
    Commands *commands;
    uint32_t *pending;     /* [epoch]: programs of that epoch */
    Owner *owner;          /* [epoch]: the flush or reset that ended it */
    uint32_t size;         /* epochs are numbers modulo this */
    uint32_t oldest;
    uint32_t current;
} Programs;

/* So many flushes and one reset may wait at once. */
void programs_init(Programs *programs, Commands *commands, uint32_t flushes);
void programs_destroy(Programs *programs);

/*
 * Count a program that is issued, or whose page is complete in the buffer.
 * Return: its epoch, for programs_ended().
 */
static inline uint32_t programs_count(Programs *programs)
{
    programs->pending[programs->current]++;
    return programs->current;
}

/*
 * Let `owner`, a command or the job of a reset, wait for all that are under
 * way. Return: false if there are none.
 */
bool programs_await(Programs *programs, Owner owner);

/*
 * One of an epoch has ended. Whoever waited for the last: a part of the command
 * has ended, or EFFECT_PROGRAMS_ENDED.
 */
void programs_epochs_ended(Programs *programs);
static inline void programs_ended(Programs *programs, uint32_t epoch)
{
    programs->pending[epoch]--;
    if (programs->oldest != programs->current) {
        programs_epochs_ended(programs);
    }
}

#endif
