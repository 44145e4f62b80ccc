/*
 * Runs a fuzz target without libFuzzer: over the files of a corpus, then over
 * some seeded random bytes. So every compiler can run the corpus as a test.
 *
 *   fuzz_core [--random COUNT] FILE|FOLDER...
 *
 * Knows nothing of what the bytes mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MAX_RANDOM_BYTES 2048

static unsigned tests;

static void run_file(const char *path)
{
    g_autofree char *bytes = NULL;
    size_t length;

    /* Said before, so that a crash has a name. */
    printf("# %s\n", path);
    fflush(stdout);
    if (!g_file_get_contents(path, &bytes, &length, NULL)) {
        printf("not ok %u - %s cannot be read\n", ++tests, path);
        return;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)bytes, length);
    printf("ok %u - %s\n", ++tests, path);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files of a folder in order of their names. */
static void run_folder(const char *path, GDir *dir)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        g_ptr_array_add(names, g_build_filename(path, name, NULL));
    }
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        run_file(g_ptr_array_index(names, i));
    }
}

/* Seed i of run i, so that a failure can be repeated alone. */
static void run_random(unsigned count)
{
    const char *every = g_getenv("FEMU_EVERY"); /* an n-th, where it is dear */

    count /= every ? MAX(atoi(every), 1) : 1;
    for (unsigned seed = 0; seed < count; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        uint8_t bytes[MAX_RANDOM_BYTES];
        size_t length = g_rand_int_range(rand, 0, MAX_RANDOM_BYTES);

        for (size_t i = 0; i < length; i++) {
            bytes[i] = g_rand_int(rand);
        }
        g_rand_free(rand);
        printf("# random input %u\n", seed);
        fflush(stdout);
        LLVMFuzzerTestOneInput(bytes, length);
    }
    printf("ok %u - %u random inputs\n", ++tests, count);
}

static void run(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);

    if (dir) {
        run_folder(path, dir);
    } else {
        run_file(path);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--random") == 0 && i + 1 < argc) {
            run_random(atoi(argv[++i]));
        } else {
            run(argv[i]);
        }
    }
    printf("1..%u\n", tests);
    return 0;
}
