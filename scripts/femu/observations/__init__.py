# SPDX-License-Identifier: GPL-2.0-or-later
""""make observations": what two papers observed, checked."""
