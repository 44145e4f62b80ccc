/*
 * Every field of every I/O command, and of lists of host memory and of ranges,
 * with many values, most of them wrong: what the drive answers, to the letter
 * what it answered when tests/data/corpus/io-sweeps.csv was written. What is
 * right, the other tests say.
 *
 *   FEMU_CORPUS_OUT=dir     write what is said as dir/NAME, compare nothing;
 *                           "scripts/restate io-sweeps" does, and the sums
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-sweep.h"

#define NOWHERE UINT64_C(0xfffff00000)  /* no memory is there */
#define LIST_PAGES 4

/* --- I/O ------------------------------------------------------------------ */

static void sweep_opcode(Sweep *s, uint8_t opcode)
{
    uint64_t zone_nlb = femu_zone_nlb(&s->drive->config);
    uint64_t cap_nlb = femu_cap_nlb(&s->drive->config);
    uint64_t end = s->drive->config.ssd.zones /
                   s->drive->config.ssd.namespaces * zone_nlb;

    EACH(uint64_t, slba, 0, 1, 2, 4, 5, 8, 12, cap_nlb - 4, cap_nlb - 1,
         cap_nlb, zone_nlb - 1, zone_nlb, zone_nlb + 1, 2 * zone_nlb, end - 4,
         end - 1, end, end + 1, UINT64_C(1) << 32, UINT64_MAX) {
        EACH(uint32_t, nlb, 1, 2, 4, 5, 13, 128, 129) {
            NvmeCmd cmd = sweep_io_cmd(s, opcode, *slba, MIN(*nlb, 128));

            cmd.cdw12 = cpu_to_le32(*nlb - 1);
            sweep_run(s, &s->drive->io, &cmd);
        }
    }
    EACH(uint32_t, word, 0x10000, 0x100000, 0x1000000, 0x4000000, 0x20000000,
         0x40000000, 0x80000000) {
        NvmeCmd cmd = sweep_io_cmd(s, opcode, 3 * zone_nlb, 1);

        cmd.cdw12 = cpu_to_le32(*word);
        sweep_run(s, &s->drive->io, &cmd);
        cmd.cdw12 = 0;
        cmd.cdw13 = cpu_to_le32(*word);
        sweep_run(s, &s->drive->io, &cmd);
    }
}

static void sweep_io(Sweep *s)
{
    sweep_set(s, "inject-write-error", "9 1");
    sweep_set(s, "inject-read-error", "2 1");
    sweep_set(s, "inject-write-error", "260 2");
    for (unsigned nsid = 1; nsid <= 4; nsid++) {
        s->drive->nsid = nsid;
        EACH(uint8_t, opcode, NVME_CMD_READ, NVME_CMD_COMPARE, NVME_CMD_VERIFY,
             NVME_CMD_WRITE, NVME_CMD_READ, NVME_CMD_COMPARE, NVME_CMD_VERIFY,
             NVME_CMD_ZONE_APPEND, NVME_CMD_WRITE_ZEROES, NVME_CMD_FLUSH,
             NVME_CMD_WRITE_UNCOR, 0x7f) {
            sweep_opcode(s, *opcode);
        }
    }
}

/* --- Zones ---------------------------------------------------------------- */

/* Zones in as many states as there can be at once, of namespace 1. */
static void make_zones(Sweep *s)
{
    FemuDrive *drive = s->drive;

    EACH(uint32_t, zone, 0, 1, 2) {
        NvmeCmd cmd = sweep_io_cmd(s, NVME_CMD_WRITE,
                                   femu_zone_lba(drive, *zone), 4);

        sweep_run(s, &drive->io, &cmd);
    }
    femu_zone_send(drive, NVME_ZONE_ACTION_CLOSE, femu_zone_lba(drive, 1),
                   false);
    femu_zone_send(drive, NVME_ZONE_ACTION_FINISH, femu_zone_lba(drive, 2),
                   false);
    sweep_set(s, "zone-fail", "3 read-only");
}

static void sweep_reports(Sweep *s)
{
    uint64_t end = s->drive->config.ssd.zones /
                   s->drive->config.ssd.namespaces *
                   femu_zone_nlb(&s->drive->config);

    make_zones(s);
    s->shows = true;
    EACH(uint64_t, slba, 0, 1, 256, 511, 512, 768, end - 1, end, UINT64_MAX) {
        EACH(uint32_t, bytes, 60, 64, 128, 192, 196, 256, 4096, 16384, 16388,
             524288, 524292) {
            NvmeCmd cmd = femu_cmd_report(s->drive, *slba, 0, true,
                                          s->drive->buf, *bytes);

            sweep_fill(s, 0xa5);
            sweep_run(s, &s->drive->io, &cmd);
            cmd.cdw13 = cpu_to_le32(0);
            sweep_run(s, &s->drive->io, &cmd);
        }
        for (unsigned filter = 0; filter < 12; filter++) {
            EACH(uint32_t, more, 0, 1, 2, 0x10000, 0x10001) {
                NvmeCmd cmd = femu_cmd_report(s->drive, *slba, filter, true,
                                              s->drive->buf, 256);

                cmd.cdw13 = cpu_to_le32(filter << 8 | *more);
                sweep_fill(s, 0xa5);
                sweep_run(s, &s->drive->io, &cmd);
            }
        }
    }
}

