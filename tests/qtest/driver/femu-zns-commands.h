/*
 * Zoned I/O commands for the qtests of the femu-zns device: how each is
 * encoded, how its data is laid out, how zone reports and statistics are read.
 *
 * Knows nothing of how long anything takes, but for the write of one page.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_COMMANDS_H
#define FEMU_ZNS_COMMANDS_H

#include "femu-zns-driver.h"
#include "qobject/qdict.h"

#define FEMU_LOG_STATS 0xc0             /* vendor log page: statistics, JSON */
#define FEMU_FEAT_STATS 0xc0            /* vendor feature: 1 resets them */

/* First block of zone `zone_idx`. */
uint64_t femu_zone_lba(const FemuDrive *drive, uint32_t zone_idx);

/* Blocks in a flash page. */
uint32_t femu_page_nlb(const FemuDrive *drive);

/*
 * Commands; the data of `nlb` blocks lies at guest address `addr`. Those that
 * are given the drive go to drive->nsid, the others to FEMU_NSID.
 */
NvmeCmd femu_cmd_rw(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                    uint32_t nlb, uint64_t addr);
NvmeCmd femu_cmd_flush(void);
NvmeCmd femu_cmd_zone(uint8_t action, uint64_t slba, bool select_all);
NvmeCmd femu_cmd_report(FemuDrive *drive, uint64_t slba, uint8_t filter,
                        bool partial, uint64_t addr, uint32_t bytes);

/* Submit one on the drive's I/O queue; data goes through drive->buf. */
uint16_t femu_submit_rw(FemuDrive *drive, uint8_t opcode, uint64_t slba,
                        uint32_t nlb);
uint16_t femu_submit_zone(FemuDrive *drive, uint8_t action, uint64_t slba,
                          bool select_all);

/*
 * To the end, stepping the clock. `data` (may be NULL) is what is written or
 * receives what is read. Return: the status.
 */
uint16_t femu_write(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                    const void *data);
uint16_t femu_read(FemuDrive *drive, uint64_t slba, uint32_t nlb, void *data);
uint16_t femu_append(FemuDrive *drive, uint64_t zslba, uint32_t nlb,
                     const void *data, uint64_t *lba);
uint16_t femu_zone_send(FemuDrive *drive, uint8_t action, uint64_t slba,
                        bool select_all);
/* One range of blocks to another place; blocks and `data`. */
uint16_t femu_copy(FemuDrive *drive, uint64_t from_lba, uint32_t nlb,
                   uint64_t to_lba);
uint16_t femu_compare(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                      const void *data);

/* Fill zone `zone_idx` from its start with `nlb` blocks; must succeed. */
void femu_fill(FemuDrive *drive, uint32_t zone_idx, uint64_t nlb);

/* What the write of one page to an idle drive takes, in the drive's time. */
uint64_t femu_page_write_ns(const FemuDrive *drive);

/*
 * Assert that the drive works: the write of one page, to a zone that is empty,
 * on its I/O queue, which is idle, ends in that time.
 */
void femu_assert_works(FemuDrive *drive, uint32_t zone_idx);

/* Bytes that differ for every block and every `seed`. Caller frees. */
uint8_t *femu_pattern(const FemuDrive *drive, uint64_t slba, uint32_t nlb,
                      unsigned seed);

/* Assert that the blocks hold `data`, or zeroes if it is NULL. */
void femu_assert_data(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                      const void *data);

/* One zone as Zone Management Receive shows it. */
NvmeZoneDescr femu_zone(FemuDrive *drive, uint32_t zone_idx);

/*
 * Assert state (NVME_ZONE_STATE_...) and write pointer, as an offset in the
 * zone. A full zone has none (ZNS 1.1, figure 37): there it is not looked at.
 */
void femu_assert_zone(FemuDrive *drive, uint32_t zone_idx, unsigned state,
                      uint64_t wp_offset_nlb);

/* The vendor log page, parsed. Caller unrefs. */
QDict *femu_stats(FemuDrive *drive);

/*
 * A property of the drive in FEMU_SLOT that is JSON, parsed; nothing is entered.
 * Caller unrefs.
 */
QDict *femu_property(FemuDrive *drive, const char *name);

/* Of that drive's thread: a member of `thread` in the statistics. */
uint64_t femu_thread_count(FemuDrive *drive, const char *name);

/* Wait until it polls. */
void femu_await_thread(FemuDrive *drive);

/*
 * A number in it: members and list indices separated by '/', such as
 * "ops/read/sum_ns" or "units/3". Asserts that it is there.
 */
uint64_t femu_stat(QDict *stats, const char *path);
bool femu_has_stat(QDict *stats, const char *path);

#endif
