/*
 * The parameter table at run time: defaults, setting one by name, the rules
 * between them, what 0 stands for, and their documentation.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only holds numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params.h"

#include <inttypes.h>
#include <string.h>

#include "params_text.h"

#define MAX_UNITS 4096
#define MAX_ZONE_UNITS (UINT64_C(1) << 28) /* in all zones: counters */
#define MAX_BLOCKS (UINT64_C(1) << 28) /* erase counters */
#define PAGE_ALIGN_BYTES (4 * SSD_KIB)
#define GRANULE_ALIGN_BYTES UINT64_C(512)
/* Identify says it as 4 KiB << n, n > 0, as 0 means "no limit" there. */
#define MIN_ZASL_BYTES (8 * SSD_KIB)

G_DEFINE_QUARK(ssd-params-error, ssd_params_error)

static const SsdParamInfo params_table[] = {
#define SSD_PARAM_ROW(type_, field_, name_, default_, min_, max_, unit_,      \
                      help_)                                                  \
    {                                                                         \
        .name = name_,                                                        \
        .unit = unit_,                                                        \
        .help = help_,                                                        \
        .type = SSD_PARAM_TYPE_##type_,                                       \
        .offset_bytes = offsetof(SsdParams, field_),                          \
        .default_value = default_,                                            \
        .min = min_,                                                          \
        .max = max_,                                                          \
    },
    SSD_PARAMS(SSD_PARAM_ROW)
#undef SSD_PARAM_ROW
};

const SsdParamInfo *ssd_params_table(unsigned *count)
{
    *count = G_N_ELEMENTS(params_table);
    return params_table;
}

/* --- One value ----------------------------------------------------------- */

uint64_t ssd_params_get(const SsdParams *params, const SsdParamInfo *info)
{
    const char *field = (const char *)params + info->offset_bytes;

    switch (info->type) {
    case SSD_PARAM_TYPE_U32:
    case SSD_PARAM_TYPE_ENUM:
        return *(const uint32_t *)field;
    case SSD_PARAM_TYPE_U64:
    case SSD_PARAM_TYPE_SIZE:
        return *(const uint64_t *)field;
    case SSD_PARAM_TYPE_BOOL:
        return *(const bool *)field;
    }
    g_assert_not_reached();
}

/* Store `value`, which must fit the row's type. */
static void params_put(SsdParams *params, const SsdParamInfo *info,
                       uint64_t value)
{
    char *field = (char *)params + info->offset_bytes;

    switch (info->type) {
    case SSD_PARAM_TYPE_U32:
    case SSD_PARAM_TYPE_ENUM:
        *(uint32_t *)field = value;
        return;
    case SSD_PARAM_TYPE_U64:
    case SSD_PARAM_TYPE_SIZE:
        *(uint64_t *)field = value;
        return;
    case SSD_PARAM_TYPE_BOOL:
        *(bool *)field = value;
        return;
    }
    g_assert_not_reached();
}

void ssd_params_defaults(SsdParams *params)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        params_put(params, &params_table[i], params_table[i].default_value);
    }
}

/* --- Setting one by name, within its range -------------------------------- */

/*
 * Set *error to "<name>=<value>: <what would be right>". The number of bytes
 * of a size follows in parentheses, because users mix up units.
 * Return: false, so that a check can end with it.
 */
G_GNUC_PRINTF(4, 5)
static bool params_error(GError **error, const char *name, uint64_t value,
                         const char *format, ...)
{
    g_autofree char *text = NULL;
    g_autofree char *reason = NULL;
    bool is_size = false;
    va_list args;

    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        if (g_str_equal(params_table[i].name, name)) {
            text = ssd_param_row_text(&params_table[i], value);
            is_size = params_table[i].type == SSD_PARAM_TYPE_SIZE;
        }
    }
    g_assert(text != NULL);
    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    if (!is_size || g_ascii_isdigit(text[strlen(text) - 1])) {
        g_set_error(error, SSD_PARAMS_ERROR, 0, "%s=%s: %s", name, text,
                    reason);
    } else {
        g_set_error(error, SSD_PARAMS_ERROR, 0, "%s=%s (%" PRIu64 "): %s",
                    name, text, value, reason);
    }
    return false;
}

static bool check_range(const SsdParamInfo *info, uint64_t value,
                        GError **error)
{
    g_autofree char *min = ssd_param_row_text(info, info->min);
    g_autofree char *max = ssd_param_row_text(info, info->max);

    if (info->type == SSD_PARAM_TYPE_BOOL ||
        (value >= info->min && value <= info->max)) {
        return true;
    }
    if (info->type == SSD_PARAM_TYPE_ENUM) {
        g_set_error(error, SSD_PARAMS_ERROR, 0,
                    "%s=%" PRIu64 ": must be one of %s", info->name, value,
                    info->unit);
        return false;
    }
    return params_error(error, info->name, value,
                        "out of range, must be %s to %s %s", min, max,
                        info->unit);
}

