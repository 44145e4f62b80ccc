/*
 * Writing and reading journals.
 *
 * Knows nothing of QEMU, or of what the bytes mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ssd_file.h"

#define END_AT_BYTES UINT64_MAX
#define HEAD_WORDS 3

struct SsdJournal {
    char *path;
    FILE *file;
    uint64_t submitted_count;
    int failed_errno; /* of the first write that failed; 0: none has */
};

struct SsdJournalReader {
    char *path;
    FILE *file;
    uint64_t file_bytes;
    uint64_t read_bytes;      /* so far */
    uint64_t submitted_count; /* of the last entry: it never goes down */
    bool ended;
    uint8_t *data; /* of the present entry */
};

/* --- Writing -------------------------------------------------------------- */

static void put(SsdJournal *journal, const void *buf, uint64_t bytes)
{
    if (journal->failed_errno == 0 &&
        fwrite(buf, 1, bytes, journal->file) != bytes) {
        journal->failed_errno = errno;
    }
}

static void put_head(SsdJournal *journal, uint64_t at_bytes, uint64_t bytes)
{
    const uint64_t head[HEAD_WORDS] = {
        GUINT64_TO_LE(journal->submitted_count),
        GUINT64_TO_LE(at_bytes),
        GUINT64_TO_LE(bytes),
    };

    put(journal, head, sizeof(head));
}

SsdJournal *ssd_journal_create(const char *path, GError **error)
{
    const char *wrong;
    FILE *file = ssd_file_create(path, &wrong);
    SsdJournal *journal;

    if (!file) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot create journal '%s': "
                    "%s", path, wrong);
        return NULL;
    }
    journal = g_new0(SsdJournal, 1);
    journal->path = g_strdup(path);
    journal->file = file;
    put(journal, SSD_JOURNAL_MAGIC, strlen(SSD_JOURNAL_MAGIC));
    return journal;
}

void ssd_journal_submitted(SsdJournal *journal)
{
    journal->submitted_count++;
}

void ssd_journal_write(SsdJournal *journal, uint64_t at_bytes, const void *buf,
                       uint64_t bytes)
{
    put_head(journal, at_bytes, buf ? bytes : bytes | SSD_JOURNAL_ZEROES);
    if (buf) {
        put(journal, buf, bytes);
    }
}

bool ssd_journal_close(SsdJournal *journal, GError **error)
{
    int failed_errno;

    put_head(journal, END_AT_BYTES, 0);
    if (fclose(journal->file) != 0 && journal->failed_errno == 0) {
        journal->failed_errno = errno;
    }
    failed_errno = journal->failed_errno;
    if (failed_errno != 0) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot write journal '%s': %s",
                    journal->path, g_strerror(failed_errno));
    }
    g_free(journal->path);
    g_free(journal);
    return failed_errno == 0;
}

/* --- Reading -------------------------------------------------------------- */

static int damaged(const SsdJournalReader *reader, const char *why,
                   GError **error)
{
    g_set_error(error, SSD_TRACE_ERROR, 0, "%s: the journal %s, at byte %"
                PRIu64, reader->path, why, reader->read_bytes);
    return -1;
}

static bool get(SsdJournalReader *reader, void *buf, uint64_t bytes)
{
    return fread(buf, 1, bytes, reader->file) == bytes;
}

/* The file is open: find its size, and that it begins as a journal. */
static bool begins_well(SsdJournalReader *reader)
{
    char magic[sizeof(SSD_JOURNAL_MAGIC) - 1];

    if (fseeko(reader->file, 0, SEEK_END) != 0) {
        return false;
    }
    reader->file_bytes = (uint64_t)ftello(reader->file);
    rewind(reader->file);
    reader->read_bytes = sizeof(magic);
    return get(reader, magic, sizeof(magic)) &&
           memcmp(magic, SSD_JOURNAL_MAGIC, sizeof(magic)) == 0;
}

SsdJournalReader *ssd_journal_open(const char *path, GError **error)
{
    const char *wrong;
    FILE *file = ssd_file_read(path, &wrong);
    SsdJournalReader *reader;

    if (!file) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "cannot open journal '%s': %s",
                    path, wrong);
        return NULL;
    }
    reader = g_new0(SsdJournalReader, 1);
    reader->path = g_strdup(path);
    reader->file = file;
    if (!begins_well(reader)) {
        g_set_error(error, SSD_TRACE_ERROR, 0, "%s: not a journal: the first "
                    "line must be '%.*s'", path,
                    (int)strlen(SSD_JOURNAL_MAGIC) - 1, SSD_JOURNAL_MAGIC);
        ssd_journal_reader_free(reader);
        return NULL;
    }
    return reader;
}

/* Read the bytes of an entry into reader->data. */
static int read_data(SsdJournalReader *reader, SsdJournalEntry *entry,
                     GError **error)
{
    if (entry->bytes > reader->file_bytes - reader->read_bytes) {
        return damaged(reader, "was cut short", error);
    }
    reader->data = g_realloc(reader->data, entry->bytes);
    if (!get(reader, reader->data, entry->bytes)) {
        return damaged(reader, "cannot be read", error);
    }
    reader->read_bytes += entry->bytes;
    entry->data = reader->data;
    return 1;
}

int ssd_journal_next(SsdJournalReader *reader, SsdJournalEntry *entry,
                     GError **error)
{
    uint64_t head[HEAD_WORDS];

    if (reader->ended) {
        return 0;
    }
    if (!get(reader, head, sizeof(head))) {
        return damaged(reader, "was cut short", error);
    }
    *entry = (SsdJournalEntry){
        .submitted_count = GUINT64_FROM_LE(head[0]),
        .at_bytes = GUINT64_FROM_LE(head[1]),
        .bytes = GUINT64_FROM_LE(head[2]) & ~SSD_JOURNAL_ZEROES,
    };
    if (entry->submitted_count < reader->submitted_count) {
        return damaged(reader, "goes back in time", error);
    }
    reader->submitted_count = entry->submitted_count;
    reader->read_bytes += sizeof(head);
    if (entry->at_bytes == END_AT_BYTES) {
        reader->ended = true;
        return 0;
    }
    return GUINT64_FROM_LE(head[2]) & SSD_JOURNAL_ZEROES
           ? 1
           : read_data(reader, entry, error);
}

void ssd_journal_reader_free(SsdJournalReader *reader)
{
    fclose(reader->file);
    g_free(reader->path);
    g_free(reader->data);
    g_free(reader);
}
