/*
 * The oracle for the Zone Random Write Area: zones with and without one, our
 * drive and QEMU's own, one command at a time; every answer the same, or
 * different for a reason in the table here (docs/oracle.md).
 *
 *   FEMU_ORACLE_COUNT  commands over all geometries, 20000 by default
 *   FEMU_SEED          another sequence; 1 by default
 *
 * Knows nothing of how long anything takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "femu-zns-oracle.h"

#define DEFAULT_COUNT 20000
#define DEFAULT_SEED 1
#define UNEXPLAINED_MAX 5
#define SELECT_PERCENT 20               /* draws of another namespace */
#define ZRWAA (1u << 9)                 /* CDW13 of Zone Management Send */

static const OracleConfig configs[] = {
    {
        .name = "zrwa-512",             /* a gap; fewer ZRWAs than active */
        .lba_bytes = 512, .zones = 8, .zone_size_bytes = 128 * SSD_KIB,
        .zone_capacity_bytes = 96 * SSD_KIB, .page_bytes = 16 * SSD_KIB,
        .max_open = 3, .max_active = 5, .mdts_bytes = 64 * SSD_KIB,
        .zrwa_bytes = 16 * SSD_KIB, .zrwa_granule_bytes = 4 * SSD_KIB,
        .max_zrwa = 2, .namespaces = 2,
        .features = "program-registers=2,write-buffer=1M,fe-write-ns=3000,"
                    "link-in-ns=300000,erase-at=idle",
    }, {
        .name = "zrwa-4096",            /* no gap; a ZRWA of half a zone */
        .lba_bytes = 4096, .zones = 6, .zone_size_bytes = 256 * SSD_KIB,
        .zone_capacity_bytes = 256 * SSD_KIB, .page_bytes = 16 * SSD_KIB,
        .max_open = 2, .max_active = 4, .mdts_bytes = 64 * SSD_KIB,
        .zrwa_bytes = 128 * SSD_KIB, .zrwa_granule_bytes = 16 * SSD_KIB,
        .max_zrwa = 4,
    },
};

static uint64_t total_commands, total_unexplained;

static uint64_t zrwa_nlb(const Oracle *oracle)
{
    return oracle->config->zrwa_bytes / oracle->config->lba_bytes;
}

static uint64_t granule_nlb(const Oracle *oracle)
{
    return oracle->config->zrwa_granule_bytes / oracle->config->lba_bytes;
}

static bool is_active(const NvmeZoneDescr *zone)
{
    uint8_t state = oracle_zone_state(zone);

    return state == NVME_ZONE_STATE_IMPLICITLY_OPEN ||
           state == NVME_ZONE_STATE_EXPLICITLY_OPEN ||
           state == NVME_ZONE_STATE_CLOSED;
}

/* Drawing */

/* Those with a ZRWA more often. */
static uint32_t draw_zone(Oracle *oracle)
{
    uint32_t zone_idx = oracle_below(oracle, oracle->config->zones);

    const NvmeZoneDescr *zone = oracle_ns(oracle)->zones.zone;

    for (unsigned i = 0; i < 12 && !oracle_has_zrwa(&zone[zone_idx]); i++) {
        zone_idx = oracle_below(oracle, oracle->config->zones);
    }
    return zone_idx;
}

/* An empty zone, if a few tries find one. */
static const NvmeZoneDescr *draw_empty(Oracle *oracle,
                                       const NvmeZoneDescr *other)
{
    for (unsigned i = 0; i < 12; i++) {
        uint32_t zone_idx = oracle_below(oracle, oracle->config->zones);
        const NvmeZoneDescr *zone = &oracle_ns(oracle)->zones.zone[zone_idx];

        if (oracle_zone_state(zone) == NVME_ZONE_STATE_EMPTY) {
            return zone;
        }
    }
    return other;
}

