/*
 * What the device is beside core and data, as bytes (base/state.h): each row
 * names a member of a struct of state/femu.h. What does not fit a row (a
 * pointer, a list, a bitmap) is written by a function.
 *
 * Knows nothing of what the members mean; femu_saved_check.c does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitmap.h"
#include "migration_internal.h"
#include "../ns/ns.h"
#include "../record/record.h"

#define QUEUE_ENTRIES_MOST 4096 /* of the admin queues, by AQA */
#define SNAPSHOT_BYTES_MOST (64 * SSD_MIB)

static const StateRow device_rows[] = {
    STATE_LEFT(FemuZns, parent_obj, "QEMU's own"),
    STATE_LEFT(FemuZns, plugged, "realize"),
    STATE_LEFT(FemuZns, lock, "of its thread"),
    STATE_LEFT(FemuZns, ram_only, "of the machine"),
    STATE_LEFT(FemuZns, entry, "none runs"),
    STATE_NUMBER(FemuZns, csts),
    STATE_LEFT(FemuZns, trace, "femu_trace_put()"),
    STATE_LEFT(FemuZns, trace_unflushed, "it has been flushed"),
    STATE_LEFT(FemuZns, history, "such a drive is not saved"),
    STATE_LEFT(FemuZns, history_unflushed, "likewise"),
    STATE_LEFT(FemuZns, history_lost, "likewise"),
    STATE_LEFT(FemuZns, journal, "a drive with a journal does not move"),
    STATE_LEFT(FemuZns, journal_kept, "likewise"),
    STATE_LEFT(FemuZns, trace_lock_fd, "of the trace's file here"),
    STATE_LEFT(FemuZns, journal_lock_fd, "of the journal's file here"),
    STATE_LEFT(FemuZns, exit_notifier, "realize"),
    STATE_LEFT(FemuZns, lock_fd, "such a drive is not saved"),
    STATE_LEFT(FemuZns, sums, "likewise"),
    STATE_ELSE(FemuZns, kept, "kept_rows"),
    STATE_LEFT(FemuZns, irqfd, "of the table of MSI-X"),
    STATE_LEFT(FemuZns, has_irqfds, "realize"),
    STATE_LEFT(FemuZns, seg, "of a command that is executed: none is"),
    STATE_LEFT(FemuZns, seg_count, "likewise"),
    STATE_LEFT(FemuZns, seg_max, "of the parameters"),
    STATE_LEFT(FemuZns, bounce, "of a command that is executed: none is"),
    STATE_BOOL(FemuZns, dbbuf.enabled),
    STATE_NUMBER(FemuZns, dbbuf.shadow_addr),
    STATE_NUMBER(FemuZns, dbbuf.event_addr),
    STATE_ELSE(FemuZns, held_irq, "held_rows"),
    STATE_NUMBER(FemuZns, intms),
    STATE_ELSE(FemuZns, cq, "which of cq_memory there are"),
    STATE_ELSE(FemuZns, cq_memory, "cq_rows"),
    STATE_BOOL(FemuZns, had_io_queues),
    STATE_LEFT(FemuZns, error_lba, "of a command that is executed: none is"),
    STATE_ELSE(FemuZns, ns, "ns_rows"),
    STATE_LEFT(FemuZns, ns_count, "of the parameters"),
    STATE_LEFT(FemuZns, memory, "femu_data_put()"),
    STATE_ELSE(FemuZns, aer_cid, "an array"),
    STATE_AT_MOST(FemuZns, aer_count, FEMU_MAX_AERS),
    STATE_ELSE(FemuZns, event, "event_rows"),
    STATE_BOOL(FemuZns, temperature_warned),
    STATE_LEFT(FemuZns, ssd, "a part of its own: ssd_save()"),
    STATE_ELSE(FemuZns, req, "req_rows"),
    STATE_ELSE(FemuZns, free_req, "an array"),
    STATE_LEFT(FemuZns, free_req_count, "what req leaves"),
    STATE_ELSE(FemuZns, flushes, "visit_flushes()"),
    STATE_NUMBER(FemuZns, stats_resets),
    STATE_AT_MOST(FemuZns, shutdown, FEMU_SHUTDOWN_DONE),
    STATE_NUMBER(FemuZns, accepted_count),
    STATE_NUMBER(FemuZns, programs_before),
    STATE_LEFT(FemuZns, cut_noted, "not between entries"),
    STATE_LEFT(FemuZns, cut_at_ns, "a property; see femu_saved_take()"),
    STATE_LEFT(FemuZns, cut_at_command, "likewise"),
    STATE_LEFT(FemuZns, cut_at_program, "likewise"),
    STATE_BOOL(FemuZns, program_cut_over),
    STATE_LEFT(FemuZns, cut_seed, "a property"),
    STATE_TIME(FemuZns, clock_ns),
    STATE_TIME(FemuZns, now_ns),
    STATE_LEFT(FemuZns, untold_due_ns, "of an entry: none runs"),
    STATE_LEFT(FemuZns, rounds, "of this host, which the next may not be"),
    STATE_LEFT(FemuZns, thread_counts, "likewise"),
    STATE_LEFT(FemuZns, base_ns, "0: a drive with a state is not saved"),
    STATE_ELSE(FemuZns, lateness_ns, "lateness_rows"),
    STATE_ELSE(FemuZns, sq, "which of sq_memory there are"),
    STATE_ELSE(FemuZns, sq_memory, "sq_rows"),
    STATE_ELSE(FemuZns, features, "feature_rows"),
    STATE_NUMBER(FemuZns, format.namespaces_left),
    STATE_BOOL(FemuZns, format.reply),
    STATE_NUMBER(FemuZns, format.cid),
    STATE_ELSE(FemuZns, stats_snapshot, "a text"),
    STATE_LEFT(FemuZns, stats_snapshot_bytes, "of the text"),
    STATE_AT_MOST(FemuZns, last_sq_idx, FEMU_MAX_QUEUES - 1),
    STATE_BOOL(FemuZns, fetch_unfinished),
    STATE_NUMBER(FemuZns, cc),
    STATE_NUMBER(FemuZns, aqa),
    STATE_NUMBER(FemuZns, asq),
    STATE_NUMBER(FemuZns, acq),
    STATE_NUMBER(FemuZns, page_bytes),
    STATE_ELSE(FemuZns, timer, "when it expires"),
    STATE_LEFT(FemuZns, thread, "it rests: see at the timer"),
    STATE_BOOL(FemuZns, enable_waits),
    STATE_LEFT(FemuZns, migration_blocker, "of a drive with a state"),
    STATE_LEFT(FemuZns, params, "with the core"),
    STATE_ELSE(FemuZns, serial, "must be the same"),
    STATE_LEFT(FemuZns, trace_path, "a property"),
    STATE_LEFT(FemuZns, state_path, "a property"),
    STATE_LEFT(FemuZns, state_sync, "a property"),
    STATE_LEFT(FemuZns, journal_path, "a property"),
    STATE_LEFT(FemuZns, memdev, "a property"),
    STATE_LEFT(FemuZns, iothread, "a property"),
    STATE_ELSE(FemuZns, dilation, "must be the same"),
    STATE_ELSE(FemuZns, max_queue_pairs, "must be the same"),
    STATE_ELSE(FemuZns, dbbuf_offered, "must be the same"),
    STATE_LEFT(FemuZns, identity, "of the serial"),
    STATE_LEFT(FemuZns, bar0, "realize"),
    STATE_LEFT(FemuZns, mmio, "realize"),
    STATE_LEFT(FemuZns, cap, "of the parameters"),
};

