// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes that something was acknowledged: that it must be there whatever happens
 * from now on. "make crash" gives a check the notes that are older than its cut.
 *
 *   ack TEXT...
 *
 * A line of /results/acks: what the processor's counter says, a blank, the text.
 * Under icount that is the drive's clock, in ns.
 *
 * Knows nothing of what the text means.
 */
#include <stdio.h>
#include <string.h>

#include "ack.h"

int main(int argc, char **argv)
{
    char line[4096];
    unsigned long long now = ack_counter();
    int used = snprintf(line, sizeof(line), "%llu", now);

    for (int i = 1; i < argc && used < (int)sizeof(line); i++) {
        used += snprintf(line + used, sizeof(line) - used, " %s", argv[i]);
    }
    if (argc < 2 || used + 1 >= (int)sizeof(line) || strchr(line, '\n')) {
        fprintf(stderr, "ack: a text of one line is expected\n");
        return 2;
    }
    line[used++] = '\n';
    return ack_write(line, used);
}
