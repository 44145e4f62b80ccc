/*
 * The data of one namespace, in its slice of the drive's memory.
 *
 * A flat store, of a namespace without zones, knows which of its granules have
 * been written. Of a zoned one, zones are packed by capacity; a zone remembers
 * how far it has been written. What has not been written reads as zeroes, so a
 * reset is complete at once whatever the memory can do, and giving the memory
 * back to the host is only thrift.
 *
 * Knows nothing of zone states, commands or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "ns_internal.h"

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
        .aside_bytes = g_new0(uint64_t, zones),
        .aside_tag = g_new0(uint32_t, zones),
    };
    assert(start_bytes + zones * zone_capacity_bytes <= memory->bytes);
}

/* A flat store; start_bytes and bytes are multiples of a granule. */
void femu_store_init_flat(FemuStore *store, FemuMemory *memory,
                          uint64_t start_bytes, uint64_t bytes)
{
    *store = (FemuStore) {
        .memory = memory,
        .start_bytes = start_bytes,
        .flat_bytes = bytes,
        .flat_written = bitmap_new(bytes / SSD_GRANULE_BYTES),
    };
    assert(start_bytes + bytes <= memory->bytes);
}

void femu_store_exit(FemuStore *store)
{
    g_free(store->written_bytes);
    g_free(store->aside_bytes);
    g_free(store->aside_tag);
    g_free(store->flat_written);
}

static uint8_t *flat_at(const FemuStore *store, uint64_t offset_bytes)
{
    return store->memory->base + store->start_bytes + offset_bytes;
}

/* Write bytes of the slice, zeroes if buf is NULL. */
static void put(FemuStore *store, uint64_t at_bytes, const void *buf,
                uint64_t bytes)
{
    femu_memory_write(store->memory, store->start_bytes + at_bytes, buf,
                      bytes);
}

/* A granule that is written in part reads as zeroes elsewhere. */
static void flat_touch(FemuStore *store, uint64_t offset_bytes)
{
    uint64_t granule = offset_bytes / SSD_GRANULE_BYTES;

    if (!test_and_set_bit(granule, store->flat_written)) {
        put(store, granule * SSD_GRANULE_BYTES, NULL, SSD_GRANULE_BYTES);
    }
}

/* As store_extend(). */
static uint64_t flat_extend(FemuStore *store, uint64_t offset_bytes,
                            uint64_t bytes)
{
    uint64_t end_bytes = offset_bytes + bytes;

    assert(end_bytes <= store->flat_bytes);
    if (offset_bytes % SSD_GRANULE_BYTES) {
        flat_touch(store, offset_bytes);
    }
    if (end_bytes % SSD_GRANULE_BYTES) {
        flat_touch(store, end_bytes);
    }
    bitmap_set(store->flat_written, offset_bytes / SSD_GRANULE_BYTES,
               DIV_ROUND_UP(end_bytes, SSD_GRANULE_BYTES) -
               offset_bytes / SSD_GRANULE_BYTES);
    return offset_bytes;
}

/* Copy out the part of a read that lies in one granule; returns its bytes. */
static uint64_t flat_read_granule(const FemuStore *store,
                                  uint64_t offset_bytes, uint64_t bytes,
                                  uint8_t *to)
{
    uint64_t in_granule = offset_bytes % SSD_GRANULE_BYTES;
    uint64_t part = MIN(bytes, SSD_GRANULE_BYTES - in_granule);

    if (test_bit(offset_bytes / SSD_GRANULE_BYTES, store->flat_written)) {
        memcpy(to, flat_at(store, offset_bytes), part);
    } else {
        memset(to, 0, part);
    }
    return part;
}

/* As femu_store_read(). */
static const void *flat_read(const FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes, uint8_t *bounce)
{
    uint64_t end_bytes = offset_bytes + bytes;
    uint64_t end_granule = DIV_ROUND_UP(end_bytes, SSD_GRANULE_BYTES);
    uint8_t *to = bounce;

    assert(end_bytes <= store->flat_bytes);
    if (find_next_zero_bit(store->flat_written, end_granule,
                           offset_bytes / SSD_GRANULE_BYTES) >= end_granule) {
        return flat_at(store, offset_bytes);
    }
    while (offset_bytes < end_bytes) {
        uint64_t part = flat_read_granule(store, offset_bytes,
                                          end_bytes - offset_bytes, to);

        offset_bytes += part;
        to += part;
    }
    return bounce;
}

/* Forget bytes of a flat store: from now on they read as zeroes. */
void femu_store_deallocate(FemuStore *store, uint64_t offset_bytes,
                           uint64_t bytes)
{
    uint64_t end_bytes = offset_bytes + bytes;
    uint64_t first = ROUND_UP(offset_bytes, SSD_GRANULE_BYTES);
    uint64_t last = ROUND_DOWN(end_bytes, SSD_GRANULE_BYTES);

    assert(end_bytes <= store->flat_bytes);
    if (first >= last) {
        first = last = MIN(first, end_bytes);
    }
    if (offset_bytes < first) {
        flat_touch(store, offset_bytes);
        put(store, offset_bytes, NULL, first - offset_bytes);
    }
    if (last < end_bytes) {
        flat_touch(store, last);
        put(store, last, NULL, end_bytes - last);
    }
    bitmap_clear(store->flat_written, first / SSD_GRANULE_BYTES,
                 (last - first) / SSD_GRANULE_BYTES);
    femu_memory_discard(store->memory, store->start_bytes + first,
                        last - first);
}

