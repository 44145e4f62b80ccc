/*
 * A state that cannot go on: the host's disk is full, its files are not those
 * of the drive, or another drive has them.
 *
 * Knows of the form of its files what makes them wrong.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include "femu-zns-folder.h"

#define CC_READY 0x00460061u    /* 16 and 64 byte entries, all sets, enable */
#define CC_SHN_NORMAL (1u << 14)

/* --- A host without room -------------------------------------------------- */

/*
 * From now on QEMU can write `more` bytes to the history, and then none, as if
 * the disk were full. It ignores SIGXFSZ, as its parent does.
 */
static void limit_history(FemuHost *host, const char *folder, uint64_t more)
{
    g_autofree char *history = femu_folder_file(folder, "history");
    struct rlimit limit;
    GStatBuf st;

    g_assert_cmpint(g_stat(history, &st), ==, 0);
    limit.rlim_cur = limit.rlim_max = st.st_size + more;
    g_assert_cmpint(prlimit(qtest_pid(host->qts), RLIMIT_FSIZE, &limit, NULL),
                    ==, 0);
}

static FemuDrive *boot_full(const FemuConfig *config, const char *folder,
                            const char *more_args)
{
    g_autofree char *extra = g_strdup_printf("state=%s", folder);
    g_autofree char *device = femu_device_args(config, FEMU_SLOT, extra);
    g_autofree char *args = g_strconcat(more_args, device, NULL);
    FemuDrive *drive;

    signal(SIGXFSZ, SIG_IGN);
    drive = femu_drive_open(femu_host_start(args), FEMU_SLOT, config);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_write_pattern(drive, 0, 4, 1);
    limit_history(drive->host, folder, 10);
    return drive;
}

static void assert_goes_on(const FemuConfig *config, char *folder,
                           unsigned cuts)
{
    FemuDrive *drive = femu_folder_boot(config, folder);

    femu_assert_power(drive, 2 + cuts, 1 + cuts);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 4);
    femu_assert_pattern(drive, 0, 4, 1);
    femu_assert_works(drive, 5);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* What cannot be recorded is not told; nothing is after it, nor after a cut. */
static void test_full_disk(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    char *said = femu_folder_new();     /* a folder for what QEMU says */
    g_autofree char *path = femu_folder_file(said, "said");
    g_autofree char *args = g_strdup_printf("-no-shutdown 2>%s ", path);
    g_autofree char *text = NULL;
    FemuDrive *drive = boot_full(&config, folder, args);
    FemuHost *host = drive->host;
    FemuCqe cqe;

    femu_submit_zone(drive, NVME_ZONE_ACTION_FINISH, 0, false);
    femu_step(host, UINT64_C(1000000000));
    g_assert_false(femu_peek(&drive->io_cq, &cqe));
    g_assert_true(femu_reg(drive, NVME_REG_CSTS) & NVME_CSTS_FAILED);
    femu_set_reg(drive, NVME_REG_CC, 0);
    femu_set_reg(drive, NVME_REG_CC, CC_READY);
    g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_FAILED);
    qtest_qmp_assert_success(host->qts, "{'execute': 'qom-set', 'arguments':"
                             "{'path': '/machine/peripheral/zns4',"
                             "'property': 'power-cut', 'value': '1'}}");
    femu_drive_close(drive);
    qtest_set_expected_status(host->qts, 1);
    femu_host_stop(host);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_nonnull(strstr(text, "the drive stops, and its state is as it "
                            "was: make room, and start it again"));
    /* It had another name before it was whole. */
    g_assert_nonnull(strstr(text, "/history': "));
    g_unlink(path);
    femu_folder_delete(said);
    assert_goes_on(&config, folder, 1);
}

