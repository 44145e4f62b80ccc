// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds out from latencies alone which zones share parallel units of the flash,
 * by pivot and needle (Oh et al., ZenFS+, IEEE Access 2023), and prints JSON.
 *
 *   zone-finder /dev/ng0n1 FIRST_ZONE ZONE_COUNT [MIB]
 *
 * Empty zones among them get MIB of data (12) and are finished; others must
 * hold as much. How far a latency jumps is learnt of the first zone.
 * `pairs` are the zones that share units, `groups` what hangs together by
 * these, `independent` zones none of which shares a unit with another.
 *
 * Exit status: 0 if it found out, 1 otherwise, 2 if the arguments are wrong.
 *
 * Knows nothing of the drive's configuration: it reads, and looks at the clock.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "zone-finder.h"

#define MIB_DEFAULT 12
#define MIB_MAX 65536
#define WRITE_BYTES (256 * 1024)
#define SETTLE_NS (100 * NS_PER_MS)

/* What was found of zones FIRST to FIRST + COUNT - 1. */
typedef struct {
    uint32_t first, count;
    bool *shares;               /* [pivot * count + needle] */
} Found;

void die(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "zone-finder: error: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(status);
}

void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);

    if (memory == NULL) {
        die(1, "no memory for %zu times %zu bytes", count, bytes);
    }
    return memory;
}

uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* --- Data ---------------------------------------------------------------- */

static void must(const Drive *drive, const Command *cmd, const char *what)
{
    int status = drive_do(drive, cmd);
    char text[80];

    if (status != 0) {
        die(1, "%s of zone %u: %s", what, cmd->zone_idx,
            status_text(status, text, sizeof(text)));
    }
}

/* An empty zone gets data and is finished, so that they are in the flash. */
static void fill(const Drive *drive, uint32_t zone_idx, uint64_t bytes,
                 uint8_t *data, uint64_t data_bytes)
{
    const Zone *zone = &drive->zones[zone_idx];
    Command cmd = { .zone_idx = zone_idx, .data = data };

    if (zone->written_lba * drive->lba_bytes >= bytes) {
        return;
    }
    if (zone->state != ZONE_EMPTY) {
        die(1, "zone %u holds %llu KiB: it must be empty, or hold %llu KiB",
            zone_idx, (unsigned long long)
            (zone->written_lba * drive->lba_bytes / 1024),
            (unsigned long long)bytes / 1024);
    }
    cmd.op = OP_WRITE;
    for (uint64_t done = 0; done < bytes; done += data_bytes) {
        uint64_t left = bytes - done;

        cmd.lba = zone->start_lba + done / drive->lba_bytes;
        cmd.nlb = (left < data_bytes ? left : data_bytes) / drive->lba_bytes;
        must(drive, &cmd, "write");
    }
    if (bytes < zone->capacity_lba * drive->lba_bytes) {
        cmd = (Command){ .op = OP_FINISH, .zone_idx = zone_idx,
                         .lba = zone->start_lba };
        must(drive, &cmd, "finish");
    }
}

static void fill_all(const Drive *drive, const Found *found, uint64_t bytes)
{
    struct timespec settle = { .tv_nsec = SETTLE_NS };
    uint64_t data_bytes = WRITE_BYTES;
    uint8_t *data = NULL;

    if (drive->transfer_max_bytes > 0 &&
        drive->transfer_max_bytes < data_bytes) {
        data_bytes = drive->transfer_max_bytes;
    }
    if (posix_memalign((void **)&data, 4096, data_bytes) != 0) {
        die(1, "no memory for %llu bytes", (unsigned long long)data_bytes);
    }
    memset(data, 0x5a, data_bytes);
    for (uint32_t i = 0; i < found->count; i++) {
        fill(drive, found->first + i, bytes, data, data_bytes);
    }
    free(data);
    nanosleep(&settle, NULL);
}

/* --- What was found ------------------------------------------------------ */

static void find(Probe *probe, Found *found)
{
    for (uint32_t p = 0; p + 1 < found->count; p++) {
        Pivot pivot;

        probe_pivot(probe, found->first + p, &pivot);
        for (uint32_t n = p + 1; n < found->count; n++) {
            bool shares = probe_share(probe, &pivot, found->first + n);

            found->shares[p * found->count + n] = shares;
            found->shares[n * found->count + p] = shares;
        }
    }
}

