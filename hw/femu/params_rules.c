/*
 * The rules that join several parameters.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only compares numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params_rules.h"

#include <inttypes.h>

#include "base/round.h"
#include "params_bounds.h"
#include "params_size.h"
#include "params_table.h"
#include "params_text.h"

#define MAX_UNITS 4096
#define MAX_CONVENTIONAL_BYTES SSD_TIB /* flash */
#define MAX_ZONE_UNITS (UINT64_C(1) << 28) /* in all zones: counters */
#define MAX_BLOCKS (UINT64_C(1) << 28) /* erase counters */
#define MAX_SUPERBLOCKS (UINT64_C(1) << 24) /* 64 bytes of lists each */
#define MAX_STRANDS (UINT64_C(1) << 24) /* 32 bytes each, write buffer */
#define PAGE_ALIGN_BYTES (4 * SSD_KIB)
#define GRANULE_ALIGN_BYTES UINT64_C(512)
/* Identify says it as 4 KiB << n, n > 0, as 0 means "no limit" there. */
#define MIN_LIMIT_BYTES (8 * SSD_KIB)
/* ZNS 1.1, figure 50: ZDES counts these, in 8 bits. */
#define ZONE_EXT_UNIT_BYTES 64u

/* Of a value > 0: the ranges of those that must be one leave 0 out. */
static bool is_power_of_two(uint64_t value)
{
    return (value & (value - 1)) == 0;
}

/* The largest power of two that is not above value > 0. */
static uint64_t power_of_two_below(uint64_t value)
{
    while (!is_power_of_two(value)) {
        value &= value - 1;
    }
    return value;
}

static bool check_power_of_two(const char *name, uint64_t value,
                               GError **error)
{
    g_autofree char *below = NULL;
    g_autofree char *above = NULL;

    if (is_power_of_two(value)) {
        return true;
    }
    below = ssd_param_size_text(power_of_two_below(value));
    above = ssd_param_size_text(2 * power_of_two_below(value));
    return params_error(error, name, value,
                        "must be a power of two, such as %s or %s", below,
                        above);
}

static bool check_lba_size(const SsdParams *p, GError **error)
{
    if (p->lba_bytes == 512 || p->lba_bytes == 4096) {
        return true;
    }
    return params_error(error, "lba-size", p->lba_bytes,
                        "must be 512 or 4096 bytes");
}

/* Every namespace has the same number of zones. */
static bool check_namespaces(const SsdParams *p, GError **error)
{
    uint32_t below = p->zones - p->zones % p->namespaces;

    if (below == p->zones) {
        return true;
    }
    if (below == 0) {
        return params_error(error, "namespaces", p->namespaces,
                            "must be at most zones=%" PRIu32 " and divide it",
                            p->zones);
    }
    return params_error(error, "zones", p->zones, "must be a multiple of "
                        "namespaces=%" PRIu32 ", such as %" PRIu32 " or %"
                        PRIu32, p->namespaces, below, below + p->namespaces);
}

static bool check_zone_size(const SsdParams *p, GError **error)
{
    return check_power_of_two("zone-size", p->zone_size_bytes, error);
}

static bool check_page_size(const SsdParams *p, GError **error)
{
    if (p->page_bytes % PAGE_ALIGN_BYTES == 0) {
        return true;
    }
    return params_error(error, "page-size", p->page_bytes,
                        "must be a multiple of 4K (4096 bytes)");
}

