/*
 * Members of all sizes are written, and read as they were; what does not fit
 * one is refused. (That what a drive is goes and comes is in tests/unit/drive.)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/owner.h"
#include "base/state.h"

#include <string.h>
#include <sys/mman.h>

#define VALUES 3

typedef struct Sizes {
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
} Sizes;

static const StateRow rows[] = {
    STATE_NUMBER(Sizes, one),
    STATE_NUMBER(Sizes, two),
    STATE_NUMBER(Sizes, four),
    STATE_NUMBER(Sizes, eight),
};

static GByteArray *write(Sizes *values)
{
    State *state = state_writer();

    STATE_TABLE(state, rows, values, VALUES, NULL);
    return state_free(state);
}

/* Around members of two bytes nothing else is read or written. */
static void test_sizes(void)
{
    Sizes values[VALUES] = {
        { UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX },
        { 1, 0x102, 0x1020304, UINT64_C(0x102030405060708) },
        { 0x80, 0x8000, UINT32_C(1) << 31, UINT64_C(1) << 63 },
    };
    Sizes read[VALUES] = { 0 };
    GByteArray *bytes = write(values);
    State *state = state_reader(bytes->data, bytes->len);

    STATE_TABLE(state, rows, read, VALUES, NULL);
    g_assert_true(state_is_good(state));
    g_assert_cmpuint(state_left_bytes(state), ==, 0);
    for (unsigned i = 0; i < VALUES; i++) {
        g_assert_cmpuint(read[i].one, ==, values[i].one);
        g_assert_cmpuint(read[i].two, ==, values[i].two);
        g_assert_cmpuint(read[i].four, ==, values[i].four);
        g_assert_cmpuint(read[i].eight, ==, values[i].eight);
    }
    state_free(state);
    g_byte_array_unref(bytes);
}

/* 65536 as the first value of `two`: one of four bytes has taken its place. */
static void test_too_large(void)
{
    static const StateRow four[] = { STATE_NUMBER(Sizes, four) };
    static const StateRow two[] = { STATE_NUMBER(Sizes, two) };
    Sizes value = { .four = UINT16_MAX + 1 };
    State *state = state_writer();
    GByteArray *bytes;
    GError *error;

    STATE_STRUCT(state, four, &value);
    bytes = state_free(state);
    state = state_reader(bytes->data, bytes->len);
    STATE_STRUCT(state, two, &value);
    error = state_take_error(state);
    g_assert_error(error, STATE_ERROR, 0);
    g_assert_cmpstr(error->message, ==, "the state: two of two[0] is 65536, "
                    "must be at most 65535");
    g_error_free(error);
    state_free(state);
    g_byte_array_unref(bytes);
}

/* What is read last takes no room of what is beside it. */
static void test_neighbours(void)
{
    static const StateRow backwards[] = {
        STATE_NUMBER(Sizes, eight),
        STATE_NUMBER(Sizes, four),
        STATE_NUMBER(Sizes, two),
        STATE_NUMBER(Sizes, one),
    };
    Sizes value = { 1, 2, 3, 4 }, read;
    State *state = state_writer();
    GByteArray *bytes;

    STATE_STRUCT(state, backwards, &value);
    bytes = state_free(state);
    memset(&read, 0xff, sizeof(read));
    state = state_reader(bytes->data, bytes->len);
    STATE_STRUCT(state, backwards, &read);
    g_assert_true(state_is_good(state));
    g_assert_cmpuint(read.one, ==, 1);
    g_assert_cmpuint(read.two, ==, 2);
    g_assert_cmpuint(read.four, ==, 3);
    g_assert_cmpuint(read.eight, ==, 4);
    g_assert_cmphex(((uint8_t *)&read)[1], ==, 0xff);
    state_free(state);
    g_byte_array_unref(bytes);
}

/* Numbers in columns */

#define MOST 700

static const StateRow number_row = {
    .name = "number",
    .size = sizeof(uint32_t),
    .kind = STATE_IS_NUMBER,
    .most = UINT64_MAX,
};

static GByteArray *write_numbers(uint32_t *numbers, uint64_t count,
                                 const uint32_t *chosen)
{
    State *state = state_writer();

    state_table(state, "numbers", &number_row, 1, numbers, sizeof(*numbers),
                count, chosen);
    return state_free(state);
}

static void read_numbers(const GByteArray *bytes, uint32_t *numbers,
                         uint64_t count, const uint32_t *chosen)
{
    State *state = state_reader(bytes->data, bytes->len);

    state_table(state, "numbers", &number_row, 1, numbers, sizeof(*numbers),
                count, chosen);
    g_assert_true(state_is_good(state));
    g_assert_cmpuint(state_left_bytes(state), ==, 0);
    state_free(state);
}

/*
 * An array is written in larger parts than its numbers one by one, which is how
 * those that are chosen go: the bytes are the same.
 */
static void check_array(uint32_t *numbers, uint64_t count)
{
    uint32_t all[MOST], read[MOST];
    GByteArray *bytes = write_numbers(numbers, count, NULL);
    GByteArray *one_by_one;

    g_assert_cmpuint(count, <=, MOST);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = i;
    }
    one_by_one = write_numbers(numbers, count, all);
    g_assert_cmpmem(bytes->data, bytes->len, one_by_one->data,
                    one_by_one->len);
    memset(read, 0xff, sizeof(read));
    read_numbers(bytes, read, count, NULL);
    g_assert_cmpmem(read, count * sizeof(*read), numbers,
                    count * sizeof(*numbers));
    g_byte_array_unref(bytes);
    g_byte_array_unref(one_by_one);
}

