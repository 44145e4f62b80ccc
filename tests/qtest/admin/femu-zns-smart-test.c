/*
 * What the drive remembers of its life: the SMART log and the error log, to
 * the last number.
 *
 * Knows nothing of how long anything takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define UNIT_BYTES (1000 * 512u)        /* of the SMART log's data units */
#define USED_MAX 255u                   /* percent, or more */
#define NO_LOCATION 0xffffu

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

static NvmeSmartLog smart(FemuDrive *drive)
{
    NvmeSmartLog log;

    g_assert_cmphex(femu_get_log(drive, NVME_LOG_SMART_INFO, 0, 0, &log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    return log;
}

/* Data units read and written, commands that read and write. */
static void assert_counts(FemuDrive *drive, unsigned units_read,
                          unsigned units_written, unsigned reads,
                          unsigned writes)
{
    NvmeSmartLog log = smart(drive);

    g_assert_cmpuint(le64_to_cpu(log.data_units_read[0]), ==, units_read);
    g_assert_cmpuint(le64_to_cpu(log.data_units_written[0]), ==,
                     units_written);
    g_assert_cmpuint(le64_to_cpu(log.host_read_commands[0]), ==, reads);
    g_assert_cmpuint(le64_to_cpu(log.host_write_commands[0]), ==, writes);
}

static void no_data(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                    uint32_t nlb)
{
    NvmeCmd cmd = femu_cmd_rw(drive, opcode, slba, nlb, 0);

    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
}

/*
 * What counts as data and as a command (NVM command set 1.0, 1.4.2): Verify
 * reads data and is no read command, Write Zeroes is nothing, and a Copy is a
 * command that reads and one that writes, but only what it writes are data.
 * Units are rounded up: each step here fills one, or begins one by a block.
 */
static void test_counts(void)
{
    FemuDrive *drive = boot();
    uint32_t unit_nlb = UNIT_BYTES / drive->config.ssd.lba_bytes;
    g_autofree uint8_t *zeroes = g_malloc0(UNIT_BYTES);
    uint64_t zone_lba = femu_zone_lba(drive, 1), lba;

    g_assert_cmpuint(unit_nlb * drive->config.ssd.lba_bytes, ==, UNIT_BYTES);
    assert_counts(drive, 0, 0, 0, 0);
    g_assert_cmphex(femu_write(drive, 0, unit_nlb, NULL), ==, NVME_SUCCESS);
    assert_counts(drive, 0, 1, 0, 1);
    g_assert_cmphex(femu_append(drive, zone_lba, 1, NULL, &lba), ==,
                    NVME_SUCCESS);
    assert_counts(drive, 0, 2, 0, 2);
    no_data(drive, NVME_CMD_WRITE_ZEROES, zone_lba + 1, unit_nlb);
    assert_counts(drive, 0, 2, 0, 2);
    no_data(drive, NVME_CMD_VERIFY, 0, unit_nlb);
    assert_counts(drive, 1, 2, 0, 2);
    no_data(drive, NVME_CMD_VERIFY, 0, 1);
    assert_counts(drive, 2, 2, 0, 2);
    no_data(drive, NVME_CMD_VERIFY, 0, unit_nlb - 1);
    assert_counts(drive, 2, 2, 0, 2);
    g_assert_cmphex(femu_compare(drive, zone_lba + 1, unit_nlb, zeroes),
                    ==, NVME_SUCCESS);
    assert_counts(drive, 3, 2, 1, 2);
    g_assert_cmphex(femu_read(drive, 0, unit_nlb, NULL), ==, NVME_SUCCESS);
    assert_counts(drive, 4, 2, 2, 2);
    g_assert_cmphex(femu_copy(drive, 0, unit_nlb, femu_zone_lba(drive, 2)),
                    ==, NVME_SUCCESS);
    assert_counts(drive, 4, 3, 3, 3);
    /* refused: nothing */
    g_assert_cmphex(femu_write(drive, 0, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    g_assert_cmphex(femu_copy(drive, 0, 1, 0), ==, NVME_ZONE_INVALID_WRITE);
    assert_counts(drive, 4, 3, 3, 3);
    femu_shutdown(drive);
}

/*
 * Percentage Used: the mean of all blocks' erases, over pe-cycles; above 254 it
 * is 255. A zone has 3 blocks on each of 4 units.
 */
static void check_used(uint32_t pe_cycles, unsigned resets)
{
    FemuConfig config = femu_small_config();
    unsigned zone_blocks = 3 * config.ssd.channels;
    unsigned blocks = config.ssd.zones * zone_blocks;
    FemuDrive *drive;

    config.ssd.pe_cycles = pe_cycles;
    drive = femu_boot(&config, NULL);
    for (unsigned i = 1; i <= resets; i++) {
        unsigned percent = pe_cycles ? 100 * i * zone_blocks /
                                       (blocks * pe_cycles) : 0;

        femu_fill(drive, 0, femu_cap_nlb(&config));
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0,
                                       false), ==, NVME_SUCCESS);
        g_assert_cmpuint(smart(drive).percentage_used, ==,
                         MIN(percent, USED_MAX));
    }
    femu_shutdown(drive);
}

static void test_used(void)
{
    check_used(0, 3);
    check_used(1, 22);          /* 12, 25, ... 250, 262 % */
    check_used(3, 3);           /* 4, 8, 12 % */
}

/* A Compare that differs is an error of a command that took its time. */
static void test_compare_error(void)
{
    FemuDrive *drive = boot();
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);
    NvmeErrorLog log[2];
    uint16_t cid;

    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    g_assert_cmphex(femu_compare(drive, 3, 4, data + 3 * 4096), ==,
                    NVME_SUCCESS);
    cid = drive->io.next_cid;
    g_assert_cmphex(femu_compare(drive, 3, 4, data), ==, NVME_CMP_FAILURE);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, log,
                                 sizeof(log)), ==, NVME_SUCCESS);
    g_assert_cmpuint(le64_to_cpu(log[0].error_count), ==, 1);
    g_assert_cmpuint(le16_to_cpu(log[0].sqid), ==, 1);
    g_assert_cmpuint(le16_to_cpu(log[0].cid), ==, cid);
    g_assert_cmphex(le16_to_cpu(log[0].status_field) >> 1 & 0x7ff, ==,
                    NVME_CMP_FAILURE);
    g_assert_cmphex(le16_to_cpu(log[0].param_error_location), ==, NO_LOCATION);
    g_assert_cmpuint(le64_to_cpu(log[0].lba), ==, 3);
    g_assert_cmpuint(le32_to_cpu(log[0].nsid), ==, FEMU_NSID);
    g_assert_cmpuint(le64_to_cpu(log[1].error_count), ==, 0);
    g_assert_cmpuint(le64_to_cpu(smart(drive).number_of_error_log_entries[0]),
                     ==, 1);
    femu_shutdown(drive);
}

