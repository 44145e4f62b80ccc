# SPDX-License-Identifier: GPL-2.0-or-later
"""Several jobs of one step: which job gave which command, by the zones that
each job has, and rows for each job beside those of the whole step.

Knows nothing of how rows are made and shown.
"""

import re

NOBODY = 'no job'
ZNS_LOAD = 'zns-load'
# What zns-load's options are if it is not told.
DEFAULTS = {'filename': '/dev/ng0n1', 'size': '1z'}
TIME = re.compile(r'([0-9]+(?:[.][0-9]+)?)([a-z]*)')
UNIT_NS = {'d': 86400 * 10**9, 'h': 3600 * 10**9, 'm': 60 * 10**9, 's': 10**9,
           '': 10**9, 'ms': 10**6, 'msec': 10**6, 'us': 10**3, 'usec': 10**3}
OPTION = re.compile(r'--([a-z_]+)=(\S*)')
MAX_NAMES = 3


def jobs_of(step):
    """Return: the jobs of STEP, one for each name of each of fio's groups."""
    if not step.fio:
        return []
    return [job for group in step.fio.groups for job in group.jobs]


def parts_of(step, where):
    """WHERE: the drive's Layout. Return: how the commands of STEP are divided
    among its jobs, None if it has not several."""
    from femu.results.parts import divide  # pylint: disable=C0415
    if len(jobs_of(step)) < 2:
        return None
    return divide(options_of(step), where)


def options_of(step):
    """Return: of each job of STEP what was said of it and of its clones,
    [{option: text}]."""
    jobs = jobs_of(step)
    if step.kind != ZNS_LOAD:
        return [job.options for job in jobs]
    said = _said(step.command)
    return [said.get(job.name, []) for job in jobs]


def ramp_ns(options):
    """Return: for how long a job with OPTIONS ran and was not measured, but for
    a ramp behind which the drive's statistics have begun anew."""
    return 0 if options.get('reset_stats', '0') != '0' else _ns(
        options.get('ramp_time', ''))


def has_ramp(step):
    """Return: whether the drive's statistics of STEP have commands that no
    program has measured, because of a job's ramp_time."""
    return any(ramp_ns(one) for job in options_of(step) for one in job)


def time_ns(step):
    """Return: for how long the jobs of STEP were at work, in the guest's time:
    groups run one after another. What no program measures of a job, its ramp_time
    and startdelay, is part of it."""
    options, whole_ns = iter(options_of(step)), 0
    for group in step.fio.groups:
        ends_ns = [side.runtime_ns for side in group.sides]
        for job in group.jobs:
            before_ns = max((ramp_ns(one) + _ns(one.get('startdelay', ''))
                             for one in next(options)), default=0)
            ends_ns += [before_ns + side.runtime_ns for side in job.sides]
        whole_ns += max(ends_ns, default=0)
    return whole_ns


def _ns(text):
    """Return: the ns that fio takes TEXT for, 0 if it is no time."""
    match = TIME.fullmatch(text.strip().lower())
    return round(float(match[1]) * UNIT_NS.get(match[2], 0)) if match else 0


def _said(command):
    """Return: {job: [its options]}, as zns-load's COMMAND has them."""
    of_all, found = dict(DEFAULTS), {}
    options = of_all
    for name, value in OPTION.findall(command):
        if name == 'name':
            options = dict(of_all)
            found.setdefault(value, []).append(options)
        else:
            options[name] = value
    for options in [one for many in found.values() for one in many]:
        options.setdefault('offset_increment', options['size'])
    return found


def fault(step, commands):
    """COMMANDS: {direction of fio's: the drive's operations}. Return: why the
    jobs of STEP cannot be told apart on the drive, '' if they can."""
    if step.trace is None:
        return step.trace_fault
    if step.trace.parts is None:
        return 'the trace does not say where zones are'
    for idx, job in enumerate(jobs_of(step)):
        for side in job.sides:
            names = commands[side.direction]
            counted = _count(step.trace, names, idx)
            if names and counted is not None and counted < side.commands and \
                    _enough(step, side.direction, names):
                return '%s counted %d %s commands of job %s, its zones had ' \
                    '%d' % (step.kind, side.commands, side.direction, job.name,
                            counted)
    return ''


