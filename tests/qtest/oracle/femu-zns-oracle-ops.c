/*
 * The oracle's commands: a table of operations, one row each, drawn with
 * weights; how each one's fields are drawn, valid and invalid.
 *
 * Knows nothing of what answers should be.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-oracle.h"

/* Random numbers */

uint64_t oracle_below(Oracle *oracle, uint64_t end)
{
    uint64_t high = g_rand_int(oracle->rand);
    uint64_t low = g_rand_int(oracle->rand);

    return (high << 32 | low) % end;
}

bool oracle_chance(Oracle *oracle, unsigned percent)
{
    return oracle_below(oracle, 100) < percent;
}

/* Fields */

void oracle_set_rw(OracleCmd *cmd, uint64_t slba, uint32_t nlb)
{
    cmd->sqe.cdw10 = cpu_to_le32(slba);
    cmd->sqe.cdw11 = cpu_to_le32(slba >> 32);
    cmd->sqe.cdw12 = cpu_to_le32(nlb - 1);
}

void oracle_set_send(OracleCmd *cmd, uint8_t action, uint64_t slba, bool all)
{
    oracle_set_rw(cmd, slba, 1);
    cmd->sqe.cdw13 = cpu_to_le32(action | (uint32_t)all << 8);
}

/*
 * Fields that neither drive should look at: limited retry, FUA, protection
 * information where there is none, tags, reserved bits.
 */
static void set_ignored_fields(Oracle *oracle, OracleCmd *cmd)
{
    if (oracle_chance(oracle, 10)) {
        cmd->sqe.cdw12 |= cpu_to_le32((uint32_t)oracle_below(oracle, 256)
                                      << 24);
        cmd->sqe.cdw14 = oracle_below(oracle, UINT32_MAX);
        cmd->sqe.cdw15 = oracle_below(oracle, UINT32_MAX);
        cmd->sqe.mptr = oracle_below(oracle, UINT64_MAX);
    }
}

static OracleLayout draw_layout(Oracle *oracle, bool wrong)
{
    if (wrong && oracle_chance(oracle, 3)) {
        return ORACLE_PRP_BAD_ENTRY +
               oracle_below(oracle, ORACLE_LAYOUTS - ORACLE_PRP_BAD_ENTRY);
    }
    return oracle_chance(oracle, 70)
           ? ORACLE_PRP : oracle_below(oracle, ORACLE_PRP_BAD_ENTRY);
}

void oracle_set_data(Oracle *oracle, OracleCmd *cmd, OracleData data,
                     uint64_t bytes, bool wrong_layouts)
{
    cmd->data = data;
    cmd->layout = ORACLE_PRP;
    if (bytes == 0 || bytes > oracle->config->mdts_bytes) {
        return;
    }
    cmd->bytes = bytes;
    if (bytes >= ORACLE_LAYOUT_BYTES) {
        cmd->layout = draw_layout(oracle, wrong_layouts);
    }
    cmd->offset_bytes = 4 * oracle_below(oracle, FEMU_PAGE_BYTES / 4);
    if (data == ORACLE_TO_DRIVE) {
        cmd->offset_bytes = 4 * oracle_below(
            oracle, (ORACLE_POOL_BYTES - bytes) / 4);
    }
    if (cmd->layout == ORACLE_PRP_BAD_ENTRY) {
        cmd->offset_bytes = FEMU_PAGE_BYTES - 4;        /* two pages */
    }
}

/* Zones */

static const NvmeZoneDescr *zone_at(Oracle *oracle, uint64_t zone_idx)
{
    return &oracle_ns(oracle)->zones.zone[zone_idx];
}

#define STATE(name) (1u << NVME_ZONE_STATE_##name)
#define ACTIVE (STATE(IMPLICITLY_OPEN) | STATE(EXPLICITLY_OPEN) | STATE(CLOSED))

