/*
 * The oracle's two drives as one: started with equal geometry, given the same
 * commands, run to the end, their data and zone reports read back.
 *
 * Knows nothing of what answers should be.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include <glib/gstdio.h>
#include "femu-zns-oracle.h"

#define QEMU_SLOT 5u
#define SCRATCH_BYTES (3 * FEMU_PAGE_BYTES)
/* A page of them that starts anywhere in the first page. */
#define RANGES_BYTES (2 * FEMU_PAGE_BYTES)
#define GUARD_BYTES 64u                 /* looked at beyond a buffer's pages */
#define FILLER 0xa5                     /* in a sink before it is filled */
#define QUEUE_ID 1u
#define CONVENTIONAL_BYTES SSD_MIB      /* of a namespace that is just there */

/* Completions that a queue holds before its head doorbell is rung. */
#define TAKEN_MAX (FEMU_ENTRIES / 2)

/* Longer than any one step of any sequence takes our drive. */
#define LONG_NS UINT64_C(60000000000)

/* Real time after which QEMU's drive is taken to hang. */
#define HANG_US (30 * G_USEC_PER_SEC)

uint64_t oracle_zone_nlb(const Oracle *oracle)
{
    return oracle->config->zone_size_bytes / oracle->config->lba_bytes;
}

uint64_t oracle_cap_nlb(const Oracle *oracle)
{
    return oracle->config->zone_capacity_bytes / oracle->config->lba_bytes;
}

uint64_t oracle_ns_nlb(const Oracle *oracle)
{
    return oracle->config->zones * oracle_zone_nlb(oracle);
}

/* Namespaces */

uint32_t oracle_namespaces(const OracleConfig *config)
{
    return MAX(config->namespaces, 1);
}

void oracle_select(Oracle *oracle, uint32_t nsid)
{
    oracle->nsid = nsid;
    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        oracle->drive[side]->nsid = nsid;
    }
}

OracleNs *oracle_ns(Oracle *oracle)
{
    return &oracle->ns[oracle->nsid - 1];
}

bool oracle_others_changed(Oracle *oracle)
{
    uint32_t selected = oracle->nsid;
    bool changed = false;

    for (uint32_t nsid = 1; nsid <= oracle_namespaces(oracle->config);
         nsid++) {
        OracleZones zones;

        if (nsid != selected) {
            oracle_select(oracle, nsid);
            oracle_report(oracle, ORACLE_OURS, &zones);
            changed |= memcmp(&zones, &oracle_ns(oracle)->zones,
                              sizeof(zones)) != 0;
        }
    }
    oracle_select(oracle, selected);
    return changed;
}

/* Starting */

static FemuConfig our_config(const OracleConfig *config)
{
    FemuConfig ours = femu_small_config();

    ours.ssd.zones = config->zones * oracle_namespaces(config);
    ours.ssd.namespaces = oracle_namespaces(config);
    ours.ssd.zone_ext_bytes = config->ext_bytes;
    ours.ssd.reset_recommended_ns = config->recommends;
    if (oracle_namespaces(config) > 1) {
        ours.ssd.conventional_bytes = CONVENTIONAL_BYTES;
    }
    ours.ssd.zone_size_bytes = config->zone_size_bytes;
    ours.ssd.zone_capacity_bytes = config->zone_capacity_bytes;
    ours.ssd.lba_bytes = config->lba_bytes;
    ours.ssd.page_bytes = config->page_bytes;
    ours.ssd.max_open = config->max_open;
    ours.ssd.max_active = config->max_active;
    ours.ssd.mdts_bytes = config->mdts_bytes;
    ours.ssd.zasl_bytes = config->zasl_bytes;
    ours.ssd.wzsl_bytes = config->wzsl_bytes;
    ours.ssd.zrwa_bytes = config->zrwa_bytes;
    ours.ssd.zrwa_granule_bytes = config->zrwa_granule_bytes;
    ours.ssd.max_zrwa = config->max_zrwa;
    return ours;
}

