/*
 * A value as bytes: numbers, columns of them, and what is wrong.
 *
 * Knows nothing of what is saved.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "state.h"

#include <inttypes.h>
#include <string.h>

#include "owner.h"

struct State {
    GByteArray *out; /* NULL: it is read, from ... */
    const uint8_t *at;
    const uint8_t *end;
    GError *error;
    const char *room;
    uint32_t names; /* digest of those of this room's rows */
    uint64_t counts[STATE_OFS];
};

G_DEFINE_QUARK(femu-state-error, state_error)

/* Construction */

State *state_writer(void)
{
    State *state = g_new0(State, 1);

    state->out = g_byte_array_new();
    return state;
}

State *state_reader(const uint8_t *data, size_t size)
{
    State *state = g_new0(State, 1);

    state->at = data;
    state->end = data + size;
    return state;
}

GByteArray *state_free(State *state)
{
    GByteArray *out = state->out;

    g_clear_error(&state->error);
    g_free(state);
    return out;
}

bool state_is_reading(const State *state)
{
    return state->out == NULL;
}

size_t state_left_bytes(const State *state)
{
    return state->end - state->at;
}

/* Errors */

bool state_is_good(const State *state)
{
    return state->error == NULL;
}

bool state_was_read(const State *state)
{
    return state_is_reading(state) && state_is_good(state);
}

void state_fail(State *state, const char *format, ...)
{
    g_autofree char *what = NULL, *printable = NULL;
    va_list args;

    g_assert(state_is_reading(state));
    if (state->error != NULL) {
        return;
    }
    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    /* Bytes of a state that is damaged go to a terminal. */
    printable = g_strescape(what, "\"");
    state->error = g_error_new(STATE_ERROR, 0, "%s: %s",
                               state->room ? state->room : "the state",
                               printable);
}

GError *state_take_error(State *state)
{
    GError *error = state->error;

    state->error = NULL;
    return error;
}

/* Rooms */

/* FNV-1a */
static void note_name(State *state, const char *name)
{
    for (; *name; name++) {
        state->names = (state->names ^ (uint8_t)*name) * UINT32_C(0x01000193);
    }
    state->names *= UINT32_C(0x01000193);
}

void state_room(State *state, const char *room)
{
    state->room = room;
    state->names = UINT32_C(0x811c9dc5);
    note_name(state, room);
}

void state_room_end(State *state)
{
    uint64_t names = state->names;
    uint64_t got = names;

    state_number(state, "names of rows", &got, UINT64_MAX);
    if (got != names) {
        state_fail(state, "other rows than those of this build (digest %"
                   PRIx64 ", must be %" PRIx64 ")", got, names);
    }
    state->room = NULL;
}

void state_count(State *state, StateOf of, uint64_t count)
{
    state->counts[of] = count;
}

uint64_t state_count_of(const State *state, StateOf of)
{
    return state->counts[of];
}

/* Numbers as bytes */

enum { DIGIT_BITS = 7, MORE = 0x80 };

static void write_number(State *state, uint64_t value)
{
    uint8_t bytes[10];
    unsigned count = 0;

    do {
        bytes[count] = value & (MORE - 1);
        value >>= DIGIT_BITS;
        bytes[count++] |= value ? MORE : 0;
    } while (value);
    g_byte_array_append(state->out, bytes, count);
}

static uint64_t next_digit(const State *state)
{
    return *state->at & (MORE - 1);
}

/* Return: 0 if there is none. */
static uint64_t read_number(State *state, const char *name)
{
    uint64_t value = 0;

    for (unsigned shift = 0; state_is_good(state); shift += DIGIT_BITS) {
        if (state->at == state->end) {
            state_fail(state, "the state ends in %s", name);
        } else if (shift > 63 || next_digit(state) << shift >> shift !=
                                 next_digit(state)) {
            state_fail(state, "a number of %s is too long", name);
        } else {
            value |= next_digit(state) << shift;
            if ((*state->at++ & MORE) == 0) {
                return value;
            }
        }
    }
    return 0;
}

void state_number(State *state, const char *name, uint64_t *value,
                  uint64_t most)
{
    note_name(state, name);
    if (!state_is_reading(state)) {
        write_number(state, *value);
        return;
    }
    *value = read_number(state, name);
    if (*value > most) {
        state_fail(state, "%s is %" PRIu64 ", must be at most %" PRIu64, name,
                   *value, most);
        *value = 0;
    }
}