/* Somewhere in the ZRWA or behind it; at or near the write pointer else. */
static uint64_t draw_write_lba(Oracle *oracle, const NvmeZoneDescr *zone)
{
    uint64_t wp = is_active(zone) ? le64_to_cpu(zone->wp)
                                  : le64_to_cpu(zone->zslba);

    if (oracle_has_zrwa(zone)) {
        wp += oracle_below(oracle, 2 * zrwa_nlb(oracle) + 2);
        return oracle_chance(oracle, 4) ? wp - zrwa_nlb(oracle) : wp;
    }
    return oracle_chance(oracle, 5) ? wp + 1 : wp;
}

static void draw_io(Oracle *oracle, OracleCmd *cmd, const char *name,
                    const NvmeZoneDescr *zone)
{
    uint64_t slba = le64_to_cpu(zone->zslba);
    uint32_t nlb = 1 + oracle_below(oracle, oracle_chance(oracle, 50) ? 4 : 16);
    OracleData data = ORACLE_TO_DRIVE;

    oracle_cmd_init(cmd, name);
    if (cmd->op->kind == ORACLE_READ) {
        slba += oracle_below(oracle, oracle_cap_nlb(oracle) - nlb);
        data = ORACLE_FROM_DRIVE;
    } else if (cmd->op->kind == ORACLE_WRITE) {
        slba = draw_write_lba(oracle, zone);
        slba = MIN(slba, oracle_ns_nlb(oracle) - nlb);
    }
    oracle_set_rw(cmd, slba, nlb);
    if (cmd->sqe.opcode != NVME_CMD_WRITE_ZEROES) {
        oracle_set_data(oracle, cmd, data,
                        (uint64_t)nlb * oracle->config->lba_bytes, false);
    }
}

/* Mostly whole granules in the ZRWA, or one more; behind the capacity. */
static void draw_flush(Oracle *oracle, OracleCmd *cmd,
                       const NvmeZoneDescr *zone)
{
    uint64_t granules = zrwa_nlb(oracle) / granule_nlb(oracle);
    uint64_t wp = is_active(zone) ? le64_to_cpu(zone->wp)
                                  : le64_to_cpu(zone->zslba);
    uint64_t lba = wp + granule_nlb(oracle) *
                        oracle_below(oracle, granules + 2);
    uint64_t end = le64_to_cpu(zone->zslba) + oracle_cap_nlb(oracle);

    lba = lba ? lba - 1 : lba;
    if (oracle_chance(oracle, 20)) {
        lba = wp + oracle_below(oracle, zrwa_nlb(oracle) + 3);
    }
    if (oracle_has_zrwa(zone) && wp + zrwa_nlb(oracle) > end &&
        oracle_chance(oracle, 70)) {
        lba = end + oracle_below(oracle, wp + zrwa_nlb(oracle) - end);
    }
    oracle_cmd_init(cmd, "other action");
    oracle_set_send(cmd, NVME_ZONE_ACTION_ZRWA_FLUSH,
                    MIN(lba, oracle_ns_nlb(oracle) - 1),
                    oracle_chance(oracle, 2));
}

/*
 * QEMU's drive takes a second resource for a zone that has a ZRWA, and never
 * gives it back: such zones are not opened with one again.
 */
static void draw_open(Oracle *oracle, OracleCmd *cmd,
                      const NvmeZoneDescr *zone)
{
    if (oracle_chance(oracle, 60)) {
        zone = draw_empty(oracle, zone);
    }
    oracle_cmd_init(cmd, "open");
    oracle_set_send(cmd, NVME_ZONE_ACTION_OPEN, le64_to_cpu(zone->zslba),
                    false);
    if (!oracle_has_zrwa(zone) && oracle_chance(oracle, 75)) {
        cmd->sqe.cdw13 |= cpu_to_le32(ZRWAA);
    }
}

static void draw_send(Oracle *oracle, OracleCmd *cmd, const char *name,
                      uint8_t action, const NvmeZoneDescr *zone)
{
    oracle_cmd_init(cmd, name);
    oracle_set_send(cmd, action, le64_to_cpu(zone->zslba),
                    oracle_chance(oracle, 3));
}

