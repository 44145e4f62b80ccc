# SPDX-License-Identifier: GPL-2.0-or-later
"""What scripts/run does with wrong input, and how runs end.

Knows nothing of how a run is done: it calls the scripts as a user does.
"""

import glob
import os
import re
import signal
import subprocess

from common import (OUT, RUN, TOP, config, environment, folder, read_json,
                    run, wait_for)

INTERRUPT_LIMIT_S = 30


def qemus_of(out):
    """Return: the pids of QEMUs whose command line names the folder OUT."""
    pids = []
    for path in glob.glob('/proc/[0-9]*/cmdline'):
        try:
            with open(path, 'rb') as file:
                words = file.read()
        except OSError:
            continue
        if os.fsencode(out) + b'/' in words and b'-readconfig' in words:
            pids.append(int(path.split('/')[2]))
    return pids


def test_errors(tap):
    """Wrong input is refused with its name, its value and what is right."""
    tiny = config('tiny.cfg')
    bad_cfg = os.path.join(OUT, 'nothing.cfg')
    folder('nothing.cfg')
    with open(bad_cfg, 'w', encoding='utf-8') as file:
        file.write('[machine]\n')
    wrong = [
        ({'JOB': '/nowhere.fio'}, r'JOB=/nowhere\.fio: no such file'),
        ({'JOB': '/etc/passwd'}, r'JOB=/etc/passwd: a job is .*NAME\.fio'),
        ({'CONFIG': '/nowhere.cfg'}, r'CONFIG=/nowhere\.cfg: no such file'),
        ({'CONFIG': bad_cfg}, r'CONFIG=.*nothing\.cfg: .*\[device "zns0"\]'),
        ({'SET': 'channels'}, r'SET=channels: "channels" is not property='),
        ({'TIME': 'warp'}, r'TIME=warp: virtual or real is expected'),
        ({'DILATION': '1000001'},
         r'DILATION=1000001: a whole number from 1 to 1000000 is expected'),
        ({'INSN_NS': '3'}, r'INSN_NS=3: 1 or 2 or 4 .* or 1024 is expected'),
        ({'INSN_NS': '2', 'TIME': 'real'}, r'INSN_NS=2: only virtual time'),
        ({'INSNS': '2'}, r'INSNS=2: 0 or 1 is expected'),
        ({'INSNS': '1', 'TIME': 'real'}, r'INSNS=1: only virtual time'),
        ({'MEM': '64M'}, r'MEM=64M: .*at least 256M'),
        *(({'CPUS': cpus}, r'CPUS=%s: a whole number from 1 to 29 is expected '
           'in virtual time; TIME=real takes up to 64' % cpus)
          for cpus in ('0', '30', '99')),
        ({'CPUS': '99', 'TIME': 'real'}, r'CPUS=99: a whole number from 1 to 64 '
         'is expected$'),
        ({'DRIVES': '17'}, r'DRIVES=17: a whole number from 1 to 16'),
        ({'FROM': 'boot', 'DRIVES': '2'},
         r'FROM=boot: a machine that it goes on from has one drive, not 2'),
        ({'SPEED': '0'}, r'SPEED=0: a whole number from 1 to'),
        ({'SPEED': '3', 'DILATION': '3'}, r'SPEED=3 and DILATION=3: both say'),
        ({'SPEED': '3', 'INSN_NS': '2'}, r'SPEED=3 and INSN_NS=2: both say'),
        ({'STATE': '/y', 'SET': 'state=/x'}, r'STATE=/y and SET=state=/x: one'),
        ({'JOURNAL': '1', 'SET': 'journal=/x'}, r'JOURNAL=1 and SET=journal='),
        ({'SPEED': '3', 'TIME': 'real'}, r'SPEED=3: in real time the host'),
        ({'ACCEL': 'kvm'}, r'ACCEL=kvm: virtual time counts the instr'),
        ({'ACCEL': 'x', 'TIME': 'real'}, r'ACCEL=x: any or kvm or tcg is'),
        ({'EXTRA': '/nowhere'}, r'EXTRA=/nowhere: no such directory'),
        ({'KERNEL': '/nowhere'}, r'KERNEL=/nowhere: no such file'),
        ({'OUT': '/etc'}, r'OUT=/etc: the folder is not empty'),
        ({'LIVE': 'yes'}, r'LIVE=yes: must be 1, for any free port, or a p'),
        ({'LIVE': '80'}, r'LIVE=80: must be 1, .* from 1024 to 65535'),
        ({'QEMU': '/nowhere'}, r'QEMU=/nowhere: no such program'),
        ({'SET': 'channels=0'}, r'SET: channels=0: out of range, must be 1 to'),
        ({'SET': 'chanels=4'}, r"no parameter 'chanels'; did you mean 'chann"),
        ({'SET': 'memdev=nothing'}, r"'nothing' not found"),    # by QEMU
    ]
    dos = os.path.join(OUT, 'dos.sh')
    with open(dos, 'w', encoding='utf-8', newline='') as file:
        file.write('step a true\r\n')
    wrong += [({'JOB': dos}, r'JOB=.*dos\.sh: its lines end in CR LF'),
              ({'SET': 'trace=/x'}, r'SET=trace=/x: "trace" is set by the run'),
              ({'SET': 'a=1 time-dilation=3'}, r'is set by DILATION=')]
    for variables, pattern in wrong:
        env = environment({'CONFIG': tiny, 'OUT': folder('errors'),
                           **variables})
        result = subprocess.run([RUN], env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, cwd=TOP, text=True,
                                stderr=subprocess.STDOUT, check=False,
                                timeout=INTERRUPT_LIMIT_S)
        name, value = list(variables.items())[0]
        tap.result(result.returncode == 1 and 'Traceback' not in result.stdout
                   and bool(re.search(pattern, result.stdout)),
                   'refused: %s=%s' % (name, value.replace(TOP, '.')),
                   'status %d, wanted /%s/ in:\n%s' % (
                       result.returncode, pattern, result.stdout))


