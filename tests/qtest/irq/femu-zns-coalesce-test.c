/*
 * Interrupt coalescing (NVMe base 2.0, 5.27.1.6 and 5.27.1.7): a vector's
 * interrupt comes with so many entries, or so long after the first, exactly;
 * and it always comes.
 *
 * Knows nothing of zones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"

#define UNIT_NS UINT64_C(100000)
#define VECTORS 4u                      /* with a mailbox */
#define IRQ_DATA 0x1000u
#define NO_COALESCING (1u << 16)        /* CDW11 of feature 09h */

typedef struct Bench {
    FemuDrive *drive;
    uint64_t mailbox;                   /* a dword for each vector */
    FemuCq cq[VECTORS];                 /* of queue 2 + index */
    FemuSq sq[VECTORS];
} Bench;

/* Pairs of queues, the one of index i with vector vectors[i]. */
static void bench_start_with(Bench *b, uint32_t dilation, const char *extra,
                             const unsigned *vectors, unsigned count,
                             bool msix)
{
    FemuConfig config = femu_small_config();

    config.time_dilation = dilation;
    b->drive = femu_boot(&config, extra);
    b->mailbox = femu_alloc(b->drive->host, FEMU_PAGE_BYTES);
    if (msix) {
        femu_msix_enable(b->drive);
    }
    for (unsigned i = 0; msix && i < VECTORS; i++) {
        femu_msix_vector(b->drive, i, b->mailbox + 4 * i, IRQ_DATA + i);
    }
    for (unsigned i = 0; i < count; i++) {
        femu_cq_create(b->drive, &b->cq[i], 2 + i, 16, vectors[i]);
        femu_sq_create(b->drive, &b->sq[i], 2 + i, 16, &b->cq[i]);
    }
}

static void bench_start(Bench *b, uint32_t dilation, const unsigned *vectors,
                        unsigned count, bool msix)
{
    bench_start_with(b, dilation, NULL, vectors, count, msix);
}

static void set_coalescing(Bench *b, unsigned time, unsigned threshold)
{
    g_assert_cmphex(femu_set_feature(b->drive, NVME_INTERRUPT_COALESCING,
                                     time << 8 | threshold), ==, NVME_SUCCESS);
}

/* Has this vector been signalled since the last question? */
static bool signalled(Bench *b, unsigned vector)
{
    QTestState *qts = b->drive->host->qts;
    uint32_t data = qtest_readl(qts, b->mailbox + 4 * vector);

    g_assert_true(data == 0 || data == IRQ_DATA + vector);
    qtest_writel(qts, b->mailbox + 4 * vector, 0);
    return data != 0;
}

/* A command that is done at once: an entry in queue `idx`. */
static void post(Bench *b, unsigned idx)
{
    NvmeCmd flush = femu_cmd_flush();
    FemuCqe cqe;

    femu_submit(&b->sq[idx], &flush);
    g_assert_true(femu_take(&b->cq[idx], &cqe));
    g_assert_cmphex(cqe.status, ==, NVME_SUCCESS);
}

static void assert_signalled_at(Bench *b, unsigned vector, uint64_t at_ns)
{
    g_assert_false(signalled(b, vector));
    femu_step_to(b->drive->host, at_ns - 1);
    g_assert_false(signalled(b, vector));
    femu_step_to(b->drive->host, at_ns);
    g_assert_true(signalled(b, vector));
}

/* No interrupt of `vector` comes any more. */
static void assert_silent(Bench *b, unsigned vector)
{
    g_assert_false(signalled(b, vector));
    femu_step(b->drive->host, 1000 * UNIT_NS);
    g_assert_false(signalled(b, vector));
}

static void start_one(Bench *b)
{
    static const unsigned vector = 3;

    bench_start(b, 1, &vector, 1, true);
}

/* The time runs from the first entry of which the host was not told. */
static void test_time(void)
{
    Bench b;
    uint64_t start_ns;

    start_one(&b);
    set_coalescing(&b, 3, 9);
    for (unsigned round = 0; round < 2; round++) {
        femu_step(b.drive->host, 12345);
        start_ns = b.drive->host->now_ns;
        post(&b, 0);
        femu_step(b.drive->host, 2 * UNIT_NS);
        post(&b, 0);
        assert_signalled_at(&b, 3, start_ns + 3 * UNIT_NS);
        assert_silent(&b, 3);
    }
    femu_shutdown(b.drive);
}

