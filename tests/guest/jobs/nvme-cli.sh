# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh and DRIVE
#
# What nvme-cli makes of the drive: tiny.cfg with 32 zones, 8 open and 10 active,
# a 64-byte extension of each zone's descriptor, and a recommendation to finish
# what has been active for 100 s. Needs iomem=relaxed, or nvme-cli cannot read
# the registers.
# Knows nothing of time.

. tap.sh
shopt -s lastpipe
readonly BLOCKS=1024            # of 4096 bytes, in a zone
readonly CAP_BLOCKS=768
readonly ZONES=32
readonly EXTENSION_BYTES=64
readonly FINISH_RECOMMENDED_S=100

# json COMMAND...: its JSON goes to /tmp/json.
json()
{
    nvme "$@" -o json >/tmp/json
}

# field FILTER WANTED: of /tmp/json.
field()
{
    same "$1" "$(jq -c "$1" /tmp/json)" "$2"
}

refused()
{
    if nvme "$@"; then
        echo "not refused: nvme $*"
        return 1
    fi
}

# By the block layer, which remembers write pointers and has to know.
reset_all()
{
    blkzone reset "$DRIVE"
}

# --- Identify -----------------------------------------------------------------

id_ctrl()
{
    json id-ctrl "$CONTROLLER"
    field '.mn | rtrimstr(" " * 32)' '"femu-zns"'
    field '.sn | rtrimstr(" " * 16)' '"zns0"'
    field '[.ver, .cntrltype, .mdts, .cmic]' '[131072,1,5,0]'
    field '[.acl, .aerl, .elpe, .npss, .sqes, .cqes]' '[3,3,63,0,102,68]'
    field '[.wctemp, .cctemp, .vwc, .fuses]' '[343,358,6,0]'
    field '.subnqn' "\"$(cat /sys/class/nvme/nvme0/subsysnqn)\""
    field '.psds | length' 1
    same "MDTS as the kernel has it" \
        "$(cat /sys/block/nvme0n1/queue/max_hw_sectors_kb)" 128
}

id_ns()
{
    json id-ns "$DRIVE"
    field '[.nsze, .ncap]' "[$((ZONES * BLOCKS)),$((ZONES * CAP_BLOCKS))]"
    field '.nvmcap' $((ZONES * CAP_BLOCKS * 4096))
    field '[.lbafs[] | [.ms, .ds]]' '[[0,9],[0,12]]'
    field .flbas 1
    field '[.mssrl, .mcl, .msrc]' '[32,32,127]'
    field '.nguid' "\"$(tr -d - </sys/block/nvme0n1/nguid)\""
    field '.eui64' "\"$(tr -d ' ' </sys/block/nvme0n1/eui)\""
}

id_zoned()
{
    json zns id-ctrl "$CONTROLLER"
    field '.zasl' 4
    json zns id-ns "$DRIVE"
    field '[.zoc, .ozcs]' '[0,0]'
    field '[.mar, .mor]' '[9,7]'
    field '[.lbafe[] | [.zsze, .zdes]]' "[[$((8 * BLOCKS)),1],[$BLOCKS,1]]"
    json nvm-id-ctrl "$CONTROLLER"
    field '[.vsl, .wzsl]' '[5,5]'
    json cmdset-ind-id-ns "$DRIVE"
    field '.nstat' 1
}

