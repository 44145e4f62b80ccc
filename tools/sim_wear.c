/*
 * A picture of wear: one cell for each block of the zones' flash, darker the
 * more often it has been erased.
 *
 * Knows nothing of why blocks are erased.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"
#include "sim_wear.h"

#define CELL_PX 12
#define HEAD_PX 60

typedef struct WearView {
    const Ssd *ssd;
    uint64_t block_count;
    uint32_t units;
    uint32_t unit_blocks;
    uint32_t most;          /* erases of a block */
} WearView;

static void look(WearView *view, const Ssd *ssd)
{
    *view = (WearView) {.ssd = ssd, .block_count = ssd_block_count(ssd)};
    for (uint64_t i = 0; i < view->block_count; i++) {
        SsdBlock block = ssd_block(ssd, i);

        view->units = MAX(view->units, block.unit_idx + 1);
        view->unit_blocks = MAX(view->unit_blocks,
                                block.block_in_unit_idx + 1);
        view->most = MAX(view->most, block.erase_count);
    }
}

static void draw_block(FILE *out, const WearView *view, const SsdBlock *block)
{
    unsigned light = 95;

    if (view->most > 0) {
        light -= (unsigned)(UINT64_C(65) * block->erase_count / view->most);
    }
    fprintf(out, "<rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%d\" "
            "height=\"%d\" fill=\"hsl(10 70%% %u%%)\"><title>unit %" PRIu32
            ", block %" PRIu32 ", superblock %" PRIu32 ": %" PRIu32
            " erases</title></rect>\n",
            HEAD_PX + block->block_in_unit_idx * CELL_PX,
            HEAD_PX + block->unit_idx * CELL_PX, CELL_PX - 1, CELL_PX - 1,
            light, block->unit_idx, block->block_in_unit_idx,
            block->superblock_idx, block->erase_count);
}

static void draw_all(FILE *out, const WearView *view)
{
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32
            "\" height=\"%" PRIu32 "\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n",
            MAX(HEAD_PX + view->unit_blocks * CELL_PX + 10, 480),
            HEAD_PX + view->units * CELL_PX + 10);
    fprintf(out, "<text x=\"%d\" y=\"20\">erases of each block: 0 (light) to "
            "%" PRIu32 " (dark)</text>\n<text x=\"%d\" y=\"40\">rows: units; "
            "columns: blocks of a unit</text>\n", HEAD_PX, view->most,
            HEAD_PX);
    for (uint64_t i = 0; i < view->block_count; i++) {
        SsdBlock block = ssd_block(view->ssd, i);

        draw_block(out, view, &block);
    }
    fprintf(out, "</svg>\n");
}

bool sim_wear_write(const Ssd *ssd, const char *path, GError **error)
{
    FILE *out = fopen(path, "w");
    bool written = out;
    WearView view;

    if (out) {
        look(&view, ssd);
        draw_all(out, &view);
        written = !ferror(out);
        written = fclose(out) == 0 && written;
    }
    if (!written) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s", path,
                    g_strerror(errno));
    }
    return written;
}
