/*
 * The closed loop: which command each sender sends next.
 *
 * Knows nothing of options and reports.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sim_load.h"

#include <inttypes.h>

#include "sim.h"

/* One sender. `idle` + its commands inside the drive = its queue depth. */
typedef struct LoadSender {
    unsigned idle;
    uint32_t zone_idx;
    uint64_t offset_bytes; /* into the zone: the next read or write */
    bool resetting;        /* sends nothing until its reset is done */
} LoadSender;

typedef struct Load {
    const LoadSpec *spec;
    const SsdParams *params;
    uint32_t ns_zones; /* of the namespace */
    SimDrive *drive;
    LoadResult *result;
    LoadSender *senders;
    unsigned sender_count;
    uint64_t sent_count; /* resets in front of a rewrite are not counted */
    uint64_t sent_bytes;
    uint64_t random_state;
} Load;

static const char *const kind_names[LOAD_KIND_COUNT] = {
    [LOAD_WRITE] = "write",
    [LOAD_APPEND] = "append",
    [LOAD_READ] = "read",
    [LOAD_RANDREAD] = "randread",
    [LOAD_FINISH] = "finish",
    [LOAD_RESET] = "reset",
};

const char *load_kind_name(LoadKind kind)
{
    return kind_names[kind];
}

LoadKind load_kind_from_name(const char *name)
{
    for (unsigned kind = 0; kind < LOAD_KIND_COUNT; kind++) {
        if (g_str_equal(kind_names[kind], name)) {
            return kind;
        }
    }
    return LOAD_KIND_COUNT;
}

static bool sends_per_zone(LoadKind kind)
{
    return kind == LOAD_WRITE || kind == LOAD_APPEND || kind == LOAD_READ;
}

static bool is_read(LoadKind kind)
{
    return kind == LOAD_READ || kind == LOAD_RANDREAD;
}

static bool is_mgmt(LoadKind kind)
{
    return kind == LOAD_FINISH || kind == LOAD_RESET;
}

/* --- Checks -------------------------------------------------------------- */

G_GNUC_PRINTF(2, 3)
static bool load_error(GError **error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (error) {
        *error = g_error_new_valist(SIM_ERROR_DOMAIN, 0, format, args);
    }
    va_end(args);
    return false;
}

static bool check_block(const LoadSpec *spec, const SsdParams *params,
                        GError **error)
{
    bool append = spec->kind == LOAD_APPEND;
    uint64_t max_bytes = append ? params->zasl_bytes : params->mdts_bytes;

    if (is_mgmt(spec->kind)) {
        return true;
    }
    if (spec->block_bytes == 0 || spec->block_bytes % params->lba_bytes != 0 ||
        spec->block_bytes > max_bytes) {
        return load_error(error, "--bs=%" PRIu64 ": must be a multiple of "
                          "lba-size=%" PRIu32 " up to %s=%" PRIu64,
                          spec->block_bytes, params->lba_bytes,
                          append ? "zasl" : "mdts", max_bytes);
    }
    if (is_read(spec->kind) && spec->block_bytes > spec->fill_bytes) {
        return load_error(error, "--bs=%" PRIu64 ": a zone holds only --fill=%"
                          PRIu64 " bytes to read", spec->block_bytes,
                          spec->fill_bytes);
    }
    return true;
}

/* Zones that are active at once at some time of the run. */
static bool check_active(const LoadSpec *spec, const SsdParams *params,
                         GError **error)
{
    bool writes = spec->kind == LOAD_WRITE || spec->kind == LOAD_APPEND;
    bool part_filled = spec->fill_bytes > 0 &&
                       spec->fill_bytes < params->zone_capacity_bytes;

    if (params->max_active == 0 || spec->zones <= params->max_active ||
        (!writes && !part_filled)) {
        return true;
    }
    return load_error(error, "--zones=%u: this load keeps that many zones "
                      "active, but max-active=%" PRIu32, spec->zones,
                      params->max_active);
}

bool load_check(const LoadSpec *spec, const SsdParams *params, GError **error)
{
    uint32_t ns_zones = params->zones / params->namespaces;
    uint64_t inside = spec->qd;

    if (spec->nsid < 1 || spec->nsid > params->namespaces) {
        return load_error(error, "--nsid=%" PRIu32 ": must be 1 to "
                          "namespaces=%" PRIu32, spec->nsid,
                          params->namespaces);
    }
    if (spec->zones < 1 || spec->zones > ns_zones) {
        return load_error(error, "--zones=%u: must be 1 to %" PRIu32 ", the "
                          "zones of a namespace", spec->zones, ns_zones);
    }
    if (spec->fill_bytes % params->lba_bytes != 0 ||
        spec->fill_bytes > params->zone_capacity_bytes) {
        return load_error(error, "--fill=%" PRIu64 ": must be a multiple of "
                          "lba-size=%" PRIu32 " up to the zone's capacity of %"
                          PRIu64 " bytes", spec->fill_bytes, params->lba_bytes,
                          params->zone_capacity_bytes);
    }
    if (sends_per_zone(spec->kind)) {
        inside *= spec->zones;
    }
    if (inside > params->cmd_slots) {
        return load_error(error, "--qd=%u: %" PRIu64 " commands at once, but "
                          "cmd-slots=%" PRIu32, spec->qd, inside,
                          params->cmd_slots);
    }
    return check_block(spec, params, error) &&
           check_active(spec, params, error);
}

