/*
 * The oracle: random commands to two drives in one QEMU, ours and QEMU's own
 * zoned nvme, whose answers must be equal or differ for a reason in a table.
 *
 * Knows nothing of how long anything takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_ORACLE_H
#define FEMU_ZNS_ORACLE_H

#include "femu-zns-commands.h"

enum { ORACLE_OURS, ORACLE_QEMU, ORACLE_SIDES };

#define ORACLE_ZONES_MAX 32u
#define ORACLE_SLOTS 16u                /* commands in flight at once */
#define ORACLE_OPS_MAX 64u              /* rows of the table of operations */
#define ORACLE_POOL_BYTES (512 * 1024u) /* of random data */
#define ORACLE_RANGES_MAX 128u          /* of a Copy: MSRC */
#define ORACLE_LAYOUT_BYTES 64u         /* shorter data go by plain PRP */

/* ZNS 1.1, figure 34: zones with an attribute. QEMU has no name for it. */
#define ORACLE_FILTER_ATTRIBUTES 0x09

#define ORACLE_ZDEV (1u << 7)           /* attribute: extension valid */

#define ORACLE_NAMESPACES_MAX 4u        /* zoned ones */

/*
 * The geometry of both drives, of each namespace; zasl_bytes and wzsl_bytes = 0
 * mean as mdts_bytes, and namespaces = 0 means one.
 */
typedef struct OracleConfig {
    const char *name;
    uint32_t lba_bytes;
    uint32_t zones;
    uint64_t zone_size_bytes;
    uint64_t zone_capacity_bytes;
    uint64_t page_bytes;                /* of our flash */
    uint32_t max_open;
    uint32_t max_active;
    uint64_t mdts_bytes;
    uint64_t zasl_bytes;
    uint64_t wzsl_bytes;                /* ours; QEMU's has no limit */
    uint64_t zrwa_bytes;                /* 0: none; the granule is given, too */
    uint64_t zrwa_granule_bytes;
    uint32_t max_zrwa;
    uint32_t ext_bytes;                 /* of a zone descriptor */
    uint32_t namespaces;
    bool recommends;                    /* ours, to reset zones that are full */
    const char *features;               /* of our drive: properties, or NULL */
} OracleConfig;

/* By which rules of the specification a command goes. */
typedef enum OracleKind {
    ORACLE_FLUSH,
    ORACLE_READ,                        /* Read, Compare, Verify */
    ORACLE_WRITE,                       /* Write, Write Zeroes */
    ORACLE_APPEND,
    ORACLE_COPY,
    ORACLE_DATASET,
    ORACLE_SEND,
    ORACLE_RECEIVE,
    ORACLE_OTHER,
} OracleKind;

typedef enum OracleData {
    ORACLE_NO_DATA,
    ORACLE_TO_DRIVE,
    ORACLE_FROM_DRIVE,
} OracleData;

/* How a data pointer describes the buffer; wrongly from BAD_ENTRY on. */
typedef enum OracleLayout {
    ORACLE_PRP,
    ORACLE_PRP_SCATTERED,
    ORACLE_SGL,
    ORACLE_SGL_SEGMENTS,
    ORACLE_PRP_BAD_ENTRY,
    ORACLE_PRP_ODD,
    ORACLE_SGL_SHORT,
    ORACLE_SGL_LONG,
    ORACLE_SGL_BAD_TYPE,
    ORACLE_SGL_BAD_SEGMENT,
    ORACLE_PSDT_METADATA,
    ORACLE_PSDT_RESERVED,
    ORACLE_LAYOUTS,
} OracleLayout;

typedef struct Oracle Oracle;
typedef struct OracleCmd OracleCmd;

/* A kind of command that can be drawn: one row of the table of operations. */
typedef struct OracleOp {
    const char *name;
    uint8_t opcode;
    OracleKind kind;
    unsigned weight;
    void (*make)(Oracle *oracle, OracleCmd *cmd);
} OracleOp;

/* Blocks that a Copy or a Dataset Management names. */
typedef struct OracleRange {
    uint64_t slba;
    uint32_t nlb;
} OracleRange;

/*
 * A command before it is given memory: the same for both drives. FEMU_NSID in
 * it stands for the namespace that it is for, see oracle_select(). `bytes` is
 * what it transfers, 0 if its fields ask for more than a drive takes; then no
 * drive may look at the data pointer. Data to a drive come from `offset_bytes`
 * of the pool; data from it go to that place in its sink's first page. The
 * data of a command that has ranges are these.
 */
struct OracleCmd {
    const OracleOp *op;
    NvmeCmd sqe;
    OracleData data;
    OracleLayout layout;
    uint32_t bytes;
    uint32_t offset_bytes;
    uint32_t range_count;
    OracleRange range[ORACLE_RANGES_MAX];
};

typedef struct OracleAnswer {
    uint16_t status;
    uint64_t result;
} OracleAnswer;

