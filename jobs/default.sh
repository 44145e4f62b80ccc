# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # DRIVE comes from the guest's run-job
#
# The job of a plain "make run": writes at queue depth 1 and into four zones at
# once, random reads at queue depths 1 and 32, reset and finish of a half-full
# zone. Sizes follow the drive's zones, so that it fits any configuration.
# Knows nothing of the drive's timing.

block=4096
# blkzone counts in sectors of 512 bytes: "... len 0x400000, cap 0x21a800, ..."
capacity=$((512 * $(blkzone report -c 1 "$DRIVE" |
    sed -n 's/.*cap \(0x[0-9a-f]*\).*/\1/p')))
chunk=$((128 * 1024))
half=$((capacity / 2 / chunk * chunk))

# at_most COUNT: that, or as many blocks as half a zone holds.
at_most()
{
    echo $(($1 < half / block ? $1 : half / block))
}

fio=(fio --name=zone --filename="$DRIVE" --direct=1 --zonemode=zbd
    --bs="$block" --size=1z --ioengine=psync)

# fill_half ZONE: without measuring it.
fill_half()
{
    prepare "fill half of zone $1" "${fio[@]}" --offset="$1z" --rw=write \
        --bs="$chunk" --number_ios=$((half / chunk))
}

step write-qd1 "${fio[@]}" --offset=0z --rw=write \
    --number_ios="$(at_most 2000)"
step write-4-zones "${fio[@]}" --offset=1z --rw=write \
    --number_ios="$(at_most 500)" --numjobs=4 --offset_increment=1z \
    --group_reporting
fill_half 5
step randread-qd1 "${fio[@]}" --offset=5z --rw=randread --norandommap \
    --number_ios="$(at_most 2000)"
step randread-qd32 "${fio[@]}" --offset=5z --rw=randread --norandommap \
    --ioengine=libaio --iodepth=32 --number_ios="$(at_most 10000)"
step reset-half zone-op "$DRIVE" reset 5
fill_half 6
step finish-half zone-op "$DRIVE" finish 6
