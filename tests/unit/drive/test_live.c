/*
 * ssd_live_json() says what the drive does, exactly, and to look changes
 * nothing: not a byte of the drive's state.
 *
 * Knows nothing of the drive's inside: it uses ssd.h, ssd_live.h and params.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_live.h"
#include "support/drive.h"

static void expect_live(const Drive *d, const char *wanted)
{
    g_autofree char *live = ssd_live_json(d->ssd);

    g_assert_cmpstr(live, ==, wanted);
}

/* Of a drive with one unit on each of two channels. */
static void test_scene(void)
{
    Drive *d = drive_new("reads-first=0");
    uint64_t lba = drive_zone_lba(d, 1);
    g_autofree char *live = NULL;

    expect_live(d, "{\"now_ns\":0,\"inside\":0,\"slots\":1024,\"front\":0,"
                "\"front_held\":false,\"reads_inside\":0,\"read_slots\":0,"
                "\"buffer_bytes\":0,\"buffer_used_bytes\":0,"
                "\"buffer_waiting\":0,\"link_in\":false,\"link_out\":false,"
                "\"units_per_channel\":1,\"units\":\"..\",\"channels\":\"..\","
                "\"senses\":0,\"programs\":0,\"erases\":0,\"namespaces\":["
                "{\"nsid\":1,\"capacity_nlb\":16,\"open\":0,\"active\":0,"
                "\"zones\":\"....\",\"wp\":[]}],\"since_ns\":0,\"ops\":{}}");
    drive_fill(d, 0, 16);
    drive_write(d, 10000000, lba, 1);
    drive_write(d, 10025000, lba + 1, 1);
    /* One page is programmed, the next one crosses its channel. */
    expect_live(d, "{\"now_ns\":10025000,\"inside\":2,\"slots\":1024,"
                "\"front\":0,\"front_held\":false,\"reads_inside\":0,"
                "\"read_slots\":0,\"buffer_bytes\":0,\"buffer_used_bytes\":0,"
                "\"buffer_waiting\":0,\"link_in\":false,\"link_out\":false,"
                "\"units_per_channel\":1,\"units\":\"p.\",\"channels\":\".t\","
                "\"senses\":0,\"programs\":16,\"erases\":0,\"namespaces\":["
                "{\"nsid\":1,\"capacity_nlb\":16,\"open\":1,\"active\":1,"
                "\"zones\":\"fo..\",\"wp\":[[1,2]]}],\"since_ns\":0,"
                "\"ops\":{\"write\":[1,65536,5625000]}}");
    drive_drain(d);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_CLOSE, 1);
    drive_drain(d);
    live = ssd_live_json(d->ssd);
    g_assert_nonnull(strstr(live, "\"ops\":{\"write\":[3,73728,7075000],"
                            "\"close\":[1,0,0]}"));
    drive_free(d);
}

static void test_buffer(void)
{
    Drive *d = drive_new("write-buffer=72K zone-buffer=36K max-open=1 "
                         "max-active=1 program-registers=1 fe-read-ns=1000 "
                         "buffer-waiters=1 buffer-resume=0");
    g_autofree char *live = NULL;

    drive_write(d, 0, 0, 9);
    drive_write(d, 0, 9, 1);
    drive_write(d, 0, 10, 1);
    drive_read(d, 0, 0, 1);
    ssd_poll(d->ssd, 10, &(SsdDone) {0}, 1);
    live = ssd_live_json(d->ssd);
    g_assert_nonnull(strstr(live, "\"inside\":3,\"slots\":1024,\"front\":2,"
                            "\"front_held\":true,"));
    g_assert_nonnull(strstr(live, "\"buffer_bytes\":73728,"
                            "\"buffer_used_bytes\":36864,"
                            "\"buffer_waiting\":1,"));
    drive_drain(d);
    drive_free(d);
}

/* Each state has a letter; those that have a write pointer show it. */
static void test_zones(void)
{
    Drive *d = drive_new("zones=8 max-active=8 max-open=8 namespaces=2 "
                         "conventional-size=64K");
    g_autofree char *live = NULL;

    drive_write(d, 0, 0, 2);
    drive_zone_op(d, 0, SSD_OP_ZONE_OPEN, 1);
    drive_write(d, 0, drive_zone_lba(d, 2), 3);
    drive_drain(d);
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_CLOSE, 2);
    d->nsid = 2;
    drive_zone_op(d, d->now_ns, SSD_OP_ZONE_FINISH, 1);
    drive_drain(d);
    ssd_zone_fail(d->ssd, d->now_ns, 2, 2, SSD_ZONE_READ_ONLY);
    ssd_zone_fail(d->ssd, d->now_ns, 2, 3, SSD_ZONE_OFFLINE);
    live = ssd_live_json(d->ssd);
    g_assert_nonnull(strstr(live, "\"namespaces\":["
                            "{\"nsid\":1,\"capacity_nlb\":16,\"open\":2,"
                            "\"active\":3,\"zones\":\"oOc.\","
                            "\"wp\":[[0,2],[1,0],[2,3]]},"
                            "{\"nsid\":2,\"capacity_nlb\":16,\"open\":0,"
                            "\"active\":0,\"zones\":\".frx\","
                            "\"wp\":[]}],"));
    drive_free(d);
}

static void test_unheard(void)
{
    Drive *d = drive_new("erase-at=background");
    GByteArray *before, *after;
    g_autofree char *live = NULL;

    drive_fill(d, 0, 16);
    drive_zone_op(d, 20000000, SSD_OP_ZONE_RESET, 0);
    drive_write(d, 20000000, drive_zone_lba(d, 1), 4);
    before = ssd_save(d->ssd);
    live = ssd_live_json(d->ssd);
    after = ssd_save(d->ssd);
    g_assert_cmpmem(before->data, before->len, after->data, after->len);
    g_byte_array_unref(before);
    g_byte_array_unref(after);
    drive_drain(d);
    drive_free(d);
}

static void test_none(void)
{
    g_autofree char *live = ssd_live_json(NULL);

    g_assert_cmpstr(live, ==, "{}");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/live/scene", test_scene);
    g_test_add_func("/live/buffer", test_buffer);
    g_test_add_func("/live/zones", test_zones);
    g_test_add_func("/live/unheard", test_unheard);
    g_test_add_func("/live/none", test_none);
    return g_test_run();
}
