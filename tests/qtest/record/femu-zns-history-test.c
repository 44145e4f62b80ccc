/*
 * Histories that are not what was recorded: what the next QEMU says of them, to
 * the letter what it said when tests/data/corpus/histories.csv was written, and
 * what a drive is whose history is let in. One line after another is missing,
 * or there twice, or has a number that is one more or one less. And what else
 * there may be where a state should be.
 *
 * All in one QEMU, into which drives are plugged.
 *
 *   FEMU_CORPUS_OUT=dir     write what is said as dir/NAME, compare nothing;
 *                           "scripts/restate histories" does, and the sums
 *
 * Knows of a history that it has a record a line, and begins with parameters.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include <sys/resource.h>
#include "femu-zns-commands.h"
#include "femu-zns-sums.h"
#include "qobject/qnum.h"

#define MACHINE "-machine pc,pit=off -object memory-backend-ram,id=m,size=32M"
#define PATH "/machine/peripheral/zns4"

/* A folder with a state, and a machine into which its drive is plugged. */
typedef struct Bench {
    char *folder;
    char *device;           /* what is plugged in */
    char *kept;             /* as it was */
    gsize kept_bytes;
    FemuHost *host;
} Bench;

static char *file_of(const Bench *b, const char *name)
{
    return g_build_filename(b->folder, name, NULL);
}

/* --- A history with records of all kinds ---------------------------------- */

static void qom_set(FemuDrive *drive, const char *property, const char *value)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path': " "'" PATH "'"
                             ", 'property': %s, 'value': %s}}", property,
                             value);
}

static void deallocate(FemuDrive *drive, uint32_t slba, uint32_t nlb)
{
    NvmeCmd cmd = { .opcode = NVME_CMD_DSM, .nsid = cpu_to_le32(drive->nsid),
                    .cdw10 = 0, .cdw11 = cpu_to_le32(1 << 2) };

    qtest_writel(drive->host->qts, drive->buf + 4, nlb);
    qtest_writeq(drive->host->qts, drive->buf + 8, slba);
    femu_set_prps(drive, &cmd, drive->buf, 16);
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
}

/* Writes of all kinds; those of the conventional namespace leave a hole. */
static void use_data(FemuDrive *drive)
{
    uint64_t lba;

    femu_fill(drive, 0, 8);
    g_assert_cmphex(femu_append(drive, femu_zone_lba(drive, 1), 4, NULL, &lba),
                    ==, NVME_SUCCESS);
    g_assert_cmphex(femu_copy(drive, 0, 4, femu_zone_lba(drive, 2)), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_write(drive, 9, 1, NULL), !=, NVME_SUCCESS);
    drive->nsid = 2;
    g_assert_cmphex(femu_write(drive, 0, 16, NULL), ==, NVME_SUCCESS);
    deallocate(drive, 4, 4);
    drive->nsid = 1;
}

/* Commands of zones; a format, and what then is written. */
static void use_zones(FemuDrive *drive)
{
    femu_zone_send(drive, NVME_ZONE_ACTION_RESET, femu_zone_lba(drive, 1),
                   false);
    femu_zone_send(drive, NVME_ZONE_ACTION_OPEN, femu_zone_lba(drive, 3),
                   false);
    qom_set(drive, "zone-fail", "6 read-only");
    femu_fill(drive, 5, 4);
    qom_set(drive, "zone-fail", "5 offline");
    g_assert_cmphex(femu_admin(drive, NVME_ADM_CMD_FORMAT_NVM, 2, 0, 0,
                               0).status, ==, NVME_SUCCESS);
}

/* Commands that are inside when the controller is reset, and the power goes. */
static void use_inside(FemuDrive *drive)
{
    femu_submit_rw(drive, NVME_CMD_WRITE, 8, 4);
    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, 0, false);
    femu_disable(drive);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_submit_rw(drive, NVME_CMD_WRITE, femu_zone_lba(drive, 2) + 4, 4);
    femu_step(drive->host, 1000);
    qom_set(drive, "power-cut", "5");
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_submit_rw(drive, NVME_CMD_READ, 0, 4);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, femu_zone_lba(drive, 2),
                     false);
    femu_step(drive->host, 1000);
}

static FemuConfig own_config(void)
{
    FemuConfig config = femu_small_config();

    config.ssd.conventional_bytes = SSD_MIB;
    config.ssd.cmd_slots = 2;
    return config;
}

