/*
 * Get Log Page.
 *
 * Each page is built as a whole in a GByteArray, of which then the part that
 * the command asks for is transferred to the host.
 *
 * Knows nothing of queues or zones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "admin_internal.h"
#include "../event/event.h"
#include "../host/host.h"
#include "../ns/ns.h"
#include "../request/request.h"

#define LOG_SUPPORTED_PAGES 0x00
#define LOG_FEATURES_SUPPORTED 0x12
#define LOG_MI_COMMANDS_SUPPORTED 0x13
#define LOG_LIST_BYTES 1024             /* 256 entries of 4 bytes */
#define MI_COMMANDS_BYTES 4096
#define CHANGED_NS_LIST_BYTES 4096
#define CHANGED_ZONES_BYTES 4096
#define LSUPP 1

/* To be submitted while its namespace has no other command (figure 211). */
#define CSE_ONE_PER_NAMESPACE (1u << 16)
/*
 * The Command Scope of admin commands. It is not reported for I/O commands,
 * because Linux 6.12 warns of bits that it does not expect there.
 */
#define CSP_NAMESPACE_SCOPE (1u << 20)
#define CSP_CONTROLLER_SCOPE (1u << 21)

#define NS_PER_HOUR (3600 * UINT64_C(1000000000))
#define SMART_UNIT_BYTES (1000 * 512)
#define SPARE_PERCENT 100
#define SPARE_THRESHOLD_PERCENT 10
#define USED_PERCENT_MAX UINT8_MAX      /* this or more */

/* Latest error first; unused entries have error count 0. */
static void log_errors(FemuZns *n, uint8_t *buf)
{
    uint64_t count = MIN(n->kept->error_count, FEMU_ERROR_LOG_ENTRIES);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t slot = (n->kept->error_count - 1 - i) % FEMU_ERROR_LOG_ENTRIES;

        memcpy(buf + i * sizeof(NvmeErrorLog), n->kept->error_log[slot],
               sizeof(NvmeErrorLog));
    }
}

static void smart_add(FemuSmart *sum, const FemuSmart *smart)
{
    sum->read_commands += smart->read_commands;
    sum->write_commands += smart->write_commands;
    sum->read_bytes += smart->read_bytes;
    sum->written_bytes += smart->written_bytes;
    sum->media_errors += smart->media_errors;
}

/* The counters of one namespace, or of all together if `ns` is NULL. */
static FemuSmart smart_sum(const FemuZns *n, const FemuNs *ns)
{
    FemuSmart sum = { 0 };

    for (uint32_t i = 0; i < n->ns_count; i++) {
        if (!ns || ns == &n->ns[i]) {
            smart_add(&sum, n->ns[i].smart);
        }
    }
    return sum;
}

/* The SMART log of a namespace, or of the controller if `ns` is NULL. */
static void log_smart(FemuZns *n, const FemuNs *ns, uint8_t *buf)
{
    const FemuSmart smart = smart_sum(n, ns);
    NvmeSmartLog log = {
        .temperature = cpu_to_le16(FEMU_TEMPERATURE_KELVIN),
        .available_spare = SPARE_PERCENT,
        .available_spare_threshold = SPARE_THRESHOLD_PERCENT,
        .percentage_used = MIN(ssd_used_percent(n->ssd, n->now_ns),
                               USED_PERCENT_MAX),
    };

    if (femu_temperature_warning(n)) {
        log.critical_warning |= NVME_SMART_TEMPERATURE;
    }
    log.data_units_read[0] = cpu_to_le64(DIV_ROUND_UP(smart.read_bytes,
                                                      SMART_UNIT_BYTES));
    log.data_units_written[0] = cpu_to_le64(DIV_ROUND_UP(smart.written_bytes,
                                                         SMART_UNIT_BYTES));
    log.host_read_commands[0] = cpu_to_le64(smart.read_commands);
    log.host_write_commands[0] = cpu_to_le64(smart.write_commands);
    log.power_cycles[0] = cpu_to_le64(n->kept->power_cycles);
    log.unsafe_shutdowns[0] = cpu_to_le64(n->kept->unsafe_shutdowns);
    log.power_on_hours[0] = cpu_to_le64(n->now_ns / NS_PER_HOUR);
    log.media_errors[0] = cpu_to_le64(smart.media_errors);
    log.number_of_error_log_entries[0] = cpu_to_le64(n->kept->error_count);
    memcpy(buf, &log, sizeof(log));
}

