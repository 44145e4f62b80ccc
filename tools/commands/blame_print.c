/*
 * Prints what a command went through, as a table or as CSV.
 *
 * Knows nothing of how that is found.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "blame.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/error.h"

/* Holders that a line of the table names; the others are counted. */
#define SHOWN_HOLDERS 3

typedef enum IdxKind {
    IDX_NONE,
    IDX_ZONE,
    IDX_UNIT,
    IDX_CHANNEL,
} IdxKind;

typedef struct PlaceText {
    const char *name;
    IdxKind idx;
    const char *waits;
    const char *works; /* NULL: the work of the unit's array */
} PlaceText;

static const PlaceText places[SSD_PLACE_COUNT] = {
    [SSD_PLACE_READ_SLOT] = {"read-slot", IDX_NONE,
                             "waits for a read slot", ""},
    [SSD_PLACE_FRONT_END] = {"front-end", IDX_NONE,
                             "waits for its turn in the front end",
                             "the front end works for it"},
    [SSD_PLACE_FRONT_HELD] = {"front-held", IDX_NONE, "waits in the front end, "
                              "held up by writes that wait for room", ""},
    [SSD_PLACE_ZONE_WRITES] = {"zone-writes", IDX_ZONE,
                               "waits behind writes of its zone", ""},
    [SSD_PLACE_ZONE_RESET] = {"zone-reset", IDX_ZONE,
                              "waits behind a reset of its zone", ""},
    [SSD_PLACE_SEAT] = {"seat", IDX_ZONE, "waits for a seat in the buffer", ""},
    [SSD_PLACE_LOG] = {"log", IDX_NONE, "waits behind other writes of the "
                       "conventional namespace", ""},
    [SSD_PLACE_LOG_ROOM] = {"log-room", IDX_NONE, "waits for room in the log "
                            "of the conventional namespace", ""},
    [SSD_PLACE_LINE] = {"line", IDX_NONE, "waits in line for room in the "
                        "buffer", ""},
    [SSD_PLACE_ZONE_ROOM] = {"zone-room", IDX_ZONE, "waits for room in its "
                             "zone's share of the buffer", ""},
    [SSD_PLACE_ROOM] = {"room", IDX_NONE, "waits for room in the buffer", ""},
    [SSD_PLACE_LINK_IN] = {"link-in", IDX_NONE, "waits for the host link, in",
                           "crosses the host link, in"},
    [SSD_PLACE_LINK_OUT] = {"link-out", IDX_NONE,
                            "waits for the host link, out",
                            "crosses the host link, out"},
    [SSD_PLACE_PAGE] = {"page", IDX_UNIT, "a page in the buffer waits for a "
                        "register of its unit", ""},
    [SSD_PLACE_REGISTER] = {"register", IDX_UNIT,
                            "waits for a register of its unit", ""},
    [SSD_PLACE_LOCK] = {"lock", IDX_UNIT, "waits while a reset keeps programs "
                        "from their registers", ""},
    [SSD_PLACE_ISSUE] = {"issue", IDX_NONE,
                         "waits for the controller to issue its program",
                         "the controller issues its program"},
    [SSD_PLACE_CHANNEL] = {"channel", IDX_CHANNEL, "waits for its channel",
                           "crosses its channel"},
    [SSD_PLACE_ERASE] = {"erase", IDX_UNIT, "an erase waits for programs "
                         "before it that are on their way", ""},
    [SSD_PLACE_UNIT] = {"unit", IDX_UNIT, "waits for its unit", NULL},
    [SSD_PLACE_SELECT_ALL] = {"select-all", IDX_ZONE,
                              "waits for another Select All", ""},
    [SSD_PLACE_JOBS] = {"jobs", IDX_ZONE,
                        "waits for a finish or reset of its zone", ""},
    [SSD_PLACE_RESETS] = {"resets", IDX_ZONE,
                          "waits for other resets, one at a time", ""},
    [SSD_PLACE_UNMAP] = {"unmap", IDX_ZONE, "", "its zone is unmapped"},
    [SSD_PLACE_COMMIT] = {"commit", IDX_ZONE, "", "its reset is committed"},
    [SSD_PLACE_STEPS] = {"steps", IDX_ZONE,
                         "waits for its visits to units", ""},
    [SSD_PLACE_PAUSE] = {"pause", IDX_ZONE, "", "pauses between two steps"},
    [SSD_PLACE_STALL] = {"stall", IDX_ZONE, "waits until host I/O pauses", ""},
    [SSD_PLACE_FIXED] = {"fixed", IDX_NONE, "",
                         "a latency that occupies nothing"},
    [SSD_PLACE_OWN] = {"own", IDX_UNIT, "waits until all units have ended "
                       "their programs, and the drive's own", ""},
    [SSD_PLACE_INSIDE] = {"inside", IDX_NONE, "is inside", "is inside"},
};