/* Both have all their eight bits. */
static void test_bits(void)
{
    Bench b;

    start_one(&b);
    for (unsigned bit = 0; bit < 8; bit++) {
        set_coalescing(&b, 1u << bit, 9);
        post(&b, 0);
        assert_signalled_at(&b, 3, b.drive->host->now_ns +
                                   (UNIT_NS << bit));
        set_coalescing(&b, 1, 1u << bit);
        post(&b, 0);
        assert_signalled_at(&b, 3, b.drive->host->now_ns + UNIT_NS);
        femu_ring_cq(&b.cq[0]);         /* or else it is full in the end */
    }
    femu_shutdown(b.drive);
}

/* The threshold is 0's based; the count starts anew with every interrupt. */
static void test_threshold(void)
{
    Bench b;

    start_one(&b);
    set_coalescing(&b, 255, 2);
    for (unsigned round = 0; round < 3; round++) {
        post(&b, 0);
        post(&b, 0);
        g_assert_false(signalled(&b, 3));
        post(&b, 0);
        g_assert_true(signalled(&b, 3));
    }
    post(&b, 0);
    assert_signalled_at(&b, 3, b.drive->host->now_ns + 255 * UNIT_NS);
    femu_shutdown(b.drive);
}

/* Without a time or without a threshold every entry has its interrupt. */
static void test_disabled(void)
{
    static const struct {
        unsigned time, threshold;
    } values[] = { { 0, 0 }, { 0, 255 }, { 255, 0 } };
    Bench b;

    start_one(&b);
    for (unsigned i = 0; i < ARRAY_SIZE(values); i++) {
        set_coalescing(&b, values[i].time, values[i].threshold);
        for (unsigned entry = 0; entry < 3; entry++) {
            post(&b, 0);
            g_assert_true(signalled(&b, 3));
        }
        assert_silent(&b, 3);
    }
    femu_shutdown(b.drive);
}

static void set_vector(Bench *b, uint32_t cdw11)
{
    g_assert_cmphex(femu_set_feature(b->drive, NVME_INTERRUPT_VECTOR_CONF,
                                     cdw11), ==, NVME_SUCCESS);
}

/* Feature 09h takes one vector out, and what it held comes at once. */
static void test_vector_disabled(void)
{
    static const unsigned vectors[] = { 1, 2 };
    Bench b;
    uint64_t start_ns;

    bench_start(&b, 1, vectors, 2, true);
    set_coalescing(&b, 2, 5);
    start_ns = b.drive->host->now_ns;
    post(&b, 0);
    g_assert_false(signalled(&b, 1));
    set_vector(&b, 1 | NO_COALESCING);
    g_assert_true(signalled(&b, 1));
    post(&b, 0);
    g_assert_true(signalled(&b, 1));
    post(&b, 1);
    assert_signalled_at(&b, 2, start_ns + 2 * UNIT_NS);
    set_vector(&b, 1);
    post(&b, 0);
    assert_signalled_at(&b, 1, start_ns + 4 * UNIT_NS);
    femu_shutdown(b.drive);
}

/* Other values, or none: what was held by the old ones comes at once. */
static void test_changed_while_held(void)
{
    Bench b;

    start_one(&b);
    for (unsigned time = 0; time < 2; time++) {
        set_coalescing(&b, 200, 5);
        post(&b, 0);
        g_assert_false(signalled(&b, 3));
        set_coalescing(&b, time, time);
        g_assert_true(signalled(&b, 3));
        assert_silent(&b, 3);
    }
    femu_shutdown(b.drive);
}

/* Vectors count for themselves, the queues of one vector together. */
static void test_per_vector(void)
{
    static const unsigned vectors[] = { 1, 2, 2 };
    Bench b;
    uint64_t start_ns;

    bench_start(&b, 1, vectors, 3, true);
    set_coalescing(&b, 100, 1);
    start_ns = b.drive->host->now_ns;
    post(&b, 0);
    femu_step(b.drive->host, UNIT_NS);
    post(&b, 1);
    g_assert_false(signalled(&b, 2));
    post(&b, 2);
    g_assert_true(signalled(&b, 2));
    assert_signalled_at(&b, 1, start_ns + 100 * UNIT_NS);
    assert_silent(&b, 2);
    femu_shutdown(b.drive);
}

