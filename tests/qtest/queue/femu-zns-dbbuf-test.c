/*
 * Doorbell Buffer Config (NVMe base 2.0, 5.8): shadow doorbells, EventIdx, and
 * hosts that rely on them.
 *
 * Knows nothing of zones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define DBBUF "dbbuf=on"
#define UNREACHABLE (UINT64_C(1) << 52)
#define READ_ONLY UINT64_C(0xffff0000)  /* the BIOS */
#define BAD_VALUE (NVME_AER_TYPE_ERROR | \
                   NVME_AER_INFO_ERR_INVALID_DB_VALUE << 8 | \
                   NVME_LOG_ERROR_INFO << 16)
#define TRAFFIC 3000u

typedef struct Buffers {
    FemuDrive *drive;
    uint64_t shadow;
    uint64_t event;
    unsigned rung;                      /* writes of registers */
} Buffers;

static FemuCqe config(FemuDrive *drive, uint64_t shadow, uint64_t event)
{
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_DBBUF_CONFIG,
        .dptr.prp1 = cpu_to_le64(shadow),
        .dptr.prp2 = cpu_to_le64(event),
    };

    return femu_exec(&drive->admin, &cmd);
}

static Buffers start(void)
{
    FemuConfig small = femu_small_config();
    Buffers b = { .drive = femu_boot(&small, DBBUF) };

    b.shadow = femu_alloc(b.drive->host, FEMU_PAGE_BYTES);
    b.event = femu_alloc(b.drive->host, FEMU_PAGE_BYTES);
    g_assert_cmphex(config(b.drive, b.shadow, b.event).status, ==,
                    NVME_SUCCESS);
    return b;
}

/* Doorbells in the order of the registers: tail and head of queue `id`. */
static unsigned tail_of(unsigned id)
{
    return 2 * id;
}

static unsigned head_of(unsigned id)
{
    return 2 * id + 1;
}

static void set_shadow(Buffers *b, unsigned doorbell, uint32_t value)
{
    qtest_writel(b->drive->host->qts, b->shadow + 4 * doorbell, value);
}

static uint32_t shadow(Buffers *b, unsigned doorbell)
{
    return qtest_readl(b->drive->host->qts, b->shadow + 4 * doorbell);
}

static uint32_t event_idx(Buffers *b, unsigned doorbell)
{
    return qtest_readl(b->drive->host->qts, b->event + 4 * doorbell);
}

static void set_register(Buffers *b, unsigned doorbell, uint32_t value)
{
    femu_set_reg(b->drive, FEMU_DOORBELLS + 4 * doorbell, value);
    b->rung++;
}

/*
 * What a driver does: the shadow, and the register if the shadow has come to
 * pass EventIdx, in 16 bits.
 */
static void ring(Buffers *b, unsigned doorbell, uint16_t value)
{
    uint16_t old = shadow(b, doorbell), event;

    set_shadow(b, doorbell, value);
    event = event_idx(b, doorbell);
    if ((uint16_t)(value - event - 1) < (uint16_t)(value - old)) {
        set_register(b, doorbell, value);
    }
}

static void submit_flush(Buffers *b)
{
    NvmeCmd flush = femu_cmd_flush();

    femu_place(&b->drive->io, &flush);
}

static void expect_one(Buffers *b)
{
    FemuCqe cqe;

    g_assert_true(femu_take(&b->drive->io_cq, &cqe));
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    ring(b, head_of(1), b->drive->io_cq.head);
    g_assert_cmpuint(event_idx(b, head_of(1)), ==, b->drive->io_cq.head);
}

static bool idle(Buffers *b)
{
    FemuCqe cqe;

    return !femu_peek(&b->drive->io_cq, &cqe);
}

