# SPDX-License-Identifier: GPL-2.0-or-later
"""What the pages are made by of which the documents have pictures: a digest of
it is in the picture, so that one that is older than its page is found.

Knows nothing of pages, or of pictures.
"""

import ast
import hashlib
import os
from dataclasses import dataclass

from femu.common.paths import TOP

KEY = 'femu-zns-page'


@dataclass(frozen=True)
class Sources:
    """Files of scripts/femu."""
    names: tuple

    def digest(self):
        """Return: a hash of what the files say to Python; comments do not
        count, nor does how they are laid out."""
        digest = hashlib.sha256()
        for name in self.names:
            with open(os.path.join(TOP, 'scripts', 'femu', name),
                      encoding='utf-8') as file:
                digest.update(ast.dump(ast.parse(file.read())).encode())
        return digest.hexdigest()


PAGES = {
    'live': Sources(('live/page.py', 'live/picture.py',
                     'drawing/page_style.py')),
    'compare': Sources(('compare/page.py', 'compare/pictures.py',
                        'drawing/page_style.py')),
}
