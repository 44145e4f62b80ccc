/*
 * A range of bytes of a zone: below the namespaces, which have blocks, places
 * are counted in bytes. And SSD_NONE, the index that means none.
 *
 * Knows nothing of zones but their number.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SPAN_H
#define FEMU_SPAN_H

#include <stdint.h>

#define SSD_NONE UINT32_MAX

/* Bytes [begin, end) of a zone, counted from its start. */
typedef struct Span {
    uint32_t zone_idx;
    uint64_t begin_bytes;
    uint64_t end_bytes;
} Span;

#endif
