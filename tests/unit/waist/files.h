/*
 * Files that fail where the disk of a test does not: descriptors that are
 * others from some moment on, and a fclose() that says so. For one source of a
 * program.
 *
 * Knows nothing of what is in the files.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <unistd.h>

/* Of fclose(), which closes the file all the same; 0: it does not fail. */
static int fclose_errno;

int fclose(FILE *file)
{
    int (*real)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
    int got = real(file);

    if (fclose_errno != 0) {
        errno = fclose_errno;
        return EOF;
    }
    return got;
}

/* The path of a new file; to be freed. */
static inline char *temporary_path(void)
{
    char *path = NULL;
    int fd = g_file_open_tmp("femu-test-XXXXXX", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return path;
}

/* The descriptor that the next file gets which is opened. */
static inline int next_fd(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    return fd;
}

/* From now on a descriptor is of another file. */
static inline void becomes(int fd, const char *path, int flags)
{
    int other = open(path, flags | O_CLOEXEC);

    g_assert_cmpint(other, >=, 0);
    g_assert_cmpint(dup2(other, fd), ==, fd);
    close(other);
}

#endif