static const StateRow held_rows[] = {
    STATE_NUMBER(FemuHeldIrq, entries),
    STATE_TIME(FemuHeldIrq, due_at_ns),
};

static const StateRow event_rows[] = {
    STATE_BOOL(FemuEvent, waiting),
    STATE_BOOL(FemuEvent, masked),
    STATE_NUMBER(FemuEvent, info),
    STATE_NUMBER(FemuEvent, log_page),
    STATE_NUMBER(FemuEvent, parameter),
};

static const StateRow feature_rows[] = {
    STATE_NUMBER(FemuFeatures, arbitration),
    STATE_NUMBER(FemuFeatures, workload_hint),
    STATE_ELSE(FemuFeatures, temperature_kelvin, "an array"),
    STATE_NUMBER(FemuFeatures, irq_coalescing),
    STATE_NUMBER(FemuFeatures, write_atomicity),
    STATE_AT_MOST(FemuFeatures, write_cache, 1),
    STATE_NUMBER(FemuFeatures, async_events),
    STATE_NUMBER(FemuFeatures, timestamp_ms),
    STATE_TIME(FemuFeatures, timestamp_set_at_ns),
    STATE_BOOL(FemuFeatures, timestamp_set),
    STATE_ELSE(FemuFeatures, host_id, "an array"),
    STATE_ELSE(FemuFeatures, irq_uncoalesced, "an array"),
};