/* A random zone of those in `states` (bits); of all, if none is. */
static uint64_t draw_zone_in(Oracle *oracle, unsigned states)
{
    uint64_t zone_idx = oracle_below(oracle, oracle->config->zones);

    for (uint32_t i = 0; i < oracle->config->zones; i++) {
        if (states & 1u << oracle_zone_state(zone_at(oracle, zone_idx))) {
            break;
        }
        zone_idx = (zone_idx + 1) % oracle->config->zones;
    }
    return zone_idx;
}

/* Active zones and those that would become active: at the limits. */
static uint64_t draw_zone(Oracle *oracle)
{
    uint64_t what = oracle_below(oracle, 100);

    if (what < 45) {
        return draw_zone_in(oracle, ACTIVE);
    }
    if (what < 80) {
        return draw_zone_in(oracle, STATE(EMPTY) | STATE(CLOSED));
    }
    return oracle_below(oracle, oracle->config->zones);
}

/* A zone's write pointer; a full zone has none, its end serves. */
static uint64_t wp_of(Oracle *oracle, uint64_t zone_idx)
{
    const NvmeZoneDescr *zone = zone_at(oracle, zone_idx);

    return oracle_zone_state(zone) == NVME_ZONE_STATE_FULL
           ? le64_to_cpu(zone->zslba) + oracle_cap_nlb(oracle)
           : le64_to_cpu(zone->wp);
}

/* LBAs that no command should accept, or only just. */
static uint64_t draw_odd_lba(Oracle *oracle)
{
    uint64_t ns_nlb = oracle_ns_nlb(oracle);

    switch (oracle_below(oracle, 5)) {
    case 0:
        return ns_nlb + oracle_below(oracle, ns_nlb);
    case 1:
        return ns_nlb - 1 - oracle_below(oracle, 16);
    case 2:
        return UINT64_MAX - oracle_below(oracle, 0x10000);
    case 3:
        return oracle_below(oracle, UINT64_MAX);
    default:
        return ns_nlb;
    }
}

/* The start of the zone, or nearly. */
static uint64_t start_of(Oracle *oracle, uint64_t zone_idx)
{
    uint64_t zslba = zone_idx * oracle_zone_nlb(oracle);

    if (oracle_chance(oracle, 3)) {
        return draw_odd_lba(oracle);
    }
    return oracle_chance(oracle, 3) ? zslba + 1 + oracle_below(oracle, 300)
                                    : zslba;
}

/* Blocks that a command moves; `left_nlb` is what an edge is away. */
static uint32_t draw_nlb(Oracle *oracle, uint64_t left_nlb)
{
    uint64_t mdts_nlb = oracle->config->mdts_bytes / oracle->config->lba_bytes;
    uint64_t small_nlb = oracle_cap_nlb(oracle) / 12 + 1;
    uint64_t nlb;

    switch (oracle_below(oracle, 16)) {
    case 0:
        nlb = left_nlb + oracle_below(oracle, 3);
        nlb -= nlb > 1;
        break;
    case 1:
        nlb = mdts_nlb + oracle_below(oracle, 2);
        break;
    case 2:
        nlb = 1 + oracle_below(oracle, mdts_nlb);
        break;
    case 3:
        nlb = oracle_chance(oracle, 10) ? 1 + oracle_below(oracle, 0x10000)
                                        : 1;
        break;
    default:
        nlb = 1 + oracle_below(oracle, small_nlb);
    }
    return MAX(1, MIN(nlb, 0x10000));
}

/* Operations of the NVM command set */

static uint64_t nlb_bytes(Oracle *oracle, uint32_t nlb)
{
    return (uint64_t)nlb * oracle->config->lba_bytes;
}

/* At the write pointer, near it, or anywhere. */
static void draw_write_range(Oracle *oracle, OracleCmd *cmd)
{
    uint64_t zone_idx = draw_zone(oracle), zone_nlb = oracle_zone_nlb(oracle);
    uint64_t wp = wp_of(oracle, zone_idx);
    uint64_t left_nlb = zone_idx * zone_nlb + oracle_cap_nlb(oracle) - wp;
    uint64_t what = oracle_below(oracle, 100), slba = wp;

    if (what < 6) {
        slba = wp + oracle_below(oracle, 9) - MIN(wp, 4);
    } else if (what < 9) {
        slba = zone_idx * zone_nlb + oracle_below(oracle, zone_nlb);
    } else if (what < 12) {
        slba = draw_odd_lba(oracle);
    }
    oracle_set_rw(cmd, slba, draw_nlb(oracle, left_nlb));
    set_ignored_fields(oracle, cmd);
}

