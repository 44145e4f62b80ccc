# SPDX-License-Identifier: GPL-2.0-or-later
"""A Slurm of its own, on this machine: munge, a controller and two node
daemons, in one folder and on ports of the loopback address; it ends with its
test.

Knows nothing of what is run on it.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import time

PROGRAMS = ('munged', 'slurmctld', 'slurmd', 'sbatch', 'sinfo')
NODES = ('n1', 'n2')
READY_S = 60

CONF = '''\
ClusterName=femu-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=2,batch_sched_delay=0
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES State=UP
'''


class SlurmError(Exception):
    """It does not come up; says what it said."""


def missing():
    """Return: why there can be no Slurm here, or None."""
    for program in PROGRAMS:
        if not shutil.which(program):
            return '%s is missing: scripts/deps slurm' % program
    if os.geteuid() != 0:
        return "Slurm's node daemons want to be root"
    return None


def free_ports(count):
    """Return: ports of the loopback address that nobody has now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket())
                   for _ in range(count)]
        for one in sockets:
            one.bind(('127.0.0.1', 0))
        return [one.getsockname()[1] for one in sockets]


def _start(*argv, env):
    # In the foreground, so that it is ours to end.
    with open(os.path.join(os.path.dirname(env['SLURM_CONF']), 'said'), 'ab') \
            as said:
        return subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL,
                                stdout=said, stderr=subprocess.STDOUT)


def _munge(folder, env):
    key = os.path.join(folder, 'munge.key')
    with open(key, 'wb') as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(os.urandom(1024))
    return _start('munged', '--foreground', '--force', '--key-file=' + key,
                  '--socket=%s/munge.sock' % folder,
                  '--pid-file=%s/munged.pid' % folder,
                  '--log-file=%s/munged.log' % folder,
                  '--seed-file=%s/munged.seed' % folder, env=env)


def _wait_ready(folder, env):
    end_s = time.monotonic() + READY_S
    said = ''
    while time.monotonic() < end_s:
        done = subprocess.run(['sinfo', '-h', '-t', 'idle', '-o', '%D'],
                              env=env, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        said = done.stdout.strip()
        if done.returncode == 0 and said == str(len(NODES)):
            return
        time.sleep(0.5)
    with open(os.path.join(folder, 'said'), encoding='utf-8',
              errors='replace') as file:
        raise SlurmError('not ready after %d s: %s\n%s' % (READY_S, said,
                                                           file.read()))


@contextlib.contextmanager
def running(folder):
    """A Slurm in the empty FOLDER. Gives the environment of those who use it.
    Raises SlurmError."""
    env = {**os.environ, 'SLURM_CONF': os.path.join(folder, 'slurm.conf')}
    with open(env['SLURM_CONF'], 'w', encoding='utf-8') as file:
        file.write(CONF.format(host=socket.gethostname(), folder=folder,
                               ports=free_ports(3)))
    os.makedirs(os.path.join(folder, 'state'))
    daemons = []
    try:
        daemons.append(_munge(folder, env))
        time.sleep(1)
        daemons.append(_start('slurmctld', '-D', env=env))
        for node in NODES:
            os.makedirs(os.path.join(folder, node))
            daemons.append(_start('slurmd', '-D', '-N', node, env=env))
        _wait_ready(folder, env)
        yield env
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