/* MDTS and ZASL are powers of two, in pages (Identify Controller: MDTS). */
static unsigned log2_pages(uint64_t bytes)
{
    return bytes ? ctz64(bytes / FEMU_PAGE_BYTES) : 0;
}

/*
 * Dataset Management is a hint that our drive does not take: so QEMU's must not
 * take it either, or deallocated blocks would hold other data.
 */
static char *qemu_ns_args(const OracleConfig *config, uint32_t nsid,
                          const char *path)
{
    unsigned max_nlb = config->mdts_bytes / config->lba_bytes;
    g_autofree char *zrwa = g_strdup_printf(
        ",zoned.zrwas=%" PRIu64 ",zoned.zrwafg=%" PRIu64 ",zoned.numzrwa=%u",
        config->zrwa_bytes, config->zrwa_granule_bytes, config->max_zrwa);

    return g_strdup_printf(
        " -blockdev driver=file,node-name=oracle%u,filename=%s,"
        "cache.no-flush=on,discard=ignore "
        "-device nvme-ns,bus=oracle,drive=oracle%u,nsid=%u,zoned=on,"
        "logical_block_size=%u,physical_block_size=%u,"
        "zoned.zone_size=%" PRIu64 ",zoned.zone_capacity=%" PRIu64 ","
        "zoned.max_open=%u,zoned.max_active=%u,mssrl=%u,mcl=%u,msrc=%u,"
        "zoned.descr_ext_size=%u%s",
        nsid, path, nsid, nsid, config->lba_bytes, config->lba_bytes,
        config->zone_size_bytes, config->zone_capacity_bytes,
        config->max_open, config->max_active, max_nlb, max_nlb,
        ORACLE_RANGES_MAX - 1, config->ext_bytes,
        config->zrwa_bytes ? zrwa : "");
}

/* A sparse file for the data of QEMU's drive. Caller frees and unlinks. */
static char *data_file(const OracleConfig *config)
{
    char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-oracle-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(ftruncate(fd, config->zones * config->zone_size_bytes),
                    ==, 0);
    close(fd);
    return path;
}

static void start_host(Oracle *oracle)
{
    const OracleConfig *config = oracle->config;
    FemuConfig ours = our_config(config);
    g_autofree char *our_args = femu_device_args(&ours, FEMU_SLOT,
                                                 config->features);
    g_autoptr(GString) args = g_string_new(our_args);
    char *path[ORACLE_NAMESPACES_MAX];

    g_string_append_printf(args, " -device nvme,id=oracle,addr=%02x.0,"
                           "serial=oracle,mdts=%u,zoned.zasl=%u", QEMU_SLOT,
                           log2_pages(config->mdts_bytes),
                           log2_pages(config->zasl_bytes));
    for (uint32_t i = 0; i < oracle_namespaces(config); i++) {
        g_autofree char *their_args = NULL;

        path[i] = data_file(config);
        their_args = qemu_ns_args(config, i + 1, path[i]);
        g_string_append(args, their_args);
    }
    oracle->host = femu_host_start(args->str);
    for (uint32_t i = 0; i < oracle_namespaces(config); i++) {
        g_unlink(path[i]);              /* QEMU has it open */
        g_free(path[i]);
    }
    oracle->drive[ORACLE_OURS] = femu_drive_open(oracle->host, FEMU_SLOT,
                                                 &ours);
    oracle->drive[ORACLE_QEMU] = femu_drive_open(oracle->host, QEMU_SLOT,
                                                 &ours);
}

/* Queues */

/*
 * Wait for a completion. Ours comes when the clock gets there; QEMU's when its
 * threads and bottom halves have run, which takes real time only.
 */
static FemuCqe wait_cqe(Oracle *oracle, unsigned side, FemuCq *cq)
{
    gint64 start_us = g_get_monotonic_time();
    FemuCqe cqe;

    if (femu_take(cq, &cqe)) {
        return cqe;
    }
    if (side == ORACLE_OURS) {
        femu_step(oracle->host, LONG_NS);
        g_assert_true(femu_take(cq, &cqe));
        return cqe;
    }
    while (!femu_take(cq, &cqe)) {
        g_assert_cmpint(g_get_monotonic_time() - start_us, <, HANG_US);
    }
    return cqe;
}

