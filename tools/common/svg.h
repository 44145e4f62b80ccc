/*
 * The pictures that femu-sim draws, in the style and the colours of the
 * report's page (scripts/femu/drawing/page_style.py).
 *
 * Knows nothing of what they show.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_SIM_SVG_H
#define FEMU_SIM_SVG_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_SVG_HUES 7

/* What a whole picture has of the screen's width, in pixels. */
#define SIM_SVG_PLOT_PX 1040

typedef void SimSvgDraw(FILE *out, const void *what);

/* Have `draw` write a picture of `what`. Return: false with *error. */
bool sim_svg_write(const char *path, SimSvgDraw *draw, const void *what,
                   GError **error);

/*
 * The first thing that `draw` does. `title` and `note` are lines of text, for
 * which the picture becomes wider than `width` if it must.
 */
void sim_svg_start(FILE *out, uint32_t width, uint32_t height,
                   const char *title, const char *note);

/* Height that sim_svg_start() takes. */
#define SIM_SVG_HEAD_PX 56

/* Colour `idx` of those for things that are to be told apart. */
const char *sim_svg_hue(uint32_t idx);

/* A colour of cividis as 0xRRGGBB: light for 0, dark for `whole` > 0. */
uint32_t sim_svg_shade(uint64_t part, uint64_t whole);

#endif