static Bench *bench_new(void)
{
    FemuConfig config = own_config();
    Bench *b = g_new0(Bench, 1);
    g_autofree char *extra = NULL;
    g_autofree char *path = NULL;
    FemuDrive *drive;

    b->folder = g_dir_make_tmp("femu-zns-history-XXXXXX", NULL);
    extra = g_strdup_printf("state=%s", b->folder);
    drive = femu_boot(&config, extra);
    use_data(drive);
    use_zones(drive);
    femu_shutdown(drive);
    drive = femu_boot(&config, extra);
    use_inside(drive);
    femu_shutdown(drive);
    b->device = femu_device_args(&config, FEMU_SLOT, extra);
    path = file_of(b, "kept");
    g_assert_true(g_file_get_contents(path, &b->kept, &b->kept_bytes, NULL));
    b->host = femu_host_start(MACHINE);
    return b;
}

static void delete_files(Bench *b)
{
    static const char *const names[] = { "history", "data", "kept",
                                         "sums" };

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *path = file_of(b, names[i]);

        g_unlink(path);
    }
}

static void bench_free(Bench *b)
{
    femu_host_stop(b->host);
    delete_files(b);
    g_assert_cmpint(g_rmdir(b->folder), ==, 0);
    g_free(b->folder);
    g_free(b->device);
    g_free(b->kept);
    g_free(b);
}

/* --- Plugging in ---------------------------------------------------------- */

/*
 * Without waiting for the disk. It is another file each time: a drive that has
 * been unplugged may keep its own open for a while.
 */
static void put_file(const Bench *b, const char *name, const char *bytes,
                     gsize count)
{
    g_autofree char *path = file_of(b, name);

    g_unlink(path);
    g_assert_true(g_file_set_contents_full(path, bytes, count,
                                           G_FILE_SET_CONTENTS_NONE, 0600,
                                           NULL));
}

static void say_qom(Bench *b, const char *property, GString *text)
{
    QDict *reply = qtest_qmp(b->host->qts, "{'execute': 'qom-get',"
                             " 'arguments': {'path': " "'" PATH "'"
                             ", 'property': %s}}", property);
    const char *value = qdict_get_str(reply, "return");
    const char *config = strstr(value, ",\"config\":{");

    g_string_append_len(text, value, config ? config - value : -1);
    g_string_append_c(text, '\n');
    qobject_unref(reply);
}

/*
 * The folder's name is another each time, and a line's number if there are more
 * parameters one day.
 */
static void append_message(GString *text, const Bench *b, const char *message)
{
    g_autoptr(GRegex) line = g_regex_new("history:[0-9]+", 0, 0, NULL);
    g_auto(GStrv) parts = g_strsplit(message, b->folder, -1);
    g_autofree char *joined = g_strjoinv("FOLDER", parts);
    g_autofree char *plain = g_regex_replace(line, joined, -1, 0, "history", 0,
                                             NULL);

    g_string_append_printf(text, "%s\n", plain);
}

/* Properties as QMP wants them. */
static QDict *properties(const char *device, const char *more)
{
    g_autofree char *all = g_strconcat(device, more, NULL);
    g_auto(GStrv) words = g_strsplit(all, ",", -1);
    QDict *dict = qdict_new();

    qdict_put_str(dict, "driver", words[0]);
    for (char **word = words + 1; *word; word++) {
        char *value = strchr(*word, '=');

        *value++ = 0;
        if (strspn(value, "0123456789") == strlen(value) && *value) {
            qdict_put_obj(dict, *word, QOBJECT(qnum_from_uint(
                g_ascii_strtoull(value, NULL, 10))));
        } else if (g_str_equal(value, "on") || g_str_equal(value, "off")) {
            qdict_put_bool(dict, *word, g_str_equal(value, "on"));
        } else {
            qdict_put_str(dict, *word, value);
        }
    }
    return dict;
}

/* Plug the drive in; say why not, or what it is, and unplug it. */
static void plug(Bench *b, const char *more, GString *text)
{
    QDict *reply = qtest_qmp(b->host->qts, "{'execute': 'device_add',"
                             " 'arguments': %p}",
                             properties(b->device + strlen("-device "), more));
    QDict *error = qdict_get_qdict(reply, "error");

    if (error) {
        append_message(text, b, qdict_get_str(error, "desc"));
    } else {
        g_string_append(text, "let in\n");
        say_qom(b, "zone-states", text);
        say_qom(b, "stats", text);
        qpci_unplug_acpi_device_test(b->host->qts, "zns4", FEMU_SLOT);
    }
    qobject_unref(reply);
}

