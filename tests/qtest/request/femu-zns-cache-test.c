/*
 * A write cache that is volatile: what the drive says of it, what flushes and
 * Force Unit Access cost, and what a power cut leaves.
 *
 * Knows nothing of how the core finds what is safe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"
#include "qobject/qdict.h"

#define PATH "/machine/peripheral/zns4"
#define FUA (1u << 30)
#define PAGE_NLB 4

/* A write is done when its data are in the buffer: at once. */
static FemuConfig cache_config(bool is_volatile)
{
    FemuConfig config = femu_small_config();

    config.ssd.write_buffer_bytes = 512 * SSD_KIB;
    config.ssd.program_registers = 2;
    config.ssd.write_cache = is_volatile ? SSD_WRITE_CACHE_VOLATILE
                                         : SSD_WRITE_CACHE_PROTECTED;
    return config;
}

/* The program of a page on an idle drive. */
static uint64_t program_ns(const FemuDrive *drive)
{
    return drive->config.ssd.page_transfer_ns + drive->config.ssd.program_ns;
}

static void cut(FemuDrive *drive)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {'path': %s,"
                             "'property': 'power-cut', 'value': '1'}}", PATH);
    femu_enable(drive);
    femu_io_queues_create(drive);
}

static uint16_t begin(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                      uint32_t nlb, uint32_t flags, unsigned seed)
{
    g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, seed);
    NvmeCmd cmd = femu_cmd_rw(drive, opcode, slba, nlb, drive->buf);

    qtest_memwrite(drive->host->qts, drive->buf, data,
                   (size_t)nlb * drive->config.ssd.lba_bytes);
    cmd.cdw12 |= cpu_to_le32(flags);
    return femu_submit(&drive->io, &cmd);
}

/* A write of pages that lasts so long from now. */
static void write_takes(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                        uint32_t flags, uint64_t ns)
{
    uint16_t cid = begin(drive, NVME_CMD_WRITE, slba, nlb, flags, 1);

    femu_expect_ok(&drive->io_cq, drive->host->now_ns + ns, 1, cid);
}

static void assert_left(FemuDrive *drive, uint32_t zone_idx, uint32_t nlb)
{
    uint64_t slba = femu_zone_lba(drive, zone_idx);

    femu_assert_zone(drive, zone_idx, nlb ? NVME_ZONE_STATE_CLOSED
                                          : NVME_ZONE_STATE_EMPTY, nlb);
    if (nlb) {
        g_autofree uint8_t *data = femu_pattern(drive, slba, nlb, 1);

        femu_assert_data(drive, slba, nlb, data);
    }
    femu_assert_data(drive, slba + nlb, 4, NULL);
}

static uint8_t vwc(FemuDrive *drive)
{
    NvmeIdCtrl id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                    NVME_SUCCESS);
    return id.vwc;
}

static void assert_no_flush(FemuDrive *drive)
{
    QDict *stats = femu_stats(drive);

    g_assert_false(femu_has_stat(stats, "ops/flush"));
    qobject_unref(stats);
}

static void test_protected(void)
{
    FemuConfig config = cache_config(false);
    FemuDrive *drive = femu_boot(&config, NULL);
    uint32_t value;

    g_assert_cmphex(vwc(drive), ==, NVME_VWC_NSID_BROADCAST_SUPPORT);
    g_assert_cmphex(femu_get_feature(drive, NVME_VOLATILE_WRITE_CACHE, &value),
                    ==, NVME_INVALID_FIELD);
    g_assert_cmphex(femu_set_feature(drive, NVME_VOLATILE_WRITE_CACHE, 1), ==,
                    NVME_INVALID_FIELD);
    write_takes(drive, 0, PAGE_NLB, FUA, 0);
    begin(drive, NVME_CMD_READ, 0, 1, FUA, 1);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    assert_no_flush(drive);
    cut(drive);
    assert_left(drive, 0, PAGE_NLB);
    femu_shutdown(drive);
}

