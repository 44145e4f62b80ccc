/*
 * Exact times of reads that wait for a slot (read-slots), and of what has one.
 *
 * Knows nothing of the drive's inside: it uses ssd.h and params.h only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "support/drive.h"

/* The base drive of drive.h, in numbers. */
#define READ UINT64_C(60000)
#define PROG UINT64_C(700000)
#define XFER UINT64_C(25000)
#define MS UINT64_C(1000000)

/* One read is inside at a time; a write does not wait for that. */
static void test_read_slots(void)
{
    Drive *d = drive_new("channels=1 read-slots=1 fe-read-ns=100 "
                         "fixed-read-ns=50");
    uint32_t read[3], write;

    drive_fill(d, 0, 2);
    for (unsigned i = 0; i < 3; i++) {
        read[i] = drive_read(d, 9 * MS, i % 2, 1);
    }
    write = drive_write(d, 9 * MS, 2, 1);
    drive_expect(d, read[0], 9 * MS + 100 + READ + XFER + 50);
    drive_expect(d, write, 9 * MS + 100 + READ + PROG);
    drive_expect(d, read[1], 9 * MS + 100 + READ + PROG + READ + XFER + 50);
    drive_expect(d, read[2], 9 * MS + 100 + READ + PROG + READ + XFER + 50 +
                 100 + READ + XFER + 50);
    drive_free(d);

    d = drive_new("read-slots=2 fe-read-ns=100");
    drive_fill(d, 0, 2);
    for (unsigned i = 0; i < 3; i++) {
        read[i] = drive_read(d, 9 * MS, i % 2, 1);
    }
    drive_expect(d, read[0], 9 * MS + 100 + READ + XFER);
    drive_expect(d, read[1], 9 * MS + 200 + READ + XFER);
    drive_expect(d, read[2], 9 * MS + 200 + 2 * (READ + XFER));
    drive_expect_idle(d);
    drive_free(d);
}

/* Three reads of what is not written, two of which end at these, and the last. */
static void expect_three(Drive *d, uint64_t at_ns, uint64_t second_ns,
                         uint64_t third_ns)
{
    uint32_t read[3];

    for (unsigned i = 0; i < 3; i++) {
        read[i] = drive_read(d, at_ns, 16 + i, 1);
    }
    drive_expect(d, read[0], at_ns + 150);
    drive_expect_next(d, read[1], at_ns + second_ns);
    drive_expect_next(d, read[2], at_ns + third_ns);
}

/*
 * A write that waits for room has a slot, too: of two, or one, one is left for
 * reads. Eight pages of ten are taken, so it waits until six are programmed.
 */
static void check_waiting_write(const char *words, uint64_t second_ns,
                                uint64_t third_ns, uint64_t second_later_ns,
                                uint64_t third_later_ns)
{
    g_autofree char *all = g_strconcat("channels=1 zones=2 program-registers=1 "
                                       "write-buffer=40K buffer-waiters=2 "
                                       "fe-read-ns=100 fixed-read-ns=50 ",
                                       words, NULL);
    Drive *d = drive_new(all);
    uint64_t at_ns = 9 * MS;
    uint32_t write = drive_write(d, at_ns, 0, 8);

    drive_expect(d, write, at_ns);
    write = drive_write(d, at_ns, 8, 8);
    expect_three(d, at_ns, second_ns, third_ns);
    at_ns += 6 * (XFER + PROG);
    drive_expect(d, write, at_ns);
    expect_three(d, at_ns, second_later_ns, third_later_ns);
    drive_free(d);
}

static void test_waiting_write(void)
{
    check_waiting_write("read-slots=2", 300, 450, 250, 350);
    check_waiting_write("read-slots=1", 300, 450, 300, 450);
    check_waiting_write("read-slots=3", 250, 350, 250, 350);
    check_waiting_write("read-slots=2 take-turns=on", 250, 350, 250, 350);
    check_waiting_write("", 250, 350, 250, 350);
}

/* Whatever reads has a slot. */
static void test_read_slots_of_all(void)
{
    static const SsdOp ops[] = { SSD_OP_READ, SSD_OP_VERIFY, SSD_OP_COMPARE };

    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++) {
        Drive *d = drive_new("read-slots=1");
        uint32_t first, second;

        drive_fill(d, 0, 2);
        first = drive_io(d, 9 * MS, ops[i], 0, 1);
        second = drive_read(d, 9 * MS, 1, 1);
        drive_expect(d, first, 9 * MS + READ + XFER);
        drive_expect(d, second, 9 * MS + 2 * (READ + XFER));
        drive_free(d);
    }
}

