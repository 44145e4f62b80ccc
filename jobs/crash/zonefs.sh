# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE
#
# For "make crash": appends to files of zonefs, each acknowledged once fsync has
# returned, and truncations. ARGS="turns=60". The check is zonefs-check.sh.
# Knows nothing of cuts.

readonly BLOCK=4096

make_fs()
{
    mkzonefs -f "$DRIVE" && mount -t zonefs "$DRIVE" /mnt
}

# append FILE BLOCKS TURN: blocks of lines that name the turn, at its end.
append()
{
    local at
    at=$(($(stat -c %s "/mnt/seq/$1") / BLOCK))
    dd of="/mnt/seq/$1" bs=$(($2 * BLOCK)) count=1 iflag=fullblock \
        oflag=append,direct conv=notrunc,fsync status=none < <(yes "turn $3")
    ack "$1 $at $2 $3"
}

write_files()
{
    local turn file
    for ((turn = 1; turn <= ${turns:-60}; turn++)); do
        file=$((turn % 4))
        if ((turn % 13 == 0)); then
            truncate -s 0 "/mnt/seq/$file"
            sync -f /mnt
            ack "$file empty"
        fi
        append $file $((1 + turn * 7 % 40)) $turn
    done
}

prepare "make and mount zonefs" make_fs
ack @begin
step write write_files
ack @end
