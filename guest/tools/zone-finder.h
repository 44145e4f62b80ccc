// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zone-finder: what its parts share. See zone-finder.c for what it is.
 */
#ifndef ZONE_FINDER_H
#define ZONE_FINDER_H

#include "zns-load.h"

typedef struct Probe Probe;

/* A place of a zone, by two pages on one unit: they are read in turn. */
typedef struct {
    uint32_t zone_idx;
    uint64_t offsets[2];
    unsigned turn;
} Pivot;

/* What was learnt of a zone. */
typedef struct {
    unsigned units;             /* that its data are spread over, about */
    uint64_t alone_ns;          /* median latency of a read on its own */
    uint64_t jump_ns;           /* ... and how much longer it is behind one */
} Shape;

/* Reads of zones, each of which has FILL_BYTES of data in the flash. */
Probe *probe_new(const Drive *drive, uint64_t fill_bytes);
/* Learns from reads of one zone what a jump is. */
void probe_learn(Probe *probe, uint32_t zone_idx, Shape *shape);
/* Finds a pivot in a zone. */
void probe_pivot(Probe *probe, uint32_t zone_idx, Pivot *pivot);
/* Return: do reads of the zone wait for the pivot? */
bool probe_share(Probe *probe, Pivot *pivot, uint32_t needle_zone);
/* Return: pairs of reads that were sent. */
uint64_t probe_count(const Probe *probe);

#endif