const char *blame_place_name(SsdPlace place)
{
    return places[place].name;
}

/* Where: "unit 3", or "" */
static char *where(const SsdCause *cause)
{
    static const char *const kinds[] = {
        [IDX_ZONE] = "zone", [IDX_UNIT] = "unit", [IDX_CHANNEL] = "channel",
    };
    IdxKind kind = places[cause->place].idx;

    return kind == IDX_NONE
           ? g_strdup("")
           : g_strdup_printf("%s %" PRIu32, kinds[kind], cause->idx);
}

static char *page_text(const BlamePart *part)
{
    const SsdWho *who = &part->cause.who;
    g_autofree char *page = who->page == UINT64_MAX
        ? g_strdup("a page") : g_strdup_printf("page %" PRIu64, who->page);

    return part->seq == BLAME_NONE
           ? g_strdup_printf("%s of zone %" PRIu32, page, who->zone_idx)
           : g_strdup_printf("%s of zone %" PRIu32 " by command %" PRIu64,
                             page, who->zone_idx, part->seq);
}

/* Who has the place, or for whom it works; "" for nobody. */
static char *who_text(const BlamePart *part)
{
    const SsdWho *who = &part->cause.who;

    switch (who->kind) {
    case SSD_WHO_NOBODY:
        return g_strdup("");
    case SSD_WHO_COMMAND:
        return g_strdup_printf("command %" PRIu64, part->seq);
    case SSD_WHO_PAGE:
        return page_text(part);
    case SSD_WHO_ZONE:
        return g_strdup_printf("zone %" PRIu32 " before its first write",
                               who->zone_idx);
    case SSD_WHO_CONTROLLER:
        return g_strdup("the controller itself");
    case SSD_WHO_AHEAD:
        return g_strdup("read-ahead");
    case SSD_WHO_CLEANING:
        return g_strdup("cleaning");
    case SSD_WHO_LOG:
        return g_strdup("a page of the conventional namespace");
    }
    g_assert_not_reached();
}

static char *holder_text(const BlamePart *part)
{
    g_autofree char *who = who_text(part);
    const char *what = part->cause.what;

    if (what && *who) {
        return g_strdup_printf("%s of %s", what, who);
    }
    return g_strdup(what ? what : who);
}

static char *doing_text(const SsdCause *cause)
{
    const PlaceText *place = &places[cause->place];

    if (!cause->works) {
        return g_strdup(place->waits);
    }
    return place->works ? g_strdup(place->works)
                        : g_strdup_printf("%s on its unit", cause->what);
}

/* --- The table ------------------------------------------------------------ */

typedef struct Holder {
    char *text;
    uint64_t ns;
} Holder;

/* Parts of one kind, in whatever order they were. */
typedef struct Line {
    char *doing;
    uint64_t ns;
    unsigned count;
    GArray *holders; /* of Holder */
} Line;

static void holder_clear(void *holder)
{
    g_free(((Holder *)holder)->text);
}

static void line_clear(void *data)
{
    Line *line = data;

    g_free(line->doing);
    g_array_unref(line->holders);
}

static Line *line_of(GArray *lines, const char *doing)
{
    Line line;

    for (unsigned i = 0; i < lines->len; i++) {
        if (g_str_equal(g_array_index(lines, Line, i).doing, doing)) {
            return &g_array_index(lines, Line, i);
        }
    }
    line = (Line) {
        .doing = g_strdup(doing),
        .holders = g_array_new(FALSE, FALSE, sizeof(Holder)),
    };
    g_array_set_clear_func(line.holders, holder_clear);
    g_array_append_val(lines, line);
    return &g_array_index(lines, Line, lines->len - 1);
}

static void hold(GArray *holders, const char *text, uint64_t ns)
{
    Holder holder = { .ns = ns };

    for (unsigned i = 0; i < holders->len; i++) {
        if (g_str_equal(g_array_index(holders, Holder, i).text, text)) {
            g_array_index(holders, Holder, i).ns += ns;
            return;
        }
    }
    holder.text = g_strdup(text);
    g_array_append_val(holders, holder);
}

/* "unit 3, program of command 7": where, and who has it. */
static char *detail(const Blame *blame, const BlamePart *part)
{
    bool is_own = part->cause.who.kind == SSD_WHO_COMMAND &&
                  part->seq == blame->seq;
    g_autofree char *at = where(&part->cause);
    g_autofree char *who = is_own ? g_strdup("another part of it") :
                           part->cause.works ? who_text(part)
                                             : holder_text(part);

    return g_strdup_printf("%s%s%s", at, *at && *who ? ", " : "", who);
}