/* Offered or not; addresses that cannot be. */
static void test_config(void)
{
    FemuConfig small = femu_small_config();

    for (unsigned on = 0; on < 2; on++) {
        FemuDrive *drive = femu_boot(&small, on ? DBBUF : NULL);
        uint64_t page = femu_alloc(drive->host, 2 * FEMU_PAGE_BYTES);
        uint64_t next = page + FEMU_PAGE_BYTES;
        uint16_t refused = on ? NVME_INVALID_FIELD : NVME_INVALID_OPCODE;
        NvmeEffectsLog effects;
        NvmeIdCtrl id;

        femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id);
        g_assert_cmpuint(!!(le16_to_cpu(id.oacs) & NVME_OACS_DBCS), ==, on);
        femu_get_log(drive, NVME_LOG_CMD_EFFECTS, NVME_CSI_ZONED, 0, &effects,
                     sizeof(effects));
        g_assert_cmphex(le32_to_cpu(effects.acs[NVME_ADM_CMD_DBBUF_CONFIG]) &
                        NVME_CMD_EFF_CSUPP, ==, on ? NVME_CMD_EFF_CSUPP : 0);
        g_assert_cmphex(config(drive, page + 8, next).status, ==, refused);
        g_assert_cmphex(config(drive, page + 1, next).status, ==, refused);
        g_assert_cmphex(config(drive, page, next + 2048).status, ==, refused);
        g_assert_cmphex(config(drive, page, page).status, ==, refused);
        g_assert_cmphex(config(drive, UNREACHABLE, next).status, ==, refused);
        g_assert_cmphex(config(drive, page, UNREACHABLE).status, ==, refused);
        g_assert_cmphex(config(drive, READ_ONLY, next).status, ==, refused);
        g_assert_cmphex(config(drive, page, READ_ONLY).status, ==, refused);
        /* registers count as ever */
        femu_assert_works(drive, 0);
        g_assert_cmpuint(qtest_readl(drive->host->qts, next + 8), ==, 0);
        g_assert_cmphex(config(drive, page, next).status, ==,
                        on ? NVME_SUCCESS : NVME_INVALID_OPCODE);
        femu_shutdown(drive);
    }
}

