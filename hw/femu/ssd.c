/*
 * The waist: a command comes in, is checked, takes effect, becomes flash
 * operations, and leaves as a completion.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "ssd_internal.h"

static const char *const op_names[SSD_OP_COUNT] = {
    [SSD_OP_READ] = "read",
    [SSD_OP_WRITE] = "write",
    [SSD_OP_APPEND] = "append",
    [SSD_OP_FLUSH] = "flush",
    [SSD_OP_WRITE_ZEROES] = "write-zeroes",
    [SSD_OP_VERIFY] = "verify",
    [SSD_OP_COMPARE] = "compare",
    [SSD_OP_COPY] = "copy",
    [SSD_OP_DEALLOCATE] = "deallocate",
    [SSD_OP_ZONE_OPEN] = "open",
    [SSD_OP_ZONE_CLOSE] = "close",
    [SSD_OP_ZONE_FINISH] = "finish",
    [SSD_OP_ZONE_RESET] = "reset",
    [SSD_OP_ZONE_OFFLINE] = "offline",
    [SSD_OP_ZONE_SET_EXTENSION] = "set-extension",
    [SSD_OP_ZONE_OPEN_ZRWA] = "open-zrwa",
    [SSD_OP_ZONE_SET_EXTENSION_ZRWA] = "set-extension-zrwa",
    [SSD_OP_ZONE_FLUSH_ZRWA] = "flush-zrwa",
    [SSD_OP_ZONE_REPORT] = "report",
    [SSD_OP_IDENTIFY] = "identify",
    [SSD_OP_LOG] = "log",
    [SSD_OP_FEATURE] = "feature",
};

const char *ssd_op_name(SsdOp op)
{
    g_assert((unsigned)op < SSD_OP_COUNT);
    return op_names[op];
}

SsdOp ssd_op_from_name(const char *name)
{
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        if (strcmp(name, op_names[op]) == 0) {
            return op;
        }
    }
    return SSD_OP_COUNT;
}

/* Construction */

static void init_pages(Ssd *ssd)
{
    const SsdParams *p = &ssd->params;

    ssd->sense_bytes = ssd_params_sense_bytes(p);
    ssd->page_bytes = ssd_params_program_bytes(p);
    ssd->page_divisor = divisor_of(ssd->page_bytes);
    ssd->sense_divisor = divisor_of(ssd->sense_bytes);
    ssd->granule_divisor = divisor_of(p->read_granule_bytes);
    ssd->rows_per_block = p->pages_per_block / p->program_pages;
    ssd->zone_pages = p->zone_capacity_bytes / ssd->page_bytes;
    ssd->chunk_pages = p->finish_chunk_bytes
                       ? p->finish_chunk_bytes / ssd->page_bytes
                       : ssd->zone_pages;
}

static void init_zones(Ssd *ssd)
{
    const SsdParams *p = &ssd->params;
    MapLevel levels[MAP_LEVELS] = {
        [MAP_CHANNEL] = { p->channels, p->zone_channels },
        [MAP_WAY] = { p->ways, p->zone_ways },
        [MAP_DIE] = { p->dies, p->zone_dies },
        [MAP_PLANE] = { p->planes, p->zone_planes },
    };

    if (p->multi_plane) {
        levels[MAP_PLANE] = (MapLevel) { 1, 1 };
    }

    map_init(&ssd->map, levels, map_order(p->stripe_order));
    ssd->life = g_new0(uint32_t, p->zones);
    ssd->programmed_rows =
        g_new0(uint32_t, (size_t)p->zones * ssd->map.zone_units);
    ssd->zone_writes = g_new0(WriteQueue, p->zones);
    for (uint32_t i = 0; i < p->zones; i++) {
        ssd->zone_writes[i].head_idx = SSD_NONE;
    }
}

