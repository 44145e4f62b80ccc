/*
 * Sizes and counts that follow from parameters, and what those that are not
 * given stand for, in numbers none of which is another's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params.h"

/* No two are equal, and none divides another. */
static const SsdParams geometry = {
    .channels = 11,
    .ways = 7,
    .dies = 5,
    .planes = 3,
    .zone_channels = 23,
    .zone_ways = 19,
    .zone_dies = 17,
    .zone_planes = 3,
    .page_bytes = 4096,
    .program_pages = 13,
};

static void test_units(void)
{
    SsdParams p = geometry;

    g_assert_cmpuint(ssd_params_unit_count(&p), ==, 11 * 7 * 5 * 3);
    g_assert_cmpuint(ssd_params_zone_unit_count(&p), ==, 23 * 19 * 17 * 3);
    g_assert_cmpuint(ssd_params_sense_bytes(&p), ==, 4096);
    g_assert_cmpuint(ssd_params_program_bytes(&p), ==, 4096 * 13);
    p.multi_plane = true;
    g_assert_cmpuint(ssd_params_unit_count(&p), ==, 11 * 7 * 5);
    g_assert_cmpuint(ssd_params_zone_unit_count(&p), ==, 23 * 19 * 17);
    g_assert_cmpuint(ssd_params_sense_bytes(&p), ==, 3 * 4096);
    g_assert_cmpuint(ssd_params_program_bytes(&p), ==, 3 * 4096 * 13);
}

/* A line begun is a line. */
static void test_lines(void)
{
    SsdParams p = {
        .channels = 1,
        .ways = 1,
        .dies = 1,
        .planes = 1,
        .pages_per_block = 1,
        .page_bytes = 50,
        .conventional_bytes = 100,
        .conventional_spare_pct = 100,
    };

    g_assert_cmpuint(ssd_params_conventional_lines(&p), ==, 4);
    p.conventional_spare_pct = 101;
    g_assert_cmpuint(ssd_params_conventional_lines(&p), ==, 5);
    p.conventional_spare_pct = 0;
    g_assert_cmpuint(ssd_params_conventional_lines(&p), ==, 2 + 2);

    p = geometry;
    p.pages_per_block = 2;
    p.conventional_bytes = UINT64_C(100) * 11 * 7 * 5 * 3 * 2 * 4096;
    g_assert_cmpuint(ssd_params_conventional_lines(&p), ==, 100 + 2);
}

/* There is a log where there is a conventional namespace. */
static void test_log(void)
{
    SsdParams p = { .conventional_buffer = true };

    g_assert_false(ssd_params_buffers_log(&p));
    p.conventional_bytes = 1;
    g_assert_true(ssd_params_buffers_log(&p));
    p.conventional_buffer = false;
    g_assert_false(ssd_params_buffers_log(&p));
}

/* Return: how many zones may have a ZRWA. */
static uint32_t zrwas(uint32_t given, uint32_t max_active)
{
    SsdParams p;

    ssd_params_defaults(&p);
    p.zones = 12;
    p.namespaces = 2;
    p.max_open = 1;
    p.max_active = max_active;
    p.max_zrwa = given;
    ssd_params_resolve(&p);
    return p.max_zrwa;
}

static void test_zrwas(void)
{
    g_assert_cmpuint(zrwas(0, 4), ==, 4);
    g_assert_cmpuint(zrwas(3, 4), ==, 3);
    g_assert_cmpuint(zrwas(5, 4), ==, 4);
    g_assert_cmpuint(zrwas(0, 0), ==, 6);
    g_assert_cmpuint(zrwas(5, 0), ==, 5);
    g_assert_cmpuint(zrwas(7, 0), ==, 6);
}

static void test_buffer(void)
{
    SsdParams p;

    ssd_params_defaults(&p);
    p.buffer_waiters = 9;
    p.buffer_resume_waiters = 0;
    p.write_buffer_bytes = 0;
    p.zone_buffer_bytes = 0;
    p.finish_chunk_bytes = 0;
    ssd_params_resolve(&p);
    g_assert_cmpuint(p.buffer_resume_waiters, ==, 8);
    g_assert_cmpuint(p.zone_buffer_bytes, ==, 0);
    g_assert_cmpuint(p.finish_chunk_bytes, ==, ssd_params_program_bytes(&p));

    ssd_params_defaults(&p);
    p.buffer_waiters = 9;
    p.buffer_resume_waiters = 3;
    p.write_buffer_bytes = SSD_MIB;
    p.zone_buffer_bytes = 0;
    p.finish_chunk_bytes = 0;
    ssd_params_resolve(&p);
    g_assert_cmpuint(p.buffer_resume_waiters, ==, 3);
    g_assert_cmpuint(p.zone_buffer_bytes, ==, SSD_MIB);
    g_assert_cmpuint(p.finish_chunk_bytes, ==, 0);

    p.zone_buffer_bytes = 64 * SSD_KIB;
    p.finish_chunk_bytes = 128 * SSD_KIB;
    ssd_params_resolve(&p);
    g_assert_cmpuint(p.zone_buffer_bytes, ==, 64 * SSD_KIB);
    g_assert_cmpuint(p.finish_chunk_bytes, ==, 128 * SSD_KIB);
}

/* A program may be larger than any finish-chunk that can be given. */
static void test_large_program(void)
{
    SsdParams p;

    ssd_params_defaults(&p);
    p.page_bytes = 256 * SSD_KIB;
    p.program_pages = 16;
    p.planes = 4;
    p.multi_plane = true;
    ssd_params_resolve(&p);
    g_assert_cmpuint(p.finish_chunk_bytes, ==, 16 * SSD_MIB);
    g_assert_cmpuint(ssd_params_finish_bytes(&p), ==, 16 * SSD_MIB);

    p.planes = 8;
    p.finish_chunk_bytes = 0;
    ssd_params_resolve(&p);
    g_assert_cmpuint(p.finish_chunk_bytes, ==, 0);
    g_assert_cmpuint(ssd_params_finish_bytes(&p), ==, 32 * SSD_MIB);
    p.write_buffer_bytes = SSD_GIB;
    g_assert_cmpuint(ssd_params_finish_bytes(&p), ==, p.zone_size_bytes);
}

/* Lists of pages of each zone and unit are too many only if there are any. */
static void test_page_turns(void)
{
    g_autoptr(GError) error = NULL;
    SsdParams p;

    ssd_params_defaults(&p);
    p.zones = 1 << 20;
    p.channels = 64;
    p.program_registers = 1;
    p.max_active = 1;
    p.max_open = 1;
    p.write_buffer_bytes = 64 * SSD_MIB;
    p.page_turns = false;
    ssd_params_check(&p, &error);
    g_assert_no_error(error);
    p.page_turns = true;
    g_assert_false(ssd_params_check(&p, &error));
    g_assert_true(g_str_has_prefix(error->message, "page-turns=on: must be "
                                   "off, as 1048576 zones on "));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sizes/units", test_units);
    g_test_add_func("/sizes/lines", test_lines);
    g_test_add_func("/sizes/log", test_log);
    g_test_add_func("/sizes/zrwas", test_zrwas);
    g_test_add_func("/sizes/buffer", test_buffer);
    g_test_add_func("/sizes/large-program", test_large_program);
    g_test_add_func("/sizes/page-turns", test_page_turns);
    return g_test_run();
}