/*
 * Where in the slice a namespace byte lies, which must be below its zone's
 * capacity. *zone_idx and *in_zone_bytes name the same place by zone.
 */
static uint64_t store_at(const FemuStore *store, uint64_t offset_bytes,
                         uint32_t *zone_idx, uint64_t *in_zone_bytes)
{
    *zone_idx = offset_bytes / store->zone_size_bytes;
    *in_zone_bytes = offset_bytes % store->zone_size_bytes;
    return *zone_idx * store->zone_capacity_bytes + *in_zone_bytes;
}

/* Give the memory of a zone back, of which so many bytes were data. */
static void discard(FemuStore *store, uint32_t zone_idx, uint64_t bytes)
{
    femu_memory_discard(store->memory, store->start_bytes +
                        zone_idx * store->zone_capacity_bytes, bytes);
}

/* What was put aside is not wanted any more. */
void femu_store_let_go(FemuStore *store, uint32_t zone_idx)
{
    if (store->aside_bytes[zone_idx]) {
        discard(store, zone_idx, store->aside_bytes[zone_idx]);
        store->aside_bytes[zone_idx] = 0;
    }
}

/*
 * Make room for a write, if there are zones within the capacity of one. In a
 * ZRWA it may lie before where writing has come to, or behind: then what is
 * skipped, which nobody has written, has to read as zeroes from now on.
 * Return: where in the slice the data go.
 */
static uint64_t store_extend(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes)
{
    uint32_t zone_idx;
    uint64_t in_zone_bytes;
    uint64_t *written_bytes;
    uint64_t at;

    if (store->flat_bytes) {
        return flat_extend(store, offset_bytes, bytes);
    }
    at = store_at(store, offset_bytes, &zone_idx, &in_zone_bytes);
    written_bytes = &store->written_bytes[zone_idx];
    assert(zone_idx < store->zones);
    assert(in_zone_bytes + bytes <= store->zone_capacity_bytes);
    femu_store_let_go(store, zone_idx);
    if (in_zone_bytes > *written_bytes) {
        uint64_t skipped_bytes = in_zone_bytes - *written_bytes;

        put(store, at - skipped_bytes, NULL, skipped_bytes);
    }
    *written_bytes = MAX(*written_bytes, in_zone_bytes + bytes);
    return at;
}

/* Write, if there are zones within the capacity of one. */
void femu_store_write(FemuStore *store, uint64_t offset_bytes,
                      const void *buf, uint64_t bytes)
{
    put(store, store_extend(store, offset_bytes, bytes), buf, bytes);
}

/* As femu_store_write(), of zeroes. */
void femu_store_write_zeroes(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes)
{
    put(store, store_extend(store, offset_bytes, bytes), NULL, bytes);
}

/*
 * Read, if there are zones within one, beyond its capacity too.
 * Return: the data, either in place or in `bounce`, of at least `bytes`.
 */
const void *femu_store_read(const FemuStore *store, uint64_t offset_bytes,
                            uint64_t bytes, void *bounce)
{
    uint32_t zone_idx;
    uint64_t in_zone_bytes, written_bytes, stored_bytes;
    const uint8_t *at;

    if (store->flat_bytes) {
        return flat_read(store, offset_bytes, bytes, bounce);
    }
    at = store->memory->base + store->start_bytes +
         store_at(store, offset_bytes, &zone_idx, &in_zone_bytes);
    assert(zone_idx < store->zones);
    assert(in_zone_bytes + bytes <= store->zone_size_bytes);
    written_bytes = store->written_bytes[zone_idx];
    stored_bytes = MIN(bytes,
                       written_bytes - MIN(written_bytes, in_zone_bytes));
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
    femu_store_let_go(store, zone_idx);
    discard(store, zone_idx, store->written_bytes[zone_idx]);
    store->written_bytes[zone_idx] = 0;
}

/*
 * Forget them for now: until request `tag`, a reset, is done the power may go,
 * and bring them back. A zone that was put aside and not written since has had
 * something asked of it again: that reset has been.
 */
void femu_store_put_aside(FemuStore *store, uint32_t zone_idx, uint32_t tag)
{
    femu_store_let_go(store, zone_idx);
    store->aside_bytes[zone_idx] = store->written_bytes[zone_idx];
    store->aside_tag[zone_idx] = tag;
    store->written_bytes[zone_idx] = 0;
}

/*
 * The power has gone: only so many bytes are left. A zone of which something is
 * left that had been put aside has not been reset.
 */
void femu_store_cut(FemuStore *store, uint32_t zone_idx, uint64_t left_bytes)
{
    if (left_bytes > 0 && store->aside_bytes[zone_idx]) {
        store->written_bytes[zone_idx] = store->aside_bytes[zone_idx];
        store->aside_bytes[zone_idx] = 0;
    }
    femu_store_let_go(store, zone_idx);
    store->written_bytes[zone_idx] = MIN(store->written_bytes[zone_idx],
                                         left_bytes);
}
