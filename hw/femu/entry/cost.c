/*
 * What the front end has to do for a command: by operation, size, block size
 * and the state of the zone; some of it is drawn.
 *
 * Knows nothing of when it does it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "../base/rare.h"
#include "../base/draw.h"
#include "entry.h"

bool entry_has_costs(const SsdParams *p)
{
    return p->fe_read_ns || p->fe_lba512_read_ns || p->fe_write_ns ||
           p->fe_append_ns || p->fe_open_ns || p->fe_close_ns ||
           p->fe_finish_ns || p->fe_reset_ns || p->fe_small_write_ns ||
           p->fe_small_append_ns || p->fe_first_write_ns ||
           p->fe_closed_write_ns || p->fe_part_ns || p->fe_lba512_ns ||
           p->fe_report_ns || p->fe_report_zone_ns || p->fe_identify_ns ||
           p->fe_log_ns || p->fe_feature_ns || p->fe_write_arrived_ns ||
           p->fe_append_arrived_ns || p->fixed_small_ns || p->read_slots;
}

static CostClass read_class(const SsdParams *p, const SsdNs *ns)
{
    return ns->lba_bytes == 512 && p->fe_lba512_read_ns ? COST_LBA512
                                                        : COST_LARGE;
}

uint64_t entry_read_ns(const SsdParams *p, CostClass class)
{
    return class == COST_LBA512 ? p->fe_lba512_read_ns : p->fe_read_ns;
}

static CostClass write_class(const SsdParams *p, const SsdNs *ns,
                             uint64_t bytes)
{
    if (bytes < SSD_GRANULE_BYTES && p->fe_part_ns) {
        return COST_PART;
    }
    if (bytes >= p->fe_small_bytes) {
        return COST_LARGE;
    }
    return ns->lba_bytes == 512 && p->fe_lba512_ns ? COST_LBA512
                                                   : COST_SMALL;
}

/* Where a write begins: an append, where its zone has been written to. */
static uint64_t first_lba(const SsdNs *ns, const SsdCmd *cmd)
{
    return cmd->op == SSD_OP_APPEND
           ? cmd->slba +
             ns->zones.zones[zone_of_lba(&ns->zones, cmd->slba)].wp_nlb
           : cmd->slba;
}

/* How many parts of its length lie before it in its granule. */
static uint64_t parts_before(const SsdNs *ns, const SsdCmd *cmd,
                             uint64_t bytes)
{
    return first_lba(ns, cmd) * ns->lba_bytes % SSD_GRANULE_BYTES / bytes;
}

/* An append whose own time is 0 takes as long as a write. */
static uint64_t work_ns(const SsdParams *p, const SsdNs *ns,
                        const SsdCmd *cmd, CostClass class, uint64_t bytes)
{
    bool is_append = cmd->op == SSD_OP_APPEND;

    switch (class) {
    case COST_PART:
        return p->fe_part_ns +
               p->fe_part_merge_ns * parts_before(ns, cmd, bytes);
    case COST_LBA512:
        return p->fe_lba512_ns;
    case COST_SMALL:
        return is_append && p->fe_small_append_ns ? p->fe_small_append_ns
                                                  : p->fe_small_write_ns;
    case COST_LARGE:
        break;
    }
    return is_append && p->fe_append_ns ? p->fe_append_ns : p->fe_write_ns;
}

/* What a draw for a write depends on: its zone, and its number there. */
typedef struct WriteKey {
    uint32_t zone_idx; /* SSD_NONE: the conventional namespace */
    uint32_t number;
} WriteKey;

static WriteKey next_write_key(Entry *entry, const SsdNs *ns, uint64_t slba)
{
    uint32_t zone_idx;

    if (ns->kind == SSD_NS_CONVENTIONAL) {
        return (WriteKey) { SSD_NONE, entry->conv->submitted_count++ };
    }
    zone_idx = zone_idx_of(ns, slba);
    return (WriteKey) {
        zone_idx, entry->zns->writes[zone_idx].submitted_count++,
    };
}

static uint64_t draw_for_write(const SsdParams *p, DrawKind kind, WriteKey key)
{
    return draw_bits(p->seed, kind, key.zone_idx, key.number);
}

