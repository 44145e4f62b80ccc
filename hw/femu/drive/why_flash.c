/*
 * Operations of the flash that a command waits for: where each of them is, and
 * whose operation it waits for there.
 *
 * Knows nothing of how a command comes to the flash.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "why.h"

/* Free jobs and operations keep what was in them, so these are told apart. */

static bool *free_jobs(const Jobs *jobs)
{
    bool *is_free = g_new0(bool, jobs->fresh_idx);

    for (uint32_t i = jobs->free_idx; i != SSD_NONE;
         i = jobs->at[i].next_of_command_idx) {
        is_free[i] = true;
    }
    return is_free;
}

static bool *free_tokens(const Flash *flash)
{
    bool *is_free = g_new0(bool, flash->fresh_idx);

    for (uint32_t i = flash->free_idx; i != FLASH_NONE;
         i = flash->tokens[i].next_idx) {
        is_free[i] = true;
    }
    return is_free;
}

/* Is it the command, or a job of it? */
static bool is_own(Why *why, Owner owner)
{
    return (owner_kind(owner) == OWNER_COMMAND &&
            owner_idx(owner) == why->command_idx) ||
           (owner_kind(owner) == OWNER_JOB &&
            why_is_own_job(why, owner_idx(owner)));
}

void why_find_epoch(Why *why)
{
    const Programs *programs = &why->ssd->media.programs;
    const ResetEngine *reset = &why->ssd->reset;

    for (uint32_t i = programs->oldest; i != programs->current;
         i = (i + 1) % programs->size) {
        if (programs->flush_idx[i] == why->command_idx) {
            why->awaits = true;
            why->until_epoch = i;
        }
    }
    why->drains = reset_is_draining(reset) &&
                  why_is_own_job(why, reset->first_job_idx);
}

void why_add(Why *why, const SsdCause *cause)
{
    SsdCause added = *cause;

    if (added.until_ns == 0) {
        added.until_ns = UINT64_MAX;
    }
    g_array_append_val(why->causes, added);
}

/* Who */

SsdWho why_command(const Why *why, uint32_t command_idx)
{
    return (SsdWho) {
        .kind = SSD_WHO_COMMAND,
        .tag = why->ssd->commands.at[command_idx].done.tag,
    };
}

SsdWho why_job(const Why *why, uint32_t job_idx)
{
    uint32_t command_idx = why->ssd->zns.jobs.at[job_idx].command_idx;

    return command_idx == SSD_NONE
           ? (SsdWho) { .kind = SSD_WHO_CONTROLLER,
                        .zone_idx = why->ssd->media.works[job_idx].zone_idx }
           : why_command(why, command_idx);
}

/* The page of a zone that an operation is about. */
static SsdWho page_of(const Why *why, const FlashOp *op)
{
    const Media *media = &why->ssd->media;
    uint32_t units = media->map.zone_units;
    uint32_t zone_idx = media_zone_of_place(media, op->place_idx);
    uint32_t position = op->place_idx - zone_idx * units;

    return (SsdWho) {
        .kind = SSD_WHO_PAGE,
        .zone_idx = zone_idx,
        .page = (uint64_t)op->row * units +
                media_page_at_position(media, zone_idx, position),
    };
}

SsdWho why_owner(const Why *why, const FlashOp *op)
{
    if (op->kind == FLASH_STEP) {
        return why_job(why, why->ssd->reset.first_job_idx);
    }
    switch (owner_kind(op->owner)) {
    case OWNER_COMMAND:
        return why_command(why, owner_idx(op->owner));
    case OWNER_JOB:
        return why_job(why, owner_idx(op->owner));
    case OWNER_BUFFER:
        return owner_idx(op->owner) == why->ssd->params.zones
               ? (SsdWho) { .kind = SSD_WHO_LOG } : page_of(why, op);
    case OWNER_FIRST_WRITE:
        return (SsdWho) { .kind = SSD_WHO_ZONE,
                          .zone_idx = owner_idx(op->owner) };
    case OWNER_AHEAD:
        return (SsdWho) { .kind = SSD_WHO_AHEAD };
    case OWNER_CLEANING:
        return (SsdWho) { .kind = SSD_WHO_CLEANING };
    case OWNER_NONE:
        break;
    }
    return (SsdWho) { .kind = SSD_WHO_CONTROLLER, .zone_idx = SSD_NONE };
}

bool why_is_own_job(Why *why, uint32_t job_idx)
{
    const Jobs *jobs = &why->ssd->zns.jobs;

    if (jobs->at[job_idx].command_idx != why->command_idx) {
        return false;
    }
    if (!why->job_free) {
        why->job_free = free_jobs(jobs);
    }
    return !why->job_free[job_idx];
}

bool why_awaits(const Why *why, uint32_t epoch, uint32_t unit_idx)
{
    const Programs *programs = &why->ssd->media.programs;
    uint32_t size = programs->size;

    if (why->drains) {
        return programs->drain_of_unit[unit_idx] != 0;
    }
    return why->awaits &&
           (epoch + size - programs->oldest) % size <=
           (why->until_epoch + size - programs->oldest) % size;
}

/* Where */

const FlashToken *why_running(const Why *why, uint32_t unit_idx)
{
    const Flash *flash = &why->ssd->media.flash;
    uint32_t token_idx = flash->units[unit_idx].running_idx;

    return token_idx == FLASH_NONE ? NULL : &flash->tokens[token_idx];
}

/* It waits for what has the place; `holder` may be nothing. */
static void set_holder(const Why *why, SsdCause *cause,
                       const FlashToken *holder)
{
    if (holder) {
        cause->who = why_owner(why, &holder->op);
        cause->what = flash_kind_name(holder->op.kind);
    }
}