lists()
{
    json list-ns "$CONTROLLER"
    field '[.nsid_list[].nsid]' '[1]'
    json list-ns "$CONTROLLER" -a
    field '[.nsid_list[].nsid]' '[1]'
    json list-ns "$CONTROLLER" -y 2
    field '[.nsid_list[].nsid]' '[1]'
    json list-ns "$CONTROLLER" -y 0
    field '[.nsid_list[]?.nsid]' '[]'
    json list-ctrl "$CONTROLLER"
    field '[.num_ctrl, .ctrl_list[0].ctrl_id]' '[1,0]'
    json ns-descs "$DRIVE"
    field '[."ns-descs"[].Type]' '["eui64","nguid","uuid","csi"]'
    field '."ns-descs"[2].uuid' "\"$(cat /sys/block/nvme0n1/uuid)\""
    field '."ns-descs"[3].csi' '"0x2"'
    json list
    field '.Devices[0] | [.NameSpace, .ModelNumber, .SectorSize]' \
        '[1,"femu-zns",4096]'
    json list-subsys
    field '.[0].Subsystems[0].Paths[0].State' '"live"'
    nvme id-iocs "$CONTROLLER" -o json | sed 1d >/tmp/json
    field '."I/O Command Set Combination[0]"' 5
    same "get-ns-id" "$(nvme get-ns-id "$DRIVE")" "nvme0n1: namespace-id:1"
}

# --- Zone reports -------------------------------------------------------------

# Zones 1 to 6 in a state each; zone 5 has an extension.
make_states()
{
    dd if=/dev/zero of="$DRIVE" bs=4096 seek=$BLOCKS count=5 oflag=direct
    nvme zns open-zone "$DRIVE" -s $((2 * BLOCKS))
    dd if=/dev/zero of="$DRIVE" bs=4096 seek=$((3 * BLOCKS)) count=7 \
        oflag=direct
    nvme zns close-zone "$DRIVE" -s $((3 * BLOCKS))
    nvme zns finish-zone "$DRIVE" -s $((4 * BLOCKS))
    printf '%-64s' "an extension" |
        nvme zns set-zone-desc "$DRIVE" -s $((5 * BLOCKS))
}

# zones OPTION...: the numbers of the zones that a report has.
zones()
{
    nvme zns report-zones "$DRIVE" -o json "$@" |
        jq -c "[.zone_list[]? | .slba / $BLOCKS]"
}

states()
{
    json zns report-zones "$DRIVE"
    field '.nr_zones' $ZONES
    field '.zone_list | length' $ZONES
    field '[.zone_list[1:7][] | .state]' \
        '["IMP_OPENED","EXP_OPENED","CLOSED","FULL","CLOSED","EMPTY"]'
    field "[.zone_list[1,2,3,5,6] | .wp - .slba]" '[5,0,7,0,0]'
    field '[.zone_list[].cap] | unique' "[$CAP_BLOCKS]"
    field '[.zone_list[].type] | unique' '["SEQWRITE_REQ"]'
}

filters()
{
    same all "$(zones -S 0 | jq length)" $ZONES
    same empty "$(zones -S 1)" "[0,$(seq -s, 6 $((ZONES - 1)))]"
    same "implicitly open" "$(zones -S 2)" '[1]'
    same "explicitly open" "$(zones -S 3)" '[2]'
    same closed "$(zones -S 4)" '[3,5]'
    same full "$(zones -S 5)" '[4]'
    same read-only "$(zones -S 6)" '[]'
    same offline "$(zones -S 7)" '[]'
}

parts()
{
    same "two descriptors" "$(zones -d 2)" '[0,1]'
    same "from zone 3" "$(zones -s $((3 * BLOCKS)) -d 3)" '[3,4,5]'
    same "from the middle of zone 3" "$(zones -s $((3 * BLOCKS + 9)) -d 1)" \
        '[3]'
    same "to the end" "$(zones -s $(((ZONES - 2) * BLOCKS)) -d 2)" \
        "[$((ZONES - 2)),$((ZONES - 1))]"
    same "partial" "$(zones -p -d 4)" '[0,1,2,3]'
    same "closed zones from zone 4 on" "$(zones -s $((4 * BLOCKS)) -S 4 -d 1)" \
        '[5]'
    refused zns report-zones "$DRIVE" -s $((ZONES * BLOCKS))
}

