# SPDX-License-Identifier: GPL-2.0-or-later
"""A zoned (ZNS) NVMe SSD in exact virtual time, as an object; workloads on the
simulator; results of both, and of runs and sweeps, as pandas frames.

    from femu_zns import Ssd
    ssd = Ssd('configs/zn540.cfg')
    ssd.do('write', slba=0, nlb=4).latency_ns

docs/python.md tells all of it. Columns have their units in their names.
"""

from femu_zns.compare import Comparison, compare
from femu_zns.frames import results
from femu_zns.simulator import Run, SimulatorError, run
from femu_zns.ssd import (Accept, CommandError, Done, FemuError, Namespace,
                          ParameterError, Ssd, Status, StateError, ZoneState,
                          parameters)

__all__ = ['Accept', 'CommandError', 'Comparison', 'Done', 'FemuError',
           'Namespace', 'ParameterError', 'Run', 'SimulatorError', 'Ssd',
           'StateError', 'Status', 'ZoneState', 'compare', 'parameters',
           'results', 'run']