static const StateRow lateness_rows[] = {
    STATE_NUMBER(SsdHistogram, count),
    STATE_NUMBER(SsdHistogram, sum),
    STATE_NUMBER(SsdHistogram, min),
    STATE_NUMBER(SsdHistogram, max),
    STATE_ELSE(SsdHistogram, buckets, "an array"),
};

static const StateRow cq_rows[] = {
    STATE_LEFT(FemuCq, id, "its place"),
    STATE_AT_MOST(FemuCq, vector, FEMU_MAX_QUEUES - 1),
    STATE_BOOL(FemuCq, irq_enabled),
    STATE_AT_MOST(FemuCq, phase, 1),
    STATE_AT_MOST(FemuCq, size, QUEUE_ENTRIES_MOST),
    STATE_NUMBER(FemuCq, head),
    STATE_NUMBER(FemuCq, tail),
    STATE_NUMBER(FemuCq, signalled),
    STATE_LEFT(FemuCq, sq_count, "those that name it"),
    STATE_NUMBER(FemuCq, base),
    STATE_ELSE(FemuCq, parked, "visit_parked()"),
    STATE_ELSE(FemuParked, cqe, "bytes"),
    STATE_LEFT(FemuParked, next, "its place"),
};

static const StateRow sq_rows[] = {
    STATE_LEFT(FemuSq, id, "its place"),
    STATE_BOOL(FemuSq, awaits_slot),
    STATE_AT_MOST(FemuSq, size, QUEUE_ENTRIES_MOST),
    STATE_NUMBER(FemuSq, head),
    STATE_NUMBER(FemuSq, tail),
    STATE_NUMBER(FemuSq, base),
    STATE_ELSE(FemuSq, cq, "its number"),
};

static const StateRow req_rows[] = {
    STATE_ELSE(FemuReq, sq, "its number"),
    STATE_ELSE(FemuReq, format_ns, "its number"),
    STATE_LEFT(FemuReq, busy, "those that are in the table"),
    STATE_NUMBER(FemuReq, cid),
    STATE_AT_MOST(FemuReq, status, 0x7ff),
    STATE_NUMBER(FemuReq, result),
    STATE_NUMBER(FemuReq, trace_seq),
    STATE_BOOL(FemuReq, shuts_down),
    STATE_BOOL(FemuReq, then_flush),
    STATE_NUMBER(FemuReq, zone_idx),
};

static const StateRow flush_rows[] = {
    STATE_ELSE(FemuFlush, sq, "its number"),
    STATE_NUMBER(FemuFlush, cid),
    STATE_NUMBER(FemuFlush, result),
    STATE_LEFT(FemuFlush, next, "its place"),
};

