# SPDX-License-Identifier: GPL-2.0-or-later
"""All figures by name: a title, and who makes their experiments.

Knows nothing of how runs are started and drawn.
"""

from femu import figure_designs, figure_runs

FIGURES = {
    '9a': ('Finish latency by occupancy', figure_runs.figure_9a),
    '9b': ('Reset latency by occupancy', figure_runs.figure_9b),
    '10a': ('Finish beside writes', None),
    '10b': ('Finish beside reads', None),
    '11a': ('Synchronous reset beside writes', None),
    '11b': ('Asynchronous reset beside writes', None),
    'first-write': ('First write of a recycled zone', figure_runs.first_write),
    'scaling': ('Zones on one, eight and sixteen units', figure_runs.scaling),
    '8': ('ZINC and mq-deadline: reset beside writes', figure_runs.zinc),
    'designs': ('Designs beyond ConfZNS++', figure_designs.designs),
    'rewrite': ('Reset, then the first write of the zone',
                figure_designs.rewrite),
    'wear': ('Erases of the block that is erased most', figure_designs.wear),
    'stripes': ('Stripe orders, one request at a time',
                figure_designs.stripes),
}


def experiments_of(top, wanted):
    """Return: the experiments of the figures in WANTED, all if it is empty."""
    chosen = wanted or list(FIGURES)
    experiments = [one for one in figure_runs.confznspp(top)
                   if one.points[0][0].figure in chosen]
    for name in chosen:
        if FIGURES[name][1]:
            experiments += FIGURES[name][1](top)
    return experiments
