/*
 * The machine of the femu-zns qtests: QEMU's command line, its clock, its
 * memory.
 *
 * Knows nothing of NVMe.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include "femu-zns-driver.h"
#include "libqos/malloc-pc.h"
#include "libqos/pci-pc.h"
#include "qobject/qdict.h"

#define BIOS_BYTES (64 * 1024)

FemuConfig femu_small_config(void)
{
    FemuConfig config = {
#define DEFAULT(type, field, name, value, ...) .ssd.field = (value),
        SSD_PARAMS(DEFAULT)
#undef DEFAULT
        .time_dilation = 1,
    };

    config.ssd.zones = 8;
    config.ssd.zone_size_bytes = SSD_MIB;
    config.ssd.zone_capacity_bytes = 768 * SSD_KIB;
    config.ssd.max_open = 3;
    config.ssd.max_active = 4;
    config.ssd.pages_per_block = 4;
    return config;
}

uint64_t femu_zone_nlb(const FemuConfig *config)
{
    return config->ssd.zone_size_bytes / config->ssd.lba_bytes;
}

uint64_t femu_cap_nlb(const FemuConfig *config)
{
    return config->ssd.zone_capacity_bytes / config->ssd.lba_bytes;
}

/* The word of a choice: of "a, b, c" the one of this number. */
static void append_word(GString *args, const char *words, uint32_t value)
{
    g_auto(GStrv) word = g_strsplit(words, ", ", -1);

    g_assert_cmpuint(value, <, g_strv_length(word));
    g_string_append(args, word[value]);
}

char *femu_device_args(const FemuConfig *config, unsigned slot,
                       const char *extra)
{
    GString *args = g_string_new(NULL);

    g_string_append_printf(args, "-device femu-zns,id=zns%u,addr=%02x.0,"
                           "serial=qtest-%u,time-dilation=%u", slot, slot,
                           slot, config->time_dilation);
#define FORMAT_U32(value, unit) \
    g_string_append_printf(args, "%" PRIu32, value)
#define FORMAT_U64(value, unit) \
    g_string_append_printf(args, "%" PRIu64, value)
#define FORMAT_SIZE(value, unit) FORMAT_U64(value, unit)
#define FORMAT_BOOL(value, unit) g_string_append(args, (value) ? "on" : "off")
#define FORMAT_ENUM(value, unit) append_word(args, unit, value)
#define APPEND(type, field, name, first, min, max, unit, help)  \
    g_string_append(args, "," name "=");                        \
    FORMAT_##type(config->ssd.field, unit);
    SSD_PARAMS(APPEND)
#undef APPEND
#undef FORMAT_U32
#undef FORMAT_U64
#undef FORMAT_SIZE
#undef FORMAT_BOOL
#undef FORMAT_ENUM
    if (extra) {
        g_string_append_printf(args, ",%s", extra);
    }
    return g_string_free(args, FALSE);
}

char *femu_bios_create(void)
{
    g_autofree char *zeroes = g_malloc0(BIOS_BYTES);
    char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-bios-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(write(fd, zeroes, BIOS_BYTES), ==, BIOS_BYTES);
    close(fd);
    return path;
}

char *femu_machine_args(const char *bios, const char *args)
{
    return g_strdup_printf("-machine q35,pit=off -m 64 -nodefaults "
                           "-global apic-common.vapic=off -bios %s %s",
                           bios, args);
}

static QTestState *qemu_start(const char *args)
{
    g_autofree char *bios = femu_bios_create();
    g_autofree char *all_args = femu_machine_args(bios, args);
    QTestState *qts = qtest_init(all_args);

    g_unlink(bios);                 /* QEMU keeps its own copy of a ROM */
    return qts;
}

FemuHost *femu_host_start(const char *args)
{
    FemuHost *host = g_new0(FemuHost, 1);

    host->qts = qemu_start(args);
    host->args = g_strdup(args);
    pc_alloc_init(&host->alloc, host->qts, ALLOC_NO_FLAGS);
    host->bus = qpci_new_pc(host->qts, &host->alloc);
    host->now_ns = qtest_clock_set(host->qts, 0);
    g_assert_cmpuint(host->now_ns, ==, 0);
    return host;
}

void femu_host_stop(FemuHost *host)
{
    qpci_free_pc(host->bus);
    alloc_destroy(&host->alloc);
    qtest_quit(host->qts);
    g_free(host->args);
    g_free(host);
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

void femu_host_save(FemuHost *host, const char *path)
{
    g_autofree char *uri = g_strdup_printf("file:%s", path);

    qtest_qmp_assert_success(host->qts, "{ 'execute': 'migrate',"
                             " 'arguments': { 'uri': %s } }", uri);
    wait_until_saved(host->qts);
}

/* The new QEMU's clock has to be set: it is the test's, no migration moves it. */
void femu_host_load(FemuHost *host, const char *path)
{
    g_autofree char *args = g_strdup_printf("%s -incoming defer", host->args);
    g_autofree char *uri = g_strdup_printf("file:%s", path);

    wait_until_saved(host->qts);
    qtest_quit(host->qts);
    host->qts = qemu_start(args);
    host->bus->qts = host->qts;
    qtest_clock_set(host->qts, host->now_ns);
    qtest_qmp_assert_success(host->qts, "{ 'execute': 'migrate-incoming',"
                             " 'arguments': { 'uri': %s } }", uri);
    qtest_qmp_eventwait(host->qts, "RESUME");
}

void femu_host_move(FemuHost *host)
{
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("femu-zns-moved-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    femu_host_save(host, path);
    femu_host_load(host, path);
    g_unlink(path);
}

void femu_step(FemuHost *host, uint64_t ns)
{
    femu_step_to(host, host->now_ns + ns);
}

void femu_step_to(FemuHost *host, uint64_t at_ns)
{
    g_assert_cmpuint(at_ns, >=, host->now_ns);
    if (at_ns > host->now_ns) {
        host->now_ns = qtest_clock_set(host->qts, at_ns);
        g_assert_cmpuint(host->now_ns, ==, at_ns);
    }
}

void femu_step_next(FemuHost *host)
{
    uint64_t next_at_ns = qtest_clock_step_next(host->qts);

    g_assert_cmpuint(next_at_ns, >, host->now_ns);
    host->now_ns = next_at_ns;
}

uint64_t femu_alloc(FemuHost *host, size_t bytes)
{
    uint64_t addr = guest_alloc(&host->alloc, bytes);

    qtest_memset(host->qts, addr, 0, bytes);
    return addr;
}

unsigned femu_open_files(QTestState *qts)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/fd",
                                            (int)qtest_pid(qts));
    GDir *dir = g_dir_open(path, 0, NULL);
    unsigned count = 0;

    while (g_dir_read_name(dir)) {
        count++;
    }
    g_dir_close(dir);
    return count;
}