/*
 * The admin queue's entries do not wait; an interrupt that it shares with an
 * I/O queue tells of that one's entries too.
 */
static void test_admin(void)
{
    static const unsigned vector = 0;
    NvmeCmd cmd = {
        .opcode = NVME_ADM_CMD_GET_FEATURES,
        .cdw10 = cpu_to_le32(NVME_INTERRUPT_COALESCING),
    };
    Bench b;
    uint32_t value;

    bench_start(&b, 1, &vector, 1, true);
    set_coalescing(&b, 10, 10);
    g_assert_true(signalled(&b, 0));
    post(&b, 0);
    g_assert_false(signalled(&b, 0));
    g_assert_cmphex(femu_get_feature(b.drive, NVME_INTERRUPT_COALESCING,
                                     &value), ==, NVME_SUCCESS);
    g_assert_cmphex(value, ==, 10 << 8 | 10);
    g_assert_true(signalled(&b, 0));
    assert_silent(&b, 0);
    /* what it has told of it tells no more, read or not */
    femu_submit(&b.drive->admin, &cmd);
    g_assert_true(signalled(&b, 0));
    post(&b, 0);
    femu_ring_cq(&b.cq[0]);
    assert_silent(&b, 0);
    femu_shutdown(b.drive);
}

/* A host that polls has seen it; one that has seen a part has not. */
static void test_acknowledged(void)
{
    static const unsigned vectors[] = { 2, 2 };
    Bench b;
    uint64_t start_ns;

    bench_start(&b, 1, vectors, 2, true);
    set_coalescing(&b, 4, 9);
    post(&b, 0);
    femu_ring_cq(&b.cq[0]);
    assert_silent(&b, 2);
    start_ns = b.drive->host->now_ns;
    post(&b, 0);
    femu_ring_cq(&b.cq[0]);
    post(&b, 0);
    post(&b, 1);
    femu_ring_cq(&b.cq[0]);             /* the other queue's is left */
    assert_signalled_at(&b, 2, start_ns + 4 * UNIT_NS);
    post(&b, 0);
    start_ns = b.drive->host->now_ns;
    post(&b, 0);
    b.cq[0].head--;                     /* one of two */
    femu_ring_cq(&b.cq[0]);
    b.cq[0].head++;
    assert_signalled_at(&b, 2, start_ns + 4 * UNIT_NS);
    femu_shutdown(b.drive);
}

/*
 * Once it is for nothing any more, no timer waits for its time: of a machine
 * without timers, QEMU refuses to step to the next.
 */
static void test_no_timer(void)
{
    Bench b;

    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_failed();
        g_test_trap_assert_stderr("*(\"FAIL\" == \"OK\")*");
        return;
    }
    start_one(&b);
    set_coalescing(&b, 5, 9);
    post(&b, 0);
    femu_step_next(b.drive->host);
    g_assert_cmpuint(b.drive->host->now_ns, ==, 5 * UNIT_NS);
    g_assert_true(signalled(&b, 3));
    post(&b, 0);
    femu_ring_cq(&b.cq[0]);
    femu_step_next(b.drive->host);
    exit(0);
}

static bool pin(Bench *b)
{
    return qpci_config_readw(b->drive->pci, PCI_STATUS) & PCI_STATUS_INTERRUPT;
}

/* The pin rises when an interrupt would be sent, not before. */
static void test_pin(void)
{
    static const unsigned vector = 0;
    Bench b;
    FemuHost *host;

    bench_start(&b, 1, &vector, 1, false);
    host = b.drive->host;
    set_coalescing(&b, 5, 9);
    g_assert_false(pin(&b));
    post(&b, 0);
    femu_step(host, 5 * UNIT_NS - 1);
    g_assert_false(pin(&b));
    femu_step(host, 1);
    g_assert_true(pin(&b));
    post(&b, 0);                        /* of this one it does not tell */
    b.cq[0].head--;
    femu_ring_cq(&b.cq[0]);
    g_assert_false(pin(&b));
    femu_step(host, 5 * UNIT_NS - 1);
    g_assert_false(pin(&b));
    femu_step(host, 1);
    g_assert_true(pin(&b));
    b.cq[0].head++;
    femu_ring_cq(&b.cq[0]);
    g_assert_false(pin(&b));
    femu_shutdown(b.drive);
}

