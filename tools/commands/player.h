/*
 * A drive that is given the commands of a trace, at their times. Every status,
 * completion time and result is compared with the trace's.
 *
 * Knows nothing of files, or of what it is done for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_PLAYER_H
#define FEMU_SIM_PLAYER_H

#include "commands.h"
#include "ssd_trace.h"

/* Differences that are printed; further ones are only counted. */
#define PLAYER_MAX_SHOWN 10

typedef struct Pending Pending;

typedef struct Player {
    Ssd *ssd;
    uint64_t now_ns;
    GHashTable *pending; /* key: &Pending.seq; value: the Pending */
    Pending **by_tag;    /* commands inside the drive */
    uint32_t *free_tags;
    uint32_t free_count;
    uint64_t submitted_count;
    uint64_t completed_count; /* completed in both, and compared */
    uint64_t different_count;
} Player;

void player_init(Player *player, const SsdParams *params);
void player_clear(Player *player);

/* Run the drive here to `now_ns` and take its completions. */
void player_run(Player *player, uint64_t now_ns);

/*
 * Play the next record of the trace; differences are printed and counted. At
 * the trace's END, the drive is run up to it.
 * Return: false with *error if no drive can have had this record.
 */
bool player_record(Player *player, const SsdTraceRecord *record,
                   GError **error);

/*
 * The trace has ended at `end_at_ns`: let the drive complete what is inside. A
 * command that was due earlier, and has no completion in the trace, differs.
 */
void player_end(Player *player, uint64_t end_at_ns);

/* Commands of which the trace has not told the end. */
unsigned player_open_count(const Player *player);

#endif
