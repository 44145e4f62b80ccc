// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replays on a drive the calls that ZenFS makes (RocksDB's zoned back end):
 * libzbd's report, direct sequential writes to many zones in turn, close,
 * finish and reset, up to the drive's limit of active zones and one beyond it.
 *
 *   zenfs-pattern DEVICE         all zones must be empty, and are left empty
 *
 * Exit status: 0 if the drive answered exactly as it must, else 1 and what was
 * wrong on standard error.
 *
 * Knows nothing of ZenFS's format: the data are block numbers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libzbd/zbd.h>

/* ZenFS does not take a drive with fewer. */
#define MIN_ZONES 32
#define CHUNK_BYTES (64 * 1024)
#define STEP_CHUNKS 4
#define UNLIMITED_ACTIVE 14

typedef struct {
    int read_fd;                /* O_DIRECT */
    int write_fd;               /* O_DIRECT */
    struct zbd_info info;
    struct zbd_zone *zones;     /* a report of all, info.nr_zones */
    uint32_t active_count;      /* the drive's limit, or UNLIMITED_ACTIVE */
    uint32_t open_count;        /* likewise, never above active_count */
    uint64_t *chunk;            /* CHUNK_BYTES, aligned */
} Drive;

static void die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "zenfs-pattern: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(1);
}

static void report(Drive *drive)
{
    unsigned int count = drive->info.nr_zones;

    if (zbd_report_zones(drive->read_fd, 0, 0, ZBD_RO_ALL, drive->zones,
                         &count) != 0 || count != drive->info.nr_zones) {
        die("report: %u zones of %u: %s", count, drive->info.nr_zones,
            strerror(errno));
    }
}

/* Dies unless the zone is in that condition with that many bytes written. */
static void expect(Drive *drive, uint32_t idx, enum zbd_zone_cond cond,
                   uint64_t written_bytes)
{
    struct zbd_zone *zone = &drive->zones[idx];

    report(drive);
    if (zbd_zone_cond(zone) != cond) {
        die("zone %u is %s, not as expected in condition %d", idx,
            zbd_zone_cond_str(zone, 0), cond);
    }
    /* The write pointer of a full zone is not valid. */
    if (cond != ZBD_ZONE_COND_FULL &&
        zbd_zone_wp(zone) - zbd_zone_start(zone) != written_bytes) {
        die("zone %u: %llu bytes are written, %llu were expected", idx,
            zbd_zone_wp(zone) - zbd_zone_start(zone),
            (unsigned long long)written_bytes);
    }
}

static void fill_chunk(Drive *drive, uint64_t offset_bytes)
{
    for (size_t i = 0; i < CHUNK_BYTES / sizeof(uint64_t); i++) {
        drive->chunk[i] = offset_bytes + i * sizeof(uint64_t);
    }
}

/* Return: 0, or the error of a write of one chunk at the write pointer. */
static int write_chunk(Drive *drive, uint32_t idx, uint64_t zone_offset_bytes)
{
    uint64_t offset_bytes = zbd_zone_start(&drive->zones[idx]) +
                            zone_offset_bytes;
    ssize_t written;

    fill_chunk(drive, offset_bytes);
    written = pwrite(drive->write_fd, drive->chunk, CHUNK_BYTES, offset_bytes);
    if (written < 0) {
        return errno;
    }
    return written == CHUNK_BYTES ? 0 : EIO;
}

/* Writes chunks from..to-1 of one zone. */
static void write_chunks(Drive *drive, uint32_t idx, uint64_t from,
                         uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        int error = write_chunk(drive, idx, i * CHUNK_BYTES);

        if (error != 0) {
            die("zone %u: write of chunk %llu: %s", idx,
                (unsigned long long)i, strerror(error));
        }
    }
}

static void verify_chunks(Drive *drive, uint32_t idx, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t offset_bytes = zbd_zone_start(&drive->zones[idx]) +
                                i * CHUNK_BYTES;

        memset(drive->chunk, 0xff, CHUNK_BYTES);
        if (pread(drive->read_fd, drive->chunk, CHUNK_BYTES,
                  offset_bytes) != CHUNK_BYTES) {
            die("zone %u: read of chunk %llu: %s", idx,
                (unsigned long long)i, strerror(errno));
        }
        for (size_t j = 0; j < CHUNK_BYTES / sizeof(uint64_t); j++) {
            if (drive->chunk[j] != offset_bytes + j * sizeof(uint64_t)) {
                die("zone %u: chunk %llu, word %zu: %llx was read", idx,
                    (unsigned long long)i, j,
                    (unsigned long long)drive->chunk[j]);
            }
        }
    }
}

static void manage(Drive *drive, uint32_t idx, enum zbd_zone_op op,
                   const char *name)
{
    struct zbd_zone *zone = &drive->zones[idx];

    if (zbd_zones_operation(drive->write_fd, op, zbd_zone_start(zone),
                            zbd_zone_len(zone)) != 0) {
        die("zone %u: %s: %s", idx, name, strerror(errno));
    }
}

