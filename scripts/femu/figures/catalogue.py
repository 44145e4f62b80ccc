# SPDX-License-Identifier: GPL-2.0-or-later
"""All figures by name: their titles, and the functions that make their
experiments.

Knows nothing of how runs are started and drawn.
"""

from femu.figures import designs, papers, softfinish

FIGURES = {
    '9a': ('Finish latency by occupancy', papers.figure_9a),
    '9b': ('Reset latency by occupancy', papers.figure_9b),
    '10a': ('Finish beside writes', None),
    '10b': ('Finish beside reads', None),
    '11a': ('Synchronous reset beside writes', None),
    '11b': ('Asynchronous reset beside writes', None),
    'first-write': ('First write of a recycled zone', papers.first_write),
    'scaling': ('Zones on one, eight and sixteen units', papers.scaling),
    '7': ('Softfinish beside writes', softfinish.figure_7),
    '8': ('ZINC and mq-deadline: reset beside writes', papers.zinc),
    'designs': ('Designs beyond ConfZNS++', designs.designs),
    'rewrite': ('Reset, then the first write of the zone',
                designs.rewrite),
    'wear': ('Erases of the block that is erased most', designs.wear),
    'stripes': ('Stripe orders, one request at a time',
                designs.stripes),
}


def experiments_of(top, wanted):
    """Return: the experiments of the figures in WANTED, all if it is empty."""
    chosen = wanted or list(FIGURES)
    experiments = [one for one in papers.confznspp(top)
                   if one.points[0][0].figure in chosen]
    for name in chosen:
        if FIGURES[name][1]:
            experiments += FIGURES[name][1](top)
    return experiments
