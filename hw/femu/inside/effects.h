/*
 * What a room has to tell those above it: a value in a queue, which the drive
 * drains in the order of creation before it looks at the next event. So calls
 * only go down, and what is inside a room is at rest when another acts on what
 * it has said.
 *
 * The queue has room for all that can be said at once: of each command and each
 * zone one thing, and of the buffer and the resets one each.
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
    EFFECT_PARTS_ENDED,   /* no part of command `idx` is left */
    EFFECT_ZONE_DUE,      /* the next job of zone `idx` may be able to begin */
    EFFECT_ROOM_FREED,    /* fewer writes wait for the buffer than before */
    EFFECT_PROGRAMS_ENDED, /* those that the reset awaited */
    EFFECT_RESET_MANAGED, /* job `idx`, a reset, may let go of its blocks */
} EffectKind;

/* One word, so that it is written and read as one. */
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
    return effects->count > 0;
}

/* Needs one that waits. */
static inline Effect effects_take(Effects *effects)
{
    Effect effect = effects->ring[effects->head++];

    effects->head -= effects->head < effects->capacity ? 0 : effects->capacity;
    effects->count--;
    return effect;
}

#endif
