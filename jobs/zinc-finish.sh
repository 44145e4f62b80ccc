# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # ARGS
#
# Writers of 8 KiB beside finishes and beside softfinishes (Doekemeijer et al.,
# SYSTOR '24, sections 3.1 and 5.1: the host fills the zone, a chunk at a time, with
# pauses or without), by I/O scheduler: finishes of zones that have a write of 8 KiB
# (an empty one is not filled), one after another. A step is named SCHEDULER-KIND. Says of each what the writers and the finishes had, in
# the drive's time.
#
#   make run JOB=jobs/zinc-finish.sh CONFIG=configs/zn540-small.cfg \
#       SET="zones=256 conventional-size=0" DILATION=5 EXTRA=build-guest/zinc \
#       ARGS="dilation=5 runtime=300"
#
#   ARGS="schedulers=mq-deadline,zinc kinds=none,device,256k,8k,8k-50 writers=7
#         runtime=500 dilation=5"
#         kinds: who fills, the device or the host with chunks, and the pause after
#         each in us; runtime: ms of the drive's; dilation: the DILATION of the run
#
# A softfinish is a job of fio: its chunks are I/O to a scheduler, as the writers'.

schedulers=${schedulers:-mq-deadline,zinc}
kinds=${kinds:-none,device,256k,8k,8k-50}
writers=${writers:-7}
runtime=${runtime:-500}
dilation=${dilation:-1}
queue=/sys/block/${DRIVE##*/}/queue
# Zones of the writers, and of the finishes behind them.
WRITTEN=182
FINISHED=64

# The guest's time is the drive's times DILATION.
stretched()
{
    echo $(($1 * dilation))
}

# told STEP KIND: what came of a step.
told()
{
    jq -rn --slurpfile fio "$RESULTS/$1.fio.json" \
        --slurpfile drive "$RESULTS/$1.device.json" --arg step "$1" \
        --argjson dilation "$dilation" --argjson zone "$capacity_bytes" '
        def job($name): $fio[0].jobs[] | select(.jobname == $name) | .write;
        job("writers") as $writers |
        ([$fio[0].jobs[] | select(.jobname == "soft") | .write.io_bytes] |
         add // 0) as $soft |
        (($drive[0].ops.finish.count // 0) + $soft / $zone) as $finishes |
        "zinc-finish: \($step): writers " +
        "\($writers.iops * $dilation / 100 | round / 10) kIOPS, p95 " +
        "\($writers.clat_ns.percentile["95.000000"] / $dilation / 100 |
           round / 10) us; finishes/s " +
        "\($finishes / ($writers.runtime / 1000 / $dilation) * 10 |
           round / 10)"' | say
}

# Finishes one zone after another, until the writers have ended.
finish_zones()
{
    local zone
    for zone in $(seq $WRITTEN $((WRITTEN + FINISHED - 1))); do
        [ ! -e /tmp/ended ] || break
        dd if=/dev/zero of="$DRIVE" bs=8k count=1 oflag=direct status=none \
            seek=$((zone * zone_bytes / 8192))
        zone-op "$DRIVE" finish "$zone" >/dev/null
    done
}

# beside SCHEDULER KIND
beside()
{
    local each=$((WRITTEN / writers)) step=$1-$2 soft=() chunk pause
    echo none >"$queue/scheduler"
    prepare "empty zones" zone-op "$DRIVE" reset 0 $((WRITTEN + FINISHED))
    echo "$1" >"$queue/scheduler"
    if [ "$1" = zinc ]; then
        stretched 64000 >"$queue/iosched/epoch_us"
    fi
    case $2 in
    none) ;;
    device)
        rm -f /tmp/ended
        finish_zones & ;;
    *)
        chunk=${2%-*}
        pause=${2#"$chunk"}
        pause=${pause#-}
        soft=(--name=soft --rw=write --bs="$chunk" --offset=${WRITTEN}z
              --size=${FINISHED}z
              --thinktime="$(stretched "${pause:-0}")us" --thinktime_blocks=1) ;;
    esac
    step "$step" fio --filename="$DRIVE" --direct=1 --zonemode=zbd \
        --ioengine=psync --thread --time_based \
        --runtime="$(stretched "$runtime")ms" \
        --name=writers --rw=write --bs=8k --offset=0z --size="${each}z" \
        --offset_increment="${each}z" --numjobs="$writers" --group_reporting \
        "${soft[@]}"
    touch /tmp/ended
    wait
    told "$step"
}

case $schedulers in
*zinc*) insmod /extra/zinc.ko ;;
esac
zone_bytes=$((512 * $(cat "$queue/chunk_sectors")))
capacity_bytes=$((512 * $(blkzone report -c 1 "$DRIVE" |
                          sed 's/.*cap 0x\([0-9a-f]*\).*/0x\1/')))
for scheduler in ${schedulers//,/ }; do
    for kind in ${kinds//,/ }; do
        beside "$scheduler" "$kind"
    done
done
