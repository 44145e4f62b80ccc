// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes standard input to QEMU's debug console, an I/O port: each byte leaves
 * at its own instruction, so speaking costs the same virtual time in every run
 * (a serial line interrupts when it has sent).
 *
 * Knows nothing of what is said.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEBUGCON_PORT 0xe9

int main(void)
{
    char bytes[4096];
    ssize_t length;
    int fd = open("/dev/port", O_WRONLY);

    if (fd < 0) {
        fprintf(stderr, "say: /dev/port: %s\n", strerror(errno));
        return 1;
    }
    while ((length = read(0, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < length; i++) {
            if (pwrite(fd, &bytes[i], 1, DEBUGCON_PORT) != 1) {
                fprintf(stderr, "say: port %#x: %s\n", DEBUGCON_PORT,
                        strerror(errno));
                return 1;
            }
        }
    }
    return length < 0;
}
