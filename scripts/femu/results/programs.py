# SPDX-License-Identifier: GPL-2.0-or-later
"""What programs in the guest measured in one step: fio's json+ output,
zns-load's, which is the same with every operation by its own name, and
zone-op's.

Knows nothing of the drive's own statistics, and of how any of it is shown.
"""

from dataclasses import dataclass

from femu.common import json_file
from femu.common.json_file import DataError
from femu.results.latency import Distribution, merged, of_values

DIRECTIONS = ('read', 'write', 'trim')
MIB = 1 << 20
NS_PER_MS = 1000000


@dataclass(frozen=True)
class Side:
    """One direction of some of fio's jobs that ran together, or one operation
    of zns-load's. `latency` is completion latency (clat), None if fio was told
    not to measure it."""
    direction: str
    commands: int
    data_bytes: int
    runtime_ns: int
    latency: Distribution

    def iops(self):
        """Return: commands per second, None if fio's clock saw no time."""
        return self._per_s(self.commands)

    def mib_per_s(self):
        """Return: MiB per second, None if fio's clock saw no time."""
        return self._per_s(self.data_bytes / MIB)

    def _per_s(self, amount):
        return amount * 1e9 / self.runtime_ns if self.runtime_ns else None


@dataclass(frozen=True)
class Job:
    """fio's entries of one name: one job, with its clones. `options`: what was
    said of each of them, [{option: text}]."""
    name: str
    sides: list
    options: list


@dataclass(frozen=True)
class Group:
    """fio's jobs of one groupid: they ran at the same time."""
    name: str
    sides: list
    jobs: tuple = ()


@dataclass(frozen=True)
class Fio:
    """A run of fio, or of zns-load: `by_operation` says that its sides are the
    drive's operations. `failures` are texts, one for each job with an error.
    `is_timed`: a job's options have a runtime.
    """
    version: str
    groups: list
    failures: list
    by_operation: bool = False
    is_timed: bool = False


@dataclass(frozen=True)
class ZoneOp:
    """A run of zone-op; `latency` is None if every operation failed."""
    operation: str
    latency: Distribution
    failures: list


def load_fio(path):
    """Return: the Fio in the file PATH. Raises DataError."""
    root = json_file.read(path)
    of_all = _options(root.get('global options'))
    jobs = {}
    failures = []
    by_operation = False
    for job in root['jobs'].items():
        by_operation |= job.get('femu') is not None
        jobs.setdefault(job['groupid'].integer(), []).append(job)
        error = job.get('error')
        if error is not None and error.integer() != 0:
            failures.append('%s job %s ended with error %d' % (
                'zns-load' if job.get('femu') else 'fio',
                job['jobname'].text(), error.integer()))
    version = root.get('fio version')
    return Fio(version=version.text() if version else '',
               groups=[_group(members, of_all)
                       for _, members in sorted(jobs.items())],
               failures=failures, by_operation=by_operation,
               is_timed=any(_has_runtime(node.get(name)) for node, name in [
                   (root, 'global options')] + [
                       (job, 'job options') for job in root['jobs'].items()]))


def _has_runtime(options):
    return options is not None and any(name == 'runtime' for name, _ in
                                       options.members())


def _group(entries, of_all):
    by_name = {}
    for entry in entries:
        by_name.setdefault(entry['jobname'].text(), []).append(entry)
    names = list(by_name)
    name = names[0] if len(names) == 1 else '%s (+%d)' % (names[0],
                                                          len(names) - 1)
    return Group(name, _sides_together(entries), tuple(
        Job(name, _sides_together(mine), [
            {**of_all, **_options(entry.get('job options'))}
            for entry in mine]) for name, mine in by_name.items()))


def _options(node):
    return {} if node is None else {name: value.shown()
                                    for name, value in node.members()}


def _sides_together(entries):
    sides = {}
    for entry in entries:
        for side in _sides(entry):
            sides.setdefault(side.direction, []).append(side)
    sides = [together(direction, mine) for direction, mine in sides.items()]
    return [side for side in sides if side.commands]


def _sides(job):
    """Return: the Sides of a job, one for each direction that it has."""
    own = job.get('femu')
    if own is None:
        return [_side(direction, job[direction],
                      job[direction]['runtime'].integer() * NS_PER_MS)
                for direction in DIRECTIONS if job.get(direction)]
    return [_side(name, node, own['elapsed_ns'].integer())
            for name, node in own['ops'].members()]


def together(direction, sides):
    """Return: the Side that SIDES are when taken together: as long as the
    longest of them, as fio sums up a group."""
    return Side(direction=direction,
                commands=sum(side.commands for side in sides),
                data_bytes=sum(side.data_bytes for side in sides),
                runtime_ns=max((side.runtime_ns for side in sides), default=0),
                latency=merged([side.latency for side in sides]))


def _side(direction, node, runtime_ns):
    return Side(direction=direction,
                commands=node['total_ios'].integer(),
                data_bytes=node['io_bytes'].integer(),
                runtime_ns=runtime_ns,
                latency=_clat(node['clat_ns']))


def _clat(node):
    """Return: the Distribution of json+'s bins, or None if there are none."""
    bins = node.get('bins')
    count = node.get('N')
    if count is None or count.integer() == 0:
        return None
    if bins is None:
        raise DataError('%s has no bins: fio was not run with '
                        '--output-format=json+' % node.where)
    counts = []
    for value_ns, times in bins.members():
        if not value_ns.isdecimal():
            raise DataError('%s is not a number of ns' % times.where)
        if times.integer():
            counts.append((int(value_ns), times.integer()))
    held = sum(times for _, times in counts)
    if held != count.integer():
        raise DataError('%s holds %d commands, N says %d'
                        % (bins.where, held, count.integer()))
    return Distribution(sorted(counts), node['mean'].number() * held,
                        node['min'].integer(), node['max'].integer())


def load_zone_op(path):
    """Return: the ZoneOp in the file PATH. Raises DataError."""
    root = json_file.read(path)
    operation = root['operation'].text()
    values_ns, failures = [], []
    for zone in root['zones'].items():
        latency_ns = zone['latency_ns'].integer()
        error = zone['errno'].integer()
        if error == 0:
            values_ns.append(latency_ns)
        else:
            failures.append('%s of zone %d failed (errno %d)' % (
                operation, zone['zone'].integer(), error))
    return ZoneOp(operation, of_values(values_ns) if values_ns else None,
                  failures)
