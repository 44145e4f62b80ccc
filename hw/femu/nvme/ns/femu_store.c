/*
 * The data of one namespace, in its slice of the drive's memory.
 *
 * The store of a namespace without zones is flat: a bitmap tells which of its
 * granules have been written. In the store of a zoned namespace zones lie one
 * after another, each taking its capacity; each zone has the number of bytes up
 * to which it has been written. What has not been written reads as zeroes,
 * whatever the memory holds. So data are dropped by changing the bitmap or that
 * number; giving the memory back to the host only saves memory.
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
        .has_written = bitmap_new(zones),
        .has_aside = bitmap_new(zones),
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
    g_free(store->has_written);
    g_free(store->has_aside);
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

/*
 * The granule at this offset is going to be written in part: if it has not been
 * written yet, fill it with zeroes, which the rest of it has to read as.
 */
static void flat_touch(FemuStore *store, uint64_t offset_bytes)
{
    uint64_t granule = offset_bytes / SSD_GRANULE_BYTES;

    if (!test_and_set_bit(granule, store->flat_written)) {
        put(store, granule * SSD_GRANULE_BYTES, NULL, SSD_GRANULE_BYTES);
    }
}

/* As store_extend(), in a flat store. */
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

/* As femu_store_read(), from a flat store. */
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

/*
 * Drop bytes of a flat store: from now on they read as zeroes. Whole granules
 * are marked as not written; parts of granules are overwritten with zeroes,
 * which changes nothing of one that has not been written.
 */
void femu_store_deallocate(FemuStore *store, uint64_t offset_bytes,
                           uint64_t bytes)
{
    uint64_t end_bytes = offset_bytes + bytes;
    uint64_t first = MIN(ROUND_UP(offset_bytes, SSD_GRANULE_BYTES), end_bytes);
    uint64_t last = MAX(ROUND_DOWN(end_bytes, SSD_GRANULE_BYTES), first);

    assert(end_bytes <= store->flat_bytes);
    put(store, offset_bytes, NULL, first - offset_bytes);
    put(store, last, NULL, end_bytes - last);
    bitmap_clear(store->flat_written, first / SSD_GRANULE_BYTES,
                 (last - first) / SSD_GRANULE_BYTES);
    femu_memory_discard(store->memory, store->start_bytes + first,
                        last - first);
}

/*
 * Where in the slice this byte of the namespace lies, if it is below its zone's
 * capacity. *zone_idx and *in_zone_bytes are its zone and its offset in there.
 */
static uint64_t store_at(const FemuStore *store, uint64_t offset_bytes,
                         uint32_t *zone_idx, uint64_t *in_zone_bytes)
{
    *zone_idx = offset_bytes / store->zone_size_bytes;
    *in_zone_bytes = offset_bytes % store->zone_size_bytes;
    return *zone_idx * store->zone_capacity_bytes + *in_zone_bytes;
}

/* The two numbers of a zone change here alone, and when they are loaded. */

static void note(unsigned long *zones, uint32_t zone_idx, bool has_bytes)
{
    if (has_bytes) {
        set_bit(zone_idx, zones);
    } else {
        clear_bit(zone_idx, zones);
    }
}

static void set_written(FemuStore *store, uint32_t zone_idx, uint64_t bytes)
{
    store->written_bytes[zone_idx] = bytes;
    note(store->has_written, zone_idx, bytes);
}

static void set_aside(FemuStore *store, uint32_t zone_idx, uint64_t bytes)
{
    store->aside_bytes[zone_idx] = bytes;
    note(store->has_aside, zone_idx, bytes);
}

/* Both numbers of all zones have been loaded. */
void femu_store_loaded(FemuStore *store)
{
    for (uint32_t i = 0; i < store->zones; i++) {
        note(store->has_written, i, store->written_bytes[i]);
        note(store->has_aside, i, store->aside_bytes[i]);
    }
}

/*
 * The first zone from `zone_idx` on of which something is put aside, or, with
 * `or_written`, which has data; the number of zones if there is none.
 */
uint32_t femu_store_next(const FemuStore *store, uint32_t zone_idx,
                         bool or_written)
{
    uint32_t next_idx = find_next_bit(store->has_aside, store->zones,
                                      zone_idx);

    return or_written ? find_next_bit(store->has_written, next_idx, zone_idx)
                      : next_idx;
}

