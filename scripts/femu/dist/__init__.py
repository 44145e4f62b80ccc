# SPDX-License-Identifier: GPL-2.0-or-later
"""Archives that are unpacked and used on another machine."""
