/*
 * The run of the drive through time: it takes one event after another, calls
 * the room that the event belongs to, acts upon the effects, and completes
 * commands whose last part has ended.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "run.h"

/* Completions */

static void complete(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    Command *command = &ssd->commands.at[command_idx];
    OpStats *stats = &ssd->stats.ops[command->done.op];

    command->done.due_at_ns = now_ns;
    ssd_histogram_add(&stats->latency_ns,
                      now_ns - command->done.submitted_at_ns);
    stats->bytes += command->bytes;
    if (command->done.op == SSD_OP_FLUSH ||
        command->done.op == SSD_OP_SHUTDOWN) {
        zns_flush_done(&ssd->zns, command->number);
    }
    ready_push(ssd, &command->done);
    commands_give(&ssd->commands, now_ns, command_idx);
    if (command->ahead_row != 0) {
        prefetch_left(&ssd->prefetch, now_ns, command_idx);
    }
    entry_left(&ssd->entry, now_ns, command_idx);
}

/* The completion is sent; EVENT_LEAVING comes once more if it is to wait. */
static void leave(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    if (!link_completes_later(&ssd->link, now_ns, command_idx)) {
        complete(ssd, now_ns, command_idx);
    }
}

/*
 * No part of a command is left. If it has a write to issue (a copy that has
 * read its sources), that is next; else it leaves.
 */
static void goes_on(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &ssd->commands.at[command_idx];

    if (!command->writes) {
        if (!entry_leaves_later(&ssd->entry, now_ns, command_idx)) {
            leave(ssd, now_ns, command_idx);
        }
    } else if (command->is_conventional) {
        conv_issue_writes(&ssd->conv, now_ns);
    } else {
        zns_issue_writes(&ssd->zns, now_ns, command->write.data.zone_idx);
    }
}

static void part_ended(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    if (commands_part_off(&ssd->commands, command_idx)) {
        goes_on(ssd, now_ns, command_idx);
    }
}

/* The hand-off: a command's work begins */

RARE
static void begin_flush(Ssd *ssd, uint32_t command_idx)
{
    if (programs_await(&ssd->media.programs, command_idx)) {
        commands_part_added(&ssd->commands, command_idx);
    }
}

/* A copy reads now, and writes when its last read has ended. */
RARE
static void begin_copy(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &ssd->commands.at[command_idx];

    for (uint32_t i = 0; i < command->range_count; i++) {
        zns_start_read(&ssd->zns, now_ns, command_idx,
                       &commands_ranges(&ssd->commands, command_idx)[i]);
    }
    zns_queue_write(&ssd->zns, now_ns, command_idx);
}

/*
 * A write is issued when its data have crossed the link: they are a part. The
 * buffer has them cross when there is room.
 */
RARE
static void begin_conventional(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &ssd->commands.at[command_idx];

    conv_start(&ssd->conv, now_ns, command_idx);
    if (command->writes && ssd->params.link_in_ns &&
        !wbuf_has_log(&ssd->buffer)) {
        commands_part_added(&ssd->commands, command_idx);
        link_in(&ssd->link, now_ns, command_idx, command->bytes, true);
    }
}

static void begin_zoned(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &ssd->commands.at[command_idx];

    switch (command->done.op) {
    default: /* a finish or reset; others have no jobs, and have ended */
        zns_begin_jobs(&ssd->zns, now_ns, command_idx);
        break;
    case SSD_OP_FLUSH:
    case SSD_OP_SHUTDOWN:
        begin_flush(ssd, command_idx);
        break;
    case SSD_OP_COMPARE:
    case SSD_OP_READ:
    case SSD_OP_VERIFY:
        zns_start_read(&ssd->zns, now_ns, command_idx, &command->target);
        break;
    case SSD_OP_WRITE:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_APPEND:
    case SSD_OP_ZONE_FLUSH_ZRWA:
        zns_queue_write(&ssd->zns, now_ns, command_idx);
        break;
    case SSD_OP_COPY:
        begin_copy(ssd, now_ns, command_idx);
        break;
    }
}

void ssd_begin(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    const Command *command = &ssd->commands.at[command_idx];

    if (command->done.op == SSD_OP_COMPARE) {
        link_compare(&ssd->link, now_ns, command_idx);
    }
    if (command->is_conventional) {
        begin_conventional(ssd, now_ns, command_idx);
    } else {
        begin_zoned(ssd, now_ns, command_idx);
    }
    part_ended(ssd, now_ns, command_idx);
}

static void begin_handed_off(Ssd *ssd, uint64_t now_ns, uint32_t command_idx)
{
    if (command_idx != SSD_NONE) {
        ssd_begin(ssd, now_ns, command_idx);
    }
}

