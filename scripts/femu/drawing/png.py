# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts inside PNG files, by which a picture says of what it was made.

Knows nothing of what the pictures show.
"""

import struct
import zlib

SIGNATURE_BYTES = 8


def _chunks(data):
    """Yields (offset, kind, body) of each chunk."""
    at = SIGNATURE_BYTES
    while at + 8 <= len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        yield at, kind, data[at + 8:at + 8 + size]
        at += 12 + size


def text_in(path, key):
    """Return: the text KEY of the PNG at PATH, or None."""
    with open(path, 'rb') as file:
        data = file.read()
    for _, kind, body in _chunks(data):
        if kind == b'tEXt' and body.startswith(key.encode() + b'\0'):
            return body[len(key) + 1:].decode('ascii')
    return None


def put_text(path, key, text):
    """The PNG at PATH, which has no text KEY, has TEXT."""
    with open(path, 'rb') as file:
        data = file.read()
    end = next(at for at, kind, _ in _chunks(data) if kind == b'IEND')
    body = b'tEXt' + key.encode() + b'\0' + text.encode('ascii')
    with open(path, 'wb') as file:
        file.write(data[:end] + struct.pack('>I', len(body) - 4) + body +
                   struct.pack('>I', zlib.crc32(body)) + data[end:])