static void init_flash(Ssd *ssd)
{
    const SsdParams *p = &ssd->params;
    uint32_t unit_planes = p->multi_plane ? p->planes : 1;
    FlashConfig config = {
        .channels = p->channels,
        .units_per_channel = p->ways * p->dies * p->planes / unit_planes,
        .op_capacity = bound_operations(p, NULL),
        .seed = p->seed,
        .page_bytes = ssd->sense_bytes,
        .program_pages = p->program_pages,
        .read_ns = p->read_ns,
        .read_slow_ns = p->read_slow_ns,
        .slow_page_permille = p->slow_page_permille,
        .program_ns = p->program_ns,
        .program_data_ns = p->program_data_ns,
        .program_spread_permille = p->program_spread_permille,
        .stripe_spread_permille = p->stripe_spread_permille,
        .stripe_cells = ssd->map.zone_units,
        .erase_ns = p->erase_ns,
        .step_ns = p->reset_step_ns,
        .read_transfer_ns = p->page_transfer_ns * unit_planes,
        .program_transfer_ns = p->program_transfer_ns * unit_planes,
        .unit_planes = unit_planes,
        .register_read_ns = p->register_read_ns,
        .program_registers = p->program_registers,
        .issue_ns = p->program_issue_ns,
        .cache_read = p->cache_read,
        .reads_first = p->reads_first,
        .program_suspend = p->program_suspend,
        .erase_suspend = p->erase_suspend,
        .suspend_ns = p->suspend_ns,
        .resume_ns = p->resume_ns,
        .segment_ns = p->suspend_segment_ns,
        .segment_spread_ns = p->suspend_segment_ns *
                             p->suspend_spread_permille / 1000,
    };

    ssd->unit_count = config.channels * config.units_per_channel;
    event_heap_init(&ssd->events, flash_event_count(&config) +
                                  bound_events_beside_flash(p));
    flash_init(&ssd->flash, &config, &ssd->events);
    ssd_front_init(ssd, flash_event_count(&config));
}

static void init_commands(Ssd *ssd)
{
    uint32_t slots = ssd->params.cmd_slots;

    ssd->commands = g_new0(Command, slots);
    for (uint32_t i = 0; i < slots; i++) {
        ssd->commands[i].next_idx = i + 1; /* ssd_has_room() guards the end */
    }
    ssd->free_command_idx = 0;
    ssd->ready = g_new(SsdDone, slots);
    /* Each flush inside, and a reset, ends an epoch, and one is current. */
    ssd->flush.size = slots + 2;
    ssd->flush.pending = g_new0(uint32_t, ssd->flush.size);
    ssd->flush.owner = g_new(uint32_t, ssd->flush.size);
}

Ssd *ssd_new(const SsdParams *params)
{
    Ssd *ssd = g_new0(Ssd, 1);

    ssd->params = *params;
    ssd_params_resolve(&ssd->params);
    ssd_ns_init(ssd);
    init_pages(ssd);
    init_zones(ssd);
    ssd_erase_init(ssd);
    ssd_jobs_init(ssd);
    init_flash(ssd);
    init_commands(ssd);
    ssd_ahead_init(ssd);
    ssd_buffer_init(ssd);
    ssd_reset_init(ssd);
    ssd_watch_init(ssd);
    ssd_conv_init(ssd);
    ssd_stats_init(ssd);
    return ssd;
}

void ssd_free(Ssd *ssd)
{
    if (ssd == NULL) {
        return;
    }
    ssd_stats_destroy(ssd);
    ssd_watch_destroy(ssd);
    ssd_conv_destroy(ssd);
    ssd_jobs_destroy(ssd);
    g_free(ssd->flush.owner);
    g_free(ssd->flush.pending);
    g_free(ssd->ready);
    g_free(ssd->commands);
    ssd_buffer_destroy(ssd);
    ssd_ahead_destroy(ssd);
    ssd_front_destroy(ssd);
    flash_destroy(&ssd->flash);
    event_heap_destroy(&ssd->events);
    g_free(ssd->zone_writes);
    g_free(ssd->programmed_rows);
    g_free(ssd->life);
    ssd_erase_destroy(ssd);
    map_destroy(&ssd->map);
    ssd_ns_destroy(ssd);
    g_free(ssd);
}

