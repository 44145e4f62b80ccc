/*
 * Streams that are not what was saved: what the device says of them, to the
 * letter what it said when tests/data/corpus/streams.csv was written. Drives
 * stop in the midst of several scenes and are saved; then one number after
 * another of the device's part is another, and the CRC-32 fits. So no check of
 * what is read is lost or moved unnoticed. What is let in is saved again as it
 * was read, whatever the drive was before.
 *
 * All in one QEMU: a snapshot in a qcow2 image is loaded again and again, in
 * whose place a stream of the device's section alone is written each time.
 *
 *   FEMU_CORPUS_OUT=dir     write what is said as dir/NAME, compare nothing;
 *                           "scripts/restate streams" does, and the sums
 *
 * Knows of a stream what femu-zns-stream-test.c does, and how base/state.h
 * writes numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "femu-zns-section.h"
#include "femu-zns-sums.h"

#define PATH "/machine/peripheral/zns4"
#define TRIES "tests/data/corpus/tries.csv"
#define HOWS 34
#define FOOT_BYTES 6        /* with the number that QEMU gives the section */
#define NEAR 4
#define PAIRS 3000
#define FUA (1u << 30)

/* --- Scenes --------------------------------------------------------------- */

static void qom_set(FemuDrive *drive, const char *property, const char *value)
{
    qtest_qmp_assert_success(drive->host->qts, "{'execute': 'qom-set',"
                             " 'arguments': {'path': " "'" PATH "'"
                             ", 'property': %s, 'value': %s}}", property,
                             value);
}

static void submit_write(FemuDrive *drive, FemuSq *sq, uint64_t slba,
                         uint32_t nlb, uint32_t flags)
{
    NvmeCmd cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, slba, nlb, drive->buf);

    cmd.cdw12 |= cpu_to_le32(flags);
    femu_submit(sq, &cmd);
}

static void submit_admin(FemuDrive *drive, uint8_t opcode, uint32_t nsid,
                         uint32_t cdw10, uint32_t cdw11)
{
    NvmeCmd cmd = {
        .opcode = opcode,
        .nsid = cpu_to_le32(nsid),
        .cdw10 = cpu_to_le32(cdw10),
        .cdw11 = cpu_to_le32(cdw11),
    };

    femu_submit(&drive->admin, &cmd);
}

/* Features, events, bad blocks; commands inside and behind. */
static void play_rich(FemuDrive *drive)
{
    static FemuCq cq;
    static FemuSq sq;

    femu_cq_create(drive, &cq, 2, 3, 1);
    femu_sq_create(drive, &sq, 2, 16, &cq);
    femu_cq_create(drive, &cq, 4, 2, 2);
    femu_set_feature(drive, NVME_ASYNCHRONOUS_EVENT_CONF,
                     1u << 27 | NVME_SMART_TEMPERATURE);
    femu_set_feature(drive, NVME_ARBITRATION, 3);
    femu_set_feature(drive, NVME_INTERRUPT_COALESCING, 50 << 8 | 2);
    femu_set_feature(drive, NVME_INTERRUPT_VECTOR_CONF, 1 << 16 | 2);
    femu_set_feature(drive, NVME_WRITE_ATOMICITY, 1);
    femu_set_feature(drive, NVME_TEMPERATURE_THRESHOLD, 300);
    drive->nsid = 1;
    femu_set_feature(drive, NVME_ERROR_RECOVERY, 77);
    qtest_writeq(drive->host->qts, drive->buf, UINT64_C(1767225600000));
    femu_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0, NVME_TIMESTAMP, 0,
               drive->buf);
    qom_set(drive, "inject-read-error", "200 8");
    qom_set(drive, "inject-read-error", "300 1");
    qom_set(drive, "inject-write-error", "400 8");
    submit_admin(drive, NVME_ADM_CMD_ASYNC_EV_REQ, 0, 0, 0);
    submit_admin(drive, NVME_ADM_CMD_ASYNC_EV_REQ, 0, 0, 0);
    qom_set(drive, "zone-fail", "5 read-only");
    femu_write(drive, 0, 8, NULL);
    for (unsigned i = 0; i < 4; i++) {
        submit_write(drive, &sq, femu_zone_lba(drive, 1) + 4 * i, 4, 0);
    }
    femu_step(drive->host, 20000000);           /* two of them are parked */
    submit_write(drive, &drive->io, 8, 4, FUA);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, femu_zone_lba(drive, 2),
                     false);
    femu_submit_zone(drive, NVME_ZONE_ACTION_RESET, 0, true);
    for (unsigned i = 0; i < 3; i++) {
        submit_write(drive, &drive->io, femu_zone_lba(drive, 3) + 4 * i, 4, 0);
    }
    femu_step(drive->host, 1000);
}

