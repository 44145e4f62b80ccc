# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the folder that a run left behind. A file that is missing or damaged
becomes a text in `problems`; everything else is still read.

Knows nothing of how any of it is shown.
"""

import os
from dataclasses import dataclass, field

from femu.common import json_file
from femu.common.json_file import DataError, Node
from femu.results import db_bench, drives, jobs, phases, programs
from femu.results.device import Device, load as load_device

META = 'meta.json'
TRACE = 'trace.csv'
# How a step's files end; meta.json names them, this finds them without it.
ENDINGS = {'fio': '.fio.json', 'zone': '.zone.json', 'device': '.device.json'}
RESULTS = 'results'
OWN_DRIVER = 'femu-zns'


@dataclass
class Step:
    """One measurement, duration_ns long by the guest's clock. fio, zone_op,
    bench (db_bench's results) and device are None if the step has none, or its
    file could not be read. trace is None, too, if it cannot be used;
    trace_fault then says why."""
    name: str
    kind: str
    command: str = ''
    exit_status: int = 0
    duration_ns: int = None
    fio: programs.Fio = None
    zone_op: programs.ZoneOp = None
    device: Device = None
    trace: object = None
    trace_fault: str = 'the run has no %s' % TRACE
    bench: list = None
    phases: list = field(default_factory=list)


@dataclass
class Run:
    """A run. `meta` is the Node of meta.json, an empty object if it could not
    be read. `virtual_ns` is the guest's time from power-on to power-off,
    `zones` what became of the drive's zones; both None without a trace.

    A run of several drives has in `drives` a Run for each, with what that drive
    did, and the jobs that had it alone; `drive` is the Node of meta.json that
    says which. Its own steps have what all drives did together."""
    out_dir: str
    meta: Node
    steps: list = field(default_factory=list)
    problems: list = field(default_factory=list)
    virtual_ns: int = None
    zones: object = None
    drives: list = field(default_factory=list)
    drive: Node = None

    def fact(self, *keys):
        """Return: the text of a member of meta.json, '' if it has none."""
        node = self.meta
        for key in keys:
            try:
                node = node.get(key)
            except DataError:
                return ''
            if node is None:
                return ''
        return node.shown()

    @property
    def dilation(self):
        """By how much the guest's time is stretched against the drive's."""
        for step in self.steps:
            if step.device:
                return step.device.dilation
        said = self.fact('time_dilation')
        return int(said) if said.isdecimal() and int(said) else 1

    @property
    def config_name(self):
        """The configuration's name: zn540 of configs/zn540.cfg."""
        if self.drives:
            stems = [one.config_name for one in self.drives]
            return ', '.join(
                '%d x %s' % (stems.count(name), name) if stems.count(name) > 1
                else name for name in dict.fromkeys(stems))
        return stem(self.drive['file'].text() if self.drive
                    else self.fact('config', 'file'))

    @property
    def drive_name(self):
        """What the drive is called, of several: zns1, /dev/nvme1n1."""
        return ', '.join(self.drive[name].text()
                         for name in ('name', 'device')) if self.drive else ''

    @property
    def job_name(self):
        """The job's name: default of jobs/default.sh."""
        return stem(self.fact('job', 'file'))


def stem(path):
    """Return: the name of the file PATH without its ending."""
    return os.path.splitext(os.path.basename(path))[0]


def load(out_dir):
    """Return: the Run in the folder OUT_DIR."""
    run = Run(out_dir, Node({}))
    try:
        run.meta = json_file.read(os.path.join(out_dir, META))
        found = [_declared(node) for node in run.meta['steps'].items()]
    except DataError as error:
        run.problems.append('%s: %s; the steps are taken from the files '
                            'in %s/, by name' % (META, error, RESULTS))
        found = _by_name(out_dir)
    for step, files, parts in found:
        _read_files(run, step, files)
        _read_bench(run, step, files)
        _read_phases(run, step, parts)
        run.steps.append(step)
    if not found:
        run.problems.append('no step in this run has left a result')
    several = run.meta.get('drives')
    if several:
        _read_drives(run, several.items(), found)
    else:
        _read_trace(run, TRACE)
    return run


def _read_drives(run, nodes, found):
    """Gives RUN its drives, NODES of meta.json; FOUND as load() has it."""
    for number, node in enumerate(nodes):
        mine = Run(run.out_dir, run.meta, problems=run.problems, drive=node)
        for step, _, parts in found:
            own = Step(step.name, step.kind, step.command,
                       duration_ns=step.duration_ns,
                       fio=drives.fio_of(step, number),
                       zone_op=drives.zone_op_of(step, number))
            if number == 0:
                own.device, own.phases = step.device, step.phases
            else:
                _read_of_drive(run, own, node['name'].text(), parts)
            mine.steps.append(own)
        _read_trace(mine, os.path.join(node['folder'].text(), TRACE))
        run.drives.append(mine)
    run.virtual_ns = run.drives[0].virtual_ns
    for number, (step, _, _) in enumerate(found):
        own = [one.steps[number] for one in run.drives]
        step.device = drives.all_of([one.device for one in own if one.device])
        step.trace_fault = 'each drive has its own, in its own table'
        step.phases = [phases.Phase(
            phase.name, phase.duration_ns, drives.all_of(
                [one.phases[idx].device for one in own
                 if one.phases[idx].device]))
            for idx, phase in enumerate(step.phases)]


def _read_of_drive(run, step, name, parts):
    """Gives STEP what the drive NAME, not the first, says of it."""
    ending = '.%s.json' % name
    path = '%s/%s%s' % (RESULTS, step.name, ending)
    try:
        step.device = load_device(os.path.join(run.out_dir, path))
    except DataError as error:
        run.problems.append('%s: %s; step %s of %s is shown without it' % (
            path, error, step.name, name))
    _read_phases(run, step, [
        (phase, duration_ns, path.removesuffix(ENDINGS['device']) + ending)
        for phase, duration_ns, path in parts])


def _declared(node):
    """Return: (Step, {what: path}, its phases as _parts() has them) of a step in
    meta.json."""
    status = node.get('exit')
    step = Step(name=node['name'].text(), kind=node['kind'].text(),
                command=node['command'].text() if node.get('command') else '',
                exit_status=status.integer() if status else 0)
    if node.get('start_ns') and node.get('end_ns'):
        start_ns = node['start_ns'].integer()
        step.duration_ns = node['end_ns'].integer(start_ns) - start_ns
    files = {}
    if node.get('files'):
        files = {what: path.text() for what, path in node['files'].members()}
    return step, files, _parts(node)


def _by_name(out_dir):
    """Return: [(Step, {what: path}, [])], sorted by the steps' names."""
    steps = {}
    try:
        names = sorted(os.listdir(os.path.join(out_dir, RESULTS)))
    except OSError:
        names = []
    for name in names:
        for what, ending in ENDINGS.items():
            if name.endswith(ending) and '@' not in name:
                files = steps.setdefault(name[:-len(ending)], {})
                files[what] = '%s/%s' % (RESULTS, name)
    return [(Step(name, _kind(files)), files, [])
            for name, files in steps.items()]


def _kind(files):
    if 'fio' in files:
        return 'fio'
    return 'zone-op' if 'zone' in files else 'command'


def _read_files(run, step, files):
    own = run.fact('config', 'driver') in ('', OWN_DRIVER)
    # A program that failed may have left no file. Only its exit status is
    # reported then, not the missing file.
    kind = step.kind if step.exit_status == 0 else ''
    wanted = (('fio', 'fio', programs.load_fio,
               kind in ('fio', 'zns-load')),
              ('zone', 'zone_op', programs.load_zone_op, kind == 'zone-op'),
              ('device', 'device', load_device, own))
    for what, member, loader, needed in wanted:
        path = files.get(what)
        if path is None:
            if not needed:
                continue
            path = '%s/%s%s' % (RESULTS, step.name, ENDINGS[what])
        try:
            setattr(step, member, loader(os.path.join(run.out_dir, path)))
        except DataError as error:
            run.problems.append('%s: %s; step %s is shown without it'
                                % (path, error, step.name))


def _read_bench(run, step, files):
    if step.kind != 'db_bench' or step.exit_status != 0:
        return
    path = files.get('output', '%s/%s.out' % (RESULTS, step.name))
    try:
        step.bench = db_bench.load(os.path.join(run.out_dir, path))
    except DataError as error:
        run.problems.append('%s: %s; step %s is shown without it'
                            % (path, error, step.name))


def _read_phases(run, step, parts):
    """Gives STEP its phases, PARTS of meta.json. Behind one whose end is not
    known, the next one's beginning is not known either."""
    earlier, lost = None, ''
    for name, duration_ns, path in parts:
        device = later = None
        try:
            later = load_device(os.path.join(run.out_dir, path))
            if lost:
                raise phases.PhaseError('begins where phase %s ends, which is '
                                        'not known' % lost)
            device = phases.between(earlier, later)
        except (DataError, phases.PhaseError) as error:
            run.problems.append('%s: %s; phase %s of step %s is shown without '
                                'it' % (path, error, name, step.name))
        earlier, lost = later, '' if later else name
        step.phases.append(phases.Phase(name, duration_ns, device))


def _parts(node):
    """Return: [(name, duration_ns, path of its statistics)] of the phases of a
    step in meta.json."""
    parts = []
    for part in node['phases'].items() if node.get('phases') else []:
        name = part['name'].text()
        start_ns = part['start_ns'].integer()
        files = part.get('files')
        parts.append((name, part['end_ns'].integer(start_ns) - start_ns,
                      files['device'].text() if files and files.get('device')
                      else '%s/%s@%s%s' % (RESULTS, node['name'].text(), name,
                                           ENDINGS['device'])))
    return parts


def _read_trace(run, name):
    """Gives RUN and its steps what the trace NAME says, if it can be had."""
    path = os.path.join(run.out_dir, name)
    if not os.path.exists(path):
        return
    steps = [step for step in run.steps if step.device]
    try:
        from femu.results import traced  # pylint: disable=C0415
        found = traced.read(
            path, [(step.device.since_ns, step.device.now_ns)
                   for step in steps],
            lambda number, where: jobs.parts_of(steps[number], where))
    except (ImportError, DataError) as error:
        _no_trace(run, '%s: %s' % (name, error))
        return
    if found.end_ns is None:
        run.problems.append('%s: cut short, it has no end record' % name)
    else:
        run.virtual_ns = found.end_ns * run.dilation
    run.zones = found.zones
    for step, trace in zip(steps, found.steps):
        ops = {name: op.latency for name, op in step.device.ops.items()}
        difference = trace.disagreement(ops)
        step.trace_fault = difference and '%s%s: %s' % (
            name, '' if found.end_ns is not None else ' was cut short',
            difference)
        step.trace = None if difference else trace


def _no_trace(run, fault):
    run.problems.append(fault)
    for step in run.steps:
        step.trace_fault = fault
