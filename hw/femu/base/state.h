/*
 * A value as bytes: the drive's state, written and read by the same words.
 *
 * Knows nothing of what is saved.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_STATE_H
#define FEMU_STATE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Each struct is described once, by rows of a table; each room has one function
 * that visits its structs, whichever way the bytes go. So what is written is
 * what is read, and scripts/check-members finds a member that no row mentions.
 *
 * The bytes are those of no machine and no build. A number is in base 128, the
 * lowest digit first, 0x80 in all bytes but its last. An array of structs is a
 * column for each row: a list of stretches (how many, step), in each of which
 * every value is greater by the same step than the one before it, modulo 2^64;
 * a step is written as 2 * step, or -2 * step - 1 if it is negative. So what is
 * equal, or counts up, takes a few bytes, however much it is.
 *
 * Nothing that is read is believed: each value has a range, each list leads to
 * an element once. After the first error nothing is read any more.
 */

#define STATE_NONE UINT32_MAX

/* Of what an index is one: state_count() tells how many there are. */
typedef enum StateOf {
    STATE_OF_NOTHING,
    STATE_OF_COMMANDS,
    STATE_OF_JOBS,
    STATE_OF_ZONES,
    STATE_OF_BUFFERED, /* zones, and the log if it is in the buffer too */
    STATE_OF_NAMESPACES,
    STATE_OF_UNITS,
    STATE_OF_TOKENS,
    STATE_OF_PLACES,
    STATE_OF_ROWS,
    STATE_OF_EPOCHS,
    STATE_OF_SUPERBLOCKS,
    STATE_OF_STREAMS,
    STATE_OF_STRANDS,
    STATE_OF_FETCHES,
    STATE_OF_LINES,    /* of the conventional namespace */
    STATE_OF_GRANULES, /* likewise */
    STATE_OFS,
} StateOf;

typedef enum StateKind {
    STATE_IS_NUMBER, /* at most `most` */
    STATE_IS_BOOL,
    STATE_IS_INDEX,      /* of `of` */
    STATE_IS_INDEX_OR_NONE,
    STATE_IS_OWNER,  /* base/owner.h */
    STATE_IS_LEFT,   /* not written: it follows from others, or is constant */
} StateKind;

/* A member of a struct. */
typedef struct StateRow {
    const char *name;
    uint32_t offset;
    uint8_t size;
    uint8_t kind; /* StateKind */
    uint8_t of;   /* StateOf */
    uint64_t most;
} StateRow;

#define STATE_ROW(type_, member_, kind_, of_, most_)                          \
    {                                                                         \
        .name = #member_,                                                     \
        .offset = offsetof(type_, member_),                                   \
        .size = sizeof(((type_ *)NULL)->member_),                             \
        .kind = kind_,                                                        \
        .of = of_,                                                            \
        .most = most_,                                                        \
    }

/* Rows: any number; one that is at most, ...; an index. */
#define STATE_NUMBER(type_, member_)                                          \
    STATE_ROW(type_, member_, STATE_IS_NUMBER, STATE_OF_NOTHING, UINT64_MAX)
#define STATE_AT_MOST(type_, member_, most_)                                  \
    STATE_ROW(type_, member_, STATE_IS_NUMBER, STATE_OF_NOTHING, most_)
#define STATE_BOOL(type_, member_)                                            \
    STATE_ROW(type_, member_, STATE_IS_BOOL, STATE_OF_NOTHING, 1)
#define STATE_INDEX(type_, member_, of_)                                      \
    STATE_ROW(type_, member_, STATE_IS_INDEX, of_, UINT64_MAX)
#define STATE_INDEX_OR_NONE(type_, member_, of_)                              \
    STATE_ROW(type_, member_, STATE_IS_INDEX_OR_NONE, of_, UINT64_MAX)
/* Owner is a struct of bits: its offset is that of the whole. */
#define STATE_OWNER(type_, member_)                                           \
    STATE_ROW(type_, member_, STATE_IS_OWNER, STATE_OF_NOTHING, UINT64_MAX)
/* Not written, and why. */
#define STATE_LEFT(type_, member_, why_)                                      \
    {                                                                         \
        .name = #member_,                                                     \
        .offset = offsetof(type_, member_),                                   \
        .kind = STATE_IS_LEFT,                                                \
    }

/* Written, but not by a row: where, or as what. */
#define STATE_ELSE(type_, member_, how_) STATE_LEFT(type_, member_, how_)
/* An instant, or a duration: no sum of a few of them goes round. */
#define STATE_TIME_MOST (UINT64_C(1) << 61)
#define STATE_TIME(type_, member_)                                            \
    STATE_AT_MOST(type_, member_, STATE_TIME_MOST)

typedef struct State State;

/* Begin to write; the bytes so far. */
State *state_writer(void);
/* Begin to read bytes, which outlive it. */
State *state_reader(const uint8_t *data, size_t size);
/* Return: the bytes that were written, which are the caller's; else NULL. */
GByteArray *state_free(State *state);

