/*
 * Submission and completion: ssd_submit(), ssd_next_at_ns(), ssd_poll().
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "run.h"

bool ssd_has_room(const Ssd *ssd)
{
    return ssd_inflight(ssd) < ssd->params.cmd_slots &&
           zns_has_room(&ssd->zns);
}

unsigned ssd_inflight(const Ssd *ssd)
{
    return ssd->commands.count + ssd->ready_count;
}

bool ssd_is_timed(const Ssd *ssd, SsdOp op)
{
    return entry_is_timed(&ssd->params, op);
}

/* Count a command for its namespace; one of all namespaces is not counted. */
static void count_inside(Ssd *ssd, uint32_t nsid, int change)
{
    if (nsid != SSD_NSID_ALL) {
        ssd->ns.at[nsid - 1].inflight_count += change;
    }
}

/* Commit: what a command changes at its submission. Nothing here can fail. */

/* The command's bytes in the statistics. */
static void count_bytes(Ssd *ssd, uint32_t command_idx, const SsdNs *ns,
                        uint64_t nlb)
{
    ssd->commands.at[command_idx].bytes = nlb * ns->lba_bytes;
}

static void commit_read(Ssd *ssd, uint32_t command_idx, const SsdNs *ns,
                        const SsdCmd *cmd)
{
    ssd->commands.at[command_idx].target = span_of(ns, cmd->slba, cmd->nlb);
    count_bytes(ssd, command_idx, ns, cmd->nlb);
}

/*
 * Each write takes the way of these three: `inline` saves calls, 4 % of what a
 * command costs.
 */

/* A write with the write pointer before it; call this before the commit. */
static inline void keep_write(Ssd *ssd, uint32_t command_idx, const SsdNs *ns,
                              uint64_t slba, uint64_t nlb)
{
    const ZoneEntry *zone = &ns->zones.zones[zone_of_lba(&ns->zones, slba)];
    Span data = span_of(ns, slba, nlb);
    uint64_t end_bytes = zone->end_nlb * ns->lba_bytes;

    ssd->commands.at[command_idx].write = (ZoneWrite) {
        .data = data,
        .in_zrwa = zone->has_zrwa,
        .wp_from_bytes = zone->wp_nlb * ns->lba_bytes,
        .end_bytes = nlb ? MAX(data.end_bytes, end_bytes) : end_bytes,
    };
}

/* Add the write pointer after it; call this after the commit. */
static inline void keep_wp(Ssd *ssd, uint32_t command_idx, const SsdNs *ns)
{
    Command *command = &ssd->commands.at[command_idx];
    ZoneWrite *write = &command->write;
    uint32_t zone_idx = write->data.zone_idx;

    watch_zone(&ssd->zns.watch, ssd->run_at_ns, zone_idx);
    zns_note_write(&ssd->zns, zone_idx, write->wp_from_bytes);
    write->wp_to_bytes = ns->zones.zones[zone_idx - ns->first_zone_idx].wp_nlb *
                         ns->lba_bytes;
    ssd->zns.writes[zone_idx].written_number = command->number;
}

static inline void commit_write(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                                uint64_t slba, uint64_t nlb)
{
    keep_write(ssd, command_idx, ns, slba, nlb);
    zone_commit_write(&ns->zones, zone_of_lba(&ns->zones, slba),
                      zone_offset_nlb(&ns->zones, slba), nlb);
    keep_wp(ssd, command_idx, ns);
    count_bytes(ssd, command_idx, ns, nlb);
}

/* A write without data, which moves the write pointer behind `last_lba`. */
RARE
static void commit_flush_zrwa(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                              uint64_t last_lba)
{
    keep_write(ssd, command_idx, ns, last_lba, 0);
    zone_commit_flush_zrwa(&ns->zones, zone_of_lba(&ns->zones, last_lba),
                           zone_offset_nlb(&ns->zones, last_lba));
    keep_wp(ssd, command_idx, ns);
}

/* An append is a write to the write pointer. Return: the assigned LBA. */
static uint64_t append_lba(const SsdNs *ns, const SsdCmd *cmd)
{
    uint32_t zone_idx = zone_of_lba(&ns->zones, cmd->slba);

    return cmd->slba + ns->zones.zones[zone_idx].wp_nlb;
}