# raw_report CDW13: from zone 5 on, a header and 3 descriptors with extensions.
raw_report()
{
    nvme io-passthru "$DRIVE" -O 0x7a -n 1 -4 $((5 * BLOCKS)) -6 111 -7 "$1" \
        -l 448 -r -b >/tmp/raw
}

extended()
{
    nvme zns report-zones "$DRIVE" -e |
        sed -n '/SLBA: 0x1400 /,/SLBA: 0x1800 /p' | grep '"an.extension'
    raw_report 1
    same "zones from zone 5 on" "$(od -An -tu8 -N8 /tmp/raw | tr -d ' ')" 27
    raw_report 0x10001
    same "zones in a partial report" "$(od -An -tu8 -N8 /tmp/raw | tr -d ' ')" 3
    same "the extension" \
        "$(tail -c +129 /tmp/raw | head -c $EXTENSION_BYTES)" \
        "$(printf '%-64s' "an extension")"
    same "attributes: extension valid" \
        "$(od -An -tu1 -j66 -N1 /tmp/raw | tr -d ' ')" 128
    same "the next zone's" "$(od -An -tu1 -j194 -N1 /tmp/raw | tr -d ' ')" 0
    reset_all
    same "empty again" "$(zones -S 1 | jq length)" $ZONES
}

# --- Logs ---------------------------------------------------------------------

smart_value()
{
    nvme smart-log "$CONTROLLER" -o json | jq "$1"
}

smart()
{
    local reads writes written errors
    reads=$(smart_value .host_read_commands)
    writes=$(smart_value .host_write_commands)
    errors=$(smart_value .num_err_log_entries)
    written=$(smart_value .data_units_written)
    dd if=/dev/zero of="$DRIVE" bs=64k count=40 oflag=direct
    dd if="$DRIVE" of=/dev/null bs=64k count=3 iflag=direct
    refused zns close-zone "$DRIVE" -s $((9 * BLOCKS))
    json smart-log "$CONTROLLER"
    field "[.host_read_commands, .host_write_commands, .num_err_log_entries]" \
        "[$((reads + 3)),$((writes + 40)),$((errors + 1))]"
    # 2,621,440 bytes are 5.12 units of 512,000; a part counts as a whole.
    field ".data_units_written - $written | . == 5 or . == 6" true
    field '[.critical_warning, .temperature, .avail_spare, .percent_used]' \
        '[0,310,100,0]'
    field '[.power_cycles, .media_errors]' '[1,0]'
    json smart-log "$DRIVE"
    field '.temperature' 310
    reset_all
}

errors()
{
    refused zns close-zone "$DRIVE" -s $((9 * BLOCKS))
    json error-log "$CONTROLLER" -e 4
    field '.errors | length' 4
    field '.errors[0] | [.sqid, .nsid, .lba]' "[1,1,$((9 * BLOCKS))]"
    # Invalid Zone State Transition, not to be retried
    field '.errors[0].status_field % 2048' $((0x1bf))
    field '.errors[0].error_count - .errors[1].error_count' 1
}

effects()
{
    json effects-log "$CONTROLLER"
    field '[.[].command_set_identifier]' '[2,0]'
    field '.[0].io_cmd_set | [."IOCS_1 (Write)",
        ."IOCS_125 (Zone Append)", ."IOCS_122 (Zone Management Receive)"]' \
        '[3,3,1]'
    field '.[1].io_cmd_set."IOCS_125 (Zone Append)"' null
    field '[.[].admin_cmd_set."ACS_6 (Identify)"]' '[2097153,2097153]'
    json effects-log "$CONTROLLER" -c 2
    field '.[0].command_set_identifier' 2
    refused effects-log "$CONTROLLER" -c 1
}

other_logs()
{
    json fw-log "$CONTROLLER"
    field '.nvme0."Active Firmware Slot (afi)"' 1
    json zns changed-zone-list "$DRIVE"
    field '.nrzid' 0
    json zns changed-zone-list "$DRIVE" -r
    field '.nrzid' 0
    json changed-ns-list-log "$CONTROLLER"
    field '.nvme0' '{}'
}