static void assert_enabled(FemuDrive *drive, uint32_t enabled)
{
    uint32_t value;

    g_assert_cmphex(femu_get_feature(drive, NVME_VOLATILE_WRITE_CACHE, &value),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(value, ==, enabled);
}

static void test_feature(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);
    uint8_t log[4096];

    g_assert_cmphex(vwc(drive), ==, NVME_VWC_NSID_BROADCAST_SUPPORT |
                                    NVME_VWC_PRESENT);
    assert_enabled(drive, 1);
    g_assert_cmphex(femu_set_feature(drive, NVME_VOLATILE_WRITE_CACHE, 0), ==,
                    NVME_SUCCESS);
    assert_enabled(drive, 0);
    g_assert_cmphex(femu_set_feature(drive, NVME_VOLATILE_WRITE_CACHE, 3), ==,
                    NVME_SUCCESS);
    assert_enabled(drive, 1);
    g_assert_cmphex(femu_set_feature(drive, NVME_VOLATILE_WRITE_CACHE, 0), ==,
                    NVME_SUCCESS);
    femu_disable(drive);
    femu_enable(drive);
    assert_enabled(drive, 1);
    g_assert_cmphex(femu_get_log(drive, 0x12, 0, 0, log, sizeof(log)), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(log[4 * NVME_VOLATILE_WRITE_CACHE], ==, 1);
    femu_shutdown(drive);
}

/* What was told is gone, unless it had been programmed. */
static void test_lost(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);

    write_takes(drive, 0, 2 * PAGE_NLB + 1, 0, 0);
    cut(drive);
    assert_left(drive, 0, 0);
    write_takes(drive, 0, 2 * PAGE_NLB + 1, 0, 0);
    femu_step(drive->host, program_ns(drive));
    cut(drive);
    assert_left(drive, 0, 2 * PAGE_NLB);
    femu_shutdown(drive);
}

/* Without Force Unit Access nothing is flushed. */
static void test_no_fua(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);

    write_takes(drive, 0, PAGE_NLB, 0, 0);
    begin(drive, NVME_CMD_READ, 0, 1, 0, 1);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    assert_no_flush(drive);
    femu_shutdown(drive);
}

/* A flush waits for what is programmed, and saves a part of a page. */
static void test_flush(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);
    NvmeCmd flush = femu_cmd_flush();
    uint64_t at_ns = drive->host->now_ns + program_ns(drive);
    uint16_t cid;

    write_takes(drive, 0, PAGE_NLB + 3, 0, 0);
    cid = femu_submit(&drive->io, &flush);
    femu_expect_ok(&drive->io_cq, at_ns, 1, cid);
    write_takes(drive, PAGE_NLB + 3, PAGE_NLB, 0, 0);
    cut(drive);
    assert_left(drive, 0, PAGE_NLB + 3);
    femu_shutdown(drive);
}

static void test_fua(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t slba = femu_zone_lba(drive, 1);
    uint16_t cid;
    FemuCqe cqe;

    write_takes(drive, 0, PAGE_NLB + 1, FUA, program_ns(drive));
    cut(drive);
    assert_left(drive, 0, PAGE_NLB + 1);

    begin(drive, NVME_CMD_ZONE_APPEND, slba, 3, 0, 1);
    femu_expect_now(&drive->io_cq);
    cid = begin(drive, NVME_CMD_ZONE_APPEND, slba, PAGE_NLB, FUA, 1);
    cqe = femu_expect_at(&drive->io_cq,
                         drive->host->now_ns + program_ns(drive));
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmpuint(cqe.result, ==, slba + 3);
    cut(drive);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_CLOSED, PAGE_NLB + 3);

    cid = begin(drive, NVME_CMD_WRITE_ZEROES, femu_zone_lba(drive, 2), PAGE_NLB,
                FUA, 1);
    femu_expect_ok(&drive->io_cq, drive->host->now_ns + program_ns(drive), 1,
                   cid);
    cut(drive);
    femu_assert_zone(drive, 2, NVME_ZONE_STATE_CLOSED, PAGE_NLB);
    femu_shutdown(drive);
}