def test_latest(tap):
    """A run that QEMU refuses leaves neither a folder nor out/latest."""
    link = os.path.join(TOP, 'out', 'latest')
    ours = os.path.join(TOP, 'out', 'default-tiny-memdev=*')
    before = (sorted(glob.glob(ours)),
              os.readlink(link) if os.path.islink(link) else None)
    result = subprocess.run(
        [RUN], env=environment({'CONFIG': config('tiny.cfg'),
                                'SET': 'memdev=nothing'}), cwd=TOP, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False)
    after = (sorted(glob.glob(ours)),
             os.readlink(link) if os.path.islink(link) else None)
    tap.same([result.returncode, after], [1, before],
             'a run that QEMU refuses leaves nothing')


def test_own_things(tap):
    """A user's own programs, disk and time dilation; a step that fails."""
    top = folder('own-things')
    for name, text in (
            ('own.sh', 'step own my-program there\n'
                       'step disk head -c 8 /dev/vda\n'
                       'step bad ls /does-not-exist "two\nlines"\n'
                       'step write fio --name=w --filename="$DRIVE" '
                       '--direct=1 --zonemode=zbd --rw=write --bs=16k '
                       '--size=1z --number_ios=10\n'),
            ('extra/bin/my-program', '#!/bin/sh\necho "hello $1"\n'),
            ('disk.img', 'good day' + 4096 * ' ')):
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='ascii') as file:
            file.write(text)
    os.chmod(os.path.join(top, 'extra/bin/my-program'), 0o755)
    out, status, text = run(
        'own', JOB=os.path.join(top, 'own.sh'), DILATION='10',
        EXTRA=os.path.join(top, 'extra'), DISK=os.path.join(top, 'disk.img'),
        CONFIG=config('confznspp.cfg'))
    tap.result(status == 1 and text.strip().splitlines()[-1] ==
               'run: failed: bad: exit status 2: ls /does-not-exist two lines',
               'a failing step is shown, and is the last line',
               'status %d\n%s' % (status, text))
    meta = read_json(out, 'meta.json')
    tap.same([meta['status'], [(step['name'], step['exit'])
                               for step in meta['steps']]],
             ['failed', [('own', 0), ('disk', 0), ('bad', 2), ('write', 0)]],
             'meta.json has the exit status of every step')
    printed = []
    for name in ('own.out', 'disk.out'):
        with open(os.path.join(out, 'results', name),
                  encoding='ascii') as file:
            printed.append(file.read())
    tap.same(printed, ['hello there\n', 'good day'],
             "EXTRA's program runs, DISK is /dev/vda")
    write = read_json(out, 'results', 'write.device.json')['ops']['write']
    fio = read_json(out, 'results', 'write.fio.json')['jobs'][0]['write']
    tap.same([write['count'], write['min_ns'], write['max_ns']],
             [10, 725000, 725000],
             'DILATION=10: the drive still takes 725000 ns')
    tap.result(7250000 < fio['lat_ns']['min'] < 7350000,
               'DILATION=10: the guest sees ten times that',
               str(fio['lat_ns']))


