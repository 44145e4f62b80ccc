# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the sources are of packages that an archive has.

Knows nothing of what the packages are for.
"""

import collections
import csv
import os

from femu.common.digest import sha256
from femu.image import debs

# Where a version is that no mirror has any more.
OLD = 'https://snapshot.debian.org/package/%s/%s/'
# apt's own: it knows all kinds of addresses, proxies and hashes.
HELPER = '/usr/lib/apt/apt-helper'
COLUMNS = ('source', 'version', 'file', 'bytes', 'sha256', 'url', 'packages')


def wanted(parts):
    """Return: {(source package, version): [names of packages built of it]}."""
    found = collections.defaultdict(set)
    for part in parts:
        for source in part.sources:
            found[source].add(part.name)
    return {source: sorted(found[source]) for source in sorted(found)}


def rows(packages, sources):
    """Return: [row] of COLUMNS: the files of SOURCES, as wanted() has them, by
    the lists of the Debs PACKAGES; of those that they do not have, one row
    without a file, that says where old versions are."""
    known = packages.source_files(sources)
    made = []
    for (name, version), users in sources.items():
        files = known.get((name, version))
        for file, size, sha256, url in files or [
                ('', '', '', OLD % (name, version))]:
            made.append((name, version, file, size, sha256, url,
                         ' '.join(users)))
    return made


def write(path, made):
    """Writes rows as CSV."""
    with open(path, 'w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(COLUMNS)
        writer.writerows(made)


def download(made, folder, progress):
    """Downloads the files of rows MADE into FOLDER, by their hashes; PROGRESS()
    is called for each."""
    os.makedirs(folder, exist_ok=True)
    for row in made:
        path = os.path.join(folder, row[2])
        if row[2] and not (os.path.exists(path) and sha256(path) == row[4]):
            debs.run([HELPER, 'download-file', row[5], path + '.new',
                      'SHA256:' + row[4]])
            os.replace(path + '.new', path)
        progress()
