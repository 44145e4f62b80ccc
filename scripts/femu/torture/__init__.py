# SPDX-License-Identifier: GPL-2.0-or-later
"""A drive that is killed and loses its power, and a host that remembers."""
