/*
 * A state: the folder in which a drive lasts from one QEMU to the next.
 *
 *   history   a trace of the drive since it was made; the next QEMU replays it
 *             and goes on at its end. A folder is a state once it has this file
 *   data      the bytes of all namespaces, sparse
 *   kept      counters, error log, descriptor extensions: FemuKept
 *
 * Without a state (state= is not given), FemuKept is in memory and ends with
 * QEMU.
 *
 * Knows nothing of what the history says, or of where data lie.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "record.h"

/* The path of a file of the state. Caller frees. */
char *femu_state_file(const FemuZns *n, const char *name)
{
    return g_build_filename(n->state_path, name, NULL);
}

bool femu_has_state(const FemuZns *n)
{
    return n->state_path && *n->state_path;
}

bool femu_state_is_new(const FemuZns *n)
{
    g_autofree char *history = femu_state_file(n, FEMU_HISTORY);

    return !g_file_test(history, G_FILE_TEST_EXISTS);
}

/*
 * Does the folder have files other than those that femu-zns leaves there if it
 * ends before the state has begun?
 */
static bool is_others(const FemuZns *n)
{
    GDir *dir = g_dir_open(n->state_path, 0, NULL);
    bool others = false;
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        others |= !g_str_equal(name, "data") && !g_str_equal(name, "kept") &&
                  !g_str_equal(name, "history.new");
    }
    if (dir) {
        g_dir_close(dir);
    }
    return others;
}

/* Create the folder if need be; refuse one that holds other files. */
static bool folder_open(FemuZns *n, Error **errp)
{
    if (n->memdev) {
        error_setg(errp, "state=%s and memdev= exclude each other: a state has "
                   "a file for the data of its own", n->state_path);
        return false;
    }
    if (g_mkdir_with_parents(n->state_path, 0777) != 0) {
        error_setg_errno(errp, errno, "state=%s: the folder cannot be created",
                         n->state_path);
        return false;
    }
    if (femu_state_is_new(n) && is_others(n)) {
        error_setg(errp, "state=%s: the folder is not empty and has no file '"
                   FEMU_HISTORY "': it is not the state of a drive; name a new "
                   "folder", n->state_path);
        return false;
    }
    return true;
}

/*
 * Open a file of the state. In a new state it is created with this size, else
 * it must have this size.
 * Return: a file descriptor, or -1.
 */
static int file_open(const FemuZns *n, const char *name, uint64_t bytes,
                     Error **errp)
{
    g_autofree char *path = femu_state_file(n, name);
    bool is_new = femu_state_is_new(n);
    int fd = is_new ? qemu_create(path, O_RDWR | O_TRUNC, 0666, errp)
                    : qemu_open(path, O_RDWR, errp);
    struct stat st;

    if (fd == -1) {
        return -1;
    }
    if (is_new && ftruncate(fd, bytes) != 0) {
        error_setg_errno(errp, errno, "%s: cannot have %" PRIu64 " bytes",
                         path, bytes);
        close(fd);
        return -1;
    }
    if (fstat(fd, &st) != 0 || (uint64_t)st.st_size != bytes) {
        error_setg(errp, "%s has %" PRIu64 " bytes; this drive's has %" PRIu64
                   ": it is damaged or of another drive; name a new folder",
                   path, (uint64_t)st.st_size, bytes);
        close(fd);
        return -1;
    }
    return fd;
}

/* Lock the state for this drive: the lock is on its file 'kept'. */
static bool folder_lock(FemuZns *n, int fd, Error **errp)
{
    if (qemu_lock_fd(fd, 0, 0, true) != 0) {
        error_setg(errp, "state=%s: another drive is using it", n->state_path);
        return false;
    }
    return true;
}

uint8_t *femu_kept_extensions(const FemuZns *n)
{
    return (uint8_t *)&n->kept->smart[n->params.namespaces + 1];
}

static bool kept_check(const FemuZns *n, Error **errp)
{
    if (memcmp(n->kept->magic, FEMU_KEPT_MAGIC, sizeof(n->kept->magic)) != 0 ||
        n->kept->bytes != ssd_kept_bytes(&n->params)) {
        error_setg(errp, "state=%s: its file 'kept' does not begin with '"
                   FEMU_KEPT_MAGIC "' and its size: it is damaged; name a new "
                   "folder", n->state_path);
        return false;
    }
    return true;
}

/*
 * A power cycle begins. If there was one before, and it did not end with a
 * shutdown, that is an unsafe shutdown.
 */
void femu_kept_begin(FemuZns *n)
{
    FemuKept *kept = n->kept;

    kept->unsafe_shutdowns += kept->power_cycles > 0 && !kept->shut_down;
    kept->power_cycles++;
    kept->shut_down = 0;
}

/*
 * Write the magic and the size that kept_check() looks for. In a new state this
 * is done before the history is there, so each complete state has them.
 */
static void kept_mark(FemuZns *n)
{
    memcpy(n->kept->magic, FEMU_KEPT_MAGIC, sizeof(n->kept->magic));
    n->kept->bytes = ssd_kept_bytes(&n->params);
}

static bool kept_map(FemuZns *n, Error **errp)
{
    void *kept;
    int fd;

    if (!folder_open(n, errp)) {
        return false;
    }
    fd = file_open(n, "kept", ssd_kept_bytes(&n->params), errp);
    if (fd == -1) {
        return false;
    }
    n->lock_fd = fd;
    if (!folder_lock(n, fd, errp)) {
        return false;
    }
    kept = mmap(NULL, ssd_kept_bytes(&n->params), PROT_READ | PROT_WRITE,
                MAP_SHARED, fd, 0);
    if (kept == MAP_FAILED) {
        error_setg_errno(errp, errno, "state=%s: its file 'kept' cannot be "
                         "mapped", n->state_path);
        return false;
    }
    n->kept = kept;
    if (femu_state_is_new(n)) {
        kept_mark(n);
    }
    return kept_check(n, errp);
}

/* Map n->kept from the state, or make a new one: in memory without a state. */
bool femu_kept_init(FemuZns *n, Error **errp)
{
    if (!femu_has_state(n)) {
        n->kept = g_malloc0(ssd_kept_bytes(&n->params));
    } else if (!kept_map(n, errp)) {
        return false;
    }
    return true;
}

/*
 * Called when the object is finalized, after its properties: femu_has_state()
 * must not be asked, and lock_fd tells whether there is a state.
 */
void femu_kept_exit(FemuZns *n)
{
    if (n->lock_fd == -1) {
        g_free(n->kept);
    } else {
        if (n->kept) {
            munmap(n->kept, ssd_kept_bytes(&n->params));
        }
        close(n->lock_fd);
    }
}

/*
 * Open the state's file for the data, in *fd; -1 without a state.
 * Return: false with *errp if the file cannot be opened.
 */
bool femu_state_data(FemuZns *n, uint64_t bytes, int *fd, Error **errp)
{
    *fd = -1;
    if (femu_has_state(n)) {
        *fd = file_open(n, "data", bytes, errp);
    }
    return !femu_has_state(n) || *fd != -1;
}
