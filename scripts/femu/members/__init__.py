# SPDX-License-Identifier: GPL-2.0-or-later
"""Members of structs, and what describes them."""
