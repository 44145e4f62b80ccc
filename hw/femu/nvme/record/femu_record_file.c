/*
 * One file, one writer: traces and journals of a machine's drives. They must
 * not be files of these drives' states either.
 *
 * Knows nothing of what is written.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "record.h"

static bool is_file(const char *path, const struct stat *file)
{
    struct stat other;

    return stat(path, &other) == 0 && other.st_dev == file->st_dev &&
           other.st_ino == file->st_ino;
}

/*
 * Is this path that of a file of the drive's state, which may not be there yet?
 * Such a file may have other names, too.
 */
static bool in_state(const FemuZns *n, const char *path)
{
    static const char *const names[] = {
        FEMU_HISTORY, FEMU_HISTORY_BEGUN, "data", "kept", "sums",
    };
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    struct stat file, its_folder;
    bool is_there = stat(path, &file) == 0;
    bool found = false;

    if (!femu_has_state(n) || stat(folder, &its_folder) != 0) {
        return false;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        g_autofree char *its = femu_state_file(n, names[i]);

        found |= (is_there && is_file(its, &file)) ||
                 (g_str_equal(name, names[i]) &&
                  is_file(n->state_path, &its_folder));
    }
    return found;
}

static int has_in_state(Object *object, void *path)
{
    FemuZns *n = (FemuZns *)object_dynamic_cast(object, TYPE_FEMU_ZNS);

    return n && DEVICE(n)->realized && in_state(n, path);
}

/* Is this object another drive in use that records in this file? */
static int records_in(Object *object, void *file)
{
    FemuZns *n = (FemuZns *)object_dynamic_cast(object, TYPE_FEMU_ZNS);

    return n && DEVICE(n)->realized &&
           ((n->trace && is_file(n->trace_path, file)) ||
            (n->journal && is_file(n->journal_path, file)));
}

static bool is_free_here(const FemuZns *n, const char *path)
{
    struct stat file;

    return stat(path, &file) != 0 || !S_ISREG(file.st_mode) ||
           !((n->trace && is_file(n->trace_path, &file)) ||
             object_child_foreach_recursive(object_get_root(), records_in,
                                            &file));
}

/*
 * Lock a file as its writer's, among QEMUs. Return: false if another one has
 * it. What is no plain file, or cannot be locked, is anybody's; one that cannot
 * be opened is a matter of who writes it.
 */
bool femu_record_lock(const char *path, int *lock_fd)
{
    struct stat file;
    int error;

    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode)) {
        return true;
    }
    *lock_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    error = *lock_fd == -1 ? 0 : qemu_lock_fd(*lock_fd, 0, 0, true);
    if (error) {
        femu_record_release(lock_fd);
    }
    return error != -EAGAIN && error != -EACCES;
}

void femu_record_release(int *lock_fd)
{
    if (*lock_fd != -1) {
        close(*lock_fd);
        *lock_fd = -1;
    }
}

/* The property NAME names a file that the drive is to begin: nobody's, yet. */
bool femu_record_take(const FemuZns *n, const char *name, const char *path,
                      int *lock_fd, Error **errp)
{
    const char *whose = NULL;

    if (in_state(n, path) ||
        object_child_foreach_recursive(object_get_root(), has_in_state,
                                       (void *)path)) {
        error_setg(errp, "%s=%s is a file of a drive's state, which it would "
                   "take the place of; name another file", name, path);
        return false;
    }
    if (!is_free_here(n, path)) {
        whose = "this machine";
    } else if (!femu_record_lock(path, lock_fd)) {
        whose = "another QEMU";
    }
    if (whose) {
        error_setg(errp, "%s=%s: a drive of %s writes its trace or journal "
                   "there; name another file", name, path, whose);
    }
    return !whose;
}
