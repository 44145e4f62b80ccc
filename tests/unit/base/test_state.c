/*
 * Members of all sizes are written, and read as they were; what does not fit
 * one is refused. (That what a drive is goes and comes is in tests/unit/drive.)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "base/state.h"

#include <string.h>

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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/state/sizes", test_sizes);
    g_test_add_func("/state/neighbours", test_neighbours);
    g_test_add_func("/state/too-large", test_too_large);
    return g_test_run();
}