/* femu_exec() steps the clock, which would not help QEMU's drive. */
static FemuCqe admin_exec(Oracle *oracle, unsigned side, const NvmeCmd *cmd)
{
    FemuSq *sq = &oracle->drive[side]->admin;
    FemuCqe cqe;

    femu_submit(sq, cmd);
    cqe = wait_cqe(oracle, side, sq->cq);
    femu_ring_cq(sq->cq);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
    return cqe;
}

/* CDW10 and CDW11 of NVMe base 2.0, 5.4 and 5.5. */
static void create_queue(Oracle *oracle, unsigned side, uint8_t opcode,
                         uint64_t addr, uint32_t cdw11)
{
    NvmeCmd cmd = {
        .opcode = opcode,
        .dptr.prp1 = cpu_to_le64(addr),
        .cdw10 = cpu_to_le32((FEMU_ENTRIES - 1) << 16 | QUEUE_ID),
        .cdw11 = cpu_to_le32(cdw11),
    };

    admin_exec(oracle, side, &cmd);
}

static void create_queues(Oracle *oracle, unsigned side)
{
    FemuDrive *drive = oracle->drive[side];

    drive->io_cq = (FemuCq) {
        .drive = drive, .id = QUEUE_ID, .entries = FEMU_ENTRIES,
        .addr = femu_alloc(oracle->host, FEMU_ENTRIES * sizeof(NvmeCqe)),
        .phase = true,
    };
    drive->io = (FemuSq) {
        .drive = drive, .id = QUEUE_ID, .entries = FEMU_ENTRIES,
        .addr = femu_alloc(oracle->host, FEMU_ENTRIES * sizeof(NvmeCmd)),
        .cq = &drive->io_cq,
    };
    create_queue(oracle, side, NVME_ADM_CMD_CREATE_CQ, drive->io_cq.addr,
                 NVME_CQ_PC);
    create_queue(oracle, side, NVME_ADM_CMD_CREATE_SQ, drive->io.addr,
                 QUEUE_ID << 16 | NVME_SQ_PC);
}

/* What the drives say of themselves */

static void identify(Oracle *oracle, unsigned side, uint8_t cns, uint8_t csi,
                     uint32_t nsid, void *data)
{
    FemuDrive *drive = oracle->drive[side];
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .nsid = cpu_to_le32(nsid),
        .dptr.prp1 = cpu_to_le64(drive->buf),
        .cdw10 = cpu_to_le32(cns),
        .cdw11 = cpu_to_le32((uint32_t)csi << 24),
    };

    admin_exec(oracle, side, &cmd);
    qtest_bufread(oracle->host->qts, drive->buf, data,
                  NVME_IDENTIFY_DATA_SIZE);
}

/* Commands Supported and Effects of the zoned command set */
static void read_effects(Oracle *oracle, unsigned side)
{
    FemuDrive *drive = oracle->drive[side];
    NvmeEffectsLog log;
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_GET_LOG_PAGE,
        .nsid = cpu_to_le32(NVME_NSID_BROADCAST),
        .dptr.prp1 = cpu_to_le64(drive->buf),
        .cdw10 = cpu_to_le32((sizeof(log) / 4 - 1) << 16 |
                             NVME_LOG_CMD_EFFECTS),
        .cdw14 = cpu_to_le32((uint32_t)NVME_CSI_ZONED << 24),
    };

    admin_exec(oracle, side, &cmd);
    qtest_bufread(oracle->host->qts, drive->buf, &log, sizeof(log));
    for (unsigned i = 0; i < 256; i++) {
        oracle->effects[side][i] = le32_to_cpu(log.iocs[i]);
    }
}

