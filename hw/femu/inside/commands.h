/*
 * The commands that are inside: what each still has to wait for, and what is
 * known of it. Every room works on them; the drive takes them in and lets them
 * go.
 *
 * Knows nothing of time, flash or zones' states.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_COMMANDS_H
#define FEMU_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../base/owner.h"
#include "../base/span.h"
#include "../ssd_types.h"
#include "effects.h"

/*
 * What a command writes to a zone. Without a ZRWA a page is programmed when its
 * last byte has come. With one, `data` stays in the ZRWA's memory; programmed
 * are the pages that end between the old and the new write pointer, for these
 * blocks cannot be overwritten any more.
 */
typedef struct ZoneWrite {
    Span data; /* empty if a ZRWA is only flushed */
    bool in_zrwa;
    uint64_t wp_from_bytes; /* the zone's write pointer before the write */
    uint64_t wp_to_bytes;   /* the zone's write pointer after it */
    uint64_t end_bytes;     /* end of the zone's data after it */
} ZoneWrite;

/* Classes of commands that cost the front end differently. */
typedef enum CostClass {
    COST_LARGE,  /* writes and appends; and all that has no class */
    COST_SMALL,
    COST_LBA512, /* small, or a read, in blocks of 512 bytes */
    COST_PART,   /* less than a granule, the unit of the mapping */
} CostClass;

/*
 * A command inside the drive. A part is anything that it waits for; it is done
 * when parts_left is 0.
 */
typedef struct Command {
    SsdDone done;
    /*
     * A new command has 0 from here to `number`. Up to 96 bytes are cleared by a
     * few stores, more by an instruction that takes a tenth of the command's time
     * to start (rep stos).
     */
    uint64_t bytes;      /* read or written */
    uint32_t parts_left; /* flash operations; for zone management, jobs */
    uint32_t next_idx;   /* next in the list of free slots */
    uint32_t next_write_idx; /* next write of its zone, or of conv/'s log */
    uint32_t next_select_all_idx; /* next Select All that waits */
    bool writes;     /* has a write to issue when parts_left is 0 */
    bool is_writing; /* conventional: a part of the write has been issued */
    bool is_promised; /* conventional: through the buffer, see span_to_write() */
    bool is_conventional;
    bool select_all;
    bool is_answered; /* its completion is on the link, till link_until_at_ns */
    uint8_t cost_class; /* CostClass */
    uint32_t write_id; /* conventional: number of the write, for newest_id */
    uint32_t range_count; /* of a copy or deallocation: commands_ranges() */
    uint32_t life; /* Media.life of the zone that it writes, at hand-off */
    uint32_t kept_slots; /* read slots of later reads that have ended */
    uint32_t ahead_stream_idx;
    uint64_t ahead_row; /* AheadStream.row, at its time; 0: no stream */
    uint64_t link_until_at_ns; /* its data cross the host link until then */
    uint64_t front_until_at_ns; /* the front end has it again until then */
    uint64_t number; /* Commands.taken, with this one */
    uint32_t first_job_idx; /* Select All: jobs that may not start yet */
    uint32_t last_job_idx;
    /* Of these it has only what its commit has set. */
    ZoneWrite write; /* conventional: only `data`, of no zone; or as promised */
    Span target; /* what it reads; conventional: what it reads or writes */
} Command;

typedef struct Commands {
    Command *at; /* [slot] */
    Span *ranges; /* [slot * SSD_DEALLOCATE_RANGES_MAX + range] */
    Effects *effects;
    uint32_t free_idx;
    uint32_t count;         /* commands inside */
    uint32_t finish_count;  /* of these: finishes */
    uint32_t host_io_count; /* of these: commands that move data */
    uint64_t taken;         /* commands ever */
    bool host_io_seen;
    uint64_t host_io_left_at_ns; /* when host_io_count has become 0 */
} Commands;

void commands_init(Commands *commands, uint32_t slots, Effects *effects);
void commands_destroy(Commands *commands);

