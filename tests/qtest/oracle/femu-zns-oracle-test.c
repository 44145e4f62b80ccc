/*
 * The oracle test: random commands to our drive and to QEMU's own zoned nvme,
 * in several geometries; every answer the same, or different for a reason in
 * the table of accepted differences (docs/oracle.md).
 *
 *   FEMU_ORACLE_COUNT  commands over all geometries, 120000 by default
 *   FEMU_SEED          another sequence; 1 by default
 *   FEMU_ORACLE_STOP   commands of each geometry, instead of a share
 *
 * A run of that many commands or more fails if a row of the table or a rule was
 * never needed: it may have become untrue, or out of reach.
 *
 * Knows nothing of how long anything takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "femu-zns-oracle.h"

#define DEFAULT_COUNT 120000
#define DEFAULT_SEED 1

/* Of 100 draws, those of commands in flight together. */
#define BATCH_PERCENT 6

/* After so many unexplained differences a geometry's run ends. */
#define UNEXPLAINED_MAX 5

/* Of 100 commands or batches, those before which another namespace is taken. */
#define SELECT_PERCENT 20

/* What our drive has, and QEMU's has not, must not show but in time. */
#define FRONT_END "fe-read-ns=2000,fe-write-ns=3000,fe-append-ns=5000," \
    "fe-open-ns=9000,fe-finish-ns=13000,fe-reset-ns=11000,fe-after=300," \
    "fe-after-random=on,read-slots=3,link-in-ns=300000,link-out-ns=300000," \
    "fixed-read-ns=1000,fixed-write-ns=2000"
#define WRITE_BUFFER "write-buffer=512K,zone-buffer=96K,program-registers=2"
#define RESET_COSTS "reset-drains=on,reset-lock-ns=16000000,reset-steps=10," \
    "reset-step-ns=1000,reset-base-ns=700000,reset-part-ns=900000"
#define FLASH "program-spread=12,stripe-spread=90,slow-pages=300," \
    "read-slow-ns=70000,cache-read=off,reads-first=2,program-suspend=on," \
    "suspend-ns=50000,resume-ns=30000,suspend-segment-ns=140000"
#define DESIGNS "erase-at=background,erase-preemptive=on,mapping=lazy," \
    "spare-superblocks=2,superblock-order=least-worn,finish-pause-ns=5000," \
    "mgmt-parallel-zones=3"

static const OracleConfig configs[] = {
    {
        .name = "512-limits",           /* more active than open zones */
        .lba_bytes = 512, .zones = 12, .zone_size_bytes = 128 * SSD_KIB,
        .zone_capacity_bytes = 96 * SSD_KIB, .page_bytes = 16 * SSD_KIB,
        .max_open = 3, .max_active = 5, .mdts_bytes = 64 * SSD_KIB,
        .zasl_bytes = 16 * SSD_KIB, .ext_bytes = 64,
        .features = FRONT_END "," WRITE_BUFFER "," RESET_COSTS,
    }, {
        .name = "512-equal-limits",     /* zones without a gap */
        .lba_bytes = 512, .zones = 8, .zone_size_bytes = 64 * SSD_KIB,
        .zone_capacity_bytes = 64 * SSD_KIB, .page_bytes = 16 * SSD_KIB,
        .max_open = 4, .max_active = 4, .mdts_bytes = 256 * SSD_KIB,
        .recommends = true, .features = FLASH,
    }, {
        .name = "512-one-open",
        .lba_bytes = 512, .zones = 6, .zone_size_bytes = 64 * SSD_KIB,
        .zone_capacity_bytes = 36 * SSD_KIB, .page_bytes = 4 * SSD_KIB,
        .max_open = 1, .max_active = 3, .mdts_bytes = 32 * SSD_KIB,
    }, {
        .name = "4096-limits",
        .lba_bytes = 4096, .zones = 12, .zone_size_bytes = 512 * SSD_KIB,
        .zone_capacity_bytes = 304 * SSD_KIB, .page_bytes = 16 * SSD_KIB,
        .max_open = 3, .max_active = 5, .mdts_bytes = 128 * SSD_KIB,
        .zasl_bytes = 64 * SSD_KIB, .wzsl_bytes = 16 * SSD_KIB,
        .ext_bytes = 192, .namespaces = 3, .features = FLASH "," DESIGNS,
    }, {
        .name = "4096-equal-limits",    /* transfers larger than a zone */
        .lba_bytes = 4096, .zones = 8, .zone_size_bytes = 128 * SSD_KIB,
        .zone_capacity_bytes = 128 * SSD_KIB, .page_bytes = 32 * SSD_KIB,
        .max_open = 5, .max_active = 5, .mdts_bytes = 256 * SSD_KIB,
        .namespaces = 2, .recommends = true, .features = FRONT_END "," FLASH,
    }, {
        .name = "4096-no-limits",
        .lba_bytes = 4096, .zones = 5, .zone_size_bytes = 256 * SSD_KIB,
        .zone_capacity_bytes = 192 * SSD_KIB, .page_bytes = 16 * SSD_KIB,
        .max_open = 0, .max_active = 0, .mdts_bytes = 64 * SSD_KIB,
    },
};

