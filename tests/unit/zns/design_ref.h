/*
 * When finishes, resets and writes must be done, whatever the designs, for a
 * drive that does one thing at a time: the formulas of docs/model.md. A
 * channel and a unit are the instant until which they are busy.
 *
 * Knows nothing of the drive's inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_TEST_DESIGN_REF_H
#define FEMU_TEST_DESIGN_REF_H

#include "ssd.h"

#define REF_XFER_NS UINT64_C(25031)
#define REF_PROGRAM_NS UINT64_C(700027)
#define REF_ERASE_NS UINT64_C(3500017)
#define REF_IDLE_NS UINT64_C(100003)

#define REF_ZONES 6
#define REF_MAX_UNITS 64
#define REF_MAX_BLOCKS 3
#define REF_MAX_SUPERBLOCKS 16
#define REF_PAGES_PER_BLOCK 2

/* A superblock. */
typedef struct RefBlocks {
    bool is_mapped;
    bool is_dirty;          /* backs no zone, and nobody erases it */
    uint64_t clean_at_ns;   /* else it is erased from then on */
    unsigned given_back;    /* when, among the others */
    bool dirty[REF_MAX_UNITS][REF_MAX_BLOCKS];
    uint32_t erases[REF_MAX_UNITS][REF_MAX_BLOCKS];
} RefBlocks;

typedef struct Ref {
    const SsdParams *p;
    uint32_t groups;
    uint32_t units;         /* of a zone */
    uint32_t channels;      /* of a zone */
    uint32_t blocks;        /* of a unit of a superblock */
    uint32_t superblocks;
    uint64_t pages;         /* what one program writes, each */
    uint64_t xfer_ns;
    uint64_t busy_until_ns; /* host I/O is inside */
    unsigned given_back;
    RefBlocks superblock[REF_MAX_SUPERBLOCKS];
    RefBlocks *of_zone[REF_ZONES];
    uint64_t channel_ns[2][2];      /* of a group; busy until then */
    uint64_t unit_ns[2][REF_MAX_UNITS];
} Ref;

/*
 * Every zone is empty. The array times are those above, a page is what one
 * program writes.
 */
void ref_init(Ref *r, const SsdParams *p);

/*
 * Program pages [first, end) of a zone, issued together at `at_ns`.
 * Return: the end of the last, and of the erases that it waits for.
 */
uint64_t ref_program(Ref *r, uint64_t at_ns, uint32_t z, uint64_t first,
                     uint64_t end);

/* Return: when the finish of a zone that holds `written` pages is done. */
uint64_t ref_finish(Ref *r, uint64_t at_ns, uint32_t z, uint64_t written);

/*
 * Return: when the reset of a zone of which `used` pages are programmed is done.
 * `*background_ns` is when what is erased behind resets ends, one superblock
 * after the other.
 */
uint64_t ref_reset(Ref *r, uint64_t at_ns, uint32_t z, uint64_t used,
                   uint64_t *background_ns);

#endif
