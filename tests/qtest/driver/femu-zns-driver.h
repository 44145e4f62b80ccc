/*
 * A small NVMe driver on libqos for the qtests of the femu-zns device: a QEMU
 * and its clock, a controller, its queues, and its admin commands.
 *
 * Knows nothing of zones or of how long anything should take.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_ZNS_DRIVER_H
#define FEMU_ZNS_DRIVER_H

#include "libqtest.h"
#include "libqos/libqos-malloc.h"
#include "libqos/pci.h"
#include "block/nvme.h"
#include "hw/femu/params.h"

#define FEMU_PAGE_BYTES 4096u           /* memory page where CC.MPS = 0 */
#define FEMU_DOORBELLS 0x1000u          /* offset in BAR 0; CAP.DSTRD = 0 */
#define FEMU_SLOT 4u                    /* where femu_boot() puts the drive */
#define FEMU_ENTRIES 64u                /* of the queues femu_boot() makes */
#define FEMU_NSID 1u
/* What one entry does, and what a command counts: nvme/state/femu.h. */
#define FEMU_ENTRY_WORK_BYTES (4 * 1024 * 1024u)
#define FEMU_COMMAND_WORK_BYTES 4096u

/* What a drive is started with: the tests' formulas are over these values. */
typedef struct FemuConfig {
    SsdParams ssd;
    uint32_t time_dilation;
} FemuConfig;

/*
 * Eight zones of 1 MiB, 48 pages of capacity, on 4 channels; times and page
 * size of the ConfZNS++ reference drive; blocks of 4 pages, so that a zone has
 * 12 rows and 3 blocks on each of its 4 units.
 */
FemuConfig femu_small_config(void);

/* Blocks of a whole zone, and blocks that can be written. */
uint64_t femu_zone_nlb(const FemuConfig *config);
uint64_t femu_cap_nlb(const FemuConfig *config);

/* "-device femu-zns,..." with every parameter; `extra` may be NULL. */
char *femu_device_args(const FemuConfig *config, unsigned slot,
                       const char *extra);

/* A QEMU under qtest. `now_ns` is its virtual clock, which only tests move. */
typedef struct FemuHost {
    QTestState *qts;
    QGuestAllocator alloc;
    QPCIBus *bus;
    uint64_t now_ns;
    char *args;
} FemuHost;

/*
 * Start a q35 machine with nothing in it but what `args` adds. Its only timers
 * are those of the devices in `args`: the PIT, whose timer never rests, is off.
 */
FemuHost *femu_host_start(const char *args);
void femu_host_stop(FemuHost *host);

/*
 * Save the machine to a file, end QEMU, go on in a new one of the same command
 * line. What points to the host, or to its drives, stays as it is.
 * femu_host_save() is the first half: QEMU stands still then. femu_host_load()
 * is the second; it waits for the end of the first.
 */
void femu_host_move(FemuHost *host);
void femu_host_save(FemuHost *host, const char *path);
void femu_host_load(FemuHost *host, const char *path);

/* How many files a QEMU has open. */
unsigned femu_open_files(QTestState *qts);

/* What femu_host_start() gives QEMU; `bios` names a file of 64 KiB. */
char *femu_machine_args(const char *bios, const char *args);

/* A file of zeroes that passes for a BIOS: under qtest no CPU ever runs. */
char *femu_bios_create(void);

/*
 * Move the clock by `ns` (0: not at all, because qtest refuses a step of 0),
 * to the instant `at_ns` >= now_ns, or to the next deadline of any timer.
 */
void femu_step(FemuHost *host, uint64_t ns);
void femu_step_to(FemuHost *host, uint64_t at_ns);
void femu_step_next(FemuHost *host);

/* Guest memory, zeroed, page aligned, released with the host. */
uint64_t femu_alloc(FemuHost *host, size_t bytes);

typedef struct FemuDrive FemuDrive;

/* A completion queue. `head` and `phase` are what the host expects next. */
typedef struct FemuCq {
    FemuDrive *drive;
    uint16_t id;
    uint16_t entries;
    uint64_t addr;
    uint16_t head;
    bool phase;
} FemuCq;

/* A submission queue. `tail` is the next free entry, announced or not. */
typedef struct FemuSq {
    FemuDrive *drive;
    FemuCq *cq;
    uint16_t id;
    uint16_t entries;
    uint64_t addr;
    uint16_t tail;
    uint16_t next_cid;
} FemuSq;

struct FemuDrive {
    FemuHost *host;
    FemuConfig config;
    QPCIDevice *pci;
    QPCIBar bar;
    uint64_t bar_bytes;
    QPCIBar msix_bar;                   /* valid after femu_msix_enable() */
    uint64_t msix_off;
    uint64_t buf;                       /* FEMU_BUF_BYTES for synchronous I/O */
    unsigned mps;                       /* CC.MPS that femu_enable() sets */
    uint32_t css;                       /* CC.CSS that it sets */
    uint32_t nsid;                      /* of I/O commands: FEMU_NSID at first */
    FemuCq admin_cq;
    FemuSq admin;
    FemuCq io_cq;                       /* the pair of femu_boot() */
    FemuSq io;
};

#define FEMU_BUF_BYTES (512 * 1024u)

/* A completion, decoded: SCT << 8 | SC, and DW1 << 32 | DW0. */
typedef struct FemuCqe {
    uint64_t result;
    uint16_t sq_head;
    uint16_t sq_id;
    uint16_t cid;
    uint16_t status;
    bool dnr;
} FemuCqe;