static void draw(Oracle *oracle, OracleCmd *cmd)
{
    uint32_t zone_idx = draw_zone(oracle);
    const NvmeZoneDescr *zone = &oracle_ns(oracle)->zones.zone[zone_idx];
    uint64_t what = oracle_below(oracle, 100);

    if (what < 35) {
        draw_io(oracle, cmd, "write", zone);
    } else if (what < 40) {
        draw_io(oracle, cmd, "write zeroes", zone);
    } else if (what < 45) {
        draw_io(oracle, cmd, "append", zone);
    } else if (what < 65) {
        draw_io(oracle, cmd, "read", zone);
    } else if (what < 78) {
        draw_flush(oracle, cmd, zone);
    } else if (what < 88) {
        draw_open(oracle, cmd, zone);
    } else if (what < 93) {
        draw_send(oracle, cmd, "close", NVME_ZONE_ACTION_CLOSE, zone);
    } else if (what < 95) {
        draw_send(oracle, cmd, "finish", NVME_ZONE_ACTION_FINISH, zone);
    } else {
        draw_send(oracle, cmd, "reset", NVME_ZONE_ACTION_RESET, zone);
    }
}

/* The accepted differences */

static uint16_t ours(const OracleCase *c)
{
    return c->answer[ORACLE_OURS].status;
}

static uint16_t theirs(const OracleCase *c)
{
    return c->answer[ORACLE_QEMU].status;
}

/* The zone of the command as it was before. */
static const NvmeZoneDescr *target(const OracleCase *c)
{
    return &c->before.zone[oracle_slba(c->cmd) / oracle_zone_nlb(c->oracle)];
}

static bool is_flush(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_SEND &&
           oracle_send_action(c->cmd) == NVME_ZONE_ACTION_ZRWA_FLUSH;
}

static bool flush_without_zrwa(const OracleCase *c)
{
    return is_flush(c) && !oracle_has_zrwa(target(c)) &&
           ours(c) == NVME_INVALID_ZONE_OP && theirs(c) == NVME_INVALID_FIELD;
}

static bool flush_outside(const OracleCase *c)
{
    uint64_t lba = oracle_slba(c->cmd), wp = le64_to_cpu(target(c)->wp);

    return is_flush(c) && oracle_has_zrwa(target(c)) &&
           (lba < wp || lba >= wp + zrwa_nlb(c->oracle)) &&
           ours(c) == NVME_INVALID_ZONE_OP &&
           theirs(c) == (lba == wp + zrwa_nlb(c->oracle)
                         ? NVME_INVALID_FIELD : NVME_ZONE_BOUNDARY_ERROR);
}

static bool flush_behind_capacity(const OracleCase *c)
{
    return is_flush(c) && oracle_has_zrwa(target(c)) &&
           oracle_slba(c->cmd) % oracle_zone_nlb(c->oracle) >=
           oracle_cap_nlb(c->oracle) &&
           ours(c) == NVME_INVALID_ZONE_OP && theirs(c) != ours(c);
}

static bool allocates(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_SEND &&
           oracle_send_action(c->cmd) == NVME_ZONE_ACTION_OPEN &&
           (le32_to_cpu(c->cmd->sqe.cdw13) & ZRWAA);
}

static bool allocation_when_active(const OracleCase *c)
{
    return allocates(c) && is_active(target(c)) &&
           ours(c) == NVME_INVALID_ZONE_OP &&
           (theirs(c) == NVME_SUCCESS || theirs(c) == NVME_NOZRWA ||
            theirs(c) == NVME_ZONE_TOO_MANY_OPEN);
}

static bool allocation_when_full(const OracleCase *c)
{
    return allocates(c) &&
           oracle_zone_state(target(c)) == NVME_ZONE_STATE_FULL &&
           ours(c) == NVME_ZONE_INVAL_TRANSITION && theirs(c) == NVME_NOZRWA;
}

