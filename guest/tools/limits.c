// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exceeds every limit of a zoned NVMe drive by the least that exceeds it, and
 * demands the right status each time, no change of any zone, and a drive that
 * works on afterwards.
 *
 *   limits NAMESPACE CONTROLLER        /dev/nvme0n1 /dev/nvme0
 *
 * Takes the limits from what the drive says of itself. Drops all data; all
 * zones are empty afterwards. The last line is "limits: N checks, M wrong".
 * Exit status: 0 if nothing was wrong, 1 if something was, 2 if the drive did
 * not do what it must.
 *
 * What cannot be tried from here: I/O commands with a wrong namespace, which
 * the kernel refuses itself, and doorbells.
 *
 * Knows nothing of time.
 */
#include <stdio.h>
#include <string.h>
#include "limits.h"
#include "limits-admin.h"
#include "limits-zrwa.h"

#define EMPTY 1
#define CLOSED 4
#define FULL 14

#define RANGE_BYTES 32          /* of a copy's source range entry */
#define DSM_RANGE_BYTES 16
#define DSM_DEALLOCATE 4
#define COPY_FORMAT_SHIFT 8
#define REPORT_EXTENDED 1
#define FILTER_SHIFT 8

/* Reads, and what is like them */

static void read_like(Drive *drive, const char *name, uint8_t opcode)
{
    char what[80];
    struct {
        unsigned status;
        const char *what;
        uint64_t slba;
        uint64_t nlb;
    } row[] = {
        { LBA_OUT_OF_RANGE, "of the block after the last", drive->end_lba, 1 },
        { LBA_OUT_OF_RANGE, "of the last block and one more",
          drive->end_lba - 1, 2 },
        { LBA_OUT_OF_RANGE, "of block 2^64 - 1", UINT64_MAX, 1 },
        { LBA_OUT_OF_RANGE, "of blocks that pass 2^64", UINT64_MAX - 1, 4 },
        { ZONE_BOUNDARY_ERROR, "across the end of a zone",
          zone_start(drive, 1) - 1, 2 },
        { INVALID_FIELD, "of one block more than MDTS", 0,
          drive->max_nlb + 1 },
        { INVALID_FIELD, "of 65536 blocks", 0, 65536 },
        { SUCCESS, "of as many blocks as MDTS, never written", 0,
          drive->max_nlb },
        { SUCCESS, "of the last block", drive->end_lba - 1, 1 },
        { SUCCESS, "between capacity and end of a zone",
          drive->zone_nlb - 1, 1 },
    };

    memset(drive->data, 0, drive->max_bytes);
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        snprintf(what, sizeof(what), "%s %s", name, row[i].what);
        expect_io(drive, row[i].status, what,
                  blocks_cmd(drive, opcode, row[i].slba, row[i].nlb));
    }
}

static void compare_mismatch(Drive *drive)
{
    memset(drive->data, 0x5a, drive->max_bytes);
    write_nlb(drive, 0, 1);
    expect_io(drive, SUCCESS, "compare of what was written",
              blocks_cmd(drive, COMPARE, 0, 1));
    drive->data[drive->lba_bytes - 1] ^= 1;
    expect_io(drive, COMPARE_FAILURE, "compare of data with another last byte",
              blocks_cmd(drive, COMPARE, 0, 1));
    reset_all(drive);
}

/* Writes */

