/*
 * One file, one writer: traces and journals of a machine's drives.
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

/* Is this object another drive in use that records in this file? */
static int records_in(Object *object, void *file)
{
    FemuZns *n = (FemuZns *)object_dynamic_cast(object, TYPE_FEMU_ZNS);

    return n && DEVICE(n)->realized &&
           ((n->trace && is_file(n->trace_path, file)) ||
            (n->journal && is_file(n->journal_path, file)));
}

/* The property NAME names a file that the drive is to begin: nobody's, yet. */
bool femu_record_is_free(const FemuZns *n, const char *name, const char *path,
                         Error **errp)
{
    struct stat file;

    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode) ||
        !((n->trace && is_file(n->trace_path, &file)) ||
          object_child_foreach_recursive(object_get_root(), records_in,
                                         &file))) {
        return true;
    }
    error_setg(errp, "%s=%s: a drive of this machine writes its trace or "
               "journal there; name another file", name, path);
    return false;
}
