/*
 * Zoned I/O commands, their data, zone reports and the statistics log page.
 *
 * Knows nothing of how long anything takes, but for the write of one page.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "qapi/error.h"
#include "qobject/qjson.h"
#include "qobject/qlist.h"
#include "qobject/qnum.h"

#define STATS_BYTES (256 * 1024)

uint64_t femu_zone_lba(const FemuDrive *drive, uint32_t zone_idx)
{
    return zone_idx * femu_zone_nlb(&drive->config);
}

uint32_t femu_page_nlb(const FemuDrive *drive)
{
    return drive->config.ssd.page_bytes / drive->config.ssd.lba_bytes;
}

/* Commands */

NvmeCmd femu_cmd_rw(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                    uint32_t nlb, uint64_t addr)
{
    NvmeCmd cmd = {
        .opcode = opcode,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(slba),
        .cdw11 = cpu_to_le32(slba >> 32),
        .cdw12 = cpu_to_le32(nlb - 1),
    };

    femu_set_prps(drive, &cmd, addr,
                  (size_t)nlb * drive->config.ssd.lba_bytes);
    return cmd;
}

NvmeCmd femu_cmd_flush(void)
{
    return (NvmeCmd) {
        .opcode = NVME_CMD_FLUSH,
        .nsid = cpu_to_le32(FEMU_NSID),
    };
}

NvmeCmd femu_cmd_zone(uint8_t action, uint64_t slba, bool select_all)
{
    return (NvmeCmd) {
        .opcode = NVME_CMD_ZONE_MGMT_SEND,
        .nsid = cpu_to_le32(FEMU_NSID),
        .cdw10 = cpu_to_le32(slba),
        .cdw11 = cpu_to_le32(slba >> 32),
        .cdw13 = cpu_to_le32(action | (uint32_t)select_all << 8),
    };
}

/* ZNS 1.1 section 3.4.2: CDW12 dwords, 0's based; CDW13 action and filter. */
NvmeCmd femu_cmd_report(FemuDrive *drive, uint64_t slba, uint8_t filter,
                        bool partial, uint64_t addr, uint32_t bytes)
{
    NvmeCmd cmd = {
        .opcode = NVME_CMD_ZONE_MGMT_RECV,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(slba),
        .cdw11 = cpu_to_le32(slba >> 32),
        .cdw12 = cpu_to_le32(bytes / 4 - 1),
        .cdw13 = cpu_to_le32(NVME_ZONE_REPORT | (uint32_t)filter << 8 |
                             (uint32_t)partial << 16),
    };

    femu_set_prps(drive, &cmd, addr, bytes);
    return cmd;
}

uint16_t femu_submit_rw(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                        uint32_t nlb)
{
    NvmeCmd cmd = femu_cmd_rw(drive, opcode, slba, nlb, drive->buf);

    return femu_submit(&drive->io, &cmd);
}

uint16_t femu_submit_zone(FemuDrive *drive, uint8_t action, uint64_t slba,
                          bool select_all)
{
    NvmeCmd cmd = femu_cmd_zone(action, slba, select_all);

    cmd.nsid = cpu_to_le32(drive->nsid);
    return femu_submit(&drive->io, &cmd);
}

/* To the end */

static FemuCqe exec_rw(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                       uint32_t nlb, const void *data)
{
    size_t bytes = (size_t)nlb * drive->config.ssd.lba_bytes;
    NvmeCmd cmd;

    g_assert_cmpuint(bytes, <=, FEMU_BUF_BYTES);
    if (data) {
        qtest_bufwrite(drive->host->qts, drive->buf, data, bytes);
    }
    cmd = femu_cmd_rw(drive, opcode, slba, nlb, drive->buf);
    return femu_exec(&drive->io, &cmd);
}

uint16_t femu_write(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                    const void *data)
{
    return exec_rw(drive, NVME_CMD_WRITE, slba, nlb, data).status;
}