static bool check_zone_capacity(const SsdParams *p, GError **error)
{
    uint64_t capacity_bytes = p->zone_capacity_bytes ? p->zone_capacity_bytes :
                              p->zone_size_bytes;
    uint64_t fits_bytes = MIN(capacity_bytes, p->zone_size_bytes);
    g_autofree char *size = ssd_param_size_text(p->zone_size_bytes);
    g_autofree char *page = ssd_param_size_text(p->page_bytes);
    g_autofree char *fits = NULL;

    if (p->zone_size_bytes < p->page_bytes) {
        return params_error(error, "zone-size", p->zone_size_bytes,
                            "must hold at least one page, page-size=%s", page);
    }
    fits_bytes = MAX(fits_bytes - fits_bytes % p->page_bytes, p->page_bytes);
    fits = ssd_param_size_text(fits_bytes);
    if (capacity_bytes > p->zone_size_bytes) {
        return params_error(error, "zone-capacity", p->zone_capacity_bytes,
                            "must be at most zone-size=%s and a multiple of "
                            "page-size=%s, such as %s", size, page, fits);
    }
    if (capacity_bytes % p->page_bytes != 0) {
        return params_error(error, "zone-capacity", p->zone_capacity_bytes,
                            "%smust be a multiple of page-size=%s, such as %s",
                            p->zone_capacity_bytes ? "" :
                            "means zone-size, but ", page, fits);
    }
    return true;
}

/* A zone's share of one level: `part` (0: all) must divide `whole`. */
static bool check_share(const char *part_name, uint32_t part,
                        const char *whole_name, uint32_t whole,
                        GError **error)
{
    g_autoptr(GString) divisors = g_string_new(NULL);

    if (part == 0 || whole % part == 0) {
        return true;
    }
    for (uint32_t i = 1; i <= whole; i++) {
        if (whole % i == 0) {
            g_string_append_printf(divisors, "%s%" PRIu32,
                                   divisors->len ? ", " : "", i);
        }
    }
    return params_error(error, part_name, part,
                        "must divide %s=%" PRIu32 ": 0 (all), %s", whole_name,
                        whole, divisors->str);
}

static bool check_zone_shares(const SsdParams *p, GError **error)
{
    return check_share("zone-channels", p->zone_channels,
                       "channels", p->channels, error) &&
           check_share("zone-ways", p->zone_ways, "ways", p->ways, error) &&
           check_share("zone-dies", p->zone_dies, "dies", p->dies, error) &&
           check_share("zone-planes", p->zone_planes,
                       "planes", p->planes, error);
}

static bool check_unit_count(const SsdParams *p, GError **error)
{
    uint64_t units = (uint64_t)p->channels * p->ways * p->dies * p->planes;

    if (units <= MAX_UNITS) {
        return true;
    }
    return params_error(error, "channels", p->channels,
                        "times ways=%" PRIu32 ", dies=%" PRIu32 " and "
                        "planes=%" PRIu32 " makes %" PRIu64 " flash units; "
                        "at most %d are possible", p->ways, p->dies,
                        p->planes, units, MAX_UNITS);
}

/* Planes of a zone. Needs resolved parameters. */
static uint64_t zone_plane_count(const SsdParams *p)
{
    return (uint64_t)p->zone_channels * p->zone_ways * p->zone_dies *
           p->zone_planes;
}

/* The drive keeps a counter for each unit of each zone. */
static bool check_zone_unit_count(const SsdParams *p, GError **error)
{
    SsdParams resolved = *p;
    uint64_t units;

    ssd_params_resolve(&resolved);
    units = zone_plane_count(&resolved);
    if (p->zones * units <= MAX_ZONE_UNITS) {
        return true;
    }
    return params_error(error, "zones", p->zones, "times %" PRIu64 " flash "
                        "units per zone is above %" PRIu64 "; at most %" PRIu64
                        " zones are possible with zones that wide", units,
                        MAX_ZONE_UNITS, MAX_ZONE_UNITS / units);
}

/*
 * Each granule of its flash has 4 bytes in a table that is there at once, if
 * untouched: 1 GiB of addresses for this much.
 */
