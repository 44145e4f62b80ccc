# SPDX-License-Identifier: GPL-2.0-or-later
"""What supports the model of a measured drive: how repeatable the measurements
are, which comparisons of experiments the model gets right, how much each
parameter contributes."""
