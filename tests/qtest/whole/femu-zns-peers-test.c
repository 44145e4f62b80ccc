/*
 * Bugs that other ZNS emulators have or had and that no other qtest is about.
 * docs/peers.md lists all of them with their tests.
 *
 * Knows nothing of how long anything takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qobject/qdict.h"
#include "qobject/qjson.h"
#include "qobject/qlist.h"
#include "femu-zns-commands.h"

#define UNREACHABLE (UINT64_C(1) << 52)
#define ZRWAA (1u << 9)                 /* CDW13 of Zone Management Send */

/* The write pointer that a user sees by QOM, as an offset in the zone. */
static uint64_t wp_by_qom(FemuDrive *drive, uint32_t zone_idx)
{
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-get',"
                             "'arguments': {'path': '/machine/peripheral/zns4',"
                             "'property': 'zone-states'}}");
    QObject *zones = qobject_from_json(qdict_get_str(reply, "return"),
                                       &error_abort);
    const QListEntry *entry = qlist_first(qobject_to(QList, zones));
    uint64_t wp;

    for (uint32_t i = 0; i < zone_idx; i++) {
        entry = qlist_next(entry);
    }
    wp = qdict_get_int(qobject_to(QDict, qlist_entry_obj(entry)), "wp_lba");
    qobject_unref(zones);
    qobject_unref(reply);
    return wp - femu_zone_lba(drive, zone_idx);
}

/* Report, QOM, the place of an append and that of a write: all the same. */
static void assert_one_wp(FemuDrive *drive, uint32_t zone_idx, uint64_t *wp)
{
    uint64_t zslba = femu_zone_lba(drive, zone_idx), lba;

    g_assert_cmpuint(le64_to_cpu(femu_zone(drive, zone_idx).wp) - zslba, ==,
                     *wp);
    g_assert_cmpuint(wp_by_qom(drive, zone_idx), ==, *wp);
    g_assert_cmphex(femu_append(drive, zslba, 1, NULL, &lba), ==,
                    NVME_SUCCESS);
    g_assert_cmpuint(lba - zslba, ==, (*wp)++);
    g_assert_cmphex(femu_write(drive, zslba + *wp, 1, NULL), ==,
                    NVME_SUCCESS);
    (*wp)++;
}

/* A write pointer for checks and one for reports came apart by failures. */
static void test_two_write_pointers(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t zslba = femu_zone_lba(drive, 3), wp = 0, lba;
    uint64_t cap_nlb = femu_cap_nlb(&config);
    static const uint8_t opcodes[] = { NVME_CMD_WRITE, NVME_CMD_ZONE_APPEND };

    assert_one_wp(drive, 3, &wp);
    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        bool append = opcodes[i] == NVME_CMD_ZONE_APPEND;
        NvmeCmd cmd = femu_cmd_rw(drive, opcodes[i],
                                  append ? zslba : zslba + wp, 1, UNREACHABLE);

        g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==,
                        NVME_DATA_TRAS_ERROR);
        assert_one_wp(drive, 3, &wp);
    }
    g_assert_cmphex(femu_write(drive, zslba + wp + 1, 1, NULL), ==,
                    NVME_ZONE_INVALID_WRITE);
    assert_one_wp(drive, 3, &wp);
    while (cap_nlb - wp > 8) {
        assert_one_wp(drive, 3, &wp);
    }
    g_assert_cmphex(femu_write(drive, zslba + wp, 9, NULL), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    g_assert_cmphex(femu_append(drive, zslba, 9, NULL, &lba), ==,
                    NVME_ZONE_BOUNDARY_ERROR);
    assert_one_wp(drive, 3, &wp);
    femu_shutdown(drive);
}

/* The first 32 zones were conventional, which Linux rejects. */
static void test_conventional_zones(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;

    config.ssd.zones = 40;
    drive = femu_boot(&config, NULL);
    for (unsigned i = 0; i < config.ssd.zones; i++) {
        NvmeZoneDescr zone = femu_zone(drive, i);

        g_assert_cmphex(zone.zt, ==, NVME_ZONE_TYPE_SEQ_WRITE);
        g_assert_cmphex(zone.zs >> 4, ==, NVME_ZONE_STATE_EMPTY);
        g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, i) + 1, 1,
                                   NULL), ==, NVME_ZONE_INVALID_WRITE);
    }
    femu_shutdown(drive);
}

static uint16_t write_zeroes(FemuDrive *drive, uint64_t lba, uint16_t nlb)
{
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE_ZEROES, lba, nlb,
                              drive->buf);

    return femu_exec(&drive->io, &cmd).status;
}

static uint16_t copy_from_0(FemuDrive *drive, uint64_t lba, uint16_t nlb)
{
    NvmeCopySourceRangeFormat0_2 range = { .nlb = cpu_to_le16(nlb - 1) };
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_COPY, lba, 1, drive->buf);

    qtest_bufwrite(drive->host->qts, drive->buf, &range, sizeof(range));
    return femu_exec(&drive->io, &cmd).status;
}

static uint16_t deallocate(FemuDrive *drive, uint64_t lba, uint32_t nlb)
{
    NvmeDsmRange range = {
        .slba = cpu_to_le64(lba),
        .nlb = cpu_to_le32(nlb),
    };
    NvmeCmd cmd = {
        .opcode = NVME_CMD_DSM,
        .nsid = cpu_to_le32(FEMU_NSID),
        .dptr.prp1 = cpu_to_le64(drive->buf),
        .cdw11 = cpu_to_le32(NVME_DSMGMT_AD),
    };

    qtest_bufwrite(drive->host->qts, drive->buf, &range, sizeof(range));
    return femu_exec(&drive->io, &cmd).status;
}