/* The registers' values are in both buffers at once. */
static void test_takes_over(void)
{
    FemuConfig small = femu_small_config();
    Buffers b = { .drive = femu_boot(&small, DBBUF) };

    femu_assert_works(b.drive, 0);
    femu_assert_works(b.drive, 1);
    b.shadow = femu_alloc(b.drive->host, FEMU_PAGE_BYTES);
    b.event = femu_alloc(b.drive->host, FEMU_PAGE_BYTES);
    g_assert_cmphex(config(b.drive, b.shadow, b.event).status, ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(shadow(&b, tail_of(1)), ==, 2);
    g_assert_cmpuint(event_idx(&b, tail_of(1)), ==, 2);
    g_assert_cmpuint(shadow(&b, head_of(1)), ==, 2);
    g_assert_cmpuint(event_idx(&b, head_of(1)), ==, 2);
    submit_flush(&b);
    ring(&b, tail_of(1), b.drive->io.tail);
    g_assert_cmpuint(b.rung, ==, 1);
    expect_one(&b);
    femu_shutdown(b.drive);
}

/* So are those of a queue of which not all has been fetched. */
static void test_takes_over_unfetched(void)
{
    FemuConfig small = femu_small_config();
    Buffers b = { .drive = femu_boot(&small, DBBUF) };
    NvmeCmd flush = femu_cmd_flush();
    FemuSq *sq = &b.drive->io;

    /* a full queue of completions, and one that has no place in it */
    for (unsigned i = 0; i < FEMU_ENTRIES; i++) {
        femu_submit(sq, &flush);
    }
    femu_submit(sq, &flush);
    b.shadow = femu_alloc(b.drive->host, FEMU_PAGE_BYTES);
    b.event = femu_alloc(b.drive->host, FEMU_PAGE_BYTES);
    qtest_memset(b.drive->host->qts, b.shadow, 0xff, FEMU_PAGE_BYTES);
    qtest_memset(b.drive->host->qts, b.event, 0xff, FEMU_PAGE_BYTES);
    g_assert_cmphex(config(b.drive, b.shadow, b.event).status, ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(sq->tail, ==, 1);
    g_assert_cmpuint(shadow(&b, tail_of(1)), ==, 1);
    g_assert_cmpuint(event_idx(&b, tail_of(1)), ==, 1);
    g_assert_cmpuint(shadow(&b, head_of(1)), ==, 0);
    g_assert_cmpuint(event_idx(&b, head_of(1)), ==, 0);
    /* a head that no register tells of is seen at the next entry, at once */
    for (unsigned i = 1; i < FEMU_ENTRIES; i++) {
        g_assert_true(femu_take(&b.drive->io_cq, &(FemuCqe) { 0 }));
    }
    g_assert_true(idle(&b));
    set_shadow(&b, head_of(1), 2);
    femu_submit(&b.drive->admin, &(NvmeCmd) {
        .opcode = NVME_ADM_CMD_GET_FEATURES,
        .cdw10 = cpu_to_le32(NVME_ARBITRATION),
    });
    for (unsigned i = 0; i < 2; i++) {
        g_assert_true(femu_take(&b.drive->io_cq, &(FemuCqe) { 0 }));
    }
    g_assert_true(idle(&b));
    femu_shutdown(b.drive);
}

/* A shadow alone is not looked at; the register says that there is news. */
static void test_register_says_when(void)
{
    Buffers b = start();

    submit_flush(&b);
    set_shadow(&b, tail_of(1), 1);
    femu_step(b.drive->host, 1000000);
    g_assert_true(idle(&b));
    g_assert_cmpuint(event_idx(&b, tail_of(1)), ==, 0);
    set_register(&b, tail_of(1), 1);
    expect_one(&b);
    g_assert_cmpuint(event_idx(&b, tail_of(1)), ==, 1);
    /* the shadow counts, not what is written to the register */
    submit_flush(&b);
    submit_flush(&b);
    set_shadow(&b, tail_of(1), 3);
    set_register(&b, tail_of(1), 2);
    expect_one(&b);
    expect_one(&b);
    g_assert_true(idle(&b));
    g_assert_cmpuint(event_idx(&b, tail_of(1)), ==, 3);
    femu_shutdown(b.drive);
}

/* What came without a register write is found when the drive acts anyway. */
static void test_found_at_completion(void)
{
    Buffers b = start();
    uint64_t done_ns = femu_page_write_ns(b.drive);
    NvmeCmd write = femu_cmd_rw(b.drive, NVME_CMD_WRITE, 0,
                                femu_page_nlb(b.drive), b.drive->buf);
    FemuCqe cqe;

    femu_place(&b.drive->io, &write);
    ring(&b, tail_of(1), 1);
    submit_flush(&b);
    set_shadow(&b, tail_of(1), 2);
    femu_step_to(b.drive->host, done_ns - 1);
    g_assert_true(idle(&b));
    femu_step_to(b.drive->host, done_ns);
    g_assert_true(femu_take(&b.drive->io_cq, &cqe)); /* no register is written */
    expect_one(&b);
    g_assert_cmpuint(event_idx(&b, tail_of(1)), ==, 2);
    femu_shutdown(b.drive);
}

/*
 * A full completion queue: the host's next head passes EventIdx; and a head in
 * the shadow alone is found by the drive's next act.
 */
static void test_full_cq(void)
{
    Buffers b = start();
    FemuDrive *drive = b.drive;
    NvmeCmd flush = femu_cmd_flush();
    FemuCqe cqe;
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 2, -1);       /* room for one entry */
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 1; i <= 4; i++) {
        femu_place(&sq, &flush);
    }
    ring(&b, tail_of(2), 4);
    g_assert_true(femu_take(&cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, 0);
    g_assert_false(femu_take(&cq, &cqe));
    b.rung = 0;
    ring(&b, head_of(2), cq.head);
    g_assert_cmpuint(b.rung, ==, 1);
    g_assert_true(femu_take(&cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, 1);
    set_shadow(&b, head_of(2), cq.head);
    g_assert_false(femu_take(&cq, &cqe));
    submit_flush(&b);
    ring(&b, tail_of(1), 1);                    /* another queue */
    g_assert_true(femu_take(&cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, 2);
    ring(&b, head_of(2), cq.head);
    g_assert_true(femu_take(&cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, 3);
    femu_shutdown(drive);
}

/* A head that cannot be is no head: the queue has the room that it had. */
static void test_bad_head(void)
{
    Buffers b = start();

    set_shadow(&b, head_of(1), FEMU_ENTRIES / 2);
    for (unsigned i = 1; i < FEMU_ENTRIES; i++) {
        submit_flush(&b);
        ring(&b, tail_of(1), i);
    }
    for (unsigned i = 1; i < FEMU_ENTRIES; i++) {
        FemuCqe cqe;

        g_assert_true(femu_take(&b.drive->io_cq, &cqe));
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    }
    femu_shutdown(b.drive);
}

/* A queue that has commands is not asked for more. */
static void test_not_asked(void)
{
    Buffers b = start();
    FemuDrive *drive = b.drive;
    NvmeCmd flush = femu_cmd_flush();
    FemuCqe cqe;
    FemuCq cq;
    FemuSq sq;

    femu_cq_create(drive, &cq, 2, 2, -1);       /* room for one entry */
    femu_sq_create(drive, &sq, 2, 16, &cq);
    for (unsigned i = 0; i < 5; i++) {
        femu_place(&sq, &flush);
    }
    ring(&b, tail_of(2), 4);
    g_assert_cmpuint(event_idx(&b, tail_of(2)), ==, 4);
    set_shadow(&b, tail_of(2), 5);
    submit_flush(&b);
    ring(&b, tail_of(1), 1);                    /* another queue */
    g_assert_cmpuint(event_idx(&b, tail_of(2)), ==, 4);
    for (unsigned i = 0; i < 5; i++) {
        g_assert_true(femu_take(&cq, &cqe));
        g_assert_cmpuint(cqe.cid, ==, i);
        ring(&b, head_of(2), cq.head);
    }
    g_assert_cmpuint(event_idx(&b, tail_of(2)), ==, 5);
    femu_shutdown(drive);
}

/* Drivers that use registers alone for the admin queue, and others. */
static void test_admin(void)
{
    Buffers b = start();
    FemuDrive *drive = b.drive;
    NvmeCmd identify = {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .dptr.prp1 = cpu_to_le64(drive->buf),
        .cdw10 = cpu_to_le32(NVME_ID_CNS_CTRL),
    };
    NvmeIdCtrl id;
    FemuCqe cqe;

    for (unsigned i = 0; i < 3 * FEMU_ENTRIES; i++) {
        g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                        NVME_SUCCESS);
        g_assert_cmpuint(shadow(&b, tail_of(0)), ==, drive->admin.tail);
    }
    for (unsigned i = 0; i < 3 * FEMU_ENTRIES; i++) {
        femu_place(&drive->admin, &identify);
        ring(&b, tail_of(0), drive->admin.tail);
        g_assert_true(femu_take(&drive->admin_cq, &cqe));
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
        ring(&b, head_of(0), drive->admin_cq.head);
    }
    /* a shadow that is younger than the register's value counts here, too */
    femu_place(&drive->admin, &identify);
    femu_place(&drive->admin, &identify);
    set_shadow(&b, tail_of(0), drive->admin.tail);
    set_register(&b, tail_of(0), drive->admin.tail - 1);
    g_assert_true(femu_take(&drive->admin_cq, &cqe));
    g_assert_true(femu_take(&drive->admin_cq, &cqe));
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_shutdown(drive);
}

/* What an earlier queue of this number left in the buffers is gone. */
static void test_new_queue(void)
{
    Buffers b = start();
    FemuDrive *drive = b.drive;

    submit_flush(&b);
    ring(&b, tail_of(1), 1);
    expect_one(&b);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 1), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, 1), ==,
                    NVME_SUCCESS);
    /* of all but the admin queue's doorbells */
    qtest_memset(drive->host->qts, b.shadow + 8, 0x77, 24);
    qtest_memset(drive->host->qts, b.event + 8, 0x77, 24);
    femu_io_queues_create(drive);
    for (unsigned i = tail_of(1); i <= head_of(3); i++) {
        uint32_t value = i <= head_of(1) ? 0 : 0x77777777;

        g_assert_cmphex(shadow(&b, i), ==, value);
        g_assert_cmphex(event_idx(&b, i), ==, value);
    }
    g_assert_cmpuint(shadow(&b, tail_of(0)), ==, drive->admin.tail);
    g_assert_cmpuint(shadow(&b, head_of(0)), ==, drive->admin_cq.head);
    g_assert_true(idle(&b));
    submit_flush(&b);
    ring(&b, tail_of(1), 1);
    expect_one(&b);
    femu_shutdown(drive);
}

