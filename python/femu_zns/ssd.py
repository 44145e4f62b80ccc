# SPDX-License-Identifier: GPL-2.0-or-later
"""The core, a drive as a value, for Python: what hw/femu/ssd.h says, in its
words. Time is an argument; a drive does nothing between two calls.

Knows nothing of workloads and of how results are kept.
"""

from __future__ import annotations

import enum
import functools
import json
import operator
import os
import threading
from dataclasses import dataclass
from typing import (Callable, Iterable, List, Mapping, Optional, Sequence, Tuple,
                    TypeVar, Union)

import pandas as pd

from femu_zns._core import ffi, lib

Value = Union[int, str, bool]
_Method = TypeVar('_Method', bound=Callable)
_NEVER_NS = 2 ** 64 - 1
_POLL_MAX = 256
_MOST_32, _MOST_64 = 2 ** 32 - 1, 2 ** 64 - 1


class FemuError(Exception):
    """What a drive cannot do."""


class ParameterError(FemuError, ValueError):
    """Parameters that no drive can have; says which, and what would be
    right."""


class StateError(FemuError, ValueError):
    """Bytes that are not the state of such a drive."""


class Status(enum.IntEnum):
    """NVMe status, as SCT << 8 | SC."""
    SUCCESS = 0x0
    INVALID_OPCODE = 0x1
    INVALID_FIELD = 0x2
    INVALID_NAMESPACE_OR_FORMAT = 0xb
    LBA_OUT_OF_RANGE = 0x80
    COMMAND_SIZE_LIMIT_EXCEEDED = 0x183
    INVALID_ZONE_OPERATION = 0x1b6
    ZRWA_UNAVAILABLE = 0x1b7
    ZONE_BOUNDARY_ERROR = 0x1b8
    ZONE_IS_FULL = 0x1b9
    ZONE_IS_READ_ONLY = 0x1ba
    ZONE_IS_OFFLINE = 0x1bb
    ZONE_INVALID_WRITE = 0x1bc
    TOO_MANY_ACTIVE_ZONES = 0x1bd
    TOO_MANY_OPEN_ZONES = 0x1be
    INVALID_ZONE_STATE_TRANSITION = 0x1bf


class ZoneState(enum.IntEnum):
    """States of a zone, numbered as in its descriptor."""
    EMPTY = 0x1
    IMPLICITLY_OPEN = 0x2
    EXPLICITLY_OPEN = 0x3
    CLOSED = 0x4
    READ_ONLY = 0xd
    FULL = 0xe
    OFFLINE = 0xf


class CommandError(FemuError):
    """A command that the drive refused; it has changed nothing."""

    def __init__(self, op: str, status: Status):
        super().__init__(op, status)    # what it is made of, also by pickle
        self.op, self.status = op, status

    def __str__(self) -> str:
        return '%s: %s (0x%x)' % (self.op, self.status.name, self.status)


@dataclass(frozen=True)
class Accept:
    """What is said of a command at once. `lba`: where its data lie, of an
    append the block that it was given."""
    status: Status
    lba: int


@dataclass(frozen=True)
class Done:
    """A completion. `result`: of an append its block, else 0."""
    tag: int
    op: str
    nsid: int
    status: Status
    result: int
    submitted_at_ns: int
    due_at_ns: int
    ahead_bytes: int

    @property
    def latency_ns(self) -> int:
        """From submission to completion."""
        return self.due_at_ns - self.submitted_at_ns


@dataclass(frozen=True)
class Namespace:
    """What a namespace is; all of zones is 0 in a conventional one."""
    nsid: int
    is_zoned: bool
    lba_bytes: int
    size_nlb: int
    zones: int
    zone_size_nlb: int
    zone_capacity_nlb: int


_OPS = {ffi.string(lib.ssd_op_name(op)).decode(): op
        for op in range(lib.SSD_OP_COUNT)}
_NAMES = {op: name for name, op in _OPS.items()}


def _raise(kind, error):
    text = ffi.string(error[0].message).decode()
    lib.g_error_free(error[0])
    raise kind(text)


def _table() -> List[Tuple[str, object]]:
    count = ffi.new('unsigned *')
    rows = lib.ssd_params_table(count)
    return [(ffi.string(rows[i].name).decode(), rows + i)
            for i in range(count[0])]


def parameters() -> pd.DataFrame:
    """All parameters of a drive: name, default, unit, help."""
    params = ffi.new('SsdParams *')
    lib.ssd_params_defaults(params)
    return pd.DataFrame([
        {'name': name, 'default': lib.ssd_params_get(params, info),
         'unit': ffi.string(info.unit).decode() if info.unit else '',
         'help': ffi.string(info.help).decode()} for name, info in _table()])