static bool set_row(SsdParams *params, const SsdParamInfo *info,
                    const char *text, GError **error)
{
    uint64_t value;
    const char *wrong = ssd_param_row_parse(info, text, &value);

    if (wrong) {
        g_autofree char *min = ssd_param_row_text(info, info->min);
        g_autofree char *max = ssd_param_row_text(info, info->max);

        if (info->type == SSD_PARAM_TYPE_BOOL) {
            g_set_error(error, SSD_PARAMS_ERROR, 0, "%s=%s: '%s' %s",
                        info->name, text, text, wrong);
        } else if (info->type == SSD_PARAM_TYPE_ENUM) {
            g_set_error(error, SSD_PARAMS_ERROR, 0,
                        "%s=%s: '%s' %s; must be one of %s", info->name, text,
                        text, wrong, info->unit);
        } else {
            g_set_error(error, SSD_PARAMS_ERROR, 0,
                        "%s=%s: '%s' %s; must be %s to %s %s", info->name,
                        text, text, wrong, min, max, info->unit);
        }
        return false;
    }
    if (!check_range(info, value, error)) {
        return false;
    }
    params_put(params, info, value);
    return true;
}

bool ssd_params_set(SsdParams *params, const char *name, const char *text,
                    GError **error)
{
    const char *nearest;

    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        if (g_str_equal(params_table[i].name, name)) {
            return set_row(params, &params_table[i], text, error);
        }
    }
    nearest = ssd_params_nearest(name, NULL);
    if (nearest) {
        g_set_error(error, SSD_PARAMS_ERROR, 0,
                    "%s=%s: no parameter '%s'; did you mean '%s'?", name,
                    text, name, nearest);
    } else {
        g_set_error(error, SSD_PARAMS_ERROR, 0,
                    "%s=%s: no parameter '%s'; see docs/parameters.md", name,
                    text, name);
    }
    return false;
}

/* --- Rules between parameters -------------------------------------------- */

static bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
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

/* The drive keeps a counter for each unit of each zone. */
static bool check_zone_unit_count(const SsdParams *p, GError **error)
{
    SsdParams resolved = *p;
    uint64_t units;

    ssd_params_resolve(&resolved);
    units = (uint64_t)resolved.zone_channels * resolved.zone_ways *
            resolved.zone_dies * resolved.zone_planes;
    if (p->zones * units <= MAX_ZONE_UNITS) {
        return true;
    }
    return params_error(error, "zones", p->zones, "times %" PRIu64 " flash "
                        "units per zone is above %" PRIu64 "; at most %" PRIu64
                        " zones are possible with zones that wide", units,
                        MAX_ZONE_UNITS, MAX_ZONE_UNITS / units);
}

uint64_t ssd_params_program_bytes(const SsdParams *p)
{
    return p->page_bytes * (p->multi_plane ? p->planes : 1) *
           p->program_pages;
}

static uint64_t conventional_line_bytes(const SsdParams *p)
{
    return (uint64_t)p->channels * p->ways * p->dies * p->planes *
           p->pages_per_block * p->page_bytes;
}

uint64_t ssd_params_conventional_lines(const SsdParams *p)
{
    uint64_t line_bytes = conventional_line_bytes(p);
    uint64_t wanted_bytes = p->conventional_bytes / 100 *
                            (100 + p->conventional_spare_pct);

    /* ftl_least_lines() of zns/ftl.h */
    return MAX((wanted_bytes + line_bytes - 1) / line_bytes,
               p->conventional_bytes / line_bytes + 2);
}

