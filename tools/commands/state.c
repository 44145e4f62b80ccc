/*
 * femu-sim state: checks the folder in which a drive lasts (the device's
 * state=) and prints what is in it. The history is played to a new drive, as
 * the next QEMU will do.
 *
 * Knows nothing of how the device writes the folder.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

/* fcntl(F_OFD_GETLK) */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "player.h"
#include "ssd_kept.h"
#include "state_sums.h"

/* How to go on with a state that cannot be used. */
#define GO_ON "restore the folder from a copy, or name a new one"

typedef struct State {
    const char *folder;
    char *history_path;
    SsdParams params;         /* as the history has them, */
    SsdParams resolved;       /* and as the drive has them */
    FemuKept *kept;           /* with all namespaces' counters */
    uint64_t history_bytes;
    uint64_t whole_bytes;     /* of the history, up to the last whole record */
    bool has_end;             /* it ends as that of a QEMU that was not killed */
    StateSums *sums;          /* NULL: the folder has none */
    uint64_t checked_pages;
    unsigned open_count;      /* commands that were inside when it ended */
    Player player;
} State;

G_GNUC_PRINTF(2, 3)
static bool refuse(GError **error, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s; " GO_ON, text);
    return false;
}

/* --- The files ------------------------------------------------------------ */

static char *file_path(const State *state, const char *name)
{
    return g_build_filename(state->folder, name, NULL);
}

/* Is there a state at all? A folder is one once it has a history. */
static bool check_folder(const State *state, GError **error)
{
    if (!g_file_test(state->folder, G_FILE_TEST_IS_DIR)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: there is no such folder; "
                    "name what a drive was given as state=", state->folder);
        return false;
    }
    if (!g_file_test(state->history_path, G_FILE_TEST_EXISTS)) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: the folder has no file "
                    "'history': it is not the state of a drive, or not yet",
                    state->folder);
        return false;
    }
    return true;
}

/* A drive locks the first byte of 'kept' as long as it uses the state. */
static bool check_unlocked(const State *state, int fd, GError **error)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "%s: a drive is using it; ask "
                    "again when its QEMU has ended", state->folder);
        return false;
    }
    return true;
}

/*
 * Open a file of the state, which must have this size.
 * Return: a file descriptor, or -1 with *error.
 */
