# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVES
#
# Five drives side by side: fio in all of them, by the names that a shell and a
# fio job know.
# Knows nothing of what is expected.

jobs=()
for n in "${!DRIVES[@]}"; do
    jobs+=(--name="d$n" --filename="${DRIVES[n]}" --offset="${n}z")
done
fio=(fio --direct=1 --zonemode=zbd --bs=16k --size=1z)

step write "${fio[@]}" --rw=write --number_ios=40 "${jobs[@]}"
step read "${fio[@]}" --rw=randread --norandommap --number_ios=40 \
    --ioengine=libaio --iodepth=4 "${jobs[@]}"
cat >/tmp/fourth.fio <<'END'
[w]
filename=${DRIVE3}
direct=1
zonemode=zbd
rw=write
bs=16k
offset=8z
size=1z
number_ios=50
END
step fourth fio /tmp/fourth.fio
step one-each sh -c "cat /sys/block/nvme*n1/device/serial"
