/*
 * What is read of the log in the write buffer must be sound: a write that comes
 * through it, and its pages, which are of lines that follow one another.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"
#include "ssd_why.h"

/* The log has 4 lines of 8 pages, and 16 granules are mapped to it. */
#define LOGGED "conventional-buffer=on program-registers=1 buffer-portion=4K " \
               "max-open=1 max-active=1 conventional-size=64K cmd-slots=8 "
#define SMALL LOGGED "write-buffer=16K "
#define LARGE LOGGED "write-buffer=256K "
#define LINKED "link-in-ns=256000 "
#define GRANULE SSD_GRANULE_BYTES

#define NOT_ASKED(i_) "drive: no host could ask for what command " #i_ \
                      ", of operation 1, has to do"

static void begin_log(const char *words)
{
    begin(words);
    drive->nsid = ssd_ns_count(ssd);
}

static void poll_at(uint64_t at_ns)
{
    ssd_poll(ssd, at_ns, NULL, 0);
    drive->now_ns = at_ns;
}

static void expect_span(const Command *command, uint64_t from, uint64_t begin,
                        uint64_t end)
{
    const ZoneWrite *write = &command->write;

    g_assert_cmpuint(write->wp_from_bytes, ==, from * GRANULE);
    g_assert_cmpuint(write->data.begin_bytes, ==, begin * GRANULE);
    g_assert_cmpuint(write->data.end_bytes, ==, end * GRANULE);
}

/* Before its hand-off a write has no data: what is there is let in, unread. */
static void test_entering(void)
{
    g_autoptr(GArray) causes = NULL;
    uint32_t tag;

    begin_log(SMALL "fe-write-ns=1000 take-turns=on");
    tag = drive_write(drive, 0, 0, 1);
    SET(ssd->commands.at[0].write.data.zone_idx, UINT32_MAX - 1);
    causes = ssd_why(ssd, tag);
    g_assert_cmpuint(causes->len, ==, 1);
    g_assert_cmpint(g_array_index(causes, SsdCause, 0).place, ==,
                    SSD_PLACE_FRONT_END);
    let_in();
    end();
}

/* One granule is there, three are on the link, six wait for room. */
static void test_promised(void)
{
    Command *command;
    ZoneWrite *write;

    begin_log(SMALL LINKED);
    drive_write(drive, 1000, 0, 10);
    poll_at(2500);
    command = &ssd->commands.at[0];
    write = &command->write;
    expect_span(command, 1, 4, 10);
    g_assert_true(command->is_promised && !command->writes);

    SET(write->wp_from_bytes, 5 * GRANULE);
    refused(NOT_ASKED(0));
    SET(write->wp_from_bytes, 4 * GRANULE);
    refused("drive: bytes to the log of command 0: 12288, must be 0");
    SET(write->data.begin_bytes, 11 * GRANULE);
    refused(NOT_ASKED(0));
    SET(write->data.begin_bytes, 10 * GRANULE);
    refused("drive: bytes to the log of command 0: 12288, must be 36864");
    SET(write->data.begin_bytes, 4 * GRANULE + 1);
    refused(NOT_ASKED(0));
    SET(write->data.begin_bytes, 10 * GRANULE);
    SET(write->wp_from_bytes, 7 * GRANULE);
    refused("drive: a place in the buffer's line of command 0: 1, must be 0");
    SET(write->data.end_bytes, 11 * GRANULE);
    refused(NOT_ASKED(0));
    SET(write->data.end_bytes, 9 * GRANULE);
    refused(NOT_ASKED(0));
    SET(command->is_writing, true);
    refused(NOT_ASKED(0));
    SET(command->writes, true);
    refused(NOT_ASKED(0));
    SET(write->data.zone_idx, 0);
    refused(NOT_ASKED(0));
    close_free_lines();
    refused("drive: 7 places are free, 17 are needed");
    end();
}

