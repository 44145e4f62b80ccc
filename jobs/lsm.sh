# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE and RESULTS; ARGS
#
# RocksDB's layout and threads, as "Multi-Queue SSD I/O Modeling" (Ransom, Lim,
# Mitzenmacher) has them in section 5.3, on F2FS on a zoned drive: unique keys in
# random order until all compactions have ended, by threads that compact; then
# queries, and scans of 128 keys, by threads that read. Direct I/O, no compression,
# 16 bytes of key and 2048 of value, as there. There are N keys (there 64 million)
# in some 256 files (there 2000), so a file has N * 8 bytes (there 64 MiB).
#
#   make run JOB=jobs/lsm.sh CONFIG=configs/zn540-small.cfg DILATION=30 \
#       ARGS="dilation=30"
#
#   ARGS="layouts='2 4 8 16 32 single flash' threads='1 2 4 8 16 32' n=8000
#         reads=320 dilation=30"
#         layouts: fanouts; single is one level; flash is Facebook's, of fanout 8,
#         a first level of 8 files and 4 threads that compact
#         reads: of each kind, by all threads together
#         dilation: the DILATION of the run
#
# Steps are named load-LAYOUT-kTHREADS and read-LAYOUT-kTHREADS. Reads find what the
# most threads have compacted. Knows nothing of the drive's sizes.
#
#: PACKAGES=rocksdb-tools

layouts=${layouts:-2 8 32 single}
threads=${threads:-1 32}
n=${n:-8000}
reads=${reads:-320}
dilation=${dilation:-1}
VALUE=2048
FILE=$(((n * VALUE / 256 + 4095) / 4096 * 4096))
conventional=$(ls /dev/nvme0n* | sort -V | tail -n 1)

# options LAYOUT: how RocksDB's levels grow. Limits of what is to be compacted are
# half of the data and twice the data, as RocksDB's 64 and 256 GB are there.
options()
{
    local data=$((n * VALUE))
    case $1 in
    single) set -- 1 $((64 * data)) 10 ;;
    flash) set -- 4 $((8 * FILE)) 8 ;;
    *) set -- 4 $((4 * FILE)) "$1" ;;
    esac
    echo "--level0_file_num_compaction_trigger=$1" \
        "--max_bytes_for_level_base=$2 --max_bytes_for_level_multiplier=$3" \
        "--soft_pending_compaction_bytes_limit=$((data / 2))" \
        "--hard_pending_compaction_bytes_limit=$((data * 2))"
}

# bench STEP LAYOUT OPTION...: a block cache that holds next to nothing, as theirs
# beside 128 GB; tables' indexes are in memory.
bench()
{
    # shellcheck disable=SC2046  # words
    step "$1" db_bench --db=/mnt/db --seed=1 --num="$n" --key_size=16 \
        --value_size=$VALUE --compression_type=none --cache_size=65536 \
        --write_buffer_size=$FILE --target_file_size_base=$FILE \
        --use_direct_reads=1 --use_direct_io_for_flush_and_compaction=1 \
        $(options "$2") "${@:3}"
}

# load LAYOUT K: a new database.
load()
{
    if mountpoint -q /mnt; then
        prepare "unmount it" umount /mnt
    fi
    prepare "reset the zones" blkzone reset "$DRIVE"
    prepare "make an F2FS" mkfs.f2fs -f -m -c "$DRIVE" "$conventional"
    prepare "mount it" mount -t f2fs "$conventional" /mnt
    bench "load-$1-k$2" "$1" \
        --benchmarks=filluniquerandom,waitforcompaction \
        --max_background_compactions="$2" --subcompactions="$2"
    echo "load-$1-k$2: $(seconds_of compaction "$1" "$2") s of the drive's" | say
}

# query LAYOUT K: reads what there is.
query()
{
    bench "read-$1-k$2" "$1" --use_existing_db=1 --threads="$2" \
        --benchmarks=readrandom,seekrandom --seek_nexts=128 \
        --reads=$((reads / $2))
}

# seconds_of WHAT LAYOUT K: of a load the whole step, until nothing is left to
# compact; of reads what db_bench says.
seconds_of()
{
    case $1 in
    compaction)
        awk -F '\t' -v step="load-$2-k$3" -v dilation="$dilation" \
            '$1 == step { print ($5 - $4) / 1e9 / dilation }' \
            "$RESULTS/steps.tsv" ;;
    *)
        awk -v name="$1" -v dilation="$dilation" '$1 == name {
            for (i = 2; i <= NF; i++)
                if ($i == "seconds") print $(i - 1) / dilation
        }' "$RESULTS/read-$2-k$3.out" ;;
    esac
}

# columns WHAT LAYOUT: the threads of a layout's times.
columns()
{
    if [ "$1 $2" = "compaction flash" ]; then
        echo 4
    else
        echo "$threads"
    fi
}

# tell_times WHAT TITLE: a table as one line, seconds of the drive's.
tell_times()
{
    local layout k text='' row
    for layout in $layouts; do
        row=
        for k in $(columns "$1" "$layout"); do
            row+=" $(printf '%.4f' "$(seconds_of "$1" "$layout" "$k")")"
        done
        text+="${text:+,} $layout$row"
    done
    echo "lsm: s of $2 by $(echo $threads) threads:$text" | say
}

for layout in $layouts; do
    for k in $threads; do
        [ "$layout" = flash ] || load "$layout" "$k"
    done
    [ "$layout" != flash ] || load flash 4
    for k in $threads; do
        query "$layout" "$k"
    done
done
tell_times compaction compactions
tell_times readrandom queries
tell_times seekrandom scans
