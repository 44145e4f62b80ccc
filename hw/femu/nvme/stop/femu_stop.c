/*
 * -device femu-stop: a port by which a guest asks that its machine be stopped,
 * between this instruction and the next, at this instant of its time.
 *
 * QEMU's pvpanic stops it there, too, but a vCPU that has stopped itself counts
 * as idle until the main loop has stopped the machine, and icount then warps
 * the clock to the next timer, or not, as it happens. Here the vCPU waits for
 * the main loop, and is not idle meanwhile.
 *
 * Knows nothing of drives, nor of who lets the machine go on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "hw/isa/isa.h"
#include "hw/qdev-properties.h"
#include "qemu/main-loop.h"
#include "system/runstate.h"
#include "../qemu/versions.h"

#define TYPE_FEMU_STOP "femu-stop"
#define POLL_US 100

OBJECT_DECLARE_SIMPLE_TYPE(FemuStop, FEMU_STOP)

struct FemuStop {
    ISADevice parent_obj;
    uint32_t iobase;
    MemoryRegion io;
};

/* In the vCPU's thread, which does nothing else until the machine stops. */
static void wait_until_stopped(CPUState *cpu, run_on_cpu_data unused)
{
    while (runstate_is_running()) {
        bql_unlock();
        g_usleep(POLL_US);
        bql_lock();
    }
}

static void stop_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    qemu_system_vmstop_request_prepare();
    qemu_system_vmstop_request(RUN_STATE_PAUSED);
    if (current_cpu) {
        async_run_on_cpu(current_cpu, wait_until_stopped, RUN_ON_CPU_NULL);
    }
}

static uint64_t stop_read(void *opaque, hwaddr addr, unsigned size)
{
    return 0;
}

static const MemoryRegionOps stop_ops = {
    .read = stop_read,
    .write = stop_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 1 },
};

static void stop_realize(DeviceState *dev, Error **errp)
{
    FemuStop *stop = FEMU_STOP(dev);

    memory_region_init_io(&stop->io, OBJECT(dev), &stop_ops, stop,
                          TYPE_FEMU_STOP, 1);
    isa_register_ioport(ISA_DEVICE(dev), &stop->io, stop->iobase);
}

static const Property stop_properties[] = {
    DEFINE_PROP_UINT32("iobase", FemuStop, iobase, 0xea),
};

static void stop_class_init(ObjectClass *class, FemuClassData *data)
{
    DeviceClass *device = DEVICE_CLASS(class);

    device->realize = stop_realize;
    device->desc = "A port by which a guest stops its machine";
    device_class_set_props(device, stop_properties);
    set_bit(DEVICE_CATEGORY_MISC, device->categories);
}

static const TypeInfo stop_info = {
    .name = TYPE_FEMU_STOP,
    .parent = TYPE_ISA_DEVICE,
    .instance_size = sizeof(FemuStop),
    .class_init = stop_class_init,
};

static void register_types(void)
{
    type_register_static(&stop_info);
}

type_init(register_types)
