# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads trace.csv, which has every command of the drive."""