static const StateRow ns_rows[] = {
    STATE_LEFT(FemuNs, nsid, "its place"),
    STATE_LEFT(FemuNs, csi, "of the parameters"),
    STATE_BOOL(FemuNs, attached),
    STATE_BOOL(FemuNs, changed),
    STATE_BOOL(FemuNs, notice_changed),
    STATE_LEFT(FemuNs, zones, "of the parameters"),
    STATE_LEFT(FemuNs, zone_size_bytes, "likewise"),
    STATE_LEFT(FemuNs, zone_capacity_bytes, "likewise"),
    STATE_LEFT(FemuNs, size_bytes, "likewise"),
    STATE_LEFT(FemuNs, capacity_bytes, "likewise"),
    STATE_NUMBER(FemuNs, lba_bytes),
    STATE_ELSE(FemuNs, store, "visit_store()"),
    STATE_LEFT(FemuNs, zone_ext, "in FemuKept"),
    STATE_ELSE(FemuNs, changed_zones, "visit_bitmap()"),
    STATE_BOOL(FemuNs, notice_zones),
    STATE_ELSE(FemuNs, bad_reads, "visit_bad()"),
    STATE_ELSE(FemuNs, bad_writes, "visit_bad()"),
    STATE_AT_MOST(FemuNs, format_step, FEMU_FORMAT_RESET),
    STATE_LEFT(FemuNs, smart, "in FemuKept"),
    STATE_NUMBER(FemuNs, error_recovery),
    STATE_LEFT(FemuNs, identity, "of the serial"),
    STATE_LEFT(FemuStore, memory, "femu_data_put()"),
    STATE_LEFT(FemuStore, start_bytes, "of the parameters"),
    STATE_LEFT(FemuStore, zone_size_bytes, "likewise"),
    STATE_LEFT(FemuStore, zone_capacity_bytes, "likewise"),
    STATE_LEFT(FemuStore, zones, "likewise"),
    STATE_ELSE(FemuStore, written_bytes, "an array"),
    STATE_ELSE(FemuStore, aside_bytes, "an array"),
    STATE_ELSE(FemuStore, aside_tag, "an array"),
    STATE_LEFT(FemuStore, has_written, "of written_bytes"),
    STATE_LEFT(FemuStore, has_aside, "of aside_bytes"),
    STATE_LEFT(FemuStore, flat_bytes, "of the parameters"),
    STATE_ELSE(FemuStore, flat_written, "visit_bitmap()"),
};

static const StateRow bad_rows[] = {
    STATE_AT_MOST(FemuBadBlocks, count, FEMU_BAD_RANGES),
    STATE_ELSE(FemuBadBlocks, range, "visit_bad()"),
};

static const StateRow kept_rows[] = {
    STATE_LEFT(FemuKept, magic, "of a drive with a state"),
    STATE_LEFT(FemuKept, bytes, "likewise"),
    STATE_NUMBER(FemuKept, power_cycles),
    STATE_NUMBER(FemuKept, unsafe_shutdowns),
    STATE_AT_MOST(FemuKept, shut_down, 1),
    STATE_NUMBER(FemuKept, error_count),
    STATE_LEFT(FemuKept, own_change_at_ns, "of a drive with a state"),
    STATE_ELSE(FemuKept, error_log, "bytes"),
    STATE_ELSE(FemuKept, smart, "smart_rows"),
};

static const StateRow smart_rows[] = {
    STATE_NUMBER(FemuSmart, read_commands),
    STATE_NUMBER(FemuSmart, write_commands),
    STATE_NUMBER(FemuSmart, read_bytes),
    STATE_NUMBER(FemuSmart, written_bytes),
    STATE_NUMBER(FemuSmart, media_errors),
};

/* Numbers that are in no struct. */
static void visit_u32s(State *state, const char *name, uint32_t *at,
                       uint64_t count, uint64_t most)
{
    const StateRow row = {
        .name = name,
        .size = sizeof(*at),
        .kind = STATE_IS_NUMBER,
        .most = most,
    };

    state_numbers(state, &row, at, count);
}

static void visit_bytes(State *state, const char *name, void *at,
                        uint64_t count)
{
    const StateRow row = {
        .name = name,
        .size = sizeof(uint8_t),
        .kind = STATE_IS_NUMBER,
        .most = UINT8_MAX,
    };

    state_numbers(state, &row, at, count);
}

/*
 * Which elements of an array there are: *count of them, below `end`, each once,
 * in order. After an error they are still below `end`.
 */
static void visit_chosen(State *state, const char *name, uint32_t *chosen,
                         uint64_t *count, uint32_t end)
{
    state_number(state, name, count, end);
    visit_u32s(state, name, chosen, *count, end - 1);
    for (uint64_t i = 1; i < *count; i++) {
        if (chosen[i] <= chosen[i - 1]) {
            state_fail(state, "%s: %" PRIu32 " comes behind %" PRIu32, name,
                       chosen[i], chosen[i - 1]);
        }
    }
}

