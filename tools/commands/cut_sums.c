/*
 * Writes the checksums of a state that a power cut has left: of its history, of
 * what is kept, and of each page that the data have.
 *
 * Nobody writes any of these any more, so a page has one sum, in both halves of
 * its word.
 *
 * Knows nothing of where the power was cut.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/* SEEK_DATA */
#define _GNU_SOURCE

#include "cut_sums.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ssd_sums.h"

#define PART_PAGES 512
#define PART_BYTES (PART_PAGES * SSD_SUMS_PAGE_BYTES)

/* A whole stretch of pages, or zeroes behind the end of the file. */
static bool read_part(int fd, uint8_t *part, off_t at_bytes)
{
    size_t got = 0;
    ssize_t more;

    while (got < PART_BYTES &&
           (more = pread(fd, part + got, PART_BYTES - got,
                         at_bytes + (off_t)got)) != 0) {
        if (more < 0) {
            return false;
        }
        got += (size_t)more;
    }
    memset(part + got, 0, PART_BYTES - got);
    return true;
}

/* Of the pages in `part`, or the first `count` of them. */
static bool write_words(int fd, const uint8_t *part, uint64_t first,
                        uint64_t count)
{
    uint64_t words[PART_PAGES];
    size_t bytes = MIN(count, PART_PAGES) * sizeof(*words);

    for (uint64_t i = 0; i < MIN(count, PART_PAGES); i++) {
        const uint8_t *page = part + i * SSD_SUMS_PAGE_BYTES;

        words[i] = ssd_sums_page(page, page);
    }
    return pwrite(fd, words, bytes, (off_t)(sizeof(SsdSums) +
                                            first * sizeof(*words))) ==
           (ssize_t)bytes;
}

/* Of a sparse file, the parts that there are: a hole has no sums. */
static bool write_pages(int data, int sums, uint64_t pages)
{
    g_autofree uint8_t *part = g_malloc(PART_BYTES);
    off_t from = 0;

    while ((from = lseek(data, from, SEEK_DATA)) >= 0) {
        off_t to = lseek(data, from, SEEK_HOLE);

        from -= from % SSD_SUMS_PAGE_BYTES;
        for (; from < to; from += PART_BYTES) {
            uint64_t first = (uint64_t)from / SSD_SUMS_PAGE_BYTES;
            uint64_t end = MIN(pages, ((uint64_t)to + SSD_SUMS_PAGE_BYTES - 1) /
                                      SSD_SUMS_PAGE_BYTES);

            if (!read_part(data, part, from) ||
                !write_words(sums, part, first, end - first)) {
                return false;
            }
        }
        from = to;
    }
    return errno == ENXIO; /* no part is left */
}

static bool write_all(const char *folder, int data, int sums,
                      const SsdParams *params)
{
    g_autofree char *history = g_build_filename(folder, "history", NULL);
    g_autofree char *kept = g_build_filename(folder, "kept", NULL);
    g_autofree SsdSums *head = g_new0(SsdSums, 1);
    g_autofree char *bytes = NULL;
    struct stat st;
    uint32_t sum;
    gsize kept_bytes;

    if (ftruncate(sums, (off_t)ssd_sums_bytes(params)) != 0 ||
        !write_pages(data, sums, ssd_sums_pages(params)) ||
        stat(history, &st) != 0 ||
        ssd_sum_file(history, (uint64_t)st.st_size, &sum) != 0 ||
        !g_file_get_contents(kept, &bytes, &kept_bytes, NULL)) {
        return false;
    }
    memcpy(head->magic, SSD_SUMS_MAGIC, sizeof(head->magic));
    head->kept_sum = ssd_sums_of_kept(bytes, kept_bytes);
    ssd_sums_put_history(head, (uint64_t)st.st_size, sum);
    return pwrite(sums, head, sizeof(*head), 0) == sizeof(*head);
}

bool cut_sums_write(const char *folder, const SsdParams *params,
                    GError **error)
{
    g_autofree char *data_path = g_build_filename(folder, "data", NULL);
    g_autofree char *path = g_build_filename(folder, "sums", NULL);
    int data = open(data_path, O_RDONLY | O_CLOEXEC);
    int sums = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool done = data >= 0 && sums >= 0 &&
                write_all(folder, data, sums, params);

    if (!done) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: the checksums cannot be "
                    "written: %s", path, g_strerror(errno));
    }
    if (data >= 0) {
        close(data);
    }
    if (sums >= 0 && close(sums) != 0 && done) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: %s", path,
                    g_strerror(errno));
        done = false;
    }
    return done;
}
