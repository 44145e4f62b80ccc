/*
 * Namespaces: what there are, what they are, and their data.
 *
 * Knows nothing of commands or queues.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_NS_NS_H
#define FEMU_NVME_NS_NS_H

#include "../state/femu.h"

/* femu_memory.c: the memory that data lies in. */
bool femu_memory_init(FemuMemory *memory, uint64_t bytes, int fd,
                      HostMemoryBackend *memdev, SsdJournal **journal,
                      Error **errp);
void femu_memory_exit(FemuMemory *memory);

/* femu_store.c: the data of a namespace. */
void femu_store_write(FemuStore *store, uint64_t offset_bytes,
                      const void *buf, uint64_t bytes);
void femu_store_write_zeroes(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes);
const void *femu_store_read(const FemuStore *store, uint64_t offset_bytes,
                            uint64_t bytes, void *bounce);
void femu_store_deallocate(FemuStore *store, uint64_t offset_bytes,
                           uint64_t bytes);
void femu_store_loaded(FemuStore *store);

/* femu_ns.c: namespaces. */
void femu_ns_init(FemuZns *n);
void femu_ns_exit(FemuZns *n);
FemuNs *femu_ns(const FemuZns *n, uint32_t nsid);
bool femu_number_from_text(const char **at, char end, uint64_t *value);
FemuNs *femu_ns_from_text(const FemuZns *n, const char *name,
                          const char *value, const char **rest, Error **errp);
bool femu_set_enabled(const FemuZns *n, uint8_t csi);
bool femu_ns_set_enabled(const FemuZns *n, const FemuNs *ns);
bool femu_ns_active(const FemuZns *n, const FemuNs *ns);
uint16_t femu_ns_find_active(const FemuZns *n, uint32_t nsid, FemuNs **ns);
uint64_t femu_ns_zone_nlb(const FemuNs *ns);
uint64_t femu_ns_size_lba(const FemuNs *ns);
uint64_t femu_ns_capacity_nlb(const FemuNs *ns);
bool femu_ns_zoned(const FemuNs *ns);
void femu_ns_forget(FemuNs *ns);
SsdZone femu_ns_zone(const FemuZns *n, const FemuNs *ns, uint32_t zone_idx);
uint32_t femu_copy_max_nlb(const FemuZns *n, const FemuNs *ns);
uint32_t femu_copy_range_max_nlb(const FemuZns *n, const FemuNs *ns);

/* femu_zone.c: what a zone has beside its state. */
bool femu_zone_has_wp(SsdZoneState state);
const void *femu_zone_ext(const FemuZns *n, const FemuNs *ns,
                          uint32_t zone_idx);
void femu_zone_failed(FemuNs *ns, uint32_t zone_idx, SsdZoneState state);
void femu_zones_managed(const FemuZns *n, FemuNs *ns, const SsdCmd *cmd,
                        uint32_t tag);
void femu_zones_reset_done(FemuNs *ns, uint32_t zone_idx, uint32_t tag);
void femu_zones_power_cut(const FemuZns *n, FemuNs *ns);

/* femu_ns_format.c: LBA formats, and the one that a namespace is getting. */
uint32_t femu_format_lba_bytes(unsigned format);
unsigned femu_format_current(const FemuNs *ns);
bool femu_format_busy(const FemuZns *n, const FemuNs *ns);
void femu_format_reset_done(FemuNs *ns);

/* femu_bad_blocks.c: blocks that a user has made bad. */
uint16_t femu_inject_read(FemuZns *n, FemuNs *ns, uint64_t slba, uint64_t nlb);
uint16_t femu_inject_write(FemuZns *n, FemuNs *ns, const SsdCmd *cmd);
bool femu_inject_fits(const FemuNs *ns, uint64_t slba, uint64_t nlb);
void femu_inject_clear(FemuNs *ns);

/* femu_identity.c: unique names, made from a hash of one. */
void femu_identity_hash(const char *name, uint8_t hash[FEMU_IDENTITY_BYTES]);
void femu_identity_eui64(const uint8_t *identity, uint8_t eui[8]);
void femu_identity_nguid(const uint8_t *identity, uint8_t nguid[16]);
void femu_identity_uuid(const uint8_t *identity, uint8_t uuid[16]);
void femu_identity_nqn(const uint8_t *identity, char *nqn, size_t nqn_bytes);
void femu_identity_ieee(uint8_t ieee[3]);

#endif
