# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE
#
# For "make crash": a small append-only log, which is right or has a bug.
#
#   ARGS="records=60 bug=none|early|length"    early: it acknowledges a record
#       before it is flushed; length: it believes what the first block of a
#       record says of the rest when it starts again
#
# "early" shows with SET=write-cache=volatile alone. The check is log-check.sh.
# Knows nothing of cuts.

bug=${bug:-none}
[ "$bug" = early ] && mode=early || mode=good
ack @begin
step log crash-log write "$DRIVE" "${records:-60}" $mode
ack @end
