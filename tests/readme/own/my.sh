# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# A user's own script with a program of their own, for the README's example.
step mine my-program "$DRIVE"
