/*
 * Scatter gather lists (NVMe base 2.0, 4.1.2): data in blocks of any size and
 * place, lists in several segments, and lists that must be refused.
 *
 * Knows nothing of time or zones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"

#define PSDT_SGL 0x40
#define BLOCK NVME_SGL_DESCR_TYPE_DATA_BLOCK
#define SEGMENT NVME_SGL_DESCR_TYPE_SEGMENT
#define LAST NVME_SGL_DESCR_TYPE_LAST_SEGMENT
#define NOWHERE UINT64_C(0x80000000)
#define MAX_PIECES 64

static FemuDrive *boot(void)
{
    FemuConfig config = femu_small_config();

    return femu_boot(&config, NULL);
}

static NvmeSglDescriptor descriptor(unsigned type, uint64_t addr,
                                    uint32_t bytes)
{
    return (NvmeSglDescriptor) {
        .addr = cpu_to_le64(addr),
        .len = cpu_to_le32(bytes),
        .type = type << 4,
    };
}

static void put(FemuDrive *drive, uint64_t addr, NvmeSglDescriptor value)
{
    qtest_memwrite(drive->host->qts, addr, &value, sizeof(value));
}

/* A read or write of `nlb` blocks at LBA 0 whose SGL entry 1 is `first`. */
static NvmeCmd command(uint8_t opcode, uint32_t nlb, NvmeSglDescriptor first)
{
    NvmeCmd cmd = {
        .opcode = opcode,
        .flags = PSDT_SGL,
        .nsid = cpu_to_le32(FEMU_NSID),
        .cdw12 = cpu_to_le32(nlb - 1),
    };

    memcpy(&cmd.dptr, &first, sizeof(first));
    return cmd;
}

static uint16_t exec(FemuDrive *drive, uint8_t opcode, uint32_t nlb,
                     NvmeSglDescriptor first)
{
    NvmeCmd cmd = command(opcode, nlb, first);

    return femu_exec(&drive->io, &cmd).status;
}

/* One block of data, at every alignment; read back by PRP. */
static void test_data_block(void)
{
    static const unsigned offsets[] = { 0, 1, 7, 4095 };
    FemuDrive *drive = boot();
    uint32_t nlb = 5, bytes = nlb * FEMU_PAGE_BYTES;

    for (unsigned i = 0; i < ARRAY_SIZE(offsets); i++) {
        uint64_t addr = drive->buf + offsets[i];
        g_autofree uint8_t *data = femu_pattern(drive, 0, nlb, i);
        g_autofree uint8_t *found = g_malloc(bytes + 2);

        qtest_bufwrite(drive->host->qts, addr, data, bytes);
        g_assert_cmphex(exec(drive, NVME_CMD_WRITE, nlb,
                             descriptor(BLOCK, addr, bytes)), ==,
                        NVME_SUCCESS);
        femu_assert_data(drive, 0, nlb, data);
        addr += FEMU_PAGE_BYTES;
        qtest_memset(drive->host->qts, addr - 1, 0xa5, bytes + 2);
        g_assert_cmphex(exec(drive, NVME_CMD_READ, nlb,
                             descriptor(BLOCK, addr, bytes)), ==,
                        NVME_SUCCESS);
        qtest_bufread(drive->host->qts, addr - 1, found, bytes + 2);
        g_assert_cmpmem(found + 1, bytes, data, bytes);
        g_assert_cmphex(found[0], ==, 0xa5);
        g_assert_cmphex(found[bytes + 1], ==, 0xa5);
        g_assert_cmphex(femu_zone_send(drive, NVME_ZONE_ACTION_RESET, 0,
                                       false), ==, NVME_SUCCESS);
    }
    femu_shutdown(drive);
}

/* The data of some blocks in pieces, each in guest pages of its own. */
typedef struct Pieces {
    unsigned count;
    uint64_t addr[MAX_PIECES];
    uint32_t bytes[MAX_PIECES];
} Pieces;

