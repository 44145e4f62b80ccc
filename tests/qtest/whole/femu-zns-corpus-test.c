/*
 * A corpus of answers: drives of several kinds tell all that they say of
 * themselves (registers, identify pages, logs, features), then meet random
 * guests, and all of it is to the letter what it was when the corpus was
 * written. So a change that is not meant to be seen by a guest is not seen.
 * What is right, the other tests say.
 *
 * Nor is it seen that a drive moves into another QEMU, be it with commands
 * inside: guests that do say the same. Drives with a state go on in other QEMUs
 * after ends and power cuts in the midst of commands: CASE-lasts.
 *
 * tests/data/corpus/device.csv has the SHA-256 of each case's transcript.
 *
 *   FEMU_CORPUS_OUT=dir     write the transcripts as dir/NAME, compare nothing;
 *                           "scripts/restate device" does, and the sums
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-commands.h"
#include "femu-zns-sums.h"
#include "hw/pci/pci_regs.h"

#define COMMANDS 100
#define GUESTS 6            /* of each drive */
#define DATA_BYTES 8192     /* that are looked at */
#define BUF_PAGES 32
#define LBA_ZONES 6         /* that are used */
#define MOVE_ONES 16        /* one of so many is inside during a move */
#define LAST_COMMANDS 12    /* from one QEMU to the next */

typedef struct Kind {
    const char *name;
    const char *set;        /* properties on top of femu_small_config() */
    uint32_t lba_bytes;     /* 0: as there */
    uint32_t namespaces;    /* 0: one */
} Kind;

static const Kind kinds[] = {
    { "plain", "serial=corpus" },
    { "small-blocks", "read-granule=512,max-open=3,max-active=4", 512 },
    { "namespaces", "conventional-size=1M,max-queue-pairs=3", 0, 2 },
    { "zrwa", "zrwa-size=48K,max-zrwa=2,max-active=3,max-open=3" },
    { "extensions", "zd-extension-size=64,excursion-ns=300000000,"
                    "finish-recommended-ns=100000000,"
                    "reset-recommended-ns=200000000" },
    { "shadow", "dbbuf=on,time-dilation=3,zasl=16K,wzsl=64K" },
    { "costs", "fe-report-ns=5003,fe-report-zone-ns=71,fe-identify-ns=901,"
               "fe-log-ns=1103,fe-feature-ns=1301,pe-cycles=10,cmd-slots=3" },
    { "whole", "write-buffer=512K,program-registers=1,reset-lock-ns=900000,"
               "fe-read-ns=2203,fe-write-ns=3373,link-in-ns=495016,"
               "link-out-ns=403868,fixed-read-ns=6091,erase-at=background,"
               "mapping=remap,spare-superblocks=2" },
};

typedef struct Player {
    FemuDrive *drive;
    GRand *rand;
    GString *text;
    char *trace;            /* file that the drive writes */
    uint32_t namespaces;
    bool moves;             /* into other QEMUs, on its way */
    FemuConfig config;
    char *extra;            /* further properties */
    char *state;            /* folder in which the drive lasts, or NULL */
    unsigned ones;          /* commands that were alone */
} Player;

#define SAY(player, ...) g_string_append_printf((player)->text, __VA_ARGS__)

/* One draw a statement, at most: compilers differ in which they do first. */
static uint32_t below(Player *p, uint32_t end)
{
    return g_rand_int_range(p->rand, 0, end);
}

#define ONE_OF(player, ...)                                                 \
    (((const uint32_t[]) { __VA_ARGS__ })[                                  \
        below(player, sizeof((const uint32_t[]) { __VA_ARGS__ }) / 4)])

/* --- What the drive says -------------------------------------------------- */

/* Words that are not 0, or only their sum where they are many. */
static void say_bytes(Player *p, const uint8_t *bytes, size_t count)
{
    unsigned said = 0;

    for (size_t i = 0; i < count && said <= 64; i += 4) {
        if (ldl_le_p(bytes + i)) {
            SAY(p, " %zx:%08x", i, ldl_le_p(bytes + i));
            said++;
        }
    }
    if (said > 64) {
        g_autofree char *sum = g_compute_checksum_for_data(
            G_CHECKSUM_SHA256, bytes, count);

        SAY(p, " ... %s", sum);
    }
    SAY(p, "\n");
}

