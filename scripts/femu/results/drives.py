# SPDX-License-Identifier: GPL-2.0-or-later
"""Several drives in one run: what they did together, and which of a step's
programs worked on which drive alone.

Knows nothing of files, and of how any of it is shown.
"""

import re
from dataclasses import replace

from femu.results import jobs
from femu.results.device import Device, Lateness, Op
from femu.results.latency import Distribution, merged
from femu.results.programs import Group, together

BLOCK_DEVICE = re.compile(r'/dev/(?:nvme|ng)([0-9]+)(?:n[0-9]+)?')


def all_of(devices):
    """Return: what the drives of DEVICES did together in a step; what only one
    of them can have, a geometry or a limit, it has not. None of []."""
    if not devices:
        return None
    if len(devices) == 1:
        return devices[0]
    names = dict.fromkeys(name for one in devices for name in one.ops)
    since_ns = min(one.since_ns for one in devices)
    now_ns = max(one.now_ns for one in devices)
    return Device(
        window_ns=now_ns - since_ns, since_ns=since_ns, now_ns=now_ns,
        ops={name: _op([one.ops[name] for one in devices if name in one.ops])
             for name in names},
        senses=sum(one.senses for one in devices),
        programs=sum(one.programs for one in devices),
        erases=sum(one.erases for one in devices),
        channels=[], units=[], geometry={}, dilation=devices[0].dilation,
        lateness=_lateness([one.lateness for one in devices if one.lateness]),
        config=[])


def _op(parts):
    return Op(rejected=sum(part.rejected for part in parts),
              data_bytes=sum(part.data_bytes for part in parts),
              latency=merged([part.latency for part in parts]))


def _lateness(parts):
    """Return: the Lateness of the completions of all drives, None if none has
    any."""
    bins = merged([Distribution(
        part.bins, 0, part.bins[0][0], part.max_ns)
                   for part in parts if part.bins])
    if bins is None:
        return None
    return Lateness(host_clock=parts[0].host_clock,
                    count=sum(part.count for part in parts),
                    p50_ns=bins.percentile_ns(50),
                    p99_ns=bins.percentile_ns(99), max_ns=bins.max_ns,
                    bins=tuple(bins.bins))


def number_of(options):
    """OPTIONS: [{option: text}] of a job and its clones. Return: the number of
    the drive that it has, None if it has another file, or more than one."""
    names = [name for one in options
             for name in re.split(r'(?<!\\):', one.get('filename', ''))]
    found = {_number(name) for name in names}
    return found.pop() if len(found) == 1 else None


def _number(path):
    match = BLOCK_DEVICE.fullmatch(path)
    return int(match[1]) if match else None


def fio_of(step, number):
    """Return: the Fio of the jobs of STEP that have drive NUMBER alone, None if
    there is none."""
    if not step.fio:
        return None
    options = iter(jobs.options_of(step))
    groups = []
    for group in step.fio.groups:
        mine = tuple(job for job in group.jobs
                     if number_of(next(options)) == number)
        if mine:
            groups.append(_group(group.name, mine))
    return replace(step.fio, groups=groups) if groups else None


def _group(name, members):
    directions = dict.fromkeys(side.direction for job in members
                               for side in job.sides)
    if len(members) == 1:
        name = members[0].name
    return Group(name, [
        together(direction, [side for job in members for side in job.sides
                             if side.direction == direction])
        for direction in directions], members)


def zone_op_of(step, number):
    """Return: STEP's ZoneOp if it is of drive NUMBER."""
    words = step.command.split()
    return step.zone_op if len(words) > 1 and _number(words[1]) == number \
        else None
