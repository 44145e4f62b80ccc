# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # DRIVE comes from the guest's run-job
#
# The benchmark of "Multi-Queue SSD I/O Modeling" (Ransom, Lim, Mitzenmacher),
# section 3.3, on a zoned drive: k threads read, then write, so much each, in
# requests of one size. A request is one random access, so that a page in
# REQUEST / 4 KiB is one. Reads are anywhere in the first GiB of a zone; a
# random write is the next of a zone that is drawn among the open ones.
#
#   ARGS="threads='1 2 4' requests='4k 64k 1m' open=14"
#
# Steps are named read-k8-64k. Knows nothing of what is fitted to them.

threads=${threads:-1 2 4 8 16 32 64 128}
requests=${requests:-4k 16k 64k 256k 1m 4m}
open=${open:-14}
most=$((32 << 20))      # bytes in all of a step with few threads, at most
least=$((4 << 20))      # ... and of a thread: one request of the largest size
requests_most=8192      # in all of a step with few threads
requests_least=64       # ... and of a thread

# bytes_of WORD: 64k is 65536.
bytes_of()
{
    numfmt --from=iec "${1^^}"
}

# larger A B, smaller A B
larger()
{
    echo $(($1 > $2 ? $1 : $2))
}

smaller()
{
    echo $(($1 < $2 ? $1 : $2))
}

# count K REQUEST: how many requests each of K threads makes.
count()
{
    local bytes
    bytes=$(larger $((most / $1)) "$least")
    smaller "$(larger $((requests_most / $1)) "$requests_least")" \
        $((bytes / $(bytes_of "$2")))
}

# run NAME K REQUEST OPTION...
run()
{
    local each
    each=$(count "$2" "$3")
    step "$1-k$2-$3" fio --name=io --filename="$DRIVE" --direct=1 --thread \
        --ioengine=psync --numjobs="$2" --bs="$3" --number_ios="$each" \
        --norandommap --randrepeat=1 --group_reporting "${@:4}"
}

prepare "choose no scheduler" bash -c \
    "echo none >/sys/block/${DRIVE##*/}/queue/scheduler"
prepare "fill 1 GiB of a zone" fio --name=fill --filename="$DRIVE" --direct=1 \
    --zonemode=zbd --bs=512k --size=1z --io_size=1g --rw=write
for k in $threads; do
    for request in $requests; do
        run read "$k" "$request" --rw=randread --size=1g
    done
done
prepare "reset the zones" blkzone reset "$DRIVE"
for k in $threads; do
    for request in $requests; do
        run write "$k" "$request" --rw=randwrite --zonemode=zbd \
            --offset=0z --size="${open}z" --max_open_zones="$open"
        prepare "reset the zones" blkzone reset -c "$open" "$DRIVE"
    done
done
