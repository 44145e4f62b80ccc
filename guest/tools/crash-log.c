// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small append-only log on a zoned block device, for "make crash": right, and
 * with two bugs of the kind that such logs have.
 *
 *   crash-log write DEVICE COUNT good|early
 *   crash-log check DEVICE ACKS good|length
 *
 * write appends COUNT records, one after another, and notes an ack of each when
 * it lasts: with "early" before it has been flushed, which is wrong. check reads
 * the log as one that starts again does, up to the first record that is not
 * whole: with "length" it believes what a record's first block says of the rest,
 * which is wrong. Exit status 1: one of the ACKS has no record, or a record is
 * not the one that was written.
 *
 * A record lies in one zone; a zone in which it does not fit is left as it is.
 *
 * Knows nothing of cuts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/blkzoned.h>

#include "ack.h"

#define BLOCK 4096
#define PAYLOAD_MAX 60000
#define RECORD_MAX (64 * 1024)
#define SECTOR 512
#define MAGIC 0x31474f4c48535243ull
#define FLUSH_EVERY 8           /* records, when acks come early */

typedef struct Header {
    uint64_t magic;
    uint64_t index;
    uint32_t payload_bytes;
    uint32_t check;             /* of index, size and payload */
} Header;

/* Where the next record is, or would be. */
typedef struct Log {
    int fd;
    uint64_t zone_start;
    uint64_t zone_capacity;
    uint64_t in_zone;
    uint8_t *record;            /* room for RECORD_MAX, aligned */
} Log;

