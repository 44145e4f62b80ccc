# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures of the papers as simulations: which jobs, on which drive, ended
by what. tests/data/confznspp/README.md has the protocols.

Knows nothing of how runs are started and drawn.
"""

import os

from femu.common.csv_file import rows_of
from femu.common.simulator import Run, job
from femu.figures.points import Experiment, Point, pick
from femu.measured import files, protocol

PAGE = 16384
ZONE = 2 << 30                  # of confznspp.cfg: its size
CAPACITY = 1056 << 20
ZONE_PAGES = CAPACITY // PAGE

# The guest, once for all figures of ConfZNS++: about 8 us per command, and one
# command in 10,000 that waits up to 5 ms for the guest itself. The stalls are
# in the data (maxima of 12 to 190 ms without any interference); without them
# the writers of a deterministic drive keep step for ever and all queue at one
# channel, which a real guest undoes now and then.
GUEST = ['--host_overhead=8us', '--host_stall=5ms',
         '--host_stall_per_million=100']

FINISH_RATE = 92114255 // 2     # 50 % of the unthrottled 256 KiB rate, in B/s
RESET_RATE = 27836677046 // 2   # 50 % of figure 9b's, in B/s


# --- ConfZNS++ ----------------------------------------------------------------

def read_points(top):
    """Return: the rows of the published data by (fig, series, concurrency)."""
    path = os.path.join(top, 'tests/data/confznspp/points.csv')
    return {(row['fig'], row['series'], int(row['concurrency'])): row
            for row in rows_of(path)
            if row['job_section'].split(':')[1] in ('read', 'write')}


def finish_job(first):
    """The finish job of figures 10a and 10b, from zone FIRST on."""
    return job('finish', rw='finish', offset='%dz' % first, size='10z',
               bs='16k', prewrite='16k', rate=FINISH_RATE, rate_burst=1)


def writers(count, **more):
    """1 to 7 writers of figures 10a and 11."""
    return job('io', rw='write', bs='16k', numjobs=count, size='3z',
               offset_increment='3z', **more)


def beside_finish(series, jobs):
    """Jobs, and the finish job unless the series is without."""
    return jobs if series == '100' else jobs + finish_job(24)


def finish_settings(series):
    """The drive's changes for a series of figures 10."""
    return {} if series == '100' else {
        'finish-chunk': series.split('-')[1] + 'K'}


def figure_10a(series, count):
    """Return: settings and arguments."""
    more = {'time_based': 1} if series == '100' else {'exitall': 1}
    return finish_settings(series), beside_finish(
        series, writers(count, ramp_time=5, runtime=180, **more))


def figure_10b(series, depth):
    """Return: settings and arguments."""
    more = {'time_based': 1} if series == '100' else {'exitall': 1}
    return finish_settings(series), beside_finish(
        series, job('io', rw='randread', bs='16k', prefill='100%', size='5z',
                    iodepth=depth, ramp_time=5, runtime=180, **more))


def figure_11(series, count, settings):
    """Return: settings and arguments."""
    if series == '100':
        return settings, writers(count, ramp_time=5, runtime=180, time_based=1)
    return settings, job('reset', rw='reset', prefill='100%', offset='24z',
                         size='24z', rate=RESET_RATE, exitall=1) + \
        writers(count, runtime=180, time_based=1)


LAZY = {'mapping': 'lazy', 'erase-at': 'zone-write'}
PROTOCOLS = {
    '10a': ('write', figure_10a),
    '10b': ('read', figure_10b),
    '11a-sync': ('write', lambda s, n: figure_11(s, n, {})),
    '11b-async': ('write', lambda s, n: figure_11(s, n, LAZY)),
}


def confznspp(top):
    """Return: the experiments of figures 10a, 10b, 11a and 11b."""
    config = os.path.join(top, 'configs/confznspp.cfg')
    experiments = []
    for (figure, series, x), row in sorted(read_points(top).items()):
        if figure not in PROTOCOLS:
            continue
        op_name, options_of = PROTOCOLS[figure]
        settings, args = options_of(series, x)
        name = figure.split('-')[0]
        experiments.append(Experiment(Run(config, settings, GUEST + args), [
            (Point(name, series, x, 'kiops', float(row['iops']) / 1000),
             pick('io', op_name, 'kiops')),
            (Point(name, series, x, 'p95_us', float(row['lat_p95_us'])),
             pick('io', op_name, 'p95_us'))]))
    return experiments


OCCUPANCIES = (0.0, 12.5, 25.0, 37.5, 50.0, 62.5, 75.0, 87.5, 100.0)


def filled(percent):
    """Return: the bytes of a zone that is PERCENT full; one page at least."""
    return max(1, round(ZONE_PAGES * percent / 100)) * PAGE


def figure_9a(top):
    """Finish by occupancy and granularity. Theirs: the paper's 48.6 s, its
    4.1 times, and the raw data's 240.418 s for 20 finishes."""
    config = os.path.join(top, 'configs/confznspp.cfg')
    theirs = {(16, 0.0): 48.6e6, (256, 0.0): 240.418e6 / 20}
    experiments = []
    for kib in (16, 32, 64, 256):
        for percent in OCCUPANCIES:
            if percent == 100.0:
                continue
            experiments.append(Experiment(
                Run(config, {'finish-chunk': '%dK' % kib}, GUEST + job(
                    'finish', rw='finish', prefill=filled(percent),
                    size='1z')),
                [(Point('9a', '%d KiB' % kib, percent, 'mean_us',
                        theirs.get((kib, percent))),
                  pick('finish', 'finish', 'mean_us'))]))
    return experiments