static void write_like(Drive *drive, const char *name, uint8_t opcode)
{
    char what[80];
    struct {
        unsigned status;
        const char *what;
        uint64_t slba;
        uint64_t nlb;
    } row[] = {
        { ZONE_INVALID_WRITE, "to the second block of an empty zone",
          zone_start(drive, 3) + 1, 1 },
        { ZONE_INVALID_WRITE, "behind the write pointer",
          zone_start(drive, 1), 1 },
        { ZONE_INVALID_WRITE, "one block before the write pointer",
          zone_start(drive, 1) + 1, 1 },
        { ZONE_INVALID_WRITE, "one block after the write pointer",
          zone_start(drive, 1) + 3, 1 },
        { ZONE_BOUNDARY_ERROR, "of one block more than the zone has room for",
          zone_start(drive, 0) + drive->capacity_nlb - 1, 2 },
        { ZONE_IS_FULL, "to a full zone", zone_start(drive, 2), 1 },
        { LBA_OUT_OF_RANGE, "to the block after the last", drive->end_lba, 1 },
        { LBA_OUT_OF_RANGE, "to block 2^64 - 1", UINT64_MAX, 1 },
        { INVALID_FIELD, "of one block more than MDTS", zone_start(drive, 4),
          drive->max_nlb + 1 },
    };

    write_nlb(drive, 0, drive->capacity_nlb - 1);
    write_nlb(drive, 1, 2);
    write_nlb(drive, 2, drive->capacity_nlb);
    expect_true(drive, zone_state(drive, 2) == FULL,
                "a zone is full when its capacity is written");
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        snprintf(what, sizeof(what), "%s %s", name, row[i].what);
        expect_io(drive, row[i].status, what,
                  blocks_cmd(drive, opcode, row[i].slba, row[i].nlb));
    }
    reset_all(drive);
}

static void appends(Drive *drive)
{
    struct {
        unsigned status;
        const char *what;
        uint64_t slba;
        uint64_t nlb;
    } row[] = {
        { ZONE_IS_FULL, "append to a full zone", zone_start(drive, 2), 1 },
        { ZONE_BOUNDARY_ERROR, "append of one block more than there is room",
          zone_start(drive, 0), 2 },
        { INVALID_FIELD, "append to the second block of a zone",
          zone_start(drive, 3) + 1, 1 },
        { LBA_OUT_OF_RANGE, "append to a zone after the last",
          drive->end_lba, 1 },
        { INVALID_FIELD, "append of one block more than ZASL",
          zone_start(drive, 3), drive->append_max_nlb + 1 },
        { SUCCESS, "append of as many blocks as ZASL", zone_start(drive, 3),
          drive->append_max_nlb },
    };

    write_nlb(drive, 0, drive->capacity_nlb - 1);
    write_nlb(drive, 2, drive->capacity_nlb);
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        expect_io(drive, row[i].status, row[i].what,
                  blocks_cmd(drive, ZONE_APPEND, row[i].slba, row[i].nlb));
    }
    reset_all(drive);
}

/* Open and active zones */

/* All commands that need a zone to be opened: of `zone`, which is empty. */
static void openers(Drive *drive, unsigned wanted, const char *when,
                    uint32_t zone)
{
    char what[80];
    uint64_t slba = zone_start(drive, zone);

    snprintf(what, sizeof(what), "write with %s", when);
    expect_io(drive, wanted, what, blocks_cmd(drive, WRITE, slba, 1));
    snprintf(what, sizeof(what), "append with %s", when);
    expect_io(drive, wanted, what, blocks_cmd(drive, ZONE_APPEND, slba, 1));
    snprintf(what, sizeof(what), "write zeroes with %s", when);
    expect_io(drive, wanted, what, blocks_cmd(drive, WRITE_ZEROES, slba, 1));
    snprintf(what, sizeof(what), "open with %s", when);
    expect_io(drive, wanted, what, zone_cmd(drive, OPEN, slba));
}

static void too_many_open(Drive *drive)
{
    if (drive->max_open == NO_LIMIT) {
        printf("no limit of open zones: not tried\n");
        return;
    }
    for (uint32_t i = 0; i < drive->max_open; i++) {
        expect_io(drive, SUCCESS, "open as many zones as MOR says",
                  zone_cmd(drive, OPEN, zone_start(drive, i)));
    }
    openers(drive, drive->max_active == drive->max_open
            ? TOO_MANY_ACTIVE_ZONES : TOO_MANY_OPEN_ZONES,
            "all open resources in use", drive->max_open);
    must_io(drive, "close", zone_cmd(drive, CLOSE, 0));
    expect_true(drive, zone_state(drive, 0) == CLOSED,
                "an open zone without data is closed when it is closed");
    if (drive->max_active > drive->max_open) {
        expect_io(drive, SUCCESS, "open after one was closed",
                  zone_cmd(drive, OPEN, zone_start(drive, drive->max_open)));
    }
    reset_all(drive);
}

