// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes of what was acknowledged, for programs that make them.
 *
 * Knows nothing of what is acknowledged.
 */
#ifndef ACK_H
#define ACK_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ACK_FILE "/results/acks"

/* The processor's counter: under icount the machine's virtual time in ns. */
static unsigned long long ack_counter(void)
{
    unsigned int low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long long)high << 32 | low;
}

/* A whole line, which begins with the counter. Return: 0, or 1 if it fails. */
static int ack_write(const char *line, int bytes)
{
    int fd = open(ACK_FILE, O_WRONLY | O_APPEND | O_CREAT, 0644);

    if (fd < 0 || write(fd, line, bytes) != bytes || close(fd) != 0) {
        fprintf(stderr, "ack: %s: %s\n", ACK_FILE, strerror(errno));
        return 1;
    }
    return 0;
}

#endif
