/*
 * Writes Chrome's format of traces.
 *
 * Knows nothing of what the operations are, or where they come from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "perfetto.h"

#include <inttypes.h>

/* Process ids of the flash; those of the callers are lower. */
#define PERFETTO_CHANNELS 1000000
#define PERFETTO_UNITS 1000001

static void put_name(FILE *out, const char *what, unsigned process,
                     uint32_t row, const char *name)
{
    fprintf(out, ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%" PRIu32
            ",\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}", process, row,
            what, name);
}

static void put_flash(FILE *out, const SsdParams *params)
{
    uint32_t per_channel = params->ways * params->dies *
                           (params->multi_plane ? 1 : params->planes);

    put_name(out, "process_name", PERFETTO_UNITS, 0, "flash units");
    for (uint32_t i = 0; i < params->channels; i++) {
        g_autofree char *name = g_strdup_printf("channel %" PRIu32, i);

        put_name(out, "thread_name", PERFETTO_CHANNELS, i, name);
    }
    for (uint32_t i = 0; i < params->channels * per_channel; i++) {
        g_autofree char *name = g_strdup_printf(
            "channel %" PRIu32 " unit %" PRIu32, i / per_channel,
            i % per_channel);

        put_name(out, "thread_name", PERFETTO_UNITS, i, name);
    }
}

/* The first entry has no comma before it. */
void perfetto_begin(FILE *out, const SsdParams *params)
{
    fprintf(out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"name\":\"process_name\","
            "\"args\":{\"name\":\"channels\"}}", PERFETTO_CHANNELS);
    put_flash(out, params);
}

void perfetto_process(FILE *out, unsigned process, const char *name)
{
    put_name(out, "process_name", process, 0, name);
}

/* The format wants microseconds; three decimals keep the ns exact. */
static void put_us(FILE *out, const char *name, uint64_t ns)
{
    fprintf(out, ",\"%s\":%" PRIu64 ".%03" PRIu64, name, ns / 1000,
            ns % 1000);
}

void perfetto_span(FILE *out, const PerfettoSpan *span)
{
    /* Events "b" and "e" allow the operations of one zone to overlap. */
    for (unsigned end = 0; end < 2; end++) {
        fprintf(out, ",\n{\"ph\":\"%c\",\"cat\":\"op\",\"id\":\"%s\",\"pid\":%u"
                ",\"tid\":%" PRIu32 ",\"name\":\"%s\"", end ? 'e' : 'b',
                span->id, span->process, span->zone_idx, span->name);
        put_us(out, "ts", end ? span->end_at_ns : span->begin_at_ns);
        if (!end) {
            fprintf(out, ",\"args\":{%s}", span->args);
        }
        fprintf(out, "}");
    }
}

void perfetto_busy(FILE *out, const SsdBusy *busy, uint64_t start_at_ns)
{
    fprintf(out, ",\n{\"ph\":\"X\",\"cat\":\"flash\",\"pid\":%u,\"tid\":%"
            PRIu32 ",\"name\":\"%s\"", busy->is_channel ? PERFETTO_CHANNELS
            : PERFETTO_UNITS, busy->resource_idx, busy->what);
    put_us(out, "ts", busy->begin_at_ns - start_at_ns);
    put_us(out, "dur", busy->end_at_ns - busy->begin_at_ns);
    fprintf(out, "}");
}

void perfetto_end(FILE *out)
{
    fprintf(out, "\n]}\n");
}
