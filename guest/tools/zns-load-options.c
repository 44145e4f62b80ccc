// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of zns-load, in the words of fio and femu-sim fio.
 * Everything that is wrong is told with its name, its value and what would be
 * right.
 *
 * Knows nothing of the drive: what depends on it is checked later.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "zns-load.h"

#define MAX_DEPTH 1024
#define MAX_WORKERS 256
#define MAX_RATE 1000000000000ULL
#define MAX_SECONDS 1000000ULL
#define HELP_INDENT 21
#define HELP_WIDTH 79

typedef enum {
    OPTION_TEXT,
    OPTION_OP,
    OPTION_BYTES,
    OPTION_DEPTH,
    OPTION_WORKERS,
    OPTION_LENGTH,
    OPTION_COUNT,
    OPTION_SECONDS,
    OPTION_MICROS,
    OPTION_RATE,
    OPTION_PERCENT,
    OPTION_BOOL,
} OptionKind;

typedef struct {
    const char *name;
    OptionKind kind;
    bool of_plan;
    size_t offset;
    const char *help;
} Option;

#define OF_PLAN(field) true, offsetof(Plan, field)
#define OF_JOB(field) false, offsetof(Job, field)

static const Option options[] = {
    { "filename", OPTION_TEXT, OF_PLAN(device),
      "the drive: a namespace's character device (/dev/ng0n1)" },
    { "output", OPTION_TEXT, OF_PLAN(output),
      "write the results there, not to standard output" },
    { "ramp_time", OPTION_SECONDS, OF_PLAN(ramp_ns),
      "not measured: what completes before (0)" },
    { "reset_stats", OPTION_BOOL, OF_PLAN(reset_stats),
      "start the statistics of femu-zns anew behind prefill and ramp" },
    { "exclusive", OPTION_BOOL, OF_PLAN(exclusive),
      "refuse a drive that a file system or another program has; without a job "
      "that is all" },
    { "rw", OPTION_OP, OF_JOB(op),
      "read, randread, write, append, open, close, finish, reset; or "
      "softfinish, which fills a zone by writes of bs, with a pause between" },
    { "bs", OPTION_BYTES, OF_JOB(block_bytes),
      "bytes of a read, write or append (4k); of a softfinish, its chunk" },
    { "iodepth", OPTION_DEPTH, OF_JOB(depth),
      "reads or appends that a worker keeps under way (1)" },
    { "numjobs", OPTION_WORKERS, OF_JOB(workers), "workers of the job (1)" },
    { "offset", OPTION_LENGTH, OF_JOB(offset),
      "the first worker's first zone, such as 24z (0)" },
    { "size", OPTION_LENGTH, OF_JOB(size), "zones of a worker (1z)" },
    { "offset_increment", OPTION_LENGTH, OF_JOB(offset_step),
      "how much further on the next worker's zones start (size)" },
    { "number_ios", OPTION_COUNT, OF_JOB(max_count),
      "a worker stops after so many commands that end behind the ramp" },
    { "runtime", OPTION_SECONDS, OF_JOB(runtime_ns),
      "a worker stops sending after that time behind the ramp" },
    { "time_based", OPTION_BOOL, OF_JOB(time_based),
      "pass after pass over the zones, until runtime or number_ios end it" },
    { "rate", OPTION_BYTES, OF_JOB(rate_bytes),
      "most bytes per second of a worker" },
    { "rate_iops", OPTION_RATE, OF_JOB(rate_milliops),
      "most commands per second of a worker, such as 30.5" },
    { "pause", OPTION_MICROS, OF_JOB(pause_ns),
      "of a softfinish, between two writes (0)" },
    { "startdelay", OPTION_SECONDS, OF_JOB(delay_ns),
      "before the job starts (0)" },
    { "prefill", OPTION_PERCENT, OF_JOB(prefill_ppm),
      "what every zone of the job holds beforehand, such as 50%; one that holds "
      "more is reset" },
    { "prewrite", OPTION_BYTES, OF_JOB(prewrite_bytes),
      "written to an empty zone before its finish or softfinish" },
    { "exitall", OPTION_BOOL, OF_JOB(ends_all),
      "when a worker of the job ends, all others stop sending" },
    { "randseed", OPTION_COUNT, OF_JOB(seed), "of random reads (1)" },
};

