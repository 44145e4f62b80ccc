/*
 * The drive's parameters: one table, from which the QEMU properties, the
 * simulator's flags, the configuration reader and docs/parameters.md are made.
 *
 * Knows nothing of QEMU, NVMe, zones or time; it only holds numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_PARAMS_H
#define FEMU_PARAMS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SSD_KIB UINT64_C(1024)
#define SSD_MIB (UINT64_C(1024) * SSD_KIB)
#define SSD_GIB (UINT64_C(1024) * SSD_MIB)
#define SSD_TIB (UINT64_C(1024) * SSD_GIB)

/* What the conventional namespace is mapped in: the largest block there is. */
#define SSD_GRANULE_BYTES UINT64_C(4096)

/* The largest finish-chunk; one program may be larger. */
#define SSD_FINISH_CHUNK_MAX_BYTES (16 * SSD_MIB)

/*
 * One row per parameter: X(type, field, name, default, min, max, unit, help).
 * Types: U32 and U64 are plain integers; SIZE is a byte count that may carry a
 * binary suffix (K, M, G, T); BOOL is on or off (min and max are unused);
 * ENUM is one of the words that `unit` lists, "a, b, c", numbered from 0 to max.
 * `name` is what a user types. Rules that join several parameters are in
 * ssd_params_check(). Order here is the order in the documentation.
 */
