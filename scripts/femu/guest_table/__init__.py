# SPDX-License-Identifier: GPL-2.0-or-later
""""make guest-table": measured experiments again, in the guest."""
