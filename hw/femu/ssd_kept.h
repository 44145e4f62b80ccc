/*
 * What a drive's state has in its folder beside the history, for the device
 * that writes it and for those who read it: the form of the file 'kept', and
 * how large it and the file 'data' are.
 *
 * Knows nothing of QEMU or of how the drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_KEPT_H
#define FEMU_SSD_KEPT_H

#include "params.h"

#define FEMU_ERROR_LOG_ENTRIES 64
#define FEMU_ERROR_LOG_ENTRY_BYTES 64

/* Counters behind the SMART log of a namespace; never reset. */
typedef struct FemuSmart {
    uint64_t read_commands;
    uint64_t write_commands;
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t media_errors;
} FemuSmart;

/*
 * What lasts beside data and zones; with a state, in a file that is mapped, in
 * the host's byte order. Words of 8 bytes: if QEMU is killed, each is old or
 * new. Behind it come the zones' descriptor extensions.
 */
#define FEMU_KEPT_MAGIC "femu-zns kept 2"
typedef struct FemuKept {
    char magic[16];
    uint64_t bytes;             /* with the extensions */
    uint64_t power_cycles;
    uint64_t unsafe_shutdowns;
    uint64_t shut_down;         /* 1: shut down, and not enabled since */
    uint64_t error_count;
    /*
     * When the drive has last changed a zone of itself, in its own time: a host
     * may know of it, though the history may have no record that is so late.
     */
    uint64_t own_change_at_ns;
    /* A ring by error count of entries as NVMe has them. */
    uint8_t error_log[FEMU_ERROR_LOG_ENTRIES][FEMU_ERROR_LOG_ENTRY_BYTES];
    FemuSmart smart[];          /* by namespace */
} FemuKept;

/* Bytes of the file 'kept'. */
static inline uint64_t ssd_kept_bytes(const SsdParams *params)
{
    return sizeof(FemuKept) + (params->namespaces + 1) * sizeof(FemuSmart) +
           params->zones * (uint64_t)params->zone_ext_bytes;
}

/* Bytes of the data of all namespaces, so of the file 'data'. */
static inline uint64_t ssd_data_bytes(const SsdParams *params)
{
    return params->zones * params->zone_capacity_bytes +
           params->conventional_bytes;
}

#endif
