# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVES
#
# The job of "make check-kvm": on each drive, side by side, a zone is written and
# verified, then read at random. ARGS="count=n" is for how many writes.
# Knows nothing of the drives, nor of time.

count=${count:-300}
jobs=()
for n in "${!DRIVES[@]}"; do
    jobs+=(--name="d$n" --filename="${DRIVES[n]}" --offset="${n}z")
done
fio=(fio --direct=1 --zonemode=zbd --bs=16k --size=1z --ioengine=libaio)

step verify "${fio[@]}" --rw=write --iodepth=8 --number_ios="$count" \
    --verify=crc32c "${jobs[@]}"
step read "${fio[@]}" --rw=randread --norandommap --iodepth=32 \
    --number_ios=$((3 * count)) "${jobs[@]}"
