// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One worker of zns-load: a thread with a ring of its own that keeps up to
 * iodepth commands under way in its zones.
 *
 * What a worker does is a state machine of "the next command": it picks one if
 * its zones, its rate and its pause allow, else it waits for a completion or
 * for the instant at which it may go on. What has to be done to a zone before
 * (a reset of a full one, a first write) is done while nothing is under way and
 * is not measured.
 *
 * Knows nothing of the command line and of how results are shown.
 */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include "zns-load.h"

#define PREFILL_BYTES (256 * 1024)
#define HUGE_PAGE_BYTES (2 << 20)
#define NEVER UINT64_MAX

typedef struct {
    Command cmd;
    uint64_t sent_at_ns;
} Slot;

/* What a worker has besides its results, while it runs. */
typedef struct {
    Worker *worker;
    const Job *job;
    Drive *drive;
    struct io_uring ring;
    Slot *slots;
    unsigned *free_slots;
    unsigned free_count;
    uint8_t *data;
    uint64_t data_bytes;        /* of a slot */
    uint32_t zone_at;           /* index among the worker's zones */
    uint64_t read_lba;          /* of a sequential read, in the zone */
    uint64_t *readable;         /* blocks of each zone at the start */
    uint64_t readable_count;    /* in all of them */
    uint64_t measured_count;    /* commands that ended behind the ramp */
    uint64_t pass_count;        /* random reads of this pass */
    uint64_t random;
    uint64_t start_at_ns;
    uint64_t rate_count;        /* commands that the rate has let pass */
    uint64_t not_before_ns;     /* the pause's end */
    uint64_t zone_begin_ns;     /* of a softfinish */
    bool zone_begun;
    bool ended;                 /* there is no next command */
} Load;

uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

void sleep_until_ns(uint64_t at_ns)
{
    struct timespec at = {
        .tv_sec = at_ns / NS_PER_S,
        .tv_nsec = at_ns % NS_PER_S,
    };

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) ==
           EINTR) {
    }
}

static bool moves_data(Op op)
{
    return op == OP_READ || op == OP_WRITE || op == OP_APPEND;
}

static bool fills(Op op)
{
    return op == OP_WRITE || op == OP_APPEND || op == OP_SOFTFINISH;
}

static void fail(Worker *worker, const Command *cmd, int status)
{
    char text[80];

    if (worker->error == 0) {
        fprintf(stderr, "zns-load: job %s, worker %u: %s in zone %u: %s\n",
                worker->job->name, worker->idx, op_name(cmd->op),
                cmd->zone_idx, status_text(status, text, sizeof(text)));
        worker->error = status;
    }
}

/* --- What is done to zones without measuring it -------------------------- */

static bool do_now(Worker *worker, const Command *cmd)
{
    int status = drive_do(worker->run->drive, cmd);

    if (status != 0) {
        fail(worker, cmd, status);
    }
    return status == 0;
}

static bool reset_now(Worker *worker, uint32_t zone_idx)
{
    Zone *zone = &worker->run->drive->zones[zone_idx];
    Command cmd = {
        .op = OP_RESET,
        .zone_idx = zone_idx,
        .lba = zone->start_lba,
    };

    if (!do_now(worker, &cmd)) {
        return false;
    }
    zone->written_lba = 0;
    zone->state = ZONE_EMPTY;
    worker->reset_count++;
    return true;
}

/* Writes the zone up to UPTO_LBA, in writes of at most DATA_BYTES of DATA. */
static bool fill_now(Worker *worker, uint32_t zone_idx, uint64_t upto_lba,
                     uint8_t *data, uint64_t data_bytes)
{
    Drive *drive = worker->run->drive;
    Zone *zone = &drive->zones[zone_idx];

    while (zone->written_lba < upto_lba) {
        uint64_t nlb = data_bytes / drive->lba_bytes;
        Command cmd = {
            .op = OP_WRITE,
            .zone_idx = zone_idx,
            .lba = zone->start_lba + zone->written_lba,
            .data = data,
        };

        cmd.nlb = nlb < upto_lba - zone->written_lba
                  ? nlb : upto_lba - zone->written_lba;
        if (!do_now(worker, &cmd)) {
            return false;
        }
        zone->written_lba += cmd.nlb;
        zone->state = zone->written_lba == zone->capacity_lba ? ZONE_FULL : 0;
    }
    return true;
}

