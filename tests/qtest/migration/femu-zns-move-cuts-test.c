/*
 * Power cuts by properties, of a drive that moves into another QEMU: what that
 * one has been asked for counts as if the drive had always been there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define CUT_AT_NS 50000000

/*
 * Power cuts that only the QEMU has been asked for into which the drive moves:
 * one comes when its time comes, though the drive has nothing else to do; one
 * that would be over, does not.
 */
static void test_new_cuts(void)
{
    static const struct {
        const char *cut;
        bool comes;
    } rows[] = {
        { "power-cut-at-ns=50000000", true },
        { "power-cut-at-ns=1000", false },
        { NULL, false },        /* at this very instant */
        { "power-cut-at-program=1", false },
        { "power-cut-at-program=3", false },    /* by what was the last */
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        FemuConfig config = femu_small_config();
        FemuDrive *drive = femu_boot(&config, NULL);
        FemuHost *host = drive->host;
        g_autofree char *now = NULL;
        char *args;

        femu_fill(drive, 0, 3 * femu_page_nlb(drive));
        now = g_strdup_printf("power-cut-at-ns=%" PRIu64, host->now_ns);
        args = g_strdup_printf("%s,%s", host->args, rows[i].cut ?: now);
        g_free(host->args);
        host->args = args;
        femu_host_move(host);
        femu_step_to(host, CUT_AT_NS - 1);
        g_assert_true(NVME_CC_EN(femu_reg(drive, NVME_REG_CC)));
        femu_step_to(host, CUT_AT_NS);
        g_assert_cmpint(NVME_CC_EN(femu_reg(drive, NVME_REG_CC)), ==,
                        !rows[i].comes);
        if (!rows[i].comes) {
            femu_fill(drive, 1, 3 * femu_page_nlb(drive));
            g_assert_true(NVME_CC_EN(femu_reg(drive, NVME_REG_CC)));
        }
        femu_shutdown(drive);
    }
}

/* One that has been is over for each QEMU that comes. */
static void test_old_cut(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, "power-cut-at-program=2");
    uint32_t page_nlb = femu_page_nlb(drive);

    for (unsigned i = 0; i < 2; i++) {
        femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, i),
                       page_nlb);
    }
    femu_step(drive->host, 2 * femu_page_write_ns(drive));
    g_assert_false(NVME_CC_EN(femu_reg(drive, NVME_REG_CC)));
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_host_move(drive->host);
    femu_fill(drive, 2, 4 * page_nlb);
    g_assert_true(NVME_CC_EN(femu_reg(drive, NVME_REG_CC)));
    femu_shutdown(drive);
}

static void set(FemuDrive *drive, const char *name, const char *value)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': %s, 'value': %s}}", name, value);
}

/*
 * A reset that was inside when the drive moved, and has ended since: what the
 * zone held before does not come back with a power cut, though a zone that is
 * read-only may hold data anywhere.
 */
static void test_reset_ends(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 20, 1);
    FemuCqe cqe;

    g_assert_cmphex(femu_write(drive, 0, 20, data), ==, NVME_SUCCESS);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    femu_host_move(drive->host);
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    femu_step_next(drive->host);
    g_assert_cmphex(femu_expect_now(&drive->io_cq).status, ==, NVME_SUCCESS);
    set(drive, "zone-fail", "0 read-only");
    set(drive, "power-cut", "1");
    femu_enable(drive);
    femu_io_queues_create(drive);
    g_assert_cmphex(femu_zone(drive, 0).zs >> 4, ==,
                    NVME_ZONE_STATE_READ_ONLY);
    femu_assert_data(drive, 0, 20, NULL);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/move/new-cuts", test_new_cuts);
    qtest_add_func("femu-zns/move/old-cut", test_old_cut);
    qtest_add_func("femu-zns/move/reset-ends", test_reset_ends);
    return g_test_run();
}
