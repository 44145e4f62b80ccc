/*
 * Sweeps: a drive meets many commands, and all that it answers becomes a text.
 *
 * Knows nothing of which commands.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_SWEEP_H
#define FEMU_ZNS_SWEEP_H

#include "femu-zns-commands.h"

#define FEMU_SWEEP_PATH "/machine/peripheral/zns4"

typedef struct Sweep {
    FemuDrive *drive;
    GString *text;
    bool shows;             /* what commands leave in the buffer, too */
} Sweep;

typedef struct SweepCase {
    const char *name;
    void (*sweep)(Sweep *s);
} SweepCase;

#define SAY(sweep, ...) g_string_append_printf((sweep)->text, __VA_ARGS__)
/* The values of a list, one after another. */
#define EACH(type, name, ...)                                               \
    for (const type name##_all[] = { __VA_ARGS__ }, *name = name##_all;     \
         name < name##_all + G_N_ELEMENTS(name##_all); name++)

/* The buffer's first bytes, which are looked at after a command, become this.
 */
void sweep_fill(Sweep *s, uint8_t byte);

/* A command, and what the drive answers, now or later; nothing, if it does not.
 */
void sweep_run(Sweep *s, FemuSq *sq, const NvmeCmd *cmd);

/* Commands whose data are in the buffer. */
NvmeCmd sweep_admin_cmd(const Sweep *s, uint8_t opcode, uint32_t nsid,
                        uint32_t cdw10, uint32_t cdw11);
NvmeCmd sweep_io_cmd(Sweep *s, uint8_t opcode, uint64_t slba, uint32_t nlb);

/* A user writes a QOM property, reads one; what comes of it. */
void sweep_set(Sweep *s, const char *property, const char *value);
void sweep_get(Sweep *s, const char *property);
/* All blocks are good again. */
void sweep_clear(Sweep *s);

/*
 * Add a test for each case and each kind of drive, called sweep/KIND/CASE; its
 * text's digest is in tests/data/corpus/FILE.csv as KIND-CASE.
 */
void sweep_add(const char *file, const SweepCase *cases, unsigned count);

#endif