/* A copy with Force Unit Access, too, is safe when it is done. */
static void test_fua_copy(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);
    const NvmeCopySourceRangeFormat0_2 range = { .nlb = PAGE_NLB - 1 };
    uint64_t to_lba = femu_zone_lba(drive, 1);
    NvmeCmd cmd = {
        .opcode = NVME_CMD_COPY,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(to_lba),
        .cdw12 = cpu_to_le32(FUA),
    };

    write_takes(drive, 0, PAGE_NLB, 0, 0);
    qtest_bufwrite(drive->host->qts, drive->buf, &range, sizeof(range));
    femu_set_prps(drive, &cmd, drive->buf, sizeof(range));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    cut(drive);
    femu_assert_zone(drive, 1, NVME_ZONE_STATE_CLOSED, PAGE_NLB);
    femu_shutdown(drive);
}

/* With Force Unit Access what is read is made safe before that is done. */
static void check_fua_read(uint8_t opcode)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t at_ns = drive->host->now_ns + program_ns(drive);
    uint16_t cid;

    write_takes(drive, 0, PAGE_NLB, 0, 0);
    cid = begin(drive, opcode, 0, 1, FUA, 1);
    femu_expect_ok(&drive->io_cq, at_ns, 1, cid);
    cut(drive);
    assert_left(drive, 0, PAGE_NLB);
    femu_shutdown(drive);
}

static void test_fua_read(void)
{
    check_fua_read(NVME_CMD_READ);
}

static void test_fua_verify(void)
{
    check_fua_read(NVME_CMD_VERIFY);
}

static void test_fua_compare(void)
{
    check_fua_read(NVME_CMD_COMPARE);
}

/* ... but fails as any other where it cannot read. */
static void test_fua_read_bad(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);
    FemuCqe cqe;

    write_takes(drive, 0, PAGE_NLB, 0, 0);
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {'path': %s, 'property':"
                             "'inject-read-error', 'value': '0 1'}}", PATH);
    begin(drive, NVME_CMD_READ, 0, 1, FUA, 1);
    cqe = femu_expect_now(&drive->io_cq);
    g_assert_cmphex(cqe.status, ==, NVME_UNRECOVERED_READ);
    femu_shutdown(drive);
}

/* Disabling it flushes it; from then on each write is as with FUA. */
static void test_disabled(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t at_ns = drive->host->now_ns + program_ns(drive);
    uint32_t value;
    uint16_t cid;

    write_takes(drive, 0, PAGE_NLB, 0, 0);
    /* it is enabled, and stays so: nothing is flushed */
    g_assert_cmphex(femu_set_feature(drive, NVME_VOLATILE_WRITE_CACHE, 1), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(drive->host->now_ns, ==, at_ns - program_ns(drive));
    g_assert_cmphex(femu_set_feature(drive, NVME_VOLATILE_WRITE_CACHE, 0), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(drive->host->now_ns, ==, at_ns);
    /* what else the host asks for or sets waits for no flush */
    cid = begin(drive, NVME_CMD_WRITE, PAGE_NLB, PAGE_NLB, 0, 1);
    g_assert_cmphex(femu_get_feature(drive, NVME_VOLATILE_WRITE_CACHE, &value),
                    ==, NVME_SUCCESS);
    g_assert_cmpuint(value, ==, 0);
    g_assert_cmphex(femu_set_feature(drive, NVME_WRITE_ATOMICITY, 1), ==,
                    NVME_SUCCESS);
    /* ... nor what is refused: no value of this feature can be saved */
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0,
                               NVME_VOLATILE_WRITE_CACHE | 1u << 31, 1,
                               0).status, ==, NVME_FID_NOT_SAVEABLE);
    g_assert_cmpuint(drive->host->now_ns, ==, at_ns);
    femu_expect_ok(&drive->io_cq, at_ns + program_ns(drive), 1, cid);
    cut(drive);
    assert_left(drive, 0, 2 * PAGE_NLB);
    /* It is enabled again. */
    write_takes(drive, 2 * PAGE_NLB, PAGE_NLB, 0, 0);
    cut(drive);
    assert_left(drive, 0, 2 * PAGE_NLB);
    femu_shutdown(drive);
}

