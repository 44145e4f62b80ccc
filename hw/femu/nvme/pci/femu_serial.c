/*
 * The drive's serial number: as the user sets it, or else made of the device's
 * id or place. NQN, EUI64, NGUID and UUID are derived from it, so no two drives
 * of a machine may have the same.
 *
 * Knows nothing of how they are derived.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "pci_internal.h"

/* The device's id, or else the end of its path, which names bus and slot. */
static char *serial_default(FemuZns *n)
{
    g_autofree char *path = qdev_get_dev_path(DEVICE(n));

    if (DEVICE(n)->id) {
        return g_strndup(DEVICE(n)->id, FEMU_SERIAL_BYTES);
    }
    return g_strdup(path + strlen(path) -
                    MIN(strlen(path), FEMU_SERIAL_BYTES));
}

static bool serial_check(const char *serial, Error **errp)
{
    if (!*serial) {
        error_setg(errp, "serial is empty; in a configuration file the value "
                   "must be quoted: serial = \"...\"");
    } else if (strlen(serial) > FEMU_SERIAL_BYTES) {
        error_setg(errp, "serial=%s is too long; it can have %d characters",
                   serial, FEMU_SERIAL_BYTES);
    } else {
        const char *c = serial;

        while (g_ascii_isprint(*c)) {
            c++;
        }
        if (*c) {
            error_setg(errp, "serial has a character 0x%02x; it must be "
                       "printable ASCII", (uint8_t)*c);
        }
        return !*c;
    }
    return false;
}

/*
 * Is this object another realized drive with the serial number of `*found`? If
 * so, *found becomes that drive, and the return value ends the search.
 */
static int serial_is_same(Object *object, void *found)
{
    FemuZns *other = (FemuZns *)object_dynamic_cast(object, TYPE_FEMU_ZNS);
    FemuZns **n = found;

    if (!other || !DEVICE(other)->realized ||
        strcmp(other->serial, (*n)->serial) != 0) {
        return 0;
    }
    *n = other;
    return true;
}

/* The device's id, or else its QOM path, for messages. Caller frees. */
static char *device_name(FemuZns *n)
{
    return DEVICE(n)->id ? g_strdup(DEVICE(n)->id)
                         : object_get_canonical_path(OBJECT(n));
}

static bool serial_check_unique(FemuZns *n, Error **errp)
{
    FemuZns *other = n;
    g_autofree char *name = device_name(n);
    g_autofree char *other_name = NULL;

    if (!object_child_foreach_recursive(object_get_root(), serial_is_same,
                                        &other)) {
        return true;
    }
    other_name = device_name(other);
    error_setg(errp, "serial=%s of drive '%s' is that of drive '%s', too: "
               "NQN, EUI64, NGUID and UUID follow from it and must be unique; "
               "give one of them another serial=", n->serial, name, other_name);
    return false;
}

/* Check the serial number, or choose one. */
bool femu_serial_init(FemuZns *n, Error **errp)
{
    if (!n->serial) {
        n->serial = serial_default(n);
    }
    return serial_check(n->serial, errp) && serial_check_unique(n, errp);
}
