/*
 * A drive with a clock that jumps from completion to completion, and the
 * recording of what goes in and out.
 *
 * Knows nothing of which commands are sent, and why.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_DRIVE_H
#define FEMU_SIM_DRIVE_H

#include "booked.h"
#include "ssd.h"

typedef struct SimDrive SimDrive;

/* A completion, and the number that its sender gave it. */
typedef struct SimDone {
    SsdDone done;
    SsdCmd cmd;
    unsigned sender;
} SimDone;

/*
 * A new drive at time 0. `params` are checked. `trace_path` may be NULL.
 * Return: NULL and *error when the trace cannot be created.
 */
SimDrive *sim_drive_new(const SsdParams *params, const char *trace_path,
                        GError **error);

/*
 * Finish the trace and free the drive. Return: false and *error when the
 * trace, or what a watcher reads, could not be written; the run ends all the same.
 */
bool sim_drive_free(SimDrive *drive, GError **error);

/*
 * The drive becomes the one that was saved (ssd_save()), of the same
 * parameters; nothing is inside either. What sim_drive_ssd() returned before is
 * gone. Return: false and *error if it cannot be loaded; then it is as before.
 */
bool sim_drive_load(SimDrive *drive, const uint8_t *data, size_t size,
                    GError **error);

Ssd *sim_drive_ssd(SimDrive *drive);
uint64_t sim_drive_now_ns(const SimDrive *drive);

/*
 * Submit now. Needs room (ssd_has_room()).
 * Return: false and *error with the reason if the drive rejects it.
 */
bool sim_drive_submit(SimDrive *drive, const SsdCmd *cmd, unsigned sender,
                      GError **error);

/*
 * Move the clock to the next completion. Needs a command inside.
 * Completions of the same instant come one by one, in order.
 */
SimDone sim_drive_wait(SimDrive *drive);

/*
 * Move the clock to the next completion if that is due by `until_ns`, else to
 * `until_ns` (not if that is UINT64_MAX).
 * Return: true with a completion.
 */
bool sim_drive_next(SimDrive *drive, uint64_t until_ns, SimDone *done);

/*
 * The same for `count` drives, whose clocks stand at one instant and go on
 * together. Return: the index of the drive with the completion, the first that
 * has one then; `count` without one.
 */
unsigned sim_drives_next(SimDrive *const *drives, unsigned count,
                         uint64_t until_ns, SimDone *done);

/* Move the clocks of drives with nothing inside to the latest of them. */
void sim_drives_meet(SimDrive *const *drives, unsigned count);

/*
 * Have all that channels and units do from now on, once it is over, nothing
 * left out. Only on a new drive.
 */
void sim_drive_watch_busy(SimDrive *drive, SimBusySink *sink, void *context);

/* The last of it: what is under way, or booked, is seen up to now. */
void sim_drive_end_busy(SimDrive *drive);

/*
 * Write what the drive does to a file, a line of JSON each time, some times in
 * a second of the host's; a file that cannot be written any more is left alone.
 * What the drive does is the same. Return: false and *error if there is no such
 * file.
 */
bool sim_drive_watch(SimDrive *drive, const char *path, GError **error);

/* What a status means, in words. */
const char *sim_status_text(SsdStatus status);

#endif
