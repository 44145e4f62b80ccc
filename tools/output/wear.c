/*
 * A picture of wear: a row for each unit and a column for each of its blocks,
 * darker the more often a block has been erased. Neighbours share a cell where
 * there are too many for a screen.
 *
 * Knows nothing of why blocks are erased.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "wear.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/svg.h"

#define MOST_CELLS 128 /* in a row, and in a column */
#define CELL_PX 12     /* greatest width and height of a cell */
#define LEFT_PX 56
#define TOP_PX (SIM_SVG_HEAD_PX + 44)
#define MARK_PX 72     /* least distance between labels of columns */
#define LINE_PX 16     /* and between labels of rows */
#define SCALE_STEPS 8
#define SCALE_PX 64

/* Erases of the blocks that share one cell. */
typedef struct WearCell {
    uint32_t blocks;
    uint32_t superblock_idx; /* the superblock of the last block */
    uint32_t least; /* erases of a block */
    uint32_t most;
    uint64_t erases; /* of all blocks together */
} WearCell;

typedef struct WearView {
    uint32_t units;
    uint32_t unit_blocks;
    uint32_t cell_units;
    uint32_t cell_blocks;
    uint32_t rows;
    uint32_t columns;
    uint32_t most; /* erases of the block that has the most */
    WearCell *cells;
} WearView;

static uint32_t up(uint32_t count, uint32_t each)
{
    return (count + each - 1) / each;
}

static void look(WearView *view, const Ssd *ssd)
{
    *view = (WearView) {0};
    for (uint64_t i = 0; i < ssd_block_count(ssd); i++) {
        SsdBlock block = ssd_block(ssd, i);

        view->units = MAX(view->units, block.unit_idx + 1);
        view->unit_blocks = MAX(view->unit_blocks,
                                block.block_in_unit_idx + 1);
        view->most = MAX(view->most, block.erase_count);
    }
    view->cell_units = up(view->units, MOST_CELLS);
    view->cell_blocks = up(view->unit_blocks, MOST_CELLS);
    view->rows = up(view->units, view->cell_units);
    view->columns = up(view->unit_blocks, view->cell_blocks);
    view->cells = g_new0(WearCell, (gsize)view->rows * view->columns);
    for (uint64_t i = 0; i < ssd_block_count(ssd); i++) {
        SsdBlock block = ssd_block(ssd, i);
        WearCell *cell = &view->cells[
            block.unit_idx / view->cell_units * view->columns +
            block.block_in_unit_idx / view->cell_blocks];

        cell->least = cell->blocks == 0 ? block.erase_count
                                        : MIN(cell->least, block.erase_count);
        cell->most = MAX(cell->most, block.erase_count);
        cell->erases += block.erase_count;
        cell->superblock_idx = block.superblock_idx;
        cell->blocks++;
    }
}

static uint32_t cell_width(const WearView *view)
{
    return MIN(SIM_SVG_PLOT_PX / view->columns, CELL_PX);
}

static uint32_t cell_height(const WearView *view)
{
    return view->rows > MOST_CELLS / 2 ? CELL_PX / 2 : CELL_PX;
}

static void print_range(FILE *out, const char *name, uint32_t first,
                        uint32_t count, uint32_t end)
{
    uint32_t last = MIN(first + count, end) - 1;

    if (first == last) {
        fprintf(out, "%s %" PRIu32 ", ", name, first);
    } else {
        fprintf(out, "%ss %" PRIu32 " to %" PRIu32 ", ", name, first, last);
    }
}

/* The colour for so many erases; blocks never erased are grey. */
static uint32_t shade(const WearView *view, uint32_t erases)
{
    return erases > 0 ? sim_svg_shade(erases, view->most) : 0xdde1e7;
}

