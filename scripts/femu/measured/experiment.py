# SPDX-License-Identifier: GPL-2.0-or-later
"""A measured experiment: its fields as texts, numbers and operations.

Knows nothing of what its fields mean to a simulation.
"""

import math

IO_OPS = {'write': 'write', 'append': 'append', 'read': 'randread'}
MGMT_OPS = ('finish', 'reset')


class Skip(Exception):
    """The row cannot be run; the text says why."""


class LeftOut(Skip):
    """The measurement itself is of no use; the text says why."""


def needs_host(name):
    """Return: the Skip of an experiment that needs a member of host.json."""
    return Skip('needs %s of a host.json beside the points, or of HOST=' % name)


class Experiment:
    """One experiment: its fields, its measured metrics, its runs by seed."""

    def __init__(self, name, fields, measured):
        self.name = name
        self.fields = fields
        self.measured = measured
        self.model = {}         # metric -> mean over the seeds
        self.spread = {}        # metric -> greatest - smallest
        self.left_out = None    # why the measurement is of no use
        self.base_of = None     # the experiment whose speedup it is the base of

    @property
    def part(self):
        """Which part of the measurements it belongs to."""
        return self.fields['part']

    def text(self, name):
        """Return: a field as it is written; "" if the file has no such
        column."""
        return self.fields.get(name) or ''

    def number(self, name, default=0.0):
        """Return: a field as a number; DEFAULT if it is empty."""
        text = self.text(name)
        try:
            number = float(text) if text else default
        except ValueError:
            raise Skip('%s=%s is not a number' % (name, text)) from None
        if not 0 <= number < math.inf:
            raise Skip('%s=%s is not a number of 0 or more' % (name, text))
        return number

    def whole(self, name, default=0):
        """Return: a field as a whole number; DEFAULT if it is empty."""
        number = self.number(name, default)
        if number != int(number):
            raise Skip('%s=%s is not a whole number' % (
                name, self.fields[name]))
        return int(number)

    def op(self, name):
        """Return: a field that must be empty or an operation that we know."""
        value = self.text(name)
        value = '' if value == 'none' else value
        if value and value not in IO_OPS and value not in MGMT_OPS:
            raise Skip('%s=%s is not an operation here' % (name, value))
        return value
