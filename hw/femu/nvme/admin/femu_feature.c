/*
 * Get Features and Set Features.
 *
 * No value is saveable, so the saved values are the defaults. A controller
 * reset returns every value to its default.
 *
 * Knows nothing of queues or zones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "admin_internal.h"
#include "../event/event.h"
#include "../irq/irq.h"
#include "../ns/ns.h"
#include "../request/request.h"

#define FSP_SUPPORTED (1u << 0)         /* NVMe base 2.0, figure 256 */
#define FSP_NAMESPACE_SCOPE (1u << 20)
#define FSP_CONTROLLER_SCOPE (1u << 21)

/* CDW11 of feature 02h: NVMe base 2.0, 5.27.1.2. */
#define POWER_STATE_MASK 0x1f
#define WORKLOAD_HINT_MASK 0xe0
#define TEMPERATURE_SENSOR_ALL 0xf
/* Bits 4:0: SMART critical warnings; above: the events that OAES offers. */
#define ASYNC_EVENTS_OFFERED (0x1f | FEMU_ASYNC_EVENTS)
#define STATS_RESET 1

/* The supported features, with capabilities as in NVMe base 2.0, figure 194. */
static const struct {
    uint8_t fid;
    uint8_t caps;
} feature_table[] = {
    { NVME_ARBITRATION, NVME_FEAT_CAP_CHANGE },
    { NVME_POWER_MANAGEMENT, NVME_FEAT_CAP_CHANGE },
    { NVME_TEMPERATURE_THRESHOLD, NVME_FEAT_CAP_CHANGE },
    { NVME_ERROR_RECOVERY, NVME_FEAT_CAP_CHANGE | NVME_FEAT_CAP_NS },
    { NVME_VOLATILE_WRITE_CACHE, NVME_FEAT_CAP_CHANGE },
    { NVME_NUMBER_OF_QUEUES, NVME_FEAT_CAP_CHANGE },
    { NVME_INTERRUPT_COALESCING, NVME_FEAT_CAP_CHANGE },
    { NVME_INTERRUPT_VECTOR_CONF, NVME_FEAT_CAP_CHANGE },
    { NVME_WRITE_ATOMICITY, NVME_FEAT_CAP_CHANGE },
    { NVME_ASYNCHRONOUS_EVENT_CONF, NVME_FEAT_CAP_CHANGE },
    { NVME_COMMAND_SET_PROFILE, NVME_FEAT_CAP_CHANGE },
    { NVME_TIMESTAMP, NVME_FEAT_CAP_CHANGE },
    { FEMU_FEATURE_HOST_ID, NVME_FEAT_CAP_CHANGE },
    { FEMU_FEATURE_VENDOR_STATS, NVME_FEAT_CAP_CHANGE },
};

static const FemuFeatures feature_defaults = {
    .write_cache = 1,
    .temperature_kelvin = { [NVME_TEMP_THSEL_OVER] = 343 },
};

/* Feature 06h is there if there is a volatile write cache. */
static int feature_find(const FemuZns *n, uint8_t fid)
{
    if (fid == NVME_VOLATILE_WRITE_CACHE && !femu_cache_is_volatile(n)) {
        return -1;
    }
    for (int i = 0; i < ARRAY_SIZE(feature_table); i++) {
        if (feature_table[i].fid == fid) {
            return i;
        }
    }
    return -1;
}

/* The feature's entry in the log of features supported and effects. */
uint32_t femu_feature_effects(const FemuZns *n, uint8_t fid)
{
    int i = feature_find(n, fid);

    if (i < 0) {
        return 0;
    }
    return FSP_SUPPORTED | (feature_table[i].caps & NVME_FEAT_CAP_NS
                            ? FSP_NAMESPACE_SCOPE : FSP_CONTROLLER_SCOPE);
}

