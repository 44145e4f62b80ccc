# SPDX-License-Identifier: GPL-2.0-or-later
"""What Linux' storage stacks cost."""