/* Over all geometries */
static uint64_t total_commands;
static uint64_t total_unexplained;

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = g_getenv(name);
    uint64_t value = otherwise;

    if (text && qemu_strtou64(text, NULL, 0, &value) < 0) {
        g_error("%s=%s is not a number", name, text);
    }
    return value;
}

/* Comparing */

static bool same_zones(const OracleZones *a, const OracleZones *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Has QEMU's drive replaced a valid extension, and says that it has not? */
static bool wrote_hidden_ext(const OracleCase *c)
{
    uint64_t zone_idx = oracle_slba(c->cmd) / oracle_zone_nlb(c->oracle);

    return oracle_send_action(c->cmd) == NVME_ZONE_ACTION_SET_ZD_EXT &&
           c->answer[ORACLE_QEMU].status != NVME_SUCCESS &&
           zone_idx < c->oracle->config->zones &&
           (c->before.zone[zone_idx].za & ORACLE_ZDEV);
}

/* Has QEMU's drive moved a write pointer, though it reports none moved? */
static bool moved_hidden_wp(const OracleCase *c)
{
    if (c->cmd->op->kind == ORACLE_SEND) {
        return wrote_hidden_ext(c);
    }
    return (c->cmd->op->kind == ORACLE_WRITE ||
            c->cmd->op->kind == ORACLE_APPEND) &&
           c->answer[ORACLE_QEMU].status != NVME_SUCCESS &&
           oracle_layout_status(c->cmd) != NVME_SUCCESS &&
           !oracle_any_error_applies(c);
}

/* Does our drive offer the command, so that the rules are for it? */
static bool is_offered(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_OTHER ||
           (c->oracle->effects[ORACLE_OURS][c->cmd->sqe.opcode] &
            NVME_CMD_EFF_CSUPP);
}

/* Of zones with attributes, which QEMU's drive does not know. */
static bool is_attribute_report(const OracleCase *c)
{
    return c->cmd->op->kind == ORACLE_RECEIVE &&
           (le32_to_cpu(c->cmd->sqe.cdw13) >> 8 & 0xff) ==
           ORACLE_FILTER_ATTRIBUTES;
}

/* The answers alone; `slot` is where the command's data are. */
static unsigned compare_answers(Oracle *oracle, const OracleCase *c,
                                unsigned slot)
{
    const OracleAnswer *ours = &c->answer[ORACLE_OURS];
    const OracleAnswer *theirs = &c->answer[ORACLE_QEMU];
    bool succeeded = ours->status == NVME_SUCCESS &&
                     theirs->status == NVME_SUCCESS;
    unsigned aspects = 0;

    oracle_count_answer(c->cmd, ours->status);
    if (ours->status != theirs->status) {
        aspects |= ORACLE_STATUS;
    }
    if (succeeded && ours->result != theirs->result) {
        aspects |= ORACLE_RESULT;
    }
    if (succeeded && c->cmd->data == ORACLE_FROM_DRIVE && c->cmd->bytes &&
        !oracle_same_data(oracle, c->cmd, slot)) {
        aspects |= ORACLE_BYTES;
    }
    if (is_attribute_report(c) && ours->status == NVME_SUCCESS &&
        !oracle_attributes_right(oracle, c->cmd, &c->before, slot)) {
        aspects |= ORACLE_BYTES;
    }
    return aspects;
}

static unsigned compare_zones(const OracleCase *c)
{
    unsigned aspects = 0;

    if (!same_zones(&c->after[ORACLE_OURS], &c->after[ORACLE_QEMU])) {
        aspects |= ORACLE_ZONE;
    }
    if (moved_hidden_wp(c)) {
        aspects |= ORACLE_HIDDEN;
    }
    if (c->answer[ORACLE_OURS].status != NVME_SUCCESS &&
        !same_zones(&c->before, &c->after[ORACLE_OURS])) {
        aspects |= ORACLE_CHANGED;
    }
    if (is_offered(c) &&
        !oracle_status_allowed(c, c->answer[ORACLE_OURS].status)) {
        aspects |= ORACLE_RULES;
    }
    return aspects;
}

static void report_both(Oracle *oracle, OracleZones after[ORACLE_SIDES])
{
    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        oracle_report(oracle, side, &after[side]);
    }
}

/* Unexplained: show it, and begin anew with empty zones. */
static void complain(Oracle *oracle, const OracleCase *c)
{
    oracle_print_case(c);
    oracle->unexplained++;
    oracle_reset(oracle, 0, true);
}

