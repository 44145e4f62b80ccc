# The devices of the QEMU that is built with sanitizers: the machines and
# devices that our qtests and fuzz targets start, and nothing else. Laid over
# configs/devices/ and used as qemu-devices.mak is.

CONFIG_I440FX=y
CONFIG_Q35=y
CONFIG_PCIE_PORT=y
CONFIG_FEMU_ZNS=y
CONFIG_NVME_PCI=y
CONFIG_SPDM_SOCKET=y
