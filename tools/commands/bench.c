/*
 * femu-sim bench: how fast the drive's model is on this machine. The one
 * command whose numbers depend on the host.
 *
 * Knows nothing of how the drive works.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "commands.h"
#include "common/random.h"
#include "ssd.h"

#define POLL_MAX 256
#define ZONES_MAX 32 /* zones that are written or read in turn */

typedef struct BenchOptions {
    SimDriveOptions drive;
    char *op;
    char *block;
    char *qd;
    char *count;
} BenchOptions;

typedef struct Bench {
    Ssd *ssd;
    const SsdParams *params;
    unsigned read_pct;
    uint32_t block_nlb;
    unsigned qd;
    uint64_t count;
    uint64_t zone_nlb;  /* from one zone's start to the next one's */
    uint64_t zone_cap_nlb;
    uint32_t zone_first; /* first of the `zones` that are being written */
    uint32_t zones;
    uint64_t at_nlb;    /* the next write's offset in its zone */
    uint32_t zone_next; /* the next write's zone, counted from zone_first */
    uint64_t fill_nlb;  /* blocks that fill() wrote to each zone to read */
    uint64_t now_ns;
    SimRandom random;
} Bench;

static const char summary[] =
    "Send commands to a new drive, as fast as this machine can, and print\n"
    "what that cost: JSON, one object. The baseline is Algorithm 1 of ConfZNS\n"
    "computed directly, two clocks a page, nothing else; in the same process.";

static GOptionContext *bench_context(BenchOptions *o)
{
    GOptionContext *context = g_option_context_new(NULL);
    const GOptionEntry entries[] = {
        {"op", 'o', 0, G_OPTION_ARG_STRING, &o->op,
         "write, randread or mix, half of each (write)", "OP"},
        {"bs", 'b', 0, G_OPTION_ARG_STRING, &o->block,
         "Bytes of a command (4K)", "SIZE"},
        {"qd", 'q', 0, G_OPTION_ARG_STRING, &o->qd,
         "Commands inside the drive (64)", "N"},
        {"count", 'n', 0, G_OPTION_ARG_STRING, &o->count,
         "Commands to send (2000000)", "N"},
        {0},
    };

    g_option_context_set_summary(context, summary);
    sim_add_drive_options(context, &o->drive);
    g_option_context_add_main_entries(context, entries, NULL);
    return context;
}

/*
 * Processor time of this process in us. Unlike wall-clock time it does not
 * grow while other processes have the processor.
 */
static int64_t cpu_us(void)
{
    struct timespec at;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (int64_t)at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

/* --- The loop ------------------------------------------------------------ */

static SsdCmd next_write(Bench *b)
{
    SsdCmd cmd = {
        .op = SSD_OP_WRITE,
        .nsid = 1,
        .slba = (b->zone_first + b->zone_next) * b->zone_nlb + b->at_nlb,
        .nlb = b->block_nlb,
    };

    if (++b->zone_next == b->zones) {
        b->zone_next = 0;
        b->at_nlb += b->block_nlb;
        if (b->at_nlb + b->block_nlb > b->zone_cap_nlb) {
            b->at_nlb = 0;
            b->zone_first += b->zones;
        }
    }
    return cmd;
}

/* A random read of the first zones, which fill() has written. */
static SsdCmd next_read(Bench *b)
{
    uint64_t block = sim_random_below(&b->random, b->fill_nlb /
                                      b->block_nlb);

    return (SsdCmd) {
        .op = SSD_OP_READ,
        .nsid = 1,
        .slba = sim_random_below(&b->random, b->zones) * b->zone_nlb +
                block * b->block_nlb,
        .nlb = b->block_nlb,
    };
}

static SsdCmd next_cmd(Bench *b)
{
    if (b->read_pct > 0 &&
        sim_random_below(&b->random, 100) < b->read_pct) {
        return next_read(b);
    }
    return next_write(b);
}

/* Return: false with *error if the drive rejects a command. */
static bool send_all(Bench *b, uint64_t count, GError **error)
{
    SsdDone done[POLL_MAX];
    uint64_t sent = 0, ended = 0, next_at_ns;

    while (ended < count) {
        while (sent < count && sent - ended < b->qd &&
               ssd_has_room(b->ssd)) {
            SsdCmd cmd = next_cmd(b);
            SsdAccept accept = ssd_submit(b->ssd, b->now_ns, &cmd, 0);

            if (accept.status != SSD_SUCCESS) {
                g_set_error(error, SIM_ERROR_DOMAIN, 0, "the drive rejected "
                            "command %" PRIu64 " with status 0x%03x: it is "
                            "too small for --count", sent, accept.status);
                return false;
            }
            sent++;
        }
        next_at_ns = ssd_next_at_ns(b->ssd);
        b->now_ns = MAX(b->now_ns, next_at_ns);
        ended += ssd_poll(b->ssd, b->now_ns, done, POLL_MAX);
    }
    return true;
}

/* Write blocks to read to each of the first zones; writes go on after them. */
static bool fill(Bench *b, GError **error)
{
    uint32_t block_nlb = b->block_nlb;
    unsigned read_pct = b->read_pct;
    bool filled;

    b->read_pct = 0;
    b->fill_nlb = MIN(b->zone_cap_nlb, UINT64_C(16384)) / block_nlb *
                  block_nlb;
    b->block_nlb = (uint32_t)MIN(b->fill_nlb, b->params->mdts_bytes /
                                 b->params->lba_bytes);
    b->fill_nlb = b->fill_nlb / b->block_nlb * b->block_nlb;
    filled = send_all(b, b->zones * (b->fill_nlb / b->block_nlb), error);
    b->read_pct = read_pct;
    b->block_nlb = block_nlb;
    b->zone_first = b->zones;
    b->at_nlb = 0;
    b->zone_next = 0;
    return filled;
}

/* --- The baseline -------------------------------------------------------- */

/*
 * Return: the processor time in ns that this machine needs for one page of
 * Algorithm 1 (8 channels, 4 ways, pages in order). After each page the clock
 * moves on to the end of an earlier program, so that queues stay short.
 */
static double baseline_ns(void)
{
    enum { CHANNELS = 8, WAYS = 4, PAGES = 20000000 };
    uint64_t channel_ns[CHANNELS] = {0}, way_ns[CHANNELS][WAYS] = {{0}};
    volatile uint64_t kept;
    uint64_t now_ns = 0;
    int64_t start_us = cpu_us();

    for (unsigned page = 0; page < PAGES; page++) {
        unsigned i = page % CHANNELS, j = page / CHANNELS % WAYS;

        channel_ns[i] = MAX(channel_ns[i], now_ns) + 25000;
        way_ns[i][j] = MAX(channel_ns[i], way_ns[i][j]) + 700000;
        now_ns = way_ns[(i + 1) % CHANNELS][j];
    }
    kept = now_ns;
    (void)kept;
    return (double)(cpu_us() - start_us) * 1000 / PAGES;
}

/* Resident memory of this process in KiB; 0 if the host does not say. */
static uint64_t resident_kib(void)
{
    g_autofree char *text = NULL;
    const char *line;

    if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL) ||
        !(line = strstr(text, "VmRSS:"))) {
        return 0;
    }
    return g_ascii_strtoull(line + strlen("VmRSS:"), NULL, 10);
}

