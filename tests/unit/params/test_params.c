/*
 * Tests of the parameter table: its rows, ranges, the rules between
 * parameters, what 0 stands for, and the words of the errors.
 *
 * Knows nothing of a drive.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params.h"
#include "params_text.h"

#include <string.h>

static void test_defaults_pass(void)
{
    g_autoptr(GError) error = NULL;
    SsdParams p;

    ssd_params_defaults(&p);
    g_assert_cmpuint(p.zones, ==, 64);
    g_assert_cmpuint(p.zone_size_bytes, ==, 64 * SSD_MIB);
    g_assert_cmpuint(p.page_transfer_ns, ==, 25000);
    g_assert_true(ssd_params_check(&p, &error));
    g_assert_no_error(error);
}

static void test_table_rows(void)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    g_assert_cmpuint(count, >, 20);
    for (unsigned i = 0; i < count; i++) {
        g_assert_cmpuint(strlen(table[i].help), >, 10);
        g_assert_cmpuint(table[i].min, <=, table[i].default_value);
        g_assert_cmpuint(table[i].default_value, <=, table[i].max);
        for (unsigned j = 0; j < i; j++) {
            g_assert_cmpstr(table[i].name, !=, table[j].name);
        }
    }
}

/* `settings` as "name=value name=value" on top of the defaults. */
static void apply(SsdParams *p, const char *settings)
{
    g_auto(GStrv) list = g_strsplit(settings, " ", -1);

    ssd_params_defaults(p);
    for (char **setting = list; *setting && **setting; setting++) {
        g_autoptr(GError) error = NULL;
        char *value = strchr(*setting, '=');

        g_assert_nonnull(value);
        *value++ = '\0';
        ssd_params_set(p, *setting, value, &error);
        g_assert_no_error(error);
    }
}

/* check() says `message`; NULL: it accepts, and resolving keeps it so. */
static void assert_check(const char *settings, const char *message)
{
    g_autoptr(GError) error = NULL;
    SsdParams p;
    bool accepted;

    apply(&p, settings);
    accepted = ssd_params_check(&p, &error);
    if (message) {
        g_assert_false(accepted);
        g_assert_error(error, SSD_PARAMS_ERROR, 0);
        g_assert_cmpstr(error->message, ==, message);
        return;
    }
    g_assert_no_error(error);
    g_assert_true(accepted);
    ssd_params_resolve(&p);
    g_assert_true(ssd_params_check(&p, &error));
    g_assert_no_error(error);
}

static void test_rules_zone_shape(void)
{
    assert_check("lba-size=512", NULL);
    assert_check("lba-size=1024",
                 "lba-size=1024: must be 512 or 4096 bytes");
    assert_check("zone-size=48M",
                 "zone-size=48M (50331648): must be a power of two, such as "
                 "32M or 64M");
    assert_check("page-size=48K zone-capacity=48M", NULL);
    assert_check("page-size=20000",
                 "page-size=20000: must be a multiple of 4K (4096 bytes)");
    assert_check("zone-capacity=64M", NULL);
    assert_check("zone-capacity=16K", NULL);
    assert_check("zone-capacity=65M",
                 "zone-capacity=65M (68157440): must be at most zone-size=64M "
                 "and a multiple of page-size=16K, such as 64M");
    assert_check("zone-capacity=20K",
                 "zone-capacity=20K (20480): must be a multiple of "
                 "page-size=16K, such as 16K");
    assert_check("zone-capacity=4K",
                 "zone-capacity=4K (4096): must be a multiple of "
                 "page-size=16K, such as 16K");
    assert_check("page-size=48K",
                 "zone-capacity=0: means zone-size, but must be a multiple of "
                 "page-size=48K, such as 65520K");
    assert_check("zone-size=64K page-size=64K", NULL);
    assert_check("zone-size=64K page-size=128K",
                 "zone-size=64K (65536): must hold at least one page, "
                 "page-size=128K");
}

