// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The drive as the program "limits" sees it: what it says of itself, and
 * commands given to it as they are, by the kernel's passthrough.
 *
 * Knows nothing of which commands are tried.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/nvme_ioctl.h>

/* Statuses: the code type in bits 10:8, the code in 7:0. */
enum {
    SUCCESS = 0x000,
    KERNEL_KEEPS = 0x10000,     /* none of the drive: it was not asked */
    INVALID_OPCODE = 0x001,
    INVALID_FIELD = 0x002,
    INVALID_NAMESPACE = 0x00b,
    COMMAND_SEQUENCE_ERROR = 0x00c,
    LBA_OUT_OF_RANGE = 0x080,
    INVALID_CQID = 0x100,
    INVALID_QID = 0x101,
    INVALID_QUEUE_SIZE = 0x102,
    AER_LIMIT_EXCEEDED = 0x105,
    INVALID_INTERRUPT_VECTOR = 0x108,
    INVALID_LOG_PAGE = 0x109,
    INVALID_FORMAT = 0x10a,
    INVALID_QUEUE_DELETION = 0x10c,
    FEATURE_NOT_SAVEABLE = 0x10d,
    FEATURE_NOT_OF_NAMESPACE = 0x10f,
    ALREADY_ATTACHED = 0x118,
    INVALID_CONTROLLER_LIST = 0x11c,
    COMMAND_SET_NOT_SUPPORTED = 0x129,
    COMMAND_SETS_REJECTED = 0x12b,
    COMMAND_SIZE_LIMIT_EXCEEDED = 0x183,
    INVALID_ZONE_OPERATION = 0x1b6,
    ZRWA_UNAVAILABLE = 0x1b7,
    ZONE_BOUNDARY_ERROR = 0x1b8,
    ZONE_IS_FULL = 0x1b9,
    ZONE_INVALID_WRITE = 0x1bc,
    TOO_MANY_ACTIVE_ZONES = 0x1bd,
    TOO_MANY_OPEN_ZONES = 0x1be,
    INVALID_ZONE_STATE_TRANSITION = 0x1bf,
    COMPARE_FAILURE = 0x285,
};

/* Opcodes. */
enum {
    WRITE = 0x01,
    READ = 0x02,
    COMPARE = 0x05,
    WRITE_ZEROES = 0x08,
    DATASET_MANAGEMENT = 0x09,
    VERIFY = 0x0c,
    COPY = 0x19,
    ZONE_SEND = 0x79,
    ZONE_RECEIVE = 0x7a,
    ZONE_APPEND = 0x7d,

    DELETE_SQ = 0x00,
    CREATE_SQ = 0x01,
    GET_LOG = 0x02,
    DELETE_CQ = 0x04,
    CREATE_CQ = 0x05,
    IDENTIFY = 0x06,
    SET_FEATURES = 0x09,
    GET_FEATURES = 0x0a,
    ASYNC_EVENT = 0x0c,
    ATTACHMENT = 0x15,
    FORMAT = 0x80,
};

/* Zone Send Actions. */
enum {
    CLOSE = 1,
    FINISH = 2,
    OPEN = 3,
    RESET = 4,
    OFFLINE = 5,
    SET_EXTENSION = 0x10,
    ZRWA_FLUSH = 0x11,
};

/* In the dword with the action. */
#define SELECT_ALL (1u << 8)
#define ALLOCATE_ZRWA (1u << 9)
#define NO_LIMIT UINT32_MAX

typedef struct nvme_passthru_cmd64 Cmd;

typedef struct Drive {
    int namespace_fd;
    int controller_fd;
    uint32_t nsid;
    uint32_t namespaces;        /* NN */
    uint32_t lba_bytes;
    uint32_t format_count;
    uint64_t zone_nlb;
    uint64_t capacity_nlb;      /* of a zone */
    uint32_t zones;
    uint64_t end_lba;
    uint32_t max_bytes;         /* MDTS */
    uint32_t max_nlb;
    uint32_t append_max_nlb;    /* ZASL */
    uint32_t max_open;          /* or NO_LIMIT */
    uint32_t max_active;
    uint32_t copy_max_nlb;      /* MCL */
    uint32_t copy_range_nlb;    /* MSSRL */
    uint32_t copy_ranges;       /* MSRC */
    uint32_t max_aers;
    uint32_t max_zrwa;          /* 0: no Zone Random Write Areas */
    uint32_t zrwa_nlb;          /* ZRWASZ */
    uint32_t granule_nlb;       /* ZRWAFG */
    bool has_extensions;
    bool has_format;            /* the command */
    bool has_attachment;        /* likewise */
    uint8_t *data;              /* max_bytes, page aligned */
    uint8_t *before;            /* reports of all zones */
    uint8_t *after;
    uint32_t report_bytes;
    unsigned checks;
    unsigned wrong;
} Drive;

void drive_open(Drive *drive, const char *namespace, const char *controller);

/* Give a command; dies if the kernel does not pass it on. Return: status. */
unsigned admin(Drive *drive, Cmd *cmd);
unsigned io(Drive *drive, Cmd *cmd);

/* One that must succeed, or the program ends. */
void must_admin(Drive *drive, const char *what, Cmd cmd);
void must_io(Drive *drive, const char *what, Cmd cmd);

/*
 * Checks: the status is the one wanted; unless that is success, no zone has
 * changed. Prints what is wrong and counts.
 */
void expect_admin(Drive *drive, unsigned wanted, const char *what, Cmd cmd);
void expect_io(Drive *drive, unsigned wanted, const char *what, Cmd cmd);
void expect_true(Drive *drive, bool is_true, const char *what);

/* Commands on blocks; `nlb` may be too large for `data`. */
Cmd blocks_cmd(Drive *drive, uint8_t opcode, uint64_t slba, uint64_t nlb);
Cmd zone_cmd(Drive *drive, uint32_t action, uint64_t slba);
Cmd report_cmd(Drive *drive, uint64_t slba, uint32_t cdw13, uint32_t bytes,
               void *to);

uint64_t zone_start(const Drive *drive, uint32_t zone);
/* State of a zone, and where it is written next, from a new report. */
unsigned zone_state(Drive *drive, uint32_t zone);
uint64_t zone_wp(Drive *drive, uint32_t zone);

/* Write `nlb` blocks at the write pointer. */
void write_nlb(Drive *drive, uint32_t zone, uint64_t nlb);
void reset_all(Drive *drive);
void die(const char *format, ...);

#endif
