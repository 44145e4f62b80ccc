/*
 * One drive, seen twice: what is there when QEMU is killed is there in the next
 * one; what a drive tells that has moved, one tells that has not; and of trace
 * and journal femu-sim (named by FEMU_SIM) makes what a power cut has left. All
 * that after whatever has happened: commands, formats, zones that fail, resets
 * of the controller, shutdowns, power cuts.
 *
 * Knows nothing of what is right, only of what must be the same. FEMU_SEED=n has
 * each test run that seed alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-folder.h"

#define EXT_BYTES 64
#define ZONES_USED 4            /* of each namespace */
#define MOST_NLB 24
#define FURTHEST_NLB 60         /* where a write to a zone begins */
#define SHOWN_BYTES (256 * 1024)
#define STATS_BYTES (256 * 1024)
#define COMMANDS 14             /* in a round */
#define FLAG_ZRWA (1u << 9)     /* CDW13 of Zone Management Send */
#define ATTRIBUTE_ZDEV (1 << 7)
#define CC_SHUTS_DOWN (0x00460061u | 1u << 14)

/* --- The drive ------------------------------------------------------------ */

static void with_buffer(SsdParams *p)
{
    p->write_buffer_bytes = 512 * SSD_KIB;
    p->program_registers = 2;
}

/* How the drive treats its flash. */
static void choose_policies(SsdParams *p, unsigned which)
{
    switch (which) {
    case 1:
        with_buffer(p);
        p->take_turns = true;
        p->link_in_ns = 200000;
        p->finish_fills_empty = false;
        p->erase_at = SSD_ERASE_AT_IDLE;
        break;
    case 2:
        p->excursion_ns = 40000000;
        p->finish_recommended_ns = 10000000;
        p->reset_recommended_ns = 5000000;
        break;
    case 3:
        p->erase_at = SSD_ERASE_AT_BACKGROUND;
        p->erase_preemptive = true;
        break;
    case 4:
        with_buffer(p);
        p->conventional_buffer = true;
        p->erase_at = SSD_ERASE_AT_ZONE_WRITE;
        break;
    case 5:
        with_buffer(p);
        p->reset_lock_ns = 500000;
        p->reset_base_ns = 2000000;
        p->finish_chunk_bytes = 64 * SSD_KIB;
        p->finish_pause_ns = 100000;
        break;
    default:
        break;
    }
}

static FemuConfig config_of(unsigned seed)
{
    FemuConfig config = femu_small_config();
    SsdParams *p = &config.ssd;

    p->conventional_bytes = SSD_MIB;
    p->namespaces = 1 + seed % 2;
    p->zone_ext_bytes = EXT_BYTES;
    p->fe_reset_ns = seed & 2 ? 1000000 : 0;
    p->cmd_slots = seed & 4 ? 4 : 256;
    if (seed & 8) {
        p->zrwa_bytes = 64 * SSD_KIB;
        p->max_zrwa = 2;
    }
    p->write_cache = seed & 16 ? SSD_WRITE_CACHE_VOLATILE
                               : SSD_WRITE_CACHE_PROTECTED;
    choose_policies(p, seed / 32 % 6);
    return config;
}

static uint32_t last_nsid(const FemuDrive *drive)
{
    return drive->config.ssd.namespaces + 1;
}

/* From now on commands are for this namespace, in its blocks. */
static void choose_ns(FemuDrive *drive, uint32_t nsid)
{
    NvmeIdNs id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, 0, nsid, &id), ==,
                    NVME_SUCCESS);
    drive->nsid = nsid;
    drive->config.ssd.lba_bytes = id.flbas ? 4096 : 512;
}