static void test_rules_geometry(void)
{
    assert_check("channels=6 zone-channels=3 planes=4 zone-planes=2", NULL);
    assert_check("channels=6 zone-channels=4",
                 "zone-channels=4: must divide channels=6: 0 (all), 1, 2, 3, "
                 "6");
    assert_check("zone-ways=2",
                 "zone-ways=2: must divide ways=1: 0 (all), 1");
    assert_check("dies=4 zone-dies=3",
                 "zone-dies=3: must divide dies=4: 0 (all), 1, 2, 4");
    assert_check("planes=2 zone-planes=8",
                 "zone-planes=8: must divide planes=2: 0 (all), 1, 2");
    assert_check("channels=64 ways=16 dies=4 planes=1", NULL);
    assert_check("channels=64 ways=16 dies=4 planes=2",
                 "channels=64: times ways=16, dies=4 and planes=2 makes 8192 "
                 "flash units; at most 4096 are possible");
    assert_check("channels=64 ways=16 dies=4 zones=65536", NULL);
    assert_check("channels=64 ways=16 dies=4 zone-dies=1 zones=262144", NULL);
    assert_check("channels=64 ways=16 dies=2 planes=2 zones=65537",
                 "zones=65537: times 4096 flash units per zone is above "
                 "268435456; at most 65536 zones are possible with zones that "
                 "wide");
}

static void test_rules_namespaces(void)
{
    assert_check("zones=64 namespaces=64", NULL);
    assert_check("zones=63 namespaces=3", NULL);
    assert_check("zones=64 namespaces=3", "zones=64: must be a multiple of "
                 "namespaces=3, such as 63 or 66");
    assert_check("zones=3 namespaces=4", "namespaces=4: must be at most "
                 "zones=3 and divide it");
}

static void test_rules_conventional(void)
{
    assert_check("conventional-size=64G", NULL);
    assert_check("conventional-size=4K", NULL);
    assert_check("channels=64 ways=16 dies=4 page-size=256K "
                 "pages-per-block=65536", NULL);
    assert_check("conventional-size=6K", "conventional-size=6K (6144): must "
                 "be a multiple of 4K (4096 bytes)");
    assert_check("channels=64 ways=16 dies=4 page-size=256K "
                 "pages-per-block=65536 conventional-size=4K",
                 "conventional-size=4K (4096): needs 2 lines of 64T (a block "
                 "on every unit), but at most 1T of flash can be mapped");
    assert_check("channels=64 page-size=256K pages-per-block=32768 "
                 "conventional-size=4K", NULL);
    assert_check("channels=64 page-size=256K pages-per-block=32768 "
                 "conventional-size=64G conventional-spare=400", NULL);
    assert_check("channels=64 ways=2 page-size=256K pages-per-block=32768 "
                 "conventional-size=4K", "conventional-size=4K (4096): needs "
                 "2 lines of 1T (a block on every unit), but at most 1T of "
                 "flash can be mapped");
}

/* A line of the default drive is 4 x 768 x 16 KiB = 48 MiB. */
static void assert_lines(const char *words, uint64_t lines)
{
    SsdParams params;

    apply(&params, words);
    g_assert_cmpuint(ssd_params_conventional_lines(&params), ==, lines);
}

static void test_conventional_lines(void)
{
    assert_lines("conventional-size=4K", 2);
    assert_lines("conventional-size=48M", 3);
    assert_lines("conventional-size=4800M conventional-spare=0", 102);
    assert_lines("conventional-size=4800M conventional-spare=7", 107);
    assert_lines("conventional-size=4801M conventional-spare=7", 108);
}

#define MOST(of) "flash operations at once, but at most 67108864 are possible; " \
                 "most are those of " of ": take less of cmd-slots, mdts, " \
                 "finish-chunk, mgmt-parallel-zones or zones"

