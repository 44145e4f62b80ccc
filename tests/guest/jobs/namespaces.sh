# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh
#
# What Linux and its tools make of a drive with two zoned namespaces and a
# conventional one: tiny.cfg with 256 zones, half of them each, and 512 MiB.
# Knows nothing of time.

. tap.sh
readonly ONE=/dev/nvme0n1 TWO=/dev/nvme0n2 CONVENTIONAL=/dev/nvme0n3
readonly ZONES=128
readonly CONVENTIONAL_BYTES=$((512 << 20))

disks()
{
    same disks "$(cd /sys/block && echo nvme*)" "nvme0n1 nvme0n2 nvme0n3"
    same one "$(cat /sys/block/nvme0n1/queue/{zoned,nr_zones} | xargs)" \
        "host-managed $ZONES"
    same two "$(cat /sys/block/nvme0n2/queue/{zoned,nr_zones} | xargs)" \
        "host-managed $ZONES"
    same "what init waits for" \
        "$(grep -o 'femu.namespaces=[0-9]*' /proc/cmdline)" femu.namespaces=3
    same order "$(cat /sys/block/nvme0n?/nsid | xargs)" "1 2 3"
    same conventional "$(cat /sys/block/nvme0n3/queue/zoned)" none
    same size "$(blockdev --getsize64 $CONVENTIONAL)" $CONVENTIONAL_BYTES
    same names "$(cat /sys/block/nvme0n?/wwid | sort -u | wc -l)" 3
    same sets "$(for n in 1 2 3; do
        nvme ns-descs /dev/nvme0 -n $n | sed -n 's/^csi *: *//p'; done | xargs)" \
        "0x2 0x2 0"
}

# A block, NPWG and NOWS: a page of 16 KiB and a page on each of 4 units; on
# the conventional one a granule.
sizes()
{
    local disk
    for disk in nvme0n1 nvme0n2 nvme0n3; do
        (cd /sys/block/$disk/queue &&
            cat physical_block_size minimum_io_size optimal_io_size | xargs)
    done >/tmp/sizes
    same sizes "$(cat /tmp/sizes)" "4096 16384 65536
4096 16384 65536
4096 4096 65536"
}

# Zone 5 of one has data, that of two has not.
apart()
{
    dd if=/dev/urandom of=/tmp/data bs=4096 count=8
    dd if=/tmp/data of=$ONE bs=4096 seek=$((5 * 1024)) oflag=direct \
        conv=notrunc
    cmp -n 32768 -i 0:$((5 << 22)) /tmp/data $ONE
    cmp -n 32768 -i 0:$((5 << 22)) /dev/zero $TWO
    same "zones with data" "$(nvme zns report-zones $TWO |
        grep -c 'State: 0x[^1]')" 0
    blkzone reset $ONE
}

# Random writes with verification, and what a deallocation leaves.
random_writes()
{
    fio --name=verify --filename=$CONVENTIONAL --direct=1 --rw=randwrite \
        --bs=4k --size=4m --ioengine=io_uring --iodepth=16 --verify=crc32c \
        --do_verify=1 --verify_fatal=1
    blkdiscard -o 8192 -l 65536 $CONVENTIONAL
    cmp -n 65536 -i 0:8192 /dev/zero $CONVENTIONAL
    # Zone Management Receive
    nvme io-passthru $CONVENTIONAL --opcode=0x7a --namespace-id=3 --read \
        --data-len=4096 --cdw12=1023 2>&1 | tee /tmp/refused || true
    grep 'Invalid Command Opcode' /tmp/refused
}

make_files()
{
    local i
    for ((i = 0; i < 16; i++)); do
        dd if=/dev/urandom of="/mnt/file$i" bs=$((4096 + 40000 * i)) count=3
    done
    (cd /mnt && md5sum file*) >/tmp/sums
}

check_files()
{
    (cd /mnt && md5sum -c /tmp/sums)
}

on_ext4()
{
    modprobe ext4
    mkfs.ext4 -F $CONVENTIONAL
    mount -t ext4 -o discard $CONVENTIONAL /mnt
    make_files
    umount /mnt
    mount -t ext4 $CONVENTIONAL /mnt
    check_files
    umount /mnt
    e2fsck -f -n $CONVENTIONAL
}

# Its metadata on the conventional namespace, its data on a zoned one.
on_f2fs()
{
    modprobe f2fs
    mkfs.f2fs -f -m -c $ONE $CONVENTIONAL
    mount -t f2fs $CONVENTIONAL /mnt
    make_files
    umount /mnt
    nvme zns report-zones $ONE | grep 'State: 0x[^1]' >/dev/null
    mount -t f2fs $CONVENTIONAL /mnt
    check_files
    umount /mnt
    fsck.f2fs $CONVENTIONAL
}

# The kernel hears of it by the drive's event.
wait_for_disks()
{
    local try
    for ((try = 0; try < 50; try++)); do
        [ "$(cd /sys/block && echo nvme*)" != "$1" ] || return 0
        sleep 0.1
    done
    same disks "$(cd /sys/block && echo nvme*)" "$1"
}

attachment()
{
    dd if=/tmp/data of=$TWO bs=4096 oflag=direct conv=notrunc
    nvme detach-ns /dev/nvme0 -n 2 -c 0
    wait_for_disks "nvme0n1 nvme0n3"
    same active "$(nvme list-ns /dev/nvme0 | sed 's/.*://' | xargs)" "0x1 0x3"
    same allocated "$(nvme list-ns -a /dev/nvme0 | sed 's/.*://' | xargs)" \
        "0x1 0x2 0x3"
    nvme attach-ns /dev/nvme0 -n 2 -c 0
    wait_for_disks "nvme0n1 nvme0n2 nvme0n3"
    cmp -n 32768 /tmp/data $TWO
    same zones "$(cat /sys/block/nvme0n2/queue/nr_zones)" $ZONES
}

quiet()
{
    same dmesg "$(complaints)" ""
}

check "two zoned namespaces and a conventional one, each with its names" disks
check "Linux takes the sizes that the drive prefers" sizes
check "what is written to one is not in the other" apart
check "random writes on the conventional one, verified; discard" random_writes
check "ext4 on the conventional one: make, write, remount, verify, fsck" on_ext4
check "F2FS on both kinds: make, write, remount, verify, fsck" on_f2fs
check "detach and attach: the kernel follows, the data stay" attachment
for number in 1 2; do
    step limits-$number limits /dev/nvme0n$number "$CONTROLLER"
done
check "dmesg has no word about the drive" quiet
echo "1..$tests" >>"$tap"
