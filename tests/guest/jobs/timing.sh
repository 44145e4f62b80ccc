# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh and DRIVE
#
# Exact times of confznspp.cfg as a guest sees them; the host's side of the
# test reads the drive's statistics of each step.
# Knows nothing of what the times should be.

. tap.sh

one_page()
{
    dd if=/dev/zero of="$DRIVE" bs=16k count=1 oflag=direct conv=notrunc
}

quiet()
{
    same "dmesg" "$(complaints)" ""
    same "dmesg about hangs" "$(dmesg |
        grep -iE 'blocked for more|rcu: INFO|lockup|nvme.*(timeout|abort)')" ""
}

unwritable()
{
    ! zone-op "$DRIVE" open 1 >/dev/full
}

step write fio --name=w --filename="$DRIVE" --direct=1 --zonemode=zbd \
    --rw=write --bs=16k --offset=1z --size=1z --number_ios=100
prepare "one page in zone 0" one_page
step finish zone-op "$DRIVE" finish 0
check "results of zone-op that cannot be written are an error" unwritable
check "dmesg is silent after a command of 49 s" quiet
echo "1..$tests" >>"$tap"
