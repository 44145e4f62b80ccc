/*
 * What can be inside a drive at once: asks each room, and adds up.
 *
 * Knows nothing of what any of them has.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "params_bounds.h"

#include "ahead/prefetch.h"
#include "buffer/buffer.h"
#include "conv/conv.h"
#include "entry/entry.h"
#include "link/link.h"
#include "reset/reset.h"
#include "zns/zns.h"

Bounds params_bounds(const SsdParams *p)
{
    Bounds bounds = {0};

    entry_bounds(p, &bounds);
    zns_bounds(p, &bounds);
    conv_bounds(p, &bounds);
    reset_bounds(p, &bounds);
    wbuf_bounds(p, &bounds);
    prefetch_bounds(p, &bounds);
    link_bounds(&bounds);
    return bounds;
}
