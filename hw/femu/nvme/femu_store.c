/*
 * The drive's data: a QEMU memory backend, or sparse anonymous memory.
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
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/madvise.h"
#include "exec/cpu-common.h"
#include "exec/memory.h"
#include "exec/ramblock.h"
#include "femu.h"

static bool store_use_memdev(FemuStore *store, HostMemoryBackend *memdev,
                             Error **errp)
{
    MemoryRegion *mr = host_memory_backend_get_memory(memdev);
    g_autofree char *name = host_memory_backend_get_name(memdev);

    if (host_memory_backend_is_mapped(memdev)) {
        error_setg(errp, "memdev=%s is already in use; the drive needs a "
                   "memory backend of its own", name);
        return false;
    }
    if (memory_region_is_rom(mr)) {
        error_setg(errp, "memdev=%s is read-only; the drive needs one that "
                   "can be written", name);
        return false;
    }
    if (memory_region_size(mr) < store->bytes) {
        error_setg(errp, "memdev=%s has %" PRIu64 " bytes; the drive needs at "
                   "least %" PRIu64 " (zones x zone-capacity)", name,
                   (uint64_t)memory_region_size(mr), store->bytes);
        return false;
    }
    host_memory_backend_set_mapped(memdev, true);
    object_ref(OBJECT(memdev));
    store->memdev = memdev;
    store->ram_block = mr->ram_block;
    store->base = memory_region_get_ram_ptr(mr);
    return true;
}

static bool store_use_anonymous(FemuStore *store, Error **errp)
{
    void *base = mmap(NULL, store->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED) {
        error_setg_errno(errp, errno, "cannot reserve %" PRIu64 " bytes of "
                         "address space (zones x zone-capacity) for the "
                         "drive's data; make the drive smaller or give it a "
                         "file with memdev=", store->bytes);
        return false;
    }
    qemu_madvise(base, store->bytes, QEMU_MADV_DONTDUMP);
    store->base = base;
    return true;
}

/* `params` are resolved. On failure nothing is left to undo. */
bool femu_store_init(FemuStore *store, const SsdParams *params,
                     HostMemoryBackend *memdev, Error **errp)
{
    *store = (FemuStore) {
        .bytes = params->zones * params->zone_capacity_bytes,
        .zone_size_bytes = params->zone_size_bytes,
        .zone_capacity_bytes = params->zone_capacity_bytes,
        .zones = params->zones,
    };
    if (memdev ? !store_use_memdev(store, memdev, errp)
               : !store_use_anonymous(store, errp)) {
        return false;
    }
    store->written_bytes = g_new0(uint64_t, store->zones);
    return true;
}

void femu_store_exit(FemuStore *store)
{
    if (store->memdev) {
        host_memory_backend_set_mapped(store->memdev, false);
        object_unref(OBJECT(store->memdev));
    } else if (store->base) {
        munmap(store->base, store->bytes);
    }
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
    return store->base + *zone_idx * store->zone_capacity_bytes +
           *in_zone_bytes;
}

/* Write within the capacity of one zone, where its writing has come to. */
void femu_store_write(FemuStore *store, uint64_t offset_bytes,
                      const void *buf, uint64_t bytes)
{
    uint32_t zone_idx;
    uint64_t in_zone_bytes;
    uint8_t *at = store_at(store, offset_bytes, &zone_idx, &in_zone_bytes);

    assert(zone_idx < store->zones);
    assert(in_zone_bytes == store->written_bytes[zone_idx]);
    assert(in_zone_bytes + bytes <= store->zone_capacity_bytes);
    memcpy(at, buf, bytes);
    store->written_bytes[zone_idx] = in_zone_bytes + bytes;
}

/* As femu_store_write(), of zeroes. */
void femu_store_write_zeroes(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes)
{
    uint32_t zone_idx;
    uint64_t in_zone_bytes;
    uint8_t *at = store_at(store, offset_bytes, &zone_idx, &in_zone_bytes);

    assert(zone_idx < store->zones);
    assert(in_zone_bytes == store->written_bytes[zone_idx]);
    assert(in_zone_bytes + bytes <= store->zone_capacity_bytes);
    memset(at, 0, bytes);
    store->written_bytes[zone_idx] = in_zone_bytes + bytes;
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

/* Can the backend drop pages? A private file mapping would drop to the file. */
static bool store_can_discard(const FemuStore *store)
{
    return !store->memdev || qemu_ram_get_fd(store->ram_block) < 0 ||
           qemu_ram_is_shared(store->ram_block);
}

/* Forget the data of a zone; the memory's whole pages go back to the host. */
void femu_store_reset(FemuStore *store, uint32_t zone_idx)
{
    uint64_t page_bytes = store->memdev ? qemu_ram_pagesize(store->ram_block)
                                        : qemu_real_host_page_size();
    uint64_t start = zone_idx * store->zone_capacity_bytes;
    uint64_t end = start + store->written_bytes[zone_idx];

    store->written_bytes[zone_idx] = 0;
    start = ROUND_UP(start, page_bytes);
    end = ROUND_DOWN(end, page_bytes);
    if (start >= end || !store_can_discard(store)) {
        return;
    }
    if (store->memdev) {
        ram_block_discard_range(store->ram_block, start, end - start);
    } else {
        qemu_madvise(store->base + start, end - start, QEMU_MADV_DONTNEED);
    }
}