/* Effects */

static void act_upon(Ssd *ssd, uint64_t now_ns, Effect effect)
{
    uint32_t idx = effect_idx(effect);

    switch (effect_kind(effect)) {
    case EFFECT_PARTS_ENDED:
        if (commands_part_off(&ssd->commands, idx)) {
            goes_on(ssd, now_ns, idx);
        }
        break;
    case EFFECT_ZONE_DUE:
        zns_settle_zone(&ssd->zns, now_ns, idx);
        break;
    case EFFECT_ROOM_FREED:
        begin_handed_off(ssd, now_ns, entry_room_freed(&ssd->entry, now_ns));
        break;
    case EFFECT_PROGRAMS_ENDED:
        reset_drained(&ssd->reset, now_ns);
        break;
    default: /* EFFECT_RESET_MANAGED */
        zns_reset_managed(&ssd->zns, now_ns, idx);
        break;
    }
}

void ssd_drain_effects(Ssd *ssd, uint64_t now_ns)
{
    do {
        act_upon(ssd, now_ns, effects_take(&ssd->effects));
    } while (effects_wait(&ssd->effects));
}

/* Events */

static void page_programmed(Ssd *ssd, uint64_t now_ns, const FlashOp *op)
{
    if (conv_has_place(&ssd->conv, op->place_idx)) {
        conv_page_programmed(&ssd->conv, now_ns, op);
    } else {
        media_page_programmed(&ssd->media, op);
    }
}

/* At one instant the command comes before a flush that waited for it. */
static void command_op_ended(Ssd *ssd, uint64_t now_ns, const FlashOp *op)
{
    if (op->kind == FLASH_READ) {
        link_out(&ssd->link, now_ns, owner_idx(op->owner), op->host_bytes);
    }
    part_ended(ssd, now_ns, owner_idx(op->owner));
    if (op->kind == FLASH_PROGRAM) {
        programs_ended(&ssd->media.programs, op->epoch, op->unit_idx);
    }
}

static void line_fetched(Ssd *ssd, uint64_t now_ns, uint32_t fetch_idx)
{
    uint32_t stream_idx = prefetch_fetched(&ssd->prefetch, now_ns, fetch_idx);

    if (stream_idx != AHEAD_NONE) {
        prefetch_go_on(&ssd->prefetch, now_ns, stream_idx);
    }
}

/* A page that came out of the buffer, where it was in this stream */
static void buffered_ended(Ssd *ssd, uint64_t now_ns, const FlashOp *op,
                           uint32_t stream_idx)
{
    wbuf_program_ended(&ssd->buffer, now_ns, stream_idx, op->unit_idx);
    programs_ended(&ssd->media.programs, op->epoch, op->unit_idx);
}

/* Who is neither a command nor the buffer, which most operations are of. */
RARE
static void tell_another(Ssd *ssd, uint64_t now_ns, const FlashOp *op)
{
    switch (owner_kind(op->owner)) {
    case OWNER_JOB:
        zns_job_op_ended(&ssd->zns, now_ns, owner_idx(op->owner));
        break;
    case OWNER_FIRST_WRITE:
        zns_first_erase_ended(&ssd->zns, owner_idx(op->owner));
        break;
    case OWNER_AHEAD:
        line_fetched(ssd, now_ns, owner_idx(op->owner));
        break;
    case OWNER_CLEANING:
        if (flash_programs(op->kind) && wbuf_has_log(&ssd->buffer)) {
            buffered_ended(ssd, now_ns, op, ssd->params.zones);
        }
        conv_cleaning_op_ended(&ssd->conv, now_ns);
        break;
    default: /* nobody waits but for steps of a reset */
        if (op->kind == FLASH_STEP) {
            reset_step_ended(&ssd->reset, now_ns);
        }
        break;
    }
}

static void tell_owner(Ssd *ssd, uint64_t now_ns, const FlashOp *op)
{
    if (owner_kind(op->owner) == OWNER_COMMAND) {
        command_op_ended(ssd, now_ns, op);
    } else if (owner_kind(op->owner) == OWNER_BUFFER) {
        buffered_ended(ssd, now_ns, op, owner_idx(op->owner));
    } else {
        tell_another(ssd, now_ns, op);
    }
}

static void op_ended(Ssd *ssd, uint64_t now_ns, const FlashOp *op)
{
    if (flash_programs(op->kind)) {
        page_programmed(ssd, now_ns, op);
    }
    tell_owner(ssd, now_ns, op);
    /* First whoever owns the program goes on, then others get its register. */
    if (flash_programs(op->kind) && wbuf_is_on(&ssd->buffer)) {
        ssd_drain(ssd, now_ns);
        wbuf_unit_free(&ssd->buffer, now_ns, op->unit_idx);
    }
}