/* Memory for data; huge pages, where there are, need few descriptors. */
static uint8_t *data_new(uint64_t bytes)
{
    void *data = NULL;

    if (posix_memalign(&data, bytes < HUGE_PAGE_BYTES ? 4096
                       : HUGE_PAGE_BYTES, bytes) != 0) {
        die(1, "no memory for %llu bytes of data", (unsigned long long)bytes);
    }
    madvise(data, bytes, MADV_HUGEPAGE);
    for (uint64_t i = 0; i < bytes; i += sizeof(i)) {
        memcpy((uint8_t *)data + i, &i, sizeof(i));
    }
    return data;
}

bool worker_prefill(Worker *worker)
{
    const Job *job = worker->job;
    const Drive *drive = worker->run->drive;
    uint64_t bytes = PREFILL_BYTES;
    uint8_t *data;
    bool filled = true;

    if (job->prefill_ppm == 0) {
        return true;
    }
    if (drive->transfer_max_bytes > 0 && drive->transfer_max_bytes < bytes) {
        bytes = drive->transfer_max_bytes;
    }
    data = data_new(bytes);
    for (uint32_t i = 0; filled && i < job->zones; i++) {
        Zone *zone = &drive->zones[worker->first_zone + i];
        uint64_t upto = zone->capacity_lba * job->prefill_ppm / 1000000;

        /* What an earlier step has left must not be more than is asked. */
        filled = ((zone->state != ZONE_FULL && zone->written_lba <= upto) ||
                  reset_now(worker, worker->first_zone + i)) &&
                 fill_now(worker, worker->first_zone + i, upto, data, bytes);
    }
    worker->reset_count = 0;
    free(data);
    return filled;
}

/* --- Picking the next command -------------------------------------------- */

typedef enum {
    PICK_READY,
    PICK_DRAIN,                 /* what is under way has to end first */
    PICK_END,
} Pick;

