# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the guest without an operating system (make check-bare).

Knows nothing of what it does.
"""

import os
import platform
import subprocess

from common import OUT, OWN_VARIABLES, TOP

LIMIT_S = 600
RUNS = 3


def _check(tap, accel):
    """All runs by an accelerator. Skipped: a KVM that does not start it, and a
    host that is no x86."""
    env = {name: value for name, value in os.environ.items()
           if name not in OWN_VARIABLES or name == 'QEMU'}
    done = subprocess.run(
        [os.path.join(TOP, 'scripts', 'check-bare')], stdin=subprocess.DEVNULL,
        env={**env, 'ACCEL': accel, 'OUT': os.path.join(OUT, 'bare-' + accel)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        text=True, timeout=LIMIT_S)
    lines = done.stdout.strip().splitlines()
    name = 'bare: %s: data, interrupts and times of a drive with a thread ' \
        'and without' % accel
    if (accel == 'kvm' or platform.machine() != 'x86_64') and \
            lines[-1].startswith('check-bare: refused: '):
        tap.skip(name, lines[-1])
        return
    tap.result((done.returncode, lines[-1]) == (
        0, 'check-bare: %d passed, 0 failed' % RUNS), name, done.stdout)


def bare(tap):
    """a guest without an operating system, by KVM where that runs it"""
    for accel in ('tcg', 'kvm'):
        _check(tap, accel)


GROUPS = {'bare': bare}