/* A controller reset ends it: registers count, buffers are left alone. */
static void test_reset(void)
{
    Buffers b = start();

    femu_disable(b.drive);
    qtest_memset(b.drive->host->qts, b.shadow, 0x77, FEMU_PAGE_BYTES);
    qtest_memset(b.drive->host->qts, b.event, 0x55, FEMU_PAGE_BYTES);
    femu_enable(b.drive);
    femu_io_queues_create(b.drive);
    femu_assert_works(b.drive, 0);
    for (unsigned i = 0; i < 6; i++) {
        g_assert_cmphex(shadow(&b, i), ==, 0x77777777);
        g_assert_cmphex(event_idx(&b, i), ==, 0x55555555);
    }
    femu_shutdown(b.drive);
}

/* A value that the queue cannot have is reported, and is no end of it. */
static void test_bad_value(void)
{
    Buffers b = start();
    FemuDrive *drive = b.drive;
    NvmeCmd request = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };
    uint16_t cid = femu_submit(&drive->admin, &request);
    FemuCqe cqe;

    set_shadow(&b, tail_of(1), FEMU_ENTRIES);
    set_register(&b, tail_of(1), 1);
    g_assert_true(femu_reap(&drive->admin_cq, &cqe));
    g_assert_cmpuint(cqe.cid, ==, cid);
    g_assert_cmphex(cqe.result, ==, BAD_VALUE);
    set_shadow(&b, head_of(1), 5);              /* beyond the tail */
    set_register(&b, head_of(1), 0);
    g_assert_true(idle(&b));
    set_shadow(&b, head_of(1), 0);
    submit_flush(&b);
    set_shadow(&b, tail_of(1), 1);
    set_register(&b, tail_of(1), 1);
    expect_one(&b);
    /* the admin queue's shadows do not take it either */
    set_register(&b, tail_of(0), FEMU_ENTRIES);
    g_assert_cmpuint(shadow(&b, tail_of(0)), ==, drive->admin.tail);
    set_register(&b, head_of(0), drive->admin_cq.head + 1);
    g_assert_cmpuint(shadow(&b, head_of(0)), ==, drive->admin_cq.head);
    femu_shutdown(drive);
}