static bool check_conventional(const SsdParams *p, GError **error)
{
    uint64_t lines = ssd_params_conventional_lines(p);
    uint64_t line_bytes = params_conventional_line_bytes(p);
    g_autofree char *line = ssd_param_size_text(line_bytes);

    if (p->conventional_bytes == 0) {
        return true;
    }
    if (p->conventional_bytes % SSD_GRANULE_BYTES != 0) {
        return params_error(error, "conventional-size", p->conventional_bytes,
                            "must be a multiple of 4K (4096 bytes)");
    }
    if (lines <= MAX_CONVENTIONAL_BYTES / line_bytes) {
        return true;
    }
    return params_error(error, "conventional-size", p->conventional_bytes,
                        "needs %" PRIu64 " lines of %s (a block on every "
                        "unit), but at most 1T of flash can be mapped", lines,
                        line);
}

static bool check_program(const SsdParams *p, GError **error)
{
    uint64_t capacity_bytes = p->zone_capacity_bytes ? p->zone_capacity_bytes :
                              p->zone_size_bytes;
    uint64_t program_bytes = ssd_params_program_bytes(p);
    g_autofree char *program = ssd_param_size_text(program_bytes);

    if (p->pages_per_block % p->program_pages != 0) {
        return params_error(error, "program-pages", p->program_pages,
                            "must divide pages-per-block=%" PRIu32,
                            p->pages_per_block);
    }
    if (p->multi_plane && p->zone_planes != 0 && p->zone_planes != p->planes) {
        return params_error(error, "zone-planes", p->zone_planes,
                            "must be 0 or planes=%" PRIu32 " with "
                            "multi-plane=on", p->planes);
    }
    if (capacity_bytes % program_bytes != 0) {
        return params_error(error, "zone-capacity", p->zone_capacity_bytes,
                            "%smust be a multiple of what one program writes, "
                            "%s", p->zone_capacity_bytes ? "" :
                            "means zone-size, but ", program);
    }
    return true;
}

static bool check_suspend(const SsdParams *p, GError **error)
{
    if (p->reads_first || (!p->program_suspend && !p->erase_suspend)) {
        return true;
    }
    return params_error(error, "reads-first", p->reads_first,
                        "must be above 0 with program-suspend=on or "
                        "erase-suspend=on: the reads for each suspension");
}

static bool check_spares(const SsdParams *p, GError **error)
{
    if (p->spare_superblocks == 0 || p->mapping != SSD_MAPPING_DIRECT) {
        return true;
    }
    return params_error(error, "spare-superblocks", p->spare_superblocks,
                        "is of no use with mapping=direct, which never takes "
                        "one; set mapping=lazy or mapping=remap, or 0");
}

/* Blocks that a zone has on each of its units. Needs resolved parameters. */
static uint32_t superblock_blocks(const SsdParams *p)
{
    uint64_t units = zone_plane_count(p);
    uint64_t pages = p->zone_capacity_bytes / p->page_bytes;
    uint64_t rows = div_round_up(pages, units);

    return div_round_up(rows, p->pages_per_block);
}

/* The drive keeps a counter for each block. */
static bool check_block_count(const SsdParams *p, GError **error)
{
    SsdParams resolved = *p;
    uint64_t units, groups, superblocks, blocks;

    ssd_params_resolve(&resolved);
    units = zone_plane_count(&resolved);
    groups = (uint64_t)p->channels * p->ways * p->dies * p->planes / units;
    superblocks = groups * (div_round_up(p->zones, groups) +
                            p->spare_superblocks);
    blocks = superblock_blocks(&resolved);
    if (superblocks > MAX_SUPERBLOCKS) {
        return params_error(error, "spare-superblocks", p->spare_superblocks,
                            "on each of %" PRIu64 " groups of units make %"
                            PRIu64 " superblocks, but at most %" PRIu64
                            " can be; take fewer, or let a zone span more "
                            "units", groups, superblocks, MAX_SUPERBLOCKS);
    }
    if (superblocks <= MAX_BLOCKS / (units * blocks)) {
        return true;
    }
    return params_error(error, "zones", p->zones, "of %" PRIu64 " blocks each "
                        "and %" PRIu32 " spare superblocks make more than "
                        "%" PRIu64 " blocks; take larger blocks "
                        "(pages-per-block=%" PRIu32 ") or fewer zones",
                        units * blocks, p->spare_superblocks, MAX_BLOCKS,
                        p->pages_per_block);
}