static void draw_cell(FILE *out, const WearView *view, uint32_t row,
                      uint32_t column)
{
    const WearCell *cell = &view->cells[row * view->columns + column];

    if (cell->blocks == 0) {
        return;
    }
    fprintf(out, "<rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32
            "\" height=\"%" PRIu32 "\" fill=\"#%06" PRIx32 "\"><title>",
            LEFT_PX + column * cell_width(view),
            TOP_PX + row * cell_height(view), cell_width(view) - 1,
            cell_height(view) - 1, shade(view, cell->most));
    print_range(out, "unit", row * view->cell_units, view->cell_units,
                view->units);
    print_range(out, "block", column * view->cell_blocks, view->cell_blocks,
                view->unit_blocks);
    if (cell->blocks == 1) {
        fprintf(out, "superblock %" PRIu32 ": %" PRIu32 " erases",
                cell->superblock_idx, cell->most);
    } else {
        fprintf(out, "%" PRIu32 " to %" PRIu32 " erases, %" PRIu64 " in all",
                cell->least, cell->most, cell->erases);
    }
    fprintf(out, "</title></rect>\n");
}

static void draw_marks(FILE *out, const WearView *view)
{
    uint32_t every = up(MARK_PX, cell_width(view));

    for (uint32_t column = 0; column < view->columns; column += every) {
        fprintf(out, "<text x=\"%" PRIu32 "\" y=\"%d\">%s%" PRIu32
                "</text>\n", LEFT_PX + column * cell_width(view), TOP_PX - 6,
                column == 0 ? "block " : "", column * view->cell_blocks);
    }
    every = up(LINE_PX, cell_height(view));
    for (uint32_t row = 0; row < view->rows; row += every) {
        fprintf(out, "<text class=\"end\" x=\"%d\" y=\"%" PRIu32 "\">%s%"
                PRIu32 "</text>\n", LEFT_PX - 6,
                TOP_PX + row * cell_height(view) + 10,
                row == 0 ? "unit " : "", row * view->cell_units);
    }
}

/* The legend: which colour means how many erases. */
static void draw_scale(FILE *out, const WearView *view)
{
    uint32_t steps = MIN(view->most, SCALE_STEPS);

    for (uint32_t i = 0; i <= steps; i++) {
        uint32_t erases = steps > 0
                          ? (uint32_t)((uint64_t)view->most * i / steps) : 0;
        uint32_t x = LEFT_PX + i * SCALE_PX;

        fprintf(out, "<rect class=\"scale\" x=\"%" PRIu32 "\" y=\"%d\" "
                "width=\"14\" height=\"12\" fill=\"#%06" PRIx32 "\"/>"
                "<text x=\"%" PRIu32 "\" y=\"%d\">%" PRIu32 "</text>\n", x,
                SIM_SVG_HEAD_PX, shade(view, erases), x + 19,
                SIM_SVG_HEAD_PX + 10, erases);
    }
}

static void draw(FILE *out, const void *what)
{
    const WearView *view = what;
    uint64_t shared = (uint64_t)view->cell_units * view->cell_blocks;
    g_autofree char *note = shared == 1
        ? g_strdup("a cell for each block; point at one for its number")
        : g_strdup_printf("a cell for every %" PRIu64 " blocks, with the "
                          "erases of the most worn of them; point at one for "
                          "its numbers", shared);

    sim_svg_start(out, MAX(LEFT_PX + view->columns * cell_width(view) + 32,
                           LEFT_PX + (SCALE_STEPS + 1) * SCALE_PX),
                  TOP_PX + view->rows * cell_height(view) + 12,
                  "Erases of each block since the drive was made", note);
    draw_scale(out, view);
    draw_marks(out, view);
    for (uint32_t row = 0; row < view->rows; row++) {
        for (uint32_t column = 0; column < view->columns; column++) {
            draw_cell(out, view, row, column);
        }
    }
}

bool sim_wear_write(const Ssd *ssd, const char *path, GError **error)
{
    WearView view;
    bool written;

    look(&view, ssd);
    written = sim_svg_write(path, draw, &view, error);
    g_free(view.cells);
    return written;
}
