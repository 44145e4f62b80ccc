/*
 * Every field of every admin command, every register, what a user can write,
 * with many values, most of them wrong: what the drive answers, to the letter
 * what it answered when tests/data/corpus/sweeps.csv was written. What is
 * right, the other tests say.
 *
 *   FEMU_CORPUS_OUT=dir     write what is said as dir/NAME, compare nothing;
 *                           "scripts/restate sweeps" does, and the sums
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-sweep.h"

/* --- Features ------------------------------------------------------------- */

static void get_feature(Sweep *s, uint32_t nsid, uint8_t fid, uint32_t select,
                        uint32_t cdw11)
{
    NvmeCmd cmd = sweep_admin_cmd(s, NVME_ADM_CMD_GET_FEATURES, nsid,
                            fid | select << 8, cdw11);

    sweep_run(s, &s->drive->admin, &cmd);
}

static void set_feature(Sweep *s, uint32_t nsid, uint32_t cdw10,
                        uint32_t cdw11)
{
    NvmeCmd cmd = sweep_admin_cmd(s, NVME_ADM_CMD_SET_FEATURES, nsid, cdw10,
                                  cdw11);

    sweep_run(s, &s->drive->admin, &cmd);
}

static void sweep_feature(Sweep *s, uint8_t fid)
{
    EACH(uint32_t, nsid, 0, 1, 3, 4, NVME_NSID_BROADCAST) {
        EACH(uint32_t, cdw11, 0, 1, 2, 3, 4, 5, 0x1f, 0x20, 63, 64, 65, 77,
             0x80, 0xff, 0x100, 0x1ff, 0x200, 0x157, 0xffff, 0x10000, 0x10001,
             0x10002, 0x10003, 0x10004, 0x10040, 0x10041, 0x1ffff, 0xf0157,
             0xe0001, 0x80001, 0x100157, 0x1f0001, 0x200001, 0x300001,
             0xffff0000, 0x0000ffff, 0xfffe0001, 0x01fffffe, 0xffffffff) {
            set_feature(s, *nsid, fid, *cdw11);
            get_feature(s, *nsid, fid, 0, *cdw11);
        }
        set_feature(s, *nsid, fid | 1u << 31, 1);
        for (unsigned select = 1; select < 8; select++) {
            get_feature(s, *nsid, fid, select, 0);
        }
    }
}

static void sweep_features(Sweep *s)
{
    EACH(uint8_t, fid, 0, NVME_ARBITRATION, NVME_POWER_MANAGEMENT, 3,
         NVME_TEMPERATURE_THRESHOLD, NVME_ERROR_RECOVERY,
         NVME_VOLATILE_WRITE_CACHE, NVME_NUMBER_OF_QUEUES,
         NVME_INTERRUPT_COALESCING, NVME_INTERRUPT_VECTOR_CONF,
         NVME_WRITE_ATOMICITY, NVME_ASYNCHRONOUS_EVENT_CONF, 0xc, 0x10, 0x11,
         0x16, NVME_COMMAND_SET_PROFILE, 0x80, 0x81, 0x82, 0xc0, 0xc1, 0xff) {
        sweep_feature(s, *fid);
    }
    /* Those with data, and with queues of each kind. */
    s->shows = true;
    EACH(uint8_t, byte, 0, 0x5a, 0xff) {
        EACH(uint32_t, cdw11, 0, 1, 2) {
            EACH(uint8_t, fid, NVME_TIMESTAMP, 0x81) {
                sweep_fill(s, *byte);
                set_feature(s, 0, *fid, *cdw11);
                sweep_fill(s, 0);
                femu_step(s->drive->host, 3999999);
                get_feature(s, 0, *fid, 0, *cdw11);
                get_feature(s, 0, *fid, 1, *cdw11);
            }
        }
    }
    s->shows = false;
    femu_queue_delete(s->drive, NVME_ADM_CMD_DELETE_SQ, s->drive->io.id);
    set_feature(s, 0, NVME_NUMBER_OF_QUEUES, 0);
    femu_queue_delete(s->drive, NVME_ADM_CMD_DELETE_CQ, s->drive->io_cq.id);
    set_feature(s, 0, NVME_NUMBER_OF_QUEUES, 0);
}

