// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zns-load: what its parts share. See zns-load.c for what it is.
 */
#ifndef ZNS_LOAD_H
#define ZNS_LOAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NS_PER_US 1000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_S 1000000000ULL

typedef enum {
    OP_READ,
    OP_WRITE,
    OP_APPEND,
    OP_OPEN,
    OP_CLOSE,
    OP_FINISH,
    OP_RESET,
    OP_SOFTFINISH,
    OP_COUNT,
} Op;

/* --- zns-load-latency.c: a histogram in fio's buckets -------------------- */

typedef struct {
    uint64_t count;
    uint64_t bytes;             /* that these operations stand for */
    uint64_t sum_ns, min_ns, max_ns;
    double square_sum;
    uint64_t *buckets;          /* NULL while there is nothing */
} Latency;

void latency_add(Latency *latency, uint64_t value_ns, uint64_t bytes);
/* Add what OTHER holds. */
void latency_merge(Latency *latency, const Latency *other);
/* Of a sample, as fio's. */
double latency_stddev(const Latency *latency);
/* Nearest rank, as the middle of its bucket; PER_MILLION of the values. */
uint64_t latency_percentile(const Latency *latency, uint32_t per_million);
/* The next bucket from *idx on that holds values. Return: is there one */
bool latency_next_bucket(const Latency *latency, unsigned *idx,
                         uint64_t *value_ns, uint64_t *count);

/* --- The plan: zns-load-options.c ---------------------------------------- */

/* A length of the command line: bytes, or whole zones ("3z"). */
typedef struct {
    uint64_t number;
    bool in_zones;
    bool given;
} Length;

typedef struct {
    const char *name;
    Op op;
    bool op_given, random;
    uint64_t block_bytes;
    unsigned depth, workers;
    Length offset, size, offset_step;
    uint64_t max_count;         /* of a worker; 0: no limit */
    uint64_t runtime_ns;        /* 0: no limit */
    bool time_based;
    uint64_t rate_bytes;        /* per second and worker; 0: no limit */
    uint64_t rate_milliops;
    uint64_t pause_ns, delay_ns;
    uint32_t prefill_ppm;       /* of the capacity, in millionths */
    uint64_t prewrite_bytes;
    bool ends_all;
    uint64_t seed;
    /* As whole zones, when the drive is known. */
    uint32_t first_zone, zones, zone_step;
} Job;

typedef struct {
    const char *device, *output;
    uint64_t ramp_ns;
    bool reset_stats;
    bool exclusive;
    Job *jobs;
    unsigned job_count;
} Plan;

/* Reads the command line; ends the program if it is wrong, or asks for help. */
void plan_read(Plan *plan, int argc, char **argv);
const char *op_name(Op op);

/* --- zns-load-drive.c ---------------------------------------------------- */

typedef struct {
    uint64_t start_lba, capacity_lba;
    uint64_t written_lba;       /* by what was sent; the capacity when full */
    uint8_t state;
} Zone;

typedef struct {
    const char *path;
    int fd;
    uint32_t nsid;
    uint32_t lba_bytes;
    uint64_t zone_bytes;
    uint64_t append_max_bytes, transfer_max_bytes;      /* 0: no limit */
    uint32_t zone_count;
    Zone *zones;
} Drive;

#define ZONE_EMPTY 0x1
#define ZONE_READ_ONLY 0xd
#define ZONE_FULL 0xe
#define ZONE_OFFLINE 0xf

/* An NVMe command, as far as this program needs one. */
typedef struct {
    Op op;
    uint32_t zone_idx;
    uint64_t lba;
    uint32_t nlb;
    void *data;
} Command;

struct io_uring_sqe;

/*
 * Takes the drive, whose character device is `path`, for this program alone until
 * it ends; ends it if a file system or another program has it.
 */
void drive_claim(const char *path);

/* Opens the drive and reads its zones; ends the program if that fails. */
void drive_open(Drive *drive, const char *path);
/* The command as a passthrough request of io_uring. */
void drive_prepare(const Drive *drive, const Command *cmd,
                   struct io_uring_sqe *sqe);
/* Carries out a command and waits. Return: NVMe status, or -errno */
int drive_do(const Drive *drive, const Command *cmd);
/* Starts the statistics of the drive anew. Return: NVMe status, or -errno */
int drive_reset_stats(const Drive *drive);
/* What went wrong, as text in BUFFER. */
const char *status_text(int status, char *buffer, size_t size);

/* --- zns-load-worker.c --------------------------------------------------- */

/* What all workers share. */
typedef struct {
    const Plan *plan;
    Drive *drive;
    pthread_barrier_t ready, go;
    uint64_t start_at_ns;       /* set between the two barriers */
    uint64_t measure_at_ns;     /* what completes before is not counted */
    volatile bool stop;
} Run;

typedef struct {
    Run *run;
    const Job *job;
    unsigned idx;               /* within the job */
    pthread_t thread;
    uint32_t first_zone;
    Latency ops[OP_COUNT];
    uint64_t reset_count;       /* of full zones, before they were rewritten */
    uint64_t end_at_ns;         /* the last completion that was counted */
    int error;                  /* 0, NVMe status or -errno of what failed */
} Worker;

/* Fills the zones of the worker as the job's prefill asks. Return: success */
bool worker_prefill(Worker *worker);
/* A thread's function: waits at the barriers, then does the job. */
void *worker_run(void *worker);
uint64_t now_ns(void);
void sleep_until_ns(uint64_t at_ns);

/* --- zns-load-json.c ----------------------------------------------------- */

/* Writes fio's JSON; WORKERS are those of the first job, the second, ... */
void json_write(FILE *out, const Run *run, const Worker *workers);

/* --- zns-load.c ---------------------------------------------------------- */

/* Ends the program: 2 if the command line is wrong, 1 otherwise. */
void die(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void *allocate(size_t count, size_t bytes);

#endif