/*
 * Log page C0h ends with the parameters, of which there may be more one day. A
 * new one is no news while it is off: the cases above say what is on.
 */
static size_t without_parameters(const uint8_t *data, size_t bytes)
{
    const uint8_t *config = memmem(data, bytes, ",\"config\":{", 11);

    return config ? config - data : bytes;
}

static void say_buf(Player *p, size_t bytes)
{
    g_autofree uint8_t *data = g_malloc0(bytes + 4);

    qtest_memread(p->drive->host->qts, p->drive->buf, data, bytes);
    bytes = without_parameters(data, bytes);
    memset(data + bytes, 0, 4);
    say_bytes(p, data, bytes);
}

static void say_cqe(Player *p, const FemuCqe *cqe)
{
    SAY(p, "%" PRIu64 " ns: sq %u head %u cid %u: %x%s %" PRIx64 "\n",
        p->drive->host->now_ns, cqe->sq_id, cqe->sq_head, cqe->cid,
        cqe->status, cqe->dnr ? " dnr" : "", cqe->result);
}

/* An admin command, its answer, and what it left in the buffer. */
static FemuCqe admin(Player *p, const NvmeCmd *cmd, size_t bytes)
{
    FemuDrive *drive = p->drive;
    FemuCqe cqe;

    qtest_memset(drive->host->qts, drive->buf, 0, bytes);
    cqe = femu_exec(&drive->admin, cmd);
    SAY(p, "admin %02x ns %x, %x %x %x: ", cmd->opcode, cmd->nsid,
        cmd->cdw10, cmd->cdw11, cmd->cdw12);
    say_cqe(p, &cqe);
    if (cqe.status == NVME_SUCCESS) {
        say_buf(p, bytes);
    }
    return cqe;
}

static NvmeCmd admin_cmd(const Player *p, uint8_t opcode, uint32_t nsid,
                         uint32_t cdw10, uint32_t cdw11)
{
    return (NvmeCmd) {
        .opcode = opcode, .nsid = nsid, .dptr.prp1 = p->drive->buf,
        .dptr.prp2 = p->drive->buf + FEMU_PAGE_BYTES,
        .cdw10 = cdw10, .cdw11 = cdw11,
    };
}

static void say_registers(Player *p)
{
    for (unsigned i = 0; i < 0x60; i += 4) {
        if (i != NVME_REG_ASQ && i != NVME_REG_ACQ) {
            SAY(p, "register %x: %x\n", i, femu_reg(p->drive, i));
        }
    }
    for (unsigned i = 0; i < 256; i += 4) {
        SAY(p, "pci %x: %x\n", i, qpci_config_readl(p->drive->pci, i));
    }
}

static void say_identify(Player *p)
{
    static const uint32_t nsids[] = { 0, 1, 2, 3, 4, NVME_NSID_BROADCAST };

    for (unsigned cns = 0; cns < 0x20; cns++) {
        for (unsigned csi = 0; csi < 4; csi++) {
            for (unsigned i = 0; i < ARRAY_SIZE(nsids); i++) {
                NvmeCmd cmd = admin_cmd(p, NVME_ADM_CMD_IDENTIFY, nsids[i],
                                        cns, csi << 24);

                admin(p, &cmd, FEMU_PAGE_BYTES);
            }
        }
    }
}

static void say_log(Player *p, uint8_t lid, uint8_t csi, uint32_t nsid,
                    uint64_t offset, uint32_t bytes)
{
    NvmeCmd cmd = admin_cmd(p, NVME_ADM_CMD_GET_LOG_PAGE, nsid,
                            lid | (bytes / 4 - 1) << 16, 0);

    cmd.cdw12 = offset;
    cmd.cdw13 = offset >> 32;
    cmd.cdw14 = (uint32_t)csi << 24;
    admin(p, &cmd, bytes);
}

static void say_logs(Player *p)
{
    for (unsigned lid = 0; lid < 256; lid += lid < 0x14 ? 1 : 13) {
        say_log(p, lid, 0, NVME_NSID_BROADCAST, 0, 512);
        say_log(p, lid, 2, 1, 0, 4096);
        say_log(p, lid, 0, 1, 64, 128);
        say_log(p, lid, 1, 3, 4092, 4);
        say_log(p, lid, 0, 0, 1, 512);
    }
    say_log(p, FEMU_LOG_STATS, 0, NVME_NSID_BROADCAST, 0, 8192);
    say_log(p, 0xbf, 2, 1, 0, 4096);
}

