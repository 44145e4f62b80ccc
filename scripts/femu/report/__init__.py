# SPDX-License-Identifier: GPL-2.0-or-later
"""What a reader gets of a run: table, page, pictures."""