/*
 * A finish may have 4096 pages and as many erases: in 1024 slots, or 8192, for
 * the one zone of a Select All, and for each zone as an excursion; beside that
 * there are 4 erases in the background.
 */
static void test_rules_operations(void)
{
    assert_check("excursion-ns=1 zones=4096 finish-chunk=16M page-size=4K",
                 NULL);
    assert_check("excursion-ns=1 zones=16384 finish-chunk=16M page-size=4K",
                 "cmd-slots=1024: with the other parameters makes room for "
                 "142614532 " MOST("excursions of all zones"));
    assert_check("cmd-slots=8192 finish-chunk=16M page-size=4K",
                 "cmd-slots=8192: with the other parameters makes room for "
                 "67117060 " MOST("commands"));
    /* Beside all else, 2 x 4095 lines of 4 KiB make 2^26. */
    assert_check("cmd-slots=8192 finish-chunk=16380K page-size=4K "
                 "read-ahead=16380K read-ahead-streams=2", NULL);
    assert_check("cmd-slots=8192 finish-chunk=16380K page-size=4K "
                 "read-ahead=16384K read-ahead-streams=2",
                 "cmd-slots=8192: with the other parameters makes room for "
                 "67108866 " MOST("commands"));
    /*
     * A write of 128 + 2 pages commits 4096 + 1, and as much is erased; beside
     * that a page and 4 erases of a Select All, and 4 in the background.
     */
    assert_check("cmd-slots=8192 page-size=4K zrwa-size=16M",
                 "cmd-slots=8192: with the other parameters makes room for "
                 "69255177 " MOST("commands"));
    /* A copy of 256 KiB in 128 ranges may touch 1 + 2 x 128 pages. */
    assert_check("excursion-ns=1 zones=1048576 finish-chunk=16M "
                 "page-size=256K mdts=256K",
                 "cmd-slots=1024: with the other parameters makes room for "
                 "134481028 " MOST("excursions of all zones"));
}

static void test_rules_limits(void)
{
    assert_check("max-open=14 max-active=14", NULL);
    assert_check("max-open=0 max-active=3", NULL);
    assert_check("max-open=20 max-active=0", NULL);
    assert_check("zones=4", NULL);
    assert_check("max-active=6",
                 "max-open=14: must be at most max-active=6, as an open zone "
                 "is active; or set max-open=0 to mean as many");
}