/* --- Filling zones beforehand -------------------------------------------- */

static uint64_t zone_lba(const Load *load, uint32_t zone_idx)
{
    return zone_idx * (load->params->zone_size_bytes /
                       load->params->lba_bytes);
}

static SsdCmd io_cmd(const Load *load, SsdOp op, uint32_t zone_idx,
                     uint64_t offset_bytes, uint64_t bytes)
{
    SsdCmd cmd = {
        .op = op,
        .nsid = load->spec->nsid,
        .slba = zone_lba(load, zone_idx),
        .nlb = (uint32_t)(bytes / load->params->lba_bytes),
    };

    if (op != SSD_OP_APPEND) {
        cmd.slba += offset_bytes / load->params->lba_bytes;
    }
    return cmd;
}

/* Write the first fill_bytes of every zone, then wait until all is quiet. */
static bool fill_zones(Load *load, GError **error)
{
    Ssd *ssd = sim_drive_ssd(load->drive);

    for (uint32_t zone_idx = 0; zone_idx < load->spec->zones; zone_idx++) {
        uint64_t bytes;

        for (uint64_t at = 0; at < load->spec->fill_bytes; at += bytes) {
            SsdCmd cmd;

            bytes = MIN(load->params->mdts_bytes,
                        load->spec->fill_bytes - at);
            cmd = io_cmd(load, SSD_OP_WRITE, zone_idx, at, bytes);
            if (!ssd_has_room(ssd)) {
                sim_drive_wait(load->drive);
            }
            if (!sim_drive_submit(load->drive, &cmd, 0, error)) {
                g_prefix_error(error, "filling zone %" PRIu32 ": ", zone_idx);
                return false;
            }
        }
    }
    while (ssd_inflight(ssd) > 0) {
        sim_drive_wait(load->drive);
    }
    return true;
}

/* --- The next command ---------------------------------------------------- */

/* A number below `limit`, each as likely (splitmix64 with rejection). */
static uint64_t random_below(Load *load, uint64_t limit)
{
    uint64_t unfair = -limit % limit, value;

    do {
        value = load->random_state += UINT64_C(0x9e3779b97f4a7c15);
        value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
        value ^= value >> 31;
    } while (value < unfair);
    return value % limit;
}

static SsdCmd next_randread(Load *load)
{
    const LoadSpec *spec = load->spec;
    uint64_t blocks = spec->fill_bytes / spec->block_bytes;
    uint64_t block = random_below(load, blocks * spec->zones);

    return io_cmd(load, SSD_OP_READ, (uint32_t)(block / blocks),
                  block % blocks * spec->block_bytes, spec->block_bytes);
}

static SsdCmd next_read(Load *load, LoadSender *sender)
{
    uint64_t bytes = load->spec->block_bytes;
    SsdCmd cmd;

    if (sender->offset_bytes + bytes > load->spec->fill_bytes) {
        sender->offset_bytes = 0;
    }
    cmd = io_cmd(load, SSD_OP_READ, sender->zone_idx, sender->offset_bytes,
                 bytes);
    sender->offset_bytes += bytes;
    return cmd;
}

/* The last write of a zone is as short as the zone's rest. */
static SsdCmd next_write(Load *load, LoadSender *sender)
{
    uint64_t rest_bytes = load->params->zone_capacity_bytes -
                          sender->offset_bytes;
    uint64_t bytes = MIN(load->spec->block_bytes, rest_bytes);
    SsdCmd cmd = io_cmd(load, load->spec->kind == LOAD_APPEND ?
                        SSD_OP_APPEND : SSD_OP_WRITE, sender->zone_idx,
                        sender->offset_bytes, bytes);

    sender->offset_bytes += bytes;
    return cmd;
}

static SsdCmd next_mgmt(Load *load, LoadSender *sender)
{
    SsdCmd cmd = {
        .op = load->spec->kind == LOAD_FINISH ? SSD_OP_ZONE_FINISH :
              SSD_OP_ZONE_RESET,
        .nsid = load->spec->nsid,
        .slba = zone_lba(load, sender->zone_idx++),
    };

    return cmd;
}

static SsdCmd next_cmd(Load *load, LoadSender *sender)
{
    switch (load->spec->kind) {
    case LOAD_WRITE:
    case LOAD_APPEND:
        return next_write(load, sender);
    case LOAD_READ:
        return next_read(load, sender);
    case LOAD_RANDREAD:
        return next_randread(load);
    default:
        return next_mgmt(load, sender);
    }
}

