/*
 * A drive is made of its rooms, each of which is given those below it.
 *
 * Knows nothing of QEMU, queues, host memory or a clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "drive.h"

#include "../params_bounds.h"

/* Construction: the lower rooms first */

static void init_zns(Ssd *ssd)
{
    Zns rooms = {
        .params = &ssd->params,
        .commands = &ssd->commands,
        .media = &ssd->media,
        .link = &ssd->link,
        .prefetch = &ssd->prefetch,
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
    Bounds bounds;

    *p = *params;
    ssd_params_resolve(p);
    bounds = params_bounds(p);
    effects_init(&ssd->effects, p->cmd_slots, p->zones);
    commands_init(&ssd->commands, p->cmd_slots, &ssd->effects);
    media_init(&ssd->media, p, &ssd->commands, &ssd->events, &bounds);
    link_init(&ssd->link, p, &ssd->commands, &ssd->events);
    prefetch_init(&ssd->prefetch, p, &ssd->commands, &ssd->media, &ssd->link);
    wbuf_init(&ssd->buffer, p, &ssd->commands, &ssd->media, &ssd->link,
              &ssd->events);
    reset_init(&ssd->reset, p, bounds.jobs, &ssd->media, &ssd->buffer,
               &ssd->events, &ssd->effects);
    namespaces_init(&ssd->ns, p);
    init_zns(ssd);
    conv_init(&ssd->conv, p, &ssd->commands, &ssd->media, &ssd->link,
              &ssd->buffer);
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
    wbuf_destroy(&ssd->buffer);
    prefetch_destroy(&ssd->prefetch);
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
