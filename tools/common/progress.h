/*
 * A line on standard error that says how far a long run is.
 *
 * Knows nothing of what runs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_PROGRESS_H
#define FEMU_SIM_PROGRESS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct SimProgress {
    gint64 said_at_us; /* host time; 0: nothing was looked at yet */
    bool on_terminal;
    bool said;
} SimProgress;

/*
 * Say something when it is time: every second on a terminal, else every 10 s.
 * Short runs say nothing. Changes nothing that is simulated.
 */
void sim_progress(SimProgress *progress, uint64_t command_count,
                  uint64_t simulated_ns);
void sim_progress_end(SimProgress *progress);

#endif
