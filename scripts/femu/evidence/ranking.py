# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether the model ranks pairs of experiments as the drive does; and its
errors by how busy the drive was.

Knows nothing of simulations.
"""

from femu.validate import compare

APART = 1.05  # a pair counts if the drive's values differ by more
# Shares of the highest throughput that the same load reaches: where the knee
# begins, and from where on the drive counts as saturated.
KNEE, SATURATED = 0.5, 0.9
REGIMES = ('unsaturated', 'knee', 'saturated')


def same_order(errors):
    """Return: how many pairs of values of one metric the model has in the
    drive's order, and how many pairs there are."""
    right = pairs = 0
    values = sorted((error.measured, error.model) for error in errors)
    for idx, (low, low_model) in enumerate(values):
        for high, high_model in reversed(values[idx + 1:]):
            if high <= APART * low:
                break
            pairs += 1
            right += high_model > low_model
    return right, pairs


def by_metric(errors):
    """Return: {metric: (pairs in the right order, pairs)} of the errors that a
    validation's last line counts."""
    found = {}
    for error in compare.counted(errors):
        found.setdefault(error.metric, []).append(error)
    return {metric: same_order(mine) for metric, mine in found.items()}


def share(counts):
    """Return: the right pairs in percent of all, of several (right, pairs)."""
    right, pairs = map(sum, zip(*counts))
    return 100 * right / pairs if pairs else 100.0


def regime_of(exp, most):
    """Return: one of REGIMES; MOST is the load's highest throughput."""
    busy = exp.measured['kiops'] / most
    return REGIMES[(busy >= KNEE) + (busy >= SATURATED)]


def load_of(exp):
    """Return: the fields that are equal in experiments that differ only in
    queue depth or number of zones."""
    return tuple(exp.fields[name] for name in (
        'part', 'fg_op', 'bs_bytes', 'lba_bytes', 'bg_op', 'bg_bs_bytes',
        'bg_intensity_pct', 'bg_rate_mibps'))


def by_regime(errors):
    """Return: {(regime, metric): errors}."""
    most, found = {}, {}
    for error in errors:
        if error.metric == 'kiops':
            load = load_of(error.exp)
            most[load] = max(most.get(load, 0), error.measured)
    for regime in REGIMES:
        for metric in ('kiops', 'mean_us', 'p50_us', 'p95_us'):
            found[regime, metric] = [
                error for error in compare.counted(errors)
                if error.metric == metric and 'kiops' in error.exp.measured and
                regime_of(error.exp, most[load_of(error.exp)]) == regime]
    return found
