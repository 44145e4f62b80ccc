# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run leaves behind: the folder, the guest's files in it, meta.json.

Knows nothing of QEMU's command line, nor of what the numbers mean.
"""

import errno
import json
import os
import subprocess
import tarfile

from femu.common.digest import sha256
from femu.common.paths import TOP

VERSION = os.path.join(TOP, 'scripts', 'version')

# The kinds of files that a step may leave: key in meta.json -> name's end.
STEP_FILES = {'fio': '.fio.json', 'zone': '.zone.json',
              'device': '.device.json', 'output': '.out'}


class ResultsError(Exception):
    """A run has left no usable results, or its folder is not empty."""


def make_folder(top, stem, own):
    """Makes the folder of a run: OWN, or TOP/STEM-NNN, the next number free.
    Return: its absolute path."""
    if own:
        os.makedirs(own, exist_ok=True)
        if os.listdir(own):
            raise ResultsError('OUT=%s: the folder is not empty' % own)
        return os.path.abspath(own)
    os.makedirs(top, exist_ok=True)
    number = 1
    while True:
        path = os.path.join(top, '%s-%03d' % (stem, number))
        try:
            os.mkdir(path)
            break
        except FileExistsError:
            number += 1
    return path


def point_latest(top, path):
    """TOP/latest is the folder PATH from now on, if it is in TOP."""
    if os.path.dirname(path) != os.path.abspath(top):
        return
    link = os.path.join(top, 'latest')
    temporary = '%s.%d' % (link, os.getpid())
    os.symlink(os.path.basename(path), temporary)
    os.replace(temporary, link)


def _cut_off_hole(path):
    """Ends a file where nothing was ever written behind: the guest has had 128
    MiB for a few kilobytes, and reading a hole takes a second."""
    with open(path, 'rb+') as file:
        end = 0
        try:
            while True:
                data = os.lseek(file.fileno(), end, os.SEEK_DATA)
                end = os.lseek(file.fileno(), data, os.SEEK_HOLE)
        except OSError as error:
            if error.errno != errno.ENXIO:      # ENXIO: no more data
                raise
        file.truncate(end)


def unpack(archive, folder):
    """Unpacks the tar archives in the file ARCHIVE, one for each step and one
    for the rest, as far as they are whole, into FOLDER. ARCHIVE may be shorter
    afterwards."""
    os.makedirs(folder)
    _cut_off_hole(archive)
    try:
        with tarfile.open(archive, 'r:', ignore_zeros=True) as tar:
            for member in tar:
                _check_name(member.name)
                member.mode = 0o755 if member.isdir() else 0o644
                if member.isfile() or member.isdir():
                    tar.extract(member, folder)
    except tarfile.TarError:
        pass                    # cut short: the guest was still writing it
    if not os.listdir(folder):
        raise ResultsError('the guest left no results')


def _check_name(name):
    if name.startswith('/') or '..' in name.split('/'):
        raise ResultsError('the guest left a file named %s' % name)


def read_phases(out_dir):
    """Return: {step: its phases, in order, as meta.json has them}."""
    phases = {}
    path = os.path.join(out_dir, 'results', 'phases.tsv')
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            for line in file:
                step, name, start, end = line.rstrip('\n').split('\t')
                phases.setdefault(step, []).append({
                    'name': name, 'start_ns': int(start), 'end_ns': int(end),
                    'files': _step_files(out_dir, '%s@%s' % (step, name))})
    return phases


def read_steps(out_dir):
    """Return: the steps of the run, in order, as meta.json has them."""
    steps = []
    phases = read_phases(out_dir)
    path = os.path.join(out_dir, 'results', 'steps.tsv')
    with open(path, encoding='utf-8') as file:
        for line in file:
            name, kind, status, start, end, command = \
                line.rstrip('\n').split('\t', 5)
            steps.append({
                'name': name, 'kind': kind, 'command': command,
                'exit': int(status), 'start_ns': int(start),
                'end_ns': int(end), 'files': _step_files(out_dir, name)})
            if name in phases:
                steps[-1]['phases'] = phases[name]
    return steps


def _step_files(out_dir, name):
    files = {}
    for key, end in STEP_FILES.items():
        path = os.path.join('results', name + end)
        full = os.path.join(out_dir, path)
        if os.path.exists(full) and os.stat(full).st_size:
            files[key] = path
    return files


def read_line(out_dir, name):
    """Return: the first line of results/NAME, or ''."""
    try:
        with open(os.path.join(out_dir, 'results', name),
                  encoding='utf-8') as file:
            return file.readline().strip()
    except FileNotFoundError:
        return ''


def version():
    """Return: the version of the sources, as scripts/version prints it."""
    return subprocess.run([VERSION], stdout=subprocess.PIPE, check=True,
                          text=True).stdout.strip()


def hash_of(path):
    """Return: {'file': PATH, 'sha256': ...}."""
    return {'file': path, 'sha256': sha256(path)}


def write_meta(out_dir, meta):
    """Writes META as meta.json."""
    path = os.path.join(out_dir, 'meta.json')
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(meta, file, indent=2)
        file.write('\n')