/* It may be refused: of a zone that has failed already, for example. */
static void try_set(FemuDrive *drive, const char *property, const char *value)
{
    qobject_unref(qtest_qmp(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': %s, 'value': %s}}", property, value));
}

static void take_all(FemuDrive *drive)
{
    FemuCqe cqe;

    while (femu_reap(&drive->io_cq, &cqe) ||
           femu_reap(&drive->admin_cq, &cqe)) {
        ;
    }
}

/* Formats end, and what the drive does of itself. */
static void settle(FemuDrive *drive)
{
    for (unsigned i = 0; i < 40; i++) {
        femu_step(drive->host, 50000000);
        take_all(drive);
    }
}

/* --- Commands, whether they are allowed or not ---------------------------- */

static void begin_rw(FemuDrive *drive, GRand *rand, uint8_t opcode,
                     uint64_t slba)
{
    uint32_t nlb = g_rand_int_range(rand, 1, MOST_NLB);
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb,
                                            g_rand_int(rand));

    qtest_memwrite(drive->host->qts, drive->buf, data,
                   (size_t)nlb * drive->config.ssd.lba_bytes);
    femu_submit_rw(drive, opcode, slba, nlb);
}

static void begin_copy(FemuDrive *drive, GRand *rand, uint64_t to_lba)
{
    NvmeCopySourceRangeFormat0_2 range[2] = { 0 };
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_COPY, to_lba, 1, drive->buf);

    for (unsigned i = 0; i < ARRAY_SIZE(range); i++) {
        range[i].slba = cpu_to_le64(g_rand_int_range(rand, 0, FURTHEST_NLB));
        range[i].nlb = cpu_to_le16(g_rand_int_range(rand, 0, 8));
    }
    cmd.cdw12 = cpu_to_le32(ARRAY_SIZE(range) - 1);
    qtest_memwrite(drive->host->qts, drive->buf, range, sizeof(range));
    femu_submit(&drive->io, &cmd);
}

static void begin_deallocate(FemuDrive *drive, GRand *rand)
{
    NvmeDsmRange range = {
        .nlb = cpu_to_le32(g_rand_int_range(rand, 0, MOST_NLB)),
        .slba = cpu_to_le64(g_rand_int_range(rand, 0, FURTHEST_NLB)),
    };
    NvmeCmd cmd = {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
    };

    qtest_memwrite(drive->host->qts, drive->buf, &range, sizeof(range));
    femu_set_prps(drive, &cmd, drive->buf, sizeof(range));
    femu_submit(&drive->io, &cmd);
}

static void begin_send(FemuDrive *drive, GRand *rand, uint8_t action,
                       uint64_t slba)
{
    NvmeCmd cmd = femu_cmd_zone(action, slba,
                                g_rand_int_range(rand, 0, 8) == 0);

    cmd.nsid = cpu_to_le32(drive->nsid);
    if (drive->config.ssd.zrwa_bytes && g_rand_boolean(rand)) {
        cmd.cdw13 |= cpu_to_le32(FLAG_ZRWA);
    }
    if (action == NVME_ZONE_ACTION_SET_ZD_EXT) {
        g_autofree uint8_t *ext = femu_pattern(drive, slba, 1,
                                               g_rand_int(rand));

        qtest_memwrite(drive->host->qts, drive->buf, ext, EXT_BYTES);
        femu_set_prps(drive, &cmd, drive->buf, EXT_BYTES);
    }
    femu_submit(&drive->io, &cmd);
}

static void begin_format(FemuDrive *drive, GRand *rand)
{
    NvmeCmd format = {
        .opcode = NVME_ADM_CMD_FORMAT_NVM,
        .nsid = cpu_to_le32(g_rand_boolean(rand) ? drive->nsid
                                                 : NVME_NSID_BROADCAST),
        .cdw10 = cpu_to_le32(g_rand_int_range(rand, 0, 2)),
    };

    femu_submit(&drive->admin, &format);
}

static void begin_flush(FemuDrive *drive)
{
    NvmeCmd flush = femu_cmd_flush();

    flush.nsid = cpu_to_le32(NVME_NSID_BROADCAST);
    femu_submit(&drive->io, &flush);
}

static void fail_zone(FemuDrive *drive, GRand *rand)
{
    g_autofree char *text = g_strdup_printf(
        "%u:%u %s", drive->nsid, g_rand_int_range(rand, 0, ZONES_USED),
        g_rand_boolean(rand) ? "read-only" : "offline");

    try_set(drive, "zone-fail", text);
}

