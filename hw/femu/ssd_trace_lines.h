/*
 * What writer and reader of trace files share: the form of their lines.
 *
 * Knows nothing of files.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_TRACE_LINES_H
#define FEMU_SSD_TRACE_LINES_H

#include "ssd_types.h"

#define TRACE_MAGIC "# femu-zns trace 2"
#define TRACE_LINE_BYTES_MAX 256
/* One range too many is as wrong as any number of them. */
#define TRACE_RANGES_MAX (SSD_DEALLOCATE_RANGES_MAX + 1)

/* Do R records go before the S of such a command? */
static inline bool ssd_trace_has_ranges(SsdOp op)
{
    return op == SSD_OP_COPY || op == SSD_OP_DEALLOCATE;
}

#endif