/* A zone goes offline, which is not recorded: its data are there. */
static void test_full_disk_offline(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive;
    FemuHost *host;

    signal(SIGXFSZ, SIG_IGN);
    drive = femu_folder_boot(&config, folder);
    host = drive->host;
    femu_write_pattern(drive, 0, 4, 1);
    qtest_qmp_assert_success(host->qts, "{'execute': 'qom-set', 'arguments':"
                             "{'path': '/machine/peripheral/zns4',"
                             "'property': 'zone-fail',"
                             "'value': '0 read-only'}}");
    femu_zone(drive, 0);                        /* that is recorded */
    limit_history(host, folder, 10);
    femu_submit_zone(drive, NVME_ZONE_ACTION_OFFLINE, 0, false);
    femu_drive_close(drive);
    qtest_set_expected_status(host->qts, 1);
    qtest_wait_qemu(host->qts);
    femu_host_stop(host);
    drive = femu_folder_boot(&config, folder);
    g_assert_cmphex(femu_zone(drive, 0).zs >> 4, ==,
                    NVME_ZONE_STATE_READ_ONLY);
    femu_assert_pattern(drive, 0, 4, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* A shutdown that is not recorded has not been. */
static void test_full_disk_shutdown(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = boot_full(&config, folder, "-no-shutdown ");
    FemuHost *host = drive->host;

    femu_set_reg(drive, NVME_REG_CC, CC_READY | CC_SHN_NORMAL);
    femu_step(host, UINT64_C(1000000000));
    for (unsigned i = 0; i < 2; i++) {          /* nor is it tried again */
        g_assert_cmphex(femu_reg(drive, NVME_REG_CSTS), ==, NVME_CSTS_READY |
                        NVME_CSTS_SHST_PROGRESS | NVME_CSTS_FAILED);
        femu_set_reg(drive, NVME_REG_CC, CC_READY | CC_SHN_NORMAL);
    }
    femu_drive_close(drive);
    qtest_set_expected_status(host->qts, 1);
    femu_host_stop(host);
    assert_goes_on(&config, folder, 0);
}

/* QEMU ends of itself, and says by its status that something is wrong. */
static void test_full_disk_ends(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = boot_full(&config, folder, "");
    FemuHost *host = drive->host;

    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    qtest_set_expected_status(host->qts, 1);
    qtest_wait_qemu(host->qts);
    femu_drive_close(drive);
    femu_host_stop(host);
    assert_goes_on(&config, folder, 0);
}

/* QEMU ends, with a command inside that has no room: that is said, no loss. */
static void test_full_disk_end(void)
{
    static const char name[] = "FEMU_STATE_FOLDER";
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    char *folder;

    if (!g_test_subprocess()) {
        folder = femu_folder_new();
        g_setenv(name, folder, TRUE);
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_passed();
        g_test_trap_assert_stderr("*femu-zns: *File too large; what the guest "
                                  "has been told of is there*");
        assert_goes_on(&config, folder, 0);
        return;
    }
    drive = boot_full(&config, g_getenv(name), "");
    femu_submit_rw(drive, NVME_CMD_READ, 0, 4);
    femu_shutdown(drive);
}

/* Data of many parts, and zeroes behind them. */
static void test_parts(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);
    NvmeCmd zeroes = femu_cmd_rw(drive, NVME_CMD_WRITE_ZEROES, 41, 50, 0);

    femu_write_pattern(drive, 0, 41, 1);
    femu_submit(&drive->io, &zeroes);
    femu_step(drive->host, UINT64_C(1000000000));
    femu_expect_now(&drive->io_cq);
    femu_shutdown(drive);

    drive = femu_folder_boot(&config, folder);
    femu_assert_pattern(drive, 0, 41, 1);
    femu_assert_data(drive, 41, 50, NULL);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/*
 * Data that cannot be written end QEMU, once and for all, with this message: the
 * second of two writes, of which `left_bytes` can be.
 */
static void check_full_data(const char *message, uint64_t left_bytes)
{
    static const char name[] = "FEMU_STATE_FOLDER";
    FemuConfig config = femu_small_config();
    uint64_t at_bytes = femu_cap_nlb(&config) * config.ssd.lba_bytes;
    const struct rlimit limit = {
        at_bytes + left_bytes, at_bytes + left_bytes
    };
    g_autofree char *all = g_strdup_printf(
        "*femu-zns: data cannot be written: %s*exit status 1 (expected 0)*",
        message);
    char *folder;
    FemuDrive *drive;

    if (!g_test_subprocess()) {
        folder = femu_folder_new();
        g_setenv(name, folder, TRUE);
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_failed();
        g_test_trap_assert_stderr(all);
        femu_folder_delete(folder);
        return;
    }
    signal(SIGXFSZ, SIG_IGN);
    drive = femu_folder_boot(&config, g_getenv(name));
    femu_write_pattern(drive, 0, 4, 1);
    g_assert_cmpint(prlimit(qtest_pid(drive->host->qts), RLIMIT_FSIZE, &limit,
                            NULL), ==, 0);
    femu_write_pattern(drive, femu_zone_nlb(&config), 4, 1);
    exit(0);
}

static void test_full_data(void)
{
    check_full_data("File too large", 0);
}

/* None of it is anywhere else. */
static void test_full_data_in_part(void)
{
    check_full_data("No space left on device", SSD_KIB);
}

/* The first byte of the state's file `name` for which the host has no room. */
static uint64_t room_end(const char *folder, const char *name)
{
    g_autofree char *path = femu_folder_file(folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t end = lseek(fd, 0, SEEK_HOLE);

    g_assert_cmpint(end, >=, 0);
    close(fd);
    return end;
}

/* A hole of a file that is mapped: a store to it, without room, is a SIGBUS. */
static void make_hole(const char *folder, const char *name, uint64_t start,
                      uint64_t bytes)
{
    g_autofree char *path = femu_folder_file(folder, name);
    int fd = open(path, O_RDWR | O_CLOEXEC);

    g_assert_cmpint(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                              start, bytes), ==, 0);
    close(fd);
}

/* What is mapped and written has its room from the start on, in a copy, too. */
static void test_room(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *kept = femu_folder_file(folder, "kept");
    FemuDrive *drive;
    GStatBuf st;

    config.ssd.zone_ext_bytes = 4096;
    femu_shutdown(femu_folder_boot(&config, folder));
    g_assert_cmpint(g_stat(kept, &st), ==, 0);
    g_assert_cmpuint(room_end(folder, "kept"), ==, st.st_size);
    g_assert_cmpuint(room_end(folder, "sums"), >=, 4096);
    make_hole(folder, "kept", 4096, ROUND_DOWN(st.st_size, 4096) - 4096);
    g_assert_cmpuint(room_end(folder, "kept"), ==, 4096);
    drive = femu_folder_boot(&config, folder);
    g_assert_cmpuint(room_end(folder, "kept"), ==, st.st_size);
    femu_assert_power(drive, 2, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* Take all the room that the folder's file system has. */
static void fill(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "filler", NULL);
    static const uint8_t page[4096];
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    while (write(fd, page, sizeof(page)) == sizeof(page)) {
        ;
    }
    g_assert_cmpint(errno, ==, ENOSPC);
    close(fd);
}

/*
 * A file system in memory, where even to look at a hole takes room: QEMU says
 * that there is none, when it begins and when a guest writes.
 */
static void test_full_memory(void)
{
    static const char name[] = "FEMU_STATE_FOLDER";
    FemuConfig config = femu_small_config();
    g_autofree char *state = NULL;
    g_autofree char *filler = NULL;
    FemuDrive *drive;
    char *top;

    if (g_test_subprocess()) {
        state = g_build_filename(g_getenv(name), "state", NULL);
        drive = femu_folder_boot(&config, state);
        fill(g_getenv(name));
        femu_write_pattern(drive, 0, 1, 1);
        exit(0);
    }
    top = femu_folder_new();
    state = g_build_filename(top, "state", NULL);
    filler = g_build_filename(top, "filler", NULL);
    g_setenv(name, top, TRUE);
    if (mount("femu", top, "tmpfs", 0, "size=1m") != 0) {
        g_test_skip("needs the right to mount");
        femu_folder_delete(top);
        return;
    }
    fill(top);
    femu_folder_refused(&config, state, "", "there is no room for its file "
                        "'kept'");
    g_unlink(filler);
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*femu-zns: checksums cannot be written: No "
                              "space left on device*exit status 1*");
    g_assert_cmpint(umount(top), ==, 0);
    femu_folder_delete(top);
}

/* --- Refused -------------------------------------------------------------- */

typedef struct Refusal {
    const char *file;       /* of the state, that is changed: */
    const char *cut_from;   /* its end from here on, ... */
    const char *put;        /* ... and what comes there */
    const char *extra;
    const char *message;
} Refusal;

/* It is refused, and stays as it is. */
static void assert_refused_whole(const FemuConfig *config, const char *folder,
                                 const char *extra, const char *message)
{
    char *before = femu_folder_copy(folder);

    femu_folder_refused(config, folder, extra, message);
    for (unsigned i = 0; i < FEMU_FOLDER_FILES; i++) {
        const char *name = femu_folder_name(i);
        g_autofree char *was_path = femu_folder_file(before, name);
        g_autofree char *is_path = femu_folder_file(folder, name);
        g_autofree char *was = NULL, *is = NULL;
        gsize was_bytes, is_bytes;

        g_assert_true(g_file_get_contents(was_path, &was, &was_bytes, NULL));
        g_assert_true(g_file_get_contents(is_path, &is, &is_bytes, NULL));
        g_assert_cmpmem(is, is_bytes, was, was_bytes);
    }
    femu_folder_delete(before);
}

static void change_file(const char *path, const Refusal *row)
{
    g_autofree char *bytes = NULL;
    g_autofree char *changed = NULL;
    gsize count, at = 0, put = strlen(row->put);
    char *found;

    g_assert_true(g_file_get_contents(path, &bytes, &count, NULL));
    if (*row->cut_from) {
        found = memmem(bytes, count, row->cut_from, strlen(row->cut_from));
        g_assert_nonnull(found);
        at = found - bytes;
    }
    changed = g_memdup2(bytes, at + put + 1);
    memcpy(changed + at, row->put, put);
    g_assert_true(g_file_set_contents(path, changed, at + put, NULL));
}

static void test_refused(void)
{
    static const Refusal rows[] = {
        { "history", "", "hello\n", "", "not a trace" },
        { "history", "", "", "", "not a trace" },
        { "history", "P,zones", "P,zones,twelve\n", "", "twelve" },
        { "history", "P,zones", "P,zones,9\n", "",
          "is of a drive with zones=9, this one has 8" },
        { "history", "P,seed", "", "", "is of a drive with" },
        { "history", "S,0", "S,0,1\nS,1\n", "", "has 9 fields" },
        { "history", "S,0", "S,0,0,write,1,0,4,0,444\n", "",
          "has status 0x1bc there, 0x0 here" },
        { "history", "S,0", "S,0,0,write,1,0,4,0,0\nC,0,7,0,0\n", "",
          "is not done at 7 ns here" },
        { "history", "S,0", "S,0,0,write,1,0,4,0,0\nX,0\nX,0\n", "",
          "done with twice" },
        { "history", "S,0", "F,0,1,1,13\nF,0,1,1,13\n", "", "fails twice" },
        { "history", "S,0", "N,0,1,77\n", "", "cannot be formatted to 77" },
        { "history", "S,0", "N,0,4294967295,512\n", "",
          "namespace 4294967295 cannot be formatted" },
        { "history", "S,0", "S,0,0,write,1,0,4,0,0\nN,0,1,512\n", "",
          "namespace 1 cannot be formatted to 512 bytes then" },
        { "data", "", "short", "", "has 5 bytes; this drive's has" },
        { "kept", "", "short", "", "has 5 bytes; this drive's has" },
        { NULL, NULL, NULL, ",program-ns=1234", "program-ns=" },
    };
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuDrive *drive = femu_folder_boot(&config, folder);

    g_assert_cmphex(femu_write(drive, 0, 4, NULL), ==, NVME_SUCCESS);
    femu_shutdown(drive);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        const Refusal *row = &rows[i];
        char *copy = femu_folder_copy(folder);

        if (row->file) {
            g_autofree char *path = femu_folder_file(copy, row->file);

            change_file(path, row);
        }
        /* With checksums that have not begun, what the rest says must do. */
        if (g_strcmp0(row->file, "history") == 0) {
            g_autofree char *sums = femu_folder_file(copy, "sums");
            GStatBuf st;

            g_assert_cmpint(g_stat(sums, &st), ==, 0);
            g_assert_cmpint(truncate(sums, 0), ==, 0);
            g_assert_cmpint(truncate(sums, st.st_size), ==, 0);
        }
        assert_refused_whole(&config, copy, row->extra, row->message);
        femu_folder_delete(copy);
    }
    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 2, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/*
 * A history that cannot be cut to its last whole line, here because it is a
 * file in memory that must not shrink.
 */
static void test_refused_history(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *history = femu_folder_file(folder, "history");
    g_autofree char *target = NULL;
    g_autofree char *text = NULL;
    int fd = memfd_create("history", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    gsize bytes;

    femu_shutdown(femu_folder_boot(&config, folder));
    g_assert_true(g_file_get_contents(history, &text, &bytes, NULL));
    g_assert_cmpint(write(fd, text, bytes), ==, bytes);
    g_assert_cmpint(write(fd, "S,", 2), ==, 2);
    g_assert_cmpint(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), ==, 0);
    target = g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), fd);
    g_unlink(history);
    g_assert_cmpint(symlink(target, history), ==, 0);
    femu_folder_refused(&config, folder, "", "cannot go on with trace");
    close(fd);
    femu_folder_delete(folder);
}

