/*
 * What is read of an operation is sound: whether it is with its unit, and of
 * which kind, goes with where it is. In each place it is made to be of every
 * kind, with its unit and not, and the drive lets in those that go through there
 * and no others. The same of who it is for. sound.h says how that is asked.
 *
 * Knows the drive's inside, as the rules do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sound.h"

/* A letter for each kind of operation, in the order of FlashKind. */
#define KINDS "rlpdes"

static FlashToken *token_at(uint32_t token_idx)
{
    g_assert_cmpuint(token_idx, <, ssd->media.flash.fresh_idx);
    return &ssd->media.flash.tokens[token_idx];
}

static const FlashUnit *unit(void)
{
    return &ssd->media.flash.units[0];
}

/* Another rule may refuse it later: the operation is in its place, at least. */
static bool can_be(uint32_t token_idx)
{
    g_autofree char *begins =
        g_strdup_printf("drive: operation %u of kind %u cannot be in place ",
                        token_idx, token_at(token_idx)->op.kind);
    g_autofree char *text = said();

    put_back();
    return !text || !g_str_has_prefix(text, begins);
}

/* Of which kinds it may be while it is away from its unit, and there. */
static void expect_kinds(uint32_t token_idx, const char *away, const char *at)
{
    FlashToken *token = token_at(token_idx);

    for (unsigned at_unit = 0; at_unit < 2; at_unit++) {
        for (unsigned kind = 0; KINDS[kind] != '\0'; kind++) {
            bool wanted = strchr(at_unit ? at : away, KINDS[kind]) != NULL;

            SET(token->op.kind, kind);
            SET(token->at_unit, at_unit);
            g_assert_cmpint(can_be(token_idx), ==, wanted);
        }
    }
}

/* A page crosses the channel. */
static void test_moves(void)
{
    begin("channels=1");
    drive_write(drive, 0, 0, 1);
    run_to(10);
    expect_kinds(0, "rlpd", "");
    end();

    begin("channels=1 cache-read=off");
    drive_write(drive, 0, 0, 1);
    run_to(10);
    expect_kinds(0, "lpd", "");
    end();
}

/* The second of two reads, one of which may go before other work. */
static void test_reads(void)
{
    begin("channels=1 reads-first=1");
    drive_fill(drive, 0, 2);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER, 1, 1);
    run_to(LATER + 10);
    expect_kinds(unit()->reads.head_idx, "", "r");
    end();
}

/* The same without such reads, in a queue that is for them alone. */
static void test_no_reads(void)
{
    FlashUnit *one;
    uint32_t waits_idx;

    begin("channels=1");
    drive_fill(drive, 0, 2);
    drive_read(drive, LATER, 0, 1);
    drive_read(drive, LATER, 1, 1);
    run_to(LATER + 10);
    one = &ssd->media.flash.units[0];
    waits_idx = one->work.head_idx;
    expect_kinds(waits_idx, "", "rpde");
    one->reads = one->work;
    one->work.head_idx = FLASH_NONE;
    expect_kinds(waits_idx, "", "");
    one->work = one->reads;
    one->reads.head_idx = FLASH_NONE;
    end();
}

/* Programs behind one that runs: in a register, and without one. */
static void test_work(void)
{
    begin("channels=1 reads-first=1 program-registers=2");
    drive_write(drive, 0, 0, 3);
    run_to(300000);
    expect_kinds(unit()->work.head_idx, "", "pde");
    expect_kinds(unit()->loads.head_idx, "pd", "");
    end();
}

/* The erase of a block of which a page is yet to be programmed. */
static void test_erases(void)
{
    begin("channels=1 program-registers=1 erase-at=reset");
    drive_fill(drive, 1, 1);
    drive_write(drive, LATER, 0, 2);
    drive_zone_op(drive, LATER, SSD_OP_ZONE_RESET, 1);
    run_to(LATER + 10);
    expect_kinds(unit()->erases.head_idx, "e", "");
    end();
}

static void test_runs(void)
{
    begin("channels=1");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    run_to(LATER + 10);
    expect_kinds(unit()->running_idx, "", "rpdes");
    end();

    begin("channels=1 cache-read=off");
    drive_fill(drive, 0, 1);
    drive_read(drive, LATER, 0, 1);
    run_to(LATER + 10);
    expect_kinds(unit()->running_idx, "r", "rpdes");
    end();
}

