/*
 * The oracle's accepted differences: every way in which our drive may answer
 * other than QEMU's, with the section of the specification that makes ours
 * right. docs/oracle.md says the same at more length, in the same order.
 *
 * Knows nothing of how commands are drawn or run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-oracle.h"

/* What makes the drives' zones equal again. */
typedef enum Repair {
    REPAIR_NONE,
    REPAIR_DIFFERENT,                   /* reset the zones that differ */
    REPAIR_TARGET,                      /* and that of the command */
} Repair;

/*
 * A row explains differences in `aspects` of the cases for which `explains` is
 * true, whichever other row explains the rest of them.
 */
typedef struct Row {
    const char *name;
    const char *spec;
    const char *why;
    unsigned aspects;
    Repair repair;
    bool (*explains)(const OracleCase *c);
} Row;

/* Conditions */

static uint16_t ours(const OracleCase *c)
{
    return c->answer[ORACLE_OURS].status;
}

static uint16_t theirs(const OracleCase *c)
{
    return c->answer[ORACLE_QEMU].status;
}

/* Is the data pointer wrong in this way, and did we say so? */
static bool we_refused(const OracleCase *c, OracleLayout layout)
{
    return c->cmd->layout == layout && ours(c) != NVME_SUCCESS &&
           ours(c) == oracle_layout_status(c->cmd);
}

static bool is_send(const OracleCase *c, uint8_t action)
{
    return c->cmd->op->kind == ORACLE_SEND &&
           oracle_send_action(c->cmd) == action;
}

static bool order_of_checks(const OracleCase *c)
{
    return ours(c) != NVME_SUCCESS && theirs(c) != NVME_SUCCESS &&
           oracle_error_applies(c, ours(c)) &&
           oracle_error_applies(c, theirs(c));
}

static bool append_range(const OracleCase *c)
{
    uint64_t slba = oracle_slba(c->cmd), end = oracle_ns_nlb(c->oracle);

    return c->cmd->op->kind == ORACLE_APPEND &&
           theirs(c) == NVME_LBA_RANGE && slba < end &&
           oracle_nlb(c->cmd) > end - slba &&
           oracle_error_applies(c, ours(c));
}

/* Identify Controller, NN: ours is of what there is, QEMU's 256. */
static bool nsid_above_nn(const OracleCase *c)
{
    uint32_t nsid = oracle_nsid(c->cmd);

    return ours(c) == NVME_INVALID_NSID && theirs(c) == NVME_INVALID_FIELD &&
           nsid > c->oracle->nn[ORACLE_OURS] &&
           nsid <= c->oracle->nn[ORACLE_QEMU];
}

static bool fused_flush(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_FLUSH && ours(c) == NVME_INVALID_FIELD &&
           theirs(c) == NVME_SUCCESS &&
           NVME_CMD_FLAGS_FUSE(c->cmd->sqe.flags) != 0;
}

static bool psdt(const OracleCase *c)
{
    return (we_refused(c, ORACLE_PSDT_METADATA) ||
            we_refused(c, ORACLE_PSDT_RESERVED)) &&
           theirs(c) == NVME_SUCCESS;
}

static bool prp_odd(const OracleCase *c)
{
    return we_refused(c, ORACLE_PRP_ODD) && theirs(c) == NVME_SUCCESS;
}

static bool sgl_too_long(const OracleCase *c)
{
    return we_refused(c, ORACLE_SGL_LONG) && theirs(c) == NVME_SUCCESS;
}

static bool sgl_type(const OracleCase *c)
{
    return we_refused(c, ORACLE_SGL_BAD_TYPE) &&
           theirs(c) == NVME_INVALID_SGL_SEG_DESCR;
}

