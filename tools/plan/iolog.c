/*
 * Reads logs line by line. The first line of fio's says which version it is; a
 * file without one is taken for blkparse's text.
 *
 * Knows nothing of drives and of when the operations are sent.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "iolog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/error.h"
#include "common/value.h"
#include "ssd_file.h"

#define SECTOR_BYTES 512 /* blkparse's unit, for any size of logical block */
#define WORDS_MAX 16
#define MOST_BYTES (UINT64_MAX / 1024)

typedef enum IologKind {
    IOLOG_BLKPARSE,
    IOLOG_FIO_2, /* file action [offset length], and "wait" lines */
    IOLOG_FIO_3, /* microseconds file action [offset length] */
} IologKind;

struct SimIolog {
    char *path;
    FILE *file;
    IologKind kind;
    char *device; /* of its operations; NULL: there was none yet */
    unsigned line_number;
    char *line;
    size_t line_size;
    uint64_t waited_ns; /* IOLOG_FIO_2: sum of the waits so far */
    bool waits;
    bool has_operations; /* one has been read */
    bool line_is_ahead; /* `line` is read, but not yet parsed */
    unsigned passthrough_count; /* lines that were passed over */
};

/* --- Lines and words ----------------------------------------------------- */

static bool wrong(const SimIolog *iolog, const char *text, const char *what,
                  GError **error)
{
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s:%u: '%s': %s", iolog->path,
                iolog->line_number, text, what);
    return false;
}

/*
 * *got: is there a line? Return: false with *error if it cannot be read, or has
 * a 0 byte, behind which nothing of it would be seen.
 */
static bool read_line(SimIolog *iolog, bool *got, GError **error)
{
    gssize length;

    *got = true;
    if (iolog->line_is_ahead) {
        iolog->line_is_ahead = false;
        return true;
    }
    errno = 0;
    length = getline(&iolog->line, &iolog->line_size, iolog->file);
    if (length < 0) {
        *got = false;
        if (ferror(iolog->file)) {
            g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s:%u: cannot read: %s",
                        iolog->path, iolog->line_number, g_strerror(errno));
        }
        return !ferror(iolog->file);
    }
    iolog->line_number++;
    if (memchr(iolog->line, '\0', (size_t)length)) {
        return wrong(iolog, iolog->line, "has a 0 byte behind it: the log is "
                     "damaged", error);
    }
    g_strchomp(iolog->line);
    return true;
}

/* A log is of one drive: what was sent to another cannot go there, too. */
static bool same_device(SimIolog *iolog, const char *device, GError **error)
{
    g_autofree char *what = NULL;

    if (!iolog->device) {
        iolog->device = g_strdup(device);
    }
    if (g_str_equal(iolog->device, device)) {
        return true;
    }
    what = g_strdup_printf("must be '%s', as in the lines before it: a log is "
                           "of one device", iolog->device);
    return wrong(iolog, device, what, error);
}

static unsigned split(char *line, char *words[WORDS_MAX])
{
    unsigned count = 0;
    char *rest = NULL;

    for (char *word = strtok_r(line, " \t", &rest);
         word && count < WORDS_MAX; word = strtok_r(NULL, " \t", &rest)) {
        words[count++] = word;
    }
    return count;
}

static bool number(const char *text, uint64_t most, uint64_t *value)
{
    return g_ascii_string_to_unsigned(text, 10, 0, most, value, NULL);
}

/* A time in units of `unit_ns`, as ns. */
static bool time_ns(const char *text, uint64_t unit_ns, uint64_t *ns)
{
    if (!number(text, SIM_MOST_NS / unit_ns, ns)) {
        return false;
    }
    *ns *= unit_ns;
    return true;
}

/* --- fio ----------------------------------------------------------------- */

