/*
 * What all pictures of femu-sim have in common: a head, colours, a file.
 *
 * Knows nothing of what they show.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "svg.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "error.h"
#include "ssd_file.h"

#define CHAR_PX 7 /* mean width of a character, rounded up */

/* Okabe and Ito's palette: colour-blind readers can tell these apart. */
static const char *const hues[SIM_SVG_HUES] = {
    "#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#d55e00",
    "#4d4d4d",
};

/* The cividis map, light to dark: it looks the same to the colour-blind. */
static const uint32_t shades[] = {
    0xfee838, 0xddc858, 0xbbad6d, 0x9a9376, 0x7c7b78, 0x60646f, 0x424e6c,
    0x18376f, 0x00224e,
};

const char *sim_svg_hue(uint32_t idx)
{
    return hues[idx % SIM_SVG_HUES];
}

uint32_t sim_svg_shade(uint64_t part, uint64_t whole)
{
    uint64_t steps = G_N_ELEMENTS(shades) - 1;
    uint64_t idx = part * steps / whole;
    uint64_t rest = part * steps % whole;
    uint32_t shade = 0;

    if (rest == 0) {
        return shades[idx];
    }
    for (unsigned bits = 0; bits < 24; bits += 8) {
        uint64_t from = shades[idx] >> bits & 0xff;
        uint64_t to = shades[idx + 1] >> bits & 0xff;

        shade |= (uint32_t)((from * (whole - rest) + to * rest) / whole)
                 << bits;
    }
    return shade;
}

void sim_svg_start(FILE *out, uint32_t width, uint32_t height,
                   const char *title, const char *note)
{
    width = MAX(width, (uint32_t)strlen(note) * CHAR_PX + 24);
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32
            "\" height=\"%" PRIu32 "\" viewBox=\"0 0 %" PRIu32 " %" PRIu32
            "\">\n<style>\nsvg { background: #ffffff; max-width: 100%%; "
            "height: auto; }\ntext { font: 12px system-ui, 'DejaVu Sans', "
            "sans-serif; fill: #5b6472; }\n.title { font-size: 16px; "
            "font-weight: 650; fill: #171b22; }\n.cell { fill: #171b22; }\n"
            ".small { font-size: 10px; }\n.middle { text-anchor: middle; }\n"
            ".end { text-anchor: end; }\n</style>\n"
            "<text class=\"title\" x=\"12\" y=\"24\">%s</text>\n"
            "<text x=\"12\" y=\"44\">%s</text>\n", width, height, width,
            height, title, note);
}

bool sim_svg_write(const char *path, SimSvgDraw *draw, const void *what,
                   GError **error)
{
    const char *wrong = NULL;
    FILE *out = ssd_file_create(path, &wrong);
    bool written = out;

    if (out) {
        draw(out, what);
        fprintf(out, "</svg>\n");
        written = !ferror(out);
        written = fclose(out) == 0 && written;
    }
    if (!written) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s", path,
                    wrong ? wrong : g_strerror(errno));
    }
    return written;
}
