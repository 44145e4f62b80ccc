/*
 * -device femu-stop: a port, the machine that stops by it, and a processor that
 * does nothing else until it goes on.
 *
 * The processor executes a few bytes of its own, under TCG; QEMU's accelerator
 * for tests has none. A QEMU without TCG, as the sanitised one is, leaves that
 * test out.
 *
 * Knows nothing of drives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-driver.h"
#include "qobject/qdict.h"

#define PORT 0xea
#define OTHER_PORT 0x2000
#define BIOS_BYTES (64 * 1024)
#define RESET_VECTOR (BIOS_BYTES - 16)
#define STOPS 20
#define BEFORE 0x1000           /* what the program counts before it stops, */
#define AFTER 0x1004            /* and behind */

static bool is_running(QTestState *qts)
{
    QDict *reply = qtest_qmp_assert_success_ref(qts,
                                                "{'execute': 'query-status'}");
    bool runs = qdict_get_bool(reply, "running");

    qobject_unref(reply);
    return runs;
}

/* A write of a byte stops the machine, and nothing else does. */
static void check_port(QTestState *qts, uint16_t port)
{
    for (unsigned i = 0; i < 3; i++) {
        g_assert_cmphex(qtest_inb(qts, port), ==, 0);
        qtest_outb(qts, port - 1, 1);
        qtest_outb(qts, port + 1, 1);
        qtest_outw(qts, port + 1, 1);
        g_assert_true(is_running(qts));
        g_assert_cmphex(qtest_inb(qts, port + 1), ==, 0xff);
        qtest_outb(qts, port, i);
        qtest_qmp_eventwait(qts, "STOP");
        g_assert_false(is_running(qts));
        qtest_qmp_assert_success(qts, "{'execute': 'cont'}");
        g_assert_true(is_running(qts));
    }
}

/* It is in a QEMU with TCG, and in no other. */
static bool has_tcg(void)
{
    bool has = qtest_has_accel("tcg");

    g_assert_cmpint(qtest_has_device("femu-stop"), ==, has);
    if (!has) {
        g_test_skip("this QEMU has no TCG");
    }
    return has;
}

static void test_port(void)
{
    FemuHost *host;

    if (!has_tcg()) {
        return;
    }
    host = femu_host_start("-device femu-stop");
    check_port(host->qts, PORT);
    femu_host_stop(host);
    host = femu_host_start("-device femu-stop,iobase=0x2000");
    g_assert_cmphex(qtest_inb(host->qts, PORT), ==, 0xff);
    check_port(host->qts, OTHER_PORT);
    femu_host_stop(host);
}

/* A BIOS that counts, stops, counts, and does so again. */
static char *program_create(void)
{
    static const uint8_t program[] = {
        0x31, 0xc0,                         /* xor ax, ax */
        0x8e, 0xd8,                         /* mov ds, ax */
        0x66, 0xff, 0x06, 0x00, 0x10,       /* again: inc dword [0x1000] */
        0xe6, PORT,                         /* out PORT, al */
        0x66, 0xff, 0x06, 0x04, 0x10,       /* inc dword [0x1004] */
        0xeb, 0xf2,                         /* jmp again */
    };
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

/* Not one instruction is executed behind the write. */
static void test_processor(const void *data)
{
    const char *clock = data;
    g_autofree char *bios = NULL;
    g_autofree char *args = NULL;
    QTestState *qts;

    if (!has_tcg()) {
        return;
    }
    bios = program_create();
    args = g_strdup_printf("-accel tcg %s -machine q35 -m 64 -nodefaults "
                           "-device femu-stop -bios %s", clock, bios);
    qts = qtest_init(args);
    g_unlink(bios);
    for (unsigned i = 1; i <= STOPS; i++) {
        while (is_running(qts)) {
            ;
        }
        g_assert_cmpuint(qtest_readl(qts, BEFORE), ==, i);
        g_assert_cmpuint(qtest_readl(qts, AFTER), ==, i - 1);
        g_usleep(1000);
        g_assert_cmpuint(qtest_readl(qts, AFTER), ==, i - 1);
        qtest_qmp_assert_success(qts, "{'execute': 'cont'}");
    }
    qtest_quit(qts);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/stop/port", test_port);
    qtest_add_data_func("femu-zns/stop/processor/own-time", "",
                        test_processor);
    qtest_add_data_func("femu-zns/stop/processor/counted",
                        "-icount shift=0,sleep=off", test_processor);
    return g_test_run();
}
