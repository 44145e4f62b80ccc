// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The drive under zns-load: what it says of itself, and NVMe commands as
 * passthrough, by io_uring or one at a time.
 *
 * Knows nothing of jobs and of time.
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "zns-load.h"

#define STATUS_MASK 0x7ff       /* without More and Do Not Retry */
#define ADMIN_IDENTIFY 0x06
#define ADMIN_SET_FEATURES 0x09
#define IDENTIFY_BYTES 4096
#define CNS_NAMESPACE 0x00
#define CNS_CSI_NAMESPACE 0x05
#define CNS_CSI_CONTROLLER 0x06
#define CNS_CONTROLLER 0x01
#define CSI_ZONED 2
#define FEATURE_STATS 0xc0      /* of femu-zns: writing it resets them */
#define ZONE_RECEIVE 0x7a
#define REPORT_BYTES 65536
#define REPORT_HEADER_BYTES 64
#define DESCRIPTOR_BYTES 64
#define MIN_PAGE_BYTES 4096     /* CAP.MPSMIN of 0 */

static const struct {
    uint8_t opcode;
    uint8_t send_action;        /* of Zone Management Send */
} codes[OP_COUNT] = {
    [OP_READ] = { 0x02, 0 },
    [OP_WRITE] = { 0x01, 0 },
    [OP_APPEND] = { 0x7d, 0 },
    [OP_CLOSE] = { 0x79, 1 },
    [OP_FINISH] = { 0x79, 2 },
    [OP_OPEN] = { 0x79, 3 },
    [OP_RESET] = { 0x79, 4 },
};

/* NVMe base 2.0 figure 94 and ZNS 1.1 figure 9, of what can happen here. */
static const struct {
    int status;
    const char *text;
} statuses[] = {
    { 0x002, "Invalid Field in Command" },
    { 0x006, "Internal Error" },
    { 0x007, "Abort Requested" },
    { 0x080, "LBA Out of Range" },
    { 0x084, "Format In Progress" },
    { 0x1b8, "Zone Boundary Error" },
    { 0x1b9, "Zone Is Full" },
    { 0x1ba, "Zone Is Read Only" },
    { 0x1bb, "Zone Is Offline" },
    { 0x1bc, "Zone Invalid Write" },
    { 0x1bd, "Too Many Active Zones" },
    { 0x1be, "Too Many Open Zones" },
    { 0x1bf, "Invalid Zone State Transition" },
    { 0x280, "Write Fault" },
    { 0x281, "Unrecovered Read Error" },
};

const char *status_text(int status, char *buffer, size_t size)
{
    const char *text = status < 0 ? strerror(-status) : "";

    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        if (statuses[i].status == status) {
            text = statuses[i].text;
        }
    }
    if (status < 0) {
        snprintf(buffer, size, "%s", text);
    } else {
        snprintf(buffer, size, "NVMe status %03xh%s%s", status,
                 *text ? ", " : "", text);
    }
    return buffer;
}

/* The drive's numbers are little-endian, as this processor's. */
static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    memcpy(&value, at, bytes);
    return value;
}

static int give(const Drive *drive, unsigned long request,
                struct nvme_passthru_cmd64 *cmd)
{
    int status = ioctl(drive->fd, request, cmd);

    return status < 0 ? -errno : status & STATUS_MASK;
}

/* Return: NVMe status, or -errno; DATA takes IDENTIFY_BYTES. */
static int identify(const Drive *drive, uint8_t cns, uint8_t csi, void *data)
{
    struct nvme_passthru_cmd64 cmd = {
        .opcode = ADMIN_IDENTIFY,
        .nsid = cns == CNS_NAMESPACE || cns == CNS_CSI_NAMESPACE
                ? drive->nsid : 0,
        .addr = (uintptr_t)data,
        .data_len = IDENTIFY_BYTES,
        .cdw10 = cns,
        .cdw11 = (uint32_t)csi << 24,
    };

    return give(drive, NVME_IOCTL_ADMIN64_CMD, &cmd);
}