void femu_features_reset(FemuZns *n)
{
    n->features = feature_defaults;
    n->features.timestamp_set_at_ns = n->clock_ns;
    for (uint32_t i = 0; i < n->ns_count; i++) {
        n->ns[i].error_recovery = 0;
    }
}

/*
 * Check the command's NSID: a feature that is specific to a namespace needs an
 * active one, or the broadcast identifier in Set Features; any other feature
 * must not be set for a single namespace.
 */
static uint16_t check_namespace(const FemuZns *n, uint8_t caps, uint32_t nsid,
                                bool set)
{
    FemuNs *ns;

    if (caps & NVME_FEAT_CAP_NS) {
        return set && nsid == NVME_NSID_BROADCAST
               ? NVME_SUCCESS : femu_ns_find_active(n, nsid, &ns);
    }
    if (set && nsid != 0 && nsid != NVME_NSID_BROADCAST) {
        return femu_ns(n, nsid) ? NVME_FEAT_NOT_NS_SPEC : NVME_INVALID_NSID;
    }
    return NVME_SUCCESS;
}

/*
 * CDW11: 15:0 threshold, 19:16 sensor (0 is the composite temperature), 21:20
 * type, here `side`: over or under temperature.
 */
static uint16_t get_temperature(const FemuFeatures *values, uint32_t cdw11,
                                uint64_t *result)
{
    unsigned side = NVME_TEMP_THSEL(cdw11);

    if (side >= ARRAY_SIZE(values->temperature_kelvin) ||
        NVME_TEMP_TMPSEL(cdw11) != NVME_TEMP_TMPSEL_COMPOSITE) {
        return NVME_INVALID_FIELD;
    }
    *result = values->temperature_kelvin[side];
    return NVME_SUCCESS;
}

static uint16_t set_temperature(FemuZns *n, uint32_t cdw11)
{
    uint32_t sensor = NVME_TEMP_TMPSEL(cdw11);
    unsigned side = NVME_TEMP_THSEL(cdw11);

    if (side >= ARRAY_SIZE(n->features.temperature_kelvin) ||
        (sensor != NVME_TEMP_TMPSEL_COMPOSITE &&
         sensor != TEMPERATURE_SENSOR_ALL)) {
        return NVME_INVALID_FIELD;
    }
    n->features.temperature_kelvin[side] = NVME_TEMP_TMPTH(cdw11);
    femu_aer_check_temperature(n);
    return NVME_SUCCESS;
}

/* One power state: number 0. The hint is kept, and changes nothing. */
static uint16_t set_power(FemuZns *n, uint32_t cdw11)
{
    if (cdw11 & POWER_STATE_MASK) {
        return NVME_INVALID_FIELD;
    }
    n->features.workload_hint = cdw11 & WORKLOAD_HINT_MASK;
    return NVME_SUCCESS;
}

static uint16_t get_irq_vector(FemuZns *n, const FemuFeatures *values,
                               uint32_t cdw11, uint64_t *result)
{
    uint16_t vector = cdw11;

    if (vector > n->max_queue_pairs) {
        return NVME_INVALID_FIELD;
    }
    *result = vector | (values->irq_uncoalesced[vector]
                        ? NVME_INTVC_NOCOALESCING : 0);
    return NVME_SUCCESS;
}

static uint16_t set_irq_vector(FemuZns *n, uint32_t cdw11)
{
    uint16_t vector = cdw11;

    if (vector > n->max_queue_pairs) {
        return NVME_INVALID_FIELD;
    }
    n->features.irq_uncoalesced[vector] = cdw11 & NVME_INTVC_NOCOALESCING;
    femu_irq_run(n, true);
    return NVME_SUCCESS;
}

/* 0's based: submission queues in 15:0, completion queues in 31:16. */
static uint32_t queue_counts(const FemuZns *n)
{
    return (n->max_queue_pairs - 1) * 0x00010001u;
}

