/*
 * Words that every room of the drive shares: statuses, operations and zone
 * states, with the values that the NVMe and ZNS specifications give them;
 * commands and completions.
 *
 * Knows nothing of anything else.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_TYPES_H
#define FEMU_SSD_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * NVMe status as SCT << 8 | SC (NVMe base 2.0 figure 93 and following, ZNS
 * command set 1.1 section 3.2, TP 4076b), without the phase, More and DNR bits.
 */
typedef enum SsdStatus {
    SSD_SUCCESS = 0x0000,
    SSD_INVALID_OPCODE = 0x0001,
    SSD_INVALID_FIELD = 0x0002,
    SSD_INVALID_NAMESPACE_OR_FORMAT = 0x000b,
    SSD_LBA_OUT_OF_RANGE = 0x0080,
    SSD_COMMAND_SIZE_LIMIT_EXCEEDED = 0x0183,
    SSD_INVALID_ZONE_OPERATION = 0x01b6,
    SSD_ZRWA_UNAVAILABLE = 0x01b7,
    SSD_ZONE_BOUNDARY_ERROR = 0x01b8,
    SSD_ZONE_IS_FULL = 0x01b9,
    SSD_ZONE_IS_READ_ONLY = 0x01ba,
    SSD_ZONE_IS_OFFLINE = 0x01bb,
    SSD_ZONE_INVALID_WRITE = 0x01bc,
    SSD_TOO_MANY_ACTIVE_ZONES = 0x01bd,
    SSD_TOO_MANY_OPEN_ZONES = 0x01be,
    SSD_INVALID_ZONE_STATE_TRANSITION = 0x01bf,
} SsdStatus;

/* The smallest block that a drive may have: LBA data size 9. */
#define SSD_LBA_BYTES_MIN 512

/*
 * The most source ranges of a COPY; the most blocks that they add up to
 * are mdts. The drive reports both (NVMe NVM command set 1.0 section 3.2.2).
 */
#define SSD_COPY_RANGES_MAX 128

/* The most ranges of a DEALLOCATE (NVM command set 1.0 section 3.2.3). */
#define SSD_DEALLOCATE_RANGES_MAX 256

/* The namespace identifier that stands for all of them. */
#define SSD_NSID_ALL 0xffffffffu

typedef enum SsdOp {
    SSD_OP_READ,
    SSD_OP_WRITE,
    SSD_OP_APPEND,
    SSD_OP_FLUSH,
    SSD_OP_WRITE_ZEROES,
    SSD_OP_VERIFY,
    SSD_OP_COMPARE,
    SSD_OP_COPY,
    SSD_OP_DEALLOCATE,
    SSD_OP_ZONE_OPEN,
    SSD_OP_ZONE_CLOSE,
    SSD_OP_ZONE_FINISH,
    SSD_OP_ZONE_RESET,
    SSD_OP_ZONE_OFFLINE,
    SSD_OP_ZONE_SET_EXTENSION, /* the drive keeps the state, not the data */
    /* With a Zone Random Write Area (NVMe TP 4076b) */
    SSD_OP_ZONE_OPEN_ZRWA,
    SSD_OP_ZONE_SET_EXTENSION_ZRWA,
    SSD_OP_ZONE_FLUSH_ZRWA,
    /* Questions and settings: they change nothing here, but take time */
    SSD_OP_ZONE_REPORT,
    SSD_OP_IDENTIFY,
    SSD_OP_LOG,
    SSD_OP_FEATURE,
    /* No command of NVMe: the controller is shut down */
    SSD_OP_SHUTDOWN,
    SSD_OP_COUNT,
} SsdOp;

/* Zone states, numbered as in the zone descriptor (ZNS 1.1 figure 37). */
typedef enum SsdZoneState {
    SSD_ZONE_EMPTY = 0x1,
    SSD_ZONE_IMPLICITLY_OPEN = 0x2,
    SSD_ZONE_EXPLICITLY_OPEN = 0x3,
    SSD_ZONE_CLOSED = 0x4,
    SSD_ZONE_READ_ONLY = 0xd,
    SSD_ZONE_FULL = 0xe,
    SSD_ZONE_OFFLINE = 0xf,
} SsdZoneState;

typedef struct SsdRange {
    uint64_t slba;
    uint32_t nlb;
} SsdRange;

/*
 * A command to namespace `nsid`. READ, WRITE, WRITE_ZEROES, VERIFY, COMPARE:
 * `slba`, `nlb` blocks. APPEND: `slba` is the start of the zone. COPY: from
 * `range_count` source ranges to `slba`; `nlb` is ignored. DEALLOCATE: the
 * blocks of `range_count` ranges; in a zoned namespace without effect.
 * ZONE_*: `slba` is the start of the zone, ignored with `select_all`, which
 * means all zones of the namespace; `nlb` is ignored. FLUSH ignores all of
 * them, and takes SSD_NSID_ALL, too: whatever it names, it covers the whole
 * drive. So do IDENTIFY, LOG and FEATURE, which are of the controller, and
 * SHUTDOWN: each zone takes the state that it begins with (ZNS 1.1 section
 * 2.1.1.3), and the drive has what a flush waits for.
 * ZONE_REPORT: of `nlb` zones, which may be 0, from that of `slba` on.
 * `ranges` is read during ssd_submit() only.
 */
typedef struct SsdCmd {
    SsdOp op;
    uint32_t nsid; /* 1 to ssd_ns_count() */
    bool select_all;
    uint32_t nlb;
    uint64_t slba;
    const SsdRange *ranges;
    uint32_t range_count;
} SsdCmd;

/* A completion. `result` is the assigned LBA of an APPEND, else 0. */
typedef struct SsdDone {
    uint32_t tag;
    uint32_t nsid;
    SsdStatus status;
    SsdOp op;
    uint64_t result;
    uint64_t ahead_bytes; /* of a read: what had been read ahead of it */
    uint64_t submitted_at_ns;
    uint64_t due_at_ns;
} SsdDone;

typedef enum SsdNsKind {
    SSD_NS_ZONED,
    SSD_NS_CONVENTIONAL, /* the last one, if there is one: no zones */
} SsdNsKind;

#endif
