# The devices of our QEMU; the overlay lays this over configs/devices/.
# Used with --without-default-devices: what is not named here, or selected by
# what is, is left out. pc and q35 bring serial port, ACPI, fw_cfg and timers.

CONFIG_I440FX=y
CONFIG_Q35=y
CONFIG_PCIE_PORT=y

# The drive, the ports by which a guest stops its machine and reads how many
# instructions it has executed, and QEMU's own NVMe as the oracle of the tests.
CONFIG_FEMU_ZNS=y
CONFIG_FEMU_STOP=y
CONFIG_FEMU_INSNS=y
CONFIG_NVME_PCI=y
# Which that needs; QEMU 10.2 does not select it.
CONFIG_SPDM_SOCKET=y

# The guest's host folder, consoles, disks and random numbers.
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_9P=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_RNG=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_NVDIMM=y
CONFIG_VIRTIO_PMEM=y

# isa-debugcon, isa-debug-exit and the panic notifier.
CONFIG_ISA_DEBUG=y
CONFIG_PVPANIC_ISA=y

CONFIG_VTD=y
CONFIG_HPET=y
