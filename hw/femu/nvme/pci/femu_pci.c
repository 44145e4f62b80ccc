/*
 * The femu-zns PCI device: type, properties, realize, PCI capabilities.
 *
 * Knows nothing of commands, zones or time.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "hw/qdev-properties.h"
#include "pci_internal.h"
#include "../controller/controller.h"
#include "../irq/irq.h"
#include "../kvm/kvm.h"
#include "../migration/migration.h"
#include "../ns/ns.h"
#include "../qemu/versions.h"
#include "../queue/queue.h"
#include "../record/record.h"
#include "../request/request.h"
#include "../user/user.h"

/* Vendor 1b36 is QEMU's; this identifier is not registered with it. */
#define FEMU_PCI_DEVICE_ID 0x00f0
#define PCI_PROG_IF_NVME 0x02

/* BAR 0: registers and doorbells, MSI-X table, MSI-X pending bits. */
#define BAR_BYTES (16 * KiB)
#define BAR_MSIX_TABLE 0x2000
#define BAR_MSIX_PBA 0x3000

#define MSI_VECTORS 32
#define DILATION_MAX 1000000

/* Check the drive's parameters and replace "0 means ..." by what it means. */
static bool config_params(FemuZns *n, Error **errp)
{
    g_autoptr(GError) error = NULL;
    bool good = ssd_params_check(&n->params, &error);

    if (good) {
        ssd_params_resolve(&n->params);
    } else {
        error_setg(errp, "%s", error->message);
    }
    return good;
}

/* A thread of the host's enters the drive at instants of the host's. */
static bool config_thread(FemuZns *n, Error **errp)
{
    g_autofree char *id = n->iothread ? iothread_get_id(n->iothread) : NULL;

    if (id && icount_enabled()) {
        error_setg(errp, "iothread=%s: with -icount, time is the guest's, in "
                   "which a thread of the host has no place; leave it out, or "
                   "run without -icount", id);
        return false;
    }
    return true;
}

static bool config_device(FemuZns *n, Error **errp)
{
    if (n->dilation < 1 || n->dilation > DILATION_MAX) {
        error_setg(errp, "time-dilation=%" PRIu32 " is out of range; it must "
                   "be 1 to %d", n->dilation, DILATION_MAX);
        return false;
    }
    if (n->max_queue_pairs < 1 ||
        n->max_queue_pairs > FEMU_MAX_QUEUE_PAIRS) {
        error_setg(errp, "max-queue-pairs=%" PRIu32 " is out of range; it "
                   "must be 1 to %d", n->max_queue_pairs,
                   FEMU_MAX_QUEUE_PAIRS);
        return false;
    }
    return true;
}

/*
 * The bounce buffer, and the list of segments of host memory, for the data of
 * one command. By PRPs, data lie in at most one page more than they fill. By an
 * SGL, segments may be smaller, but on average not below the size of an SGL
 * descriptor: a list with more segments is refused. (Most of the list is never
 * touched, and then takes no memory.)
 */
static void buffers_init(FemuZns *n)
{
    n->bounce = g_malloc(MAX(n->params.mdts_bytes, NVME_IDENTIFY_DATA_SIZE));
    n->seg_max = n->params.mdts_bytes / sizeof(NvmeSglDescriptor) + 1;
    n->seg = g_new(FemuSeg, n->seg_max);
}

/*
 * PCI capabilities. Nothing else uses the 192 bytes of configuration space and
 * the places in BAR 0 where they go, so adding one cannot fail: hence
 * error_abort.
 */

/* MSI and MSI-X; on a machine that does not support them, only the pin. */
static void irq_caps_init(FemuZns *n)
{
    PCIDevice *pci = PCI_DEVICE(n);
    unsigned vectors = n->max_queue_pairs + 1;

    if (!msi_nonbroken) {
        return;
    }
    msi_init(pci, 0, MSI_VECTORS, true, false, &error_abort);
    msix_init(pci, vectors, &n->bar0, 0, BAR_MSIX_TABLE, &n->bar0, 0,
              BAR_MSIX_PBA, 0, &error_abort);
    for (unsigned i = 0; i < vectors; i++) {
        msix_vector_use(pci, i);
    }
    femu_irqfd_init(n);
}

/*
 * Power states D0 and D3hot (NVMe over PCIe transport 1.2, 3.8.2.3). A
 * controller has No_Soft_Reset: the transition from D3hot to D0 resets nothing.
 * QEMU does the transitions, and refuses accesses to BAR 0 in D3hot.
 */
