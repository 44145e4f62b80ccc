/*
 * Epochs of programs, a ring, and counts of each unit for a reset that drains.
 *
 * Knows nothing of where pages lie.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "programs.h"

void programs_init(Programs *programs, Commands *commands, uint32_t flushes,
                   uint32_t units)
{
    /* Each flush inside ends an epoch, and one is current. */
    uint32_t size = flushes + 1;

    *programs = (Programs) {
        .commands = commands,
        .pending = g_new0(uint32_t, size),
        .flush_idx = g_new(uint32_t, size),
        .size = size,
        .units = units,
        .of_unit = g_new0(uint32_t, units),
        .drain_of_unit = g_new0(uint32_t, units),
    };
}

void programs_destroy(Programs *programs)
{
    g_free(programs->drain_of_unit);
    g_free(programs->of_unit);
    g_free(programs->flush_idx);
    g_free(programs->pending);
}

static uint32_t next_epoch(const Programs *programs, uint32_t epoch)
{
    return epoch + 1 < programs->size ? epoch + 1 : 0;
}

bool programs_await(Programs *programs, uint32_t command_idx)
{
    if (programs->oldest == programs->current &&
        programs->pending[programs->current] == 0) {
        return false;
    }
    programs->flush_idx[programs->current] = command_idx;
    /* The ring has an epoch for each who can wait: the next one is empty. */
    programs->current = next_epoch(programs, programs->current);
    return true;
}

bool programs_drain(Programs *programs, uint32_t most)
{
    for (uint32_t i = 0; i < programs->units; i++) {
        programs->drain_of_unit[i] = MIN(programs->of_unit[i], most);
        programs->drain_left += programs->drain_of_unit[i];
    }
    return programs->drain_left != 0;
}

/* At one instant flushes go on before the reset. */
RARE
void programs_tell(Programs *programs, uint32_t unit_idx)
{
    while (programs->oldest != programs->current &&
           programs->pending[programs->oldest] == 0) {
        uint32_t ended = programs->oldest;

        programs->oldest = next_epoch(programs, ended);
        commands_part_ended(programs->commands, programs->flush_idx[ended]);
    }
    if (programs->drain_of_unit[unit_idx] != 0) {
        programs->drain_of_unit[unit_idx]--;
        if (--programs->drain_left == 0) {
            effects_push(programs->commands->effects, EFFECT_PROGRAMS_ENDED,
                         0);
        }
    }
}
