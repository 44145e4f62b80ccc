/*
 * One line of a QEMU configuration file: a section, a key, or nothing.
 *
 * Knows nothing of which sections and keys there are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_CONFIG_LINE_H
#define FEMU_CONFIG_LINE_H

#include <glib.h>

/* QEMU reads into buffers of this size; a longer line breaks in two there. */
#define CONFIG_LINE_BYTES 1024

typedef enum ConfigLineKind {
    CONFIG_LINE_EMPTY, /* or a comment */
    CONFIG_LINE_SECTION,
    CONFIG_LINE_KEY,
    CONFIG_LINE_BAD,
} ConfigLineKind;

/*
 * A line taken apart. SECTION: `name` is the group, `value` the id or NULL.
 * KEY: name and value. BAD: `wrong` says why, `name` is where it happened.
 * The strings point into the line that was parsed.
 */
typedef struct ConfigLine {
    ConfigLineKind kind;
    char *name;
    char *value;
    const char *wrong;
} ConfigLine;

/*
 * Take `text`, one line without its newline, apart in place. A form that QEMU
 * would accept but read differently from what is written is BAD.
 */
ConfigLine config_line_parse(char *text);

#endif
