/*
 * The oracle's rules: which errors the specification allows for a command,
 * given the zones as they were. Independent of both drives, so that an
 * accepted difference rests on the specification and not on what they do.
 *
 * Knows nothing of what the drives answered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-oracle.h"

/* Fields */

uint64_t oracle_slba(const OracleCmd *cmd)
{
    return le32_to_cpu(cmd->sqe.cdw10) |
           (uint64_t)le32_to_cpu(cmd->sqe.cdw11) << 32;
}

uint32_t oracle_nlb(const OracleCmd *cmd)
{
    return (le32_to_cpu(cmd->sqe.cdw12) & 0xffff) + 1;
}

uint64_t oracle_copy_nlb(const OracleCmd *cmd)
{
    uint64_t nlb = 0;

    for (uint32_t i = 0; i < cmd->range_count; i++) {
        nlb += cmd->range[i].nlb;
    }
    return nlb;
}

uint32_t oracle_nsid(const OracleCmd *cmd)
{
    return le32_to_cpu(cmd->sqe.nsid);
}

uint8_t oracle_send_action(const OracleCmd *cmd)
{
    return le32_to_cpu(cmd->sqe.cdw13);
}

bool oracle_send_all(const OracleCmd *cmd)
{
    return le32_to_cpu(cmd->sqe.cdw13) & 1u << 8;
}

uint8_t oracle_zone_state(const NvmeZoneDescr *zone)
{
    return zone->zs >> 4;
}

bool oracle_has_zrwa(const NvmeZoneDescr *zone)
{
    return zone->za & NVME_ZA_ZRWA_VALID;
}

unsigned oracle_count(const OracleCase *c, uint8_t state)
{
    unsigned count = 0;

    for (unsigned i = 0; i < c->oracle->config->zones; i++) {
        count += oracle_zone_state(&c->before.zone[i]) == state;
    }
    return count;
}

/* Where the command points */

static bool is_rw(const OracleCmd *cmd)
{
    return cmd->op->kind == ORACLE_READ || cmd->op->kind == ORACLE_WRITE ||
           cmd->op->kind == ORACLE_APPEND;
}

static bool copies(const OracleCmd *cmd)
{
    return cmd->op->kind == ORACLE_COPY;
}

static bool writes(const OracleCmd *cmd)
{
    return cmd->op->kind == ORACLE_WRITE ||
           cmd->op->kind == ORACLE_APPEND || copies(cmd);
}

/* Blocks at the command's LBA. */
static uint64_t target_nlb(const OracleCmd *cmd)
{
    return copies(cmd) ? oracle_copy_nlb(cmd) : oracle_nlb(cmd);
}

static bool sets_ext(const OracleCmd *cmd)
{
    return cmd->op->kind == ORACLE_SEND &&
           oracle_send_action(cmd) == NVME_ZONE_ACTION_SET_ZD_EXT;
}

static bool opens(const OracleCmd *cmd)
{
    return cmd->op->kind == ORACLE_SEND &&
           oracle_send_action(cmd) == NVME_ZONE_ACTION_OPEN;
}

/* Open with a Zone Random Write Area: CDW13 bit 9, ZRWAA. */
static bool allocates(const OracleCmd *cmd)
{
    return opens(cmd) && le32_to_cpu(cmd->sqe.cdw13) & 1u << 9;
}

static bool flushes_zrwa(const OracleCmd *cmd)
{
    return cmd->op->kind == ORACLE_SEND &&
           oracle_send_action(cmd) == NVME_ZONE_ACTION_ZRWA_FLUSH;
}

/* The zone that the command names, or NULL. */
static const NvmeZoneDescr *zone_of(const OracleCase *c)
{
    uint64_t zone_idx = oracle_slba(c->cmd) / oracle_zone_nlb(c->oracle);
    bool names_one = is_rw(c->cmd) || copies(c->cmd) ||
                     (c->cmd->op->kind == ORACLE_SEND &&
                      !oracle_send_all(c->cmd));

    return names_one && zone_idx < c->oracle->config->zones
           ? &c->before.zone[zone_idx] : NULL;
}

static uint8_t state_of(const OracleCase *c)
{
    const NvmeZoneDescr *zone = zone_of(c);

    return zone ? oracle_zone_state(zone) : 0;
}

static bool in_zone_with_zrwa(const OracleCase *c)
{
    const NvmeZoneDescr *zone = zone_of(c);

    return zone && oracle_has_zrwa(zone);
}

