# SPDX-License-Identifier: GPL-2.0-or-later
"""What all packages use: paths, progress, errors, numbers as text, femu-sim."""
