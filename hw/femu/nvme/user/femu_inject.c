/*
 * Media errors that a user asks for, in QOM properties that can be written at
 * run time: blocks that cannot be read, or cannot be written.
 *
 * Knows nothing of what becomes of commands that meet them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "user.h"
#include "../ns/ns.h"

static void bad_add(const FemuNs *ns, FemuBadBlocks *bad, const char *name,
                    const char *value, const char *at, Error **errp)
{
    uint64_t slba, nlb;

    if (!femu_number_from_text(&at, ' ', &slba)) {
        at = "";
    }
    at += strspn(at, " ");
    if (!femu_number_from_text(&at, '\0', &nlb)) {
        error_setg(errp, "%s=%s: must be the first block and the number of "
                   "blocks, such as \"4096 8\", or \"2:4096 8\" in namespace "
                   "2; numbers have no 0 in front", name, value);
        return;
    }
    if (!femu_inject_fits(ns, slba, nlb)) {
        error_setg(errp, "%s=%s: must be within the %" PRIu64 " blocks of the "
                   "namespace, and at least one block", name, value,
                   femu_ns_size_lba(ns));
        return;
    }
    if (bad->count == FEMU_BAD_RANGES) {
        error_setg(errp, "%s=%s: there are %d ranges already, which is the "
                   "most; inject-clear removes them", name, value,
                   FEMU_BAD_RANGES);
        return;
    }
    bad->range[bad->count].slba = slba;
    bad->range[bad->count].nlb = nlb;
    bad->count++;
}

static FemuBadBlocks *bad_of(FemuNs *ns, bool writes)
{
    return writes ? &ns->bad_writes : &ns->bad_reads;
}

/* The ranges of all namespaces, each as a user sets it, joined by commas. */
static char *bad_text(Object *obj, bool writes)
{
    const FemuZns *n = FEMU_ZNS(obj);
    GString *text = g_string_new(NULL);

    for (uint32_t nsid = 1; nsid <= n->ns_count; nsid++) {
        const FemuBadBlocks *bad = bad_of(femu_ns(n, nsid), writes);

        for (uint32_t i = 0; i < bad->count; i++) {
            g_string_append(text, text->len ? ", " : "");
            if (nsid > 1) {
                g_string_append_printf(text, "%" PRIu32 ":", nsid);
            }
            g_string_append_printf(text, "%" PRIu64 " %" PRIu64,
                                   bad->range[i].slba, bad->range[i].nlb);
        }
    }
    return g_string_free(text, false);
}

static void bad_set(Object *obj, bool writes, const char *name,
                    const char *value, Error **errp)
{
    const char *rest;
    FemuNs *ns = femu_ns_from_text(FEMU_ZNS(obj), name, value, &rest, errp);

    if (ns) {
        femu_lock(FEMU_ZNS(obj));
        bad_add(ns, bad_of(ns, writes), name, value, rest, errp);
        femu_unlock(FEMU_ZNS(obj));
    }
}

static char *get_read_errors(Object *obj, Error **errp)
{
    return bad_text(obj, false);
}

static void set_read_error(Object *obj, const char *value, Error **errp)
{
    bad_set(obj, false, "inject-read-error", value, errp);
}

static char *get_write_errors(Object *obj, Error **errp)
{
    return bad_text(obj, true);
}

static void set_write_error(Object *obj, const char *value, Error **errp)
{
    bad_set(obj, true, "inject-write-error", value, errp);
}

static void set_clear(Object *obj, bool value, Error **errp)
{
    FemuZns *n = FEMU_ZNS(obj);

    femu_lock(n);
    for (uint32_t i = 0; value && i < n->ns_count; i++) {
        femu_inject_clear(&n->ns[i]);
    }
    femu_unlock(n);
}

void femu_inject_class_init(ObjectClass *oc)
{
    object_class_property_add_str(oc, "inject-read-error", get_read_errors,
                                  set_read_error);
    object_class_property_set_description(oc, "inject-read-error",
        "write \"slba nlb\" to make these blocks unreadable");
    object_class_property_add_str(oc, "inject-write-error", get_write_errors,
                                  set_write_error);
    object_class_property_set_description(oc, "inject-write-error",
        "write \"slba nlb\" to make writes to these blocks fail");
    object_class_property_add_bool(oc, "inject-clear", NULL, set_clear);
    object_class_property_set_description(oc, "inject-clear",
        "write true to make all blocks good again");
}