static GArray *lines_of_parts(const Blame *blame)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(Line));

    g_array_set_clear_func(lines, line_clear);
    for (unsigned i = 0; i < blame->parts->len; i++) {
        const BlamePart *part = &g_array_index(blame->parts, BlamePart, i);
        g_autofree char *doing = doing_text(&part->cause);
        g_autofree char *who = detail(blame, part);
        Line *line = line_of(lines, doing);

        line->ns += part->to_ns - part->from_ns;
        line->count++;
        if (*who) {
            hold(line->holders, who, part->to_ns - part->from_ns);
        }
    }
    return lines;
}

static int by_time(const void *a, const void *b)
{
    const Holder *first = a, *second = b;

    return (first->ns < second->ns) - (first->ns > second->ns);
}

static void print_line(const Line *line, uint64_t all_ns)
{
    unsigned count = line->holders->len;

    printf("%14" PRIu64 " %6.1f %%  %s", line->ns,
           100.0 * (double)line->ns / (double)all_ns, line->doing);
    if (line->count > 1) {
        printf(" (%u times)", line->count);
    }
    g_array_sort(line->holders, by_time);
    for (unsigned i = 0; i < MIN(count, SHOWN_HOLDERS); i++) {
        const Holder *holder = &g_array_index(line->holders, Holder, i);

        printf(count > 1 ? "%s%s %" PRIu64 : "%s%s", i ? "; " : ": ",
               holder->text, holder->ns);
    }
    if (count > SHOWN_HOLDERS) {
        printf("; %u more", count - SHOWN_HOLDERS);
    }
    printf("\n");
}

static void print_head(const Blame *blame, unsigned level)
{
    const SsdCmd *cmd = &blame->cmd;

    printf("%scommand %" PRIu64 ", %s%s", level ? "\nit waited longest for "
           : "", blame->seq, ssd_op_name(cmd->op),
           cmd->select_all ? " all" : "");
    if (cmd->nsid != SSD_NSID_ALL) {
        printf(", namespace %" PRIu32, cmd->nsid);
    }
    if (blame->zone_nlb && !cmd->select_all) {
        printf(", zone %" PRIu64,
               blame->first_zone_idx + cmd->slba / blame->zone_nlb);
    }
    printf(", LBA %" PRIu64 ", %" PRIu32 " blocks\nfrom %" PRIu64 " to %"
           PRIu64 " ns\n", cmd->slba, cmd->nlb, blame->submitted_at_ns,
           blame->done_at_ns);
}

void blame_print(const Blame *blame, unsigned level)
{
    uint64_t all_ns = blame->done_at_ns - blame->submitted_at_ns;
    g_autoptr(GArray) lines = lines_of_parts(blame);

    print_head(blame, level);
    printf("%14s %8s\n", "ns", "share");
    for (unsigned i = 0; i < lines->len; i++) {
        print_line(&g_array_index(lines, Line, i), MAX(all_ns, 1));
    }
    printf("%14" PRIu64 " %6.1f %%  latency\n", all_ns, 100.0);
}

char *blame_longest(const Blame *blame)
{
    uint64_t all_ns = blame->done_at_ns - blame->submitted_at_ns;
    g_autoptr(GArray) lines = lines_of_parts(blame);
    const Line *longest = NULL;

    for (unsigned i = 0; i < lines->len; i++) {
        const Line *line = &g_array_index(lines, Line, i);

        if (!longest || line->ns > longest->ns) {
            longest = line;
        }
    }
    return longest ? g_strdup_printf("%.1f %% of it: %s",
                                     100.0 * (double)longest->ns /
                                     (double)all_ns, longest->doing)
                   : g_strdup("done at once");
}

/* --- CSV ------------------------------------------------------------------ */

void blame_print_csv(const Blame *blame, unsigned level)
{
    for (unsigned i = 0; i < blame->parts->len; i++) {
        const BlamePart *part = &g_array_index(blame->parts, BlamePart, i);
        g_autofree char *at = where(&part->cause);
        g_autofree char *who = who_text(part);

        printf("%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
               ",%s,%s,%s,%s,%s\n", level, blame->seq, part->from_ns,
               part->to_ns, part->to_ns - part->from_ns,
               blame_place_name(part->cause.place),
               part->cause.works ? "works" : "waits", at,
               part->cause.what ? part->cause.what : "", who);
    }
}
