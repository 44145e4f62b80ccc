/*
 * Programs of the drive's own, which come after so many with data of the host:
 * no program begins until all have ended, then each unit has one, the first and
 * the next `issue_ns` apart. Reads do not wait for them.
 *
 * They have no token: what they occupy is a unit's right to program.
 *
 * Knows nothing of zones, commands or NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "flash_internal.h"

void flash_own_begun(Flash *flash, FlashKind kind)
{
    if (flash->config.own_after > 0) {
        flash->programming++;
        flash->begun += kind == FLASH_PROGRAM;
    }
}

void flash_own_gather(Flash *flash, uint64_t now_ns)
{
    const FlashConfig *config = &flash->config;

    if (config->own_after == 0 || --flash->programming > 0 ||
        !flash_gathers(flash)) {
        return;
    }
    flash->begun = 0;
    flash->programming = flash_unit_count(flash);
    for (uint32_t i = 0; i < flash_unit_count(flash); i++) {
        flash->units[i].programs_own = true;
        event_heap_push(flash->events,
                        now_ns + (i + 1) * config->issue_ns + config->own_ns,
                        flash_own_event(config) + i);
    }
}

void flash_own_ended(Flash *flash, uint64_t now_ns, FlashUnit *unit)
{
    unit->programs_own = false;
    flash_own_gather(flash, now_ns);
}
