/*
 * Journals: all bytes that the data of a drive, and what it keeps beside them,
 * were given, in order. With the trace of the same run they say what the files
 * of the drive's state would have been at any instant of it.
 *
 * Knows nothing of QEMU, or of what the bytes mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_JOURNAL_H
#define FEMU_SSD_JOURNAL_H

#include "ssd_trace.h"

/*
 * The format: the line SSD_JOURNAL_MAGIC, then entries of three numbers of 8
 * bytes, lowest byte first:
 *   submitted   so many S records had the trace when it was written
 *   at_bytes    where: in the file 'data' of a state, or, from its end on, in
 *               the file 'kept'
 *   bytes       how many; they follow, unless SSD_JOURNAL_ZEROES is added:
 *               then all of them are 0
 * The last entry has at_bytes 2^64-1 and no bytes; a file without it was cut
 * short.
 */
#define SSD_JOURNAL_MAGIC "# femu-zns journal 2\n"
#define SSD_JOURNAL_ZEROES (UINT64_C(1) << 63)

typedef struct SsdJournal SsdJournal;

/* Create (truncate) `path`. NULL and *error on failure. */
SsdJournal *ssd_journal_create(const char *path, GError **error);

/* The trace has got another S record. */
void ssd_journal_submitted(SsdJournal *journal);

/* Bytes have been written, zeroes if buf is NULL. */
void ssd_journal_write(SsdJournal *journal, uint64_t at_bytes, const void *buf,
                       uint64_t bytes);

/* Write the last entry, close. False and *error if any write failed. */
bool ssd_journal_close(SsdJournal *journal, GError **error);

typedef struct SsdJournalEntry {
    uint64_t submitted_count;
    uint64_t at_bytes;
    uint64_t bytes;
    const uint8_t *data; /* until the next entry is read; NULL: zeroes */
} SsdJournalEntry;

typedef struct SsdJournalReader SsdJournalReader;

/* NULL and *error if `path` is no journal. */
SsdJournalReader *ssd_journal_open(const char *path, GError **error);

/*
 * Next entry. Return: 1 with *entry filled, 0 after the last one, -1 with
 * *error if the file is damaged or was cut short.
 */
int ssd_journal_next(SsdJournalReader *reader, SsdJournalEntry *entry,
                     GError **error);
void ssd_journal_reader_free(SsdJournalReader *reader);

#endif