static void too_many_active(Drive *drive)
{
    if (drive->max_active == NO_LIMIT) {
        printf("no limit of active zones: not tried\n");
        return;
    }
    for (uint32_t i = 0; i < drive->max_active; i++) {
        expect_io(drive, SUCCESS, "write to as many zones as MAR says",
                  blocks_cmd(drive, WRITE, zone_start(drive, i), 1));
    }
    openers(drive, TOO_MANY_ACTIVE_ZONES, "all active resources in use",
            drive->max_active);
    must_io(drive, "finish", zone_cmd(drive, FINISH, 0));
    expect_io(drive, SUCCESS, "write after one was finished",
              blocks_cmd(drive, WRITE, zone_start(drive, drive->max_active),
                         1));
    must_io(drive, "close all", zone_cmd(drive, CLOSE | SELECT_ALL, 0));
    expect_true(drive, zone_state(drive, drive->max_active) == CLOSED,
                "closing all closes a zone that was opened by a write");
    expect_io(drive, drive->max_active > drive->max_open
              ? TOO_MANY_OPEN_ZONES : SUCCESS,
              "open all, with as many closed zones as MAR says",
              zone_cmd(drive, OPEN | SELECT_ALL, 0));
    reset_all(drive);
}

/* Zone management */

static void zone_send(Drive *drive)
{
    struct {
        unsigned status;
        const char *what;
        uint32_t action;
        uint64_t slba;
    } row[] = {
        { INVALID_FIELD, "action 00h", 0, 0 },
        { INVALID_FIELD, "action 06h", 6, 0 },
        { INVALID_FIELD, "action 12h", 0x12, 0 },
        { INVALID_FIELD, "action FFh", 0xff, 0 },
        { INVALID_FIELD, "open at the second block of a zone", OPEN, 1 },
        { INVALID_FIELD, "reset at the last block", RESET,
          drive->end_lba - 1 },
        { LBA_OUT_OF_RANGE, "open of a zone after the last", OPEN,
          drive->end_lba },
        { LBA_OUT_OF_RANGE, "close of a zone after the last", CLOSE,
          drive->end_lba },
        { LBA_OUT_OF_RANGE, "finish of a zone after the last", FINISH,
          drive->end_lba },
        { LBA_OUT_OF_RANGE, "reset of a zone after the last", RESET,
          drive->end_lba },
        { LBA_OUT_OF_RANGE, "offline of a zone after the last", OFFLINE,
          drive->end_lba },
        { LBA_OUT_OF_RANGE, "reset of block 2^64 - 1", RESET, UINT64_MAX },
        { INVALID_ZONE_STATE_TRANSITION, "close of an empty zone", CLOSE, 0 },
        { INVALID_ZONE_STATE_TRANSITION, "close of a full zone", CLOSE,
          zone_start(drive, 1) },
        { INVALID_ZONE_STATE_TRANSITION, "open of a full zone", OPEN,
          zone_start(drive, 1) },
        { INVALID_ZONE_STATE_TRANSITION, "offline of an empty zone", OFFLINE,
          0 },
        { INVALID_ZONE_STATE_TRANSITION, "offline of a full zone", OFFLINE,
          zone_start(drive, 1) },
        { INVALID_ZONE_STATE_TRANSITION, "offline of an open zone", OFFLINE,
          zone_start(drive, 2) },
        { INVALID_FIELD, "extension of all zones",
          SET_EXTENSION | SELECT_ALL, 0 },
        { INVALID_FIELD, "action 06h on all zones", 6 | SELECT_ALL, 0 },
        { SUCCESS, "close all, with one open zone that has data",
          CLOSE | SELECT_ALL, 0 },
        { SUCCESS, "close all, with none to close", CLOSE | SELECT_ALL, 0 },
        { SUCCESS, "open all, whatever the block", OPEN | SELECT_ALL,
          UINT64_MAX },
        { SUCCESS, "offline all, with none read-only", OFFLINE | SELECT_ALL,
          0 },
        { SUCCESS, "finish all, with one open zone", FINISH | SELECT_ALL, 0 },
        { SUCCESS, "reset all", RESET | SELECT_ALL, UINT64_MAX },
        { SUCCESS, "reset of an empty zone", RESET, 0 },
    };

    must_io(drive, "finish", zone_cmd(drive, FINISH, zone_start(drive, 1)));
    write_nlb(drive, 2, 1);
    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        expect_io(drive, row[i].status, row[i].what,
                  zone_cmd(drive, row[i].action, row[i].slba));
    }
    if (!drive->has_extensions) {
        Cmd cmd = zone_cmd(drive, SET_EXTENSION, 0);

        cmd.addr = (uintptr_t)drive->data;
        cmd.data_len = drive->lba_bytes;
        expect_io(drive, INVALID_FIELD, "extension, without extensions", cmd);
    }
    reset_all(drive);
}