static bool fio_op(const char *action, PlanOp *op)
{
    static const struct {
        const char *name;
        PlanOp op;
    } actions[] = {
        {"read", PLAN_READ}, {"write", PLAN_WRITE}, {"append", PLAN_APPEND},
        {"trim", PLAN_RESET}, {"reset", PLAN_RESET}, {"finish", PLAN_FINISH},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(actions); i++) {
        if (g_str_equal(actions[i].name, action)) {
            *op = actions[i].op;
            return true;
        }
    }
    return false;
}

/* Lines to skip: about files or caches, not about the drive's data. */
static bool fio_passes_over(const char *action)
{
    static const char *const actions[] = {"add", "open", "close", "sync",
                                          "datasync", NULL};

    return g_strv_contains(actions, action);
}

/* Return: false with *error. *found: whether the line is an operation. */
static bool fio_line(SimIolog *iolog, IologEntry *entry, bool *found,
                     GError **error)
{
    char *words[WORDS_MAX];
    unsigned count = split(iolog->line, words);
    unsigned first = iolog->kind == IOLOG_FIO_3 ? 1 : 0;
    const char *action = count > first + 1 ? words[first + 1] : NULL;
    uint64_t value;

    *found = false;
    if (count == 0 || (action && fio_passes_over(action))) {
        return true;
    }
    if (!action) {
        return wrong(iolog, words[0], "must be a file and an action", error);
    }
    if (g_str_equal(action, "wait")) {
        if (count <= first + 2 || !time_ns(words[first + 2], 1000, &value) ||
            iolog->waited_ns + value > SIM_MOST_NS) {
            return wrong(iolog, action, "must have a number of microseconds, "
                         "ten years in all at most", error);
        }
        iolog->waited_ns += value;
        iolog->waits = true;
        return true;
    }
    if (!fio_op(action, &entry->op)) {
        return wrong(iolog, action, "is no action of an iolog", error);
    }
    if (!same_device(iolog, words[first], error)) {
        return false;
    }
    if (count <= first + 3 ||
        !number(words[first + 2], MOST_BYTES, &entry->at_bytes) ||
        !number(words[first + 3], MOST_BYTES, &entry->bytes)) {
        return wrong(iolog, action, "must have an offset and a length",
                     error);
    }
    entry->of_all_zones = false;
    entry->at_ns = iolog->waits ? iolog->waited_ns : UINT64_MAX;
    /* fio's HOWTO does not say so, but these are what fio writes and reads. */
    if (iolog->kind == IOLOG_FIO_3 &&
        !time_ns(words[0], 1000, &entry->at_ns)) {
        return wrong(iolog, words[0], "must be microseconds, ten years at "
                     "most", error);
    }
    *found = true;
    return true;
}

/* --- blkparse ------------------------------------------------------------ */

/* The RWBS field: the operation's letter may follow F (flush) or Z (zone). */
static bool blkparse_op(const char *rwbs, PlanOp *op, bool *of_all_zones)
{
    *of_all_zones = g_str_has_prefix(rwbs, "ZRA");
    if (rwbs[0] == 'F' && rwbs[1] != '\0') {
        rwbs++;
    }
    if (rwbs[0] == 'Z') {
        switch (rwbs[1]) {
        case 'R':
            *op = PLAN_RESET;
            return true;
        case 'F':
            *op = PLAN_FINISH;
            return true;
        case 'O':
            *op = PLAN_OPEN;
            return true;
        case 'C':
            *op = PLAN_CLOSE;
            return true;
        case 'A':
            *op = PLAN_APPEND;
            return true;
        }
        return false;
    }
    *op = rwbs[0] == 'R' ? PLAN_READ : PLAN_WRITE;
    return rwbs[0] == 'R' || rwbs[0] == 'W';
}

static bool seconds(const char *text, uint64_t *at_ns)
{
    const char *point = strchr(text, '.');
    g_autofree char *whole = NULL;
    uint64_t s, ns = 0;

    if (!point || strlen(point + 1) != 9) {
        return false;
    }
    whole = g_strndup(text, (gsize)(point - text));
    if (!time_ns(whole, 1000000000, &s) ||
        !g_ascii_string_to_unsigned(point + 1, 10, 0, 999999999, &ns, NULL)) {
        return false;
    }
    *at_ns = s + ns;
    return true;
}

