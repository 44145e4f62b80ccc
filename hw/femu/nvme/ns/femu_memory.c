/*
 * The memory that holds the data of all namespaces: a file, a QEMU memory
 * backend, or sparse anonymous memory.
 *
 * Knows nothing of zones, namespaces, commands or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/units.h"
#include "qemu/madvise.h"
#include "exec/cpu-common.h"
#include "ns_internal.h"
#include "../qemu/versions.h"

/* Written at a time. */
#define FILE_PART_BYTES (64 * KiB)

/* Checksums that are looked at at a time. */
#define CLEAR_WORDS 512

/*
 * Is the backend a shared mapping of a file that outlives QEMU? If mem-path is
 * a folder, it maps a temporary file that QEMU has made there, which does not.
 */
static bool memdev_is_kept(HostMemoryBackend *memdev, RAMBlock *ram_block)
{
    /* Only a backend that is a file has this property. */
    g_autofree char *path = object_property_get_str(OBJECT(memdev), "mem-path",
                                                    NULL);

    return path && qemu_ram_is_shared(ram_block) &&
           !g_file_test(path, G_FILE_TEST_IS_DIR);
}

/*
 * A file that keeps the bytes looks as if it kept the drive. It does not: which
 * of the bytes are data, and all other state of the drive, is in QEMU's memory
 * alone.
 */
static void warn_if_kept(HostMemoryBackend *memdev, RAMBlock *ram_block,
                         const char *name)
{
    if (memdev_is_kept(memdev, ram_block)) {
        warn_report("memdev=%s: its file keeps the bytes, but zone states, "
                    "write pointers, zone descriptor extensions, the "
                    "conventional namespace's mapping and all counters end "
                    "with QEMU; the next drive on it is empty and reads "
                    "zeroes. What lasts is state=FOLDER; to leave the file as "
                    "it is: share=off", name);
    }
}

/*
 * A file that keeps the bytes is this drive's alone, here, where each backend
 * has opened it on its own, and among QEMUs. What cannot be locked is
 * anybody's.
 */
static bool memdev_take(HostMemoryBackend *memdev, RAMBlock *ram_block)
{
    int error = memdev_is_kept(memdev, ram_block)
                ? qemu_lock_fd(qemu_ram_get_fd(ram_block), 0, 0, true) : 0;

    return error != -EAGAIN && error != -EACCES;
}

static void memdev_give_back(HostMemoryBackend *memdev, RAMBlock *ram_block)
{
    if (memdev_is_kept(memdev, ram_block)) {
        qemu_unlock_fd(qemu_ram_get_fd(ram_block), 0, 0);
    }
    host_memory_backend_set_mapped(memdev, false);
    object_unref(OBJECT(memdev));
}

static bool memory_use_memdev(FemuMemory *memory, HostMemoryBackend *memdev,
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
    if (memory_region_size(mr) < memory->bytes) {
        error_setg(errp, "memdev=%s has %" PRIu64 " bytes; the drive needs at "
                   "least %" PRIu64 " (zones x zone-capacity, and "
                   "conventional-size)", name,
                   (uint64_t)memory_region_size(mr), memory->bytes);
        return false;
    }
    if (!memdev_take(memdev, mr->ram_block)) {
        error_setg(errp, "memdev=%s: another drive, of this QEMU or of another "
                   "one, has its data in the same file; name another file, or "
                   "map this one privately (share=off)", name);
        return false;
    }
    host_memory_backend_set_mapped(memdev, true);
    object_ref(OBJECT(memdev));
    warn_if_kept(memdev, mr->ram_block, name);
    memory->memdev = memdev;
    memory->ram_block = mr->ram_block;
    memory->base = memory_region_get_ram_ptr(mr);
    return true;
}

static bool memory_use_anonymous(FemuMemory *memory, Error **errp)
{
    void *base = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (base == MAP_FAILED) {
        error_setg_errno(errp, errno, "cannot reserve %" PRIu64 " bytes of "
                         "address space (zones x zone-capacity, and "
                         "conventional-size) for the drive's data; make the "
                         "drive smaller or give it a file with memdev=",
                         memory->bytes);
        return false;
    }
    qemu_madvise(base, memory->bytes, QEMU_MADV_DONTDUMP);
    memory->base = base;
    return true;
}

static bool memory_use_file(FemuMemory *memory, int fd, Error **errp)
{
    void *base = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_NORESERVE, fd, 0);

    if (base == MAP_FAILED) {
        error_setg_errno(errp, errno, "cannot map %" PRIu64 " bytes of data",
                         memory->bytes);
        close(fd);
        return false;
    }
    memory->base = base;
    memory->fd = fd;
    return true;
}