/* Blocks of a ZRWA, and of its granules. */
static uint64_t zrwa_nlb(const OracleCase *c)
{
    return c->oracle->config->zrwa_bytes / c->oracle->config->lba_bytes;
}

static uint64_t granule_nlb(const OracleCase *c)
{
    return c->oracle->config->zrwa_granule_bytes /
           c->oracle->config->lba_bytes;
}

/*
 * Does the block lie in the zone's ZRWA, which begins at the write pointer and
 * ends with the capacity at the latest?
 */
static bool in_zrwa(const OracleCase *c)
{
    const NvmeZoneDescr *zone = zone_of(c);
    uint64_t lba = oracle_slba(c->cmd), wp, end;

    if (!in_zone_with_zrwa(c)) {
        return false;
    }
    wp = le64_to_cpu(zone->wp);
    end = le64_to_cpu(zone->zslba) + oracle_cap_nlb(c->oracle);
    return lba >= wp && lba < MIN(wp + zrwa_nlb(c), end);
}

static bool at_zone_start(const OracleCase *c)
{
    return oracle_slba(c->cmd) % oracle_zone_nlb(c->oracle) == 0;
}

static uint64_t transfer_bytes(const OracleCase *c)
{
    return (uint64_t)oracle_nlb(c->cmd) * c->oracle->config->lba_bytes;
}

static uint64_t report_bytes(const OracleCmd *cmd)
{
    return 4 * ((uint64_t)le32_to_cpu(cmd->sqe.cdw12) + 1);
}

/* Errors, one by one */

static bool bad_opcode(const OracleCase *c)
{
    return !(c->oracle->effects[ORACLE_OURS][c->cmd->sqe.opcode] &
             NVME_CMD_EFF_CSUPP);
}

/* ZNS 1.1, figure 12: only a Flush may name all namespaces. */
static bool bad_nsid(const OracleCase *c)
{
    uint32_t nsid = oracle_nsid(c->cmd);

    if (nsid == NVME_NSID_BROADCAST) {
        return c->cmd->op->kind != ORACLE_FLUSH;
    }
    return nsid == 0 || nsid > c->oracle->nn[ORACLE_OURS];
}

/*
 * TP 4076b: not for all zones at once; a flush commits whole granules. Without
 * ZRWAs the bit and the action are reserved.
 */
static bool bad_zrwa_send(const OracleCase *c)
{
    if (!c->oracle->config->zrwa_bytes || oracle_send_all(c->cmd)) {
        return true;
    }
    if (flushes_zrwa(c->cmd)) {
        return in_zrwa(c) && (oracle_slba(c->cmd) + 1 -
                              le64_to_cpu(zone_of(c)->wp)) % granule_nlb(c);
    }
    return !at_zone_start(c);
}

/* ZNS 1.1, 3.4.3, figure 39: what is not listed is reserved. */
static bool bad_send(const OracleCase *c)
{
    uint8_t action = oracle_send_action(c->cmd);

    if (allocates(c->cmd) || flushes_zrwa(c->cmd)) {
        return bad_zrwa_send(c);
    }
    if (sets_ext(c->cmd)) {
        return !c->oracle->config->ext_bytes || oracle_send_all(c->cmd) ||
               !at_zone_start(c);
    }
    return action < NVME_ZONE_ACTION_CLOSE ||
           action > NVME_ZONE_ACTION_OFFLINE ||
           (!oracle_send_all(c->cmd) && !at_zone_start(c));
}

/* ZNS 1.1, 3.4.2, figure 34; a report has at least its header. */
static bool bad_receive(const OracleCase *c)
{
    uint32_t cdw13 = le32_to_cpu(c->cmd->sqe.cdw13);
    uint8_t filter = cdw13 >> 8;
    uint64_t bytes = report_bytes(c->cmd);

    return (cdw13 & 0xff) > (c->oracle->config->ext_bytes
                             ? NVME_ZONE_REPORT_EXTENDED : NVME_ZONE_REPORT) ||
           (filter > NVME_ZONE_REPORT_OFFLINE &&
            filter != ORACLE_FILTER_ATTRIBUTES) ||
           bytes < sizeof(NvmeZoneReportHeader) ||
           bytes > c->oracle->config->mdts_bytes;
}

/*
 * Limits of their own (NVM command set 1.0, 4.1.5.2): VSL, which is MDTS, and
 * WZSL (femu-zns-nvm-test.c).
 */
