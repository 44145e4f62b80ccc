/*
 * The dumb drive's turns: who waits says since when, and whoever has waited
 * longest is searched for.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "model_internal.h"

void model_turns_init(const Model *m, Turns *turns)
{
    turns->group_lines = m->p.zones / m->p.namespaces;
    turns->line_count = m->ns_count * turns->group_lines;
    turns->line = g_new0(Line, turns->line_count);
}

void model_turns_free(Turns *turns)
{
    for (uint32_t i = 0; i < turns->line_count; i++) {
        g_assert_cmpuint(turns->line[i].waiting.length, ==, 0);
    }
    g_free(turns->line);
}

static bool is_ready(const Line *line)
{
    return line->waiting.length > 0 && !line->aside;
}

bool model_turns_group_waits(const Turns *turns, uint32_t group)
{
    for (uint32_t i = 0; i < turns->group_lines; i++) {
        if (is_ready(&turns->line[group * turns->group_lines + i])) {
            return true;
        }
    }
    return false;
}

/* The line comes behind all of its group; so does this, if it waits for it. */
static void come_behind(Turns *turns, Line *line, uint32_t group, bool first)
{
    line->since = ++turns->now;
    if (first) {
        turns->group_since[group] = ++turns->now;
    }
}

void model_turns_wait(Turns *turns, uint32_t line_idx, Cmd *cmd)
{
    uint32_t group = line_idx / turns->group_lines;
    Line *line = &turns->line[line_idx];
    bool first = !model_turns_group_waits(turns, group);

    g_queue_push_tail(&line->waiting, cmd);
    if (line->waiting.length == 1) {
        come_behind(turns, line, group, first);
    }
}

void model_turns_call_back(Turns *turns, uint32_t line_idx)
{
    uint32_t group;
    bool first;

    if (turns->line_count == 0 || !turns->line[line_idx].aside) {
        return;
    }
    group = line_idx / turns->group_lines;
    first = !model_turns_group_waits(turns, group);
    turns->line[line_idx].aside = false;
    come_behind(turns, &turns->line[line_idx], group, first);
}

/* The group that has waited longest, or -1. */
int model_turns_group(const Turns *turns)
{
    int group = -1;

    for (uint32_t i = 0; i * turns->group_lines < turns->line_count; i++) {
        if (model_turns_group_waits(turns, i) &&
            (group < 0 || turns->group_since[i] < turns->group_since[group])) {
            group = i;
        }
    }
    return group;
}

Line *model_turns_line(const Turns *turns, uint32_t group)
{
    Line *found = NULL;

    for (uint32_t i = 0; i < turns->group_lines; i++) {
        Line *line = &turns->line[group * turns->group_lines + i];

        if (is_ready(line) && (!found || line->since < found->since)) {
            found = line;
        }
    }
    return found;
}

Cmd *model_turns_step(Turns *turns, uint32_t group, bool last)
{
    Line *line = model_turns_line(turns, group);
    Cmd *cmd = g_queue_peek_head(&line->waiting);

    if (last) {
        g_queue_pop_head(&line->waiting);
    }
    come_behind(turns, line, group, true);
    return cmd;
}
