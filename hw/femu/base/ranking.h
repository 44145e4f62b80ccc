/*
 * Which of some numbered members comes first: a heap that knows where each
 * member is, so that one whose key changes, or who leaves, costs no search.
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
    uint32_t *places;  /* [member]: in the heap, and 1; 0: not ranked */
    uint32_t *members; /* the heap; memory that is untouched until it is used */
    uint32_t count;
} Ranking;

/* Nobody is ranked of members 0 to member_count - 1. */
void ranking_init(Ranking *ranking, uint32_t member_count);
void ranking_destroy(Ranking *ranking);

/* The member has this key from now on, ranked before or not. */
void ranking_set(Ranking *ranking, uint32_t member, RankingKey key);

/* The member is ranked no more, if it was. */
void ranking_remove(Ranking *ranking, uint32_t member);

/* The key that ranking_set() gave the member last. */
static inline RankingKey ranking_key(const Ranking *ranking, uint32_t member)
{
    return ranking->keys[member];
}

/* Who comes first; RANKING_NONE if nobody is ranked. */
static inline uint32_t ranking_first(const Ranking *ranking)
{
    return ranking->count ? ranking->members[0] : RANKING_NONE;
}

#endif
