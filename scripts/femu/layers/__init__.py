# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/check-layers: which file may use which."""