def _text_of(name: str, value: Value) -> bytes:
    """Raises ParameterError for a text that C would take for a shorter one."""
    if isinstance(value, bool):
        value = 'on' if value else 'off'
    if '\0' in str(value):
        raise ParameterError('%s=%r: has a character 0, where it would end' % (
            name, value))
    return str(value).encode()


def _whole(name: str, value: int, most: int) -> int:
    """VALUE, a member of a command. Raises ValueError if it is none of 0 to
    MOST, TypeError if it is no whole number."""
    try:
        made = operator.index(value)
    except TypeError:
        raise TypeError('%s=%r: must be a whole number' % (name,
                                                           value)) from None
    if not 0 <= made <= most:
        raise ValueError('%s=%d: must be 0 to %d' % (name, made, most))
    return made


def _params(config, changes: Mapping[str, Value]):
    params, error = ffi.new('SsdParams *'), ffi.new('GError **')
    lib.ssd_params_defaults(params)
    if config is not None and not lib.config_file_read(
            os.fsencode(config), ffi.NULL, params, error):
        _raise(ParameterError, error)
    for name, value in changes.items():
        name = name.replace('_', '-')
        if not lib.ssd_params_set(params, name.encode(), _text_of(name, value),
                                  error):
            _raise(ParameterError, error)
    if not lib.ssd_params_check(params, error):
        _raise(ParameterError, error)
    return params


def _check_members(slba, nlb, nsid, ranges) -> None:
    """Raises for the first that a command cannot have. Called once C's types
    have refused one of them, without a name."""
    _whole('nsid', nsid, _MOST_32)
    _whole('nlb', nlb, _MOST_32)
    _whole('slba', slba, _MOST_64)
    for idx, (first, count) in enumerate(ranges):
        _whole('ranges[%d].slba' % idx, first, _MOST_64)
        _whole('ranges[%d].nlb' % idx, count, _MOST_32)


def _alone(method: _Method) -> _Method:
    """METHOD of an Ssd by one thread at a time: the core has no locks, and
    other threads run while this one is in it."""
    @functools.wraps(method)
    def held(self, *args, **more):
        with self._lock:
            return method(self, *args, **more)
    return held


