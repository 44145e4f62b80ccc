/*
 * What is large in a stream, each with a CRC-32 behind it: parts, which are
 * bytes and their number; the data of all namespaces; the trace so far.
 *
 * Of data only what has been written is there, in pieces: which these are
 * follows from the drive that has been read before, so that no number of the
 * stream says where anything goes. A piece of zeroes is one byte.
 *
 * Knows nothing of what parts hold.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <zlib.h>
#include "qapi/error.h"
#include "qemu/bitmap.h"
#include "qemu/cutils.h"
#include "qemu/units.h"
#include "migration_internal.h"
#include "../ns/ns.h"
#include "../record/record.h"
#include "../../ssd_file.h"

#define PIECE_BYTES (64 * KiB)

static uint32_t crc_of(uint32_t crc, const void *data, size_t bytes)
{
    return crc32(crc, data, bytes);
}

/* Compare the CRC-32 that follows. */
static bool crc_get(QEMUFile *f, const char *name, uint32_t crc, Error **errp)
{
    uint32_t there = qemu_get_be32(f);

    if (there != crc) {
        error_setg(errp, "%s: the CRC-32 is %08" PRIx32 ", of what was read it "
                   "is %08" PRIx32 ": the stream is damaged", name, there, crc);
        return false;
    }
    return true;
}

/* Parts */

void femu_part_put(QEMUFile *f, const uint8_t *data, uint64_t bytes)
{
    uint32_t crc = 0;

    qemu_put_be64(f, bytes);
    while (bytes) {
        size_t piece = MIN(bytes, PIECE_BYTES);

        qemu_put_buffer(f, data, piece);
        crc = crc_of(crc, data, piece);
        data += piece;
        bytes -= piece;
    }
    qemu_put_be32(f, crc);
}

/*
 * The number of bytes is not believed: memory is taken as they come.
 * Return: NULL with *errp.
 */
GByteArray *femu_part_get(QEMUFile *f, const char *name, Error **errp)
{
    g_autoptr(GByteArray) data = g_byte_array_new();
    g_autofree uint8_t *piece = g_malloc(PIECE_BYTES);
    uint64_t bytes = qemu_get_be64(f);
    uint32_t crc = 0;

    if (bytes > UINT32_MAX / 2) {
        error_setg(errp, "%s has %" PRIu64 " bytes, of which there can be %u",
                   name, bytes, UINT32_MAX / 2);
        return NULL;
    }
    while (data->len < bytes) {
        size_t wanted = MIN(bytes - data->len, PIECE_BYTES);

        if (qemu_get_buffer(f, piece, wanted) != wanted) {
            error_setg(errp, "%s: the stream ends in it", name);
            return NULL;
        }
        g_byte_array_append(data, piece, wanted);
        crc = crc_of(crc, piece, wanted);
    }
    return crc_get(f, name, crc, errp) ? g_steal_pointer(&data) : NULL;
}

/* Data */

/* A direction: what is done with a piece of memory. */
typedef struct Mover {
    QEMUFile *f;
    uint32_t crc;
    bool (*move)(struct Mover *mover, uint8_t *at, size_t bytes);
} Mover;

static bool piece_put(Mover *mover, uint8_t *at, size_t bytes)
{
    uint8_t has = !buffer_is_zero(at, bytes);

    qemu_put_byte(mover->f, has);
    mover->crc = crc_of(mover->crc, &has, 1);
    if (has) {
        qemu_put_buffer(mover->f, at, bytes);
        mover->crc = crc_of(mover->crc, at, bytes);
    }
    return true;
}

/* Memory that is zeroes already is not written: it may not be there yet. */
static bool piece_get(Mover *mover, uint8_t *at, size_t bytes)
{
    uint8_t has = qemu_get_byte(mover->f);

    mover->crc = crc_of(mover->crc, &has, 1);
    if (!has) {
        if (!buffer_is_zero(at, bytes)) {
            memset(at, 0, bytes);
        }
        return true;
    }
    if (qemu_get_buffer(mover->f, at, bytes) != bytes) {
        return false;
    }
    mover->crc = crc_of(mover->crc, at, bytes);
    return true;
}

static bool move_extent(Mover *mover, const FemuStore *store,
                        uint64_t start_bytes, uint64_t bytes)
{
    uint8_t *at = store->memory->base + store->start_bytes + start_bytes;

    for (uint64_t done = 0; done < bytes; done += PIECE_BYTES) {
        if (!mover->move(mover, at + done, MIN(bytes - done, PIECE_BYTES))) {
            return false;
        }
    }
    return true;
}

static bool move_flat(Mover *mover, const FemuStore *store)
{
    uint64_t count = store->flat_bytes / SSD_GRANULE_BYTES;
    uint64_t at = find_first_bit(store->flat_written, count);

    while (at < count) {
        uint64_t end = find_next_zero_bit(store->flat_written, count, at);

        if (!move_extent(mover, store, at * SSD_GRANULE_BYTES,
                         (end - at) * SSD_GRANULE_BYTES)) {
            return false;
        }
        at = find_next_bit(store->flat_written, count, end);
    }
    return true;
}