static void say_features(Player *p)
{
    for (unsigned fid = 0; fid < 256; fid += fid < 0x20 ? 1 : 7) {
        for (unsigned select = 0; select < 5 && fid != NVME_TIMESTAMP;
             select++) {
            NvmeCmd cmd = admin_cmd(p, NVME_ADM_CMD_GET_FEATURES, 0,
                                    fid | select << 8, 1);

            admin(p, &cmd, 64);
            cmd.nsid = 1;
            admin(p, &cmd, 64);
        }
    }
}

/* --- A random guest ------------------------------------------------------- */

static uint32_t any_nsid(Player *p)
{
    return below(p, 16) ? 1 + below(p, p->namespaces)
                        : ONE_OF(p, 0, 1, 2, 3, 4, ~0u, ~0u - 1);
}

static uint64_t zone_nlb(const Player *p)
{
    return femu_zone_nlb(&p->drive->config);
}

static uint64_t any_lba(Player *p)
{
    uint64_t lba = below(p, LBA_ZONES) * zone_nlb(p);

    switch (below(p, 8)) {
    case 0:
        return lba + below(p, zone_nlb(p));
    case 1:
        return lba + femu_cap_nlb(&p->drive->config) - below(p, 4);
    case 2:
        return p->drive->config.ssd.zones * zone_nlb(p) - below(p, 3);
    case 3:
        return lba + below(p, 64);
    default:
        return lba;
    }
}

/* Where a zone's write pointer is, as the drive says; mostly what is meant. */
static uint64_t write_lba(Player *p, uint32_t nsid)
{
    FemuDrive *drive = p->drive;
    uint64_t lba = any_lba(p);
    NvmeZoneDescr zone;
    NvmeCmd cmd = femu_cmd_report(drive, lba, 0, true, drive->buf, 128);

    cmd.nsid = nsid;
    if (below(p, 8) == 0 ||
        femu_exec(&drive->io, &cmd).status != NVME_SUCCESS) {
        return lba;
    }
    qtest_memread(drive->host->qts, drive->buf + sizeof(NvmeZoneReportHeader),
                  &zone, sizeof(zone));
    return zone.zs >> 4 == NVME_ZONE_STATE_FULL ? lba : le64_to_cpu(zone.wp);
}

/* One descriptor, of which little is sometimes wrong. */
static void use_sgl(Player *p, NvmeCmd *cmd, uint32_t bytes)
{
    NvmeSglDescriptor one = { .len = bytes };

    one.addr = p->drive->buf + below(p, 3) * 4;
    if (below(p, 8) == 0) {
        one.len += 4 * below(p, 3) - 4;
    }
    if (below(p, 12) == 0) {
        one.type = below(p, 256);
    }
    cmd->flags = 1 << 6;
    memcpy(&cmd->dptr, &one, sizeof(one));
}

static void put_ranges(Player *p, uint8_t opcode, unsigned count)
{
    QTestState *qts = p->drive->host->qts;

    for (unsigned i = 0; i < count; i++) {
        uint64_t lba = any_lba(p);
        uint32_t nlb = below(p, 9);

        if (opcode == NVME_CMD_DSM) {
            qtest_writel(qts, p->drive->buf + 16 * i + 4, nlb);
            qtest_writeq(qts, p->drive->buf + 16 * i + 8, lba);
        } else {
            qtest_memset(qts, p->drive->buf + 32 * i, 0, 32);
            qtest_writeq(qts, p->drive->buf + 32 * i + 8, lba);
            qtest_writew(qts, p->drive->buf + 32 * i + 16, nlb);
        }
    }
}

static void spoil(Player *p, NvmeCmd *cmd)
{
    uint32_t words[sizeof(*cmd) / 4];
    uint32_t number = 2 + below(p, 14);

    memcpy(words, cmd, sizeof(*cmd));
    words[number] ^= ONE_OF(p, 1, 2, 0x100, 0x8000, 0x10000, 0x80000000,
                            0x40000000, 0xffffffff);
    memcpy(cmd, words, sizeof(*cmd));
}

