// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives the kernel's random number generator 256 constant bits and has them
 * counted as entropy: programs that ask for random bytes get the same ones in
 * every run, and none waits while the kernel gathers entropy.
 *
 * Knows nothing of who will draw them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/random.h>

#define SEED_BYTES 32

int main(void)
{
    struct {
        int entropy_bits;
        int size_bytes;
        unsigned char bytes[SEED_BYTES];
    } seed = { SEED_BYTES * 8, SEED_BYTES, { 0 } };
    int fd = open("/dev/urandom", O_WRONLY);

    memset(seed.bytes, 0x5a, sizeof(seed.bytes));
    if (fd < 0 || ioctl(fd, RNDADDENTROPY, &seed) != 0) {
        fprintf(stderr, "seed-rng: /dev/urandom: %s\n", strerror(errno));
        return 1;
    }
    return 0;
}
