# SPDX-License-Identifier: GPL-2.0-or-later
""""make crash": a job's power cuts, and a guest that checks what is left."""
