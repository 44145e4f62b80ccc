/*
 * The oracle's data pointers: PRP entries and lists, scatter gather lists,
 * right ones and wrong ones.
 *
 * Knows nothing of what a command does with its data.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-oracle.h"

#define LIST_ENTRIES (FEMU_PAGE_BYTES / 8)

/* Places in a slot's scratch memory. */
#define SCRATCH_LIST 0u                         /* two pages */
#define SCRATCH_SEGMENTS (2 * FEMU_PAGE_BYTES)

/* Entries that a scattered list has in its first page, before the chain. */
#define SHORT_LIST 3u

static const struct {
    const char *name;
    uint16_t status;
    uint8_t psdt;
} layouts[ORACLE_LAYOUTS] = {
    [ORACLE_PRP] = { "PRP", NVME_SUCCESS, NVME_PSDT_PRP },
    [ORACLE_PRP_SCATTERED] = { "PRP, pages reversed, list chained",
                               NVME_SUCCESS, NVME_PSDT_PRP },
    [ORACLE_SGL] = { "SGL data block", NVME_SUCCESS, 1 },
    [ORACLE_SGL_SEGMENTS] = { "SGL segments", NVME_SUCCESS, 1 },
    [ORACLE_PRP_BAD_ENTRY] = { "PRP, later entry with an offset",
                               NVME_INVALID_PRP_OFFSET, NVME_PSDT_PRP },
    [ORACLE_PRP_ODD] = { "PRP, first entry not dword aligned",
                         NVME_INVALID_PRP_OFFSET, NVME_PSDT_PRP },
    [ORACLE_SGL_SHORT] = { "SGL, too short", NVME_DATA_SGL_LEN_INVALID, 1 },
    [ORACLE_SGL_LONG] = { "SGL, too long", NVME_DATA_SGL_LEN_INVALID, 1 },
    [ORACLE_SGL_BAD_TYPE] = { "SGL of an unknown type",
                              NVME_SGL_DESCR_TYPE_INVALID, 1 },
    [ORACLE_SGL_BAD_SEGMENT] = { "SGL segment of 24 bytes",
                                 NVME_INVALID_SGL_SEG_DESCR, 1 },
    [ORACLE_PSDT_METADATA] = { "SGL, PSDT 10b", NVME_INVALID_FIELD, 2 },
    [ORACLE_PSDT_RESERVED] = { "SGL, PSDT 11b", NVME_INVALID_FIELD, 3 },
};

const char *oracle_layout_name(OracleLayout layout)
{
    return layouts[layout].name;
}

/* A data pointer that no data goes through is not looked at, but for PSDT. */
uint16_t oracle_layout_status(const OracleCmd *cmd)
{
    if (cmd->bytes == 0 && cmd->layout < ORACLE_PSDT_METADATA) {
        return NVME_SUCCESS;
    }
    return layouts[cmd->layout].status;
}

uint32_t oracle_layout_pages(const OracleCmd *cmd)
{
    return DIV_ROUND_UP(cmd->offset_bytes % FEMU_PAGE_BYTES + cmd->bytes,
                        FEMU_PAGE_BYTES);
}

uint64_t oracle_list_create(FemuHost *host, uint64_t addr, uint32_t bytes)
{
    uint32_t pages = DIV_ROUND_UP(bytes, FEMU_PAGE_BYTES);
    uint64_t list = femu_alloc(host, FEMU_PAGE_BYTES);
    g_autofree uint64_t *entry = g_new(uint64_t, pages);

    g_assert_cmpuint(pages, <=, LIST_ENTRIES);
    for (uint32_t i = 0; i < pages; i++) {
        entry[i] = cpu_to_le64(addr + i * FEMU_PAGE_BYTES);
    }
    qtest_bufwrite(host->qts, list, entry, pages * 8);
    return list;
}

/* NVM command set 1.0, figures 38 (format 0) and 45. */
uint32_t oracle_ranges_bytes(const OracleCmd *cmd)
{
    return cmd->range_count * (cmd->op->kind == ORACLE_COPY
                               ? sizeof(NvmeCopySourceRangeFormat0_2)
                               : sizeof(NvmeDsmRange));
}

