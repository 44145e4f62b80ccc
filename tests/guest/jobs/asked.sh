# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE and CONTROLLER
#
# What Linux asks of a drive: a report, a revalidation, a mount. The host's side
# of the test reads the drive's statistics of each step, and how long the guest
# says that it took.
# Knows nothing of what the times should be.

# COMMAND...: prints nanoseconds.
timed()
{
    local start_ns
    start_ns=$(date +%s%N)
    "$@" >/dev/null
    echo $(($(date +%s%N) - start_ns))
}

# Everything that it reads has been read before.
prepare "a file system" mkzonefs -f "$DRIVE"
prepare "its module" modprobe zonefs
step report timed blkzone report "$DRIVE"
step revalidate timed nvme ns-rescan "$CONTROLLER"
step mount timed mount -t zonefs "$DRIVE" /mnt