/*
 * Parts of pages of all active zones, and the portion of a write, must find
 * room together: else writes could wait for each other for ever. Zones that are
 * full but for writes that wait share in this room (zns/seats.c).
 */
static bool check_write_buffer(const SsdParams *p, GError **error)
{
    uint64_t program_bytes = ssd_params_program_bytes(p);
    uint32_t ns_zones = p->zones / p->namespaces;
    uint64_t active = p->max_active ? MIN(p->max_active, ns_zones) : ns_zones;
    uint64_t portion_bytes = p->buffer_portion_bytes;
    uint64_t parts = active * p->namespaces + ssd_params_buffers_log(p);
    uint64_t least_bytes = parts * program_bytes + portion_bytes;
    g_autofree char *least = ssd_param_size_text(least_bytes);
    g_autofree char *zone = ssd_param_size_text(program_bytes + portion_bytes);
    g_autofree char *portion = ssd_param_size_text(portion_bytes);

    if (p->write_buffer_bytes == 0) {
        return true;
    }
    if (p->program_registers == 0) {
        return params_error(error, "program-registers", p->program_registers,
                            "must be 1 or more with a write-buffer, from "
                            "which units take their programs");
    }
    if (p->write_buffer_bytes < least_bytes) {
        return params_error(error, "write-buffer", p->write_buffer_bytes,
                            "must be 0, or %s and more: %s, and what one "
                            "program writes for each zone that may be active"
                            "%s", least, portion, ssd_params_buffers_log(p)
                            ? " and for the conventional namespace" : "");
    }
    if (p->zone_buffer_bytes != 0 &&
        p->zone_buffer_bytes < program_bytes + portion_bytes) {
        return params_error(error, "zone-buffer", p->zone_buffer_bytes,
                            "must be 0, or %s and more: %s, and what one "
                            "program writes", zone, portion);
    }
    if (ssd_params_buffers_log(p) && portion_bytes % SSD_GRANULE_BYTES != 0) {
        return params_error(error, "buffer-portion", portion_bytes,
                            "must be a multiple of 4K, in which the "
                            "conventional namespace is mapped, with "
                            "conventional-buffer");
    }
    if (p->buffer_resume_waiters >= p->buffer_waiters) {
        return params_error(error, "buffer-resume", p->buffer_resume_waiters,
                            "must be below buffer-waiters=%" PRIu32
                            ", which hold the front end up",
                            p->buffer_waiters);
    }
    return true;
}

/* Pages of each zone wait for each of its units. */
static bool check_page_turns(const SsdParams *p, GError **error)
{
    SsdParams resolved = *p;
    uint32_t units;

    ssd_params_resolve(&resolved);
    units = ssd_params_zone_unit_count(&resolved);
    if (!p->page_turns || p->write_buffer_bytes == 0 ||
        p->zones <= MAX_STRANDS / units) {
        return true;
    }
    return params_error(error, "page-turns", true, "must be off, as %" PRIu32
                        " zones on %" PRIu32 " units each are more than %"
                        PRIu64 " lists of pages; take fewer zones, or let a "
                        "zone span fewer units", p->zones, units, MAX_STRANDS);
}

static bool check_drain_first(const SsdParams *p, GError **error)
{
    if (p->reset_drains || !p->reset_drain_first) {
        return true;
    }
    return params_error(error, "reset-drain-first", p->reset_drain_first,
                        "needs reset-drains=on, of which it says how");
}

static bool check_write_again(const SsdParams *p, GError **error)
{
    bool is_write = p->fe_write_arrived_ns != 0;
    uint64_t again_ns = is_write ? p->fe_write_arrived_ns
                                 : p->fe_append_arrived_ns;

    if (again_ns == 0 || p->link_in_ns || p->write_buffer_bytes) {
        return true;
    }
    return params_error(error, is_write ? "fe-write-arrived-ns"
                                        : "fe-append-arrived-ns", again_ns,
                        "needs link-in-ns or a write-buffer: without both, "
                        "data are there with their command");
}

