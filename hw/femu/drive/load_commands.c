/*
 * Commands of a drive that has been read: does each wait for something, and is
 * what it has to do what a host could have asked for?
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>

#include "../base/round.h"
#include "load.h"

/* What commands wait for, as parts of them */

static void add_part(LoadCheck *check, uint32_t command_idx, const char *what)
{
    if (!check->is_used[command_idx]) {
        state_fail(check->state, "%s is of command %u, which is not inside",
                   what, command_idx);
    }
    check->parts[command_idx]++;
}

static bool is_flush(SsdOp op)
{
    return op == SSD_OP_FLUSH || op == SSD_OP_SHUTDOWN;
}

static void add_epochs(LoadCheck *check)
{
    const Programs *programs = &check->ssd->media.programs;
    const Command *commands = check->ssd->commands.at;

    for (uint32_t i = programs->oldest; i != programs->current;
         i = (i + 1) % programs->size) {
        uint32_t command_idx = programs->flush_idx[i];

        if (is_flush(commands[command_idx].done.op)) {
            add_part(check, command_idx, "a flush");
        } else {
            state_fail(check->state, "epoch %u is awaited by command %u, which "
                       "is no flush", i, command_idx);
        }
    }
}

/* A reset that drains waits for programs, all of which are under way. */
static void check_drain(const LoadCheck *check)
{
    const Programs *programs = &check->ssd->media.programs;
    bool drains = reset_is_draining(&check->ssd->reset);
    uint64_t left = 0;

    for (uint32_t i = 0; i < programs->units; i++) {
        left += programs->drain_of_unit[i];
        if (programs->drain_of_unit[i] > programs->of_unit[i]) {
            state_fail(check->state, "a reset waits for %u programs of unit "
                       "%u, which has %u", programs->drain_of_unit[i], i,
                       programs->of_unit[i]);
        }
    }
    if ((programs->drain_left != 0) != drains) {
        state_fail(check->state, "%s reset waits for %u programs",
                   drains ? "a" : "no", programs->drain_left);
    } else if (programs->drain_left != left) {
        state_fail(check->state, "a reset waits for %u programs, those of "
                   "units are %" PRIu64, programs->drain_left, left);
    }
}

/* A read waits for one piece in a line, and in so many lines as it lies in. */
static void add_waiters(LoadCheck *check)
{
    const Ahead *ahead = &check->ssd->prefetch.ahead;
    uint64_t count = (uint64_t)ahead->config.streams *
                     ahead->config.depth_lines;

    for (uint64_t i = 0; i < count * ahead->line_pages; i++) {
        const AheadWaiter *waiter = &ahead->waiters[i];

        if (check->ops.fetches[i / ahead->line_pages] != 0 &&
            waiter->command_idx != AHEAD_NONE) {
            add_part(check, waiter->command_idx, "a line");
        }
    }
}

static void add_portions(LoadCheck *check)
{
    const Link *link = &check->ssd->link;
    const WriteBuffer *buffer = &check->ssd->buffer;

    for (uint32_t i = 0; i < link->count; i++) {
        const LinkPortion *portion = link_portion(link, i);
        const Command *command =
            &check->ssd->commands.at[portion->command_idx];

        if (portion->is_last) {
            add_part(check, portion->command_idx, "a portion");
        } else if (!check->is_used[portion->command_idx] ||
                   (command->is_conventional && !wbuf_has_log(buffer)) ||
                   command->write.in_zrwa ||
                   !wbuf_is_on(buffer) ||
                   portion->bytes !=
                   check->ssd->params.buffer_portion_bytes) {
            state_fail(check->state, "portion %u of %u bytes is not the last",
                       i, portion->bytes);
        }
    }
}

static void add_parts(LoadCheck *check)
{
    const Ssd *ssd = check->ssd;

    for (uint32_t i = 0; i < ssd->params.cmd_slots; i++) {
        unsigned waits = check->enters[i] + check->waits_for_slot[i] +
                         check->waits_for_room[i];

        if (waits > 1) {
            state_fail(check->state, "command %u waits in two places", i);
        }
        if (waits != 0) {
            add_part(check, i, "a place in a line");
        }
        if (check->ops.commands[i] >
            zns_command_bound(&ssd->params)) {
            state_fail(check->state, "command %u has %u operations", i,
                       check->ops.commands[i]);
        } else if (check->ops.commands[i] != 0) {
            add_part(check, i, "an operation");
            check->parts[i] += check->ops.commands[i] - 1;
        }
    }
    for (uint32_t i = 0; i < ssd->zns.jobs.fresh_idx; i++) {
        if (check->job_used[i] && ssd->zns.jobs.at[i].command_idx != SSD_NONE) {
            add_part(check, ssd->zns.jobs.at[i].command_idx, "a job");
        }
    }
    add_epochs(check);
    check_drain(check);
    add_waiters(check);
    add_portions(check);
}

