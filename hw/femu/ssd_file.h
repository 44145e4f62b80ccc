/*
 * Opens files, and never waits for anybody in doing so.
 *
 * Knows nothing of what is in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SSD_FILE_H
#define FEMU_SSD_FILE_H

#include <stdio.h>

/*
 * fopen() to read, or to write anew. A FIFO at whose other end nobody is
 * cannot be opened; fopen() would wait there, for ever if nobody comes.
 * Return: NULL with errno and the words for it in *wrong.
 */
FILE *ssd_file_read(const char *path, const char **wrong);
FILE *ssd_file_create(const char *path, const char **wrong);

#endif
