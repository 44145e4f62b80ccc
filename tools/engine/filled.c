/*
 * Drives that have been filled before, in a folder of states: one is loaded in
 * place of being filled again. The name of a state is the hash of all that
 * makes it: this program, the drive's parameters, what is written.
 *
 * A state is a folder, as those of runs in the guest: `machine`, the drive as
 * ssd_save() has it, and meta.json for "make states", which has its hash. It
 * gets its name when it is whole, so what has a name is whole.
 *
 * Knows nothing of how a drive is filled, nor of how much a folder may hold.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <utime.h>

#include <glib/gstdio.h>

#include "common/error.h"
#include "common/program.h"
#include "engine.h"

#define NAME_CHARS 16
#define MACHINE "machine"
#define META "meta.json"

/*
 * Less than this is written sooner than this program is hashed and a state is
 * loaded (docs/simulator.md has the times).
 */
#define LEAST_BYTES (UINT64_C(2) << 30)

/* --- What makes a state --------------------------------------------------- */

static void add_params(GChecksum *sum, const SsdParams *params)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        g_autofree char *line = g_strdup_printf(
            "%s=%" PRIu64 "\n", table[i].name,
            ssd_params_get(params, &table[i]));

        g_checksum_update(sum, (const guchar *)line, -1);
    }
}

static bool add_program(GChecksum *sum)
{
    size_t bytes;
    g_autofree char *program = sim_program(&bytes);

    if (!program) {
        return false;
    }
    g_checksum_update(sum, (const guchar *)program, (gssize)bytes);
    return true;
}

/* Return: the path of the state; NULL if this program cannot be read. */
static char *path_of(const char *folder, const char *filling,
                     const SsdParams *params)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree char *name = NULL;

    g_checksum_update(sum, (const guchar *)filling, -1);
    add_params(sum, params);
    if (!add_program(sum)) {
        return NULL;
    }
    name = g_strndup(g_checksum_get_string(sum), NAME_CHARS);
    return g_build_filename(folder, name, NULL);
}

/* --- One that is there ---------------------------------------------------- */

/* Return: whether it was there, or was and is damaged: then with *error. */
static bool load(const char *path, SimDrive *drive, GError **error)
{
    g_autofree char *machine = g_build_filename(path, MACHINE, NULL);
    g_autofree char *meta = g_build_filename(path, META, NULL);
    g_autoptr(GError) wrong = NULL;
    g_autofree char *data = NULL;
    gsize bytes;

    if (!g_file_get_contents(machine, &data, &bytes, &wrong)) {
        if (g_error_matches(wrong, G_FILE_ERROR, G_FILE_ERROR_NOENT) ||
            g_error_matches(wrong, G_FILE_ERROR, G_FILE_ERROR_NOTDIR)) {
            return false;
        }
    } else if (sim_drive_load(drive, (const uint8_t *)data, bytes, &wrong)) {
        g_utime(meta, NULL); /* it is the one that was used last */
        return true;
    }
    g_set_error(error, SIM_ERROR_DOMAIN, 0, "the state %s cannot be loaded: %s;"
                " remove the folder, and it is made anew", path,
                wrong->message);
    return true;
}

/* --- A new one ------------------------------------------------------------ */

static bool write_machine(const char *room, const GByteArray *bytes,
                          GError **error)
{
    g_autofree char *path = g_build_filename(room, MACHINE, NULL);

    return g_file_set_contents(path, (const char *)bytes->data,
                               (gssize)bytes->len, error);
}

static bool write_meta(const char *room, const GByteArray *bytes,
                       uint64_t filled_bytes, double took_s, GError **error)
{
    g_autofree char *path = g_build_filename(room, META, NULL);
    g_autofree char *sum = g_compute_checksum_for_data(
        G_CHECKSUM_SHA256, bytes->data, bytes->len);
    g_autofree char *text = g_strdup_printf(
        "{\n  \"simulator\": true,\n  \"variables\": {},\n  \"args\": {},\n"
        "  \"preparation\": \"prepare %" PRIu64 " MiB of a simulated drive\","
        "\n  \"prepared_s\": %.3f,\n  \"sha256\": \"%s\"\n}\n",
        filled_bytes >> 20, took_s, sum);

    return g_file_set_contents(path, text, -1, error);
}

static void remove_room(const char *room)
{
    const char *const names[] = {MACHINE, META};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(room, names[i], NULL);

        g_unlink(path);
    }
    g_rmdir(room);
}

/* Return: whether there is the new folder *room in `folder`, or *error. */
static bool make_room(const char *folder, char *room, GError **error)
{
    if (g_mkdir_with_parents(folder, 0777) == 0 && g_mkdtemp(room)) {
        return true;
    }
    g_set_error_literal(error, SIM_ERROR_DOMAIN, 0, g_strerror(errno));
    return false;
}

/* Give the state its name, unless another process was sooner. */
static bool give_name(const char *room, const char *path, GError **error)
{
    if (g_rename(room, path) == 0) {
        return true;
    }
    if (errno == EEXIST || errno == ENOTEMPTY) {
        remove_room(room);
        return true;
    }
    g_set_error_literal(error, SIM_ERROR_DOMAIN, 0, g_strerror(errno));
    return false;
}

/*
 * Leave the state for others. That may fail, as there is no room: then the run
 * goes on as it would without, and it is said.
 */
static void keep(const char *path, const char *folder, SimDrive *drive,
                 uint64_t filled_bytes, double took_s)
{
    g_autofree char *room = g_build_filename(folder, "new-XXXXXX", NULL);
    g_autoptr(GByteArray) bytes = ssd_save(sim_drive_ssd(drive));
    g_autoptr(GError) wrong = NULL;

    if (make_room(folder, room, &wrong) &&
        (!write_machine(room, bytes, &wrong) ||
         !write_meta(room, bytes, filled_bytes, took_s, &wrong) ||
         !give_name(room, path, &wrong))) {
        remove_room(room);
    }
    if (wrong) {
        fprintf(stderr, "femu-sim: --states=%s: the drive is not kept as it was "
                "filled: %s\n", folder, wrong->message);
    }
}

/* --- The whole ------------------------------------------------------------ */

bool engine_filled(const Plan *plan, unsigned drive_idx, SimDrive *drive,
                   const char *folder, GError **error)
{
    uint64_t bytes;
    g_autofree char *filling = engine_filling(plan, drive_idx, drive, &bytes);
    g_autofree char *path = NULL;
    GError *wrong = NULL;
    gint64 start_us;

    if (bytes >= LEAST_BYTES) {
        path = path_of(folder, filling, ssd_params(sim_drive_ssd(drive)));
    }
    if (path && load(path, drive, &wrong)) {
        if (wrong) {
            g_propagate_error(error, wrong);
        }
        return !wrong;
    }
    start_us = g_get_monotonic_time();
    if (!engine_fill(plan, drive_idx, drive, error)) {
        return false;
    }
    if (path) {
        keep(path, folder, drive, bytes,
             (double)(g_get_monotonic_time() - start_us) / 1e6);
    }
    return true;
}
