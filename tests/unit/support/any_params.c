/*
 * Drives from anywhere: see any_params.h.
 *
 * Knows nothing of the drive's inside: it uses params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "any_params.h"

#include <string.h>

#define PAGE_BYTES (4 * SSD_KIB)
#define MAX_DRAWS 2000

/* --- Numbers without a state ---------------------------------------------- */

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

/* FNV-1a */
static uint64_t name_bits(const char *name)
{
    uint64_t bits = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++) {
        bits = (bits ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    }
    return bits;
}

typedef struct Numbers {
    uint64_t state;
} Numbers;

/* 0 <= result < below */
static uint64_t next_below(Numbers *numbers, uint64_t below)
{
    numbers->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(numbers->state) % below;
}

/* --- One parameter -------------------------------------------------------- */

uint16_t any_params_number(const SsdParamInfo *info)
{
    return mix(name_bits(info->name));
}

const SsdParamInfo *any_params_row(uint16_t number)
{
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        if (any_params_number(&rows[i]) == number) {
            return &rows[i];
        }
    }
    return NULL;
}

void any_params_put(SsdParams *params, const SsdParamInfo *info,
                    uint64_t value)
{
    char *field = (char *)params + info->offset_bytes;

    switch (info->type) {
    case SSD_PARAM_TYPE_U32:
    case SSD_PARAM_TYPE_ENUM:
        *(uint32_t *)field = value;
        break;
    case SSD_PARAM_TYPE_U64:
    case SSD_PARAM_TYPE_SIZE:
        *(uint64_t *)field = value;
        break;
    case SSD_PARAM_TYPE_BOOL:
        *(bool *)field = value;
        break;
    }
}

/* Anywhere in 0 to `most`: first how many bits it has, then which. */
static uint64_t draw_up_to(Numbers *numbers, uint64_t most)
{
    unsigned bits = most ? 64 - __builtin_clzll(most) : 0;
    unsigned drawn = next_below(numbers, bits + 1);
    uint64_t value = next_below(numbers, UINT64_MAX) &
                     ((drawn < 64 ? UINT64_C(1) << drawn : 0) - 1);

    return MIN(value, most);
}

static uint64_t draw_value(Numbers *numbers, const SsdParamInfo *info)
{
    uint64_t span = info->max - info->min;

    if (info->type == SSD_PARAM_TYPE_BOOL) {
        return next_below(numbers, 2);
    }
    if (info->type == SSD_PARAM_TYPE_ENUM) {
        return next_below(numbers, info->max + 1);
    }
    switch (next_below(numbers, 8)) {
    case 0:
        return info->min;
    case 1:
        return info->max;
    default:
        return info->min + draw_up_to(numbers, span);
    }
}

/* --- What the rules ask for ----------------------------------------------- */

static uint64_t round_down(uint64_t value, uint64_t to)
{
    return value - value % to;
}

static uint64_t power_of_two(uint64_t value)
{
    return UINT64_C(1) << (63 - __builtin_clzll(value | 1));
}

static uint32_t divisor_below(uint32_t whole, uint32_t part)
{
    part = MIN(part, whole);
    while (part > 0 && whole % part != 0) {
        part--;
    }
    return part;
}

static void round_geometry(SsdParams *p)
{
    p->lba_bytes = p->lba_bytes < 2048 ? 512 : 4096;
    p->namespaces = MIN(p->namespaces, p->zones);
    p->zones = round_down(p->zones, p->namespaces);
    p->zone_channels = divisor_below(p->channels, p->zone_channels);
    p->zone_ways = divisor_below(p->ways, p->zone_ways);
    p->zone_dies = divisor_below(p->dies, p->zone_dies);
    p->zone_planes = p->multi_plane ? 0
                     : divisor_below(p->planes, p->zone_planes);
    p->page_bytes = round_down(p->page_bytes, PAGE_BYTES);
    p->pages_per_block = MAX(round_down(p->pages_per_block, p->program_pages),
                             p->program_pages);
    p->zone_size_bytes = power_of_two(p->zone_size_bytes);
    while (p->zone_size_bytes < ssd_params_program_bytes(p)) {
        p->zone_size_bytes *= 2;
    }
    if (p->zone_capacity_bytes > p->zone_size_bytes ||
        (p->zone_capacity_bytes == 0 &&
         p->zone_size_bytes % ssd_params_program_bytes(p) != 0)) {
        p->zone_capacity_bytes = p->zone_size_bytes;
    }
    if (p->zone_capacity_bytes) {
        p->zone_capacity_bytes = MAX(round_down(p->zone_capacity_bytes,
                                                ssd_params_program_bytes(p)),
                                     ssd_params_program_bytes(p));
    }
    p->conventional_bytes = round_down(p->conventional_bytes, PAGE_BYTES);
}