/* One slot, read-only, active. */
static void log_firmware(uint8_t *buf)
{
    NvmeFwSlotInfoLog log = { .afi = 1 };

    memset(log.frs1, ' ', sizeof(log.frs1));
    log.frs1[0] = '1';
    memcpy(buf, &log, sizeof(log));
}

static void effects_add(uint32_t *entry, uint32_t effects)
{
    *entry = cpu_to_le32(NVME_CMD_EFF_CSUPP | effects);
}

static void log_effects(const FemuZns *n, uint8_t *buf, uint8_t csi)
{
    static const uint8_t admin[] = {
        NVME_ADM_CMD_DELETE_SQ, NVME_ADM_CMD_CREATE_SQ,
        NVME_ADM_CMD_GET_LOG_PAGE, NVME_ADM_CMD_DELETE_CQ,
        NVME_ADM_CMD_CREATE_CQ, NVME_ADM_CMD_IDENTIFY, NVME_ADM_CMD_ABORT,
        NVME_ADM_CMD_SET_FEATURES, NVME_ADM_CMD_GET_FEATURES,
        NVME_ADM_CMD_ASYNC_EV_REQ,
    };
    NvmeEffectsLog *log = (NvmeEffectsLog *)buf;

    for (int i = 0; i < ARRAY_SIZE(admin); i++) {
        effects_add(&log->acs[admin[i]], CSP_CONTROLLER_SCOPE);
    }
    if (n->dbbuf_offered) {
        effects_add(&log->acs[NVME_ADM_CMD_DBBUF_CONFIG],
                    CSP_CONTROLLER_SCOPE);
    }
    effects_add(&log->acs[NVME_ADM_CMD_FORMAT_NVM],
                NVME_CMD_EFF_LBCC | NVME_CMD_EFF_NCC | CSE_ONE_PER_NAMESPACE |
                CSP_NAMESPACE_SCOPE);
    effects_add(&log->acs[NVME_ADM_CMD_NS_ATTACHMENT],
                NVME_CMD_EFF_NIC | CSP_CONTROLLER_SCOPE);
    effects_add(&log->iocs[NVME_CMD_FLUSH], 0);
    effects_add(&log->iocs[NVME_CMD_WRITE], NVME_CMD_EFF_LBCC);
    effects_add(&log->iocs[NVME_CMD_READ], 0);
    effects_add(&log->iocs[NVME_CMD_COMPARE], 0);
    effects_add(&log->iocs[NVME_CMD_WRITE_ZEROES], NVME_CMD_EFF_LBCC);
    effects_add(&log->iocs[NVME_CMD_DSM], NVME_CMD_EFF_LBCC);
    effects_add(&log->iocs[NVME_CMD_VERIFY], 0);
    effects_add(&log->iocs[NVME_CMD_COPY], NVME_CMD_EFF_LBCC);
    if (csi == NVME_CSI_ZONED) {
        effects_add(&log->iocs[NVME_CMD_ZONE_MGMT_SEND], NVME_CMD_EFF_LBCC);
        effects_add(&log->iocs[NVME_CMD_ZONE_MGMT_RECV], 0);
        effects_add(&log->iocs[NVME_CMD_ZONE_APPEND], NVME_CMD_EFF_LBCC);
    }
}