/* --- The command --------------------------------------------------------- */

static bool bench_options(const BenchOptions *o, Bench *b, GError **error)
{
    static const struct {
        const char *name;
        unsigned read_pct;
    } ops[] = {{"write", 0}, {"randread", 100}, {"mix", 50}};
    const SsdParams *params = b->params;
    const char *op = o->op ? o->op : "write";
    uint64_t block_bytes, qd;
    bool known = false;

    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++) {
        if (g_str_equal(ops[i].name, op)) {
            b->read_pct = ops[i].read_pct;
            known = true;
        }
    }
    if (!known) {
        g_set_error(error, SIM_ERROR_DOMAIN, 0, "--op=%s: must be write, "
                    "randread or mix", op);
        return false;
    }
    if (!sim_parse_number("--bs", SSD_PARAM_TYPE_SIZE,
                          o->block ? o->block : "4K", params->lba_bytes,
                          params->mdts_bytes, &block_bytes, error) ||
        !sim_parse_number("--qd", SSD_PARAM_TYPE_U32, o->qd ? o->qd : "64", 1,
                          params->cmd_slots, &qd, error) ||
        !sim_parse_number("--count", SSD_PARAM_TYPE_U64,
                          o->count ? o->count : "2000000", 1,
                          UINT64_C(1) << 40, &b->count, error)) {
        return false;
    }
    b->qd = (unsigned)qd;
    b->block_nlb = (uint32_t)(block_bytes / params->lba_bytes);
    b->zones = MIN(MIN(b->qd, ZONES_MAX), params->zones / 2);
    if (params->max_open > 0) {
        b->zones = MIN(b->zones, params->max_open / 2);
    }
    b->zones = MAX(b->zones, 1);
    b->zone_nlb = params->zone_size_bytes / params->lba_bytes;
    b->zone_cap_nlb = params->zone_capacity_bytes / params->lba_bytes;
    return true;
}

static bool run(const BenchOptions *o, GError **error)
{
    double base_ns = baseline_ns();
    SsdParams params;
    Bench bench = {.params = &params, .random = {1}};
    uint64_t before_kib, after_kib;
    int64_t start_us, new_us, run_us;
    bool sent;

    if (!sim_drive_params(&o->drive, &params, error)) {
        return false;
    }
    ssd_params_resolve(&params);
    if (!bench_options(o, &bench, error)) {
        return false;
    }
    before_kib = resident_kib();
    start_us = cpu_us();
    bench.ssd = ssd_new(&params);
    new_us = cpu_us() - start_us;
    after_kib = resident_kib();
    sent = bench.read_pct == 0 || fill(&bench, error);
    start_us = cpu_us();
    sent = sent && send_all(&bench, bench.count, error);
    run_us = cpu_us() - start_us;
    if (sent) {
        printf("{\"count\":%" PRIu64 ",\"ns_per_op\":%.2f,\"baseline_ns\":%.2f,"
               "\"start_us\":%" PRId64 ",\"rss_before_kib\":%" PRIu64
               ",\"rss_kib\":%" PRIu64 ",\"rss_after_kib\":%" PRIu64
               ",\"simulated_ns\":%" PRIu64 "}\n", bench.count,
               (double)run_us * 1000 / (double)bench.count, base_ns, new_us,
               before_kib, after_kib, resident_kib(), bench.now_ns);
    }
    ssd_free(bench.ssd);
    return sent;
}

int sim_bench_command(int argc, char **argv, GError **error)
{
    BenchOptions options = {0};
    g_autoptr(GOptionContext) context = bench_context(&options);
    bool ran = sim_parse_options(context, &argc, &argv, NULL, error) &&
               run(&options, error);

    sim_drive_options_clear(&options.drive);
    g_free(options.op);
    g_free(options.block);
    g_free(options.qd);
    g_free(options.count);
    return ran ? SIM_OK : SIM_ERROR;
}