static void read_text(State *state, const char *name, char **text,
                      uint64_t count)
{
    if (count > state_left_bytes(state)) {
        state_fail(state, "the state ends in %s", name);
    } else {
        *text = g_strndup((const char *)state->at, count);
        state->at += count;
        if (strlen(*text) != count) {
            state_fail(state, "%s has a byte of 0", name);
        }
    }
}

void state_text(State *state, const char *name, char **text, size_t most)
{
    uint64_t count = state_is_reading(state) ? 0 : strlen(*text);

    state_number(state, name, &count, most);
    if (state_is_reading(state)) {
        read_text(state, name, text, count);
    } else {
        g_byte_array_append(state->out, (const uint8_t *)*text, count);
    }
}

void state_bytes(State *state, const char *bytes, size_t count)
{
    g_byte_array_append(state->out, (const uint8_t *)bytes, count);
}

/* Members */

/* Which numbers an owner's index is below: a row for each OwnerKind. */
static const StateOf owners[] = {
    [OWNER_NONE] = STATE_OF_NOTHING,
    [OWNER_COMMAND] = STATE_OF_COMMANDS,
    [OWNER_JOB] = STATE_OF_JOBS,
    [OWNER_BUFFER] = STATE_OF_BUFFERED,
    [OWNER_FIRST_WRITE] = STATE_OF_ZONES,
    [OWNER_AHEAD] = STATE_OF_FETCHES,
    [OWNER_CLEANING] = STATE_OF_NOTHING,
};

static uint64_t get_member(const StateRow *row, const void *at)
{
    switch (row->size) {
    case sizeof(uint8_t):
        return *(const uint8_t *)at;
    case sizeof(uint16_t): /* the device's */
        return *(const uint16_t *)at;
    case sizeof(uint32_t):
        return *(const uint32_t *)at;
    default:
        g_assert(row->size == sizeof(uint64_t));
        return *(const uint64_t *)at;
    }
}

static void put_member(const StateRow *row, void *at, uint64_t value)
{
    switch (row->size) {
    case sizeof(uint8_t):
        *(uint8_t *)at = value;
        break;
    case sizeof(uint16_t):
        *(uint16_t *)at = value;
        break;
    case sizeof(uint32_t):
        *(uint32_t *)at = value;
        break;
    default:
        g_assert(row->size == sizeof(uint64_t));
        *(uint64_t *)at = value;
        break;
    }
}

/* An owner is stored as the one word that it is. */
static bool is_owner(const State *state, uint64_t value)
{
    Owner owner = { value };
    OwnerKind kind = owner_kind(owner);

    return owner.word == value && kind < G_N_ELEMENTS(owners) &&
           (owners[kind] == STATE_OF_NOTHING
            ? owner_idx(owner) == 0
            : owner_idx(owner) < state->counts[owners[kind]]);
}

/* Return: the most that the row may be. */
static uint64_t most_of(const State *state, const StateRow *row)
{
    uint64_t most = row->most;

    if (row->size < sizeof(most)) {
        most = MIN(most, (UINT64_C(1) << row->size * 8) - 1);
    }
    if (row->kind == STATE_IS_INDEX || row->kind == STATE_IS_INDEX_OR_NONE) {
        uint64_t count = state->counts[row->of];

        most = MIN(most, count - (count != 0));
    }
    return most;
}

static bool may_be(const State *state, const StateRow *row, uint64_t most,
                   uint64_t value)
{
    switch (row->kind) {
    case STATE_IS_OWNER:
        return is_owner(state, value);
    case STATE_IS_INDEX_OR_NONE:
        return value == STATE_NONE ||
               (value <= most && state->counts[row->of] != 0);
    default:
        return value <= most;
    }
}

/* Columns */

static uint64_t number_of_step(uint64_t step)
{
    return step << 1 ^ -(step >> 63);
}

static uint64_t step_of_number(uint64_t number)
{
    return number >> 1 ^ -(number & 1);
}

#define SAME_PART 64 /* elements that are compared at once */

/* The elements of a table that are visited. */
typedef struct Elements {
    const char *name;
    char *at;
    size_t bytes;
    uint64_t count;
    const uint32_t *chosen; /* NULL: all */
} Elements;

static uint64_t number_of(const Elements *elements, uint64_t i)
{
    return elements->chosen ? elements->chosen[i] : i;
}

static inline void *member_at(const Elements *elements, const StateRow *row,
                              uint64_t i)
{
    return elements->at + number_of(elements, i) * elements->bytes +
           row->offset;
}

/* Are they an array of numbers, one behind the other? */
static bool is_array(const Elements *elements, const StateRow *row)
{
    return !elements->chosen && elements->bytes == row->size;
}

