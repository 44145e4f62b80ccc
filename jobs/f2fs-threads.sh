# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # ARGS
#
# fio on F2FS by threads, as the slides on ConfZNS have it (NVRAMOS 2023, "ZNS SSD
# Emulator 7 of 8"): synchronous, one at a time, 128 KiB; each thread writes a file
# of 64 MiB, then reads it. Says how many times the throughput of the first count of
# threads the last has.
#
#   make run JOB=jobs/f2fs-threads.sh CONFIG=configs/confzns-zssd1.cfg DILATION=10 \
#       SET="zones=64 conventional-size=256M" ARGS="threads='1 8'"
#
# The drive's conventional namespace, the last one, has F2FS' metadata; what is left
# of it F2FS takes for data, so it should be no larger than these need.
#
#   ARGS="threads='1 2 4 8' size=64m operations='write read'"
#         operations=read: fio lays the files out itself, one after another
#
# Knows nothing of the drive's mapping.

threads=${threads:-1 2 4 8}
size=${size:-64m}
operations=${operations:-write read}
conventional=$(ls /dev/nvme0n* | sort -V | tail -n 1)

# bytes_per_s STEP OPERATION
bytes_per_s()
{
    jq ".jobs[0].$2.bw_bytes" "$RESULTS/$1.fio.json"
}

# io COUNT OPERATION
io()
{
    step "$2-$1" fio --name=f --directory=/mnt --numjobs="$1" --rw="$2" \
        --ioengine=psync --thread --direct=1 --bs=128k --size="$size" \
        --group_reporting --fallocate=none
}

told=
for count in $threads; do
    prepare "make an F2FS" mkfs.f2fs -f -m -c "$DRIVE" "$conventional"
    prepare "mount it" mount -t f2fs "$conventional" /mnt
    for operation in $operations; do
        io "$count" "$operation"
    done
    prepare "unmount it" umount /mnt
    prepare "reset the zones" blkzone reset "$DRIVE"
done
for operation in $operations; do
    first=$(bytes_per_s "$operation-${threads%% *}" "$operation")
    told+=$(jq -rn --argjson few "$first" --arg operation "$operation" --argjson \
        many "$(bytes_per_s "$operation-${threads##* }" "$operation")" \
        '" \($operation) \($many / $few * 100 | round / 100)"')
done
echo "f2fs-threads: ${threads##* } threads by ${threads%% *}:$told" | say