/* A bitmap as the lengths of its stretches of zeroes, ones, zeroes ... */
static void visit_bitmap(State *state, const char *name, unsigned long *bits,
                         uint64_t count)
{
    uint64_t at = 0;

    for (bool one = false; at < count && state_is_good(state); one = !one) {
        uint64_t end = one ? find_next_zero_bit(bits, count, at)
                           : find_next_bit(bits, count, at);
        uint64_t length = end - at;

        state_number(state, name, &length, count - at);
        if (state_is_reading(state)) {
            if (length == 0 && at > 0) {
                state_fail(state, "%s: a stretch of 0", name);
            } else if (one) {
                bitmap_set(bits, at, length);
            }
        }
        at += length;
    }
}

/* What must be the same on both sides, beside the core's parameters. */
static void visit_same(State *state, const char *name, uint64_t here)
{
    uint64_t there = here;

    state_number(state, name, &there, UINT64_MAX);
    if (there != here) {
        state_fail(state, "it is of a drive with %s=%" PRIu64 ", this one has "
                   "%s=%" PRIu64, name, there, name, here);
    }
}

static void visit_head(FemuZns *n, State *state)
{
    g_autofree char *serial = g_strdup(n->serial);
    g_autofree char *there = NULL;

    visit_same(state, "time-dilation", n->dilation);
    visit_same(state, "max-queue-pairs", n->max_queue_pairs);
    visit_same(state, "dbbuf", n->dbbuf_offered);
    if (!state_is_reading(state)) {
        state_text(state, "serial", &serial, FEMU_SERIAL_BYTES);
        return;
    }
    state_text(state, "serial", &there, FEMU_SERIAL_BYTES);
    if (g_strcmp0(there, serial) != 0) {
        state_fail(state, "it is of a drive with serial=%s, this one has "
                   "serial=%s", there, serial);
    }
}

static void visit_parked(FemuZns *n, FemuCq *cq, State *state)
{
    uint64_t count = 0;
    FemuParked *parked;

    QSIMPLEQ_FOREACH(parked, &cq->parked, next) {
        count++;
    }
    state_number(state, "parked completions", &count,
                 n->params.cmd_slots + QUEUE_ENTRIES_MOST);
    parked = QSIMPLEQ_FIRST(&cq->parked);
    for (uint64_t i = 0; i < count; i++) {
        if (state_is_reading(state)) {
            parked = g_new0(FemuParked, 1);
            QSIMPLEQ_INSERT_TAIL(&cq->parked, parked, next);
        }
        visit_bytes(state, "a parked completion", &parked->cqe,
                    sizeof(parked->cqe));
        parked = QSIMPLEQ_NEXT(parked, next);
    }
}

static void visit_cqs(FemuZns *n, State *state)
{
    uint32_t id[FEMU_MAX_QUEUES] = { 0 };
    uint64_t count = 0;

    for (uint32_t i = 0; i < FEMU_MAX_QUEUES; i++) {
        if (n->cq[i]) {
            id[count++] = i;
        }
    }
    visit_chosen(state, "completion queues", id, &count, FEMU_MAX_QUEUES);
    STATE_TABLE(state, cq_rows, n->cq_memory, count, id);
    for (uint64_t i = 0; i < count; i++) {
        FemuCq *cq = &n->cq_memory[id[i]];

        if (state_is_reading(state)) {
            cq->id = id[i];
            QSIMPLEQ_INIT(&cq->parked);
            n->cq[id[i]] = cq;
        }
        visit_parked(n, cq, state);
    }
}

/* A queue names a completion queue that there is. */
static void set_cq(FemuZns *n, State *state, FemuSq *sq, uint32_t cq_id)
{
    sq->cq = n->cq[cq_id];
    if (!sq->cq) {
        state_fail(state, "submission queue %u names completion queue %"
                   PRIu32 ", which there is not", sq->id, cq_id);
        return;
    }
    sq->cq->sq_count++;
    n->sq[sq->id] = sq;
}