static uint64_t commit_append(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                              const SsdCmd *cmd)
{
    uint64_t slba = append_lba(ns, cmd);

    ssd->commands.at[command_idx].done.result = slba;
    commit_write(ssd, command_idx, ns, slba, cmd->nlb);
    return slba;
}

RARE
static void commit_copy(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                        const SsdCmd *cmd)
{
    ssd->commands.at[command_idx].range_count = cmd->range_count;
    for (uint32_t i = 0; i < cmd->range_count; i++) {
        commands_ranges(&ssd->commands, command_idx)[i] =
            span_of(ns, cmd->ranges[i].slba, cmd->ranges[i].nlb);
    }
    commit_write(ssd, command_idx, ns, cmd->slba, ssd_copy_nlb(cmd));
}

RARE
static void commit_mgmt(Ssd *ssd, uint32_t command_idx, SsdNs *ns,
                        const SsdCmd *cmd)
{
    if (cmd->select_all) {
        zns_commit_select_all(&ssd->zns, ssd->run_at_ns, command_idx, ns,
                              cmd->op);
    } else {
        zns_commit_mgmt(&ssd->zns, ssd->run_at_ns, command_idx,
                        zone_idx_of(ns, cmd->slba), cmd->op);
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

/*
 * The mapping of the log changes at the hand-off, not here: it decides about
 * times only, not about what the host sees.
 */
RARE
static void commit_conventional(Ssd *ssd, uint32_t command_idx,
                                const SsdNs *ns, const SsdCmd *cmd)
{
    Command *command = &ssd->commands.at[command_idx];
    uint64_t nlb = cmd->op == SSD_OP_COPY ? ssd_copy_nlb(cmd) : cmd->nlb;

    command->is_conventional = true;
    if (cmd->op == SSD_OP_COPY || cmd->op == SSD_OP_DEALLOCATE) {
        command->range_count = cmd->range_count;
    }
    for (uint32_t i = 0; i < command->range_count; i++) {
        commands_ranges(&ssd->commands, command_idx)[i] =
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
        if (cmd->op == SSD_OP_SHUTDOWN) {
            zns_commit_shutdown(&ssd->zns, ssd->run_at_ns);
        }
        if (cmd->op == SSD_OP_FLUSH || cmd->op == SSD_OP_SHUTDOWN) {
            zns_flush_asked(&ssd->zns, ssd->commands.at[command_idx].number);
        }
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
    case SSD_OP_DEALLOCATE: /* of a zone's blocks: changes nothing */
    case SSD_OP_ZONE_REPORT:
        break;
    default:
        commit_mgmt(ssd, command_idx, ns, cmd);
        break;
    }
    return cmd->slba;
}

/* Submission */

static SsdNs *command_ns(Ssd *ssd, const SsdCmd *cmd)
{
    return cmd->nsid == SSD_NSID_ALL ? NULL : &ssd->ns.at[cmd->nsid - 1];
}

static void count_rejected(Ssd *ssd, const SsdCmd *cmd)
{
    if ((unsigned)cmd->op < SSD_OP_COUNT) {
        ssd->stats.ops[cmd->op].rejected++;
    }
}

static FrontCost front_cost(Ssd *ssd, const SsdNs *ns, const SsdCmd *cmd)
{
    return entry_cost(&ssd->entry, ns, cmd, cmd->op == SSD_OP_COPY
                                            ? ssd_copy_nlb(cmd) : cmd->nlb);
}

/* Make it *command_idx. Return: where its data lie. */
static uint64_t take_command(Ssd *ssd, uint64_t now_ns, SsdNs *ns,
                             const SsdCmd *cmd, uint32_t tag,
                             uint32_t *command_idx)
{
    *command_idx = commands_take(&ssd->commands, now_ns, cmd, tag);
    count_inside(ssd, cmd->nsid, 1);
    /* The start is a part, too, so that no early end completes the command. */
    commands_part_added(&ssd->commands, *command_idx);
    return commit(ssd, *command_idx, ns, cmd);
}

/* Return: where the command's data lie. */
static uint64_t accept_command(Ssd *ssd, uint64_t now_ns, const SsdCmd *cmd,
                               uint32_t tag)
{
    SsdNs *ns = command_ns(ssd, cmd);
    bool has_front = entry_takes(&ssd->entry, cmd->op);
    FrontCost cost = {0};
    uint32_t command_idx;
    uint64_t lba;

    if (has_front) {
        cost = front_cost(ssd, ns, cmd); /* as the zone is before */
    }
    lba = take_command(ssd, now_ns, ns, cmd, tag, &command_idx);
    if (has_front) {
        entry_enter(&ssd->entry, now_ns, command_idx, &cost);
    } else {
        ssd_begin(ssd, now_ns, command_idx);
        ssd_drain(ssd, now_ns);
    }
    return lba;
}

SsdAccept ssd_submit(Ssd *ssd, uint64_t now_ns, const SsdCmd *cmd,
                     uint32_t tag)
{
    SsdAccept accept = { .lba = cmd->slba };

    g_assert(ssd_has_room(ssd));
    ssd_run(ssd, now_ns);
    accept.status = ssd_check(ssd, cmd);
    if (accept.status == SSD_SUCCESS) {
        accept.lba = accept_command(ssd, now_ns, cmd, tag);
    } else {
        count_rejected(ssd, cmd);
    }
    return accept;
}

SsdAccept ssd_ask(Ssd *ssd, uint64_t now_ns, const SsdCmd *cmd)
{
    SsdAccept accept = { .lba = cmd->slba };

    ssd_run(ssd, now_ns);
    accept.status = ssd_check(ssd, cmd);
    if (accept.status == SSD_SUCCESS && cmd->op == SSD_OP_APPEND) {
        accept.lba = append_lba(command_ns(ssd, cmd), cmd);
    }
    return accept;
}

/* Completion */

/*
 * A lower bound of the next completion. An event of work in progress is one
 * itself; but if all that is inside is host I/O, then each command still has at
 * least its fixed latency (least_leave_ns) before it after its work has ended.
 * Commands that are in this latency have an EVENT_LEAVING, in its two lanes or
 * in the heap.
 */
static uint64_t events_lead_to_done_at_ns(const Ssd *ssd)
{
    const EventHeap *events = &ssd->events;
    uint64_t at_ns = event_heap_next_at_ns(events);

    if (ssd->commands.count != ssd->commands.host_io_count) {
        return at_ns;
    }
    at_ns += ssd->entry.least_leave_ns;
    at_ns = MIN(at_ns, event_heap_lane_at_ns(events, LANE_READS_LEAVE));
    at_ns = MIN(at_ns, event_heap_lane_at_ns(events, LANE_LEAVE));
    return MIN(at_ns, event_heap_other_at_ns(events));
}

/* Is there nothing inside but finishes? Needs a command. */
static bool only_finishes(const Ssd *ssd)
{
    return ssd->commands.count == ssd->commands.finish_count &&
           ssd->entry.entering_finishes == 0;
}

static uint64_t next_done_at_ns(const Ssd *ssd)
{
    if (ssd->ready_count) {
        return ssd->ready[ssd->ready_head].due_at_ns;
    }
    if (ssd->commands.count == 0) {
        return UINT64_MAX;
    }
    return only_finishes(ssd) ? zns_fills_end_after_ns(&ssd->zns)
                              : events_lead_to_done_at_ns(ssd);
}

uint64_t ssd_next_at_ns(const Ssd *ssd)
{
    uint64_t watch_at_ns = ssd->zns.watch.next_at_ns;
    uint64_t done_at_ns = next_done_at_ns(ssd);

    return MIN(done_at_ns, watch_at_ns);
}

unsigned ssd_poll(Ssd *ssd, uint64_t now_ns, SsdDone *done, unsigned max)
{
    unsigned count = 0;

    ssd_run(ssd, now_ns);
    while (count < max && ssd->ready_count) {
        ready_take(ssd, &done[count]);
        count_inside(ssd, done[count++].nsid, -1);
    }
    return count;
}
