/*
 * Which zones Select All takes, by operation and state: zns/zone.h against the
 * table of ZNS 1.1, section 3.4.3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "zns/zone.h"

#include <glib.h>

/* Zones 0 to 6, one of each state. */
enum { IMPLICIT, EXPLICIT, CLOSED, FULL, READ_ONLY, OFFLINE, EMPTY, ZONES };

static void table_prepare(ZoneTable *table)
{
    zone_table_init(table, ZONES, 16, 12, UINT32_MAX, UINT32_MAX);
    zone_commit_write(table, IMPLICIT, 0, 1);
    zone_commit_mgmt(table, EXPLICIT, SSD_OP_ZONE_OPEN);
    zone_commit_write(table, CLOSED, 0, 1);
    zone_commit_mgmt(table, CLOSED, SSD_OP_ZONE_CLOSE);
    zone_commit_write(table, FULL, 0, 12);
    g_assert_true(zone_fail(table, READ_ONLY, SSD_ZONE_READ_ONLY));
    g_assert_true(zone_fail(table, OFFLINE, SSD_ZONE_OFFLINE));
}

typedef struct Row {
    SsdOp op;
    bool applies[ZONES]; /* implicit, explicit, closed, full, ... */
} Row;

static const Row rows[] = {
    { SSD_OP_ZONE_OPEN, { [CLOSED] = true } },
    { SSD_OP_ZONE_CLOSE, { true, true } },
    { SSD_OP_ZONE_FINISH, { true, true, true } },
    { SSD_OP_ZONE_RESET, { true, true, true, true } },
    { SSD_OP_ZONE_OFFLINE, { [READ_ONLY] = true } },
    { SSD_OP_ZONE_SET_EXTENSION, { false } },
};

static void test_applies(void)
{
    ZoneTable table;

    table_prepare(&table);
    for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        uint32_t next_idx = ZONES;
        uint32_t count = 0;

        for (uint32_t zone_idx = ZONES; zone_idx-- > 0;) {
            if (rows[i].applies[zone_idx]) {
                next_idx = zone_idx;
                count++;
            }
            g_test_message("row %u, zone %u", i, zone_idx);
            g_assert_cmpuint(zone_next_selected(&table, zone_idx, rows[i].op),
                             ==, next_idx);
        }
        g_assert_cmpuint(zone_count_selected(&table, rows[i].op), ==, count);
    }
    zone_table_destroy(&table);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/select-all/applies", test_applies);
    return g_test_run();
}