/*
 * Maps of a large drive are millions of numbers, most of them 0: memcmp() with
 * the neighbour passes over those that are the same, SAME_PART at a time.
 * Return: how many elements behind the i-th surely have its value.
 */
static uint64_t same_behind(const Elements *elements, const StateRow *row,
                            uint64_t i)
{
    const char *at = member_at(elements, row, i);
    uint64_t same = 0;

    while (elements->count - i - same > SAME_PART &&
           memcmp(at, at + row->size, SAME_PART * row->size) == 0) {
        at += SAME_PART * row->size;
        same += SAME_PART;
    }
    return same;
}

static void write_column(State *state, const Elements *elements,
                         const StateRow *row)
{
    uint64_t last = 0, step = 0, stretch = 0;

    for (uint64_t i = 0; i < elements->count; i++) {
        uint64_t value = get_member(row, member_at(elements, row, i));

        if (stretch != 0 && value - last != step) {
            write_number(state, stretch);
            write_number(state, number_of_step(step));
            stretch = 0;
        }
        step = value - last;
        stretch++;
        last = value;
        if (step == 0 && is_array(elements, row)) {
            uint64_t same = same_behind(elements, row, i);

            stretch += same;
            i += same;
        }
    }
    if (stretch != 0) {
        write_number(state, stretch);
        write_number(state, number_of_step(step));
    }
}

static void fail_member(State *state, const Elements *elements,
                        const StateRow *row, uint64_t i, uint64_t value)
{
    state_fail(state, "%s of %s[%" PRIu64 "] is %" PRIu64
               ", must be at most %" PRIu64 "%s", row->name, elements->name,
               number_of(elements, i), value, most_of(state, row),
               row->kind == STATE_IS_INDEX_OR_NONE ? ", or none" : "");
}

/*
 * The same value for `count` elements from the i-th on. What is 0 already is
 * not written: memory that a large drive has reserved stays untouched.
 */
static void put_same(const Elements *elements, const StateRow *row, uint64_t i,
                     uint64_t count, uint64_t value)
{
    char *at = member_at(elements, row, i);
    size_t bytes = count * row->size;

    if (value == 0 && is_array(elements, row)) {
        if (*at != 0 || memcmp(at, at + 1, bytes - 1) != 0) {
            memset(at, 0, bytes);
        }
        return;
    }
    for (uint64_t end = i + count; i < end; i++) {
        put_member(row, member_at(elements, row, i), value);
    }
}

static void read_column(State *state, const Elements *elements,
                        const StateRow *row)
{
    uint64_t most = most_of(state, row);
    uint64_t value = 0;

    for (uint64_t i = 0; i < elements->count;) {
        uint64_t stretch = read_number(state, row->name);
        uint64_t step = step_of_number(read_number(state, row->name));

        if (stretch == 0 || stretch > elements->count - i) {
            state_fail(state, "%s of %s: a stretch of %" PRIu64
                       " values, of which %" PRIu64 " are left", row->name,
                       elements->name, stretch, elements->count - i);
            return;
        }
        for (; stretch > 0; stretch--, i++) {
            value += step;
            if (!may_be(state, row, most, value)) {
                fail_member(state, elements, row, i, value);
                return;
            }
            if (step == 0) {
                put_same(elements, row, i, stretch, value);
                i += stretch;
                break;
            }
            put_member(row, member_at(elements, row, i), value);
        }
    }
}

static void visit_column(State *state, const Elements *elements,
                         const StateRow *row)
{
    note_name(state, row->name);
    if (!state_is_reading(state)) {
        write_column(state, elements, row);
    } else if (state_is_good(state)) {
        read_column(state, elements, row);
    }
}

void state_table(State *state, const char *name, const StateRow *rows,
                 unsigned row_count, void *at, size_t bytes, uint64_t count,
                 const uint32_t *chosen)
{
    const Elements elements = {
        .name = name,
        .at = at,
        .bytes = bytes,
        .count = count,
        .chosen = chosen,
    };

    note_name(state, name);
    for (unsigned i = 0; i < row_count; i++) {
        if (rows[i].kind != STATE_IS_LEFT) {
            visit_column(state, &elements, &rows[i]);
        }
    }
}

void state_struct(State *state, const char *name, const StateRow *rows,
                  unsigned row_count, void *at)
{
    state_table(state, name, rows, row_count, at, 0, 1, NULL);
}

void state_numbers(State *state, const StateRow *row, void *at,
                   uint64_t count)
{
    state_table(state, row->name, row, 1, at, row->size, count, NULL);
}