static int open_sized(const State *state, const char *name, uint64_t bytes,
                      struct stat *st, GError **error)
{
    g_autofree char *path = file_path(state, name);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 || fstat(fd, st) != 0) {
        refuse(error, "%s: cannot be opened: %s", path, g_strerror(errno));
    } else if ((uint64_t)st->st_size != bytes) {
        refuse(error, "%s has %" PRIu64 " bytes, of a drive with the history's "
               "parameters it has %" PRIu64 ": it is %s, or of another drive",
               path, (uint64_t)st->st_size, bytes,
               (uint64_t)st->st_size < bytes ? "cut short" : "damaged");
    } else {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static bool read_kept(State *state, GError **error)
{
    uint64_t bytes = ssd_kept_bytes(&state->resolved);
    struct stat st;
    int fd = open_sized(state, "kept", bytes, &st, error);
    bool done;

    if (fd < 0) {
        return false;
    }
    state->kept = g_malloc0(bytes);
    done = check_unlocked(state, fd, error);
    if (done && read(fd, state->kept, bytes) != (ssize_t)bytes) {
        done = refuse(error, "%s/kept: cannot be read", state->folder);
    }
    close(fd);
    if (done && (memcmp(state->kept->magic, FEMU_KEPT_MAGIC,
                        sizeof(state->kept->magic)) != 0 ||
                 state->kept->bytes != bytes || state->kept->shut_down > 1)) {
        done = refuse(error, "%s/kept: does not begin with '" FEMU_KEPT_MAGIC
                      "' and its size: it is damaged, of another version, or "
                      "of a host with another byte order", state->folder);
    }
    if (done && state->kept->own_change_at_ns > INT64_MAX) {
        done = refuse(error, "%s/kept: by it a zone has changed at %" PRIu64
                      " ns: it is damaged", state->folder,
                      state->kept->own_change_at_ns);
    }
    return done;
}

static bool check_data(State *state, GError **error)
{
    struct stat st;
    int fd = open_sized(state, "data", ssd_data_bytes(&state->resolved), &st,
                        error);

    if (fd < 0) {
        return false;
    }
    close(fd);
    return true;
}

/* --- The history ---------------------------------------------------------- */

static bool play(State *state, SsdTraceReader *reader, GError **error)
{
    SsdTraceRecord record;
    int got;

    while ((got = ssd_trace_next(reader, &record, error)) > 0) {
        if (!player_record(&state->player, &record, error)) {
            return false;
        }
    }
    return got == 0;
}

/* What the drive has done of itself behind the last record, it does here. */
static void let_change(State *state)
{
    if (state->kept->own_change_at_ns > state->player.now_ns) {
        player_run(&state->player, state->kept->own_change_at_ns);
    }
}

static bool play_history(State *state, SsdTraceReader *reader, GError **error)
{
    g_autoptr(GError) wrong = NULL;

    if (!play(state, reader, &wrong)) {
        const char *path = state->history_path;

        /* The reader's messages begin with the file, the player's do not. */
        return refuse(error, "%s%s%s: it is damaged",
                      g_str_has_prefix(wrong->message, path) ? "" : path,
                      g_str_has_prefix(wrong->message, path) ? "" : ": ",
                      wrong->message);
    }
    if (state->player.different_count > 0) {
        return refuse(error, "%s: %" PRIu64 " of its commands went otherwise "
                      "here: it is damaged, or was made by a version of "
                      "femu-zns that computes otherwise", state->history_path,
                      state->player.different_count);
    }
    state->open_count = player_open_count(&state->player);
    let_change(state);
    state->whole_bytes = ssd_trace_end(reader)->file_bytes;
    return true;
}

/* Does the file end with an END record, so that its writer was not killed? */
static bool ends_whole(const char *path)
{
    SsdParams params;
    SsdTraceRecord record;
    SsdTraceReader *reader = ssd_trace_open(path, &params, NULL);
    int got = reader ? 1 : -1;

    while (got > 0) {
        got = ssd_trace_next(reader, &record, NULL);
    }
    ssd_trace_reader_free(reader);
    return got == 0;
}

/* --- What is printed ------------------------------------------------------ */

static void print_geometry(const SsdParams *p)
{
    printf("drive        %" PRIu32 " channels, %" PRIu32 " ways, %" PRIu32
           " dies, %" PRIu32 " planes; pages of %" PRIu64 " bytes, %" PRIu32
           " in a block\n", p->channels, p->ways, p->dies,
           p->planes, p->page_bytes, p->pages_per_block);
}

static void print_zones(Ssd *ssd, uint32_t nsid, const SsdNsInfo *ns)
{
    uint32_t count[SSD_ZONE_OFFLINE + 1] = {0};
    uint64_t written_nlb = 0;

    for (uint32_t z = 0; z < ns->zones; z++) {
        SsdZone zone = ssd_zone(ssd, nsid, z);

        count[zone.state]++;
        if (zone.state != SSD_ZONE_OFFLINE) {
            written_nlb += zone.state == SSD_ZONE_FULL
                           ? zone.capacity_nlb : zone.wp_lba - zone.start_lba;
        }
    }
    printf("namespace %-2" PRIu32 " %" PRIu32 " zones of %" PRIu64 " bytes, "
           "capacity %" PRIu64 ", blocks of %" PRIu32 "\n", nsid, ns->zones,
           ns->zone_size_nlb * ns->lba_bytes,
           ns->zone_capacity_nlb * ns->lba_bytes, ns->lba_bytes);
    printf("  zones      %" PRIu32 " empty, %" PRIu32 " open, %" PRIu32
           " closed, %" PRIu32 " full, %" PRIu32 " read-only, %" PRIu32
           " offline\n", count[SSD_ZONE_EMPTY],
           count[SSD_ZONE_IMPLICITLY_OPEN] + count[SSD_ZONE_EXPLICITLY_OPEN],
           count[SSD_ZONE_CLOSED], count[SSD_ZONE_FULL],
           count[SSD_ZONE_READ_ONLY], count[SSD_ZONE_OFFLINE]);
    printf("  written    %" PRIu64 " bytes, finished zones as full ones\n",
           written_nlb * ns->lba_bytes);
}

static void print_namespaces(const State *state)
{
    Ssd *ssd = state->player.ssd;

    for (uint32_t nsid = 1; nsid <= ssd_ns_count(ssd); nsid++) {
        SsdNsInfo ns = ssd_ns_info(ssd, nsid);
        const FemuSmart *smart = &state->kept->smart[nsid - 1];

        if (ns.kind == SSD_NS_ZONED) {
            print_zones(ssd, nsid, &ns);
        } else {
            printf("namespace %-2" PRIu32 " conventional, %" PRIu64 " bytes, "
                   "blocks of %" PRIu32 "\n", nsid,
                   ns.size_nlb * ns.lba_bytes, ns.lba_bytes);
        }
        printf("  host       %" PRIu64 " reads of %" PRIu64 " bytes, %" PRIu64
               " writes of %" PRIu64 " bytes, %" PRIu64 " media errors\n",
               smart->read_commands, smart->read_bytes, smart->write_commands,
               smart->written_bytes, smart->media_errors);
    }
}

static void print_wear(Ssd *ssd, uint64_t now_ns)
{
    uint64_t blocks = ssd_block_count(ssd), erases = 0;
    uint32_t least = UINT32_MAX, most = 0;

    for (uint64_t i = 0; i < blocks; i++) {
        uint32_t count = ssd_block(ssd, i).erase_count;

        erases += count;
        least = MIN(least, count);
        most = MAX(most, count);
    }
    printf("wear         %" PRIu64 " erases of %" PRIu64 " blocks, %" PRIu32
           " to %" PRIu32 " of a block, %" PRIu64 " %% used\n", erases, blocks,
           blocks > 0 ? least : 0, most, ssd_used_percent(ssd, now_ns));
}

/* What the host stores of a file of the state, which may be sparse. */
static uint64_t stored_bytes(const State *state, const char *name)
{
    g_autofree char *path = file_path(state, name);
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

static void print_size(const State *state)
{
    static const char *const names[] = {"history", "kept", "data", "sums"};
    uint64_t bytes[G_N_ELEMENTS(names)], sum_bytes = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        bytes[i] = stored_bytes(state, names[i]);
        sum_bytes += bytes[i];
    }
    printf("size         the host stores %" PRIu64 " bytes: history %" PRIu64
           ", kept %" PRIu64 ", data %" PRIu64 ", sums %" PRIu64 "\n",
           sum_bytes, bytes[0], bytes[1], bytes[2], bytes[3]);
}

static void print_end(const State *state)
{
    const FemuKept *kept = state->kept;

    printf("power        %" PRIu64 " cycles, %" PRIu64 " unsafe shutdowns, %s; "
           "%" PRIu64 " errors logged\n", kept->power_cycles,
           kept->unsafe_shutdowns, kept->shut_down ? "then shut down"
           : "then not shut down", kept->error_count);
    printf("data         %" PRIu64 " bytes\n",
           ssd_data_bytes(&state->resolved));
    print_size(state);
    printf("history      %" PRIu64 " commands, %" PRIu64 " bytes, %" PRIu64
           " ns of the drive's time%s\n", state->player.submitted_count,
           state->history_bytes, state->player.now_ns,
           state->has_end ? "" : "; its writer was killed");
    if (!state->has_end && state->history_bytes > state->whole_bytes) {
        printf("  cut off    the last %" PRIu64 " bytes, a record that is not "
               "whole: nobody was told of it\n",
               state->history_bytes - state->whole_bytes);
    }
    if (state->sums) {
        printf("checksums    history, %s%" PRIu64 " pages of data: as they "
               "were written\n", state_sums_has_kept(state->sums) ? "kept, " :
               "", state->checked_pages);
    } else {
        printf("checksums    none yet: a damaged byte of the data does not "
               "show\n");
    }
    if (state->open_count > 0) {
        printf("  inside     %u commands that nobody was told the end of\n",
               state->open_count);
    }
    printf("state: good, %" PRIu64 " commands to replay at the next start\n",
           state->player.submitted_count);
}

/* --- The command ---------------------------------------------------------- */

static bool check_files(State *state, GError **error)
{
    struct stat st;

    state->resolved = state->params;
    ssd_params_resolve(&state->resolved);
    if (stat(state->history_path, &st) == 0) {
        state->history_bytes = (uint64_t)st.st_size;
    }
    return read_kept(state, error) && check_data(state, error);
}

/* What was written last is known by its sums, before it is believed. */
static bool check_sums(State *state, GError **error)
{
    g_autofree char *fault = NULL;

    fault = state_sums_open(&state->sums, state->folder, &state->resolved,
                            state->kept);
    return !fault || refuse(error, "%s: %s", state->folder, fault);
}

/* Of what the history says is data. */
static bool check_pages(State *state, GError **error)
{
    g_autofree char *fault = NULL;

    if (state->sums) {
        fault = state_sums_check(state->sums, state->player.ssd,
                                 &state->checked_pages);
    }
    return !fault || refuse(error, "%s: %s", state->folder, fault);
}

static bool read_state(State *state, GError **error)
{
    g_autoptr(GError) wrong = NULL;
    SsdTraceReader *reader;
    bool done;

    if (!check_folder(state, error)) {
        return false;
    }
    reader = ssd_trace_open_cut(state->history_path, &state->params, &wrong);
    if (!reader) {
        return refuse(error, "%s", wrong->message);
    }
    player_init(&state->player, &state->params);
    done = check_files(state, error) && check_sums(state, error) &&
           play_history(state, reader, error) && check_pages(state, error);
    ssd_trace_reader_free(reader);
    state->has_end = done && ends_whole(state->history_path);
    return done;
}

int sim_state_command(int argc, char **argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new("FOLDER");
    State state = {0};
    int status = SIM_ERROR;

    g_option_context_set_summary(
        context,
        "Check FOLDER, which a drive was given as state=, as the next QEMU\n"
        "will: sizes, checksums, and that each command of the history goes as\n"
        "it went; and all data, which the next QEMU does not check.\n"
        "Print what the drive is. Exit status 2: the next QEMU would refuse "
        "it.");
    if (!sim_parse_options(context, &argc, &argv, "the folder of a state",
                           error)) {
        return SIM_ERROR;
    }
    state.folder = argv[1];
    state.history_path = file_path(&state, "history");
    if (read_state(&state, error)) {
        print_geometry(&state.resolved);
        print_namespaces(&state);
        print_wear(state.player.ssd, state.player.now_ns);
        print_end(&state);
        status = SIM_OK;
    }
    if (state.player.ssd) {
        player_clear(&state.player);
    }
    state_sums_free(state.sums);
    g_free(state.kept);
    g_free(state.history_path);
    return status;
}