/* A report of all zones. */
typedef struct OracleZones {
    NvmeZoneDescr zone[ORACLE_ZONES_MAX];
} OracleZones;

/* In what two answers can differ: bits. */
typedef enum OracleAspect {
    ORACLE_STATUS = 1,
    ORACLE_RESULT = 2,                  /* the LBA of an append */
    ORACLE_BYTES = 4,                   /* the data */
    ORACLE_ZONE = 8,                    /* the zones afterwards */
    ORACLE_HIDDEN = 16,                 /* zone state that no report shows */
    ORACLE_CHANGED = 32,                /* our error changed a zone */
    ORACLE_RULES = 64,                  /* our status is against the rules */
    ORACLE_OTHERS = 128,                /* another namespace has changed */
} OracleAspect;

/* A command, what was before, what came of it. */
typedef struct OracleCase {
    Oracle *oracle;
    const OracleCmd *cmd;               /* NULL: several in flight */
    OracleZones before;
    OracleAnswer answer[ORACLE_SIDES];
    OracleZones after[ORACLE_SIDES];
    unsigned aspects;                   /* in which they differ */
} OracleCase;

/* Guest memory of one command in flight; what a drive writes it has alone. */
typedef struct OracleSlot {
    uint64_t sink[ORACLE_SIDES];
    uint64_t sink_list[ORACLE_SIDES];   /* PRP list of all of its pages */
    uint64_t scratch[ORACLE_SIDES];     /* PRP lists, SGL descriptors */
    uint64_t ranges;                    /* of both drives' command */
    uint64_t ranges_list;
} OracleSlot;

/* Blocks that hold consecutive bytes of the pool; none if nlb = 0. */
typedef struct OracleWritten {
    uint64_t slba;
    uint32_t nlb;
    uint32_t offset_bytes;
} OracleWritten;

/* What is known of a namespace. */
typedef struct OracleNs {
    OracleZones zones;                  /* now, the same on both drives */
    OracleWritten written;              /* by the last write, for Compare */
    bool stale_ext[ORACLE_ZONES_MAX];   /* QEMU's, kept by a reset */
} OracleNs;

struct Oracle {
    const OracleConfig *config;
    FemuHost *host;
    FemuDrive *drive[ORACLE_SIDES];
    unsigned taken[ORACLE_SIDES];       /* completions not yet told of */
    OracleSlot slot[ORACLE_SLOTS];
    uint64_t pool;                      /* random data, never changed */
    uint64_t pool_list;
    uint8_t *found[ORACLE_SIDES];       /* host copies of sinks */
    uint32_t effects[ORACLE_SIDES][256];
    uint32_t nn[ORACLE_SIDES];          /* Identify Controller: NN */
    GRand *rand;
    uint32_t seed;
    uint64_t commands;
    unsigned unexplained;
    uint32_t nsid;                      /* the one that commands are for */
    OracleNs ns[ORACLE_NAMESPACES_MAX]; /* of nsid 1, 2, ... */
};

/* femu-zns-oracle-pair.c: two drives as one */

/* A QEMU with both drives, ready. `seed` is that of the sequence. */
Oracle *oracle_start(const OracleConfig *config, uint32_t seed);
void oracle_stop(Oracle *oracle);

/* Zoned namespaces of both drives. */
uint32_t oracle_namespaces(const OracleConfig *config);

/* Commands are for this namespace from now on. */
void oracle_select(Oracle *oracle, uint32_t nsid);

/* The namespace that they are for. */
OracleNs *oracle_ns(Oracle *oracle);

/* Have our drive's other namespaces changed, which no command was for? */
bool oracle_others_changed(Oracle *oracle);

/*
 * All zones, as a drive reports them. A recommendation of ours to reset a zone
 * is checked here and is not in the result.
 */
void oracle_report(Oracle *oracle, unsigned side, OracleZones *zones);

/*
 * Run `count` <= ORACLE_SLOTS commands to the end on both drives, all of them
 * submitted before the first is waited for. `answer[i]` is of cmd[i].
 */
void oracle_exec(Oracle *oracle, const OracleCmd *cmd, unsigned count,
                 OracleAnswer answer[][ORACLE_SIDES]);

/* Did both drives put the same bytes where command `slot` wanted them? */
bool oracle_same_data(Oracle *oracle, const OracleCmd *cmd, unsigned slot);

/*
 * Is our report of the zones with attributes, which QEMU's drive does not know,
 * what it has to be for these zones?
 */
bool oracle_attributes_right(Oracle *oracle, const OracleCmd *cmd,
                             const OracleZones *zones, unsigned slot);

/* The extension of this zone has been set: QEMU's is not an old one. */
void oracle_ext_set(Oracle *oracle, const OracleCmd *cmd);

/* Reset a zone, or all, on both drives; must succeed. */
void oracle_reset(Oracle *oracle, uint32_t zone_idx, bool all);