/* Cut so that sizes vary from 0 upwards; the last piece has what remains. */
static Pieces cut(FemuDrive *drive, uint32_t nlb, unsigned step)
{
    uint32_t left = nlb * FEMU_PAGE_BYTES;
    Pieces p = { 0 };

    while (left > 0) {
        uint32_t bytes = MIN(left, p.count * step);

        p.bytes[p.count] = bytes;
        p.addr[p.count] = femu_alloc(drive->host, bytes + 16) + p.count % 16;
        left -= bytes;
        p.count++;
        g_assert_cmpuint(p.count, <, MAX_PIECES);
    }
    return p;
}

/*
 * Describe the pieces in segments of `per_segment` descriptors; returns the
 * entry of the command.
 */
static NvmeSglDescriptor describe(FemuDrive *drive, const Pieces *p,
                                  unsigned per_segment)
{
    NvmeSglDescriptor first = { 0 };
    uint64_t link = 0;              /* where the next segment is announced */
    unsigned i = 0;

    while (i < p->count) {
        bool last = p->count - i <= per_segment;
        unsigned blocks = last ? p->count - i : per_segment - 1;
        uint64_t list = femu_alloc(drive->host, per_segment * 16);
        NvmeSglDescriptor to_list = descriptor(last ? LAST : SEGMENT, list,
                                               (blocks + !last) * 16);

        if (link) {
            put(drive, link, to_list);
        } else {
            first = to_list;
        }
        for (unsigned j = 0; j < blocks; j++, i++) {
            put(drive, list + j * 16, descriptor(BLOCK, p->addr[i],
                                                 p->bytes[i]));
        }
        link = list + blocks * 16;
    }
    return first;
}

static void check_segments(unsigned step, unsigned per_segment)
{
    FemuDrive *drive = boot();
    QTestState *qts = drive->host->qts;
    uint32_t nlb = 12;
    g_autofree uint8_t *data = femu_pattern(drive, 0, nlb, 9);
    Pieces p = cut(drive, nlb, step);
    NvmeSglDescriptor first = describe(drive, &p, per_segment);
    uint8_t *at = data;

    for (unsigned i = 0; i < p.count; i++) {
        qtest_memwrite(qts, p.addr[i], at, p.bytes[i]);
        at += p.bytes[i];
    }
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, nlb, first), ==,
                    NVME_SUCCESS);
    femu_assert_data(drive, 0, nlb, data);
    for (unsigned i = 0; i < p.count; i++) {
        qtest_memset(qts, p.addr[i], 0, p.bytes[i]);
    }
    g_assert_cmphex(exec(drive, NVME_CMD_READ, nlb, first), ==, NVME_SUCCESS);
    at = data;
    for (unsigned i = 0; i < p.count; i++) {
        g_autofree uint8_t *found = g_malloc(p.bytes[i] + 1);

        qtest_memread(qts, p.addr[i], found, p.bytes[i] + 1);
        g_assert_cmpmem(found, p.bytes[i], at, p.bytes[i]);
        g_assert_cmphex(found[p.bytes[i]], ==, 0);
        at += p.bytes[i];
    }
    femu_shutdown(drive);
}

static void test_one_segment(void)
{
    check_segments(997, MAX_PIECES);
}

static void test_many_segments(void)
{
    check_segments(101, 2);
    check_segments(101, 7);
}

/* 512 KiB in 1024 pieces with gaps: nothing bounds their number on PCIe. */
static void test_1024_pieces(void)
{
    FemuDrive *drive = boot();
    QTestState *qts = drive->host->qts;
    uint32_t nlb = 128, piece_bytes = 512, pieces = 1024;
    uint64_t buf = femu_alloc(drive->host, 2 * pieces * piece_bytes);
    uint64_t list = femu_alloc(drive->host, pieces * 16);
    g_autofree uint8_t *data = femu_pattern(drive, 0, nlb, 5);
    g_autofree NvmeSglDescriptor *blocks = g_new(NvmeSglDescriptor, pieces);

    for (uint32_t i = 0; i < pieces; i++) {
        uint64_t addr = buf + 2 * i * piece_bytes;

        blocks[i] = descriptor(BLOCK, addr, piece_bytes);
        qtest_bufwrite(qts, addr, data + i * piece_bytes, piece_bytes);
    }
    qtest_bufwrite(qts, list, blocks, pieces * 16);
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, nlb,
                         descriptor(LAST, list, pieces * 16)), ==,
                    NVME_SUCCESS);
    femu_assert_data(drive, 0, nlb, data);
    femu_shutdown(drive);
}

