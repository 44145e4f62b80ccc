# SPDX-License-Identifier: GPL-2.0-or-later
""""make figures": the papers' figures, drawn anew."""