/* Each namespace always finds a read slot. */
static bool check_take_turns(const SsdParams *p, GError **error)
{
    uint32_t namespaces = p->namespaces + (p->conventional_bytes != 0);

    if (!p->take_turns || p->read_slots == 0 || p->read_slots >= namespaces) {
        return true;
    }
    return params_error(error, "read-slots", p->read_slots,
                        "must be 0, or %" PRIu32 " and more: with take-turns "
                        "each namespace has a slot of its own", namespaces);
}

static bool check_read_lists(const SsdParams *p, GError **error)
{
    if (p->read_lists == 0 || p->read_slots != 0) {
        return true;
    }
    return params_error(error, "read-lists", p->read_lists,
                        "needs read-slots, for which its reads wait");
}

static bool check_limits(const SsdParams *p, GError **error)
{
    /* 0 of open ones is below any limit. */
    if (p->max_active == 0 || p->max_open <= p->max_active) {
        return true;
    }
    return params_error(error, "max-open", p->max_open,
                        "must be at most max-active=%" PRIu32 ", as an open "
                        "zone is active; or set max-open=0 to mean as many",
                        p->max_active);
}

static bool check_read_granule(const SsdParams *p, GError **error)
{
    g_autofree char *page = ssd_param_size_text(p->page_bytes);

    if (p->read_granule_bytes == 0 ||
        (p->read_granule_bytes % GRANULE_ALIGN_BYTES == 0 &&
         p->page_bytes % p->read_granule_bytes == 0)) {
        return true;
    }
    return params_error(error, "read-granule", p->read_granule_bytes,
                        "must be a multiple of 512 that divides page-size=%s, "
                        "such as 4K; or 0 for whole pages", page);
}

static bool check_finish_chunk(const SsdParams *p, GError **error)
{
    uint64_t program_bytes = ssd_params_program_bytes(p);
    g_autofree char *program = ssd_param_size_text(program_bytes);

    if (p->finish_chunk_bytes % program_bytes == 0) {
        return true;
    }
    return params_error(error, "finish-chunk", p->finish_chunk_bytes,
                        "must be a multiple of %s, which one program writes, "
                        "or 0 for that", program);
}

static bool check_mdts(const SsdParams *p, GError **error)
{
    return check_power_of_two("mdts", p->mdts_bytes, error);
}

/* A size limit of its own for some commands, at most MDTS. */
static bool check_size_limit(const SsdParams *p, const char *name,
                             uint64_t limit_bytes, GError **error)
{
    g_autofree char *mdts = ssd_param_size_text(p->mdts_bytes);

    if (limit_bytes == 0) {
        return true;
    }
    if (limit_bytes < MIN_LIMIT_BYTES || limit_bytes > p->mdts_bytes) {
        return params_error(error, name, limit_bytes,
                            "must be 8K to mdts=%s, or 0 to mean mdts", mdts);
    }
    return check_power_of_two(name, limit_bytes, error);
}

static bool check_zasl(const SsdParams *p, GError **error)
{
    return check_size_limit(p, "zasl", p->zasl_bytes, error);
}

static bool check_wzsl(const SsdParams *p, GError **error)
{
    return check_size_limit(p, "wzsl", p->wzsl_bytes, error);
}

/* An extension is one transfer. */
static bool check_zone_ext(const SsdParams *p, GError **error)
{
    uint64_t max_bytes = MIN(UINT8_MAX * ZONE_EXT_UNIT_BYTES, p->mdts_bytes);

    if (p->zone_ext_bytes % ZONE_EXT_UNIT_BYTES == 0 &&
        p->zone_ext_bytes <= max_bytes) {
        return true;
    }
    return params_error(error, "zd-extension-size", p->zone_ext_bytes,
                        "must be a multiple of %u up to %" PRIu64
                        ", or 0 for none", ZONE_EXT_UNIT_BYTES, max_bytes);
}

