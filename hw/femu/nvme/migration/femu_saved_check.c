/*
 * Is what has been read a drive? Ranges of single numbers are in the rows of
 * femu_saved_state.c; here is what several members, or the device and its core,
 * must agree upon, as far as the device relies on it. The first thing that is
 * wrong is told: a check goes on where that is safe.
 *
 * Knows nothing of streams.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "migration_internal.h"
#include "../controller/controller.h"
#include "../ns/ns.h"

#define CSTS_BITS (NVME_CSTS_READY | NVME_CSTS_FAILED | \
                   CSTS_SHST_MASK << CSTS_SHST_SHIFT)

static void check_cq(const FemuZns *n, const FemuCq *cq, State *state)
{
    const FemuParked *parked;

    if (cq->size < 2 || cq->head >= cq->size || cq->tail >= cq->size ||
        cq->signalled >= cq->size) {
        state_fail(state, "completion queue %u has %" PRIu32 " entries, head %"
                   PRIu32 ", tail %" PRIu32 ", signalled %" PRIu32, cq->id,
                   cq->size, cq->head, cq->tail, cq->signalled);
    }
    QSIMPLEQ_FOREACH(parked, &cq->parked, next) {
        uint16_t id = le16_to_cpu(parked->cqe.sq_id);

        if (id >= FEMU_MAX_QUEUES || !n->sq[id] || n->sq[id]->cq != cq) {
            state_fail(state, "a completion of submission queue %u is parked "
                       "for completion queue %u", id, cq->id);
        }
    }
}

static void check_sq(const FemuSq *sq, State *state)
{
    if (sq->size < 2 || sq->head >= sq->size || sq->tail >= sq->size) {
        state_fail(state, "submission queue %u has %" PRIu32 " entries, head %"
                   PRIu32 ", tail %" PRIu32, sq->id, sq->size, sq->head,
                   sq->tail);
    }
}

/* The controller needs its admin queues while it has any, or is ready. */
static void check_queues(const FemuZns *n, State *state)
{
    bool needed = (n->csts & NVME_CSTS_READY) || n->aer_count > 0 ||
                  n->format.reply || n->dbbuf.enabled;
    uint32_t pages = n->page_bytes >> 12;

    for (uint32_t i = 0; i < FEMU_MAX_QUEUES; i++) {
        if (n->cq[i]) {
            needed = true;
            check_cq(n, n->cq[i], state);
        }
        if (n->sq[i]) {
            check_sq(n->sq[i], state);
        }
    }
    if (needed && (!n->sq[0] || n->sq[0]->cq != n->cq[0])) {
        state_fail(state, "the admin queues are missing");
    }
    if (needed && (n->page_bytes % 4096 || !is_power_of_2(pages) ||
                   pages > 1u << FEMU_MPS_MAX)) {
        state_fail(state, "page_bytes is %" PRIu32, n->page_bytes);
    }
    if (needed && n->enable_waits) {
        state_fail(state, "a controller that is enabled waits for it");
    }
}

/* femu_dbbuf_config() takes buffers that are pages, of a drive that offers it. */
static void check_dbbuf(const FemuZns *n, State *state)
{
    uint64_t addr[] = { n->dbbuf.shadow_addr, n->dbbuf.event_addr };

    if (!n->dbbuf.enabled) {
        return;
    }
    if (!n->dbbuf_offered) {
        state_fail(state, "dbbuf.enabled is 1, must be 0 of a drive with "
                   "dbbuf=off");
    }
    for (unsigned i = 0; i < ARRAY_SIZE(addr); i++) {
        if (addr[i] % n->page_bytes) {
            state_fail(state, "dbbuf.%s_addr is 0x%" PRIx64 ", must be a "
                       "multiple of page_bytes, %" PRIu32,
                       i == 0 ? "shadow" : "event", addr[i], n->page_bytes);
        }
    }
}

/* What is free is what is not in use, each once. */
static void check_free(const FemuZns *n, State *state)
{
    g_autofree bool *seen = g_new0(bool, n->params.cmd_slots);

    for (uint32_t i = 0; i < n->free_req_count; i++) {
        uint32_t tag = n->free_req[i];

        if (n->req[tag].busy || seen[tag]) {
            state_fail(state, "request %" PRIu32 " is free twice, or in use",
                       tag);
        }
        seen[tag] = true;
    }
}

/*
 * A reset ends the keeping of data of the zones that it names. The core has
 * been read before, and so the reset is of a namespace that has zones.
 */
static bool zone_fits(const FemuZns *n, const SsdInside *inside)
{
    uint32_t zone_idx = n->req[inside->tag].zone_idx;

    return inside->op != SSD_OP_ZONE_RESET || zone_idx == FEMU_ZONES_ALL ||
           zone_idx < femu_ns(n, inside->nsid)->zones;
}

