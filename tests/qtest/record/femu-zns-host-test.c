/*
 * A state on a host that fails: its disk does not take what has to be on it,
 * or there are no more files to open. The drive is refused, or it stops, and
 * says why; nothing is left open.
 *
 * A system call fails by a filter of the kernel's (seccomp) that is there for
 * the rest of a process's life and of QEMU's, so each such test is a process.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "femu-zns-folder.h"

/* i440fx: a drive can be plugged and unplugged without a guest's help. */
#define HOTPLUG_MACHINE "-machine pc,pit=off "
#define SLOT 5u
#define FOLDER "FEMU_ZNS_HOST_TEST"    /* where a process's state is */
#define SYNC ",state-sync=on"
#define SUMS_HEAD_BYTES 4096u
#define KEPT_BYTES (64 + 64 * 64 + 2 * 40u) /* of a namespace, no extensions */
#define NOT_ON_DISK "does not get to the disk: Input/output error"

/* --- A disk that fails ---------------------------------------------------- */

static void filter(struct sock_filter *code, unsigned count)
{
    struct sock_fprog program = { count, code };

    g_assert_cmpint(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
    g_assert_cmpint(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), ==,
                    0);
}

/* From now on this system call fails where the argument is this. */
static void fail(unsigned number, unsigned argument, uint32_t value)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                 offsetof(struct seccomp_data, args) +
                 argument * sizeof(uint64_t) + 4 * HOST_BIG_ENDIAN),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    filter(code, ARRAY_SIZE(code));
}

/* The same, whatever its arguments are. */
static void fail_always(unsigned number)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    filter(code, ARRAY_SIZE(code));
}

/* Run this test's function again, in a process of its own. */
static void run_apart(void)
{
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
}

/* Any argument will do. */
#define ANY UINT_MAX

/* A new drive is refused in a process in which that fails. */
static void check_refused(unsigned number, unsigned argument, uint32_t value,
                          const char *message)
{
    FemuConfig config = femu_small_config();
    g_autofree char *rest = NULL;
    char *folder;

    if (!g_test_subprocess()) {
        run_apart();
        return;
    }
    folder = femu_folder_new();
    rest = femu_folder_file(folder, "history.new");
    if (argument == ANY) {
        fail_always(number);
    } else {
        fail(number, argument, value);
    }
    femu_folder_refused(&config, folder, SYNC, message);
    unlink(rest);
    femu_folder_delete(folder);
    exit(0);
}

/* The checksums' head, and the folder with its files' names. */
static void test_refused_sums(void)
{
    check_refused(SYS_msync, 1, SUMS_HEAD_BYTES, NOT_ON_DISK);
}

static void test_refused_folder(void)
{
    check_refused(SYS_openat, 2, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
                  NOT_ON_DISK);
}

static void test_refused_names(void)
{
    check_refused(SYS_fsync, ANY, 0, NOT_ON_DISK);
}

/* How large a new file is. */
static void test_refused_size(void)
{
    check_refused(SYS_fdatasync, ANY, 0, "cannot have 4240 bytes: Input/output");
}

/* The history of a state that goes on, by whoever asks for it now. */
static void test_refused_history(void)
{
    FemuConfig config = femu_small_config();
    char *folder;

    if (!g_test_subprocess()) {
        run_apart();
        return;
    }
    folder = femu_folder_new();
    femu_shutdown(femu_folder_boot(&config, folder));
    fail_always(SYS_fdatasync);
    femu_folder_refused(&config, folder, SYNC, "Input/output error");
    femu_shutdown(femu_folder_boot(&config, folder));
    femu_folder_delete(folder);
    exit(0);
}

/* Files that cannot be mapped: the only ones of their size, or the first. */
static void test_unmapped_kept(void)
{
    check_refused(SYS_mmap, 1, KEPT_BYTES, "'kept' cannot be mapped");
}

static void test_unmapped_sums(void)
{
    check_refused(SYS_mmap, 3, MAP_SHARED | MAP_NORESERVE,
                  "'sums' cannot be mapped");
}

static void test_unmapped_data(void)
{
    check_refused(SYS_mmap, 1, 8 * 768 * 1024, "cannot map 6291456 bytes");
}

static FemuDrive *boot(const FemuConfig *config, const char *folder)
{
    g_autofree char *extra = g_strdup_printf("state=%s" SYNC, folder);

    return femu_boot(config, extra);
}

/*
 * What counts is not on the disk: no command is told of, and QEMU ends. The
 * drive is as one that was killed.
 */
static void test_stops(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    FemuHost *host;
    char *folder;

    if (!g_test_subprocess()) {
        run_apart();
        return;
    }
    folder = femu_folder_new();
    fail(SYS_msync, 1, KEPT_BYTES);
    drive = boot(&config, folder);
    host = drive->host;
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, false);
    femu_drive_close(drive);
    qtest_set_expected_status(host->qts, 1);
    qtest_wait_qemu(host->qts);
    femu_host_stop(host);
    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 2, 1);
    femu_shutdown(drive);
    femu_folder_delete(folder);
    exit(0);
}

