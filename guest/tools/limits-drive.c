// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The drive under "limits": Identify, passthrough, reports, one check.
 *
 * Knows nothing of which commands are tried.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include "limits.h"

#define STATUS_MASK 0x7ff       /* without More and Do Not Retry */
#define MPSMIN_BYTES 4096
#define EFFECTS_LOG 0x05
#define IDENTIFY_BYTES 4096
#define REPORT_HEADER_BYTES 64
#define DESCRIPTOR_BYTES 64
#define CSI_ZONED 2

void die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "limits: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

/* The drive's numbers are little-endian, as this processor's. */
static uint64_t number(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    memcpy(&value, at, bytes);
    return value;
}

/*
 * Linux 6.12.117 and later keep some values of Set Features to the driver, even
 * from root: KERNEL_KEEPS.
 */
static unsigned give(int fd, unsigned long request, Cmd *cmd)
{
    int status = ioctl(fd, request, cmd);

    if (status < 0 && errno == EACCES && cmd->opcode == SET_FEATURES &&
        request == NVME_IOCTL_ADMIN64_CMD) {
        return KERNEL_KEEPS;
    }
    if (status < 0) {
        die("opcode %#x: the kernel does not pass it on: %s", cmd->opcode,
            strerror(errno));
    }
    return status & STATUS_MASK;
}

unsigned admin(Drive *drive, Cmd *cmd)
{
    return give(drive->controller_fd, NVME_IOCTL_ADMIN64_CMD, cmd);
}

unsigned io(Drive *drive, Cmd *cmd)
{
    return give(drive->namespace_fd, NVME_IOCTL_IO64_CMD, cmd);
}

static void must(unsigned status, const char *what)
{
    if (status != SUCCESS) {
        die("%s: status %#x", what, status);
    }
}

void must_admin(Drive *drive, const char *what, Cmd cmd)
{
    must(admin(drive, &cmd), what);
}

void must_io(Drive *drive, const char *what, Cmd cmd)
{
    must(io(drive, &cmd), what);
}

/* Commands */

Cmd blocks_cmd(Drive *drive, uint8_t opcode, uint64_t slba, uint64_t nlb)
{
    uint64_t bytes = nlb * drive->lba_bytes;
    Cmd cmd = {
        .opcode = opcode,
        .nsid = drive->nsid,
        .cdw10 = slba,
        .cdw11 = slba >> 32,
        .cdw12 = nlb - 1,
    };

    if (opcode != WRITE_ZEROES && opcode != VERIFY) {
        cmd.addr = (uintptr_t)drive->data;
        cmd.data_len = bytes < drive->max_bytes ? bytes : drive->max_bytes;
    }
    return cmd;
}

Cmd zone_cmd(Drive *drive, uint32_t action, uint64_t slba)
{
    return (Cmd) {
        .opcode = ZONE_SEND,
        .nsid = drive->nsid,
        .cdw10 = slba,
        .cdw11 = slba >> 32,
        .cdw13 = action,
    };
}

Cmd report_cmd(Drive *drive, uint64_t slba, uint32_t cdw13, uint32_t bytes,
               void *to)
{
    return (Cmd) {
        .opcode = ZONE_RECEIVE,
        .nsid = drive->nsid,
        .addr = (uintptr_t)to,
        .data_len = bytes < drive->max_bytes ? bytes : drive->max_bytes,
        .cdw10 = slba,
        .cdw11 = slba >> 32,
        .cdw12 = bytes / 4 - 1,
        .cdw13 = cdw13,
    };
}

/* Zones */

uint64_t zone_start(const Drive *drive, uint32_t zone)
{
    return zone * drive->zone_nlb;
}

static void report(Drive *drive, uint8_t *to)
{
    must_io(drive, "report", report_cmd(drive, 0, 0, drive->report_bytes,
                                        to));
}

static const uint8_t *descriptor(Drive *drive, uint32_t zone)
{
    report(drive, drive->after);
    return drive->after + REPORT_HEADER_BYTES + zone * DESCRIPTOR_BYTES;
}

unsigned zone_state(Drive *drive, uint32_t zone)
{
    return descriptor(drive, zone)[1] >> 4;
}

uint64_t zone_wp(Drive *drive, uint32_t zone)
{
    return number(descriptor(drive, zone) + 24, 8);
}

void write_nlb(Drive *drive, uint32_t zone, uint64_t nlb)
{
    while (nlb > 0) {
        uint64_t part = nlb < drive->max_nlb ? nlb : drive->max_nlb;

        must_io(drive, "write at the write pointer",
                blocks_cmd(drive, WRITE, zone_wp(drive, zone), part));
        nlb -= part;
    }
}

void reset_all(Drive *drive)
{
    must_io(drive, "reset of all zones",
            zone_cmd(drive, RESET | SELECT_ALL, 0));
}

/* Checks */

static void check(Drive *drive, unsigned wanted, const char *what, Cmd *cmd,
                  unsigned (*run)(Drive *drive, Cmd *cmd))
{
    unsigned status;

    report(drive, drive->before);
    status = run(drive, cmd);
    report(drive, drive->after);
    if (status == KERNEL_KEEPS) {
        printf("not tried: %s: the kernel does not pass it on\n", what);
        return;
    }
    drive->checks++;
    if (status != wanted) {
        drive->wrong++;
        printf("wrong: %s: status %#x, %#x was expected\n", what, status,
               wanted);
    } else if (status != SUCCESS && memcmp(drive->before, drive->after,
                                           drive->report_bytes) != 0) {
        drive->wrong++;
        printf("wrong: %s: refused, but zones have changed\n", what);
    }
}

