/*
 * What can be inside a drive at once.
 *
 * Each function below is one part's statement, with the reason why it cannot
 * have more. tests/unit/test_bounds.c runs the worst cases on drives of all
 * kinds; a statement that is too small ends in the assertion of flash.c or
 * event_heap.c that there is room.
 *
 * Knows nothing of time, zones' states, QEMU or queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params_bounds.h"

#include "ssd_types.h"

/* Pages here, as in the rest of the core, are what one program writes. */
static uint64_t zone_pages(const SsdParams *p)
{
    return p->zone_capacity_bytes / ssd_params_program_bytes(p);
}

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

/*
 * What is erased because of some programs: a block before each of them on the
 * same unit, whose erase ends before its program does; or all of a zone.
 */
static uint64_t erases_for(const SsdParams *p, uint64_t programs)
{
    return MAX(programs, ssd_params_zone_unit_count(p));
}

/* The programs that the units can take out of the buffer. */
static uint64_t buffered_programs(const SsdParams *p)
{
    return p->write_buffer_bytes
           ? (uint64_t)p->program_registers * ssd_params_unit_count(p) : 0;
}

/* With a buffer the pages of a finish are among buffered_programs(). */
static uint64_t fills_of_job(const SsdParams *p)
{
    return p->write_buffer_bytes
           ? 0 : MIN(p->finish_chunk_bytes / ssd_params_program_bytes(p),
                     zone_pages(p));
}

/* A finish has a chunk and what is erased for it; a reset, one zone's erase. */
static uint64_t operations_of_job(const SsdParams *p)
{
    uint64_t fills = fills_of_job(p);

    return fills + erases_for(p, fills);
}

/* A copy writes when its reads have ended. A slot may have a job instead. */
static uint64_t operations_of_command(const SsdParams *p)
{
    uint64_t programs = programs_of_command(p);

    return MAX(MAX(reads_of_command(p), programs + erases_for(p, programs)),
               operations_of_job(p));
}

static uint64_t of_commands(const SsdParams *p)
{
    return p->cmd_slots * operations_of_command(p);
}

/* One Select All runs at a time; background erases have a limit of their own. */
static uint64_t of_select_all(const SsdParams *p)
{
    return p->mgmt_parallel_zones * operations_of_job(p);
}

static uint64_t of_background(const SsdParams *p)
{
    return (uint64_t)p->mgmt_parallel_zones * ssd_params_zone_unit_count(p);
}

/* One job of a zone runs at a time. */
static uint64_t of_excursions(const SsdParams *p)
{
    return p->excursion_ns ? p->zones * operations_of_job(p) : 0;
}

static uint64_t of_buffer(const SsdParams *p)
{
    return 2 * buffered_programs(p);
}

/*
 * With a buffer no command waits for the erases of a zone's first write; a
 * reset of the zone does, so there are never those of two lives.
 */
static uint64_t of_first_writes(const SsdParams *p)
{
    return p->write_buffer_bytes && p->erase_at == SSD_ERASE_AT_ZONE_WRITE
           ? (uint64_t)p->zones * ssd_params_zone_unit_count(p) : 0;
}

/* One at a time on each unit; the others are but counted. */
static uint64_t of_reset_steps(const SsdParams *p)
{
    return p->reset_steps ? ssd_params_unit_count(p) : 0;
}

/* A row of the victim is read, or written, or its blocks are erased. */
static uint64_t of_cleaning(const SsdParams *p)
{
    return p->conventional_bytes
           ? (uint64_t)p->program_pages * ssd_params_unit_count(p) + 2 : 0;
}

static uint64_t lines_ahead(const SsdParams *p)
{
    return p->read_ahead_bytes / ssd_params_sense_bytes(p);
}

/* Lines are fetched as long as all rings together have room for them. */
static uint64_t of_read_ahead(const SsdParams *p)
{
    return p->read_ahead_streams * lines_ahead(p);
}

/* A read of mdts lies in so many lines and one more, for it need not begin
 * where one does. */
uint64_t bound_ahead_waiters(const SsdParams *p)
{
    return p->read_ahead_bytes
           ? p->cmd_slots * (p->mdts_bytes / ssd_params_sense_bytes(p) + 2)
           : 0;
}

uint64_t bound_operations(const SsdParams *p, const char **part)
{
    const struct {
        const char *name;
        uint64_t operations;
    } parts[] = {
        { "commands", of_commands(p) },
        { "a Select All", of_select_all(p) },
        { "erases in the background", of_background(p) },
        { "excursions of all zones", of_excursions(p) },
        { "the write buffer", of_buffer(p) },
        { "erases at the first writes of all zones", of_first_writes(p) },
        { "the steps of a reset", of_reset_steps(p) },
        { "cleaning", of_cleaning(p) },
        { "read-ahead", of_read_ahead(p) },
    };
    uint64_t sum = 0;
    unsigned most = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
        sum += parts[i].operations;
        most = parts[i].operations > parts[most].operations ? i : most;
    }
    if (part != NULL) {
        *part = parts[most].name;
    }
    return sum;
}

/*
 * The front end's command, the link's next portion, the reset's phase and its
 * next step; each command that leaves, each unit's room in the buffer, and
 * each job that waits.
 */
uint64_t bound_events_beside_flash(const SsdParams *p)
{
    return 4 + (uint64_t)p->cmd_slots + ssd_params_unit_count(p) +
           bound_jobs(p);
}

/*
 * A job per slot, and room for a Select All on top of another one: a command
 * is let in only while a job per zone is free (ssd_has_room()). Beside these,
 * so many as may erase in the background at a time.
 */
static uint32_t jobs_of_commands(const SsdParams *p)
{
    return p->cmd_slots + 2 * p->zones + p->mgmt_parallel_zones;
}

/*
 * Excursions have jobs of their own. Between two of one zone lies a reset of
 * it, whose job waits as long as that of the first.
 */
uint32_t bound_excursion_jobs(const SsdParams *p)
{
    return p->excursion_ns ? jobs_of_commands(p) + p->zones : 0;
}

uint32_t bound_jobs(const SsdParams *p)
{
    return jobs_of_commands(p) + bound_excursion_jobs(p);
}