/* Does the operation move data between host and drive, or within the drive? */
static inline bool commands_is_host_io(SsdOp op)
{
    switch (op) {
    case SSD_OP_READ:
    case SSD_OP_WRITE:
    case SSD_OP_APPEND:
    case SSD_OP_WRITE_ZEROES:
    case SSD_OP_VERIFY:
    case SSD_OP_COMPARE:
    case SSD_OP_COPY:
        return true;
    default:
        return false;
    }
}

/* Does the operation read data for the host, or to look at them? */
static inline bool commands_is_read(SsdOp op)
{
    return op == SSD_OP_READ || op == SSD_OP_VERIFY || op == SSD_OP_COMPARE;
}

/* Does the operation write data? Appends and copies do, too. */
static inline bool commands_is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES ||
           op == SSD_OP_COPY || op == SSD_OP_APPEND;
}

/* Give a new command a slot; there must be a free one. Return: the slot. */
static inline uint32_t commands_take(Commands *commands, uint64_t now_ns,
                                     const SsdCmd *cmd, uint32_t tag)
{
    uint32_t command_idx = commands->free_idx;
    Command *command = &commands->at[command_idx];

    commands->free_idx = command->next_idx;
    commands->count++;
    commands->finish_count += cmd->op == SSD_OP_ZONE_FINISH;
    commands->host_io_count += commands_is_host_io(cmd->op);
    command->done = (SsdDone) {
        .tag = tag,
        .nsid = cmd->nsid,
        .op = cmd->op,
        .submitted_at_ns = now_ns,
    };
    memset(&command->bytes, 0,
           offsetof(Command, number) - offsetof(Command, bytes));
    command->number = ++commands->taken;
    command->first_job_idx = SSD_NONE;
    command->last_job_idx = SSD_NONE;
    return command_idx;
}

/* Free the slot. The command can be read until the slot is taken again. */
static inline void commands_give(Commands *commands, uint64_t now_ns,
                                 uint32_t command_idx)
{
    Command *command = &commands->at[command_idx];
    SsdOp op = command->done.op;

    commands->count--;
    commands->finish_count -= op == SSD_OP_ZONE_FINISH;
    if (commands_is_host_io(op)) {
        commands->host_io_count--;
        commands->host_io_seen = true;
        commands->host_io_left_at_ns = now_ns;
    }
    command->next_idx = commands->free_idx;
    commands->free_idx = command_idx;
}

/* Which of `slots` are taken; free it. */
bool *commands_inside(const Commands *commands, uint32_t slots);

/* The ranges of a copy or deallocation: Command.range_count of them. */
static inline Span *commands_ranges(const Commands *commands,
                                    uint32_t command_idx)
{
    return &commands->ranges[(size_t)command_idx * SSD_DEALLOCATE_RANGES_MAX];
}

/* The command waits for one part more. */
static inline void commands_part_added(Commands *commands,
                                       uint32_t command_idx)
{
    commands->at[command_idx].parts_left++;
}

/* A part of the command has ended. Return: was it the last? */
static inline bool commands_part_off(Commands *commands, uint32_t command_idx)
{
    return --commands->at[command_idx].parts_left == 0;
}

/*
 * The same for rooms below drive/: the last part becomes an EFFECT_PARTS_ENDED,
 * and is one until drive/ acts upon it. Others may be added and end meanwhile.
 */
static inline void commands_part_ended(Commands *commands,
                                       uint32_t command_idx)
{
    if (commands->at[command_idx].parts_left == 1) {
        effects_push(commands->effects, EFFECT_PARTS_ENDED, command_idx);
    } else {
        commands_part_off(commands, command_idx);
    }
}

/*
 * commands_state.c: as bytes; see base/state.h. Return: the slots that are
 * used, commands->count of them; free it.
 */
typedef struct State State;
uint32_t *commands_state(Commands *commands, State *state, uint32_t slots);
/* Completions: so many, or those that are chosen. */
void commands_done_state(SsdDone *done, State *state, uint64_t count,
                         const uint32_t *chosen);

#endif
