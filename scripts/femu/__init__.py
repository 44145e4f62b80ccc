# SPDX-License-Identifier: GPL-2.0-or-later
"""Python packages of the scripts, one for each task."""
