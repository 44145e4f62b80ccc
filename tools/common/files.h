/*
 * The files of a command: each that it writes must be one of its own, or it
 * destroys what it reads, or what it has just written.
 *
 * Knows nothing of what is in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_FILES_H
#define FEMU_SIM_FILES_H

#include <stdbool.h>

#include <glib.h>

/* A file of a command. */
typedef struct SimFile {
    const char *option; /* what names it, such as "--trace" */
    const char *path;   /* NULL: it was not given */
    bool is_read;
} SimFile;

/*
 * Is each file that is written another one than all others? Devices may be
 * named more than once. Return: false and *error, naming option and path.
 */
bool sim_files_apart(const SimFile *files, unsigned count, GError **error);

/*
 * May the file be written where it is named? So that who writes it only in the
 * end, or destroys an older one, need not begin. Return: false and *error.
 */
bool sim_file_has_place(const char *path, GError **error);

#endif
