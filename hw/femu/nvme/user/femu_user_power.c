/*
 * The QOM property by which a user cuts the power while the drive runs.
 *
 * Knows nothing of what becomes of the drive.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "user.h"
#include "../../params_text.h"
#include "../controller/controller.h"

static void set_cut(Object *obj, const char *value, Error **errp)
{
    FemuZns *n = FEMU_ZNS(obj);
    const char *wrong;
    uint64_t seed;

    if (!n->plugged) {
        error_setg(errp, "power-cut: the drive is not realized yet");
        return;
    }
    wrong = ssd_param_parse(SSD_PARAM_TYPE_U64, value, &seed);
    if (wrong) {
        error_setg(errp, "power-cut=%s: '%s' %s; must be a number, the seed "
                   "that decides what becomes of what is inside", value, value,
                   wrong);
        return;
    }
    femu_entry_begin(n);
    n->cut_seed = seed;
    n->cut_noted = true;
    femu_entry_end(n);
}

void femu_power_class_init(ObjectClass *oc)
{
    object_class_property_add_str(oc, "power-cut", NULL, set_cut);
    object_class_property_set_description(oc, "power-cut",
        "write a seed: the power goes now, and comes back");
}