static NvmeCmd any_io(Player *p, uint32_t *bytes)
{
    FemuDrive *drive = p->drive;
    uint32_t nsid = any_nsid(p);
    uint8_t opcode = ONE_OF(p, NVME_CMD_WRITE, NVME_CMD_WRITE, NVME_CMD_WRITE,
                            NVME_CMD_READ, NVME_CMD_READ,
                            NVME_CMD_ZONE_APPEND, NVME_CMD_ZONE_APPEND,
                            NVME_CMD_ZONE_MGMT_SEND, NVME_CMD_ZONE_MGMT_SEND,
                            NVME_CMD_ZONE_MGMT_RECV, NVME_CMD_FLUSH,
                            NVME_CMD_WRITE_ZEROES, NVME_CMD_DSM,
                            NVME_CMD_COPY, NVME_CMD_COMPARE, NVME_CMD_VERIFY,
                            NVME_CMD_WRITE_UNCOR);
    bool is_write = opcode == NVME_CMD_WRITE ||
                    opcode == NVME_CMD_WRITE_ZEROES || opcode == NVME_CMD_COPY;
    uint64_t lba = is_write ? write_lba(p, nsid) : any_lba(p);
    uint32_t nlb = 1 + (below(p, 4) ? below(p, 4) : below(p, 40));
    NvmeCmd cmd = femu_cmd_rw(drive, opcode, lba, nlb, drive->buf);

    *bytes = nlb * drive->config.ssd.lba_bytes;
    cmd.nsid = nsid;
    switch (opcode) {
    case NVME_CMD_ZONE_MGMT_SEND:
        cmd.cdw12 = 0;
        cmd.cdw13 = ONE_OF(p, 1, 2, 3, 3, 4, 4, 4, 5, 0x10, 0x11, 6);
        cmd.cdw13 |= below(p, 10) ? 0 : 1 << 8;
        cmd.cdw13 |= below(p, 5) ? 0 : 1 << 9;
        *bytes = 64;
        break;
    case NVME_CMD_ZONE_MGMT_RECV:
        *bytes = 4 * (1 + below(p, 200));
        cmd.cdw12 = *bytes / 4 - 1;
        cmd.cdw13 = below(p, 3);
        cmd.cdw13 |= below(p, 9) << 8;
        cmd.cdw13 |= below(p, 2) << 16;
        break;
    case NVME_CMD_DSM:
        cmd.cdw10 = below(p, 8);
        cmd.cdw11 = 1 << below(p, 4);
        *bytes = 4096;
        break;
    case NVME_CMD_COPY:
        cmd.cdw12 = below(p, 8);
        cmd.cdw12 |= below(p, 12) ? 0 : 1 << 8;
        *bytes = 4096;
        break;
    case NVME_CMD_WRITE:
        cmd.cdw12 |= below(p, 16) ? 0 : 1u << 30;   /* FUA */
        break;
    }
    if (below(p, 4) == 0) {
        use_sgl(p, &cmd, *bytes);
    }
    if (below(p, 16) == 0) {
        spoil(p, &cmd);
    }
    return cmd;
}