/* Both drives must be what the configuration says, or nothing compares. */
static void check_geometry(Oracle *oracle, unsigned side)
{
    const OracleConfig *config = oracle->config;
    NvmeIdCtrl ctrl;
    NvmeIdCtrlZoned zctrl;
    NvmeIdNs ns;
    NvmeIdNsZoned zns;
    unsigned format;

    identify(oracle, side, NVME_ID_CNS_CTRL, 0, 0, &ctrl);
    identify(oracle, side, NVME_ID_CNS_CS_CTRL, NVME_CSI_ZONED, 0, &zctrl);
    identify(oracle, side, NVME_ID_CNS_NS, 0, oracle->nsid, &ns);
    identify(oracle, side, NVME_ID_CNS_CS_NS, NVME_CSI_ZONED, oracle->nsid,
             &zns);
    format = NVME_ID_NS_FLBAS_INDEX(ns.flbas);
    g_assert_cmpuint(ctrl.mdts, ==, log2_pages(config->mdts_bytes));
    g_assert_cmpuint(zctrl.zasl ?: ctrl.mdts, ==,
                     log2_pages(config->zasl_bytes ?: config->mdts_bytes));
    g_assert_cmpuint(le64_to_cpu(ns.nsze), ==, oracle_ns_nlb(oracle));
    g_assert_cmpuint(1u << ns.lbaf[format].ds, ==, config->lba_bytes);
    g_assert_cmpuint(le64_to_cpu(zns.lbafe[format].zsze), ==,
                     oracle_zone_nlb(oracle));
    g_assert_cmpuint(le16_to_cpu(ns.mssrl), ==,
                     config->mdts_bytes / config->lba_bytes);
    g_assert_cmpuint(le32_to_cpu(ns.mcl), ==, le16_to_cpu(ns.mssrl));
    g_assert_cmpuint(ns.msrc, ==, ORACLE_RANGES_MAX - 1);
    g_assert_cmphex(le32_to_cpu(zns.mor), ==, config->max_open - 1);
    g_assert_cmphex(le32_to_cpu(zns.mar), ==, config->max_active - 1);
    g_assert_cmphex(le16_to_cpu(zns.ozcs), ==, config->zrwa_bytes ?
                    NVME_ID_NS_ZONED_OZCS_ZRWASUP : 0);
    g_assert_cmpuint(le16_to_cpu(zns.zrwas), ==,
                     config->zrwa_bytes / config->lba_bytes);
    g_assert_cmpuint(le16_to_cpu(zns.zrwafg), ==,
                     config->zrwa_granule_bytes / config->lba_bytes);
    oracle->nn[side] = le32_to_cpu(ctrl.nn);
}

/* Memory */

static void fill_pool(Oracle *oracle)
{
    g_autofree uint32_t *data = g_new(uint32_t, ORACLE_POOL_BYTES / 4);

    for (uint32_t i = 0; i < ORACLE_POOL_BYTES / 4; i++) {
        data[i] = g_rand_int(oracle->rand);
    }
    oracle->pool = femu_alloc(oracle->host, ORACLE_POOL_BYTES);
    oracle->pool_list = oracle_list_create(oracle->host, oracle->pool,
                                           ORACLE_POOL_BYTES);
    qtest_bufwrite(oracle->host->qts, oracle->pool, data, ORACLE_POOL_BYTES);
}

/* Data start anywhere in a sink's first page. */
static uint32_t sink_bytes(const Oracle *oracle)
{
    return oracle->config->mdts_bytes + 2 * FEMU_PAGE_BYTES;
}

static void create_slot(Oracle *oracle, OracleSlot *slot)
{
    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        slot->sink[side] = femu_alloc(oracle->host, sink_bytes(oracle));
        slot->sink_list[side] = oracle_list_create(
            oracle->host, slot->sink[side], sink_bytes(oracle));
        slot->scratch[side] = femu_alloc(oracle->host, SCRATCH_BYTES);
    }
    slot->ranges = femu_alloc(oracle->host, RANGES_BYTES);
    slot->ranges_list = oracle_list_create(oracle->host, slot->ranges,
                                           RANGES_BYTES);
}

