/*
 * Rounds of a drive's thread (iothread=): which count, and where time goes.
 *
 * Both sides read the host's clock, here before and behind each step. So what a
 * sum may be is known however long the host takes for a step, and what a host
 * does slowly between two of them shows. The thread sees what the host has
 * written between two entries, which are waited for, without a limit of our own.
 *
 * Knows nothing of zones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"
#include "qobject/qdict.h"

#define POLLS "-object iothread,id=io0,poll-max-ns=3600000000000 "
#define WAIT_US 50
#define THINK_US 20000                  /* much longer than the thread's looks */
#define NO_IRQ (-1)
#define IDENTIFY_NS 5000

/* A host with shadow doorbells that interrupts nobody by registers. */
typedef struct Guest {
    FemuDrive *drive;
    uint64_t shadow;                    /* 0: it has none */
    unsigned pages;                     /* that it has written */
} Guest;

/* A step of a round: it is after the first instant, and before the second. */
typedef struct Step {
    int64_t from_ns;
    int64_t to_ns;
} Step;

typedef struct Round {
    Step begun, done, taken, next;
} Round;

static void write_shadow(Guest *g, unsigned doorbell, uint32_t value)
{
    qtest_writel(g->drive->host->qts, g->shadow + 4 * doorbell, value);
}

static void tell_tail(Guest *g, const FemuSq *sq)
{
    write_shadow(g, 2 * sq->id, sq->tail);
}

static void tell_head(Guest *g, const FemuCq *cq)
{
    write_shadow(g, 2 * cq->id + 1, cq->head);
}

/* Commands that are inside the core. */
static uint64_t inside(Guest *g)
{
    QDict *live = femu_property(g->drive, "live");
    uint64_t count = qdict_get_int(live, "inside");

    qobject_unref(live);
    return count;
}

static int64_t sum_of(Guest *g, const char *name)
{
    QDict *stats = femu_property(g->drive, "stats");
    int64_t sum = qdict_get_int(qdict_get_qdict(stats, "rounds"), name);

    qobject_unref(stats);
    return sum;
}

static int64_t count_of(Guest *g)
{
    return sum_of(g, "count");
}

/* One entry of the thread's for which there is no reason but a doorbell. */
static void enter(Guest *g)
{
    uint64_t before = femu_thread_count(g->drive, "entries");

    femu_ring(&g->drive->io);
    while (femu_thread_count(g->drive, "entries") == before) {
        g_usleep(WAIT_US);
    }
}

/*
 * Behind this the thread has looked at all that has been written before, and has
 * done what it does behind its entries.
 */
static void let_it_look(Guest *g)
{
    enter(g);
    enter(g);
}

static void think(void)
{
    g_usleep(THINK_US);
}

static FemuCqe await(FemuCq *cq)
{
    FemuCqe cqe;

    while (!femu_take(cq, &cqe)) {
        g_usleep(WAIT_US);
    }
    return cqe;
}

static void configure_shadows(Guest *g)
{
    NvmeCmd config = { .opcode = NVME_ADM_CMD_DBBUF_CONFIG };

    g->shadow = femu_alloc(g->drive->host, FEMU_PAGE_BYTES);
    config.dptr.prp1 = cpu_to_le64(g->shadow);
    config.dptr.prp2 = cpu_to_le64(femu_alloc(g->drive->host,
                                              FEMU_PAGE_BYTES));
    g_assert_cmphex(femu_exec(&g->drive->admin, &config).status, ==,
                    NVME_SUCCESS);
}

/* A drive whose thread polls for ever, and knows of the shadows, if any. */
static Guest start(const char *extra, bool has_shadows, bool msix, int vector)
{
    FemuConfig small = femu_small_config();
    g_autofree char *all = g_strconcat("iothread=io0,dbbuf=on", extra, NULL);
    g_autofree char *device = femu_device_args(&small, FEMU_SLOT, all);
    g_autofree char *args = g_strconcat(POLLS, device, NULL);
    Guest g = { .drive = femu_drive_open(femu_host_start(args), FEMU_SLOT,
                                         &small) };

    femu_enable(g.drive);
    femu_await_thread(g.drive);
    if (has_shadows) {
        configure_shadows(&g);
    }
    if (msix) {
        femu_msix_enable(g.drive);
        femu_msix_vector(g.drive, 1,
                         femu_alloc(g.drive->host, FEMU_PAGE_BYTES), 1);
    }
    femu_cq_create(g.drive, &g.drive->io_cq, 1, FEMU_ENTRIES, vector);
    femu_sq_create(g.drive, &g.drive->io, 1, FEMU_ENTRIES, &g.drive->io_cq);
    let_it_look(&g);
    return g;
}

static Guest start_silent(void)
{
    return start("", true, true, NO_IRQ);
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);       /* as QEMU's get_clock() */
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The write of one page, which the thread has fetched behind this. */
static Step begin_on(Guest *g, FemuSq *sq)
{
    uint64_t before = inside(g);
    NvmeCmd cmd = femu_cmd_rw(g->drive, NVME_CMD_WRITE,
                              g->pages++ * femu_page_nlb(g->drive),
                              femu_page_nlb(g->drive), g->drive->buf);
    Step step;

    femu_place(sq, &cmd);
    step.from_ns = now_ns();
    if (g->shadow) {
        tell_tail(g, sq);
    } else {
        femu_ring(sq);
    }
    while (inside(g) == before) {
        g_usleep(WAIT_US);
    }
    step.to_ns = now_ns();
    return step;
}

