/*
 * Fuzzes the reader of trace files.
 *
 * Knows nothing of how a drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "fuzz.h"
#include "input_file.h"
#include "ssd_trace.h"

/* What the reader promises of a record. */
static void check_record(const SsdTraceRecord *record, const SsdParams *params,
                         uint64_t submitted)
{
    switch (record->kind) {
    case SSD_TRACE_SUBMIT:
        g_assert(record->seq == submitted);
        g_assert(record->cmd.op < SSD_OP_COUNT);
        g_assert(record->cmd.range_count <= SSD_COPY_RANGES_MAX + 1);
        for (uint32_t i = 0; i < record->cmd.range_count; i++) {
            volatile SsdRange range = record->cmd.ranges[i];

            (void)range;
        }
        break;
    case SSD_TRACE_DONE:
    case SSD_TRACE_DISCARD:
        g_assert(record->seq < submitted);
        break;
    case SSD_TRACE_ZONE_FAIL:
        g_assert(record->zone_idx < params->zones);
        break;
    case SSD_TRACE_FORMAT:
    case SSD_TRACE_POWER_CUT:
    case SSD_TRACE_END:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd, got = 1;
    g_autofree char *path = input_file(data, size, &fd);
    g_autoptr(GError) error = NULL;
    uint64_t submitted = 0;
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open(path, &params, &error);

    g_assert(!reader == !!error);
    if (reader) {
        g_assert(ssd_params_check(&params, NULL));
    }
    while (reader && got > 0) {
        SsdTraceRecord record;

        got = ssd_trace_next(reader, &record, &error);
        g_assert((got < 0) == !!error);
        if (got > 0) {
            check_record(&record, &params, submitted);
            submitted += record.kind == SSD_TRACE_SUBMIT;
        }
    }
    /* An error names the file, and is one line of text. */
    g_assert(!error || (strstr(error->message, path) &&
                        !strchr(error->message, '\n')));
    ssd_trace_reader_free(reader);
    close(fd);
    return 0;
}
