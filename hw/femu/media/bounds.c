/*
 * What one command can make of operations of the flash.
 *
 * Knows nothing of how many commands there are, or of jobs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "media.h"

/* Every piece of a command is at least one block, which may be the smallest. */
static uint64_t most_pieces(const SsdParams *p)
{
    return p->mdts_bytes / SSD_LBA_BYTES_MIN;
}

/*
 * A read of mdts touches so many senses and one more, for it need not begin
 * where one does; a copy reads mdts in all, in ranges that each may touch two
 * more. In the conventional namespace each granule may lie elsewhere.
 */
static uint64_t reads_of_command(const SsdParams *p)
{
    uint64_t at_once_bytes = p->conventional_bytes ? SSD_GRANULE_BYTES
                                                   : ssd_params_sense_bytes(p);

    return MIN(p->mdts_bytes / at_once_bytes + 2 * SSD_COPY_RANGES_MAX,
               most_pieces(p));
}

/*
 * Programs and loads: its pages, and what a ZRWA has to commit for it. In the
 * conventional namespace it may find room for a granule at a time.
 */
static uint64_t programs_of_command(const SsdParams *p)
{
    uint64_t page_bytes = ssd_params_program_bytes(p);
    uint64_t piece_bytes = p->conventional_bytes ? SSD_GRANULE_BYTES
                                                 : page_bytes;
    uint64_t pages = MIN(p->mdts_bytes / piece_bytes + 2, most_pieces(p));

    return pages + (p->zrwa_bytes ? p->zrwa_bytes / page_bytes + 1 : 0);
}

uint64_t media_erases_bound(const SsdParams *p, uint64_t programs)
{
    return MAX(programs, ssd_params_zone_unit_count(p));
}

uint64_t media_command_bound(const SsdParams *p)
{
    uint64_t programs = programs_of_command(p);

    return MAX(reads_of_command(p),
               programs + media_erases_bound(p, programs));
}