static void make_write(Oracle *oracle, OracleCmd *cmd)
{
    draw_write_range(oracle, cmd);
    oracle_set_data(oracle, cmd, ORACLE_TO_DRIVE,
                    nlb_bytes(oracle, oracle_nlb(cmd)), true);
}

static void make_write_zeroes(Oracle *oracle, OracleCmd *cmd)
{
    draw_write_range(oracle, cmd);
}

/* Mostly what has been written, often across its end or the zone's. */
static void draw_read_range(Oracle *oracle, OracleCmd *cmd)
{
    uint64_t zone_idx = draw_zone(oracle), zone_nlb = oracle_zone_nlb(oracle);
    uint64_t zslba = zone_idx * zone_nlb;
    uint64_t slba = zslba + oracle_below(oracle, zone_nlb);

    if (oracle_chance(oracle, 4)) {
        slba = draw_odd_lba(oracle);
    } else if (oracle_chance(oracle, 75)) {
        slba = zslba + oracle_below(oracle, wp_of(oracle, zone_idx) - zslba +
                                            1);
    }
    oracle_set_rw(cmd, slba, draw_nlb(oracle, zslba + zone_nlb - slba));
    set_ignored_fields(oracle, cmd);
}

static void make_read(Oracle *oracle, OracleCmd *cmd)
{
    draw_read_range(oracle, cmd);
    oracle_set_data(oracle, cmd, ORACLE_FROM_DRIVE,
                    nlb_bytes(oracle, oracle_nlb(cmd)), true);
}

static void make_verify(Oracle *oracle, OracleCmd *cmd)
{
    draw_read_range(oracle, cmd);
}

/* Some of what was written last, with what was written or not quite. */
static void make_compare_written(Oracle *oracle, OracleCmd *cmd)
{
    const OracleWritten *w = &oracle_ns(oracle)->written;
    uint32_t first = oracle_below(oracle, w->nlb);
    uint32_t nlb = 1 + oracle_below(oracle, w->nlb - first);

    oracle_set_rw(cmd, w->slba + first, nlb);
    oracle_set_data(oracle, cmd, ORACLE_TO_DRIVE, nlb_bytes(oracle, nlb),
                    true);
    if (cmd->layout != ORACLE_PRP_BAD_ENTRY && oracle_chance(oracle, 80)) {
        cmd->offset_bytes = w->offset_bytes + nlb_bytes(oracle, first);
    }
}

static void make_compare(Oracle *oracle, OracleCmd *cmd)
{
    if (oracle_ns(oracle)->written.nlb && oracle_chance(oracle, 70)) {
        make_compare_written(oracle, cmd);
        return;
    }
    draw_read_range(oracle, cmd);
    oracle_set_data(oracle, cmd, ORACLE_TO_DRIVE,
                    nlb_bytes(oracle, oracle_nlb(cmd)), true);
}

void oracle_note_success(Oracle *oracle, const OracleCmd *cmd)
{
    if (cmd->op->kind == ORACLE_SEND &&
        oracle_send_action(cmd) == NVME_ZONE_ACTION_SET_ZD_EXT) {
        oracle_ext_set(oracle, cmd);
    }
    if (cmd->op->opcode == NVME_CMD_WRITE &&
        cmd->layout != ORACLE_PRP_SCATTERED) {
        oracle_ns(oracle)->written = (OracleWritten) {
            .slba = oracle_slba(cmd),
            .nlb = oracle_nlb(cmd),
            .offset_bytes = cmd->offset_bytes,
        };
    }
}

static void make_flush(Oracle *oracle, OracleCmd *cmd)
{
    if (oracle_chance(oracle, 20)) {
        cmd->sqe.nsid = cpu_to_le32(NVME_NSID_BROADCAST);
    }
    set_ignored_fields(oracle, cmd);
    if (oracle_chance(oracle, 5)) {
        cmd->layout = ORACLE_PSDT_METADATA + oracle_below(oracle, 2);
    }
}