void oracle_ranges_write(Oracle *oracle, const OracleCmd *cmd, unsigned slot)
{
    NvmeCopySourceRangeFormat0_2 source[ORACLE_RANGES_MAX] = { 0 };
    NvmeDsmRange range[ORACLE_RANGES_MAX] = { 0 };
    bool copy = cmd->op->kind == ORACLE_COPY;

    for (uint32_t i = 0; i < cmd->range_count; i++) {
        source[i].slba = range[i].slba = cpu_to_le64(cmd->range[i].slba);
        source[i].nlb = cpu_to_le16(cmd->range[i].nlb - 1);
        range[i].nlb = cpu_to_le32(cmd->range[i].nlb);
    }
    qtest_bufwrite(oracle->host->qts,
                   oracle->slot[slot].ranges + cmd->offset_bytes,
                   copy ? (void *)source : (void *)range,
                   oracle_ranges_bytes(cmd));
}

/* A buffer: its first page, the list of its pages, where the data start. */
typedef struct Buffer {
    uint64_t base;
    uint64_t list;
    uint32_t offset_bytes;
} Buffer;

static Buffer find_buffer(Oracle *oracle, const OracleCmd *cmd, unsigned slot,
                          unsigned side)
{
    const OracleSlot *s = &oracle->slot[slot];
    uint32_t offset_bytes = cmd->offset_bytes;

    if (cmd->data == ORACLE_FROM_DRIVE) {
        return (Buffer) { s->sink[side], s->sink_list[side], offset_bytes };
    }
    if (cmd->range_count) {
        return (Buffer) { s->ranges, s->ranges_list, offset_bytes };
    }
    return (Buffer) { oracle->pool, oracle->pool_list, offset_bytes };
}

/* PRP list of `entries` at *entry: at the end of a page, chained if longer. */
static uint64_t write_chained(Oracle *oracle, uint64_t scratch,
                              const uint64_t *entry, uint32_t entries)
{
    QTestState *qts = oracle->host->qts;
    uint64_t second = scratch + SCRATCH_LIST + FEMU_PAGE_BYTES;
    uint64_t first = second - SHORT_LIST * 8;
    uint64_t chain = cpu_to_le64(second);
    uint32_t in_first = SHORT_LIST - 1;

    if (entries <= SHORT_LIST) {
        qtest_bufwrite(qts, first, entry, entries * 8);
        return first;
    }
    qtest_bufwrite(qts, first, entry, in_first * 8);
    qtest_bufwrite(qts, first + in_first * 8, &chain, 8);
    qtest_bufwrite(qts, second, entry + in_first, (entries - in_first) * 8);
    return first;
}

/* The pages after the first in reverse order; the last has an offset if bad. */
static void lay_scattered(Oracle *oracle, const OracleCmd *cmd,
                          const Buffer *b, uint64_t scratch, NvmeCmd *sqe)
{
    uint32_t entries = oracle_layout_pages(cmd) - 1;
    uint64_t first = QEMU_ALIGN_DOWN(b->base + b->offset_bytes,
                                     FEMU_PAGE_BYTES);
    uint64_t flaw = cmd->layout == ORACLE_PRP_BAD_ENTRY ? 0x200 : 0;
    g_autofree uint64_t *entry = g_new(uint64_t, entries + 1);

    sqe->dptr.prp1 = cpu_to_le64(b->base + b->offset_bytes);
    if (entries == 0) {
        return;
    }
    for (uint32_t i = 0; i < entries; i++) {
        entry[i] = cpu_to_le64(first + (entries - i) * FEMU_PAGE_BYTES);
    }
    entry[entries - 1] |= cpu_to_le64(flaw);
    sqe->dptr.prp2 = entries == 1 ? entry[0] : cpu_to_le64(
        write_chained(oracle, scratch, entry, entries));
}

