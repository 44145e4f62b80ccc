# SPDX-License-Identifier: GPL-2.0-or-later
"""Python parts of the scripts: a room for each thing that they serve."""
