/*
 * A drive in simulated time: its clock jumps from completion to completion.
 *
 * Knows nothing of which commands are sent, and why.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "drive.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "common/error.h"
#include "ssd_file.h"
#include "ssd_live.h"
#include "ssd_trace.h"

/* A command inside the drive; its index is its tag. */
typedef struct SimSlot {
    SsdCmd cmd;
    unsigned sender;
    uint64_t trace_seq;
} SimSlot;

/* A watched drive stops this often, to empty its log of busy times (ns). */
#define BUSY_STEP_NS 10000000
#define BUSY_CAPACITY (1u << 18)

/* Who watches is told so often; the host's clock is read more seldom. */
#define LIVE_US 200000
#define LIVE_LOOKS 1024

struct SimDrive {
    Ssd *ssd;
    Booked busy; /* its sink is NULL: not watched */
    SsdTrace *trace; /* NULL: not recorded */
    FILE *live;      /* NULL: nobody watches, or not any more */
    char *live_path;
    int live_errno;  /* why not any more */
    unsigned looks;  /* since the host's clock was read */
    gint64 told_at_us;
    uint64_t now_ns;
    SimSlot *slots;
    uint32_t *free_tags;
    uint32_t free_count;
};

/* --- Who watches ---------------------------------------------------------- */

bool sim_drive_watch(SimDrive *drive, const char *path, GError **error)
{
    const char *wrong;

    drive->live = ssd_file_create(path, &wrong);
    drive->live_path = g_strdup(path);
    if (!drive->live) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot create '%s': %s", path,
                    wrong);
    }
    return drive->live;
}

static void tell_watcher(SimDrive *drive)
{
    g_autofree char *json = ssd_live_json(drive->ssd);

    if (fprintf(drive->live, "%s\n", json) < 0 || fflush(drive->live) != 0) {
        drive->live_errno = errno;
        fclose(drive->live);
        drive->live = NULL;
    }
}

static void tell_at_times(SimDrive *drive)
{
    gint64 now_us;

    if (drive->live && ++drive->looks >= LIVE_LOOKS) {
        drive->looks = 0;
        now_us = g_get_monotonic_time();
        if (now_us - drive->told_at_us >= LIVE_US) {
            drive->told_at_us = now_us;
            tell_watcher(drive);
        }
    }
}

/* --- A drive -------------------------------------------------------------- */

SimDrive *sim_drive_new(const SsdParams *params, const char *trace_path,
                        GError **error)
{
    SimDrive *drive;
    SsdTrace *trace = NULL;

    if (trace_path && !(trace = ssd_trace_create(trace_path, params, error))) {
        return NULL;
    }
    drive = g_new0(SimDrive, 1);
    drive->ssd = ssd_new(params);
    drive->trace = trace;
    drive->slots = g_new0(SimSlot, params->cmd_slots);
    drive->free_tags = g_new0(uint32_t, params->cmd_slots);
    drive->free_count = params->cmd_slots;
    for (uint32_t i = 0; i < params->cmd_slots; i++) {
        drive->free_tags[i] = params->cmd_slots - 1 - i;
    }
    return drive;
}

bool sim_drive_free(SimDrive *drive, GError **error)
{
    bool written = !drive->trace ||
                   ssd_trace_close(drive->trace, drive->now_ns, error);

    if (drive->live) {
        tell_watcher(drive);
    }
    if (drive->live) {
        fclose(drive->live);
    }
    if (written && drive->live_errno != 0) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s",
                    drive->live_path, g_strerror(drive->live_errno));
        written = false;
    }
    ssd_free(drive->ssd);
    booked_clear(&drive->busy);
    g_free(drive->live_path);
    g_free(drive->slots);
    g_free(drive->free_tags);
    g_free(drive);
    return written;
}

bool sim_drive_load(SimDrive *drive, const uint8_t *data, size_t size,
                    GError **error)
{
    Ssd *ssd = ssd_load(ssd_params(drive->ssd), data, size, error);

    if (ssd) {
        g_assert(ssd_inflight(ssd) == 0 && !drive->trace);
        ssd_free(drive->ssd);
        drive->ssd = ssd;
        drive->now_ns = ssd_now_ns(ssd);
    }
    return ssd;
}

Ssd *sim_drive_ssd(SimDrive *drive)
{
    return drive->ssd;
}

uint64_t sim_drive_now_ns(const SimDrive *drive)
{
    return drive->now_ns;
}

bool sim_drive_submit(SimDrive *drive, const SsdCmd *cmd, unsigned sender,
                      GError **error)
{
    uint32_t tag = drive->free_tags[drive->free_count - 1];
    SimSlot *slot = &drive->slots[tag];
    SsdAccept accept = ssd_submit(drive->ssd, drive->now_ns, cmd, tag);

    if (drive->trace) {
        slot->trace_seq = ssd_trace_submit(drive->trace, drive->now_ns, cmd,
                                           accept.status);
    }
    if (accept.status != SSD_SUCCESS) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0,
                    "at %" PRIu64 " ns the drive rejected %s of %" PRIu32
                    " blocks at LBA %" PRIu64 ": %s (status 0x%03x)",
                    drive->now_ns, ssd_op_name(cmd->op), cmd->nlb, cmd->slba,
                    sim_status_text(accept.status), accept.status);
        return false;
    }
    slot->cmd = *cmd;
    slot->sender = sender;
    drive->free_count--;
    return true;
}