/*
 * Get memory of `bytes`: the file `fd`, or if that is -1 `memdev`, or if that
 * is NULL anonymous memory. femu_memory_exit() closes fd. On failure, too, the
 * caller has nothing to undo. *journal, if there is one, gets what is written.
 */
bool femu_memory_init(FemuMemory *memory, uint64_t bytes, int fd,
                      HostMemoryBackend *memdev, SsdJournal **journal,
                      Error **errp)
{
    *memory = (FemuMemory) { .bytes = bytes, .fd = -1,
                             .sums_fd = -1, .journal = journal };
    if (fd != -1) {
        return memory_use_file(memory, fd, errp);
    }
    return memdev ? memory_use_memdev(memory, memdev, errp)
                  : memory_use_anonymous(memory, errp);
}

void femu_memory_exit(FemuMemory *memory)
{
    if (memory->memdev) {
        memdev_give_back(memory->memdev, memory->ram_block);
    } else if (memory->base) {
        munmap(memory->base, memory->bytes);
        close(memory->fd); /* -1, of none, is refused */
        close(memory->sums_fd);
    }
}

/*
 * As the file already has its full size, pwrite() fails only where a store
 * would: the file system is full or broken. If it becomes full in the middle,
 * part of it is written. Then QEMU ends, as it does if the history cannot be
 * written.
 */
static void write_all(int fd, uint64_t at_bytes, const void *buf,
                      size_t bytes, const char *what)
{
    ssize_t done = RETRY_ON_EINTR(pwrite(fd, buf, bytes, at_bytes));

    if (done != bytes) {
        error_report("femu-zns: %s cannot be written: %s", what,
                     strerror(done == -1 ? errno : ENOSPC));
        _exit(EXIT_FAILURE);
    }
}

/* Read what a file has there, not by its mapping: see words_read(). */
static void read_all(int fd, uint64_t at_bytes, void *buf, size_t bytes,
                     const char *what)
{
    ssize_t done = RETRY_ON_EINTR(pread(fd, buf, bytes, at_bytes));

    if (done != bytes) {
        error_report("femu-zns: %s cannot be read: %s", what,
                     done == -1 ? strerror(errno) : "the file is shorter");
        _exit(EXIT_FAILURE);
    }
}

/*
 * The words of these pages. They may lie in a hole of the file, which in a file
 * system in memory (tmpfs) is filled by a look at its mapping: without room,
 * that look would be a SIGBUS.
 */
static void words_read(const FemuMemory *memory, uint64_t first,
                       uint64_t *words, uint64_t count)
{
    read_all(memory->sums_fd, sizeof(SsdSums) + first * sizeof(*words), words,
             count * sizeof(*words), "checksums");
}

/* The word of a page, now `word`, that is going to have these bytes. */
static uint64_t sum_of(const FemuMemory *memory, uint64_t word, uint64_t page,
                       uint64_t in_page, const uint8_t *buf, uint64_t bytes)
{
    uint8_t before[SSD_SUMS_PAGE_BYTES], now[SSD_SUMS_PAGE_BYTES];

    /* One that was dropped, or never written, is zeroes. */
    if (bytes == SSD_SUMS_PAGE_BYTES && !word) {
        return ssd_sums_page(NULL, buf);
    }
    read_all(memory->fd, page * SSD_SUMS_PAGE_BYTES, before, sizeof(before),
             "data");
    memcpy(now, before, sizeof(now));
    memcpy(now + in_page, buf, bytes);
    return ssd_sums_page(before, now);
}

/*
 * Pages of the file are going to have these bytes, FILE_PART_BYTES at most:
 * their checksums allow what they are and what they will be.
 */
static void sums_write(FemuMemory *memory, uint64_t at_bytes,
                       const uint8_t *buf, uint64_t bytes)
{
    uint64_t words[FILE_PART_BYTES / SSD_SUMS_PAGE_BYTES + 1];
    uint64_t first = at_bytes / SSD_SUMS_PAGE_BYTES;
    uint64_t count = DIV_ROUND_UP(at_bytes + bytes, SSD_SUMS_PAGE_BYTES) -
                     first;

    words_read(memory, first, words, count);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t in_page = at_bytes % SSD_SUMS_PAGE_BYTES;
        uint64_t part = MIN(bytes, SSD_SUMS_PAGE_BYTES - in_page);

        words[i] = sum_of(memory, words[i], first + i, in_page, buf, part);
        at_bytes += part;
        buf += part;
        bytes -= part;
    }
    write_all(memory->sums_fd, sizeof(SsdSums) + first * sizeof(*words), words,
              count * sizeof(*words), "checksums");
}

