# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/shell: a login in the guest.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import os
import pty
import select
import signal
import time

from common import TOP, config, environment, folder, wait_for

SHELL = os.path.join(TOP, 'scripts', 'shell')
SHELL_LIMIT_S = 240


def test_shell(tap):
    """A login: the prompt, the drive, the host's folder, exit."""
    host = folder('shell')
    os.makedirs(host)
    with open(os.path.join(host, 'from-host'), 'w', encoding='ascii') as file:
        file.write('good day\n')
    commands = (b'cp /host/from-host /host/from-guest; '
                b'cat /sys/block/nvme0n1/queue/zoned >/host/zoned; exit\n')
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


GROUPS = {'shell': test_shell}
