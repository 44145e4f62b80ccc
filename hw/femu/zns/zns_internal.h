/*
 * Inside zns/: what its files share. Nobody else includes this. Calls go from
 * mgmt.c to cache.c, erase.c and pace.c, from these and writes.c to jobs.c; from
 * power.c to cache.c, erase.c and seats.c.
 *
 * Knows nothing of the front end, conventional namespaces, or completions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_INTERNAL_H
#define FEMU_ZNS_INTERNAL_H

#include "zns.h"

/* A zone of the drive, as it is now. */
static inline ZoneKept zns_zone_kept(const Zns *zns, uint32_t zone_idx)
{
    const SsdNs *ns = ns_of_zone(zns->ns, zone_idx);

    return zone_kept(&ns->zones, zone_idx - ns->first_zone_idx);
}

/* Command.number of what came last to the zone, but reads and writes. */
static inline uint64_t zns_managed_number(const Zns *zns, uint32_t zone_idx)
{
    return MAX(zns->writes[zone_idx].managed_number,
               ns_of_zone(zns->ns, zone_idx)->managed_number);
}

/* writes.c */
void zns_writes_init(Zns *zns);
void zns_writes_destroy(Zns *zns);
/* Have all writes of the zone been issued, and have all their data arrived? */
static inline bool zns_zone_is_written(const Zns *zns, uint32_t zone_idx)
{
    const WriteQueue *queue = &zns->writes[zone_idx];

    return queue->head_idx == SSD_NONE && queue->coming_count == 0;
}
/* Empty the queue of a zone that is reset. */
void zns_drop_writes(Zns *zns, uint32_t zone_idx);
/* A new life of the zone: its pages no longer hold data. */
void zns_forget_pages(Zns *zns, uint64_t now_ns, uint32_t zone_idx);

/* jobs.c */
/* bounds.c: the most jobs at once, and how many only excursions may take. */
uint32_t jobs_bound(const SsdParams *p);
uint32_t jobs_of_excursions(const SsdParams *p);

void jobs_init(Zns *zns);
void jobs_destroy(Zns *zns);
static inline Job *job_at(const Zns *zns, uint32_t job_idx)
{
    return &zns->jobs.at[job_idx];
}
static inline uint32_t job_zone_idx(const Zns *zns, uint32_t job_idx)
{
    return zns->media->works[job_idx].zone_idx;
}
/* A job of no command and no zone, that only erases. */
uint32_t job_new_background(Zns *zns);
/* A job for `op`, which is not committed yet; it may not start by itself. */
uint32_t job_new(Zns *zns, uint32_t command_idx, uint32_t zone_idx, SsdOp op);
/* Return a job that has ended to the pool. */
void job_give(Zns *zns, uint32_t job_idx);
/* Take the job out of its zone's queue; the next one may begin. */
void job_leave_zone(Zns *zns, uint32_t job_idx);
/* Have the zone's next job looked at, by an EFFECT_ZONE_DUE. */
static inline void jobs_zone_due(Zns *zns, uint32_t zone_idx)
{
    JobQueue *queue = &zns->jobs.zones[zone_idx];

    if (!queue->is_due) {
        queue->is_due = true;
        effects_push(zns->commands->effects, EFFECT_ZONE_DUE, zone_idx);
    }
}
/* No write of the zone waits any more: a finish may have waited for that. */
static inline void jobs_zone_written(Zns *zns, uint32_t zone_idx)
{
    if (zns->jobs.zones[zone_idx].head_idx != SSD_NONE) {
        jobs_zone_due(zns, zone_idx);
    }
}
/* Has a reset been accepted whose erases have not begun? */
static inline bool jobs_reset_waits(const Zns *zns, uint32_t zone_idx)
{
    return zns->jobs.zones[zone_idx].resets_waiting != 0;
}
/* jobs_check.c: of jobs that have been read; see zns_state(). */
typedef struct State State;
void jobs_check(const Zns *zns, State *state, const uint32_t *used,
                uint32_t used_count);
/* The list of running finishes. */
void jobs_fill_begins(Zns *zns, uint32_t job_idx);
void jobs_fill_ended(Zns *zns, uint32_t job_idx);
/* A Select All's jobs may start when its turn has come, so many at once. */
void jobs_select_all(Zns *zns, uint32_t command_idx);
/* One of those of the running Select All has ended. */
void jobs_select_all_ended(Zns *zns);

/* seats.c: a write of the zone has been handed off. */
void seats_ask(Zns *zns, uint32_t zone_idx);
/*
 * The zone has no write left and no part of a page, or none that stays: who
 * waits for its seat is due.
 */
void seats_give_up(Zns *zns, uint32_t zone_idx);
/* Nobody waits, and the zone has a part of a page: it has a seat. */
void seats_put(Zns *zns, uint32_t zone_idx);
/* That of the zone's namespace. */
SeatLine *seats_line(Zns *zns, uint32_t zone_idx);
void seats_init(Zns *zns);
void seats_destroy(Zns *zns);
static inline bool seats_has_one(const Zns *zns, uint32_t zone_idx)
{
    return zns->seats.zones == NULL ||
           zns->seats.zones[zone_idx].state == SEAT_TAKEN;
}

/* cache.c, but for what is in zns.h */
void wcache_init(Zns *zns);
void wcache_destroy(Zns *zns);
/* The zone holds no data any more; or it holds so many bytes, all safe. */
void wcache_zone_reset(Zns *zns, uint32_t zone_idx);
void wcache_put(Zns *zns, uint32_t zone_idx, uint64_t bytes);
/* A finish fills the zone. */
void wcache_zone_filled(Zns *zns, uint32_t zone_idx);
/* Of a volatile cache: the zone's data up to here are safe by flushes. */
uint64_t wcache_safe_bytes(const Zns *zns, uint32_t zone_idx);

/* pace.c: between two steps, and before one; true: it waits, for EVENT_JOB. */
bool job_pauses(Zns *zns, uint64_t now_ns, uint32_t job_idx);
bool job_stalls(Zns *zns, uint64_t now_ns, uint32_t job_idx);

/* erase.c */
void erase_init(Zns *zns);
void erase_destroy(Zns *zns);
/*
 * The zone, which has used so many pages, lets its blocks go.
 * Return: the superblock that backed it, or SUPERBLOCK_NONE.
 */
uint32_t erase_let_go(Zns *zns, uint32_t zone_idx, uint64_t used_pages);
/* What resets have left to be erased, unless programs do that, is erased. */
void erase_settle(Zns *zns);
/* A reset begins: the zone lets its blocks go, and the job has its steps. */
void erase_begin(Zns *zns, uint32_t job_idx);
/* The longest time for which a step of an erase waits for host I/O. */
uint64_t erase_stall_limit_ns(const Zns *zns);
bool erase_has_more(const Zns *zns, uint32_t job_idx);
void erase_step(Zns *zns, uint64_t now_ns, uint32_t job_idx);
void erase_end(Zns *zns, uint32_t job_idx);
/*
 * A job in the background may begin. Return: the job, or SSD_NONE if none may,
 * or nothing is left to erase.
 */
uint32_t erase_next_in_background(Zns *zns);
/* A job in the background has ended. */
void erase_background_ended(Zns *zns);

#endif