static void zone_receive(Drive *drive)
{
    struct {
        unsigned status;
        const char *what;
        uint32_t cdw13;
        uint64_t slba;
        uint32_t bytes;
    } row[] = {
        { INVALID_FIELD, "report with action 02h", 2, 0, 4096 },
        { INVALID_FIELD, "report with action FFh", 0xff, 0, 4096 },
        { INVALID_FIELD, "report with filter 08h", 8 << FILTER_SHIFT, 0,
          4096 },
        { INVALID_FIELD, "report with filter 0Ah", 0xa << FILTER_SHIFT, 0,
          4096 },
        { INVALID_FIELD, "report with filter FFh", 0xffu << FILTER_SHIFT, 0,
          4096 },
        { LBA_OUT_OF_RANGE, "report from the block after the last", 0,
          drive->end_lba, 4096 },
        { LBA_OUT_OF_RANGE, "report from block 2^64 - 1", 0, UINT64_MAX,
          4096 },
        { INVALID_FIELD, "report of a dword more than MDTS", 0, 0,
          drive->max_bytes + 4 },
        { INVALID_FIELD, "report of 4 GiB", 0, 0, 0 },
        { SUCCESS, "report from the last block", 0, drive->end_lba - 1,
          4096 },
        { SUCCESS, "report of the header alone", 0, 0, 64 },
        { SUCCESS, "report as long as MDTS", 0, 0, drive->max_bytes },
    };

    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        expect_io(drive, row[i].status, row[i].what,
                  report_cmd(drive, row[i].slba, row[i].cdw13, row[i].bytes,
                             drive->data));
    }
    if (!drive->has_extensions) {
        expect_io(drive, INVALID_FIELD, "extended report, without extensions",
                  report_cmd(drive, 0, REPORT_EXTENDED, 4096, drive->data));
    }
}

/* Copy and Dataset Management */

static void put(Drive *drive, unsigned offset_bytes, uint64_t value,
                unsigned bytes)
{
    memcpy(drive->data + offset_bytes, &value, bytes);
}

/* A copy of `count` ranges of `nlb` blocks from `slba` on, all the same. */
static Cmd copy_cmd(Drive *drive, uint64_t to_lba, uint32_t count,
                    uint64_t slba, uint32_t nlb)
{
    memset(drive->data, 0, drive->max_bytes);
    for (uint32_t i = 0; i < count; i++) {
        put(drive, i * RANGE_BYTES + 8, slba, 8);
        put(drive, i * RANGE_BYTES + 16, nlb - 1, 2);
    }
    return (Cmd) {
        .opcode = COPY,
        .nsid = drive->nsid,
        .addr = (uintptr_t)drive->data,
        .data_len = count * RANGE_BYTES,
        .cdw10 = to_lba,
        .cdw11 = to_lba >> 32,
        .cdw12 = count - 1,
    };
}