/* Of nine granules eight have a place; another write waits behind them. */
static void test_no_place(void)
{
    Command *first, *second;

    begin_log(LARGE);
    SET(ssd->buffer.streams[drive->params.zones].is_abandoned, true);
    refused("buffer: the log is a zone: job 4294967295, abandoned 1");
    drive_write(drive, 0, 0, 16);
    drive_drain(drive);
    drive_write(drive, LATER, 0, 9);
    drive_write(drive, LATER + 1, 9, 2);
    poll_at(LATER + 2);
    first = &ssd->commands.at[0];
    second = &ssd->commands.at[1];
    expect_span(first, 8, 8, 8);
    expect_span(second, 9, 9, 9);
    g_assert_true(first->is_promised && !second->is_promised);
    g_assert_true(first->writes && second->writes);

    SET(first->write.data.end_bytes, 9 * GRANULE);
    refused(NOT_ASKED(0));
    SET(first->is_writing, true);
    refused(NOT_ASKED(0));
    SET(second->write.data.end_bytes, 10 * GRANULE);
    refused(NOT_ASKED(1));
    end();
}

/* Pages of a line that is full, and of the open one. */
static void test_pages(void)
{
    BufferedPage *pages;
    Conv *conv;

    begin_log(LARGE);
    drive_write(drive, 0, 0, 12);
    poll_at(1);
    pages = ssd->buffer.pages;
    conv = &ssd->conv;
    g_assert_cmpuint(pages[5].page, ==, 7);
    g_assert_cmpuint(pages[5].line, ==, 0);
    g_assert_cmpuint(pages[6].page, ==, 8);
    g_assert_cmpuint(pages[6].line, ==, conv->ftl.open_line);

    let_in();
    SET(pages[5].line, conv->ftl.line_count);
    refused("drive: page 7 of the log is not in line 4");
    SET(pages[5].line, 1);
    refused("drive: page 7 of the log is not in line 1");
    SET(pages[5].line, 3);
    refused("drive: pages of closed line 0: 7, must be 8");
    SET(pages[6].line, 0);
    refused("drive: page 8 of the log is not in line 0");
    end();
}

/* What comes to the log comes in whole granules, to the last. */
static void test_portion(void)
{
    LinkPortion *last;

    begin_log(SMALL LINKED);
    drive_write(drive, 1000, 0, 2);
    poll_at(1500);
    g_assert_cmpuint(ssd->link.count, ==, 2);
    last = &ssd->link.portions[ssd->link.head + 1];
    g_assert_true(last->is_last);
    SET(last->bytes, GRANULE / 2);
    refused("drive: bytes of half a granule, of command 0: 2048, must be 0");
    SET(ssd->commands.at[0].write.wp_from_bytes, GRANULE);
    refused("drive: bytes to the log of command 0: 8192, must be 4096");
    end();
}

/* A zone's write is not one of the log's. */
static void test_of_zone(void)
{
    begin(SMALL LINKED);
    drive_write(drive, 1000, 0, 8);
    poll_at(2500);
    g_assert_cmpuint(ssd->link.count, ==, 3);
    let_in();
    close_free_lines();
    refused("drive: 0 places are free, 8 are needed");
    end();
}

/* Nothing is promised to a write that does not come through the buffer. */
static void test_without(void)
{
    begin_log("conventional-size=64K cmd-slots=8");
    drive_write(drive, 1000, 0, 2);
    poll_at(1500);
    let_in();
    SET(ssd->commands.at[0].is_promised, true);
    refused(NOT_ASKED(0));
    end();
}

/* Blocks of less than a granule; what lies around them is read before. */
static void test_parts(void)
{
    Command *command = NULL;

    begin_log(LOGGED "write-buffer=16K lba-size=512 " LINKED);
    drive_write(drive, 1000, 9, 79);
    for (uint64_t at_ns = 1000; !command; at_ns += 100) {
        poll_at(at_ns);
        let_in();
        if (ssd->commands.at[0].write.wp_from_bytes > GRANULE) {
            command = &ssd->commands.at[0];
        }
    }
    SET(command->write.wp_from_bytes, 0);
    refused(NOT_ASKED(0));
    end();
}

