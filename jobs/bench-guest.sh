# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # DRIVE comes from the guest's run-job
#
# The job of "make bench-guest": sequential writes at queue depth 1, random
# reads at queue depth 32, of 4 and of 128 KiB. ARGS="count=n" is for how many
# of the smallest at queue depth 1; "large=0" leaves those of 128 KiB out.
# Knows nothing of the drive.

count=${count:-10000}
fio=(fio --name=bench --filename="$DRIVE" --direct=1 --zonemode=zbd --size=1z
    --norandommap)

prepare "write what is read" "${fio[@]}" --offset=9z --rw=write --bs=128k \
    --number_ios=512
step write-4k-qd1 "${fio[@]}" --offset=0z --rw=write --bs=4k \
    --ioengine=psync --number_ios="$count"
step read-4k-qd32 "${fio[@]}" --offset=9z --rw=randread --bs=4k \
    --ioengine=libaio --iodepth=32 --number_ios=$((3 * count))
[ "${large:-1}" = 1 ] || return 0
step write-128k-qd1 "${fio[@]}" --offset=1z --rw=write --bs=128k \
    --ioengine=psync --number_ios=$((count / 4))
step read-128k-qd32 "${fio[@]}" --offset=9z --rw=randread --bs=128k \
    --ioengine=libaio --iodepth=32 --number_ios=$((count / 2))
