/*
 * QEMU 10.2 without CXL does not link: the ACPI tables of a PC name a function
 * that its own stubs forget. No machine without CXL calls it.
 *
 * Knows nothing of CXL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"

GSList *cxl_fmws_get_all_sorted(void);

/* Weak: a QEMU that has learnt of it has its own. */
GSList * __attribute__((weak)) cxl_fmws_get_all_sorted(void)
{
    g_assert_not_reached();
}