/*
 * Allowed only before the first I/O queue has been created (NVMe base 2.0,
 * 5.27.1.5); a submission queue has a completion queue.
 */
static uint16_t set_queue_counts(FemuZns *n, uint32_t cdw11, uint64_t *result)
{
    if (n->had_io_queues) {
        return NVME_CMD_SEQ_ERROR;
    }
    if ((cdw11 & 0xffff) == 0xffff || (cdw11 >> 16) == 0xffff) {
        return NVME_INVALID_FIELD;
    }
    *result = queue_counts(n);
    return NVME_SUCCESS;
}

/* Each namespace has its own value; the default is 0. */
static uint16_t get_error_recovery(const FemuZns *n, uint32_t nsid,
                                   const FemuFeatures *values,
                                   uint64_t *result)
{
    *result = values == &n->features ? femu_ns(n, nsid)->error_recovery : 0;
    return NVME_SUCCESS;
}

/* For one namespace, or all. DULBE is refused: NSFEAT says "not supported". */
static uint16_t set_error_recovery(FemuZns *n, uint32_t nsid, uint32_t cdw11)
{
    if (NVME_ERR_REC_DULBE(cdw11)) {
        return NVME_INVALID_FIELD;
    }
    for (uint32_t i = 0; i < n->ns_count; i++) {
        if (nsid == NVME_NSID_BROADCAST || nsid == n->ns[i].nsid) {
            n->ns[i].error_recovery = NVME_ERR_REC_TLER(cdw11);
        }
    }
    return NVME_SUCCESS;
}

static uint16_t get_value(FemuZns *n, uint8_t fid, const FemuFeatures *values,
                          uint32_t cdw11, uint64_t *result)
{
    switch (fid) {
    case NVME_ARBITRATION:
        *result = values->arbitration;
        return NVME_SUCCESS;
    case NVME_POWER_MANAGEMENT:
        *result = values->workload_hint;
        return NVME_SUCCESS;
    case NVME_TEMPERATURE_THRESHOLD:
        return get_temperature(values, cdw11, result);
    case NVME_NUMBER_OF_QUEUES:
        *result = queue_counts(n);
        return NVME_SUCCESS;
    case NVME_INTERRUPT_COALESCING:
        *result = values->irq_coalescing;
        return NVME_SUCCESS;
    case NVME_INTERRUPT_VECTOR_CONF:
        return get_irq_vector(n, values, cdw11, result);
    case NVME_WRITE_ATOMICITY:
        *result = values->write_atomicity;
        return NVME_SUCCESS;
    case NVME_VOLATILE_WRITE_CACHE:
        *result = values->write_cache;
        return NVME_SUCCESS;
    case NVME_ASYNCHRONOUS_EVENT_CONF:
        *result = values->async_events;
        return NVME_SUCCESS;
    case FEMU_FEATURE_VENDOR_STATS:
        *result = values == &n->features ? n->stats_resets : 0;
        break;
    default:
        /* One command set combination: number 0, as it is. */
        break;
    }
    return NVME_SUCCESS;
}

static uint16_t get_any(FemuZns *n, const NvmeCmd *cmd, uint8_t fid,
                        const FemuFeatures *values, uint64_t *result)
{
    if (femu_feature_has_data(fid)) {
        return femu_feature_data_get(n, cmd, fid, values);
    }
    if (fid == NVME_ERROR_RECOVERY) {
        return get_error_recovery(n, le32_to_cpu(cmd->nsid), values, result);
    }
    return get_value(n, fid, values, le32_to_cpu(cmd->cdw11), result);
}