static const char *const op_names[OP_COUNT] = {
    [OP_READ] = "read",
    [OP_WRITE] = "write",
    [OP_APPEND] = "append",
    [OP_OPEN] = "open",
    [OP_CLOSE] = "close",
    [OP_FINISH] = "finish",
    [OP_RESET] = "reset",
    [OP_SOFTFINISH] = "softfinish",
};

#define OPTION_COUNT_ALL (sizeof(options) / sizeof(options[0]))

const char *op_name(Op op)
{
    return op_names[op];
}

/* Prints TEXT from column HELP_INDENT on, broken between words. */
static void help_text(const char *text)
{
    unsigned column = HELP_INDENT;

    while (*text) {
        unsigned length = strcspn(text, " ");

        if (column + 1 + length > HELP_WIDTH) {
            printf("\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        }
        printf(" %.*s", (int)length, text);
        column += 1 + length;
        text += length + (text[length] == ' ');
    }
    printf("\n");
}

static void help(void)
{
    printf("usage: zns-load [--OPTION=VALUE...] --name=JOB --rw=WHAT "
           "[--OPTION=VALUE...]\n"
           "                [--name=JOB ...]\n\n"
           "Sends zone commands to a drive, all jobs side by side, and prints "
           "fio's JSON.\n"
           "Options before the first --name hold for all jobs. Lengths are "
           "bytes (4k, 1M) or\nzones (3z); times take ns, us, ms, s, m.\n\n");
    for (size_t i = 0; i < OPTION_COUNT_ALL; i++) {
        printf("  --%-17s", options[i].name);
        help_text(options[i].help);
    }
    exit(0);
}

/* --- Values: each returns NULL, or what would be right ------------------- */

/*
 * TEXT as a decimal number with up to DIGITS digits behind the point, times
 * 10^DIGITS. Return: what follows it, or NULL if TEXT is no such number.
 */
static const char *read_number(const char *text, unsigned digits,
                               uint64_t *value)
{
    bool point = false;
    const char *at = text;

    *value = 0;
    if (!isdigit((unsigned char)*at)) {
        return NULL;
    }
    for (; isdigit((unsigned char)*at) || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        if ((point && digits-- == 0) || *value > UINT64_MAX / 20) {
            return NULL;
        }
        *value = *value * 10 + (*at - '0');
    }
    while (digits-- > 0) {
        if (*value > UINT64_MAX / 20) {
            return NULL;
        }
        *value *= 10;
    }
    return at;
}

static bool bytes_unit(const char *text, uint64_t *factor)
{
    static const struct {
        const char *unit;
        uint64_t factor;
    } units[] = {
        { "", 1 }, { "k", 1ULL << 10 }, { "m", 1ULL << 20 },
        { "g", 1ULL << 30 }, { "t", 1ULL << 40 },
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcasecmp(text, units[i].unit) == 0) {
            *factor = units[i].factor;
            return true;
        }
    }
    return false;
}

static const char *set_bytes(const char *text, uint64_t *value)
{
    uint64_t factor;
    const char *unit = read_number(text, 0, value);

    if (unit == NULL || !bytes_unit(unit, &factor) || *value == 0 ||
        *value > (1ULL << 62) / factor) {
        return "a number of bytes is expected, such as 4096, 128k or 1M";
    }
    *value *= factor;
    return NULL;
}

static const char *set_length(const char *text, Length *length)
{
    const char *unit = read_number(text, 0, &length->number);
    uint64_t factor;

    length->given = true;
    length->in_zones = unit != NULL && strcmp(unit, "z") == 0;
    if (length->in_zones) {
        return NULL;
    }
    if (unit == NULL || !bytes_unit(unit, &factor) ||
        length->number > (1ULL << 62) / factor) {
        return "a number of zones is expected, such as 3z, or of bytes";
    }
    length->number *= factor;
    return NULL;
}

/* Times have three digits behind the point at most; DEFAULT_NS is a unit. */
static const char *set_time(const char *text, uint64_t default_ns,
                            uint64_t *value)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {
        { "ns", 1 }, { "us", NS_PER_US }, { "ms", NS_PER_MS },
        { "s", NS_PER_S }, { "m", 60 * NS_PER_S },
    };
    uint64_t ns = 0;
    const char *unit = read_number(text, 3, value);

    if (unit != NULL && *unit == '\0') {
        ns = default_ns;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (unit != NULL && strcmp(unit, units[i].unit) == 0) {
            ns = units[i].ns;
        }
    }
    if (ns == 0 || *value / 1000 > MAX_SECONDS * NS_PER_S / ns) {
        return "a time of at most 1000000s is expected, such as 20us, 1.5ms or "
               "10s";
    }
    *value = *value / 1000 * ns + *value % 1000 * ns / 1000;
    return NULL;
}