static void copies(Drive *drive)
{
    uint64_t to = zone_start(drive, 1);
    Cmd cmd;

    write_nlb(drive, 0, drive->max_nlb + 1);
    expect_io(drive, COMMAND_SIZE_LIMIT_EXCEEDED, "copy of a range too many",
              copy_cmd(drive, to, drive->copy_ranges + 1, 0, 1));
    expect_io(drive, COMMAND_SIZE_LIMIT_EXCEEDED,
              "copy of a range one block longer than MSSRL",
              copy_cmd(drive, to, 1, 0, drive->copy_range_nlb + 1));
    expect_io(drive, COMMAND_SIZE_LIMIT_EXCEEDED,
              "copy of two ranges that are longer than MCL together",
              copy_cmd(drive, to, 2, 0, drive->copy_max_nlb / 2 + 1));
    expect_io(drive, LBA_OUT_OF_RANGE, "copy from the block after the last",
              copy_cmd(drive, to, 1, drive->end_lba, 1));
    expect_io(drive, LBA_OUT_OF_RANGE, "copy to the block after the last",
              copy_cmd(drive, drive->end_lba, 1, 0, 1));
    expect_io(drive, ZONE_BOUNDARY_ERROR, "copy from across a zone's end",
              copy_cmd(drive, to, 1, to - 1, 2));
    expect_io(drive, ZONE_INVALID_WRITE, "copy to after the write pointer",
              copy_cmd(drive, to + 1, 1, 0, 1));
    cmd = copy_cmd(drive, to, 1, 0, 1);
    cmd.cdw12 |= 1 << COPY_FORMAT_SHIFT;
    expect_io(drive, INVALID_FIELD, "copy with format 1", cmd);
    cmd.cdw12 |= 0xf << COPY_FORMAT_SHIFT;
    expect_io(drive, INVALID_FIELD, "copy with format Fh", cmd);
    expect_io(drive, SUCCESS, "copy as long as MCL, in one range",
              copy_cmd(drive, to, 1, 0, drive->copy_max_nlb));
    expect_true(drive, zone_wp(drive, 1) == to + drive->copy_max_nlb,
                "the copy has moved the write pointer");
    reset_all(drive);
}

static Cmd dataset_cmd(Drive *drive, uint64_t slba, uint32_t nlb)
{
    memset(drive->data, 0, DSM_RANGE_BYTES);
    put(drive, 4, nlb, 4);
    put(drive, 8, slba, 8);
    return (Cmd) {
        .opcode = DATASET_MANAGEMENT,
        .nsid = drive->nsid,
        .addr = (uintptr_t)drive->data,
        .data_len = DSM_RANGE_BYTES,
        .cdw11 = DSM_DEALLOCATE,
    };
}

static void datasets(Drive *drive)
{
    expect_io(drive, LBA_OUT_OF_RANGE, "deallocate the block after the last",
              dataset_cmd(drive, drive->end_lba, 1));
    expect_io(drive, LBA_OUT_OF_RANGE, "deallocate the last block and one more",
              dataset_cmd(drive, drive->end_lba - 1, 2));
    expect_io(drive, LBA_OUT_OF_RANGE, "deallocate block 2^64 - 1",
              dataset_cmd(drive, UINT64_MAX, 1));
    expect_io(drive, SUCCESS, "deallocate the last block",
              dataset_cmd(drive, drive->end_lba - 1, 1));
}