const SsdParams *ssd_params(const Ssd *ssd)
{
    return &ssd->params;
}

/* Commands */

bool ssd_has_room(const Ssd *ssd)
{
    /* Any command may be a Select All that needs every zone it can have. */
    return ssd_inflight(ssd) < ssd->params.cmd_slots &&
           ssd->free_job_count + ssd->background_running >=
           ssd->ns_zones + ssd->params.mgmt_parallel_zones +
           ssd->own_job_reserve;
}

unsigned ssd_inflight(const Ssd *ssd)
{
    return ssd->inflight_count + ssd->ready_count;
}

/* The count of commands that a namespace has inside; SSD_NSID_ALL has none. */
static void count_inside(Ssd *ssd, uint32_t nsid, int change)
{
    if (nsid != SSD_NSID_ALL) {
        ssd->ns[nsid - 1].inflight_count += change;
    }
}

static uint32_t command_take(Ssd *ssd, uint64_t now_ns, const SsdCmd *cmd,
                             uint32_t tag)
{
    uint32_t command_idx = ssd->free_command_idx;
    Command *command = &ssd->commands[command_idx];

    ssd->free_command_idx = command->next_idx;
    ssd->inflight_count++;
    ssd->inflight_finishes += cmd->op == SSD_OP_ZONE_FINISH;
    ssd->host_io_count += ssd_is_host_io(cmd->op);
    count_inside(ssd, cmd->nsid, 1);
    memset(command, 0, offsetof(Command, write));
    command->done.tag = tag;
    command->done.nsid = cmd->nsid;
    command->done.op = cmd->op;
    command->done.submitted_at_ns = now_ns;
    command->next_idx = SSD_NONE;
    command->first_job_idx = SSD_NONE;
    command->last_job_idx = SSD_NONE;
    return command_idx;
}

/* Where the completion `i` places behind the first is in the ring. */
static uint32_t ready_idx(const Ssd *ssd, uint32_t i)
{
    uint32_t idx = ssd->ready_head + i;

    return idx < ssd->params.cmd_slots ? idx : idx - ssd->params.cmd_slots;
}

void ssd_command_complete(Ssd *ssd, uint32_t command_idx, uint64_t at_ns)
{
    Command *command = &ssd->commands[command_idx];
    SsdOp op = command->done.op;

    command->done.due_at_ns = at_ns;
    ssd_histogram_add(&ssd->stats.ops[op].latency_ns,
                      at_ns - command->done.submitted_at_ns);
    ssd->stats.ops[op].bytes += command->bytes;
    ssd->ready[ready_idx(ssd, ssd->ready_count)] = command->done;
    ssd->ready_count++;
    ssd->inflight_count--;
    ssd->inflight_finishes -= op == SSD_OP_ZONE_FINISH;
    if (ssd_is_host_io(op)) {
        ssd->host_io_count--;
        ssd->host_io_seen = true;
        ssd->host_io_left_at_ns = at_ns;
    }
    command->next_idx = ssd->free_command_idx;
    ssd->free_command_idx = command_idx;
    ssd_ahead_left(ssd, command_idx);
    ssd_front_left(ssd, at_ns, command_idx);
}

void ssd_command_part_ended(Ssd *ssd, uint32_t command_idx, uint64_t at_ns)
{
    Command *command = &ssd->commands[command_idx];

    if (--command->parts_left > 0) {
        return;
    }
    if (!command->writes) {
        if (!ssd_leaves_later(ssd, at_ns, command_idx)) {
            ssd_command_complete(ssd, command_idx, at_ns);
        }
    } else if (command->is_conventional) {
        ssd_conv_issue_writes(ssd, at_ns);
    } else {
        ssd_issue_writes(ssd, at_ns, command->write.data.zone_idx);
    }
}

/* Commit: what a command changes at once. Nothing here can fail. */

/* What the statistics will say that the command has moved. */
static void count_bytes(Ssd *ssd, uint32_t command_idx, const SsdNs *ns,
                        uint64_t nlb)
{
    ssd->commands[command_idx].bytes = nlb * ns->lba_bytes;
}

