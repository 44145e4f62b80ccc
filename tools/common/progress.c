/*
 * Progress, by the host's clock: the one thing here that is not simulated.
 *
 * Knows nothing of what runs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define LOOK_EVERY 65536 /* commands between two readings of the clock */

void sim_progress(SimProgress *progress, uint64_t command_count,
                  uint64_t simulated_ns)
{
    gint64 now_us;

    if (command_count % LOOK_EVERY != 0) {
        return;
    }
    now_us = g_get_monotonic_time();
    if (progress->said_at_us == 0) {
        progress->said_at_us = now_us;
        progress->on_terminal = isatty(STDERR_FILENO) == 1;
    }
    if (now_us - progress->said_at_us <
        (progress->on_terminal ? 1 : 10) * G_USEC_PER_SEC) {
        return;
    }
    progress->said_at_us = now_us;
    progress->said = true;
    fprintf(stderr, "%sfemu-sim: %" PRIu64 ".%03" PRIu64 " s simulated, %"
            PRIu64 " thousand commands%s",
            progress->on_terminal ? "\r\033[K" : "",
            simulated_ns / 1000000000, simulated_ns / 1000000 % 1000,
            command_count / 1000, progress->on_terminal ? "" : "\n");
}

void sim_progress_end(SimProgress *progress)
{
    if (progress->said && progress->on_terminal) {
        fprintf(stderr, "\r\033[K");
    }
}
