# SPDX-License-Identifier: GPL-2.0-or-later
"""What supports the model of a measured drive: how repeatable the measurements
are, what order the model gets right, what each parameter is worth."""