/* The zones' data, and those that a reset has put aside. */
static bool move_zones(Mover *mover, const FemuStore *store)
{
    for (uint32_t i = 0; i < store->zones; i++) {
        if (!move_extent(mover, store, i * store->zone_capacity_bytes,
                         MAX(store->written_bytes[i],
                             store->aside_bytes[i]))) {
            return false;
        }
    }
    return true;
}

static bool move_all(Mover *mover, const FemuZns *n)
{
    bool moved = true;

    for (uint32_t i = 0; moved && i < n->ns_count; i++) {
        const FemuStore *store = &n->ns[i].store;

        moved = store->flat_bytes ? move_flat(mover, store)
                                  : move_zones(mover, store);
    }
    return moved;
}

void femu_data_put(QEMUFile *f, FemuZns *n)
{
    Mover mover = { .f = f, .move = piece_put };

    move_all(&mover, n);
    qemu_put_be32(f, mover.crc);
}

bool femu_data_get(QEMUFile *f, FemuZns *saved, Error **errp)
{
    Mover mover = { .f = f, .move = piece_get };

    if (!move_all(&mover, saved)) {
        error_setg(errp, "data: the stream ends in them");
        return false;
    }
    return crc_get(f, "data", mover.crc, errp);
}

/* The trace: pieces, each behind its number of bytes, and one of none. */

static bool trace_pieces_put(QEMUFile *f, FILE *file)
{
    g_autofree uint8_t *piece = g_malloc(PIECE_BYTES);
    uint32_t crc = 0;
    size_t bytes;

    do {
        bytes = fread(piece, 1, PIECE_BYTES, file);
        qemu_put_be32(f, bytes);
        qemu_put_buffer(f, piece, bytes);
        crc = crc_of(crc, piece, bytes);
    } while (bytes);
    qemu_put_be32(f, crc);
    return !ferror(file);
}

/* Return: false with *errp if the trace cannot be read back. */
bool femu_trace_put(QEMUFile *f, FemuZns *n, Error **errp)
{
    FILE *file = NULL;
    bool done;

    if (!femu_trace_flush(n, errp)) {
        return false;
    }
    qemu_put_byte(f, n->trace != NULL);
    if (!n->trace) {
        return true;
    }
    if (!femu_trace_can_move(n, errp)) {
        return false;
    }
    file = fopen(n->trace_path, "re");
    done = file && trace_pieces_put(f, file);
    if (!done) {
        error_setg_errno(errp, errno, "trace=%s cannot be read, which it is to "
                         "go with the drive", n->trace_path);
    }
    if (file) {
        fclose(file);
    }
    return done;
}

/* `file` may be NULL: nobody wants them. */
static bool trace_pieces_get(QEMUFile *f, FILE *file, const char *path,
                             Error **errp)
{
    g_autofree uint8_t *piece = g_malloc(PIECE_BYTES);
    uint32_t crc = 0;
    uint32_t bytes;

    while ((bytes = qemu_get_be32(f))) {
        if (bytes > PIECE_BYTES || qemu_get_buffer(f, piece, bytes) != bytes) {
            error_setg(errp, "trace: the stream ends in it, or is damaged");
            return false;
        }
        crc = crc_of(crc, piece, bytes);
        if (file && fwrite(piece, 1, bytes, file) != bytes) {
            error_setg_errno(errp, errno, "cannot write '%s'", path);
            return false;
        }
    }
    return crc_get(f, "trace", crc, errp);
}

/* The trace goes on in this QEMU, if it has one. */
static bool trace_take(QEMUFile *f, FemuZns *n, Error **errp)
{
    g_autofree char *part = g_strconcat(n->trace_path, ".part", NULL);
    const char *wrong;
    FILE *file;
    bool done;

    if (!femu_trace_can_move(n, errp)) {
        return false;
    }
    file = ssd_file_create(part, &wrong);
    if (!file) {
        error_setg(errp, "cannot create '%s': %s", part, wrong);
        return false;
    }
    done = trace_pieces_get(f, file, part, errp);
    if (fclose(file) != 0 && done) {
        error_setg_errno(errp, errno, "cannot write '%s'", part);
        done = false;
    }
    done = done && femu_trace_go_on(n, part, errp);
    if (!done) {
        unlink(part);
    }
    return done;
}

bool femu_trace_get(QEMUFile *f, FemuZns *n, Error **errp)
{
    if (!qemu_get_byte(f)) {
        if (n->trace) {
            error_setg(errp, "trace=%s: the drive had none where it comes "
                       "from, and a trace begins with a drive that is new; "
                       "leave it out here, or begin with it there",
                       n->trace_path);
        }
        return !n->trace;
    }
    return n->trace ? trace_take(f, n, errp)
                    : trace_pieces_get(f, NULL, NULL, errp);
}
