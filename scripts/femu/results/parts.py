# SPDX-License-Identifier: GPL-2.0-or-later
"""Which zones the jobs of a step have, from fio's options, and how its commands
are divided by that: a part for each job that has zones of its own, one for jobs
that share zones, and one for commands of no job. A job whose zones are not
known may use any zone: so no part is given commands of another job.

Knows nothing of what the commands took.
"""

import re
from dataclasses import dataclass

import numpy as np

DEVICE = re.compile(r'/dev/(?:nvme|ng)[0-9]+n([1-9][0-9]*)')
SIZE = re.compile(r'([0-9]+)\s*(z|%|(?:([kmgtp])(i?))?b?)', re.I)
# Options of fio that change where a job reads and writes in ways that are not
# modelled here.
MOVERS = ('read_iolog', 'filesize', 'nrfiles', 'offset_align')
MAX_WORKERS = 1024
MAX_TEXTS = 4
NOBODY = 0


@dataclass(frozen=True)
class Part:
    """Some jobs, by index, and the extents [(nsid, begin_bytes, end_bytes)]
    that they have in common; none if they have no zone together."""
    jobs: tuple
    shared: tuple


class Parts:
    """How the commands of a step are divided; part 0 has those of no job."""

    def __init__(self, where, parts, pieces):
        """PIECES: [(nsid, begin_bytes, end_bytes, part's index)], none over
        another."""
        self._where = where
        self.parts = [Part((), ())] + parts
        self._of_ns = {}
        for nsid in {piece[0] for piece in pieces}:
            mine = sorted(piece[1:] for piece in pieces if piece[0] == nsid)
            self._of_ns[nsid] = [np.array(column, np.int64)
                                 for column in zip(*mine)]

    def of_job(self, job):
        """Return: the index of the part that job number JOB is in."""
        return next(idx for idx, part in enumerate(self.parts)
                    if job in part.jobs)

    def shared(self, part):
        """Return: what the jobs of number PART share, as text."""
        where = self._where
        texts = []
        for nsid, begin, end in self.parts[part].shared:
            text = 'namespace %d' % nsid
            if end - begin < where.ns_bytes(nsid) or not where.ns_bytes(2):
                first, last = (begin // where.zone_bytes,
                               -(-end // where.zone_bytes) - 1)
                zones = 'zone %d' % first if first == last else \
                    'zones %d to %d' % (first, last)
                text = zones + ' of ' + text if where.ns_bytes(2) else zones
            texts.append(text)
        if len(texts) > MAX_TEXTS:
            texts[MAX_TEXTS:] = ['%d more' % (len(texts) - MAX_TEXTS)]
        return ', '.join(texts)

    def locate(self, nsid, begin_bytes, has_place):
        """All arguments are arrays. Return: the index of each command's part. A
        command without a place (a flush, one for all zones) belongs to a part
        only if its namespace has no other."""
        found = np.full(len(nsid), NOBODY)
        for one, (begins, ends, owners) in self._of_ns.items():
            mine = np.flatnonzero(nsid == one)
            idx = np.searchsorted(begins, begin_bytes[mine], 'right') - 1
            inside = (idx >= 0) & (begin_bytes[mine] < ends[idx])
            owner = np.where(inside, owners[idx], NOBODY)
            only = owners[0] if (owners == owners[0]).all() else NOBODY
            found[mine] = np.where(has_place[mine], owner, only)
        return found


def divide(jobs, where):
    """JOBS: for each a list of {option: text}, WHERE: the zones.Layout.
    Return: their Parts."""
    extents = [_merged([extent for options in job
                        for extent in _extents(options, where)])
               for job in jobs]
    owner = list(range(len(jobs)))
    shared = {}
    for second, mine in enumerate(extents):
        for first in range(second):
            common = [_overlap(one, other) for one in extents[first]
                      for other in mine if _overlap(one, other)]
            if common:
                _join(owner, first, second)
                shared.setdefault(second, []).extend(common)
    groups = {}
    for job in range(len(jobs)):
        groups.setdefault(_root(owner, job), []).append(job)
    parts, pieces = [], []
    for number, members in enumerate(groups.values(), 1):
        parts.append(Part(tuple(members), tuple(_merged(
            [extent for job in members for extent in shared.get(job, ())]))))
        pieces += [extent + (number,) for extent in _merged(
            [extent for job in members for extent in extents[job]])]
    return Parts(where, parts, pieces)


def _root(owner, job):
    while owner[job] != job:
        job = owner[job]
    return job


def _join(owner, one, other):
    one, other = sorted((_root(owner, one), _root(owner, other)))
    owner[other] = one


def _overlap(one, other):
    begin, end = max(one[1], other[1]), min(one[2], other[2])
    return (one[0], begin, end) if one[0] == other[0] and begin < end else None


def _merged(extents):
    """Return: EXTENTS sorted, those joined that touch."""
    found = []
    for nsid, begin, end in sorted(extents):
        if found and found[-1][0] == nsid and begin <= found[-1][2]:
            found[-1] = (nsid, found[-1][1], max(end, found[-1][2]))
        else:
            found.append((nsid, begin, end))
    return found


def _extents(options, where):
    """Return: [(nsid, begin_bytes, end_bytes)] where a job with fio's OPTIONS
    may be: whole zones."""
    names = re.split(r'(?<!\\):', options.get('filename', ''))
    matches = [DEVICE.fullmatch(name) for name in names]
    nsids = [int(match[1]) for match in matches if match]
    if len(nsids) < len(names) or not all(map(where.ns_bytes, nsids)):
        return [(nsid, 0, where.ns_bytes(nsid))
                for nsid in range(1, where.namespaces + 2)
                if where.ns_bytes(nsid)]
    return [extent for nsid in nsids
            for extent in _in_namespace(options, where, nsid, len(nsids))]


def _in_namespace(options, where, nsid, files):
    whole = where.ns_bytes(nsid)
    everywhere = [(nsid, 0, whole)]
    is_zoned = nsid <= where.namespaces
    unit = where.zone_bytes if is_zoned else None
    offset = size_of(options.get('offset', '0'), whole, unit)
    size = size_of(options.get('size', '100%'), whole, unit)
    step = size_of(options.get('offset_increment', '0'), whole, unit)
    workers = options.get('numjobs', '1')
    if None in (offset, size, step) or not workers.isdecimal() or \
            int(workers) > MAX_WORKERS or \
            any(name in options for name in MOVERS):
        return everywhere
    if not options.get('size', '100%').endswith('%'):
        size = -(-size // files)
    found = []
    for worker in range(int(workers)):
        begin = offset + worker * step
        end = min(begin + size if size else whole, whole)
        if is_zoned:
            begin = begin // unit * unit
            end = -(-end // unit) * unit
        if begin < end:
            found.append((nsid, begin, end))
    return _merged(found) or everywhere


def size_of(text, whole_bytes, zone_bytes):
    """Return: the bytes that fio takes TEXT for: a number, with a suffix or as
    per cent of WHOLE_BYTES; None if it is none of these. fio's Ki is 1000."""
    match = SIZE.fullmatch(text.strip())
    if not match:
        return None
    amount, suffix = int(match[1]), match[2].lower()
    if suffix == '%':
        return min(amount, 100) * whole_bytes // 100
    if suffix == 'z':
        return amount * zone_bytes if zone_bytes else None
    if not match[3]:
        return amount
    base = 1000 if match[4] else 1024
    return amount * base ** ('kmgtp'.index(match[3].lower()) + 1)