static void sweep_sends(Sweep *s)
{
    uint64_t end = s->drive->config.ssd.zones /
                   s->drive->config.ssd.namespaces *
                   femu_zone_nlb(&s->drive->config);

    make_zones(s);
    sweep_fill(s, 0x3c);
    for (unsigned action = 0; action < 0x14; action++) {
        EACH(uint64_t, slba, 0, 1, 4, 256, 512, 768, end - 256, end) {
            EACH(uint32_t, more, 0, 1 << 8, 1 << 9) {
                NvmeCmd cmd = femu_cmd_zone(action, *slba, false);

                cmd.cdw13 |= cpu_to_le32(*more);
                cmd.dptr.prp1 = cpu_to_le64(s->drive->buf);
                sweep_run(s, &s->drive->io, &cmd);
            }
        }
        make_zones(s);
    }
    sweep_set(s, "zone-fail", "0 offline");
    for (unsigned action = 1; action < 6; action++) {
        NvmeCmd cmd = femu_cmd_zone(action, 0, false);

        sweep_run(s, &s->drive->io, &cmd);
        cmd.cdw13 |= cpu_to_le32(1 << 8);
        sweep_run(s, &s->drive->io, &cmd);
    }
}

/* --- Bad blocks ----------------------------------------------------------- */

static void write_around(Sweep *s, uint64_t zone_lba)
{
    EACH(uint64_t, more, 0, 3, 4, 5, 8, 15, 16, 17, 27, 28, 29, 188, 191) {
        EACH(uint8_t, opcode, NVME_CMD_WRITE, NVME_CMD_ZONE_APPEND,
             NVME_CMD_WRITE_ZEROES) {
            NvmeCmd cmd = sweep_io_cmd(s, *opcode, zone_lba + *more, 1);

            sweep_run(s, &s->drive->io, &cmd);
        }
    }
}

/* All blocks are bad: which errors come first, in zones of all states. */
static void sweep_bad(Sweep *s)
{
    FemuDrive *drive = s->drive;

    make_zones(s);
    femu_zone_send(drive, NVME_ZONE_ACTION_RESET, femu_zone_lba(drive, 0),
                   false);
    for (unsigned zrwa = 0; zrwa < 2; zrwa++) {
        NvmeCmd open = femu_cmd_zone(NVME_ZONE_ACTION_OPEN, 0, false);
        NvmeCmd cmd;

        open.cdw13 |= cpu_to_le32(zrwa << 9);
        sweep_run(s, &drive->io, &open);
        cmd = sweep_io_cmd(s, NVME_CMD_WRITE, 0, 4);
        sweep_run(s, &drive->io, &cmd);
        sweep_set(s, "inject-write-error", "0 768");
        for (unsigned zone = 0; zone < 4; zone++) {
            write_around(s, femu_zone_lba(drive, zone));
        }
        sweep_clear(s);
        femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0, false);
    }
    drive->nsid = 3;
    sweep_set(s, "inject-write-error", "3:0 256");
    EACH(uint64_t, slba, 0, 100, 252, 254, 255, 256) {
        EACH(uint32_t, nlb, 1, 2, 4, 5) {
            NvmeCmd cmd = sweep_io_cmd(s, NVME_CMD_WRITE, *slba, *nlb);

            sweep_run(s, &drive->io, &cmd);
        }
    }
}

/* --- Ranges --------------------------------------------------------------- */

static void put_range(Sweep *s, unsigned number, bool copy, uint64_t slba,
                      uint32_t nlb)
{
    QTestState *qts = s->drive->host->qts;
    uint64_t at = s->drive->buf + number * (copy ? 32 : 16);

    if (copy) {
        qtest_memset(qts, at, 0, 32);
        qtest_writeq(qts, at + 8, slba);
        qtest_writew(qts, at + 16, nlb - 1);
    } else {
        qtest_writel(qts, at + 4, nlb);
        qtest_writeq(qts, at + 8, slba);
    }
}