static NvmeCmd any_admin(Player *p)
{
    uint8_t opcode = ONE_OF(p, NVME_ADM_CMD_IDENTIFY,
                            NVME_ADM_CMD_GET_LOG_PAGE,
                            NVME_ADM_CMD_GET_LOG_PAGE,
                            NVME_ADM_CMD_SET_FEATURES,
                            NVME_ADM_CMD_SET_FEATURES,
                            NVME_ADM_CMD_GET_FEATURES, NVME_ADM_CMD_ABORT,
                            NVME_ADM_CMD_CREATE_CQ, NVME_ADM_CMD_CREATE_SQ,
                            NVME_ADM_CMD_DELETE_SQ, NVME_ADM_CMD_DELETE_CQ,
                            NVME_ADM_CMD_NS_ATTACHMENT,
                            NVME_ADM_CMD_FORMAT_NVM, 0x7f);
    NvmeCmd cmd = admin_cmd(p, opcode, any_nsid(p), 0, 0);

    switch (cmd.opcode) {
    case NVME_ADM_CMD_IDENTIFY:
        cmd.cdw10 = below(p, 32);
        cmd.cdw10 |= below(p, 2) << 16;
        cmd.cdw11 = below(p, 3) << 24;
        break;
    case NVME_ADM_CMD_GET_LOG_PAGE:
        cmd.cdw10 = ONE_OF(p, 1, 1, 2, 3, 4, 5, 0x12, 0xbf);
        cmd.cdw10 |= below(p, 2) << 15;
        cmd.cdw10 |= below(p, 200) << 16;
        cmd.cdw12 = below(p, 4) ? 0 : 4 * below(p, 20);
        cmd.cdw14 = below(p, 3) << 24;
        break;
    case NVME_ADM_CMD_SET_FEATURES:
    case NVME_ADM_CMD_GET_FEATURES:
        cmd.cdw10 = ONE_OF(p, 1, 2, 4, 5, 6, 7, 8, 9, 0xa, 0xb, 0x11, 0x16,
                           0x19, 0x82, 0xc0, 0xc1, 0x20);
        cmd.cdw10 |= below(p, 3) ? 0 : below(p, 5) << 8;
        cmd.cdw10 |= below(p, 8) ? 0 : 1u << 31;
        cmd.cdw11 = below(p, 2) ? below(p, 8) : g_rand_int(p->rand);
        break;
    case NVME_ADM_CMD_ABORT:
        cmd.cdw10 = below(p, 3);
        cmd.cdw10 |= below(p, 300) << 16;
        break;
    case NVME_ADM_CMD_CREATE_CQ:
    case NVME_ADM_CMD_CREATE_SQ:
        cmd.cdw10 = below(p, 6);
        cmd.cdw10 |= ONE_OF(p, 0, 1, 7, 63, 2000, 4095) << 16;
        cmd.cdw11 = below(p, 8);
        cmd.cdw11 |= below(p, 4) << 16;
        cmd.dptr.prp1 = femu_alloc(p->drive->host, 4096) +
                        (below(p, 12) ? 0 : 4);
        break;
    case NVME_ADM_CMD_DELETE_SQ:
    case NVME_ADM_CMD_DELETE_CQ:
        cmd.cdw10 = 2 + below(p, 5);
        break;
    case NVME_ADM_CMD_NS_ATTACHMENT:
        qtest_writel(p->drive->host->qts, p->drive->buf, 1 |
                     (below(p, 8) ? 0 : 1 << 16));
        cmd.cdw10 = ONE_OF(p, 0, 0, 0, 1, 2);
        break;
    case NVME_ADM_CMD_FORMAT_NVM:
        cmd.cdw10 = below(p, 6) ? p->drive->config.ssd.lba_bytes == 4096
                                : g_rand_int(p->rand) & 0xffff;
        break;
    }
    return cmd;
}

static void reap(Player *p)
{
    FemuCqe cqe;

    while (femu_reap(&p->drive->io_cq, &cqe) ||
           femu_reap(&p->drive->admin_cq, &cqe)) {
        say_cqe(p, &cqe);
    }
}

/* Nothing may be left in the queues that a command is waited for in. */
static void settle(Player *p)
{
    femu_step(p->drive->host, UINT64_C(30000000000));
    reap(p);
}

static void say_end(Player *p)
{
    say_log(p, NVME_LOG_ERROR_INFO, 0, NVME_NSID_BROADCAST, 0, 4096);
    say_log(p, NVME_LOG_SMART_INFO, 0, NVME_NSID_BROADCAST, 0, 512);
    say_log(p, FEMU_LOG_STATS, 0, NVME_NSID_BROADCAST, 0, 8192);
    for (unsigned nsid = 1; nsid <= 3; nsid++) {
        NvmeCmd cmd;

        p->drive->nsid = nsid;
        cmd = femu_cmd_report(p->drive, 0, 0, false, p->drive->buf, 4096);
        qtest_memset(p->drive->host->qts, p->drive->buf, 0, 4096);
        femu_submit(&p->drive->io, &cmd);
        settle(p);
        say_buf(p, 4096);
    }
    p->drive->nsid = FEMU_NSID;
}

static void fill_buf(Player *p)
{
    uint8_t page[FEMU_PAGE_BYTES];

    for (unsigned i = 0; i < sizeof(page); i++) {
        page[i] = g_rand_int(p->rand);
    }
    for (unsigned i = 0; i < BUF_PAGES; i++) {
        qtest_bufwrite(p->drive->host->qts,
                       p->drive->buf + i * sizeof(page), page, sizeof(page));
    }
}

/* Move into another QEMU, now and then. */
static void move(Player *p, bool now)
{
    if (p->moves && now) {
        femu_host_move(p->drive->host);
    }
}

