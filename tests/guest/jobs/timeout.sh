# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh and DRIVE
#
# A finish that takes longer than Linux waits: with the driver's own limit, 30 s,
# it asks the drive to abort it, and after another 30 s resets the controller.
# Knows nothing of how long the finish takes.

. tap.sh

# Data that must outlive it all, in a zone of their own.
remember()
{
    dd if=/dev/urandom of=/tmp/data bs=16k count=4
    dd if=/tmp/data of="$DRIVE" bs=16k oflag=direct conv=notrunc \
        seek=$((2 * ZONE_BYTES / 16384))
}

one_page()
{
    dd if=/dev/zero of="$DRIVE" bs=16k count=1 oflag=direct conv=notrunc
}

zone_state()
{
    nvme zns report-zones "$DRIVE" -s $(($1 * ZONE_BYTES / 4096)) -d 1 |
        sed -n 's/.*State: \(0x[0-9a-f]*\).*/\1/p'
}

# What the zone holds, what others hold, and a write and a read of new data.
works_on()
{
    same "zone 0" "$(zone_state 0)" 0xe0
    cmp -n 65536 -i 0:$((2 * ZONE_BYTES)) /tmp/data "$DRIVE"
    dd if=/tmp/data of="$DRIVE" bs=16k oflag=direct conv=notrunc \
        seek=$((3 * ZONE_BYTES / 16384))
    cmp -n 65536 -i 0:$((3 * ZONE_BYTES)) /tmp/data "$DRIVE"
    blkzone reset -o 0 -l $((ZONE_BYTES / 512)) "$DRIVE"
    one_page
    same "zone 0 anew" "$(zone_state 0)" 0x20
}

ZONE_BYTES=$(($(cat /sys/block/nvme0n1/queue/chunk_sectors) * 512))
prepare "the driver's own limit" \
    sh -c 'echo 30000 >/sys/block/nvme0n1/queue/io_timeout'
prepare "data" remember
prepare "one page in zone 0" one_page
step finish zone-op "$DRIVE" finish 0
dmesg | grep -E 'nvme.*(imeout|Abort|reset)|I/O error' \
    >"$RESULTS/said.txt"
check "the drive works on" works_on
echo "1..$tests" >>"$tap"
