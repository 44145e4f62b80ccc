/*
 * How many zones are in each state, a run of zones at a time, so that a report
 * of the zones in one state looks at few of the others.
 *
 * Knows nothing of how zones change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZONE_COUNTS_H
#define FEMU_ZONE_COUNTS_H

#include <stdint.h>

#include "../ssd_types.h"

/* The square root of the most zones that there are: 2^20. */
#define ZONE_RUN_ZONES 1024

/* One state's zones in one run. */
typedef uint16_t ZoneRun[SSD_ZONE_OFFLINE + 1];

typedef struct ZoneCounts {
    ZoneRun *runs; /* zones [r * ZONE_RUN_ZONES, ...): how many in each state */
    uint32_t run_count;
} ZoneCounts;

/* There is no zone yet. */
void zone_counts_init(ZoneCounts *counts, uint32_t zones);
void zone_counts_destroy(ZoneCounts *counts);

/* No zone is counted any more. */
void zone_counts_clear(ZoneCounts *counts);

static inline void zone_counts_add(ZoneCounts *counts, uint32_t zone_idx,
                                   SsdZoneState state)
{
    counts->runs[zone_idx / ZONE_RUN_ZONES][state]++;
}

static inline void zone_counts_remove(ZoneCounts *counts, uint32_t zone_idx,
                                      SsdZoneState state)
{
    counts->runs[zone_idx / ZONE_RUN_ZONES][state]--;
}

/* The zones in a state of the runs behind that of a zone. */
uint32_t zone_counts_behind(const ZoneCounts *counts, uint32_t zone_idx,
                            SsdZoneState state);

/*
 * The first run from that of a zone on that has a zone in a state: its first
 * zone, or UINT32_MAX.
 */
uint32_t zone_counts_find(const ZoneCounts *counts, uint32_t zone_idx,
                          SsdZoneState state);

#endif