/* Of an I/O queue the shadow counts, whatever the register says. */
static void test_register_value(void)
{
    Buffers b = start();
    FemuDrive *drive = b.drive;
    NvmeCmd request = { .opcode = NVME_ADM_CMD_ASYNC_EV_REQ };
    FemuCqe cqe;

    femu_submit(&drive->admin, &request);
    submit_flush(&b);
    set_register(&b, tail_of(1), 1);
    g_assert_cmpuint(shadow(&b, tail_of(1)), ==, 0);
    g_assert_true(idle(&b));
    set_shadow(&b, tail_of(1), 1);
    set_register(&b, tail_of(1), FEMU_ENTRIES);
    g_assert_true(femu_take(&drive->io_cq, &cqe));
    set_shadow(&b, tail_of(2), 5);              /* of no queue */
    set_shadow(&b, head_of(1), 1);
    set_register(&b, head_of(1), FEMU_ENTRIES);
    g_assert_cmpuint(event_idx(&b, head_of(1)), ==, 1);
    g_assert_false(femu_peek(&drive->admin_cq, &cqe));
    femu_shutdown(drive);
}

/* Buffers in our own registers: nothing can be read there. */
static void test_own_bar(void)
{
    FemuConfig small = femu_small_config();
    FemuDrive *drive = femu_boot(&small, DBBUF);
    FemuCqe cqe = config(drive, drive->bar.addr,
                         drive->bar.addr + FEMU_PAGE_BYTES);

    g_test_message("status 0x%x", cqe.status);
    femu_assert_works(drive, 0);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_works(drive, 1);
    femu_shutdown(drive);
}