/* Give the memory of the first `bytes` of a zone back to the host. */
static void discard(FemuStore *store, uint32_t zone_idx, uint64_t bytes)
{
    femu_memory_discard(store->memory, store->start_bytes +
                        zone_idx * store->zone_capacity_bytes, bytes);
}

/* Drop the data of a zone that femu_store_put_aside() has put aside, if any. */
void femu_store_let_go(FemuStore *store, uint32_t zone_idx)
{
    if (store->aside_bytes[zone_idx]) {
        discard(store, zone_idx, store->aside_bytes[zone_idx]);
        set_aside(store, zone_idx, 0);
    }
}

/*
 * Prepare a write, which in a zoned namespace lies within the capacity of one
 * zone. In a ZRWA it may begin below the zone's written_bytes, or beyond: then
 * the bytes between are filled with zeroes, as nothing has been written there.
 * Return: where in the slice the data go.
 */
static uint64_t store_extend(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes)
{
    uint32_t zone_idx;
    uint64_t in_zone_bytes;
    uint64_t written_bytes;
    uint64_t at;

    if (store->flat_bytes) {
        return flat_extend(store, offset_bytes, bytes);
    }
    at = store_at(store, offset_bytes, &zone_idx, &in_zone_bytes);
    assert(zone_idx < store->zones);
    written_bytes = store->written_bytes[zone_idx];
    assert(in_zone_bytes + bytes <= store->zone_capacity_bytes);
    femu_store_let_go(store, zone_idx);
    if (in_zone_bytes > written_bytes) {
        uint64_t skipped_bytes = in_zone_bytes - written_bytes;

        put(store, at - skipped_bytes, NULL, skipped_bytes);
    }
    set_written(store, zone_idx, MAX(written_bytes, in_zone_bytes + bytes));
    return at;
}

/* Write data; in a zoned namespace, within the capacity of one zone. */
void femu_store_write(FemuStore *store, uint64_t offset_bytes,
                      const void *buf, uint64_t bytes)
{
    put(store, store_extend(store, offset_bytes, bytes), buf, bytes);
}

/* Write zeroes; otherwise as femu_store_write(). */
void femu_store_write_zeroes(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes)
{
    put(store, store_extend(store, offset_bytes, bytes), NULL, bytes);
}

/*
 * Read data; in a zoned namespace, within the size of one zone, which may be
 * beyond its capacity. `bounce` has room for `bytes`.
 * Return: the data, either in the memory itself or copied to `bounce`.
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

/* Drop the data of a zone: they read as zeroes from now on. */
void femu_store_reset(FemuStore *store, uint32_t zone_idx)
{
    femu_store_let_go(store, zone_idx);
    discard(store, zone_idx, store->written_bytes[zone_idx]);
    set_written(store, zone_idx, 0);
}

/*
 * A reset of the zone has been accepted, as request `tag`: its data read as
 * zeroes from now on, but are kept aside until the reset is done, because a
 * power cut before that may leave the zone as it was. Data that an earlier
 * reset has put aside are dropped: a power cut can undo only the last command
 * that was accepted for the zone, which is now this one.
 */
void femu_store_put_aside(FemuStore *store, uint32_t zone_idx, uint32_t tag)
{
    femu_store_let_go(store, zone_idx);
    set_aside(store, zone_idx, store->written_bytes[zone_idx]);
    store->aside_tag[zone_idx] = tag;
    set_written(store, zone_idx, 0);
}

/*
 * The power has been cut, and at most `left_bytes` of the zone are data now. If
 * that is not 0 and data were put aside, the reset has not happened: the zone
 * has those data again.
 */
void femu_store_cut(FemuStore *store, uint32_t zone_idx, uint64_t left_bytes)
{
    if (left_bytes > 0 && store->aside_bytes[zone_idx]) {
        set_written(store, zone_idx, store->aside_bytes[zone_idx]);
        set_aside(store, zone_idx, 0);
    }
    femu_store_let_go(store, zone_idx);
    set_written(store, zone_idx, MIN(store->written_bytes[zone_idx],
                                     left_bytes));
}