static void commit_read(Ssd *ssd, uint32_t command_idx, const SsdNs *ns,
                        const SsdCmd *cmd)
{
    ssd->commands[command_idx].target = span_of(ns, cmd->slba, cmd->nlb);
    count_bytes(ssd, command_idx, ns, cmd->nlb);
}

/* What a write finds in its zone, before it is committed. */
static ZoneWrite write_before(const SsdNs *ns, uint64_t slba, uint64_t nlb)
{
    const ZoneEntry *zone = &ns->zones.zones[zone_of_lba(&ns->zones, slba)];
    Span data = span_of(ns, slba, nlb);
    uint64_t end_bytes = zone->end_nlb * ns->lba_bytes;

    return (ZoneWrite) {
        .data = data,
        .in_zrwa = zone->has_zrwa,
        .wp_from_bytes = zone->wp_nlb * ns->lba_bytes,
        .end_bytes = nlb ? MAX(data.end_bytes, end_bytes) : end_bytes,
    };
}

/* ... and where that has left the write pointer. */
static void keep_write(Ssd *ssd, uint32_t command_idx, ZoneWrite write)
{
    ssd_watch_zone(ssd, ssd->run_at_ns, write.data.zone_idx);
    write.wp_to_bytes = zone_wp_bytes(ssd, write.data.zone_idx);
    ssd->commands[command_idx].write = write;
}

static void commit_write(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                         uint64_t slba, uint64_t nlb)
{
    ZoneWrite write = write_before(ns, slba, nlb);

    zone_commit_write(&ns->zones, zone_of_lba(&ns->zones, slba),
                      zone_offset_nlb(&ns->zones, slba), nlb);
    keep_write(ssd, command_idx, write);
    count_bytes(ssd, command_idx, ns, nlb);
}

/* A write without data, which moves the write pointer behind `last_lba`. */
static void commit_flush_zrwa(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                              uint64_t last_lba)
{
    ZoneWrite write = write_before(ns, last_lba, 0);

    zone_commit_flush_zrwa(&ns->zones, zone_of_lba(&ns->zones, last_lba),
                           zone_offset_nlb(&ns->zones, last_lba));
    keep_write(ssd, command_idx, write);
}

/* An append is a write to the write pointer. Return: the assigned LBA. */
static uint64_t commit_append(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                              const SsdCmd *cmd)
{
    uint32_t zone_idx = zone_of_lba(&ns->zones, cmd->slba);
    uint64_t slba = cmd->slba + ns->zones.zones[zone_idx].wp_nlb;

    ssd->commands[command_idx].done.result = slba;
    commit_write(ssd, command_idx, ns, slba, cmd->nlb);
    return slba;
}

static void commit_copy(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                        const SsdCmd *cmd)
{
    ssd->commands[command_idx].range_count = cmd->range_count;
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        ssd_ranges(ssd, command_idx)[i] =
            span_of(ns, cmd->ranges[i].slba, cmd->ranges[i].nlb);
    }
    commit_write(ssd, command_idx, ns, cmd->slba, ssd_copy_nlb(cmd));
}

static void commit_mgmt(Ssd *ssd, uint32_t command_idx, const SsdNs *ns,
                        const SsdCmd *cmd)
{
    if (cmd->select_all) {
        ssd_commit_select_all(ssd, command_idx, ns, cmd->op);
    } else {
        ssd_commit_mgmt(ssd, command_idx, span_of(ns, cmd->slba, 0).zone_idx,
                        cmd->op);
    }
}

static Span conventional_span(const SsdNs *ns, uint64_t slba, uint64_t nlb)
{
    return (Span) {
        .zone_idx = SSD_NONE,
        .begin_bytes = slba * ns->lba_bytes,
        .end_bytes = (slba + nlb) * ns->lba_bytes,
    };
}

