/*
 * Checksums of a state's files: CRC-32C, eight bytes at a time by tables.
 *
 * Knows nothing of QEMU or of how the drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_sums.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ssd_file.h"

/* Of a page of zeroes. */
#define ZERO_SUM UINT32_C(0x98f94189)
#define PART_BYTES (256 * 1024)
/* Tells the sum of 'kept' from none. */
#define KEPT_MARK (UINT64_C(1) << 32)

/* Castagnoli's polynomial, its bits in reverse. */
#define POLYNOMIAL UINT32_C(0x82f63b78)

G_STATIC_ASSERT(sizeof(SsdSums) == SSD_SUMS_PAGE_BYTES);

/* [k][b]: the CRC of the byte b with k bytes of zeroes behind it. */
static uint32_t tables[8][256];

static gpointer make_tables(gpointer unused)
{
    (void)unused;
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t sum = b;

        for (unsigned bit = 0; bit < 8; bit++) {
            sum = (sum >> 1) ^ (sum & 1 ? POLYNOMIAL : 0);
        }
        tables[0][b] = sum;
    }
    for (unsigned k = 1; k < 8; k++) {
        for (uint32_t b = 0; b < 256; b++) {
            uint32_t sum = tables[k - 1][b];

            tables[k][b] = (sum >> 8) ^ tables[0][sum & 0xff];
        }
    }
    return NULL;
}

static uint32_t eight(uint32_t sum, const uint8_t *at)
{
    uint32_t low = sum ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 |
                          (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);

    return tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^
           tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
           tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^
           tables[0][at[7]];
}

uint32_t ssd_sum(uint32_t sum, const void *data, size_t bytes)
{
    static GOnce once = G_ONCE_INIT;
    const uint8_t *at = data;

    g_once(&once, make_tables, NULL);
    sum = ~sum;
    for (; bytes >= 8; at += 8, bytes -= 8) {
        sum = eight(sum, at);
    }
    for (; bytes > 0; at++, bytes--) {
        sum = (sum >> 8) ^ tables[0][(sum ^ *at) & 0xff];
    }
    return ~sum;
}

/* --- The history ---------------------------------------------------------- */

static uint32_t check_of(const SsdHistorySum *entry)
{
    return ssd_sum(0, entry, offsetof(SsdHistorySum, check));
}

const SsdHistorySum *ssd_sums_history(const SsdSums *sums)
{
    const SsdHistorySum *found = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(sums->history); i++) {
        const SsdHistorySum *entry = &sums->history[i];

        /* The check of zeroes is not 0: an entry of them is none. */
        if (entry->check == check_of(entry) &&
            (!found || entry->number > found->number)) {
            found = entry;
        }
    }
    return found;
}

void ssd_sums_put_history(SsdSums *sums, uint64_t bytes, uint32_t sum)
{
    const SsdHistorySum *latest = ssd_sums_history(sums);
    SsdHistorySum entry = {
        .bytes = bytes,
        .number = latest ? latest->number + 1 : 1,
        .sum = sum,
    };
    bool is_second = latest == &sums->history[0];

    entry.check = check_of(&entry);
    sums->history[is_second] = entry;
}

int ssd_sum_file(const char *path, uint64_t bytes, uint32_t *sum)
{
    g_autofree uint8_t *part = g_malloc(PART_BYTES);
    const char *words;
    FILE *file = ssd_file_read(path, &words);
    int wrong = 0;

    if (!file) {
        return errno;
    }
    *sum = 0;
    while (wrong == 0 && bytes > 0) {
        size_t count = MIN(bytes, PART_BYTES);

        if (fread(part, 1, count, file) < count) {
            wrong = ferror(file) ? errno : ENODATA;
        }
        *sum = ssd_sum(*sum, part, count);
        bytes -= count;
    }
    fclose(file);
    return wrong;
}

int ssd_sums_begun(const SsdSums *sums)
{
    static const char none[sizeof(sums->magic)];

    if (memcmp(sums->magic, none, sizeof(none)) == 0) {
        return 0;
    }
    return memcmp(sums->magic, SSD_SUMS_MAGIC, sizeof(none)) == 0 ? 1 : -1;
}

char *ssd_sums_history_fault(const SsdSums *sums, const char *path)
{
    const SsdHistorySum *entry = ssd_sums_history(sums);
    uint32_t sum;
    int wrong;

    if (!entry) {
        return g_strdup("the sum of the file 'history' is damaged in the file "
                        "'sums'");
    }
    wrong = ssd_sum_file(path, entry->bytes, &sum);
    if (wrong == ENODATA) {
        return g_strdup_printf("the file 'history' has fewer than the %" PRIu64
                               " bytes that somebody was told of: it is cut "
                               "short", entry->bytes);
    }
    if (wrong != 0) {
        return g_strdup_printf("the file 'history' cannot be read: %s",
                               g_strerror(wrong));
    }
    return sum == entry->sum ? NULL : g_strdup_printf(
        "the first %" PRIu64 " bytes of the file 'history' have the checksum "
        "%08" PRIx32 ", they had %08" PRIx32 ": they, or their sum in the file "
        "'sums', are damaged", entry->bytes,
        sum, entry->sum);
}

/* --- What is kept --------------------------------------------------------- */

uint64_t ssd_sums_of_kept(const void *kept, uint64_t bytes)
{
    return KEPT_MARK | ssd_sum(0, kept, bytes);
}

char *ssd_sums_kept_fault(const SsdSums *sums, const void *kept,
                          uint64_t bytes)
{
    uint64_t sum = ssd_sums_of_kept(kept, bytes);

    return sums->kept_sum == 0 || sums->kept_sum == sum ? NULL :
           g_strdup_printf("the file 'kept' has the checksum %08" PRIx64
                           ", it had %08" PRIx64 ": it, or its sum in the "
                           "file 'sums', is damaged",
                           sum ^ KEPT_MARK, sums->kept_sum ^ KEPT_MARK);
}

/* --- Pages ---------------------------------------------------------------- */

uint64_t ssd_sums_page(const void *before, const void *now)
{
    uint64_t old = before ? ssd_sum(0, before, SSD_SUMS_PAGE_BYTES) : ZERO_SUM;

    return old << 32 | ssd_sum(0, now, SSD_SUMS_PAGE_BYTES);
}

bool ssd_sums_page_fits(uint64_t word, const void *page)
{
    uint32_t sum = ssd_sum(0, page, SSD_SUMS_PAGE_BYTES);

    return sum == (uint32_t)word || sum == word >> 32;
}
