# SPDX-License-Identifier: GPL-2.0-or-later
"""The points of a run at which the power may go, and which of them are taken.

A point is a line of "femu-sim cut --list". A cut is a point and a seed, which
decides what becomes of what is inside then.

Knows nothing of guests, nor of what is checked.
"""

import collections
import hashlib

# The part of all points by which the next one taken is further on: whatever
# their number, those that were taken are spread evenly.
GOLDEN = 0.6180339887498949
SEEDS = 1000000

Point = collections.namedtuple('Point', 'number at_ns kind what')
Cut = collections.namedtuple('Cut', 'point seed')
Ack = collections.namedtuple('Ack', 'at_ns text')

BEGIN, END = '@begin', '@end'


class PointsError(Exception):
    """A list, or notes of acknowledgements, that make no sense."""


def read_points(text):
    """Return: the Points in what "femu-sim cut --list" printed."""
    points = []
    for line in text.splitlines():
        words = line.split(',')
        if len(words) == 4:
            points.append(Point(int(words[0]), int(words[1]), *words[2:]))
    return points


def read_acks(path):
    """Return: the Acks in the file PATH, in order; none if it is not there."""
    acks = []
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            for line in file:
                at_ns, _, text = line.rstrip('\n').partition(' ')
                if not at_ns.isdecimal() or not text:
                    raise PointsError('%s: "%s" is no note of an ack' % (
                        path, line.rstrip('\n')))
                acks.append(Ack(int(at_ns), text))
    except FileNotFoundError:
        pass
    return sorted(acks, key=lambda ack: ack.at_ns)


def between_marks(points, acks, dilation):
    """Return: those of POINTS that lie behind the ack "@begin" and before the
    ack "@end", if there are such. DILATION: of the guest's clock to the
    drive's."""
    begin_ns = max([ack.at_ns for ack in acks if ack.text == BEGIN],
                   default=-1)
    end_ns = min([ack.at_ns for ack in acks
                  if ack.text == END and ack.at_ns > begin_ns], default=None)
    return [point for point in points
            if point.at_ns * dilation > begin_ns and
            (end_ns is None or point.at_ns * dilation < end_ns)]


def made_before(acks, point, dilation):
    """Return: the texts of the acks that were made before POINT."""
    return [ack.text for ack in acks
            if ack.at_ns < point.at_ns * dilation and
            ack.text not in (BEGIN, END)]


def seed_of(seed, number, turn):
    """Return: what decides the cut at point NUMBER when it is taken the TURN-th
    time."""
    text = '%d %d %d' % (seed, number, turn)
    return int(hashlib.sha256(text.encode()).hexdigest()[:12], 16) % SEEDS


def order(count, seed):
    """Yields each number below COUNT once; the first of them, however many, are
    spread evenly."""
    taken = set()
    place = seed_of(seed, count, 0) / SEEDS
    for _ in range(count):
        place = (place + GOLDEN) % 1
        number = int(place * count)
        while number in taken:
            number = (number + 1) % count
        taken.add(number)
        yield number


def cuts(points, seed):
    """Yields Cuts without end: all POINTS once, then again with other seeds."""
    turn = 0
    while points:
        for number in order(len(points), seed + turn):
            point = points[number]
            yield Cut(point, seed_of(seed, point.number, turn))
        turn += 1


def parse(text):
    """Return: (number of a point, seed) of "NUMBER.SEED", as name() says it;
    None if it is none."""
    number, dot, seed = text.partition('.')
    if not dot or not number.isdecimal() or not seed.isdecimal():
        return None
    return int(number), int(seed)


def name(cut):
    """Return: a CUT as CUT= names it."""
    return '%d.%d' % (cut.point.number, cut.seed)