static void test_rules_buffer(void)
{
    assert_check("program-registers=2 write-buffer=256K", NULL);
    assert_check("program-registers=2 write-buffer=255K",
                 "write-buffer=255K (261120): must be 0, or 256K and more: "
                 "32K, and what one program writes for each zone that may be "
                 "active");
    /* Of each namespace's own zones, if there is no limit. */
    assert_check("program-registers=2 namespaces=8 max-open=0 max-active=0 "
                 "write-buffer=1056K", NULL);
    assert_check("program-registers=2 namespaces=8 max-open=0 max-active=0 "
                 "write-buffer=1055K",
                 "write-buffer=1055K (1080320): must be 0, or 1056K and more: "
                 "32K, and what one program writes for each zone that may be "
                 "active");
    assert_check("program-registers=1 max-active=2 write-buffer=64K "
                 "zone-buffer=48K max-open=2", NULL);
    assert_check("program-registers=1 write-buffer=1M zone-buffer=40K",
                 "zone-buffer=40K (40960): must be 0, or 48K and more: 32K, "
                 "and what one program writes");
    assert_check("program-registers=2 write-buffer=256K buffer-waiters=3 "
                 "buffer-resume=2", NULL);
    assert_check("program-registers=2 write-buffer=256K buffer-waiters=3 "
                 "buffer-resume=3",
                 "buffer-resume=3: must be below buffer-waiters=3, which hold "
                 "the front end up");
    assert_check("program-registers=1 write-buffer=1G zones=262144 "
                 "channels=64 zone-capacity=1M zone-size=1M max-open=14 "
                 "max-active=14 page-turns=on", NULL);
    assert_check("program-registers=1 write-buffer=1G zones=262145 "
                 "channels=64 zone-capacity=1M zone-size=1M max-open=14 "
                 "max-active=14 page-turns=on",
                 "page-turns=on: must be off, as 262145 zones on 64 units "
                 "each are more than 16777216 lists of pages; take fewer "
                 "zones, or let a zone span fewer units");
    assert_check("program-registers=1 zones=262145 channels=64 "
                 "zone-capacity=1M zone-size=1M page-turns=on", NULL);
    assert_check("take-turns=on read-slots=2 namespaces=4",
                 "read-slots=2: must be 0, or 4 and more: with take-turns "
                 "each namespace has a slot of its own");
    assert_check("take-turns=on read-slots=4 namespaces=4 "
                 "conventional-size=4K",
                 "read-slots=4: must be 0, or 5 and more: with take-turns "
                 "each namespace has a slot of its own");
    assert_check("take-turns=on read-slots=4 namespaces=4", NULL);
    assert_check("take-turns=on namespaces=4", NULL);
    assert_check("read-slots=2 namespaces=4", NULL);
    assert_check("reset-drain-first=on reset-drains=on", NULL);
    assert_check("reset-drain-first=on",
                 "reset-drain-first=on: needs reset-drains=on, of which it "
                 "says how");
    assert_check("fe-write-arrived-ns=7 link-in-ns=1", NULL);
    assert_check("fe-append-arrived-ns=7 write-buffer=1M program-registers=2",
                 NULL);
    assert_check("fe-write-arrived-ns=7 fe-append-arrived-ns=9",
                 "fe-write-arrived-ns=7: needs link-in-ns or a write-buffer: "
                 "without both, data are there with their command");
    assert_check("fe-append-arrived-ns=8",
                 "fe-append-arrived-ns=8: needs link-in-ns or a write-buffer: "
                 "without both, data are there with their command");
    assert_check("write-buffer=1M",
                 "program-registers=0: must be 1 or more with a write-buffer, "
                 "from which units take their programs");
}

static void test_rules_array(void)
{
    assert_check("program-pages=3 planes=2 multi-plane=on zone-size=128M "
                 "zone-capacity=96M", NULL);
    assert_check("program-pages=5",
                 "program-pages=5: must divide pages-per-block=768");
    assert_check("program-pages=3",
                 "zone-capacity=0: means zone-size, but must be a multiple of "
                 "what one program writes, 48K");
    assert_check("program-pages=3 zone-capacity=16M",
                 "zone-capacity=16M (16777216): must be a multiple of what one "
                 "program writes, 48K");
    assert_check("planes=4 multi-plane=on zone-planes=4", NULL);
    assert_check("planes=4 multi-plane=on zone-planes=2",
                 "zone-planes=2: must be 0 or planes=4 with multi-plane=on");
    assert_check("reads-first=1 program-suspend=on erase-suspend=on", NULL);
    assert_check("program-suspend=on",
                 "reads-first=0: must be above 0 with program-suspend=on or "
                 "erase-suspend=on: the reads for each suspension");
    assert_check("erase-suspend=on",
                 "reads-first=0: must be above 0 with program-suspend=on or "
                 "erase-suspend=on: the reads for each suspension");
}

