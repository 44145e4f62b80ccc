/*
 * This program's own bytes.
 *
 * Knows nothing of what is kept by their hash.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#define _GNU_SOURCE /* memmem() */
#include <string.h>

#include <glib.h>

#include "common/program.h"

char *sim_program(size_t *bytes)
{
    char *program, *name;
    gsize size;

    if (!g_file_get_contents("/proc/self/exe", &program, &size, NULL)) {
        return NULL;
    }
    name = memmem(program, size, sim_sources, SIM_SOURCES_BYTES);
    if (name) {
        memset(name, 0, SIM_SOURCES_BYTES);
    }
    *bytes = size;
    return program;
}
