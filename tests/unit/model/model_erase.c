/*
 * The dumb drive's erases: which blocks back a zone, which of them are dirty,
 * and when they are erased.
 *
 * Knows nothing of the drive's inside, and of zones only the pages that a life
 * has used.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

#include <string.h>

static Backing *backing(const Model *m, int superblock)
{
    return &g_array_index(m->backing, Backing, superblock);
}

static bool is_clean(const Model *m, const Backing *b)
{
    for (uint64_t i = 0; i < m->zone_units * m->blocks; i++) {
        if (b->dirty[i]) {
            return false;
        }
    }
    return true;
}

static void put_in_pool(Model *m, Backing *b, Pool pool)
{
    b->pool = pool;
    b->since_seq = ++m->seq;
}

/* Is superblock a to be taken before b? Both are of one pool. */
static bool goes_first(const Model *m, const Backing *a, const Backing *b)
{
    switch (m->p.superblock_order) {
    case 0: /* fifo */
        return a->since_seq < b->since_seq;
    case 1: /* lifo */
        return a->since_seq > b->since_seq;
    default: /* least-worn */
        return a->erases < b->erases ||
               (a->erases == b->erases && a->since_seq < b->since_seq);
    }
}

/* A free one, else one that is being erased, else a dirty one. */
static void take(Model *m, uint32_t zone_idx)
{
    int best = -1;

    for (int s = zone_idx % m->group_count; s < (int)m->backing->len;
         s += m->group_count) {
        const Backing *b = backing(m, s);
        const Backing *other = best < 0 ? NULL : backing(m, best);

        if (b->pool != POOL_MAPPED &&
            (!other || b->pool < other->pool ||
             (b->pool == other->pool && goes_first(m, b, other)))) {
            best = s;
        }
    }
    g_assert_cmpint(best, >=, 0);
    backing(m, best)->pool = POOL_MAPPED;
    m->backing_of[zone_idx] = best;
}

void model_erase_init(Model *m)
{
    const SsdParams *p = &m->p;
    uint64_t rows = (m->zone_pages + m->zone_units - 1) / m->zone_units;
    uint32_t count;

    m->group_count = p->channels / p->zone_channels *
                     (p->ways / p->zone_ways) * (p->dies / p->zone_dies) *
                     (p->planes / p->zone_planes);
    m->blocks = (rows + p->pages_per_block - 1) / p->pages_per_block;
    count = m->group_count * ((p->zones + m->group_count - 1) /
                              m->group_count + p->spare_superblocks);
    m->backing = g_array_new(FALSE, TRUE, sizeof(Backing));
    m->backing_of = g_new(int, p->zones);
    for (uint32_t s = 0; s < count; s++) {
        Backing b = {
            .dirty = g_new0(uint8_t, m->zone_units * m->blocks),
            .erases_of = g_new0(uint32_t, m->zone_units * m->blocks),
        };

        put_in_pool(m, &b, POOL_FREE);
        g_array_append_val(m->backing, b);
    }
    for (uint32_t z = 0; z < p->zones; z++) {
        m->backing_of[z] = -1;
        if (p->mapping == SSD_MAPPING_DIRECT) {
            m->backing_of[z] = z;
            backing(m, z)->pool = POOL_MAPPED;
        } else if (p->mapping == SSD_MAPPING_REMAP) {
            take(m, z);
        }
    }
}

void model_erase_free(Model *m)
{
    for (guint s = 0; s < m->backing->len; s++) {
        g_free(backing(m, s)->dirty);
        g_free(backing(m, s)->erases_of);
    }
    g_array_free(m->backing, TRUE);
    g_free(m->backing_of);
    g_assert_cmpuint(m->to_erase.length, ==, 0);
}

/*
 * Erase up to `most` dirty blocks of a unit, below `below`, from the start;
 * `step` says who waits for the end.
 */
static void erase_unit(Model *m, int superblock, uint64_t unit, uint64_t most,
                       uint64_t below, Step step)
{
    Backing *b = backing(m, superblock);
    uint64_t count = 0;

    for (uint64_t i = 0; i < MIN(below, m->blocks) && count < most; i++) {
        uint64_t at = unit * m->blocks + i;

        if (b->dirty[at]) {
            b->dirty[at] = 0;
            b->erases_of[at]++;
            m->erases_begun++;
            count++;
        }
    }
    if (count == 0) {
        return;
    }
    b->erases += count;
    if (step.cmd) {
        step.cmd->parts++;
    } else if (step.job) {
        step.job->pending++;
    } else if (step.is_first) {
        m->first_erases[step.zone_idx]++;
    }
    step.kind = STEP_ERASE_END;
    step.unit = model_place_at(m, superblock, unit).unit;
    model_unit_erase(m, step.unit, count * m->p.erase_ns, step);
}

static void erase_all_units(Model *m, int superblock, uint64_t most, Step step)
{
    for (uint64_t unit = 0; unit < m->zone_units; unit++) {
        erase_unit(m, superblock, unit, most, UINT64_MAX, step);
    }
}

