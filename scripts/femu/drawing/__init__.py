# SPDX-License-Identifier: GPL-2.0-or-later
"""How pages, pictures and their axes look, whatever they show."""