/* Opcodes of the NVM command set that the drive does not list, and of nobody. */
static void opcodes(Drive *drive)
{
    static const struct {
        uint8_t opcode;
        const char *what;
    } row[] = {
        { 0x03, "opcode 03h" },
        { 0x04, "write uncorrectable" },
        { 0x0d, "reservation register" },
        { 0x0e, "reservation report" },
        { 0x11, "reservation acquire" },
        { 0x15, "reservation release" },
        { 0x18, "opcode 18h" },
        { 0x7b, "opcode 7Bh" },
        { 0x80, "opcode 80h" },
        { 0xff, "opcode FFh" },
    };

    for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        expect_io(drive, INVALID_OPCODE, row[i].what, (Cmd) {
            .opcode = row[i].opcode, .nsid = drive->nsid,
        });
    }
}

/* The drive works on: a zone is filled, read, and reported full. */

static void fill_pattern(Drive *drive, uint64_t lba)
{
    for (uint32_t i = 0; i < drive->max_bytes; i += 8) {
        put(drive, i, lba * drive->lba_bytes + i + 0x5eed, 8);
    }
}

static bool pattern_differs(Drive *drive, uint64_t lba, uint64_t nlb)
{
    for (uint32_t i = 0; i < nlb * drive->lba_bytes; i += 8) {
        uint64_t value;

        memcpy(&value, drive->data + i, 8);
        if (value != lba * drive->lba_bytes + i + 0x5eed) {
            return true;
        }
    }
    return false;
}

static void write_and_read(Drive *drive, uint32_t zone)
{
    uint64_t start = zone_start(drive, zone), nlb, at;
    bool differs = false;

    for (at = 0; at < drive->capacity_nlb; at += nlb) {
        nlb = drive->capacity_nlb - at;
        nlb = nlb < drive->max_nlb ? nlb : drive->max_nlb;
        fill_pattern(drive, start + at);
        must_io(drive, "write afterwards",
                blocks_cmd(drive, WRITE, start + at, nlb));
    }
    for (at = 0; at < drive->capacity_nlb; at += nlb) {
        nlb = drive->capacity_nlb - at;
        nlb = nlb < drive->max_nlb ? nlb : drive->max_nlb;
        memset(drive->data, 0, drive->max_bytes);
        must_io(drive, "read afterwards",
                blocks_cmd(drive, READ, start + at, nlb));
        differs |= pattern_differs(drive, start + at, nlb);
    }
    expect_true(drive, !differs, "afterwards, what is written is read");
    expect_true(drive, zone_state(drive, zone) == FULL,
                "afterwards, the zone is full");
    must_io(drive, "reset afterwards", zone_cmd(drive, RESET, start));
}

static void works_on(Drive *drive)
{
    bool empty = true;

    write_and_read(drive, 0);
    write_and_read(drive, drive->zones - 1);
    for (uint32_t i = 0; i < drive->zones; i++) {
        empty &= zone_state(drive, i) == EMPTY &&
                 zone_wp(drive, i) == zone_start(drive, i);
    }
    expect_true(drive, empty, "afterwards, every zone is empty");
}

int main(int argc, char **argv)
{
    Drive drive;

    if (argc != 3) {
        fprintf(stderr, "usage: limits NAMESPACE CONTROLLER\n");
        return 2;
    }
    drive_open(&drive, argv[1], argv[2]);
    reset_all(&drive);
    read_like(&drive, "read", READ);
    read_like(&drive, "compare", COMPARE);
    read_like(&drive, "verify", VERIFY);
    compare_mismatch(&drive);
    write_like(&drive, "write", WRITE);
    write_like(&drive, "write zeroes", WRITE_ZEROES);
    appends(&drive);
    too_many_open(&drive);
    too_many_active(&drive);
    zone_send(&drive);
    zone_receive(&drive);
    copies(&drive);
    datasets(&drive);
    opcodes(&drive);
    limits_zrwa(&drive);
    limits_admin(&drive);
    works_on(&drive);
    printf("limits: %u checks, %u wrong\n", drive.checks, drive.wrong);
    return drive.wrong ? 1 : 0;
}
