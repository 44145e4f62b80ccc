# SPDX-License-Identifier: GPL-2.0-or-later
"""A page as a browser has it, without a screen: Debian's chromium.

Knows nothing of what is on the page.
"""

import shutil
import subprocess
import tempfile

LIMIT_S = 120
# So long the page's own clock runs before it is looked at.
PAGE_MS = 2000
ARGV = ['chromium', '--headless', '--no-sandbox', '--disable-gpu',
        '--virtual-time-budget=%d' % PAGE_MS]


def is_there():
    """Return: is there a browser?"""
    return shutil.which(ARGV[0]) is not None


def _call(url, *args):
    with tempfile.TemporaryDirectory(prefix='femu-browser-') as profile:
        return subprocess.run(
            [*ARGV, '--user-data-dir=' + profile, *args, url],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, check=True,
            timeout=LIMIT_S).stdout


def dom(url):
    """Return: what the page at URL has become, as HTML."""
    return _call(url, '--dump-dom')


def screenshot(url, path, width, height):
    """Writes the page at URL to PATH, as it is in a window of that size."""
    _call(url, '--hide-scrollbars', '--screenshot=' + path,
          '--window-size=%d,%d' % (width, height))
