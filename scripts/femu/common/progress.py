# SPDX-License-Identifier: GPL-2.0-or-later
"""How far something is, and how long the rest will take: on a terminal one line
that overwrites itself, in a log a whole line now and then.

Knows nothing of what is counted.
"""

import os
import sys
import threading
import time

TERMINAL_S = 0.5
LOG_S = 10
# No time left is estimated before this time has passed.
GUESS_S = 2
NARROWEST = 20


def duration(time_s):
    """Return: a time that is estimated: 5 s, 40 s, 3 min, 1 h 20 min."""
    if time_s < 10:
        return '%d s' % max(1, round(time_s))
    if time_s < 57.5:
        return '%d s' % (5 * round(time_s / 5))
    minutes = max(1, round(time_s / 60))
    return '%d min' % minutes if minutes < 60 else '%d h %d min' % divmod(
        minutes, 60)


def left(done, total, elapsed_s):
    """Return: ', about 40 s left', estimated from what is done; '' while it is
    too early for that, and when all is done."""
    if not 0 < done < total or elapsed_s < GUESS_S:
        return ''
    return ', about %s left' % duration(elapsed_s * (total - done) / done)


def fitted(text, counter, width):
    """Return: TEXT and COUNTER behind it, in WIDTH columns; TEXT is cut if both
    are too long."""
    room = width - len(counter)
    if len(text) > room:
        text = text[:room - 4] + ' ...' if room > 4 else ''
    return (text + counter)[:width]


class Line:
    """A line on standard error."""

    def __init__(self):
        self.terminal = sys.stderr.isatty()

    def width(self):
        """Return: the terminal's columns but one."""
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        except (OSError, ValueError):
            columns = 0
        return max(columns or 80, NARROWEST) - 1

    def put(self, text, counter=''):
        """Shows a state: on a terminal it replaces the last one, in a log it is
        a further line."""
        if self.terminal:
            print('\r\033[K' + fitted(text, counter, self.width()), end='',
                  file=sys.stderr, flush=True)
        else:
            print(text + counter, file=sys.stderr, flush=True)

    def clear(self):
        """Leave nothing on a terminal, so that another line can follow."""
        if self.terminal:
            print('\r\033[K', end='', file=sys.stderr, flush=True)


class Count:
    """Counts how many of TOTAL things, called WHAT, are done, and shows that
    with an estimate of the time left."""

    def __init__(self, label, total, what='runs'):
        self.label, self.total, self.what = label, total, what
        self.done = 0
        self.line = Line()
        self.started_s = self.said_s = time.monotonic()
        self.lock = threading.Lock()

    def text(self):
        """Return: "120 of 1786 runs, about 40 s left"."""
        return '%d of %d %s%s' % (
            self.done, self.total, self.what,
            left(self.done, self.total, time.monotonic() - self.started_s))

    def add(self):
        """Counts one more without showing it."""
        with self.lock:
            self.done += 1

    def step(self):
        """One more is done."""
        self.add()
        with self.lock:
            now_s = time.monotonic()
            if now_s - self.said_s >= (TERMINAL_S if self.line.terminal
                                       else LOG_S):
                self.said_s = now_s
                self.line.put(self.label + ': ', self.text())

    def end(self):
        """Removes the line from a terminal."""
        self.line.clear()