/* A page of the victim waits for its unit behind four of the host. */
static void test_moved(void)
{
    uint64_t begin_ns;
    uint32_t page_idx;

    begin_log(SMALL);
    drive_write(drive, 0, 0, 16);
    run_out(drive);
    begin_ns = drive->now_ns + LATER;
    drive_write(drive, begin_ns, 0, 1);
    drive_write(drive, begin_ns + 880000, 4, 4);
    poll_at(begin_ns + 1620000);
    page_idx = ssd->buffer.strands[ssd->params.zones].first_page_idx;
    g_assert_cmpuint(page_idx, !=, SSD_NONE);
    g_assert_true(ssd->buffer.pages[page_idx].is_moved);
    g_assert_cmpuint(ssd->conv.ops_left, ==, 2);
    let_in();
    SET(ssd->conv.ops_left, 1);
    refused("drive: operations of cleaning 0: 1, must be 2");
    poll_at(begin_ns + 2400000);
    page_idx = ssd->buffer.strands[ssd->params.zones].first_page_idx;
    g_assert_cmpuint(page_idx, ==, SSD_NONE);
    g_assert_cmpuint(ssd->conv.ops_left, ==, 2);
    let_in();
    end();
}

/* After a power cut pages count from the open line on: from 0 if none is. */
static void test_cut(void)
{
    Ssd *cut;

    begin_log(LARGE);
    drive_write(drive, 0, 0, 8);
    drive_drain(drive);
    g_assert_cmpuint(ssd->conv.ftl.open_line, ==, FTL_NONE);
    cut = ssd_power_cut(ssd, LATER, 0);
    g_assert_cmpuint(cut->buffer.streams[ssd->params.zones].next_page, ==, 0);
    ssd_free(cut);
    drive->now_ns = LATER;
    drive_write(drive, LATER, 8, 1);
    drive_drain(drive);
    cut = ssd_power_cut(ssd, 2 * LATER, 0);
    g_assert_cmpuint(cut->buffer.streams[ssd->params.zones].next_page, ==, 1);
    ssd_free(cut);
    drive->now_ns = 2 * LATER;
    end();
}

/* A row that has been moved is of all granules of its pages. */
static void test_moved_row(void)
{
    Conv *conv;

    begin_conv("page-size=16K");
    conv = &ssd->conv;
    g_assert_cmpuint(conv->page_places, >, conv->map.zone_units);
    run_to_cleaning();
    SET(conv->row, 3);
    refused("drive: place 17 has been moved, and holds something");
    end();
}

/* Cleaning may have a page on each unit, and one more, beyond the buffer. */
static void test_most(void)
{
    begin_log(SMALL);
    SET(ssd->buffer.streams[drive->params.zones].used_bytes, 16384 + 3 * 4096);
    refused("drive: bytes in the buffer of zone 4: 28672, must be 0");
    SET(ssd->buffer.streams[drive->params.zones].used_bytes,
        16384 + 3 * 4096 + 1);
    refused("buffer: zone 4 has 0 bytes in complete pages, of 0 that it holds, "
            "of 28673 that it uses, of at most 28672");
    end();
}

/* Numbers of writes go round, without 0, which stands for none. */
static void test_number(void)
{
    begin_conv("");
    ssd->conv.last_id = UINT32_MAX;
    drive_write(drive, 0, 0, 1);
    g_assert_cmpuint(ssd->commands.at[0].write_id, ==, 1);
    end();
}

/* With nothing in the buffer, too, the log's pages are those of whole lines. */
static void test_open_page(void)
{
    begin_log(SMALL);
    SET(ssd->buffer.streams[drive->params.zones].next_page, 8);
    let_in();
    SET(ssd->buffer.streams[drive->params.zones].next_page, 9);
    refused("drive: pages of a line before the log's open one 0: 1, must be 0");
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-log/entering", test_entering);
    g_test_add_func("/sound-log/promised", test_promised);
    g_test_add_func("/sound-log/no-place", test_no_place);
    g_test_add_func("/sound-log/pages", test_pages);
    g_test_add_func("/sound-log/portion", test_portion);
    g_test_add_func("/sound-log/of-zone", test_of_zone);
    g_test_add_func("/sound-log/without", test_without);
    g_test_add_func("/sound-log/parts", test_parts);
    g_test_add_func("/sound-log/moved", test_moved);
    g_test_add_func("/sound-log/moved-row", test_moved_row);
    g_test_add_func("/sound-log/cut", test_cut);
    g_test_add_func("/sound-log/most", test_most);
    g_test_add_func("/sound-log/number", test_number);
    g_test_add_func("/sound-log/open-page", test_open_page);
    return g_test_run();
}
