# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE
#
# A job that asks QEMU to stop (femu-stop), four times, while zones are
# finished, fio reads at queue depth 32 and writes to three zones. Where no
# femu-stop is, nobody hears it.
# Knows nothing of what is done with a machine that has stopped.

fio=(fio --name=zone --filename="$DRIVE" --direct=1 --zonemode=zbd --size=1z)

stop()
{
    printf '\1' | dd of=/dev/port bs=1 seek=$((0xea)) conv=notrunc 2>/dev/null
}

under_load()
{
    "${fio[@]}" --rw=randread --norandommap --bs=64k --io_size=256M \
        --ioengine=libaio --iodepth=32 >/tmp/read.out &
    "${fio[@]}" --rw=write --bs=1M --offset=2z --offset_increment=1z \
        --numjobs=3 >/tmp/write.out &
    # fio takes its time to begin: until zone 4 is written to.
    until blkzone report -o $((4 * zone_sectors)) -c 1 "$DRIVE" |
        grep -q 'oi'; do
        sleep 0.002
    done
    zone-op "$DRIVE" finish 8 4 >/tmp/finish.out &
    for _ in 1 2 3 4; do
        sleep 0.1
        stop
    done
    wait
    cat /tmp/read.out /tmp/write.out /tmp/finish.out
}

zone_sectors=$(<"/sys/block/${DRIVE##*/}/queue/chunk_sectors")
prepare "fill a zone" "${fio[@]}" --rw=write --bs=128k
# An empty zone is finished at once.
prepare "begin four" "${fio[@]}" --rw=write --bs=4k --number_ios=1 \
    --offset=8z --offset_increment=1z --numjobs=4
step loaded under_load
step read-qd1 "${fio[@]}" --rw=randread --norandommap --bs=4k --number_ios=100
step finish zone-op "$DRIVE" finish 5
step counters nvme smart-log -o json "${DRIVE%n*}"
