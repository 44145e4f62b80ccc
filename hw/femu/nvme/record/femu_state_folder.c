/*
 * A state: the folder in which a drive lasts from one QEMU to the next.
 *
 *   history   a trace of the drive since it was made; the next QEMU replays it
 *             and goes on at its end. A folder is a state once it has this file
 *   data      the bytes of all namespaces, sparse
 *   kept      counters, error log, descriptor extensions: FemuKept
 *   sums      checksums of all these: SsdSums
 *
 * Without a state (state= is not given), FemuKept is in memory and ends with
 * QEMU.
 *
 * Knows nothing of what the history says behind its parameters, or of where data
 * lie.
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
                  !g_str_equal(name, "sums") &&
                  !g_str_equal(name, FEMU_HISTORY_BEGUN);
    }
    if (dir) {
        g_dir_close(dir);
    }
    return others;
}

/* What has the name of a file of the state is one: no FIFO, which may wait. */
static bool are_plain(const FemuZns *n, Error **errp)
{
    static const char *const names[] = {FEMU_HISTORY, "kept", "data", "sums"};

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *path = femu_state_file(n, names[i]);
        struct stat st;

        if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
            error_setg(errp, "state=%s: %s is no plain file; restore the "
                       "folder from a copy, or name a new one",
                       n->state_path, path);
            return false;
        }
    }
    return true;
}

/*
 * Was a drive in this folder, which has no history? The first power cycle is
 * counted when the history is there.
 */
static bool was_state(const FemuZns *n)
{
    g_autofree char *path = femu_state_file(n, "kept");
    FILE *file = fopen(path, "rb");
    FemuKept kept;
    bool counted = file && fread(&kept, sizeof(kept), 1, file) == 1 &&
                   memcmp(kept.magic, FEMU_KEPT_MAGIC,
                          sizeof(kept.magic)) == 0 &&
                   kept.power_cycles > 0;

    if (file) {
        fclose(file);
    }
    return counted;
}

/*
 * Create the folder if need be; refuse one that holds other files, and one
 * whose data are of a drive, which a new one would overwrite.
 */
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
    if (!are_plain(n, errp)) {
        return false;
    }
    if (femu_state_is_new(n) && is_others(n)) {
        error_setg(errp, "state=%s: the folder is not empty and has no file '"
                   FEMU_HISTORY "': it is not the state of a drive; name a new "
                   "folder", n->state_path);
        return false;
    }
    if (femu_state_is_new(n) && was_state(n)) {
        error_setg(errp, "state=%s: its file '" FEMU_HISTORY "' is gone, "
                   "without which its data are of no use; restore the folder "
                   "from a copy, or name a new one", n->state_path);
        return false;
    }
    return true;
}

/* --- Synchronised: what is told is on the host's disk --------------------- */

static bool sync_failed(const FemuZns *n, GError **error)
{
    g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno),
                "the state in '%s' does not get to the disk: %s",
                n->state_path, g_strerror(errno));
    return false;
}

/* Memory that a file of the state is mapped to. */
static bool map_sync(const FemuZns *n, void *at, uint64_t bytes,
                     GError **error)
{
    return !n->state_sync || msync(at, bytes, MS_SYNC) == 0 ||
           sync_failed(n, error);
}

bool femu_kept_sync(FemuZns *n, GError **error)
{
    return map_sync(n, n->kept, ssd_kept_bytes(&n->params), error);
}

/* What the sums say of history and kept; data's words are written through. */
static bool head_sync(FemuZns *n, GError **error)
{
    return map_sync(n, n->sums, sizeof(*n->sums), error);
}

/* A new state has all its files: so has the folder, on the disk. */
bool femu_state_begun(FemuZns *n, GError **error)
{
    int fd;
    bool done;

    if (!n->state_sync) {
        return true;
    }
    fd = open(n->state_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    done = fd != -1 && fsync(fd) == 0;
    done = done || sync_failed(n, error);
    close(fd); /* -1, of none, is refused */
    return done;
}

/* Is the state, whose history has these parameters, of this drive? */
bool femu_state_is_of_drive(const FemuZns *n, const SsdParams *params,
                            Error **errp)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        uint64_t there = ssd_params_get(params, &table[i]);
        uint64_t here = ssd_params_get(&n->params, &table[i]);

        if (there != here) {
            error_setg(errp, "state=%s is of a drive with %s=%" PRIu64
                       ", this one has %" PRIu64 ": start it as it was made "
                       "(its file '" FEMU_HISTORY "' begins with all "
                       "parameters), or name a new folder", n->state_path,
                       table[i].name, there, here);
            return false;
        }
    }
    return true;
}

