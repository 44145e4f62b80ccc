/*
 * A guest without an operating system: a driver of one femu-zns drive, in 32-bit
 * protected mode without paging, that QEMU loads (-kernel, Multiboot). It runs
 * where a Linux guest does not start: some hosts' KVM is good for no more.
 *
 * It uses MSI-X and, if its command line has "dbbuf", shadow doorbells; writes
 * zone 0 one command at a time, reads that in batches and compares; sees an
 * interrupt that came while its vector was masked; resets the controller with
 * commands inside; and says what it saw on port e9h, at last "ended", or
 * "failed: " and what.
 *
 * Knows nothing of QEMU but that port.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdbool.h>
#include <stdint.h>

/* Where things are on a PC. */
#define SAY_PORT 0xe9
#define PCI_ADDRESS_PORT 0xcf8
#define PCI_DATA_PORT 0xcfc
#define PIC_MASK_PORTS { 0x21, 0xa1 }
#define APIC 0xfee00000u
#define APIC_EOI 0xb0
#define APIC_SPURIOUS 0xf0
#define VECTOR 0x41

#define DRIVE_ID 0x00f01b36u
#define PCI_COMMAND 0x04
#define PCI_BAR0 0x10
#define PCI_CAPABILITIES 0x34
#define CAP_MSIX 0x11
#define MSIX_ENABLE (1u << 31)          /* of the capability's first word */
#define MSIX_TABLE 0x2000               /* in BAR 0: hw/femu/nvme/pci */

/* Of the controller: NVMe base 2.0, 3.1.3 and 5.8. */
#define REG_CC 0x14
#define REG_CSTS 0x1c
#define REG_AQA 0x24
#define REG_ASQ 0x28
#define REG_ACQ 0x30
#define DOORBELLS 0x1000
#define CC_ENABLE (1u | 6u << 4 | 6u << 16 | 4u << 20)
#define CSTS_READY 1u
#define ADMIN_CREATE_SQ 0x01
#define ADMIN_CREATE_CQ 0x05
#define ADMIN_DBBUF 0x7c
#define IO_FLUSH 0x00
#define IO_WRITE 0x01
#define IO_READ 0x02

#define PAGE 4096u
#define ENTRIES 64u
#define WRITES 2000u
#define BATCH 16u
#define BATCHES 200u
#define A_WHILE 20000u                  /* looks */
#define WORDS 1024u                     /* of a block */
#define WORDS_APART 64u                 /* those that are compared */

typedef struct Command {
    uint32_t dw[16];
} Command;

typedef struct Completion {
    uint32_t result[2];
    uint16_t sq_head, sq_id;
    uint16_t cid;
    volatile uint16_t status;           /* bit 0: the phase */
} Completion;

typedef struct Queue {
    Command *sq;
    volatile Completion *cq;
    uint32_t id, tail, head, phase;
} Queue;

#define PAGES(name, type, count) \
    static type name[count] __attribute__((aligned(4096)))
PAGES(admin_sq, Command, ENTRIES);
PAGES(admin_cq, Completion, ENTRIES * 4);
PAGES(io_sq, Command, ENTRIES);
PAGES(io_cq, Completion, ENTRIES * 4);
PAGES(shadow, volatile uint32_t, 1024);
PAGES(event_idx, volatile uint32_t, 1024);
PAGES(data, uint32_t, BATCH * WORDS);

static uint32_t bar, msix_at, pci_at;
static Queue admin = { .sq = admin_sq, .cq = admin_cq };
static Queue io = { .sq = io_sq, .cq = io_cq, .id = 1 };
static bool has_dbbuf;
static volatile uint32_t interrupts;
static uint32_t registers;              /* doorbells that were written */

