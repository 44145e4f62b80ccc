/*
 * Reads a drive's parameters from the file that QEMU reads with -readconfig.
 *
 * Knows nothing of what the parameters mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_CONFIG_FILE_H
#define FEMU_CONFIG_FILE_H

#include "params.h"

#define CONFIG_FILE_ERROR config_file_error_quark()
GQuark config_file_error_quark(void);

/*
 * Set in *params what the section [device "<id>"] with driver = "femu-zns"
 * gives; what it does not name stays. `device_id` chooses among several such
 * sections; NULL: there must be exactly one. Keys that concern only QEMU are
 * checked and passed over, other sections only for their form.
 *
 * Refuses what QEMU refuses, and also what QEMU accepts but understands
 * differently from what is written: an unquoted value becomes empty there, a
 * second value for a key replaces the first, 010 is octal. The rules between
 * parameters are the caller's to check.
 * Return: false and *error naming file, line, key, value and what is right.
 */
bool config_file_read(const char *path, const char *device_id,
                      SsdParams *params, GError **error);

/* Whether `name` is a key of the device that is no parameter of the drive. */
bool config_file_is_device_key(const char *name);

/* Would QEMU take the value of such a key? Return: false and *error if not. */
bool config_file_check_device_key(const char *name, const char *value,
                                  GError **error);

#endif