#define SSD_PARAMS(X)                                                         \
    X(U32, zones, "zones", 64, 1, 1u << 20, "zones",                          \
      "number of zones of the drive, in all namespaces")                      \
    X(U32, namespaces, "namespaces", 1, 1, 256, "namespaces",                 \
      "zoned namespaces, each with an equal share of the zones")              \
    X(SIZE, conventional_bytes, "conventional-size", 0, 0, 64 * SSD_GIB,      \
      "bytes",                                                                \
      "size of a conventional namespace, which comes after the zoned ones; "  \
      "0: there is none")                                                     \
    X(U32, conventional_spare_pct, "conventional-spare", 7, 0, 400,           \
      "percent",                                                              \
      "flash that the conventional namespace has beyond its size; at least "  \
      "what its cleaning needs, up to two lines")                             \
    X(BOOL, conventional_buffer, "conventional-buffer", false, false, true,   \
      "",                                                                     \
      "writes to the conventional namespace are done when their data are in " \
      "the write buffer, if there is one, beside those of zones; off: when "  \
      "they are programmed")                                                  \
    X(SIZE, zone_size_bytes, "zone-size", 64 * SSD_MIB, 64 * SSD_KIB,         \
      SSD_TIB, "bytes",                                                       \
      "distance between zone starts; a power of two, as Linux demands")       \
    X(SIZE, zone_capacity_bytes, "zone-capacity", 0, 0, SSD_TIB, "bytes",     \
      "writable bytes of a zone; 0 means zone-size")                          \
    X(U32, lba_bytes, "lba-size", 4096, 512, 4096, "bytes",                   \
      "logical block size: 512 or 4096")                                      \
    X(U32, max_open, "max-open", 14, 0, 1u << 20, "zones",                    \
      "zones of a namespace that may be open at once (MOR); 0: no limit")     \
    X(U32, max_active, "max-active", 14, 0, 1u << 20, "zones",                \
      "zones of a namespace that may be open or closed at once (MAR); 0: "    \
      "no limit")                                                             \
    X(U32, channels, "channels", 4, 1, 64, "channels",                        \
      "flash channels of the drive")                                          \
    X(U32, ways, "ways", 1, 1, 16, "ways", "ways (chip enables) per channel") \
    X(U32, dies, "dies", 1, 1, 16, "dies", "dies per way")                    \
    X(U32, planes, "planes", 1, 1, 8, "planes",                               \
      "planes per die, each with an array clock of its own")                  \
    X(U32, zone_channels, "zone-channels", 0, 0, 64, "channels",              \
      "channels that one zone spans; 0 means all")                            \
    X(U32, zone_ways, "zone-ways", 0, 0, 16, "ways",                          \
      "ways per channel that one zone spans; 0 means all")                    \
    X(U32, zone_dies, "zone-dies", 0, 0, 16, "dies",                          \
      "dies per way that one zone spans; 0 means all")                        \
    X(U32, zone_planes, "zone-planes", 0, 0, 8, "planes",                     \
      "planes per die that one zone spans; 0 means all")                      \
    X(ENUM, stripe_order, "stripe-order", 0, 0, 23,                           \
      "cwdp, cwpd, cdwp, cdpw, cpwd, cpdw, wcdp, wcpd, wdcp, wdpc, "          \
      "wpcd, wpdc, dcwp, dcpw, dwcp, dwpc, dpcw, dpwc, pcwd, pcdw, "          \
      "pwcd, pwdc, pdcw, pdwc",                                               \
      "how a zone's pages go round its units: c channel, w way, d die, "      \
      "p plane, the level that changes with every page first")                \
    X(U32, zone_stagger, "zone-stagger", 0, 0, 4095, "units",                 \
      "each zone begins so many units further on in its stripe than the "     \
      "one before it")                                                        \
    X(BOOL, zone_shuffle, "zone-shuffle", false, false, true, "",             \
      "each zone goes round its units in steps of its own and from a unit of " \
      "its own on, both drawn; off: one by one")                              \
    X(SIZE, page_bytes, "page-size", 16 * SSD_KIB, 4 * SSD_KIB,               \
      256 * SSD_KIB, "bytes", "flash page: the unit of sense and program")    \
    X(U32, pages_per_block, "pages-per-block", 768, 1, 1u << 16, "pages",     \
      "pages of an erase block")                                              \
    X(U64, read_ns, "read-ns", 60000, 0, UINT64_C(1000000000), "ns",          \
      "tR: sensing one page")                                                 \
    X(U64, program_ns, "program-ns", 700000, 0, UINT64_C(1000000000), "ns",   \
      "tPROG: programming one page")                                          \
    X(U64, erase_ns, "erase-ns", 3500000, 0, UINT64_C(1000000000), "ns",      \
      "tBERS: erasing one block")                                             \
    X(U64, page_transfer_ns, "page-transfer-ns", 25000, 0,                    \
      UINT64_C(1000000000), "ns",                                             \
      "moving one whole page over its channel; a part costs its share")       \
    X(SIZE, read_granule_bytes, "read-granule", 0, 0, 256 * SSD_KIB,          \
      "bytes",                                                                \
      "reads transfer whole granules (ECC codewords); 0 means whole pages")   \
    X(BOOL, multi_plane, "multi-plane", false, false, true, "",               \
      "the planes of a die work as one: a sense, program or erase takes "     \
      "all of them, and the die has one array clock")                         \
    X(U32, program_pages, "program-pages", 1, 1, 16, "pages",                 \
      "pages of each plane that one program writes (one-shot TLC: 3)")        \
    X(U64, program_transfer_ns, "program-transfer-ns", 0, 0,                  \
      UINT64_C(1000000000), "ns",                                             \
      "moving one page over its channel for a program; 0 means "              \
      "page-transfer-ns")                                                     \
    X(U64, program_data_ns, "program-data-ns", 0, 0, UINT64_C(1000000000),    \
      "ns",                                                                   \
      "more array time of a program with data of the host; the padding of "   \
      "a finish goes without")                                                \
    X(U32, own_program_after, "own-program-after", 0, 0, 1000000,             \
      "programs",                                                             \
      "programs with data of the host on each unit, in the mean, after "      \
      "which all end, and each unit has one of the drive's own; 0: never")    \
    X(U64, own_program_ns, "own-program-ns", 0, 0, UINT64_C(1000000000),      \
      "ns",                                                                   \
      "array time of a program of the drive's own, for which reads do not "   \
      "wait; 0: units only wait for each other, and begin again in step")     \
    X(U32, program_spread_permille, "program-spread", 0, 0, 100, "permille",  \
      "standard deviation of tPROG, as a share of it")                        \
    X(U32, stripe_spread_permille, "stripe-spread", 0, 0, 100, "permille",    \
      "standard deviation of tPROG between the stripes of a zone with data "  \
      "of the host; alike on all units of a stripe, beside program-spread")   \
    X(U64, read_slow_ns, "read-slow-ns", 0, 0, UINT64_C(1000000000), "ns",    \
      "tR of slow pages, where there are some")                               \
    X(U32, slow_page_permille, "slow-pages", 0, 0, 1000, "permille",          \
      "share of pages that are slow to sense; which ones, the seed says")     \
    X(BOOL, cache_read, "cache-read", true, false, true, "",                  \
      "the array goes on while what it has sensed is transferred; off: it "   \
      "waits until the channel has taken the data")                           \
    X(U64, register_read_ns, "register-read-ns", 0, 0,                        \
      UINT64_C(1000000000), "ns",                                             \
      "array time of a read of the pages that the planes' registers still "   \
      "hold from the last reads; programs and erases take the registers; 0: " \
      "every read senses")                                                    \
    X(U64, sense_command_ns, "sense-command-ns", 0, 0,                        \
      UINT64_C(1000000000), "ns",                                             \
      "a read's command holds its channel so long before the unit senses, "   \
      "and the unit as well if that has turned to it from other work; a "     \
      "read of what the registers are going to hold needs none")              \
    X(U32, program_registers, "program-registers", 0, 0, 16, "programs",      \
      "programs whose data a unit can hold, the running one included; "       \
      "further ones wait before the channel. 1: no cache program, 2: "        \
      "cache program; 0 means no limit")                                      \
    X(U64, program_issue_ns, "program-issue-ns", 0, 0, UINT64_C(1000000000),  \
      "ns",                                                                   \
      "the controller issues programs, of whatever unit, one after another, " \
      "each in this time; 0: in none")                                        \
    X(U32, reads_first, "reads-first", 0, 0, 1u << 16, "reads",               \
      "reads that a unit senses before programs and erases that wait, and "   \
      "for each suspension; 0 means in order of arrival")                     \
    X(BOOL, program_suspend, "program-suspend", false, false, true, "",       \
      "a running program is suspended for reads")                             \
    X(BOOL, erase_suspend, "erase-suspend", false, false, true, "",           \
      "a running erase is suspended for reads")                               \
    X(U64, suspend_ns, "suspend-ns", 0, 0, UINT64_C(1000000000), "ns",        \
      "suspend latency: from the suspend point until reads can go")           \
    X(U64, resume_ns, "resume-ns", 0, 0, UINT64_C(1000000000), "ns",          \
      "array time that each suspension adds to a program or erase; a read "   \
      "that comes in it, and is one of reads-first, goes at once")            \
    X(U64, suspend_segment_ns, "suspend-segment-ns", 0, 0,                    \
      UINT64_C(1000000000), "ns",                                             \
      "array time between points at which a program or erase can be "         \
      "suspended; it runs at least as long after each suspension")            \
    X(U32, suspend_spread_permille, "suspend-spread", 0, 0, 1000, "permille", \
      "a segment is longer or shorter by at most this share of it")           \
    X(U64, suspend_rest_ns, "suspend-rest-ns", 0, 0, UINT64_C(1000000000),    \
      "ns",                                                                   \
      "a program or erase from which reads have taken all turns that "        \
      "reads-first gives them runs, before the next suspension, until so "    \
      "long after the first of these reads began")                           \
    X(U64, seed, "seed", 0, 0, UINT64_C(1) << 62, "",                         \
      "of all that is random in the drive, such as which pages are slow")     \
    X(U64, fe_read_ns, "fe-read-ns", 0, 0, UINT64_C(1000000000), "ns",        \
      "front end: taking in a read, verify or compare; one command at a "     \
      "time")                                                                 \
    X(U64, fe_lba512_read_ns, "fe-lba512-read-ns", 0, 0,                      \
      UINT64_C(1000000000), "ns",                                             \
      "fe-read-ns in a namespace with blocks of 512 bytes; 0: as others")     \
    X(U64, fe_write_ns, "fe-write-ns", 0, 0, UINT64_C(1000000000), "ns",      \
      "front end: taking in a write, write zeroes or copy")                   \
    X(U64, fe_append_ns, "fe-append-ns", 0, 0, UINT64_C(1000000000), "ns",    \
      "front end: taking in an append; 0: as a write")                        \
    X(U64, fe_write_arrived_ns, "fe-write-arrived-ns", 0, 0,                  \
      UINT64_C(1000000000), "ns",                                             \
      "front end: again for a write when its data have arrived")              \
    X(U64, fe_append_arrived_ns, "fe-append-arrived-ns", 0, 0,                \
      UINT64_C(1000000000), "ns", "the same for an append")                   \
    X(U64, fe_open_ns, "fe-open-ns", 0, 0, UINT64_C(1000000000), "ns",        \
      "front end: opening a zone, and actions that leave no work")            \
    X(U64, fe_close_ns, "fe-close-ns", 0, 0, UINT64_C(1000000000), "ns",      \
      "front end: closing a zone")                                            \
    X(U64, fe_finish_ns, "fe-finish-ns", 0, 0, UINT64_C(1000000000), "ns",    \
      "front end: taking in a finish")                                        \
    X(U64, fe_reset_ns, "fe-reset-ns", 0, 0, UINT64_C(1000000000), "ns",      \
      "front end: taking in a reset")                                         \
    X(U64, fe_report_ns, "fe-report-ns", 0, 0, UINT64_C(1000000000), "ns",    \
      "front end: a zone report")                                             \
    X(U64, fe_report_zone_ns, "fe-report-zone-ns", 0, 0,                      \
      UINT64_C(1000000000), "ns",                                             \
      "front end: more of that for each zone that the report describes")      \
    X(U64, fe_identify_ns, "fe-identify-ns", 0, 0, UINT64_C(1000000000),      \
      "ns", "front end: an Identify")                                         \
    X(U64, fe_log_ns, "fe-log-ns", 0, 0, UINT64_C(1000000000), "ns",          \
      "front end: a Get Log Page")                                            \
    X(U64, fe_feature_ns, "fe-feature-ns", 0, 0, UINT64_C(1000000000), "ns",  \
      "front end: a Get Features or Set Features")                            \
    X(U32, read_slots, "read-slots", 0, 0, 8192, "commands",                  \
      "reads, verifies and compares inside at a time, and writes that wait "  \
      "for room in the buffer; other reads wait before the front end. Reads " \
      "of less than 4 KiB that have ended count until all before them in "    \
      "their zone have. 0: all")                                              \
    X(U32, read_lists, "read-lists", 0, 0, 8192, "commands",                  \
      "of reads, verifies and compares inside, those of more than two pages "  \
      "of 4 KiB, which need a list of them; others wait for a slot. 0: all")   \
    X(SIZE, fe_small_bytes, "fe-small", 0, 0, 8 * SSD_MIB, "bytes",           \
      "writes and appends shorter than this are small; 0: none is")           \
    X(U64, fe_small_write_ns, "fe-small-write-ns", 0, 0,                      \
      UINT64_C(1000000000), "ns",                                             \
      "fe-write-ns of small ones")                                            \
    X(U64, fe_small_append_ns, "fe-small-append-ns", 0, 0,                    \
      UINT64_C(1000000000), "ns",                                             \
      "fe-append-ns of small ones; 0: as a small write")                      \
    X(U64, fe_part_ns, "fe-part-ns", 0, 0, UINT64_C(1000000000), "ns",        \
      "fe-write-ns and fe-append-ns of those shorter than 4 KiB, which is "   \
      "a part of what is mapped as one, all of it after the hand-off; 0: as " \
      "others")                                                               \
    X(U64, fe_part_merge_ns, "fe-part-merge-ns", 0, 0,                        \
      UINT64_C(1000000000), "ns",                                             \
      "more of that for each part of its length that lies before it in its "  \
      "4 KiB")                                                                \
    X(U32, fe_part_pause_permille, "fe-part-pauses", 0, 0, 1000, "permille",  \
      "share of these for which the front end pauses")                        \
    X(U64, fe_part_pause_ns, "fe-part-pause-ns", 0, 0, UINT64_C(1000000000),  \
      "ns",                                                                   \
      "mean of the pause, which has an exponential distribution")             \
    X(U64, fe_lba512_ns, "fe-lba512-ns", 0, 0, UINT64_C(1000000000), "ns",    \
      "fe-small-write-ns and fe-small-append-ns in a namespace with "         \
      "blocks of 512 bytes; 0: as others")                                    \
    X(U32, fe_lba512_pause_permille, "fe-lba512-pauses", 0, 0, 1000,          \
      "permille",                                                             \
      "share of these for which the front end pauses")                        \
    X(U64, fe_lba512_pause_ns, "fe-lba512-pause-ns", 0, 0,                    \
      UINT64_C(1000000000), "ns",                                             \
      "mean of the pause, which has an exponential distribution")             \
    X(U64, fixed_lba512_ns, "fixed-lba512-ns", 0, 0, UINT64_C(1000000000),    \
      "ns",                                                                   \
      "fixed-small-ns of these")                                              \
    X(U64, fe_first_write_ns, "fe-first-write-ns", 0, 0,                      \
      UINT64_C(1000000000), "ns",                                             \
      "front end: more for a write or append that opens an empty zone")       \
    X(U64, fe_closed_write_ns, "fe-closed-write-ns", 0, 0,                    \
      UINT64_C(1000000000), "ns",                                             \
      "front end: more for a write or append that opens a closed zone")       \
    X(U32, fe_after_permille, "fe-after", 0, 0, 1000, "permille",             \
      "share of its work on a write or append that the front end does "       \
      "after the hand-off: the next command waits for it, this one does "     \
      "not")                                                                  \
    X(BOOL, fe_after_random, "fe-after-random", false, false, true, "",       \
      "the length of that share varies, with an exponential distribution")    \
    X(U64, link_in_ns, "link-in-ns", 0, 0, UINT64_C(1000000000), "ns/MiB",    \
      "host link, to the drive: data of writes, appends and compares")        \
    X(U64, link_out_ns, "link-out-ns", 0, 0, UINT64_C(1000000000), "ns/MiB",  \
      "host link, to the host: data of reads")                                \
    X(U64, fixed_read_ns, "fixed-read-ns", 0, 0, UINT64_C(1000000000), "ns",  \
      "latency of a read, verify or compare that occupies nothing")           \
    X(U64, fixed_read_size_ns, "fixed-read-size-ns", 0, 0,                    \
      UINT64_C(1000000000), "ns/MiB",                                         \
      "more of it by the length of the command")                              \
    X(U64, fixed_write_ns, "fixed-write-ns", 0, 0, UINT64_C(1000000000),      \
      "ns",                                                                   \
      "the same of a write, write zeroes or copy")                            \
    X(U64, fixed_append_ns, "fixed-append-ns", 0, 0, UINT64_C(1000000000),    \
      "ns",                                                                   \
      "the same of an append")                                                \
    X(U64, fixed_list_ns, "fixed-list-ns", 0, 0, UINT64_C(1000000000), "ns",  \
      "more of that and of a write's if it is longer than two pages of 4 KiB, "\
      "so that the drive fetches a list of its pages")                        \
    X(U64, fixed_small_ns, "fixed-small-ns", 0, 0, UINT64_C(1000000000),      \
      "ns",                                                                   \
      "more of it for small writes and appends")                              \
    X(SIZE, read_ahead_bytes, "read-ahead", 0, 0, 64 * SSD_MIB, "bytes",      \
      "read cache of a stream: so far from the first of its reads that is "   \
      "not done on are data fetched, in what a unit senses at once; 0: no "   \
      "read-ahead")                                                        \
    X(U32, read_ahead_streams, "read-ahead-streams", 1, 1, 64, "streams",     \
      "streams of reads that are known at a time; one more takes the place "  \
      "of that which was used longest ago")                                   \
    X(U32, read_ahead_after, "read-ahead-after", 2, 1, 1u << 16, "reads",     \
      "so many reads, each from the end of the one before it, make a stream") \
    X(U32, read_ahead_parts, "read-ahead-parts", 0, 0, 8192, "reads",         \
      "with more reads of less than 4 KiB inside, such a one is not "         \
      "recognised as part of a stream; 0: always")                            \
    X(U64, read_ahead_quiet_ns, "read-ahead-quiet-ns", 0, 0,                  \
      UINT64_C(1000000000), "ns", "a read that begins so shortly after a "    \
      "write to any zone is not recognised as part of a stream; 0: always")   \
    X(SIZE, finish_chunk_bytes, "finish-chunk", 0, 0,                         \
      SSD_FINISH_CHUNK_MAX_BYTES, "bytes",                                    \
      "finish programs this much at a time; 0 means one program, with a "     \
      "write buffer all")                                                     \
    X(U64, finish_pause_ns, "finish-pause-ns", 0, 0, UINT64_C(1000000000),    \
      "ns", "pause of a finish between the end of a chunk and the next")      \
    X(U64, finish_busy_pause_ns, "finish-busy-pause-ns", 0, 0,                \
      UINT64_C(1000000000), "ns",                                             \
      "the same while host I/O is inside; 0 means finish-pause-ns")           \
    X(U64, finish_stall_ns, "finish-stall-ns", 0, 0, UINT64_C(10000000000),   \
      "ns",                                                                   \
      "a chunk lets host I/O go first for at most this long; 0: for no time") \
    X(ENUM, erase_at, "erase-at", SSD_ERASE_AT_RESET, 0,                      \
      SSD_ERASE_AT_BLOCK_WRITE,                                               \
      "reset, background, idle, zone-write, block-write",                     \
      "when blocks are erased: in the reset command; right behind it; behind "\
      "it when no host I/O is inside; at the zone's first write; at each "    \
      "block's first write")                                                  \
    X(BOOL, full_erase, "full-erase", false, 0, 1, "",                        \
      "reset erases all blocks of a zone, not only those with data")          \
    X(BOOL, erase_preemptive, "erase-preemptive", false, 0, 1, "",            \
      "a reset's erases are issued a block at a time on each unit, and host " \
      "I/O goes in between")                                                  \
    X(U64, erase_stall_ns, "erase-stall-ns", 0, 0, UINT64_C(10000000000),     \
      "ns",                                                                   \
      "the next block of a preemptive erase lets host I/O go first for at "   \
      "most this long")                                                       \
    X(U64, idle_ns, "idle-ns", 100000, 1000, UINT64_C(10000000000), "ns",    \
      "host I/O has gone when none has been inside for this long")            \
    X(ENUM, mapping, "mapping", SSD_MAPPING_DIRECT, 0, SSD_MAPPING_REMAP,     \
      "direct, lazy, remap",                                                  \
      "the superblock that backs a zone: always the same; one that is taken " \
      "at the zone's first write; one that is taken at its reset")            \
    X(U32, spare_superblocks, "spare-superblocks", 0, 0, 1u << 16,            \
      "superblocks",                                                          \
      "superblocks beyond one for each zone, on each group of units")         \
    X(ENUM, superblock_order, "superblock-order", 0, 0, 2,                    \
      "fifo, lifo, least-worn",                                               \
      "which free superblock a zone takes, or which dirty one if none is "    \
      "free")                                                                 \
    X(U32, pe_cycles, "pe-cycles", 0, 0, 1000000, "cycles",                   \
      "program/erase cycles that a block is made for: Percentage Used of "    \
      "the SMART log is the mean of what they have had, as a share of it; "   \
      "0: not known, and Percentage Used stays 0")                            \
    X(SIZE, write_buffer_bytes, "write-buffer", 0, 0, 16 * SSD_GIB, "bytes",  \
      "buffer for writes, protected against power loss: a write is done "     \
      "when its data are there; 0: none")                                     \
    X(SIZE, zone_buffer_bytes, "zone-buffer", 0, 0, 16 * SSD_GIB, "bytes",    \
      "what one zone may hold of the buffer; 0 means all of it")              \
    X(U32, buffer_waiters, "buffer-waiters", 1, 1, 8192, "commands",          \
      "writes that wait for room in the buffer; one more, and the front "     \
      "end waits with all that is behind it")                                 \
    X(SIZE, buffer_portion_bytes, "buffer-portion", 32 * SSD_KIB, 4096,       \
      SSD_MIB, "bytes",                                                       \
      "the buffer takes a write's data in portions of this, each as soon as " \
      "there is room for it")                                                 \
    X(BOOL, buffer_turns, "buffer-turns", false, false, true, "",             \
      "writes that wait for room in the buffer stand in a line for each zone "\
      "and take turns, a portion each; while the zone whose turn it is has "  \
      "no room in its share, all wait, and buffer-waiters holds as without. " \
      "off: in one line")                                                     \
    X(BOOL, page_turns, "page-turns", false, false, true, "",                 \
      "the pages of a stripe in the buffer wait each at its own unit, where " \
      "zones take turns, and a finish yields to those that write. off: a "    \
      "zone waits at one unit with one page, and all its others are behind "  \
      "that")                                                                 \
    X(BOOL, take_turns, "take-turns", false, false, true, "",                 \
      "writes that wait for room in the buffer, and reads that wait for a "   \
      "slot, stand in a line for each zone and take turns; off: in one line, "\
      "behind whoever must wait")                                             \
    X(U64, buffer_release_ns, "buffer-release-ns", 0, 0,                      \
      UINT64_C(1000000000), "ns",                                             \
      "what has been programmed leaves the buffer page by page over this "    \
      "time, as the unit's next data take its place in the registers, but "   \
      "before any next program can have ended; 0: at once")                   \
    X(U32, buffer_resume_waiters, "buffer-resume", 0, 0, 8191, "commands",    \
      "a front end that is held up goes on when so few of them wait; 0: one " \
      "less than buffer-waiters")                                             \
    X(BOOL, finish_fills_empty, "finish-fills-empty", true, false, true, "",  \
      "finish programs all of a zone that holds no data; off: nothing")       \
    X(BOOL, reset_drains, "reset-drains", false, false, true, "",             \
      "a reset begins when each unit has programmed what it has of the "      \
      "host's, but at most what its registers hold and one page more")        \
    X(BOOL, reset_drain_first, "reset-drain-first", false, false, true, "",   \
      "meanwhile pages that were complete when the reset began go first: "   \
      "others are given only to units that have nothing else to program")     \
    X(U64, reset_lock_ns, "reset-lock-ns", 0, 0, UINT64_C(1000000000), "ns",  \
      "unmapping a zone full of host data; in proportion, if there are "      \
      "less; meanwhile no program is given to the flash")                     \
    X(U32, reset_steps, "reset-steps", 0, 0, 1000, "steps",                   \
      "short operations of a reset on each unit while it unmaps, one unit "   \
      "after another")                                                        \
    X(U64, reset_step_ns, "reset-step-ns", 0, 0, UINT64_C(1000000000), "ns",  \
      "array time of such a step")                                            \
    X(U64, reset_base_ns, "reset-base-ns", 0, 0, UINT64_C(1000000000), "ns",  \
      "committing a reset, whatever the zone holds; resets are done one "     \
      "after another")                                                        \
    X(U64, reset_after_ns, "reset-after-ns", 0, 0, UINT64_C(1000000000),      \
      "ns",                                                                   \
      "more of that for a zone that the host has filled, of others in "       \
      "proportion")                                                           \
    X(U64, reset_part_ns, "reset-part-ns", 0, 0, UINT64_C(1000000000), "ns",  \
      "more of that for a zone with a program or more that is neither "       \
      "full nor finished")                                                    \
    X(U64, power_up_ns, "power-up-ns", 0, 0, UINT64_C(100000000000), "ns",    \
      "after a loss of power the drive can be used so long after it is back") \
    X(ENUM, write_cache, "write-cache", SSD_WRITE_CACHE_PROTECTED, 0,         \
      SSD_WRITE_CACHE_VOLATILE, "protected, volatile",                        \
      "what a loss of power does to data of zones that are not programmed: "  \
      "nothing, capacitors keep them; they are gone, unless flushed")         \
    X(U32, mgmt_parallel_zones, "mgmt-parallel-zones", 1, 1, 1024, "zones",   \
      "zones that a Select All works on at a time")                           \
    X(U32, cmd_slots, "cmd-slots", 1024, 1, 8192, "commands",                 \
      "commands inside the drive; further ones wait in their queues")         \
    X(SIZE, mdts_bytes, "mdts", 512 * SSD_KIB, 8 * SSD_KIB, 8 * SSD_MIB,      \
      "bytes", "largest data transfer of a command; a power of two")          \
    X(SIZE, zasl_bytes, "zasl", 0, 0, 8 * SSD_MIB, "bytes",                   \
      "largest zone append; a power of two; 0 means as mdts")                 \
    X(SIZE, wzsl_bytes, "wzsl", 0, 0, 8 * SSD_MIB, "bytes",                   \
      "largest write zeroes (WZSL); a power of two; 0 means as mdts")         \
    X(U32, zone_ext_bytes, "zd-extension-size", 0, 0, 16320, "bytes",         \
      "Zone Descriptor Extension (ZDES) that a zone can be given; a "         \
      "multiple of 64; 0: not offered")                                       \
    X(SIZE, zrwa_bytes, "zrwa-size", 0, 0, 16 * SSD_MIB, "bytes",             \
      "Zone Random Write Area (ZRWAS) that a zone can be opened with; "       \
      "0: not offered")                                                       \
    X(SIZE, zrwa_granule_bytes, "zrwa-flush-granularity", 0, 0,               \
      16 * SSD_MIB, "bytes",                                                  \
      "a ZRWA is committed in multiples of this (ZRWAFG); 0: page-size")      \
    X(U32, max_zrwa, "max-zrwa", 0, 0, 1u << 20, "zones",                     \
      "zones of a namespace that may have a ZRWA at once (NUMZRWA); 0: as "   \
      "many as max-active")                                                   \
    X(U64, excursion_ns, "excursion-ns", 0, 0, UINT64_C(1000000000000000),    \
      "ns", "the controller finishes a zone that has been open or closed so " \
      "long (a Zone Active Excursion); 0: never. Linux refuses such a drive") \
    X(U64, finish_recommended_ns, "finish-recommended-ns", 0, 0,              \
      UINT64_C(1000000000000000), "ns",                                       \
      "so long open or closed, a zone has Finish Zone Recommended; 0: never") \
    X(U64, reset_recommended_ns, "reset-recommended-ns", 0, 0,                \
      UINT64_C(1000000000000000), "ns",                                       \
      "so long full, a zone has Reset Zone Recommended; 0: never")