static uint64_t next_random(Load *load)
{
    uint64_t z = load->random += 0x9e3779b97f4a7c15ULL;     /* splitmix64 */

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static uint32_t zone_idx_of(const Load *load)
{
    return load->worker->first_zone + load->zone_at;
}

static Zone *zone_of(const Load *load)
{
    return &load->drive->zones[zone_idx_of(load)];
}

static uint32_t block_lba(const Load *load)
{
    return load->job->block_bytes / load->drive->lba_bytes;
}

/* Goes on to the next zone. Return: is there one in this pass or another */
static bool next_zone(Load *load)
{
    load->zone_begun = false;
    load->read_lba = 0;
    if (++load->zone_at < load->job->zones) {
        return true;
    }
    load->zone_at = 0;
    return load->job->time_based;
}

/*
 * Makes the zone, which nothing has been done to in this pass, what the job
 * wants to find. Return: PICK_READY when it is, else what to do about it.
 */
static Pick begin_zone(Load *load)
{
    const Job *job = load->job;
    Zone *zone = zone_of(load);
    bool rewrites = fills(job->op) ||
                    (job->op == OP_FINISH && job->prewrite_bytes > 0);
    bool full = rewrites && zone->written_lba == zone->capacity_lba;
    uint64_t prewrite_lba = job->prewrite_bytes / load->drive->lba_bytes;

    if ((full || prewrite_lba > 0) && load->free_count < job->depth) {
        return PICK_DRAIN;
    }
    if (full && !reset_now(load->worker, zone_idx_of(load))) {
        return PICK_END;
    }
    if (zone->written_lba < prewrite_lba &&
        !fill_now(load->worker, zone_idx_of(load), prewrite_lba, load->data,
                  load->data_bytes)) {
        return PICK_END;
    }
    load->zone_begun = true;
    load->zone_begin_ns = 0;
    return PICK_READY;
}

static Pick pick_fill(Load *load, Command *cmd)
{
    Zone *zone;
    uint64_t left_lba;
    Pick pick;

    /* Full by what this pass has written: on to the next one. */
    if (load->zone_begun &&
        zone_of(load)->written_lba == zone_of(load)->capacity_lba &&
        !next_zone(load)) {
        return PICK_END;
    }
    if (!load->zone_begun) {
        pick = begin_zone(load);
        if (pick != PICK_READY) {
            return pick;
        }
    }
    zone = zone_of(load);
    left_lba = zone->capacity_lba - zone->written_lba;
    cmd->op = load->job->op == OP_APPEND ? OP_APPEND : OP_WRITE;
    cmd->nlb = block_lba(load) < left_lba ? block_lba(load) : left_lba;
    cmd->lba = zone->start_lba +
               (cmd->op == OP_APPEND ? 0 : zone->written_lba);
    zone->written_lba += cmd->nlb;
    return PICK_READY;
}

static Pick pick_sequential_read(Load *load, Command *cmd)
{
    while (load->read_lba ==
           load->readable[load->zone_at] * block_lba(load)) {
        if (!next_zone(load)) {
            return PICK_END;
        }
    }
    cmd->lba = zone_of(load)->start_lba + load->read_lba;
    load->read_lba += block_lba(load);
    return PICK_READY;
}

static Pick pick_random_read(Load *load, Command *cmd)
{
    uint64_t block;

    if (!load->job->time_based && load->pass_count++ == load->readable_count) {
        return PICK_END;
    }
    block = next_random(load) % load->readable_count;
    for (load->zone_at = 0; block >= load->readable[load->zone_at];
         load->zone_at++) {
        block -= load->readable[load->zone_at];
    }
    cmd->lba = zone_of(load)->start_lba + block * block_lba(load);
    return PICK_READY;
}

static Pick pick_management(Load *load, Command *cmd)
{
    Pick pick;

    if (load->zone_begun && !next_zone(load)) {
        return PICK_END;
    }
    pick = begin_zone(load);
    cmd->lba = zone_of(load)->start_lba;
    return pick;
}

static Pick pick(Load *load, Command *cmd)
{
    const Job *job = load->job;
    Pick result;

    memset(cmd, 0, sizeof(*cmd));
    cmd->op = job->op;
    if (fills(job->op)) {
        result = pick_fill(load, cmd);
    } else if (job->op == OP_READ) {
        cmd->nlb = block_lba(load);
        result = job->random ? pick_random_read(load, cmd)
                             : pick_sequential_read(load, cmd);
    } else {
        result = pick_management(load, cmd);
    }
    cmd->zone_idx = zone_idx_of(load);
    return result;
}

/* --- Pace ---------------------------------------------------------------- */

/* Return: the instant at which the rate lets the next command pass. */
static uint64_t rate_at_ns(const Load *load)
{
    const Job *job = load->job;
    double seconds = 0;

    if (job->rate_milliops > 0) {
        seconds = (double)load->rate_count * 1000 /
                  (double)job->rate_milliops;
    } else if (job->rate_bytes > 0) {
        seconds = (double)load->rate_count * (double)job->block_bytes /
                  (double)job->rate_bytes;
    }
    return load->start_at_ns + (uint64_t)(seconds * NS_PER_S);
}

/*
 * Are number_ios measured, if what is under way ends behind the ramp? Within it
 * that may become fewer again.
 */
static bool count_reached(const Load *load)
{
    return load->measured_count + (load->job->depth - load->free_count) >=
           load->job->max_count;
}

/* Return: when the next command may be sent; NEVER: not before one under way
 * has ended, if there is one. */
static uint64_t next_at_ns(const Load *load, uint64_t time_ns)
{
    const Job *job = load->job;
    uint64_t at_ns = rate_at_ns(load);

    if (at_ns < load->not_before_ns) {
        at_ns = load->not_before_ns;
    }
    if (at_ns < time_ns) {
        at_ns = time_ns;
    }
    if (load->worker->run->stop || load->worker->error != 0 || load->ended ||
        (job->max_count > 0 && count_reached(load)) ||
        (job->runtime_ns > 0 &&
         at_ns >= load->start_at_ns + load->worker->run->plan->ramp_ns +
                  job->runtime_ns)) {
        return NEVER;
    }
    return at_ns;
}

/* --- Sending and completing ---------------------------------------------- */

static void send_one(Load *load, const Command *cmd, uint64_t sent_at_ns)
{
    unsigned idx = load->free_slots[--load->free_count];
    Slot *slot = &load->slots[idx];
    struct io_uring_sqe *sqe = io_uring_get_sqe(&load->ring);

    slot->cmd = *cmd;
    if (moves_data(cmd->op)) {
        slot->cmd.data = load->data + idx * load->data_bytes;
    }
    slot->sent_at_ns = sent_at_ns;
    drive_prepare(load->drive, &slot->cmd, sqe);
    io_uring_sqe_set_data64(sqe, idx);
    load->rate_count++;
    if (load->zone_begin_ns == 0) {
        load->zone_begin_ns = sent_at_ns;
    }
}

/* Sends what may be sent now. Return: when to look again, NEVER at the end. */
static uint64_t send_all(Load *load)
{
    unsigned sent = 0;
    uint64_t at_ns = NEVER, time_ns = now_ns();

    while (load->free_count > 0) {
        Command cmd;
        Pick picked;

        at_ns = next_at_ns(load, time_ns);
        if (at_ns > time_ns) {
            break;
        }
        picked = pick(load, &cmd);
        if (picked != PICK_READY) {
            load->ended = picked == PICK_END;
            at_ns = NEVER;      /* a completion makes it look again */
            break;
        }
        send_one(load, &cmd, now_ns());
        sent++;
    }
    if (sent > 0) {
        int status = io_uring_submit(&load->ring);

        if (status < 0) {
            die(1, "io_uring_enter: %s", strerror(-status));
        }
    }
    return at_ns;
}

/* Return: the bytes that the operation stands for in rates and throughput. */
static uint64_t bytes_of(const Load *load, const Command *cmd)
{
    const Zone *zone = &load->drive->zones[cmd->zone_idx];

    switch (cmd->op) {
    case OP_FINISH:
    case OP_SOFTFINISH:
        return zone->capacity_lba * load->drive->lba_bytes;
    case OP_RESET:
        return load->drive->zone_bytes;
    default:
        return (uint64_t)cmd->nlb * load->drive->lba_bytes;
    }
}

static void count(Load *load, const Command *cmd, uint64_t begin_ns,
                  uint64_t end_ns)
{
    Worker *worker = load->worker;

    if (end_ns >= worker->run->measure_at_ns) {
        latency_add(&worker->ops[cmd->op], end_ns - begin_ns,
                    bytes_of(load, cmd));
        worker->end_at_ns = end_ns;
    }
}

/* What a command that has succeeded means for its zone. */
static void settle(Load *load, const Slot *slot, uint64_t end_ns)
{
    Zone *zone = &load->drive->zones[slot->cmd.zone_idx];
    Command whole = { .op = OP_SOFTFINISH, .zone_idx = slot->cmd.zone_idx };

    if (slot->cmd.op == OP_FINISH) {
        zone->written_lba = zone->capacity_lba;
        zone->state = ZONE_FULL;
    } else if (slot->cmd.op == OP_RESET) {
        zone->written_lba = 0;
        zone->state = ZONE_EMPTY;
    }
    if (load->job->op == OP_SOFTFINISH) {
        load->not_before_ns = end_ns + load->job->pause_ns;
        if (zone->written_lba == zone->capacity_lba) {
            count(load, &whole, load->zone_begin_ns, end_ns);
        }
    }
}

static void complete(Load *load, const struct io_uring_cqe *cqe,
                     uint64_t end_ns)
{
    unsigned idx = cqe->user_data;
    const Slot *slot = &load->slots[idx];
    int status = cqe->res > 0 ? cqe->res & 0x7ff : cqe->res;

    load->free_slots[load->free_count++] = idx;
    if (status != 0) {
        fail(load->worker, &slot->cmd, status);
        return;
    }
    count(load, &slot->cmd, slot->sent_at_ns, end_ns);
    load->measured_count += end_ns >= load->worker->run->measure_at_ns;
    settle(load, slot, end_ns);
}

static void complete_all(Load *load)
{
    struct io_uring_cqe *cqe;

    while (io_uring_peek_cqe(&load->ring, &cqe) == 0) {
        complete(load, cqe, now_ns());
        io_uring_cqe_seen(&load->ring, cqe);
    }
}

/* Waits for a completion, but not beyond AT_NS. */
static void wait_until(Load *load, uint64_t at_ns)
{
    struct io_uring_cqe *cqe;
    uint64_t time_ns = now_ns();
    uint64_t wait_ns = at_ns > time_ns ? at_ns - time_ns : 0;
    struct __kernel_timespec wait = {
        .tv_sec = wait_ns / NS_PER_S,
        .tv_nsec = wait_ns % NS_PER_S,
    };
    int status = at_ns == NEVER
                 ? io_uring_wait_cqe(&load->ring, &cqe)
                 : io_uring_wait_cqe_timeout(&load->ring, &cqe, &wait);

    if (status < 0 && status != -ETIME && status != -EINTR) {
        die(1, "waiting for a completion: %s", strerror(-status));
    }
}

static void loop(Load *load)
{
    while (true) {
        uint64_t at_ns = send_all(load);

        if (load->free_count == load->job->depth) {
            if (at_ns == NEVER) {
                return;
            }
            sleep_until_ns(at_ns);
        } else {
            wait_until(load, load->free_count > 0 ? at_ns : NEVER);
        }
        complete_all(load);
    }
}

/* --- The thread ---------------------------------------------------------- */

/* Return: how much data a slot takes: a block, or all that is prewritten. */
static uint64_t slot_bytes(const Load *load)
{
    uint64_t bytes = load->job->prewrite_bytes;
    uint64_t most = load->drive->transfer_max_bytes;

    if (most > 0 && bytes > most) {
        bytes = most;
    }
    return bytes > load->job->block_bytes ? bytes : load->job->block_bytes;
}

static void load_init(Load *load, Worker *worker)
{
    const Job *job = worker->job;
    struct io_uring_params params = {
        .flags = IORING_SETUP_SQE128 | IORING_SETUP_CQE32,
    };
    int status;

    memset(load, 0, sizeof(*load));
    load->worker = worker;
    load->job = job;
    load->drive = worker->run->drive;
    load->random = job->seed + ((uint64_t)worker->idx << 32);
    status = io_uring_queue_init_params(job->depth, &load->ring, &params);
    if (status < 0) {
        die(1, "job %s: iodepth=%u: io_uring: %s", job->name, job->depth,
            strerror(-status));
    }
    load->slots = allocate(job->depth, sizeof(Slot));
    load->free_slots = allocate(job->depth, sizeof(unsigned));
    for (unsigned i = 0; i < job->depth; i++) {
        load->free_slots[load->free_count++] = job->depth - 1 - i;
    }
    load->data_bytes = slot_bytes(load);
    load->data = data_new(load->data_bytes * job->depth);
    load->readable = allocate(job->zones, sizeof(uint64_t));
    for (uint32_t i = 0; i < job->zones; i++) {
        load->readable[i] =
            load->drive->zones[worker->first_zone + i].written_lba /
            block_lba(load);
        load->readable_count += load->readable[i];
    }
    if (job->op == OP_READ && load->readable_count == 0) {
        die(1, "job %s: rw=%sread: there is nothing to read in zones %u to "
            "%u: prefill= writes to them", job->name,
            job->random ? "rand" : "", worker->first_zone,
            worker->first_zone + job->zones - 1);
    }
}

static void load_clear(Load *load)
{
    io_uring_queue_exit(&load->ring);
    free(load->readable);
    free(load->slots);
    free(load->free_slots);
    free(load->data);
}

void *worker_run(void *argument)
{
    Worker *worker = argument;
    Run *run = worker->run;
    Load load;

    load_init(&load, worker);
    pthread_barrier_wait(&run->ready);
    pthread_barrier_wait(&run->go);
    load.start_at_ns = run->start_at_ns + worker->job->delay_ns;
    sleep_until_ns(load.start_at_ns);
    loop(&load);
    if (worker->job->ends_all) {
        run->stop = true;
    }
    load_clear(&load);
    return NULL;
}
