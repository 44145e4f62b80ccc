/*
 * The digest at the end of a drive's state.
 *
 * Knows nothing of what is before it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_SEAL_H
#define FEMU_TEST_SEAL_H

#include <glib.h>

#define DIGEST_BYTES 32

/* As the drive's own code seals it: SHA-256 of all bytes before it. */
static inline void seal(GByteArray *bytes)
{
    g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize count = DIGEST_BYTES;

    g_checksum_update(checksum, bytes->data, bytes->len - DIGEST_BYTES);
    g_checksum_get_digest(checksum, bytes->data + bytes->len - DIGEST_BYTES,
                          &count);
}

#endif
