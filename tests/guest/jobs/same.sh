# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE
#
# A job with idle time, interrupts, several processes and a deep queue: whatever
# on the host could disturb virtual time has an occasion to.
# Knows nothing of what is compared.

fio=(fio --name=zone --filename="$DRIVE" --direct=1 --zonemode=zbd --bs=4k
    --size=1z)

step write-qd1 "${fio[@]}" --rw=write --number_ios=3000
step read-qd1 "${fio[@]}" --rw=randread --norandommap --number_ios=3000
step read-qd32 "${fio[@]}" --rw=randread --norandommap --number_ios=3000 \
    --ioengine=libaio --iodepth=32
step write-4-zones "${fio[@]}" --rw=write --offset=1z --offset_increment=1z \
    --numjobs=4 --number_ios=500 --group_reporting
step finish zone-op "$DRIVE" finish 1
step reset zone-op "$DRIVE" reset 0 2
