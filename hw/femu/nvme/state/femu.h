/*
 * The state of the femu-zns device: one object, which all its rooms work on.
 * What a room does with it and offers to those above is in its own header.
 *
 * Knows nothing of how the drive behind ssd.h stores or times anything.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_STATE_FEMU_H
#define FEMU_NVME_STATE_FEMU_H

#include "block/nvme.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#include "qemu/notify.h"
#include "qemu/queue.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qom/object.h"
#include "system/hostmem.h"
#include "system/iothread.h"
#include "../../ssd.h"
#include "../../ssd_histogram.h"
#include "../../ssd_journal.h"
#include "../../ssd_kept.h"
#include "../../ssd_sums.h"
#include "../../ssd_trace.h"

#define TYPE_FEMU_ZNS "femu-zns"
OBJECT_DECLARE_SIMPLE_TYPE(FemuZns, FEMU_ZNS)

#define FEMU_DOORBELL_BASE 0x1000       /* in BAR 0 */
#define FEMU_MAX_QUEUE_PAIRS 64
#define FEMU_MAX_QUEUES (FEMU_MAX_QUEUE_PAIRS + 1) /* with the admin pair */
#define FEMU_MAX_QUEUE_ENTRIES 2048
#define FEMU_MAX_AERS 4
#define FEMU_IDENTITY_BYTES 32          /* a SHA-256 */
#define FEMU_NVME_VERSION 0x00020000 /* 2.0 */
#define FEMU_SERIAL_BYTES 20
#define FEMU_TEMPERATURE_KELVIN 310
#define FEMU_LOG_VENDOR_STATS 0xc0
#define FEMU_FEATURE_VENDOR_STATS 0xc0
#define FEMU_FEATURE_HOST_ID 0x81
#define FEMU_HOST_ID_BYTES 16
#define FEMU_BAD_RANGES 64
#define FEMU_LBA_BYTES_MAX 4096
#define FEMU_LBA_FORMATS 2              /* 512 and 4096 bytes */
#define FEMU_ZONE_EXT_UNIT_BYTES 64
#define FEMU_LOG_CHANGED_ZONES 0xbf
#define FEMU_EVENT_TYPES 3              /* error, SMART, notice */
#define FEMU_ASYNC_ZONE_CHANGED (1u << 27) /* ZNS 1.1, OAES and feature 0Bh */
#define FEMU_ASYNC_EVENTS (FEMU_ASYNC_ZONE_CHANGED | NVME_OAES_NS_ATTR)

/* A completion that waits for room in its queue. */
typedef struct FemuParked {
    NvmeCqe cqe;
    QSIMPLEQ_ENTRY(FemuParked) next;
} FemuParked;

/*
 * Completion queue. Full when tail + 1 == head; parked is empty unless it is
 * full or we may not master the bus.
 */
typedef struct FemuCq {
    uint16_t id;
    uint16_t vector;
    bool irq_enabled;
    uint8_t phase;
    uint32_t size;
    uint32_t head;
    uint32_t tail;
    uint32_t signalled;         /* tail of which the host has been told */
    uint32_t sq_count;
    uint64_t base;
    QSIMPLEQ_HEAD(, FemuParked) parked;
} FemuCq;

/*
 * An interrupt that is held back to coalesce completions: how many entries it
 * will tell of, and when it is sent at the latest (by clock_ns).
 */
typedef struct FemuHeldIrq {
    uint32_t entries;
    int64_t due_at_ns;
} FemuHeldIrq;

/* Shadow doorbells in host memory: doorbell i is dword i of both buffers. */
typedef struct FemuDbbuf {
    bool enabled;
    uint64_t shadow_addr;
    uint64_t event_addr;
} FemuDbbuf;

/*
 * Submission queue: [head, tail) is not yet fetched. The admin queue
 * `awaits_slot` if its first command needs one and there was none.
 */
typedef struct FemuSq {
    uint16_t id;
    bool awaits_slot;
    uint32_t size;
    uint32_t head;
    uint32_t tail;
    uint64_t base;
    FemuCq *cq;
} FemuSq;

/*
 * A command inside the core; its index is the command's tag. The slot is free
 * again only when the core has returned that tag, so a tag never names a
 * younger command. `sq` is NULL once a reset or a queue's deletion has
 * discarded the completion, for the reset of all zones of a namespace that is
 * being formatted (`format_ns`), and for a shutdown. `status` and `result`, if
 * not 0, are reported in place of the core's.
 */
typedef struct FemuReq {
    FemuSq *sq;
    struct FemuNs *format_ns;
    bool busy;
    uint16_t cid;
    uint16_t status;
    uint64_t result;
    uint64_t trace_seq;
    bool shuts_down;            /* CSTS.SHST waits for it, until a reset */
    bool then_flush;            /* it is completed when a flush behind it is */
    uint32_t zone_idx;          /* a zone reset: the zone, or FEMU_ZONES_ALL */
} FemuReq;

