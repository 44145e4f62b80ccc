# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # ARGS
#
# Writers of 8 KiB beside resets, through Linux's block layer, by I/O scheduler:
# Figure 8 of Doekemeijer et al., SYSTOR '24. "make zinc" calls it, with zinc.ko
# in EXTRA. A step is named SCHEDULER-wWRITERS-rRESETS.
#
#   ARGS="schedulers=mq-deadline,zinc writers=1,7 resets=0,30 runtime=1000
#         dilation=5"
#         resets: a second of the drive's; runtime: ms of the drive's; dilation:
#         the DILATION of the run
#
# fio and not zns-load: what goes past the block layer goes past schedulers.
# fio's trim of a zone is a reset.

schedulers=${schedulers:-mq-deadline,zinc}
writers=${writers:-1,7}
resets=${resets:-0,30}
runtime=${runtime:-1000}
dilation=${dilation:-1}
queue=/sys/block/${DRIVE##*/}/queue
# Zones of the writers, and of the resets behind them.
WRITTEN=182
RESET=64
zone_bytes=$((512 * $(cat "$queue/chunk_sectors")))

# The guest's time is the drive's times DILATION.
stretched()
{
    echo $(($1 * dilation))
}

# beside SCHEDULER WRITERS RESETS
beside()
{
    local each=$((WRITTEN / $2)) background=()
    local rate=$((($3 + dilation - 1) / dilation))
    local fio=(fio --filename="$DRIVE" --direct=1 --zonemode=zbd)
    echo none >"$queue/scheduler"
    prepare "empty zones" zone-op "$DRIVE" reset 0 $WRITTEN
    if [ "$3" != 0 ]; then
        prepare "fill zones" "${fio[@]}" --name=fill --ioengine=io_uring \
            --iodepth=4 --rw=write --bs=256k --offset=${WRITTEN}z \
            --size=$((RESET))z
        background=(--name=resets --rw=trim --bs="$zone_bytes"
                    --offset=${WRITTEN}z --size=${RESET}z
                    --rate_iops="$rate,$rate,$rate")
    fi
    echo "$1" >"$queue/scheduler"
    if [ "$1" = zinc ]; then
        stretched 64000 >"$queue/iosched/epoch_us"
    fi
    step "$1-w$2-r$3" "${fio[@]}" --ioengine=psync --thread --time_based \
        --runtime="$(stretched "$runtime")ms" \
        --name=writers --rw=write --bs=8k --offset=0z --size=${each}z \
        --offset_increment=${each}z --numjobs="$2" --group_reporting \
        "${background[@]}"
    if [ "$1" = zinc ]; then
        cat "$queue/iosched/went" >"/results/$1-w$2-r$3.went"
    fi
}

case $schedulers in
*zinc*) insmod /extra/zinc.ko ;;
esac
for scheduler in ${schedulers//,/ }; do
    for count in ${writers//,/ }; do
        for rate in ${resets//,/ }; do
            beside "$scheduler" "$count" "$rate"
        done
    done
done
