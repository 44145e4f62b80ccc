/*
 * Zone states and resources as a host sees them: open, close, finish, reset,
 * of one zone and of all; open and active limits, and when they are released.
 *
 * Knows nothing of the layout of reports (femu-zns-report-test.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define NOWHERE UINT64_C(0x80000000)

enum {
    EMPTY = NVME_ZONE_STATE_EMPTY,
    IMPLICIT = NVME_ZONE_STATE_IMPLICITLY_OPEN,
    EXPLICIT = NVME_ZONE_STATE_EXPLICITLY_OPEN,
    CLOSED = NVME_ZONE_STATE_CLOSED,
    FULL = NVME_ZONE_STATE_FULL,
    OPEN = NVME_ZONE_ACTION_OPEN,
    CLOSE = NVME_ZONE_ACTION_CLOSE,
    FINISH = NVME_ZONE_ACTION_FINISH,
    RESET = NVME_ZONE_ACTION_RESET,
};

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

static uint16_t zone_send(FemuDrive *drive, uint8_t action, uint32_t zone_idx)
{
    return femu_zone_send(drive, action, femu_zone_lba(drive, zone_idx),
                          false);
}

static void zone_send_ok(FemuDrive *drive, uint8_t action, uint32_t zone_idx)
{
    g_assert_cmphex(zone_send(drive, action, zone_idx), ==, NVME_SUCCESS);
}

static void all_send_ok(FemuDrive *drive, uint8_t action)
{
    g_assert_cmphex(femu_zone_send(drive, action, 0, true), ==, NVME_SUCCESS);
}

/* Write one block at the start of an empty zone. */
static uint16_t write_one(FemuDrive *drive, uint32_t zone_idx)
{
    return femu_write(drive, femu_zone_lba(drive, zone_idx), 1, NULL);
}

static void write_one_ok(FemuDrive *drive, uint32_t zone_idx)
{
    g_assert_cmphex(write_one(drive, zone_idx), ==, NVME_SUCCESS);
}

/* Bring an empty zone into `state`; an open or closed one has one block. */
static void make_state(FemuDrive *drive, uint32_t zone_idx, unsigned state)
{
    switch (state) {
    case EMPTY:
        break;
    case IMPLICIT:
        write_one_ok(drive, zone_idx);
        break;
    case EXPLICIT:
        zone_send_ok(drive, OPEN, zone_idx);
        write_one_ok(drive, zone_idx);
        break;
    case CLOSED:
        write_one_ok(drive, zone_idx);
        zone_send_ok(drive, CLOSE, zone_idx);
        break;
    case FULL:
        femu_fill(drive, zone_idx, femu_cap_nlb(&drive->config));
        break;
    default:
        g_assert_not_reached();
    }
    femu_assert_zone(drive, zone_idx, state, state != EMPTY);
}

/* ZNS 1.1, figure 8: every action in every state that this drive has. */
static void test_transitions(void)
{
    static const struct {
        unsigned from, action, to;      /* to 0: refused */
    } rows[] = {
        { EMPTY, OPEN, EXPLICIT }, { EMPTY, CLOSE, 0 },
        { EMPTY, FINISH, FULL }, { EMPTY, RESET, EMPTY },
        { IMPLICIT, OPEN, EXPLICIT }, { IMPLICIT, CLOSE, CLOSED },
        { IMPLICIT, FINISH, FULL }, { IMPLICIT, RESET, EMPTY },
        { EXPLICIT, OPEN, EXPLICIT }, { EXPLICIT, CLOSE, CLOSED },
        { EXPLICIT, FINISH, FULL }, { EXPLICIT, RESET, EMPTY },
        { CLOSED, OPEN, EXPLICIT }, { CLOSED, CLOSE, CLOSED },
        { CLOSED, FINISH, FULL }, { CLOSED, RESET, EMPTY },
        { FULL, OPEN, 0 }, { FULL, CLOSE, 0 },
        { FULL, FINISH, FULL }, { FULL, RESET, EMPTY },
    };
    FemuDrive *drive = boot();

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        unsigned from = rows[i].from, to = rows[i].to;

        make_state(drive, 1, from);
        g_assert_cmphex(zone_send(drive, rows[i].action, 1), ==,
                        to ? NVME_SUCCESS : NVME_ZONE_INVAL_TRANSITION);
        to = to ?: from;
        femu_assert_zone(drive, 1, to, to != EMPTY && from != EMPTY);
        femu_assert_zone(drive, 0, EMPTY, 0);
        femu_assert_zone(drive, 2, EMPTY, 0);
        zone_send_ok(drive, RESET, 1);
    }
    femu_shutdown(drive);
}