/* One after another, so that what each leaves in memory can be looked at. */
static void play_one(Player *p)
{
    FemuDrive *drive = p->drive;
    uint32_t bytes;
    FemuCqe cqe;
    NvmeCmd cmd;

    cmd = any_io(p, &bytes);
    fill_buf(p);
    if (cmd.opcode == NVME_CMD_DSM || cmd.opcode == NVME_CMD_COPY) {
        put_ranges(p, cmd.opcode, 8);
    }
    SAY(p, "io %02x flags %x ns %x, %x %x %x %x: ", cmd.opcode, cmd.flags,
        cmd.nsid, cmd.cdw10, cmd.cdw11, cmd.cdw12, cmd.cdw13);
    femu_submit(&drive->io, &cmd);
    move(p, ++p->ones % MOVE_ONES == 0);
    for (unsigned i = 0; i < 4000 && !femu_peek(&drive->io_cq, &cqe); i++) {
        femu_step(drive->host, 200000);
    }
    settle(p);
    say_buf(p, MIN(bytes, DATA_BYTES));
}

static void submit_some(Player *p, unsigned count)
{
    NvmeCmd cmds[12];
    uint32_t bytes;

    for (unsigned i = 0; i < count; i++) {
        cmds[i] = any_io(p, &bytes);    /* may look at a zone */
    }
    for (unsigned i = 0; i < count; i++) {
        femu_place(&p->drive->io, &cmds[i]);
    }
    SAY(p, "%u at once\n", count);
    femu_ring(&p->drive->io);
}

static void play_burst(Player *p)
{
    submit_some(p, 1 + below(p, 12));
    for (unsigned i = 0; i < 5; i++) {
        femu_step(p->drive->host, below(p, 2000000));
        move(p, i == 1);
        reap(p);
    }
    settle(p);
}

static void restart(Player *p)
{
    femu_disable(p->drive);
    femu_enable(p->drive);
    femu_io_queues_create(p->drive);
    qtest_memset(p->drive->host->qts, p->drive->buf, 0, FEMU_PAGE_BYTES);
    qtest_writew(p->drive->host->qts, p->drive->buf, 1);
    for (uint32_t nsid = 1; nsid <= p->namespaces; nsid++) {
        femu_admin(p->drive, NVME_ADM_CMD_NS_ATTACHMENT, nsid,
                   NVME_NS_ATTACHMENT_ATTACH, 0, p->drive->buf);
    }
    SAY(p, "restarted\n");
}

static void qom_set(Player *p, const char *property, const char *value)
{
    QDict *reply = qtest_qmp(p->drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path':"
                             " '/machine/peripheral/zns4',"
                             " 'property': %s, 'value': %s}}", property,
                             value);

    SAY(p, "%s=%s%s\n", property, value,
        qdict_haskey(reply, "error") ? " is refused" : "");
    qobject_unref(reply);
}

/*
 * Commands are inside when a zone fails, perhaps, the power goes, perhaps, and
 * QEMU ends. The drive goes on in the next one.
 */
static void next_qemu(Player *p)
{
    static const char *const how[] = { "read-only", "offline" };

    submit_some(p, below(p, 5));
    femu_step(p->drive->host, below(p, 3000000));
    if (below(p, 3) == 0) {
        unsigned zone = below(p, p->drive->config.ssd.zones);
        g_autofree char *value = g_strdup_printf("%u %s", zone,
                                                 how[below(p, 2)]);

        qom_set(p, "zone-fail", value);
    }
    reap(p);
    if (below(p, 2) == 0) {
        qom_set(p, "power-cut", "7");
    }
    femu_shutdown(p->drive);
    p->drive = femu_boot(&p->config, p->extra);
    SAY(p, "another QEMU\n");
}

static void play(Player *p)
{
    for (unsigned i = 0; i < COMMANDS; i++) {
        NvmeCmd cmd;

        if (p->state && i % LAST_COMMANDS == LAST_COMMANDS - 1) {
            settle(p);
            next_qemu(p);
        }

        switch (below(p, 40)) {
        case 0:
            settle(p);
            restart(p);
            break;
        case 1 ... 2:
            play_burst(p);
            break;
        case 3 ... 12:
            settle(p);
            cmd = any_admin(p);
            admin(p, &cmd, FEMU_PAGE_BYTES);
            break;
        default:
            play_one(p);
        }
    }
    settle(p);
}