/*
 * A read of 8 KiB in `pieces`, all but the last of `piece_bytes`, with `gap`
 * bytes between them, behind `empty` descriptors of nothing where nothing is.
 */
static uint16_t read_pieces(FemuDrive *drive, uint32_t empty, uint32_t pieces,
                            uint32_t piece_bytes, uint32_t gap)
{
    uint64_t buf = femu_alloc(drive->host, 64 * 1024);
    uint64_t list = femu_alloc(drive->host, 64 * 1024);
    uint32_t count = empty + pieces;
    g_autofree NvmeSglDescriptor *blocks = g_new(NvmeSglDescriptor, count);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t piece = i < empty ? 0 : i - empty;
        uint32_t bytes = i < empty ? 0 : piece < pieces - 1
                         ? piece_bytes : 8192 - (pieces - 1) * piece_bytes;

        blocks[i] = descriptor(BLOCK, i < empty ? NOWHERE + 2 * i
                               : buf + piece * (piece_bytes + gap), bytes);
    }
    qtest_bufwrite(drive->host->qts, list, blocks, count * sizeof(blocks[0]));
    return exec(drive, NVME_CMD_READ, 2,
                descriptor(LAST, list, count * sizeof(blocks[0])));
}

/*
 * The same in one piece, behind `empty` descriptors of nothing in each of two
 * segments.
 */
static uint16_t read_behind(FemuDrive *drive, uint32_t empty)
{
    uint64_t list = femu_alloc(drive->host, 64 * 1024);
    uint32_t count = empty + 1;
    g_autofree NvmeSglDescriptor *blocks = g_new(NvmeSglDescriptor, 2 * count);

    for (uint32_t i = 0; i < 2 * count; i++) {
        blocks[i] = descriptor(BLOCK, drive->buf, 0);
    }
    blocks[count - 1] = descriptor(LAST, list + count * 16, count * 16);
    blocks[2 * count - 1] = descriptor(BLOCK, drive->buf, 8192);
    qtest_bufwrite(drive->host->qts, list, blocks, 2 * count * 16);
    return exec(drive, NVME_CMD_READ, 2,
                descriptor(SEGMENT, list, count * 16));
}

/*
 * Of a transfer of MDTS there may be as many pieces as 16 bytes each would make,
 * and one; neighbours are one piece. Twice as many descriptors are looked at.
 */
