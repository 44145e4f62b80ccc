# SPDX-License-Identifier: GPL-2.0-or-later
"""Chooses measured experiments by their fields: "part=io fg_op=read qd=1,2".

Knows nothing of what was measured.
"""

import fnmatch

from femu.measured import beside, files, protocol

KNOWN = set(files.FIELDS + beside.COLUMNS)


class ChoiceError(Exception):
    """What was asked for is no choice of experiments."""


def same(text, values):
    """Is a field one of the values? An empty field is 0 and "none"; a value
    with a * is a pattern."""
    text = text or ''
    if text in values or (not text and {'0', 'none'} & set(values)):
        return True
    if any('*' in value and fnmatch.fnmatchcase(text, value)
           for value in values):
        return True
    try:
        return float(text) in [float(value) for value in values]
    except ValueError:
        return False


def parse(words):
    """Takes "name=value,value" words. Return: {name: values} of the fields, and
    the metrics that are asked for, all if there are none."""
    split = [word.partition('=') for word in words]
    wanted = {name: values.split(',') for name, _, values in split}
    metrics = wanted.pop('metric', [])
    for name, equals, _ in split:
        if not equals or (name != 'metric' and name not in KNOWN):
            raise ChoiceError('"%s": must be name=value, the name metric or '
                              'one of %s' % (name, ', '.join(sorted(KNOWN))))
    for name in metrics:
        if name not in protocol.METRICS:
            raise ChoiceError('metric=%s: must be %s' % (
                name, ', '.join(protocol.METRICS)))
    return wanted, metrics


def chosen(experiments, wanted):
    """Return: those experiments of which each field is one that is WANTED."""
    return [exp for exp in experiments
            if all(same(exp.fields.get(name), values)
                   for name, values in wanted.items())]


def unknown(experiments, wanted):
    """Return: the first of the WANTED fields that no experiment has so, as
    "name=values"; None if each has some."""
    for name, values in wanted.items():
        if not chosen(experiments, {name: values}):
            return '%s=%s' % (name, ','.join(values))
    return None
