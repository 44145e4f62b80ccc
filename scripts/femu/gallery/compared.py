# SPDX-License-Identifier: GPL-2.0-or-later
"""What came of a row: its values beside the published ones, and the sums over
them.

Knows nothing of how a row is run.
"""

UNITS = {'kiops': 'kIOPS', 'mean_us': 'µs', 'p50_us': 'µs (median)',
         'p95_us': 'µs (p95)', 'bg_mibps': 'MiB/s', 'speedup': 'times',
         'mgmt_per_s': '/s', 'reset_p95_us': 'µs (p95 of resets)',
         'm_inter': 'M^Inter', 'less_pct': '% less', 'mgmt_p50_us': 'µs (median)'}


class Value:
    """A published number, and ours."""

    def __init__(self, metric, theirs, ours):
        self.metric = metric
        self.theirs = float(theirs)
        self.ours = float(ours)

    @property
    def error_pct(self):
        """How far ours is off, in percent."""
        return 100 * (self.ours - self.theirs) / self.theirs


def mean_pct(values):
    """Return: the mean absolute error of one or more Values."""
    return sum(abs(one.error_pct) for one in values) / len(values)


def number(value):
    """Return: three digits of a number, without an exponent."""
    digits = '%.3g' % value
    return '%.0f' % value if 'e+' in digits else digits


def span(values, side):
    """Return: a text of the least and the greatest of each metric, such as
    "9.1 to 85 kIOPS"."""
    texts = []
    for metric in dict.fromkeys(one.metric for one in values):
        found = [getattr(one, side) for one in values if one.metric == metric]
        least, most = number(min(found)), number(max(found))
        texts.append('%s %s' % (
            least if least == most else '%s to %s' % (least, most),
            UNITS.get(metric, metric)))
    return ', '.join(texts)


class Outcome:
    """What a row came to.

    values: Values, of the numbers that are compared; maybe none.
    said: what a command said; maybe empty.
    seconds: how long it took when it was run.
    failed: why it has no outcome, or None.
    """

    def __init__(self, values=(), said='', seconds=0.0, failed=None):
        self.values = list(values)
        self.said = said
        self.seconds = seconds
        self.failed = failed

    def as_json(self):
        """Return: all of it, for a file."""
        return {'values': [[one.metric, one.theirs, one.ours]
                           for one in self.values],
                'said': self.said, 'seconds': self.seconds}

    @classmethod
    def of_json(cls, made):
        """Return: the Outcome that as_json() was made of."""
        return cls([Value(*one) for one in made['values']], made['said'],
                   made['seconds'])


def sentence(figures, means):
    """Return: the last line, of the mean errors of those that are compared."""
    return 'gallery: %d figures, %d compared with published numbers, mean ' \
        'error %s' % (figures, len(means), '%.1f %%' % (
            sum(means) / len(means)) if means else '-')


def summary(rows, outcomes):
    """Return: the last line. OUTCOMES: {key: Outcome} of the rows; what has a
    reason to stand apart is not in the mean."""
    return sentence(len(rows), [
        mean_pct(outcomes[row.key].values) for row in rows
        if outcomes[row.key].values and not row.apart])
