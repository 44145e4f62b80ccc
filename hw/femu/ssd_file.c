/*
 * Opens files, and never waits for anybody in doing so.
 *
 * Knows nothing of what is in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "ssd_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

static bool is_fifo(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

static FILE *failed(const char *path, int fd, const char **wrong)
{
    int error = errno;

    *wrong = error == ENXIO && is_fifo(path)
             ? "it is a FIFO, with nobody at its other end"
             : g_strerror(error);
    if (fd != -1) {
        close(fd);
    }
    errno = error;
    return NULL;
}

/* From here on reading and writing wait, as of any file. */
static FILE *stream(const char *path, int fd, const char *mode,
                    const char **wrong)
{
    int flags = fcntl(fd, F_GETFL);
    FILE *file = NULL;

    if (flags != -1 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0) {
        file = fdopen(fd, mode);
    }
    return file ? file : failed(path, fd, wrong);
}

/* A FIFO without a writer has no byte, and none to wait for. */
FILE *ssd_file_read(const char *path, const char **wrong)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = 0;
    char first;
    FILE *file;

    if (fd == -1) {
        return failed(path, fd, wrong);
    }
    if (is_fifo(path)) {
        got = read(fd, &first, 1);
        if (got == 0) {
            errno = ENXIO;
            return failed(path, fd, wrong);
        }
    }
    file = stream(path, fd, "r", wrong);
    if (file && got == 1) {
        ungetc(first, file);
    }
    return file;
}

/* open() itself refuses a FIFO without a reader: ENXIO. */
FILE *ssd_file_create(const char *path, const char **wrong)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC,
                  0666);

    return fd == -1 ? failed(path, fd, wrong) : stream(path, fd, "w", wrong);
}