static void log_supported_pages(uint8_t *buf)
{
    static const uint8_t pages[] = {
        LOG_SUPPORTED_PAGES, NVME_LOG_ERROR_INFO, NVME_LOG_SMART_INFO,
        NVME_LOG_FW_SLOT_INFO, NVME_LOG_CHANGED_NSLIST, NVME_LOG_CMD_EFFECTS,
        LOG_FEATURES_SUPPORTED, LOG_MI_COMMANDS_SUPPORTED,
        FEMU_LOG_CHANGED_ZONES, FEMU_LOG_VENDOR_STATS,
    };

    for (int i = 0; i < ARRAY_SIZE(pages); i++) {
        stl_le_p(buf + pages[i] * 4, LSUPP);
    }
}

static void log_features(const FemuZns *n, uint8_t *buf)
{
    for (int fid = 0; fid < 256; fid++) {
        stl_le_p(buf + fid * 4, femu_feature_effects(n, fid));
    }
}

/*
 * Statistics as text. It is made when offset 0 is read, and kept, so that a
 * host that reads it in parts gets parts of the same text.
 */
static void log_stats(FemuZns *n, uint64_t offset_bytes)
{
    if (offset_bytes == 0 || !n->stats_snapshot) {
        n->entry.work_bytes += FEMU_STATS_WORK_BYTES;
        g_free(n->stats_snapshot);
        n->stats_snapshot = femu_stats_json(n);
        n->stats_snapshot_bytes = strlen(n->stats_snapshot);
    }
}

/* An array of zeroed bytes. */
static GByteArray *log_new(unsigned bytes)
{
    GByteArray *log = g_byte_array_sized_new(bytes);

    g_byte_array_set_size(log, bytes);
    memset(log->data, 0, bytes);
    return log;
}

/*
 * The page, or NULL if there is none of that number. The identifiers have been
 * checked.
 */
static GByteArray *log_build(FemuZns *n, uint8_t lid, uint8_t csi,
                             uint32_t nsid)
{
    GByteArray *log = NULL;

    switch (lid) {
    case LOG_SUPPORTED_PAGES:
        log = log_new(LOG_LIST_BYTES);
        log_supported_pages(log->data);
        break;
    case NVME_LOG_ERROR_INFO:
        log = log_new(sizeof(n->kept->error_log));
        log_errors(n, log->data);
        break;
    case NVME_LOG_SMART_INFO:
        log = log_new(sizeof(NvmeSmartLog));
        log_smart(n, femu_ns(n, nsid), log->data);
        break;
    case NVME_LOG_FW_SLOT_INFO:
        log = log_new(sizeof(NvmeFwSlotInfoLog));
        log_firmware(log->data);
        break;
    case NVME_LOG_CHANGED_NSLIST:
        log = log_new(CHANGED_NS_LIST_BYTES);
        femu_ns_change_log(n, log->data);
        break;
    case NVME_LOG_CMD_EFFECTS:
        log = log_new(sizeof(NvmeEffectsLog));
        log_effects(n, log->data, csi);
        break;
    case LOG_FEATURES_SUPPORTED:
        log = log_new(LOG_LIST_BYTES);
        log_features(n, log->data);
        break;
    case LOG_MI_COMMANDS_SUPPORTED:
        log = log_new(MI_COMMANDS_BYTES);       /* there are none */
        break;
    case FEMU_LOG_CHANGED_ZONES:
        log = log_new(CHANGED_ZONES_BYTES);
        femu_zone_change_log(femu_ns(n, nsid), log->data);
        break;
    default:
        break;
    }
    return log;
}

/* The fields of a Get Log Page command: NVMe base 2.0, figures 197 to 201. */
typedef struct LogRequest {
    uint8_t lid;
    uint8_t csi;
    bool index_offset;
    bool retain_event;
    uint64_t bytes;
    uint64_t offset_bytes;
} LogRequest;

