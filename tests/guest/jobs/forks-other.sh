# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # forks.sh has fio, ARGS= has count
#
# What another run does behind the preparation of forks.sh.
# Knows nothing of how it came there.

step read-qd4 "${fio[@]}" --rw=randread --norandommap --number_ios="$count" \
    --ioengine=libaio --iodepth=4
