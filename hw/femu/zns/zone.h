/*
 * The zone state machine: states, write pointers, open and active resources
 * (ZNS command set 1.1, section 2.1.1), and the Zone Random Write Area (ZRWA)
 * that a zone may have at its write pointer (NVMe TP 4076b).
 *
 * Every change comes in two halves: zone_check_*() says, changing nothing,
 * whether it is legal; zone_commit_*() does it and cannot fail.
 *
 * Knows nothing of time, flash or commands: what takes how long is not here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZONE_H
#define FEMU_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/divisor.h"
#include "../base/index_set.h"
#include "../ssd_types.h"

#define ZONE_NONE UINT32_MAX

typedef struct ZoneEntry {
    uint64_t wp_nlb; /* blocks from the zone's start; the capacity when full */
    /*
     * Blocks up to the last one that the host wrote: wp_nlb; beyond it in a
     * ZRWA, where some below may never have been written; before it in a zone
     * that a finish has filled.
     */
    uint64_t end_nlb;
    SsdZoneState state;
    bool has_zrwa; /* only while open or closed; holds a ZRWA resource */
    bool has_extension; /* of its descriptor; not when empty or offline */
    /*
     * Resources held. A zone that is open or closed holds what its state
     * demands; a full or empty one may still hold them until the finish or
     * reset that made it so has completed.
     */
    bool holds_open;
    bool holds_active;
    /* Neighbours among the implicitly opened zones, oldest first. */
    uint32_t older_idx;
    uint32_t newer_idx;
} ZoneEntry;

/* What of a zone outlives a loss of power, or a finish or reset of it. */
typedef struct ZoneKept {
    uint64_t wp_nlb;
    uint64_t end_nlb;
    SsdZoneState state; /* put back: not open */
    bool has_zrwa;
    bool has_extension;
} ZoneKept;

typedef struct ZoneTable {
    ZoneEntry *zones;
    uint32_t count;
    uint64_t size_nlb;     /* distance between zone starts */
    Divisor size_divisor;  /* by that */
    uint64_t capacity_nlb; /* writable blocks of a zone */
    uint32_t max_open;     /* UINT32_MAX: no limit */
    uint32_t max_active;
    uint32_t open_count;   /* zones that hold an open resource */
    uint32_t active_count;
    uint64_t zrwa_nlb;         /* blocks of a ZRWA; 0: zones have none */
    uint64_t zrwa_granule_nlb; /* it is committed in multiples of this */
    uint32_t max_zrwa;         /* UINT32_MAX: no limit */
    uint32_t zrwa_count;       /* zones that have one */
    uint32_t oldest_idx; /* implicitly opened zones, in order of opening */
    uint32_t newest_idx;
    IndexSet by_state[SSD_ZONE_OFFLINE + 1]; /* of states that there are */
} ZoneTable;

/* The first zone from `zone_idx` on that is in a state; `count` if none is. */
uint32_t zone_next_in_state(const ZoneTable *table, uint32_t zone_idx,
                            SsdZoneState state);

/* Zones from `zone_idx` on, which may be `count`, that are in a state. */
uint32_t zone_count_in_state(const ZoneTable *table, uint32_t zone_idx,
                             SsdZoneState state);

/* Which zone a block of the namespace is in, and where in it; lba < 2^63. */
static inline uint32_t zone_of_lba(const ZoneTable *table, uint64_t lba)
{
    return divide(lba, &table->size_divisor);
}

static inline uint64_t zone_offset_nlb(const ZoneTable *table, uint64_t lba)
{
    return remainder_of(lba, &table->size_divisor);
}

/* All zones empty. */
void zone_table_init(ZoneTable *table, uint32_t count, uint64_t size_nlb,
                     uint64_t capacity_nlb, uint32_t max_open,
                     uint32_t max_active);
void zone_table_destroy(ZoneTable *table);

/* Of a new table zones have been given states, each a valid one. */
void zone_table_sort(ZoneTable *table);

/*
 * Zones may have a ZRWA of `zrwa_nlb` blocks, committed in multiples of
 * `granule_nlb`, which divides it and the capacity. No zone has one yet.
 */
void zone_table_set_zrwa(ZoneTable *table, uint64_t zrwa_nlb,
                         uint64_t granule_nlb, uint32_t max_zrwa);

/*
 * A write of `nlb` blocks at block `offset_nlb` of the zone. State first, then
 * boundary, then write pointer or ZRWA, then resources (active before open).
 */