/* Operations of the zoned command set */

static void make_append(Oracle *oracle, OracleCmd *cmd)
{
    uint64_t zslba = start_of(oracle, draw_zone(oracle));
    uint64_t zone_idx = MIN(zslba / oracle_zone_nlb(oracle),
                            oracle->config->zones - 1);
    uint64_t end = zone_idx * oracle_zone_nlb(oracle) + oracle_cap_nlb(oracle);

    oracle_set_rw(cmd, zslba, draw_nlb(oracle, end - wp_of(oracle, zone_idx)));
    set_ignored_fields(oracle, cmd);
    oracle_set_data(oracle, cmd, ORACLE_TO_DRIVE,
                    nlb_bytes(oracle, oracle_nlb(cmd)), true);
}

static void make_send(Oracle *oracle, OracleCmd *cmd, uint8_t action,
                      uint64_t zone_idx)
{
    bool all = oracle_chance(oracle, 3);

    oracle_set_send(cmd, action, start_of(oracle, zone_idx), all);
    if (oracle_chance(oracle, 3)) {
        cmd->layout = ORACLE_PSDT_METADATA + oracle_below(oracle, 2);
    }
}

static void make_open(Oracle *oracle, OracleCmd *cmd)
{
    make_send(oracle, cmd, NVME_ZONE_ACTION_OPEN, draw_zone(oracle));
    if (oracle_chance(oracle, 6)) {
        cmd->sqe.cdw13 |= cpu_to_le32(1u << 8);
    }
    if (oracle_chance(oracle, 2)) {
        cmd->sqe.cdw13 |= cpu_to_le32(1u << 9);         /* ZRWA */
    }
}

static void make_close(Oracle *oracle, OracleCmd *cmd)
{
    make_send(oracle, cmd, NVME_ZONE_ACTION_CLOSE, draw_zone(oracle));
}

static void make_finish(Oracle *oracle, OracleCmd *cmd)
{
    make_send(oracle, cmd, NVME_ZONE_ACTION_FINISH, draw_zone(oracle));
}

/* Full zones more often, or soon there would be no others. */
static void make_zone_reset(Oracle *oracle, OracleCmd *cmd)
{
    make_send(oracle, cmd, NVME_ZONE_ACTION_RESET,
              oracle_chance(oracle, 70) ? draw_zone_in(oracle, STATE(FULL))
                                        : draw_zone(oracle));
}

/* Mostly of an empty zone, as it must be. */
static void make_extension(Oracle *oracle, OracleCmd *cmd)
{
    make_send(oracle, cmd, NVME_ZONE_ACTION_SET_ZD_EXT,
              oracle_chance(oracle, 60) ? draw_zone_in(oracle, STATE(EMPTY))
                                        : draw_zone(oracle));
    oracle_set_data(oracle, cmd, ORACLE_TO_DRIVE, oracle->config->ext_bytes,
                    true);
}

/* Offline, those that need a feature, and what is reserved. */
static void make_other_action(Oracle *oracle, OracleCmd *cmd)
{
    static const uint8_t actions[] = {
        NVME_ZONE_ACTION_OFFLINE, NVME_ZONE_ACTION_ZRWA_FLUSH,
    };
    uint64_t what = oracle_below(oracle, ARRAY_SIZE(actions) + 1);

    uint8_t action = what < ARRAY_SIZE(actions) ? actions[what]
                                                : oracle_below(oracle, 256);

    if (action == NVME_ZONE_ACTION_SET_ZD_EXT) {
        action = NVME_ZONE_ACTION_OFFLINE;      /* that one has data */
    }
    make_send(oracle, cmd, action, draw_zone(oracle));
    if (oracle_chance(oracle, 20)) {
        cmd->sqe.cdw13 |= cpu_to_le32(1u << 8);
    }
}

