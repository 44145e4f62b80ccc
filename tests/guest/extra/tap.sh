# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # RESULTS comes from run-job
#
# Sourced by the guest's tests: each check is one line of TAP in tap.txt.
# Knows nothing of what is checked.

tests=0
tap=$RESULTS/tap.txt

# check NAME COMMAND...: passes if the command succeeds; it runs under -e. As
# the condition of an "if" it would not: bash ignores -e there, also inside.
check()
{
    local name=$1 status
    shift
    tests=$((tests + 1))
    (set -eu; "$@") >/tmp/check.out 2>&1
    status=$?
    if [ "$status" = 0 ]; then
        echo "ok $tests - $name" >>"$tap"
    else
        echo "not ok $tests - $name" >>"$tap"
        tail -n 60 /tmp/check.out | sed 's/^/# /' >>"$tap"
    fi
    tell "$(grep -E '^(not )?ok ' "$tap" | tail -n 1)"
}

# same WHAT GOT WANTED: fails, and says how they differ.
same()
{
    if [ "$2" != "$3" ]; then
        echo "$1: got, and wanted:"
        diff <(echo "$2") <(echo "$3")
        return 1
    fi
}

# The kernel's complaints about the drive, and any error at all.
complaints()
{
    dmesg --level emerg,alert,crit,err,warn | grep -iE 'nvme|zone|I/O error' ||
        true
}