bool oracle_exceeds_limit(const OracleCase *c)
{
    const OracleConfig *config = c->oracle->config;

    switch (c->cmd->sqe.opcode) {
    case NVME_CMD_VERIFY:
        return transfer_bytes(c) > config->mdts_bytes;
    case NVME_CMD_WRITE_ZEROES:
        return transfer_bytes(c) > (config->wzsl_bytes ?: config->mdts_bytes);
    default:
        return false;
    }
}

/* MDTS bounds commands that have data (NVMe base 2.0, figure 275: MDTS). */
static bool bad_transfer(const OracleCase *c)
{
    const OracleConfig *config = c->oracle->config;
    uint64_t zasl_bytes = config->zasl_bytes ?: config->mdts_bytes;

    if (c->cmd->op->kind == ORACLE_APPEND) {
        return transfer_bytes(c) > zasl_bytes || !at_zone_start(c);
    }
    return oracle_exceeds_limit(c) ||
           (c->cmd->data != ORACLE_NO_DATA &&
            transfer_bytes(c) > config->mdts_bytes);
}

/* NVM command set 1.0, 3.2.2: SQE dword 12, descriptor format; OCFS is 1. */
static bool bad_copy(const OracleCase *c)
{
    return le32_to_cpu(c->cmd->sqe.cdw12) >> 8 & 0xf;
}

/* MSRC, MSSRL and MCL: NVM command set 1.0, 3.2.2 */
static bool copy_too_big(const OracleCase *c)
{
    uint64_t max_nlb = c->oracle->config->mdts_bytes /
                       c->oracle->config->lba_bytes;

    if (!copies(c->cmd)) {
        return false;
    }
    for (uint32_t i = 0; i < c->cmd->range_count; i++) {
        if (c->cmd->range[i].nlb > max_nlb) {
            return true;
        }
    }
    return oracle_copy_nlb(c->cmd) > max_nlb ||
           (le32_to_cpu(c->cmd->sqe.cdw12) & 0xff) >= ORACLE_RANGES_MAX;
}

static bool bad_field(const OracleCase *c)
{
    if (NVME_CMD_FLAGS_FUSE(c->cmd->sqe.flags)) {
        return true;            /* ZNS 1.1, 2.1.3: no fused operations */
    }
    switch (c->cmd->op->kind) {
    case ORACLE_SEND:
        return bad_send(c);
    case ORACLE_COPY:
        return bad_copy(c);
    case ORACLE_RECEIVE:
        return bad_receive(c);
    case ORACLE_READ:
    case ORACLE_WRITE:
    case ORACLE_APPEND:
        return bad_transfer(c);
    default:
        return false;
    }
}

/*
 * Of the ranges; those of a Dataset Management count if they are to be
 * deallocated (NVM command set 1.0, 3.2.3), and may be empty at the end.
 */
static bool range_out_of_range(const OracleCase *c)
{
    uint64_t end = oracle_ns_nlb(c->oracle);
    bool counts = copies(c->cmd) ||
                  (le32_to_cpu(c->cmd->sqe.cdw11) & NVME_DSMGMT_AD);

    for (uint32_t i = 0; counts && i < c->cmd->range_count; i++) {
        const OracleRange *range = &c->cmd->range[i];

        if (range->slba > end || range->nlb > end - range->slba) {
            return true;
        }
    }
    return false;
}

/* An append has no LBA range of its own: only ZSLBA can be out of range. */
static bool out_of_range(const OracleCase *c)
{
    uint64_t slba = oracle_slba(c->cmd), end = oracle_ns_nlb(c->oracle);
    OracleKind kind = c->cmd->op->kind;

    if (kind == ORACLE_DATASET) {
        return range_out_of_range(c);
    }
    if (kind == ORACLE_READ || kind == ORACLE_WRITE || kind == ORACLE_COPY) {
        return slba >= end || target_nlb(c->cmd) > end - slba ||
               (kind == ORACLE_COPY && range_out_of_range(c));
    }
    if (kind == ORACLE_SEND) {
        return !oracle_send_all(c->cmd) && slba >= end;
    }
    return (kind == ORACLE_APPEND || kind == ORACLE_RECEIVE) && slba >= end;
}

static bool source_crosses_boundary(const OracleCase *c)
{
    uint64_t zone_nlb = oracle_zone_nlb(c->oracle);

    for (uint32_t i = 0; copies(c->cmd) && i < c->cmd->range_count; i++) {
        const OracleRange *range = &c->cmd->range[i];

        if (range->slba % zone_nlb + range->nlb > zone_nlb) {
            return true;
        }
    }
    return false;
}

