# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads trace.csv, which hw/femu/ssd_trace.h defines, in blocks: two million
lines take two seconds, and at no time are more than BLOCK_BYTES of them, and
fourteen times as much for their numbers, in memory.

Knows nothing of what the commands do.
"""

import re
import warnings
from dataclasses import dataclass

import numpy as np

from femu.common.json_file import DataError

MAGIC = b'# femu-zns trace 2\n'
BLOCK_BYTES = 4 << 20
MAX_LINE_BYTES = 256
# In the order of SsdOp; a command's `op` is an index.
OPS = ('read', 'write', 'append', 'flush', 'write-zeroes', 'verify', 'compare',
       'copy', 'deallocate', 'open', 'close', 'finish', 'reset', 'offline',
       'set-extension', 'open-zrwa', 'set-extension-zrwa', 'flush-zrwa',
       'report', 'identify', 'log', 'feature', 'shutdown')
OP = {name: idx for idx, name in enumerate(OPS)}
ALL_NAMESPACES = 0xffffffff
# Letter of a record -> fields behind it.
FIELDS = {ord('S'): 8, ord('C'): 4, ord('X'): 1, ord('R'): 2, ord('F'): 4,
          ord('N'): 3, ord('O'): 2, ord('E'): 1, ord('A'): 2}
NAME = re.compile(rb'(?<=,)[a-z][a-z-]*(?=,)')
PARAM = re.compile(r'P,([a-z][a-z0-9-]*),([a-z0-9-]+)\n')
# Largest time of submission or completion: up to here doubles are exact.
MAX_NS = 1 << 53


@dataclass(frozen=True)
class Commands:
    """Submissions, in order: arrays. Those with a `status` were rejected. Of a
    copy, `nlb` is the sum of its ranges."""
    seq: np.ndarray
    at_ns: np.ndarray
    op: np.ndarray
    nsid: np.ndarray
    slba: np.ndarray
    nlb: np.ndarray
    select_all: np.ndarray
    status: np.ndarray

    def chosen(self, which):
        """Return: those that WHICH, indices or flags, chooses."""
        return Commands(*(getattr(self, name)[which]
                          for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Completions:
    """Completions, of commands that are in no earlier Completions: arrays."""
    seq: np.ndarray
    due_ns: np.ndarray
    result: np.ndarray


@dataclass(frozen=True)
class Discarded:
    """Commands whose completions were dropped: their times are unknown."""
    seq: np.ndarray


@dataclass(frozen=True)
class ZoneFailed:
    """A zone's medium has failed; `state` as in a zone's descriptor."""
    nsid: int
    zone_idx: int
    state: int


@dataclass(frozen=True)
class Formatted:
    """A namespace, or ALL_NAMESPACES, was formatted."""
    nsid: int
    lba_bytes: int


@dataclass(frozen=True)
class PowerCut:
    """The power was cut. The trace does not say what is left of the zones."""
    at_ns: int
    seed: int


@dataclass(frozen=True)
class End:
    """The end; a trace without it was cut short."""
    at_ns: int


class TraceFile:
    """`params` are the drive's, {name: text}. Raises DataError, as records()
    does, of a file that no drive has written."""

    def __init__(self, path, block_bytes=BLOCK_BYTES):
        self.params = {}
        self._path = path
        self._block_bytes = block_bytes
        self._next_seq = 0
        self._carried_nlb = 0   # sums of R records whose S record is in the
                                # next block
        self._lines_before = 0
        try:
            with open(path, 'rb') as file:
                self._read_params(file)
                self._begin_bytes = file.tell()
        except OSError as error:
            raise DataError('cannot be read: %s' % error) from None

    def _read_params(self, file):
        line = file.readline(len(MAGIC))
        if line != MAGIC:
            raise DataError('line 1: %r was expected, not %r' % (
                MAGIC.decode(), line.decode('ascii', 'backslashreplace')))
        self._lines_before = 1
        while True:
            begin_bytes = file.tell()
            line = file.readline(4096).decode('ascii', 'replace')
            match = PARAM.fullmatch(line)
            if not match:
                file.seek(begin_bytes)
                return
            self.params[match[1]] = match[2]
            self._lines_before += 1

    def records(self):
        """Yields what the trace has, in order, but for Completions and
        Discarded, which come behind the Commands of their block. Call once."""
        rest = b''
        with open(self._path, 'rb') as file:
            file.seek(self._begin_bytes)
            while True:
                block = file.read(self._block_bytes)
                if not block:
                    return      # the last line is incomplete: the trace was cut
                                # short
                block = rest + block
                end_bytes = block.rfind(b'\n') + 1
                block, rest = block[:end_bytes], block[end_bytes:]
                if len(rest) > MAX_LINE_BYTES:
                    raise DataError('line %d: has no end' % (
                        self._lines_before + 1))
                if block:
                    yield from self._block(block)

    def _block(self, block):
        """Yields the records of BLOCK, whole lines."""
        data = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(data == ord('\n')) + 1
        starts = np.concatenate(([0], ends[:-1]))
        kinds = data[starts]
        fields = np.add.reduceat(data == ord(','), starts, dtype=np.int32)
        wanted = np.zeros(256, np.int32)
        for letter, count in FIELDS.items():
            wanted[letter] = count
        wrong = np.flatnonzero((fields != wanted[kinds]) | (fields == 0))
        if wrong.size:
            self._fail(block, starts, wrong[0])
        cuts = np.flatnonzero(np.isin(kinds, [ord(letter)
                                              for letter in 'FNOE']))
        first = 0
        for cut in cuts:
            yield from self._lines(data, starts, ends, kinds, first, cut)
            yield self._event(block, starts, ends, cut)
            first = cut + 1
        yield from self._lines(data, starts, ends, kinds, first, len(kinds))
        self._lines_before += len(kinds)

    def _fail(self, block, starts, idx):
        line = block[starts[idx]:].split(b'\n', 1)[0][:60]
        raise DataError('line %d: "%s" is no record of a trace' % (
            self._lines_before + idx + 1, line.decode('ascii', 'replace')))

    def _event(self, block, starts, ends, idx):
        line = block[starts[idx]:ends[idx] - 1]
        texts = line[2:].split(b',')
        if not all(text.isdigit() for text in texts):
            self._fail(block, starts, idx)
        numbers = [int(text) for text in texts]
        if line.startswith(b'F'):
            return ZoneFailed(*numbers[1:])
        if line.startswith(b'N'):
            return Formatted(*numbers[1:])
        if line.startswith(b'O'):
            return PowerCut(*numbers)
        return End(numbers[0])

    def _lines(self, data, starts, ends, kinds, first, last):
        """Yields the commands, completions and discards of the lines from
        FIRST on, before LAST."""
        if first == last:
            return
        data = data[starts[first]:ends[last - 1]]
        kinds = kinds[first:last]
        lengths = ends[first:last] - starts[first:last]
        tables = {}
        for letter in 'SCXR':
            mine = kinds == ord(letter)
            if mine.any():
                text = data[np.repeat(mine, lengths)].tobytes()
                tables[letter] = self._numbers(letter, text, first)
        if 'S' in tables or 'R' in tables:
            yield from self._commands(tables, kinds, first)
        if 'C' in tables:
            done = tables['C'].astype(np.int64)
            yield Completions(done[:, 0], self._times(done[:, 1], first),
                              tables['C'][:, 3])
        if 'X' in tables:
            yield Discarded(tables['X'][:, 0].astype(np.int64))

    def _numbers(self, letter, text, first):
        """Return: the numbers of TEXT, lines that begin with LETTER: an array
        with a row for each."""
        if letter == 'S':
            for name in set(NAME.findall(text)):
                if name.decode() not in OP:
                    raise DataError('behind line %d: unknown operation "%s"' % (
                        self._lines_before + first, name.decode()))
                text = text.replace(b',%s,' % name,
                                    b',%d,' % OP[name.decode()])
        text = text.replace(letter.encode() + b',', b'').replace(b'\n', b',')
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            try:
                numbers = np.fromstring(text, dtype=np.uint64, sep=',')
                return numbers.reshape(-1, FIELDS[ord(letter)])
            except (ValueError, DeprecationWarning):
                raise DataError('behind line %d: %s records that are not '
                                'numbers' % (self._lines_before + first,
                                             letter)) from None

    def _times(self, times_ns, first):
        if times_ns.size and (times_ns.max() >= MAX_NS or times_ns.min() < 0):
            raise DataError('behind line %d: a time of more than %d ns' % (
                self._lines_before + first, MAX_NS))
        return times_ns

    def _commands(self, tables, kinds, first):
        """Yields the Commands; what R records say goes to the copy behind
        them, which may be in the next block."""
        table = tables.get('S', np.zeros((0, 8), np.uint64))
        nlb = table[:, 5].astype(np.int64)
        if 'R' in tables:
            of_command = np.searchsorted(np.flatnonzero(kinds == ord('S')),
                                         np.flatnonzero(kinds == ord('R')))
        else:
            of_command = np.zeros(0, np.int64)
        range_nlb = np.zeros(len(nlb) + 1, np.int64)
        range_nlb[0] = self._carried_nlb
        np.add.at(range_nlb, of_command,
                  tables['R'][:, 1].astype(np.int64) if 'R' in tables else 0)
        self._carried_nlb = int(range_nlb[-1])
        if not len(nlb):
            return
        seq = table[:, 0].astype(np.int64)
        if not np.array_equal(seq, np.arange(self._next_seq,
                                             self._next_seq + len(seq))):
            raise DataError('behind line %d: command %d is missing, or not in '
                            'its place' % (self._lines_before + first,
                                           self._next_seq))
        self._next_seq += len(seq)
        op = table[:, 2].astype(np.int64)
        if op.size and op.max() >= len(OPS):
            raise DataError('behind line %d: an operation without a name'
                            % (self._lines_before + first))
        is_copy = op == OP['copy']
        nlb[is_copy] = range_nlb[:-1][is_copy]
        yield Commands(seq, self._times(table[:, 1].astype(np.int64), first),
                       op, table[:, 3].astype(np.int64), table[:, 4], nlb,
                       table[:, 6].astype(bool), table[:, 7].astype(np.int64))