static void test_rules_transfers(void)
{
    assert_check("read-granule=4K", NULL);
    assert_check("read-granule=512", NULL);
    assert_check("page-size=48K zone-capacity=48M read-granule=24K", NULL);
    assert_check("read-granule=256",
                 "read-granule=256: must be a multiple of 512 that divides "
                 "page-size=16K, such as 4K; or 0 for whole pages");
    assert_check("read-granule=12K",
                 "read-granule=12K (12288): must be a multiple of 512 that "
                 "divides page-size=16K, such as 4K; or 0 for whole pages");
    assert_check("read-granule=32K",
                 "read-granule=32K (32768): must be a multiple of 512 that "
                 "divides page-size=16K, such as 4K; or 0 for whole pages");
    assert_check("finish-chunk=48K", NULL);
    assert_check("finish-chunk=24K",
                 "finish-chunk=24K (24576): must be a multiple of 16K, which "
                 "one program writes, or 0 for that");
    assert_check("finish-chunk=48K program-pages=3 zone-capacity=48M", NULL);
    assert_check("finish-chunk=48K planes=2 multi-plane=on",
                 "finish-chunk=48K (49152): must be a multiple of 32K, which "
                 "one program writes, or 0 for that");
    assert_check("mdts=8K", NULL);
    assert_check("mdts=8K zasl=8K", NULL);
    assert_check("mdts=96K",
                 "mdts=96K (98304): must be a power of two, such as 64K or "
                 "128K");
    assert_check("zasl=8K", NULL);
    assert_check("zasl=512K", NULL);
    assert_check("zasl=4K",
                 "zasl=4K (4096): must be 8K to mdts=512K, or 0 to mean mdts");
    assert_check("zasl=1M",
                 "zasl=1M (1048576): must be 8K to mdts=512K, or 0 to mean "
                 "mdts");
    assert_check("mdts=12289",
                 "mdts=12289: must be a power of two, such as 8K or 16K");
    assert_check("zasl=12K",
                 "zasl=12K (12288): must be a power of two, such as 8K or "
                 "16K");
    assert_check("wzsl=512K", NULL);
    assert_check("wzsl=4K",
                 "wzsl=4K (4096): must be 8K to mdts=512K, or 0 to mean mdts");
    assert_check("wzsl=1M",
                 "wzsl=1M (1048576): must be 8K to mdts=512K, or 0 to mean "
                 "mdts");
    assert_check("wzsl=24K",
                 "wzsl=24K (24576): must be a power of two, such as 16K or "
                 "32K");
    assert_check("zd-extension-size=16320", NULL);
    assert_check("zd-extension-size=100",
                 "zd-extension-size=100: must be a multiple of 64 up to 16320, "
                 "or 0 for none");
    assert_check("mdts=8K zd-extension-size=8256",
                 "zd-extension-size=8256: must be a multiple of 64 up to 8192, "
                 "or 0 for none");
}

static void test_zrwa_rules(void)
{
    assert_check("zrwa-size=1M", NULL);
    assert_check("zrwa-size=12K zrwa-flush-granularity=4K", NULL);
    assert_check("zrwa-flush-granularity=5K", NULL);    /* not offered */
    assert_check("zrwa-size=24K",
                 "zrwa-size=24K (24576): must be a multiple of "
                 "zrwa-flush-granularity=16K up to the zone's capacity of "
                 "64M, or 0 for none");
    assert_check("zrwa-size=128K zone-size=64K",
                 "zrwa-size=128K (131072): must be a multiple of "
                 "zrwa-flush-granularity=16K up to the zone's capacity of "
                 "64K, or 0 for none");
    assert_check("zrwa-size=64K zrwa-flush-granularity=2K",
                 "zrwa-flush-granularity=2K (2048): must be a multiple of 4K "
                 "that divides the zone's capacity of 64M, or 0 for "
                 "page-size");
    assert_check("zrwa-size=64K zone-capacity=48K zone-size=64K "
                 "zrwa-flush-granularity=32K",
                 "zrwa-flush-granularity=32K (32768): must be a multiple of "
                 "4K that divides the zone's capacity of 48K, or 0 for "
                 "page-size");
    assert_check("excursion-ns=5 finish-recommended-ns=4", NULL);
    assert_check("finish-recommended-ns=4", NULL);
    assert_check("excursion-ns=5 finish-recommended-ns=5",
                 "finish-recommended-ns=5: must be below excursion-ns=5, when "
                 "the controller finishes the zone itself");
}

