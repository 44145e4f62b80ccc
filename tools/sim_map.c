/*
 * femu-sim map: which flash units each zone uses, as text and as a picture.
 *
 * Knows nothing of how the drive chooses them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim.h"
#include "ssd.h"

#define CELL_PX 46
#define HEAD_PX 64
#define ZONES_SHOWN 4 /* of a group, before an ellipsis */

/* Zones that lie on the same units, in the same order. */
typedef struct MapGroup {
    const uint32_t *units; /* in striping order */
    uint32_t first_zone;
    GString *zones; /* "0, 4, 8, 12, ..." */
    uint32_t zone_count;
} MapGroup;

typedef struct MapView {
    const SsdParams *params;
    Ssd *ssd;
    uint32_t unit_count;
    uint32_t zone_units;
    GArray *groups; /* MapGroup */
} MapView;

/* Planes that have a clock of their own: with multi-plane, the die has it. */
static uint32_t unit_planes(const SsdParams *p)
{
    return p->multi_plane ? 1 : p->planes;
}

static MapGroup *group_at(const MapView *view, unsigned idx)
{
    return &g_array_index(view->groups, MapGroup, idx);
}

/* --- Looking at the drive ------------------------------------------------ */

static void add_zone(MapView *view, uint32_t zone, const uint32_t *units)
{
    MapGroup *group = NULL;

    for (unsigned i = 0; i < view->groups->len && !group; i++) {
        if (memcmp(group_at(view, i)->units, units,
                   view->zone_units * sizeof(*units)) == 0) {
            group = group_at(view, i);
        }
    }
    if (!group) {
        MapGroup fresh = {.units = units, .first_zone = zone,
                          .zones = g_string_new(NULL)};

        g_array_append_val(view->groups, fresh);
        group = group_at(view, view->groups->len - 1);
    }
    if (group->zone_count < ZONES_SHOWN) {
        g_string_append_printf(group->zones, "%s%" PRIu32,
                               group->zone_count > 0 ? ", " : "", zone);
    } else if (group->zone_count == ZONES_SHOWN) {
        g_string_append(group->zones, ", ...");
    }
    group->zone_count++;
}

static void look(MapView *view)
{
    const SsdParams *p = view->params;
    uint32_t drive_zone = 0;

    view->unit_count = p->channels * p->ways * p->dies * unit_planes(p);
    view->groups = g_array_new(FALSE, FALSE, sizeof(MapGroup));
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(view->ssd); nsid++) {
        SsdNsInfo info = ssd_ns_info(view->ssd, nsid);

        for (uint32_t i = 0; info.kind == SSD_NS_ZONED && i < info.zones;
             i++) {
            const uint32_t *units = ssd_zone_units(view->ssd, nsid, i,
                                                   &view->zone_units);

            add_zone(view, drive_zone++, units);
        }
    }
}

static void forget(MapView *view)
{
    for (unsigned i = 0; i < view->groups->len; i++) {
        g_string_free(group_at(view, i)->zones, TRUE);
    }
    g_array_unref(view->groups);
}

/* --- Text ---------------------------------------------------------------- */

static void print_unit(const SsdParams *p, uint32_t unit)
{
    uint32_t planes = unit_planes(p);
    uint32_t die = unit / planes % p->dies;
    uint32_t way = unit / planes / p->dies % p->ways;

    printf("  ch%" PRIu32 ".way%" PRIu32 ".die%" PRIu32,
           unit / planes / p->dies / p->ways, way, die);
    if (!p->multi_plane) {
        printf(".plane%" PRIu32, unit % planes);
    }
}

static void print_text(const MapView *view)
{
    const SsdParams *p = view->params;

    printf("%" PRIu32 " channels x %" PRIu32 " ways x %" PRIu32 " dies",
           p->channels, p->ways, p->dies);
    if (!p->multi_plane) {
        printf(" x %" PRIu32 " planes", p->planes);
    }
    printf(" = %" PRIu32 " units", view->unit_count);
    if (p->multi_plane) {
        printf(" of %" PRIu32 " planes", p->planes);
    }
    printf("; a zone spans %" PRIu32 ", in %u groups\n", view->zone_units,
           view->groups->len);
    if (p->zone_stagger) {
        printf("zone z starts at place z x %" PRIu32 " mod %" PRIu32 "\n",
               p->zone_stagger, view->zone_units);
    }
    for (unsigned i = 0; i < view->groups->len; i++) {
        const MapGroup *group = group_at(view, i);

        printf("\ngroup %u: %" PRIu32 " zones: %s\n", i, group->zone_count,
               group->zones->str);
        for (uint32_t k = 0; k < view->zone_units; k++) {
            print_unit(p, group->units[k]);
            if (k % 4 == 3 || k + 1 == view->zone_units) {
                printf("\n");
            }
        }
    }
}

