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
    printf '#!/bin/sh\nexit 1\n' >/tmp/broken
    chmod +x /tmp/broken
    said=$(ZNS_LOAD=/tmp/broken again) || got=$?
    same "status and last line" "$got ${said##*$'\n'}" \
        "1 measure: 17 of 21 experiments, 3 could not be measured, 1 failed"
}

goes_on()
{
    local said
    said=$(again)
    same "what another call measures" \
        "$(sed -n 's/^measure: \([^ ]*\), [0-9]* s$/\1/p' <<<"$said")" reset-0
    same "the last line" "${said##*$'\n'}" "$(tail -n 1 /tmp/said)"
}

check "measure: wrong words are refused" wrong
check "measure: a drive that is mounted is refused" mounted
check "measure: the first stage" eval 'again >/tmp/said'
check "measure: ends so" same "last line" "$(tail -n 1 /tmp/said)" \
    "measure: 18 of 21 experiments, 3 could not be measured"
check "measure: what the drive cannot do is told" grep -qx "measure: open: \
cannot be measured: needs 14 open zones, the drive has 13" /tmp/said
check "measure: and that it takes no such append" grep -qx "measure: \
append-128k-qd1-zones1: cannot be measured: needs commands of 131072 bytes, the \
drive takes 65536" /tmp/said
check "measure: a failing run is no success" fails
check "measure: another call goes on" goes_on
echo "1..$tests" >>"$tap"
