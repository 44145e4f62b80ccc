# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154  # the guest has DRIVE and ACKS
#
# The check of log.sh: the log has all that was acknowledged, and nothing else.
# Knows nothing of when the power went.

[ "${bug:-none}" = length ] && mode=length || mode=good
crash-log check "$DRIVE" "$ACKS" $mode