/* A read is sensed while a program stands aside. */
static void test_suspended(gconstpointer words)
{
    begin(words);
    drive_fill(drive, 0, 1);
    drive_write(drive, LATER, 1, 1);
    drive_read(drive, LATER + 100000, 0, 1);
    run_to(LATER + 110000);
    expect_kinds(unit()->suspended_idx, "",
                 ssd->params.erase_suspend ? "pde" : "pd");
    end();
}

/* Of another unit, each is in no queue of this one. */
static void expect_of_unit(uint32_t token_idx, unsigned place)
{
    g_autofree char *wanted =
        g_strdup_printf("drive: operation %u cannot be at unit 0 in place %u: "
                        "it is of another, or in place 1", token_idx, place);

    SET(token_at(token_idx)->op.unit_idx, 1);
    refused(wanted);
}

static void test_units(void)
{
    begin("channels=2 program-registers=2");
    drive_write(drive, 0, 0, 6);
    run_to(300000);
    expect_of_unit(unit()->work.head_idx, 3);
    expect_of_unit(unit()->loads.head_idx, 4);
    expect_of_unit(unit()->running_idx, 6);
    end();
}

/* Owners */

/* Which kinds of operations each may have, in the order of OwnerKind. */
static const char *const owned[] = {
    [OWNER_NONE] = "es",
    [OWNER_COMMAND] = "rlpe",
    [OWNER_JOB] = "pde",
    [OWNER_BUFFER] = "p",
    [OWNER_FIRST_WRITE] = "e",
    [OWNER_AHEAD] = "r",
    [OWNER_CLEANING] = "rlpe",
};

/* It is of another kind; the unit counts its programs. */
static void make(uint32_t token_idx, FlashKind kind)
{
    FlashUnit *one = &ssd->media.flash.units[0];
    FlashToken *token = token_at(token_idx);
    uint32_t more = flash_programs(kind) - flash_programs(token->op.kind);

    SET(token->op.kind, kind);
    SET(one->loaded, one->loaded + more);
    SET(one->programs_issued, one->programs_issued + more * !token->at_unit);
}

static bool can_own(uint32_t token_idx, OwnerKind owner)
{
    g_autofree char *text = NULL;
    g_autofree char *ends = g_strdup_printf(" has an owner of kind %u", owner);

    SET(token_at(token_idx)->op.owner.word, owner_of(owner, 0).word);
    text = said();
    put_back();
    g_assert_false(text && g_str_has_prefix(text, "flash: "));
    return !text || !g_str_has_suffix(text, ends);
}

/* An operation that can be of these kinds is owned by each, as far as it can. */
static void expect_owners(uint32_t token_idx, const char *kinds)
{
    for (OwnerKind owner = OWNER_NONE; owner < G_N_ELEMENTS(owned); owner++) {
        for (unsigned kind = 0; KINDS[kind] != '\0'; kind++) {
            if (strchr(kinds, KINDS[kind])) {
                make(token_idx, kind);
                g_assert_cmpint(can_own(token_idx, owner), ==,
                                strchr(owned[owner], KINDS[kind]) != NULL);
            }
        }
    }
}

/* A read of zone 0 that runs, and a page that crosses; there was a job. */
static void test_owners(void)
{
    uint32_t crosses_idx;

    begin("channels=1 read-ahead=16K");
    drive_fill(drive, 0, 4);
    drive_zone_op(drive, drive->now_ns, SSD_OP_ZONE_FINISH, 1);
    drive_drain(drive);
    drive_read(drive, LATER, 1, 1);
    run_to(LATER + 10);
    expect_owners(unit()->running_idx, "rpdes");
    run_to(2 * LATER);
    crosses_idx = ssd->media.flash.free_idx;
    drive_write(drive, 2 * LATER, 4, 1);
    run_to(2 * LATER + 10);
    expect_owners(crosses_idx, "rlpd");
    end();
}

#define SUSPEND "channels=1 reads-first=1 program-suspend=on suspend-ns=1000 "

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sound-kinds/moves", test_moves);
    g_test_add_func("/sound-kinds/reads", test_reads);
    g_test_add_func("/sound-kinds/no-reads", test_no_reads);
    g_test_add_func("/sound-kinds/work", test_work);
    g_test_add_func("/sound-kinds/erases", test_erases);
    g_test_add_func("/sound-kinds/runs", test_runs);
    g_test_add_func("/sound-kinds/units", test_units);
    g_test_add_func("/sound-kinds/owners", test_owners);
    g_test_add_data_func("/sound-kinds/suspended", SUSPEND, test_suspended);
    g_test_add_data_func("/sound-kinds/suspended-erases",
                         SUSPEND "erase-suspend=on", test_suspended);
    return g_test_run();
}
