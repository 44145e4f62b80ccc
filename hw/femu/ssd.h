/*
 * The waist: a zoned drive as a value that takes commands and returns
 * completions. The QEMU device, the simulator and the tests drive this object.
 *
 * Knows nothing of QEMU, queues, host memory or a clock: time is an argument.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_H
#define FEMU_SSD_H

#include "params.h"
#include "ssd_types.h"

typedef struct Ssd Ssd;

/* Lower-case name of an operation, as in statistics and trace files. */
const char *ssd_op_name(SsdOp op);

/* The operation of that name, or SSD_OP_COUNT. */
SsdOp ssd_op_from_name(const char *name);

/*
 * The most bytes that one command may read or write: zasl of an APPEND, wzsl of
 * a WRITE_ZEROES, else mdts. `params` are resolved.
 */
uint64_t ssd_op_limit_bytes(const SsdParams *params, SsdOp op);

/*
 * What ssd_submit() says at once. `lba` is where the data of the command lies
 * (for APPEND the assigned LBA); meaningless on an error status.
 */
typedef struct SsdAccept {
    SsdStatus status;
    uint64_t lba;
} SsdAccept;

/*
 * What a namespace is. Only lba_bytes ever changes, and with it each _nlb. All
 * of zones is 0 in a conventional one.
 */
typedef struct SsdNsInfo {
    SsdNsKind kind;
    uint32_t lba_bytes;
    uint64_t size_nlb;
    uint32_t zones;
    uint32_t first_zone_idx; /* its place among all zones of the drive */
    uint64_t zone_size_nlb;
    uint64_t zone_capacity_nlb;
} SsdNsInfo;

/* What a report says of one zone. `wp_lba` is meaningless when full. */
typedef struct SsdZone {
    SsdZoneState state;
    uint64_t start_lba;
    uint64_t wp_lba;
    uint64_t written_lba; /* behind the last block that the host wrote */
    uint64_t capacity_nlb;
    bool has_zrwa; /* a Zone Random Write Area begins at the write pointer */
    bool has_extension; /* of its descriptor, whose bytes the caller keeps */
    bool finished_by_controller; /* ZNS 1.1 section 5.6 */
    bool finish_recommended;
    bool reset_recommended;
} SsdZone;

/*
 * A new drive: every zone empty, every resource idle, time 0. `params` must
 * have passed ssd_params_check(). All memory is allocated here.
 */
Ssd *ssd_new(const SsdParams *params);
void ssd_free(Ssd *ssd);

/*
 * All of a drive as bytes, the same on every machine and of every build. What
 * is loaded goes on as the drive that was saved: the same completions at the
 * same nanoseconds, statistics and all. To save changes nothing. docs/design.md
 * says what the bytes are.
 */
GByteArray *ssd_save(const Ssd *ssd);

/*
 * A drive as it was saved, of these parameters, which must have passed
 * ssd_params_check() and be those of the drive that was saved. All of it is
 * checked; the bytes may come from anywhere.
 * Return: NULL with *error, which tells what is wrong and what would be right.
 */
Ssd *ssd_load(const SsdParams *params, const uint8_t *data, size_t size,
              GError **error);

/* The latest time that the drive has been told: of a new one, 0. */
uint64_t ssd_now_ns(const Ssd *ssd);

/*
 * The parameters of the drive that was saved, checked: for who has none. How
 * much memory such a drive takes is for the caller to judge.
 */
bool ssd_load_params(const uint8_t *data, size_t size, SsdParams *params,
                     GError **error);

/*
 * The parameters, resolved ("0 means ..." replaced). `lba-size` is what the
 * namespaces started with; ssd_ns_info() says what a format has made of it.
 */
const SsdParams *ssd_params(const Ssd *ssd);

/* Namespaces are numbered from 1 to this. */
uint32_t ssd_ns_count(const Ssd *ssd);
SsdNsInfo ssd_ns_info(const Ssd *ssd, uint32_t nsid);

/*
 * Can ssd_submit() take one more command? False while `cmd-slots` commands
 * are inside; a slot is free again once ssd_poll() has returned its command.
 * False, too, while so many zones' finishes and resets wait that the next
 * command, should it be a Select All, would find no room for its own.
 */
bool ssd_has_room(const Ssd *ssd);