static void must(const Drive *drive, int status, const char *what)
{
    char text[80];

    if (status != 0) {
        die(1, "%s: %s: %s", drive->path, what,
            status_text(status, text, sizeof(text)));
    }
}

/* 2^exponent pages, or 0 where the drive names no limit. */
static uint64_t pages_bytes(uint8_t exponent)
{
    return exponent > 0 ? (uint64_t)MIN_PAGE_BYTES << exponent : 0;
}

static void read_limits(Drive *drive)
{
    uint8_t data[IDENTIFY_BYTES];

    must(drive, identify(drive, CNS_CONTROLLER, 0, data),
         "identifying the controller");
    drive->transfer_max_bytes = pages_bytes(data[77]);
    must(drive, identify(drive, CNS_CSI_CONTROLLER, CSI_ZONED, data),
         "identifying the controller's zoned command set");
    drive->append_max_bytes = pages_bytes(data[0]);
    if (drive->append_max_bytes == 0) {
        drive->append_max_bytes = drive->transfer_max_bytes;
    }
}

static void read_sizes(Drive *drive)
{
    uint8_t data[IDENTIFY_BYTES];
    unsigned format;

    must(drive, identify(drive, CNS_NAMESPACE, 0, data),
         "identifying the namespace");
    format = data[26] & 0xf;
    drive->lba_bytes = 1U << data[128 + 4 * format + 2];
    if (identify(drive, CNS_CSI_NAMESPACE, CSI_ZONED, data) != 0 ||
        number(data + 2816 + 16 * format, 8) == 0) {
        die(1, "%s: the namespace has no zones", drive->path);
    }
    drive->zone_bytes = number(data + 2816 + 16 * format, 8) *
                        drive->lba_bytes;
}

/*
 * Full, read-only and offline zones have no valid write pointer (ZNS 1.1, figure
 * 37). All of the first two can be read, nothing of the last.
 */
static uint64_t written_lba(const Zone *zone, uint64_t write_pointer)
{
    switch (zone->state) {
    case ZONE_FULL:
    case ZONE_READ_ONLY:
        return zone->capacity_lba;
    case ZONE_OFFLINE:
        return 0;
    default:
        return write_pointer - zone->start_lba;
    }
}

static void take_descriptor(Zone *zone, const uint8_t *at)
{
    zone->state = at[1] >> 4;
    zone->capacity_lba = number(at + 8, 8);
    zone->start_lba = number(at + 16, 8);
    zone->written_lba = written_lba(zone, number(at + 24, 8));
}

/* Reads the descriptors from zone FIRST on. Return: how many came. */
static uint32_t report(Drive *drive, uint32_t first, uint8_t *data)
{
    struct nvme_passthru_cmd64 cmd = {
        .opcode = ZONE_RECEIVE,
        .nsid = drive->nsid,
        .addr = (uintptr_t)data,
        .data_len = REPORT_BYTES,
        .cdw12 = REPORT_BYTES / 4 - 1,
    };
    uint64_t lba = first * (drive->zone_bytes / drive->lba_bytes);
    uint64_t zones;

    cmd.cdw10 = (uint32_t)lba;
    cmd.cdw11 = lba >> 32;
    must(drive, give(drive, NVME_IOCTL_IO64_CMD, &cmd), "reporting zones");
    zones = number(data, 8);
    if (first == 0) {
        drive->zone_count = zones;
        drive->zones = allocate(zones, sizeof(Zone));
    }
    zones = (REPORT_BYTES - REPORT_HEADER_BYTES) / DESCRIPTOR_BYTES;
    if (zones > drive->zone_count - first) {
        zones = drive->zone_count - first;
    }
    for (uint32_t i = 0; i < zones; i++) {
        take_descriptor(&drive->zones[first + i],
                        data + REPORT_HEADER_BYTES + i * DESCRIPTOR_BYTES);
    }
    return zones;
}

