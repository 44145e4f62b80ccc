# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVES
#
# btrfs over two drives: what mkfs and the kernel refuse, what they do, and what
# becomes of a file when its zone goes offline, which the host is asked for.
# Knows nothing of what is expected.

for profile in dup raid0 raid1; do
    step mkfs-$profile sh -c \
        "! mkfs.btrfs -q -f -m $profile -d $profile ${DRIVES[*]} 2>&1"
done
prepare "make a btrfs" mkfs.btrfs -q -f -m single -d single "${DRIVES[@]}"
prepare "mount it" mount -t btrfs -o "device=$DRIVE1" "$DRIVE0" /mnt
for profile in raid0 raid1; do
    step convert-$profile sh -c \
        "! btrfs balance start -f -dconvert=$profile /mnt 2>&1"
done
step write fio --name=f --filename=/mnt/file --rw=write --bs=128k --size=24M \
    --end_fsync=1
step usage sh -c "btrfs filesystem show /mnt; btrfs device usage /mnt; dmesg"
sync

# The zone with the most data of all, "0 7": of the first drive, number 7.
zone_of_file()
{
    local n
    for n in "${!DRIVES[@]}"; do
        blkzone report "${DRIVES[n]}" | sed -nE \
            "s/^ *start: 0x0*([0-9a-f]+), len 0x0*([0-9a-f]+),.*wptr 0x0*([0-9a-f]+) .*/$n \1 \2 \3/p"
    done | while read -r n start len wp; do
        echo "$((0x0$wp)) $n $((0x0$start / 0x0$len)) $((0x0$start))"
    done | sort -n | tail -n 1 | cut -d' ' -f2-
}

read -r number zone start < <(zone_of_file)
echo "fail zns$number $zone offline" | say
# wait_offline: until the host has done it, some hundred looks later.
wait_offline()
{
    local looks
    for ((looks = 0; looks < 5000; looks++)); do
        blkzone report -o "$start" -c 1 "${DRIVES[number]}" >/tmp/zone
        grep -q 'zcond:15(of)' /tmp/zone && break
    done
    cat /tmp/zone
}
step offline wait_offline
echo 3 >/proc/sys/vm/drop_caches
step read sh -c "! cat /mnt/file 2>&1 >/dev/null"
step others sh -c "echo more >/mnt/more && sync && cat /mnt/more"
step after sh -c "btrfs device stats /mnt; dmesg"
