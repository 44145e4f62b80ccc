/*
 * The diagrams of docs/model.md beside the code: which operation takes a zone
 * from which state to which, tried on zns/zone.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "zns/zone.h"

#include <glib.h>
#include <string.h>

enum { CAPACITY_NLB = 12, SIZE_NLB = 16 };

static const struct {
    SsdZoneState state;
    const char *name;
} states[] = {
    { SSD_ZONE_EMPTY, "Empty" },
    { SSD_ZONE_IMPLICITLY_OPEN, "ImplicitlyOpened" },
    { SSD_ZONE_EXPLICITLY_OPEN, "ExplicitlyOpened" },
    { SSD_ZONE_CLOSED, "Closed" },
    { SSD_ZONE_FULL, "Full" },
    { SSD_ZONE_READ_ONLY, "ReadOnly" },
    { SSD_ZONE_OFFLINE, "Offline" },
};

static const struct {
    SsdOp op;
    const char *name;
} commands[] = {
    { SSD_OP_ZONE_OPEN, "open" },
    { SSD_OP_ZONE_CLOSE, "close" },
    { SSD_OP_ZONE_FINISH, "finish" },
    { SSD_OP_ZONE_RESET, "reset" },
    { SSD_OP_ZONE_OFFLINE, "offline" },
    { SSD_OP_ZONE_SET_EXTENSION, "set extension" },
};

/* Zone 0 in a state, reached as a host or a failing medium would. */
static void prepare(ZoneTable *table, SsdZoneState state)
{
    zone_table_init(table, 1, SIZE_NLB, CAPACITY_NLB, UINT32_MAX, UINT32_MAX);
    switch (state) {
    case SSD_ZONE_EMPTY:
        break;
    case SSD_ZONE_IMPLICITLY_OPEN:
        zone_commit_write(table, 0, 0, 1);
        break;
    case SSD_ZONE_EXPLICITLY_OPEN:
        zone_commit_mgmt(table, 0, SSD_OP_ZONE_OPEN);
        zone_commit_write(table, 0, 0, 1);
        break;
    case SSD_ZONE_CLOSED:
        zone_commit_write(table, 0, 0, 1);
        zone_commit_mgmt(table, 0, SSD_OP_ZONE_CLOSE);
        break;
    case SSD_ZONE_FULL:
        zone_commit_write(table, 0, 0, CAPACITY_NLB);
        break;
    case SSD_ZONE_READ_ONLY:
    case SSD_ZONE_OFFLINE:
        g_assert_true(zone_fail(table, 0, state));
        break;
    }
    g_assert_cmpint(table->zones[0].state, ==, state);
}

static const char *name_of(SsdZoneState state)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(states); i++) {
        if (states[i].state == state) {
            return states[i].name;
        }
    }
    g_assert_not_reached();
}

/* One line of the diagram, if the zone's state has changed; ends the table. */
static void add_line(GString *text, SsdZoneState from, ZoneTable *table,
                     const char *what)
{
    SsdZoneState to = table->zones[0].state;

    if (to != from) {
        g_string_append_printf(text, "    %s --> %s: %s\n", name_of(from),
                               name_of(to), what);
    }
    zone_table_destroy(table);
}

static void try_write(GString *text, SsdZoneState from, bool to_the_end)
{
    ZoneTable table;
    uint64_t wp_nlb, nlb;

    prepare(&table, from);
    wp_nlb = table.zones[0].wp_nlb;
    nlb = to_the_end ? CAPACITY_NLB - wp_nlb : 1;
    if (zone_check_write(&table, 0, wp_nlb, nlb) == SSD_SUCCESS) {
        zone_commit_write(&table, 0, wp_nlb, nlb);
    }
    add_line(text, from, &table, to_the_end ? "write of the last block"
                                            : "write");
}

static void try_command(GString *text, SsdZoneState from, unsigned i)
{
    ZoneTable table;

    prepare(&table, from);
    if (zone_check_mgmt(&table, 0, commands[i].op) == SSD_SUCCESS) {
        zone_commit_mgmt(&table, 0, commands[i].op);
    }
    add_line(text, from, &table, commands[i].name);
}

static void try_failure(GString *text, SsdZoneState from, SsdZoneState to)
{
    ZoneTable table;

    prepare(&table, from);
    zone_fail(&table, 0, to);
    add_line(text, from, &table, "the medium fails");
}

static GString *diagram(void)
{
    GString *text = g_string_new("```mermaid\nstateDiagram-v2\n"
                                 "    [*] --> Empty\n");

    for (unsigned s = 0; s < G_N_ELEMENTS(states); s++) {
        try_write(text, states[s].state, false);
        try_write(text, states[s].state, true);
        for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
            try_command(text, states[s].state, i);
        }
        try_failure(text, states[s].state, SSD_ZONE_READ_ONLY);
        try_failure(text, states[s].state, SSD_ZONE_OFFLINE);
    }
    g_string_append(text, "```\n");
    return text;
}

static void test_zone_states(void)
{
    g_autofree char *path = g_build_filename(g_getenv("G_TEST_SRCDIR"),
                                             "docs", "model.md", NULL);
    g_autofree char *document = NULL;
    g_autoptr(GString) expected = diagram();

    g_assert_true(g_file_get_contents(path, &document, NULL, NULL));
    if (strstr(document, expected->str) == NULL) {
        g_test_message("docs/model.md should have\n%s", expected->str);
        g_test_fail();
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/diagram/zone-states", test_zone_states);
    return g_test_run();
}