static Step begin(Guest *g)
{
    return begin_on(g, &g->drive->io);
}

/* It ends, and the host has been told so. */
static Step finish_on(Guest *g, FemuCq *cq)
{
    Step step = { .from_ns = now_ns() };

    femu_step(g->drive->host, femu_page_write_ns(g->drive));
    g_assert_cmphex(await(cq).status, ==, NVME_SUCCESS);
    let_it_look(g);
    step.to_ns = now_ns();
    return step;
}

static Step finish(Guest *g)
{
    return finish_on(g, &g->drive->io_cq);
}

/* The host takes the completion, and the thread has seen that. */
static Step take_on(Guest *g, FemuCq *cq)
{
    Step step = { .from_ns = now_ns() };

    tell_head(g, cq);
    let_it_look(g);
    step.to_ns = now_ns();
    return step;
}

static Step take(Guest *g)
{
    return take_on(g, &g->drive->io_cq);
}

/* A whole round, but for the end of it, which is the next one's beginning. */
static void go_round(Guest *g)
{
    begin(g);
    finish(g);
    take(g);
}

/* What lies between two steps, each of which is somewhere within its bounds. */
static void expect_between(int64_t sum_ns, Step first, Step second)
{
    g_assert_cmpint(sum_ns, >=, MAX(second.from_ns - first.to_ns, 0));
    g_assert_cmpint(sum_ns, <=, second.to_ns - first.from_ns);
}

static void expect_round(Guest *g, const Round *round)
{
    g_assert_cmpint(count_of(g), ==, 1);
    expect_between(sum_of(g, "lock_ns"), round->begun, round->begun);
    g_assert_cmpint(sum_of(g, "lock_ns"), >, 0);
    expect_between(sum_of(g, "drive_ns"), round->begun, round->done);
    expect_between(sum_of(g, "take_ns"), round->done, round->taken);
    expect_between(sum_of(g, "ring_ns"), round->taken, round->next);
}

/*
 * One round, of a host that thinks between its steps. It has ended when the next
 * begins. Entries that find nothing new are no steps.
 */
static void one_round(Guest *g)
{
    Round round;

    round.begun = begin(g);
    think();
    let_it_look(g);
    round.done = finish(g);
    think();
    round.taken = take(g);
    think();
    g_assert_cmpint(count_of(g), ==, 0);
    round.next = begin(g);
    expect_round(g, &round);
}

/* Nobody is told, or by a message, or by a pin: all entries have QEMU's lock. */
static void test_steps(void)
{
    static const struct {
        bool msix;
        int vector;
    } hosts[] = { { true, NO_IRQ }, { true, 1 }, { false, 0 } };

    for (unsigned i = 0; i < ARRAY_SIZE(hosts); i++) {
        Guest g = start("", true, hosts[i].msix, hosts[i].vector);

        one_round(&g);
        femu_shutdown(g.drive);
    }
}

/* Sums are of all rounds since statistics were reset. */
static void test_sums(void)
{
    static const char *const sums[] = { "lock_ns", "drive_ns", "take_ns",
                                        "ring_ns" };
    Guest g = start_silent();
    int64_t before_ns[ARRAY_SIZE(sums)];

    one_round(&g);
    for (unsigned i = 0; i < ARRAY_SIZE(sums); i++) {
        before_ns[i] = sum_of(&g, sums[i]);
    }
    finish(&g);
    take(&g);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 2);
    for (unsigned i = 0; i < ARRAY_SIZE(sums); i++) {
        g_assert_cmpint(sum_of(&g, sums[i]), >, before_ns[i]);
    }
    qtest_qmp_assert_success(g.drive->host->qts, "{'execute': 'qom-set',"
                             "'arguments': {'path':"
                             "'/machine/peripheral/zns4', 'property':"
                             "'stats-reset', 'value': true}}");
    g_assert_cmpint(count_of(&g), ==, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(sums); i++) {
        g_assert_cmpint(sum_of(&g, sums[i]), ==, 0);
    }
    femu_shutdown(g.drive);
}

/*
 * What the host has taken before the thread has told it, it has taken then: here
 * it writes the head while the command is inside.
 */
static void test_taken_early(void)
{
    Guest g = start_silent();
    Round round;

    round.begun = begin(&g);
    write_shadow(&g, 2 * g.drive->io_cq.id + 1, g.drive->io_cq.head + 1);
    let_it_look(&g);
    think();
    round.done = finish(&g);
    round.taken = round.done;
    think();
    round.next = begin(&g);
    expect_round(&g, &round);
    femu_shutdown(g.drive);
}

/*
 * Which queue's completion is taken does not matter; but it is a queue that there
 * is, and not the admin queue.
 */
