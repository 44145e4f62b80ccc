# SPDX-License-Identifier: GPL-2.0-or-later
"""What the trace has of each step: the latencies of its commands, divided among
the step's jobs, how these went over time, and what became of the zones. A step
is the stretch of time of the drive's own statistics; if their counts differ,
the trace is not used.

The trace is read once. Of it remain: half a MiB at most for each part and
operation of a step, 64 bytes for a command under way, 34 for a zone.

Knows nothing of how any of it is shown.
"""

from dataclasses import dataclass, field

import numpy as np

from femu.common.json_file import DataError
from femu.results.latency import Distribution, merged
from femu.results.parts import Parts
from femu.trace.file import (BLOCK_BYTES, OP, OPS, Commands, Completions,
                             Discarded, End, Formatted, PowerCut, TraceFile,
                             ZoneFailed)
from femu.trace.series import Series
from femu.trace.zones import Layout, ZoneMap, layout as layout_of

SUB_BITS = 6
DATA = [OP[name] for name in ('read', 'write', 'append', 'write-zeroes',
                              'verify', 'compare', 'copy')]
WRITERS = [OP[name] for name in ('write', 'append', 'write-zeroes', 'copy')]
PLACELESS = [OP[name] for name in ('flush', 'identify', 'log', 'feature',
                                  'shutdown')]


@dataclass
class StepTrace:
    """Of one step. `whole`: {operation: Distribution}, `of_part`: {(part,
    operation): Distribution}, `series`: these keys over time;
    `conventional_bytes`: what was written to the conventional namespace."""
    since_ns: int
    now_ns: int
    parts: Parts = None
    whole: dict = field(default_factory=dict)
    of_part: dict = field(default_factory=dict)
    series: Series = None
    conventional_bytes: int = 0

    def latency(self, names, part):
        """Return: the latency of all commands of the operations NAMES that are
        PART's; None if there are none."""
        return merged([self.of_part.get((part, name)) for name in names])

    def parts_with(self, names):
        """Return: the parts that have commands of the operations NAMES."""
        return sorted({part for part, name in self.of_part if name in names})

    def disagreement(self, ops):
        """OPS: {operation: Distribution or None}, the drive's own statistics.
        Return: in what the trace differs from them, '' if in nothing."""
        for name in OPS:
            ours, theirs = self.whole.get(name), ops.get(name)
            counts = [one.count if one else 0 for one in (ours, theirs)]
            if counts[0] != counts[1]:
                return 'it has %d %s commands, the drive counted %d' % (
                    counts[0], name, counts[1])
            if ours and vars(ours) != vars(theirs):
                return 'its %s commands have other latencies than the drive ' \
                    'counted' % name
        return ''


@dataclass
class RunTrace:
    """Of the run: `end_ns` is None if the trace was cut short, `zones` None if
    it does not say where zones are, or the power went, and took some of their
    data with it."""
    layout: Layout
    steps: list
    zones: ZoneMap
    end_ns: int = None


def bucket_low(values):
    """Return: the least value of the bucket, of 64 to an octave, that each of
    VALUES, an array, is in: as the drive's histograms have them."""
    shift = np.maximum(0, np.frexp(values.astype(np.float64))[1]
                       - (SUB_BITS + 1)).astype(np.int64)
    return values >> shift << shift


class _Counts:
    """A distribution that grows."""

    def __init__(self):
        self.bins = {}
        self.sum_ns = 0
        self.min_ns = None
        self.max_ns = 0

    def add(self, latency_ns):
        """Commands that took LATENCY_NS, an array."""
        lows_ns, counts = np.unique(bucket_low(latency_ns), return_counts=True)
        self._add(dict(zip(lows_ns.tolist(), counts.tolist())),
                  int(latency_ns.sum()), int(latency_ns.min()),
                  int(latency_ns.max()))

    def add_all(self, other):
        """All that OTHER has."""
        self._add(other.bins, other.sum_ns, other.min_ns, other.max_ns)

    def _add(self, bins, sum_ns, min_ns, max_ns):
        for low_ns, count in bins.items():
            self.bins[low_ns] = self.bins.get(low_ns, 0) + count
        self.sum_ns += sum_ns
        self.min_ns = min_ns if self.min_ns is None else min(self.min_ns,
                                                             min_ns)
        self.max_ns = max(self.max_ns, max_ns)

    def distribution(self):
        """Return: the Distribution."""
        return Distribution(sorted(self.bins.items()), self.sum_ns,
                            self.min_ns, self.max_ns)