SsdStatus zone_check_write(const ZoneTable *table, uint32_t zone_idx,
                           uint64_t offset_nlb, uint64_t nlb);

/* A write to the write pointer, which a zone with a ZRWA does not take. */
SsdStatus zone_check_append(const ZoneTable *table, uint32_t zone_idx,
                            uint64_t nlb);

/*
 * The write that was checked. Without a ZRWA it moves the write pointer behind
 * it; with one, only as far as is needed to have its end in the ZRWA, in whole
 * granules. Opens the zone implicitly if it was empty or closed, closing the
 * zone implicitly opened longest ago if that is needed. A zone that becomes
 * full gives its resources back.
 */
void zone_commit_write(ZoneTable *table, uint32_t zone_idx,
                       uint64_t offset_nlb, uint64_t nlb);

/*
 * May `nlb` blocks, which may be none and may be of several zones, be deallocated
 * from block `slba` of the table on? Not those of an offline zone.
 */
SsdStatus zone_check_deallocate(const ZoneTable *table, uint64_t slba,
                                uint64_t nlb);

/* May `nlb` blocks be read at block `offset_nlb` of the zone? */
SsdStatus zone_check_read(const ZoneTable *table, uint32_t zone_idx,
                          uint64_t offset_nlb, uint64_t nlb);

/*
 * The action Flush Explicit ZRWA Range: moves the write pointer behind block
 * `last_nlb` of the zone, which lies in its ZRWA. Opens a closed zone
 * implicitly.
 */
SsdStatus zone_check_flush_zrwa(const ZoneTable *table, uint32_t zone_idx,
                                uint64_t last_nlb);
void zone_commit_flush_zrwa(ZoneTable *table, uint32_t zone_idx,
                            uint64_t last_nlb);

/*
 * Zone Management Send to one zone; `op` is one of SSD_OP_ZONE_*, but not
 * SSD_OP_ZONE_FLUSH_ZRWA.
 */
SsdStatus zone_check_mgmt(const ZoneTable *table, uint32_t zone_idx, SsdOp op);

/*
 * Finish and reset leave the zone full or empty but still holding its
 * resources, until zone_release() says that the work is done.
 */
void zone_commit_mgmt(ZoneTable *table, uint32_t zone_idx, SsdOp op);

/*
 * The first zone from `zone_idx` on that Select All of `op` works on, `count` if
 * it works on none (ZNS 1.1 section 3.4.3); and on how many it works. Of a
 * finish, these are the zones that are open or closed.
 */
uint32_t zone_next_selected(const ZoneTable *table, uint32_t zone_idx,
                            SsdOp op);
uint32_t zone_count_selected(const ZoneTable *table, SsdOp op);

/* Can Select All of `op` be done as a whole? Only opening has a limit. */
SsdStatus zone_check_select_all(const ZoneTable *table, SsdOp op);

/* Is the zone's state open or closed? (ZNS 1.1 section 2.1.1.4) */
bool zone_is_active(const ZoneTable *table, uint32_t zone_idx);

/*
 * The state that an open or closed zone begins with after a shutdown (ZNS 1.1
 * section 2.1.1.3): empty if its write pointer is at its start and its
 * descriptor has no extension, else closed. One that has data in a ZRWA is
 * closed and keeps it: the ZRWA is not volatile.
 * Return: has the state changed?
 */
bool zone_commit_initial(ZoneTable *table, uint32_t zone_idx);

/* A zone as it is now; and a new, empty one becomes that, if it is not open. */
ZoneKept zone_kept(const ZoneTable *table, uint32_t zone_idx);
void zone_put(ZoneTable *table, uint32_t zone_idx, const ZoneKept *kept);

/*
 * The medium fails: the zone becomes read-only or offline, and holds nothing.
 * Return: false, changing nothing, if it is no better than that already.
 */
bool zone_fail(ZoneTable *table, uint32_t zone_idx, SsdZoneState state);

/*
 * All zones empty again, failed ones offline, with other sizes of zones in
 * blocks. No zone may hold a resource that something is to give back.
 */
void zone_table_format(ZoneTable *table, uint64_t size_nlb,
                       uint64_t capacity_nlb);

/* Give back what a full or empty zone still holds; others keep theirs. */
void zone_release(ZoneTable *table, uint32_t zone_idx);

#endif