/*
 * An exclusive open of the block device: a file system has one of each of its
 * drives, of which /proc/mounts names the first alone.
 */
void drive_claim(const char *path)
{
    const char *slash = strrchr(path, '/');
    unsigned controller, nsid;
    char block[64];

    if (sscanf(slash ? slash + 1 : path, "ng%un%u", &controller, &nsid) != 2) {
        die(2, "filename=%s: with exclusive a name such as /dev/ng0n1 is "
            "expected", path);
    }
    snprintf(block, sizeof(block), "/dev/nvme%un%u", controller, nsid);
    if (open(block, O_RDONLY | O_EXCL) < 0) {
        die(1, "%s: %s", block, errno == EBUSY
            ? "is in use: a file system or another program has it"
            : strerror(errno));
    }
}

void drive_open(Drive *drive, const char *path)
{
    uint8_t *data = allocate(1, REPORT_BYTES);
    struct stat file;
    int nsid;

    drive->path = path;
    drive->fd = open(path, O_RDWR);
    if (drive->fd < 0) {
        die(1, "filename=%s: %s", path, strerror(errno));
    }
    /* The block device answers too, but takes no passthrough of io_uring. */
    nsid = fstat(drive->fd, &file) == 0 && S_ISCHR(file.st_mode)
           ? ioctl(drive->fd, NVME_IOCTL_ID) : -1;
    if (nsid <= 0) {
        die(2, "filename=%s: the character device of a namespace is expected, "
            "such as /dev/ng0n1", path);
    }
    drive->nsid = nsid;
    read_limits(drive);
    read_sizes(drive);
    for (uint32_t at = report(drive, 0, data); at < drive->zone_count;) {
        at += report(drive, at, data);
    }
    free(data);
}

/* The words of the command that both ways of passing it on share. */
static void dwords(const Command *cmd, uint32_t *cdw10, uint32_t *cdw11,
                   uint32_t *cdw12, uint32_t *cdw13)
{
    *cdw10 = (uint32_t)cmd->lba;
    *cdw11 = cmd->lba >> 32;
    *cdw12 = cmd->nlb > 0 ? cmd->nlb - 1 : 0;
    *cdw13 = codes[cmd->op].send_action;
}

void drive_prepare(const Drive *drive, const Command *cmd,
                   struct io_uring_sqe *sqe)
{
    struct nvme_uring_cmd *nvme = (struct nvme_uring_cmd *)sqe->cmd;

    memset(sqe, 0, 2 * sizeof(*sqe));
    sqe->opcode = IORING_OP_URING_CMD;
    sqe->fd = drive->fd;
    sqe->cmd_op = NVME_URING_CMD_IO;
    nvme->opcode = codes[cmd->op].opcode;
    nvme->nsid = drive->nsid;
    nvme->addr = (uintptr_t)cmd->data;
    nvme->data_len = cmd->nlb * drive->lba_bytes;
    dwords(cmd, &nvme->cdw10, &nvme->cdw11, &nvme->cdw12, &nvme->cdw13);
}

int drive_do(const Drive *drive, const Command *cmd)
{
    struct nvme_passthru_cmd64 nvme = {
        .opcode = codes[cmd->op].opcode,
        .nsid = drive->nsid,
        .addr = (uintptr_t)cmd->data,
        .data_len = cmd->nlb * drive->lba_bytes,
    };

    dwords(cmd, &nvme.cdw10, &nvme.cdw11, &nvme.cdw12, &nvme.cdw13);
    return give(drive, NVME_IOCTL_IO64_CMD, &nvme);
}

int drive_reset_stats(const Drive *drive)
{
    struct nvme_passthru_cmd64 cmd = {
        .opcode = ADMIN_SET_FEATURES,
        .cdw10 = FEATURE_STATS,
        .cdw11 = 1,
    };

    return give(drive, NVME_IOCTL_ADMIN64_CMD, &cmd);
}