# Jobs that look as if they worked: script, what is wrong with it.
MISTAKES = {
    'mistakes': (
        'step twice true\nstep twice true\n'
        'step memory fio --name=m --filename=/tmp/m --rw=write --size=64k\n'
        'step unzoned fio --name=u --filename="$DRIVE" --rw=randwrite '
        '--bs=4k --size=8m --end_fsync=1\n'
        'step wrapped sh -c "fio --name=w --filename=/tmp/w --size=4k"\n'
        'fiio --name=f\nstep sound true\n',
        [r'twice: a step of this name has run',
         r'memory: fio gave the drive no command',
         r'unzoned: .*(I/O errors of the drive|exit status)',
         r'mistakes.sh: no such command: fiio']),
    'unparsed': ('step sound true\nif true; then\n',
                 [r'unparsed.sh: .*line \d+: syntax error']),
    'status': ('step sound true\nexit 3\n',
               [r'status.sh: the script ended with status 3']),
    'errexit': ('set -e\nstep sound true\nfalse\nstep late true\n',
                [r'errexit.sh: the script ended with status 1']),
    'dash': ('step -x true\n', [r"-x: a step's name has .*no - in front"]),
}

# What a script may call its own: variables, and what is done when it exits.
OWN_SCRIPT = '''echo "$status $wrong" >$RESULTS/asked
trap 'echo "trapped $?" >$RESULTS/trapped' EXIT INT
status=0
grep nothing /etc/hostname || status=$?
step sound true
'''


def test_mistakes(tap):
    """A run that did not do all that it was asked fails and says why."""
    top = folder('mistakes')
    os.makedirs(top)
    for name, (script, patterns) in MISTAKES.items():
        path = os.path.join(top, name + '.sh')
        with open(path, 'w', encoding='ascii') as file:
            file.write(script)
        out, status, text = run('mistakes-' + name, JOB=path, TRACE='0',
                                CONFIG=config('tiny.cfg'))
        meta = read_json(out, 'meta.json')
        last = text.strip().splitlines()[-1]
        tap.result(status == 1 and meta['status'] == 'failed' and
                   len(meta['failures']) == len(patterns) and
                   all(re.match(pattern, failure) for pattern, failure
                       in zip(patterns, meta['failures'])) and
                   last.startswith('run: failed: ' + meta['failures'][0]),
                   'a run that fails says so: ' + name,
                   'status %d, %s\n%s' % (status, meta['failures'], text))


