/*
 * The checksums of a state, for femu-sim state: files that are mapped, page by
 * page.
 *
 * Bytes behind a write pointer are no data, whatever the file has there: a
 * writer that was killed may have left a page that is neither what it was nor
 * what it should have been told to be.
 *
 * Knows nothing of what is printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/* SEEK_DATA */
#define _GNU_SOURCE

#include "state_sums.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct StateSums {
    SsdParams params;
    char *folder;
    int fd;
    SsdSums *map;
    uint64_t bytes;
};

static void *map_file(int fd, uint64_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* --- History and what is kept ---------------------------------------------- */

/* Return: NULL, or why the file cannot be one of sums. */
static char *open_file(StateSums *sums)
{
    g_autofree char *path = g_build_filename(sums->folder, "sums", NULL);
    struct stat st;

    sums->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (sums->fd < 0 && errno == ENOENT) {
        return NULL;
    }
    if (sums->fd < 0 || fstat(sums->fd, &st) != 0) {
        return g_strdup_printf("the file 'sums' cannot be opened: %s",
                               g_strerror(errno));
    }
    if ((uint64_t)st.st_size != sums->bytes) {
        return g_strdup_printf("the file 'sums' has %" PRIu64 " bytes, of a "
                               "drive with the history's parameters it has %"
                               PRIu64 ": it is damaged or of another drive",
                               (uint64_t)st.st_size, sums->bytes);
    }
    sums->map = map_file(sums->fd, sums->bytes);
    return sums->map ? NULL : g_strdup("the file 'sums' cannot be mapped");
}

static char *check_begun(const StateSums *sums, const FemuKept *kept)
{
    g_autofree char *path = g_build_filename(sums->folder, "history", NULL);
    char *fault;

    if (ssd_sums_begun(sums->map) < 0) {
        return g_strdup("the file 'sums' does not begin with '" SSD_SUMS_MAGIC
                        "': it is damaged, or of another version");
    }
    fault = ssd_sums_history_fault(sums->map, path);
    return fault ? fault : ssd_sums_kept_fault(sums->map, kept,
                                               ssd_kept_bytes(&sums->params));
}

char *state_sums_open(StateSums **opened, const char *folder,
                      const SsdParams *params, const FemuKept *kept)
{
    StateSums *sums = g_new0(StateSums, 1);
    char *fault;

    sums->params = *params;
    sums->folder = g_strdup(folder);
    sums->bytes = ssd_sums_bytes(params);
    fault = open_file(sums);
    if (!fault && sums->map && ssd_sums_begun(sums->map) != 0) {
        fault = check_begun(sums, kept);
        *opened = sums;
    } else {
        state_sums_free(sums);
    }
    return fault;
}

bool state_sums_has_kept(const StateSums *sums)
{
    return sums->map->kept_sum != 0;
}

void state_sums_free(StateSums *sums)
{
    if (!sums) {
        return;
    }
    if (sums->map) {
        munmap(sums->map, sums->bytes);
    }
    if (sums->fd >= 0) {
        close(sums->fd);
    }
    g_free(sums->folder);
    g_free(sums);
}

/* --- Data ----------------------------------------------------------------- */

static uint64_t zone_data_bytes(Ssd *ssd, uint64_t zone, uint32_t *nsid,
                                uint32_t *zone_idx)
{
    SsdNsInfo ns = ssd_ns_info(ssd, 1);
    SsdZone found;

    *nsid = (uint32_t)(zone / ns.zones) + 1;
    *zone_idx = (uint32_t)(zone % ns.zones);
    ns = ssd_ns_info(ssd, *nsid);
    found = ssd_zone(ssd, *nsid, *zone_idx);
    switch (found.state) {
    case SSD_ZONE_FULL:
        return found.capacity_nlb * ns.lba_bytes;
    case SSD_ZONE_READ_ONLY:
    case SSD_ZONE_OFFLINE:
        return 0;
    default:
        return (found.wp_lba - found.start_lba) * ns.lba_bytes;
    }
}

/* Where the data lie that a page holds, and whether all of it is data. */
static bool is_data(const StateSums *sums, Ssd *ssd, uint64_t at_bytes,
                    char **place)
{
    const SsdParams *p = &sums->params;
    uint64_t end_bytes = MIN(at_bytes + SSD_SUMS_PAGE_BYTES,
                             ssd_data_bytes(p));

    for (uint64_t at = at_bytes; at < end_bytes;) {
        uint64_t zone = at / p->zone_capacity_bytes;
        uint64_t start_bytes = zone * p->zone_capacity_bytes;
        uint32_t nsid, zone_idx;

        g_free(*place);
        if (zone >= p->zones) {
            *place = g_strdup("the conventional namespace");
            return true;
        }
        if (MIN(end_bytes - start_bytes, p->zone_capacity_bytes) >
            zone_data_bytes(ssd, zone, &nsid, &zone_idx)) {
            *place = NULL;
            return false;
        }
        *place = g_strdup_printf("namespace %" PRIu32 ", zone %" PRIu32, nsid,
                                 zone_idx);
        at = start_bytes + p->zone_capacity_bytes;
    }
    return true;
}

static char *check_page(const StateSums *sums, Ssd *ssd, const uint8_t *data,
                        uint64_t page, uint64_t *count)
{
    uint64_t at_bytes = page * SSD_SUMS_PAGE_BYTES;
    g_autofree char *place = NULL;

    if (!sums->map->pages[page] || !is_data(sums, ssd, at_bytes, &place)) {
        return NULL;
    }
    (*count)++;
    return ssd_sums_page_fits(sums->map->pages[page], data + at_bytes) ? NULL :
           g_strdup_printf("the bytes from %" PRIu64 " to %" PRIu64 " of the "
                           "file 'data' (%s) are not what was written there: "
                           "they, or their sum in the file 'sums', are "
                           "damaged",
                           at_bytes,
                           at_bytes + SSD_SUMS_PAGE_BYTES - 1, place);
}

/* Of the sparse file, the parts that there are. */
static char *check_parts(const StateSums *sums, Ssd *ssd, const uint8_t *data,
                         uint64_t *count)
{
    uint64_t head_bytes = sizeof(SsdSums);
    off_t from = (off_t)head_bytes;
    char *fault = NULL;

    while (!fault && (from = lseek(sums->fd, from, SEEK_DATA)) >= 0) {
        off_t to = lseek(sums->fd, from, SEEK_HOLE);
        uint64_t last = ((uint64_t)to - head_bytes) / sizeof(uint64_t);

        for (uint64_t page = ((uint64_t)from - head_bytes) / sizeof(uint64_t);
             !fault && page < last; page++) {
            fault = check_page(sums, ssd, data, page, count);
        }
        from = to;
    }
    return fault;
}

char *state_sums_check(StateSums *sums, Ssd *ssd, uint64_t *count)
{
    g_autofree char *path = g_build_filename(sums->folder, "data", NULL);
    uint64_t bytes = ssd_sums_pages(&sums->params) * SSD_SUMS_PAGE_BYTES;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    uint8_t *data = fd >= 0 ? map_file(fd, bytes) : NULL;
    char *fault;

    if (fd >= 0) {
        close(fd);
    }
    if (!data) {
        return g_strdup_printf("the file 'data' cannot be mapped: %s",
                               g_strerror(errno));
    }
    fault = check_parts(sums, ssd, data, count);
    munmap(data, bytes);
    return fault;
}
