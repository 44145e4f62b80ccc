# SPDX-License-Identifier: GPL-2.0-or-later
"""Joins what the guest measured with what the drive says of itself: one row of
the table for each kind of operation of each step.

Knows nothing of files, and of how rows are shown.
"""

from dataclasses import dataclass, replace

from femu.common.numbers import plural
from femu.results import jobs
from femu.results.latency import Distribution
from femu.results.programs import MIB, together

# The drive's commands that one of fio's directions turns into. fio trims a
# zone of a zoned drive by resetting it.
COMMANDS = {'read': ('read',), 'write': ('write', 'append'),
            'trim': ('reset',)}
SOFTFINISH = 'softfinish'
DATA_COMMANDS = ('read', 'write', 'append', 'flush')


@dataclass(frozen=True)
class Row:
    """One operation of a step; times are the drive's. `guest` and `device`
    are distributions, None where there is none. `commands` are the drive's,
    or the guest's operations where the drive's cannot be told apart. `job` is
    the job's name if the row is of one of several jobs, '' for a row of the
    whole step.
    """
    step: str
    label: str
    operation: str
    commands: int
    guest: Distribution
    device: Distribution
    iops: float
    mib_per_s: float
    job: str = ''


def of_run(run):
    """Return: the Rows of all steps, in order."""
    return [row for step in run.steps for row in of_step(step)]


def of_step(step):
    """Return: the Rows of one step: first what the guest measured, then the
    drive's other commands; behind those of an operation each job's own."""
    return jobs.with_jobs(step, _of_whole(step),
                          commands_of(step.fio), _job_row)


def notes(step):
    """Return: what must be said of the rows of STEP."""
    return jobs.notes(step, of_step(step), commands_of(step.fio))


def _of_whole(step):
    dilation = dilation_of(step)
    rows, seen = [], set()
    if step.fio:
        rows, seen = _fio_rows(step, dilation)
    if step.zone_op and step.zone_op.latency:
        operation = step.zone_op.operation
        guest = step.zone_op.latency.divided(dilation)
        device = _device_latency(step, (operation,))
        rows.append(Row(step.name, operation, operation,
                        device.count if device else guest.count,
                        guest, device, None, None))
        seen.add(operation)
    return rows + _device_rows(step, seen)


def dilation_of(step):
    """Return: by how much the guest's time is stretched in STEP."""
    return step.device.dilation if step.device else 1


def _job_row(step, job, operation, sides, device):
    """Return: the Row of what the jobs of the name JOB did, SIDES of which fio
    measured; DEVICE is None if the drive's commands cannot be told apart."""
    if not sides:
        return Row(step.name, '%s %s' % (job, operation), operation,
                   device.count, None, device, None, None, job)
    row = _fio_row(step, '%s %s' % (job, operation),
                   together(operation, sides), device, dilation_of(step))
    return replace(row, job=job)


def _fio_rows(step, dilation):
    """Return: (rows, the drive's commands that they stand for)."""
    groups = step.fio.groups
    rows, seen = [], set()
    for direction, names in commands_of(step.fio).items():
        sides = [(group, side) for group in groups for side in group.sides
                 if side.direction == direction]
        if not sides:
            continue
        seen.update(names)
        device = _device_latency(step, names)
        for group, side in sides:
            alone = len(sides) == 1
            label = direction if len(groups) == 1 else '%s %s' % (
                group.name, direction)
            rows.append(_fio_row(step, label, side,
                                 device if alone else None, dilation))
        if len(sides) > 1 and device:
            whole = together(direction, [side for _, side in sides])
            rows.append(Row(step.name, 'all ' + direction, direction,
                            device.count, whole.latency.divided(dilation)
                            if whole.latency else None, device, None, None))
    return rows, seen


def commands_of(fio):
    """Return: {direction: the drive's commands that it turns into}."""
    if fio is None:
        return {}
    if not fio.by_operation:
        return COMMANDS
    # Only this operation is made of others, which have rows of their own.
    return {side.direction: (side.direction,)
            if side.direction != SOFTFINISH else ()
            for group in fio.groups for side in group.sides}


def _fio_row(step, label, side, device, dilation):
    guest = side.latency.divided(dilation) if side.latency else None
    iops = mib_per_s = None
    # A rate of zone management says nothing of the drive's throughput.
    if not step.fio.by_operation or side.direction in DATA_COMMANDS:
        iops = _times(side.iops(), dilation)
        mib_per_s = _times(side.mib_per_s(), dilation)
    return Row(step.name, label, side.direction,
               device.count if device else side.commands, guest, device,
               iops, mib_per_s)


def _times(rate, factor):
    return None if rate is None else rate * factor


def _device_latency(step, names):
    return step.device.latency(names) if step.device else None


def _time_ns(step):
    """Return: how long STEP took, in the drive's time. The drive's statistics
    are of a little more: programs begin and read them, some 10 ms of the
    guest's each."""
    return (step.duration_ns / dilation_of(step) if step.duration_ns
            else step.device.window_ns)


def _device_rows(step, seen):
    """Return: rows of the drive's commands that no program measured. Their
    rate is over the whole step; that of zone management says nothing."""
    if not step.device:
        return []
    rows = []
    for name, op in step.device.ops.items():
        if name in seen or op.latency is None:
            continue
        iops = mib_per_s = None
        if name in DATA_COMMANDS and _time_ns(step):
            iops = op.latency.count * 1e9 / _time_ns(step)
            mib_per_s = op.data_bytes / MIB * 1e9 / _time_ns(step)
        rows.append(Row(step.name, name, name, op.latency.count, None,
                        op.latency, iops, mib_per_s))
    return rows


@dataclass(frozen=True)
class Busy:
    """For which share, 0..1, of the time `of` a step something was busy;
    `units` are in the drive's order: channel, way, die, plane."""
    of: str
    channels: list
    units: list
    geometry: dict


def busy(step):
    """Return: what was Busy in STEP, None if the drive did not report it. The
    share is of the time in which the program measured: with its start and end
    included, every drive would look idle. If no program measured, it is of the
    whole step."""
    if not step.device or not step.device.window_ns or \
            not step.device.units:
        return None
    device = step.device
    of, time_ns = 'of the step', _time_ns(step)
    if step.fio and jobs.time_ns(step):
        of = "of zns-load's run time" if step.fio.by_operation \
            else "of fio's run time"
        time_ns = jobs.time_ns(step) / device.dilation
    elif step.zone_op and step.zone_op.latency:
        of = "of zone-op's time"
        time_ns = step.zone_op.latency.sum_ns / device.dilation
    # fio knows its run time to the ms only; nothing is busy beyond all of it.
    time_ns = max([min(time_ns, device.window_ns)] + device.channels
                  + device.units)
    return Busy(of, [busy_ns / time_ns for busy_ns in device.channels],
                [busy_ns / time_ns for busy_ns in device.units],
                device.geometry)


def remarks(step):
    """Return: texts of what went wrong in STEP itself."""
    texts = []
    if step.exit_status != 0:
        texts.append('step %s failed with exit status %d; %s.out has its '
                     'output' % (step.name, step.exit_status, step.name))
    for part in (step.fio, step.zone_op):
        if part:
            texts += ['step %s: %s' % (step.name, text)
                      for text in part.failures]
    if step.device:
        texts += ['step %s: the drive rejected %s' % (
                      step.name, plural(op.rejected, name + ' command'))
                  for name, op in step.device.ops.items() if op.rejected]
    return texts
