# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh and DRIVE
#
# What Linux and its tools make of the drive: tiny.cfg with 128 zones, 8 open
# and 10 active. Every test leaves all zones empty.
# Knows nothing of time.

. tap.sh
shopt -s lastpipe
readonly QUEUE=/sys/block/nvme0n1/queue
readonly ZONES=128
readonly SECTORS=8192           # of 512 bytes, in a zone
readonly BLOCKS=1024            # of 4096 bytes, in a zone
readonly CAP_BLOCKS=768
readonly HEX='(0x[0-9a-f]+|0)'
readonly BLKZONE_LINE="start: $HEX.*cap $HEX wptr $HEX.*zcond: *([0-9]+)"
readonly NVME_LINE="SLBA: $HEX +WP: $HEX +Cap: $HEX +State: $HEX"

empty_all()
{
    blkzone reset "$DRIVE"
}

# --- What the kernel knows ----------------------------------------------------

sysfs_is()
{
    same "$1" "$(cat $QUEUE/"$1")" "$2"
}

limits()
{
    sysfs_is nr_zones $ZONES
    sysfs_is chunk_sectors $SECTORS
    sysfs_is max_open_zones 8
    sysfs_is max_active_zones 10
    sysfs_is logical_block_size 4096
    sysfs_is zone_append_max_bytes 65536
    sysfs_is max_hw_sectors_kb 128
}

quiet()
{
    same "dmesg" "$(complaints)" ""
}

# The kernel's two lines about the one write that the ZenFS test has refused;
# this also shows that "quiet" would have seen something.
one_refusal()
{
    same "lines about the drive" "$(complaints | wc -l)" 2
    same "refusals" "$(complaints | grep -c 'active zones exceeded')" 1
}

# --- Reports ------------------------------------------------------------------

# Each prints a line per zone, in blocks: start, write pointer, capacity, state.
# The write pointer of a full zone means nothing: "-".

by_zbd()
{
    zbd report -csv "$DRIVE" | awk -F', *0*' '/^[0-9]/ {
        state = index("123456789abcdef", substr($7, 2))
        wp = state == 14 ? "-" : $6 / 4096
        print $3 / 4096, wp, $5 / 4096, state }'
}

by_blkzone()
{
    blkzone report "$DRIVE" | tr -d ',' | while read -r line; do
        [[ $line =~ $BLKZONE_LINE ]]
        start=$((BASH_REMATCH[1] / 8))
        wp=$((start + BASH_REMATCH[3] / 8))
        state=${BASH_REMATCH[4]}
        [ "$state" != 14 ] || wp=-
        echo "$start $wp $((BASH_REMATCH[2] / 8)) $state"
    done
}

by_nvme()
{
    nvme zns report-zones "$DRIVE" | while read -r line; do
        [[ $line =~ $NVME_LINE ]] || continue
        state=$((BASH_REMATCH[4] >> 4))
        wp=$((BASH_REMATCH[2]))
        [ "$state" != 14 ] || wp=-
        echo "$((BASH_REMATCH[1])) $wp $((BASH_REMATCH[3])) $state"
    done
}

# manage OPERATION ZONE
manage()
{
    blkzone "$1" -o $(($2 * SECTORS)) -l $SECTORS "$DRIVE"
}

# write_blocks ZONE COUNT: direct, at the zone's start.
write_blocks()
{
    dd if=/dev/zero of="$DRIVE" bs=4096 seek=$(($1 * BLOCKS)) count="$2" \
        oflag=direct conv=notrunc
}

# Zones 1 to 6 in one state each.
make_states()
{
    write_blocks 1 5
    manage open 2
    write_blocks 3 7
    manage close 3
    write_blocks 4 1
    manage finish 4
    write_blocks 5 $CAP_BLOCKS
    write_blocks 127 2
}

wanted_states()
{
    local zone
    for ((zone = 0; zone < ZONES; zone++)); do
        local start=$((zone * BLOCKS)) wp state=1
        wp=$start
        case $zone in
        1) wp=$((start + 5)) state=2 ;;
        2) state=3 ;;
        3) wp=$((start + 7)) state=4 ;;
        4|5) wp=- state=14 ;;
        127) wp=$((start + 2)) state=2 ;;
        esac
        echo "$start $wp $CAP_BLOCKS $state"
    done
}