/* --- The loop ------------------------------------------------------------ */

static bool may_send(const Load *load)
{
    const LoadSpec *spec = load->spec;

    return load->sent_count < spec->max_count &&
           load->sent_bytes < spec->max_bytes &&
           sim_drive_now_ns(load->drive) - load->result->start_at_ns <
           spec->max_time_ns;
}

/*
 * Give a writer whose zone is used up its next one. A zone that is full from
 * an earlier round is reset first, once nothing of the sender is inside.
 * Return: false when the sender has to wait, or with *error.
 */
static bool next_zone(Load *load, LoadSender *sender, GError **error)
{
    unsigned sender_idx = (unsigned)(sender - load->senders);
    uint32_t zone_idx = sender->zone_idx + load->spec->zones;
    SsdCmd reset = {.op = SSD_OP_ZONE_RESET, .nsid = load->spec->nsid};

    if (zone_idx >= load->ns_zones) {
        zone_idx = sender_idx;
    }
    if (ssd_zone(sim_drive_ssd(load->drive), load->spec->nsid,
                 zone_idx).state == SSD_ZONE_EMPTY) {
        sender->zone_idx = zone_idx;
        sender->offset_bytes = 0;
        return true;
    }
    if (sender->idle == load->spec->qd) {
        reset.slba = zone_lba(load, zone_idx);
        if (sim_drive_submit(load->drive, &reset, sender_idx, error)) {
            sender->idle--;
            sender->resetting = true;
        }
    }
    return false;
}

/* Send what the sender may. Return: false and *error on a rejection. */
static bool fill_queue(Load *load, LoadSender *sender, GError **error)
{
    bool writes = load->spec->kind == LOAD_WRITE ||
                  load->spec->kind == LOAD_APPEND;

    while (sender->idle > 0 && !sender->resetting && may_send(load)) {
        g_autoptr(GError) rejected = NULL;
        SsdCmd cmd;

        if (writes &&
            sender->offset_bytes == load->params->zone_capacity_bytes &&
            !next_zone(load, sender, &rejected)) {
            if (rejected) {
                g_propagate_error(error, g_steal_pointer(&rejected));
                return false;
            }
            return true;
        }
        cmd = next_cmd(load, sender);
        if (!sim_drive_submit(load->drive, &cmd,
                              (unsigned)(sender - load->senders), error)) {
            return false;
        }
        sender->idle--;
        load->sent_count++;
        load->sent_bytes += (uint64_t)cmd.nlb * load->params->lba_bytes;
    }
    return true;
}

static void account(Load *load, const SimDone *done)
{
    SsdOp op = done->done.op;

    ssd_histogram_add(&load->result->latency_ns[op],
                      done->done.due_at_ns - done->done.submitted_at_ns);
    load->result->bytes[op] += (uint64_t)done->cmd.nlb *
                               load->params->lba_bytes;
    load->result->end_at_ns = done->done.due_at_ns;
}

static bool run_loop(Load *load, GError **error)
{
    Ssd *ssd = sim_drive_ssd(load->drive);

    for (unsigned i = 0; i < load->sender_count; i++) {
        if (!fill_queue(load, &load->senders[i], error)) {
            return false;
        }
    }
    while (ssd_inflight(ssd) > 0) {
        SimDone done = sim_drive_wait(load->drive);
        LoadSender *sender = &load->senders[done.sender];

        account(load, &done);
        sender->idle++;
        sender->resetting = false;
        if (!fill_queue(load, sender, error)) {
            return false;
        }
    }
    return true;
}

bool load_run(const LoadSpec *spec, SimDrive *drive, LoadResult *result,
              GError **error)
{
    Load load = {
        .spec = spec,
        .params = ssd_params(sim_drive_ssd(drive)),
        .ns_zones = ssd_ns_info(sim_drive_ssd(drive), spec->nsid).zones,
        .drive = drive,
        .result = result,
        .sender_count = sends_per_zone(spec->kind) ? spec->zones : 1,
        .random_state = spec->seed,
    };
    bool writes = spec->kind == LOAD_WRITE || spec->kind == LOAD_APPEND;
    bool ran;

    load.senders = g_new0(LoadSender, load.sender_count);
    for (unsigned i = 0; i < load.sender_count; i++) {
        load.senders[i].idle = spec->qd;
        load.senders[i].zone_idx = i;
        load.senders[i].offset_bytes = writes ? spec->fill_bytes : 0;
    }
    ran = fill_zones(&load, error);
    if (ran) {
        result->start_at_ns = sim_drive_now_ns(drive);
        result->end_at_ns = result->start_at_ns;
        ssd_stats_reset(sim_drive_ssd(drive), result->start_at_ns);
        ran = run_loop(&load, error);
    }
    g_free(load.senders);
    return ran;
}