/* Data that the disk does not take: QEMU ends at once. */
static void test_data(void)
{
    enum { NLB = 5 };
    FemuConfig config = femu_small_config();
    FemuDrive *drive;
    char *folder;

    if (g_test_subprocess()) {
        fail(SYS_pwrite64, 2, NLB * config.ssd.lba_bytes);
        drive = boot(&config, g_getenv(FOLDER));
        femu_write_pattern(drive, 0, 4, 1);
        femu_submit_rw(drive, NVME_CMD_WRITE, 4, NLB); /* libqtest aborts */
        exit(0);
    }
    folder = femu_folder_new();
    g_setenv(FOLDER, folder, true);
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*femu-zns: data cannot be written: "
                              "Input/output error*exit status 1 *");
    drive = femu_folder_boot(&config, folder);
    femu_assert_power(drive, 2, 1);
    femu_assert_pattern(drive, 0, 4, 1);
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_CLOSED, 4);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

/* The last byte of what is kept is another one. */
static void change_kept(const char *folder)
{
    g_autofree char *kept = femu_folder_file(folder, "kept");
    int fd = open(kept, O_WRONLY | O_CLOEXEC);

    g_assert_cmpint(pwrite(fd, "x", 1, KEPT_BYTES - 1), ==, 1);
    close(fd);
}

/* Nor has what is kept a checksum then, by which another could be refused. */
static void test_ends(void)
{
    FemuConfig config = femu_small_config();
    char *folder;

    if (!g_test_subprocess()) {
        run_apart();
        return;
    }
    folder = femu_folder_new();
    fail(SYS_msync, 1, KEPT_BYTES);
    femu_shutdown(boot(&config, folder));
    change_kept(folder);
    femu_shutdown(femu_folder_boot(&config, folder));
    femu_folder_delete(folder);
    exit(0);
}

/* --- No more files -------------------------------------------------------- */

/* The limit of numbers of files that lets a process open so many more. */
static rlim_t limit_of(pid_t pid, unsigned more)
{
    for (rlim_t number = 0; ; number++) {
        g_autofree char *path = g_strdup_printf("/proc/%d/fd/%u", (int)pid,
                                                (unsigned)number);

        if (access(path, F_OK) != 0 && more-- == 0) {
            return number;
        }
    }
}

/* QEMU frees what a drive has open some time after it says that it is gone. */
static void await_files(FemuHost *host, unsigned count)
{
    for (unsigned i = 0; femu_open_files(host->qts) != count; i++) {
        g_assert_cmpuint(i, <, 10000);
        g_usleep(1000);
    }
}

/* Plug in a drive. Return: what QEMU says against it, or NULL. */
static char *plug(FemuHost *host, const char *folder)
{
    QDict *reply = qtest_qmp(host->qts, "{'execute': 'device_add',"
                             "'arguments': {'driver': 'femu-zns',"
                             "'id': 'hot', 'addr': '05.0', 'zones': 8,"
                             "'zone-size': 1048576, 'zone-capacity': 786432,"
                             "'pages-per-block': 4, 'state': %s,"
                             "'state-sync': true}}", folder);
    QDict *error = qdict_get_qdict(reply, "error");
    char *text = error ? g_strdup(qdict_get_str(error, "desc")) : NULL;

    qobject_unref(reply);
    return text;
}

/*
 * Plug a drive in where so many files can be opened, from none on, until it is
 * there. Return: how many it needs. Before that it has none.
 */
static unsigned files_needed(FemuHost *host, const char *folder)
{
    pid_t pid = qtest_pid(host->qts);
    struct rlimit before;

    g_assert_cmpint(prlimit(pid, RLIMIT_NOFILE, NULL, &before), ==, 0);
    for (unsigned more = 0; ; more++) {
        unsigned count = femu_open_files(host->qts);
        struct rlimit limit = { limit_of(pid, more), before.rlim_max };
        g_autofree char *error = NULL;

        g_assert_cmpint(prlimit(pid, RLIMIT_NOFILE, &limit, NULL), ==, 0);
        error = plug(host, folder);
        g_assert_cmpint(prlimit(pid, RLIMIT_NOFILE, &before, NULL), ==, 0);
        if (!error) {
            return more;
        }
        g_test_message("%u files: %s", more, error);
        g_assert_nonnull(strstr(error, folder));
        g_assert_nonnull(strstr(error, "Too many open files"));
        g_assert_null(strstr(error, "damaged"));
        await_files(host, count);
    }
}

/* A new state, and one that goes on. */
static void test_no_files(void)
{
    FemuConfig config = femu_small_config();
    char *folder = femu_folder_new();
    FemuHost *host = femu_host_start(HOTPLUG_MACHINE);
    unsigned count = femu_open_files(host->qts);
    FemuDrive *drive;

    g_assert_cmpuint(files_needed(host, folder), ==, 5);
    qpci_unplug_acpi_device_test(host->qts, "hot", SLOT);
    await_files(host, count);
    g_assert_cmpuint(files_needed(host, folder), ==, 6);
    drive = femu_drive_open(host, SLOT, &config);
    femu_enable(drive);
    femu_io_queues_create(drive);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
    femu_folder_delete(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/host/" name, test)
    ADD("refused-sums", test_refused_sums);
    ADD("refused-folder", test_refused_folder);
    ADD("refused-names", test_refused_names);
    ADD("refused-size", test_refused_size);
    ADD("refused-history", test_refused_history);
    ADD("unmapped-kept", test_unmapped_kept);
    ADD("unmapped-sums", test_unmapped_sums);
    ADD("unmapped-data", test_unmapped_data);
    ADD("stops", test_stops);
    ADD("data", test_data);
    ADD("ends", test_ends);
    ADD("no-files", test_no_files);
#undef ADD
    return g_test_run();
}