/* Behind the capacity, and not where the zone is written either. */
static bool write_with_two_errors(const OracleCase *c)
{
    const NvmeZoneDescr *zone = target(c);
    uint64_t slba = oracle_slba(c->cmd), nlb = oracle_nlb(c->cmd);
    uint64_t wp = is_active(zone) ? le64_to_cpu(zone->wp)
                                  : le64_to_cpu(zone->zslba);
    bool misplaced = oracle_has_zrwa(zone)
                     ? slba < wp || slba + nlb > wp + 2 * zrwa_nlb(c->oracle)
                     : slba != wp;

    return c->cmd->op->kind == ORACLE_WRITE && misplaced &&
           slba % oracle_zone_nlb(c->oracle) + nlb >
           oracle_cap_nlb(c->oracle) &&
           ours(c) == NVME_ZONE_BOUNDARY_ERROR &&
           theirs(c) == NVME_ZONE_INVALID_WRITE;
}

/* Zones that the drives report differently. */
static unsigned count_different(const OracleCase *c)
{
    unsigned count = 0;

    for (unsigned i = 0; i < c->oracle->config->zones; i++) {
        count += memcmp(&c->after[ORACLE_OURS].zone[i],
                        &c->after[ORACLE_QEMU].zone[i],
                        sizeof(NvmeZoneDescr)) != 0;
    }
    return count;
}

/* The same answer, but QEMU's has closed an implicitly opened zone for it. */
static bool closed_in_vain(const OracleCase *c)
{
    for (unsigned i = 0; i < c->oracle->config->zones; i++) {
        const NvmeZoneDescr *was = &c->before.zone[i];
        const NvmeZoneDescr *is = &c->after[ORACLE_QEMU].zone[i];

        if (memcmp(was, is, sizeof(*was)) &&
            (oracle_zone_state(was) != NVME_ZONE_STATE_IMPLICITLY_OPEN ||
             oracle_zone_state(is) != NVME_ZONE_STATE_CLOSED)) {
            return false;
        }
    }
    return (theirs(c) == NVME_ZONE_TOO_MANY_ACTIVE ||
            theirs(c) == NVME_NOZRWA) && ours(c) != NVME_SUCCESS &&
           (c->aspects & ORACLE_CHANGED) == 0 && count_different(c) == 1;
}

static const struct {
    const char *name;
    unsigned aspects;
    bool (*explains)(const OracleCase *c);
} rows[] = {
    { "zrwa-flush-without-zrwa", ORACLE_STATUS, flush_without_zrwa },
    { "zrwa-flush-outside", ORACLE_STATUS, flush_outside },
    { "zrwa-flush-behind-capacity", ORACLE_STATUS | ORACLE_ZONE,
      flush_behind_capacity },
    { "zrwa-allocation-when-active", ORACLE_STATUS | ORACLE_ZONE,
      allocation_when_active },
    { "zrwa-allocation-when-full", ORACLE_STATUS, allocation_when_full },
    { "zrwa-write-with-two-errors", ORACLE_STATUS, write_with_two_errors },
    { "zrwa-closed-in-vain", ORACLE_ZONE, closed_in_vain },
};

static uint64_t used[ARRAY_SIZE(rows)];

static bool explain(const OracleCase *c)
{
    unsigned left = c->aspects;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        if ((left & rows[i].aspects) && rows[i].explains(c)) {
            left &= ~rows[i].aspects;
            used[i]++;
        }
    }
    return left == 0;
}

/* Running */

static bool same_zones(const OracleZones *a, const OracleZones *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static void compare(OracleCase *c)
{
    bool succeeded = ours(c) == NVME_SUCCESS && theirs(c) == NVME_SUCCESS;

    if (ours(c) != theirs(c)) {
        c->aspects |= ORACLE_STATUS;
    }
    if (succeeded && c->answer[ORACLE_OURS].result !=
                     c->answer[ORACLE_QEMU].result) {
        c->aspects |= ORACLE_RESULT;
    }
    if (succeeded && c->cmd->data == ORACLE_FROM_DRIVE &&
        !oracle_same_data(c->oracle, c->cmd, 0)) {
        c->aspects |= ORACLE_BYTES;
    }
    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        oracle_report(c->oracle, side, &c->after[side]);
    }
    if (!same_zones(&c->after[ORACLE_OURS], &c->after[ORACLE_QEMU])) {
        c->aspects |= ORACLE_ZONE;
    }
    if (ours(c) != NVME_SUCCESS &&
        !same_zones(&c->before, &c->after[ORACLE_OURS])) {
        c->aspects |= ORACLE_CHANGED;
    }
    if (!oracle_status_allowed(c, ours(c))) {
        c->aspects |= ORACLE_RULES;
    }
    if (oracle_others_changed(c->oracle)) {
        c->aspects |= ORACLE_OTHERS;
    }
}