/* The log has as many entries as ELPE says, and keeps the youngest. */
static void test_error_entries(void)
{
    FemuDrive *drive = boot();
    NvmeIdCtrl id;
    g_autofree NvmeErrorLog *log = NULL;
    unsigned entries, errors;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                    NVME_SUCCESS);
    entries = id.elpe + 1;
    errors = entries + 5;
    log = g_new(NvmeErrorLog, entries + 1);
    for (unsigned i = 0; i < errors; i++) {
        g_assert_cmphex(femu_write(drive, 1 + i, 1, NULL), ==,
                        NVME_ZONE_INVALID_WRITE);
    }
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0, 0, log,
                                 (entries + 1) * sizeof(*log)), ==,
                    NVME_SUCCESS);
    for (unsigned i = 0; i < entries; i++) {
        g_assert_cmpuint(le64_to_cpu(log[i].error_count), ==, errors - i);
        g_assert_cmpuint(le64_to_cpu(log[i].lba), ==, errors - i);
    }
    g_assert_cmpuint(le64_to_cpu(log[entries].error_count), ==, 0);
    g_assert_cmphex(femu_get_log(drive, NVME_LOG_ERROR_INFO, 0,
                                 entries * sizeof(*log) + 4, NULL, 4), ==,
                    NVME_INVALID_FIELD);
    femu_shutdown(drive);
}

/* Hours are whole ones. */
static void test_hours(void)
{
    FemuDrive *drive = boot();
    const uint64_t hour_ns = UINT64_C(3600000000000);

    femu_step_to(drive->host, 3 * hour_ns - 1);
    g_assert_cmpuint(le64_to_cpu(smart(drive).power_on_hours[0]), ==, 2);
    femu_step(drive->host, 1);
    g_assert_cmpuint(le64_to_cpu(smart(drive).power_on_hours[0]), ==, 3);
    g_assert_cmpuint(le64_to_cpu(smart(drive).power_on_hours[1]), ==, 0);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/smart/" name, test)
    ADD("counts", test_counts);
    ADD("used", test_used);
    ADD("compare-error", test_compare_error);
    ADD("error-entries", test_error_entries);
    ADD("hours", test_hours);
#undef ADD
    return g_test_run();
}