/*
 * A file has another size than this drive's, which follows from parameters: by
 * those of the history, if it can be read, the drive is another one.
 */
static void size_refused(const FemuZns *n, const char *path, uint64_t has,
                         uint64_t bytes, Error **errp)
{
    g_autofree char *history = femu_state_file(n, FEMU_HISTORY);
    SsdParams params;
    SsdTraceReader *reader = ssd_trace_open(history, &params, NULL);

    if (!reader || femu_state_is_of_drive(n, &params, errp)) {
        error_setg(errp, "%s has %" PRIu64 " bytes; this drive's has %" PRIu64
                   ": it is damaged or of another drive; name a new folder",
                   path, has, bytes);
    }
    ssd_trace_reader_free(reader);
}

/*
 * Open a file of the state. A new one is created with this size, else it must
 * have this size.
 * Return: a file descriptor, or -1.
 */
static int file_open(const FemuZns *n, const char *name, uint64_t bytes,
                     bool is_new, Error **errp)
{
    g_autofree char *path = femu_state_file(n, name);
    int flags = O_RDWR | (n->state_sync ? O_DSYNC : 0);
    int fd = is_new ? qemu_create(path, flags | O_TRUNC, 0666, errp)
                    : qemu_open(path, flags, errp);
    struct stat st;

    if (fd == -1) {
        return -1;
    }
    if (is_new && (ftruncate(fd, bytes) != 0 ||
                   (n->state_sync && fdatasync(fd) != 0))) {
        error_setg_errno(errp, errno, "%s: cannot have %" PRIu64 " bytes",
                         path, bytes);
        close(fd);
        return -1;
    }
    if (fstat(fd, &st) != 0 || (uint64_t)st.st_size != bytes) {
        size_refused(n, path, st.st_size, bytes, errp);
        close(fd);
        return -1;
    }
    return fd;
}

/*
 * Have the host keep room for the first `bytes` of a file that is mapped. In a
 * hole, which a folder's copy has, too, a store would be a SIGBUS once the disk
 * is full.
 */
static bool room_take(const FemuZns *n, int fd, const char *name,
                      uint64_t bytes, Error **errp)
{
    int error = posix_fallocate(fd, 0, bytes);

    /* A file system that cannot keep room takes it as it comes. */
    if (error == 0 || error == EOPNOTSUPP || error == EINVAL) {
        return true;
    }
    error_setg_errno(errp, error, "state=%s: there is no room for its file "
                     "'%s'", n->state_path, name);
    return false;
}

/* --- Checksums ------------------------------------------------------------ */

static char *sums_fault(const FemuZns *n)
{
    g_autofree char *path = femu_state_file(n, FEMU_HISTORY);
    int begun = ssd_sums_begun(n->sums);
    char *fault;

    if (begun <= 0) {
        return begun == 0 ? NULL : g_strdup("the file 'sums' does not begin "
                                            "with '" SSD_SUMS_MAGIC "'");
    }
    fault = ssd_sums_history_fault(n->sums, path);
    return fault ? fault : ssd_sums_kept_fault(n->sums, n->kept,
                                               ssd_kept_bytes(&n->params));
}

/*
 * Map the checksums, and check what was written last: the history, and 'kept'
 * if its writer was not killed. A state of an older version has none; they
 * begin now, and hold for what is written from now on.
 */
