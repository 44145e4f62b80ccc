# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE and ACKS
#
# The check of files.sh: f2fs or btrfs mounts, has each file that was
# acknowledged, or a later one of its name, and works.
# Knows nothing of when the power went.

fs=${fs:-f2fs}
meta=$(find /dev/nvme0n* | sort -V | tail -n 1)

contents()
{
    seq -f "$1.$2.%g" 1 $((1 + $1 * 7919 % 30 * 800))
}

# is_there NAME NUMBER VERSION: a file, or the one that replaces it.
is_there()
{
    local version
    for ((version = $3; version <= 2; version++)); do
        contents "$2" "$version" | cmp -s - "/mnt/$1" && return
    done
    return 1
}

# newest NAME: the last version of a file that was acknowledged.
newest()
{
    grep "^file $1 " "$ACKS" | tail -n 1
}

case $fs in
f2fs) mount -t f2fs "$meta" /mnt ;;
btrfs) mount -t btrfs "$DRIVE" /mnt ;;
esac
while read -r kind name number version; do
    if [ "$kind" = renamed ]; then
        if [ -e "/mnt/$name" ] || [ ! -e "/mnt/$number" ]; then
            echo "$name was renamed to $number, and is not"
            exit 1
        fi
    elif [ "$(newest "$name")" = "$kind $name $number $version" ]; then
        # It may have been renamed since.
        place=$name
        [ -e "/mnt/$name" ] || place=g${name#f}
        if ! is_there "$place" "$number" "$version"; then
            echo "$name, version $version, was acknowledged; there is:"
            stat -c '%n %s bytes' "/mnt/$place"
            exit 1
        fi
    fi
done <"$ACKS"
echo new >/mnt/new
sync -f /mnt
find /mnt -type f -exec cat {} + >/dev/null
umount /mnt
# fsck.f2fs counts other free segments than F2FS has, without a cut, too.
if [ "$fs" = btrfs ]; then
    btrfs check --readonly "$DRIVE" >fsck.out 2>&1 || { tail fsck.out; exit 1; }
fi
echo "$(wc -l <"$ACKS") acks, all there"