Oracle *oracle_start(const OracleConfig *config, uint32_t seed)
{
    guint32 seeds[] = { seed, g_str_hash(config->name) };
    Oracle *oracle = g_new0(Oracle, 1);

    g_assert_cmpuint(config->zones, <=, ORACLE_ZONES_MAX);
    g_assert_cmpuint(config->namespaces, <=, ORACLE_NAMESPACES_MAX);
    oracle->config = config;
    oracle->seed = seed;
    oracle->rand = g_rand_new_with_seed_array(seeds, ARRAY_SIZE(seeds));
    start_host(oracle);
    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        femu_enable(oracle->drive[side]);
        create_queues(oracle, side);
        read_effects(oracle, side);
        oracle->found[side] = g_malloc(sink_bytes(oracle));
    }
    fill_pool(oracle);
    for (unsigned i = 0; i < ORACLE_SLOTS; i++) {
        create_slot(oracle, &oracle->slot[i]);
    }
    for (uint32_t nsid = oracle_namespaces(config); nsid >= 1; nsid--) {
        oracle_select(oracle, nsid);
        for (unsigned side = 0; side < ORACLE_SIDES; side++) {
            check_geometry(oracle, side);
        }
        oracle_report(oracle, ORACLE_OURS, &oracle_ns(oracle)->zones);
    }
    return oracle;
}

void oracle_stop(Oracle *oracle)
{
    FemuHost *host = oracle->host;

    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        femu_drive_close(oracle->drive[side]);
        g_free(oracle->found[side]);
    }
    g_rand_free(oracle->rand);
    g_free(oracle);
    femu_host_stop(host);
}

/* Commands */

static void reap(Oracle *oracle, unsigned side, FemuCqe *cqe)
{
    FemuCq *cq = &oracle->drive[side]->io_cq;

    *cqe = wait_cqe(oracle, side, cq);
    g_assert_cmpuint(cqe->sq_id, ==, QUEUE_ID);
    if (++oracle->taken[side] == TAKEN_MAX) {
        femu_ring_cq(cq);
        oracle->taken[side] = 0;
    }
}

/* The part of a sink that a command may write, and what lies behind it. */
static uint64_t sink_window(const OracleCmd *cmd, uint32_t *bytes)
{
    *bytes = oracle_layout_pages(cmd) * FEMU_PAGE_BYTES + GUARD_BYTES;
    return QEMU_ALIGN_DOWN(cmd->offset_bytes, FEMU_PAGE_BYTES);
}

static void place(Oracle *oracle, const OracleCmd *cmd, unsigned slot,
                  unsigned side)
{
    NvmeCmd sqe = cmd->sqe;
    uint32_t bytes;
    uint64_t start = sink_window(cmd, &bytes);

    if (cmd->data == ORACLE_FROM_DRIVE && cmd->bytes) {
        qtest_memset(oracle->host->qts,
                     oracle->slot[slot].sink[side] + start, FILLER, bytes);
    }
    if (cmd->range_count) {
        oracle_ranges_write(oracle, cmd, slot);
    }
    if (oracle_nsid(cmd) == FEMU_NSID) {
        sqe.nsid = cpu_to_le32(oracle->nsid);
    }
    oracle_layout(oracle, cmd, slot, side, &sqe);
    femu_place(&oracle->drive[side]->io, &sqe);
}

void oracle_exec(Oracle *oracle, const OracleCmd *cmd, unsigned count,
                 OracleAnswer answer[][ORACLE_SIDES])
{
    uint16_t first_cid[ORACLE_SIDES];

    /* QEMU's drive first: it works while ours is asked */
    for (int side = ORACLE_SIDES - 1; side >= 0; side--) {
        first_cid[side] = oracle->drive[side]->io.next_cid;
        for (unsigned i = 0; i < count; i++) {
            place(oracle, &cmd[i], i, side);
        }
        femu_ring(&oracle->drive[side]->io);
    }
    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        for (unsigned i = 0; i < count; i++) {
            uint16_t idx;
            FemuCqe cqe;

            reap(oracle, side, &cqe);
            idx = cqe.cid - first_cid[side];
            g_assert_cmpuint(idx, <, count);
            answer[idx][side] = (OracleAnswer) { cqe.status, cqe.result };
        }
    }
}

