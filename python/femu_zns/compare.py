# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs between two results, and by how much.

Knows nothing of where they are from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from femu_zns.frames import METRICS

PERCENTS = (1, 5, 25, 50, 75, 95, 99, 99.9, 100)


@dataclass(frozen=True)
class Comparison:
    """`table`: a row per key and metric: a, b, difference (b - a), ratio
    (b / a). `only_a`, `only_b`: keys that the other has not. `distribution`, if
    both have latencies, latency_ns: percent, a_ns, b_ns, ratio; `distance`: the
    largest difference of their cumulative distributions (Kolmogorov and
    Smirnov), 0 for the same, 1 for those that share nothing."""
    table: pd.DataFrame
    only_a: pd.DataFrame
    only_b: pd.DataFrame
    distribution: Optional[pd.DataFrame]
    distance: Optional[float]

    @property
    def differing(self) -> pd.DataFrame:
        """The rows of `table` whose two values differ."""
        a, b = self.table['a'], self.table['b']
        same = (a == b).fillna(False).astype(bool) | (a.isna() & b.isna())
        return self.table[~same]


def _axes(frame: pd.DataFrame) -> List[str]:
    """The axes of a sweep, which may be called as a time is: what stands before
    the step."""
    names = list(frame.columns)
    return names[:names.index('step')] if 'step' in names else []


def _keys(a: pd.DataFrame, b: pd.DataFrame) -> List[str]:
    axes = {*_axes(a), *_axes(b)}
    return [name for name in a.columns
            if name in b.columns and (name in axes or name not in METRICS and
                                      not name.endswith(('_ns', '_us')))]


def _asked(by: Sequence[str], a: pd.DataFrame, b: pd.DataFrame) -> List[str]:
    """The columns BY. Raises ValueError if one is none of both frames."""
    both = [name for name in a.columns if name in b.columns]
    lost = [name for name in by if name not in both]
    if lost or not len(by):
        raise ValueError('by=%r: must be columns that both have: %s' % (
            list(by), ', '.join(map(str, both)) or 'there is none'))
    return list(by)


def _only(mine: pd.DataFrame, other: pd.DataFrame,
          keys: Sequence[str]) -> pd.DataFrame:
    joined = mine[list(keys)].merge(other[list(keys)], how='left',
                                    indicator=True)
    return joined[joined['_merge'] == 'left_only'].drop(columns='_merge')


def _distribution(a, b):
    ratio = pd.DataFrame({'percent': PERCENTS,
                          'a_ns': np.percentile(a, PERCENTS),
                          'b_ns': np.percentile(b, PERCENTS)})
    ratio['ratio'] = ratio['b_ns'] / ratio['a_ns']
    return ratio, float(stats.ks_2samp(a, b).statistic)


def compare(a: pd.DataFrame, b: pd.DataFrame,
            by: Optional[Sequence[str]] = None) -> Comparison:
    """Compare two frames of results(), or of Run.jobs or Run.log. BY: the
    columns that tell rows apart; none: all that both have and that are no
    metrics. A row that is a command has latency_ns as its metric if BY says
    which commands are the same, as by=['seq'] does of two traces."""
    for name, frame in (('a', a), ('b', b)):
        if not isinstance(frame, pd.DataFrame):
            raise TypeError('%s=%r: must be a frame, as results() returns'
                            % (name, frame))
    keys = _keys(a, b) if by is None else _asked(by, a, b)
    metrics = [name for name in (*METRICS, *([] if by is None else
                                             ['latency_ns']))
               if name in a.columns and name in b.columns]
    distribution = distance = None
    if 'latency_ns' in a.columns and 'latency_ns' in b.columns:
        times = [one['latency_ns'].dropna().astype(float) for one in (a, b)]
        # Of none that has come to an end there is no distribution.
        if all(map(len, times)):
            distribution, distance = _distribution(*times)
    elif not metrics:
        raise ValueError('a and b have no metric in common: a has %s; b has %s'
                         % tuple(', '.join(map(str, one.columns))
                                 for one in (a, b)))
    if not metrics:
        empty = pd.DataFrame(columns=[*keys, 'metric', 'a', 'b', 'difference',
                                      'ratio'])
        return Comparison(empty, a.head(0), b.head(0), distribution, distance)
    for name, frame in (('a', a), ('b', b)):
        if frame.duplicated(keys).any():
            raise ValueError('%s has several rows of the same %s: say by=' % (
                name, ', '.join(keys) or '(no column)'))
    sides = [one.melt(id_vars=keys, value_vars=metrics, var_name='metric',
                      value_name=name) for name, one in (('a', a), ('b', b))]
    table = sides[0].merge(sides[1], on=[*keys, 'metric'])
    table['difference'] = table['b'] - table['a']
    table['ratio'] = table['b'] / table['a']
    return Comparison(table, _only(a, b, keys), _only(b, a, keys),
                      distribution, distance)