/* Words of `erase-at`, `mapping` and `write-cache`, in the order of the rows. */
enum {
    SSD_WRITE_CACHE_PROTECTED,
    SSD_WRITE_CACHE_VOLATILE,
};
enum {
    SSD_ERASE_AT_RESET,
    SSD_ERASE_AT_BACKGROUND,
    SSD_ERASE_AT_IDLE,
    SSD_ERASE_AT_ZONE_WRITE,
    SSD_ERASE_AT_BLOCK_WRITE,
};
enum {
    SSD_MAPPING_DIRECT,
    SSD_MAPPING_LAZY,
    SSD_MAPPING_REMAP,
};

typedef struct SsdParams {
#define SSD_PARAM_U32(f) uint32_t f;
#define SSD_PARAM_U64(f) uint64_t f;
#define SSD_PARAM_SIZE(f) uint64_t f;
#define SSD_PARAM_BOOL(f) bool f;
#define SSD_PARAM_ENUM(f) uint32_t f;
#define SSD_PARAM_FIELD(type, field, ...) SSD_PARAM_##type(field)
    SSD_PARAMS(SSD_PARAM_FIELD)
#undef SSD_PARAM_FIELD
#undef SSD_PARAM_U32
#undef SSD_PARAM_U64
#undef SSD_PARAM_SIZE
#undef SSD_PARAM_BOOL
#undef SSD_PARAM_ENUM
} SsdParams;