static void die(const char *what)
{
    fprintf(stderr, "crash-log: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* --- Records -------------------------------------------------------------- */

static uint64_t mixed(uint64_t a, uint64_t b)
{
    a = (a ^ (b + 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull;
    return a ^ a >> 32;
}

static uint32_t payload_bytes(uint64_t index)
{
    return mixed(index, 1) % PAYLOAD_MAX;
}

static uint32_t sum_of(const Header *header, const uint8_t *payload)
{
    uint64_t sum = mixed(header->index, header->payload_bytes);

    for (uint32_t i = 0; i < header->payload_bytes; i++) {
        sum = mixed(sum, payload[i]);
    }
    return sum;
}

static uint64_t record_bytes(uint32_t payload)
{
    return (sizeof(Header) + payload + BLOCK - 1) / BLOCK * BLOCK;
}

/* Make the record of this number. Return: its bytes. */
static uint64_t make(uint8_t *record, uint64_t index)
{
    Header *header = (Header *)record;
    uint8_t *payload = record + sizeof(Header);

    memset(record, 0, RECORD_MAX);
    header->magic = MAGIC;
    header->index = index;
    header->payload_bytes = payload_bytes(index);
    for (uint32_t i = 0; i < header->payload_bytes; i++) {
        payload[i] = 1 + mixed(index, 2 + i) % 255;
    }
    header->check = sum_of(header, payload);
    return record_bytes(header->payload_bytes);
}

/* --- Places --------------------------------------------------------------- */

/* Go to the zone that holds this byte. Return: is there one? */
static int enter_zone(Log *log, uint64_t at)
{
    struct {
        struct blk_zone_report head;
        struct blk_zone zone;
    } report;

    memset(&report, 0, sizeof(report));
    report.head.sector = at / SECTOR;
    report.head.nr_zones = 1;
    if (ioctl(log->fd, BLKREPORTZONE, &report) != 0) {
        die("a zone report");
    }
    log->zone_start = report.zone.start * SECTOR;
    log->zone_capacity = report.zone.capacity * SECTOR;
    log->in_zone = 0;
    return report.head.nr_zones == 1;
}

static int next_zone(Log *log)
{
    uint64_t start = log->zone_start;

    return enter_zone(log, start + 1) &&
           (log->zone_start > start ||
            (enter_zone(log, start + log->zone_capacity) &&
             log->zone_start > start));
}

static void open_log(Log *log, const char *device, int flags)
{
    memset(log, 0, sizeof(*log));
    log->fd = open(device, flags | O_DIRECT);
    if (log->fd < 0) {
        die(device);
    }
    if (posix_memalign((void **)&log->record, BLOCK, RECORD_MAX) != 0 ||
        !enter_zone(log, 0)) {
        die(device);
    }
}

/* --- Writing -------------------------------------------------------------- */

static void note(uint64_t index)
{
    char line[64];

    if (ack_write(line, sprintf(line, "%llu %llu\n", ack_counter(),
                                (unsigned long long)index)) != 0) {
        exit(2);
    }
}

static void append(Log *log, uint64_t index)
{
    uint64_t bytes = make(log->record, index);

    if (bytes > log->zone_capacity - log->in_zone && !next_zone(log)) {
        errno = ENOSPC;
        die("the log");
    }
    if (pwrite(log->fd, log->record, bytes, log->zone_start + log->in_zone) !=
        bytes) {
        die("a write");
    }
    log->in_zone += bytes;
}

static void flush(Log *log)
{
    if (fdatasync(log->fd) != 0) {
        die("a flush");
    }
}

static void write_log(const char *device, uint64_t count, int early)
{
    Log log;

    open_log(&log, device, O_RDWR);
    for (uint64_t i = 0; i < count; i++) {
        append(&log, i);
        if (!early) {
            flush(&log);
        }
        note(i);
        if (early && i % FLUSH_EVERY == FLUSH_EVERY - 1) {
            flush(&log);
        }
    }
}

/* --- Reading -------------------------------------------------------------- */

/* Read the record at the present place. Return: its bytes; 0: there is none. */
static uint64_t read_record(Log *log, uint64_t index, int trusting)
{
    const Header *header = (const Header *)log->record;
    uint64_t left = log->zone_capacity - log->in_zone;
    uint64_t bytes = left < RECORD_MAX ? left : RECORD_MAX;

    if (bytes == 0) {
        return 0;
    }
    memset(log->record, 0, RECORD_MAX);
    if (pread(log->fd, log->record, bytes, log->zone_start + log->in_zone) !=
        bytes) {
        die("a read");
    }
    if (header->magic != MAGIC || header->index != index ||
        header->payload_bytes > PAYLOAD_MAX) {
        return 0;
    }
    if (!trusting && header->check != sum_of(header, log->record +
                                             sizeof(Header))) {
        return 0;
    }
    return record_bytes(header->payload_bytes);
}

/* A record that the log has must be the one that was written. */
static void compare(const Log *log, const uint8_t *wanted, uint64_t index)
{
    if (memcmp(log->record, wanted, record_bytes(payload_bytes(index)))) {
        printf("record %llu is not the one that was written\n",
               (unsigned long long)index);
        exit(1);
    }
}

/* Return: how many records the log has. */
static uint64_t read_log(const char *device, int trusting)
{
    uint8_t *wanted = malloc(RECORD_MAX);
    uint64_t index = 0;
    Log log;

    open_log(&log, device, O_RDONLY);
    for (;;) {
        uint64_t bytes = read_record(&log, index, trusting);

        if (bytes == 0 && log.in_zone > 0 && next_zone(&log)) {
            continue;           /* it may go on there */
        }
        if (bytes == 0) {
            return index;
        }
        make(wanted, index);
        compare(&log, wanted, index++);
        log.in_zone += bytes;
    }
}

static void check_log(const char *device, const char *acks, int trusting)
{
    uint64_t records = read_log(device, trusting), acknowledged = 0;
    unsigned long long index;
    FILE *file = fopen(acks, "r");

    if (!file) {
        die(acks);
    }
    while (fscanf(file, "%llu", &index) == 1) {
        acknowledged++;
        if (index >= records) {
            printf("record %llu was acknowledged, and the log has %llu\n",
                   index, (unsigned long long)records);
            exit(1);
        }
    }
    printf("%llu records, %llu acknowledged\n", (unsigned long long)records,
           (unsigned long long)acknowledged);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "write") == 0) {
        write_log(argv[2], strtoull(argv[3], NULL, 10),
                  strcmp(argv[4], "early") == 0);
    } else if (argc == 5 && strcmp(argv[1], "check") == 0) {
        check_log(argv[2], argv[3], strcmp(argv[4], "length") == 0);
    } else {
        fprintf(stderr, "crash-log: write DEVICE COUNT good|early, or check "
                "DEVICE ACKS good|length\n");
        return 2;
    }
    return 0;
}
