/*
 * Statistics as QOM properties.
 *
 * Knows nothing of what they say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "user.h"
#include "../../ssd_live.h"
#include "../request/request.h"

/* A drive that is not realized is one whom nobody can ask. */
static char *qom_get_stats(Object *obj, Error **errp)
{
    FemuZns *n = FEMU_ZNS(obj);
    char *text;

    femu_lock(n);
    femu_time_enter(n);
    text = femu_stats_json(n);
    femu_unlock(n);
    return text;
}

/* Nothing is entered: whoever watches changes nothing, not even the clock. */
static char *qom_get_live(Object *obj, Error **errp)
{
    FemuZns *n = FEMU_ZNS(obj);
    char *text;

    femu_lock(n);
    text = ssd_live_json(n->ssd);
    femu_unlock(n);
    return text;
}

static void qom_reset_stats(Object *obj, bool value, Error **errp)
{
    FemuZns *n = FEMU_ZNS(obj);

    if (!n->ssd) {
        error_setg(errp, "stats-reset: the drive is not realized yet");
        return;
    }
    if (value) {
        femu_lock(n);
        femu_time_enter(n);
        femu_stats_reset(n);
        femu_unlock(n);
    }
}

void femu_stats_class_init(ObjectClass *oc)
{
    object_class_property_add_str(oc, "stats", qom_get_stats, NULL);
    object_class_property_set_description(oc, "stats",
                                          "statistics as JSON text");
    object_class_property_add_str(oc, "live", qom_get_live, NULL);
    object_class_property_set_description(oc, "live",
                                          "what the drive does now, as JSON");
    object_class_property_add_bool(oc, "stats-reset", NULL, qom_reset_stats);
    object_class_property_set_description(oc, "stats-reset",
                                          "write true to reset statistics");
}
