/*
 * A trace as a file for Perfetto.
 *
 * Knows nothing of where the trace was recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "spans.h"

#include <errno.h>
#include <inttypes.h>

#include "engine/booked.h"
#include "output/perfetto.h"
#include "ssd_file.h"

/* The drive stops this often, so that its log of busy times never overflows. */
#define STEP_NS 10000000
#define BUSY_CAPACITY (1u << 18)

/* A command that has not completed yet. */
typedef struct Begun {
    uint64_t seq;
    uint64_t at_ns;
    SsdCmd cmd;
} Begun;

struct Spans {
    FILE *out;
    const char *path;
    Player *player;
    Booked busy;
    GHashTable *begun;  /* key: &Begun.seq; value: the Begun */
};

static void put_busy(void *context, const SsdBusy *busy)
{
    const Spans *spans = context;

    perfetto_busy(spans->out, busy, 0);
}

static void take_busy(Spans *spans)
{
    booked_take(&spans->busy, spans->player->ssd, spans->player->now_ns);
}

Spans *spans_open(const char *path, Player *player, GError **error)
{
    const char *wrong;
    FILE *out = ssd_file_create(path, &wrong);
    Spans *spans;

    if (!out) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot create '%s': %s", path,
                    wrong);
        return NULL;
    }
    spans = g_new0(Spans, 1);
    spans->out = out;
    spans->path = path;
    spans->player = player;
    booked_init(&spans->busy, put_busy, spans);
    spans->begun = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                         g_free);
    perfetto_begin(out, ssd_params(player->ssd));
    for (uint32_t nsid = 1; nsid <= ssd_ns_count(player->ssd); nsid++) {
        g_autofree char *name = g_strdup_printf("namespace %" PRIu32, nsid);

        perfetto_process(out, nsid, name);
    }
    perfetto_process(out, ssd_ns_count(player->ssd) + 1, "all namespaces");
    /* The drive that comes with a power cut goes on with it. */
    ssd_busy_log_start(player->ssd, BUSY_CAPACITY);
    return spans;
}

void spans_run(Spans *spans, uint64_t now_ns)
{
    Player *player = spans->player;

    while (ssd_next_step_at_ns(player->ssd) < now_ns &&
           now_ns - player->now_ns > STEP_NS) {
        player_run(player, MAX(player->now_ns + STEP_NS,
                               MIN(ssd_next_step_at_ns(player->ssd), now_ns)));
        take_busy(spans);
    }
    player_run(player, MAX(now_ns, player->now_ns));
    take_busy(spans);
}

/* One that is to a namespace of another drive has none, whatever was said. */
static bool has_row(const Spans *spans, const SsdCmd *cmd)
{
    return cmd->nsid == SSD_NSID_ALL ||
           (cmd->nsid >= 1 && cmd->nsid <= ssd_ns_count(spans->player->ssd));
}

static void begin(Spans *spans, const SsdTraceRecord *record)
{
    Begun *begun;

    if (record->status != SSD_SUCCESS || !has_row(spans, &record->cmd)) {
        return;
    }
    begun = g_new(Begun, 1);
    *begun = (Begun) { record->seq, record->at_ns, record->cmd };
    g_hash_table_replace(spans->begun, &begun->seq, begun);
}

static void put_span(Spans *spans, const Begun *begun, uint64_t end_at_ns)
{
    const SsdCmd *cmd = &begun->cmd;
    const Ssd *ssd = spans->player->ssd;
    bool is_of_all = cmd->nsid == SSD_NSID_ALL;
    uint64_t zone_nlb = is_of_all
                        ? 0 : ssd_ns_info(ssd, cmd->nsid).zone_size_nlb;
    g_autofree char *id = g_strdup_printf("%" PRIu64, begun->seq);
    g_autofree char *args = g_strdup_printf(
        "\"command\":%" PRIu64 ",\"slba\":%" PRIu64 ",\"nlb\":%" PRIu32,
        begun->seq, cmd->slba, cmd->nlb);

    perfetto_span(spans->out, &(PerfettoSpan) {
        .process = is_of_all ? ssd_ns_count(ssd) + 1 : cmd->nsid,
        .zone_idx = zone_nlb && !cmd->select_all ? cmd->slba / zone_nlb : 0,
        .name = ssd_op_name(cmd->op),
        .id = id,
        .args = args,
        .begin_at_ns = begun->at_ns,
        .end_at_ns = end_at_ns,
    });
}

void spans_record(Spans *spans, const SsdTraceRecord *record)
{
    const Begun *begun;

    if (record->kind == SSD_TRACE_SUBMIT) {
        begin(spans, record);
    } else if (record->kind == SSD_TRACE_DONE ||
               record->kind == SSD_TRACE_DISCARD) {
        begun = g_hash_table_lookup(spans->begun, &record->seq);
        if (begun && record->kind == SSD_TRACE_DONE) {
            put_span(spans, begun, record->at_ns);
        }
        g_hash_table_remove(spans->begun, &record->seq);
    } else if (record->kind == SSD_TRACE_POWER_CUT ||
               record->kind == SSD_TRACE_END) {
        booked_cut(&spans->busy, record->at_ns);
    }
}

bool spans_close(Spans *spans, GError **error)
{
    bool written;

    booked_cut(&spans->busy, spans->player->now_ns);
    perfetto_end(spans->out);
    written = !ferror(spans->out);
    written = fclose(spans->out) == 0 && written;
    if (!written && error && !*error) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "cannot write '%s': %s",
                    spans->path, g_strerror(errno));
    }
    g_hash_table_unref(spans->begun);
    g_free(spans);
    return written;
}
