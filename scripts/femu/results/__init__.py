# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what a run left behind, and joins what the guest and the drive say."""