/* Writing changes the state of zones that are not explicitly open. */
static void test_write_transitions(void)
{
    FemuDrive *drive = boot();

    make_state(drive, 0, CLOSED);
    g_assert_cmphex(femu_write(drive, 1, 1, NULL), ==, NVME_SUCCESS);
    femu_assert_zone(drive, 0, IMPLICIT, 2);
    make_state(drive, 1, EXPLICIT);
    g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, 1) + 1, 1, NULL),
                    ==, NVME_SUCCESS);
    femu_assert_zone(drive, 1, EXPLICIT, 2);
    /* an opened zone without data is closed, not empty */
    zone_send_ok(drive, OPEN, 2);
    zone_send_ok(drive, CLOSE, 2);
    femu_assert_zone(drive, 2, CLOSED, 0);
    femu_shutdown(drive);
}

static void test_actions_refused(void)
{
    static const uint8_t actions[] = {
        NVME_ZONE_ACTION_RSD, 0x06, 0x0f, NVME_ZONE_ACTION_SET_ZD_EXT,
        NVME_ZONE_ACTION_ZRWA_FLUSH, 0x12, 0xff,
    };
    FemuDrive *drive = boot();
    NvmeCmd cmd;

    for (unsigned i = 0; i < ARRAY_SIZE(actions); i++) {
        g_assert_cmphex(zone_send(drive, actions[i], 0), ==,
                        NVME_INVALID_FIELD);
    }
    for (unsigned action = CLOSE; action <= RESET; action++) {
        cmd = femu_cmd_zone(action, 1, false);
        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        NVME_INVALID_FIELD);
    }
    /* no zone is read-only, so none can go offline */
    g_assert_cmphex(zone_send(drive, NVME_ZONE_ACTION_OFFLINE, 0), ==,
                    NVME_ZONE_INVAL_TRANSITION);
    /* a zone random write area (CDW13 bit 9) is not offered */
    cmd = femu_cmd_zone(OPEN, 0, false);
    cmd.cdw13 |= cpu_to_le32(1u << 9);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                    NVME_INVALID_FIELD);
    femu_assert_zone(drive, 0, EMPTY, 0);
    femu_shutdown(drive);
}

/* Only Set Zone Descriptor Extension of one zone has data. */
static void test_without_data(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;

    config.ssd.zone_ext_bytes = 64;
    drive = femu_boot(&config, NULL);
    for (unsigned all = 0; all < 2; all++) {
        for (unsigned action = CLOSE; action <= NVME_ZONE_ACTION_SET_ZD_EXT;
             action++) {
            bool sets = action == NVME_ZONE_ACTION_SET_ZD_EXT;
            NvmeCmd cmd = femu_cmd_zone(action, 0, all);

            if (action > NVME_ZONE_ACTION_OFFLINE && !sets) {
                continue;
            }
            make_state(drive, 0, action == CLOSE ? EXPLICIT : CLOSED);
            cmd.dptr.prp1 = cpu_to_le64(NOWHERE);
            g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                            sets ? all ? NVME_INVALID_FIELD
                                       : NVME_DATA_TRAS_ERROR
                            : action == NVME_ZONE_ACTION_OFFLINE && !all
                            ? NVME_ZONE_INVAL_TRANSITION : NVME_SUCCESS);
            zone_send_ok(drive, RESET, 0);
        }
    }
    femu_shutdown(drive);
}

/* ZNS 1.1, 2.1.1.4.1: the oldest implicitly open zone makes room. */
static void test_open_limit(void)
{
    FemuDrive *drive = boot();

    write_one_ok(drive, 0);
    write_one_ok(drive, 1);
    write_one_ok(drive, 2);
    write_one_ok(drive, 3);
    femu_assert_zone(drive, 0, CLOSED, 1);
    femu_assert_zone(drive, 1, IMPLICIT, 1);
    femu_assert_zone(drive, 3, IMPLICIT, 1);
    zone_send_ok(drive, OPEN, 0);
    femu_assert_zone(drive, 1, CLOSED, 1);
    femu_assert_zone(drive, 0, EXPLICIT, 1);
    femu_shutdown(drive);
}

