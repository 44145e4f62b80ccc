# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE
#
# Four processors that wait for the drive, for each other, for locks, or for
# nothing: whatever could tell one run from another has an occasion to.
# Knows nothing of what is compared.

fio=(fio --name=zone --filename="$DRIVE" --direct=1 --zonemode=zbd --bs=4k
    --size=1z --offset_increment=1z --numjobs=4 --group_reporting)

step write "${fio[@]}" --rw=write --number_ios=500
step read "${fio[@]}" --rw=randread --norandommap --number_ios=500 \
    --ioengine=libaio --iodepth=8
for count in 1 2 4; do
    step busy-$count spin busy $count 200000
done
step lock-4 spin lock 4 500
step flag-4 spin flag 4 200
step wake-4 spin wake 4 50
