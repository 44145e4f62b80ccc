/*
 * The folder of a state, and a drive that is in it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_FOLDER_H
#define FEMU_ZNS_FOLDER_H

#include "femu-zns-commands.h"

#define FEMU_FOLDER_FILES 4

/* The name of a file of a state. */
const char *femu_folder_name(unsigned number);

/* A new folder that is empty; its end, with the state in it. */
char *femu_folder_new(void);
void femu_folder_delete(char *folder);
char *femu_folder_file(const char *folder, const char *name);

/*
 * The folder as it is now. QEMU does nothing while it waits for us, so this is
 * what a kill at this instant would leave.
 */
char *femu_folder_copy(const char *folder);

FemuDrive *femu_folder_boot(const FemuConfig *config, const char *folder);

/* QEMU says this of the state, and does not start the drive. */
void femu_folder_refused(const FemuConfig *config, const char *folder,
                         const char *extra, const char *message);

/*
 * femu-sim, which FEMU_SIM names, does this with a state or trace, and says that
 * it is good. Without FEMU_SIM the test is skipped.
 */
void femu_ask_sim(const char *command, const char *path, const char *good);

NvmeSmartLog femu_smart(FemuDrive *drive);
void femu_assert_power(FemuDrive *drive, uint64_t cycles, uint64_t unsafe);

/* Data that differ by place and seed. */
void femu_write_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                        unsigned seed);
void femu_assert_pattern(FemuDrive *drive, uint64_t slba, uint32_t nlb,
                         unsigned seed);

#endif