/* Bytes of a report: of some zones, exactly or not, or far too many. */
static uint64_t draw_report_bytes(Oracle *oracle)
{
    uint64_t zones = oracle_below(oracle, oracle->config->zones + 2);
    uint64_t bytes = sizeof(NvmeZoneReportHeader) +
                     zones * sizeof(NvmeZoneDescr);

    switch (oracle_below(oracle, 20)) {
    case 0:
        return 4 + 4 * oracle_below(oracle, 20);
    case 1:
        return oracle->config->mdts_bytes + 4 * oracle_below(oracle, 2);
    case 2:
        return 4 + 4 * oracle_below(oracle, UINT32_MAX);
    case 3:
        return (UINT64_C(1) << 32) + bytes;     /* more than 32 bits hold */
    case 4:
    case 5:
        return bytes + 4 * oracle_below(oracle, 16);
    default:
        return bytes;
    }
}

static void make_receive(Oracle *oracle, OracleCmd *cmd)
{
    uint64_t slba = draw_zone(oracle) * oracle_zone_nlb(oracle);
    uint64_t bytes = draw_report_bytes(oracle);
    uint32_t partial = oracle_below(oracle, 2);
    uint32_t filter = oracle_below(oracle, oracle_chance(oracle, 94) ? 8 : 20);
    uint32_t action = 0;

    if (oracle_chance(oracle, 40)) {
        slba = oracle_below(oracle, oracle_ns_nlb(oracle));
    } else if (oracle_chance(oracle, 5)) {
        slba = draw_odd_lba(oracle);
    }
    if (oracle_chance(oracle, 10)) {
        filter = ORACLE_FILTER_ATTRIBUTES;
    }
    if (oracle_chance(oracle, 4)) {
        action = oracle_chance(oracle, 50) ? 1 : oracle_below(oracle, 256);
    } else if (oracle->config->ext_bytes) {
        action = oracle_below(oracle, 2);
    }
    oracle_set_rw(cmd, slba, 1);
    cmd->sqe.cdw12 = cpu_to_le32(bytes / 4 - 1);
    cmd->sqe.cdw13 = cpu_to_le32(partial << 16 | filter << 8 | action);
    oracle_set_data(oracle, cmd, ORACLE_FROM_DRIVE, bytes, true);
    if ((oracle->config->ext_bytes || filter == ORACLE_FILTER_ATTRIBUTES ||
         oracle->config->recommends) &&
        cmd->layout < ORACLE_PRP_BAD_ENTRY) {
        cmd->layout = ORACLE_PRP;       /* in one piece */
    }
}

/* A command with ranges; 128 of them are 4 KiB of Copy's. */
static void set_ranges(Oracle *oracle, OracleCmd *cmd)
{
    oracle_set_data(oracle, cmd, ORACLE_TO_DRIVE, oracle_ranges_bytes(cmd),
                    false);
    cmd->offset_bytes = 4 * oracle_below(oracle, FEMU_PAGE_BYTES / 4);
}

/*
 * Where a copy reads: one zone, and not what it writes, which the drives may
 * read before or after.
 */
static uint64_t draw_source(Oracle *oracle, uint64_t target, uint32_t nlb)
{
    uint64_t zone_nlb = oracle_zone_nlb(oracle);
    uint64_t zone_idx = draw_zone(oracle), slba = zone_idx * zone_nlb;
    uint64_t written_nlb = wp_of(oracle, zone_idx) - slba;

    if (oracle_chance(oracle, 10)) {
        slba += oracle_below(oracle, zone_nlb - MIN(zone_nlb, nlb) + 1);
    } else if (written_nlb > nlb) {
        slba += oracle_below(oracle, written_nlb - nlb + 1);
    }
    if (target / zone_nlb == zone_idx && slba + nlb > target) {
        slba = (zone_idx + 1) % oracle->config->zones * zone_nlb;
    }
    return slba;
}

/* Some of the `left` blocks of a copy that no range has yet. */
static uint32_t draw_range_nlb(Oracle *oracle, uint32_t left)
{
    if (oracle_chance(oracle, 30)) {
        return left;
    }
    return oracle_chance(oracle, 50) ? 1 + oracle_below(oracle, left) : 1;
}

