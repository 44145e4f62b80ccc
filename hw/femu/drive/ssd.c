/*
 * A drive is made of its rooms, each of which is given those below it.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "drive.h"

static const char *const op_names[SSD_OP_COUNT] = {
    [SSD_OP_READ] = "read",
    [SSD_OP_WRITE] = "write",
    [SSD_OP_APPEND] = "append",
    [SSD_OP_FLUSH] = "flush",
    [SSD_OP_WRITE_ZEROES] = "write-zeroes",
    [SSD_OP_VERIFY] = "verify",
    [SSD_OP_COMPARE] = "compare",
    [SSD_OP_COPY] = "copy",
    [SSD_OP_DEALLOCATE] = "deallocate",
    [SSD_OP_ZONE_OPEN] = "open",
    [SSD_OP_ZONE_CLOSE] = "close",
    [SSD_OP_ZONE_FINISH] = "finish",
    [SSD_OP_ZONE_RESET] = "reset",
    [SSD_OP_ZONE_OFFLINE] = "offline",
    [SSD_OP_ZONE_SET_EXTENSION] = "set-extension",
    [SSD_OP_ZONE_OPEN_ZRWA] = "open-zrwa",
    [SSD_OP_ZONE_SET_EXTENSION_ZRWA] = "set-extension-zrwa",
    [SSD_OP_ZONE_FLUSH_ZRWA] = "flush-zrwa",
    [SSD_OP_ZONE_REPORT] = "report",
    [SSD_OP_IDENTIFY] = "identify",
    [SSD_OP_LOG] = "log",
    [SSD_OP_FEATURE] = "feature",
};

const char *ssd_op_name(SsdOp op)
{
    g_assert((unsigned)op < SSD_OP_COUNT);
    return op_names[op];
}

SsdOp ssd_op_from_name(const char *name)
{
    for (unsigned op = 0; op < SSD_OP_COUNT; op++) {
        if (strcmp(name, op_names[op]) == 0) {
            return op;
        }
    }
    return SSD_OP_COUNT;
}

/* Construction: from the ground up */

static void init_zns(Ssd *ssd)
{
    Zns rooms = {
        .params = &ssd->params,
        .commands = &ssd->commands,
        .media = &ssd->media,
        .link = &ssd->link,
        .buffer = &ssd->buffer,
        .reset = &ssd->reset,
        .events = &ssd->events,
        .ns = &ssd->ns,
    };

    zns_init(&ssd->zns, &rooms);
}

static void init_entry(Ssd *ssd)
{
    Entry rooms = {
        .params = &ssd->params,
        .commands = &ssd->commands,
        .buffer = &ssd->buffer,
        .zns = &ssd->zns,
        .conv = &ssd->conv,
        .events = &ssd->events,
    };

    entry_init(&ssd->entry, &rooms);
}

Ssd *ssd_new(const SsdParams *params)
{
    Ssd *ssd = g_new0(Ssd, 1);
    SsdParams *p = &ssd->params;

    *p = *params;
    ssd_params_resolve(p);
    effects_init(&ssd->effects, p->cmd_slots, p->zones);
    commands_init(&ssd->commands, p->cmd_slots, &ssd->effects);
    media_init(&ssd->media, p, &ssd->commands, &ssd->events);
    link_init(&ssd->link, p, &ssd->commands, &ssd->events);
    buffer_init(&ssd->buffer, p, &ssd->commands, &ssd->media, &ssd->link,
                &ssd->events);
    reset_init(&ssd->reset, p, &ssd->media, &ssd->buffer, &ssd->events,
               &ssd->effects);
    namespaces_init(&ssd->ns, p);
    init_zns(ssd);
    conv_init(&ssd->conv, p, &ssd->commands, &ssd->media, &ssd->link);
    init_entry(ssd);
    ssd->ready = g_new(SsdDone, p->cmd_slots);
    ssd_stats_init(ssd);
    return ssd;
}

void ssd_free(Ssd *ssd)
{
    if (ssd == NULL) {
        return;
    }
    ssd_stats_destroy(ssd);
    g_free(ssd->ready);
    entry_destroy(&ssd->entry);
    conv_destroy(&ssd->conv);
    zns_destroy(&ssd->zns);
    namespaces_destroy(&ssd->ns);
    reset_destroy(&ssd->reset);
    buffer_destroy(&ssd->buffer);
    link_destroy(&ssd->link);
    media_destroy(&ssd->media);
    event_heap_destroy(&ssd->events);
    commands_destroy(&ssd->commands);
    effects_destroy(&ssd->effects);
    g_free(ssd);
}

const SsdParams *ssd_params(const Ssd *ssd)
{
    return &ssd->params;
}