def _count(trace, names, job):
    """Return: how many commands job number JOB has; None if it shares its zones
    with another job."""
    part = trace.parts.of_job(job)
    if len(trace.parts.parts[part].jobs) > 1:
        return None
    latency = trace.latency(names, part)
    return latency.count if latency else 0


def _enough(step, direction, names):
    """Return: whether the drive has had as many commands as fio says (it has
    not if they ended in the guest's memory)."""
    counted = step.device.latency(names)
    return counted is not None and counted.count >= sum(
        side.commands for job in jobs_of(step) for side in job.sides
        if side.direction == direction)


def with_jobs(step, rows, commands, row_of):
    """ROWS: those of the whole STEP; COMMANDS: see fault(). ROW_OF(step, job's
    name, operation, sides, device's latency) makes one more. Return: ROWS, and
    behind those of an operation that several jobs have, a row for each."""
    if len(jobs_of(step)) < 2:
        return rows
    trace = None if fault(step, commands) else step.trace
    found = []
    for operation in dict.fromkeys(row.operation for row in rows):
        own = _own(step, trace, operation,
                   commands.get(operation, (operation,)), row_of)
        said = _groups_of_one(step, operation) if own else []
        found += [row for row in rows if row.operation == operation
                  and row.label not in said] + own
    return found


def _own(step, trace, operation, names, row_of):
    """Return: the rows of the jobs that have OPERATION, if several have."""
    sides = {idx: side for idx, job in enumerate(jobs_of(step))
             for side in job.sides if side.direction == operation}
    parts = trace.parts_with(names) if trace else []
    if len(sides) < 2 and len(parts) < 2:
        return []
    rows = []
    for idx, job in enumerate(jobs_of(step)):
        device = None
        if trace and _count(trace, names, idx):
            device = trace.latency(names, trace.parts.of_job(idx))
        if idx in sides or device:
            rows.append(row_of(step, job.name, operation,
                               [sides[idx]] if idx in sides else [], device))
    for part in parts:
        members = trace.parts.parts[part].jobs
        if len(members) == 1 or parts == [part]:
            continue
        rows.append(row_of(step, _names(step, members), operation,
                           [sides[idx] for idx in members if idx in sides],
                           trace.latency(names, part)))
    return rows


def _names(step, members):
    """Return: the names of the jobs with the numbers MEMBERS."""
    jobs = jobs_of(step)
    names = [jobs[idx].name for idx in members]
    if len(names) > MAX_NAMES:
        names[MAX_NAMES - 1:] = ['%d more' % (len(names) - MAX_NAMES + 1)]
    return ' + '.join(names) or NOBODY


def part_name(step, part):
    """Return: the names of the jobs that number PART of STEP's parts belongs
    to."""
    return _names(step, step.trace.parts.parts[part].jobs)


def _groups_of_one(step, operation):
    """Return: the labels of groups in which one job has OPERATION, and whose
    row is that job's."""
    groups = step.fio.groups
    return ['%s %s' % (group.name, operation) for group in groups
            if len(groups) > 1 and 1 == sum(
                side.direction == operation
                for job in group.jobs for side in job.sides)]


def notes(step, rows, commands):
    """Return: what must be said of the ROWS of STEP that are of jobs."""
    if not any(row.job for row in rows):
        return []
    why = fault(step, commands)
    if why:
        return ['step %s: its jobs\' device latency is not known: %s'
                % (step.name, why)]
    parts = step.trace.parts
    return ['step %s: jobs %s share %s: their device latency is one sum' % (
                step.name, _names(step, part.jobs), parts.shared(idx))
            for idx, part in enumerate(parts.parts) if len(part.jobs) > 1]
