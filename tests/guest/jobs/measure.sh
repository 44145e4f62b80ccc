# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh and DRIVE
#
# scripts/measure, which the test has put into /extra. The host's side of the
# test compares the points with the simulator's.
# Knows nothing of what points are right.

. tap.sh

readonly OUT=$RESULTS/measured

# refused TEXT OPTION...: ends with status 1 and says TEXT in its last line.
refused()
{
    local text=$1 got=0 said
    shift
    said=$(measure "$@" 2>&1) || got=$?
    same "exit status of measure $*: $said" "$got" 1
    [[ ${said##*$'\n'} == "measure: error: $text"* ]] || {
        echo "measure $*"
        echo "says    ${said##*$'\n'}"
        echo "instead of $text"
        return 1
    }
}

wrong()
{
    refused "a drive is expected, such as /dev/ng0n1"
    refused "/dev/ng0n1: all its data would be lost; say so: \
--destroy=/dev/ng0n1" /dev/ng0n1
    refused "/dev/ng0n1: all its data would be lost; say so: \
--destroy=/dev/ng0n1 (it is --destroy=/dev/ng0n2)" /dev/ng0n1 \
        --destroy=/dev/ng0n2
    refused "$DRIVE: is no character device" "$DRIVE" --destroy="$DRIVE"
    refused "/dev/null: a namespace's character device is expected" \
        /dev/null --destroy=/dev/null
    ln -s /dev/null /tmp/ng0n1
    refused "/tmp/ng0n1: is not what the kernel calls ng0n1" /tmp/ng0n1 \
        --destroy=/tmp/ng0n1
    refused "/dev/ng0n1: one drive is expected, /dev/ng0n2 is named already" \
        /dev/ng0n2 /dev/ng0n1
    refused "--minutes=0: a whole number above 0 is expected" --minutes=0
    refused "--stages=4: 1, 2 or 3 is expected" --stages=4
    refused "--seconds=-1: a number of seconds" --seconds=-1
    refused "--dilation=x: a whole number above 0" --dilation=x
    refused "--out=: a folder is expected" --out=
    refused "--speed=1: there is no such option" --speed=1
}

mounted()
{
    local got=0
    mkzonefs -f "$DRIVE" >/dev/null
    mount -t zonefs "$DRIVE" /mnt
    refused "/dev/ng0n1: is mounted" /dev/ng0n1 --destroy=/dev/ng0n1 || got=1
    umount /mnt
    return $got
}

# A file system whose second drive it is: /proc/mounts does not name it.
second()
{
    local got=0
    modprobe null_blk nr_devices=1 gb=1 bs=4096 memory_backed=1
    modprobe f2fs
    mkfs.f2fs -f -m -c "$DRIVE" /dev/nullb0 >/dev/null
    mount -t f2fs /dev/nullb0 /mnt
    refused "/dev/ng0n1: $DRIVE: is in use: a file system or another program \
has it" /dev/ng0n1 --destroy=/dev/ng0n1 || got=1
    umount /mnt
    return $got
}

# again: measures what is not there yet.
again()
{
    measure /dev/ng0n1 --destroy=/dev/ng0n1 --stages=1 --seconds=0.01 \
        --dilation=100 --out="$OUT" "$@" 2>&1
}

# A run that fails is told, and is not taken for a result.
fails()
{
    local said got=0
    rm "$OUT/runs/reset-0.json"
    : >"$OUT/runs/reset-100.json"           # the host lost its power
    printf '#!/bin/sh\ncase "$*" in *--name=*) exit 1;; esac\n' >/tmp/broken
    chmod +x /tmp/broken
    said=$(ZNS_LOAD=/tmp/broken again) || got=$?
    same "status and last line" "$got ${said##*$'\n'}" \
        "1 measure: 16 of 21 experiments, 3 could not be measured, 2 failed"
    same "points of the others" \
        "$(cut -d, -f1 "$OUT/points.csv" | sort -u | wc -l)" 17
}

goes_on()
{
    local said
    echo '{"zones_per_thread": 2}' >"$OUT/host.json"
    said=$(again)
    same "what another call measures" \
        "$(sed -n 's/^measure: \([^ ]*\), [0-9]* s$/\1/p' <<<"$said" |
            xargs)" "reset-0 reset-100"
    same "what the user wrote" "$(cat "$OUT/host.json")" \
        '{"zones_per_thread": 2}'
    same "the last line" "${said##*$'\n'}" "$(tail -n 1 /tmp/said)"
}

# used: all zones that may be active are, and none of those that are measured.
used()
{
    zone-op "$DRIVE" reset 0 72 && zone-op "$DRIVE" open 59 13
}

check "measure: wrong words are refused" wrong
check "measure: a drive that is mounted is refused" mounted
check "measure: and one that a file system has beside another" second
check "measure: a drive that was in use" used
check "measure: the first stage" eval 'again >/tmp/said'
check "measure: ends so" same "last line" "$(tail -n 1 /tmp/said)" \
    "measure: 18 of 21 experiments, 3 could not be measured"
check "measure: zones that were left open are told" grep -q \
    "^measure: .*: failed; once more, with all zones empty" /tmp/said
check "measure: what the drive cannot do is told" grep -qx "measure: open: \
cannot be measured: needs 14 open zones, the drive has 13" /tmp/said
check "measure: and that it takes no such append" grep -qx "measure: \
append-128k-qd1-zones1: cannot be measured: needs commands of 131072 bytes, the \
drive takes 65536" /tmp/said
# What is there is of another dilation, or of nobody knows what.
other()
{
    refused "$OUT: is of dilation 100, and asked for is dilation 10; another" \
        /dev/ng0n1 --destroy=/dev/ng0n1 --seconds=0.01 --dilation=10 \
        --out="$OUT"
    mkdir -p /tmp/other/runs
    : >/tmp/other/runs/reset-0.json
    refused "/tmp/other: has runs, but not what made them" \
        /dev/ng0n1 --destroy=/dev/ng0n1 --out=/tmp/other
}

check "measure: a failing run is no success" fails
check "measure: a folder of other runs is refused" other
check "measure: another call goes on" goes_on
echo "1..$tests" >>"$tap"