/* Rules of parameters that are words. */
static void test_rules_words(void)
{
    assert_check("mapping=lazy spare-superblocks=8192 channels=64 ways=16 "
                 "dies=4 zone-channels=1 zone-ways=1 zone-dies=1",
                 "spare-superblocks=8192: on each of 4096 groups of units make "
                 "33558528 superblocks, but at most 16777216 can be; take "
                 "fewer, or let a zone span more units");
    assert_check("mapping=lazy spare-superblocks=4095 channels=64 ways=16 "
                 "dies=4 zone-channels=1 zone-ways=1 zone-dies=1 "
                 "zone-size=1M", NULL);
    /* 2^20 zones of 2^8 blocks: as many as can be */
    assert_check("zones=1048576 zone-size=1M channels=1 page-size=4K "
                 "pages-per-block=1 max-open=0 max-active=0", NULL);
    /* 64 MiB are 4 x 1024 pages, each a block. */
    assert_check("zones=65536 pages-per-block=1", NULL);
    assert_check("zones=65537 pages-per-block=1",
                 "zones=65537: of 4096 blocks each and 0 spare superblocks "
                 "make more than 268435456 blocks; take larger blocks "
                 "(pages-per-block=1) or fewer zones");
    assert_check("zones=65537 pages-per-block=1 channels=2 ways=2 dies=2 "
                 "planes=2",
                 "zones=65537: of 4096 blocks each and 0 spare superblocks "
                 "make more than 268435456 blocks; take larger blocks "
                 "(pages-per-block=1) or fewer zones");
    assert_check("spare-superblocks=2",
                 "spare-superblocks=2: is of no use with mapping=direct, "
                 "which never takes one; set mapping=lazy or mapping=remap, "
                 "or 0");
}

/* Fields may be written without ssd_params_set(); the range still holds. */
static void test_check_ranges(void)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *start = g_strdup_printf("%s=", table[i].name);
        SsdParams p;
        char *field = (char *)&p + table[i].offset_bytes;
        bool is_enum = table[i].type == SSD_PARAM_TYPE_ENUM;

        if (table[i].type == SSD_PARAM_TYPE_BOOL) {
            continue;
        }
        ssd_params_defaults(&p);
        if (table[i].type == SSD_PARAM_TYPE_U32 || is_enum) {
            *(uint32_t *)field = (uint32_t)table[i].max + 1;
        } else {
            *(uint64_t *)field = table[i].max + 1;
        }
        g_assert_false(ssd_params_check(&p, &error));
        g_assert_error(error, SSD_PARAMS_ERROR, 0);
        g_assert_true(g_str_has_prefix(error->message, start));
        g_assert_nonnull(strstr(error->message, is_enum ? ": must be one of " :
                                ": out of range, must be "));
    }
}

static void test_resolve(void)
{
    SsdParams p, again;

    memset(&p, 0, sizeof(p));
    apply(&p, "channels=8 ways=2 dies=4 planes=2");
    ssd_params_resolve(&p);
    g_assert_cmpuint(p.zone_capacity_bytes, ==, 64 * SSD_MIB);
    g_assert_cmpuint(p.zone_channels, ==, 8);
    g_assert_cmpuint(p.zone_ways, ==, 2);
    g_assert_cmpuint(p.zone_dies, ==, 4);
    g_assert_cmpuint(p.zone_planes, ==, 2);
    g_assert_cmpuint(p.read_granule_bytes, ==, 16 * SSD_KIB);
    g_assert_cmpuint(p.finish_chunk_bytes, ==, 16 * SSD_KIB);
    g_assert_cmpuint(p.zasl_bytes, ==, 512 * SSD_KIB);
    g_assert_cmpuint(p.wzsl_bytes, ==, 512 * SSD_KIB);
    g_assert_cmpuint(p.zrwa_granule_bytes, ==, 16 * SSD_KIB);
    g_assert_cmpuint(p.max_zrwa, ==, 14);
    again = p;
    ssd_params_resolve(&again);
    g_assert_cmpint(memcmp(&p, &again, sizeof(p)), ==, 0);
}