/* CDW10: 7:0 feature identifier, 10:8 select (current, default, saved ...). */
uint16_t femu_get_features(FemuZns *n, const NvmeCmd *cmd, uint64_t *result)
{
    uint32_t cdw10 = le32_to_cpu(cmd->cdw10);
    uint8_t fid = NVME_GETSETFEAT_FID(cdw10);
    int i = feature_find(n, fid);
    uint16_t status;

    if (i < 0) {
        return NVME_INVALID_FIELD;
    }
    status = check_namespace(n, feature_table[i].caps,
                             le32_to_cpu(cmd->nsid), false);
    if (status) {
        return status;
    }
    switch (NVME_GETFEAT_SELECT(cdw10)) {
    case NVME_GETFEAT_SELECT_CURRENT:
        return get_any(n, cmd, fid, &n->features, result);
    case NVME_GETFEAT_SELECT_DEFAULT:
    case NVME_GETFEAT_SELECT_SAVED:
        return get_any(n, cmd, fid, &feature_defaults, result);
    case NVME_GETFEAT_SELECT_CAP:
        *result = feature_table[i].caps;
        return NVME_SUCCESS;
    default:
        return NVME_INVALID_FIELD;
    }
}

static uint16_t set_value(FemuZns *n, uint8_t fid, uint32_t cdw11,
                          uint64_t *result)
{
    switch (fid) {
    case NVME_ARBITRATION:
        n->features.arbitration = cdw11;
        return NVME_SUCCESS;
    case NVME_POWER_MANAGEMENT:
        return set_power(n, cdw11);
    case NVME_TEMPERATURE_THRESHOLD:
        return set_temperature(n, cdw11);
    case NVME_NUMBER_OF_QUEUES:
        return set_queue_counts(n, cdw11, result);
    case NVME_INTERRUPT_COALESCING:
        n->features.irq_coalescing = cdw11 & 0xffff;
        femu_irq_run(n, true);
        return NVME_SUCCESS;
    case NVME_INTERRUPT_VECTOR_CONF:
        return set_irq_vector(n, cdw11);
    case NVME_WRITE_ATOMICITY:
        n->features.write_atomicity = cdw11 & 1;
        return NVME_SUCCESS;
    case NVME_VOLATILE_WRITE_CACHE:
        n->features.write_cache = cdw11 & 1;
        return NVME_SUCCESS;
    case NVME_ASYNCHRONOUS_EVENT_CONF:
        n->features.async_events = cdw11 & ASYNC_EVENTS_OFFERED;
        femu_notice_choose(n);
        femu_aer_check_temperature(n);
        return NVME_SUCCESS;
    case NVME_COMMAND_SET_PROFILE:
        return cdw11 & 0x1ff ? NVME_IOCS_COMBINATION_REJECTED : NVME_SUCCESS;
    case FEMU_FEATURE_VENDOR_STATS:
        if (cdw11 != STATS_RESET) {
            return NVME_INVALID_FIELD;
        }
        femu_stats_reset(n);
        return NVME_SUCCESS;
    default:
        g_assert_not_reached();
    }
}

/* CDW10: 7:0 feature identifier, 31 save. */
uint16_t femu_set_features(FemuZns *n, const NvmeCmd *cmd, uint64_t *result)
{
    uint32_t cdw10 = le32_to_cpu(cmd->cdw10);
    uint8_t fid = NVME_GETSETFEAT_FID(cdw10);
    int i = feature_find(n, fid);
    uint16_t status;

    if (i < 0) {
        return NVME_INVALID_FIELD;
    }
    if (NVME_SETFEAT_SAVE(cdw10)) {
        return NVME_FID_NOT_SAVEABLE;
    }
    status = check_namespace(n, feature_table[i].caps,
                             le32_to_cpu(cmd->nsid), true);
    if (status) {
        return status;
    }
    if (femu_feature_has_data(fid)) {
        return femu_feature_data_set(n, cmd, fid);
    }
    if (fid == NVME_ERROR_RECOVERY) {
        return set_error_recovery(n, le32_to_cpu(cmd->nsid),
                                  le32_to_cpu(cmd->cdw11));
    }
    return set_value(n, fid, le32_to_cpu(cmd->cdw11), result);
}
