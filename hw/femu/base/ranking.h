/*
 * Which of some numbered members has the least key: a binary heap that also
 * knows the place of each member, so that changing a key or removing a member
 * needs no search.
 *
 * Knows nothing of what the members are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_RANKING_H
#define FEMU_RANKING_H

#include <stdint.h>

#define RANKING_NONE UINT32_MAX

/* The least comes first: by `major`, among equals by `minor`. */
typedef struct RankingKey {
    uint64_t major;
    uint64_t minor;
} RankingKey;

typedef struct Ranking {
    RankingKey *keys;  /* [member] */
    uint32_t *places;  /* [member]: place in the heap + 1; 0: not ranked */
    uint32_t *members; /* the heap; memory that is untouched until it is used */
    uint32_t count;
} Ranking;

/* Members are 0 to member_count - 1; none of them is ranked yet. */
void ranking_init(Ranking *ranking, uint32_t member_count);
void ranking_destroy(Ranking *ranking);

/* Give a member a key; it is ranked from now on. */
void ranking_set(Ranking *ranking, uint32_t member, RankingKey key);

/* Take out a member that is ranked. */
void ranking_remove(Ranking *ranking, uint32_t member);

/* The key that ranking_set() gave the member last. */
static inline RankingKey ranking_key(const Ranking *ranking, uint32_t member)
{
    return ranking->keys[member];
}

/* The member with the least key; RANKING_NONE if none is ranked. */
static inline uint32_t ranking_first(const Ranking *ranking)
{
    return ranking->count ? ranking->members[0] : RANKING_NONE;
}

#endif