class _Reader:
    """Goes through a trace. `steps` are StepTraces, in order of time."""

    def __init__(self, layout, steps):
        self.steps = steps
        self.zones = ZoneMap(layout) if layout else None
        self.end_ns = None
        self.was_cut = False    # a power cut: the zones' contents are not known
        self._since_ns = np.array([step.since_ns for step in steps], np.int64)
        self._now_ns = np.array([step.now_ns for step in steps], np.int64)
        self._counts = [{} for _ in steps]
        self._open = None       # Commands that have not completed

    def read(self, records):
        """Takes in all RECORDS."""
        for record in records:
            if isinstance(record, Commands):
                self._submitted(record)
            elif isinstance(record, Completions):
                self._completed(record)
            elif isinstance(record, Discarded):
                self._take(record.seq)
            elif isinstance(record, End):
                self.end_ns = record.at_ns
            elif isinstance(record, PowerCut):
                self.was_cut = True
            elif self.zones and isinstance(record, ZoneFailed):
                self.zones.fail(record)
            elif self.zones and isinstance(record, Formatted):
                self.zones.format(record)

    def finish(self):
        """Gives the steps what was counted."""
        for step, counts in zip(self.steps, self._counts):
            whole = {}
            for (part, name), mine in sorted(counts.items()):
                step.of_part[part, name] = mine.distribution()
                whole.setdefault(name, _Counts()).add_all(mine)
            step.whole = {name: mine.distribution()
                          for name, mine in whole.items()}

    def _step_of(self, times_ns):
        """Return: the index of the step that each of TIMES_NS is in, -1 for
        none: after its statistics were started, up to their end."""
        if not self.steps:
            return np.full(len(times_ns), -1)
        idx = np.searchsorted(self._since_ns, times_ns, 'left') - 1
        return np.where((idx >= 0) & (times_ns <= self._now_ns[idx]), idx, -1)

    def _submitted(self, commands):
        of_step = self._step_of(commands.at_ns)
        counted = (commands.status == 0) & ~np.isin(commands.op, PLACELESS)
        for idx in np.unique(of_step[counted]):
            if idx >= 0 and self.steps[idx].series is None:
                self.steps[idx].series = Series(int(
                    commands.at_ns[counted & (of_step == idx)][0]))
        if self.zones:
            self.zones.add(commands)
        accepted = commands.chosen(commands.status == 0)
        self._open = accepted if self._open is None else Commands(*(
            np.concatenate((getattr(self._open, name),
                            getattr(accepted, name)))
            for name in Commands.__dataclass_fields__))

    def _take(self, seq):
        """Return: the commands SEQ, an array, which are not open any more."""
        if self._open is None:
            raise DataError('command %d ends before it is submitted' % seq[0])
        idx = np.searchsorted(self._open.seq, seq)
        known = idx < len(self._open.seq)
        known[known] = self._open.seq[idx[known]] == seq[known]
        if not known.all() or len(np.unique(seq)) < len(seq):
            raise DataError('command %d ends twice, or before it is submitted'
                            % seq[np.argmin(known)])
        taken = self._open.chosen(idx)
        left = np.ones(len(self._open.seq), bool)
        left[idx] = False
        self._open = self._open.chosen(left)
        return taken

    def _completed(self, record):
        commands = self._take(record.seq)
        latency_ns = record.due_ns - commands.at_ns
        if (latency_ns < 0).any():
            raise DataError('command %d ends before it is submitted'
                            % record.seq[np.argmax(latency_ns < 0)])
        of_step = self._step_of(record.due_ns)
        for idx in np.unique(of_step[of_step >= 0]):
            mine = of_step == idx
            self._count(idx, commands.chosen(mine), record.due_ns[mine],
                        latency_ns[mine])

    def _count(self, idx, commands, due_ns, latency_ns):
        step = self.steps[idx]
        if step.series is None:
            step.series = Series(step.since_ns)
        block_bytes = self.zones.block_bytes(commands.nsid) if self.zones else 0
        data_bytes = np.where(np.isin(commands.op, DATA),
                              commands.nlb * block_bytes, 0)
        if self.zones:
            step.conventional_bytes += int(data_bytes[
                np.isin(commands.op, WRITERS)
                & (commands.nsid > self.zones.layout.namespaces)].sum())
        part = np.zeros(len(commands.seq), np.int64)
        if step.parts:
            begin_bytes = np.minimum(commands.slba, 1 << 54).astype(
                np.int64) * block_bytes
            part = step.parts.locate(
                commands.nsid, begin_bytes, ~commands.select_all
                & ~np.isin(commands.op, PLACELESS))
        keys = part * len(OPS) + commands.op
        for key in np.unique(keys):
            mine = keys == key
            name = (int(key) // len(OPS), OPS[int(key) % len(OPS)])
            self._counts[idx].setdefault(name, _Counts()).add(latency_ns[mine])
            step.series.add(name, due_ns[mine], latency_ns[mine],
                            data_bytes[mine])


def read(path, windows, parts_of, block_bytes=BLOCK_BYTES):
    """PATH: the trace; WINDOWS: [(since_ns, now_ns)] of the steps, in order;
    PARTS_OF(number, layout): the Parts of a step, or None.
    Return: the RunTrace. Raises DataError."""
    file = TraceFile(path, block_bytes)
    layout = layout_of(file.params)
    steps = [StepTrace(since_ns, now_ns,
                       parts_of(number, layout) if layout else None)
             for number, (since_ns, now_ns) in enumerate(windows)]
    reader = _Reader(layout, sorted(steps, key=lambda step: step.since_ns))
    reader.read(file.records())
    reader.finish()
    return RunTrace(layout, steps, None if reader.was_cut else reader.zones,
                    reader.end_ns)
