/*
 * Media errors that a user asks for, in QOM properties that can be written at
 * run time: blocks that cannot be read, or cannot be written.
 *
 * A read of a bad block takes its time and then fails, without data; a write
 * to one fails at once and changes nothing.
 *
 * Knows nothing of zones' rules or of queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/range.h"
#include "femu.h"

/* Is one of these blocks bad? */
static bool bad_any(const FemuBadBlocks *bad, uint64_t slba, uint64_t nlb)
{
    for (uint32_t i = 0; i < bad->count; i++) {
        if (ranges_overlap(slba, nlb, bad->range[i].slba,
                           bad->range[i].nlb)) {
            return true;
        }
    }
    return false;
}

/* Return: the status of a read of these blocks, which are in the namespace. */
uint16_t femu_inject_read(FemuNs *ns, uint64_t slba, uint64_t nlb)
{
    if (!bad_any(&ns->bad_reads, slba, nlb)) {
        return NVME_SUCCESS;
    }
    ns->smart.media_errors++;
    return NVME_UNRECOVERED_READ;
}

static bool state_writable(SsdZoneState state)
{
    return state == SSD_ZONE_EMPTY || state == SSD_ZONE_CLOSED ||
           state == SSD_ZONE_IMPLICITLY_OPEN ||
           state == SSD_ZONE_EXPLICITLY_OPEN;
}

/* At its write pointer, or where a zone with a ZRWA takes writes. */
static bool lba_writable(const FemuZns *n, const FemuNs *ns,
                         const SsdZone *zone, uint64_t lba)
{
    uint64_t zrwa_nlb = n->params.zrwa_bytes / ns->lba_bytes;

    return lba == zone->wp_lba ||
           (zone->has_zrwa && lba > zone->wp_lba &&
            lba - zone->wp_lba < 2 * zrwa_nlb);
}

/*
 * Where the write of a zone goes, if there its zone can be written. Return:
 * false if not, which is left to the core to refuse.
 */
static bool find_in_zone(const FemuZns *n, const FemuNs *ns, const SsdCmd *cmd,
                         uint64_t *at_lba)
{
    SsdZone zone = femu_ns_zone(n, ns, cmd->slba / femu_ns_zone_nlb(ns));

    if (cmd->op == SSD_OP_APPEND && cmd->slba == zone.start_lba) {
        *at_lba = zone.wp_lba;
    }
    return state_writable(zone.state) && lba_writable(n, ns, &zone, *at_lba);
}

/* Return: the status of a write, before the core is asked. */
uint16_t femu_inject_write(FemuZns *n, FemuNs *ns, const SsdCmd *cmd)
{
    uint64_t size_lba = femu_ns_size_lba(ns), at_lba = cmd->slba;

    if (!ns->bad_writes.count || cmd->slba >= size_lba ||
        cmd->nlb > size_lba - cmd->slba ||
        (femu_ns_zoned(ns) && !find_in_zone(n, ns, cmd, &at_lba)) ||
        !bad_any(&ns->bad_writes, at_lba, cmd->nlb)) {
        return NVME_SUCCESS;
    }
    ns->smart.media_errors++;
    return NVME_WRITE_FAULT;
}

static void bad_add(const FemuNs *ns, FemuBadBlocks *bad, const char *name,
                    const char *value, const char *at, Error **errp)
{
    uint64_t slba, nlb;

    if (qemu_strtou64(at, &at, 0, &slba) < 0 || *at != ' ' ||
        qemu_strtou64(at + 1, NULL, 0, &nlb) < 0) {
        error_setg(errp, "%s=%s: must be the first block and the number of "
                   "blocks, such as \"4096 8\", or \"2:4096 8\" in namespace "
                   "2", name, value);
        return;
    }
    if (slba >= femu_ns_size_lba(ns) || nlb < 1 ||
        nlb > femu_ns_size_lba(ns) - slba) {
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

/* The ranges of all namespaces as they are written, separated by commas. */
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
        bad_add(ns, bad_of(ns, writes), name, value, rest, errp);
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

/* All blocks are good again. */
void femu_inject_clear(FemuNs *ns)
{
    ns->bad_reads.count = 0;
    ns->bad_writes.count = 0;
}

static void set_clear(Object *obj, bool value, Error **errp)
{
    FemuZns *n = FEMU_ZNS(obj);

    for (uint32_t i = 0; value && i < n->ns_count; i++) {
        femu_inject_clear(&n->ns[i]);
    }
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
