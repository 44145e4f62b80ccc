# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the host was fast enough for a run in real time: which share of the
completions came late, against what the drive itself took, and what would help.

Knows nothing of how lateness is measured.
"""

from femu.results.latency import merged

# Late is what this share of the drive's mean latency is not small against.
SHARE = 0.1
# So few may be late without a word.
TOLERATED = 0.01


def notes(step):
    """Return: [what must be said of STEP]."""
    device = step.device
    late = device and device.lateness
    taken = late and merged([op.latency for op in device.ops.values()
                             if op.latency])
    if not taken or not late.host_clock or not late.bins:
        return []
    limit_ns = SHARE * taken.mean_ns * device.dilation
    count = sum(number for low_ns, number in late.bins if low_ns > limit_ns)
    if count <= TOLERATED * late.count:
        return []
    helps = ("a core of the host for the drive's thread and" if device.rounds
             else 'IOTHREAD=1 and a core of the host for it and')
    return ["step %s: the host came late: %.0f %% of the drive's %s completions "
            'by more than a tenth of its mean latency, %.1f us; the 99th '
            'percentile is %.1f us. DILATION=%d would make that small, or '
            '%s each processor of the guest' % (
                step.name, 100 * count / late.count, format(late.count, ','),
                taken.mean_ns / 1000, late.p99_ns / 1000,
                needed(late.p99_ns, taken.mean_ns), helps)]


def needed(late_ns, mean_ns):
    """Return: the dilation with which LATE_NS of the host's clock are no more
    than SHARE of the drive's MEAN_NS, rounded up to one digit."""
    least = max(1, -(-late_ns // max(1, int(SHARE * mean_ns))))
    unit = 10 ** (len(str(least)) - 1)
    return -(-least // unit) * unit
