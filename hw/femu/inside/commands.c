/*
 * Commands come in and go; how many of which kind are inside.
 *
 * Knows nothing of time, flash or zones' states.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "commands.h"

#include <string.h>

void commands_init(Commands *commands, uint32_t slots, Effects *effects)
{
    *commands = (Commands) {
        .at = g_new0(Command, slots),
        .ranges = g_new(Span, (size_t)slots * SSD_DEALLOCATE_RANGES_MAX),
        .effects = effects,
    };
    for (uint32_t i = 0; i < slots; i++) {
        commands->at[i].next_idx = i + 1; /* ssd_has_room() guards the end */
    }
}

void commands_destroy(Commands *commands)
{
    g_free(commands->ranges);
    g_free(commands->at);
}

bool commands_is_host_io(SsdOp op)
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

bool commands_is_write(SsdOp op)
{
    return op == SSD_OP_WRITE || op == SSD_OP_WRITE_ZEROES ||
           op == SSD_OP_COPY || op == SSD_OP_APPEND;
}

uint32_t commands_take(Commands *commands, uint64_t now_ns, const SsdCmd *cmd,
                       uint32_t tag)
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

void commands_give(Commands *commands, uint64_t now_ns, uint32_t command_idx)
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
