/*
 * Epochs of programs, a ring.
 *
 * Knows nothing of where pages lie.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "programs.h"

void programs_init(Programs *programs, Commands *commands, uint32_t flushes)
{
    /* Each flush inside, and a reset, ends an epoch, and one is current. */
    uint32_t size = flushes + 2;

    *programs = (Programs) {
        .commands = commands,
        .pending = g_new0(uint32_t, size),
        .owner = g_new(Owner, size),
        .size = size,
    };
}

void programs_destroy(Programs *programs)
{
    g_free(programs->owner);
    g_free(programs->pending);
}

static uint32_t next_epoch(const Programs *programs, uint32_t epoch)
{
    return epoch + 1 < programs->size ? epoch + 1 : 0;
}

bool programs_await(Programs *programs, Owner owner)
{
    if (programs->oldest == programs->current &&
        programs->pending[programs->current] == 0) {
        return false;
    }
    programs->owner[programs->current] = owner;
    /* The ring has an epoch for each who can wait: the next one is empty. */
    programs->current = next_epoch(programs, programs->current);
    return true;
}

static void tell(Programs *programs, Owner owner)
{
    if (owner_kind(owner) == OWNER_COMMAND) {
        commands_part_ended(programs->commands, owner_idx(owner));
    } else {
        effects_push(programs->commands->effects, EFFECT_PROGRAMS_ENDED,
                     owner_idx(owner));
    }
}

RARE
void programs_epochs_ended(Programs *programs)
{
    while (programs->oldest != programs->current &&
           programs->pending[programs->oldest] == 0) {
        uint32_t ended = programs->oldest;

        programs->oldest = next_epoch(programs, ended);
        tell(programs, programs->owner[ended]);
    }
}
