/*
 * What the oracle shows of a difference that nothing explains: the command,
 * both answers, the zones, and how to see it again.
 *
 * Knows nothing of which differences are accepted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-oracle.h"

static const char *const side_names[ORACLE_SIDES] = {
    [ORACLE_OURS] = "femu-zns",
    [ORACLE_QEMU] = "QEMU nvme",
};

static const char *state_name(uint8_t state)
{
    switch (state) {
    case NVME_ZONE_STATE_EMPTY:
        return "empty";
    case NVME_ZONE_STATE_IMPLICITLY_OPEN:
        return "implicitly open";
    case NVME_ZONE_STATE_EXPLICITLY_OPEN:
        return "explicitly open";
    case NVME_ZONE_STATE_CLOSED:
        return "closed";
    case NVME_ZONE_STATE_FULL:
        return "full";
    default:
        return "(other)";
    }
}

static void print_zone(const char *when, const NvmeZoneDescr *zone)
{
    uint64_t start = le64_to_cpu(zone->zslba), wp = le64_to_cpu(zone->wp);

    printf("    %-18s %s, start 0x%" PRIx64 ", attributes %02xh",
           when, state_name(oracle_zone_state(zone)), start, zone->za);
    if (wp != UINT64_MAX) {
        printf(", wp start+%" PRIu64, wp - start);
    }
    printf("\n");
}

/* The zone that the command names, and those that the drives see otherwise. */
static void print_zones(const OracleCase *c)
{
    uint64_t target = c->cmd ? oracle_slba(c->cmd) /
                               oracle_zone_nlb(c->oracle) : UINT64_MAX;

    for (unsigned i = 0; i < c->oracle->config->zones; i++) {
        const NvmeZoneDescr *one = &c->after[ORACLE_OURS].zone[i];
        const NvmeZoneDescr *two = &c->after[ORACLE_QEMU].zone[i];

        if (i != target && memcmp(one, two, sizeof(*one)) == 0) {
            continue;
        }
        printf("  zone %u%s\n", i, i == target ? ", the command's" : "");
        print_zone("before", &c->before.zone[i]);
        print_zone("after, femu-zns", one);
        print_zone("after, QEMU nvme", two);
    }
}

static void print_command(const OracleCase *c)
{
    const NvmeCmd *sqe = &c->cmd->sqe;
    uint64_t slba = oracle_slba(c->cmd), zone_nlb = oracle_zone_nlb(c->oracle);

    printf("  command: %s, opcode %02xh, flags %02xh, nsid 0x%x, "
           "slba 0x%" PRIx64 " (zone %" PRIu64 " + %" PRIu64 "),\n"
           "    cdw12 %08x, cdw13 %08x, cdw14 %08x, cdw15 %08x, "
           "%u bytes at offset %u by %s\n",
           c->cmd->op->name, sqe->opcode, sqe->flags, oracle_nsid(c->cmd),
           slba, slba / zone_nlb, slba % zone_nlb, le32_to_cpu(sqe->cdw12),
           le32_to_cpu(sqe->cdw13), le32_to_cpu(sqe->cdw14),
           le32_to_cpu(sqe->cdw15), c->cmd->bytes, c->cmd->offset_bytes,
           oracle_layout_name(c->cmd->layout));
}

static void print_aspects(unsigned aspects)
{
    static const char *const names[] = {
        "the status", "the assigned LBA", "the data", "the zones afterwards",
        "state that no report shows", "our error changed a zone",
        "our status is against the rules in femu-zns-oracle-rules.c",
        "another namespace of ours has changed",
    };

    printf("  what is wrong:");
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (aspects & 1u << i) {
            printf(" %s;", names[i]);
        }
    }
    printf("\n");
}

static void print_rerun(const Oracle *oracle)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);

    printf("oracle: again: FEMU_SEED=%u FEMU_ORACLE_STOP=%" PRIu64
           " QTEST_QEMU_BINARY=%s %s -p /%s/femu-zns/oracle/%s\n",
           oracle->seed, oracle->commands, g_getenv("QTEST_QEMU_BINARY"),
           program ?: "femu-zns-oracle-test", qtest_get_arch(),
           oracle->config->name);
}

static void print_head(const OracleCase *c, const char *what)
{
    printf("oracle: %s: %s, namespace %u, seed %u, command %" PRIu64 "\n",
           what, c->oracle->config->name, c->oracle->nsid, c->oracle->seed,
           c->oracle->commands);
    if (c->cmd) {
        print_command(c);
    } else {
        printf("  that and up to %u before it were in flight together\n",
               ORACLE_SLOTS - 1);
    }
}

void oracle_print_case(const OracleCase *c)
{
    print_head(c, "unexplained difference");
    for (unsigned side = 0; side < ORACLE_SIDES && c->cmd; side++) {
        printf("  %s: status %03xh, result 0x%" PRIx64 "\n", side_names[side],
               c->answer[side].status, c->answer[side].result);
    }
    print_aspects(c->aspects);
    print_zones(c);
    print_rerun(c->oracle);
    fflush(stdout);
}

void oracle_print_death(const OracleCase *c)
{
    print_head(c, "QEMU ended at");
    print_rerun(c->oracle);
    fflush(stdout);
}