/* ZNS 1.1, 2.1.1.2.1.1 and 2.1.1.2.1.2 */
static bool crosses_boundary(const OracleCase *c)
{
    const NvmeZoneDescr *zone = zone_of(c);
    uint64_t start, slba;

    if (source_crosses_boundary(c)) {
        return true;
    }
    if (!zone || (!is_rw(c->cmd) && !copies(c->cmd))) {
        return false;
    }
    start = le64_to_cpu(zone->zslba);
    slba = oracle_slba(c->cmd);
    if (c->cmd->op->kind == ORACLE_READ) {
        return slba + oracle_nlb(c->cmd) > start + oracle_zone_nlb(c->oracle);
    }
    if (c->cmd->op->kind == ORACLE_APPEND) {
        slba = le64_to_cpu(zone->wp);
    }
    return state_of(c) != NVME_ZONE_STATE_FULL &&
           slba + target_nlb(c->cmd) > start + oracle_cap_nlb(c->oracle);
}

/* With a ZRWA: in it, or in what a write may move it over (TP 4076b). */
static bool misplaced(const OracleCase *c, const NvmeZoneDescr *zone)
{
    uint64_t slba = oracle_slba(c->cmd), wp = le64_to_cpu(zone->wp);

    if (oracle_has_zrwa(zone)) {
        return slba < wp ||
               slba + target_nlb(c->cmd) > wp + 2 * zrwa_nlb(c);
    }
    return slba != wp;
}

static bool not_at_wp(const OracleCase *c)
{
    const NvmeZoneDescr *zone = zone_of(c);

    return zone &&
           (c->cmd->op->kind == ORACLE_WRITE || copies(c->cmd)) &&
           state_of(c) != NVME_ZONE_STATE_FULL && misplaced(c, zone);
}

/* TP 4076b, Invalid Zone Operation Request: B6h */
static bool append_to_zrwa(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_APPEND && in_zone_with_zrwa(c);
}

static bool flush_outside_zrwa(const OracleCase *c)
{
    return flushes_zrwa(c->cmd) && !in_zrwa(c);
}

static bool allocation_not_empty(const OracleCase *c)
{
    return allocates(c->cmd) && state_of(c) != 0 &&
           state_of(c) != NVME_ZONE_STATE_EMPTY;
}

/* ZRWA Resources Unavailable: B7h */
static bool too_many_zrwas(const OracleCase *c)
{
    unsigned count = 0;

    for (unsigned i = 0; i < c->oracle->config->zones; i++) {
        count += oracle_has_zrwa(&c->before.zone[i]);
    }
    return allocates(c->cmd) && count >= c->oracle->config->max_zrwa;
}

/* Would the command make an empty (or closed) zone an open one? */
static bool wants_resources(const OracleCase *c, bool closed_too)
{
    uint8_t state = state_of(c);

    return (writes(c->cmd) || opens(c->cmd) || flushes_zrwa(c->cmd) ||
            (sets_ext(c->cmd) && !closed_too)) &&
           (state == NVME_ZONE_STATE_EMPTY ||
            (closed_too && state == NVME_ZONE_STATE_CLOSED));
}

/* ZNS 1.1, 2.1.1.4 */
static bool too_many_active(const OracleCase *c)
{
    unsigned active = oracle_count(c, NVME_ZONE_STATE_IMPLICITLY_OPEN) +
                      oracle_count(c, NVME_ZONE_STATE_EXPLICITLY_OPEN) +
                      oracle_count(c, NVME_ZONE_STATE_CLOSED);
    uint32_t limit = c->oracle->config->max_active;

    return limit && active >= limit && wants_resources(c, false);
}

/* An implicitly open zone can make room for one, not for all closed ones. */
static bool too_many_open(const OracleCase *c)
{
    unsigned explicit = oracle_count(c, NVME_ZONE_STATE_EXPLICITLY_OPEN);
    unsigned implicit = oracle_count(c, NVME_ZONE_STATE_IMPLICITLY_OPEN);
    unsigned closed = oracle_count(c, NVME_ZONE_STATE_CLOSED);
    uint32_t limit = c->oracle->config->max_open;

    if (opens(c->cmd) && oracle_send_all(c->cmd)) {
        return limit && explicit + implicit + closed > limit;
    }
    return limit && explicit >= limit && wants_resources(c, true);
}