/* What it maps and drops changes at its hand-off: only time depends on it. */
static void commit_conventional(Ssd *ssd, uint32_t command_idx,
                                const SsdNs *ns, const SsdCmd *cmd)
{
    Command *command = &ssd->commands[command_idx];
    uint64_t nlb = cmd->op == SSD_OP_COPY ? ssd_copy_nlb(cmd) : cmd->nlb;

    command->is_conventional = true;
    if (cmd->op == SSD_OP_COPY || cmd->op == SSD_OP_DEALLOCATE) {
        command->range_count = cmd->range_count;
    }
    for (uint32_t i = 0; i < command->range_count; i++) {
        ssd_ranges(ssd, command_idx)[i] =
            conventional_span(ns, cmd->ranges[i].slba, cmd->ranges[i].nlb);
    }
    if (cmd->op != SSD_OP_DEALLOCATE) {
        command->target = conventional_span(ns, cmd->slba, nlb);
        count_bytes(ssd, command_idx, ns, nlb);
    }
}

/* Return: where the command's data lie. */
static uint64_t commit(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                       const SsdCmd *cmd)
{
    if (ssd_is_of_drive(cmd->op)) {
        return cmd->slba;
    }
    if (ns->kind == SSD_NS_CONVENTIONAL) {
        commit_conventional(ssd, command_idx, ns, cmd);
        return cmd->slba;
    }
    switch (cmd->op) {
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
        commit_read(ssd, command_idx, ns, cmd);
        break;
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
        commit_write(ssd, command_idx, ns, cmd->slba, cmd->nlb);
        break;
    case SSD_OP_APPEND:
        return commit_append(ssd, command_idx, ns, cmd);
    case SSD_OP_COPY:
        commit_copy(ssd, command_idx, ns, cmd);
        break;
    case SSD_OP_ZONE_FLUSH_ZRWA:
        commit_flush_zrwa(ssd, command_idx, ns, cmd->slba);
        break;
    case SSD_OP_DEALLOCATE: /* only a reset frees the blocks of a zone */
    case SSD_OP_ZONE_REPORT:
        break;
    default:
        commit_mgmt(ssd, command_idx, ns, cmd);
        break;
    }
    return cmd->slba;
}

/* Begin: the work that the commit has left, from the hand-off on */

static void begin_flush(Ssd *ssd, uint32_t command_idx)
{
    if (ssd_await_programs(ssd, owner_of_command(command_idx))) {
        ssd->commands[command_idx].parts_left++;
    }
}

/* Reads now, writes when the last read has ended. */
static void begin_copy(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &ssd->commands[command_idx];

    for (uint32_t i = 0; i < command->range_count; i++) {
        ssd_start_read(ssd, now_ns, command_idx,
                       ssd_ranges(ssd, command_idx)[i]);
    }
    ssd_queue_write(ssd, command_idx);
}

/* The data of a write are there before it asks for a page. */
static void begin_conventional(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &ssd->commands[command_idx];

    ssd_conv_start(ssd, now_ns, command_idx);
    if (command->writes && ssd->params.link_in_ns) {
        command->parts_left++;
        ssd_link_in(ssd, now_ns, command_idx, command->bytes, true);
    }
}

static void begin(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &ssd->commands[command_idx];

    if (command->done.op == SSD_OP_COMPARE) {
        ssd_link_compare(ssd, now_ns, command_idx);
    }
    if (command->is_conventional) {
        begin_conventional(ssd, now_ns, command_idx);
        return;
    }
    switch (command->done.op) {
    case SSD_OP_FLUSH:
        begin_flush(ssd, command_idx);
        break;
    case SSD_OP_COMPARE:
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
        ssd_start_read(ssd, now_ns, command_idx, command->target);
        break;
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_APPEND:
    case SSD_OP_ZONE_FLUSH_ZRWA:
        ssd_queue_write(ssd, command_idx);
        break;
    case SSD_OP_COPY:
        begin_copy(ssd, now_ns, command_idx);
        break;
    default: /* a finish or reset; others have no jobs, and have ended */
        ssd_begin_jobs(ssd, now_ns, command_idx);
        break;
    }
}

void ssd_begin(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    begin(ssd, now_ns, command_idx);
    ssd_command_part_ended(ssd, command_idx, now_ns);
}