/* Opens the device as ZenFS does and checks that it is a fresh drive. */
static void open_drive(Drive *drive, const char *path)
{
    drive->read_fd = zbd_open(path, O_RDONLY | O_DIRECT, &drive->info);
    drive->write_fd = zbd_open(path, O_WRONLY | O_DIRECT | O_EXCL, NULL);
    if (drive->read_fd < 0 || drive->write_fd < 0) {
        die("%s: %s", path, strerror(errno));
    }
    if (drive->info.nr_zones < MIN_ZONES) {
        die("%s has %u zones, ZenFS wants %d", path, drive->info.nr_zones,
            MIN_ZONES);
    }
    drive->active_count = drive->info.max_nr_active_zones ?: UNLIMITED_ACTIVE;
    drive->open_count = drive->info.max_nr_open_zones ?: UNLIMITED_ACTIVE;
    if (drive->open_count > drive->active_count) {
        drive->open_count = drive->active_count;
    }
    drive->zones = calloc(drive->info.nr_zones, sizeof(drive->zones[0]));
    if (drive->zones == NULL ||
        posix_memalign((void **)&drive->chunk, 4096, CHUNK_BYTES) != 0) {
        die("no memory");
    }
    for (uint32_t i = 0; i < drive->info.nr_zones; i++) {
        expect(drive, i, ZBD_ZONE_COND_EMPTY, 0);
    }
}

/* Every zone up to the active limit: some chunks, then closed. */
static void write_and_close(Drive *drive)
{
    for (uint32_t i = 0; i < drive->active_count; i++) {
        write_chunks(drive, i, 0, STEP_CHUNKS);
        expect(drive, i, ZBD_ZONE_COND_IMP_OPEN, STEP_CHUNKS * CHUNK_BYTES);
        manage(drive, i, ZBD_OP_CLOSE, "close");
        expect(drive, i, ZBD_ZONE_COND_CLOSED, STEP_CHUNKS * CHUNK_BYTES);
    }
}

/* As many as may be open, chunk by chunk in turn. */
static void write_in_turn(Drive *drive)
{
    for (uint64_t chunk = STEP_CHUNKS; chunk < 2 * STEP_CHUNKS; chunk++) {
        for (uint32_t i = 0; i < drive->open_count; i++) {
            write_chunks(drive, i, chunk, chunk + 1);
        }
    }
    for (uint32_t i = 0; i < drive->open_count; i++) {
        expect(drive, i, ZBD_ZONE_COND_IMP_OPEN,
               2 * STEP_CHUNKS * CHUNK_BYTES);
    }
}

/* One zone more than may be active is refused, and nothing changes. */
static void exceed_active(Drive *drive)
{
    int error;

    if (drive->info.max_nr_active_zones == 0) {
        return;
    }
    error = write_chunk(drive, drive->active_count, 0);
    if (error != EOVERFLOW) {
        die("zone %u, one above the active limit: write gave \"%s\", \"%s\" "
            "was expected", drive->active_count, strerror(error),
            strerror(EOVERFLOW));
    }
    expect(drive, drive->active_count, ZBD_ZONE_COND_EMPTY, 0);
}

/* A finished zone is full and makes room for another active one. */
static void finish_and_go_on(Drive *drive)
{
    uint32_t last = drive->active_count - 1;

    manage(drive, last, ZBD_OP_FINISH, "finish");
    expect(drive, last, ZBD_ZONE_COND_FULL, 0);
    manage(drive, 0, ZBD_OP_CLOSE, "close");
    write_chunks(drive, drive->active_count, 0, 1);
    expect(drive, drive->active_count, ZBD_ZONE_COND_IMP_OPEN, CHUNK_BYTES);
}

/* The first zone is written to its capacity, and so is full. */
static void fill_zone(Drive *drive)
{
    uint64_t chunks = zbd_zone_capacity(&drive->zones[0]) / CHUNK_BYTES;

    manage(drive, drive->active_count, ZBD_OP_CLOSE, "close");
    write_chunks(drive, 0, 2 * STEP_CHUNKS, chunks);
    expect(drive, 0, ZBD_ZONE_COND_FULL, 0);
    verify_chunks(drive, 0, chunks);
}

static void verify_others(Drive *drive)
{
    for (uint32_t i = 1; i < drive->active_count; i++) {
        verify_chunks(drive, i, i < drive->open_count ? 2 * STEP_CHUNKS
                                                      : STEP_CHUNKS);
    }
    verify_chunks(drive, drive->active_count, 1);
}

static void reset_all(Drive *drive)
{
    for (uint32_t i = 0; i <= drive->active_count; i++) {
        uint64_t capacity_bytes = zbd_zone_capacity(&drive->zones[i]);

        manage(drive, i, ZBD_OP_RESET, "reset");
        expect(drive, i, ZBD_ZONE_COND_EMPTY, 0);
        if (zbd_zone_capacity(&drive->zones[i]) != capacity_bytes) {
            die("zone %u: reset changed its capacity", i);
        }
    }
}

int main(int argc, char **argv)
{
    Drive drive = { 0 };

    if (argc != 2) {
        fprintf(stderr, "usage: zenfs-pattern DEVICE\n");
        return 2;
    }
    open_drive(&drive, argv[1]);
    write_and_close(&drive);
    write_in_turn(&drive);
    exceed_active(&drive);
    finish_and_go_on(&drive);
    fill_zone(&drive);
    verify_others(&drive);
    reset_all(&drive);
    printf("zenfs-pattern: %u zones active, %u open, all as it must be\n",
           drive.active_count, drive.open_count);
    return 0;
}
