# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Steps that measure something else than they seem to, and beside each the same
# as it should be, whose name begins with "good".

io=(fio --name=j --filename="$DRIVE" --bs=4k --number_ios=200)
zoned=(--zonemode=zbd --direct=1)
reads=(--rw=randread --zonemode=zbd --offset=40z --size=1z)

prepare "fill a zone" fio --name=fill --filename="$DRIVE" "${zoned[@]}" \
    --bs=256k --offset=40z --size=1z --rw=write
step depth "${io[@]}" --direct=1 "${reads[@]}" --ioengine=psync --iodepth=16
step good-depth "${io[@]}" --direct=1 "${reads[@]}" --ioengine=io_uring \
    --iodepth=16
step buffered "${io[@]}" "${reads[@]}" --ioengine=psync
step good-direct "${io[@]}" --direct=1 "${reads[@]}" --ioengine=psync
step unfilled "${io[@]}" --direct=1 --rw=randread --offset=640m --size=24m
step limit "${io[@]}" "${zoned[@]}" --rw=write --ioengine=psync --numjobs=15 \
    --size=1z --offset_increment=1z
prepare "reset the zones" blkzone reset -c 15 "$DRIVE"
step good-limit "${io[@]}" "${zoned[@]}" --rw=write --ioengine=psync \
    --numjobs=2 --size=1z --offset_increment=1z
