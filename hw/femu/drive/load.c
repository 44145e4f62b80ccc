/*
 * Checks of a drive that has been loaded for which several rooms are needed.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "load.h"

/* Arrays of what is counted */

static void events_begin(LoadEvents *events, const Ssd *ssd)
{
    events->leaving = g_new0(uint32_t, ssd->params.cmd_slots);
    events->buffer = g_new0(uint32_t, ssd->media.unit_count);
    events->jobs = g_new0(uint32_t, ssd->zns.jobs.capacity);
}

static void events_end(LoadEvents *events)
{
    g_free(events->jobs);
    g_free(events->buffer);
    g_free(events->leaving);
    g_free(events->flash.of_owns);
    g_free(events->flash.of_units);
    g_free(events->flash.of_tokens);
}

static void ops_begin(LoadOps *ops, const Ssd *ssd)
{
    const AheadConfig *ahead = &ssd->prefetch.ahead.config;

    ops->commands = g_new0(uint32_t, ssd->params.cmd_slots);
    ops->jobs = g_new0(uint32_t, ssd->zns.jobs.capacity);
    /* and the log */
    ops->buffer = g_new0(uint32_t, ssd->params.zones + UINT64_C(1));
    ops->first_writes = g_new0(uint32_t, ssd->params.zones);
    ops->fetches = g_new0(uint32_t,
                          (size_t)ahead->streams * ahead->depth_lines);
    ops->epochs = g_new0(uint32_t, ssd->media.programs.size);
    ops->programs = g_new0(uint32_t, ssd->media.programs.units);
    ops->line_programs = g_new0(uint32_t, ssd->conv.ftl.line_count);
}

static void ops_end(LoadOps *ops)
{
    g_free(ops->line_programs);
    g_free(ops->programs);
    g_free(ops->epochs);
    g_free(ops->fetches);
    g_free(ops->first_writes);
    g_free(ops->buffer);
    g_free(ops->jobs);
    g_free(ops->commands);
}

void load_check_begin(LoadCheck *check, Ssd *ssd)
{
    uint32_t slots = ssd->params.cmd_slots;

    *check = (LoadCheck) {
        .ssd = ssd,
        .is_used = g_new0(bool, slots),
        .waits_for_room = g_new0(bool, slots),
        .waits_for_slot = g_new0(bool, slots),
        .enters = g_new0(bool, slots),
        .in_queue = g_new0(bool, slots),
        .is_reset = g_new0(bool, ssd->zns.jobs.capacity),
        .job_used = g_new0(bool, ssd->zns.jobs.capacity),
        .parts = g_new0(uint32_t, slots),
    };
    events_begin(&check->events, ssd);
    ops_begin(&check->ops, ssd);
}

void load_check_end(LoadCheck *check)
{
    ops_end(&check->ops);
    events_end(&check->events);
    g_free(check->parts);
    g_free(check->job_used);
    g_free(check->is_reset);
    g_free(check->in_queue);
    g_free(check->enters);
    g_free(check->waits_for_slot);
    g_free(check->waits_for_room);
    g_free(check->is_used);
    g_free(check->used);
}

/* Count a command that is inside, or waits to be polled, for its namespace. */
static void count_inside(LoadCheck *check, const SsdDone *done)
{
    Namespaces *ns = &check->ssd->ns;

    if (done->nsid == SSD_NSID_ALL && ssd_is_of_drive(done->op)) {
        return;
    }
    if (done->nsid < 1 || done->nsid > ns->count) {
        state_fail(check->state, "a command of namespace %u, there are %u",
                   done->nsid, ns->count);
        return;
    }
    ns->at[done->nsid - 1].inflight_count++;
}

static void count_all_inside(LoadCheck *check)
{
    Ssd *ssd = check->ssd;

    for (uint32_t i = 0; i < ssd->commands.count; i++) {
        check->is_used[check->used[i]] = true;
        count_inside(check, &ssd->commands.at[check->used[i]].done);
    }
    for (uint32_t i = 0; i < ssd->ready_count; i++) {
        count_inside(check, &ssd->ready[ready_idx(ssd, i)]);
    }
    if (ssd_inflight(ssd) > ssd->params.cmd_slots) {
        state_fail(check->state, "%u commands are inside, there are %u slots",
                   ssd_inflight(ssd), ssd->params.cmd_slots);
    }
}

/* Its slots are counted by commands' zones, which have been checked. */
static void count_entry(LoadCheck *check)
{
    entry_count_used(&check->ssd->entry, check->used, check->enters,
                     check->waits_for_slot);
}

void load_check(LoadCheck *check, State *state)
{
    static void (*const steps[])(LoadCheck *check) = {
        count_all_inside, load_count_events, load_count_ops, load_check_jobs,
        load_check_commands, count_entry, load_check_rooms,
    };

    check->state = state;
    state_room(state, "drive");
    for (unsigned i = 0; i < G_N_ELEMENTS(steps) && state_is_good(state);
         i++) {
        steps[i](check);
    }
}
