/*
 * A fuzz input as a file in memory, for parsers that read files.
 *
 * Knows nothing of what the bytes mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FUZZ_INPUT_FILE_H
#define FEMU_FUZZ_INPUT_FILE_H

#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Return: a path that can be opened until the descriptor *fd is closed. */
static inline char *input_file(const uint8_t *data, size_t size, int *fd)
{
    *fd = memfd_create("fuzz", MFD_CLOEXEC);
    g_assert(*fd >= 0 && write(*fd, data, size) == (ssize_t)size);
    return g_strdup_printf("/proc/self/fd/%d", *fd);
}

#endif
