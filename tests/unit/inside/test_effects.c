/*
 * The queue of effects: one of each command, of each zone, and three others,
 * come out in the order in which they went in.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "inside/effects.h"

#define COMMANDS 3
#define ZONES 2

typedef struct Row {
    EffectKind kind;
    uint32_t idx;
} Row;

/* Once for each effect, so that the queue begins at each of its places. */
static void test_order(void)
{
    static const Row rows[] = {
        { EFFECT_PARTS_ENDED, 0 },
        { EFFECT_ZONE_DUE, 1 },
        { EFFECT_ROOM_FREED, 0 },
        { EFFECT_PARTS_ENDED, 2 },
        { EFFECT_PROGRAMS_ENDED, 0 },
        { EFFECT_ZONE_DUE, 0 },
        { EFFECT_RESET_MANAGED, (UINT32_C(1) << EFFECT_IDX_BITS) - 1 },
        { EFFECT_PARTS_ENDED, 1 },
    };
    Effects effects;

    G_STATIC_ASSERT(G_N_ELEMENTS(rows) == COMMANDS + ZONES + 3);
    effects_init(&effects, COMMANDS, ZONES);
    for (unsigned round = 0; round < G_N_ELEMENTS(rows); round++) {
        g_assert_false(effects_wait(&effects));
        for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
            effects_push(&effects, rows[i].kind, rows[i].idx);
        }
        for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
            Effect effect;

            g_assert_true(effects_wait(&effects));
            effect = effects_take(&effects);
            g_assert_cmpuint(effect_kind(effect), ==, rows[i].kind);
            g_assert_cmpuint(effect_idx(effect), ==, rows[i].idx);
        }
        effects_push(&effects, EFFECT_ZONE_DUE, 1);
        effects_take(&effects);
    }
    effects_destroy(&effects);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/effects/order", test_order);
    return g_test_run();
}