/*
 * A copy that succeeds, or fails for the zone that it writes to, for its size
 * or its fields. QEMU must not be asked for one whose range cannot be read or
 * written: it fails an assertion then, for it accounts a write that it has not
 * begun.
 */
static void make_copy(Oracle *oracle, OracleCmd *cmd)
{
    uint64_t zone_idx = draw_zone(oracle), slba = wp_of(oracle, zone_idx);
    uint64_t end = zone_idx * oracle_zone_nlb(oracle) + oracle_cap_nlb(oracle);
    uint32_t max_nlb = oracle->config->mdts_bytes / oracle->config->lba_bytes;
    uint32_t left = MIN(draw_nlb(oracle, end - slba), MIN(max_nlb, end - slba));

    if (slba == end) {                          /* full */
        slba -= 1 + oracle_below(oracle, oracle_cap_nlb(oracle));
        left = 1 + oracle_below(oracle, max_nlb);
    } else if (oracle_chance(oracle, 3)) {
        slba = oracle_ns_nlb(oracle) + oracle_below(oracle, 16);
    }
    if (oracle_chance(oracle, 3)) {
        left = max_nlb + 1 + oracle_below(oracle, 16);
    }
    oracle_set_rw(cmd, slba, 1);
    set_ignored_fields(oracle, cmd);
    while (left && cmd->range_count < ORACLE_RANGES_MAX) {
        uint32_t nlb = draw_range_nlb(oracle, left);

        cmd->range[cmd->range_count++] = (OracleRange) {
            .slba = draw_source(oracle, slba, nlb),
            .nlb = nlb,
        };
        left -= nlb;
    }
    cmd->sqe.cdw12 |= cpu_to_le32(cmd->range_count - 1);
    if (oracle_chance(oracle, 4)) {
        uint32_t few = oracle_chance(oracle, 50) ? 4 : 16;

        cmd->sqe.cdw12 |= cpu_to_le32(oracle_below(oracle, few) << 8);
    }
    set_ranges(oracle, cmd);
    if (oracle_chance(oracle, 1)) {             /* more ranges than MSRC */
        cmd->sqe.cdw12 |= cpu_to_le32(0x80);
    }
}

/* Anything, mostly inside; a hint, but ranges to deallocate must be right. */
static void make_dataset(Oracle *oracle, OracleCmd *cmd)
{
    uint64_t ns_nlb = oracle_ns_nlb(oracle);

    cmd->range_count = oracle_chance(oracle, 80)
                       ? 1 + oracle_below(oracle, 4)
                       : 1 + oracle_below(oracle, ORACLE_RANGES_MAX);
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        uint64_t slba = oracle_chance(oracle, 5) ? draw_odd_lba(oracle)
                        : oracle_below(oracle, ns_nlb);
        uint64_t left_nlb = slba < ns_nlb ? ns_nlb - slba : 1;

        cmd->range[i] = (OracleRange) {
            .slba = slba,
            .nlb = oracle_below(oracle, left_nlb + 1) +
                   oracle_chance(oracle, 3),
        };
    }
    cmd->sqe.cdw10 = cpu_to_le32(cmd->range_count - 1);
    cmd->sqe.cdw11 = cpu_to_le32(oracle_below(oracle, 8));
    set_ranges(oracle, cmd);
}

/* Any opcode that none of the rows has. */
static void make_unknown(Oracle *oracle, OracleCmd *cmd)
{
    do {
        cmd->sqe.opcode = oracle_below(oracle, 256);
    } while ((oracle->effects[ORACLE_OURS][cmd->sqe.opcode] |
              oracle->effects[ORACLE_QEMU][cmd->sqe.opcode]) &
             NVME_CMD_EFF_CSUPP);
    oracle_set_rw(cmd, oracle_below(oracle, oracle_ns_nlb(oracle)), 1);
    cmd->sqe.cdw13 = oracle_below(oracle, UINT32_MAX);
}

