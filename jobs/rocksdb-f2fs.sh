# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE and RESULTS
#
# RocksDB on F2FS: db_bench fills a database, overwrites it and reads from it.
# F2FS has its metadata on the drive's conventional namespace, the last one, and
# writes its data to the zoned one as a log, which it cleans when zones run short.
#
#   ARGS="n=75000 reads=10000 value_size=4000 benchmarks=fillrandom,overwrite
#         compactions=4"
#         compactions: threads that compact, and parts of a compaction (1)
#
# Knows nothing of the drive's sizes.
#
#: PACKAGES=rocksdb-tools

conventional=$(ls /dev/nvme0n* | sort -V | tail -n 1)
counters=/sys/fs/f2fs/${conventional#/dev/}

has_conventional()
{
    [ "$(cat "/sys/block/${conventional#/dev/}/queue/zoned")" = none ] && return
    echo "F2FS needs a conventional namespace: SET=conventional-size=256M" >&2
    return 1
}

# What F2FS counts of its own cleaning, blocks of 4 KiB.
f2fs_counters()
{
    local name
    for name in gc_foreground_calls gc_background_calls \
        moved_blocks_foreground moved_blocks_background free_segments; do
        echo "$name $(cat "$counters/$name")"
    done
}

prepare "look for a conventional namespace" has_conventional
prepare "make an F2FS" mkfs.f2fs -f -m -c "$DRIVE" "$conventional"
prepare "mount it" mount -t f2fs "$conventional" /mnt

# Files are smaller than a zone of the small drive; reads go to the drive, or all
# would be in the guest's memory.
step rocksdb db_bench --db=/mnt/db --seed=1 --histogram=1 \
    --benchmarks="${benchmarks:-fillrandom,overwrite,readrandom}" \
    --num="${n:-75000}" --reads="${reads:-10000}" \
    --value_size="${value_size:-4000}" --compression_type=none \
    --write_buffer_size=$((16 << 20)) --target_file_size_base=$((16 << 20)) \
    --max_bytes_for_level_base=$((64 << 20)) \
    --max_background_compactions="${compactions:-1}" \
    --subcompactions="${compactions:-1}" \
    --use_direct_io_for_flush_and_compaction=1 --use_direct_reads=1

f2fs_counters >"$RESULTS/f2fs.txt"
paste -s -d ' ' "$RESULTS/f2fs.txt" | say