static void begin_conventional(FemuDrive *drive, GRand *rand, int what)
{
    uint64_t slba = g_rand_int_range(rand, 0, FURTHEST_NLB);

    if (what < 50) {
        begin_rw(drive, rand, NVME_CMD_WRITE, slba);
    } else if (what < 75) {
        begin_deallocate(drive, rand);
    } else if (what < 85) {
        begin_copy(drive, rand, slba);
    } else if (what < 95) {
        begin_rw(drive, rand, NVME_CMD_WRITE_ZEROES, slba);
    } else {
        begin_format(drive, rand);
    }
}

static void begin_zoned(FemuDrive *drive, GRand *rand, int what)
{
    static const uint8_t actions[] = {
        NVME_ZONE_ACTION_CLOSE, NVME_ZONE_ACTION_FINISH,
        NVME_ZONE_ACTION_OPEN, NVME_ZONE_ACTION_RESET,
        NVME_ZONE_ACTION_RESET, NVME_ZONE_ACTION_OFFLINE,
        NVME_ZONE_ACTION_SET_ZD_EXT,
    };
    uint64_t zslba = femu_zone_lba(drive,
                                   g_rand_int_range(rand, 0, ZONES_USED));
    uint64_t slba = zslba + g_rand_int_range(rand, 0, FURTHEST_NLB);

    if (what < 35) {
        begin_rw(drive, rand, NVME_CMD_ZONE_APPEND, zslba);
    } else if (what < 45) {
        begin_rw(drive, rand, NVME_CMD_WRITE, slba);
    } else if (what < 50) {
        begin_rw(drive, rand, NVME_CMD_WRITE_ZEROES, slba);
    } else if (what < 55) {
        begin_copy(drive, rand, slba);
    } else if (what < 60) {
        begin_send(drive, rand, NVME_ZONE_ACTION_ZRWA_FLUSH, slba | 3);
    } else if (what < 88) {
        begin_send(drive, rand, actions[what % ARRAY_SIZE(actions)], zslba);
    } else if (what < 93) {
        begin_flush(drive);
    } else if (what < 97) {
        begin_format(drive, rand);
    } else {
        fail_zone(drive, rand);
    }
}

static void begin_any(FemuDrive *drive, GRand *rand)
{
    int what = g_rand_int_range(rand, 0, 100);

    choose_ns(drive, g_rand_int_range(rand, 1, last_nsid(drive) + 1));
    if (drive->nsid == last_nsid(drive)) {
        begin_conventional(drive, rand, what);
    } else {
        begin_zoned(drive, rand, what);
    }
}

/* What a host does to the controller, now and then. */
static void disturb(FemuDrive *drive, GRand *rand)
{
    int what = g_rand_int_range(rand, 0, 20);

    if (what == 0) {
        femu_set_reg(drive, NVME_REG_CC, CC_SHUTS_DOWN);
        femu_step(drive->host, g_rand_int_range(rand, 1, 5000000));
    }
    if (what < 2) {
        femu_disable(drive);
        femu_enable(drive);
        femu_io_queues_create(drive);
    } else if (what == 2) {
        femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, drive->io.id);
        femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, drive->io_cq.id);
        femu_io_queues_create(drive);
    }
}

static void use(FemuDrive *drive, GRand *rand)
{
    for (unsigned i = 0; i < COMMANDS; i++) {
        begin_any(drive, rand);
        if (g_rand_int_range(rand, 0, 3)) {
            femu_step(drive->host, g_rand_int_range(rand, 1, 800000));
        }
        take_all(drive);
        disturb(drive, rand);
    }
}

static void cut_power(FemuDrive *drive, unsigned seed)
{
    g_autofree char *text = g_strdup_printf("%u", seed);

    try_set(drive, "power-cut", text);
    femu_step(drive->host, 1);
    femu_enable(drive);
    femu_io_queues_create(drive);
}

/* --- What is there -------------------------------------------------------- */

static void add_data(FemuDrive *drive, GByteArray *found, uint64_t slba)
{
    g_autofree uint8_t *data = g_malloc0(SHOWN_BYTES);
    uint16_t status = femu_read(drive, slba,
                                SHOWN_BYTES / drive->config.ssd.lba_bytes,
                                data);

    g_byte_array_append(found, (uint8_t *)&status, sizeof(status));
    if (status == NVME_SUCCESS) {
        g_byte_array_append(found, data, SHOWN_BYTES);
    }
}