/* Ports, memory, words */

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void out32(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static uint32_t in32(uint16_t port)
{
    uint32_t value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static volatile uint32_t *at(uint32_t addr)
{
    return (volatile uint32_t *)addr;
}

static void barrier(void)
{
    __asm__ volatile("lock; addl $0, (%%esp)" : : : "memory", "cc");
}

static void say(const char *text)
{
    for (; *text; text++) {
        out8(SAY_PORT, *text);
    }
}

static void say_number(const char *name, uint32_t value)
{
    char digits[11];
    unsigned i = sizeof(digits) - 1;

    digits[i] = '\0';
    do {
        digits[--i] = '0' + value % 10;
        value /= 10;
    } while (value);
    say(name);
    say(" ");
    say(&digits[i]);
    say("\n");
}

static void end(void)
{
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}

static void expect(bool good, const char *what)
{
    if (!good) {
        say("failed: ");
        say(what);
        say("\n");
        end();
    }
}

/* Interrupts */

typedef struct Gate {
    uint16_t low, selector, kind, high;
} Gate;

static Gate gates[256];

void interrupt_came(void);
void interrupt_came(void)
{
    interrupts++;
    *at(APIC + APIC_EOI) = 0;
}

/*
 * It returns by popf and ret: where KVM emulates a guest's instructions, an iret
 * in protected mode is one that it does not know.
 */
void interrupt_entry(void);
__asm__("interrupt_entry:\n"
        "    pusha\n"
        "    cld\n"
        "    call interrupt_came\n"
        "    popa\n"
        "    push %eax\n"                     /* eax, eip, cs, eflags */
        "    mov 4(%esp), %eax\n"
        "    xchg 12(%esp), %eax\n"
        "    mov %eax, 8(%esp)\n"             /* eax, eip, eflags, eip */
        "    pop %eax\n"
        "    lea 4(%esp), %esp\n"
        "    popf\n"
        "    ret\n");

static void interrupts_init(void)
{
    static const uint16_t masks[] = PIC_MASK_PORTS;
    struct {
        uint16_t limit;
        uint32_t base;
    } __attribute__((packed)) idtr = { sizeof(gates) - 1, (uint32_t)gates };
    uint32_t entry = (uint32_t)interrupt_entry;
    uint16_t selector;

    __asm__ volatile("mov %%cs, %0" : "=r"(selector));
    gates[VECTOR] = (Gate) { entry, selector, 0x8e00, entry >> 16 };
    __asm__ volatile("lidt %0" : : "m"(idtr));
    for (unsigned i = 0; i < 2; i++) {
        out8(masks[i], 0xff);
    }
    *at(APIC + APIC_SPURIOUS) = 0x1ff;
}

/* Sleep until the next interrupt that came since `seen`. */
static void await_interrupt(uint32_t seen)
{
    for (;;) {
        __asm__ volatile("cli");
        if (interrupts != seen) {
            break;
        }
        __asm__ volatile("sti; hlt");
    }
    __asm__ volatile("sti");
}

/* PCI */

static uint32_t config(uint32_t offset)
{
    out32(PCI_ADDRESS_PORT, pci_at | offset);
    return in32(PCI_DATA_PORT);
}

static void config_set(uint32_t offset, uint32_t value)
{
    out32(PCI_ADDRESS_PORT, pci_at | offset);
    out32(PCI_DATA_PORT, value);
}

static void find_drive(void)
{
    for (uint32_t slot = 0; slot < 32; slot++) {
        pci_at = 1u << 31 | slot << 11;
        if (config(0) == DRIVE_ID) {
            break;
        }
    }
    expect(config(0) == DRIVE_ID, "there is no drive on bus 0");
    expect(config(PCI_BAR0 + 4) == 0, "BAR 0 is above 4 GiB");
    bar = config(PCI_BAR0) & ~0xfu;
    config_set(PCI_COMMAND, config(PCI_COMMAND) | 6);
    for (msix_at = config(PCI_CAPABILITIES) & 0xff;
         (config(msix_at) & 0xff) != CAP_MSIX;
         msix_at = config(msix_at) >> 8 & 0xff) {
        expect(msix_at, "the drive has no MSI-X");
    }
}

/* Vector 1 of the drive, to this processor. */
static volatile uint32_t *vector_entry(void)
{
    return at(bar + MSIX_TABLE + 16);
}

static void vector_mask(bool masked)
{
    vector_entry()[3] = masked;
}

static void msix_init(void)
{
    vector_entry()[0] = APIC;
    vector_entry()[1] = 0;
    vector_entry()[2] = VECTOR;
    vector_mask(false);
    config_set(msix_at, config(msix_at) | MSIX_ENABLE);
}

/* Queues */

/*
 * A driver's way to ring (NVMe base 2.0, 5.8, and as Linux does it): the shadow,
 * then the register if EventIdx lies on the way.
 */
static void ring(const Queue *queue, uint32_t which, uint32_t value)
{
    uint32_t doorbell = 2 * queue->id + which;
    uint16_t old = shadow[doorbell], known;

    barrier();
    if (has_dbbuf && queue->id) {
        shadow[doorbell] = value;
        barrier();
        known = event_idx[doorbell];
        if (!((uint16_t)(value - known - 1) < (uint16_t)(value - old))) {
            return;
        }
    }
    *at(bar + DOORBELLS + 4 * doorbell) = value;
    registers++;
}

static void place(Queue *queue, const Command *command)
{
    queue->sq[queue->tail] = *command;
    queue->sq[queue->tail].dw[0] |= queue->tail << 16;
    queue->tail = (queue->tail + 1) % ENTRIES;
}

static bool has_completion(const Queue *queue)
{
    return (queue->cq[queue->head].status & 1) != queue->phase;
}

static void take(Queue *queue)
{
    expect(queue->cq[queue->head].status >> 1 == 0, "a command has failed");
    queue->head = (queue->head + 1) % ENTRIES;
    queue->phase ^= queue->head == 0;
}

static void admin_do(const Command *command)
{
    place(&admin, command);
    ring(&admin, 0, admin.tail);
    while (!has_completion(&admin)) {
        __asm__ volatile("pause");
    }
    take(&admin);
    ring(&admin, 1, admin.head);
}

/* Take `count` completions, asleep while there is none. */
static void await(uint32_t count)
{
    while (count) {
        uint32_t seen = interrupts, taken = 0;

        for (; count && has_completion(&io); count--, taken++) {
            take(&io);
        }
        if (taken) {
            ring(&io, 1, io.head);
        } else {
            await_interrupt(seen);
        }
    }
}

static void queue_clear(Queue *queue)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        queue->cq[i].status = 0;
    }
    queue->tail = queue->head = queue->phase = 0;
}