/* Peers: "plain writes skip the open/active check, then assert". */
static void test_too_many_open(void)
{
    FemuDrive *drive = boot();
    uint64_t lba;

    for (uint32_t i = 0; i < drive->config.ssd.max_open; i++) {
        zone_send_ok(drive, OPEN, i);
    }
    g_assert_cmphex(write_one(drive, 5), ==, NVME_ZONE_TOO_MANY_OPEN);
    g_assert_cmphex(femu_append(drive, femu_zone_lba(drive, 5), 1, NULL,
                                &lba), ==, NVME_ZONE_TOO_MANY_OPEN);
    g_assert_cmphex(zone_send(drive, OPEN, 5), ==, NVME_ZONE_TOO_MANY_OPEN);
    femu_assert_zone(drive, 5, EMPTY, 0);
    /* a finish of an empty zone needs no resources */
    zone_send_ok(drive, FINISH, 5);
    zone_send_ok(drive, CLOSE, 0);
    zone_send_ok(drive, OPEN, 6);
    femu_shutdown(drive);
}

static void test_too_many_active(void)
{
    FemuDrive *drive = boot();
    uint64_t lba;

    for (uint32_t i = 0; i < drive->config.ssd.max_active; i++) {
        make_state(drive, i, CLOSED);
    }
    g_assert_cmphex(write_one(drive, 5), ==, NVME_ZONE_TOO_MANY_ACTIVE);
    g_assert_cmphex(femu_append(drive, femu_zone_lba(drive, 5), 1, NULL,
                                &lba), ==, NVME_ZONE_TOO_MANY_ACTIVE);
    g_assert_cmphex(zone_send(drive, OPEN, 5), ==, NVME_ZONE_TOO_MANY_ACTIVE);
    femu_assert_zone(drive, 5, EMPTY, 0);
    zone_send_ok(drive, RESET, 3);
    write_one_ok(drive, 5);
    femu_shutdown(drive);
}

/* No limits (0): every zone can be open at once. */
static void test_unlimited(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;

    config.ssd.max_open = 0;
    config.ssd.max_active = 0;
    drive = femu_boot(&config, NULL);
    for (uint32_t i = 0; i < config.ssd.zones; i++) {
        zone_send_ok(drive, OPEN, i);
    }
    for (uint32_t i = 0; i < config.ssd.zones; i++) {
        femu_assert_zone(drive, i, EXPLICIT, 0);
    }
    femu_shutdown(drive);
}

/*
 * Peers: "FULL transitions leak open/active slots". Twice as many zones as
 * there are slots become full in every way; at the end all slots are free.
 */
static void test_slots_do_not_leak(void)
{
    FemuDrive *drive = boot();
    const SsdParams *p = &drive->config.ssd;

    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < p->zones; i++) {
            if (i % 2) {
                zone_send_ok(drive, OPEN, i);
            }
            if (i % 4 < 2) {
                femu_fill(drive, i, femu_cap_nlb(&drive->config));
            } else {
                write_one_ok(drive, i);
                zone_send_ok(drive, FINISH, i);
            }
            femu_assert_zone(drive, i, FULL, 0);
        }
        all_send_ok(drive, RESET);
    }
    for (uint32_t i = 0; i < p->max_active; i++) {
        make_state(drive, i, CLOSED);
    }
    for (uint32_t i = 0; i < p->max_open; i++) {
        zone_send_ok(drive, OPEN, i);
    }
    g_assert_cmphex(zone_send(drive, OPEN, p->max_open), ==,
                    NVME_ZONE_TOO_MANY_OPEN);
    femu_shutdown(drive);
}

/* Zones 1 to max-active - 1 closed, zone 0 open with all but one page. */
static FemuDrive *boot_all_active(void)
{
    FemuDrive *drive = boot();

    femu_fill(drive, 0,
              femu_cap_nlb(&drive->config) - femu_page_nlb(drive));
    for (uint32_t i = 1; i < drive->config.ssd.max_active; i++) {
        make_state(drive, i, CLOSED);
    }
    return drive;
}

/* The status of opening zone 5, now. */
static uint16_t open_another(FemuDrive *drive)
{
    femu_submit_zone(drive, OPEN, femu_zone_lba(drive, 5), false);
    return femu_expect_now(&drive->io_cq).status;
}