/* As it begins again: closed, or empty if it has neither data nor extension. */
static void begin_again(NvmeZoneDescr *zone)
{
    unsigned state = zone->zs >> 4;

    if (state != NVME_ZONE_STATE_IMPLICITLY_OPEN &&
        state != NVME_ZONE_STATE_EXPLICITLY_OPEN &&
        state != NVME_ZONE_STATE_CLOSED) {
        return;
    }
    zone->zs = NVME_ZONE_STATE_CLOSED << 4;
    if (zone->wp == zone->zslba && !(zone->za & ATTRIBUTE_ZDEV)) {
        zone->zs = NVME_ZONE_STATE_EMPTY << 4;
        zone->za = 0;
    }
}

static void add_zone(FemuDrive *drive, GByteArray *found, uint32_t zone_idx)
{
    uint8_t report[sizeof(NvmeZoneReportHeader) + sizeof(NvmeZoneDescr) +
                   EXT_BYTES];
    NvmeCmd cmd = femu_cmd_report(drive, femu_zone_lba(drive, zone_idx), 0,
                                  true, drive->buf, sizeof(report));

    cmd.nsid = cpu_to_le32(drive->nsid);
    cmd.cdw13 |= cpu_to_le32(1);        /* the extended report */
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    qtest_memread(drive->host->qts, drive->buf, report, sizeof(report));
    begin_again((void *)(report + sizeof(NvmeZoneReportHeader)));
    g_byte_array_append(found, report, sizeof(report));
    add_data(drive, found, femu_zone_lba(drive, zone_idx));
}

static GByteArray *look(FemuDrive *drive)
{
    GByteArray *found = g_byte_array_new();

    for (uint32_t nsid = 1; nsid < last_nsid(drive); nsid++) {
        choose_ns(drive, nsid);
        for (uint32_t i = 0; i < ZONES_USED; i++) {
            add_zone(drive, found, i);
        }
    }
    choose_ns(drive, last_nsid(drive));
    add_data(drive, found, 0);
    return found;
}

static void assert_same(GByteArray *first, GByteArray *second)
{
    uint32_t at = 0;

    while (at < MIN(first->len, second->len) &&
           first->data[at] == second->data[at]) {
        at++;
    }
    g_assert_cmpuint(at, ==, first->len);
    g_assert_cmpuint(second->len, ==, first->len);
    g_byte_array_unref(second);
}

/* --- The tests ------------------------------------------------------------ */

/* A kill now: the next QEMU has what is there. It goes on. */
static FemuDrive *kill_and_compare(FemuDrive *drive, const FemuConfig *config,
                                   char **folder)
{
    char *killed = femu_folder_copy(*folder);
    g_autoptr(GByteArray) was = look(drive);

    femu_ask_sim("state", killed, "state: good");
    femu_shutdown(drive);
    femu_folder_delete(*folder);
    *folder = killed;
    drive = femu_folder_boot(config, killed);
    assert_same(was, look(drive));
    return drive;
}

