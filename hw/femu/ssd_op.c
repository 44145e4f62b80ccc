/*
 * The names of operations.
 *
 * Knows nothing of what they do.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <glib.h>
#include <string.h>

#include "ssd.h"

static const char *const op_names[SSD_OP_COUNT] = {
    [SSD_OP_READ] = "read",
    [SSD_OP_WRITE] = "write",
    [SSD_OP_APPEND] = "append",
    [SSD_OP_FLUSH] = "flush",
    [SSD_OP_WRITE_ZEROES] = "write-zeroes",
    [SSD_OP_VERIFY] = "verify",
    [SSD_OP_COMPARE] = "compare",
    [SSD_OP_COPY] = "copy",
    [SSD_OP_DEALLOCATE] = "deallocate",
    [SSD_OP_ZONE_OPEN] = "open",
    [SSD_OP_ZONE_CLOSE] = "close",
    [SSD_OP_ZONE_FINISH] = "finish",
    [SSD_OP_ZONE_RESET] = "reset",
    [SSD_OP_ZONE_OFFLINE] = "offline",
    [SSD_OP_ZONE_SET_EXTENSION] = "set-extension",
    [SSD_OP_ZONE_OPEN_ZRWA] = "open-zrwa",
    [SSD_OP_ZONE_SET_EXTENSION_ZRWA] = "set-extension-zrwa",
    [SSD_OP_ZONE_FLUSH_ZRWA] = "flush-zrwa",
    [SSD_OP_ZONE_REPORT] = "report",
    [SSD_OP_IDENTIFY] = "identify",
    [SSD_OP_LOG] = "log",
    [SSD_OP_FEATURE] = "feature",
    [SSD_OP_SHUTDOWN] = "shutdown",
};

const char *ssd_op_name(SsdOp op)
{
    g_assert((unsigned)op < SSD_OP_COUNT);
    return op_names[op];
}

SsdOp ssd_op_from_name(const char *name)
{
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        if (strcmp(name, op_names[op]) == 0) {
            return op;
        }
    }
    return SSD_OP_COUNT;
}
