# SPDX-License-Identifier: GPL-2.0-or-later
"""Reasons why a step may have measured something else than intended: a queue
depth that the I/O stack does not reach, commands that Linux has merged or
split, the page cache, a limit of open zones, a drive without data, the guest's
own software.

Knows nothing of files, and of how doubts are shown.
"""

import shlex

from femu.results import operations
from femu.results.jobs import ramp_ns

# fio's engines that have one command at a time, whatever iodepth says.
SYNCHRONOUS = ('psync', 'sync', 'vsync', 'pvsync', 'pvsync2', 'mmap')
# ... and those that bypass the page cache.
PASSTHROUGH = ('io_uring_cmd', 'sg')
DEFAULT_ENGINE = 'psync'
WRITES = ('write', 'randwrite', 'rw', 'readwrite', 'randrw')
RANDOM_READS = ('randread', 'randrw')
SOFTWARE_SHARE = 0.5
# Commands of the drive for each of fio's; beyond these, others were measured.
LEAST_COMMANDS, MOST_COMMANDS = 0.9, 1.1
# Random reads that the flash was sensed for, of all.
SENSED_SHARE = 0.5


def of_run(run):
    """Return: texts, one for each doubt, of all steps of RUN."""
    texts = [text for step in run.steps for text in of_step(step)]
    texts += ['%s: %s' % (one.drive['name'].text(), text)
              for one in run.drives for step in one.steps
              for text in of_step(step) if text not in texts]
    slow = [step.name for step in run.steps if is_software(step)]
    if slow:
        texts.append('%s: more than half of the latency is the guest\'s '
                     'software, not the drive\'s; a higher DILATION= makes it '
                     'less' % ', '.join(slow))
    return texts


def of_step(step):
    """Return: the doubts of STEP, but for its software."""
    jobs = _fio_jobs(step)
    texts = [_depth(job, options) for job, options in jobs]
    texts += [_buffered(job, options) for job, options in jobs]
    texts += [_dd(step), _merged(step, jobs), _limit(step, jobs),
              _unfilled(step, jobs)]
    return ['%s: %s' % (step.name, text)
            for text in dict.fromkeys(texts) if text]


def _fio_jobs(step):
    """Return: [(name, options)] of each of fio's jobs, not of zns-load's."""
    if step.fio is None or step.fio.by_operation:
        return []
    return [(job.name, options) for group in step.fio.groups
            for job in group.jobs for options in job.options]


def _engine(options):
    return options.get('ioengine', DEFAULT_ENGINE)


def _depth(job, options):
    depth = options.get('iodepth', '1')
    if _engine(options) not in SYNCHRONOUS or depth in ('', '1'):
        return None
    return ('job %s has iodepth=%s and ioengine=%s, which has one command at '
            'a time: io_uring or libaio has more' % (job, depth,
                                                     _engine(options)))


def _buffered(job, options):
    if options.get('direct', '0') != '0' or \
            options.get('buffered') == '0' or _engine(options) in PASSTHROUGH:
        return None
    return ('job %s has no direct=1: what it measures is the guest\'s memory '
            'as well' % job)


def _dd(step):
    """A dd of a block device that the page cache answers for."""
    try:
        words = shlex.split(step.command)
    except ValueError:
        return None
    for end, flags in (('if', 'iflag'), ('of', 'oflag')):
        of_device = any(word.startswith('%s=/dev/nvme' % end) for word in words)
        direct = any(word.startswith(flags + '=') and
                     'direct' in word.partition('=')[2].split(',')
                     for word in words)
        if words[:1] == ['dd'] and of_device and not direct:
            return ("dd has no %s=direct: what it measures is the guest's "
                    'memory as well' % flags)
    return None


def _merged(step, jobs):
    """Commands of jobs on the device itself that the drive has in other sizes:
    a scheduler has merged waiting writes, or the block layer has split them. With
    a ramp_time, fio has not counted all that it sent."""
    if not jobs or any(ramp_ns(options) for _, options in jobs) or not all(
            options.get('filename', '').startswith('/dev/') and
            options.get('direct') == '1' for _, options in jobs):
        return None
    for row in operations.of_step(step):
        if row.operation not in ('read', 'write') or row.job or \
                not row.guest or not row.device or not row.guest.count:
            continue
        share = row.device.count / row.guest.count
        if not LEAST_COMMANDS <= share <= MOST_COMMANDS:
            return ('fio\'s %d %ss were %d commands for the drive: Linux has '
                    '%s them' % (row.guest.count, row.operation,
                                 row.device.count,
                                 'merged' if share < 1 else 'split'))
    return None


def _least_limit(step):
    """Return: (name, value) of the drive's limit of zones that ends first, or
    None if it has none."""
    config = dict(step.device.config) if step.device else {}
    found = [(int(config[name]), name) for name in ('max-open', 'max-active')
             if config.get(name, '').isdecimal() and config[name] != '0']
    return min(found)[::-1] if found else None


def _limit(step, jobs):
    """Jobs that write in zones of their own, and more than may be open."""
    least = _least_limit(step)
    if least is None:
        return None
    writers = sum(
        int(options['numjobs']) if options.get('numjobs', '').isdecimal() and
        len(_clones(jobs, name)) == 1 else 1 for name, options in jobs
        if options.get('rw', options.get('readwrite', 'read')) in WRITES)
    if writers <= least[1]:
        return None
    return ('%d jobs write, the drive has %s=%d: they wait for each other' % (
        writers, *least))


def _clones(jobs, name):
    return [one for one, _ in jobs if one == name]


def _unfilled(step, jobs):
    read = step.device.ops.get('read') if step.device else None
    if read is None or read.latency is None or not read.data_bytes:
        return None
    if not step.device.senses:
        return ('its reads found nothing in the flash: they were of zones that '
                'nobody has written, or of the write buffer')
    readers = [options for _, options in jobs if options.get(
        'rw', options.get('readwrite', 'read')) not in ('write', 'randwrite')]
    share = step.device.senses / read.latency.count
    if not readers or share >= SENSED_SHARE or not all(
            options.get('rw', options.get('readwrite')) in RANDOM_READS
            for options in readers):
        return None
    return ('the flash was sensed for %.0f %% of its random reads at most: the '
            'others were of zones that nobody has written, of the write '
            'buffer, or of a page that was still at hand' % (100 * share))


def is_software(step):
    """Whether software takes more than half of an operation's time in STEP."""
    return any(row.guest and row.device and not row.job and
               row.guest.count == row.device.count and
               row.guest.mean_ns - row.device.mean_ns
               > SOFTWARE_SHARE * row.guest.mean_ns
               for row in operations.of_step(step)
               if row.operation in operations.DATA_COMMANDS)
