# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034  # jobs want DRIVES
#
# Sourced by the guest's run-job when there are DRIVE_COUNT drives. Drive N,
# which is znsN for QEMU, is /dev/nvmeNn1; a job has it as ${DRIVES[N]}, and all
# that it runs, a fio job too, as ${DRIVEN}: DRIVE0 (which is DRIVE), DRIVE1 ...
# A step resets the statistics of all, and reads those of all.
# Knows nothing of what the job does with them.

DRIVES=()
for ((_n = 0; _n < DRIVE_COUNT; _n++)); do
    DRIVES[_n]=/dev/nvme${_n}n1
    export "DRIVE$_n=${DRIVES[_n]}"
done
export DRIVE_COUNT
readonly NVME_DRIVER=/sys/bus/pci/drivers/nvme

# wait_for_drives: until the driver has found all, or for five seconds.
wait_for_drives()
{
    local drive tries=0
    for drive in "${DRIVES[@]}"; do
        until [ -b "$drive" ] || [ "$tries" = 500 ]; do
            tries=$((tries + 1))
            busybox usleep 10000
        done
    done
}

# QEMU gives them places on the bus in the order of their numbers.
drives_in_order()
{
    local n=0 place
    for place in "$NVME_DRIVER"/0000:*; do
        [ -e "$place/nvme/nvme$n" ] || return 1
        n=$((n + 1))
    done
    [ "$n" = "$DRIVE_COUNT" ]
}

# The driver looks at all at once, and names them as it has found them: let it
# look again, at one after another.
name_in_order()
{
    local places place n=0
    places=("$NVME_DRIVER"/0000:*)
    for place in "${places[@]##*/}"; do
        echo "$place" >$NVME_DRIVER/unbind
    done
    for place in "${places[@]##*/}"; do
        echo "$place" >$NVME_DRIVER/bind
        until [ -b "/dev/nvme${n}n1" ]; do
            busybox usleep 10000
        done
        n=$((n + 1))
    done
}

# What run-job does for the first drive is done for the others, too.
eval "first_$(declare -f reset_stats)"
eval "first_$(declare -f save_stats)"
eval "first_$(declare -f reached_drive)"

reset_stats()
{
    local n
    first_reset_stats
    for ((n = 1; n < DRIVE_COUNT; n++)); do
        nvme set-feature "/dev/nvme$n" -f $STATS_FEATURE -V 1 >/dev/null
    done
}

# save_stats FILE, NAME.device.json; of drive N it is NAME.znsN.json.
save_stats()
{
    local n
    first_save_stats "$1"
    for ((n = 1; n < DRIVE_COUNT; n++)); do
        nvme get-log "/dev/nvme$n" --log-id=$STATS_LOG \
            --log-len=$STATS_BYTES -b | tr -d '\0' \
            >"${1%.device.json}.zns$n.json"
    done
}

reached_drive()
{
    local n
    first_reached_drive "$1" && return
    for ((n = 1; n < DRIVE_COUNT; n++)); do
        first_reached_drive "${1%.device.json}.zns$n.json" && return
    done
    return 1
}

wait_for_drives
drives_in_order || name_in_order
drives_in_order || fail drives "not all $DRIVE_COUNT drives are there"
