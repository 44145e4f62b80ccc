// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Zone Random Write Areas (NVMe TP 4076b): more than there are, and writes and
 * flushes that leave them; on a drive without them, that they are refused.
 *
 * Knows nothing of other limits.
 */
#include <stdio.h>
#include "limits-zrwa.h"

static void not_offered(Drive *drive)
{
    printf("no ZRWA: only that it is refused is tried\n");
    expect_io(drive, INVALID_FIELD, "open with a ZRWA, without ZRWAs",
              zone_cmd(drive, OPEN | ALLOCATE_ZRWA, 0));
    expect_io(drive, INVALID_FIELD, "flush of a ZRWA, without ZRWAs",
              zone_cmd(drive, ZRWA_FLUSH, 0));
}

static void too_many(Drive *drive)
{
    uint32_t zone;

    if (drive->max_zrwa >= drive->max_open) {
        printf("as many ZRWAs as open zones: more are not tried\n");
        return;
    }
    for (zone = 0; zone < drive->max_zrwa; zone++) {
        expect_io(drive, SUCCESS, "as many ZRWAs as NUMZRWA says",
                  zone_cmd(drive, OPEN | ALLOCATE_ZRWA,
                           zone_start(drive, zone)));
    }
    expect_io(drive, ZRWA_UNAVAILABLE, "one ZRWA more than NUMZRWA",
              zone_cmd(drive, OPEN | ALLOCATE_ZRWA, zone_start(drive, zone)));
    expect_io(drive, SUCCESS, "open without a ZRWA then",
              zone_cmd(drive, OPEN, zone_start(drive, zone)));
    must_io(drive, "reset", zone_cmd(drive, RESET, 0));
    must_io(drive, "reset", zone_cmd(drive, RESET, zone_start(drive, zone)));
    expect_io(drive, SUCCESS, "a ZRWA after one was given back",
              zone_cmd(drive, OPEN | ALLOCATE_ZRWA, zone_start(drive, zone)));
    reset_all(drive);
}

static void writes(Drive *drive)
{
    uint32_t area_nlb = drive->zrwa_nlb;

    expect_io(drive, INVALID_FIELD, "open of all zones with ZRWAs",
              zone_cmd(drive, OPEN | ALLOCATE_ZRWA | SELECT_ALL, 0));
    must_io(drive, "open with a ZRWA",
            zone_cmd(drive, OPEN | ALLOCATE_ZRWA, 0));
    expect_io(drive, SUCCESS, "write of the last block of a ZRWA",
              blocks_cmd(drive, WRITE, area_nlb - 1, 1));
    expect_io(drive, SUCCESS, "write of the first block of a ZRWA",
              blocks_cmd(drive, WRITE, 0, 1));
    expect_io(drive, SUCCESS, "the same again",
              blocks_cmd(drive, WRITE, 0, 1));
    expect_true(drive, zone_wp(drive, 0) == 0,
                "writes in a ZRWA leave the write pointer alone");
    expect_io(drive, INVALID_ZONE_OPERATION, "append to a zone with a ZRWA",
              blocks_cmd(drive, ZONE_APPEND, 0, 1));
    expect_io(drive, ZONE_INVALID_WRITE, "write beyond what can be flushed",
              blocks_cmd(drive, WRITE, 2 * area_nlb, 1));
    expect_io(drive, SUCCESS, "write of the last block that can be flushed",
              blocks_cmd(drive, WRITE, 2 * area_nlb - 1, 1));
    expect_true(drive, zone_wp(drive, 0) == area_nlb,
                "a write behind a ZRWA moves the write pointer");
    expect_io(drive, ZONE_INVALID_WRITE, "write before the ZRWA",
              blocks_cmd(drive, WRITE, area_nlb - 1, 1));
    reset_all(drive);
}

static void flushes(Drive *drive)
{
    uint32_t area_nlb = drive->zrwa_nlb, granule_nlb = drive->granule_nlb;

    expect_io(drive, INVALID_ZONE_OPERATION, "flush of a zone without a ZRWA",
              zone_cmd(drive, ZRWA_FLUSH, granule_nlb - 1));
    must_io(drive, "open with a ZRWA",
            zone_cmd(drive, OPEN | ALLOCATE_ZRWA, 0));
    expect_io(drive, INVALID_ZONE_OPERATION, "flush beyond the ZRWA",
              zone_cmd(drive, ZRWA_FLUSH, area_nlb));
    if (granule_nlb > 1) {
        expect_io(drive, INVALID_FIELD, "flush of a part of a granule",
                  zone_cmd(drive, ZRWA_FLUSH, granule_nlb - 2));
    }
    expect_io(drive, LBA_OUT_OF_RANGE, "flush of the block after the last",
              zone_cmd(drive, ZRWA_FLUSH, drive->end_lba));
    expect_io(drive, INVALID_FIELD, "flush of all zones",
              zone_cmd(drive, ZRWA_FLUSH | SELECT_ALL, 0));
    expect_io(drive, SUCCESS, "flush of a granule",
              zone_cmd(drive, ZRWA_FLUSH, granule_nlb - 1));
    expect_true(drive, zone_wp(drive, 0) == granule_nlb,
                "a flush moves the write pointer");
    expect_io(drive, INVALID_ZONE_OPERATION, "flush before the ZRWA",
              zone_cmd(drive, ZRWA_FLUSH, granule_nlb - 1));
    reset_all(drive);
}

void limits_zrwa(Drive *drive)
{
    if (drive->max_zrwa == 0) {
        not_offered(drive);
        return;
    }
    too_many(drive);
    writes(drive);
    flushes(drive);
}