/* A driver that keeps to EventIdx, in batches and late: all is completed. */
static void test_traffic(void)
{
    Buffers b = start();
    FemuDrive *drive = b.drive;
    unsigned submitted = 0, completed = 0;
    FemuCqe cqe;

    while (completed < TRAFFIC) {
        unsigned batch = g_test_rand_int_range(0, 6);

        for (unsigned i = 0; i < batch && submitted < TRAFFIC &&
             submitted - completed < FEMU_ENTRIES - 2; i++) {
            NvmeCmd read = femu_cmd_rw(drive, NVME_CMD_READ, i, 1, drive->buf);

            femu_place(&drive->io, &read);
            submitted++;
            if (i % 2) {
                ring(&b, tail_of(1), drive->io.tail);
            }
        }
        ring(&b, tail_of(1), drive->io.tail);
        femu_step(drive->host, g_test_rand_int_range(1, 100000));
        for (unsigned i = 0; i < 4 && femu_take(&drive->io_cq, &cqe); i++) {
            g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
            completed++;
        }
        ring(&b, head_of(1), drive->io_cq.head);
    }
    g_assert_true(idle(&b));
    g_test_message("%u commands, %u register writes", TRAFFIC, b.rung);
    femu_shutdown(drive);
}

/* A queue that the drive itself fills, see test_endless(). */
#define ENDLESS_ID 20u
#define ENDLESS_ENTRIES 3u
#define EXT_BYTES 64u
#define EXT_AT (sizeof(NvmeZoneReportHeader) + sizeof(NvmeZoneDescr))

/* Give the zone an extension that starts with these two dwords. */
static void set_extension(FemuDrive *drive, uint32_t zone_idx, uint32_t first,
                          uint32_t second)
{
    const uint32_t data[EXT_BYTES / 4] = {
        cpu_to_le32(first), cpu_to_le32(second),
    };
    NvmeCmd cmd = femu_cmd_zone(NVME_ZONE_ACTION_SET_ZD_EXT,
                                femu_zone_lba(drive, zone_idx), false);

    qtest_bufwrite(drive->host->qts, drive->buf, data, sizeof(data));
    femu_set_prps(drive, &cmd, drive->buf, sizeof(data));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
}

/* The report of a zone with its extension, so that this lies at `addr`. */
static NvmeCmd report_extension(FemuDrive *drive, uint32_t zone_idx,
                                uint64_t addr)
{
    NvmeCmd cmd = femu_cmd_report(drive, femu_zone_lba(drive, zone_idx),
                                  NVME_ZONE_REPORT_ALL, true, addr - EXT_AT,
                                  EXT_AT + EXT_BYTES);

    cmd.cdw13 |= cpu_to_le32(NVME_ZONE_REPORT_EXTENDED);
    return cmd;
}

/* Assert that `commands` of the endless queue have completed, the last OK. */
static void assert_endless(FemuDrive *drive, const FemuCq *cq,
                           uint64_t commands)
{
    uint64_t last = commands - 1;
    NvmeCqe cqe;

    qtest_memread(drive->host->qts, cq->addr + last % ENDLESS_ENTRIES *
                  sizeof(cqe), &cqe, sizeof(cqe));
    g_assert_cmpuint(le16_to_cpu(cqe.sq_head), ==,
                     commands % ENDLESS_ENTRIES);
    g_assert_cmphex(le16_to_cpu(cqe.status), ==,
                    last / ENDLESS_ENTRIES % 2 ? 0 : 1);
}