typedef enum SsdParamType {
    SSD_PARAM_TYPE_U32,
    SSD_PARAM_TYPE_U64,
    SSD_PARAM_TYPE_SIZE,
    SSD_PARAM_TYPE_BOOL,
    SSD_PARAM_TYPE_ENUM,
} SsdParamType;

/* A row of the table at run time; `offset_bytes` is into SsdParams. */
typedef struct SsdParamInfo {
    const char *name;
    const char *unit;
    const char *help;
    SsdParamType type;
    size_t offset_bytes;
    uint64_t default_value;
    uint64_t min;
    uint64_t max;
} SsdParamInfo;

#define SSD_PARAMS_ERROR ssd_params_error_quark()
GQuark ssd_params_error_quark(void);

/* The rows in table order; *count receives how many. */
const SsdParamInfo *ssd_params_table(unsigned *count);

/* Every parameter at its default. The result passes ssd_params_check(). */
void ssd_params_defaults(SsdParams *params);

/*
 * Give parameter `name` the value written as `text`, as QEMU's -set would.
 * Checks the type and the row's range, not the rules between parameters.
 * Return: false and *error naming parameter, value and what would be right.
 */
bool ssd_params_set(SsdParams *params, const char *name, const char *text,
                    GError **error);

/*
 * The name of the table, or of `others` (NULL-terminated, may be NULL), that a
 * user who typed `name` probably meant. NULL when none comes close.
 */