static void run_ranges(Sweep *s, bool copy, unsigned count, uint64_t to,
                       uint32_t more)
{
    NvmeCmd cmd = sweep_admin_cmd(s, copy ? NVME_CMD_COPY : NVME_CMD_DSM,
                            s->drive->nsid, copy ? to : count - 1,
                            copy ? to >> 32 : 4);

    cmd.cdw12 = cpu_to_le32(copy ? count - 1 : 0);
    if (copy) {
        cmd.cdw12 |= cpu_to_le32(more);
    } else {
        cmd.cdw11 = cpu_to_le32(more ?: 4);
    }
    sweep_run(s, &s->drive->io, &cmd);
}

static void sweep_ranges_of(Sweep *s, bool copy)
{
    uint64_t end = s->drive->config.ssd.zones /
                   s->drive->config.ssd.namespaces *
                   femu_zone_nlb(&s->drive->config);
    uint64_t to = femu_zone_lba(s->drive, 2);

    EACH(uint64_t, slba, 0, 1, 4, 190, 192, 256, end - 1, end, UINT64_MAX) {
        EACH(uint32_t, nlb, 0, 1, 2, 4, 127, 128, 129, 65535) {
            put_range(s, 0, copy, *slba, *nlb);
            run_ranges(s, copy, 1, to, 0);
        }
    }
    for (unsigned i = 0; i < 256; i++) {
        put_range(s, i % 128, copy, i % 8, 1);
    }
    EACH(unsigned, count, 1, 2, 3, 127, 128, 129, 255, 256) {
        run_ranges(s, copy, *count, to, 0);
    }
    EACH(uint32_t, more, 1 << 8, 2 << 8, 1 << 12, 1, 2, 3, 7, 1 << 30) {
        run_ranges(s, copy, 2, to, *more);
    }
    EACH(uint64_t, slba, 0, to + 1, to + 8, 192, end - 1, end, UINT64_MAX) {
        run_ranges(s, copy, 2, *slba, 0);
    }
}

static void sweep_ranges(Sweep *s)
{
    for (unsigned nsid = 1; nsid <= 4; nsid++) {
        NvmeCmd cmd;

        s->drive->nsid = nsid;
        cmd = sweep_io_cmd(s, NVME_CMD_WRITE, 0, 4);
        sweep_run(s, &s->drive->io, &cmd);
        sweep_ranges_of(s, false);
        sweep_ranges_of(s, true);
    }
    s->drive->nsid = 1;
    sweep_set(s, "inject-read-error", "2 1");
    sweep_set(s, "inject-write-error", "520 8");
    sweep_ranges_of(s, true);
}

/* --- Host memory ---------------------------------------------------------- */

static void run_prps(Sweep *s, uint64_t prp1, uint64_t prp2, uint32_t nlb)
{
    NvmeCmd cmd = sweep_io_cmd(s, NVME_CMD_READ, 0, 1);

    cmd.dptr.prp1 = cpu_to_le64(prp1);
    cmd.dptr.prp2 = cpu_to_le64(prp2);
    cmd.cdw12 = cpu_to_le32(nlb - 1);
    SAY(s, "%d %d ", (int)(prp1 - s->drive->buf), (int)(prp2 - s->drive->buf));
    sweep_fill(s, 0xa5);
    sweep_run(s, &s->drive->io, &cmd);
}

/* A list that begins so many bytes before the end of its page. */
static void sweep_lists(Sweep *s, uint64_t list)
{
    QTestState *qts = s->drive->host->qts;

    EACH(uint64_t, wrong, 0, 4, 8, 2048, NOWHERE - s->drive->buf) {
        for (unsigned entry = 0; entry < 5; entry++) {
            for (unsigned i = 0; i < 8; i++) {
                qtest_writeq(qts, list + 8 * i,
                             s->drive->buf + (i + 1) * FEMU_PAGE_BYTES +
                             (i == entry ? *wrong : 0));
            }
            EACH(uint32_t, nlb, 3, 4) {
                run_prps(s, s->drive->buf, list, *nlb);
                run_prps(s, s->drive->buf + 4, list, *nlb);
            }
        }
    }
}

static void sweep_prps(Sweep *s)
{
    uint64_t list = femu_alloc(s->drive->host, LIST_PAGES * FEMU_PAGE_BYTES);

    EACH(uint64_t, more, 0, 1, 2, 3, 4, 8, 2048, 4092, 4095,
         NOWHERE - s->drive->buf) {
        EACH(uint64_t, second, 0, 4096, 4097, 4100, 8192 - 4,
             NOWHERE - s->drive->buf) {
            EACH(uint32_t, nlb, 1, 2) {
                run_prps(s, s->drive->buf + *more, s->drive->buf + *second,
                         *nlb);
            }
        }
    }
    EACH(uint64_t, at, 0, 4, 8, 4096 - 8, 4096 - 16, 4096 - 24, 4096 - 28) {
        sweep_lists(s, list + *at);
    }
    run_prps(s, s->drive->buf, NOWHERE, 4);
    run_prps(s, s->drive->buf, NOWHERE - 8, 4);
    qtest_writeq(s->drive->host->qts, list + 4096 - 8, NOWHERE);
    run_prps(s, s->drive->buf, list + 4096 - 8, 4);
    qtest_writeq(s->drive->host->qts, list + 4096 - 8, list + 4096 + 8);
    run_prps(s, s->drive->buf, list + 4096 - 8, 4);
}