static void test_queues(void)
{
    Guest g = start_silent();
    FemuDrive *drive = g.drive;
    uint32_t value;
    Round round;
    FemuSq sq;
    FemuCq cq;

    femu_cq_create(drive, &cq, 2, FEMU_ENTRIES, NO_IRQ);
    femu_sq_create(drive, &sq, 2, FEMU_ENTRIES, &cq);
    let_it_look(&g);
    round.begun = begin_on(&g, &sq);
    round.done = finish_on(&g, &cq);
    think();
    round.taken = take_on(&g, &cq);
    think();
    round.next = begin(&g);
    expect_round(&g, &round);
    finish(&g);
    take(&g);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 2);
    finish(&g);
    take(&g);

    femu_queue_delete(drive, NVME_ADM_CMD_DELETE_SQ, 2);
    femu_queue_delete(drive, NVME_ADM_CMD_DELETE_CQ, 2);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 3);
    finish(&g);
    write_shadow(&g, 2 * cq.id + 1, cq.head + 1);
    g_assert_cmphex(femu_get_feature(drive, NVME_ARBITRATION, &value), ==,
                    NVME_SUCCESS);
    let_it_look(&g);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 3);
    femu_shutdown(drive);
}

/* A round whose completion nobody was seen to take does not count. */
static void test_unseen(void)
{
    Guest g = start_silent();

    begin(&g);
    finish(&g);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 0);
    finish(&g);
    take(&g);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 1);
    femu_shutdown(g.drive);
}

/* There are none without shadow doorbells, whatever lies where one would. */
static void test_no_shadows(void)
{
    Guest g = start("", false, true, NO_IRQ);

    for (unsigned i = 0; i < 2; i++) {
        begin(&g);
        finish(&g);
        qtest_writel(g.drive->host->qts, 4 * (2 * g.drive->io_cq.id + 1),
                     FEMU_ENTRIES - 1 - i);
        let_it_look(&g);
    }
    g_assert_cmpint(count_of(&g), ==, 0);
    femu_shutdown(g.drive);
}

/* Nor does one that had two commands inside, or behind which there are two. */
static void test_two(void)
{
    Guest g = start_silent();
    FemuDrive *drive = g.drive;
    NvmeCmd cmd;

    begin(&g);
    begin(&g);
    finish(&g);
    take(&g);
    finish(&g);
    take(&g);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 0);
    finish(&g);
    take(&g);

    /* both by one doorbell, behind a round of one */
    cmd = femu_cmd_rw(drive, NVME_CMD_WRITE, g.pages++ * femu_page_nlb(drive),
                      femu_page_nlb(drive), drive->buf);
    femu_place(&drive->io, &cmd);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 0);
    finish(&g);
    finish(&g);
    take(&g);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 0);
    femu_shutdown(drive);
}

/*
 * Nor does one behind which somebody else, here who writes to configuration
 * space, has fetched a command: of the admin queue, whose shadow the thread does
 * not look at. The next one does.
 */
static void test_others(void)
{
    g_autofree char *extra = g_strdup_printf(",fe-identify-ns=%u",
                                             IDENTIFY_NS);
    Guest g = start(extra, true, true, NO_IRQ);
    FemuDrive *drive = g.drive;
    NvmeCmd identify = {
        .opcode = NVME_ADM_CMD_IDENTIFY,
        .cdw10 = cpu_to_le32(NVME_ID_CNS_CTRL),
    };

    femu_set_prps(drive, &identify, drive->buf, FEMU_PAGE_BYTES);
    go_round(&g);
    femu_place(&drive->admin, &identify);
    tell_tail(&g, &drive->admin);
    qpci_config_writew(drive->pci, PCI_COMMAND,
                       qpci_config_readw(drive->pci, PCI_COMMAND));
    g_assert_cmpuint(inside(&g), ==, 1);
    femu_step(drive->host, IDENTIFY_NS);
    g_assert_cmphex(await(&drive->admin_cq).status, ==, NVME_SUCCESS);
    tell_head(&g, &drive->admin_cq);
    let_it_look(&g);
    go_round(&g);
    g_assert_cmpint(count_of(&g), ==, 0);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 1);
    femu_shutdown(drive);
}

/* Nor does one behind which the thread has rested, as the machine stood. */
static void test_rested(void)
{
    Guest g = start_silent();
    QTestState *qts = g.drive->host->qts;

    go_round(&g);
    qtest_qmp_assert_success(qts, "{'execute': 'stop'}");
    qtest_qmp_assert_success(qts, "{'execute': 'cont'}");
    let_it_look(&g);
    go_round(&g);
    g_assert_cmpint(count_of(&g), ==, 0);
    begin(&g);
    g_assert_cmpint(count_of(&g), ==, 1);
    femu_shutdown(g.drive);
}

#define ADD(name, function) qtest_add_func("femu-zns/rounds/" name, function)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("steps", test_steps);
    ADD("sums", test_sums);
    ADD("taken-early", test_taken_early);
    ADD("queues", test_queues);
    ADD("unseen", test_unseen);
    ADD("no-shadows", test_no_shadows);
    ADD("two", test_two);
    ADD("others", test_others);
    ADD("rested", test_rested);
    return g_test_run();
}
