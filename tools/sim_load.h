/*
 * A closed-loop workload: every sender keeps a number of commands inside the
 * drive and sends the next when one completes.
 *
 * Knows nothing of options and reports.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_LOAD_H
#define FEMU_SIM_LOAD_H

#include "sim_drive.h"
#include "ssd_histogram.h"

typedef enum LoadKind {
    LOAD_WRITE,
    LOAD_APPEND,
    LOAD_READ,
    LOAD_RANDREAD,
    LOAD_FINISH,
    LOAD_RESET,
    LOAD_KIND_COUNT,
} LoadKind;

/*
 * What to send. WRITE, APPEND, READ: `zones` senders, one per zone, each with
 * `qd` commands inside; sender i uses zones i, i + zones, ... to write, and
 * resets a zone that is full before it writes it again. READ wraps around in
 * what is written of zone i. RANDREAD, FINISH, RESET: one sender, `qd`
 * commands, zones 0 to zones - 1; FINISH and RESET take each zone once.
 */
typedef struct LoadSpec {
    LoadKind kind;
    uint32_t nsid; /* where to; zones are counted in it */
    uint64_t block_bytes; /* of a read or write; whole LBAs, at most mdts */
    uint64_t fill_bytes;  /* written to each zone first, not measured */
    unsigned qd;
    unsigned zones;
    uint64_t seed; /* of RANDREAD */
    /* Sending stops at whichever comes first; UINT64_MAX: never. */
    uint64_t max_count;
    uint64_t max_bytes;
    uint64_t max_time_ns;
} LoadSpec;

/* What came of it, by operation. Times are of the drive's clock. */
typedef struct LoadResult {
    SsdHistogram latency_ns[SSD_OP_COUNT];
    uint64_t bytes[SSD_OP_COUNT];
    uint64_t start_at_ns;
    uint64_t end_at_ns; /* of the last completion */
} LoadResult;

const char *load_kind_name(LoadKind kind);

/* The kind of that name, or LOAD_KIND_COUNT. */
LoadKind load_kind_from_name(const char *name);

/*
 * Does the workload suit the drive (resolved parameters)?
 * Return: false and *error naming option, value and what is right.
 */
bool load_check(const LoadSpec *spec, const SsdParams *params, GError **error);

/*
 * Fill the zones, reset the drive's statistics, send the workload and wait for
 * its last completion. `spec` has passed load_check(); *result is all zero.
 * Return: false and *error when the drive rejects a command.
 */
bool load_run(const LoadSpec *spec, SimDrive *drive, LoadResult *result,
              GError **error);

#endif