/* --- A picture ----------------------------------------------------------- */

/* One unit: its colour is that of its group, its number its place in it. */
static void draw_unit(FILE *out, const MapView *view, unsigned group_idx,
                      uint32_t place)
{
    const SsdParams *p = view->params;
    uint32_t unit = group_at(view, group_idx)->units[place];
    uint32_t per_channel = view->unit_count / p->channels;
    uint32_t x = HEAD_PX + unit % per_channel * CELL_PX;
    uint32_t y = HEAD_PX + unit / per_channel * CELL_PX;

    fprintf(out, "<g><title>group %u, page %" PRIu32 " of each row; zones %s"
            "</title><rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%d\" "
            "height=\"%d\" rx=\"5\" fill=\"hsl(%u 60%% 78%%)\"/><text x=\"%"
            PRIu32 "\" y=\"%" PRIu32 "\">%" PRIu32 "</text></g>\n", group_idx,
            place, group_at(view, group_idx)->zones->str, x + 2, y + 2,
            CELL_PX - 4, CELL_PX - 4, group_idx * 137 % 360,
            x + CELL_PX / 2, y + CELL_PX / 2 + 4, place);
}

static void draw_heads(FILE *out, const MapView *view)
{
    const SsdParams *p = view->params;
    uint32_t per_channel = view->unit_count / p->channels;
    uint32_t planes = unit_planes(p);

    for (uint32_t channel = 0; channel < p->channels; channel++) {
        fprintf(out, "<text x=\"%d\" y=\"%" PRIu32 "\">ch %" PRIu32
                "</text>\n", HEAD_PX / 2,
                HEAD_PX + channel * CELL_PX + CELL_PX / 2 + 4, channel);
    }
    for (uint32_t i = 0; i < per_channel; i++) {
        fprintf(out, "<text x=\"%" PRIu32 "\" y=\"%d\">%" PRIu32 ".%" PRIu32
                ".%" PRIu32 "</text>\n", HEAD_PX + i * CELL_PX + CELL_PX / 2,
                HEAD_PX - 10, i / planes / p->dies, i / planes % p->dies,
                i % planes);
    }
    fprintf(out, "<text x=\"%d\" y=\"20\" text-anchor=\"start\">way.die.plane;"
            " colour: zones that share units; number: place of the unit in a "
            "zone's stripe</text>\n", HEAD_PX);
}

static void draw_all(FILE *out, const MapView *view)
{
    uint32_t per_channel = view->unit_count / view->params->channels;

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32
            "\" height=\"%" PRIu32 "\" font-family=\"sans-serif\" "
            "font-size=\"12\" text-anchor=\"middle\">\n",
            MAX(HEAD_PX + per_channel * CELL_PX + 10, 640),
            HEAD_PX + view->params->channels * CELL_PX + 10);
    draw_heads(out, view);
    for (unsigned i = 0; i < view->groups->len; i++) {
        for (uint32_t k = 0; k < view->zone_units; k++) {
            draw_unit(out, view, i, k);
        }
    }
    fprintf(out, "</svg>\n");
}

static bool write_svg(const MapView *view, const char *path, GError **error)
{
    FILE *out = fopen(path, "w");
    bool written = out;

    if (out) {
        draw_all(out, view);
        written = !ferror(out);
        written = fclose(out) == 0 && written;
    }
    if (!written) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s", path,
                    g_strerror(errno));
    }
    return written;
}

/* --- The command --------------------------------------------------------- */

static bool run(const SimDriveOptions *drive, const char *svg_path,
                GError **error)
{
    SsdParams params;
    MapView view = {.params = &params};
    bool done = true;

    if (!sim_drive_params(drive, &params, error)) {
        return false;
    }
    ssd_params_resolve(&params);
    view.ssd = ssd_new(&params);
    look(&view);
    print_text(&view);
    if (svg_path) {
        done = write_svg(&view, svg_path, error);
    }
    forget(&view);
    ssd_free(view.ssd);
    return done;
}

int sim_map_command(int argc, char **argv, GError **error)
{
    SimDriveOptions drive = {0};
    g_autofree char *svg = NULL;
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    const GOptionEntry entries[] = {
        {"svg", 0, 0, G_OPTION_ARG_FILENAME, &svg,
         "Draw it there, as SVG", "FILE"},
        {0},
    };
    bool ran;

    g_option_context_set_summary(
        context, "Print which flash units each zone uses, and the order in "
        "which its pages\ngo round them.");
    sim_add_drive_options(context, &drive);
    g_option_context_add_main_entries(context, entries, NULL);
    ran = sim_parse_options(context, &argc, &argv, NULL, error) &&
          run(&drive, svg, error);
    sim_drive_options_clear(&drive);
    return ran ? SIM_OK : SIM_ERROR;
}
