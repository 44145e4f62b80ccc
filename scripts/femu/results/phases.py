# SPDX-License-Identifier: GPL-2.0-or-later
"""What the drive did in a part of a step: the difference of two readings of its
statistics, which nothing has reset in between.

Knows nothing of what the parts are, and of files.
"""

from dataclasses import dataclass, replace

from femu.results.device import Conventional, Op
from femu.results.latency import Distribution


class PhaseError(Exception):
    """Two readings that are not of the same step, or not in this order."""


@dataclass(frozen=True)
class Phase:
    """A part of a step. duration_ns is the guest's; `device` what the drive did
    in it, None if that is not known."""
    name: str
    duration_ns: int
    device: object = None


def between(earlier, later):
    """Return: the Device of what happened after the reading EARLIER (None: the
    step's beginning) and before LATER. The least and the most of a latency are
    exact if they are new in it, else those of the histogram's buckets."""
    if earlier is None:
        return later
    if earlier.since_ns != later.since_ns or earlier.now_ns > later.now_ns:
        raise PhaseError('its statistics do not go on from the last mark\'s')
    ops = {name: _op(earlier.ops.get(name), op)
           for name, op in later.ops.items()}
    conventional = later.conventional and Conventional(*(
        getattr(later.conventional, name) - getattr(earlier.conventional, name)
        for name in Conventional.__dataclass_fields__))
    return replace(
        later, since_ns=earlier.now_ns,
        window_ns=later.now_ns - earlier.now_ns,
        ops={name: op for name, op in ops.items() if op.latency or op.rejected},
        senses=later.senses - earlier.senses,
        programs=later.programs - earlier.programs,
        erases=later.erases - earlier.erases,
        channels=_less(later.channels, earlier.channels),
        units=_less(later.units, earlier.units),
        padded_bytes=None if later.padded_bytes is None
        else later.padded_bytes - earlier.padded_bytes,
        conventional=conventional)


def _less(later, earlier):
    return [end - begin for begin, end in zip(earlier, later)]


def _op(earlier, later):
    if earlier is None or not earlier.latency:
        return later
    before = dict(earlier.bins)
    bins = [(low_ns, count - before.get(low_ns, 0))
            for low_ns, count in later.bins]
    if any(count < 0 for _, count in bins):
        raise PhaseError('its statistics count less than the last mark\'s')
    bins = [(low_ns, count) for low_ns, count in bins if count]
    latency = None
    if bins:
        old, new = earlier.latency, later.latency
        latency = Distribution(
            bins, new.sum_ns - old.sum_ns,
            new.min_ns if new.min_ns < old.min_ns
            else max(bins[0][0], new.min_ns),
            new.max_ns if new.max_ns > old.max_ns
            else min(max(bins[-1][0], new.min_ns), new.max_ns))
    return Op(later.rejected - earlier.rejected,
              later.data_bytes - earlier.data_bytes, latency, tuple(bins))
