/*
 * What is read must be sound: in a drive with work inside one member after
 * another is another, and the drive says which rule that breaks; at the edge of
 * a rule it is let in.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_SOUND_H
#define FEMU_TEST_SOUND_H

#include "drive/drive.h"
#include "support/drive.h"

/* When all that was written has been programmed. */
#define LATER UINT64_C(1000000000)

#define BUFFER "write-buffer=64K zone-buffer=16K max-active=4 " \
               "program-registers=1 "
#define ZRWA "zrwa-size=16K zrwa-flush-granularity=4K "
#define CONV "namespaces=1 conventional-size=64K cmd-slots=8 "

/* Members that are another until the drive has been asked. */
typedef struct Other {
    void *at;
    size_t bytes;
    uint64_t was;
} Other;

static Drive *drive;
static Ssd *ssd;
static Other others[64];
static unsigned other_count;

static inline void begin(const char *words)
{
    drive = drive_new(words);
    ssd = drive->ssd;
}

static inline void put_back(void)
{
    while (other_count > 0) {
        const Other *other = &others[--other_count];

        memcpy(other->at, &other->was, other->bytes);
    }
}

/* On a little-endian host, as these are. */
static inline void set_bytes(void *at, size_t bytes, uint64_t value)
{
    Other *other = &others[other_count++];

    g_assert_cmpuint(other_count, <, G_N_ELEMENTS(others));
    *other = (Other) { .at = at, .bytes = bytes };
    memcpy(&other->was, at, bytes);
    memcpy(at, &value, bytes);
}

#define SET(member_, value_) set_bytes(&(member_), sizeof(member_), value_)

/* Return: what the drive says when it is saved and loaded; NULL: nothing. */
static inline char *said(void)
{
    g_autoptr(GError) error = NULL;
    GByteArray *bytes = ssd_save(ssd);
    Ssd *loaded = ssd_load(&drive->params, bytes->data, bytes->len, &error);

    g_byte_array_unref(bytes);
    ssd_free(loaded);
    g_assert_true((loaded == NULL) == (error != NULL));
    g_assert_true(!error || error->code == 0);
    return error ? g_strdup(error->message) : NULL;
}

/* So it is refused; then all is as it was. */
static inline void refused(const char *wanted)
{
    g_autofree char *text = said();

    g_assert_cmpstr(text, ==, wanted);
    put_back();
}

static inline void let_in(void)
{
    refused(NULL);
}

/* Until nothing is inside, and what is in the buffer has been programmed. */
static inline void run_out(Drive *d)
{
    drive_drain(d);
    ssd_poll(d->ssd, d->now_ns + LATER, NULL, 0);
}

/* The log has a free line less, until all is put back. */
static inline void close_free_line(void)
{
    Ftl *ftl = &ssd->conv.ftl;
    uint32_t line = ftl->free_ring[(ftl->free_head + ftl->free_count - 1) %
                                   ftl->line_count];

    SET(ftl->free_count, ftl->free_count - 1);
    SET(ftl->lines[line].state, FTL_LINE_CLOSED);
    SET(ssd->conv.programmed_pages[line], ssd->conv.line_pages);
    SET(ftl->lines[line].ready, true);
}

static inline void close_free_lines(void)
{
    while (ssd->conv.ftl.free_count > 0) {
        close_free_line();
    }
}

/* It goes on as one that has been saved and loaded does, and is done with. */
static inline void end(void)
{
    GByteArray *bytes = ssd_save(ssd), *loaded_bytes;
    Drive loaded = *drive;

    g_assert_cmpuint(other_count, ==, 0);
    loaded.ssd = ssd_load(&drive->params, bytes->data, bytes->len, NULL);
    g_assert_nonnull(loaded.ssd);
    g_byte_array_unref(bytes);
    run_out(drive);
    run_out(&loaded);
    bytes = ssd_save(ssd);
    loaded_bytes = ssd_save(loaded.ssd);
    g_assert_cmpmem(bytes->data, bytes->len, loaded_bytes->data,
                    loaded_bytes->len);
    g_byte_array_unref(bytes);
    g_byte_array_unref(loaded_bytes);
    ssd_free(loaded.ssd);
    drive_free(drive);
}

static inline void run_to(uint64_t at_ns)
{
    SsdDone done;

    while (ssd_poll(ssd, at_ns, &done, 1)) {
    }
    drive->now_ns = at_ns;
}

static inline void swap(uint32_t *one, uint32_t *other)
{
    uint32_t first = *one;

    SET(*one, *other);
    SET(*other, first);
}

static inline void begin_conv(const char *more)
{
    g_autofree char *words = g_strconcat(CONV, more, NULL);

    begin(words);
    drive->nsid = 2;
}

/* Writes of a block here and there until a line is cleaned. */
static inline void run_to_cleaning(void)
{
    const Conv *conv = &ssd->conv;
    uint64_t at_ns = 0;

    for (uint32_t i = 0; conv->victim == FTL_NONE; i++) {
        drive_write(drive, at_ns++, i * 5 % 16, 1);
        while (conv->victim == FTL_NONE && ssd_next_at_ns(ssd) != UINT64_MAX) {
            SsdDone done;

            at_ns = ssd_next_at_ns(ssd);
            ssd_poll(ssd, at_ns, &done, 1);
        }
    }
    drive->now_ns = at_ns;
}

/* Return: a drive with a zone that has a ZRWA. */
static inline void begin_zrwa(const char *more)
{
    g_autofree char *words = g_strconcat(ZRWA, more, NULL);

    begin(words);
    drive_zone_op(drive, 0, SSD_OP_ZONE_OPEN_ZRWA, 0);
    drive_drain(drive);
}

static inline void begin_locked(void)
{
    begin("reset-lock-ns=1000000 reset-steps=4 reset-step-ns=1000 "
          "program-registers=1");
    drive_fill(drive, 0, 16);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 0);
    run_to(LATER + 1);
}

#endif