static const char *set_number(const char *text, uint64_t least, uint64_t most,
                              const char *expected, uint64_t *value)
{
    const char *end = read_number(text, 0, value);

    return end == NULL || *end != '\0' || *value < least || *value > most
           ? expected : NULL;
}

static const char *set_unsigned(const char *text, unsigned most,
                                const char *expected, unsigned *value)
{
    uint64_t number;
    const char *wrong = set_number(text, 1, most, expected, &number);

    if (wrong == NULL) {
        *value = number;
    }
    return wrong;
}

static const char *set_rate(const char *text, uint64_t *value)
{
    const char *end = read_number(text, 3, value);

    return end == NULL || *end != '\0' || *value == 0 || *value > MAX_RATE
           ? "commands per second are expected, such as 1000 or 30.5, at least "
             "0.001" : NULL;
}

static const char *set_percent(const char *text, uint32_t *value)
{
    uint64_t number;
    const char *end = read_number(text, 4, &number);

    if (end == NULL || (*end != '\0' && strcmp(end, "%") != 0) ||
        number > 1000000) {
        return "0% to 100% is expected, with up to 4 digits behind the point";
    }
    *value = number;
    return NULL;
}

static const char *set_bool(const char *text, bool *value)
{
    *value = strcmp(text, "1") == 0;
    return *value || strcmp(text, "0") == 0 ? NULL : "0 or 1 is expected";
}

static const char *set_op(const char *text, Job *job)
{
    job->random = strcmp(text, "randread") == 0;
    job->op_given = true;
    for (unsigned op = 0; op < OP_COUNT; op++) {
        if (strcmp(job->random ? text + 4 : text, op_names[op]) == 0) {
            job->op = op;
            return NULL;
        }
    }
    return "read, randread, write, append, open, close, finish, reset or "
           "softfinish is expected";
}

/* --- One option ---------------------------------------------------------- */

static const char *set(const Option *option, Job *job, void *field,
                       const char *text)
{
    switch (option->kind) {
    case OPTION_TEXT:
        *(const char **)field = text;
        return *text ? NULL : "a name is expected";
    case OPTION_OP:
        return set_op(text, job);
    case OPTION_BYTES:
        return set_bytes(text, field);
    case OPTION_DEPTH:
        return set_unsigned(text, MAX_DEPTH, "1 to 1024 is expected", field);
    case OPTION_WORKERS:
        return set_unsigned(text, MAX_WORKERS, "1 to 256 is expected", field);
    case OPTION_LENGTH:
        return set_length(text, field);
    case OPTION_COUNT:
        return set_number(text, 1, UINT64_MAX, "a whole number of at least 1 "
                          "is expected", field);
    case OPTION_SECONDS:
        return set_time(text, NS_PER_S, field);
    case OPTION_MICROS:
        return set_time(text, NS_PER_US, field);
    case OPTION_RATE:
        return set_rate(text, field);
    case OPTION_PERCENT:
        return set_percent(text, field);
    default:
        return set_bool(text, field);
    }
}

static const Option *find(const char *name, size_t length)
{
    for (size_t i = 0; i < OPTION_COUNT_ALL; i++) {
        if (strlen(options[i].name) == length &&
            strncmp(options[i].name, name, length) == 0) {
            return &options[i];
        }
    }
    return NULL;
}

