/*
 * Which mutant this process is, and which of them it has reached.
 *
 * FEMU_MUTANT          the mutant's number; none: the original
 * FEMU_MUTANT_REACHED  a file of a byte per number, shared by all processes of
 *                      a test; one that is killed has written what it reached,
 *                      which is where a mutant would have made a difference
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mutant.h"

unsigned char femu_mutant_watched[FEMU_MUTANTS];
int femu_mutant_records;
static int chosen;
static unsigned char *reached;

int femu_mutant_asked(int number)
{
    if (reached) {
        reached[number] = 1;
        femu_mutant_watched[number] = 0;
    }
    return number == chosen;
}

static void __attribute__((constructor(101))) choose_mutant(void)
{
    const char *number = getenv("FEMU_MUTANT");
    const char *path = getenv("FEMU_MUTANT_REACHED");
    void *map;
    int fd;

    chosen = number ? atoi(number) : 0;
    femu_mutant_watched[chosen] = 1;
    if (!path) {
        return;
    }
    fd = open(path, O_RDWR);
    map = fd < 0 ? MAP_FAILED : mmap(NULL, FEMU_MUTANTS,
                                     PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                                     0);
    if (map == MAP_FAILED) {
        perror(path);
        abort();
    }
    close(fd);
    reached = map;
    femu_mutant_records = 1;
    memset(femu_mutant_watched, 1, FEMU_MUTANTS);
}
