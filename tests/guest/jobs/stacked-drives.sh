# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVES
#: PACKAGES="dmsetup mdadm"
#
# Two drives below Linux' device mapper, and what device mapper and md refuse.
# Knows nothing of what is expected.

zone=$(cat /sys/block/nvme0n1/queue/chunk_sectors)
dmsetup create both <<END
0 $((4 * zone)) linear $DRIVE0 $((8 * zone))
$((4 * zone)) $((2 * zone)) linear $DRIVE1 $((2 * zone))
END
step write fio --filename=/dev/dm-0 --direct=1 --zonemode=zbd --rw=write \
    --bs=64k --size=1z --number_ios=32 --ioengine=libaio --iodepth=4 \
    --verify=crc32c --name=a --name=b --offset=2z --name=c --offset=4z

# What a reset and a finish do to the zones below.
step manage sh -c "blkzone reset -o $((2 * zone)) -c 1 /dev/dm-0 &&
    blkzone finish -o $((5 * zone)) -c 1 /dev/dm-0"
step zones blkzone report /dev/dm-0
step zones-0 blkzone report -o $((8 * zone)) -c 4 "$DRIVE0"
step zones-1 blkzone report -o $((2 * zone)) -c 2 "$DRIVE1"
dmsetup remove both

# Not in steps: that the kernel reports errors here is what is wanted.
{
    echo "0 $zone linear $DRIVE0 8" | dmsetup create odd
    echo "0 $((2 * zone)) striped 2 128 $DRIVE0 0 $DRIVE1 0" |
        dmsetup create stripes
    for level in raid0 raid1 linear; do
        mdadm --create /dev/md1 --run --level=$level --raid-devices=2 \
            "${DRIVES[@]}"
        mdadm --build /dev/md2 --level=$level --raid-devices=2 "${DRIVES[@]}"
        blkzone report /dev/md2
        mdadm --stop /dev/md2
    done
    dmesg
} >"$RESULTS/refused.txt" 2>&1