static SsdNs *command_ns(Ssd *ssd, const SsdCmd *cmd)
{
    return cmd->nsid == SSD_NSID_ALL ? NULL : &ssd->ns[cmd->nsid - 1];
}

static void count_rejected(Ssd *ssd, const SsdCmd *cmd)
{
    if ((unsigned)cmd->op < SSD_OP_COUNT) {
        ssd->stats.ops[cmd->op].rejected++;
    }
}

SsdAccept ssd_submit(Ssd *ssd, uint64_t now_ns, const SsdCmd *cmd,
                     uint32_t tag)
{
    SsdAccept accept = { .lba = cmd->slba };
    FrontCost cost = { 0 };
    uint32_t command_idx;
    bool enters;

    g_assert(ssd_has_room(ssd));
    ssd_run(ssd, now_ns);
    accept.status = ssd_check(ssd, cmd);
    if (accept.status != SSD_SUCCESS) {
        count_rejected(ssd, cmd);
        return accept;
    }
    enters = ssd_enters_front(ssd, cmd->op);
    if (enters) {
        cost = ssd_front_cost(ssd, command_ns(ssd, cmd), cmd);
    }
    command_idx = command_take(ssd, now_ns, cmd, tag);
    /* One part more than the work, so that it cannot end while it starts. */
    ssd->commands[command_idx].parts_left = 1;
    accept.lba = commit(ssd, command_idx, command_ns(ssd, cmd), cmd);
    if (enters) {
        ssd_front_enter(ssd, now_ns, command_idx, &cost);
    } else {
        ssd_begin(ssd, now_ns, command_idx);
    }
    return accept;
}

/* Time */

static uint32_t zone_of_place(const Ssd *ssd, uint32_t place_idx)
{
    return divide(place_idx, &ssd->map.units_divisor);
}

/* A page of a life that a reset has ended does not count. */
static void page_programmed(Ssd *ssd, const FlashOp *op, uint64_t at_ns)
{
    if (ssd_conv_has_place(ssd, op->place_idx)) {
        ssd_conv_page_programmed(ssd, op, at_ns);
    } else if (op->life == ssd->life[zone_of_place(ssd, op->place_idx)]) {
        /* Not all below: a failed zone may have thrown pages away. */
        ssd->programmed_rows[op->place_idx] = op->row + 1;
    }
}

static void command_op_ended(Ssd *ssd, const FlashOp *op, uint64_t at_ns)
{
    if (op->kind == FLASH_READ) {
        ssd_link_out_sensed(ssd, at_ns, op->owner, op->host_bytes);
    }
    /* The write first, then the flush that waited for it. */
    ssd_command_part_ended(ssd, op->owner, at_ns);
    if (op->kind == FLASH_PROGRAM) {
        ssd_host_program_ended(ssd, op->epoch, at_ns);
    }
}

static void op_ended(Ssd *ssd, const FlashOp *op, uint64_t at_ns)
{
    if (op->kind == FLASH_STEP) {
        ssd_reset_step_ended(ssd, at_ns);
        return;
    }
    if (flash_programs(op->kind)) {
        page_programmed(ssd, op, at_ns);
    }
    if (op->owner < ssd->params.cmd_slots) {
        command_op_ended(ssd, op, at_ns);
    } else if (op->owner == OWNER_BUFFER) {
        ssd_buffer_program_ended(ssd, at_ns, zone_of_place(ssd, op->place_idx),
                                 op->unit_idx);
        ssd_host_program_ended(ssd, op->epoch, at_ns);
    } else if (op->owner == OWNER_AHEAD) {
        ssd_ahead_fetched(ssd, at_ns, op->epoch);
    } else if (op->owner == OWNER_FIRST_WRITE) {
        ssd_first_erase_ended(ssd, at_ns, zone_of_place(ssd, op->place_idx));
    } else if (op->owner == owner_of_cleaning(ssd)) {
        ssd_conv_cleaning_op_ended(ssd, at_ns);
    } else if (op->owner != SSD_NONE) {
        ssd_job_op_ended(ssd, op->owner - ssd->params.cmd_slots, at_ns);
    }
    if (flash_programs(op->kind) && ssd_has_buffer(ssd)) {
        ssd_buffer_unit_free(ssd, at_ns, op->unit_idx);
    }
}

