/*
 * Programs of host data under way. A flush waits for all that were issued before
 * it; so they are counted by epochs: a flush ends an epoch, and is done when no
 * program of it or of an older one is left. A reset that drains waits until each
 * unit has ended as many as it had when the reset began, but at most as many as
 * its registers hold and one more: what is behind these is in the buffer.
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
    uint32_t *flush_idx;   /* [epoch]: the command that ended it */
    uint32_t size;         /* epochs are numbers modulo this */
    uint32_t oldest;
    uint32_t current;
    uint32_t units;
    uint32_t *of_unit;       /* [unit]: all that are under way */
    uint32_t *drain_of_unit; /* [unit]: how many more the reset waits for */
    uint32_t drain_left;     /* the sum of these; 0: no reset drains */
} Programs;

/* So many flushes may wait at once. */
void programs_init(Programs *programs, Commands *commands, uint32_t flushes,
                   uint32_t units);
void programs_destroy(Programs *programs);

/*
 * Count a program of a unit that is issued, or whose page is complete in the
 * buffer. Return: its epoch, for programs_ended().
 */
static inline uint32_t programs_count(Programs *programs, uint32_t unit_idx)
{
    programs->of_unit[unit_idx]++;
    programs->pending[programs->current]++;
    return programs->current;
}

/*
 * Let a command wait for all that are under way: with the last of them a part of
 * it has ended. Return: false if there are none.
 */
bool programs_await(Programs *programs, uint32_t command_idx);

/*
 * Let a reset, of which one drains at a time, wait until each unit has ended as
 * many as it has now, at most `most`: EFFECT_PROGRAMS_ENDED. Return: false if
 * there are none.
 */
bool programs_drain(Programs *programs, uint32_t most);

/* One of an epoch has ended on a unit. */
void programs_tell(Programs *programs, uint32_t unit_idx);
static inline void programs_ended(Programs *programs, uint32_t epoch,
                                  uint32_t unit_idx)
{
    programs->pending[epoch]--;
    programs->of_unit[unit_idx]--;
    if (programs->oldest != programs->current || programs->drain_left != 0) {
        programs_tell(programs, unit_idx);
    }
}

#endif
