/*
 * What follows from parameters: sizes and counts, and what 0 stands for.
 *
 * Knows nothing of QEMU, NVMe, zones or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params_size.h"

static uint32_t unit_planes(const SsdParams *p)
{
    return p->multi_plane ? p->planes : 1;
}

uint32_t ssd_params_unit_count(const SsdParams *p)
{
    return p->channels * p->ways * p->dies * p->planes / unit_planes(p);
}

uint32_t ssd_params_zone_unit_count(const SsdParams *p)
{
    return p->zone_channels * p->zone_ways * p->zone_dies * p->zone_planes /
           unit_planes(p);
}

uint64_t ssd_params_sense_bytes(const SsdParams *p)
{
    return p->page_bytes * unit_planes(p);
}

uint64_t ssd_params_program_bytes(const SsdParams *p)
{
    return ssd_params_sense_bytes(p) * p->program_pages;
}

uint64_t params_conventional_line_bytes(const SsdParams *p)
{
    return (uint64_t)p->channels * p->ways * p->dies * p->planes *
           p->pages_per_block * p->page_bytes;
}

uint64_t ssd_params_conventional_lines(const SsdParams *p)
{
    uint64_t line_bytes = params_conventional_line_bytes(p);
    uint64_t wanted_bytes = p->conventional_bytes / 100 *
                            (100 + p->conventional_spare_pct);

    /* ftl_least_lines() of conv/ftl.h */
    return MAX((wanted_bytes + line_bytes - 1) / line_bytes,
               p->conventional_bytes / line_bytes + 2);
}

bool ssd_params_buffers_log(const SsdParams *p)
{
    return p->conventional_buffer && p->conventional_bytes != 0;
}

/* --- What 0 stands for --------------------------------------------------- */

/*
 * ZNS 1.1 section 2.1.1.4: an open zone holds an active resource too, so MOR
 * may not exceed MAR; Linux 6.12 refuses a drive that says otherwise, and "no
 * limit" would. A limit above a namespace's zones can never be reached.
 */
static void resolve_limits(SsdParams *p)
{
    uint32_t zones = p->zones / p->namespaces;

    p->max_open = MIN(p->max_open, zones);
    p->max_active = MIN(p->max_active, zones);
    if (p->max_open == 0) {
        p->max_open = p->max_active;
    }
    /* TP 4076b: only active zones have a ZRWA. */
    p->max_zrwa = MIN(p->max_zrwa, p->max_active ? p->max_active : zones);
    if (p->max_zrwa == 0) {
        p->max_zrwa = p->max_active ? p->max_active : zones;
    }
}

uint64_t ssd_params_finish_bytes(const SsdParams *p)
{
    if (p->finish_chunk_bytes != 0) {
        return p->finish_chunk_bytes;
    }
    return p->write_buffer_bytes ? p->zone_capacity_bytes
                                 : ssd_params_program_bytes(p);
}

void ssd_params_resolve(SsdParams *p)
{
    resolve_limits(p);
    p->zone_capacity_bytes = p->zone_capacity_bytes ? p->zone_capacity_bytes :
                             p->zone_size_bytes;
    p->zone_channels = p->zone_channels ? p->zone_channels : p->channels;
    p->zone_ways = p->zone_ways ? p->zone_ways : p->ways;
    p->zone_dies = p->zone_dies ? p->zone_dies : p->dies;
    p->zone_planes = p->zone_planes ? p->zone_planes : p->planes;
    p->read_granule_bytes = p->read_granule_bytes ? p->read_granule_bytes :
                            p->page_bytes;
    p->program_transfer_ns = p->program_transfer_ns ? p->program_transfer_ns :
                             p->page_transfer_ns;
    p->buffer_resume_waiters = p->buffer_resume_waiters
                               ? p->buffer_resume_waiters
                               : p->buffer_waiters - 1;
    p->zone_buffer_bytes = p->zone_buffer_bytes ? p->zone_buffer_bytes :
                           p->write_buffer_bytes;
    /* 0 stays where a state could not say what it means: beyond the range. */
    if (p->write_buffer_bytes == 0 &&
        ssd_params_program_bytes(p) <= SSD_FINISH_CHUNK_MAX_BYTES) {
        p->finish_chunk_bytes = ssd_params_finish_bytes(p);
    }
    p->zasl_bytes = p->zasl_bytes ? p->zasl_bytes : p->mdts_bytes;
    p->wzsl_bytes = p->wzsl_bytes ? p->wzsl_bytes : p->mdts_bytes;
    p->zrwa_granule_bytes = p->zrwa_granule_bytes ? p->zrwa_granule_bytes :
                            p->page_bytes;
}
