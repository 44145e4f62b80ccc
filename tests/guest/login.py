# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/shell: a login in the guest.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os
import pty
import select
import signal
import subprocess
import time

from common import OUT, SIM, TOP, config, environment, folder, wait_for

SHELL = os.path.join(TOP, 'scripts', 'shell')
SHELL_LIMIT_S = 600


def test_shell(tap):
    """A login: the prompt, the drive, the host's folder, exit."""
    host = folder('shell')
    os.makedirs(host)
    with open(os.path.join(host, 'from-host'), 'w', encoding='ascii') as file:
        file.write('good day\n')
    commands = (b'cp /host/from-host /host/from-guest; '
                b'cat /sys/block/nvme0n1/queue/zoned >/host/zoned; exit\n')
    done = subprocess.run([SHELL], env=environment({}), text=True,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          timeout=SHELL_LIMIT_S, check=False)
    tap.same([done.returncode, done.stderr], [
        1, 'shell: error: the standard input is no terminal: nobody can type; '
        'commands in a file are a job, "make run JOB=file.sh"\n'],
        'make shell: without anybody to type')
    text, status = on_terminal([SHELL], commands, {
        'HOST': host, 'CONFIG': config('tiny.cfg')})
    tap.result(status == 0, 'make shell: login, and the end by "exit"', text)
    for name, wanted in (('from-guest', 'good day\n'),
                         ('zoned', 'host-managed\n')):
        path = os.path.join(host, name)
        got = None
        if os.path.exists(path):
            with open(path, encoding='ascii') as file:
                got = file.read()
        tap.same(got, wanted, "make shell: the guest writes %s to the host's "
                 'folder' % name)


WRITE = (b'for d in /dev/nvme[01]n1; do dd if=/dev/urandom of=$d bs=64k '
         b'count=3 oflag=direct; done; exit\n')
DRIVES = ('zns0', 'zns1')
WRITTEN = ' 3 writes of 196608 bytes'


def sim(*words):
    """Return: (exit status, what femu-sim printed)."""
    done = subprocess.run([SIM, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def test_drives_recorded(tap):
    """A login with two drives, their traces and journals."""
    top = folder('shell-drives')
    os.makedirs(top)
    done = subprocess.run([SHELL], env=environment({'JOURNAL': '1'}), text=True,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False)
    tap.same([done.returncode, done.stderr], [
        1, 'shell: error: JOURNAL=1: goes with TRACE=file, which says where '
        'both are\n'], 'make shell: a journal is beside a trace')
    trace = os.path.join(top, 't.csv')
    text, status = on_terminal([SHELL], WRITE, {
        'HOST': top, 'CONFIG': config('tiny.cfg'), 'DRIVES': '2',
        'TRACE': trace, 'JOURNAL': '1'})
    tap.result(status == 0, 'make shell DRIVES=2 JOURNAL=1: login, end', text)
    for path in (trace, os.path.join(top, 't-zns1.csv')):
        status, text = sim('replay', path)
        tap.result(text.endswith(' 0 differences\n') and status == 0,
                   'make shell: %s is replayed' % os.path.basename(path), text)
        left = path + '.state'
        status, text = sim('cut', path, '--journal=' + path + '.journal',
                           '--state=' + left)
        tap.result(status == 0, 'make shell: %s.journal is of it'
                   % os.path.basename(path), text)
        check_state(tap, left)


def test_drives_lasting(tap):
    """A login in real time with two drives that last, each with a thread."""
    top = folder('shell-state')
    os.makedirs(top)
    text, status = on_terminal([SHELL], WRITE, {
        'HOST': top, 'CONFIG': config('tiny.cfg'), 'DRIVES': '2',
        'TIME': 'real', 'ACCEL': 'tcg', 'IOTHREAD': '1',
        'STATE': os.path.join(top, 's')})
    tap.result(status == 0, 'make shell TIME=real STATE=s: login, end', text)
    for name in DRIVES:
        check_state(tap, os.path.join(top, 's', name))


def check_state(tap, path):
    """The drive in the folder PATH is whole, and three writes are in it."""
    status, text = sim('state', path)
    tap.result(status == 0 and WRITTEN in text, 'make shell: the state %s'
               % os.path.relpath(path, OUT), text)


def on_terminal(argv, commands, variables):
    """Runs ARGV on a terminal and types COMMANDS at its first prompt.
    Return: (what it printed, its exit status or None)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(TOP)
        os.execve(argv[0], argv, environment(variables))
    text, typed, end = b'', False, time.monotonic() + SHELL_LIMIT_S
    while time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:     # the terminal's other end was closed
                break
            text += data
        if not typed and b'guest:~# ' in text:
            os.write(terminal, commands)
            typed = True
    status = None
    if wait_for(lambda: os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG |
                                  os.WNOWAIT), 10):
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    else:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return text.decode(errors='replace'), status


def test_shell_drives(tap):
    """Logins with two drives: recorded; in real time, lasting."""
    test_drives_recorded(tap)
    test_drives_lasting(tap)


GROUPS = {'shell': test_shell, 'shell-drives': test_shell_drives}
