# SPDX-License-Identifier: GPL-2.0-or-later
""""make gallery": every figure and table of the papers, beside ours."""
