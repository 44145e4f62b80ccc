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
 * What a command writes to a zone. In a ZRWA, `data` only goes into the zone's
 * buffer, and the pages that end between the two write pointers are programmed
 * behind it; elsewhere, each page when its last byte is there.
 */
typedef struct ZoneWrite {
    Span data; /* may be empty, in a ZRWA */
    bool in_zrwa;
    uint64_t wp_from_bytes; /* the zone's write pointer before it, ... */
    uint64_t wp_to_bytes;   /* ... and after it */
    uint64_t end_bytes;     /* up to the last byte that is written by then */
} ZoneWrite;

/* Classes of writes and appends, as far as their costs differ. */
typedef enum WriteClass {
    WRITE_LARGE,
    WRITE_SMALL,
    WRITE_LBA512, /* small, in blocks of 512 bytes */
    WRITE_PART,   /* of what is mapped as one */
} WriteClass;

/* A command inside. It is done when no part of it is left. */
typedef struct Command {
    SsdDone done;
    uint64_t bytes;      /* read or written */
    uint32_t parts_left; /* flash operations; for zone management, jobs */
    uint32_t next_idx;   /* of those that are free */
    uint32_t next_write_idx;      /* in the queue of its zone, or of the log */
    uint32_t next_select_all_idx; /* ... or of Select Alls */
    uint32_t first_job_idx; /* Select All: jobs that may not start yet */
    uint32_t last_job_idx;
    bool has_told;   /* by EFFECT_PARTS_ENDED, not yet acted upon */
    bool writes;     /* when no part is left; not yet issued */
    bool is_writing; /* conventional: some of it has been issued */
    uint32_t write_id; /* conventional */
    bool is_conventional;
    uint8_t write_class; /* WriteClass */
    bool select_all;
    uint32_t range_count; /* of a copy or deallocation: commands_ranges() */
    uint32_t life;        /* of the zone that it writes, at its hand-off */
    uint32_t ahead_stream_idx;
    uint64_t ahead_row; /* of that stream; 0: it has none */
    uint64_t link_until_at_ns; /* its data occupy the host link until then */
    /* All above is 0 at first; what follows, the commit writes if needed. */
    ZoneWrite write; /* conventional: only its data, without a zone */
    Span target; /* what it reads; conventional: or writes */
} Command;

typedef struct Commands {
    Command *at; /* [slot] */
    Span *ranges; /* [slot * SSD_DEALLOCATE_RANGES_MAX + range] */
    Effects *effects;
    uint32_t free_idx;
    uint32_t count;         /* inside */
    uint32_t finish_count;  /* of these, finishes */
    uint32_t host_io_count; /* ... and those that move data */
    bool host_io_seen;
    uint64_t host_io_left_at_ns; /* since when there is none of them */
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

/* ... of these, a write: also an append or a copy. */
static inline bool commands_is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES ||
           op == SSD_OP_COPY || op == SSD_OP_APPEND;
}

/* A command comes in; there must be a free slot. Return: its slot. */
static inline uint32_t commands_take(Commands *commands, uint64_t now_ns,
                                     const SsdCmd *cmd, uint32_t tag)
{
    uint32_t command_idx = commands->free_idx;
    Command *command = &commands->at[command_idx];

    commands->free_idx = command->next_idx;
    commands->count++;
    commands->finish_count += cmd->op == SSD_OP_ZONE_FINISH;
    commands->host_io_count += commands_is_host_io(cmd->op);
    memset(command, 0, offsetof(Command, write));
    command->done.tag = tag;
    command->done.nsid = cmd->nsid;
    command->done.op = cmd->op;
    command->done.submitted_at_ns = now_ns;
    command->first_job_idx = SSD_NONE;
    command->last_job_idx = SSD_NONE;
    return command_idx;
}

/* It leaves. What it was can be read until the slot is taken again. */
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

/* The ranges of a copy or deallocation: Command.range_count of them. */
static inline Span *commands_ranges(const Commands *commands,
                                    uint32_t command_idx)
{
    return &commands->ranges[(size_t)command_idx * SSD_DEALLOCATE_RANGES_MAX];
}

/* The command waits for one thing more, ... */
static inline void commands_part_added(Commands *commands,
                                       uint32_t command_idx)
{
    commands->at[command_idx].parts_left++;
}

/* ... and for one thing less. Return: was it the last? */
static inline bool commands_part_off(Commands *commands, uint32_t command_idx)
{
    return --commands->at[command_idx].parts_left == 0;
}

/*
 * The same for rooms below the drive: EFFECT_PARTS_ENDED tells of the last.
 * Before that is acted upon, somebody may have given the command more to wait
 * for.
 */
static inline void commands_part_ended(Commands *commands,
                                       uint32_t command_idx)
{
    Command *command = &commands->at[command_idx];

    if (commands_part_off(commands, command_idx) && !command->has_told) {
        command->has_told = true;
        effects_push(commands->effects, EFFECT_PARTS_ENDED, command_idx);
    }
}

/* EFFECT_PARTS_ENDED is acted upon. Return: is still no part left? */
static inline bool commands_is_at_rest(Commands *commands,
                                       uint32_t command_idx)
{
    Command *command = &commands->at[command_idx];

    command->has_told = false;
    return command->parts_left == 0;
}

#endif
