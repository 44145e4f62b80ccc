/*
 * What commands and jobs can have under way at once.
 *
 * Knows nothing of what the write buffer, resets or cleaning have beside them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "zns_internal.h"

/* With a buffer the pages of a finish are among those of wbuf_bounds(). */
static uint64_t fills_of_job(const SsdParams *p)
{
    uint64_t page_bytes = ssd_params_program_bytes(p);

    return p->write_buffer_bytes
           ? 0 : MIN(ssd_params_finish_bytes(p) / page_bytes,
                     p->zone_capacity_bytes / page_bytes);
}

/* A finish has a chunk and what is erased for it; a reset, one zone's erase. */
static uint64_t operations_of_job(const SsdParams *p)
{
    uint64_t fills = fills_of_job(p);

    return fills + media_erases_bound(p, fills);
}

/* A slot's command, zoned or conventional, works itself or has a job. */
uint64_t zns_command_bound(const SsdParams *p)
{
    return MAX(media_command_bound(p), operations_of_job(p));
}

static uint64_t of_commands(const SsdParams *p)
{
    return p->cmd_slots * zns_command_bound(p);
}

/* One Select All runs at a time. Background erases have their own limit. */
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

/*
 * With a buffer no command waits for the erases of a zone's first write; a
 * reset of the zone does, so there are never those of two lives.
 */
static uint64_t of_first_writes(const SsdParams *p)
{
    return p->write_buffer_bytes && p->erase_at == SSD_ERASE_AT_ZONE_WRITE
           ? (uint64_t)p->zones * ssd_params_zone_unit_count(p) : 0;
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
uint32_t jobs_of_excursions(const SsdParams *p)
{
    return p->excursion_ns ? jobs_of_commands(p) + p->zones : 0;
}

uint32_t jobs_bound(const SsdParams *p)
{
    return jobs_of_commands(p) + jobs_of_excursions(p);
}

void zns_bounds(const SsdParams *p, Bounds *bounds)
{
    bounds_add(bounds, "commands", of_commands(p), 0);
    bounds_add(bounds, "a Select All", of_select_all(p), 0);
    bounds_add(bounds, "erases in the background", of_background(p), 0);
    bounds_add(bounds, "excursions of all zones", of_excursions(p), 0);
    bounds_add(bounds, "erases at the first writes of all zones",
               of_first_writes(p), 0);
    bounds->jobs = jobs_bound(p);
    bounds->excursion_jobs = jobs_of_excursions(p);
    /* Each job may wait for an event. */
    bounds_add(bounds, "jobs that wait", 0, bounds->jobs);
}