static uint64_t zrwa_granule_bytes(const SsdParams *p)
{
    return p->zrwa_granule_bytes ? p->zrwa_granule_bytes : p->page_bytes;
}

/* Whole blocks of either size, and whole granules up to the zone's end. */
static bool check_zrwa_granularity(const SsdParams *p, GError **error)
{
    uint64_t capacity_bytes = p->zone_capacity_bytes ? p->zone_capacity_bytes :
                              p->zone_size_bytes;
    g_autofree char *capacity = ssd_param_size_text(capacity_bytes);

    if (p->zrwa_bytes == 0 || p->zrwa_granule_bytes == 0 ||
        (p->zrwa_granule_bytes % PAGE_ALIGN_BYTES == 0 &&
         capacity_bytes % p->zrwa_granule_bytes == 0)) {
        return true;
    }
    return params_error(error, "zrwa-flush-granularity", p->zrwa_granule_bytes,
                        "must be a multiple of 4K that divides the zone's "
                        "capacity of %s, or 0 for page-size", capacity);
}

static bool check_zrwa_size(const SsdParams *p, GError **error)
{
    uint64_t capacity_bytes = p->zone_capacity_bytes ? p->zone_capacity_bytes :
                              p->zone_size_bytes;
    g_autofree char *capacity = ssd_param_size_text(capacity_bytes);
    g_autofree char *granule = ssd_param_size_text(zrwa_granule_bytes(p));

    if (p->zrwa_bytes % zrwa_granule_bytes(p) == 0 &&
        p->zrwa_bytes <= capacity_bytes) {
        return true;
    }
    return params_error(error, "zrwa-size", p->zrwa_bytes,
                        "must be a multiple of zrwa-flush-granularity=%s up "
                        "to the zone's capacity of %s, or 0 for none", granule,
                        capacity);
}

static bool check_finish_recommended(const SsdParams *p, GError **error)
{
    if (p->excursion_ns == 0 || p->finish_recommended_ns < p->excursion_ns) {
        return true;
    }
    return params_error(error, "finish-recommended-ns",
                        p->finish_recommended_ns, "must be below "
                        "excursion-ns=%" PRIu64 ", when the controller "
                        "finishes the zone itself", p->excursion_ns);
}

/* The drive keeps a table of them. */
static bool check_operations(const SsdParams *p, GError **error)
{
    SsdParams resolved = *p;
    Bounds bounds;

    ssd_params_resolve(&resolved);
    bounds = params_bounds(&resolved);
    if (bounds.operations <= BOUND_OPERATIONS_MAX) {
        return true;
    }
    return params_error(error, "cmd-slots", p->cmd_slots,
                        "with the other parameters makes room for %" PRIu64
                        " flash operations at once, but at most %" PRIu64
                        " are possible; most are those of %s: take less of "
                        "cmd-slots, mdts, finish-chunk, mgmt-parallel-zones "
                        "or zones", bounds.operations, BOUND_OPERATIONS_MAX,
                        bounds.most);
}

/* A stream's cache holds lines, each of which a unit senses at once. */
static bool check_read_ahead(const SsdParams *p, GError **error)
{
    uint64_t line_bytes = ssd_params_sense_bytes(p);
    g_autofree char *line = ssd_param_size_text(line_bytes);

    if (p->read_ahead_bytes % line_bytes == 0) {
        return true;
    }
    return params_error(error, "read-ahead", p->read_ahead_bytes,
                        "must be a multiple of what a unit senses at once, %s",
                        line);
}

/*
 * The rules in the order in which they are checked: a later one may rely on
 * an earlier one. `text` is what the documentation says of it.
 */