static void ready_is(uint32_t ready)
{
    while ((*at(bar + REG_CSTS) & CSTS_READY) != ready) {
        __asm__ volatile("pause");
    }
}

static void controller_reset(void)
{
    *at(bar + REG_CC) = 0;
    ready_is(0);
    queue_clear(&admin);
    queue_clear(&io);
    for (unsigned i = 0; i < 8; i++) {
        shadow[i] = 0;
    }
    *at(bar + REG_AQA) = (ENTRIES - 1) << 16 | (ENTRIES - 1);
    *at(bar + REG_ASQ) = (uint32_t)admin.sq;
    *at(bar + REG_ASQ + 4) = 0;
    *at(bar + REG_ACQ) = (uint32_t)admin.cq;
    *at(bar + REG_ACQ + 4) = 0;
    *at(bar + REG_CC) = CC_ENABLE;
    ready_is(CSTS_READY);
}

static void queues_create(void)
{
    Command dbbuf = { .dw = { [0] = ADMIN_DBBUF, [6] = (uint32_t)shadow,
                              [8] = (uint32_t)event_idx } };
    Command cq = { .dw = { [0] = ADMIN_CREATE_CQ, [6] = (uint32_t)io.cq,
                           [10] = (ENTRIES - 1) << 16 | 1,
                           [11] = 1 << 16 | 3 } };
    Command sq = { .dw = { [0] = ADMIN_CREATE_SQ, [6] = (uint32_t)io.sq,
                           [10] = (ENTRIES - 1) << 16 | 1,
                           [11] = 1 << 16 | 1 } };

    if (has_dbbuf) {
        admin_do(&dbbuf);
    }
    admin_do(&cq);
    admin_do(&sq);
}

