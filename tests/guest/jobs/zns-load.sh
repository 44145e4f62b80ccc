# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh and DRIVE
#
# zns-load on tiny.cfg: zones of 1024 blocks of 4 KiB, 768 of them capacity. The
# host's side of the test compares what it says with the drive's statistics; a
# wrong command line is tried here.
# Knows nothing of time.

. tap.sh

readonly BLOCKS=1024
readonly CAP_BLOCKS=768

quiet()
{
    same "dmesg" "$(complaints)" ""
}

# refused STATUS TEXT OPTION...: ends so, and says TEXT.
refused()
{
    local wanted=$1 text=$2 got=0 said
    shift 2
    said=$(zns-load "$@" 2>&1) || got=$?
    same "exit status of zns-load $*: $said" "$got" "$wanted"
    [[ $said == *"$text"* ]] || {
        echo "zns-load $*"
        echo "says    $said"
        echo "instead of $text"
        return 1
    }
}

wrong_values()
{
    local job=(--name=j --rw=append)
    refused 2 "there is no job" --bs=4k
    refused 2 "job j: rw is missing" --name=j
    refused 2 "job j: rw=apend: read, randread, write, append, open" \
        --name=j --rw=apend
    refused 2 "--blocks=4: there is no such option" --blocks=4 "${job[@]}"
    refused 2 "bs=4: an option is expected" "${job[@]}" bs=4
    refused 2 "job j: bs=4q: a number of bytes is expected" "${job[@]}" --bs=4q
    refused 2 "job j: bs=0: a number of bytes is expected" "${job[@]}" --bs=0
    refused 2 "iodepth=0: 1 to 1024 is expected" --iodepth=0 "${job[@]}"
    refused 2 "job j: numjobs=257: 1 to 256 is expected" "${job[@]}" \
        --numjobs=257
    refused 2 "job j: offset=two: a number of zones is expected" "${job[@]}" \
        --offset=two
    refused 2 "job j: runtime=1h: a time of at most" "${job[@]}" --runtime=1h
    refused 2 "job j: rate_iops=0: commands per second are expected" \
        "${job[@]}" --rate_iops=0
    refused 2 "job j: prefill=101%: 0% to 100% is expected" "${job[@]}" \
        --prefill=101%
    refused 2 "job j: exitall=yes: 0 or 1 is expected" "${job[@]}" \
        --exitall=yes
    refused 2 "--bs: a value is expected" "${job[@]}" --bs
    refused 2 "--ramp_time=1s: is of the whole run" "${job[@]}" --ramp_time=1s
}

wrong_together()
{
    refused 2 "job j: iodepth=2: 1 is expected" --name=j --rw=write --iodepth=2
    refused 2 "job j: rate=4096: is of data; rw=reset takes rate_iops" \
        --name=j --rw=reset --rate=4k
    refused 2 "one of rate and rate_iops is expected" --name=j --rw=read \
        --rate=4k --rate_iops=1
    refused 2 "job j: time_based=1: runtime or number_ios is expected" \
        --name=j --rw=append --time_based
    refused 2 "job j: time_based=1: rw=reset takes each zone once" --name=j \
        --rw=reset --time_based --runtime=1
    refused 2 "job j: pause=5000ns: is of softfinish" --name=j --rw=finish \
        --pause=5
    refused 2 "job j: prewrite=4096: is of finish and softfinish" --name=j \
        --rw=append --prewrite=4k
}

