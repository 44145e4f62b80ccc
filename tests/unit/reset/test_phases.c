/*
 * The diagram of a reset's phases in docs/design.md beside the code: each phase
 * is reached as in a drive, then what can happen in it happens.
 *
 * Knows nothing of zones' states, or of what is erased and when.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "reset/reset.h"

#include <string.h>

#include "support/drive.h"

/* The rooms that a reset works with; the test takes the place of the drive. */
typedef struct Rooms {
    SsdParams params;
    EventHeap events;
    Effects effects;
    Commands commands;
    Media media;
    Link link;
    WriteBuffer buffer;
    ResetEngine reset;
} Rooms;

static void rooms_init(Rooms *r, const char *words)
{
    Bounds bounds = { .operations = 64, .events = 64, .jobs = 4 };

    memset(r, 0, sizeof(*r));
    r->params = drive_params(words);
    effects_init(&r->effects, r->params.cmd_slots, r->params.zones);
    commands_init(&r->commands, r->params.cmd_slots, &r->effects);
    media_init(&r->media, &r->params, &r->commands, &r->events, &bounds);
    link_init(&r->link, &r->params, &r->commands, &r->events);
    wbuf_init(&r->buffer, &r->params, &r->commands, &r->media, &r->link,
              &r->events);
    reset_init(&r->reset, &r->params, bounds.jobs, &r->media, &r->buffer,
               &r->events, &r->effects);
}

static void rooms_destroy(Rooms *r)
{
    reset_destroy(&r->reset);
    wbuf_destroy(&r->buffer);
    link_destroy(&r->link);
    media_destroy(&r->media);
    event_heap_destroy(&r->events);
    commands_destroy(&r->commands);
    effects_destroy(&r->effects);
}

static const char *const names[] = {
    [RESET_DRAINS] = "RESET_DRAINS",
    [RESET_DRAINED] = "RESET_DRAINED",
    [RESET_UNMAPPED] = "RESET_UNMAPPED",
    [RESET_COMMITTED] = "RESET_COMMITTED",
    [RESET_STEPS] = "RESET_STEPS",
};

/* The phase, or that no reset is managed; then the drive has been told. */
static const char *phase_of(Rooms *r)
{
    if (r->reset.first_job_idx != SSD_NONE) {
        return names[r->reset.phase];
    }
    g_assert_true(effects_wait(&r->effects));
    g_assert_cmpint(effect_kind(effects_take(&r->effects)), ==,
                    EFFECT_RESET_MANAGED);
    return "[*]";
}

/* A line of the diagram, unless it is there. */
static void add_line(GString *text, const char *from, Rooms *r,
                     const char *what)
{
    g_autofree char *line = g_strdup_printf("    %s --> %s: %s\n", from,
                                            phase_of(r), what);

    if (strstr(text->str, line) == NULL) {
        g_string_append(text, line);
    }
}

/* A full zone's reset begins; a program of the host may be under way. */
static void begin(GString *text, Rooms *r, bool programs)
{
    if (programs) {
        programs_count(&r->media.programs, 0);
    }
    reset_begin(&r->reset, 0, 0, r->params.zone_capacity_bytes, true);
    add_line(text, "[*]", r, programs ? "begins behind programs" : "begins");
}

/* The reset's next event; until then its visits to units begin, when due. */
static uint64_t next_event(Rooms *r)
{
    for (;;) {
        uint64_t now_ns = event_heap_next_at_ns(&r->events);
        uint32_t event;

        g_assert_cmpuint(now_ns, !=, UINT64_MAX);
        event = event_heap_pop(&r->events);
        if (event_room(event) == EVENT_RESET) {
            return now_ns;
        } else if (event_room(event) == EVENT_STEP) {
            reset_step_event(&r->reset, now_ns);
        }
    }
}

static void drained(GString *text, Rooms *r)
{
    programs_ended(&r->media.programs, 0, 0);
    g_assert_cmpint(effect_kind(effects_take(&r->effects)), ==,
                    EFFECT_PROGRAMS_ENDED);
    reset_drained(&r->reset, 0);
    add_line(text, "RESET_DRAINS", r, "EFFECT_PROGRAMS_ENDED");
}

static void visits_end(GString *text, Rooms *r)
{
    while (r->reset.phase == RESET_STEPS) {
        reset_step_ended(&r->reset, 0);
    }
    add_line(text, "RESET_STEPS", r, "the last visit ends");
}

static void happens(GString *text, Rooms *r)
{
    ResetPhase phase = r->reset.phase;
    uint64_t now_ns = next_event(r);
    bool visits = r->reset.steps_ended < r->reset.steps;

    reset_event(&r->reset, now_ns);
    add_line(text, names[phase], r, phase != RESET_COMMITTED ? "EVENT_RESET" :
             visits ? "EVENT_RESET, visits to units are left"
                    : "EVENT_RESET, no visit is left");
}

/* All that a reset goes through with some parameters. */
static void walk(GString *text, const char *words, bool programs)
{
    Rooms r;

    rooms_init(&r, words);
    begin(text, &r, programs);
    while (r.reset.first_job_idx != SSD_NONE) {
        if (r.reset.phase == RESET_DRAINS) {
            drained(text, &r);
        } else if (r.reset.phase == RESET_STEPS) {
            visits_end(text, &r);
        } else {
            happens(text, &r);
        }
    }
    rooms_destroy(&r);
}

static void test_reset_phases(void)
{
    g_autofree char *path = g_build_filename(g_getenv("G_TEST_SRCDIR"),
                                             "docs", "design.md", NULL);
    g_autofree char *document = NULL;
    g_autoptr(GString) text = g_string_new("```mermaid\nstateDiagram-v2\n");

    walk(text, "reset-drains=on reset-base-ns=1000", true);
    walk(text, "reset-drains=on reset-base-ns=1000", false);
    walk(text, "reset-lock-ns=100 reset-steps=2 reset-step-ns=1000", false);
    g_string_append(text, "```\n");
    g_assert_true(g_file_get_contents(path, &document, NULL, NULL));
    if (strstr(document, text->str) == NULL) {
        g_test_message("docs/design.md should have\n%s", text->str);
        g_test_fail();
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/phases/reset", test_reset_phases);
    return g_test_run();
}
