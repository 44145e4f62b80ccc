/*
 * What the oracle's commands came to: how often each operation ended with each
 * status. Shows that the sequences reach what they should.
 *
 * Knows nothing of which status is right.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-oracle.h"

#define STATUS_COUNT 0x800u             /* SCT and SC: 11 bits */

typedef struct Counts {
    const OracleOp *op;
    uint64_t of_status[STATUS_COUNT];
} Counts;

static Counts counts[ORACLE_OPS_MAX];
static unsigned counted;

static Counts *counts_of(const OracleOp *op)
{
    for (unsigned i = 0; i < counted; i++) {
        if (counts[i].op == op) {
            return &counts[i];
        }
    }
    g_assert_cmpuint(counted, <, ORACLE_OPS_MAX);
    counts[counted].op = op;
    return &counts[counted++];
}

void oracle_count_answer(const OracleCmd *cmd, uint16_t status)
{
    g_assert_cmphex(status, <, STATUS_COUNT);
    counts_of(cmd->op)->of_status[status]++;
}

void oracle_count_print(void)
{
    for (unsigned i = 0; i < counted; i++) {
        printf("# %s:", counts[i].op->name);
        for (unsigned status = 0; status < STATUS_COUNT; status++) {
            if (counts[i].of_status[status]) {
                printf(" %03xh %" PRIu64 ",", status,
                       counts[i].of_status[status]);
            }
        }
        printf("\n");
    }
}
