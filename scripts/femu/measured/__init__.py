# SPDX-License-Identifier: GPL-2.0-or-later
"""Experiments that were measured: their files, their jobs as simulations, the
bounds on the errors.
"""
