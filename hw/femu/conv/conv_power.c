/*
 * The conventional namespace of a drive that has lost its power: the log is as
 * it was, all that was under way in it has been done.
 *
 * Knows nothing of zones but how many places on the flash they take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/state.h"
#include "conv.h"

static void copy_log(Ftl *ftl, const Ftl *from)
{
    State *state = state_writer();
    GByteArray *bytes;

    /* Who writes changes nothing of what is written. */
    ftl_state((Ftl *)from, state);
    bytes = state_free(state);
    state = state_reader(bytes->data, bytes->len);
    ftl_state(ftl, state);
    g_assert(state_is_good(state));
    state_free(state);
    g_byte_array_unref(bytes);
}

/* There is room for what the line that is being cleaned still holds. */
static void end_cleaning(Conv *conv, uint32_t victim, bool is_erased)
{
    Ftl *ftl = &conv->ftl;

    for (uint32_t i = 0; i < ftl->line_places; i++) {
        uint32_t place = victim * ftl->line_places + i;

        if (ftl_is_valid(ftl, place)) {
            ftl_put(ftl, ftl->holds[place]);
        }
    }
    ftl_free_line(ftl, victim);
    conv->life[victim] += !is_erased;
}

/* All that is written to its end is programmed, and may be cleaned. */
static void lines_ready(Ftl *ftl)
{
    for (uint32_t i = 0; i < ftl->line_count; i++) {
        if (ftl->lines[i].state == FTL_LINE_CLOSED) {
            ftl_line_ready(ftl, i);
        }
    }
}

/* Lines are cleaned for it, as for a host that waits; ftl.h: one gains. */
static void host_put(Conv *conv, uint32_t granule)
{
    while (!ftl_host_may_place(&conv->ftl)) {
        lines_ready(&conv->ftl);
        end_cleaning(conv, ftl_take_victim(&conv->ftl), false);
    }
    ftl_put(&conv->ftl, granule);
}

/* What is mapped nowhere but in a write that waits is put into the log. */
static void end_write(Conv *conv, const Conv *from, const Command *command)
{
    Span data = command->write.data;

    while (data.begin_bytes < data.end_bytes) {
        uint32_t granule = data.begin_bytes / SSD_GRANULE_BYTES;

        if (from->newest_id[granule] == command->write_id) {
            host_put(conv, granule);
        }
        data.begin_bytes = (granule + UINT64_C(1)) * SSD_GRANULE_BYTES;
    }
}

/*
 * What comes through the buffer is known by granules: promised a place or not,
 * arrived or not.
 */
static void end_buffered_writes(Conv *conv, const Conv *from)
{
    for (uint32_t i = 0; i < from->ftl.granule_count; i++) {
        if (from->newest_id[i] != 0) {
            host_put(conv, i);
        }
    }
}

/*
 * The page that is not complete stays in the buffer, where pages count on from
 * the open line's first.
 */
static void put_part(Conv *conv)
{
    const Ftl *ftl = &conv->ftl;

    if (wbuf_has_log(conv->buffer) && ftl->open_line != FTL_NONE) {
        wbuf_put(conv->buffer, conv->params->zones,
                 ftl->open_used / conv->page_places,
                 ftl->open_used % conv->page_places * SSD_GRANULE_BYTES);
    }
}

static uint32_t line_pages(const Conv *conv, uint32_t line)
{
    const Ftl *ftl = &conv->ftl;

    switch (ftl->lines[line].state) {
    case FTL_LINE_FREE:
        return 0;
    case FTL_LINE_OPEN:
        return ftl->open_used / conv->page_places;
    default:
        return conv->line_pages;
    }
}

static void put_line(Conv *conv, uint32_t line)
{
    uint32_t units = conv->map.zone_units;
    uint32_t pages = line_pages(conv, line);

    conv->programmed_pages[line] = pages;
    for (uint32_t u = 0; u < units; u++) {
        conv->programmed_rows[line * units + u] =
            pages / units + (u < pages % units);
    }
    if (conv->ftl.lines[line].state == FTL_LINE_CLOSED) {
        ftl_line_ready(&conv->ftl, line);
    }
}

void conv_power_cut(Conv *conv, const Conv *from)
{
    if (from->ftl.line_count == 0) {
        return;
    }
    copy_log(&conv->ftl, &from->ftl);
    conv->submitted_count = from->submitted_count;
    for (uint32_t i = 0; i < from->ftl.line_count; i++) {
        conv->life[i] = from->life[i];
    }
    if (from->victim != FTL_NONE) {
        end_cleaning(conv, from->victim, from->stage == CLEAN_ERASE);
    }
    if (wbuf_has_log(from->buffer)) {
        end_buffered_writes(conv, from);
    }
    for (uint32_t i = wbuf_has_log(from->buffer) ? SSD_NONE
                                                 : from->first_write_idx;
         i != SSD_NONE; i = from->commands->at[i].next_write_idx) {
        end_write(conv, from, &from->commands->at[i]);
    }
    for (uint32_t i = 0; i < conv->ftl.line_count; i++) {
        put_line(conv, i);
    }
    put_part(conv);
}