/* Takes "--name=value"; JOB is where options of jobs go. */
static void take(Plan *plan, Job *job, const char *argument)
{
    const char *name = argument + 2;
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const Option *option = find(name, length);
    const char *text = equals ? equals + 1 : "1";
    const char *wrong;

    if (option == NULL) {
        die(2, "%s: there is no such option; zns-load --help lists them",
            argument);
    }
    if (equals == NULL && option->kind != OPTION_BOOL) {
        die(2, "%s: a value is expected: --%s=...", argument, option->name);
    }
    if (option->of_plan && job->name != NULL) {
        die(2, "%s: is of the whole run: it stands before the first --name",
            argument);
    }
    wrong = set(option, job, (char *)(option->of_plan ? (void *)plan
                                                      : (void *)job) +
                option->offset, text);
    if (wrong != NULL) {
        die(2, "%s%s%s%s: %s", job->name ? "job " : "",
            job->name ? job->name : "", job->name ? ": " : "", argument + 2,
            wrong);
    }
}

/* --- What does not go together ------------------------------------------- */

static bool moves_blocks(const Job *job)
{
    return job->op == OP_READ || job->op == OP_WRITE ||
           job->op == OP_APPEND || job->op == OP_SOFTFINISH;
}

static void check_pace(const Job *job)
{
    const char *name = job->name;

    if (job->depth > 1 && job->op != OP_READ && job->op != OP_APPEND) {
        die(2, "job %s: iodepth=%u: 1 is expected: commands of rw=%s go one "
            "after another in a worker; numjobs= makes several", name,
            job->depth, op_names[job->op]);
    }
    if (job->rate_bytes > 0 && !moves_blocks(job)) {
        die(2, "job %s: rate=%llu: is of data; rw=%s takes rate_iops", name,
            (unsigned long long)job->rate_bytes, op_names[job->op]);
    }
    if (job->rate_bytes > 0 && job->rate_milliops > 0) {
        die(2, "job %s: rate=%llu: one of rate and rate_iops is expected, "
            "there are both", name, (unsigned long long)job->rate_bytes);
    }
    if (job->time_based && job->runtime_ns == 0 && job->max_count == 0) {
        die(2, "job %s: time_based=1: runtime or number_ios is expected: "
            "without them it never ends", name);
    }
    if (job->time_based && !moves_blocks(job) && job->op != OP_FINISH) {
        die(2, "job %s: time_based=1: rw=%s takes each zone once: "
            "time_based=0 is expected", name, op_names[job->op]);
    }
}

static void check_job(const Job *job)
{
    if (!job->op_given) {
        die(2, "job %s: rw is missing: --rw=append, for example", job->name);
    }
    check_pace(job);
    if (job->pause_ns > 0 && job->op != OP_SOFTFINISH) {
        die(2, "job %s: pause=%lluns: is of softfinish, not of rw=%s",
            job->name, (unsigned long long)job->pause_ns, op_names[job->op]);
    }
    if (job->prewrite_bytes > 0 && job->op != OP_FINISH &&
        job->op != OP_SOFTFINISH) {
        die(2, "job %s: prewrite=%llu: is of finish and softfinish, not of "
            "rw=%s", job->name, (unsigned long long)job->prewrite_bytes,
            op_names[job->op]);
    }
}

void plan_read(Plan *plan, int argc, char **argv)
{
    Job common = { .block_bytes = 4096, .depth = 1, .workers = 1, .seed = 1 };
    Job *job = &common;

    memset(plan, 0, sizeof(*plan));
    plan->device = "/dev/ng0n1";
    plan->jobs = allocate(argc, sizeof(Job));
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            help();
        }
        if (strncmp(argv[i], "--name=", 7) == 0) {
            job = &plan->jobs[plan->job_count++];
            *job = common;
            job->name = argv[i] + 7;
        } else if (strncmp(argv[i], "--", 2) == 0) {
            take(plan, job, argv[i]);
        } else {
            die(2, "%s: an option is expected: --name=value; zns-load --help "
                "lists them", argv[i]);
        }
    }
    if (plan->job_count == 0 && !plan->exclusive) {
        die(2, "there is no job: --name=JOB starts one; zns-load --help says "
            "more");
    }
    for (unsigned i = 0; i < plan->job_count; i++) {
        check_job(&plan->jobs[i]);
    }
}