/*
 * Submit a command at `now_ns`, which must not be before any earlier call's.
 * Checks everything, then takes effect at once and in full: write pointer,
 * zone state and mapping change here, in submission order. An error status
 * means that nothing has changed and that no completion will come.
 * `tag` is opaque and comes back with the completion. Needs ssd_has_room().
 *
 * A namespace that is none is SSD_INVALID_NAMESPACE_OR_FORMAT; APPEND and
 * ZONE_* to a conventional one are SSD_INVALID_OPCODE.
 * nlb = 0 is SSD_INVALID_FIELD, as is a transfer above mdts, or above zasl
 * for an append. A copy of more than SSD_COPY_RANGES_MAX ranges, or of more
 * than mdts in all, is SSD_COMMAND_SIZE_LIMIT_EXCEEDED. Of DEALLOCATE, 1 to
 * SSD_DEALLOCATE_RANGES_MAX ranges, each of which may be empty, and none in an
 * offline zone. A report of more zones than there are from `slba` on is
 * SSD_INVALID_FIELD.
 */
SsdAccept ssd_submit(Ssd *ssd, uint64_t now_ns, const SsdCmd *cmd,
                     uint32_t tag);

/*
 * What ssd_submit() would say at `now_ns`, for a caller with reasons of its own
 * to refuse what the drive would accept. As unobservable as a poll.
 */
SsdAccept ssd_ask(Ssd *ssd, uint64_t now_ns, const SsdCmd *cmd);

/*
 * Does a ZONE_REPORT, IDENTIFY, LOG or FEATURE take time (the parameters
 * fe-report-ns and so on)? If not, it is done at once, whatever else is inside:
 * who was asked may as well answer without ssd_submit(), and without a slot.
 */
bool ssd_is_timed(const Ssd *ssd, SsdOp op);

/*
 * A time by which the caller must poll to see the next completion, and the
 * next zone that changes of itself, on time: neither is due earlier, unless a
 * later ssd_submit() makes one. Later than now after a poll that has returned
 * all that is due. UINT64_MAX when no command is inside and no zone will change.
 */
uint64_t ssd_next_at_ns(const Ssd *ssd);

/*
 * Run the drive up to and including `now_ns` and return at most `max`
 * completions in the order in which they became due. Polling is unobservable:
 * how often, and when, changes no time and no order.
 * Return: how many; equal to `max` means that there may be more.
 */
unsigned ssd_poll(Ssd *ssd, uint64_t now_ns, SsdDone *done, unsigned max);

/*
 * Zones that have changed by `now_ns` though no command asked for it, one at a
 * call, each once: the controller has finished the zone, or recommends
 * something. Only with the parameters that say when (ZNS 1.1 sections 5.4 to
 * 5.6). A caller that does not care need not call.
 * Return: false when there is none left.
 */
bool ssd_poll_zone(Ssd *ssd, uint64_t now_ns, uint32_t *nsid,
                   uint32_t *zone_idx);

/* Commands inside: accepted and not yet returned by ssd_poll(). */
unsigned ssd_inflight(const Ssd *ssd);

/*
 * What is known of a command that is inside: its tag, its operation, and its
 * namespace, or SSD_NSID_ALL.
 */
typedef struct SsdInside {
    uint32_t tag;
    SsdOp op;
    uint32_t nsid;
} SsdInside;

/* The commands inside, in no order, at most `max`. Return: how many. */
unsigned ssd_inside(const Ssd *ssd, SsdInside *inside, unsigned max);

/* Those of one namespace; a flush of SSD_NSID_ALL is of none. */
unsigned ssd_ns_inflight(const Ssd *ssd, uint32_t nsid);

/* Zone `zone_idx`, counted in its namespace, as a report shows it. */
SsdZone ssd_zone(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx);

/*
 * The first zone from `zone_idx` on that is in a state, or the number of zones;
 * and how many are, from `zone_idx` on, which may be the number of zones.
 */
uint32_t ssd_next_zone(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx,
                       SsdZoneState state);
uint32_t ssd_count_zones(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx,
                         SsdZoneState state);

/* On how many of the namespace's zones Select All of `op` would work. */
uint32_t ssd_count_selected(const Ssd *ssd, uint32_t nsid, SsdOp op);

/* The same of zones that the controller has finished, or that it recommends to
 * finish or to reset. */
uint32_t ssd_next_attributed(const Ssd *ssd, uint32_t nsid, uint32_t zone_idx);
uint32_t ssd_count_attributed(const Ssd *ssd, uint32_t nsid,
                              uint32_t zone_idx);

/*
 * The flash units that a zone's pages go round, in that order: *count of them.
 * A unit is ((channel * ways + way) * dies + die) * planes + plane; with
 * multi-plane it is a die. A zone begins zone-stagger places further on than
 * the one before; with zone-shuffle it goes round these places in steps and
 * from a start of its own.
 */
const uint32_t *ssd_zone_units(const Ssd *ssd, uint32_t nsid,
                               uint32_t zone_idx, uint32_t *count);

/*
 * The medium of a zone fails at `now_ns`: from now on it is read-only, or
 * offline with its data lost (ZNS 1.1 sections 2.1.1.2.2.6 and 2.1.1.2.2.7).
 * `state` is SSD_ZONE_READ_ONLY or SSD_ZONE_OFFLINE. Work under way goes on;
 * the zone's resources are free at once.
 * Return: false, changing nothing, for a zone that is offline already, or
 * read-only and asked to be.
 */
