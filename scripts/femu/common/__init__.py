# SPDX-License-Identifier: GPL-2.0-or-later
"""What every room uses: paths, progress, errors, numbers as text, femu-sim."""