/* A queue that is deleted, or a reset, takes what waits for a flush along. */
static void test_reset_inside(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive = femu_boot(&config, NULL);
    FemuCqe cqe;

    begin(drive, NVME_CMD_WRITE, 0, PAGE_NLB, FUA, 1);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_step(drive->host, 10 * program_ns(drive));
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_IMPLICITLY_OPEN, PAGE_NLB);
    cut(drive);
    assert_left(drive, 0, PAGE_NLB);
    femu_shutdown(drive);
}

/*
 * One slot: the flush waits until there is room, and is not overtaken by what
 * was in the queue already.
 */
static void test_one_slot(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive;
    uint64_t at_ns;
    uint16_t cid;
    NvmeCmd cmd;

    config.ssd.cmd_slots = 1;
    drive = femu_boot(&config, NULL);
    at_ns = drive->host->now_ns + program_ns(drive);
    cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, PAGE_NLB, drive->buf);
    cmd.cdw12 |= cpu_to_le32(FUA);
    cid = femu_place(&drive->io, &cmd);
    cmd = femu_cmd_rw(drive, NVME_CMD_READ, 0, 1, drive->buf);
    femu_place(&drive->io, &cmd);
    femu_ring(&drive->io);
    g_assert_cmpuint(femu_expect_at(&drive->io_cq, at_ns).cid, ==, cid);
    femu_shutdown(drive);
}

/*
 * Commands that disable the cache while there is no slot for their flushes stay
 * in their queue, however often the host rings: what the drive remembers of them
 * has a bound, which it is loaded with.
 */
static void test_no_slot(void)
{
    FemuConfig config = cache_config(true);
    const NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_SET_FEATURES,
        .cdw10 = cpu_to_le32(NVME_VOLATILE_WRITE_CACHE),
    };
    FemuDrive *drive;
    uint64_t at_ns;

    config.ssd.cmd_slots = 1;
    drive = femu_boot(&config, NULL);
    at_ns = drive->host->now_ns + program_ns(drive);
    begin(drive, NVME_CMD_WRITE, 0, PAGE_NLB, FUA, 1);
    for (unsigned i = 0; i < 5000 / FEMU_ENTRIES; i++) {
        for (unsigned k = 0; k + 1 < FEMU_ENTRIES; k++) {
            femu_place(&drive->admin, &cmd);
        }
        femu_ring(&drive->admin);
    }
    femu_host_move(drive->host);
    femu_step_to(drive->host, at_ns);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    g_assert_cmpuint(femu_expect_now(&drive->admin_cq).status, ==,
                     NVME_SUCCESS);
    femu_shutdown(drive);
}

/* It moves while a write, then its flush is inside: both go with it. */
static void test_moves(void)
{
    FemuConfig config = cache_config(true);
    FemuDrive *drive;
    uint64_t at_ns;
    uint16_t cid;
    FemuCqe cqe;

    config.ssd.link_in_ns = 40000000;   /* of a MiB: 156,250 ns of 4 KiB */
    drive = femu_boot(&config, NULL);
    g_assert_cmphex(femu_set_feature(drive, NVME_VOLATILE_WRITE_CACHE, 0), ==,
                    NVME_SUCCESS);
    at_ns = drive->host->now_ns + 4 * 156250 + program_ns(drive);
    cid = begin(drive, NVME_CMD_WRITE, 0, PAGE_NLB, 0, 1);
    femu_host_move(drive->host);
    femu_step(drive->host, 4 * 156250 + 1);
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    femu_host_move(drive->host);
    femu_expect_ok(&drive->io_cq, at_ns, 1, cid);
    assert_enabled(drive, 0);
    cut(drive);
    assert_left(drive, 0, PAGE_NLB);
    femu_shutdown(drive);
}

/*
 * Writes of two queues are done but for a flush, each, for which there is no
 * room: the resets of a format have it. The next completions, if there are any:
 * of the queue that is left, and of the format.
 */
static void begin_waiting(FemuDrive *drive, FemuCq *cq, FemuSq *sq)
{
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, PAGE_NLB, drive->buf);
    NvmeCmd format = { .opcode = NVME_ADM_CMD_FORMAT_NVM,
                       .nsid = cpu_to_le32(NVME_NSID_BROADCAST),
                       .cdw10 = cpu_to_le32(1) };

    femu_cq_create(drive, cq, 2, 16, -1);
    femu_sq_create(drive, sq, 2, 16, cq);
    cmd.cdw12 |= cpu_to_le32(FUA);
    femu_submit(&drive->io, &cmd);
    cmd.nsid = cpu_to_le32(2);
    femu_submit(sq, &cmd);
    femu_submit(&drive->admin, &format);
    femu_step(drive->host, 10);
}

