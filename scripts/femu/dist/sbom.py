# SPDX-License-Identifier: GPL-2.0-or-later
"""A list of what is in an archive, as SPDX 2.3 has it, and checksums.

Knows nothing of how the archive is made.
"""

import collections
import json
import os
import subprocess

from femu.common.digest import sha256
from femu.image import debs

NOTHING = 'NOASSERTION'
BUILT_OF = 'built of the source packages '


class Part(collections.namedtuple(
        'Part', 'use name version sha256 sources', defaults=(None, ()))):
    """A package: what for, which, the hash of its file if that is known, and
    [(source package, version)] that it was built of."""


def part_of_deb(use, path):
    """Return: the Part that a package's file is."""
    fields = debs.stanzas(subprocess.run(
        ['dpkg-deb', '-f', path], text=True, stdout=subprocess.PIPE,
        check=True).stdout)[0]
    return Part(use, fields['Package'], fields['Version'], sha256(path),
                sources_of(fields))


def sources_of(fields):
    """Return: [(source package, version)] by the FIELDS of a package, with those
    of which it holds a copy by static linking."""
    source = fields.get('Source', fields['Package'])
    found = [source if '(' in source else
             '%s (%s)' % (source, fields['Version'])]
    for name in ('Built-Using', 'Static-Built-Using'):
        found += filter(None, fields.get(name, '').split(','))
    return tuple((words[0], words[-1].strip('()=')) for words in
                 (one.replace('= ', '').split() for one in found))


def part_of_file(use, path):
    """Return: the Part that the installed package is which PATH is of, or None.
    """
    for one in (path, os.path.realpath(path), '/usr' + path,
                os.path.realpath(path).removeprefix('/usr')):
        done = subprocess.run(['dpkg', '-S', one], text=True, check=False,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            name = done.stdout.split(': ')[0].split(',')[0]
            fields = debs.stanzas(subprocess.run(
                ['dpkg-query', '-s', name], text=True,
                stdout=subprocess.PIPE, check=True).stdout)[0]
            return Part(use, fields['Package'], fields['Version'], None,
                        sources_of(fields))
    return None


def write(path, name, version, packages):
    """Writes the list of the Parts PACKAGES."""
    made = []
    for number, part in enumerate(packages):
        entry = {'SPDXID': 'SPDXRef-Package-%d' % number, 'name': part.name,
                 'versionInfo': part.version, 'comment': part.use,
                 'downloadLocation': NOTHING, 'filesAnalyzed': False}
        if part.sha256:
            entry['checksums'] = [{'algorithm': 'SHA256',
                                   'checksumValue': part.sha256}]
        if part.sources:
            entry['sourceInfo'] = BUILT_OF + ', '.join(
                map(' '.join, part.sources))
        made.append(entry)
    document = {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0',
        'SPDXID': 'SPDXRef-DOCUMENT', 'name': '%s-%s' % (name, version),
        'documentNamespace': 'urn:%s:%s' % (name, version),
        'creationInfo': {'created': '1970-01-01T00:00:00Z',
                         'creators': ['Tool: scripts/dist']},
        'packages': made,
        'relationships': [
            {'spdxElementId': 'SPDXRef-DOCUMENT',
             'relationshipType': 'DESCRIBES',
             'relatedSpdxElement': one['SPDXID']} for one in made]}
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(document, file, indent=1)
        file.write('\n')


def read(path):
    """Return: [Part] of such a list."""
    with open(path, encoding='utf-8') as file:
        listed = json.load(file)['packages']
    return [Part(one['comment'], one['name'], one['versionInfo'],
                 one.get('checksums', [{}])[0].get('checksumValue'),
                 tuple(tuple(text.split()) for text in one.get(
                     'sourceInfo', '').removeprefix(BUILT_OF).split(', ')
                       if text))
            for one in listed]


def write_checksums(folder):
    """Writes FOLDER/SHA256SUMS, of every file below it."""
    lines = []
    for here, names, files in os.walk(folder):
        names.sort()
        for name in sorted(files):
            path = os.path.join(here, name)
            if not os.path.islink(path):
                lines.append('%s  %s\n' % (sha256(path),
                                           os.path.relpath(path, folder)))
    with open(os.path.join(folder, 'SHA256SUMS'), 'w',
              encoding='utf-8') as file:
        file.writelines(lines)
