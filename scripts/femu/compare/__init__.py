# SPDX-License-Identifier: GPL-2.0-or-later
"""Several runs side by side."""