# The changed zone list is a namespace's; the others are the controller's.
nsid_for()
{
    if [ "$1" = 191 ]; then
        echo 1
    else
        echo 0xffffffff
    fi
}

# Zone 2 is open for too long: the drive says so once, and where.
changed_zones()
{
    dd if=/dev/zero of="$DRIVE" bs=4096 seek=$((2 * BLOCKS)) count=1 \
        oflag=direct
    json zns changed-zone-list "$DRIVE"
    field '.nrzid' 0
    sleep $((FINISH_RECOMMENDED_S + 1))
    json zns changed-zone-list "$DRIVE" -r
    cat /tmp/json
    field '.nrzid' 1
    json zns changed-zone-list "$DRIVE"
    field '.nrzid' 1
    json zns changed-zone-list "$DRIVE"
    field '.nrzid' 0
    json zns report-zones "$DRIVE" -s $((2 * BLOCKS)) -d 2
    # Finish Zone Recommended
    field '[.zone_list[] | .attrs]' '[2,0]'
    reset_all
    json zns report-zones "$DRIVE" -s $((2 * BLOCKS)) -d 1
    field '.zone_list[0].attrs' 0
}

# Each page from 0 to 255: read if the drive lists it, else refused.
log_pages()
{
    local lid listed
    json supported-log-pages "$CONTROLLER"
    listed=" $(jq -r '.supported_logs[] | keys[]' /tmp/json |
        sed 's/lid_//' | while read -r lid; do printf '%d ' "$lid"; done)"
    same "mandatory pages" "${listed:0:12}" " 0 1 2 3 4 5"
    for ((lid = 0; lid < 256; lid++)); do
        if [[ $listed == *" $lid "* ]]; then
            nvme get-log "$DRIVE" -n "$(nsid_for $lid)" -i $lid -l 512 -b \
                >/tmp/log
            same "bytes of log page $lid" "$(stat -c %s /tmp/log)" 512
        elif ((lid < 32 || lid > 0xbc)); then
            refused get-log "$CONTROLLER" -i $lid -l 512 -b
        fi
    done
}

# --- Features -----------------------------------------------------------------

# feature ID SELECT: its value, in hexadecimal.
feature()
{
    nvme get-feature "$DRIVE" -f "$1" -s "$2" |
        sed -n 's/.* value:\(0x\)\{0,1\}\([0-9a-f]*\).*/\2/p'
}

features()
{
    local fid listed sel
    json fid-support-effects-log "$CONTROLLER"
    listed=" $(jq -r '.fid_support[] | keys[]' /tmp/json | sed 's/fid_//' |
        tr '\n' ' ')"
    for fid in 1 2 4 5 7 8 9 10 11 14 25 129 192; do
        [[ $listed == *" $fid "* ]]
    done
    for ((fid = 0; fid < 256; fid++)); do
        if [[ $listed == *" $fid "* ]]; then
            for sel in 0 1 2; do
                [ -n "$(feature $fid $sel)" ]
            done
            same "feature $fid: changeable" $((0x$(feature $fid 3) & 4)) 4
            same "feature $fid: default and saved" "$(feature $fid 1)" \
                "$(feature $fid 2)"
        elif ((fid < 32 || fid > 0xf0)); then
            refused get-feature "$CONTROLLER" -f $fid
        fi
    done
}

set_features()
{
    nvme set-feature "$CONTROLLER" -f 4 -V $((0x160))
    same current "$(feature 4 0)" 00000160
    same default "$(feature 4 1)" 00000157
    nvme set-feature "$DRIVE" -f 5 -n 1 -V 9
    same "error recovery" "$(feature 5 0)" 00000009
    refused set-feature "$CONTROLLER" -f 4 -V 300 -s
    refused set-feature "$CONTROLLER" -f 0x3f -V 0
}