/* Reset the zones that the drives show differently. */
static void make_equal(OracleCase *c)
{
    Oracle *oracle = c->oracle;

    for (unsigned i = 0; i < oracle->config->zones; i++) {
        if (memcmp(&c->after[ORACLE_OURS].zone[i],
                   &c->after[ORACLE_QEMU].zone[i], sizeof(NvmeZoneDescr))) {
            oracle_reset(oracle, i, false);
        }
    }
    oracle_report(oracle, ORACLE_OURS, &c->after[ORACLE_OURS]);
    oracle_report(oracle, ORACLE_QEMU, &c->after[ORACLE_QEMU]);
    g_assert_true(same_zones(&c->after[ORACLE_OURS],
                             &c->after[ORACLE_QEMU]));
}

static void run_one(Oracle *oracle)
{
    OracleAnswer answer[1][ORACLE_SIDES];
    OracleCmd cmd;
    OracleCase c = {
        .oracle = oracle, .cmd = &cmd, .before = oracle_ns(oracle)->zones,
    };

    draw(oracle, &cmd);
    oracle->commands++;
    oracle_exec(oracle, &cmd, 1, answer);
    memcpy(c.answer, answer[0], sizeof(c.answer));
    compare(&c);
    oracle_count_answer(&cmd, ours(&c));
    if (c.aspects) {
        if (!explain(&c)) {
            oracle_print_case(&c);
            oracle->unexplained++;
        }
        make_equal(&c);
    }
    oracle_ns(oracle)->zones = c.after[ORACLE_OURS];
}

static uint64_t from_environment(const char *name, uint64_t value)
{
    const char *text = getenv(name);

    if (text && qemu_strtou64(text, NULL, 0, &value) < 0) {
        g_error("%s=%s is no number", name, text);
    }
    return value;
}

static void test_geometry(const void *data)
{
    uint64_t count = from_environment("FEMU_ORACLE_COUNT", DEFAULT_COUNT);
    uint32_t seed = from_environment("FEMU_SEED", DEFAULT_SEED);
    Oracle *oracle = oracle_start(data, seed);

    count = DIV_ROUND_UP(count, ARRAY_SIZE(configs));
    while (oracle->commands < count &&
           oracle->unexplained < UNEXPLAINED_MAX) {
        if (oracle_namespaces(oracle->config) > 1 &&
            oracle_chance(oracle, SELECT_PERCENT)) {
            oracle_select(oracle, 1 + oracle_below(
                oracle, oracle_namespaces(oracle->config)));
        }
        run_one(oracle);
    }
    total_commands += oracle->commands;
    total_unexplained += oracle->unexplained;
    if (oracle->unexplained) {
        g_test_fail();
    }
    oracle_stop(oracle);
}

int main(int argc, char **argv)
{
    unsigned unneeded = 0;
    bool failed = false;
    int status;

    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(configs); i++) {
        g_autofree char *path = g_strdup_printf("femu-zns/oracle/%s",
                                                configs[i].name);

        qtest_add_data_func(path, &configs[i], test_geometry);
    }
    status = g_test_run();
    if (total_commands) {
        oracle_count_print();
        for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
            printf("# %s: %" PRIu64 "\n", rows[i].name, used[i]);
            if (used[i] == 0) {
                printf("oracle: \"%s\" was not needed in %" PRIu64
                       " commands: is it still true?\n", rows[i].name,
                       total_commands);
                unneeded++;
            }
        }
        unneeded += oracle_rules_print_unneeded(true, total_commands);
        failed = unneeded && total_commands >= DEFAULT_COUNT;
        printf("oracle: %" PRIu64 " commands to zones with a ZRWA, %" PRIu64
               " unexplained differences%s\n", total_commands,
               total_unexplained, failed ? ", rules that were not needed" : "");
    }
    return status || failed;
}
