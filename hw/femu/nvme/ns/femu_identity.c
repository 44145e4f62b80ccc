/*
 * Identifiers that must be unique (EUI64, NGUID, UUID, NQN), made from a hash.
 *
 * Knows nothing of what they identify.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "ns.h"

/* A locally administered OUI, in transmission order. */
static const uint8_t oui[3] = { 0x52, 0x54, 0x00 };

/* Hash a name; no other controller or namespace may have the same name. */
void femu_identity_hash(const char *name, uint8_t hash[FEMU_IDENTITY_BYTES])
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize bytes = FEMU_IDENTITY_BYTES;

    g_checksum_update(sum, (const guchar *)"femu-zns:", -1);
    g_checksum_update(sum, (const guchar *)name, strlen(name));
    g_checksum_get_digest(sum, hash, &bytes);
    assert(bytes == FEMU_IDENTITY_BYTES);
}

/* The OUI followed by five bytes of the hash, in transmission order. */
void femu_identity_eui64(const uint8_t *identity, uint8_t eui[8])
{
    memcpy(eui, oui, sizeof(oui));
    memcpy(eui + sizeof(oui), identity, 5);
}

/* NVMe base 2.0, 4.5.1: 8 bytes of vendor extension, then as the EUI64. */
void femu_identity_nguid(const uint8_t *identity, uint8_t nguid[16])
{
    femu_identity_eui64(identity, nguid + 8);
    memcpy(nguid, identity + 8, 8);
}

/* A UUID of version 8 (RFC 9562: vendor-specific content) from the hash. */
void femu_identity_uuid(const uint8_t *identity, uint8_t uuid[16])
{
    memcpy(uuid, identity + 16, 16);
    uuid[6] = 0x80 | (uuid[6] & 0x0f);
    uuid[8] = 0x80 | (uuid[8] & 0x3f);
}

/* The UUID form of a qualified name (NVMe base 2.0, 4.5). */
void femu_identity_nqn(const uint8_t *identity, char *nqn, size_t nqn_bytes)
{
    uint8_t u[16];

    femu_identity_uuid(identity, u);
    snprintf(nqn, nqn_bytes, "nqn.2014-08.org.nvmexpress:uuid:"
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
             "%02x%02x%02x%02x%02x%02x",
             u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9],
             u[10], u[11], u[12], u[13], u[14], u[15]);
}

/* The OUI, least significant byte first. */
void femu_identity_ieee(uint8_t ieee[3])
{
    static const uint8_t reversed[3] = { 0x00, 0x54, 0x52 };

    memcpy(ieee, reversed, sizeof(reversed));
}