wrong_for_this_drive()
{
    refused 1 "filename=/dev/ng9n9: No such file" --filename=/dev/ng9n9 \
        --name=j --rw=append
    refused 2 "filename=/dev/null: the character device of a namespace" \
        --filename=/dev/null --name=j --rw=append
    refused 2 "job j: offset=32z: the drive has 32 zones" --name=j \
        --rw=append --offset=32z
    refused 2 "ends at zone 33, the drive has 32" --name=j --rw=append \
        --offset=30z --numjobs=3
    refused 2 "job j: size=4096: whole zones are expected" --name=j \
        --rw=append --size=4k
    refused 2 "job j: bs=512: a multiple of 4096 bytes is expected" --name=j \
        --rw=append --bs=512
    refused 2 "job j: bs=131072: a multiple of 4096 bytes is expected, at most \
65536" --name=j --rw=append --bs=128k
    refused 2 "job j: prewrite=3145728: a multiple of 4096 bytes is expected, \
less than a zone's 3145728" --name=j --rw=finish --prewrite=3m
    refused 1 "job j: rw=randread: there is nothing to read in zones 20 to 21" \
        --name=j --rw=randread --offset=20z --size=2z
    refused 2 "filename=$DRIVE: the character device of a namespace" \
        --filename="$DRIVE" --name=j --rw=append
    refused 2 "job j: offset_increment=1z: at least size=2z is expected" \
        --name=j --rw=append --numjobs=2 --size=2z --offset_increment=1z
    refused 1 "output=/nowhere/x: No such file" --output=/nowhere/x \
        --name=j --rw=open --offset=20z
    blkzone reset -o $((20 * BLOCKS * 8)) -l $((BLOCKS * 8)) "$DRIVE"
}

# A command that the drive refuses: the zones are full, and cannot be closed.
refused_by_the_drive()
{
    refused 1 "job j, worker 0: close in zone 0: NVMe status 1bfh, Invalid \
Zone State Transition" --name=j --rw=close
}

prefilled()
{
    local percent
    for percent in 20 10 100 5; do
        zns-load --name=r --rw=read --offset=1z --prefill=$percent% >/dev/null
        same "blocks in zone 1 at prefill=$percent%" \
            "$(written | cut -d' ' -f2)" $((CAP_BLOCKS * percent / 100))
    done
}

# Of zones 0 to 9: how many blocks are written; a full zone has all.
written()
{
    nvme zns report-zones "$DRIVE" -d 10 | sed -nE \
        's/^SLBA: (\S+) +WP: (\S+) .*State: (\S+) .*/\1 \2 \3/p' |
        while read -r start wp state; do
            [ "$state" = 0xe0 ] && echo $CAP_BLOCKS || echo $((wp - start))
        done | tr '\n' ' '
}

step append zns-load --name=a --rw=append --iodepth=4 --number_ios=300
step two-jobs zns-load --name=w --rw=write --bs=8k --offset=1z --numjobs=2 \
    --number_ios=50 --name=b --rw=append --bs=64k --offset=3z --iodepth=2
step read zns-load --reset_stats=1 --name=r --rw=randread --iodepth=8 \
    --number_ios=300 --offset=4z --prefill=50% \
    --name=s --rw=read --bs=16k --offset=3z
step finish zns-load --name=f --rw=finish --prewrite=16k --offset=5z --size=2z
step soft zns-load --name=s --rw=softfinish --bs=32k --pause=200us \
    --prewrite=16k --offset=7z
step reset zns-load --name=r --rw=reset --offset=3z --numjobs=2 --size=1z
step open zns-load --name=o --rw=open --offset=3z --size=2z
step close zns-load --name=o --rw=close --offset=3z --size=2z
step rewrite zns-load --name=a --rw=append --bs=64k --time_based \
    --number_ios=60 --offset=3z --rate_iops=500
step ramp zns-load --reset_stats=1 --ramp_time=50ms --name=r --rw=randread \
    --rate_iops=1000 --time_based --runtime=100ms
step ramp-count zns-load --ramp_time=2ms --name=r --rw=randread --iodepth=8 \
    --time_based --number_ios=100
step mix zns-load --name=f --rw=finish --offset=8z --prewrite=16k --exitall=1 \
    --startdelay=5ms --name=r --rw=randread --iodepth=2 --time_based \
    --runtime=1000
check "zones are written as far as zns-load says" \
    same "written blocks" "$(written)" \
    "300 100 100 192 0 768 768 768 768 0 "
step fill zns-load --name=w --rw=write --bs=128k
check "zns-load: prefill= leaves in a zone what it says, not more" prefilled
check "zns-load: a wrong value is told with what would be right" wrong_values
check "zns-load: options that do not go together" wrong_together
check "zns-load: what this drive cannot do" wrong_for_this_drive
check "zns-load: a command that fails is told, and the exit status is 1" \
    refused_by_the_drive
check "the kernel has noticed nothing of it" quiet
echo "1..$tests" >>"$tap"