/*
 * The pin tells of what it rose for until all of that is taken, wherever in a
 * queue that is no power of two it lies; what came since has its own time.
 */
static void test_pin_taken(void)
{
    enum { ENTRIES = 12, MOST = 3 };
    Bench b;
    FemuHost *host;

    bench_start(&b, 1, NULL, 0, false);
    host = b.drive->host;
    femu_cq_create(b.drive, &b.cq[0], 2, ENTRIES, 0);
    femu_sq_create(b.drive, &b.sq[0], 2, ENTRIES, &b.cq[0]);
    set_coalescing(&b, 5, 9);
    for (unsigned i = 0; i < (MOST + 1) * (MOST + 1) * 2 * MOST; i++) {
        unsigned told = i % (MOST + 1), later = i / (MOST + 1) % (MOST + 1);
        unsigned taken = 1 + i / (MOST + 1) / (MOST + 1);
        uint16_t base = b.cq[0].head, end;

        if (taken > told + later) {
            continue;
        }
        for (unsigned entry = 0; entry < told; entry++) {
            post(&b, 0);
        }
        femu_step(host, 5 * UNIT_NS);
        g_assert_cmpint(pin(&b), ==, told > 0);
        for (unsigned entry = 0; entry < later; entry++) {
            post(&b, 0);
        }
        end = b.cq[0].head;
        b.cq[0].head = (base + taken) % ENTRIES;
        femu_ring_cq(&b.cq[0]);
        g_assert_cmpint(pin(&b), ==, taken < told);
        femu_step(host, 5 * UNIT_NS - 1);
        g_assert_cmpint(pin(&b), ==, taken < told);
        femu_step(host, 1);
        g_assert_cmpint(pin(&b), ==, taken < told + later);
        b.cq[0].head = end;
        femu_ring_cq(&b.cq[0]);
        g_assert_false(pin(&b));
        femu_step(host, 10 * UNIT_NS);
        g_assert_false(pin(&b));
    }
    femu_shutdown(b.drive);
}

/* A queue without interrupts neither raises the pin nor keeps it up. */
static void test_quiet_queue(void)
{
    static const unsigned vector = 0;

    for (unsigned msix = 0; msix < 2; msix++) {
        Bench b;

        bench_start(&b, 1, &vector, 1, msix);
        femu_cq_create(b.drive, &b.cq[1], 3, 16, -1);
        femu_sq_create(b.drive, &b.sq[1], 3, 16, &b.cq[1]);
        set_coalescing(&b, 5, 9);
        signalled(&b, 0);
        post(&b, 1);
        assert_silent(&b, 0);
        g_assert_false(pin(&b));
        post(&b, 0);
        femu_step(b.drive->host, 5 * UNIT_NS);
        g_assert_cmpint(pin(&b), ==, !msix);
        g_assert_cmpint(signalled(&b, 0), ==, msix);
        femu_ring_cq(&b.cq[0]);
        g_assert_false(pin(&b));
        /* and what is held for another is forgotten once that is taken */
        post(&b, 1);
        post(&b, 0);
        femu_ring_cq(&b.cq[0]);
        assert_silent(&b, 0);
        g_assert_false(pin(&b));
        femu_shutdown(b.drive);
    }
}

/* What one vector tells and what its queues hold is nothing to another. */
static void test_other_vector(void)
{
    static const unsigned vectors[] = { 1, 2, 2 };
    Bench b;
    uint64_t start_ns;

    bench_start(&b, 1, vectors, 3, true);
    set_coalescing(&b, 50, 2);
    post(&b, 0);
    post(&b, 1);
    femu_ring_cq(&b.cq[1]);             /* with entries that vector 1 holds */
    g_assert_false(signalled(&b, 1));
    femu_step(b.drive->host, 50 * UNIT_NS);
    g_assert_true(signalled(&b, 1));
    assert_silent(&b, 2);
    start_ns = b.drive->host->now_ns;
    post(&b, 1);
    for (unsigned entry = 0; entry < 3; entry++) {
        post(&b, 0);
    }
    g_assert_true(signalled(&b, 1));
    post(&b, 2);
    femu_ring_cq(&b.cq[2]);             /* that of queue 1 is still held */
    assert_signalled_at(&b, 2, start_ns + 50 * UNIT_NS);
    femu_shutdown(b.drive);
}