/* Sizes in blocks. */
uint64_t oracle_zone_nlb(const Oracle *oracle);
uint64_t oracle_cap_nlb(const Oracle *oracle);
uint64_t oracle_ns_nlb(const Oracle *oracle);

/* femu-zns-oracle-layout.c: data pointers */

const char *oracle_layout_name(OracleLayout layout);

/* The status that a drive owes to this data pointer; success if it is right. */
uint16_t oracle_layout_status(const OracleCmd *cmd);

/* Pages of the buffer that the command's data touch. */
uint32_t oracle_layout_pages(const OracleCmd *cmd);

/* Bytes of the command's ranges, as they go to the drive. */
uint32_t oracle_ranges_bytes(const OracleCmd *cmd);

/* Put them into the slot's memory. */
void oracle_ranges_write(Oracle *oracle, const OracleCmd *cmd, unsigned slot);

/* Fill in data pointer and PSDT of `sqe` for one drive and slot. */
void oracle_layout(Oracle *oracle, const OracleCmd *cmd, unsigned slot,
                   unsigned side, NvmeCmd *sqe);

/* A buffer's list of all its pages, for oracle_layout(). */
uint64_t oracle_list_create(FemuHost *host, uint64_t addr, uint32_t bytes);

/* femu-zns-oracle-ops.c: random commands */

/* Draw a command; `oracle->zones` must be up to date. */
void oracle_draw(Oracle *oracle, OracleCmd *cmd);

/* To be told of commands that have succeeded, for those that come later. */
void oracle_note_success(Oracle *oracle, const OracleCmd *cmd);

/* A command of the row of that name, its fields still zero but for the NSID. */
void oracle_cmd_init(OracleCmd *cmd, const char *name);

bool oracle_chance(Oracle *oracle, unsigned percent);
uint64_t oracle_below(Oracle *oracle, uint64_t end);
void oracle_set_rw(OracleCmd *cmd, uint64_t slba, uint32_t nlb);
void oracle_set_send(OracleCmd *cmd, uint8_t action, uint64_t slba, bool all);
void oracle_set_data(Oracle *oracle, OracleCmd *cmd, OracleData data,
                     uint64_t bytes, bool wrong_layouts);

/* femu-zns-oracle-batch.c: commands in flight together */

/*
 * Draw commands whose answers do not depend on the order in which they are
 * carried out. Return: how many, at least 2.
 */
unsigned oracle_draw_batch(Oracle *oracle, OracleCmd *cmd);

/* femu-zns-oracle-rules.c: what the specification allows */

uint64_t oracle_slba(const OracleCmd *cmd);
uint32_t oracle_nlb(const OracleCmd *cmd);      /* of a read or write */
uint32_t oracle_nsid(const OracleCmd *cmd);
uint64_t oracle_copy_nlb(const OracleCmd *cmd); /* that a Copy writes */

/* Does it write zeroes or verify more than our drive lets a command do? */
bool oracle_exceeds_limit(const OracleCase *c);

uint8_t oracle_send_action(const OracleCmd *cmd);
bool oracle_send_all(const OracleCmd *cmd);
uint8_t oracle_zone_state(const NvmeZoneDescr *zone);

/* Zones in that state. */
unsigned oracle_count(const OracleCase *c, uint8_t state);

/* Does the zone have a Zone Random Write Area? */
bool oracle_has_zrwa(const NvmeZoneDescr *zone);

/*
 * Would the specification let a drive answer with this error? True for each of
 * several errors of one command. Knows nothing of what the drives answered.
 */
bool oracle_error_applies(const OracleCase *c, uint16_t status);

/* Is there an error apart from the data pointer's? */
bool oracle_any_error_applies(const OracleCase *c);

/*
 * May a drive that offers the command answer with this status? Counts the rules
 * that say so.
 */
bool oracle_status_allowed(const OracleCase *c, uint16_t status);

/*
 * Print each rule that no answer has needed, of those for drives with or
 * without ZRWAs. Return: how many.
 */
unsigned oracle_rules_print_unneeded(bool zrwa, uint64_t commands);

/* femu-zns-oracle-table.c: the accepted differences */

/*
 * Is every aspect in which the answers differ accepted? Counts the rows that
 * say so, and makes the drives' zones equal again.
 */
bool oracle_explain(Oracle *oracle, OracleCase *c);

/* Print how often each row was needed, as TAP comments. */
void oracle_table_print(void);

/* Print each row that was never needed. Return: how many. */
unsigned oracle_table_print_unused(uint64_t commands);

/* femu-zns-oracle-count.c: what the commands came to */

/* Count our answer. oracle_count_print(): all of them, as TAP comments. */
void oracle_count_answer(const OracleCmd *cmd, uint16_t status);
void oracle_count_print(void);

/* femu-zns-oracle-print.c: what nothing explains */

/* Print all of a case that nothing explains, and how to see it again. */
void oracle_print_case(const OracleCase *c);

/* Print a case that has no answers, because QEMU ended. */
void oracle_print_death(const OracleCase *c);

#endif