/* ZNS 1.1, 3.4.3.1.1, .3 and .5; finish and reset apply to every state. */
static bool bad_transition(const OracleCase *c)
{
    uint8_t state = state_of(c);

    if (c->cmd->op->kind != ORACLE_SEND || state == 0) {
        return false;
    }
    switch (oracle_send_action(c->cmd)) {
    case NVME_ZONE_ACTION_CLOSE:
        return state == NVME_ZONE_STATE_EMPTY ||
               state == NVME_ZONE_STATE_FULL;
    case NVME_ZONE_ACTION_OPEN:
        return state == NVME_ZONE_STATE_FULL;
    case NVME_ZONE_ACTION_SET_ZD_EXT:
        return state != NVME_ZONE_STATE_EMPTY;
    case NVME_ZONE_ACTION_OFFLINE:
        return true;
    default:
        return false;
    }
}

static bool zone_full(const OracleCase *c)
{
    return writes(c->cmd) && state_of(c) == NVME_ZONE_STATE_FULL;
}

/* Whether the data differ is left to the two drives. */
static bool is_compare(const OracleCase *c)
{
    return c->cmd->sqe.opcode == NVME_CMD_COMPARE;
}

/* Which of the two oracles reaches a rule: that of ZRWAs, the other, or both */
enum { MAIN = 1, ZRWA = 2, BOTH = 3 };

static const struct {
    const char *name;
    uint16_t status;
    unsigned oracles;
    bool (*applies)(const OracleCase *c);
} rules[] = {
    { "opcode", NVME_INVALID_OPCODE, MAIN, bad_opcode },
    { "namespace", NVME_INVALID_NSID, MAIN, bad_nsid },
    { "field", NVME_INVALID_FIELD, BOTH, bad_field },
    { "size limit", NVME_CMD_SIZE_LIMIT, MAIN, copy_too_big },
    { "range", NVME_LBA_RANGE, MAIN, out_of_range },
    { "boundary", NVME_ZONE_BOUNDARY_ERROR, BOTH, crosses_boundary },
    { "full", NVME_ZONE_FULL, BOTH, zone_full },
    { "write pointer", NVME_ZONE_INVALID_WRITE, BOTH, not_at_wp },
    { "active", NVME_ZONE_TOO_MANY_ACTIVE, BOTH, too_many_active },
    { "open", NVME_ZONE_TOO_MANY_OPEN, BOTH, too_many_open },
    { "transition", NVME_ZONE_INVAL_TRANSITION, BOTH, bad_transition },
    { "append to a ZRWA", NVME_INVALID_ZONE_OP, ZRWA, append_to_zrwa },
    { "flush outside", NVME_INVALID_ZONE_OP, ZRWA, flush_outside_zrwa },
    { "not empty", NVME_INVALID_ZONE_OP, ZRWA, allocation_not_empty },
    { "ZRWAs", NVME_NOZRWA, ZRWA, too_many_zrwas },
};

static uint64_t needed[ARRAY_SIZE(rules)];

bool oracle_any_error_applies(const OracleCase *c)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++) {
        if (rules[i].applies(c)) {
            return true;
        }
    }
    return false;
}

bool oracle_error_applies(const OracleCase *c, uint16_t status)
{
    if (status == NVME_CMP_FAILURE) {
        return is_compare(c);
    }
    if (status != NVME_SUCCESS && status == oracle_layout_status(c->cmd)) {
        return true;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++) {
        if (rules[i].status == status && rules[i].applies(c)) {
            return true;
        }
    }
    return false;
}

unsigned oracle_rules_print_unneeded(bool zrwa, uint64_t commands)
{
    unsigned unneeded = 0;

    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++) {
        if ((rules[i].oracles & (zrwa ? ZRWA : MAIN)) && needed[i] == 0) {
            printf("oracle: no answer to %" PRIu64 " commands needed the rule "
                   "\"%s\"\n", commands, rules[i].name);
            unneeded++;
        }
    }
    return unneeded;
}

bool oracle_status_allowed(const OracleCase *c, uint16_t status)
{
    for (unsigned i = 0; i < ARRAY_SIZE(rules); i++) {
        needed[i] += rules[i].status == status && rules[i].applies(c);
    }
    if (status != NVME_SUCCESS) {
        return oracle_error_applies(c, status);
    }
    return oracle_layout_status(c->cmd) == NVME_SUCCESS &&
           !oracle_any_error_applies(c);
}