/* Only what is there is changed: a page of the host's need not be allocated. */
static void sums_clear(FemuMemory *memory, uint64_t first, uint64_t end)
{
    static const uint64_t none;
    uint64_t words[CLEAR_WORDS];

    while (first < end) {
        uint64_t count = MIN(end - first, CLEAR_WORDS);

        words_read(memory, first, words, count);
        for (uint64_t i = 0; i < count; i++) {
            if (words[i]) {
                write_all(memory->sums_fd, sizeof(SsdSums) +
                          (first + i) * sizeof(none), &none, sizeof(none),
                          "checksums");
            }
        }
        first += count;
    }
}

/* These pages are going to be dropped: nothing is known of them then. */
static void sums_drop(FemuMemory *memory, uint64_t start_bytes,
                      uint64_t end_bytes)
{
    uint64_t first = DIV_ROUND_UP(start_bytes, SSD_SUMS_PAGE_BYTES);
    uint64_t end = end_bytes / SSD_SUMS_PAGE_BYTES;
    uint64_t in_host_page = qemu_real_host_page_size() / sizeof(uint64_t);
    /* Where the words do not begin at a host's page, it is refused. */
    uint64_t from = MIN(ROUND_UP(first, in_host_page), end);
    uint64_t to = MAX(ROUND_DOWN(end, in_host_page), from);

    if (qemu_madvise((void *)&memory->sums[from],
                     (to - from) * sizeof(uint64_t), QEMU_MADV_REMOVE) != 0) {
        to = from;
    }
    sums_clear(memory, first, from);
    sums_clear(memory, to, end);
}

/*
 * Write `bytes` to the file, zeroes if buf is NULL, with a system call. If the
 * process is killed, pwrite() has copied a page in full or not at all, which
 * stores to the mapping do not guarantee: so a block of up to 4 KiB is either
 * old or new, never torn.
 */
static void file_write(FemuMemory *memory, uint64_t at_bytes, const void *buf,
                       uint64_t bytes)
{
    static const uint8_t zeroes[FILE_PART_BYTES];

    while (bytes) {
        uint64_t part = MIN(bytes, FILE_PART_BYTES);

        sums_write(memory, at_bytes, buf ? buf : zeroes, part);
        write_all(memory->fd, at_bytes, buf ? buf : zeroes, part, "data");
        at_bytes += part;
        bytes -= part;
        buf = buf ? (const uint8_t *)buf + part : NULL;
    }
}

/* Write `bytes`, zeroes if buf is NULL. */
void femu_memory_write(FemuMemory *memory, uint64_t at_bytes, const void *buf,
                       uint64_t bytes)
{
    if (memory->frozen) {
        return;
    }
    if (*memory->journal) {
        ssd_journal_write(*memory->journal, at_bytes, buf, bytes);
    }
    if (memory->fd != -1) {
        file_write(memory, at_bytes, buf, bytes);
    } else if (buf) {
        memcpy(memory->base + at_bytes, buf, bytes);
    } else {
        memset(memory->base + at_bytes, 0, bytes);
    }
}

/*
 * Can pages be discarded? Not in a private mapping of a file: a discarded page
 * would read as the file's contents.
 */
static bool memory_can_discard(const FemuMemory *memory)
{
    return !memory->memdev || qemu_ram_get_fd(memory->ram_block) == -1 ||
           qemu_ram_is_shared(memory->ram_block);
}

/*
 * These bytes are not needed any more: the whole pages among them are given
 * back to the host, if that is possible. Their contents are then undefined.
 */
void femu_memory_discard(FemuMemory *memory, uint64_t start_bytes,
                         uint64_t bytes)
{
    uint64_t page_bytes = memory->memdev
                          ? qemu_ram_pagesize(memory->ram_block)
                          : qemu_real_host_page_size();
    uint64_t start = ROUND_UP(start_bytes, page_bytes);
    uint64_t end = ROUND_DOWN(start_bytes + bytes, page_bytes);

    if (start >= end || memory->frozen || !memory_can_discard(memory)) {
        return;
    }
    if (memory->sums) {
        sums_drop(memory, start, end);
    }
    if (memory->memdev) {
        ram_block_discard_range(memory->ram_block, start, end - start);
    } else {
        qemu_madvise(memory->base + start, end - start,
                     memory->fd != -1 ? QEMU_MADV_REMOVE : QEMU_MADV_DONTNEED);
    }
}
