/*
 * Where one command is, asked again and again as it goes its way.
 *
 * To look into all rooms costs what all commands have in them. But most events
 * are of others: while a command waits for nothing but operations of the flash,
 * and none of these has had an event, it can have got no others, so the same
 * are looked at again, and nothing else. Then a look costs what the command
 * itself has in the drive.
 *
 * Knows nothing of what the causes mean.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <string.h>

#include "why.h"

struct SsdInquiry {
    const Ssd *ssd;
    uint32_t tag;
    WhyClocks *clocks;
    GArray *ops;      /* of WhyOp: those of the last look into all rooms */
    bool can_keep;    /* until one of them changes, or the command */
    uint32_t command_idx; /* where it was; SSD_NONE: nowhere */
    Command command;  /* as it was */
    uint64_t next_seq; /* the number of the next event, then */
};

SsdInquiry *ssd_inquiry_new(const Ssd *ssd, uint32_t tag)
{
    SsdInquiry *inquiry = g_new0(SsdInquiry, 1);

    inquiry->ssd = ssd;
    inquiry->tag = tag;
    inquiry->command_idx = SSD_NONE;
    inquiry->clocks = why_clocks_new(ssd);
    inquiry->ops = g_array_new(FALSE, FALSE, sizeof(WhyOp));
    return inquiry;
}

void ssd_inquiry_free(SsdInquiry *inquiry)
{
    if (inquiry) {
        g_array_unref(inquiry->ops);
        why_clocks_free(inquiry->clocks);
        g_free(inquiry);
    }
}

/*
 * On a drive in which nothing takes no time: there, what waits and has no event
 * cannot get one, and end, within an instant.
 */
static bool takes_time(const FlashConfig *config)
{
    return config->read_ns != 0 && config->erase_ns != 0 &&
           (config->slow_page_permille == 0 || config->read_slow_ns != 0) &&
           config->program_transfer_ns != 0 &&
           flash_least_program_ns(config) != 0;
}

/*
 * Reads and writes have no others than their own; a finish or reset of a drive
 * without a buffer, if it is but one, has those of its job, which goes on when
 * they have ended.
 */
static bool is_kind_kept(const Why *why)
{
    const Ssd *ssd = why->ssd;

    for (unsigned i = 0; i < why->ops->len; i++) {
        const FlashOp *op = &g_array_index(why->ops, WhyOp, i).token.op;

        if (owner_kind(op->owner) != OWNER_COMMAND &&
            (owner_kind(op->owner) != OWNER_JOB || why->own_jobs != 1 ||
             wbuf_is_on(&ssd->buffer) || reset_is_on(&ssd->reset))) {
            return false;
        }
    }
    return true;
}

static bool can_keep(const Why *why)
{
    return why->command_idx != SSD_NONE && why->ops->len > 0 &&
           why->causes->len == why->ops->len && !why->awaits &&
           !why->drains && takes_time(&why->ssd->media.flash.config) &&
           is_kind_kept(why);
}

/* May it get an event, and nothing of it change but that? */
static bool may_be_booked(const Flash *flash, const FlashToken *token)
{
    return !token->at_unit &&
           (flash_is_at_channel(token) ||
            (flash_is_issuing(token) && flash->config.issue_ns != 0));
}

static bool is_op_kept(const SsdInquiry *inquiry, const WhyOp *op)
{
    const Flash *flash = &inquiry->ssd->media.flash;
    const FlashToken *token = &flash->tokens[op->token_idx];

    if (op->at_ns == UINT64_MAX && may_be_booked(flash, token) &&
        inquiry->ssd->events.next_seq != inquiry->next_seq) {
        return false;
    }
    return op->at_ns > inquiry->ssd->run_at_ns &&
           token->at_unit == op->token.at_unit &&
           token->is_issued == op->token.is_issued &&
           token->from_registers == op->token.from_registers &&
           token->has_event == op->token.has_event &&
           memcmp(&token->op, &op->token.op, sizeof(token->op)) == 0;
}

static bool is_kept(const SsdInquiry *inquiry)
{
    const Ssd *ssd = inquiry->ssd;

    if (!inquiry->can_keep ||
        memcmp(&ssd->commands.at[inquiry->command_idx], &inquiry->command,
               sizeof(inquiry->command)) != 0) {
        return false;
    }
    for (unsigned i = 0; i < inquiry->ops->len; i++) {
        if (!is_op_kept(inquiry, &g_array_index(inquiry->ops, WhyOp, i))) {
            return false;
        }
    }
    return true;
}

static void look_again(const SsdInquiry *inquiry, Why *why)
{
    why->now_ns = why->ssd->run_at_ns;
    for (unsigned i = 0; i < inquiry->ops->len; i++) {
        const WhyOp *op = &g_array_index(inquiry->ops, WhyOp, i);

        why_add_op(why, op->token_idx, op->at_ns);
    }
    g_free(why->job_free);
}

static void look_anew(SsdInquiry *inquiry, Why *why)
{
    g_array_set_size(inquiry->ops, 0);
    why_look(why, inquiry->tag);
    inquiry->can_keep = can_keep(why);
    inquiry->command_idx = why->command_idx;
    if (inquiry->can_keep) {
        inquiry->next_seq = why->ssd->events.next_seq;
        memcpy(&inquiry->command, &why->ssd->commands.at[why->command_idx],
               sizeof(inquiry->command));
    }
}

GArray *ssd_inquiry_look(SsdInquiry *inquiry)
{
    Why why = {
        .ssd = inquiry->ssd,
        .command_idx = inquiry->command_idx,
        .clocks = inquiry->clocks,
        .ops = inquiry->ops,
        .causes = g_array_new(FALSE, FALSE, sizeof(SsdCause)),
    };

    if (is_kept(inquiry)) {
        look_again(inquiry, &why);
    } else {
        look_anew(inquiry, &why);
    }
    return why.causes;
}

GArray *ssd_why(const Ssd *ssd, uint32_t tag)
{
    SsdInquiry *inquiry = ssd_inquiry_new(ssd, tag);
    GArray *causes = ssd_inquiry_look(inquiry);

    ssd_inquiry_free(inquiry);
    return causes;
}