/* With these lines as the history, and the rest as it was. */
static void plug_history(Bench *b, char **lines, GString *text)
{
    g_autofree char *history = g_strjoinv("\n", lines);

    g_autofree char *sums = file_of(b, "sums");

    put_file(b, "history", history, strlen(history));
    put_file(b, "kept", b->kept, b->kept_bytes);
    g_unlink(sums);             /* or they would tell before anything else */
    plug(b, "", text);
}

/* --- One line is otherwise ------------------------------------------------ */

typedef enum How { DROP, DOUBLE, HOWS } How;

static void try_line(Bench *b, char **lines, unsigned at, How how,
                     GString *text)
{
    g_autoptr(GPtrArray) made = g_ptr_array_new();

    for (unsigned i = 0; lines[i]; i++) {
        if (i != at || how != DROP) {
            g_ptr_array_add(made, lines[i]);
        }
        if (i == at && how == DOUBLE) {
            g_ptr_array_add(made, lines[i]);
        }
    }
    g_ptr_array_add(made, NULL);
    g_string_append_printf(text, "%s %u: ", lines[at], how);
    plug_history(b, (char **)made->pdata, text);
}

static void try_field(Bench *b, char **lines, unsigned at, char **fields,
                      unsigned number, int more, GString *text)
{
    g_autofree char *other = g_strdup_printf(
        "%" PRId64, g_ascii_strtoll(fields[number], NULL, 10) + more);
    g_autofree char *joined = NULL;
    char *was = fields[number], *line = lines[at];

    fields[number] = other;
    joined = g_strjoinv(",", fields);
    lines[at] = joined;
    g_string_append_printf(text, "%s: ", joined);
    plug_history(b, lines, text);
    fields[number] = was;
    lines[at] = line;
}

static void try_fields(Bench *b, char **lines, unsigned at, GString *text)
{
    g_auto(GStrv) fields = g_strsplit(lines[at], ",", -1);

    for (unsigned i = 2; fields[i]; i++) {
        if (g_ascii_isdigit(*fields[i])) {
            try_field(b, lines, at, fields, i, 1, text);
        }
        if (g_ascii_isdigit(*fields[i]) && *fields[i] != '0') {
            try_field(b, lines, at, fields, i, -1, text);
        }
    }
}

static void test_changed(void)
{
    Bench *b = bench_new();
    g_autofree char *path = file_of(b, "history");
    g_autofree char *history = NULL;
    g_auto(GStrv) lines = NULL;
    GString *text = g_string_new(NULL);

    g_assert_true(g_file_get_contents(path, &history, NULL, NULL));
    lines = g_strsplit(history, "\n", -1);
    plug_history(b, lines, text);
    for (unsigned i = 1; lines[i + 1]; i++) {
        if (*lines[i] == 'P') {
            continue;
        }
        for (How how = 0; how < HOWS; how++) {
            try_line(b, lines, i, how, text);
        }
        try_fields(b, lines, i, text);
    }
    femu_sum_compare("histories", "changed", text->str);
    g_string_free(text, TRUE);
    bench_free(b);
}

/* A command that says that it was done at 0, which nothing here is. */
static void test_done_early(void)
{
    Bench *b = bench_new();
    g_autofree char *path = file_of(b, "history");
    g_autofree char *history = NULL;
    g_auto(GStrv) lines = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    char **line;

    g_assert_true(g_file_get_contents(path, &history, NULL, NULL));
    lines = g_strsplit(history, "\n", -1);
    for (line = lines; !g_str_has_prefix(*line, "C,0,"); line++) {
        ;
    }
    g_free(*line);
    *line = g_strdup("C,0,0,0,0");
    plug_history(b, lines, text);
    g_assert_nonnull(strstr(text->str, "command 0 is not done at 0 ns here"));
    bench_free(b);
}

/* --- What else there may be ----------------------------------------------- */

static void assert_says(Bench *b, const char *more, const char *message)
{
    g_autoptr(GString) text = g_string_new(NULL);

    plug(b, more, text);
    g_test_message("%s", text->str);
    g_assert_nonnull(strstr(text->str, message));
}

/* The file that begins the state cannot be written, or not be there. */
static void assert_not_begun(Bench *b)
{
    g_autofree char *begun = file_of(b, "history.new");

    delete_files(b);
    g_assert_cmpint(symlink("/dev/full", begun), ==, 0);
    assert_says(b, "", "No space left on device");
    g_unlink(begun);
    g_assert_cmpint(g_mkdir(begun, 0700), ==, 0);
    assert_says(b, "", "Is a directory");
    g_assert_cmpint(g_rmdir(begun), ==, 0);
    assert_says(b, "", "let in");
}