/* Reads, with a slot at once and with one that they have waited for. */
static void test_read_blocks(void)
{
    static const char words[] = "read-slots=1 fe-read-ns=2000 "
                                "fe-lba512-read-ns=3000 ";
    g_autofree char *small = g_strconcat(words, "lba-size=512", NULL);
    const char *const drives[] = { words, small };

    for (unsigned i = 0; i < G_N_ELEMENTS(drives); i++) {
        Drive *d = drive_new(drives[i]);
        uint32_t nlb = i == 0 ? 1 : 8;
        uint64_t take_ns = (i == 0 ? 2000 : 3000) + READ + XFER;
        uint32_t a, b;

        drive_fill(d, 0, 2);
        a = drive_read(d, 9 * MS, 0, nlb);
        b = drive_read(d, 9 * MS, nlb, nlb);
        drive_expect(d, a, 9 * MS + take_ns);
        drive_expect(d, b, 9 * MS + 2 * take_ns);
        drive_free(d);
    }
}

/*
 * Three reads with two slots: a page is sensed for the first, the others find
 * nothing written. The second one ends at once; when has the third its slot?
 */
static void check_order(uint32_t nlb, bool is_of_zone, const char *words,
                        uint64_t third_ns)
{
    g_autofree char *all = g_strconcat("channels=1 read-slots=2 lba-size=512 "
                                       "fe-read-ns=100 fixed-read-ns=50 ",
                                       words, NULL);
    Drive *d = drive_new(all);
    uint64_t at_ns = 9 * MS, first_ns = 150 + READ + XFER;
    uint64_t other_lba = drive_zone_lba(d, is_of_zone ? 0 : 1) + 64;
    uint32_t read[3];

    drive_fill(d, 0, 1);
    read[0] = drive_read(d, at_ns, 0, nlb);
    read[1] = drive_read(d, at_ns, other_lba, nlb);
    read[2] = drive_read(d, at_ns, 96, nlb);
    drive_expect_next(d, read[1], at_ns + 250);
    if (third_ns < first_ns) {
        drive_expect_next(d, read[2], at_ns + third_ns);
    }
    drive_expect_next(d, read[0], at_ns + first_ns);
    if (third_ns > first_ns) {
        drive_expect_next(d, read[2], at_ns + third_ns);
    }
    drive_free(d);
}

/* Reads of less than 4 KiB keep their slots until those before them end. */
static void test_order_of_parts(void)
{
    uint64_t after_first_ns = 150 + READ + XFER + 150;

    check_order(1, true, "", after_first_ns);
    check_order(7, true, "", after_first_ns);
    check_order(8, true, "", 400);  /* 4 KiB */
    check_order(1, false, "", 400); /* another zone's */
    /* One is kept for the other namespace. */
    check_order(1, true, "take-turns=on namespaces=2 read-slots=3",
                after_first_ns);
}

/* The one in the middle ends first, then the last, then the first. */
static void test_order_of_many(void)
{
    Drive *d = drive_new("channels=4 read-slots=3 lba-size=512 "
                         "fe-read-ns=100");
    uint64_t at_ns = 9 * MS, ends_ns = 100 + READ + XFER;
    uint32_t read[6];

    drive_fill(d, 0, 1);
    for (unsigned i = 0; i < 6; i++) {
        read[i] = drive_read(d, at_ns, i == 0 ? 0 : 64 + i, 1);
    }
    drive_expect_next(d, read[1], at_ns + 200);
    drive_expect_next(d, read[2], at_ns + 300);
    drive_expect_next(d, read[0], at_ns + ends_ns);
    /* All three slots are free now. */
    for (unsigned i = 3; i < 6; i++) {
        drive_expect_next(d, read[i], at_ns + ends_ns + 100 * (i - 2));
    }
    drive_expect_idle(d);
    drive_free(d);
}

static void load_anew(Drive *d)
{
    GByteArray *bytes = ssd_save(d->ssd);
    GError *error = NULL;
    Ssd *loaded = ssd_load(&d->params, bytes->data, bytes->len, &error);

    g_assert_no_error(error);
    g_byte_array_unref(bytes);
    ssd_free(d->ssd);
    d->ssd = loaded;
}