/* Runs of every length, of 0, behind a ramp and behind another run. */
static void test_runs(void)
{
    for (uint32_t run = 1; run < 300; run++) {
        uint32_t numbers[MOST] = { 0 };
        uint32_t count = 0;

        for (; count < 64; count++) {
            numbers[count] = count + 1;
        }
        for (uint32_t i = 0; i < run; i++) {
            numbers[count++] = 64;
        }
        for (uint32_t i = 0; i < 300; i++) {
            numbers[count++] = i < run ? 1 : 0;
        }
        check_array(numbers, count);
        check_array(&numbers[64], count - 64);
        check_array(&numbers[64 + run], count - 64 - run);
    }
}

/* Each second number is chosen: those between are not looked at. */
static void test_chosen(void)
{
    uint32_t chosen[MOST / 2], numbers[MOST], read[MOST];
    GByteArray *bytes;

    for (uint32_t i = 0; i < MOST; i++) {
        numbers[i] = i < MOST / 2 ? 3 : i;
    }
    for (uint32_t i = 0; i < MOST / 2; i++) {
        chosen[i] = 2 * i;
    }
    for (unsigned round = 0; round < 2; round++) {
        bytes = write_numbers(numbers, MOST / 2, chosen);
        memset(read, 0xff, sizeof(read));
        read_numbers(bytes, read, MOST / 2, chosen);
        for (uint32_t i = 0; i < MOST; i++) {
            g_assert_cmpuint(read[i], ==, i % 2 ? UINT32_MAX : numbers[i]);
        }
        g_byte_array_unref(bytes);
        memset(numbers, 0, sizeof(numbers));
    }
}

/* What is 0 is not written, what is not becomes 0. */
static void test_zeros(void)
{
    size_t count = 1 << 20, length = count * sizeof(uint32_t);
    uint32_t *untouched = mmap(NULL, length, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t others[3] = { 0, 5, 6 }, zeros[3] = { 0 };
    GByteArray *bytes = write_numbers(untouched, count, NULL);

    read_numbers(bytes, untouched, count, NULL);
    munmap(untouched, length);
    g_byte_array_unref(bytes);
    bytes = write_numbers(zeros, 3, NULL);
    read_numbers(bytes, others, 3, NULL);
    g_assert_cmpmem(others, sizeof(others), zeros, sizeof(zeros));
    g_byte_array_unref(bytes);
}

/* What cannot be */

static void expect_number(const char *bytes, size_t length, uint64_t number,
                          const char *error)
{
    State *state = state_reader((const uint8_t *)bytes, length);
    uint64_t value = 4;
    GError *got;

    state_number(state, "number", &value, UINT64_MAX - 1);
    got = state_take_error(state);
    g_assert_cmpuint(value, ==, number);
    g_assert_cmpstr(got ? got->message : NULL, ==, error);
    g_clear_error(&got);
    state_free(state);
}

#define NINE "\xff\xff\xff\xff\xff\xff\xff\xff\xff"

/* Ten bytes with 64 bits are the longest; what is refused counts as 0. */
static void test_numbers(void)
{
    expect_number("\x81\x01", 2, 129, NULL);
    expect_number("\x81", 1, 0,
                  "the state: the state ends in number");
    expect_number(NINE "\x01", 10, 0, "the state: number is "
                  "18446744073709551615, must be at most "
                  "18446744073709551614");
    expect_number(NINE "\x02", 10, 0,
                  "the state: a number of number is too long");
    expect_number(NINE "\x80\x00", 11, 0,
                  "the state: a number of number is too long");
    expect_number(NINE "\x81\x01", 11, 0,
                  "the state: a number of number is too long");
}

/* Errors name the room that they are in, and behind it none. */
static void test_rooms(void)
{
    State *state = state_writer();
    GByteArray *bytes;
    GError *error;

    state_room(state, "hall");
    state_room_end(state);
    bytes = state_free(state);
    for (unsigned is_inside = 0; is_inside < 2; is_inside++) {
        state = state_reader(bytes->data, bytes->len);
        state_room(state, "hall");
        if (!is_inside) {
            state_room_end(state);
        }
        g_assert_true(state_is_good(state));
        state_fail(state, "no");
        error = state_take_error(state);
        g_assert_cmpstr(error->message, ==,
                        is_inside ? "hall: no" : "the state: no");
        g_error_free(error);
        state_free(state);
    }
    g_byte_array_unref(bytes);
}

/* An owner is one of those that there are. */
static void test_owners(void)
{
    static const StateRow row = {
        .name = "owner",
        .size = sizeof(Owner),
        .kind = STATE_IS_OWNER,
        .most = UINT64_MAX,
    };

    for (uint32_t idx = 0; idx < 4; idx++) {
        Owner owner = owner_of(OWNER_JOB, idx);
        State *state = state_writer();
        GByteArray *bytes;

        state_numbers(state, &row, &owner, 1);
        bytes = state_free(state);
        state = state_reader(bytes->data, bytes->len);
        state_count(state, STATE_OF_JOBS, 3);
        state_numbers(state, &row, &owner, 1);
        g_assert_cmpint(state_is_good(state), ==, idx < 3);
        state_free(state);
        g_byte_array_unref(bytes);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/state/sizes", test_sizes);
    g_test_add_func("/state/neighbours", test_neighbours);
    g_test_add_func("/state/too-large", test_too_large);
    g_test_add_func("/state/runs", test_runs);
    g_test_add_func("/state/chosen", test_chosen);
    g_test_add_func("/state/zeros", test_zeros);
    g_test_add_func("/state/numbers", test_numbers);
    g_test_add_func("/state/rooms", test_rooms);
    g_test_add_func("/state/owners", test_owners);
    return g_test_run();
}