static void test_most_pieces(void)
{
    FemuConfig config = femu_small_config();
    uint32_t most = 8192 / 16 + 1;
    FemuDrive *drive;

    config.ssd.mdts_bytes = 8192;
    drive = femu_boot(&config, NULL);
    g_assert_cmphex(read_pieces(drive, 0, most, 15, 1), ==, NVME_SUCCESS);
    g_assert_cmphex(read_pieces(drive, 0, most + 1, 15, 1), ==,
                    NVME_INVALID_NUM_SGL_DESCRS);
    g_assert_cmphex(read_pieces(drive, 0, 1024, 8, 0), ==, NVME_SUCCESS);
    g_assert_cmphex(read_pieces(drive, 2 * most - 1, 1, 0, 0), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(read_pieces(drive, 2 * most, 1, 0, 0), ==,
                    NVME_INVALID_NUM_SGL_DESCRS);
    g_assert_cmphex(read_behind(drive, most - 1), ==, NVME_SUCCESS);
    g_assert_cmphex(read_behind(drive, most), ==, NVME_INVALID_NUM_SGL_DESCRS);
    femu_shutdown(drive);
}

/* A zone report goes through a list, too. */
static void test_report(void)
{
    FemuDrive *drive = boot();
    NvmeCmd cmd = femu_cmd_report(drive, 0, NVME_ZONE_REPORT_ALL, false,
                                  drive->buf, 4096);
    NvmeSglDescriptor first = descriptor(BLOCK, drive->buf + 3, 4096);

    cmd.flags = PSDT_SGL;
    memcpy(&cmd.dptr, &first, sizeof(first));
    g_assert_cmphex(femu_exec(&drive->io, &cmd).status, ==, NVME_SUCCESS);
    g_assert_cmpuint(qtest_readl(drive->host->qts, drive->buf + 3), ==, 8);
    femu_shutdown(drive);
}

/* A two-block write by a last segment of these two descriptors. */
static uint16_t exec_two(FemuDrive *drive, NvmeSglDescriptor one,
                         NvmeSglDescriptor two)
{
    uint64_t list = drive->buf + 64 * FEMU_PAGE_BYTES;

    put(drive, list, one);
    put(drive, list + 16, two);
    return exec(drive, NVME_CMD_WRITE, 2, descriptor(LAST, list, 32));
}

static void assert_untouched(FemuDrive *drive)
{
    femu_assert_zone(drive, 0, NVME_ZONE_STATE_EMPTY, 0);
    femu_assert_works(drive, 0);
    femu_shutdown(drive);
}

/* The blocks must be of the command's length, all together. */
static void test_wrong_length(void)
{
    FemuDrive *drive = boot();
    NvmeSglDescriptor page = descriptor(BLOCK, drive->buf, FEMU_PAGE_BYTES);
    static const uint32_t wrong[] = { 0, 1, 4095, 4097, UINT32_MAX };

    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                             descriptor(BLOCK, drive->buf, wrong[i])), ==,
                        NVME_DATA_SGL_LEN_INVALID);
        g_assert_cmphex(exec_two(drive, page,
                                 descriptor(BLOCK, drive->buf, wrong[i])), ==,
                        NVME_DATA_SGL_LEN_INVALID);
    }
    /* nothing is looked at behind the block that is too long */
    for (unsigned type = 0; type < 16; type++) {
        g_assert_cmphex(exec_two(drive,
                                 descriptor(BLOCK, drive->buf,
                                            2 * FEMU_PAGE_BYTES + 1),
                                 descriptor(type, drive->buf, 0)), ==,
                        NVME_DATA_SGL_LEN_INVALID);
    }
    assert_untouched(drive);
}

/* Only data blocks by address are offered: no bit bucket, no keyed block. */
static void test_wrong_type(void)
{
    FemuDrive *drive = boot();
    NvmeSglDescriptor page = descriptor(BLOCK, drive->buf, FEMU_PAGE_BYTES);

    for (unsigned type = 0; type < 16; type++) {
        if (type == BLOCK || type == SEGMENT || type == LAST) {
            continue;
        }
        g_assert_cmphex(exec_two(drive, page,
                                 descriptor(type, drive->buf,
                                            FEMU_PAGE_BYTES)), ==,
                        NVME_SGL_DESCR_TYPE_INVALID);
        g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                             descriptor(type, drive->buf,
                                        FEMU_PAGE_BYTES)), ==,
                        NVME_SGL_DESCR_TYPE_INVALID);
    }
    /* sub type: an offset instead of an address */
    page.type |= 1;
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1, page), ==,
                    NVME_SGL_DESCR_TYPE_INVALID);
    assert_untouched(drive);
}

static void test_wrong_segment(void)
{
    static const uint32_t wrong[] = { 0, 1, 15, 17, 33 };
    FemuDrive *drive = boot();
    uint64_t list = drive->buf + 64 * FEMU_PAGE_BYTES;
    NvmeSglDescriptor page = descriptor(BLOCK, drive->buf, FEMU_PAGE_BYTES);

    put(drive, list, page);
    put(drive, list + 16, page);
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 2,
                             descriptor(LAST, list, wrong[i])), ==,
                        NVME_INVALID_SGL_SEG_DESCR);
        g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 2,
                             descriptor(SEGMENT, list, wrong[i])), ==,
                        NVME_INVALID_SGL_SEG_DESCR);
    }
    /* a segment that is not the last must end in a link */
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 2,
                         descriptor(SEGMENT, list, 32)), ==,
                    NVME_INVALID_SGL_SEG_DESCR);
    assert_untouched(drive);
}

/*
 * A segment where no segment may be: in the last segment, first or last, and in
 * another one ahead of its end (NVMe base 2.0, 3.3.3.2.1, 0Dh and 0Eh).
 */