const char *ssd_params_nearest(const char *name, const char *const *others);

/* The value of one parameter; booleans are 0 or 1. */
uint64_t ssd_params_get(const SsdParams *params, const SsdParamInfo *info);

/*
 * Lines of the conventional namespace: a line is a block on every unit, and
 * there are enough for the spare and for cleaning.
 */
uint64_t ssd_params_conventional_lines(const SsdParams *params);
/* Do its writes go through the write buffer, if there is one? */
bool ssd_params_buffers_log(const SsdParams *params);

/*
 * Units are what senses and programs on its own: the planes, or the dies with
 * multi-plane. Of the drive, and of those that a zone spans; the latter needs
 * resolved parameters.
 */
uint32_t ssd_params_unit_count(const SsdParams *params);
uint32_t ssd_params_zone_unit_count(const SsdParams *params);

/* What a unit senses at once, and what one program writes, in bytes. */
uint64_t ssd_params_sense_bytes(const SsdParams *params);
uint64_t ssd_params_program_bytes(const SsdParams *params);

/* What a finish programs at a time, of resolved parameters. */
uint64_t ssd_params_finish_bytes(const SsdParams *params);

/*
 * Check ranges and the rules between parameters. A checked SsdParams is what
 * ssd_new() needs. Changes nothing.
 * Return: false and *error naming property, value and what would be right.
 */
bool ssd_params_check(const SsdParams *params, GError **error);

/*
 * Values in which "0 means ..." has been replaced by what it means. All code
 * below the check works on resolved parameters. Idempotent.
 */
void ssd_params_resolve(SsdParams *params);

/* The table as the Markdown of docs/parameters.md. Caller frees. */
char *ssd_params_markdown(void);

#endif