#define FEMU_ZONES_ALL UINT32_MAX

/* A command that is done but for a flush, which waits for room in the core. */
typedef struct FemuFlush {
    FemuSq *sq;
    uint16_t cid;
    uint64_t result;
    QSIMPLEQ_ENTRY(FemuFlush) next;
} FemuFlush;

/* One contiguous piece of host memory. */
typedef struct FemuSeg {
    uint64_t addr;
    uint64_t bytes;
} FemuSeg;

/* The memory that holds the data of all namespaces. */
typedef struct FemuMemory {
    HostMemoryBackend *memdev;
    RAMBlock *ram_block;
    uint8_t *base;
    uint64_t bytes;
    int fd;                     /* of the file that backs it, or -1 */
    bool frozen;                /* history is replayed: bytes are its result */
    SsdJournal **journal;       /* that of FemuZns, if it has one */
    const uint64_t *sums;       /* of pages of the file; NULL: none are kept */
    int sums_fd;                /* of the file that they are in, or -1 */
} FemuMemory;

/*
 * The data of a namespace: its slice of the memory, zones packed one after
 * another by capacity. Bytes of a zone at or beyond its `written_bytes` read
 * as zeroes, whatever the memory holds there. A flat store has no zones, and
 * the same is true of granules that are not `flat_written`.
 */
typedef struct FemuStore {
    FemuMemory *memory;
    uint64_t start_bytes;       /* of the slice */
    uint64_t zone_size_bytes;
    uint64_t zone_capacity_bytes;
    uint32_t zones;
    uint64_t *written_bytes;
    uint64_t *aside_bytes;      /* written_bytes before the last zone reset, */
    uint32_t *aside_tag;        /* which is inside as this request */
    unsigned long *has_written; /* bitmap: zones of which that is not 0 */
    unsigned long *has_aside;   /* likewise */
    uint64_t flat_bytes;        /* 0: there are zones */
    unsigned long *flat_written;    /* bitmap by granule */
} FemuStore;

/* Values of Set Features that a controller reset returns to their defaults. */
typedef struct FemuFeatures {
    uint32_t arbitration;
    uint32_t workload_hint;     /* as in CDW11, 7:5; the power state is 0 */
    uint32_t temperature_kelvin[2]; /* thresholds, by NVME_TEMP_THSEL() */
    uint32_t irq_coalescing;
    uint32_t write_atomicity;
    uint32_t write_cache;       /* 1: enabled; if it is volatile */
    uint32_t async_events;
    uint64_t timestamp_ms;
    int64_t timestamp_set_at_ns;
    bool timestamp_set;         /* by the host, not by a controller reset */
    uint8_t host_id[FEMU_HOST_ID_BYTES];
    bool irq_uncoalesced[FEMU_MAX_QUEUES];
} FemuFeatures;

/*
 * An event of one type: `waiting` for a request, or reported and its type
 * `masked` until the host reads `log_page`; neither if there is none.
 */
typedef struct FemuEvent {
    bool waiting;
    bool masked;
    uint8_t info;
    uint8_t log_page;
    uint32_t parameter;
} FemuEvent;

/* Blocks that a user has made bad. */
typedef struct FemuBadBlocks {
    uint32_t count;
    struct {
        uint64_t slba;
        uint64_t nlb;
    } range[FEMU_BAD_RANGES];
} FemuBadBlocks;

/*
 * How far the format of a namespace has come: it waits for room in the core,
 * for the reset of all zones, then for commands that were inside before it.
 */
typedef enum FemuFormatStep {
    FEMU_FORMAT_IDLE,
    FEMU_FORMAT_WAITING,
    FEMU_FORMAT_RESETTING,
    FEMU_FORMAT_RESET,
} FemuFormatStep;

/*
 * How far a shutdown has come: it waits for room in the core, or until the core
 * has what a host may expect to be kept. CSTS.SHST tells the host.
 */
typedef enum FemuShutdownStep {
    FEMU_SHUTDOWN_IDLE,
    FEMU_SHUTDOWN_WAITING,
    FEMU_SHUTDOWN_INSIDE,
    FEMU_SHUTDOWN_DONE,
} FemuShutdownStep;

/* The Format NVM command under way, if namespaces are left. */
typedef struct FemuFormat {
    uint32_t namespaces_left;
    bool reply;                 /* post a completion: no reset came since */
    uint16_t cid;
} FemuFormat;

/*
 * A namespace. Its zones are counted from 0, as in the core; a conventional one
 * (csi is NVME_CSI_NVM) has none.
 */