# --- Commands on data ---------------------------------------------------------

blocks()
{
    head -c 16384 /dev/urandom >/tmp/data
    nvme write "$DRIVE" -s 0 -c 3 -z 16384 -d /tmp/data
    nvme read "$DRIVE" -s 0 -c 3 -z 16384 -d /tmp/back
    cmp /tmp/data /tmp/back
    nvme compare "$DRIVE" -s 0 -c 3 -z 16384 -d /tmp/data
    refused compare "$DRIVE" -s 0 -c 3 -z 16384 -d /dev/zero
    nvme verify "$DRIVE" -s 0 -c 3
    nvme flush "$DRIVE"
    nvme write-zeroes "$DRIVE" -s 4 -c 3
    same "blocks written" "$(nvme zns report-zones "$DRIVE" -d 1 -o json |
        jq .zone_list[0].wp)" 8
    nvme dsm "$DRIVE" -d -s 0 -b 4
    nvme copy "$DRIVE" -d $BLOCKS -s 0 -b 3
    nvme read "$DRIVE" -s $BLOCKS -c 3 -z 16384 -d /tmp/back
    cmp /tmp/data /tmp/back
    same appended "$(nvme zns zone-append "$DRIVE" -s $BLOCKS -z 16384 \
        -d /tmp/data)" "Success appended data to LBA $(printf %x $((BLOCKS + 4)))"
    nvme read "$DRIVE" -s $((BLOCKS + 4)) -c 3 -z 16384 -d /tmp/back
    cmp /tmp/data /tmp/back
    reset_all
}

zone_operations()
{
    nvme zns open-zone "$DRIVE" -s 0
    nvme zns close-zone "$DRIVE" -s 0
    nvme zns finish-zone "$DRIVE" -s 0
    nvme zns reset-zone "$DRIVE" -s 0
    nvme zns zone-mgmt-send "$DRIVE" -s 0 -z 3
    refused zns offline-zone "$DRIVE" -s 0
    nvme zns offline-zone "$DRIVE" -a
    refused zns open-zone "$DRIVE" -s 1
    refused zns zrwa-flush-zone "$DRIVE" -l 0
    reset_all
}

# --- The controller -----------------------------------------------------------

registers()
{
    local cap
    json show-regs "$CONTROLLER"
    field .vs 131072
    field '.csts % 2' 1
    # jq has no integers of 64 bits
    cap=$(nvme show-regs "$CONTROLLER" | sed -n 's/^cap *: *//p')
    same "queue entries, 0's based" $((cap & 0xffff)) 2047
    same "all command sets (CSS bit 6)" $((cap >> 43 & 1)) 1
    same "no subsystem reset" $((cap >> 36 & 1)) 0
}

# Features are as at the start, the zones as they were.
resets()
{
    dd if=/tmp/data of="$DRIVE" bs=16k count=1 oflag=direct
    nvme set-feature "$CONTROLLER" -f 4 -V 300
    nvme reset "$CONTROLLER"
    same "temperature threshold" "$(feature 4 0)" 00000157
    dd if="$DRIVE" of=/tmp/back bs=16k count=1 iflag=direct
    cmp /tmp/data /tmp/back
    refused subsystem-reset "$CONTROLLER" 2>&1 | grep 'not supported'
    nvme ns-rescan "$CONTROLLER"
    reset_all
}

# --- Format and attachment ----------------------------------------------------

queue_is()
{
    same "$1" "$(cat /sys/block/nvme0n1/queue/"$1")" "$2"
}

