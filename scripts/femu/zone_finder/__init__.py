# SPDX-License-Identifier: GPL-2.0-or-later
"""Which zones share units, as a program in the guest finds it out."""
