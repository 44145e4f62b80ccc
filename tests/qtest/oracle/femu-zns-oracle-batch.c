/*
 * The oracle's commands in flight together: drawn so that no answer depends on
 * the order in which a drive carries them out, or on when it gives back what a
 * zone holds.
 *
 * Knows nothing of what answers should be.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-oracle.h"

/*
 * The zones as they will be after the commands drawn so far. Resources are only
 * taken: what a command of the batch gives back may still be held by the time
 * that a later one wants it.
 */
typedef struct Plan {
    Oracle *oracle;
    uint8_t state[ORACLE_ZONES_MAX];
    uint64_t wp[ORACLE_ZONES_MAX];
    bool used[ORACLE_ZONES_MAX];        /* by I/O: not for management */
    bool managed[ORACLE_ZONES_MAX];     /* not for anything any more */
    unsigned open;
    unsigned active;
} Plan;

static bool is_open(uint8_t state)
{
    return state == NVME_ZONE_STATE_IMPLICITLY_OPEN ||
           state == NVME_ZONE_STATE_EXPLICITLY_OPEN;
}

static void plan_init(Plan *plan, Oracle *oracle)
{
    *plan = (Plan) { .oracle = oracle };
    for (uint32_t i = 0; i < oracle->config->zones; i++) {
        const NvmeZoneDescr *zone = &oracle_ns(oracle)->zones.zone[i];
        uint8_t state = oracle_zone_state(zone);

        plan->state[i] = state;
        plan->wp[i] = le64_to_cpu(zone->wp);
        if (state == NVME_ZONE_STATE_FULL) {
            plan->wp[i] = le64_to_cpu(zone->zslba) + oracle_cap_nlb(oracle);
        }
        plan->open += is_open(state);
        plan->active += is_open(state) || state == NVME_ZONE_STATE_CLOSED;
    }
}

/* Can the zone be open without another one being closed for it? */
static bool can_open(const Plan *plan, uint32_t zone_idx)
{
    const OracleConfig *config = plan->oracle->config;
    uint8_t state = plan->state[zone_idx];

    if (is_open(state)) {
        return true;
    }
    if (config->max_open && plan->open >= config->max_open) {
        return false;
    }
    return state == NVME_ZONE_STATE_CLOSED ||
           (state == NVME_ZONE_STATE_EMPTY &&
            (!config->max_active || plan->active < config->max_active));
}

static void plan_open(Plan *plan, uint32_t zone_idx, uint8_t state)
{
    plan->open += !is_open(plan->state[zone_idx]);
    plan->active += plan->state[zone_idx] == NVME_ZONE_STATE_EMPTY;
    plan->state[zone_idx] = state;
}

static bool can_write(const Plan *plan, uint32_t zone_idx)
{
    return !plan->managed[zone_idx] && can_open(plan, zone_idx);
}

static bool can_read(const Plan *plan, uint32_t zone_idx)
{
    const NvmeZoneDescr *zone = &oracle_ns(plan->oracle)->zones.zone[zone_idx];

    return !plan->managed[zone_idx] && zone->wp != zone->zslba;
}

static bool can_manage(const Plan *plan, uint32_t zone_idx)
{
    return !plan->managed[zone_idx] && !plan->used[zone_idx];
}

/* A random zone of those that `can`. Return: false if there is none. */
static bool draw_zone(const Plan *plan, uint32_t *zone_idx,
                      bool (*can)(const Plan *plan, uint32_t zone_idx))
{
    uint32_t zones = plan->oracle->config->zones;
    uint32_t first = oracle_below(plan->oracle, zones);

    for (uint32_t i = 0; i < zones; i++) {
        *zone_idx = (first + i) % zones;
        if (can(plan, *zone_idx)) {
            return true;
        }
    }
    return false;
}

static uint32_t draw_nlb(Plan *plan, uint64_t left_nlb)
{
    uint64_t nlb = 1 + oracle_below(plan->oracle,
                                    oracle_cap_nlb(plan->oracle) / 10 + 1);

    return MIN(nlb, left_nlb);
}