static void test_resolve_keeps_given(void)
{
    SsdParams p;

    apply(&p, "channels=8 zone-channels=2 zone-capacity=48M "
              "read-granule=4K finish-chunk=64K zasl=128K max-open=3");
    ssd_params_resolve(&p);
    g_assert_cmpuint(p.zone_channels, ==, 2);
    g_assert_cmpuint(p.zone_capacity_bytes, ==, 48 * SSD_MIB);
    g_assert_cmpuint(p.read_granule_bytes, ==, 4 * SSD_KIB);
    g_assert_cmpuint(p.finish_chunk_bytes, ==, 64 * SSD_KIB);
    g_assert_cmpuint(p.zasl_bytes, ==, 128 * SSD_KIB);
    g_assert_cmpuint(p.max_open, ==, 3);
    g_assert_cmpuint(p.max_active, ==, 14);
}

static void assert_limits(const char *settings, unsigned open, unsigned active)
{
    SsdParams p;

    apply(&p, settings);
    ssd_params_resolve(&p);
    g_assert_cmpuint(p.max_open, ==, open);
    g_assert_cmpuint(p.max_active, ==, active);
}

static void test_resolve_limits(void)
{
    assert_limits("max-open=4 max-active=6", 4, 6);
    assert_limits("max-open=0 max-active=6", 6, 6);
    assert_limits("max-open=4 max-active=0", 4, 0);
    assert_limits("max-open=0 max-active=0", 0, 0);
    assert_limits("zones=4", 4, 4);
    assert_limits("zones=4 max-open=2", 2, 4);
    assert_limits("zones=4 max-open=0", 4, 4);
    assert_limits("zones=8 namespaces=2", 4, 4);
    assert_limits("zones=8 namespaces=2 max-open=2 max-active=3", 2, 3);
}

static void test_markdown(void)
{
    g_autofree char *text = ssd_params_markdown();
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        g_autofree char *start = g_strdup_printf("\n| `%s` | ",
                                                 table[i].name);

        g_assert_nonnull(strstr(text, start));
    }
    g_assert_nonnull(strstr(text, "\n| `page-size` | 16K | 4K to 256K | bytes "
                                  "| flash page: the unit of sense and "
                                  "program |\n"));
    g_assert_nonnull(strstr(text, "\n- `zone-size` is a power of two.\n"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/params/defaults-pass", test_defaults_pass);
    g_test_add_func("/params/table-rows", test_table_rows);
    g_test_add_func("/params/rules/zone-shape", test_rules_zone_shape);
    g_test_add_func("/params/rules/geometry", test_rules_geometry);
    g_test_add_func("/params/rules/namespaces", test_rules_namespaces);
    g_test_add_func("/params/rules/conventional", test_rules_conventional);
    g_test_add_func("/params/conventional-lines", test_conventional_lines);
    g_test_add_func("/params/rules/operations", test_rules_operations);
    g_test_add_func("/params/rules/limits", test_rules_limits);
    g_test_add_func("/params/rules/array", test_rules_array);
    g_test_add_func("/params/rules/buffer", test_rules_buffer);
    g_test_add_func("/params/rules/transfers", test_rules_transfers);
    g_test_add_func("/params/zrwa", test_zrwa_rules);
    g_test_add_func("/params/rules/words", test_rules_words);
    g_test_add_func("/params/check-ranges", test_check_ranges);
    g_test_add_func("/params/resolve", test_resolve);
    g_test_add_func("/params/resolve-keeps-given", test_resolve_keeps_given);
    g_test_add_func("/params/resolve-limits", test_resolve_limits);
    g_test_add_func("/params/markdown", test_markdown);
    return g_test_run();
}