/* The drives must agree again, whatever was made equal. */
static void settle(Oracle *oracle)
{
    OracleZones zones[ORACLE_SIDES];

    report_both(oracle, zones);
    g_assert_true(same_zones(&zones[ORACLE_OURS], &zones[ORACLE_QEMU]));
    oracle_ns(oracle)->zones = zones[ORACLE_OURS];
}

/* Running */

/* Called for an abort; whatever that calls may abort again. */
static void print_death(void *data)
{
    static bool printed;

    if (!printed) {
        printed = true;
        oracle_print_death(data);
    }
}

/* As oracle_exec(); says which command it was if QEMU does not survive it. */
static void exec(OracleCase *c, const OracleCmd *cmd, unsigned count,
                 OracleAnswer answer[][ORACLE_SIDES])
{
    Oracle *oracle = c->oracle;

    oracle->commands += count;
    qtest_add_abrt_handler(print_death, c);
    oracle_exec(oracle, cmd, count, answer);
    qtest_remove_abrt_handler(c);
}

static void run_one(Oracle *oracle)
{
    OracleAnswer answer[1][ORACLE_SIDES];
    OracleCmd cmd;
    OracleCase c = {
        .oracle = oracle, .cmd = &cmd, .before = oracle_ns(oracle)->zones,
    };

    oracle_draw(oracle, &cmd);
    exec(&c, &cmd, 1, answer);
    memcpy(c.answer, answer[0], sizeof(c.answer));
    c.aspects = compare_answers(oracle, &c, 0);
    if (c.answer[ORACLE_OURS].status == NVME_SUCCESS) {
        oracle_note_success(oracle, &cmd);
    }
    report_both(oracle, c.after);
    c.aspects |= compare_zones(&c);
    if (oracle_others_changed(oracle)) {
        c.aspects |= ORACLE_OTHERS;
    }
    oracle_ns(oracle)->zones = c.after[ORACLE_OURS];
    if (c.aspects) {
        if (!oracle_explain(oracle, &c)) {
            complain(oracle, &c);
        }
        settle(oracle);
    }
}

/* Nothing is accepted among commands in flight together. */
static void run_batch(Oracle *oracle)
{
    g_autofree OracleCmd *cmd = g_new(OracleCmd, ORACLE_SLOTS);
    OracleAnswer answer[ORACLE_SLOTS][ORACLE_SIDES];
    OracleCase c = { .oracle = oracle, .before = oracle_ns(oracle)->zones };
    unsigned count = oracle_draw_batch(oracle, cmd);
    unsigned wrong = 0;

    exec(&c, cmd, count, answer);
    for (unsigned i = 0; i < count; i++) {
        c.cmd = &cmd[i];
        memcpy(c.answer, answer[i], sizeof(c.answer));
        c.aspects = compare_answers(oracle, &c, i);
        if (c.aspects && !wrong++) {
            report_both(oracle, c.after);
            complain(oracle, &c);
        }
    }
    report_both(oracle, c.after);
    if (!same_zones(&c.after[ORACLE_OURS], &c.after[ORACLE_QEMU]) ||
        oracle_others_changed(oracle)) {
        c.aspects = ORACLE_ZONE;
        c.cmd = NULL;
        complain(oracle, &c);
        wrong = 1;
    }
    oracle_ns(oracle)->zones = c.after[ORACLE_OURS];
    if (wrong) {
        settle(oracle);
    }
}

static void test_geometry(const void *data)
{
    const OracleConfig *config = data;
    uint64_t count = from_environment("FEMU_ORACLE_COUNT", DEFAULT_COUNT);
    uint32_t seed = from_environment("FEMU_SEED", DEFAULT_SEED);
    uint64_t stop = from_environment("FEMU_ORACLE_STOP",
                                     DIV_ROUND_UP(count, ARRAY_SIZE(configs)));
    Oracle *oracle = oracle_start(config, seed);

    while (oracle->commands < stop && oracle->unexplained < UNEXPLAINED_MAX) {
        if (oracle_namespaces(config) > 1 &&
            oracle_chance(oracle, SELECT_PERCENT)) {
            oracle_select(oracle, 1 + oracle_below(
                oracle, oracle_namespaces(config)));
        }
        if (oracle_chance(oracle, BATCH_PERCENT)) {
            run_batch(oracle);
        } else {
            run_one(oracle);
        }
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
        oracle_table_print();
        unneeded = oracle_table_print_unused(total_commands) +
                   oracle_rules_print_unneeded(false, total_commands);
        failed = unneeded && total_commands >= DEFAULT_COUNT;
        printf("oracle: %" PRIu64 " commands, %" PRIu64
               " unexplained differences%s\n", total_commands,
               total_unexplained, failed ? ", rules that were not needed" : "");
    }
    return status || failed;
}
