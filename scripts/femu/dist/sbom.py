# SPDX-License-Identifier: GPL-2.0-or-later
"""A list of what is in an archive, as SPDX 2.3 has it, and checksums.

Knows nothing of how the archive is made.
"""

import json
import os
import subprocess

from femu.common.digest import sha256

NOTHING = 'NOASSERTION'


def package_of_deb(path):
    """Return: (name, version, sha256) of a package's file."""
    words = subprocess.run(
        ['dpkg-deb', '-f', path, 'Package', 'Version'], text=True,
        stdout=subprocess.PIPE, check=True).stdout.split()
    return words[1], words[3], sha256(path)


def package_of_file(path):
    """Return: (name, version, None) of the installed package that PATH is of,
    or None."""
    for one in (path, os.path.realpath(path), '/usr' + path,
                os.path.realpath(path).removeprefix('/usr')):
        done = subprocess.run(['dpkg', '-S', one], text=True, check=False,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            name = done.stdout.split(': ')[0].split(',')[0]
            version = subprocess.run(
                ['dpkg-query', '-W', '-f', '${Version}', name], text=True,
                stdout=subprocess.PIPE, check=True).stdout
            return name.split(':')[0], version, None
    return None


def write(path, name, version, packages):
    """Writes the list. PACKAGES: [(what it is for, name, version, sha256 or
    None)]."""
    made = []
    for number, (use, package, its, digest) in enumerate(packages):
        entry = {'SPDXID': 'SPDXRef-Package-%d' % number, 'name': package,
                 'versionInfo': its, 'comment': use,
                 'downloadLocation': NOTHING, 'filesAnalyzed': False}
        if digest:
            entry['checksums'] = [{'algorithm': 'SHA256',
                                   'checksumValue': digest}]
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
