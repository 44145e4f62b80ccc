/*
 * Private header of the femu-zns device: its state, and what each file of
 * this folder offers to the others.
 *
 * Knows nothing of how the drive behind ssd.h stores or times anything.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FEMU_NVME_FEMU_H
#define FEMU_NVME_FEMU_H

#include "block/nvme.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#include "qemu/notify.h"
#include "qemu/queue.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "system/hostmem.h"
#include "../ssd.h"
#include "../ssd_histogram.h"
#include "../ssd_trace.h"

#define TYPE_FEMU_ZNS "femu-zns"
OBJECT_DECLARE_SIMPLE_TYPE(FemuZns, FEMU_ZNS)

#define FEMU_MAX_QUEUE_PAIRS 64
#define FEMU_MAX_QUEUES (FEMU_MAX_QUEUE_PAIRS + 1) /* the admin pair too */
#define FEMU_MAX_QUEUE_ENTRIES 2048
#define FEMU_MAX_AERS 4
#define FEMU_ERROR_LOG_ENTRIES 64
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
 * An interrupt that waits for more entries: for how many the host does not
 * know of, and until when (of clock_ns) at most.
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
 * discarded the completion, and for the reset of a namespace that is being
 * formatted, `format_ns`. `status` and `result`, unless 0, override the core's.
 */
typedef struct FemuReq {
    FemuSq *sq;
    struct FemuNs *format_ns;
    bool busy;
    uint16_t cid;
    uint16_t status;
    uint64_t result;
    uint64_t trace_seq;
} FemuReq;

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
    uint64_t flat_bytes;        /* 0: there are zones */
    unsigned long *flat_written;    /* bitmap by granule */
} FemuStore;

