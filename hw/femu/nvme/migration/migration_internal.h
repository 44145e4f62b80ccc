/*
 * What the files of this room need of each other. A drive that has been read
 * from a stream is a FemuZns of its own, `saved`, which is no QEMU object: it
 * has only what is saved, and what that needs. Once all of it has been checked,
 * the drive takes it over.
 *
 * Knows nothing of what the drive does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_MIGRATION_MIGRATION_INTERNAL_H
#define FEMU_NVME_MIGRATION_MIGRATION_INTERNAL_H

#include "migration.h"
#include "migration/qemu-file-types.h"
#include "../../base/state.h"

/* femu_saved_state.c: all but core and data, as bytes; both ways. */
void femu_saved_visit(FemuZns *n, uint64_t *timer_at_ns, State *state);

/* femu_saved_check.c: what has been read fits together, and fits the core. */
void femu_saved_check(const FemuZns *saved, uint64_t timer_at_ns,
                      State *state);

/* femu_saved.c: the drive that is read, and taken over. */
FemuZns *femu_saved_new(const FemuZns *n, Ssd *ssd);
void femu_saved_free(FemuZns *saved);
void femu_saved_take(FemuZns *n, FemuZns *saved, uint64_t timer_at_ns);

/* femu_saved_bytes.c: what is large; data are written to memory at once. */
void femu_part_put(QEMUFile *f, const uint8_t *data, uint64_t bytes);
GByteArray *femu_part_get(QEMUFile *f, const char *name, Error **errp);
void femu_data_put(QEMUFile *f, FemuZns *n);
bool femu_data_get(QEMUFile *f, FemuZns *saved, Error **errp);
bool femu_trace_put(QEMUFile *f, FemuZns *n, Error **errp);
bool femu_trace_get(QEMUFile *f, FemuZns *n, Error **errp);

#endif
