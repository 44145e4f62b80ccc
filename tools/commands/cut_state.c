/*
 * Writes what lasts of a drive whose power has been cut: the folder of a state.
 *
 * Its history is the trace up to the cut, with the cut as its last record, so
 * that the device makes of it what it would have made of the drive itself. Data
 * and what is kept are all that the journal says was written up to there: which
 * bytes are still data, the history decides.
 *
 * Knows nothing of when the power is cut.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/* fallocate() */
#define _GNU_SOURCE

#include "cut_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cut_sums.h"
#include "ssd_journal.h"
#include "ssd_kept.h"

#define COPY_BYTES (1024 * 1024)

static bool failed(const char *path, const char *what, GError **error)
{
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: %s: %s", path, what,
                g_strerror(errno));
    return false;
}

/* --- The history ---------------------------------------------------------- */

/* Copy the first `bytes` of a file to a new one. */
static bool copy(const char *from, const char *to, uint64_t bytes,
                 GError **error)
{
    g_autofree char *buffer = g_malloc(COPY_BYTES);
    FILE *in = fopen(from, "re");
    FILE *out = in ? fopen(to, "we") : NULL;
    bool done = out != NULL;

    while (done && bytes > 0) {
        size_t part = MIN(bytes, COPY_BYTES);

        done = fread(buffer, 1, part, in) == part &&
               fwrite(buffer, 1, part, out) == part;
        bytes -= part;
    }
    if (in) {
        fclose(in);
    }
    if (out && fclose(out) != 0) {
        done = false;
    }
    return done || failed(to, "cannot be written", error);
}

static int compare_seq(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

    return (first > second) - (first < second);
}

/* What was inside is discarded, then the power goes, and comes back. */
static bool end_history(SsdTrace *trace, const CutWalk *walk, uint64_t seed,
                        uint64_t up_at_ns, GError **error)
{
    GList *inside = g_list_sort(g_hash_table_get_keys(walk->open),
                                compare_seq);

    for (GList *at = inside; at; at = at->next) {
        ssd_trace_discard(trace, *(const uint64_t *)at->data);
    }
    g_list_free(inside);
    ssd_trace_power_cut(trace, walk->feed.now_ns, seed);
    return ssd_trace_close(trace, up_at_ns, error);
}

static bool write_history(const CutState *state, const CutWalk *walk,
                          uint64_t seed, uint64_t up_at_ns, GError **error)
{
    g_autofree char *path = g_build_filename(state->folder, "history", NULL);
    SsdTrace *trace;

    if (!copy(state->trace, path, walk->read.file_bytes, error)) {
        return false;
    }
    trace = ssd_trace_go_on(path, &walk->read, error);
    return trace && end_history(trace, walk, seed, up_at_ns, error);
}

/* --- Data, and what is kept ----------------------------------------------- */

typedef struct Files {
    int data;
    int kept;
    uint64_t data_bytes;
    uint64_t kept_bytes;
} Files;

static int create(const char *folder, const char *name, uint64_t bytes,
                  GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
        failed(path, "cannot be made", error);
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    return fd;
}

/* Write bytes, zeroes if data is NULL: then the file gets a hole, if it can. */
static bool put(int fd, uint64_t at_bytes, const uint8_t *data, uint64_t bytes)
{
    static const uint8_t zeroes[64 * 1024];

    if (!data && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                           (off_t)at_bytes, (off_t)bytes) == 0) {
        return true;
    }
    while (bytes > 0) {
        size_t part = data ? bytes : MIN(bytes, sizeof(zeroes));
        ssize_t done = pwrite(fd, data ? data : zeroes, part, (off_t)at_bytes);

        if (done <= 0) {
            return false;
        }
        data = data ? data + done : NULL;
        at_bytes += (uint64_t)done;
        bytes -= (uint64_t)done;
    }
    return true;
}

static bool apply(const CutState *state, const Files *files,
                  const SsdJournalEntry *entry, GError **error)
{
    bool is_kept = entry->at_bytes >= files->data_bytes;
    uint64_t at_bytes = entry->at_bytes - (is_kept ? files->data_bytes : 0);
    uint64_t room_bytes = is_kept ? files->kept_bytes : files->data_bytes;

    if (at_bytes > room_bytes || entry->bytes > room_bytes - at_bytes) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: writes %" PRIu64 " bytes "
                    "at %" PRIu64 ", where this drive has none: it is not the "
                    "journal of this trace", state->journal, entry->bytes,
                    entry->at_bytes);
        return false;
    }
    return put(is_kept ? files->kept : files->data, at_bytes, entry->data,
               entry->bytes) ||
           failed(state->folder, "data cannot be written", error);
}

/* All that was written before the first command that has not been read. */
static bool apply_all(const CutState *state, const Files *files,
                      uint64_t submitted_count, GError **error)
{
    SsdJournalReader *reader = ssd_journal_open(state->journal, error);
    SsdJournalEntry entry;
    bool done = reader != NULL;
    int got = 1;

    while (done && (got = ssd_journal_next(reader, &entry, error)) > 0 &&
           entry.submitted_count <= submitted_count) {
        done = apply(state, files, &entry, error);
    }
    if (reader) {
        ssd_journal_reader_free(reader);
    }
    return done && got >= 0;
}

/* What the file 'kept' has in it whatever was written. */
static bool mark(const Files *files)
{
    FemuKept kept = {.magic = FEMU_KEPT_MAGIC, .bytes = files->kept_bytes};

    return put(files->kept, 0, (const uint8_t *)&kept,
               offsetof(FemuKept, power_cycles));
}

static bool write_data(const CutState *state, const CutWalk *walk,
                       GError **error)
{
    const SsdParams *params = ssd_params(walk->feed.ssd);
    Files files = {
        .data = -1,
        .kept = -1,
        .data_bytes = ssd_data_bytes(params),
        .kept_bytes = ssd_kept_bytes(params),
    };
    bool done;

    files.data = create(state->folder, "data", files.data_bytes, error);
    if (files.data >= 0) {
        files.kept = create(state->folder, "kept", files.kept_bytes, error);
    }
    done = files.kept >= 0 &&
           apply_all(state, &files, walk->read.submitted_count, error) &&
           (mark(&files) || failed(state->folder, "cannot be written", error));
    if (files.data >= 0) {
        close(files.data);
    }
    if (files.kept >= 0) {
        close(files.kept);
    }
    return done;
}

/* Remove the folder, which we have made, and what we have put into it. */
static void forget(const CutState *state)
{
    static const char *const names[] = {"history", "data", "kept", "sums"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(state->folder, names[i],
                                                 NULL);

        unlink(path);
    }
    rmdir(state->folder);
}

/* With its history the folder is a state, which checksums are of. */
bool cut_state_write(const CutState *state, const CutWalk *walk,
                     uint64_t seed, uint64_t up_at_ns, GError **error)
{
    if (mkdir(state->folder, 0777) != 0) {
        return failed(state->folder, "this folder cannot be made", error);
    }
    if (write_data(state, walk, error) &&
        write_history(state, walk, seed, up_at_ns, error) &&
        cut_sums_write(state->folder, ssd_params(walk->feed.ssd), error)) {
        return true;
    }
    forget(state);
    return false;
}
