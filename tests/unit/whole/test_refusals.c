/*
 * States that are not what was saved: what each drive says of them, to the
 * letter what it said when the file of this test was written. A drive stops in
 * the midst of random commands and is saved; then one value after another of
 * its state is another, and the digest fits: greater or less by one, none, or
 * the greatest that its row allows. So no check of what is read is lost or moved
 * unnoticed. Unlike /save/hostile, it says nothing of what is right.
 *
 * tests/data/corpus/refusals.csv has a drive a line, as that of test_corpus.c;
 * "scripts/restate refusals" writes the sums anew.
 *
 *   FEMU_CORPUS_OUT=dir     write what is said as dir/NAME, compare nothing
 *
 * Knows nothing of the drive's inside, but how base/state.h writes numbers: it
 * uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <malloc.h>
#include <string.h>

#include "entries.h"
#include "seal.h"
#include "transcript.h"

#define TRIES 600 /* of a state, about */

/* Commands before a drive is saved. */
static const unsigned instants[] = { 20, 50, 90, 150, 250, 400 };

/* --- Numbers -------------------------------------------------------------- */

/* Return: the first byte behind a number, or NULL. */
static const uint8_t *get_number(const uint8_t *at, const uint8_t *end,
                                 uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        *value |= (uint64_t)(*at & 0x7f) << shift;
        if ((*at++ & 0x80) == 0) {
            return at;
        }
    }
    return NULL;
}

static void put_number(GByteArray *bytes, uint64_t value)
{
    do {
        uint8_t byte = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);

        g_byte_array_append(bytes, &byte, 1);
        value >>= 7;
    } while (value);
}

/* So many values, each greater by `step` than the one before it. */
static void put_stretch(GByteArray *bytes, uint64_t count, uint64_t step)
{
    if (count > 0) {
        put_number(bytes, count);
        put_number(bytes, step << 1 ^ -(step >> 63));
    }
}

typedef struct Stretch {
    uint64_t count;
    uint64_t step;
} Stretch;

static const uint8_t *get_stretch(const uint8_t *at, const uint8_t *end,
                                  Stretch *stretch)
{
    uint64_t number;

    at = get_number(at, end, &stretch->count);
    at = at ? get_number(at, end, &number) : NULL;
    if (at) {
        stretch->step = number >> 1 ^ -(number & 1);
    }
    return at;
}

/* --- Another value -------------------------------------------------------- */

/*
 * If stretches begin at `at`: the state with the value behind `skip` others
 * greater by `more`. What begins elsewhere becomes something else. Return: NULL
 * if there is no such value.
 */
static GByteArray *with_other(const GByteArray *bytes, const uint8_t *at,
                              uint64_t skip, uint64_t more)
{
    const uint8_t *end = bytes->data + bytes->len - DIGEST_BYTES, *rest;
    Stretch own, next = { 0 };
    GByteArray *made;

    rest = get_stretch(at, end, &own);
    if (!rest || own.count <= skip || own.count > bytes->len) {
        return NULL;
    }
    made = g_byte_array_new();
    g_byte_array_append(made, bytes->data, at - bytes->data);
    put_stretch(made, skip, own.step);
    put_stretch(made, 1, own.step + more);
    if (own.count > skip + 1) {
        put_stretch(made, 1, own.step - more);
        put_stretch(made, own.count - skip - 2, own.step);
    } else {
        const uint8_t *behind = get_stretch(rest, end, &next);

        /* The column may end here: then the next one is another, too. */
        if (behind && next.count <= bytes->len && next.count > 0) {
            rest = behind;
            put_stretch(made, 1, next.step - more);
            put_stretch(made, next.count - 1, next.step);
        }
    }
    g_byte_array_append(made, rest, bytes->data + bytes->len - rest);
    seal(made);
    return made;
}

/* What was saved. */
typedef struct Saved {
    const SsdParams *params;
    GByteArray *bytes;
} Saved;

static void try(const SsdParams *params, GByteArray *bytes, GString *said)
{
    g_autoptr(GError) error = NULL;
    Ssd *ssd = ssd_load(params, bytes->data, bytes->len, &error);

    g_string_append(said, ssd ? "let in" : error->message);
    g_string_append_c(said, '\n');
    ssd_free(ssd);
}

