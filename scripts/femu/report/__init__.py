# SPDX-License-Identifier: GPL-2.0-or-later
"""Reports of a run: table, page, pictures."""