/* --- Cases ---------------------------------------------------------------- */

static Player start(const Kind *kind, unsigned seed, char *state)
{
    Player p = {
        .rand = g_rand_new_with_seed(seed),
        .text = g_string_new(NULL),
        .config = femu_small_config(),
        .state = state,
    };
    int file = g_file_open_tmp("femu-zns-corpus-XXXXXX", &p.trace, NULL);

    g_assert_cmpint(file, >=, 0);
    close(file);
    p.extra = g_strdup_printf("trace=%s%s%s,%s", p.trace,
                              state ? ",state=" : "", state ?: "", kind->set);
    p.config.ssd.lba_bytes = kind->lba_bytes ?: p.config.ssd.lba_bytes;
    p.config.ssd.namespaces = kind->namespaces ?: 1;
    p.drive = femu_boot(&p.config, p.extra);
    p.namespaces = p.config.ssd.namespaces +
                   (strstr(kind->set, "conventional") != NULL);
    return p;
}

/* Nor is a P record more. */
static void append_commands(GString *text, const char *trace)
{
    g_auto(GStrv) lines = g_strsplit(trace, "\n", -1);

    for (char **line = lines; *line; line++) {
        if (!g_str_has_prefix(*line, "P,")) {
            g_string_append_printf(text, "%s\n", *line);
        }
    }
}

static void end(Player *p, const char *name)
{
    g_autofree char *trace = NULL;

    femu_shutdown(p->drive);
    g_assert_true(g_file_get_contents(p->trace, &trace, NULL, NULL));
    append_commands(p->text, trace);
    unlink(p->trace);
    femu_sum_compare("device", name, p->text->str);
    g_free(p->trace);
    g_free(p->extra);
    g_rand_free(p->rand);
    g_string_free(p->text, TRUE);
}

static void test_pages(const void *data)
{
    const Kind *kind = data;
    g_autofree char *name = g_strdup_printf("%s-pages", kind->name);
    Player p = start(kind, 0, NULL);

    say_registers(&p);
    say_identify(&p);
    say_logs(&p);
    say_features(&p);
    end(&p, name);
}

static void play_guest(unsigned number, bool moves)
{
    const Kind *kind = &kinds[number / GUESTS];
    g_autofree char *name = g_strdup_printf("%s-guest-%u", kind->name,
                                            number % GUESTS);
    Player p = start(kind, 1 + number, NULL);

    p.moves = moves;
    play(&p);
    say_end(&p);
    end(&p, name);
}

static void test_guest(const void *data)
{
    play_guest(GPOINTER_TO_UINT(data), false);
}

static void test_moves(const void *data)
{
    play_guest(GPOINTER_TO_UINT(data), true);
}

static void test_lasts(const void *data)
{
    static const char *const files[] = { "history", "data", "kept",
                                         "sums" };
    const Kind *kind = data;
    g_autofree char *name = g_strdup_printf("%s-lasts", kind->name);
    g_autofree char *state = g_dir_make_tmp("femu-zns-corpus-XXXXXX", NULL);
    Player p = start(kind, 1000, state);

    play(&p);
    say_end(&p);
    end(&p, name);
    for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
        g_autofree char *path = g_build_filename(state, files[i], NULL);

        g_unlink(path);
    }
    g_assert_cmpint(g_rmdir(state), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        g_autofree char *path = g_strdup_printf("femu-zns/corpus/%s/pages",
                                                kinds[i].name);

        g_autofree char *lasts = g_strdup_printf("femu-zns/corpus/%s/lasts",
                                                 kinds[i].name);

        qtest_add_data_func(path, &kinds[i], test_pages);
        qtest_add_data_func(lasts, &kinds[i], test_lasts);
        for (unsigned k = 0; k < GUESTS; k++) {
            g_autofree char *guest = g_strdup_printf(
                "femu-zns/corpus/%s/guest-%u", kinds[i].name, k);

            qtest_add_data_func(guest, GUINT_TO_POINTER(i * GUESTS + k),
                                test_guest);
        }
        if (!g_getenv("FEMU_CORPUS_OUT")) {
            g_autofree char *moves = g_strdup_printf(
                "femu-zns/corpus/%s/moves", kinds[i].name);

            qtest_add_data_func(moves, GUINT_TO_POINTER(i * GUESTS),
                                test_moves);
        }
    }
    return g_test_run();
}