/*
 * A passthrough request has its bytes where others have their place, and its
 * command, if that is there, in brackets: "D R 4096 (02 00 ..) [name]".
 */
static bool is_passthrough(char *const words[], unsigned count)
{
    uint64_t bytes;

    return strchr("RWN", words[6][0]) && count > 8 &&
           strchr("([", words[8][0]) && number(words[7], MOST_BYTES, &bytes);
}

/* "8,0" begins a line of an event, and none of the summary. */
static bool is_event(const char *word)
{
    size_t digits = strspn(word, "0123456789");

    return digits > 0 && word[digits] == ',' &&
           g_ascii_isdigit(word[digits + 1]);
}

/*
 * Each event has its action, and what is issued a kind and, of the data of a
 * disk, a place or a name: else the log ends amid it, or was damaged.
 */
static bool is_cut(char *const words[], unsigned count)
{
    PlanOp op;
    bool all;

    if (!is_event(words[0])) {
        return false;
    }
    return count < 6 ||
           (g_str_equal(words[5], "D") &&
            (count < 7 || (count < 8 && blkparse_op(words[6], &op, &all))));
}

/*
 * "8,0 1 7 0.000123456 697 D W 223490 + 8 [name]": only lines of the action D
 * (issued to the driver) are operations. Others and the summary are skipped.
 */
static bool blkparse_line(SimIolog *iolog, IologEntry *entry, bool *found,
                          GError **error)
{
    char *words[WORDS_MAX];
    unsigned count = split(iolog->line, words);
    uint64_t sector, sectors = 0;

    *found = false;
    if (count > 0 && is_cut(words, count)) {
        return wrong(iolog, words[count - 1], "the line must go on behind it: "
                     "an action, and of D a kind and a place", error);
    }
    if (count < 8 || !strchr(words[0], ',') || !g_str_equal(words[5], "D")) {
        return true;
    }
    if (is_passthrough(words, count)) {
        iolog->passthrough_count++;
        return true;
    }
    if (!blkparse_op(words[6], &entry->op, &entry->of_all_zones)) {
        return true;
    }
    if (!same_device(iolog, words[0], error)) {
        return false;
    }
    if (!seconds(words[3], &entry->at_ns)) {
        return wrong(iolog, words[3], "must be seconds.nanoseconds", error);
    }
    if (!number(words[7], MOST_BYTES / SECTOR_BYTES, &sector) ||
        (count > 9 && !number(words[9], MOST_BYTES / SECTOR_BYTES,
                              &sectors))) {
        return wrong(iolog, words[7], "must be a sector and, behind +, how "
                     "many", error);
    }
    entry->at_bytes = sector * SECTOR_BYTES;
    entry->bytes = sectors * SECTOR_BYTES;
    *found = true;
    return true;
}

/* --- Files --------------------------------------------------------------- */

static bool find_kind(SimIolog *iolog, GError **error)
{
    bool got;

    iolog->kind = IOLOG_BLKPARSE;
    if (!read_line(iolog, &got, error) || !got) {
        return !got && !ferror(iolog->file);
    }
    if (g_str_equal(iolog->line, "fio version 2 iolog")) {
        iolog->kind = IOLOG_FIO_2;
    } else if (g_str_equal(iolog->line, "fio version 3 iolog")) {
        iolog->kind = IOLOG_FIO_3;
    } else if (g_str_has_prefix(iolog->line, "fio version ")) {
        return wrong(iolog, iolog->line, "must be version 2 or 3", error);
    } else {
        iolog->line_is_ahead = true;
    }
    return true;
}

