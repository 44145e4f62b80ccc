// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where QEMU's build puts the trace points that trace-events here declares.
 * Knows nothing of what they trace.
 */
#include "trace/trace-hw_femu.h"