/* What is held when its queue or the controller goes is dropped. */
static void test_dropped(void)
{
    Bench b;

    start_one(&b);
    set_coalescing(&b, 5, 9);
    post(&b, 0);
    g_assert_cmphex(femu_queue_delete(b.drive, NVME_ADM_CMD_DELETE_SQ, 2), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(femu_queue_delete(b.drive, NVME_ADM_CMD_DELETE_CQ, 2), ==,
                    NVME_SUCCESS);
    assert_silent(&b, 3);
    femu_cq_create(b.drive, &b.cq[0], 2, 16, 3);
    femu_sq_create(b.drive, &b.sq[0], 2, 16, &b.cq[0]);
    post(&b, 0);
    femu_disable(b.drive);
    assert_silent(&b, 3);
    /* and the values are the default ones again */
    femu_enable(b.drive);
    femu_cq_create(b.drive, &b.cq[0], 2, 16, 3);
    femu_sq_create(b.drive, &b.sq[0], 2, 16, &b.cq[0]);
    post(&b, 0);
    g_assert_true(signalled(&b, 3));
    femu_shutdown(b.drive);
}

/* What is due when the power goes does not come any more. */
static void test_power_cut(void)
{
    static const unsigned vector = 3;
    Bench b;

    bench_start_with(&b, 1, "power-cut-at-ns=500000", &vector, 1, true);
    set_coalescing(&b, 5, 9);
    g_assert_cmpuint(b.drive->host->now_ns, ==, 0);
    post(&b, 0);
    femu_step_to(b.drive->host, 5 * UNIT_NS - 1);
    g_assert_cmphex(femu_reg(b.drive, NVME_REG_CSTS), ==, NVME_CSTS_READY);
    femu_step(b.drive->host, 1);
    g_assert_cmphex(femu_reg(b.drive, NVME_REG_CSTS), ==, 0);
    assert_silent(&b, 3);
    femu_shutdown(b.drive);
}

/* The time is the drive's: dilated, from the entry's own instant. */
static void test_dilation(void)
{
    static const unsigned vector = 1;
    Bench b;

    bench_start(&b, 7, &vector, 1, true);
    femu_step(b.drive->host, 12345);
    set_coalescing(&b, 1, 1);
    post(&b, 0);
    assert_signalled_at(&b, 1, b.drive->host->now_ns + 7 * UNIT_NS);
    femu_shutdown(b.drive);
}

/* A completion that the timer brings, and the interrupt that it brings later */
static void test_timer_order(void)
{
    Bench b;
    FemuDrive *drive;
    NvmeCmd write;
    uint64_t done_ns;

    start_one(&b);
    drive = b.drive;
    write = femu_cmd_rw(drive, NVME_CMD_WRITE, 0, femu_page_nlb(drive),
                        drive->buf);
    set_coalescing(&b, 1, 9);
    done_ns = drive->host->now_ns + femu_page_write_ns(drive);
    femu_submit(&b.sq[0], &write);
    femu_step_to(drive->host, done_ns);
    femu_take(&b.cq[0], &(FemuCqe) { 0 });
    assert_signalled_at(&b, 3, done_ns + UNIT_NS);
    femu_shutdown(drive);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/coalesce/" name, test)
    ADD("time", test_time);
    ADD("bits", test_bits);
    ADD("threshold", test_threshold);
    ADD("disabled", test_disabled);
    ADD("vector-disabled", test_vector_disabled);
    ADD("changed-while-held", test_changed_while_held);
    ADD("per-vector", test_per_vector);
    ADD("admin", test_admin);
    ADD("acknowledged", test_acknowledged);
    ADD("no-timer", test_no_timer);
    ADD("pin", test_pin);
    ADD("pin-taken", test_pin_taken);
    ADD("quiet-queue", test_quiet_queue);
    ADD("other-vector", test_other_vector);
    ADD("dropped", test_dropped);
    ADD("power-cut", test_power_cut);
    ADD("dilation", test_dilation);
    ADD("timer-order", test_timer_order);
#undef ADD
    return g_test_run();
}