void model_before_program(Model *m, uint32_t zone_idx, uint64_t page, Cmd *cmd,
                          Job *job)
{
    uint64_t block = page / m->zone_units / m->p.pages_per_block;
    int superblock;

    m->used[zone_idx][page] = 1;
    if (m->backing_of[zone_idx] < 0) {
        take(m, zone_idx);
    }
    superblock = m->backing_of[zone_idx];
    if (m->p.erase_at == SSD_ERASE_AT_ZONE_WRITE) {
        erase_all_units(m, superblock, UINT64_MAX, (Step) {
            .cmd = cmd, .job = job, .zone_idx = zone_idx,
            .is_first = !cmd && !job,
        });
    } else {
        /* If somebody erases it, this is some of that work, done earlier. */
        erase_unit(m, superblock, model_position(m, zone_idx, page),
                   UINT64_MAX, block + 1, (Step) {
            .job = backing(m, superblock)->eraser,
        });
    }
}

/* Dirty are all pages up to the last one that was given to the flash. */
static void soil(Model *m, const Job *job, Backing *b)
{
    uint8_t *used = m->used[job->zone_idx];
    bool found = false;

    for (uint64_t page = m->zone_pages; page-- > 0;) {
        uint64_t block = page / m->zone_units / m->p.pages_per_block;
        uint64_t unit = model_position(m, job->zone_idx, page);

        found |= used[page];
        b->dirty[unit * m->blocks + block] |= found;
    }
    for (uint64_t i = 0; m->p.full_erase && i < m->zone_units * m->blocks;
         i++) {
        b->dirty[i] = 1;
    }
    memset(used, 0, m->zone_pages);
}

static void background_start(Model *m)
{
    while (m->to_erase.length && m->erasing < m->p.mgmt_parallel_zones) {
        int s = GPOINTER_TO_INT(g_queue_pop_head(&m->to_erase)) - 1;
        Backing *b = backing(m, s);
        Job *job;

        if (is_clean(m, b)) {
            continue;
        }
        job = g_new0(Job, 1);
        job->background = true;
        job->superblock = s;
        b->eraser = job;
        if (b->pool == POOL_DIRTY) {
            put_in_pool(m, b, POOL_ERASING);
        }
        m->erasing++;
        model_job_advance(m, job);
    }
}

void model_background_ended(Model *m)
{
    m->erasing--;
    background_start(m);
}

void model_erase_begin(Model *m, Job *job)
{
    int s = m->backing_of[job->zone_idx];
    gpointer entry = GINT_TO_POINTER(s + 1);
    Backing *b;

    job->superblock = -1;
    if (s < 0) {
        return;
    }
    b = backing(m, s);
    soil(m, job, b);
    if (m->p.mapping != SSD_MAPPING_DIRECT) {
        m->backing_of[job->zone_idx] = -1;
        put_in_pool(m, b, is_clean(m, b) ? POOL_FREE : POOL_DIRTY);
    }
    if (m->p.mapping == SSD_MAPPING_REMAP) {
        take(m, job->zone_idx);
    }
    switch (m->p.erase_at) {
    case SSD_ERASE_AT_RESET:
        job->superblock = s;
        b->eraser = job;
        if (b->pool == POOL_DIRTY) {
            put_in_pool(m, b, POOL_ERASING);
        }
        break;
    case SSD_ERASE_AT_BACKGROUND:
    case SSD_ERASE_AT_IDLE:
        if (!b->eraser && !g_queue_find(&m->to_erase, entry)) {
            g_queue_push_tail(&m->to_erase, entry);
        }
        background_start(m);
        break;
    }
}

bool model_erase_has_more(const Model *m, const Job *job)
{
    return job->superblock >= 0 &&
           backing(m, job->superblock)->eraser == job &&
           !is_clean(m, backing(m, job->superblock));
}

void model_erase_step(Model *m, Job *job)
{
    bool one_by_one = m->p.erase_preemptive ||
                      m->p.erase_at == SSD_ERASE_AT_IDLE;

    erase_all_units(m, job->superblock, one_by_one ? 1 : UINT64_MAX,
                    (Step) { .job = job });
}

void model_erase_end(Model *m, Job *job)
{
    Backing *b;

    if (job->superblock < 0 || backing(m, job->superblock)->eraser != job) {
        return;
    }
    b = backing(m, job->superblock);
    b->eraser = NULL;
    if (b->pool != POOL_MAPPED) {
        put_in_pool(m, b, POOL_FREE);
    }
}

uint64_t model_block_count(const Model *m)
{
    return m->backing->len * m->zone_units * m->blocks;
}

uint32_t model_erase_count(const Model *m, uint64_t block_idx)
{
    uint64_t each = m->zone_units * m->blocks;

    return backing(m, block_idx / each)->erases_of[block_idx % each];
}