class Ssd:
    """A drive. Its clock is `now_ns`; methods with a time take one that is not
    before it, and none means now. Each of them is whole: what several threads
    ask of a drive it does one after the other."""

    def __init__(self, config: Union[str, os.PathLike, None] = None,
                 **changes: Value):
        """A new drive of the parameters that the file CONFIG has (that which
        QEMU reads) and CHANGES over it, by their names with _ in place of -:
        Ssd('configs/zn540.cfg', program_ns=700000, zone_size='1G')."""
        self._take(lib.ssd_new(_params(config, changes)))
        self._may_log_busy = True

    def _take(self, drive):
        # One that was loaded, or comes back, may have such a log already.
        self._may_log_busy = False
        self._lock = threading.RLock()
        self._ssd = ffi.gc(drive, lib.ssd_free)
        self._done = ffi.new('SsdDone[]', _POLL_MAX)
        self._cmd = ffi.new('SsdCmd *')
        self._now_ns = lib.ssd_now_ns(self._ssd)

    # --- Time ---------------------------------------------------------------

    @property
    def now_ns(self) -> int:
        """The latest time that the drive has been told."""
        return self._now_ns

    def _at(self, at_ns: Optional[int]) -> int:
        if at_ns is None:
            return self._now_ns
        at_ns = operator.index(at_ns)
        if not self._now_ns <= at_ns < _NEVER_NS:
            raise ValueError('at_ns=%d is %s' % (
                at_ns, 'before now, %d' % self._now_ns
                if at_ns < self._now_ns else
                'too late: must be less than %d' % _NEVER_NS))
        self._now_ns = at_ns
        return at_ns

    @property
    @_alone
    def next_at_ns(self) -> Optional[int]:
        """A time at which to poll next; None: nothing will happen."""
        at_ns = lib.ssd_next_at_ns(self._ssd)
        return None if at_ns == _NEVER_NS else at_ns

    # --- Commands -----------------------------------------------------------

    @property
    @_alone
    def has_room(self) -> bool:
        """Can submit() take one more command?"""
        return bool(lib.ssd_has_room(self._ssd))

    @property
    @_alone
    def inflight(self) -> int:
        """Commands inside."""
        return lib.ssd_inflight(self._ssd)

    @_alone
    def submit(self, op: str, slba: int = 0, nlb: int = 0, *, nsid: int = 1,
               select_all: bool = False, tag: int = 0,
               at_ns: Optional[int] = None,
               ranges: Sequence[Tuple[int, int]] = ()) -> Accept:
        """Give the drive a command: OP is 'read', 'write', 'append', 'flush',
        'finish', 'reset' and so on. RANGES: (slba, nlb) of a copy's sources,
        or of what is deallocated. With an error status nothing has changed and
        no completion comes."""
        if op not in _OPS:
            raise ValueError('op="%s" is none of %s' % (op, ', '.join(_OPS)))
        if not lib.ssd_has_room(self._ssd):
            raise FemuError('the drive has no room for another command: poll '
                            'first (cmd-slots)')
        cmd = self._cmd
        try:
            cmd.op, cmd.nsid, cmd.select_all = _OPS[op], nsid, select_all
            cmd.nlb, cmd.slba = nlb, slba
            held = ffi.new('SsdRange[]', [{'slba': first, 'nlb': count}
                                          for first, count in ranges])
            tag = _whole('tag', tag, _MOST_32)
        except (OverflowError, TypeError):
            _check_members(slba, nlb, nsid, ranges)
            raise
        cmd.ranges, cmd.range_count = held, len(ranges)
        accept = lib.ssd_submit(self._ssd, self._at(at_ns), cmd, tag)
        return Accept(Status(accept.status), accept.lba)

    @_alone
    def poll(self, until_ns: Optional[int] = None) -> List[Done]:
        """Run up to UNTIL_NS. Return: what has completed by then, in order."""
        until_ns, found = self._at(until_ns), []
        while True:
            count = lib.ssd_poll(self._ssd, until_ns, self._done, _POLL_MAX)
            found += [self._made(self._done[i]) for i in range(count)]
            if count < _POLL_MAX:
                return found

    @staticmethod
    def _made(done) -> Done:
        return Done(done.tag, _NAMES[done.op], done.nsid, Status(done.status),
                    done.result, done.submitted_at_ns, done.due_at_ns,
                    done.ahead_bytes)

    @_alone
    def drain(self) -> List[Done]:
        """Run until nothing is inside. Return: what has completed."""
        found = []
        while self.inflight:
            found += self.poll(max(self._now_ns, self.next_at_ns))
        return found

    @_alone
    def do(self, op: str, slba: int = 0, nlb: int = 0, **more) -> Done:
        """Submit a command alone and run until it is done. Raises
        CommandError; there may be no other command inside."""
        if self.inflight:
            raise FemuError('do() needs a drive with nothing inside; %d are'
                            % self.inflight)
        accept = self.submit(op, slba, nlb, **more)
        if accept.status:
            raise CommandError(op, accept.status)
        return self.drain()[0]

    # --- What there is to see -----------------------------------------------

    @property
    def params(self) -> dict:
        """All parameters, "0 means ..." replaced."""
        params = lib.ssd_params(self._ssd)
        return {name: lib.ssd_params_get(params, info)
                for name, info in _table()}

    @property
    def namespaces(self) -> List[Namespace]:
        """All namespaces; numbers count from 1."""
        found = []
        for nsid in range(1, lib.ssd_ns_count(self._ssd) + 1):
            info = lib.ssd_ns_info(self._ssd, nsid)
            found.append(Namespace(
                nsid, info.kind == lib.SSD_NS_ZONED, info.lba_bytes,
                info.size_nlb, info.zones, info.zone_size_nlb,
                info.zone_capacity_nlb))
        return found

    def _namespace(self, nsid: int) -> Namespace:
        found = self.namespaces
        if not 1 <= nsid <= len(found):
            raise ValueError('nsid=%d: there are 1 to %d' % (nsid, len(found)))
        return found[nsid - 1]

    @_alone
    def zones(self, nsid: int = 1) -> pd.DataFrame:
        """A row per zone: state (a ZoneState's name), start_lba, wp_lba,
        capacity_nlb."""
        made = [lib.ssd_zone(self._ssd, nsid, idx)
                for idx in range(self._namespace(nsid).zones)]
        return pd.DataFrame({
            'state': [ZoneState(zone.state).name for zone in made],
            'start_lba': [zone.start_lba for zone in made],
            'wp_lba': [zone.wp_lba for zone in made],
            'capacity_nlb': [zone.capacity_nlb for zone in made],
            'has_zrwa': [bool(zone.has_zrwa) for zone in made]})

    def zone_units(self, zone: int, nsid: int = 1) -> List[int]:
        """The flash units that a zone's pages go round, in that order."""
        if not 0 <= zone < self._namespace(nsid).zones:
            raise ValueError('zone=%d: there are 0 to %d' % (
                zone, self._namespace(nsid).zones - 1))
        count = ffi.new('uint32_t *')
        units = lib.ssd_zone_units(self._ssd, nsid, zone, count)
        return list(ffi.unpack(units, count[0]))

    @_alone
    def wear(self) -> pd.DataFrame:
        """A row per block of the flash that zones lie on, with its erases."""
        made = [lib.ssd_block(self._ssd, idx)
                for idx in range(lib.ssd_block_count(self._ssd))]
        return pd.DataFrame({
            name: [getattr(block, name) for block in made]
            for name in ('superblock_idx', 'unit_idx', 'block_in_unit_idx',
                         'erase_count')})

    @_alone
    def statistics(self) -> dict:
        """What the drive has counted (docs/model.md, "Statistics and traces")."""
        text = lib.ssd_stats_json(self._ssd, self._now_ns, ffi.NULL)
        try:
            return json.loads(ffi.string(text))
        finally:
            lib.g_free(text)

    @_alone
    def reset_statistics(self) -> None:
        """Count from now on."""
        lib.ssd_stats_reset(self._ssd, self._now_ns)

    # --- Logs and state -----------------------------------------------------

    @_alone
    def start_busy_log(self, capacity: int = 1 << 20) -> None:
        """Log what channels and units do; call it once, on a new drive.
        CAPACITY entries are kept until they are taken, then the oldest make
        room."""
        if not self._may_log_busy or self._now_ns or self.inflight:
            raise FemuError('start_busy_log() is for a new drive, once')
        if not 1 <= capacity <= lib.FLASH_BUSY_MOST:
            raise ParameterError('capacity=%d: must be 1 to %d' % (
                capacity, lib.FLASH_BUSY_MOST))
        self._may_log_busy = False
        lib.ssd_busy_log_start(self._ssd, capacity)

    @_alone
    def take_busy_log(self) -> pd.DataFrame:
        """A row per stretch of work of a channel or a unit: begin_at_ns,
        end_at_ns, resource ('channel' or 'unit'), idx, what."""
        busy, rows = ffi.new('SsdBusy[]', _POLL_MAX), []
        while True:
            count = lib.ssd_busy_log_take(self._ssd, busy, _POLL_MAX)
            rows += [(one.begin_at_ns, one.end_at_ns,
                      'channel' if one.is_channel else 'unit',
                      one.resource_idx, ffi.string(one.what).decode())
                     for one in busy[0:count]]
            if count < _POLL_MAX:
                return pd.DataFrame(rows, columns=[
                    'begin_at_ns', 'end_at_ns', 'resource', 'idx', 'what'])

    @_alone
    def save(self) -> bytes:
        """All of the drive as bytes, commands under way and all."""
        array = lib.ssd_save(self._ssd)
        try:
            return bytes(ffi.buffer(array.data, array.len))
        finally:
            lib.g_byte_array_free(array, 1)

    @classmethod
    def load(cls, data: bytes) -> 'Ssd':
        """The drive that was saved: it goes on as that one would, to the
        nanosecond. Raises StateError."""
        params, error = ffi.new('SsdParams *'), ffi.new('GError **')
        if not lib.ssd_load_params(data, len(data), params, error):
            _raise(StateError, error)
        drive = lib.ssd_load(params, data, len(data), error)
        if drive == ffi.NULL:
            _raise(StateError, error)
        made = cls.__new__(cls)
        made._take(drive)
        return made

    def fork(self) -> 'Ssd':
        """Another drive in the same state."""
        return self.load(self.save())

    @_alone
    def cut_power(self, seed: int = 1, at_ns: Optional[int] = None) -> 'Ssd':
        """The drive that is there when the power, which goes at AT_NS, is back:
        what was completed is there, of what was inside SEED decides within what
        a host must expect. This drive itself goes on."""
        made = type(self).__new__(type(self))
        made._take(lib.ssd_power_cut(self._ssd, self._at(at_ns), seed))
        return made

    def __repr__(self) -> str:
        return '<Ssd: %d namespaces, %d commands inside, %d ns>' % (
            lib.ssd_ns_count(self._ssd), self.inflight, self._now_ns)


def dones_frame(dones: Iterable[Done]) -> pd.DataFrame:
    """Completions as a frame: tag, op, nsid, status, result,
    submitted_at_ns, due_at_ns, latency_ns."""
    return pd.DataFrame([
        (one.tag, one.op, one.nsid, one.status.name, one.result,
         one.submitted_at_ns, one.due_at_ns, one.latency_ns)
        for one in dones], columns=[
            'tag', 'op', 'nsid', 'status', 'result', 'submitted_at_ns',
            'due_at_ns', 'latency_ns'])