/* What it does */

static Command block(uint32_t opcode, uint32_t lba, uint32_t *page)
{
    return (Command) { .dw = { [0] = opcode, [1] = 1, [6] = (uint32_t)page,
                               [10] = lba } };
}

static uint32_t word(uint32_t lba, uint32_t i)
{
    return (lba * WORDS + i) * 2654435761u;
}

static void write_one_by_one(void)
{
    for (uint32_t lba = 0; lba < WRITES; lba++) {
        Command command = block(IO_WRITE, lba, data);

        for (unsigned i = 0; i < WORDS; i += WORDS_APART) {
            data[i] = word(lba, i);
        }
        place(&io, &command);
        ring(&io, 0, io.tail);
        await(1);
    }
    say_number("writes", WRITES);
}

/* Blocks that are far from each other, by a step that WRITES has no part of. */
static void read_in_batches(void)
{
    uint32_t lba = 0;

    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        uint32_t first = lba;

        for (uint32_t i = 0; i < BATCH; i++, lba = (lba + 373) % WRITES) {
            Command command = block(IO_READ, lba, &data[WORDS * i]);

            place(&io, &command);
        }
        ring(&io, 0, io.tail);
        await(BATCH);
        lba = first;
        for (uint32_t i = 0; i < BATCH; i++, lba = (lba + 373) % WRITES) {
            for (unsigned j = 0; j < WORDS; j += WORDS_APART) {
                expect(data[WORDS * i + j] == word(lba, j),
                       "a block is not what was written");
            }
        }
    }
    say_number("reads", BATCH * BATCHES);
}

/* The interrupt of a masked vector comes when that is unmasked, and only then. */
static void mask_and_unmask(void)
{
    Command flush = { .dw = { [0] = IO_FLUSH, [1] = 1 } };
    uint32_t seen;

    vector_mask(true);
    barrier();
    seen = interrupts;
    place(&io, &flush);
    ring(&io, 0, io.tail);
    while (!has_completion(&io)) {
        __asm__ volatile("pause");
    }
    for (unsigned i = 0; i < A_WHILE; i++) {
        __asm__ volatile("pause");
    }
    expect(interrupts == seen, "a masked vector has interrupted");
    vector_mask(false);
    await_interrupt(seen);
    take(&io);
    ring(&io, 1, io.head);
    say_number("masked", 1);
}

static void reset_with_commands_inside(void)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        Command command = block(IO_READ, i, &data[WORDS * i]);

        place(&io, &command);
    }
    ring(&io, 0, io.tail);
    controller_reset();
    queues_create();
    say_number("resets", 1);
}

/* Multiboot: the flags, and where QEMU puts its command line. */
#define MULTIBOOT_MAGIC 0x1badb002
#define MULTIBOOT_CMDLINE 4             /* in words of what it passes */

__attribute__((section(".multiboot"), used))
static const uint32_t multiboot[] = { MULTIBOOT_MAGIC, 0, -MULTIBOOT_MAGIC };

static bool has_word(const char *line, const char *wanted)
{
    for (; *line; line++) {
        unsigned i = 0;

        for (; wanted[i] && line[i] == wanted[i]; i++) {
        }
        if (!wanted[i]) {
            return true;
        }
    }
    return false;
}

void bare_main(const uint32_t *info);
void bare_main(const uint32_t *info)
{
    has_dbbuf = has_word((const char *)info[MULTIBOOT_CMDLINE], "dbbuf");
    interrupts_init();
    find_drive();
    msix_init();
    controller_reset();
    queues_create();
    write_one_by_one();
    read_in_batches();
    mask_and_unmask();
    reset_with_commands_inside();
    read_in_batches();
    say_number("interrupts", interrupts);
    say_number("registers", registers);
    say("ended\n");
    end();
}

__asm__(".globl start\n"
        "start:\n"
        "    mov $stack_top, %esp\n"
        "    push %ebx\n"
        "    call bare_main\n"
        ".bss\n"
        "    .align 16\n"
        "    .skip 65536\n"
        "stack_top:\n"
        ".text\n");
