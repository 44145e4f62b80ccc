/*
 * LBA formats, and the progress of a Format NVM command on a namespace.
 *
 * Knows nothing of how that command is carried out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "ns.h"

/* LBA data sizes of the formats, as powers of two; none has metadata. */
static const uint8_t format_shift[FEMU_LBA_FORMATS] = { 9, 12 };

uint32_t femu_format_lba_bytes(unsigned format)
{
    return 1u << format_shift[format];
}

/* The LBA format of the namespace; while it is being formatted, the new one. */
unsigned femu_format_current(const FemuNs *ns)
{
    unsigned format = 0;

    while (femu_format_lba_bytes(format) != ns->lba_bytes) {
        format++;
    }
    return format;
}

/* Is this namespace (any, for NULL) being formatted? */
bool femu_format_busy(const FemuZns *n, const FemuNs *ns)
{
    return ns ? ns->format_step != FEMU_FORMAT_IDLE
              : n->format.namespaces_left > 0;
}

/* The core has reset all zones of the namespace. */
void femu_format_reset_done(FemuNs *ns)
{
    assert(ns->format_step == FEMU_FORMAT_RESETTING);
    ns->format_step = FEMU_FORMAT_RESET;
}
