/*
 * The ways of a write, a finish and a reset in docs/design.md beside the code.
 * Each is alone in a drive: when an event has happened, the events that are new
 * are those that it leads to, and how long they take says what they stand for.
 *
 * Knows nothing of what is done at an event.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "drive/drive.h"

#include <string.h>

#include "support/drive.h"

/* Each time is another one, so that a wait is known by its length. */
#define WRITE_WORDS \
    "zones=4 write-buffer=64K program-registers=1 buffer-release-ns=6001 " \
    "fe-write-ns=1001 link-in-ns=1048576 fixed-write-ns=2001 " \
    "page-transfer-ns=5001 program-ns=70001 "
#define FINISH_WORDS \
    "zones=4 fe-finish-ns=1002 page-transfer-ns=5001 program-ns=70001 " \
    "finish-chunk=8K finish-pause-ns=9001 "
#define RESET_WORDS \
    "zones=4 fe-reset-ns=1003 erase-ns=300001 " \
    "reset-lock-ns=16001 reset-base-ns=4001 "

static const struct {
    uint64_t ns;
    const char *name;
} waits[] = {
    { 1001, "fe-write-ns" },
    { 1002, "fe-finish-ns" },
    { 1003, "fe-reset-ns" },
    { 4096, "link-in-ns" },
    { 2001, "fixed-write-ns" },
    { 5001, "page-transfer-ns" },
    { 70001, "program-ns" },
    { 6001, "buffer-release-ns" },
    { 9001, "finish-pause-ns" },
    { 16001, "reset-lock-ns" },
    { 4001, "reset-base-ns" },
    { 2 * 300001, "erase-ns of its blocks" },
};

static const char *const rooms[] = {
    [EVENT_FLASH] = "EVENT_FLASH",
    [EVENT_FRONT] = "EVENT_FRONT",
    [EVENT_LINK] = "EVENT_LINK",
    [EVENT_LEAVING] = "EVENT_LEAVING",
    [EVENT_BUFFER] = "EVENT_BUFFER",
    [EVENT_RESET] = "EVENT_RESET",
    [EVENT_STEP] = "EVENT_STEP",
    [EVENT_JOB] = "EVENT_JOB",
};

/* An event that is being followed. */
typedef struct Way {
    GString *text;
    const EventHeap *heap;
    const char *from;
    uint64_t now_ns;
    uint64_t seq; /* events from this one on are new */
} Way;

static void add_line(Way *way, const char *to, const char *what)
{
    g_autofree char *line = g_strdup_printf("    %s --> %s: %s\n", way->from,
                                            to, what);

    if (strstr(way->text->str, line) == NULL) {
        g_string_append(way->text, line);
    }
}

static const char *wait_name(uint64_t ns)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(waits); i++) {
        if (waits[i].ns == ns) {
            return waits[i].name;
        }
    }
    return ns == 0 ? "at once" : "unknown";
}

static void see_event(Way *way, const Event *event)
{
    if ((uint64_t)event->key >= way->seq) {
        add_line(way, rooms[event_room(event->payload)],
                 wait_name((uint64_t)(event->key >> 64) - way->now_ns));
    }
}

/* All that wait, wherever they do. */
static void see_events(Way *way)
{
    const EventHeap *heap = way->heap;

    for (unsigned i = 0; i < EVENT_LANES; i++) {
        const EventLane *lane = &heap->lanes[i];

        for (uint32_t k = 0; k < lane->count; k++) {
            see_event(way, &lane->events[(lane->head + k) % EVENT_LANE_SIZE]);
        }
    }
    for (uint32_t i = 0; i < heap->count; i++) {
        see_event(way, &heap->events[i]);
    }
}

/* The next event. */
static const char *next_name(const EventHeap *heap)
{
    unsigned source = heap->next - heap->heads;
    const EventLane *lane;

    if (source == EVENT_IN_HEAP) {
        return rooms[event_room(heap->events[0].payload)];
    }
    lane = &heap->lanes[source];
    return rooms[event_room(lane->events[lane->head].payload)];
}

/* A command comes at `now_ns` to a drive with nothing inside: all its events. */
static char *way_of(Drive *d, uint64_t now_ns, SsdOp op, uint32_t nlb)
{
    Way way = {
        .text = g_string_new("```mermaid\nstateDiagram-v2\n"),
        .heap = &d->ssd->events,
        .from = "[*]",
        .now_ns = now_ns,
        .seq = d->ssd->events.next_seq,
    };

    g_assert_cmpuint(event_heap_next_at_ns(way.heap), ==, UINT64_MAX);
    drive_io(d, now_ns, op, drive_zone_lba(d, 0), nlb);
    see_events(&way);
    while (event_heap_next_at_ns(way.heap) != UINT64_MAX) {
        SsdDone done;

        way.now_ns = event_heap_next_at_ns(way.heap);
        way.from = next_name(way.heap);
        way.seq = way.heap->next_seq;
        if (ssd_poll(d->ssd, way.now_ns, &done, 1) == 1) {
            add_line(&way, "[*]", "completed");
        } else if (event_heap_next_at_ns(way.heap) == UINT64_MAX) {
            add_line(&way, "[*]", "nothing is left");
        }
        see_events(&way);
    }
    g_string_append(way.text, "```\n");
    return g_string_free(way.text, FALSE);
}

static void expect_way(const char *words, uint32_t pages, SsdOp op,
                       uint32_t nlb)
{
    g_autofree char *path = g_build_filename(g_getenv("G_TEST_SRCDIR"),
                                             "docs", "design.md", NULL);
    g_autofree char *document = NULL;
    g_autofree char *text = NULL;
    Drive *d = drive_new(words);

    if (pages > 0) {
        drive_fill(d, 0, pages);
    }
    text = way_of(d, drive_drain(d), op, nlb);
    drive_free(d);
    g_assert_true(g_file_get_contents(path, &document, NULL, NULL));
    if (strstr(document, text) == NULL) {
        g_test_message("docs/design.md should have\n%s", text);
        g_test_fail();
    }
}

static void test_write(void)
{
    expect_way(WRITE_WORDS, 0, SSD_OP_WRITE, 1);
}

static void test_finish(void)
{
    expect_way(FINISH_WORDS, 12, SSD_OP_ZONE_FINISH, 0);
}

static void test_reset(void)
{
    expect_way(RESET_WORDS, 16, SSD_OP_ZONE_RESET, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ways/write", test_write);
    g_test_add_func("/ways/finish", test_finish);
    g_test_add_func("/ways/reset", test_reset);
    return g_test_run();
}