/* --- Logs and identify ---------------------------------------------------- */

static void get_log(Sweep *s, uint8_t lid, uint32_t nsid, uint64_t offset,
                    uint32_t bytes, uint32_t cdw14)
{
    NvmeCmd cmd = sweep_admin_cmd(s, NVME_ADM_CMD_GET_LOG_PAGE, nsid,
                            lid | (bytes / 4 - 1) << 16,
                            (bytes / 4 - 1) >> 16);

    cmd.cdw12 = cpu_to_le32(offset);
    cmd.cdw13 = cpu_to_le32(offset >> 32);
    cmd.cdw14 = cpu_to_le32(cdw14);
    femu_set_prps(s->drive, &cmd, s->drive->buf, MIN(bytes, 64 * 1024));
    sweep_fill(s, 0xa5);
    SAY(s, "at %" PRIx64 " %x ", offset, cdw14);
    sweep_run(s, &s->drive->admin, &cmd);
}

static void sweep_log(Sweep *s, uint8_t lid)
{
    EACH(uint32_t, nsid, 0, 1, 3, 4, NVME_NSID_BROADCAST) {
        EACH(uint64_t, offset, 0, 4, 508, 512, 516, 1020, 1024, 1028, 2048,
             4092, 4096, 4100, 8192, 2, UINT64_C(1) << 32) {
            /* Further on are the parameters, of which there may be more. */
            if (lid != FEMU_LOG_STATS || *offset <= 516 || *offset >> 32) {
                get_log(s, lid, *nsid, *offset, 512, 0);
            }
        }
    }
    EACH(uint32_t, bytes, 4, 8, 4096, 8192, 16384, 16388, 524288, 524292) {
        get_log(s, lid, 1, 0, *bytes, 0);
    }
    EACH(uint32_t, cdw14, 1u << 24, 2u << 24, 3u << 24, 0xffu << 24,
         1u << 23, 1) {
        get_log(s, lid, 1, 0, 4096, *cdw14);
    }
}

/* Errors, and zones and namespaces that have changed. */
static void make_news(Sweep *s)
{
    NvmeCmd cmd = femu_cmd_rw(s->drive, NVME_CMD_WRITE, 7, 1, s->drive->buf);

    for (unsigned i = 0; i < 70; i++) {
        cmd.nsid = cpu_to_le32(1 + i % 5);
        cmd.cdw10 = cpu_to_le32(7 + i);
        sweep_run(s, &s->drive->io, &cmd);
    }
    cmd = femu_cmd_rw(s->drive, NVME_CMD_WRITE, 0, 2, s->drive->buf);
    sweep_run(s, &s->drive->io, &cmd);
    cmd.opcode = NVME_CMD_READ;
    sweep_run(s, &s->drive->io, &cmd);
}

static void sweep_logs(Sweep *s)
{
    get_log(s, FEMU_LOG_STATS, 0, 4, 8192, 0);
    s->shows = true;
    make_news(s);
    for (unsigned lid = 0; lid < 0x20; lid++) {
        sweep_log(s, lid);
    }
    EACH(uint8_t, lid, 0x70, 0x80, 0xbe, 0xbf, 0xc0, 0xc1, 0xff) {
        sweep_log(s, *lid);
    }
}

/* --- Queues --------------------------------------------------------------- */

static void create(Sweep *s, uint8_t opcode, uint32_t cdw10, uint32_t cdw11,
                   uint64_t addr)
{
    NvmeCmd cmd = sweep_admin_cmd(s, opcode, 0, cdw10, cdw11);

    cmd.dptr.prp1 = cpu_to_le64(addr);
    sweep_run(s, &s->drive->admin, &cmd);
}

