# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE
#
# For "make crash": files on a file system, each acknowledged once fsync has
# returned.
#
#   ARGS="fs=f2fs files=40"      fs: f2fs (with a conventional namespace) or btrfs
#
# At every third file an older one is replaced, by a new file that takes its name;
# some files get another name. Both are acknowledged as well, once the file system
# has been synchronised. The check is files-check.sh.
# Knows nothing of cuts.

# contents NUMBER VERSION: what a file holds: up to 300 KiB.
contents()
{
    seq -f "$1.$2.%g" 1 $((1 + $1 * 7919 % 30 * 800))
}

# put NAME NUMBER VERSION: a file, which lasts when this returns.
put()
{
    contents "$2" "$3" | dd of="/mnt/$1" bs=64K conv=fsync iflag=fullblock \
        status=none
}

# move FROM TO: a file's name, likewise.
move()
{
    mv "/mnt/$1" "/mnt/$2"
    sync -f /mnt
}

make_fs()
{
    case $fs in
    f2fs) mkfs.f2fs -f -m -c "$DRIVE" "$meta" &&
        mount -t f2fs "$meta" /mnt ;;
    btrfs) mkfs.btrfs -f -m single -d single "$DRIVE" &&
        mount -t btrfs "$DRIVE" /mnt ;;
    esac
}

write_files()
{
    local i
    for ((i = 1; i <= ${files:-40}; i++)); do
        put "f$i" "$i" 1
        ack "file f$i $i 1"
        if ((i % 3 == 0)); then
            put new "$((i / 3))" 2
            move new "f$((i / 3))"
            ack "file f$((i / 3)) $((i / 3)) 2"
        fi
        # Of those that are never replaced.
        if ((i * 3 > ${files:-40} && i % 5 == 0)); then
            move "f$i" "g$i"
            ack "renamed f$i g$i"
        fi
    done
}

fs=${fs:-f2fs}
meta=$(find /dev/nvme0n* | sort -V | tail -n 1)
prepare "make and mount $fs" make_fs
sync
ack @begin
step write write_files
ack @end