static void print_pairs(const Found *found)
{
    const char *comma = "";

    printf("  \"pairs\": [");
    for (uint32_t p = 0; p < found->count; p++) {
        for (uint32_t n = p + 1; n < found->count; n++) {
            if (found->shares[p * found->count + n]) {
                printf("%s[%u, %u]", comma, found->first + p,
                       found->first + n);
                comma = ", ";
            }
        }
    }
    printf("],\n");
}

/* Prints ZONE_IDX and all that hangs together with it, and forgets them. */
static void print_group(const Found *found, bool *printed, uint32_t idx,
                        const char *comma)
{
    printf("%s%u", comma, found->first + idx);
    printed[idx] = true;
    for (uint32_t n = 0; n < found->count; n++) {
        if (!printed[n] && found->shares[idx * found->count + n]) {
            print_group(found, printed, n, ", ");
        }
    }
}

static void print_groups(const Found *found)
{
    bool *printed = allocate(found->count, sizeof(*printed));
    const char *comma = "";

    printf("  \"groups\": [");
    for (uint32_t i = 0; i < found->count; i++) {
        if (!printed[i]) {
            printf("%s[", comma);
            print_group(found, printed, i, "");
            printf("]");
            comma = ", ";
        }
    }
    printf("],\n");
    free(printed);
}

static void print_independent(const Found *found)
{
    bool *taken = allocate(found->count, sizeof(*taken));
    const char *comma = "";

    printf("  \"independent\": [");
    for (uint32_t i = 0; i < found->count; i++) {
        taken[i] = true;
        for (uint32_t k = 0; k < i; k++) {
            if (taken[k] && found->shares[i * found->count + k]) {
                taken[i] = false;
            }
        }
        if (taken[i]) {
            printf("%s%u", comma, found->first + i);
            comma = ", ";
        }
    }
    printf("]\n");
    free(taken);
}

static void print(const Drive *drive, const Found *found, const Shape *shape,
                  const Probe *probe)
{
    printf("{ \"device\": \"%s\", \"first\": %u, \"count\": %u,\n",
           drive->path, found->first, found->count);
    printf("  \"units\": %u, \"alone_ns\": %llu, \"jump_ns\": %llu, "
           "\"tries\": %llu,\n", shape->units,
           (unsigned long long)shape->alone_ns,
           (unsigned long long)shape->jump_ns,
           (unsigned long long)probe_count(probe));
    print_pairs(found);
    print_groups(found);
    print_independent(found);
    printf("}\n");
}

/* --- The command line ---------------------------------------------------- */

/* Return: the whole number in TEXT, from LEAST to MOST. */
static uint64_t number_of(const char *name, const char *text, uint64_t least,
                          uint64_t most)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' ||
        value < least || value > most) {
        die(2, "%s %s: a whole number from %llu to %llu is expected", name,
            text, (unsigned long long)least, (unsigned long long)most);
    }
    return value;
}

int main(int argc, char **argv)
{
    Drive drive;
    Found found;
    Shape shape;
    Probe *probe;
    uint64_t bytes, capacity;

    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: zone-finder /dev/ng0n1 FIRST_ZONE ZONE_COUNT "
                "[MIB]\n");
        return 2;
    }
    bytes = argc == 5 ? number_of("MIB", argv[4], 1, MIB_MAX) : MIB_DEFAULT;
    bytes <<= 20;
    drive_open(&drive, argv[1]);
    found.first = number_of("FIRST_ZONE", argv[2], 0, drive.zone_count - 1);
    found.count = number_of("ZONE_COUNT", argv[3], 1,
                            drive.zone_count - found.first);
    found.shares = allocate((size_t)found.count * found.count, sizeof(bool));
    capacity = drive.zones[found.first].capacity_lba * drive.lba_bytes;
    bytes = bytes < capacity ? bytes : capacity;
    fill_all(&drive, &found, bytes);
    probe = probe_new(&drive, bytes);
    probe_learn(probe, found.first, &shape);
    find(probe, &found);
    print(&drive, &found, &shape, probe);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        die(1, "standard output: %s", strerror(errno));
    }
    return 0;
}