/* The order is that of their coming, whichever places they have inside. */
static void test_order_loaded(void)
{
    Drive *d = drive_new("channels=4 read-slots=2 lba-size=512 "
                         "fe-read-ns=100");
    uint64_t at_ns = 9 * MS, first_ns = 100 + READ + XFER;

    drive_fill(d, 0, 1);
    for (unsigned turned = 0; turned < 2; turned++) {
        uint32_t read[3];

        for (unsigned i = 0; i < 3; i++) {
            read[i] = drive_read(d, at_ns, i == 0 ? 0 : 64 + i, 1);
        }
        load_anew(d);
        drive_expect_next(d, read[1], at_ns + 200);
        drive_expect_next(d, read[0], at_ns + first_ns);
        /* It leaves last, so its place is the first one's next time. */
        drive_expect_next(d, read[2], at_ns + first_ns + 100);
        at_ns += MS;
    }
    drive_expect_idle(d);
    drive_free(d);
}

/*
 * Three reads of three pages each, or as many as said; a page is sensed for the
 * first, the others find nothing written. With a list of pages for `read-lists`
 * of them the second waits for one, and the third behind it.
 */
static void check_lists(const char *words, uint32_t second_nlb,
                        uint64_t second_ns, uint64_t third_ns)
{
    g_autofree char *all = g_strconcat("channels=1 fe-read-ns=100 "
                                       "fixed-read-ns=50 ", words, NULL);
    Drive *d = drive_new(all);
    uint64_t at_ns = 9 * MS, first_ns = 150 + READ + XFER;
    uint64_t other_lba = drive_zone_lba(d, 1);
    uint32_t read[3];

    drive_fill(d, 0, 1);
    read[0] = drive_read(d, at_ns, 0, 3);
    read[1] = drive_read(d, at_ns, other_lba, second_nlb);
    read[2] = drive_read(d, at_ns, other_lba, 2);
    if (second_ns > first_ns) {
        drive_expect_next(d, read[0], at_ns + first_ns);
    }
    drive_expect_next(d, read[1], at_ns + second_ns);
    drive_expect_next(d, read[2], at_ns + third_ns);
    if (second_ns < first_ns) {
        drive_expect_next(d, read[0], at_ns + first_ns);
    }
    drive_expect_idle(d);
    drive_free(d);
}

/* Reads of more than two pages need a list each. */
static void test_lists(void)
{
    uint64_t first_ns = 150 + READ + XFER;

    check_lists("read-slots=9", 3, 250, 350);
    check_lists("read-slots=9 read-lists=1", 3, first_ns + 150,
                first_ns + 250);
    check_lists("read-slots=9 read-lists=1", 2, 250, 350);
    check_lists("read-slots=9 read-lists=2", 3, 250, 350);
    check_lists("read-slots=9 read-lists=1 take-turns=on namespaces=2", 3,
                first_ns + 150, first_ns + 250);
}

/* Each namespace can have a read inside, whatever it is. */
static void test_lists_of_namespaces(void)
{
    Drive *d = drive_new("channels=1 fe-read-ns=100 fixed-read-ns=50 "
                         "read-slots=9 read-lists=1 take-turns=on "
                         "namespaces=2");
    uint32_t first, other;

    drive_fill(d, 0, 1);
    first = drive_read(d, 9 * MS, 0, 3);
    d->nsid = 2;
    other = drive_read(d, 9 * MS, 0, 3);
    drive_expect_next(d, other, 9 * MS + 250);
    drive_expect_next(d, first, 9 * MS + 150 + READ + XFER);
    drive_free(d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/slots/reads", test_read_slots);
    g_test_add_func("/slots/reads/of-all", test_read_slots_of_all);
    g_test_add_func("/slots/reads/waiting-write", test_waiting_write);
    g_test_add_func("/slots/read-blocks", test_read_blocks);
    g_test_add_func("/slots/order", test_order_of_parts);
    g_test_add_func("/slots/order/many", test_order_of_many);
    g_test_add_func("/slots/order/loaded", test_order_loaded);
    g_test_add_func("/slots/lists", test_lists);
    g_test_add_func("/slots/lists/namespaces", test_lists_of_namespaces);
    return g_test_run();
}