/* A lock of its first byte alone is one that another program has. */
static void test_locked(void)
{
    FemuConfig config = femu_small_config();
    struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
    char *folder = femu_folder_new();
    g_autofree char *kept = femu_folder_file(folder, "kept");
    int fd;

    femu_shutdown(femu_folder_boot(&config, folder));
    fd = open(kept, O_RDWR | O_CLOEXEC);
    g_assert_cmpint(fcntl(fd, F_OFD_SETLK, &lock), ==, 0);
    femu_folder_refused(&config, folder, "", "another drive is using it");
    close(fd);
    femu_shutdown(femu_folder_boot(&config, folder));
    femu_folder_delete(folder);
}

static void test_refused_folders(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    g_autofree char *other = femu_folder_file(folder, "other");
    FemuDrive *drive;

    g_assert_true(g_file_set_contents(other, "1", 1, NULL));
    femu_folder_refused(&config, folder, "", "it is not the state of a drive");
    femu_folder_refused(&config, other, "", "cannot be created");
    g_unlink(other);
    drive = femu_folder_boot(&config, folder);
    assert_refused_whole(&config, folder, "", "another drive is using it");
    femu_shutdown(drive);
    femu_folder_refused(&config, folder, ",memdev=m", "m");
    femu_folder_delete(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/state/" name, test)
    ADD("full-disk", test_full_disk);
    ADD("full-disk-end", test_full_disk_end);
    ADD("full-disk-ends", test_full_disk_ends);
    ADD("full-disk-offline", test_full_disk_offline);
    ADD("full-disk-shutdown", test_full_disk_shutdown);
    ADD("refused", test_refused);
    ADD("refused-history", test_refused_history);
    ADD("refused-folders", test_refused_folders);
    ADD("locked", test_locked);
    ADD("parts", test_parts);
    ADD("full-data", test_full_data);
    ADD("full-data-in-part", test_full_data_in_part);
    ADD("full-memory", test_full_memory);
    ADD("room", test_room);
#undef ADD
    return g_test_run();
}