static void round_transfers(SsdParams *p)
{
    uint64_t capacity_bytes = p->zone_capacity_bytes ? p->zone_capacity_bytes :
                              p->zone_size_bytes;

    p->mdts_bytes = power_of_two(p->mdts_bytes);
    p->zasl_bytes = p->zasl_bytes < 2 * PAGE_BYTES ? 0 :
                    MIN(power_of_two(p->zasl_bytes), p->mdts_bytes);
    while (p->read_granule_bytes &&
           (p->read_granule_bytes % 512 != 0 ||
            p->page_bytes % p->read_granule_bytes != 0)) {
        p->read_granule_bytes = p->read_granule_bytes < 512 ? 0 :
                                round_down(p->read_granule_bytes - 1, 512);
    }
    p->read_ahead_bytes = round_down(p->read_ahead_bytes,
                                     ssd_params_sense_bytes(p));
    p->finish_chunk_bytes = round_down(p->finish_chunk_bytes,
                                       ssd_params_program_bytes(p));
    while (p->zrwa_granule_bytes &&
           (p->zrwa_granule_bytes % PAGE_BYTES != 0 ||
            capacity_bytes % p->zrwa_granule_bytes != 0)) {
        p->zrwa_granule_bytes = p->zrwa_granule_bytes < PAGE_BYTES ? 0 :
                                round_down(p->zrwa_granule_bytes - 1,
                                           PAGE_BYTES);
    }
    p->zrwa_bytes = round_down(MIN(p->zrwa_bytes, capacity_bytes),
                               p->zrwa_granule_bytes ? p->zrwa_granule_bytes
                                                     : p->page_bytes);
}

static void round_work(SsdParams *p)
{
    uint32_t zones = p->zones / p->namespaces;
    bool has_log = ssd_params_buffers_log(p);
    uint64_t least_bytes;

    if (has_log) {
        p->buffer_portion_bytes = round_down(p->buffer_portion_bytes,
                                             PAGE_BYTES);
    }
    least_bytes = ssd_params_program_bytes(p) + p->buffer_portion_bytes;
    if (p->max_open && p->max_active) {
        p->max_open = MIN(p->max_open, p->max_active);
    }
    if (p->excursion_ns) {
        p->finish_recommended_ns = MIN(p->finish_recommended_ns,
                                       p->excursion_ns - 1);
    }
    p->spare_superblocks = p->mapping == SSD_MAPPING_DIRECT
                           ? 0 : p->spare_superblocks;
    p->reads_first += !p->reads_first &&
                      (p->program_suspend || p->erase_suspend);
    p->reset_drain_first &= p->reset_drains;
    if (!p->write_buffer_bytes && !p->link_in_ns) {
        p->fe_write_arrived_ns = 0;
        p->fe_append_arrived_ns = 0;
    }
    if (p->write_buffer_bytes) {
        uint64_t active = p->namespaces *
                          (p->max_active ? MIN(p->max_active, zones) : zones);

        p->program_registers += !p->program_registers;
        p->write_buffer_bytes = MAX(p->write_buffer_bytes,
                                    (active + has_log) *
                                    ssd_params_program_bytes(p) +
                                    p->buffer_portion_bytes);
        p->zone_buffer_bytes = p->zone_buffer_bytes
                               ? MAX(p->zone_buffer_bytes, least_bytes) : 0;
        p->buffer_resume_waiters = MIN(p->buffer_resume_waiters,
                                       p->buffer_waiters - 1);
    }
}

/* --- All of them ---------------------------------------------------------- */

/* The parameter that the error is about: "name=value: ...". */
static const SsdParamInfo *row_of_error(const GError *error)
{
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        size_t length = strlen(rows[i].name);

        if (strncmp(error->message, rows[i].name, length) == 0 &&
            error->message[length] == '=') {
            return &rows[i];
        }
    }
    g_error("an error that names no parameter: %s", error->message);
}