static void pm_cap_init(FemuZns *n)
{
    PCIDevice *pci = PCI_DEVICE(n);
    int cap = pci_pm_init(pci, 0, &error_abort);

    pci_set_word(pci->config + cap + PCI_PM_PMC, PCI_PM_CAP_VER_1_2);
    pci_set_word(pci->config + cap + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
    pci_set_word(pci->wmask + cap + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);
}

static void express_cap_init(FemuZns *n)
{
    PCIDevice *pci = PCI_DEVICE(n);
    int cap = pcie_endpoint_cap_init(pci, 0);

    assert(cap > 0);
    pcie_cap_fill_link_ep_usp(pci, QEMU_PCI_EXP_LNK_X4,
                              QEMU_PCI_EXP_LNK_8GT);
    pcie_cap_flr_init(pci);
}

static void pci_part_init(FemuZns *n)
{
    PCIDevice *pci = PCI_DEVICE(n);

    pci_config_set_interrupt_pin(pci->config, 1);
    pci_config_set_prog_interface(pci->config, PCI_PROG_IF_NVME);
    memory_region_init(&n->bar0, OBJECT(n), "femu-zns-bar0", BAR_BYTES);
    memory_region_add_subregion(&n->bar0, 0, &n->mmio);
    pm_cap_init(n);
    irq_caps_init(n);
    express_cap_init(n);
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY |
                             PCI_BASE_ADDRESS_MEM_TYPE_64, &n->bar0);
}

static bool memory_init(FemuZns *n, Error **errp)
{
    uint64_t bytes = ssd_data_bytes(&n->params);
    int fd;

    if (!femu_state_data(n, bytes, &fd, errp) ||
        !femu_memory_init(&n->memory, bytes, fd, n->memdev, &n->journal,
                          errp)) {
        return false;
    }
    n->memory.sums = n->sums ? n->sums->pages : NULL;
    return femu_state_sums(n, &n->memory.sums_fd, errp);
}

/* On failure, femu_finalize() frees what has been made before. */
static void femu_realize(PCIDevice *pci, Error **errp)
{
    FemuZns *n = FEMU_ZNS(pci);
    ERRP_GUARD();

    if (!config_params(n, errp) || !femu_serial_init(n, errp) ||
        !config_device(n, errp) || !config_thread(n, errp)) {
        return;
    }
    femu_identity_hash(n->serial, n->identity);
    femu_regs_init(n);
    buffers_init(n);
    if (!femu_kept_init(n, errp) || !memory_init(n, errp)) {
        return;
    }
    n->ssd = ssd_new(&n->params);
    femu_ns_init(n);
    femu_req_init(n);
    if (!femu_time_init(n, errp) || !femu_migration_init(n, errp) ||
        !femu_trace_open(n, errp) || !femu_journal_open(n, errp) ||
        !femu_restore(n, errp)) {
        return;
    }
    assert(!*errp); /* a step that goes on has had nothing to say */
    pci_part_init(n);
    n->plugged = true;
}

/*
 * The drive is unplugged. What belongs to PCI is undone now, as QEMU does with
 * its own part (capabilities go with configuration space); all else, which a running entry may be using, is freed in
 * femu_finalize(). If the timer expires before that, it finds `plugged` false,
 * and nothing is done.
 */
static void femu_exit(PCIDevice *pci)
{
    FemuZns *n = FEMU_ZNS(pci);

    femu_lock(n); /* an entry of the thread's ends first */
    n->plugged = false;
    femu_thread_unplug(n);
    femu_unlock(n);
    femu_irqfd_exit(n);
    msix_uninit(pci, &n->bar0, &n->bar0);
    memory_region_del_subregion(&n->bar0, &n->mmio);
}

/* -1: no lock. femu_finalize() looks at it even if realize was not called. */
static void femu_instance_init(Object *obj)
{
    FemuZns *n = FEMU_ZNS(obj);

    n->lock_fd = -1;
    n->trace_lock_fd = -1;
    n->journal_lock_fd = -1;
}

/*
 * Free all that realize has made but for the PCI part. Any of it may be
 * missing, if realize has failed or was not called. The object's properties
 * have been freed before, so none may be used.
 */
static void femu_finalize(Object *obj)
{
    FemuZns *n = FEMU_ZNS(obj);

    femu_queues_delete(n);
    femu_record_close(n);
    femu_migration_exit(n);
    femu_time_exit(n);
    femu_req_exit(n);
    femu_ns_exit(n);
    ssd_free(n->ssd);
    femu_memory_exit(&n->memory);
    femu_kept_exit(n);
    g_free(n->bounce);
    g_free(n->seg);
    g_free(n->stats_snapshot);
}

static void femu_reset_hold(Object *obj, ResetType type)
{
    femu_entry_reset(FEMU_ZNS(obj));
}

/*
 * If the interrupt mode has changed, the pin's level may have to. If bus
 * mastering is allowed again, what has waited for it is done at the end of the
 * entry. The write may unmask a vector, and the guest may have aimed its
 * message at what unplugs the drive: hence the look at `plugged` behind it.
 */
static void femu_write_config(PCIDevice *pci, uint32_t addr, uint32_t value,
                              int bytes)
{
    FemuZns *n = FEMU_ZNS(pci);

    femu_entry_begin(n);
    pci_default_write_config(pci, addr, value, bytes);
    if (n->plugged) {
        pcie_cap_flr_write_config(pci, addr, value, bytes);
        femu_irq_update_pin(n);
    }
    femu_entry_end(n);
}

#define FEMU_PROP_U32(name, state, field, value) \
    DEFINE_PROP_UNSIGNED(name, state, field, value, femu_prop_u32, uint32_t)
