/*
 * The data of one namespace, in its slice of the drive's memory.
 *
 * Zones are packed by capacity. A zone remembers how far it has been written;
 * beyond that it reads as zeroes, so a reset is complete at once whatever the
 * memory can do, and giving the memory back to the host is only thrift.
 *
 * Knows nothing of zone states, commands or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu.h"

void femu_store_init(FemuStore *store, FemuMemory *memory,
                     uint64_t start_bytes, uint32_t zones,
                     uint64_t zone_size_bytes, uint64_t zone_capacity_bytes)
{
    *store = (FemuStore) {
        .memory = memory,
        .start_bytes = start_bytes,
        .zone_size_bytes = zone_size_bytes,
        .zone_capacity_bytes = zone_capacity_bytes,
        .zones = zones,
        .written_bytes = g_new0(uint64_t, zones),
    };
    assert(start_bytes + zones * zone_capacity_bytes <= memory->bytes);
}

void femu_store_exit(FemuStore *store)
{
    g_free(store->written_bytes);
    *store = (FemuStore) { 0 };
}

/*
 * Where a namespace byte lies, which must be below its zone's capacity.
 * *zone_idx and *in_zone_bytes name the same place by zone.
 */
static uint8_t *store_at(const FemuStore *store, uint64_t offset_bytes,
                         uint32_t *zone_idx, uint64_t *in_zone_bytes)
{
    *zone_idx = offset_bytes / store->zone_size_bytes;
    *in_zone_bytes = offset_bytes % store->zone_size_bytes;
    return store->memory->base + store->start_bytes +
           *zone_idx * store->zone_capacity_bytes + *in_zone_bytes;
}

/*
 * Make room for a write within the capacity of one zone. In a ZRWA it may lie
 * before where writing has come to, or behind: then what is skipped, which
 * nobody has written, has to read as zeroes from now on.
 * Return: where the data go.
 */
static uint8_t *store_extend(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes)
{
    uint32_t zone_idx;
    uint64_t in_zone_bytes;
    uint8_t *at = store_at(store, offset_bytes, &zone_idx, &in_zone_bytes);
    uint64_t *written_bytes = &store->written_bytes[zone_idx];

    assert(zone_idx < store->zones);
    assert(in_zone_bytes + bytes <= store->zone_capacity_bytes);
    if (in_zone_bytes > *written_bytes) {
        uint64_t skipped_bytes = in_zone_bytes - *written_bytes;

        memset(at - skipped_bytes, 0, skipped_bytes);
    }
    *written_bytes = MAX(*written_bytes, in_zone_bytes + bytes);
    return at;
}

/* Write within the capacity of one zone. */
void femu_store_write(FemuStore *store, uint64_t offset_bytes,
                      const void *buf, uint64_t bytes)
{
    memcpy(store_extend(store, offset_bytes, bytes), buf, bytes);
}

/* As femu_store_write(), of zeroes. */
void femu_store_write_zeroes(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes)
{
    memset(store_extend(store, offset_bytes, bytes), 0, bytes);
}

/*
 * Read within one zone, beyond its capacity too.
 * Return: the data, either in place or in `bounce`, of at least `bytes`.
 */
const void *femu_store_read(const FemuStore *store, uint64_t offset_bytes,
                            uint64_t bytes, void *bounce)
{
    uint32_t zone_idx;
    uint64_t in_zone_bytes;
    uint64_t stored_bytes = 0;
    uint8_t *at = store_at(store, offset_bytes, &zone_idx, &in_zone_bytes);

    assert(zone_idx < store->zones);
    assert(in_zone_bytes + bytes <= store->zone_size_bytes);
    if (in_zone_bytes < store->written_bytes[zone_idx]) {
        stored_bytes = MIN(bytes,
                           store->written_bytes[zone_idx] - in_zone_bytes);
    }
    if (stored_bytes == bytes) {
        return at;
    }
    if (stored_bytes) {
        memcpy(bounce, at, stored_bytes);
    }
    memset((uint8_t *)bounce + stored_bytes, 0, bytes - stored_bytes);
    return bounce;
}

/* Forget the data of a zone. */
void femu_store_reset(FemuStore *store, uint32_t zone_idx)
{
    femu_memory_discard(store->memory, store->start_bytes +
                        zone_idx * store->zone_capacity_bytes,
                        store->written_bytes[zone_idx]);
    store->written_bytes[zone_idx] = 0;
}