/* Some of the writes of classes with work of their own cause a pause. */
RARE
static uint64_t pause_ns(const SsdParams *p, CostClass class, WriteKey key)
{
    bool is_part = class == COST_PART;
    uint32_t permille = is_part ? p->fe_part_pause_permille
                                : p->fe_lba512_pause_permille;
    uint64_t mean_ns = is_part ? p->fe_part_pause_ns : p->fe_lba512_pause_ns;
    uint64_t pauses = draw_for_write(p, DRAW_PAUSES, key);
    uint64_t length = draw_for_write(p, DRAW_PAUSE, key);

    return draw_below(pauses, 1000) < permille
           ? draw_exponential(length, mean_ns) : 0;
}

/* A part is handed off at once; what it is merged with is fetched later. */
static uint32_t after_permille(const SsdParams *p, CostClass class)
{
    return class == COST_PART ? 1000 : p->fe_after_permille;
}

/* after_ns is drawn, but that of a part, which has pauses instead. */
static FrontCost write_cost(const SsdParams *p, const SsdNs *ns,
                            const SsdCmd *cmd, uint64_t bytes, WriteKey key)
{
    CostClass class = write_class(p, ns, bytes);
    FrontCost cost = { .cost_class = class };
    uint64_t all_ns = work_ns(p, ns, cmd, class, bytes);

    if (class == COST_PART || class == COST_LBA512) {
        all_ns += pause_ns(p, class, key);
    }
    cost.after_ns = all_ns * after_permille(p, class) / 1000;
    cost.before_ns = all_ns - cost.after_ns;
    if (p->fe_after_random && class != COST_PART) {
        cost.after_ns = draw_exponential(draw_for_write(p, DRAW_FRONT_AFTER,
                                                        key),
                                         cost.after_ns);
    }
    return cost;
}

/* What a write costs more because it opens its zone. */
static uint64_t opening_cost_ns(const SsdParams *p, const SsdNs *ns,
                                uint64_t slba)
{
    if (ns->kind != SSD_NS_ZONED) {
        return 0;
    }
    switch (ns->zones.zones[zone_of_lba(&ns->zones, slba)].state) {
    case SSD_ZONE_EMPTY:
        return p->fe_first_write_ns;
    case SSD_ZONE_CLOSED:
        return p->fe_closed_write_ns;
    default:
        return 0;
    }
}

static FrontCost read_cost(const SsdParams *p, const SsdNs *ns)
{
    CostClass class = read_class(p, ns);

    return (FrontCost) {
        .before_ns = entry_read_ns(p, class),
        .cost_class = class,
    };
}

RARE
static uint64_t other_cost_ns(const SsdParams *p, const SsdCmd *cmd)
{
    switch (cmd->op) {
    case SSD_OP_FLUSH:
    case SSD_OP_SHUTDOWN:
        return 0;
    case SSD_OP_ZONE_CLOSE:
        return p->fe_close_ns;
    case SSD_OP_ZONE_FINISH:
        return p->fe_finish_ns;
    case SSD_OP_ZONE_RESET:
        return p->fe_reset_ns;
    case SSD_OP_ZONE_REPORT:
        return p->fe_report_ns + cmd->nlb * p->fe_report_zone_ns;
    case SSD_OP_IDENTIFY:
        return p->fe_identify_ns;
    case SSD_OP_LOG:
        return p->fe_log_ns;
    case SSD_OP_FEATURE:
        return p->fe_feature_ns;
    default:
        return p->fe_open_ns;
    }
}

FrontCost entry_cost(Entry *entry, const SsdNs *ns, const SsdCmd *cmd,
                     uint64_t nlb)
{
    const SsdParams *p = entry->params;
    uint64_t bytes;
    FrontCost cost;

    if (commands_is_read(cmd->op)) {
        return read_cost(p, ns);
    }
    if (!commands_is_write(cmd->op)) {
        return (FrontCost) { .before_ns = other_cost_ns(p, cmd) };
    }
    bytes = nlb * ns->lba_bytes;
    cost = write_cost(p, ns, cmd, bytes,
                      next_write_key(entry, ns, cmd->slba));
    cost.before_ns += opening_cost_ns(p, ns, cmd->slba);
    return cost;
}
