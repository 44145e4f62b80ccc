# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of the map of M^Inter.

Knows nothing of how experiments are simulated.
"""

from femu.gallery.compared import Value
from femu.gallery.measured import DATA
from femu.interference import heat_map

PERCENT = 50.0
CHOICE = 'file=%s/points.csv part=mgmt-on-io bg_intensity_pct=0,50 ' \
    'metric=kiops,p95_us' % DATA


def values(bench, picture):
    """Simulates what the map is made of, and draws it at PICTURE. Return: the
    Values of its cells."""
    experiments, _ = bench.simulated(CHOICE)
    measured, ours = heat_map.maps_of(experiments, PERCENT)
    heat_map.draw(picture, [('measured', measured), ('zn540.cfg', ours)],
                  PERCENT)
    return [Value('m_inter', value, ours[cell][0])
            for cell, (value, _) in measured.items()]
