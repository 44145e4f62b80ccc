/*
 * Shadow doorbells in the guest's RAM, for a thread that has no lock.
 *
 * Knows nothing of queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/rcu.h"
#include "controller_internal.h"
#include "../qemu/versions.h"

/*
 * The shadow doorbell at this address, whose reading needs no lock. Return:
 * false if there is no RAM.
 */
bool femu_shadow_read(AddressSpace *as, hwaddr addr, uint32_t *value)
{
    hwaddr offset, bytes = sizeof(*value);
    MemoryRegion *region;

    RCU_READ_LOCK_GUARD();
    region = address_space_translate(as, addr, &offset, &bytes, false,
                                     MEMTXATTRS_UNSPECIFIED);
    if (bytes < sizeof(*value) || (offset & 3) ||
        !memory_access_is_direct(region, false, MEMTXATTRS_UNSPECIFIED)) {
        return false;
    }
    *value = le32_to_cpu(qatomic_read((uint32_t *)
        ((uint8_t *)memory_region_get_ram_ptr(region) + offset)));
    return true;
}
