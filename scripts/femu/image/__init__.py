# SPDX-License-Identifier: GPL-2.0-or-later
""""make guest": the guest's kernel and image, of Debian's packages."""