def figure_9b(top):
    """Reset by occupancy, whole and partial."""
    config = os.path.join(top, 'configs/confznspp.cfg')
    # The paper's text; the raw data's mean of a full zone.
    theirs = {('full', 50.0): 77000.0, ('partial', 50.0): 38500.0,
              ('full', 100.0): 77135.55}
    experiments = []
    for series, settings in (('full', {'full-erase': 'on'}),
                             ('partial', {})):
        for percent in OCCUPANCIES:
            experiments.append(Experiment(
                Run(config, settings, GUEST + job(
                    'reset', rw='reset', prefill=filled(percent), size='1z')),
                [(Point('9b', series, percent, 'mean_us',
                        theirs.get((series, percent))),
                  pick('reset', 'reset', 'mean_us'))]))
    return experiments


def first_write(top):
    """Sequential fill, twice: the first writes of recycled zones."""
    config = os.path.join(top, 'configs/confznspp.cfg')
    experiments = []
    for series, settings, theirs in (('direct', {}, 733.2),
                                     ('lazy', LAZY, 77700.0)):
        # All zones are full; each is reset and gets its first page.
        args = job('reset', rw='reset', prefill='100%', size='48z') + \
            job('first', rw='write', bs='16k', size='48z', zone_bytes='16k',
                stonewall=1)
        changes = dict(settings, **{'max-open': 0, 'max-active': 0})
        experiments.append(Experiment(Run(config, changes, GUEST + args), [
            (Point('first-write', series, 1, 'mean_us', theirs),
             pick('first', 'write', 'mean_us'))]))
    return experiments


# --- ConfZNS: one unit, several, all ------------------------------------------

# The drives of the slides' two validations, and the points of the first.
SCALING = {
    'ZSSD1, one unit': ('confzns-zssd1', 'zssd1'),
    'ZSSD2, 8 units': ('confzns-zssd2', 'zssd2'),
    'Bae et al., one unit': ('bae-small', None),
    'Bae et al., 16 units': ('bae-large', None),
}
THREADS = (1, 2, 4, 8, 16)


def published_of(folder, name):
    """Return: {(operation, threads, metric): value} of a points file's
    synchronous 128 KiB rows in zones of their own."""
    if not name:
        return {}
    return {(exp.fields['fg_op'], int(exp.number('zones')), metric): value
            for exp in files.read_experiments(
                os.path.join(folder, name + '.csv'))
            if exp.number('bs_bytes') == 131072 and exp.number('qd') == 1
            for metric, value in exp.measured.items()}


def scaling(top):
    """Throughput of 1 to 16 synchronous threads of 128 KiB, each in a zone of
    its own: the runs of "make validate"."""
    folder = os.path.join(top, 'tests/data/confzns')
    host = files.read_host(os.path.join(folder, 'host.json'))
    experiments = []
    for series, (config, points) in SCALING.items():
        theirs = published_of(folder, points)
        for op_name in ('write', 'read'):
            base = None
            for threads in THREADS:
                exp = protocol.Experiment(series, {
                    'part': 'io', 'fg_op': op_name, 'bs_bytes': '131072',
                    'qd': '1', 'zones': str(threads)}, {})
                point, ratio = (Point(
                    'scaling-' + op_name, series, threads, metric,
                    theirs.get((op_name, threads, metric)))
                                for metric in ('kiops', 'speedup'))
                base = ratio.base = base or point
                experiments.append(Experiment(
                    protocol.make_run(exp, host, os.path.join(
                        top, 'configs', config + '.cfg'), 1),
                    [(one, pick('fg', op_name, 'kiops'))
                     for one in (point, ratio)]))
    return experiments


# --- ZINC ---------------------------------------------------------------------

def is_calibrated(config):
    """Return: whether the configuration does not say "not calibrated"."""
    with open(config, encoding='utf-8') as file:
        return 'not calibrated' not in file.read().lower()


# The paper's text: p95 of the resets beside 1 and 7 writers, in us.
ZINC_RESETS = {('mq-deadline', 1): 19800.0, ('mq-deadline', 7): 20600.0,
               ('zinc', 1): 20100.0, ('zinc', 7): 210800.0}


def zinc(top):
    """Figure 8: mq-deadline against ZINC on the ZN540, 8 KiB writers, resets
    at 50 % of 60 per second. Compared only if the model is calibrated."""
    config = os.path.join(top, 'configs/zn540.cfg')
    theirs = ZINC_RESETS if is_calibrated(config) else {}
    experiments = []
    for policy in ('mq-deadline', 'zinc'):
        for share in (0, 50):
            for count in range(1, 8):
                args = ['--ioscheduler=' + policy, '--host_overhead=5us'] + \
                    writers(count, **{'bs_': '8k', 'runtime': 3,
                                      'time_based': 1})
                if share:
                    args += job('reset', rw='reset', prefill='100%',
                                offset='30z', size='90z', rate_iops=30)
                series = '%s %d %%' % (policy, share)
                points = [(Point('8', series, count, 'kiops', None),
                           pick('io', 'write', 'kiops')),
                          (Point('8', series, count, 'p95_us', None),
                           pick('io', 'write', 'p95_us'))]
                if share:
                    points.append((Point('8', policy, count, 'reset_p95_us',
                                         theirs.get((policy, count))),
                                   pick('reset', 'reset', 'p95_us')))
                experiments.append(Experiment(Run(config, {}, args), points))
    return experiments
