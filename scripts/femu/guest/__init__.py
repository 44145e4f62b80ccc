# SPDX-License-Identifier: GPL-2.0-or-later
""""make run" and "make shell": a guest with the drive, started and watched."""