static void sweep_queue(Sweep *s, uint8_t opcode, uint64_t addr)
{
    uint8_t delete = opcode == NVME_ADM_CMD_CREATE_CQ ? NVME_ADM_CMD_DELETE_CQ
                                                      : NVME_ADM_CMD_DELETE_SQ;

    EACH(uint32_t, id, 0, 1, 2, 3, 4, 63, 64, 65, 66, 0xffff) {
        EACH(uint32_t, size, 0, 1, 2, 2046, 2047, 2048, 0xffff) {
            create(s, opcode, *id | *size << 16, 1 << 16 | 1, addr);
            create(s, delete, *id, 0, 0);
        }
        EACH(uint32_t, cdw11, 0, 1, 2, 3, 5, 7, 0x10001, 0x10003, 0x20001,
             0x20003, 0x40001, 0x40003, 0x410001, 0x1f0003, 0x200003,
             0xffff0001) {
            create(s, opcode, *id | 7 << 16, *cdw11, addr);
            create(s, delete, *id, 0, 0);
        }
    }
    EACH(uint64_t, at, 4, 64, 2048, 4095) {
        create(s, opcode, 2 | 7 << 16, 1 << 16 | 1, addr + *at);
    }
}

static void sweep_queues(Sweep *s)
{
    FemuDrive *drive = s->drive;
    uint64_t addr = femu_alloc(drive->host, 2048 * 64);
    uint32_t cc = femu_reg(drive, NVME_REG_CC);

    sweep_queue(s, NVME_ADM_CMD_CREATE_CQ, addr);
    sweep_queue(s, NVME_ADM_CMD_CREATE_SQ, addr);
    EACH(uint32_t, sizes, 0, 0x45, 0x36, 0x47, 0x56, 0x46) {
        femu_set_reg(drive, NVME_REG_CC, (cc & ~0xff0000u) | *sizes << 16);
        create(s, NVME_ADM_CMD_CREATE_CQ, 2 | 7 << 16, 1, addr);
        create(s, NVME_ADM_CMD_CREATE_SQ, 2 | 7 << 16, 1 << 16 | 1, addr);
        create(s, NVME_ADM_CMD_DELETE_SQ, 2, 0, 0);
        create(s, NVME_ADM_CMD_DELETE_CQ, 2, 0, 0);
    }
    create(s, NVME_ADM_CMD_DELETE_CQ, 1, 0, 0);
    create(s, NVME_ADM_CMD_DELETE_SQ, 1, 0, 0);
    create(s, NVME_ADM_CMD_DELETE_SQ, 1, 0, 0);
    create(s, NVME_ADM_CMD_DELETE_CQ, 1, 0, 0);
    create(s, NVME_ADM_CMD_DELETE_CQ, 1, 0, 0);
}

/* Registers: what is written, and what then is read. */
static void sweep_registers(Sweep *s)
{
    FemuDrive *drive = s->drive;

    for (unsigned enabled = 0; enabled < 2; enabled++) {
        EACH(uint32_t, value, 0xffffffff, 0, 0x5a5a5a5a, 0xf0ff0fff) {
            for (unsigned at = 0; at < 0x80; at += 4) {
                if (at != NVME_REG_CC) {
                    femu_set_reg(drive, at, *value);
                    SAY(s, "%x=%x: %x, %" PRIx64 "\n", at, *value,
                        femu_reg(drive, at), femu_reg64(drive, at & ~7u));
                }
            }
        }
        femu_set_reg(drive, NVME_REG_INTMC, 0xffffffff);
        femu_disable(drive);
    }
    EACH(uint32_t, cc, 1, 0x11, 0x21, 0x61, 0x71, 0x81, 0x461, 0x561, 0x861,
         0x00460061, 0x00464061, 0x00468061, 0x0046c061, 0xffffffff) {
        femu_set_reg(drive, NVME_REG_CC, 0);
        femu_set_reg(drive, NVME_REG_AQA, 0x001f001f);
        femu_set_reg(drive, NVME_REG_ASQ, drive->admin.addr);
        femu_set_reg(drive, NVME_REG_ASQ + 4, 0);
        femu_set_reg(drive, NVME_REG_ACQ, drive->admin_cq.addr);
        femu_set_reg(drive, NVME_REG_ACQ + 4, 0);
        femu_set_reg(drive, NVME_REG_CC, *cc);
        SAY(s, "cc=%x: %x %x\n", *cc, femu_reg(drive, NVME_REG_CC),
            femu_reg(drive, NVME_REG_CSTS));
    }
    femu_set_reg(drive, NVME_REG_CC, 0);
}

/* --- Namespaces ----------------------------------------------------------- */