/* All places of the namespace have a number of 32 bits. */
static bool check_conventional(const SsdParams *p, GError **error)
{
    uint64_t lines = ssd_params_conventional_lines(p);
    uint64_t line_bytes = conventional_line_bytes(p);
    g_autofree char *line = ssd_param_size_text(line_bytes);

    if (p->conventional_bytes == 0) {
        return true;
    }
    if (p->conventional_bytes % SSD_GRANULE_BYTES != 0) {
        return params_error(error, "conventional-size", p->conventional_bytes,
                            "must be a multiple of 4K (4096 bytes)");
    }
    if (lines * line_bytes / SSD_GRANULE_BYTES < UINT32_MAX) {
        return true;
    }
    return params_error(error, "conventional-size", p->conventional_bytes,
                        "needs %" PRIu64 " lines of %s (a block on every "
                        "unit), but at most 16T of flash can be mapped", lines,
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
    uint64_t units = (uint64_t)p->zone_channels * p->zone_ways *
                     p->zone_dies * p->zone_planes;
    uint64_t pages = p->zone_capacity_bytes / p->page_bytes;
    uint64_t rows = (pages + units - 1) / units;

    return (rows + p->pages_per_block - 1) / p->pages_per_block;
}

/* The drive keeps a counter for each block. */
static bool check_block_count(const SsdParams *p, GError **error)
{
    SsdParams resolved = *p;
    uint64_t units, groups, superblocks, blocks;

    ssd_params_resolve(&resolved);
    units = (uint64_t)resolved.zone_channels * resolved.zone_ways *
            resolved.zone_dies * resolved.zone_planes;
    groups = (uint64_t)p->channels * p->ways * p->dies * p->planes / units;
    superblocks = groups * ((p->zones + groups - 1) / groups +
                            p->spare_superblocks);
    blocks = superblock_blocks(&resolved);
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

static bool check_limits(const SsdParams *p, GError **error)
{
    if (p->max_open == 0 || p->max_active == 0 ||
        p->max_open <= p->max_active) {
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

static bool check_zasl(const SsdParams *p, GError **error)
{
    g_autofree char *mdts = ssd_param_size_text(p->mdts_bytes);

    if (p->zasl_bytes == 0) {
        return true;
    }
    if (p->zasl_bytes < MIN_ZASL_BYTES || p->zasl_bytes > p->mdts_bytes) {
        return params_error(error, "zasl", p->zasl_bytes,
                            "must be 8K to mdts=%s, or 0 to mean mdts", mdts);
    }
    return check_power_of_two("zasl", p->zasl_bytes, error);
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

/*
 * The rules in the order in which they are checked: a later one may rely on
 * an earlier one. `text` is what the documentation says of it.
 */
static const struct {
    bool (*holds)(const SsdParams *params, GError **error);
    const char *text;
} params_rules[] = {
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
     "The blocks of all superblocks are at most 268435456."},
    {check_limits,
     "`max-open` is at most `max-active`, unless one of them is 0."},
    {check_read_granule,
     "`read-granule` is a multiple of 512 that divides `page-size`, or 0."},
    {check_finish_chunk,
     "`finish-chunk` is a multiple of what one program writes."},
    {check_mdts, "`mdts` is a power of two."},
    {check_zasl,
     "`zasl` is a power of two from 8K to `mdts`, or 0 to mean `mdts`."},
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
     "of a block on every unit, it takes less than 16T of flash."},
};

bool ssd_params_check(const SsdParams *params, GError **error)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        const SsdParamInfo *info = &params_table[i];

        if (!check_range(info, ssd_params_get(params, info), error)) {
            return false;
        }
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(params_rules); i++) {
        if (!params_rules[i].holds(params, error)) {
            return false;
        }
    }
    return true;
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
    p->finish_chunk_bytes = p->finish_chunk_bytes ? p->finish_chunk_bytes :
                            ssd_params_program_bytes(p);
    p->zasl_bytes = p->zasl_bytes ? p->zasl_bytes : p->mdts_bytes;
    p->zrwa_granule_bytes = zrwa_granule_bytes(p);
}

/* --- Documentation ------------------------------------------------------- */

static const char markdown_head[] =
    "# Parameters of a drive\n"
    "\n"
    "Made by `femu-sim params --markdown` from the table in\n"
    "`hw/femu/params.h`; a test fails when this file is out of date.\n"
    "\n"
    "They are properties of the QEMU device `femu-zns`, keys of its section\n"
    "in a configuration file, and names for `femu-sim --set`:\n"
    "\n"
    "```\n"
    "qemu-system-x86_64 -readconfig configs/zn540.cfg "
    "-set device.zns0.channels=4 ...\n"
    "femu-sim run --config configs/zn540.cfg --set channels=4\n"
    "```\n"
    "\n"
    "Sizes take a binary suffix: `4096`, `16K`, `1.5G`. Times are whole\n"
    "nanoseconds.\n"
    "\n"
    "| name | default | range | unit | meaning |\n"
    "|---|---|---|---|---|\n";

static const char markdown_resolved[] =
    "\n"
    "## Limits of open and active zones\n"
    "\n"
    "Each namespace has limits of its own. One above `zones` / `namespaces`\n"
    "means all of its zones. `max-open=0` together with a `max-active` means\n"
    "as many as `max-active`, because an open zone is active. These are the\n"
    "numbers that a namespace reports as MOR and MAR.\n";

static void markdown_row(GString *out, const SsdParamInfo *info)
{
    g_autofree char *value = ssd_param_row_text(info, info->default_value);
    g_autofree char *min = ssd_param_row_text(info, info->min);
    g_autofree char *max = ssd_param_row_text(info, info->max);
    bool is_enum = info->type == SSD_PARAM_TYPE_ENUM;

    g_string_append_printf(out, "| `%s` | %s | ", info->name, value);
    if (info->type == SSD_PARAM_TYPE_BOOL) {
        g_string_append(out, "on, off");
    } else if (is_enum) {
        g_string_append(out, info->unit);
    } else {
        g_string_append_printf(out, "%s to %s", min, max);
    }
    g_string_append_printf(out, " | %s | %s |\n", is_enum ? "" : info->unit,
                           info->help);
}

char *ssd_params_markdown(void)
{
    GString *out = g_string_new(markdown_head);

    for (unsigned i = 0; i < G_N_ELEMENTS(params_table); i++) {
        markdown_row(out, &params_table[i]);
    }
    g_string_append(out, "\n## Rules between parameters\n\n");
    for (unsigned i = 0; i < G_N_ELEMENTS(params_rules); i++) {
        g_string_append_printf(out, "- %s\n", params_rules[i].text);
    }
    g_string_append(out, markdown_resolved);
    return g_string_free(out, FALSE);
}
