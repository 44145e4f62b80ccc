// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A load of zone commands that fio has no words for: appends, finishes, resets
 * and a finish by writes of the host, side by side with reads and writes, as
 * NVMe passthrough through io_uring. Prints fio's JSON.
 *
 *   zns-load --filename=/dev/ng0n1 --name=a --rw=append --iodepth=4 --size=1z
 *
 * zns-load --help lists the options. Exit status: 0 if every command
 * succeeded, 1 if one did not, 2 if the command line is wrong.
 *
 * Knows nothing of the drive's timing: it reads the guest's clock.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include "zns-load.h"

void die(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "zns-load: error: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(status);
}

void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);

    if (memory == NULL) {
        die(1, "no memory for %zu times %zu bytes", count, bytes);
    }
    return memory;
}

/* --- The plan on this drive ---------------------------------------------- */

/* Return: a length in zones. */
static uint64_t in_zones(const Drive *drive, const Job *job, const char *name,
                         const Length *length, uint64_t without)
{
    if (!length->given) {
        return without;
    }
    if (!length->in_zones && length->number % drive->zone_bytes != 0) {
        die(2, "job %s: %s=%llu: whole zones are expected, such as 3z, or a "
            "multiple of %llu bytes", job->name, name,
            (unsigned long long)length->number,
            (unsigned long long)drive->zone_bytes);
    }
    return length->in_zones ? length->number
                            : length->number / drive->zone_bytes;
}

static void place_job(const Drive *drive, Job *job)
{
    uint64_t zones = drive->zone_count;
    uint64_t first = in_zones(drive, job, "offset", &job->offset, 0);
    uint64_t step, size, end;

    if (first >= zones) {
        die(2, "job %s: offset=%lluz: the drive has %llu zones", job->name,
            (unsigned long long)first, (unsigned long long)zones);
    }
    size = in_zones(drive, job, "size", &job->size, 1);
    step = in_zones(drive, job, "offset_increment", &job->offset_step, size);
    end = first + step * (job->workers - 1) + size;
    if (size == 0 || step > zones || size > zones || end > zones) {
        die(2, "job %s: offset=%lluz, size=%lluz, offset_increment=%lluz, "
            "numjobs=%u: ends at zone %llu, the drive has %llu", job->name,
            (unsigned long long)first, (unsigned long long)size,
            (unsigned long long)step, job->workers, (unsigned long long)end,
            (unsigned long long)zones);
    }
    if (step < size && job->workers > 1 && job->op != OP_READ) {
        die(2, "job %s: offset_increment=%lluz: at least size=%lluz is "
            "expected: workers of rw=%s have zones of their own", job->name,
            (unsigned long long)step, (unsigned long long)size,
            op_name(job->op));
    }
    job->first_zone = first;
    job->zones = size;
    job->zone_step = step;
}

static void check_blocks(const Drive *drive, const Job *job)
{
    uint64_t capacity = drive->zones[job->first_zone].capacity_lba *
                        drive->lba_bytes;
    uint64_t most = job->op == OP_APPEND ? drive->append_max_bytes
                                         : drive->transfer_max_bytes;
    uint64_t bytes = job->block_bytes;

    if (bytes % drive->lba_bytes != 0 || bytes > capacity ||
        (most > 0 && bytes > most)) {
        die(2, "job %s: bs=%llu: a multiple of %u bytes is expected, at most "
            "%llu", job->name, (unsigned long long)bytes, drive->lba_bytes,
            (unsigned long long)(most > 0 && most < capacity ? most
                                                             : capacity));
    }
    if (job->prewrite_bytes % drive->lba_bytes != 0 ||
        job->prewrite_bytes >= capacity) {
        die(2, "job %s: prewrite=%llu: a multiple of %u bytes is expected, "
            "less than a zone's %llu", job->name,
            (unsigned long long)job->prewrite_bytes, drive->lba_bytes,
            (unsigned long long)capacity);
    }
}

static void place(const Drive *drive, Plan *plan)
{
    for (unsigned i = 0; i < plan->job_count; i++) {
        place_job(drive, &plan->jobs[i]);
        check_blocks(drive, &plan->jobs[i]);
    }
}

/* --- The run ------------------------------------------------------------- */

static unsigned worker_count(const Plan *plan)
{
    unsigned count = 0;

    for (unsigned i = 0; i < plan->job_count; i++) {
        count += plan->jobs[i].workers;
    }
    return count;
}

static Worker *make_workers(Run *run)
{
    Worker *workers = allocate(worker_count(run->plan), sizeof(Worker));
    Worker *worker = workers;

    for (unsigned i = 0; i < run->plan->job_count; i++) {
        const Job *job = &run->plan->jobs[i];

        for (unsigned w = 0; w < job->workers; w++, worker++) {
            worker->run = run;
            worker->job = job;
            worker->idx = w;
            worker->first_zone = job->first_zone + w * job->zone_step;
        }
    }
    return workers;
}

static void start_stats(const Drive *drive)
{
    int status = drive_reset_stats(drive);
    char text[80];

    if (status != 0) {
        die(1, "reset_stats: %s has no statistics to start anew: %s",
            drive->path, status_text(status, text, sizeof(text)));
    }
}

/* Lets all workers go at one instant, and waits for their end. */
static void run_workers(Run *run, Worker *workers, unsigned count)
{
    pthread_barrier_init(&run->ready, NULL, count + 1);
    pthread_barrier_init(&run->go, NULL, count + 1);
    for (unsigned i = 0; i < count; i++) {
        int error = pthread_create(&workers[i].thread, NULL, worker_run,
                                   &workers[i]);

        if (error != 0) {
            die(1, "%u workers: %s", count, strerror(error));
        }
    }
    pthread_barrier_wait(&run->ready);
    if (run->plan->reset_stats && run->plan->ramp_ns == 0) {
        start_stats(run->drive);
    }
    run->start_at_ns = now_ns();
    run->measure_at_ns = run->start_at_ns + run->plan->ramp_ns;
    pthread_barrier_wait(&run->go);
    if (run->plan->reset_stats && run->plan->ramp_ns > 0) {
        sleep_until_ns(run->measure_at_ns);
        start_stats(run->drive);
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
    }
}

static void write_results(const Run *run, const Worker *workers)
{
    FILE *out = stdout;

    if (run->plan->output) {
        out = fopen(run->plan->output, "w");
    }
    if (out != NULL) {
        json_write(out, run, workers);
    }
    if (out == NULL || fflush(out) != 0 || ferror(out)) {
        die(1, "output=%s: %s", run->plan->output ? run->plan->output : "-",
            strerror(errno));
    }
}

int main(int argc, char **argv)
{
    Plan plan;
    Drive drive;
    Run run = { .plan = &plan, .drive = &drive };
    Worker *workers;
    unsigned count;
    bool failed = false;

    plan_read(&plan, argc, argv);
    if (plan.exclusive) {
        drive_claim(plan.device);
        if (plan.job_count == 0) {
            return 0;
        }
    }
    drive_open(&drive, plan.device);
    place(&drive, &plan);
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    workers = make_workers(&run);
    count = worker_count(&plan);
    for (unsigned i = 0; i < count; i++) {
        if (!worker_prefill(&workers[i])) {
            return 1;
        }
    }
    run_workers(&run, workers, count);
    write_results(&run, workers);
    for (unsigned i = 0; i < count; i++) {
        failed |= workers[i].error != 0;
    }
    return failed ? 1 : 0;
}
