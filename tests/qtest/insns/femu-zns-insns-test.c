/*
 * -device femu-insns: the count that a guest reads is of its instructions, to
 * the last one, and not of the time that it idles.
 *
 * The processor executes a few bytes of its own, under TCG; a QEMU without TCG,
 * as the sanitised one is, leaves that out.
 *
 * Knows nothing of drives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-driver.h"
#include "qobject/qdict.h"

#define PORT 0xe0
#define OTHER_PORT 0x2000
#define BIOS_BYTES (64 * 1024)
#define RESET_VECTOR (BIOS_BYTES - 16)
#define LOOKS 0x1000            /* what the program has read, 8 bytes each */
#define DONE 0x1800             /* 1 when it has read all */

/*
 * Looks at the count five times: at once, again, behind a loop, behind an idle
 * wait for the timer, and for the last time so that all but the first byte are
 * read much later.
 */
static const uint8_t program[] = {
    0x31, 0xc0,                         /* xor ax, ax */
    0x8e, 0xd8,                         /* mov ds, ax */
    0x8e, 0xc0,                         /* mov es, ax */
    0x8e, 0xd0,                         /* mov ss, ax */
    0xbc, 0x00, 0x80,                   /* mov sp, 0x8000 */
    0xc7, 0x06, 0x20, 0x00, 0x73, 0x00, /* mov word [0x20], handler */
    0xc7, 0x06, 0x22, 0x00, 0x00, 0xf0, /* mov word [0x22], 0xf000 */
    0xb0, 0x11, 0xe6, 0x20,             /* the PIC: IRQ 0 is interrupt 8, and */
    0xb0, 0x08, 0xe6, 0x21,             /* the only one */
    0xb0, 0x04, 0xe6, 0x21,
    0xb0, 0x01, 0xe6, 0x21,
    0xb0, 0xfe, 0xe6, 0x21,
    0xb0, 0x34, 0xe6, 0x43,             /* the PIT: every 55 ms */
    0xb0, 0xff, 0xe6, 0x40, 0xe6, 0x40,
    0xbf, 0x00, 0x10,                   /* mov di, LOOKS */
    0xe8, 0x29, 0x00,                   /* call look */
    0xe8, 0x26, 0x00,                   /* call look */
    0xb9, 0xe8, 0x03,                   /* mov cx, 1000 */
    0xe2, 0xfe,                         /* loop $ */
    0xe8, 0x1e, 0x00,                   /* call look */
    0xfb, 0xf4, 0xfa,                   /* sti; hlt; cli */
    0xe8, 0x18, 0x00,                   /* call look */
    0xba, PORT, 0x00,                   /* mov dx, PORT */
    0xec, 0xaa,                         /* in al, dx; stosb */
    0xb9, 0x60, 0xea,                   /* mov cx, 60000 */
    0xe2, 0xfe,                         /* loop $ */
    0xb9, 0x07, 0x00,                   /* mov cx, 7 */
    0xe8, 0x11, 0x00,                   /* call rest */
    0xc6, 0x06, 0x00, 0x18, 0x01,       /* mov byte [DONE], 1 */
    0xf4, 0xeb, 0xfd,                   /* forever: hlt; jmp forever */
    0xba, PORT, 0x00,                   /* look: mov dx, PORT */
    0xb9, 0x08, 0x00,                   /* mov cx, 8 */
    0xec, 0xaa, 0x49,                   /* in al, dx; stosb; dec cx */
    0x42, 0xec, 0xaa,                   /* rest: inc dx; in al, dx; stosb */
    0xe2, 0xfb, 0xc3,                   /* loop rest; ret */
    0xcf,                               /* handler: iret */
};

/* Return: the path of a BIOS with the program. */
static char *program_create(void)
{
    static const uint8_t start[] = {
        0xea, 0x00, 0x00, 0x00, 0xf0,       /* jmp 0xf000:0 */
    };
    g_autofree uint8_t *bytes = g_malloc0(BIOS_BYTES);
    char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-program-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    memcpy(bytes, program, sizeof(program));
    memcpy(bytes + RESET_VECTOR, start, sizeof(start));
    g_assert_cmpint(write(fd, bytes, BIOS_BYTES), ==, BIOS_BYTES);
    close(fd);
    return path;
}

static bool has_device(void)
{
    if (qtest_has_accel("tcg") && qtest_has_device("femu-insns")) {
        return true;
    }
    g_test_skip("this QEMU has no TCG, or no femu-insns");
    return false;
}

/* Without a local APIC, which would have to be told that the PIC is there. */
static QTestState *machine_start(const char *clock, const char *more)
{
    g_autofree char *bios = program_create();
    g_autofree char *args = g_strdup_printf(
        "-accel tcg -icount %s -machine q35 -cpu qemu64,-apic -m 64 "
        "-nodefaults -device femu-insns -bios %s %s", clock, bios, more);
    QTestState *qts = qtest_init(args);

    g_unlink(bios);
    return qts;
}