/* Where the plan's write pointer is: exact, because order is submission's. */
static void make_write(Plan *plan, OracleCmd *cmd, uint32_t zone_idx)
{
    Oracle *oracle = plan->oracle;
    uint64_t zslba = zone_idx * oracle_zone_nlb(oracle);
    uint64_t end = zslba + oracle_cap_nlb(oracle);
    uint64_t wp = plan->wp[zone_idx];
    uint32_t nlb = draw_nlb(plan, end - wp);
    bool append = oracle_chance(oracle, 50);

    oracle_cmd_init(cmd, append ? "append" : "write");
    oracle_set_rw(cmd, append ? zslba : wp, nlb);
    oracle_set_data(oracle, cmd, ORACLE_TO_DRIVE,
                    nlb * oracle->config->lba_bytes, false);
    plan_open(plan, zone_idx, NVME_ZONE_STATE_IMPLICITLY_OPEN);
    plan->used[zone_idx] = true;
    plan->wp[zone_idx] += nlb;
    plan->managed[zone_idx] = plan->wp[zone_idx] == end;
}

/* What was there before the batch; nothing of it changes that. */
static void make_read(Plan *plan, OracleCmd *cmd, uint32_t zone_idx)
{
    Oracle *oracle = plan->oracle;
    const NvmeZoneDescr *zone = &oracle_ns(oracle)->zones.zone[zone_idx];
    uint64_t zslba = le64_to_cpu(zone->zslba);
    uint64_t written_nlb = oracle_zone_state(zone) == NVME_ZONE_STATE_FULL
                           ? oracle_cap_nlb(oracle)
                           : le64_to_cpu(zone->wp) - zslba;
    uint64_t at_nlb = oracle_below(oracle, written_nlb);
    uint32_t nlb = draw_nlb(plan, written_nlb - at_nlb);

    oracle_cmd_init(cmd, "read");
    oracle_set_rw(cmd, zslba + at_nlb, nlb);
    oracle_set_data(oracle, cmd, ORACLE_FROM_DRIVE,
                    nlb * oracle->config->lba_bytes, false);
    plan->used[zone_idx] = true;
}

static void make_manage(Plan *plan, OracleCmd *cmd, uint32_t zone_idx)
{
    static const struct {
        const char *name;
        uint8_t action;
    } rows[] = {
        { "close", NVME_ZONE_ACTION_CLOSE },
        { "finish", NVME_ZONE_ACTION_FINISH },
        { "reset", NVME_ZONE_ACTION_RESET },
        { "open", NVME_ZONE_ACTION_OPEN },
    };
    bool openable = can_open(plan, zone_idx) ||
                    plan->state[zone_idx] == NVME_ZONE_STATE_FULL;
    unsigned row = oracle_below(plan->oracle,
                                ARRAY_SIZE(rows) - !openable);

    oracle_cmd_init(cmd, rows[row].name);
    oracle_set_send(cmd, rows[row].action,
                    zone_idx * oracle_zone_nlb(plan->oracle), false);
    if (rows[row].action == NVME_ZONE_ACTION_OPEN &&
        plan->state[zone_idx] != NVME_ZONE_STATE_FULL) {
        plan_open(plan, zone_idx, NVME_ZONE_STATE_EXPLICITLY_OPEN);
    }
    plan->managed[zone_idx] = true;
}

static void draw(Plan *plan, OracleCmd *cmd)
{
    uint64_t what = oracle_below(plan->oracle, 100);
    uint32_t zone_idx;

    if (what < 60 && draw_zone(plan, &zone_idx, can_write)) {
        make_write(plan, cmd, zone_idx);
    } else if (what < 80 && draw_zone(plan, &zone_idx, can_read)) {
        make_read(plan, cmd, zone_idx);
    } else if (what < 97 && draw_zone(plan, &zone_idx, can_manage)) {
        make_manage(plan, cmd, zone_idx);
    } else {
        oracle_cmd_init(cmd, "flush");
    }
}

unsigned oracle_draw_batch(Oracle *oracle, OracleCmd *cmd)
{
    unsigned count = 2 + oracle_below(oracle, ORACLE_SLOTS - 1);
    Plan plan;

    plan_init(&plan, oracle);
    for (unsigned i = 0; i < count; i++) {
        draw(&plan, &cmd[i]);
    }
    return count;
}
