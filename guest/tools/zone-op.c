// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times zone management operations as a program sees them, and prints JSON.
 *
 *   zone-op DEVICE reset|open|close|finish FIRST_ZONE [ZONE_COUNT]
 *
 * One operation for each zone, one after another. Exit status: 0 if all
 * succeeded, 1 otherwise, 2 if the arguments are wrong.
 *
 * Knows nothing of the drive's timing: it reads the guest's clock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <libzbd/zbd.h>

#define NS_PER_S 1000000000LL

typedef struct {
    const char *name;
    enum zbd_zone_op op;
} Operation;

static const Operation operations[] = {
    { "reset", ZBD_OP_RESET },
    { "open", ZBD_OP_OPEN },
    { "close", ZBD_OP_CLOSE },
    { "finish", ZBD_OP_FINISH },
};

static const Operation *find_operation(const char *name)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        if (strcmp(operations[i].name, name) == 0) {
            return &operations[i];
        }
    }
    return NULL;
}

/* Return: whether TEXT is a whole decimal number, stored in *value. */
static bool parse_number(const char *text, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0';
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Runs the operation on one zone and prints its JSON object. Return: success */
static bool time_zone(int fd, const Operation *operation, uint64_t zone,
                      uint64_t zone_bytes)
{
    int64_t start_ns = now_ns();
    int status = zbd_zones_operation(fd, operation->op, zone * zone_bytes,
                                     zone_bytes);
    int error = status == 0 ? 0 : errno;
    int64_t latency_ns = now_ns() - start_ns;

    printf("{ \"zone\": %llu, \"latency_ns\": %lld, \"errno\": %d }",
           (unsigned long long)zone, (long long)latency_ns, error);
    if (error != 0) {
        fprintf(stderr, "zone-op: %s of zone %llu: %s\n", operation->name,
                (unsigned long long)zone, strerror(error));
    }
    return error == 0;
}

static bool time_zones(int fd, const Operation *operation, const char *device,
                       uint64_t first, uint64_t count, uint64_t zone_bytes)
{
    bool all_well = true;

    printf("{ \"device\": \"%s\", \"operation\": \"%s\", \"zones\": [\n",
           device, operation->name);
    for (uint64_t zone = first; zone < first + count; zone++) {
        all_well &= time_zone(fd, operation, zone, zone_bytes);
        printf("%s\n", zone + 1 < first + count ? "," : "");
    }
    printf("] }\n");
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "zone-op: standard output: %s\n", strerror(errno));
        return false;
    }
    return all_well;
}

int main(int argc, char **argv)
{
    const Operation *operation = argc > 2 ? find_operation(argv[2]) : NULL;
    struct zbd_info info;
    uint64_t first = 0, count = 1;
    int fd;

    if (operation == NULL || argc < 4 || argc > 5 ||
        !parse_number(argv[3], &first) ||
        (argc == 5 && !parse_number(argv[4], &count))) {
        fprintf(stderr, "usage: zone-op DEVICE reset|open|close|finish "
                "FIRST_ZONE [ZONE_COUNT]\n");
        return 2;
    }
    fd = zbd_open(argv[1], O_RDWR, &info);
    if (fd < 0) {
        fprintf(stderr, "zone-op: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    if (first >= info.nr_zones || count < 1 || count > info.nr_zones - first) {
        fprintf(stderr, "zone-op: zones %llu + %llu: %s has %u zones\n",
                (unsigned long long)first, (unsigned long long)count, argv[1],
                info.nr_zones);
        return 2;
    }
    return time_zones(fd, operation, argv[1], first, count,
                      info.zone_size) ? 0 : 1;
}