def test_script(tap):
    """A script's variables are its own, and so is what it does on exit."""
    path = folder('script') + '.sh'
    with open(path, 'w', encoding='ascii') as file:
        file.write(OWN_SCRIPT)
    out, status, _ = run('script', JOB=path, ARGS='status=5 wrong=yes',
                         CONFIG=config('tiny.cfg'))
    found = []
    for name in ('asked', 'trapped'):
        with open(os.path.join(out, 'results', name),
                  encoding='ascii') as file:
            found.append(file.read())
    tap.same([status, found, os.path.exists(out + '/results/dmesg.txt')],
             [0, ['5 yes\n', 'trapped 0\n'], True],
             "a script's own variables, and its trap of the exit")


def test_partial(tap):
    """What a run had done when it was stopped is there; a result that does not
    fit loses none of those before it."""
    top = folder('partial')
    os.makedirs(top)
    for name, script in (
            ('slow', 'step first echo one\nstep second sh -c '
             '"while :; do :; done"\n'),
            ('big', 'step first echo one\n(step inner echo inner)\n'
             'step second dd if=/dev/urandom bs=1M count=4\n'
             'step third echo three\n')):
        with open(os.path.join(top, name + '.sh'), 'w',
                  encoding='ascii') as file:
            file.write(script)
    out = folder('interrupted')
    process = subprocess.Popen(
        [RUN], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, cwd=TOP,
        env=environment({'OUT': out, 'CONFIG': config('tiny.cfg'),
                         'JOB': os.path.join(top, 'slow.sh')}))
    said = []
    for line in process.stderr:
        said.append(line)
        if 'step second' in line:
            process.send_signal(signal.SIGINT)
            break
    said.append(process.communicate(timeout=INTERRUPT_LIMIT_S)[1])
    text = ''.join(said)
    meta = read_json(out, 'meta.json')
    tap.same([process.returncode, text.strip().splitlines()[-1],
              meta['status'], [step['name'] for step in meta['steps']],
              meta['failures'], os.path.exists(out + '/report.html')],
             [1, 'run: interrupted by SIGINT; QEMU has ended', 'interrupted',
              ['first'], ['the run: interrupted by SIGINT'], True],
             'an interrupted run leaves what it had done')
    out, status, text = run('big', JOB=os.path.join(top, 'big.sh'),
                            CONFIG=config('tiny.cfg'), RESULTS_MIB='2')
    names = sorted(os.listdir(os.path.join(out, 'results')))
    tap.result(status == 1 and 'run: failed: results: they do not fit' in text
               and {'first.out', 'inner.out', 'third.out'} <= set(names) and
               'second.out' not in names,
               'a result that does not fit is missed, and others are there',
               '%s\n%s' % (names, text))


def test_interrupt(tap):
    """Ctrl-C and its like: QEMU ends too."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        out = folder('interrupt')
        name = number.name
        process = subprocess.Popen(
            [RUN], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, cwd=TOP,
            env=environment({'OUT': out, 'CONFIG': config('tiny.cfg')}))
        started = wait_for(lambda: qemus_of(out), INTERRUPT_LIMIT_S)
        process.send_signal(number)
        errors = process.communicate(timeout=INTERRUPT_LIMIT_S)[1]
        gone = wait_for(lambda: not qemus_of(out), INTERRUPT_LIMIT_S)
        tap.result(bool(started) and bool(gone) and process.returncode != 0,
                   '%s to scripts/run ends QEMU' % name,
                   'started %s, gone %s, status %d\n%s' % (
                       started, gone, process.returncode, errors))
        if number != signal.SIGKILL:
            tap.result('interrupted by ' + name in errors and
                       'Traceback' not in errors,
                       '%s to scripts/run is reported' % name, errors)


GROUPS = {'errors': test_errors,
          'interrupt': test_interrupt,
          'own': test_own_things,
          'mistakes': test_mistakes,
          'latest': test_latest,
          'script': test_script,
          'partial': test_partial}
