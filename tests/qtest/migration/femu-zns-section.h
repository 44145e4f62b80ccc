/*
 * The device's section of a machine that has been saved: it can be loaded
 * alone, again and again by one QEMU, from a snapshot in a qcow2 image in whose
 * place it is written.
 *
 * Knows of it that it has a core and a device, each a length in 8 bytes, the
 * bytes, and a CRC-32 in 4.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_SECTION_H
#define FEMU_ZNS_SECTION_H

#include "femu-zns-commands.h"

/* A drive, and where streams go. */
typedef struct Bench {
    FemuDrive *drive;
    char *trace;            /* file that the drive writes, or NULL */
    char *saved;
    char *image;
    int fd;                 /* of the image */
    off_t at;               /* where in it the snapshot's sections are */
} Bench;

/* The device's section: bytes, and where its parts are. */
typedef struct Section {
    GByteArray *bytes;
    guint core_at;
    guint core_count;
    guint at;               /* of the device */
    guint count;
} Section;

typedef enum BenchTrace {
    NO_TRACE,
    TRACE,
    TRACE_ON_FULL_DISK,
} BenchTrace;

/* 12 zones in two namespaces, a conventional one, a volatile cache. */
Bench *bench_new(BenchTrace trace);
void bench_free(Bench *b);
/* From now on the machine stands still, and streams can be loaded. */
void bench_stop(Bench *b);

Section section_save(Bench *b);
/* Return: what the device says; "" if it is let in. */
char *section_load(Bench *b, const GByteArray *bytes);
/* The section with another byte of the core's part. */
GByteArray *section_with_core(const Section *s, guint at, uint8_t value);
/* The section with another device's part. */
GByteArray *section_with_part(const Section *s, const GByteArray *part);
uint32_t section_crc(const uint8_t *bytes, size_t count);
void section_append(GByteArray *bytes, uint8_t value);

#endif
