// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two reads at a time: a pivot, which stays, and a needle, which moves. If
 * both are of pages on one unit of the flash, the needle waits for the pivot,
 * and its latency jumps.
 *
 * What is not on one unit may wait, too, but shorter: for the channel, the
 * link, the front end. So a jump is one that comes near to the longest between
 * places of one zone, and those are the ones that share a unit.
 *
 * A page that a unit has read last may be there still, and cost it nothing. So
 * a pivot is never read twice in turn without another page of its unit between.
 * Places are drawn: reads in order may be read ahead.
 *
 * Knows nothing of the drive beyond the latencies of its reads.
 */
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include "zone-finder.h"

#define READ_BYTES 4096ULL
#define ALONE_COUNT 129         /* reads whose median is taken */
#define PAIR_COUNT 1024         /* pairs of a zone's places ... */
#define PAIR_TOP 4              /* ... of which so many share a unit */
#define FIRST_LIMIT_PCT 50      /* of the jump of these */
#define LIMIT_PCT 65            /* of the median jump */
#define LEAST_PCT 20            /* of a read on its own: less is no jump */
#define NEEDLES 8               /* places of a zone that are needles, ... */
#define NEEDLES_OF_UNIT 6       /* ... and so many more for each unit */
#define VOTES 3                 /* a jump is seen so often in turn */

struct Probe {
    const Drive *drive;
    uint64_t fill_bytes;
    struct io_uring ring;
    uint8_t *data[2];
    uint64_t random;
    uint64_t count;
    uint64_t alone_ns, limit_ns;
    unsigned needles;           /* places that are tried in a zone */
};

typedef struct {
    uint32_t zone_idx;
    uint64_t offset;
} Place;

/* --- Reads --------------------------------------------------------------- */

Probe *probe_new(const Drive *drive, uint64_t fill_bytes)
{
    Probe *probe = allocate(1, sizeof(*probe));
    struct io_uring_params params = {
        .flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32,
    };
    int status = io_uring_queue_init_params(2, &probe->ring, &params);

    if (status < 0) {
        die(1, "io_uring: %s", strerror(-status));
    }
    for (unsigned i = 0; i < 2; i++) {
        if (posix_memalign((void **)&probe->data[i], READ_BYTES,
                           READ_BYTES) != 0) {
            die(1, "no memory for %llu bytes", READ_BYTES);
        }
        memset(probe->data[i], 0, READ_BYTES);
    }
    probe->drive = drive;
    probe->fill_bytes = fill_bytes;
    probe->random = 1;
    return probe;
}

uint64_t probe_count(const Probe *probe)
{
    return probe->count;
}

/* Return: a number below LIMIT, the same ones in every run. */
static uint64_t draw(Probe *probe, uint64_t limit)
{
    probe->random = probe->random * 6364136223846793005ULL +
                    1442695040888963407ULL;
    return (probe->random >> 33) % limit;
}

static void prepare(Probe *probe, unsigned idx, const Place *place)
{
    const Drive *drive = probe->drive;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&probe->ring);
    Command cmd = {
        .op = OP_READ,
        .zone_idx = place->zone_idx,
        .lba = drive->zones[place->zone_idx].start_lba +
               place->offset / drive->lba_bytes,
        .nlb = READ_BYTES / drive->lba_bytes,
        .data = probe->data[idx],
    };

    drive_prepare(drive, &cmd, sqe);
    io_uring_sqe_set_data64(sqe, idx);
}

/* Sends COUNT reads at once. Return: the latency of the last of them. */
static uint64_t read_ns(Probe *probe, const Place *places, unsigned count)
{
    uint64_t begin_ns, end_ns = 0;
    char text[80];

    for (unsigned i = 0; i < count; i++) {
        prepare(probe, i, &places[i]);
    }
    begin_ns = now_ns();
    io_uring_submit(&probe->ring);
    for (unsigned i = 0; i < count; i++) {
        struct io_uring_cqe *cqe;
        int status = io_uring_wait_cqe(&probe->ring, &cqe);
        uint64_t at_ns = now_ns();

        if (status == 0) {
            status = cqe->res;
        }
        if (status != 0) {
            die(1, "read: %s", status_text(status, text, sizeof(text)));
        }
        if (cqe->user_data == count - 1) {
            end_ns = at_ns;
        }
        io_uring_cqe_seen(&probe->ring, cqe);
    }
    probe->count += count == 2;
    return end_ns - begin_ns;
}