static bool zrwa_not_offered(const OracleCase *c)
{
    bool zrwa_open = is_send(c, NVME_ZONE_ACTION_OPEN) &&
                     (le32_to_cpu(c->cmd->sqe.cdw13) & 1u << 9);
    /* QEMU looks at the bit when it comes to a zone that is to be opened */
    bool open_none = zrwa_open && oracle_send_all(c->cmd) &&
                     oracle_count(c, NVME_ZONE_STATE_CLOSED) == 0;

    return (zrwa_open || is_send(c, NVME_ZONE_ACTION_ZRWA_FLUSH)) &&
           ours(c) == NVME_INVALID_FIELD &&
           theirs(c) == (open_none ? NVME_SUCCESS : NVME_INVALID_ZONE_OP);
}

static bool report_of_4_gib(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_RECEIVE &&
           ours(c) == NVME_INVALID_FIELD && theirs(c) == NVME_SUCCESS &&
           le32_to_cpu(c->cmd->sqe.cdw12) >= UINT32_MAX / 4;
}

/*
 * Figure 34: zones with attributes, of which some of our drives recommend a
 * reset. What the report holds is checked where answers are compared.
 */
static bool filter_attributes(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_RECEIVE &&
           (le32_to_cpu(c->cmd->sqe.cdw13) >> 8 & 0xff) ==
           ORACLE_FILTER_ATTRIBUTES && theirs(c) == NVME_INVALID_FIELD &&
           oracle_status_allowed(c, ours(c));
}

/* QEMU's WZSL is 0, no limit, and its VSL not below MDTS here. */
static bool size_limit(const OracleCase *c)
{
    return oracle_exceeds_limit(c) && ours(c) == NVME_INVALID_FIELD;
}

static bool read_unchecked(const OracleCase *c)
{
    uint8_t opcode = c->cmd->sqe.opcode;

    return (opcode == NVME_CMD_VERIFY || opcode == NVME_CMD_COMPARE) &&
           ours(c) == NVME_ZONE_BOUNDARY_ERROR &&
           oracle_error_applies(c, ours(c)) &&
           (theirs(c) == NVME_SUCCESS || theirs(c) == NVME_CMP_FAILURE);
}

static bool write_without_data(const OracleCase *c)
{
    return (c->aspects & ORACLE_HIDDEN) && c->cmd->op->kind != ORACLE_SEND;
}

static bool extension_unchecked(const OracleCase *c)
{
    return (c->aspects & ORACLE_HIDDEN) &&
           is_send(c, NVME_ZONE_ACTION_SET_ZD_EXT);
}

static bool copy_to_full(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_COPY &&
           theirs(c) == NVME_ZONE_INVAL_TRANSITION &&
           oracle_error_applies(c, NVME_ZONE_FULL) &&
           oracle_error_applies(c, ours(c));
}

static bool copy_opens(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_COPY &&
           ours(c) == NVME_CMD_SIZE_LIMIT && theirs(c) == NVME_CMD_SIZE_LIMIT;
}

/* 1h is for other protection information; 2h and 3h, other namespaces. */
static bool copy_format(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_COPY && ours(c) == NVME_INVALID_FIELD &&
           theirs(c) == NVME_INVALID_FORMAT &&
           oracle_error_applies(c, ours(c));
}

static bool dataset_range(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_DATASET && ours(c) == NVME_LBA_RANGE &&
           theirs(c) == NVME_SUCCESS && oracle_error_applies(c, ours(c));
}

static bool open_all_partway(const OracleCase *c)
{
    return is_send(c, NVME_ZONE_ACTION_OPEN) && oracle_send_all(c->cmd) &&
           ours(c) != NVME_SUCCESS &&
           (theirs(c) == NVME_ZONE_TOO_MANY_OPEN ||
            theirs(c) == NVME_SUCCESS) &&
           oracle_error_applies(c, NVME_ZONE_TOO_MANY_OPEN);
}

