# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE and ACKS
#
# The check of zonefs.sh: each file has what was acknowledged since it was last
# emptied, unless a later truncation may have emptied it.
# Knows nothing of when the power went.

readonly BLOCK=4096

mount -t zonefs "$DRIVE" /mnt
for file in 0 1 2 3; do
    # From the last truncation on.
    grep "^$file " "$ACKS" | tac | sed '/empty/q' | tac >mine || true
    size=$(stat -c %s "/mnt/seq/$file")
    last=$(tail -n 1 mine)
    # A truncation that nobody has been told of yet may have happened: the
    # next turn of this file is one of those that truncate.
    turn=${last##* }
    [[ $turn == [0-9]* ]] && (((turn + 4) % 13 == 0)) && may_be_empty=1 ||
        may_be_empty=0
    while read -r _ at blocks turn; do
        [ "$at" = empty ] && continue
        end=$(((at + blocks) * BLOCK))
        if ((size < end)); then
            ((may_be_empty)) && break
            echo "file $file has $size bytes, of $end that were acknowledged"
            exit 1
        fi
        if ! cmp -s -n $((blocks * BLOCK)) -i $((at * BLOCK)):0 \
            "/mnt/seq/$file" <(yes "turn $turn"); then
            echo "file $file: what turn $turn has written is not there"
            exit 1
        fi
    done <mine
done
# It works: a file that nobody has written.
dd of=/mnt/seq/5 bs=$BLOCK count=1 iflag=fullblock oflag=append,direct \
    conv=notrunc,fsync status=none < <(yes new)
umount /mnt
echo "$(wc -l <"$ACKS") acks, all there"
