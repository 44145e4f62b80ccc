/*
 * Checksums of a state's files, for the device that writes them and for those
 * who read them: the form of the file 'sums'.
 *
 * They hold at any instant at which the writer may be killed. The sum of the
 * history is written behind it, before anybody is told of what it says: what
 * the history has beyond is of commands that nobody was told of. A page of the
 * data has the sums of what it was and of what it is going to be, in one word,
 * which is written before the page is: it must be one of the two.
 *
 * Knows nothing of QEMU or of how the drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_SUMS_H
#define FEMU_SSD_SUMS_H

#include "ssd_kept.h"

#define SSD_SUMS_MAGIC "femu-zns sums 1"
#define SSD_SUMS_PAGE_BYTES 4096

/* The first `bytes` of the history; `check` is the sum of all before it. */
typedef struct SsdHistorySum {
    uint64_t bytes;
    uint32_t number; /* counts entries, from 1 */
    uint32_t sum;
    uint32_t check;
    uint32_t zero;
} SsdHistorySum;

/*
 * The file, which is mapped, in the host's byte order. Of the two entries of
 * the history one is as it was while the other is written.
 */
typedef struct SsdSums {
    char magic[16];
    uint64_t kept_sum; /* of 'kept', if its writer ended; else 0 */
    SsdHistorySum history[2];
    uint8_t zero[SSD_SUMS_PAGE_BYTES - 16 - 8 - 2 * 24];
    uint64_t pages[]; /* of the data; 0: dropped, or never written */
} SsdSums;

/* All data are whole pages: so are those of the flash, and granules. */
static inline uint64_t ssd_sums_pages(const SsdParams *params)
{
    return ssd_data_bytes(params) / SSD_SUMS_PAGE_BYTES;
}

static inline uint64_t ssd_sums_bytes(const SsdParams *params)
{
    return sizeof(SsdSums) + ssd_sums_pages(params) * sizeof(uint64_t);
}

/* The CRC-32C of bytes behind others, whose CRC is `sum` (of none: 0). */
uint32_t ssd_sum(uint32_t sum, const void *data, size_t bytes);

/* The next entry of the history. */
void ssd_sums_put_history(SsdSums *sums, uint64_t bytes, uint32_t sum);

/* The latest entry that is whole; NULL if none is. */
const SsdHistorySum *ssd_sums_history(const SsdSums *sums);

/* The sum of a file's first bytes. Return: 0; ENODATA: it has fewer; or why it
 * cannot be read, as errno has it. */
int ssd_sum_file(const char *path, uint64_t bytes, uint32_t *sum);

/*
 * Have the sums begun? A writer that was killed before has left zeroes; then
 * nothing is known of the files. Return: -1 if they are damaged.
 */
int ssd_sums_begun(const SsdSums *sums);

/* Return: NULL, or what is wrong with the history at `path`. Caller frees. */
char *ssd_sums_history_fault(const SsdSums *sums, const char *path);

/* Likewise of 'kept'; NULL, too, if its writer was killed. */
char *ssd_sums_kept_fault(const SsdSums *sums, const void *kept,
                          uint64_t bytes);
uint64_t ssd_sums_of_kept(const void *kept, uint64_t bytes);

/*
 * A page is going to be `now`; `before` is what it is, NULL for zeroes.
 * Return: its word.
 */
uint64_t ssd_sums_page(const void *before, const void *now);

/* Is the page what its word, which is not 0, allows? */
bool ssd_sums_page_fits(uint64_t word, const void *page);

#endif
