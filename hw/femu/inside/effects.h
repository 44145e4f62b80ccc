/*
 * Effects: how a room tells the rooms above it that something has happened. An
 * effect is a value in a queue; drive/run.c acts upon the effects in the order
 * of their creation, before it takes the next event. So calls only go down, and
 * no room is called again while one of its functions is running.
 *
 * At most one effect of each command, each zone, the buffer, the awaited
 * programs and the managed reset can be in the queue at once; so it never
 * overflows.
 *
 * Knows nothing of what follows from an effect.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_EFFECTS_H
#define FEMU_EFFECTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum EffectKind {
    EFFECT_PARTS_ENDED,   /* the last part of command `idx` */
    EFFECT_ZONE_DUE,      /* writes of zone `idx` may go on, or its next job */
    EFFECT_ROOM_FREED,    /* fewer writes wait for the buffer than before */
    EFFECT_PROGRAMS_ENDED, /* the programs that the reset waited for */
    EFFECT_RESET_MANAGED, /* reset `idx`, a job, has only erases left to do */
} EffectKind;

/* Kind and index in one word: two members would be two loads and stores. */
typedef uint32_t Effect;

enum { EFFECT_IDX_BITS = 28 };

static inline EffectKind effect_kind(Effect effect)
{
    return effect >> EFFECT_IDX_BITS;
}

static inline uint32_t effect_idx(Effect effect)
{
    return effect & ((UINT32_C(1) << EFFECT_IDX_BITS) - 1);
}

typedef struct Effects {
    Effect *ring;
    uint32_t capacity;
    uint32_t head;
    uint32_t count;
} Effects;

static inline void effects_init(Effects *effects, uint32_t commands,
                                uint32_t zones)
{
    *effects = (Effects) { .capacity = commands + zones + 3 };
    effects->ring = g_new(Effect, effects->capacity);
}

static inline void effects_destroy(Effects *effects)
{
    g_free(effects->ring);
}

static inline void effects_push(Effects *effects, EffectKind kind,
                                uint32_t idx)
{
    uint32_t place = effects->head + effects->count++;

    g_assert(effects->count <= effects->capacity);
    place -= place < effects->capacity ? 0 : effects->capacity;
    effects->ring[place] = (Effect)kind << EFFECT_IDX_BITS | idx;
}

static inline bool effects_wait(const Effects *effects)
{
    return effects->count != 0;
}

/* Needs an effect in the queue. */
static inline Effect effects_take(Effects *effects)
{
    Effect effect = effects->ring[effects->head++];

    effects->head -= effects->head < effects->capacity ? 0 : effects->capacity;
    effects->count--;
    return effect;
}

#endif