/*
 * femu_boot(): a host with one drive in FEMU_SLOT, enabled, with one pair of
 * I/O queues; `extra` (may be NULL) are further properties.
 * femu_boot_disabled(): the same before the controller is enabled.
 * femu_drive_open(): only maps the drive in `slot`. femu_enable(): brings the
 * controller from CC.EN = 0 to ready, with empty admin queues.
 * femu_io_queues_create(): the pair of queues that femu_boot() makes.
 */
FemuDrive *femu_boot(const FemuConfig *config, const char *extra);
FemuDrive *femu_boot_disabled(const FemuConfig *config, const char *extra);
void femu_io_queues_create(FemuDrive *drive);
FemuDrive *femu_drive_open(FemuHost *host, unsigned slot,
                           const FemuConfig *config);
void femu_enable(FemuDrive *drive);
void femu_disable(FemuDrive *drive);
void femu_drive_close(FemuDrive *drive);
void femu_shutdown(FemuDrive *drive);   /* closes drive, stops its host */

/* Guest memory as femu_alloc() gives it, aligned to a memory page of CC.MPS. */
uint64_t femu_alloc_pages(FemuDrive *drive, size_t bytes);

uint32_t femu_reg(FemuDrive *drive, uint32_t offset);
uint64_t femu_reg64(FemuDrive *drive, uint32_t offset);
void femu_set_reg(FemuDrive *drive, uint32_t offset, uint32_t value);

/* MSI-X on; vector `vector` writes `data` to guest address `addr`. */
void femu_msix_enable(FemuDrive *drive);
void femu_msix_vector(FemuDrive *drive, unsigned vector, uint64_t addr,
                      uint32_t data);

/*
 * Queues. The _at() forms place the queue at a given address; ids and sizes
 * are not checked, so that tests can be wrong. Return: the command's status.
 * A vector below 0 means no interrupts.
 */
uint16_t femu_cq_create_at(FemuDrive *drive, FemuCq *cq, uint16_t id,
                           uint32_t entries, uint64_t addr, int vector);
uint16_t femu_sq_create_at(FemuDrive *drive, FemuSq *sq, uint16_t id,
                           uint32_t entries, uint64_t addr, FemuCq *cq);
void femu_cq_create(FemuDrive *drive, FemuCq *cq, uint16_t id,
                    uint32_t entries, int vector);
void femu_sq_create(FemuDrive *drive, FemuSq *sq, uint16_t id,
                    uint32_t entries, FemuCq *cq);
uint16_t femu_queue_delete(FemuDrive *drive, uint8_t opcode, uint16_t id);

/*
 * femu_place(): put a command into the queue without telling the drive.
 * femu_ring(): tell it. femu_submit(): both. Return: the command's identifier.
 */
uint16_t femu_place(FemuSq *sq, const NvmeCmd *cmd);
void femu_ring(FemuSq *sq);
uint16_t femu_submit(FemuSq *sq, const NvmeCmd *cmd);

/*
 * Is there a completion? femu_peek() leaves it, femu_take() consumes it without
 * telling the drive, femu_reap() consumes it and rings the head doorbell.
 */
bool femu_peek(const FemuCq *cq, FemuCqe *cqe);
bool femu_take(FemuCq *cq, FemuCqe *cqe);
bool femu_reap(FemuCq *cq, FemuCqe *cqe);
void femu_ring_cq(FemuCq *cq);

/*
 * Assert that `cq` stays empty up to at_ns - 1 and holds a completion at
 * `at_ns`; consume and return it. femu_expect_now(): that there is one already.
 */
FemuCqe femu_expect_at(FemuCq *cq, uint64_t at_ns);
FemuCqe femu_expect_now(FemuCq *cq);

/*
 * Assert that exactly the commands first_cid to first_cid + count - 1 succeed
 * at `at_ns`, in that order; none before, and nothing else is there then.
 */
void femu_expect_ok(FemuCq *cq, uint64_t at_ns, unsigned count,
                    uint16_t first_cid);

/* Submit to an idle queue, step from deadline to deadline until it is done. */
FemuCqe femu_exec(FemuSq *sq, const NvmeCmd *cmd);

/* Describe the guest-contiguous [addr, addr + bytes) with PRP entries. */
void femu_set_prps(FemuDrive *drive, NvmeCmd *cmd, uint64_t addr,
                   size_t bytes);

/*
 * Admin commands, at once. `data` receives 4096 or `bytes` bytes (may be NULL
 * to drop them). Return: the status.
 */
uint16_t femu_identify(FemuDrive *drive, uint8_t cns, uint8_t csi,
                       uint32_t nsid, void *data);
uint16_t femu_get_log(FemuDrive *drive, uint8_t lid, uint8_t csi,
                      uint64_t offset, void *data, size_t bytes);
uint16_t femu_get_feature(FemuDrive *drive, uint8_t fid, uint32_t *value);
uint16_t femu_set_feature(FemuDrive *drive, uint8_t fid, uint32_t value);

/* An admin command all of whose fields are given; its completion. */
FemuCqe femu_admin(FemuDrive *drive, uint8_t opcode, uint32_t nsid,
                   uint32_t cdw10, uint32_t cdw11, uint64_t prp1);

#endif