static void sweep_namespaces(Sweep *s)
{
    s->shows = true;
    EACH(uint32_t, nsid, 0, 1, 2, 3, 4, NVME_NSID_BROADCAST) {
        EACH(uint32_t, select, 0, 0, 1, 1, 2, 0xf, 0x10) {
            EACH(uint16_t, id, 0, 1, 2) {
                NvmeCmd cmd = sweep_admin_cmd(s, NVME_ADM_CMD_NS_ATTACHMENT,
                                              *nsid, *select, 0);

                sweep_fill(s, 0);
                qtest_writew(s->drive->host->qts, s->drive->buf, *id);
                qtest_writew(s->drive->host->qts, s->drive->buf + 2, 0);
                sweep_run(s, &s->drive->admin, &cmd);
                get_log(s, NVME_LOG_CHANGED_NSLIST, 0, 0, 4096, 0);
                cmd = sweep_admin_cmd(s, NVME_ADM_CMD_IDENTIFY, 0, 2, 0);
                sweep_run(s, &s->drive->admin, &cmd);
            }
        }
    }
    s->shows = false;
    EACH(uint32_t, nsid, 0, 1, 2, 3, 4, NVME_NSID_BROADCAST) {
        for (unsigned bit = 0; bit < 16; bit++) {
            EACH(uint32_t, format, 0, 1) {
                NvmeCmd cmd = sweep_admin_cmd(s, NVME_ADM_CMD_FORMAT_NVM, *nsid,
                                        *format ^ 1 << bit, 0);

                sweep_run(s, &s->drive->admin, &cmd);
            }
        }
    }
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        NvmeCmd cmd = sweep_admin_cmd(s, opcode, 1, 0, 0);

        if (opcode != NVME_ADM_CMD_ASYNC_EV_REQ) {
            sweep_run(s, &s->drive->admin, &cmd);
        }
        if (opcode != NVME_CMD_WRITE) {
            sweep_run(s, &s->drive->io, &cmd);
        }
        EACH(uint8_t, flags, 1, 2, 1 << 6, 2 << 6, 3 << 6, 4) {
            cmd.flags = *flags;
            sweep_run(s, &s->drive->admin, &cmd);
        }
    }
}

/* --- What a user asks for ------------------------------------------------- */

static void sweep_user(Sweep *s)
{
    static const char *const values[] = {
        "", "x", "0", "0 ", "0 0", "0 1", "1:0 1", "2:0 2", "3:0 3", "4:0 1",
        "0:0 1", "18446744073709551615 1", "2047 1", "2047 2", "2048 1",
        "1023 1", "1023 2", "1024 1", "0 1024", "0 1025", "0 2048", "0 2049",
        "2:1023 1", "2:1024 1", "3:255 1", "3:256 1", "3:0 256", "3:0 257",
        "1 1 1", "1-1", ": 1", "2: 1", "2:x", "1 offline", "2 read-only",
        "2 read-only", "2 offline", "2 read-only", "7 offline", "8 offline",
        "2:3 read-only", "2:4 read-only", "3:0 offline", "1  offline",
        "1 Offline", "0x3 offline", "4:1 offline", "-1 offline",
    };

    static const char *const properties[] = {
        "inject-read-error", "inject-write-error", "zone-fail",
    };

    for (unsigned k = 0; k < G_N_ELEMENTS(properties); k++) {
        for (unsigned i = 0; i < G_N_ELEMENTS(values); i++) {
            sweep_set(s, properties[k], values[i]);
        }
        for (unsigned i = 0; i < 64; i++) {
            sweep_set(s, properties[k], "5 3");
        }
    }
    sweep_get(s, "inject-read-error");
    sweep_get(s, "inject-write-error");
    sweep_get(s, "zone-states");
    sweep_get(s, "write-cache");
    sweep_set(s, "power-cut", "x");
    sweep_set(s, "power-cut", "-");
    sweep_set(s, "power-cut", "7");
    sweep_get(s, "zone-states");
}

/* --- Cases ---------------------------------------------------------------- */

static const SweepCase cases[] = {
    { "features", sweep_features },
    { "logs", sweep_logs },
    { "queues", sweep_queues },
    { "registers", sweep_registers },
    { "namespaces", sweep_namespaces },
    { "user", sweep_user },
};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    sweep_add("sweeps", cases, G_N_ELEMENTS(cases));
    return g_test_run();
}