/* Values of Set Features that a controller reset returns to their defaults. */
typedef struct FemuFeatures {
    uint32_t arbitration;
    uint32_t temperature_kelvin[2]; /* thresholds, by NVME_TEMP_THSEL() */
    uint32_t irq_coalescing;
    uint32_t write_atomicity;
    uint32_t async_events;
    uint32_t stats_resets;
    uint64_t timestamp_ms;
    int64_t timestamp_set_at_ns;
    bool timestamp_set;         /* by the host, not by a reset */
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

/* Counters behind the SMART log of a namespace; never reset. */
typedef struct FemuSmart {
    uint64_t read_commands;
    uint64_t write_commands;
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t media_errors;
} FemuSmart;

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

/* The Format NVM command under way, if namespaces are left. */
typedef struct FemuFormat {
    uint32_t namespaces_left;
    bool reply;                 /* until a controller reset */
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
    bool changed;               /* since the log was read */
    bool notice_changed;        /* an event for it is due */
    uint32_t zones;
    uint64_t zone_size_bytes;
    uint64_t zone_capacity_bytes;
    uint64_t size_bytes;        /* of all zones, if there are any */
    uint64_t capacity_bytes;
    uint32_t lba_bytes;
    FemuStore store;
    uint8_t *zone_ext;          /* zones x params.zone_ext_bytes */
    unsigned long *zone_ext_valid;  /* bitmap by zone */
    unsigned long *changed_zones;   /* bitmap: since their log was read */
    bool notice_zones;          /* an event for them is due */
    FemuBadBlocks bad_reads;
    FemuBadBlocks bad_writes;
    FemuFormatStep format_step;
    FemuSmart smart;
    uint32_t error_recovery;    /* feature 05h; a controller reset clears it */
    uint8_t identity[FEMU_IDENTITY_BYTES];  /* all its unique names */
} FemuNs;


/* Who is inside the device, and what waits for the end: see femu_entry.c. */
typedef struct FemuEntry {
    uint32_t depth;             /* entries that have not ended */
    bool io_was_engaged;        /* QEMU's guard, as the first one found it */
    bool reset_noted;
} FemuEntry;

struct FemuZns {
    PCIDevice parent_obj;
    bool plugged;               /* realized, and not unplugged since */
    FemuEntry entry;

    /* Properties. */
    SsdParams params;           /* resolved after realize */
    char *serial;
    char *trace_path;
    HostMemoryBackend *memdev;
    uint32_t dilation;
    uint32_t max_queue_pairs;
    bool dbbuf_offered;

    /* Registers. */
    MemoryRegion bar0;
    MemoryRegion mmio;
    uint64_t cap;
    uint32_t cc;
    uint32_t csts;
    uint32_t intms;
    uint32_t aqa;
    uint64_t asq;
    uint64_t acq;
    uint32_t page_bytes;        /* CC.MPS while enabled */

    /* Time of the present entry from outside: read once, see femu_time.c. */
    QEMUTimer *timer;
    int64_t clock_ns;           /* QEMU_CLOCK_VIRTUAL */
    uint64_t now_ns;            /* core time: clock_ns / dilation */
    SsdHistogram lateness_ns;   /* posted minus due, of clock_ns */

    /*
     * Queues; index 0 is the admin pair, which has no property of its own. A
     * queue that exists is in its place of the memory, one that does not is
     * NULL.
     */
    FemuSq *sq[FEMU_MAX_QUEUES];
    FemuCq *cq[FEMU_MAX_QUEUES];
    FemuSq sq_memory[FEMU_MAX_QUEUES];
    FemuCq cq_memory[FEMU_MAX_QUEUES];
    FemuDbbuf dbbuf;
    bool fetch_unfinished;      /* see femu_queues_fetch() */
    FemuHeldIrq held_irq[FEMU_MAX_QUEUES];  /* by vector */
    uint32_t last_sq_idx;       /* round robin: the queue served last */
    uint16_t aer_cid[FEMU_MAX_AERS];
    uint32_t aer_count;
    FemuEvent event[FEMU_EVENT_TYPES];
    bool temperature_warned;

    /* Commands inside the core: params.cmd_slots requests. */
    Ssd *ssd;
    FemuReq *req;
    uint32_t *free_req;
    uint32_t free_req_count;

    /* Namespaces: identifiers 1 to ns_count, see femu_ns(). */
    FemuNs *ns;
    uint32_t ns_count;
    FemuMemory memory;
    FemuFormat format;

    /* Data path of the command that is being executed. */
    FemuSeg *seg;
    uint32_t seg_count;
    uint32_t seg_max;
    uint8_t *bounce;            /* max(mdts, 4 KiB) bytes */

    FemuFeatures features;
    NvmeErrorLog error_log[FEMU_ERROR_LOG_ENTRIES]; /* ring by error count */
    uint64_t error_count;
    char *stats_snapshot;       /* vendor log, taken when offset 0 is read */
    size_t stats_snapshot_bytes;
    uint8_t identity[FEMU_IDENTITY_BYTES];  /* hash of the serial */

    SsdTrace *trace;
    uint32_t trace_unflushed;
    Notifier exit_notifier;
};

/* femu_prop.c: a parameter that is one of several words. */
extern const PropertyInfo femu_prop_word;

/* femu_pci.c: what configuration space allows. */
bool femu_powered(const FemuZns *n);
bool femu_can_master(const FemuZns *n);

/* femu_entry.c: the one way into the device. */
bool femu_entry_open(const FemuZns *n);
void femu_entry_begin(FemuZns *n);
void femu_entry_reset(FemuZns *n);
void femu_entry_end(FemuZns *n);

/* femu_regs.c: BAR 0 and the controller's life. */
void femu_regs_init(FemuZns *n);
void femu_ctrl_reset(FemuZns *n);
void femu_ctrl_hard_reset(FemuZns *n);
void femu_ctrl_fatal(FemuZns *n, const char *why);
bool femu_ctrl_running(const FemuZns *n);

/* femu_queue.c: submission and completion queues. */
void femu_cq_create(FemuZns *n, uint16_t id, uint64_t base, uint32_t size,
                    uint16_t vector, bool irq_enabled);
void femu_sq_create(FemuZns *n, uint16_t id, uint64_t base, uint32_t size,
                    uint16_t cq_id);
void femu_sq_delete(FemuZns *n, uint16_t id);
void femu_cq_delete(FemuZns *n, uint16_t id);
void femu_queues_delete(FemuZns *n);
void femu_sq_doorbell(FemuZns *n, uint32_t id, uint32_t tail);
void femu_cq_doorbell(FemuZns *n, uint32_t id, uint32_t head);
uint16_t femu_status_retry(uint16_t status);
void femu_cq_post(FemuZns *n, FemuSq *sq, uint16_t cid, uint16_t status,
                  uint64_t result);
void femu_queues_fetch(FemuZns *n);
void femu_queues_unpark(FemuZns *n);

/* femu_dbbuf.c: shadow doorbells; `doorbell` counts as in the registers. */
uint16_t femu_dbbuf_config(FemuZns *n, const NvmeCmd *cmd);
void femu_dbbuf_init(FemuZns *n, unsigned doorbell, uint32_t known);
uint32_t femu_dbbuf_rung(FemuZns *n, unsigned doorbell, uint32_t known,
                         uint32_t value);
uint32_t femu_dbbuf_sync(FemuZns *n, unsigned doorbell, uint32_t known);
void femu_dbbuf_ctrl_reset(FemuZns *n);

/* femu_irq.c: MSI-X, MSI and the pin. */
bool femu_irq_vector_valid(FemuZns *n, uint16_t vector);
void femu_irq_posted(FemuZns *n, const FemuCq *cq);
void femu_irq_forget(FemuZns *n, uint16_t vector);
void femu_irq_acknowledged(FemuZns *n, FemuCq *cq, uint32_t head);
void femu_irq_run(FemuZns *n, bool all);
int64_t femu_irq_next_at_ns(const FemuZns *n);
void femu_irq_ctrl_reset(FemuZns *n);
void femu_irq_update_pin(FemuZns *n);
void femu_irq_mask(FemuZns *n, uint32_t vectors);
void femu_irq_unmask(FemuZns *n, uint32_t vectors);

/*
 * Commands. Return: status without DNR, or NVME_NO_COMPLETE when the
 * completion comes later.
 */
uint16_t femu_admin_execute(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd,
                            uint64_t *result);
bool femu_admin_needs_slot(const FemuZns *n, const NvmeCmd *cmd);
uint16_t femu_identify(FemuZns *n, const NvmeCmd *cmd);
uint16_t femu_identify_ns(FemuZns *n, const NvmeIdentify *cmd, void *buf);
uint16_t femu_get_log(FemuZns *n, const NvmeCmd *cmd);
uint16_t femu_get_features(FemuZns *n, const NvmeCmd *cmd, uint64_t *result);
uint16_t femu_set_features(FemuZns *n, const NvmeCmd *cmd, uint64_t *result);
uint16_t femu_format(FemuZns *n, const NvmeCmd *cmd);
uint16_t femu_io_execute(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd);
uint16_t femu_io_copy(FemuZns *n, FemuNs *ns, FemuSq *sq, const NvmeCmd *cmd);
uint16_t femu_io_dataset(FemuZns *n, FemuNs *ns, FemuSq *sq,
                         const NvmeCmd *cmd);
uint16_t femu_zone_send(FemuZns *n, FemuNs *ns, FemuSq *sq,
                        const NvmeCmd *cmd);
uint16_t femu_zone_receive(FemuZns *n, FemuNs *ns, FemuSq *sq,
                           const NvmeCmd *cmd);

/* femu_io_copy.c: limits of Copy. */
uint32_t femu_copy_range_max_nlb(const FemuZns *n, const FemuNs *ns);
uint32_t femu_copy_max_nlb(const FemuZns *n, const FemuNs *ns);

/* femu_zone_report.c: does a zone in this state have a write pointer? */
bool femu_zone_has_wp(SsdZoneState state);

/* femu_zone_send.c: what a zone has beside its state. */
const void *femu_zone_ext(const FemuZns *n, const FemuNs *ns,
                          uint32_t zone_idx);
void femu_zone_forget(FemuNs *ns, uint32_t zone_idx);

/* femu_zone_state.c: zones for a user to see and to break. */
void femu_zone_state_class_init(ObjectClass *oc);

/* femu_aer.c: asynchronous events. */
void femu_aer_event(FemuZns *n, uint8_t type, uint8_t info, uint8_t log_page,
                    uint32_t parameter);
bool femu_aer_abort(FemuZns *n, uint16_t cid);
uint16_t femu_aer_request(FemuZns *n, const NvmeCmd *cmd);
void femu_aer_log_read(FemuZns *n, uint8_t log_page, uint32_t nsid);
void femu_aer_check_temperature(FemuZns *n);
void femu_aer_reset(FemuZns *n);

/* femu_format.c: LBA formats, and Format NVM while it lasts. */
uint32_t femu_format_lba_bytes(unsigned format);
unsigned femu_format_current(const FemuNs *ns);
bool femu_format_busy(const FemuZns *n, const FemuNs *ns);
void femu_format_run(FemuZns *n);
void femu_format_reset_done(FemuNs *ns);
void femu_format_ctrl_reset(FemuZns *n);

/* femu_notice.c: events about namespaces, one at a time. */
void femu_notice_ns_changed(FemuZns *n, FemuNs *ns);
void femu_notice_zone_changed(FemuZns *n, FemuNs *ns);
void femu_notice_log_read(FemuZns *n, uint8_t log_page, uint32_t nsid);
void femu_notice_reset(FemuZns *n);

/* femu_zone_change.c: zones that change of themselves. */
void femu_zone_changed(FemuZns *n, FemuNs *ns, uint32_t zone_idx);
void femu_zone_change_poll(FemuZns *n);
void femu_zone_change_log(const FemuNs *ns, uint8_t *buf);
void femu_zone_change_clear(FemuNs *ns);

/* femu_ns.c: namespaces. */
uint64_t femu_data_bytes(const SsdParams *params);
void femu_ns_init(FemuZns *n);
void femu_ns_exit(FemuZns *n);
FemuNs *femu_ns(const FemuZns *n, uint32_t nsid);
FemuNs *femu_ns_from_text(const FemuZns *n, const char *name,
                          const char *value, const char **rest, Error **errp);
bool femu_ns_set_enabled(const FemuZns *n, const FemuNs *ns);
bool femu_ns_active(const FemuZns *n, const FemuNs *ns);
uint16_t femu_ns_find_active(const FemuZns *n, uint32_t nsid, FemuNs **ns);
uint64_t femu_ns_zone_nlb(const FemuNs *ns);
uint64_t femu_ns_size_lba(const FemuNs *ns);
uint64_t femu_ns_capacity_nlb(const FemuNs *ns);
bool femu_ns_zoned(const FemuNs *ns);
void femu_ns_forget(FemuNs *ns);
SsdZone femu_ns_zone(const FemuZns *n, const FemuNs *ns, uint32_t zone_idx);

/* femu_ns_attach.c: which namespaces the controller has. */
uint16_t femu_ns_attachment(FemuZns *n, const NvmeCmd *cmd);
void femu_ns_changed(FemuZns *n, FemuNs *ns);
void femu_ns_change_log(const FemuZns *n, uint8_t *buf);
void femu_ns_change_clear(FemuZns *n);

/* femu_serial.c: the serial number, which no other drive has. */
bool femu_serial_init(FemuZns *n, Error **errp);

/* femu_identity.c: unique names, made from a hash of one. */
void femu_identity_hash(const char *name, uint8_t hash[FEMU_IDENTITY_BYTES]);
void femu_identity_eui64(const uint8_t *identity, uint8_t eui[8]);
void femu_identity_nguid(const uint8_t *identity, uint8_t nguid[16]);
void femu_identity_uuid(const uint8_t *identity, uint8_t uuid[16]);
void femu_identity_nqn(const uint8_t *identity, char *nqn, size_t nqn_bytes);
void femu_identity_ieee(uint8_t ieee[3]);

/* femu_feature.c, femu_feature_data.c, femu_log.c */
bool femu_feature_supported(uint8_t fid);
uint32_t femu_feature_effects(uint8_t fid);
void femu_features_reset(FemuZns *n);
bool femu_feature_has_data(uint8_t fid);
uint16_t femu_feature_data_get(FemuZns *n, const NvmeCmd *cmd, uint8_t fid,
                               const FemuFeatures *values);
uint16_t femu_feature_data_set(FemuZns *n, const NvmeCmd *cmd, uint8_t fid);
void femu_log_error(FemuZns *n, const FemuSq *sq, const NvmeCmd *cmd,
                    uint16_t status);
void femu_log_doorbell_error(FemuZns *n, uint16_t status);
bool femu_temperature_warning(const FemuZns *n);

/* femu_req.c: commands inside the core. */
void femu_req_init(FemuZns *n);
void femu_req_exit(FemuZns *n);
uint16_t femu_req_submit(FemuZns *n, FemuSq *sq, uint16_t cid,
                         const SsdCmd *cmd, uint64_t *lba, FemuReq **req);
uint16_t femu_req_answered(FemuZns *n, FemuSq *sq, const NvmeCmd *cmd,
                           const SsdCmd *asked, uint64_t result);
bool femu_req_submit_format(FemuZns *n, FemuNs *ns, const SsdCmd *cmd);
void femu_req_discard(FemuZns *n, const FemuSq *sq);
void femu_req_deliver_due(FemuZns *n);

/*
 * femu_dma.c, femu_sgl.c: host memory. Copies in both directions use the last
 * mapping.
 */
uint16_t femu_dma_map(FemuZns *n, const NvmeCmd *cmd, uint64_t bytes,
                      DMADirection direction);
bool femu_dma_map_add(FemuZns *n, uint64_t addr, uint64_t bytes);
uint16_t femu_sgl_map(FemuZns *n, const NvmeSglDescriptor *first,
                      uint64_t bytes);
uint16_t femu_dma_from_host(FemuZns *n, void *buf);
uint16_t femu_dma_to_host(FemuZns *n, const void *buf);
uint16_t femu_dma_reply(FemuZns *n, const NvmeCmd *cmd, const void *buf,
                        uint64_t bytes);
bool femu_dma_valid(FemuZns *n, uint64_t addr, uint64_t bytes,
                    DMADirection direction);
bool femu_dma_read(FemuZns *n, uint64_t addr, void *buf, uint64_t bytes);
bool femu_dma_write(FemuZns *n, uint64_t addr, const void *buf,
                    uint64_t bytes);

/* femu_memory.c: the memory that data lies in. */
bool femu_memory_init(FemuMemory *memory, uint64_t bytes,
                      HostMemoryBackend *memdev, Error **errp);
void femu_memory_exit(FemuMemory *memory);
void femu_memory_discard(FemuMemory *memory, uint64_t start_bytes,
                         uint64_t bytes);

/* femu_store.c: the data of a namespace. */
void femu_store_init(FemuStore *store, FemuMemory *memory,
                     uint64_t start_bytes, uint32_t zones,
                     uint64_t zone_size_bytes, uint64_t zone_capacity_bytes);
void femu_store_init_flat(FemuStore *store, FemuMemory *memory,
                          uint64_t start_bytes, uint64_t bytes);
void femu_store_exit(FemuStore *store);
void femu_store_write(FemuStore *store, uint64_t offset_bytes,
                      const void *buf, uint64_t bytes);
void femu_store_write_zeroes(FemuStore *store, uint64_t offset_bytes,
                             uint64_t bytes);
const void *femu_store_read(const FemuStore *store, uint64_t offset_bytes,
                            uint64_t bytes, void *bounce);
void femu_store_reset(FemuStore *store, uint32_t zone_idx);
void femu_store_deallocate(FemuStore *store, uint64_t offset_bytes,
                           uint64_t bytes);

/* femu_time.c: the clock and the one timer. */
void femu_time_init(FemuZns *n);
void femu_time_exit(FemuZns *n);
void femu_time_enter(FemuZns *n);
void femu_time_run(FemuZns *n);
const char *femu_time_clock_name(void);

/* femu_inject.c: media errors that a user asks for. */
uint16_t femu_inject_read(FemuNs *ns, uint64_t slba, uint64_t nlb);
uint16_t femu_inject_write(FemuZns *n, FemuNs *ns, const SsdCmd *cmd);
void femu_inject_clear(FemuNs *ns);
void femu_inject_class_init(ObjectClass *oc);

/* femu_stats.c: statistics for log page, feature and QOM. */
char *femu_stats_json(FemuZns *n);
void femu_stats_reset(FemuZns *n);
void femu_stats_class_init(ObjectClass *oc);

/* femu_trace_file.c: the recording that femu-sim replays. */
bool femu_trace_open(FemuZns *n, Error **errp);
void femu_trace_close(FemuZns *n);
uint64_t femu_trace_submit(FemuZns *n, const SsdCmd *cmd, SsdStatus status);
void femu_trace_done(FemuZns *n, uint64_t seq, const SsdDone *done);
void femu_trace_zone_fail(FemuZns *n, uint32_t nsid, uint32_t zone_idx,
                          SsdZoneState state);
void femu_trace_format(FemuZns *n, uint32_t nsid, uint32_t lba_bytes);
void femu_trace_discard(FemuZns *n, uint64_t seq);

#endif
