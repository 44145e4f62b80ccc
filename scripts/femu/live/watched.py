# SPDX-License-Identifier: GPL-2.0-or-later
"""What is known of a drive that is watched: what it does now, and how its
counts grew over its own time.

Knows nothing of where that comes from, or of who asks.
"""

import json
import threading

# Instants that are kept; when there are more, every second one goes.
MOST_KEPT = 600


class Watched:
    """Samples are as ssd_live_json() makes them. Any thread may call."""

    def __init__(self, title):
        self._title = title
        self._lock = threading.Lock()
        self._now = {}
        self._kept = []
        self._every = 1
        self._skipped = 0
        self._step = ''
        self._end = None
        self._told_end = threading.Event()

    def add(self, sample):
        """The drive as it is now."""
        if 'now_ns' not in sample:
            return
        with self._lock:
            self._now = sample
            self._skipped += 1
            if self._skipped >= self._every:
                self._skipped = 0
                self._kept.append((sample['now_ns'], sample['ops']))
            if len(self._kept) > MOST_KEPT:
                self._kept = self._kept[::2]
                self._every *= 2

    def step(self, text):
        """What is under way."""
        with self._lock:
            self._step = text

    def end(self, text, wait_s):
        """It has ended, TEXT says how. Waits until somebody has been told, but
        no longer than WAIT_S."""
        with self._lock:
            self._end = text
        self._told_end.wait(wait_s)

    def json(self):
        """Return: all of it, for the page."""
        with self._lock:
            kept = list(self._kept)
            if self._now and (not kept or
                              kept[-1][0] != self._now['now_ns']):
                kept.append((self._now['now_ns'], self._now['ops']))
            text = json.dumps({'title': self._title, 'step': self._step,
                               'ended': self._end, 'now': self._now,
                               'history': kept})
            ended = self._end is not None
        if ended:
            self._told_end.set()
        return text
