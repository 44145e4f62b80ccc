/*
 * What fio's JSON has alike wherever it is written: by femu-sim, and by
 * zns-load in the guest, whose compiler has no GLib. It is compiled into the
 * one file of each that writes JSON.
 *
 * Knows nothing of what is measured.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_FIO_JSON_H
#define FEMU_FIO_JSON_H

#include <stdint.h>
#include <stdio.h>

/* The percentiles that fio prints unless it is told otherwise, per million. */
static const uint32_t percentiles[] = {
    10000, 50000, 100000, 200000, 300000, 400000, 500000, 600000, 700000,
    800000, 900000, 950000, 990000, 995000, 999000, 999500, 999900,
};

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fprintf(out, "\\%c", *text);
        } else if ((unsigned char)*text < 0x20) {
            fprintf(out, "\\u%04x", (unsigned char)*text);
        } else {
            fputc(*text, out);
        }
    }
    fputc('"', out);
}

#endif