static const SsdParamRule rules[] = {
    {check_lba_size, "`lba-size` is 512 or 4096."},
    {check_namespaces, "`zones` is a multiple of `namespaces`."},
    {check_zone_size, "`zone-size` is a power of two."},
    {check_page_size, "`page-size` is a multiple of 4K; 48K is fine."},
    {check_zone_capacity,
     "`zone-capacity` is a multiple of `page-size` and at most `zone-size`, "
     "which holds at least one page."},
    {check_zone_shares,
     "`zone-channels` divides `channels`; so do `zone-ways`, `zone-dies` and "
     "`zone-planes` theirs."},
    {check_unit_count,
     "`channels` x `ways` x `dies` x `planes` is at most 4096."},
    {check_zone_unit_count,
     "`zones` x the units that one zone spans is at most 268435456."},
    {check_program,
     "`program-pages` divides `pages-per-block`. With `multi-plane`, a zone "
     "spans all planes. `zone-capacity` is a multiple of what one program "
     "writes: `page-size` x `program-pages`, with `multi-plane` x `planes`."},
    {check_suspend,
     "`program-suspend` and `erase-suspend` need `reads-first`."},
    {check_spares, "`spare-superblocks` is 0 with `mapping=direct`."},
    {check_block_count,
     "The blocks of all superblocks are at most 268435456, the superblocks "
     "16777216."},
    {check_write_buffer,
     "`write-buffer` needs `program-registers`. It holds at least a "
     "`buffer-portion` and what one program writes for each zone that may be "
     "active, `zone-buffer` a `buffer-portion` and what one program writes. "
     "`buffer-resume` is below `buffer-waiters`. `conventional-buffer` needs "
     "room for one program more, and a `buffer-portion` that is a multiple "
     "of 4K."},
    {check_page_turns,
     "With `page-turns`, `zones` x the units that one zone spans is at most "
     "16777216."},
    {check_drain_first, "`reset-drain-first` needs `reset-drains`."},
    {check_write_again,
     "`fe-write-arrived-ns` and `fe-append-arrived-ns` need `link-in-ns` or a "
     "`write-buffer`."},
    {check_take_turns,
     "With `take-turns`, `read-slots` are at least one for each namespace."},
    {check_read_lists, "`read-lists` needs `read-slots`."},
    {check_limits,
     "`max-open` is at most `max-active`, unless one of them is 0."},
    {check_read_granule,
     "`read-granule` is a multiple of 512 that divides `page-size`, or 0."},
    {check_read_ahead,
     "`read-ahead` is a multiple of what a unit senses at once: `page-size`, "
     "with `multi-plane` x `planes`."},
    {check_finish_chunk,
     "`finish-chunk` is a multiple of what one program writes."},
    {check_mdts, "`mdts` is a power of two."},
    {check_zasl,
     "`zasl` is a power of two from 8K to `mdts`, or 0 to mean `mdts`."},
    {check_wzsl, "So is `wzsl`."},
    {check_zone_ext,
     "`zd-extension-size` is a multiple of 64, at most `mdts`."},
    {check_zrwa_granularity,
     "`zrwa-flush-granularity` is a multiple of 4K that divides the zone's "
     "capacity."},
    {check_zrwa_size,
     "`zrwa-size` is a multiple of `zrwa-flush-granularity`, at most the "
     "zone's capacity."},
    {check_finish_recommended,
     "`finish-recommended-ns` is below `excursion-ns`, unless that is 0."},
    {check_conventional,
     "`conventional-size` is a multiple of 4K; with its spare, in whole lines "
     "of a block on every unit, it takes at most 1T of flash."},
    {check_operations,
     "At most 67108864 flash operations can be under way at once. Each of "
     "`cmd-slots` can have those of a command of `mdts`, with its ZRWA, or of "
     "a `finish-chunk`; so can each of `mgmt-parallel-zones`; with "
     "`excursion-ns`, each zone; and what the `write-buffer` gives to the "
     "units comes on top (`ROOM_bounds()` in `hw/femu/`)."},
};

const SsdParamRule *params_rules(unsigned *count)
{
    *count = G_N_ELEMENTS(rules);
    return rules;
}
