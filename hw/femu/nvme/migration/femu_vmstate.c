/*
 * The stream of a drive that moves into another QEMU: core, device, trace and
 * data, then PCI's own part (docs/device.md, "A drive that moves").
 *
 * Nothing that is read is believed: all but data is checked before the device
 * takes any of it, data goes where what has been checked says.
 *
 * Knows nothing of what core and device are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "hw/pci/msix.h"
#include "migration/blocker.h"
#include "migration_internal.h"
#include "../controller/controller.h"
#include "../record/record.h"

/* Raised when a stream of before cannot be read any more. */
#define VERSION 1

static const char magic[8] = "femu-zns";

static bool refuse_state(const FemuZns *n, Error **errp)
{
    error_setg(errp, "state=%s: a drive with a state cannot move into another "
               "QEMU, nor be saved in a snapshot: its folder would be in two "
               "places; the next QEMU with this folder goes on with the drive, "
               "without a guest", n->state_path);
    return false;
}

static bool refuse_journal(const FemuZns *n, Error **errp)
{
    error_setg(errp, "journal=%s: a drive with a journal cannot move into "
               "another QEMU, nor be saved in a snapshot: the journal must have "
               "all that was ever written to the drive", n->journal_path);
    return false;
}

/* Saving */

static void put_core(QEMUFile *f, FemuZns *n)
{
    g_autoptr(GByteArray) core = ssd_save(n->ssd);

    femu_part_put(f, core->data, core->len);
}

static void put_device(QEMUFile *f, FemuZns *n)
{
    uint64_t timer_at_ns = femu_timer_at_ns(n);
    State *state = state_writer();
    g_autoptr(GByteArray) device = NULL;

    femu_saved_visit(n, &timer_at_ns, state);
    device = state_free(state);
    femu_part_put(f, device->data, device->len);
}

static int drive_put(QEMUFile *f, void *opaque, size_t size,
                     const VMStateField *field, JSONWriter *vmdesc)
{
    FemuZns *n = opaque;
    Error *error = NULL;

    qemu_put_buffer(f, (const uint8_t *)magic, sizeof(magic));
    put_core(f, n);
    put_device(f, n);
    if (!femu_trace_put(f, n, &error)) {
        error_reportf_err(error, "femu-zns: ");
        return -EIO;
    }
    femu_data_put(f, n);
    return 0;
}

/* Loading */

static Ssd *get_core(QEMUFile *f, FemuZns *n, Error **errp)
{
    g_autoptr(GByteArray) core = femu_part_get(f, "core", errp);
    g_autoptr(GError) error = NULL;
    Ssd *ssd;

    if (!core) {
        return NULL;
    }
    ssd = ssd_load(&n->params, core->data, core->len, &error);
    if (!ssd) {
        error_setg(errp, "%s", error->message);
    }
    return ssd;
}

/* Return: the drive with this core, or NULL with *errp; either way it is its. */
static FemuZns *get_device(QEMUFile *f, FemuZns *n, Ssd *ssd,
                           uint64_t *timer_at_ns, Error **errp)
{
    FemuZns *saved = femu_saved_new(n, ssd);
    g_autoptr(GByteArray) device = femu_part_get(f, "device", errp);
    State *state;
    g_autoptr(GError) error = NULL;

    if (!device) {
        femu_saved_free(saved);
        return NULL;
    }
    state = state_reader(device->data, device->len);
    femu_saved_visit(saved, timer_at_ns, state);
    femu_saved_check(saved, *timer_at_ns, state);
    error = state_take_error(state);
    state_free(state);
    if (error) {
        error_setg(errp, "%s", error->message);
        femu_saved_free(saved);
        return NULL;
    }
    return saved;
}

static bool get_all(QEMUFile *f, FemuZns *n, Error **errp)
{
    char there[sizeof(magic)] = { 0 };
    uint64_t timer_at_ns = INT64_MAX;
    FemuZns *saved;
    Ssd *ssd;
    bool done;

    if (femu_has_state(n)) {
        return refuse_state(n, errp);
    }
    if (n->journal_path) {
        return refuse_journal(n, errp);
    }
    qemu_get_buffer(f, (uint8_t *)there, sizeof(there));
    if (memcmp(there, magic, sizeof(magic)) != 0) {
        error_setg(errp, "the stream has no femu-zns here: it is damaged");
        return false;
    }
    ssd = get_core(f, n, errp);
    saved = ssd ? get_device(f, n, ssd, &timer_at_ns, errp) : NULL;
    if (!saved) {
        return false;
    }
    done = femu_trace_get(f, n, errp) && femu_data_get(f, saved, errp);
    if (done) {
        femu_saved_take(n, saved, timer_at_ns);
    }
    femu_saved_free(saved);
    return done;
}

static int drive_get(QEMUFile *f, void *opaque, size_t size,
                     const VMStateField *field)
{
    Error *error = NULL;

    if (!get_all(f, opaque, &error)) {
        error_reportf_err(error, "femu-zns: the drive cannot be loaded: ");
        return -EINVAL;
    }
    return 0;
}

static const VMStateInfo drive_info = {
    .name = "femu-zns drive",
    .get = drive_get,
    .put = drive_put,
};

const VMStateDescription femu_vmstate = {
    .name = TYPE_FEMU_ZNS,
    .version_id = VERSION,
    .minimum_version_id = VERSION,
    .fields = (const VMStateField[]) {
        /* First: it says best what another drive is. */
        {
            .name = "drive",
            .info = &drive_info,
            .flags = VMS_SINGLE,
        },
        VMSTATE_PCI_DEVICE(parent_obj, FemuZns),
        VMSTATE_MSIX(parent_obj, FemuZns),
        VMSTATE_END_OF_LIST()
    },
};

/* What cannot move */

bool femu_migration_init(FemuZns *n, Error **errp)
{
    if (femu_has_state(n)) {
        refuse_state(n, &n->migration_blocker);
    } else if (n->journal_path) {
        refuse_journal(n, &n->migration_blocker);
    } else {
        return true;
    }
    return migrate_add_blocker(&n->migration_blocker, errp) == 0;
}

void femu_migration_exit(FemuZns *n)
{
    migrate_del_blocker(&n->migration_blocker);
}
