// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zinc: an I/O scheduler of Linux that holds resets and finishes of zones back
 * while there is much I/O (Doekemeijer et al., "Exploring I/O Management
 * Performance in ZNS with ConfZNS++", SYSTOR '24, section 3.2). A kernel module
 * for the guest; tools/engine/policy.c is the same rule in the simulator.
 *
 * Reads go before writes, and one write follows every READS_A_WRITE reads that
 * passed it; a zone's writes come one at a time from the layer above, which
 * keeps them in order for every scheduler. Management goes alone, one at a
 * time, and waits in a queue of its own:
 *   - while fewer than "concurrency" I/Os are under way, it goes at once;
 *   - else an epoch of "epoch_us" starts, and at its end it goes if "tokens"
 *     I/Os have ended since the last one went, or if that was the last of
 *     "holds" epochs; if not, another epoch starts.
 *
 * I/O waits here for a free tag of the drive's at most, which are more than
 * anybody has under way; so nothing is merged or sorted here.
 *
 * All that is here is under one lock for each queue. Nothing is allocated after
 * the start. It knows nothing of drives: an operation says what it is.
 */

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "block/elevator.h"
#include "block/blk-mq.h"

#define READS_A_WRITE 2

/* Why a management operation was let go. */
enum zinc_why {
    ZINC_QUIET,                 /* there was little I/O */
    ZINC_TOKENS,                /* enough I/O has ended */
    ZINC_HOLDS,                 /* it was held back often enough */
    ZINC_WHYS
};

/* What a request is to us from its dispatch to its end; 0 otherwise. */
enum zinc_mark {
    ZINC_IO = 1,
    ZINC_MGMT
};

struct zinc {
    spinlock_t lock;            /* of all that follows */
    struct request_queue *queue;
    struct list_head reads;
    struct list_head writes;    /* and all other I/O */
    struct list_head mgmt;
    unsigned int reads_passed;  /* since a write was taken, while one waits */
    unsigned int io_inside;     /* dispatched, not ended */
    bool mgmt_inside;
    bool mgmt_may_go;           /* the head of mgmt: at the next dispatch */
    bool epoch_runs;
    unsigned int holds;         /* epochs that the head has been held for */
    unsigned int tokens;        /* I/Os that ended since the last one went */
    struct hrtimer epoch;
    unsigned long went[ZINC_WHYS];
    /* What the user sets, with the paper's values. */
    unsigned int epoch_us;
    unsigned int min_tokens;
    unsigned int max_holds;
    unsigned int min_concurrency;
};

/* --- Management ------------------------------------------------------------ */

static bool zinc_is_mgmt(const struct request *rq)
{
    switch (req_op(rq)) {
    case REQ_OP_ZONE_RESET:
    case REQ_OP_ZONE_RESET_ALL:
    case REQ_OP_ZONE_FINISH:
        return true;
    default:
        return false;
    }
}

static void zinc_let_go(struct zinc *zinc, enum zinc_why why)
{
    zinc->mgmt_may_go = true;
    zinc->went[why]++;
}

static void zinc_start_epoch(struct zinc *zinc)
{
    zinc->epoch_runs = true;
    hrtimer_start(&zinc->epoch, ns_to_ktime(zinc->epoch_us * NSEC_PER_USEC),
                  HRTIMER_MODE_REL);
}

/* Another operation is the head of mgmt, and none is inside. */
static void zinc_new_head(struct zinc *zinc)
{
    if (zinc->io_inside < zinc->min_concurrency) {
        zinc_let_go(zinc, ZINC_QUIET);
    } else if (!zinc->epoch_runs) {
        zinc_start_epoch(zinc);
    }
}

/* An epoch has ended. Return: whether there is something to dispatch now. */
static bool zinc_end_epoch(struct zinc *zinc)
{
    zinc->epoch_runs = false;
    if (list_empty(&zinc->mgmt) || zinc->mgmt_inside || zinc->mgmt_may_go) {
        return false;
    }
    zinc->holds++;
    if (zinc->io_inside < zinc->min_concurrency) {
        zinc_let_go(zinc, ZINC_QUIET);
    } else if (zinc->tokens >= zinc->min_tokens) {
        zinc_let_go(zinc, ZINC_TOKENS);
    } else if (zinc->holds >= zinc->max_holds) {
        zinc_let_go(zinc, ZINC_HOLDS);
    } else {
        zinc_start_epoch(zinc);
    }
    return zinc->mgmt_may_go;
}

static enum hrtimer_restart zinc_epoch(struct hrtimer *timer)
{
    struct zinc *zinc = container_of(timer, struct zinc, epoch);
    unsigned long flags;
    bool run;

    spin_lock_irqsave(&zinc->lock, flags);
    run = zinc_end_epoch(zinc);
    spin_unlock_irqrestore(&zinc->lock, flags);
    if (run) {
        blk_mq_run_hw_queues(zinc->queue, true);
    }
    return HRTIMER_NORESTART;
}

/* --- Requests in, out, and back --------------------------------------------- */

static void *zinc_mark(enum zinc_mark mark)
{
    return (void *)(uintptr_t)mark;
}

static void zinc_prepare(struct request *rq)
{
    rq->elv.priv[0] = NULL;
}

static void zinc_insert_one(struct zinc *zinc, struct request *rq,
                            blk_insert_t flags)
{
    struct list_head *list = req_op(rq) == REQ_OP_READ ? &zinc->reads :
                             &zinc->writes;

    if (zinc_is_mgmt(rq)) {
        list_add_tail(&rq->queuelist, &zinc->mgmt);
        if (list_is_singular(&zinc->mgmt) && !zinc->mgmt_inside) {
            zinc_new_head(zinc);
        }
    } else if (flags & BLK_MQ_INSERT_AT_HEAD) {
        list_add(&rq->queuelist, list);
    } else {
        list_add_tail(&rq->queuelist, list);
    }
}

static void zinc_insert(struct blk_mq_hw_ctx *hctx, struct list_head *list,
                        blk_insert_t flags)
{
    struct zinc *zinc = hctx->queue->elevator->elevator_data;
    struct request *rq;
    unsigned long irq;

    spin_lock_irqsave(&zinc->lock, irq);
    while (!list_empty(list)) {
        rq = list_first_entry(list, struct request, queuelist);
        list_del_init(&rq->queuelist);
        zinc_insert_one(zinc, rq, flags);
    }
    spin_unlock_irqrestore(&zinc->lock, irq);
}

/* Return: the list that is served next, or NULL. */
static struct list_head *zinc_next_list(struct zinc *zinc)
{
    if (zinc->mgmt_may_go) {
        return &zinc->mgmt;
    }
    if (list_empty(&zinc->writes)) {
        zinc->reads_passed = 0;
        return list_empty(&zinc->reads) ? NULL : &zinc->reads;
    }
    if (list_empty(&zinc->reads) || zinc->reads_passed >= READS_A_WRITE) {
        zinc->reads_passed = 0;
        return &zinc->writes;
    }
    zinc->reads_passed++;
    return &zinc->reads;
}

static struct request *zinc_take(struct zinc *zinc, struct list_head *list)
{
    struct request *rq = list_first_entry(list, struct request, queuelist);

    list_del_init(&rq->queuelist);
    if (list == &zinc->mgmt) {
        zinc->mgmt_may_go = false;
        zinc->mgmt_inside = true;
        zinc->tokens = 0;
        zinc->holds = 0;
        rq->elv.priv[0] = zinc_mark(ZINC_MGMT);
    } else {
        zinc->io_inside++;
        rq->elv.priv[0] = zinc_mark(ZINC_IO);
    }
    rq->rq_flags |= RQF_STARTED;
    return rq;
}

static struct request *zinc_dispatch(struct blk_mq_hw_ctx *hctx)
{
    struct zinc *zinc = hctx->queue->elevator->elevator_data;
    struct request *rq = NULL;
    struct list_head *list;
    unsigned long flags;

    spin_lock_irqsave(&zinc->lock, flags);
    list = zinc_next_list(zinc);
    if (list) {
        rq = zinc_take(zinc, list);
    }
    spin_unlock_irqrestore(&zinc->lock, flags);
    return rq;
}

static bool zinc_has_work(struct blk_mq_hw_ctx *hctx)
{
    struct zinc *zinc = hctx->queue->elevator->elevator_data;

    return READ_ONCE(zinc->mgmt_may_go) ||
           !list_empty_careful(&zinc->reads) ||
           !list_empty_careful(&zinc->writes);
}

/* A dispatched request is not inside any more; ENDED: it will not come again.
 * Return: whether there is something to dispatch now. */
static bool zinc_leave(struct zinc *zinc, struct request *rq, bool ended)
{
    enum zinc_mark mark = (uintptr_t)rq->elv.priv[0];

    rq->elv.priv[0] = NULL;
    if (mark == ZINC_IO) {
        zinc->io_inside--;
        zinc->tokens += ended;
    }
    if (mark != ZINC_MGMT) {
        return false;
    }
    zinc->mgmt_inside = false;
    if (!list_empty(&zinc->mgmt)) {
        zinc_new_head(zinc);
    }
    return zinc->mgmt_may_go;
}

static void zinc_left(struct request *rq, bool ended)
{
    struct zinc *zinc = rq->q->elevator->elevator_data;
    unsigned long flags;
    bool run;

    if (!rq->elv.priv[0]) {
        return;                 /* it went past us */
    }
    spin_lock_irqsave(&zinc->lock, flags);
    run = zinc_leave(zinc, rq, ended);
    spin_unlock_irqrestore(&zinc->lock, flags);
    if (run) {
        blk_mq_run_hw_queues(zinc->queue, true);
    }
}

static void zinc_finish(struct request *rq)
{
    zinc_left(rq, true);
}

static void zinc_requeue(struct request *rq)
{
    zinc_left(rq, false);
}

/* --- A queue gets this scheduler, and loses it ------------------------------- */

static int zinc_init(struct request_queue *queue, struct elevator_type *type)
{
    struct elevator_queue *elevator = elevator_alloc(queue, type);
    struct zinc *zinc;

    if (!elevator) {
        return -ENOMEM;
    }
    zinc = kzalloc_node(sizeof(*zinc), GFP_KERNEL, queue->node);
    if (!zinc) {
        kobject_put(&elevator->kobj);
        return -ENOMEM;
    }
    spin_lock_init(&zinc->lock);
    INIT_LIST_HEAD(&zinc->reads);
    INIT_LIST_HEAD(&zinc->writes);
    INIT_LIST_HEAD(&zinc->mgmt);
    hrtimer_init(&zinc->epoch, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
    zinc->epoch.function = zinc_epoch;
    zinc->queue = queue;
    zinc->epoch_us = 64000;
    zinc->min_tokens = 20000;
    zinc->max_holds = 3;
    zinc->min_concurrency = 3;
    elevator->elevator_data = zinc;
    blk_queue_flag_set(QUEUE_FLAG_SQ_SCHED, queue);
    queue->elevator = elevator;
    return 0;
}

static void zinc_exit(struct elevator_queue *elevator)
{
    struct zinc *zinc = elevator->elevator_data;

    hrtimer_cancel(&zinc->epoch);
    WARN_ON_ONCE(!list_empty(&zinc->reads) || !list_empty(&zinc->writes) ||
                 !list_empty(&zinc->mgmt));
    kfree(zinc);
}

/* --- What the user sets and sees: /sys/block/DRIVE/queue/iosched/ ------------ */

static ssize_t zinc_set(unsigned int *value, const char *text, size_t count,
                        unsigned int least, unsigned int most)
{
    unsigned int asked;
    int error = kstrtouint(text, 10, &asked);

    if (error) {
        return error;
    }
    if (asked < least || asked > most) {
        return -ERANGE;
    }
    WRITE_ONCE(*value, asked);
    return count;
}

#define ZINC_SETTING(name, member, least, most)                             \
static ssize_t zinc_##name##_show(struct elevator_queue *elevator,          \
                                  char *text)                               \
{                                                                           \
    const struct zinc *zinc = elevator->elevator_data;                      \
                                                                            \
    return sysfs_emit(text, "%u\n", READ_ONCE(zinc->member));               \
}                                                                           \
static ssize_t zinc_##name##_store(struct elevator_queue *elevator,         \
                                   const char *text, size_t count)          \
{                                                                           \
    struct zinc *zinc = elevator->elevator_data;                            \
                                                                            \
    return zinc_set(&zinc->member, text, count, least, most);               \
}