static void kill_often(unsigned seed)
{
    FemuConfig config = config_of(seed);
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    for (unsigned round = 0; round < 6; round++) {
        use(drive, rand);
        if (round % 3) {
            cut_power(drive, round);
        }
        if (round % 3 == 0 || config.ssd.excursion_ns) {
            settle(drive);
        }
        drive = kill_and_compare(drive, &config, &folder);
    }
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* What a drive tells, its queues included. */
static GByteArray *tell(unsigned seed, bool moves)
{
    FemuConfig config = config_of(seed);
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    g_autofree uint8_t *bytes = g_malloc0(STATS_BYTES);
    FemuDrive *drive = femu_boot(&config, NULL);
    GByteArray *found;

    for (unsigned round = 0; round < 6; round++) {
        use(drive, rand);
        if (moves) {
            femu_host_move(drive->host);
        }
        if (round % 3 == 2) {
            cut_power(drive, round);
        }
    }
    settle(drive);
    found = look(drive);
    qtest_memread(drive->host->qts, drive->io_cq.addr, bytes, FEMU_PAGE_BYTES);
    g_byte_array_append(found, bytes, FEMU_PAGE_BYTES);
    g_assert_cmphex(femu_get_log(drive, FEMU_LOG_STATS, 0, 0, bytes,
                                 STATS_BYTES), ==, NVME_SUCCESS);
    g_byte_array_append(found, bytes, STATS_BYTES);
    femu_shutdown(drive);
    return found;
}

static void move_often(unsigned seed)
{
    g_autoptr(GByteArray) stays = tell(seed, false);

    assert_same(stays, tell(seed, true));
}

/* femu-sim's drive of this instant has what was found there. */
static void cut_later(const FemuConfig *config, const char *top,
                      uint64_t at_ns, unsigned seed, GByteArray *found)
{
    g_autofree char *trace = g_build_filename(top, "trace", NULL);
    g_autofree char *at = g_strdup_printf("--at-ns=%" PRIu64, at_ns);
    g_autofree char *seed_option = g_strdup_printf("--seed=%u", seed);
    g_autofree char *journal = g_strdup_printf("--journal=%s/journal", top);
    char *folder = femu_folder_new();
    g_autofree char *state = g_strdup_printf("--state=%s", folder);
    const char *argv[] = { g_getenv("FEMU_SIM"), "cut", trace, at, seed_option,
                           journal, state, NULL };
    FemuDrive *drive;
    int status;

    g_assert_cmpint(g_rmdir(folder), ==, 0);    /* it makes it itself */
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL,
                               G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                               NULL, &status, NULL));
    g_assert_cmpint(status, ==, 0);
    drive = femu_folder_boot(config, folder);
    assert_same(found, look(drive));
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

static void cut_often(unsigned seed)
{
    FemuConfig config = config_of(seed);
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    g_autofree char *top = g_dir_make_tmp("femu-again-XXXXXX", NULL);
    g_autofree char *trace = g_build_filename(top, "trace", NULL);
    g_autofree char *journal = g_build_filename(top, "journal", NULL);
    g_autofree char *extra = g_strdup_printf("trace=%s,journal=%s", trace,
                                             journal);
    FemuDrive *drive = femu_boot(&config, extra);
    GByteArray *found[4];
    uint64_t at_ns[ARRAY_SIZE(found)];

    for (unsigned round = 0; round < ARRAY_SIZE(found); round++) {
        use(drive, rand);
        at_ns[round] = drive->host->now_ns;
        cut_power(drive, round);
        found[round] = look(drive);
    }
    femu_shutdown(drive);
    for (unsigned round = 0; round < ARRAY_SIZE(found); round++) {
        cut_later(&config, top, at_ns[round], round, found[round]);
        g_byte_array_unref(found[round]);
    }
    g_unlink(trace);
    g_unlink(journal);
    g_assert_cmpint(g_rmdir(top), ==, 0);
}

/* --- Seeds ---------------------------------------------------------------- */

static void run(const char *name, void (*test)(unsigned seed),
                const unsigned *seeds, unsigned count)
{
    const char *own = g_getenv("FEMU_SEED");

    if (!g_getenv("FEMU_SIM")) {
        g_test_skip("FEMU_SIM does not name a femu-sim");
        return;
    }
    for (unsigned i = 0; i < (own ? 1 : count); i++) {
        unsigned seed = own ? g_ascii_strtoull(own, NULL, 10) : seeds[i];

        g_test_message("FEMU_SEED=%u femu-zns-again-test "
                       "-p /x86_64/femu-zns/again/%s", seed, name);
        test(seed);
    }
}

static void test_killed(void)
{
    static const unsigned seeds[] = { 2, 16, 77 };

    run("killed", kill_often, seeds, ARRAY_SIZE(seeds));
}

static void test_moved(void)
{
    static const unsigned seeds[] = { 5, 107 };

    run("moved", move_often, seeds, ARRAY_SIZE(seeds));
}

static void test_cut(void)
{
    static const unsigned seeds[] = { 2, 59, 138 };

    run("cut", cut_often, seeds, ARRAY_SIZE(seeds));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/again/killed", test_killed);
    qtest_add_func("femu-zns/again/moved", test_moved);
    qtest_add_func("femu-zns/again/cut", test_cut);
    return g_test_run();
}