/*
 * Data that the drive writes move its own doorbells: each command is a report
 * whose extension, that of a zone of its own, says that there is one command
 * more, and that its completion was seen. The drive does as many as an entry
 * may (tests/qtest/controller/femu-zns-work-test.c), and goes on a nanosecond
 * later.
 */
static void test_endless(void)
{
    FemuConfig small = femu_small_config();
    FemuDrive *drive;
    uint64_t burst, at, elsewhere;
    Buffers b;
    FemuCq cq;
    FemuSq sq;
    NvmeCmd cmd;

    small.ssd.zone_ext_bytes = EXT_BYTES;
    drive = femu_boot(&small, DBBUF);
    b = (Buffers) { .drive = drive };
    b.shadow = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    b.event = femu_alloc(drive->host, FEMU_PAGE_BYTES);
    elsewhere = femu_alloc(drive->host, FEMU_PAGE_BYTES) + EXT_AT;
    burst = DIV_ROUND_UP(FEMU_ENTRY_WORK_BYTES,
                         FEMU_COMMAND_WORK_BYTES + EXT_AT + EXT_BYTES);
    for (uint32_t i = 0; i < ENDLESS_ENTRIES; i++) {
        set_extension(drive, i, (i + 2) % ENDLESS_ENTRIES,
                      (i + 1) % ENDLESS_ENTRIES);
    }
    g_assert_cmphex(config(drive, b.shadow, b.event).status, ==,
                    NVME_SUCCESS);
    femu_cq_create(drive, &cq, ENDLESS_ID, ENDLESS_ENTRIES, -1);
    femu_sq_create(drive, &sq, ENDLESS_ID, ENDLESS_ENTRIES, &cq);
    at = b.shadow + 4 * tail_of(ENDLESS_ID);
    for (uint32_t i = 0; i < ENDLESS_ENTRIES; i++) {
        cmd = report_extension(drive, i, at);
        femu_place(&sq, &cmd);
    }
    set_shadow(&b, tail_of(ENDLESS_ID), 1);
    set_register(&b, tail_of(ENDLESS_ID), 1);
    assert_endless(drive, &cq, burst);
    for (unsigned i = 2; i <= 4; i++) {
        femu_step(drive->host, 1);
        assert_endless(drive, &cq, i * burst);
    }
    /* the next command moves no doorbell */
    g_assert_cmpuint(4 * burst % ENDLESS_ENTRIES, ==, 1);
    sq.tail = 1;
    cmd = report_extension(drive, 1, elsewhere);
    femu_place(&sq, &cmd);
    femu_step(drive->host, 1);
    assert_endless(drive, &cq, 4 * burst + 1);
    femu_step(drive->host, 1000);
    assert_endless(drive, &cq, 4 * burst + 1);
    femu_shutdown(drive);
}

/* Nothing is written to where shadows would be, as long as there are none. */
static void test_none(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, "dbbuf=on");
    uint8_t page[FEMU_PAGE_BYTES];

    qtest_memset(drive->host->qts, 0, 0xa5, sizeof(page));
    femu_assert_works(drive, 0);
    qtest_bufread(drive->host->qts, 0, page, sizeof(page));
    for (unsigned i = 0; i < sizeof(page); i++) {
        g_assert_cmphex(page[i], ==, 0xa5);
    }
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/dbbuf/" name, test)
    ADD("config", test_config);
    ADD("none", test_none);
    ADD("takes-over", test_takes_over);
    ADD("takes-over-unfetched", test_takes_over_unfetched);
    ADD("register-says-when", test_register_says_when);
    ADD("found-at-completion", test_found_at_completion);
    ADD("full-cq", test_full_cq);
    ADD("not-asked", test_not_asked);
    ADD("bad-head", test_bad_head);
    ADD("admin", test_admin);
    ADD("new-queue", test_new_queue);
    ADD("reset", test_reset);
    ADD("bad-value", test_bad_value);
    ADD("register-value", test_register_value);
    ADD("own-bar", test_own_bar);
    ADD("traffic", test_traffic);
    ADD("endless", test_endless);
#undef ADD
    return g_test_run();
}
