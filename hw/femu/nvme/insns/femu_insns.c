/*
 * -device femu-insns: a port by which a guest reads how many instructions its
 * processors have executed. Virtual time also passes while they are idle; this
 * count does not, so it tells what software costs.
 *
 * Eight bytes, the lowest first. A read of the first one looks at the count;
 * the others are of what it was then, however late they are read.
 *
 * Knows nothing of drives, nor of what the count is wanted for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/isa/isa.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "../qemu/versions.h"

#define TYPE_FEMU_INSNS "femu-insns"
#define PORTS 8

OBJECT_DECLARE_SIMPLE_TYPE(FemuInsns, FEMU_INSNS)

struct FemuInsns {
    ISADevice parent_obj;
    uint32_t iobase;
    MemoryRegion io;
    uint64_t seen;          /* the count when its first byte was last read */
};

static uint64_t insns_read(void *opaque, hwaddr addr, unsigned size)
{
    FemuInsns *insns = opaque;

    if (addr == 0) {
        insns->seen = icount_get_raw();
    }
    return extract64(insns->seen, 8 * addr, 8);
}

static void insns_write(void *opaque, hwaddr addr, uint64_t value,
                        unsigned size)
{
}

static const MemoryRegionOps insns_ops = {
    .read = insns_read,
    .write = insns_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 1 },
};

static void insns_realize(DeviceState *dev, Error **errp)
{
    FemuInsns *insns = FEMU_INSNS(dev);

    if (!icount_enabled()) {
        error_setg(errp, TYPE_FEMU_INSNS
                   ": nobody counts instructions without -icount");
        return;
    }
    memory_region_init_io(&insns->io, OBJECT(dev), &insns_ops, insns,
                          TYPE_FEMU_INSNS, PORTS);
    isa_register_ioport(ISA_DEVICE(dev), &insns->io, insns->iobase);
}

static const VMStateDescription insns_vmstate = {
    .name = TYPE_FEMU_INSNS,
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(seen, FemuInsns),
        VMSTATE_END_OF_LIST()
    },
};

static const Property insns_properties[] = {
    DEFINE_PROP_UINT32("iobase", FemuInsns, iobase, 0xe0),
};

static void insns_class_init(ObjectClass *class, FemuClassData *data)
{
    DeviceClass *device = DEVICE_CLASS(class);

    device->realize = insns_realize;
    device->vmsd = &insns_vmstate;
    device->desc = "A port by which a guest reads how many instructions it "
                   "has executed";
    device_class_set_props(device, insns_properties);
    set_bit(DEVICE_CATEGORY_MISC, device->categories);
}

static const TypeInfo insns_info = {
    .name = TYPE_FEMU_INSNS,
    .parent = TYPE_ISA_DEVICE,
    .instance_size = sizeof(FemuInsns),
    .class_init = insns_class_init,
};

static void register_types(void)
{
    type_register_static(&insns_info);
}

type_init(register_types)