static void flash_happens(Ssd *ssd, uint64_t now_ns, uint32_t event)
{
    FlashOp op;

    if (flash_event(&ssd->media.flash, now_ns, event, &op)) {
        op_ended(ssd, now_ns, &op);
    }
}

/* At one instant the command comes before a finish that waited for its data. */
static void write_arrived(Ssd *ssd, uint64_t now_ns,
                          const LinkPortion *portion)
{
    const Command *command = &ssd->commands.at[portion->command_idx];
    uint32_t zone_idx = command->write.data.zone_idx;
    uint32_t life = command->life;

    zns_write_arrived(&ssd->zns, now_ns, portion);
    if (portion->is_last) {
        entry_write_arrived(&ssd->entry, now_ns, portion->command_idx);
        part_ended(ssd, now_ns, portion->command_idx);
        zns_write_came(&ssd->zns, now_ns, zone_idx, life);
    }
}

/*
 * Without the buffer it is all of a write, whose turn has come now. Through the
 * buffer comes what has been promised a place; of one that is still to write
 * more, the rest waits for places, and its data are not all here yet.
 */
RARE
static void conventional_arrived(Ssd *ssd, uint64_t now_ns,
                                 const LinkPortion *portion)
{
    bool through_buffer = wbuf_has_log(&ssd->buffer);
    const Command *command = &ssd->commands.at[portion->command_idx];

    if (through_buffer) {
        conv_write_arrived(&ssd->conv, now_ns, portion);
    }
    if (portion->is_last) {
        if (!through_buffer || !command->writes) {
            entry_write_arrived(&ssd->entry, now_ns, portion->command_idx);
        }
        part_ended(ssd, now_ns, portion->command_idx);
    }
}

static void portion_arrived(Ssd *ssd, uint64_t now_ns)
{
    LinkPortion portion = link_arrived(&ssd->link);

    if (ssd->commands.at[portion.command_idx].is_conventional) {
        conventional_arrived(ssd, now_ns, &portion);
    } else {
        write_arrived(ssd, now_ns, &portion);
    }
}

/* Events of commands on their way in and out, and of the write buffer. */
static void way_happens(Ssd *ssd, uint64_t now_ns, EventRoom room,
                        uint32_t idx)
{
    switch (room) {
    case EVENT_FRONT:
        begin_handed_off(ssd, now_ns, entry_event(&ssd->entry, now_ns));
        break;
    case EVENT_LINK:
        portion_arrived(ssd, now_ns);
        break;
    case EVENT_LEAVING:
        leave(ssd, now_ns, idx);
        break;
    default:
        wbuf_release_event(&ssd->buffer, now_ns, idx);
        break;
    }
}

RARE
static void management_happens(Ssd *ssd, uint64_t now_ns, EventRoom room,
                               uint32_t idx)
{
    switch (room) {
    case EVENT_RESET:
        reset_event(&ssd->reset, now_ns);
        break;
    case EVENT_STEP:
        reset_step_event(&ssd->reset, now_ns);
        break;
    default:
        zns_job_woken(&ssd->zns, now_ns, idx);
        break;
    }
}

/*
 * Comparisons, the commonest event first, in place of one switch: the compiler
 * would make a jump table of it, which the processor predicts badly (3.4 wrong
 * predictions a command).
 */
static void happen(Ssd *ssd, uint64_t now_ns, uint32_t event)
{
    EventRoom room = event_room(event);
    uint32_t idx = event_idx(event);

    if (room == EVENT_FLASH) {
        flash_happens(ssd, now_ns, idx);
    } else if (room <= EVENT_BUFFER) {
        way_happens(ssd, now_ns, room, idx);
    } else {
        management_happens(ssd, now_ns, room, idx);
    }
    ssd_drain(ssd, now_ns);
}

static void run_until(Ssd *ssd, uint64_t until_ns)
{
    uint64_t at_ns = event_heap_next_at_ns(&ssd->events);

    while (at_ns <= until_ns && at_ns != UINT64_MAX) {
        happen(ssd, at_ns, event_heap_pop(&ssd->events));
        at_ns = event_heap_next_at_ns(&ssd->events);
    }
}

/* At one instant, excursions and recommendations come after all events. */
void ssd_run_due(Ssd *ssd, uint64_t now_ns)
{
    for (;;) {
        uint64_t watch_at_ns = ssd->zns.watch.next_at_ns;

        run_until(ssd, MIN(watch_at_ns, now_ns));
        if (watch_at_ns > now_ns || watch_at_ns == UINT64_MAX) {
            return;
        }
        zns_watch_due(&ssd->zns);
        ssd_drain(ssd, watch_at_ns);
    }
}