/* What QEMU says of a zone, but for an extension that a reset should end. */
static void forget_stale_ext(Oracle *oracle, NvmeZoneDescr *zone,
                             uint32_t ext_bytes)
{
    uint64_t zone_idx = le64_to_cpu(zone->zslba) / oracle_zone_nlb(oracle);

    if (oracle_ns(oracle)->stale_ext[zone_idx]) {
        zone->za &= ~ORACLE_ZDEV;
        memset((uint8_t *)zone + sizeof(*zone), 0, ext_bytes);
    }
}

void oracle_ext_set(Oracle *oracle, const OracleCmd *cmd)
{
    oracle_ns(oracle)->stale_ext[oracle_slba(cmd) /
                                 oracle_zone_nlb(oracle)] = false;
}

/* The same for what a drawn report has found; it lies in one piece. */
static void forget_stale_exts(Oracle *oracle, const OracleCmd *cmd)
{
    uint8_t *at = oracle->found[ORACLE_QEMU] +
                  cmd->offset_bytes % FEMU_PAGE_BYTES;
    bool extended = le32_to_cpu(cmd->sqe.cdw13) & 0xff;
    uint32_t ext_bytes = extended ? oracle->config->ext_bytes : 0;
    uint32_t entry_bytes = sizeof(NvmeZoneDescr) + ext_bytes;
    uint64_t count;

    if (cmd->op->kind != ORACLE_RECEIVE || !oracle->config->ext_bytes ||
        cmd->bytes < sizeof(NvmeZoneReportHeader)) {
        return;
    }
    count = MIN(ldq_le_p(at), (cmd->bytes - sizeof(NvmeZoneReportHeader)) /
                              entry_bytes);
    at += sizeof(NvmeZoneReportHeader);
    for (uint64_t i = 0; i < count; i++, at += entry_bytes) {
        forget_stale_ext(oracle, (NvmeZoneDescr *)at, ext_bytes);
    }
}

/* Our recommendation, which QEMU's drive cannot make, is of full zones. */
static void check_recommendation(const Oracle *oracle, NvmeZoneDescr *zone)
{
    bool full = oracle_zone_state(zone) == NVME_ZONE_STATE_FULL;

    g_assert_cmphex(zone->za & NVME_ZA_RESET_RECOMMENDED, ==,
                    full && oracle->config->recommends
                    ? NVME_ZA_RESET_RECOMMENDED : 0);
    zone->za &= ~NVME_ZA_RESET_RECOMMENDED;
}

/* The same for what a drawn report has found; it lies in one piece. */
static void check_recommendations(Oracle *oracle, const OracleCmd *cmd)
{
    uint8_t *at = oracle->found[ORACLE_OURS] +
                  cmd->offset_bytes % FEMU_PAGE_BYTES;
    uint64_t count;

    if (cmd->op->kind != ORACLE_RECEIVE || !oracle->config->recommends ||
        cmd->bytes < sizeof(NvmeZoneReportHeader)) {
        return;
    }
    count = MIN(ldq_le_p(at), (cmd->bytes - sizeof(NvmeZoneReportHeader)) /
                              sizeof(NvmeZoneDescr));
    for (uint64_t i = 1; i <= count; i++) {
        check_recommendation(oracle, (NvmeZoneDescr *)at + i);
    }
}

/* What a drive has put into the command's window of its sink. */
static uint32_t read_found(Oracle *oracle, const OracleCmd *cmd, unsigned slot,
                           unsigned side)
{
    uint32_t bytes;
    uint64_t start = sink_window(cmd, &bytes);

    qtest_bufread(oracle->host->qts, oracle->slot[slot].sink[side] + start,
                  oracle->found[side], bytes);
    return bytes;
}

/*
 * A report of the zones that are recommended for a reset, computed: of those
 * from the one of `slba` on that are full, as many as fit; all other bytes are
 * zeroes, and none is written behind them.
 */
