# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps: many runs that differ in a few things, by one plan."""
