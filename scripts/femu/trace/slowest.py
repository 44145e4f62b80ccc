# SPDX-License-Identifier: GPL-2.0-or-later
"""The slowest command of each operation in stretches of a trace, and the line
that says why it was slow.

Knows nothing of how any of it is shown.
"""

import os
import shlex
from dataclasses import dataclass

import numpy as np

from femu.common.json_file import DataError
from femu.common.paths import TOP, shown
from femu.trace import file

SIMULATOR = os.path.join(TOP, 'build-core', 'tools', 'femu-sim')


@dataclass(frozen=True)
class Slow:
    """A command: its operation, its number in the trace, and its latency."""
    op: str
    seq: int
    latency_ns: int
    blame: str


def of_trace(path, windows):
    """WINDOWS: [(since_ns, now_ns)], the stretches in one of which a command
    has to end; without any, it is the whole trace.

    Return: [Slow], an operation each, in the order of their numbers; none
    if there is no trace, or none that can be read, which a run's own report
    says."""
    if not os.path.exists(path):
        return []
    try:
        ops, latencies_ns = _latencies(path, windows)
    except DataError:
        return []
    found = []
    for op in np.unique(ops[latencies_ns > 0]):
        seq = int(np.argmax(np.where(ops == op, latencies_ns, -1)))
        found.append(Slow(file.OPS[op], seq, int(latencies_ns[seq]),
                          '%s blame %s %d' % (shown(SIMULATOR),
                                              shlex.quote(shown(path)), seq)))
    return sorted(found, key=lambda slow: slow.seq)


def _latencies(path, windows):
    """Return: operation, and latency or -1, of each command of a trace; -1 also
    of one that ends in none of WINDOWS, if there are any."""
    begun, ended = [], []
    for record in file.TraceFile(path).records():
        if isinstance(record, file.Commands):
            begun.append((record.at_ns, record.op))
        elif isinstance(record, file.Completions):
            ended.append((record.seq, record.due_ns))
    if not begun or not ended:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    at_ns, ops = (np.concatenate(one) for one in zip(*begun))
    seq, due_ns = (np.concatenate(one) for one in zip(*ended))
    if seq.max() >= len(at_ns):
        raise DataError('a command ends that never began')
    latencies_ns = np.full(len(at_ns), -1, np.int64)
    inside = np.full(len(seq), not windows)
    for since_ns, now_ns in windows:
        inside |= (due_ns > since_ns) & (due_ns <= now_ns)
    seq, due_ns = seq[inside], due_ns[inside]
    latencies_ns[seq] = due_ns - at_ns[seq]
    return ops, latencies_ns
