# SPDX-License-Identifier: GPL-2.0-or-later
""""make mutants": which small changes of the source no test sees."""