void expect_admin(Drive *drive, unsigned wanted, const char *what, Cmd cmd)
{
    check(drive, wanted, what, &cmd, admin);
}

void expect_io(Drive *drive, unsigned wanted, const char *what, Cmd cmd)
{
    check(drive, wanted, what, &cmd, io);
}

void expect_true(Drive *drive, bool is_true, const char *what)
{
    drive->checks++;
    if (!is_true) {
        drive->wrong++;
        printf("wrong: %s\n", what);
    }
}

/* What the drive says of itself */

static void identify(Drive *drive, uint32_t cns, uint32_t csi, uint8_t *to)
{
    must_admin(drive, "identify", (Cmd) {
        .opcode = IDENTIFY,
        .nsid = cns == 1 || cns == 6 ? 0 : drive->nsid,
        .addr = (uintptr_t)to,
        .data_len = IDENTIFY_BYTES,
        .cdw10 = cns,
        .cdw11 = csi << 24,
    });
}

/* Commands Supported and Effects: a dword for each admin opcode. */
static void effects(Drive *drive, uint8_t *to)
{
    must_admin(drive, "the effects log", (Cmd) {
        .opcode = GET_LOG,
        .nsid = 0xffffffff,
        .addr = (uintptr_t)to,
        .data_len = IDENTIFY_BYTES,
        .cdw10 = EFFECTS_LOG | (IDENTIFY_BYTES / 4 - 1) << 16,
    });
}

static void *pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        die("no memory");
    }
    return memory;
}

/* NVMe base 2.0, figure 275; ZNS 1.1, figure 48. */
static void learn_controller(Drive *drive, uint8_t *id)
{
    identify(drive, 1, 0, id);
    if (id[77] == 0) {
        die("the drive has no MDTS: there is no limit to exceed");
    }
    drive->max_bytes = MPSMIN_BYTES << id[77];
    drive->has_format = number(id + 256, 2) & 2;
    drive->max_aers = id[259] + 1;
    drive->namespaces = number(id + 516, 4);
    effects(drive, id);
    drive->has_attachment = id[4 * ATTACHMENT] & 1;
}

/* NVM command set 1.0, figure 97; ZNS 1.1, figure 48. */
static void learn_namespace(Drive *drive, uint8_t *id)
{
    uint8_t format;

    identify(drive, 0, 0, id);
    format = id[26] & 0xf;
    drive->format_count = id[25] + 1;
    drive->lba_bytes = 1 << id[128 + 4 * format + 2];
    drive->end_lba = number(id, 8);
    drive->copy_range_nlb = number(id + 74, 2);
    drive->copy_max_nlb = number(id + 76, 4);
    drive->copy_ranges = id[80] + 1;
    drive->max_nlb = drive->max_bytes / drive->lba_bytes;
    identify(drive, 6, CSI_ZONED, id);
    drive->append_max_nlb = id[0] ? (MPSMIN_BYTES << id[0]) / drive->lba_bytes
                                  : drive->max_nlb;
    identify(drive, 5, CSI_ZONED, id);
    drive->max_active = number(id + 4, 4) + 1;
    drive->max_open = number(id + 8, 4) + 1;
    drive->max_active = drive->max_active ? drive->max_active : NO_LIMIT;
    drive->max_open = drive->max_open ? drive->max_open : NO_LIMIT;
    if (id[2] & 2) {
        drive->max_zrwa = number(id + 44, 4) + 1;
        drive->granule_nlb = number(id + 48, 2);
        drive->zrwa_nlb = number(id + 50, 2);
    }
    drive->zone_nlb = number(id + 2816 + 16 * format, 8);
    drive->has_extensions = id[2816 + 16 * format + 8] != 0;
    drive->zones = drive->end_lba / drive->zone_nlb;
}

static int open_device(const char *path)
{
    int fd = open(path, O_RDWR);

    if (fd < 0) {
        die("%s: %s", path, strerror(errno));
    }
    return fd;
}

void drive_open(Drive *drive, const char *namespace, const char *controller)
{
    uint8_t *id = pages(IDENTIFY_BYTES);

    *drive = (Drive) {
        .namespace_fd = open_device(namespace),
        .controller_fd = open_device(controller),
    };
    drive->nsid = ioctl(drive->namespace_fd, NVME_IOCTL_ID);
    learn_controller(drive, id);
    learn_namespace(drive, id);
    drive->report_bytes = REPORT_HEADER_BYTES +
                          drive->zones * DESCRIPTOR_BYTES;
    if (drive->report_bytes > drive->max_bytes) {
        die("%u zones: a report of them is longer than MDTS", drive->zones);
    }
    drive->data = pages(drive->max_bytes);
    drive->before = pages(drive->report_bytes);
    drive->after = pages(drive->report_bytes);
    drive->capacity_nlb = number(descriptor(drive, 0) + 8, 8);
}
