/*
 * What is read of the link must be sound: a portion that crosses it, and the
 * write that it is of. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

/* Of what goes by the buffer, all portions but the last are equally large. */
static void test_portions(void)
{
    begin(BUFFER ZRWA "conventional-size=64K buffer-portion=4K "
          "link-in-ns=1000000");
    drive->nsid = 2;
    drive_write(drive, 0, 0, 1);
    run_to(1);
    g_assert_cmpuint(ssd->link.count, ==, 1);
    SET(ssd->link.portions[ssd->link.head].is_last, false);
    refused("drive: portion 0 of 4096 bytes is not the last");
    end();
}

/* A write may move the write pointer by all of the ZRWA, beside the buffer. */
static void test_zrwa(void)
{
    begin_zrwa(BUFFER "buffer-portion=4K link-in-ns=1000000 max-zrwa=4 ");
    drive_write(drive, LATER, 0, 4);
    drive_drain(drive);
    drive_write(drive, 2 * LATER, 7, 1);
    run_to(2 * LATER + 1);
    g_assert_cmpuint(ssd->link.count, ==, 1);
    let_in();
    SET(ssd->link.portions[ssd->link.head].is_last, false);
    refused("drive: portion 0 of 4096 bytes is not the last");
    SET(ssd->commands.at[0].write.wp_from_bytes, 16 * 4096 - 4096);
    SET(ssd->commands.at[0].write.wp_to_bytes, 16 * 4096 + 4096);
    refused("drive: no host could ask for what command 0, of operation 1, has "
            "to do");
    drive_drain(drive);
    end();
    begin_zrwa("link-in-ns=1000000 max-active=4 max-zrwa=4");
    drive_write(drive, LATER, 0, 4);
    drive_drain(drive);
    drive_write(drive, 2 * LATER, 4, 4);
    g_assert_cmpuint(ssd->commands.count, ==, 1);
    let_in();
    drive_drain(drive);
    drive_write(drive, 3 * LATER, 11, 1);
    end();
}

/* Without a buffer a write crosses the link as one portion. */
static void test_whole_portion(void)
{
    LinkPortion *portion;

    begin("link-in-ns=1000000");
    drive_write(drive, 0, 0, 4);
    run_to(1);
    g_assert_cmpuint(ssd->link.count, ==, 1);
    let_in();
    portion = &ssd->link.portions[ssd->link.head];
    SET(portion->is_last, false);
    SET(portion->bytes, drive->params.buffer_portion_bytes);
    refused("drive: portion 0 of 32768 bytes is not the last");
    end();
}

/* Where the write pointer was is a whole block, for it may be there again. */
static void test_blocks(void)
{
    ZoneWrite *write;

    begin("channels=1 lba-size=512");
    drive_write(drive, 0, 0, 8);
    drive_write(drive, 0, 8, 8);
    run_to(10);
    write = &ssd->commands.at[1].write;
    g_assert_cmpuint(write->wp_from_bytes, ==, 8 * 512);
    SET(write->wp_from_bytes, 7 * 512);
    let_in();
    SET(write->wp_from_bytes, 8 * 512 - 1);
    refused("drive: no host could ask for what command 1, of operation 1, has "
            "to do");
    end();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-link/portions", test_portions);
    g_test_add_func("/sound-link/zrwa", test_zrwa);
    g_test_add_func("/sound-link/whole-portion", test_whole_portion);
    g_test_add_func("/sound-link/blocks", test_blocks);
    return g_test_run();
}
