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
 * Where the shadow doorbell at this address is, or NULL: not in RAM. It is
 * aligned, and RAM comes in pages.
 */
static const uint32_t *shadow_at(AddressSpace *as, hwaddr addr)
{
    hwaddr offset, bytes = sizeof(uint32_t);
    MemoryRegion *region = address_space_translate(as, addr, &offset, &bytes,
                                                   false,
                                                   MEMTXATTRS_UNSPECIFIED);

    return memory_access_is_direct(region, false, MEMTXATTRS_UNSPECIFIED)
           ? memory_region_get_ram_ptr(region) + offset : NULL;
}

/*
 * Is it another than is known, and one that the queue can have? Needs the lock,
 * or an RCU read section.
 */
bool femu_shadow_moved(AddressSpace *as, const FemuShadow *shadow)
{
    const uint32_t *at = shadow_at(as, shadow->addr);
    uint32_t value = at ? le32_to_cpu(qatomic_read(at)) : shadow->value;

    return value != shadow->value && value < shadow->size;
}