static void draw_all(SsdParams *p, uint64_t seed)
{
    static const unsigned shares[] = { 100, 60, 25, 10 };
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);
    unsigned share = shares[mix(seed) % G_N_ELEMENTS(shares)];

    for (unsigned i = 0; i < count; i++) {
        Numbers numbers = { mix(seed) + name_bits(rows[i].name) };

        if (next_below(&numbers, 100) < share) {
            any_params_put(p, &rows[i], draw_value(&numbers, &rows[i]));
        }
    }
}

/*
 * What is wrong is drawn anew; and as others may be the cause, one after
 * another gets its default, which all together are a drive.
 */
static void mend(SsdParams *p, uint64_t seed, const GError *error)
{
    unsigned count;
    const SsdParamInfo *rows = ssd_params_table(&count);
    const SsdParamInfo *wrong = row_of_error(error);
    Numbers numbers = { mix(seed) + name_bits(wrong->name) };
    const SsdParamInfo *other = &rows[next_below(&numbers, count)];

    any_params_put(p, wrong, draw_value(&numbers, wrong));
    any_params_put(p, other, other->default_value);
}

SsdParams any_params(uint64_t seed)
{
    SsdParams p;

    ssd_params_defaults(&p);
    draw_all(&p, seed);
    for (unsigned draw = 0; draw < MAX_DRAWS; draw++) {
        g_autoptr(GError) error = NULL;

        round_geometry(&p);
        round_transfers(&p);
        round_work(&p);
        if (ssd_params_check(&p, &error)) {
            ssd_params_resolve(&p);
            return p;
        }
        mend(&p, seed + draw, error);
    }
    g_error("no drive after %d draws; seed %" G_GUINT64_FORMAT, MAX_DRAWS,
            seed);
}

/* --- Less of it ----------------------------------------------------------- */

static void try_cut(SsdParams *params, const SsdParams *to)
{
    if (ssd_params_check(to, NULL)) {
        *params = *to;
    }
}

/* A zone whose new end does not fit its ZRWA goes without one. */
static void cut_zone(SsdParams *p, uint64_t programs)
{
    SsdParams to = *p;

    to.zone_capacity_bytes = MIN(p->zone_capacity_bytes,
                                 programs * ssd_params_program_bytes(p));
    to.zrwa_bytes = MIN(p->zrwa_bytes, to.zone_capacity_bytes);
    try_cut(p, &to);
    to.zrwa_bytes = 0;
    if (p->zone_capacity_bytes != to.zone_capacity_bytes) {
        try_cut(p, &to);
    }
}

static void cut_tables(SsdParams *p, const AnyLimits *limits)
{
    uint32_t units = p->channels * p->ways * p->dies * p->planes;
    SsdParams to = *p;

    if (limits->zones) {
        to.zones = MIN(p->zones, p->namespaces * limits->zones);
        try_cut(p, &to);
    }
    to = *p;
    if (limits->spares) {
        to.spare_superblocks = MIN(p->spare_superblocks,
                                   limits->spares / units);
        try_cut(p, &to);
    }
    to = *p;
    if (limits->conventional_bytes) {
        to.conventional_bytes = MIN(p->conventional_bytes,
                                    limits->conventional_bytes);
        try_cut(p, &to);
    }
}

static void cut_waits(SsdParams *p, uint64_t idle_ns)
{
    SsdParams to = *p;

    to.idle_ns = MAX(p->idle_ns, idle_ns);
    to.erase_stall_ns = MIN(p->erase_stall_ns, 1000 * idle_ns);
    to.finish_stall_ns = MIN(p->finish_stall_ns, 1000 * idle_ns);
    if (p->erase_at == SSD_ERASE_AT_IDLE) {
        to.idle_ns = MAX(p->idle_ns, 100000 * idle_ns);
    }
    try_cut(p, &to);
}

void any_params_cut(SsdParams *p, const AnyLimits *limits)
{
    uint32_t units = p->channels * p->ways * p->dies * p->planes;
    SsdParams to;

    if (limits->zone_programs) {
        cut_zone(p, limits->zone_programs);
    }
    cut_tables(p, limits);
    if (limits->least_idle_ns) {
        cut_waits(p, limits->least_idle_ns);
    }
    to = *p;
    if (limits->reset_steps) {
        to.reset_steps = MIN(p->reset_steps, 1 + limits->reset_steps / units);
        try_cut(p, &to);
    }
    ssd_params_resolve(p);
}
