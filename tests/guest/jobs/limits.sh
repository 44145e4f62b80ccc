# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC1091,SC2154  # the guest has tap.sh and DRIVE
#
# Exceeds every limit of the drive; what the program says is in limits.out.
# Knows nothing of what the limits are.

. tap.sh

quiet()
{
    same "dmesg" "$(complaints)" ""
}

step limits limits "$DRIVE" "$CONTROLLER"
check "the kernel has noticed nothing of it" quiet
echo "1..$tests" >>"$tap"