/* Writes in the queues of their zones, and in that of the log */

static void find_queued(LoadCheck *check)
{
    const Ssd *ssd = check->ssd;
    const Command *commands = ssd->commands.at;

    for (uint32_t z = 0; z <= ssd->params.zones; z++) {
        uint32_t i = z < ssd->params.zones ? ssd->zns.writes[z].head_idx
                                           : ssd->conv.first_write_idx;

        for (; i != SSD_NONE; i = commands[i].next_write_idx) {
            check->in_queue[i] = true;
        }
    }
}

/* What a command has to do */

static bool is_span(const Span *span, uint32_t zones, uint64_t end_bytes,
                    uint64_t most_bytes)
{
    return (zones == 0 || span->zone_idx < zones) &&
           span->begin_bytes <= span->end_bytes &&
           span->end_bytes <= end_bytes &&
           span->end_bytes - span->begin_bytes <= most_bytes;
}

static bool has_ranges(const LoadCheck *check, uint32_t command_idx,
                       uint32_t zones, uint64_t end_bytes)
{
    const Commands *commands = &check->ssd->commands;
    const Command *command = &commands->at[command_idx];
    bool is_copy = command->done.op == SSD_OP_COPY;
    uint64_t sum_bytes = 0;

    if (is_copy && command->range_count > SSD_COPY_RANGES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < command->range_count; i++) {
        const Span *range = &commands_ranges(commands, command_idx)[i];

        if (!is_span(range, zones, end_bytes, UINT64_MAX)) {
            return false;
        }
        sum_bytes += range->end_bytes - range->begin_bytes;
    }
    return !is_copy || sum_bytes <= check->ssd->params.mdts_bytes;
}

static bool is_zone_write(const LoadCheck *check, const Command *command)
{
    const SsdParams *p = &check->ssd->params;
    const ZoneWrite *write = &command->write;
    /* Backwards is more than may be. */
    uint64_t moved_bytes = write->wp_to_bytes - write->wp_from_bytes;
    uint32_t lba_bytes = check->ssd->ns.at[command->done.nsid - 1].lba_bytes;

    /* A power cut may leave the zone's write pointer where it was. */
    return is_span(&write->data, p->zones, p->zone_capacity_bytes,
                   p->mdts_bytes) &&
           write->wp_from_bytes % lba_bytes == 0 &&
           write->wp_to_bytes <= p->zone_capacity_bytes &&
           write->end_bytes <= p->zone_capacity_bytes &&
           (write->in_zrwa ? moved_bytes <= p->zrwa_bytes
                           : moved_bytes <= p->mdts_bytes &&
                             write->data.begin_bytes >= write->wp_from_bytes &&
                             write->data.end_bytes == write->wp_to_bytes);
}

static bool does_zoned(const LoadCheck *check, uint32_t command_idx)
{
    const SsdParams *p = &check->ssd->params;
    const Command *command = &check->ssd->commands.at[command_idx];
    SsdOp op = command->done.op;

    if (commands_is_read(op)) {
        return is_span(&command->target, p->zones, p->zone_size_bytes,
                       p->mdts_bytes) && !command->writes &&
               command->range_count == 0;
    }
    if (commands_is_write(op) || op == SSD_OP_ZONE_FLUSH_ZRWA) {
        return is_zone_write(check, command) &&
               (op == SSD_OP_COPY
                ? has_ranges(check, command_idx, p->zones, p->zone_size_bytes)
                : command->range_count == 0);
    }
    return !command->writes && command->range_count == 0;
}

/*
 * A write to the log that comes through the buffer, see span_to_write() of
 * conv/: does it say so, of whole granules, and what is left of these? Its data
 * are a span.
 */