/* Return: by how much the needle is later than a read on its own. */
static uint64_t jump_ns(Probe *probe, Place pivot, Place needle)
{
    Place places[2] = { pivot, needle };
    uint64_t latency_ns = read_ns(probe, places, 2);

    return latency_ns > probe->alone_ns ? latency_ns - probe->alone_ns : 0;
}

static bool jumps(Probe *probe, Place pivot, Place needle)
{
    return jump_ns(probe, pivot, needle) > probe->limit_ns;
}

/* --- What one zone tells ------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

static Place draw_place(Probe *probe, uint32_t zone_idx)
{
    uint64_t count = probe->fill_bytes / READ_BYTES;

    return (Place){ zone_idx, draw(probe, count) * READ_BYTES };
}

static uint64_t alone_ns(Probe *probe, uint32_t zone_idx)
{
    uint64_t values[ALONE_COUNT];

    for (unsigned i = 0; i < ALONE_COUNT; i++) {
        Place place = draw_place(probe, zone_idx);

        values[i] = read_ns(probe, &place, 1);
    }
    qsort(values, ALONE_COUNT, sizeof(*values), compare);
    return values[ALONE_COUNT / 2];
}

/*
 * Draws pairs of a zone's places. The jumps that are the longest are of those
 * that share a unit, and their share of all says how many units there are.
 */
static void learn_jumps(Probe *probe, uint32_t zone_idx, Shape *shape)
{
    static uint64_t values[PAIR_COUNT];
    uint64_t top_ns;
    unsigned first = 0;

    for (unsigned i = 0; i < PAIR_COUNT; i++) {
        values[i] = jump_ns(probe, draw_place(probe, zone_idx),
                            draw_place(probe, zone_idx));
    }
    qsort(values, PAIR_COUNT, sizeof(*values), compare);
    top_ns = values[PAIR_COUNT - PAIR_TOP];
    if (top_ns * 100 < probe->alone_ns * LEAST_PCT) {
        die(1, "no read waits for another one of its zone (%llu ns alone, "
            "%llu more at most): latencies tell nothing of this drive",
            (unsigned long long)probe->alone_ns, (unsigned long long)top_ns);
    }
    while (values[first] * 100 < top_ns * FIRST_LIMIT_PCT) {
        first++;
    }
    shape->jump_ns = values[first + (PAIR_COUNT - first) / 2];
    shape->units = (PAIR_COUNT + (PAIR_COUNT - first) / 2) /
                   (PAIR_COUNT - first);
    probe->limit_ns = shape->jump_ns * LIMIT_PCT / 100;
}

void probe_learn(Probe *probe, uint32_t zone_idx, Shape *shape)
{
    memset(shape, 0, sizeof(*shape));
    probe->alone_ns = alone_ns(probe, zone_idx);
    shape->alone_ns = probe->alone_ns;
    learn_jumps(probe, zone_idx, shape);
    probe->needles = NEEDLES + NEEDLES_OF_UNIT * shape->units;
}

/* --- Pivot and needle ---------------------------------------------------- */

/* The page of the pivot that its unit has not read last. */
static Place turn_of(Pivot *pivot)
{
    pivot->turn ^= 1;
    return (Place){ pivot->zone_idx, pivot->offsets[pivot->turn] };
}

/*
 * The second page of a pivot: one that the first waits for. The first is the
 * needle here: whatever its unit holds of it is lost to one that shares it.
 */
void probe_pivot(Probe *probe, uint32_t zone_idx, Pivot *pivot)
{
    Place first = draw_place(probe, zone_idx), second = first;
    unsigned tries = 0, seen = 0;

    while (seen < VOTES) {
        if (seen == 0) {
            second = draw_place(probe, zone_idx);
        }
        if (tries++ == VOTES * probe->needles) {
            first = draw_place(probe, zone_idx);
        }
        if (tries == 2 * VOTES * probe->needles) {
            die(1, "zone %u: no read waits for one at %llu KiB: does it hold "
                "data?", zone_idx, (unsigned long long)first.offset / 1024);
        }
        seen = jumps(probe, second, first) ? seen + 1 : 0;
    }
    *pivot = (Pivot){ zone_idx, { first.offset, second.offset }, 0 };
}

bool probe_share(Probe *probe, Pivot *pivot, uint32_t needle_zone)
{
    Place needle;
    unsigned seen = 0;

    for (unsigned i = 0; i < probe->needles && seen < VOTES;) {
        if (seen == 0) {
            needle = draw_place(probe, needle_zone);
            i++;
        }
        seen = jumps(probe, turn_of(pivot), needle) ? seen + 1 : 0;
    }
    return seen == VOTES;
}