#define FEMU_PROP_U64(name, state, field, value) \
    DEFINE_PROP_UNSIGNED(name, state, field, value, femu_prop_u64, uint64_t)
#define FEMU_PROP_SIZE DEFINE_PROP_SIZE
#define FEMU_PROP_BOOL DEFINE_PROP_BOOL
#define FEMU_PROP_ENUM(name, state, field, value) \
    DEFINE_PROP_UNSIGNED(name, state, field, value, femu_prop_word, uint32_t)
#define FEMU_PROP(type, field, name, value, ...) \
    FEMU_PROP_##type(name, FemuZns, params.field, value),

static const Property femu_properties[] = {
    SSD_PARAMS(FEMU_PROP)
    DEFINE_PROP_STRING("serial", FemuZns, serial),
    DEFINE_PROP_STRING("trace", FemuZns, trace_path),
    DEFINE_PROP_STRING("state", FemuZns, state_path),
    DEFINE_PROP_BOOL("state-sync", FemuZns, state_sync, false),
    DEFINE_PROP_STRING("journal", FemuZns, journal_path),
    DEFINE_PROP_LINK("memdev", FemuZns, memdev, TYPE_MEMORY_BACKEND,
                     HostMemoryBackend *),
    DEFINE_PROP_LINK("iothread", FemuZns, iothread, TYPE_IOTHREAD, IOThread *),
    FEMU_PROP_U32("time-dilation", FemuZns, dilation, 1),
    FEMU_PROP_U32("max-queue-pairs", FemuZns, max_queue_pairs,
                  FEMU_MAX_QUEUE_PAIRS),
    DEFINE_PROP_BOOL("dbbuf", FemuZns, dbbuf_offered, false),
    FEMU_PROP_U64("power-cut-at-ns", FemuZns, cut_at_ns, 0),
    FEMU_PROP_U64("power-cut-at-command", FemuZns, cut_at_command, 0),
    FEMU_PROP_U64("power-cut-at-program", FemuZns, cut_at_program, 0),
    FEMU_PROP_U64("power-cut-seed", FemuZns, cut_seed, 0),
};

static void describe_properties(ObjectClass *oc)
{
    unsigned count;
    const SsdParamInfo *table = ssd_params_table(&count);

    for (unsigned i = 0; i < count; i++) {
        object_class_property_set_description(oc, table[i].name,
                                              table[i].help);
    }
    object_class_property_set_description(oc, "serial",
        "serial number, up to 20 characters; names are derived from it");
    object_class_property_set_description(oc, "trace",
        "file that records every command and completion");
    object_class_property_set_description(oc, "state",
        "folder in which the drive lasts when QEMU ends; made if need be");
    object_class_property_set_description(oc, "state-sync",
        "wait for the host's disk before a command ends: state= then outlasts "
        "a loss of the host's power");
    object_class_property_set_description(oc, "journal",
        "file that records all bytes written, for femu-sim cut --state");
    object_class_property_set_description(oc, "memdev",
        "memory backend for the data; default: sparse anonymous memory");
    object_class_property_set_description(oc, "iothread",
        "a thread of the drive's own, in real time");
    object_class_property_set_description(oc, "time-dilation",
        "virtual nanoseconds per nanosecond of the drive");
    object_class_property_set_description(oc, "max-queue-pairs",
        "I/O queue pairs that a host can create");
    object_class_property_set_description(oc, "dbbuf",
        "offer Doorbell Buffer Config: doorbells in host memory");
    object_class_property_set_description(oc, "power-cut-at-ns",
        "the power goes at this instant of the drive; 0: never");
    object_class_property_set_description(oc, "power-cut-at-command",
        "the power goes when the drive has accepted so many commands; 0: never");
    object_class_property_set_description(oc, "power-cut-at-program",
        "the power goes when so many programs of the flash have ended; 0: never");
    object_class_property_set_description(oc, "power-cut-seed",
        "decides what becomes of what was inside when the power goes");
}

static void femu_class_init(ObjectClass *oc, FemuClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    pc->realize = femu_realize;
    pc->exit = femu_exit;
    pc->config_write = femu_write_config;
    pc->vendor_id = PCI_VENDOR_ID_REDHAT;
    pc->device_id = FEMU_PCI_DEVICE_ID;
    pc->class_id = PCI_CLASS_STORAGE_EXPRESS;
    rc->phases.hold = femu_reset_hold;
    set_bit(DEVICE_CATEGORY_STORAGE, dc->categories);
    dc->desc = "Zoned (ZNS) NVMe SSD with exact time";
    dc->vmsd = &femu_vmstate;
    device_class_set_props(dc, femu_properties);
    describe_properties(oc);
    femu_inject_class_init(oc);
    femu_zone_state_class_init(oc);
    femu_stats_class_init(oc);
    femu_power_class_init(oc);
}

static const TypeInfo femu_type = {
    .name = TYPE_FEMU_ZNS,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(FemuZns),
    .instance_init = femu_instance_init,
    .instance_finalize = femu_finalize,
    .class_init = femu_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { }
    },
};

static void femu_register_types(void)
{
    type_register_static(&femu_type);
}

type_init(femu_register_types)
