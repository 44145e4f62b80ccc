/*
 * A file in Chrome's format of traces, for Perfetto: operations as spans that
 * may overlap, channels and flash units as spans that do not.
 *
 * Knows nothing of what the operations are, or where they come from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_PERFETTO_H
#define FEMU_SIM_PERFETTO_H

#include <stdio.h>

#include "ssd.h"

/* Begin the file. Processes come next, then what happened, in any order. */
void perfetto_begin(FILE *out, const SsdParams *params);
void perfetto_end(FILE *out);

/* A row of rows. Processes are numbered from 1; there are less than 10^6. */
void perfetto_process(FILE *out, unsigned process, const char *name);

/*
 * An operation of a process, of a zone, which is a row. `id` tells it from what
 * overlaps with it; `args` are members of a JSON object, or "".
 */
typedef struct PerfettoSpan {
    unsigned process;
    uint32_t zone_idx;
    const char *name;
    const char *id;
    const char *args;
    uint64_t begin_at_ns;
    uint64_t end_at_ns;
} PerfettoSpan;

void perfetto_span(FILE *out, const PerfettoSpan *span);

/* What a channel or unit did, its times less `start_at_ns`. */
void perfetto_busy(FILE *out, const SsdBusy *busy, uint64_t start_at_ns);

#endif