bool ssd_zone_fail(Ssd *ssd, uint64_t now_ns, uint32_t nsid,
                   uint32_t zone_idx, SsdZoneState state);

/*
 * A namespace, or each with SSD_NSID_ALL, is as new, with blocks of
 * `lba_bytes`: every zone is empty, a failed one is offline. Takes no time:
 * what erasing takes is that of a reset of all its zones, which also waits for
 * what excursions still fill; a conventional one is erased when its lines are
 * needed again. Time and statistics go on. Needs
 * ssd_ns_inflight() == 0 of what it formats.
 * Return: false with *error, changing nothing, if the drive cannot have it.
 */
bool ssd_format(Ssd *ssd, uint64_t now_ns, uint32_t nsid, uint32_t lba_bytes,
                GError **error);

/* Zones of a namespace that hold an open or an active resource right now. */
uint32_t ssd_open_count(const Ssd *ssd, uint32_t nsid);
uint32_t ssd_active_count(const Ssd *ssd, uint32_t nsid);

/* Programs that have ended, since ssd_new() or a power cut. */
uint64_t ssd_programs(const Ssd *ssd);

/*
 * When the drive does something next, be it to its flash alone: the instants at
 * which what a power cut would leave changes are among these. UINT64_MAX: never,
 * of itself.
 */
uint64_t ssd_next_step_at_ns(const Ssd *ssd);

/*
 * The power of a drive goes at now_ns. Return: the drive that is there when it
 * is back, power-up-ns later: nothing is inside, and no command can be
 * submitted earlier. `ssd` itself goes on, run up to now_ns, as if nothing had
 * happened: it can be cut again, or freed.
 *
 * All that ssd_poll() has returned, or could return now, is done and stays. Of
 * the rest the seed decides, within what a host must expect (docs/model.md,
 * "A power cut"): writes that were inside at the end of a zone are there up to
 * some block; a finish or reset has been, or has not. Open zones are closed, or
 * empty. Statistics begin anew, but for wear.
 */
Ssd *ssd_power_cut(Ssd *ssd, uint64_t now_ns, uint64_t seed);

/*
 * A block of the flash that zones lie on, and how often it has been erased
 * since ssd_new(). A superblock is what backs one zone at a time.
 */
typedef struct SsdBlock {
    uint32_t superblock_idx;
    uint32_t unit_idx;
    uint32_t block_in_unit_idx;
    uint32_t erase_count;
} SsdBlock;

/* Block `block_idx` < ssd_block_count(), superblock by superblock. */
uint64_t ssd_block_count(const Ssd *ssd);
SsdBlock ssd_block(const Ssd *ssd, uint64_t block_idx);

/*
 * How much of the drive's life is gone, in percent of pe-cycles: the mean of
 * all its blocks' erases that have ended, rounded down. Above 100 the drive
 * works on; 0 if pe-cycles is. Runs the drive up to now_ns.
 */
uint64_t ssd_used_percent(Ssd *ssd, uint64_t now_ns);

/* What a channel or a flash unit did, from when to when. */
typedef struct SsdBusy {
    uint64_t begin_at_ns;
    uint64_t end_at_ns;
    bool is_channel;       /* else a unit, as ssd_zone_units() numbers them */
    uint32_t resource_idx;
    const char *what;      /* read, load, program, pad, erase */
} SsdBusy;

/*
 * Log what channels and units do, right after ssd_new(): `capacity` entries
 * are kept until they are taken, then the oldest make room.
 */
void ssd_busy_log_start(Ssd *ssd, uint32_t capacity);

/*
 * Take the oldest entries: work of units that has ended, or stopped for reads,
 * and transfers that are booked.
 * Return: how many, at most `max`.
 */
unsigned ssd_busy_log_take(Ssd *ssd, SsdBusy *busy, unsigned max);

/*
 * Statistics since ssd_new() or the last ssd_stats_reset(), as JSON text:
 * per operation count, errors, bytes and latency distribution (submission to
 * completion); per channel and flash unit the time it was busy. docs/model.md
 * describes the members. Runs the drive up to now_ns. `extra` (may be NULL) is
 * the text of further members, such as "\"lateness\":{}". Caller frees.
 */
char *ssd_stats_json(Ssd *ssd, uint64_t now_ns, const char *extra);

/*
 * Return: what finishes have filled in that time, counted when the program is
 * issued; what one program writes.
 */
uint64_t ssd_stats_padded_bytes(const Ssd *ssd);
uint32_t ssd_stats_page_bytes(const Ssd *ssd);
void ssd_stats_reset(Ssd *ssd, uint64_t now_ns);

#endif
