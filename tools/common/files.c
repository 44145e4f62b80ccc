/*
 * Tells whether two paths are one file, and whether a file has a place.
 *
 * Knows nothing of what is in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "files.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"

/* Of a file that is not there yet, its path tells. */
static bool is_same(const char *one, const char *other)
{
    g_autofree char *path = g_canonicalize_filename(one, NULL);
    g_autofree char *other_path = g_canonicalize_filename(other, NULL);
    struct stat a, b;

    if (stat(one, &a) != 0 || stat(other, &b) != 0) {
        return g_str_equal(path, other_path);
    }
    return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_apart(const SimFile *file, const SimFile *other, GError **error)
{
    if (!file->path || !other->path || !is_same(file->path, other->path)) {
        return true;
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s=%s: is the file of %s, too; "
                "another one is expected", file->option, file->path,
                other->option);
    return false;
}

bool sim_files_apart(const SimFile *files, unsigned count, GError **error)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < count && !files[i].is_read; k++) {
            /* Of two that are written, the later one is named. */
            if ((files[k].is_read || k < i) &&
                !is_apart(&files[i], &files[k], error)) {
                return false;
            }
        }
    }
    return true;
}

/* Return: 0, or what of errno hinders it. */
static int hindrance(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    struct stat st;

    if (stat(path, &st) == 0) {
        return S_ISDIR(st.st_mode) ? EISDIR
               : access(path, W_OK) == 0 ? 0 : errno;
    }
    if (errno != ENOENT || path[0] == '\0') {
        return errno;
    }
    return access(folder, W_OK | X_OK) == 0 ? 0 : errno;
}

bool sim_file_has_place(const char *path, GError **error)
{
    int wrong = hindrance(path);

    if (wrong != 0) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s", path,
                    g_strerror(wrong));
    }
    return wrong == 0;
}