static uint64_t look(QTestState *qts, unsigned number)
{
    return qtest_readq(qts, LOOKS + 8 * number);
}

/* Between the first bytes of two looks are 35 instructions of these. */
static void check_looks(QTestState *qts)
{
    g_assert_cmpuint(look(qts, 0), >, 0);
    g_assert_cmpuint(look(qts, 1) - look(qts, 0), ==, 35);
    g_assert_cmpuint(look(qts, 2) - look(qts, 1), ==, 35 + 1001);
    g_assert_cmpuint(look(qts, 3) - look(qts, 2), ==, 35 + 4);
    g_assert_cmpuint(look(qts, 4) - look(qts, 3), ==, 33);
}

static void wait_until_done(QTestState *qts)
{
    while (qtest_readb(qts, DONE) != 1) {
        ;
    }
}

/* The same, however long an instruction takes. */
static void test_count(const void *data)
{
    QTestState *qts;

    if (!has_device()) {
        return;
    }
    qts = machine_start(data, "");
    wait_until_done(qts);
    check_looks(qts);
    qtest_quit(qts);
}

/* Eight ports, of bytes, anywhere; a write does nothing. */
static void test_ports(void)
{
    uint64_t count = 0;
    QTestState *qts;

    if (!has_device()) {
        return;
    }
    qts = machine_start("shift=0,sleep=off",
                        "-device femu-insns,iobase=0x2000");
    wait_until_done(qts);
    for (unsigned i = 0; i < 8; i++) {
        qtest_outb(qts, OTHER_PORT + i, 0x55);
        count |= (uint64_t)qtest_inb(qts, OTHER_PORT + i) << (8 * i);
    }
    g_assert_cmpuint(count, >, look(qts, 4) + 60000);
    g_assert_cmpuint(count, <, look(qts, 4) + 61000);
    g_assert_cmphex(qtest_inb(qts, OTHER_PORT - 1), ==, 0xff);
    g_assert_cmphex(qtest_inb(qts, OTHER_PORT + 8), ==, 0xff);
    qtest_quit(qts);
}

/* Without a count there is no port. */
static void test_refused(void)
{
    g_autofree char *err = NULL;
    const char *argv[] = {
        g_getenv("QTEST_QEMU_BINARY"), "-accel", "qtest", "-display", "none",
        "-nodefaults", "-machine", "q35", "-device", "femu-insns", NULL,
    };
    int status;

    if (!qtest_has_device("femu-insns")) {
        g_test_skip("this QEMU has no femu-insns");
        return;
    }
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL,
                               G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                               &err, &status, NULL));
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 1);
    g_assert_nonnull(strstr(err, "femu-insns: nobody counts instructions "
                            "without -icount"));
}

static void wait_until_saved(QTestState *qts)
{
    for (bool done = false; !done; ) {
        QDict *reply = qtest_qmp_assert_success_ref(
            qts, "{ 'execute': 'query-migrate' }");
        const char *status = qdict_get_str(reply, "status");

        g_assert_cmpstr(status, !=, "failed");
        done = strcmp(status, "completed") == 0;
        qobject_unref(reply);
    }
}

/* A machine that moves between two bytes reads what it would have read. */
static void test_move(void)
{
    g_autofree char *path = NULL;
    g_autofree char *uri = NULL;
    uint64_t seen = 0;
    QTestState *qts;
    int fd;

    if (!has_device()) {
        return;
    }
    fd = g_file_open_tmp("femu-zns-moved-XXXXXX", &path, NULL);
    g_assert_cmpint(fd, >=, 0);
    close(fd);
    uri = g_strdup_printf("file:%s", path);
    qts = machine_start("shift=0,sleep=off", "");
    wait_until_done(qts);
    for (unsigned i = 0; i < 8; i++) {
        seen |= (uint64_t)qtest_inb(qts, PORT + i) << (8 * i);
    }
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    wait_until_saved(qts);
    qtest_quit(qts);
    qts = machine_start("shift=0,sleep=off", "-incoming defer");
    qtest_qmp_assert_success(qts, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    qtest_qmp_eventwait(qts, "RESUME");
    for (unsigned i = 1; i < 8; i++) {
        g_assert_cmphex(qtest_inb(qts, PORT + i), ==,
                        (seen >> (8 * i)) & 0xff);
    }
    check_looks(qts);
    g_assert_cmpuint(qtest_inb(qts, PORT) |
                     qtest_inb(qts, PORT + 1) << 8, >=, seen & 0xffff);
    qtest_quit(qts);
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_data_func("femu-zns/insns/count/ns", "shift=0,sleep=off",
                        test_count);
    qtest_add_data_func("femu-zns/insns/count/slow", "shift=3,sleep=off",
                        test_count);
    qtest_add_data_func("femu-zns/insns/count/waits", "shift=0,sleep=on",
                        test_count);
    qtest_add_func("femu-zns/insns/ports", test_ports);
    qtest_add_func("femu-zns/insns/refused", test_refused);
    qtest_add_func("femu-zns/insns/move", test_move);
    return g_test_run();
}