static uint64_t mapped_bytes(Bench *b)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/statm",
                                            (int)qtest_pid(b->host->qts));
    g_autofree char *text = NULL;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return g_ascii_strtoull(text, NULL, 10) * getpagesize();
}

static void set_limit(Bench *b, int what, rlim_t most)
{
    int pid = qtest_pid(b->host->qts);
    struct rlimit limit;

    g_assert_cmpint(prlimit(pid, what, NULL, &limit), ==, 0);
    limit.rlim_cur = MIN(most, limit.rlim_max);
    g_assert_cmpint(prlimit(pid, what, &limit, NULL), ==, 0);
}

/* Files too large to be there or to be mapped, and folders in their place. */
static void test_too_large(void)
{
    Bench *b = bench_new();
    g_autofree char *data = file_of(b, "data");
    g_autofree char *kept = file_of(b, "kept");
    unsigned before = femu_open_files(b->host->qts);

    delete_files(b);
    set_limit(b, RLIMIT_FSIZE, 100);
    assert_says(b, "", "FOLDER/kept: cannot have ");
    set_limit(b, RLIMIT_FSIZE, SSD_MIB);
    assert_says(b, "", "FOLDER/data: cannot have 7340032 bytes");
    set_limit(b, RLIMIT_FSIZE, RLIM_INFINITY);
    set_limit(b, RLIMIT_AS, mapped_bytes(b) + 256 * SSD_MIB);
    assert_says(b, ",conventional-size=17179869184",
                "cannot map 17186160640 bytes of data");
    assert_says(b, ",zones=65536,zd-extension-size=16320",
                "its file 'kept' cannot be mapped");
    set_limit(b, RLIMIT_AS, RLIM_INFINITY);
    g_assert_cmpuint(femu_open_files(b->host->qts), ==, before);
    g_unlink(data);
    g_assert_cmpint(g_mkdir(data, 0700), ==, 0);
    assert_says(b, "", "FOLDER/data");
    g_assert_cmpint(g_rmdir(data), ==, 0);
    g_unlink(kept);
    g_assert_cmpint(g_mkdir(kept, 0700), ==, 0);
    assert_says(b, "", "FOLDER/kept");
    g_assert_cmpint(g_rmdir(kept), ==, 0);
    g_assert_cmpuint(femu_open_files(b->host->qts), ==, before);
    assert_says(b, "", "let in");
    bench_free(b);
}

/* QEMU has no descriptor left for the last file, the history to go on in. */
static void test_too_many(void)
{
    Bench *b = bench_new();
    unsigned before = femu_open_files(b->host->qts);

    /* One descriptor below `before` or another may be free. */
    for (unsigned more = 0; more < 3; more++) {
        set_limit(b, RLIMIT_NOFILE, before + more);
        assert_says(b, "", "Too many open files");
        g_assert_cmpuint(femu_open_files(b->host->qts), ==, before);
    }
    set_limit(b, RLIMIT_NOFILE, 1024);
    assert_says(b, "", "let in");
    bench_free(b);
}

static void test_others(void)
{
    Bench *b = bench_new();
    unsigned before = femu_open_files(b->host->qts);

    assert_says(b, ",memdev=m", "FOLDER and memdev= exclude each other");
    put_file(b, "kept", b->kept, b->kept_bytes - 1);
    assert_says(b, "", "it is damaged or of another drive");
    put_file(b, "kept", b->kept, b->kept_bytes);
    /* Files of other sizes, by parameters that the history has. */
    assert_says(b, ",zones=32", "is of a drive with zones=");
    assert_says(b, ",conventional-size=2097152",
                "is of a drive with conventional-size=1048576, this one has "
                "2097152");
    assert_says(b, ",zd-extension-size=128",
                "is of a drive with zd-extension-size=");
    for (unsigned at = 0; at < 16; at++) {      /* its word and its size */
        b->kept[at] ^= 1;
        put_file(b, "kept", b->kept, b->kept_bytes);
        assert_says(b, "", "'kept' does not begin with '");
        b->kept[at] ^= 1;
    }
    g_assert_cmpuint(femu_open_files(b->host->qts), ==, before);
    put_file(b, "kept", b->kept, b->kept_bytes);
    assert_says(b, "", "let in");
    assert_not_begun(b);
    bench_free(b);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN);       /* QEMU ignores it then, too */
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/history/changed", test_changed);
    qtest_add_func("femu-zns/history/done-early", test_done_early);
    qtest_add_func("femu-zns/history/others", test_others);
    qtest_add_func("femu-zns/history/too-large", test_too_large);
    qtest_add_func("femu-zns/history/too-many", test_too_many);
    return g_test_run();
}
