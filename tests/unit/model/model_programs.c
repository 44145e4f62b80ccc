/*
 * The dumb drive's programs of the host's data that have not ended: who waits
 * for them is searched for each time that one ends.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

bool model_await_programs(Model *m, Cmd *cmd)
{
    Waiting waiting = { .seq = ++m->seq, .cmd = cmd };

    if (!m->host_programs->len) {
        return false;
    }
    g_array_append_val(m->flushes, waiting);
    return true;
}

static bool is_over(const Model *m, const Waiting *waiting)
{
    for (guint i = 0; i < m->host_programs->len; i++) {
        if (g_array_index(m->host_programs, HostProgram, i).seq <
            waiting->seq) {
            return false;
        }
    }
    return true;
}

void model_check_flushes(Model *m)
{
    while (m->flushes->len) {
        Waiting first = g_array_index(m->flushes, Waiting, 0);

        if (!is_over(m, &first)) {
            break;
        }
        g_array_remove_index(m->flushes, 0);
        model_part_done(m, first.cmd);
    }
    model_check_drain(m);
}

void model_host_program_begins(Model *m, uint64_t seq, uint32_t zone_idx,
                               uint64_t page)
{
    HostProgram program = {
        .seq = seq, .unit = model_place(m, zone_idx, page).unit,
    };

    g_array_append_val(m->host_programs, program);
}

uint32_t model_host_programs_of(const Model *m, uint32_t unit)
{
    uint32_t count = 0;

    for (guint i = 0; i < m->host_programs->len; i++) {
        count += g_array_index(m->host_programs, HostProgram, i).unit == unit;
    }
    return count;
}

void model_host_program_ended(Model *m, uint64_t seq)
{
    for (guint i = 0; i < m->host_programs->len; i++) {
        HostProgram program = g_array_index(m->host_programs, HostProgram, i);

        if (program.seq == seq) {
            g_array_remove_index(m->host_programs, i);
            m->unit_programs_ended[program.unit]++;
            return;
        }
    }
    g_assert_not_reached();
}
