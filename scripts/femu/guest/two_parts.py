# SPDX-License-Identifier: GPL-2.0-or-later
"""A job in two parts: its preparation, up to the first line that begins with
"step", and the rest. The guest does the first, asks to be stopped, and finds
the second at the end of the results' memory.

Knows nothing of QEMU.
"""

import os
import re
import shlex
import subprocess

MIB = 1 << 20
# The end of the results' memory that the second part is in.
REST_BYTES = MIB
STOP_PORT = 0xea
STOP = ['-device', 'femu-stop,iobase=%#x' % STOP_PORT]
STEP = re.compile(r'^step[ \t]', re.MULTILINE)
PREPARE = re.compile(r'^[ \t]*prepare[ \t]', re.MULTILINE)

# What the guest does behind its preparation: says so, writes to the port by
# which QEMU stops it, and when it goes on, reads what it has to do.
MARK = r'''
tell "@mark"
printf '\1' | dd of=/dev/port bs=1 seek=%d conv=notrunc 2>/dev/null
dd if=/dev/results bs=%d count=1 2>/dev/null \
    skip=$(($(blockdev --getsize64 /dev/results) / %d - 1)) |
    tr -d '\0' >/tmp/rest.sh
. /tmp/rest.sh
''' % (STOP_PORT, REST_BYTES, REST_BYTES)
READY = 'tell "@ready $(cut -d\' \' -f1 /proc/uptime)"\n'


class PartsError(Exception):
    """A job that has no two parts."""


def split(text):
    """Return: (the preparation, the rest) of a script."""
    match = STEP.search(text)
    at = match.start() if match else len(text)
    return text[:at], text[at:]


def check(text, name):
    """Raises unless bash can read TEXT, a part of the job NAME."""
    done = subprocess.run(['bash', '-n'], input=text.encode(), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise PartsError(
            'JOB=%s: its part before, or from, the first line that begins with '
            '"step" is no script of its own, as FROM= needs it: %s' % (
                name, done.stdout.decode(errors='replace').splitlines()[0]))


def preparation_of(path):
    """Return: the text of the preparation of the job PATH."""
    if path.endswith('.fio'):
        return ''
    first, _ = split(_read(path))
    check(first, path)
    return first


def names(preparation, name):
    """Return: whether PREPARATION has the word NAME, a variable's."""
    return re.search(r'(?<![\w-])%s(?!\w)' % name, preparation) is not None


def first_part(preparation):
    """Return: the script that the guest begins with."""
    return preparation + MARK


def second_part(path, preparation, args):
    """Return: the script that does what the job PATH does behind PREPARATION,
    with the variables ARGS, too."""
    text = _read(path)
    if path.endswith('.fio'):
        rest = _fio(os.path.basename(path), text)
    else:
        rest = _rest(path, text, preparation)
    for name in args:
        if names(preparation, name):
            raise PartsError(
                'ARGS: the preparation that FROM= goes on from names %s, which '
                'cannot be changed behind it' % name)
    export = ''.join('export %s=%s\n' % (name, shlex.quote(value))
                     for name, value in args.items())
    whole = (READY + export + rest).encode()
    if len(whole) > REST_BYTES:
        raise PartsError('JOB=%s: with FROM= a job has at most %d bytes behind '
                         'its preparation' % (path, REST_BYTES))
    return whole


def _rest(path, text, preparation):
    first, rest = split(text)
    if not preparation.strip():
        rest = text
    elif first != preparation:
        if PREPARE.search(first):
            raise PartsError(
                'JOB=%s: its preparation, all before its first line that begins'
                ' with "step", is not that of FROM=: line %d is another one. '
                'Make it the same, or leave it out: the job then goes on behind'
                ' that of FROM=' % (path, _first_difference(first,
                                                            preparation)))
        rest = text
    if not rest.strip():
        raise PartsError('JOB=%s: nothing is in it behind the preparation of '
                         'FROM=: name another JOB=' % path)
    check(rest, path)
    return rest


def _first_difference(text, other):
    lines, others = text.splitlines(), other.splitlines()
    for number, (one, two) in enumerate(zip(lines, others), 1):
        if one != two:
            return number
    return min(len(lines), len(others)) + 1


def _fio(name, text):
    """A fio job runs as one step of its name."""
    end = 'end-of-the-job'
    while end in text.splitlines():
        end += '-'
    return "cat >/tmp/%s <<'%s'\n%s\n%s\nstep %s fio /tmp/%s\n" % (
        name, end, text.rstrip('\n'), end, name[:-len('.fio')], name)


def _read(path):
    with open(path, encoding='utf-8', errors='surrogateescape') as file:
        return file.read()