typedef struct FemuNs {
    uint32_t nsid;
    uint8_t csi;                /* its I/O command set */
    bool attached;              /* to this controller, the only one */
    bool changed;               /* since the host read that log */
    bool notice_changed;        /* an event that tells of it is due */
    uint32_t zones;
    uint64_t zone_size_bytes;
    uint64_t zone_capacity_bytes;
    uint64_t size_bytes;        /* of all zones, if there are any */
    uint64_t capacity_bytes;
    uint32_t lba_bytes;
    FemuStore store;
    uint8_t *zone_ext;          /* kept: zones x params.zone_ext_bytes */
    unsigned long *changed_zones;   /* bitmap: since the host read that log */
    bool notice_zones;          /* an event that tells of them is due */
    FemuBadBlocks bad_reads;
    FemuBadBlocks bad_writes;
    FemuFormatStep format_step;
    FemuSmart *smart;           /* in FemuKept */
    uint32_t error_recovery;    /* feature 05h, until a controller reset */
    uint8_t identity[FEMU_IDENTITY_BYTES];  /* EUI64, NGUID, UUID: of it */
} FemuNs;

/*
 * While an entry runs it holds QEMU's big lock, so that the guest's other
 * processors and the monitor wait. Its work is counted in bytes of commands'
 * data, and in what takes about as long: when it has done this much, it fetches
 * no further command, and goes on in another entry. The last command may exceed
 * it by what a single one can do. Under icount nobody waits in the drive's
 * time: there the bound only ends what would never end.
 */
#define FEMU_ENTRY_WORK_BYTES (4 * MiB)
#define FEMU_ICOUNT_WORK_BYTES (1 * GiB)
#define FEMU_COMMAND_WORK_BYTES 4096    /* to fetch, check and complete one */
#define FEMU_ZONE_WORK_BYTES 1024       /* to change a zone's state */
#define FEMU_GRANULE_WORK_BYTES 16      /* to look at it, and drop it */
#define FEMU_STATS_WORK_BYTES (256 * KiB) /* to make the statistics' text */

/* Calls into the device that have not returned: see femu_entry.c. */
typedef struct FemuEntry {
    uint32_t depth;             /* how many: one may lead to another */
    bool has_inner;             /* one has */
    bool reset_noted;
    bool by_poller;             /* who looks at shadow doorbells behind it */
    bool alone;                 /* without QEMU's big lock: femu_lock.c */
    uint64_t work_bytes;        /* done so far; see FEMU_ENTRY_WORK_BYTES */
} FemuEntry;

/*
 * Sums over rounds, each of one command that is alone inside: from its doorbell
 * to the thread's having the lock, to the end of the entry that has posted its
 * completion, to the host's having taken that, to the next doorbell.
 */
typedef struct FemuRounds {
    uint64_t count;
    int64_t lock_ns;
    int64_t drive_ns;
    int64_t take_ns;
    int64_t ring_ns;
} FemuRounds;

/* An interrupt that KVM sends when the event is signalled. */
typedef struct FemuIrqFd {
    bool used;
    EventNotifier event;
    int route;                  /* KVM's number of the vector's message */
} FemuIrqFd;

/* What a thread has done since the statistics' reset. */
typedef struct FemuThreadCounts {
    uint64_t entries;           /* with something to do */
    uint64_t bql;               /* how often it has taken QEMU's big lock */
} FemuThreadCounts;

/*
 * All that the device is. Below a line that names a room stands what that room,
 * and those above it, change; anyone may read it.
 */
struct FemuZns {
    PCIDevice parent_obj;

    /* state: what decides what the controller may do now. */
    bool plugged;               /* realized, and not unplugged since */
    QemuRecMutex *lock;         /* NULL: no thread, QEMU's big lock is enough */
    bool ram_only;              /* nothing else is reached: see femu_dma.c */
    FemuEntry entry;
    uint32_t csts;

    /* record: traces, and what lasts. */
    SsdTrace *trace;
    uint32_t trace_unflushed;
    SsdTrace *history;          /* NULL: no state, or it cannot be written */
    bool history_unflushed;
    bool history_lost;          /* it could not be written: nothing is told */
    SsdJournal *journal;        /* of all bytes; NULL: there is none */
    FemuKept *journal_kept;     /* as the journal has it, but for extensions */
    int trace_lock_fd;          /* locks the trace's file; -1: none */
    int journal_lock_fd;        /* likewise */
    Notifier exit_notifier;
    int lock_fd;                /* locks the state's folder; -1: none */
    FemuKept *kept;
    SsdSums *sums;              /* NULL: no state */

    /* host: the data of the command that is being executed; doorbells. */
    FemuSeg *seg;
    uint32_t seg_count;
    uint32_t seg_max;
    uint8_t *bounce;            /* max(mdts, 4 KiB) bytes */
    FemuDbbuf dbbuf;

    /* kvm: vectors that it sends. */
    FemuIrqFd irqfd[FEMU_MAX_QUEUES];       /* by vector */
    bool has_irqfds;            /* MSI-X tells us of vectors */

