/*
 * Namespaces: how the drive's zones are divided among the zoned ones, and what
 * a zone of the drive is in its namespace.
 *
 * Knows nothing of time, flash or commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NAMESPACES_H
#define FEMU_NAMESPACES_H

#include "../base/span.h"
#include "../params.h"
#include "zone.h"

/*
 * A namespace: its blocks and, in `zones`, its states and limits. Below these,
 * zones have one index for the whole drive, and places in them are bytes: all
 * namespaces share channels, units, jobs and time.
 */
typedef struct SsdNs {
    SsdNsKind kind;
    uint32_t lba_bytes;
    uint64_t size_nlb;
    uint32_t first_zone_idx;
    uint32_t inflight_count; /* commands accepted, not yet polled */
    /* Command.number of what came last to all its zones: WriteQueue has more */
    uint64_t managed_number;
    ZoneTable zones;         /* index: from first_zone_idx */
} SsdNs;

typedef struct Namespaces {
    SsdNs *at; /* [nsid - 1] */
    uint32_t count;
    uint32_t ns_zones; /* zones of each */
    Divisor ns_zones_divisor;
} Namespaces;

void namespaces_init(Namespaces *namespaces, const SsdParams *params);
void namespaces_destroy(Namespaces *namespaces);

/* The namespace is as new, with blocks of so many bytes. */
void namespaces_format(SsdNs *ns, const SsdParams *params, uint32_t lba_bytes);

/*
 * namespaces_state.c: as bytes; see base/state.h. A namespace may have blocks
 * of the powers of two that are set in `lba_sizes`.
 */
typedef struct State State;
void namespaces_state(Namespaces *namespaces, const SsdParams *params,
                      State *state, uint32_t lba_sizes);

/* The namespace of a zone of the drive. */
static inline SsdNs *ns_of_zone(const Namespaces *namespaces,
                                uint32_t zone_idx)
{
    return &namespaces->at[divide(zone_idx, &namespaces->ns_zones_divisor)];
}

/* A zone of the drive, as its namespace has it. */
static inline const ZoneEntry *zone_entry(const Namespaces *namespaces,
                                          uint32_t zone_idx)
{
    const SsdNs *ns = ns_of_zone(namespaces, zone_idx);

    return &ns->zones.zones[zone_idx - ns->first_zone_idx];
}

/* Up to where a zone of the drive has been written, in a ZRWA, too. */
static inline uint64_t zone_end_bytes(const Namespaces *namespaces,
                                      uint32_t zone_idx)
{
    return zone_entry(namespaces, zone_idx)->end_nlb *
           ns_of_zone(namespaces, zone_idx)->lba_bytes;
}

/*
 * From here on a zone of the drive has no data of the host, though its pages
 * may be programmed: a finish has filled them. UINT64_MAX: no finish has.
 */
static inline uint64_t zone_filled_from_bytes(const Namespaces *namespaces,
                                              uint32_t zone_idx)
{
    const SsdNs *ns = ns_of_zone(namespaces, zone_idx);
    const ZoneEntry *zone = &ns->zones.zones[zone_idx - ns->first_zone_idx];

    return zone->wp_nlb == ns->zones.capacity_nlb
           ? zone->end_nlb * ns->lba_bytes : UINT64_MAX;
}

/* Where the write pointer of a zone of the drive stands. */
static inline uint64_t zone_wp_bytes(const Namespaces *namespaces,
                                     uint32_t zone_idx)
{
    return zone_entry(namespaces, zone_idx)->wp_nlb *
           ns_of_zone(namespaces, zone_idx)->lba_bytes;
}

/* The zone of the drive that a block of a namespace is in. */
static inline uint32_t zone_idx_of(const SsdNs *ns, uint64_t slba)
{
    return ns->first_zone_idx + zone_of_lba(&ns->zones, slba);
}

/* Blocks of a namespace, which lie in one zone, as bytes of that. */
static inline Span span_of(const SsdNs *ns, uint64_t slba, uint64_t nlb)
{
    uint64_t begin_bytes = zone_offset_nlb(&ns->zones, slba) * ns->lba_bytes;

    return (Span) {
        .zone_idx = zone_idx_of(ns, slba),
        .begin_bytes = begin_bytes,
        .end_bytes = begin_bytes + nlb * ns->lba_bytes,
    };
}

#endif