static void run_sgl(Sweep *s, uint8_t type, uint64_t addr, uint32_t len,
                    uint32_t nlb)
{
    NvmeCmd cmd = sweep_io_cmd(s, NVME_CMD_READ, 0, 1);
    NvmeSglDescriptor one = {
        .addr = cpu_to_le64(addr), .len = cpu_to_le32(len), .type = type,
    };

    cmd.flags = 1 << 6;
    memcpy(&cmd.dptr, &one, sizeof(one));
    cmd.cdw12 = cpu_to_le32(nlb - 1);
    SAY(s, "%x %d %u ", type, (int)(addr - s->drive->buf), len);
    sweep_fill(s, 0xa5);
    sweep_run(s, &s->drive->io, &cmd);
}

static void put_sgl(Sweep *s, uint64_t at, uint8_t type, uint64_t addr,
                    uint32_t len)
{
    NvmeSglDescriptor one = {
        .addr = cpu_to_le64(addr), .len = cpu_to_le32(len), .type = type,
    };

    qtest_bufwrite(s->drive->host->qts, at, &one, sizeof(one));
}

static void sweep_sgls(Sweep *s)
{
    uint64_t list = femu_alloc(s->drive->host, LIST_PAGES * FEMU_PAGE_BYTES);
    uint64_t buf = s->drive->buf;

    for (unsigned type = 0; type < 256; type += type < 0x40 ? 1 : 15) {
        EACH(uint32_t, len, 4096, 4092, 4100, 0) {
            run_sgl(s, type, buf, *len, 1);
        }
    }
    run_sgl(s, 0, NOWHERE, 4096, 1);
    EACH(uint8_t, inner, 0, 1, 0x10, 0x20, 0x30, 0x40) {
        EACH(uint8_t, outer, 0x20, 0x30) {
            EACH(uint32_t, len, 0, 8, 16, 24, 32, 48) {
                put_sgl(s, list, 0, buf, 2048);
                put_sgl(s, list + 16, *inner, buf + 2048, 2048);
                put_sgl(s, list + 32, 0, buf + 4096, 0);
                run_sgl(s, *outer, list, *len, 1);
            }
        }
    }
    /* A segment, another one, and the last; what leads there may be nowhere. */
    EACH(uint64_t, next, list + 512, NOWHERE) {
        put_sgl(s, list, 0, buf, 1024);
        put_sgl(s, list + 16, 0x20, *next, 32);
        put_sgl(s, list + 512, 0, buf + 1024, 1024);
        put_sgl(s, list + 528, 0x30, list + 1024, 32);
        put_sgl(s, list + 1024, 0, buf + 2048, 1024);
        put_sgl(s, list + 1040, 0, buf + 3072, 1024);
        run_sgl(s, 0x20, list, 32, 1);
    }
    run_sgl(s, 0x20, NOWHERE, 16, 1);
    run_sgl(s, 0x20, NOWHERE - 16, 32, 1);
    run_sgl(s, 0x30, NOWHERE, 16, 1);
    put_sgl(s, list, 0x20, list, 16);           /* round and round */
    run_sgl(s, 0x20, list, 16, 1);
    for (unsigned i = 0; i < 256; i++) {
        put_sgl(s, list + 16 * i, 0, buf + 16 * i, 16);
    }
    EACH(uint32_t, count, 255, 256, 257) {
        run_sgl(s, 0x30, list, *count * 16, 1);
    }
}

static void sweep_memory(Sweep *s)
{
    NvmeCmd cmd = sweep_io_cmd(s, NVME_CMD_WRITE, 0, 4);

    for (unsigned i = 0; i < 4 * FEMU_PAGE_BYTES / 8; i++) {
        qtest_writeq(s->drive->host->qts, s->drive->buf + 8 * i,
                     i * UINT64_C(0x9e3779b97f4a7c15));
    }
    sweep_run(s, &s->drive->io, &cmd);
    s->shows = true;
    sweep_prps(s);
    sweep_sgls(s);
}

/* --- Cases ---------------------------------------------------------------- */

static const SweepCase cases[] = {
    { "io", sweep_io },
    { "reports", sweep_reports },
    { "sends", sweep_sends },
    { "bad", sweep_bad },
    { "ranges", sweep_ranges },
    { "memory", sweep_memory },
};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    sweep_add("io-sweeps", cases, G_N_ELEMENTS(cases));
    return g_test_run();
}