/* Slots of a zone that is being finished or reset count until that is done. */
static void check_slot_release(uint8_t action, uint64_t job_ns)
{
    FemuDrive *drive = boot_all_active();
    uint64_t start_ns = drive->host->now_ns;

    femu_submit_zone(drive, action, 0, false);
    femu_step_to(drive->host, start_ns + job_ns - 1);
    g_assert_cmphex(open_another(drive), ==, NVME_ZONE_TOO_MANY_ACTIVE);
    g_assert_cmphex(femu_expect_at(&drive->io_cq, start_ns + job_ns).status,
                    ==, NVME_SUCCESS);
    g_assert_cmphex(open_another(drive), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

static void test_slot_release_finish(void)
{
    FemuConfig config = femu_small_config();

    check_slot_release(FINISH, config.ssd.page_transfer_ns +
                               config.ssd.program_ns);
}

static void test_slot_release_reset(void)
{
    FemuConfig config = femu_small_config();

    check_slot_release(RESET, 3 * config.ssd.erase_ns);
}

/* Writing the last block releases them at once, before the program ends. */
static void test_slot_release_full(void)
{
    FemuDrive *drive = boot_all_active();
    uint32_t page_nlb = femu_page_nlb(drive);

    femu_submit_rw(drive, NVME_CMD_WRITE,
                   femu_cap_nlb(&drive->config) - page_nlb, page_nlb);
    g_assert_cmphex(open_another(drive), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A finish gives back what it held when it ends, with a reset behind it. */
static void test_slot_release_chain(void)
{
    FemuDrive *drive = boot_all_active();
    uint64_t start_ns = drive->host->now_ns;

    femu_submit_zone(drive, FINISH, 0, false);
    femu_submit_zone(drive, RESET, 0, false);
    g_assert_cmphex(open_another(drive), ==, NVME_ZONE_TOO_MANY_ACTIVE);
    g_assert_cmphex(femu_expect_at(&drive->io_cq, start_ns +
                                   femu_page_write_ns(drive)).status, ==,
                    NVME_SUCCESS);
    g_assert_cmphex(open_another(drive), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* A zone opened again behind its reset keeps its slots when that ends. */
static void test_slot_kept(void)
{
    FemuDrive *drive = boot_all_active();
    uint64_t start_ns = drive->host->now_ns;

    femu_submit_zone(drive, RESET, 0, false);
    femu_submit_zone(drive, OPEN, 0, false);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    g_assert_cmphex(open_another(drive), ==, NVME_ZONE_TOO_MANY_ACTIVE);
    g_assert_cmphex(femu_expect_at(&drive->io_cq, start_ns + 3 *
                                   drive->config.ssd.erase_ns).status, ==,
                    NVME_SUCCESS);
    g_assert_cmphex(open_another(drive), ==, NVME_ZONE_TOO_MANY_ACTIVE);
    femu_assert_zone(drive, 0, EXPLICIT, 0);
    femu_shutdown(drive);
}

/* One zone in every state, then an action on all. */
static FemuDrive *boot_zoo(void)
{
    FemuDrive *drive = boot();

    make_state(drive, 1, EXPLICIT);
    make_state(drive, 2, IMPLICIT);
    make_state(drive, 3, CLOSED);
    make_state(drive, 4, FULL);
    return drive;
}

static void check_zoo(uint8_t action, const unsigned states[5])
{
    FemuDrive *drive = boot_zoo();

    all_send_ok(drive, action);
    for (uint32_t i = 0; i < 5; i++) {
        femu_assert_zone(drive, i, states[i], states[i] != EMPTY);
    }
    femu_assert_zone(drive, 7, EMPTY, 0);
    femu_shutdown(drive);
}

/* ZNS 1.1, 3.4.3.1: which zones Select All applies to. */
static void test_all_open(void)
{
    static const unsigned states[] = {
        EMPTY, EXPLICIT, IMPLICIT, EXPLICIT, FULL,
    };

    check_zoo(OPEN, states);
}

static void test_all_close(void)
{
    static const unsigned states[] = { EMPTY, CLOSED, CLOSED, CLOSED, FULL };

    check_zoo(CLOSE, states);
}

static void test_all_finish(void)
{
    static const unsigned states[] = { EMPTY, FULL, FULL, FULL, FULL };

    check_zoo(FINISH, states);
}

static void test_all_reset(void)
{
    static const unsigned states[] = { EMPTY, EMPTY, EMPTY, EMPTY, EMPTY };

    check_zoo(RESET, states);
}

static void test_all_offline(void)
{
    static const unsigned states[] = {
        EMPTY, EXPLICIT, IMPLICIT, CLOSED, FULL,
    };

    check_zoo(NVME_ZONE_ACTION_OFFLINE, states);
}

/* Oracle: QEMU's own drive stops partway. Here all open, or none. */
static void test_all_open_too_many(void)
{
    FemuDrive *drive = boot();
    const SsdParams *p = &drive->config.ssd;

    for (uint32_t i = 0; i < p->max_active; i++) {
        make_state(drive, i, CLOSED);
    }
    g_assert_cmpuint(p->max_active, >, p->max_open);
    g_assert_cmphex(femu_zone_send(drive, OPEN, 0, true), ==,
                    NVME_ZONE_TOO_MANY_OPEN);
    for (uint32_t i = 0; i < p->max_active; i++) {
        femu_assert_zone(drive, i, CLOSED, 1);
    }
    femu_shutdown(drive);
}

/* Zones of a Select All change state at submission, all of them. */
static void test_all_states_at_once(void)
{
    FemuDrive *drive = boot();

    for (uint32_t i = 0; i < 3; i++) {
        femu_fill(drive, i, femu_page_nlb(drive));
    }
    femu_submit_zone(drive, RESET, 0, true);
    for (uint32_t i = 0; i < 3; i++) {
        femu_assert_zone(drive, i, EMPTY, 0);
    }
    femu_shutdown(drive);
}

/* A zone size of 1 MiB, capacities that are no powers of two, many zones. */
static void test_capacity(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    uint64_t cap_nlb;

    config.ssd.zone_capacity_bytes = 47 * 16 * SSD_KIB;
    config.ssd.zones = 37;
    drive = femu_boot(&config, NULL);
    cap_nlb = femu_cap_nlb(&config);
    femu_fill(drive, 36, cap_nlb - 1);
    femu_assert_zone(drive, 36, IMPLICIT, cap_nlb - 1);
    g_assert_cmpuint(le64_to_cpu(femu_zone(drive, 36).zcap), ==, cap_nlb);
    g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, 36) + cap_nlb - 1,
                               1, NULL), ==, NVME_SUCCESS);
    femu_assert_zone(drive, 36, FULL, 0);
    zone_send_ok(drive, RESET, 36);
    zone_send_ok(drive, FINISH, 36);
    femu_assert_zone(drive, 36, FULL, 0);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/zone/transitions", test_transitions);
    qtest_add_func("femu-zns/zone/write-transitions", test_write_transitions);
    qtest_add_func("femu-zns/zone/actions-refused", test_actions_refused);
    qtest_add_func("femu-zns/zone/without-data", test_without_data);
    qtest_add_func("femu-zns/zone/open-limit", test_open_limit);
    qtest_add_func("femu-zns/peers/writes-skip-limits/open", test_too_many_open);
    qtest_add_func("femu-zns/peers/writes-skip-limits/active", test_too_many_active);
    qtest_add_func("femu-zns/zone/unlimited", test_unlimited);
    qtest_add_func("femu-zns/peers/full-leaks-slots", test_slots_do_not_leak);
    qtest_add_func("femu-zns/zone/slot-release/finish",
                   test_slot_release_finish);
    qtest_add_func("femu-zns/zone/slot-release/reset",
                   test_slot_release_reset);
    qtest_add_func("femu-zns/zone/slot-release/full", test_slot_release_full);
    qtest_add_func("femu-zns/zone/slot-release/chain",
                   test_slot_release_chain);
    qtest_add_func("femu-zns/zone/slot-release/kept", test_slot_kept);
    qtest_add_func("femu-zns/zone/all/open", test_all_open);
    qtest_add_func("femu-zns/zone/all/close", test_all_close);
    qtest_add_func("femu-zns/zone/all/finish", test_all_finish);
    qtest_add_func("femu-zns/zone/all/reset", test_all_reset);
    qtest_add_func("femu-zns/zone/all/offline", test_all_offline);
    qtest_add_func("femu-zns/zone/all/open-too-many", test_all_open_too_many);
    qtest_add_func("femu-zns/zone/all/states-at-once",
                   test_all_states_at_once);
    qtest_add_func("femu-zns/zone/capacity", test_capacity);
    return g_test_run();
}
