# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE
#
# A preparation at whose end fio still reads, and steps behind it.
# Knows nothing of who goes on behind it.

fio=(fio --name=zone --filename="$DRIVE" --direct=1 --zonemode=zbd --bs=4k
    --size=1z)
prepare "fill a zone" "${fio[@]}" --rw=write --bs=128k
"${fio[@]}" --rw=randread --norandommap --number_ios=4000 --ioengine=libaio \
    --iodepth=8 >/tmp/behind.out 2>&1 &

step read-qd1 "${fio[@]}" --rw=randread --norandommap --number_ios=500
step write-3-zones "${fio[@]}" --rw=write --offset=1z --offset_increment=1z \
    --numjobs=3 --number_ios=300 --group_reporting