static void drive_done(SimDrive *drive, SimDone *result)
{
    SimSlot *slot = &drive->slots[result->done.tag];

    g_assert(result->done.due_at_ns == drive->now_ns);
    result->cmd = slot->cmd;
    result->sender = slot->sender;
    drive->free_tags[drive->free_count++] = result->done.tag;
    if (drive->trace) {
        ssd_trace_done(drive->trace, slot->trace_seq, &result->done);
    }
}

void sim_drive_watch_busy(SimDrive *drive, SimBusySink *sink, void *context)
{
    ssd_busy_log_start(drive->ssd, BUSY_CAPACITY);
    booked_init(&drive->busy, sink, context);
}

void sim_drive_end_busy(SimDrive *drive)
{
    booked_take(&drive->busy, drive->ssd, drive->now_ns);
    booked_cut(&drive->busy, drive->now_ns);
}

/* Where the clock stops next; with a busy sink it stops more often. */
static uint64_t next_stop_ns(SimDrive *drive)
{
    uint64_t next_at_ns = ssd_next_at_ns(drive->ssd);

    if (drive->busy.sink) {
        booked_take(&drive->busy, drive->ssd, drive->now_ns);
        if (next_at_ns != UINT64_MAX) {
            next_at_ns = MIN(next_at_ns, drive->now_ns + BUSY_STEP_NS);
        }
    }
    return next_at_ns;
}

/* Return: when something may happen to the next of the drives. */
static uint64_t first_stop_ns(SimDrive *const *drives, unsigned count)
{
    uint64_t first_ns = UINT64_MAX;

    for (unsigned i = 0; i < count; i++) {
        uint64_t next_at_ns = next_stop_ns(drives[i]);

        g_assert(next_at_ns > drives[i]->now_ns);
        first_ns = MIN(first_ns, next_at_ns);
    }
    return first_ns;
}

static void set_clocks(SimDrive *const *drives, unsigned count,
                       uint64_t now_ns)
{
    for (unsigned i = 0; i < count; i++) {
        g_assert(now_ns >= drives[i]->now_ns);
        drives[i]->now_ns = now_ns;
    }
}

unsigned sim_drives_next(SimDrive *const *drives, unsigned count,
                         uint64_t until_ns, SimDone *done)
{
    tell_at_times(drives[0]);
    for (;;) {
        uint64_t next_at_ns;

        for (unsigned i = 0; i < count; i++) {
            if (ssd_poll(drives[i]->ssd, drives[i]->now_ns, &done->done,
                         1) > 0) {
                drive_done(drives[i], done);
                return i;
            }
        }
        next_at_ns = first_stop_ns(drives, count);
        if (next_at_ns == UINT64_MAX || next_at_ns > until_ns) {
            if (until_ns != UINT64_MAX) {
                set_clocks(drives, count, until_ns);
            }
            return count;
        }
        set_clocks(drives, count, next_at_ns);
    }
}

bool sim_drive_next(SimDrive *drive, uint64_t until_ns, SimDone *done)
{
    return sim_drives_next(&drive, 1, until_ns, done) == 0;
}

void sim_drives_meet(SimDrive *const *drives, unsigned count)
{
    uint64_t latest_ns = 0;

    for (unsigned i = 0; i < count; i++) {
        latest_ns = MAX(latest_ns, drives[i]->now_ns);
    }
    for (unsigned i = 0; i < count; i++) {
        SimDone done;
        bool came = sim_drive_next(drives[i], latest_ns, &done);

        g_assert(!came);
    }
}

SimDone sim_drive_wait(SimDrive *drive)
{
    SimDone done;
    bool came = sim_drive_next(drive, UINT64_MAX, &done);

    g_assert(came);
    return done;
}

const char *sim_status_text(SsdStatus status)
{
    switch (status) {
    case SSD_SUCCESS:
        return "success";
    case SSD_INVALID_OPCODE:
        return "invalid command opcode";
    case SSD_INVALID_FIELD:
        return "invalid field";
    case SSD_INVALID_NAMESPACE_OR_FORMAT:
        return "invalid namespace or format";
    case SSD_COMMAND_SIZE_LIMIT_EXCEEDED:
        return "command size limit exceeded";
    case SSD_LBA_OUT_OF_RANGE:
        return "LBA out of range";
    case SSD_INVALID_ZONE_OPERATION:
        return "invalid zone operation";
    case SSD_ZRWA_UNAVAILABLE:
        return "no ZRWA is available";
    case SSD_ZONE_BOUNDARY_ERROR:
        return "zone boundary error";
    case SSD_ZONE_IS_FULL:
        return "zone is full";
    case SSD_ZONE_IS_READ_ONLY:
        return "zone is read-only";
    case SSD_ZONE_IS_OFFLINE:
        return "zone is offline";
    case SSD_ZONE_INVALID_WRITE:
        return "write not at the write pointer";
    case SSD_TOO_MANY_ACTIVE_ZONES:
        return "too many active zones";
    case SSD_TOO_MANY_OPEN_ZONES:
        return "too many open zones";
    case SSD_INVALID_ZONE_STATE_TRANSITION:
        return "invalid zone state transition";
    }
    return "unknown status";
}
