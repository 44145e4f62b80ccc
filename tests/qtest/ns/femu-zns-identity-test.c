/*
 * What the drive and its namespaces are called, and which sizes they prefer, to
 * the last bit: hosts tell drives apart and lay out file systems by them.
 *
 * Knows nothing of I/O.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "femu-zns-commands.h"
#include "hw/pci/pci_regs.h"

#define VENDOR_ID 0x1b36                /* Red Hat's, for devices of QEMU */
#define SUBSYSTEM_VENDOR_ID 0x1af4
#define HASH_BYTES 32u
#define OPTPERF (1u << 4)               /* NSFEAT: NPWG to NOWS are defined */
#define CONV_BYTES (2 * SSD_MIB)

static FemuDrive *boot(const FemuConfig *config)
{
    return femu_boot(config, NULL);
}

static NvmeIdNs id_ns(FemuDrive *drive, uint32_t nsid)
{
    NvmeIdNs id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS, 0, nsid, &id), ==,
                    NVME_SUCCESS);
    return id;
}

/* Names */

static void hash_of(const char *name, uint8_t hash[HASH_BYTES])
{
    g_autofree char *text = g_strconcat("femu-zns:", name, NULL);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    gsize bytes = HASH_BYTES;

    g_checksum_update(sum, (const guchar *)text, -1);
    g_checksum_get_digest(sum, hash, &bytes);
}

/* The descriptor of this type and length; lists end with a length of 0. */
static const uint8_t *descriptor(const uint8_t *list, uint8_t type,
                                 uint8_t bytes)
{
    while (list[1] && list[0] != type) {
        list += 4 + list[1];
    }
    g_assert_cmpuint(list[1], ==, bytes);
    return list + 4;
}

/*
 * OUI 52-54-00 (locally administered) and the hash's bytes 0 to 4 make the
 * EUI64; 8 to 15 before them the NGUID; 16 to 31 a UUID of version 8, variant
 * 10b (RFC 9562, 5.8). The same in Identify and in the descriptors.
 */
static void check_names(FemuDrive *drive, uint32_t nsid, const char *name)
{
    uint8_t hash[HASH_BYTES], nguid[16], uuid[16];
    uint8_t list[NVME_IDENTIFY_DATA_SIZE];
    NvmeIdNs id = id_ns(drive, nsid);

    hash_of(name, hash);
    memcpy(nguid, hash + 8, 8);
    memcpy(nguid + 8, "\x52\x54\x00", 3);
    memcpy(nguid + 11, hash, 5);
    memcpy(uuid, hash + 16, 16);
    uuid[6] = 0x80 | (uuid[6] & 0x0f);
    uuid[8] = 0x80 | (uuid[8] & 0x3f);
    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_NS_DESCR_LIST, 0, nsid,
                                  list), ==, NVME_SUCCESS);
    g_assert_cmpmem(id.nguid, 16, nguid, 16);
    g_assert_cmpmem(&id.eui64, 8, nguid + 8, 8);
    g_assert_cmpmem(descriptor(list, NVME_NIDT_NGUID, 16), 16, nguid, 16);
    g_assert_cmpmem(descriptor(list, NVME_NIDT_EUI64, 8), 8, nguid + 8, 8);
    g_assert_cmpmem(descriptor(list, NVME_NIDT_UUID, 16), 16, uuid, 16);
}

/* Bytes that hashing happens to set: of many names, each bit was 0 and 1. */
static void test_names(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive;

    config.ssd.zones = 32;
    config.ssd.namespaces = 32;
    drive = boot(&config);
    check_names(drive, 1, "qtest-4");
    for (uint32_t nsid = 2; nsid <= 32; nsid++) {
        g_autofree char *name = g_strdup_printf("qtest-4\n%u", nsid);

        check_names(drive, nsid, name);
    }
    femu_shutdown(drive);
}

/*
 * Vendor, subsystem vendor and class of PCI (mass storage, non-volatile memory,
 * NVMe), OUI, a name from the serial's UUID.
 */
static void test_controller(void)
{
    FemuConfig config = femu_small_config();
    FemuDrive *drive = boot(&config);
    uint8_t u[HASH_BYTES];
    g_autofree char *nqn = NULL;
    NvmeIdCtrl id;

    g_assert_cmphex(femu_identify(drive, NVME_ID_CNS_CTRL, 0, 0, &id), ==,
                    NVME_SUCCESS);
    g_assert_cmphex(le16_to_cpu(id.vid), ==, VENDOR_ID);
    g_assert_cmphex(le16_to_cpu(id.ssvid), ==, SUBSYSTEM_VENDOR_ID);
    g_assert_cmphex(le16_to_cpu(id.ssvid), ==,
                    qpci_config_readw(drive->pci, PCI_SUBSYSTEM_VENDOR_ID));
    g_assert_cmphex(qpci_config_readl(drive->pci, PCI_BASE_ADDRESS_0) & 0xf,
                    ==, PCI_BASE_ADDRESS_MEM_TYPE_64);
    g_assert_cmphex(qpci_config_readl(drive->pci, PCI_CLASS_REVISION) >> 8, ==,
                    0x010802);
    g_assert_cmpmem(id.ieee, 3, "\x00\x54\x52", 3);
    hash_of("qtest-4", u);
    memmove(u, u + 16, 16);
    u[6] = 0x80 | (u[6] & 0x0f);
    u[8] = 0x80 | (u[8] & 0x3f);
    nqn = g_strdup_printf(
        "nqn.2014-08.org.nvmexpress:uuid:%02x%02x%02x%02x-%02x%02x-%02x%02x-"
        "%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4],
        u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
        u[15]);
    g_assert_cmpstr((char *)id.subnqn, ==, nqn);
    femu_shutdown(drive);
}