static void lay_prp(const OracleCmd *cmd, const Buffer *b, NvmeCmd *sqe)
{
    uint32_t pages = oracle_layout_pages(cmd);
    uint32_t second = b->offset_bytes / FEMU_PAGE_BYTES + 1;
    uint32_t flaw = cmd->layout == ORACLE_PRP_ODD;

    sqe->dptr.prp1 = cpu_to_le64(b->base + b->offset_bytes + flaw);
    if (pages == 2) {
        sqe->dptr.prp2 = cpu_to_le64(b->base + second * FEMU_PAGE_BYTES);
    } else if (pages > 2) {
        sqe->dptr.prp2 = cpu_to_le64(b->list + second * 8);
    }
}

static NvmeSglDescriptor descriptor(uint8_t type, uint64_t addr,
                                    uint32_t bytes)
{
    return (NvmeSglDescriptor) {
        .addr = cpu_to_le64(addr),
        .len = cpu_to_le32(bytes),
        .type = type << 4,
    };
}

/* One data block in a segment, two more in the last segment behind it. */
static void lay_segments(Oracle *oracle, const OracleCmd *cmd, const Buffer *b,
                         uint64_t scratch, NvmeCmd *sqe)
{
    uint64_t addr = b->base + b->offset_bytes;
    uint64_t first = scratch + SCRATCH_SEGMENTS, last = first + 0x100;
    uint32_t one = cmd->bytes / 3, two = cmd->bytes / 2;
    NvmeSglDescriptor segment[2] = {
        descriptor(NVME_SGL_DESCR_TYPE_DATA_BLOCK, addr, one),
        descriptor(NVME_SGL_DESCR_TYPE_LAST_SEGMENT, last,
                   cmd->layout == ORACLE_SGL_BAD_SEGMENT ? 24 : 32),
    };
    NvmeSglDescriptor blocks[2] = {
        descriptor(NVME_SGL_DESCR_TYPE_DATA_BLOCK, addr + one, two - one),
        descriptor(NVME_SGL_DESCR_TYPE_DATA_BLOCK, addr + two,
                   cmd->bytes - two),
    };

    qtest_bufwrite(oracle->host->qts, first, segment, sizeof(segment));
    qtest_bufwrite(oracle->host->qts, last, blocks, sizeof(blocks));
    sqe->dptr.sgl = descriptor(NVME_SGL_DESCR_TYPE_SEGMENT, first,
                               sizeof(segment));
}

static void lay_block(const OracleCmd *cmd, const Buffer *b, NvmeCmd *sqe)
{
    uint8_t type = NVME_SGL_DESCR_TYPE_DATA_BLOCK;
    uint32_t bytes = cmd->bytes;

    if (cmd->layout == ORACLE_SGL_SHORT) {
        bytes -= 4;
    } else if (cmd->layout == ORACLE_SGL_LONG) {
        bytes += 4;
    } else if (cmd->layout == ORACLE_SGL_BAD_TYPE) {
        type = NVME_SGL_DESCR_TYPE_VENDOR_SPECIFIC;
    }
    sqe->dptr.sgl = descriptor(type, b->base + b->offset_bytes, bytes);
}

void oracle_layout(Oracle *oracle, const OracleCmd *cmd, unsigned slot,
                   unsigned side, NvmeCmd *sqe)
{
    uint64_t scratch = oracle->slot[slot].scratch[side];
    Buffer b = find_buffer(oracle, cmd, slot, side);

    sqe->flags |= layouts[cmd->layout].psdt << 6;
    switch (cmd->layout) {
    case ORACLE_PRP_SCATTERED:
    case ORACLE_PRP_BAD_ENTRY:
        lay_scattered(oracle, cmd, &b, scratch, sqe);
        break;
    case ORACLE_PRP:
    case ORACLE_PRP_ODD:
        lay_prp(cmd, &b, sqe);
        break;
    case ORACLE_SGL_SEGMENTS:
    case ORACLE_SGL_BAD_SEGMENT:
        lay_segments(oracle, cmd, &b, scratch, sqe);
        break;
    default:
        lay_block(cmd, &b, sqe);
    }
}
