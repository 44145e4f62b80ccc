/*
 * femu-sim map: which flash units each zone uses, as text and as a picture.
 *
 * Knows nothing of how the drive chooses them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common/files.h"
#include "common/svg.h"
#include "ssd.h"

#define CELL_PX 104      /* greatest width of a cell */
#define CELL_LEAST_PX 8
#define ZONES_FROM_PX 76 /* a cell this wide has room for its zones */
#define PLACE_FROM_PX 24 /* and one this wide for its place */
#define HEAD_PX 46       /* width of a column's name */
#define ROW_PX 38
#define LEFT_PX 56
#define LEGEND_PX 20
#define LEGEND_GROUPS SIM_SVG_HUES
#define ZONES_SHOWN 4 /* zones of a group that are named before "..." */
#define ZONES_BRIEF 2 /* the same, in a cell of the picture */

/* Zones that lie on the same units, in the same order. */
typedef struct MapGroup {
    const uint32_t *units; /* in striping order */
    uint32_t first_zone;
    GString *zones; /* such as "0, 4, 8, 12, ..." */
    GString *brief; /* such as "0, 4, ..." */
    uint32_t zone_count;
} MapGroup;

typedef struct MapView {
    const SsdParams *params;
    Ssd *ssd;
    uint32_t unit_count;
    uint32_t zone_units;
    GArray *groups;   /* MapGroup */
    GPtrArray *zones; /* units of each, const uint32_t * */
} MapView;

/* Planes that work on their own; multi-plane programs make a die one unit. */
static uint32_t unit_planes(const SsdParams *p)
{
    return p->multi_plane ? 1 : p->planes;
}

static MapGroup *group_at(const MapView *view, unsigned idx)
{
    return &g_array_index(view->groups, MapGroup, idx);
}

/* --- Looking at the drive ------------------------------------------------ */

/* Append a zone to a list of `count`; only the first `shown` are named. */
static void list_zone(GString *list, uint32_t count, uint32_t shown,
                      uint32_t zone)
{
    if (count < shown) {
        g_string_append_printf(list, "%s%" PRIu32, count > 0 ? ", " : "",
                               zone);
    } else if (count == shown) {
        g_string_append(list, ", ...");
    }
}

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
                          .zones = g_string_new(NULL),
                          .brief = g_string_new(NULL)};

        g_array_append_val(view->groups, fresh);
        group = group_at(view, view->groups->len - 1);
    }
    list_zone(group->zones, group->zone_count, ZONES_SHOWN, zone);
    list_zone(group->brief, group->zone_count, ZONES_BRIEF, zone);
    group->zone_count++;
}

static void look(MapView *view)
{
    const SsdParams *p = view->params;
    uint32_t drive_zone = 0;

    view->unit_count = p->channels * p->ways * p->dies * unit_planes(p);
    view->groups = g_array_new(FALSE, FALSE, sizeof(MapGroup));
    view->zones = g_ptr_array_new();
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(view->ssd); nsid++) {
        SsdNsInfo info = ssd_ns_info(view->ssd, nsid);

        for (uint32_t i = 0; info.kind == SSD_NS_ZONED && i < info.zones;
             i++) {
            const uint32_t *units = ssd_zone_units(view->ssd, nsid, i,
                                                   &view->zone_units);

            g_ptr_array_add(view->zones, (void *)units);
            add_zone(view, drive_zone++, units);
        }
    }
}

