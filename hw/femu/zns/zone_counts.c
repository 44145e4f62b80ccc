/*
 * How many zones are in each state.
 *
 * Knows nothing of how zones change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "zone_counts.h"

#include <glib.h>
#include <string.h>

void zone_counts_init(ZoneCounts *counts, uint32_t zones)
{
    counts->run_count = (zones + ZONE_RUN_ZONES - 1) / ZONE_RUN_ZONES;
    counts->runs = g_new0(ZoneRun, counts->run_count);
}

void zone_counts_destroy(ZoneCounts *counts)
{
    g_free(counts->runs);
    counts->runs = NULL;
}

void zone_counts_clear(ZoneCounts *counts)
{
    memset(counts->runs, 0, counts->run_count * sizeof(*counts->runs));
}

uint32_t zone_counts_behind(const ZoneCounts *counts, uint32_t zone_idx,
                            SsdZoneState state)
{
    uint32_t sum = 0;

    for (uint32_t r = zone_idx / ZONE_RUN_ZONES + 1; r < counts->run_count;
         r++) {
        sum += counts->runs[r][state];
    }
    return sum;
}

uint32_t zone_counts_find(const ZoneCounts *counts, uint32_t zone_idx,
                          SsdZoneState state)
{
    for (uint32_t r = zone_idx / ZONE_RUN_ZONES; r < counts->run_count; r++) {
        if (counts->runs[r][state] > 0) {
            return r * ZONE_RUN_ZONES;
        }
    }
    return UINT32_MAX;
}