void why_at_unit(Why *why, SsdPlace place, uint32_t unit_idx,
                 uint32_t part_id)
{
    SsdCause cause = { .place = place, .idx = unit_idx, .part_id = part_id };

    set_holder(why, &cause, why_running(why, unit_idx));
    why_add(why, &cause);
}

static uint64_t service_ns(const Flash *flash, const FlashToken *token)
{
    return flash_is_issuing(token) ? flash->config.issue_ns
                                   : flash_channel_ns(flash, token);
}

/* `end_at_ns` is UINT64_MAX of what stands in line for its channel. */
static void add_at_clock(Why *why, SsdCause *cause, const FlashToken *token,
                         uint64_t end_at_ns)
{
    const Flash *flash = &why->ssd->media.flash;
    uint64_t begin_at_ns = end_at_ns - service_ns(flash, token);
    bool issues = flash_is_issuing(token);

    cause->place = issues ? SSD_PLACE_ISSUE : SSD_PLACE_CHANNEL;
    cause->idx = issues ? 0 : flash->units[token->op.unit_idx].channel_idx;
    cause->works = why->now_ns >= begin_at_ns;
    cause->until_ns = end_at_ns;
    if (!cause->works) {
        uint64_t until_ns;
        const FlashToken *served = why_served(why, token, &until_ns);

        cause->until_ns = MIN(begin_at_ns, until_ns);
        set_holder(why, cause, served);
    }
    why_add(why, cause);
}

static void add_at_unit(Why *why, SsdCause *cause, const FlashToken *token)
{
    const FlashToken *running = why_running(why, cause->idx);

    cause->works = running == token;
    if (running) {
        cause->place = SSD_PLACE_UNIT;
        set_holder(why, cause, cause->works ? NULL : running);
    } else {
        /* An idle unit holds nobody: the drive's own programs do. */
        cause->place = SSD_PLACE_OWN;
        cause->who = (SsdWho) { 0 };
    }
    why_add(why, cause);
}

/* It waits for a register, or as an erase for programs before it. */
static void add_before(Why *why, SsdCause *cause, const FlashToken *token)
{
    const Flash *flash = &why->ssd->media.flash;

    cause->who = (SsdWho) { 0 };
    if (token->op.kind == FLASH_ERASE) {
        cause->place = SSD_PLACE_ERASE;
    } else if (flash->locked) {
        cause->place = SSD_PLACE_LOCK;
        cause->who = why_job(why, why->ssd->reset.first_job_idx);
    } else {
        cause->place = SSD_PLACE_REGISTER;
        set_holder(why, cause, why_running(why, token->op.unit_idx));
    }
    why_add(why, cause);
}

void why_add_op(Why *why, uint32_t token_idx, uint64_t at_ns)
{
    const FlashToken *token = &why->ssd->media.flash.tokens[token_idx];
    SsdCause cause = {
        .idx = token->op.unit_idx,
        .part_id = token_idx,
        .what = flash_kind_name(token->op.kind),
    };

    if (!is_own(why, token->op.owner)) {
        cause.who = why_owner(why, &token->op);
    }
    if (token->at_unit) {
        add_at_unit(why, &cause, token);
    } else if (at_ns != UINT64_MAX || flash_is_at_channel(token)) {
        add_at_clock(why, &cause, token, at_ns);
    } else {
        add_before(why, &cause, token);
    }
}

/* Which */

static bool is_line_awaited(const Why *why, uint32_t fetch_idx)
{
    const Ahead *ahead = &why->ssd->prefetch.ahead;
    const AheadWaiter *of_page = &ahead->waiters[fetch_idx *
                                                 ahead->line_pages];

    for (uint32_t page = 0; page < ahead->line_pages; page++) {
        if (of_page[page].command_idx == why->command_idx) {
            return true;
        }
    }
    return false;
}

/* A reset waits for the erases of its zone's first write before it begins. */
static bool is_erase_awaited(Why *why, uint32_t zone_idx)
{
    const JobQueue *queue = &why->ssd->zns.jobs.zones[zone_idx];

    return queue->head_idx != SSD_NONE && !queue->head_runs &&
           why_is_own_job(why, queue->head_idx);
}

static bool is_program_awaited(const Why *why, const FlashOp *op)
{
    return op->kind == FLASH_PROGRAM &&
           why_awaits(why, op->epoch, op->unit_idx);
}

static bool is_awaited(Why *why, const FlashOp *op)
{
    switch (owner_kind(op->owner)) {
    case OWNER_COMMAND:
        return is_own(why, op->owner) ||
               is_program_awaited(why, op);
    case OWNER_JOB:
        return is_own(why, op->owner);
    case OWNER_BUFFER:
        return why_awaits(why, op->epoch, op->unit_idx);
    case OWNER_CLEANING:
        return wbuf_has_log(&why->ssd->buffer) && is_program_awaited(why, op);
    case OWNER_FIRST_WRITE:
        return is_erase_awaited(why, owner_idx(op->owner));
    case OWNER_AHEAD:
        return is_line_awaited(why, owner_idx(op->owner));
    case OWNER_NONE:
        break;
    }
    return false;
}

void why_find_ops(Why *why)
{
    const Flash *flash = &why->ssd->media.flash;
    g_autofree bool *is_free = free_tokens(flash);
    g_autofree uint64_t *at_ns = why_token_events(why);

    for (uint32_t i = 0; i < flash->fresh_idx; i++) {
        if (!is_free[i] && is_awaited(why, &flash->tokens[i].op)) {
            WhyOp op = { i, at_ns[i], flash->tokens[i] };

            g_array_append_val(why->ops, op);
            why_add_op(why, i, at_ns[i]);
        }
    }
}
