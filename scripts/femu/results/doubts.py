# SPDX-License-Identifier: GPL-2.0-or-later
"""Reasons why a step may have measured something else than intended: a queue
depth that the I/O stack does not reach, the page cache, a limit of open zones,
a drive without data, the guest's own software.

Knows nothing of files, and of how doubts are shown.
"""

from femu.results import operations

# fio's engines that have one command at a time, whatever iodepth says.
SYNCHRONOUS = ('psync', 'sync', 'vsync', 'pvsync', 'pvsync2', 'mmap')
# ... and those that bypass the page cache.
PASSTHROUGH = ('io_uring_cmd', 'sg')
DEFAULT_ENGINE = 'psync'
WRITES = ('write', 'randwrite', 'rw', 'readwrite', 'randrw')
SOFTWARE_SHARE = 0.5


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
    texts += [_limit(step, jobs), _unfilled(step)]
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


def _limit(step, jobs):
    """Jobs that write in zones of their own, and more than may be open."""
    limit = dict(step.device.config).get('max-open', '0') if step.device else ''
    if not limit.isdecimal() or limit == '0':
        return None
    writers = sum(
        int(options['numjobs']) if options.get('numjobs', '').isdecimal() and
        len(_clones(jobs, name)) == 1 else 1 for name, options in jobs
        if options.get('rw', options.get('readwrite', 'read')) in WRITES)
    if writers <= int(limit):
        return None
    return ('%d jobs write, the drive has max-open=%s: they wait for each '
            'other' % (writers, limit))


def _clones(jobs, name):
    return [one for one, _ in jobs if one == name]


def _unfilled(step):
    read = step.device.ops.get('read') if step.device else None
    if read is None or read.latency is None or not read.data_bytes or \
            step.device.senses:
        return None
    return ('its reads found nothing in the flash: they were of zones that '
            'nobody has written, or of the write buffer')


def is_software(step):
    """Whether software takes more than half of an operation's time in STEP."""
    return any(row.guest and row.device and not row.job and
               row.guest.count == row.device.count and
               row.guest.mean_ns - row.device.mean_ns
               > SOFTWARE_SHARE * row.guest.mean_ns
               for row in operations.of_step(step)
               if row.operation in operations.DATA_COMMANDS)
