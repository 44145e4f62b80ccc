# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the numbers of an observation come from: the points that were measured,
or simulations of the same experiments.

Knows nothing of the observations.
"""

from femu.common import simulator
from femu.measured import files, protocol

SEED = 1
# The value that an empty field stands for; bs_bytes counts for I/O only.
EMPTY = {'zones': '1', 'lba_bytes': '4096', 'qd': '1', 'bg_op': 'none',
         'bg_intensity_pct': '0', 'finished': '0'}
NOT_IO = ('state', 'occupancy')


class BenchError(Exception):
    """A number is missing; the message says which and why."""


def key_of(exp):
    """Return: a key that is equal for equal experiments, even if their fields
    are written differently (4096, 4096.0, empty)."""
    found = []
    for name in files.FIELDS:
        text = exp.fields.get(name) or EMPTY.get(name, '')
        if name == 'bs_bytes' and (exp.part in NOT_IO or not exp.number('qd')):
            text = ''
        try:
            found.append(float(text))
        except ValueError:
            found.append(text)
    return tuple(found)


class Measured:
    """What was measured, from a file of points."""

    def __init__(self, path):
        self.found = {key_of(exp): exp.measured
                      for exp in files.read_experiments(path)}

    def get(self, exp, metric):
        """Return: a metric of an experiment."""
        try:
            return self.found[key_of(exp)][metric]
        except KeyError:
            raise BenchError('%s: %s was not measured' % (
                exp.name, metric)) from None


class Simulated:
    """Simulates the experiments that quantities ask for, all together.

    At first get() returns 1 for every metric and only notes which experiments
    are needed. run() then simulates these in parallel, and from then on get()
    returns the results.
    """

    def __init__(self, sim, host, config, settings):
        self.sim, self.host = sim, host
        self.config, self.settings = config, settings
        self.asked = {}
        self.results = None

    def get(self, exp, metric):
        """Return: a metric of an experiment."""
        if self.results is None:
            self.asked.setdefault(exp.name, (exp, set()))[1].add(metric)
            return 1.0
        value = self.results[exp.name].get(metric)
        if value is None:
            raise BenchError('%s: the simulator gives no %s' % (exp.name,
                                                                metric))
        return value

    def run(self):
        """Simulates what was asked for."""
        exps = [exp for exp, _ in self.asked.values()]
        runs = [protocol.make_run(exp, self.host, self.config, SEED,
                                  self.settings) for exp in exps]
        self.results = {}
        results = simulator.run_all('observations', self.sim, runs, tells=True)
        for exp, result in zip(exps, results):
            exp.measured = dict.fromkeys(self.asked[exp.name][1])
            try:
                if isinstance(result, Exception):
                    raise result
                self.results[exp.name] = protocol.metrics_of(
                    exp, result, self.host)
            except simulator.FAILURES as error:
                raise BenchError('%s: %s' % (exp.name, error)) from None
