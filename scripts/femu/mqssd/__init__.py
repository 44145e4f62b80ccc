# SPDX-License-Identifier: GPL-2.0-or-later
"""What models for the design of algorithms make of a drive."""
