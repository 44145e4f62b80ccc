# SPDX-License-Identifier: GPL-2.0-or-later
""""make interference": how much finish and reset disturb I/O."""
