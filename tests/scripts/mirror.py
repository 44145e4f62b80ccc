# SPDX-License-Identifier: GPL-2.0-or-later
"""A mirror of Debian in a folder: a few small packages, an index, a signature.

Knows nothing of who fetches from it.
"""

import hashlib
import os
import subprocess

SUITE = 'trixie'


def sha256(path):
    """Return: the SHA-256 of a file."""
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def write(path, text):
    """Writes a file, with the folders that it is in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def stanza(**fields):
    """Return: a block of an index."""
    return ''.join('%s: %s\n' % (name.replace('_', '-'), value)
                   for name, value in fields.items()) + '\n'


class Key:
    """A key that signs mirrors, in FOLDER."""

    def __init__(self, folder):
        os.makedirs(folder, 0o700)
        self.ring = os.path.join(folder, 'ring.gpg')
        self._gpg = ['gpg', '--batch', '-q', '--homedir', folder]
        # The agent that this starts keeps what it is given for its output.
        subprocess.run([*self._gpg, '--passphrase', '', '--quick-gen-key',
                        'mirror@example.invalid', 'ed25519', 'sign', 'never'],
                       check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.ring, 'wb') as file:
            subprocess.run([*self._gpg, '--export'], stdout=file, check=True)

    def sign(self, path, output):
        """Writes the file PATH with a signature to OUTPUT."""
        subprocess.run([*self._gpg, '--yes', '-o', output, '--clearsign',
                        path], check=True)

    def end(self):
        """Ends the agent that gpg has started."""
        subprocess.run(['gpgconf', '--homedir', self._gpg[-1], '--kill',
                        'all'], check=True)


class Mirror:
    """A mirror in the folder TOP; publish() makes it one."""

    def __init__(self, top):
        self.top = top
        self._packages, self._sources = [], []

    def add(self, name, version, content='', **fields):
        """Adds a package with one file of this CONTENT."""
        file = '%s_%s_amd64.deb' % (name, version.split(':')[-1])
        work = os.path.join(self.top, 'work')
        path = os.path.join(self.top, 'pool', file)
        control = {'Package': name, 'Version': version,
                   'Architecture': 'amd64', 'Maintainer': 'nobody',
                   'Description': 'a test', **fields}
        write(work + '/DEBIAN/control', stanza(**control)[:-1])
        write(work + '/usr/share/content', content)
        for one in (work, work + '/usr', work + '/usr/share',
                    work + '/usr/share/content'):
            os.utime(one, (0, 0))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run(['dpkg-deb', '-Znone', '--root-owner-group', '-b', work,
                        path], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, 'SOURCE_DATE_EPOCH': '0'})
        self._packages.append(stanza(
            **control, Filename='pool/' + file, Size=os.path.getsize(path),
            SHA256=sha256(path)))

    def name(self, name, version, **fields):
        """Adds a package to the index alone."""
        self._packages.append(stanza(
            Package=name, Version=version, Architecture='amd64',
            Description='a test', Maintainer='nobody', **fields, Size=1,
            Filename='pool/' + name, SHA256='00' * 32))

    def add_source(self, name, version, content):
        """Adds a source package of a description and one file."""
        stem = '%s_%s' % (name, version.split(':')[-1])
        paths = [os.path.join(self.top, 'pool', stem + end)
                 for end in ('.dsc', '.tar.xz')]
        for path in paths:
            write(path, content)
        sums = ''.join('\n %s %d %s' % (sha256(path), os.path.getsize(path),
                                        os.path.basename(path))
                       for path in paths)
        self._sources.append(stanza(
            Package=name, Binary=name, Version=version, Architecture='any',
            Maintainer='nobody', Format='3.0 (native)', Directory='pool',
            Checksums_Sha256=sums))

    def publish(self, key, release='13.0'):
        """Writes the index and its signature."""
        top = os.path.join(self.top, 'dists', SUITE)
        indices = {'main/binary-amd64/Packages': ''.join(self._packages),
                   'main/source/Sources': ''.join(self._sources)}
        sums = ''
        for name, text in indices.items():
            path = os.path.join(top, name)
            write(path, text)
            sums += '\n %s %d %s' % (sha256(path), os.path.getsize(path), name)
        write(top + '/Release', stanza(
            Origin='Debian', Suite='stable', Version=release, Codename=SUITE,
            Date='Sat, 12 Sep 2026 07:55:41 UTC', Architectures='amd64',
            Components='main', SHA256=sums)[:-1])
        key.sign(top + '/Release', top + '/InRelease')