static bool sums_map(FemuZns *n, Error **errp)
{
    g_autofree char *path = femu_state_file(n, "sums");
    g_autofree char *fault = NULL;
    uint64_t bytes = ssd_sums_bytes(&n->params);
    int fd = file_open(n, "sums", bytes, femu_state_is_new(n) ||
                       !g_file_test(path, G_FILE_TEST_EXISTS), errp);
    void *base;

    if (fd == -1) {
        return false;
    }
    if (!room_take(n, fd, "sums", sizeof(SsdSums), errp)) {
        close(fd);
        return false;
    }
    base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_NORESERVE, fd, 0);
    close(fd);
    if (base == MAP_FAILED) {
        error_setg_errno(errp, errno, "state=%s: its file 'sums' cannot be "
                         "mapped", n->state_path);
        return false;
    }
    n->sums = base;
    fault = femu_state_is_new(n) ? NULL : sums_fault(n);
    if (fault) {
        error_setg(errp, "state=%s: %s; restore the folder from a copy, or "
                   "name a new one", n->state_path, fault);
    }
    return !fault;
}

/*
 * The history is there: its sum is kept from now on, and it is flushed. The
 * magic comes last, so what has it has a sum of the history.
 */
bool femu_sums_begin(FemuZns *n, GError **error)
{
    if (n->state_sync) {
        ssd_trace_synchronise(n->history);
    }
    if (!ssd_trace_keep_sum(n->history, n->sums, error) ||
        !ssd_trace_flush(n->history, error)) {
        return false;
    }
    n->sums->kept_sum = 0;
    memcpy(n->sums->magic, SSD_SUMS_MAGIC, sizeof(n->sums->magic));
    return head_sync(n, error);
}

/*
 * What the history has behind its first `bytes` is going to be cut off: its
 * END, or a record that is not whole.
 */
bool femu_sums_go_back(FemuZns *n, uint64_t bytes, GError **error)
{
    g_autofree char *path = femu_state_file(n, FEMU_HISTORY);
    uint32_t sum;
    int wrong = ssd_sum_file(path, bytes, &sum);

    if (wrong != 0) {
        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(wrong),
                    "'%s' cannot be read: %s", path, g_strerror(wrong));
        return false;
    }
    ssd_sums_put_history(n->sums, bytes, sum);
    return head_sync(n, error);
}

/* Nothing more is written: what is kept has a sum, too. */
void femu_sums_end(FemuZns *n)
{
    if (!femu_kept_sync(n, NULL)) {
        return; /* as if it were killed */
    }
    n->sums->kept_sum = ssd_sums_of_kept(n->kept, ssd_kept_bytes(&n->params));
}

/* --- What is kept --------------------------------------------------------- */

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
    if (n->kept->own_change_at_ns > INT64_MAX) {
        error_setg(errp, "state=%s: by its file 'kept' a zone has changed at %"
                   PRIu64 " ns: it is damaged; name a new folder",
                   n->state_path, n->kept->own_change_at_ns);
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
    fd = file_open(n, "kept", ssd_kept_bytes(&n->params),
                   femu_state_is_new(n), errp);
    if (fd == -1) {
        return false;
    }
    n->lock_fd = fd;
    if (!folder_lock(n, fd, errp) ||
        !room_take(n, fd, "kept", ssd_kept_bytes(&n->params), errp)) {
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
    return kept_check(n, errp) && sums_map(n, errp);
}

/* Map n->kept from the state, or make a new one: in memory without a state. */
bool femu_kept_init(FemuZns *n, Error **errp)
{
    if (n->state_path && !*n->state_path) {
        error_setg(errp, "state= is empty: the drive would not last; name a "
                   "folder, or leave it out");
        return false;
    }
    if (n->state_sync && !femu_has_state(n)) {
        error_setg(errp, "state-sync=on: there is no state= that could be "
                   "synchronised; name a folder");
        return false;
    }
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
        if (n->sums) {
            munmap(n->sums, ssd_sums_bytes(&n->params));
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
        *fd = file_open(n, "data", bytes, femu_state_is_new(n), errp);
    }
    return !femu_has_state(n) || *fd != -1;
}

/* Likewise the file for the checksums; without a state *fd, -1, stays. */
bool femu_state_sums(FemuZns *n, int *fd, Error **errp)
{
    if (femu_has_state(n)) {
        *fd = file_open(n, "sums", ssd_sums_bytes(&n->params), false, errp);
    }
    return !femu_has_state(n) || *fd != -1;
}