/* A format of all namespaces, while commands are inside and wait. */
static void play_format(FemuDrive *drive)
{
    submit_write(drive, &drive->io, 0, 32, 0);
    submit_write(drive, &drive->io, femu_zone_lba(drive, 1), 32, 0);
    submit_admin(drive, NVME_ADM_CMD_FORMAT_NVM, NVME_NSID_BROADCAST, 1, 0);
    femu_step(drive->host, 1000);
}

/* Format of the second one, which waits for room, as flushes do. */
static void play_flushes(FemuDrive *drive)
{
    for (unsigned i = 0; i < 4; i++) {
        submit_write(drive, &drive->io, femu_zone_lba(drive, i), 4, FUA);
    }
    submit_admin(drive, NVME_ADM_CMD_FORMAT_NVM, 2, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        submit_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0,
                     NVME_VOLATILE_WRITE_CACHE, 0);
        submit_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0,
                     NVME_VOLATILE_WRITE_CACHE, 1);
    }
    submit_admin(drive, NVME_ADM_CMD_SET_FEATURES, 0,
                 NVME_VOLATILE_WRITE_CACHE, 0);
    submit_admin(drive, NVME_ADM_CMD_IDENTIFY, 0, 1, 0);
    femu_step(drive->host, 1000);
}

/* A shutdown that waits for room. */
static void play_shutdown(FemuDrive *drive)
{
    for (unsigned i = 0; i < 4; i++) {
        submit_write(drive, &drive->io, femu_zone_lba(drive, i), 4, 0);
    }
    femu_set_reg(drive, NVME_REG_CC, femu_reg(drive, NVME_REG_CC) | 1 << 14);
    femu_step(drive->host, 1000);
}

/* The power is coming back; the controller is to be enabled then. */
static void play_off(FemuDrive *drive)
{
    uint32_t cc = femu_reg(drive, NVME_REG_CC);
    uint32_t aqa = femu_reg(drive, NVME_REG_AQA);
    uint64_t asq = femu_reg64(drive, NVME_REG_ASQ);
    uint64_t acq = femu_reg64(drive, NVME_REG_ACQ);

    qom_set(drive, "power-cut", "3");
    femu_set_reg(drive, NVME_REG_AQA, aqa);
    femu_set_reg(drive, NVME_REG_ASQ, asq);
    femu_set_reg(drive, NVME_REG_ACQ, acq);
    femu_set_reg(drive, NVME_REG_CC, cc);
    femu_step(drive->host, 1000);
}

/* Nothing is enabled, nothing has been for long. */
static void play_disabled(FemuDrive *drive)
{
    femu_step(drive->host, UINT64_C(1000000000));
    femu_disable(drive);
}

/* The statistics have been read in part. */
static void play_statistics(FemuDrive *drive)
{
    femu_get_log(drive, FEMU_LOG_STATS, 0, 0, NULL, 64);
}

/* Queues of two entries, the fewest that there can be. */
static void play_small_queues(FemuDrive *drive)
{
    static FemuCq cq;
    static FemuSq sq;

    femu_cq_create(drive, &cq, 2, 2, 1);
    femu_sq_create(drive, &sq, 2, 2, &cq);
}