reports()
{
    make_states
    wanted=$(wanted_states)
    same zbd "$(by_zbd)" "$wanted"
    same blkzone "$(by_blkzone)" "$wanted"
    same "nvme zns" "$(by_nvme)" "$wanted"
    empty_all
    same "after a reset of all" "$(by_nvme | awk '{ print $4 }' | sort -u)" 1
}

# --- fio ----------------------------------------------------------------------

verify()
{
    fio --name=verify --filename="$DRIVE" --direct=1 --zonemode=zbd \
        --rw="$1" --bs="$2" --size=6z --ioengine="$3" --iodepth="$4" \
        --verify=crc32c --do_verify=1 --verify_fatal=1
    empty_all
}

# Four processes append to zones of their own and read back what they wrote.
verify_four()
{
    fio --name=verify --filename="$DRIVE" --direct=1 --zonemode=zbd \
        --rw=write --bs=16k --size=2z --numjobs=4 --offset_increment=2z \
        --verify=crc32c --do_verify=1 --verify_fatal=1
    empty_all
}

# --- Programs and file systems ------------------------------------------------

# files DIR COUNT: makes files and prints their sums.
make_files()
{
    local i
    for ((i = 0; i < $2; i++)); do
        dd if=/dev/urandom of="$1/file$i" bs=$((4096 + 40000 * i)) count=3
    done
    (cd "$1" && md5sum file*) >/tmp/sums
}

check_files()
{
    (cd "$1" && md5sum -c /tmp/sums)
}

on_zonefs()
{
    modprobe zonefs
    mkzonefs -f "$DRIVE"
    mount -t zonefs "$DRIVE" /mnt
    same "number of files" "$(find /mnt/seq -type f | wc -l)" $((ZONES - 1))
    dd if=/dev/urandom of=/tmp/data bs=64k count=8
    dd if=/tmp/data of=/mnt/seq/3 bs=64k oflag=direct conv=notrunc
    umount /mnt
    mount -t zonefs "$DRIVE" /mnt
    same size "$(stat -c %s /mnt/seq/3)" $((512 * 1024))
    cmp /tmp/data /mnt/seq/3
    truncate -s 0 /mnt/seq/3
    same "size after truncation" "$(stat -c %s /mnt/seq/3)" 0
    umount /mnt
    empty_all
}

on_f2fs()
{
    modprobe null_blk nr_devices=1 gb=1 bs=4096 memory_backed=1
    modprobe f2fs
    mkfs.f2fs -f -m -c "$DRIVE" /dev/nullb0
    mount -t f2fs /dev/nullb0 /mnt
    make_files /mnt 16
    umount /mnt
    # The data are on the zoned drive, not on the RAM disk.
    by_nvme | awk '{ if ($4 != 1) used++ } END { exit used < 1 }'
    mount -t f2fs /dev/nullb0 /mnt
    check_files /mnt
    umount /mnt
    fsck.f2fs /dev/nullb0
    empty_all
}

on_btrfs()
{
    modprobe btrfs
    mkfs.btrfs -f -O zoned -d single -m single "$DRIVE"
    mount -t btrfs "$DRIVE" /mnt
    make_files /mnt 16
    umount /mnt
    mount -t btrfs "$DRIVE" /mnt
    check_files /mnt
    umount /mnt
    btrfs check "$DRIVE"
    empty_all
}

check "sysfs: the drive is host-managed" sysfs_is zoned host-managed
check "sysfs: zones, limits, block size, append size" limits
check "zbd, blkzone and nvme zns agree on every zone, in every state" reports
check "fio writes at QD1 and verifies, zonemode=zbd" verify write 16k psync 1
check "fio writes and verifies with io_uring" verify write 4k io_uring 4
check "fio writes randomly and verifies with libaio" \
    verify randwrite 64k libaio 8
check "fio writes with four processes and verifies" verify_four
check "zonefs: make, write, remount, verify, truncate" on_zonefs
check "F2FS with a RAM disk: make, write, remount, verify, fsck" on_f2fs
check "btrfs: make, write, remount, verify, check" on_btrfs
check "dmesg has no word about the drive" quiet
check "ZenFS's calls, up to the active limit and one beyond" \
    zenfs-pattern "$DRIVE"
check "dmesg has the refused write, and no more" one_refusal
echo "1..$tests" >>"$tap"