# format_to NUMBER BYTES: what was written is gone, the zones are as before.
format_to()
{
    local written
    dd if=/tmp/data of="$DRIVE" bs=16k count=1 oflag=direct
    # Behind a format nvme-cli has the kernel look for partitions, which a zoned
    # device cannot have: its own status is of that.
    { nvme format "$DRIVE" -l "$1" --force || :; } |
        grep '^Success formatting namespace'
    queue_is logical_block_size "$2"
    queue_is nr_zones $ZONES
    queue_is chunk_sectors $((BLOCKS * 8))
    queue_is max_active_zones 10
    json id-ns "$DRIVE"
    field '[.flbas, .nsze, .ncap]' "[$1,$((ZONES * BLOCKS * 4096 / $2)),$((
        ZONES * CAP_BLOCKS * 4096 / $2))]"
    json zns report-zones "$DRIVE"
    field '[.zone_list[].state] | unique' '["EMPTY"]'
    field '[.zone_list[].cap] | unique' "[$((CAP_BLOCKS * 4096 / $2))]"
    same "the data" "$(dd if="$DRIVE" bs=16k count=1 iflag=direct |
        tr -d '\0' | wc -c)" 0
    # Linux keeps the write pointers that it remembers over a format.
    reset_all
    fio --name=verify --filename="$DRIVE" --direct=1 --zonemode=zbd \
        --rw=write --bs=16k --size=2z --verify=crc32c --do_verify=1 \
        --verify_fatal=1
    reset_all
}

formats()
{
    format_to 0 512
    format_to 0 512
    format_to 1 4096
    refused format "$DRIVE" -l 2 --force
    refused format "$DRIVE" -l 1 -s 2 --force
    queue_is logical_block_size 4096
}

# Detached, the namespace and its device are gone; attached, the data are there.
attachment()
{
    dd if=/tmp/data of="$DRIVE" bs=16k count=1 oflag=direct
    nvme detach-ns "$CONTROLLER" -n 1 -c 0
    json list-ns "$CONTROLLER"
    field '[.nsid_list[]?.nsid]' '[]'
    json list-ns "$CONTROLLER" -a
    field '[.nsid_list[].nsid]' '[1]'
    nvme ns-rescan "$CONTROLLER"
    sleep 1
    [ ! -e /sys/block/nvme0n1 ]
    refused detach-ns "$CONTROLLER" -n 1 -c 0
    nvme attach-ns "$CONTROLLER" -n 1 -c 0
    nvme ns-rescan "$CONTROLLER"
    sleep 1
    json list-ns "$CONTROLLER"
    field '[.nsid_list[].nsid]' '[1]'
    dd if="$DRIVE" of=/tmp/back bs=16k count=1 iflag=direct
    cmp /tmp/data /tmp/back
    reset_all
}

# But for what the driver says of the reset.
quiet()
{
    same "dmesg" "$(complaints | sed 's/.*] //')" \
        "nvme nvme0: resetting controller"
}

check "id-ctrl" id_ctrl
check "id-ns" id_ns
check "zns id-ctrl, zns id-ns, nvm-id-ctrl, cmdset-ind-id-ns" id_zoned
check "list-ns, list-ctrl, ns-descs, list, list-subsys, id-iocs" lists
prepare "zones in all states" make_states
check "zns report-zones: state, write pointer, capacity" states
check "zns report-zones: each state's filter" filters
check "zns report-zones: first zone, number, partial" parts
check "zns report-zones: extended" extended
check "smart-log" smart
check "error-log" errors
check "effects-log" effects
check "fw-log, zns changed-zone-list, changed-ns-list-log" other_logs
check "zns changed-zone-list: a zone that is open for too long" changed_zones
check "get-log of every page" log_pages
check "get-feature of every feature, with each selection" features
check "set-feature" set_features
check "read, write, compare, verify, copy, dsm, append" blocks
check "zns open, close, finish, reset, offline" zone_operations
check "show-regs" registers
check "format to both LBA formats" formats
check "detach-ns, attach-ns" attachment
check "reset, subsystem-reset, ns-rescan" resets
check "dmesg has the reset, and no more about the drive" quiet
echo "1..$tests" >>"$tap"