SimIolog *sim_iolog_open(const char *path, GError **error)
{
    const char *wrong_file;
    FILE *file = ssd_file_read(path, &wrong_file);
    SimIolog *iolog;

    if (error && *error) {
        error = NULL; /* of several workers' the first counts */
    }
    if (!file) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot open log '%s': %s",
                    path, wrong_file);
        return NULL;
    }
    iolog = g_new0(SimIolog, 1);
    iolog->path = g_strdup(path);
    iolog->file = file;
    if (!find_kind(iolog, error)) {
        sim_iolog_close(iolog);
        return NULL;
    }
    return iolog;
}

void sim_iolog_tell_passed(const SimIolog *iolog)
{
    if (iolog->passthrough_count > 0) {
        fprintf(stderr, "femu-sim: %s: passed over %u passthrough requests, of "
                "which blkparse does not say where they went\n", iolog->path,
                iolog->passthrough_count);
    }
}

void sim_iolog_close(SimIolog *iolog)
{
    fclose(iolog->file);
    free(iolog->line);
    g_free(iolog->device);
    g_free(iolog->path);
    g_free(iolog);
}

/* --- Places -------------------------------------------------------------- */

static bool misplaced(const SimIolog *iolog, const IologEntry *entry,
                      const char *right, GError **error)
{
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s:%u: offset %" PRIu64
                ", length %" PRIu64 ": must be %s", iolog->path,
                iolog->line_number, entry->at_bytes, entry->bytes, right);
    return false;
}

/* In a namespace without zones the drive refuses what is of zones. */
static bool zone_fits(const SimIolog *iolog, const IologPlaces *places,
                      const IologEntry *entry, GError **error)
{
    g_autofree char *right = NULL;
    bool is_append = entry->op == PLAN_APPEND;

    if (places->zones == 0 || entry->of_all_zones ||
        (plan_op_transfers(entry->op) && !is_append) ||
        (entry->at_bytes / places->zone_bytes < places->zones &&
         (is_append || (entry->at_bytes % places->zone_bytes == 0 &&
                        entry->bytes <= places->zone_bytes)))) {
        return true;
    }
    right = g_strdup_printf("%s of the %" PRIu32 " zones with zone-size=%"
                            PRIu64, is_append ? "in one" : "the start and at "
                            "most the length of one", places->zones,
                            places->zone_bytes);
    return misplaced(iolog, entry, right, error);
}

static bool entry_fits(const SimIolog *iolog, const IologPlaces *places,
                       const IologEntry *entry, GError **error)
{
    if (plan_op_transfers(entry->op)) {
        if (entry->at_bytes % places->lba_bytes != 0 || entry->bytes == 0 ||
            entry->bytes % places->lba_bytes != 0) {
            g_autofree char *right = g_strdup_printf(
                "multiples of lba-size=%" PRIu32, places->lba_bytes);

            return misplaced(iolog, entry, right, error);
        }
        if (entry->bytes / places->lba_bytes > UINT32_MAX) {
            g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s:%u: length %" PRIu64
                        ": must be less than 2^32 blocks", iolog->path,
                        iolog->line_number, entry->bytes);
            return false;
        }
    }
    return zone_fits(iolog, places, entry, error);
}

bool sim_iolog_next(SimIolog *iolog, const IologPlaces *places,
                    IologEntry *entry, GError **error)
{
    bool got = false;

    while (read_line(iolog, &got, error) && got) {
        bool found = false;

        if (!(iolog->kind == IOLOG_BLKPARSE
              ? blkparse_line(iolog, entry, &found, error)
              : fio_line(iolog, entry, &found, error))) {
            return false;
        }
        if (!found) {
            continue;
        }
        if (!entry_fits(iolog, places, entry, error)) {
            return false;
        }
        iolog->has_operations = true;
        return true;
    }
    if (!got && !ferror(iolog->file) && !iolog->has_operations) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: has no operation: must be "
                    "fio's iolog, version 2 or 3, or blkparse's text",
                    iolog->path);
    }
    return false;
}