bool state_is_reading(const State *state);
/* Has all that was read been right? Writing never fails. */
bool state_is_good(const State *state);
/* Reading, and it has been right: so it can be checked, and counted. */
bool state_was_read(const State *state);
/*
 * What has been read is wrong: "<room>: ...". The first error stands. It is the
 * caller's after state_take_error().
 */
#define STATE_ERROR state_error_quark()
GQuark state_error_quark(void);
void G_GNUC_PRINTF(2, 3) state_fail(State *state, const char *format, ...);
GError *state_take_error(State *state);
/* Bytes that have not been read. */
size_t state_left_bytes(const State *state);

/*
 * What follows is of this room. state_room_end() writes a digest of all names
 * of the room's rows, or compares it: another build may have others.
 */
void state_room(State *state, const char *room);
void state_room_end(State *state);

/* There are so many of these. */
void state_count(State *state, StateOf of, uint64_t count);
uint64_t state_count_of(const State *state, StateOf of);

/* One number. Read: at most `most`; 0 if it is refused. */
void state_number(State *state, const char *name, uint64_t *value,
                  uint64_t most);
/* A text, read: allocated, at most `most` bytes; or *text as it was. */
void state_text(State *state, const char *name, char **text, size_t most);

/* Bytes as they are; only written. */
void state_bytes(State *state, const char *bytes, size_t count);

/* All of a struct. */
void state_struct(State *state, const char *name, const StateRow *rows,
                  unsigned row_count, void *at);
/* Structs of so many bytes: all of `count`, or those that are chosen. */
void state_table(State *state, const char *name, const StateRow *rows,
                 unsigned row_count, void *at, size_t bytes, uint64_t count,
                 const uint32_t *chosen);
#define STATE_STRUCT(state_, rows_, at_)                                      \
    state_struct(state_, #rows_, rows_, G_N_ELEMENTS(rows_), at_)
#define STATE_TABLE(state_, rows_, at_, count_, chosen_)                      \
    state_table(state_, #rows_, rows_, G_N_ELEMENTS(rows_), at_,              \
                sizeof(*(at_)), count_, chosen_)

/* An array of numbers to which a member of a struct points, or that it is. */
void state_numbers(State *state, const StateRow *row, void *at,
                   uint64_t count);
#define STATE_ARRAY(type_, member_, state_, at_, count_)                      \
    STATE_ARRAY_OF(type_, member_, state_, at_, count_, STATE_IS_NUMBER,      \
                   STATE_OF_NOTHING, UINT64_MAX)
#define STATE_ARRAY_OF(type_, member_, state_, at_, count_, kind_, of_, most_) \
    state_numbers(state_, &(const StateRow) {                                 \
        .name = #member_,                                                     \
        .size = sizeof(*((type_ *)NULL)->member_),                            \
        .kind = kind_,                                                        \
        .of = of_,                                                            \
        .most = most_,                                                        \
    }, (at_)->member_, count_)

/*
 * Elements of an array that are chained into lists, each in one at most. A list
 * ends with an index that is none. Neither links nor what lists' elements have
 * there otherwise are in any row: lists are written as what they lead to.
 */
typedef struct StateLinks {
    const char *name;
    void *at;
    size_t bytes; /* of an element, and where its links are in it */
    size_t next_offset;
    size_t prev_offset; /* STATE_SINGLE: it has none */
    uint32_t count;
    bool *linked; /* [element]: it is in a list; see state_links_begin() */
} StateLinks;

#define STATE_SINGLE SIZE_MAX
#define STATE_LINKS(type_, next_, name_, at_, count_)                         \
    (StateLinks) {                                                            \
        .name = name_,                                                        \
        .at = at_,                                                            \
        .bytes = sizeof(type_),                                               \
        .next_offset = offsetof(type_, next_),                                \
        .prev_offset = STATE_SINGLE,                                          \
        .count = count_,                                                      \
    }
/* For the test of members: links are written as lists. */
#define STATE_IN_LISTS(type_, member_) STATE_LEFT(type_, member_, "in lists")

void state_links_begin(StateLinks *links);
void state_links_end(StateLinks *links);
/*
 * Lists whose first element, and last if anybody asks (else STATE_SINGLE), are
 * named by members of `count` structs of so many bytes.
 */
typedef struct StateHeads {
    void *at;
    size_t bytes;
    size_t first_offset;
    size_t last_offset;
    uint64_t count;
} StateHeads;
void state_lists(State *state, StateLinks *links, const StateHeads *heads);
/* One list; `last` may be NULL. */
void state_list(State *state, StateLinks *links, uint32_t *first,
                uint32_t *last);
/* Return: the elements that are in no list, *count of them. */
uint32_t *state_unlinked(const StateLinks *links, uint32_t *count);

#endif
