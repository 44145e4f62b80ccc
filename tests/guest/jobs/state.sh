# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh and DRIVE
#
# A file system that outlives its guest: the first run makes it and writes, the
# next ones find what was written, and write more. ARGS: n, the run's number,
# and end: how it ends.
# Knows nothing of how the drive lasts.

. tap.sh

conventional=$(ls /dev/nvme0n* | sort -V | tail -n 1)

file_of()
{
    seq "$1" 3 1000000
}

have()
{
    file_of "$1" | cmp - "/mnt/file$1"
}

if [ "$n" = 1 ]; then
    check "an F2FS is made" mkfs.f2fs -f -m -c "$DRIVE" "$conventional"
fi
check "it can be mounted" mount -t f2fs "$conventional" /mnt
for ((i = 1; i < n; i++)); do
    check "what run $i wrote is there" have "$i"
done
file_of "$n" >"/mnt/file$n"
check "this run's is in the drive" sync -f /mnt
check "and is there" have "$n"
[ "$end" = umount ] && check "unmounted" umount /mnt
# NVMe base 2.0, figure 207: 16 bytes, of which a test needs the first 8.
check "power cycles: $n" same "power cycles" "$(nvme smart-log -b /dev/nvme0 |
    od -An -tu8 -j112 -N8 | tr -d ' ')" "$n"
echo "1..$tests" >>"$tap"