bool oracle_attributes_right(Oracle *oracle, const OracleCmd *cmd,
                             const OracleZones *zones, unsigned slot)
{
    uint32_t bytes = read_found(oracle, cmd, slot, ORACLE_OURS);
    uint32_t at = cmd->offset_bytes % FEMU_PAGE_BYTES;
    bool partial = le32_to_cpu(cmd->sqe.cdw13) & 1u << 16;
    uint64_t room = (cmd->bytes - sizeof(NvmeZoneReportHeader)) /
                    sizeof(NvmeZoneDescr), count = 0;
    g_autofree uint8_t *right = g_malloc(bytes);
    NvmeZoneDescr *zone = (NvmeZoneDescr *)(right + at) + 1;

    memset(right, FILLER, bytes);
    memset(right + at, 0, cmd->bytes);
    for (uint32_t i = oracle_slba(cmd) / oracle_zone_nlb(oracle);
         oracle->config->recommends && i < oracle->config->zones; i++) {
        if (oracle_zone_state(&zones->zone[i]) == NVME_ZONE_STATE_FULL) {
            if (count < room) {
                zone[count] = zones->zone[i];
                zone[count].za |= NVME_ZA_RESET_RECOMMENDED;
            }
            count++;
        }
    }
    stq_le_p(right + at, partial ? MIN(count, room) : count);
    return memcmp(oracle->found[ORACLE_OURS], right, bytes) == 0;
}

bool oracle_same_data(Oracle *oracle, const OracleCmd *cmd, unsigned slot)
{
    uint32_t bytes;

    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        bytes = read_found(oracle, cmd, slot, side);
    }
    forget_stale_exts(oracle, cmd);
    check_recommendations(oracle, cmd);
    return memcmp(oracle->found[ORACLE_OURS], oracle->found[ORACLE_QEMU],
                  bytes) == 0;
}

/* Commands of the test's own: not drawn, not counted, must succeed. */
static void exec_own(Oracle *oracle, unsigned side, const NvmeCmd *cmd)
{
    FemuCqe cqe;

    femu_submit(&oracle->drive[side]->io, cmd);
    reap(oracle, side, &cqe);
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
}

void oracle_report(Oracle *oracle, unsigned side, OracleZones *zones)
{
    struct {
        NvmeZoneReportHeader header;
        OracleZones zones;
    } report;
    uint32_t count = oracle->config->zones;
    uint32_t bytes = sizeof(report.header) + count * sizeof(NvmeZoneDescr);
    uint64_t addr = oracle->slot[0].sink[side];
    NvmeCmd cmd = femu_cmd_report(oracle->drive[side], 0,
                                  NVME_ZONE_REPORT_ALL, true, addr, bytes);

    exec_own(oracle, side, &cmd);
    memset(&report, 0, sizeof(report));
    qtest_bufread(oracle->host->qts, addr, &report, bytes);
    g_assert_cmpuint(le64_to_cpu(report.header.nr_zones), ==, count);
    for (unsigned i = 0; i < count; i++) {
        NvmeZoneDescr *zone = &report.zones.zone[i];

        if (side == ORACLE_OURS) {
            check_recommendation(oracle, zone);
            continue;
        }
        oracle_ns(oracle)->stale_ext[i] |=
            oracle_zone_state(zone) == NVME_ZONE_STATE_EMPTY &&
            (zone->za & ORACLE_ZDEV);
        forget_stale_ext(oracle, zone, 0);
    }
    *zones = report.zones;
}

void oracle_reset(Oracle *oracle, uint32_t zone_idx, bool all)
{
    NvmeCmd cmd = femu_cmd_zone(NVME_ZONE_ACTION_RESET,
                                zone_idx * oracle_zone_nlb(oracle), all);

    cmd.nsid = cpu_to_le32(oracle->nsid);
    for (unsigned side = 0; side < ORACLE_SIDES; side++) {
        exec_own(oracle, side, &cmd);
    }
}