uint16_t femu_read(FemuDrive *drive, uint64_t slba, uint32_t nlb, void *data)
{
    FemuCqe cqe = exec_rw(drive, NVME_CMD_READ, slba, nlb, NULL);

    if (data) {
        qtest_bufread(drive->host->qts, drive->buf, data,
                      (size_t)nlb * drive->config.ssd.lba_bytes);
    }
    return cqe.status;
}

uint16_t femu_append(FemuDrive *drive, uint64_t zslba, uint32_t nlb,
                     const void *data, uint64_t *lba)
{
    FemuCqe cqe = exec_rw(drive, NVME_CMD_ZONE_APPEND, zslba, nlb, data);

    *lba = cqe.result;
    return cqe.status;
}

uint16_t femu_zone_send(FemuDrive *drive, uint8_t action, uint64_t slba,
                        bool select_all)
{
    NvmeCmd cmd = femu_cmd_zone(action, slba, select_all);

    cmd.nsid = cpu_to_le32(drive->nsid);
    return femu_exec(&drive->io, &cmd).status;
}

uint16_t femu_copy(FemuDrive *drive, uint64_t from_lba, uint32_t nlb,
                   uint64_t to_lba)
{
    NvmeCmd cmd = {
        .opcode = NVME_CMD_COPY,
        .nsid = cpu_to_le32(drive->nsid),
        .cdw10 = cpu_to_le32(to_lba),
        .cdw11 = cpu_to_le32(to_lba >> 32),
    };
    NvmeCopySourceRangeFormat0_2 range = {
        .slba = cpu_to_le64(from_lba),
        .nlb = cpu_to_le16(nlb - 1),
    };

    qtest_bufwrite(drive->host->qts, drive->buf, &range, sizeof(range));
    femu_set_prps(drive, &cmd, drive->buf, sizeof(range));
    return femu_exec(&drive->io, &cmd).status;
}

uint16_t femu_compare(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                      const void *data)
{
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_COMPARE, slba, nlb, drive->buf);

    qtest_bufwrite(drive->host->qts, drive->buf, data,
                   (size_t)nlb * drive->config.ssd.lba_bytes);
    return femu_exec(&drive->io, &cmd).status;
}

void femu_fill(FemuDrive *drive, uint32_t zone_idx, uint64_t nlb)
{
    uint64_t lba = femu_zone_lba(drive, zone_idx), end_lba = lba + nlb;
    uint64_t max_nlb = drive->config.ssd.mdts_bytes /
                       drive->config.ssd.lba_bytes;

    while (lba < end_lba) {
        uint32_t now_nlb = MIN(end_lba - lba, max_nlb);

        g_assert_cmphex(femu_write(drive, lba, now_nlb, NULL), ==,
                        NVME_SUCCESS);
        lba += now_nlb;
    }
}

uint64_t femu_page_write_ns(const FemuDrive *drive)
{
    return drive->config.ssd.page_transfer_ns + drive->config.ssd.program_ns;
}

void femu_assert_works(FemuDrive *drive, uint32_t zone_idx)
{
    uint32_t dilation = drive->config.time_dilation;
    uint64_t core_start_ns = drive->host->now_ns / dilation;
    uint16_t cid = femu_submit_rw(drive, NVME_CMD_WRITE,
                                  femu_zone_lba(drive, zone_idx),
                                  femu_page_nlb(drive));

    femu_expect_ok(&drive->io_cq,
                   (core_start_ns + femu_page_write_ns(drive)) * dilation, 1,
                   cid);
}

/* Data */