static void visit_sqs(FemuZns *n, State *state)
{
    uint32_t id[FEMU_MAX_QUEUES] = { 0 };
    uint32_t cq_id[FEMU_MAX_QUEUES] = { 0 };
    uint64_t count = 0;

    for (uint32_t i = 0; i < FEMU_MAX_QUEUES; i++) {
        if (n->sq[i]) {
            cq_id[count] = n->sq[i]->cq->id;
            id[count++] = i;
        }
    }
    visit_chosen(state, "submission queues", id, &count, FEMU_MAX_QUEUES);
    STATE_TABLE(state, sq_rows, n->sq_memory, count, id);
    visit_u32s(state, "queues' completion queues", cq_id, count,
               FEMU_MAX_QUEUES - 1);
    for (uint64_t i = 0; state_is_reading(state) && i < count; i++) {
        n->sq_memory[id[i]].id = id[i];
        set_cq(n, state, &n->sq_memory[id[i]], cq_id[i]);
    }
}

/* The requests' queues, 0 for none, else the number and 1; and namespaces. */
static void visit_req_links(FemuZns *n, State *state, const uint32_t *tag,
                            uint64_t count)
{
    g_autofree uint32_t *sq = g_new0(uint32_t, count);
    g_autofree uint32_t *nsid = g_new0(uint32_t, count);

    for (uint64_t i = 0; i < count; i++) {
        const FemuReq *req = &n->req[tag[i]];

        sq[i] = req->sq ? req->sq->id + 1 : 0;
        nsid[i] = req->format_ns ? req->format_ns->nsid : 0;
    }
    visit_u32s(state, "requests' queues", sq, count, FEMU_MAX_QUEUES);
    visit_u32s(state, "requests' formats", nsid, count, n->ns_count);
    /* When this writes, they stay what they are. */
    for (uint64_t i = 0; i < count; i++) {
        FemuReq *req = &n->req[tag[i]];

        req->busy = true;
        req->sq = sq[i] ? n->sq[sq[i] - 1] : NULL;
        req->format_ns = femu_ns(n, nsid[i]);
        if (sq[i] && !req->sq) {
            state_fail(state, "request %" PRIu32 " names submission queue %"
                       PRIu32 ", which there is not", tag[i], sq[i] - 1);
        }
    }
}

static void visit_reqs(FemuZns *n, State *state)
{
    uint32_t slots = n->params.cmd_slots;
    g_autofree uint32_t *tag = g_new0(uint32_t, slots);
    uint64_t count = 0;

    for (uint32_t i = 0; i < slots; i++) {
        if (n->req[i].busy) {
            tag[count++] = i;
        }
    }
    visit_chosen(state, "requests", tag, &count, slots);
    STATE_TABLE(state, req_rows, n->req, count, tag);
    visit_req_links(n, state, tag, count);
    n->free_req_count = slots - count;
    visit_u32s(state, "free requests", n->free_req, n->free_req_count,
               slots - 1);
}

static void visit_flush(FemuZns *n, FemuFlush *flush, State *state)
{
    uint64_t sq_id = flush->sq ? flush->sq->id : 0;

    STATE_STRUCT(state, flush_rows, flush);
    state_number(state, "a flush's queue", &sq_id, FEMU_MAX_QUEUES - 1);
    flush->sq = n->sq[sq_id];
    if (!flush->sq) {
        state_fail(state, "a flush names submission queue %" PRIu64
                   ", which there is not", sq_id);
    }
}

static void visit_flushes(FemuZns *n, State *state)
{
    uint64_t count = 0;
    FemuFlush *flush;

    QSIMPLEQ_FOREACH(flush, &n->flushes, next) {
        count++;
    }
    state_number(state, "flushes", &count,
                 n->params.cmd_slots + QUEUE_ENTRIES_MOST);
    flush = QSIMPLEQ_FIRST(&n->flushes);
    for (uint64_t i = 0; i < count; i++) {
        if (state_is_reading(state)) {
            flush = g_new0(FemuFlush, 1);
            QSIMPLEQ_INSERT_TAIL(&n->flushes, flush, next);
        }
        visit_flush(n, flush, state);
        flush = QSIMPLEQ_NEXT(flush, next);
    }
}

static void visit_bad(FemuBadBlocks *bad, State *state)
{
    STATE_STRUCT(state, bad_rows, bad);
    for (uint32_t i = 0; i < bad->count; i++) {
        state_number(state, "bad blocks", &bad->range[i].slba, UINT64_MAX);
        state_number(state, "bad blocks", &bad->range[i].nlb, UINT64_MAX);
    }
}

