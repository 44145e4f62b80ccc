/*
 * Which of some numbered members comes first: a binary heap of their numbers.
 *
 * Knows nothing of what the members are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ranking.h"

#include <glib.h>
#include <stdbool.h>

void ranking_init(Ranking *ranking, uint32_t member_count)
{
    *ranking = (Ranking) {
        .keys = g_new0(RankingKey, member_count),
        .places = g_new0(uint32_t, member_count),
        .members = g_new(uint32_t, member_count),
    };
}

void ranking_destroy(Ranking *ranking)
{
    g_free(ranking->members);
    g_free(ranking->places);
    g_free(ranking->keys);
}

static bool is_before(const Ranking *ranking, uint32_t a, uint32_t b)
{
    const RankingKey *left = &ranking->keys[a];
    const RankingKey *right = &ranking->keys[b];

    return left->major != right->major ? left->major < right->major
                                       : left->minor < right->minor;
}

static void put_at(Ranking *ranking, uint32_t place, uint32_t member)
{
    ranking->members[place] = member;
    ranking->places[member] = place + 1;
}

/* The place is free: members that must come behind this one move into it. */
static uint32_t climb(Ranking *ranking, uint32_t place, uint32_t member)
{
    while (place > 0) {
        uint32_t parent = (place - 1) / 2;

        if (!is_before(ranking, member, ranking->members[parent])) {
            break;
        }
        put_at(ranking, place, ranking->members[parent]);
        place = parent;
    }
    return place;
}

/* The same towards the leaves. */
static uint32_t sink(Ranking *ranking, uint32_t place, uint32_t member)
{
    uint32_t child;

    while ((child = 2 * place + 1) < ranking->count) {
        if (child + 1 < ranking->count &&
            is_before(ranking, ranking->members[child + 1],
                      ranking->members[child])) {
            child++;
        }
        if (!is_before(ranking, ranking->members[child], member)) {
            break;
        }
        put_at(ranking, place, ranking->members[child]);
        place = child;
    }
    return place;
}

/* The place is free: put the member there, or where the order demands. */
static void settle(Ranking *ranking, uint32_t place, uint32_t member)
{
    uint32_t higher = climb(ranking, place, member);

    put_at(ranking, higher == place ? sink(ranking, place, member) : higher,
           member);
}

void ranking_set(Ranking *ranking, uint32_t member, RankingKey key)
{
    uint32_t place = ranking->places[member] ? ranking->places[member] - 1
                                             : ranking->count++;

    ranking->keys[member] = key;
    settle(ranking, place, member);
}

void ranking_remove(Ranking *ranking, uint32_t member)
{
    uint32_t place = ranking->places[member];
    uint32_t last = ranking->members[--ranking->count];

    ranking->places[member] = 0;
    if (last != member) {
        settle(ranking, place - 1, last);
    }
}