ZINC_SETTING(epoch_us, epoch_us, 1, 60000000)
ZINC_SETTING(tokens, min_tokens, 0, UINT_MAX)
ZINC_SETTING(holds, max_holds, 1, UINT_MAX)
ZINC_SETTING(concurrency, min_concurrency, 0, UINT_MAX)

static ssize_t zinc_went_show(struct elevator_queue *elevator, char *text)
{
    const struct zinc *zinc = elevator->elevator_data;

    return sysfs_emit(text, "quiet %lu tokens %lu holds %lu\n",
                      zinc->went[ZINC_QUIET], zinc->went[ZINC_TOKENS],
                      zinc->went[ZINC_HOLDS]);
}

static struct elv_fs_entry zinc_attrs[] = {
    __ATTR(epoch_us, 0644, zinc_epoch_us_show, zinc_epoch_us_store),
    __ATTR(tokens, 0644, zinc_tokens_show, zinc_tokens_store),
    __ATTR(holds, 0644, zinc_holds_show, zinc_holds_store),
    __ATTR(concurrency, 0644, zinc_concurrency_show, zinc_concurrency_store),
    __ATTR(went, 0444, zinc_went_show, NULL),
    __ATTR_NULL
};

static struct elevator_type zinc_type = {
    .ops = {
        .init_sched = zinc_init,
        .exit_sched = zinc_exit,
        .prepare_request = zinc_prepare,
        .insert_requests = zinc_insert,
        .dispatch_request = zinc_dispatch,
        .has_work = zinc_has_work,
        .requeue_request = zinc_requeue,
        .finish_request = zinc_finish,
    },
    .elevator_attrs = zinc_attrs,
    .elevator_name = "zinc",
    .elevator_owner = THIS_MODULE,
};

static int __init zinc_load(void)
{
    return elv_register(&zinc_type);
}

static void __exit zinc_unload(void)
{
    elv_unregister(&zinc_type);
}

module_init(zinc_load);
module_exit(zinc_unload);

MODULE_DESCRIPTION("I/O scheduler that holds zone resets and finishes back");
MODULE_LICENSE("GPL");
