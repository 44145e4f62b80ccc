# SPDX-License-Identifier: GPL-2.0-or-later
"""A drive that is watched while it works."""