    /* irq: what is held, and INTMS. */
    FemuHeldIrq held_irq[FEMU_MAX_QUEUES];  /* by vector */
    uint32_t intms;

    /* completion: queues, index 0 is the admin queue; NULL if there is none. */
    FemuCq *cq[FEMU_MAX_QUEUES];
    FemuCq cq_memory[FEMU_MAX_QUEUES];
    bool had_io_queues;         /* since the last reset */
    uint64_t error_lba;         /* if the command that is executed fails: */
                                /* where; 0 if it names no block */

    /* ns: identifiers 1 to ns_count, see femu_ns(). */
    FemuNs *ns;
    uint32_t ns_count;
    FemuMemory memory;

    /* event: requests that wait for one, events that wait for a request. */
    uint16_t aer_cid[FEMU_MAX_AERS];
    uint32_t aer_count;
    FemuEvent event[FEMU_EVENT_TYPES];
    bool temperature_warned;

    /* request: commands inside the core, params.cmd_slots of them. */
    Ssd *ssd;
    FemuReq *req;
    uint32_t *free_req;
    uint32_t free_req_count;
    QSIMPLEQ_HEAD(, FemuFlush) flushes;
    uint32_t stats_resets;
    FemuShutdownStep shutdown;
    uint64_t accepted_count;    /* commands of queues that the core took */
    uint64_t programs_before;   /* programs that had ended at realize */
    bool cut_noted;             /* the power is cut at this instant */
    uint64_t cut_at_ns;         /* a property; 0: no cut, or it is over */
    uint64_t cut_at_command;    /* likewise */
    uint64_t cut_at_program;    /* likewise */
    bool program_cut_over;      /* cut_at_program has cut it */
    uint64_t cut_seed;          /* a property */

    /* request: time of the present entry from outside, see femu_clock.c. */
    int64_t clock_ns;           /* QEMU_CLOCK_VIRTUAL */
    uint64_t now_ns;            /* core time: base_ns + clock_ns / dilation */
    uint64_t base_ns;           /* modulo 2^64; 0 unless a state goes on */
    SsdHistogram lateness_ns;   /* of completions: posted minus due */
    GArray *untold_due_ns;      /* int64_t; with a thread: posted by this ... */
                                /* ... entry, and the host has not been told */
    FemuRounds rounds;          /* of a thread: controller/femu_rounds.c */
    FemuThreadCounts thread_counts;

    /* queue: submission queues, as the completion queues. */
    FemuSq *sq[FEMU_MAX_QUEUES];
    FemuSq sq_memory[FEMU_MAX_QUEUES];

    /* admin: what its commands leave behind. */
    FemuFeatures features;
    FemuFormat format;
    char *stats_snapshot;       /* vendor log, taken when offset 0 is read */
    size_t stats_snapshot_bytes;

    /* fetch: where the next fetch goes on. */
    uint32_t last_sq_idx;       /* the queue served last, in round robin */
    bool fetch_unfinished;      /* see femu_queues_fetch() */

    /* controller: what it was enabled with, and its one timer. */
    uint32_t cc;
    uint32_t aqa;
    uint64_t asq;
    uint64_t acq;
    uint32_t page_bytes;        /* CC.MPS while enabled */
    QEMUTimer *timer;
    struct FemuThread *thread;  /* of `iothread` */
    bool enable_waits;          /* CC.EN is 1, and the power is coming back */

    /* migration: why the drive cannot move; NULL if it can. */
    Error *migration_blocker;

    /* pci: properties, names made of them, and BAR 0. */
    SsdParams params;           /* resolved after realize */
    char *serial;
    char *trace_path;
    char *state_path;
    bool state_sync;
    char *journal_path;
    HostMemoryBackend *memdev;
    IOThread *iothread;
    uint32_t dilation;
    uint32_t max_queue_pairs;
    bool dbbuf_offered;
    uint8_t identity[FEMU_IDENTITY_BYTES];  /* hash of the serial */
    MemoryRegion bar0;
    MemoryRegion mmio;
    uint64_t cap;
};

/* femu_lock.c: all that the drive is is owned by who has this. */
void femu_lock(FemuZns *n);
void femu_unlock(FemuZns *n);

/* femu_state.c: what the controller may do now. */
bool femu_powered(const FemuZns *n);
bool femu_entry_open(const FemuZns *n);
bool femu_can_master(const FemuZns *n);
bool femu_ctrl_running(const FemuZns *n);
bool femu_can_serve(const FemuZns *n);
bool femu_can_fetch(const FemuZns *n);

/* CDW10 and 11 of most I/O commands: the first of their blocks. */
uint64_t femu_cmd_slba(const NvmeCmd *cmd);

void femu_ctrl_fatal(FemuZns *n, const char *why);

#endif