/* Commands that write other than by Write went past zones' rules. */
static void test_zone_rules_bypassed(void)
{
    static uint16_t (*const write[])(FemuDrive *, uint64_t, uint16_t) = {
        write_zeroes, copy_from_0,
    };
    FemuConfig config = femu_small_config();
    FemuDrive *drive = femu_boot(&config, NULL);
    uint64_t cap_nlb = femu_cap_nlb(&config);
    g_autofree uint8_t *data = femu_pattern(drive, 0, 8, 1);

    g_assert_cmphex(femu_write(drive, 0, 8, data), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < ARRAY_SIZE(write); i++) {
        uint64_t zslba = femu_zone_lba(drive, 1 + i);

        g_assert_cmphex(write[i](drive, zslba + 1, 1), ==,
                        NVME_ZONE_INVALID_WRITE);
        femu_assert_zone(drive, 1 + i, NVME_ZONE_STATE_EMPTY, 0);
        g_assert_cmphex(write[i](drive, zslba, 3), ==, NVME_SUCCESS);
        femu_assert_zone(drive, 1 + i, NVME_ZONE_STATE_IMPLICITLY_OPEN, 3);
        g_assert_cmphex(write[i](drive, zslba, 3), ==,
                        NVME_ZONE_INVALID_WRITE);
    }
    femu_fill(drive, 3, cap_nlb - 1);
    for (unsigned i = 0; i < ARRAY_SIZE(write); i++) {
        g_assert_cmphex(write[i](drive, femu_zone_lba(drive, 3) + cap_nlb - 1,
                                 2), ==, NVME_ZONE_BOUNDARY_ERROR);
    }
    g_assert_cmphex(femu_write(drive, femu_zone_lba(drive, 3) + cap_nlb - 1, 1,
                               NULL), ==, NVME_SUCCESS);
    for (unsigned i = 0; i < ARRAY_SIZE(write); i++) {
        g_assert_cmphex(write[i](drive, femu_zone_lba(drive, 3) + cap_nlb - 1,
                                 1), ==, NVME_ZONE_FULL);
    }
    /* the fifth active zone, of four */
    femu_fill(drive, 4, 1);
    for (unsigned i = 0; i < ARRAY_SIZE(write); i++) {
        g_assert_cmphex(write[i](drive, femu_zone_lba(drive, 5), 1), ==,
                        NVME_ZONE_TOO_MANY_ACTIVE);
    }
    g_assert_cmphex(deallocate(drive, 0, 8), ==, NVME_SUCCESS);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 8);
    femu_assert_data(drive, 0, 8, data);
    femu_shutdown(drive);
}

static uint16_t open_zrwa(FemuDrive *drive, uint32_t zone_idx)
{
    NvmeCmd cmd = femu_cmd_zone(NVME_ZONE_ACTION_OPEN,
                                femu_zone_lba(drive, zone_idx), false);

    cmd.cdw13 |= cpu_to_le32(ZRWAA);
    return femu_exec(&drive->io, &cmd).status;
}

/*
 * A zone with a random write area kept its open and active resource, or its
 * area, when it became full. More often than there are of any of them, by each
 * way to the end of a zone.
 */
static void test_zrwa_leaks_slots(void)
{
    FemuConfig config = femu_small_config();
    uint64_t cap_nlb = femu_cap_nlb(&config);
    uint32_t page_nlb;
    FemuDrive *drive;

    config.ssd.zrwa_bytes = 2 * config.ssd.page_bytes;
    config.ssd.max_zrwa = 2;
    drive = femu_boot(&config, NULL);
    page_nlb = femu_page_nlb(drive);
    for (unsigned i = 0; i < 6; i++) {
        uint64_t zslba = femu_zone_lba(drive, 0);
        unsigned way = i % 3;

        g_assert_cmphex(open_zrwa(drive, 0), ==, NVME_SUCCESS);
        if (way == 0) {
            for (uint64_t lba = 0; lba < cap_nlb; lba += page_nlb) {
                g_assert_cmphex(femu_write(drive, zslba + lba, page_nlb, NULL),
                                ==, NVME_SUCCESS);
            }
            g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH,
                                           zslba, false), ==, NVME_SUCCESS);
        } else if (way == 1) {
            femu_fill(drive, 0, 1);
            g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_FINISH,
                                           zslba, false), ==, NVME_SUCCESS);
        } else {
            femu_fill(drive, 0, 5);
        }
        if (way < 2) {
            g_assert_cmphex(femu_zone(drive, 0).zs >> 4, ==,
                            NVME_ZONE_STATE_FULL);
        }
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, zslba,
                                       false), ==, NVME_SUCCESS);
    }
    /* all of each kind are there, and no more */
    g_assert_cmphex(open_zrwa(drive, 1), ==, NVME_SUCCESS);
    g_assert_cmphex(open_zrwa(drive, 2), ==, NVME_SUCCESS);
    g_assert_cmphex(open_zrwa(drive, 3), ==, NVME_NOZRWA);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   femu_zone_lba(drive, 3), false), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_OPEN,
                                   femu_zone_lba(drive, 4), false), ==,
                    NVME_ZONE_TOO_MANY_OPEN);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/peers/" name, test)
    ADD("two-write-pointers", test_two_write_pointers);
    ADD("conventional-zones", test_conventional_zones);
    ADD("zone-rules-bypassed", test_zone_rules_bypassed);
    ADD("zrwa-leaks-slots", test_zrwa_leaks_slots);
#undef ADD
    return g_test_run();
}
