# SPDX-License-Identifier: GPL-2.0-or-later
"""The drive's statistics of one step: what is in NAME.device.json.

Knows nothing of fio, of the guest, and of how any of it is shown.
"""

from dataclasses import dataclass

from femu.common import json_file
from femu.common.json_file import DataError
from femu.results.latency import Distribution, merged

FORMAT_VERSION = 1


@dataclass(frozen=True)
class Op:
    """One kind of command: `rejected` never took effect and has no latency;
    `latency` is None if no command completed. Times are the drive's. `bins` are
    the buckets as the drive's histogram has them, not adjusted to the exact
    minimum and maximum."""
    rejected: int
    data_bytes: int
    latency: Distribution
    bins: tuple = ()


@dataclass(frozen=True)
class Conventional:
    """The conventional namespace: bytes that the host's writes and that garbage
    collection have put into its log, and the programs and erases that this
    took."""
    host_bytes: int
    moved_bytes: int
    programs: int
    erases: int


@dataclass(frozen=True)
class Wear:
    """How often the blocks of zones have been erased since the drive was made:
    altogether, and of a block."""
    blocks: int
    erases: int
    least: int
    median: int
    p99: int
    most: int


@dataclass(frozen=True)
class Lateness:
    """How late completions were posted, in ns of the guest's clock, which is
    the host's clock if `host_clock`; bins: (lowest value, how many)."""
    host_clock: bool
    count: int
    p50_ns: int
    p99_ns: int
    max_ns: int
    bins: tuple = ()


@dataclass(frozen=True)
class Rounds:
    """Sums over commands that were alone inside a drive with a thread: from the
    doorbell to the thread's having the lock, to the interrupt, to the guest's
    having taken the completion, to the next doorbell."""
    count: int
    lock_ns: int
    drive_ns: int
    take_ns: int
    ring_ns: int


@dataclass(frozen=True)
class Device:
    """All of a step, which the drive watched for window_ns, from since_ns to
    now_ns of its own time. `channels` and
    `units` are the times for which each was busy in it; units are in the
    drive's order: channel, way, die, plane."""
    window_ns: int
    ops: dict
    senses: int
    programs: int
    erases: int
    channels: list
    units: list
    geometry: dict
    dilation: int
    lateness: Lateness
    config: list
    since_ns: int = 0
    now_ns: int = 0
    page_bytes: int = None      # of a program; older drives do not report it
    padded_bytes: int = None    # bytes that finishes have filled
    conventional: Conventional = None
    wear: Wear = None
    rounds: Rounds = None

    def latency(self, names):
        """Return: the latency of all commands of the kinds NAMES, or None."""
        return merged([self.ops[name].latency for name in names
                       if name in self.ops])


def load(path):
    """Return: the Device in the file PATH. Raises DataError."""
    root = json_file.read(path)
    version = root['version'].integer()
    if version != FORMAT_VERSION:
        raise DataError('has version %d, version %d was expected'
                        % (version, FORMAT_VERSION))
    since_ns = root['since_ns'].integer()
    now_ns = root['now_ns'].integer(since_ns)
    window_ns = now_ns - since_ns
    geometry = {name: root['geometry'][name].integer(1)
                for name in ('channels', 'ways', 'dies', 'planes')}
    unit_count = (geometry['channels'] * geometry['ways'] * geometry['dies']
                  * geometry['planes'])
    dilation = root.get('time_dilation')
    return Device(
        window_ns=window_ns,
        ops={name: _op(node) for name, node in root['ops'].members()},
        senses=root['flash']['senses'].integer(),
        programs=root['flash']['programs'].integer(),
        erases=root['flash']['erases'].integer(),
        channels=_busy(root, 'channels', geometry['channels'], window_ns),
        units=_busy(root, 'units', unit_count, window_ns),
        geometry=geometry,
        dilation=dilation.integer(1) if dilation else 1,
        lateness=_lateness(root.get('lateness')),
        config=_config(root.get('config')),
        since_ns=since_ns, now_ns=now_ns,
        page_bytes=_integer(root.get('programmed'), 'page_bytes'),
        padded_bytes=_integer(root.get('programmed'), 'padded_bytes'),
        conventional=_numbers(Conventional, root.get('conventional'), (
            'host_bytes', 'moved_bytes', 'programs', 'erases')),
        wear=_numbers(Wear, root.get('wear'), (
            'blocks', 'erases', 'min', 'p50', 'p99', 'max')),
        rounds=_numbers(Rounds, root.get('rounds'), (
            'count', 'lock_ns', 'drive_ns', 'take_ns', 'ring_ns')))


def _integer(node, name):
    return None if node is None else node[name].integer()


def _numbers(kind, node, names):
    """Return: a KIND of the members NAMES of NODE, None if there is none."""
    return None if node is None else kind(
        *(node[name].integer() for name in names))


def _op(node):
    return Op(rejected=node['errors'].integer(),
              data_bytes=node['bytes'].integer(),
              latency=_latency(node), bins=tuple(_bins(node)))


def _bins(node):
    return sorted(tuple(part.integer() for part in _pair(pair))
                  for pair in node['histogram'].items()) \
        if node['count'].integer() else []


def _latency(node):
    count = node['count'].integer()
    if count == 0:
        return None
    bins = _bins(node)
    held = sum(bin_count for _, bin_count in bins)
    if held != count:
        raise DataError('%s holds %d commands, count says %d'
                        % (node['histogram'].where, held, count))
    return Distribution(bins, node['sum_ns'].integer(),
                        node['min_ns'].integer(), node['max_ns'].integer())


def _pair(node):
    parts = node.items()
    if len(parts) != 2:
        raise DataError('%s has %d parts, [value, count] was expected'
                        % (node.where, len(parts)))
    return parts


def _busy(root, name, expected, window_ns):
    busy = [node.integer() for node in root[name].items()]
    if len(busy) != expected:
        raise DataError('%s has %d entries, the geometry has %d'
                        % (name, len(busy), expected))
    if any(busy_ns > window_ns for busy_ns in busy):
        raise DataError('%s[%d] was busy for %d ns of %d ns'
                        % (name, busy.index(max(busy)), max(busy), window_ns))
    return busy


def _lateness(node):
    if node is None:
        return None
    return Lateness(host_clock=node['clock'].text() == 'host',
                    count=node['count'].integer(),
                    p50_ns=node['p50_ns'].integer(),
                    p99_ns=node['p99_ns'].integer(),
                    max_ns=node['max_ns'].integer(),
                    bins=tuple(_bins(node)) if node.get('histogram') else ())


def _config(node):
    if node is None:
        return []
    return [(name, value.shown()) for name, value in node.members()]
