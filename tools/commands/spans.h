/*
 * A trace as a file for Perfetto: each command, and what channels and units did
 * for it in a replay.
 *
 * Knows nothing of where the trace was recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_SPANS_H
#define FEMU_SIM_SPANS_H

#include "player.h"

typedef struct Spans Spans;

/* NULL and *error if there can be no such file. */
Spans *spans_open(const char *path, Player *player, GError **error);

/* Before a record is played: the drive is run to its instant, step by step. */
void spans_run(Spans *spans, uint64_t now_ns);

/* Behind it. */
void spans_record(Spans *spans, const SsdTraceRecord *record);

/* Return: false and *error if not all could be written. */
bool spans_close(Spans *spans, GError **error);

#endif
