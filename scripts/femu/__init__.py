# SPDX-License-Identifier: GPL-2.0-or-later
"""Python parts of the scripts: the guest image, a run, its report."""
