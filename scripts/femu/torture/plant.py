# SPDX-License-Identifier: GPL-2.0-or-later
"""Losses that are planted into a state, to see that they are found.

Knows nothing of who finds them.
"""

import os

BLOCK = 4096


def _history(state, _):
    """The second half of the records is gone, as if never written."""
    path = os.path.join(state, 'history')
    with open(path, 'rb') as file:
        lines = file.read().splitlines(keepends=True)
    head = sum(line[:1] in b'#P' for line in lines)
    half = (len(lines) - head) // 2
    if half < 20:
        return None
    with open(path, 'wb') as file:
        file.writelines(lines[:head + half])
    return f'half of the records of {path} are gone'


def _data(state, told_blocks):
    """A block that the host was told of is zeroes."""
    if not told_blocks:
        return None
    path = os.path.join(state, 'data')
    with open(path, 'r+b') as file:
        file.seek(told_blocks[0] * BLOCK)
        file.write(bytes(BLOCK))
    return f'the block at {told_blocks[0] * BLOCK} of {path} is gone'


def lose(what, state, told_blocks):
    """Return: what has been lost of the state in this folder, or None: there is
    nothing to lose yet. TOLD_BLOCKS lie there, by their place in the data."""
    text = {'history': _history, 'data': _data}[what](state, told_blocks)
    if text:                    # checksums would tell of it before the host does
        os.unlink(os.path.join(state, 'sums'))
    return text
