# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The scheduler ZINC, with epochs of 5 ms, beside reads, 64 at a time, and
# without: which resets it holds back, and for how long.

queue=/sys/block/${DRIVE##*/}/queue

# setting NAME VALUE
setting()
{
    echo "$2" >"$queue/iosched/$1"
}

insmod /extra/zinc.ko
echo zinc >"$queue/scheduler"
cat "$queue/scheduler" "$queue/iosched/"{concurrency,epoch_us,holds,tokens} \
    >"/results/defaults.out"
for wrong in "epoch_us 0" "holds 0" "tokens -1" "concurrency x"; do
    # shellcheck disable=SC2086  # two words
    setting $wrong 2>>"/results/wrong.out" || true
done
setting epoch_us 5000

step alone zone-op "$DRIVE" reset 20
step checked fio --name=checked --filename="$DRIVE" --direct=1 \
    --zonemode=zbd --ioengine=io_uring --iodepth=4 --rw=write --bs=16k \
    --offset=1z --size=1z --io_size=4m --verify=crc32c
prepare "data to read" dd if=/dev/zero of="$DRIVE" bs=1M count=32 oflag=direct

# 32 MiB under way: more than the drive reads in the time that a program takes
# to start on the guest's one processor.
fio --name=busy --filename="$DRIVE" --direct=1 --ioengine=io_uring \
    --iodepth=64 --rw=randread --bs=512k --size=32m --norandommap --time_based \
    --runtime=600s >"/results/busy.out" &
busy=$!
sleep 0.5
setting concurrency 1
setting tokens 4000000000
step holds zone-op "$DRIVE" reset 20
setting tokens 1
step tokens zone-op "$DRIVE" reset 20
setting concurrency 100
step quiet zone-op "$DRIVE" reset 20
setting concurrency 1
setting tokens 4000000000
setting holds 1
step two sh -c "zone-op $DRIVE reset 20 & zone-op $DRIVE reset 21; wait"
cat "$queue/iosched/went" >"/results/went.out"
echo mq-deadline >"$queue/scheduler"
step deadline zone-op "$DRIVE" reset 20
echo zinc >"$queue/scheduler"
kill -INT "$busy"
wait "$busy" || true
echo none >"$queue/scheduler"
rmmod zinc
dmesg >"/results/dmesg.out"