/* Where the text of the parameters ends. */
static guint head_bytes(const GByteArray *bytes)
{
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);
    const char *last = rows[count - 1].name;

    for (guint i = 0; i + strlen(last) < bytes->len; i++) {
        if (memcmp(bytes->data + i, last, strlen(last)) == 0) {
            const uint8_t *end = memchr(bytes->data + i, '\n',
                                        bytes->len - i);

            return end - bytes->data + 1;
        }
    }
    g_assert_not_reached();
}

/* One more, one less, none instead of the first, the first instead of none. */
static const uint64_t others[] = {
    1, UINT64_MAX, UINT32_MAX, -(uint64_t)UINT32_MAX,
};

/* How far it is from a value that was refused to the greatest that is let in.
 */
static bool get_too_much(const char *message, uint64_t *too_much)
{
    const char *is = strstr(message, " is ");
    const char *most = strstr(message, ", must be at most ");

    if (!is || !most) {
        return false;
    }
    *too_much = g_ascii_strtoull(is + strlen(" is "), NULL, 10) -
                g_ascii_strtoull(most + strlen(", must be at most "), NULL,
                                 10);
    return *too_much > 0;
}

/* The state with another value; if that is too much, with the greatest, too. */
static void try_other(const Saved *saved, guint at, uint64_t skip,
                      uint64_t more, GString *said)
{
    const uint8_t *data = saved->bytes->data;
    GByteArray *made = with_other(saved->bytes, data + at, skip, more);
    uint64_t too_much;
    gsize before;

    if (!made) {
        return;
    }
    g_string_append_printf(said, "%u+%" PRIu64 " %d: ", at, skip, (int)more);
    before = said->len;
    try(saved->params, made, said);
    g_byte_array_unref(made);
    if (!get_too_much(said->str + before, &too_much)) {
        return;
    }
    made = with_other(saved->bytes, data + at, skip, more - too_much);
    g_assert_nonnull(made);
    try(saved->params, made, said);
    g_byte_array_unref(made);
}

static void try_others(const Saved *saved, uint32_t draw, GString *said)
{
    const uint8_t *data = saved->bytes->data;
    guint head = head_bytes(saved->bytes);
    guint end = saved->bytes->len - DIGEST_BYTES;
    guint step = 1 + (end - head) * G_N_ELEMENTS(others) / TRIES;

    for (guint i = head; i < end; i++) {
        if (i > head && (data[i - 1] & 0x80)) {
            continue; /* within a number */
        }
        for (unsigned o = 0; o < G_N_ELEMENTS(others); o++) {
            uint64_t skip = (draw = draw * 1103515245 + 12345) >> 16;

            if (skip % step == 0) {
                try_other(saved, i,
                          skip / step % MAX(data[i] & 0x7f, 1), others[o],
                          said);
            }
        }
    }
}

/* Its state when so many commands have met it. */
static void try_behind(const Entry *entry, unsigned commands, GString *said)
{
    uint32_t seed = g_str_hash(entry->name);
    SsdParams params = entry_params(entry);
    Ssd *ssd = transcript_drive(&params, seed, commands);
    Saved saved = { &params, ssd_save(ssd) };
    gsize before = said->len;

    try(&params, saved.bytes, said);
    g_assert_cmpstr(said->str + before, ==, "let in\n");
    try_others(&saved, seed, said);
    g_byte_array_unref(saved.bytes);
    ssd_free(ssd);
}

static void test_drive(gconstpointer data)
{
    const Entry *entry = data;
    GString *said = g_string_new(NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(instants); i++) {
        try_behind(entry, instants[i], said);
    }
    entry_compare(entry, said->str);
    g_string_free(said, TRUE);
}

int main(int argc, char **argv)
{
    GPtrArray *entries;
    int status;

    g_test_init(&argc, &argv, NULL);
    /* The next drive needs the same memory again. */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    entries = entries_read("tests/data/corpus/refusals.csv");
    g_assert_cmpuint(entries->len, >, 0);
    entries_add_tests("refusals", entries, test_drive);
    status = g_test_run();
    entries_free(entries);
    return status;
}
