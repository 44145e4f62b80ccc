# SPDX-License-Identifier: GPL-2.0-or-later
"""What is made to be unpacked and used elsewhere."""