/* One implicitly open zone is now closed, all others are as they were. */
static bool closed_one_zone(const OracleCase *c)
{
    unsigned changed = 0;

    for (unsigned i = 0; i < c->oracle->config->zones; i++) {
        NvmeZoneDescr was = c->before.zone[i];
        const NvmeZoneDescr *is = &c->after[ORACLE_QEMU].zone[i];

        if (memcmp(&was, is, sizeof(was)) == 0) {
            continue;
        }
        if (oracle_zone_state(&was) != NVME_ZONE_STATE_IMPLICITLY_OPEN) {
            return false;
        }
        was.zs = NVME_ZONE_STATE_CLOSED << 4;
        if (memcmp(&was, is, sizeof(was)) != 0) {
            return false;
        }
        changed++;
    }
    return changed == 1;
}

static bool closed_in_vain(const OracleCase *c)
{
    return theirs(c) == NVME_ZONE_TOO_MANY_ACTIVE &&
           oracle_error_applies(c, NVME_ZONE_TOO_MANY_ACTIVE) &&
           ours(c) != NVME_SUCCESS && closed_one_zone(c);
}

/* The table */

static const Row rows[] = {
    { "order-of-checks", "ZNS 1.1, 2.1.1.2.1.1; NVMe base 2.0, 3.3.3.2.1",
      "the command has several errors and no section says which comes first",
      ORACLE_STATUS, REPAIR_NONE, order_of_checks },
    { "append-range", "ZNS 1.1, 3.4.1 and 2.1.1.2.1.1",
      "an append names a zone; QEMU adds its length to the zone's start",
      ORACLE_STATUS, REPAIR_NONE, append_range },
    { "nsid-above-nn", "NVMe base 2.0, 5.17.2.1 (NN)",
      "an NSID above NN is invalid; QEMU's NN is 256",
      ORACLE_STATUS, REPAIR_NONE, nsid_above_nn },
    { "fused-flush", "ZNS 1.1, 2.1.3",
      "no command is fused; QEMU does not look at a Flush's FUSE",
      ORACLE_STATUS, REPAIR_NONE, fused_flush },
    { "psdt", "NVMe base 2.0, 3.3.3.1 (PSDT) and 5.17.2.1 (SGLS)",
      "11b is reserved; we do not offer 10b (SGLS bit 19 is 0)",
      ORACLE_STATUS | ORACLE_BYTES | ORACLE_ZONE, REPAIR_TARGET, psdt },
    { "prp-odd", "NVMe base 2.0, 4.1.1",
      "PRP offsets are dword aligned; we say so, QEMU uses the address",
      ORACLE_STATUS | ORACLE_BYTES | ORACLE_ZONE, REPAIR_TARGET, prp_odd },
    { "sgl-too-long", "NVMe base 2.0, 4.1.2 and 5.17.2.1 (SGLS bit 18)",
      "neither drive offers longer SGLs; QEMU takes a longer last one",
      ORACLE_STATUS | ORACLE_BYTES | ORACLE_ZONE, REPAIR_TARGET,
      sgl_too_long },
    { "sgl-type", "NVMe base 2.0, 3.3.3.2.1.1 (11h)",
      "an unknown type is a type error; QEMU takes it for a segment",
      ORACLE_STATUS, REPAIR_NONE, sgl_type },
    { "zrwa-not-offered", "ZNS 1.1, 3.4.3, figure 39",
      "without ZRWA its bit and action are reserved values",
      ORACLE_STATUS, REPAIR_NONE, zrwa_not_offered },
    { "report-of-4-gib", "ZNS 1.1, 3.4.2, figure 33",
      "QEMU computes the bytes of a report in 32 bits",
      ORACLE_STATUS, REPAIR_NONE, report_of_4_gib },
    { "filter-9h", "ZNS 1.1, 3.4.2, figure 34",
      "a report of the zones with attributes; QEMU knows filters up to 7h",
      ORACLE_STATUS, REPAIR_NONE, filter_attributes },
    { "size-limit", "NVM command set 1.0, 4.1.5.2 (VSL, WZSL)",
      "our limits to Verify and Write Zeroes; QEMU's are higher",
      ORACLE_STATUS | ORACLE_ZONE, REPAIR_TARGET, size_limit },
    { "read-unchecked", "ZNS 1.1, 2.1.1.2.1.2",
      "Compare and Verify do not cross zones; QEMU does not check",
      ORACLE_STATUS, REPAIR_NONE, read_unchecked },
    { "write-without-data", "ZNS 1.1, 2.1.1.2.1.1 and 2.1.1.3",
      "only a write that writes opens a zone and moves its write pointer",
      ORACLE_ZONE | ORACLE_HIDDEN, REPAIR_TARGET, write_without_data },
    { "open-all-partway", "ZNS 1.1, 3.4.3.1.3",
      "with too few resources no zone may change; QEMU opens some",
      ORACLE_STATUS | ORACLE_ZONE, REPAIR_DIFFERENT, open_all_partway },
    { "closed-in-vain", "ZNS 1.1, 3.4.3 and 2.1.1.4.1",
      "an open that fails changes no zone; QEMU has closed one for it",
      ORACLE_ZONE, REPAIR_DIFFERENT, closed_in_vain },
    { "extension-unchecked", "ZNS 1.1, 3.4.3.1.6",
      "only an empty zone gets an extension; QEMU has replaced that of another",
      ORACLE_HIDDEN, REPAIR_TARGET, extension_unchecked },
    { "copy-to-full", "ZNS 1.1, 2.1.1.2.1.1",
      "a copy writes: Zone Is Full; QEMU answers as to an open",
      ORACLE_STATUS, REPAIR_NONE, copy_to_full },
    { "copy-opens", "ZNS 1.1, 2.1.1.3; NVM command set 1.0, 3.2.2",
      "a copy that is too big writes nothing; QEMU has opened its zone",
      ORACLE_ZONE, REPAIR_DIFFERENT, copy_opens },
    { "copy-format", "NVM command set 1.0, 3.2.2 (OCFS)",
      "we offer format 0 alone; QEMU says that another does not fit",
      ORACLE_STATUS, REPAIR_NONE, copy_format },
    { "dataset-range", "NVM command set 1.0, 3.2.3",
      "a range beyond the namespace is LBA Out of Range; QEMU skips it",
      ORACLE_STATUS, REPAIR_NONE, dataset_range },
};