/* Requests are the commands inside the core, each once. */
static void check_inside(const FemuZns *n, State *state)
{
    uint32_t slots = n->params.cmd_slots;
    g_autofree SsdInside *inside = g_new(SsdInside, slots);
    g_autofree bool *seen = g_new0(bool, slots);
    uint32_t count = ssd_inside(n->ssd, inside, slots);

    if (count != slots - n->free_req_count) {
        state_fail(state, "%" PRIu32 " requests, the core has %" PRIu32
                   " commands inside", slots - n->free_req_count, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t tag = inside[i].tag;

        if (tag >= slots || !n->req[tag].busy || seen[tag] ||
            !zone_fits(n, &inside[i])) {
            state_fail(state, "the core has a command of request %" PRIu32
                       ", which is none, or of other zones", tag);
        } else {
            seen[tag] = true;
        }
    }
}

/* A request resets the zones of each namespace that is at that step. */
static void check_format(const FemuZns *n, State *state)
{
    g_autofree uint32_t *resets = g_new0(uint32_t, n->ns_count);
    uint32_t left = 0;

    for (uint32_t tag = 0; tag < n->params.cmd_slots; tag++) {
        if (n->req[tag].format_ns) {
            resets[n->req[tag].format_ns->nsid - 1]++;
        }
    }
    for (uint32_t i = 0; i < n->ns_count; i++) {
        const FemuNs *ns = &n->ns[i];

        left += ns->format_step != FEMU_FORMAT_IDLE;
        if (!femu_ns_zoned(ns) && (ns->format_step == FEMU_FORMAT_WAITING ||
                                   ns->format_step == FEMU_FORMAT_RESETTING)) {
            state_fail(state, "namespace %" PRIu32 ", which has no zones, is at "
                       "their reset of a format", ns->nsid);
        }
        if (resets[i] != (ns->format_step == FEMU_FORMAT_RESETTING)) {
            state_fail(state, "namespace %" PRIu32 " is at step %d of a "
                       "format, with %" PRIu32 " resets", ns->nsid,
                       ns->format_step, resets[i]);
        }
    }
    if (left != n->format.namespaces_left) {
        state_fail(state, "%" PRIu32 " namespaces are being formatted, not %"
                   PRIu32, left, n->format.namespaces_left);
    }
}

static void check_bad(const FemuNs *ns, const FemuBadBlocks *bad, State *state)
{
    for (uint32_t i = 0; i < bad->count; i++) {
        uint64_t slba = bad->range[i].slba, nlb = bad->range[i].nlb;

        if (!femu_inject_fits(ns, slba, nlb)) {
            state_fail(state, "bad blocks %" PRIu64 " %" PRIu64 " of a "
                       "namespace with %" PRIu64, slba, nlb,
                       femu_ns_size_lba(ns));
        }
    }
}

static void check_ns(const FemuZns *n, const FemuNs *ns, State *state)
{
    uint32_t inside = ssd_ns_info(n->ssd, ns->nsid).lba_bytes;
    bool known = false;

    for (unsigned i = 0; i < FEMU_LBA_FORMATS; i++) {
        known |= ns->lba_bytes == femu_format_lba_bytes(i);
    }
    if (!known || (ns->format_step == FEMU_FORMAT_IDLE &&
                   ns->lba_bytes != inside)) {
        state_fail(state, "namespace %" PRIu32 " has blocks of %" PRIu32
                   " bytes, in the core of %" PRIu32, ns->nsid, ns->lba_bytes,
                   inside);
        return;
    }
    check_bad(ns, &ns->bad_reads, state);
    check_bad(ns, &ns->bad_writes, state);
}

void femu_saved_check(const FemuZns *saved, uint64_t timer_at_ns, State *state)
{
    if (!state_is_good(state)) {
        return;
    }
    if (saved->csts & ~CSTS_BITS) {
        state_fail(state, "csts is 0x%" PRIx32, saved->csts);
    }
    if (timer_at_ns > INT64_MAX) {
        state_fail(state, "the timer expires at %" PRIu64 " ns", timer_at_ns);
    }
    if (saved->now_ns < ssd_now_ns(saved->ssd)) {
        state_fail(state, "it is %" PRIu64 " ns, in the core %" PRIu64,
                   saved->now_ns, ssd_now_ns(saved->ssd));
    }
    if (!ssd_histogram_fits(&saved->lateness_ns)) {
        state_fail(state, "the buckets of lateness_ns do not hold %" PRIu64
                   " values", saved->lateness_ns.count);
    }
    check_queues(saved, state);
    if (state_is_good(state)) { /* page_bytes, too */
        check_dbbuf(saved, state);
    }
    check_free(saved, state);
    check_inside(saved, state);
    check_format(saved, state);
    for (uint32_t i = 0; i < saved->ns_count; i++) {
        check_ns(saved, &saved->ns[i], state);
    }
    if (state_left_bytes(state) > 0) {
        state_fail(state, "%zu bytes are left over", state_left_bytes(state));
    }
}