uint8_t *femu_pattern(const FemuDrive *drive, uint64_t slba, uint32_t nlb,
                      unsigned seed)
{
    size_t words = (size_t)nlb * drive->config.ssd.lba_bytes / 8;
    uint64_t first = slba * drive->config.ssd.lba_bytes / 8;
    uint64_t *data = g_new(uint64_t, words);

    for (size_t i = 0; i < words; i++) {
        data[i] = (first + i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ seed;
    }
    return (uint8_t *)data;
}

void femu_assert_data(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                      const void *data)
{
    size_t bytes = (size_t)nlb * drive->config.ssd.lba_bytes;
    g_autofree uint8_t *found = g_malloc(bytes);
    g_autofree uint8_t *zeroes = g_malloc0(bytes);

    /* a read that leaves the buffer alone must not pass */
    qtest_memset(drive->host->qts, drive->buf, 0xa5, bytes);
    g_assert_cmphex(femu_read(drive, slba, nlb, found), ==, NVME_SUCCESS);
    g_assert_true(memcmp(found, data ?: zeroes, bytes) == 0);
}

/* Zones */

NvmeZoneDescr femu_zone(FemuDrive *drive, uint32_t zone_idx)
{
    struct {
        NvmeZoneReportHeader header;
        NvmeZoneDescr zone;
    } report;
    NvmeCmd cmd = femu_cmd_report(drive, femu_zone_lba(drive, zone_idx),
                                  NVME_ZONE_REPORT_ALL, true, drive->buf,
                                  sizeof(report));

    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    qtest_bufread(drive->host->qts, drive->buf, &report, sizeof(report));
    g_assert_cmpuint(le64_to_cpu(report.header.nr_zones), ==, 1);
    return report.zone;
}

void femu_assert_zone(FemuDrive *drive, uint32_t zone_idx, unsigned state,
                      uint64_t wp_offset_nlb)
{
    NvmeZoneDescr zone = femu_zone(drive, zone_idx);
    uint64_t start_lba = femu_zone_lba(drive, zone_idx);

    g_assert_cmpuint(le64_to_cpu(zone.zslba), ==, start_lba);
    g_assert_cmphex(zone.zs >> 4, ==, state);
    if (state != NVME_ZONE_STATE_FULL) {
        g_assert_cmpuint(le64_to_cpu(zone.wp) - start_lba, ==, wp_offset_nlb);
    }
}

/* Statistics */

QDict *femu_stats(FemuDrive *drive)
{
    g_autofree char *text = g_malloc(STATS_BYTES + 1);
    QObject *object;

    g_assert_cmphex(femu_get_log(drive, FEMU_LOG_STATS, 0, 0, text,
                                 STATS_BYTES), ==, NVME_SUCCESS);
    text[STATS_BYTES] = 0;
    g_assert_cmpuint(strlen(text), <, STATS_BYTES);
    object = qobject_from_json(text, &error_abort);
    return qobject_to(QDict, object);
}

QDict *femu_property(FemuDrive *drive, const char *name)
{
    QDict *reply = qtest_qmp(drive->host->qts, "{'execute': 'qom-get',"
        "'arguments': {'path': '/machine/peripheral/zns4',"
        "'property': %s}}", name);
    QDict *found = qobject_to(QDict, qobject_from_json(
        qdict_get_str(reply, "return"), &error_abort));

    qobject_unref(reply);
    return found;
}

uint64_t femu_thread_count(FemuDrive *drive, const char *name)
{
    QDict *stats = femu_property(drive, "stats");
    uint64_t value = qdict_get_int(qdict_get_qdict(stats, "thread"), name);

    qobject_unref(stats);
    return value;
}

void femu_await_thread(FemuDrive *drive)
{
    while (!femu_thread_count(drive, "entries")) {
        g_usleep(50);
    }
}

static QObject *find_stat(QDict *stats, const char *path)
{
    g_auto(GStrv) steps = g_strsplit(path, "/", -1);
    QObject *object = QOBJECT(stats);

    for (char **step = steps; *step && object; step++) {
        QDict *dict = qobject_to(QDict, object);
        QList *list = qobject_to(QList, object);

        object = NULL;
        if (dict) {
            object = qdict_get(dict, *step);
        } else if (list) {
            const QListEntry *entry = qlist_first(list);

            for (int i = atoi(*step); i > 0 && entry; i--) {
                entry = qlist_next(entry);
            }
            object = entry ? qlist_entry_obj(entry) : NULL;
        }
    }
    return object;
}

bool femu_has_stat(QDict *stats, const char *path)
{
    return find_stat(stats, path) != NULL;
}

uint64_t femu_stat(QDict *stats, const char *path)
{
    QNum *number = qobject_to(QNum, find_stat(stats, path));

    if (!number) {
        g_error("no number \"%s\" in the statistics", path);
    }
    return qnum_get_uint(number);
}