static void test_misplaced_segment(void)
{
    FemuDrive *drive = boot();
    uint64_t list = drive->buf + 64 * FEMU_PAGE_BYTES;
    NvmeSglDescriptor page = descriptor(BLOCK, drive->buf, FEMU_PAGE_BYTES);

    for (unsigned type = SEGMENT; type <= LAST; type++) {
        NvmeSglDescriptor segment = descriptor(type, list + 48, 16);

        put(drive, list + 48, page);
        g_assert_cmphex(exec_two(drive, page, segment), ==,
                        NVME_INVALID_SGL_SEG_DESCR);
        g_assert_cmphex(exec_two(drive, segment, page), ==,
                        NVME_INVALID_SGL_SEG_DESCR);
        put(drive, list, segment);
        put(drive, list + 16, descriptor(LAST, list + 48, 16));
        g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                             descriptor(SEGMENT, list, 32)), ==,
                        NVME_INVALID_NUM_SGL_DESCRS);
    }
    assert_untouched(drive);
}

/* Segments in a ring end the command, not the drive. */
static void test_ring(void)
{
    FemuDrive *drive = boot();
    uint64_t list = drive->buf + 64 * FEMU_PAGE_BYTES;

    put(drive, list, descriptor(SEGMENT, list, 16));
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                         descriptor(SEGMENT, list, 16)), ==,
                    NVME_INVALID_NUM_SGL_DESCRS);
    put(drive, list, descriptor(BLOCK, drive->buf, 0));
    put(drive, list + 16, descriptor(SEGMENT, list, 32));
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                         descriptor(SEGMENT, list, 32)), ==,
                    NVME_INVALID_NUM_SGL_DESCRS);
    /* a list of 4 GiB of nothing */
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                         descriptor(LAST, list, 0xfffffff0)), ==,
                    NVME_INVALID_NUM_SGL_DESCRS);
    assert_untouched(drive);
}

static void test_unreachable(void)
{
    FemuDrive *drive = boot();
    uint64_t list = drive->buf + 64 * FEMU_PAGE_BYTES;
    NvmeSglDescriptor page = descriptor(BLOCK, drive->buf, FEMU_PAGE_BYTES);

    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                         descriptor(BLOCK, NOWHERE, FEMU_PAGE_BYTES)), ==,
                    NVME_DATA_TRAS_ERROR);
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                         descriptor(BLOCK, UINT64_MAX - 100,
                                    FEMU_PAGE_BYTES)), ==,
                    NVME_DATA_TRAS_ERROR);
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 1,
                         descriptor(LAST, NOWHERE, 16)), ==,
                    NVME_DATA_TRAS_ERROR);
    g_assert_cmphex(exec_two(drive, page,
                             descriptor(BLOCK, NOWHERE, FEMU_PAGE_BYTES)), ==,
                    NVME_DATA_TRAS_ERROR);
    put(drive, list, page);
    put(drive, list + 16, descriptor(LAST, NOWHERE, 16));
    g_assert_cmphex(exec(drive, NVME_CMD_WRITE, 2,
                         descriptor(SEGMENT, list, 32)), ==,
                    NVME_DATA_TRAS_ERROR);
    assert_untouched(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("femu-zns/sgl/data-block", test_data_block);
    qtest_add_func("femu-zns/sgl/one-segment", test_one_segment);
    qtest_add_func("femu-zns/sgl/many-segments", test_many_segments);
    qtest_add_func("femu-zns/sgl/1024-pieces", test_1024_pieces);
    qtest_add_func("femu-zns/sgl/most-pieces", test_most_pieces);
    qtest_add_func("femu-zns/sgl/report", test_report);
    qtest_add_func("femu-zns/sgl/wrong-length", test_wrong_length);
    qtest_add_func("femu-zns/sgl/wrong-type", test_wrong_type);
    qtest_add_func("femu-zns/sgl/wrong-segment", test_wrong_segment);
    qtest_add_func("femu-zns/sgl/misplaced-segment", test_misplaced_segment);
    qtest_add_func("femu-zns/sgl/ring", test_ring);
    qtest_add_func("femu-zns/sgl/unreachable", test_unreachable);
    return g_test_run();
}
