# SPDX-License-Identifier: GPL-2.0-or-later
"""What a report says about its run in words: what ran on what, for how long,
with which programs and images, and how late completions were.

Knows nothing of HTML and of pictures.
"""

import os

from femu.common.json_file import DataError
from femu.common.numbers import plural, seconds
from femu.report import table
from femu.results import operations

LATENCY_NOTE = ('device: from a command\'s submission to its completion, as '
                'the drive counts it; fio: completion latency (clat) in the '
                'guest, with the time that the guest\'s software takes')
UNKNOWN = 'unknown'
COMMAND_FILE = 'command.txt'
# Files of the run named in meta.json: heading -> path to {file, sha256}.
HASHED = (('job', ('job',)), ('configuration', ('config',)),
          ('QEMU', ('qemu',)), ('guest: kernel', ('guest', 'vmlinux')),
          ('guest: initramfs', ('guest', 'initrd')),
          ('guest: root image', ('guest', 'root')),
          ('guest: EXTRA', ('guest', 'own', 'EXTRA')))
LOCK = 'packages.lock'


def badges(run):
    """Return: [(text, kind)], what to see at first sight. Kinds: ok, warn,
    bad, plain."""
    found = []
    status = run.fact('status')
    if status == 'passed' and run.problems:
        found.append(('passed, but files of it could not be read', 'bad'))
    elif status == 'passed' and remarks(run):
        found.append(('passed, with remarks', 'warn'))
    elif status:
        found.append((status, 'ok' if status == 'passed' else 'bad'))
    if run.fact('time') == 'virtual':
        found.append(('virtual time: every run gives these numbers', 'plain'))
    elif run.fact('time'):
        found.append(('real time: numbers depend on the host', 'warn'))
    caveat = table.caveat(run)
    if caveat:
        found.append(('%s: %s' % (run.config_name, caveat),
                      'plain' if caveat == table.AS_FITTED else 'warn'))
    if run.dilation != 1:
        found.append(('time dilation %d: the guest\'s times are divided by it'
                      % run.dilation, 'plain'))
    return found


def headline(run):
    """Return: [(name, value)], the facts at the top."""
    virtual = UNKNOWN
    if run.virtual_ns is not None:
        virtual = seconds(run.virtual_ns / run.dilation / 1e9)
        if run.dilation != 1:
            virtual += " of the drive's time, %s of the guest's" % seconds(
                run.virtual_ns / 1e9)
    facts = [('Virtual duration', virtual),
             ('Real duration', _host_s(run, 'total_s')),
             ('CPU', run.fact('accel') or UNKNOWN),
             ('QEMU', run.fact('qemu', 'version') or UNKNOWN),
             ('Guest\'s kernel', run.fact('guest', 'kernel') or UNKNOWN)]
    device = next((step.device for step in run.steps if step.device), None)
    if run.drives:
        facts.append(('Drives', str(len(run.drives))))
    elif device:
        facts.append(('Geometry', geometry(run, device)))
    changed = table.properties_set(run)
    if changed:
        facts.append(('Changed with SET', changed))
    return facts


def properties(run):
    """Return: [(name, text)] of all that the drive is, "0 means ..." replaced:
    as a user would write it, or, of a run that has kept none of that, the
    device's own numbers."""
    try:
        found = [(name, value.shown()) for name, value in
                 (run.drive or run.meta['config'])['properties'].members()]
    except DataError:
        found = []
    return found or next((step.device.config for step in run.steps
                          if step.device and step.device.config), [])


def geometry(run, device):
    """Return: a text on how many channels, ways and so on the drive of DEVICE
    has. Planes that work as one are one unit in its statistics."""
    counts = dict(device.geometry)
    known = dict(properties(run))
    joined = known.get('multi-plane') in ('on', '1') and \
        known.get('planes', '').isdecimal()
    if joined:
        counts['planes'] = int(known['planes'])
    text = ' × '.join(plural(count, name.removesuffix('s'))
                      for name, count in counts.items())
    return text + ', which work as one' if joined else text


def _host_s(run, name):
    try:
        return seconds(run.meta['host'][name].number())
    except DataError:
        return UNKNOWN


def remarks(run):
    """Return: what went wrong, and what the guest found worth telling."""
    try:
        notes = [node.shown() for node in run.meta['notes'].items()]
    except DataError:
        notes = []
    return [text for step in run.steps
            for text in operations.remarks(step)] + \
        table.failures(run) + notes


def of_step(step):
    """Return: [(name, value)] of one step."""
    facts = []
    if step.exit_status != 0:
        facts.append(('exit status', str(step.exit_status)))
    if step.duration_ns is not None:
        dilation = operations.dilation_of(step)
        facts.append(('took', seconds(step.duration_ns / dilation / 1e9) + (
            " of the drive's time" if dilation != 1 else '')))
    if step.device:
        facts += [('senses', format(step.device.senses, ',')),
                  ('programs', format(step.device.programs, ',')),
                  ('erased blocks', format(step.device.erases, ','))]
    overhead = software_ns(step)
    if overhead is not None:
        facts.append(('software adds', '%.1f µs' % (overhead / 1000)))
    return facts


def software_ns(step):
    """Return: how much longer than the drive the guest found an operation to
    take, on average; None unless the step has one kind of operation of which
    the guest and the drive have seen the same number."""
    both = [row for row in operations.of_step(step)
            if row.guest and row.device and not row.job]
    if len(both) != 1 or both[0].guest.count != both[0].device.count:
        return None
    return both[0].guest.mean_ns - both[0].device.mean_ns


def lateness(steps):
    """STEPS: [(name, Lateness)]. Return: (a sentence, the steps that deserve
    a table and a picture)."""
    host_clock = any(late.host_clock for _, late in steps)
    count = sum(late.count for _, late in steps)
    worst_ns = max(late.max_ns for _, late in steps)
    if not host_clock and worst_ns == 0:
        return ('Virtual time: %s posted in the very nanosecond in which '
                'they were due.' % plural(count, 'completion'), [])
    if not host_clock:
        return ('Virtual time, and yet completions were posted up to %d ns '
                'after they were due: this should not be.' % worst_ns, steps)
    return ('Real time: how much later than due completions were posted, on '
            'the host\'s clock. Where this is not small against a latency '
            'that the guest measured, that latency is the host\'s doing.',
            steps)


def provenance(run):
    """Return: [(what, file, hash)] of all that decided the numbers."""
    rows = [('femu-zns', run.fact('version') or UNKNOWN, '')]
    for what, keys in HASHED:
        path = run.fact(*keys, 'file')
        digest = run.fact(*keys, 'sha256')
        if path or digest:
            rows.append((what, os.path.basename(path) or UNKNOWN,
                         'sha256 ' + digest if digest else UNKNOWN))
    locked = run.fact('lock', 'sha256')
    if locked:
        rows.append((LOCK, '; '.join(table.not_locked(run)) or 'as it has them',
                     'sha256 ' + locked))
    for step in run.steps:
        if step.fio and step.fio.version:
            rows.append(('fio', step.fio.version, ''))
            break
    rows.append(('results', os.path.basename(os.path.abspath(run.out_dir)),
                 ''))
    return rows


def qemu_command(run):
    """Return: QEMU's arguments, one to a line, '' if the run kept none."""
    try:
        with open(os.path.join(run.out_dir, COMMAND_FILE),
                  encoding='utf-8') as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return ''
