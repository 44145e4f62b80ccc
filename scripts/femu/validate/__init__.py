# SPDX-License-Identifier: GPL-2.0-or-later
""""make validate" and "make fit": measured points beside the model's."""
