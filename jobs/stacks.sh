# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # DRIVE, RESULTS come from run-job
#
# Linux' storage stacks, side by side: random reads of 4 KiB by psync, libaio
# and io_uring (by interrupts, iopoll, sqpoll) under each I/O scheduler, and as
# NVMe passthrough, which goes past them. Then reads beside writers, by
# scheduler.
#
#   ARGS="stacks='psync libaio' schedulers='none kyber' few=256 many=1280"
#
# Each stack reads FEW times and MANY times, at depth 1 and at DEPTH (psync by
# as many threads), all in one fio for a scheduler, job after job. Between any
# two the machine's count of instructions is read (INSNS=1 gives it the port
# that tells, docs/workloads.md): what it has executed more for MANY than for FEW is
# what so many reads cost, without what a job's start costs. "own" is fio
# without any I/O. results/SCHEDULER.json is fio's, of jobs STACK.DEPTH.COUNT;
# SCHEDULER.tsv has these names, and the count before and after each.
#
# Knows nothing of what is made of it.

all='own psync libaio io_uring iopoll sqpoll passthrough passthrough-iopoll'
stacks=${stacks-$all}
schedulers=${schedulers-none mq-deadline bfq kyber}
beside=${beside-$schedulers}
few=${few:-256}         # multiples of 8 and of DEPTH
many=${many:-1280}
depth=${depth:-16}
reads=${reads:-1000}    # beside writers
writers=${writers:-4}
character=/dev/ng${DRIVE#/dev/nvme}
queue=/sys/block/${DRIVE##*/}/queue
FILLED=48m
READ=32m                # of that: the last of it may be in the write buffer
INSNS_PORT=224          # eight ports
LOOKS=/tmp/looks

# A queue that is polled, beside the one that interrupts.
with_poll_queue()
{
    modprobe -r nvme &&
        modprobe nvme poll_queues=1 &&
        find-drive 1 &&
        grep -q '^1$' "$queue/io_poll"
}

# scheduler NAME: the drive's.
scheduler()
{
    modprobe -q "$1-iosched" || modprobe -q "$1" || true
    echo "$1" >"$queue/scheduler" && grep -qF "[$1]" "$queue/scheduler"
}

# options STACK: fio's, for a stack.
options()
{
    case $1 in
    own) echo ioengine=null ;;
    psync|libaio|io_uring) echo "ioengine=$1 filename=$DRIVE direct=1" ;;
    iopoll) echo "ioengine=io_uring filename=$DRIVE direct=1 hipri=1" ;;
    sqpoll) echo "ioengine=io_uring filename=$DRIVE direct=1 sqthread_poll=1" ;;
    passthrough) echo "ioengine=io_uring_cmd filename=$character" ;;
    passthrough-iopoll)
        echo "ioengine=io_uring_cmd filename=$character hipri=1" ;;
    *) echo "no stack $1" >&2; return 1 ;;
    esac
}

# counts_of STACK: FEW and MANY. With one processor the kernel's thread that polls
# for sqpoll takes it for whole slices, 8 ms a read: an eighth will do.
counts_of()
{
    if [ "$1" = sqpoll ] && [ "$(nproc)" = 1 ]; then
        echo "$((few / 8)) $((many / 8))"
    else
        echo "$few $many"
    fi
}

# many_at_once STACK DEPTH COUNT: fio's options for COUNT reads, by DEPTH.
many_at_once()
{
    if [ "$1" = psync ]; then
        echo "numjobs=$2 number_ios=$(($3 / $2))"
    else
        echo "iodepth=$2 number_ios=$3"
    fi
}

# A job of fio's for the count of instructions: it reads nothing of the drive,
# and before it does so the eight ports, as NAME.prerun.txt.
look()
{
    local dd="dd if=/dev/port bs=8 skip=$((INSNS_PORT / 8)) count=1"
    printf '%s\n' "[look-$looks]" stonewall ioengine=null size=4k \
        "exec_prerun=$dd status=none"
    looks=$((looks + 1))
}

# A job of fio's that makes the scheduler anew: bfq remembers what it has seen.
renew()
{
    [ "$1" != past ] || return 0
    # shellcheck disable=SC2016  # bash's, below
    echo 'echo none >"$1" && echo "$2" >"$1"' >$LOOKS/renew
    printf '%s\n' "[renew-$looks]" stonewall ioengine=null size=4k \
        "exec_prerun=bash -e $LOOKS/renew $queue/scheduler $1"
}

# jobs SCHEDULER STACK...: fio's file, and on descriptor 3 the jobs' names, each
# with the numbers of the looks before and after it.
jobs()
{
    local one at count looks=0
    printf '%s\n' '[global]' rw=randread bs=4k size=$READ thread \
        norandommap randrepeat=1 group_reporting disk_util=0
    # What is done but once in a process is not of the first job that counts.
    printf '%s\n' '[warm]' "number_ios=$few"
    options "$2" | tr ' ' '\n'
    for one in "${@:2}"; do
        renew "$1"
        look
        for at in 1 "$depth"; do
            for count in $(counts_of "$one"); do
                printf '%s\n' "[$one.$at.$count]" stonewall
                { options "$one"; many_at_once "$one" "$at" "$count"; } |
                    tr ' ' '\n'
                echo "$one.$at.$count $((looks - 1)) $looks" >&3
                look
            done
        done
    done
}

# measure SCHEDULER: runs them.
measure()
{
    (cd $LOOKS && fio --output-format=json --eta=never \
        --output="$RESULTS/$1.json" jobs.fio)
}

# looked N: the count that was seen by the look number N.
looked()
{
    od -An -tu8 "$LOOKS/look-$1.prerun.txt" | tr -d ' '
}

# counts SCHEDULER: what was seen before and after each job.
counts()
{
    local name before after
    while read -r name before after; do
        printf '%s\t%s\t%s\n' "$name" "$(looked "$before")" \
            "$(looked "$after")"
    done <$LOOKS/names >"$RESULTS/$1.tsv"
}

# run SCHEDULER STACK...
run()
{
    rm -rf $LOOKS
    mkdir $LOOKS
    jobs "$@" >$LOOKS/jobs.fio 3>$LOOKS/names
    step "$1" measure "$1" && counts "$1"
}

for one in $stacks; do
    prepare "know the stack $one" options "$one"
done
prepare "load the driver with a queue for polling" with_poll_queue
prepare "fill $FILLED" fio --name=fill --filename="$DRIVE" --direct=1 \
    --zonemode=zbd --rw=write --bs=256k --size=1z --io_size=$FILLED
scheduled=$(printf '%s\n' $stacks | grep -v -e '^own$' -e '^passthrough')
past=$(printf '%s\n' $stacks | grep -e '^own$' -e '^passthrough')
[ -z "$past" ] || run past $past
for name in $schedulers; do
    prepare "schedule by $name" scheduler "$name"
    [ -z "$scheduled" ] || run "$name" $scheduled
done
for name in $beside; do
    prepare "schedule by $name" scheduler "$name"
    prepare "reset what is written to" blkzone reset -c $((2 * writers)) \
        -o $((8 * $(cat "$queue/chunk_sectors"))) "$DRIVE"
    step "beside-writers.$name" fio --filename="$DRIVE" --direct=1 --thread \
        --randrepeat=1 --norandommap --name=read --ioengine=psync \
        --rw=randread --bs=4k --size=$READ --number_ios="$reads" --exitall \
        --name=write --ioengine=psync --rw=write --bs=128k --zonemode=zbd \
        --offset=8z --size=2z --offset_increment=2z --numjobs="$writers"
done