/* The table. Weights add up to about 100. */
static const OracleOp ops[] = {
    { "write", NVME_CMD_WRITE, ORACLE_WRITE, 25, make_write },
    { "append", NVME_CMD_ZONE_APPEND, ORACLE_APPEND, 15, make_append },
    { "read", NVME_CMD_READ, ORACLE_READ, 18, make_read },
    { "flush", NVME_CMD_FLUSH, ORACLE_FLUSH, 3, make_flush },
    { "open", NVME_CMD_ZONE_MGMT_SEND, ORACLE_SEND, 9, make_open },
    { "close", NVME_CMD_ZONE_MGMT_SEND, ORACLE_SEND, 6, make_close },
    { "finish", NVME_CMD_ZONE_MGMT_SEND, ORACLE_SEND, 2, make_finish },
    { "reset", NVME_CMD_ZONE_MGMT_SEND, ORACLE_SEND, 7, make_zone_reset },
    { "other action", NVME_CMD_ZONE_MGMT_SEND, ORACLE_SEND, 3,
      make_other_action },
    { "extension", NVME_CMD_ZONE_MGMT_SEND, ORACLE_SEND, 3, make_extension },
    { "report", NVME_CMD_ZONE_MGMT_RECV, ORACLE_RECEIVE, 10, make_receive },
    { "unknown opcode", 0, ORACLE_OTHER, 1, make_unknown },
    { "write zeroes", NVME_CMD_WRITE_ZEROES, ORACLE_WRITE, 4,
      make_write_zeroes },
    { "compare", NVME_CMD_COMPARE, ORACLE_READ, 2, make_compare },
    { "verify", NVME_CMD_VERIFY, ORACLE_READ, 2, make_verify },
    { "copy", NVME_CMD_COPY, ORACLE_COPY, 5, make_copy },
    { "dataset", NVME_CMD_DSM, ORACLE_DATASET, 2, make_dataset },
};

/* What one of the drives does not offer is drawn less often. */
static unsigned weight_of(const Oracle *oracle, const OracleOp *op)
{
    bool offered = op->kind == ORACLE_OTHER ||
                   (oracle->effects[ORACLE_OURS][op->opcode] &
                    NVME_CMD_EFF_CSUPP);

    return op->weight * (offered ? 8 : 1);
}

static const OracleOp *draw_op(Oracle *oracle)
{
    uint64_t total = 0, at;

    for (unsigned i = 0; i < ARRAY_SIZE(ops); i++) {
        total += weight_of(oracle, &ops[i]);
    }
    at = oracle_below(oracle, total);
    for (unsigned i = 0; ; i++) {
        if (at < weight_of(oracle, &ops[i])) {
            return &ops[i];
        }
        at -= weight_of(oracle, &ops[i]);
    }
}

/* Namespaces that do not exist, fused operations. */
static void spoil(Oracle *oracle, OracleCmd *cmd)
{
    static const uint32_t nsids[] = {
        0, 2, 3, 256, 257, 0x80000001, 0xfffffffe, 0xffffffff,
    };

    if (oracle_chance(oracle, 2)) {
        uint32_t nsid = nsids[oracle_below(oracle, ARRAY_SIZE(nsids))];

        if (nsid == 0 || nsid > oracle->nn[ORACLE_OURS]) {
            cmd->sqe.nsid = cpu_to_le32(nsid);
        }
    }
    if (oracle_chance(oracle, 1)) {
        cmd->sqe.flags = 1 + oracle_below(oracle, 3);
    }
}

static void cmd_init(OracleCmd *cmd, const OracleOp *op)
{
    *cmd = (OracleCmd) {
        .op = op,
        .sqe.opcode = op->opcode,
        .sqe.nsid = cpu_to_le32(FEMU_NSID),
    };
}

void oracle_cmd_init(OracleCmd *cmd, const char *name)
{
    for (unsigned i = 0; i < ARRAY_SIZE(ops); i++) {
        if (g_str_equal(ops[i].name, name)) {
            cmd_init(cmd, &ops[i]);
            return;
        }
    }
    g_assert_not_reached();
}

void oracle_draw(Oracle *oracle, OracleCmd *cmd)
{
    cmd_init(cmd, draw_op(oracle));
    cmd->op->make(oracle, cmd);
    spoil(oracle, cmd);
}