static bool goes_through_buffer(const LoadCheck *check,
                                const Command *command)
{
    const ZoneWrite *write = &command->write;
    const Span *target = &command->target;
    uint64_t begin_bytes = target->begin_bytes -
                           target->begin_bytes % SSD_GRANULE_BYTES;

    return write->data.zone_idx == check->ssd->params.zones &&
           write->end_bytes == round_up(target->end_bytes,
                                        SSD_GRANULE_BYTES) &&
           begin_bytes <= write->wp_from_bytes &&
           write->wp_from_bytes <= write->data.begin_bytes &&
           write->data.end_bytes <= write->end_bytes &&
           (write->wp_from_bytes | write->data.begin_bytes |
            write->data.end_bytes) % SSD_GRANULE_BYTES == 0 &&
           !command->is_writing &&
           (command->is_promised ||
            write->data.end_bytes == begin_bytes) &&
           command->writes == (write->data.end_bytes < write->end_bytes);
}

static bool does_conventional(const LoadCheck *check, uint32_t command_idx)
{
    const SsdParams *p = &check->ssd->params;
    const Command *command = &check->ssd->commands.at[command_idx];
    SsdOp op = command->done.op;
    bool has = op == SSD_OP_DEALLOCATE || op == SSD_OP_COPY;

    return has_ranges(check, command_idx, 0, p->conventional_bytes) &&
           (has || command->range_count == 0) &&
           is_span(&command->target, 0, p->conventional_bytes,
                   p->mdts_bytes) &&
           ((!command->writes && !command->is_promised) ||
            (is_span(&command->write.data, 0, p->conventional_bytes,
                     p->mdts_bytes + SSD_GRANULE_BYTES) &&
             commands_is_write(op) &&
             (wbuf_has_log(&check->ssd->buffer)
              ? goes_through_buffer(check, command)
              : !command->is_promised)));
}

/* Has it a namespace that could have taken it? */
static bool is_in_place(const LoadCheck *check, const Command *command)
{
    const SsdDone *done = &command->done;
    bool is_log;

    if (ssd_is_of_drive(done->op)) {
        return !command->is_conventional;
    }
    is_log = check->ssd->ns.at[done->nsid - 1].kind == SSD_NS_CONVENTIONAL;
    return command->is_conventional == is_log &&
           (!is_log || (done->op != SSD_OP_APPEND &&
                        done->op < SSD_OP_ZONE_OPEN));
}

static void check_command(LoadCheck *check, uint32_t i)
{
    const Command *command = &check->ssd->commands.at[i];
    bool leaves = check->events.leaving[i] != 0;

    if (!is_in_place(check, command) ||
        !(command->is_conventional ? does_conventional(check, i)
                                   : does_zoned(check, i))) {
        state_fail(check->state, "no host could ask for what command %u, of "
                   "operation %u, has to do", i, command->done.op);
    }
    if (command->parts_left != check->parts[i]) {
        state_fail(check->state, "command %u waits for %u things, must wait "
                   "for %u", i, command->parts_left, check->parts[i]);
    }
    if (command->writes != check->in_queue[i] ||
        check->events.leaving[i] > 1 ||
        leaves + (command->parts_left != 0 || command->writes) != 1) {
        state_fail(check->state, "command %u waits for %u things, is to write "
                   "%d, is in the queue %d, and leaves %u times", i,
                   command->parts_left, command->writes, check->in_queue[i],
                   check->events.leaving[i]);
    }
    if (command->kept_slots != 0 &&
        (check->waits_for_slot[i] || check->ssd->params.read_slots == 0 ||
         !part_order_has(command))) {
        state_fail(check->state, "command %u keeps %u slots of other reads", i,
                   command->kept_slots);
    }
    if (command->ahead_row != 0 &&
        (!ahead_is_on(&check->ssd->prefetch.ahead) ||
         command->done.op != SSD_OP_READ ||
         command->ahead_stream_idx == AHEAD_NONE)) {
        state_fail(check->state, "command %u is of no row of reads", i);
    }
}

void load_check_commands(LoadCheck *check)
{
    add_parts(check);
    find_queued(check);
    for (uint32_t i = 0; i < check->ssd->params.cmd_slots; i++) {
        if (check->is_used[i]) {
            check_command(check, i);
        } else if (check->events.leaving[i] != 0) {
            state_fail(check->state, "command %u leaves, and is not inside",
                       i);
        }
    }
}
