/*
 * Commands come in and go; how many of which kind are inside.
 *
 * Knows nothing of time, flash or zones' states.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "commands.h"

void commands_init(Commands *commands, uint32_t slots, Effects *effects)
{
    *commands = (Commands) {
        .at = g_new0(Command, slots),
        .ranges = g_new(Span, (size_t)slots * SSD_DEALLOCATE_RANGES_MAX),
        .effects = effects,
    };
    for (uint32_t i = 0; i < slots; i++) {
        commands->at[i].next_idx = i + 1; /* ssd_has_room() guards the end */
    }
}

void commands_destroy(Commands *commands)
{
    g_free(commands->ranges);
    g_free(commands->at);
}

bool *commands_inside(const Commands *commands, uint32_t slots)
{
    bool *inside = g_new(bool, slots);
    uint32_t idx = commands->free_idx;

    for (uint32_t i = 0; i < slots; i++) {
        inside[i] = true;
    }
    for (uint32_t i = commands->count; i < slots; i++) {
        inside[idx] = false;
        idx = commands->at[idx].next_idx;
    }
    return inside;
}