static uint64_t used[ARRAY_SIZE(rows)];

/* Reset what the drives do not agree about. */
static void repair(Oracle *oracle, const OracleCase *c, Repair what)
{
    uint64_t target = oracle_slba(c->cmd) / oracle_zone_nlb(oracle);

    for (uint32_t i = 0; i < oracle->config->zones; i++) {
        if (memcmp(&c->after[ORACLE_OURS].zone[i],
                   &c->after[ORACLE_QEMU].zone[i],
                   sizeof(NvmeZoneDescr)) != 0 ||
            (what == REPAIR_TARGET && i == target)) {
            oracle_reset(oracle, i, false);
        }
    }
}

bool oracle_explain(Oracle *oracle, OracleCase *c)
{
    unsigned left = c->aspects;
    Repair what = REPAIR_NONE;

    for (unsigned i = 0; i < ARRAY_SIZE(rows) && left; i++) {
        if ((rows[i].aspects & left) && rows[i].explains(c)) {
            left &= ~rows[i].aspects;
            what = MAX(what, rows[i].repair);
            used[i]++;
        }
    }
    if (!left && what != REPAIR_NONE) {
        repair(oracle, c, what);
    }
    return !left;
}

void oracle_table_print(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        printf("# %8" PRIu64 " %s: %s (%s)\n", used[i], rows[i].name,
               rows[i].why, rows[i].spec);
    }
}

unsigned oracle_table_print_unused(uint64_t commands)
{
    unsigned unused = 0;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        if (used[i] == 0) {
            printf("oracle: \"%s\" was not needed in %" PRIu64 " commands: "
                   "is it still true?\n", rows[i].name, commands);
            unused++;
        }
    }
    return unused;
}
