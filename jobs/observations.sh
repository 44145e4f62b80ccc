# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # DRIVE comes from the guest's run-job
#
# What scripts/observations checks in a guest: 4 KiB writes through several
# stacks and schedulers; writes, appends and reads in one zone, and in several.
# Knows nothing of what is concluded from them.

queue=/sys/block/${DRIVE##*/}/queue

# scheduler NAME: from now on; says which is chosen.
scheduler()
{
    echo "$1" >"$queue/scheduler" && grep -F "[$1]" "$queue/scheduler"
}

zoned=(--name=io --zonemode=zbd --bs=4k --size=1z)
block=(--filename="$DRIVE" --direct=1 --ioengine=io_uring)
passthrough=(--filename="/dev/ng${DRIVE#/dev/nvme}" --ioengine=io_uring_cmd
    --cmd_type=nvme)

# write NAME OPTION...: in one zone, but for what the options say.
write()
{
    step "$1" fio "${zoned[@]}" --rw=write "${@:2}"
}

# read_random NAME OPTION...
read_random()
{
    step "$1" fio "${zoned[@]}" "${block[@]}" --rw=randread --norandommap \
        "${@:2}"
}

prepare "choose no scheduler" scheduler none
write write-passthrough "${passthrough[@]}" --offset=0z --number_ios=2000
write write-none "${block[@]}" --offset=1z --number_ios=2000
for zones in 4 8; do
    prepare "reset all zones" blkzone reset "$DRIVE"
    write "write-$zones-zones" "${block[@]}" --number_ios=2000 \
        --numjobs="$zones" --offset_increment=1z --group_reporting
done
prepare "reset all zones" blkzone reset "$DRIVE"
prepare "choose mq-deadline" scheduler mq-deadline
write write-mq-deadline "${block[@]}" --offset=0z --number_ios=2000
for depth in 4 16 32; do
    write "write-qd$depth" "${block[@]}" --offset="${depth}z" \
        --number_ios=5000 --iodepth="$depth"
done

step append-qd32 zns-load --name=io --rw=append --bs=4k --iodepth=32 \
    --offset=40z --size=1z --number_ios=5000

prepare "choose no scheduler" scheduler none
prepare "reset all zones" blkzone reset "$DRIVE"
prepare "fill 64 MiB of eight zones" fio --name=fill --filename="$DRIVE" \
    --direct=1 --zonemode=zbd --bs=128k --size=1z --rw=write --numjobs=8 \
    --offset_increment=1z --number_ios=512
for depth in 8 128; do
    read_random "read-qd$depth" --iodepth="$depth" --number_ios=10000
done
read_random read-8-zones --number_ios=2000 --numjobs=8 --offset_increment=1z \
    --group_reporting
