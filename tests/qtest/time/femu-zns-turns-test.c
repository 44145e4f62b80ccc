/*
 * Two tenants of a drive, a namespace each: with take-turns, the second has to
 * the nanosecond the times that it has alone, though the first has a zone that
 * is always full, or more reads than there are slots.
 *
 * Knows nothing of what else the tenants could do to each other.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define START_NS 100000003u
#define FLOOD 5u        /* writes of 64 KiB: four pages, two portions each */
#define READS 12u

static FemuDrive *boot(bool take_turns)
{
    FemuConfig config = femu_small_config();

    config.ssd.namespaces = 2;
    config.ssd.zone_channels = 1; /* zone z of 4 is on channel z */
    config.ssd.program_registers = 1;
    config.ssd.write_buffer_bytes = 512 * SSD_KIB;
    config.ssd.zone_buffer_bytes = 48 * SSD_KIB;
    config.ssd.read_slots = 3;
    config.ssd.take_turns = take_turns;
    return femu_boot(&config, NULL);
}

static uint64_t page_ns(const FemuDrive *drive)
{
    return drive->config.ssd.page_transfer_ns + drive->config.ssd.program_ns;
}

static uint64_t read_ns(const FemuDrive *drive)
{
    return drive->config.ssd.read_ns + drive->config.ssd.page_transfer_ns;
}

/* Step until a command of the I/O queue is done. Return: when. */
static uint64_t done_at_ns(FemuDrive *drive, uint16_t cid)
{
    FemuCqe cqe;

    do {
        while (!femu_reap(&drive->io_cq, &cqe)) {
            femu_step_next(drive->host);
        }
        g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    } while (cqe.cid != cid);
    return drive->host->now_ns;
}

/*
 * Of each portion of 2 pages, in a share of 3, the next one comes in when all
 * but one of those before have been programmed; page n has been after n pages.
 */
static void check_full_zone(bool take_turns)
{
    FemuDrive *drive = boot(take_turns);
    uint64_t flood_ns = (2 * (2 * FLOOD) - 3) * page_ns(drive);
    uint64_t held_up_ns = take_turns ? 0 : flood_ns;
    uint16_t first, last, write, read;

    femu_step_to(drive->host, START_NS);
    for (unsigned i = 0; i < FLOOD; i++) {
        last = femu_submit_rw(drive, NVME_CMD_WRITE, i * 16, 16);
    }
    drive->nsid = 2;
    first = femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 1), 4);
    write = femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 1) + 4,
                           4);
    if (!take_turns) {
        g_assert_cmpuint(done_at_ns(drive, last), ==, START_NS + flood_ns);
    }
    g_assert_cmpuint(done_at_ns(drive, first), ==, START_NS + held_up_ns);
    g_assert_cmpuint(done_at_ns(drive, write), ==, START_NS + held_up_ns);
    if (take_turns) {
        /* Its two pages are programmed while the flood goes on; so is a read. */
        femu_step_to(drive->host, START_NS + 2 * page_ns(drive));
        read = femu_submit_rw(drive, NVME_CMD_READ, femu_zone_lba(drive, 1),
                              1);
        g_assert_cmpuint(done_at_ns(drive, read), ==,
                         START_NS + 2 * page_ns(drive) + read_ns(drive));
        g_assert_cmpuint(done_at_ns(drive, last), ==, START_NS + flood_ns);
    }
    femu_shutdown(drive);
}

static void test_full_zone(void)
{
    check_full_zone(true);
    check_full_zone(false);
}

/* All but one of the slots are the first one's, one is kept for the second. */
static void check_reads(bool take_turns)
{
    FemuDrive *drive = boot(take_turns);
    uint64_t now_ns, behind_ns;
    uint16_t cid;

    femu_fill(drive, 0, 4);
    drive->nsid = 2;
    g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, 1), 4, NULL), ==,
                    NVME_SUCCESS);
    femu_step_to(drive->host, START_NS);
    drive->nsid = 1;
    for (unsigned i = 0; i < READS; i++) {
        femu_submit_rw(drive, NVME_CMD_READ, 0, 1);
    }
    femu_step(drive->host, 1000);
    now_ns = drive->host->now_ns;
    drive->nsid = 2;
    cid = femu_submit_rw(drive, NVME_CMD_READ, femu_zone_lba(drive, 1), 1);
    /* They sense one after another; with 3 inside, it follows the tenth. */
    behind_ns = START_NS + (READS - 2) * drive->config.ssd.read_ns +
                drive->config.ssd.page_transfer_ns;
    g_assert_cmpuint(done_at_ns(drive, cid), ==,
                     (take_turns ? now_ns : behind_ns) + read_ns(drive));
    femu_shutdown(drive);
}

static void test_reads(void)
{
    check_reads(true);
    check_reads(false);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/turns/full-zone", test_full_zone);
    qtest_add_func("femu-zns/turns/reads", test_reads);
    return g_test_run();
}