static void visit_store(FemuStore *store, State *state)
{
    if (store->flat_bytes) {
        visit_bitmap(state, "flat_written", store->flat_written,
                     store->flat_bytes / SSD_GRANULE_BYTES);
        return;
    }
    STATE_ARRAY_OF(FemuStore, written_bytes, state, store, store->zones,
                   STATE_IS_NUMBER, STATE_OF_NOTHING,
                   store->zone_capacity_bytes);
    STATE_ARRAY_OF(FemuStore, aside_bytes, state, store, store->zones,
                   STATE_IS_NUMBER, STATE_OF_NOTHING,
                   store->zone_capacity_bytes);
    STATE_ARRAY(FemuStore, aside_tag, state, store, store->zones);
    if (state_is_reading(state)) {
        femu_store_loaded(store);
    }
}

static void visit_ns(FemuNs *ns, State *state)
{
    STATE_STRUCT(state, ns_rows, ns);
    visit_bitmap(state, "changed_zones", ns->changed_zones, ns->zones);
    visit_bad(&ns->bad_reads, state);
    visit_bad(&ns->bad_writes, state);
    visit_store(&ns->store, state);
}

static void visit_kept(FemuZns *n, State *state)
{
    FemuKept *kept = n->kept;

    STATE_STRUCT(state, kept_rows, kept);
    visit_bytes(state, "error_log", kept->error_log, sizeof(kept->error_log));
    STATE_TABLE(state, smart_rows, kept->smart, n->ns_count, NULL);
    visit_bytes(state, "descriptor extensions", femu_kept_extensions(n),
                n->params.zones * (uint64_t)n->params.zone_ext_bytes);
}

static void visit_features(FemuFeatures *features, State *state)
{
    STATE_STRUCT(state, feature_rows, features);
    STATE_ARRAY(FemuFeatures, temperature_kelvin, state, features,
                ARRAY_SIZE(features->temperature_kelvin));
    STATE_ARRAY(FemuFeatures, host_id, state, features, FEMU_HOST_ID_BYTES);
    STATE_ARRAY_OF(FemuFeatures, irq_uncoalesced, state, features,
                   FEMU_MAX_QUEUES, STATE_IS_BOOL, STATE_OF_NOTHING, 1);
}

static void visit_snapshot(FemuZns *n, State *state)
{
    uint64_t has = n->stats_snapshot != NULL;

    state_number(state, "statistics", &has, 1);
    if (has) {
        state_text(state, "statistics", &n->stats_snapshot,
                   SNAPSHOT_BYTES_MOST);
    }
    if (n->stats_snapshot) {
        n->stats_snapshot_bytes = strlen(n->stats_snapshot);
    }
}

/*
 * Write n, or read into it: then it is of femu_saved_new(). *timer_at_ns is
 * when its timer expires, INT64_MAX if it does not.
 */
void femu_saved_visit(FemuZns *n, uint64_t *timer_at_ns, State *state)
{
    state_room(state, "device");
    visit_head(n, state);
    state_number(state, "timer", timer_at_ns, UINT64_MAX);
    STATE_STRUCT(state, device_rows, n);
    STATE_ARRAY(FemuZns, aer_cid, state, n, FEMU_MAX_AERS);
    STATE_TABLE(state, held_rows, n->held_irq, FEMU_MAX_QUEUES, NULL);
    STATE_TABLE(state, event_rows, n->event, FEMU_EVENT_TYPES, NULL);
    visit_features(&n->features, state);
    STATE_STRUCT(state, lateness_rows, &n->lateness_ns);
    STATE_ARRAY(SsdHistogram, buckets, state, &n->lateness_ns,
                SSD_HISTOGRAM_BUCKETS);
    visit_snapshot(n, state);
    visit_kept(n, state);
    for (uint32_t i = 0; i < n->ns_count; i++) {
        visit_ns(&n->ns[i], state);
    }
    visit_cqs(n, state);
    visit_sqs(n, state);
    visit_reqs(n, state);
    visit_flushes(n, state);
    state_room_end(state);
}