static void run_event(Ssd *ssd, uint64_t at_ns, uint32_t payload)
{
    FlashOp op;

    if (payload >= ssd->first_wake_payload) {
        ssd_job_woken(ssd, at_ns, payload - ssd->first_wake_payload);
    } else if (payload >= ssd->first_payload) {
        ssd_front_event(ssd, at_ns, payload);
    } else if (flash_event(&ssd->flash, at_ns, payload, &op)) {
        op_ended(ssd, &op, at_ns);
    }
}

static void run_until(Ssd *ssd, uint64_t until_ns)
{
    uint64_t at_ns = event_heap_next_at_ns(&ssd->events);

    while (at_ns <= until_ns && at_ns != UINT64_MAX) {
        run_event(ssd, at_ns, event_heap_pop(&ssd->events));
        at_ns = event_heap_next_at_ns(&ssd->events);
    }
}

/* At one instant, what zones do of themselves comes last. */
static void run_due(Ssd *ssd, uint64_t now_ns)
{
    while (ssd->watch.next_at_ns <= now_ns &&
           ssd->watch.next_at_ns != UINT64_MAX) {
        run_until(ssd, ssd->watch.next_at_ns);
        ssd_watch_run(ssd);
    }
    run_until(ssd, now_ns);
}

void ssd_run(Ssd *ssd, uint64_t now_ns)
{
    uint64_t due_at_ns = MIN(event_heap_next_at_ns(&ssd->events),
                             ssd->watch.next_at_ns);

    g_assert(now_ns >= ssd->run_at_ns);
    if (due_at_ns <= now_ns) {
        run_due(ssd, now_ns);
    }
    ssd->run_at_ns = now_ns;
}

/*
 * No pending event leads to a completion before this. While all that is inside
 * is host I/O, that takes a while to leave the drive once its work has ended;
 * what is leaving already waits in its lanes, or among the others.
 */
static uint64_t events_lead_to_done_at_ns(const Ssd *ssd)
{
    const EventHeap *events = &ssd->events;
    uint64_t next_at_ns = event_heap_next_at_ns(events);
    uint64_t leaving_at_ns;

    if (ssd->least_leave_ns == 0 ||
        ssd->inflight_count != ssd->host_io_count) {
        return next_at_ns;
    }
    leaving_at_ns = MIN(MIN(event_heap_lane_at_ns(events, LANE_READS_DONE),
                            event_heap_lane_at_ns(events, LANE_DONE)),
                        event_heap_other_at_ns(events));
    return MIN(leaving_at_ns, next_at_ns + ssd->least_leave_ns);
}

static uint64_t next_done_at_ns(const Ssd *ssd)
{
    if (ssd->ready_count) {
        return ssd->ready[ssd->ready_head].due_at_ns;
    }
    if (ssd->inflight_count == 0) {
        return UINT64_MAX;
    }
    if (ssd->inflight_count == ssd->inflight_finishes &&
        ssd->entering_finishes == 0 && ssd->waiting_fills == 0) {
        return ssd_fills_end_after_ns(ssd);
    }
    return events_lead_to_done_at_ns(ssd);
}

uint64_t ssd_next_at_ns(const Ssd *ssd)
{
    return MIN(next_done_at_ns(ssd), ssd->watch.next_at_ns);
}

unsigned ssd_poll(Ssd *ssd, uint64_t now_ns, SsdDone *done, unsigned max)
{
    unsigned count = 0;

    ssd_run(ssd, now_ns);
    while (count < max && ssd->ready_count) {
        done[count] = ssd->ready[ssd->ready_head];
        count_inside(ssd, done[count++].nsid, -1);
        ssd->ready_head = ready_idx(ssd, 1);
        ssd->ready_count--;
    }
    return count;
}