static void forget(MapView *view)
{
    for (unsigned i = 0; i < view->groups->len; i++) {
        g_string_free(group_at(view, i)->zones, TRUE);
        g_string_free(group_at(view, i)->brief, TRUE);
    }
    g_array_unref(view->groups);
    g_ptr_array_unref(view->zones);
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

/* --- Numbers -------------------------------------------------------------- */

/* A line for each zone: its units' numbers, in striping order. */
static void print_csv(const MapView *view)
{
    printf("zone,units\n");
    for (uint32_t zone = 0; zone < view->zones->len; zone++) {
        const uint32_t *units = g_ptr_array_index(view->zones, zone);

        printf("%" PRIu32 ",", zone);
        for (uint32_t k = 0; k < view->zone_units; k++) {
            printf("%s%" PRIu32, k > 0 ? " " : "", units[k]);
        }
        printf("\n");
    }
}

/* --- A picture ----------------------------------------------------------- */

/* Cells are as narrow as a channel's units need; narrow ones have no text. */
static uint32_t cell_width(const MapView *view)
{
    uint32_t per_channel = view->unit_count / view->params->channels;

    return CLAMP(SIM_SVG_PLOT_PX / per_channel, CELL_LEAST_PX, CELL_PX);
}

static bool has_legend(const MapView *view)
{
    return view->groups->len <= LEGEND_GROUPS;
}

static uint32_t top(const MapView *view)
{
    return SIM_SVG_HEAD_PX + 30 +
           (has_legend(view) ? view->groups->len * LEGEND_PX : 0);
}

/* Draw one unit: in its group's colour, with the zones of the group. */
static void draw_unit(FILE *out, const MapView *view, unsigned group_idx,
                      uint32_t place)
{
    const MapGroup *group = group_at(view, group_idx);
    uint32_t unit = group->units[place];
    uint32_t per_channel = view->unit_count / view->params->channels;
    uint32_t width = cell_width(view);
    uint32_t x = LEFT_PX + unit % per_channel * width;
    uint32_t y = top(view) + unit / per_channel * ROW_PX;

    fprintf(out, "<g><title>group %u, page %" PRIu32 " of each row; zones %s"
            "</title><rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%"
            PRIu32 "\" height=\"%d\" rx=\"3\" fill=\"%s\" "
            "fill-opacity=\"0.45\"/>", group_idx, place, group->zones->str,
            x + 1, y + 1, width - 2, ROW_PX - 2, sim_svg_hue(group_idx));
    if (width >= ZONES_FROM_PX) {
        fprintf(out, "<text class=\"cell small middle\" x=\"%" PRIu32
                "\" y=\"%" PRIu32 "\">%s</text>", x + width / 2, y + 16,
                group->brief->str);
    }
    if (width >= PLACE_FROM_PX) {
        fprintf(out, "<text class=\"small middle\" x=\"%" PRIu32 "\" y=\"%"
                PRIu32 "\">%s%" PRIu32 "</text>", x + width / 2,
                y + (width >= ZONES_FROM_PX ? 30 : 23),
                width >= ZONES_FROM_PX ? "place " : "", place);
    }
    fprintf(out, "</g>\n");
}

static void draw_heads(FILE *out, const MapView *view)
{
    const SsdParams *p = view->params;
    uint32_t per_channel = view->unit_count / p->channels;
    uint32_t planes = unit_planes(p);
    uint32_t width = cell_width(view);
    uint32_t every = width < HEAD_PX ? (HEAD_PX + width - 1) / width : 1;

    for (uint32_t channel = 0; channel < p->channels; channel++) {
        fprintf(out, "<text class=\"end\" x=\"%d\" y=\"%" PRIu32 "\">ch %"
                PRIu32 "</text>\n", LEFT_PX - 6,
                top(view) + channel * ROW_PX + ROW_PX / 2 + 4, channel);
    }
    for (uint32_t i = 0; i < per_channel; i += every) {
        fprintf(out, "<text class=\"middle\" x=\"%" PRIu32 "\" y=\"%" PRIu32
                "\">%" PRIu32 ".%" PRIu32, LEFT_PX + i * width + width / 2,
                top(view) - 8, i / planes / p->dies, i / planes % p->dies);
        if (!p->multi_plane) {
            fprintf(out, ".%" PRIu32, i % planes);
        }
        fprintf(out, "</text>\n");
    }
}

static void draw_legend(FILE *out, const MapView *view)
{
    for (unsigned i = 0; i < view->groups->len; i++) {
        const MapGroup *group = group_at(view, i);
        uint32_t y = SIM_SVG_HEAD_PX + i * LEGEND_PX;

        fprintf(out, "<circle cx=\"18\" cy=\"%" PRIu32 "\" r=\"6\" "
                "fill=\"%s\" fill-opacity=\"0.45\"/><text class=\"cell\" "
                "x=\"32\" y=\"%" PRIu32 "\">group %u: %" PRIu32
                " zones: %s</text>\n", y + 6, sim_svg_hue(i), y + 10, i,
                group->zone_count, group->zones->str);
    }
}

static void draw_all(FILE *out, const void *what)
{
    const MapView *view = what;
    const SsdParams *p = view->params;
    g_autofree char *stagger = p->zone_stagger
        ? g_strdup_printf("; zone z starts at place z x %" PRIu32 " mod %"
                          PRIu32, p->zone_stagger, view->zone_units)
        : g_strdup("");
    g_autofree char *note = g_strdup_printf(
        "columns: way.die%s; place: where the unit is in a zone's stripe%s",
        p->multi_plane ? "" : ".plane", stagger);

    sim_svg_start(out, LEFT_PX + view->unit_count / p->channels *
                  cell_width(view) + 12,
                  top(view) + p->channels * ROW_PX + 12,
                  "Which zones lie on which flash unit", note);
    if (has_legend(view)) {
        draw_legend(out, view);
    }
    draw_heads(out, view);
    for (unsigned i = 0; i < view->groups->len; i++) {
        for (uint32_t k = 0; k < view->zone_units; k++) {
            draw_unit(out, view, i, k);
        }
    }
}

/* --- The command --------------------------------------------------------- */

static bool run(const SimDriveOptions *drive, const char *svg_path,
                gboolean csv, GError **error)
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
    if (csv) {
        print_csv(&view);
    } else {
        print_text(&view);
    }
    if (svg_path) {
        done = sim_svg_write(svg_path, draw_all, &view, error);
    }
    forget(&view);
    ssd_free(view.ssd);
    return done;
}

int sim_map_command(int argc, char **argv, GError **error)
{
    SimDriveOptions drive = {0};
    g_autofree char *svg = NULL;
    gboolean csv = FALSE;
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    const GOptionEntry entries[] = {
        {"svg", 0, 0, G_OPTION_ARG_FILENAME, &svg,
         "Draw it there, as SVG", "FILE"},
        {"csv", 0, 0, G_OPTION_ARG_NONE, &csv,
         "Print a line for each zone, zone,units", NULL},
        {0},
    };
    bool ran;

    g_option_context_set_summary(
        context, "Print which flash units each zone uses, and the order in "
        "which its pages\ngo round them.");
    sim_add_drive_options(context, &drive);
    g_option_context_add_main_entries(context, entries, NULL);
    ran = sim_parse_options(context, &argc, &argv, NULL, error) &&
          sim_files_apart((SimFile []) {{"--config", drive.config, true},
                                        {"--svg", svg, false}}, 2, error) &&
          run(&drive, svg, csv, error);
    sim_drive_options_clear(&drive);
    return ran ? SIM_OK : SIM_ERROR;
}