/* Preferred sizes */

static void check_preferred(const NvmeIdNs *id, uint32_t lba_bytes,
                            uint64_t write_bytes, uint64_t deallocate_bytes,
                            uint64_t optimal_bytes)
{
    g_assert_cmphex(id->nsfeat, ==, OPTPERF);
    g_assert_cmpuint((le16_to_cpu(id->npwg) + 1) * lba_bytes, ==, write_bytes);
    g_assert_cmpuint((le16_to_cpu(id->npwa) + 1) * lba_bytes, ==, write_bytes);
    g_assert_cmpuint((le16_to_cpu(id->npdg) + 1) * lba_bytes, ==,
                     deallocate_bytes);
    g_assert_cmpuint((le16_to_cpu(id->npda) + 1) * lba_bytes, ==,
                     deallocate_bytes);
    g_assert_cmpuint((le16_to_cpu(id->nows) + 1) * lba_bytes, ==,
                     optimal_bytes);
}

/*
 * In a zone: what divides programs into powers of two; and a program on each of
 * the zone's units, up to MDTS. Deallocation, which does nothing there, has no
 * preference. In a conventional namespace: a granule; a page on all units.
 */
static void test_preferred(void)
{
    static const struct {
        uint32_t channels, zone_channels, planes, program_pages;
        bool multi_plane;
        uint64_t page_bytes, mdts_bytes;
        uint64_t write_bytes, optimal_bytes, conventional_optimal_bytes;
        uint32_t ways, dies, zone_ways, zone_dies, zone_planes;
    } rows[] = {
        { 4, 0, 1, 1, false, 16384, 512 * SSD_KIB, 16384, 65536, 65536 },
        { 4, 2, 1, 1, false, 16384, 512 * SSD_KIB, 16384, 32768, 65536 },
        { 4, 1, 2, 1, false, 16384, 512 * SSD_KIB, 16384, 32768, 131072 },
        /* 3 pages on 2 planes are 96 KiB, of which 32 KiB is a third */
        { 4, 1, 2, 3, true, 16384, 512 * SSD_KIB, 32768, 98304, 393216 },
        { 4, 0, 2, 3, true, 16384, 256 * SSD_KIB, 32768, 262144, 262144 },
        /* a page of 48 KiB, and one above MDTS */
        { 1, 0, 1, 1, false, 49152, 512 * SSD_KIB, 16384, 49152, 49152 },
        { 2, 0, 1, 1, false, 65536, 16 * SSD_KIB, 16384, 16384, 16384 },
        /* each number of units counts: 2 * 2 * 3 * 2, and 4 * 4 * 3 * 2 */
        { 4, 2, 2, 1, false, 4096, 512 * SSD_KIB, 4096, 98304, 393216,
          4, 3, 2, 3, 2 },
        { 4, 2, 6, 1, false, 4096, 512 * SSD_KIB, 4096, 49152, 393216,
          2, 2, 1, 2, 3 },
    };

    for (unsigned i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
        FemuConfig config = femu_small_config();
        unsigned row = i / 2;
        FemuDrive *drive;
        NvmeIdNs id;

        config.ssd.lba_bytes = i % 2 ? 512 : 4096;
        config.ssd.conventional_bytes = CONV_BYTES;
        config.ssd.zone_capacity_bytes = 768 * SSD_KIB;
        config.ssd.channels = rows[row].channels;
        config.ssd.zone_channels = rows[row].zone_channels;
        config.ssd.planes = rows[row].planes;
        config.ssd.ways = MAX(rows[row].ways, 1);
        config.ssd.dies = MAX(rows[row].dies, 1);
        config.ssd.zone_ways = rows[row].zone_ways;
        config.ssd.zone_dies = rows[row].zone_dies;
        config.ssd.zone_planes = rows[row].zone_planes;
        config.ssd.program_pages = rows[row].program_pages;
        config.ssd.pages_per_block = 6;
        config.ssd.multi_plane = rows[row].multi_plane;
        config.ssd.page_bytes = rows[row].page_bytes;
        config.ssd.mdts_bytes = rows[row].mdts_bytes;
        drive = boot(&config);
        id = id_ns(drive, 1);
        check_preferred(&id, config.ssd.lba_bytes, rows[row].write_bytes,
                        config.ssd.lba_bytes, rows[row].optimal_bytes);
        id = id_ns(drive, 2);
        check_preferred(&id, config.ssd.lba_bytes, 4096, 4096,
                        rows[row].conventional_optimal_bytes);
        /* what all namespaces have in common: nothing of this */
        id = id_ns(drive, NVME_NSID_BROADCAST);
        g_assert_cmphex(id.nsfeat, ==, 0);
        femu_shutdown(drive);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, test) qtest_add_func("femu-zns/identity/" name, test)
    ADD("names", test_names);
    ADD("controller", test_controller);
    ADD("preferred-sizes", test_preferred);
#undef ADD
    return g_test_run();
}