static FemuDrive *boot_waiting(void)
{
    FemuConfig config = cache_config(true);

    config.ssd.namespaces = 2;
    config.ssd.cmd_slots = 2;
    return femu_boot(&config, "fe-write-ns=5");
}

/* A queue takes its flushes along, and leaves those of others alone. */
static void test_waiting_deleted(void)
{
    FemuDrive *drive = boot_waiting();
    FemuCqe cqe;
    FemuCq cq;
    FemuSq sq;

    begin_waiting(drive, &cq, &sq);
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    g_assert_false(femu_peek(&cq, &cqe));
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, sq.id),
                    ==, NVME_SUCCESS);
    femu_step(drive->host, UINT64_C(10000000000));
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    g_assert_false(femu_peek(&cq, &cqe));
    femu_shutdown(drive);
}

/* A reset takes all. */
static void test_waiting_reset(void)
{
    FemuDrive *drive = boot_waiting();
    FemuCqe cqe;
    FemuCq cq;
    FemuSq sq;

    begin_waiting(drive, &cq, &sq);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_step(drive->host, UINT64_C(10000000000));
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    drive->config.ssd.lba_bytes = 4096;
    g_assert_cmphex(femu_write(drive, 0, PAGE_NLB, NULL), ==, NVME_SUCCESS);
    femu_shutdown(drive);
}

/* The end of the drive, too, finds those that wait. */
static void test_waiting_ends(void)
{
    FemuDrive *drive = boot_waiting();
    FemuCqe cqe;
    FemuCq cq;
    FemuSq sq;

    begin_waiting(drive, &cq, &sq);
    g_assert_false(femu_peek(&cq, &cqe));
    femu_shutdown(drive);
}

/* The next QEMU, and femu-sim, find the same. */
static void test_lasts(void)
{
    FemuConfig config = cache_config(true);
    g_autofree char *folder = g_dir_make_tmp("femu-cache-XXXXXX", NULL);
    g_autofree char *extra = g_strdup_printf("state=%s", folder);
    static const char *const names[] = { "history", "data", "kept",
                                         "sums" };
    FemuDrive *drive = femu_boot(&config, extra);

    write_takes(drive, 0, PAGE_NLB + 1, FUA, program_ns(drive));
    write_takes(drive, PAGE_NLB + 1, PAGE_NLB, 0, 0);
    write_takes(drive, femu_zone_lba(drive, 1), PAGE_NLB, 0, 0);
    cut(drive);
    femu_shutdown(drive);
    drive = femu_boot(&config, extra);
    assert_left(drive, 0, PAGE_NLB + 1);
    assert_left(drive, 1, 0);
    write_takes(drive, PAGE_NLB + 1, 1, 0, 0);
    cut(drive);
    assert_left(drive, 0, PAGE_NLB + 1);
    femu_shutdown(drive);
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);

        g_unlink(path);
    }
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/cache/" name, test)
    ADD("protected", test_protected);
    ADD("feature", test_feature);
    ADD("lost", test_lost);
    ADD("no-fua", test_no_fua);
    ADD("flush", test_flush);
    ADD("fua", test_fua);
    ADD("fua-read", test_fua_read);
    ADD("fua-verify", test_fua_verify);
    ADD("fua-compare", test_fua_compare);
    ADD("no-slot", test_no_slot);
    ADD("fua-copy", test_fua_copy);
    ADD("fua-read-bad", test_fua_read_bad);
    ADD("disabled", test_disabled);
    ADD("reset-inside", test_reset_inside);
    ADD("one-slot", test_one_slot);
    ADD("moves", test_moves);
    ADD("lasts", test_lasts);
    ADD("waiting-deleted", test_waiting_deleted);
    ADD("waiting-reset", test_waiting_reset);
    ADD("waiting-ends", test_waiting_ends);
#undef ADD
    return g_test_run();
}