static LogRequest log_decode(const NvmeCmd *cmd)
{
    uint32_t cdw10 = le32_to_cpu(cmd->cdw10);
    uint32_t cdw11 = le32_to_cpu(cmd->cdw11);
    uint32_t cdw14 = le32_to_cpu(cmd->cdw14);
    uint64_t dwords = (cdw10 >> 16) | (uint64_t)(cdw11 & 0xffff) << 16;

    return (LogRequest) {
        .lid = cdw10,
        .csi = cdw14 >> 24,
        .retain_event = cdw10 & (1u << 15),
        .index_offset = cdw14 & (1u << 23),
        .bytes = (dwords + 1) * 4,
        .offset_bytes = ldq_le_p(&cmd->cdw12), /* and CDW13 */
    };
}

/* The Changed Zone List is only there for zoned namespaces. */
static uint16_t log_check_set(const LogRequest *request, const FemuNs *ns)
{
    return request->lid == FEMU_LOG_CHANGED_ZONES && !femu_ns_zoned(ns)
           ? NVME_INVALID_FIELD : NVME_SUCCESS;
}

static uint16_t log_check(const FemuZns *n, const LogRequest *request,
                          uint32_t nsid)
{
    FemuNs *ns;

    if (request->index_offset || (request->offset_bytes & 3) ||
        request->bytes > n->params.mdts_bytes) {
        return NVME_INVALID_FIELD;
    }
    if ((request->lid == NVME_LOG_SMART_INFO && nsid != 0 &&
         nsid != NVME_NSID_BROADCAST) ||
        request->lid == FEMU_LOG_CHANGED_ZONES) {
        uint16_t status = femu_ns_find_active(n, nsid, &ns);

        return status ? status : log_check_set(request, ns);
    }
    /* NVMe base 2.0, figure 268 */
    if (request->lid == NVME_LOG_CMD_EFFECTS &&
        request->csi != NVME_CSI_NVM && request->csi != NVME_CSI_ZONED) {
        return NVME_IOCS_NOT_SUPPORTED;
    }
    return NVME_SUCCESS;
}

/* Send [offset, offset + bytes) of a page; what lies beyond it is zero. */
static uint16_t log_send(FemuZns *n, const NvmeCmd *cmd,
                         const LogRequest *request, const void *page,
                         uint64_t page_bytes)
{
    uint64_t at = MIN(request->offset_bytes, page_bytes);
    uint64_t present = MIN(request->bytes, page_bytes - at);

    memset(n->bounce, 0, request->bytes);
    memcpy(n->bounce, (const uint8_t *)page + at, present);
    return femu_dma_reply(n, cmd, n->bounce, request->bytes);
}

/* A page was read without Retain Asynchronous Event: clear what that clears. */
static void log_was_read(FemuZns *n, uint8_t lid, uint32_t nsid)
{
    if (lid == FEMU_LOG_CHANGED_ZONES) {
        femu_zone_change_clear(femu_ns(n, nsid));
    } else if (lid == NVME_LOG_CHANGED_NSLIST) {
        femu_ns_change_clear(n);
    }
    femu_notice_log_read(n, lid, nsid);
}

/*
 * An offset beyond the page is an error, but for the statistics: their length
 * is not known to the reader, who stops at the first NUL.
 */
uint16_t femu_get_log(FemuZns *n, const NvmeCmd *cmd)
{
    LogRequest request = log_decode(cmd);
    uint32_t nsid = le32_to_cpu(cmd->nsid);
    uint16_t status = log_check(n, &request, nsid);
    g_autoptr(GByteArray) page = NULL;

    if (status) {
        return status;
    }
    if (request.lid == FEMU_LOG_VENDOR_STATS) {
        log_stats(n, request.offset_bytes);
        return log_send(n, cmd, &request, n->stats_snapshot,
                        n->stats_snapshot_bytes);
    }
    page = log_build(n, request.lid, request.csi, nsid);
    if (!page) {
        return NVME_INVALID_LOG_ID;
    }
    if (request.offset_bytes > page->len) {
        return NVME_INVALID_FIELD;
    }
    status = log_send(n, cmd, &request, page->data, page->len);
    if (!status && !request.retain_event) {
        log_was_read(n, request.lid, nsid);
    }
    return status;
}