/* Data of more than two pieces. */
static void play_long_data(FemuDrive *drive)
{
    g_autofree uint8_t *data = femu_pattern(drive, 0, 41, 1);

    g_assert_cmphex(femu_write(drive, 0, 41, data), ==, NVME_SUCCESS);
}

typedef struct Scene {
    const char *name;
    void (*play)(FemuDrive *drive);
} Scene;

static const Scene scenes[] = {
    { "rich", play_rich },
    { "format", play_format },
    { "flushes", play_flushes },
    { "shutdown", play_shutdown },
    { "disabled", play_disabled },
    { "off", play_off },
    { "statistics", play_statistics },
    { "small-queues", play_small_queues },
    { "long-data", play_long_data },
};

/* --- Numbers -------------------------------------------------------------- */

/* Return: the first byte behind a number, or NULL. */
static const uint8_t *get_number(const uint8_t *at, const uint8_t *end,
                                 uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        *value |= (uint64_t)(*at & 0x7f) << shift;
        if ((*at++ & 0x80) == 0) {
            return at;
        }
    }
    return NULL;
}

static void put_number(GByteArray *bytes, uint64_t value)
{
    do {
        section_append(bytes, (value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
}

/* A number of the part that is another: which one, and in which way. */
typedef struct Change {
    unsigned number;
    unsigned how;
} Change;

#define NO_CHANGE ((Change) { UINT_MAX, 0 })

/* As a value, as the step to one, or as how many there are. */
static uint64_t other(unsigned how, uint64_t value)
{
    const uint64_t others[HOWS] = {
        value + 1, value + 2, value - 1, value - 2, 0, 1, value ^ 1,
        UINT64_C(1) << 33, UINT64_C(1) << 62, UINT64_MAX, UINT64_MAX - 1,
        value + 4, value - 4, value + 6, value - 6, value + 8, value - 8,
        value + 16, value - 16, value + 20, value - 20, value + 24, value - 24,
        value + 28, value - 28, value + 30, value - 30, value + 124,
        value * 16, value / 8,
        value + 126, 8, 10, value * 32,
    };

    g_assert_cmpuint(how, <, HOWS);
    return others[how];
}

/* The part with changes, or NULL: there are not so many numbers. */
static GByteArray *changed(const Section *s, Change one, Change two)
{
    const uint8_t *at = s->bytes->data + s->at, *end = at + s->count;
    GByteArray *part = g_byte_array_new();
    unsigned number = 0;

    for (const uint8_t *behind; at < end; at = behind, number++) {
        uint64_t value;

        behind = get_number(at, end, &value);
        g_assert_nonnull(behind);
        value = number == one.number ? other(one.how, value) : value;
        value = number == two.number ? other(two.how, value) : value;
        put_number(part, value);
    }
    if (one.number != UINT_MAX && one.number >= number) {
        g_byte_array_unref(part);
        return NULL;
    }
    return part;
}

/* Load the section with this part, and append what comes of it. */
static void try(Bench *b, const Section *s, const GByteArray *part,
                GString *text)
{
    g_autoptr(GByteArray) made = section_with_part(s, part);
    g_autofree char *message = section_load(b, made);

    if (*message) {
        g_string_append_printf(text, "%s\n", message);
    } else {
        Section now = section_save(b);
        bool same = now.count == part->len &&
                    memcmp(now.bytes->data + now.at, part->data,
                           part->len) == 0;

        g_string_append_printf(text, "let in%s\n",
                               same ? "" : ", saved otherwise");
        g_byte_array_unref(now.bytes);
    }
}

/* --- Which are tried ------------------------------------------------------ */

/* A line: the scene's name, and one change or two: number, how. */
static void try_line(Bench *b, const char *line, const Section *s,
                     GString *text)
{
    g_auto(GStrv) words = g_strsplit(line, ",", -1);
    unsigned count = g_strv_length(words);
    g_autoptr(GByteArray) part = NULL;
    Change one, two = NO_CHANGE;

    g_assert_true(count == 3 || count == 5);
    one = (Change) { atoi(words[1]), atoi(words[2]) };
    if (count == 5) {
        two = (Change) { atoi(words[3]), atoi(words[4]) };
    }
    part = changed(s, one, two);
    if (part) {
        g_string_append_printf(text, "%s: ", line);
        try(b, s, part, text);
    }
}

static void try_lines(Bench *b, const char *scene, const Section *s,
                      GString *text)
{
    g_autofree char *path = g_build_filename(g_getenv("FEMU_TOP"), TRIES,
                                             NULL);
    g_autofree char *start = g_strconcat(scene, ",", NULL);
    g_autofree char *all = NULL;
    g_auto(GStrv) lines = NULL;

    g_assert_true(g_file_get_contents(path, &all, NULL, NULL));
    lines = g_strsplit(all, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (g_str_has_prefix(*line, start)) {
            try_line(b, *line, s, text);
        }
    }
}

/* Has QEMU been where it was not before? See tests/mutants/README.md. */
static bool reaches_more(void)
{
    static uint8_t seen[65536];
    g_autofree uint8_t *now = NULL;
    bool more = false;
    gsize size;

    g_assert_true(g_file_get_contents(g_getenv("FEMU_MUTANT_REACHED"),
                                      (char **)&now, &size, NULL));
    for (gsize i = 0; i < MIN(size, sizeof(seen)); i++) {
        more |= now[i] && !seen[i];
        seen[i] |= now[i];
    }
    return more;
}

/* Is what was said in other words than ever before, but for numbers and names?
 */
static bool is_news(const char *text)
{
    static GHashTable *known;
    g_autoptr(GString) words = g_string_new(NULL);
    const char *end = strstr(text, " must be at most ") ?:
                      strstr(text, " serial=") ?: text + strlen(text);

    for (const char *at = text; at < end; at++) {
        if (g_ascii_isalpha(*at)) {
            g_string_append_c(words, *at);
        }
    }
    known = known ?: g_hash_table_new(g_str_hash, g_str_equal);
    return g_hash_table_add(known, g_strdup(words->str));
}

static void choose(Bench *b, const char *scene, const Section *s, Change one,
                   Change two)
{
    g_autoptr(GByteArray) part = changed(s, one, two);
    g_autoptr(GString) text = g_string_new(NULL);

    try(b, s, part, text);
    if (is_news(text->str) + reaches_more() > 0 &&
        !strstr(text->str, "data: the CRC-32")) { /* of whatever follows */
        if (two.number == UINT_MAX) {
            printf("try %s,%u,%u\n", scene, one.number, one.how);
        } else {
            printf("try %s,%u,%u,%u,%u\n", scene, one.number, one.how,
                   two.number, two.how);
        }
        printf("# %s", text->str);
    }
}

/* Is this a byte of the statistics? It is as good as another. */
static bool in_text(const Section *s, unsigned number)
{
    const uint8_t *at = s->bytes->data + s->at, *end = at + s->count;
    const uint8_t *text = memmem(at, s->count, "{\"", 2);
    uint64_t value;

    while (number-- > 0) {
        at = get_number(at, end, &value);
    }
    return text && at > text + 4 && at < text + 9000;
}

/* What the tries that there are say, and where they get to, is no news. */
static void note_tries(Bench *b, const char *scene, const Section *s)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_auto(GStrv) lines = NULL;

    try_lines(b, scene, s, text);
    lines = g_strsplit(text->str, "\n", -1);
    for (char **line = lines; *line && **line; line++) {
        is_news(strchr(*line, ' ') + 1);
    }
    reaches_more();
}

/* Print lines for TRIES of which each reaches what none before it does. */
static void choose_tries(Bench *b, const char *scene, const Section *s)
{
    unsigned count = 0;
    GByteArray *part;

    note_tries(b, scene, s);
    while ((part = changed(s, (Change) { count, 0 }, NO_CHANGE))) {
        g_byte_array_unref(part);
        count++;
    }
    for (unsigned i = 0; i < count; i++) {
        for (unsigned how = 0; how < HOWS && !in_text(s, i); how++) {
            choose(b, scene, s, (Change) { i, how }, NO_CHANGE);
        }
    }
    for (unsigned i = 0; i < PAIRS; i++) {
        unsigned number = g_test_rand_int_range(0, count);

        choose(b, scene, s,
               (Change) { number, g_test_rand_int_range(0, HOWS) },
               (Change) { MIN(number + g_test_rand_int_range(1, 30),
                              count - 1),
                          g_test_rand_int_range(0, HOWS) });
    }
}

/*
 * The same of one value in a column: a step is another, and the next one makes
 * up for it.
 */
static void choose_steps(Bench *b, const char *scene, const Section *s)
{
    unsigned from = atoi(g_getenv("FEMU_FROM") ?: "0");
    unsigned to = atoi(g_getenv("FEMU_TO") ?: "100000");
    GByteArray *part;

    note_tries(b, scene, s);
    for (unsigned i = from; i < to; i++) {
        part = changed(s, (Change) { i, 0 }, NO_CHANGE);
        if (!part) {
            break;
        }
        g_byte_array_unref(part);
        for (unsigned how = 0; how < HOWS && !in_text(s, i); how++) {
            choose(b, scene, s, (Change) { i, how }, NO_CHANGE);
            if (how < 4 || (how > 10 && how < 27)) {
                unsigned back = how < 4 ? how ^ 2 : ((how - 11) ^ 1) + 11;
                for (unsigned j = 1; j <= NEAR; j++) {
                    choose(b, scene, s, (Change) { i, how },
                           (Change) { i + j, back });
                }
            }
        }
    }
}

/* A number more than there should be. */
static void try_longer(Bench *b, const Section *s, GString *text)
{
    g_autoptr(GByteArray) part = changed(s, NO_CHANGE, NO_CHANGE);

    put_number(part, 0);
    try(b, s, part, text);
}

/* --- Tests ---------------------------------------------------------------- */

/* The core of another instant. */
static void try_with(Bench *b, const Section *core, const Section *device,
                     GString *text)
{
    g_autoptr(GByteArray) part = changed(device, NO_CHANGE, NO_CHANGE);

    try(b, core, part, text);
}

/*
 * What was saved, to the byte, the drive's data included: a mistake of which
 * saving and loading know alike is one for the next version. Not of a part that
 * has statistics: these list all parameters that there are.
 */
static void note_bytes(const Section *s, GString *text)
{
    const uint8_t *at = s->bytes->data + s->at;
    size_t count = s->bytes->len - s->at - FOOT_BYTES;

    if (!memmem(at, s->count, "{\"", 2)) {
        g_string_append_printf(text, "%zu bytes, CRC-32 %08x\n", count,
                               section_crc(at, count));
    }
}

static void test_scene(const void *data)
{
    const Scene *scene = data;
    Bench *b = bench_new(NO_TRACE);
    Section before = section_save(b), s;
    GString *text = g_string_new(NULL);

    scene->play(b->drive);
    s = section_save(b);
    bench_stop(b);
    g_test_message("%s: %u bytes", scene->name, s.count);
    try_with(b, &s, &s, text);
    g_assert_cmpstr(text->str, ==, "let in\n");
    if (g_getenv("FEMU_FROM")) {
        choose_steps(b, scene->name, &s);
    } else if (g_getenv("FEMU_CHOOSE")) {
        choose_tries(b, scene->name, &s);
    } else {
        note_bytes(&s, text);
        try_with(b, &before, &s, text);
        try_with(b, &s, &before, text);
        try_longer(b, &s, text);
        try_lines(b, scene->name, &s, text);
        femu_sum_compare("streams", scene->name, text->str);
    }
    g_string_free(text, TRUE);
    g_byte_array_unref(before.bytes);
    g_byte_array_unref(s.bytes);
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < ARRAY_SIZE(scenes); i++) {
        g_autofree char *path = g_strdup_printf("femu-zns/refuse/%s",
                                                scenes[i].name);

        qtest_add_data_func(path, &scenes[i], test_scene);
    }
    return g_test_run();
}
